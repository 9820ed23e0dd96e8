//! The syntax tree of a definition file: what was written and where, right or wrong.
//!
//! Nothing here is checked except the spelling of names; [`crate::check`] says what is wrong with it.

use isaglot_source::{FileId, Span};

/// One definition file.
#[derive(Clone, Debug)]
pub struct File {
    /// The file.
    pub file: FileId,
    /// `import(…)` lines in order.
    pub imports: Vec<Name>,
    /// Interfaces in order.
    pub interfaces: Vec<Interface>,
}

/// An interface name as written, without blanks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Name {
    /// The name; it may be illegal, which was then reported.
    pub text: String,
    /// Where it stands.
    pub span: Span,
    /// Whether it is legal.
    pub valid: bool,
}

/// `pkg:Name{ uuid: … commands }`.
#[derive(Clone, Debug)]
pub struct Interface {
    /// The name.
    pub name: Name,
    /// The number; `None` when there is no readable `uuid` line.
    pub uuid: Option<Uuid>,
    /// There was a `uuid` line that could not be read; it was reported.
    pub uuid_broken: bool,
    /// Commands in order.
    pub commands: Vec<Command>,
    /// Variables that the commands keep between calls.
    pub state: Vec<StateDecl>,
    /// The documentation before it; empty if there is none.
    pub doc: String,
    /// From its name to its closing brace.
    pub span: Span,
}

/// The number of an interface.
#[derive(Clone, Copy, Debug)]
pub struct Uuid {
    /// As written; `None` when it does not even fit 64 bits.
    pub value: Option<u64>,
    /// The literal.
    pub span: Span,
}

/// `name rd rs1 rs2 : xcmdK rd rs1 rs2` and what may follow it.
#[derive(Clone, Debug)]
pub struct Command {
    /// The name; it may be illegal.
    pub name: String,
    /// Where the name stands.
    pub name_span: Span,
    /// Whether the name is legal.
    pub valid: bool,
    /// The command number; `None` when it does not fit 32 bits.
    pub k: Option<u32>,
    /// The word `xcmdK`.
    pub k_span: Span,
    /// The right side is `rd rs2 rs1`: the second parameter travels in rs1.
    pub swapped: bool,
    /// Why the operand lists are wrong, and where; `None` when they are right.
    pub bad_operands: Option<(Span, String)>,
    /// `pure` or `stateful`; stateful is what nothing was said about is taken for.
    pub purity: Purity,
    /// The text between the braces of `semantics { … }`.
    pub semantics: Option<Semantics>,
    /// The documentation before it, or its `doc "…"`; empty if there is none.
    pub doc: String,
    /// From its name to its end.
    pub span: Span,
}

/// Whether equal calls may be merged.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Purity {
    /// Nothing was said: as [`Purity::Stateful`].
    #[default]
    Unsaid,
    /// The result depends on the operands alone and nothing else happens: a compiler may merge, move and drop calls.
    Pure,
    /// Every call counts.
    Stateful,
}

/// What a command does, in the semantics language; kept as text until something runs or proves it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Semantics {
    /// The text between the braces.
    pub text: String,
    /// Its place, so that its parser can point into the file.
    pub span: Span,
}

/// `state name [: bits] [= initial]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StateDecl {
    /// The variable.
    pub name: String,
    /// Its width in bits; `None` for that of a register.
    pub width: Option<u32>,
    /// Its value at reset.
    pub initial: u64,
    /// Where its name stands.
    pub span: Span,
}
