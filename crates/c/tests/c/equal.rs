//! The example in C says of any word what the library says: for small machines, RISC-V, GPUs and a target of LLVM.
//!
//! Words are made of the patterns of the description, with random bits between, so many are instructions and some are not. Those of
//! Intel Xe are instructions of a kernel with bits turned over. `ISAGLOT_FULL=1` asks about all words, otherwise about some.

use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;

use isaglot::Engine;
use isaglot::engine::{Columns, Field, Instruction, ListOptions};
use isaglot::model::ByteOrder;
use isaglot::spec::Choice;
use isaglot_testing::{Failed, Random, Trial, bless, corpus, peer};

use crate::build::{GCC, Library, compile, example, run};
use crate::programs::NEEDS;

/// Words of each machine.
const WORDS: usize = 10_000;

/// Words of each machine in the ordinary run.
const SOME: usize = 250;

/// A machine: what it is called here, the system of the corpus that it needs, and what opens it there.
type Machine = (&'static str, Option<&'static str>, fn(&Path) -> Result<(String, Choice), Failed>);

const MACHINES: [Machine; 6] = [
    ("minnow", None, |_| Ok(("minnow@v2".to_owned(), Choice::default()))),
    ("trio", None, |_| Ok(("trio".to_owned(), Choice::default()))),
    ("rv64gc", None, |_| Ok(("rv64gc".to_owned(), Choice::default()))),
    ("xehpc", None, |_| Ok(("xehpc".to_owned(), Choice::default()))),
    ("ir3", Some("isaspec"), |folder| {
        let path = folder.join("xml/ir3/ir3.xml").display().to_string();
        Ok((path, Choice::default().with_gen("600")))
    }),
    ("bpf", Some("tablegen"), |folder| {
        let root = corpus::unpacked(&folder.join("td.tar.xz"))?;
        let target = root.join("llvm/lib/Target/BPF");
        let choice = Choice { include: vec![root.join("llvm/include"), target.clone()], ..Choice::default() };
        Ok((target.join("BPF.td").display().to_string(), choice))
    }),
];

/// A test for each machine.
pub(crate) fn trials() -> Vec<Trial> {
    let trial = |&(name, system, open): &Machine| {
        let name = format!("equal_{name}");
        let folder = system.map(corpus::folder);
        if folder == Some(None) {
            return Trial::test(name, || Ok(())).with_ignored_flag(true);
        }
        let folder = folder.flatten().unwrap_or_default();
        peer::trial(name.clone(), &NEEDS, move || {
            let (source, choice) = open(&folder)?;
            compare(&name, &source, &choice)
        })
    };
    MACHINES.iter().map(trial).collect()
}

fn compare(name: &str, source: &str, choice: &Choice) -> Result<(), Failed> {
    let engine = Engine::open(source, choice).map_err(|e| e.to_string())?;
    let count = if crate::is_full() { WORDS } else { SOME };
    let words = words(&engine, count)?;
    let valid = words.iter().filter(|word| engine.decode(word).is_ok()).count();
    println!("{name}: {} words, {valid} of them instructions", words.len());
    if valid * 10 < words.len() {
        return Err("too few of the words are instructions".into());
    }
    let input: String = words.iter().map(|word| corpus::hex(word) + "\n").collect();
    let expected: String = words.iter().map(|word| say(&engine, word)).collect();
    let program = compile(GCC, &example("words.c"), Library::Shared, &[], name)?;
    // For a person who looks into a difference.
    std::fs::write(program.with_extension("hex"), &input)?;
    let mut command = Command::new(program);
    command.arg(source);
    choice.generation.iter().for_each(|generation| {
        command.args(["-g", generation]);
    });
    choice.include.iter().for_each(|folder| {
        command.arg("-I").arg(folder);
    });
    let said = run(&mut command, &input)?;
    bless::difference("library", expected.as_bytes(), said.as_bytes()).map_err(Failed::from)
}

