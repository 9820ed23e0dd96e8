//! The names that a tool says not to know.
//!
//! The problem: a tool that is older than the grammar refuses what it has no names for, which is no fault of either. The invariant: a name counts as unknown only
//! if the tool names it so in its message, or refuses an instruction that stands in front of a word. What uses no such name and is refused stays a finding.

use std::collections::BTreeSet;

use isaglot_bits::Word;
use isaglot_spirv::grammar::{Grammar, opcode};
use isaglot_spirv::instructions::Instructions;
use isaglot_spirv::parts::{Part, parts};

use super::front::Front;
use super::lots::Together;
use super::{Module, Spirv, is_whole, text_of};

/// The names that a tool says not to know, and how to tell whether a word uses one.
#[derive(Clone, Debug)]
pub(super) struct Unknown {
    pub(super) grammar: Grammar<'static>,
    pub(super) front: Front,
    pub(super) names: BTreeSet<String>,
}

impl Unknown {
    pub(super) fn new(subject: &Spirv) -> Unknown {
        Unknown { grammar: subject.grammar, front: subject.front.clone(), names: BTreeSet::new() }
    }

    pub(super) fn module(&self, word: &Word) -> Module {
        Module::of(&self.front, &word.words32().collect::<Vec<u32>>())
    }

    /// A word that can stand among others: our side accepts it, and it is one instruction that defines nothing of what stands in front.
    pub(super) fn one(&self, at: usize, word: &Word) -> Option<Together> {
        let words: Vec<u32> = word.words32().collect();
        let module = Module::of(&self.front, &words);
        let text = text_of(&module, self.grammar).filter(|_| is_whole(&words))?;
        let op = words.first().and_then(|first| self.grammar.op(*first as u16));
        let result = op.and_then(|op| words.get(op.result_place()?)).copied();
        let is_free = result.is_none_or(|id| !self.front.has(id));
        is_free.then_some(Together { at, words, result, text })
    }

    /// The names that each instruction of a module uses.
    fn used(&self, module: &Module) -> Vec<Vec<String>> {
        let (all, _) = parts(&module.words, self.grammar);
        let mut names: Vec<Vec<String>> = all.iter().map(|parts| parts.iter().map(shown).collect()).collect();
        for (names, instruction) in names.iter_mut().zip(Instructions::new(&module.words)) {
            if instruction.opcode == opcode::OpExtInstImport {
                let bytes = instruction.words.get(2..).unwrap_or_default().iter().flat_map(|word| word.to_le_bytes());
                let bytes: Vec<u8> = bytes.take_while(|byte| *byte != 0).collect();
                names.push(format!("import {}", String::from_utf8_lossy(&bytes)));
            }
        }
        names
    }

    /// Whether a word uses none of the unknown names.
    pub(super) fn takes(&self, word: &Word) -> bool {
        self.names.is_empty() || !self.used(&self.module(word)).iter().flatten().any(|name| self.names.contains(name))
    }

    /// The name that a message says to be unknown, among those of the bad instruction; of one that stands in front the last name: our grammar
    /// has it, so the tool's is another one.
    pub(super) fn name(&self, word: &Word, index: usize, message: &str) -> Option<String> {
        let module = self.module(word);
        let used = self.used(&module);
        let names = used.get(index.checked_sub(1)?)?;
        if index <= module.front {
            return names.last().cloned();
        }
        let number = |after: &str| -> Option<u32> {
            let digits = message.split_once(after)?.1;
            let end = digits.find(|c: char| !c.is_ascii_digit()).unwrap_or(digits.len());
            digits.get(..end)?.parse().ok()
        };
        let known = |name: String| names.contains(&name).then_some(name);
        if let Some(opcode) = number("Invalid opcode: ") {
            return known(self.grammar.str(self.grammar.op(u16::try_from(opcode).ok()?)?.name).to_owned());
        }
        if number("Invalid extended instruction number: ").is_some() {
            return names.iter().find(|name| name.contains(':')).cloned();
        }
        if let Some((_, rest)) = message.split_once("Invalid extended instruction import '") {
            return known(format!("import {}", rest.trim_end().trim_end_matches('\'')));
        }
        let value = number("has invalid mask component ").or_else(|| number(" operand: "))?;
        let phrase = message.strip_prefix("Invalid ")?.split(" operand: ").next()?;
        let kinds = self.grammar.kinds().iter().filter(|kind| self.grammar.str(kind.phrase) == phrase);
        let rows = kinds.filter_map(|kind| Some((kind, self.grammar.member(kind, value)?)));
        let all = rows.map(|(kind, row)| format!("{}.{}", self.grammar.str(kind.name), self.grammar.str(row.name)));
        all.into_iter().find_map(known)
    }
}

