//! The checker is checked: descriptions with one small mistake put in, every mistake found or proved harmless.
//!
//! A mutant has one bit of a pattern flipped, dropped (made a don't-care) or added, a field boundary moved by one, an
//! enum value, text or entry changed, or a guard changed. The front end reports it, or `diff` against the original does,
//! or nothing does and the mutant must be harmless. Neither answer is taken on trust: the sample of a difference must
//! read differently in the disassembler, and a harmless mutant must disassemble many words as the original does.
//!
//! Mutants are seeded, so a failure names a number that gives it again. The description in `data` is always used, those
//! of the corpus where there is one.

use std::collections::BTreeMap;
use std::path::Path;

use isaglot_asm::{Compat, Options, Plain, Stream};
use isaglot_bits::Word;
use isaglot_codec::Plan;
use isaglot_model::Isa;
use isaglot_source::{Diagnostics, SourceMap};
use isaglot_testing::{Failed, Random, Trial, rounds, suite};
use isaglot_verify::diff::{ChangeKind, Side, diff};

/// A description: its files by name, the top one first.
type Files = Vec<(String, String)>;

/// Words that are compared for a mutant that is called harmless, per gen.
const WORDS: usize = 400;

/// The model, and how often each code was reported.
fn load(files: &Files) -> (Option<Isa>, BTreeMap<String, usize>) {
    let (mut map, mut out) = (SourceMap::new(), Diagnostics::new());
    let mut read = |path: &str| {
        let name = path.rsplit('/').next().unwrap_or(path);
        let text = files.iter().find(|f| f.0 == name).map(|f| f.1.clone().into_bytes());
        text.ok_or_else(|| "no such file".to_owned())
    };
    let isa = isaglot_isaspec::load(&mut map, &files[0].0, &mut read, &mut out);
    let mut codes = BTreeMap::new();
    for d in &out {
        *codes.entry(d.code.to_owned()).or_insert(0) += 1;
    }
    (isa, codes)
}

/// Byte ranges of what stands between `open` and `close`, with the place where the element starts.
fn between(text: &str, open: &str, close: &str) -> Vec<(usize, usize)> {
    let mut out = Vec::new();
    let mut at = 0;
    while let Some(start) = text[at..].find(open).map(|i| at + i + open.len()) {
        let Some(end) = text[start..].find(close).map(|i| start + i) else { break };
        out.push((start, end));
        at = end;
    }
    out
}

/// The value of an attribute inside a range.
fn attribute(text: &str, (start, end): (usize, usize), name: &str) -> Option<(usize, usize)> {
    let open = format!("{name}=\"");
    let from = start + text[start..end].find(&open)? + open.len();
    Some((from, from + text[from..end].find('"')?))
}

fn replaced(text: &str, (start, end): (usize, usize), with: &str) -> String {
    format!("{}{with}{}", &text[..start], &text[end..])
}

