//! The shipped description and LLVM, word by word: which words are instructions, and what their texts are.
//!
//! The problem: a thousand instructions were made from a database that was never run beside an assembler. The method: of every
//! leaf, words at the corners of its fields, and every neighbour of these that differs in one fixed bit; of 16 bits, all
//! words. Both sides give a text or refuse. Texts are compared without blanks and with decimal numbers, since the shipped ones are
//! GNU's. What differs is a row `KIND:INSTRUCTION` of the ledger, each with the reason.

#[path = "it/description.rs"]
mod description;

use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;

use isaglot_asm::{Options, Plain, Stream};
use isaglot_bits::Word;
use isaglot_codec::Plan;
use isaglot_model::{Encoding, FeatureId, Isa};
use isaglot_testing::{Failed, ledger, peer, suite};

/// What both sides have on: features of the description, and LLVM's options where they are not the same names.
const GROUPS: [(&str, &str); 2] = [
    (
        "m a f d c zicsr zifencei zba zbb zbc zbs zbkb zbkx zknd zkne zknh zksed zksh zicond zcb zfh zfa zfbfmin zawrs zacas zabha \
         zimop zcmop zicbom zicboz zicbop zihintntl zihintpause zicfilp zicfiss zalasr v zvfh zvfbfmin zvfbfwma zvbb zvbc zvkg zvkned \
         zvknhb zvksed zvksh h svinval priv sdext",
        "+m,+a,+f,+d,+c,+zicsr,+zifencei,+zba,+zbb,+zbc,+zbs,+zbkb,+zbkx,+zknd,+zkne,+zknh,+zksed,+zksh,+zicond,+zcb,+zfh,+zfa,\
         +zfbfmin,+zawrs,+experimental-zacas,+zabha,+zimop,+zcmop,+zicbom,+zicboz,+zicbop,+zihintntl,+zihintpause,\
         +experimental-zicfilp,+experimental-zicfiss,+experimental-zalasr,+v,+zvfh,+zvfbfmin,+zvfbfwma,+zvbb,+zvbc,+zvkg,+zvkned,\
         +zvknhb,+zvksed,+zvksh,+h,+svinval",
    ),
    ("m a zca zicsr zcmp zcmt priv", "+m,+a,+zca,+zicsr,+zcmp,+zcmt"),
];

/// What stands after each word in LLVM's input, so that a refused one is seen: `lui zero, 74565`.
const MARK: &str = "0x37 0x50 0x34 0x12";

fn main() {
    let run = || peer_llvm().map_err(Failed::from);
    suite::run(vec![peer::trial("peer_llvm_words_and_texts", &[peer::LLVM_MC], run)]);
}

fn peer_llvm() -> Result<(), String> {
    let isa = description::isa();
    let mut found: BTreeMap<String, String> = BTreeMap::new();
    for (features, options) in GROUPS {
        for xlen in [32, 64] {
            let named = |name: &str| isa.features().iter().position(|f| f.name == name).map(|i| FeatureId(i as u32));
            let on: Vec<FeatureId> = features.split_whitespace().filter_map(named).collect();
            let plan = Plan::with_features(&isa, xlen, &on);
            let words: Vec<Word> = words(&isa, &plan).into_iter().collect();
            let theirs = llvm(&words, xlen, options)?;
            let mut same = 0;
            for (word, theirs) in words.iter().zip(theirs) {
                let ours = text(&plan, word);
                match differs(&ours, &theirs) {
                    None => same += 1,
                    Some(id) => {
                        found
                            .entry(id)
                            .or_insert_with(|| format!("rv{xlen} {}: `{ours}`, LLVM `{theirs}`", word.hex()));
                    }
                }
            }
            println!("rv{xlen}, {} features: {same}/{}", on.len(), words.len());
        }
    }
    ledger::check_set(env!("CARGO_MANIFEST_DIR"), "peer_llvm", &found, true)
}

/// Words at the corners of every leaf, their neighbours, and all words of 16 bits.
fn words(isa: &Isa, plan: &Plan<'_>) -> BTreeSet<Word> {
    let mut words: BTreeSet<Word> =
        (0..1_u64 << 16).filter(|word| word & 3 != 3).map(|word| Word::from_u64(word, 16)).collect();
    for encoding in isa.encodings().iter().filter(|e| e.space == isa.root() && e.width == 32 && plan.active(e)) {
        let corners = corners(encoding);
        for bit in encoding.pattern.care().ones_iter().filter(|&bit| bit > 1) {
            let mut near = corners[0].clone();
            near.set_bit(bit, !near.bit(bit));
            words.insert(near);
        }
        words.extend(corners);
    }
    words
}

