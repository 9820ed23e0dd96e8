//! What a name means, symbolically: every condition is kept as a function of the word.
//!
//! A decoder asks "which case applies to this word"; here all cases are followed at once, and each answer carries the
//! condition under which it is given. The walk is the decoder's own ([`isaglot_codec::resolve`]), over decision diagrams.
//!
//! Where expressions need each other in a circle, values depend on the order in which a decoder evaluates. The scopes are
//! then marked [`Scopes::recursive`], and what follows from them is undecided.

use std::convert::Infallible;

use isaglot_codec::resolve::{self, Definition, Domain, Holds, Lookup, Search, Walk};
use isaglot_invariant::{Impossible as _, impossible};
use isaglot_model::{
    Algebra, BinaryOp, Encoding, EncodingId, ExprId, FeatureId, Field, FieldSource, IntType, Isa, Name, Overlap, Param,
    Piece, SpaceId, UnaryOp,
};
use isaglot_source::Span;
use rustc_hash::FxHashMap;

use crate::bdd::Ref;
use crate::limits;
use crate::symbols::Symbols;
use crate::vector::{self, Vector};

/// A scope, by its place in [`Scopes`].
pub(crate) type ScopeId = usize;

/// An encoding in the place where it is used.
pub(crate) struct Scope {
    pub(crate) encoding: EncodingId,
    /// The word, least significant bit first.
    word: Vec<Ref>,
    /// The way in: the scope whose fields are passed, and the field that passes them.
    pub(crate) entry: Option<Entry>,
    exprs: FxHashMap<ExprId, Evaluated>,
}

/// The field through which a sub-encoding is entered.
#[derive(Clone)]
pub(crate) struct Entry {
    /// In whose scope parameters are looked up.
    pub(crate) outer: ScopeId,
    pub(crate) params: Vec<Param>,
    /// The field.
    pub(crate) field: Name,
    pub(crate) span: Span,
    /// The scope that defines the field.
    pub(crate) definer: ScopeId,
}

/// An expression in a scope.
pub(crate) struct Evaluated {
    value: Vector,
    /// Names that it uses, with the condition under which nothing defines them.
    pub(crate) missing: Vec<(Name, Ref)>,
    /// Expressions that were evaluated on the way.
    uses: Vec<Use>,
    /// When a text needs it.
    pub(crate) needed: Ref,
    /// When something that may be asked for needs it, a text or not.
    pub(crate) possible: Ref,
}

/// An expression that a decoder evaluates on the way to something.
#[derive(Clone, Copy)]
struct Use {
    scope: ScopeId,
    expr: ExprId,
    /// When it is evaluated.
    when: Ref,
    /// Whether its value counts.
    #[cfg_attr(not(test), expect(dead_code, reason = "only tests ask whether the order of evaluation matters"))]
    needed: bool,
}

/// One meaning of a name.
#[derive(Clone, Copy)]
pub(crate) struct Found {
    /// When it applies.
    pub(crate) when: Ref,
    pub(crate) scope: ScopeId,
    pub(crate) case: usize,
    pub(crate) field: usize,
}

/// All meanings of a name.
pub(crate) struct Meanings {
    pub(crate) found: Vec<Found>,
    /// When nothing defines it.
    pub(crate) missing: Ref,
    uses: Vec<Use>,
}

/// A sub-encoding's candidates.
pub(crate) struct Subs {
    /// Each with the condition under which it alone is chosen.
    pub(crate) chosen: Vec<(Ref, ScopeId)>,
    /// When none matches, or two conflict.
    pub(crate) none: Ref,
}

/// What one expression or search has met.
#[derive(Default)]
struct Met {
    missing: Vec<(Name, Ref)>,
    uses: Vec<Use>,
}

