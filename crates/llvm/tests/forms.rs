//! What an operand table says for many operands at once, on a target of its own: texts that formulas make, methods with parameters, names from
//! records with the features that they need, forms of an instruction that are records, and bits that only the assembler sets.

use isaglot_asm::{Assembler, Compat, Names, Options, Plain, Stream};
use isaglot_codec::Plan;
use isaglot_llvm::{self as llvm, Lowered, NoSuch, OperandTable};
use isaglot_source::{Diagnostics, FileId};
use isaglot_tablegen::{Options as Reading, parse};

const RECORDS: &str = r##"
def outs; def ins; def ops; def sequence;
class SubtargetFeature<string n> { string Name = n; string Desc = ""; list<SubtargetFeature> Implies = []; }
class Processor<string n, list<SubtargetFeature> f> { string Name = n; list<SubtargetFeature> Features = f; }
class ProcessorAlias<string n, string a> { string Name = n; string Alias = a; }
class Register<string n, bits<16> e> { string AsmName = n; bits<16> HWEncoding = e; }
class RegisterClass<dag l> { dag MemberList = l; int Size = 16; }
class Parser<string r> { string RenderMethod = r; }
class Operand<string d, string p, string r = ""> {
  string DecoderMethod = d; string PrintMethod = p; dag MIOperandInfo = (ops); Parser ParserMatchClass = Parser<r>;
}
class RegisterOperand<RegisterClass c, string p> { RegisterClass RegClass = c; string DecoderMethod = ""; string PrintMethod = p; }
class Instruction {
  int Size = 2;
  string DecoderNamespace = "";
  string PostEncoderMethod = "";
  dag OutOperandList = (outs);
  dag InOperandList = (ins);
  string AsmString = "";
}
class Short<bits<4> op, dag ins, string asm> : Instruction {
  bits<16> Inst;
  bits<4> a; bits<4> b; bits<4> c;
  let Inst{15-12} = op; let Inst{11-8} = a; let Inst{7-4} = b; let Inst{3-0} = c;
  let InOperandList = ins;
  let AsmString = asm;
}
class InstAlias<string t, dag r> { string AsmString = t; dag ResultInst = r; int EmitPriority = 1; }
def old : SubtargetFeature<"old">;
def fast : SubtargetFeature<"fast">;
def every : SubtargetFeature<"every">;
def : Processor<"one", [fast]>;
def : ProcessorAlias<"eins", "one">;
foreach i = 0...15 in def R#i : Register<"r"#i, i>;
foreach i = 0...15 in def V#i : Register<"v"#i, i>;
def Reg : RegisterClass<(sequence "R%u", 0, 15)>;
def Vec : RegisterClass<(sequence "V%u", 0, 15)>;
def Amount : Operand<"", "printOperand">;
def Negated : Operand<"", "printOperand", "negate">;
def Mask : Operand<"", "printMask<8>">;
def Odd : Operand<"", "printMask<8>">;
def List : RegisterOperand<Vec, "printList<2, 'b'>">;
def Pair : RegisterOperand<Reg, "printList<2, 'b'>">;
def Signed : Operand<"decodeSigned<4>", "printScale<4>">;
def Mine : RegisterOperand<Vec, ""> { let DecoderMethod = "decodeMine<Reg, 0, 16>"; }
def Control : Operand<"", "printControl">;
def Part : Operand<"decodePart", "printPart">;
class Known<string n, bits<8> v, bit r> { string Name = n; bits<8> Value = v; bit Readable = r; code Needs = [{ {} }]; }
def : Known<"PLAIN", 1, 1>;
def : Known<"HIDDEN", 2, 0>;
def : Known<"QUICK", 3, 1> { let Needs = [{ {Target::fast} }]; }
class Action<string n, bits<4> v, bit r> { string Name = n; bits<8> Code = {0b0000, v}; bit Takes = r; code Needs = [{ {} }]; }
def : Action<"FLUSH", 1, 1>;
def : Action<"DRAIN", 2, 0>;
def : Action<"RUSH", 3, 1> { let Needs = [{ {Target::fast} }]; }
def ADD : Short<1, (ins Reg:$a, Reg:$b, Amount:$c), "add{ $a.s, $b.s, $c|.s $a, $b, $c}">;
def AND : Short<2, (ins Reg:$a, Mask:$c), "and $a, $c"> { let Inst{7-4} = 0; }
def TBL : Short<3, (ins List:$a, Pair:$b, Signed:$c), "tbl $a, $b, $c">;
def MOV : Short<4, (ins Mine:$a), "mov $a"> { let Inst{7-0} = 0; }
def GET : Short<5, (ins Reg:$a, Control:$n), "get $a, $n"> { bits<8> n; let Inst{7-0} = n; }
def SYS : Short<6, (ins Reg:$a, Amount:$b, Amount:$c), "sys $b, $c, $a">;
def SET : Short<7, (ins Reg:$a, Amount:$b, Amount:$c), "set $b, $c, $a">;
def MUL : Short<8, (ins Reg:$a, Reg:$b), "mul $a, $b"> { let PostEncoderMethod = "fix<3>"; let Inst{3-0} = ?; }
def PAR : Short<9, (ins Reg:$a, Part:$n), "par $a, $n"> { bits<8> n; let Inst{7-0} = n; }
def SEL : Short<10, (ins Reg:$a, Amount:$k), "low $a"> { let Inst{7-4} = 3; let Inst{3-0} = ?; }
def : InstAlias<"sub $a, $b, $c", (ADD Reg:$a, Reg:$b, Negated:$c)>;
def : InstAlias<"odd $a, $c", (AND Reg:$a, Odd:$c)>;
"##;

