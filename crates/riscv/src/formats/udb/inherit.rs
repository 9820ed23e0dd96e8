//! `$inherits` and `$remove`.
//!
//! The problem: an object may take keys from others, in other files, which take keys again, and a circle must be found. The
//! invariant: what comes out has no operator left, and each node of it keeps the place where its text is. The method: targets are
//! resolved first, along the keys that are asked for only; the objects that are being resolved are known, so a circle is a target
//! that is one of them. The number of nodes is bounded: two references per file would double a tree with each file.

use isaglot_source::{Diagnostic, Span};

use super::faults::Faults;
use super::tree::Tree;
use crate::formats::yaml::{Key, Node, Value};
use crate::limits::{INHERITED_NODES, NAMES_IN_MESSAGE, YAML_DEPTH};

/// Resolves every document of the tree that has an operator.
pub(super) fn resolve(tree: &mut Tree, faults: &mut Faults) {
    let mut resolver = Resolver { tree, open: Vec::new(), nodes: 0, faults };
    let mut fresh = Vec::new();
    for (at, document) in tree.documents.iter().enumerate() {
        if has_operator(&document.root) {
            let before = resolver.faults.count();
            let root = resolver.node(&document.root, &document.path);
            fresh.push((at, root, resolver.faults.count() == before));
        }
    }
    for (at, root, is_whole) in fresh {
        tree.documents[at].root = root;
        tree.documents[at].is_whole = is_whole;
    }
}

fn has_operator(node: &Node) -> bool {
    match &node.value {
        Value::Scalar(..) => false,
        Value::List(items) => items.iter().any(has_operator),
        Value::Map(entries) => {
            entries.iter().any(|(key, node)| key.text == "$inherits" || key.text == "$remove" || has_operator(node))
        }
    }
}

struct Resolver<'t, 'a, 'f> {
    tree: &'t Tree<'a>,
    /// The objects that are being resolved: place, and the target that is resolved for it.
    open: Vec<(Span, String)>,
    /// How many nodes were inherited so far.
    nodes: usize,
    faults: &'f mut Faults,
}

impl<'a> Resolver<'_, 'a, '_> {
    /// A node of the file at `path` without operators.
    fn node(&mut self, node: &Node<'a>, path: &str) -> Node<'a> {
        self.nodes += usize::from(!self.open.is_empty());
        match &node.value {
            _ if self.nodes > INHERITED_NODES => Node { span: node.span, value: Value::Map(Vec::new()) },
            Value::Scalar(..) => node.clone(),
            Value::List(items) => {
                let items = items.iter().map(|item| self.node(item, path)).collect();
                Node { span: node.span, value: Value::List(items) }
            }
            Value::Map(entries) => self.map(node.span, entries, path),
        }
    }

    fn map(&mut self, span: Span, entries: &[(Key<'a>, Node<'a>)], path: &str) -> Node<'a> {
        let mut all: Vec<(Key<'a>, Node<'a>)> = Vec::new();
        let find = |name: &str| entries.iter().find(|(key, _)| key.text == name).map(|(_, node)| node);
        for target in find("$inherits").map_or(&[][..], Node::one_or_more) {
            match self.target(target, span, path) {
                Some(Node { value: Value::Map(inherited), .. }) => {
                    inherited.into_iter().for_each(|e| merge(&mut all, e))
                }
                Some(other) => {
                    let message = format!("expected the path of a mapping, found that of {}", other.what());
                    self.faults.error("udb-bad-type", target.span, message);
                }
                None => {}
            }
        }
        for (key, node) in entries.iter().filter(|(key, _)| key.text != "$inherits" && key.text != "$remove") {
            let own = self.node(node, path);
            merge(&mut all, (key.clone(), own));
        }
        for gone in find("$remove").map_or(&[][..], Node::one_or_more) {
            match gone.scalar() {
                Some(name) => all.retain(|(key, _)| key.text != name),
                None => self.faults.error("udb-bad-type", gone.span, format!("expected a key, found {}", gone.what())),
            }
        }
        Node { span, value: Value::Map(all) }
    }

    /// What a target stands for, resolved; `span` is the object that inherits it.
    fn target(&mut self, target: &Node<'a>, span: Span, path: &str) -> Option<Node<'a>> {
        let Some(text) = target.scalar() else {
            let message = format!("expected `path/file.yaml#/key`, found {}", target.what());
            self.faults.error("udb-bad-type", target.span, message);
            return None;
        };
        let Some((file, keys)) = text.split_once('#') else {
            self.faults.error("udb-bad-value", target.span, format!("expected `path/file.yaml#/key`, found `{text}`"));
            return None;
        };
        let file = if file.is_empty() { path } else { file };
        let Some(document) = self.tree.get(file) else {
            if !self.tree.has(file) {
                self.faults.error("udb-missing-file", target.span, format!("there is no file `{file}`"));
            }
            return None;
        };
        if self.is_circle(span, target.span) {
            return None;
        }
        if self.open.len() >= YAML_DEPTH || self.nodes > INHERITED_NODES {
            self.faults.error("udb-bad-value", target.span, "more is inherited than any instruction needs");
            return None;
        }
        let keys: Vec<&str> = keys.split('/').filter(|key| !key.is_empty()).collect();
        self.open.push((span, text.to_owned()));
        let found = self.walk(&document.root, &keys, &document.path, target.span);
        self.open.pop();
        found
    }

    /// The node that the keys lead to, resolved.
    fn walk(&mut self, node: &Node<'a>, keys: &[&str], path: &str, from: Span) -> Option<Node<'a>> {
        let [key, rest @ ..] = keys else {
            return (!self.is_circle(node.span, from)).then(|| self.node(node, path));
        };
        if let Some(next) = node.get(key) {
            return self.walk(next, rest, path, from);
        }
        // The key may itself be inherited.
        if node.get("$inherits").is_some() && !self.is_circle(node.span, from) {
            let whole = self.node(node, path);
            return self.walk(&whole, keys, path, from);
        }
        let near = isaglot_source::closest(key, node.map().iter().map(|(k, _)| k.text.as_ref())).map(str::to_owned);
        let fault = Diagnostic::error("udb-missing-path", format!("`{path}` has no key `{key}` there"));
        self.faults.push(fault.label(from, "").did_you_mean(near.as_deref()));
        None
    }

    /// Reports a circle if an object is being resolved already.
    fn is_circle(&mut self, object: Span, from: Span) -> bool {
        let Some(first) = self.open.iter().position(|(span, _)| *span == object) else { return false };
        let names: Vec<&str> =
            self.open[first..].iter().map(|(_, name)| name.as_str()).take(NAMES_IN_MESSAGE).collect();
        let more = if self.open.len() - first > NAMES_IN_MESSAGE { " → …" } else { "" };
        let message = format!("inherits itself: {}{more}", names.join(" → "));
        self.faults.error("udb-inherits-cycle", from, message);
        true
    }
}

/// Puts an entry over what is there: mappings merge, all else replaces.
fn merge<'a>(all: &mut Vec<(Key<'a>, Node<'a>)>, (key, node): (Key<'a>, Node<'a>)) {
    let Some(at) = all.iter().position(|(k, _)| k.text == key.text) else {
        all.push((key, node));
        return;
    };
    let old = &mut all[at];
    match (&mut old.1.value, node.value) {
        (Value::Map(below), Value::Map(above)) => {
            above.into_iter().for_each(|entry| merge(below, entry));
            old.0 = key;
            old.1.span = node.span;
        }
        (_, value) => {
            old.0 = key;
            old.1 = Node { span: node.span, value };
        }
    }
}
