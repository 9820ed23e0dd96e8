//! A machine with two modes: the same instructions lie in other bits, the length is told in another way, and what one mode
//! has the other does not.

use isaglot_asm::{Assembler, Compat, Names, Options, Plain, Stream};
use isaglot_codec::Plan;
use isaglot_llvm::{self as llvm, Lowered, OperandTable};
use isaglot_source::{Diagnostics, FileId};
use isaglot_tablegen::{Options as Reading, parse};

const RECORDS: &str = r##"
def outs; def ins; def ops; def sequence;
class SubtargetFeature<string n> { string Name = n; string Desc = ""; list<SubtargetFeature> Implies = []; }
class Processor<string n, list<SubtargetFeature> f> { string Name = n; list<SubtargetFeature> Features = f; }
class Register<string n, bits<16> e> { string AsmName = n; bits<16> HWEncoding = e; }
class RegisterClass<dag l> { dag MemberList = l; int Size = 16; }
foreach i = 0...15 in def R#i : Register<"r"#i, i>;
def Reg : RegisterClass<(sequence "R%u", 0, 15)>;
class Instruction {
  string DecoderNamespace = "";
  dag OutOperandList = (outs);
  dag InOperandList = (ins);
  string AsmString = "";
}
class Long<string space, bits<8> op, string asm> : Instruction {
  int Size = 4;
  bits<32> Inst;
  bits<4> a; bits<4> b;
  let Inst{31-24} = op; let Inst{23-20} = a; let Inst{19-16} = b; let Inst{15-0} = 0x1234;
  let DecoderNamespace = space;
  let InOperandList = (ins Reg:$a, Reg:$b);
  let AsmString = asm;
}
class Small<bits<8> op, string asm> : Instruction {
  int Size = 2;
  bits<16> Inst;
  bits<4> a; bits<4> b;
  let Inst{15-8} = op; let Inst{7-4} = a; let Inst{3-0} = b;
  let DecoderNamespace = "Small";
  let InOperandList = (ins Reg:$a, Reg:$b);
  let AsmString = asm;
}
def small : SubtargetFeature<"small">;
def extra : SubtargetFeature<"extra">;
def : Processor<"one", []>;
def ADD : Long<"Wide", 0x11, "add $a, $b">;
def MUL : Long<"Math", 0x22, "mul $a, $b">;
def CMUL : Long<"Cond", 0x00, "mulc $b, $a"> { bits<4> c; let Inst{31-28} = c; let InOperandList = (ins Reg:$a, Reg:$b, Reg:$c); }
def NEG : Small<0x33, "neg $a, $b">;
def LOST : Long<"Nowhere", 0x11, "lost $a, $b">;
"##;

const TABLE: &str = r##"
triple wide = arch extra
triple small = small
parcel 16
mode wide unless small
	length xxxxxxxxxxxxxxxx = 32
	namespaces Wide
	namespace Math if extra
mode small if small
	layout [31:16, 15:0]
	length 111xxxxxxxxxxxxx = 32
	length xxxxxxxxxxxxxxxx = 16
	namespaces Small
	namespace Math = 0b111 [24] [28:25] [23:0]
	namespace Cond where 0b1110
"##;

fn lowered() -> (Lowered, OperandTable) {
    let records = parse("modes.td", RECORDS.as_bytes().into(), &Reading::default(), &mut |_| None);
    assert!(records.ok(), "{:?}", records.messages().diagnostics());
    let mut problems = Diagnostics::new();
    let table = llvm::read(FileId(0), TABLE, &mut problems);
    let lowered = llvm::lower(&records, &table, &mut problems);
    assert!(problems.is_empty(), "{:?}", problems.iter().map(|d| &d.message).collect::<Vec<_>>());
    (lowered.expect("a target"), table)
}

/// A triple, a processor, bytes in memory, their text.
const WORDS: &[(&str, &str, &[u8], &str)] = &[
    ("wide", "", &[0x34, 0x12, 0x12, 0x11], "add r1, r2"),
    ("wide", "", &[0x34, 0x12, 0x12, 0x22], "mul r1, r2"),
    // The feature is that of the triple, which counts where no processor is named.
    ("wide", "one", &[0x34, 0x12, 0x12, 0x22], "no match: 22121234"),
    // No mode names the namespace of `lost`, and this one does not name that of `neg`.
    ("wide", "", &[0x12, 0x33, 0x12, 0x33], "no match: 33123312"),
    ("small", "", &[0x12, 0x33], "neg r1, r2"),
    // Bits of the word are in another order, and the half with the most significant ones comes first.
    ("small", "", &[0x12, 0xe1, 0x34, 0x12], "mul r1, r2"),
    ("small", "", &[0x12, 0x11, 0x34, 0x12], "no match: 00001112"),
    ("small", "", &[0x12, 0xe0, 0x34, 0x12], "mulc r2, r1"),
    ("small", "", &[0x12, 0xf0, 0x34, 0x12], "no match: 1234f012"),
];

#[test]
fn words_and_texts() {
    let (lowered, table) = lowered();
    let names = Names::default();
    for &(triple, cpu, bytes, want) in WORDS {
        let on = llvm::choose(&lowered.isa, &table, triple, cpu, &[]).expect("a triple of the target");
        let plan = Plan::with_features(&lowered.isa, 0, &on).with_aliases(true);
        let mut stream = Stream::new(&plan, Options { show_errors: false, ..Options::default() }, 0);
        let mut out = Vec::new();
        stream.step(bytes, &mut Plain, &mut out);
        let text = String::from_utf8_lossy(&out).trim_end().to_owned();
        assert_eq!(text, want, "{bytes:02x?} of {triple} {cpu}");
        if !want.starts_with("no match") {
            let word = Assembler::new(&plan, &names, Compat::default()).assemble(want.as_bytes());
            let word: Vec<u8> = word.unwrap_or_else(|e| panic!("`{want}`: {e:?}")).le_bytes().collect();
            assert_eq!(word, bytes, "`{want}` of {triple}");
        }
    }
}

/// A line, and what is wrong with it.
const WRONG: &[(&str, &str)] = &[
    ("mode m\n\tparcel 3", "expected `layout`, `length`, `namespaces` or `namespace`"),
    ("mode m\n\tnamespace N = 0b2", "expected bits as `0b…` or `[HIGH:LOW]`"),
    ("mode m\n\tnamespace N where 3", "expected bits as `0b…` with `x`"),
    ("mode m when f", "expected `if` or `unless`"),
];

#[test]
fn wrong_lines() {
    for (table, want) in WRONG {
        let mut problems = Diagnostics::new();
        llvm::read(FileId(0), table, &mut problems);
        let messages: Vec<&String> = problems.iter().map(|d| &d.message).collect();
        assert!(messages.iter().any(|message| message == want), "{table}: {messages:?}");
    }
}
