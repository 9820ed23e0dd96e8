//! The disassembler for drivers against the corpus: a C driver that uses every option and callback gets the reference's
//! text, and its callbacks are called in the reference's order.
//!
//! The corpus is found through `ISAGLOT_CORPUS`, else beside the workspace; without it the cases are reported as ignored.

mod driver;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use driver::{SANITIZE, STRICT, WARNINGS, compile, corpus, has, load, run, unpack, write};
use isaglot_asm::{Entry, Hooks, Options, Stream, Value};
use isaglot_bits::Word;
use isaglot_codec::Plan;
use isaglot_emit::isaspec;
use isaglot_model::Isa;
use isaglot_source::Diagnostics;
use libtest_mimic::{Arguments, Failed, Trial};
use serde_json::Value as Json;

/// Description, the gens of its pools, more gens to ask for.
const SETS: [(&str, &[u32], &[u32]); 3] =
    [("ir3", &[600, 700], &[0, 420, 540, 699]), ("afuc", &[6, 7], &[5]), ("etnaviv", &[0], &[7])];

/// Words of a pool that are printed with a trace: it is several times as long as the text.
const TRACED: usize = 4_000;

/// Random words that are printed besides: most are wrong somehow.
const RANDOM: usize = 20_000;

fn main() {
    let args = Arguments::from_args();
    let (corpus, missing) = match corpus() {
        Ok(path) => (Arc::new(path), false),
        Err(path) => {
            println!("no corpus at {}: the isaspec drivers are ignored", path.display());
            (Arc::new(path), true)
        }
    };
    let mut trials = Vec::new();
    for compiler in ["gcc", "clang"] {
        let ignored = missing || !has(compiler);
        for set in SETS {
            let corpus = Arc::clone(&corpus);
            let name = format!("isaspec_driver_{}_{compiler}", set.0);
            trials.push(Trial::test(name, move || description(&corpus, set, compiler)).with_ignored_flag(ignored));
        }
        let corpus = Arc::clone(&corpus);
        let name = format!("isaspec_driver_micro_{compiler}");
        trials.push(Trial::test(name, move || micro(&corpus, compiler)).with_ignored_flag(ignored));
    }
    libtest_mimic::run(&args, trials).exit();
}

/// A driver for a description: the program, and the folder that it is in.
fn build(isa: &Isa, compiler: &str) -> Result<(tempfile::TempDir, PathBuf), Failed> {
    let folder = tempfile::tempdir()?;
    let options = isaspec::Options { prefix: "test", stamp: "for a test", mesa26: false };
    let mut out = Diagnostics::new();
    let files = isaspec::c(isa, &options, &mut out).ok_or_else(|| format!("{out:?}"))?;
    write(&files, folder.path())?;
    let mut program =
        format!("#include \"test-isa.h\"\n\n#define PREFIX test\n#define WORDS {}\n", isa.format().max_bits / 32);
    if files.iter().any(|file| file.name == "test-decode.h") {
        // What is unpacked is another test's.
        program
            .push_str("\nbool\ntest_isa_decode(void *out, void *bin, const struct isa_decode_options *options)\n{\n");
        program.push_str("   return test_isa_unpack(out, bin, options, NULL);\n}\n\n");
    }
    program.push_str(include_str!("driver/stub/disasm.c"));
    let paths = ["main.c", "test-isa.c", "test"].map(|name| folder.path().join(name));
    std::fs::write(&paths[0], program)?;
    compile(compiler, &[WARNINGS, STRICT, SANITIZE], &[&paths[0], &paths[1]], &paths[2])?;
    Ok((folder, paths[2].clone()))
}

/// The callbacks of the driver, for our engine.
#[derive(Default)]
struct Driver {
    trace: bool,
    prefix: bool,
    brackets: bool,
    no_custom: bool,
    names: Vec<(String, String)>,
}

impl Hooks for Driver {
    fn wants_fields(&self) -> bool {
        self.trace
    }

