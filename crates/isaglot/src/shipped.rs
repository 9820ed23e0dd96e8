//! The descriptions of `specs/` that the library carries with it.
//!
//! | name | what it describes |
//! |---|---|
//! | `minnow` | a small machine for teaching |
//! | `riscv` | RISC-V: RV32 and RV64 with their extensions as features |
//! | `trio` | a machine with bundles of three instructions |
//! | `xe` | the binary form of Intel Xe (with the feature `xe`) |

use isaglot_specs as specs;

use crate::packed::{self, Packed};

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
    files: Files,
}

#[derive(Debug)]
enum Files {
    Plain(&'static [specs::File]),
    Packed(&'static Packed),
}

impl Shipped {
    /// The name of the top file.
    pub fn top(&self) -> &'static str {
        match self.files {
            Files::Plain(files) => files.first().map_or("", |file| file.0),
            Files::Packed(packed) => packed.first(),
        }
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
        // The build has checked what it compiled; to do so again takes four times as long as to read it.
        isaglot_model::compiled::from_known_bytes(bytes).ok().map(|(_, isa)| isa)
    }

    /// The text of a file of it.
    pub fn file(&self, name: &str) -> Option<&'static str> {
        match self.files {
            Files::Plain(files) => specs::find(files, name),
            Files::Packed(packed) => packed.find(name),
        }
    }
}

const ALL: &[Shipped] = &[
    Shipped { name: "minnow", assembly: Assembly::Templates, files: Files::Plain(specs::MINNOW) },
    Shipped { name: "riscv", assembly: Assembly::Riscv, files: Files::Packed(&packed::RISCV) },
    Shipped { name: "trio", assembly: Assembly::Templates, files: Files::Plain(specs::TRIO) },
    #[cfg(feature = "xe")]
    Shipped { name: "xe", assembly: Assembly::Templates, files: Files::Plain(isaglot_xe::FILES) },
];

/// What descriptions that are made of RISC-V's published formats share: registers, enums, lengths.
pub const FORMATS: Shipped =
    Shipped { name: "riscv-formats", assembly: Assembly::Templates, files: Files::Plain(specs::RISCV_FORMATS) };

/// What these formats do not say of operands and texts.
pub const FORMAT_OPERANDS: &str = specs::RISCV_OPERANDS;

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

/// The operand table for a target whose file has this name.
pub fn operands(name: &str) -> Option<&'static str> {
    packed::LLVM.find(name)
}

/// The roles for a description whose file has this name.
pub fn roles(name: &str) -> Option<&'static str> {
    specs::find(specs::ROLES, name)
}
