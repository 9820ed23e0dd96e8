//! Exact text: a disassembly from which the assembler makes the same file again, whatever is in it.
//!
//! Ordinary text forgets the header, the numbers of ids, the byte order, and whatever has no literal form. Exact text
//! keeps ids numeric, carries the header in its first line, and writes as plain words (`OpUnknown`, `!`) what would not
//! come back. That is found by trying: the text is assembled, every instruction compared, those that differ written as
//! words, and so on; in the end everything may be words, which always comes back.

use rustc_hash::FxHashSet;

use crate::asm::{self, Assembly};
use crate::dis::{self, Disassembly};
use crate::instructions::Instructions;
use crate::limits;

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

/// Assembles exact text to the bytes of a file. Text without the first line is assembled with numeric ids kept.
pub fn assemble(text: &[u8], options: &asm::Options<'_>) -> (Vec<u8>, Assembly) {
    let (header, big) = first_line(text).unwrap_or_default();
    let version = header.get(1).map(|v| (v >> 8 & 0xff).min(u32::from(asm::NEWEST)) as u8);
    let options = asm::Options { preserve_numeric_ids: true, version: options.version.or(version), ..*options };
    let mut done = asm::assemble(text, &options);
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
    let big = words.first() == Some(&asm::MAGIC.swap_bytes());
    let native: Vec<u32> = if big { words.iter().map(|w| w.swap_bytes()).collect() } else { words.to_vec() };
    let mut line = MARK.to_owned();
    for w in native.iter().take(5) {
        line.push_str(&format!(" {w:08x}"));
    }
    line.push_str(if big { " big-endian\n" } else { "\n" });
    let failures = dis::disassemble(words, &dis::Options { keep_going: true, swap_imports: true, ..*options }).failures;
    if native.len() <= 5 {
        return Disassembly { text: line.into_bytes(), failures };
    }
    // A header that the disassembler refuses is no reason not to print what follows.
    let mut body = native.clone();
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
    let mut as_words = FxHashSet::default();
    for _ in 0..limits::EXACT_ROUNDS {
        let mut text = line.clone().into_bytes();
        dis::disassemble_as_words(&body, &options, &as_words, &mut text);
        if !differences(&text, &body, &options, &mut as_words) {
            return Disassembly { text, failures };
        }
    }
    let mut text = line.into_bytes();
    let all = Instructions::new(&body).map(|i| i.offset).collect();
    dis::disassemble_as_words(&body, &options, &all, &mut text);
    Disassembly { text, failures }
}

/// Assembles text and adds the instructions that came out differently; false if none did.
fn differences(text: &[u8], body: &[u32], options: &dis::Options<'_>, found: &mut FxHashSet<usize>) -> bool {
    let mut as_options = asm::Options {
        grammar: options.grammar,
        version: Some(asm::NEWEST),
        preserve_numeric_ids: true,
        keep_going: true,
        map: true,
    };
    if let Some((header, _)) = first_line(text) {
        as_options.version = header.get(1).map(|v| (v >> 8 & 0xff).min(u32::from(asm::NEWEST)) as u8);
    }
    let done = asm::assemble_words(text, &as_options);
    if done.failures.is_empty() && done.words.get(5..) == body.get(5..) {
        return false;
    }
    // The text has one line for each instruction, so the n-th that starts there is the n-th of the module.
    let lines = asm::line_starts(text);
    let mut came = vec![None; lines.len()];
    for (i, &(at, word)) in done.map.iter().enumerate() {
        let end = done.map.get(i + 1).map_or(done.words.len(), |m| m.1 as usize);
        let line = lines.partition_point(|&l| l <= at as usize).checked_sub(1);
        if let Some(slot) = line.and_then(|l| came.get_mut(l)) {
            *slot = done.words.get(word as usize..end);
        }
    }
    let before = found.len();
    for (line, i) in Instructions::new(body).enumerate() {
        if came.get(line).copied().flatten() != Some(i.words) {
            found.insert(i.offset);
        }
    }
    // What differs in no single instruction cannot be mended one by one.
    if found.len() == before {
        found.extend(Instructions::new(body).map(|i| i.offset));
    }
    true
}
