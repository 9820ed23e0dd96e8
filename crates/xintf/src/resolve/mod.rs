//! Which interface a call in machine code is for: constants and handles followed through the control-flow graph
//! (reference 2.2).
//!
//! What an instruction does is given as a [`InsnStep`]. For each
//! register of each block the facts are: nothing known, a constant, or the handle of a device of an interface. Facts
//! that differ meet in nothing known, so what is left at a call holds on every way to it.
//!
//! For example, where 0x12345 is the number of a known interface:
//!
//! ```text
//!     lui   t0, 0x12345      t0 = 0x12345000
//!     beqz  a1, 1f
//!     mv    t1, t0           t1 = 0x12345000 on this way only
//! 1:  xext  t0, t0, a0       t0 = handle of 0x12345, device 0
//!     xcmd0 a0, t0, a2       named: t0 is the same handle on both ways
//!     xext  t1, t1, a0       nothing known: the ways differ in t1
//!     xcmd0 a0, t1, a2       not named
//! ```
//!
//! A wrong name is worse than none. So the ways that cannot be seen are taken for what could happen: an entry starts
//! with nothing known, code that nothing leads to is an entry, a call keeps what the calling convention keeps, and a jump
//! through a register may go to any instruction of its function, which is the code from one entry to the next.

mod names;

use std::collections::{BTreeMap, BTreeSet};

use isaglot_invariant::{Impossible as _, impossible};
use isaglot_riscv::register::{CALLER_SAVED, REGISTERS};
use isaglot_riscv::steps::{Effect, InsnStep, Next};

pub use names::Names;

/// What is known of a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fact {
    Unknown,
    Constant(u64),
    Handle { uuid: u64, dev: u16 },
}

type State = [Fact; REGISTERS];

const NOTHING: State = [Fact::Unknown; REGISTERS];

/// A call with a known handle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Call {
    /// The interface's number as a register holds it.
    pub uuid: u64,
    /// The device number.
    pub dev: u16,
    /// The command's number.
    pub k: u32,
}

/// What is known of the commands of some code.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Resolved {
    /// Calls through handles whose interface is known, by address.
    pub calls: BTreeMap<u64, Call>,
    /// Calls through a constant: a logical unit number that was written down, which says nothing without the map of the
    /// hart. (logical unit, command), by address.
    pub literal: BTreeMap<u64, (u16, u32)>,
}

/// Follows the facts through code. `steps` are in the order of their addresses; `entries` are addresses where execution
/// may begin; `bits` is the width of a register; `is_known` says whether an interface number is one that the caller has
/// a definition of.
pub fn resolve(steps: &[InsnStep], entries: &[u64], bits: u32, is_known: &dyn Fn(u64) -> bool) -> Resolved {
    Solver::new(steps, entries, bits, is_known).run()
}

struct Solver<'a> {
    steps: &'a [InsnStep],
    bits: u32,
    is_known: &'a dyn Fn(u64) -> bool,
    /// First steps of blocks, in order.
    leaders: Vec<usize>,
    /// What is known at the start of each block; `None` before anything has led there.
    states: Vec<Option<State>>,
    /// The function that each block is in.
    functions: Vec<usize>,
    /// What may be true anywhere in a function, because a jump through a register may come from there.
    anywhere: Vec<Option<State>>,
    queued: Vec<bool>,
    queue: Vec<usize>,
}

