//! The backward walk through one block.
//!
//! Paths are kept per class of bytes. What lives on after the block is the *bundle*: one path without predicate that
//! starts with every class; which of its classes are really live is not known yet. So live bytes are counted for the users
//! of the block itself, and [`Rest`]s say where a class would count beside them if it lives on.
//!
//! One instruction is one path, but the lists of users name its operands, so that an edge says which of them it goes to.

use rustc_hash::FxHashMap;

use super::classes::Classes;
use super::edges::Sink;
use super::program::{Inst, Polarity, Program, Role, Run};
use crate::limits::MAX_STEPS;

/// What walks find out beside edges; lists are appended to, blocks one after another.
#[derive(Default)]
pub(super) struct Found {
    /// Uses exposed at the top: (class, operand); of each block by class.
    pub(super) exposed: Vec<(u32, u32)>,
    /// Definitions that reach the end: (class, operand); of each block by class.
    pub(super) reaching: Vec<(u32, u32)>,
    /// Classes that do not pass.
    pub(super) killed: Vec<u32>,
    /// Live bytes of each file before each instruction, for users in its block alone.
    pub(super) live: Vec<u32>,
    /// Last instruction first.
    pub(super) rests: Vec<Rest>,
}

/// From the top of an instruction up, a class that lives on after the block counts beside what users in the block want, or
/// no longer does. After the last instruction each one counts.
#[derive(Clone, Copy)]
pub(super) struct Rest {
    pub(super) inst: u32,
    pub(super) class: u32,
    pub(super) counts: bool,
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

/// The predicates of a program.
#[derive(Default)]
struct Guards<'p> {
    /// The different sets of bytes, by number; of each its classes, and of each class the sets that hold it.
    sets: FxHashMap<&'p [Run], u32>,
    classes: Vec<Vec<u32>>,
    of: Vec<Vec<u32>>,
    /// How often each was overwritten.
    generation: Vec<u32>,
}

impl<'p> Guards<'p> {
    fn new(program: &'p Program, classes: &Classes) -> Guards<'p> {
        let mut guards = Guards { of: vec![Vec::new(); classes.count], ..Guards::default() };
        for operand in (0..program.operands.len() as u32).filter(|o| program.role(*o) == Role::Predicate) {
            let runs = program.runs_of(operand);
            let next = guards.classes.len() as u32;
            if *guards.sets.entry(runs).or_insert(next) == next {
                let mut mine = Vec::new();
                classes.each(runs, |class| mine.push(class));
                mine.sort_unstable();
                mine.dedup();
                mine.iter().for_each(|class| guards.of[*class as usize].push(next));
                guards.classes.push(mine);
                guards.generation.push(0);
            }
        }
        guards
    }

    /// Whether the predicate still has the value that it had.
    fn holds(&self, guard: Guard) -> bool {
        self.generation[guard.set as usize] == guard.generation
    }

    fn intersect(&self, a: u32, b: u32) -> bool {
        let (mine, other) = (&self.classes[a as usize], &self.classes[b as usize]);
        a == b || mine.iter().any(|class| other.contains(class))
    }
}

/// In a list of users: what lives on after the block.
const BUNDLE: u32 = u32::MAX;

/// No operand.
const NONE: u32 = u32::MAX;

/// What is known of a class while its block is walked.
#[derive(Clone)]
struct Wanted {
    /// The operands that want it; the last ones first.
    users: Vec<u32>,
    /// It is written below in any case, so the bundle does not want it.
    written: bool,
    /// The definition that the bundle met first.
    reaching: u32,
    /// Of instructions with several destinations, the number of the last one that wrote it.
    several: u32,
    weight: u32,
    file: u32,
}

/// The state of walks; one serves for all blocks.
pub(super) struct Walker<'p> {
    program: &'p Program,
    classes: &'p Classes,
    inst_of: &'p [u32],
    guards: Guards<'p>,
    /// By class.
    wanted: Vec<Wanted>,
    /// A bit for each class that the block touches.
    met: Vec<u64>,
    /// Further definitions that the bundle met.
    more: Vec<(u32, u32)>,
    /// Live bytes of each file.
    sums: Vec<u32>,
    /// Paths of the block's instructions, if any of them is guarded, and the first of these.
    paths: Vec<Path>,
    first: u32,
    bundle: Path,
    /// Of the present instruction: its number among those with several destinations, and whom each of its writes met.
    several: u32,
    several_met: Vec<(u32, u32)>,
    /// Steps left before giving up.
    pub(super) steps: usize,
}

