//! The exact half: the description, flattened.
//!
//! Equal things are kept once: a case that a hundred encodings inherit is one entry.

use std::collections::HashMap;
use std::hash::Hash;

use isaglot_bits::Word;
use isaglot_codec::Plan;
use isaglot_codec::tree::LIST;
use isaglot_invariant::Impossible as _;
use isaglot_model::{
    BinaryOp, EncodingId, ExprId, FieldSource, FieldType, IntType, Name, Node as ModelNode, SpaceId, TemplateId,
    TemplatePart, UnaryOp,
};

use super::{Blueprint, Unsupported};
use crate::limits::MAX_NODES;
use crate::runtime::tables::{
    Binary, Calc, Case, Encoding, Expr, Field, Int, NONE, Node, ONE, Part, Piece, Range, Space, Type, Unary,
};

/// What is known so far: of one description with the same features, for whatever gens.
#[derive(Default)]
pub(super) struct Known<'a> {
    names: HashMap<Name, u32>,
    exprs: HashMap<ExprId, u32>,
    templates: HashMap<TemplateId, u32>,
    pub(super) types: Types<'a>,
    cases: HashMap<(u32, Range, Range, u32, &'a str), u32>,
    case_lists: HashMap<Vec<u32>, Range>,
    fields: HashMap<Vec<Field>, Range>,
    pieces: HashMap<Vec<Piece>, Range>,
    params: HashMap<Vec<(u32, u32)>, Range>,
    asserts: HashMap<Vec<(u32, u32, u32)>, Range>,
    limbs: HashMap<Vec<u64>, u32>,
    excepts: HashMap<Vec<u32>, Range>,
    /// Sets of encodings: the first of each.
    sets: HashMap<Vec<LeafKey<'a>>, u32>,
    trees: HashMap<TreeKey, Space>,
}

/// All that is known of an encoding but its quick program.
type LeafKey<'a> = (EncodingId, &'a str, (u32, bool, bool), (Range, Range));

/// A decision tree by itself, and the first encoding of its space: nodes, entries, lists, what is listed, root, order.
type TreeKey = (Vec<(u32, u32, u32, u32)>, Vec<u32>, Vec<Range>, Vec<u32>, (u32, u32, bool, bool));

impl Known<'_> {
    /// Forgets sets and trees that were taken back: encodings and nodes from these numbers on.
    pub(super) fn forget(&mut self, [_, leaves, nodes, _, lists, ..]: [usize; 7]) {
        self.sets.retain(|_, first| (*first as usize) < leaves);
        self.trees.retain(|_, space| {
            let root = space.root;
            let old = match root & (LIST | ONE) {
                ONE => true,
                LIST => ((root & !LIST) as usize) < lists,
                _ => (root as usize) < nodes,
            };
            old && (space.first as usize) < leaves
        });
    }
}

struct Exact<'b, 'p, 'a> {
    blueprint: &'b mut Blueprint<'a>,
    plan: &'p Plan<'a>,
    leaf_of: HashMap<EncodingId, u32>,
    known: &'b mut Known<'a>,
}

/// Types that were met, and their texts.
#[derive(Default)]
pub(super) struct Types<'a> {
    enums: HashMap<Vec<(u64, &'a str)>, u32>,
}

