//! What a name means in an encoding, and the value of an expression there: the one walk that every engine uses.
//!
//! # The problem
//!
//! The meaning of a name depends on guards, guards are expressions over names, and so on in a circle. The reference
//! settles that with rules that everything here must follow (reference 1.5, 1.9), because texts depend on them:
//!
//! 1. *Lookup.* The cases of an encoding are tried in order. A case applies if it has no guard, or its guard is not 0, or
//!    its guard is the expression that is being evaluated (so a guard may use the fields of its own case). The first
//!    case that applies and defines the name gives the field. If there is none, and the scope was entered through a
//!    field that passes the name as a parameter, the search goes on in the outer scope, under the name there.
//! 2. *Value.* A derived field has the value of its expression in the scope where the field was found; another field has
//!    its bits. Both are cut to [`Isa::value_bits`]. A name that nothing defines is 0.
//! 3. *Evaluation.* An expression first fetches every field that it mentions, needed or not; then it computes. A finished
//!    value is kept for the scope. An expression that is met again while it is being evaluated gives 0, which is not
//!    kept; the outermost expression is not compared, so it may run once more.
//! 4. *Bounds.* Not in the reference, which has no checks: [`MAX_EXPR_DEPTH`] and [`Domain::EVALUATIONS`].
//!
//! # The method
//!
//! The rules are written once, over a [`Domain`] that says what a value is and when a guard counts as decided:
//!
//! | domain | value | undecided guards | keeps values | beyond the bounds |
//! |---|---|---|---|---|
//! | [`Scopes`](crate::Scopes) | a number | none | per scope, as rule 3 | 0 |
//! | [`Compiler`](crate::Compiler) | a node over the word's bits | a choice | plain values only: see `simulate` | the exact engine decides |
//! | `simulate` | the same | it gives up | as rule 3, ahead of time | the exact engine decides |
//! | the assembler | a term over the word's bits | a choice | none: the text is checked by decoding | unknown |
//! | the checker | decision diagrams | a choice | per scope; recursion is undecided | undecided |
//!
//! [`Scopes`](crate::Scopes) defines what is right. Every other domain gives the same value for every word, or says that
//! it does not know. [`Search`] is rule 1 and needs only a [`Lookup`]; [`evaluate`] and [`value`] are rules 2 to 4 and need
//! a [`Domain`]. A domain cannot change a rule; it can only say what a guard decides, and what it remembers.
//!
//! A search is pulled: each call of [`Search::next`] gives the next definition that may apply, and the condition of its
//! guard if that is a question of values. With numbers nothing is ever open: the first answer is the only one, and no
//! memory is allocated.
//!
//! # Example
//!
//! An encoding has two cases. The first defines `SRC` if `{WIDE} != 0`, and also defines `WIDE` itself, as bit 4. The
//! second always applies: `SRC` is bits 0 to 3, `WIDE` is 0, and `SIZE` is derived as `{SIZE} + {WIDE} + 1`.
//!
//! *`SRC`.* The first case has the name and a guard, so the guard is evaluated. The guard fetches `WIDE`: the first case
//! has that name, and its guard is the expression being evaluated, so the case applies, and `WIDE` is bit 4. With
//! numbers, the search ends with one of the cases. Over the bits of an unknown word it gives two definitions: the first
//! under the condition "bit 4", the second otherwise.
//!
//! *`WIDE`.* Now no expression is being evaluated. Where bit 4 is set, `WIDE` is bit 4; elsewhere it is 0 by the second case.
//!
//! *`SIZE`.* Call its expression E. E is evaluated, the stack is `[E]`, and `SIZE` is fetched, which is E. E is only at
//! the bottom of the stack, which is not compared, so it runs again: `[E, E]`. It fetches `SIZE` once more, and now E is
//! found above the bottom: 0. The inner E is `0 + WIDE + 1`. The outer E is `(0 + WIDE + 1) + WIDE + 1`. So where bit 4
//! is set, `SIZE` is 4, and elsewhere it is 2. Each evaluation passes the guard of the first case to get to `SIZE`, and
//! may have its value kept from then on: which values others find kept is what makes the order count.

