//! Packers in C from the descriptions of the corpus: data filled from every word of the pools is packed to the same word.
//!
//! The corpus is found through `ISAGLOT_CORPUS`, else beside the workspace; without it the cases are reported as ignored.

mod driver;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::Path;

use driver::fill::Filler;
use driver::{SANITIZE, WARNINGS, compile, corpus, has, load, run, unpack, write};
use isaglot_asm::{Options, Stream};
use isaglot_bits::Word;
use isaglot_codec::Scopes;
use isaglot_emit::isaspec::{self, plan::Plan};
use isaglot_emit::names::{Language, symbol};
use isaglot_model::FieldType;
use isaglot_source::Diagnostics;
use libtest_mimic::{Arguments, Failed, Trial};

/// Description, gen: what the pools are of.
const POOLS: [(&str, u32); 5] = [("ir3", 600), ("ir3", 700), ("afuc", 6), ("afuc", 7), ("etnaviv", 0)];

/// Flags of ir3's data.
const FLAGS: &[&str] = &[
    "IR3_INSTR_SS",
    "IR3_INSTR_SY",
    "IR3_INSTR_JP",
    "IR3_INSTR_EQ",
    "IR3_INSTR_UL",
    "IR3_INSTR_SAT",
    "IR3_INSTR_3D",
    "IR3_INSTR_A",
    "IR3_INSTR_S2EN",
    "IR3_INSTR_B",
    "IR3_INSTR_O",
    "IR3_INSTR_S",
    "IR3_INSTR_P",
    "IR3_INSTR_V",
    "IR3_INSTR_INV_1D",
    "IR3_INSTR_IMM_OFFSET",
    "IR3_INSTR_U",
    "IR3_REG_R",
    "IR3_REG_RELATIV",
    "IR3_REG_LAST_USE",
    "IR3_REG_HALF",
    "IR3_REG_EI",
    "IR3_REG_FNEG",
    "IR3_REG_SNEG",
    "IR3_REG_BNOT",
    "IR3_REG_CONST",
    "IR3_REG_IMMED",
];

fn main() {
    let args = Arguments::from_args();
    let (corpus, missing) = match corpus() {
        Ok(path) => (path, false),
        Err(path) => {
            println!("no corpus at {}: the isaspec packers are ignored", path.display());
            (path, true)
        }
    };
    let mut trials = Vec::new();
    for compiler in ["gcc", "clang"] {
        for (isa, generation) in POOLS {
            let corpus = corpus.clone();
            let case = move || pool(&corpus, isa, generation, compiler);
            let ignored = missing || !has(compiler);
            let name = format!("isaspec_encode_{isa}_{generation}_{compiler}");
            trials.push(Trial::test(name, case).with_ignored_flag(ignored));
        }
    }
    for (generation, compiler) in [(6, "gcc"), (7, "clang")] {
        let corpus = corpus.clone();
        let ignored = missing || !has(compiler);
        let case = move || unpacked(&corpus, generation, compiler);
        trials.push(Trial::test(format!("isaspec_decode_afuc_{generation}"), case).with_ignored_flag(ignored));
    }
    libtest_mimic::run(&args, trials).exit();
}

fn constants() -> Vec<(&'static str, u64)> {
    FLAGS.iter().zip(0u32..).map(|(name, bit)| (*name, 1 << bit)).collect()
}

/// The beginning of a program: the stub types and what a driver provides.
fn program(isa: &str, plan: &Plan<'_>) -> Result<String, Failed> {
    let stub = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/driver/stub/{isa}.h"));
    let mut c = String::from("#include <stdio.h>\n");
    for (name, value) in constants() {
        let _ = writeln!(c, "#define {name} {value:#x}u");
    }
    c.push_str(&std::fs::read_to_string(stub)?);
    for (i, root) in plan.roots.iter().enumerate().filter(|(_, root)| root.encode.case_prefix.is_some()) {
        let name = symbol(plan.isa.text(plan.isa[root.space].name));
        let names: String = root.groups.iter().map(|group| format!("   {},\n", group.name)).collect();
        let ty = &root.encode.ty;
        let _ = writeln!(c, "enum {{\n{names}}};\n");
        let _ = writeln!(c, "static inline unsigned\n{name}_case(struct encode_state *s, const {ty} src)\n{{");
        let _ = writeln!(c, "   (void)s;\n   return src->cases[{i}];\n}}\n");
    }
    Ok(c)
}

