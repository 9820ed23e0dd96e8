//! An instruction as text by the rules of the language: every callback, every problem, every width.

use super::hooks::{Hooks, Value};
use super::labels::{self, Targets};
use super::out::Out;
use super::print::{self, Compat};
use super::scope::Scopes;
use super::tables::{Limbs, NONE, Part, Type};

/// The widest padding, in columns.
pub(crate) const MAX_ALIGN: u32 = 1 << 12;

/// The longest line, in bytes, before nested fields are no longer printed.
const MAX_LINE: usize = 1 << 20;

/// Where and how a line is printed.
#[derive(Debug)]
pub struct Line<'l, 'b> {
    /// The place of the instruction.
    pub position: u64,
    /// Bytes from one place to the next.
    pub place: u64,
    /// Labels, if wanted. Branches that are printed are added.
    pub targets: Option<&'l mut Targets<'b>>,
    /// Whose numbers.
    pub compat: Compat,
}

/// Appends the text of an instruction; `false` if the word is none. Problems are in `scopes` in either case.
pub fn instruction(
    scopes: &mut Scopes<'_>,
    (word, width): (&Limbs, u32),
    hooks: &mut dyn Hooks,
    line: &mut Line<'_, '_>,
    out: &mut Out<'_>,
) -> bool {
    if !scopes.enter(word, width) {
        return false;
    }
    show(scopes, hooks, line, out);
    scopes.leave();
    true
}

/// Appends the text of the innermost scope. Recursion is bounded by the scopes that can be open.
fn show(scopes: &mut Scopes<'_>, hooks: &mut dyn Hooks, line: &mut Line<'_, '_>, out: &mut Out<'_>) {
    let isa = scopes.isa();
    let scope = scopes.innermost();
    let template = scopes.template(scope);
    if template == NONE {
        return;
    }
    let range = isa.templates.get(template as usize).copied().unwrap_or((0, 0));
    for part in isa.parts.get(range.0 as usize..range.1 as usize).unwrap_or(&[]) {
        match *part {
            Part::Literal(text) => out.bytes(text),
            Part::Align(column) => out.align(column.min(MAX_ALIGN) as usize),
            Part::Mnemonic(align, reference) => {
                let name = isa.leaves.get(scopes.leaf(scope) as usize).map_or("", |leaf| leaf.display);
                tell(hooks, reference, Value::Text(name), out);
                out.align(align.min(MAX_ALIGN) as usize);
                out.bytes(name.as_bytes());
            }
            Part::Field(name, align, reference) => {
                let Some(found) = scopes.resolve(scope, name) else {
                    let name = isa.names.get(name as usize).copied().unwrap_or("");
                    scopes.problems.add(super::problem::Problem::NoField(name));
                    continue;
                };
                tell(hooks, reference, Value::Number(&found.value), out);
                out.align(align.min(MAX_ALIGN) as usize);
                let (ty, width, low) = (found.field.ty, found.field.width, found.value[0]);
                match ty {
                    Type::Sub(space) => {
                        if out.column() < MAX_LINE && scopes.enter_field(scope, &found, space) {
                            show(scopes, hooks, line, out);
                            scopes.leave();
                        }
                    }
                    Type::Custom => hooks.custom(reference, low, out),
                    Type::Branch(absolute, call, unit)
                        if labels::print((absolute, call, unit), width, low, line, out) => {}
                    _ if width > 64 => print::wide(isa, ty, width, &found.value, line.compat, out),
                    _ => print::scalar(isa, ty, width, low, line.compat, out),
                }
            }
        }
    }
}

/// Calls the hook before a field; what it writes counts for no column.
fn tell(hooks: &mut dyn Hooks, reference: &str, value: Value<'_>, out: &mut Out<'_>) {
    let column = out.column();
    hooks.field(reference, value, out);
    out.forget(column);
}
