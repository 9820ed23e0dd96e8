//! SPIR-V beside SPIRV-Tools: the grammar as what is compared, instructions as words.
//!
//! The problem: SPIR-V is no set of bit patterns. An instruction has up to 65535 words of 32 bits, and what they mean is said by
//! instructions before it. So a word here is the end of a module: one instruction, the first of its words lowest, after a header and what it
//! names of a fixed list. Both sides are asked about the whole module.
//!
//! The invariant: an answer of a tool is one about exactly this module, or was told apart from its neighbours by marks where no
//! instruction can say anything about another. What differs is always asked about alone.
//!
//! Adapters as data do not fit here: the first bad instruction ends a disassembly, so what one process can be asked depends on
//! the answers before.

mod assembling;
mod choose;
mod front;
mod lots;
mod peer;
mod round;
mod unknown;

pub use assembling::Assembling;
pub use choose::choose;
pub use peer::{Disassembling, Ran, Start};
pub use round::round;

use isaglot_bits::Word;
use isaglot_source::Diagnostic;
use isaglot_spirv::dis::{self, HEADER_WORDS};
use isaglot_spirv::grammar::Grammar;
use isaglot_spirv::grammar::rows::{FIRST_ENUM, ID_REF, REPEAT};
use isaglot_spirv::instructions::Instructions;
use isaglot_spirv::parts::{Part, parts};
use rustc_hash::FxHashMap;

use crate::answer::{Answer, Decoder, Leaf, Near, Subject};
use crate::normal::Rules;
use front::Front;

/// The grammar as a decoder of instructions.
#[derive(Debug)]
pub struct Spirv {
    grammar: Grammar<'static>,
    front: Front,
    /// The names of leaves, in the order of their numbers.
    names: Vec<String>,
    numbers: FxHashMap<String, u32>,
}

impl Default for Spirv {
    fn default() -> Spirv {
        Spirv::new()
    }
}

impl Spirv {
    /// The grammar of this release.
    #[must_use]
    pub fn new() -> Spirv {
        let grammar = Grammar::builtin();
        Spirv { grammar, front: Front::new(grammar), names: Vec::new(), numbers: FxHashMap::default() }
    }

    /// The answer for one word.
    pub fn answer(&mut self, word: &Word) -> Answer {
        let words: Vec<u32> = word.words32().collect();
        let module = Module::of(&self.front, &words);
        let Some(text) = text_of(&module, self.grammar) else { return Answer::Refused };
        let name = self.class_of(&module);
        let next = self.names.len() as u32;
        let number = *self.numbers.entry(name).or_insert_with_key(|name| {
            self.names.push(name.clone());
            next
        });
        Answer::Accepted { bits: None, text, leaf: Some(Leaf(number)) }
    }

    /// What the instruction at the end of a module is called: its name, and what of another one is within it.
    fn class_of(&self, module: &Module) -> String {
        let (all, _) = parts(&module.words, self.grammar);
        let own = all.get(module.front..).unwrap_or_default();
        let mut out = own.first().map_or_else(String::new, |parts| name(parts));
        if let Some(Part::Extended(set, name)) = own.first().and_then(|parts| parts.get(1))
            && self.has_surplus(set, name, module)
        {
            // Whatever the instruction is, it is the set that lets more follow.
            out = format!("OpExtInst:{set}:surplus");
        }
        out
    }

    /// Whether an extended instruction at the end of a module has ids that its set does not speak of.
    fn has_surplus(&self, set: &str, name: &str, module: &Module) -> bool {
        let sets = self.grammar.sets().iter().filter(|group| self.grammar.str(group.name) == set);
        let mut rows = sets.flat_map(|group| self.grammar.members(group));
        let row = rows.find(|row| self.grammar.str(row.name) == name);
        let items = row.map(|row| self.grammar.program(row.program)).unwrap_or_default();
        let is_bounded = items.iter().all(|item| item.quantifier < REPEAT && item.kind == ID_REF);
        let last = Instructions::new(&module.words).last();
        is_bounded && last.is_some_and(|last| last.operands().len() > 4 + items.len())
    }
}

