//! Generated code against the engine: the same bytes for every word, wrong ones too.
//!
//! The tables of every description are run here as they are. As C they are compiled by gcc and by clang, with sanitizers:
//! all those whose words are as wide in one program, for their runtime is the same. Straight code is compiled for each
//! description of some size, as Rust and as C. Each program runs the description's pool, if there is one, and random words,
//! many of them almost instructions. Without a corpus there are the descriptions that the project ships.
//!
//! Sanitizers take most of the time of a compiler. Straight code calls the same runtime as the tables, so clang only checks
//! it for warnings, but for one description of each kind, and nothing is optimised; `ISAGLOT_FULL=1` runs all of it,
//! optimised, and the streams of a million instructions from the pools. `ISAGLOT_WORDS=1000000` takes so many random words besides.

mod support;

use std::path::{Path, PathBuf};
use std::process::Command;

use isaglot_asm::Options;
use isaglot_codec::Plan;
use isaglot_emit::Rust;
use isaglot_emit::blueprint::{Blueprint, limbs_for};
use isaglot_emit::c::C;
use isaglot_emit::runtime::out::Out;
use isaglot_emit::runtime::{decode, hooks, labels, read, scope, stream, tables, walk};
use isaglot_emit::stamp::Stamp;
use isaglot_model::Isa;
use isaglot_testing::{Failed, Random, Trial, bless, corpus, peer, suite, workspace};
use support::{COMPILERS, SANITIZE, STRICT, Subject, WARNINGS, said};

/// Random words that each form is tried with.
const WORDS: usize = 20_000;

/// How much a compiler optimises: it takes longer than what it makes, which runs for less than a second.
fn level() -> &'static str {
    if support::is_full() { "-O1" } else { "-O0" }
}

/// Descriptions of which also the form is compiled in which Rust runs tables, and a linter asked: one of each kind.
const KINDS: [&str; 4] = ["minnow", "rv32", "xe", "reserved"];

fn main() {
    let mut trials = Vec::new();
    let all = support::subjects();
    for subject in &all {
        let name = &subject.name;
        let of = subject.clone();
        trials.push(Trial::test(format!("tables_{name}"), move || tables(&of)));
        // The small ones have no forms of their own.
        if name.starts_with("micro_") {
            continue;
        }
        let forms = if KINDS.contains(&name.as_str()) { &[true, false][..] } else { &[true] };
        for &straight in forms {
            let of = subject.clone();
            let form = if straight { "rust" } else { "rust_tables" };
            trials.push(peer::trial(format!("{form}_{name}"), &[peer::RUSTC, peer::RUSTFMT], move || {
                rust(&of, straight)
            }));
        }
        for (compiler, present) in COMPILERS {
            let of = subject.clone();
            let runs = compiler == "gcc" || KINDS.contains(&name.as_str()) || support::is_full();
            trials.push(peer::trial(format!("c_{compiler}_{name}"), &[present], move || c(&of, compiler, runs)));
        }
    }
    for (compiler, present) in COMPILERS {
        let of = all.clone();
        trials.push(peer::trial(format!("c_{compiler}_tables"), &[present], move || c_tables(&of, compiler)));
    }
    if corpus::folder("isaspec").is_none() {
        trials.push(suite::no_corpus("isaspec"));
    }
    suite::run(trials)
}

/// Compares what generated code prints with what the engine prints.
fn compare(what: &str, got: &[u8], engine: &[u8]) -> Result<(), Failed> {
    bless::difference("engine", engine, got).map_err(|e| format!("{what}: {e}").into())
}

/// The streams that a description is tried with.
fn streams(subject: &Subject, plan: &Plan<'_>, words: usize) -> Result<Vec<Vec<u8>>, Failed> {
    let mut all = vec![support::stream(plan, words, 12345)];
    if let Some((pool, _)) = &subject.pool {
        let pool = corpus::bytes(pool)?;
        if support::is_full() {
            all.push(support::drawn(&pool, (plan.isa().format().max_bits / 8) as usize));
        }
        all.push(pool);
    }
    Ok(all)
}

