//! Aliases: `InstAlias`, and the long forms of compressed instructions (`CompressPat`).
//!
//! An alias of an instruction is a case of its encoding with a guard: some operands have the values of the alias. A
//! compressed instruction prints as its long form, with the operands of the compressed one, and the aliases of the long
//! form apply too. Both are the same work: the texts of an instruction with its operands *bound* to sources, which are
//! numbers of the word, registers or constants.
//!
//! Example: `InstAlias<"mv $rd, $rs", (ADDI GPR:$rd, GPR:$rs, 0)>` binds the third operand of `ADDI` to 0. The encoding
//! gets the case `mv {rd}, {rs}` with the guard `imm == 0`, before its own `addi {rd}, {rs}, {imm}`. `C_LI rd, imm` has
//! the long form `ADDI rd, X0, imm`: `rs` is bound to register `x0`, so the alias of `ADDI` for `li` applies to the
//! compressed word as well.
//!
//! Here the records are read. `bound` has the texts, `applies` when an alias is one of them.

use std::rc::Rc;

use isaglot_model::Condition;
use rustc_hash::FxHashMap;

use super::Lowering;
use super::meaning::register_class;
use crate::target::asm::{Asm, AsmPart, asm_parts};
use crate::target::registers::text;
use isaglot_tablegen::{Dag, Def, Value};

/// An `InstAlias`.
#[derive(Clone, Debug)]
pub(crate) struct Alias<'a> {
    pub(super) asm: Asm,
    pub(super) result: Dag<'a>,
    pub(super) priority: i64,
    pub(super) condition: Condition,
    /// LLVM prints it. It does only if the text has no more operands than the instruction, counted by blanks, and if no
    /// other alias is for the same operands: of two that are, it prints neither.
    pub(super) printed: bool,
}

/// The long form of a compressed instruction.
#[derive(Clone, Debug)]
pub(crate) struct Long<'a> {
    pub(super) def: Def<'a>,
    pub(super) input: Dag<'a>,
    pub(super) output: Dag<'a>,
    pub(super) condition: Condition,
    /// The long form may be compressed, but a compressed word does not print as it.
    pub(super) one_way: bool,
}

impl<'a> Lowering<'a> {
    /// Reads all aliases.
    pub(crate) fn read_aliases(&mut self) {
        // The blanks in the texts of instructions.
        let mut counts: FxHashMap<usize, usize> = FxHashMap::default();
        for def in self.records.defs_of("InstAlias") {
            let Some(Value::Dag(result)) = def.get("ResultInst") else { continue };
            let Value::Def(inst) = result.operator() else { continue };
            // Other syntaxes than the first are another assembler's.
            if !matches!(text(def, "AsmVariantName").as_str(), "" | "generic")
                && self.first_variant != text(def, "AsmVariantName")
            {
                continue;
            }
            let asm = asm_parts(&text(def, "AsmString"));
            let blank = |part: AsmPart<'_>| match part {
                AsmPart::Text(text) => text.matches([' ', '\t']).count(),
                AsmPart::Operand(_) => 0,
            };
            let blanks: usize = asm.parts().map(blank).sum();
            let own = || asm_parts(&text(inst, "AsmString")).parts().map(blank).sum();
            let count = *counts.entry(inst.index()).or_insert_with(own);
            let priority = def.int("EmitPriority").unwrap_or(0);
            let condition = self.features.condition(def);
            let printed = priority > 0 && blanks <= count;
            let list = Rc::make_mut(self.aliases.entry(inst.index()).or_default());
            list.push(Alias { asm, result, priority, condition, printed });
        }
        for list in self.aliases.values_mut().map(Rc::make_mut) {
            list.sort_by_key(|alias| std::cmp::Reverse(alias.priority));
            let all: Vec<Option<String>> = list.iter().map(demands).collect();
            for (alias, own) in list.iter_mut().zip(&all) {
                alias.printed &= all.iter().filter(|other| *other == own).count() < 2;
            }
        }
        for def in self.records.defs_of("CompressPat") {
            let (Some(Value::Dag(input)), Some(Value::Dag(output))) = (def.get("Input"), def.get("Output")) else {
                continue;
            };
            let (Value::Def(long), Value::Def(short)) = (input.operator(), output.operator()) else { continue };
            let condition = self.features.condition(def);
            let one_way = def.bit("isCompressOnly").unwrap_or(false);
            let list = Rc::make_mut(self.longs.entry(short.index()).or_default());
            list.push(Long { def: long, input, output, condition, one_way });
        }
        for def in self.records.defs_of("MnemonicAlias") {
            let condition = self.features.condition(def);
            let (from, to) = (text(def, "FromMnemonic"), text(def, "ToMnemonic"));
            self.mnemonics.entry(to).or_default().push((from, condition));
        }
    }
}

/// What an alias that may be printed demands of the operands, as a text: equal ones for equal demands. Immediates of all
/// types are alike, unless their record has a predicate.
fn demands(alias: &Alias<'_>) -> Option<String> {
    if !alias.printed {
        return None;
    }
    let mut names: Vec<String> = Vec::new();
    let mut all = format!("{:?}", alias.condition);
    for (value, name) in alias.result.args() {
        let one = match number(value) {
            Value::Int(value) => format!("={value}"),
            Value::Def(def) if def.is_of("Register") => format!("%{}", def.name()),
            Value::Def(ty) => match (names.iter().position(|known| *known == name), register_class(ty)) {
                (Some(at), _) => format!("@{at}"),
                (None, Some(class)) => class.name().into_owned(),
                (None, None) if text(ty, "MCOperandPredicate").is_empty() => "#".to_owned(),
                (None, None) => ty.name().into_owned(),
            },
            _ => "#".to_owned(),
        };
        names.push(name.into_owned());
        all.push(' ');
        all.push_str(&one);
    }
    Some(all)
}

/// Bits that are all known are a number too.
pub(super) fn number(value: Value<'_>) -> Value<'_> {
    match value {
        Value::Bits(bits) => bits.int().map_or(value, Value::Int),
        Value::Bit(bit) => Value::Int(i64::from(bit)),
        other => other,
    }
}