    fn field(&mut self, reference: &str, value: Value<'_>, out: &mut Vec<u8>) {
        if self.trace {
            let text = match value {
                Value::Number(word) => format!("<{reference}={:x}>", word.low_u64()),
                Value::Text(text) => format!("<{reference}={text}>"),
            };
            out.extend_from_slice(text.as_bytes());
        }
    }

    fn custom(&mut self, reference: &str, value: u64, out: &mut Vec<u8>) {
        if self.no_custom {
            return;
        }
        let key = format!("{}:{value}", reference.split(':').next().unwrap_or(reference));
        let known = self.names.iter().find(|(name, _)| *name == key);
        let text = known.map_or_else(|| format!("0x{value:03x}"), |(_, text)| text.clone());
        out.extend_from_slice(text.as_bytes());
    }

    fn before(&mut self, position: u64, word: &Word, out: &mut Vec<u8>) {
        if self.trace || self.prefix {
            let words: Vec<String> = word.words32().rev().map(|w| format!("{w:08x}")).collect();
            out.extend_from_slice(format!("{position:3}[{}] ", words.join("_")).as_bytes());
        }
    }

    fn after(&mut self, position: u64, word: &Word, out: &mut Vec<u8>) {
        if self.trace {
            out.extend_from_slice(format!("<post {position} {:08x}>", word.low_u64() as u32).as_bytes());
        }
    }

    fn no_match(&mut self, word: &Word, out: &mut Vec<u8>) {
        let hex = word.hex();
        out.extend_from_slice(
            if self.brackets { format!("[{hex}]\n") } else { format!("no match: {hex}\n") }.as_bytes(),
        );
    }
}

fn engine(isa: &Isa, generation: u32, options: Options, mut hooks: Driver, bytes: &[u8]) -> Vec<u8> {
    let plan = Plan::new(isa, generation);
    let mut stream = Stream::new(&plan, options, bytes.len() as u64);
    let mut out = Vec::new();
    stream.mark(bytes);
    stream.feed(bytes, &mut hooks, &mut out);
    out
}

/// Compares texts; the first line that differs is told.
fn same(what: &str, got: &[u8], want: &[u8]) -> Result<(), Failed> {
    if got == want {
        return Ok(());
    }
    let (mut ours, mut theirs) = (got.split(|&b| b == b'\n'), want.split(|&b| b == b'\n'));
    for line in 1.. {
        let (a, b) = (ours.next(), theirs.next());
        if a != b {
            let show = |l: Option<&[u8]>| l.map_or("(end)".to_owned(), |l| String::from_utf8_lossy(l).into_owned());
            return Err(format!("{what}, line {line}:\n  got  {}\n  want {}", show(a), show(b)).into());
        }
    }
    Ok(())
}

/// Random words, the same each time; a third are words of the pool with a bit turned.
fn random(pool: &[u8], size: usize) -> Vec<u8> {
    let mut x = 0x9e37_79b9_7f4a_7c15_u64;
    let mut next = || {
        x ^= x >> 12;
        x ^= x << 25;
        x ^= x >> 27;
        x.wrapping_mul(0x2545_f491_4f6c_dd1d)
    };
    let mut bytes = Vec::with_capacity(RANDOM * size);
    for i in 0..RANDOM {
        if i % 3 == 0 && pool.len() >= size {
            let at = (next() as usize % (pool.len() / size)) * size;
            let start = bytes.len();
            bytes.extend_from_slice(&pool[at..at + size]);
            let bit = next() as usize % (size * 8);
            bytes[start + bit / 8] ^= 1 << (bit % 8);
        } else {
            (0..size).for_each(|_| bytes.push((next() >> 32) as u8));
        }
    }
    bytes
}

