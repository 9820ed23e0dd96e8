//! Which bits are defined, and that each is defined once.
//!
//! A bit is defined by a pattern, or by a field or assert outside overrides, anywhere on the way to the root. Within one
//! bitset no bit may be defined twice, a bitset may not define what an ancestor does, and in a leaf no bit may be left.
//! Ranges are sorted and swept, so the cost does not depend on the width.

use isaglot_source::{Diagnostic, Diagnostics, Span};

use super::Place;
use crate::gather::Tables;
use crate::syntax::{Bitset, PieceDecl};

/// A range of bits, both ends included, and where it is defined.
#[derive(Clone, Copy, Debug)]
struct Defined {
    low: u32,
    high: u32,
    /// 0 in the bitset looked at, 1 in an ancestor.
    level: u8,
    what: What,
    span: Span,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum What {
    Field,
    Assert,
    Pattern,
}

impl What {
    fn name(self) -> &'static str {
        match self {
            What::Field => "field",
            What::Assert => "assert",
            What::Pattern => "pattern",
        }
    }
}

/// The definitions of a bitset in the order in which the reference takes them.
fn definitions(decl: &Bitset, level: u8, list: &mut Vec<Defined>) {
    for a in &decl.default.asserts {
        list.push(Defined { low: a.low, high: a.high(), level, what: What::Assert, span: a.span });
    }
    for field in &decl.default.fields {
        for piece in &field.pieces {
            if let PieceDecl::Bits { low, high } = *piece {
                list.push(Defined { low, high, level, what: What::Field, span: field.range_span });
            }
        }
    }
    for p in &decl.patterns {
        list.push(Defined { low: p.low, high: p.high(), level, what: What::Pattern, span: p.span });
    }
}

/// Reports bits that one bitset defines twice, in every bitset, replaced ones too.
pub(crate) fn redefined(tables: &Tables<'_>, out: &mut Diagnostics) {
    let mut list = Vec::new();
    let mut seen = Vec::new();
    for set in &tables.sets {
        list.clear();
        definitions(set.decl, 0, &mut list);
        // The same element read twice (a file imported twice) is reported once.
        let before = out.error_count();
        if seen.contains(&set.decl.span) {
            continue;
        }
        redefined_in(set.decl, &list, out);
        if out.error_count() > before {
            seen.push(set.decl.span);
        }
    }
}

fn redefined_in(decl: &Bitset, list: &[Defined], out: &mut Diagnostics) {
    let mut sorted: Vec<Defined> = Vec::with_capacity(list.len());
    for d in list {
        let at = sorted.partition_point(|s| s.low <= d.low);
        let before = at.checked_sub(1).and_then(|i| sorted.get(i)).filter(|s| s.high >= d.low);
        let other = before.or_else(|| sorted.get(at).filter(|s| s.low <= d.high));
        match other {
            Some(other) => {
                let (low, high) = (d.low.max(other.low), d.high.min(other.high));
                let name = &decl.name.value;
                let message = match low == high {
                    true => format!("bit {low} of `{name}` is defined twice"),
                    false => format!("bits {low}..{high} of `{name}` are defined twice"),
                };
                let error = Diagnostic::error("isaspec-redefined-bits", message);
                out.push(if d.span == other.span {
                    error.label(d.span, format!("twice by this {}", d.what.name()))
                } else {
                    error
                        .label(d.span, format!("by this {}", d.what.name()))
                        .secondary(other.span, format!("and by this {}", other.what.name()))
                });
            }
            None => sorted.insert(at, *d),
        }
    }
}

