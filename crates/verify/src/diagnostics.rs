//! Findings as messages: a stable code, what is wrong, every place that has a part in it, a witness.

use isaglot_bits::Word;
use isaglot_model::{EncodingId, GenRange, Isa};
use isaglot_source::{Diagnostic, Severity};

use crate::report::{
    CaseFinding, CaseProblem, EnumFinding, EnumProblem, FormatFinding, FormatProblem, LostBits, OverlapPair, Place,
    Report, SharedText, Silent, Undecided, Unreachable, Unresolved, Witness,
};
use crate::{displays, limits};

/// Every finding of a report as a message, errors and warnings before notes, each kind in the order of the description.
pub fn diagnostics(isa: &Isa, report: &Report) -> Vec<Diagnostic> {
    let mut out: Vec<Diagnostic> = Vec::new();
    out.extend(report.overlaps.iter().map(|o| overlap(isa, o)));
    out.extend(report.unreachable.iter().map(|u| unreachable(isa, u)));
    out.extend(report.unresolved.iter().map(|u| unresolved(isa, u)));
    out.extend(report.silent.iter().map(|s| silent(isa, s)));
    out.extend(report.cases.iter().map(|c| case(isa, c)));
    out.extend(displays::messages(isa, &report.displays));
    out.extend(report.formats.iter().map(|f| format(isa, f)));
    out.extend(report.enums.iter().map(|e| enumeration(isa, e)));
    out.extend(report.lints.iter().cloned());
    out.extend(report.lost.iter().map(|l| lost(isa, l)));
    out.extend(report.shared.iter().map(|s| shared(isa, s)));
    out.extend(report.undecided.iter().map(undecided));
    out.sort_by_key(|d| std::cmp::Reverse(d.severity));
    out
}

/// `all gens`, `gen 7`, `gens up to 6`, `gens from 600 on` or `gens 5 to 6`.
pub fn gens(range: GenRange) -> String {
    match (range.min, range.max) {
        (0, u32::MAX) => "all gens".to_owned(),
        (min, max) if min == max => format!("gen {min}"),
        (0, max) => format!("gens up to {max}"),
        (min, u32::MAX) => format!("gens from {min} on"),
        (min, max) => format!("gens {min} to {max}"),
    }
}

/// The bits of a word as ranges: `46, 31:24, 0`.
pub fn bits(word: &Word) -> String {
    let runs: Vec<String> = word.runs().iter().rev().map(ToString::to_string).collect();
    runs.join(", ")
}

fn name(isa: &Isa, id: EncodingId) -> &str {
    isa.text(isa[id].name)
}

/// Names in backquotes, the first few of them.
pub(crate) fn names(isa: &Isa, list: &[EncodingId]) -> String {
    let shown: Vec<String> = list.iter().take(limits::SHOWN_NAMES).map(|&id| format!("`{}`", name(isa, id))).collect();
    let more = list.len().saturating_sub(limits::SHOWN_NAMES);
    if more > 0 { format!("{} and {more} more", shown.join(", ")) } else { shown.join(", ") }
}

fn word(w: &Witness) -> String {
    format!("0x{} (gen {})", w.word.hex(), w.generation)
}

fn overlap(isa: &Isa, o: &OverlapPair) -> Diagnostic {
    let (a, b) = (&isa[o.a], &isa[o.b]);
    let message = format!("`{}` and `{}` both claim words, in {}", isa.text(a.name), isa.text(b.name), gens(o.gens));
    let d = Diagnostic::error("verify-overlap", message)
        .label(b.span, format!("matches {:#}", b.pattern))
        .secondary(a.span, format!("matches {:#}", a.pattern))
        .note(format!("0x{} is both", o.witness.hex()))
        .note(format!("{} words are both: {:#}", o.words.count(), o.words));
    match o.features.as_slice() {
        [] => d,
        list => {
            let list: Vec<&str> = list.iter().map(|&f| isa[f].name.as_str()).collect();
            d.note(format!("with {}", list.join(", ")))
        }
    }
}

fn unreachable(isa: &Isa, u: &Unreachable) -> Diagnostic {
    let e = &isa[u.encoding];
    let mut d = Diagnostic::error("verify-unreachable", format!("no word is ever decoded as `{}`", isa.text(e.name)))
        .label(e.span, "all its words are claimed by others");
    for &id in u.by.iter().take(limits::SHOWN_NAMES) {
        d = d.secondary(isa[id].span, "by this");
    }
    d
}

fn unresolved(isa: &Isa, u: &Unresolved) -> Diagnostic {
    let field = isa.text(u.name);
    let message = format!("nothing defines `{field}` in `{}`", name(isa, u.encoding));
    let (span, what) = match u.place {
        Place::Template(id) => (isa[id].span, "the text shows it".to_owned()),
        Place::Expr(id) => (isa[id].span, format!("expression `{}` uses it", isa[id].name)),
    };
    let severity = if u.witness.is_some() { Severity::Error } else { Severity::Warning };
    let mut d = Diagnostic::new(severity, "verify-unresolved", message)
        .label(span, what)
        .secondary(isa[u.encoding].span, "in its scope");
    for place in u.uses.iter().take(limits::SHOWN_NAMES) {
        let message = format!("`{}` of `{}` passes no `{field}`", isa.text(place.field), place.owner);
        d = d.secondary(place.span, message);
    }
    match &u.witness {
        Some(w) => d.note(format!("{} shows it", word(w))),
        None => d.note("no text needs it: it is 0 wherever it is used"),
    }
}

