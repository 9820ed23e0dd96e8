//! Runs a program over a text: finds the bits that would print it.
//!
//! Scannerless, with maximal munch and back-tracking. A place where more than one thing could be meant leaves a choice
//! on a stack; when the text does not go on as it must, the last choice is taken back together with everything that
//! followed from it. When the text is at its end, conditions that are still open are solved and the word is offered;
//! if the caller refuses it, the search goes on. Steps are counted, so that no text takes longer than a stated time.
//!
//! Two ways of reading. *Strict*: the text as the disassembler prints it; look-ahead keeps the search almost free of
//! choices. *Relaxed*: as people write it, with blanks where they like, numbers in any base, symbols and labels; then
//! the matcher also writes down what the disassembler would print for what it understood, to be compared with.

use isaglot_bits::limbs::{self, sign_extend};
use isaglot_model::Isa;

use super::constant;
use super::limits::{MAX_LINE, MAX_STEPS};
use super::number::{self, is_word};
use super::program::{Digits, FieldOp, Kind, Op, Program, Reach, Run, Style, Table, Target};
use super::trace::Trace;
use super::values::{Mark, Values};
use crate::names::Names;
use crate::options::Compat;
use crate::value as print;

/// What a symbol stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Symbol {
    /// A place in the program, in bytes from the start of its section.
    Place(u64),
    /// A number.
    Number(i64),
    /// A symbol that exists, but whose value is not known yet.
    Later,
}

/// Where a statement stands: what its symbols mean.
#[derive(Clone, Copy)]
pub struct Site<'s> {
    /// What a name stands for.
    pub symbol: &'s dyn Fn(&[u8]) -> Option<Symbol>,
    /// The place of the statement, in bytes from the start of its section.
    pub here: u64,
    /// Bytes per place: of an instruction where all have one length, else 1.
    pub place_bytes: u64,
}

/// What is read.
#[derive(Clone, Copy)]
pub(super) struct Input<'t> {
    pub(super) isa: &'t Isa,
    pub(super) text: &'t [u8],
    pub(super) relaxed: bool,
    /// A text of a table may be written as its number too.
    pub(super) numbers: bool,
    /// Numbers and names of registers end where their word ends: what people mean, and how mistakes are explained.
    pub(super) whole: bool,
    pub(super) names: &'t Names,
    pub(super) site: Site<'t>,
    pub(super) compat: Compat,
}

