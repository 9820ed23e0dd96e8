//! The syntax tree: what the XML says, with a place for everything, before any name is looked up.
//!
//! Reading never fails as a whole: a part that is malformed is reported and left out, and the tree around it says so
//! (`complete`), so that later checks do not report its consequences.

use isaglot_source::{FileId, Span};

use crate::expr::CExpr;
use crate::text::Text;

/// A whole number and where it stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Int {
    /// The number.
    pub value: i64,
    /// The digits.
    pub span: Span,
}

/// One file.
#[derive(Clone, Debug, Default)]
pub struct File {
    /// Which.
    pub id: FileId,
    /// The root element says `dialect="isaglot"`: the extensions are on.
    pub dialect: bool,
    /// What the description calls itself (extension).
    pub name: Option<Text>,
    /// `<import>`, in order.
    pub imports: Vec<Import>,
    /// `<expr>`.
    pub exprs: Vec<ExprDecl>,
    /// `<template>`.
    pub templates: Vec<TemplateDecl>,
    /// `<enum>`.
    pub enums: Vec<EnumDecl>,
    /// `<bitset>`.
    pub bitsets: Vec<Bitset>,
    /// `<format>` (extension).
    pub formats: Vec<Format>,
    /// `<registers>` (extension).
    pub registers: Vec<Registers>,
    /// `<feature>` (extension).
    pub features: Vec<FeatureDecl>,
    /// `<gen-name>` (extension).
    pub gen_names: Vec<GenNameDecl>,
    /// `<table>` (extension).
    pub tables: Vec<TableDecl>,
    /// `<expansion>` (extension).
    pub expansions: Vec<ExpansionDecl>,
    /// `<parameter>` (extension).
    pub parameters: Vec<ParameterDecl>,
    /// `<extern>` (extension).
    pub externs: Vec<ExternDecl>,
    /// Names of `<trap>` (extension).
    pub traps: Vec<Text>,
    /// The root element.
    pub span: Span,
}

/// `<import file="..."/>`
#[derive(Clone, Debug)]
pub struct Import {
    /// The file, relative to the directory of the top file.
    pub file: Text,
    /// The element.
    pub span: Span,
}

/// `<expr>`, at the top or inside an element.
#[derive(Clone, Debug)]
pub struct ExprDecl {
    /// Its name; one without is named by a counter.
    pub name: Option<Text>,
    /// The text as written, braces included.
    pub text: Text,
    /// The parsed text; `None` if it is malformed, which was reported.
    pub parsed: Option<CExpr>,
    /// The element.
    pub span: Span,
}

/// `<template>`
#[derive(Clone, Debug)]
pub struct TemplateDecl {
    /// Its name.
    pub name: Text,
    /// The text, without white space around it.
    pub text: Text,
}

/// `<enum>`
#[derive(Clone, Debug)]
pub struct EnumDecl {
    /// Its name.
    pub name: Text,
    /// Its values, in order.
    pub values: Vec<ValueDecl>,
    /// The element.
    pub span: Span,
}

/// `<value>` of an enum.
#[derive(Clone, Debug)]
pub struct ValueDecl {
    /// The number as written.
    pub val: Text,
    /// The number; `None` if it is malformed, which was reported.
    pub number: Option<u64>,
    /// How it prints, C escapes not yet replaced.
    pub display: Text,
    /// A name for generated code.
    pub name: Option<Text>,
    /// The element.
    pub span: Span,
}

/// `<bitset>`
#[derive(Clone, Debug, Default)]
pub struct Bitset {
    /// Its name.
    pub name: Text,
    /// The name that `{NAME}` prints.
    pub display_name: Option<Text>,
    /// The width, if it is a root.
    pub size: Option<Int>,
    /// The bitset that it refines, if it is not.
    pub extends: Option<Text>,
    /// `<gen>`, in order.
    pub gens: Vec<GenLimit>,
    /// `<pattern>`.
    pub patterns: Vec<PatternDecl>,
    /// `<override>`, in order.
    pub overrides: Vec<Override>,
    /// What holds without a condition.
    pub default: CaseDecl,
    /// Attributes of `<meta>`, in order.
    pub meta: Vec<(String, String)>,
    /// The first `<encode>`; with the extensions, all.
    pub encodes: Vec<Encode>,
    /// It has a `<decode>`.
    pub decode: bool,
    /// `<doc>`, in order.
    pub docs: Vec<Text>,
    /// Width in bits where instructions have several (extension).
    pub width: Option<Int>,
    /// In a root: `conflict` or `most-specific`, what happens when two leaves match (extension).
    pub overlap: Option<Text>,
    /// What it needs of the features (extension).
    pub features: Option<Requirement>,
    /// `<except>` (extension).
    pub excepts: Vec<ExceptDecl>,
    /// `<operand>` (extension).
    pub operands: Vec<OperandDecl>,
    /// `<flow>` (extension).
    pub flow: Option<FlowDecl>,
    /// `<semantics>` (extension).
    pub semantics: Option<SemanticsDecl>,
    /// The element.
    pub span: Span,
    /// No part of it was left out.
    pub complete: bool,
}

