//! What looks like a mistake: parts that nothing uses, enums that do not fit, gens with a hole, asserts that no word meets.
//!
//! The problem: none of this changes how a word decodes, so nothing else tells it, and yet most fixes in the history of real
//! descriptions are of these kinds. Each lint is a question about the model alone, asked once; each has a case in
//! `tests/ui` and a paragraph in `docs/check.md`.

mod enums;
mod gens;
mod unused;

use isaglot_model::{EncodingId, Isa};
use isaglot_source::{Diagnostic, Span};

use crate::limits;

/// All findings, in the order of the description.
pub(crate) fn lints(isa: &Isa) -> Vec<Diagnostic> {
    let mut out = Vec::new();
    unused::check(isa, &mut out);
    enums::check(isa, &mut out);
    gens::check(isa, &mut out);
    asserts(isa, &mut out);
    out.sort_by_key(|d| (d.span().map(|s| (s.file.0, s.start)), d.code));
    out
}

/// Asserts that contradict the pattern of a leaf: every word of it is reported when it is decoded.
fn asserts(isa: &Isa, out: &mut Vec<Diagnostic>) {
    let mut found: Vec<(Span, String, Vec<EncodingId>)> = Vec::new();
    for (i, encoding) in isa.encodings().iter().enumerate() {
        for assert in encoding.cases.iter().flat_map(|c| &c.asserts) {
            let range = assert.range;
            let wrong = (range.lo..range.end())
                .find(|&bit| encoding.pattern.bit(bit).is_some_and(|fixed| fixed != assert.value.bit(bit - range.lo)));
            let Some(bit) = wrong else { continue };
            let id = EncodingId(i as u32);
            match found.iter_mut().find(|f| f.0 == assert.span) {
                Some((_, _, leaves)) => leaves.push(id),
                None => found.push((assert.span, format!("bit {bit}"), vec![id])),
            }
        }
    }
    for (span, bit, leaves) in found {
        let Some(&first) = leaves.first() else { continue };
        let message = format!("no word meets this assert: the pattern fixes {bit} otherwise");
        let d = Diagnostic::warning("verify-assert-never", message).label(span, "this assert");
        let d = d.secondary(isa[first].span, format!("matches {:#}", isa[first].pattern));
        out.push(d.note(format!("in {}", some(leaves.iter().map(|&id| isa.text(isa[id].name))))));
    }
}

/// Names in backquotes, the first few of them.
fn some<'n>(names: impl ExactSizeIterator<Item = &'n str>) -> String {
    let more = names.len().saturating_sub(limits::SHOWN_NAMES);
    let shown: Vec<String> = names.take(limits::SHOWN_NAMES).map(|name| format!("`{name}`")).collect();
    if more > 0 { format!("{} and {more} more", shown.join(", ")) } else { shown.join(", ") }
}
