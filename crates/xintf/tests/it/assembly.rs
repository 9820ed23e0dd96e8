//! Programs that call commands by name: what they become, that a fused call never loses a value, and what is refused.

use isaglot_asm::{Assembler, Compat, Names};
use isaglot_model::Isa;
use isaglot_riscv::{Xlen, assembly};
use isaglot_source::{Diagnostics, SourceMap};
use isaglot_testing::Random;
use isaglot_xintf::assembly::Interfaces;
use isaglot_xintf::profile::{self, GenericInst};
use isaglot_xintf::set;
use isaglot_xintf::uuid::id_word;

use crate::description;

const DEFS: &str = "
acme.audio:Mixer{ uuid: 0x2345 gain rd rs1 rs2: xcmd0 rd rs1 rs2 flip rd rs1 rs2: xcmd7 rd rs2 rs1 }
acme.audio:Top{ uuid: 0xABCDE go rd rs1 rs2: xcmd1 rd rs1 rs2 }
acme:Edge{ uuid: 0x7FFFF go rd rs1 rs2: xcmd2 rd rs1 rs2 }
";

const WIDE: &str = "acme:Wide{ uuid: 0x123456789abcd go rd rs1 rs2: xcmd3 rd rs1 rs2 }";

/// The words of a program, or the codes of what is wrong with it, each with its line.
fn assemble(isa: &Isa, xlen: Xlen, defs: &str, text: &str) -> Result<Vec<u32>, Vec<String>> {
    let plan = description::plan_without(isa, u64::from(xlen.bits()), "custom0", 8, &["c"]);
    let custom = Names::default();
    let mut assembler = Assembler::new(&plan, &custom, Compat::default());
    let (mut files, mut found) = (SourceMap::new(), Diagnostics::new());
    let id = files.add("defs.xintf", defs.as_bytes());
    let interfaces = set::load(&mut files, &[id], |_, _, _| None, &mut found);
    let file = files.add("program.s", text.as_bytes());
    let mut imports = Interfaces::new(&interfaces, xlen);
    let image =
        assembly::assemble(&mut assembler, &mut imports, &mut files, file, &assembly::Layout::default(), &mut found);
    let codes = found.iter().map(|d| {
        let span = d.span().expect("a place");
        assert_eq!(span.file, file, "{} is not in the program", d.code);
        format!("{}: {}", files.get(span.file).map_or(0, |f| f.line_of(span.start as usize)), d.code)
    });
    let codes: Vec<String> = codes.collect();
    match image {
        Some(program) if codes.is_empty() => {
            Ok(program.image.bytes().chunks(4).map(|b| b.iter().rev().fold(0, |w, b| w << 8 | u32::from(*b))).collect())
        }
        _ => Err(codes),
    }
}

#[test]
fn named_commands_and_constants() {
    let isa = description::isa();
    let text = "
        import(acme.audio:Mixer)      # a comment
        import(acme.audio:Top)
    start:  lui t1, acme.audio:Mixer:uuid; xext t1, t1, zero
        acme.audio:Mixer:gain a0, t1, a1  // another
        acme.audio:Mixer:flip a0, t1, a1
        lui t2, acme.audio:Top:uuid
    1:  bnez a0, 1b
        bleu a0, a1, 1f
        la a2, start
        call start
    1:  lui a3, %hi(0x12345fff)
        addi a3, a3, %lo(0x12345fff)
        .insn r 0x0b, 7, 0, a0, t1, a1
        .word 0x11223344
    ";
    let expected = [
        0x0234_5337,
        0x0203_030b,
        0x00b3_050b,
        0x0065_f50b,
        0xabcd_e3b7,
        0x0005_1063,
        0x00a5_fa63,
        0x0000_0617,
        0xfe46_0613,
        0x0000_0097,
        0xfdc0_80e7,
        0x1234_66b7,
        0xfff6_8693,
        0x00b3_750b,
        0x1122_3344,
    ];
    for xlen in [Xlen::Rv32, Xlen::Rv64] {
        let made = assemble(&isa, xlen, DEFS, text);
        assert!(made.as_deref() == Ok(&expected), "{made:08x?}\n{expected:08x?}");
    }
}

#[test]
fn what_is_wrong_is_said_at_its_line() {
    let isa = description::isa();
    for (text, expected) in [
        ("import(acme:Nothing)\n", vec!["1: E-IMPORT"]),
        ("\nacme.audio:Mixer:gain a0, a1, a2\n", vec!["2: E-IMPORT"]),
        ("import(acme.audio:Mixer)\nacme.audio:Mixer:gian a0, a1, a2\n", vec!["2: E-NAME"]),
        ("import(acme.audio:Mixer)\nacme.audio:Mixer:gain a0, a1\n", vec!["2: E-CMD-OPS"]),
        ("import(acme.audio:Mixer)\nacme.audio:Mixer:gain a0, fa1, a2\n", vec!["2: E-CMD-OPS"]),
        ("import(acme.audio:Mixer)\nacme.audio:Mixer:gain! a0, a0, a2\n", vec!["2: E-CLOBBER"]),
        ("import(acme.audio:Mixer)\nacme.audio:Mixer:gain! a0, a1, a2, dev=4096\n", vec!["2: E-RANGE"]),
        ("import(acme.audio:Mixer)\nacme.audio:Mixer:gain! a0, a1, a2, else=2\n", vec!["2: E-CMD-OPS"]),
        ("la a0, nowhere\n", vec!["1: asm-undefined"]),
        ("li a0, x\n.insn i 1\n", vec!["1: asm-value", "2: asm-insn"]),
    ] {
        assert_eq!(
            assemble(&isa, Xlen::Rv64, DEFS, text),
            Err(expected.iter().map(|s| (*s).to_owned()).collect()),
            "{text}"
        );
    }
    // What the general assembler finds is moved back to the user's line.
    let made = assemble(&isa, Xlen::Rv64, DEFS, "li a0, 0x123456789\nnonsense a0\n").unwrap_err();
    assert!(made.len() == 1 && made[0].starts_with("2: "), "{made:?}");
}