/// Reports bits that a bitset shares with an ancestor, and bits that a leaf leaves undefined.
pub(crate) fn inherited(tables: &Tables<'_>, places: &[Option<Place>], live: &[bool], out: &mut Diagnostics) {
    let mut leaf = vec![false; tables.sets.len()];
    for id in tables.leaves.iter().flat_map(|(_, list)| list) {
        if let Some(flag) = leaf.get_mut(*id) {
            *flag = true;
        }
    }
    let mut list = Vec::new();
    for (id, set) in tables.sets.iter().enumerate() {
        let (Some(Some(place)), Some(true)) = (places.get(id), live.get(id)) else { continue };
        list.clear();
        let mut complete = true;
        for (depth, level) in place.levels.iter().enumerate() {
            // More definitions than bits overlap somewhere, which is found among the first of them.
            if let Some(level) = tables.sets.get(*level).filter(|_| list.len() <= 2 * place.width as usize) {
                definitions(level.decl, u8::from(depth > 0), &mut list);
                complete &= level.decl.complete;
            }
        }
        outside(tables, set.decl, place, &list, out);
        list.sort_by_key(|d| (d.low, d.level));
        let conflict = sweep(set.decl, &list, out);
        if leaf.get(id) == Some(&true) && complete && !conflict {
            undefined(tables, set.decl, place, &list, out);
        }
    }
}

/// Finds the first bit that both the bitset and an ancestor define.
fn sweep(decl: &Bitset, list: &[Defined], out: &mut Diagnostics) -> bool {
    // The furthest reaching definition so far, of the bitset and of its ancestors.
    let mut furthest: [Option<Defined>; 2] = [None, None];
    for d in list {
        let (own, other) = if d.level == 0 { (0, 1) } else { (1, 0) };
        if let Some(other) = furthest[other].filter(|o| o.high >= d.low) {
            let (child, parent) = if own == 0 { (*d, other) } else { (other, *d) };
            let bit = d.low;
            let message = format!("bit {bit} of `{}` is defined by an ancestor already", decl.name.value);
            let d = Diagnostic::error("isaspec-parent-conflict", message)
                .label(child.span, format!("by this {}", child.what.name()))
                .secondary(parent.span, format!("the ancestor's {}", parent.what.name()));
            out.push(d);
            return true;
        }
        if furthest[own].is_none_or(|f| f.high < d.high) {
            furthest[own] = Some(*d);
        }
    }
    false
}

fn undefined(tables: &Tables<'_>, decl: &Bitset, place: &Place, list: &[Defined], out: &mut Diagnostics) {
    let mut gaps: Vec<(u32, u32)> = Vec::new();
    let mut next = 0;
    for d in list {
        if d.low > next {
            gaps.push((next, d.low.min(place.width) - 1));
        }
        next = next.max(d.high.saturating_add(1));
        if next >= place.width {
            break;
        }
    }
    if next < place.width {
        gaps.push((next, place.width - 1));
    }
    if !gaps.is_empty() {
        let text = |(low, high): &(u32, u32)| if low == high { low.to_string() } else { format!("{low}..{high}") };
        let bits = gaps.iter().map(text).collect::<Vec<_>>().join(", ");
        let message = format!("leaf `{}` leaves bits {bits} undefined", decl.name.value);
        let mut d = Diagnostic::error("isaspec-undefined-bits", message)
            .label(decl.name.span(), "neither pattern nor field nor assert covers them");
        if let Some(size) = tables.sets.get(place.root()).and_then(|root| root.decl.size) {
            d = d.secondary(size.span, "the width");
        }
        out.push(d.note("fields inside an <override> do not count; write a <pattern> of x for bits that mean nothing"));
    }
}

/// Reports definitions outside the word: patterns here, fields and asserts with their types, and in a narrower
/// encoding also what it inherits.
fn outside(tables: &Tables<'_>, decl: &Bitset, place: &Place, list: &[Defined], out: &mut Diagnostics) {
    let size = tables.sets.get(place.root()).and_then(|root| root.decl.size);
    let narrower = size.is_some_and(|s| s.value > i64::from(place.width));
    for d in list.iter().filter(|d| d.high >= place.width) {
        let message = format!("bit {} is outside the {} bits of `{}`", d.high, place.width, decl.name.value);
        let error = Diagnostic::error("isaspec-bit-range", message);
        if d.level == 0 && d.what == What::Pattern {
            let error = error.label(d.span, "this pattern");
            out.push(size.iter().fold(error, |e, size| e.secondary(size.span, "the width")));
        } else if d.level > 0 && narrower {
            out.push(error.label(decl.name.span(), "this is narrower").secondary(d.span, "than what it inherits"));
        }
    }
}
