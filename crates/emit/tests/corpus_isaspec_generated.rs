//! Generated code against the engine: the same bytes for every word, wrong ones too.
//!
//! The tables of a blueprint are run here as they are; as C they are compiled, by gcc and by clang, with sanitizers, and
//! run as a program. What a description is run with is its pool, if there is one, and random words, many of them almost
//! instructions. Without a corpus the descriptions that the project ships are all there is.

mod support;

use std::path::{Path, PathBuf};
use std::process::Command;

use isaglot_asm::Options;
use isaglot_emit::blueprint::{Blueprint, limbs_for};
use isaglot_emit::c::C;
use isaglot_emit::runtime::out::Out;
use isaglot_emit::runtime::{hooks, labels, stream, tables};
use isaglot_emit::stamp::Stamp;
use libtest_mimic::{Arguments, Failed, Trial};
use support::Subject;

/// Random words that each form is tried with.
const WORDS: usize = 20_000;

/// Flags of both compilers.
const FLAGS: &[&str] = &[
    "-std=c11",
    "-O1",
    "-g",
    "-Wall",
    "-Wextra",
    "-Wconversion",
    "-pedantic",
    "-Werror",
    "-fsanitize=address,undefined",
    "-fno-sanitize-recover=all",
];

fn main() {
    let mut trials = Vec::new();
    for subject in support::subjects() {
        let name = subject.name.clone();
        let of = subject.clone();
        trials.push(Trial::test(format!("tables_{name}"), move || tables(&of)));
        for compiler in ["gcc", "clang"] {
            let of = subject.clone();
            let missing = Command::new(compiler).arg("--version").output().is_err();
            let required = std::env::var_os("ISAGLOT_REQUIRE_PEERS").is_some();
            let trial = Trial::test(format!("c_{compiler}_{name}"), move || c(&of, compiler));
            trials.push(trial.with_ignored_flag(missing && !required));
        }
    }
    if support::corpus().is_none() {
        trials.push(Trial::test("corpus", || Ok(())).with_ignored_flag(true));
    }
    libtest_mimic::run(&Arguments::from_args(), trials).exit();
}

/// The streams that a description is tried with.
fn streams(subject: &Subject, plan: &isaglot_codec::Plan<'_>, words: usize) -> Vec<Vec<u8>> {
    let mut all = vec![support::stream(plan, words, 12345)];
    if let Some((pool, _)) = &subject.pool {
        all.push(support::unpack(pool));
    }
    all
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
}

fn tables(subject: &Subject) -> Result<(), Failed> {
    let isa = subject.load();
    let plan = subject.plan(&isa);
    let blueprint = Blueprint::new(&plan, tables::LIMBS).map_err(|e| e.0)?;
    assert!(blueprint.memo <= tables::MEMO && blueprint.nodes <= tables::NODES, "the constants of the runtime");
    let tables = blueprint.tables();
    for bytes in streams(subject, &plan, support::words(WORDS)) {
        for way in WAYS {
            let wanted = support::engine(&plan, options(way), &bytes, &mut support::Custom);
            let mut named = options(way).entries;
            named.sort();
            let entries: Vec<stream::Entry<'_>> =
                named.iter().map(|e| stream::Entry { offset: e.offset, name: &e.name }).collect();
            let places = bytes.len() as u64 / stream::place_bytes(&tables).max(1);
            let limbs = (places / 64 + 1) as usize;
            let (mut branches, mut calls) = (vec![0; limbs], vec![0; limbs]);
            let compat = if way.3 { isaglot_emit::runtime::print::Compat::Mesa26 } else { Default::default() };
            let options = stream::Options { show_errors: way.1, entries: &entries, max_errors: way.2, compat };
            let mut got = Vec::new();
            let mut sink = |text: &[u8]| got.extend_from_slice(text);
            let mut out = Out::new(&mut sink);
            let targets = way.0.then(|| labels::Targets::new(places, &mut branches, &mut calls));
            let mut stream = stream::Stream::new(&tables, options, targets);
            stream.mark(&bytes);
            stream.feed(&bytes, &mut Custom { exact: way.4 }, &mut out);
            drop(out);
            support::compare(&format!("{} {way:?}", subject.name), &got, &wanted)?;
        }
    }
    Ok(())
}

/// Compiles the driver of the tests with generated C.
fn compiled(compiler: &str, dir: &Path, flags: &[&str]) -> Result<PathBuf, Failed> {
    let driver = support::root().join("crates/emit/tests/c/driver.c");
    let program = dir.join("driver");
    let mut command = Command::new(compiler);
    command.args(flags).arg("-I").arg(dir).arg(driver).arg(dir.join("isaglot.c")).arg("-o").arg(&program);
    let out = command.output()?;
    if !out.status.success() {
        return Err(String::from_utf8_lossy(&out.stderr).lines().take(30).collect::<Vec<_>>().join("\n").into());
    }
    Ok(program)
}

fn c(subject: &Subject, compiler: &str) -> Result<(), Failed> {
    let isa = subject.load();
    let plan = subject.plan(&isa);
    let blueprint = Blueprint::new(&plan, limbs_for(&isa)).map_err(|e| e.0)?;
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("c_{compiler}_{}", subject.name));
    C::new(&blueprint, Stamp::new(&plan, 0, ""), "isaglot").files().write(&dir)?;
    let program = compiled(compiler, &dir, FLAGS)?;
    for bytes in streams(subject, &plan, support::words(WORDS)) {
        let input = dir.join("in.bin");
        std::fs::write(&input, &bytes)?;
        for way in WAYS {
            let (labels, show_errors, max_errors, mesa26, exact) = way;
            let options = options(way);
            let mut command = Command::new(&program);
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
            let wanted = support::engine(&plan, options, &bytes, &mut support::Custom);
            let got = command.output()?;
            if !got.status.success() {
                return Err(String::from_utf8_lossy(&got.stderr).into_owned().into());
            }
            support::compare(&format!("{} {way:?}", subject.name), &got.stdout, &wanted)?;
        }
    }
    Ok(())
}
