//! Words of whole lines that differ from earlier ones in nothing but registers, immediates and a distance.
//!
//! Problem: most of assembling a line is to find out what its text says, though new lines mostly say what others said, with
//! other numbers. Method: a line is cut into tokens, and the numbers are taken out of them. What is left is the form of the
//! line; it finds the word that such a line had last, without the bits of the numbers. These are placed anew.
//!
//! Invariant: a form is kept only of a line that the ordinary code has read and encoded, where each number that was taken out
//! is one that stands for itself: the number of a general register, its element, a plain immediate, or a distance, in the
//! operand that begins there. A word is given only if its shape is that of the line that was kept, since the fields stand
//! there then. All else is left to the ordinary code, errors included.

use std::ops::Range;

use isaglot_codec::{Scatter, ShapeId};

use crate::chunk::{FIRST, find};
use crate::encode_kept::{general, keeps};
use crate::inst::{File, Form, Inst, XeOperandKind};
use crate::isa::{FileInfo, Xe};
use crate::known::Known;
use crate::limits::KEPT_WHOLE;
use crate::swsb::Swsb;
use crate::types::Style;

/// The most pieces of a line.
const PIECES: usize = 12;

/// The most numbers that are taken out.
const NUMBERS: usize = 5;

/// The most digits of an immediate that is taken out.
const DIGITS: u32 = 7;

/// What was taken out of a piece, five bits of a mark. With a sign before it, the mark says that too.
const REGISTER: u8 = 1;
const ELEMENT: u8 = 2;
const IMMEDIATE: u8 = 3;
const DISTANCE: u8 = 4;
const NEGATIVE: u8 = 8;
const COMPLEMENT: u8 = 16;
const MARK_BITS: u32 = 5;

/// The tokens of a line: pieces of 16 bytes, without their numbers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tokens {
    form: TokenForm,
    hash: u64,
    numbers: [Number; NUMBERS],
    count: usize,
}

/// What is left without the numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct TokenForm {
    /// What was taken out of each piece, the last in the lowest bits.
    marks: u64,
    pieces: [u128; PIECES],
}

/// A number that was taken out.
#[derive(Clone, Copy, Debug, Default)]
struct Number {
    /// Where its token begins in the line.
    at: u32,
    /// Without the sign.
    mark: u8,
    /// Of a register, the immediate, or the distance.
    first: u32,
    element: u32,
}

impl Tokens {
    /// Those of an empty line.
    pub(crate) fn new() -> Tokens {
        let form = TokenForm { marks: 0, pieces: [0; PIECES] };
        Tokens { form, hash: 0, numbers: [Number::default(); NUMBERS], count: 0 }
    }

    /// Takes the tokens of a line of this length, with which a text begins; `None` if there are too many.
    #[inline]
    pub(crate) fn read(&mut self, text: &[u8], length: usize) -> Option<()> {
        let tokens = self;
        tokens.form = TokenForm { marks: 0, pieces: [0; PIECES] };
        (tokens.hash, tokens.count) = (0, 0);
        let mut at = 0;
        let mut begins = true;
        for piece in &mut tokens.form.pieces {
            let mut mark = 0;
            let mut chunk = chunk(text, at)?;
            if begins && let Some(found) = number(chunk) {
                let (length, number) = found;
                *tokens.numbers.get_mut(tokens.count)? = Number { at: at as u32, mark: number.mark & 7, ..number };
                tokens.count += 1;
                mark = number.mark;
                at += length;
                chunk = self::chunk(text, at)?;
            }
            let size = find(chunk, b' ').min(length.checked_sub(at)?);
            *piece = chunk & *FIRST.get(size)?;
            if begins
                && mark == 0
                && chunk as u8 == b'{'
                && let Some((without, digit)) = distance(*piece)
            {
                let number = Number { at: at as u32, mark: DISTANCE, first: digit, element: 0 };
                *tokens.numbers.get_mut(tokens.count)? = number;
                tokens.count += 1;
                mark = DISTANCE;
                *piece = without;
            }
            tokens.form.marks = tokens.form.marks << MARK_BITS | u64::from(mark);
            tokens.hash = mixed(tokens.hash, *piece);
            at += size;
            // A token of more than one piece goes on.
            begins = size < 16;
            if begins {
                loop {
                    let blanks = ((self::chunk(text, at)? ^ BLANKS).trailing_zeros() / 8) as usize;
                    at += blanks;
                    if blanks < 16 {
                        break;
                    }
                }
            }
            if at >= length {
                tokens.hash = (tokens.hash ^ tokens.form.marks).wrapping_mul(SPREAD);
                return Some(());
            }
        }
        None
    }
}

