//! The descriptions of `specs/` that the library carries with it.
//!
//! | name | what it describes |
//! |---|---|
//! | `minnow` | a small machine for teaching |
//! | `riscv` | RISC-V: RV32 and RV64 with their extensions as features |
//! | `trio` | a machine with bundles of three instructions |
//! | `xe` | the binary form of Intel Xe (with the feature `xe`) |

/// What assembly for a description has beyond the templates of its instructions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Assembly {
    /// Nothing.
    Templates,
    /// The pseudo-instructions, relocations and files of RISC-V.
    Riscv,
}

/// A description: its name, what its assembly is, and its files, the top one first.
#[derive(Debug)]
pub struct Shipped {
    name: &'static str,
    assembly: Assembly,
    files: &'static [(&'static str, &'static str)],
}

impl Shipped {
    /// The name of the top file.
    pub fn top(&self) -> &'static str {
        self.files.first().map_or("", |f| f.0)
    }

    /// The bytes of a file of it: a reader for [`crate::isaspec::load`].
    ///
    /// # Errors
    /// For a file that it does not have.
    pub fn read(&self, name: &str) -> Result<Vec<u8>, String> {
        self.file(name).map(|text| text.as_bytes().to_vec()).ok_or_else(|| "it is not shipped".to_owned())
    }

    /// The description as a model, if it was compiled into the library: read at once, but without the places in its files.
    #[cfg(feature = "compiled")]
    pub fn model(&self) -> Option<isaglot_model::Isa> {
        const RISCV: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/riscv.isa"));
        let bytes = (self.name == "riscv").then_some(RISCV)?;
        isaglot_model::compiled::from_bytes(bytes).ok().map(|(_, isa)| isa)
    }

    /// The text of a file of it.
    pub fn file(&self, name: &str) -> Option<&'static str> {
        self.files.iter().find(|f| f.0 == name).map(|f| f.1)
    }
}

const ALL: &[Shipped] = &[
    Shipped {
        name: "minnow",
        assembly: Assembly::Templates,
        files: &[("minnow.xml", include_str!("../../../specs/minnow/minnow.xml"))],
    },
    Shipped {
        name: "riscv",
        assembly: Assembly::Riscv,
        files: &[
            ("riscv.xml", include_str!("../../../specs/riscv/riscv.xml")),
            ("registers.xml", include_str!("../../../specs/riscv/registers.xml")),
            ("extensions.xml", include_str!("../../../specs/riscv/extensions.xml")),
            ("values.xml", include_str!("../../../specs/riscv/values.xml")),
            ("base.xml", include_str!("../../../specs/riscv/base.xml")),
            ("m.xml", include_str!("../../../specs/riscv/m.xml")),
            ("a.xml", include_str!("../../../specs/riscv/a.xml")),
            ("zalasr.xml", include_str!("../../../specs/riscv/zalasr.xml")),
            ("zicsr.xml", include_str!("../../../specs/riscv/zicsr.xml")),
            ("priv.xml", include_str!("../../../specs/riscv/priv.xml")),
            ("f.xml", include_str!("../../../specs/riscv/f.xml")),
            ("d.xml", include_str!("../../../specs/riscv/d.xml")),
            ("zb.xml", include_str!("../../../specs/riscv/zb.xml")),
            ("zk.xml", include_str!("../../../specs/riscv/zk.xml")),
            ("zicond.xml", include_str!("../../../specs/riscv/zicond.xml")),
            ("c.xml", include_str!("../../../specs/riscv/c.xml")),
            ("zcb.xml", include_str!("../../../specs/riscv/zcb.xml")),
            ("v.xml", include_str!("../../../specs/riscv/v.xml")),
            ("zv.xml", include_str!("../../../specs/riscv/zv.xml")),
            ("zf.xml", include_str!("../../../specs/riscv/zf.xml")),
            ("zfinx.xml", include_str!("../../../specs/riscv/zfinx.xml")),
            ("za.xml", include_str!("../../../specs/riscv/za.xml")),
            ("zc.xml", include_str!("../../../specs/riscv/zc.xml")),
            ("zi.xml", include_str!("../../../specs/riscv/zi.xml")),
            ("xext.xml", include_str!("../../../specs/riscv/xext.xml")),
        ],
    },
    Shipped {
        name: "trio",
        assembly: Assembly::Templates,
        files: &[("trio.xml", include_str!("../../../specs/trio/trio.xml"))],
    },
    #[cfg(feature = "xe")]
    Shipped { name: "xe", assembly: Assembly::Templates, files: &isaglot_xe::FILES },
];

/// What descriptions that are made of RISC-V's published formats share: registers, enums, lengths.
pub const FORMATS: Shipped = Shipped {
    name: "riscv-formats",
    assembly: Assembly::Templates,
    files: &[
        ("formats.xml", include_str!("../../../specs/riscv/formats.xml")),
        ("values.xml", include_str!("../../../specs/riscv/values.xml")),
        ("registers.xml", include_str!("../../../specs/riscv/registers.xml")),
    ],
};

/// What these formats do not say of operands and texts.
pub const FORMAT_OPERANDS: &str = include_str!("../../../specs/riscv/formats.operands");

/// Whether a description of that name prints aliases unless told otherwise, as LLVM does.
pub fn prints_aliases(name: &str) -> bool {
    ["udb", "opcodes"].contains(&name)
}

/// The description of this name.
pub fn find(name: &str) -> Option<&'static Shipped> {
    ALL.iter().find(|e| e.name == name)
}

/// What the assembly of a description is, by the name that it gives itself.
pub fn assembly(name: &str) -> Assembly {
    find(name).map_or(Assembly::Templates, |found| found.assembly)
}

/// All names.
pub fn names() -> Vec<&'static str> {
    ALL.iter().map(|e| e.name).collect()
}

/// The operand tables of LLVM targets, by the name of the target's file.
const OPERANDS: &[(&str, &str)] = &[
    ("amdgpu", include_str!("../../../specs/llvm/amdgpu.operands")),
    ("avr", include_str!("../../../specs/llvm/avr.operands")),
    ("bpf", include_str!("../../../specs/llvm/bpf.operands")),
    ("lanai", include_str!("../../../specs/llvm/lanai.operands")),
    ("loongarch", include_str!("../../../specs/llvm/loongarch.operands")),
    ("msp430", include_str!("../../../specs/llvm/msp430.operands")),
    ("ppc", include_str!("../../../specs/llvm/ppc.operands")),
    ("riscv", include_str!("../../../specs/llvm/riscv.operands")),
    ("sparc", include_str!("../../../specs/llvm/sparc.operands")),
    ("systemz", include_str!("../../../specs/llvm/systemz.operands")),
];

/// The operand table for a target whose file has this name.
pub fn operands(name: &str) -> Option<&'static str> {
    OPERANDS.iter().find(|(n, _)| *n == name).map(|(_, text)| *text)
}

/// What fields are to instructions in descriptions of others, by the name of the description's file.
const ROLES: &[(&str, &str)] = &[
    ("etnaviv", include_str!("../../../specs/roles/etnaviv.roles.xml")),
    ("ir3", include_str!("../../../specs/roles/ir3.roles.xml")),
];

/// The roles for a description whose file has this name.
pub fn roles(name: &str) -> Option<&'static str> {
    ROLES.iter().find(|(n, _)| *n == name).map(|(_, text)| *text)
}