#[derive(Clone, Copy, Debug)]
struct Choice {
    at: u32,
    position: u32,
    way: u32,
    canonical: u32,
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

/// A way to read a field.
pub(super) struct Reading {
    pub(super) end: usize,
    pub(super) value: u64,
    /// The value fits; if not, what it is goes into a message.
    pub(super) fits: bool,
    /// There may be other ways.
    more: bool,
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
            let Some(op) = program.ops.get(at) else { return false };
            let next = match *op {
                Op::Literal { from, len } => {
                    let literal = program.literal(from, len);
                    let end = if input.relaxed {
                        self.canonical.extend_from_slice(literal);
                        relaxed_literal(input.text, position, literal)
                    } else {
                        let rest = input.text.get(position..).unwrap_or(&[]);
                        if begins(rest, literal) { Ok(position + literal.len()) } else { Err(position) }
                    };
                    match end {
                        Ok(end) => {
                            position = end;
                            Some(at + 1)
                        }
                        Err(place) => {
                            if let Some(trace) = trace.as_deref_mut() {
                                trace.literal(place, position, input.text, literal);
                            }
                            None
                        }
                    }
                }
                Op::Align(column) => self.align(input, &mut position, column as usize).then_some(at + 1),
                Op::Jump(to) => Some(to as usize),
                Op::Assign { lo, width, value } => self.values.assign(lo, width, value).then_some(at + 1),
                Op::Differ { lo, width, value } => self.values.differ(lo, width, value).then_some(at + 1),
                Op::Check { expr, want } => self.values.check(program, expr, want).then_some(at + 1),
                Op::Alternatives { from, to, row } => {
                    let branches = program.branches.get(from as usize..to as usize).unwrap_or(&[]);
                    let rest = input.text.get(position..).unwrap_or(&[]);
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
                            this = Some(branch.at);
                        }
                        i += 1;
                    }
                    if let Some(other) = other {
                        self.choose(at, position, other, self.values.mark());
                    }
                    match this {
                        Some(this) => Some(this as usize),
                        None => {
                            if let Some(trace) = trace.as_deref_mut() {
                                for branch in branches.iter().filter(|b| b.literal.1 > 0) {
                                    let literal = program.literal(branch.literal.0, branch.literal.1);
                                    trace.literal(position, position, input.text, literal);
                                }
                            }
                            None
                        }
                    }
                }
                Op::Field(field) => match program.fields.get(field as usize) {
                    Some(field) => self.field(program, input, field, at, &mut position, way, &mut trace),
                    None => None,
                },
                Op::Prefer(field) => {
                    if let Some(FieldOp { kind: Kind::Constant(value), target, .. }) =
                        program.fields.get(field as usize)
                    {
                        let mark = self.values.mark();
                        if !self.values.set(program, target, *value) {
                            self.values.back_to(mark);
                        }
                    }
                    Some(at + 1)
                }
                Op::Accept => {
                    let end = if input.relaxed { skip_blanks(input.text, position) } else { position };
                    if end < input.text.len() {
                        if let Some(trace) = trace.as_deref_mut() {
                            trace.end(end);
                        }
                        None
                    } else {
                        let mark = self.values.mark();
                        let budget = limit - self.steps;
                        if self.values.solve(program, budget) {
                            if accept(self) {
                                return true;
                            }
                        } else if let Some(trace) = trace.as_deref_mut() {
                            trace.contradiction(input.text.len());
                        }
                        self.steps = self.steps.saturating_add(self.values.tried);
                        self.values.tried = 0;
                        self.values.back_to(mark);
                        None
                    }
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

    #[inline]
    fn choose(&mut self, at: usize, position: usize, way: u32, mark: Mark) {
        let canonical = self.canonical.len() as u32;
        self.choices.push(Choice { at: at as u32, position: position as u32, way, canonical, mark });
    }

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
        let begin = if input.relaxed { skip_between(input.text, start) } else { start };
        if let Target::Wide { from, to } = field.target {
            let runs = program.runs.get(from as usize..to as usize).unwrap_or(&[]);
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

    /// Reads a number of more than 64 bits: all its digits, in one way.
    fn wide(
        &mut self,
        input: &Input<'_>,
        field: &FieldOp,
        runs: &[Run],
        begin: usize,
        position: &mut usize,
        trace: &mut Option<&mut Trace>,
    ) -> bool {
        let Kind::Number(style) = field.kind else { return false };
        let rest = input.text.get(begin..).unwrap_or(&[]);
        let hex = style.digits == Digits::Hex;
        let sign = rest.first().copied().filter(|byte| matches!(byte, b'-' | b'+'));
        let (negative, signed) = match (style.digits, sign) {
            (Digits::Signed, sign) => (sign == Some(b'-'), usize::from(sign == Some(b'-'))),
            (Digits::Offset | Digits::UnsignedOffset, None) => (false, 0),
            (Digits::Offset, Some(sign)) => (sign == b'-', 1),
            (Digits::UnsignedOffset, Some(b'+')) => (false, 1),
            _ => (false, 0),
        };
        let offset = matches!(style.digits, Digits::Offset | Digits::UnsignedOffset);
        let digits = rest.get(signed..).unwrap_or(&[]);
        let is_digit = |byte: &u8| byte.is_ascii_digit() || (hex && byte.is_ascii_hexdigit());
        let len = if offset && sign.is_none() { 0 } else { digits.iter().take_while(|byte| is_digit(byte)).count() };
        if len == 0 && !offset {
            if let Some(trace) = trace.as_deref_mut() {
                trace.wide(begin, input.isa.text(field.name), field.width);
            }
            return false;
        }
        let Some(value) = number::wide(digits.get(..len).unwrap_or(&[]), hex, negative, field.width, style.digits)
        else {
            if let Some(trace) = trace.as_deref_mut() {
                trace.too_wide(begin, begin + signed + len, input.isa.text(field.name), field.width);
            }
            return false;
        };
        let fits = runs.iter().all(|run| {
            let bits = limbs::extract(value.limbs(), run.at, run.width);
            self.values.assign(run.lo, run.width, bits)
        });
        if fits && input.relaxed {
            let out = &mut self.canonical;
            match style.digits {
                _ if offset && value.is_zero() => {}
                Digits::Hex => {
                    let digits = value.hex();
                    let short = digits.trim_start_matches('0');
                    out.extend_from_slice(if short.is_empty() { b"0" } else { short.as_bytes() });
                }
                Digits::Signed | Digits::Offset => {
                    let text = value.signed_decimal();
                    if offset && !text.starts_with('-') {
                        out.push(b'+');
                    }
                    out.extend_from_slice(text.as_bytes());
                }
                Digits::Unsigned | Digits::UnsignedOffset => {
                    if offset {
                        out.push(b'+');
                    }
                    out.extend_from_slice(value.decimal().as_bytes());
                }
            }
        }
        if len > 0 {
            *position = begin + signed + len;
        }
        fits
    }

    /// The way number `way` to read a field; the longest text first.
    #[inline]
    fn read(
        &mut self,
        program: &Program,
        input: &Input<'_>,
        field: &FieldOp,
        begin: usize,
        way: u32,
    ) -> Option<Reading> {
        match &field.kind {
            Kind::Number(style) if input.relaxed => {
                let reading = relaxed_number(input, field, *style, begin, way);
                self.later |= reading.as_ref().is_some_and(|reading| reading.later);
                reading
            }
            Kind::Number(style) => strict_number(input.text, field, *style, begin, way),
            Kind::Float => read_float(input.text, field, begin, way),
            Kind::Table(table) => self.read_table(program.tables.get(*table as usize)?, input, begin, way),
            Kind::Custom(name) => {
                let name = input.isa.text(isaglot_model::Name(*name));
                self.read_custom(name, input, begin, way)
            }
            Kind::Constant(_) => None,
        }
    }

    #[inline]
    fn read_table(&mut self, table: &Table, input: &Input<'_>, begin: usize, way: u32) -> Option<Reading> {
        let rest = input.text.get(begin..).unwrap_or(&[]);
        // Nearly always the longest text is meant.
        if way == 0
            && let Some((len, entry, others)) = table.texts.longest(rest)
            && let Some(&(value, prints)) = table.values.get(entry as usize)
            && (prints || input.relaxed)
        {
            let digit = rest.first().is_some_and(u8::is_ascii_digit);
            return Some(Reading::new(begin + len, value, others || digit));
        }
        self.read_table_slowly(table, input, begin, way)
    }

    #[inline(never)]
    fn read_table_slowly(&mut self, table: &Table, input: &Input<'_>, begin: usize, way: u32) -> Option<Reading> {
        let rest = input.text.get(begin..).unwrap_or(&[]);
        let mut found = std::mem::take(&mut self.found);
        found.clear();
        table.texts.prefixes(rest, |len, entry| {
            if let Some(&(value, prints)) = table.values.get(entry as usize)
                && (prints || input.relaxed)
            {
                found.push((len as u32, value));
            }
        });
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
            None if input.numbers && way as usize == count && !table.words && rest.starts_with(b"0x") => {
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

    fn read_custom(&mut self, name: &str, input: &Input<'_>, begin: usize, way: u32) -> Option<Reading> {
        let rest = input.text.get(begin..).unwrap_or(&[]);
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
                let (more, len) = number::literal(input.text.get(end + 1..).unwrap_or(&[]))?;
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

    /// Appends a value to the canonical text.
    fn show(&mut self, program: &Program, input: &Input<'_>, field: &FieldOp, value: u64) {
        let out = &mut self.canonical;
        match &field.kind {
            Kind::Number(style) => {
                if style.prefix {
                    out.extend_from_slice(b"0x");
                }
                let width = field.width.min(64);
                match style.digits {
                    Digits::Unsigned => print::unsigned(value, out),
                    Digits::Signed => print::signed(sign_extend(value, width), out),
                    Digits::Hex => print::hex(value, out),
                    Digits::Offset if value != 0 => {
                        let value = sign_extend(value, width);
                        if value >= 0 {
                            out.push(b'+');
                        }
                        print::signed(value, out);
                    }
                    Digits::UnsignedOffset if value != 0 => {
                        out.push(b'+');
                        print::unsigned(value, out);
                    }
                    Digits::Offset | Digits::UnsignedOffset => {}
                }
            }
            Kind::Float => number::print_float(value, field.width, input.compat, out),
            Kind::Table(table) => {
                let Some(table) = program.tables.get(*table as usize) else { return };
                let entry = table.values.iter().position(|&(listed, prints)| prints && listed == value);
                match entry.and_then(|entry| table.shown.get(entry)) {
                    Some(text) => out.extend_from_slice(text),
                    None => print::unsigned(value & limbs::mask(table.number_bits), out),
                }
            }
            Kind::Custom(name) => {
                let name = input.isa.text(isaglot_model::Name(*name));
                input.names.print(name, value, out);
            }
            Kind::Constant(_) => {}
        }
    }
}

/// Whether `text` begins with `literal`; literals are short, so bytes are compared in place.
#[inline]
fn begins(text: &[u8], literal: &[u8]) -> bool {
    text.len() >= literal.len() && text.iter().zip(literal).all(|(a, b)| a == b)
}

/// Whether a reading that ends here leaves a part of a number, or of the name of a register.
fn splits_word(program: &Program, text: &[u8], field: &FieldOp, end: usize) -> bool {
    let next = text.get(end).copied();
    let last = end.checked_sub(1).and_then(|i| text.get(i)).copied();
    match &field.kind {
        Kind::Number(_) => next.is_some_and(|b| b.is_ascii_digit()) && last.is_some_and(|b| b.is_ascii_alphanumeric()),
        Kind::Table(table) => {
            let words = program.tables.get(*table as usize).is_some_and(|table| table.words);
            words && next.is_some_and(is_word) && last.is_some_and(is_word)
        }
        Kind::Float | Kind::Custom(_) | Kind::Constant(_) => false,
    }
}

/// The position after blanks.
fn skip_blanks(text: &[u8], from: usize) -> usize {
    from + text.get(from..).unwrap_or(&[]).iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count()
}

/// The position after blanks that may stand here: anywhere but within a word.
fn skip_between(text: &[u8], from: usize) -> usize {
    let end = skip_blanks(text, from);
    let before = from.checked_sub(1).and_then(|i| text.get(i)).copied();
    let splits_word = end > from && before.is_some_and(is_word) && text.get(end).copied().is_some_and(is_word);
    if splits_word { from } else { end }
}

/// The position after a literal that people may space as they like; or where the text stops being it.
fn relaxed_literal(text: &[u8], from: usize, literal: &[u8]) -> Result<usize, usize> {
    let mut position = from;
    for (i, &byte) in literal.iter().enumerate() {
        if byte == b' ' {
            let end = skip_blanks(text, position);
            let before = position.checked_sub(1).and_then(|i| text.get(i)).copied();
            let glued = end == position
                && before.is_some_and(is_word)
                && text.get(end).copied().is_some_and(is_word)
                && literal.get(i + 1).is_none_or(|&next| is_word(next));
            if glued {
                return Err(position);
            }
            position = end;
            continue;
        }
        let end = skip_between(text, position);
        if text.get(end) != Some(&byte) {
            return Err(end);
        }
        position = end + 1;
    }
    Ok(position)
}

/// A number as the disassembler writes it.
#[inline]
pub(super) fn strict_number(text: &[u8], field: &FieldOp, style: Style, begin: usize, way: u32) -> Option<Reading> {
    let mut rest = text.get(begin..).unwrap_or(&[]);
    let mut skipped = 0;
    let mut skip = |rest: &mut &[u8], count: usize| {
        *rest = rest.get(count..).unwrap_or(&[]);
        skipped += count;
    };
    if style.prefix {
        if !rest.starts_with(b"0x") {
            return None;
        }
        skip(&mut rest, 2);
    }
    let sign = rest.first().copied().filter(|byte| matches!(byte, b'+' | b'-'));
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
        // The digits are used up; the last way is that there is no offset at all.
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
fn signed_reading(end: usize, negative: bool, magnitude: u64, field: &FieldOp, style: Style, more: bool) -> Reading {
    let width = field.width.clamp(1, 64);
    let signed = matches!(style.digits, Digits::Signed | Digits::Offset);
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

/// A number as people write it, or a symbol.
fn relaxed_number(input: &Input<'_>, field: &FieldOp, style: Style, begin: usize, way: u32) -> Option<Reading> {
    let offset = matches!(style.digits, Digits::Offset | Digits::UnsignedOffset);
    let nothing = || offset.then(|| Reading::new(begin, 0, false));
    if way > 0 {
        // The other readings: as the disassembler would write it, digit by digit; and nothing.
        return if way == 1 && offset { nothing() } else { strict_number(input.text, field, style, begin, way) };
    }
    let text = input.text;
    let sign = text.get(begin).copied().filter(|byte| matches!(byte, b'+' | b'-'));
    if offset && sign.is_none() {
        return nothing();
    }
    if !offset && let Some((value, len)) = constant::read(text.get(begin..).unwrap_or(&[])) {
        let (Ok(magnitude), negative) = (u64::try_from(value.unsigned_abs()), value < 0) else { return None };
        return Some(signed_reading(begin + len, negative, magnitude, field, style, true));
    }
    let at = begin + usize::from(sign.is_some());
    let at = if sign.is_some() { skip_blanks(text, at) } else { at };
    let negative = sign == Some(b'-');
    let rest = text.get(at..).unwrap_or(&[]);
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
            // A bit pattern in hexadecimal is no overflow: 0xffffffff in 32 signed bits is -1.
            if !reading.fits && !negative && rest.starts_with(b"0x") && magnitude <= limbs::mask(field.width) {
                reading.fits = true;
            }
            return Some(reading);
        }
    }
    let hash = usize::from(rest.first() == Some(&b'#'));
    let name = rest.get(hash..).unwrap_or(&[]);
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
        return Some(signed_reading(end, negative, magnitude, field, style, true));
    }
    strict_number(text, field, style, begin, 0).or_else(nothing)
}

/// The length of the symbol that `text` begins with; 0 for none.
pub(super) fn symbol_length(text: &[u8]) -> usize {
    match text.first() {
        Some(byte) if byte.is_ascii_alphabetic() || matches!(byte, b'_' | b'.') => {
            text.iter().take_while(|&&byte| is_word(byte) || matches!(byte, b'.' | b'$' | b'@')).count()
        }
        _ => 0,
    }
}

/// What a symbol is worth: as a number, or as seen from the instruction that branches to it.
fn symbol_value(symbol: Symbol, site: Site<'_>, branch: Option<Reach>) -> Option<i128> {
    let bytes = i128::from(site.place_bytes.max(1));
    match (symbol, branch) {
        (Symbol::Later, _) => None,
        (Symbol::Number(number), _) => Some(i128::from(number)),
        (Symbol::Place(place), None) => Some(i128::from(place) / bytes),
        (Symbol::Place(place), Some(reach)) => {
            let unit = if reach.unit == 0 { bytes } else { i128::from(reach.unit) };
            let distance = i128::from(place) - if reach.absolute { 0 } else { i128::from(site.here) };
            (distance % unit == 0).then_some(distance / unit)
        }
    }
}

/// A floating-point number. Where not all bits of it are free, its neighbours are tried too.
fn read_float(text: &[u8], field: &FieldOp, begin: usize, way: u32) -> Option<Reading> {
    let rest = text.get(begin..).unwrap_or(&[]);
    let len = number::float_length(rest);
    let written = rest.get(..len).unwrap_or(&[]);
    // A float is never written as an integer, for where both can stand that says which is meant.
    if written.iter().all(|byte| byte.is_ascii_digit() || *byte == b'-') {
        return None;
    }
    let nearest = number::float_bits(Some(written).filter(|t| !t.is_empty())?, field.width)?;
    let value = match (way, &field.target) {
        (0, _) => nearest,
        // The low bits are constant: the next numbers that have them so.
        (1 | 2, Target::Bits { covered, ones, .. }) => {
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
