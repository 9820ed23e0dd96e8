//! Nothing wrong in silence: a name that no table explains is a warning and a mark in the text; a processor that the table does not
//! claim, a table with errors and an unknown order are refused; instructions with the same bits are told.

use isaglot_asm::{Assembler, Compat, Names, Options, Plain, Stream};
use isaglot_codec::Plan;
use isaglot_llvm::{self as llvm, Lowered, Missing, NoSuch, OperandTable};
use isaglot_source::{Diagnostics, FileId};
use isaglot_tablegen::{Options as Reading, Records, parse};

const MIXED: &str = include_str!("data/targets/mixed.td");
const TABLE: &str = include_str!("data/targets/mixed.operands");

fn records(text: &str) -> Records {
    let records = parse("target.td", text.as_bytes().into(), &Reading::default(), &mut |_| None);
    assert!(records.ok(), "{:?}", records.messages().diagnostics());
    records
}

fn table(text: &str) -> OperandTable {
    let mut problems = Diagnostics::new();
    let table = llvm::read(FileId(0), text, &mut problems);
    let said: Vec<&str> = problems.iter().map(|d| d.message.as_str()).collect();
    assert!(said.is_empty(), "{said:?}");
    table
}

fn lower(text: &str, table: &OperandTable) -> Lowered {
    llvm::lower(&records(text), table, &mut Diagnostics::new()).expect("it can be lowered")
}

/// The text of a word that is the first of the bytes, with all features on.
fn text(lowered: &Lowered, bytes: &[u8]) -> String {
    let on: Vec<_> = (0..lowered.isa.features().len() as u32).map(isaglot_model::FeatureId).collect();
    let plan = Plan::with_features(&lowered.isa, 0, &on).with_aliases(true);
    let mut stream = Stream::new(&plan, Options { show_errors: false, ..Options::default() }, 0);
    let mut out = Vec::new();
    stream.step(bytes, &mut Plain, &mut out);
    String::from_utf8_lossy(&out).trim_end().to_owned()
}

/// Words of mixed.td and their texts with the whole table.
const WORDS: [(&[u8], &str); 5] = [
    (&[0x0a, 0x12, 0x00, 0x05], "addi r1, r2, 5"),
    (&[0x0f, 0x12, 0x00, 0x14], "load.z r1, [r2+4]"),
    (&[0x12, 0x12, 0x00, 0x07], "acc r1, x2"),
    (&[0x1a, 0x21, 0x23, 0x00], "push r2, 1(r3,r2)"),
    (&[0x23, 0xe1], "c.low r15, 1"),
];

#[test]
fn whatever_the_table_loses_is_seen() {
    let whole = table(TABLE);
    let full = lower(MIXED, &whole);
    assert!(full.missing.is_empty() && full.warnings().next().is_none(), "{:?}", full.missing);
    let texts = |lowered: &Lowered| WORDS.map(|(bytes, _)| text(lowered, bytes));
    let before = texts(&full);
    assert!(before.iter().all(|text| !text.contains('?')), "{before:?}");
    let used: [(Missing, &str); 6] = [
        (Missing::Decoder, "decodeSimm"),
        (Missing::Decoder, "decodeMem"),
        (Missing::Decoder, "decodePair"),
        (Missing::Printer, "printCond"),
        (Missing::Printer, "printScale"),
        (Missing::Printer, "printMem"),
    ];
    for (kind, name) in used {
        let mut table = whole.clone();
        let map_had_it = match kind {
            Missing::Printer => table.print.remove(name).is_some(),
            _ => table.decode.remove(name).is_some(),
        };
        assert!(map_had_it, "{name}");
        let mut problems = Diagnostics::new();
        let Some(lowered) = llvm::lower(&records(MIXED), &table, &mut problems) else {
            // A text that needs the parts of an operand cannot do without them.
            assert!(problems.iter().any(|d| d.code == "operands-part"), "{name}");
            continue;
        };
        let is_told = lowered.missing.iter().any(|(k, missing, ..)| *k == kind && missing.starts_with(name));
        assert!(is_told, "{name}: {:?}", lowered.missing);
        assert!(lowered.warnings().any(|d| d.message.contains(name)), "{name}");
        let now = texts(&lowered);
        assert!(before.iter().zip(&now).any(|(a, b)| a != b), "{name}: {now:?}");
        for (before, now) in before.iter().zip(&now) {
            assert!(before == now || now.contains('?'), "{name}: `{before}` is now `{now}`, without a mark");
        }
    }
    // Without any of it everything that is named has a mark.
    let only_lengths: Vec<&str> =
        TABLE.lines().filter(|l| ["bytes", "parcel", "length"].iter().any(|k| l.starts_with(k))).collect();
    let bare = lower(MIXED, &self::table(&only_lengths.join("\n")));
    assert!(bare.warnings().count() >= used.len(), "{:?}", bare.missing);
}

/// A marked text is read again: it is the raw bits.
#[test]
fn a_mark_is_read() {
    let mut table = table(TABLE);
    table.decode.remove("decodeSimm");
    let lowered = lower(MIXED, &table);
    let plan = Plan::new(&lowered.isa, 0);
    let names = Names::default();
    let mut assembler = Assembler::new(&plan, &names, Compat::default());
    let word = assembler.assemble(b"addi r1, r2, ?5").expect("it is read");
    assert_eq!(word.to_u64(), Some(0x0a12_0005));
    assert!(assembler.assemble(b"addi r1, r2, 5").is_err());
}

