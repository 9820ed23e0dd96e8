//! Fields, guards and expressions of a matched word, by the reference's algorithm, step by step.
//!
//! The problem: what a name means depends on guards, guards are expressions over names, and so on in a circle. The
//! reference resolves that by rules that matter (reference 1.5, 1.9): guards are tried in order although a case may not
//! even have the name; the guard that is being evaluated is taken as true; an expression already being evaluated gives
//! 0, except the outermost; a finished value is kept for the scope. This module is those rules, literally, over ids. It
//! defines what everything faster must agree with, and takes over wherever that does not apply.
//!
//! A *scope* is a matched encoding with its bits. Scopes are kept in a stack whose entries are reused, so that decoding
//! allocates only while the stacks grow.

use isaglot_bits::Word;
use isaglot_model::{
    Case, Encoding, EncodingId, Expr, ExprId, Field, FieldSource, Name, Node, Param, Piece, SpaceId, TemplateId,
};

use crate::errors::Errors;
use crate::limits::{MAX_EVALUATIONS, MAX_EXPR_DEPTH, MAX_OPENED, MAX_SCOPES};
use crate::plan::Plan;
use crate::tree::Match;

/// A field, and the value it has.
#[derive(Clone, Debug)]
pub struct Found<'a> {
    /// The definition that applies.
    pub field: &'a Field,
    /// The scope that it was found in: an outer one for a parameter.
    pub scope: usize,
    /// Its value: of the field's width, or of 64 bits for a derived field, cut to [`isaglot_model::Isa::value_bits`].
    pub value: Word,
}

impl Found<'_> {
    /// The low 64 bits of the value.
    #[must_use]
    pub fn low(&self) -> u64 {
        self.value.low_u64()
    }
}

#[derive(Debug)]
struct Scope<'a> {
    id: EncodingId,
    encoding: &'a Encoding,
    value: Word,
    parent: Option<usize>,
    params: &'a [Param],
    /// Finished expressions.
    memo: Vec<(ExprId, u64)>,
}

/// The scopes of one instruction, the innermost last.
#[derive(Debug)]
pub struct Scopes<'p, 'a> {
    plan: &'p Plan<'a>,
    scopes: Vec<Scope<'a>>,
    open: usize,
    /// Scopes opened since the instruction was entered.
    opened: usize,
    /// Expressions that are being evaluated, the outermost first.
    stack: Vec<ExprId>,
    /// Values of nodes of the expressions on `stack`.
    nodes: Vec<u64>,
    evaluations: usize,
    /// What is wrong with the current line.
    pub errors: Errors,
}

impl<'p, 'a> Scopes<'p, 'a> {
    /// No scopes. With `show_errors` off, errors are not recorded.
    #[must_use]
    pub fn new(plan: &'p Plan<'a>, show_errors: bool) -> Self {
        let errors = Errors::new(plan.isa().format().max_bits, show_errors);
        Self {
            plan,
            scopes: Vec::new(),
            open: 0,
            opened: 0,
            stack: Vec::new(),
            nodes: Vec::new(),
            evaluations: 0,
            errors,
        }
    }

    /// The plan that is decoded with.
    #[must_use]
    pub fn plan(&self) -> &'p Plan<'a> {
        self.plan
    }

    /// Opens the scope of an instruction word. `None`, with an error recorded, if it is no instruction.
    ///
    /// All scopes of an earlier instruction are closed.
    pub fn enter(&mut self, word: &Word) -> Option<usize> {
        let id = self.select(self.plan.isa().root(), word)?;
        self.enter_encoding(id, word)
    }

    /// Opens the scope of a word that is taken as this encoding, whether it matches or not.
    ///
    /// All scopes of an earlier instruction are closed.
    pub fn enter_encoding(&mut self, id: EncodingId, word: &Word) -> Option<usize> {
        self.open = 0;
        self.opened = 0;
        self.evaluations = 0;
        self.push(id, word.clone(), None, &[])
    }

    /// Decides `value` in a space; records conflicts and don't-care bits that are set.
    pub fn select(&mut self, space: SpaceId, value: &Word) -> Option<EncodingId> {
        let isa = self.plan.isa();
        match self.plan.tree(space).select(value.limbs(), value.width()) {
            Match::None => None,
            Match::Conflict(first, second) => {
                self.errors.conflict(&isa[first].display_name, &isa[second].display_name);
                None
            }
            Match::One(id) => {
                let encoding = &isa[id];
                let set = encoding.dont_care.and(value);
                if !set.is_zero() {
                    self.errors.dont_care(&encoding.display_name, &set);
                }
                Some(id)
            }
        }
    }