/// Every scope below one encoding.
pub(crate) struct Scopes<'a> {
    pub(crate) isa: &'a Isa,
    pub(crate) list: Vec<Scope>,
    features: Vec<Ref>,
    walk: Walk<Vector>,
    /// What the expressions that are being evaluated, and the search around them, have met so far.
    met: Vec<Met>,
    /// A guard or derived field depends on itself, a chain is too long, or there are too many scopes.
    pub(crate) recursive: bool,
    subs: FxHashMap<(ScopeId, ScopeId, usize, usize), std::rc::Rc<Subs>>,
}

impl<'a> Scopes<'a> {
    /// Only the scope (number 0) of `encoding`, with those bits fixed that its pattern fixes. `features` are the
    /// functions of the features.
    pub(crate) fn new(isa: &'a Isa, sym: &mut Symbols, encoding: EncodingId, features: Vec<Ref>) -> Scopes<'a> {
        let e = &isa[encoding];
        let word = (0..e.width)
            .map(|bit| match e.pattern.bit(bit) {
                Some(value) => Ref::constant(value),
                None => sym.bit(bit),
            })
            .collect();
        let scope = Scope { encoding, word, entry: None, exprs: FxHashMap::default() };
        Scopes {
            isa,
            list: vec![scope],
            features,
            walk: Walk::default(),
            met: Vec::new(),
            recursive: false,
            subs: FxHashMap::default(),
        }
    }

    /// The encoding of a scope.
    pub(crate) fn encoding(&self, scope: ScopeId) -> &'a Encoding {
        &self.isa[self.list[scope].encoding]
    }

    /// The expressions that were evaluated in a scope, in the order of the description.
    pub(crate) fn evaluated(&self, scope: ScopeId) -> Vec<(ExprId, &Evaluated)> {
        let mut all: Vec<_> = self.list[scope].exprs.iter().map(|(&id, e)| (id, e)).collect();
        all.sort_by_key(|e| e.0);
        all
    }

