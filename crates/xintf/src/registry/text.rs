//! Registry files: reading with all faults reported, and the one way of writing them.

use std::fmt::Write;

use isaglot_source::{Diagnostic, Diagnostics, FileId, Span};

use super::{NumberKind, Registry, RegistryEntry};
use crate::limits;
use crate::uuid::MAX_NARROW;

/// Reads a registry. A line that cannot be read is reported and left out.
pub fn parse(file: FileId, bytes: &[u8], out: &mut Diagnostics) -> Registry {
    let mut registry = Registry::default();
    let mut start = 0;
    for line in bytes.split(|&b| b == b'\n') {
        let place = Span::new(file, start, start + line.len());
        start += line.len() + 1;
        let Ok(text) = std::str::from_utf8(line) else {
            out.push(Diagnostic::error("E-SYNTAX", "expected UTF-8").label(place, "this line"));
            continue;
        };
        let text = text.trim();
        if let Some(comment) = text.strip_prefix('#') {
            registry.head.push(comment.to_owned());
        } else if !text.is_empty() {
            match entry(text, place) {
                Ok(entry) => registry.push(entry),
                Err(expected) => {
                    let d = Diagnostic::error("E-SYNTAX", expected).label(place, "this line");
                    out.push(d.note(
                        "a line is `number name kind owner date`, such as `0x00003 org.x:Y central me 2026-01-31`",
                    ));
                }
            }
        }
        if registry.entries.len() > limits::MAX_ENTRIES {
            let d = Diagnostic::error("E-SYNTAX", format!("a registry has at most {} lines", limits::MAX_ENTRIES));
            out.push(d.label(place, "too many"));
            break;
        }
    }
    registry
}

fn entry(text: &str, span: Span) -> Result<RegistryEntry, String> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let [number, name, kind, owner, date] = words.as_slice() else {
        return Err(format!("expected five words, got {}", words.len()));
    };
    let digits = number.strip_prefix("0x").filter(|d| !d.is_empty() && d.bytes().all(|b| b.is_ascii_hexdigit()));
    let uuid = digits.and_then(|d| u64::from_str_radix(d, 16).ok());
    let uuid = uuid.ok_or("expected a number in `0x` hexadecimal")?;
    let kind = parse_kind(kind).ok_or("expected `central`, `hash` or `hash#n`")?;
    if !parse_date(date) {
        return Err("expected a date as YYYY-MM-DD".to_owned());
    }
    Ok(RegistryEntry {
        uuid,
        name: (*name).to_owned(),
        kind,
        owner: (*owner).to_owned(),
        date: (*date).to_owned(),
        span,
    })
}

fn parse_kind(text: &str) -> Option<NumberKind> {
    match text {
        "central" => Some(NumberKind::Central),
        "hash" => Some(NumberKind::Hash(0)),
        _ => text.strip_prefix("hash#")?.parse().ok().filter(|n| *n > 0).map(NumberKind::Hash),
    }
}

/// Whether a text is a date as `YYYY-MM-DD`.
pub fn parse_date(text: &str) -> bool {
    let [year, month, day] = text.split('-').collect::<Vec<_>>()[..] else { return false };
    let number = |t: &str, len: usize| {
        (t.len() == len && t.bytes().all(|b| b.is_ascii_digit())).then(|| t.parse::<u32>().ok()).flatten()
    };
    let (Some(_), Some(month), Some(day)) = (number(year, 4), number(month, 2), number(day, 2)) else { return false };
    (1..=12).contains(&month) && (1..=31).contains(&day)
}

/// A number as a registry writes it: five digits, or thirteen for a 52-bit one.
pub(super) fn number(uuid: u64) -> String {
    if uuid <= MAX_NARROW { format!("0x{uuid:05X}") } else { format!("0x{uuid:013X}") }
}

/// A line, without its end.
pub(super) fn line(entry: &RegistryEntry) -> String {
    let RegistryEntry { name, kind, owner, date, .. } = entry;
    format!("{} {name} {kind} {owner} {date}", number(entry.uuid))
}

/// The registry as text: comments first, then the lines by number.
pub fn print(registry: &Registry) -> String {
    let mut out = String::new();
    for comment in &registry.head {
        let _ = writeln!(out, "#{comment}");
    }
    let mut lines: Vec<&RegistryEntry> = registry.entries.iter().collect();
    lines.sort_by_key(|e| e.key());
    for entry in lines {
        let _ = writeln!(out, "{}", line(entry));
    }
    out
}
