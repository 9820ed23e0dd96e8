//! Lines into statements: labels, definitions, directives, data, instructions.
//!
//! A statement is one line. `;` and `//` begin a comment anywhere outside of a character or string, `#` at the start of
//! a line. Labels may stand before a statement or alone. What an instruction is, is not looked at here; where instructions
//! may look like something else, `careful` does.

use isaglot_invariant::Impossible as _;
use isaglot_source::{Diagnostic, Diagnostics, FileId, Span};

use crate::assemble::limits::MAX_SYMBOLS;
use crate::assemble::symbol::symbol_length;

/// A part of the text, by byte offsets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TextSlice {
    pub(super) start: u32,
    pub(super) end: u32,
}

impl TextSlice {
    pub(super) fn of(self, text: &[u8]) -> &[u8] {
        text.get(self.start as usize..self.end as usize).or_impossible(&[])
    }

    pub(super) fn span(self, file: FileId) -> Span {
        Span::new(file, self.start as usize, self.end as usize)
    }
}

/// What a statement is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum StatementKind {
    /// `name:`
    Label,
    /// `name = expression`, `.equ name, expression`; the slice is the name, `rest` the expression.
    Define,
    /// `.name arguments`; the slice is the name without the dot.
    Directive,
    /// `[data]`; the slice is what is in the brackets.
    Data,
    /// `no match: hex`, as the disassembler writes an invalid word; the slice is the number.
    NoMatch,
    /// `raw 0xhex`: a word as groups of 8 digits for 32 bits, the low one first; the slice is the digits.
    Raw,
    /// An instruction.
    Instruction,
}

/// A statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Statement {
    pub(super) kind: StatementKind,
    pub(super) piece: TextSlice,
    /// What follows a name.
    pub(super) rest: TextSlice,
}

/// All statements of a text. With `edges`, blanks around an instruction that is alone in its line belong to it.
pub(super) fn split(file: FileId, text: &[u8], edges: bool, out: &mut Diagnostics) -> Vec<Statement> {
    let mut statements = Vec::with_capacity(text.len() / 16);
    let mut labels = 0usize;
    let mut start = 0usize;
    let ends = memchr::memchr_iter(b'\n', text).chain([text.len()]);
    for line_end in ends {
        labels += split_line(file, text, (start, line_end), edges, &mut statements, out);
        start = line_end + 1;
        if is_too_large(labels, start, out) {
            break;
        }
    }
    statements
}

/// Whether so many labels, or a text up to there, is too much.
pub(super) fn is_too_large(labels: usize, start: usize, out: &mut Diagnostics) -> bool {
    let is = labels > MAX_SYMBOLS || start > u32::MAX as usize;
    if is {
        let d = Diagnostic::error("asm-too-large", format!("more than {MAX_SYMBOLS} labels, or 4 GiB of text"));
        out.push(d);
    }
    is
}

/// The statements of the line between two offsets; how many labels are among them.
pub(super) fn split_line(
    file: FileId,
    text: &[u8],
    (start, line_end): (usize, usize),
    edges: bool,
    statements: &mut Vec<Statement>,
    out: &mut Diagnostics,
) -> usize {
    let mut labels = 0;
    let line = text.get(start..line_end).or_impossible(&[]);
    let end = start + comment(line);
    let mut at = skip_blanks(text, start, end);
    // The length of the symbol that what is left begins with.
    let len = loop {
        let rest = text.get(at..end).or_impossible(&[]);
        let len = symbol_length(rest);
        if len == 0 || rest.get(len) != Some(&b':') {
            break len;
        }
        labels += 1;
        let empty = piece(at + len, at + len);
        statements.push(Statement { kind: StatementKind::Label, piece: piece(at, at + len), rest: empty });
        at = skip_blanks(text, at + len + 1, end);
    };
    let stop = trim_end(text, at, end);
    if at < stop {
        if text.get(at..at + len) == Some(QUOTE)
            && text.get(at + len).is_none_or(|&byte| is_blank(byte) || byte == b'\n')
        {
            statements.push(quoted(text, at + len, line_end));
            return labels;
        }
        let one = one(file, text, (at, len, stop), out);
        let whole = edges && labels == 0 && end == line_end;
        statements.extend(one.map(|one| match one.kind {
            StatementKind::Instruction if whole => {
                let stop = line_end - usize::from(line.ends_with(b"\r"));
                Statement { piece: piece(start, stop.max(start)), ..one }
            }
            _ => one,
        }));
    }
    labels
}

/// What begins an instruction that is the rest of its line, as it is.
const QUOTE: &[u8] = b".instruction";

/// The instruction after [`QUOTE`]: all but one blank of what follows.
fn quoted(text: &[u8], at: usize, line_end: usize) -> Statement {
    let line = text.get(at..line_end).or_impossible(&[]);
    let stop = line_end - usize::from(line.ends_with(b"\r"));
    let start = (at + 1).min(stop);
    Statement { kind: StatementKind::Instruction, piece: piece(start, stop), rest: piece(stop, stop) }
}

