//! A tool that complains on standard error about the words that it refuses.
//!
//! The problem: such a tool may print nothing at all, or not everything, once it has complained. The method: a first run says which words are
//! refused, and a second one, without these, what the others mean. The invariant: a word is refused only if a complaint has its address, and each
//! other one has a line of a run in which nothing was refused.

use std::ops::Range;

use isaglot_bits::Word;
use isaglot_source::Diagnostic;

use super::{Foreign, Output, Placed, shown};
use crate::answer::Answer;

impl Foreign<'_> {
    /// One answer for each word.
    pub(super) fn without_refused(&mut self, words: &[Word]) -> Result<Vec<Answer>, Diagnostic> {
        let is_refused = self.refused(words)?;
        let others: Vec<Word> = words.iter().zip(&is_refused).filter(|(_, no)| !**no).map(|(w, _)| w.clone()).collect();
        let mut answers = self.asked(&others)?.into_iter();
        let one = |no: bool| if no { Answer::Refused } else { answers.next().unwrap_or_default() };
        Ok(is_refused.into_iter().map(one).collect())
    }

    /// Which words are complained about.
    fn refused(&mut self, words: &[Word]) -> Result<Vec<bool>, Diagnostic> {
        let input = |this: &Self, lot: Range<usize>| this.input(&this.placed(words.get(lot).unwrap_or_default()));
        let read = |this: &Self, lot: Range<usize>, output: &Output| {
            this.complained(&this.placed(words.get(lot).unwrap_or_default()), output)
        };
        // What the tool dies of is asked about again with the others.
        self.settle(words.len(), input, read, |_| false)
    }

    /// Which words of a lot are complained about.
    fn complained(&self, lot: &[Placed<'_>], output: &Output) -> Result<Vec<bool>, Diagnostic> {
        let mut all = vec![false; lot.len()];
        for line in output.err.lines() {
            if self.tool.errors.iter().any(|glob| glob.fits(line)) {
                return Err(self.wrong("did not understand its command").note(shown(line)));
            }
            let complaint = self.tool.complaints.iter().find_map(|template| template.line(line));
            let Some(address) = complaint.and_then(|line| line.address) else { continue };
            let found = lot.binary_search_by_key(&address, |placed| placed.address).ok();
            match found.and_then(|at| all.get_mut(at)) {
                Some(is_refused) => *is_refused = true,
                None => return Err(self.wrong("complains about a word that it was not given").note(shown(line))),
            }
        }
        Ok(all)
    }
}
