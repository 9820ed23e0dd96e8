//! What assembles as the reference assembles it and is perhaps not meant: a `!` word that the instruction before it takes,
//! and a `!` word in the place of an id that is the number of a named one.
//!
//! Only the path of `!` words pays for it. The second kind is known when all ids have their numbers, so such words are
//! noted, up to a limit, and looked up at the end.

use isaglot_source::{Diagnostic, FileId, Span};
use rustc_hash::FxHashMap;

use super::Assembler;
use super::failure::shown;
use super::ids::Ids;
use super::lex::{at, word_end};
use crate::grammar::rows::OpRow;
use crate::limits;
use crate::number::integer;

/// Something that may not be meant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Warning {
    /// Byte offset of the word.
    pub at: usize,
    /// Its bytes.
    pub len: usize,
    /// A stable code.
    pub code: &'static str,
    /// What happens.
    pub message: String,
    /// What to write instead.
    pub note: String,
}

impl Warning {
    /// As a diagnostic on `file`, which holds the text.
    pub fn diagnostic(&self, file: FileId) -> Diagnostic {
        let d = Diagnostic::warning(self.code, self.message.clone());
        d.label(Span::new(file, self.at, self.at + self.len), "").note(self.note.clone())
    }
}

/// What was noted so far.
#[derive(Debug, Default)]
pub(super) struct Doubts {
    taken: Vec<Warning>,
    /// Words in the places of ids: where, how long, their numbers.
    as_ids: Vec<(usize, usize, u32)>,
}

impl Assembler<'_, '_> {
    /// Notes the `!` word at `start`, which was just written: `as_id` if an id may be due there, `taken` if the instruction
    /// could have ended before it.
    #[cold]
    pub(super) fn doubt(&mut self, word: &[u8], start: usize, as_id: bool, taken: bool) {
        let value = self.words.last().copied().unwrap_or(0);
        if as_id && self.doubts.as_ids.len() < limits::DOUBTED_WORDS {
            self.doubts.as_ids.push((start, word.len(), value));
        }
        if taken
            && self.doubts.taken.len() < limits::DOUBTED_WORDS
            && let Some(op) = self.begun_by(value)
        {
            let begun = self.grammar.str(op.name);
            let into = shown(self.token(self.now.name));
            self.doubts.taken.push(Warning {
                at: start,
                len: word.len(),
                code: "spirv-word-taken",
                message: format!("`{}` becomes an operand of the {into} before it", shown(word)),
                note: format!(
                    "{into} can have more operands, so it takes `!` words; as a first word this would be {begun} of {} words: \
                     give {into} all its operands, write it as `OpUnknown`, or use `--documented`",
                    value >> 16
                ),
            });
        }
    }

    /// The instruction that this could be the first word of.
    fn begun_by(&self, value: u32) -> Option<&OpRow> {
        self.grammar.op(value as u16).filter(|_| value >> 16 != 0)
    }

    /// Whether the `!` word at `start` begins an instruction by the syntax page's rule, which did not know instructions
    /// that may go on: it stands first on its line and can be a first word.
    pub(super) fn begins_documented(&self, start: usize) -> bool {
        self.documented
            && self.is_first_of_line(start)
            && self.token((start, word_end(self.text, start))).strip_prefix(b"!").is_some_and(|digits| {
                integer::unsigned(digits, 32).is_some_and(|value| self.begun_by(value as u32).is_some())
            })
    }

    /// Whether the token at `start` is the first of its line.
    pub(super) fn is_first_of_line(&self, start: usize) -> bool {
        let before = (0..start).rev().map(|i| at(self.text, i)).find(|b| !matches!(b, b' ' | b'\t' | b'\r'));
        matches!(before, None | Some(b'\n'))
    }
}

impl Doubts {
    /// All warnings, in the order of the text; `to` gives the numbers that ids got in the end, if they were changed.
    pub(super) fn warnings(self, ids: &Ids<'_>, to: Option<&[u32]>) -> Vec<Warning> {
        let mut all = self.taken;
        if !self.as_ids.is_empty() {
            let mut named: FxHashMap<u32, Option<String>> = self.as_ids.iter().map(|n| (n.2, None)).collect();
            for (name, id) in ids.iter() {
                let id = to.and_then(|to| to.get(id as usize)).copied().unwrap_or(id);
                // Who writes `%7` where that is 7 knows the numbers.
                if name.number() != Some(id)
                    && let Some(found) = named.get_mut(&id)
                {
                    *found = Some(name.shown());
                }
            }
            for (at, len, value) in self.as_ids {
                let Some(Some(name)) = named.get(&value) else { continue };
                all.push(Warning {
                    at,
                    len,
                    code: "spirv-word-is-id",
                    message: format!("`!{value}` is the number of `%{name}`"),
                    note: format!("write `%{name}` if that is meant; else a number that no id has"),
                });
            }
        }
        all.sort_by_key(|w| w.at);
        all
    }
}
