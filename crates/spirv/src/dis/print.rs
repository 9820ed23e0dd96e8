//! One instruction as one line of text, written straight into a buffer.
//!
//! Copies have fixed sizes wherever that is longer than what is needed: sixteen bytes of a name's slot, sixty-four of a
//! table name; the write position then moves by the true length.

use isaglot_invariant::Impossible as _;

use super::Write;
use super::decode::{Bad, Decoder, Nothing, Sink, string_bytes};
use super::names::{LONG, MADE, Names};
use crate::grammar::Grammar;
use crate::grammar::compile::PAD;
use crate::grammar::rows::*;
use crate::limits;
use crate::number::NumberType;
use crate::number::print::number;

/// A buffer whose bytes are all initialised; text is what lies before `pos`. It is handed on to `write`, if there is
/// one.
pub(crate) struct Out<'w> {
    buf: Vec<u8>,
    pub(crate) pos: usize,
    /// Bytes that were handed on.
    passed: usize,
    write: Option<&'w mut Write<'w>>,
    /// The receiver wants more.
    pub(crate) open: bool,
    /// Text may leave before its line is whole.
    flows: bool,
}

impl<'w> Out<'w> {
    pub(crate) fn new(write: Option<&'w mut Write<'w>>) -> Out<'w> {
        Out { buf: vec![0; 1 << 12], pos: 0, passed: 0, write, open: true, flows: false }
    }

    /// Bytes written so far, those handed on included.
    pub(crate) fn written(&self) -> usize {
        self.passed + self.pos
    }

    /// Whether some text has left.
    pub(crate) fn has_passed(&self) -> bool {
        self.passed > 0
    }

    /// Hands on what there is.
    pub(crate) fn flush(&mut self) {
        if let Some(write) = &mut self.write
            && self.open
            && self.pos > 0
        {
            self.open = write(self.buf.get(..self.pos).or_impossible_default());
        }
        self.passed += self.pos;
        self.pos = 0;
    }

    /// Hands on what there is if it is much.
    #[inline]
    pub(crate) fn flush_if_full(&mut self) {
        if self.pos > limits::CHUNK_BYTES {
            self.flush();
        }
    }

    /// Makes room for `n` bytes.
    #[inline]
    pub(crate) fn reserve(&mut self, n: usize) {
        if self.pos + n > self.buf.len() {
            self.grow(n);
        }
    }

    #[cold]
    fn grow(&mut self, n: usize) {
        let len = (self.buf.len() * 2).max(self.pos + n);
        self.buf.resize(len, 0);
    }

    /// Copies `N` bytes of which `len` count; there must be room for `N`.
    #[inline]
    fn fixed<const N: usize>(&mut self, bytes: &[u8; N], len: usize) {
        if let Some(to) = self.buf.get_mut(self.pos..).and_then(|b| b.first_chunk_mut::<N>()) {
            *to = *bytes;
        }
        self.pos += len;
    }

    #[inline]
    pub(crate) fn byte(&mut self, b: u8) {
        if let Some(to) = self.buf.get_mut(self.pos) {
            *to = b;
        }
        self.pos += 1;
    }

    /// Appends bytes.
    #[inline]
    pub(crate) fn bytes(&mut self, bytes: &[u8]) {
        self.reserve(bytes.len());
        if let Some(to) = self.buf.get_mut(self.pos..self.pos + bytes.len()) {
            to.copy_from_slice(bytes);
        }
        self.pos += bytes.len();
    }

    #[inline]
    pub(crate) fn spaces(&mut self, n: usize) {
        if n <= 16 {
            self.reserve(16);
            self.fixed(b"                ", n);
        } else {
            self.reserve(n);
            if let Some(to) = self.buf.get_mut(self.pos..self.pos + n) {
                to.fill(b' ');
            }
            self.pos += n;
        }
    }

    /// Appends a name of the grammar.
    #[inline]
    fn table_name(&mut self, g: &Grammar<'_>, s: Str) {
        self.reserve(PAD);
        let len = s.len as usize;
        if len <= 32 {
            let padded = g.padded(s);
            if let Some(short) = padded.first_chunk::<32>() {
                self.fixed(short, len);
            }
        } else {
            self.bytes(g.bytes(s));
        }
    }

    /// Appends a number in decimal.
    #[inline]
    pub(crate) fn decimal(&mut self, n: u32) {
        const PAIRS: [[u8; 2]; 100] = {
            let mut t = [[0; 2]; 100];
            let mut i = 0;
            while i < 100 {
                t[i] = [b'0' + (i / 10) as u8, b'0' + (i % 10) as u8];
                i += 1;
            }
            t
        };
        self.reserve(16);
        if n < 10 {
            return self.byte(b'0' + n as u8);
        }
        let mut digits = [b'0'; 16];
        let mut at = 16;
        let mut n = n;
        while n >= 10 {
            let pair = PAIRS[(n % 100) as usize];
            n /= 100;
            at -= 2;
            if let Some(to) = digits.get_mut(at..at + 2) {
                to.copy_from_slice(&pair);
            }
        }
        if n > 0 {
            at -= 1;
            if let Some(to) = digits.get_mut(at) {
                *to = b'0' + n as u8;
            }
        } else if digits.get(at) == Some(&b'0') {
            at += 1;
        }
        self.bytes(digits.get(at..).or_impossible_default());
    }

    /// What was written so far.
    pub(crate) fn text(&self) -> &[u8] {
        self.buf.get(..self.pos).or_impossible_default()
    }

    /// Forgets what was written.
    #[cfg(feature = "listing")]
    pub(crate) fn clear(&mut self) {
        self.pos = 0;
    }
}