    /// The field of a meaning.
    pub(crate) fn field(&self, found: &Found) -> &'a Field {
        &self.encoding(found.scope).cases[found.case].fields[found.field]
    }

    /// The scope's own word, a bit of it.
    pub(crate) fn word_bit(&self, scope: ScopeId, bit: u32) -> Ref {
        self.list[scope].word.get(bit as usize).copied().or_impossible(Ref::FALSE)
    }

    /// All meanings of a name in a scope.
    pub(crate) fn lookup(&mut self, sym: &mut Symbols, scope: ScopeId, name: Name) -> Meanings {
        self.met.push(Met::default());
        let mut diagrams = Diagrams { scopes: self, sym };
        let mut search = Search::new(scope, name);
        let mut list = Vec::new();
        let missing = loop {
            match search.next(&mut diagrams) {
                Ok(None) => break search.rest.0,
                Ok(Some(found)) => {
                    let when = found.when.unwrap_or(search.rest.0);
                    list.push(Found { when, scope: found.scope, case: found.case, field: found.place });
                    if found.when.is_none() {
                        break Ref::FALSE;
                    }
                }
            }
        };
        let met = self.met.pop().or_impossible_default();
        Meanings { found: list, missing, uses: met.uses }
    }

    /// Whether a guard holds.
    pub(crate) fn holds(&mut self, sym: &mut Symbols, scope: ScopeId, guard: ExprId) -> Ref {
        let value = self.evaluate(sym, scope, guard);
        vector::truth(&mut sym.bdd, &value)
    }

    /// The value of an expression.
    pub(crate) fn evaluate(&mut self, sym: &mut Symbols, scope: ScopeId, id: ExprId) -> Vector {
        let Ok(value) = resolve::evaluate(&mut Diagrams { scopes: self, sym }, scope, id);
        value
    }

    /// The value that a meaning of a name has, cut to the set's value width.
    pub(crate) fn value(&mut self, sym: &mut Symbols, found: &Found) -> Vector {
        let field = self.field(found);
        let Ok(value) = resolve::value(&mut Diagrams { scopes: self, sym }, found.scope, field);
        value
    }

    /// All bits of a field that is read from the word, least significant first; none for a derived one.
    pub(crate) fn bits(&self, found: &Found) -> Vec<Ref> {
        self.bits_of(found.scope, self.field(found))
    }

    fn bits_of(&self, scope: ScopeId, field: &Field) -> Vec<Ref> {
        let FieldSource::Bits(pieces) = &field.source else { return Vec::new() };
        let mut bits = Vec::new();
        for piece in pieces.iter().rev() {
            match *piece {
                Piece::Bits(range) => bits.extend((range.lo..range.end()).map(|b| self.word_bit(scope, b))),
                Piece::Implied { width, value } => {
                    bits.extend((0..width.min(64)).map(|i| Ref::constant(value >> i & 1 != 0)));
                }
            }
        }
        bits
    }

    /// Says that a text needs an expression, and with it all that it uses. Not to be called during an evaluation.
    pub(crate) fn need(&mut self, sym: &mut Symbols, scope: ScopeId, id: ExprId, when: Ref) {
        self.spread(sym, scope, id, when, |e| &mut e.needed);
    }

    /// Says that an expression may be asked for, and with it all that it uses. Not to be called during an evaluation.
    pub(crate) fn offer(&mut self, sym: &mut Symbols, scope: ScopeId, id: ExprId, when: Ref) {
        self.spread(sym, scope, id, when, |e| &mut e.possible);
    }

    fn spread(
        &mut self,
        sym: &mut Symbols,
        scope: ScopeId,
        id: ExprId,
        when: Ref,
        mark: fn(&mut Evaluated) -> &mut Ref,
    ) {
        let mut work = vec![(scope, id, when)];
        while let Some((scope, id, when)) = work.pop() {
            if when.is_false() {
                continue;
            }
            self.evaluate(sym, scope, id);
            let Some(expr) = self.list[scope].exprs.get_mut(&id) else { return impossible(()) };
            let marked = sym.bdd.or(*mark(expr), when);
            if marked == *mark(expr) {
                continue;
            }
            *mark(expr) = marked;
            for used in &expr.uses {
                work.push((used.scope, used.expr, sym.bdd.and(when, used.when)));
            }
        }
    }

    /// Says that a text looked a name up.
    pub(crate) fn need_lookup(&mut self, sym: &mut Symbols, lookup: &Meanings, when: Ref) {
        for used in &lookup.uses {
            let under = sym.bdd.and(when, used.when);
            self.need(sym, used.scope, used.expr, under);
        }
    }

    /// Whether the values of what was evaluated can depend on the order in which a decoder evaluates. Also true where only
    /// some orders count that no text leads to, so it decides nothing in a check.
    #[cfg(test)]
    pub(crate) fn order_matters(&self) -> bool {
        let (mut order, mut seen) = (resolve::Order::default(), rustc_hash::FxHashSet::default());
        for (&from, evaluated) in self.list.iter().flat_map(|scope| &scope.exprs) {
            for used in evaluated.uses.iter().filter(|used| !used.when.is_false()) {
                // Scopes of the same encoding use the same expressions.
                if seen.insert((from, used.expr, used.needed)) {
                    order.add(from, used.expr, used.needed);
                }
            }
        }
        self.recursive || order.matters()
    }

    /// The candidates of a sub-encoded field shown in scope `at`.
    ///
    /// A field that came in as a parameter is still shown from `at`: its own parameters are looked up there.
    pub(crate) fn subs(&mut self, sym: &mut Symbols, at: ScopeId, found: &Found, space: SpaceId) -> std::rc::Rc<Subs> {
        let key = (at, found.scope, found.case, found.field);
        if let Some(known) = self.subs.get(&key) {
            return known.clone();
        }
        let field = self.field(found);
        let word = self.bits(found);
        let entry = Entry {
            outer: at,
            params: field.params.clone(),
            field: field.name,
            span: field.span,
            definer: found.scope,
        };
        let subs = std::rc::Rc::new(self.choose(sym, space, &word, &entry));
        self.subs.insert(key, subs.clone());
        subs
    }

    fn choose(&mut self, sym: &mut Symbols, space: SpaceId, word: &[Ref], entry: &Entry) -> Subs {
        let (mut taken, mut conflict) = (Ref::FALSE, Ref::FALSE);
        let mut matching = Vec::new();
        for &id in &self.isa[space].encodings {
            let e = &self.isa[id];
            let matches = sym.claims(word, e, &self.features);
            if matches.is_false() {
                continue;
            }
            let both = sym.bdd.and(taken, matches);
            conflict = sym.bdd.or(conflict, both);
            taken = sym.bdd.or(taken, matches);
            matching.push((matches, id, e.precedence()));
        }
        let mut chosen = Vec::new();
        if self.isa[space].overlap == Overlap::MostSpecific {
            conflict = Ref::FALSE;
            matching.sort_by_key(|m| m.2);
        }
        let mut before = Ref::FALSE;
        for (matches, id, _) in matching {
            if self.list.len() >= limits::MAX_SCOPES {
                self.recursive = true;
                break;
            }
            let alone = sym.bdd.and_not(matches, conflict);
            let alone = sym.bdd.and_not(alone, before);
            before = sym.bdd.or(before, alone);
            if alone.is_false() {
                continue;
            }
            let scope =
                Scope { encoding: id, word: word.to_vec(), entry: Some(entry.clone()), exprs: FxHashMap::default() };
            self.list.push(scope);
            chosen.push((alone, self.list.len() - 1));
        }
        let none = sym.bdd.not(taken);
        Subs { chosen, none: sym.bdd.or(none, conflict) }
    }
}

