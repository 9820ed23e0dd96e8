//! Descriptions of our own, a file each: what is wrong with them, and what they print.
//!
//! * `ui/NAME.xml` has markers (see [`isaglot_source::expect`]) that say on its line what must be reported there;
//!   `ui/NAME.txt` are the diagnostics as people see them. Files in `ui/part` are imported by cases; `ui/NAME.roles.xml`
//!   gives roles to the fields of the case.
//! * `text/NAME.xml` pins rules of `docs/isaspec.md`. Its comments `WORDS gen word...` are programs (hexadecimal, most
//!   significant digit first); `text/NAME.txt` is their text.
//!
//! `BLESS=1` writes the `.txt` files.

use std::path::Path;

use isaglot_asm::{Hooks, Options, Stream};
use isaglot_codec::Plan;
use isaglot_isaspec::{Overlay, load, load_with_roles};
use isaglot_source::{Diagnostics, SourceMap, expect, render};
use isaglot_testing::{Failed, bless, corpus, suite};

fn main() {
    let folder = |name: &str| Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join(name);
    let mut ui = bless::cases(&folder("ui"), ".xml");
    ui.retain(|path| !path.to_string_lossy().ends_with(".roles.xml"));
    let mut trials = suite::file_cases("isaspec::ui", ui, reported);
    trials.extend(suite::file_cases("isaspec::text", bless::cases(&folder("text"), ".xml"), printed));
    suite::run(trials)
}

fn reported(path: &Path) -> Result<(), Failed> {
    let mut read = |name: &str| std::fs::read(path.with_file_name(name)).map_err(|_| "no such file".to_owned());
    let (mut files, mut out) = (SourceMap::new(), Diagnostics::new());
    let name = corpus::name(path);
    let roles = std::fs::read(path.with_extension("roles.xml")).ok();
    let roles_name = name.replace(".xml", ".roles.xml");
    let overlay = roles.as_deref().map(|bytes| Overlay { name: &roles_name, bytes, partial: false });
    let isa = load_with_roles(&mut files, &name, overlay, &mut read, &mut out);
    let mut problems = expect::mismatches(&files, &out);
    if isa.is_some() == out.has_errors() {
        problems.push("a model comes if and only if there is no error".to_owned());
    }
    let text: String = out.iter().map(|d| render::text(&files, d, false)).collect();
    problems.extend(bless::golden(&path.with_extension("txt"), &text).err());
    if problems.is_empty() { Ok(()) } else { Err(format!("{}\n{text}", problems.join("\n")).into()) }
}

/// Prints custom fields so that they show.
struct Custom;

impl Hooks for Custom {
    fn custom(&mut self, reference: &str, value: u64, out: &mut Vec<u8>) {
        out.extend_from_slice(format!("<{reference}={value:x}>").as_bytes());
    }
}

fn printed(path: &Path) -> Result<(), Failed> {
    let (mut files, mut out) = (SourceMap::new(), Diagnostics::new());
    let mut read = |name: &str| std::fs::read(name).map_err(|e| e.to_string());
    let isa = load(&mut files, &path.to_string_lossy(), &mut read, &mut out);
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
    Ok(bless::golden(&path.with_extension("txt"), &printed)?)
}