fn description(corpus: &Path, (name, pools, more): (&str, &[u32], &[u32]), compiler: &str) -> Result<(), Failed> {
    let isa = load(&corpus.join(format!("xml/{name}/{name}.xml")))?;
    let (folder, program) = build(&isa, compiler)?;
    let size = (isa.format().max_bits / 8) as usize;
    let mut lines = 0;
    let mut last = Vec::new();
    for generation in pools {
        let (gen_, file) = (generation.to_string(), format!("corpus/{name}.gen{generation}.pool"));
        let bytes = unpack(&corpus.join(format!("{file}.bin.gz")))?;
        let want = unpack(&corpus.join(format!("{file}.txt.gz")))?;
        same(&file, &run(&program, &["-g", &gen_], &bytes)?, &want)?;
        lines += bytes.len() / size;
        last = bytes;
    }
    let random = random(&last, size);
    let few = &last[..last.len().min(TRACED * size)];
    let traced = &random[..TRACED * size];
    for generation in pools.iter().chain(more) {
        let gen_ = generation.to_string();
        let plain = Options { max_errors: 0, ..Options::default() };
        let entries: Vec<Entry> = [("one", 0u64), ("two", 7), ("also", 7), ("far", 1 << 31)]
            .map(|(name, offset)| Entry { offset, name: name.as_bytes().to_vec() })
            .into();
        let labels = Options { labels: true, entries, ..plain.clone() };
        let entry: Vec<&str> = "-l -e one:0 -e two:7 -e also:7 -e far:2147483648".split(' ').collect();
        let trace = || Driver { trace: true, ..Driver::default() };
        type Run<'r> = (&'r str, &'r [u8], Vec<&'r str>, Options, Driver);
        let runs: [Run<'_>; 8] = [
            ("random", &random, vec![], plain.clone(), Driver::default()),
            ("quiet", &random, vec!["-q"], Options { show_errors: false, ..plain.clone() }, Driver::default()),
            ("labels", &last, entry.clone(), labels.clone(), Driver::default()),
            ("random labels", &random, entry.clone(), labels.clone(), Driver::default()),
            ("trace", few, vec!["-t"], plain.clone(), trace()),
            ("random trace", traced, [vec!["-t"], entry].concat(), labels, trace()),
            ("max_errors", &random, vec!["-m", "3"], Options { max_errors: 3, ..plain.clone() }, Driver::default()),
            (
                "brackets",
                &random,
                vec!["-b", "-c", "-p"],
                plain,
                Driver { brackets: true, no_custom: true, prefix: true, ..Driver::default() },
            ),
        ];
        for (what, bytes, arguments, options, hooks) in runs {
            let got = run(&program, &[vec!["-g", &gen_], arguments].concat(), bytes)?;
            let want = engine(&isa, *generation, options, hooks, bytes);
            same(&format!("{name} gen {generation}, {what}"), &got, &want)?;
            lines += want.iter().filter(|&&b| b == b'\n').count();
        }
        // `isa_decode` tells what a line of its own would.
        let got = run(&program, &["-g", &gen_, "-d"], traced)?;
        let plan = Plan::new(&isa, *generation);
        let want: Vec<u8> = traced
            .chunks_exact(size)
            .map(|word| {
                let mut scopes = isaglot_codec::Scopes::new(&plan, true);
                let fine = shown(&mut scopes, &Word::from_le_bytes(word, size as u32 * 8));
                if fine { b'1' } else { b'0' }
            })
            .collect();
        same(&format!("{name} gen {generation}, isa_decode"), &got, &want)?;
    }
    stops(&isa, &program, pools[0], &last)?;
    if name == "afuc" {
        lines += sections(corpus, folder.path(), &program)?;
    }
    println!("{name} {compiler}: {lines} lines are the same");
    Ok(())
}

/// Whether a word is an instruction, and nothing is wrong with the fields that its text names.
fn shown(scopes: &mut isaglot_codec::Scopes<'_, '_>, word: &Word) -> bool {
    use isaglot_model::TemplatePart;
    let Some(scope) = scopes.enter(word) else { return false };
    let isa = scopes.plan().isa();
    if let Some(template) = scopes.template(scope) {
        for part in &isa[template].parts {
            if let TemplatePart::Field { name, .. } = part
                && scopes.resolve(scope, *name).is_none()
            {
                scopes.errors.no_field(isa.text(*name));
            }
        }
    }
    scopes.leave();
    scopes.errors.count() == 0
}

