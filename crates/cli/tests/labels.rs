//! What is printed with labels assembles: random programs of valid instructions, disassembled and assembled again, are the same
//! bytes. Where the bytes differ, bits that mean nothing differ, or a shorter instruction has the same text: then the text has to
//! be the same, but for the numbers in labels, which say where places are.
//!
//! A program is a few instructions that are drawn by their encodings, so that each is as likely, with random bits in the rest.
//! Left out are words with something wrong (a don't-care bit that is set), and fields of type `custom`, whose texts come from
//! tables of the user's. Descriptions are those that ship, each with the usual features and with all of them, small targets of
//! LLVM, and those of a corpus of isaspec where there is one; its pools of instructions, thousands in a row, are programs too.

use std::collections::BTreeMap;
use std::path::Path;

use isaglot::asm::assemble::source::{self, Setup};
use isaglot::asm::{Assembler, Compat, Hooks, Names, Options, Stream};
use isaglot::bits::Word;
use isaglot::choice;
use isaglot::codec::Plan;
use isaglot::model::{ByteOrder, FeatureId, Isa};
use isaglot::source::{Diagnostics, SourceMap, render};
use isaglot_riscv::{Xlen, assembly};
use isaglot_testing::{Failed, Random, Trial, corpus, peer, suite, workspace};
use isaglot_xintf::assembly::Interfaces;
use isaglot_xintf::set::Set;

/// Programs of each description; outside of `.ci/run`, a fiftieth of them.
const PROGRAMS: usize = 10_000;

/// The most instructions of a program.
const LONGEST: usize = 12;

const SHIPPED: [(&str, u32); 5] = [
    ("specs/minnow/minnow.xml", 1),
    ("specs/minnow/minnow.xml", 2),
    ("specs/trio/trio.xml", 0),
    ("specs/riscv/riscv.xml", 32),
    ("specs/riscv/riscv.xml", 64),
];

/// Targets of LLVM, each with a table of operands beside it.
const TARGETS: [&str; 2] = ["examples/wren/wren.td", "crates/cli/tests/labels/jumps.td"];

const CORPUS: [(&str, u32); 7] =
    [("ir3", 500), ("ir3", 600), ("ir3", 700), ("afuc", 5), ("afuc", 6), ("afuc", 7), ("etnaviv", 0)];

fn main() {
    let shipped = SHIPPED.into_iter().map(|(path, generation)| (workspace().join(path), generation));
    let stored = corpus::folder("isaspec").into_iter().flat_map(|folder| {
        CORPUS.map(|(isa, generation)| (folder.join("xml").join(isa).join(format!("{isa}.xml")), generation))
    });
    let trials = shipped.chain(stored).map(|(path, generation)| {
        let stem = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        Trial::test(format!("labels_{stem}_{generation}"), move || all(&path, generation, usual))
    });
    let featured = SHIPPED.into_iter().map(|(path, generation)| {
        let path = workspace().join(path);
        let stem = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        Trial::test(format!("labels_{stem}_{generation}_features"), move || all(&path, generation, together))
    });
    // What RISC-V has in place of others.
    let others = SHIPPED.into_iter().filter(|(path, _)| path.contains("riscv")).map(|(path, generation)| {
        let path = workspace().join(path);
        Trial::test(format!("labels_riscv_{generation}_others"), move || all(&path, generation, others))
    });
    let targets = TARGETS.into_iter().map(|path| {
        let path = workspace().join(path);
        let stem = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        Trial::test(format!("labels_{stem}"), move || all(&path, 0, usual))
    });
    suite::run(trials.chain(featured).chain(others).chain(targets).collect());
}

fn load(path: &Path) -> Result<Isa, Failed> {
    if path.extension().is_some_and(|extension| extension == "td") {
        return target(path);
    }
    let (mut files, mut problems) = (SourceMap::new(), Diagnostics::new());
    let mut read = |name: &str| std::fs::read(name).map_err(|e| e.to_string());
    let isa = isaglot::isaspec::load(&mut files, &path.display().to_string(), &mut read, &mut problems);
    isa.ok_or_else(|| format!("{}: {} errors", path.display(), problems.error_count()).into())
}

