//! What an operand table says, as data. `docs/llvm-targets.md` describes the language.
//!
//! The problem: how an operand is decoded and printed is C++ in LLVM; the records only name the functions. The method: a
//! small text per target gives each name a meaning in terms of the model, so that no target needs code.

mod compute;
mod flat;
pub(crate) mod formula;
pub(crate) mod hook;
mod mode;
pub(crate) mod read;
mod tokens;

use std::sync::Arc;

use isaglot_bits::Pattern;
use isaglot_model::ByteOrder;
use isaglot_source::Span;
use rustc_hash::FxHashMap;

use self::hook::Value;
pub use self::hook::{Hook, HookParam};
pub use self::mode::{FeatureList, Mode, ModeNamespace, WordPart};

/// The table of one target.
#[derive(Clone, Debug)]
pub struct OperandTable {
    /// How names of registers print.
    pub registers: RegisterNames,
    /// What stands before a number that prints in the way of its record.
    pub immediates: String,
    /// The order of bytes of a word in memory.
    pub byte_order: ByteOrder,
    /// Other orders of bytes, each for some triples.
    pub orders: Vec<Order>,
    /// The unit in which instructions are fetched, in bits; by default the size of the smallest.
    pub parcel: Option<u32>,
    /// How the first parcel tells the length.
    pub lengths: Vec<LengthLine>,
    /// They are worked out from the instructions.
    pub lengths_worked_out: bool,
    /// Which bits of `Inst` the word in memory consists of, least significant first, as (high, low); empty for all.
    pub layout: Vec<(u32, u32)>,
    /// Decoder namespaces in the order in which they are tried; others come after the last, the empty one at the end.
    pub namespaces: Vec<String>,
    /// Modes of the processor, each with its namespaces; without any, all are tried as `namespaces` says.
    pub modes: Vec<Mode>,
    /// Decoder namespaces that are tried only with a feature.
    pub requires: Vec<(String, String)>,
    /// Widths in bits whose instructions are tried only with a feature.
    pub requires_width: Vec<(u32, String)>,
    /// Features that no record has, which only triples switch on.
    pub features: Vec<(String, Span)>,
    /// Groups of features, each a context that an instruction can give to those after it: the name of the group, and its features.
    pub contexts: Vec<(String, Vec<String>, Span)>,
    /// Bits that decoding does not insist on (`SoftFail`) are assembled as the record has them.
    pub soft_written: bool,
    /// What people may leave out before a number.
    pub number_mark: Option<u8>,
    /// Names of registers and other words of texts are read in either case.
    pub any_case: bool,
    /// Aliases of the records are read, but never printed.
    pub aliases_read: bool,
    /// Classes of instructions; others are left out. All if there are none.
    pub only: Vec<String>,
    /// The same, without those of their instructions that are only read from text.
    pub decoded: Vec<String>,
    /// Operands, by their records, that have a value which says that a number follows the instruction.
    pub extend: Vec<Extend>,
    /// Prefixes of triples, and the processors and features that they mean.
    pub triples: Vec<(String, Vec<String>)>,
    /// Features of which one must be on: the table says nothing of other processors. Empty if it is for all.
    pub claims: Vec<String>,
    /// Texts by value.
    pub enums: FxHashMap<String, Vec<(u64, Arc<str>)>>,
    /// Texts by value, taken from records.
    pub record_tables: FxHashMap<String, RecordTable>,
    /// Meanings of `DecoderMethod`s, by the name before its parameters.
    pub decode: FxHashMap<String, Vec<Hook<Vec<Part>>>>,
    /// Meanings of `PrintMethod`s.
    pub print: FxHashMap<String, Vec<Hook<Vec<TextChoice>>>>,
    /// Meanings of operands by the name of their record; they come before those of their methods.
    pub operands: FxHashMap<String, Vec<Hook<Vec<Part>>>>,
    /// What is to be known about single instructions, or all that have a `DecoderMethod`.
    pub instructions: FxHashMap<String, Vec<InstFact>>,
    /// What is to be known about all instructions of a class.
    pub every: Vec<Every>,
    /// Names of print methods, or records of operands: these operands print together with the one after them.
    pub joins: Vec<String>,
    /// The operands and fields that these facts name.
    pub named: Vec<NamedOperands>,
}

