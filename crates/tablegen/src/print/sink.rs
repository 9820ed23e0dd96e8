//! A buffered output that remembers the text of values that come again and again (see [`crate::texts`]), and of the fields
//! that a record shares with the one of the same layout before it.

use std::io::{self, Write};

use crate::record::RecId;
use crate::store::Store;
use crate::text::Writer;
use crate::texts::Texts;
use crate::value::{Val, ValueKind};

/// Bytes that are gathered before they are written.
const BUFFER: usize = 1 << 20;

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
    pub(crate) texts: Texts,
    /// Bytes of one value's text above which printing stops.
    max: usize,
    /// How often the buffer was filled from its start.
    filling: u64,
    /// Which fields of a record are as in the last one of its layout; kept for its memory.
    same: Vec<bool>,
}

impl<'a> Sink<'a> {
    pub(crate) fn new(out: &'a mut dyn Write, store: &Store) -> Sink<'a> {
        Sink {
            out,
            buffer: Vec::with_capacity(BUFFER + (BUFFER >> 3)),
            texts: Texts::new(store.vals.len()),
            max: store.max_text.max(2 * BUFFER),
            filling: 1,
            same: Vec::new(),
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
        let now = &store.rec(rec).values;
        let then = before.map(|rec| &store.rec(rec).values).filter(|then| then.len() == count && now.len() == count);
        let then = then.map_or(&[][..], |then| then);
        // Where no field is printed out of its order, the columns are compared as they are.
        let rising = || places.iter().enumerate().all(|(i, &at)| i == usize::from(at));
        let in_order = *last.in_order.get_or_insert_with(rising);
        let mut same = std::mem::take(&mut self.same);
        same.clear();
        if !in_order {
            same.extend(then.iter().zip(now).map(|(a, b)| a == b));
        }
        let unchanged = |at: usize| match (then.get(at..), now.get(at..)) {
            (Some(then), Some(now)) if in_order => then.iter().zip(now).take_while(|(a, b)| a == b).count(),
            _ => places[at..].iter().take_while(|&&at| same.get(usize::from(at)) == Some(&true)).count(),
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
        self.same = same;
    }

    /// Adds the text of a value as print-records shows it.
    pub(crate) fn text(&mut self, store: &Store, v: Val) {
        match store.vals.kind(v) {
            ValueKind::Unset => self.buffer.push(b'?'),
            ValueKind::Bit => self.buffer.push(if v == Val::TRUE { b'1' } else { b'0' }),
            _ => Writer::new(store, &mut self.buffer, Some(&mut self.texts)).known(v),
        }
    }
}
