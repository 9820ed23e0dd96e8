//! Lines, each by itself: `NAME item…`, `$pseudo_op FILE::BASE NAME item…`, `$import FILE::NAME`.
//!
//! An item fixes bits (`31..25=0x20`, `12=1`) or names an argument (`rs1`, or `rs2=rs1` for one that equals another). A word has 16
//! bits where its two lowest are fixed and not both 1, and 32 elsewhere. Every bit must be said once.

use isaglot_bits::{Pattern, Word};
use isaglot_source::{Diagnostic, Diagnostics, FileId, Span, closest};

use super::arguments::{Arguments, is_name};
use super::{Argument, Kind, Line, Reference};
use crate::limits::EQUAL_ARGUMENTS;

/// A piece of a line between blanks.
#[derive(Clone, Copy)]
struct Token<'a> {
    text: &'a str,
    span: Span,
}

/// Bits that a line fixes.
struct Fixed {
    high: u32,
    low: u32,
    value: u64,
    span: Span,
}

/// Reads the lines of a file.
pub(super) fn file(
    id: FileId,
    index: usize,
    text: &str,
    table: &Arguments,
    lines: &mut Vec<Line>,
    out: &mut Diagnostics,
) {
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let start = at;
        at += line.len();
        let mark = if start == 0 && line.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
        let tokens = tokens(id, start + mark, &line[mark..]);
        let (Some(first), Some(last)) = (tokens.first(), tokens.last()) else { continue };
        if first.text.starts_with('#') {
            continue;
        }
        let mut scan = Scan { table, out, sound: true };
        if let Some(mut line) = scan.line(&tokens) {
            line.file = index;
            line.span = first.span.to(last.span);
            line.sound = scan.sound;
            lines.push(line);
        }
    }
}

fn tokens(file: FileId, start: usize, line: &str) -> Vec<Token<'_>> {
    let mut at = 0;
    let mut found = Vec::new();
    for text in line.split_ascii_whitespace() {
        // Tokens are found in order, so each search begins where the last one ended.
        let from = at + line.get(at..).and_then(|rest| rest.find(text)).unwrap_or(0);
        at = from + text.len();
        found.push(Token { text, span: Span::new(file, start + from, start + at) });
    }
    found
}

struct Scan<'a> {
    table: &'a Arguments,
    out: &'a mut Diagnostics,
    sound: bool,
}