/// How streams are printed: labels, errors, most bad ones in a row, Mesa 26, exactly.
const WAYS: [(bool, bool, u64, bool, bool); 5] = [
    (false, true, 0, false, false),
    (true, true, 0, false, false),
    (true, false, 0, true, false),
    (false, true, 0, false, true),
    (false, true, 5, true, false),
];

fn options(way: (bool, bool, u64, bool, bool)) -> Options {
    let (labels, show_errors, max_errors, mesa26, _) = way;
    Options {
        labels,
        show_errors,
        names: false,
        max_errors,
        entries: if labels { support::entries(60) } else { Vec::new() },
        compat: if mesa26 { isaglot_asm::Compat::Mesa26 } else { isaglot_asm::Compat::Mesa24 },
    }
}

/// Prints custom fields as the engine's hooks do.
struct Custom {
    exact: bool,
}

impl hooks::Hooks for Custom {
    fn wants_fields(&self) -> bool {
        self.exact
    }

    fn custom(&mut self, _: &str, value: u64, out: &mut Out<'_>) {
        out.bytes(format!("0x{value:03x}").as_bytes());
    }

    fn parse_custom(&mut self, _: &str, text: &[u8], way: usize) -> Option<(usize, u64)> {
        let digits = text.strip_prefix(b"0x")?;
        let len = digits.iter().take_while(|c| c.is_ascii_hexdigit()).count();
        let value = std::str::from_utf8(digits.get(..len)?).ok().and_then(|d| u64::from_str_radix(d, 16).ok())?;
        (way == 0).then_some((2 + len, value))
    }
}

/// Every text of a pool assembles to the word that the engine's assembler makes of it.
fn assembles(subject: &Subject, plan: &Plan<'_>, tables: &tables::Isa<'_>) -> Result<(), Failed> {
    let Some((_, pool)) = &subject.pool else { return Ok(()) };
    let names = isaglot_asm::Names::default();
    let mut engine = isaglot_asm::Assembler::new(plan, &names, isaglot_asm::Compat::Mesa24);
    let text = corpus::bytes(pool)?;
    for line in text.split(|&b| b == b'\n').filter(|line| !line.is_empty()) {
        let shown = || String::from_utf8_lossy(line).into_owned();
        let wanted = engine.assemble(line).map_err(|e| format!("{}: {e:?}", shown()))?;
        let got = read::read(tables, line, Default::default(), &mut Custom { exact: false });
        let (_, got) = got.map_err(|e| format!("{}: {e:?}", shown()))?;
        if got.iter().enumerate().any(|(i, &limb)| limb != wanted.limbs().get(i).copied().unwrap_or(0)) {
            return Err(format!("{}: {got:x?}, the engine {}", shown(), wanted.hex()).into());
        }
    }
    Ok(())
}

/// Texts that nothing prints as are refused, whatever they are.
fn refuses(tables: &tables::Isa<'_>) {
    let mut random = Random::new(4711);
    for _ in 0..50 {
        let len = random.index(40);
        let text: Vec<u8> = (0..len).map(|_| *random.pick(b"add.f r0x,()[]12 #-")).collect();
        // Never a panic; and what is found prints as the text, or it would not be found.
        let _ = read::read(tables, &text, Default::default(), &mut Custom { exact: false });
    }
}

fn tables(subject: &Subject) -> Result<(), Failed> {
    let isa = subject.load()?;
    let plan = subject.plan(&isa);
    let blueprint = Blueprint::new(&plan, tables::LIMBS).map_err(|e| e.0)?;
    assert!(blueprint.memo <= tables::MEMO && blueprint.nodes <= tables::NODES, "the constants of the runtime");
    let tables = blueprint.tables();
    for bytes in streams(subject, &plan, support::words(WORDS))? {
        for way in WAYS {
            let wanted = support::engine(&plan, options(way), &bytes, &mut support::Custom);
            let mut named = options(way).entries;
            named.sort();
            let entries: Vec<stream::Entry<'_>> =
                named.iter().map(|e| stream::Entry { offset: e.offset, name: &e.name }).collect();
            let places = bytes.len() as u64 / stream::place_bytes(&tables).max(1);
            let limbs = (places / 64 + 1) as usize;
            let (mut branches, mut calls, mut starts) = (vec![0; limbs], vec![0; limbs], vec![0; limbs]);
            let compat = if way.3 { isaglot_emit::runtime::print::Compat::Mesa26 } else { Default::default() };
            let options = stream::Options { show_errors: way.1, entries: &entries, max_errors: way.2, compat };
            let mut got = Vec::new();
            let mut sink = |text: &[u8]| got.extend_from_slice(text);
            let mut out = Out::new(&mut sink);
            let sets = (&mut branches, &mut calls);
            let targets = labels::Targets::new(places, sets.0, sets.1).with_starts(&mut starts);
            let targets = way.0.then_some(targets);
            let mut stream = stream::Stream::new(&tables, options, targets);
            stream.mark(&bytes);
            stream.feed(&bytes, &mut Custom { exact: way.4 }, &mut out);
            drop(out);
            compare(&format!("{} {way:?}", subject.name), &got, &wanted)?;
        }
    }
    refuses(&tables);
    comes_back(&plan, &tables, &support::stream(&plan, support::words(WORDS) / 4, 12345))?;
    assembles(subject, &plan, &tables)
}

