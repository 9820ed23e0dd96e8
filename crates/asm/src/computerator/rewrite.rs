//! The lines of a computerator file as lines of a source.
//!
//! A line of the result is one instruction or label. What Mesa's lexer leaves out, comments from `;` on and line breaks, is
//! left out here; the flags before an instruction, which may stand in any order and in lines before it, are put in the
//! order in which they print.

use isaglot_source::{Diagnostic, Diagnostics, FileId, Span};

use super::header::{self, Header, PARTS};

/// The file as a source.
pub(super) struct Rewritten {
    pub(super) text: Vec<u8>,
    pub(super) headers: Vec<Header>,
    /// Of every line: where it begins in `text`, and what it was.
    lines: Vec<Line>,
}

/// Where a line is from.
struct Line {
    made: u32,
    /// What was written, by byte offsets.
    start: u32,
    end: u32,
    /// It is what was written from `start` on.
    same: bool,
}

impl Rewritten {
    /// What was written for a place in the source.
    pub(super) fn origin(&self, file: FileId, span: Span) -> Span {
        let at = self.lines.partition_point(|line| line.made <= span.start).saturating_sub(1);
        let Some(line) = self.lines.get(at) else { return Span { file, start: 0, end: 0 } };
        if !line.same {
            return Span { file, start: line.start, end: line.end };
        }
        let moved = |offset: u32| (line.start + offset.saturating_sub(line.made)).min(line.end);
        Span { file, start: moved(span.start), end: moved(span.end) }
    }

    fn push(&mut self, text: &[u8], written: (usize, usize), same: bool) {
        let (start, end) = (written.0 as u32, written.1 as u32);
        self.lines.push(Line { made: self.text.len() as u32, start, end, same });
        self.text.extend_from_slice(text);
        self.text.push(b'\n');
    }
}

/// Flags that stand before an instruction; their order is that in which instructions print them.
const FLAGS: [&[u8]; 8] = [b"(sy)", b"(ss)", b"(eq)", b"(jp)", b"(sat)", b"(rpt", b"(nop", b"(ul)"];

/// Flags that wait for their instruction.
#[derive(Default)]
struct Waiting<'t> {
    flags: Vec<&'t [u8]>,
    /// Where the first of them stand.
    at: (usize, usize),
}

/// Rewrites a file.
pub(super) fn rewrite(text: &[u8], file: FileId, generation: u32, out: &mut Diagnostics) -> Rewritten {
    let mut made = Rewritten { text: Vec::with_capacity(text.len()), headers: Vec::new(), lines: Vec::new() };
    let mut waiting = Waiting::default();
    let (mut nops, mut syncs, mut begun) = (false, false, false);
    let mut start = 0;
    for (number, whole) in (1u32..).zip(text.split(|&byte| byte == b'\n')) {
        let line_start = start;
        start += whole.len() + 1;
        let end = memchr::memchr(b';', whole).unwrap_or(whole.len());
        let indent = whole.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
        let (mut at, line) =
            (line_start + indent, whole.get(indent.min(end)..end).unwrap_or_default().trim_ascii_end());
        let mut line = line;
        if line.first() == Some(&b'@') {
            waiting.nothing_for("a header", file, out);
            let name = header::name_of(line);
            match PARTS.iter().position(|part| part.as_bytes() == name) {
                Some(part) => {
                    begun = true;
                    *(if part < 2 { &mut nops } else { &mut syncs }) = part % 2 == 0;
                    if line.len() > 1 + name.len() {
                        let span = Span::new(file, at + 1 + name.len(), at + line.len());
                        out.push(Diagnostic::error("asm-computerator", "more text after this").label(span, "too much"));
                    }
                }
                None if begun => {
                    let d = Diagnostic::error("asm-computerator", "a header after the first instruction");
                    out.push(d.label(Span::new(file, at, at + line.len()), "headers stand before all instructions"));
                }
                None => match header::read(line, number, file, at, generation) {
                    Ok(header) => made.headers.push(header),
                    Err(d) => out.push(*d),
                },
            }
            continue;
        }
        // Labels have lines of their own: what is put before an instruction comes after them.
        while let Some(length) = label(line) {
            begun = true;
            waiting.nothing_for("a label", file, out);
            made.push(line.get(..length).unwrap_or_default(), (at, at + length), true);
            let after = line.get(length..).unwrap_or_default();
            let blanks = after.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
            (at, line) = (at + length + blanks, after.get(blanks..).unwrap_or_default());
        }
        if line.is_empty() {
            continue;
        }
        begun = true;
        let written = (at, at + line.len());
        if let Some(digits) = line.strip_prefix(b"raw 0x").filter(|digits| digits.iter().all(u8::is_ascii_hexdigit)) {
            waiting.nothing_for("a raw word", file, out);
            before(&mut made, nops, syncs, written);
            // Mesa reads one number of 64 bits here, and prints two of 32, the low one first.
            let mut data = b"[".to_vec();
            data.extend_from_slice(if digits.is_empty() { b"0" } else { digits });
            data.push(b']');
            made.push(&data, written, false);
            continue;
        }
        let (first, (skipped, body), last) = parts(line);
        octal(body, at + skipped, file, out);
        let was_waiting = !waiting.flags.is_empty();
        let in_order = first.iter().map(|flag| rank(flag)).is_sorted_by(|a, b| a < b);
        waiting.flags.extend(first);
        if body.is_empty() {
            waiting.at = if was_waiting { waiting.at } else { written };
            continue;
        }
        before(&mut made, nops, syncs, written);
        if !was_waiting && last.is_empty() && in_order {
            made.push(line, written, true);
        } else {
            let mut instruction = waiting.in_order().concat();
            instruction.extend_from_slice(body);
            made.push(&instruction, written, false);
        }
        waiting = Waiting { flags: last, at: (at + skipped + body.len(), written.1) };
    }
    waiting.nothing_for("the end of the file", file, out);
    made
}

