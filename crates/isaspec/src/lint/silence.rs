//! Comments that silence findings: `<!-- isaglot: allow CODE … : REASON -->`.
//!
//! It is a comment because every reader of isaspec takes comments for nothing. A comment that has no effect, or no reason, is a
//! finding itself, so that it goes away with what it was for.

use isaglot_source::{Diagnostic, Diagnostics, Severity, SourceMap, Span};
use roxmltree::Node;

use crate::xml;

/// What stands at the beginning of such a comment.
const MARK: &str = "isaglot:";

/// A comment.
struct Silence {
    /// The comment itself.
    span: Span,
    codes: Vec<String>,
    /// Bytes of the file that it is for.
    from: u32,
    to: u32,
    /// Of each code, whether it silenced something.
    used: Vec<bool>,
}

/// See [`super::silence`].
pub(super) fn apply(files: &SourceMap, findings: &mut Vec<Diagnostic>) -> usize {
    let mut silences = Vec::new();
    let mut problems = Vec::new();
    for (id, file) in files.iter().filter(|(_, file)| file.name.ends_with(".xml")) {
        // Most files have none, and are not read again.
        if !file.bytes.windows(MARK.len()).any(|w| w == MARK.as_bytes()) {
            continue;
        }
        let mut scratch = Diagnostics::new();
        let Some(input) = xml::decode(&file.bytes, id, &mut scratch) else { continue };
        let Some(document) = xml::parse(input, id, &mut scratch) else { continue };
        for node in document.descendants().filter(Node::is_comment) {
            let Some(text) = node.text().map(str::trim).and_then(|t| t.strip_prefix(MARK)) else { continue };
            let range = node.range();
            let span = Span::new(id, range.start, range.end);
            match read(text) {
                Err(why) => problems.push(wrong(span, why)),
                Ok(codes) => match element(node, input) {
                    Some(element) => {
                        let (from, to) = (element.range().start as u32, element.range().end as u32);
                        silences.push(Silence { span, used: vec![false; codes.len()], codes, from, to });
                    }
                    None => problems.push(wrong(span, "there is no element after it")),
                },
            }
        }
    }
    let before = findings.len();
    findings.retain(|d| !silences.iter_mut().any(|s| s.takes(d)));
    let taken = before - findings.len();
    for s in &silences {
        for (code, _) in s.codes.iter().zip(&s.used).filter(|(_, used)| !**used) {
            let is_error = findings.iter().any(|d| d.code == code && d.severity == Severity::Error && s.holds(d));
            let why = if is_error { "an error cannot be silenced" } else { "there is no such finding here" };
            let d = Diagnostic::warning("isaspec-silence-unused", format!("this comment silences no `{code}`"));
            problems.push(d.label(s.span, why));
        }
    }
    findings.extend(problems);
    taken
}

impl Silence {
    /// Whether the finding is about something in the element.
    fn holds(&self, d: &Diagnostic) -> bool {
        d.span().is_some_and(|s| s.file == self.span.file && self.from <= s.start && s.start < self.to)
    }

    fn takes(&mut self, d: &Diagnostic) -> bool {
        if d.severity == Severity::Error || !self.holds(d) {
            return false;
        }
        let mut found = self.codes.iter().zip(&mut self.used).find(|(code, _)| *code == d.code);
        found.as_mut().is_some_and(|(_, used)| {
            **used = true;
            true
        })
    }
}

/// The codes; or what is wrong.
fn read(text: &str) -> Result<Vec<String>, &'static str> {
    let rest = text.trim_start().strip_prefix("allow").ok_or("expected `isaglot: allow CODE: REASON`")?;
    let (codes, reason) = rest.split_once(':').ok_or("it has no reason: expected `isaglot: allow CODE: REASON`")?;
    let codes: Vec<String> = codes.split_whitespace().map(str::to_owned).collect();
    if codes.is_empty() {
        return Err("it names no code");
    }
    if reason.trim().is_empty() {
        return Err("it has no reason");
    }
    Ok(codes)
}

fn wrong(span: Span, why: &'static str) -> Diagnostic {
    Diagnostic::warning("isaspec-silence", "this comment silences nothing").label(span, why)
}

/// The element that a comment is for: one that begins on its line before it, else the next.
fn element<'a, 'i>(comment: Node<'a, 'i>, input: &str) -> Option<Node<'a, 'i>> {
    let siblings = |node: Node<'a, 'i>, next: bool| if next { node.next_sibling() } else { node.prev_sibling() };
    let mut before = siblings(comment, false);
    while before.is_some_and(|n| !n.is_element()) {
        before = before.and_then(|n| siblings(n, false));
    }
    let on_line = before.filter(|n| input.get(n.range().end..comment.range().start).is_some_and(|t| !t.contains('\n')));
    if on_line.is_some() {
        return on_line;
    }
    // The first element within its parent's tag, on the same line, is not told apart from the next one.
    let mut after = siblings(comment, true);
    while after.is_some_and(|n| !n.is_element()) {
        after = after.and_then(|n| siblings(n, true));
    }
    after
}
