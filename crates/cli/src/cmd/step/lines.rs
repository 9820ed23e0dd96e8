//! A text of semantics in lines, one for each statement, with those marked that ran.
//!
//! Texts may be written in one line, and an `if` in the middle of it. So they are cut after each `;`, and after the braces of blocks; a
//! brace that begins a value (`{A, B}`) is not one of these. A place in the text is in just one line.

use std::ops::Range;

/// A line: where it is in the text, and how deep in blocks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Line {
    pub(super) place: Range<usize>,
    pub(super) depth: usize,
}

impl Line {
    /// Its text.
    pub(super) fn text<'t>(&self, all: &'t str) -> &'t str {
        all.get(self.place.clone()).unwrap_or("").trim()
    }
}

/// The lines of a text, without empty ones.
pub(super) fn lines(text: &str) -> Vec<Line> {
    let bytes = text.as_bytes();
    let mut all: Vec<Line> = Vec::new();
    // Whether each open brace is that of a block.
    let mut open: Vec<bool> = Vec::new();
    let (mut from, mut at, mut depth) = (0, 0, 0);
    // The last byte that is neither white space nor in a comment.
    let mut before = b';';
    while let Some(&byte) = bytes.get(at) {
        let rest = text.get(at..).unwrap_or("");
        let comment = match rest {
            _ if rest.starts_with("//") => Some(rest.find('\n').unwrap_or(rest.len())),
            _ if rest.starts_with("/*") => Some(rest.find("*/").map_or(rest.len(), |end| end + 2)),
            _ => None,
        };
        if let Some(length) = comment {
            at += length;
            continue;
        }
        at += 1;
        let mut end = |depth: usize, at: usize| {
            let line = Line { place: from..at, depth };
            if !line.text(text).is_empty() {
                all.push(line);
            }
            from = at;
        };
        match byte {
            b'{' => {
                // A block follows the condition or `else`; a value never does.
                let is_block = before == b')' || text.get(..at - 1).unwrap_or("").trim_end().ends_with("else");
                open.push(is_block);
                if is_block {
                    end(depth, at);
                    depth += 1;
                }
            }
            b'}' if open.pop() == Some(true) => {
                depth = depth.saturating_sub(1);
                let next = text.get(at..).unwrap_or("").trim_start();
                // `} else {` is one line.
                if !next.starts_with("else") {
                    end(depth, at);
                }
            }
            b';' => end(depth, at),
            _ => {}
        }
        if !byte.is_ascii_whitespace() {
            before = byte;
        }
    }
    let line = Line { place: from..text.len(), depth };
    if !line.text(text).is_empty() {
        all.push(line);
    }
    all
}

#[cfg(test)]
mod tests {
    use super::lines;

    #[track_caller]
    fn check(text: &str, want: &[(usize, &str)]) {
        let got: Vec<(usize, String)> = lines(text).iter().map(|l| (l.depth, l.text(text).to_owned())).collect();
        let want: Vec<(usize, String)> = want.iter().map(|&(depth, text)| (depth, text.to_owned())).collect();
        assert_eq!(got, want);
    }

    #[test]
    fn statements_are_lines() {
        check(" RD = 1; pc = RS ", &[(0, "RD = 1;"), (0, "pc = RS")]);
        check("VD = {VA[1:0], VB};", &[(0, "VD = {VA[1:0], VB};")]);
        check(
            "if (A) { RD = 1; } else { RD = {A, B}; } pc = 0;",
            &[(0, "if (A) {"), (1, "RD = 1;"), (0, "} else {"), (1, "RD = {A, B};"), (0, "}"), (0, "pc = 0;")],
        );
        check("RD = 1; // a; b\npc = 2;", &[(0, "RD = 1;"), (0, "// a; b\npc = 2;")]);
        check("", &[]);
        check("}}{", &[(0, "}}{")]);
    }
}