/// Sixteen bytes of a text.
#[inline]
fn chunk(text: &[u8], at: usize) -> Option<u128> {
    Some(u128::from_le_bytes(*text.get(at..)?.first_chunk()?))
}

const SPREAD: u64 = 0x9E37_79B9_7F4A_7C15;

#[inline]
fn mixed(hash: u64, piece: u128) -> u64 {
    let low = (hash ^ piece as u64).wrapping_mul(SPREAD).rotate_left(23);
    (low ^ (piece >> 64) as u64).wrapping_mul(SPREAD)
}

const BLANKS: u128 = u128::from_ne_bytes([b' '; 16]);

/// At most so many decimal digits at the beginning of a text, and how many; what follows them is left.
#[inline]
fn decimal(text: &mut u64, most: usize) -> (u32, usize) {
    let (mut value, mut length) = (0, 0);
    loop {
        let digit = (*text as u8).wrapping_sub(b'0');
        if digit > 9 || length == most {
            return (value, length);
        }
        value = value * 10 + u32::from(digit);
        length += 1;
        *text >>= 8;
    }
}

/// `r12`, `-r12.3` or `12` before a colon: what a token begins with, and its length.
#[inline]
fn number(text: u128) -> Option<(usize, Number)> {
    let (sign, text) = match text as u8 {
        b'-' => (NEGATIVE, text >> 8),
        b'~' => (COMPLEMENT, text >> 8),
        _ => (0, text),
    };
    let before = usize::from(sign != 0);
    if text as u8 != b'r' {
        let mut text = text as u64;
        let (first, length) = decimal(&mut text, DIGITS as usize);
        let plain = length > 0 && text as u8 == b':' && sign == 0;
        return plain.then_some((length, Number { at: 0, mark: IMMEDIATE, first, element: 0 }));
    }
    let mut text = (text >> 8) as u64;
    let (first, length) = decimal(&mut text, 3);
    let mut number = Number { at: 0, mark: sign | REGISTER, first, element: 0 };
    let mut all = before + 1 + length;
    if text as u8 == b'.' {
        text >>= 8;
        let (element, length) = decimal(&mut text, 3);
        if length == 0 {
            return None;
        }
        number.element = element;
        number.mark = sign | ELEMENT;
        all += 1 + length;
    }
    let next = text as u8;
    (length > 0 && !next.is_ascii_alphanumeric() && next != b'_' && next != b'.').then_some((all, number))
}

/// The one digit after the `@` of options, and the options with a zero in its place.
#[inline]
fn distance(text: u128) -> Option<(u128, u32)> {
    let at = find(text, b'@') + 1;
    if at > 14 {
        return None;
    }
    let [digit, next] = [(text >> (8 * at)) as u8, (text >> (8 * at) >> 8) as u8];
    let alone = digit.is_ascii_digit() && matches!(next, b',' | b'}' | 0);
    alone.then(|| (text & !(0xff << (8 * at)), u32::from(digit - b'0')))
}

/// Words of lines by their form.
pub(crate) struct WholeWords {
    lines: Known<Line>,
    /// By the lowest byte of a word, the bits that decide about its shape.
    deciding: Vec<u128>,
}

/// The word of a line without its numbers.
#[derive(Clone, Copy, Debug)]
struct Line {
    form: TokenForm,
    word: u128,
    op: u8,
    shape: ShapeId,
    /// The numbers may change the shape.
    unsettled: bool,
    holes: [Hole; NUMBERS],
}

/// What a number of a line is, and where its bits go.
#[derive(Clone, Copy, Debug)]
enum Hole {
    None,
    /// A register and its byte, one number: the byte has the lower bits. Elements and registers have so many bytes, as powers
    /// of two.
    Register {
        element: u8,
        register: u8,
        runs: [Run; 2],
    },
    /// An immediate of so many bits, and its copy.
    Immediate {
        bits: u8,
        runs: [Run; 2],
    },
    /// By distance, the bits of the scoreboard code, all in the lower half of the word; 0 where there is none.
    Distance {
        codes: [u64; 8],
    },
}

