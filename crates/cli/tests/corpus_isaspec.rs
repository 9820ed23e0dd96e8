//! Disassembly against the corpus of isaspec descriptions, through the facade: instruction tables, whole firmware
//! sections, the micro descriptions that pin one rule each, pools and the streams drawn from them, labels.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

use isaglot::asm::exact::{self, Line};
use isaglot::asm::labels::{Places, Targets};
use isaglot::asm::{Entry, Hooks, Options, Stream};
use isaglot::bits::Word;
use isaglot::codec::{self, Plan};
use isaglot::model::Isa;
use isaglot::source::{Diagnostics, SourceMap, render};
use isaglot_testing::{Failed, Random, Tally, corpus, ledger, suite};
use serde_json::Value;
use sha2::{Digest, Sha256};

fn main() {
    let cases: [(&str, suite::Case); 8] = [
        ("isaspec_vectors", vectors),
        ("isaspec_sections", sections),
        ("isaspec_micro", micro),
        ("isaspec_pools", pools),
        ("isaspec_release", release),
        ("isaspec_streams", streams),
        ("isaspec_labels", labels),
        ("isaspec_operands", operands),
    ];
    suite::run_corpus_cases("isaspec", &cases);
}

fn load(path: &Path) -> Result<Isa, Failed> {
    let (mut files, mut problems) = (SourceMap::new(), Diagnostics::new());
    let mut read = |name: &str| std::fs::read(name).map_err(|e| e.to_string());
    let isa = isaglot::isaspec::load(&mut files, &path.display().to_string(), &mut read, &mut problems);
    let said = || problems.iter().map(|d| render::text(&files, d, false)).collect::<String>();
    isa.ok_or_else(|| said().into())
}

fn description(corpus: &Path, isa: &str) -> Result<Isa, Failed> {
    load(&corpus.join(format!("xml/{isa}/{isa}.xml")))
}

fn lines(path: &Path) -> Result<Vec<Value>, Failed> {
    let text = std::fs::read_to_string(path)?;
    text.lines().filter(|l| !l.trim().is_empty()).map(|l| serde_json::from_str(l).map_err(Failed::from)).collect()
}

fn text<'v>(v: &'v Value, key: &str) -> Result<&'v str, Failed> {
    v[key].as_str().ok_or_else(|| format!("`{key}` is missing in {v}").into())
}

fn number(v: &Value, key: &str) -> Result<u64, Failed> {
    v[key].as_u64().ok_or_else(|| format!("`{key}` is missing in {v}").into())
}

/// An instruction written with its most significant word first, as bytes in memory order.
fn instruction(hex: &str) -> Result<Vec<u8>, Failed> {
    let byte = |i: usize| u8::from_str_radix(&hex[2 * i..2 * i + 2], 16).map_err(Failed::from);
    let mut bytes: Vec<u8> = (0..hex.len() / 2).map(byte).collect::<Result<_, _>>()?;
    bytes.reverse();
    Ok(bytes)
}

fn disassemble(plan: &Plan<'_>, options: Options, bytes: &[u8], hooks: &mut dyn Hooks) -> Vec<u8> {
    let mut out = Vec::new();
    let mut stream = Stream::new(plan, options, bytes.len() as u64);
    stream.mark(bytes);
    stream.feed(bytes, hooks, &mut out);
    out
}

/// Compares the rows that failed with the ledger.
fn verdict(tally: &Tally) -> Result<(), Failed> {
    Ok(ledger::check(env!("CARGO_MANIFEST_DIR"), "isaspec", tally)?)
}

/// The form of a word that is not a valid instruction which Mesa's ir3 test table has.
struct Raw;

impl Hooks for Raw {
    fn no_match(&mut self, word: &Word, out: &mut Vec<u8>) {
        let parts: String = word.words32().map(|w| format!("{w:X}")).collect();
        out.extend_from_slice(format!("raw 0x{parts}\n").as_bytes());
    }
}

/// The rules of the afuc sections: `[hex]` for data, custom texts by field and value.
struct Sections {
    names: HashMap<String, String>,
}

impl Hooks for Sections {
    fn custom(&mut self, reference: &str, value: u64, out: &mut Vec<u8>) {
        let field = reference.split(':').next().unwrap_or(reference);
        match self.names.get(&format!("{field}:{value}")) {
            Some(text) => out.extend_from_slice(text.as_bytes()),
            None => out.extend_from_slice(format!("0x{value:03x}").as_bytes()),
        }
    }

