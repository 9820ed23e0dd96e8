//! The backward walk through one block.
//!
//! Paths are kept per class of bytes. What lives on after the block is the *bundle*: one path without predicate that
//! starts with every class; which of its classes are really live is a question for [`super::solve`].

use super::classes::Classes;
use super::program::{Polarity, Program, Role};
use crate::limits::MAX_STEPS;

/// In place of a class: the instruction is done.
pub(super) const DONE: u32 = u32::MAX;

/// A definition, a use and a class of bytes that goes from one to the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Edge {
    pub(super) def: u32,
    pub(super) class: u32,
    pub(super) user: u32,
}

/// What one walk finds out; lists are appended to, blocks one after another.
#[derive(Default)]
pub(super) struct Found {
    /// Edges within the block.
    pub(super) edges: Vec<Edge>,
    /// Uses exposed at the top: (class, user).
    pub(super) exposed: Vec<(u32, u32)>,
    /// Definitions that reach the end: (class, definition).
    pub(super) reaching: Vec<(u32, u32)>,
    /// Classes that do not pass.
    pub(super) killed: Vec<u32>,
}

/// A predicate at one time: which set of bytes, and how often it had been overwritten.
#[derive(Clone, Copy)]
struct Guard {
    set: u32,
    generation: u32,
    polarity: Polarity,
}

/// A write under a predicate, remembered by a path.
#[derive(Clone, Copy)]
struct Kill {
    class: u32,
    guard: Guard,
}

#[derive(Clone, Default)]
struct Path {
    guard: Option<Guard>,
    kills: Vec<Kill>,
}

/// The state of walks; one serves for all blocks.
pub(super) struct Walker<'p> {
    program: &'p Program,
    classes: &'p Classes,
    /// Sets that serve as predicates, and for each class those that hold it.
    guards_of: Vec<Vec<u32>>,
    generation: Vec<u32>,
    /// Live paths of each class, and the classes whose list is not empty or was not.
    live: Vec<Vec<u32>>,
    touched: Vec<u32>,
    bundle: Path,
    bundle_dead: Vec<bool>,
    paths: Vec<Path>,
    stamp: u32,
    stamps: Vec<u32>,
    /// Steps left before giving up.
    pub(super) steps: usize,
}

