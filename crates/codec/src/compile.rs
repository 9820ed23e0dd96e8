//! Which definition a name has, decided ahead of time: [`Scopes`](crate::Scopes) partially evaluated.
//!
//! The problem: the reference finds names by walking cases and evaluating guards for every use. The method: for a leaf
//! and the way that leads to it ([`Context`]), the walk of [`crate::resolve`] runs once, over values of a [`Graph`]. Each
//! name becomes a short list of alternatives with guards; each guard and derived field is a function of the bits of
//! the instruction.
//!
//! Invariant: where this gives an answer, it is the one the reference algorithm gives, for every word; where it cannot
//! be sure, it gives none, and the exact engine decides. Unsure are:
//!
//! * expressions that may read a name that nothing defines, or guards tried on the way that may: the reference
//!   reports an error at the moment of evaluation;
//! * expressions that need each other in a circle (see `simulate`): the reference gives what its stack and memory
//!   happen to say;
//! * values of more than 64 bits, and whatever is nested beyond the limits.

use std::sync::Arc;

use isaglot_bits::BitRange;
use isaglot_model::{Algebra as _, Encoding, EncodingId, ExprId, Field, FieldSource, IntType, Isa, Name, Param, Piece};
use rustc_hash::FxHashMap;

use crate::graph::{Graph, Unsure, ValueId};
use crate::limits::{MAX_CONTEXTS, MAX_LEAF_CONTEXTS, MAX_SCOPES};
use crate::plan::Plan;
use crate::resolve::{self, Domain, Holds, Lookup, Search, Walk};
use crate::simulate::Memory;

/// A leaf together with the way that leads to it: a scope, ahead of time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Context(u32);

#[derive(Clone, Debug)]
pub(crate) struct Place<'a> {
    pub(crate) encoding: EncodingId,
    /// The bits of the scope in terms of the instruction word, the most significant first.
    bits: Arc<[Piece]>,
    parent: Option<Context>,
    params: &'a [Param],
    depth: usize,
    /// Guards that are known to hold here, or not to.
    known: Vec<(ExprId, bool)>,
    /// What the reference has evaluated when it comes here; `None` where that does not matter.
    pub(crate) memory: Option<Memory>,
}

impl Place<'_> {
    /// Whether a guard is known to hold, or not to.
    pub(crate) fn known(&self, guard: ExprId) -> Option<bool> {
        self.known.iter().find(|(known, _)| *known == guard).map(|(_, holds)| *holds)
    }
}

/// What a name means where a guard holds.
#[derive(Clone, Copy, Debug)]
pub struct Alternative<'a> {
    /// Taken if not 0 and no earlier one is; the last alternative has none.
    pub guard: Option<ValueId>,
    /// The guard as an expression, where it is one of the context itself.
    pub expr: Option<ExprId>,
    /// The meaning.
    pub meaning: Meaning<'a>,
}

/// What a name means.
#[derive(Clone, Copy, Debug)]
pub enum Meaning<'a> {
    /// This field, found in this context.
    Field(&'a Field, Context),
    /// Nothing defines it, or it cannot be said ahead of time.
    Unknown,
}

/// Compiles names and expressions of one plan.
#[derive(Debug)]
pub struct Compiler<'p, 'a> {
    plan: &'p Plan<'a>,
    /// All values so far.
    pub graph: Graph,
    contexts: Vec<Place<'a>>,
    /// The contexts from here on belong to the current instruction.
    first: usize,
    values: FxHashMap<(Context, ExprId), Option<ValueId>>,
    safe: FxHashMap<(Context, ExprId), bool>,
    walk: Walk<ValueId>,
}

impl<'p, 'a> Compiler<'p, 'a> {
    /// Nothing compiled yet.
    #[must_use]
    pub fn new(plan: &'p Plan<'a>) -> Self {
        Self {
            plan,
            graph: Graph::new(plan.isa().format().max_bits, plan.numbers()),
            contexts: Vec::new(),
            first: 0,
            values: FxHashMap::default(),
            safe: FxHashMap::default(),
            walk: Walk::default(),
        }
    }

    /// The plan.
    #[must_use]
    pub fn plan(&self) -> &'p Plan<'a> {
        self.plan
    }