/// The `features` of a bitset or the `excludes` of a feature (extension): a formula over names of features.
#[derive(Clone, Debug)]
pub enum Requirement {
    /// This feature is on.
    Feature(Text),
    /// Does not hold.
    Not(Box<Requirement>),
    /// All hold.
    All(Vec<Requirement>),
    /// At least one holds.
    Any(Vec<Requirement>),
}

impl Requirement {
    /// The names in it, in order.
    pub fn names(&self) -> Vec<&Text> {
        match self {
            Requirement::Feature(name) => vec![name],
            Requirement::Not(inner) => inner.names(),
            Requirement::All(list) | Requirement::Any(list) => list.iter().flat_map(Requirement::names).collect(),
        }
    }
}

/// `<gen min="" max=""/>`
#[derive(Clone, Copy, Debug)]
pub struct GenLimit {
    /// First.
    pub min: Option<Int>,
    /// Last.
    pub max: Option<Int>,
}

/// `<pattern>` or `<assert>`: bits of known value.
#[derive(Clone, Debug)]
pub struct PatternDecl {
    /// Lowest bit.
    pub low: u32,
    /// The digits, most significant first: `0`, `1`, and in a pattern `x`. Their number is the width.
    pub digits: Text,
    /// An XML comment after it on the same line: the name of the bits.
    pub comment: Option<String>,
    /// The element.
    pub span: Span,
}

impl PatternDecl {
    /// Width in bits.
    pub fn width(&self) -> u32 {
        self.digits.value.len() as u32
    }

    /// Highest bit.
    pub fn high(&self) -> u32 {
        self.low + self.width().saturating_sub(1)
    }
}

/// `<except bits="">` (extension): words whose bits have this value are no such instruction.
#[derive(Clone, Debug)]
pub struct ExceptDecl {
    /// The bits, most significant first; all of them of the word.
    pub pieces: Vec<PieceDecl>,
    /// Digits `0`, `1` and `x`, as many as bits.
    pub digits: Text,
    /// The element.
    pub span: Span,
}

/// `<override>`
#[derive(Clone, Debug)]
pub struct Override {
    /// Its condition; `None` if it has none, which was reported.
    pub condition: Option<ExprRef>,
    /// What holds under it.
    pub case: CaseDecl,
    /// Its text is an alias, for assemblers and readers who ask for aliases (extension).
    pub alias: bool,
}

/// An expression by name, or written in place.
#[derive(Clone, Debug)]
pub enum ExprRef {
    /// By name.
    Name(Text),
    /// In place.
    Inline(Box<ExprDecl>),
}

/// The definitions of an `<override>`, or those of a bitset outside its overrides.
#[derive(Clone, Debug, Default)]
pub struct CaseDecl {
    /// `<derived>`, in order.
    pub derived: Vec<DerivedDecl>,
    /// `<assert>`, in order.
    pub asserts: Vec<PatternDecl>,
    /// `<field>`, in order.
    pub fields: Vec<FieldDecl>,
    /// The last `<display>`, without white space around it, C escapes and templates not yet replaced.
    pub display: Option<Text>,
    /// The element.
    pub span: Span,
}

/// `<field>`
#[derive(Clone, Debug)]
pub struct FieldDecl {
    /// Its name.
    pub name: Text,
    /// Which bits, most significant first.
    pub pieces: Vec<PieceDecl>,
    /// Where that is said.
    pub range_span: Span,
    /// Its type.
    pub ty: Text,
    /// The text of a bool.
    pub display: Option<Text>,
    /// A branch that comes back.
    pub call: bool,
    /// `<param>`, in order.
    pub params: Vec<ParamDecl>,
    /// `<doc>`.
    pub doc: Option<Text>,
    /// Extensions.
    pub role: Role,
    /// The element.
    pub span: Span,
}

/// A part of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PieceDecl {
    /// Bits of the word, both ends included.
    Bits {
        /// Lowest.
        low: u32,
        /// Highest.
        high: u32,
    },
    /// Constant bits that are not in the word (extension).
    Implied {
        /// How many.
        width: u32,
        /// Their value.
        value: u64,
    },
}

impl PieceDecl {
    /// Width in bits.
    pub fn width(self) -> u32 {
        match self {
            PieceDecl::Bits { low, high } => high - low + 1,
            PieceDecl::Implied { width, .. } => width,
        }
    }
}