/// Instructions come apart and together.
fn comes_back(plan: &Plan<'_>, tables: &tables::Isa<'_>, bytes: &[u8]) -> Result<(), Failed> {
    let mut rest = bytes;
    while let Some(fetched) = decode::fetch(tables, rest) {
        rest = rest.get((fetched.bits / 8) as usize..).unwrap_or(&[]);
        if !fetched.known {
            continue;
        }
        let mut events = Vec::new();
        let decode::Match::One(leaf) = decode::select(tables, tables.root, &fetched.word, fetched.bits) else {
            continue;
        };
        if !scope::takes(tables, leaf, &fetched.word) {
            continue;
        }
        walk::walk(tables, &fetched.word, fetched.bits, &mut |event| events.push(event));
        let made = walk::encode(tables, leaf, &events);
        if made != Ok(fetched.word) {
            return Err(format!("{:x?} of {} becomes {made:x?}", fetched.word, plan.isa().name()).into());
        }
    }
    Ok(())
}

/// Runs a command; its output if it succeeds.
fn run(command: &mut Command) -> Result<Vec<u8>, Failed> {
    let out = command.output()?;
    if out.status.success() {
        return Ok(out.stdout);
    }
    let text = [out.stderr, out.stdout].concat();
    Err(String::from_utf8_lossy(&text).lines().take(40).collect::<Vec<_>>().join("\n").into())
}

/// A compiled driver: the program, what it is always told, and the folder for its inputs.
struct Driver<'d> {
    program: PathBuf,
    always: Vec<String>,
    dir: &'d Path,
}

impl Driver<'_> {
    fn command(&self) -> Command {
        let mut command = Command::new(&self.program);
        command.args(&self.always);
        command
    }
}

/// Runs the driver over every stream, every way, and compares with the engine.
fn drive(subject: &Subject, plan: &Plan<'_>, driver: &Driver<'_>) -> Result<(), Failed> {
    for bytes in streams(subject, plan, support::words(WORDS))? {
        let input = driver.dir.join("in.bin");
        std::fs::write(&input, &bytes)?;
        for way in WAYS {
            let (labels, show_errors, max_errors, mesa26, exact) = way;
            let options = options(way);
            let mut command = driver.command();
            for (wanted, flag) in [(labels, "-l"), (!show_errors, "-q"), (mesa26, "-f"), (exact, "-x")] {
                command.args(wanted.then_some(flag));
            }
            if max_errors > 0 {
                command.args(["-m", &max_errors.to_string()]);
            }
            command.arg(&input);
            for entry in &options.entries {
                command.arg(format!("{}:{}", String::from_utf8_lossy(&entry.name), entry.offset));
            }
            let wanted = support::engine(plan, options, &bytes, &mut support::Custom);
            compare(&format!("{} {way:?}", subject.name), &run(&mut command)?, &wanted)?;
        }
    }
    Ok(())
}