/// Bits of a number that go to a half of the word together.
#[derive(Clone, Copy, Debug, Default)]
struct Run {
    shift: u8,
    mask: u32,
    lo: u8,
    high: bool,
}

impl Run {
    #[inline]
    fn add(self, number: u32, word: &mut [u64; 2]) {
        word[usize::from(self.high)] |= u64::from(number >> (self.shift & 31) & self.mask) << (self.lo & 63);
    }

    /// Where these bits of a number go, if in two runs at most. `bit` says it of each, and all of them together go where each of
    /// them goes.
    fn all(bits: Range<u32>, bit: impl Fn(u32) -> Option<u128>) -> Option<[Run; 2]> {
        let mut runs = [Run::default(); 2];
        let mut count = 0usize;
        for n in bits {
            let place = bit(n).filter(|place| place.is_power_of_two())?.trailing_zeros();
            let (lo, high) = ((place & 63) as u8, place >= 64);
            let last = count.checked_sub(1).and_then(|last| runs.get_mut(last));
            match last {
                Some(run) if run.high == high && u32::from(run.lo) + run.mask.count_ones() == u32::from(lo) => {
                    run.mask = run.mask << 1 | 1;
                }
                _ => {
                    *runs.get_mut(count)? = Run { shift: n as u8, mask: 1, lo, high };
                    count += 1;
                }
            }
        }
        Some(runs)
    }
}

impl WholeWords {
    pub(crate) fn new(xe: &Xe) -> WholeWords {
        WholeWords { lines: Known::new(KEPT_WHOLE), deciding: xe.flat.deciding() }
    }

    /// The word of a line, if one of its form is kept.
    #[inline]
    pub(crate) fn word(&self, xe: &mut Xe, tokens: &Tokens) -> Option<u128> {
        let line = self.lines.get(tokens.hash, |line| line.form == tokens.form)?;
        let word = line.placed(xe.file(File::R), tokens)?;
        if line.unsettled && xe.flat.shape_of(xe.op(line.op).encoding, word) != line.shape {
            return None;
        }
        Some(word)
    }

    /// Keeps the form of a line that was read and encoded in its long form. `operands` are the places in the line where
    /// operands begin.
    pub(crate) fn learn(&mut self, xe: &mut Xe, tokens: &Tokens, (inst, operands): (&Inst, &[usize; 4]), word: u128) {
        if !self.lines.again(tokens.hash) {
            return;
        }
        let deciding = self.deciding.get(usize::from(word as u8)).copied().unwrap_or(u128::MAX);
        if let Some(line) = Line::new(xe, tokens, (inst, operands), word, deciding) {
            self.lines.keep(tokens.hash, line);
        }
    }
}

impl Line {
    fn new(
        xe: &mut Xe,
        tokens: &Tokens,
        (i, operands): (&Inst, &[usize; 4]),
        word: u128,
        deciding: u128,
    ) -> Option<Line> {
        if !keeps(i.form) || i.form == Form::Send {
            return None;
        }
        let shape = xe.flat.shape_of(xe.op(i.op).encoding, word);
        let mut plain = *i;
        let holes = holes(xe, shape, tokens, (&mut plain, operands))?;
        let mut line =
            Line { form: tokens.form, word: xe.word_of(&plain, shape)?, op: i.op, shape, unsettled: false, holes };
        let mut fresh = 0;
        for hole in &holes {
            match hole {
                Hole::None => {}
                Hole::Register { runs, .. } | Hole::Immediate { runs, .. } => {
                    let mut bits = [0; 2];
                    runs.iter().for_each(|run| run.add(u32::MAX, &mut bits));
                    fresh |= u128::from(bits[1]) << 64 | u128::from(bits[0]);
                }
                Hole::Distance { .. } => {
                    // The code has bits of its own.
                    let fields = xe.flat.shape(shape)?;
                    let code = 1 << (xe.slots.swsb.0 & 127);
                    let own = fields.bits_of(code);
                    if own & fields.bits_of(!code) != 0 {
                        return None;
                    }
                    line.word &= !own;
                    fresh |= own;
                }
            }
        }
        line.unsettled = fresh & deciding != 0;
        (line.placed(xe.file(File::R), tokens)? == word).then_some(line)
    }

