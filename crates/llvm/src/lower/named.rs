//! That the operands and fields exist which the operand table names for an instruction: a fact about one that does not would be without
//! effect, and nobody would see it.

use isaglot_source::{Diagnostic, closest};
use rustc_hash::{FxHashMap, FxHashSet};

use super::Lowering;
use crate::table::{InstFact, OperandTable};
use crate::target::inst::{Inst, OperandType};
use crate::target::registers::text;

/// The names that the instructions under each name of the table have.
pub(super) type Names = FxHashMap<String, FxHashSet<String>>;

impl<'a> Lowering<'a> {
    /// Notes the names of an instruction: of its operands, of their parts, of the fields of its encoding.
    pub(super) fn note_names(&self, inst: &Inst<'a>, facts: &[InstFact], out: &mut Names) {
        let methods = ["DecoderMethod", "PostEncoderMethod"].map(|field| text(inst.def, field));
        let keys = std::iter::once(&*inst.name).chain(methods.iter().map(String::as_str));
        for key in keys.filter(|key| self.table.instructions.contains_key(*key)) {
            let names = out.entry(key.to_owned()).or_default();
            names.extend(inst.fields.keys().cloned());
            for operand in inst.operands.iter() {
                names.insert(operand.name.clone());
                let ty = match &operand.ty {
                    OperandType::Parts(ty, parts) => {
                        names.extend(parts.iter().cloned());
                        *ty
                    }
                    OperandType::Def(ty) => *ty,
                    OperandType::Other => continue,
                };
                // The parts that the table makes of its bits.
                let rule = OperandTable::find(&self.table.operands, &ty.name());
                let rule = rule.or_else(|| OperandTable::find(&self.table.decode, &text(ty, "DecoderMethod")));
                names.extend(rule.iter().flat_map(|(hook, _)| &hook.body).map(|part| part.name.clone()));
            }
            names.extend(facts.iter().filter_map(|fact| match fact {
                InstFact::Bits(name, _) => Some(name.clone()),
                _ => None,
            }));
        }
    }

    /// An error for each name that none of the instructions has which a line is about. A line about a method is for all that
    /// have it, of which one must have the name. An instruction that the target does not have is not looked at: a table is
    /// for several versions of a target.
    pub(super) fn check_names(&mut self, known: &Names) {
        for line in &self.table.named {
            for (instruction, (name, span)) in line
                .instructions
                .iter()
                .flat_map(|instruction| line.operands.iter().map(move |name| (instruction, name)))
            {
                let Some(names) = known.get(instruction).filter(|names| !names.contains(name)) else { continue };
                let mut near: Vec<&str> = names.iter().map(String::as_str).collect();
                near.sort_unstable();
                let message = format!("`{instruction}` has no operand or field `{name}`");
                let d = Diagnostic::error("operands-operand", message).label(*span, "named here");
                self.problems.push(d.did_you_mean(closest(name, near)));
            }
        }
    }
}
