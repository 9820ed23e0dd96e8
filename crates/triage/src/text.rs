//! A report as text for people: the totals, then each part that has something to say, the most frequent first.

use std::fmt::Write as _;

use isaglot_source::counted;

use crate::report::{Bits, ClusterRow, Report, Whereabouts};

/// How much of a report is written.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// At most so many patterns, findings, and names of a list that nothing exercises.
    pub most: usize,
    /// The proposed encodings.
    pub stubs: bool,
}

impl Default for Options {
    fn default() -> Options {
        Options { most: 20, stubs: true }
    }
}

/// The text of a report. Writing to a string does not fail.
#[must_use]
pub fn text(report: &Report, options: Options) -> String {
    let mut out = String::new();
    let programs = counted(report.programs, "program");
    let _ = writeln!(out, "{}: {} words in {programs}, {} bytes", report.isa, report.words, report.bytes);
    let clean = report.words - report.unknown - report.flawed;
    for (name, count) in [("known", clean), ("unknown", report.unknown), ("with faults", report.flawed)] {
        let _ = writeln!(out, "  {name:<12}{count:>12} ({:.2} %)", percent(count, report.words));
    }
    if !report.clusters.is_empty() {
        let _ = writeln!(out, "\nUnknown words, by pattern ({})", report.clusters.len());
        for (row, number) in report.clusters.iter().zip(1..).take(options.most) {
            cluster(&mut out, row, number, options);
        }
        more(&mut out, report.clusters.len(), options);
    }
    if report.outside > 0 {
        let _ = writeln!(out, "  {} unknown words more are in no pattern: there are too many patterns", report.outside);
    }
    if !report.findings.is_empty() {
        let _ = writeln!(out, "\nWords that match, with faults ({})", report.findings.len());
        for row in report.findings.iter().take(options.most) {
            let _ = writeln!(out, "  {}: {}", row.encoding, row.message);
            if let Some(place) = &row.place {
                let _ = writeln!(out, "      {place}");
            }
            let _ = writeln!(out, "      {}, {}", words_of(&row.at, row.of), whereabouts(&row.at));
        }
        more(&mut out, report.findings.len(), options);
    }
    unused(&mut out, report, options);
    out
}

/// The share in percent; 0 of nothing.
pub(crate) fn percent(part: u64, whole: u64) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 * 100.0 / whole as f64 }
}

fn more(out: &mut String, all: usize, options: Options) {
    if all > options.most {
        let _ = writeln!(out, "  … and {} more; `--most {all}` shows all", all - options.most);
    }
}

/// Ranges of bits with their values.
pub(crate) fn bits(bits: &[Bits]) -> String {
    let one = |b: &Bits| match b.high == b.low {
        true => format!("{} = {}", b.high, b.value),
        false => format!("{}:{} = {}", b.high, b.low, b.value),
    };
    bits.iter().map(one).collect::<Vec<_>>().join(", ")
}

/// How many words, and of how many.
pub(crate) fn words_of(at: &Whereabouts, of: Option<u64>) -> String {
    match of {
        Some(of) => format!("{} of {of} words", at.words),
        None if at.words == 1 => "1 word".to_owned(),
        None => format!("{} words", at.words),
    }
}

/// In which programs words are, and the first of them.
pub(crate) fn whereabouts(at: &Whereabouts) -> String {
    let more = if at.or_more { " or more" } else { "" };
    let first = at.names.first().map(String::as_str).unwrap_or_default();
    format!("in {}{more}; the first is {} at {first}+{:#x}", counted(at.programs, "program"), at.example, at.offset)
}

fn cluster(out: &mut String, row: &ClusterRow, number: usize, options: Options) {
    let space = row.space.as_ref().map(|space| format!(" ({space})")).unwrap_or_default();
    let pattern = if row.bits.is_empty() { "any".to_owned() } else { bits(&row.bits) };
    let _ = writeln!(out, "  {number}. {pattern}{space}");
    let _ = writeln!(out, "      {}, {}", words_of(&row.at, None), whereabouts(&row.at));
    if !row.neighbours.is_empty() {
        let _ = writeln!(out, "      nearest: {}", row.neighbours.join(", "));
    }
    if let Some(note) = &row.note {
        let _ = writeln!(out, "      {note}");
    }
    if !row.constant.is_empty() && row.at.words > 1 {
        let _ = writeln!(out, "      also alike in all: {}", bits(&row.constant));
    }
    if options.stubs {
        row.stub.lines().for_each(|line| {
            let _ = writeln!(out, "      | {}", line.replace('\t', "    "));
        });
    }
}

fn unused(out: &mut String, report: &Report, options: Options) {
    let list = |names: &[String]| {
        let shown = names.iter().take(options.most).cloned().collect::<Vec<_>>().join(" ");
        match names.len() > options.most {
            true => format!("{shown} … and {} more", names.len() - options.most),
            false => shown,
        }
    };
    let unused = &report.unused;
    if !unused.encodings.is_empty() {
        out.push_str("\nEncodings that no program has\n");
        for row in &unused.encodings {
            let _ = writeln!(out, "  {}: {} of {}: {}", row.space, row.names.len(), row.all, list(&row.names));
        }
    }
    if !unused.overrides.is_empty() {
        out.push_str("\nOverrides that never applied, of encodings that programs have\n");
        for row in unused.overrides.iter().take(options.most) {
            let place = row.place.as_ref().map(|place| format!(", {place}")).unwrap_or_default();
            let _ = writeln!(out, "  {} #{}{place}: {}", row.owner, row.number, list(&row.encodings));
        }
        more(out, unused.overrides.len(), options);
    }
    if !unused.values.is_empty() {
        out.push_str("\nValues of enums that no program has\n");
        for row in &unused.values {
            let values: Vec<String> = row.values.iter().map(|(value, text)| format!("{value}={text:?}")).collect();
            let _ = writeln!(out, "  {}: {} of {}: {}", row.name, row.values.len(), row.all, list(&values));
        }
    }
}
