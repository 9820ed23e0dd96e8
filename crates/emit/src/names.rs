//! Names of a description as identifiers of generated code.
//!
//! Every character that an identifier cannot have becomes `_`. Names that become the same identifier are an error, found
//! before anything is written.

use std::collections::HashMap;
use std::fmt::Write;

use isaglot_model::Isa;
use isaglot_source::{Diagnostic, Diagnostics};

use crate::blueprint::Blueprint;
use crate::keywords;

/// Why a name cannot be the prefix of generated C.
#[must_use]
pub fn c_prefix(name: &str) -> Option<Diagnostic> {
    identifier(name, keywords::C, "C", "prefix")
}

/// Why a name cannot be that of a generated crate or module.
#[must_use]
pub fn rust_name(name: &str) -> Option<Diagnostic> {
    identifier(name, keywords::RUST, "Rust", "name")
}

fn identifier(name: &str, keywords: &[&str], language: &str, what: &str) -> Option<Diagnostic> {
    let mut bytes = name.bytes();
    let begins = bytes.next().is_some_and(|b| b.is_ascii_lowercase());
    let legal = begins && bytes.all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_');
    if !legal {
        let d = Diagnostic::error("emit-identifier", format!("`{name}` cannot be the {what} of generated {language}"));
        return Some(d.note("expected a lower-case letter, then lower-case letters, digits and `_`"));
    }
    keywords.contains(&name).then(|| {
        Diagnostic::error("emit-keyword", format!("`{name}` is a word of {language} and cannot be the {what}"))
    })
}

/// A name that can stand for a description: its letters and digits, in lower case.
#[must_use]
pub fn suggested(name: &str) -> String {
    let mapped = name.chars().map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '_' });
    let text: String = mapped.collect();
    let text = text.trim_matches('_');
    let keyword = keywords::C.contains(&text) || keywords::RUST.contains(&text);
    match text.bytes().next() {
        Some(first) if first.is_ascii_lowercase() && !keyword => text.to_owned(),
        _ => format!("isa_{text}"),
    }
}

/// A name as a part of an identifier, in upper case.
fn upper(name: &str) -> String {
    name.replace('+', "_plus")
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_uppercase() } else { '_' })
        .collect()
}

/// A name as a part of an identifier, in camel case. Every part begins with a letter or follows `_`.
fn camel(name: &str) -> String {
    let mut out = String::new();
    let name = name.replace('+', "_plus");
    for part in name.split(|c: char| !c.is_ascii_alphanumeric()).filter(|part| !part.is_empty()) {
        // Digits that would run together with digits stay apart.
        let digit = part.starts_with(|c: char| c.is_ascii_digit());
        if digit && (out.is_empty() || out.ends_with(|c: char| c.is_ascii_digit())) {
            out.push('X');
        }
        let mut letters = part.chars();
        out.extend(letters.next().map(|c| c.to_ascii_uppercase()));
        out.extend(letters.map(|c| c.to_ascii_lowercase()));
    }
    if out.is_empty() { "Unnamed".to_owned() } else { out }
}

/// Numbers names apart: of equal ones, those after the first get `mark` and a number behind.
fn numbered(names: impl Iterator<Item = String>, mark: &str) -> Vec<String> {
    let mut known: HashMap<String, u32> = HashMap::new();
    let mut out = Vec::new();
    for name in names {
        let count = known.entry(name.clone()).or_insert(0);
        *count += 1;
        let mut number = *count;
        let mut this = if number == 1 { name.clone() } else { format!("{name}{mark}{number}") };
        // Another name may be what this one becomes.
        while number > 1 && known.contains_key(&this) {
            number += 1;
            this = format!("{name}{mark}{number}");
        }
        known.entry(this.clone()).or_insert(1);
        out.push(this);
    }
    out
}

/// Encodings as variants of a Rust enum, in the order of the blueprint's leaves.
#[must_use]
pub fn rust_leaves(b: &Blueprint<'_>) -> Vec<String> {
    numbered(b.leaves.iter().map(|leaf| camel(leaf.name)), "X")
}

/// Fields as variants of a Rust enum, in the order of the blueprint's names.
#[must_use]
pub fn rust_fields(b: &Blueprint<'_>) -> Vec<String> {
    numbered(b.names.iter().map(|name| camel(name)), "X")
}

/// The enums of encodings and fields of a C header.
#[must_use]
pub fn c_enums(b: &Blueprint<'_>, prefix: &str) -> String {
    let mut out = String::new();
    let lower = prefix.to_ascii_lowercase();
    let leaves = numbered(b.leaves.iter().map(|leaf| upper(leaf.name)), "_");
    for (what, about, names) in [
        ("leaf", "Encodings.", leaves),
        ("field", "Names of fields.", numbered(b.names.iter().map(|name| upper(name)), "_")),
    ] {
        let _ = writeln!(out, "/* {about} */\nenum {lower}_{what}_number {{");
        for (i, name) in names.iter().enumerate() {
            let _ = writeln!(out, "   {prefix}_{}_{name} = {i},", what.to_ascii_uppercase());
        }
        if names.is_empty() {
            let _ = writeln!(out, "   {prefix}_{}_NOTHING = 0,", what.to_ascii_uppercase());
        }
        let _ = writeln!(out, "}};\n");
    }
    out
}

/// Encodings, and fields, of a plan whose different names become one identifier.
pub fn clashes(isa: &Isa, b: &Blueprint<'_>, problems: &mut Diagnostics) {
    let mut known: HashMap<String, (&str, isaglot_source::Span)> = HashMap::new();
    for (leaf, id) in b.leaves.iter().zip(&b.encodings) {
        let span = isa[*id].span;
        match known.get(&camel(leaf.name)) {
            Some((other, first)) if *other != leaf.name => {
                problems.push(clash("encodings", other, leaf.name, span, *first))
            }
            Some(_) => {}
            None => drop(known.insert(camel(leaf.name), (leaf.name, span))),
        }
    }
    let mut known: HashMap<String, &str> = HashMap::new();
    for name in &b.names {
        if let Some(other) = known.insert(camel(name), name) {
            let span = |wanted: &str| {
                let fields = isa.encodings().iter().flat_map(|e| &e.cases).flat_map(|c| &c.fields);
                fields.clone().find(|f| isa.text(f.name) == wanted).map(|f| f.span)
            };
            if let (Some(first), Some(second)) = (span(other), span(name)) {
                problems.push(clash("fields", other, name, second, first));
            }
        }
    }
}

fn clash(what: &str, first: &str, second: &str, span: isaglot_source::Span, other: isaglot_source::Span) -> Diagnostic {
    let message = format!("{what} `{first}` and `{second}` have the same name in generated code: `{}`", camel(second));
    Diagnostic::error("emit-clash", message).label(span, "this").label(other, "and this")
}