/// Words of an encoding: all operands 0, all ones, and each field alone at 0, 1, its middle and its end.
fn corners(encoding: &Encoding) -> Vec<Word> {
    let fixed = encoding.pattern.care();
    let free: Vec<u32> = (0..32).filter(|&bit| !fixed.bit(bit)).collect();
    let base = encoding.pattern.witness();
    let with = |bits: &[u32], on: &dyn Fn(u32) -> bool| {
        let mut word = base.clone();
        bits.iter().for_each(|&bit| word.set_bit(bit, on(bit)));
        word
    };
    let mut list = vec![with(&free, &|_| false), with(&free, &|_| true), with(&free, &|bit| bit % 2 == 0)];
    let mut start = 0;
    for end in 1..=free.len() {
        if end < free.len() && free[end] == free[end - 1] + 1 && ![12, 15, 20, 25, 27].contains(&free[end]) {
            continue;
        }
        let run = &free[start..end];
        for pattern in [1_u32, 2, 5, 1 << (run.len() - 1), u32::MAX, !1] {
            list.push(with(run, &|bit| pattern >> (bit - run[0]).min(31) & 1 == 1));
        }
        start = end;
    }
    list
}

/// Our text.
fn text(plan: &Plan<'_>, word: &Word) -> String {
    let bytes: Vec<u8> = word.le_bytes().collect();
    let mut stream = Stream::new(plan, Options::default(), bytes.len() as u64);
    let mut out = Vec::new();
    stream.feed(&bytes, &mut Plain, &mut out);
    let text = String::from_utf8_lossy(&out).trim().replace('\t', " ");
    if text.starts_with("no match") { String::new() } else { text }
}

/// LLVM's texts; empty where it refuses.
fn llvm(words: &[Word], xlen: u32, options: &str) -> Result<Vec<String>, String> {
    let mut input = String::new();
    for word in words {
        let bytes: Vec<String> = word.le_bytes().map(|b| format!("{b:#04x}")).collect();
        input.push_str(&format!("{}\n{MARK}\n", bytes.join(" ")));
    }
    let mut command = Command::new("llvm-mc-19");
    command.args(["--disassemble", "-M", "no-aliases", &format!("-triple=riscv{xlen}"), &format!("-mattr={options}")]);
    let said = peer::output(&mut command, &input)?;
    let mut texts = Vec::new();
    let mut current = String::new();
    for line in said.lines().map(|line| line.trim().replace('\t', " ")) {
        match line.as_str() {
            "lui zero, 74565" => texts.push(std::mem::take(&mut current)),
            line if line.starts_with('.') || line.is_empty() => {}
            line => current = line.split('#').next().unwrap_or_default().trim().to_owned(),
        }
    }
    if texts.len() == words.len() { Ok(texts) } else { Err(format!("{} texts for {} words", texts.len(), words.len())) }
}

/// What differs: the kind and the instruction.
fn differs(ours: &str, theirs: &str) -> Option<String> {
    let name = |text: &str| text.split(' ').next().unwrap_or_default().to_owned();
    match (ours.is_empty(), theirs.is_empty()) {
        (true, true) => None,
        (true, false) => Some(format!("only-llvm:{}", name(theirs))),
        (false, true) => Some(format!("only-shipped:{}", name(ours))),
        (false, false) if plain(ours) == plain(theirs) => None,
        (false, false) => Some(format!("text:{}", name(ours))),
    }
}

/// A text without blanks, with decimal numbers, and without the rounding mode that GNU's texts leave out.
fn plain(text: &str) -> String {
    let text = text.replace(", dyn", "").replace(' ', "");
    let mut out = String::new();
    let mut rest = text.as_str();
    while let Some(at) = rest.find("0x") {
        let (before, after) = rest.split_at(at);
        let digits = &after[2..];
        let end = digits.find(|c: char| !c.is_ascii_hexdigit()).unwrap_or(digits.len());
        let value = u64::from_str_radix(&digits[..end], 16).map_or_else(|_| "?".to_owned(), |n| n.to_string());
        out.push_str(before);
        out.push_str(&value);
        rest = &digits[end..];
    }
    out + rest
}
