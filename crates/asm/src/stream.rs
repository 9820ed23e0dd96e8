//! A stream of instructions as lines of text.
//!
//! The stream comes in parts of any size and the text is appended to the caller's buffer, so memory does not grow with
//! the input. Labels need to know the whole stream: [`Stream::mark`] is fed it once before.
//!
//! What a line is, when errors are shown and forgotten, and what stands before an instruction is the reference's
//! driver (reference 1.10).

use isaglot_bits::Word;
use isaglot_codec::{Ahead, Plan, Scopes};
use isaglot_invariant::{Impossible as _, impossible};

use crate::assemble::is_symbol;
use crate::engine::{Engine, Outcome};
use crate::exact::{self, Line};
use crate::fetch::{Fetched, Fetcher, small};
use crate::labels::{Places, Targets};
use crate::mark::Marker;
use crate::options::{Compat, Entry, Hooks, Options, Plain};
use crate::program::BlockId;

/// The state of a disassembly.
#[derive(Debug)]
pub struct Stream<'p, 'a> {
    plan: &'p Plan<'a>,
    /// Of the context of the current instruction, as `engine`.
    scopes: Scopes<'p, 'a>,
    engine: Engine<'p, 'a>,
    /// What instructions say of those after them; only where the model has contexts.
    ahead: Option<Ahead>,
    /// The context that `scopes` and `engine` are of.
    context: usize,
    /// Those of the other contexts, as far as they were met.
    others: Vec<Option<(Scopes<'p, 'a>, Engine<'p, 'a>)>>,
    fetcher: Fetcher,
    options: Options,
    /// Places that something jumps to; only with labels.
    targets: Option<Targets>,
    /// The programs of the pre-pass, once there is one.
    marker: Option<Marker<'p, 'a>>,
    places: Places,
    /// Entries at which no instruction starts.
    inside: Vec<Entry>,
    /// Entries that are still ahead, the nearest last.
    entries: Vec<Entry>,
    /// Where the next of them is.
    next_entry: u64,
    /// The place of the next instruction.
    position: u64,
    /// The same of the pre-pass.
    marked: u64,
    /// Bad instructions in a row up to here.
    bad: u64,
    /// Lines that the exact engine has printed.
    exact: u64,
    /// The last place whose labels are printed.
    labelled: Option<u64>,
    stopped: bool,
}

impl<'p, 'a> Stream<'p, 'a> {
    /// The start of a stream of `total` bytes. `total` is used for labels only: it bounds the places that can have one.
    #[must_use]
    pub fn new(plan: &'p Plan<'a>, options: Options, total: u64) -> Self {
        let format = plan.isa().format();
        let fixed = format.lengths.is_empty();
        let places = Places { bytes: if fixed { u64::from(format.max_bits / 8) } else { 1 } };
        let mut entries = if options.labels { options.entries.clone() } else { Vec::new() };
        entries.sort_by(|a, b| b.cmp(a));
        let mut targets = options.labels.then(|| match fixed {
            true => Targets::new(total / places.bytes.max(1)),
            false => Targets::with_starts(total),
        });
        if let Some(targets) = targets.as_mut().filter(|_| options.names) {
            let readable = entries.iter().rev().filter(|entry| is_symbol(&entry.name));
            readable.for_each(|entry| targets.name(entry.offset, &entry.name));
        }
        let contexts = plan.isa().contexts().len();
        Self {
            plan,
            scopes: Scopes::new(plan, options.show_errors),
            engine: Engine::new(plan, options.labels),
            ahead: (contexts > 0).then(Ahead::default),
            context: 0,
            others: (0..=contexts).map(|_| None).collect(),
            fetcher: Fetcher::new(plan),
            targets,
            marker: None,
            places,
            inside: Vec::new(),
            next_entry: next_offset(&entries),
            entries,
            options,
            position: 0,
            marked: 0,
            bad: 0,
            exact: 0,
            labelled: None,
            stopped: false,
        }
    }

    /// The same for words that are not of one program: none says anything of those after it.
    #[must_use]
    pub fn alone(mut self) -> Self {
        self.ahead = None;
        self
    }

