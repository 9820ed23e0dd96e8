//! Statements, run on values that are partly known: both ways of an `if` on something unknown, and every round of a loop.

use isaglot_semantics::BinaryOp;
use isaglot_source::Span;

use super::graph::Id;
use super::state::{Because, Run, Step, Stop, refuse};
use super::value::{Slot, Value, bits, truth};
use crate::formats::idl::syntax::{Declared, Expr, ExprKind, Op, Stmt, StmtKind, Type};
use crate::limits;

/// How a list of statements ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Flow {
    /// Execution goes on after it.
    Next,
    /// Every way has trapped.
    Trapped,
    /// Every way has trapped or returned.
    Returned,
}

impl Run<'_> {
    pub(super) fn statements(&mut self, list: &[Stmt]) -> Step<Flow> {
        for s in list {
            self.spend(s.span)?;
            match self.inner(s.span, |run| run.statement(s)) {
                Ok(Flow::Next) => {}
                Ok(ended) => return Ok(ended),
                Err(Stop::Trapped) => {
                    let frame = self.frame().path;
                    let returned = self.path[frame.min(self.path.len())..].iter().any(|p| p.1 == Because::Returned);
                    return Ok(if returned { Flow::Returned } else { Flow::Trapped });
                }
                Err(refused) => return Err(refused),
            }
        }
        Ok(Flow::Next)
    }

    fn block(&mut self, list: &[Stmt]) -> Step<Flow> {
        self.frame().scopes.push(Vec::new());
        let flow = self.statements(list);
        self.frame().scopes.pop();
        flow
    }

    fn statement(&mut self, s: &Stmt) -> Step<Flow> {
        match &s.kind {
            StmtKind::Declare(ty, names, value) => self.declaration(ty, names, value.as_ref())?,
            StmtKind::Assign(place, value) => {
                let value = self.expr(value)?;
                self.assign(place, value)?;
            }
            StmtKind::Unpack(places, call) => {
                let values = self.call_all(call)?;
                for (place, value) in places.iter().zip(values) {
                    if let Some(place) = place {
                        self.assign(place, value)?;
                    }
                }
            }
            StmtKind::Call(call) => {
                self.call_all(call)?;
            }
            StmtKind::Step(place, up) => {
                let value = self.expr(place)?;
                let (id, signed) = bits(&value, place.span)?;
                let one = self.graph.number(1, self.graph.width(id));
                let op = if *up { BinaryOp::Add } else { BinaryOp::Sub };
                let next = self.graph.binary(op, id, one);
                self.assign(place, Value::Bits(next, signed))?;
            }
            StmtKind::If(arms, otherwise) => return self.conditional(arms, otherwise, s.span),
            StmtKind::For(first, condition, step, body) => return self.repeat(first, condition, step, body),
            StmtKind::Return(values) => {
                let mut made = Vec::new();
                for value in values {
                    made.push(self.expr(value)?);
                }
                return Ok(self.give(made));
            }
            StmtKind::Guarded(inner, condition) => {
                let inner = std::slice::from_ref(&**inner);
                return self.branch(condition, s.span, |run| run.statements(inner), |_| Ok(Flow::Next));
            }
        }
        Ok(Flow::Next)
    }

    /// Remembers what is returned here.
    fn give(&mut self, values: Vec<Value>) -> Flow {
        let start = self.frame().path;
        let conditions: Vec<Id> =
            self.path[start.min(self.path.len())..].iter().filter(|p| p.1 == Because::Guard).map(|p| p.0).collect();
        let mut all = self.graph.bit(true);
        for c in conditions {
            all = self.graph.binary(BinaryOp::And, all, c);
        }
        self.frame().returned.push((all, values));
        Flow::Returned
    }

    fn declaration(&mut self, ty: &Type, names: &[Declared], value: Option<&Expr>) -> Step<()> {
        let fixed = self.fixed(ty)?;
        for declared in names {
            let span = declared.name.span;
            let value = match (value, &declared.length) {
                (Some(value), None) => {
                    let value = self.expr(value)?;
                    self.fit(value, &fixed, span)
                }
                (None, None) => self.initial(ty, &fixed)?,
                (None, Some(length)) => {
                    let length = self.expr(length)?;
                    let n = self.known(&length, span)?.min(limits::MAX_IDL_WIDTH.into()) as usize;
                    let one = self.initial(ty, &fixed)?;
                    Value::Array(vec![one; n])
                }
                (Some(_), Some(_)) => return refuse("unsupported", "an array with a value", span),
            };
            self.declare(&declared.name.text, fixed.clone(), value);
        }
        Ok(())
    }

    fn conditional(&mut self, arms: &[(Expr, Vec<Stmt>)], otherwise: &[Stmt], span: Span) -> Step<Flow> {
        match arms.split_first() {
            Some(((condition, then), rest)) => self.inner(span, |run| {
                run.branch(condition, span, |run| run.block(then), |run| run.conditional(rest, otherwise, span))
            }),
            None => self.block(otherwise),
        }
    }

    /// One way or the other, or both.
    fn branch(
        &mut self,
        condition: &Expr,
        span: Span,
        yes: impl FnOnce(&mut Self) -> Step<Flow>,
        no: impl FnOnce(&mut Self) -> Step<Flow>,
    ) -> Step<Flow> {
        let value = self.expr(condition)?;
        let c = truth(&mut self.graph, &value, condition.span)?;
        match self.decide(c) {
            Some(true) => return yes(self),
            Some(false) => return no(self),
            None => {}
        }
        let before = self.frame().scopes.clone();
        self.spent += before.iter().map(Vec::len).sum::<usize>() / 8;
        let (flow_yes, facts_yes) = self.way(c, yes)?;
        let after = std::mem::replace(&mut self.frame().scopes, before);
        let not = self.graph.not(c);
        let (flow_no, facts_no) = self.way(not, no)?;
        match (flow_yes, flow_no) {
            (Flow::Next, Flow::Next) => {
                self.join(c, after, span)?;
                let live = self.graph.select(c, facts_yes.live, facts_no.live);
                if self.graph.truth(live) != Some(true) {
                    self.path.push((live, Because::Returned));
                }
            }
            (Flow::Next, ended) => {
                self.frame().scopes = after;
                self.path.push((c, because(ended)));
                self.path.extend(facts_yes.known);
            }
            (ended, Flow::Next) => {
                self.path.push((not, because(ended)));
                self.path.extend(facts_no.known);
            }
            (Flow::Trapped, Flow::Trapped) => return Ok(Flow::Trapped),
            _ => return Ok(Flow::Returned),
        }
        Ok(Flow::Next)
    }

    /// Runs one way; what it has learned, and whether it goes on.
    fn way(&mut self, c: Id, body: impl FnOnce(&mut Self) -> Step<Flow>) -> Step<(Flow, Facts)> {
        let start = self.path.len();
        self.path.push((c, Because::Guard));
        let flow = match body(self) {
            Err(Stop::Trapped) => Flow::Trapped,
            other => other?,
        };
        let known: Vec<(Id, Because)> = self.path.drain(start..).skip(1).collect();
        let mut live = self.graph.bit(true);
        for (c, _) in known.iter().filter(|k| k.1 == Because::Returned) {
            live = self.graph.binary(BinaryOp::And, live, *c);
        }
        Ok((flow, Facts { known, live }))
    }

    /// Variables after both ways: as `theirs` has them if `c` holds.
    fn join(&mut self, c: Id, theirs: Vec<Vec<Slot>>, span: Span) -> Step<()> {
        let mut scopes = std::mem::take(&mut self.frame().scopes);
        for (ours, theirs) in scopes.iter_mut().zip(theirs) {
            for (slot, other) in ours.iter_mut().zip(theirs) {
                if slot.value != other.value {
                    slot.value = self.choose(c, &other.value, &slot.value, span)?;
                }
            }
        }
        self.frame().scopes = scopes;
        Ok(())
    }

    fn repeat(&mut self, first: &Stmt, condition: &Expr, step: &Stmt, body: &[Stmt]) -> Step<Flow> {
        self.frame().scopes.push(Vec::new());
        let flow = self.rounds(first, condition, step, body);
        self.frame().scopes.pop();
        flow
    }

    fn rounds(&mut self, first: &Stmt, condition: &Expr, step: &Stmt, body: &[Stmt]) -> Step<Flow> {
        self.statement(first)?;
        let zero = |e: &Expr| matches!(&e.kind, ExprKind::Number(n) if n.value == 0);
        if let ExprKind::Binary(Op::Ge, x, y) = &condition.kind
            && zero(y)
        {
            let value = self.expr(x)?;
            if matches!(value, Value::Bits(_, false)) {
                self.find(
                    "idl-endless-loop",
                    "an unsigned value is never below 0, so this loop does not end",
                    condition.span,
                );
            }
        }
        for _ in 0..limits::MAX_IDL_ROUNDS {
            let value = self.expr(condition)?;
            let c = truth(&mut self.graph, &value, condition.span)?;
            match self.decide(c) {
                Some(true) => {}
                Some(false) => return Ok(Flow::Next),
                None => {
                    return refuse("loop", "how often this loop runs depends on values of registers", condition.span);
                }
            }
            let flow = self.block(body)?;
            if flow != Flow::Next {
                return Ok(flow);
            }
            self.statement(step)?;
        }
        self.find("idl-endless-loop", "this loop does not end", condition.span);
        refuse("loop", format!("this loop runs more than {} times", limits::MAX_IDL_ROUNDS), condition.span)
    }
}

/// What one way has learned.
struct Facts {
    /// What holds where it goes on.
    known: Vec<(Id, Because)>,
    /// One bit: it has not returned.
    live: Id,
}

fn because(ended: Flow) -> Because {
    if ended == Flow::Trapped { Because::Trapped } else { Because::Returned }
}
