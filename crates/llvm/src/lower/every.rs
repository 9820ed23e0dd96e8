//! Facts about all instructions of a class: what a family of instructions has in common, such as the suffix of its mnemonics.

use crate::table::{Every, FieldValue, InstFact, OperandTable};
use crate::target::inst::{AsmPart, Inst, asm_parts};
use crate::target::registers::text;
use isaglot_tablegen::{Def, Value};

impl Every {
    /// Whether a record is one of those that this is about.
    fn holds(&self, inst: &Inst<'_>) -> bool {
        let has = |name: &str| inst.operands.iter().any(|operand| operand.name == name);
        inst.def.is_of(&self.class)
            && self.fields.iter().all(|(field, value)| is(inst.def, field, value))
            && self.operands.iter().all(|(name, wanted)| has(name) == *wanted)
    }
}

/// The facts about an instruction as one of its classes.
pub(super) fn facts(table: &OperandTable, inst: &Inst<'_>) -> Vec<InstFact> {
    let all = table.every.iter().filter(|every| every.holds(inst)).flat_map(|every| &every.facts);
    let parts = asm_parts(&inst.asm);
    let first = match parts.as_slice() {
        [AsmPart::Text(mnemonic), AsmPart::Operand(name), ..] if !mnemonic.contains(' ') => Some(name),
        _ => None,
    };
    let named = |fact: &InstFact| match fact {
        InstFact::Print(name, method) if name == FIRST => Some(InstFact::Print(first?.clone(), method.clone())),
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