/// A mutation of one file: what was done, and the new text. `None` if the file has nothing of the kind chosen.
fn mutate(text: &str, random: &mut Random) -> Option<(String, String)> {
    fn pick(list: &[(usize, usize)], random: &mut Random) -> Option<(usize, usize)> {
        (!list.is_empty()).then(|| *random.pick(list))
    }
    match random.index(4) {
        0 => {
            let (_, end) = pick(&between(text, "<pattern", "</pattern>"), random)?;
            let start = text[..end].rfind('>')? + 1;
            let bits: Vec<usize> = (start..end).filter(|&i| "01x".contains(&text[i..=i])).collect();
            let at = *bits.get(random.index(bits.len()))?;
            let old = &text[at..=at];
            let new = match (old, random.index(2)) {
                ("x", n) => ["0", "1"][n],
                ("0", 0) => "1",
                ("1", 0) => "0",
                _ => "x",
            };
            Some((format!("pattern bit {old} -> {new} at byte {at}"), replaced(text, (at, at + 1), new)))
        }
        1 => {
            let field = pick(&between(text, "<field ", ">"), random)?;
            let names = ["low", "high", "pos"];
            let places: Vec<_> = names.iter().filter_map(|n| attribute(text, field, n)).collect();
            let place = pick(&places, random)?;
            let old: i64 = text[place.0..place.1].parse().ok()?;
            let new = if random.index(2) == 0 { old + 1 } else { old - 1 };
            Some((format!("field bit {old} -> {new} at byte {}", place.0), replaced(text, place, &new.to_string())))
        }
        2 => {
            let value = pick(&between(text, "<value ", "/>"), random)?;
            let what = format!("enum entry at byte {}", value.0);
            match random.index(3) {
                0 => Some((format!("{what} removed"), replaced(text, (value.0 - "<value ".len(), value.1 + 2), ""))),
                1 => {
                    let place = attribute(text, value, "display")?;
                    let old = &text[place.0..place.1];
                    Some((format!("{what} text `{old}`"), replaced(text, place, &format!("{old}q"))))
                }
                _ => {
                    let place = attribute(text, value, "val")?;
                    let old = &text[place.0..place.1];
                    let number = match old.strip_prefix("0x") {
                        Some(hex) => i64::from_str_radix(hex, 16).ok()?,
                        None => old.parse().ok()?,
                    };
                    Some((format!("{what} value {old}"), replaced(text, place, &(number + 1).to_string())))
                }
            }
        }
        _ => {
            let mut exprs = between(text, "<expr>", "</expr>");
            exprs.extend(
                between(text, "<expr name", "</expr>")
                    .into_iter()
                    .filter_map(|(start, end)| Some((start + text[start..end].find('>')? + 1, end))),
            );
            let (start, end) = pick(&exprs, random)?;
            let body = &text[start..end];
            let swaps = [("==", "!="), ("!=", "=="), ("&amp;&amp;", "||"), ("||", "&amp;&amp;"), ("&gt;", "&lt;")];
            let mut changes: Vec<(usize, usize, String)> = Vec::new();
            for (old, new) in swaps {
                changes.extend(body.match_indices(old).map(|(i, _)| (i, i + old.len(), new.to_owned())));
            }
            // Decimal numbers that stand alone: not in names, hexadecimal numbers or comments' words.
            let bytes = body.as_bytes();
            for i in 0..bytes.len() {
                let alone = |b: Option<&u8>| b.is_none_or(|b| !b.is_ascii_alphanumeric() && !b"_#.".contains(b));
                if bytes[i].is_ascii_digit() && alone(i.checked_sub(1).and_then(|i| bytes.get(i))) {
                    let n = bytes[i..].iter().take_while(|b| b.is_ascii_digit()).count();
                    if alone(bytes.get(i + n)) {
                        let number: u64 = body[i..i + n].parse().ok()?;
                        changes.push((i, i + n, (number + 1).to_string()));
                    }
                }
            }
            let (from, to, new) = changes.get(random.index(changes.len()))?;
            let what = format!("guard `{}` -> `{new}` at byte {}", &body[*from..*to], start + from);
            Some((what, replaced(text, (start + from, start + to), new)))
        }
    }
}

/// A word as a line, errors included. Floats are printed so that they read back: the checker compares their values, and
/// `%f` prints tiny ones alike.
fn line(plan: &Plan<'_>, word: &Word) -> Vec<u8> {
    let bytes: Vec<u8> = word.le_bytes().collect();
    let mut out = Vec::new();
    let options = Options { compat: Compat::Mesa26, ..Options::default() };
    Stream::new(plan, options, 0).feed(&bytes, &mut Plain, &mut out);
    out
}