/// The generated crate is compiled without a warning, its own tests run, and a program that uses it.
fn rust(subject: &Subject, straight: bool) -> Result<(), Failed> {
    let isa = subject.load()?;
    let plan = subject.plan(&isa);
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("rust_{straight}_{}", subject.name));
    support::write(&Rust::new(&plan).map_err(|e| e.0)?.named("isaglot").straight(straight).files(), &dir)?;
    let rustc = |args: &[&str]| {
        let mut command = Command::new("rustc");
        command.current_dir(&dir).args(["--edition", "2024", "-D", "warnings"]).args(args);
        command
    };
    let optimise = if support::is_full() { "opt-level=1" } else { "opt-level=0" };
    said(&mut rustc(&["-C", optimise, "--crate-name", "isaglot", "--crate-type", "lib", "src/lib.rs"]))?;
    said(Command::new("rustfmt").current_dir(&dir).args(["--edition", "2024", "--check", "src/lib.rs"]))?;
    if KINDS.contains(&subject.name.as_str()) {
        said(&mut rustc(&["--crate-name", "isaglot", "--test", "src/lib.rs", "-o", "own_tests"]))?;
        said(Command::new(dir.join("own_tests")).arg("-q"))?;
        let mut clippy = Command::new("cargo");
        let lints = ["clippy", "--quiet", "--offline", "--target-dir", "clippy", "--", "-D", "warnings"];
        said(clippy.current_dir(&dir).args(lints))?;
    }
    let driver = workspace().join("crates/emit/tests/rust/driver.rs");
    said(&mut rustc(&["--extern", "isaglot=libisaglot.rlib", &driver.to_string_lossy(), "-o", "driver"]))?;
    let driver = Driver { program: dir.join("driver"), always: Vec::new(), dir: &dir };
    drive(subject, &plan, &driver)?;
    again(subject, &plan, &driver)?;
    assembled(subject, &plan, &driver)
}

/// Compiles the driver of the tests with generated C.
fn compiled(compiler: &str, dir: &Path, flags: &[&[&str]]) -> Result<PathBuf, Failed> {
    let (driver, program) = (workspace().join("crates/emit/tests/c/driver.c"), dir.join("driver"));
    let include = [format!("-I{}", dir.display())];
    let include = include.each_ref().map(String::as_str);
    let flags = [&[WARNINGS, STRICT, &include], flags].concat();
    support::compile(compiler, &flags, &[&driver, &dir.join("isaglot.c")], &program)?;
    Ok(program)
}

/// Straight code in C: run, or only checked for warnings.
fn c(subject: &Subject, compiler: &str, runs: bool) -> Result<(), Failed> {
    let isa = subject.load()?;
    let plan = subject.plan(&isa);
    let blueprint = Blueprint::new(&plan, limbs_for(&isa)).map_err(|e| e.0)?;
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("c_{compiler}_{}", subject.name));
    support::write(&C::new(&blueprint, Stamp::new(&plan, 0, ""), "isaglot").files(), &dir)?;
    if !runs {
        return support::compile(compiler, &[WARNINGS, STRICT, &["-fsyntax-only"]], &[&dir.join("isaglot.c")], &dir);
    }
    let program = compiled(compiler, &dir, &[&[level()], SANITIZE])?;
    let driver = Driver { program, always: Vec::new(), dir: &dir };
    drive(subject, &plan, &driver)?;
    again(subject, &plan, &driver)?;
    assembled(subject, &plan, &driver)
}

