//! What a run keeps: variables, the path, what has happened so far.
//!
//! The *path* is the list of conditions that hold here. A condition of an `if` around is a guard of every effect. What is
//! known because another way has trapped needs no guard, since nothing comes after a trap. What is known because another
//! way has returned is a guard until the function ends.

use isaglot_source::{Diagnostic, Span};

use super::graph::{Graph, Id};
use super::run::Flow;
use super::value::{Fixed, Slot, Value};
use super::{DecodeField, Program, Refusal, Target, UNDEFINED};
use crate::formats::idl::syntax::Stmt;
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

/// A call that is being run.
#[derive(Default)]
pub(super) struct Frame {
    pub(super) scopes: Vec<Vec<Slot>>,
    /// The path when it began.
    pub(super) path: usize,
    /// What it has returned so far, each under a condition that holds only if none before does.
    pub(super) returned: Vec<(Id, Vec<Value>)>,
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
    pub(super) path: Vec<(Id, Because)>,
    frames: Vec<Frame>,
    pub(super) spent: usize,
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

    pub(super) fn frame(&mut self) -> &mut Frame {
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
}
