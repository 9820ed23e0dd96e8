//! Whether a line assembles to given words, line by line, for text that must come back exactly.

use super::doubt::Doubts;
use super::ids::Ids;
use super::lex::skip;
use super::types::Types;
use super::{Assembler, Current};
use crate::grammar::Grammar;

/// An assembler of single lines, with what the lines that stayed said about ids. All ids are numbers and stay so.
#[derive(Debug)]
pub(crate) struct Check<'g> {
    grammar: Grammar<'g>,
    version: u8,
    types: Types,
    /// Kept for the next line.
    words: Vec<u32>,
}

impl<'g> Check<'g> {
    /// For a module of so many words under core version 1.`version`.
    pub(crate) fn new(grammar: Grammar<'g>, version: u8, size: usize) -> Check<'g> {
        Check { grammar, version, types: Types::new(size / 4), words: Vec::new() }
    }

    /// Whether a line assembles to exactly these words. If not, what it said about ids is undone.
    pub(crate) fn comes_back(&mut self, line: &[u8], words: &[u32]) -> bool {
        let mut a = Assembler {
            text: line,
            grammar: self.grammar,
            version: self.version,
            pos: skip(line, 0),
            last: 0,
            words: std::mem::take(&mut self.words),
            id_words: Vec::new(),
            mark_ids: false,
            ids: Ids::identity(line),
            types: std::mem::take(&mut self.types),
            now: Current::default(),
            depth: 0,
            map: Vec::new(),
            documented: false,
            doubts: Doubts::default(),
        };
        a.words.clear();
        // What an instruction says is about its result, which the printed words name.
        let result = a.grammar.op(words.first().map_or(0, |w| *w as u16)).and_then(|op| op.result_place());
        let result = result.and_then(|at| words.get(at)).copied().unwrap_or(0);
        let before = a.types.about(result);
        let same = a.instruction().is_ok() && a.pos >= line.len() && a.words == words;
        if !same {
            a.types.restore(result, before);
        }
        (self.words, self.types) = (a.words, a.types);
        same
    }
}