/// The rest of a program that fills data member by member.
fn filled_program(isa: &str, generation: u32, plan: &Plan<'_>, members: &[String]) -> Result<String, Failed> {
    let mut c = program(isa, plan)?;
    let _ = writeln!(c, "#include \"{isa}-encode.h\"\n");
    c.push_str("static void\nset(ROOT *src, unsigned member, uint64_t value)\n{\n   switch (member) {\n");
    for (i, member) in members.iter().enumerate() {
        let _ = writeln!(c, "   case {i}: {member} = (__typeof__({member}))value; break;");
    }
    c.push_str("   default: break;\n   }\n}\n\n");
    c.push_str(include_str!("driver/stub/main.c"));
    Ok(c.replace("GENERATION", &generation.to_string()))
}

/// A pool's words with the data that was found for them, and what is packed from it.
struct Filled<'w> {
    words: Vec<(&'w Word, Word)>,
    /// The data, as the program reads it.
    input: Vec<u8>,
    /// The members of the data, by number.
    members: Vec<String>,
    /// Words that no data gives, by the map that is in the way.
    clashes: BTreeMap<String, usize>,
}

fn fill<'w>(filler: &mut Filler<'_, '_, '_>, words: &'w [Word]) -> Filled<'w> {
    let mut filled = Filled { words: Vec::new(), input: Vec::new(), members: Vec::new(), clashes: BTreeMap::new() };
    let mut numbers = BTreeMap::new();
    for word in words {
        let (data, packed) = match filler.word(word) {
            Ok(filled) => filled,
            Err(why) => {
                *filled.clashes.entry(why).or_default() += 1;
                continue;
            }
        };
        filled.input.extend((data.known.len() as u64).to_le_bytes());
        for (path, (_, value)) in data.known {
            let next = numbers.len() as u64;
            let number = *numbers.entry(path.clone()).or_insert(next);
            if number == next {
                filled.members.push(path);
            }
            filled.input.extend(number.to_le_bytes());
            filled.input.extend(value.to_le_bytes());
        }
        filled.words.push((word, packed));
    }
    filled
}

fn text(plan: &isaglot_codec::Plan<'_>, word: &Word) -> Vec<u8> {
    let bytes: Vec<u8> = word.le_bytes().collect();
    let mut out = Vec::new();
    Stream::new(plan, Options::default(), 0).feed(&bytes, &mut isaglot_asm::Plain, &mut out);
    out
}

fn pool(corpus: &Path, isa: &str, generation: u32, compiler: &str) -> Result<(), Failed> {
    let model = load(&corpus.join(format!("xml/{isa}/{isa}.xml")))?;
    let mut out = Diagnostics::new();
    let plan = Plan::new(&model, Language::C, &mut out).ok_or_else(|| format!("{out:?}"))?;
    let codec = isaglot_codec::Plan::new(&model, generation);
    let constants = constants();
    let scopes = Scopes::new(&codec, false);
    let mut filler =
        Filler { plan: &plan, scopes, constants: &constants, constant: BTreeSet::new(), current: Word::zero(1) };
    let bits = model.format().max_bits;
    let size = bits as usize / 8;
    let bytes = unpack(&corpus.join(format!("corpus/{isa}.gen{generation}.pool.bin.gz")))?;
    let words: Vec<Word> = bytes.chunks_exact(size).map(|b| Word::from_le_bytes(b, bits)).collect();
    let filled = fill(&mut filler, &words);

    let folder = tempfile::tempdir()?;
    let (source, binary) = (folder.path().join("encode.c"), folder.path().join("encode"));
    let options = isaspec::Options { prefix: isa, stamp: "for a test", mesa26: false };
    let header = isaspec::encode_header(&model, &options, &mut out).ok_or_else(|| format!("{out:?}"))?;
    std::fs::write(folder.path().join(&header.name), &header.text)?;
    std::fs::write(&source, filled_program(isa, generation, &plan, &filled.members)?)?;
    compile(compiler, &[WARNINGS, SANITIZE], &[&source], &binary)?;
    let got = run(&binary, &[], &filled.input)?;

    let (mut whole, mut hidden, mut wrong) = (0, 0, Vec::new());
    for ((word, packed), bytes) in filled.words.iter().zip(got.chunks_exact(size)) {
        let got = Word::from_le_bytes(bytes, bits);
        let said = || format!("{}: {}", String::from_utf8_lossy(&text(&codec, word)).trim(), got.xor(packed).hex());
        if got != *packed {
            wrong.push(said());
        } else if got == **word {
            whole += 1;
        } else if text(&codec, &got) == text(&codec, word) {
            // Bits that no text shows are bits that nothing packs.
            hidden += 1;
        } else if !filler.constant.contains(*word) {
            wrong.push(said());
        }
    }
    let (total, constant, clash) = (words.len(), filler.constant.len(), words.len() - filled.words.len());
    println!(
        "{isa} {generation} {compiler}: of {total} words {whole} are packed again, {hidden} but for bits that no text \
         shows, {constant} but for a map that is a constant; {clash} have fields that no data gives together"
    );
    filled.clashes.iter().for_each(|(why, count)| println!("   {count}: {why}"));
    if got.len() != filled.words.len() * size || total == 0 {
        return Err("words are missing".into());
    }
    if !wrong.is_empty() {
        return Err(format!("{} wrong\n{}", wrong.len(), wrong[..wrong.len().min(20)].join("\n")).into());
    }
    // What the description's maps cannot say is rare: two maps of ir3 contradict each other for one register.
    if clash * 1000 > total { Err(format!("{clash} of {total} words have no data").into()) } else { Ok(()) }
}