impl Default for OperandTable {
    fn default() -> OperandTable {
        OperandTable {
            registers: RegisterNames::default(),
            immediates: String::new(),
            byte_order: ByteOrder::Little,
            orders: Vec::new(),
            parcel: None,
            lengths: Vec::new(),
            lengths_worked_out: false,
            layout: Vec::new(),
            namespaces: Vec::new(),
            modes: Vec::new(),
            requires: Vec::new(),
            requires_width: Vec::new(),
            features: Vec::new(),
            contexts: Vec::new(),
            soft_written: false,
            number_mark: None,
            any_case: false,
            aliases_read: false,
            only: Vec::new(),
            decoded: Vec::new(),
            extend: Vec::new(),
            triples: Vec::new(),
            claims: Vec::new(),
            enums: FxHashMap::default(),
            record_tables: FxHashMap::default(),
            decode: FxHashMap::default(),
            print: FxHashMap::default(),
            operands: FxHashMap::default(),
            instructions: FxHashMap::default(),
            every: Vec::new(),
            joins: Vec::new(),
            named: Vec::new(),
        }
    }
}

/// An order of bytes that some triples have.
#[derive(Clone, Debug)]
pub struct Order {
    /// The order.
    pub byte_order: ByteOrder,
    /// The layout that goes with it, as in the table; empty for all bits.
    pub layout: Vec<(u32, u32)>,
    /// Modes with their layouts in this order.
    pub layouts: Vec<ModeLayout>,
    /// The beginnings of the triples.
    pub prefixes: Vec<String>,
    /// How the first parcel tells the length, if not as in the table.
    pub lengths: Vec<LengthLine>,
    /// An instruction, a field of it, and the bits of the word that it is made of in this order.
    pub bits: Vec<FieldBits>,
}

/// A mode whose layout is another one in an order of bytes.
#[derive(Clone, Debug)]
pub struct ModeLayout {
    /// Its name.
    pub mode: String,
    /// The layout, as that of a mode.
    pub layout: Vec<(u32, u32)>,
    /// Where it is said.
    pub span: Span,
}

/// An instruction, a field of it, and the bits of the word in memory that it is made of, the most significant first.
pub type FieldBits = (String, String, Vec<(u32, u32)>);

/// How the first bits tell the length of an instruction.
#[derive(Clone, Debug)]
pub struct LengthLine {
    /// Over the first bits.
    pub pattern: Pattern,
    /// The length in bits.
    pub bits: u32,
    /// Features, and whether each must be on for the line to count.
    pub features: Vec<(String, bool)>,
    /// Where it is said.
    pub span: Span,
}

/// Facts about the instructions of a class.
#[derive(Clone, Debug)]
pub struct Every {
    /// The class.
    pub class: String,
    /// Fields of the record with the numbers or texts that they must have.
    pub fields: Vec<(String, FieldValue)>,
    /// Operands, and whether the instruction has them in its lists.
    pub operands: Vec<(String, bool)>,
    /// The facts. Where one is about `first`, it is about the operand right after the mnemonic, without a blank.
    pub facts: Vec<InstFact>,
}

/// What a field of a record must be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FieldValue {
    /// This number.
    Number(i64),
    /// This text, where `*` at its beginning or end is any text; of a list of records, that one of them has this name.
    Text(String),
}

/// A number after an instruction.
#[derive(Clone, Debug)]
pub struct Extend {
    /// The value of an operand that says so.
    pub value: u64,
    /// The width of the number in bits.
    pub width: u32,
    /// The method by which the number prints; empty for hexadecimal.
    pub print: String,
    /// The number is in the instruction already, as its most significant bits.
    pub own: bool,
    /// The operands, by their records.
    pub operands: Vec<String>,
}

/// How names of registers print.
#[derive(Clone, Debug, Default)]
pub struct RegisterNames {
    /// What stands before each.
    pub prefix: String,
    /// The `RegAltNameIndex` whose names are used where a register has one.
    pub alt: Option<String>,
    /// In lower case.
    pub lower: bool,
    /// Only the digits of a name that has any are printed; the whole name is read, too.
    pub digits: bool,
    /// What may stand before a whole name when it is read.
    pub sigil: Option<String>,
    /// The field with the number that instructions use; `HWEncoding` unless said.
    pub number: Option<String>,
    /// On duplicate numbers in a class, the last wins.
    pub last: bool,
    /// Further names by the name of the register's record.
    pub synonyms: Vec<(String, String)>,
}

