//! Blocks of instructions with conditions: `when` gives up to three instructions after it a condition that their words do not hold.
//! A stream is printed with them, and a source is assembled to the same words.

use isaglot_asm::assemble::source::assemble;
use isaglot_asm::{Assembler, Compat, Names, Options, Plain, Stream};
use isaglot_codec::Plan;
use isaglot_llvm as llvm;
use isaglot_model::Isa;
use isaglot_source::{Diagnostics, FileId};
use isaglot_tablegen::{Options as Reading, parse};

const RECORDS: &str = r##"
def outs; def ins; def ops; def sequence;
class SubtargetFeature<string n> { string Name = n; string Desc = ""; list<SubtargetFeature> Implies = []; }
class Register<string n, bits<16> e> { string AsmName = n; bits<16> HWEncoding = e; }
class RegisterClass<dag l> { dag MemberList = l; int Size = 16; }
foreach i = 0...15 in def R#i : Register<"r"#i, i>;
def Reg : RegisterClass<(sequence "R%u", 0, 15)>;
class Operand { string PrintMethod = "printOperand"; string DecoderMethod = ""; dag MIOperandInfo = (ops); }
def cond : Operand { let PrintMethod = "printCond"; }
def flags : Operand { let PrintMethod = "printFlags"; }
def mask : Operand { let PrintMethod = "printMask"; }
class Instruction {
  dag OutOperandList = (outs);
  dag InOperandList = (ins);
  string AsmString = "";
  int Size = 2;
  bits<16> Inst;
}
class Two<bits<8> op, string asm> : Instruction {
  bits<4> a; bits<4> b;
  let Inst{15-8} = op; let Inst{7-4} = a; let Inst{3-0} = b;
  let InOperandList = (ins Reg:$a, Reg:$b, cond:$c, flags:$s);
  let AsmString = asm;
}
def ADD : Two<0x11, "add${s}${c} $a, $b">;
def STOP : Instruction { let Inst = 0x2200; let AsmString = "stop"; }
def WHEN : Instruction {
  bits<2> n; bits<3> m;
  let Inst{15-5} = 0b01000100000; let Inst{4-3} = n; let Inst{2-0} = m;
  let InOperandList = (ins mask:$n, mask:$m);
  let AsmString = "when $n, $m";
}
"##;

/// `when N, MASK`: the next `N` instructions have a condition, the bit of the mask says which.
const TABLE: &str = r##"
context block = is_set is_clear
instruction WHEN
	opens "i < n ? 1 + (m >> i & 1) : 0"
	reject n 0
operand mask: uint
print printMask: "{v uint}"
operand cond: constant 0
print printCond
	0 ".set" if is_set
	0 ".clear" if is_clear
	0 ""
operand flags: constant 1
print printFlags
	1 "" if block
	1 "s"
"##;

fn lowered() -> Isa {
    let records = parse("contexts.td", RECORDS.as_bytes().into(), &Reading::default(), &mut |_| None);
    assert!(records.ok(), "{:?}", records.messages().diagnostics());
    let mut problems = Diagnostics::new();
    let table = llvm::read(FileId(0), TABLE, &mut problems);
    let lowered = llvm::lower(&records, &table, &mut problems);
    assert!(problems.is_empty(), "{:?}", problems.iter().map(|d| &d.message).collect::<Vec<_>>());
    lowered.expect("a target").isa
}

/// Words, each with its text in this order.
const PROGRAM: &[(u16, &str)] = &[
    (0x1112, "adds r1, r2"),
    (0x4412, "when 2, 2"),
    (0x1112, "add.set r1, r2"),
    (0x1112, "add.clear r1, r2"),
    (0x1112, "adds r1, r2"),
    (0x440f, "when 1, 7"),
    // What has no condition counts, too.
    (0x2200, "stop"),
    (0x1112, "adds r1, r2"),
    // A word that is none does not.
    (0x4408, "when 1, 0"),
    (0x9999, "no match: 00009999"),
    (0x1134, "add.set r3, r4"),
    // The later block ends the earlier one.
    (0x441f, "when 3, 7"),
    (0x4408, "when 1, 0"),
    (0x1134, "add.set r3, r4"),
    (0x1134, "adds r3, r4"),
];

fn bytes() -> Vec<u8> {
    PROGRAM.iter().flat_map(|(word, _)| word.to_le_bytes()).collect()
}

