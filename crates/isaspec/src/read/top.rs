//! The root element and what stands directly under it.

use roxmltree::Node;

use super::reader::{Reader, children};
use super::{bitset, extension, known};
use crate::expr;
use crate::syntax::{EnumDecl, ExprDecl, File, Import, TemplateDecl, ValueDecl};

/// Reads a whole file.
pub(super) fn file(r: &mut Reader<'_, '_>, root: Node<'_, '_>) -> File {
    if let Some(dialect) = r.attribute(root, "dialect") {
        r.dialect = dialect.value == "isaglot";
        if !r.dialect {
            let message = format!("unknown dialect `{}`", dialect.value);
            r.error("isaspec-dialect", message, dialect.span(), "the only one is `isaglot`");
        }
    }
    known::check(r, root);
    let mut file = File {
        id: r.file,
        dialect: r.dialect,
        name: if r.dialect { r.attribute(root, "name") } else { None },
        span: r.span(root),
        ..File::default()
    };
    for import in children(root, "import") {
        if let Some(name) = r.required(import, "file") {
            file.imports.push(Import { file: name, span: r.span(import) });
        }
    }
    for node in children(root, "expr") {
        file.exprs.extend(expression(r, node));
    }
    for node in children(root, "template") {
        if let (Some(name), Some(text)) = (r.required(node, "name"), r.required_text(node, "the text of the template"))
        {
            file.templates.push(TemplateDecl { name, text });
        }
    }
    for node in children(root, "enum") {
        file.enums.extend(enumeration(r, node));
    }
    for node in children(root, "bitset") {
        file.bitsets.extend(bitset::bitset(r, node));
    }
    if r.dialect {
        extension::top(r, root, &mut file);
    }
    file
}

/// Reads an `<expr>`; an empty one is reported.
pub(crate) fn expression(r: &mut Reader<'_, '_>, node: Node<'_, '_>) -> Option<ExprDecl> {
    let text = r.required_text(node, "an expression")?;
    let parsed = expr::parse(&text, r.dialect, r.out);
    Some(ExprDecl { name: r.attribute(node, "name"), text, parsed, span: r.span(node) })
}

fn enumeration(r: &mut Reader<'_, '_>, node: Node<'_, '_>) -> Option<EnumDecl> {
    let mut values: Vec<ValueDecl> = Vec::new();
    for value in children(node, "value") {
        let (Some(val), Some(display)) = (r.required(value, "val"), r.required(value, "display")) else { continue };
        let number = expr::constant(&val, r.out);
        let name = r.attribute(value, "name");
        values.push(ValueDecl { val, number, display, name, span: r.span(value) });
    }
    Some(EnumDecl { name: r.required(node, "name")?, values, span: r.span(node) })
}