/// A target of LLVM with its table.
fn target(path: &Path) -> Result<Isa, Failed> {
    let (mut files, mut problems) = (SourceMap::new(), Diagnostics::new());
    let text = std::fs::read_to_string(path.with_extension("operands"))?;
    let file = files.add("operands", text.as_bytes());
    let table = isaglot_llvm::read(file, &text, &mut problems);
    let options = isaglot_tablegen::Options::default();
    let bytes = std::fs::read(path)?;
    let records =
        isaglot_tablegen::parse_into(files, &path.display().to_string(), bytes.into(), &options, &mut |_: &str| None);
    let lowered = isaglot_llvm::lower(&records, &table, &mut problems);
    lowered.map(|lowered| lowered.isa).ok_or_else(|| format!("{}: errors", path.display()).into())
}

/// The features that are on by default.
fn usual(isa: &Isa) -> Vec<FeatureId> {
    choice::features(isa, None, &[], &mut Diagnostics::new())
}

/// All features, but for those that exclude an earlier one.
fn together(isa: &Isa) -> Vec<FeatureId> {
    greedy(isa, (0..isa.features().len() as u32).map(FeatureId))
}

/// Those that [`together`] leaves out, and all that go with them.
fn others(isa: &Isa) -> Vec<FeatureId> {
    let (first, all) = (together(isa), (0..isa.features().len() as u32).map(FeatureId));
    greedy(isa, all.clone().filter(|f| !first.contains(f)).chain(all))
}

/// Features in order, each if it goes with those before. Those that are called `xext-…` are ways to encode the same commands: the
/// first stays.
fn greedy(isa: &Isa, order: impl Iterator<Item = FeatureId>) -> Vec<FeatureId> {
    let is_way = |f: FeatureId| isa[f].name.starts_with("xext-");
    let mut kept: Vec<FeatureId> = Vec::new();
    for feature in order {
        let is_second_way = is_way(feature) && kept.iter().any(|&f| is_way(f));
        kept.push(feature);
        if is_second_way || !isa.conflicts(&kept).is_empty() {
            kept.pop();
        }
    }
    kept
}

/// What is wrong with a word, or cannot be read back.
#[derive(Default)]
struct Unfit(bool);

impl Hooks for Unfit {
    fn custom(&mut self, _: &str, _: u64, _: &mut Vec<u8>) {
        self.0 = true;
    }

    fn no_match(&mut self, _: &Word, out: &mut Vec<u8>) {
        self.0 = true;
        out.push(b'\n');
    }
}

fn all(path: &Path, generation: u32, features: fn(&Isa) -> Vec<FeatureId>) -> Result<(), Failed> {
    let isa = load(path)?;
    let plan = Plan::with_features(&isa, generation, &features(&isa));
    let names = Names::default();
    let mut assembler = Assembler::new(&plan, &names, Compat::default());
    let mut random = Random::new(0x1abe_1500);
    // One for all words: it compiles the instructions.
    let mut alone = Stream::new(&plan, Options::default(), 0);
    let (mut same_bytes, mut same_text) = (0, 0);
    let programs = if peer::required() { PROGRAMS } else { PROGRAMS / 50 };
    for number in 0..programs {
        let program = program(&plan, &mut alone, &mut random);
        match comes_back(&isa, &plan, &mut assembler, &program) {
            Ok(true) => same_bytes += 1,
            Ok(false) => same_text += 1,
            Err(why) => return Err(format!("program {number}: {why}").into()),
        }
    }
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let pool = corpus::folder("isaspec").map(|f| f.join(format!("corpus/{stem}.gen{generation}.pool.bin.gz")));
    if let Some(pool) = pool.filter(|pool| pool.is_file()) {
        let same = comes_back(&isa, &plan, &mut assembler, &corpus::bytes(&pool)?)?;
        println!("{}: the same {}", pool.display(), if same { "bytes" } else { "text" });
    }
    println!("{} {generation}: {same_bytes} programs with the same bytes, {same_text} with the same text", isa.name());
    Ok(())
}

