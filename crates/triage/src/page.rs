//! A report as one HTML page, without scripts and without anything from elsewhere. Each pattern is a strip of its bits, so that
//! what patterns share is seen when they stand below each other.

use std::fmt::Write as _;

use isaglot_source::counted;

use crate::report::{ClusterRow, Report};
use crate::text::{bits, percent, whereabouts, words_of};

const STYLE: &str = "\
:root{color-scheme:light dark;--line:#8886;--fixed:#2a6df4;--ink:#fff}\
body{font:16px/1.5 system-ui,sans-serif;margin:2rem auto;max-width:76rem;padding:0 1rem}\
h1,h2{line-height:1.2}\
table{border-collapse:collapse}td,th{padding:.2rem .8rem .2rem 0;text-align:left;vertical-align:top}\
td.n{text-align:right;font-variant-numeric:tabular-nums}\
article{border-top:1px solid var(--line);padding:.6rem 0}\
.strip{display:flex;flex-wrap:wrap;font:12px/1.5 ui-monospace,monospace}\
.strip span{min-width:1.1em;text-align:center;border:1px solid var(--line);margin:0 -1px -1px 0}\
.strip .f{background:var(--fixed);color:var(--ink)}\
.strip .c{outline:2px solid var(--fixed);outline-offset:-2px}\
.strip .b{margin-left:.5em}\
pre{overflow:auto;padding:.6rem;border:1px solid var(--line)}\
p{margin:.3rem 0;overflow-wrap:anywhere}";

/// The page of a report.
#[must_use]
pub fn page(report: &Report) -> String {
    let mut out = String::new();
    let title = format!("{}: triage of {}", report.isa, counted(report.programs, "program"));
    let _ = write!(
        out,
        "<!DOCTYPE html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" content=\"width=device-width\">\n\
         <title>{0}</title>\n<style>{STYLE}</style>\n<main>\n<h1>{0}</h1>\n<table>\n",
        escape(&title)
    );
    let clean = report.words - report.unknown - report.flawed;
    for (name, count) in [("known", clean), ("unknown", report.unknown), ("with faults", report.flawed)] {
        let share = percent(count, report.words);
        let _ = writeln!(out, "<tr><th>{name}<td class=\"n\">{count}<td class=\"n\">{share:.2} %");
    }
    out.push_str("</table>\n");
    if !report.clusters.is_empty() {
        let _ = writeln!(out, "<h2>Unknown words, by pattern ({})</h2>", report.clusters.len());
        out.push_str("<p>Filled: the bits that tell the words from all that are known. Framed: other bits that all words have alike.</p>\n");
        report.clusters.iter().for_each(|row| cluster(&mut out, row));
    }
    if report.outside > 0 {
        let _ = writeln!(
            out,
            "<p>{} unknown words more are in no pattern: there are too many patterns.</p>",
            report.outside
        );
    }
    if !report.findings.is_empty() {
        let _ = writeln!(out, "<h2>Words that match, with faults ({})</h2>", report.findings.len());
        for row in &report.findings {
            let place = row.place.as_ref().map(|place| format!(" ({})", escape(place))).unwrap_or_default();
            let (name, message) = (escape(&row.encoding), escape(&row.message));
            let _ = writeln!(out, "<article><p><strong>{name}</strong>: {message}{place}</p>");
            let _ = writeln!(out, "<p>{}, {}</p></article>", words_of(&row.at, row.of), escape(&whereabouts(&row.at)));
        }
    }
    unused(&mut out, report);
    out + "</main>\n</html>\n"
}

fn cluster(out: &mut String, row: &ClusterRow) {
    let space = row.space.as_ref().map(|space| format!(" ({})", escape(space))).unwrap_or_default();
    let _ = writeln!(
        out,
        "<article><p><strong>{}</strong>{space}, {}</p>",
        words_of(&row.at, None),
        escape(&whereabouts(&row.at))
    );
    strip(out, row);
    let _ = writeln!(out, "<p>{}</p>", escape(&bits(&row.bits)));
    if !row.neighbours.is_empty() {
        let _ = writeln!(out, "<p>Nearest: {}</p>", escape(&row.neighbours.join(", ")));
    }
    if let Some(note) = &row.note {
        let _ = writeln!(out, "<p>{}</p>", escape(note));
    }
    let _ = writeln!(
        out,
        "<details><summary>An encoding to begin with</summary><pre>{}</pre></details></article>",
        escape(&row.stub)
    );
}

/// The bits of a pattern, highest first, with a gap at each byte.
fn strip(out: &mut String, row: &ClusterRow) {
    let width = row.pattern.len() as u32;
    let _ = write!(out, "<div class=\"strip\" role=\"img\" aria-label=\"{}\">", escape(&row.pattern));
    for (digit, at) in row.pattern.chars().zip(1..) {
        let bit = width - at;
        let constant = row.constant.iter().find(|bits| bits.low <= bit && bit <= bits.high);
        let known = constant.and_then(|bits| bits.value.chars().nth((bits.high - bit) as usize));
        let class = match (digit, known) {
            ('0' | '1', _) => "f",
            (_, Some(_)) => "c",
            _ => "",
        };
        let gap = if bit % 8 == 7 && at > 1 { " b" } else { "" };
        let shown = if digit == 'x' || digit == '-' { known.unwrap_or('·') } else { digit };
        let _ = write!(out, "<span class=\"{class}{gap}\" title=\"bit {bit}\">{shown}</span>");
    }
    out.push_str("</div>\n");
}

fn unused(out: &mut String, report: &Report) {
    let unused = &report.unused;
    let mut section = |title: &str, rows: Vec<(String, String)>| {
        if rows.is_empty() {
            return;
        }
        let _ = writeln!(out, "<h2>{title}</h2>");
        for (head, list) in rows {
            let _ = writeln!(out, "<details><summary>{}</summary><p>{}</p></details>", escape(&head), escape(&list));
        }
    };
    let encodings = unused.encodings.iter();
    let encodings =
        encodings.map(|row| (format!("{}: {} of {}", row.space, row.names.len(), row.all), row.names.join(" ")));
    section("Encodings that no program has", encodings.collect());
    let overrides = unused.overrides.iter().map(|row| {
        let place = row.place.as_ref().map(|place| format!(", {place}")).unwrap_or_default();
        (format!("{} #{}{place}", row.owner, row.number), row.encodings.join(" "))
    });
    section("Overrides that never applied, of encodings that programs have", overrides.collect());
    let values = unused.values.iter().map(|row| {
        let values: Vec<String> = row.values.iter().map(|(value, text)| format!("{value}={text:?}")).collect();
        (format!("{}: {} of {}", row.name, row.values.len(), row.all), values.join(" "))
    });
    section("Values of enums that no program has", values.collect());
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
