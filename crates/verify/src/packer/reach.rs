//! Which fields of a leaf are packed, and by which of their definitions.
//!
//! A leaf is packed as its text would be printed: for each case with a text the fields that the text names, the fields that
//! are always packed (`force`), and, as they turn up, those that guards, derived fields and parameters need. What is not
//! reached so stays 0. `isaglot_emit::isaspec::plan` writes packers by the same rule.

use isaglot_model::{Encoding, ExprId, Field, FieldSource, Isa, Map, Name, TemplatePart};

/// A field that is packed where one case's text applies.
#[derive(Debug)]
pub(crate) struct Packed<'a> {
    pub(crate) name: Name,
    /// Definitions that are read from bits; the first whose guard holds counts.
    pub(crate) fields: Vec<&'a Field>,
    /// It is needed by an expression or a parameter only, or is derived: no bits are packed.
    pub(crate) is_value_only: bool,
}

/// What is packed where the text of one case applies.
#[derive(Debug)]
pub(crate) struct Branch<'a> {
    pub(crate) packed: Vec<Packed<'a>>,
}

/// The map of a field of an encoding.
pub(crate) fn map<'a>(encoding: &'a Encoding, name: Name, language: &str) -> Option<&'a Map> {
    encoding.maps.iter().find(|m| m.name == name && m.language == language)
}

/// The branches of a leaf.
pub(crate) fn branches<'a>(isa: &'a Isa, encoding: &'a Encoding, language: &str) -> Vec<Branch<'a>> {
    let mut out = Vec::new();
    let mut passed: Vec<ExprId> = Vec::new();
    for case in &encoding.cases {
        let Some(template) = case.template.filter(|_| !case.alias) else { continue };
        let mut names = shown(isa, &isa[template].parts);
        for map in encoding.maps.iter().filter(|m| m.force && m.language == language) {
            add(&mut names, map.name);
        }
        out.push(Branch { packed: follow(isa, encoding, names, case.guard, &passed) });
        match case.guard {
            Some(guard) => passed.push(guard),
            None => break,
        }
    }
    out
}

fn add(names: &mut Vec<Name>, name: Name) {
    if !names.contains(&name) {
        names.push(name);
    }
}

/// The fields that a text names; the reference takes letters, digits and underscores only.
fn shown(isa: &Isa, parts: &[TemplatePart]) -> Vec<Name> {
    let mut names = Vec::new();
    for part in parts {
        let (TemplatePart::Field { reference, .. } | TemplatePart::Mnemonic { reference, .. }) = part else { continue };
        let text = reference.split(':').next().unwrap_or(reference);
        if text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
            && let Some(name) = isa.names().get(text)
        {
            add(&mut names, name);
        }
    }
    names
}

/// What is packed for these names and all that they need.
fn follow<'a>(
    isa: &'a Isa,
    encoding: &'a Encoding,
    mut names: Vec<Name>,
    own: Option<ExprId>,
    passed: &[ExprId],
) -> Vec<Packed<'a>> {
    let mut out = Vec::new();
    let mut at = 0;
    // The list grows while it is walked.
    while let Some(&name) = names.get(at) {
        at += 1;
        let mut fields: Vec<&'a Field> = Vec::new();
        let mut closed = false;
        for case in &encoding.cases {
            if let Some(guard) = case.guard {
                isa[guard].fields.iter().for_each(|&f| add(&mut names, f));
            }
            let Some(field) = case.fields.iter().find(|f| f.name == name) else { continue };
            field.params.iter().for_each(|p| add(&mut names, p.name));
            match &field.source {
                FieldSource::Derived(expr) => isa[*expr].fields.iter().for_each(|&f| add(&mut names, f)),
                FieldSource::Bits(_) if closed || case.guard.is_some_and(|g| passed.contains(&g)) => {}
                FieldSource::Bits(_) => {
                    fields.push(field);
                    closed = case.guard.is_none() || case.guard == own;
                }
            }
            if case.guard.is_none() {
                break;
            }
        }
        out.push(Packed { name, is_value_only: fields.is_empty(), fields });
    }
    out
}
