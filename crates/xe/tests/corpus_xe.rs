//! The corpus of real and hand-made kernels: words, text, listings, assembly, invalid words.
//!
//! Each bar is asserted; what was reached is printed per set.

use std::collections::BTreeMap;
use std::io::Read;
use std::path::{Path, PathBuf};

use isaglot_codec::Values;
use isaglot_source::{Diagnostics, FileId, SourceMap};
use isaglot_xe::stream::Item;
use isaglot_xe::{Compaction, ListOptions, Platform, TextOptions, Xe};
use libtest_mimic::{Arguments, Failed, Trial};
use serde_json::Value;

const PLATFORMS: [Platform; 4] = [Platform::XeHpc, Platform::Xe2, Platform::Xe3, Platform::XeHpg];

/// A stream of the corpus, by the path of its binary.
struct Stream {
    path: PathBuf,
    name: String,
    set: &'static str,
}

impl Stream {
    /// Another file of the same stream.
    fn sibling(&self, extension: &str) -> Option<Vec<u8>> {
        let name = self.name.strip_suffix("krn.gz")?;
        unpack(&self.path.with_file_name(format!("{name}{extension}.gz")))
    }

    fn binary(&self) -> Vec<u8> {
        unpack(&self.path).unwrap_or_default()
    }
}

fn corpus() -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus");
    std::env::var_os("ISAGLOT_CORPUS").map_or(root, PathBuf::from).join("xe")
}

fn unpack(path: &Path) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    flate2::read::GzDecoder::new(std::fs::File::open(path).ok()?).read_to_end(&mut bytes).ok()?;
    Some(bytes)
}

fn set_of(name: &str) -> &'static str {
    match name {
        n if !n.contains(".hand.") => "compiled",
        n if n.starts_with("mut") => "mutated",
        n if n.starts_with("cov") => "cov",
        _ => "ch",
    }
}

/// The binaries of a machine, in order of name.
fn streams(platform: Platform) -> Vec<Stream> {
    let suffix = format!(".{}.krn.gz", platform.id());
    let mut all = files(&suffix);
    all.sort();
    all.into_iter()
        .map(|path| {
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            Stream { set: set_of(&name), path, name }
        })
        .collect()
}

fn files(suffix: &str) -> Vec<PathBuf> {
    let Ok(dir) = std::fs::read_dir(corpus().join("kernels")) else { return Vec::new() };
    dir.filter_map(|e| Some(e.ok()?.path())).filter(|p| p.to_string_lossy().ends_with(suffix)).collect()
}

/// How many of how many, by machine and set; the first few that fail.
#[derive(Default)]
struct Tally {
    counts: BTreeMap<(String, &'static str), (usize, usize)>,
    examples: Vec<String>,
}

impl Tally {
    fn add(&mut self, platform: Platform, set: &'static str, good: bool, example: impl FnOnce() -> String) {
        let count = self.counts.entry((platform.name().to_owned(), set)).or_default();
        count.1 += 1;
        if good {
            count.0 += 1;
        } else if self.examples.len() < 5 {
            self.examples.push(example());
        }
    }

