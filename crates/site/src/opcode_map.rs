//! The opcode map as a picture: the bits that most encodings decide by, spread out as a table whose cells say what is
//! claimed, by whom, what is in conflict and what is free.
//!
//! A cell is a pattern; what lies in it is counted exactly, not sampled. Where instructions differ in length there is a
//! map for each, and words that begin an instruction of another length are nobody's.

use std::collections::BTreeSet;

use isaglot_bits::{Pattern, cover};
use isaglot_model::{EncodingId, FeatureId, Isa, Overlap};

use crate::Site;
use crate::html::Escaped;
use crate::limits::{CELL_NAMES, MAP_BITS, MAP_GENS};

/// Adds the page.
pub(crate) fn write(site: &mut Site<'_>) {
    let isa = site.isa;
    let mut out = String::from(
        "<p class=\"key\"><span class=\"claimed\">claimed</span> <span class=\"shared\">claimed in part</span> \
         <span class=\"conflict\">in conflict</span> <span class=\"free\">free</span> \
         <span class=\"other\">another length</span></p>\n",
    );
    let widths: BTreeSet<u32> = isa[isa.root()].encodings.iter().map(|&id| isa[id].width).collect();
    let gens = generations(isa);
    for &width in &widths {
        if widths.len() > 1 {
            out.push_str(&format!("<h2>{width} bits</h2>\n"));
        }
        for (at, &generation) in gens.iter().enumerate() {
            let active: Vec<EncodingId> = isa[isa.root()].encodings.clone();
            let active: Vec<EncodingId> =
                active.into_iter().filter(|&id| isa[id].width == width && isa[id].gens.contains(generation)).collect();
            let caption = match isa.gens().iter().find(|g| g.value == generation) {
                Some(gen_name) => format!("Gen {}", gen_name.name),
                None if gens.len() > 1 && at + 1 == gens.len() => format!("Gen {generation} and later"),
                None if gens.len() > 1 => format!("From gen {generation} on"),
                None => "Opcode map".to_owned(),
            };
            map(site, width, &active, &caption, &mut out);
        }
    }
    site.add("map.html", "Opcode map", &out);
}

/// The gens that a map is drawn for: those with names, else the first of each range in which nothing changes.
fn generations(isa: &Isa) -> Vec<u32> {
    let mut all: BTreeSet<u32> = isa.gens().iter().map(|g| g.value).collect();
    if all.is_empty() {
        for &id in &isa[isa.root()].encodings {
            let gens = isa[id].gens;
            all.insert(gens.min);
            all.extend(gens.max.checked_add(1));
        }
        let has = |generation| isa[isa.root()].encodings.iter().any(|&id| isa[id].gens.contains(generation));
        all.retain(|&generation| has(generation));
    }
    let skip = all.len().saturating_sub(MAP_GENS);
    all.into_iter().skip(skip).collect()
}

/// The bits that decide most, the most significant first.
fn deciding(isa: &Isa, width: u32, active: &[EncodingId]) -> Vec<u32> {
    let votes = |bit: u32| active.iter().filter(|&&id| isa[id].pattern.care().bit(bit)).count();
    let mut bits: Vec<(usize, u32)> = (0..width).map(|bit| (votes(bit), bit)).filter(|v| v.0 > 0).collect();
    bits.sort_by_key(|&(votes, bit)| (std::cmp::Reverse(votes), std::cmp::Reverse(bit)));
    let mut bits: Vec<u32> = bits.into_iter().take(MAP_BITS as usize).map(|v| v.1).collect();
    bits.sort_unstable_by(|a, b| b.cmp(a));
    bits
}

fn map(site: &Site<'_>, width: u32, active: &[EncodingId], caption: &str, out: &mut String) {
    let isa = site.isa;
    let bits = deciding(isa, width, active);
    let (row_bits, column_bits) = bits.split_at(bits.len() / 2);
    let others = other_lengths(isa, width);
    let list = |bits: &[u32]| bits.iter().map(u32::to_string).collect::<Vec<_>>().join(" ");
    out.push_str("<div class=\"wide\"><table class=\"map\">\n");
    out.push_str(&format!(
        "<caption>{}: bits {} across, bits {} down</caption>\n<thead><tr><td></td>",
        Escaped(caption),
        list(column_bits),
        list(row_bits)
    ));
    for column in 0..1_u32 << column_bits.len() {
        out.push_str(&format!("<th scope=\"col\">{}</th>", digits(column, column_bits.len())));
    }
    out.push_str("</tr></thead>\n<tbody>\n");
    for row in 0..1_u32 << row_bits.len() {
        out.push_str(&format!("<tr><th scope=\"row\">{}</th>", digits(row, row_bits.len())));
        let mut cell_of_row = Pattern::any(width);
        fix(&mut cell_of_row, row_bits, row);
        for column in 0..1_u32 << column_bits.len() {
            let mut space = cell_of_row.clone();
            fix(&mut space, column_bits, column);
            cell(site, &space, active, &others, out);
        }
        out.push_str("</tr>\n");
    }
    out.push_str("</tbody>\n</table></div>\n");
}