impl<'a> Solver<'a> {
    fn new(steps: &'a [InsnStep], entries: &[u64], bits: u32, is_known: &'a dyn Fn(u64) -> bool) -> Solver<'a> {
        let index = |at: u64| steps.binary_search_by_key(&at, |s| s.at).ok();
        let mut starts: BTreeSet<usize> = entries.iter().filter_map(|&at| index(at)).collect();
        starts.extend(steps.first().map(|_| 0));
        for step in steps {
            if let Next::Call { target: Some(target) } = step.next {
                starts.extend(index(target));
            }
        }
        let mut leaders = starts.clone();
        for (i, step) in steps.iter().enumerate() {
            match step.next {
                Next::On => continue,
                Next::Branch { target, .. } => leaders.extend(index(target)),
                _ => {}
            }
            if i + 1 < steps.len() {
                leaders.insert(i + 1);
            }
        }
        let leaders: Vec<usize> = leaders.into_iter().collect();
        let functions: Vec<usize> = leaders.iter().map(|l| starts.range(..=*l).count().saturating_sub(1)).collect();
        let states = vec![None; leaders.len()];
        let queued = vec![false; leaders.len()];
        let anywhere = vec![None; starts.len()];
        let mut solver =
            Solver { steps, bits, is_known, leaders, states, functions, anywhere, queued, queue: Vec::new() };
        for start in starts {
            solver.enter(start, &NOTHING);
        }
        solver
    }

    fn block(&self, step: usize) -> Option<usize> {
        self.leaders.binary_search(&step).ok()
    }

    /// A way leads to the block that starts with this step.
    fn enter(&mut self, step: usize, state: &State) {
        let Some(block) = self.block(step) else { return impossible(()) };
        let Some(slot) = self.states.get_mut(block) else { return impossible(()) };
        let joined = join(slot.as_ref(), state);
        if *slot != Some(joined) {
            *slot = Some(joined);
            self.put(block);
        }
    }

    fn put(&mut self, block: usize) {
        if let Some(queued) = self.queued.get_mut(block)
            && !std::mem::replace(queued, true)
        {
            self.queue.push(block);
        }
    }

    fn run(mut self) -> Resolved {
        loop {
            while let Some(block) = self.queue.pop() {
                if let Some(queued) = self.queued.get_mut(block) {
                    *queued = false;
                }
                self.follow(block, None);
            }
            // Code that nothing leads to may still be reached in ways that cannot be seen.
            let Some(left) = self.states.iter().position(Option::is_none) else { break };
            let Some(&step) = self.leaders.get(left) else { break };
            self.enter(step, &NOTHING);
        }
        let mut found = Resolved::default();
        for block in 0..self.leaders.len() {
            self.follow(block, Some(&mut found));
        }
        found
    }

    /// Goes through a block: leads on to others or, once all is settled, notes the calls.
    fn follow(&mut self, block: usize, mut found: Option<&mut Resolved>) {
        let steps = self.steps;
        let Some(&first) = self.leaders.get(block) else { return impossible(()) };
        let end = self.leaders.get(block + 1).copied().unwrap_or(steps.len());
        let function = self.functions.get(block).copied().or_impossible(0);
        let Some(Some(mut state)) = self.states.get(block).copied() else { return impossible(()) };
        let mut last: Option<&InsnStep> = None;
        for step in steps.get(first..end).or_impossible(&[]) {
            // Control does not cross a gap in the addresses.
            if last.is_some_and(|l| l.at.wrapping_add(u64::from(l.size)) != step.at) {
                return;
            }
            if let Some(Some(anywhere)) = self.anywhere.get(function) {
                state = join(Some(&state), anywhere);
            }
            if let Some(found) = found.as_deref_mut() {
                note(step, &state, found);
            }
            self.apply(&mut state, step.effect);
            last = Some(step);
        }
        let Some(last) = last.filter(|_| found.is_none()) else { return };
        let after = end;
        let joins = steps.get(after).is_some_and(|s| s.at == last.at.wrapping_add(u64::from(last.size)));
        match last.next {
            Next::On => {}
            Next::Branch { target, conditional } => {
                match steps.binary_search_by_key(&target, |s| s.at) {
                    Ok(to) => self.enter(to, &state),
                    // Into the middle of an instruction: what runs there is not what was read.
                    Err(_) if self.inside(target) => self.scatter(function, &NOTHING),
                    Err(_) => {}
                }
                if !conditional {
                    return;
                }
            }
            Next::Call { target } => {
                if let Some(target) = target.filter(|t| self.inside(*t))
                    && steps.binary_search_by_key(&target, |s| s.at).is_err()
                {
                    self.scatter(function, &NOTHING);
                }
                for (n, fact) in state.iter_mut().enumerate() {
                    if CALLER_SAVED >> n & 1 == 1 {
                        *fact = Fact::Unknown;
                    }
                }
            }
            Next::Indirect => {
                self.scatter(function, &state);
                return;
            }
            Next::Stop => return,
        }
        if joins {
            self.enter(after, &state);
        }
    }

    /// Whether an address lies inside the code.
    fn inside(&self, at: u64) -> bool {
        let (Some(first), Some(last)) = (self.steps.first(), self.steps.last()) else { return false };
        first.at <= at && at < last.at.saturating_add(u64::from(last.size))
    }

    /// Any instruction of the function may be reached with this state.
    fn scatter(&mut self, function: usize, state: &State) {
        let Some(slot) = self.anywhere.get_mut(function) else { return impossible(()) };
        let joined = join(slot.as_ref(), state);
        if *slot == Some(joined) {
            return;
        }
        *slot = Some(joined);
        for block in 0..self.leaders.len() {
            if self.functions.get(block) == Some(&function) && self.states.get(block).is_some_and(Option::is_some) {
                self.put(block);
            }
        }
    }

    fn mask(&self) -> u64 {
        if self.bits >= 64 { u64::MAX } else { (1 << self.bits) - 1 }
    }

    fn apply(&self, state: &mut State, effect: Effect) {
        let read = |rs: u8| value(state, rs);
        let mask = self.mask();
        let (rd, fact) = match effect {
            Effect::Constant { rd, value } => (rd, Fact::Constant(value & mask)),
            Effect::Add { rd, rs, value: 0, word: false } => (rd, read(rs)),
            Effect::Add { rd, rs, value, word } => match read(rs) {
                Fact::Constant(c) => {
                    let sum = c.wrapping_add(value);
                    (rd, Fact::Constant(mask & if word { (sum as i32) as u64 } else { sum }))
                }
                _ => (rd, Fact::Unknown),
            },
            Effect::Shift { rd, rs, by, left } => match read(rs) {
                Fact::Constant(c) if by < self.bits => {
                    (rd, Fact::Constant(mask & if left { c << by } else { c >> by }))
                }
                _ => (rd, Fact::Unknown),
            },
            Effect::Handle { rd, rs } => match read(rs) {
                Fact::Constant(c) if (self.is_known)(c >> 12) => {
                    (rd, Fact::Handle { uuid: c >> 12, dev: (c & 0xfff) as u16 })
                }
                _ => (rd, Fact::Unknown),
            },
            Effect::Command { rd, .. } => (rd, Fact::Unknown),
            Effect::Writes(mask) => {
                for (n, fact) in state.iter_mut().enumerate() {
                    if mask >> n & 1 == 1 {
                        *fact = Fact::Unknown;
                    }
                }
                return;
            }
        };
        if let Some(slot) = state.get_mut(usize::from(rd)) {
            *slot = fact;
        }
    }
}

/// What a register holds; register 0 is always zero.
fn value(state: &State, register: u8) -> Fact {
    if register == 0 {
        Fact::Constant(0)
    } else {
        state.get(usize::from(register)).copied().or_impossible(Fact::Unknown)
    }
}

fn join(a: Option<&State>, b: &State) -> State {
    let Some(a) = a else { return *b };
    let mut out = NOTHING;
    for ((out, a), b) in out.iter_mut().zip(a).zip(b) {
        if a == b {
            *out = *a;
        }
    }
    out
}

fn note(step: &InsnStep, state: &State, found: &mut Resolved) {
    let Effect::Command { rs, k, .. } = step.effect else { return };
    match value(state, rs) {
        Fact::Handle { uuid, dev } => {
            found.calls.insert(step.at, Call { uuid, dev, k });
        }
        Fact::Constant(c) => {
            found.literal.insert(step.at, ((c & 0xfff) as u16, k));
        }
        Fact::Unknown => {}
    }
}