/// Texts by value from the records of a class.
#[derive(Clone, Debug)]
pub struct RecordTable {
    /// The class.
    pub class: String,
    /// The field with the value.
    pub value: String,
    /// The field with the text that prints.
    pub text: String,
    /// Fields with texts that are read too.
    pub also: Vec<String>,
    /// Also read in lower case.
    pub lower: bool,
    /// Fields with the numbers that an entry must have in them.
    pub only: Vec<(String, i64)>,
    /// The field with the features that an entry needs: a list of records, or C++ text that names them.
    pub needs: Option<String>,
    /// A feature that stands for all that an entry may need.
    pub or: Option<String>,
    /// What a value prints as that no entry has; without it, as a number.
    pub other: Option<Vec<TextPiece>>,
    /// A field, and the feature that must be off where the field is 1.
    pub without: Option<(String, String)>,
    /// What stands before each text.
    pub prefix: String,
    /// The feature that the texts need; without it there are numbers.
    pub when: Option<String>,
    /// Where it is said.
    pub span: Span,
}

/// A number, or the name of a parameter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TableNumber {
    /// This one.
    Is(i64),
    /// That of the parameter.
    Param(String),
}

/// A part of an operand: one number out of its bits.
#[derive(Clone, Debug)]
pub struct Part {
    /// Its name; empty where the operand has one part only.
    pub name: String,
    /// Bits of the operand as (high, low), the most significant first; empty for all.
    pub bits: Vec<(u32, u32)>,
    /// What makes the number of them, in order.
    pub steps: Vec<DecodeStep>,
}

/// A step from bits to a number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DecodeStep {
    /// Signed, of so many bits.
    Int(Option<TableNumber>),
    /// Unsigned, of so many bits.
    Uint(Option<TableNumber>),
    /// Zeros below.
    Shl(TableNumber),
    /// Copies of the top bit above, up to so many bits.
    Sext(TableNumber),
    /// These bits above.
    High(u32, u64),
    /// A number that is added.
    Plus(TableNumber),
    /// What a formula over `v`, the number so far, makes of it.
    Compute(formula::Formula),
    /// Bits that are not a valid operand.
    Reject(ValueSet),
    /// Bits for which a formula over `v` is 0 are not a valid operand.
    Accept(formula::Formula),
    /// A register of this class; without a name, of the class that the operand's record names.
    Register(Option<String>),
    /// How it prints.
    Format(NumberFormat),
    /// Not in the word: always this.
    Constant(i64),
}

/// A set of values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ValueSet {
    /// From the first to the last.
    Range(u64, u64),
    /// Care and value.
    Mask(u64, u64),
    /// Those whose top bit is set.
    Negative,
    /// Those whose top bits, so many, are these.
    Top(u32, u64),
    /// All.
    Any,
}

impl ValueSet {
    /// Whether it holds a value.
    pub fn holds(&self, value: u64) -> bool {
        match *self {
            ValueSet::Range(from, to) => (from..=to).contains(&value),
            ValueSet::Mask(care, want) => value & care == want,
            ValueSet::Negative => (value as i64) < 0,
            ValueSet::Top(bits, want) => value.checked_shr(64 - bits.min(64)).unwrap_or(0) == want,
            ValueSet::Any => true,
        }
    }
}

/// How a number prints.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum NumberFormat {
    /// As its part says.
    Plain,
    /// Signed decimal.
    Int,
    /// Unsigned decimal.
    Uint,
    /// `0x` and hexadecimal.
    Hex,
    /// Hexadecimal digits alone.
    Digits,
    /// Nothing for 0, else with its sign.
    Offset,
    /// An IEEE number.
    Float,
    /// The register of this class with this number.
    Register(String),
    /// The text of an enum, or of a table of records.
    Enum(String),
    /// As the print method of this name.
    Print(String),
    /// An address: the operand is added to that of the instruction.
    Branch(u32),
}

/// How an operand prints: the first choice that fits.
#[derive(Clone, Debug)]
pub struct TextChoice {
    /// For these values of the operand's bits.
    pub when: ValueSet,
    /// Of an operand of several parts: for these values of these parts.
    pub parts: Vec<(String, ValueSet)>,
    /// The text.
    pub text: Vec<TextPiece>,
    /// The text where aliases are printed, if it differs.
    pub alias: Option<Vec<TextPiece>>,
    /// A feature, and whether it must be on for this choice to count.
    pub feature: Option<(String, bool)>,
    /// The text is printed, but means another choice when it is read.
    pub printed_only: bool,
    /// Further texts that are read, but never printed.
    pub also: Vec<Vec<TextPiece>>,
    /// Where it is said.
    pub span: Span,
}

/// A piece of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TextPiece {
    /// As it is.
    Literal(String),
    /// A part of the operand, or some of its bits.
    Part {
        /// Which; `v` for the only one.
        name: String,
        /// Bits of it, the most significant first; empty for all.
        bits: Vec<(u32, u32)>,
        /// How it prints.
        format: NumberFormat,
    },
    /// Parts put together as one number, the first with the most significant bits.
    Joined(Vec<String>, NumberFormat),
    /// The value of a parameter of the print method's name, as it stands there.
    Param(String),
    /// An expression over fields of the instruction.
    Expr(crate::table::formula::Formula, NumberFormat),
}

