//! The bit diagram of a view, as SVG: rows of at most 32 bits, the most significant first; fixed bits show their values,
//! fields their names, and every bit is claimed by at most one of them.

use isaglot_invariant::Impossible as _;
use isaglot_model::{Encoding, Isa};

use crate::html::Escaped;
use crate::view::{View, range_text};

/// Bits of a row.
const ROW: u32 = 32;

/// Units of a bit, of a row of boxes, and of the row of numbers above it.
const BIT: u32 = 24;
const BOX: u32 = 30;
const NUMBERS: u32 = 16;

/// Units that a letter takes.
const LETTER: u32 = 8;

/// Colours of fields before they come again.
pub(crate) const COLOURS: usize = 10;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Owner {
    Fixed,
    Field(usize),
    /// The case demands a value.
    Assert,
    DontCare,
    Free,
}

/// Appends the diagram. `label` says what it is of, for those who do not see it.
pub(crate) fn diagram(isa: &Isa, encoding: &Encoding, view: &View<'_>, label: &str, out: &mut String) {
    let owners: Vec<Owner> = (0..encoding.width).map(|bit| owner(encoding, view, bit)).collect();
    let rows = encoding.width.div_ceil(ROW);
    let columns = encoding.width.min(ROW);
    let (width, height) = (columns * BIT + 2, rows * (BOX + NUMBERS) + 2);
    out.push_str(&format!(
        "<svg class=\"bits\" role=\"img\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" height=\"{height}\" \
         xmlns=\"http://www.w3.org/2000/svg\">\n<title>{}</title>\n<desc>{}</desc>\n",
        Escaped(label),
        Escaped(&spoken(isa, encoding, view))
    ));
    for row in 0..rows {
        let high = encoding.width - 1 - row * ROW;
        let low = (high + 1).saturating_sub(columns);
        let top = row * (BOX + NUMBERS);
        let mut end = high + 1;
        while end > low {
            let owner = owners.get(end as usize - 1).copied().or_impossible(Owner::Free);
            let mut start = end - 1;
            while start > low && owners.get(start as usize - 1) == Some(&owner) {
                start -= 1;
            }
            cell(isa, encoding, view, owner, (start, end), (high + 1 - end, top), out);
            end = start;
        }
    }
    out.push_str("</svg>\n");
}

fn owner(encoding: &Encoding, view: &View<'_>, bit: u32) -> Owner {
    if encoding.pattern.care().bit(bit) {
        return Owner::Fixed;
    }
    if let Some(at) = view.fields.iter().position(|f| f.source.ranges().any(|r| r.contains(bit))) {
        return Owner::Field(at);
    }
    if view.asserts.iter().any(|a| a.range.contains(bit)) {
        return Owner::Assert;
    }
    if encoding.dont_care.bit(bit) { Owner::DontCare } else { Owner::Free }
}

/// The value that a bit must have.
fn digit(encoding: &Encoding, view: &View<'_>, bit: u32) -> char {
    let asserted = || view.asserts.iter().find(|a| a.range.contains(bit)).map(|a| a.value.bit(bit - a.range.lo));
    match encoding.pattern.bit(bit).or_else(asserted) {
        Some(true) => '1',
        Some(false) => '0',
        None => 'x',
    }
}

/// One box with the numbers of its ends: bits `start` up to but not including `end`.
fn cell(
    isa: &Isa,
    encoding: &Encoding,
    view: &View<'_>,
    owner: Owner,
    (start, end): (u32, u32),
    (column, top): (u32, u32),
    out: &mut String,
) {
    let (x, y, width) = (column * BIT + 1, top + NUMBERS, (end - start) * BIT);
    let field = match owner {
        Owner::Field(at) => view.fields.get(at).map(|f| (at, isa.text(f.name))),
        _ => None,
    };
    let class = match (owner, field) {
        (_, Some((at, _))) => format!("f f{}", at % COLOURS),
        (Owner::Fixed, _) => "fixed".to_owned(),
        (Owner::Assert, _) => "assert".to_owned(),
        (Owner::DontCare, _) => "any".to_owned(),
        _ => "free".to_owned(),
    };
    let data = field.map(|(_, name)| format!(" data-f=\"{}\"", Escaped(name))).unwrap_or_default();
    out.push_str(&format!("<g class=\"{class}\"{data}><rect x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{BOX}\"/>"));
    let baseline = y + BOX / 2 + 5;
    let known = field.and_then(|(at, _)| view.fields.get(at)).filter(|f| view.fixed(f, start).is_some());
    match field {
        Some((_, name)) if known.is_some() => {
            out.push_str(&format!("<title>{}</title>", Escaped(name)));
            for bit in start..end {
                let center = x + (end - 1 - bit) * BIT + BIT / 2;
                let digit = u8::from(known.and_then(|f| view.fixed(f, bit)).unwrap_or(false));
                out.push_str(&format!("<text x=\"{center}\" y=\"{baseline}\" text-anchor=\"middle\">{digit}</text>"));
            }
        }
        Some((_, name)) => {
            let room = (width / LETTER).max(1) as usize;
            let shown: String = if name.chars().count() <= room {
                name.to_owned()
            } else {
                name.chars().take(room.saturating_sub(1).max(1)).chain(['…']).take(room.max(1)).collect()
            };
            let range = isaglot_bits::BitRange::new(start, end - start);
            out.push_str(&format!("<title>{} {}</title>", Escaped(name), range_text(range)));
            out.push_str(&format!(
                "<text x=\"{}\" y=\"{baseline}\" text-anchor=\"middle\">{}</text>",
                x + width / 2,
                Escaped(&shown)
            ));
        }
        None if owner != Owner::Free => {
            for bit in start..end {
                let center = x + (end - 1 - bit) * BIT + BIT / 2;
                let digit = digit(encoding, view, bit);
                out.push_str(&format!("<text x=\"{center}\" y=\"{baseline}\" text-anchor=\"middle\">{digit}</text>"));
            }
        }
        None => {}
    }
    let number = |bit: u32, x: u32, anchor: &str| {
        format!("<text class=\"n\" x=\"{x}\" y=\"{}\" text-anchor=\"{anchor}\">{bit}</text>", top + NUMBERS - 4)
    };
    if end - start == 1 {
        out.push_str(&number(start, x + BIT / 2, "middle"));
    } else {
        out.push_str(&number(end - 1, x + 2, "start"));
        out.push_str(&number(start, x + width - 2, "end"));
    }
    out.push_str("</g>\n");
}

/// The diagram in words.
fn spoken(isa: &Isa, encoding: &Encoding, view: &View<'_>) -> String {
    let mut parts: Vec<String> = Vec::new();
    for run in encoding.pattern.care().runs().into_iter().rev() {
        let digits: String = (run.lo..run.end()).rev().map(|b| digit(encoding, view, b)).collect();
        parts.push(format!("bits {} are {digits}", range_text(run)));
    }
    for field in &view.fields {
        let places: Vec<String> = field.source.ranges().map(range_text).collect();
        if !places.is_empty() {
            parts.push(format!("{} is bits {}", isa.text(field.name), places.join(" and ")));
        }
    }
    parts.join("; ")
}
