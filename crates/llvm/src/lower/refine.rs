//! What the operand table and repeated fields change of an instruction and its texts.
//!
//! The problem: some records name an operand or a namespace that LLVM's decoder does not go by, and some have the bits of a field twice. The
//! method: the operand is changed before anything is made of it; a field that is there twice is two fields whose equality
//! guards every text, so that decoding refuses other words and assembling fills both.

use std::rc::Rc;

use isaglot_model::{BinaryOp, TemplatePart};
use rustc_hash::FxHashMap;

use super::bound::Text;
use super::scope::Scope;
use super::{Candidate, Lowering};
use crate::table::InstFact;
use crate::table::formula::Formula;
use crate::target::inst::{Inst, OperandType};

/// What the second place of a field is called: no record can have such a name.
fn copy_of(field: &str) -> String {
    format!("{field}'")
}

impl<'a> Lowering<'a> {
    /// Gives operands the records that the table says, and fields that are there twice a second name.
    pub(super) fn refine(&mut self, inst: &mut Inst<'a>, facts: &[InstFact]) {
        for (name, places) in &inst.copies {
            Rc::make_mut(&mut inst.fields).insert(copy_of(name), places.clone());
        }
        for fact in facts {
            let InstFact::Operand(name, record) = fact else { continue };
            let Some(def) = self.records.def(record) else {
                self.unknown("record of an operand", record);
                continue;
            };
            for operand in Rc::make_mut(&mut inst.operands).iter_mut().filter(|operand| operand.name == *name) {
                operand.ty = OperandType::Def(def);
            }
        }
    }

    /// That the fields are equal which are there twice, and which texts are only printed.
    pub(super) fn refine_texts(&mut self, scope: &mut Scope, candidate: &Candidate<'a>, texts: &mut Vec<Text>) {
        for (name, places) in &candidate.inst.copies {
            let [first, second] = [name.clone(), copy_of(name)].map(|name| Box::new(Formula::Field(name)));
            // Only some bits may be there twice.
            let mask =
                (0u32..).zip(places).filter(|(_, at)| at.is_some()).fold(0i64, |mask, (i, _)| mask | 1 << i.min(63));
            let whole = candidate.inst.fields.get(name).is_some_and(|own| own.len() == places.len())
                && places.iter().all(Option::is_some);
            let first = if whole {
                first
            } else {
                Box::new(Formula::Binary(BinaryOp::And, first, Box::new(Formula::Number(mask))))
            };
            let equal = Formula::Binary(BinaryOp::Eq, second, first);
            for text in texts.iter_mut() {
                self.formula_holds(scope, &equal, &mut text.guard);
            }
        }
        for fact in &candidate.facts {
            let InstFact::UnreadText(mnemonic) = fact else { continue };
            let mut known: FxHashMap<usize, bool> = FxHashMap::default();
            for (i, text) in texts.iter().enumerate() {
                let template = self.builder.template_at(text.template);
                let begins = template.and_then(|template| template.parts.first()).is_some_and(|part| match part {
                    TemplatePart::Literal(bytes) => {
                        bytes.split(|byte| *byte == b' ').next() == Some(mnemonic.as_bytes())
                    }
                    _ => false,
                });
                known.insert(i, begins);
            }
            let mut at = 0;
            texts.retain_mut(|text| {
                let begins = known.get(&at).copied().unwrap_or(false);
                at += 1;
                text.output_only |= begins;
                !(begins && text.input_only)
            });
        }
    }
}
