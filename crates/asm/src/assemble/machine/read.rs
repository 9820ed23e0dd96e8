//! Fields as text: the ways to read one, in the order in which they are tried.

use isaglot_bits::limbs;
use isaglot_invariant::Impossible as _;

use super::Machine;
use super::spacing::{relaxed_literal, skip_blanks};
use crate::assemble::input::Input;
use crate::assemble::program::{Digits, FieldOp, FieldSyntax, NumberStyle, Program, TextTable, ValueTarget};
use crate::assemble::symbol::{Symbol, symbol_length, symbol_value};
use crate::assemble::{constant, number};

/// A way to read a field.
pub(crate) struct Reading {
    pub(crate) end: usize,
    pub(crate) value: u64,
    /// The value fits; if not, what it is goes into a message.
    pub(crate) fits: bool,
    /// There may be other ways.
    pub(super) more: bool,
    /// The value is not known yet.
    later: bool,
}

impl Reading {
    fn new(end: usize, value: u64, more: bool) -> Reading {
        Reading::maybe(end, value, true, more)
    }

    fn maybe(end: usize, value: u64, fits: bool, more: bool) -> Reading {
        Reading { end, value, fits, more, later: false }
    }
}

impl Machine {
    /// The way number `way` to read a field; the longest text first.
    #[inline]
    pub(super) fn read(
        &mut self,
        program: &Program,
        input: &Input<'_>,
        field: &FieldOp,
        begin: usize,
        way: u32,
    ) -> Option<Reading> {
        match &field.syntax {
            FieldSyntax::Number(style) if input.relaxed && (!input.named || is_named(input, *style, begin)) => {
                let reading = relaxed_number(input, field, *style, begin, way);
                self.later |= reading.as_ref().is_some_and(|reading| reading.later);
                reading
            }
            FieldSyntax::Number(style) => strict_number(input.text, field, *style, begin, way),
            FieldSyntax::Float => read_float(input.text, field, begin, way),
            FieldSyntax::Table(table) => self.read_table(program.tables.get(*table as usize)?, input, begin, way),
            FieldSyntax::Custom(name) => {
                let name = input.isa.text(isaglot_model::Name(*name));
                self.read_custom(name, input, begin, way)
            }
            FieldSyntax::Constant(_) => None,
        }
    }

    /// A text of a table, the longest first; after those, a number.
    #[inline]
    fn read_table(&mut self, table: &TextTable, input: &Input<'_>, begin: usize, way: u32) -> Option<Reading> {
        let rest = input.text.get(begin..).or_impossible(&[]);
        // Nearly always the longest text is meant.
        if way == 0
            && let Some((len, entry, others)) = table.texts.longest(rest)
            && let Some(&(value, prints)) = table.values.get(entry as usize)
            && (prints || input.relaxed)
            && !(input.relaxed && (!table.spaced.is_empty() || len == 0 && input.any_case()))
        {
            let digit = rest.first().is_some_and(u8::is_ascii_digit);
            return Some(Reading::new(begin + len, value, others || digit));
        }
        self.read_table_slowly(table, input, begin, way)
    }

