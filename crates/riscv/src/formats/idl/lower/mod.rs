//! From a text in IDL to a text in the semantics language, for one register width.
//!
//! The problem: IDL has loops, functions, early returns, variables that change and values that depend on the register
//! width; the semantics language has none of these, so that every engine stays simple. The method: the text is *run* on
//! values that are partly known ([`graph`]). What is constant is computed, so loops unroll and functions disappear;
//! variables are only names for values; an `if` on something unknown runs both sides and joins what they leave ([`run`]). Effects
//! (registers, memory, traps) are written down in order, each with the conditions under which it happens ([`state`]), and
//! that list is the text that comes out ([`emit`]). Its size is linear in the number of steps.
//!
//! The invariant: what comes out does what the text says, also where the text is wrong. What IDL leaves undefined ends the
//! instruction with the trap [`UNDEFINED`]. What cannot be said in the semantics language is refused with the reason.

mod call;
mod emit;
mod expr;
mod graph;
mod join;
mod memory;
mod run;
mod state;
mod value;

use isaglot_semantics::{Env, Extern, Symbol};
use isaglot_source::{Diagnostic, Span};

use super::program::Program;
use super::syntax::Stmt;
use crate::Xlen;
use crate::formats::Field;

/// The trap of what IDL leaves undefined: a bit outside of a value, a failed `assert`, `unpredictable`.
pub const UNDEFINED: &str = "undefined";

/// A field of the instruction, as the text sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DecodeField {
    /// Its name.
    pub name: String,
    /// Its width, with implied zeros.
    pub width: u32,
    /// It is in two's complement.
    pub signed: bool,
    /// How the semantics language names its bits: `imm`, or `#rd` for the number of a register operand.
    pub number: String,
}

impl DecodeField {
    /// A field of the database, under its own name.
    pub fn of(field: &Field) -> DecodeField {
        let width = field.bits.len() as u32;
        DecodeField { name: field.name.clone(), width, signed: field.signed, number: field.name.clone() }
    }
}

/// What the machine is that the text is lowered for.
#[derive(Clone, Debug)]
pub struct Target {
    /// The register width.
    pub xlen: Xlen,
    /// Extensions that it does not have; it has all others.
    pub absent: Vec<String>,
    /// Parameters that are true or false.
    pub flags: Vec<(String, bool)>,
    /// Parameters that are texts.
    pub texts: Vec<(String, String)>,
}

impl Target {
    /// A machine with all of the unprivileged architecture and no levels below the highest, that traps where it may.
    pub fn user(xlen: Xlen) -> Target {
        let flags = [
            "MISA_CSR_IMPLEMENTED",
            "PRECISE_SYNCHRONOUS_EXCEPTIONS",
            "TRAP_ON_EBREAK",
            "TRAP_ON_ECALL_FROM_M",
            "TRAP_ON_UNIMPLEMENTED_CSR",
        ];
        Target {
            xlen,
            absent: ["S", "U", "H"].map(str::to_owned).to_vec(),
            flags: flags.map(|f| (f.to_owned(), true)).to_vec(),
            texts: vec![("LRSC_MISALIGNED_BEHAVIOR".to_owned(), "always raise misaligned exception".to_owned())],
        }
    }
}

/// Why a text is not lowered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// What kind of reason it is: `floating-point`, `vector`, `state`, `parameter`, `loop`, `unsupported`, `too-large`.
    pub class: &'static str,
    /// The reason.
    pub message: String,
    /// Where it is.
    pub span: Span,
}

impl core::fmt::Display for Refusal {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "{}: {}", self.class, self.message)
    }
}

impl core::error::Error for Refusal {}

/// A text in the semantics language.
#[derive(Clone, Debug, Default)]
pub struct Lowered {
    /// The text.
    pub text: String,
    /// The names of its traps, sorted.
    pub traps: Vec<String>,
    /// What the text does that can hardly be meant.
    pub findings: Vec<Diagnostic>,
}

/// The names that lowered texts use: integer registers, what the machine does, the fields of the instruction as immediates.
pub fn environment(xlen: u32, fields: &[DecodeField], traps: &[String]) -> Env {
    let mut env = Env::new(&[("xlen", xlen)]);
    env.file("x", xlen, 32);
    let externs: [(&str, Vec<u32>, Option<u32>); 5] = [
        ("csr_read", vec![12], Some(xlen)),
        ("csr_write", vec![12, xlen], None),
        ("reserve", vec![xlen], None),
        ("reserved", vec![xlen], Some(1)),
        ("fence_i", vec![], None),
    ];
    for (name, args, result) in externs {
        env.add_extern(Extern { name: name.to_owned(), args, result });
    }
    for field in fields {
        env.operand(&field.number, Symbol::Immediate { width: field.width });
    }
    for trap in traps {
        env.trap(trap);
    }
    env
}

/// Lowers the statements of an instruction.
///
/// # Errors
/// The reason why they have no form in the semantics language.
pub fn lower(program: &Program, target: &Target, fields: &[DecodeField], body: &[Stmt]) -> Result<Lowered, Refusal> {
    let mut run = state::Run::new(program, target, fields);
    run.whole(body)?;
    emit::text(run)
}