    fn no_match(&mut self, word: &Word, out: &mut Vec<u8>) {
        out.extend_from_slice(format!("[{}]\n", word.hex()).as_bytes());
    }
}

/// What the micro descriptions were printed with.
struct Micro {
    /// Print the instruction's number and words before every line.
    before: bool,
    /// Print custom fields.
    custom: bool,
}

/// The hooks that made every text of the corpus, unless said otherwise.
const DEFAULTS: Micro = Micro { before: false, custom: true };

impl Hooks for Micro {
    fn custom(&mut self, _: &str, value: u64, out: &mut Vec<u8>) {
        if self.custom {
            out.extend_from_slice(format!("0x{value:03x}").as_bytes());
        }
    }

    fn before(&mut self, position: u64, word: &Word, out: &mut Vec<u8>) {
        if self.before {
            let words: Vec<String> = word.words32().rev().map(|w| format!("{w:08x}")).collect();
            out.extend_from_slice(format!("{position:3}[{}] ", words.join("_")).as_bytes());
        }
    }
}

fn vectors(corpus: &Path) -> Result<(), Failed> {
    let mut tally = Tally::default();
    for isa in ["ir3", "etnaviv", "afuc"] {
        let description = description(corpus, isa)?;
        let records = lines(&corpus.join(format!("{isa}.jsonl")))?;
        let mut plans: HashMap<u64, Plan<'_>> = HashMap::new();
        for (row, record) in records.iter().enumerate() {
            let generation = number(record, "gen")?;
            let plan = plans.entry(generation).or_insert_with(|| Plan::new(&description, generation as u32));
            let bytes = instruction(text(record, "hex")?)?;
            let mut micro = DEFAULTS;
            let hooks: &mut dyn Hooks = if isa == "ir3" { &mut Raw } else { &mut micro };
            let got = disassemble(plan, Options::default(), &bytes, hooks);
            let expected = format!("{}\n", text(record, "expected")?);
            tally.check(&format!("{isa}.jsonl"), row + 1, got == expected.as_bytes(), || {
                format!("{}: expected {expected:?}, got {:?}", record["id"], String::from_utf8_lossy(&got))
            });
        }
    }
    verdict(&tally)
}

fn sections(corpus: &Path) -> Result<(), Failed> {
    let description = description(corpus, "afuc")?;
    let records = lines(&corpus.join("afuc_sections.jsonl"))?;
    let mut tally = Tally::default();
    for (row, record) in records.iter().enumerate() {
        let plan = Plan::new(&description, number(record, "gen")? as u32);
        let words = record["words"].as_array().ok_or("no words")?;
        let mut bytes = Vec::new();
        for word in words {
            bytes.extend(instruction(word.as_str().ok_or("no word")?)?);
        }
        let mut entries = Vec::new();
        for e in record["entrypoints"].as_array().ok_or("no entrypoints")? {
            entries.push(Entry { offset: number(e, "offset")?, name: text(e, "name")?.as_bytes().to_vec() });
        }
        let names = record["custom_names"].as_object().ok_or("no names")?;
        let name = |(k, v): (&String, &Value)| (k.clone(), v.as_str().unwrap_or("").to_owned());
        let mut hooks = Sections { names: names.iter().map(name).collect() };
        let options = Options { show_errors: false, labels: true, entries, ..Options::default() };
        let got = disassemble(&plan, options, &bytes, &mut hooks);
        let same = got == text(record, "expected_text")?.as_bytes();
        tally.check("afuc_sections.jsonl", row + 1, same, || format!("{} {}", record["file"], record["section"]));
    }
    verdict(&tally)
}