#[test]
fn a_stream_has_conditions() {
    let isa = lowered();
    let plan = Plan::new(&isa, 0);
    let want: Vec<&str> = PROGRAM.iter().map(|(_, text)| *text).collect();
    // At once, in small pieces, with the engine that tells fields, and with labels.
    for (piece, labels) in [(usize::MAX, false), (2, false), (3, true)] {
        let code = bytes();
        let mut stream = Stream::new(&plan, Options { labels, ..Options::default() }, code.len() as u64);
        stream.mark(&code);
        let (mut text, mut at) = (Vec::new(), 0);
        while at < code.len() {
            let end = code.len().min(at.saturating_add(piece));
            match stream.feed(&code[at..end], &mut Plain, &mut text) {
                0 => at += stream.feed(&code[at..], &mut Plain, &mut text),
                used => at += used,
            }
        }
        let text = String::from_utf8_lossy(&text).into_owned();
        assert_eq!(text.lines().collect::<Vec<_>>(), want, "pieces of {piece}");
    }
    // Words that are not of one program say nothing of each other.
    let mut text = Vec::new();
    Stream::new(&plan, Options::default(), 0).alone().feed(&bytes(), &mut Plain, &mut text);
    assert!(!String::from_utf8_lossy(&text).contains("add."), "words alone");
}

/// What a source becomes, or the codes and texts of what is wrong with it.
fn assembled(isa: &Isa, source: &str) -> Result<Vec<u8>, Vec<String>> {
    let (plan, names) = (Plan::new(isa, 0), Names::default());
    let mut assembler = Assembler::new(&plan, &names, Compat::default());
    let mut problems = Diagnostics::new();
    let image = assemble(&mut assembler, FileId(0), source.as_bytes(), false, &mut problems);
    // The assembler is its caller's again, whatever contexts there were.
    assert!(assembler.assemble(b"adds r1, r2").is_ok() && assembler.assemble(b"add.set r1, r2").is_err());
    image
        .map(|image| image.bytes())
        .ok_or_else(|| problems.iter().map(|d| format!("{}: {}", d.code, d.message)).collect())
}

#[test]
fn a_source_is_read_in_its_contexts() {
    let isa = lowered();
    let texts: Vec<&str> = PROGRAM.iter().map(|(_, text)| *text).collect();
    assert_eq!(assembled(&isa, &texts.join("\n")), Ok(bytes()));
    let wrong = [
        (
            "add.set r1, r2",
            "`add.set r1, r2` is an instruction only in the context `is_set`, and no instruction opens one here",
        ),
        (
            "when 1, 0\nadds r1, r2",
            "`adds r1, r2` is not an instruction in the context `is_set`, which an earlier instruction opens",
        ),
        (
            "when 1, 0\nadd.clear r1, r2",
            "`add.clear r1, r2` is an instruction in the context `is_clear`, and this is `is_set`",
        ),
    ];
    for (source, message) in wrong {
        assert_eq!(assembled(&isa, source), Err(vec![format!("asm-context: {message}")]), "{source}");
    }
}

#[test]
fn a_context_is_a_feature_and_excludes_the_others() {
    let isa = lowered();
    let ids: Vec<_> = isa.contexts().to_vec();
    assert_eq!(ids.iter().map(|&id| isa[id].name.as_str()).collect::<Vec<_>>(), ["is_set", "is_clear"]);
    assert_eq!(isa.conflicts(&ids).len(), 2);
    let plan = Plan::new(&isa, 0);
    assert!(plan.within(1).feature(ids[0]) && !plan.within(1).feature(ids[1]));
    assert!(plan.within(2).feature(ids[1]) && !plan.feature(ids[1]));
}

/// A line, and what is wrong with it.
const WRONG: &[(&str, &str)] = &[
    ("context block", "expected `=`"),
    ("context block =", "expected the name of a context"),
    ("instruction WHEN\n\topens 3", "expected a formula in quotes"),
    ("instruction WHEN\n\topens \"q\"", "the instruction has no field `q`"),
];

#[test]
fn what_is_wrong_in_a_table_is_said() {
    let records = parse("contexts.td", RECORDS.as_bytes().into(), &Reading::default(), &mut |_| None);
    for (line, message) in WRONG {
        let mut problems = Diagnostics::new();
        let table = llvm::read(FileId(0), line, &mut problems);
        llvm::lower(&records, &table, &mut problems);
        let found: Vec<&str> = problems.iter().map(|d| d.message.as_str()).collect();
        assert!(found.contains(message), "{line}: {found:?}");
    }
}