/// Colours of the terminal.
pub(crate) mod color {
    pub(crate) const RESET: &[u8] = b"\x1b[0m";
    pub(crate) const GREY: &[u8] = b"\x1b[1;30m";
    pub(crate) const RED: &[u8] = b"\x1b[31m";
    pub(crate) const GREEN: &[u8] = b"\x1b[32m";
    pub(crate) const YELLOW: &[u8] = b"\x1b[33m";
    pub(crate) const BLUE: &[u8] = b"\x1b[34m";
}

/// Prints instructions.
pub(crate) struct Printer<'a, const COLOR: bool> {
    pub(crate) grammar: Grammar<'a>,
    pub(crate) names: &'a Names<'a>,
    /// Numbers without a literal form become `!` words.
    pub(crate) wide: bool,
    pub(crate) out: Out<'a>,
    /// Bytes of colour in the present line.
    pub(crate) hidden: usize,
    pub(crate) scratch: Vec<u8>,
}

impl<const COLOR: bool> Printer<'_, COLOR> {
    #[inline]
    pub(crate) fn color(&mut self, c: &[u8]) {
        if COLOR {
            self.out.bytes(c);
            self.hidden += c.len();
        }
    }

    /// `%` and the name of an id.
    #[inline]
    fn id_name(&mut self, id: u32) {
        self.out.reserve(32);
        self.out.byte(b'%');
        match self.names.slot(id) {
            Some(s) if s[15] != 0 => {
                if s[15] >= MADE {
                    self.long_name(id);
                } else {
                    self.out.fixed(s, usize::from(s[15]));
                }
            }
            _ => self.out.decimal(id),
        }
    }

    /// A name that does not fit its slot.
    #[inline(never)]
    fn long_name(&mut self, id: u32) {
        match self.names.slot(id) {
            Some(s) if s[15] == LONG => self.out.bytes(self.names.long(s)),
            _ => {
                let mut name = std::mem::take(&mut self.scratch);
                name.clear();
                self.names.push(&mut name, id);
                self.out.bytes(&name);
                self.scratch = name;
            }
        }
        if self.out.flows {
            self.out.flush_if_full();
        }
    }

    /// Length of an id's name without `%`.
    #[inline]
    fn id_len(&self, id: u32) -> usize {
        match self.names.slot(id) {
            Some(s) if s[15] != 0 => self.names.len(s),
            _ => id.checked_ilog10().unwrap_or(0) as usize + 1,
        }
    }

    /// The instruction at word `at` as a line without end; the next instruction's place. On an error the line is taken
    /// back. `nest` is the extra indentation of the opcode.
    #[inline]
    pub(crate) fn line(
        &mut self,
        decoder: &mut Decoder<'_>,
        at: usize,
        indent: usize,
        nest: usize,
        fresh: bool,
    ) -> Result<usize, Box<Bad>> {
        let start = self.out.pos;
        self.hidden = 0;
        let first = decoder.words.get(at).copied().unwrap_or(0);
        let opcode = first as u16;
        if (first >> 16) as usize > limits::HELD_WORDS {
            return self.long_line(decoder, at, indent, nest, fresh);
        }
        self.line_start(decoder, at, opcode, indent, nest);
        let done = decoder.instruction(at, fresh, self);
        if done.is_err() {
            self.out.pos = start;
        }
        done
    }

    /// The same for an instruction of very many words, whose text may leave while it is printed.
    #[cold]
    fn long_line(
        &mut self,
        decoder: &mut Decoder<'_>,
        at: usize,
        indent: usize,
        nest: usize,
        fresh: bool,
    ) -> Result<usize, Box<Bad>> {
        let next = decoder.instruction(at, fresh, &mut Nothing)?;
        self.line_start(decoder, at, decoder.words.get(at).copied().unwrap_or(0) as u16, indent, nest);
        self.out.flows = self.out.write.is_some();
        let done = decoder.instruction(at, false, self);
        self.out.flows = false;
        done.map(|_| next)
    }

    /// What stands before the operands.
    #[inline]
    fn line_start(&mut self, decoder: &Decoder<'_>, at: usize, opcode: u16, indent: usize, nest: usize) {
        if let Some(op) = self.grammar.op(opcode) {
            if op.flags & HAS_RESULT != 0 {
                let place = at + if op.flags & HAS_TYPE != 0 { 2 } else { 1 };
                let result = decoder.words.get(place).copied().unwrap_or(0);
                self.color(color::BLUE);
                self.out.spaces(indent.saturating_sub(4 + self.id_len(result)));
                self.id_name(result);
                self.color(color::RESET);
                self.out.reserve(16);
                self.out.fixed(b" =  ", 3);
            } else {
                self.out.spaces(indent);
            }
            if nest > 0 {
                self.out.spaces(nest);
            }
            self.out.table_name(&self.grammar, op.name);
        }
    }
}