    /// The same for every way.
    #[inline(never)]
    fn read_table_slowly(&mut self, table: &TextTable, input: &Input<'_>, begin: usize, way: u32) -> Option<Reading> {
        let rest = input.text.get(begin..).or_impossible(&[]);
        let mut found = std::mem::take(&mut self.found);
        found.clear();
        table.texts.prefixes(rest, |len, entry| {
            if let Some(&(value, prints)) = table.values.get(entry as usize)
                && (prints || input.relaxed)
            {
                found.push((len as u32, value));
            }
        });
        if input.mark.is_some() && table.has_marks {
            table.unmarked.prefixes(rest, |len, entry| {
                if let Some(&(value, _)) = table.values.get(entry as usize) {
                    found.push((len as u32, value));
                }
            });
        }
        if input.relaxed && !input.named {
            spelled_otherwise(table, input, begin, &mut found);
        }
        let count = found.len();
        let reading = match count.checked_sub(1 + way as usize).and_then(|i| found.get(i)) {
            Some(&(len, value)) => {
                let digit = rest.first().is_some_and(u8::is_ascii_digit);
                let more = (way as usize) + 1 < count || digit;
                Some(Reading::new(begin + len as usize, value, more))
            }
            None if table.numbers && input.relaxed => {
                let plain = if way as usize == count { number::literal(rest) } else { None };
                let (value, len) = match constant::read(rest).filter(|_| way as usize == count) {
                    Some((value, len)) => (u64::try_from(value).ok(), len),
                    None => plain.unwrap_or((None, 0)),
                };
                value.map(|value| Reading::maybe(begin + len, value, value <= limbs::mask(table.number_bits), false))
            }
            // A number for a value that has a text: `0x300` for `mstatus`.
            // What has a mark before it is a number already: `0x18` is `#0x18` without it, not the bits of another.
            None if input.numbers
                && way as usize == count
                && !table.words
                && !table.has_marks
                && rest.starts_with(b"0x") =>
            {
                let (value, len) = number::literal(rest)?;
                let value = value.filter(|&value| value <= limbs::mask(table.number_bits));
                Some(Reading::maybe(begin + len, value.unwrap_or(0), value.is_some(), false))
            }
            // A value that the table lacks is a number.
            None => {
                let longest = number::digits(rest, false);
                let len = longest.checked_sub(way as usize - count.min(way as usize)).filter(|&len| len > 0);
                len.and_then(|len| {
                    let value = number::value(rest.get(..len)?, 10)?;
                    let listed = table.values.iter().any(|&(listed, prints)| prints && listed == value);
                    let fits = !listed && value <= limbs::mask(table.number_bits);
                    Some(Reading::maybe(begin + len, value, fits, len > 1))
                })
            }
        };
        self.found = found;
        reading
    }

    /// A name that the caller has for a value, or the value as `0x` and hexadecimal digits.
    fn read_custom(&mut self, name: &str, input: &Input<'_>, begin: usize, way: u32) -> Option<Reading> {
        let rest = input.text.get(begin..).or_impossible(&[]);
        let mut found = std::mem::take(&mut self.found);
        found.clear();
        input.names.prefixes(name, rest, |len, value| found.push((len as u32, value)));
        let count = found.len() as u32;
        let named = count.checked_sub(1 + way).and_then(|i| found.get(i as usize)).copied();
        self.found = found;
        if let Some((len, value)) = named {
            let end = begin + len as usize;
            // `NAME+1` is the register after; the name with the `+` may exist of its own, then it is longer.
            if input.relaxed && input.text.get(end) == Some(&b'+') {
                let (more, len) = number::literal(input.text.get(end + 1..).or_impossible(&[]))?;
                return Some(Reading::new(end + 1 + len, value.wrapping_add(more?), true));
            }
            return Some(Reading::new(end, value, true));
        }
        if way > count {
            return None;
        }
        if input.relaxed {
            let (value, len) = number::literal(rest)?;
            return Some(Reading::maybe(begin + len, value.unwrap_or(0), value.is_some(), false));
        }
        // `0x%03x`: three digits at least.
        let digits = rest.strip_prefix(b"0x")?;
        let len = digits.iter().take_while(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(*b)).count();
        if len < 3 || (len > 3 && digits.first() == Some(&b'0')) {
            return None;
        }
        let value = number::value(digits.get(..len)?, 16)?;
        Some(Reading::maybe(begin + 2 + len, value, input.names.text(name, value).is_none(), false))
    }
}

/// Texts of a table that people space otherwise, or write in the other case: how far they go, with their values.
fn spelled_otherwise(table: &TextTable, input: &Input<'_>, begin: usize, found: &mut Vec<(u32, u64)>) {
    let known = found.len();
    for &entry in &table.spaced {
        let (Some(text), Some(&(value, _))) = (table.shown.get(entry as usize), table.values.get(entry as usize))
        else {
            continue;
        };
        if let Ok(end) = relaxed_literal(input.text, begin, text, None, input.any_case())
            && !found.iter().any(|&(len, _)| begin + len as usize == end)
        {
            found.push(((end - begin) as u32, value));
        }
    }
    if input.any_case() && found.iter().all(|&(len, _)| len == 0) {
        let rest = input.text.get(begin..).or_impossible(&[]);
        let word = rest.iter().take_while(|byte| !matches!(byte, b' ' | b','));
        if word.clone().any(u8::is_ascii_uppercase) {
            table.texts.prefixes(&rest.to_ascii_lowercase(), |len, entry| {
                if let Some(&(value, _)) = table.values.get(entry as usize).filter(|_| len > 0) {
                    found.push((len as u32, value));
                }
            });
        }
    }
    if found.len() > known {
        found.sort_by_key(|&(len, _)| len);
    }
}