impl<'a> Types<'a> {
    /// The type of a field.
    pub(super) fn of(&mut self, blueprint: &mut Blueprint<'a>, plan: &Plan<'a>, ty: &'a FieldType) -> Type {
        let isa = plan.isa();
        let mut add = |values: Vec<(u64, &'a str)>| -> u32 {
            if let Some(&known) = self.enums.get(&values) {
                return known;
            }
            let number = blueprint.enums.len() as u32;
            blueprint.enums.push(append(&mut blueprint.values, &values));
            self.enums.insert(values, number);
            number
        };
        match ty {
            FieldType::Int => Type::Int,
            FieldType::Uint => Type::Uint,
            FieldType::Hex => Type::Hex,
            FieldType::Offset => Type::Offset,
            FieldType::Uoffset => Type::Uoffset,
            FieldType::Float => Type::Float,
            FieldType::Bool(None) => Type::Bool,
            FieldType::BoolInv(None) => Type::BoolInv,
            FieldType::Bool(Some(text)) => Type::Flag(add(vec![(1, text)])),
            FieldType::BoolInv(Some(text)) => Type::FlagInv(add(vec![(0, text)])),
            FieldType::Branch { absolute, call, unit } => Type::Branch(*absolute, *call, *unit),
            FieldType::Custom => Type::Custom,
            FieldType::Enum(id) => {
                Type::Enum(add(isa[*id].values.iter().map(|entry| (entry.value, &*entry.display)).collect()))
            }
            FieldType::Register(id) => {
                let names = (0u64..).zip(&isa[*id].names);
                Type::Register(add(names.filter_map(|(n, name)| Some((n, name.as_deref()?))).collect()))
            }
            FieldType::Sub(space) => Type::Sub(space.0),
        }
    }
}

/// Appends entries to a table; where they are.
pub(super) fn append<T: Clone>(table: &mut Vec<T>, entries: &[T]) -> Range {
    let from = table.len() as u32;
    table.extend_from_slice(entries);
    (from, table.len() as u32)
}

/// Appends entries unless they are there.
fn once<T: Clone + Hash + Eq>(table: &mut Vec<T>, known: &mut HashMap<Vec<T>, Range>, entries: Vec<T>) -> Range {
    if entries.is_empty() {
        return (0, 0);
    }
    *known.entry(entries).or_insert_with_key(|entries| append(table, entries))
}

/// Appends the exact half of a plan to a blueprint; where its spaces begin.
pub(super) fn fill<'a>(
    blueprint: &mut Blueprint<'a>,
    plan: &Plan<'a>,
    known: &mut Known<'a>,
) -> Result<u32, Unsupported> {
    let isa = plan.isa();
    let spaces = blueprint.spaces.len() as u32;
    let mut exact = Exact { blueprint, plan, leaf_of: HashMap::new(), known };
    for (number, space) in (0u32..).zip(isa.spaces()) {
        let ids: Vec<EncodingId> = space.encodings.iter().copied().filter(|&id| plan.active(&isa[id])).collect();
        let first = exact.set(&ids, SpaceId(number) != isa.root())?;
        exact.leaf_of.extend(ids.into_iter().zip(first..));
        exact.tree(SpaceId(number), first);
    }
    exact.blueprint.root = isa.root().0;
    Ok(spaces)
}

impl<'a> Exact<'_, '_, 'a> {
    /// The encodings of a space, unless they are there already; the first of them. Those that have a quick program of their own
    /// are never shared.
    fn set(&mut self, ids: &[EncodingId], share: bool) -> Result<u32, Unsupported> {
        let first = self.blueprint.leaves.len() as u32;
        let mut leaves = Vec::with_capacity(ids.len());
        for (&id, number) in ids.iter().zip(first..) {
            leaves.push(self.leaf(id, number)?);
        }
        let key = |(&id, l): (&EncodingId, &Encoding<'a>)| {
            (id, l.display, (l.pattern, l.dont_care, l.knotted), (l.except, l.cases))
        };
        if share && !ids.is_empty() {
            let key: Vec<LeafKey<'a>> = ids.iter().zip(&leaves).map(key).collect();
            if let Some(&known) = self.known.sets.get(&key) {
                self.blueprint.preferred.retain(|row| row.0 < first);
                return Ok(known);
            }
            self.known.sets.insert(key, first);
        }
        self.blueprint.encodings.extend(ids);
        self.blueprint.leaves.extend(leaves);
        Ok(first)
    }

