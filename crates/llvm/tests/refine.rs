//! What a table changes of single instructions, on a machine of its own: words that a formula over fields refuses, fields that are in the word
//! twice, values without a text, operands and decoder namespaces other than those of the records, texts that are only printed, and a mode whose words lie in another
//! way where bytes come in another order.

use isaglot_asm::{Assembler, Compat, Names, Options, Plain, Stream};
use isaglot_codec::Plan;
use isaglot_llvm::{self as llvm, Lowered, OperandTable};
use isaglot_source::{Diagnostics, FileId};
use isaglot_tablegen::{Options as Reading, parse};

const RECORDS: &str = r##"
def outs; def ins; def ops; def sequence;
class SubtargetFeature<string n> { string Name = n; string Desc = ""; list<SubtargetFeature> Implies = []; }
class Register<string n, bits<16> e> { string AsmName = n; bits<16> HWEncoding = e; }
class RegisterClass<dag l> { dag MemberList = l; int Size = 16; }
foreach i = 0...15 in def R#i : Register<"r"#i, i>;
def Reg : RegisterClass<(sequence "R%u", 0, 15)>;
def Even : RegisterClass<(sequence "R%u", 0, 14, 2)>;
class Instruction {
  string DecoderNamespace = "";
  dag OutOperandList = (outs);
  dag InOperandList = (ins);
  string AsmString = "";
}
class Short<string space, bits<8> op, dag ins, string asm> : Instruction {
  int Size = 2;
  bits<16> Inst;
  bits<4> a; bits<4> b;
  let Inst{15-8} = op; let Inst{7-4} = a; let Inst{3-0} = b;
  let DecoderNamespace = space;
  let InOperandList = ins;
  let AsmString = asm;
}
class Long<string space, string asm> : Instruction {
  int Size = 4;
  bits<32> Inst;
  bits<4> a;
  let Inst{31-4} = 0xe123456; let Inst{3-0} = a;
  let DecoderNamespace = space;
  let InOperandList = (ins Reg:$a);
  let AsmString = asm;
}
def packed : SubtargetFeature<"packed">;
def LESS : Short<"Base", 1, (ins Reg:$a, Reg:$b), "less $a, $b">;
def REST : Short<"Base", 1, (ins Reg:$a, Reg:$b), "rest $a, $b">;
def TWICE : Short<"Base", 2, (ins Reg:$a), "twice $a"> { let Inst{3-0} = a; }
def PAIR : Short<"Base", 3, (ins Even:$a, Reg:$b), "pair $a, $b">;
def LOST : Short<"Other", 4, (ins Reg:$a, Reg:$b), "lost $a, $b">;
def OR : Short<"Base", 7, (ins Reg:$a, Reg:$b), "or $a, $b">;
def ADD : Short<"Base", 8, (ins Reg:$a, Reg:$b), "add $a, $b">;
def WIDE : Long<"Base", "wide $a">;
def Kind { string PrintMethod = "printKind"; }
def Few : RegisterClass<(sequence "R%u", 0, 5)>;
def Amount;
def JOIN : Short<"Base", 10, (ins Few:$a, Few:$b, Amount:$n), "join $a, $b, $n"> { let Inst{7-0} = ?; }
def BACK : Short<"Base", 11, (ins Amount:$a, Amount:$b), "back $a, $b">;
def KIND : Short<"Base", 9, (ins Kind:$a, Reg:$b), "kind $a, $b">;
"##;

const TABLE: &str = r##"
triple one =
triple oneel =
triple packed = packed
triple packedel = packed
bytes big
bytes little oneel packedel
	layout packed [31:16, 15:0]
parcel 16
mode plain unless packed
	length 1110xxxxxxxxxxxx = 32
	length xxxxxxxxxxxxxxxx = 16
	namespaces Base
mode packed if packed
	length 1110xxxxxxxxxxxx = 32
	length xxxxxxxxxxxxxxxx = 16
	namespaces Base
instruction LESS
	reject if "a == 0 || a >= b"
instruction REST
	reject if "a < b && a != 0"
instruction PAIR
	operand a = Reg
instruction LOST
	namespace Base
instruction OR ADD
	alias b = 0 "move $a"
instruction OR
	unread "move"
decode first: compute "(v >> 1) % 3 << 1 | v & 1", register
decode second: compute "(v >> 1) / 3 << 1 | v & 1", register
decode few: plus 1, compute "v * v", plus 1, enum squares
enum squares
	2 "two"	5 "five"	10 "ten"	17 "seventeen"
instruction JOIN
	operands first [7:4, 3:3], second [7:4, 2:2], few [1:0]
instruction BACK
	decode a = back
decode back: compute "0 - v"
print printKind
	0..2 "k{v uint}"
	4..7 "{v[1:0] print late}"
print late
	0 "late0" if packed
	1..2 "late{v uint}"
"##;

fn lowered(table: &str, triple: &str) -> (Option<Lowered>, OperandTable, Vec<String>) {
    let records = parse("refine.td", RECORDS.as_bytes().into(), &Reading::default(), &mut |_| None);
    assert!(records.ok(), "{:?}", records.messages().diagnostics());
    let mut problems = Diagnostics::new();
    let table = llvm::read(FileId(0), table, &mut problems).for_triple(triple);
    let lowered = llvm::lower(&records, &table, &mut problems);
    (lowered, table, problems.iter().map(|d| d.message.clone()).collect())
}

