//! From the XML of an overlay to what it says: shapes only. The format is ours, so what is not known is an error.

use isaglot_source::{Diagnostic, Diagnostics, FileId, Span, closest};
use roxmltree::Node;

use super::{Formula, RoleDecl, RolesFile, SetRoles};
use crate::read::{Reader, expression, registers};
use crate::syntax::{ExprDecl, FlowDecl};
use crate::{expr, xml};

/// Elements with their attributes and children.
const KNOWN: &[(&str, &[&str], &[&str])] = &[
    ("roles", &["of"], &["registers", "expr", "bitset"]),
    ("expr", &["name"], &[]),
    (
        "registers",
        &["name", "width", "count", "prefix", "zero", "components", "first", "within", "min-gen", "max-gen"],
        &["register", "same", "none"],
    ),
    ("register", &["number", "name", "alias"], &[]),
    ("same", &["from", "to", "registers"], &[]),
    ("none", &["from", "to"], &[]),
    ("bitset", &["name"], &["operand", "flow"]),
    ("operand", &["field", "register", "number", "registers", "access", "when", "count", "mask"], &[]),
    ("flow", &["to", "target"], &[]),
];

const ACCESS: [&str; 3] = ["read", "write", "readwrite"];

/// Reads an overlay; `None` if it is no XML document within the bounds.
pub(crate) fn read(bytes: &[u8], file: FileId, partial: bool, out: &mut Diagnostics) -> Option<RolesFile> {
    let input = xml::decode(bytes, file, out)?;
    let document = xml::parse(input, file, out)?;
    let root = document.root_element();
    let mut r = Reader { file, input, out, dialect: true };
    if root.tag_name().name() != "roles" {
        r.error("isaspec-roles", "this is not a file of roles", r.span(root), "expected <roles>");
        return None;
    }
    known(&mut r, root);
    let mut found = RolesFile { id: file, partial, registers: Vec::new(), exprs: Vec::new(), sets: Vec::new() };
    for node in elements(root) {
        match node.tag_name().name() {
            "expr" => {
                let name = r.required(node, "name");
                found.exprs.extend(name.zip(expression(&mut r, node)));
            }
            "registers" => found.registers.extend(registers(&mut r, node)),
            "bitset" => found.sets.extend(set(&mut r, node)),
            _ => {}
        }
    }
    Some(found)
}

fn elements<'n, 'i>(node: Node<'n, 'i>) -> impl Iterator<Item = Node<'n, 'i>> {
    node.children().filter(Node::is_element)
}

/// Reports every element and attribute that is not known.
fn known(r: &mut Reader<'_, '_>, root: Node<'_, '_>) {
    for node in root.descendants().filter(Node::is_element) {
        let name = node.tag_name().name();
        let Some((_, attributes, children)) = KNOWN.iter().find(|k| k.0 == name) else { continue };
        for attribute in node.attributes().filter(|a| !attributes.contains(&a.name())) {
            let range = attribute.range_qname();
            let span = Span::new(r.file, range.start, range.end);
            unknown(
                r,
                &format!("<{name}> has no attribute `{}`", attribute.name()),
                span,
                attribute.name(),
                attributes,
            );
        }
        for child in elements(node).filter(|c| !children.contains(&c.tag_name().name())) {
            let wrong = child.tag_name().name();
            let span = r.span(child);
            unknown(r, &format!("<{name}> has no element <{wrong}>"), span, wrong, children);
        }
    }
}

fn unknown(r: &mut Reader<'_, '_>, message: &str, span: Span, name: &str, there: &[&'static str]) {
    let d = Diagnostic::error("isaspec-roles", message).label(span, "unknown here");
    r.out.push(d.did_you_mean(closest(name, there.iter().copied())));
}

fn set(r: &mut Reader<'_, '_>, node: Node<'_, '_>) -> Option<SetRoles> {
    let (mut operands, mut flow) = (Vec::new(), None);
    for child in elements(node) {
        match child.tag_name().name() {
            "operand" => operands.extend(operand(r, child)),
            "flow" => {
                let target = r.attribute(child, "target");
                flow = r.required(child, "to").map(|to| FlowDecl { to, target, span: r.span(child) });
            }
            _ => {}
        }
    }
    Some(SetRoles { name: r.required(node, "name")?, operands, flow })
}

fn operand(r: &mut Reader<'_, '_>, node: Node<'_, '_>) -> Option<RoleDecl> {
    let span = r.span(node);
    let before = r.out.error_count();
    let found = RoleDecl {
        field: r.attribute(node, "field"),
        register: r.attribute(node, "register"),
        number: formula(r, node, "number"),
        registers: r.attribute(node, "registers"),
        access: r.attribute(node, "access"),
        when: formula(r, node, "when"),
        count: formula(r, node, "count"),
        mask: formula(r, node, "mask"),
        span,
    };
    if r.out.error_count() > before {
        return None;
    }
    if let Some(access) = found.access.as_ref().filter(|a| !ACCESS.contains(&a.value.as_str())) {
        let message = format!("unknown access `{}`", access.value);
        r.error("isaspec-roles", message, access.span(), format!("expected {}", ACCESS.join(", ")));
        return None;
    }
    if found.register.is_some() == (found.field.is_some() || found.number.is_some()) {
        r.error("isaspec-roles", "which operand?", span, "expected `register`, or `field` or `number` or both");
        return None;
    }
    if (found.field.is_none() || found.number.is_some()) && found.registers.is_none() {
        r.error("isaspec-roles", "of which register file?", span, "expected `registers`");
        return None;
    }
    if let (Some(mask), Some(_)) = (&found.mask, &found.count) {
        r.error("isaspec-roles", "both `mask` and `count` say which registers", mask.span(), "here");
        return None;
    }
    Some(found)
}

/// An attribute that holds an expression, or the name of one.
fn formula(r: &mut Reader<'_, '_>, node: Node<'_, '_>, name: &str) -> Option<Formula> {
    let text = r.attribute(node, name)?;
    if text.value.starts_with('#') {
        return Some(Formula::Named(text));
    }
    let parsed = expr::parse(&text, true, r.out);
    let span = text.span();
    Some(Formula::Written(Box::new(ExprDecl { name: None, text, parsed, span })))
}

impl Formula {
    /// Where it stands.
    pub(crate) fn span(&self) -> Span {
        match self {
            Formula::Named(name) => name.span(),
            Formula::Written(decl) => decl.span,
        }
    }
}