use isaglot_model::{Algebra, Encoding, ExprId, Field, FieldSource, IntType, Isa, Name, Param};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::limits::MAX_EXPR_DEPTH;

/// What a guard decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Holds<C> {
    /// The case applies.
    Always,
    /// The case does not apply.
    Never,
    /// The case applies under this condition.
    If(C),
}

/// What a [`Search`] needs to know.
pub trait Lookup<'a> {
    /// An encoding in the place where it is used.
    type Scope: Copy;
    /// When a definition applies, if that depends on values.
    type Condition;
    /// What is carried along one search, such as the words that no definition so far has taken.
    type Rest: Copy + Default;
    /// Why a search ends without an answer.
    type Stop;

    /// The encoding of a scope.
    fn encoding(&self, scope: Self::Scope) -> &'a Encoding;

    /// The scope in which this one is used, and the parameters that the field between them passes.
    fn entered(&self, scope: Self::Scope) -> Option<(Self::Scope, &[Param])>;

    /// The expression that is being evaluated: the innermost.
    fn running(&self) -> Option<ExprId>;

    /// Whether a guard holds whose case defines the name.
    fn decide(
        &mut self,
        scope: Self::Scope,
        guard: ExprId,
        rest: &mut Self::Rest,
    ) -> Result<Holds<Self::Condition>, Self::Stop>;

    /// Takes note of a guard whose case does not define the name. The reference evaluates it all the same: that can
    /// report a missing name, and its value is kept.
    fn pass(&mut self, scope: Self::Scope, guard: ExprId, rest: &mut Self::Rest) -> Result<(), Self::Stop>;

    /// Takes note of a definition that was found.
    fn found(&mut self, _definition: &Definition<'a, Self::Scope, Self::Condition>, _rest: Self::Rest) {}
}

/// What [`evaluate`] and [`value`] need to know.
pub trait Domain<'a>: Lookup<'a> {
    /// A value.
    type Value: Copy;
    /// What computes with values.
    type Algebra: Algebra<Value = Self::Value, Stop = Self::Stop>;

    /// The most evaluations between two calls of [`Walk::restart`].
    const EVALUATIONS: usize;

    /// The instruction set.
    fn isa(&self) -> &'a Isa;

    /// What is being evaluated.
    fn walk(&mut self) -> &mut Walk<Self::Value>;

    /// The operations.
    fn algebra(&mut self) -> &mut Self::Algebra;

    /// `x` under a condition, else `y`.
    fn choose(&mut self, condition: Self::Condition, x: Self::Value, y: Self::Value)
    -> Result<Self::Value, Self::Stop>;

    /// The value of a field that is read from the bits of a scope: the low 64 bits.
    fn bits(&mut self, scope: Self::Scope, field: &'a Field) -> Result<Self::Value, Self::Stop>;

    /// The value of a name that nothing defines, in what `rest` says. By rule 2 it is 0.
    fn missing(&mut self, name: Name, rest: Self::Rest) -> Result<Self::Value, Self::Stop>;

    /// The value that was kept for an expression.
    fn recall(&mut self, scope: Self::Scope, expr: ExprId) -> Result<Option<Self::Value>, Self::Stop>;

    /// Takes note that an expression is going to be evaluated.
    fn begin(&mut self) {}

    /// Keeps the value of an expression.
    fn keep(&mut self, scope: Self::Scope, expr: ExprId, value: Self::Value);

    /// Takes note that an expression was met again while it is being evaluated.
    fn again(&mut self) {}

    /// The value of an expression that is not evaluated because of a bound.
    fn beyond(&mut self) -> Result<Self::Value, Self::Stop>;
}

/// What is being evaluated, and how much was.
#[derive(Clone, Debug)]
pub struct Walk<V> {
    /// The outermost first.
    running: Vec<ExprId>,
    /// Values of fields and nodes of the expressions that are running.
    values: Vec<V>,
    evaluations: usize,
}

impl<V> Default for Walk<V> {
    fn default() -> Self {
        Walk { running: Vec::new(), values: Vec::new(), evaluations: 0 }
    }
}

impl<V> Walk<V> {
    /// Counts evaluations from 0 again.
    pub fn restart(&mut self) {
        self.evaluations = 0;
    }

