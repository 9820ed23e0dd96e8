//! A tool as an assembler: texts out, bytes in.
//!
//! The invariant is that of a decoder: bytes are taken for those of a text only if a line says which text it is about, and a text is taken for
//! refused only if there is a complaint about it. A text with neither is an error.

use super::{Foreign, Job, Output, shown};
use isaglot_source::Diagnostic;

use crate::answer::{Assembled, Assembler};
use crate::template::Line;

impl Foreign<'_> {
    /// What the tool reads, and how many lines of it each text has.
    fn texts(&self, line: &str, texts: &[String]) -> (Vec<u8>, u64) {
        let one = |(at, text): (usize, &String)| {
            line.replace("{number}", &(at + 1).to_string()).replace("{text}", text) + "\n"
        };
        let lines = line.matches('\n').count() as u64 + 1;
        (texts.iter().enumerate().map(one).collect::<String>().into_bytes(), lines)
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
        let Some(line) = &self.tool.assemble else { return Err(self.wrong("does not assemble")) };
        if let Some(text) = texts.iter().find(|text| text.contains(char::is_control)) {
            return Err(Diagnostic::error("conform-text-lines", "a text that is not one line cannot be assembled")
                .note(shown(text)));
        }
        let lots: Vec<&[String]> = texts.chunks(self.tool.batch.max(1)).collect();
        let inputs: Vec<(Vec<u8>, u64)> = lots.iter().map(|lot| self.texts(line, lot)).collect();
        let job = |(input, _): &(Vec<u8>, u64)| Job {
            commands: self.commands.clone(),
            input: input.clone(),
            any_status: self.tool.any_status,
        };
        let jobs: Vec<Job> = inputs.iter().map(job).collect();
        let outputs = self.runner.run(&jobs)?;
        if outputs.len() != jobs.len() {
            return Err(self.wrong("gave too few outputs"));
        }
        let mut all = Vec::new();
        for ((lot, (_, lines)), output) in lots.iter().zip(&inputs).zip(&outputs) {
            all.extend(self.assembled(lot, *lines, output)?);
        }
        Ok(all)
    }
}
