//! `spirv-dis` as a decoder and `spirv-as` as an assembler of many instructions at once.
//!
//! The problem: a process about a single instruction takes a hundred times longer than the answer. The invariant: what is told of a word is what the tool says
//! about the word's own module. The method: words that our side accepts go into one module, if none defines an id that another one has anywhere.
//! A mark with its own number follows each word. The first bad instruction ends the output: the words with a mark are answered, the
//! one after them is asked about alone, and the others are tried again. A word whose text is not ours is asked about alone, too.
//!
//! A tool may be older than the grammar. [`Disassembling::learn`] finds the names that it says not to know; words that use them are not asked about.

use std::collections::{BTreeMap, BTreeSet};

use isaglot_bits::Word;
use isaglot_source::Diagnostic;
use isaglot_spirv::asm::to_bytes;

use super::front::MARK;
use super::lots::{Together, lots, together};
use super::unknown::{Open, Unknown};
use super::{Module, Spirv, after, readable};
use crate::answer::{Answer, Decoder};
use crate::tool::Tool;

/// What a process printed, and how it ended.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ran {
    /// Its status was 0.
    pub ok: bool,
    /// Standard output.
    pub out: Vec<u8>,
    /// Standard error.
    pub err: Vec<u8>,
}

/// Starts one program many times.
pub trait Start {
    /// What the program makes of each of the inputs on its standard input, in their order.
    ///
    /// # Errors
    /// If it cannot be started, or takes too long.
    fn start(&mut self, command: &[String], inputs: &[Vec<u8>]) -> Result<Vec<Ran>, Diagnostic>;
}

/// What a tool says about one module.
enum Said {
    Text(String),
    /// The number of the bad instruction from 1 (0 if it says none) and the message.
    Refused(usize, String),
}

/// A disassembler.
pub struct Disassembling<'s> {
    tool: &'s str,
    command: Vec<String>,
    starter: &'s mut dyn Start,
    unknown: Unknown,
}

/// The command of a tool for SPIR-V.
pub(super) fn command(tool: &Tool) -> Result<Vec<String>, Diagnostic> {
    match tool.run.as_slice() {
        [one] if tool.is_for_modules() => Ok(one.clone()),
        _ => {
            let d = Diagnostic::error("conform-tool", format!("`{}` is not for SPIR-V", tool.name));
            Err(d.note("a tool for SPIR-V has the line `answers modules` and one command"))
        }
    }
}