    /// The decision tree of a space, unless it is there already.
    fn tree(&mut self, space: SpaceId, first: u32) {
        let tree = self.plan.tree(space).tables();
        let b = &mut *self.blueprint;
        let leaf_of = &self.leaf_of;
        let number = |id: &EncodingId| leaf_of.get(id).copied().or_impossible(0);
        let nodes: Vec<(u32, u32, u32, u32)> =
            tree.nodes.iter().map(|&(limb, shift, mask, base)| (limb, shift, mask as u32, base)).collect();
        let listed: Vec<u32> = tree.listed.iter().map(|(id, _)| number(id)).collect();
        let refuses = self.plan.isa()[space].refuses;
        let key =
            (nodes, tree.entries.to_vec(), tree.lists.to_vec(), listed, (tree.root, first, tree.first_wins, refuses));
        if let Some(&known) = self.known.trees.get(&key) {
            b.spaces.push(known);
            return;
        }
        let (nodes, entries) = (b.tree.len() as u32, b.entries.len() as u32);
        let (lists, listed) = (b.lists.len() as u32, b.listed.len() as u32);
        let place = |entry: u32| {
            if entry & LIST == 0 {
                return entry + nodes;
            }
            let &(from, to) = tree.lists.get((entry & !LIST) as usize).or_impossible(&(0, 0));
            match tree.listed.get(from as usize..to as usize) {
                Some([(only, _)]) => ONE | number(only),
                _ => entry + lists,
            }
        };
        b.entries.extend(tree.entries.iter().map(|&entry| place(entry)));
        for &(limb, shift, mask, base) in &tree.nodes {
            b.tree.push(Node { limb: limb as u8, shift: shift as u8, mask: mask as u32, base: base + entries });
        }
        b.lists.extend(tree.lists.iter().map(|&(from, to)| (from + listed, to + listed)));
        b.listed.extend(&key.3);
        let space = Space { root: place(tree.root), first_wins: tree.first_wins, refuses, first };
        b.spaces.push(space);
        self.known.trees.insert(key, space);
    }

