//! One word taken apart: what of the description it uses, and what is wrong with it.
//!
//! The rules are those of a disassembly, run by the exact engine ([`Scopes`]): cases in order, the first that applies and has a
//! text gives the text, asserts are checked on the way to it. Beyond a disassembly, all fields that apply are looked at, not
//! only those that the text shows, since an entry of an enum is used whether or not it prints. What is wrong with a field is
//! told only if the text shows it, as a disassembly does.

use isaglot_bits::Word;
use isaglot_codec::tree::Match;
use isaglot_codec::{Found, Plan, Scopes};
use isaglot_model::{EncodingId, FieldType, Name, SpaceId, TemplateId, TemplatePart};

use crate::tally::{Exercised, Finding};

/// What a walk tells of the values that it meets.
pub(crate) trait Sink {
    /// Something is wrong with a value.
    fn finding(&mut self, finding: Finding, value: &Word);
    /// A value matches nothing in its space.
    fn unknown(&mut self, space: SpaceId, value: &Word);
}

/// Takes words apart.
pub(crate) struct Walker<'p, 'a> {
    scopes: Scopes<'p, 'a>,
    /// The names of the fields of each encoding, by id, made when an encoding is first met.
    names: Vec<Option<Vec<Name>>>,
}

impl<'p, 'a> Walker<'p, 'a> {
    pub(crate) fn new(plan: &'p Plan<'a>) -> Walker<'p, 'a> {
        Walker { scopes: Scopes::new(plan, true), names: vec![None; plan.isa().encodings().len()] }
    }

    /// The space of instructions.
    pub(crate) fn root(&self) -> SpaceId {
        self.scopes.plan().isa().root()
    }

    /// Takes an instruction word apart. Whether there was nothing to tell of it.
    pub(crate) fn word(&mut self, word: &Word, used: &mut Exercised, sink: &mut dyn Sink) -> bool {
        let Some((id, mut is_clean)) = select(&self.scopes, self.root(), word, sink) else {
            return false;
        };
        self.scopes.errors.clear();
        let Some(scope) = self.scopes.enter_encoding(id, word) else { return false };
        is_clean &= self.scope(scope, used, sink);
        is_clean
    }

    /// Takes the value of a scope apart. Whether there was nothing to tell.
    fn scope(&mut self, scope: usize, used: &mut Exercised, sink: &mut dyn Sink) -> bool {
        let (id, encoding) = (self.scopes.encoding_id(scope), self.scopes.encoding(scope));
        if let Some(hits) = used.encodings.get_mut(id.index()) {
            *hits += 1;
        }
        // First what a disassembly does, in its order: only that can be wrong.
        let (mut is_clean, mut is_undefined) = (true, false);
        let mut template: Option<TemplateId> = None;
        for (at, case) in encoding.cases.iter().enumerate() {
            if !self.scopes.applies(scope, case) {
                continue;
            }
            for (number, assert) in case.asserts.iter().enumerate() {
                if self.scopes.value(scope).slice(assert.range) != assert.value {
                    let finding = Finding::Assert { encoding: id, case: at as u32, assert: number as u32 };
                    sink.finding(finding, self.scopes.value(scope));
                    is_clean = false;
                }
            }
            template = self.scopes.plan().template(case);
            if template.is_some() {
                break;
            }
        }
        if template.is_none() {
            sink.finding(Finding::NoText { encoding: id }, self.scopes.value(scope));
            is_clean = false;
        }
        let isa = self.scopes.plan().isa();
        let mut shown: Vec<Name> = Vec::new();
        for part in template.map_or(&[][..], |id| &isa[id].parts) {
            let TemplatePart::Field { name, .. } = part else { continue };
            if shown.contains(name) {
                continue;
            }
            shown.push(*name);
            match self.scopes.resolve(scope, *name) {
                Some(found) => {
                    is_undefined |= self.take_errors();
                    is_clean &= self.field(scope, id, &found, used, sink);
                }
                None => is_undefined = true,
            }
        }
        is_undefined |= self.take_errors();
        if is_undefined {
            sink.finding(Finding::Undefined { encoding: id }, self.scopes.value(scope));
            is_clean = false;
        }
        // Then what is used without being shown.
        for (at, case) in encoding.cases.iter().enumerate() {
            if self.scopes.applies(scope, case)
                && let Some(seen) = used.cases.get_mut(id.index()).and_then(|cases| cases.get_mut(at))
            {
                *seen = true;
            }
        }
        let names = self.names.get_mut(id.index()).and_then(Option::take).unwrap_or_else(|| encoding.field_names());
        for name in names.iter().filter(|name| !shown.contains(name)) {
            if let Some(found) = self.scopes.resolve(scope, *name) {
                self.field(scope, id, &found, used, &mut Quiet);
            }
        }
        if let Some(place) = self.names.get_mut(id.index()) {
            *place = Some(names);
        }
        self.take_errors();
        is_clean
    }

    /// Forgets errors; whether there were any.
    fn take_errors(&mut self) -> bool {
        let any = self.scopes.errors.count() > 0;
        self.scopes.errors.clear();
        any
    }

    /// Looks at a field that was found for a scope. Whether there was nothing to tell.
    fn field(
        &mut self,
        scope: usize,
        encoding: EncodingId,
        found: &Found<'a>,
        used: &mut Exercised,
        sink: &mut dyn Sink,
    ) -> bool {
        match found.field.ty {
            FieldType::Enum(id) => {
                let values = &self.scopes.plan().isa()[id].values;
                let entry = found.value.to_u64().and_then(|value| values.iter().position(|e| e.value == value));
                let Some(entry) = entry else {
                    sink.finding(Finding::Value { encoding, field: found.field.name, ty: id }, &found.value);
                    return false;
                };
                if let Some(seen) = used.values.get_mut(id.index()).and_then(|all| all.get_mut(entry)) {
                    *seen = true;
                }
                true
            }
            FieldType::Sub(space) => {
                let Some((_, is_clean)) = select(&self.scopes, space, &found.value, sink) else {
                    sink.finding(Finding::Field { encoding, field: found.field.name, space }, &found.value);
                    return false;
                };
                let Some(inner) = self.scopes.enter_field(scope, found, space) else { return false };
                self.take_errors();
                let is_inner_clean = self.scope(inner, used, sink);
                self.scopes.leave();
                is_clean && is_inner_clean
            }
            _ => true,
        }
    }
}

/// Decides a value in a space: the encoding, and whether there was nothing to tell.
fn select(scopes: &Scopes<'_, '_>, space: SpaceId, value: &Word, sink: &mut dyn Sink) -> Option<(EncodingId, bool)> {
    let plan = scopes.plan();
    match plan.tree(space).select(value.limbs(), value.width()) {
        Match::None => {
            sink.unknown(space, value);
            None
        }
        Match::Conflict(first, second) => {
            sink.finding(Finding::Conflict { first, second }, value);
            None
        }
        Match::One(id) => {
            let set = plan.isa()[id].dont_care.and(value);
            if !set.is_zero() {
                sink.finding(Finding::DontCare { encoding: id }, &set);
            }
            Some((id, set.is_zero()))
        }
    }
}

/// Tells nobody: of fields that the text does not show.
struct Quiet;

impl Sink for Quiet {
    fn finding(&mut self, _: Finding, _: &Word) {}
    fn unknown(&mut self, _: SpaceId, _: &Word) {}
}
