//! What an operand table says of texts, on a target of four instructions: registers by their digits, conditions on parts of an operand, formulas as
//! conditions, texts instead of a record's; aliases that are read and never printed; instructions of a length that need a feature; and the
//! order of bytes of a triple.

use isaglot_asm::{Assembler, Compat, Names, Options, Plain, Stream};
use isaglot_codec::Plan;
use isaglot_llvm::{self as llvm, NoSuch, OperandTable};
use isaglot_model::{ByteOrder, Isa};
use isaglot_source::{Diagnostics, FileId};
use isaglot_tablegen::{Options as Reading, parse};

const RECORDS: &str = r##"
def outs; def ins; def ops; def sequence;
class SubtargetFeature<string n> { string Name = n; string Desc = ""; list<SubtargetFeature> Implies = []; }
class Register<string n, bits<16> e> { string AsmName = n; bits<16> HWEncoding = e; }
class RegisterClass<dag l> { dag MemberList = l; int Size = 16; }
class Operand<string p> { string DecoderMethod = ""; string PrintMethod = p; dag MIOperandInfo = (ops); }
class Instruction {
  int Size = 2;
  string DecoderNamespace = "";
  dag OutOperandList = (outs);
  dag InOperandList = (ins);
  string AsmString = "";
}
class Short<bits<4> op, string asm> : Instruction {
  bits<16> Inst;
  bits<4> a; bits<4> b; bits<4> c;
  let Inst{15-12} = op; let Inst{11-8} = a; let Inst{7-4} = b; let Inst{3-0} = c;
  let AsmString = asm;
}
class InstAlias<string t, dag r> { string AsmString = t; dag ResultInst = r; int EmitPriority = 1; }
def big : SubtargetFeature<"big">;
foreach i = 0...15 in def R#i : Register<"r"#i, i>;
def Reg : RegisterClass<(sequence "R%u", 0, 15)>;
def Count : Operand<"">;
def Memory : Operand<"printNothing"> { let MIOperandInfo = (ops Reg, Count); }
def ROT : Short<1, "rot $a, $c, $b"> {
  let OutOperandList = (outs Reg:$a); let InOperandList = (ins Reg:$b, Count:$c);
}
def LD : Short<2, "ld $a, [$at]"> {
  let OutOperandList = (outs Reg:$a); let InOperandList = (ins (Memory $b, $c):$at);
}
def TST : Short<3, "tst $a, $c"> { let Inst{7-4} = 0; let InOperandList = (ins Reg:$a, Count:$c); }
def WIDE : Instruction {
  bits<32> Inst; bits<4> a; bits<24> n;
  let Size = 4;
  let Inst{31-28} = 15; let Inst{27-24} = a; let Inst{23-0} = n;
  let OutOperandList = (outs Reg:$a); let InOperandList = (ins Count:$n); let AsmString = "wide $a, $n";
}
def : InstAlias<"none $a", (TST Reg:$a, 7)>;
def : InstAlias<"nil $a", (TST Reg:$a, 7)>;
def : InstAlias<"one $a", (TST Reg:$a, 1)>;
def : InstAlias<"test $a, x, 5", (TST Reg:$a, 5)>;
"##;

const TABLE: &str = r##"
feature odd
triple mini =
triple mini-odd = odd
triple minile = odd
bytes big
bytes little [31:16, 15:0] minile
parcel 16
length 1111xxxxxxxxxxxx = 32
length xxxxxxxxxxxxxxxx = 16
requires 32 "big"
registers digits sigil "%"
case either
print Memory
	0 is 0 and 1 is 1..15 "#{1}"
	1 is 0 "{0}" also "{0}+{1}"
	* "{0}+{1}"
instruction ROT
	alias c = 0 "move $a, $b"
	alias if "a == b && c > 2" "turn $a, $c"
	own if "feature('odd')" "rot $c, $a, $b"
instruction TST
	word [7:4] = 1 where c = 9 also
instruction WIDE
	print n = wide
	reject n 0x400001..0x4ffffe
print wide
	0..9 "{v uint}"
	0x3ffffd..0x400000 "middle {v hex}"
	0xfffff0..0xffffff "{v[23:0] int}"
	* "{v hex}"
"##;

fn target(triple: &str) -> (Isa, OperandTable) {
    let records = parse("target.td", RECORDS.as_bytes().into(), &Reading::default(), &mut |_| None);
    assert!(records.ok(), "{:?}", records.messages().diagnostics());
    let mut problems = Diagnostics::new();
    let table = llvm::read(FileId(0), TABLE, &mut problems).for_triple(triple);
    let lowered = llvm::lower(&records, &table, &mut problems);
    let said: Vec<&str> = problems.iter().map(|d| d.message.as_str()).collect();
    assert!(said.is_empty(), "{said:?}");
    (lowered.expect("it can be lowered").isa, table)
}

/// The text of bytes, with aliases; nothing for no instruction.
fn text(isa: &Isa, table: &OperandTable, triple: &str, features: &[&str], bytes: &[u8]) -> String {
    let on = llvm::choose(isa, table, triple, "", features).expect("the target has it");
    let plan = Plan::with_features(isa, 0, &on).with_aliases(true);
    let mut stream = Stream::new(&plan, Options { show_errors: false, ..Options::default() }, 0);
    let mut out = Vec::new();
    stream.step(bytes, &mut Plain, &mut out);
    String::from_utf8_lossy(&out).trim_end().to_owned()
}