impl Unknown {
    /// As [`Unknown::name`], for the message of an assembler, which has the name between quotes.
    pub(super) fn spelled(&self, word: &Word, line: usize, message: &str) -> Option<String> {
        let module = self.module(word);
        let used = self.used(&module);
        let names = used.get(line.checked_sub(1)?)?;
        if line <= module.front {
            return names.last().cloned();
        }
        let quoted = message.strip_prefix("Invalid ")?.split('\'').nth(1)?;
        let own =
            |name: &str| name.rsplit([':', '.']).next() == Some(quoted) || name.strip_prefix("import ") == Some(quoted);
        names.iter().find(|name| own(name)).cloned()
    }
}

impl Unknown {
    /// The extended instruction of a word for which a tool prints its number, as it does in sets that say nothing about the module's meaning.
    pub(super) fn numbered(&self, word: &Word, theirs: &str) -> Option<String> {
        let module = self.module(word);
        let ours = text_of(&module, self.grammar)?;
        let pairs = ours.split(' ').zip(theirs.split(' '));
        let mut differ = pairs.filter(|(ours, theirs)| ours != theirs);
        let (ours, theirs) = differ.next()?;
        let is_number = theirs.parse() == Ok(word.words32().nth(4)?) && differ.next().is_none();
        let names = self.used(&module).pop()?;
        names.into_iter().find(|name| is_number && name.rsplit(':').next() == Some(ours) && name.contains(':'))
    }
}

/// Words of which each has a name that is not settled yet, so that few words tell about all names.
pub(super) struct Open<'w> {
    /// The words that are not asked about yet, with their names.
    words: Vec<(&'w Word, Vec<String>)>,
    settled: BTreeSet<String>,
}

impl<'w> Open<'w> {
    /// Of these words those that our side accepts.
    pub(super) fn new(unknown: &Unknown, words: &'w [Word]) -> Open<'w> {
        let is_ours = |word: &&Word| text_of(&unknown.module(word), unknown.grammar).is_some();
        let named = |word: &'w Word| (word, unknown.used(&unknown.module(word)).concat());
        Open { words: words.iter().filter(is_ours).map(named).collect(), settled: BTreeSet::new() }
    }

    /// One word for each name that is not settled; none if there is nothing more to learn.
    pub(super) fn next(&mut self, unknown: &Unknown) -> Vec<(&'w Word, Vec<String>)> {
        let mut picked: BTreeSet<String> = BTreeSet::new();
        let (mut next, mut rest) = (Vec::new(), Vec::new());
        for (word, names) in std::mem::take(&mut self.words) {
            if names.iter().any(|name| unknown.names.contains(name)) {
                continue;
            }
            let is_new = |name: &String| !self.settled.contains(name) && !picked.contains(name);
            if names.iter().any(is_new) {
                picked.extend(names.iter().cloned());
                next.push((word, names));
            } else if names.iter().any(|name| !self.settled.contains(name)) {
                rest.push((word, names));
            }
        }
        self.words = rest;
        next
    }

    /// The tool knows these names.
    pub(super) fn settle(&mut self, names: Vec<String>) {
        self.settled.extend(names);
    }
}

/// A name of the grammar: an opcode, `KIND.NAME`, or `SET:NAME`.
fn shown(part: &Part<'_>) -> String {
    match part {
        Part::Op(name) => (*name).to_owned(),
        Part::Enumerant(kind, name) => format!("{kind}.{name}"),
        Part::Extended(set, name) => format!("{set}:{name}"),
    }
}
