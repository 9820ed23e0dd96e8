//! The disassembler for drivers against the corpus: a C driver that uses every option and callback gets the reference's
//! text, and its callbacks are called in the reference's order.

mod support;

use std::path::{Path, PathBuf};

use isaglot_asm::{Entry, Hooks, Options, Stream, Value};
use isaglot_bits::Word;
use isaglot_codec::Plan;
use isaglot_emit::isaspec;
use isaglot_model::Isa;
use isaglot_source::Diagnostics;
use isaglot_testing::{Failed, Random, Tally, bless, corpus, ledger, peer, suite};
use serde_json::Value as Json;
use support::{COMPILERS, SANITIZE, STRICT, WARNINGS, compile, load, run, write};

/// Description, the gens of its pools, more gens to ask for.
const SETS: [(&str, &[u32], &[u32]); 3] =
    [("ir3", &[600, 700], &[0, 420, 540, 699]), ("afuc", &[6, 7], &[5]), ("etnaviv", &[0], &[7])];

/// Words of a pool that are printed with a trace: it is several times as long as the text.
const TRACED: usize = 4_000;

/// Random words that are printed besides: most are wrong somehow.
const RANDOM: usize = 20_000;

fn main() {
    suite::run_corpus("isaspec", |folder| {
        let mut trials = Vec::new();
        for (compiler, present) in COMPILERS {
            for set in SETS {
                let (name, folder) = (format!("isaspec_driver_{}_{compiler}", set.0), folder.to_owned());
                trials.push(peer::trial(name, &[present], move || description(&folder, set, compiler)));
            }
            if compiler == "gcc" {
                for set in SETS {
                    let (name, here) = (format!("isaspec_driver_{}_small", set.0), folder.to_owned());
                    trials.push(peer::trial(name, &[present], move || small(&here, set)));
                    let (name, here) = (format!("isaspec_driver_{}_release", set.0), folder.to_owned());
                    trials.push(peer::trial(name, &[present], move || release(&here, set.0)));
                }
            }
            // The runtime is the same for all: once is enough for its small tables.
            if compiler == "gcc" || support::is_full() {
                let (name, folder) = (format!("isaspec_driver_micro_{compiler}"), folder.to_owned());
                trials.push(peer::trial(name, &[present], move || micro(&folder, compiler)));
            }
        }
        trials
    })
}

/// The most bytes that the small form of a description takes, compiled with `-O2`.
const SMALL_BYTES: [(&str, u64); 3] = [("ir3", 360_000), ("afuc", 90_000), ("etnaviv", 120_000)];

/// The small form prints the same, and is small.
fn small(folder: &Path, (name, pools, more): (&str, &[u32], &[u32])) -> Result<(), Failed> {
    let isa = load(&folder.join(format!("xml/{name}/{name}.xml")))?;
    let (built, program) = build_as(&isa, "gcc", &["-O1"], true)?;
    let size = (isa.format().max_bits / 8) as usize;
    let mut last = Vec::new();
    for generation in pools {
        let file = format!("corpus/{name}.gen{generation}.pool");
        let bytes = corpus::bytes(&folder.join(format!("{file}.bin.gz")))?;
        let want = corpus::bytes(&folder.join(format!("{file}.txt.gz")))?;
        same(&file, &run(&program, &["-g", &generation.to_string()], &bytes)?, &want)?;
        last = bytes;
    }
    let random = random(&last, size);
    for generation in pools.iter().chain(more) {
        let got = run(&program, &["-g", &generation.to_string(), "-l"], &random)?;
        let options = Options { max_errors: 0, labels: true, ..Options::default() };
        let want = engine(&isa, *generation, options, Driver::default(), &random);
        same(&format!("{name} gen {generation}, random"), &got, &want)?;
    }
    let object = built.path().join("small.o");
    let mut command = std::process::Command::new("gcc");
    support::said(command.args(["-std=c11", "-O2", "-c"]).arg(built.path().join("test-isa.c")).arg("-o").arg(&object))?;
    let table = support::said(std::process::Command::new("size").arg(&object))?;
    let bytes = table.lines().nth(1).and_then(|row| row.split_whitespace().nth(3)).ok_or("no size")?.parse::<u64>()?;
    let most = SMALL_BYTES.iter().find(|(known, _)| *known == name).map_or(0, |(_, most)| *most);
    println!("{name}: {bytes} bytes of code and tables, at most {most}");
    if bytes <= most { Ok(()) } else { Err("the small form is not small".into()) }
}

