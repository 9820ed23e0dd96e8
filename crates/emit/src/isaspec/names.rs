//! Names of a description as names of a program.
//!
//! A description calls things as it likes; a program cannot. The mapping is the reference's, because drivers write some
//! of these names themselves; what does not give a legal name is an error at the place that the name comes from, not a
//! message of some compiler.

use isaglot_source::{Diagnostic, Diagnostics, Span};

use crate::keywords;

/// The language that is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    /// C11.
    C,
    /// Rust.
    Rust,
}

impl Language {
    /// As `lang` attributes call it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Language::C => "c",
            Language::Rust => "rust",
        }
    }

    fn keywords(self) -> &'static [&'static str] {
        match self {
            Language::C => keywords::C,
            Language::Rust => keywords::RUST,
        }
    }
}

/// Whether a text has the form of an identifier.
#[must_use]
pub fn is_identifier(text: &str) -> bool {
    let mut bytes = text.bytes();
    bytes.next().is_some_and(|b| b.is_ascii_alphabetic() || b == b'_')
        && bytes.all(|b| b.is_ascii_alphanumeric() || b == b'_')
        && text != "_"
}

/// Whether a text is an identifier that a program may define.
#[must_use]
pub fn is_free(text: &str, language: Language) -> bool {
    is_identifier(text) && !language.keywords().contains(&text)
}

/// Reports a name that a program cannot have.
pub(crate) fn check(text: &str, what: &str, language: Language, span: Span, out: &mut Diagnostics) {
    let language_name = match language {
        Language::C => "C",
        Language::Rust => "Rust",
    };
    if !is_identifier(text) {
        let message = format!("{what} would be called `{text}`, which is no identifier of {language_name}");
        out.push(
            Diagnostic::error("emit-name", message).label(span, "for this").note("expected letters, digits and `_`"),
        );
    } else if language.keywords().contains(&text) {
        let message = format!("{what} would be called `{text}`, which is a keyword of {language_name}");
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
#[must_use]
pub fn case_name(prefix: &str, name: &str, language: Language) -> String {
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
#[must_use]
pub fn snake(name: &str) -> String {
    name.chars()
        .filter(|&c| c != '#')
        .map(|c| if matches!(c, '.' | '-') { '_' } else { c.to_ascii_lowercase() })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::{Language, case_name, is_free, snake, symbol};

    #[test]
    fn mapping() {
        assert_eq!(symbol("#cat3-src"), "__cat3_src");
        assert_eq!(symbol("ldg.A"), "ldg_a");
        assert_eq!(case_name("OPC_", "and.b", Language::C), "OPC_AND_B");
        assert_eq!(case_name("", "#const-dst-imm", Language::C), "CONST_DST_IMM");
        assert_eq!(case_name("Op::", "and.b-2_x", Language::Rust), "Op::AndB2X");
        assert_eq!(snake("#alu-2src"), "alu_2src");
        assert!(is_free("OPC_ADD", Language::C) && is_free("int", Language::Rust));
        assert!(!is_free("int", Language::C) && !is_free("3D", Language::C) && !is_free("", Language::C));
    }
}
