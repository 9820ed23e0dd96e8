//! The first step of an expression: `{F}` becomes `F`, and the fields between braces are collected.
//!
//! The reference's rule is textual: braces vanish wherever a run of letters, digits and underscores stands between
//! them, in comments too, and what then touches grows together. All else, a lone brace included, is left for C.

use isaglot_source::{Diagnostic, Diagnostics};

use crate::limits;
use crate::text::Text;

/// The C text, with its places, and the fields that were between braces, sorted.
pub(crate) struct Pasted {
    pub(crate) text: Text,
    pub(crate) fields: Vec<String>,
    /// Those of them that begin with a digit, with the underscore that makes a variable of them.
    pub(crate) lifted: Vec<String>,
}

/// An expression in which braces mean nothing.
pub(crate) fn plain(text: &Text) -> Pasted {
    Pasted { text: text.trimmed(), fields: Vec::new(), lifted: Vec::new() }
}

/// Replaces references; `None` if a bound is passed or a name cannot be a variable, which is reported. With the extensions
/// any name can be one.
pub(crate) fn paste(text: &Text, dialect: bool, out: &mut Diagnostics) -> Option<Pasted> {
    if text.value.len() > limits::MAX_EXPR_BYTES {
        let message = format!("the expression is longer than {} bytes", limits::MAX_EXPR_BYTES);
        out.push(Diagnostic::error("isaspec-expr-limit", message).label(text.span(), "this expression"));
        return None;
    }
    let value = text.value.as_str();
    let mut pasted = text.slice(0..0);
    let (mut fields, mut lifted) = (Vec::new(), Vec::new());
    let (mut done, mut at, mut sound) = (0, 0, true);
    while let Some(open) = value[at..].find('{').map(|n| at + n) {
        let name = &value[open + 1..];
        let len = name.bytes().take_while(|b| b.is_ascii_alphanumeric() || *b == b'_').count();
        at = open + 1;
        if len == 0 || name.as_bytes().get(len) != Some(&b'}') {
            continue;
        }
        let name = &name[..len];
        pasted.append(text, done..open);
        let mut variable = name.to_owned();
        if name.starts_with(|c: char| c.is_ascii_digit()) && dialect {
            variable.insert(0, '_');
            pasted.append(&Text::verbatim("_", text.span_of(open..open + 1)), 0..1);
            lifted.push(variable.clone());
        } else if name.starts_with(|c: char| c.is_ascii_digit()) {
            sound = false;
            let message = format!("`{name}` cannot be used in an expression: the name starts with a digit");
            out.push(
                Diagnostic::error("isaspec-expr-name", message)
                    .label(text.span_of(open..open + len + 2), "this field can only be displayed")
                    .note("expressions are C, and this is not a valid C name; give the field a second name"),
            );
        }
        pasted.append(text, open + 1..open + 1 + len);
        done = open + len + 2;
        at = done;
        fields.push(variable);
    }
    pasted.append(text, done..value.len());
    fields.sort();
    fields.dedup();
    sound.then_some(Pasted { text: pasted, fields, lifted })
}
