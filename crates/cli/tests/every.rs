//! Every verb with every name: what `--isa NAME` means in one, it means in all. A verb works, or refuses with one sentence.
//! The table of what works is a golden, so that a name that a verb no longer knows is seen.
//!
//! "Works" is more than an exit status: what is disassembled is assembled again to the same bytes, and its first instruction is
//! explained by its text.
//!
//! Outside of `.ci/run` five names are tried: the program starts a thousand times for all of them.

use std::fmt::Write as _;
use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};

use isaglot_testing::{Failed, Trial, bless, peer, suite, workspace};

/// What a program of each description is: a file that comes with the project, or bytes in hex.
const PROGRAMS: [(&str, &str); 5] = [
    ("minnow", "specs/minnow/sum.bin"),
    ("trio", "specs/trio/dot.bin"),
    ("riscv", "138555003385c540"),
    ("xe", "6000000000000000000000000000000060000000000000000000000000000000"),
    ("spirv", "03022307000001000000000001000000000000001100020005000000"),
];

/// The verbs that take a description, each with the rest of its command line: `{text}` is the instruction to explain,
/// `{name}` the name, `{isaglot}` the program itself.
const VERBS: [(&str, &[&str]); 14] = [
    ("disasm --isa {name}", &["code"]),
    ("asm --isa {name}", &["code.s", "-o", "back"]),
    ("list --isa {name}", &["code"]),
    ("explain --isa {name}", &["{text}"]),
    ("run --max-steps 2 --isa {name}", &["code"]),
    ("check --isa {name}", &["--json"]),
    ("lint --isa {name}", &["code"]),
    ("triage --isa {name}", &["code"]),
    ("diff --isa {name}", &["--isa", "{name}"]),
    ("docs --isa {name}", &["-o", "pages"]),
    ("explore --isa {name}", &[]),
    ("gen c --isa {name}", &["-o", "made"]),
    ("compile --isa {name}", &["-o", "made.isa"]),
    (
        "conform --isa {name}",
        &["--against", "lines", "--command", "{isaglot} disasm --isa {name} --words", "--known", "known", "--json"],
    ),
];

/// The first verbs, which are tried with the names of products too. These stand for names of machines, in one place for
/// all verbs.
const QUICK: usize = 5;

fn main() {
    suite::run(vec![Trial::test("every_verb_with_every_name", every)]);
}

/// A name, the description that it stands for, and whether it is one of a product.
struct Name {
    name: String,
    base: &'static str,
    is_product: bool,
}

fn names() -> Vec<Name> {
    let own = isaglot::shipped::names().into_iter().map(|name| (name, name));
    let chosen = [
        ("minnow@v1", "minnow"),
        ("minnow@v2", "minnow"),
        ("riscv@rv32", "riscv"),
        ("rv32i", "riscv"),
        ("rv64gc_zba", "riscv"),
        ("xe@xehpc", "xe"),
        ("spirv", "spirv"),
    ];
    let named = own.chain(chosen).map(|(name, base)| Name { name: name.to_owned(), base, is_product: false });
    let machines = isaglot_xe::platform::ALL.into_iter().flat_map(|machine| {
        let others = machine.names().filter(|name| *name != "xe");
        others.map(move |name| Name {
            name: name.to_owned(),
            base: "xe",
            is_product: name != machine.name() && name != "xelp",
        })
    });
    named.chain(machines).collect()
}

fn every() -> Result<(), Failed> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/every.txt");
    let all = peer::required() || bless::wanted();
    let mut table = String::new();
    for (number, (verb, rest)) in VERBS.into_iter().enumerate() {
        let is_tried = |name: &&Name| {
            let few = ["minnow", "riscv", "rv64gc_zba", "xehpc", "spirv"].contains(&name.name.as_str());
            (all || few) && (number < QUICK || !name.is_product)
        };
        for name in names().iter().filter(is_tried) {
            let case = format!("{} {}", verb.replace("{name}", &name.name), rest.join(" "));
            let refused = one(verb, rest, name).map_err(|why| format!("{case}: {why:?}"))?;
            let answer = refused.unwrap_or_else(|| "works".to_owned());
            writeln!(table, "{} {}: {answer}", verb.replace(" --isa {name}", ""), name.name)?;
        }
    }
    if all {
        return Ok(bless::golden(&path, &table)?);
    }
    let golden = std::fs::read_to_string(&path)?;
    match table.lines().find(|line| !golden.lines().any(|known| known == *line)) {
        Some(other) => Err(format!("{} has another answer than `{other}`", path.display()).into()),
        None => Ok(()),
    }
}

