//! Names of a description as identifiers of generated code.
//!
//! A description may use any characters in its names; a program may not. In a codec of our own, every character that an
//! identifier cannot have becomes `_`, and names that become the same identifier are an error, found before anything is
//! written. A driver of isaspec writes some of the names itself, so there the mapping is the reference's, and a name that
//! it does not make legal is an error at the place that the name comes from.

use std::collections::HashMap;
use std::fmt::Write;

use isaglot_model::Isa;
use isaglot_source::{Diagnostic, Diagnostics, Span};

use crate::blueprint::Blueprint;
pub use crate::keywords::Language;

/// Why a name cannot be the prefix of generated C.
#[must_use]
pub fn c_prefix(name: &str) -> Option<Diagnostic> {
    legal(name, Language::C, "prefix")
}

/// Why a name cannot be that of a generated crate or module.
#[must_use]
pub fn rust_name(name: &str) -> Option<Diagnostic> {
    legal(name, Language::Rust, "name")
}

fn legal(name: &str, language: Language, what: &str) -> Option<Diagnostic> {
    let title = language.title();
    let mut bytes = name.bytes();
    let begins = bytes.next().is_some_and(|b| b.is_ascii_lowercase());
    let legal = begins && bytes.all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_');
    if !legal {
        let d = Diagnostic::error("emit-identifier", format!("`{name}` cannot be the {what} of generated {title}"));
        return Some(d.note("expected a lower-case letter, then lower-case letters, digits and `_`"));
    }
    language.keeps(name).then(|| {
        Diagnostic::error("emit-keyword", format!("`{name}` is a keyword of {title} and cannot be the {what}"))
    })
}

/// A name that can stand for a description: its letters and digits, in lower case.
#[must_use]
pub fn suggested(name: &str) -> String {
    let mapped = name.chars().map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '_' });
    let text: String = mapped.collect();
    let text = text.trim_matches('_');
    let keyword = Language::C.keeps(text) || Language::Rust.keeps(text);
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

/// Numbers names apart: of equal ones, those after the first get `mark` and a number after it.
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
    let mut known: HashMap<String, (&str, Span)> = HashMap::new();
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

fn clash(what: &str, first: &str, second: &str, span: Span, other: Span) -> Diagnostic {
    let message = format!("{what} `{first}` and `{second}` have the same name in generated code: `{}`", camel(second));
    Diagnostic::error("emit-clash", message).label(span, "this").label(other, "and this")
}

/// Whether a text has the form of an identifier.
pub(crate) fn is_identifier(text: &str) -> bool {
    let mut bytes = text.bytes();
    bytes.next().is_some_and(|b| b.is_ascii_alphabetic() || b == b'_')
        && bytes.all(|b| b.is_ascii_alphanumeric() || b == b'_')
        && text != "_"
}

/// Reports a name that a program cannot have.
pub(crate) fn check(text: &str, what: &str, language: Language, span: Span, out: &mut Diagnostics) {
    let title = language.title();
    if !is_identifier(text) {
        let message = format!("{what} would be called `{text}`, which is not a valid identifier of {title}");
        out.push(
            Diagnostic::error("emit-name", message).label(span, "for this").note("expected letters, digits and `_`"),
        );
    } else if language.keeps(text) {
        let message = format!("{what} would be called `{text}`, which is a keyword of {title}");
        out.push(Diagnostic::error("emit-keyword", message).label(span, "for this"));
    }
}

/// The name of a space or an expression in C: lower case, `#` as two underscores, `-` and `.` as one.
#[must_use]
pub fn symbol(name: &str) -> String {
    let mut text = String::with_capacity(name.len() + 1);
    for c in name.chars() {
        match c {
            '#' => text.push_str("__"),
            '-' | '.' => text.push('_'),
            c => text.push(c.to_ascii_lowercase()),
        }
    }
    text
}

/// The name by which a driver says which leaf its data is.
pub(crate) fn case_name(prefix: &str, name: &str, language: Language) -> String {
    let mut text = prefix.to_owned();
    match language {
        Language::C => {
            for c in name.chars().filter(|&c| c != '#') {
                text.push(if matches!(c, '.' | '-') { '_' } else { c.to_ascii_uppercase() });
            }
        }
        Language::Rust => {
            let mut upper = true;
            for c in name.chars() {
                if matches!(c, '.' | '-' | '_' | '#') {
                    upper = true;
                } else {
                    text.push(if upper { c.to_ascii_uppercase() } else { c });
                    upper = false;
                }
            }
        }
    }
    text
}

/// The name of a space in Rust: snake case, without the `#`.
pub(crate) fn snake(name: &str) -> String {
    name.chars()
        .filter(|&c| c != '#')
        .map(|c| if matches!(c, '.' | '-') { '_' } else { c.to_ascii_lowercase() })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::{Language, case_name, snake, symbol};

    #[test]
    fn mapping() {
        assert_eq!(symbol("#cat3-src"), "__cat3_src");
        assert_eq!(symbol("ldg.A"), "ldg_a");
        assert_eq!(case_name("OPC_", "and.b", Language::C), "OPC_AND_B");
        assert_eq!(case_name("", "#const-dst-imm", Language::C), "CONST_DST_IMM");
        assert_eq!(case_name("Op::", "and.b-2_x", Language::Rust), "Op::AndB2X");
        assert_eq!(snake("#alu-2src"), "alu_2src");
    }
}
