//! Enums beside the fields that have them, and enums that are masks.
//!
//! An enum is a *mask* if its texts are made of one letter per bit: `x`, `y`, `xy`, or `.x__`, `._y_`, `.xy_`. Which it is
//! shows from its values of one bit; if most of the others are then made so, one that is not is a mistake.

use isaglot_model::{EnumType, Field, FieldSource, FieldType, Isa};
use isaglot_source::{Diagnostic, Severity};
use rustc_hash::FxHashMap;

pub(super) fn check(isa: &Isa, out: &mut Vec<Diagnostic>) {
    let mut fields: Vec<Vec<&Field>> = vec![Vec::new(); isa.enums().len()];
    for field in isa.encodings().iter().flat_map(|e| &e.cases).flat_map(|c| &c.fields) {
        if let (FieldType::Enum(id), FieldSource::Bits(_)) = (&field.ty, &field.source)
            && let Some(list) = fields.get_mut(id.index())
            && list.iter().all(|f| f.span != field.span)
        {
            list.push(field);
        }
    }
    for (ty, fields) in isa.enums().iter().zip(fields) {
        widths(isa, ty, &fields, out);
        mask(ty, &fields, out);
    }
}

fn widths(isa: &Isa, ty: &EnumType, fields: &[&Field], out: &mut Vec<Diagnostic>) {
    let Some(largest) = ty.values.iter().map(|v| v.value).max() else { return };
    let needed = (u64::BITS - largest.leading_zeros()).max(1);
    let widest = fields.iter().map(|f| f.width).max().unwrap_or(0);
    for field in fields {
        let name = isa.text(field.name);
        // That no field is wide enough is said of the value.
        if field.width < needed && widest >= needed {
            let beyond = ty.values.iter().filter(|v| v.value >> field.width.min(63) != 0).count();
            let message =
                format!("`{name}` has {} bits, too few for {beyond} values of enum `{}`", field.width, ty.name);
            let d = Diagnostic::new(Severity::Note, "verify-enum-narrow", message).label(field.span, "this field");
            out.push(d.secondary(ty.span, format!("its largest value is {largest}")));
        } else if field.width > needed {
            let message = format!("`{name}` has {} bits, but enum `{}` needs {needed}", field.width, ty.name);
            let d = Diagnostic::new(Severity::Note, "verify-enum-wide", message).label(field.span, "this field");
            out.push(d.secondary(ty.span, format!("its largest value is {largest}")));
        }
    }
}

/// How the texts of a mask are made.
enum Made<'t> {
    /// The letters of the bits that are set, the lowest first.
    Letters,
    /// A place for each bit: this text with the letters of the bits that are set.
    Places(&'t str),
}

fn mask(ty: &EnumType, fields: &[&Field], out: &mut Vec<Diagnostic>) {
    let mut texts: FxHashMap<u64, &str> = FxHashMap::default();
    for value in &ty.values {
        texts.entry(value.value).or_insert(&value.display);
    }
    // The bits of which there is a value alone; at least three make a mask.
    let bits: Vec<(u64, &str)> = (0..16).map_while(|i| Some((1 << i, *texts.get(&(1 << i))?))).collect();
    let all = (1_u64 << bits.len()) - 1;
    let largest = ty.values.iter().map(|v| v.value).max().unwrap_or(0);
    if bits.len() < 3 || largest > all || bits.iter().any(|b| b.1.is_empty()) {
        return;
    }
    let composite: Vec<u64> = (1..=all).filter(|v| v.count_ones() > 1).collect();
    let none = texts.get(&0).copied().unwrap_or("");
    let right =
        |made: &Made<'_>| composite.iter().filter(|v| texts.get(v) == Some(&made.text(&bits, **v).as_str())).count();
    let made = [Made::Letters, Made::Places(none)].into_iter().max_by_key(right);
    let Some(made) = made.filter(|made| 2 * right(made) > composite.len()) else { return };
    let width = fields.iter().map(|f| f.width).max().unwrap_or(0);
    for value in composite {
        let expected = made.text(&bits, value);
        match texts.get(&value) {
            // All bits together often have no text of their own.
            Some(&text) if text == expected || (value == all && text.is_empty()) => {}
            Some(text) => {
                let Some(entry) = ty.values.iter().find(|v| v.value == value) else { continue };
                let message =
                    format!("value {value} of the mask `{}` reads `{text}`, its bits would read `{expected}`", ty.name);
                out.push(Diagnostic::warning("verify-enum-mask", message).label(entry.span, "unlike the other values"));
            }
            None if u32::BITS - (value as u32).leading_zeros() <= width => {
                let message = format!("the mask `{}` has no value {value}, which would read `{expected}`", ty.name);
                out.push(Diagnostic::warning("verify-enum-mask", message).label(ty.span, "a hole"));
            }
            None => {}
        }
    }
}

impl Made<'_> {
    /// The text of a value.
    fn text(&self, bits: &[(u64, &str)], value: u64) -> String {
        let set = bits.iter().filter(|(bit, _)| value & bit != 0).map(|b| b.1);
        match self {
            Made::Letters => set.collect(),
            Made::Places(none) => {
                let mut text: Vec<char> = none.chars().collect();
                for of_bit in set {
                    for (place, (is, was)) in text.iter_mut().zip(of_bit.chars().zip(none.chars())) {
                        if is != was {
                            *place = is;
                        }
                    }
                }
                text.into_iter().collect()
            }
        }
    }
}