    /// Opens a scope for the value of a sub-encoded field `found` that is shown in scope `inside`. `None`, with an error
    /// recorded, if the value is none of the space. Close it with [`Scopes::leave`].
    pub fn enter_field(&mut self, inside: usize, found: &Found<'a>, space: SpaceId) -> Option<usize> {
        let Some(id) = self.select(space, &found.value) else {
            let field = self.plan.isa().text(found.field.name);
            if let Some(scope) = self.scopes.get(inside) {
                self.errors.no_match(&scope.encoding.display_name, field, &found.value);
            }
            return None;
        };
        self.push(id, found.value.clone(), Some(inside), &found.field.params)
    }

    /// Opens the scope of a field as this leaf, whether or not it decodes as that. `None` beyond the limits.
    pub fn enter_leaf(&mut self, inside: usize, found: &Found<'a>, leaf: EncodingId) -> Option<usize> {
        self.push(leaf, found.value.clone(), Some(inside), &found.field.params)
    }

    fn push(&mut self, id: EncodingId, value: Word, parent: Option<usize>, params: &'a [Param]) -> Option<usize> {
        if self.open == MAX_SCOPES || self.opened == MAX_OPENED {
            self.errors.push(format_args!("fields nested too deeply"));
            return None;
        }
        self.opened += 1;
        let encoding = &self.plan.isa()[id];
        match self.scopes.get_mut(self.open) {
            Some(scope) => {
                scope.memo.clear();
                (scope.id, scope.encoding, scope.value, scope.parent, scope.params) =
                    (id, encoding, value, parent, params);
            }
            None => self.scopes.push(Scope { id, encoding, value, parent, params, memo: Vec::new() }),
        }
        self.open += 1;
        Some(self.open - 1)
    }

    /// Closes the innermost scope.
    pub fn leave(&mut self) {
        self.open = self.open.saturating_sub(1);
    }

