//! A program that is typed: several lines of assembly, with the bytes of each line and every problem at its place; and text that was
//! pasted, which may be a listing of another disassembler or a dump of memory.

use isaglot_model::ByteOrder;
use isaglot_source::{Diagnostic, Diagnostics, SourceMap};
use serde_json::{Value, json};

use super::Asker;
use super::limits::{MAX_NEXT, MAX_PROBLEMS, MAX_PROGRAM, MAX_QUESTION};
use crate::Problem;
use crate::text;

/// What a program is called in messages.
pub(super) const NAME: &str = "program";

impl Asker<'_, '_, '_, '_> {
    /// What a text of several lines is: the bytes of a dump or a listing, or those of the assembly that it is, with the bytes of each line
    /// and all problems.
    pub fn typed(&mut self, source: &str) -> Value {
        if source.len() > MAX_PROGRAM {
            let d = Diagnostic::error("explore-size", format!("more than {MAX_PROGRAM} bytes of text"));
            return super::problem(&SourceMap::new(), &d.into());
        }
        let order = self.plan.isa().format().byte_order;
        if let Some(bytes) = pasted(source, order) {
            return json!({ "kind": "program", "from": "dump", "bytes": hex(&bytes), "lines": [], "problems": [] });
        }
        let (mut files, mut problems) = (SourceMap::new(), Diagnostics::new());
        let file = files.add(NAME, source.as_bytes());
        #[cfg(feature = "xe")]
        if let Some(xe) = &mut self.xe {
            let made = xe.assemble(file, source.as_bytes(), isaglot_xe::Compaction::Marked, &mut problems);
            let bytes = made.filter(|_| !problems.has_errors()).unwrap_or_default();
            return answer(&files, &problems, &bytes, Vec::new());
        }
        let image = text::assemble(self.kind, self.assembler, &mut files, file, true, &mut problems);
        let Some(image) = image.filter(|_| !problems.has_errors()) else {
            return answer(&files, &problems, &[], Vec::new());
        };
        let bytes = match text::bytes(self.kind, &image) {
            Ok(bytes) => bytes,
            Err(size) => {
                problems.push(text::too_large(size));
                return answer(&files, &problems, &[], Vec::new());
            }
        };
        let mut lines = Vec::new();
        for listed in image.listed.iter().filter(|listed| listed.span.file == file) {
            let Some(section) = image.sections.get(listed.section as usize) else { continue };
            let part = section.bytes.get(listed.start as usize..listed.end as usize).unwrap_or_default();
            let Some(line) = files.get(file).map(|f| f.line_of(listed.span.start as usize)) else { continue };
            lines.push(json!([line, section.address + listed.start, hex(part)]));
        }
        answer(&files, &problems, &bytes, lines)
    }
}

impl Asker<'_, '_, '_, '_> {
    /// What may come next in a line of assembly: rows of a text, what it is, whether it only says so, and where it begins in the line, in
    /// units of UTF-16 as JavaScript counts.
    pub fn next(&mut self, line: &str) -> Value {
        if line.len() > MAX_QUESTION {
            return json!({ "items": [] });
        }
        let units = |text: &str| text.encode_utf16().count();
        #[cfg(feature = "xe")]
        if let Some(xe) = &self.xe {
            let begun = line.trim_end_matches(|c: char| c.is_alphanumeric() || c == '.').len();
            let (before, part) = line.split_at(begun);
            // Only a predicate can stand before the mnemonic.
            let is_first = before.trim().is_empty() || before.trim().ends_with(')') && before.trim().starts_with('(');
            let ops = xe.ops().iter().map(|op| op.name).filter(|name| name.starts_with(part));
            let names: std::collections::BTreeSet<&str> = ops.collect();
            let shown = names.into_iter().filter(|_| is_first && !part.is_empty()).take(MAX_NEXT);
            let rows = shown.map(|name| json!([name, "", false, units(before)]));
            return json!({ "items": rows.collect::<Vec<_>>() });
        }
        let next = self.assembler.next(line);
        let from = units(line.get(..next.from).unwrap_or_default());
        let texts = next.texts.iter().map(|text| json!([text, "", false, from]));
        let after = next.after.iter().map(|text| json!([text, "", false, units(line)]));
        let kinds = next.kinds.iter().map(|kind| json!(["", kind, true, units(line)]));
        json!({ "items": kinds.chain(texts).chain(after).take(MAX_NEXT).collect::<Vec<_>>() })
    }
}