impl<'p> Walker<'p> {
    pub(super) fn new(program: &'p Program, classes: &'p Classes) -> Walker<'p> {
        let mut guards_of = vec![Vec::new(); classes.count];
        let mut is_guard = vec![false; classes.set_count()];
        for (operand, set) in program.operands.iter().zip(&classes.set_of) {
            if operand.role == Role::Predicate && !std::mem::replace(&mut is_guard[*set as usize], true) {
                for &class in classes.set(*set) {
                    guards_of[class as usize].push(*set);
                }
            }
        }
        Walker {
            program,
            classes,
            guards_of,
            generation: vec![0; classes.set_count()],
            live: vec![Vec::new(); classes.count],
            touched: Vec::new(),
            bundle: Path::default(),
            bundle_dead: vec![false; classes.count],
            paths: Vec::new(),
            stamp: 0,
            stamps: vec![0; classes.count],
            steps: MAX_STEPS,
        }
    }

    /// Walks a block. `totals` is called with each instruction, last to first, and each class that changed: `true`
    /// when its first path came, `false` when its last one went; and once with the class [`DONE`] when the
    /// instruction is done. A class of the bundle counts as live if `live_out` says so.
    pub(super) fn walk(
        &mut self,
        block: u32,
        live_out: &dyn Fn(u32) -> bool,
        found: &mut Found,
        totals: &mut dyn FnMut(u32, u32, bool),
    ) {
        let insts = self.program.blocks[block as usize].insts.clone();
        self.paths.clear();
        self.paths.resize(insts.len(), Path::default());
        self.bundle.kills.clear();
        let first = insts.start;
        for inst in insts.rev() {
            self.step(inst, first, live_out, found, totals);
            totals(inst, DONE, true);
            if self.steps == 0 {
                break;
            }
        }
        for class in std::mem::take(&mut self.touched) {
            let list = std::mem::take(&mut self.live[class as usize]);
            found.exposed.extend(list.iter().map(|&user| (class, user)));
            if std::mem::take(&mut self.bundle_dead[class as usize]) {
                found.killed.push(class);
            }
            self.live[class as usize] = list;
            self.live[class as usize].clear();
        }
    }

    fn step(
        &mut self,
        inst: u32,
        first: u32,
        live_out: &dyn Fn(u32) -> bool,
        found: &mut Found,
        totals: &mut dyn FnMut(u32, u32, bool),
    ) {
        let program = self.program;
        let classes = self.classes;
        let i = &program.insts[inst as usize];
        let operands = || i.operands.clone().map(|o| (o, program.operands[o as usize].role));
        let predicate = operands().find(|(_, role)| *role == Role::Predicate).map(|(o, _)| classes.set_of[o as usize]);
        // A write to a predicate's bytes ends its present value.
        for (o, _) in operands().filter(|(_, role)| *role == Role::Write) {
            for &class in classes.operand(o) {
                for &set in &self.guards_of[class as usize] {
                    self.generation[set as usize] = self.generation[set as usize].wrapping_add(1);
                }
            }
        }
        let guard = i.predicated.zip(predicate).map(|(polarity, set)| Guard {
            set,
            generation: self.generation[set as usize],
            polarity,
        });

        self.stamp += 1;
        let writes_done = self.stamp;
        for (o, _) in operands().filter(|(_, role)| *role == Role::Write) {
            for &class in classes.operand(o) {
                if std::mem::replace(&mut self.stamps[class as usize], writes_done) != writes_done {
                    self.define(inst, first, class, guard, live_out, found, totals);
                }
            }
        }

        self.stamp += 1;
        let reads_done = self.stamp;
        for (o, _) in operands().filter(|(_, role)| *role != Role::Write) {
            for &class in classes.operand(o) {
                if std::mem::replace(&mut self.stamps[class as usize], reads_done) != reads_done {
                    let bundled = live_out(class) && !self.bundle_dead[class as usize];
                    if self.live[class as usize].is_empty() {
                        self.touched.push(class);
                        if !bundled {
                            totals(inst, class, true);
                        }
                    }
                    self.live[class as usize].push(inst);
                }
            }
        }
        self.paths[(inst - first) as usize].guard = guard;
    }

    /// One class that the instruction writes.
    #[allow(clippy::too_many_arguments)] // one step of the walk, cut out of `step` for its length only
    fn define(
        &mut self,
        inst: u32,
        first: u32,
        class: u32,
        guard: Option<Guard>,
        live_out: &dyn Fn(u32) -> bool,
        found: &mut Found,
        totals: &mut dyn FnMut(u32, u32, bool),
    ) {
        let c = class as usize;
        let was_live = !self.live[c].is_empty() || (live_out(class) && !self.bundle_dead[c]);
        let mut list = std::mem::take(&mut self.live[c]);
        list.retain(|&user| {
            let mut path = std::mem::take(&mut self.paths[(user - first) as usize]);
            let (edge, killed) = self.meet(&mut path, class, guard);
            self.paths[(user - first) as usize] = path;
            if edge {
                found.edges.push(Edge { def: inst, class, user });
            }
            !killed
        });
        self.live[c] = list;
        if !self.bundle_dead[c] {
            let mut bundle = std::mem::take(&mut self.bundle);
            let (edge, killed) = self.meet(&mut bundle, class, guard);
            self.bundle = bundle;
            if edge {
                found.reaching.push((class, inst));
            }
            if killed {
                self.bundle_dead[c] = true;
                self.touched.push(class);
            }
        }
        let is_live = !self.live[c].is_empty() || (live_out(class) && !self.bundle_dead[c]);
        if was_live && !is_live {
            totals(inst, class, false);
        }
    }

    /// Whether a write under `guard` is an edge to the path, and whether it takes the class off it.
    fn meet(&mut self, path: &mut Path, class: u32, guard: Option<Guard>) -> (bool, bool) {
        let Some(guard) = guard else { return (true, true) };
        if let Some(own) = path.guard.filter(|g| self.holds(*g)) {
            // Under the path's own predicate the write is as good as unconditional; under another it does not define.
            let same = own.polarity == guard.polarity && self.intersect(own.set, guard.set);
            return (same, same);
        }
        self.steps = self.steps.saturating_sub(path.kills.len() + 1);
        let completed = path.kills.iter().rev().any(|k| {
            k.class == class
                && k.guard.polarity != guard.polarity
                && self.holds(k.guard)
                && self.intersect(k.guard.set, guard.set)
        });
        if !completed {
            path.kills.push(Kill { class, guard });
        }
        (true, completed)
    }

    /// Whether the predicate still has the value that it had.
    fn holds(&self, guard: Guard) -> bool {
        self.generation[guard.set as usize] == guard.generation
    }

    fn intersect(&self, a: u32, b: u32) -> bool {
        a == b || {
            let b = self.classes.set(b);
            self.classes.set(a).iter().any(|class| b.contains(class))
        }
    }
}
