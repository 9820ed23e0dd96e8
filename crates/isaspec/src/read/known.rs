//! What elements and attributes there are, so that others can be pointed out. They are ignored, as in the reference.

use isaglot_source::{Diagnostic, closest};
use roxmltree::Node;

use super::Reader;

/// An element: its attributes and children, then those that only the extensions know.
struct Element {
    name: &'static str,
    attributes: &'static [&'static str],
    children: &'static [&'static str],
    more_attributes: &'static [&'static str],
    more_children: &'static [&'static str],
}

impl Element {
    /// Whether the element itself is an extension; where those are off, it was pointed out as a whole.
    fn is_extension(&self) -> bool {
        self.attributes.is_empty() && !self.more_attributes.is_empty()
    }
}

const fn element(
    name: &'static str,
    attributes: &'static [&'static str],
    children: &'static [&'static str],
    more_attributes: &'static [&'static str],
    more_children: &'static [&'static str],
) -> Element {
    Element { name, attributes, children, more_attributes, more_children }
}

/// The root element, of any name.
const ROOT: Element = element(
    "isa",
    &["dialect"],
    &["import", "expr", "template", "enum", "bitset", "doc"],
    &["name"],
    &["format", "registers", "feature", "gen-name", "table", "expansion", "parameter", "extern", "trap"],
);

/// `<meta>` is missing: it may have any attribute.
const ELEMENTS: &[Element] = &[
    element("import", &["file"], &[], &[], &[]),
    element("expr", &["name"], &[], &[], &[]),
    element("template", &["name"], &["doc"], &[], &[]),
    element("enum", &["name"], &["value", "doc"], &[], &[]),
    element("value", &["val", "display", "name"], &["doc"], &["min", "max", "is"], &[]),
    element(
        "bitset",
        &["name", "size", "extends", "displayname"],
        &["pattern", "field", "derived", "assert", "override", "display", "gen", "meta", "encode", "decode", "doc"],
        &["width", "features", "overlap"],
        &["except", "operand", "flow", "semantics"],
    ),
    element("pattern", &["low", "high", "pos"], &["doc"], &[], &[]),
    element("assert", &["low", "high", "pos"], &["doc"], &[], &[]),
    element(
        "field",
        &["name", "low", "high", "pos", "type", "display", "call"],
        &["param", "doc"],
        &["bits", "role", "access", "registers", "count", "unit", "keeps"],
        &[],
    ),
    element("param", &["name", "as"], &[], &[], &[]),
    element(
        "derived",
        &["name", "type", "expr", "width", "display", "call"],
        &["expr", "doc"],
        &["role", "access", "registers", "count", "unit", "keeps"],
        &[],
    ),
    element(
        "override",
        &["expr"],
        &["expr", "field", "derived", "assert", "display", "pattern", "doc"],
        &["alias"],
        &[],
    ),
    element("except", &[], &[], &["low", "high", "pos", "bits"], &[]),
    element("display", &[], &[], &[], &[]),
    element("gen", &["min", "max"], &[], &[], &[]),
    element("encode", &["type", "case-prefix"], &["map"], &["lang"], &[]),
    element("map", &["name", "force"], &[], &["lang"], &[]),
    element("decode", &[], &[], &[], &[]),
    element("format", &[], &[], &["parcel", "byte-order", "opcode"], &["length"]),
    element("length", &[], &[], &["size", "opcode"], &[]),
    element(
        "registers",
        &[],
        &["doc"],
        &["name", "width", "count", "prefix", "zero", "components", "first", "within", "min-gen", "max-gen"],
        &["register", "same", "none"],
    ),
    element("same", &[], &["doc"], &["from", "to", "registers"], &[]),
    element("none", &[], &["doc"], &["from", "to"], &[]),
    element("register", &[], &["doc"], &["number", "name", "alias"], &[]),
    element("feature", &[], &["doc"], &["name", "implies", "excludes", "default"], &[]),
    element("operand", &[], &[], &["registers", "register", "access", "when", "mask"], &[]),
    element("flow", &[], &[], &["to", "target"], &[]),
    element("gen-name", &[], &[], &["name", "value"], &[]),
    element("table", &[], &["doc"], &["name", "width"], &[]),
    element("expansion", &[], &["doc", "gen", "pattern"], &["name", "size"], &["step"]),
    element("step", &[], &["doc"], &["from", "to", "table", "when", "extend", "copies"], &[]),
    element("parameter", &[], &["value", "doc"], &["name"], &[]),
    element("extern", &[], &["doc"], &["name", "args", "result"], &[]),
    element("trap", &[], &["doc"], &["name"], &[]),
];

/// Warns of everything under the root element that is not known.
pub(super) fn check(r: &mut Reader<'_, '_>, root: Node<'_, '_>) {
    one(r, root, &ROOT);
    for node in root.descendants().filter(|n| n.is_element() && *n != root) {
        let name = node.tag_name().name();
        let known = ELEMENTS.iter().find(|e| e.name == name && node.tag_name().namespace().is_none());
        if let Some(element) = known.filter(|e| r.dialect || !e.is_extension()) {
            one(r, node, element);
        }
    }
}

fn one(r: &mut Reader<'_, '_>, node: Node<'_, '_>, known: &Element) {
    for attribute in node.attributes().filter(|a| a.namespace().is_none()) {
        let name = attribute.name();
        let range = attribute.range_qname();
        let span = isaglot_source::Span::new(r.file, range.start, range.end);
        let extension = known.more_attributes.contains(&name);
        if known.attributes.contains(&name) || (extension && r.dialect) {
            continue;
        }
        let message = format!("<{}> has no attribute `{name}`; it is ignored", node.tag_name().name());
        let d = Diagnostic::warning("isaspec-unknown-attribute", message).label(span, "unknown here");
        let d = hint(d, extension, closest(name, known.attributes.iter().chain(known.more_attributes).copied()));
        r.out.push(d);
    }
    for child in node.children().filter(Node::is_element) {
        let name = child.tag_name().name();
        let extension = known.more_children.contains(&name);
        if child.tag_name().namespace().is_some() || known.children.contains(&name) || (extension && r.dialect) {
            continue;
        }
        if matches!(name, "doc" | "comments" | "brief") {
            continue;
        }
        let message = format!("<{}> has no element <{name}>; it is ignored", node.tag_name().name());
        let d = Diagnostic::warning("isaspec-unknown-element", message).label(r.span(child), "unknown here");
        let d = hint(d, extension, closest(name, known.children.iter().chain(known.more_children).copied()));
        r.out.push(d);
    }
}

fn hint(d: Diagnostic, extension: bool, near: Option<&str>) -> Diagnostic {
    if extension {
        d.note("it is one of Isaglot's extensions, which need `dialect=\"isaglot\"` on the file's root element")
    } else {
        d.did_you_mean(near)
    }
}
