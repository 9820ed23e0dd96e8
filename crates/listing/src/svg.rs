//! A listing as a picture: a line for each block and instruction, on the left the ways from block to block, on the right
//! what leads from definitions to uses. It stands alone, in light and dark.

use std::collections::BTreeMap;
use std::fmt::Write;

use crate::tree::{Elem, Inst, ListOperand, Listing};

/// Units of a line, of the space before a block, and of a letter.
const LINE: usize = 18;
const BREAK: usize = 10;
const LETTER: usize = 8;

/// Units of the margins in which arrows run, and between two of them.
const MARGIN: usize = 90;
const LANE: usize = 8;

/// Lanes of a margin; longer arrows share the outermost.
const LANES: usize = 9;

const STYLE: &str = "\
:root { color-scheme: light dark; --ink: #1c2024; --dim: #5f6b76; --paper: #ffffff; --link: #2b6cb0; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6e9ec; --dim: #9aa6b1; --paper: #14181c; --link: #7db8ff; } }
rect { fill: var(--paper); }
text { font: 13px ui-monospace, Menlo, Consolas, monospace; fill: var(--ink); white-space: pre; }
text.block { font-weight: 700; }
text.dim { fill: var(--dim); }
path { fill: none; stroke: var(--dim); stroke-width: 1.2; }
path.use { stroke: var(--link); }
marker path { stroke: none; fill: var(--dim); }
marker.use path { fill: var(--link); }
";

/// A block: where control goes, and its first and last instruction.
struct Block<'a> {
    succs: &'a [u32],
    ends: Option<(u32, u32)>,
}

/// The picture.
#[must_use]
pub fn svg(listing: &Listing<'_>) -> String {
    let mut places: BTreeMap<u32, usize> = BTreeMap::new();
    let mut blocks: BTreeMap<u32, Block<'_>> = BTreeMap::new();
    let mut lines = String::new();
    let (mut y, mut open, mut longest) = (0, None, 0);
    for elem in &listing.elems {
        match elem {
            Elem::L(label) => {
                y += if y == 0 { LINE } else { LINE + BREAK };
                open = Some(label.id);
                blocks.insert(label.id, Block { succs: &label.succs, ends: None });
                let _ =
                    writeln!(lines, "<text class=\"block\" x=\"{MARGIN}\" y=\"{y}\">{}:</text>", xml(&label.symbol));
                longest = longest.max(label.symbol.chars().count() + 1);
            }
            Elem::I(inst) => {
                y += LINE;
                places.insert(inst.id, y - LETTER / 2);
                if let Some(block) = open.and_then(|id| blocks.get_mut(&id)) {
                    block.ends = Some((block.ends.map_or(inst.id, |(first, _)| first), inst.id));
                }
                let shown = inst.comment.as_deref().unwrap_or(&inst.op);
                let (number, text) = (MARGIN + 3 * LETTER, MARGIN + 4 * LETTER);
                let _ = write!(
                    lines,
                    "<text class=\"dim\" x=\"{number}\" y=\"{y}\" text-anchor=\"end\">{}</text>",
                    inst.id
                );
                let _ = writeln!(lines, "<text x=\"{text}\" y=\"{y}\">{}</text>", xml(shown));
                longest = longest.max(shown.chars().count() + 4);
            }
        }
    }
    let right = MARGIN + longest * LETTER + LETTER;
    let (width, height) = (right + MARGIN, y + LINE);
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" \
         height=\"{height}\">\n<style>\n{STYLE}</style>\n<title>A program for {}</title>\n",
        xml(&listing.platform)
    );
    for kind in ["way", "use"] {
        let _ = writeln!(
            out,
            "<marker id=\"{kind}\" class=\"{kind}\" viewBox=\"0 0 6 6\" refX=\"6\" refY=\"3\" markerWidth=\"6\" \
             markerHeight=\"6\" orient=\"auto\"><path d=\"M0,0 L6,3 L0,6 z\"/></marker>"
        );
    }
    let _ = writeln!(out, "<rect width=\"{width}\" height=\"{height}\"/>");
    out += &lines;
    for block in blocks.values() {
        for to in block.succs.iter().filter_map(|to| blocks.get(to)) {
            let (Some((_, from)), Some((to, _))) = (block.ends, to.ends) else { continue };
            // To go on needs no arrow.
            if to != from + 1 {
                arrow("way", from, to, (MARGIN - LETTER, -1), &places, &mut out);
            }
        }
    }
    for elem in &listing.elems {
        let Elem::I(inst) = elem else { continue };
        for user in uses(inst) {
            arrow("use", inst.id, user, (right, 1), &places, &mut out);
        }
    }
    out + "</svg>\n"
}

/// The instructions that use what this one makes.
fn uses(inst: &Inst<'_>) -> Vec<u32> {
    let made = match &inst.dst {
        Some(ListOperand::RD(o)) => o.uses.as_slice(),
        Some(ListOperand::RI(o)) => o.uses.as_slice(),
        Some(ListOperand::RM(o)) => o.uses.as_slice(),
        _ => &[],
    };
    let implied = inst.implicit.iter().flat_map(|i| &i.uses);
    let flags = inst.fm.iter().flat_map(|f| &f.uses);
    let mut all: Vec<u32> = made.iter().chain(implied).chain(flags).copied().collect();
    all.sort_unstable();
    all.dedup();
    all
}

/// An arrow from an instruction to another beside the lines, the further out the longer it is.
fn arrow(kind: &str, from: u32, to: u32, (x, side): (usize, isize), places: &BTreeMap<u32, usize>, out: &mut String) {
    let (Some(&start), Some(&end)) = (places.get(&from), places.get(&to)) else { return };
    let lane = (from.abs_diff(to).checked_ilog2().unwrap_or(0) as usize + 2).min(LANES);
    let far = x.saturating_add_signed(side * (LANE * lane) as isize);
    // One that leads to its own line is a loop beside it.
    let own = if from == to { LINE / 4 } else { 0 };
    let (start, end) = (start - own, end + own);
    let _ = writeln!(
        out,
        "<path class=\"{kind}\" d=\"M{x},{start} C{far},{start} {far},{end} {x},{end}\" marker-end=\"url(#{kind})\"/>"
    );
}

/// A text as it stands in XML.
fn xml(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '&' => out.push_str("&amp;"),
            '"' => out.push_str("&quot;"),
            // XML cannot hold them.
            c if c.is_control() => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}