/// The first word that the two disassemble differently, of many: random ones, and random ones of each encoding.
fn compare(a: &Isa, b: &Isa, random: &mut Random) -> Option<String> {
    let root = &a[a.root()];
    let mut gens: Vec<u32> = root.encodings.iter().flat_map(|&e| [a[e].gens.min, a[e].gens.max]).collect();
    gens.sort_unstable();
    gens.dedup();
    for generation in gens {
        let (one, two) = (Plan::new(a, generation), Plan::new(b, generation));
        for i in 0..WORDS {
            let limbs = [random.u64(), random.u64()];
            let free = Word::from_limbs(&limbs, root.width);
            let word = match root.encodings.get(i % (root.encodings.len() + 1)) {
                Some(&e) => a[e].pattern.value().or(&free.and_not(a[e].pattern.care())),
                None => free,
            };
            if line(&one, &word) != line(&two, &word) {
                return Some(format!("0x{} (gen {generation})", word.hex()));
            }
        }
    }
    None
}

/// Makes `count` mutants of a description and accounts for each.
fn mutants(files: &Files, count: usize, seed: u64) -> Result<(), Failed> {
    let (original, codes) = load(files);
    let original = original.ok_or("the description does not load")?;
    let mut random = Random::new(seed);
    let (mut made, mut tally) = (0, BTreeMap::new());
    while made < count {
        let which = random.index(files.len());
        let Some((what, text)) = mutate(&files[which].1, &mut random) else { continue };
        made += 1;
        let what = format!("mutant {made}, {}: {what}", files[which].0);
        let mut changed = files.clone();
        changed[which].1 = text;
        let (isa, reported) = load(&changed);
        let Some(isa) = isa.filter(|_| reported == codes) else {
            *tally.entry("front end").or_insert(0) += 1;
            continue;
        };
        let side = |isa| Side { isa, generation: None };
        let found = diff(side(&original), side(&isa), &mut |_, _| ())?;
        if let Some(change) = found.changes.first() {
            let generation = change.gens.map_or(0, |g| g.min);
            let (a, b) = (Plan::new(&original, generation), Plan::new(&isa, generation));
            if change.kind != ChangeKind::Fields && line(&a, &change.sample) == line(&b, &change.sample) {
                let same = found.changes.iter().filter(|c| c.kind != ChangeKind::Fields).all(|c| {
                    let generation = c.gens.map_or(0, |g| g.min);
                    let (a, b) = (Plan::new(&original, generation), Plan::new(&isa, generation));
                    line(&a, &c.sample) == line(&b, &c.sample)
                });
                if same {
                    return Err(format!("{what}: no sample reads differently, 0x{}", change.sample.hex()).into());
                }
            }
            *tally.entry("diff").or_insert(0) += 1;
        } else if !found.undecided.is_empty() {
            return Err(format!("{what}: undecided: {:?}", found.undecided).into());
        } else if let Some(word) = compare(&original, &isa, &mut random) {
            return Err(format!("{what}: called harmless, but {word} reads differently").into());
        } else {
            *tally.entry("harmless, proved").or_insert(0) += 1;
        }
    }
    println!("{}: {count} mutants: {tally:?}", files[0].0);
    Ok(())
}

/// All files of a directory, `top` first.
fn read(directory: &Path, top: &str) -> Result<Files, Failed> {
    let mut files = Files::new();
    for entry in std::fs::read_dir(directory)? {
        let path = entry?.path();
        let name = path.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
        files.push((name, std::fs::read_to_string(&path)?));
    }
    files.sort_by_key(|f| (f.0 != top, f.0.clone()));
    Ok(files)
}

/// Mutants of a description of the corpus.
fn corpus(isaspec: &Path, which: &str, count: usize) -> Result<(), Failed> {
    mutants(&read(&isaspec.join("xml").join(which), &format!("{which}.xml"))?, count, 2)
}

fn main() {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data");
    let toy = move || mutants(&read(&data, "toy.xml")?, rounds(200), 1);
    let mut trials = suite::corpus_cases(
        "isaspec",
        &[
            ("isaspec::mutants::ir3", |folder| corpus(folder, "ir3", 60)),
            ("isaspec::mutants::afuc", |folder| corpus(folder, "afuc", 90)),
            ("isaspec::mutants::etnaviv", |folder| corpus(folder, "etnaviv", 50)),
        ],
    );
    trials.push(Trial::test("verify::mutants::toy", toy));
    suite::run(trials)
}