    /// The innermost expression that is being evaluated.
    #[must_use]
    #[inline]
    pub fn running(&self) -> Option<ExprId> {
        self.running.last().copied()
    }

    /// All expressions that are being evaluated, the outermost first.
    #[must_use]
    pub fn stack(&self) -> &[ExprId] {
        &self.running
    }
}

/// One definition that a name may have.
#[derive(Clone, Copy, Debug)]
pub struct Definition<'a, S, C> {
    /// When it applies, given that none before it does; `None` if it always applies, and so is the last.
    pub when: Option<C>,
    /// The scope that has it: an outer one for a parameter.
    pub scope: S,
    /// Which case.
    pub case: usize,
    /// Which field of the case.
    pub place: usize,
    /// The field.
    pub field: &'a Field,
}

/// What [`Search::next`] gives.
pub type Next<'a, D> =
    Result<Option<Definition<'a, <D as Lookup<'a>>::Scope, <D as Lookup<'a>>::Condition>>, <D as Lookup<'a>>::Stop>;

/// A search for the definitions of a name: rule 1.
#[derive(Clone, Copy, Debug)]
pub struct Search<S, R> {
    scope: S,
    name: Name,
    /// The next case.
    case: usize,
    /// What is carried along.
    pub rest: R,
}

impl<S: Copy, R: Copy + Default> Search<S, R> {
    /// Begins at the first case of a scope.
    pub fn new(scope: S, name: Name) -> Self {
        Search { scope, name, case: 0, rest: R::default() }
    }

    /// The next definition that may apply; `None` if nothing else defines the name. After a definition without a
    /// condition there is nothing to search for.
    ///
    /// # Errors
    /// Those of the domain.
    #[inline]
    pub fn next<'a, D>(&mut self, domain: &mut D) -> Next<'a, D>
    where
        D: Lookup<'a, Scope = S, Rest = R> + ?Sized,
    {
        loop {
            let (scope, cases) = (self.scope, &domain.encoding(self.scope).cases);
            while let Some(case) = cases.get(self.case) {
                self.case += 1;
                let place = case.fields.iter().position(|field| field.name == self.name);
                let mut when = None;
                if let Some(guard) = case.guard.filter(|&guard| domain.running() != Some(guard)) {
                    if place.is_none() {
                        domain.pass(scope, guard, &mut self.rest)?;
                        continue;
                    }
                    match domain.decide(scope, guard, &mut self.rest)? {
                        Holds::Always => {}
                        Holds::Never => continue,
                        Holds::If(condition) => when = Some(condition),
                    }
                }
                let Some(place) = place else { continue };
                let found = Definition { when, scope, case: self.case - 1, place, field: &case.fields[place] };
                domain.found(&found, self.rest);
                return Ok(Some(found));
            }
            // Parameters are looked up further out, so this ends.
            let Some((outer, params)) = domain.entered(scope) else { return Ok(None) };
            let Some(param) = params.iter().find(|param| param.as_name == self.name) else { return Ok(None) };
            (self.scope, self.name, self.case) = (outer, param.name, 0);
        }
    }
}

/// The value of a field that was found in a scope, as expressions see it: rule 2.
///
/// # Errors
/// Those of the domain.
#[inline]
pub fn value<'a, D: Domain<'a>>(domain: &mut D, scope: D::Scope, field: &'a Field) -> Result<D::Value, D::Stop> {
    let whole = match field.source {
        FieldSource::Derived(expr) => evaluate(domain, scope, expr)?,
        FieldSource::Bits(_) => domain.bits(scope, field)?,
    };
    let cut = IntType { bits: domain.isa().value_bits(), signed: false };
    domain.algebra().cast(cut, whole)
}

