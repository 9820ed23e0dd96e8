//! Directives: what each takes. A new one is a new line of [`parse`] and a new [`Directive`].

use isaglot_invariant::Impossible as _;
use isaglot_source::{Diagnostic, FileId, Span, closest};

use super::link::Contents;
use super::statement::{Statement, TextSlice, skip_blanks};
use super::strings;
use crate::assemble::limits::{MAX_JUMP_TABLE, MAX_OUTPUT, MAX_WIDTH};
use crate::names::Names;

/// A directive with its arguments.
#[derive(Clone, Debug)]
pub(super) enum Directive<'t> {
    /// What follows is appended to this section. What the section holds, where that is said.
    Section(&'t [u8], Option<Contents>),
    /// Numbers of this many bytes each.
    Data { bytes: u32, values: Vec<TextSlice> },
    /// The bytes of strings.
    Text(Vec<u8>),
    /// So many bytes of this value.
    Fill { bytes: u64, value: u8 },
    /// The instruction that the second piece is, with the value of the first in `width` bits from `lo` on.
    Insert { lo: u32, width: u32, value: TextSlice, instruction: TextSlice },
    /// Instructions have this many bits from here on, or any width again.
    Bits(Option<u32>),
    /// From here on a text is the instruction that prints as it, not a shorter one that it may also be.
    Exact(bool),
    /// Up to a multiple of this many bytes, with `nop` where it fits, else zeros, or with a value that is said; not at all
    /// if that takes more than `most`. While lengths of branches are chosen, `slack` bytes count.
    Align { to: u64, fill: Option<u8>, most: u64, slack: Option<u64> },
    /// A table of the places of labels.
    JumpTable(u64),
}

/// Bytes of an entry of a jump table.
pub(super) const ENTRY_BYTES: u64 = 4;

/// Entries of a jump table, unless said.
const ENTRIES: i64 = 128;

/// Under what a names file lists the entries of a jump table.
const ENTRY_FIELD: &str = ".jumptbl";

/// Labels that name an entry by its number.
const UNKNOWN_ENTRY: &[u8] = b"UNKN";

const KNOWN: &[&str] = &[
    "align", "ascii", "asciz", "bits", "byte", "dword", "equ", "exact", "half", "insert", "jumptbl", "section", "skip",
    "space", "string", "word", "zero",
];

/// Reads a directive; `number` evaluates an argument that must be known at once.
pub(super) fn parse<'t>(
    file: FileId,
    text: &'t [u8],
    statement: &Statement,
    number: &mut dyn FnMut(TextSlice) -> Result<i64, Diagnostic>,
) -> Result<Directive<'t>, Diagnostic> {
    let name = statement.piece.of(text);
    let rest = statement.rest;
    let error = |message: &str, span: Span| Diagnostic::error("asm-directive", message).label(span, "here");
    let data = |bytes: u32| {
        let values = arguments(text, rest);
        if values.is_empty() || values.iter().any(|value| value.start == value.end) {
            return Err(error("a list of expressions was expected", rest.span(file)));
        }
        Ok(Directive::Data { bytes, values })
    };
    let mut within = |piece: TextSlice, range: std::ops::RangeInclusive<i64>| -> Result<i64, Diagnostic> {
        let value = number(piece)?;
        if range.contains(&value) {
            return Ok(value);
        }
        let message = format!("{value} is not between {} and {}", range.start(), range.end());
        Err(error(&message, piece.span(file)))
    };
    let mut one = |range| within(rest, range).map(i64::unsigned_abs);
    let texts = |terminated: bool| {
        let mut bytes = Vec::new();
        for piece in arguments(text, rest) {
            bytes.extend(strings::bytes(file, text, piece)?);
            bytes.extend(terminated.then_some(0));
        }
        Ok(Directive::Text(bytes))
    };
    match name {
        b"byte" => data(1),
        b"half" => data(2),
        b"word" => data(4),
        b"dword" => data(8),
        b"align" => {
            let list = arguments(text, rest);
            let mut optional = |at: usize, range: std::ops::RangeInclusive<i64>| match list.get(at) {
                Some(piece) if piece.start < piece.end => within(*piece, range).map(Some),
                _ => Ok(None),
            };
            let Some(to) = optional(0, 1..=MAX_OUTPUT as i64)?.filter(|_| list.len() <= 4) else {
                return Err(error(
                    "`.align` takes a number of bytes, then a value, then the most bytes",
                    rest.span(file),
                ));
            };
            let fill = optional(1, -128..=255)?.map(|value| value as u8);
            let most = optional(2, 0..=MAX_OUTPUT as i64)?.map_or(u64::MAX, i64::unsigned_abs);
            let slack = optional(3, 0..=MAX_OUTPUT as i64)?.map(i64::unsigned_abs);
            Ok(Directive::Align { to: to.unsigned_abs(), fill, most, slack })
        }
        b"ascii" => texts(false),
        b"asciz" | b"string" => texts(true),
        b"bits" => Ok(Directive::Bits(match one(0..=MAX_WIDTH)? {
            0 => None,
            bits => Some(bits as u32),
        })),
        b"exact" => Ok(Directive::Exact(one(0..=1)? == 1)),
        b"insert" => {
            let list = arguments(text, rest);
            let [lo, width, value, instruction, ..] = *list else {
                return Err(error("`.insert` takes a bit, a number of bits, a value, an instruction", rest.span(file)));
            };
            let (lo, width) = (within(lo, 0..=63)? as u32, within(width, 1..=32)? as u32);
            let instruction = TextSlice { start: instruction.start, end: rest.end };
            Ok(Directive::Insert { lo, width, value, instruction })
        }
        b"zero" | b"skip" | b"space" => {
            let (count, value) = match *arguments(text, rest) {
                [count] => (count, None),
                [count, value] => (count, Some(value)),
                _ => return Err(error("a number of bytes was expected, and at most a value", rest.span(file))),
            };
            let bytes = within(count, 0..=MAX_OUTPUT as i64)?.unsigned_abs();
            let value = value.map_or(Ok(0), |value| within(value, -128..=255))? as u8;
            Ok(Directive::Fill { bytes, value })
        }
        b"jumptbl" if rest.start == rest.end => Ok(Directive::JumpTable(ENTRIES as u64)),
        b"jumptbl" => Ok(Directive::JumpTable(one(0..=MAX_JUMP_TABLE as i64)?)),
        b"section" => section(text, rest).map_err(|message| error(message, rest.span(file))),
        _ => {
            let name = String::from_utf8_lossy(name).into_owned();
            let d = Diagnostic::error("asm-directive", format!("unknown directive `.{name}`"));
            let span = statement.piece.span(file);
            Err(match closest(&name, KNOWN.iter().copied()) {
                Some(near) => d.label(span, format!("did you mean `.{near}`?")),
                None => d.label(span, format!("known are .{}", KNOWN.join(" ."))),
            })
        }
    }
}

