//! Expressions: the typed C tree and the model's nodes match one to one.

use isaglot_invariant::{Impossible as _, impossible};
use isaglot_model::{Builder, Expr, FeatureId, Name, Node, NodeId};

use crate::expr::{CExpr, COp};
use crate::gather::Table;
use crate::syntax::{ExprDecl, FeatureDecl};

/// The model's expression.
pub(crate) fn lower(
    builder: &mut Builder,
    features: &Table<&FeatureDecl>,
    name: &str,
    decl: &ExprDecl,
    parsed: &CExpr,
) -> Expr {
    let fields: Vec<Name> = parsed.fields.iter().map(|f| builder.name(f)).collect();
    let mut nodes = Vec::with_capacity(parsed.nodes.len());
    for node in &parsed.nodes {
        let t = node.ty;
        nodes.push(match node.op {
            COp::Const(v) => Node::Const(t.wrap(v), t),
            COp::Field(index) => match fields.get(index as usize) {
                Some(name) => Node::Field(*name),
                None => impossible(Node::Const(0, t)),
            },
            COp::Gen => Node::Gen,
            COp::Feature(index) => {
                let name = parsed.features.get(index as usize).map(|(name, _)| name.as_str()).or_impossible("");
                match features.position(name) {
                    Some(id) => Node::Feature(FeatureId(id as u32)),
                    None => Node::Const(0, t),
                }
            }
            COp::Cast(x) => Node::Cast(t, NodeId(x)),
            COp::Unary(op, of, x) => Node::Unary(op, of, NodeId(x)),
            COp::Binary(op, of, x, y) => Node::Binary(op, of, NodeId(x), NodeId(y)),
            COp::Select(c, x, y) => Node::Select(t, NodeId(c), NodeId(x), NodeId(y)),
        });
    }
    Expr { name: name.to_owned(), nodes, fields, text: decl.text.value.clone(), span: decl.span }
}
