//! The corpus of real and hand-made kernels: words, text, listings, assembly, invalid words.
//!
//! The rows that fail are in `tests/ledger/xe-*.txt`, with reasons: a set for each case, a row for each word, line, element
//! or kernel, by the name of its stream.

use std::path::{Path, PathBuf};

use isaglot_codec::Values;
use isaglot_source::{Diagnostics, FileId, SourceMap};
use isaglot_testing::{Failed, Tally, corpus, ledger, suite};
use isaglot_xe::stream::StreamItem;
use isaglot_xe::{Compaction, Description, ListOptions, Platform, TextOptions, Xe};
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

fn unpack(path: &Path) -> Option<Vec<u8>> {
    corpus::bytes(path).ok()
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
fn streams(folder: &Path, platform: Platform) -> Vec<Stream> {
    let all = corpus::files(&folder.join("kernels"), &format!(".{}.krn.gz", platform.id()));
    all.into_iter()
        .map(|path| {
            let name = corpus::name(&path);
            Stream { set: set_of(&name), path, name }
        })
        .collect()
}

/// Does something with each machine and each of its streams, and compares the rows that fail with a ledger.
fn each(
    folder: &Path,
    set: &str,
    mut row: impl FnMut(&mut Xe<'_>, &Stream, &mut Tally) -> Result<(), Failed>,
) -> Result<(), Failed> {
    let description = Description::embedded().ok_or("no description")?;
    let mut tally = Tally::default();
    for platform in PLATFORMS {
        let mut xe = Xe::new(&description, platform).ok_or("no description")?;
        for stream in streams(folder, platform) {
            row(&mut xe, &stream, &mut tally)?;
        }
    }
    finish(set, &tally)
}

/// The counts by machine and set, and every difference from the ledger.
fn finish(set: &str, tally: &Tally) -> Result<(), Failed> {
    let mut sums = std::collections::BTreeMap::<(String, &str), (usize, usize)>::new();
    for (name, (passed, all)) in &tally.files {
        let platform = name.rsplit('.').nth(2).unwrap_or_default().to_owned();
        let sum = sums.entry((platform, set_of(name))).or_default();
        *sum = (sum.0 + passed, sum.1 + all);
    }
    for ((platform, kind), (passed, all)) in sums {
        println!("{set}: {platform} {kind}: {passed} of {all}");
    }
    let (passed, all) = tally.sum();
    println!("{set}: {passed} of {all}");
    if all == 0 {
        return Err(format!("{set}: there is no row to check").into());
    }
    Ok(ledger::compare(&ledger::path(env!("CARGO_MANIFEST_DIR"), set), tally, isaglot_testing::bless::wanted())?)
}

/// Bits that mean nothing in instructions that use no flag.
fn dead(platform: Platform) -> u128 {
    if platform.wide() { 7 << 21 } else { 3 << 22 }
}

/// Every word is decoded, and encoding what was decoded gives the word back.
fn round_trip(folder: &Path) -> Result<(), Failed> {
    let mut values = Values::default();
    each(folder, "xe-words", |xe, stream, tally| {
        if stream.set == "mutated" {
            return Ok(());
        }
        for entry in &xe.program(&stream.binary()).entries {
            let again = match &entry.item {
                StreamItem::Inst(i) => xe.encode(i, &mut values).ok().map(|word| {
                    let short = entry.short.then(|| xe.compact(i, word)).flatten();
                    short.map_or(word, u128::from)
                }),
                StreamItem::Bad(_) => None,
            };
            let mask = if entry.short || stream.set == "compiled" { 0 } else { dead(xe.platform) };
            let good = again.is_some_and(|word| (word ^ entry.word) & !mask == 0);
            tally.check(&stream.name, format!("{:#x}", entry.pc), good, || "another word".to_owned());
        }
        Ok(())
    })
}

/// The text, comments aside, line by line.
fn text(folder: &Path) -> Result<(), Failed> {
    each(folder, "xe-text", |xe, stream, tally| {
        let program = xe.program(&stream.binary());
        let mut got = Vec::new();
        xe.print(&program, &TextOptions::default(), &mut got);
        let got = String::from_utf8_lossy(&got).into_owned();
        let want = String::from_utf8_lossy(&stream.sibling("asm").unwrap_or_default()).into_owned();
        assert_eq!(got.lines().count(), want.lines().count(), "{}", stream.name);
        for ((g, w), n) in got.lines().zip(want.lines()).zip(1..) {
            let code = |line: &str| line.split(" // ").next().unwrap_or("").to_owned();
            tally.check(&stream.name, n, code(g) == code(w), || format!("got {g}; wanted {w}"));
        }
        Ok(())
    })
}

/// The fast ways to text and JSON give what the plain ones do.
fn quick(folder: &Path) -> Result<(), Failed> {
    each(folder, "xe-quick", |xe, stream, tally| {
        tally.row(&stream.name, "whole", isaglot_xe::oracle::quick(xe, &stream.binary()));
        Ok(())
    })
}

/// The stored text, assembled, is the binary.
fn assemble(folder: &Path) -> Result<(), Failed> {
    each(folder, "xe-assemble", |xe, stream, tally| {
        if stream.set == "compiled" {
            let source = stream.sibling("asm").unwrap_or_default();
            let mut problems = Diagnostics::new();
            let got = xe.assemble(FileId(0), &source, Compaction::Marked, &mut problems);
            let good = got == Some(stream.binary());
            tally.check(&stream.name, "whole", good, || format!("{:?}", problems.iter().next()));
        }
        Ok(())
    })
}

/// Text with loads and stores in their own syntax, assembled, is the binary.
fn load_store_text(folder: &Path) -> Result<(), Failed> {
    let options = TextOptions { ldst: true, ..TextOptions::default() };
    each(folder, "xe-load-store", |xe, stream, tally| {
        if stream.set == "compiled" {
            let binary = stream.binary();
            let program = xe.program(&binary);
            let mut text = Vec::new();
            xe.print(&program, &options, &mut text);
            let mut problems = Diagnostics::new();
            let good = xe.assemble(FileId(0), &text, Compaction::Marked, &mut problems) == Some(binary);
            tally.check(&stream.name, "whole", good, || format!("{:?}", problems.iter().next()));
        }
        Ok(())
    })
}

/// Hand-made sources, with and without automatic compaction.
fn assemble_sources(folder: &Path) -> Result<(), Failed> {
    each(folder, "xe-sources", |xe, stream, tally| {
        if !matches!(stream.set, "ch" | "cov") {
            return Ok(());
        }
        // `covNc` is made from the source of `covN`; of the others, odd numbers are compacted.
        let number: String =
            stream.name.chars().skip_while(char::is_ascii_alphabetic).take_while(char::is_ascii_digit).collect();
        let compacted =
            stream.name.contains("c.hand") || (stream.set == "ch" && number.parse::<u32>().is_ok_and(|n| n % 2 == 1));
        let source =
            Stream { name: stream.name.replace("c.hand", ".hand"), path: stream.path.clone(), set: stream.set };
        let Some(source) = source.sibling("src.asm") else { return Ok(()) };
        let mode = if compacted { Compaction::Auto } else { Compaction::Marked };
        let mut problems = Diagnostics::new();
        let Some(got) = xe.assemble(FileId(0), &source, mode, &mut problems) else {
            return Err(format!("{}: {} errors", stream.name, problems.error_count()).into());
        };
        let want = stream.binary();
        let (a, b) = (xe.program(&got), xe.program(&want));
        assert_eq!(got.len(), want.len(), "{}", stream.name);
        for (x, y) in a.entries.iter().zip(&b.entries) {
            let mask = if y.short { 0 } else { dead(xe.platform) };
            let good = (x.word ^ y.word) & !mask == 0 && x.short == y.short;
            tally.check(&stream.name, format!("{:#x}", y.pc), good, || "another word".to_owned());
        }
        Ok(())
    })
}

fn without_comments(bytes: &[u8]) -> Option<Vec<Value>> {
    let mut value: Value = serde_json::from_slice(bytes).ok()?;
    let elems = value.get_mut("elems")?.as_array_mut()?;
    for e in elems.iter_mut() {
        e.as_object_mut()?.remove("comment");
    }
    Some(std::mem::take(elems))
}

fn compare_listings(folder: &Path, set: &str, extension: &str, options: &ListOptions) -> Result<(), Failed> {
    each(folder, set, |xe, stream, tally| {
        let Some(stored) = stream.sibling(extension) else { return Ok(()) };
        let Some(want) = without_comments(&stored) else {
            // The peer prints one option without quotes.
            tally.row(&stream.name, "whole", Err("the stored listing is not valid JSON".to_owned()));
            return Ok(());
        };
        let program = xe.program(&stream.binary());
        let defs = options.defs && (extension == "json" || matches!(stream.set, "compiled" | "ch"));
        let mut got = Vec::new();
        xe.write_json(&program, &ListOptions { defs, ..*options }, &mut got).map_err(|_| "too large")?;
        let got = without_comments(&got).ok_or("no JSON")?;
        assert_eq!(got.len(), want.len(), "{}", stream.name);
        for ((g, w), n) in got.iter().zip(&want).zip(1..) {
            tally.row(&stream.name, n, if g == w { Ok(()) } else { Err(difference(g, w)) });
        }
        Ok(())
    })
}

/// The keys in which two elements differ.
fn difference(got: &Value, want: &Value) -> String {
    let keys = |v: &Value| v.as_object().map(|o| o.keys().cloned().collect::<Vec<_>>()).unwrap_or_default();
    let mut all = keys(got);
    all.extend(keys(want));
    all.sort_unstable();
    all.dedup();
    all.retain(|key| got.get(key) != want.get(key));
    format!("differs from the peer in {}", all.join(", "))
}

/// The listing with dataflow, as the peer has it.
fn listing(folder: &Path) -> Result<(), Failed> {
    let options = ListOptions { defs: true, compat: true, ..ListOptions::default() };
    compare_listings(folder, "xe-listing", "json", &options)
}

/// The listing with everything.
fn full_listing(folder: &Path) -> Result<(), Failed> {
    let options =
        ListOptions { defs: true, pc: true, bits: true, ldst: true, hex_floats: true, compat: true, text: false };
    compare_listings(folder, "xe-full-listing", "full.json", &options)
}

/// JSON is read and written back the same, and gives the binary back.
fn listing_back(folder: &Path) -> Result<(), Failed> {
    each(folder, "xe-listing-back", |xe, stream, tally| {
        let binary = stream.binary();
        let program = xe.program(&binary);
        let mut json = Vec::new();
        let options = ListOptions { defs: stream.set == "compiled", ..ListOptions::default() };
        xe.write_json(&program, &options, &mut json).map_err(|_| "too large")?;
        let listing = isaglot_listing::read(FileId(0), &json).map_err(|_| format!("{}: not read", stream.name))?;
        let again = isaglot_listing::write::to_json(&listing, isaglot_listing::write::Style::default());
        assert!(again == json, "{}: written differently", stream.name);
        if stream.set == "compiled" {
            let mut problems = Diagnostics::new();
            let got = xe.assemble_listing(FileId(0), &listing, &mut problems);
            tally.check(&stream.name, "whole", got == Some(binary), || format!("{:?}", problems.iter().next()));
        }
        Ok(())
    })
}

/// A listing is assembled to the binary, but for bits that mean nothing.
fn listing_is(xe: &mut Xe<'_>, json: &[u8], stream: &Stream, tally: &mut Tally) {
    let Ok(listing) = isaglot_listing::read(FileId(0), json) else {
        tally.row(&stream.name, "whole", Err("the listing is not read".to_owned()));
        return;
    };
    let mut problems = Diagnostics::new();
    let Some(got) = xe.assemble_listing(FileId(0), &listing, &mut problems) else {
        tally.row(&stream.name, "whole", Err(problems.iter().next().map(|d| d.message.clone()).unwrap_or_default()));
        return;
    };
    let (a, b) = (xe.program(&got), xe.program(&stream.binary()));
    tally.check(&stream.name, "whole", a.entries.len() == b.entries.len(), || "another length".to_owned());
    for (x, y) in a.entries.iter().zip(&b.entries) {
        let mask = if y.short || stream.set == "compiled" { 0 } else { dead(xe.platform) };
        let good = (x.word ^ y.word) & !mask == 0 && x.short == y.short;
        tally.check(&stream.name, format!("{:#x}", y.pc), good, || format!("{:#x}, not {:#x}", x.word, y.word));
    }
}

/// Listings of version 1.0, as the old peer wrote them, are assembled to the binary.
fn old_listing_back(folder: &Path) -> Result<(), Failed> {
    each(folder, "xe-old-listing-back", |xe, stream, tally| {
        if let Some(json) = stream.sibling("v1.json") {
            listing_is(xe, &json, stream, tally);
        }
        Ok(())
    })
}

/// Listings with loads and stores in their own form, without encodings, are assembled to the binary.
fn load_store_listing_back(folder: &Path) -> Result<(), Failed> {
    each(folder, "xe-load-store-back", |xe, stream, tally| {
        if stream.set != "compiled" {
            return Ok(());
        }
        let program = xe.program(&stream.binary());
        let mut json = Vec::new();
        let options = ListOptions { ldst: true, ..ListOptions::default() };
        xe.write_json(&program, &options, &mut json).map_err(|_| "too large")?;
        listing_is(xe, &json, stream, tally);
        Ok(())
    })
}

/// Listings that the peer wrote, with descriptors, are assembled to the binary.
fn peer_listing_back(folder: &Path) -> Result<(), Failed> {
    each(folder, "xe-peer-listing-back", |xe, stream, tally| {
        if let Some(json) = stream.sibling("json").filter(|_| stream.set != "mutated") {
            listing_is(xe, &json, stream, tally);
        }
        Ok(())
    })
}

/// Words that the peer rejects are rejected.
fn invalid(folder: &Path) -> Result<(), Failed> {
    let description = Description::embedded().ok_or("no description")?;
    let mut tally = Tally::default();
    for platform in PLATFORMS {
        let mut xe = Xe::new(&description, platform).ok_or("no description")?;
        for path in corpus::files(&folder.join("kernels"), &format!(".{}.json.gz", platform.id())) {
            let name = corpus::name(&path);
            if !name.starts_with("neg") {
                continue;
            }
            let list: Value = serde_json::from_slice(&corpus::bytes(&path)?)?;
            for (word, n) in list.as_array().into_iter().flatten().zip(1..) {
                let program = xe.program(&corpus::unhex(word[0].as_str().unwrap_or("")));
                let rejected = program.entries.iter().all(|e| matches!(e.item, StreamItem::Bad(_)));
                tally.check(&name, n, rejected, || format!("accepted; the peer: {}", word[1]));
            }
        }
    }
    finish("xe-invalid", &tally)
}

/// Words that the peer accepts are accepted.
fn valid(folder: &Path) -> Result<(), Failed> {
    each(folder, "xe-valid", |xe, stream, tally| {
        let text = String::from_utf8_lossy(&stream.sibling("asm").unwrap_or_default()).into_owned();
        let mut lines = text.lines().filter(|line| !line.ends_with(':'));
        for entry in &xe.program(&stream.binary()).entries {
            let nameless = lines.next().is_some_and(|line| line.contains(".0xFFFFFFFF?"));
            let why = if nameless { "the peer has no name for the function either" } else { "rejected" };
            let taken = matches!(entry.item, StreamItem::Inst(_));
            tally.check(&stream.name, format!("{:#x}", entry.pc), taken, || why.to_owned());
        }
        Ok(())
    })
}

/// The example of the format document, byte for byte.
fn seed(folder: &Path) -> Result<(), Failed> {
    let dir = folder.join("seed_example");
    let read = |name: &str| std::fs::read(dir.join(name)).map_err(|e| format!("{name}: {e}"));
    let description = Description::embedded().ok_or("no description")?;
    let mut xe = Xe::new(&description, Platform::XeHpc).ok_or("no description")?;
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

fn main() {
    suite::run_corpus_cases(
        "xe",
        &[
            ("xe_round_trip", round_trip),
            ("xe_text", text),
            ("xe_quick", quick),
            ("xe_assemble", assemble),
            ("xe_load_store_text", load_store_text),
            ("xe_assemble_sources", assemble_sources),
            ("xe_listing", listing),
            ("xe_full_listing", full_listing),
            ("xe_listing_back", listing_back),
            ("xe_old_listing_back", old_listing_back),
            ("xe_peer_listing_back", peer_listing_back),
            ("xe_load_store_listing_back", load_store_listing_back),
            ("xe_invalid", invalid),
            ("xe_valid", valid),
            ("xe_seed_example", seed),
        ],
    );
}
