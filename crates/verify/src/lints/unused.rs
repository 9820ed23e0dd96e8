//! Fields, expressions, enums and roots that nothing uses.
//!
//! A field is used if in one of the leaves that have it a display shows its name, an expression or a parameter needs it, an
//! operand or a flow is made of it, the semantics may read it, or a packer fills it by `force`. Descriptions without any text
//! leave all that to another program and are not asked.

use isaglot_model::{Encoding, ExprId, FieldSource, FieldType, Isa, Name, OperandKind, SpaceId, TemplatePart, Varies};
use isaglot_source::{Diagnostic, Severity, Span};
use rustc_hash::{FxHashMap, FxHashSet};

use super::some;

pub(super) fn check(isa: &Isa, out: &mut Vec<Diagnostic>) {
    fields(isa, out);
    expressions(isa, out);
    types(isa, out);
}

/// The names that anything about an encoding needs.
fn needed(isa: &Isa, encoding: &Encoding) -> FxHashSet<Name> {
    let mut used = FxHashSet::default();
    for case in &encoding.cases {
        for part in case.template.iter().flat_map(|&t| &isa[t].parts) {
            if let TemplatePart::Field { name, .. } = part {
                used.insert(*name);
            }
        }
        used.extend(case.guard.iter().flat_map(|&g| isa[g].fields.iter().copied()));
        for field in &case.fields {
            used.extend(field.params.iter().map(|p| p.name));
            if let FieldSource::Derived(expr) = field.source {
                used.extend(isa[expr].fields.iter().copied());
            }
        }
    }
    used.extend(encoding.maps.iter().filter(|m| m.force).map(|m| m.name));
    used
}

fn fields(isa: &Isa, out: &mut Vec<Diagnostic>) {
    if isa.templates().is_empty() {
        return;
    }
    // Of each definition, whether it is used, its name, whether it is derived, and the leaves that have it.
    let mut known: FxHashMap<Span, (bool, Name, bool, Vec<&str>)> = FxHashMap::default();
    for encoding in isa.encodings() {
        let has_text = encoding.cases.iter().any(|c| c.template.is_some());
        // Operands and meanings name fields in ways of their own.
        let is_open = !has_text || !encoding.operands.is_empty() || encoding.semantics.is_some();
        let used = needed(isa, encoding);
        for field in encoding.cases.iter().flat_map(|c| &c.fields) {
            let is_derived = matches!(field.source, FieldSource::Derived(_));
            let entry = known.entry(field.span).or_insert_with(|| (false, field.name, is_derived, Vec::new()));
            entry.0 |= is_open || used.contains(&field.name);
            entry.3.push(isa.text(encoding.name));
        }
    }
    for (span, (is_used, name, is_derived, leaves)) in known {
        if is_used {
            continue;
        }
        let name = isa.text(name);
        let what = if is_derived { "derived field" } else { "field" };
        let message = format!("{what} `{name}` is never used: no display, expression or parameter needs it");
        let severity = if is_derived { Severity::Warning } else { Severity::Note };
        let d = Diagnostic::new(severity, "verify-unused-field", message).label(span, "never used");
        out.push(d.note(format!("in {}", some(leaves.iter().copied()))));
    }
}

fn expressions(isa: &Isa, out: &mut Vec<Diagnostic>) {
    let mut used = vec![false; isa.exprs().len()];
    let mut mark = |expr: ExprId| {
        if let Some(flag) = used.get_mut(expr.index()) {
            *flag = true;
        }
    };
    for case in isa.encodings().iter().flat_map(|e| &e.cases) {
        case.guard.iter().for_each(|&g| mark(g));
        for field in &case.fields {
            if let FieldSource::Derived(expr) = field.source {
                mark(expr);
            }
        }
    }
    for operand in isa.encodings().iter().flat_map(|e| &e.operands) {
        let Varies { when, count, mask } = operand.varies;
        [when, count, mask].into_iter().flatten().for_each(&mut mark);
        if let OperandKind::Computed(number, _) = operand.kind {
            mark(number);
        }
    }
    isa.expansions().iter().flat_map(|e| &e.steps).filter_map(|s| s.guard).for_each(mark);
    // What was written in place is used where it stands, unless its bitset is not part of anything, which is told there.
    let named = isa.exprs().iter().zip(used).filter(|(e, used)| !used && !e.name.starts_with("anon_"));
    for (expr, _) in named {
        let message = format!("expression `{}` is never used", expr.name);
        out.push(
            Diagnostic::warning("verify-unused-expr", message).label(expr.span, "no override or derived field has it"),
        );
    }
}

fn types(isa: &Isa, out: &mut Vec<Diagnostic>) {
    let mut enums = vec![false; isa.enums().len()];
    let mut spaces = vec![false; isa.spaces().len()];
    for field in isa.encodings().iter().flat_map(|e| &e.cases).flat_map(|c| &c.fields) {
        let flag = match field.ty {
            FieldType::Enum(id) => enums.get_mut(id.index()),
            FieldType::Sub(id) => spaces.get_mut(id.index()),
            _ => None,
        };
        if let Some(flag) = flag {
            *flag = true;
        }
    }
    for (ty, _) in isa.enums().iter().zip(enums).filter(|(_, used)| !used) {
        let message = format!("enum `{}` is never used", ty.name);
        out.push(Diagnostic::warning("verify-unused-enum", message).label(ty.span, "no field has this type"));
    }
    for (i, (space, _)) in isa.spaces().iter().zip(spaces).enumerate().filter(|(_, (_, used))| !used) {
        if SpaceId(i as u32) != isa.root() {
            let message = format!("root `{}` is never used", isa.text(space.name));
            let d = Diagnostic::new(Severity::Note, "verify-unused-root", message)
                .label(space.span, "no field has this type");
            out.push(d.note("it is decoded only by a program that asks for it by name"));
        }
    }
}