    /// The word with the numbers of a line.
    #[inline]
    fn placed(&self, file: FileInfo<'_>, tokens: &Tokens) -> Option<u128> {
        let mut word = [self.word as u64, (self.word >> 64) as u64];
        for (hole, number) in self.holes.iter().zip(&tokens.numbers).take(tokens.count) {
            match hole {
                Hole::None => return None,
                Hole::Register { element, register, runs } => {
                    let byte = number.element << (element & 7);
                    if number.first >= file.count || byte >= file.bytes {
                        return None;
                    }
                    runs.iter().for_each(|run| run.add(number.first << (register & 7) | byte, &mut word));
                }
                Hole::Immediate { bits, runs } => {
                    // No type is so narrow that a number that fits its positive half is written otherwise.
                    if u64::from(number.first) >> (bits - 1) != 0 {
                        return None;
                    }
                    runs.iter().for_each(|run| run.add(number.first, &mut word));
                }
                Hole::Distance { codes } => {
                    word[0] |= codes.get(number.first as usize).copied().filter(|code| *code != 0)?;
                }
            }
        }
        Some(u128::from(word[1]) << 64 | u128::from(word[0]))
    }
}

/// What the numbers of a line are; they are made 0 in the instruction. `None` if one does not stand for itself.
fn holes(xe: &Xe, shape: ShapeId, tokens: &Tokens, (i, operands): (&mut Inst, &[usize; 4])) -> Option<[Hole; NUMBERS]> {
    let plan = xe.kept.as_ref()?.plan(shape)?;
    let mut holes = [Hole::None; NUMBERS];
    for (hole, number) in holes.iter_mut().zip(tokens.numbers).take(tokens.count) {
        if number.mark == DISTANCE {
            // Of two distances the last wins.
            let said = tokens.form.pieces.iter().flat_map(|p| p.to_le_bytes()).filter(|b| *b == b'@').count();
            if u32::from(i.swsb.distance) != number.first || i.swsb.pipe == 0 || said != 1 {
                return None;
            }
            let (class, place) = (xe.op(i.op).class, plan.swsb.as_ref()?);
            let code = |distance| xe.swsb.encode(class, Swsb { distance, ..i.swsb });
            let bits = |distance| Some(u64::try_from(place.bits(code(distance as u8)?)?).unwrap_or(0));
            *hole = Hole::Distance { codes: std::array::from_fn(|distance| bits(distance).unwrap_or(0)) };
            continue;
        }
        let part = operands.iter().position(|at| *at == number.at as usize)?;
        let o = match part.checked_sub(1) {
            None => &mut i.dst,
            Some(n) => i.srcs.get_mut(..usize::from(i.src_count))?.get_mut(n)?,
        };
        let bits = o.ty.bits();
        if number.mark == IMMEDIATE {
            let plain =
                o.kind == XeOperandKind::Imm && o.ty.style() != Style::Float && o.imm == u64::from(number.first);
            if !plain || !(8..=64).contains(&bits) {
                return None;
            }
            o.imm = 0;
            // What is read has few digits.
            let most = (bits - 1).min(DIGITS * 4);
            let [first, copy] = plan.immediates.get(part + 1)?;
            let run = |place: &Scatter| Run::all(0..most, |n| place.bits(1 << n)).filter(|[_, more]| more.mask == 0);
            let [first, _] = run(first.as_ref()?)?;
            let copy = match copy {
                Some(copy) => run(copy)?[0],
                None => Run::default(),
            };
            *hole = Hole::Immediate { bits: bits as u8, runs: [first, copy] };
        } else {
            let byte = number.element * o.ty.bytes();
            if !general(o) || bits < 8 || u32::from(o.reg) != number.first || u32::from(o.sub) != byte {
                return None;
            }
            (o.reg, o.sub) = (0, 0);
            let (file, [register, sub]) = (xe.file(File::R), plan.registers.get(part + 1)?);
            let (element, byte_bits) = (o.ty.bytes().trailing_zeros(), file.bytes.trailing_zeros());
            if (o.ty.bytes(), file.bytes) != (1 << element, 1 << byte_bits) || element > 7 || byte_bits > 7 {
                return None;
            }
            let most = byte_bits + file.count.next_power_of_two().trailing_zeros();
            // A byte is that of a whole element.
            let runs = Run::all(element..most, |n| match n.checked_sub(byte_bits) {
                None => sub.as_ref()?.bits(1 << n),
                Some(n) => register.as_ref()?.bits(1 << n),
            })?;
            *hole = Hole::Register { element: element as u8, register: byte_bits as u8, runs };
        }
    }
    Some(holes)
}