/// What is unpacked from a word is packed to it again: afuc asks for unpackers.
fn unpacked(corpus: &Path, generation: u32, compiler: &str) -> Result<(), Failed> {
    let model = load(&corpus.join("xml/afuc/afuc.xml"))?;
    let mut out = Diagnostics::new();
    let plan = Plan::new(&model, Language::C, &mut out).ok_or_else(|| format!("{out:?}"))?;
    let options = isaspec::Options { prefix: "afuc", stamp: "for a test", mesa26: false };
    let files = isaspec::c(&model, &options, &mut out).ok_or_else(|| format!("{out:?}"))?;
    let folder = tempfile::tempdir()?;
    write(&files, folder.path())?;
    let root = plan.roots.iter().position(|r| r.space == model.root()).ok_or("no root")?;
    let mut c = program("afuc", &plan)?;
    c.push_str(&include_str!("driver/stub/unpack.c").replace("ROOT_NUMBER", &root.to_string()));
    let paths = ["main.c", "afuc-isa.c", "main"].map(|name| folder.path().join(name));
    std::fs::write(&paths[0], c.replace("GENERATION", &generation.to_string()))?;
    compile(compiler, &[WARNINGS, SANITIZE], &[&paths[0], &paths[1]], &paths[2])?;
    let codec = isaglot_codec::Plan::new(&model, generation);
    let bytes = unpack(&corpus.join(format!("corpus/afuc.gen{generation}.pool.bin.gz")))?;
    let got = run(&paths[2], &[], &bytes)?;
    // A nested encoding for which the description does not ask is not unpacked.
    let silent = |word: &Word| match codec.decode(word) {
        isaglot_codec::Match::One(id) => model[id].cases.iter().flat_map(|c| &c.fields).any(|f| match f.ty {
            FieldType::Sub(space) => !model[space].decode,
            _ => false,
        }),
        _ => false,
    };
    let (mut whole, mut left_out, mut wrong) = (0, 0, Vec::new());
    for (word, again) in bytes.chunks_exact(4).zip(got.chunks_exact(4)) {
        let (word, again) = (Word::from_le_bytes(word, 32), Word::from_le_bytes(again, 32));
        if word == again {
            whole += 1;
        } else if silent(&word) {
            left_out += 1;
        } else {
            let said = String::from_utf8_lossy(&text(&codec, &word)).trim().to_owned();
            wrong.push(format!("{}: {} {said}", word.hex(), again.hex()));
        }
    }
    println!(
        "afuc {generation} {compiler}: {whole} words are unpacked and packed again, {left_out} but for a nested encoding \
         without <decode/>"
    );
    if wrong.is_empty() && got.len() == bytes.len() && whole > 0 {
        return Ok(());
    }
    Err(format!("{} wrong\n{}", wrong.len(), wrong[..wrong.len().min(20)].join("\n")).into())
}
