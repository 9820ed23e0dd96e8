//! The fields of an encoding that is being made, and the expressions over them.

use std::rc::Rc;

use isaglot_bits::BitRange;
use isaglot_model::{
    BinaryOp, Builder, Expr, ExprId, Field, FieldSource, FieldType, IntType, Name, Node, NodeId, Piece,
};
use isaglot_source::Span;

use super::meaning::Number;
use crate::table::formula::Formula;
use crate::target::features::Features;
use crate::target::inst::{Fields, pieces};

/// The fields so far.
#[derive(Debug)]
pub(crate) struct Scope {
    /// Each with the name that was asked for.
    pub(crate) fields: Vec<(Name, Field)>,
    /// Where bits of `Inst` fields are, for formulas.
    pub(crate) places: Rc<Fields>,
    pub(crate) span: Span,
}

impl Scope {
    pub(crate) fn new(places: Rc<Fields>, span: Span) -> Scope {
        Scope { fields: Vec::new(), places, span }
    }

    /// A scope whose word is one number, called `v`.
    pub(crate) fn of_value(width: u32, span: Span) -> Scope {
        let places = (0..width).map(Some).collect();
        Scope::new(Rc::new(Fields::from([("v".to_owned(), places)])), span)
    }

    /// The name of a field like this; if there is one, that.
    pub(crate) fn field(
        &mut self,
        builder: &mut Builder,
        wanted: &str,
        source: FieldSource,
        width: u32,
        ty: FieldType,
    ) -> Name {
        let name = builder.name(wanted);
        let same = |f: &Field| f.source == source && f.ty == ty && f.width == width;
        match self.known(name, same) {
            Some(known) => known,
            None => self.push(builder, (name, wanted), source, width, ty),
        }
    }

    /// The same for bits of the word.
    pub(crate) fn field_of_bits(
        &mut self,
        builder: &mut Builder,
        wanted: &str,
        pieces: &[Piece],
        width: u32,
        ty: FieldType,
    ) -> Name {
        let name = builder.name(wanted);
        let is = |source: &FieldSource| matches!(source, FieldSource::Bits(own) if own == pieces);
        let same = |f: &Field| f.ty == ty && f.width == width && is(&f.source);
        match self.known(name, same) {
            Some(known) => known,
            None => self.push(builder, (name, wanted), FieldSource::Bits(pieces.to_vec()), width, ty),
        }
    }

    /// The name of the field that was asked for by this one and is so.
    fn known(&self, wanted: Name, is: impl Fn(&Field) -> bool) -> Option<Name> {
        self.fields.iter().find(|(name, field)| *name == wanted && is(field)).map(|(_, field)| field.name)
    }

    /// Adds a field under a name of its own.
    fn push(
        &mut self,
        builder: &mut Builder,
        (wanted, text): (Name, &str),
        source: FieldSource,
        width: u32,
        ty: FieldType,
    ) -> Name {
        let others = self.fields.iter().filter(|(name, _)| *name == wanted).count();
        let name = if others == 0 { wanted } else { builder.name(&format!("{text}'{}", others + 1)) };
        let field = Field { name, source, width, ty, params: Vec::new(), doc: String::new(), span: self.span };
        self.fields.push((wanted, field));
        name
    }

    /// A field that is always the same; `wanted` says which.
    pub(crate) fn constant(&mut self, builder: &mut Builder, wanted: &str, source: FieldSource, ty: FieldType) -> Name {
        let wanted = format!("{wanted} always");
        let name = builder.name(&wanted);
        match self.known(name, |f| f.ty == ty) {
            Some(known) => known,
            None => self.field(builder, &wanted, source, 64, ty),
        }
    }

    /// The field with the bits of a number, of any type.
    pub(crate) fn bits_of(&mut self, builder: &mut Builder, number: &Number) -> Name {
        let pieces = &number.pieces;
        let is = |f: &Field| matches!(&f.source, FieldSource::Bits(p) if p == pieces);
        if let Some((_, field)) = self.fields.iter().find(|(_, f)| is(f)) {
            return field.name;
        }
        self.field_of_bits(builder, &number.field, pieces, number.width(), FieldType::Uint)
    }