/// Whether a program comes back as the same bytes; as the same text if not.
fn comes_back(isa: &Isa, plan: &Plan<'_>, assembler: &mut Assembler<'_, '_>, bytes: &[u8]) -> Result<bool, String> {
    let text = disassemble(plan, bytes);
    let again = assemble(isa, assembler, &text)?;
    if again == bytes {
        return Ok(true);
    }
    let (here, there) = (renamed(&text), renamed(&disassemble(plan, &again)));
    match here.lines().zip(there.lines()).find(|(here, there)| here != there) {
        None if here == there => Ok(false),
        None => Err("one text is longer than the other".to_owned()),
        Some((here, there)) => Err(format!("`{here}` becomes `{there}`")),
    }
}

/// A program of valid instructions.
fn program(plan: &Plan<'_>, alone: &mut Stream<'_, '_>, random: &mut Random) -> Vec<u8> {
    let isa = plan.isa();
    let encodings: Vec<_> = isa[isa.root()].encodings.iter().map(|&id| &isa[id]).filter(|e| plan.active(e)).collect();
    let wanted = 1 + random.index(LONGEST);
    let mut bytes = Vec::new();
    let mut found = 0;
    for _ in 0..100 * LONGEST {
        if found == wanted {
            break;
        }
        let encoding = encodings[random.index(encodings.len())];
        let size = encoding.width as usize / 8;
        // Small offsets make labels: many fields are near zero.
        let near = random.index(2) == 0;
        let noise: Vec<u8> =
            (0..size).map(|_| random.index(256) as u8 & if near { random.index(256) as u8 } else { 255 }).collect();
        let (care, value) = (encoding.pattern.care().limbs(), encoding.pattern.value().limbs());
        let byte = |limbs: &[u64], at: usize| (limbs[at / 8] >> (at % 8 * 8)) as u8;
        let mut word: Vec<u8> = (0..size).map(|at| noise[at] & !byte(care, at) | byte(value, at)).collect();
        if isa.format().byte_order == ByteOrder::Big {
            word.reverse();
        }
        let mut unfit = Unfit::default();
        let mut line = Vec::new();
        let used = alone.feed(&word, &mut unfit, &mut line);
        if used == size && !unfit.0 && !line.windows(3).any(|w| w == b"\t; ") {
            bytes.extend(word);
            found += 1;
        }
    }
    bytes
}

fn disassemble(plan: &Plan<'_>, bytes: &[u8]) -> String {
    let options = Options { labels: true, ..Options::default() };
    let mut stream = Stream::new(plan, options, bytes.len() as u64);
    stream.mark(bytes);
    let mut out = Vec::new();
    // Without a table, fields of type `custom` are numbers.
    stream.feed(bytes, &mut &Names::default(), &mut out);
    String::from_utf8_lossy(&out).into_owned()
}

/// The text with its labels called by their order.
fn renamed(text: &str) -> String {
    let labels = text.lines().filter_map(|line| line.strip_suffix(':'));
    let labels: BTreeMap<&str, usize> = labels.zip(0..).collect();
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let mut out = String::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let end = rest.find(|c| is_name(c) != is_name(first)).unwrap_or(rest.len());
        let (word, after) = rest.split_at(end);
        match labels.get(word) {
            Some(number) => out.push_str(&format!("label-{number}")),
            None => out.push_str(word),
        }
        rest = after;
    }
    out
}

fn assemble(isa: &Isa, assembler: &mut Assembler<'_, '_>, text: &str) -> Result<Vec<u8>, String> {
    let (mut files, mut problems) = (SourceMap::new(), Diagnostics::new());
    let image = if isa.name() == "riscv" {
        // As `disasm --labels` prints it.
        let file = files.add("program", format!(".option exact\n{text}").as_bytes());
        let set = Set::default();
        let mut none = Interfaces::new(&set, Xlen::of(assembler.plan().generation()));
        let layout = assembly::Layout::default();
        assembly::assemble(assembler, &mut none, &mut files, file, &layout, &mut problems).map(|program| program.image)
    } else {
        let file = files.add("program", text.as_bytes());
        let setup = Setup { only_targets: isa.name() == "tablegen", ..Setup::default() };
        source::assemble_with(assembler, file, text.as_bytes(), &setup, &mut problems)
    };
    let said = || problems.iter().map(|d| render::text(&files, d, false)).collect::<String>();
    let image = image.ok_or_else(said)?;
    Ok(image.sections.into_iter().flat_map(|section| section.bytes).collect())
}
