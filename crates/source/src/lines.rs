//! The lines of a text with their places: what every reader of a table, a ledger or a file of rules begins with.
//!
//! A line is given without the blanks around it, and its span is that of what is left. Lines of blanks are left out, and a byte order
//! mark before the first line is no part of it.

use crate::{FileId, Span};

/// The lines of a text that say something.
///
/// ```
/// use isaglot_source::{FileId, lines};
///
/// let found: Vec<_> = lines(FileId(0), "a b\n\n  c\r\n").map(|(span, line)| (span.start, line)).collect();
/// assert_eq!(found, [(0, "a b"), (7, "c")]);
/// ```
pub fn lines(file: FileId, text: &str) -> impl Iterator<Item = (Span, &str)> {
    let mut at = 0;
    text.split_inclusive('\n').filter_map(move |line| {
        let start = at;
        at += line.len();
        let body = line.trim_start_matches(|c: char| c.is_whitespace() || c == '\u{feff}');
        let from = start + line.len() - body.len();
        let body = body.trim_end();
        (!body.is_empty()).then(|| (Span::new(file, from, from + body.len()), body))
    })
}

/// The same without comments: lines that begin with `#`.
pub fn statements(file: FileId, text: &str) -> impl Iterator<Item = (Span, &str)> {
    lines(file, text).filter(|(_, line)| !line.starts_with('#'))
}
