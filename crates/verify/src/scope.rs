//! What a name means, symbolically: the model's lookup rules with every condition kept as a function of the word.
//!
//! A decoder asks "which case applies to this word"; here all cases are followed at once and each answer carries the
//! condition under which it is given. The order of lookup is the model's (`isaglot_model`'s module doc): the cases in
//! order, then what the field through which a sub-encoding was entered passes as parameters, and nothing else.
//!
//! Expressions follow the reference's rules for recursion to the letter (a guard may use what its own case defines; an
//! expression met again while it is evaluated gives 0). Where that happens values depend on the order in which a
//! decoder evaluates, so the scope is marked [`Scopes::recursive`] and what follows from it is undecided.

use isaglot_model::{
    Encoding, EncodingId, ExprId, Field, FieldSource, Isa, Name, Node, Overlap, Param, Piece, SpaceId,
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
    /// Expressions that were evaluated on the way, with the condition under which they matter.
    uses: Vec<(ScopeId, ExprId, Ref)>,
    /// When a text needs it.
    pub(crate) needed: Ref,
    /// When something that may be asked for needs it, a text or not.
    pub(crate) possible: Ref,
}

/// One meaning of a name.
#[derive(Clone, Copy)]
pub(crate) struct Found {
    /// When it is meant.
    pub(crate) when: Ref,
    pub(crate) scope: ScopeId,
    pub(crate) case: usize,
    pub(crate) field: usize,
}

/// All meanings of a name.
pub(crate) struct Lookup {
    pub(crate) found: Vec<Found>,
    /// When nothing defines it.
    pub(crate) missing: Ref,
    uses: Vec<(ScopeId, ExprId, Ref)>,
}

/// A sub-encoding's candidates.
pub(crate) struct Subs {
    /// Each with the condition under which it alone is chosen.
    pub(crate) chosen: Vec<(Ref, ScopeId)>,
    /// When none matches, or two conflict.
    pub(crate) none: Ref,
}

