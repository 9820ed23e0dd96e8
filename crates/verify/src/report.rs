//! What a check finds, as plain data. [`crate::diagnostics`] turns it into messages, [`crate::json`] into JSON.

use isaglot_asm::assemble::Hazard;
use isaglot_bits::{BitRange, Count, Pattern, Word};
use isaglot_model::{EncodingId, EnumId, ExprId, FeatureId, GenRange, Name, SpaceId, TemplateId};
use isaglot_source::{Diagnostic, Span};

/// A word, with a gen for which it shows what it is a witness of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Witness {
    /// The word; bit 0 is the least significant.
    pub word: Word,
    /// The gen.
    pub generation: u32,
}

/// Two words with one text, for one gen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pair {
    /// The first.
    pub a: Word,
    /// The second.
    pub b: Word,
    /// The gen.
    pub generation: u32,
}

/// How the patterns of two encodings relate to each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Relation {
    /// The same words.
    Equal,
    /// The first has all words of the second.
    FirstContains,
    /// The second has all words of the first.
    SecondContains,
    /// Some words are in both.
    Partial,
}

impl Relation {
    /// `equal`, `contains`, `inside` or `partial`, seen from the first.
    pub fn name(self) -> &'static str {
        match self {
            Relation::Equal => "equal",
            Relation::FirstContains => "contains",
            Relation::SecondContains => "inside",
            Relation::Partial => "partial",
        }
    }
}

/// Two encodings that claim a word and between which nothing decides.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OverlapPair {
    /// Where both are.
    pub space: SpaceId,
    /// The earlier one.
    pub a: EncodingId,
    /// The later one.
    pub b: EncodingId,
    /// The gens that have both.
    pub gens: GenRange,
    /// Features that must be on for both to be there; others do not matter.
    pub features: Vec<FeatureId>,
    /// How they relate to each other.
    pub relation: Relation,
    /// The words in both.
    pub words: Pattern,
    /// A word in both, and if possible in no third.
    pub witness: Word,
}

/// An encoding no word of which is ever decoded as it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unreachable {
    /// It.
    pub encoding: EncodingId,
    /// Those that take its words away.
    pub by: Vec<EncodingId>,
}

/// How much of a space is claimed, for some gens and features.
#[derive(Clone, Debug)]
pub struct Coverage {
    /// The space.
    pub space: SpaceId,
    /// The gens: one class, in which the same encodings exist.
    pub gens: GenRange,
    /// The features that are on.
    pub features: Vec<FeatureId>,
    /// The words that are counted: all of the space, or of one length. Those that an earlier rule for lengths gives
    /// another one are not among them.
    pub universe: Pattern,
    /// How many that are.
    pub total: Count,
    /// Encodings of this class.
    pub encodings: usize,
    /// Words that at least one encoding has. `None`: beyond the budget.
    pub claimed: Option<Count>,
    /// Words that conflict.
    pub conflicting: Option<Count>,
    /// Words that none has.
    pub free: Option<Count>,
    /// The largest free patterns, largest first.
    pub holes: Option<Vec<Pattern>>,
    /// The same by opcode, where the description says which bits that is, or the caller.
    pub opcodes: Option<Opcodes>,
}

/// What is free for each value of some bits.
#[derive(Clone, Debug)]
pub struct Opcodes {
    /// The bits, most significant first.
    pub bits: Vec<BitRange>,
    /// A row for each value that words of the universe have, in ascending order.
    pub rows: Vec<OpcodeRow>,
}

/// The words with one value of the bits.
#[derive(Clone, Debug)]
pub struct OpcodeRow {
    /// The value.
    pub value: u64,
    /// All of them.
    pub total: Count,
    /// Those that no encoding has. `None`: beyond the budget.
    pub free: Option<Count>,
}

/// Where a name stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Place {
    /// In a display.
    Template(TemplateId),
    /// In an expression.
    Expr(ExprId),
}

/// A field through which a sub-encoding is used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Use {
    /// The display name of what has the field.
    pub owner: String,
    /// The field.
    pub field: Name,
    /// Where it is defined.
    pub span: Span,
}

/// A name that in some case nothing defines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unresolved {
    /// The encoding in whose scope it was looked up.
    pub encoding: EncodingId,
    /// The name.
    pub name: Name,
    /// Where it stands.
    pub place: Place,
    /// The fields through which the scope was entered, and that do not pass the name; empty for an instruction.
    pub uses: Vec<Use>,
    /// A word that shows it; `None` if no text ever needs it.
    pub witness: Option<Witness>,
}

/// An encoding whose words, some or all, have no text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Silent {
    /// The encoding.
    pub encoding: EncodingId,
    /// A word.
    pub witness: Witness,
}

/// What is the matter with a case.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum CaseProblem {
    /// Its guard never holds.
    Never,
    /// Its guard always holds, so it is not an exception.
    Always,
    /// Its text is never chosen: an earlier case always comes first.
    Shadowed,
}