/// The tables of all descriptions in C, one program for those whose words have as many limbs.
fn c_tables(subjects: &[Subject], compiler: &str) -> Result<(), Failed> {
    let loaded: Result<Vec<(&Subject, Isa)>, String> = subjects.iter().map(|of| Ok((of, of.load()?))).collect();
    let loaded = loaded?;
    let mut sizes: Vec<usize> = loaded.iter().map(|(_, isa)| limbs_for(isa)).collect();
    sizes.sort_unstable();
    sizes.dedup();
    let mut wrong = Vec::new();
    for limbs in sizes {
        let these: Vec<&(&Subject, Isa)> = loaded.iter().filter(|(_, isa)| limbs_for(isa) == limbs).collect();
        let plans: Vec<Plan<'_>> = these.iter().map(|(subject, isa)| subject.plan(isa)).collect();
        let blueprints: Result<Vec<Blueprint<'_>>, _> = plans.iter().map(|plan| Blueprint::new(plan, limbs)).collect();
        let blueprints = blueprints.map_err(|e| e.0)?;
        let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("c_{compiler}_tables_{limbs}"));
        std::fs::create_dir_all(&dir)?;
        // The header is that of the widest.
        let widest = blueprints.iter().max_by_key(|b| b.max_bits).ok_or("no description")?;
        let stamp = Stamp::new(&plans[0], 0, "");
        std::fs::write(dir.join("isaglot.h"), C::new(widest, stamp, "isaglot").header())?;
        std::fs::write(dir.join("isaglot.c"), several(&blueprints))?;
        let program = compiled(compiler, &dir, &[&[level()], SANITIZE, &["-DSEVERAL"]])?;
        for (i, ((subject, _), plan)) in these.iter().zip(&plans).enumerate() {
            let always = vec!["-n".to_owned(), i.to_string()];
            let driver = Driver { program: program.clone(), always, dir: &dir };
            let all = drive(subject, plan, &driver).and_then(|()| again(subject, plan, &driver));
            if let Err(e) = all.and_then(|()| assembled(subject, plan, &driver)) {
                wrong.push(format!("{}: {}", subject.name, e.message().unwrap_or("")));
            }
        }
    }
    if wrong.is_empty() { Ok(()) } else { Err(wrong.join("\n").into()) }
}

/// The source of a codec of which `isaglot_choose` says, by number, what it is of.
fn several(blueprints: &[Blueprint<'_>]) -> String {
    let mut out =
        String::from("#include \"isaglot.h\"\n#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n\n");
    out += &isaglot_emit::c::constants(&blueprints.iter().collect::<Vec<_>>());
    for part in isaglot_emit::c::RUNTIME.iter().chain(isaglot_emit::c::MORE) {
        out += part;
    }
    let mut all = String::new();
    for (i, blueprint) in blueprints.iter().enumerate() {
        out += &isaglot_emit::c::tables::write(blueprint, &format!("of_{i}"));
        all += &format!("   &of_{i},\n");
    }
    out += &format!("static const struct isa *const all[] = {{\n{all}}};\nstatic const struct isa *chosen = &of_0;\n");
    out += "#define tables (*chosen)\nvoid isaglot_choose(size_t number);\n";
    out += "void isaglot_choose(size_t number)\n{\n   chosen = all[number];\n}\n";
    out + isaglot_emit::c::PUBLIC
}

/// Texts of the pool assemble to the words that the engine's assembler makes of them.
fn assembled(subject: &Subject, plan: &Plan<'_>, driver: &Driver<'_>) -> Result<(), Failed> {
    let Some((_, pool)) = &subject.pool else { return Ok(()) };
    let names = isaglot_asm::Names::default();
    let mut engine = isaglot_asm::Assembler::new(plan, &names, isaglot_asm::Compat::Mesa24);
    // All of them are assembled by the tables that run here.
    let step = if support::is_full() { 1 } else { 5 };
    let pool = corpus::bytes(pool)?;
    let lines: Vec<&[u8]> = pool.split(|&b| b == b'\n').filter(|line| !line.is_empty()).step_by(step).collect();
    let input = driver.dir.join("in.txt");
    std::fs::write(&input, lines.join(&b'\n'))?;
    let got = run(driver.command().arg("-a").arg(&input))?;
    let mut words = got.split(|&b| b == b'\n');
    for line in lines {
        let shown = String::from_utf8_lossy(line);
        let wanted = engine.assemble(line).map_err(|e| format!("{shown}: {e:?}"))?;
        let limbs: Vec<String> = wanted.limbs().iter().rev().map(|limb| format!("{limb:016x}")).collect();
        let word = String::from_utf8_lossy(words.next().unwrap_or(&[])).into_owned();
        if word != limbs.concat() {
            return Err(format!("{shown}: generated {word}, the engine {}", limbs.concat()).into());
        }
    }
    Ok(())
}

/// Instructions come apart and together.
fn again(subject: &Subject, plan: &Plan<'_>, driver: &Driver<'_>) -> Result<(), Failed> {
    let input = driver.dir.join("in.bin");
    for bytes in streams(subject, plan, support::words(WORDS) / 4)? {
        std::fs::write(&input, &bytes)?;
        run(driver.command().arg("-r").arg(&input))?;
    }
    Ok(())
}
