//! Packers in C from the descriptions of the corpus: data filled from every word of the pools is packed to the same word.

mod driver;
mod support;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::Path;

use driver::fill::Filler;
use isaglot_asm::{Options, Stream};
use isaglot_bits::Word;
use isaglot_codec::Scopes;
use isaglot_emit::isaspec::{self, plan::Plan};
use isaglot_emit::names::{Language, symbol};
use isaglot_model::FieldType;
use isaglot_source::Diagnostics;
use isaglot_testing::{Failed, Tally, corpus, ledger, peer, suite};
use support::{COMPILERS, SANITIZE, WARNINGS, compile, load, run, write};

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
    suite::run_corpus("isaspec", |folder| {
        let mut trials = Vec::new();
        for (isa, generation) in POOLS {
            for (release, mark) in [("", ""), ("-25.0", "_release")] {
                let folder = folder.to_owned();
                let case = move || pool(&folder, isa, generation, release);
                let name = format!("isaspec_encode_{isa}_{generation}{mark}");
                trials.push(peer::trial(name, &[peer::GCC_SANITIZERS], case));
            }
        }
        for (generation, (compiler, present)) in [6, 7].into_iter().zip(COMPILERS) {
            let folder = folder.to_owned();
            let case = move || unpacked(&folder, generation, compiler);
            trials.push(peer::trial(format!("isaspec_decode_afuc_{generation}"), &[present], case));
        }
        trials
    })
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

/// Words of a pool by their place in it, with the data that was found for them, and what is packed from it.
struct Filled<'w> {
    words: Vec<(usize, &'w Word, Word)>,
    /// The data, as the program reads it.
    input: Vec<u8>,
    /// The members of the data, by number.
    members: Vec<String>,
    /// Words that no data gives, with the map that is in the way.
    clashes: Vec<(usize, String)>,
}