#[test]
fn an_own_decoder_without_a_meaning_marks_all_operands() {
    let source = MIXED.replacen("def ADD : Long<1", "def ADDX : Long<7", 1).replacen(
        "let Inst{24} = ?;",
        "let Inst{24} = ?; string DecoderMethod = \"decodeWhole\";",
        1,
    );
    let source = source.lines().filter(|line| !line.contains("(ADD Reg")).collect::<Vec<_>>().join("\n");
    let lowered = lower(&source, &table(TABLE));
    assert!(lowered.missing.iter().any(|(kind, name, ..)| *kind == Missing::Instruction && name == "decodeWhole"));
    assert_eq!(text(&lowered, &[0x1e, 0x12, 0x30, 0x00]), "add ?r1, ?r2, ?r3");
}

#[test]
fn a_processor_that_the_table_does_not_claim_is_refused() {
    let table = table(&format!("claims fast\n{TABLE}"));
    let lowered = lower(MIXED, &table);
    let choose = |triple: &str, features: &[&str]| llvm::choose(&lowered.isa, &table, triple, "", features);
    assert_eq!(choose("mini", &[]), Err(NoSuch::Claim(vec!["fast".to_owned()])));
    assert_eq!(choose("", &[]), Err(NoSuch::Claim(vec!["fast".to_owned()])));
    // What implies it has it.
    assert!(choose("mini", &["+faster"]).is_ok());
    // A compiled description keeps the triples alone.
    let kept = OperandTable { triples: table.triples.clone(), ..OperandTable::default() };
    assert_eq!(llvm::choose(&lowered.isa, &kept, "mini", "", &[]), Err(NoSuch::Claim(vec!["fast".to_owned()])));
}

#[test]
fn the_same_bits_under_two_names_are_told() {
    let more = "def ADDI2 : Long<2, \"plus $d, $a, $i\"> {\n  bits<4> d; bits<4> a; bits<12> i;\n  let Inst{24} = 0;\n  \
                let Inst{23-20} = d; let Inst{19-16} = a; let Inst{11-0} = i; let Inst{15-12} = 0;\n  \
                let OutOperandList = (outs Reg:$d); let InOperandList = (ins Reg:$a, Simm:$i);\n}\n";
    let lowered = lower(&format!("{MIXED}\n{more}"), &table(TABLE));
    let [same] = lowered.same.as_slice() else { panic!("{:?}", lowered.same) };
    assert_eq!((same.decoded.1.as_str(), same.written.1.as_str()), ("addi", "plus"));
    assert!(lowered.warnings().any(|d| d.code == "tablegen-same-bits" && d.message.contains("ADDI2")));
}

/// An operand that is told by its parts and has more than 64 bits: the table is wrong, and there is no model.
#[test]
fn an_error_of_the_table_leaves_no_model() {
    let wide = TABLE.replace("index [3:0]: uint", "index [3:0]: uint, sext 64");
    let wide = wide.replace(
        "print printPair: \"{offset}{index,base print both}\"",
        "print printPair\n\toffset is 0 \"{base}\"\n\t* \"{offset}\"",
    );
    let mut problems = Diagnostics::new();
    let table = llvm::read(FileId(0), &wide, &mut problems);
    let lowered = llvm::lower(&records(MIXED), &table, &mut problems);
    assert!(problems.iter().any(|d| d.code == "operands-part"), "{:?}", problems.iter().collect::<Vec<_>>());
    assert!(lowered.is_none());
}

const WIDE: &str = r#"
def outs; def ins; def ops;
class Instruction { bits<32> Inst; int Size = 4; dag OutOperandList = (outs); dag InOperandList = (ins); string AsmString = ""; }
class Operand { string DecoderMethod = ""; string PrintMethod = ""; dag MIOperandInfo = (ops); }
def Num : Operand;
def NOP : Instruction { let Inst = 1; let AsmString = "nop"; }
def LONG : Instruction {
  bits<32> n;
  let Inst{31-24} = 2; let Inst{23-0} = 0;
  let InOperandList = (ins Num:$n); let AsmString = "long $n";
}
"#;

/// An instruction of two parcels in both orders: each order has lengths and places of its own.
#[test]
fn an_order_has_its_own_lengths_and_places() {
    let text_of = "triple w =\nbytes little\nlayout [31:24, 23:0]\nparcel 32\nlength xxxxxxxxxxxxxxxxxxxxxxxx00000010 = 64\n\
                   length xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx = 32\nbytes big [31:0] weird\n\
                   \tlength 00000010xxxxxxxxxxxxxxxxxxxxxxxx = 64\n\tlength xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx = 32\n\
                   \tbits LONG n [31:0]\ninstruction LONG\n\twidth 64\n\tbits n [63:32]\n";
    for (triple, bytes) in [("w", [2u8, 0, 0, 0, 7, 0, 0, 0]), ("weird", [2, 0, 0, 0, 0, 0, 0, 7])] {
        let table = table(text_of).for_triple(triple);
        let lowered = lower(WIDE, &table);
        assert_eq!(text(&lowered, &bytes), "long 7", "{triple}");
    }
}
