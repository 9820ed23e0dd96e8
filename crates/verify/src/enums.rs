//! Enums: values given twice, texts given twice, values no field can have, values without a text.

use isaglot_model::{EnumId, FieldSource, FieldType, Isa};
use rustc_hash::FxHashMap;

use crate::limits;
use crate::report::{EnumFinding, EnumProblem};

/// All findings about enums, in the order of the description. Ranges and gaps are judged by the widest field, and
/// not at all where a derived field has the type.
pub(crate) fn enums(isa: &Isa) -> Vec<EnumFinding> {
    let mut widths = vec![0; isa.enums().len()];
    let fields = isa.encodings().iter().flat_map(|e| &e.cases).flat_map(|c| &c.fields);
    for field in fields {
        if let FieldType::Enum(id) = field.ty {
            let width = &mut widths[id.index()];
            // A derived value is not cut to the field's width, so it may be anything.
            let own = if matches!(field.source, FieldSource::Derived(_)) { u32::MAX } else { field.width };
            *width = own.max(*width);
        }
    }
    let mut out = Vec::new();
    for (i, (ty, &width)) in isa.enums().iter().zip(&widths).enumerate() {
        let mut found = |problem| out.push(EnumFinding { id: EnumId(i as u32), problem });
        let (mut by_value, mut by_text) = (FxHashMap::default(), FxHashMap::default());
        for (k, entry) in ty.values.iter().enumerate() {
            match by_value.get(&entry.value) {
                Some(&first) => found(EnumProblem::SameValue(first, k)),
                None => {
                    by_value.insert(entry.value, k);
                    match by_text.get(&*entry.display) {
                        Some(&first) => found(EnumProblem::SameText(first, k)),
                        None => {
                            by_text.insert(&*entry.display, k);
                        }
                    }
                }
            }
            if width > 0 && width < 64 && entry.value >> width != 0 {
                found(EnumProblem::OutOfRange(k, width));
            }
        }
        if width == 0 || width >= 64 || ty.values.is_empty() {
            continue;
        }
        let all = 1u64 << width;
        let inside = by_value.keys().filter(|&&v| v < all).count() as u64;
        if inside < all {
            // Bounded: among the first entries + shown values there are enough gaps.
            let missing = (0..all).filter(|v| !by_value.contains_key(v)).take(limits::SHOWN_GAPS).collect();
            found(EnumProblem::Gaps(width, all - inside, missing));
        }
    }
    out
}
