//! What a name means, while the word is still unknown: every definition that may apply, with its conditions.
//!
//! This is the lookup of the decoder (cases in order, guards, parameters from further out, the guard under evaluation
//! taken as true, an expression that needs itself 0) with [`Terms`] in the place of values. What is known of the word
//! where a program has got to — bits of the pattern, guards of the chosen case — is taken into account, so that most
//! names end with one definition.

use isaglot_codec::Plan;
use isaglot_model::{BinaryOp, Encoding, ExprId, Field, FieldSource, IntType, Name, Node as ExprNode, Param, Piece};

use super::limits::{MAX_EVALUATIONS, MAX_EXPR_DEPTH};
use super::symbolic::{Bit, Bits, Term, Terms};

/// A condition: that a term is, or is not, 0.
pub(super) type Condition = (Term, bool);

/// A definition that applies under conditions.
#[derive(Debug)]
pub(super) struct Choice<'a> {
    /// All must hold.
    pub(super) when: Vec<Condition>,
    /// The definition and the scope that has it; `None` where nothing defines the name.
    pub(super) field: Option<(&'a Field, usize)>,
}

struct Scope<'a> {
    encoding: &'a Encoding,
    word: Bits,
    parent: Option<usize>,
    params: &'a [Param],
}

/// The scopes of one program, and what is known at the place where it is being compiled.
pub(super) struct Meanings<'p, 'a> {
    plan: &'p Plan<'a>,
    /// The values.
    pub(super) terms: Terms,
    scopes: Vec<Scope<'a>>,
    /// Bits of the word that are known.
    known: Vec<Option<bool>>,
    changed: Vec<u32>,
    facts: Vec<Condition>,
    stack: Vec<ExprId>,
    evaluations: usize,
}

/// A place to come back to: see [`Meanings::mark`].
#[derive(Clone, Copy)]
pub(super) struct Mark(usize, usize);

impl<'p, 'a> Meanings<'p, 'a> {
    /// For words of `width` bits of which nothing is known.
    pub(super) fn new(plan: &'p Plan<'a>, width: u32) -> Self {
        Meanings {
            plan,
            terms: Terms::default(),
            scopes: Vec::new(),
            known: vec![None; width as usize],
            changed: Vec::new(),
            facts: Vec::new(),
            stack: Vec::new(),
            evaluations: 0,
        }
    }

    /// What is known now, to forget later what was learnt after.
    pub(super) fn mark(&self) -> Mark {
        Mark(self.changed.len(), self.facts.len())
    }

    /// Forgets what was learnt since.
    pub(super) fn forget(&mut self, mark: Mark) {
        for bit in self.changed.drain(mark.0..) {
            if let Some(known) = self.known.get_mut(bit as usize) {
                *known = None;
            }
        }
        self.facts.truncate(mark.1);
    }

    /// Learns a bit; `false` if it is known to be otherwise.
    pub(super) fn learn_bit(&mut self, bit: u32, value: bool) -> bool {
        match self.known.get_mut(bit as usize) {
            Some(Some(known)) => *known == value,
            Some(open) => {
                *open = Some(value);
                self.changed.push(bit);
                true
            }
            None => false,
        }
    }

    /// Learns that a condition holds.
    pub(super) fn learn(&mut self, condition: Condition) {
        self.facts.push(condition);
    }

    /// Whether a term is other than 0, as far as that is known.
    pub(super) fn truth(&self, term: Term) -> Option<bool> {
        match self.terms.value(term) {
            Some(value) => Some(value != 0),
            None => self.facts.iter().find(|fact| fact.0 == term).map(|fact| fact.1),
        }
    }

    /// Opens a scope: `encoding` in the bits `word`. Returns its number.
    pub(super) fn open(
        &mut self,
        encoding: &'a Encoding,
        word: Bits,
        parent: Option<usize>,
        params: &'a [Param],
    ) -> usize {
        self.scopes.push(Scope { encoding, word, parent, params });
        self.scopes.len() - 1
    }

