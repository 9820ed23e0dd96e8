//! Words as trees of operands and back, on the programs that ship with the project.

use isaglot::bits::Word;
use isaglot::codec::{EncodeError, FieldValue, OperandValue, Operands, Plan, operands};
use isaglot::model::Isa;
use isaglot::source::{Diagnostics, SourceMap};

fn load(text: &str) -> Isa {
    let (mut files, mut problems) = (SourceMap::new(), Diagnostics::new());
    let mut read = |_: &str| Ok(text.as_bytes().to_vec());
    isaglot::isaspec::load(&mut files, "spec.xml", &mut read, &mut problems).expect("it loads")
}

fn words(plan: &Plan<'_>, mut bytes: &[u8]) -> Vec<Word> {
    let parcel = plan.isa().format().parcel_bits;
    let mut all = Vec::new();
    while !bytes.is_empty() {
        let first = Word::from_le_bytes(&bytes[..parcel as usize / 8], parcel);
        let width = plan.length(&first).expect("an instruction starts here");
        let (word, rest) = bytes.split_at(width as usize / 8);
        all.push(Word::from_le_bytes(word, width));
        bytes = rest;
    }
    all
}

#[test]
fn shipped_programs_come_back() {
    let shipped: [(&str, &[u8]); 2] = [
        (include_str!("../../../specs/minnow/minnow.xml"), include_bytes!("../../../specs/minnow/sum.bin")),
        (include_str!("../../../specs/trio/trio.xml"), include_bytes!("../../../specs/trio/dot.bin")),
    ];
    for (spec, program) in shipped {
        let isa = load(spec);
        let plan = Plan::new(&isa, 0);
        for word in words(&plan, program) {
            let tree = operands::decode(&plan, &word).expect("an instruction");
            assert_eq!(operands::encode(&plan, &tree), Ok(word));
        }
    }
}

const GUARDED: &str = r##"<isa>
  <bitset name="#instruction" size="32"/>
  <bitset name="set" extends="#instruction">
    <override>
      <expr>{WIDE}</expr>
      <field name="V" low="0" high="15" type="uint"/>
      <display>{NAME}.w {V}</display>
    </override>
    <display>{NAME} {V}, {R} {D}</display>
    <field name="V" low="0" high="7" type="uint"/>
    <field name="R" low="8" high="15" type="#pair"><param name="WIDE" as="W"/></field>
    <field name="WIDE" pos="16" type="bool" display="w"/>
    <derived name="D" type="uint" width="9"><expr>{V} + 1</expr></derived>
    <assert low="17" high="18">10</assert>
    <pattern low="19" high="31">0000000000001</pattern>
  </bitset>
  <bitset name="#pair" size="8">
    <display>{A}:{B}</display>
    <field name="A" low="0" high="3" type="uint"/>
    <field name="B" low="4" high="7" type="uint"/>
  </bitset>
</isa>"##;

/// Encodes `set` with these numbers.
fn encode(isa: &Isa, fields: &[(&str, u64)]) -> Result<u64, EncodeError> {
    let plan = Plan::new(isa, 0);
    let name = |n: &str| isa.names().get(n).expect("a name of the description");
    let root = &isa[isa.root()];
    let fields =
        fields.iter().map(|&(n, v)| FieldValue { name: name(n), value: OperandValue::Number(Word::from_u64(v, 64)) });
    let tree = Operands { encoding: root.encodings[0], fields: fields.collect(), rest: Word::zero(32) };
    operands::encode(&plan, &tree).map(|word| word.low_u64())
}

#[test]
fn fields_find_their_places() {
    let isa = load(GUARDED);
    // The assert is filled, and the wide form moves the field.
    assert_eq!(encode(&isa, &[("V", 0x12)]), Ok(0x000c_0012));
    assert_eq!(encode(&isa, &[("V", 0x1234), ("WIDE", 1)]), Ok(0x000d_1234));
    assert_eq!(encode(&isa, &[("V", 7), ("D", 8)]), Ok(0x000c_0007));
    // Given first, the field is written where it does not belong, and moved.
    assert_eq!(encode(&isa, &[("WIDE", 1), ("V", 0x00ff)]), Ok(0x000d_00ff));
}

#[test]
fn what_is_not_as_asserted_comes_back() {
    let isa = load(GUARDED);
    let plan = Plan::new(&isa, 0);
    for asserted in 0..4u64 {
        let word = Word::from_u64(0x0008_0304 | asserted << 17, 32);
        let tree = operands::decode(&plan, &word).expect("an instruction");
        assert_eq!(tree.rest, Word::from_u64((asserted ^ 2) << 17, 32));
        assert_eq!(operands::encode(&plan, &tree), Ok(word));
    }
}

#[test]
fn what_cannot_be_is_said() {
    let isa = load(GUARDED);
    let said = |fields: &[(&str, u64)]| encode(&isa, fields).expect_err("no such word").to_string();
    assert_eq!(said(&[("V", 256)]), "256 does not fit field `V` of 8 bits");
    assert_eq!(said(&[("V", 7), ("D", 9)]), "field `D` cannot be 9: the other fields make it 8");
    assert_eq!(said(&[("A", 1)]), "`set` has no field `A` here");
    assert_eq!(said(&[("R", 1), ("V", 0x2ff), ("WIDE", 1)]), "field `R` cannot be 1: the other fields make it 2");
}
