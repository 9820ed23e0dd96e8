//! Runs a program over a text: finds the bits that would print it.
//!
//! Scannerless, with maximal munch and back-tracking. A place where more than one thing could be meant leaves a choice
//! on a stack; when the text does not go on as it must, the last choice is taken back together with everything that
//! followed from it. When the text is at its end, conditions that are still open are solved and the word is offered;
//! if the caller refuses it, the search continues. Steps are counted, so that the time for any text is bounded.
//!
//! Two ways of reading. *Strict*: the text as the disassembler prints it; look-ahead keeps the search almost free of
//! choices. *Relaxed*: as people write it, with blanks where they like, numbers in any base, symbols and labels; then
//! the matcher also writes down what the disassembler would print for what it understood, to be compared with.
//!
//! # Example
//!
//! The template is `op.{A}{B}`. The texts of `A` are `x` (value 1) and `xy` (value 2), those of `B` are `y` (3) and `z` (4).
//! The line `op.xy`, read in the relaxed way; a choice is kept as (operation, position, next way):
//!
//! ```text
//! operation        position  what happens                                              choices
//! 0 Literal "op."         0  it is there                                               -
//! 1 Field A               3  the longest text is `xy`: A = 2; `x` is another way       (1, 3, way 1)
//! 2 Field B               5  neither text is there: the choice is taken back,          -
//!                            with it the bits of A
//! 1 Field A, way 1        3  `x`: A = 1; there is no further way                       -
//! 2 Field B               4  `y`: B = 3                                                -
//! 3 Accept                5  the text is at its end: the word is offered               -
//! ```
//!
//! Read strictly, `xy` is not even tried: `Field A` knows that a `y` or a `z` must follow, and the line ends there.

mod read;
mod show;
mod spacing;
mod wide;

use isaglot_invariant::{Impossible as _, impossible};

pub(super) use self::read::strict_number;
pub(super) use self::spacing::skip_blanks;
use self::spacing::{begins, relaxed_literal, skip_between, splits_word};
use super::input::Input;
use super::limits::{MAX_LINE, MAX_STEPS};
use super::program::{FieldOp, FieldSyntax, Program, ReadOp, ValueTarget};
use super::trace::Trace;
use super::values::{Mark, Values};

/// Where the search goes on when the last way fails.
#[derive(Clone, Copy, Debug)]
struct Choice {
    /// The operation.
    at: u32,
    /// The place in the text.
    position: u32,
    /// The way to try next.
    way: u32,
    /// The length of the canonical text.
    canonical: u32,
    /// The bits known.
    mark: Mark,
}

/// The matcher, with storage that is used again for every line.
#[derive(Debug, Default)]
pub(super) struct Machine {
    pub(super) values: Values,
    choices: Vec<Choice>,
    /// What the disassembler would print; only when reading relaxed.
    pub(super) canonical: Vec<u8>,
    /// Texts of a table that the text begins with: length and entry.
    found: Vec<(u32, u64)>,
    /// Operations since the caller last set it to 0.
    pub(super) steps: u32,
    /// A symbol was read that is not known yet, since the caller last set it to false.
    pub(super) later: bool,
}