    /// The encoding of a scope.
    ///
    /// # Panics
    /// If the scope is not open; so do the functions below.
    #[must_use]
    pub fn encoding(&self, scope: usize) -> &'a Encoding {
        self.scopes[scope].encoding
    }

    /// The id of the encoding of a scope.
    #[must_use]
    pub fn encoding_id(&self, scope: usize) -> EncodingId {
        self.scopes[scope].id
    }

    /// The bits of a scope.
    #[must_use]
    pub fn value(&self, scope: usize) -> &Word {
        &self.scopes[scope].value
    }

    /// The scope in which this one is shown.
    #[must_use]
    pub fn parent(&self, scope: usize) -> Option<usize> {
        self.scopes[scope].parent
    }

    /// What a name means in a scope, and its value; `None` if nothing defines it (not recorded as an error here).
    pub fn resolve(&mut self, scope: usize, name: Name) -> Option<Found<'a>> {
        let (mut scope, mut name) = (scope, name);
        // A parameter's meaning is looked up further out, so this ends.
        let field = loop {
            if let Some(field) = self.find(scope, name) {
                break field;
            }
            let at = self.scopes.get(scope)?;
            let param = at.params.iter().find(|param| param.as_name == name)?;
            (scope, name) = (at.parent?, param.name);
        };
        let value = match &field.source {
            FieldSource::Derived(expr) => {
                let value = self.evaluate(scope, *expr);
                Word::from_u64(value, self.plan.isa().value_bits()).resized(64)
            }
            FieldSource::Bits(pieces) => self.extract(scope, pieces, field.width),
        };
        Some(Found { field, scope, value })
    }

    /// The first applicable case's definition of a name.
    fn find(&mut self, scope: usize, name: Name) -> Option<&'a Field> {
        let encoding = self.scopes.get(scope)?.encoding;
        for case in &encoding.cases {
            if let Some(guard) = case.guard
                && self.stack.last() != Some(&guard)
                && self.evaluate(scope, guard) == 0
            {
                continue;
            }
            if let Some(field) = case.fields.iter().find(|field| field.name == name) {
                return Some(field);
            }
        }
        None
    }

    /// The bits of a field, implied ones included.
    fn extract(&self, scope: usize, pieces: &[Piece], width: u32) -> Word {
        let word = &self.scopes[scope].value;
        if let [Piece::Bits(range)] = pieces { word.slice(*range) } else { compose(word, pieces, width) }
    }

    /// The value of an expression in a scope.
    pub fn evaluate(&mut self, scope: usize, expr: ExprId) -> u64 {
        if let Some(&(_, value)) = self.scopes[scope].memo.iter().find(|(known, _)| *known == expr) {
            return value;
        }
        if self.stack.iter().skip(1).any(|&running| running == expr)
            || self.stack.len() >= MAX_EXPR_DEPTH
            || self.evaluations >= MAX_EVALUATIONS
        {
            return 0;
        }
        self.evaluations += 1;
        self.stack.push(expr);
        let value = self.compute(scope, &self.plan.isa()[expr]);
        self.stack.pop();
        // An inner evaluation may have left a value already; the outer one counts.
        let memo = &mut self.scopes[scope].memo;
        match memo.iter_mut().find(|(known, _)| *known == expr) {
            Some(known) => known.1 = value,
            None => memo.push((expr, value)),
        }
        value
    }

    /// Fetches every field that the expression mentions, in order, then computes.
    fn compute(&mut self, scope: usize, expr: &'a Expr) -> u64 {
        let base = self.nodes.len();
        let isa = self.plan.isa();
        for &name in &expr.fields {
            let value = match self.resolve(scope, name) {
                Some(found) => found.low() & isaglot_bits::limbs::mask(isa.value_bits()),
                None => {
                    self.errors.no_field(isa.text(name));
                    0
                }
            };
            self.nodes.push(value);
        }
        let first = self.nodes.len();
        for node in &expr.nodes {
            let get = |id: isaglot_model::NodeId| self.nodes.get(first + id.0 as usize).copied().unwrap_or(0);
            let value = match *node {
                Node::Const(value, _) => value,
                Node::Field(name) => {
                    let place = expr.fields.iter().position(|&field| field == name).unwrap_or(0);
                    self.nodes.get(base + place).copied().unwrap_or(0)
                }
                Node::Gen => u64::from(self.plan.generation()),
                Node::Feature(feature) => u64::from(self.plan.feature(feature)),
                Node::Unary(op, ty, x) => op.apply(ty, get(x)),
                Node::Binary(op, ty, x, y) => op.apply(ty, get(x), get(y)),
                Node::Select(_, c, x, y) => get(if get(c) != 0 { x } else { y }),
                Node::Cast(ty, x) => ty.wrap(get(x)),
            };
            self.nodes.push(value);
        }
        let value = self.nodes.last().copied().unwrap_or(0);
        self.nodes.truncate(base);
        value
    }

    /// The text of a scope: the template of the first applicable case that has one. Asserts of the cases passed on the
    /// way are checked. `None`, with an error recorded, if there is none.
    pub fn template(&mut self, scope: usize) -> Option<TemplateId> {
        let encoding = self.encoding(scope);
        for case in &encoding.cases {
            if let Some(guard) = case.guard
                && self.evaluate(scope, guard) == 0
            {
                continue;
            }
            self.check_asserts(scope, case);
            let template = self.plan.template(case);
            if template.is_some() {
                return template;
            }
        }
        self.errors.no_display(&encoding.display_name);
        None
    }

    fn check_asserts(&mut self, scope: usize, case: &Case) {
        for assert in &case.asserts {
            let got = self.scopes[scope].value.slice(assert.range);
            if got != assert.value {
                let bits = (assert.range.lo, assert.range.high().unwrap_or(0));
                self.errors.unexpected(bits, &case.owner, &got, &assert.value);
            }
        }
    }
}

/// The value of a field made of several pieces, the most significant first.
fn compose(word: &Word, pieces: &[Piece], width: u32) -> Word {
    let mut value = Word::zero(width);
    let mut at = width;
    for piece in pieces {
        at = at.saturating_sub(piece.width());
        match *piece {
            Piece::Bits(range) => {
                value.insert_word(isaglot_bits::BitRange::new(at, range.width), &word.slice(range));
            }
            Piece::Implied { width, value: implied } => value.insert(at, width, implied),
        }
    }
    value
}