    /// Whether too many bad instructions ended the disassembly.
    #[must_use]
    pub fn stopped(&self) -> bool {
        self.stopped
    }

    /// The entries inside of instructions so far, the first one first. No line can be before them.
    #[must_use]
    pub fn entries_inside(&self) -> &[Entry] {
        &self.inside
    }

    /// The entries that are after all instructions so far, the nearest last.
    #[must_use]
    pub fn entries_ahead(&self) -> &[Entry] {
        &self.entries
    }

    /// How many lines the compiled programs have left to the exact engine so far: those with errors, and those of
    /// instructions that cannot be compiled.
    #[must_use]
    pub fn exact_lines(&self) -> u64 {
        self.exact
    }

    /// Looks for labels in the next bytes of the stream; gives how many bytes were used. What is left, a part of an
    /// instruction, must be given again before the bytes that follow.
    pub fn mark(&mut self, bytes: &[u8]) -> usize {
        if self.targets.is_none() {
            return bytes.len();
        }
        let plan = self.plan;
        let marker = self.marker.get_or_insert_with(|| Marker::new(plan));
        // Apart, so that the loop over words that go nowhere stays small.
        let mut jumps = Jumps {
            places: self.places,
            targets: self.targets.get_or_insert_default(),
            // The pre-pass records no errors.
            scopes: Scopes::new(plan, false),
            compat: self.options.compat,
        };
        let mut used = match self.fetcher.fixed() {
            Some(4) => jumps.every::<4>(marker, bytes, &mut self.marked),
            Some(8) => jumps.every::<8>(marker, bytes, &mut self.marked),
            Some(16) => jumps.every::<16>(marker, bytes, &mut self.marked),
            _ => 0,
        };
        while let Some((limbs, size)) = self.fetcher.quick(bytes, used) {
            jumps.targets.start(self.marked);
            if let Some(block) = marker.steps(&limbs, size as u32 * 8) {
                jumps.add(marker, block, &limbs, size as u32 * 8, self.marked);
            }
            used += size;
            self.marked += places_of(self.places, size);
        }
        while let Some(fetched) = self.fetcher.next(bytes.get(used..).or_impossible(&[])) {
            jumps.targets.start(self.marked);
            if fetched.known
                && let Some(block) = marker.steps(fetched.limbs(), fetched.bits)
            {
                jumps.add(marker, block, fetched.limbs(), fetched.bits, self.marked);
            }
            used += fetched.size;
            self.marked += places_of(self.places, fetched.size);
        }
        used
    }

    /// Appends the lines of the next bytes of the stream; gives how many bytes were used, all that make whole
    /// instructions. What is left must be given again before the bytes that follow; at the end it is ignored.
    pub fn feed(&mut self, bytes: &[u8], hooks: &mut dyn Hooks, out: &mut Vec<u8>) -> usize {
        self.advance(bytes, usize::MAX, hooks, out)
    }

    /// Appends the lines of the next instruction alone; gives how many bytes it took, `None` if fewer bytes are left or
    /// the disassembly has stopped.
    pub fn step(&mut self, bytes: &[u8], hooks: &mut dyn Hooks, out: &mut Vec<u8>) -> Option<usize> {
        let used = self.advance(bytes, 1, hooks, out);
        (used > 0).then_some(used)
    }

    fn advance(&mut self, bytes: &[u8], most: usize, hooks: &mut dyn Hooks, out: &mut Vec<u8>) -> usize {
        let mut used = 0;
        let quick = self.is_quick(hooks);
        self.engine.keep_custom(hooks.custom_is_fixed());
        for _ in 0..most {
            if self.stopped {
                break;
            }
            if self.ahead.is_some() {
                self.enter_context(hooks);
            }
            if quick
                && let Some((limbs, size)) = self.fetcher.quick(bytes, used)
                && self.quick_line(&limbs, size, hooks, out)
            {
                if let Some(ahead) = &mut self.ahead {
                    ahead.pass(self.plan, &Word::from_limbs(&limbs, size as u32 * 8));
                }
                self.position += places_of(self.places, size);
                used += size;
                continue;
            }
            let Some(fetched) = self.fetcher.next(bytes.get(used..).or_impossible(&[])) else { break };
            if self.options.max_errors > 0 && self.bad > self.options.max_errors {
                self.stopped = true;
                break;
            }
            self.line(&fetched, hooks, out);
            if let Some(ahead) = self.ahead.as_mut().filter(|_| fetched.known) {
                ahead.pass(self.plan, &fetched.word());
            }
            self.position += places_of(self.places, fetched.size);
            used += fetched.size;
        }
        used
    }

