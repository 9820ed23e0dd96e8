//! What is wrong with the files, with the path of keys.
//!
//! The problem: a fault is found far from where its text is: in an instruction that inherited it, or after an overlay. The
//! invariant: a message names the file, line and column where the text is, and the path of keys to it in that file, each fault
//! once, in the order of the files. The method: while checking only places are kept. At the end the files with faults are parsed
//! again and the path to each place is looked up.

use isaglot_source::{Diagnostic, Diagnostics, FileId, Severity, SourceMap, Span};
use rustc_hash::FxHashSet;

use crate::formats::yaml::{self, Node, Value};

/// Faults that were found, in any order.
#[derive(Default)]
pub(super) struct Faults {
    list: Vec<Fault>,
}

struct Fault {
    diagnostic: Diagnostic,
    /// The place whose path is named; nothing for faults without one.
    place: Option<Span>,
    /// What to add to the path: a key that is missing.
    missing: Option<String>,
}

impl Faults {
    /// Adds a fault of a node.
    pub(super) fn error(&mut self, code: &'static str, place: Span, message: impl Into<String>) {
        self.push(Diagnostic::error(code, message).label(place, ""));
    }

    /// Adds a warning about a node.
    pub(super) fn warning(&mut self, code: &'static str, place: Span, message: impl Into<String>) {
        self.push(Diagnostic::warning(code, message).label(place, ""));
    }

    /// Adds a fault at its first label.
    pub(super) fn push(&mut self, diagnostic: Diagnostic) {
        let place = diagnostic.span();
        self.list.push(Fault { diagnostic, place, missing: None });
    }

    /// Adds a fault of a key that a mapping lacks.
    pub(super) fn missing(&mut self, code: &'static str, mapping: &Node, key: &str, message: impl Into<String>) {
        // Keys that were inherited are elsewhere.
        let own = mapping.map().iter().map(|(key, _)| key.span).find(|span| span.file == mapping.span.file);
        let start = own.unwrap_or(mapping.span);
        let diagnostic = Diagnostic::error(code, message).label(start, "");
        self.list.push(Fault { diagnostic, place: Some(mapping.span), missing: Some(key.to_owned()) });
    }

    /// Adds what the parser of YAML says; it knows no paths, and of a broken file there is none.
    pub(super) fn parser(&mut self, found: Vec<Diagnostic>) {
        for diagnostic in found {
            // A duplicate is not in the tree: its path is that of the first one.
            let first = diagnostic.labels.iter().find(|l| !l.primary).map(|l| l.span);
            self.list.push(Fault { diagnostic, place: first, missing: None });
        }
    }

    /// How many there are so far.
    pub(super) fn count(&self) -> usize {
        self.list.len()
    }

    /// Whether there is an error so far.
    pub(super) fn has_errors(&self) -> bool {
        self.has_errors_since(0)
    }

    /// Whether there is an error among those after the first `count`.
    pub(super) fn has_errors_since(&self, count: usize) -> bool {
        self.list.iter().skip(count).any(|f| f.diagnostic.severity == Severity::Error)
    }

    /// Hands all faults on: by file and place, each once, with the paths in the messages.
    pub(super) fn finish(mut self, files: &SourceMap, out: &mut Diagnostics) {
        self.list.sort_by_key(|f| {
            let span = f.diagnostic.span().unwrap_or_default();
            (span.file, span.start, span.end)
        });
        let mut seen = FxHashSet::default();
        let mut parsed: Option<(FileId, Option<Node>)> = None;
        for mut fault in self.list {
            let file = fault.place.map(|s| s.file).filter(|_| out.dropped() == 0);
            if let Some((file, source)) = file.and_then(|id| Some((id, files.get(id)?))) {
                if parsed.as_ref().is_none_or(|(id, _)| *id != file) {
                    parsed = Some((file, yaml::parse(file, &source.bytes, &mut Vec::new())));
                }
                let root = parsed.as_ref().and_then(|(_, root)| root.as_ref());
                let mut path = root.map(|root| path(root, fault.place.unwrap_or_default())).unwrap_or_default();
                if let Some(key) = &fault.missing {
                    path.push_str(if path.is_empty() { "" } else { "." });
                    path.push_str(key);
                }
                if !path.is_empty() {
                    fault.diagnostic.message = format!("`{path}`: {}", fault.diagnostic.message);
                }
            }
            // A quoted text may hold what a terminal would obey.
            if fault.diagnostic.message.contains(char::is_control) {
                let plain = |c: char| if c.is_control() { c.escape_default().to_string() } else { c.to_string() };
                fault.diagnostic.message = fault.diagnostic.message.chars().map(plain).collect();
            }
            let id = (fault.diagnostic.code, fault.diagnostic.span(), fault.diagnostic.message.clone());
            if seen.insert(id) {
                out.push(fault.diagnostic);
            }
        }
    }
}

/// The path of keys to the smallest node that holds a place: `encoding.variables[2].location`.
pub(super) fn path(root: &Node, place: Span) -> String {
    let holds = |s: Span| s.start <= place.start && place.end <= s.end;
    let mut path = String::new();
    let mut node = root;
    while node.span != place {
        let next = match &node.value {
            Value::Scalar(..) => None,
            Value::List(items) => {
                let exact = items.iter().position(|n| n.span == place);
                exact.or_else(|| items.iter().position(|n| holds(n.span))).map(|at| (format!("[{at}]"), &items[at]))
            }
            Value::Map(entries) => {
                let exact = entries.iter().find(|(k, n)| n.span == place || k.span == place);
                let found = exact.or_else(|| entries.iter().find(|(k, n)| holds(k.span.to(n.span))));
                found.map(|(key, n)| (format!("{}{}", if path.is_empty() { "" } else { "." }, key.text), n))
            }
        };
        let Some((step, inner)) = next else { break };
        path.push_str(&step);
        let is_key = node.map().iter().any(|(k, _)| k.span == place);
        if is_key {
            break;
        }
        node = inner;
    }
    path
}