fn micro(folder: &Path) -> Result<(), Failed> {
    let mut tally = Tally::default();
    let mut folders: Vec<PathBuf> = std::fs::read_dir(folder.join("micro"))?.flatten().map(|e| e.path()).collect();
    folders.sort();
    for dir in folders.iter().filter(|d| d.is_dir()) {
        let meta: Value = serde_json::from_slice(&std::fs::read(dir.join("meta.json"))?)?;
        let flags: Vec<&str> = meta["flags"].as_array().ok_or("no flags")?.iter().filter_map(Value::as_str).collect();
        let mut options = Options::default();
        let mut hooks = DEFAULTS;
        let mut flags = flags.into_iter();
        while let Some(flag) = flags.next() {
            match flag {
                "-l" => options.labels = true,
                "-q" => options.show_errors = false,
                "-p" => hooks.before = true,
                "-c" => hooks.custom = false,
                "-m" => options.max_errors = flags.next().ok_or("-m")?.parse()?,
                "-e" => {
                    let (name, offset) = flags.next().and_then(|e| e.rsplit_once(':')).ok_or("-e")?;
                    options.entries.push(Entry { offset: offset.parse()?, name: name.as_bytes().to_vec() });
                }
                other => return Err(format!("unknown flag {other}").into()),
            }
        }
        let isa = load(&dir.join("spec.xml"))?;
        let plan = Plan::new(&isa, number(&meta, "gen")? as u32);
        let got = disassemble(&plan, options, &std::fs::read(dir.join("in.bin"))?, &mut hooks);
        let expected = std::fs::read(dir.join("expected.txt"))?;
        tally.check("micro", corpus::name(dir), got == expected, || {
            format!("expected\n{}got\n{}", String::from_utf8_lossy(&expected), String::from_utf8_lossy(&got))
        });
    }
    verdict(&tally)
}

/// The unpacked bytes of a file that the manifest names.
fn packed(folder: &Path, pool: &Pool, key: &str) -> Result<Vec<u8>, Failed> {
    Ok(corpus::bytes(&folder.join("corpus").join(text(&pool.entry, key)?))?)
}

struct Pool {
    name: String,
    isa: String,
    generation: u32,
    entry: Value,
}

fn manifest(corpus: &Path) -> Result<Vec<Pool>, Failed> {
    let all: Value = serde_json::from_slice(&std::fs::read(corpus.join("corpus/MANIFEST.json"))?)?;
    let mut pools = Vec::new();
    for entry in all.as_array().ok_or("MANIFEST is no list")? {
        let (isa, generation) = (text(entry, "isa")?.to_owned(), number(entry, "gen")? as u32);
        pools.push(Pool { name: format!("{isa}.gen{generation}"), isa, generation, entry: entry.clone() });
    }
    Ok(pools)
}

/// Compares the texts of words line by line.
fn compare(file: &str, plan: &Plan<'_>, bytes: &[u8], expected: &[u8], tally: &mut Tally) {
    let is_end = |byte: &u8| *byte == b'\n';
    let got = disassemble(plan, Options::default(), bytes, &mut { DEFAULTS });
    let (got, expected): (Vec<_>, Vec<_>) = (got.split(is_end).collect(), expected.split(is_end).collect());
    for (row, expected) in expected.iter().enumerate().take(expected.len() - 1) {
        let got = got.get(row).copied().unwrap_or_default();
        tally.check(file, row + 1, got == *expected, || {
            format!("expected {:?}, got {:?}", String::from_utf8_lossy(expected), String::from_utf8_lossy(got))
        });
    }
    tally.check(file, "end", got.len() == expected.len(), || "the texts differ in length".to_owned());
}

/// Random words of the descriptions of a later release, most of them with something wrong.
fn release(corpus: &Path) -> Result<(), Failed> {
    let folder = corpus.join("xml-25.0");
    let mut tally = Tally::default();
    for file in corpus::files(&folder, ".words.txt.gz") {
        let name = corpus::name(&file);
        let (isa, generation) =
            name.strip_suffix(".words.txt.gz").and_then(|n| n.split_once(".gen")).ok_or("a name")?;
        let model = load(&folder.join(format!("{isa}/{isa}.xml")))?;
        let plan = Plan::new(&model, generation.parse()?);
        let bytes = corpus::bytes(&folder.join(format!("{isa}.words.bin.gz")))?;
        compare(&format!("{isa}-25.0.gen{generation}"), &plan, &bytes, &corpus::bytes(&file)?, &mut tally);
    }
    verdict(&tally)
}

fn pools(corpus: &Path) -> Result<(), Failed> {
    let mut tally = Tally::default();
    for pool in manifest(corpus)? {
        let isa = description(corpus, &pool.isa)?;
        let plan = Plan::new(&isa, pool.generation);
        let bytes = packed(corpus, &pool, "pool_bin")?;
        let expected = packed(corpus, &pool, "pool_txt")?;
        compare(&format!("{}.pool", pool.name), &plan, &bytes, &expected, &mut tally);
    }
    verdict(&tally)
}

fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|b| format!("{b:02x}")).collect()
}

