//! A buffered output that remembers the text of values that come again and again, and of the fields that a record shares
//! with the one of the same layout before it.

use std::io::{self, Write};

use crate::record::RecId;
use crate::store::Store;
use crate::value::{Val, ValueKind};

/// Bytes that are gathered before they are written.
const BUFFER: usize = 1 << 20;

/// Bytes of remembered text; most values that repeat are short.
const MAX_KEPT: usize = 1 << 25;

/// Texts longer than this are not remembered.
const MAX_TEXT: usize = 1 << 12;

/// The last record of a layout that was written, and where its fields are in the buffer.
#[derive(Default)]
pub(crate) struct Last {
    /// Which filling of the buffer; 0 is none.
    filling: u64,
    rec: Option<RecId>,
    /// Where the text of the fields begins.
    start: usize,
    /// Where the text of each field ends, from there.
    ends: Vec<u32>,
    /// Whether the fields are printed in the order in which records have them; not known at first.
    in_order: Option<bool>,
}

/// Where output goes.
pub(crate) struct Sink<'a> {
    out: &'a mut dyn Write,
    pub(crate) buffer: Vec<u8>,
    /// Start and length in `kept`; length 0: not seen, `u32::MAX`: seen once.
    known: Vec<(u32, u32)>,
    kept: Vec<u8>,
    /// Bytes of one value's text above which printing stops.
    max: usize,
    /// How often the buffer was filled from its start.
    filling: u64,
}

impl<'a> Sink<'a> {
    pub(crate) fn new(out: &'a mut dyn Write, store: &Store) -> Sink<'a> {
        Sink {
            out,
            buffer: Vec::with_capacity(BUFFER + (BUFFER >> 3)),
            known: vec![(0, 0); store.vals.len()],
            kept: Vec::new(),
            max: store.max_text.max(2 * BUFFER),
            filling: 1,
        }
    }

    /// Writes what has gathered, if it is enough.
    pub(crate) fn relieve(&mut self) -> io::Result<()> {
        if self.buffer.len() > self.max {
            return Err(io::Error::other("the text of a value is too long"));
        }
        if self.buffer.len() >= BUFFER { self.flush() } else { Ok(()) }
    }

    pub(crate) fn flush(&mut self) -> io::Result<()> {
        self.out.write_all(&self.buffer)?;
        self.buffer.clear();
        self.filling += 1;
        Ok(())
    }

    /// Writes the fields of a record in the order of `places`: those that are as in the last record of the layout are
    /// copied in runs, the others are written by `write`.
    pub(crate) fn fields(
        &mut self,
        last: &mut Last,
        rec: RecId,
        store: &Store,
        places: &[u16],
        mut write: impl FnMut(&mut Sink<'a>, usize),
    ) {
        let count = places.len();
        let before = last.rec.filter(|_| last.filling == self.filling && last.ends.len() == count);
        let then = before.map_or(&[][..], |rec| &store.rec(rec).values);
        let now = &store.rec(rec).values;
        let same = |&&at: &&u16| {
            let at = usize::from(at);
            then.get(at).is_some_and(|v| now.get(at) == Some(v))
        };
        // Where no field is printed out of its order, the columns are compared as they are.
        let rising = || places.iter().enumerate().all(|(i, &at)| i == usize::from(at));
        let in_order = *last.in_order.get_or_insert_with(rising) && then.len() == count && now.len() == count;
        let unchanged = |at: usize| match (then.get(at..), now.get(at..)) {
            (Some(then), Some(now)) if in_order => then.iter().zip(now).take_while(|(a, b)| a == b).count(),
            _ => places[at..].iter().take_while(same).count(),
        };
        let from = std::mem::replace(&mut last.start, self.buffer.len());
        last.rec = Some(rec);
        last.filling = self.filling;
        last.ends.resize(count, 0);
        // Where the field before this one ends in the old text.
        let mut old_end = 0;
        let mut at = 0;
        while at < count {
            let to = at + unchanged(at);
            if to > at {
                let moved = ((self.buffer.len() - last.start) as u32).wrapping_sub(old_end);
                let run_end = last.ends[to - 1];
                self.buffer.extend_from_within(from + old_end as usize..from + run_end as usize);
                if moved != 0 {
                    for end in &mut last.ends[at..to] {
                        *end = end.wrapping_add(moved);
                    }
                }
                old_end = run_end;
                at = to;
                continue;
            }
            write(self, at);
            old_end = std::mem::replace(&mut last.ends[at], (self.buffer.len() - last.start) as u32);
            at += 1;
        }
    }

    /// Adds the text of a value, made by `write` unless it is remembered.
    pub(crate) fn value(&mut self, v: Val, write: impl FnOnce(&mut Vec<u8>)) {
        let Some(slot) = self.known.get_mut(v.index()) else { return write(&mut self.buffer) };
        match *slot {
            (_, 0) => {
                *slot = (0, u32::MAX);
                write(&mut self.buffer);
            }
            (_, u32::MAX) => {
                let from = self.buffer.len();
                write(&mut self.buffer);
                let text = &self.buffer[from..];
                if !text.is_empty() && text.len() <= MAX_TEXT && self.kept.len() < MAX_KEPT {
                    *slot = (self.kept.len() as u32, text.len() as u32);
                    self.kept.extend_from_slice(text);
                }
            }
            (start, len) => {
                let text = &self.kept[start as usize..(start + len) as usize];
                self.buffer.extend_from_slice(text);
            }
        }
    }

    /// Adds the text of a value as print-records shows it.
    pub(crate) fn text(&mut self, store: &Store, v: Val) {
        match store.vals.kind(v) {
            ValueKind::Unset => self.buffer.push(b'?'),
            ValueKind::Bit => self.buffer.push(if v == Val::TRUE { b'1' } else { b'0' }),
            _ => self.value(v, |out| store.write_val(v, out)),
        }
    }
}