impl<'p> Walker<'p> {
    /// `inst_of` has the instruction of each operand.
    pub(super) fn new(program: &'p Program, classes: &'p Classes, inst_of: &'p [u32]) -> Walker<'p> {
        let wanted = classes.weight.iter().zip(&classes.file).map(|(weight, file)| Wanted {
            users: Vec::new(),
            written: false,
            reaching: NONE,
            several: 0,
            weight: *weight,
            file: *file,
        });
        Walker {
            program,
            classes,
            inst_of,
            guards: Guards::new(program, classes),
            wanted: wanted.collect(),
            met: vec![0; classes.count.div_ceil(64)],
            more: Vec::new(),
            sums: vec![0; program.file_count()],
            paths: Vec::new(),
            first: 0,
            bundle: Path::default(),
            several: 0,
            several_met: Vec::new(),
            steps: MAX_STEPS,
        }
    }

    /// Walks a block.
    pub(super) fn walk(&mut self, block: u32, found: &mut Found, sink: &mut impl Sink) {
        let insts = self.program.blocks[block as usize].insts.clone();
        let files = self.sums.len();
        let guarded = insts.clone().any(|i| self.program.insts[i as usize].predicated.is_some());
        self.paths.clear();
        self.paths.resize(if guarded { insts.len() } else { 0 }, Path::default());
        self.first = insts.start;
        self.bundle.kills.clear();
        self.sums.fill(0);
        for inst in insts.rev() {
            self.step(inst, guarded, found, sink);
            found.live[inst as usize * files..][..files].copy_from_slice(&self.sums);
            if self.steps == 0 {
                break;
            }
        }
        self.end(found);
    }

    /// Takes what is left at the top of the block, by class.
    fn end(&mut self, found: &mut Found) {
        self.more.sort_unstable();
        let mut more = self.more.iter().copied().peekable();
        for (n, bits) in (0..).zip(&mut self.met) {
            let mut bits = std::mem::take(bits);
            while bits != 0 {
                let class = 64 * n + bits.trailing_zeros();
                bits &= bits - 1;
                let wanted = &mut self.wanted[class as usize];
                found.exposed.extend(wanted.users.drain(..).map(|user| (class, user)));
                if std::mem::take(&mut wanted.written) {
                    found.killed.push(class);
                }
                let reaching = std::mem::replace(&mut wanted.reaching, NONE);
                found.reaching.extend((reaching != NONE).then_some((class, reaching)));
                while let Some(further) = more.next_if(|(of, _)| *of == class) {
                    found.reaching.push(further);
                }
            }
        }
        self.more.clear();
    }

    fn step(&mut self, inst: u32, guarded: bool, found: &mut Found, sink: &mut impl Sink) {
        let program = self.program;
        let classes = self.classes;
        let i = &program.insts[inst as usize];
        let guard = if guarded { self.guard(i) } else { None };
        let writes = || i.operands.clone().filter(|o| program.role(*o) == Role::Write);
        let several = writes().nth(1).is_some();
        if several {
            self.several += 1;
            self.several_met.clear();
        }
        for o in writes() {
            classes.each(program.runs_of(o), |class| match guard {
                _ if several && self.wrote_already(class) => self.define_again(class, o, sink),
                None => self.define((inst, class, o), several, found, sink),
                Some(guard) => self.define_if((inst, class, o), (guard, several), found, sink),
            });
        }
        for o in i.operands.clone().filter(|o| program.role(*o) != Role::Write) {
            classes.each(program.runs_of(o), |class| self.read((inst, class, o), found));
        }
        if guarded {
            self.paths[(inst - self.first) as usize].guard = guard;
        }
    }

    /// The guard of an instruction. Where it writes bytes of a predicate, the present value of this ends.
    fn guard(&mut self, i: &Inst) -> Option<Guard> {
        let (program, classes) = (self.program, self.classes);
        let Guards { sets, of, generation, .. } = &mut self.guards;
        for o in i.operands.clone().filter(|o| program.role(*o) == Role::Write) {
            classes.each(program.runs_of(o), |class| {
                for &set in &of[class as usize] {
                    generation[set as usize] = generation[set as usize].wrapping_add(1);
                }
            });
        }
        let predicate = i.operands.clone().find(|o| program.role(*o) == Role::Predicate)?;
        let set = *sets.get(program.runs_of(predicate))?;
        Some(Guard { set, generation: generation[set as usize], polarity: i.predicated? })
    }

    /// Whether another destination of the present instruction wrote the class.
    fn wrote_already(&mut self, class: u32) -> bool {
        std::mem::replace(&mut self.wanted[class as usize].several, self.several) == self.several
    }

    #[inline]
    fn meet_class(&mut self, class: u32) {
        self.met[class as usize / 64] |= 1 << (class % 64);
    }

    /// An operand reads a class.
    #[inline]
    fn read(&mut self, (inst, class, operand): (u32, u32, u32), found: &mut Found) {
        let wanted = &mut self.wanted[class as usize];
        match wanted.users.last() {
            Some(last) if *last == operand => {}
            Some(_) => wanted.users.push(operand),
            None => {
                wanted.users.push(operand);
                self.sums[wanted.file as usize] += wanted.weight;
                if !wanted.written {
                    found.rests.push(Rest { inst, class, counts: false });
                    self.meet_class(class);
                }
            }
        }
    }

    /// An operand writes a class in any case.
    #[inline]
    fn define(
        &mut self,
        (inst, class, operand): (u32, u32, u32),
        several: bool,
        found: &mut Found,
        sink: &mut impl Sink,
    ) {
        let wanted = &mut self.wanted[class as usize];
        let own = !wanted.users.is_empty();
        if own {
            wanted.users.iter().for_each(|user| sink.edge(operand, class, *user));
            if several {
                self.several_met.extend(wanted.users.iter().map(|user| (class, *user)));
            }
            wanted.users.clear();
            self.sums[wanted.file as usize] -= wanted.weight;
        }
        if !wanted.written {
            wanted.written = true;
            self.reaches_end(class, operand, several);
            if !own {
                found.rests.push(Rest { inst, class, counts: false });
            }
        }
    }

    /// The bundle met a definition.
    fn reaches_end(&mut self, class: u32, operand: u32, several: bool) {
        let wanted = &mut self.wanted[class as usize];
        match wanted.reaching {
            NONE => wanted.reaching = operand,
            _ => self.more.push((class, operand)),
        }
        self.meet_class(class);
        self.several_met.extend(several.then_some((class, BUNDLE)));
    }

    /// An operand writes a class under a predicate.
    fn define_if(
        &mut self,
        (inst, class, operand): (u32, u32, u32),
        (guard, several): (Guard, bool),
        found: &mut Found,
        sink: &mut impl Sink,
    ) {
        let wanted = &mut self.wanted[class as usize];
        let (own, open) = (!wanted.users.is_empty(), !wanted.written);
        wanted.users.retain(|&user| {
            let path = &mut self.paths[(self.inst_of[user as usize] - self.first) as usize];
            let (edge, killed) = meet(&self.guards, path, class, guard, &mut self.steps);
            if edge {
                sink.edge(operand, class, user);
                self.several_met.extend(several.then_some((class, user)));
            }
            !killed
        });
        let still = !wanted.users.is_empty();
        if own && !still {
            self.sums[wanted.file as usize] -= wanted.weight;
        }
        if open {
            let (edge, killed) = meet(&self.guards, &mut self.bundle, class, guard, &mut self.steps);
            wanted.written = killed;
            if edge {
                self.reaches_end(class, operand, several);
            }
            let counts = !killed && !still;
            if counts == own {
                found.rests.push(Rest { inst, class, counts });
            }
        }
    }

    /// Another destination of the same instruction writes a class: it has the same users.
    fn define_again(&mut self, class: u32, operand: u32, sink: &mut impl Sink) {
        for &(_, user) in self.several_met.iter().filter(|(met, _)| *met == class) {
            match user {
                BUNDLE => self.more.push((class, operand)),
                _ => sink.edge(operand, class, user),
            }
        }
    }
}

/// Whether a write under `guard` is an edge to the path, and whether it takes the class off it.
fn meet(guards: &Guards<'_>, path: &mut Path, class: u32, guard: Guard, steps: &mut usize) -> (bool, bool) {
    if let Some(own) = path.guard.filter(|g| guards.holds(*g)) {
        // Under the path's own predicate the write is as good as unconditional; under another it does not define.
        let same = own.polarity == guard.polarity && guards.intersect(own.set, guard.set);
        return (same, same);
    }
    *steps = steps.saturating_sub(path.kills.len() + 1);
    let completed = path.kills.iter().rev().any(|k| {
        k.class == class
            && k.guard.polarity != guard.polarity
            && guards.holds(k.guard)
            && guards.intersect(k.guard.set, guard.set)
    });
    if !completed {
        path.kills.push(Kill { class, guard });
    }
    (true, completed)
}