/// The stream drawn from a pool by the recipe of the MANIFEST.
fn draw(pool: &[u8], size: usize, count: u64) -> Vec<u8> {
    let entries = (pool.len() / size) as u64;
    let mut out = Vec::with_capacity(count as usize * size);
    let mut x: u64 = 0x9E37_79B9_7F4A_7C15;
    for _ in 0..count {
        x ^= x >> 12;
        x ^= x << 25;
        x ^= x >> 27;
        let at = ((x.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 32) % entries) as usize * size;
        out.extend_from_slice(&pool[at..at + size]);
    }
    out
}

fn streams(corpus: &Path) -> Result<(), Failed> {
    let mut tally = Tally::default();
    for pool in manifest(corpus)? {
        let isa = description(corpus, &pool.isa)?;
        let plan = Plan::new(&isa, pool.generation);
        let drawn = packed(corpus, &pool, "pool_bin")?;
        let drawn = draw(&drawn, isa.format().max_bits as usize / 8, number(&pool.entry, "corpus_n")?);
        let tile = packed(corpus, &pool, "tile_bin")?;
        let file = format!("{}.streams", pool.name);
        for (what, bytes, bin, txt) in
            [("1m", drawn, "sha256_1m_bin", "sha256_1m_txt"), ("tile", tile, "sha256_tile_bin", "sha256_tile_txt")]
        {
            let same = sha256(&bytes) == text(&pool.entry, bin)?;
            tally.check(&file, bin, same, || format!("{what} is not the stream of the MANIFEST"));
            let got = disassemble(&plan, Options::default(), &bytes, &mut { DEFAULTS });
            let same = sha256(&got) == text(&pool.entry, txt)?;
            tally.check(&file, txt, same, || format!("the text of {what} differs"));
        }
    }
    verdict(&tally)
}

/// Label mode on every pool and stream, and on words near those of the pools, most of which have errors.
fn labels(corpus: &Path) -> Result<(), Failed> {
    let mut tally = Tally::default();
    for pool in manifest(corpus)? {
        let isa = description(corpus, &pool.isa)?;
        let plan = Plan::new(&isa, pool.generation);
        let size = isa.format().max_bits as usize / 8;
        let bytes = packed(corpus, &pool, "pool_bin")?;
        let tile = packed(corpus, &pool, "tile_bin")?;
        let drawn = draw(&bytes, size, number(&pool.entry, "corpus_n")?);
        for (what, bytes) in [("pool", &bytes), ("1m", &drawn), ("tile", &tile)] {
            by_rules(&format!("{}.{what} labels", pool.name), &plan, bytes, &mut tally)?;
        }
        by_exact_engine(&format!("{}.near labels", pool.name), &plan, &flipped(&bytes, size), &mut tally)?;
    }
    verdict(&tally)
}

/// The same words with one to eight bits flipped.
fn flipped(bytes: &[u8], size: usize) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    let mut random = Random::new(0x5eed_cafe);
    for word in bytes.chunks_exact_mut(size) {
        for _ in 0..=random.index(8) {
            word[random.index(size)] ^= 1 << random.index(8);
        }
    }
    bytes
}

/// Label lines stand exactly where the exact engine's references lead, were it run over everything before.
fn by_exact_engine(file: &str, plan: &Plan<'_>, bytes: &[u8], tally: &mut Tally) -> Result<(), Failed> {
    let bits = plan.isa().format().max_bits;
    let words = || bytes.chunks_exact(bits as usize / 8).zip(0..);
    let mut scopes = codec::Scopes::new(plan, false);
    let mut targets = Targets::new(words().count() as u64);
    for (word, position) in words() {
        let mut line = Line {
            out: &mut Vec::new(),
            start: 0,
            position,
            places: Places { bytes: u64::from(bits / 8) },
            targets: Some(&mut targets),
            compat: Options::default().compat,
        };
        exact::instruction(&mut scopes, &Word::from_le_bytes(word, bits), &mut { DEFAULTS }, &mut line);
    }
    let labelled = disassemble(plan, Options { labels: true, ..Options::default() }, bytes, &mut { DEFAULTS });
    let labelled = String::from_utf8(labelled)?;
    let found: HashSet<&str> = labelled.lines().filter_map(|l| l.strip_suffix(':')).filter(|l| is_label(l)).collect();
    for (_, at) in words() {
        let expected = [(format!("l{at}"), targets.is_branch(at)), (format!("fxn{at}"), targets.is_call(at))];
        for (label, is) in expected {
            tally.check(file, &label, found.contains(label.as_str()) == is, || format!("{is} by the exact engine"));
        }
    }
    Ok(())
}

