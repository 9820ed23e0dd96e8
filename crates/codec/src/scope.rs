//! Fields, guards and expressions of a matched word: the exact engine.
//!
//! The problem: what a name means depends on guards, and guards are expressions over names. The method: the walk of
//! [`crate::resolve`] over plain numbers, with the memory of the reference: a finished value is kept for its scope. This
//! defines what everything faster must agree with, and takes over wherever that does not apply.
//!
//! A *scope* is a matched encoding with its bits. Scopes are kept in a stack whose entries are reused, so that decoding
//! allocates only while the stacks grow.

use std::convert::Infallible;

use isaglot_bits::Word;
use isaglot_invariant::{Impossible as _, impossible};
use isaglot_model::{
    Case, Encoding, EncodingId, ExprId, Field, FieldSource, FieldType, Isa, Name, Numbers, Param, Piece, SpaceId,
    TemplateId, TemplatePart,
};

use crate::errors::Errors;
use crate::limits::{MAX_EVALUATIONS, MAX_OPENED, MAX_SCOPES};
use crate::plan::Plan;
use crate::resolve::{self, Domain, Holds, Lookup, Search, Walk};
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
    walk: Walk<u64>,
    numbers: Numbers<'p>,
    /// What is wrong with the current line.
    pub errors: Errors,
}

impl<'p, 'a> Scopes<'p, 'a> {
    /// No scopes. With `show_errors` off, errors are not recorded.
    #[must_use]
    pub fn new(plan: &'p Plan<'a>, show_errors: bool) -> Self {
        let errors = Errors::new(plan.isa().format().max_bits, show_errors);
        Self { plan, scopes: Vec::new(), open: 0, opened: 0, walk: Walk::default(), numbers: plan.numbers(), errors }
    }

    /// The plan that is decoded with.
    #[must_use]
    pub fn plan(&self) -> &'p Plan<'a> {
        self.plan
    }

    /// Opens the scope of an instruction word. `None`, with an error recorded, if it is not a valid instruction.
    ///
    /// All scopes of an earlier instruction are closed.
    pub fn enter(&mut self, word: &Word) -> Option<usize> {
        let id = self.select(self.plan.isa().root(), word)?;
        let scope = self.enter_encoding(id, word)?;
        if self.plan.refuses() {
            if self.is_refused(scope) {
                self.open = 0;
                return None;
            }
            self.opened = 1;
        }
        Some(scope)
    }

    /// Whether a field of the text of an open scope, or of one within it, has a value that makes the word no instruction
    /// ([`isaglot_model::Space::refuses`]). No errors are recorded for it. Recursion is bounded by the scopes that can be open.
    fn is_refused(&mut self, scope: usize) -> bool {
        let isa = self.plan.isa();
        let mut cases = self.encoding(scope).cases.iter();
        let text = cases.find_map(|case| self.applies(scope, case).then(|| self.plan.template(case)).flatten());
        let Some(text) = text else { return false };
        isa[text].parts.iter().any(|part| {
            let TemplatePart::Field { name, .. } = part else { return false };
            let Some(found) = self.resolve(scope, *name) else { return false };
            let FieldType::Sub(space) = found.field.ty else { return false };
            if self.open == MAX_SCOPES || self.opened == MAX_OPENED {
                return false;
            }
            let Match::One(id) = self.plan.tree(space).select(found.value.limbs(), found.value.width()) else {
                return isa[space].refuses;
            };
            let inner = self.push(id, found.value, Some(scope), &found.field.params);
            let is_refused = inner.is_some_and(|inner| self.is_refused(inner));
            self.leave();
            is_refused
        })
    }

    /// Opens the scope of a word that is taken as this encoding, whether it matches or not.
    ///
    /// All scopes of an earlier instruction are closed.
    pub fn enter_encoding(&mut self, id: EncodingId, word: &Word) -> Option<usize> {
        self.open = 0;
        self.opened = 0;
        self.walk.restart();
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
        let Ok(found) = Search::new(scope, name).next(self);
        let resolve::Definition { field, scope, .. } = found?;
        let value = match &field.source {
            FieldSource::Derived(expr) => {
                let value = self.evaluate(scope, *expr);
                Word::from_u64(value, self.plan.isa().value_bits()).resized(64)
            }
            FieldSource::Bits(pieces) => self.extract(scope, pieces, field.width),
        };
        Some(Found { field, scope, value })
    }