/// The value of a name in a scope, as expressions see it: rules 1 and 2.
fn named<'a, D: Domain<'a>>(domain: &mut D, scope: D::Scope, name: Name) -> Result<D::Value, D::Stop> {
    let mut search = Search::new(scope, name);
    // Empty where nothing is undecided.
    let mut before = Vec::new();
    let mut result = loop {
        let Some(found) = search.next(domain)? else { break domain.missing(name, search.rest)? };
        let value = value(domain, found.scope, found.field)?;
        match found.when {
            None => break value,
            Some(condition) => before.push((condition, value)),
        }
    };
    while let Some((condition, value)) = before.pop() {
        result = domain.choose(condition, value, result)?;
    }
    Ok(result)
}

/// The value of an expression in a scope: rules 3 and 4.
///
/// # Errors
/// Those of the domain.
pub fn evaluate<'a, D: Domain<'a>>(domain: &mut D, scope: D::Scope, expr: ExprId) -> Result<D::Value, D::Stop> {
    if let Some(value) = domain.recall(scope, expr)? {
        return Ok(value);
    }
    let running = &domain.walk().running;
    let depth = running.len();
    if let Some(at) = running.iter().rposition(|&running| running == expr) {
        domain.again();
        if at > 0 {
            return domain.algebra().constant(0);
        }
    }
    let walk = domain.walk();
    if depth >= MAX_EXPR_DEPTH || walk.evaluations >= D::EVALUATIONS {
        return domain.beyond();
    }
    walk.evaluations += 1;
    walk.running.push(expr);
    let base = walk.values.len();
    domain.begin();
    let value = compute(domain, scope, expr);
    let walk = domain.walk();
    walk.running.pop();
    walk.values.truncate(base);
    let value = value?;
    domain.keep(scope, expr, value);
    Ok(value)
}

fn compute<'a, D: Domain<'a>>(domain: &mut D, scope: D::Scope, expr: ExprId) -> Result<D::Value, D::Stop> {
    let expr = &domain.isa()[expr];
    for &name in &expr.fields {
        let value = named(domain, scope, name)?;
        domain.walk().values.push(value);
    }
    let mut stack = std::mem::take(&mut domain.walk().values);
    let value = expr.compute(domain.algebra(), &mut stack);
    domain.walk().values = stack;
    value
}

/// Which expressions can come to evaluate which: says whether their values depend on what was evaluated before.
///
/// If A needs B, and B evaluates A on the way (needed or not, say as a guard that it passes), then B may see A as 0, and
/// that is kept. Expressions are compared by identity and not by scope, for that is how rule 3 compares them.
#[derive(Clone, Debug, Default)]
pub struct Order {
    evaluates: FxHashMap<ExprId, Vec<ExprId>>,
    needs: Vec<(ExprId, ExprId)>,
}

impl Order {
    /// Takes note that `from` can evaluate `on`, and whether the value of `on` counts for that of `from`.
    pub fn add(&mut self, from: ExprId, on: ExprId, needed: bool) {
        self.evaluates.entry(from).or_default().push(on);
        if needed {
            self.needs.push((from, on));
        }
    }

    /// Whether any of the values can depend on the order: where this is `false`, each has its plain value.
    #[must_use]
    pub fn matters(&self) -> bool {
        self.needs.iter().any(|&(from, on)| self.reaches(on, from)) || self.is_long()
    }

    /// Whether there is a way from one expression to another, or they are the same.
    fn reaches(&self, from: ExprId, to: ExprId) -> bool {
        let mut seen = FxHashSet::default();
        let mut work = vec![from];
        while let Some(at) = work.pop() {
            if at == to {
                return true;
            }
            if seen.insert(at) {
                work.extend(self.evaluates.get(&at).into_iter().flatten());
            }
        }
        false
    }

    /// Whether a chain can be as long as [`MAX_EXPR_DEPTH`]: then it also counts what was evaluated before.
    fn is_long(&self) -> bool {
        if self.evaluates.len() + 1 < MAX_EXPR_DEPTH {
            return false;
        }
        // Expressions that end no later than the bound are taken away, those without successors first.
        let mut left: Vec<ExprId> = self.evaluates.keys().copied().collect();
        for _ in 1..MAX_EXPR_DEPTH {
            let ends: FxHashSet<ExprId> = left.iter().copied().collect();
            left.retain(|at| self.evaluates[at].iter().any(|on| ends.contains(on)));
        }
        !left.is_empty()
    }
}