impl<'s> Disassembling<'s> {
    /// Sets up a tool.
    ///
    /// # Errors
    /// If it is not one for SPIR-V.
    pub fn new(tool: &'s Tool, subject: &Spirv, starter: &'s mut dyn Start) -> Result<Disassembling<'s>, Diagnostic> {
        Ok(Disassembling { tool: &tool.name, command: command(tool)?, starter, unknown: Unknown::new(subject) })
    }

    /// Finds the names that the tool says not to know, with words that our side accepts. Words that use one are not taken from then on.
    ///
    /// # Errors
    /// Why the tool gives no answers.
    pub fn learn(&mut self, words: &[Word]) -> Result<Vec<String>, Diagnostic> {
        let mut open = Open::new(&self.unknown, words);
        loop {
            let next = open.next(&self.unknown);
            if next.is_empty() {
                break;
            }
            let said = self.said(&next.iter().map(|(word, _)| *word).collect::<Vec<&Word>>())?;
            for ((word, names), said) in next.into_iter().zip(said) {
                let (name, is_known) = match said {
                    Said::Refused(index, message) => (self.unknown.name(word, index, &message), false),
                    Said::Text(text) => (self.unknown.numbered(word, &text), true),
                };
                match name {
                    Some(name) => drop(self.unknown.names.insert(name)),
                    None if is_known => open.settle(names),
                    None => {}
                }
            }
        }
        Ok(self.unknown.names.iter().cloned().collect())
    }

    fn wrong(&self, what: &str) -> Diagnostic {
        Diagnostic::error("conform-answers", format!("`{}` {what}", self.tool))
    }

    fn run(&mut self, modules: &[Vec<u32>]) -> Result<Vec<Ran>, Diagnostic> {
        let inputs: Vec<Vec<u8>> = modules.iter().map(|words| to_bytes(words).into_owned()).collect();
        let all = self.starter.start(&self.command, &inputs)?;
        if all.len() == modules.len() { Ok(all) } else { Err(self.wrong("gave too few outputs")) }
    }

    /// What the tool says about each word.
    fn said(&mut self, words: &[&Word]) -> Result<Vec<Said>, Diagnostic> {
        let mut said: BTreeMap<usize, Said> = BTreeMap::new();
        let mut alone: BTreeSet<usize> = (0..words.len()).collect();
        let mut open: Vec<Together> = Vec::new();
        for (at, word) in words.iter().enumerate() {
            if let Some(one) = self.unknown.one(at, word) {
                alone.remove(&at);
                open.push(one);
            }
        }
        while !open.is_empty() {
            let lots = lots(std::mem::take(&mut open));
            let modules: Vec<(Vec<u32>, usize)> = lots.iter().map(|lot| together(&self.unknown.front, lot)).collect();
            let only: Vec<Vec<u32>> = modules.iter().map(|(words, _)| words.clone()).collect();
            let all = self.run(&only)?;
            for ((lot, ran), (_, front)) in lots.into_iter().zip(all).zip(&modules) {
                let texts = marked(&ran.out, *front, lot.len());
                if ran.ok && texts.len() != lot.len() {
                    return Err(self.wrong("printed another number of instructions than it was given"));
                }
                for (number, one) in lot.into_iter().enumerate() {
                    match texts.get(number) {
                        Some(text) if *text == one.text => {
                            said.insert(one.at, Said::Text(one.text));
                        }
                        Some(_) => {
                            alone.insert(one.at);
                        }
                        None if number == texts.len() => {
                            alone.insert(one.at);
                        }
                        None => open.push(one),
                    }
                }
            }
        }
        let modules: Vec<Module> = alone.iter().filter_map(|at| Some(self.unknown.module(words.get(*at)?))).collect();
        let only: Vec<Vec<u32>> = modules.iter().map(|module| module.words.clone()).collect();
        let all = if only.is_empty() { Vec::new() } else { self.run(&only)? };
        for ((at, module), ran) in alone.iter().zip(&modules).zip(all) {
            let one = if ran.ok {
                let text = after(&ran.out, module.front);
                Said::Text(text.ok_or_else(|| self.wrong("printed fewer instructions than it was given"))?)
            } else {
                let (index, message) = refusal(&ran.err).ok_or_else(|| {
                    let err: String = String::from_utf8_lossy(&ran.err).chars().take(300).collect();
                    self.wrong("failed without a line `error: …`").note(format!("it says: {err}"))
                })?;
                Said::Refused(index, message)
            };
            said.insert(*at, one);
        }
        Ok(said.into_values().collect())
    }
}

/// The texts before each mark, as far as there are marks in their order.
fn marked(out: &[u8], front: usize, count: usize) -> Vec<String> {
    let mut rest = out;
    for _ in 0..front {
        let end = rest.iter().position(|byte| *byte == b'\n').map_or(rest.len(), |at| at + 1);
        rest = rest.get(end..).unwrap_or_default();
    }
    let mut texts = Vec::new();
    for number in 0..count {
        let mark = format!("OpLine %{MARK} {number} 0\n");
        let Some(at) = rest.windows(mark.len()).position(|window| window == mark.as_bytes()) else { break };
        let text = rest.get(..at).unwrap_or_default();
        // The mark is indented, and a line end stands before it.
        let text =
            text.get(..text.iter().rposition(|byte| *byte != b' ').map_or(0, |last| last + 1)).unwrap_or_default();
        texts.push(readable(text.strip_suffix(b"\n").unwrap_or(text)));
        rest = rest.get(at + mark.len()..).unwrap_or_default();
    }
    texts
}

/// The number of the instruction and the message of `error: NUMBER: MESSAGE`.
pub(super) fn refusal(err: &[u8]) -> Option<(usize, String)> {
    let text = String::from_utf8_lossy(err);
    let line = text.strip_prefix("error: ")?.trim_end();
    let numbered = line.split_once(": ").and_then(|(number, message)| Some((number.parse().ok()?, message.to_owned())));
    Some(numbered.unwrap_or_else(|| (0, line.to_owned())))
}

impl Decoder for Disassembling<'_> {
    fn takes(&self, word: &Word) -> bool {
        self.unknown.takes(word)
    }

    fn answers(&mut self, words: &[Word]) -> Result<Vec<Answer>, Diagnostic> {
        let words: Vec<&Word> = words.iter().collect();
        let said = self.said(&words)?;
        let answer = |said| match said {
            Said::Text(text) => Answer::Accepted { bits: None, text, leaf: None },
            Said::Refused(..) => Answer::Refused,
        };
        Ok(said.into_iter().map(answer).collect())
    }
}
