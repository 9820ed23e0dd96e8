//! What a description becomes: plain tables, written once and never changed.
//!
//! There are two halves. *Exact*: the description itself, flattened: cases with guards, fields, templates. It answers
//! every question by the rules of the language, errors included. *Quick*: one straight program per instruction, which
//! prints it if nothing is wrong with it, mostly by copying finished texts that a few bits of the word pick.
//!
//! Bit 0 is the least significant bit; words are 64-bit limbs, the least significant first.

/// Limbs of the widest instruction.
pub const LIMBS: usize = 4;

/// The most expressions that one encoding has.
pub const MEMO: usize = 64;

/// The most fields and nodes of one expression.
pub const NODES: usize = 128;

/// A word in limbs.
pub type Limbs = [u64; LIMBS];

/// No entry.
pub const NONE: u32 = u32::MAX;

/// A range of another table: first, and one past the last.
pub type Range = (u32, u32);

/// All tables of an instruction set for one gen.
#[derive(Clone, Copy, Debug)]
pub struct Isa<'t> {
    /// The gen.
    pub generation: u32,
    /// Width in bits of the longest instruction.
    pub max_bits: u32,
    /// Width in bits of the unit that instructions are fetched in.
    pub parcel_bits: u32,
    /// Least significant byte first.
    pub little: bool,
    /// Values read by texts and expressions are cut to this many bits.
    pub value_bits: u32,
    /// Whether there is a space that refuses.
    pub refuses: bool,
    /// How the first parcel tells the width: care, value, bits. Empty where all instructions have `max_bits`.
    pub lengths: &'t [(u64, u64, u32)],
    /// The space in which instructions are decided.
    pub root: u32,
    /// Sets of encodings among which a value is decided.
    pub spaces: &'t [Space],
    /// Nodes of decision trees.
    pub tree: &'t [Node],
    /// Entries of nodes: a node, [`ONE`] and an encoding, or [`LIST`] and a list.
    pub entries: &'t [u32],
    /// Ranges of `listed`.
    pub lists: &'t [Range],
    /// Encodings to compare with in full.
    pub listed: &'t [u32],
    /// Encodings.
    pub leaves: &'t [Encoding<'t>],
    /// What is cut out of patterns: places in `limbs` of care and value bits.
    pub excepts: &'t [u32],
    /// Texts of which the text of an instruction must contain one: like entries of `picks`.
    pub needs: &'t [u32],
    /// Limbs of patterns.
    pub limbs: &'t [u64],
    /// Cases of encodings: places in `cases`.
    pub case_lists: &'t [u32],
    /// Bits that are so unless a text says otherwise: encoding, limb, bits, value.
    pub preferred: &'t [(u32, u32, u64, u64)],
    /// Definitions that hold under a guard.
    pub cases: &'t [Case<'t>],
    /// Definitions of fields.
    pub fields: &'t [Field],
    /// Bits of fields.
    pub pieces: &'t [Piece],
    /// Fields that a nested encoding sees: outer name, inner name.
    pub params: &'t [(u32, u32)],
    /// Bits that must have a value: low, width, and the place of the value in `limbs`.
    pub asserts: &'t [(u32, u32, u32)],
    /// Expressions.
    pub exprs: &'t [Expr],
    /// Fields of expressions, by name.
    pub expr_fields: &'t [u32],
    /// Nodes of expressions.
    pub expr_nodes: &'t [Calc],
    /// Templates: ranges of `parts`.
    pub templates: &'t [Range],
    /// Parts of templates.
    pub parts: &'t [Part<'t>],
    /// Enums and register files: ranges of `values`.
    pub enums: &'t [Range],
    /// Values of enums with their texts.
    pub values: &'t [(u64, &'t str)],
    /// Names of fields.
    pub names: &'t [&'t str],
    /// Steps of quick programs.
    pub ops: &'t [Op],
    /// Finished texts by the bits that pick them: first byte in `text` × 256 + length; [`NONE`] where the exact half has
    /// to print.
    pub picks: &'t [u32],
    /// Where a program continues, by the bits that decide: places in `ops`.
    pub jumps: &'t [u32],
    /// Bits that are gathered.
    pub runs: &'t [Run],
    /// What is printed as a number: a value, and a place in `ways` or `references`.
    pub scalars: &'t [(u32, u32)],
    /// Ways of printing: fields of which type and width count.
    pub ways: &'t [(Type, u32)],
    /// What custom fields are asked for by.
    pub references: &'t [&'t str],
    /// Decisions: a value, where to go on if it is not 0, and where if it is.
    pub ifs: &'t [(u32, u32, u32)],
    /// Nested encodings: value, width, space, first of `targets`.
    pub subs: &'t [(u32, u32, u32, u32)],
    /// Per encoding of a space: where its program begins, and bits that it does not care for.
    pub targets: &'t [(u32, u64)],
    /// What a value must be if the exact half is not to print.
    pub expects: &'t [(u32, u64)],
    /// Values of the quick half.
    pub calcs: &'t [Calc],
    /// Bytes of texts, with [`PAD`] more at the end.
    pub text: &'t [u8],
}