/// A callback that sets `stop`, and no options at all.
fn stops(isa: &Isa, program: &Path, generation: u32, bytes: &[u8]) -> Result<(), Failed> {
    let quiet = Options { show_errors: false, ..Options::default() };
    let whole = engine(isa, generation, quiet.clone(), Driver::default(), bytes);
    let got = run(program, &["-g", &generation.to_string(), "-q", "-s", "9"], bytes)?;
    let want: Vec<u8> = whole.split_inclusive(|&b| b == b'\n').take(10).flatten().copied().collect();
    same("stop", &got, &want)?;
    let none = Driver { no_custom: true, ..Driver::default() };
    same("no options", &run(program, &["-0"], bytes)?, &engine(isa, 0, quiet, none, bytes))
}

/// Whole sections of afuc's firmware, with labels, entry points and texts of custom fields.
fn sections(corpus: &Path, folder: &Path, program: &Path) -> Result<usize, Failed> {
    let mut lines = 0;
    for record in std::fs::read_to_string(corpus.join("afuc_sections.jsonl"))?.lines() {
        let record: Json = serde_json::from_str(record)?;
        let text = |key: &str| record[key].as_str().ok_or_else(|| format!("no `{key}`"));
        let mut bytes = Vec::new();
        for word in record["words"].as_array().ok_or("no words")? {
            let word = match word.as_str() {
                Some(hex) => u32::from_str_radix(hex, 16)?,
                None => word.as_u64().ok_or("no word")? as u32,
            };
            bytes.extend(word.to_le_bytes());
        }
        let names: String = record["custom_names"]
            .as_object()
            .ok_or("no names")?
            .iter()
            .map(|(key, text)| format!("{key} {}\n", text.as_str().unwrap_or("")))
            .collect();
        let file = folder.join("names");
        std::fs::write(&file, names)?;
        let generation = record["gen"].to_string();
        let mut arguments: Vec<String> = ["-q", "-l", "-b", "-g", &generation, "-n"].map(str::to_owned).into();
        arguments.push(file.to_string_lossy().into_owned());
        for entry in record["entrypoints"].as_array().ok_or("no entry points")? {
            arguments.push("-e".into());
            arguments.push(format!("{}:{}", entry["name"].as_str().unwrap_or(""), entry["offset"]));
        }
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        let want = text("expected_text")?;
        same(text("section")?, &run(program, &arguments, &bytes)?, want.as_bytes())?;
        lines += want.lines().count();
    }
    Ok(lines)
}

/// The small descriptions that each pin one rule.
fn micro(corpus: &Path, compiler: &str) -> Result<(), Failed> {
    let mut wrong = Vec::new();
    let mut total = 0;
    let mut folders: Vec<PathBuf> =
        std::fs::read_dir(corpus.join("micro"))?.map(|e| Ok(e?.path())).collect::<std::io::Result<_>>()?;
    folders.sort();
    for folder in folders.iter().filter(|f| f.is_dir()) {
        total += 1;
        let result = micro_one(folder, compiler);
        if let Err(e) = result {
            wrong.push(format!(
                "{}: {}",
                folder.file_name().unwrap_or_default().to_string_lossy(),
                e.message().unwrap_or("")
            ));
        }
    }
    println!("micro {compiler}: {}/{total}", total - wrong.len());
    if wrong.is_empty() && total > 0 { Ok(()) } else { Err(wrong.join("\n").into()) }
}

fn micro_one(folder: &Path, compiler: &str) -> Result<(), Failed> {
    let meta: Json = serde_json::from_str(&std::fs::read_to_string(folder.join("meta.json"))?)?;
    let isa = load(&folder.join("spec.xml"))?;
    let (_keep, program) = build(&isa, compiler)?;
    let mut arguments = vec!["-g".to_owned(), meta["gen"].to_string()];
    match &meta["flags"] {
        Json::Array(list) => arguments.extend(list.iter().filter_map(|f| f.as_str().map(str::to_owned))),
        flags => arguments.extend(flags.as_str().unwrap_or("").split_whitespace().map(str::to_owned)),
    }
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let got = run(&program, &arguments, &std::fs::read(folder.join("in.bin"))?)?;
    same("text", &got, &std::fs::read(folder.join("expected.txt"))?)
}