/// A number as the disassembler writes it. Way 0 takes all digits, way 1 leaves out the last, and so on: in `op{A}{B}` with
/// the line `op123`, `A` may be 123, 12 or 1. The last way of an offset takes nothing, for an offset of 0 is not written.
#[inline]
pub(crate) fn strict_number(
    text: &[u8],
    field: &FieldOp,
    style: NumberStyle,
    begin: usize,
    way: u32,
) -> Option<Reading> {
    let mut rest = text.get(begin..).or_impossible(&[]);
    // Bytes before the digits: prefix and sign.
    let mut skipped = 0;
    let mut skip = |rest: &mut &[u8], count: usize| {
        *rest = rest.get(count..).or_impossible(&[]);
        skipped += count;
    };
    if style.prefix {
        if !rest.starts_with(b"0x") {
            return None;
        }
        skip(&mut rest, 2);
    }
    let sign = rest.first().copied().filter(|byte| matches!(byte, b'+' | b'-'));
    // Which signs the digits allow; anything else is not such a number.
    let negative = match (style.digits, sign) {
        (Digits::Offset | Digits::UnsignedOffset, None) => {
            return (way == 0).then(|| Reading::new(begin, 0, false));
        }
        (Digits::Offset, Some(sign)) => sign == b'-',
        (Digits::UnsignedOffset, Some(b'+')) => false,
        (Digits::Signed, Some(b'-')) => true,
        (Digits::Signed | Digits::Unsigned | Digits::Hex, None) => false,
        _ => return None,
    };
    if sign.is_some() {
        skip(&mut rest, 1);
    }
    let hex = style.digits == Digits::Hex;
    let len = number::digits(rest, hex).checked_sub(way as usize).filter(|&len| len > 0);
    let Some(len) = len else {
        // The digits are used up; the last way is an offset that is not written.
        let offset = matches!(style.digits, Digits::Offset | Digits::UnsignedOffset);
        return (offset && way as usize == number::digits(rest, hex)).then(|| Reading::new(begin, 0, false));
    };
    let more = len > 1 || matches!(style.digits, Digits::Offset | Digits::UnsignedOffset);
    let end = begin + skipped + len;
    let Some(magnitude) = number::value(rest.get(..len)?, if hex { 16 } else { 10 }) else {
        return Some(Reading::maybe(end, 0, false, more));
    };
    Some(signed_reading(end, negative, magnitude, field, style, more))
}

/// A reading of a sign and a magnitude, checked against the range of the field.
#[inline]
fn signed_reading(
    end: usize,
    negative: bool,
    magnitude: u64,
    field: &FieldOp,
    style: NumberStyle,
    more: bool,
) -> Reading {
    let width = field.width.clamp(1, 64);
    let signed = matches!(style.digits, Digits::Signed | Digits::Offset);
    // In 8 bits: -128 to 127 with sign, 0 to 255 without.
    let fits = match (signed, negative) {
        (true, true) => magnitude <= 1 << (width - 1),
        (true, false) => magnitude <= limbs::mask(width - 1),
        (false, true) => false,
        (false, false) => true,
    };
    let value = if negative { magnitude.wrapping_neg() } else { magnitude };
    let value = if signed { value & limbs::mask(width) } else { value };
    Reading::maybe(end, value, fits, more)
}

/// Whether a name stands where a branch goes.
fn is_named(input: &Input<'_>, style: NumberStyle, begin: usize) -> bool {
    style.branch.is_some() && symbol_length(input.text.get(begin..).or_impossible(&[])) > 0
}