/// The tables that are run: those that are given. A generated codec has only its own, and this gives them, so that a
/// compiler knows what is in them.
#[inline(always)]
#[must_use]
pub fn these<'t>(given: &'t Isa<'t>) -> &'t Isa<'t> {
    given
}

/// Bytes after the last text, so that a short copy never runs over.
pub const PAD: usize = 32;

/// Marks an entry as the number of a list.
pub const LIST: u32 = 1 << 31;

/// Marks an entry as the number of the only encoding that can match.
pub const ONE: u32 = 1 << 30;

/// The entry of a list.
pub const fn list(number: u32) -> u32 {
    LIST | number
}

/// The entry of an encoding.
pub const fn one(number: u32) -> u32 {
    ONE | number
}

/// A set of encodings.
#[derive(Clone, Copy, Debug)]
pub struct Space {
    /// Where its tree begins: like an entry.
    pub root: u32,
    /// Of several matches the first counts.
    pub first_wins: bool,
    /// A value of a field in the text that is none of its encodings makes the whole word invalid.
    pub refuses: bool,
    /// The first of its encodings; those of a space are neighbours.
    pub first: u32,
}

/// A node of a decision tree: looks at `mask` bits from `shift` on.
#[derive(Clone, Copy, Debug)]
pub struct Node {
    /// The limb.
    pub limb: u8,
    /// The lowest bit.
    pub shift: u8,
    /// As many low ones as bits.
    pub mask: u32,
    /// The first entry.
    pub base: u32,
}

/// A node: its members in order.
pub const fn node(limb: u8, shift: u8, mask: u32, base: u32) -> Node {
    Node { limb, shift, mask, base }
}

/// An encoding.
#[derive(Clone, Copy, Debug)]
pub struct Encoding<'t> {
    /// Its name in the description.
    pub name: &'t str,
    /// The mnemonic.
    pub display: &'t str,
    /// Width in bits.
    pub width: u32,
    /// Care, value and don't-care bits, one after another, each [`LIMBS`] limbs of `limbs`.
    pub pattern: u32,
    /// Has don't-care bits.
    pub dont_care: bool,
    /// Fields alone do not say which word they are of.
    pub knotted: bool,
    /// Range of `excepts`.
    pub except: Range,
    /// Range of `case_lists`.
    pub cases: Range,
    /// Where its quick program begins, for an instruction.
    pub program: u32,
    /// Range of `needs`; empty if nothing is known.
    pub needs: Range,
    /// It may print a code address.
    pub branches: bool,
}

/// An encoding: its names; width, pattern, don't-care bits, knotted; exceptions and cases; program, needs, branches.
pub const fn leaf<'t>(
    (name, display): (&'t str, &'t str),
    (width, pattern, dont_care, knotted): (u32, u32, bool, bool),
    (except, cases): (Range, Range),
    (program, needs, branches): (u32, Range, bool),
) -> Encoding<'t> {
    Encoding { name, display, width, pattern, dont_care, knotted, except, cases, program, needs, branches }
}

/// Definitions that hold under a guard.
#[derive(Clone, Copy, Debug)]
pub struct Case<'t> {
    /// The expression; [`NONE`] for always.
    pub guard: u32,
    /// Range of `fields`.
    pub fields: Range,
    /// Range of `asserts`.
    pub asserts: Range,
    /// The text; [`NONE`] if it has none.
    pub template: u32,
    /// The name that messages about asserts say.
    pub owner: &'t str,
}

/// A case: its members in order.
pub const fn case(guard: u32, fields: Range, asserts: Range, template: u32, owner: &str) -> Case<'_> {
    Case { guard, fields, asserts, template, owner }
}

/// A field as one case defines it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Field {
    /// Its name.
    pub name: u32,
    /// How it reads.
    pub ty: Type,
    /// Width in bits.
    pub width: u32,
    /// The expression that it is; [`NONE`] if it is bits.
    pub derived: u32,
    /// Range of `pieces`, the most significant first.
    pub pieces: Range,
    /// Range of `params`.
    pub params: Range,
}

/// A field: its members in order.
pub const fn field(name: u32, ty: Type, width: u32, derived: u32, pieces: Range, params: Range) -> Field {
    Field { name, ty, width, derived, pieces, params }
}

/// A part of a field: `width` bits of the word from `lo` on, or constant bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Piece {
    /// The lowest bit; [`NONE`] for constant bits.
    pub lo: u32,
    /// How many.
    pub width: u32,
    /// Constant bits.
    pub implied: u64,
}

/// Bits of the word: lowest, width.
pub const fn bits(lo: u32, width: u32) -> Piece {
    Piece { lo, width, implied: 0 }
}

