//! Exact text: a disassembly from which the assembler makes the same file again, whatever is in it.
//!
//! Ordinary text forgets the header, the numbers of ids, the byte order, and whatever has no literal form. Exact text
//! keeps ids numeric, carries the header in its first line, and writes as plain words (`OpUnknown`, `!`) what would not
//! come back. That is found by trying: every line is assembled and compared before it is kept, with what the lines
//! before it said about ids; a line that is replaced says nothing.

use crate::asm::{self, Assembly, Check};
use crate::dis::{self, Disassembly, Failure, Write};

/// How the first line of exact text begins; the five header words follow in hexadecimal, then the byte order.
const MARK: &str = "; isaglot exact";

/// Whether text begins like exact text, and what its first line says: header words and big-endian byte order.
fn first_line(text: &[u8]) -> Option<(Vec<u32>, bool)> {
    let line = text.split(|&b| b == b'\n').next()?;
    let mut rest = std::str::from_utf8(line).ok()?.strip_prefix(MARK)?.split_whitespace().peekable();
    let mut header = Vec::new();
    while let Some(word) = rest.next_if(|w| w.len() == 8) {
        header.push(u32::from_str_radix(word, 16).ok()?);
    }
    let big = rest.next() == Some("big-endian");
    (header.len() <= 5).then_some((header, big))
}

/// Assembles exact text to the bytes of a file. Text without the first line is assembled with numeric ids kept. The names
/// of ids are listed only with [`asm::Options::map`].
pub fn assemble(text: &[u8], options: &asm::Options<'_>) -> (Vec<u8>, Assembly) {
    let (header, big) = first_line(text).unwrap_or_default();
    let version = header.get(1).map(|v| (v >> 8 & 0xff).min(u32::from(asm::NEWEST)) as u8);
    let options = asm::Options { preserve_numeric_ids: true, version: options.version.or(version), ..*options };
    let mut done = if options.map { asm::assemble(text, &options) } else { asm::assemble_words(text, &options) };
    if !header.is_empty() {
        done.words.truncate(if header.len() < 5 { header.len() } else { usize::MAX });
        for (word, given) in done.words.iter_mut().zip(&header) {
            *word = *given;
        }
    }
    let bytes = if big {
        done.words.iter().flat_map(|w| w.to_be_bytes()).collect()
    } else {
        asm::to_bytes(&done.words).into_owned()
    };
    (bytes, done)
}

/// Disassembles to exact text. The failures say what is wrong with the module; the text is whole nevertheless.
///
/// ```
/// use isaglot_spirv::{asm, exact};
///
/// let words = [0x0723_0203, 0x0001_0300, 42, 9, 0, 0x0002_fffe, 7, 0x0001_00fd, 0];
/// let text = exact::disassemble(&words, &Default::default()).text;
/// let (bytes, _) = exact::assemble(&text, &Default::default());
/// assert_eq!(bytes, *asm::to_bytes(&words));
/// ```
pub fn disassemble(words: &[u32], options: &dis::Options<'_>) -> Disassembly {
    let mut text = Vec::new();
    let failures = disassemble_to(words, options, &mut |bytes| {
        text.extend_from_slice(bytes);
        true
    });
    Disassembly { text, failures }
}

/// As [`disassemble`], handed on in pieces of about [`crate::limits::CHUNK_BYTES`].
pub fn disassemble_to(words: &[u32], options: &dis::Options<'_>, write: &mut Write<'_>) -> Vec<Failure> {
    let big = words.first() == Some(&asm::MAGIC.swap_bytes());
    let mut body: Vec<u32> = if big { words.iter().map(|w| w.swap_bytes()).collect() } else { words.to_vec() };
    let mut line = MARK.to_owned();
    for w in body.iter().take(5) {
        line.push_str(&format!(" {w:08x}"));
    }
    line.push_str(if big { " big-endian\n" } else { "\n" });
    let open = write(line.as_bytes());
    let refused = dis::header_problem(words);
    if body.len() <= 5 || !open {
        return refused.into_iter().collect();
    }
    let version = body.get(1).map_or(0, |v| (v >> 8 & 0xff).min(u32::from(asm::NEWEST)) as u8);
    // What follows is printed even if the disassembler refuses the header.
    for (word, plain) in body.iter_mut().zip([asm::MAGIC, 0x0001_0600]) {
        *word = plain;
    }
    let options = dis::Options {
        grammar: options.grammar,
        raw_id: true,
        header: false,
        indent: options.indent,
        keep_going: true,
        wide_numbers: true,
        swap_imports: true,
        ..dis::Options::default()
    };
    let check = Check::new(options.grammar, version, body.len());
    let failures = dis::disassemble_checked(&body, &options, check, write);
    refused.map_or(failures, |failure| vec![failure])
}
