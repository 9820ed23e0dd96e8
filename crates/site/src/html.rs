//! Text that goes into markup. Everything that a description says passes through [`Escaped`]; the rest is ours.

use std::fmt;

use isaglot_invariant::Impossible as _;

/// Prints a text so that it is text in element content and in quoted attributes.
pub(crate) struct Escaped<'a>(pub(crate) &'a str);

impl fmt::Display for Escaped<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut rest = self.0;
        while let Some(at) = rest.find(|c: char| "<>&\"'".contains(c) || (c.is_control() && c != '\n' && c != '\t')) {
            let (plain, special) = rest.split_at(at);
            f.write_str(plain)?;
            let mut chars = special.chars();
            match chars.next() {
                Some('<') => f.write_str("&lt;")?,
                Some('>') => f.write_str("&gt;")?,
                Some('&') => f.write_str("&amp;")?,
                Some('"') => f.write_str("&quot;")?,
                Some('\'') => f.write_str("&#39;")?,
                // Markup cannot hold them.
                _ => f.write_str("\u{fffd}")?,
            }
            rest = chars.as_str();
        }
        f.write_str(rest)
    }
}

/// An expression of a description as markup: the names of fields without their braces.
pub(crate) fn expression(text: &str) -> String {
    let folded: Vec<&str> = text.split_whitespace().collect();
    let folded = folded.join(" ");
    let mut out = String::new();
    let mut rest = folded.as_str();
    while let Some((before, after)) = rest.split_once('{') {
        let Some((name, left)) = after.split_once('}') else { break };
        out.push_str(&format!("{}<var>{}</var>", Escaped(before), Escaped(name)));
        rest = left;
    }
    out + &Escaped(rest).to_string()
}

/// The first sentence of a text, for tables.
pub(crate) fn first_sentence(text: &str) -> String {
    let folded: Vec<&str> = text.split_whitespace().collect();
    let folded = folded.join(" ");
    match folded.find(". ") {
        Some(end) => folded.get(..=end).or_impossible(&folded).to_owned(),
        None => folded,
    }
}

/// A description's own text as paragraphs: blank lines part them.
pub(crate) fn paragraphs(text: &str, out: &mut String) {
    let mut lines: Vec<&str> = Vec::new();
    for line in text.lines().map(str::trim).chain([""]) {
        if !line.is_empty() {
            lines.push(line);
        } else if !lines.is_empty() {
            out.push_str(&format!("<p>{}</p>\n", Escaped(&lines.join("\n"))));
            lines.clear();
        }
    }
}
