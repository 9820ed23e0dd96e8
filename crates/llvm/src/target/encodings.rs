//! Which instructions there are, and which record has the bits of each.
//!
//! Nearly always that is the record itself. But an `AdditionalEncoding` is a second way to encode another instruction,
//! and `EncodingInfos` names a record for each mode of the processor (`HwMode`), whose features then decide.

use isaglot_model::Condition;
use rustc_hash::FxHashMap;

use crate::table::OperandTable;
use crate::target::features::{Features, all};
use crate::target::registers::text;
use isaglot_tablegen::{Class, Def, Records, Value};

/// An instruction, the record that has its bits, and when these are its bits.
pub(crate) struct Encoded<'a> {
    pub(crate) def: Def<'a>,
    pub(crate) bits: Def<'a>,
    pub(crate) mode: Condition,
}

/// All instructions that may have an encoding, of the classes that the table names if it does.
pub(crate) fn list<'a>(records: &'a Records, features: &mut Features, table: &OperandTable) -> Vec<Encoded<'a>> {
    // A description that is not LLVM's may have instructions alone.
    let has = |class: &str| records.class(class).is_some();
    let class = if has("InstructionEncoding") { "InstructionEncoding" } else { "Instruction" };
    let classes =
        |names: &[String]| -> Vec<Class<'a>> { names.iter().filter_map(|name| records.class(name)).collect() };
    let (only, decoded, all) =
        (classes(&table.only), classes(&table.decoded), table.only.is_empty() && table.decoded.is_empty());
    // Names of records, not of classes.
    let named: Vec<&String> = table.only.iter().filter(|name| records.class(name).is_none()).collect();
    let wanted = |def: Def<'a>| {
        let flag = |field: &str| matches!(def.get(field), Some(Value::Bit(true)));
        let is = |class: &Class<'a>| def.is_a(*class);
        // What costs least first.
        (all || only.iter().any(is)
            || decoded.iter().any(is) && !flag("isAsmParserOnly")
            || named.iter().any(|name| def.name() == name.as_str()))
            && !flag("isPseudo")
            && !flag("isCodeGenOnly")
            && !matches!(def.get("Namespace"), Some(Value::String(b"TargetOpcode")))
    };
    let mut found = Vec::new();
    let instruction = records.class("Instruction");
    for def in records.defs_where(class, wanted) {
        if !instruction.is_some_and(|class| def.is_a(class)) {
            // An encoding without an instruction is skipped; one that a mode names is added with the mode.
            if let Some(Value::Def(alias)) = def.get("AliasOf") {
                found.push(Encoded { def: alias, bits: def, mode: Condition::Always });
            }
            continue;
        }
        match def.get("EncodingInfos") {
            Some(Value::Def(modes)) => by_mode(def, modes, features, &mut found),
            _ => found.push(Encoded { def, bits: def, mode: Condition::Always }),
        }
    }
    found
}

/// The default mode is what there is where no other mode applies.
fn by_mode<'a>(def: Def<'a>, modes: Def<'a>, features: &mut Features, found: &mut Vec<Encoded<'a>>) {
    let list = |field: &str| match modes.get(field) {
        Some(Value::List(list)) => list.iter().collect(),
        _ => Vec::new(),
    };
    let mut conditions: FxHashMap<usize, Condition> = FxHashMap::default();
    for mode in list("Modes") {
        if let Value::Def(mode) = mode {
            conditions.insert(mode.index(), condition(mode, features));
        }
    }
    let others: Vec<Condition> = list("Modes")
        .iter()
        .filter_map(|mode| if let Value::Def(mode) = mode { conditions.get(&mode.index()).cloned() } else { None })
        .filter(|condition| *condition != Condition::Always)
        .map(|condition| Condition::Not(Box::new(condition)))
        .collect();
    for (mode, bits) in list("Modes").into_iter().zip(list("Objects")) {
        let (Value::Def(mode), Value::Def(bits)) = (mode, bits) else { continue };
        let mode = match conditions.get(&mode.index()) {
            Some(Condition::Always) | None => all(others.clone()),
            Some(condition) => condition.clone(),
        };
        found.push(Encoded { def, bits, mode });
    }
}

/// What a mode needs: its predicates, and features as in `+a,-b`.
fn condition(mode: Def<'_>, features: &mut Features) -> Condition {
    let mut parts = vec![features.condition(mode)];
    for name in text(mode, "Features").split(',') {
        let (name, on) = match name.trim().strip_prefix('-') {
            Some(name) => (name, false),
            None => (name.trim().trim_start_matches('+'), true),
        };
        if let Some(id) = features.named(name) {
            let feature = Condition::Feature(id);
            parts.push(if on { feature } else { Condition::Not(Box::new(feature)) });
        }
    }
    all(parts)
}