fn silent(isa: &Isa, s: &Silent) -> Diagnostic {
    let e = &isa[s.encoding];
    Diagnostic::warning("verify-no-display", format!("`{}` has no text for some of its words", isa.text(e.name)))
        .label(e.span, "neither it nor what it extends has a display that applies")
        .note(format!("{} prints nothing", word(&s.witness)))
}

fn case(isa: &Isa, c: &CaseFinding) -> Diagnostic {
    let (code, message, label) = match c.problem {
        CaseProblem::Never => ("verify-guard-never", "this override never applies", "its condition is always 0"),
        CaseProblem::Always => ("verify-guard-always", "this override always applies", "its condition is never 0"),
        CaseProblem::Shadowed => {
            ("verify-case-shadowed", "the text of this override is never chosen", "an earlier one always comes first")
        }
    };
    Diagnostic::warning(code, message)
        .label(c.span, label)
        .note(format!("the condition is {}", c.guard.split_whitespace().collect::<Vec<_>>().join(" ")))
        .note(format!("judged for {}", names(isa, &c.encodings)))
}

fn format(isa: &Isa, f: &FormatFinding) -> Diagnostic {
    let field = isa.text(f.name);
    let d = match f.problem {
        FormatProblem::Prefix => {
            let message = format!("`0x{{{field}}}` prints `{field}` in decimal after `0x`");
            let d = Diagnostic::warning("verify-not-read-back", message);
            d.note("a reader takes the text for hexadecimal: make the type `hex` or drop the `0x`")
        }
        FormatProblem::WideBool => {
            let message = format!("`{field}` has several bits and prints only whether it is 0");
            Diagnostic::warning("verify-wide-bool", message)
        }
        FormatProblem::Float => {
            let message = format!("the text of `{field}` has six decimals: small values all read 0.000000");
            Diagnostic::new(Severity::Note, "verify-float-text", message)
        }
    };
    d.label(f.field, "the field")
        .secondary(isa[f.template].span, "shown here")
        .note(format!("as in {}", word(&f.witness)))
}

fn enumeration(isa: &Isa, e: &EnumFinding) -> Diagnostic {
    let ty = &isa[e.id];
    let entry = |i: usize| ty.values.get(i);
    let span = |i: usize| entry(i).map_or(ty.span, |v| v.span);
    let value = |i: usize| entry(i).map_or(0, |v| v.value);
    match &e.problem {
        EnumProblem::SameValue(first, again) => {
            let message = format!("value {} of enum `{}` is given twice; the first counts", value(*first), ty.name);
            Diagnostic::warning("verify-enum-duplicate", message)
                .label(span(*again), "never used")
                .secondary(span(*first), "the one that counts")
        }
        EnumProblem::SameText(first, again) => {
            let text = entry(*first).map_or("", |v| &*v.display);
            let message =
                format!("values {} and {} of enum `{}` both read `{text}`", value(*first), value(*again), ty.name);
            Diagnostic::warning("verify-enum-text", message)
                .label(span(*again), "this text")
                .secondary(span(*first), "has this value, too")
        }
        EnumProblem::OutOfRange(i, width) => {
            let message = format!("no field can have value {} of enum `{}`", value(*i), ty.name);
            Diagnostic::warning("verify-enum-range", message)
                .label(span(*i), format!("the widest field of this type has {width} bits"))
        }
        EnumProblem::Gaps(width, count, first) => {
            let mut list = first.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
            if *count > first.len() as u64 {
                list.push_str(", …");
            }
            let message =
                format!("{count} of the {} values that `{}` can have print as numbers", 1u64 << width, ty.name);
            Diagnostic::new(Severity::Note, "verify-enum-gap", message).label(ty.span, format!("no text for {list}"))
        }
    }
}

fn lost(isa: &Isa, l: &LostBits) -> Diagnostic {
    let e = &isa[l.encoding];
    let message = format!("no field holds bits {} of some words of `{}`", bits(&l.bits), isa.text(e.name));
    Diagnostic::warning("verify-lost-bits", message)
        .label(e.span, "")
        .note(format!("{} does not come back when its fields are encoded", word(&l.witness)))
}

fn shared(isa: &Isa, s: &SharedText) -> Diagnostic {
    let e = &isa[s.encoding];
    let name = isa.text(e.name);
    let message = match s.bits.is_zero() {
        false => format!("bits {} of `{name}` do not always show in its text", bits(&s.bits)),
        true => format!("two words of `{name}` have one text"),
    };
    let fields: Vec<String> =
        s.fields.iter().map(|(field, word)| format!("`{}` ({})", isa.text(*field), bits(word))).collect();
    let mut d = Diagnostic::new(Severity::Note, "verify-shared-text", message).label(e.span, "").note(format!(
        "0x{} and 0x{} read the same (gen {})",
        s.pair.a.hex(),
        s.pair.b.hex(),
        s.pair.generation
    ));
    if !fields.is_empty() {
        d = d.note(format!("bits of {}", fields.join(", ")));
    }
    d
}

fn undecided(u: &Undecided) -> Diagnostic {
    Diagnostic::new(Severity::Note, "verify-undecided", format!("undecided: {}", u.what)).label(u.span, u.why.clone())
}