/// Label mode by its rules, from the text without labels: a reference stands for the number that was there, exactly the
/// places referred to have a label line, and a function's has a blank line before it.
fn by_rules(file: &str, plan: &Plan<'_>, bytes: &[u8], tally: &mut Tally) -> Result<(), Failed> {
    let plain = disassemble(plan, Options::default(), bytes, &mut { DEFAULTS });
    let labelled = disassemble(plan, Options { labels: true, ..Options::default() }, bytes, &mut { DEFAULTS });
    let (plain, labelled) = (String::from_utf8(plain)?, String::from_utf8(labelled)?);
    let plain: Vec<&str> = plain.lines().collect();
    let (mut defined, mut referred) = (HashSet::new(), HashSet::new());
    let (mut n, mut blank) = (0, false);
    for line in labelled.lines() {
        if let Some(label) = line.strip_suffix(':').filter(|l| is_label(l)) {
            let digits = label.trim_start_matches(|c: char| c.is_ascii_alphabetic());
            let here = digits == n.to_string() && (!label.starts_with("fxn") || n == 0 || blank);
            tally.check(file, label, here, || format!("`{line}` stands before instruction {n}"));
            defined.insert(label.to_owned());
        } else if !line.is_empty() || plain.get(n).is_some_and(|p| p.is_empty()) {
            let expected = plain.get(n).copied().unwrap_or("");
            let same = line == expected || is_relabelled(line, expected, n, plain.len(), &mut referred);
            tally.check(file, n, same, || format!("{line:?} for {expected:?}"));
            n += 1;
        }
        blank = line.is_empty();
    }
    for label in defined.symmetric_difference(&referred) {
        tally.row(file, label, Err("the label has no reference, or the reference no label".to_owned()));
    }
    tally.check(file, "end", n == plain.len(), || format!("{n} instructions of {}", plain.len()));
    Ok(())
}

fn is_label(word: &str) -> bool {
    let digits = word.strip_prefix("fxn").or_else(|| word.strip_prefix('l')).unwrap_or("");
    !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit())
}

/// Whether `line` is `plain` with numbers replaced by labels inside the stream; the labels are added to `referred`.
fn is_relabelled(line: &str, plain: &str, n: usize, count: usize, referred: &mut HashSet<String>) -> bool {
    let words = |s: &'_ str| -> Vec<String> {
        s.split_inclusive(|c: char| !(c.is_ascii_alphanumeric() || c == '-')).map(str::to_owned).collect()
    };
    let (a, b) = (words(line), words(plain));
    a.len() == b.len()
        && a.iter().zip(&b).all(|(a, b)| {
            let ends = |s: &str| s.trim_end_matches(|c: char| !c.is_ascii_alphanumeric()).to_owned();
            let (label, value) = (ends(a), ends(b));
            if a == b {
                return true;
            }
            // A name such as `#l12` splits at the `#`; the label itself is what is left.
            let Ok(value) = value.trim_start_matches('#').parse::<i64>() else { return false };
            let target: i64 = match label.trim_start_matches(|c: char| c.is_ascii_alphabetic()).parse() {
                Ok(target) if is_label(&label) => target,
                _ => return false,
            };
            referred.insert(label);
            // An absolute target is taken unsigned but printed signed, so it may be a power of two away.
            let wraps = value < 0 && (1..32).any(|bits| target == value + (1 << bits));
            (target == value || target == value + n as i64 || wraps) && (0..count as i64).contains(&target)
        })
}

/// Every pool word as a tree of operands gives the word again, outside its don't-care bits (which are kept too).
fn operands(corpus: &Path) -> Result<(), Failed> {
    let mut tally = Tally::default();
    for pool in manifest(corpus)? {
        let isa = description(corpus, &pool.isa)?;
        let plan = Plan::new(&isa, pool.generation);
        let bytes = packed(corpus, &pool, "pool_bin")?;
        let size = isa.format().max_bits as usize / 8;
        for (row, bytes) in bytes.chunks_exact(size).enumerate() {
            let word = Word::from_le_bytes(bytes, isa.format().max_bits);
            let tree = codec::operands::decode(&plan, &word).ok_or("a pool word is not a valid instruction")?;
            let again = match codec::operands::encode(&plan, &tree) {
                Ok(again) if again == word => Ok(()),
                Ok(again) => Err(format!("{} became {}", word.hex(), again.hex())),
                Err(e) => Err(format!("{}: {e}", word.hex())),
            };
            tally.row(&format!("{}.operands", pool.name), row + 1, again);
        }
    }
    verdict(&tally)
}