/// The name of an instruction made of these parts.
fn name(parts: &[Part<'_>]) -> String {
    let mut out = String::new();
    for part in parts {
        match part {
            Part::Op(name) if out.is_empty() => out.push_str(name),
            Part::Op(name) => out = format!("{out}:{name}"),
            Part::Extended(set, name) => out = format!("{out}:{set}:{name}"),
            Part::Enumerant(..) => {}
        }
    }
    out
}

/// A module for one word.
pub(crate) struct Module {
    /// All of it.
    pub(crate) words: Vec<u32>,
    /// Instructions in front of the word.
    pub(crate) front: usize,
}

impl Module {
    pub(crate) fn of(front: &Front, words: &[u32]) -> Module {
        // The first word has no id.
        let (mut module, front) = front.module(words.iter().skip(1).copied());
        module.extend(words);
        Module { words: module, front }
    }
}

/// The text of a word as it is compared: what the disassembler prints for it, each byte that is no UTF-8 as `\xNN`. `None` if it refuses.
fn text_of(module: &Module, grammar: Grammar<'_>) -> Option<String> {
    let options = dis::Options { grammar: Grammar::builtin(), raw_id: true, header: false, ..dis::Options::default() };
    let options = dis::Options { grammar, ..options };
    let done = dis::disassemble(&module.words, &options);
    done.failures.is_empty().then(|| after(&done.text, module.front)).flatten()
}

/// The text after the lines of what stands in front; `None` if there are not so many.
pub(crate) fn after(text: &[u8], front: usize) -> Option<String> {
    let mut rest = text;
    for _ in 0..front {
        let end = rest.iter().position(|byte| *byte == b'\n')?;
        rest = rest.get(end + 1..)?;
    }
    Some(readable(rest.strip_suffix(b"\n").unwrap_or(rest)))
}

/// Bytes as text that has all of them: what is no UTF-8 becomes `\xNN`, and a backslash before an `x` that was there two of them.
pub(crate) fn readable(bytes: &[u8]) -> String {
    let mut out = String::new();
    for chunk in bytes.utf8_chunks() {
        out.push_str(&chunk.valid().replace("\\x", "\\\\x"));
        chunk.invalid().iter().for_each(|byte| out.push_str(&format!("\\x{byte:02x}")));
    }
    out
}

impl Decoder for Spirv {
    fn answers(&mut self, words: &[Word]) -> Result<Vec<Answer>, Diagnostic> {
        Ok(words.iter().map(|word| self.answer(word)).collect())
    }
}

impl Subject for Spirv {
    fn name(&self, leaf: Leaf) -> String {
        self.names.get(leaf.0 as usize).cloned().unwrap_or_default()
    }

    /// Never: a bit of an instruction says nothing by itself, so a pattern would be no cause; and each word that differs takes a process.
    /// Findings have the words that were chosen.
    fn fits(&self, _: &Word) -> bool {
        false
    }

    fn near(&self, word: &Word, leaf: Option<Leaf>, _: &str) -> Option<Near> {
        let name = match leaf {
            Some(leaf) => self.name(leaf),
            None => self.grammar.str(self.grammar.op(word.low_u64() as u16)?.name).to_owned(),
        };
        Some(Near { name, span: None, doc: String::new() })
    }

    /// By their bytes: what a string has, and where a line begins, is part of what is compared. Only the names that the grammar gives one
    /// opcode or enumerant are alike.
    fn way(&self, ours: &str, theirs: &str, _: &Rules) -> Option<String> {
        if ours == theirs {
            return None;
        }
        // Each blank counts, so nothing is between two of them where there are several.
        let (ours, theirs): (Vec<&str>, Vec<&str>) = (ours.split(' ').collect(), theirs.split(' ').collect());
        if ours.len() != theirs.len() {
            return Some("operands".to_owned());
        }
        let is_opcode = |token: &str| token.starts_with("Op");
        let start = ours.iter().position(|token| is_opcode(token)).unwrap_or_default();
        let pairs = ours.iter().zip(&theirs).enumerate();
        let differ = pairs.filter(|(_, (a, b))| a != b && !is_alias(self.grammar, a, b));
        let places: Vec<String> = differ.map(|(at, _)| at.saturating_sub(start).to_string()).collect();
        (!places.is_empty()).then(|| format!("token {}", places.join(", ")))
    }

    /// By the name that the grammar gives what the tool names.
    fn called(&mut self, _: &Word, theirs: &str, _: &Rules) -> String {
        let mut tokens = theirs.split_ascii_whitespace();
        let Some(name) = tokens.find_map(|token| token.strip_prefix("Op")) else { return String::new() };
        match self.grammar.op_by_name(name.as_bytes()) {
            Some(op) => self.grammar.str(op.name).to_owned(),
            None => format!("Op{name}"),
        }
    }
}

/// Whether two tokens are names of the same: an opcode, an enumerant, or a mask of such.
fn is_alias(grammar: Grammar<'_>, ours: &str, theirs: &str) -> bool {
    if let (Some(ours), Some(theirs)) = (ours.strip_prefix("Op"), theirs.strip_prefix("Op")) {
        let op = |name: &str| grammar.op_by_name(name.as_bytes()).map(|op| op.opcode);
        if op(ours).is_some() && op(ours) == op(theirs) {
            return true;
        }
    }
    let value = |kind: u8, name: &str| grammar.enumerant(kind, name.as_bytes()).map(|row| row.value);
    let kinds = (0..grammar.kinds().len()).filter_map(|at| u8::try_from(at).ok()?.checked_add(FIRST_ENUM));
    let same = |kind: u8, a: &str, b: &str| value(kind, a).is_some() && value(kind, a) == value(kind, b);
    kinds.into_iter().any(|kind| {
        let (ours, theirs) = (ours.split('|'), theirs.split('|'));
        ours.clone().count() == theirs.clone().count() && ours.zip(theirs).all(|(a, b)| same(kind, a, b))
    })
}

/// Where the words of a module begin that are no header.
pub(crate) fn body(words: &[u32]) -> &[u32] {
    words.get(HEADER_WORDS..).unwrap_or_default()
}

/// Whether words are one instruction and nothing else.
pub(crate) fn is_whole(words: &[u32]) -> bool {
    words.first().is_some_and(|first| (first >> 16) as usize == words.len())
}