/// What the words of a fused call do: the call as (rd, handle's id, its data register, second operand), and every register
/// that was written. Values that were in registers before are named by their number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Value {
    Before(u32),
    Number(u64),
    Handle(u64, u32),
    Other,
}

fn execute(words: &[u32], xlen: Xlen) -> (Vec<(u32, Value, Value)>, Vec<u32>) {
    let profile = profile::by_name("custom0").expect("a profile");
    let mask = if xlen == Xlen::Rv32 { 0xffff_ffff } else { u64::MAX };
    let mut registers: Vec<Value> = (0..32).map(Value::Before).collect();
    registers[0] = Value::Number(0);
    let (mut calls, mut written) = (Vec::new(), Vec::new());
    for &word in words {
        let (rd, rs1, rs2) = (word >> 7 & 31, word >> 15 & 31, word >> 20 & 31);
        let imm = i64::from(word as i32 >> 20) as u64;
        let (a, b) = (registers[rs1 as usize], registers[rs2 as usize]);
        let number = |f: &dyn Fn(u64) -> u64| match a {
            Value::Number(n) => Value::Number(f(n) & mask),
            _ => Value::Other,
        };
        let result = match (word & 0x7f, profile.decode(word, 8)) {
            (0x37, _) => Value::Number((word & 0xffff_f000) as i32 as u64 & mask),
            (0x13, _) if word >> 12 & 7 == 0 => number(&|n| n.wrapping_add(imm)),
            (0x13, _) if word >> 12 & 7 == 1 => number(&|n| n << (word >> 20 & 63)),
            (0x1b, _) => number(&|n| n.wrapping_add(imm) as i32 as u64),
            (_, Some(GenericInst::Xext(_))) => match (a, b) {
                (Value::Number(id), Value::Before(data)) => Value::Handle(id, data),
                (Value::Number(id), Value::Number(0)) => Value::Handle(id, 0),
                _ => Value::Other,
            },
            (_, Some(GenericInst::Xcmd(_))) => {
                calls.push((rd, a, b));
                Value::Other
            }
            _ => panic!("{word:#x} is not part of a fused call"),
        };
        if rd != 0 {
            registers[rd as usize] = result;
            written.push(rd);
        }
    }
    (calls, written)
}

#[test]
fn a_fused_call_is_right_or_refused() {
    let isa = description::isa();
    let mut random = Random::new(11);
    let (mut right, mut refused) = (0, 0);
    for round in 0..1_000u64 {
        let xlen = if round % 2 == 0 { Xlen::Rv32 } else { Xlen::Rv64 };
        // Half of the time from few registers, so that they meet.
        let among = if random.bool() { 4 } else { 32 };
        let [rd, rs1, rs2, via] = [(); 4].map(|()| random.below(among) as u32);
        let dev = *random.pick(&[0, 1, 2047, 2048, 4095]);
        let has_via = random.bool();
        let mut kinds =
            vec![("acme.audio:Mixer", 0x2345, "gain"), ("acme.audio:Top", 0xABCDE, "go"), ("acme:Edge", 0x7FFFF, "go")];
        if xlen == Xlen::Rv64 {
            kinds.push(("acme:Wide", 0x1_2345_6789_abcd, "go"));
        }
        let (interface, uuid, command) = *random.pick(&kinds);
        let how = *random.pick(&["", ", else=trap", ", else=0", ", else=m1"]);
        let scratch = if has_via { format!(", via=x{via}") } else { String::new() };
        let text =
            format!("import({interface})\n{interface}:{command}! x{rd}, x{rs1}, x{rs2}, dev={dev}{how}{scratch}\n");
        let defs = if xlen == Xlen::Rv64 { format!("{DEFS}{WIDE}") } else { DEFS.to_owned() };
        let temporary = if has_via { via } else { rd };
        match assemble(&isa, xlen, &defs, &text) {
            Ok(words) => {
                right += 1;
                let (calls, written) = execute(&words, xlen);
                let operand = |r: u32| if r == 0 { Value::Number(0) } else { Value::Before(r) };
                let handle = Value::Handle(id_word(uuid, dev, xlen), rs1);
                assert_eq!(calls, [(rd, handle, operand(rs2))], "{text}");
                assert!(written.iter().all(|&r| r == rd || r == temporary), "{text}: {written:?}");
            }
            Err(codes) => {
                refused += 1;
                assert_eq!(codes, ["2: E-CLOBBER"], "{text}");
                assert!(temporary == 0 || temporary == rs1 || temporary == rs2, "{text} was refused for nothing");
            }
        }
    }
    assert!(right > 300 && refused > 200, "{right} right, {refused} refused");
}