pub(super) fn answer(files: &SourceMap, problems: &Diagnostics, bytes: &[u8], lines: Vec<Value>) -> Value {
    let rows = Problem::all(files, problems).into_iter().take(MAX_PROBLEMS).map(|p| {
        let (line, column, length) = p.place.as_ref().map_or((0, 0, 0), |p| (p.line, p.column, p.length));
        json!({
            "line": line, "column": column, "length": length, "severity": p.severity, "message": p.message,
            "notes": p.notes, "text": p.text,
        })
    });
    json!({
        "kind": "program", "from": "assembly", "bytes": hex(bytes), "lines": lines, "problems": rows.collect::<Vec<_>>(),
    })
}

pub(super) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|b| format!("{b:02x}")).collect()
}

/// The bytes that a listing of `objdump -d` or a dump of `xxd`, `hexdump -C` or `od` stands for, or plain hex bytes; `None` of anything
/// else. Of a listing, digits of more than two are numbers in the byte order of the machine; of a dump they are bytes as they lie.
#[must_use]
pub fn pasted(source: &str, order: ByteOrder) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    let mut rows = 0;
    for line in source.lines() {
        let line = line.trim_end();
        // Titles of a listing: `a.out: file format …`, `Disassembly of section .text:`, `0000000000010074 <main>:`, `...`
        let is_title = line.is_empty()
            || line.contains("file format ")
            || line.starts_with("Disassembly of ")
            || line.trim() == "..."
            || (line.ends_with(">:") && address(line.split(' ').next().unwrap_or("")).is_some());
        if is_title {
            continue;
        }
        row(line, order, &mut bytes)?;
        rows += 1;
    }
    (rows > 0).then_some(bytes)
}

fn address(text: &str) -> Option<&str> {
    (!text.is_empty() && text.chars().all(|c| c.is_ascii_hexdigit())).then_some(text)
}

/// The bytes of one line.
fn row(line: &str, order: ByteOrder, bytes: &mut Vec<u8>) -> Option<()> {
    let line = line.trim_start();
    // `  10074:\t00c58533          \tadd a0,a1,a2`
    if let Some((place, rest)) = line.split_once(":\t") {
        address(place.trim())?;
        let digits = rest.split('\t').next().unwrap_or(rest);
        return digits.split_whitespace().try_for_each(|group| number(group, order, bytes));
    }
    // `00000000: 1305 a000 3305 b500  ....3...` and `00000000  13 05 a0 00  |....|`
    let dumped = line
        .split_once(": ")
        .or_else(|| line.split_once("  "))
        .filter(|(place, _)| place.len() >= 4 && address(place).is_some());
    if let Some((_, rest)) = dumped {
        let rest = rest.split('|').next().unwrap_or(rest).trim_start();
        // Letters stand after two blanks; between two halves of a line, too, but then digits follow.
        let before = bytes.len();
        for part in rest.split("  ") {
            let is_digits = |group: &str| group.len().is_multiple_of(2) && group.chars().all(|c| c.is_ascii_hexdigit());
            if !part.split_whitespace().all(is_digits) {
                break;
            }
            part.split_whitespace().try_for_each(|group| number(group, ByteOrder::Big, bytes))?;
        }
        return (bytes.len() > before).then_some(());
    }
    // The last line of a dump: where it ends.
    if line.len() == 8 && address(line).is_some() && !bytes.is_empty() {
        return Some(());
    }
    let groups: Vec<&str> = line.split([' ', ',', ':']).filter(|group| !group.is_empty()).collect();
    let is_bytes = groups.len() > 1 && groups.iter().all(|g| g.trim_start_matches("0x").len() == 2);
    if !is_bytes {
        return None;
    }
    groups.iter().try_for_each(|group| number(group.trim_start_matches("0x"), order, bytes))
}

/// A number of whole bytes.
fn number(digits: &str, order: ByteOrder, bytes: &mut Vec<u8>) -> Option<()> {
    let pairs = digits.len().is_multiple_of(2).then(|| digits.as_bytes().chunks(2))?;
    let pair = |pair: &[u8]| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok();
    let mut read: Vec<u8> = pairs.map(pair).collect::<Option<_>>()?;
    if order == ByteOrder::Little {
        read.reverse();
    }
    bytes.extend(read);
    Some(())
}
