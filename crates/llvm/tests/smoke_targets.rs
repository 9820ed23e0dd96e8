//! Smoke test of the fuzz target `targets`: random and mutated programs and sources for small targets of our own. What
//! must hold is in the functions that the fuzz target calls; here it is also said that words come back from their texts.

use isaglot_asm::{Assembler, Compat, Names, Options, Plain, Stream};
use isaglot_bits::Word;
use isaglot_codec::Plan;
use isaglot_llvm as isa;
use isaglot_model::{ByteOrder, FeatureId, Isa};
use isaglot_source::{Diagnostics, FileId};
use isaglot_tablegen::{Options as Reading, parse};
use isaglot_testing::Random;

const WREN: (&str, &str) =
    (include_str!("../../../examples/wren/wren.td"), include_str!("../../../examples/wren/wren.operands"));

const MIXED: (&str, &str) = (include_str!("data/targets/mixed.td"), include_str!("data/targets/mixed.operands"));

const SOURCES: [&str; 2] = [
    "set r1, 10\nclear r2\nadd r2, r2, r1\nstore r2, [r3 + 4]\njz r1, -6\njump 8\nhigh r7, -128\n",
    "add r1, r2, r3\naddi r1, r2, -300\nload.eq r4, [r8+16]\nload.n r4, [r0]\nmove r1, r2\nclear r3\ntwice r3, r4\n\
     c.low r9, 3\nc.call 8\nj.z -16\nacc r2, x4\nadd r4, r4, r5\n",
];

fn load((td, operands): (&str, &str)) -> Isa {
    let records = parse("target.td", td.as_bytes().into(), &Reading::default(), &mut |_| None);
    assert!(records.ok(), "{:?}", records.messages().diagnostics());
    let mut problems = Diagnostics::new();
    let table = isa::read(FileId(0), operands, &mut problems);
    let lowered = isa::lower(&records, &table, &mut problems);
    let said: Vec<&str> = problems.iter().map(|d| d.message.as_str()).collect();
    assert!(said.is_empty(), "{said:?}");
    lowered.expect("it can be lowered").isa
}

fn all_features(isa: &Isa) -> Vec<FeatureId> {
    (0..isa.features().len() as u32).map(FeatureId).collect()
}

#[test]
fn programs_and_sources_are_survived() {
    let mut random = Random::new(0x0123_4567_89ab_cdef);
    for (files, seed) in [WREN, MIXED].into_iter().zip(SOURCES) {
        let isa = load(files);
        for round in 0..200 {
            let on = if round % 2 == 0 { Vec::new() } else { all_features(&isa) };
            let plan = Plan::with_features(&isa, 0, &on).with_aliases(round % 3 == 0);
            let length = random.index(400);
            isaglot_asm::oracle::disassemble(&plan, &random.bytes(length));
            let source = random.mutated(seed.as_bytes(), &[" ", ",", "[", "]", "+", "-", ".", "0", "r", "x", "\n"]);
            isaglot_asm::oracle::assemble(&plan, &source);
        }
    }
}

#[test]
fn texts_of_random_words_are_read_back() {
    let mut random = Random::new(0xfeed_beef_dead_f00d);
    for files in [WREN, MIXED] {
        let isa = load(files);
        let on = all_features(&isa);
        let plan = Plan::with_features(&isa, 0, &on);
        let names = Names::default();
        let mut assembler = Assembler::new(&plan, &names, Compat::default());
        let mut stream = Stream::new(&plan, Options { show_errors: false, ..Options::default() }, 0);
        let mut found = 0;
        for _ in 0..20_000 {
            let bytes = random.bytes(4);
            let mut text = Vec::new();
            let size = stream.step(&bytes, &mut Plain, &mut text).expect("no instruction is longer");
            let mut bytes = bytes[..size].to_vec();
            if isa.format().byte_order == ByteOrder::Big {
                bytes.reverse();
            }
            let word = Word::from_le_bytes(&bytes, 8 * size as u32);
            let isaglot_codec::Match::One(id) = plan.decode(&word) else { continue };
            found += 1;
            let line = String::from_utf8_lossy(&text).trim_end().to_owned();
            let back = assembler.assemble(line.as_bytes());
            let back = back.unwrap_or_else(|why| panic!("{}: `{line}`: {why:?}", isa.text(isa[id].name)));
            // What is not tested need not come back; the text must.
            let mut bytes: Vec<u8> = back.le_bytes().collect();
            if isa.format().byte_order == ByteOrder::Big {
                bytes.reverse();
            }
            let mut again = Vec::new();
            stream.step(&bytes, &mut Plain, &mut again);
            assert_eq!(String::from_utf8_lossy(&again).trim_end(), line);
        }
        assert!(found > 100, "{found} of the words are instructions");
    }
}

/// The word of a text, and what it prints as.
fn both_ways(files: (&str, &str), text: &str) -> (u64, String) {
    let isa = load(files);
    let plan = Plan::with_features(&isa, 0, &all_features(&isa)).with_aliases(true);
    let names = Names::default();
    let word = Assembler::new(&plan, &names, Compat::default()).assemble(text.as_bytes());
    let word = word.unwrap_or_else(|why| panic!("{text}: {why:?}"));
    let mut bytes: Vec<u8> = word.le_bytes().collect();
    bytes.reverse();
    let mut line = Vec::new();
    let mut stream = Stream::new(&plan, Options { show_errors: false, ..Options::default() }, 0);
    stream.step(&bytes, &mut Plain, &mut line).expect("it is an instruction");
    (word.low_u64(), String::from_utf8_lossy(&line).trim_end().to_owned())
}

#[test]
fn bits_that_the_table_sets_and_parts_that_print_together() {
    let push = 6 << 26 | 1 << 25;
    for (text, word, prints) in [
        ("push r1, 3", push | 1 << 20 | 0x300 << 8 | 2, "push r1, 3"),
        ("push r15, 3(r2)", push | 15 << 20 | 0x320 << 8 | 3, "push r15, 3(r2)"),
        ("push r15, 0(r4,0)", push | 15 << 20 | 0x004 << 8 | 3, "push r15, 0(r4,0)"),
        ("push r14, 15(r4,r2)", push | 14 << 20 | 0xf24 << 8 | 2, "push r14, 15(r4,r2)"),
    ] {
        assert_eq!(both_ways(MIXED, text), (word, prints.to_owned()), "{text}");
    }
}

#[test]
fn aliases_that_are_only_read() {
    let only_read = format!("aliases read\n{}", MIXED.1);
    let (word, prints) = both_ways(MIXED, "move r1, r2");
    assert_eq!(prints, "move r1, r2");
    let (same, prints) = both_ways((MIXED.0, &only_read), "move r1, r2");
    assert_eq!(same, word);
    assert_eq!(prints, "addi r1, r2, 0");
}

const TABLE: &str = include_str!("../../../specs/llvm/riscv.operands");

#[test]
fn mutated_operand_tables() {
    let mut random = Random::new(0x0f1e_2d3c_4b5a_6978);
    let small = "operand imm: int 8, reject 0..3\nprint print\n\tnegative \"-{= -sext(v, 8) ; hex}\"\n\t* \"{v[7:4] hex}:{v[3:0]}\"\n";
    for round in 0..600 {
        let text = random.mutated(if round % 3 == 0 { TABLE } else { small }.as_bytes(), &["{", "}", ":", "\n\t"]);
        isaglot_llvm::oracle::check_any_table(&text);
    }
}
