//! The ways to read an encoding: one view per case that applies.
//!
//! A field is what the first applicable case defines. So the view of a guarded case shows its own fields, then those of
//! the cases that always apply, as far as no earlier one has the name. What holds when no guard does comes first.

use isaglot_bits::BitRange;
use isaglot_model::{Assert, Case, Encoding, Field, FieldSource, Isa, Name, Piece, Template};

/// One way to read an encoding.
pub(crate) struct View<'a> {
    /// The guard of the case that makes it, as written; `None` where no guard needs to hold.
    pub(crate) guard: Option<&'a str>,
    /// The text is an alias.
    pub(crate) alias: bool,
    pub(crate) fields: Vec<&'a Field>,
    pub(crate) asserts: Vec<&'a Assert>,
    pub(crate) template: Option<&'a Template>,
    /// Fields that have one value where the guard holds.
    pub(crate) bound: Vec<(Name, u64)>,
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
    let mut made =
        View { guard: None, alias: false, fields: Vec::new(), asserts: Vec::new(), template: None, bound: Vec::new() };
    for case in cases {
        if let Some(guard) = case.guard {
            made.guard = Some(isa[guard].text.trim());
            made.bound = bound(isa, isa[guard].text.trim());
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

/// The fields that a guard gives one value, as far as it is a conjunction that says so: `({RD} == 0) && {IMM} == 4`.
fn bound(isa: &Isa, guard: &str) -> Vec<(Name, u64)> {
    let one = |part: &str| {
        let part = part.trim().trim_start_matches('(').trim_end_matches(')');
        let (name, value) = part.split_once("==")?;
        let name = name.trim().trim_start_matches('{').trim_end_matches('}');
        let value = value.trim();
        let value = match value.strip_prefix("0x") {
            Some(digits) => u64::from_str_radix(digits, 16).ok()?,
            None => value.parse().ok()?,
        };
        Some((isa.names().get(name)?, value))
    };
    if guard.contains("||") || guard.contains('?') || guard.contains("!(") {
        return Vec::new();
    }
    guard.split("&&").filter_map(one).collect()
}

impl View<'_> {
    /// The value of a bit of a field that the guard fixes.
    pub(crate) fn fixed(&self, field: &Field, bit: u32) -> Option<bool> {
        let (_, value) = self.bound.iter().find(|(name, _)| *name == field.name)?;
        let FieldSource::Bits(pieces) = &field.source else { return None };
        let mut at = 0;
        for piece in pieces.iter().rev() {
            match piece {
                Piece::Bits(range) if range.contains(bit) => {
                    return Some(value.checked_shr(at + bit - range.lo).unwrap_or(0) & 1 == 1);
                }
                Piece::Bits(range) => at += range.width,
                Piece::Implied { width, .. } => at += width,
            }
        }
        None
    }

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
