//! What each statement became: place, bytes, source line.

use isaglot_invariant::Impossible as _;
use std::fmt::Write;

use isaglot_source::{SourceFile, Span};

use super::Image;

/// A statement and the bytes that it became.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Listed {
    /// The statement.
    pub span: Span,
    /// Index of its section in [`Image::sections`].
    pub section: u32,
    /// Its bytes: offset in the section.
    pub start: u64,
    /// And end.
    pub end: u64,
}

/// Bytes shown in one line of a listing.
const BYTES_PER_LINE: usize = 16;

/// A listing: byte offset, bytes in hex by words of `word_bytes` bytes (1 to 8, little-endian), source line.
#[must_use]
pub fn listing(image: &Image, file: &SourceFile, word_bytes: usize) -> String {
    let mut out = String::new();
    let word_bytes = word_bytes.clamp(1, 8);
    let column = 10 + (2 * word_bytes + 1) * BYTES_PER_LINE.div_ceil(word_bytes);
    let mut section = None;
    let mut next_line = 1;
    for listed in &image.listed {
        let line = file.line_of(listed.span.start as usize);
        // Comments, blank lines and labels on the way.
        while next_line < line {
            plain(&mut out, file, next_line, column);
            next_line += 1;
        }
        if section != Some(listed.section) {
            section = Some(listed.section);
            let name = image.sections.get(listed.section as usize).map_or("", |section| &section.name);
            if !name.is_empty() {
                // Writing to a string does not fail.
                let _ = writeln!(out, "section {name}");
            }
        }
        let bytes = image.sections.get(listed.section as usize).map_or(&[][..], |section| &section.bytes);
        let bytes = bytes.get(listed.start as usize..listed.end as usize).or_impossible(&[]);
        for (i, chunk) in bytes.chunks(BYTES_PER_LINE.max(word_bytes) / word_bytes * word_bytes).enumerate() {
            let mut text = format!("{:08x} ", listed.start as usize + i * BYTES_PER_LINE);
            for word in chunk.chunks(word_bytes) {
                text.push(' ');
                for byte in word.iter().rev() {
                    let _ = write!(text, "{byte:02x}");
                }
            }
            if i == 0 && next_line <= line {
                let source = String::from_utf8_lossy(file.line(line)).into_owned();
                let _ = write!(text, "{:pad$}{source}", "", pad = column.saturating_sub(text.len()));
            }
            out.push_str(text.trim_end());
            out.push('\n');
        }
        next_line = next_line.max(line + 1);
    }
    while file.line_start(next_line) < file.bytes.len() {
        plain(&mut out, file, next_line, column);
        next_line += 1;
    }
    out
}

fn plain(out: &mut String, file: &SourceFile, line: u32, column: usize) {
    let source = String::from_utf8_lossy(file.line(line)).into_owned();
    let text = format!("{:column$}{source}", "");
    out.push_str(text.trim_end());
    out.push('\n');
}
