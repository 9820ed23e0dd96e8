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

use isaglot_model::{ExprId, FieldSource, Name};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::compile::{Compiler, Context};
use crate::graph::ValueId;
use crate::limits::{MAX_EXPR_DEPTH, MAX_SIMULATION};

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
    pub(crate) fn safe_in_any_order(&self, context: Context, expr: ExprId) -> bool {
        let mut seen = FxHashSet::default();
        let mut work = vec![(context, expr)];
        let mut evaluated: FxHashMap<ExprId, Vec<ExprId>> = FxHashMap::default();
        let mut needed = Vec::new();
        while let Some((context, expr)) = work.pop() {
            if !seen.insert((context, expr)) {
                continue;
            }
            for &name in &self.plan().isa()[expr].fields {
                let found = self.dependencies(context, name, Some(expr), &mut |context, on, is_needed| {
                    evaluated.entry(expr).or_default().push(on);
                    if is_needed {
                        needed.push((expr, on));
                    }
                    work.push((context, on));
                });
                if !found {
                    return false;
                }
            }
        }
        !needed.iter().any(|&(from, on)| reaches(&evaluated, on, from))
    }

    /// Reports what the reference may evaluate to find `name` for `running`, and whether its value matters; gives
    /// whether the name is found in any event.
    pub(crate) fn dependencies(
        &self,
        context: Context,
        name: Name,
        running: Option<ExprId>,
        report: &mut dyn FnMut(Context, ExprId, bool),
    ) -> bool {
        let (mut context, mut name) = (context, name);
        loop {
            let place = self.place(context);
            for case in &self.plan().isa()[place.encoding].cases {
                let field = case.fields.iter().find(|field| field.name == name);
                let guard = match case.guard {
                    Some(guard) if Some(guard) != running => match place.known(guard) {
                        Some(false) => continue,
                        Some(true) => None,
                        None => Some(guard),
                    },
                    _ => None,
                };
                if let Some(guard) = guard {
                    report(context, guard, field.is_some());
                }
                let Some(field) = field else { continue };
                if let FieldSource::Derived(expr) = field.source {
                    report(context, expr, true);
                }
                if guard.is_none() {
                    return true;
                }
            }
            match self.outer(context, name) {
                Some(outer) => (context, name) = outer,
                None => return false,
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
        let mut run = Simulation { compiler: self, context, stack: Vec::new(), values: memory.done, steps: 0 };
        run.evaluate(expr)?;
        Some(Memory { done: run.values, unsure: false })
    }
}

/// The reference's algorithm in one scope, over values of the graph.
struct Simulation<'s, 'p, 'a> {
    compiler: &'s mut Compiler<'p, 'a>,
    context: Context,
    stack: Vec<ExprId>,
    /// The reference's memory.
    values: FxHashMap<ExprId, ValueId>,
    steps: usize,
}

impl<'a> Simulation<'_, '_, 'a> {
    /// The value; `None` if that cannot be said.
    fn evaluate(&mut self, expr: ExprId) -> Option<ValueId> {
        if let Some(&value) = self.values.get(&expr) {
            return Some(value);
        }
        if self.stack.iter().skip(1).any(|&running| running == expr) {
            return self.compiler.graph.constant(0);
        }
        self.steps += 1;
        if self.stack.len() >= MAX_EXPR_DEPTH || self.steps > MAX_SIMULATION {
            return None;
        }
        self.stack.push(expr);
        let mut fields = Vec::new();
        for &name in &self.compiler.plan().isa()[expr].fields {
            fields.push((name, self.field(name, expr)?));
        }
        self.stack.pop();
        let value = self.compiler.operate(expr, &fields)?;
        self.values.insert(expr, value);
        Some(value)
    }

    fn field(&mut self, name: Name, running: ExprId) -> Option<ValueId> {
        let encoding = self.compiler.place(self.context).encoding;
        for case in &self.compiler.plan().isa()[encoding].cases {
            let field = case.fields.iter().find(|field| field.name == name);
            if let Some(guard) = case.guard
                && guard != running
            {
                let holds = match self.compiler.place(self.context).known(guard) {
                    Some(holds) => holds,
                    None => {
                        let value = self.evaluate(guard)?;
                        match (field, self.compiler.graph.as_const(value)) {
                            (None, _) => false,
                            (Some(_), Some(value)) => value != 0,
                            // Whether the walk ends here is a matter of values.
                            (Some(_), None) => return None,
                        }
                    }
                };
                if !holds {
                    continue;
                }
            }
            if let Some(field) = field {
                let value = match &field.source {
                    FieldSource::Bits(_) => self.compiler.field_value(field, self.context)?,
                    FieldSource::Derived(expr) => self.evaluate(*expr)?,
                };
                return self.compiler.cut(value);
            }
        }
        let (outer, name) = self.compiler.outer(self.context, name)?;
        self.outside(outer, name, running)
    }

    /// A name of an outer scope. Out there only expressions that have their plain value in any order will do, and none
    /// that is running here.
    fn outside(&mut self, outer: Context, name: Name, running: ExprId) -> Option<ValueId> {
        let mut work = Vec::new();
        let found =
            self.compiler.dependencies(outer, name, Some(running), &mut |context, on, _| work.push((context, on)));
        if !found || !work.iter().all(|&(context, on)| self.compiler.safe_in_any_order(context, on)) {
            return None;
        }
        let mut seen = FxHashSet::default();
        while let Some((context, expr)) = work.pop() {
            if !seen.insert((context, expr)) {
                continue;
            }
            if self.stack.contains(&expr) {
                return None;
            }
            for &name in &self.compiler.plan().isa()[expr].fields {
                self.compiler.dependencies(context, name, Some(expr), &mut |context, on, _| work.push((context, on)));
            }
        }
        self.compiler.named_value(outer, name, Some(running))
    }
}

/// Whether there is a way from one expression to another, or they are the same.
fn reaches(edges: &FxHashMap<ExprId, Vec<ExprId>>, from: ExprId, to: ExprId) -> bool {
    let mut seen = FxHashSet::default();
    let mut work = vec![from];
    while let Some(at) = work.pop() {
        if at == to {
            return true;
        }
        if seen.insert(at) {
            work.extend(edges.get(&at).into_iter().flatten());
        }
    }
    false
}
