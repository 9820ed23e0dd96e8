//! Findings for people and for programs: text, Markdown, JSON, and diagnostics, of which SARIF is made.
//!
//! The same facts in each: the kind, the instruction, the words, the smallest one with what both sides say, the place in the description, and why
//! it is known. A finding that is not known is an error, a known one a note.

use std::fmt::Write as _;

use isaglot_bits::Count;
use isaglot_source::{Diagnostic, Severity, SourceMap, counted};
use serde_json::{Value, json};

use crate::answer::Answer;
use crate::compare::Kind;
use crate::limits::MAX_SHOWN;
use crate::run::{Finding, Report};

/// The version of the form of the JSON.
pub const VERSION: u32 = 1;

/// What a report is about.
#[derive(Clone, Copy, Debug)]
pub struct About<'a> {
    /// What the description was read from.
    pub files: &'a SourceMap,
    /// How the command line calls it.
    pub name: &'a str,
    /// What the tool is called.
    pub tool: &'a str,
}

/// One sentence about a finding.
fn sentence(about: About<'_>, finding: &Finding) -> String {
    let (name, tool) = (&finding.class.name, about.tool);
    let words = words(finding);
    match finding.class.kind {
        Kind::OnlyTheirs => format!("{tool} accepts {words} that the description refuses: `{name}`"),
        Kind::OnlyOurs => format!("{tool} refuses {words} that the description accepts: `{name}`"),
        Kind::Length => format!("{tool} has another length for {words} of `{name}`: {}", finding.class.way),
        Kind::Text => format!("{tool} has another text for {words} of `{name}`: {}", finding.class.way),
        Kind::Crash => format!("{tool} crashes on {words}: `{name}`"),
        Kind::NotAssembled => format!("{tool} refuses the text of {words} of `{name}`"),
        Kind::AssemblesOtherwise => {
            format!("{tool} makes another instruction of the text of {words} of `{name}`: {}", finding.class.way)
        }
    }
}

/// How many words a finding has.
fn words(finding: &Finding) -> String {
    let left = finding.left.len();
    match (&finding.words, finding.patterns.is_empty()) {
        (_, true) => counted(left, "word"),
        (Some(count), _) => {
            let more = if left == 0 { String::new() } else { format!(" and {left} more") };
            let about = if finding.is_exact() { "" } else { "about " };
            format!("{about}{}{more}", counted(count, "word"))
        }
        (None, _) => "words".to_owned(),
    }
}

/// The patterns that are too many to be shown, and the words that are only counted.
fn beyond(finding: &Finding) -> Option<String> {
    let more = finding.patterns.len().saturating_sub(MAX_SHOWN);
    let patterns = (more > 0).then(|| counted(more, "smaller pattern"));
    let words = (finding.unlisted > 0).then(|| format!("{} in no pattern", counted(finding.unlisted, "word")));
    let parts: Vec<String> = patterns.into_iter().chain(words).collect();
    (!parts.is_empty()).then(|| format!("and {}", parts.join(", ")))
}

/// What one side says.
fn said(kind: Kind, answer: &Answer) -> String {
    match answer {
        Answer::Refused if kind == Kind::NotAssembled => "refused".to_owned(),
        Answer::Refused => "not an instruction".to_owned(),
        Answer::Died { signal } => format!("it dies, signal {signal}"),
        Answer::Accepted { text, bits: Some(bits), .. } => format!("`{text}`, {bits} bits"),
        Answer::Accepted { text, .. } => format!("`{text}`"),
    }
}

/// The nearest encoding, where it is, and what the description says of it in words.
fn place<'f>(about: About<'_>, finding: &'f Finding) -> Option<(&'f str, String, &'f str)> {
    let near = finding.near.as_ref()?;
    Some((&near.name, about.files.location(near.span?), near.doc.trim()))
}

/// A text with single blanks for all blanks.
fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Findings as diagnostics, with their places in the description.
#[must_use]
pub fn diagnostics(about: About<'_>, report: &Report) -> Vec<Diagnostic> {
    let one = |finding: &Finding| {
        let severity = if finding.known.is_some() { Severity::Note } else { Severity::Error };
        let mut d = Diagnostic::new(severity, finding.class.kind.code(), sentence(about, finding));
        if let Some(span) = finding.near.as_ref().and_then(|near| near.span) {
            d = d.label(span, "");
        }
        for grown in finding.patterns.iter().take(MAX_SHOWN) {
            d = d.note(format!("words {}{}", grown.pattern, sampled(grown.exact)));
        }
        d = beyond(finding).into_iter().fold(d, Diagnostic::note);
        let word = finding.witness.hex();
        d = d.note(format!("0x{word}: the description says {}", said(finding.class.kind, &finding.ours)));
        d = d.note(format!("0x{word}: {} says {}", about.tool, said(finding.class.kind, &finding.theirs)));
        finding.known.iter().fold(d, |d, why| d.note(format!("known: {why}")))
    };
    report.findings.iter().map(one).collect()
}

fn sampled(exact: bool) -> &'static str {
    if exact { "" } else { " (corners and samples asked)" }
}