/// Words of a machine, each in memory order.
fn words(engine: &Engine, count: usize) -> Result<Vec<Vec<u8>>, Failed> {
    let mut random = Random::new(0x0c0f_fee0);
    let Some(isa) = engine.isa() else { return kernels(engine, count, &mut random) };
    let generation = engine.generation().unwrap_or(0);
    let root: Vec<_> = isa[isa.root()].encodings.iter().filter(|&&id| isa[id].gens.contains(generation)).collect();
    let word = |random: &mut Random| {
        let encoding = &isa[**random.pick(&root)];
        let fixed = encoding.pattern.care();
        let free = isaglot::bits::Word::from_limbs(&random.limbs(encoding.width), encoding.width).and_not(fixed);
        let mut bytes: Vec<u8> = encoding.pattern.value().or(&free).le_bytes().collect();
        if isa.format().byte_order == ByteOrder::Big {
            bytes.reverse();
        }
        bytes
    };
    Ok((0..count).map(|_| word(&mut random)).collect())
}

/// Instructions of a kernel, up to two bits of each turned over.
fn kernels(engine: &Engine, count: usize, random: &mut Random) -> Result<Vec<Vec<u8>>, Failed> {
    let kernel = std::fs::read_to_string(isaglot_testing::workspace().join("examples/programs/kernel.asm"))?;
    let bytes = engine.assemble(&kernel).map_err(|e| e.to_string())?.bytes;
    let mut columns = Columns::default();
    engine.decode_into(&bytes, &mut columns).map_err(|e| e.to_string())?;
    let place = |(at, size): (&u64, &u32)| bytes.get(*at as usize..*at as usize + *size as usize).unwrap_or_default();
    let seeds: Vec<&[u8]> = columns.offset.iter().zip(&columns.size).map(place).collect();
    let word = |random: &mut Random| {
        let mut word = random.pick(&seeds).to_vec();
        for _ in 0..random.below(3) {
            let at = random.index(word.len());
            word[at] ^= 1 << random.below(8);
        }
        word
    };
    Ok((0..count).map(|_| word(random)).collect())
}

/// What `words.c` prints for a word.
fn say(engine: &Engine, word: &[u8]) -> String {
    let mut out = format!("== {}\n", corpus::hex(word));
    match engine.decode(word) {
        Ok(found) => {
            instruction(&found, &mut out);
            out.push_str("assembles to:");
            match engine.assemble(&found.text) {
                Ok(made) => _ = writeln!(out, " {}", corpus::hex(&made.bytes)),
                Err(e) => codes(&e, &mut out),
            }
        }
        Err(e) => {
            out.push_str("not an instruction:");
            codes(&e, &mut out);
        }
    }
    let shown: Vec<String> = word.iter().map(|byte| format!("{byte:02x}")).collect();
    match engine.explain(&shown.join(":")) {
        Ok(why) => out.push_str(&why.text),
        Err(e) => {
            out.push_str("no explanation:");
            codes(&e, &mut out);
        }
    }
    match engine.list(word, ListOptions { defs: true, pc: true, bits: false }) {
        Ok(listing) => out.push_str(&listing.json),
        Err(e) => {
            out.push_str("no listing:");
            codes(&e, &mut out);
        }
    }
    out
}

fn codes(error: &isaglot::Error, out: &mut String) {
    error.problems().iter().for_each(|d| _ = write!(out, " {}", d.code));
    out.push('\n');
}

fn instruction(found: &Instruction, out: &mut String) {
    let bytes: Vec<u8> = found.word.le_bytes().collect();
    let problem = found.problem.as_deref().unwrap_or("");
    let _ = write!(out, "text: {}\nproblem: {problem}\n", found.text);
    let _ = write!(out, "encoding: {} {}\nword: {}\n", found.mnemonic, found.encoding, corpus::hex(&bytes));
    for operand in &found.operands {
        let verb = if operand.is_written { "writes" } else { "reads" };
        let _ = writeln!(out, "  {verb} {} {}", operand.kind.name(), operand.text);
    }
    found.fields.iter().for_each(|one| field(one, 1, out));
}

fn field(field: &Field, depth: usize, out: &mut String) {
    let _ = write!(out, "{}{}", "  ".repeat(depth), field.name);
    field.ranges.iter().for_each(|range| _ = write!(out, " [{} +{}]", range.lo, range.width));
    let bytes: Vec<u8> = field.value.le_bytes().collect();
    let encoding = field.nested.as_ref().map_or("", |nested| nested.encoding.as_str());
    let derived = field.derived.as_deref().unwrap_or("");
    let _ = writeln!(out, " = {} `{}` {derived} {encoding}", corpus::hex(&bytes), field.text);
    field.nested.iter().flat_map(|nested| &nested.fields).for_each(|inner| self::field(inner, depth + 1, out));
}
