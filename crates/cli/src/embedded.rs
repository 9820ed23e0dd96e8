//! The descriptions of `specs/` that the tool carries with it.

use crate::subject::Kind;

/// A description: its name, what its assembly is, and its files, the top one first.
#[derive(Debug)]
pub(crate) struct Embedded {
    name: &'static str,
    kind: Kind,
    files: &'static [(&'static str, &'static str)],
}

impl Embedded {
    /// The name of the top file.
    pub(crate) fn top(&self) -> &'static str {
        self.files.first().map_or("", |f| f.0)
    }

    /// The text of a file of it.
    pub(crate) fn file(&self, name: &str) -> Option<&'static str> {
        self.files.iter().find(|f| f.0 == name).map(|f| f.1)
    }
}

const ALL: &[Embedded] = &[
    Embedded {
        name: "minnow",
        kind: Kind::Templates,
        files: &[("minnow.xml", include_str!("../../../specs/minnow/minnow.xml"))],
    },
    Embedded {
        name: "riscv",
        kind: Kind::Riscv,
        files: &[
            ("riscv.xml", include_str!("../../../specs/riscv/riscv.xml")),
            ("base.xml", include_str!("../../../specs/riscv/base.xml")),
            ("m.xml", include_str!("../../../specs/riscv/m.xml")),
            ("a.xml", include_str!("../../../specs/riscv/a.xml")),
            ("zicsr.xml", include_str!("../../../specs/riscv/zicsr.xml")),
            ("priv.xml", include_str!("../../../specs/riscv/priv.xml")),
            ("f.xml", include_str!("../../../specs/riscv/f.xml")),
            ("d.xml", include_str!("../../../specs/riscv/d.xml")),
            ("zb.xml", include_str!("../../../specs/riscv/zb.xml")),
            ("c.xml", include_str!("../../../specs/riscv/c.xml")),
            ("xext.xml", include_str!("../../../specs/riscv/xext.xml")),
        ],
    },
    Embedded {
        name: "trio",
        kind: Kind::Templates,
        files: &[("trio.xml", include_str!("../../../specs/trio/trio.xml"))],
    },
    Embedded { name: "xe", kind: Kind::Templates, files: &isaglot_xe::FILES },
];

/// The description of this name.
pub(crate) fn find(name: &str) -> Option<&'static Embedded> {
    ALL.iter().find(|e| e.name == name)
}

/// What the assembly of a description is, by the name that it gives itself.
pub(crate) fn kind(name: &str) -> Kind {
    find(name).map_or(Kind::Templates, |e| e.kind)
}

/// All names.
pub(crate) fn names() -> Vec<&'static str> {
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
pub(crate) fn operands(name: &str) -> Option<&'static str> {
    OPERANDS.iter().find(|(n, _)| *n == name).map(|(_, text)| *text)
}

/// What fields are to instructions in descriptions of others, by the name of the description's file.
const ROLES: &[(&str, &str)] = &[
    ("etnaviv", include_str!("../../../specs/roles/etnaviv.roles.xml")),
    ("ir3", include_str!("../../../specs/roles/ir3.roles.xml")),
];

/// The roles for a description whose file has this name.
pub(crate) fn roles(name: &str) -> Option<&'static str> {
    ROLES.iter().find(|(n, _)| *n == name).map(|(_, text)| *text)
}
