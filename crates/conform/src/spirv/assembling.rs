//! `spirv-as` as an assembler of many instructions at once.
//!
//! The invariant is that of a disassembler: words are taken for those of a text only if marks say so, and what differs is asked about alone. The source
//! is what our side prints for a module, so what stands in front and the marks are texts, too. The first bad line ends an assembly and
//! nothing comes out of it: the lot is parted there, and asked about again.

use std::collections::BTreeMap;

use isaglot_bits::Word;
use isaglot_source::Diagnostic;
use isaglot_spirv::dis;
use isaglot_spirv::grammar::opcode;
use isaglot_spirv::instructions::{Instruction, Instructions};

use super::front::{MARK, instruction};
use super::lots::{LOT, Together, lots, together};
use super::peer::{Ran, Start, command, refusal};
use super::unknown::Unknown;
use super::{Module, Spirv, body};
use crate::tool::Tool;

/// What came back: the words of the instruction, or the number of the bad one from 1 (0 if nobody says which), and the message.
pub(super) type Back = Result<Vec<u32>, (usize, String)>;

/// An assembler.
pub struct Assembling<'s> {
    tool: &'s str,
    command: Vec<String>,
    starter: &'s mut dyn Start,
    pub(super) unknown: Unknown,
}

impl<'s> Assembling<'s> {
    /// Sets up a tool.
    ///
    /// # Errors
    /// If it is not one for SPIR-V.
    pub fn new(tool: &'s Tool, subject: &Spirv, starter: &'s mut dyn Start) -> Result<Assembling<'s>, Diagnostic> {
        Ok(Assembling { tool: &tool.name, command: command(tool)?, starter, unknown: Unknown::new(subject) })
    }

    /// Finds the names that the tool says not to know, with words that our side accepts. Words that use one are not asked about from then on.
    ///
    /// # Errors
    /// Why the tool gives no answers.
    pub fn learn(&mut self, words: &[Word]) -> Result<Vec<String>, Diagnostic> {
        let accepted: Vec<&Word> = words.iter().filter(|word| self.unknown.one(0, word).is_some()).collect();
        for some in accepted.chunks(LOT) {
            let mut some = some.to_vec();
            while !some.is_empty() {
                some.retain(|word| self.unknown.takes(word));
                let back = self.back(&some)?;
                let mut again = Vec::new();
                for (word, back) in some.iter().zip(back) {
                    if let Err((index, message)) = back
                        && let Some(name) = self.unknown.spelled(word, index, &message)
                        && self.unknown.names.insert(name)
                    {
                        again.push(*word);
                    }
                }
                some = again;
            }
        }
        Ok(self.unknown.names.iter().cloned().collect())
    }

    fn wrong(&self, what: &str) -> Diagnostic {
        Diagnostic::error("conform-answers", format!("`{}` {what}", self.tool))
    }

    /// What the tool makes of the texts of modules.
    fn run(&mut self, modules: &[&[u32]]) -> Result<Vec<Ran>, Diagnostic> {
        let grammar = self.unknown.grammar;
        let options = dis::Options { raw_id: true, header: false, indent: false, ..dis::Options::default() };
        let options = dis::Options { grammar, ..options };
        let inputs: Vec<Vec<u8>> = modules.iter().map(|words| dis::disassemble(words, &options).text).collect();
        let all = self.starter.start(&self.command, &inputs)?;
        if all.len() == modules.len() { Ok(all) } else { Err(self.wrong("gave too few outputs")) }
    }

    /// What comes back of the texts of words that our side accepts.
    pub(super) fn back(&mut self, words: &[&Word]) -> Result<Vec<Back>, Diagnostic> {
        let mut found: BTreeMap<usize, Back> = BTreeMap::new();
        let mut alone: Vec<usize> = Vec::new();
        let mut open: Vec<Vec<Together>> = Vec::new();
        let mut first = Vec::new();
        for (at, word) in words.iter().enumerate() {
            match self.unknown.one(at, word) {
                Some(one) => first.push(one),
                None => alone.push(at),
            }
        }
        open.extend(lots(first));
        while !open.is_empty() {
            let modules: Vec<(Vec<u32>, usize)> = open.iter().map(|lot| together(&self.unknown.front, lot)).collect();
            let only: Vec<&[u32]> = modules.iter().map(|(words, _)| words.as_slice()).collect();
            let all = self.run(&only)?;
            let mut next = Vec::new();
            for ((mut lot, ran), (_, front)) in std::mem::take(&mut open).into_iter().zip(all).zip(&modules) {
                if ran.ok {
                    let back = apart(&words_of(&ran.out), *front, lot.len())
                        .ok_or_else(|| self.wrong("made no module with the marks that it was given"))?;
                    for (one, back) in lot.into_iter().zip(back) {
                        if back == one.words {
                            found.insert(one.at, Ok(back));
                        } else {
                            alone.push(one.at)
                        }
                    }
                    continue;
                }
                let (line, _) = self.refused(&ran)?;
                // Each word has a line, and its mark has one. Line ends within strings may not be counted, so this is a guess.
                let bad = (line.saturating_sub(front + 1) / 2).min(lot.len().saturating_sub(1));
                let after = lot.split_off(bad + 1);
                alone.extend(lot.pop().map(|one| one.at));
                next.extend([lot, after].into_iter().filter(|lot| !lot.is_empty()));
            }
            open = next;
        }
        alone.sort_unstable();
        let modules: Vec<Module> = alone.iter().filter_map(|at| Some(self.unknown.module(words.get(*at)?))).collect();
        let only: Vec<&[u32]> = modules.iter().map(|module| module.words.as_slice()).collect();
        let all = if only.is_empty() { Vec::new() } else { self.run(&only)? };
        for ((at, module), ran) in alone.into_iter().zip(&modules).zip(all) {
            let back = if ran.ok { Ok(after(&words_of(&ran.out), module.front)) } else { Err(self.refused(&ran)?) };
            found.insert(at, back);
        }
        Ok(found.into_values().collect())
    }

    /// The line and the message of an error.
    fn refused(&self, ran: &Ran) -> Result<(usize, String), Diagnostic> {
        let (line, message) = refusal(&ran.err).ok_or_else(|| {
            let err: String = String::from_utf8_lossy(&ran.err).chars().take(300).collect();
            self.wrong("failed without a line `error: …`").note(format!("it says: {err}"))
        })?;
        let message = message.split_once(": ").map_or(message.as_str(), |(_, message)| message);
        Ok((line, message.to_owned()))
    }
}

/// The words of a module; bytes that are no whole word at the end are one, so that they are seen.
fn words_of(bytes: &[u8]) -> Vec<u32> {
    let word = |bytes: &[u8]| bytes.iter().rev().fold(0, |word, byte| word << 8 | u32::from(*byte));
    bytes.chunks(4).map(word).collect()
}

/// The words after what stands in front.
fn after(words: &[u32], front: usize) -> Vec<u32> {
    let skipped: usize = Instructions::new(words).take(front).map(|one| one.words.len()).sum();
    body(words).get(skipped..).unwrap_or_default().to_vec()
}

/// The words before each mark; `None` if the marks are not those that were given.
fn apart(words: &[u32], front: usize, count: usize) -> Option<Vec<Vec<u32>>> {
    let mut all = Vec::new();
    let mut now: Vec<u32> = Vec::new();
    for one in Instructions::new(words).skip(front) {
        if is_mark(&one, all.len() as u32) {
            all.push(std::mem::take(&mut now));
        } else {
            now.extend(one.words);
        }
    }
    (all.len() == count && now.is_empty()).then_some(all)
}

fn is_mark(one: &Instruction<'_>, number: u32) -> bool {
    one.words == instruction(opcode::OpLine, &[MARK, number, 0])
}