impl Machine {
    /// Searches for a word that `accept` takes. `accept` is given this machine, whose [`Values::word`] is the offered
    /// word. `true` if it took one.
    pub(super) fn run(
        &mut self,
        program: &Program,
        input: &Input<'_>,
        mut trace: Option<&mut Trace>,
        accept: &mut dyn FnMut(&mut Machine) -> bool,
    ) -> bool {
        self.values.start(program);
        self.choices.clear();
        self.canonical.clear();
        let mut at = 0usize;
        let mut position = 0usize;
        let mut way = 0u32;
        let limit = self.steps.saturating_add(MAX_STEPS);
        loop {
            self.steps += 1;
            if self.steps > limit {
                return false;
            }
            let Some(op) = program.ops.get(at) else { return impossible(false) };
            let next = match *op {
                ReadOp::Literal { from, len } => {
                    self.literal(input, program.literal(from, len), &mut position, &mut trace).then_some(at + 1)
                }
                ReadOp::Align(column) => self.align(input, &mut position, column as usize).then_some(at + 1),
                ReadOp::Jump(to) => Some(to as usize),
                ReadOp::Assign { lo, width, value } => self.values.assign(lo, width, value).then_some(at + 1),
                ReadOp::Differ { lo, width, value } => self.values.differ(lo, width, value).then_some(at + 1),
                ReadOp::Check { expr, want } => self.values.check(program, expr, want).then_some(at + 1),
                ReadOp::Alternatives { from, to, row } => {
                    let branches = (from as usize, to as usize, row);
                    self.alternatives(program, input, branches, (at, position, way), &mut trace)
                }
                ReadOp::Field(field) => match program.fields.get(field as usize) {
                    Some(field) => self.field(program, input, field, at, &mut position, way, &mut trace),
                    None => None,
                },
                ReadOp::Prefer(field) => {
                    self.prefer(program, field);
                    Some(at + 1)
                }
                ReadOp::Accept => {
                    let end = if input.relaxed && !input.named { skip_blanks(input.text, position) } else { position };
                    if end == input.text.len() {
                        if self.offer(program, input, limit, &mut trace, accept) {
                            return true;
                        }
                    } else if let Some(trace) = trace.as_deref_mut() {
                        trace.end(end);
                    }
                    None
                }
            };
            match next {
                Some(next) => {
                    at = next;
                    way = 0;
                }
                None => {
                    let Some(choice) = self.choices.pop() else { return false };
                    at = choice.at as usize;
                    position = choice.position as usize;
                    way = choice.way;
                    self.canonical.truncate(choice.canonical as usize);
                    self.values.back_to(choice.mark);
                }
            }
        }
    }

    /// Reads literal text; `false` if something else is there.
    #[inline]
    fn literal(
        &mut self,
        input: &Input<'_>,
        literal: &[u8],
        position: &mut usize,
        trace: &mut Option<&mut Trace>,
    ) -> bool {
        let end = if input.relaxed {
            self.canonical.extend_from_slice(literal);
            if input.named && begins(input.text.get(*position..).or_impossible(&[]), literal) {
                Ok(*position + literal.len())
            } else if input.named {
                Err(*position)
            } else {
                relaxed_literal(input.text, *position, literal, input.mark, input.any_case())
            }
        } else if begins(input.text.get(*position..).or_impossible(&[]), literal) {
            Ok(*position + literal.len())
        } else {
            Err(*position)
        };
        match end {
            Ok(end) => {
                *position = end;
                true
            }
            Err(place) => {
                if let Some(trace) = trace.as_deref_mut() {
                    trace.literal(place, *position, input.text, literal);
                }
                false
            }
        }
    }

    /// Takes the first alternative from number `way` on that the text allows; where another one is possible, it is kept as
    /// a choice. Gives where the program goes on.
    #[inline]
    fn alternatives(
        &mut self,
        program: &Program,
        input: &Input<'_>,
        (from, to, row): (usize, usize, u32),
        (at, position, way): (usize, usize, u32),
        trace: &mut Option<&mut Trace>,
    ) -> Option<usize> {
        let branches = program.branches.get(from..to).or_impossible(&[]);
        let rest = input.text.get(position..).or_impossible(&[]);
        // What the next byte allows, of the ways that are left; a set cannot hold more than 64.
        let all = if branches.len() >= 64 { u64::MAX } else { (1 << branches.len()) - 1 };
        let allowed = if input.relaxed { all } else { program.viable(row, rest.first().copied()) & all };
        let (mut this, mut other) = (None, None);
        let mut i = way;
        loop {
            if i < 64 {
                let left = allowed >> i;
                i = if left == 0 { 64 } else { i + left.trailing_zeros() };
            }
            let Some(branch) = branches.get(i as usize) else { break };
            let (from, len) = branch.literal;
            if input.relaxed || len < 2 || begins(rest, program.literal(from, len)) {
                if this.is_some() {
                    other = Some(i);
                    break;
                }
                this = Some(branch.at as usize);
            }
            i += 1;
        }
        if let Some(other) = other {
            self.choose(at, position, other, self.values.mark());
        }
        if this.is_none()
            && let Some(trace) = trace.as_deref_mut()
        {
            for branch in branches.iter().filter(|branch| branch.literal.1 > 0) {
                let literal = program.literal(branch.literal.0, branch.literal.1);
                trace.literal(position, position, input.text, literal);
            }
        }
        this
    }

