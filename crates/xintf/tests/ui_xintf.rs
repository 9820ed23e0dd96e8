//! Bad files under `tests/ui`, each with the expected codes on the offending line: `//~ CODE CODE` in a definition
//! file, `#~ CODE` in a map.

use std::path::Path;

use isaglot_riscv::Xlen;
use isaglot_source::{Diagnostics, SourceMap};
use isaglot_testing::{Failed, bless, suite};
use isaglot_xintf::check::{Target, check};
use isaglot_xintf::{map, set};

fn main() {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/ui");
    suite::run(suite::file_cases("ui", bless::cases(&dir, ""), one));
}

fn one(path: &Path) -> Result<(), Failed> {
    let text = std::fs::read_to_string(path)?;
    let is_map = path.extension().is_some_and(|e| e == "toml");
    let mut expected = Vec::new();
    for (n, line) in text.lines().enumerate() {
        let codes = line.split_once(if is_map { "#~" } else { "//~" }).map_or("", |(_, codes)| codes);
        expected.extend(codes.split_whitespace().map(|code| format!("{}: {code}", n + 1)));
    }
    let mut files = SourceMap::new();
    let mut found = Diagnostics::new();
    let id = files.add("ui", text.as_bytes());
    if is_map {
        let all = set::load(&mut files, &[], |_, _, _| None, &mut found);
        let mut read = map::read(id, text.as_bytes(), &all, Xlen::Rv64, &mut found);
        // Tables are judged only when the file has the form of a map.
        if found.is_empty() {
            map::build(&mut read, &mut found);
            map::lint(&read, map::Options::default(), &mut found);
        }
    } else {
        let all = set::load(&mut files, &[id], |_, _, _| None, &mut found);
        check(all.written(), Target::default(), &mut found);
    }
    let mut made = Vec::new();
    for d in &found {
        let span = d.span().ok_or_else(|| format!("{} has no place", d.code))?;
        let line = files.get(span.file).map_or(0, |f| f.line_of(span.start as usize));
        made.push((line, format!("{line}: {}", d.code)));
    }
    made.sort();
    let mut made: Vec<String> = made.into_iter().map(|(_, text)| text).collect();
    made.sort();
    expected.sort();
    if made == expected { Ok(()) } else { Err(format!("found    {made:?}\nexpected {expected:?}").into()) }
}
