//! What the tests of generated code share: descriptions, streams of words, what the engine prints for them, compilers.

#![allow(dead_code, reason = "each test uses a part")]

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use isaglot_asm::{Entry, Hooks, Options, Stream};
use isaglot_codec::Plan;
use isaglot_emit::files::File;
use isaglot_model::{FeatureId, Isa};
use isaglot_source::{Diagnostics, FileId};
use isaglot_testing::peer::{CLANG_SANITIZERS, GCC_SANITIZERS, Peer};
use isaglot_testing::{Failed, Random, corpus, workspace};

/// The compilers of C.
pub(crate) const COMPILERS: [(&str, Peer); 2] = [("gcc", GCC_SANITIZERS), ("clang", CLANG_SANITIZERS)];

/// How everything generated is compiled.
pub(crate) const WARNINGS: &[&str] = &["-std=c11", "-Wall", "-Wextra", "-pedantic", "-Werror", "-g1"];

/// What is also asked of C that has no text of a driver in it.
pub(crate) const STRICT: &[&str] = &["-Wconversion"];

/// What a program is watched for.
pub(crate) const SANITIZE: &[&str] = &["-fsanitize=address,undefined", "-fno-sanitize-recover=all"];

/// What the operands of a target of LLVM mean: some of its numbers are reserved.
const RESERVED: &str = include_str!("../data/reserved.operands");

/// Loads a description; a target of LLVM is read with the table of operands that has reserved numbers.
pub(crate) fn load(path: &Path) -> Result<Isa, String> {
    if path.extension().is_some_and(|end| end == "td") {
        return target(path);
    }
    isaglot_isaspec::oracle::load(path, &mut corpus::load)
}

fn target(path: &Path) -> Result<Isa, String> {
    let bytes = std::fs::read(path).map_err(|e| format!("{}: {e}", path.display()))?;
    let name = path.display().to_string();
    let records = isaglot_tablegen::parse(&name, bytes.into(), &Default::default(), &mut |_| None);
    let mut problems = Diagnostics::new();
    let table = isaglot_llvm::read(FileId(u32::MAX), RESERVED, &mut problems);
    let lowered = isaglot_llvm::lower(&records, &table, &mut problems);
    match lowered {
        Some(lowered) if records.ok() && problems.is_empty() => Ok(lowered.isa),
        _ => Err(format!("{name}: {problems:?}")),
    }
}

/// The plan of a description for a gen; `features` is `all`, or empty for those that are on by default.
fn plan<'a>(isa: &'a Isa, generation: u32, features: &str) -> Plan<'a> {
    match features {
        "all" => {
            let on: Vec<FeatureId> = (0..isa.features().len() as u32).map(FeatureId).collect();
            Plan::with_features(isa, generation, &on)
        }
        _ => Plan::new(isa, generation),
    }
}

/// A description to generate code for.
#[derive(Clone)]
pub(crate) struct Subject {
    pub(crate) name: String,
    path: PathBuf,
    generation: u32,
    features: &'static str,
    /// Streams of instructions, and their text, beside the random ones.
    pub(crate) pool: Option<(PathBuf, PathBuf)>,
}

impl Subject {
    /// Loads the description.
    pub(crate) fn load(&self) -> Result<Isa, String> {
        load(&self.path)
    }

    /// Its plan.
    pub(crate) fn plan<'a>(&self, isa: &'a Isa) -> Plan<'a> {
        plan(isa, self.generation, self.features)
    }
}

/// Descriptions that the project ships: name, file, gen, features.
const SHIPPED: &[(&str, &str, u32, &str)] = &[
    ("minnow", "specs/minnow/minnow.xml", 1, ""),
    ("trio", "specs/trio/trio.xml", 0, ""),
    ("rv32", "specs/riscv/riscv.xml", 32, "all"),
    ("rv64", "specs/riscv/riscv.xml", 64, "all"),
    // Its texts come from its own crate; by its description it only decodes.
    ("xe", "specs/xe/xe.xml", 2000, ""),
    // Words that have reserved numbers are invalid.
    ("reserved", "examples/wren/wren.td", 0, ""),
];