fn fix(space: &mut Pattern, bits: &[u32], value: u32) {
    for (at, &bit) in bits.iter().rev().enumerate() {
        *space = space.with_bit(bit, value >> at & 1 == 1);
    }
}

fn digits(value: u32, bits: usize) -> String {
    if bits == 0 {
        return "all".to_owned();
    }
    (0..bits).rev().map(|b| if value >> b & 1 == 1 { '1' } else { '0' }).collect()
}

fn cell(site: &Site<'_>, space: &Pattern, active: &[EncodingId], others: &[Pattern], out: &mut String) {
    let isa = site.isa;
    let inside: Vec<EncodingId> = active.iter().copied().filter(|&id| isa[id].pattern.overlaps(space)).collect();
    let patterns: Vec<Pattern> =
        inside.iter().map(|&id| isa[id].pattern.clone()).chain(others.iter().cloned()).collect();
    let free = cover::uncovered_count(space, &patterns);
    let elsewhere = cover::uncovered_count(space, others);
    let (class, share) = match (&free, &elsewhere) {
        (_, Some(ours)) if ours.is_zero() && inside.is_empty() => ("other", String::new()),
        (Some(free), _) if free.is_zero() => ("claimed", "all claimed".to_owned()),
        (Some(_), _) if inside.is_empty() => ("free", "all free".to_owned()),
        (Some(free), Some(ours)) => ("shared", format!("{:.1} % free", 100.0 * free.to_f64() / ours.to_f64())),
        _ => ("shared", "share not counted".to_owned()),
    };
    let class = if conflicting(isa, space, &inside) { "conflict" } else { class };
    let names: Vec<&str> = inside.iter().map(|&id| isa.text(isa[id].name)).collect();
    let title = if names.is_empty() { share } else { format!("{share}; {}", names.join(", ")) };
    out.push_str(&format!("<td class=\"{class}\" title=\"{}\">", Escaped(&title)));
    for (at, &id) in inside.iter().take(CELL_NAMES).enumerate() {
        let blank = if at > 0 { " " } else { "" };
        let encoding = &isa[id];
        let shown = if encoding.display_name.is_empty() { isa.text(encoding.name) } else { &*encoding.display_name };
        out.push_str(&format!("{blank}<a href=\"{}\">{}</a>", site.slugs.encoding(id), Escaped(shown)));
    }
    if inside.len() > CELL_NAMES {
        out.push_str(&format!(" +{}", inside.len() - CELL_NAMES));
    }
    out.push_str("</td>");
}

/// Whether two encodings of a cell match one word, and neither gives way.
fn conflicting(isa: &Isa, space: &Pattern, inside: &[EncodingId]) -> bool {
    if isa[isa.root()].overlap != Overlap::Conflict {
        return false;
    }
    let on = |f: FeatureId| isa[f].default;
    let here: Vec<Pattern> = inside
        .iter()
        .filter(|&&id| isa[id].condition.holds(&on))
        .filter_map(|&id| isa[id].pattern.intersect(space))
        .collect();
    here.iter().enumerate().any(|(at, a)| here.iter().skip(at + 1).any(|b| a.overlaps(b)))
}

/// The words that begin an instruction of another length, or none at all.
fn other_lengths(isa: &Isa, width: u32) -> Vec<Pattern> {
    let format = isa.format();
    if format.lengths.is_empty() {
        return Vec::new();
    }
    let mut left = vec![Pattern::any(format.parcel_bits)];
    let mut others = Vec::new();
    for rule in &format.lengths {
        if rule.bits != width {
            others.extend(left.iter().filter_map(|p| p.intersect(&rule.pattern)));
        }
        left = left
            .iter()
            .flat_map(|p| if p.overlaps(&rule.pattern) { p.subtract(&rule.pattern) } else { vec![p.clone()] })
            .collect();
    }
    others.extend(left);
    others.iter().map(|p| p.resized(width)).collect()
}