/// Every scope below one encoding.
pub(crate) struct Scopes<'a> {
    pub(crate) isa: &'a Isa,
    pub(crate) list: Vec<Scope>,
    features: Vec<Ref>,
    stack: Vec<ExprId>,
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
        Scopes { isa, list: vec![scope], features, stack: Vec::new(), recursive: false, subs: FxHashMap::default() }
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

    /// The field behind a meaning.
    pub(crate) fn field(&self, found: &Found) -> &'a Field {
        &self.encoding(found.scope).cases[found.case].fields[found.field]
    }

    /// The scope's own word, a bit of it.
    pub(crate) fn word_bit(&self, scope: ScopeId, bit: u32) -> Ref {
        self.list[scope].word.get(bit as usize).copied().unwrap_or(Ref::FALSE)
    }

    /// All meanings of a name in a scope.
    pub(crate) fn lookup(&mut self, sym: &mut Symbols, scope: ScopeId, name: Name) -> Lookup {
        let mut out = Lookup { found: Vec::new(), missing: Ref::FALSE, uses: Vec::new() };
        out.missing = self.lookup_into(sym, scope, name, Ref::TRUE, 0, &mut out);
        out
    }

    /// Adds the meanings under `rest`; gives what of `rest` remains without one.
    fn lookup_into(
        &mut self,
        sym: &mut Symbols,
        scope: ScopeId,
        name: Name,
        mut rest: Ref,
        depth: usize,
        out: &mut Lookup,
    ) -> Ref {
        let e = self.encoding(scope);
        for (c, case) in e.cases.iter().enumerate() {
            let Some(f) = case.fields.iter().position(|f| f.name == name) else {
                // A decoder tries the guard all the same, so it can miss names; the answer does not depend on it.
                out.uses.extend(case.guard.filter(|g| self.stack.last() != Some(g)).map(|g| (scope, g, rest)));
                continue;
            };
            let applies = match case.guard {
                None => Ref::TRUE,
                // A guard may use what its own case defines.
                Some(guard) if self.stack.last() == Some(&guard) => Ref::TRUE,
                Some(guard) => {
                    out.uses.push((scope, guard, rest));
                    self.holds(sym, scope, guard)
                }
            };
            let when = sym.bdd.and(rest, applies);
            if !when.is_false() {
                out.found.push(Found { when, scope, case: c, field: f });
            }
            rest = sym.bdd.and_not(rest, applies);
            if rest.is_false() {
                return rest;
            }
        }
        let Some(entry) = &self.list[scope].entry else { return rest };
        let outer = entry.outer;
        match entry.params.iter().find(|p| p.as_name == name) {
            Some(param) if depth < limits::MAX_CHAIN => {
                let inner = param.name;
                self.lookup_into(sym, outer, inner, rest, depth + 1, out)
            }
            Some(_) => {
                self.recursive = true;
                rest
            }
            None => rest,
        }
    }

    /// Whether a guard holds.
    pub(crate) fn holds(&mut self, sym: &mut Symbols, scope: ScopeId, guard: ExprId) -> Ref {
        let value = self.evaluate(sym, scope, guard);
        vector::truth(&mut sym.bdd, &value)
    }

    /// The value of an expression.
    pub(crate) fn evaluate(&mut self, sym: &mut Symbols, scope: ScopeId, id: ExprId) -> Vector {
        if let Some(known) = self.list[scope].exprs.get(&id) {
            return known.value;
        }
        if self.stack.contains(&id) {
            self.recursive = true;
        }
        if self.stack.iter().skip(1).any(|&e| e == id) || self.stack.len() >= limits::MAX_CHAIN {
            self.recursive = true;
            return vector::constant(0);
        }
        self.stack.push(id);
        let expr = &self.isa[id];
        let mut fields: Vec<(Name, Vector)> = Vec::with_capacity(expr.fields.len());
        let (mut missing, mut uses) = (Vec::new(), Vec::new());
        for &name in &expr.fields {
            let lookup = self.lookup(sym, scope, name);
            let mut value = vector::constant(0);
            for found in lookup.found.iter().rev() {
                if let FieldSource::Derived(inner) = self.field(found).source {
                    uses.push((found.scope, inner, found.when));
                }
                let one = self.value(sym, found);
                value = vector::select(&mut sym.bdd, found.when, &one, &value);
            }
            uses.extend(lookup.uses);
            if !lookup.missing.is_false() {
                missing.push((name, lookup.missing));
            }
            fields.push((name, value));
        }
        let value = self.compute(sym, id, &fields);
        self.stack.pop();
        let done = Evaluated { value, missing, uses, needed: Ref::FALSE, possible: Ref::FALSE };
        self.list[scope].exprs.insert(id, done);
        value
    }

    fn compute(&self, sym: &mut Symbols, id: ExprId, fields: &[(Name, Vector)]) -> Vector {
        let expr = &self.isa[id];
        let mut values: Vec<Vector> = Vec::with_capacity(expr.nodes.len());
        for node in &expr.nodes {
            let get = |id: isaglot_model::NodeId| values[id.0 as usize];
            let value = match *node {
                Node::Const(v, _) => vector::constant(v),
                Node::Field(name) => fields.iter().find(|f| f.0 == name).map_or_else(|| vector::constant(0), |f| f.1),
                Node::Gen => sym.generation,
                Node::Feature(f) => vector::from_bits(&[self.features.get(f.index()).copied().unwrap_or(Ref::FALSE)]),
                Node::Unary(op, t, x) => vector::unary(&mut sym.bdd, op, t, &get(x)),
                Node::Binary(op, t, x, y) => vector::binary(&mut sym.bdd, op, t, &get(x), &get(y)),
                Node::Select(_, c, x, y) => {
                    let c = vector::truth(&mut sym.bdd, &get(c));
                    vector::select(&mut sym.bdd, c, &get(x), &get(y))
                }
                Node::Cast(t, x) => vector::wrap(t, &get(x)),
            };
            values.push(value);
        }
        values.last().copied().unwrap_or_else(|| vector::constant(0))
    }

    /// The value that a meaning of a name has, cut to the set's value width.
    pub(crate) fn value(&mut self, sym: &mut Symbols, found: &Found) -> Vector {
        let value = match &self.field(found).source {
            FieldSource::Derived(expr) => self.evaluate(sym, found.scope, *expr),
            FieldSource::Bits(_) => vector::from_bits(&self.bits(found)),
        };
        let kept = self.isa.value_bits() as usize;
        std::array::from_fn(|i| if i < kept { value[i] } else { Ref::FALSE })
    }

    /// All bits of a field that is read from the word, least significant first; none for a derived one.
    pub(crate) fn bits(&self, found: &Found) -> Vec<Ref> {
        let FieldSource::Bits(pieces) = &self.field(found).source else { return Vec::new() };
        let mut bits = Vec::new();
        for piece in pieces.iter().rev() {
            match *piece {
                Piece::Bits(range) => bits.extend((range.lo..range.end()).map(|b| self.word_bit(found.scope, b))),
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
            let Some(expr) = self.list[scope].exprs.get_mut(&id) else { continue };
            let marked = sym.bdd.or(*mark(expr), when);
            if marked == *mark(expr) {
                continue;
            }
            *mark(expr) = marked;
            for &(scope, id, under) in &expr.uses {
                work.push((scope, id, sym.bdd.and(when, under)));
            }
        }
    }

    /// Says that a text looked a name up.
    pub(crate) fn need_lookup(&mut self, sym: &mut Symbols, lookup: &Lookup, when: Ref) {
        for &(scope, id, under) in &lookup.uses {
            let under = sym.bdd.and(when, under);
            self.need(sym, scope, id, under);
        }
        for found in &lookup.found {
            if let FieldSource::Derived(id) = self.field(found).source {
                let under = sym.bdd.and(when, found.when);
                self.need(sym, found.scope, id, under);
            }
        }
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
            let mut matches = sym.encoding(word, e);
            let (gens, condition) = (sym.in_gens(e.gens), sym.condition(&self.features, &e.condition));
            matches = sym.bdd.and(matches, gens);
            matches = sym.bdd.and(matches, condition);
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