/// Those of the corpus.
const CORPUS: &[(&str, u32)] =
    &[("ir3", 400), ("ir3", 500), ("ir3", 600), ("ir3", 700), ("afuc", 5), ("afuc", 6), ("afuc", 7), ("etnaviv", 0)];

/// Every description that there is: the shipped ones, those of the corpus, its small ones.
pub(crate) fn subjects() -> Vec<Subject> {
    let mut all: Vec<Subject> = SHIPPED
        .iter()
        .map(|&(name, path, generation, features)| Subject {
            name: name.to_owned(),
            path: workspace().join(path),
            generation,
            features,
            pool: None,
        })
        .collect();
    let Some(folder) = corpus::folder("isaspec") else { return all };
    for &(isa, generation) in CORPUS {
        let pool = |end: &str| folder.join("corpus").join(format!("{isa}.gen{generation}.pool.{end}.gz"));
        all.push(Subject {
            name: format!("{isa}_{generation}"),
            path: folder.join("xml").join(isa).join(format!("{isa}.xml")),
            generation,
            features: "",
            pool: pool("bin").is_file().then(|| (pool("bin"), pool("txt"))),
        });
    }
    let mut small: Vec<PathBuf> =
        std::fs::read_dir(folder.join("micro")).map_or(Vec::new(), |d| d.flatten().map(|e| e.path()).collect());
    small.sort();
    for path in small {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let text = std::fs::read_to_string(path.join("meta.json")).unwrap_or_default();
        let meta: serde_json::Value = serde_json::from_str(&text).unwrap_or_default();
        let generation = meta["gen"].as_u64().unwrap_or(0) as u32;
        all.push(Subject {
            name: format!("micro_{name}"),
            path: path.join("spec.xml"),
            generation,
            features: "",
            pool: None,
        });
    }
    all
}

/// How many random instructions a test tries: `ISAGLOT_WORDS`, or of this many those of [`isaglot_testing::rounds`].
pub(crate) fn words(usual: usize) -> usize {
    std::env::var("ISAGLOT_WORDS").ok().and_then(|n| n.parse().ok()).unwrap_or_else(|| isaglot_testing::rounds(usual))
}

/// Whether everything is tried: `ISAGLOT_FULL=1`, or more words than usual.
pub(crate) fn is_full() -> bool {
    words(0) > 0 || std::env::var_os("ISAGLOT_FULL").is_some_and(|v| !v.is_empty() && v != "0")
}

/// A million instructions drawn from a pool of instructions of `size` bytes, as the corpus's MANIFEST says.
pub(crate) fn drawn(pool: &[u8], size: usize) -> Vec<u8> {
    let mut random = Random::new(0x9e37_79b9_7f4a_7c15);
    let count = (pool.len() / size.max(1)).max(1) as u64;
    let mut out = Vec::with_capacity(1_000_000 * size);
    for _ in 0..1_000_000 {
        let at = random.below(count) as usize * size;
        out.extend_from_slice(pool.get(at..at + size).unwrap_or(&[]));
    }
    out
}

/// Prints custom fields as `0x%03x`.
pub(crate) struct Custom;

impl Hooks for Custom {
    fn wants_lines(&self) -> bool {
        false
    }

    fn custom(&mut self, _: &str, value: u64, out: &mut Vec<u8>) {
        out.extend_from_slice(format!("0x{value:03x}").as_bytes());
    }
}