    /// What an encoding is that gets this number; its quick program is not known yet.
    fn leaf(&mut self, id: EncodingId, number: u32) -> Result<Encoding<'a>, Unsupported> {
        let isa = self.plan.isa();
        let encoding = &isa[id];
        let mut cases = Vec::new();
        let mut exprs: Vec<u32> = Vec::new();
        for case in &encoding.cases {
            let guard = match case.guard {
                Some(guard) => self.expr(guard)?,
                None => NONE,
            };
            exprs.push(guard);
            let mut fields = Vec::new();
            for field in &case.fields {
                let field = self.field(field)?;
                exprs.push(field.derived);
                fields.push(field);
            }
            let fields = once(&mut self.blueprint.fields, &mut self.known.fields, fields);
            let mut asserts = Vec::new();
            for assert in &case.asserts {
                let limbs = self.limbs(&[&assert.value]);
                asserts.push((assert.range.lo, assert.range.width, limbs));
            }
            let asserts = once(&mut self.blueprint.asserts, &mut self.known.asserts, asserts);
            let template = self.plan.template(case).map_or(NONE, |template| self.template(template));
            let key = (guard, fields, asserts, template, &*case.owner);
            let known = self.known.cases.get(&key).copied();
            cases.push(known.unwrap_or_else(|| {
                let number = self.blueprint.cases.len() as u32;
                self.blueprint.cases.push(Case { guard, fields, asserts, template, owner: &case.owner });
                self.known.cases.insert(key, number);
                number
            }));
        }
        exprs.retain(|&expr| expr != NONE);
        exprs.sort_unstable();
        exprs.dedup();
        self.preferred(encoding, number);
        let cases = once(&mut self.blueprint.case_lists, &mut self.known.case_lists, cases);
        let (care, value) = (encoding.pattern.care(), encoding.pattern.value());
        let pattern = self.limbs(&[care, value, &encoding.dont_care]);
        let excepts: Vec<u32> =
            encoding.except.iter().map(|pattern| self.limbs(&[pattern.care(), pattern.value()])).collect();
        let except = once(&mut self.blueprint.excepts, &mut self.known.excepts, excepts);
        self.blueprint.memo = self.blueprint.memo.max(exprs.len());
        Ok(Encoding {
            name: isa.text(encoding.name),
            display: &encoding.display_name,
            width: encoding.width,
            pattern,
            dont_care: !encoding.dont_care.is_zero(),
            knotted: isaglot_codec::operands::is_knotted(isa, encoding),
            except,
            cases,
            program: 0,
            needs: (0, 0),
            branches: false,
        })
    }

    /// Fields that the description always packs with a constant, whatever the text.
    fn preferred(&mut self, encoding: &isaglot_model::Encoding, leaf: u32) {
        let mut seen = Vec::new();
        for map in &encoding.maps {
            if seen.contains(&map.name) {
                continue;
            }
            seen.push(map.name);
            let Ok(value) = map.text.trim().parse::<u64>() else { continue };
            let defining = |case: &&isaglot_model::Case| case.fields.iter().any(|field| field.name == map.name);
            let Some(case) = encoding.cases.iter().find(defining).filter(|case| map.force && case.guard.is_none())
            else {
                continue;
            };
            let Some(field) = case.fields.iter().find(|field| field.name == map.name) else { continue };
            let FieldSource::Bits(pieces) = &field.source else { continue };
            let mut to = 0;
            for piece in pieces.iter().rev().filter(|_| field.width <= 64) {
                if let isaglot_model::Piece::Bits(range) = piece {
                    for i in 0..range.width {
                        let (bit, one) = (range.lo + i, value >> (to + i) & 1);
                        let entry = (leaf, bit / 64, 1 << (bit % 64), one << (bit % 64));
                        match self.blueprint.preferred.last_mut() {
                            Some(last) if (last.0, last.1) == (entry.0, entry.1) && i > 0 => {
                                (last.2, last.3) = (last.2 | entry.2, last.3 | entry.3);
                            }
                            _ => self.blueprint.preferred.push(entry),
                        }
                    }
                }
                to += piece.width();
            }
        }
    }

    fn limbs(&mut self, words: &[&Word]) -> u32 {
        let n = self.blueprint.limb_count;
        let mut limbs = Vec::with_capacity(n * words.len());
        for word in words {
            limbs.extend((0..n).map(|i| word.limbs().get(i).copied().unwrap_or(0)));
        }
        *self.known.limbs.entry(limbs).or_insert_with_key(|limbs| append(&mut self.blueprint.limbs, limbs).0)
    }

    fn name(&mut self, name: Name) -> u32 {
        *self.known.names.entry(name).or_insert_with(|| {
            self.blueprint.names.push(self.plan.isa().text(name));
            self.blueprint.names.len() as u32 - 1
        })
    }

    fn field(&mut self, field: &'a isaglot_model::Field) -> Result<Field, Unsupported> {
        let (mut derived, mut pieces) = (NONE, Vec::new());
        match &field.source {
            FieldSource::Derived(expr) => derived = self.expr(*expr)?,
            FieldSource::Bits(bits) => {
                pieces = bits
                    .iter()
                    .map(|piece| match *piece {
                        isaglot_model::Piece::Bits(range) => Piece { lo: range.lo, width: range.width, implied: 0 },
                        isaglot_model::Piece::Implied { width, value } => Piece { lo: NONE, width, implied: value },
                    })
                    .collect();
            }
        }
        let params = field.params.iter().map(|param| (self.name(param.name), self.name(param.as_name))).collect();
        Ok(Field {
            name: self.name(field.name),
            ty: self.known.types.of(self.blueprint, self.plan, &field.ty),
            width: field.width,
            derived,
            pieces: once(&mut self.blueprint.pieces, &mut self.known.pieces, pieces),
            params: once(&mut self.blueprint.params, &mut self.known.params, params),
        })
    }

    fn expr(&mut self, id: ExprId) -> Result<u32, Unsupported> {
        if let Some(&known) = self.known.exprs.get(&id) {
            return Ok(known);
        }
        let expr = &self.plan.isa()[id];
        let size = expr.fields.len() + expr.nodes.len();
        if size > MAX_NODES {
            return Err(Unsupported(format!("expression `{}` has more than {MAX_NODES} parts", expr.name)));
        }
        self.blueprint.nodes = self.blueprint.nodes.max(size);
        let fields: Vec<u32> = expr.fields.iter().map(|&name| self.name(name)).collect();
        let nodes = expr.nodes.iter().map(|node| match *node {
            ModelNode::Const(value, _) => Calc::Const(value),
            ModelNode::Field(name) => {
                Calc::Field(expr.fields.iter().position(|&field| field == name).or_impossible(0) as u32)
            }
            ModelNode::Gen => Calc::Gen,
            ModelNode::Feature(feature) => Calc::Const(u64::from(self.plan.feature(feature))),
            ModelNode::Unary(op, ty, x) => Calc::Unary(unary(op), int(ty), x.0),
            ModelNode::Binary(op, ty, x, y) => Calc::Binary(binary(op), int(ty), x.0, y.0),
            ModelNode::Select(_, c, x, y) => Calc::Select(c.0, x.0, y.0),
            ModelNode::Cast(ty, x) => Calc::Cast(int(ty), x.0),
        });
        let nodes: Vec<Calc> = nodes.collect();
        let number = self.blueprint.exprs.len() as u32;
        let fields = append(&mut self.blueprint.expr_fields, &fields);
        let nodes = append(&mut self.blueprint.expr_nodes, &nodes);
        self.blueprint.exprs.push(Expr { fields, nodes });
        self.known.exprs.insert(id, number);
        Ok(number)
    }

    fn template(&mut self, id: TemplateId) -> u32 {
        if let Some(&known) = self.known.templates.get(&id) {
            return known;
        }
        let template = &self.plan.isa()[id];
        let mut parts = Vec::with_capacity(template.parts.len());
        for part in &template.parts {
            parts.push(match part {
                TemplatePart::Literal(text) => Part::Literal(text),
                TemplatePart::Align(column) => Part::Align(*column),
                TemplatePart::Mnemonic { align, reference } => Part::Mnemonic(*align, reference),
                TemplatePart::Field { name, align, reference } => Part::Field(self.name(*name), *align, reference),
            });
        }
        let number = self.blueprint.templates.len() as u32;
        let range = append(&mut self.blueprint.parts, &parts);
        self.blueprint.templates.push(range);
        self.known.templates.insert(id, number);
        number
    }
}

