//! Lints about the text: names for what has none, templates that nothing uses, and siblings of which one differs.

use isaglot_source::{Diagnostic, Severity};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::display::template_references;
use crate::gather::Tables;
use crate::limits;
use crate::load::Sources;
use crate::syntax::{Bitset, FieldDecl, PieceDecl};

pub(super) fn check(sources: &Sources, tables: &Tables<'_>, out: &mut Vec<Diagnostic>) {
    templates(sources, tables, out);
    let bitsets: Vec<&Bitset> = sources.files.iter().flat_map(|f| &f.bitsets).collect();
    let extended: FxHashSet<&str> =
        bitsets.iter().filter_map(|b| b.extends.as_ref()).map(|e| e.value.as_str()).collect();
    for bitset in &bitsets {
        if let Some(name) = bitset.display_name.as_ref().filter(|_| extended.contains(bitset.name.value.as_str())) {
            let message = format!("`{}` is extended, so its `displayname` is never shown", bitset.name.value);
            let d = Diagnostic::warning("isaspec-nonleaf-displayname", message).label(name.span(), "has no effect");
            out.push(d.note("the name of a leaf is its own: give it to the leaves"));
        }
    }
    siblings(&bitsets, out);
}

/// Templates that no display and no other template has.
fn templates(sources: &Sources, tables: &Tables<'_>, out: &mut Vec<Diagnostic>) {
    let mut used: FxHashSet<String> = FxHashSet::default();
    let mut add = |text: &str| used.extend(template_references(text).into_iter().map(str::to_owned));
    for bitset in sources.files.iter().flat_map(|f| &f.bitsets) {
        let cases = bitset.overrides.iter().map(|o| &o.case).chain([&bitset.default]);
        cases.filter_map(|c| c.display.as_ref()).for_each(|d| add(&d.value));
    }
    tables.templates.entries.iter().for_each(|(_, t)| add(&t.text.value));
    for (name, decl) in tables.templates.entries.iter().filter(|(name, _)| !used.contains(name)) {
        let message = format!("template `{name}` is never used");
        out.push(Diagnostic::warning("isaspec-unused-template", message).label(decl.name.span(), "no display has it"));
    }
}

/// The attributes of a field, each as a text.
fn attributes(field: &FieldDecl) -> [(&'static str, String); 4] {
    let bits = |piece: &PieceDecl| match piece {
        PieceDecl::Bits { low, high } => format!("{high}:{low}"),
        PieceDecl::Implied { width, value } => format!("{value:#b} in {width}"),
    };
    let params = field.params.iter().map(|p| format!("{} as {}", p.name.value, p.as_name.value));
    [
        ("bits", field.pieces.iter().map(bits).collect::<Vec<_>>().join(" ")),
        ("type", field.ty.value.clone()),
        ("display", field.display.as_ref().map_or_else(String::new, |d| d.value.clone())),
        ("params", params.collect::<Vec<_>>().join(", ")),
    ]
}

/// Bitsets that extend the same one and have a field of one name: if all but one agree about it, and that one differs in a
/// single attribute, it may be a slip.
fn siblings(bitsets: &[&Bitset], out: &mut Vec<Diagnostic>) {
    let mut groups: FxHashMap<(&str, &str), Vec<(&Bitset, &FieldDecl)>> = FxHashMap::default();
    for bitset in bitsets {
        let Some(parent) = &bitset.extends else { continue };
        for field in &bitset.default.fields {
            groups.entry((&parent.value, &field.name.value)).or_default().push((bitset, field));
        }
    }
    for ((parent, name), list) in groups {
        for (bitset, field) in &list {
            let own = attributes(field);
            let others: Vec<&(&Bitset, &FieldDecl)> = list.iter().filter(|o| o.1.span != field.span).collect();
            let Some((first, model)) = others.first().map(|o| (o, attributes(o.1))) else { continue };
            if others.len() < limits::SIBLINGS || others.iter().any(|o| attributes(o.1) != model) {
                continue;
            }
            let mut differs = own.iter().zip(&model).filter(|(own, model)| own.1 != model.1);
            if let (Some((own, model)), None) = (differs.next(), differs.next()) {
                let message = format!("`{name}` of `{}` differs from all {} siblings", bitset.name.value, others.len());
                let d = Diagnostic::new(Severity::Note, "isaspec-sibling-differs", message);
                let d = d.label(field.span, format!("{}: {}", own.0, shown(&own.1)));
                let d = d.secondary(first.1.span, format!("the others have {}", shown(&model.1)));
                out.push(d.note(format!("they all extend `{parent}`")));
            }
        }
    }
}

fn shown(value: &str) -> &str {
    if value.is_empty() { "none" } else { value }
}
