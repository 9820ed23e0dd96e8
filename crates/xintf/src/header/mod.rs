//! Headers: what a program includes to call the commands of an interface with a compiler that knows nothing of them.
//!
//! Every instruction is written with the assembler's `.insn r`, so stock gcc, clang and rustc do. `xext` is pure (same
//! operands at one level give the same handle), so it is written in such a way that a compiler may merge and move it;
//! a command may be merged only if its interface calls it `pure`. Beside the mangled names there is one constant per
//! interface that ends in `_`, which no mangled name does: the register value that names device 0.

mod asm;
mod c;
mod rust;

use isaglot_riscv::Xlen;

use crate::ast::{Command, Interface, Purity};
use crate::name::mangle;
use crate::profile::{GenericInst, Profile};
use crate::uuid::{self, FALLBACK, MAX_NARROW, id_word};

/// The language of a header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lang {
    /// C89 with `__asm__`, C++, and assembly that goes through the preprocessor (`.S`).
    C,
    /// GNU assembler syntax without a preprocessor (`.s`).
    Asm,
    /// A Rust module, `no_std`.
    Rust,
}

/// The header for some interfaces. They have to be without errors; a command without a number is left out.
pub fn header(interfaces: &[&Interface], profile: &Profile, lang: Lang) -> String {
    match lang {
        Lang::C => c::header(interfaces, profile),
        Lang::Asm => asm::header(interfaces, profile),
        Lang::Rust => rust::header(interfaces, profile),
    }
}

/// `.insn r` and its three numbers, up to the registers.
fn insn(profile: &Profile, op: GenericInst) -> String {
    let r = profile.r_type(op);
    format!(".insn r {:#04x}, {}, {:#04x}", r.opcode, r.funct3, r.funct7)
}

/// What a header needs to know of an interface.
struct Unit<'a> {
    interface: &'a Interface,
    /// The mangled name.
    base: String,
    uuid: u64,
}

impl Unit<'_> {
    /// The register value that names device 0, where the width has one.
    fn id(&self, xlen: Xlen) -> Option<u64> {
        (self.uuid <= uuid::max(xlen)).then(|| id_word(self.uuid, 0, xlen))
    }

    fn is_wide(&self) -> bool {
        self.uuid > MAX_NARROW
    }

    /// The logical unit number, which only the fallback interfaces have.
    fn lun(&self) -> Option<usize> {
        FALLBACK.iter().position(|n| *n == self.interface.name.text)
    }

    fn commands(&self) -> impl Iterator<Item = (GenericInst, &Command)> {
        self.interface.commands.iter().filter_map(|c| c.k.map(|k| (GenericInst::Xcmd(k), c)))
    }
}

fn units<'a>(interfaces: &[&'a Interface]) -> Vec<Unit<'a>> {
    let unit = |&interface: &&'a Interface| {
        let uuid = interface.uuid?.value?;
        Some(Unit { interface, base: mangle(&interface.name.text), uuid })
    };
    interfaces.iter().filter_map(unit).collect()
}

/// The names of the parameters that travel in rs1 and in rs2.
fn order(command: &Command) -> (&'static str, &'static str) {
    if command.swapped { ("rs2", "rs1") } else { ("rs1", "rs2") }
}

fn is_pure(command: &Command) -> bool {
    command.purity == Purity::Pure
}

/// Lines of documentation, the first one saying which name this is.
fn doc(title: &str, text: &str) -> Vec<String> {
    let mut lines = vec![title.to_owned()];
    lines.extend(text.lines().map(|l| l.replace("*/", "* /")));
    lines
}