/// `.section NAME, "FLAGS", @TYPE`.
fn section(text: &[u8], rest: TextSlice) -> Result<Directive<'_>, &'static str> {
    let list = arguments(text, rest);
    let argument = |at: usize| list.get(at).map(|slice| slice.of(text));
    let name = argument(0).unwrap_or_default();
    if name.is_empty() || name.iter().any(|byte| matches!(byte, b' ' | b'\t')) {
        return Err("`.section` takes a name");
    }
    match argument(1) {
        None => Ok(Directive::Section(name, None)),
        Some([b'"', flags @ .., b'"']) => {
            let empty = argument(2).is_some_and(|kind| kind.get(1..) == Some(b"nobits"));
            Ok(Directive::Section(name, Some(Contents::of_flags(flags, empty))))
        }
        Some(_) => Err("flags are written in quotes: `.section .mine, \"aw\"`"),
    }
}

/// The bytes at which [`arguments`] looks closer.
static MARKS: [bool; 256] = {
    let mut marks = [false; 256];
    let mut list: &[u8] = b"'\"(),";
    while let [mark, rest @ ..] = list {
        marks[*mark as usize] = true;
        list = rest;
    }
    marks
};

/// The comma-separated arguments of a directive, trimmed. Commas inside parentheses and strings do not separate.
fn arguments(text: &[u8], all: TextSlice) -> Vec<TextSlice> {
    let (start, end) = (all.start as usize, all.end as usize);
    if start >= end {
        return Vec::new();
    }
    let mut list = Vec::with_capacity(4);
    let mut from = start;
    let mut depth = 0i32;
    let mut quoted = false;
    let mut at = start;
    // The end is as a comma: it ends the last argument.
    loop {
        let rest = text.get(at..end).or_impossible(&[]);
        at += rest.iter().position(|&byte| MARKS[usize::from(byte)]).unwrap_or(rest.len());
        let byte = if at >= end { b',' } else { text.get(at).copied().or_impossible(b',') };
        match byte {
            // A character such as `','`.
            b'\'' if !quoted && text.get(at + 2) == Some(&b'\'') && at + 2 < end => at += 2,
            b'"' if text.get(at.wrapping_sub(1)) != Some(&b'\\') => quoted = !quoted,
            _ if quoted && at < end => {}
            b'(' => depth += 1,
            b')' => depth -= 1,
            b',' if depth <= 0 || at >= end => {
                let first = skip_blanks(text, from, at);
                let blanks = text.get(first..at).or_impossible(&[]).iter().rev();
                let stop = at - blanks.take_while(|b| matches!(b, b' ' | b'\t' | b'\r')).count();
                list.push(TextSlice { start: first as u32, end: stop as u32 });
                from = at + 1;
            }
            _ => {}
        }
        if at >= end {
            return list;
        }
        at += 1;
    }
}

/// A number, if it fits so many bytes with or without sign.
pub(super) fn in_range(number: i64, bytes: u32, span: Span) -> Result<i64, Diagnostic> {
    let bits = bytes.clamp(1, 8) * 8;
    let (min, max) = (-(1i128 << (bits - 1)), (1i128 << bits) - 1);
    if (min..=max).contains(&i128::from(number)) {
        return Ok(number);
    }
    let message = format!("{number} does not fit {bits} bits: {min} to {max}");
    Err(Diagnostic::error("asm-value", message).label(span, "this value"))
}

/// A number, if it fits so many bits (up to 32) with or without sign.
pub(super) fn in_width(number: i64, bits: u32, span: Span) -> Result<i64, Diagnostic> {
    let (min, max) = (-(1i64 << (bits - 1)), (1i64 << bits) - 1);
    if (min..=max).contains(&number) {
        return Ok(number);
    }
    let message = format!("{number} does not fit {bits} bits: {min} to {max}");
    Err(Diagnostic::error("asm-value", message).label(span, "this value"))
}

/// The entry of a jump table that a label names: by a line `.jumptbl ENTRY LABEL` of the names file, or as `UNKN` and
/// its number.
pub(super) fn entry(names: &Names, label: &[u8]) -> Option<u64> {
    let mut named = None;
    names.prefixes(ENTRY_FIELD, label, |len, entry| {
        if len == label.len() {
            named = Some(entry);
        }
    });
    named.or_else(|| {
        let digits = label.strip_prefix(UNKNOWN_ENTRY)?;
        std::str::from_utf8(digits).ok()?.parse().ok()
    })
}
