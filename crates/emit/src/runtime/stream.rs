//! A stream of instructions as lines of text.
//!
//! The stream comes in pieces of any size. Labels need to know the whole stream: [`Stream::mark`] is fed it once before.

use super::decode::{Fetched, Match, fetch, has_dont_care, select, settle};
use super::exact::{self, Line};
use super::hooks::{Hooks, Plain};
use super::labels::Targets;
use super::out::Out;
use super::print::Compat;
use super::quick;
use super::scope::Scopes;
use super::tables::{Isa, these};

/// A name for a place in a stream; needs labels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Entry<'e> {
    /// Where: an instruction number, or a byte offset where instructions differ in length.
    pub offset: u64,
    /// The name.
    pub name: &'e [u8],
}

/// How a stream is printed.
#[derive(Clone, Copy, Debug)]
pub struct Options<'e> {
    /// Show what is wrong with a word at the end of its line.
    pub show_errors: bool,
    /// Named places, sorted.
    pub entries: &'e [Entry<'e>],
    /// Stop before an instruction that more than this many bad ones in a row precede; 0 for never.
    pub max_errors: u64,
    /// Whose numbers to print.
    pub compat: Compat,
}

impl Default for Options<'_> {
    fn default() -> Self {
        Options { show_errors: true, entries: &[], max_errors: 0, compat: Compat::default() }
    }
}

/// The state of a disassembly.
#[derive(Debug)]
pub struct Stream<'t> {
    isa: &'t Isa<'t>,
    scopes: Scopes<'t>,
    options: Options<'t>,
    targets: Option<Targets<'t>>,
    position: u64,
    marked: u64,
    /// Entries that are done with.
    entry: usize,
    /// Bad instructions in a row up to here.
    bad: u64,
    stopped: bool,
}

/// What became of an instruction.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Outcome {
    Printed,
    NoMatch,
    Undecided,
}

/// Bytes from one place to the next.
#[must_use]
pub fn place_bytes(isa: &Isa<'_>) -> u64 {
    if isa.lengths.is_empty() { u64::from(isa.max_bits / 8) } else { 1 }
}

impl<'t> Stream<'t> {
    /// The start of a stream; with `targets`, labels are printed.
    #[must_use]
    pub fn new(isa: &'t Isa<'t>, options: Options<'t>, targets: Option<Targets<'t>>) -> Self {
        Stream {
            isa,
            scopes: Scopes::new(isa, options.show_errors),
            options,
            targets,
            position: 0,
            marked: 0,
            entry: 0,
            bad: 0,
            stopped: false,
        }
    }

    /// Whether too many bad instructions ended the disassembly.
    #[must_use]
    pub fn stopped(&self) -> bool {
        self.stopped
    }

    /// Looks for labels in the next piece of the stream; gives how many bytes were used. What is left of an instruction
    /// is to be given again in front of the next piece.
    pub fn mark(&mut self, bytes: &[u8]) -> usize {
        let Some(mut targets) = self.targets.take() else { return bytes.len() };
        let isa = these(self.isa);
        let mut scopes = Scopes::new(isa, false);
        let place = place_bytes(isa).max(1);
        let mut nowhere = |_: &[u8]| {};
        let mut out = Out::new(&mut nowhere);
        let mut used = 0;
        while let Some(fetched) = fetch(isa, bytes.get(used..).unwrap_or(&[])) {
            targets.start(self.marked);
            if fetched.known
                && let Match::One(leaf) = select(isa, isa.root, &fetched.word, fetched.bits)
                && let Some(leaf) = isa.leaves.get(leaf as usize)
                && leaf.branches
            {
                let compat = self.options.compat;
                let mut line = Line { position: self.marked, place, targets: Some(&mut targets), compat };
                let at = out.hold();
                let end = quick::run(isa, leaf.program, at, &fetched.word, &mut Plain, &mut line, &mut out);
                if !out.keep(end) {
                    exact::instruction(&mut scopes, (&fetched.word, fetched.bits), &mut Plain, &mut line, &mut out);
                }
            }
            let size = (fetched.bits / 8) as usize;
            used += size;
            self.marked += size as u64 / place;
        }
        self.targets = Some(targets);
        used
    }