/// When a text of an instruction applies: everything here must hold.
#[derive(Clone, Debug, Default)]
pub struct AliasWhen {
    /// Operands that have these values.
    pub values: Vec<(String, i64)>,
    /// Formulas over fields of the instruction and features that are not 0.
    pub formulas: Vec<formula::Formula>,
}

/// Operands and fields that a line about instructions names.
#[derive(Clone, Debug)]
pub struct NamedOperands {
    /// The instructions, or methods that instructions have.
    pub instructions: Vec<String>,
    /// The names, each with its place.
    pub operands: Vec<(String, Span)>,
}

/// Forms of an instruction that are records.
#[derive(Clone, Debug)]
pub struct Each {
    /// The class.
    pub class: String,
    /// The fields of the instruction that hold a number of the record, the one with its most significant bits first.
    pub fields: Vec<String>,
    /// The field of the record with that number.
    pub value: String,
    /// Further fields of the instruction with their numbers.
    pub with: Vec<(String, i64)>,
    /// Fields of a record with the numbers that it must have in them.
    pub only: Vec<(String, i64)>,
    /// The field of the record with the features that the form needs.
    pub needs: Option<String>,
    /// A feature that stands for all that it may need.
    pub or: Option<String>,
    /// The `AsmString`; `{FIELD}` in it is a text of the record, `{FIELD lower}` the same in lower case.
    pub text: String,
    /// The text is printed, but never read.
    pub printed_only: bool,
}

/// Something about an instruction.
#[derive(Clone, Debug)]
pub enum InstFact {
    /// An operand that the encoding does not hold has this value.
    Constant(String, i64),
    /// Words for which the operands are equal are not this instruction.
    RejectEqual(String, String),
    /// Words for which a formula over fields is not 0 are not this instruction.
    RejectIf(formula::Formula, Span),
    /// Words for which a field is so are not this instruction.
    Reject(String, ValueSet),
    /// The operand is one of this record, whatever its own says.
    Operand(String, String),
    /// The bits of the operand mean what the table says of this decoder, whatever its record says.
    Decode(String, String),
    /// The operands in their order, but for those that are tied to an earlier one, are made of these bits by these decoders.
    Operands(Vec<(String, Vec<(u32, u32)>)>, Span),
    /// Texts with this mnemonic are printed, but never read.
    UnreadText(String),
    /// It is in this decoder namespace, whatever its record says.
    Namespace(String),
    /// The same only where the feature is on, or where it is off.
    RejectWhere(String, ValueSet, (String, bool)),
    /// Only where the feature is on, or where it is off: what `RejectWhere` makes of an instruction.
    Where(String, bool),
    /// The operand, which the word does not hold, has the bits of this field.
    Copy(String, String),
    /// Where this holds, the text is that of this `AsmString`.
    Alias(AliasWhen, String),
    /// The same, but only read.
    Input(AliasWhen, String),
    /// Where this is not 0, the text of the instruction itself is that of this `AsmString` rather than its record's.
    Own(formula::Formula, String),
    /// Only where this is not 0, the instruction has the texts of the long one that it stands for (`CompressPat`).
    Long(formula::Formula),
    /// An operand prints by this method rather than that of its record.
    Print(String, String),
    /// The number of the context that the instruction gives to the `i`-th one after it, over `i` from 0 on and its fields; 0 for none.
    Opens(formula::Formula, Span),
    /// The field has this value.
    Fixed(String, u64),
    /// The operand has this value, and the number of so many bits after the instruction is it: it prints by this method.
    After(String, u32, String),
    /// The operand is this number where it has the value that says so.
    Either(String, u64, u32, String),
    /// The records of a class are forms of the instruction, each with fields of its own and a text.
    Each(Each),
    /// Words that are no such form are not this instruction.
    OnlyEach,
    /// The text, whatever aliases there are, and whether it is only printed.
    Text(String, bool),
    /// Decoding does not test these bits of the word; what is assembled has this number in them.
    Write(Vec<(u32, u32)>, u64),
    /// The aliases of the records are neither printed nor read.
    NoAliases,
    /// All texts are printed, but never read.
    Unread,
    /// Of instructions that share words, the one of lower rank wins; 0 unless the table says otherwise.
    Rank(u32),
    /// The instruction has so many bits; those beyond `Inst` hold what `Bits` says.
    Width(u32),
    /// A field is made of these bits of the word in memory, the most significant first.
    Bits(String, Vec<(u32, u32)>),
    /// In the text of the record, this text is another one.
    Rewrite(String, String),
    /// Where the field is this, what the record calls a call does not come back; without a field, always.
    Jump(Option<(String, u64)>),
    /// These bits of the word in memory are not those of the record but this number, the first one its most significant
    /// bit; with a field, only where that is this.
    Word(Vec<(u32, u32)>, u64, Option<(String, u64)>),
    /// Where the field is this, words with this number in these bits are the same instruction; they are never written.
    Also(Vec<(u32, u32)>, u64, (String, u64)),
}

