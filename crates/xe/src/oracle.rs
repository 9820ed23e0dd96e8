//! One run over arbitrary bytes through everything, for fuzzing and its smoke test.

mod words;

use isaglot_listing::write::{Style, to_json};
use isaglot_source::{Diagnostics, FileId};

use crate::stream::{RawWord, StreamItem};
use crate::{Compaction, ListOptions, Lister, Printer, Program, TextOptions, Xe};

/// Takes bytes as a binary and as text: disassembles, checks, lists with everything, reads the listing back, assembles. Says
/// what does not hold together; the point is that nothing panics and that every JSON that is written is read.
pub fn exercise(xe: &mut Xe, data: &[u8]) -> Result<(), String> {
    let program = xe.program(data);
    let mut text = Vec::new();
    let all = TextOptions { pc: true, bits: true, hex_floats: true, ldst: true, ..TextOptions::default() };
    xe.print(&program, &all, &mut text);
    let _ = crate::zebin::target(data);
    quick(xe, data)?;
    readings(xe, &program)?;
    canonical_words(xe, &program)?;
    if xe.lint(&program).is_ok_and(|found| found.iter().any(|f| f.at >= program.entries.len() || f.message.is_empty()))
    {
        return Err("a finding is about nothing".to_owned());
    }
    let _ = xe.places(FileId(0), data);
    for (compat, ldst) in [(false, false), (true, true)] {
        let options = ListOptions { defs: true, pc: true, bits: true, ldst, compat, ..ListOptions::default() };
        let mut json = Vec::new();
        if xe.write_json(&program, &options, &mut json).is_err() {
            continue;
        }
        let listing = isaglot_listing::read(FileId(0), &json).map_err(|_| "a listing is not read back".to_owned())?;
        if to_json(&listing, Style { wide_store_indent: compat }) != json {
            return Err("a listing is written back differently".to_owned());
        }
        let mut problems = Diagnostics::new();
        let _ = xe.assemble_listing(FileId(0), &listing, &mut problems);
    }
    let mut problems = Diagnostics::new();
    let _ = xe.assemble(FileId(0), data, Compaction::Auto, &mut problems);
    text.clear();
    xe.print(&program, &TextOptions { no_comments: true, ..TextOptions::default() }, &mut text);
    let _ = xe.assemble(FileId(0), &text, Compaction::Marked, &mut problems);
    if let Ok(listing) = isaglot_listing::read(FileId(0), data) {
        let _ = xe.assemble_listing(FileId(0), &listing, &mut problems);
    }
    Ok(())
}

/// What listings show: offsets and encodings, loads and stores in their own form, dataflow, all as `iga64` has it.
const LISTINGS: [(bool, bool, bool, bool); 5] = [
    (false, false, false, false),
    (true, true, false, true),
    (false, false, true, false),
    (true, true, true, false),
    (false, false, true, true),
];

/// The fast ways to text and listing give what the plain ones do.
pub fn quick(xe: &mut Xe, data: &[u8]) -> Result<(), String> {
    let program = xe.program(data);
    for shown in [false, true] {
        let options = TextOptions { pc: shown, bits: shown, hex_floats: shown, ldst: shown, ..TextOptions::default() };
        let (mut plain, mut fast) = (Vec::new(), Vec::new());
        xe.print(&program, &options, &mut plain);
        let mut printer = Printer::new(xe, data, options);
        while printer.fill(&mut fast) {}
        if printer.findings() != program.findings() || fast != plain {
            return Err(format!("text differs {}", difference(&plain, &fast)));
        }
    }
    for (shown, ldst, defs, compat) in LISTINGS {
        let options = ListOptions { pc: shown, bits: shown, ldst, defs, compat, ..ListOptions::default() };
        let (mut plain, mut fast) = (Vec::new(), Vec::new());
        let listed = xe.write_json(&program, &options, &mut plain);
        let mut lister = match Lister::new(xe, data, options) {
            Ok(lister) if listed.is_ok() => lister,
            fast if fast.is_err() == listed.is_err() => continue,
            _ => return Err("only one of two ways to list is too large".to_owned()),
        };
        while lister.fill(&mut fast) {}
        if lister.findings() != program.findings() || fast != plain {
            return Err(format!("the listing differs {}", difference(&plain, &fast)));
        }
    }
    Ok(())
}

/// What the text of a word is assembled to is the word that the description makes of it, implied bits included. (A branch by itself
/// may name a place that there is not.)
fn canonical_words(xe: &mut Xe, program: &Program) -> Result<(), String> {
    for entry in program.entries.iter().filter(|e| e.inst().is_some_and(|i| !i.form.branches())) {
        let raw = RawWord { pc: 0, ..entry.raw() };
        let Some((_, canonical)) = xe.canonical(raw) else { continue };
        let (text, back) = xe.there_and_back(raw);
        if back != Ok(canonical) {
            return Err(format!("{text:?} is assembled to {back:x?}, not to {canonical:x?}"));
        }
    }
    Ok(())
}

/// Words that are taken apart have the text that is printed, and the problem that is reported.
fn readings(xe: &mut Xe, program: &Program) -> Result<(), String> {
    for entry in &program.entries {
        let (mut text, mut problem) = (Vec::new(), None);
        match &entry.item {
            StreamItem::Inst(i) => xe.print_inst(i, 0, &TextOptions::default(), &mut text),
            StreamItem::Bad(why) => problem = Some(why.message()),
        }
        let text = String::from_utf8_lossy(&text).split_ascii_whitespace().collect::<Vec<_>>().join(" ");
        let found = match xe.reading(RawWord { pc: 0, ..entry.raw() }) {
            Ok(found) => found,
            Err(why) if problem == Some(why.message()) => continue,
            Err(why) => return Err(format!("{text:?} is not taken apart: {}", why.message())),
        };
        let pieces: Vec<&str> =
            found.pieces.iter().filter_map(|p| found.text.get(p.start..)?.get(..p.text.len())).collect();
        let texts: Vec<&str> = found.pieces.iter().map(|p| p.text.as_str()).collect();
        if found.text != text || found.problem != problem || pieces != texts || texts.join(" ") != text {
            return Err(format!("{text:?} {problem:?} is taken apart as {found:?}"));
        }
        if let Some(short) = found.short.filter(|_| !entry.short)
            && xe.reading(RawWord { pc: 0, word: short.into(), short: true }).map(|short| short.long) != Ok(found.long)
        {
            return Err(format!("{text:?} is not what its short form stands for"));
        }
    }
    Ok(())
}

/// Where two texts begin to differ.
fn difference(plain: &[u8], fast: &[u8]) -> String {
    let (plain, fast) = (String::from_utf8_lossy(plain), String::from_utf8_lossy(fast));
    let line = plain.lines().zip(fast.lines()).position(|(a, b)| a != b);
    let n = line.unwrap_or(plain.lines().count().min(fast.lines().count()));
    format!("in line {}: {:?}, {:?}", n + 1, plain.lines().nth(n), fast.lines().nth(n))
}
