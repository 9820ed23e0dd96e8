//! The causes of a difference as text: each cause with its old and new lines, then what it does to which instructions.

use std::fmt::Write as _;

use isaglot_codec::{Plan, Scopes};
use isaglot_model::Isa;
use isaglot_source::{SourceMap, counted};

use crate::cause::{Cause, Causes, Standing};
use crate::diagnostics::gens;
use crate::diff::{Change, ChangeKind, Difference, Side};
use crate::limits::{SHOWN_FIELDS, SHOWN_LINES, SHOWN_NAMES};

/// How the sample of a change reads on both sides.
pub type Texts<'t> = dyn FnMut(&Change) -> (String, String) + 't;

/// The causes as text. `files` has the sources of both sides, `texts` says how the sample of a change reads.
pub fn text(
    a: Side<'_>,
    b: Side<'_>,
    files: &SourceMap,
    found: &Difference,
    causes: &Causes,
    texts: &mut Texts<'_>,
) -> String {
    let mut out = String::new();
    // What changes words comes first.
    let (with, without): (Vec<&Cause>, Vec<&Cause>) = causes.list.iter().partition(|cause| !cause.changes.is_empty());
    for cause in with.into_iter().chain(without) {
        head(&mut out, files, cause);
        if cause.changes.is_empty() {
            out.push_str(match cause.packer {
                true => "  no word changes, the packer does\n",
                false => "  no word changes\n",
            });
            if !cause.reaches.is_empty() {
                let _ = writeln!(out, "  reaches {}", names(cause.reaches.iter().map(String::as_str)));
            }
        }
        kinds(&mut out, a, b, found, &cause.changes, texts);
    }
    if !causes.others.is_empty() {
        out.push_str("without a cause in the sources\n");
        kinds(&mut out, a, b, found, &causes.others, texts);
    }
    for u in &found.undecided {
        let _ = writeln!(out, "undecided: {}: {}", u.what, u.why);
    }
    out
}

/// What changed, and its lines.
fn head(out: &mut String, files: &SourceMap, cause: &Cause) {
    let place = |s: &Standing| {
        let name = files.get(s.file).map_or("", |file| file.name.as_str());
        format!("{}:{}", name.rsplit(['/', '\\']).next().unwrap_or(name), s.line)
    };
    let name = if cause.name.is_empty() { String::new() } else { format!(" `{}`", cause.name) };
    let (what, at) = match (&cause.old, &cause.new) {
        (Some(_), Some(new)) => ("", place(new)),
        (None, Some(new)) => (" is new", place(new)),
        (Some(old), None) => (" is gone", place(old)),
        (None, None) => ("", String::new()),
    };
    let _ = writeln!(out, "{}{name}{what}, {at}", cause.kind);
    for (sign, lines) in [('-', &cause.removed), ('+', &cause.added)] {
        for (number, line) in lines.iter().take(SHOWN_LINES) {
            let _ = writeln!(out, "  {sign} {number}: {line}");
        }
        if lines.len() > SHOWN_LINES {
            let _ = writeln!(out, "  {sign} and {} more lines", lines.len() - SHOWN_LINES);
        }
    }
}

/// The first names of a list in backquotes, and how many there are.
fn names<'n>(list: impl Iterator<Item = &'n str>) -> String {
    let mut all: Vec<&str> = Vec::new();
    for name in list {
        if !all.contains(&name) {
            all.push(name);
        }
    }
    let shown: Vec<String> = all.iter().take(SHOWN_NAMES).map(|name| format!("`{name}`")).collect();
    let more = all.len().saturating_sub(SHOWN_NAMES);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("{}: {}{more}", counted(all.len(), "instruction"), shown.join(", "))
}

const KINDS: [ChangeKind; 5] =
    [ChangeKind::Disappears, ChangeKind::Appears, ChangeKind::Encoding, ChangeKind::Text, ChangeKind::Fields];

/// Changes by their kind, each with one sample.
fn kinds(out: &mut String, a: Side<'_>, b: Side<'_>, found: &Difference, changes: &[usize], texts: &mut Texts<'_>) {
    for kind in KINDS {
        let list: Vec<&Change> =
            changes.iter().filter_map(|&i| found.changes.get(i)).filter(|change| change.kind == kind).collect();
        let Some(sample) = list.first() else { continue };
        let name = |change: &Change| {
            let of_a = change.a.map(|id| a.isa.text(a.isa[id].name));
            of_a.or(change.b.map(|id| b.isa.text(b.isa[id].name))).unwrap_or_default()
        };
        let what = match kind {
            ChangeKind::Disappears => "disappear",
            ChangeKind::Appears => "appear",
            ChangeKind::Encoding => "become another instruction",
            ChangeKind::Text => "have another text",
            ChangeKind::Fields => "have other fields",
        };
        let _ = writeln!(out, "  words {what} in {}", names(list.iter().map(|change| name(change))));
        let of = sample.gens.map_or_else(String::new, |g| format!(", {}", gens(g)));
        let _ = writeln!(out, "  `{}`{of}: {}", name(sample), counted(&sample.count, "word"));
        let (x, y) = texts(sample);
        let _ = writeln!(out, "    0x{}\n      - {x}\n      + {y}", sample.sample.hex());
        fields(out, a, b, sample);
    }
}

/// The fields of the sample that differ, with both values.
fn fields(out: &mut String, a: Side<'_>, b: Side<'_>, change: &Change) {
    let of = |side: Side<'_>| values(side.isa, side.generation.unwrap_or(change.gens.map_or(0, |g| g.min)), change);
    let (x, y) = (of(a), of(b));
    let value = |list: &[(String, String)], name: &str| list.iter().find(|f| f.0 == name).map(|f| f.1.clone());
    let mut all: Vec<&String> = x.iter().chain(&y).map(|f| &f.0).collect();
    all.sort();
    all.dedup();
    let differ: Vec<(&String, Option<String>, Option<String>)> =
        all.into_iter().map(|name| (name, value(&x, name), value(&y, name))).filter(|(_, x, y)| x != y).collect();
    for (name, x, y) in differ.iter().take(SHOWN_FIELDS) {
        let shown = |value: &Option<String>| value.clone().unwrap_or_else(|| "none".to_owned());
        let _ = writeln!(out, "      {name}: {} → {}", shown(x), shown(y));
    }
    if differ.len() > SHOWN_FIELDS {
        let _ = writeln!(out, "      and {} more fields", differ.len() - SHOWN_FIELDS);
    }
}

/// The fields of the instruction's own scope, and their values in hexadecimal.
fn values(isa: &Isa, generation: u32, change: &Change) -> Vec<(String, String)> {
    let plan = Plan::new(isa, generation);
    let mut scopes = Scopes::new(&plan, false);
    let Some(scope) = scopes.enter(&change.sample) else { return Vec::new() };
    let names = scopes.encoding(scope).field_names();
    let mut out = Vec::new();
    for name in names {
        if let Some(found) = scopes.resolve(scope, name) {
            let value = found.value.hex();
            let digits = value.trim_start_matches(['0', '_']);
            out.push((isa.text(name).to_owned(), format!("0x{}", if digits.is_empty() { "0" } else { digits })));
        }
    }
    scopes.leave();
    out
}