    /// The context of an instruction's encoding. `None` beyond the limit on contexts.
    pub fn root(&mut self, encoding: EncodingId) -> Option<Context> {
        self.first = self.contexts.len();
        let width = self.plan.isa()[encoding].width;
        let bits = Arc::new([Piece::Bits(BitRange::new(0, width))]);
        self.enter(encoding, bits, None, &[], 0)
    }

    /// The context of a leaf that the value of `field`, found in `found`, may be when shown in `inside`. `None` beyond
    /// the limits.
    pub fn nested(&mut self, inside: Context, field: &'a Field, found: Context, leaf: EncodingId) -> Option<Context> {
        let bits = self.place_of(field, found)?;
        let depth = self.place(inside).depth + 1;
        if depth >= MAX_SCOPES {
            return None;
        }
        self.enter(leaf, bits, Some(inside), &field.params, depth)
    }

    fn enter(
        &mut self,
        encoding: EncodingId,
        bits: Arc<[Piece]>,
        parent: Option<Context>,
        params: &'a [Param],
        depth: usize,
    ) -> Option<Context> {
        let known = Vec::new();
        let context = self.context(Place { encoding, bits, parent, params, depth, known, memory: None })?;
        let isa = self.plan.isa();
        let exprs = isa[encoding].cases.iter().flat_map(|case| {
            let derived = case.fields.iter().filter_map(|field| match field.source {
                FieldSource::Derived(expr) => Some(expr),
                FieldSource::Bits(_) => None,
            });
            case.guard.into_iter().chain(derived)
        });
        for expr in exprs {
            if !self.is_safe(context, expr) {
                // The order of evaluation matters, so it is followed from here on.
                self.contexts[context.0 as usize].memory = Some(Memory::default());
                self.safe.retain(|(at, _), _| *at != context);
                break;
            }
        }
        Some(context)
    }

    /// The same context after `guard` was evaluated, where it holds (`true`) or does not. `None` beyond the limits.
    pub fn assume(&mut self, context: Context, guard: ExprId, holds: bool) -> Option<Context> {
        let memory = self.after(context, guard);
        let mut place = self.place(context).clone();
        place.memory = memory;
        place.known.push((guard, holds));
        self.context(place)
    }

    /// The same context after `guard` was evaluated, whatever it gave. `None` beyond the limits.
    pub fn evaluated(&mut self, context: Context, guard: ExprId) -> Option<Context> {
        let memory = self.after(context, guard);
        if memory.is_none() {
            return Some(context);
        }
        let place = Place { memory, ..self.place(context).clone() };
        self.context(place)
    }

    /// What the reference remembers after it evaluated an expression; `None` where that does not matter.
    fn after(&mut self, context: Context, expr: ExprId) -> Option<Memory> {
        self.place(context).memory.as_ref()?;
        let known = self.simulate(context, expr);
        known.or_else(|| self.place(context).memory.as_ref().map(unsure))
    }

    /// The same context after a field was shown. `None` beyond the limits.
    pub fn shown(&mut self, context: Context, name: Name) -> Option<Context> {
        let place = self.place(context);
        let Some(memory) = &place.memory else { return Some(context) };
        let mut work = Vec::new();
        self.dependencies(context, name, None, &mut |at, on, _| work.push((at, on)));
        let has_params = |field: &Field| field.name == name && !field.params.is_empty();
        let nested = self.plan.isa()[place.encoding].cases.iter().flat_map(|case| &case.fields).any(has_params);
        let news = work.iter().any(|(at, on)| *at == context && !memory.done.contains_key(on));
        if memory.unsure || !(news || nested) {
            return Some(context);
        }
        let mut place = place.clone();
        place.memory = place.memory.as_ref().map(unsure);
        self.context(place)
    }

    fn context(&mut self, place: Place<'a>) -> Option<Context> {
        if self.contexts.len() >= MAX_CONTEXTS || self.contexts.len() - self.first >= MAX_LEAF_CONTEXTS {
            return None;
        }
        self.contexts.push(place);
        Some(Context(self.contexts.len() as u32 - 1))
    }