fn fill<'w>(filler: &mut Filler<'_, '_, '_>, words: &'w [Word]) -> Filled<'w> {
    let mut filled = Filled { words: Vec::new(), input: Vec::new(), members: Vec::new(), clashes: Vec::new() };
    let mut numbers = BTreeMap::new();
    for (at, word) in words.iter().enumerate() {
        let (data, packed) = match filler.word(word) {
            Ok(filled) => filled,
            Err(why) => {
                filled.clashes.push((at, why));
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
        filled.words.push((at, word, packed));
    }
    filled
}

fn text(plan: &isaglot_codec::Plan<'_>, word: &Word) -> Vec<u8> {
    let bytes: Vec<u8> = word.le_bytes().collect();
    let mut out = Vec::new();
    Stream::new(plan, Options::default(), 0).feed(&bytes, &mut isaglot_asm::Plain, &mut out);
    out
}

/// Packs the data of every word with each compiler that is there. A row is a word of the pool: it passes if the same word
/// comes out, or one with the same text, for bits that no text shows are bits that nothing packs. Of a later `release` the
/// words are those with which nothing is wrong.
fn pool(folder: &Path, isa: &str, generation: u32, release: &str) -> Result<(), Failed> {
    let model = load(&folder.join(format!("xml{release}/{isa}/{isa}.xml")))?;
    let mut out = Diagnostics::new();
    let plan = Plan::new(&model, Language::C, &[], &mut out).ok_or_else(|| format!("{out:?}"))?;
    let codec = isaglot_codec::Plan::new(&model, generation);
    let constants = constants();
    let scopes = Scopes::new(&codec, false);
    let mut filler =
        Filler { plan: &plan, scopes, constants: &constants, constant: BTreeSet::new(), current: Word::zero(1) };
    let bits = model.format().max_bits;
    let size = bits as usize / 8;
    let file = format!("{isa}{release}.gen{generation}.pool");
    let words = match release {
        "" => format!("corpus/{file}.bin.gz"),
        _ => format!("xml{release}/{isa}.words.bin.gz"),
    };
    let bytes = corpus::bytes(&folder.join(words))?;
    let mut words: Vec<Word> = bytes.chunks_exact(size).map(|b| Word::from_le_bytes(b, bits)).collect();
    if !release.is_empty() {
        let texts = corpus::text(&folder.join(format!("xml{release}/{isa}.gen{generation}.words.txt.gz")))?;
        let mut lines = texts.lines();
        words.retain(|_| lines.next().is_some_and(|l| !l.starts_with("no match") && !l.contains("\t;")));
        println!("{file}: {} words", words.len());
    }
    let filled = fill(&mut filler, &words);

    let dir = tempfile::tempdir()?;
    let (source, binary) = (dir.path().join("encode.c"), dir.path().join("encode"));
    let options = isaspec::Options {
        prefix: isa,
        stamp: "for a test",
        command: "",
        mesa26: false,
        small: false,
        header: None,
        features: &[],
    };
    let header = isaspec::encode_header(&model, &options, &mut out).ok_or_else(|| format!("{out:?}"))?;
    std::fs::write(dir.path().join(&header.name), &header.text)?;
    std::fs::write(&source, filled_program(isa, generation, &plan, &filled.members)?)?;
    let mut tally = Tally::default();
    for (at, why) in &filled.clashes {
        tally.row(&file, at, Err(format!("no data gives all fields: {why}")));
    }
    for (compiler, _) in COMPILERS.iter().filter(|(_, peer)| peer::probe(&[*peer]).is_ok()) {
        compile(compiler, &[WARNINGS, SANITIZE], &[&source], &binary)?;
        let got = run(&binary, &[], &filled.input)?;
        if got.len() != filled.words.len() * size {
            return Err("words are missing".into());
        }
        for ((at, word, packed), bytes) in filled.words.iter().zip(got.chunks_exact(size)) {
            let got = Word::from_le_bytes(bytes, bits);
            let same = got == **word || text(&codec, &got) == text(&codec, word);
            let row = match same {
                _ if got != *packed => Err(format!("{compiler} packs other bits: {}", got.xor(packed).hex())),
                true => Ok(()),
                false if filler.constant.contains(*word) => Err("a map is a constant".to_owned()),
                false => Err(format!("bits are lost: {}", got.xor(word).hex())),
            };
            tally.row(&file, at, row);
        }
    }
    Ok(ledger::check(env!("CARGO_MANIFEST_DIR"), "isaspec_encode", &tally)?)
}

/// What is unpacked from a word is packed to it again: afuc asks for unpackers.
fn unpacked(folder: &Path, generation: u32, compiler: &str) -> Result<(), Failed> {
    let model = load(&folder.join("xml/afuc/afuc.xml"))?;
    let mut out = Diagnostics::new();
    let plan = Plan::new(&model, Language::C, &[], &mut out).ok_or_else(|| format!("{out:?}"))?;
    let options = isaspec::Options {
        prefix: "afuc",
        stamp: "for a test",
        command: "",
        mesa26: false,
        small: false,
        header: None,
        features: &[],
    };
    let files = isaspec::c(&model, &isaspec::parts(&model), &options, &mut out).ok_or_else(|| format!("{out:?}"))?;
    let dir = tempfile::tempdir()?;
    write(&files, dir.path())?;
    let root = plan.roots.iter().position(|r| r.space == model.root()).ok_or("no root")?;
    let mut c = program("afuc", &plan)?;
    c.push_str(&include_str!("driver/stub/unpack.c").replace("ROOT_NUMBER", &root.to_string()));
    let paths = ["main.c", "afuc-isa.c", "main"].map(|name| dir.path().join(name));
    std::fs::write(&paths[0], c.replace("GENERATION", &generation.to_string()))?;
    compile(compiler, &[WARNINGS, SANITIZE], &[&paths[0], &paths[1]], &paths[2])?;
    let codec = isaglot_codec::Plan::new(&model, generation);
    let bytes = corpus::bytes(&folder.join(format!("corpus/afuc.gen{generation}.pool.bin.gz")))?;
    let got = run(&paths[2], &[], &bytes)?;
    // A nested encoding for which the description does not ask is not unpacked.
    let silent = |word: &Word| match codec.decode(word) {
        isaglot_codec::Match::One(id) => model[id].cases.iter().flat_map(|c| &c.fields).any(|f| match f.ty {
            FieldType::Sub(space) => !model[space].decode,
            _ => false,
        }),
        _ => false,
    };
    let file = format!("afuc.gen{generation}.pool");
    let mut tally = Tally::default();
    for (at, (word, again)) in bytes.chunks_exact(4).zip(got.chunks_exact(4)).enumerate() {
        let (word, again) = (Word::from_le_bytes(word, 32), Word::from_le_bytes(again, 32));
        let good = word == again || silent(&word);
        tally.check(&file, at, good, || format!("packed again with other bits: {}", word.xor(&again).hex()));
    }
    if got.len() != bytes.len() {
        return Err("words are missing".into());
    }
    Ok(ledger::check(env!("CARGO_MANIFEST_DIR"), "isaspec_decode", &tally)?)
}