/// A stream with about `count` instructions: half random, half encodings of the plan with random open bits, some of
/// those with a bit flipped.
pub(crate) fn stream(plan: &Plan<'_>, count: usize, seed: u64) -> Vec<u8> {
    let isa = plan.isa();
    let mut random = Random::new(seed);
    let mut out = Vec::new();
    let leaves: Vec<_> = isa[isa.root()].encodings.iter().filter(|&&id| plan.active(&isa[id])).collect();
    for _ in 0..count {
        let pick = random.u64();
        let Some(&&id) = leaves.get(random.index(leaves.len())) else {
            out.push(pick as u8);
            continue;
        };
        let encoding = &isa[id];
        let mut word = isaglot_bits::Word::zero(encoding.width);
        for lo in (0..encoding.width).step_by(64) {
            // Sparse and dense words come too.
            let bits = match pick >> 8 & 3 {
                0 => random.u64() & random.u64() & random.u64(),
                1 => random.u64() | random.u64() | random.u64(),
                _ => random.u64(),
            };
            word.insert(lo, 64.min(encoding.width - lo), bits);
        }
        if pick & 3 != 0 {
            word = word.and_not(encoding.pattern.care()).or(encoding.pattern.value());
            if pick & 4 != 0 {
                word = word.and_not(&encoding.dont_care);
            }
            if pick & 0xf0 == 0 {
                let bit = (random.u64() % u64::from(encoding.width)) as u32;
                word.set_bit(bit, !word.bit(bit));
            }
        }
        match isa.format().byte_order {
            isaglot_model::ByteOrder::Little => out.extend(word.le_bytes()),
            isaglot_model::ByteOrder::Big => out.extend(word.le_bytes().rev()),
        }
    }
    out
}

/// What the engine prints for a stream.
pub(crate) fn engine(plan: &Plan<'_>, options: Options, bytes: &[u8], hooks: &mut dyn Hooks) -> Vec<u8> {
    let mut out = Vec::new();
    let mut stream = Stream::new(plan, options, bytes.len() as u64);
    stream.mark(bytes);
    stream.feed(bytes, hooks, &mut out);
    out
}

/// Named places in a stream.
pub(crate) fn entries(count: usize) -> Vec<Entry> {
    let mut random = Random::new(77);
    (0..count).map(|i| Entry { offset: random.u64() % 400, name: format!("place_{}", i % 7).into_bytes() }).collect()
}

/// Writes generated files to a folder.
pub(crate) fn write(files: &[File], folder: &Path) -> std::io::Result<()> {
    files.iter().try_for_each(|file| {
        let target = folder.join(&file.name);
        std::fs::create_dir_all(target.parent().unwrap_or(folder))?;
        std::fs::write(target, &file.text)
    })
}

/// Compiles C files to a program, without a warning.
pub(crate) fn compile(compiler: &str, flags: &[&[&str]], files: &[&Path], to: &Path) -> Result<(), Failed> {
    let said = said(Command::new(compiler).args(flags.concat()).args(files).arg("-o").arg(to))?;
    if said.is_empty() { Ok(()) } else { Err(format!("{compiler}:\n{said}").into()) }
}

/// Runs a compiler; its messages, if it succeeds.
pub(crate) fn said(command: &mut Command) -> Result<String, Failed> {
    let out = command.output()?;
    let text = String::from_utf8_lossy(&[out.stderr, out.stdout].concat()).into_owned();
    if out.status.success() {
        return Ok(text);
    }
    let text: Vec<&str> = text.lines().take(60).collect();
    Err(format!("{}: {}\n{}", command.get_program().to_string_lossy(), out.status, text.join("\n")).into())
}

/// Runs a program on some input and gives its output.
pub(crate) fn run(program: &Path, arguments: &[&str], input: &[u8]) -> Result<Vec<u8>, Failed> {
    let mut child = Command::new(program)
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()?;
    let mut stdin = child.stdin.take().ok_or("no input")?;
    let input = input.to_vec();
    let feeder = std::thread::spawn(move || stdin.write_all(&input));
    let out = child.wait_with_output()?;
    let fed = feeder.join();
    if !out.status.success() {
        let text = String::from_utf8_lossy(&out.stderr);
        return Err(format!("{}: {}\n{text}", program.display(), out.status).into());
    }
    fed.map_err(|_| "the input was not written")??;
    Ok(out.stdout)
}
