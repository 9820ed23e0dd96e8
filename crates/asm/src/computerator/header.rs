//! A header: `@name`, and what its kind takes.
//!
//! Numbers are C's: digits, with a `0` before them octal, `0x` hexadecimal; with a point the bits of a float of 32 bits.

use isaglot_source::{Diagnostic, FileId, Span, closest};

use crate::decimal;

/// A header of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Header {
    /// Its name without the `@`.
    pub name: &'static str,
    /// The number of its line, from 1.
    pub line: u32,
    /// The register or constant in parentheses.
    pub register: Option<String>,
    /// The numbers, of 32 bits each; a float as its bits.
    pub values: Vec<u32>,
    /// What stands before the options: the name of an input or output.
    pub label: Option<String>,
    /// `name=value`, in the order of the line.
    pub options: Vec<HeaderOption>,
}

/// `name=value` of a header.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HeaderOption {
    /// What stands before the `=`.
    pub name: String,
    /// What stands after it.
    pub value: HeaderValue,
}

/// The value of an option of a header.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HeaderValue {
    /// A number.
    Number(i64),
    /// A word: the `sam` of a prefetch.
    Word(String),
}

/// What a header takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Takes {
    Nothing,
    /// So many numbers.
    Numbers(usize),
    /// `(c0.x)` and four numbers.
    Constant,
    /// A size in words of 32 bits, perhaps the constant that its address is put in, and the first words.
    Buffer,
    /// `(r0.x)`
    Register,
    /// `(r48.x)`, or before a5xx a constant.
    WorkGroup,
    /// `(c0.x)`
    ConstantAlone,
    /// `(r0.x) name(slot=number)`
    Variable,
    /// `(r0.x) src=…, bindless=…, samp=…, tex=…, wrmask=…, cmd=sam`
    Prefetch,
}

const HEADERS: &[(&str, Takes)] = &[
    ("branchstack", Takes::Numbers(1)),
    ("buf", Takes::Buffer),
    ("const", Takes::Constant),
    ("earlypreamble", Takes::Nothing),
    ("in", Takes::Variable),
    ("invocationid", Takes::Register),
    ("localmem", Takes::Numbers(1)),
    ("localsize", Takes::Numbers(3)),
    ("numwg", Takes::ConstantAlone),
    ("out", Takes::Variable),
    ("pvtmem", Takes::Numbers(1)),
    ("tex", Takes::Prefetch),
    ("ubo", Takes::Buffer),
    ("wgid", Takes::WorkGroup),
];

/// The names that begin and end parts of a program; no headers, since they stand among instructions.
pub(super) const PARTS: [&str; 4] = ["fullnopstart", "fullnopend", "fullsyncstart", "fullsyncend"];

/// The registers of a work group's number begin here, from a5xx on.
const FIRST_HIGH_REGISTER: u32 = 48;

/// Whether a text begins with a header or with one of [`PARTS`].
pub(super) fn is_header(text: &[u8]) -> bool {
    let name = name_of(text);
    HEADERS.iter().any(|(known, _)| known.as_bytes() == name) || PARTS.iter().any(|part| part.as_bytes() == name)
}

/// The name after the `@` that a text begins with.
pub(super) fn name_of(text: &[u8]) -> &[u8] {
    let name = text.get(1..).unwrap_or_default();
    let length = name.iter().take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'_').count();
    name.get(..length).unwrap_or_default()
}

/// Reads the header that stands in a line, from its `@` on and without its comment. `generation` is that of the plan: 600
/// is a6xx, and below 100 it says nothing.
pub(super) fn read(
    text: &[u8],
    line: u32,
    file: FileId,
    start: usize,
    generation: u32,
) -> Result<Header, Box<Diagnostic>> {
    let written = name_of(text);
    let Some(&(name, takes)) = HEADERS.iter().find(|(known, _)| known.as_bytes() == written) else {
        let written = String::from_utf8_lossy(written).into_owned();
        let known = HEADERS.iter().map(|(name, _)| *name).chain(PARTS);
        let d = Diagnostic::error("asm-computerator", format!("no header is called `@{written}`"));
        let d =
            d.label(Span::new(file, start, start + 1 + written.len()), "this").did_you_mean(closest(&written, known));
        return Err(Box::new(d));
    };
    let mut header = Header { name, line, register: None, values: Vec::new(), label: None, options: Vec::new() };
    let mut at = Cursor { text, at: 1 + name.len(), file, start };
    match takes {
        Takes::Nothing => {}
        Takes::Numbers(count) => at.numbers(count, &mut header.values)?,
        Takes::Constant => {
            header.register = Some(at.register(b'c')?.text);
            if !header.register.as_ref().is_some_and(|r| r.ends_with(".x")) {
                return Err(at.error("four numbers begin at a `.x`"));
            }
            at.numbers(4, &mut header.values)?;
        }
        Takes::Buffer => {
            at.numbers(1, &mut header.values)?;
            if at.peek() == Some(b'(') {
                header.register = Some(at.register(b'c')?.text);
            }
            while at.peek().is_some() {
                at.number(&mut header.values)?;
                if at.peek().is_some() {
                    at.expect(b',')?;
                }
            }
            let size = header.values.first().map_or(0, |&size| size as usize);
            if header.values.len() - 1 > size {
                return Err(at.error(&format!("{} words for a buffer of {size}", header.values.len() - 1)));
            }
        }
        Takes::Register => header.register = Some(at.register(b'r')?.text),
        Takes::ConstantAlone => header.register = Some(at.register(b'c')?.text),
        Takes::WorkGroup => {
            let is_old = (100..500).contains(&generation);
            let register = at.register(if is_old { b'c' } else { b'r' })?;
            if !is_old && register.number < FIRST_HIGH_REGISTER {
                return Err(at.error(&format!("expected a register from r{FIRST_HIGH_REGISTER}.x on")));
            }
            header.register = Some(register.text);
        }
        Takes::Variable => {
            header.register = Some(at.register(b'r')?.text);
            header.label = Some(at.word()?);
            at.expect(b'(')?;
            header.options.push(at.option()?);
            at.expect(b')')?;
        }
        Takes::Prefetch => {
            header.register = Some(at.register(b'r')?.text);
            loop {
                header.options.push(at.option()?);
                if at.peek() != Some(b',') {
                    break;
                }
                at.expect(b',')?;
            }
            if !matches!(header.options.last().map(|o| &o.value), Some(HeaderValue::Word(word)) if word == "sam") {
                return Err(at.error("expected `cmd=sam` as the last"));
            }
        }
    }
    if at.peek().is_some() { Err(at.error("the end of the header was expected")) } else { Ok(header) }
}