    /// What `name` may mean in a scope. The conditions exclude each other and leave nothing out.
    pub(super) fn find(&mut self, scope: usize, name: Name) -> Vec<Choice<'a>> {
        let (mut scope, mut name) = (scope, name);
        let mut found = Vec::new();
        let mut when: Vec<Condition> = Vec::new();
        while let Some(at) = self.scopes.get(scope) {
            let (encoding, params, parent) = (at.encoding, at.params, at.parent);
            for case in &encoding.cases {
                let Some(field) = case.fields.iter().find(|field| field.name == name) else { continue };
                let guard = case.guard.filter(|guard| self.stack.last() != Some(guard));
                let Some(guard) = guard else {
                    found.push(Choice { when, field: Some((field, scope)) });
                    return found;
                };
                let guard = self.evaluate(scope, guard);
                match self.truth(guard) {
                    Some(true) => {
                        found.push(Choice { when, field: Some((field, scope)) });
                        return found;
                    }
                    Some(false) => {}
                    None => {
                        let mut this = when.clone();
                        this.push((guard, true));
                        found.push(Choice { when: this, field: Some((field, scope)) });
                        when.push((guard, false));
                    }
                }
            }
            let Some(param) = params.iter().find(|param| param.as_name == name) else { break };
            let Some(outer) = parent else { break };
            (scope, name) = (outer, param.name);
        }
        found.push(Choice { when, field: None });
        found
    }

    /// The bits of a field that is not derived, in the terms of the outermost word.
    pub(super) fn field_bits(&self, scope: usize, field: &Field) -> Bits {
        let FieldSource::Bits(pieces) = &field.source else { return Vec::new() };
        let Some(at) = self.scopes.get(scope) else { return Vec::new() };
        let mut bits = Vec::with_capacity(field.width as usize);
        for piece in pieces.iter().rev() {
            match *piece {
                Piece::Bits(range) => {
                    let slice = at.word.get(range.lo as usize..range.end() as usize).unwrap_or(&[]);
                    bits.extend(slice.iter().map(|&bit| self.now(bit)));
                }
                Piece::Implied { width, value } => {
                    bits.extend((0..width).map(|i| Bit::Const(value.checked_shr(i).unwrap_or(0) & 1 != 0)));
                }
            }
        }
        bits
    }

    /// A bit, or its value where that is known.
    pub(super) fn now(&self, bit: Bit) -> Bit {
        let known = |n: u32| self.known.get(n as usize).copied().flatten();
        match bit {
            Bit::Of(n) => known(n).map_or(bit, Bit::Const),
            Bit::Not(n) => known(n).map_or(bit, |value| Bit::Const(!value)),
            Bit::Const(_) => bit,
        }
    }

    /// The value of a field as displays and expressions see it.
    pub(super) fn value(&mut self, scope: usize, field: &'a Field) -> Term {
        let cut = self.plan.isa().value_bits();
        match field.source {
            FieldSource::Derived(expr) => {
                let value = self.evaluate(scope, expr);
                self.terms.cast(IntType { bits: cut, signed: false }, value)
            }
            FieldSource::Bits(_) => {
                let mut bits = self.field_bits(scope, field);
                bits.truncate(cut.min(64) as usize);
                self.terms.linear(bits)
            }
        }
    }

    fn value_of_name(&mut self, scope: usize, name: Name) -> Term {
        let mut value = None;
        for choice in self.find(scope, name).into_iter().rev() {
            let this = match choice.field {
                Some((field, at)) => self.value(at, field),
                None => self.terms.constant(0),
            };
            value = Some(match (value, choice.when.last()) {
                (Some(otherwise), Some(&(guard, true))) => self.terms.select(guard, this, otherwise),
                _ => this,
            });
        }
        value.unwrap_or_else(|| self.terms.unknown())
    }

    /// The value of an expression in a scope.
    pub(super) fn evaluate(&mut self, scope: usize, expr: ExprId) -> Term {
        self.evaluations += 1;
        if self.stack.iter().skip(1).any(|&running| running == expr) {
            return self.terms.constant(0);
        }
        if self.stack.len() >= MAX_EXPR_DEPTH || self.evaluations > MAX_EVALUATIONS {
            return self.terms.unknown();
        }
        self.stack.push(expr);
        let value = self.compute(scope, expr);
        self.stack.pop();
        value
    }

    fn compute(&mut self, scope: usize, expr: ExprId) -> Term {
        let expr = &self.plan.isa()[expr];
        let mut values: Vec<Term> = Vec::with_capacity(expr.nodes.len());
        for node in &expr.nodes {
            let get = |id: isaglot_model::NodeId| values.get(id.0 as usize).copied().unwrap_or(Term(0));
            let value = match *node {
                ExprNode::Const(value, _) => self.terms.constant(value),
                ExprNode::Field(name) => self.value_of_name(scope, name),
                ExprNode::Gen => self.terms.constant(u64::from(self.plan.generation())),
                ExprNode::Feature(feature) => self.terms.constant(u64::from(self.plan.feature(feature))),
                ExprNode::Unary(op, ty, x) => self.terms.unary(op, ty, get(x)),
                ExprNode::Binary(op, ty, x, y) => {
                    let (x, y) = (get(x), get(y));
                    // A bitwise `and` of truth values is a logical one, which can be taken apart.
                    let truths = op == BinaryOp::And && self.terms.is_truth(x) && self.terms.is_truth(y);
                    self.terms.binary(if truths { BinaryOp::LogicalAnd } else { op }, ty, x, y)
                }
                ExprNode::Select(_, c, x, y) => self.terms.select(get(c), get(x), get(y)),
                ExprNode::Cast(ty, x) => self.terms.cast(ty, get(x)),
            };
            values.push(value);
        }
        values.last().copied().unwrap_or_else(|| self.terms.unknown())
    }
}