    /// Makes `scopes` and `engine` those of the context of the next instruction.
    fn enter_context(&mut self, hooks: &dyn Hooks) {
        let next = self.ahead.map_or(0, |ahead| ahead.next());
        if next == self.context {
            return;
        }
        let Some(place) = self.others.get_mut(next) else { return impossible(()) };
        let (plan, options) = (self.plan, &self.options);
        let (mut scopes, mut engine) = place.take().unwrap_or_else(|| {
            let plan = plan.within(next);
            (Scopes::new(plan, options.show_errors), Engine::new(plan, options.labels))
        });
        engine.keep_custom(hooks.custom_is_fixed());
        // Errors stay until a line that shows them.
        std::mem::swap(&mut scopes.errors, &mut self.scopes.errors);
        let left = (std::mem::replace(&mut self.scopes, scopes), std::mem::replace(&mut self.engine, engine));
        if let Some(place) = self.others.get_mut(std::mem::replace(&mut self.context, next)) {
            *place = Some(left);
        }
    }

    /// Whether [`Stream::quick_line`] can be tried.
    fn is_quick(&self, hooks: &dyn Hooks) -> bool {
        self.fetcher.has_quick() && self.options.max_errors == 0 && !hooks.wants_lines() && !hooks.wants_fields()
    }

    /// Appends the line of an instruction without errors, labels and hooks; `false` if it is not of this kind, with
    /// nothing appended.
    #[inline]
    fn quick_line(&mut self, limbs: &[u64], size: usize, hooks: &mut dyn Hooks, out: &mut Vec<u8>) -> bool {
        if self.scopes.errors.count() > 0 {
            return false;
        }
        if self.has_label_lines() {
            self.label_lines(&mut |_, _| {}, out);
        }
        let mut line = Line::new(out, self.position, self.places, self.targets.as_mut(), self.options.compat);
        if self.engine.instruction(limbs, size as u32 * 8, hooks, &mut line) != Outcome::Printed {
            return false;
        }
        self.bad = 0;
        out.push(b'\n');
        true
    }

    /// Whether lines stand before the current instruction that are not yet printed.
    #[inline]
    fn has_label_lines(&mut self) -> bool {
        match &self.targets {
            Some(targets) if targets.next() <= self.position || self.next_entry <= self.position => self.is_labelled(),
            _ => false,
        }
    }

    #[inline(never)]
    fn is_labelled(&mut self) -> bool {
        let (position, Some(targets)) = (self.position, &mut self.targets) else { return impossible(false) };
        targets.pass(position);
        self.labelled != Some(position) && (targets.is_target(position) || self.next_entry <= position)
    }

    fn line(&mut self, fetched: &Fetched, hooks: &mut dyn Hooks, out: &mut Vec<u8>) {
        let lines = hooks.wants_lines();
        if self.has_label_lines() {
            let word = fetched.word();
            self.label_lines(
                &mut |position, out| {
                    if lines {
                        hooks.before(position, &word, out);
                    }
                },
                out,
            );
        }
        if lines {
            hooks.before(self.position, &fetched.word(), out);
        }
        let mut line = Line::new(out, self.position, self.places, self.targets.as_mut(), self.options.compat);
        let mut outcome = Outcome::Undecided;
        if !fetched.known {
            outcome = Outcome::NoMatch;
        } else if self.scopes.errors.count() == 0 && !hooks.wants_fields() {
            outcome = self.engine.instruction(fetched.limbs(), fetched.bits, hooks, &mut line);
        }
        if outcome == Outcome::Undecided {
            self.exact += 1;
            outcome = match exact::instruction(&mut self.scopes, &fetched.word(), hooks, &mut line) {
                true => Outcome::Printed,
                false => Outcome::NoMatch,
            };
        }
        if outcome == Outcome::NoMatch {
            // Errors stay until a line that shows them.
            hooks.no_match(&fetched.word(), out);
            self.bad += 1;
            return;
        }
        if self.scopes.errors.count() > 0 {
            out.extend_from_slice(b"\t; ");
            out.extend_from_slice(self.scopes.errors.text());
            self.scopes.errors.clear();
            self.bad += 1;
        } else {
            self.bad = 0;
        }
        if lines {
            hooks.after(self.position, &fetched.word(), out);
        }
        out.push(b'\n');
    }