/// `<param name="" as=""/>`
#[derive(Clone, Debug)]
pub struct ParamDecl {
    /// The name outside.
    pub name: Text,
    /// The name inside.
    pub as_name: Text,
}

/// `<derived>`
#[derive(Clone, Debug)]
pub struct DerivedDecl {
    /// Its name.
    pub name: Text,
    /// Its type.
    pub ty: Text,
    /// Its value; `None` if it has none, which was reported.
    pub expr: Option<ExprRef>,
    /// Width in bits, for sign extension; 1 unless said.
    pub width: u32,
    /// Where the width is said.
    pub width_span: Option<Span>,
    /// The text of a bool.
    pub display: Option<Text>,
    /// A branch that comes back.
    pub call: bool,
    /// `<doc>`.
    pub doc: Option<Text>,
    /// Extensions.
    pub role: Role,
    /// The element.
    pub span: Span,
}

/// What a field is to the instruction (extension): attributes `role`, `access`, `registers`, `count`, `unit`.
#[derive(Clone, Debug, Default)]
pub struct Role {
    /// `register`, `immediate`, `label` or `address`.
    pub role: Option<Text>,
    /// `read`, `write` or `readwrite`.
    pub access: Option<Text>,
    /// The register file, where the field's type does not say it.
    pub registers: Option<Text>,
    /// How many registers, or bytes of memory.
    pub count: Option<Int>,
    /// Bytes per unit of a branch.
    pub unit: Option<Int>,
    /// A register that is written is read too where this is not 0: parts of it keep their value.
    pub keeps: Option<ExprDecl>,
}

/// `<encode>`
#[derive(Clone, Debug)]
pub struct Encode {
    /// The language of that program (extension); C unless said.
    pub language: Option<Text>,
    /// The type of a program's own data.
    pub ty: Option<Text>,
    /// Prefix of the names of the leaves in that program.
    pub case_prefix: Option<Text>,
    /// `<map>`, in order.
    pub maps: Vec<MapDecl>,
    /// The element.
    pub span: Span,
}

/// `<map>`
#[derive(Clone, Debug)]
pub struct MapDecl {
    /// The field.
    pub name: Text,
    /// The expression in the program's language.
    pub text: Text,
    /// Packed even when no text shows the field.
    pub force: bool,
    /// The language of the expression (extension); that of the `<encode>` unless said.
    pub language: Option<Text>,
    /// The element.
    pub span: Span,
}

/// `<format parcel="" byte-order="" opcode="">` (extension): how instructions lie in memory.
#[derive(Clone, Debug)]
pub struct Format {
    /// The unit of fetching, in bits.
    pub parcel: Option<Int>,
    /// `little` or `big`.
    pub byte_order: Option<Text>,
    /// The bits of the major opcode, most significant first.
    pub opcode: Option<OpcodeDecl>,
    /// `<length>`, in order.
    pub lengths: Vec<LengthDecl>,
    /// The element.
    pub span: Span,
}

/// `opcode="6:2"` (extension): bits of the word.
#[derive(Clone, Debug)]
pub struct OpcodeDecl {
    /// The bits, most significant first.
    pub pieces: Vec<PieceDecl>,
    /// The attribute's text.
    pub span: Span,
}

/// `<length size="" opcode="">pattern</length>` (extension): instructions whose first parcel looks so have this size.
#[derive(Clone, Debug)]
pub struct LengthDecl {
    /// Digits `0`, `1` and `x`, most significant first.
    pub digits: Text,
    /// The size in bits.
    pub size: Int,
    /// The bits of the major opcode of instructions of this size.
    pub opcode: Option<OpcodeDecl>,
    /// The element.
    pub span: Span,
}

/// `<registers>` (extension): a register file.
#[derive(Clone, Debug)]
pub struct Registers {
    /// Its name, used as a field type.
    pub name: Text,
    /// Width of one register: bits, or the name of a parameter.
    pub width: Option<Text>,
    /// How many.
    pub count: Int,
    /// What stands before the number in a register's name; without it only named registers print a name.
    pub prefix: Option<Text>,
    /// The register that is always zero.
    pub zero: Option<Int>,
    /// Names of the components of which several registers of consecutive numbers are made: `x y z w`.
    pub components: Vec<Text>,
    /// The number in the first register's name.
    pub first: Option<Int>,
    /// The file in whose bytes they lie.
    pub within: Option<Text>,
    /// The gens on which they do.
    pub within_gens: GenLimit,
    /// `<same>` and `<none>`, in order.
    pub ranges: Vec<RegisterRange>,
    /// `<register>`, in order.
    pub registers: Vec<RegisterDecl>,
    /// The element.
    pub span: Span,
}