/// The statement between two offsets, which is not empty. It begins with a symbol of `len` bytes.
fn one(file: FileId, text: &[u8], (at, len, stop): (usize, usize, usize), out: &mut Diagnostics) -> Option<Statement> {
    let rest = text.get(at..stop).or_impossible(&[]);
    if let Some((b'[', inner)) = rest.split_first() {
        let Some(end) = inner.iter().position(|&byte| byte == b']') else {
            let d = Diagnostic::error("asm-data", "data without its closing `]`");
            out.push(d.label(Span::new(file, at, stop), "this"));
            return None;
        };
        let after = skip_blanks(text, at + 1 + end + 1, stop);
        if after < stop {
            let d = Diagnostic::error("asm-data", "more text after `]`");
            out.push(d.label(Span::new(file, after, stop), "this is too much"));
            return None;
        }
        let inner = piece(skip_blanks(text, at + 1, at + 1 + end), trim_end(text, at + 1, at + 1 + end));
        return Some(Statement { kind: StatementKind::Data, piece: inner, rest: piece(stop, stop) });
    }
    for (start, kind) in [(&b"no match: "[..], StatementKind::NoMatch), (b"raw 0x", StatementKind::Raw)] {
        if let Some(digits) = rest.strip_prefix(start)
            && !digits.is_empty()
            && digits.iter().all(u8::is_ascii_hexdigit)
        {
            return Some(Statement { kind, piece: piece(stop - digits.len(), stop), rest: piece(stop, stop) });
        }
    }
    let after = skip_blanks(text, at + len, stop);
    if len > 0 && text.get(after) == Some(&b'=') && text.get(after + 1) != Some(&b'=') && after < stop {
        let value = piece(skip_blanks(text, after + 1, stop), stop);
        return Some(Statement { kind: StatementKind::Define, piece: piece(at, at + len), rest: value });
    }
    if rest.first() == Some(&b'.') && len > 1 {
        let name = piece(at + 1, at + len);
        if matches!(name.of(text), b"equ" | b"set") {
            return define(file, text, after, stop, out);
        }
        return Some(Statement { kind: StatementKind::Directive, piece: name, rest: piece(after, stop) });
    }
    Some(Statement { kind: StatementKind::Instruction, piece: piece(at, stop), rest: piece(stop, stop) })
}

/// `.equ name, expression` from the name on.
fn define(file: FileId, text: &[u8], at: usize, stop: usize, out: &mut Diagnostics) -> Option<Statement> {
    let len = symbol_length(text.get(at..stop).or_impossible(&[]));
    let comma = skip_blanks(text, at + len, stop);
    if len == 0 || comma >= stop || text.get(comma) != Some(&b',') {
        let d = Diagnostic::error("asm-directive", "`.equ` takes a name, a comma and an expression");
        out.push(d.label(Span::new(file, at, stop), "instead of this"));
        return None;
    }
    let value = piece(skip_blanks(text, comma + 1, stop), stop);
    Some(Statement { kind: StatementKind::Define, piece: piece(at, at + len), rest: value })
}

/// The length of a line without its comment.
pub(super) fn comment(line: &[u8]) -> usize {
    if line.trim_ascii_start().first() == Some(&b'#') {
        return 0;
    }
    if memchr::memchr3(b';', b'/', b'"', line).is_none() {
        return line.len();
    }
    let mut quoted = false;
    let mut at = 0;
    while let Some(&byte) = line.get(at) {
        match byte {
            // An escaped quote ends no string, and the character `';'` begins no comment.
            b'\\' if quoted => at += 1,
            b'"' => quoted = !quoted,
            b'\'' if line.get(at + 2) == Some(&b'\'') => at += 2,
            b';' if !quoted => return at,
            b'/' if !quoted && line.get(at + 1) == Some(&b'/') => return at,
            _ => {}
        }
        at += 1;
    }
    line.len()
}

pub(super) fn piece(start: usize, end: usize) -> TextSlice {
    TextSlice { start: start as u32, end: end.max(start) as u32 }
}

pub(super) fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r')
}

/// The offset after blanks, at most `end`.
pub(super) fn skip_blanks(text: &[u8], from: usize, end: usize) -> usize {
    let rest = text.get(from..end).or_impossible(&[]);
    from + rest.iter().take_while(|&&byte| is_blank(byte)).count()
}

/// The offset before trailing blanks, at least `from`.
pub(super) fn trim_end(text: &[u8], from: usize, end: usize) -> usize {
    let rest = text.get(from..end).or_impossible(&[]);
    end.saturating_sub(rest.iter().rev().take_while(|&&byte| is_blank(byte)).count()).max(from)
}
