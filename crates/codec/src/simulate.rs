//! Which value an expression has when the reference evaluates it, worked out ahead of time.
//!
//! The reference evaluates more than it needs: every guard on the way to a name. If A is needed for B, and B is
//! evaluated, needed or not, on the way to A, then B may see A as 0, and that is remembered. There are two ways out:
//!
//! * *In any order*: where no needed expression lies on a circle of evaluated ones, the value is the plain one.
//! * *In this order*: the steps of the reference's algorithm, gone through from an empty memory with values of the graph
//!   in place of numbers, give the value. This works where no value decides which steps are taken, which is the rule: a
//!   guard decides only if its case has the name in question.
//!
//! Expressions are compared by identity, not by scope, for that is how the reference's stack compares.

use std::convert::Infallible;

use isaglot_model::{Algebra as _, Encoding, ExprId, Field, FieldSource, Isa, Name, Param};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::compile::{Compiler, Context};
use crate::graph::{Graph, Unsure, ValueId};
use crate::limits::MAX_SIMULATION;
use crate::resolve::{self, Domain, Holds, Lookup, Order, Search, Walk};

/// What the reference remembers about the expressions of a scope at some point.
#[derive(Clone, Debug, Default)]
pub(crate) struct Memory {
    /// Evaluated, with their values.
    pub(crate) done: FxHashMap<ExprId, ValueId>,
    /// There may be more than that.
    pub(crate) unsure: bool,
}

impl Compiler<'_, '_> {
    /// Whether an expression has its plain value, and misses no name, whatever was evaluated before.
    #[must_use]
    pub fn safe_in_any_order(&self, context: Context, expr: ExprId) -> bool {
        let mut order = Order::default();
        let (_, finds) = self.reach(vec![(context, expr)], &mut |from, on, is_needed| order.add(from, on, is_needed));
        finds && !order.matters()
    }

    /// Everything that the reference may evaluate for these expressions, themselves included, and whether it finds every
    /// name. Reports which expression can evaluate which, and whether that value matters.
    pub(crate) fn reach(
        &self,
        mut work: Vec<(Context, ExprId)>,
        report: &mut dyn FnMut(ExprId, ExprId, bool),
    ) -> (FxHashSet<(Context, ExprId)>, bool) {
        let (mut seen, mut finds) = (FxHashSet::default(), true);
        while let Some((context, expr)) = work.pop() {
            if !seen.insert((context, expr)) {
                continue;
            }
            for &name in &self.plan().isa()[expr].fields {
                finds &= self.dependencies(context, name, Some(expr), &mut |context, on, is_needed| {
                    report(expr, on, is_needed);
                    work.push((context, on));
                });
            }
        }
        (seen, finds)
    }

    /// Reports what the reference may evaluate to find `name` for `running`, and whether its value matters; gives
    /// whether the name is found whatever the guards are.
    pub(crate) fn dependencies(
        &self,
        context: Context,
        name: Name,
        running: Option<ExprId>,
        report: &mut dyn FnMut(Context, ExprId, bool),
    ) -> bool {
        let mut reach = Reach { compiler: self, running, report };
        let mut search = Search::new(context, name);
        loop {
            let Ok(Some(found)) = search.next(&mut reach) else { return false };
            if let FieldSource::Derived(expr) = found.field.source {
                (reach.report)(found.scope, expr, true);
            }
            if found.when.is_none() {
                return true;
            }
        }
    }

    /// The memory after `expr` is evaluated on top of that of the context; `None` if that cannot be said.
    pub(crate) fn simulate(&mut self, context: Context, expr: ExprId) -> Option<Memory> {
        let memory = self.place(context).memory.clone()?;
        if memory.done.contains_key(&expr) {
            return Some(memory);
        }
        if memory.unsure {
            return None;
        }
        let mut run = Simulation { compiler: self, context, walk: Walk::default(), values: memory.done };
        resolve::evaluate(&mut run, context, expr).ok()?;
        Some(Memory { done: run.values, unsure: false })
    }
}

/// What a search may reach, whatever the guards are.
struct Reach<'c, 'p, 'a, 'r> {
    compiler: &'c Compiler<'p, 'a>,
    running: Option<ExprId>,
    report: &'r mut dyn FnMut(Context, ExprId, bool),
}

impl<'a> Lookup<'a> for Reach<'_, '_, 'a, '_> {
    type Scope = Context;
    type Condition = ();
    type Rest = ();
    type Stop = Infallible;