/// A number as people write it, or a symbol.
fn relaxed_number(input: &Input<'_>, field: &FieldOp, style: NumberStyle, begin: usize, way: u32) -> Option<Reading> {
    let offset = matches!(style.digits, Digits::Offset | Digits::UnsignedOffset);
    let nothing = || offset.then(|| Reading::new(begin, 0, false));
    if way > 0 {
        // The other readings: as the disassembler would write it, digit by digit; and nothing.
        return if way == 1 && offset { nothing() } else { strict_number(input.text, field, style, begin, way) };
    }
    let text = input.text;
    if input.plain && matches!(text.get(begin..), Some([b'0', b'0'..=b'9', ..])) {
        return strict_number(text, field, style, begin, way);
    }
    let sign = text.get(begin).copied().filter(|byte| matches!(byte, b'+' | b'-'));
    if offset && sign.is_none() {
        return nothing();
    }
    if !offset && let Some((value, len)) = constant::read(text.get(begin..).or_impossible(&[])) {
        let (Ok(magnitude), negative) = (u64::try_from(value.unsigned_abs()), value < 0) else { return None };
        return Some(signed_reading(begin + len, negative, magnitude, field, style, true));
    }
    let at = begin + usize::from(sign.is_some());
    let at = if sign.is_some() { skip_blanks(text, at) } else { at };
    let negative = sign == Some(b'-');
    let rest = text.get(at..).or_impossible(&[]);
    // The description prints `0x` before decimal digits.
    let odd_prefix = style.prefix && style.digits != Digits::Hex;
    if odd_prefix && rest.starts_with(b"0x") {
        // `0x` before digits that are not hexadecimal: the description says so, and the disassembler prints so.
        let len = rest.iter().skip(2).take_while(|b| b.is_ascii_digit()).count();
        let magnitude = number::value(rest.get(2..2 + len)?, 10)?;
        return (len > 0).then(|| signed_reading(at + 2 + len, negative, magnitude, field, style, true));
    }
    if let Some((magnitude, len)) = number::literal(rest) {
        let Some(magnitude) = magnitude else {
            return Some(Reading::maybe(at + len, 0, false, true));
        };
        let bare_hex = style.digits == Digits::Hex && !style.prefix && !rest.starts_with(b"0x");
        if !bare_hex {
            let mut reading = signed_reading(at + len, negative, magnitude, field, style, true);
            // A bit pattern in hexadecimal does not overflow: 0xffffffff in 32 signed bits is -1.
            if !reading.fits && !negative && rest.starts_with(b"0x") && magnitude <= limbs::mask(field.width) {
                reading.fits = true;
            }
            return Some(reading);
        }
    }
    // A symbol, with or without `#`.
    let hash = usize::from(rest.first() == Some(&b'#'));
    let name = rest.get(hash..).or_impossible(&[]);
    let len = symbol_length(name);
    if len > 0
        && let Some(symbol) = name.get(..len).and_then(|name| (input.site.symbol)(name))
    {
        let end = at + hash + len;
        let value = symbol_value(symbol, input.site, style.branch);
        let Some(value) = value else {
            let later = symbol == Symbol::Later;
            return Some(Reading { later, ..Reading::maybe(end, 0, later, true) });
        };
        let value = if negative { -value } else { value };
        let (Ok(magnitude), negative) = (u64::try_from(value.unsigned_abs()), value < 0) else {
            return Some(Reading::maybe(end, 0, false, true));
        };
        let mut reading = signed_reading(end, negative, magnitude, field, style, true);
        // A place has no sign: the upper half of those that a field can hold print as negative numbers.
        let is_place = style.branch.is_some_and(|reach| reach.absolute) && !negative;
        reading.fits |= is_place && magnitude <= limbs::mask(field.width);
        return Some(reading);
    }
    strict_number(text, field, style, begin, 0).or_else(nothing)
}

/// A floating-point number. Where not all bits of it are free, its neighbours are tried too.
fn read_float(text: &[u8], field: &FieldOp, begin: usize, way: u32) -> Option<Reading> {
    let rest = text.get(begin..).or_impossible(&[]);
    let len = number::float_length(rest);
    let written = rest.get(..len).or_impossible(&[]);
    // A float is never written as an integer, for where both can stand that says which is meant.
    if written.iter().all(|byte| byte.is_ascii_digit() || *byte == b'-') {
        return None;
    }
    let nearest = number::float_bits(Some(written).filter(|t| !t.is_empty())?, field.width)?;
    let value = match (way, &field.target) {
        (0, _) => nearest,
        // The low bits are constant: the numbers next to the nearest one that have them so. For the text 1.3 in a field
        // whose low 8 bits are 0, one is just below 1.3 (way 1), the other one step of 256 above it (way 2).
        (1 | 2, ValueTarget::Bits { covered, ones, .. }) => {
            let fixed = covered.trailing_zeros().min(63);
            let low = limbs::mask(fixed);
            let down = (nearest & !low) | (ones & low);
            if way == 1 { down } else { down.wrapping_add(low.wrapping_add(1)) & limbs::mask(field.width) }
        }
        _ => return None,
    };
    // Too large a number is not infinity, unless it says so.
    let infinity = number::float_bits(b"inf", field.width)?;
    let overflow = nearest & limbs::mask(field.width.saturating_sub(1)) == infinity && !written.ends_with(b"inf");
    Some(Reading::maybe(begin + len, value, !overflow, way < 2))
}
