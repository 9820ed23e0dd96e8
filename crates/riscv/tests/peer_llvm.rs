//! The shipped description beside LLVM and GNU's binutils, word by word: which words are instructions, and what their texts are.
//!
//! The problem: a thousand instructions were made from a database that nobody ran beside an assembler. The method: of every
//! instruction, words at the corners of its fields, and each neighbour of one that differs in one fixed bit; all numbers of control and
//! status registers; all words of 16 bits. Both sides give a text without aliases, or refuse. Texts are compared without blanks and with decimal
//! numbers. What differs is of a class: a row `KIND:INSTRUCTION` of `tests/ledger/peer-*.txt`, with the reason.

#[path = "peer_llvm/classes.rs"]
mod classes;
#[path = "it/description.rs"]
mod description;
#[path = "peer_llvm/programs.rs"]
mod programs;
#[path = "peer_llvm/words.rs"]
mod words;

use std::collections::BTreeMap;

use classes::Classes;
use isaglot_asm::{Options, Plain, Stream};
use isaglot_bits::Word;
use isaglot_codec::Plan;
use isaglot_model::FeatureId;
use isaglot_testing::peer::{self, Peer};
use isaglot_testing::{Failed, ledger, suite};

/// Asks a peer for the texts of words, for a width of registers and the features that both have on; empty where it refuses.
type Ask = fn(&[Word], u32, &[&str]) -> Result<Vec<String>, String>;

/// Widths of registers, and features that both sides have on.
type Set = (&'static [u32], &'static str);

/// Features that both sides have on at a time: those that exclude each other, such as two uses of the same words, are in sets of their own.
const LLVM: [Set; 3] = [
    (
        &[32, 64],
        "m a f d c v h zicsr zifencei zba zbb zbc zbs zbkb zbkx zknd zkne zknh zksed zksh zicond zcb zfh zfa zfbfmin zawrs zacas zabha \
     zimop zcmop zicbom zicboz zicbop zihintntl zihintpause zicfilp zicfiss zalasr zvfh zvfbfmin zvfbfwma zvbb zvbc zvkg zvkned \
     zvknhb zvksed zvksh svinval priv sdext",
    ),
    (&[32, 64], "m a zicsr zifencei zca zcmp zcmt priv sdext"),
    (&[32, 64], "m a zicsr zifencei zca zfinx zdinx zhinx priv sdext"),
];

/// The same for version 2.40, which knows no newer ones, and Q for 64 bits only.
const BINUTILS: [Set; 3] = [
    (
        &[32, 64],
        "m a f d c v h zicbom zicbop zicboz zicsr zifencei zihintpause zawrs zfh zba zbb zbc zbs zbkb zbkx zknd zkne zknh zksed zksh svinval \
     priv sdext",
    ),
    (&[64], "m a f d q c zicsr zifencei priv sdext"),
    (&[32, 64], "m a zicsr zifencei zfinx zdinx zhinx priv sdext"),
];

fn main() {
    let llvm = || beside("peer-llvm", programs::llvm, &LLVM).map_err(Failed::from);
    let binutils = || beside("peer-binutils", programs::objdump, &BINUTILS).map_err(Failed::from);
    let trial = |name, peer: Peer, run: fn() -> Result<(), Failed>| peer::trial(name, &[peer], run);
    suite::run(vec![
        trial("peer_llvm_words_and_texts", peer::LLVM_MC, llvm),
        trial("peer_binutils_words_and_texts", peer::RISCV_BINUTILS, binutils),
    ]);
}

/// Compares with a peer, set by set and for both widths of registers.
fn beside(set: &str, ask: Ask, sets: &[Set]) -> Result<(), String> {
    let isa = description::isa();
    let folder = env!("CARGO_MANIFEST_DIR");
    let classes = Classes::read(&ledger::path(folder, set))?;
    let mut found: BTreeMap<String, String> = BTreeMap::new();
    for (widths, features) in sets {
        let features: Vec<&str> = features.split_whitespace().collect();
        let numbers = features.iter().map(|name| {
            let number = isa.features().iter().position(|f| f.name == *name);
            number.map(|n| FeatureId(n as u32)).ok_or_else(|| format!("no feature {name}"))
        });
        let on = numbers.collect::<Result<Vec<FeatureId>, String>>()?;
        for &xlen in *widths {
            let plan = Plan::with_features(&isa, xlen, &on);
            let words: Vec<Word> = words::all(&isa).into_iter().collect();
            let mut same = 0;
            let both = texts(&plan, &words)?.into_iter().zip(ask(&words, xlen, &features)?);
            for (word, (ours, theirs)) in words.iter().zip(both) {
                match classes::kind(&ours, &theirs) {
                    None => same += 1,
                    Some((kind, name)) => {
                        let example = || format!("rv{xlen} {}: `{ours}`, theirs `{theirs}`", word.hex());
                        found.entry(classes.of(kind, name, word, xlen, &features)).or_insert_with(example);
                    }
                }
            }
            println!("{set}, rv{xlen} with {} features: {same}/{} words are equal", on.len(), words.len());
        }
    }
    println!("{set}: {} classes of differences", found.len());
    ledger::check_set(folder, set, &found, true)
}

/// Our texts without aliases; empty if a word is not a valid instruction.
fn texts(plan: &Plan<'_>, words: &[Word]) -> Result<Vec<String>, String> {
    let bytes: Vec<u8> = words.iter().flat_map(Word::le_bytes).collect();
    let mut stream = Stream::new(plan, Options::default(), bytes.len() as u64);
    let mut out = Vec::new();
    stream.feed(&bytes, &mut Plain, &mut out);
    let text = |line: &str| {
        let line = line.trim().replace('\t', " ");
        if line.starts_with("no match") { String::new() } else { line }
    };
    let texts: Vec<String> = String::from_utf8_lossy(&out).lines().map(text).collect();
    if texts.len() == words.len() { Ok(texts) } else { Err(format!("{} lines for {} words", texts.len(), words.len())) }
}