/// The bytes of a text.
fn bytes(isa: &Isa, table: &OperandTable, triple: &str, features: &[&str], text: &str) -> Vec<u8> {
    let on = llvm::choose(isa, table, triple, "", features).expect("the target has it");
    let plan = Plan::with_features(isa, 0, &on).with_aliases(true);
    let names = Names::default();
    let word = Assembler::new(&plan, &names, Compat::default()).assemble(text.as_bytes());
    let mut bytes: Vec<u8> = word.unwrap_or_else(|why| panic!("`{text}`: {why:?}")).le_bytes().collect();
    if isa.format().byte_order == ByteOrder::Big {
        bytes.reverse();
    }
    bytes
}

#[test]
fn texts_and_words() {
    let (isa, table) = target("mini");
    for (triple, word, want) in [
        ("mini", [0x11, 0x20], "move 1, 2"),
        ("mini", [0x11, 0x15], "turn 1, 5"),
        ("mini", [0x11, 0x12], "rot 1, 2, 1"),
        ("mini", [0x11, 0x25], "rot 1, 5, 2"),
        ("mini-odd", [0x11, 0x25], "rot 5, 1, 2"),
        ("mini-odd", [0x11, 0x15], "turn 1, 5"),
        ("mini", [0x2a, 0x03], "ld 10, [#3]"),
        ("mini", [0x2a, 0x20], "ld 10, [2]"),
        ("mini", [0x2a, 0x23], "ld 10, [2+3]"),
        ("mini", [0x2a, 0x00], "ld 10, [0]"),
        ("mini", [0x31, 0x07], "tst 1, 7"),
        ("mini", [0x31, 0x05], "tst 1, 5"),
        ("mini", [0x31, 0x01], "one 1"),
    ] {
        assert_eq!(text(&isa, &table, triple, &[], &word), want);
        assert_eq!(bytes(&isa, &table, triple, &[], want), word, "{want}");
    }
    for (read, word) in [
        ("none 1", [0x31, 0x07]),
        ("nil r1", [0x31, 0x07]),
        ("test %r1, x, 5", [0x31, 0x05]),
        ("ld %r10, [r2+0]", [0x2a, 0x20]),
        // In either case, with numbers in octal, and with blanks where people put them.
        ("LD %R10 , [R2+0]", [0x2a, 0x20]),
        ("TEST %r1 , X,5", [0x31, 0x05]),
        ("Tst r1, 011", [0x31, 0x09]),
    ] {
        assert_eq!(bytes(&isa, &table, "mini", &[], read), word, "{read}");
    }
    // Another word that is read, and not written.
    assert_eq!(text(&isa, &table, "mini", &[], &[0x31, 0x19]), "tst 1, 9");
    assert_ne!(text(&isa, &table, "mini", &[], &[0x31, 0x18]), "tst 1, 8");
    assert_eq!(bytes(&isa, &table, "mini", &[], "tst 1, 9"), [0x31, 0x09]);
}

#[test]
fn a_length_needs_a_feature() {
    let (isa, table) = target("mini");
    let word = [0xf1, 0x00, 0x00, 0x09];
    assert_eq!(text(&isa, &table, "mini", &["+big"], &word), "wide 1, 9");
    assert_ne!(text(&isa, &table, "mini", &[], &word), "wide 1, 9");
}

#[test]
fn ranges_of_wide_numbers() {
    let (isa, table) = target("mini");
    for (number, want) in [
        (9, "wide 1, 9"),
        (10, "wide 1, 0xa"),
        (0x3f_fffc, "wide 1, 0x3ffffc"),
        (0x3f_fffd, "wide 1, middle 0x3ffffd"),
        (0x40_0000, "wide 1, middle 0x400000"),
        (0x40_0001, ""),
        (0x4f_fffe, ""),
        (0x4f_ffff, "wide 1, 0x4fffff"),
        (0xff_ffef, "wide 1, 0xffffef"),
        (0xff_fff0, "wide 1, -16"),
        (0xff_ffff, "wide 1, -1"),
    ] {
        let word = (0xf100_0000u32 | number).to_be_bytes();
        let got = text(&isa, &table, "mini", &["+big"], &word);
        if want.is_empty() {
            assert!(!got.starts_with("wide"), "{number:#x}: {got}");
            continue;
        }
        assert_eq!(got, want);
        assert_eq!(bytes(&isa, &table, "mini", &["+big"], want), word, "{want}");
    }
}

#[test]
fn a_triple_has_its_order_of_bytes() {
    let (isa, table) = target("minile");
    assert_eq!(text(&isa, &table, "minile", &[], &[0x25, 0x11]), "rot 5, 1, 2");
    assert_eq!(bytes(&isa, &table, "minile", &[], "rot 5, 1, 2"), [0x25, 0x11]);
    // The parcel that tells the length comes first in either order.
    let word = [0x00, 0xf1, 0x09, 0x00];
    assert_eq!(text(&isa, &table, "minile", &["+big"], &word), "wide 1, 9");
    assert_eq!(bytes(&isa, &table, "minile", &["+big"], "wide 1, 9"), word);
    // A model is refused for a triple of the other order, rather than read backwards.
    assert_eq!(llvm::choose(&isa, &table, "mini", "", &[]), Err(NoSuch::Order("mini".to_owned())));
    let (isa, table) = target("mini");
    assert_eq!(llvm::choose(&isa, &table, "minile", "", &[]), Err(NoSuch::Order("minile".to_owned())));
}