    /// Appends what stands before the current instruction, once; `before` is called before each line.
    fn label_lines(&mut self, before: &mut dyn FnMut(u64, &mut Vec<u8>), out: &mut Vec<u8>) {
        let position = self.position;
        let Some(targets) = &self.targets else { return impossible(()) };
        self.labelled = Some(position);
        // Nothing refers to the labels of a place that has a name.
        let plain = targets.name_of(position).is_none();
        let (called, branched) = (targets.is_call(position), targets.is_branch(position));
        let named = self.entries.last().is_some_and(|entry| entry.offset == position);
        if position != 0 && (called || named) {
            before(position, out);
            out.push(b'\n');
        }
        while let Some(entry) = self.entries.pop_if(|entry| entry.offset <= position) {
            if entry.offset == position {
                before(position, out);
                out.extend_from_slice(&entry.name);
                out.extend_from_slice(b":\n");
            } else {
                self.inside.push(entry);
            }
        }
        self.next_entry = next_offset(&self.entries);
        for (is_target, prefix) in [(called, "fxn"), (branched, "l")] {
            if is_target && plain {
                before(position, out);
                out.extend_from_slice(prefix.as_bytes());
                crate::value::unsigned(position, out);
                out.extend_from_slice(b":\n");
            }
        }
    }
}

/// Where the nearest entry is; the greatest number if there is none.
fn next_offset(entries: &[Entry]) -> u64 {
    entries.last().map_or(u64::MAX, |entry| entry.offset)
}

/// How many places an instruction of so many bytes takes: one where all have one length, else its bytes.
#[inline]
fn places_of(places: Places, size: usize) -> u64 {
    if places.bytes == 1 { size as u64 } else { size as u64 / places.bytes.max(1) }
}

/// What the pre-pass adds to.
struct Jumps<'s, 'p, 'a> {
    places: Places,
    targets: &'s mut Targets,
    scopes: Scopes<'p, 'a>,
    compat: Compat,
}

impl Jumps<'_, '_, '_> {
    /// Adds where the instructions of `N` bytes jump to; gives how many bytes were used.
    fn every<const N: usize>(&mut self, marker: &mut Marker<'_, '_>, bytes: &[u8], position: &mut u64) -> usize {
        let (words, _) = bytes.as_chunks::<N>();
        let first = *position;
        let sieve = marker.sieve();
        for (word, at) in words.iter().zip(first..) {
            if sieve.passes(word)
                && let Some(limbs) = small(word)
                && let Some(block) = marker.steps(&limbs, 8 * N as u32)
            {
                self.add(marker, block, &limbs, 8 * N as u32, at);
            }
        }
        *position = first + words.len() as u64;
        N * words.len()
    }

    /// Adds where the instruction at `position` jumps to.
    #[inline(never)]
    fn add(&mut self, marker: &Marker<'_, '_>, block: BlockId, limbs: &[u64], bits: u32, position: u64) {
        if marker.mark(block, limbs, position, self.places, self.targets) {
            return;
        }
        let mut out = Vec::new();
        let mut line = Line::new(&mut out, position, self.places, Some(self.targets), self.compat);
        exact::instruction(&mut self.scopes, &Word::from_limbs(limbs, bits), &mut Plain, &mut line);
    }
}