/// Constant bits.
pub const fn implied(width: u32, implied: u64) -> Piece {
    Piece { lo: NONE, width, implied }
}

/// How a value reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Type {
    /// Signed decimal.
    Int,
    /// Unsigned decimal.
    Uint,
    /// Hexadecimal.
    Hex,
    /// Nothing for 0, else signed decimal with its sign.
    Offset,
    /// Nothing for 0, else `+` and decimal.
    Uoffset,
    /// A floating-point number.
    Float,
    /// 32 bits in decimal.
    Bool,
    /// 1 for 0, else 0.
    BoolInv,
    /// The one text of this enum if not 0.
    Flag(u32),
    /// The one text of this enum if 0.
    FlagInv(u32),
    /// A code address: absolute, call, bytes per unit (0 for one instruction).
    Branch(bool, bool, u32),
    /// Printed by the program.
    Custom,
    /// A text of this enum, else 32 bits in decimal.
    Enum(u32),
    /// A text of this enum, else decimal.
    Register(u32),
    /// Decided in this space.
    Sub(u32),
}

/// An expression.
#[derive(Clone, Copy, Debug)]
pub struct Expr {
    /// Range of `expr_fields`.
    pub fields: Range,
    /// Range of `expr_nodes`, operands before operators; the last is the value.
    pub nodes: Range,
}

/// A node of an expression. Operands are places: in the expression, or in `calcs`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Calc {
    /// A constant.
    Const(u64),
    /// The value of a field of the expression.
    Field(u32),
    /// The gen.
    Gen,
    /// Bits of the word: lowest, width.
    Bits(u32, u32),
    /// An operator with one operand.
    Unary(Unary, Int, u32),
    /// An operator with two.
    Binary(Binary, Int, u32, u32),
    /// The second if the first is not 0, else the third.
    Select(u32, u32, u32),
    /// The operand wrapped to a type.
    Cast(Int, u32),
}

/// An integer type: width in bits, and whether the top bit counts negative.
pub type Int = (u8, bool);

/// Operators with one operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Unary {
    /// `-x`
    Negate,
    /// `~x`
    Not,
    /// `!x`
    LogicalNot,
}

/// Operators with two operands. Division by zero gives 0; shifts are modulo the width.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Binary {
    /// `+`
    Add,
    /// `-`
    Sub,
    /// `*`
    Mul,
    /// `/`
    Div,
    /// `%`
    Rem,
    /// `&`
    And,
    /// `|`
    Or,
    /// `^`
    Xor,
    /// `<<`
    Shl,
    /// `>>`
    Shr,
    /// `==`
    Eq,
    /// `!=`
    Ne,
    /// `<`
    Lt,
    /// `<=`
    Le,
    /// `>`
    Gt,
    /// `>=`
    Ge,
    /// `&&`
    LogicalAnd,
    /// `||`
    LogicalOr,
}

/// A part of a template.
#[derive(Clone, Copy, Debug)]
pub enum Part<'t> {
    /// Bytes as they are.
    Literal(&'t [u8]),
    /// Padding up to a column.
    Align(u32),
    /// The mnemonic: column, and what it is called in the template.
    Mnemonic(u32, &'t str),
    /// A field: name, column, and what it is called in the template.
    Field(u32, u32, &'t str),
}

/// A step of a quick program: what it does, up to two runs of bits that pick or decide, and a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Op(pub Code, pub Run, pub Run, pub u32);

/// Neighbouring bits of a word, put where they belong in an index: limb, rotation to the right, mask.
pub type Run = (u8, u8, u16);

/// No bits.
pub const X: Run = (0, 0, 0);

/// What a step does. The bits of [`Op`] are those of its runs; for many runs, the first says how many and has the place
/// in `runs` for a mask. `n` is its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Code {
    /// The program, or the part that was called, is at its end.
    End,
    /// The exact half has to print this.
    Bail,
    /// Copy the text `n`.
    Text,
    /// Copy the text that the bits pick, from `n` on.
    Pick,
    /// The same for many runs.
    PickMany,
    /// Call what the bits decide, from `n` on.
    Call,
    /// The same for many runs.
    CallMany,
    /// Go on where the bits decide.
    Jump,
    /// The same for many runs.
    JumpMany,
    /// Go on at `n`.
    Goto,
    /// Print bits in the way `n`: those of the first run's limb from its rotation on, as many as its mask says.
    Bits,
    /// Print the scalar `n`.
    Scalar,
    /// Print the scalar `n`, a code address.
    Branch,
    /// Let the program print the scalar `n`.
    Custom,
    /// Pad up to column `n`.
    Align,
    /// Call one of the two places of the decision `n`.
    If,
    /// Call the program of the nested encoding `n`.
    Sub,
    /// The exact half has to print this unless the expectation `n` is met.
    Expect,
}
