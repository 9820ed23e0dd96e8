//! An instruction that was taken apart, with its texts and numbers in the form that C asks for.

use isaglot::bits::{BitRange, Word};
use isaglot::engine::{Field, Instruction, OperandKind};

use crate::text::Text;

/// An instruction, taken apart. Nothing changes it, so several threads may read it.
#[derive(Debug)]
pub struct isaglot_instruction {
    pub(crate) size: usize,
    pub(crate) word: Value,
    pub(crate) mnemonic: Text,
    pub(crate) encoding: Text,
    pub(crate) text: Text,
    pub(crate) problem: Text,
    pub(crate) operands: Vec<Operand>,
    pub(crate) fields: Vec<isaglot_field>,
}

/// Something that an instruction reads or writes.
#[derive(Debug)]
pub(crate) struct Operand {
    pub(crate) kind: OperandKind,
    pub(crate) is_written: bool,
    pub(crate) text: Text,
}

/// A field of an instruction. It belongs to the instruction.
#[derive(Debug)]
pub struct isaglot_field {
    pub(crate) name: Text,
    pub(crate) value: Value,
    pub(crate) ranges: Vec<BitRange>,
    pub(crate) derived: Text,
    pub(crate) text: Text,
    /// The encoding that the value is, and its fields.
    pub(crate) encoding: Text,
    pub(crate) nested: Vec<isaglot_field>,
}

/// A number of any width.
#[derive(Debug)]
pub(crate) struct Value {
    /// In bits.
    pub(crate) width: u32,
    /// Little-endian, as many as the width needs.
    pub(crate) bytes: Box<[u8]>,
}

impl Value {
    fn new(word: &Word) -> Value {
        let length = word.width().div_ceil(8) as usize;
        Value { width: word.width(), bytes: word.le_bytes().take(length).collect() }
    }
}

impl isaglot_instruction {
    pub(crate) fn new(found: &Instruction) -> Box<isaglot_instruction> {
        let operand = |o: &isaglot::engine::Operand| Operand {
            kind: o.kind,
            is_written: o.is_written,
            text: Text::new(o.text.as_str()),
        };
        Box::new(isaglot_instruction {
            size: found.size,
            word: Value::new(&found.word),
            mnemonic: Text::new(found.mnemonic.as_str()),
            encoding: Text::new(found.encoding.as_str()),
            text: Text::new(found.text.as_str()),
            problem: Text::new(found.problem.as_deref().unwrap_or("")),
            operands: found.operands.iter().map(operand).collect(),
            fields: fields(&found.fields),
        })
    }
}

fn fields(found: &[Field]) -> Vec<isaglot_field> {
    let one = |field: &Field| isaglot_field {
        name: Text::new(field.name.as_str()),
        value: Value::new(&field.value),
        ranges: field.ranges.clone(),
        derived: Text::new(field.derived.as_deref().unwrap_or("")),
        text: Text::new(field.text.as_str()),
        encoding: Text::new(field.nested.as_ref().map_or("", |nested| nested.encoding.as_str())),
        nested: field.nested.as_ref().map(|nested| fields(&nested.fields)).unwrap_or_default(),
    };
    found.iter().map(one).collect()
}