struct Register {
    text: String,
    number: u32,
}

/// A place in a header.
struct Cursor<'t> {
    text: &'t [u8],
    at: usize,
    file: FileId,
    /// Where the text is in the file.
    start: usize,
}

impl Cursor<'_> {
    fn error(&self, expected: &str) -> Box<Diagnostic> {
        let from = self.start + self.at.min(self.text.len());
        let d = Diagnostic::error("asm-computerator", "this header cannot be read");
        Box::new(d.label(Span::new(self.file, from, (self.start + self.text.len()).max(from)), expected))
    }

    /// The next byte that is no blank.
    fn peek(&mut self) -> Option<u8> {
        self.at += self.text.get(self.at..).unwrap_or_default().iter().take_while(|b| b.is_ascii_whitespace()).count();
        self.text.get(self.at).copied()
    }

    fn expect(&mut self, byte: u8) -> Result<(), Box<Diagnostic>> {
        if self.peek() != Some(byte) {
            return Err(self.error(&format!("`{}` was expected", char::from(byte))));
        }
        self.at += 1;
        Ok(())
    }

    /// Letters, digits, points and underscores.
    fn word(&mut self) -> Result<String, Box<Diagnostic>> {
        self.peek();
        let rest = self.text.get(self.at..).unwrap_or_default();
        let length = rest.iter().take_while(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'.')).count();
        if length == 0 {
            return Err(self.error("a name was expected"));
        }
        self.at += length;
        Ok(String::from_utf8_lossy(rest.get(..length).unwrap_or_default()).into_owned())
    }

    fn numbers(&mut self, count: usize, values: &mut Vec<u32>) -> Result<(), Box<Diagnostic>> {
        for i in 0..count {
            if i > 0 {
                self.expect(b',')?;
            }
            self.number(values)?;
        }
        Ok(())
    }

    fn number(&mut self, values: &mut Vec<u32>) -> Result<(), Box<Diagnostic>> {
        let negative = self.peek() == Some(b'-');
        self.at += usize::from(negative);
        let begin = self.at;
        let word = self.word().map_err(|_| self.error("a number was expected"))?;
        let value = match word.split_once('.') {
            Some((whole, rest)) if !negative && is_digits(whole) && is_digits(rest) => {
                decimal::single(&word).map(f32::to_bits)
            }
            Some(_) => None,
            None => integer(&word).and_then(|value| u32::try_from(value).ok()),
        };
        let Some(value) = value else {
            self.at = begin;
            return Err(self.error("a number of 32 bits was expected"));
        };
        values.push(if negative { value.wrapping_neg() } else { value });
        Ok(())
    }

    /// `(r0.x)` or `(c0.x)`.
    fn register(&mut self, kind: u8) -> Result<Register, Box<Diagnostic>> {
        self.expect(b'(')?;
        self.peek();
        let begin = self.at;
        let text = self.word()?;
        let number = text.strip_prefix(char::from(kind)).and_then(|rest| {
            let (number, component) = rest.split_once('.')?;
            (is_digits(number) && matches!(component, "x" | "y" | "z" | "w")).then(|| number.parse().ok())?
        });
        let Some(number) = number else {
            self.at = begin;
            let what = if kind == b'c' { "constant such as c0.x" } else { "full register such as r0.x" };
            return Err(self.error(&format!("a {what} was expected")));
        };
        self.expect(b')')?;
        Ok(Register { text, number })
    }

    /// `name=number` or `name=word`.
    fn option(&mut self) -> Result<HeaderOption, Box<Diagnostic>> {
        let name = self.word()?;
        self.expect(b'=')?;
        let negative = self.peek() == Some(b'-');
        self.at += usize::from(negative);
        let begin = self.at;
        let word = self.word()?;
        let value = match integer(&word) {
            Some(value) => HeaderValue::Number(if negative { -value } else { value }),
            None if !negative && word.starts_with(|c: char| c.is_ascii_alphabetic()) => HeaderValue::Word(word),
            None => {
                self.at = begin;
                return Err(self.error("a number was expected"));
            }
        };
        Ok(HeaderOption { name, value })
    }
}

fn is_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// C's integers: `0x` hexadecimal, a `0` before other digits octal.
fn integer(word: &str) -> Option<i64> {
    let (digits, radix) = match word.strip_prefix("0x") {
        Some(digits) => (digits, 16),
        None if word.len() > 1 && word.starts_with('0') => (word, 8),
        None => (word, 10),
    };
    if !digits.starts_with(|c: char| c.is_ascii_hexdigit()) {
        return None;
    }
    i64::from_str_radix(digits, radix).ok()
}
