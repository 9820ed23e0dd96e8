//! Triage of 100 MB of ir3's words, drawn from the corpus's pool, by a description that has lost twenty of its instructions: their
//! words are what is unknown, and every word is read twice. `crates/triage/tests/corpus_isaspec.rs` says that they are found.

use std::io::Write;
use std::path::Path;

use super::Row;

/// Instructions that the description loses.
const LOST: [&str; 20] = [
    "and.b",
    "or.b",
    "add.s",
    "sub.u",
    "min.f",
    "max.f",
    "mul.f",
    "cmps.f",
    "cmps.u",
    "cmps.s",
    "mad.u16",
    "madsh.m16",
    "mad.u24",
    "mad.f32",
    "sel.b32",
    "sel.f16",
    "shlg",
    "shrg",
    "dp4acc",
    "wmm",
];

/// Streams of a million words of 8 bytes, one after the other.
const STREAMS: usize = 13;

pub(crate) fn rows() -> Result<Vec<Row>, String> {
    let xml = super::corpus()?.join("isaspec/xml/ir3");
    let dir = super::folder()?.join("triage");
    let error = |path: &Path, e: std::io::Error| format!("{}: {e}", path.display());
    std::fs::create_dir_all(&dir).map_err(|e| error(&dir, e))?;
    for entry in std::fs::read_dir(&xml).map_err(|e| error(&xml, e))?.flatten() {
        let text = std::fs::read_to_string(entry.path()).map_err(|e| error(&entry.path(), e))?;
        std::fs::write(dir.join(entry.file_name()), without(text)).map_err(|e| error(&dir, e))?;
    }
    let words = dir.join("words.bin");
    let stream = super::isaspec::stream("ir3", 600)?;
    let stream = std::fs::read(&stream).map_err(|e| error(&stream, e))?;
    let mut file = std::fs::File::create(&words).map_err(|e| error(&words, e))?;
    (0..STREAMS).try_for_each(|_| file.write_all(&stream)).map_err(|e| error(&words, e))?;
    let row = |jobs: &str| {
        let args = ["triage", "--gen", "600", "--no-stubs", "--jobs", jobs, "--spec"].map(str::to_owned);
        let files = [dir.join("ir3.xml"), words.clone()].map(|path| path.display().to_string());
        Row {
            name: format!("triage of ir3, 13 M words, {jobs} threads"),
            args: args.into_iter().chain(files).collect(),
            units: (STREAMS as u64) * super::isaspec::COUNT,
            count: false,
            peer: None,
        }
    };
    Ok(vec![row("1"), row("2")])
}

/// A file of the description without the lost instructions.
fn without(mut text: String) -> String {
    for name in LOST {
        let Some(start) = text.find(&format!("<bitset name=\"{name}\"")) else { continue };
        let Some(end) = text.get(start..).and_then(|rest| rest.find("</bitset>")) else { continue };
        text.replace_range(start..start + end + "</bitset>".len(), "");
    }
    text
}
