//! The extensions `<table>` and `<expansion>`: short forms that become long ones, in part through tables.

use roxmltree::Node;

use super::bitset;
use super::extension::piece;
use super::reader::{Reader, children, required_int, words};
use crate::syntax::{ExpansionDecl, ExprDecl, File, PieceDecl, StepDecl, TableDecl};
use crate::{expr, limits};

/// Reads both elements under the root element.
pub(super) fn top(r: &mut Reader<'_, '_>, root: Node<'_, '_>, file: &mut File) {
    for node in children(root, "table") {
        file.tables.extend(table(r, node));
    }
    for node in children(root, "expansion") {
        file.expansions.extend(expansion(r, node));
    }
}

fn table(r: &mut Reader<'_, '_>, node: Node<'_, '_>) -> Option<TableDecl> {
    let (name, width) = (r.required(node, "name"), required_int(r, node, "width"));
    // The rows are the last text: a <doc> may stand before them.
    let text = node.children().filter(Node::is_text).filter_map(|n| n.text()).collect::<Vec<_>>().join(" ");
    let width = width?;
    if !(1..=limits::MAX_ROW_BITS).contains(&width.value) {
        r.error(
            "isaspec-table",
            "no such width of a row",
            width.span,
            format!("expected 1 to {}", limits::MAX_ROW_BITS),
        );
        return None;
    }
    let mut rows = Vec::new();
    for word in text.split_whitespace() {
        let row = u128::from_str_radix(word, 16).ok().filter(|row| width.value == 128 || row >> width.value == 0);
        match row {
            Some(row) => rows.push(row),
            None => {
                let message = format!("`{word}` is not a row of {} bits", width.value);
                r.error("isaspec-table", message, r.span(node), "expected hexadecimal digits that fit");
                return None;
            }
        }
    }
    Some(TableDecl { name: name?, width, rows, span: r.span(node) })
}

fn expansion(r: &mut Reader<'_, '_>, node: Node<'_, '_>) -> Option<ExpansionDecl> {
    let (name, size) = (r.required(node, "name"), required_int(r, node, "size"));
    let patterns = children(node, "pattern").filter_map(|child| bitset::digits(r, child)).collect();
    let gens = children(node, "gen").map(|child| bitset::gen_limits(r, child)).collect();
    let mut steps = Vec::new();
    for child in children(node, "step") {
        let (from, to) = (pieces(r, child, "from"), pieces(r, child, "to"));
        let when = r.attribute(child, "when").map(|text| {
            let parsed = expr::parse(&text, r.dialect, r.out);
            ExprDecl { name: None, text, parsed, span: r.span(child) }
        });
        let table = r.attribute(child, "table");
        let (extend, copies) = (r.int(child, "extend"), r.int(child, "copies"));
        if let (Some(from), Some(to)) = (from, to) {
            steps.push(StepDecl { from, to, table, when, extend, copies, span: r.span(child) });
        }
    }
    Some(ExpansionDecl { name: name?, size: size?, patterns, gens, steps, span: r.span(node) })
}

/// Bits and ranges; implied bits have no meaning here.
fn pieces(r: &mut Reader<'_, '_>, node: Node<'_, '_>, name: &str) -> Option<Vec<PieceDecl>> {
    let text = r.required(node, name)?;
    let mut list = Vec::new();
    for word in words(&text) {
        match piece(&word.value) {
            Some(bits @ PieceDecl::Bits { .. }) => list.push(bits),
            _ => {
                let message = format!("`{}` names no bits", word.value);
                r.error("isaspec-bits", message, word.span(), "expected a bit (`7`) or a range (`30:25`)");
                return None;
            }
        }
    }
    Some(list)
}