/// What a triple says in the list of its features, where triples differ in the order of bytes.
pub(crate) const ORDERS: [(ByteOrder, &str); 2] = [(ByteOrder::Little, "bytes=little"), (ByteOrder::Big, "bytes=big")];

/// What a triple says in the list of its features before one that is on only where neither a processor nor features are named.
pub(crate) const ALONE: &str = "alone=";

/// What a triple says in the list of its features before one that is on only where no processor is named but `generic`.
pub(crate) const ARCH: &str = "arch=";

/// What a triple says in the list of its features before two of which the second is on where the first is not.
pub(crate) const INSTEAD: &str = "instead=";

/// What a triple says in the list of its features before those of which one must be on.
pub(crate) const CLAIMS: &str = "claims=";

impl OperandTable {
    /// The table for a triple: with its order of bytes. It is to be lowered then, since the words are others.
    #[must_use]
    pub fn for_triple(mut self, triple: &str) -> OperandTable {
        let Some(order) = self.order_of(triple).cloned() else { return self };
        self.byte_order = order.byte_order;
        self.layout = order.layout;
        if !order.lengths.is_empty() {
            self.lengths = order.lengths;
        }
        for one in order.layouts {
            let of = self.modes.iter_mut().filter(|mode| mode.name == one.mode);
            of.for_each(|mode| mode.layout.clone_from(&one.layout));
        }
        for (instruction, field, bits) in order.bits {
            let facts = self.instructions.entry(instruction).or_default();
            facts.retain(|fact| !matches!(fact, InstFact::Bits(name, _) if *name == field));
            facts.push(InstFact::Bits(field, bits));
        }
        self
    }

    /// The order of bytes of a triple, if it is not that of the table: the longest beginning counts.
    fn order_of(&self, triple: &str) -> Option<&Order> {
        let all = self.orders.iter().flat_map(|order| order.prefixes.iter().map(move |prefix| (prefix, order)));
        let fits = all.filter(|(prefix, _)| triple.starts_with(prefix.as_str()));
        fits.max_by_key(|(prefix, _)| prefix.len()).map(|(_, order)| order)
    }

    /// Writes the order of bytes to each triple, so that a model that was lowered for another can be told from it.
    pub(crate) fn note_orders(&mut self) {
        if self.orders.is_empty() {
            return;
        }
        for prefix in self.orders.iter().flat_map(|order| &order.prefixes) {
            if !self.triples.iter().any(|(known, _)| known == prefix) {
                self.triples.push((prefix.clone(), Vec::new()));
            }
        }
        let own = self.byte_order;
        let order = |prefix: &str| self.order_of(prefix).map_or(own, |order| order.byte_order);
        let all: Vec<ByteOrder> = self.triples.iter().map(|(prefix, _)| order(prefix)).collect();
        for ((_, names), order) in self.triples.iter_mut().zip(all) {
            names.extend(ORDERS.iter().filter(|(known, _)| *known == order).map(|(_, name)| (*name).to_owned()));
        }
    }

    /// Writes the claims to each triple, so that a compiled description, which keeps only triples, has them too.
    pub(crate) fn note_claims(&mut self) {
        if self.claims.is_empty() {
            return;
        }
        let all = format!("{CLAIMS}{}", self.claims.join(" "));
        if self.triples.is_empty() {
            self.triples.push((String::new(), Vec::new()));
        }
        self.triples.iter_mut().for_each(|(_, names)| names.push(all.clone()));
    }

    /// The features of which one must be on.
    pub(crate) fn claimed(&self) -> Vec<&str> {
        let names = self.triples.iter().flat_map(|(_, names)| names);
        names.filter_map(|name| name.strip_prefix(CLAIMS)).flat_map(|all| all.split(' ')).collect()
    }
}

impl TableNumber {
    /// Its value, with parameters bound.
    pub(crate) fn value(&self, bound: &[Value<'_>]) -> i64 {
        match self {
            TableNumber::Is(value) => *value,
            TableNumber::Param(name) => bound.iter().find(|one| one.name == name).map_or(0, |one| one.number),
        }
    }
}