    pub(crate) fn place(&self, context: Context) -> &Place<'a> {
        &self.contexts[context.0 as usize]
    }

    /// The leaf of a context.
    #[must_use]
    pub fn encoding(&self, context: Context) -> EncodingId {
        self.place(context).encoding
    }

    /// Where the bits of a field are in the instruction word; `None` for a derived field.
    #[must_use]
    pub fn place_of(&self, field: &Field, found: Context) -> Option<Arc<[Piece]>> {
        let FieldSource::Bits(pieces) = &field.source else { return None };
        Some(self.outward(pieces, found).into())
    }

    /// The same pieces in terms of the instruction word.
    fn outward(&self, pieces: &[Piece], context: Context) -> Vec<Piece> {
        let mut out = Vec::new();
        for piece in pieces {
            match *piece {
                Piece::Implied { .. } => out.push(*piece),
                Piece::Bits(range) => Piece::slice(&self.place(context).bits, range, &mut out),
            }
        }
        out
    }

    /// The bits `range` of a context's own word as a value: at most 64.
    pub fn bits(&mut self, context: Context, range: BitRange) -> Option<ValueId> {
        let pieces = self.outward(&[Piece::Bits(range)], context);
        self.graph.pieces(&pieces).ok()
    }

    /// The value of a field as displays see it.
    pub fn field_value(&mut self, field: &'a Field, found: Context) -> Option<ValueId> {
        match field.source {
            FieldSource::Derived(expr) => {
                let value = self.expression(found, expr)?;
                self.graph.cast(IntType { bits: self.plan.isa().value_bits(), signed: false }, value).ok()
            }
            FieldSource::Bits(_) => self.bits_of(field, found).ok(),
        }
    }

    /// The value of a field that is read from bits.
    pub(crate) fn bits_of(&mut self, field: &'a Field, found: Context) -> Result<ValueId, Unsure> {
        let FieldSource::Bits(pieces) = &field.source else { return Err(Unsure) };
        let pieces = self.outward(pieces, found);
        self.graph.pieces(&pieces)
    }

    /// What `name` means in a context while no expression is being evaluated. The last alternative has no guard; an
    /// unknown meaning is always the last.
    pub fn resolve(&mut self, context: Context, name: Name) -> Vec<Alternative<'a>> {
        let mut alternatives = Vec::new();
        let mut search = Search::new(context, name);
        while let Ok(Some(found)) = search.next(self) {
            if let FieldSource::Derived(expr) = found.field.source
                && !self.is_settled(found.scope, expr)
                && (search.rest.news || found.scope != context || found.when.is_some())
            {
                break;
            }
            alternatives.push(Alternative {
                guard: found.when.map(|(value, _)| value),
                expr: found.when.map(|(_, expr)| expr).filter(|_| found.scope == context),
                meaning: Meaning::Field(found.field, found.scope),
            });
            if found.when.is_none() {
                return alternatives;
            }
        }
        alternatives.push(Alternative { guard: None, expr: None, meaning: Meaning::Unknown });
        alternatives
    }

    /// The value of an expression in a context; `None` where the exact engine has to say.
    pub fn expression(&mut self, context: Context, expr: ExprId) -> Option<ValueId> {
        if let Some(&value) = self.values.get(&(context, expr)) {
            return value;
        }
        let remembered = self.place(context).memory.as_ref().and_then(|memory| memory.done.get(&expr).copied());
        let value = match remembered {
            Some(value) => Some(value),
            None if self.safe_in_any_order(context, expr) => resolve::evaluate(self, context, expr).ok(),
            None => self.simulate(context, expr).and_then(|memory| memory.done.get(&expr).copied()),
        };
        self.values.insert((context, expr), value);
        value
    }

    /// Whether the value of an expression that is evaluated next in this context is known: see `simulate`.
    pub fn is_safe(&mut self, context: Context, expr: ExprId) -> bool {
        self.is_settled(context, expr) || self.simulate(context, expr).is_some()
    }

    /// Whether the value of an expression is known whenever it is evaluated in this context.
    fn is_settled(&mut self, context: Context, expr: ExprId) -> bool {
        if let Some(&safe) = self.safe.get(&(context, expr)) {
            return safe;
        }
        let tracked = self.place(context).memory.is_some();
        let safe = tracked && self.remembers(context, expr) || self.safe_in_any_order(context, expr);
        self.safe.insert((context, expr), safe);
        safe
    }

    /// Whether evaluating an expression here changes nothing.
    fn remembers(&self, context: Context, expr: ExprId) -> bool {
        self.place(context).memory.as_ref().is_none_or(|memory| memory.done.contains_key(&expr))
    }

    /// What the meaning of these names in a context rests on besides their values: every expression that the reference
    /// may evaluate to find them, sorted. `None` if the meaning depends on a guard, and so may differ between one use and
    /// another.
    #[must_use]
    pub fn footprint(&self, context: Context, names: impl Iterator<Item = Name>) -> Option<Vec<ExprId>> {
        let mut work = Vec::new();
        for name in names {
            let mut guarded = false;
            // No expression is running, so no guard is taken as true.
            let found = self.dependencies(context, name, None, &mut |context, on, needed| {
                let derived = !self.plan.isa()[self.encoding(context)].cases.iter().any(|case| case.guard == Some(on));
                guarded |= needed && !derived;
                work.push((context, on));
            });
            if guarded || !found {
                return None;
            }
        }
        let mut list: Vec<ExprId> = self.reach(work, &mut |_, _, _| ()).0.into_iter().map(|(_, expr)| expr).collect();
        list.sort_unstable();
        list.dedup();
        Some(list)
    }
}