/// The words that no definition so far has taken; at first all.
#[derive(Clone, Copy)]
struct Rest(Ref);

impl Default for Rest {
    fn default() -> Rest {
        Rest(Ref::TRUE)
    }
}

/// The walk over decision diagrams.
struct Diagrams<'s, 'a> {
    scopes: &'s mut Scopes<'a>,
    sym: &'s mut Symbols,
}

impl Diagrams<'_, '_> {
    /// Takes note of a use, in the expression or search that is going on.
    fn uses(&mut self, scope: ScopeId, expr: ExprId, when: Ref, needed: bool) {
        if let Some(met) = self.scopes.met.last_mut() {
            met.uses.push(Use { scope, expr, when, needed });
        }
    }
}

impl<'a> Lookup<'a> for Diagrams<'_, 'a> {
    type Scope = ScopeId;
    type Condition = Ref;
    type Rest = Rest;
    type Stop = Infallible;

    fn encoding(&self, scope: ScopeId) -> &'a Encoding {
        self.scopes.encoding(scope)
    }

    fn entered(&self, scope: ScopeId) -> Option<(ScopeId, &[Param])> {
        let entry = self.scopes.list[scope].entry.as_ref()?;
        Some((entry.outer, &entry.params))
    }

    fn running(&self) -> Option<ExprId> {
        self.scopes.walk.running()
    }

    fn decide(&mut self, scope: ScopeId, guard: ExprId, Rest(rest): &mut Rest) -> Result<Holds<Ref>, Infallible> {
        self.uses(scope, guard, *rest, true);
        let applies = self.scopes.holds(self.sym, scope, guard);
        let when = self.sym.bdd.and(*rest, applies);
        let remains = self.sym.bdd.and_not(*rest, applies);
        if when.is_false() {
            return Ok(Holds::Never);
        }
        if remains.is_false() {
            return Ok(Holds::Always);
        }
        *rest = remains;
        Ok(Holds::If(when))
    }

    fn pass(&mut self, scope: ScopeId, guard: ExprId, Rest(rest): &mut Rest) -> Result<(), Infallible> {
        // A decoder tries the guard all the same, so it can miss names; the answer does not depend on it.
        self.uses(scope, guard, *rest, false);
        Ok(())
    }

    fn found(&mut self, definition: &Definition<'a, ScopeId, Ref>, Rest(rest): Rest) {
        if let FieldSource::Derived(expr) = definition.field.source {
            self.uses(definition.scope, expr, definition.when.unwrap_or(rest), true);
        }
    }
}

