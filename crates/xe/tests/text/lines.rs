//! The cases of `data/lines.txt`.

use std::fmt::Write as _;
use std::path::Path;

use isaglot_source::{Diagnostics, FileId};
use isaglot_testing::{Failed, Tally, bless};
use isaglot_xe::platform::ALL;
use isaglot_xe::{Compaction, Description, Platform, Xe};

use super::iga;

const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/lines.txt");

/// A line, and why `iga64` does something else.
struct Case {
    text: String,
    peer: Option<String>,
}

fn source(text: &str) -> String {
    text.replace("\\n", "\n")
}

/// What a line becomes: bytes in hex, or the code of what is wrong.
fn made(xe: &mut Xe<'_>, text: &str) -> String {
    let mut problems = Diagnostics::new();
    match xe.assemble(FileId(0), source(text).as_bytes(), Compaction::Marked, &mut problems) {
        Some(bytes) => hex(&bytes),
        None => format!("error {}", problems.iter().next().map_or("", |d| d.code)),
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes
        .chunks(16)
        .map(|word| word.iter().rev().map(|b| format!("{b:02x}")).collect())
        .collect::<Vec<String>>()
        .join(" ")
}

/// The words of a line: those of machines that make the same one together.
fn words(machines: &mut [Xe<'_>], text: &str) -> String {
    let mut groups: Vec<(String, Vec<&str>)> = Vec::new();
    for xe in machines {
        let word = made(xe, text);
        match groups.iter_mut().find(|g| g.0 == word) {
            Some(group) => group.1.push(xe.platform.name()),
            None => groups.push((word, vec![xe.platform.name()])),
        }
    }
    groups.into_iter().fold(String::new(), |mut all, (word, names)| {
        let _ = writeln!(all, "  {}: {word}", names.join(" "));
        all
    })
}

/// The file with the words written anew, and its cases.
fn renewed(file: &str, machines: &mut [Xe<'_>]) -> (String, Vec<Case>) {
    let (mut text, mut cases) = (String::new(), Vec::<Case>::new());
    let mut lines = file.lines().peekable();
    while let Some(line) = lines.next() {
        if line.starts_with("  ") {
            continue;
        }
        let _ = writeln!(text, "{line}");
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        text += &words(machines, line);
        let mut peer = None;
        while let Some(detail) = lines.next_if(|l| l.starts_with("  ")) {
            if detail.starts_with("  peer: ") {
                let _ = writeln!(text, "{detail}");
                peer = Some(detail.to_owned());
            }
        }
        cases.push(Case { text: line.to_owned(), peer });
    }
    (text, cases)
}

fn machines<'d>(description: &'d Description, platforms: &[Platform]) -> Vec<Xe<'d>> {
    platforms.iter().filter_map(|p| Xe::new(description, *p)).collect()
}

pub(crate) fn ours() -> Result<(), Failed> {
    let description = Description::embedded().ok_or("no description")?;
    let file = std::fs::read_to_string(FILE)?;
    let (new, cases) = renewed(&file, &mut machines(&description, &ALL));
    println!("lines: {} cases on {} machines", cases.len(), ALL.len());
    Ok(bless::golden(Path::new(FILE), &new)?)
}

/// The same words, or refused as well.
pub(crate) fn beside_iga64() -> Result<(), Failed> {
    let description = Description::embedded().ok_or("no description")?;
    let file = std::fs::read_to_string(FILE)?;
    let mut tally = Tally::default();
    for mut xe in machines(&description, &iga::PLATFORMS) {
        for case in renewed(&file, &mut []).1 {
            let mine = made(&mut xe, &case.text);
            let theirs = iga::assemble(xe.platform, source(&case.text).as_bytes(), false);
            let same = match &theirs {
                Ok(bytes) => *bytes == unhex(&mine),
                Err(_) => mine.starts_with("error "),
            };
            let why = || format!("{}: {mine}; iga64: {:?}", case.text, theirs.as_deref().map(hex));
            tally.check(xe.platform.name(), &case.text, same != case.peer.is_some(), why);
        }
    }
    Ok(tally.all_pass("lines")?)
}

fn unhex(text: &str) -> Vec<u8> {
    let word = |w: &str| u128::from_str_radix(w, 16).unwrap_or_default().to_le_bytes()[..w.len() / 2].to_vec();
    text.split(' ').flat_map(word).collect()
}
