//! Statements, run on values that are partly known.
//!
//! The *path* is the list of conditions that hold here. A condition of an `if` around is a guard of every effect. What is
//! known because another way has trapped needs no guard, since nothing comes after a trap. What is known because another
//! way has returned is a guard until the function ends.

use isaglot_semantics::BinaryOp;
use isaglot_source::{Diagnostic, Span};

use super::graph::{Graph, Id};
use super::value::{Fixed, Slot, Value, bits, truth};
use super::{DecodeField, Program, Refusal, Target, UNDEFINED};
use crate::formats::idl::syntax::{Declared, Expr, ExprKind, Op, Stmt, StmtKind, Type};
use crate::limits;

/// Why a way through the text ends early.
pub(crate) enum Stop {
    /// The instruction has ended.
    Trapped,
    /// The text has no form in the semantics language.
    Refused(Refusal),
}

pub(crate) type Step<T> = Result<T, Stop>;

/// Ends the run: there is no form of this.
pub(crate) fn refuse<T>(class: &'static str, message: impl Into<String>, span: Span) -> Step<T> {
    Err(Stop::Refused(Refusal { class, message: message.into(), span }))
}

/// Why a condition holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Because {
    /// Of an `if` around.
    Guard,
    /// The other way has trapped.
    Trapped,
    /// The other way has returned.
    Returned,
}

/// Something that happens.
#[derive(Clone, Debug)]
pub(crate) enum Effect {
    /// A register is read; the value is this node.
    Read(Id),
    /// A register gets a value.
    Write(Id, Id),
    /// Memory at an address is read as so many bits; the result's number.
    Load(u32, Id, u32),
    /// Memory at an address gets a value.
    Store(Id, Id),
    /// Something outside is called: its name, arguments, and the result's number.
    Call(&'static str, Vec<Id>, Option<u32>),
    /// Execution goes on elsewhere.
    Jump(Id),
    /// The instruction ends.
    Trap(String, Option<Id>),
}

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

/// A call that is being run.
#[derive(Default)]
struct Frame {
    scopes: Vec<Vec<Slot>>,
    /// The path when it began.
    path: usize,
    /// What it has returned so far, each under a condition that holds only if none before does.
    returned: Vec<(Id, Vec<Value>)>,
}

/// A run.
pub(crate) struct Run<'a> {
    pub(crate) program: &'a Program,
    pub(crate) target: &'a Target,
    pub(crate) fields: &'a [DecodeField],
    pub(crate) graph: Graph,
    pub(crate) effects: Vec<(Vec<Id>, Effect)>,
    pub(crate) findings: Vec<Diagnostic>,
    pub(crate) results: u32,
    pub(crate) writes: u32,
    path: Vec<(Id, Because)>,
    frames: Vec<Frame>,
    spent: usize,
    deep: usize,
}

