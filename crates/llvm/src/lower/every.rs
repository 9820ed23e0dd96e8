//! Facts about all instructions of a class: what a family of instructions has in common, such as the suffix of its mnemonics.
//!
//! Each instruction is asked about by hundreds of statements that name a few fields: classes, fields and records are looked up once for all,
//! and a field of an instruction once for all statements.

use std::cell::LazyCell;

use crate::table::{Every, FieldValue, InstFact, OperandTable};
use crate::target::asm::AsmPart;
use crate::target::inst::Inst;
use isaglot_tablegen::{Class, Def, Records, Value};

/// The statements of a table whose classes the target has.
pub(super) struct Families<'a> {
    list: Vec<Family<'a>>,
    /// The fields that they name, each once.
    fields: Vec<&'a str>,
}

struct Family<'a> {
    every: &'a Every,
    class: Class<'a>,
    /// Fields, by their place in the list of all, and what they must be.
    wanted: Vec<(usize, Wanted<'a>)>,
}

enum Wanted<'a> {
    Number(i64),
    /// A text as [`FieldValue::Text`] has it, and the record of that name.
    Text(&'a str, Option<Def<'a>>),
}

impl<'a> Families<'a> {
    pub(super) fn new(table: &'a OperandTable, records: &'a Records) -> Families<'a> {
        let (mut list, mut fields) = (Vec::new(), Vec::new());
        for every in &table.every {
            let Some(class) = records.class(&every.class) else { continue };
            let mut wanted = Vec::new();
            for (field, value) in &every.fields {
                let at = fields.iter().position(|known| known == field).unwrap_or(fields.len());
                if at == fields.len() {
                    fields.push(field.as_str());
                }
                wanted.push(match value {
                    FieldValue::Number(number) => (at, Wanted::Number(*number)),
                    FieldValue::Text(text) => (at, Wanted::Text(text, records.def(text))),
                });
            }
            list.push(Family { every, class, wanted });
        }
        Families { list, fields }
    }

    /// The facts about an instruction as one of these classes.
    pub(super) fn facts(&self, inst: &Inst<'a>) -> Vec<InstFact> {
        // What the fields are that were asked for so far.
        let mut known: Vec<Option<Option<Value<'a>>>> = vec![None; self.fields.len()];
        let mut is = |(at, wanted): &(usize, Wanted<'a>)| {
            let (Some(known), Some(field)) = (known.get_mut(*at), self.fields.get(*at)) else { return false };
            wanted.is(known.get_or_insert_with(|| inst.def.get(field)))
        };
        let has = |name: &str| inst.operands.iter().any(|operand| operand.name == name);
        let about = self.list.iter().filter(|family| {
            inst.def.is_a(family.class)
                && family.wanted.iter().all(&mut is)
                && family.every.operands.iter().all(|(name, wanted)| has(name) == *wanted)
        });
        let all = about.flat_map(|family| &family.every.facts);
        // Few facts are about the first operand.
        let first = LazyCell::new(|| {
            let mut parts = inst.asm.parts();
            match (parts.next(), parts.next()) {
                (Some(AsmPart::Text(mnemonic)), Some(AsmPart::Operand(name))) if !mnemonic.contains(' ') => Some(name),
                _ => None,
            }
        });
        let named = |fact: &InstFact| match fact {
            InstFact::Print(name, method) if name == FIRST => {
                first.map(|first| InstFact::Print(first.to_owned(), method.clone()))
            }
            fact => Some(fact.clone()),
        };
        all.filter_map(named).collect()
    }
}

/// The name that means the operand right after the mnemonic, without a blank, whatever it is called.
const FIRST: &str = "first";

impl<'a> Wanted<'a> {
    /// Whether a field is so.
    fn is(&self, known: &Option<Value<'a>>) -> bool {
        match (self, known) {
            (Wanted::Text(_, record), Some(Value::List(list))) => {
                record.is_some_and(|record| list.iter().any(|one| matches!(one, Value::Def(one) if one == record)))
            }
            (Wanted::Text(text, _), known) => {
                let (known, text) =
                    (if let Some(Value::String(known)) = known { *known } else { &[] }, text.as_bytes());
                match (text.strip_prefix(b"*"), text.strip_suffix(b"*")) {
                    (Some(inner), Some(_)) => contains(known, inner.strip_suffix(b"*").unwrap_or(inner)),
                    (None, Some(beginning)) => known.starts_with(beginning),
                    (Some(end), None) => known.ends_with(end),
                    (None, None) => known == text,
                }
            }
            (Wanted::Number(number), Some(Value::Int(known))) => number == known,
            (Wanted::Number(number), Some(Value::Bit(known))) => *number == i64::from(*known),
            (Wanted::Number(number), Some(Value::Bits(known))) => known.int() == Some(*number),
            (Wanted::Number(_), _) => false,
        }
    }
}

fn contains(text: &[u8], part: &[u8]) -> bool {
    part.is_empty() || text.windows(part.len()).any(|window| window == part)
}
