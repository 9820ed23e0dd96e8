//! Programs of C and C++ with the library: the examples print what they always print, and the driver finds nothing, also while a
//! sanitizer or valgrind watches.

use std::path::{Path, PathBuf};
use std::process::Command;

use isaglot_testing::peer::{self, Peer};
use isaglot_testing::{Failed, Trial, bless};

use crate::build::{CLANG, CLANGXX, Compiler, GCC, GXX, Library, SANITIZE, compile, driver, example, run};
use crate::header::folder;
use crate::install::ELF;

/// What every program here needs: the library is installed, and found by pkg-config.
pub(crate) const NEEDS: [Peer; 3] = [ELF, peer::GCC, peer::PKG_CONFIG];

/// Valgrind, with a status of its own for what it finds: also memory that is still there at the end.
const VALGRIND: [&str; 6] = [
    "valgrind",
    "-q",
    "--error-exitcode=9",
    "--leak-check=full",
    "--show-leak-kinds=all",
    "--errors-for-leak-kinds=all",
];

/// A program of a test: what compiles it, how, and what watches it.
#[derive(Clone, Copy)]
struct Way {
    name: &'static str,
    compiler: Compiler,
    library: Library,
    flags: &'static [&'static str],
    under: &'static [&'static str],
    needs: &'static [Peer],
}

const WAYS: [Way; 6] = [
    Way { name: "gcc", compiler: GCC, library: Library::Shared, flags: &[], under: &[], needs: &[] },
    Way { name: "clang", compiler: CLANG, library: Library::Shared, flags: &[], under: &[], needs: &[peer::CLANG] },
    Way { name: "static", compiler: GCC, library: Library::Static, flags: &[], under: &[], needs: &[] },
    Way {
        name: "gcc_sanitizers",
        compiler: GCC,
        library: Library::Static,
        flags: &SANITIZE,
        under: &[],
        needs: &[peer::GCC_SANITIZERS],
    },
    Way {
        name: "clang_sanitizers",
        compiler: CLANG,
        library: Library::Shared,
        flags: &SANITIZE,
        under: &[],
        needs: &[peer::CLANG_SANITIZERS],
    },
    Way {
        name: "valgrind",
        compiler: GCC,
        library: Library::Shared,
        flags: &["-g"],
        under: &VALGRIND,
        needs: &[peer::VALGRIND],
    },
];

/// All tests of programs.
pub(crate) fn trials() -> Vec<Trial> {
    let mut trials = Vec::new();
    for way in WAYS {
        let needs: Vec<Peer> = NEEDS.iter().chain(way.needs).copied().collect();
        trials.push(peer::trial(format!("driver_{}", way.name), &needs, move || all(way)));
        trials.push(peer::trial(format!("example_words_{}", way.name), &needs, move || words(way)));
    }
    for (name, compiler, peer) in [("g++", GXX, peer::GXX), ("clang++", CLANGXX, peer::CLANGXX)] {
        let needs = [NEEDS[0], NEEDS[1], NEEDS[2], peer];
        trials.push(peer::trial(format!("example_tour_{name}"), &needs, move || tour(name, compiler)));
    }
    trials.push(peer::trial("page", &NEEDS, page));
    trials.push(peer::trial("calls_do_not_grow", &NEEDS, grow));
    trials
}

/// Runs a program the way that is asked for.
fn ask(way: Way, program: &Path, args: &[&str], input: &str) -> Result<String, Failed> {
    let mut command = match way.under.split_first() {
        Some((first, rest)) => {
            let mut command = Command::new(first);
            let known = folder().join("tests/c/valgrind.supp");
            command.args(rest).arg(format!("--suppressions={}", known.display())).arg(program);
            command
        }
        None => Command::new(program),
    };
    run(command.args(args), input)
}

/// Every function: with NULL, with wrong arguments, as it should be, and from eight threads.
fn all(way: Way) -> Result<(), Failed> {
    let program = compile(way.compiler, &driver(), way.library, way.flags, &format!("driver-{}", way.name))?;
    ask(way, &program, &["null"], "")?;
    ask(way, &program, &["wrong"], "")?;
    let compiled = compiled(way.name)?;
    let said = ask(way, &program, &["right", &compiled.display().to_string()], "")?;
    bless::golden(&folder().join("tests/c/golden/driver.txt"), &said)?;
    // What watches makes it up to a hundred times as slow.
    let rounds = match (way.under, way.flags) {
        ([], []) => "100",
        ([], _) => "40",
        _ => "5",
    };
    // An explanation reads the whole description of RISC-V, which takes minutes under valgrind.
    let threads = if way.under.is_empty() { "rv64gc" } else { "minnow" };
    ask(way, &program, &["threads", threads, rounds], "")?;
    ask(way, &program, &["threads", "xehpc", "5"], "")?;
    // What watches keeps what was freed, and finds by itself what was not.
    let most = if way.under.is_empty() && way.flags.is_empty() { "4096" } else { "100000000" };
    ask(way, &program, &["calls", "minnow", rounds, most], "").map(drop)
}

/// A compiled description, in a file for this test alone.
fn compiled(name: &str) -> Result<PathBuf, Failed> {
    let minnow = isaglot::Description::shipped("minnow").map_err(|e| e.to_string())?;
    let bytes = isaglot::model::compiled::to_bytes(&isaglot::model::compiled::Header::default(), minnow.isa());
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("c-{name}.isa"));
    std::fs::write(&path, bytes)?;
    Ok(path)
}

/// The example in C, on words of a small machine.
fn words(way: Way) -> Result<(), Failed> {
    let program = compile(way.compiler, &example("words.c"), way.library, way.flags, &format!("words-{}", way.name))?;
    let input = std::fs::read_to_string(folder().join("tests/c/golden/words.hex"))?;
    let said = ask(way, &program, &["minnow", "-g", "v2"], &input)?;
    bless::golden(&folder().join("tests/c/golden/words.txt"), &said).map_err(Failed::from)
}

/// The example in C++.
fn tour(name: &str, compiler: Compiler) -> Result<(), Failed> {
    let program = compile(compiler, &example("tour.cpp"), Library::Shared, &[], &format!("tour-{name}"))?;
    let said = run(&mut Command::new(program), "")?;
    bless::golden(&folder().join("tests/c/golden/tour.txt"), &said).map_err(Failed::from)
}

/// The program of `docs/c.md` prints what the page says.
fn page() -> Result<(), Failed> {
    let page = std::fs::read_to_string(isaglot_testing::workspace().join("docs/c.md"))?;
    let block = |start: &str| {
        let (_, rest) = page.split_once(start)?;
        rest.split_once("\n```").map(|(block, _)| format!("{block}\n"))
    };
    let source = block("```c first.c\n").ok_or("no block of C")?;
    let said = block("$ ./first # needs libisaglot\n").ok_or("no output")?;
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("c-first.c");
    std::fs::write(&path, source)?;
    let program = compile(GCC, &path, Library::Shared, &[], "first")?;
    bless::difference("page", said.as_bytes(), run(&mut Command::new(program), "")?.as_bytes()).map_err(Failed::from)
}

/// The most that a process grows by, in KiB, over any number of calls: what an allocator keeps.
const MOST_GROWN: &str = "2048";

/// Many calls take no more memory than few: all of them with `ISAGLOT_FULL=1`.
fn grow() -> Result<(), Failed> {
    let program = compile(GCC, &driver(), Library::Shared, &[], "driver-grow")?;
    let rounds = if crate::is_full() { "1000000" } else { "3000" };
    run(Command::new(&program).args(["calls", "minnow", rounds, MOST_GROWN]), "").map(drop)
}