    /// Gives a field its constant value, unless its bits are known to be otherwise.
    fn prefer(&mut self, program: &Program, field: u32) {
        if let Some(FieldOp { syntax: FieldSyntax::Constant(value), target, .. }) = program.fields.get(field as usize) {
            let mark = self.values.mark();
            if !self.values.set(program, target, *value) {
                self.values.back_to(mark);
            }
        }
    }

    /// At the end of the text: solves open conditions and offers the word. `true` if it was taken; else everything is as
    /// before.
    #[inline]
    fn offer(
        &mut self,
        program: &Program,
        input: &Input<'_>,
        limit: u32,
        trace: &mut Option<&mut Trace>,
        accept: &mut dyn FnMut(&mut Machine) -> bool,
    ) -> bool {
        let mark = self.values.mark();
        if self.values.solve(program, limit - self.steps) {
            if accept(self) {
                return true;
            }
        } else if let Some(trace) = trace.as_deref_mut() {
            trace.contradiction(input.text.len());
        }
        self.steps = self.steps.saturating_add(self.values.tried);
        self.values.tried = 0;
        self.values.back_to(mark);
        false
    }

    /// Whether the text may be read otherwise.
    pub(super) fn has_other_way(&self) -> bool {
        !self.choices.is_empty()
    }

    /// Keeps a choice.
    #[inline]
    fn choose(&mut self, at: usize, position: usize, way: u32, mark: Mark) {
        let canonical = self.canonical.len() as u32;
        self.choices.push(Choice { at: at as u32, position: position as u32, way, canonical, mark });
    }

    /// Reads padding up to a column: in the relaxed way any blanks, or none.
    fn align(&mut self, input: &Input<'_>, position: &mut usize, column: usize) -> bool {
        if input.relaxed {
            *position = skip_blanks(input.text, *position);
            while self.canonical.len() < column.min(MAX_LINE) {
                self.canonical.push(b' ');
            }
            return true;
        }
        while *position < column {
            if input.text.get(*position) != Some(&b' ') {
                return false;
            }
            *position += 1;
        }
        true
    }

    /// Reads a field in the first way from `way` on that can be; where the program goes on.
    #[expect(clippy::too_many_arguments, reason = "the state of the loop that this is a part of")]
    fn field(
        &mut self,
        program: &Program,
        input: &Input<'_>,
        field: &FieldOp,
        at: usize,
        position: &mut usize,
        mut way: u32,
        trace: &mut Option<&mut Trace>,
    ) -> Option<usize> {
        let start = *position;
        let begin = if input.relaxed && !input.named { skip_between(input.text, start) } else { start };
        if let ValueTarget::Wide { from, to } = field.target {
            let runs = program.runs.get(from as usize..to as usize).or_impossible(&[]);
            return self.wide(input, field, runs, begin, position, trace).then_some(at + 1);
        }
        while let Some(reading) = self.read(program, input, field, begin, way) {
            way += 1;
            if input.whole && splits_word(program, input.text, field, reading.end) {
                if !reading.more {
                    break;
                }
                continue;
            }
            if !input.relaxed && !field.follow.has(input.text.get(reading.end).copied()) {
                if !reading.more {
                    return None;
                }
                continue;
            }
            let mark = self.values.mark();
            let canonical = self.canonical.len();
            if reading.fits && self.values.set(program, &field.target, reading.value) {
                if reading.more {
                    self.choose(at, start, way, mark);
                }
                if input.relaxed {
                    self.show(program, input, field, reading.value);
                }
                // An empty text does not pass over blanks.
                *position = if reading.end == begin { start } else { reading.end };
                return Some(at + 1);
            }
            if let Some(trace) = trace.as_deref_mut() {
                let empty = reading.end == begin;
                trace.value(begin, reading.end, input, field, reading.value, empty);
            }
            self.canonical.truncate(canonical);
            self.values.back_to(mark);
            if !reading.more {
                return None;
            }
        }
        if let Some(trace) = trace.as_deref_mut() {
            trace.field(begin, input, program, field);
        }
        None
    }
}