    /// Appends the lines of the next piece of the stream; gives how many bytes were used, all that make whole
    /// instructions. What is left is to be given again in front of the next piece; at the end it is ignored.
    pub fn feed(&mut self, bytes: &[u8], hooks: &mut dyn Hooks, out: &mut Out<'_>) -> usize {
        let isa = these(self.isa);
        let place = place_bytes(isa).max(1);
        let wants = (hooks.wants_lines(), hooks.wants_fields());
        let mut used = 0;
        while !self.stopped {
            let Some(fetched) = fetch(isa, bytes.get(used..).unwrap_or(&[])) else { break };
            if self.options.max_errors > 0 && self.bad > self.options.max_errors {
                self.stopped = true;
                break;
            }
            self.line(&fetched, place, wants, hooks, out);
            let size = (fetched.bits / 8) as usize;
            self.position += if place == 1 { size as u64 } else { 1 };
            used += size;
        }
        used
    }

    #[inline(always)]
    fn line(
        &mut self,
        fetched: &Fetched,
        place: u64,
        (lines, fields): (bool, bool),
        hooks: &mut dyn Hooks,
        out: &mut Out<'_>,
    ) {
        let position = self.position;
        if self.targets.is_some() {
            self.label_lines(fetched, hooks, out);
        }
        if lines {
            hooks.before(position, &fetched.word, fetched.bits, out);
        }
        let mut line = Line { position, place, targets: self.targets.as_mut(), compat: self.options.compat };
        let mut outcome = Outcome::NoMatch;
        out.begin();
        if fetched.known {
            outcome = Outcome::Undecided;
            if self.scopes.problems.count() == 0 && !fields {
                outcome = quickly(these(self.isa), fetched, hooks, &mut line, out);
            }
        }
        if outcome == Outcome::Undecided {
            let word = (&fetched.word, fetched.bits);
            outcome = match exact::instruction(&mut self.scopes, word, hooks, &mut line, out) {
                true => Outcome::Printed,
                false => Outcome::NoMatch,
            };
        }
        if outcome == Outcome::NoMatch {
            // Problems stay until a line that shows them.
            hooks.no_match(&fetched.word, fetched.bits, out);
            self.bad += 1;
            return;
        }
        if self.scopes.problems.count() > 0 {
            out.bytes(b"\t; ");
            self.scopes.problems.print(self.isa.max_bits, out);
            self.scopes.problems.clear();
            self.bad += 1;
        } else {
            self.bad = 0;
        }
        if lines {
            hooks.after(position, &fetched.word, fetched.bits, out);
        }
        out.byte(b'\n');
    }

    /// Appends what stands before the current instruction.
    fn label_lines(&mut self, fetched: &Fetched, hooks: &mut dyn Hooks, out: &mut Out<'_>) {
        let position = self.position;
        let Some(targets) = &self.targets else { return };
        let (called, branched) = (targets.is_call(position), targets.is_branch(position));
        let next = |entry: usize| self.options.entries.get(entry).filter(|entry| entry.offset <= position);
        if !called && !branched && next(self.entry).is_none() {
            return;
        }
        let mut entry = self.entry;
        let named = next(entry).is_some_and(|entry| entry.offset == position);
        while next(entry).is_some_and(|entry| entry.offset < position) {
            entry += 1;
        }
        if position != 0 && (called || named) {
            hooks.before(position, &fetched.word, fetched.bits, out);
            out.byte(b'\n');
        }
        while let Some(named) = next(entry) {
            hooks.before(position, &fetched.word, fetched.bits, out);
            out.bytes(named.name);
            out.bytes(b":\n");
            entry += 1;
        }
        for (is_target, prefix) in [(called, "fxn"), (branched, "l")] {
            if is_target {
                hooks.before(position, &fetched.word, fetched.bits, out);
                out.bytes(prefix.as_bytes());
                out.unsigned(position);
                out.bytes(b":\n");
            }
        }
        self.entry = entry;
    }
}

/// Prints an instruction with which nothing is wrong.
#[inline(always)]
fn quickly(
    isa: &Isa<'_>,
    fetched: &Fetched,
    hooks: &mut dyn Hooks,
    line: &mut Line<'_, '_>,
    out: &mut Out<'_>,
) -> Outcome {
    let entry = quick::descend(isa, &fetched.word);
    let number = match settle(isa, isa.root, entry, &fetched.word, fetched.bits) {
        Match::None => return Outcome::NoMatch,
        Match::Conflict(..) => return Outcome::Undecided,
        Match::One(leaf) => leaf,
    };
    let Some(leaf) = isa.leaves.get(number as usize) else { return Outcome::Undecided };
    if leaf.dont_care && has_dont_care(isa, number, &fetched.word) {
        return Outcome::Undecided;
    }
    let at = out.hold();
    let end = quick::run(isa, leaf.program, at, &fetched.word, hooks, line, out);
    if out.keep(end) { Outcome::Printed } else { Outcome::Undecided }
}