    /// The bits of a field, implied ones included.
    fn extract(&self, scope: usize, pieces: &[Piece], width: u32) -> Word {
        let word = &self.scopes[scope].value;
        if let [Piece::Bits(range)] = pieces { word.slice(*range) } else { compose(word, pieces, width) }
    }

    /// The value of an expression in a scope.
    pub fn evaluate(&mut self, scope: usize, expr: ExprId) -> u64 {
        let Ok(value) = resolve::evaluate(self, scope, expr);
        value
    }

    /// Whether a case applies while no expression is being evaluated.
    pub fn applies(&mut self, scope: usize, case: &Case) -> bool {
        case.guard.is_none_or(|guard| self.evaluate(scope, guard) != 0)
    }

    /// The text of a scope: the template of the first applicable case that has one. Asserts of the cases passed on the
    /// way are checked. `None`, with an error recorded, if there is none.
    pub fn template(&mut self, scope: usize) -> Option<TemplateId> {
        let encoding = self.encoding(scope);
        for case in &encoding.cases {
            if !self.applies(scope, case) {
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
                let bits = (assert.range.lo, assert.range.high().or_impossible(0));
                self.errors.unexpected(bits, &case.owner, &got, &assert.value);
            }
        }
    }
}

impl<'a> Lookup<'a> for Scopes<'_, 'a> {
    type Scope = usize;
    type Condition = Infallible;
    type Rest = ();
    type Stop = Infallible;

    #[inline]
    fn encoding(&self, scope: usize) -> &'a Encoding {
        self.scopes[scope].encoding
    }

    #[inline]
    fn entered(&self, scope: usize) -> Option<(usize, &[Param])> {
        let scope = &self.scopes[scope];
        Some((scope.parent?, scope.params))
    }

    #[inline]
    fn running(&self) -> Option<ExprId> {
        self.walk.running()
    }

    #[inline]
    fn decide(&mut self, scope: usize, guard: ExprId, (): &mut ()) -> Result<Holds<Infallible>, Infallible> {
        Ok(if self.evaluate(scope, guard) != 0 { Holds::Always } else { Holds::Never })
    }

    #[inline]
    fn pass(&mut self, scope: usize, guard: ExprId, (): &mut ()) -> Result<(), Infallible> {
        self.evaluate(scope, guard);
        Ok(())
    }
}

impl<'p, 'a> Domain<'a> for Scopes<'p, 'a> {
    type Value = u64;
    type Algebra = Numbers<'p>;

    const EVALUATIONS: usize = MAX_EVALUATIONS;

    #[inline]
    fn isa(&self) -> &'a Isa {
        self.plan.isa()
    }

    #[inline]
    fn walk(&mut self) -> &mut Walk<u64> {
        &mut self.walk
    }

    #[inline]
    fn algebra(&mut self) -> &mut Numbers<'p> {
        &mut self.numbers
    }

    fn choose(&mut self, condition: Infallible, _: u64, _: u64) -> Result<u64, Infallible> {
        match condition {}
    }

    #[inline]
    fn bits(&mut self, scope: usize, field: &'a Field) -> Result<u64, Infallible> {
        let word = &self.scopes[scope].value;
        Ok(match field.source {
            FieldSource::Bits(ref pieces) => match pieces[..] {
                [Piece::Bits(range)] => word.extract(range.lo, range.width.min(64)),
                _ => compose(word, pieces, field.width).low_u64(),
            },
            FieldSource::Derived(_) => impossible(0),
        })
    }

    #[cold]
    fn missing(&mut self, name: Name, (): ()) -> Result<u64, Infallible> {
        self.errors.no_field(self.plan.isa().text(name));
        Ok(0)
    }

    #[inline]
    fn recall(&mut self, scope: usize, expr: ExprId) -> Result<Option<u64>, Infallible> {
        let memo = &self.scopes[scope].memo;
        Ok(memo.iter().find(|(known, _)| *known == expr).map(|&(_, value)| value))
    }

    #[inline]
    fn keep(&mut self, scope: usize, expr: ExprId, value: u64) {
        // An inner evaluation may have left a value already; the outer one counts.
        let memo = &mut self.scopes[scope].memo;
        match memo.iter_mut().find(|(known, _)| *known == expr) {
            Some(known) => known.1 = value,
            None => memo.push((expr, value)),
        }
    }

    #[cold]
    fn beyond(&mut self) -> Result<u64, Infallible> {
        Ok(0)
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
