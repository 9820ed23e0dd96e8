//! Which expressions have their plain value when the reference evaluates them, worked out ahead of time.
//!
//! The reference evaluates more than it needs: every guard on the way to a name. If A is needed for B, and B is
//! evaluated, needed or not, on the way to A, then B may see A as 0, and that is remembered. Two arguments show that
//! nothing of the kind happens:
//!
//! * *In any order*: no needed expression lies on a circle of evaluated ones.
//! * *In this order*: the steps of the reference's algorithm, gone through from an empty memory, never use a value that
//!   is not the plain one. This works where no value decides which steps are taken, which is the rule: a guard decides
//!   only if its case has the name in question.
//!
//! Expressions are compared by identity, not by scope, for that is how the reference's stack compares.

use isaglot_model::{ExprId, FieldSource, Name};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::compile::{Compiler, Context};
use crate::limits::{MAX_EXPR_DEPTH, MAX_SIMULATION};

/// What the reference remembers about the expressions of a scope at some point.
#[derive(Clone, Debug, Default)]
pub(crate) struct Memory {
    /// Evaluated, with their plain values.
    pub(crate) done: FxHashSet<ExprId>,
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

    /// The memory after `expr` is evaluated on top of `memory`; `None` if a value then is not, or may not be, the plain
    /// one.
    pub(crate) fn simulate(&self, context: Context, expr: ExprId, memory: &Memory) -> Option<Memory> {
        if memory.done.contains(&expr) {
            return Some(memory.clone());
        }
        if memory.unsure {
            return None;
        }
        let known = memory.done.iter().map(|&expr| (expr, true)).collect();
        let mut run = Simulation { compiler: self, context, stack: Vec::new(), values: known, steps: 0 };
        run.evaluate(expr)?;
        let plain = run.values.values().all(|&plain| plain);
        plain.then(|| Memory { done: run.values.into_keys().collect(), unsure: false })
    }
}

/// The reference's algorithm in one scope, with "is it the plain value" in place of values.
struct Simulation<'s, 'p, 'a> {
    compiler: &'s Compiler<'p, 'a>,
    context: Context,
    stack: Vec<ExprId>,
    /// The reference's memory.
    values: FxHashMap<ExprId, bool>,
    steps: usize,
}

impl Simulation<'_, '_, '_> {
    /// Whether the value is the plain one; `None` if that cannot be said.
    fn evaluate(&mut self, expr: ExprId) -> Option<bool> {
        if let Some(&plain) = self.values.get(&expr) {
            return Some(plain);
        }
        if self.stack.iter().skip(1).any(|&running| running == expr) {
            return Some(false);
        }
        self.steps += 1;
        if self.stack.len() >= MAX_EXPR_DEPTH || self.steps > MAX_SIMULATION {
            return None;
        }
        self.stack.push(expr);
        let mut plain = true;
        for &name in &self.compiler.plan().isa()[expr].fields {
            plain &= self.field(name, expr)?;
        }
        self.stack.pop();
        self.values.insert(expr, plain);
        Some(plain)
    }

    fn field(&mut self, name: Name, running: ExprId) -> Option<bool> {
        let place = self.compiler.place(self.context);
        for case in &self.compiler.plan().isa()[place.encoding].cases {
            let field = case.fields.iter().find(|field| field.name == name);
            if let Some(guard) = case.guard
                && guard != running
            {
                match place.known(guard) {
                    Some(true) => {}
                    Some(false) => continue,
                    None => {
                        self.evaluate(guard)?;
                        // Whether the walk ends here is a matter of values.
                        if field.is_some() {
                            return None;
                        }
                        continue;
                    }
                }
            }
            match field.map(|field| &field.source) {
                None => {}
                Some(FieldSource::Bits(_)) => return Some(true),
                Some(FieldSource::Derived(expr)) => return self.evaluate(*expr),
            }
        }
        let (outer, name) = self.compiler.outer(self.context, name)?;
        // Out there only expressions that have their plain value in any order will do, and none that is running here.
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
        Some(true)
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