const TABLE: &str = r##"
triple mini = alone old
immediates "#"
define low(n) = "(1 << n) - 1"
define twice(x) = "low(x) * 2"
enum masks
	0..15 "#{= twice(v) ; hex 4}" if "v < 8"
	0..15 "#{= twice(v)}" if "v >= 8 && v != 15"
	1..3 "half{= v ; fixed 1 2}"
print printMask<N>: "{v enum masks}"
operand Odd: uint, accept "v & 1", reject 3
print printList<N, "b"> of Vec: "{{ v{v uint}.{<N>}, v{= v + N - 1 & 15}.{<N>} }"
print printList<N, K> given Gone: "wrong"
print printList<N, K> given Reg: "{v}:{<K>}"
print printList<N, K>: "wrong"
decode decodeSigned<N>: int N
print printScale<S>: "{= v * S}"
decode decodeMine<"Reg">: register
table control = Known value Value text Name lower where Readable = 1 needs Needs or every else "C{v[7:4] uint}_{v[3:0] uint}"
print printControl: "{v enum control}"
decode decodePart
	top [7]: uint
	rest [6:0]: uint
print printPart
	top is 0 "{= rest + 1}"
	top is 1 "{= sext(rest, 7)}!"
instruction SYS
	each Action b,c = Code where Takes = 1 needs Needs or every "act {Name lower}, $a"
	each Action b,c = Code with a = 15 where Takes = 0 "act {Name}"
	each Action b,c = Code where Takes = 0 "act {Name}" unread
instruction SET
	each Action b,c = Code "do {Name}, $a"
	only each
instruction SEL
	bits k [3:2]
	reject k 2..3
	alias k = 1 "high $a"
instruction "fix<3>"
	write [3:0] = 5
"##;

fn lowered(table: &str) -> (Lowered, OperandTable) {
    let records = parse("mini.td", RECORDS.as_bytes().into(), &Reading::default(), &mut |_| None);
    assert!(records.ok(), "{:?}", records.messages().diagnostics());
    let mut problems = Diagnostics::new();
    let table = llvm::read(FileId(0), table, &mut problems);
    let lowered = llvm::lower(&records, &table, &mut problems);
    assert!(problems.is_empty(), "{:?}", problems.iter().map(|d| &d.message).collect::<Vec<_>>());
    let lowered = lowered.expect("a target");
    assert!(lowered.missing.is_empty(), "{:?}", lowered.missing);
    (lowered, table)
}

fn text(plan: &Plan<'_>, word: u16) -> String {
    let mut stream = Stream::new(plan, Options { show_errors: false, ..Options::default() }, 0);
    let mut out = Vec::new();
    stream.step(&word.to_le_bytes(), &mut Plain, &mut out);
    String::from_utf8_lossy(&out).trim_end().to_owned()
}