impl<'a> Run<'a> {
    pub(crate) fn new(program: &'a Program, target: &'a Target, fields: &'a [DecodeField]) -> Run<'a> {
        Run {
            program,
            target,
            fields,
            graph: Graph::default(),
            effects: Vec::new(),
            findings: Vec::new(),
            results: 0,
            writes: 0,
            path: Vec::new(),
            frames: vec![Frame { scopes: vec![Vec::new()], ..Frame::default() }],
            spent: 0,
            deep: 0,
        }
    }

    /// Runs an instruction.
    pub(crate) fn whole(&mut self, body: &[Stmt]) -> Result<(), Refusal> {
        match self.statements(body) {
            Ok(_) | Err(Stop::Trapped) => Ok(()),
            Err(Stop::Refused(why)) => Err(why),
        }
    }

    pub(crate) fn xlen(&self) -> u32 {
        self.target.xlen.bits()
    }

    /// Counts a step; a run has only so many.
    pub(crate) fn spend(&mut self, span: Span) -> Step<()> {
        self.spent += 1;
        let many = self.graph.len() > limits::MAX_IDL_VALUES || self.effects.len() > limits::MAX_IDL_EFFECTS;
        if many || self.spent > limits::MAX_IDL_STEPS {
            return refuse("too-large", "the text takes too many steps", span);
        }
        Ok(())
    }

    /// Runs something one level further in.
    pub(crate) fn inner<T>(&mut self, span: Span, body: impl FnOnce(&mut Self) -> Step<T>) -> Step<T> {
        if self.deep >= limits::MAX_IDL_LEVELS {
            return refuse("too-large", "the text nests too deep", span);
        }
        self.deep += 1;
        let made = body(self);
        self.deep -= 1;
        made
    }

    /// Something that can hardly be meant, once per place.
    pub(crate) fn find(&mut self, code: &'static str, message: impl Into<String>, span: Span) {
        if !self.findings.iter().any(|d| d.code == code && d.span() == Some(span)) {
            self.findings.push(Diagnostic::warning(code, message).label(span, ""));
        }
    }

    // Paths and effects.

    /// What is known of a condition here.
    pub(crate) fn decide(&mut self, c: Id) -> Option<bool> {
        let no = self.graph.not(c);
        self.spent += self.path.len() / 64;
        let known = self.path.iter().find_map(|&(p, _)| if p == c { Some(true) } else { (p == no).then_some(false) });
        self.graph.truth(c).or(known)
    }

    fn guards(&self) -> Vec<Id> {
        self.path.iter().filter(|p| p.1 != Because::Trapped).map(|p| p.0).collect()
    }

    /// Writes down that something happens here.
    pub(crate) fn effect(&mut self, effect: Effect) {
        self.spent += self.path.len() / 64;
        // Reading a register has no effect, so it needs no condition.
        let guards = if matches!(effect, Effect::Read(_)) { Vec::new() } else { self.guards() };
        self.effects.push((guards, effect));
    }

    /// The instruction ends here.
    pub(crate) fn trap<T>(&mut self, cause: impl Into<String>, value: Option<Id>) -> Step<T> {
        self.effect(Effect::Trap(cause.into(), value));
        Err(Stop::Trapped)
    }

    /// The instruction ends here if a condition does not hold.
    pub(crate) fn require(&mut self, c: Id, code: &'static str, message: &str, span: Span) -> Step<()> {
        match self.decide(c) {
            Some(true) => Ok(()),
            Some(false) => {
                self.find(code, message, span);
                self.trap(UNDEFINED, None)
            }
            None => {
                let no = self.graph.not(c);
                let mut guards = self.guards();
                guards.push(no);
                self.effects.push((guards, Effect::Trap(UNDEFINED.to_owned(), None)));
                self.path.push((c, Because::Trapped));
                Ok(())
            }
        }
    }

    /// Runs something where a condition holds: what it does happens only then.
    pub(crate) fn guarded<T>(&mut self, c: Id, body: impl FnOnce(&mut Self) -> Step<T>) -> Step<T> {
        let start = self.path.len();
        self.path.push((c, Because::Guard));
        let made = body(self);
        self.path.truncate(start);
        made
    }

    // Variables.

    /// Whether the text of the instruction itself runs, and not a function.
    pub(crate) fn in_instruction(&self) -> bool {
        self.frames.len() <= 1
    }

    /// Begins a frame with these variables; gives what [`Run::close`] wants.
    pub(crate) fn open(&mut self, slots: Vec<Slot>) -> usize {
        self.frames.push(Frame { scopes: vec![slots], path: self.path.len(), returned: Vec::new() });
        self.frames.len()
    }

    /// Ends a frame; gives its variables.
    pub(crate) fn close(&mut self, frames: usize) -> Vec<Slot> {
        self.frames.truncate(frames);
        let frame = self.frames.pop().unwrap_or_default();
        frame.scopes.into_iter().next().unwrap_or_default()
    }

    fn frame(&mut self) -> &mut Frame {
        if self.frames.is_empty() {
            self.frames.push(Frame::default());
        }
        let last = self.frames.len() - 1;
        &mut self.frames[last]
    }

    pub(crate) fn variable(&mut self, name: &str) -> Option<&mut Slot> {
        self.frame().scopes.iter_mut().rev().find_map(|scope| scope.iter_mut().rev().find(|s| s.name == name))
    }

    pub(crate) fn declare(&mut self, name: &str, fixed: Fixed, value: Value) {
        let frame = self.frame();
        if frame.scopes.is_empty() {
            frame.scopes.push(Vec::new());
        }
        let last = frame.scopes.len() - 1;
        frame.scopes[last].push(Slot { name: name.to_owned(), fixed, value });
    }

    /// Runs a function's body in a frame of its own; gives what it returns.
    pub(crate) fn in_frame(&mut self, slots: Vec<Slot>, body: &[Stmt], span: Span) -> Step<Vec<Value>> {
        if self.frames.len() >= limits::MAX_IDL_CALLS {
            return refuse("too-large", "functions call each other too deep", span);
        }
        let path = self.path.len();
        self.frames.push(Frame { scopes: vec![slots], path, returned: Vec::new() });
        let flow = self.statements(body);
        let frame = self.frames.pop().unwrap_or_default();
        // What is known because a way trapped is still known, unless it was known only after a return.
        let kept = self.path[path.min(self.path.len())..].iter().take_while(|p| p.1 == Because::Trapped).count();
        self.path.truncate(path + kept);
        if flow? == Flow::Trapped {
            return Err(Stop::Trapped);
        }
        let mut ways = frame.returned.into_iter().rev();
        let Some((_, mut values)) = ways.next() else { return Ok(Vec::new()) };
        for (c, before) in ways {
            for (value, before) in values.iter_mut().zip(&before) {
                *value = self.choose(c, before, value, span)?;
            }
        }
        Ok(values)
    }

    // Statements.

    fn statements(&mut self, list: &[Stmt]) -> Step<Flow> {
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