/// A type, as generated code has it.
pub(super) fn int(ty: IntType) -> Int {
    (ty.bits.clamp(1, 64) as u8, ty.signed)
}

/// An operator, as generated code has it.
pub(super) fn unary(op: UnaryOp) -> Unary {
    match op {
        UnaryOp::Negate => Unary::Negate,
        UnaryOp::Not => Unary::Not,
        UnaryOp::LogicalNot => Unary::LogicalNot,
    }
}

/// An operator, as generated code has it.
pub(super) fn binary(op: BinaryOp) -> Binary {
    match op {
        BinaryOp::Add => Binary::Add,
        BinaryOp::Sub => Binary::Sub,
        BinaryOp::Mul => Binary::Mul,
        BinaryOp::Div => Binary::Div,
        BinaryOp::Rem => Binary::Rem,
        BinaryOp::And => Binary::And,
        BinaryOp::Or => Binary::Or,
        BinaryOp::Xor => Binary::Xor,
        BinaryOp::Shl => Binary::Shl,
        BinaryOp::Shr => Binary::Shr,
        BinaryOp::Eq => Binary::Eq,
        BinaryOp::Ne => Binary::Ne,
        BinaryOp::Lt => Binary::Lt,
        BinaryOp::Le => Binary::Le,
        BinaryOp::Gt => Binary::Gt,
        BinaryOp::Ge => Binary::Ge,
        BinaryOp::LogicalAnd => Binary::LogicalAnd,
        BinaryOp::LogicalOr => Binary::LogicalOr,
    }
}