/// Features, a word, its text, and whether the text becomes the word.
const WORDS: &[(&str, u16, &str, bool)] = &[
    // A name ends before a dot if the operand does; plain numbers have their sign.
    ("", 0x1234, "add r2.s, r3.s, #4", true),
    // Of the texts of a value the first prints.
    ("", 0x2103, "and r1, #0x000e", true),
    ("", 0x2108, "and r1, #510", true),
    // An alias is for what the steps of its operand let through.
    ("", 0x2105, "odd r1, #0x003e", true),
    ("", 0x2101, "odd r1, #0x0002", true),
    // Classes of registers and parameters choose the text.
    ("", 0x3f2e, "tbl { v15.2, v0.2 }, r2:b, -8", true),
    ("", 0x4700, "mov v7", true),
    // Names from records: those that can be read, with their features.
    ("", 0x5101, "get r1, PLAIN", true),
    ("", 0x5102, "get r1, C0_2", true),
    ("", 0x5103, "get r1, C0_3", true),
    ("+fast", 0x5103, "get r1, QUICK", true),
    ("+every", 0x5103, "get r1, QUICK", true),
    // Forms that are records.
    ("", 0x6201, "act flush, r2", true),
    ("", 0x6203, "sys #0, #3, r2", true),
    ("+fast", 0x6203, "act rush, r2", true),
    ("", 0x6f02, "act DRAIN", true),
    ("", 0x6102, "act DRAIN", false),
    ("", 0x7103, "do RUSH, r1", true),
    ("", 0x7104, "no match: 00007104", false),
    // A field that only the table has, with values of its own.
    ("", 0xa130, "low r1", true),
    ("", 0xa134, "high r1", true),
    // Bits that decoding does not test.
    ("", 0x8125, "mul r1, r2", true),
    ("", 0x8126, "mul r1, r2", false),
    // Formulas over parts.
    ("", 0x9105, "par r1, 6", true),
    ("", 0x91ff, "par r1, -1!", true),
];

#[test]
fn words_and_texts() {
    let (lowered, table) = lowered(TABLE);
    let names = Names::default();
    for &(features, word, want, same) in WORDS {
        let on = llvm::choose(&lowered.isa, &table, "mini", "", &[features]).expect("features of the target");
        let plan = Plan::with_features(&lowered.isa, 0, &on).with_aliases(true);
        assert_eq!(text(&plan, word), want, "{word:#06x} with `{features}`");
        let back = Assembler::new(&plan, &names, Compat::default()).assemble(want.as_bytes());
        let is_word = back.as_ref().is_ok_and(|w| w.to_u64() == Some(u64::from(word)));
        assert_eq!(is_word, same, "`{want}` with `{features}`: {back:?}");
    }
}

/// What is read although nothing prints so, and what is not read.
#[test]
fn further_texts() {
    let (lowered, _) = lowered(TABLE);
    let plan = Plan::new(&lowered.isa, 0).with_aliases(true);
    let names = Names::default();
    let mut assembler = Assembler::new(&plan, &names, Compat::default());
    let mut word = |text: &str| assembler.assemble(text.as_bytes()).ok().and_then(|w| w.to_u64());
    assert_eq!(word("get r1, plain"), Some(0x5101));
    assert_eq!(word("and r1, half1.50"), Some(0x2103));
    assert_eq!(word("get r1, HIDDEN"), None, "the record does not count");
    assert_eq!(word("sub r2, r3, #4"), None, "its parser makes another number");
    assert_eq!(word("odd r1, #0x000e"), None, "refused by the alias's operand");
}

#[test]
fn processors_and_triples() {
    let (lowered, table) = lowered(TABLE);
    let on = |cpu: &str, features: &[&str]| -> Result<Vec<String>, NoSuch> {
        let ids = llvm::choose(&lowered.isa, &table, "mini", cpu, features)?;
        Ok(ids.iter().map(|id| lowered.isa[*id].name.clone()).collect())
    };
    assert_eq!(on("", &[]), Ok(vec!["old".to_owned()]));
    assert_eq!(on("", &["+fast"]), Ok(vec!["fast".to_owned()]));
    assert_eq!(on("eins", &[]), Ok(vec!["fast".to_owned(), "cpu=eins".to_owned()]));
}