/// Runs a verb in a fresh folder with the program of the description; the one sentence with which it refuses.
fn one(verb: &str, rest: &[&str], name: &Name) -> Result<Option<String>, Failed> {
    let dir = tempfile::tempdir()?;
    let program = PROGRAMS.into_iter().find(|(base, _)| *base == name.base).map_or("", |(_, program)| program);
    let bytes = if program.ends_with(".bin") {
        std::fs::read(workspace().join(program))?
    } else {
        (0..program.len() / 2)
            .map(|at| u8::from_str_radix(&program[2 * at..2 * at + 2], 16))
            .collect::<Result<_, _>>()?
    };
    std::fs::write(dir.path().join("code"), &bytes)?;
    let (_, text, _) = run(dir.path(), &["disasm", "--labels", "--isa", &name.name, "code"])?;
    std::fs::write(dir.path().join("code.s"), &text)?;
    // `disasm --words` also prints what is wrong somewhere inside.
    std::fs::write(dir.path().join("known"), "only-theirs * * words with errors have a text\n")?;
    let first =
        text.lines().find(|line| !line.ends_with(':') && !line.starts_with('.')).unwrap_or("nop").trim().to_owned();
    let isaglot = env!("CARGO_BIN_EXE_isaglot");
    let full = |word: &str| word.replace("{name}", &name.name).replace("{text}", &first).replace("{isaglot}", isaglot);
    let words: Vec<String> = verb.split(' ').chain(rest.iter().copied()).map(full).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    if verb.starts_with("explore") {
        return explore(dir.path(), &words);
    }
    let (code, out, errors) = run(dir.path(), &words)?;
    match code {
        Some(0) => {
            let says = !out.is_empty() || words.contains(&"-o");
            if !says {
                return Err("it says nothing".into());
            }
            if verb.starts_with("asm") && std::fs::read(dir.path().join("back"))? != bytes {
                return Err(format!("other bytes come back from\n{text}").into());
            }
            Ok(None)
        }
        // The program itself as a tool stands in different folders.
        Some(1 | 2) => sentence(&errors).map(|said| Some(said.replace(isaglot, "{isaglot}"))),
        code => Err(format!("exit {code:?}: {errors}").into()),
    }
}

/// The one error that there is, without its code.
fn sentence(errors: &str) -> Result<String, Failed> {
    let mut found = errors.lines().filter(|line| line.starts_with("error"));
    match (found.next(), found.next()) {
        (Some(one), None) => Ok(one.to_owned()),
        _ => Err(format!("one sentence was expected: {errors}").into()),
    }
}

fn run(dir: &Path, words: &[&str]) -> Result<(Option<i32>, String, String), Failed> {
    let out = Command::new(env!("CARGO_BIN_EXE_isaglot")).args(words).current_dir(dir).stdin(Stdio::null()).output()?;
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    Ok((out.status.code(), text(&out.stdout), text(&out.stderr)))
}

/// Starts the explorer, until it says where it is.
fn explore(dir: &Path, words: &[&str]) -> Result<Option<String>, Failed> {
    let mut child = Command::new(env!("CARGO_BIN_EXE_isaglot"))
        .args(words)
        .current_dir(dir)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()?;
    let mut line = String::new();
    if let Some(out) = child.stdout.take() {
        BufReader::new(out).read_line(&mut line)?;
    }
    if line.starts_with("http://") {
        child.kill()?;
        child.wait()?;
        return Ok(None);
    }
    let ended = child.wait_with_output()?;
    sentence(&String::from_utf8_lossy(&ended.stderr)).map(Some)
}