impl<'a> Domain<'a> for Diagrams<'_, 'a> {
    type Value = Vector;
    type Algebra = Self;

    /// Every expression is evaluated once for a scope.
    const EVALUATIONS: usize = usize::MAX;

    fn isa(&self) -> &'a Isa {
        self.scopes.isa
    }

    fn walk(&mut self) -> &mut Walk<Vector> {
        &mut self.scopes.walk
    }

    fn algebra(&mut self) -> &mut Self {
        self
    }

    fn choose(&mut self, condition: Ref, x: Vector, y: Vector) -> Result<Vector, Infallible> {
        Ok(vector::select(&mut self.sym.bdd, condition, &x, &y))
    }

    fn bits(&mut self, scope: ScopeId, field: &'a Field) -> Result<Vector, Infallible> {
        Ok(vector::from_bits(&self.scopes.bits_of(scope, field)))
    }

    fn missing(&mut self, name: Name, Rest(rest): Rest) -> Result<Vector, Infallible> {
        if let Some(met) = self.scopes.met.last_mut() {
            met.missing.push((name, rest));
        }
        Ok(vector::constant(0))
    }

    fn recall(&mut self, scope: ScopeId, expr: ExprId) -> Result<Option<Vector>, Infallible> {
        Ok(self.scopes.list[scope].exprs.get(&expr).map(|known| known.value))
    }

    fn begin(&mut self) {
        self.scopes.met.push(Met::default());
    }

    fn keep(&mut self, scope: ScopeId, expr: ExprId, value: Vector) {
        let Met { missing, uses } = self.scopes.met.pop().or_impossible_default();
        let done = Evaluated { value, missing, uses, needed: Ref::FALSE, possible: Ref::FALSE };
        self.scopes.list[scope].exprs.insert(expr, done);
    }

    fn again(&mut self) {
        self.scopes.recursive = true;
    }

    fn beyond(&mut self) -> Result<Vector, Infallible> {
        self.scopes.recursive = true;
        Ok(vector::constant(0))
    }
}

impl Algebra for Diagrams<'_, '_> {
    type Value = Vector;
    type Stop = Infallible;

    fn constant(&mut self, value: u64) -> Result<Vector, Infallible> {
        Ok(vector::constant(value))
    }

    fn generation(&mut self) -> Result<Vector, Infallible> {
        Ok(self.sym.generation)
    }

    fn feature(&mut self, feature: FeatureId) -> Result<Vector, Infallible> {
        Ok(vector::from_bits(&[self.scopes.features.get(feature.index()).copied().or_impossible(Ref::FALSE)]))
    }

    fn unary(&mut self, op: UnaryOp, ty: IntType, x: Vector) -> Result<Vector, Infallible> {
        Ok(vector::unary(&mut self.sym.bdd, op, ty, &x))
    }

    fn binary(&mut self, op: BinaryOp, ty: IntType, x: Vector, y: Vector) -> Result<Vector, Infallible> {
        Ok(vector::binary(&mut self.sym.bdd, op, ty, &x, &y))
    }

    fn select(&mut self, condition: Vector, x: Vector, y: Vector) -> Result<Vector, Infallible> {
        let condition = vector::truth(&mut self.sym.bdd, &condition);
        Ok(vector::select(&mut self.sym.bdd, condition, &x, &y))
    }

    fn cast(&mut self, ty: IntType, x: Vector) -> Result<Vector, Infallible> {
        Ok(vector::wrap(ty, &x))
    }
}
