//! The grammar as plain data: what the Khronos files say, after the kind fix-ups, before any look-up structure.
//!
//! Written by the importer (from JSON) and by the table reader (from our own text), compiled by `compile` into the
//! look-up tables that the assembler and the disassembler use. Everything is sorted, so that the same grammar always
//! gives the same bytes. Shared with the build script, hence nothing but `std`.

/// How often an operand occurs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quantifier {
    /// Exactly once.
    One,
    /// Once or not at all.
    Optional,
    /// Any number of times.
    Repeat,
}

/// One operand of an instruction or parameter of an enumerant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GrammarOperand {
    /// Grammar kind: `IdRef`, `LiteralInteger`, an enum kind, `PairLiteralIntegerIdRef`…
    pub kind: String,
    /// How often.
    pub quantifier: Quantifier,
    /// What the specification calls it; may be empty.
    pub name: String,
}

/// What decides whether something may be used, and what it is also called.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Availability {
    /// First core version `1.n` that has it; `None` when only an extension or capability brings it.
    pub since: Option<u8>,
    /// Last core version `1.n` that has it.
    pub last: Option<u8>,
    /// Capabilities, any of which enables it.
    pub capabilities: Vec<String>,
    /// Extensions, any of which enables it.
    pub extensions: Vec<String>,
    /// Other spellings.
    pub aliases: Vec<String>,
    /// Not final.
    pub provisional: bool,
}

/// A member of an enum kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Enumerant {
    /// Its value; for a mask kind usually one bit.
    pub value: u32,
    /// Its canonical name.
    pub name: String,
    /// Operands that follow it.
    pub parameters: Vec<GrammarOperand>,
    /// Availability and aliases.
    pub when: Availability,
}

/// A kind of operand with named values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EnumKind {
    /// Grammar name; kinds of an extended set carry the set's name and a colon in front.
    pub name: String,
    /// Values are or-ed together.
    pub mask: bool,
    /// What messages call it.
    pub phrase: String,
    /// Members by value.
    pub enumerants: Vec<Enumerant>,
}

/// A core instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Op {
    /// Opcode.
    pub opcode: u16,
    /// Name with `Op`.
    pub name: String,
    /// Chapter of the specification.
    pub class: String,
    /// Operands, result type and result included.
    pub operands: Vec<GrammarOperand>,
    /// Availability and aliases.
    pub when: Availability,
}

/// How the name of an import chooses an extended set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Match {
    /// The whole name.
    Exact,
    /// The name begins so.
    Prefix,
    /// Never: listed for completeness, another rule takes its imports.
    Off,
}

/// An extended instruction set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Set {
    /// Import name, or its beginning.
    pub name: String,
    /// How imports choose it.
    pub rule: Match,
    /// Non-semantic: numbers are accepted, unknown ones too, and extra ids may follow.
    pub open: bool,
    /// Instructions by number.
    pub instructions: Vec<Instruction>,
}

/// An instruction of an extended set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Instruction {
    /// Its number.
    pub number: u32,
    /// Its name.
    pub name: String,
    /// Operands after the number.
    pub operands: Vec<GrammarOperand>,
    /// Capabilities and extensions.
    pub when: Availability,
}

/// A generator number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Vendor {
    /// High half of the generator word.
    pub number: u16,
    /// Vendor, and tool if named, as the header comment prints them.
    pub text: String,
}

/// A whole grammar.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Model {
    /// Version of the headers, such as `1.6.7`.
    pub revision: String,
    /// Generators by number.
    pub vendors: Vec<Vendor>,
    /// Enum kinds by name.
    pub kinds: Vec<EnumKind>,
    /// Instructions by opcode.
    pub ops: Vec<Op>,
    /// Extended sets by name.
    pub sets: Vec<Set>,
}

/// Operand kinds without named values, in the order of their numbers in the compiled tables.
pub const PLAIN_KINDS: [(&str, &str); 11] = [
    ("IdResultType", "type ID"),
    ("IdResult", "result ID"),
    ("IdRef", "ID"),
    ("IdScope", "scope ID"),
    ("IdMemorySemantics", "memory semantics ID"),
    ("LiteralInteger", "literal number"),
    ("LiteralString", "literal string"),
    ("LiteralFloat", "literal number"),
    ("LiteralContextDependentNumber", "possibly multi-word literal number"),
    ("LiteralExtInstInteger", "extension instruction number"),
    ("LiteralSpecConstantOpInteger", "OpSpecConstantOp opcode"),
];

impl Availability {
    /// Whether this is one of its other spellings.
    fn is_alias(&self, name: &str) -> bool {
        self.aliases.iter().any(|alias| alias == name)
    }
}

impl Model {
    /// The instruction of an opcode.
    pub fn op(&self, opcode: u16) -> Option<&Op> {
        self.ops.binary_search_by_key(&opcode, |op| op.opcode).ok().and_then(|i| self.ops.get(i))
    }

    /// The instruction of a name or alias, with `Op`.
    pub fn op_named(&self, name: &str) -> Option<&Op> {
        self.ops.iter().find(|op| op.name == name || op.when.is_alias(name))
    }

    /// The enum kind of a name, such as `Decoration`.
    pub fn kind(&self, name: &str) -> Option<&EnumKind> {
        self.kinds.iter().find(|kind| kind.name == name)
    }

    /// The extended set of a name, such as `GLSL.std.450`.
    pub fn set(&self, name: &str) -> Option<&Set> {
        self.sets.iter().find(|set| set.name == name)
    }
}

impl EnumKind {
    /// The member with a value.
    pub fn enumerant(&self, value: u32) -> Option<&Enumerant> {
        self.enumerants.iter().find(|member| member.value == value)
    }

    /// The member with a name or alias.
    pub fn named(&self, name: &str) -> Option<&Enumerant> {
        self.enumerants.iter().find(|member| member.name == name || member.when.is_alias(name))
    }
}

impl Set {
    /// The instruction of a number.
    pub fn instruction(&self, number: u32) -> Option<&Instruction> {
        self.instructions.iter().find(|one| one.number == number)
    }

    /// The instruction of a name.
    pub fn named(&self, name: &str) -> Option<&Instruction> {
        self.instructions.iter().find(|one| one.name == name)
    }
}
