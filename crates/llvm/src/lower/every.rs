//! Facts about all instructions of a class: what a family of instructions has in common, such as the suffix of its mnemonics.

use std::cell::LazyCell;

use crate::table::{Every, FieldValue, InstFact, OperandTable};
use crate::target::inst::{AsmPart, Inst, asm_parts};
use crate::target::registers::text;
use isaglot_tablegen::{Class, Def, Records, Value};

impl Every {
    /// Whether a record is one of those that this is about; `class` is the class of its name.
    fn holds(&self, class: Option<Class<'_>>, inst: &Inst<'_>) -> bool {
        let has = |name: &str| inst.operands.iter().any(|operand| operand.name == name);
        class.is_some_and(|class| inst.def.is_a(class))
            && self.fields.iter().all(|(field, value)| is(inst.def, field, value))
            && self.operands.iter().all(|(name, wanted)| has(name) == *wanted)
    }
}

/// The classes that the table has facts about, in its order: looked up once for all instructions.
pub(super) fn classes<'a>(table: &OperandTable, records: &'a Records) -> Vec<Option<Class<'a>>> {
    table.every.iter().map(|every| records.class(&every.class)).collect()
}

/// The facts about an instruction as one of these classes.
pub(super) fn facts(table: &OperandTable, classes: &[Option<Class<'_>>], inst: &Inst<'_>) -> Vec<InstFact> {
    let about = table.every.iter().zip(classes).filter(|(every, class)| every.holds(**class, inst));
    let all = about.flat_map(|(every, _)| &every.facts);
    // Few facts are about the first operand.
    let first = LazyCell::new(|| {
        match <[AsmPart; 2]>::try_from(asm_parts(&inst.asm).into_iter().take(2).collect::<Vec<_>>()) {
            Ok([AsmPart::Text(mnemonic), AsmPart::Operand(name)]) if !mnemonic.contains(' ') => Some(name),
            _ => None,
        }
    });
    let named = |fact: &InstFact| match fact {
        InstFact::Print(name, method) if name == FIRST => {
            first.as_ref().map(|first| InstFact::Print(first.clone(), method.clone()))
        }
        fact => Some(fact.clone()),
    };
    all.filter_map(named).collect()
}

/// The name that means the operand right after the mnemonic, without a blank, whatever it is called.
const FIRST: &str = "first";

fn is(def: Def<'_>, field: &str, value: &FieldValue) -> bool {
    match value {
        FieldValue::Text(value) => {
            if let Some(Value::List(list)) = def.get(field) {
                return list.iter().any(|one| matches!(one, Value::Def(one) if one.name() == value.as_str()));
            }
            let known = text(def, field);
            match (value.strip_prefix('*'), value.strip_suffix('*')) {
                (Some(inner), Some(_)) => known.contains(inner.trim_end_matches('*')),
                (None, Some(beginning)) => known.starts_with(beginning),
                (Some(end), None) => known.ends_with(end),
                (None, None) => known == *value,
            }
        }
        FieldValue::Number(value) => def.int(field).is_ok_and(|known| known == *value),
    }
}
