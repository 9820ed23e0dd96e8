//! The forms of an instruction: what one record says that is several encodings, each with facts of its own.
//!
//! A number may follow where an operand asks for it, bits may be otherwise where a field has a value, values may be refused with
//! a feature only, and of words that mean one instruction one is assembled. Each of
//! these doubles the forms that there are so far.

use std::cmp::Ordering;

use super::Lowering;
use crate::table::{Extend, InstFact, OperandTable, ValueSet};
use crate::target::inst::{self, Inst};
use isaglot_tablegen::Records;
use rustc_hash::FxHashMap;

/// Operands of one instruction that may each add a number after it.
const MAX_EXTENDED: usize = 3;

/// The statements about operands that say that a number follows, by the index of the operand's record; of two the first counts.
pub(super) fn extend<'a>(table: &'a OperandTable, records: &Records) -> FxHashMap<usize, &'a Extend> {
    let mut all = FxHashMap::default();
    for rule in &table.extend {
        for def in rule.operands.iter().filter_map(|name| records.def(name)) {
            all.entry(def.index()).or_insert(rule);
        }
    }
    all
}

impl<'a> Lowering<'a> {
    /// The forms of an instruction: itself, and with numbers after it for each operand that can ask for one.
    pub(super) fn extended(&self, inst: &Inst<'a>, mut facts: Vec<InstFact>) -> Vec<Vec<InstFact>> {
        let mut fields: Vec<(&str, &Extend)> = Vec::new();
        for operand in inst.operands.iter() {
            let inst::OperandType::Def(ty) = &operand.ty else { continue };
            match self.extend.get(&ty.index()).copied().filter(|_| inst.fields.contains_key(&operand.name)) {
                Some(rule) if rule.own => {
                    let (value, width, print) = (rule.value, rule.width, rule.print.clone());
                    facts.push(InstFact::Either(operand.name.clone(), value, width, print));
                }
                Some(rule) => fields.push((&operand.name, rule)),
                None => {}
            }
        }
        fields.truncate(MAX_EXTENDED);
        let width = (inst.bits.len() as u32).next_multiple_of(8);
        let mut forms = Vec::new();
        // The number belongs to the first operand that asks for it, and to all after it that ask, too.
        for first in 0..=fields.len() {
            let mut form = facts.clone();
            for (i, &(name, &Extend { value, width: bits, ref print, .. })) in fields.iter().enumerate() {
                let fact = match i.cmp(&first) {
                    Ordering::Less => InstFact::Reject(name.to_owned(), ValueSet::Range(value, value)),
                    Ordering::Equal => {
                        form.push(InstFact::Fixed(name.to_owned(), value));
                        if !form.iter().any(|f| matches!(f, InstFact::Width(_))) {
                            form.push(InstFact::Width(width + bits));
                        }
                        InstFact::After(name.to_owned(), bits, print.clone())
                    }
                    Ordering::Greater => InstFact::Either(name.to_owned(), value, bits, print.clone()),
                };
                form.push(fact);
            }
            if first == fields.len() {
                form.retain(|f| !matches!(f, InstFact::After(..)));
            }
            forms.push(form);
        }
        // Words that are read, too, are further instructions, beside those of the values that have their own words.
        let also: Vec<Vec<InstFact>> = facts
            .iter()
            .filter_map(
                |fact| if let InstFact::Also(bits, number, field) = fact { Some((bits, number, field)) } else { None },
            )
            .flat_map(|(bits, number, (name, value))| {
                let more = [
                    InstFact::Fixed(name.clone(), *value),
                    InstFact::Word(bits.clone(), *number, None),
                    InstFact::Unread,
                ];
                forms.iter().map(move |form| form.iter().cloned().chain(more.clone()).collect())
            })
            .collect();
        // Bits that are otherwise where a field has a value make two instructions of one.
        for fact in &facts {
            let InstFact::Word(bits, number, Some((name, value))) = fact else { continue };
            let fixed = [InstFact::Fixed(name.clone(), *value), InstFact::Word(bits.clone(), *number, None)];
            let others: Vec<Vec<InstFact>> =
                forms.iter().map(|form| form.iter().cloned().chain(fixed.clone()).collect()).collect();
            forms
                .iter_mut()
                .for_each(|form| form.push(InstFact::Reject(name.clone(), ValueSet::Range(*value, *value))));
            forms.extend(others);
        }
        forms.extend(also);
        // Values that are refused with a feature only make two instructions of one.
        let mut features: Vec<&(String, bool)> = Vec::new();
        for fact in &facts {
            if let InstFact::RejectWhere(.., feature) = fact
                && !features.contains(&feature)
            {
                features.push(feature);
            }
        }
        for feature in features {
            let mut refused = vec![InstFact::Where(feature.0.clone(), feature.1)];
            refused.extend(facts.iter().filter_map(|fact| match fact {
                InstFact::RejectWhere(name, set, of) if of == feature => {
                    Some(InstFact::Reject(name.clone(), set.clone()))
                }
                _ => None,
            }));
            let others: Vec<Vec<InstFact>> =
                forms.iter().map(|form| form.iter().cloned().chain(refused.clone()).collect()).collect();
            forms.iter_mut().for_each(|form| form.push(InstFact::Where(feature.0.clone(), !feature.1)));
            forms.extend(others);
        }
        // Of words that differ only in bits that decoding does not test, one is assembled.
        let soft = (0u32..).zip(&*inst.bits).filter(|(_, bit)| **bit == inst::InstBit::Soft(true));
        let soft: Vec<InstFact> = soft.map(|(at, _)| InstFact::Word(vec![(at, at)], 1, None)).collect();
        if self.table.soft_written && !soft.is_empty() {
            let others: Vec<Vec<InstFact>> =
                forms.iter().map(|form| form.iter().chain(&soft).cloned().collect()).collect();
            forms.iter_mut().for_each(|form| form.push(InstFact::Unread));
            forms.extend(others);
        }
        for fact in &facts {
            let InstFact::Write(bits, number) = fact else { continue };
            let written = InstFact::Word(bits.clone(), *number, None);
            let others: Vec<Vec<InstFact>> =
                forms.iter().map(|form| form.iter().cloned().chain([written.clone()]).collect()).collect();
            forms.iter_mut().for_each(|form| form.push(InstFact::Unread));
            forms.extend(others);
        }
        // A call that is a jump where a register is this one is two instructions.
        let is_split = |fact: &InstFact| match fact {
            InstFact::Jump(Some((name, value))) => Some((name.clone(), *value)),
            _ => None,
        };
        if let Some((name, value)) = facts.iter().find_map(is_split) {
            let jumps: Vec<Vec<InstFact>> = forms
                .iter()
                .map(|form| {
                    form.iter().cloned().chain([InstFact::Fixed(name.clone(), value), InstFact::Jump(None)]).collect()
                })
                .collect();
            forms.iter_mut().for_each(|form| form.push(InstFact::Reject(name.clone(), ValueSet::Range(value, value))));
            forms.extend(jumps);
        }
        forms
    }
}