    fn encoding(&self, context: Context) -> &'a Encoding {
        Lookup::encoding(self.compiler, context)
    }

    fn entered(&self, context: Context) -> Option<(Context, &[Param])> {
        self.compiler.entered(context)
    }

    fn running(&self) -> Option<ExprId> {
        self.running
    }

    fn decide(&mut self, context: Context, guard: ExprId, (): &mut ()) -> Result<Holds<()>, Infallible> {
        Ok(match self.compiler.place(context).known(guard) {
            Some(true) => Holds::Always,
            Some(false) => Holds::Never,
            None => {
                (self.report)(context, guard, true);
                Holds::If(())
            }
        })
    }

    fn pass(&mut self, context: Context, guard: ExprId, (): &mut ()) -> Result<(), Infallible> {
        if self.compiler.place(context).known(guard).is_none() {
            (self.report)(context, guard, false);
        }
        Ok(())
    }
}

/// The walk of [`crate::resolve`] with the memory of one scope, over values of the graph. It stops where a guard of the
/// scope is not constant: whether the search ends there is a matter of values.
struct Simulation<'s, 'p, 'a> {
    compiler: &'s mut Compiler<'p, 'a>,
    context: Context,
    walk: Walk<ValueId>,
    /// The reference's memory.
    values: FxHashMap<ExprId, ValueId>,
}

impl Simulation<'_, '_, '_> {
    /// Whether an expression of an outer scope has its plain value: in any order, and nothing that it may evaluate is
    /// running here.
    fn is_plain(&self, context: Context, expr: ExprId) -> bool {
        let mut order = Order::default();
        let mut add = |from, on, is_needed| order.add(from, on, is_needed);
        let (all, finds) = self.compiler.reach(vec![(context, expr)], &mut add);
        finds && all.iter().all(|(_, expr)| !self.walk.stack().contains(expr)) && !order.matters()
    }
}

impl<'a> Lookup<'a> for Simulation<'_, '_, 'a> {
    type Scope = Context;
    type Condition = ValueId;
    type Rest = ();
    type Stop = Unsure;

    fn encoding(&self, context: Context) -> &'a Encoding {
        Lookup::encoding(self.compiler, context)
    }

    fn entered(&self, context: Context) -> Option<(Context, &[Param])> {
        self.compiler.entered(context)
    }

    fn running(&self) -> Option<ExprId> {
        self.walk.running()
    }

    fn decide(&mut self, context: Context, guard: ExprId, (): &mut ()) -> Result<Holds<ValueId>, Unsure> {
        match self.compiler.place(context).known(guard) {
            Some(true) => return Ok(Holds::Always),
            Some(false) => return Ok(Holds::Never),
            None => {}
        }
        let value = resolve::evaluate(self, context, guard)?;
        match self.compiler.graph.as_const(value) {
            Some(0) => Ok(Holds::Never),
            Some(_) => Ok(Holds::Always),
            // In an outer scope both ways are followed: nothing there depends on the order.
            None if context != self.context => Ok(Holds::If(value)),
            None => Err(Unsure),
        }
    }

    fn pass(&mut self, context: Context, guard: ExprId, (): &mut ()) -> Result<(), Unsure> {
        if self.compiler.place(context).known(guard).is_some() {
            return Ok(());
        }
        if context != self.context {
            return if self.is_plain(context, guard) { Ok(()) } else { Err(Unsure) };
        }
        resolve::evaluate(self, context, guard).map(drop)
    }
}

impl<'a> Domain<'a> for Simulation<'_, '_, 'a> {
    type Value = ValueId;
    type Algebra = Graph;

    const EVALUATIONS: usize = MAX_SIMULATION;

    fn isa(&self) -> &'a Isa {
        self.compiler.plan().isa()
    }

    fn walk(&mut self) -> &mut Walk<ValueId> {
        &mut self.walk
    }

    fn algebra(&mut self) -> &mut Graph {
        &mut self.compiler.graph
    }

    fn choose(&mut self, condition: ValueId, x: ValueId, y: ValueId) -> Result<ValueId, Unsure> {
        self.compiler.graph.select(condition, x, y)
    }

    fn bits(&mut self, context: Context, field: &'a Field) -> Result<ValueId, Unsure> {
        self.compiler.bits_of(field, context)
    }

    fn missing(&mut self, _: Name, (): ()) -> Result<ValueId, Unsure> {
        Err(Unsure)
    }

    fn recall(&mut self, context: Context, expr: ExprId) -> Result<Option<ValueId>, Unsure> {
        if context == self.context {
            return Ok(self.values.get(&expr).copied());
        }
        if !self.is_plain(context, expr) {
            return Err(Unsure);
        }
        self.compiler.expression(context, expr).ok_or(Unsure).map(Some)
    }

    fn keep(&mut self, _: Context, expr: ExprId, value: ValueId) {
        self.values.insert(expr, value);
    }

    fn beyond(&mut self) -> Result<ValueId, Unsure> {
        Err(Unsure)
    }
}
