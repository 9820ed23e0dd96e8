//! A stream of instructions as lines of text.
//!
//! The stream comes in pieces of any size and the text is appended to the caller's buffer, so memory does not grow with
//! the input. Labels need to know the whole stream: [`Stream::mark`] is fed it once before.
//!
//! What a line is, when errors are shown and forgotten, and what stands before an instruction is the reference's
//! driver (reference 1.10).

use isaglot_bits::Word;
use isaglot_codec::{Plan, Scopes};
use isaglot_model::ByteOrder;

use crate::exact::{self, Line};
use crate::labels::{Places, Targets};
use crate::options::{Entry, Hooks, Options, Plain};

/// The state of a disassembly.
#[derive(Debug)]
pub struct Stream<'p, 'a> {
    scopes: Scopes<'p, 'a>,
    options: Options,
    targets: Option<Targets>,
    places: Places,
    /// Entries that are still ahead, the nearest last.
    entries: Vec<Entry>,
    position: u64,
    marked: u64,
    /// Bad instructions in a row up to here.
    bad: u64,
    stopped: bool,
}

impl<'p, 'a> Stream<'p, 'a> {
    /// The start of a stream of `total` bytes. `total` counts only for labels.
    #[must_use]
    pub fn new(plan: &'p Plan<'a>, options: Options, total: u64) -> Self {
        let format = plan.isa().format();
        let fixed = format.lengths.is_empty();
        let places = Places { bytes: if fixed { u64::from(format.max_bits / 8) } else { 1 } };
        let mut entries = if options.labels { options.entries.clone() } else { Vec::new() };
        entries.sort_by(|a, b| b.cmp(a));
        Self {
            scopes: Scopes::new(plan, options.show_errors),
            targets: options.labels.then(|| Targets::new(total / places.bytes.max(1))),
            places,
            entries,
            options,
            position: 0,
            marked: 0,
            bad: 0,
            stopped: false,
        }
    }

    /// Whether too many bad instructions ended the disassembly.
    #[must_use]
    pub fn stopped(&self) -> bool {
        self.stopped
    }

    /// Looks for labels in the next piece of the stream; gives how many bytes were used. What is left of an
    /// instruction is to be given again in front of the next piece.
    pub fn mark(&mut self, bytes: &[u8]) -> usize {
        let Some(mut targets) = self.targets.take() else { return bytes.len() };
        // The pre-pass records no errors.
        let mut scopes = Scopes::new(self.scopes.plan(), false);
        let mut out = Vec::new();
        let mut used = 0;
        while let Some((word, size)) = next(scopes.plan(), bytes.get(used..).unwrap_or(&[])) {
            out.clear();
            let mut line = Line {
                out: &mut out,
                start: 0,
                position: self.marked,
                places: self.places,
                targets: Some(&mut targets),
                compat: self.options.compat,
            };
            if let Some(word) = word {
                exact::instruction(&mut scopes, &word, &mut Plain, &mut line);
            }
            used += size;
            self.marked += size as u64 / self.places.bytes.max(1);
        }
        self.targets = Some(targets);
        used
    }

    /// Appends the lines of the next piece of the stream; gives how many bytes were used, all that make whole
    /// instructions. What is left is to be given again in front of the next piece; at the end it is ignored.
    pub fn feed(&mut self, bytes: &[u8], hooks: &mut dyn Hooks, out: &mut Vec<u8>) -> usize {
        self.advance(bytes, usize::MAX, hooks, out)
    }

    /// Appends the lines of the next instruction alone; gives how many bytes it took, `None` if there is no whole one or
    /// the disassembly has stopped.
    pub fn step(&mut self, bytes: &[u8], hooks: &mut dyn Hooks, out: &mut Vec<u8>) -> Option<usize> {
        let used = self.advance(bytes, 1, hooks, out);
        (used > 0).then_some(used)
    }

    fn advance(&mut self, bytes: &[u8], most: usize, hooks: &mut dyn Hooks, out: &mut Vec<u8>) -> usize {
        let mut used = 0;
        for _ in 0..most {
            if self.stopped {
                break;
            }
            let Some((word, size)) = next(self.scopes.plan(), bytes.get(used..).unwrap_or(&[])) else { break };
            if self.options.max_errors > 0 && self.bad > self.options.max_errors {
                self.stopped = true;
                break;
            }
            let places = size as u64 / self.places.bytes.max(1);
            let no_length = word.is_none();
            let word = word
                .unwrap_or_else(|| Word::from_le_bytes(bytes.get(used..used + size).unwrap_or(&[]), size as u32 * 8));
            self.line(&word, no_length, hooks, out);
            self.position += places;
            used += size;
        }
        used
    }

    fn line(&mut self, word: &Word, no_length: bool, hooks: &mut dyn Hooks, out: &mut Vec<u8>) {
        if self.targets.is_some() {
            self.label_lines(word, hooks, out);
        }
        hooks.before(self.position, word, out);
        let start = out.len();
        let mut line = Line {
            out,
            start,
            position: self.position,
            places: self.places,
            targets: self.targets.as_mut(),
            compat: self.options.compat,
        };
        if no_length || !exact::instruction(&mut self.scopes, word, hooks, &mut line) {
            // Errors stay until a line that shows them.
            hooks.no_match(word, out);
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
        hooks.after(self.position, word, out);
        out.push(b'\n');
    }

    fn label_lines(&mut self, word: &Word, hooks: &mut dyn Hooks, out: &mut Vec<u8>) {
        let position = self.position;
        let Some(targets) = &self.targets else { return };
        let called = targets.is_call(position);
        let named = self.entries.last().is_some_and(|entry| entry.offset == position);
        if position != 0 && (called || named) {
            hooks.before(position, word, out);
            out.push(b'\n');
        }
        while let Some(entry) = self.entries.pop_if(|entry| entry.offset <= position) {
            if entry.offset == position {
                hooks.before(position, word, out);
                out.extend_from_slice(&entry.name);
                out.extend_from_slice(b":\n");
            }
        }
        for (is_target, prefix) in [(called, "fxn"), (targets.is_branch(position), "l")] {
            if is_target {
                hooks.before(position, word, out);
                out.extend_from_slice(prefix.as_bytes());
                crate::value::unsigned(position, out);
                out.extend_from_slice(b":\n");
            }
        }
    }
}

/// The next instruction and its size in bytes; `None` in place of the word if nothing starts so. `None` at the end.
fn next(plan: &Plan<'_>, bytes: &[u8]) -> Option<(Option<Word>, usize)> {
    let format = plan.isa().format();
    let parcel = (format.parcel_bits / 8) as usize;
    let bits = if format.lengths.is_empty() {
        format.max_bits
    } else {
        match plan.length(&word_at(bytes.get(..parcel)?, format.parcel_bits, parcel, format.byte_order)) {
            Some(bits) => bits,
            None => return Some((None, parcel)),
        }
    };
    let size = (bits / 8) as usize;
    Some((Some(word_at(bytes.get(..size)?, bits, parcel, format.byte_order)), size))
}

/// The word of these bytes.
fn word_at(bytes: &[u8], bits: u32, parcel: usize, order: ByteOrder) -> Word {
    let _ = parcel;
    match order {
        ByteOrder::Little => Word::from_le_bytes(bytes, bits),
        ByteOrder::Big => {
            let mut word = Word::zero(bits);
            for (i, &byte) in bytes.iter().rev().enumerate() {
                word.insert(8 * i as u32, 8, u64::from(byte));
            }
            word
        }
    }
}