/// The descriptions of a later release: random words for every gen, in both forms.
fn release(folder: &Path, name: &str) -> Result<(), Failed> {
    let folder = folder.join("xml-25.0");
    let isa = load(&folder.join(format!("{name}/{name}.xml")))?;
    let bytes = corpus::bytes(&folder.join(format!("{name}.words.bin.gz")))?;
    let mut texts = corpus::files(&folder, ".words.txt.gz");
    texts.retain(|file| corpus::name(file).starts_with(name));
    for is_small in [false, true] {
        let (_keep, program) = build_as(&isa, "gcc", &["-O1"], is_small)?;
        for file in &texts {
            let title = corpus::name(file);
            let generation = title.split('.').nth(1).and_then(|part| part.strip_prefix("gen")).ok_or("no gen")?;
            same(&title, &run(&program, &["-g", generation], &bytes)?, &corpus::bytes(file)?)?;
        }
    }
    println!("{name} of the later release: the words of {} gens are the same", texts.len());
    if texts.is_empty() { Err("there are no texts".into()) } else { Ok(()) }
}

/// A driver for a description: the program, and the folder that it is in.
fn build(isa: &Isa, compiler: &str, watched: &[&str]) -> Result<(tempfile::TempDir, PathBuf), Failed> {
    build_as(isa, compiler, watched, false)
}

fn build_as(isa: &Isa, compiler: &str, watched: &[&str], small: bool) -> Result<(tempfile::TempDir, PathBuf), Failed> {
    let folder = tempfile::tempdir()?;
    let options = isaspec::Options {
        prefix: "test",
        stamp: "for a test",
        command: "",
        mesa26: false,
        small,
        header: None,
        features: &[],
    };
    let mut out = Diagnostics::new();
    let files = isaspec::c(isa, &isaspec::parts(isa), &options, &mut out).ok_or_else(|| format!("{out:?}"))?;
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
    compile(compiler, &[WARNINGS, STRICT, watched], &[&paths[0], &paths[1]], &paths[2])?;
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
    bless::difference("expected", want, got).map_err(|e| format!("{what}: {e}").into())
}

/// Random words, the same each time; a third are words of the pool with one bit changed.
fn random(pool: &[u8], size: usize) -> Vec<u8> {
    let mut random = Random::new(0x9e37_79b9_7f4a_7c15);
    let mut bytes = Vec::with_capacity(RANDOM * size);
    for i in 0..RANDOM {
        if i % 3 == 0 && pool.len() >= size {
            let at = random.index(pool.len() / size) * size;
            let mut word = pool[at..at + size].to_vec();
            let bit = random.index(size * 8);
            word[bit / 8] ^= 1 << (bit % 8);
            bytes.extend(word);
        } else {
            bytes.extend(random.bytes(size));
        }
    }
    bytes
}

fn description(folder: &Path, (name, pools, more): (&str, &[u32], &[u32]), compiler: &str) -> Result<(), Failed> {
    let isa = load(&folder.join(format!("xml/{name}/{name}.xml")))?;
    let (built, program) = build(&isa, compiler, SANITIZE)?;
    let size = (isa.format().max_bits / 8) as usize;
    let mut lines = 0;
    let mut last = Vec::new();
    for generation in pools {
        let (gen_, file) = (generation.to_string(), format!("corpus/{name}.gen{generation}.pool"));
        let bytes = corpus::bytes(&folder.join(format!("{file}.bin.gz")))?;
        let want = corpus::bytes(&folder.join(format!("{file}.txt.gz")))?;
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
        lines += sections(folder, built.path(), &program)?;
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
fn sections(folder: &Path, scratch: &Path, program: &Path) -> Result<usize, Failed> {
    let mut lines = 0;
    for record in corpus::text(&folder.join("afuc_sections.jsonl"))?.lines() {
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
        let file = scratch.join("names");
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
fn micro(folder: &Path, compiler: &str) -> Result<(), Failed> {
    let mut tally = Tally::default();
    for entry in std::fs::read_dir(folder.join("micro"))? {
        let path = entry?.path();
        if path.is_dir() {
            let row = micro_one(&path, compiler).map_err(|e| e.message().unwrap_or("it failed").to_owned());
            tally.row("micro", corpus::name(&path), row);
        }
    }
    Ok(ledger::check(env!("CARGO_MANIFEST_DIR"), "isaspec_driver", &tally)?)
}

fn micro_one(folder: &Path, compiler: &str) -> Result<(), Failed> {
    let meta: Json = serde_json::from_str(&std::fs::read_to_string(folder.join("meta.json"))?)?;
    let isa = load(&folder.join("spec.xml"))?;
    // Sanitizers are for the runtime, which is the same as that of the large descriptions, and take most of the time.
    let watched = if support::is_full() { SANITIZE } else { &[] };
    let (_keep, program) = build(&isa, compiler, watched)?;
    let mut arguments = vec!["-g".to_owned(), meta["gen"].to_string()];
    match &meta["flags"] {
        Json::Array(list) => arguments.extend(list.iter().filter_map(|f| f.as_str().map(str::to_owned))),
        flags => arguments.extend(flags.as_str().unwrap_or("").split_whitespace().map(str::to_owned)),
    }
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let got = run(&program, &arguments, &std::fs::read(folder.join("in.bin"))?)?;
    same("text", &got, &std::fs::read(folder.join("expected.txt"))?)
}
