//! Instructions: from a document to a row of the table.

use isaglot_source::{Diagnostic, Span};

use super::condition::{self, Names};
use super::faults::Faults;
use super::tree::{Document, Tree};
use super::{encoding, format};
use crate::formats::yaml::Node;
use crate::formats::{Formula, Instruction, Notes};

/// What a file says of an instruction; `None` without a name or whole words, which is reported.
pub(super) fn read(document: &Document, tree: &Tree, names: &Names, faults: &mut Faults) -> Option<Instruction> {
    let root = &document.root;
    let condition = root.get("definedBy").map_or(Formula::True, |node| condition::read(node, names, faults));
    let before = faults.count();
    let encodings = match (root.get("encoding"), root.get("format")) {
        _ if !document.is_whole => return None,
        (Some(node), None) => encoding::read(node, faults),
        (None, Some(node)) => {
            let one = format::read(node, tree, faults);
            [one.clone(), one]
        }
        (Some(node), Some(format)) => {
            let key = |name: &str| root.map().iter().find(|(k, _)| k.text == name).map_or(format.span, |(k, _)| k.span);
            let fault = Diagnostic::error("udb-both-encodings", "an instruction has `encoding` or `format`, not both");
            faults.push(fault.label(key("format"), "").secondary(key("encoding"), "the other one"));
            encoding::read(node, faults)
        }
        (None, None) => {
            faults.missing("udb-missing-key", root, "encoding", "an instruction needs `encoding` or `format`");
            return None;
        }
    };
    let is_whole = encodings.iter().all(Option::is_some) && !faults.has_errors_since(before);
    if !is_whole && !faults.has_errors() {
        faults.error("udb-bad-value", root.span, "the words of this instruction are not understood");
    }
    let name = root.get("name").filter(|_| is_whole)?;
    let text = |key: &str| root.get(key).and_then(|n| Some((n.scalar()?.to_owned(), n.span)));
    Some(Instruction {
        name: name.scalar()?.to_owned(),
        span: name.span,
        special_case_of: None,
        encodings,
        condition,
        operands: text("assembly"),
        doc: text("long_name").map_or(String::new(), |(text, _)| text),
        // Most files have the key without a text.
        idl: text("operation()").filter(|(text, _)| !text.trim().is_empty()),
        notes: notes(root),
    })
}

fn notes(root: &Node) -> Notes {
    let scalar = |node: &Node| node.scalar().unwrap_or_default().to_owned();
    let access = root.get("access").map_or(&[][..], Node::map);
    let list = |key: &str| root.get(key).map_or(&[][..], Node::list);
    let of = |node: &Node, key: &str| node.get(key).map(scalar).unwrap_or_default();
    Notes {
        access: access.iter().map(|(mode, when)| (mode.text.to_string(), scalar(when))).collect(),
        data_independent_timing: root.get("data_independent_timing").and_then(Node::bool),
        hints: list("hints").iter().map(|hint| of(hint, "$ref")).collect(),
        pseudo: list("pseudoinstructions").iter().map(|p| (of(p, "when"), of(p, "to"))).collect(),
        sail: root.get("sail()").is_some(),
        typed: root.get("format").is_some(),
    }
}

/// Reports instructions that have the same name in several files.
pub(super) fn duplicates(documents: &[&Document], faults: &mut Faults) {
    let name = |d: &&Document| d.root.get("name").and_then(|n| Some((n.scalar()?.to_owned(), n.span)));
    let mut names: Vec<(String, Span)> = documents.iter().filter_map(name).collect();
    // The order of the files is kept among equal names.
    names.sort_by(|a, b| a.0.cmp(&b.0));
    for pair in names.windows(2).filter(|pair| pair[0].0 == pair[1].0) {
        let fault = Diagnostic::error("udb-duplicate-name", format!("two files describe `{}`", pair[0].0));
        faults.push(fault.label(pair[1].1, "").secondary(pair[0].1, "the other one"));
    }
}
