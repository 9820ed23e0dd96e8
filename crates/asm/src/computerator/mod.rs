//! Sources as Mesa's `computerator` takes them: a program of ir3 with lines before it that say how it is run.
//!
//! The problem: such a file is not a list of instructions. Lines `@localsize 8, 1, 1` belong to who runs the program,
//! a line break means nothing to Mesa's parser, so that `(sy)` at the end of a line belongs to the next instruction, and
//! `@fullnopstart` puts a `nop` before every instruction that follows. The method: the file is rewritten to a source of
//! [`assemble::source`](crate::assemble::source), line by line, and every message is put back to the line that was
//! written. The headers are read whole and handed to the caller.
//!
//! ```text
//! @localsize 8, 1, 1            header: localsize, values 8 1 1
//! nop (sy)                      nop
//! (ss)                          (no instruction of its own)
//! add.f r0.x, r0.y, r0.z        (sy)(ss)add.f r0.x, r0.y, r0.z
//! ```
//!
//! Invariant: nothing is dropped. What is neither a header nor part of an instruction is an error, and a program with an
//! error has no bytes.
//!
//! Source of the rules: Mesa's `ir3_lexer.l` and `ir3_parser.y`, of 24.3 and 25.0.

mod header;
mod rewrite;

use isaglot_source::{Diagnostic, Diagnostics, FileId, SourceMap, Span};

pub use header::{Header, HeaderOption, HeaderValue};

use crate::Assembler;
use crate::assemble::source::{self, Image, Setup};

/// A program and what its file says besides.
#[derive(Clone, Debug)]
pub struct Program {
    /// The instructions.
    pub image: Image,
    /// The headers in the order of the file.
    pub headers: Vec<Header>,
}

/// Whether a source is of this kind: a line begins with a header that the description does not have.
pub fn is_one(assembler: &mut Assembler<'_, '_>, text: &[u8]) -> bool {
    // Most sources have no such byte at all.
    let Some(first) =
        memchr::memchr_iter(b'@', text).find(|&at| begins_line(text, at) && header::is_header(&text[at..]))
    else {
        return false;
    };
    let line = text[first..].split(|&byte| byte == b'\n').next().unwrap_or_default();
    assembler.assemble(line).is_err()
}

/// Whether only blanks are before a place in its line.
fn begins_line(text: &[u8], at: usize) -> bool {
    text[..at].iter().rev().take_while(|&&byte| byte != b'\n').all(u8::is_ascii_whitespace)
}

/// Assembles such a source. Every problem is added to `out`; with an error among them there is no program.
pub fn assemble(
    assembler: &mut Assembler<'_, '_>,
    files: &mut SourceMap,
    file: FileId,
    setup: &Setup,
    out: &mut Diagnostics,
) -> Option<Program> {
    let bytes = files.get(file)?.bytes.clone();
    let mut found = Diagnostics::new();
    let rewritten = rewrite::rewrite(&bytes, file, assembler.plan().generation(), &mut found);
    let made = files.add("<rewritten>", rewritten.text.as_slice());
    assembler.set_packer(true);
    let image = source::assemble_with(assembler, made, &rewritten.text, setup, &mut found);
    assembler.set_packer(false);
    let place = |span: Span| if span.file == made { rewritten.origin(file, span) } else { span };
    let moved = |d: &Diagnostic| {
        let mut d = d.clone();
        d.labels.iter_mut().for_each(|label| label.span = place(label.span));
        d.fix.iter_mut().for_each(|fix| fix.span = place(fix.span));
        d
    };
    // Both find problems; people read from the top.
    let mut all: Vec<Diagnostic> = found.iter().map(moved).collect();
    all.sort_by_key(|d| d.span().map_or(0, |span| span.start));
    all.into_iter().for_each(|d| out.push(d));
    let mut image = image.filter(|_| !found.has_errors())?;
    image.listed.iter_mut().for_each(|listed| listed.span = place(listed.span));
    Some(Program { image, headers: rewritten.headers })
}