/// A triple, bytes in memory, their text, and the bytes of that text where they are others.
type Row = (&'static str, &'static [u8], &'static str, Option<&'static [u8]>);
const WORDS: &[Row] = &[
    // Two instructions of the same bits are told apart by what they refuse.
    ("one", &[0x01, 0x12], "less r1, r2", None),
    ("one", &[0x01, 0x22], "rest r2, r2", None),
    ("one", &[0x01, 0x21], "rest r2, r1", None),
    ("one", &[0x01, 0x02], "rest r0, r2", None),
    // A field that is there twice: both are assembled, and words in which they differ are not the instruction.
    ("one", &[0x02, 0x33], "twice r3", None),
    ("one", &[0x02, 0x00], "twice r0", None),
    ("one", &[0x02, 0x32], "no match: 00000232", None),
    // The record's class has no such register.
    ("one", &[0x03, 0x12], "pair r1, r2", None),
    ("one", &[0x04, 0x12], "lost r1, r2", None),
    // Of two that print alike one is assembled, although the other has fewer bits set.
    ("one", &[0x08, 0x10], "move r1", None),
    ("one", &[0x07, 0x10], "move r1", Some(&[0x08, 0x10])),
    ("one", &[0x07, 0x11], "or r1, r1", None),
    // A value that no line of a `print` has, or of one within it, is refused.
    ("one", &[0x09, 0x21], "kind k2, r1", None),
    ("one", &[0x09, 0x31], "no match: 00000931", None),
    ("one", &[0x09, 0x51], "kind late1, r1", None),
    ("one", &[0x09, 0x41], "no match: 00000941", None),
    ("packed", &[0x09, 0x41], "kind late0, r1", None),
    ("one", &[0x09, 0x71], "no match: 00000971", None),
    // Two registers whose upper digits, of base 3, are one number: 5 is 2 and 1; 9 is none.
    ("one", &[0x0a, 0x58], "join r5, r2, two", None),
    ("one", &[0x0a, 0x07], "join r0, r1, seventeen", None),
    ("one", &[0x0a, 0x89], "join r5, r4, five", None),
    ("one", &[0x0a, 0x98], "no match: 00000a98", None),
    ("one", &[0x0b, 0x37], "back -3, 7", None),
    // The upper half of a packed word comes first in either order of bytes.
    ("one", &[0xe1, 0x23, 0x45, 0x65], "wide r5", None),
    ("packed", &[0xe1, 0x23, 0x45, 0x65], "wide r5", None),
    ("packedel", &[0x23, 0xe1, 0x65, 0x45], "wide r5", None),
    ("packedel", &[0x12, 0x01], "less r1, r2", None),
];

#[test]
fn words_and_texts() {
    let names = Names::default();
    for &(triple, bytes, want, other) in WORDS {
        let (lowered, table, problems) = lowered(TABLE, triple);
        assert!(problems.is_empty(), "{problems:?}");
        let lowered = lowered.expect("a target");
        let on = llvm::choose(&lowered.isa, &table, triple, "", &[]).expect("a triple of the target");
        let plan = Plan::with_features(&lowered.isa, 0, &on).with_aliases(true);
        let mut stream = Stream::new(&plan, Options { show_errors: false, ..Options::default() }, 0);
        let mut out = Vec::new();
        stream.step(bytes, &mut Plain, &mut out);
        let text = String::from_utf8_lossy(&out).trim_end().to_owned();
        assert_eq!(text, want, "{bytes:02x?} of {triple}");
        if !want.starts_with("no match") {
            let word = Assembler::new(&plan, &names, Compat::default()).assemble(want.as_bytes());
            let mut word: Vec<u8> = word.unwrap_or_else(|e| panic!("`{want}`: {e:?}")).le_bytes().collect();
            if !triple.ends_with("el") {
                word.reverse();
            }
            assert_eq!(word, other.unwrap_or(bytes), "`{want}` of {triple}");
        }
    }
}

/// Lines after the table, and what is wrong with them.
const WRONG: &[(&str, &str)] = &[
    ("instruction LESS\n\treject if \"z == 0\"", "nothing is called `z` here"),
    ("instruction LESS\n\treject if \"feature('packed')\"", "features cannot be tried here"),
    (
        "instruction WIDE\n\tbits all [31:0]\n\treject if \"all == 0\"",
        "the fields of the formula have 32 bits; at most 16 can be tried",
    ),
    (
        "operand Reg: uint, accept \"v & 1\"\ninstruction WIDE\n\tbits a [27:0]",
        "`accept` is over 28 bits; at most 16 can be tried",
    ),
    ("instruction LESS\n\treject if 3", "expected a formula in quotes"),
    ("instruction LESS\n\toperand z = Reg", "`LESS` has no operand or field `z`"),
    (
        "instruction LESS\n\toperand a = Gone",
        "the operand table names the record of an operand `Gone`, which does not exist",
    ),
    ("instruction JOIN\n\toperands few [1:0]", "`JOIN` has two lines about its operands in order"),
    ("instruction BACK\n\toperands few [1:0]", "`BACK` has 2 operands of its own, not 1"),
    ("instruction OR\n\tdecode a = gone", "the operand table names the decoder `gone`, which does not exist"),
    ("decode gone: compute \"w + 1\"", "expected a formula over `v`"),
    ("decode gone: compute \"v + feature('packed')\"", "expected a formula over `v`"),
    ("decode gone: compute \"v\", shl 1", "expected a step that is not about bits after `compute`"),
    ("instruction BACK\n\tprint a = printKind", "`a` is computed: it prints as a number, a register or by an `enum`"),
    (
        "instruction BACK\n\tprint a = low\nprint low: \"{v[1:0]}\"",
        "some bits of a number that is computed cannot be printed",
    ),
    ("bytes little other\n\tlayout pakced [15:0]", "the table has no mode `pakced`"),
];

#[test]
fn wrong_lines() {
    for (lines, want) in WRONG {
        let (_, _, problems) = lowered(&format!("{TABLE}{lines}\n"), "one");
        assert!(problems.iter().any(|message| message == want), "{lines}: {problems:?}");
    }
}
