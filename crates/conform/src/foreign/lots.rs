//! Lots of questions, each for one run of the tool; and which question a run died of.
//!
//! The problem: a tool that crashes takes with it what it had to say about all other questions of its lot. The method: a lot whose run a signal
//! has ended is asked again in two halves, and so on, until a lot of one question dies. That one is the answer: the tool crashes. All lots of one
//! round are run together, so a crash costs some more rounds, not some more waits one after the other.
//!
//! The invariant: each question has one answer, from a run that ended by itself, or its own run died.

use std::collections::VecDeque;
use std::ops::Range;

use isaglot_source::Diagnostic;

use super::{Foreign, Job, Output};
use crate::limits::MAX_CRASHES;

impl Foreign<'_> {
    /// The answers to `count` questions. `input` writes a lot of them, `read` reads what the tool says about it, and `died` is the answer to a
    /// question that the tool dies of, by the number of the signal.
    pub(super) fn settle<A>(
        &mut self,
        count: usize,
        input: impl Fn(&Self, Range<usize>) -> Vec<u8>,
        read: impl Fn(&Self, Range<usize>, &Output) -> Result<Vec<A>, Diagnostic>,
        died: impl Fn(i32) -> A,
    ) -> Result<Vec<A>, Diagnostic> {
        let batch = self.tool.batch.max(1);
        let mut answers: Vec<Option<A>> = std::iter::repeat_with(|| None).take(count).collect();
        let mut lots: VecDeque<Range<usize>> =
            (0..count).step_by(batch).map(|start| start..(start + batch).min(count)).collect();
        let mut crashes = 0;
        while !lots.is_empty() {
            let round: Vec<Range<usize>> = lots.drain(..).collect();
            let job = |lot: &Range<usize>| Job {
                commands: self.commands.clone(),
                environment: self.tool.environment.clone(),
                input: input(self, lot.clone()),
                any_status: self.tool.any_status,
            };
            let jobs: Vec<Job> = round.iter().map(job).collect();
            let outputs = self.runner.run(&jobs)?;
            if outputs.len() != jobs.len() {
                return Err(self.wrong("gave too few outputs"));
            }
            for (lot, output) in round.into_iter().zip(&outputs) {
                let found = match output.signal {
                    None => read(self, lot.clone(), output)?,
                    Some(signal) if lot.len() == 1 => {
                        crashes += 1;
                        vec![died(signal)]
                    }
                    Some(_) => {
                        let middle = lot.start + lot.len() / 2;
                        lots.extend([lot.start..middle, middle..lot.end]);
                        continue;
                    }
                };
                let places = answers.iter_mut().skip(lot.start).take(lot.len());
                places.zip(found).for_each(|(place, answer)| *place = Some(answer));
            }
            if crashes > MAX_CRASHES {
                let d = self.wrong(&format!("crashes on more than {MAX_CRASHES} questions"));
                return Err(d.note("a line `avoid` of the tool keeps words from it"));
            }
        }
        let answers: Vec<A> = answers.into_iter().flatten().collect();
        if answers.len() == count { Ok(answers) } else { Err(self.wrong("gave too few answers")) }
    }
}
