//! Instructions whose forms are records: the maintenance operations of a system instruction, say, each with a name of its own.
//!
//! Each record makes an encoding whose fields have the record's numbers, so that telling them apart is the work of the decoder and not of
//! a condition that is tried when the text is wanted. The instruction itself remains for all other words.

use isaglot_model::Condition;

use super::Lowering;
use super::record_table::integer;
use crate::table::{Each, InstFact};
use crate::target::inst::Inst;
use crate::target::registers::text;
use isaglot_tablegen::Def;

/// What is to be known of a form, and what it needs.
pub(super) type Form = (Vec<InstFact>, Condition);

impl<'a> Lowering<'a> {
    /// The forms of an instruction, those that are records among them.
    pub(super) fn with_records(&mut self, inst: &Inst<'a>, forms: Vec<Vec<InstFact>>) -> Vec<Form> {
        let mut out = Vec::new();
        for form in forms {
            let (records, facts): (Vec<InstFact>, Vec<InstFact>) =
                form.into_iter().partition(|fact| matches!(fact, InstFact::Each(_) | InstFact::OnlyEach));
            for fact in &records {
                let InstFact::Each(each) = fact else { continue };
                for def in self.records.defs_of(&each.class) {
                    out.extend(self.form(inst, each, def, &facts));
                }
            }
            if !records.iter().any(|fact| matches!(fact, InstFact::OnlyEach)) {
                out.push((facts, Condition::Always));
            }
        }
        out
    }

    /// The form of one record; `None` if it is not one of those that are wanted.
    fn form(&mut self, inst: &Inst<'a>, each: &Each, def: Def<'a>, facts: &[InstFact]) -> Option<Form> {
        if !each.only.iter().all(|(field, want)| integer(def, field) == Some(*want)) {
            return None;
        }
        let mut value = integer(def, &each.value)? as u64;
        let mut facts = facts.to_vec();
        for name in each.fields.iter().rev() {
            let width = inst.fields.get(name).map_or(0, Vec::len).min(63) as u32;
            facts.push(InstFact::Fixed(name.clone(), value & ((1 << width) - 1)));
            value >>= width;
        }
        if value != 0 {
            // The record is of something that the instruction cannot say.
            return None;
        }
        facts.extend(each.with.iter().map(|(name, value)| InstFact::Fixed(name.clone(), *value as u64)));
        facts.push(InstFact::Text(filled(&each.text, def), each.printed_only));
        let needs = each.needs.as_ref().map(|field| self.features.needed(self.records, def, field));
        let condition = self.or_all(needs.unwrap_or(Condition::Always), each.or.as_deref());
        Some((facts, condition))
    }
}

/// A text with `{FIELD}` and `{FIELD lower}` of a record put in; `${name}` stays.
fn filled(template: &str, def: Def<'_>) -> String {
    let mut out = String::new();
    let mut rest = template;
    while let Some((before, after)) = rest.split_once('{') {
        out.push_str(before);
        let Some((name, more)) = after.split_once('}') else {
            rest = after;
            break;
        };
        rest = more;
        if before.ends_with('$') {
            out.push_str(&format!("{{{name}}}"));
            continue;
        }
        let field = text(def, name.split(' ').next().unwrap_or_default());
        out.push_str(&if name.ends_with(" lower") { field.to_ascii_lowercase() } else { field });
    }
    out.push_str(rest);
    out
}
