//! What descriptions print: the rules of `docs/isaspec.md`, each pinned by a description of our own.
//!
//! A case is a file `text/NAME.xml` with comments `WORDS gen word...` (hexadecimal, most significant digit first) and a
//! golden `text/NAME.txt`. `BLESS=1` writes the goldens.

use std::path::{Path, PathBuf};

use isaglot_asm::{Hooks, Options, Stream};
use isaglot_codec::Plan;
use isaglot_source::{Diagnostics, SourceMap, render};
use libtest_mimic::{Arguments, Failed, Trial};

/// Prints custom fields so that they show.
struct Custom;

impl Hooks for Custom {
    fn custom(&mut self, reference: &str, value: u64, out: &mut Vec<u8>) {
        out.extend_from_slice(format!("<{reference}={value:x}>").as_bytes());
    }
}

fn run(path: &Path) -> Result<(), Failed> {
    let (mut files, mut out) = (SourceMap::new(), Diagnostics::new());
    let mut read = |name: &str| std::fs::read(name).map_err(|e| e.to_string());
    let isa = isaglot_isaspec::load(&mut files, &path.to_string_lossy(), &mut read, &mut out);
    let isa = isa.ok_or_else(|| out.iter().map(|d| render::text(&files, d, false)).collect::<String>())?;
    let text = std::fs::read_to_string(path)?;
    let mut printed = String::new();
    for line in text.lines().filter_map(|l| l.strip_prefix("<!-- WORDS ")) {
        let mut words = line.trim_end_matches("-->").split_whitespace();
        let generation: u32 = words.next().unwrap_or("").parse()?;
        let mut bytes = Vec::new();
        for word in words {
            let digits = u128::from_str_radix(word, 16)?.to_le_bytes();
            bytes.extend_from_slice(digits.get(..word.len() / 2).ok_or("a word of more than 128 bits")?);
        }
        let plan = Plan::new(&isa, generation);
        let mut stream = Stream::new(&plan, Options::default(), bytes.len() as u64);
        let mut lines = Vec::new();
        stream.feed(&bytes, &mut Custom, &mut lines);
        printed.push_str(&format!("gen {generation}\n{}", String::from_utf8_lossy(&lines)));
    }
    if printed.is_empty() {
        return Err("no WORDS".into());
    }
    let golden = path.with_extension("txt");
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(&golden, &printed)?;
    }
    let expected = std::fs::read_to_string(&golden).unwrap_or_default();
    if expected == printed { Ok(()) } else { Err(format!("expected:\n{expected}\ngot:\n{printed}").into()) }
}

fn main() {
    let arguments = Arguments::from_args();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/text");
    let entries = std::fs::read_dir(&root).expect("tests/text is part of the crate");
    let mut paths: Vec<PathBuf> = entries.filter_map(|e| Some(e.ok()?.path())).collect();
    paths.retain(|p| p.extension().is_some_and(|e| e == "xml"));
    paths.sort();
    assert!(!paths.is_empty(), "no cases in {}", root.display());
    let name = |p: &Path| format!("isaspec::text::{}", p.file_stem().unwrap_or_default().to_string_lossy());
    let trials = paths.into_iter().map(|p| Trial::test(name(&p), move || run(&p))).collect();
    libtest_mimic::run(&arguments, trials).exit();
}