/// A line, and what is wrong with it.
const WRONG: &[(&str, &str)] = &[
    ("define f(x) = \"f(x)\"\nprint p: \"{= f(v)}\"", "expected an operator, not `(x)`"),
    ("enum e\n\t0..200000 \"{= v}\"", "a range of more than 131072 values"),
    ("enum e\n\t0..3 \"{= Inst}\"", "a formula of an enum is over `v` and numbers only"),
    ("enum e\n\t0..3 \"{= v ; octal}\"", "expected `int`, `uint`, `hex [DIGITS]` or `fixed BITS DIGITS`"),
    ("instruction I\n\teach C f \"t\"", "expected `=`"),
    ("instruction I\n\tonly", "expected `each`"),
    ("instruction I\n\twrite 3", "expected `=`"),
    (
        "table t = C value V text T els \"x\"",
        "expected `value`, `text`, `also`, `prefix`, `lower`, `when`, `needs`, `without`, `where` or `else` before this",
    ),
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

/// A fact, and the operand that its instruction does not have.
const ABSENT: &[(&str, &str)] = &[
    ("instruction ADD\n\treject d 3\n", "`ADD` has no operand or field `d`"),
    ("instruction ADD\n\tprint x = p\n", "`ADD` has no operand or field `x`"),
    ("instruction ADD SYS\n\talias a = 1 e = 2 \"one $b\"\n", "`SYS` has no operand or field `e`"),
    ("instruction ADD\n\talias \"one $a, ${q:p}\"\n", "`ADD` has no operand or field `q`"),
    ("instruction SET\n\teach Action b,z = Code \"x\"\n", "`SET` has no operand or field `z`"),
    ("instruction \"fix<3>\"\n\tconstant y = 1\n", "`fix<3>` has no operand or field `y`"),
];

#[test]
fn an_operand_that_is_not_there_is_an_error() {
    for (fact, want) in ABSENT {
        let records = parse("mini.td", RECORDS.as_bytes().into(), &Reading::default(), &mut |_| None);
        let mut problems = Diagnostics::new();
        let table = llvm::read(FileId(0), &format!("{TABLE}{fact}"), &mut problems);
        assert!(llvm::lower(&records, &table, &mut problems).is_none(), "{fact}");
        let found = problems.iter().find(|d| d.message == *want).unwrap_or_else(|| panic!("{fact}: {problems:?}"));
        assert!(!found.labels.is_empty(), "{fact} has a place");
    }
    // Instructions that this version of a target does not have are not looked at.
    lowered(&format!("{TABLE}instruction GONE\n\treject what 3\n"));
}

/// An operand that nothing holds has a mark, and a warning says so.
#[test]
fn an_operand_that_nothing_holds_is_told() {
    let records =
        RECORDS.replace("\"mov $a\"", "\"mov $a, $held\"").replace("(ins Mine:$a)", "(ins Mine:$a, Amount:$held)");
    let records = parse("mini.td", records.as_bytes().into(), &Reading::default(), &mut |_| None);
    let mut problems = Diagnostics::new();
    let table = llvm::read(FileId(0), TABLE, &mut problems);
    let lowered = llvm::lower(&records, &table, &mut problems).expect("a target");
    assert!(lowered.missing.iter().any(|(kind, name, ..)| *kind == llvm::Missing::Absent && name == "held"));
    assert_eq!(text(&Plan::new(&lowered.isa, 0), 0x4700), "mov v7, ?");
}

/// Formulas that put others in their places grow no further than a table may.
#[test]
fn formulas_are_bounded() {
    let mut table = String::from("define f0(x) = \"x + x + x + x + x + x + x + x\"\n");
    for i in 1..30 {
        table.push_str(&format!("define f{i}(x) = \"f{}(x + x + x + x + x + x + x + x)\"\n", i - 1));
    }
    let mut problems = Diagnostics::new();
    llvm::read(FileId(0), &table, &mut problems);
    assert!(problems.iter().any(|d| d.message == "expected a shorter formula"));
}