/// A case that is not what it seems.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CaseFinding {
    /// Where the case stands.
    pub span: Span,
    /// The text of its guard.
    pub guard: String,
    /// What it is.
    pub problem: CaseProblem,
    /// Encodings that have the case.
    pub encodings: Vec<EncodingId>,
}

/// What a format loses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FormatProblem {
    /// A number that is not hexadecimal follows `0x`.
    Prefix,
    /// A yes-or-no text for more than one bit.
    WideBool,
    /// A floating-point text that many values share.
    Float,
}

/// A reference whose text does not give the value back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FormatFinding {
    /// The display.
    pub template: TemplateId,
    /// Where the field is defined.
    pub field: Span,
    /// The field.
    pub name: Name,
    /// What is lost.
    pub problem: FormatProblem,
    /// A word that prints it.
    pub witness: Witness,
}

/// What is the matter with an enum.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EnumProblem {
    /// Two entries have the value; the second never counts. Indices of both.
    SameValue(usize, usize),
    /// Two values have one text. Indices of both.
    SameText(usize, usize),
    /// No field is wide enough for the value. The index, and the width of the widest field.
    OutOfRange(usize, u32),
    /// Values that a field of this width can have and that have no text; how many, and the first of them.
    Gaps(u32, u64, Vec<u64>),
}

/// A finding about an enum.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EnumFinding {
    /// The enum.
    pub id: EnumId,
    /// What it is.
    pub problem: EnumProblem,
}

/// How something was decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// Cube algebra over pattern bits.
    Cubes,
    /// Decision diagrams over all bits: equal to enumerating every word.
    Diagrams,
    /// Decision diagrams, and an automaton that reads the text in one way only.
    Automaton,
}

impl Method {
    /// `cubes`, `diagrams` or `automaton`.
    pub fn name(self) -> &'static str {
        match self {
            Method::Cubes => "cubes",
            Method::Diagrams => "diagrams",
            Method::Automaton => "automaton",
        }
    }
}

/// The answer to a question about an encoding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It holds for every word.
    Proved(Method),
    /// It does not hold, and there is a witness in the report.
    Refuted(Method),
    /// It was not decided, and why.
    Undecided(String),
    /// The question does not apply: there is no text.
    None,
}

impl Verdict {
    /// `yes`, `no`, `undecided` or `-`.
    pub fn name(&self) -> &'static str {
        match self {
            Verdict::Proved(_) => "yes",
            Verdict::Refuted(_) => "no",
            Verdict::Undecided(_) => "undecided",
            Verdict::None => "-",
        }
    }
}

/// A line of the table of proofs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// The encoding.
    pub encoding: EncodingId,
    /// No other encoding of its space claims one of its words.
    pub unique: Verdict,
    /// Its fields hold every bit that is not fixed or don't-care, so that encoding what was decoded gives the word.
    pub round_trip: Verdict,
    /// No two of its words have one text.
    pub text: Verdict,
}

/// Bits that in some words do not show in the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SharedText {
    /// The encoding.
    pub encoding: EncodingId,
    /// Bits that can change alone without a change of the text; 0 if only several together can.
    pub bits: Word,
    /// The fields of these bits, with the bits that belong to them.
    pub fields: Vec<(Name, Word)>,
    /// Two words.
    pub pair: Pair,
}

/// Bits that belong to no field in some words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LostBits {
    /// The encoding.
    pub encoding: EncodingId,
    /// The bits.
    pub bits: Word,
    /// A word with such a bit set.
    pub witness: Witness,
}

/// Something that was not decided.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Undecided {
    /// The question.
    pub what: String,
    /// Why there is no answer.
    pub why: String,
    /// What it is about.
    pub span: Span,
}

/// All findings about one instruction set.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// Encodings that claim the same words.
    pub overlaps: Vec<OverlapPair>,
    /// Encodings that are never decoded.
    pub unreachable: Vec<Unreachable>,
    /// Counts and holes.
    pub coverage: Vec<Coverage>,
    /// Names that resolve nowhere.
    pub unresolved: Vec<Unresolved>,
    /// Encodings without a text.
    pub silent: Vec<Silent>,
    /// Cases that never, always or uselessly apply.
    pub cases: Vec<CaseFinding>,
    /// Texts that an assembler may take for something else than an instruction; what is not here is proved.
    pub displays: Vec<Hazard>,
    /// Formats that lose something.
    pub formats: Vec<FormatFinding>,
    /// Enums.
    pub enums: Vec<EnumFinding>,
    /// Texts that two words share.
    pub shared: Vec<SharedText>,
    /// Bits that no field holds.
    pub lost: Vec<LostBits>,
    /// What is wrong with packers, and what looks like a mistake.
    pub lints: Vec<Diagnostic>,
    /// The table of proofs: encodings of the spaces that hold instructions.
    pub rows: Vec<Row>,
    /// What was not decided.
    pub undecided: Vec<Undecided>,
}
