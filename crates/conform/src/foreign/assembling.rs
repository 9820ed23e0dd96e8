//! A tool as an assembler: texts out, bytes in.
//!
//! The invariant is that of a decoder: bytes are taken for those of a text only if a line says which text it is about, and a text is taken for
//! refused only if there is a complaint about it. A text with neither is an error.

use std::ops::Range;

use isaglot_source::Diagnostic;

use super::{Foreign, Output, shown};
use crate::answer::{Assembled, Assembler};
use crate::template::Line;

impl Foreign<'_> {
    /// What the tool reads.
    fn texts(&self, line: &str, texts: &[String]) -> Vec<u8> {
        let one = |(at, text): (usize, &String)| {
            line.replace("{number}", &(at + 1).to_string()).replace("{text}", text) + "\n"
        };
        texts.iter().enumerate().map(one).collect::<String>().into_bytes()
    }

    /// What became of the texts of one lot, each of which has this many lines of the input.
    fn assembled(&self, texts: &[String], lines: u64, output: &Output) -> Result<Vec<Assembled>, Diagnostic> {
        if let Some(line) = output.err.lines().find(|line| self.tool.errors.iter().any(|glob| glob.fits(line))) {
            return Err(self.wrong("did not understand its command").note(shown(line)));
        }
        let mut found: Vec<Option<Assembled>> = vec![None; texts.len()];
        let place = |line: &Line| {
            let number = line.number.or_else(|| line.line.map(|line| line.saturating_sub(1) / lines + 1))?;
            usize::try_from(number).ok()?.checked_sub(1).filter(|at| *at < texts.len())
        };
        let mut current = None;
        for line in output.out.lines() {
            let Some(said) = self.said(line)? else { continue };
            if said.number.is_some() || said.line.is_some() {
                current = Some(
                    place(&said)
                        .ok_or_else(|| self.wrong("has bytes for a text that it was not given").note(shown(line)))?,
                );
            }
            let Some(bytes) = said.bytes else { continue };
            let Some(slot) = current.and_then(|at| found.get_mut(at)) else {
                return Err(self.wrong("has bytes for no text").note(shown(line)));
            };
            match slot {
                Some(Assembled::Bytes(all)) => all.extend(bytes),
                _ => *slot = Some(Assembled::Bytes(bytes)),
            }
        }
        for line in output.err.lines() {
            let complaint = self.tool.complaints.iter().find_map(|template| template.line(line));
            if let Some(at) = complaint.as_ref().and_then(place)
                && let Some(slot) = found.get_mut(at)
            {
                *slot = Some(Assembled::Refused);
            }
        }
        let all = found.into_iter().zip(texts);
        all.map(|(found, text)| {
            found.ok_or_else(|| {
                let d = self.wrong("neither assembled a text nor complained about it").note(shown(text));
                d.note("a line `complaint` of the tool says what complaints look like")
            })
        })
        .collect()
    }
}

impl Assembler for Foreign<'_> {
    fn assemble(&mut self, texts: &[String]) -> Result<Vec<Assembled>, Diagnostic> {
        let Some(line) = self.tool.assemble.as_deref() else { return Err(self.wrong("does not assemble")) };
        if let Some(text) = texts.iter().find(|text| text.contains(char::is_control)) {
            return Err(Diagnostic::error("conform-text-lines", "a text that is not one line cannot be assembled")
                .note(shown(text)));
        }
        let lines = line.matches('\n').count() as u64 + 1;
        let input = |this: &Self, lot: Range<usize>| this.texts(line, texts.get(lot).unwrap_or_default());
        let read = |this: &Self, lot: Range<usize>, output: &Output| {
            this.assembled(texts.get(lot).unwrap_or_default(), lines, output)
        };
        self.settle(texts.len(), input, read, |signal| Assembled::Died { signal })
    }
}