/// What stands before every instruction of a part of the program.
fn before(made: &mut Rewritten, nops: bool, syncs: bool, written: (usize, usize)) {
    if nops {
        made.push(b"(rpt5)nop", written, false);
    }
    if syncs {
        made.push(b"(sy)(ss)nop", written, false);
    }
}

impl<'t> Waiting<'t> {
    /// The flags as they print: one of each, and of those with a number the last.
    fn in_order(&self) -> Vec<&'t [u8]> {
        let mut all: Vec<&[u8]> = Vec::new();
        for flag in self.flags.iter().rev() {
            if all.iter().all(|known| rank(known) != rank(flag)) {
                all.push(flag);
            }
        }
        all.sort_by_key(|flag| rank(flag));
        all
    }

    /// Reports flags that wait where no instruction comes.
    fn nothing_for(&mut self, what: &str, file: FileId, out: &mut Diagnostics) {
        if !self.flags.is_empty() {
            let d = Diagnostic::error("asm-computerator", format!("flags before {what}"));
            out.push(d.label(Span::new(file, self.at.0, self.at.1), "an instruction was expected after them"));
            self.flags.clear();
        }
    }
}

/// Which of [`FLAGS`] a flag is.
fn rank(flag: &[u8]) -> usize {
    FLAGS.iter().position(|known| flag.starts_with(known)).unwrap_or(FLAGS.len())
}

/// The flag that a text begins with.
fn flag(text: &[u8]) -> Option<&[u8]> {
    FLAGS.iter().find_map(|known| match text.strip_prefix(*known)? {
        rest if known.ends_with(b")") => text.get(..text.len() - rest.len()),
        [b'0'..=b'7', b')', ..] => text.get(..known.len() + 2),
        _ => None,
    })
}

/// The flag that a text ends with.
fn last_flag(text: &[u8]) -> Option<&[u8]> {
    let at = text.iter().rposition(|&byte| byte == b'(')?;
    let rest = text.get(at..)?;
    flag(rest).filter(|flag| flag.len() == rest.len())
}

/// The flags before an instruction, the instruction with its place in the line, and the flags after it.
type Parts<'t> = (Vec<&'t [u8]>, (usize, &'t [u8]), Vec<&'t [u8]>);

fn parts(line: &[u8]) -> Parts<'_> {
    let (mut first, mut body, mut last) = (Vec::new(), line, Vec::new());
    while let Some(flag) = flag(body) {
        first.push(flag);
        body = body.get(flag.len()..).unwrap_or_default().trim_ascii_start();
    }
    let skipped = line.len() - body.len();
    while let Some(flag) = last_flag(body) {
        last.insert(0, flag);
        body = body.get(..body.len() - flag.len()).unwrap_or_default().trim_ascii_end();
    }
    (first, (skipped, body), last)
}

/// The length of the label that a line begins with, with its colon.
fn label(line: &[u8]) -> Option<usize> {
    let length = line.iter().take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'_').count();
    let blanks = line.get(length..)?.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
    let is = length > 0 && !line.first()?.is_ascii_digit() && line.get(length + blanks) == Some(&b':');
    is.then_some(length + blanks + 1)
}

/// Reports numbers that begin with a zero: to Mesa they are octal, and to the rest of this assembler decimal.
fn octal(body: &[u8], at: usize, file: FileId, out: &mut Diagnostics) {
    let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.');
    let mut offset = at;
    for word in body.split_inclusive(|byte| !is_word(byte)) {
        let digits = word.iter().take_while(|byte| is_word(byte)).count();
        let text = word.get(..digits).unwrap_or_default();
        if matches!(text, [b'0', b'0'..=b'9', ..]) && text.iter().all(u8::is_ascii_digit) {
            let d = Diagnostic::error("asm-computerator", "a number that begins with a zero");
            let d = d.label(Span::new(file, offset, offset + digits), "octal to Mesa, decimal to others");
            out.push(d.note("write it without the zero, or in hexadecimal"));
        }
        offset += word.len();
    }
}