/// The report for a terminal. Known findings are counted, or shown too.
#[must_use]
pub fn text(about: About<'_>, report: &Report, known_too: bool) -> String {
    let mut out = String::new();
    for finding in report.findings.iter().filter(|finding| known_too || finding.known.is_none()) {
        let _ = writeln!(out, "{}: {}", finding.class.kind.name(), sentence(about, finding));
        for grown in finding.patterns.iter().take(MAX_SHOWN) {
            let _ = writeln!(out, "  {}{}", grown.pattern, sampled(grown.exact));
        }
        if let Some(more) = beyond(finding) {
            let _ = writeln!(out, "  {more}");
        }
        let _ = writeln!(out, "  0x{}", finding.witness.hex());
        let _ = writeln!(out, "    description: {}", said(finding.class.kind, &finding.ours));
        let _ = writeln!(out, "    tool:        {}", said(finding.class.kind, &finding.theirs));
        if let Some((name, place, doc)) = place(about, finding) {
            let said = if doc.is_empty() { String::new() } else { format!(": {}", one_line(doc)) };
            let _ = writeln!(out, "    see `{name}`, {place}{said}");
        }
        if let Some(why) = &finding.known {
            let _ = writeln!(out, "    known: {why}");
        }
    }
    out.push_str(&summary(about, report));
    out
}

/// The last line: what was asked, and what was found.
fn summary(about: About<'_>, report: &Report) -> String {
    let known = report.findings.iter().filter(|finding| finding.known.is_some()).count();
    let mut out = String::new();
    for length in &report.lengths {
        let of = if length.whole { "all of them" } else { "chosen" };
        let left = match length.gaps_left {
            Some(0) => String::new(),
            Some(n) => format!("; {} not tried", counted(n, "free pattern")),
            None => "; free words not tried, because there are too many patterns".to_owned(),
        };
        let _ = writeln!(out, "{} bits: {}, {of}{left}", length.bits, counted(length.words, "word"));
    }
    if report.avoided > 0 {
        let _ = writeln!(out, "{} not asked: the tool cannot be given them", counted(report.avoided, "word"));
    }
    if report.spelled > 0 {
        let spelled = counted(report.spelled, "word");
        let _ = writeln!(out, "{spelled} with another text that the description reads as the same word");
    }
    if report.choices > 0 {
        let choices = counted(report.choices, "text");
        let _ = writeln!(out, "{choices} assembled to another word that the description prints with the same text");
    }
    let asked = counted(report.asked, "word");
    let found = counted(report.findings.len(), "finding");
    let _ = writeln!(out, "{} against {}: {asked} asked, {found}, {known} known", about.name, about.tool);
    out
}

/// The report to send.
#[must_use]
pub fn markdown(about: About<'_>, report: &Report, known_too: bool) -> String {
    let mut out = format!("# {} against {}\n\n", about.name, about.tool);
    let shown = report.findings.iter().filter(|finding| known_too || finding.known.is_none());
    for (at, finding) in shown.enumerate() {
        let _ = writeln!(out, "## {}. {}\n", at + 1, sentence(about, finding));
        out.push_str("| word | the description says | the tool says |\n|---|---|---|\n");
        // A bar ends a cell, also within a code span.
        let cell = |answer: &Answer| said(finding.class.kind, answer).replace('|', "\\|");
        let _ =
            writeln!(out, "| `0x{}` | {} | {} |\n", finding.witness.hex(), cell(&finding.ours), cell(&finding.theirs));
        for grown in finding.patterns.iter().take(MAX_SHOWN) {
            let _ = writeln!(
                out,
                "* all words `{}`: {}{}",
                grown.pattern,
                counted(grown.pattern.count(), "word"),
                sampled(grown.exact)
            );
        }
        if let Some(more) = beyond(finding) {
            let _ = writeln!(out, "* {more}");
        }
        if !finding.left.is_empty() {
            let _ = writeln!(out, "* {} that no pattern has", counted(finding.left.len(), "more word"));
        }
        if let Some((name, place, doc)) = place(about, finding) {
            let said = if doc.is_empty() { String::new() } else { format!(" {}", one_line(doc)) };
            let _ = writeln!(out, "\nIn the description: `{name}`, {place}.{said}");
        }
        if let Some(why) = &finding.known {
            let _ = writeln!(out, "\nKnown: {why}.");
        }
        out.push('\n');
    }
    out.push_str(&summary(about, report));
    out
}

/// The report as JSON. Words are hexadecimal without prefix, counts decimal texts. `docs/conform.md` describes it.
#[must_use]
pub fn json(about: About<'_>, report: &Report) -> Value {
    let lengths = report.lengths.iter().map(|length| {
        json!({
            "bits": length.bits, "words": length.words, "whole": length.whole, "free_patterns_left": length.gaps_left,
        })
    });
    json!({
        "version": VERSION,
        "isa": about.name,
        "tool": about.tool,
        "asked": report.asked,
        "avoided": report.avoided,
        "spelled": report.spelled,
        "choices": report.choices,
        "lengths": lengths.collect::<Vec<Value>>(),
        "findings": report.findings.iter().map(|finding| one(about, finding)).collect::<Vec<Value>>(),
    })
}

fn one(about: About<'_>, finding: &Finding) -> Value {
    let side = |answer: &Answer| match answer {
        Answer::Refused => Value::Null,
        Answer::Died { signal } => json!({ "signal": signal }),
        Answer::Accepted { bits, text, .. } => json!({ "text": text, "bits": bits }),
    };
    let patterns = finding.patterns.iter().map(|g| json!({ "words": g.pattern.to_string(), "exact": g.exact }));
    let near = place(about, finding).map(|(name, place, doc)| json!({ "name": name, "place": place, "doc": doc }));
    json!({
        "kind": finding.class.kind.name(),
        "name": finding.class.name,
        "bits": finding.class.bits,
        "way": finding.class.way,
        "patterns": patterns.collect::<Vec<Value>>(),
        "count": finding.words.as_ref().map(Count::to_string),
        "unlisted": finding.unlisted,
        "left": finding.left.iter().map(|word| word.hex()).collect::<Vec<String>>(),
        "witness": finding.witness.hex(),
        "description": side(&finding.ours),
        "tool": side(&finding.theirs),
        "near": near,
        "known": finding.known,
    })
}
