//! RISC-V as others publish it: the Unified Database (UDB) and riscv-opcodes.
//!
//! The problem: each format says something about every instruction and none says all: UDB has bits, conditions and
//! behaviour, but no kinds of operands and no texts; riscv-opcodes has bits and files, LLVM's records have texts. People
//! want one model of each, and want to know *exactly* where they differ.
//!
//! The method: each front end makes a [`Table`]: instructions with their words, fields and conditions, and a place for
//! everything. All that comes after works on tables, and knows no format:
//!
//! ```text
//!  udb (YAML tree, overlay, configuration) ─┐             ┌─► lower:   isaspec's syntax tree ─► Isa ─► every engine
//!  opcodes (lines, arg_lut.csv)            ─┼─► Table ────┼─► compare: exact word sets, classes of differences
//!  of_isa (the shipped description, LLVM)  ─┘             └─► check:   overlaps under a condition, dangling names
//! ```
//!
//! Operand kinds and texts that the formats lack come from one file beside the description, `specs/riscv/formats.operands`.
//! `lower` makes the syntax tree of isaspec's dialect and not the model itself, so that what an attribute means is written
//! once, and the same tree can be written as XML: that is how the shipped description gets the instructions that the
//! formats have. Places in the tree are places in the YAML or in the lines.

pub mod check;
pub mod compare;
pub mod formula;
pub mod idl;
pub mod lower;
pub mod of_isa;
pub mod opcodes;
mod roles;
pub mod shipped;
pub mod udb;
pub mod words;
pub mod yaml;

use isaglot_bits::Pattern;
use isaglot_source::Span;

use crate::Xlen;

/// What one format says of RISC-V.
#[derive(Clone, Debug, Default)]
pub struct Table {
    /// What it is called in messages: `udb`, `opcodes`, `shipped`, `llvm`.
    pub name: String,
    /// The instructions, in an order that does not depend on the file system.
    pub instructions: Vec<Instruction>,
    /// The extensions.
    pub extensions: Vec<Extension>,
    /// The control and status registers, by number.
    pub csrs: Vec<Csr>,
    /// What the texts of instructions use.
    pub program: idl::Program,
}

/// A control and status register.
#[derive(Clone, Debug)]
pub struct Csr {
    /// Its name as the format writes it: `mstatus`.
    pub name: String,
    /// Its number in instructions.
    pub number: u32,
    /// Where it is.
    pub span: Span,
}

/// An instruction as one format describes it.
#[derive(Clone, Debug, Default)]
pub struct Instruction {
    /// Its name as the format writes it: `c.addi4spn`.
    pub name: String,
    /// Where the name is.
    pub span: Span,
    /// The instruction whose words it takes, where the format says that it is only another reading of them.
    pub special_case_of: Option<String>,
    /// Its words per register width; `None` where it does not exist.
    pub encodings: [Option<Encoding>; 2],
    /// When an implementation has it.
    pub condition: Formula,
    /// The operands as the format writes them, with their place.
    pub operands: Option<(String, Span)>,
    /// A short description.
    pub doc: String,
    /// What it does in UDB's language, with the place of its first byte.
    pub idl: Option<(String, Span)>,
    /// What UDB says beside this.
    pub notes: Notes,
}

/// What UDB says of an instruction beside its words and what it does: for pages and explanations.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Notes {
    /// Privilege mode (`s`, `u`, `vs`, `vu`, `m`), and whether it may run there: `always`, `sometimes`, `never`.
    pub access: Vec<(String, String)>,
    /// Its time does not depend on data where Zkt is implemented.
    pub data_independent_timing: Option<bool>,
    /// Files of instructions that live in the words of this one: `inst/Zihintntl/ntl.p1.yaml#`.
    pub hints: Vec<String>,
    /// Other texts of it: a condition over the fields in UDB's language, and the text. They are not reliable.
    pub pseudo: Vec<(String, String)>,
    /// Its behaviour is given in the language Sail too.
    pub sail: bool,
    /// The bits are given by opcodes of a type (`format`), and not by a pattern (`encoding`).
    pub typed: bool,
}