/// `<same from="" to="" registers=""/>` or `<none from="" to=""/>` (extension): numbers that are the registers of another
/// file, or no registers.
#[derive(Clone, Debug)]
pub struct RegisterRange {
    /// First number.
    pub from: Int,
    /// Last number.
    pub to: Int,
    /// The other file, whose first register is that of the first number.
    pub registers: Option<Text>,
}

/// `<register number="" name="" alias=""/>` (extension)
#[derive(Clone, Debug)]
pub struct RegisterDecl {
    /// Which.
    pub number: Int,
    /// How it prints.
    pub name: Option<Text>,
    /// Further names, separated by blanks.
    pub aliases: Vec<Text>,
}

/// `<feature name="" implies="" excludes="" default="">` (extension)
#[derive(Clone, Debug)]
pub struct FeatureDecl {
    /// Its name.
    pub name: Text,
    /// Features that come with it.
    pub implies: Vec<Text>,
    /// What cannot hold where it is on.
    pub excludes: Option<Requirement>,
    /// On unless said otherwise.
    pub default: bool,
    /// `<doc>`.
    pub doc: Option<Text>,
    /// The element.
    pub span: Span,
}

/// `<gen-name name="" value=""/>` (extension)
#[derive(Clone, Debug)]
pub struct GenNameDecl {
    /// The name.
    pub name: Text,
    /// The gen.
    pub value: Int,
}

/// `<operand registers="" register="" access=""/>` (extension): a register that is not in the word.
#[derive(Clone, Debug)]
pub struct OperandDecl {
    /// The file.
    pub registers: Text,
    /// The register's name.
    pub register: Text,
    /// `read`, `write` or `readwrite`.
    pub access: Option<Text>,
    /// There is such an operand only where this is not 0.
    pub when: Option<ExprDecl>,
    /// Which registers from that one on: bit `n` is the `n`-th.
    pub mask: Option<ExprDecl>,
    /// The element.
    pub span: Span,
}

/// `<flow to="" target=""/>` (extension)
#[derive(Clone, Debug)]
pub struct FlowDecl {
    /// `next`, `branch`, `jump`, `call`, `indirect`, `indirect-call`, `return`, `trap` or `end`.
    pub to: Text,
    /// The field with the target.
    pub target: Option<Text>,
    /// The element.
    pub span: Span,
}

/// `<table name="" width="">rows</table>` (extension): rows of bits in hexadecimal, reached by index.
#[derive(Clone, Debug)]
pub struct TableDecl {
    /// Its name.
    pub name: Text,
    /// Width of a row in bits.
    pub width: Int,
    /// The rows.
    pub rows: Vec<u128>,
    /// The element.
    pub span: Span,
}

/// `<expansion name="" size="">` (extension): a short form and what it becomes.
#[derive(Clone, Debug)]
pub struct ExpansionDecl {
    /// Its name, as `compact` attributes of `<meta>` give it.
    pub name: Text,
    /// Width of the short form in bits.
    pub size: Int,
    /// `<pattern>`: what makes a word a short form.
    pub patterns: Vec<PatternDecl>,
    /// `<gen>`, in order.
    pub gens: Vec<GenLimit>,
    /// `<step>`, in order.
    pub steps: Vec<StepDecl>,
    /// The element.
    pub span: Span,
}

/// `<step from="" to="" table="" when="" extend="" copies=""/>` (extension)
#[derive(Clone, Debug)]
pub struct StepDecl {
    /// Bits of the short form.
    pub from: Vec<PieceDecl>,
    /// Bits of the long form.
    pub to: Vec<PieceDecl>,
    /// The table whose row is placed.
    pub table: Option<Text>,
    /// When it applies.
    pub when: Option<ExprDecl>,
    /// Sign-extend to this width.
    pub extend: Option<Int>,
    /// How often the value is placed.
    pub copies: Option<Int>,
    /// The element.
    pub span: Span,
}

/// `<semantics>` (extension): what the instruction does.
#[derive(Clone, Debug)]
pub struct SemanticsDecl {
    /// The text as written.
    pub text: Text,
    /// The parsed text; `None` if it is malformed, which was reported.
    pub tree: Option<isaglot_semantics::Tree>,
    /// The element.
    pub span: Span,
}

/// `<parameter name="">` (extension): a number that depends on the gen.
#[derive(Clone, Debug)]
pub struct ParameterDecl {
    /// Its name.
    pub name: Text,
    /// `<value min="" max="" is=""/>`, in order: first and last gen, and the number.
    pub values: Vec<(GenLimit, Int)>,
    /// The element.
    pub span: Span,
}

/// `<extern name="" args="" result=""/>` (extension): something outside that semantics may call.
#[derive(Clone, Debug)]
pub struct ExternDecl {
    /// Its name.
    pub name: Text,
    /// Widths of its arguments.
    pub args: Vec<Text>,
    /// Width of its result.
    pub result: Option<Text>,
    /// The element.
    pub span: Span,
}