impl Scan<'_> {
    fn fail(&mut self, d: Diagnostic) {
        self.sound = false;
        self.out.push(d);
    }

    fn line(&mut self, tokens: &[Token<'_>]) -> Option<Line> {
        let (first, rest) = tokens.split_first()?;
        let (kind, rest) = match first.text {
            "$import" => (Kind::Import(self.reference(first, rest.first())?), rest.get(1..)?),
            "$pseudo_op" => (Kind::Pseudo(self.reference(first, rest.first())?), rest.get(1..)?),
            text if text.starts_with('$') => {
                let d = Diagnostic::error("opcodes-unknown-directive", format!("there is no directive `{text}`"));
                let near = closest(text, ["$import", "$pseudo_op"]);
                self.fail(d.label(first.span, "").note("expected `$import` or `$pseudo_op`").did_you_mean(near));
                return None;
            }
            _ => (Kind::Regular, tokens),
        };
        if let Kind::Import(reference) = &kind {
            if let Some(extra) = rest.first() {
                let d = Diagnostic::error("opcodes-syntax", "unexpected token after an import");
                self.fail(d.label(extra.span, "expected the end of the line"));
            }
            return Some(blank(reference.name.clone(), reference.span, kind));
        }
        let Some((name, items)) = rest.split_first() else {
            let d = Diagnostic::error("opcodes-syntax", "the name of the instruction is missing");
            self.fail(d.label(tokens.last()?.span, "expected a name after this"));
            return None;
        };
        if !is_instruction(name.text) {
            let d = Diagnostic::error("opcodes-syntax", format!("`{}` is not a name of an instruction", name.text));
            self.fail(d.label(name.span, "").note("expected letters, digits, dots and `_`: `c.addi4spn`"));
            return None;
        }
        let mut line = blank(name.text.to_owned(), name.span, kind);
        self.items(&mut line, items);
        Some(line)
    }

    fn reference(&mut self, directive: &Token<'_>, token: Option<&Token<'_>>) -> Option<Reference> {
        let parts = token.and_then(|t| t.text.split_once("::").map(|parts| (t, parts)));
        match parts {
            Some((token, (file, name))) if is_name(file) && is_instruction(name) => {
                Some(Reference { file: file.to_owned(), name: name.to_owned(), span: token.span })
            }
            _ => {
                let span = token.map_or(directive.span, |t| t.span);
                let message = format!("`{}` needs a file and an instruction", directive.text);
                let d = Diagnostic::error("opcodes-syntax", message).label(span, "expected `FILE::NAME`");
                self.fail(d.note("for example `rv_i::addi`"));
                None
            }
        }
    }

    /// Reads what a line says of the bits.
    fn items(&mut self, line: &mut Line, items: &[Token<'_>]) {
        let mut fixed: Vec<Fixed> = Vec::new();
        for item in items {
            match item.text.split_once('=') {
                _ if item.text.starts_with('#') => {
                    let d = Diagnostic::error("opcodes-syntax", "a comment after an instruction");
                    self.fail(d.label(item.span, "a comment is a line of its own"));
                    break;
                }
                Some((bits, value)) if bits.starts_with(|c: char| c.is_ascii_digit()) => {
                    fixed.extend(self.fixed(bits, value, item.span));
                }
                None if item.text.starts_with(|c: char| c.is_ascii_digit()) => {
                    let d = Diagnostic::error("opcodes-syntax", "bits without a value");
                    self.fail(d.label(item.span, "expected `hi..lo=value` or `bit=value`"));
                }
                Some((name, other)) => {
                    self.argument(other, item.span);
                    let bits = self.argument(name, item.span);
                    line.arguments.extend(bits.map(|bits| argument(name, Some(other), bits, item.span)));
                }
                None => {
                    let bits = self.argument(item.text, item.span);
                    line.arguments.extend(bits.map(|bits| argument(item.text, None, bits, item.span)));
                }
            }
        }
        if let Some(extra) = line.arguments.iter().filter(|a| a.equals.is_some()).nth(EQUAL_ARGUMENTS) {
            let d = Diagnostic::error("opcodes-limit", format!("more than {EQUAL_ARGUMENTS} arguments equal others"));
            self.fail(d.label(extra.span, ""));
        }
        line.pattern = self.pattern(&fixed, &line.arguments, line.name_span);
    }

    /// The bits of an argument of the table.
    fn argument(&mut self, name: &str, span: Span) -> Option<(u32, u32)> {
        if !is_name(name) {
            let d = Diagnostic::error("opcodes-syntax", format!("unexpected token `{name}`"));
            self.fail(d.label(span, "expected an argument, `hi..lo=value` or `bit=value`"));
            return None;
        }
        match self.table.get(name) {
            Some(bits) => {
                self.sound &= bits.is_some();
                bits
            }
            None => {
                let d = Diagnostic::error("opcodes-unknown-argument", format!("there is no argument `{name}`"));
                // In order, so that the suggestion does not depend on a hash.
                let shown = self.out.dropped() == 0;
                let mut names: Vec<&str> = self.table.names().filter(|_| shown).collect();
                names.sort_unstable();
                self.fail(d.label(span, "`arg_lut.csv` does not have it").did_you_mean(closest(name, names)));
                None
            }
        }
    }

    fn fixed(&mut self, bits: &str, text: &str, span: Span) -> Option<Fixed> {
        let (high, low) = bits.contains('.').then(|| bits.split_once("..")).flatten().unwrap_or((bits, bits));
        let range = (high.parse::<u32>().ok(), low.parse::<u32>().ok());
        let (Some(high), Some(low)) = range else {
            let d = Diagnostic::error("opcodes-syntax", format!("`{bits}` does not say bits"));
            self.fail(d.label(span, "expected `hi..lo=value` or `bit=value`"));
            return None;
        };
        if high < low || high > 31 {
            let d = Diagnostic::error("opcodes-bit-range", format!("`{bits}` is not a range of bits of a word"));
            let why = if high < low { "the highest bit comes first" } else { "a word has 32 bits at most, 31 to 0" };
            self.fail(d.label(span, why));
            return None;
        }
        let width = high - low + 1;
        match number(text) {
            Some(value) if value >> width.min(63) == 0 => Some(Fixed { high, low, value, span }),
            Some(_) => {
                let d = Diagnostic::error("opcodes-value-too-wide", format!("{text} does not fit {width} bits"));
                self.fail(d.label(span, ""));
                None
            }
            None => {
                let what =
                    if text.is_empty() { "a value is missing".to_owned() } else { format!("`{text}` is not a value") };
                let d = Diagnostic::error("opcodes-syntax", what);
                self.fail(d.label(span, "expected a number: `13`, `0xd` or `0b1101`"));
                None
            }
        }
    }

    /// The fixed bits as a pattern; says which bits are said twice, lie outside of the word, or are not said.
    fn pattern(&mut self, fixed: &[Fixed], arguments: &[Argument], name: Span) -> Pattern {
        let (mut value, mut care) = (0u64, 0u64);
        for (index, f) in fixed.iter().enumerate() {
            let bits = mask(f.high, f.low);
            if let Some(first) = fixed[..index].iter().find(|other| mask(other.high, other.low) & bits != 0) {
                let bit = (mask(first.high, first.low) & bits).trailing_zeros();
                let d = Diagnostic::error("opcodes-bit-twice", format!("bit {bit} is fixed twice"));
                self.fail(d.label(f.span, "again").secondary(first.span, "first"));
            }
            care |= bits;
            value |= f.value << f.low;
        }
        let width = if care & 3 == 3 && value & 3 != 3 { 16 } else { 32 };
        self.arguments(fixed, arguments, width);
        let said = arguments.iter().fold(care, |said, a| said | mask(a.high, a.low));
        let open = mask(width - 1, 0) & !said;
        if open != 0 && self.sound {
            let message = format!("{} neither fixed nor taken by an argument", bits_text(open));
            self.out.push(Diagnostic::warning("opcodes-field-uncovered", message).label(name, ""));
        }
        if care >> width != 0 {
            let span = fixed.iter().find(|f| f.high >= width).map_or(name, |f| f.span);
            self.outside(span, width);
        }
        Pattern::new(&Word::from_u64(value, width), Word::from_u64(care, width))
    }

    fn arguments(&mut self, fixed: &[Fixed], arguments: &[Argument], width: u32) {
        for (index, a) in arguments.iter().enumerate() {
            let bits = mask(a.high, a.low);
            if a.high >= width {
                self.outside(a.span, width);
            }
            if let Some(f) = fixed.iter().find(|f| mask(f.high, f.low) & bits != 0) {
                let message = format!("argument `{}` takes bits that are fixed", a.name);
                let d = Diagnostic::error("opcodes-field-overlaps-match", message);
                self.fail(d.label(a.span, format!("bits {} to {}", a.high, a.low)).secondary(f.span, "fixed here"));
            }
            let Some(other) = arguments[..index].iter().find(|o| mask(o.high, o.low) & bits != 0) else { continue };
            let d = if other.name == a.name {
                Diagnostic::error("opcodes-duplicate-field", format!("argument `{}` is given twice", a.name))
            } else {
                let message = format!("arguments `{}` and `{}` share bits", other.name, a.name);
                Diagnostic::error("opcodes-field-overlaps-field", message)
            };
            self.fail(d.label(a.span, "").secondary(other.span, "first"));
        }
    }

    fn outside(&mut self, span: Span, width: u32) {
        let d = Diagnostic::error("opcodes-bit-range", format!("bits outside of a word of {width} bits"));
        let d = d.label(span, "");
        self.fail(if width == 16 {
            d.note("bits 1 and 0 are fixed and not both 1, so the word has 16 bits")
        } else {
            d
        });
    }
}

fn blank(name: String, name_span: Span, kind: Kind) -> Line {
    let pattern = Pattern::default();
    Line { file: 0, span: name_span, name, name_span, kind, pattern, arguments: Vec::new(), sound: true }
}

fn argument(name: &str, equals: Option<&str>, (high, low): (u32, u32), span: Span) -> Argument {
    Argument { name: name.to_owned(), equals: equals.map(str::to_owned), high, low, span }
}

fn mask(high: u32, low: u32) -> u64 {
    (u64::MAX >> (63 - high.min(63))) & (u64::MAX << low.min(63))
}

/// `bits 24 to 20 and 7 are`, from a mask.
fn bits_text(mask: u64) -> String {
    let mut parts = Vec::new();
    for run in Word::from_u64(mask, 64).runs().iter().rev() {
        let high = run.end() - 1;
        parts.push(if high == run.lo { high.to_string() } else { format!("{high} to {}", run.lo) });
    }
    let single = mask.count_ones() == 1;
    let (noun, verb) = if single { ("bit", "is") } else { ("bits", "are") };
    format!("{noun} {} {verb}", parts.join(", "))
}

/// A number: decimal, `0x…` or `0b…`.
fn number(text: &str) -> Option<u64> {
    let (digits, radix) = match text.get(..2) {
        Some("0x" | "0X") => (&text[2..], 16),
        Some("0b" | "0B") => (&text[2..], 2),
        _ => (text, 10),
    };
    if digits.is_empty() || !digits.bytes().all(|b| char::from(b).is_digit(radix)) {
        return None;
    }
    // A number that does not fit 64 bits does not fit a range of bits either.
    Some(u64::from_str_radix(digits, radix).unwrap_or(u64::MAX))
}

/// Whether this can be the name of an instruction.
fn is_instruction(text: &str) -> bool {
    let inside = |b: u8| b.is_ascii_alphanumeric() || b == b'.' || b == b'_';
    text.starts_with(|c: char| c.is_ascii_alphabetic()) && text.bytes().all(inside)
}