impl Instruction {
    /// The words for a register width.
    pub fn encoding(&self, xlen: Xlen) -> Option<&Encoding> {
        self.encodings[usize::from(xlen == Xlen::Rv64)].as_ref()
    }
}

/// The words of an instruction for one register width.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Encoding {
    /// Width in bits: 16, 32 or 48.
    pub width: u32,
    /// The fixed bits.
    pub pattern: Pattern,
    /// The operand fields. With the fixed bits they partition the word in sound data.
    pub fields: Vec<Field>,
    /// Words that match the pattern and are not this instruction, where they are not values of one field.
    pub except: Vec<Pattern>,
}

/// An operand field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field {
    /// Its name as the format writes it.
    pub name: String,
    /// For each bit of the value, most significant first, the bit of the word; `None` is an implied zero.
    pub bits: Vec<Option<u32>>,
    /// The value is in two's complement, as the format says.
    pub signed: bool,
    /// Values, implied zeros included, whose words are not this instruction.
    pub not: Vec<u64>,
    /// The register file, where the format says it: `X`, `F` or `V`.
    pub file: Option<String>,
    /// `R`, `W` or `RW`, where the format says it.
    pub access: Option<String>,
    /// Another name of it.
    pub alias: Option<String>,
    /// Where it is.
    pub span: Span,
}

/// An extension of the instruction set.
#[derive(Clone, Debug, Default)]
pub struct Extension {
    /// Its name as the format writes it: `Zba`.
    pub name: String,
    /// What must hold where it is implemented; extensions that it brings along are said here.
    pub requires: Formula,
    /// Its versions, as written; none where the format has no versions.
    pub versions: Vec<Release>,
    /// All of it is ratified.
    pub ratified: bool,
    /// A short description.
    pub doc: String,
    /// Where it is.
    pub span: Span,
}

/// One version of an extension.
#[derive(Clone, Debug, Default)]
pub struct Release {
    /// Its number: `1.13.0`.
    pub version: String,
    /// What must hold where it is implemented, beside what the extension requires.
    pub requires: Formula,
    /// It is not compatible with the versions before it.
    pub breaking: bool,
}

/// A condition on an implementation.
#[derive(Clone, Debug, PartialEq, Eq, Default, Hash)]
pub enum Formula {
    /// Holds always.
    #[default]
    True,
    /// This extension is implemented, in a version that meets all requirements (`>= 1.0`), if there are any.
    Extension(String, Vec<String>),
    /// The register width.
    Xlen(u32),
    /// A condition on a parameter of the implementation: not decided by extensions alone.
    Parameter(ParameterTest),
    /// A condition in UDB's language: not decided by extensions alone.
    Idl(String),
    /// Does not hold.
    Not(Box<Formula>),
    /// All hold.
    All(Vec<Formula>),
    /// At least one holds.
    Any(Vec<Formula>),
    /// Exactly one holds.
    One(Vec<Formula>),
}

/// A test of a parameter.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ParameterTest {
    /// The parameter.
    pub name: String,
    /// The element of it that is tested; `None` is all of it.
    pub index: Option<u64>,
    /// Its number of elements is tested.
    pub size: bool,
    /// How it is compared.
    pub test: Comparison,
    /// What it is compared with: one value, for [`Comparison::OneOf`] several.
    pub values: Vec<Constant>,
}

/// How a parameter is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Comparison {
    /// It is the value.
    Equal,
    /// It is another value.
    NotEqual,
    /// It is smaller.
    Less,
    /// It is greater.
    Greater,
    /// It is not greater.
    LessOrEqual,
    /// It is not smaller.
    GreaterOrEqual,
    /// It is one of the values.
    OneOf,
    /// The value is one of its elements.
    Includes,
}

/// A value of a parameter.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Constant {
    /// A number.
    Int(i128),
    /// A truth value.
    Bool(bool),
    /// A text.
    Text(String),
    /// A list.
    List(Vec<Constant>),
}
