//! The ways to read an encoding: one view per case that applies.
//!
//! A field is what the first applicable case defines. So the view of a guarded case shows its own fields, then those of
//! the cases that always apply, as far as no earlier one has the name. What holds when no guard does comes first.

use isaglot_bits::BitRange;
use isaglot_model::{Assert, Case, Encoding, Field, Isa, Name, Template};

/// One way to read an encoding.
pub(crate) struct View<'a> {
    /// The guard of the case that makes it, as written; `None` where no guard needs to hold.
    pub(crate) guard: Option<&'a str>,
    /// The text is an alias.
    pub(crate) alias: bool,
    pub(crate) fields: Vec<&'a Field>,
    pub(crate) asserts: Vec<&'a Assert>,
    pub(crate) template: Option<&'a Template>,
}

/// All views of an encoding: the one without guard, then the guarded ones in the order in which they are tried.
pub(crate) fn views<'a>(isa: &'a Isa, encoding: &'a Encoding) -> Vec<View<'a>> {
    let always: Vec<&Case> = encoding.cases.iter().filter(|c| c.guard.is_none()).collect();
    let mut all = vec![view(isa, always.iter().copied())];
    for case in encoding.cases.iter().filter(|c| c.guard.is_some()) {
        all.push(view(isa, std::iter::once(case).chain(always.iter().copied())));
    }
    all
}

fn view<'a>(isa: &'a Isa, cases: impl Iterator<Item = &'a Case>) -> View<'a> {
    let mut made = View { guard: None, alias: false, fields: Vec::new(), asserts: Vec::new(), template: None };
    for case in cases {
        if let Some(guard) = case.guard {
            made.guard = Some(isa[guard].text.trim());
        }
        for field in &case.fields {
            if made.fields.iter().all(|f| f.name != field.name) {
                made.fields.push(field);
            }
        }
        made.asserts.extend(&case.asserts);
        if made.template.is_none()
            && let Some(template) = case.template
        {
            made.template = Some(&isa[template]);
            made.alias = case.alias;
        }
    }
    made
}

impl View<'_> {
    /// The number of a field among those of the view, which its colour comes from.
    pub(crate) fn number(&self, name: Name) -> Option<usize> {
        self.fields.iter().position(|f| f.name == name)
    }
}

/// `31:25`, or `7` for one bit.
pub(crate) fn range_text(range: BitRange) -> String {
    match range.high() {
        Some(high) if high != range.lo => format!("{high}:{}", range.lo),
        _ => range.lo.to_string(),
    }
}
