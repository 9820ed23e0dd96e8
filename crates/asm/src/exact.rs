//! An instruction as text, by the reference's algorithm over [`Scopes`]: every callback, every error, every width.
//!
//! This is the definition. The compiled programs of `program` give the same text for words without errors; they are used
//! unless a hook wants every field.

use isaglot_bits::Word;
use isaglot_codec::{Found, Scopes};
use isaglot_model::{FieldType, TemplateId, TemplatePart};

use crate::labels::{self, Places, Targets};
use crate::limits::{MAX_ALIGN, MAX_LINE_BYTES};
use crate::options::{Compat, Hooks, Value};
use crate::value;

/// The line that is being printed.
pub struct Line<'l> {
    /// Where the text goes.
    pub out: &'l mut Vec<u8>,
    /// Where in `out` column 0 is.
    pub start: usize,
    /// The place of the instruction.
    pub position: u64,
    /// What places are.
    pub places: Places,
    /// Labels, if wanted. Branches that are printed are added.
    pub targets: Option<&'l mut Targets>,
    /// Whose texts.
    pub compat: Compat,
}

impl<'l> Line<'l> {
    /// A line by itself at the end of `out`: at place 0, without labels.
    pub(crate) fn alone(out: &'l mut Vec<u8>, compat: Compat) -> Line<'l> {
        Line::new(out, 0, Places { bytes: 1 }, None, compat)
    }

    /// A line at the end of `out`, of the instruction at `position`.
    pub(crate) fn new(
        out: &'l mut Vec<u8>,
        position: u64,
        places: Places,
        targets: Option<&'l mut Targets>,
        compat: Compat,
    ) -> Line<'l> {
        let start = out.len();
        Line { out, start, position, places, targets, compat }
    }

    pub(crate) fn align(&mut self, column: u32) {
        let want = self.start + column.min(MAX_ALIGN) as usize;
        if self.out.len() < want {
            self.out.resize(want, b' ');
        }
    }

    fn tell(&mut self, hooks: &mut dyn Hooks, reference: &str, value: Value<'_>) {
        let before = self.out.len();
        hooks.field(reference, value, self.out);
        self.start += self.out.len() - before;
    }
}

/// Appends the text of an instruction, without errors and line end. `false` if the word is not a valid
/// instruction. Errors are added to `scopes.errors` in either case.
pub fn instruction(scopes: &mut Scopes<'_, '_>, word: &Word, hooks: &mut dyn Hooks, line: &mut Line<'_>) -> bool {
    let Some(scope) = scopes.enter(word) else { return false };
    show(scopes, scope, hooks, line);
    scopes.leave();
    true
}

/// Appends the text of an open scope. Recursion is bounded by the scopes that can be open.
pub(crate) fn show(scopes: &mut Scopes<'_, '_>, scope: usize, hooks: &mut dyn Hooks, line: &mut Line<'_>) {
    if let Some(template) = scopes.template(scope) {
        show_template(scopes, scope, template, hooks, line);
    }
}

/// Appends an open scope in the words of this template, whether or not it is the one that applies.
pub(crate) fn show_template(
    scopes: &mut Scopes<'_, '_>,
    scope: usize,
    template: TemplateId,
    hooks: &mut dyn Hooks,
    line: &mut Line<'_>,
) {
    let isa = scopes.plan().isa();
    for part in &isa[template].parts {
        match part {
            TemplatePart::Literal(text) => line.out.extend_from_slice(text),
            TemplatePart::Align(column) => line.align(*column),
            TemplatePart::Mnemonic { align, reference } => {
                let name = &scopes.encoding(scope).display_name;
                line.tell(hooks, reference, Value::Text(name));
                line.align(*align);
                line.out.extend_from_slice(name.as_bytes());
            }
            TemplatePart::Field { name, align, reference } => {
                let Some(found) = scopes.resolve(scope, *name) else {
                    scopes.errors.no_field(isa.text(*name));
                    continue;
                };
                line.tell(hooks, reference, Value::Number(&found.value));
                line.align(*align);
                show_field(scopes, scope, &found, reference, hooks, line);
            }
        }
    }
}

/// Appends the value of a field, in the way of its type.
fn show_field<'a>(
    scopes: &mut Scopes<'_, 'a>,
    scope: usize,
    found: &Found<'a>,
    reference: &str,
    hooks: &mut dyn Hooks,
    line: &mut Line<'_>,
) {
    match found.field.ty {
        FieldType::Sub(space) => {
            if line.out.len().saturating_sub(line.start) < MAX_LINE_BYTES
                && let Some(inner) = scopes.enter_field(scope, found, space)
            {
                show(scopes, inner, hooks, line);
                scopes.leave();
            }
        }
        FieldType::Custom => hooks.custom(reference, found.low(), line.out),
        FieldType::Branch { .. } if branch(found.field, found.low(), line) => {}
        _ => value::print_any(scopes.plan().isa(), found.field, &found.value, line.compat, line.out),
    }
}

/// Prints a code address as a label, if labels are on and an instruction of the stream is there.
pub(crate) fn branch(field: &isaglot_model::Field, value: u64, line: &mut Line<'_>) -> bool {
    let Some(targets) = line.targets.as_deref_mut() else { return false };
    let Some((target, call)) = labels::target(field, value, line.position, line.places, targets.total()) else {
        return false;
    };
    targets.add(target, call);
    if !targets.is_start(target) {
        return false;
    }
    match targets.name_of(target) {
        Some(name) => line.out.extend_from_slice(name),
        None => {
            line.out.extend_from_slice(if call { b"fxn" } else { b"l" });
            value::unsigned(target, line.out);
        }
    }
    true
}