impl<const COLOR: bool> Sink for Printer<'_, COLOR> {
    #[inline]
    fn id(&mut self, kind: u8, id: u32) {
        if kind == ID_RESULT {
            return;
        }
        self.out.reserve(32);
        self.out.byte(b' ');
        self.color(color::YELLOW);
        self.id_name(id);
        self.color(color::RESET);
    }

    #[inline]
    fn number(&mut self, words: &[u32], ty: NumberType) {
        self.out.reserve(32);
        self.out.byte(b' ');
        self.color(color::RED);
        match (words, ty) {
            ([n], NumberType::Int { signed: false, .. }) => self.out.decimal(*n),
            _ => {
                let mut text = std::mem::take(&mut self.scratch);
                text.clear();
                number(&mut text, words, ty);
                if text.is_empty() && self.wide {
                    // No literal says this; raw words do.
                    for (i, w) in words.iter().enumerate() {
                        text.extend_from_slice(if i == 0 { b"!" } else { b" !" });
                        crate::number::print::decimal(&mut text, u64::from(*w));
                    }
                }
                self.out.bytes(&text);
                self.scratch = text;
            }
        }
        self.color(color::RESET);
        self.color(color::RESET);
    }

    fn string(&mut self, words: &[u32]) {
        self.out.bytes(b" \"");
        self.color(color::GREEN);
        // Every byte may need an escape.
        self.out.reserve(words.len() * 8);
        for b in string_bytes(words) {
            if b == b'"' || b == b'\\' {
                self.out.byte(b'\\');
            }
            self.out.byte(b);
        }
        self.color(color::RESET);
        self.out.bytes(b"\"");
        self.color(color::RESET);
    }

    #[inline]
    fn name(&mut self, name: Str) {
        self.out.reserve(PAD + 1);
        self.out.byte(b' ');
        self.out.table_name(&self.grammar, name);
        self.color(color::RESET);
    }

    fn mask(&mut self, group: &GroupRow, value: u32) {
        self.out.reserve(PAD + 1);
        self.out.byte(b' ');
        if value == 0
            && let Some(row) = self.grammar.member(group, 0)
        {
            self.out.table_name(&self.grammar, row.name);
        }
        let mut bits = value;
        while bits != 0 {
            let bit = bits & bits.wrapping_neg();
            bits ^= bit;
            if let Some(row) = self.grammar.member(group, bit) {
                self.out.table_name(&self.grammar, row.name);
            }
            if bits != 0 {
                self.out.bytes(b"|");
            }
        }
        self.color(color::RESET);
    }

    fn nested(&mut self, name: Option<Str>, number: u32) {
        self.out.reserve(PAD + 1);
        self.out.byte(b' ');
        self.color(color::RED);
        match name {
            Some(name) => self.out.table_name(&self.grammar, name),
            None => self.out.decimal(number),
        }
        self.color(color::RESET);
    }
}