/// What a search has met.
#[derive(Clone, Copy, Debug, Default)]
pub struct Met {
    /// The reference evaluates something on the way that it did not remember.
    news: bool,
}

impl<'a> Lookup<'a> for Compiler<'_, 'a> {
    type Scope = Context;
    type Condition = (ValueId, ExprId);
    type Rest = Met;
    type Stop = Unsure;

    fn encoding(&self, context: Context) -> &'a Encoding {
        &self.plan.isa()[self.place(context).encoding]
    }

    fn entered(&self, context: Context) -> Option<(Context, &[Param])> {
        let place = self.place(context);
        Some((place.parent?, place.params))
    }

    fn running(&self) -> Option<ExprId> {
        self.walk.running()
    }

    fn decide(&mut self, context: Context, guard: ExprId, met: &mut Met) -> Result<Holds<Self::Condition>, Unsure> {
        match self.place(context).known(guard) {
            Some(true) => return Ok(Holds::Always),
            Some(false) => return Ok(Holds::Never),
            None if !self.is_settled(context, guard) => return Err(Unsure),
            None => {}
        }
        let value = self.expression(context, guard).ok_or(Unsure)?;
        Ok(match self.graph.as_const(value) {
            Some(0) => Holds::Never,
            Some(_) => Holds::Always,
            None => {
                met.news |= !self.remembers(context, guard);
                Holds::If((value, guard))
            }
        })
    }

    fn pass(&mut self, context: Context, guard: ExprId, met: &mut Met) -> Result<(), Unsure> {
        if self.place(context).known(guard).is_none() {
            if !self.is_settled(context, guard) {
                return Err(Unsure);
            }
            met.news |= !self.remembers(context, guard);
        }
        Ok(())
    }
}

/// Values that are the same in any order of evaluation: [`Compiler::safe_in_any_order`] is asked before, so no
/// expression is met again, and what is kept is right for every later use.
impl<'a> Domain<'a> for Compiler<'_, 'a> {
    type Value = ValueId;
    type Algebra = Graph;

    const EVALUATIONS: usize = usize::MAX;

    fn isa(&self) -> &'a Isa {
        self.plan.isa()
    }

    fn walk(&mut self) -> &mut Walk<ValueId> {
        &mut self.walk
    }

    fn algebra(&mut self) -> &mut Graph {
        &mut self.graph
    }

    fn choose(&mut self, condition: Self::Condition, x: ValueId, y: ValueId) -> Result<ValueId, Unsure> {
        self.graph.select(condition.0, x, y)
    }

    fn bits(&mut self, context: Context, field: &'a Field) -> Result<ValueId, Unsure> {
        self.bits_of(field, context)
    }

    fn missing(&mut self, _: Name, _: Met) -> Result<ValueId, Unsure> {
        // The reference reports an error when it evaluates.
        Err(Unsure)
    }

    fn recall(&mut self, context: Context, expr: ExprId) -> Result<Option<ValueId>, Unsure> {
        match self.values.get(&(context, expr)).copied() {
            Some(value) => value.ok_or(Unsure).map(Some),
            None if self.is_settled(context, expr) => {
                Ok(self.place(context).memory.as_ref().and_then(|memory| memory.done.get(&expr).copied()))
            }
            None => Err(Unsure),
        }
    }

    fn keep(&mut self, context: Context, expr: ExprId, value: ValueId) {
        self.values.insert((context, expr), Some(value));
    }

    fn beyond(&mut self) -> Result<ValueId, Unsure> {
        Err(Unsure)
    }
}

fn unsure(memory: &Memory) -> Memory {
    Memory { unsure: true, ..memory.clone() }
}