    /// Checks every set against the share that `bar` says, in parts of 100,000.
    fn check(&self, what: &str, bar: impl Fn(&str, &str) -> usize) -> Result<(), Failed> {
        let mut low = Vec::new();
        for ((platform, set), (good, all)) in &self.counts {
            println!("{what}: {platform} {set}: {good} of {all}");
            if good * 100_000 < bar(platform, set) * all {
                low.push(format!("{platform} {set}: {good} of {all}"));
            }
        }
        if low.is_empty() {
            return Ok(());
        }
        Err(format!("{what} below the bar: {}\n{}", low.join(", "), self.examples.join("\n")).into())
    }
}

const ALL: usize = 100_000;

/// Bits that mean nothing in instructions that use no flag.
fn dead(platform: Platform) -> u128 {
    if platform.wide() { 7 << 21 } else { 3 << 22 }
}

/// Every word is decoded, and encoding what was decoded gives the word back.
fn round_trip() -> Result<(), Failed> {
    let mut tally = Tally::default();
    for platform in PLATFORMS {
        let mut xe = Xe::new(platform).ok_or("no description")?;
        let mut values = Values::default();
        for stream in streams(platform).into_iter().filter(|s| s.set != "mutated") {
            let program = xe.program(&stream.binary());
            for entry in &program.entries {
                let again = match &entry.item {
                    Item::Inst(i) => xe.encode(i, &mut values).ok().map(|word| {
                        let short = entry.short.then(|| xe.compact(i, word)).flatten();
                        short.map_or(word, u128::from)
                    }),
                    Item::Bad(_) => None,
                };
                let mask = if entry.short || stream.set == "compiled" { 0 } else { dead(platform) };
                let good = again.is_some_and(|word| (word ^ entry.word) & !mask == 0);
                tally.add(platform, stream.set, good, || format!("{} at {:#x}", stream.name, entry.pc));
            }
        }
    }
    tally.check("words encoded again", |_, _| ALL)
}

/// The text, comments aside, line by line.
fn text() -> Result<(), Failed> {
    let mut tally = Tally::default();
    for platform in PLATFORMS {
        let mut xe = Xe::new(platform).ok_or("no description")?;
        for stream in streams(platform) {
            let program = xe.program(&stream.binary());
            let mut got = Vec::new();
            xe.print(&program, &TextOptions::default(), &mut got);
            let got = String::from_utf8_lossy(&got).into_owned();
            let want = String::from_utf8_lossy(&stream.sibling("asm").unwrap_or_default()).into_owned();
            assert_eq!(got.lines().count(), want.lines().count(), "{}", stream.name);
            for (g, w) in got.lines().zip(want.lines()) {
                let code = |line: &str| line.split(" // ").next().unwrap_or("").to_owned();
                tally.add(platform, stream.set, code(g) == code(w), || format!("{}\n{g}\n{w}", stream.name));
            }
        }
    }
    tally.check("lines of text", |_, set| if set == "mutated" { 99_000 } else { ALL })
}

/// The fast ways to text and JSON give what the plain ones do.
fn quick() -> Result<(), Failed> {
    let mut tally = Tally::default();
    for platform in PLATFORMS {
        let mut xe = Xe::new(platform).ok_or("no description")?;
        for stream in streams(platform) {
            let result = isaglot_xe::exercise::quick(&mut xe, &stream.binary());
            tally.add(platform, stream.set, result.is_ok(), || format!("{}: {result:?}", stream.name));
        }
    }
    tally.check("streams printed the fast way", |_, _| ALL)
}

/// The stored text, assembled, is the binary.
fn assemble() -> Result<(), Failed> {
    let mut tally = Tally::default();
    for platform in PLATFORMS {
        let mut xe = Xe::new(platform).ok_or("no description")?;
        for stream in streams(platform).into_iter().filter(|s| s.set == "compiled") {
            let source = stream.sibling("asm").unwrap_or_default();
            let mut problems = Diagnostics::new();
            let got = xe.assemble(FileId(0), &source, Compaction::Marked, &mut problems);
            tally.add(platform, stream.set, got == Some(stream.binary()), || stream.name.clone());
        }
    }
    tally.check("kernels assembled", |_, _| ALL)
}

/// Text with loads and stores in their own syntax, assembled, is the binary.
fn load_store_text() -> Result<(), Failed> {
    let mut tally = Tally::default();
    let options = TextOptions { ldst: true, ..TextOptions::default() };
    for platform in PLATFORMS {
        let mut xe = Xe::new(platform).ok_or("no description")?;
        for stream in streams(platform).into_iter().filter(|s| s.set == "compiled") {
            let binary = stream.binary();
            let program = xe.program(&binary);
            let mut text = Vec::new();
            xe.print(&program, &options, &mut text);
            let mut problems = Diagnostics::new();
            let got = xe.assemble(FileId(0), &text, Compaction::Marked, &mut problems);
            tally.add(platform, stream.set, got == Some(binary), || {
                format!("{}: {:?}", stream.name, problems.iter().next())
            });
        }
    }
    tally.check("kernels from load and store syntax", |_, _| ALL)
}

/// Hand-made sources, with and without automatic compaction.
fn assemble_sources() -> Result<(), Failed> {
    let mut tally = Tally::default();
    for platform in PLATFORMS {
        let mut xe = Xe::new(platform).ok_or("no description")?;
        for stream in streams(platform).into_iter().filter(|s| matches!(s.set, "ch" | "cov")) {
            // `covNc` is made from the source of `covN`; of the others, odd numbers are compacted.
            let number: String =
                stream.name.chars().skip_while(char::is_ascii_alphabetic).take_while(char::is_ascii_digit).collect();
            let compacted = stream.name.contains("c.hand")
                || (stream.set == "ch" && number.parse::<u32>().is_ok_and(|n| n % 2 == 1));
            let source =
                Stream { name: stream.name.replace("c.hand", ".hand"), path: stream.path.clone(), set: stream.set };
            let Some(source) = source.sibling("src.asm") else { continue };
            let mode = if compacted { Compaction::Auto } else { Compaction::Marked };
            let mut problems = Diagnostics::new();
            let Some(got) = xe.assemble(FileId(0), &source, mode, &mut problems) else {
                return Err(format!("{}: {} errors", stream.name, problems.error_count()).into());
            };
            let want = stream.binary();
            let (a, b) = (xe.program(&got), xe.program(&want));
            assert_eq!(got.len(), want.len(), "{}", stream.name);
            for (x, y) in a.entries.iter().zip(&b.entries) {
                let mask = if y.short { 0 } else { dead(platform) };
                let good = (x.word ^ y.word) & !mask == 0 && x.short == y.short;
                tally.add(platform, stream.set, good, || format!("{} at {:#x}", stream.name, y.pc));
            }
        }
    }
    tally.check("words from sources", |_, _| ALL)
}

fn without_comments(bytes: &[u8]) -> Option<Vec<Value>> {
    let mut value: Value = serde_json::from_slice(bytes).ok()?;
    let elems = value.get_mut("elems")?.as_array_mut()?;
    for e in elems.iter_mut() {
        e.as_object_mut()?.remove("comment");
    }
    Some(std::mem::take(elems))
}

fn compare_listings(extension: &str, options: &ListOptions, tally: &mut Tally) -> Result<(), Failed> {
    for platform in PLATFORMS {
        let mut xe = Xe::new(platform).ok_or("no description")?;
        for stream in streams(platform) {
            // One option is stored unquoted: such a file is no JSON.
            let Some(want) = stream.sibling(extension).as_deref().and_then(without_comments) else { continue };
            let program = xe.program(&stream.binary());
            let defs = options.defs && (extension == "json" || matches!(stream.set, "compiled" | "ch"));
            let mut got = Vec::new();
            xe.write_json(&program, &ListOptions { defs, ..*options }, &mut got).map_err(|_| "too large")?;
            let got = without_comments(&got).ok_or("no JSON")?;
            assert_eq!(got.len(), want.len(), "{}", stream.name);
            for (g, w) in got.iter().zip(&want) {
                tally.add(platform, stream.set, g == w, || format!("{}\n{g}\n{w}", stream.name));
            }
        }
    }
    Ok(())
}

/// The listing with dataflow, as the peer has it.
fn listing() -> Result<(), Failed> {
    let mut tally = Tally::default();
    let options = ListOptions { defs: true, compat: true, ..ListOptions::default() };
    compare_listings("json", &options, &mut tally)?;
    // Random code (`ch`) has no bar of its own: one message that is read wrong shows in every element before it.
    tally.check("listing elements", |platform, set| match (platform, set) {
        (_, "ch") => 0,
        ("xehpg", _) => 98_000,
        _ => ALL,
    })
}

/// The listing with everything.
fn full_listing() -> Result<(), Failed> {
    let mut tally = Tally::default();
    let options = ListOptions { defs: true, pc: true, bits: true, ldst: true, hex_floats: true, compat: true };
    compare_listings("full.json", &options, &mut tally)?;
    let (good, all) = tally.counts.values().fold((0, 0), |sum, count| (sum.0 + count.0, sum.1 + count.1));
    println!("full listing elements of all sets: {good} of {all}");
    assert!(good * 100_000 >= 99_500 * all, "full listing elements: {good} of {all}");
    tally.check("full listing elements", |platform, set| match (platform, set) {
        ("xehpg", "compiled") => 98_000,
        (_, "compiled") => ALL,
        _ => 0,
    })
}

/// JSON is read and written back the same, and gives the binary back.
fn listing_back() -> Result<(), Failed> {
    let mut tally = Tally::default();
    for platform in PLATFORMS {
        let mut xe = Xe::new(platform).ok_or("no description")?;
        for stream in streams(platform) {
            let binary = stream.binary();
            let program = xe.program(&binary);
            let mut json = Vec::new();
            let options = ListOptions { defs: stream.set == "compiled", ..ListOptions::default() };
            xe.write_json(&program, &options, &mut json).map_err(|_| "too large")?;
            let listing = isaglot_listing::read(FileId(0), &json).map_err(|_| format!("{}: not read", stream.name))?;
            let again = isaglot_listing::write::to_json(&listing, isaglot_listing::write::Style::default());
            assert!(again == json, "{}: written differently", stream.name);
            if stream.set != "compiled" {
                continue;
            }
            let mut problems = Diagnostics::new();
            let got = xe.assemble_listing(FileId(0), &listing, &mut problems);
            tally.add(platform, stream.set, got == Some(binary), || stream.name.clone());
        }
    }
    tally.check("binaries from listings", |_, _| ALL)
}

/// Invalid words are rejected, valid ones never.
fn invalid() -> Result<(), Failed> {
    let mut tally = Tally::default();
    for platform in [Platform::XeHpc, Platform::Xe2, Platform::XeHpg] {
        let mut xe = Xe::new(platform).ok_or("no description")?;
        for path in files(&format!(".{}.json.gz", platform.id())) {
            if !path.file_name().is_some_and(|n| n.to_string_lossy().starts_with("neg")) {
                continue;
            }
            let list: Value = serde_json::from_slice(&unpack(&path).unwrap_or_default())?;
            for word in list.as_array().into_iter().flatten() {
                let hex = word[0].as_str().unwrap_or("");
                let byte = |i: usize| u8::from_str_radix(&hex[2 * i..2 * i + 2], 16).unwrap_or(0);
                let bytes: Vec<u8> = (0..hex.len() / 2).map(byte).collect();
                let program = xe.program(&bytes);
                let rejected = program.entries.iter().all(|e| matches!(e.item, Item::Bad(_)));
                tally.add(platform, "invalid", rejected, || format!("{hex}: {}", word[1]));
            }
        }
    }
    tally.check("invalid words rejected", |_, _| 97_000)?;
    let mut tally = Tally::default();
    for platform in PLATFORMS {
        let mut xe = Xe::new(platform).ok_or("no description")?;
        for stream in streams(platform) {
            let text = String::from_utf8_lossy(&stream.sibling("asm").unwrap_or_default()).into_owned();
            let mut lines = text.lines().filter(|line| !line.ends_with(':'));
            for entry in &xe.program(&stream.binary()).entries {
                // A function that the peer has no name for either is no valid one.
                if lines.next().is_some_and(|line| line.contains(".0xFFFFFFFF?")) {
                    continue;
                }
                let taken = matches!(entry.item, Item::Inst(_));
                tally.add(platform, stream.set, taken, || format!("{} at {:#x}", stream.name, entry.pc));
            }
        }
    }
    tally.check("valid words accepted", |_, _| ALL)
}

/// The example of the format document, byte for byte.
fn seed() -> Result<(), Failed> {
    let dir = corpus().join("seed_example");
    let read = |name: &str| std::fs::read(dir.join(name)).map_err(|e| format!("{name}: {e}"));
    let mut xe = Xe::new(Platform::XeHpc).ok_or("no description")?;
    let mut files = SourceMap::new();
    for name in ["seed_example", "quirks"] {
        let source = read(&format!("{name}.asm"))?;
        let id = files.add(name.to_owned(), source.as_slice());
        let mut problems = Diagnostics::new();
        let bytes = xe.assemble(id, &source, Compaction::Marked, &mut problems);
        assert!(bytes == Some(read(&format!("{name}.krn"))?), "{name} is assembled differently");
    }
    let program = xe.program(&read("seed_example.krn")?);
    let mut json = Vec::new();
    let options = ListOptions { defs: true, compat: true, ..ListOptions::default() };
    xe.write_json(&program, &options, &mut json).map_err(|_| "too large")?;
    assert!(json == read("seed_example.v2_2.40.14.json")?, "{}", String::from_utf8_lossy(&json));
    Ok(())
}

type Case = fn() -> Result<(), Failed>;

fn main() {
    let absent = !corpus().is_dir();
    if absent {
        println!("no corpus: set ISAGLOT_CORPUS");
    }
    let cases: [(&str, Case); 11] = [
        ("xe_round_trip", round_trip),
        ("xe_text", text),
        ("xe_quick", quick),
        ("xe_assemble", assemble),
        ("xe_load_store_text", load_store_text),
        ("xe_assemble_sources", assemble_sources),
        ("xe_listing", listing),
        ("xe_full_listing", full_listing),
        ("xe_listing_back", listing_back),
        ("xe_invalid", invalid),
        ("xe_seed_example", seed),
    ];
    let trials = cases.map(|(name, run)| Trial::test(name, run).with_ignored_flag(absent)).into();
    libtest_mimic::run(&Arguments::from_args(), trials).exit();
}