    /// The field with the bits of a field of `Inst`.
    pub(crate) fn raw(&mut self, builder: &mut Builder, name: &str) -> Option<Name> {
        let pieces = pieces(self.places.get(name)?);
        let is = |f: &Field| matches!(&f.source, FieldSource::Bits(p) if *p == pieces);
        if let Some((_, field)) = self.fields.iter().find(|(_, f)| is(f)) {
            return Some(field.name);
        }
        let width = pieces.iter().map(|p| p.width()).sum();
        Some(self.field(builder, name, FieldSource::Bits(pieces), width, FieldType::Uint))
    }

    /// The expression of a formula; on failure the unknown name.
    pub(crate) fn formula(
        &mut self,
        builder: &mut Builder,
        features: &Features,
        formula: &Formula,
    ) -> Result<ExprId, String> {
        let mut nodes = Vec::new();
        let mut unknown = None;
        formula.lower(&mut nodes, &mut |leaf| self.leaf(builder, features, leaf, &mut unknown));
        match unknown {
            Some(name) => Err(name),
            None => Ok(self.expr(builder, nodes)),
        }
    }

    /// The node of a name in a formula; one that is not there goes to `unknown`.
    pub(crate) fn leaf(
        &mut self,
        builder: &mut Builder,
        features: &Features,
        leaf: &Formula,
        unknown: &mut Option<String>,
    ) -> Node {
        let (node, name) = match leaf {
            Formula::Feature(name) => (features.named(name).map(Node::Feature), name),
            Formula::Field(name) => (self.raw(builder, name).map(Node::Field), name),
            _ => return Node::Const(0, IntType::I64),
        };
        node.unwrap_or_else(|| {
            *unknown = Some(name.clone());
            Node::Const(0, IntType::I64)
        })
    }

    /// An expression of these nodes.
    pub(crate) fn expr(&self, builder: &mut Builder, nodes: Vec<Node>) -> ExprId {
        let mut fields: Vec<Name> = Vec::new();
        for node in &nodes {
            if let Node::Field(name) = node
                && !fields.contains(name)
            {
                fields.push(*name);
            }
        }
        builder.shared_expr(Expr { name: String::new(), nodes, fields, text: String::new(), span: self.span })
    }
}

/// The whole of a word of `width` bits.
pub(crate) fn whole(width: u32) -> Vec<Piece> {
    vec![Piece::Bits(BitRange { lo: 0, width })]
}

/// Appends a node.
pub(crate) fn push(nodes: &mut Vec<Node>, node: Node) -> NodeId {
    nodes.push(node);
    NodeId(nodes.len() as u32 - 1)
}

/// Conditions that must all hold.
#[derive(Clone, Debug, Default)]
pub(crate) struct Guard {
    nodes: Vec<Node>,
    parts: Vec<NodeId>,
}

impl Guard {
    /// Adds a condition; `make` appends its nodes and gives the last.
    pub(crate) fn add(&mut self, make: impl FnOnce(&mut Vec<Node>) -> NodeId) {
        let part = make(&mut self.nodes);
        self.parts.push(part);
    }

    /// That a field is a number.
    pub(crate) fn equals(&mut self, field: Name, value: u64) {
        self.add(|nodes| {
            let field = push(nodes, Node::Field(field));
            let value = push(nodes, Node::Const(value, IntType::I64));
            push(nodes, Node::Binary(BinaryOp::Eq, IntType::I64, field, value))
        });
    }

    /// The whole; `None` if there is no condition.
    pub(crate) fn finish(mut self, builder: &mut Builder, scope: &Scope) -> Option<ExprId> {
        let mut parts = self.parts.into_iter();
        let mut last = parts.next()?;
        for part in parts {
            last = push(&mut self.nodes, Node::Binary(BinaryOp::LogicalAnd, IntType::I64, last, part));
        }
        // The value of an expression is that of its last node.
        if last.0 as usize + 1 != self.nodes.len() {
            let zero = push(&mut self.nodes, Node::Const(0, IntType::I64));
            push(&mut self.nodes, Node::Binary(BinaryOp::Ne, IntType::I64, last, zero));
        }
        Some(scope.expr(builder, self.nodes))
    }
}
