//! What the checks of waits share: the bytes that each operand touches, and a walk over the blocks.
//!
//! Both checks ask what may still be *in flight* at an instruction: issued before it on some way through the program, and
//! not waited for. That is a forward walk with a union where ways meet; it ends because what is in flight only grows.

use std::ops::Range;

use isaglot_listing::dataflow::{Block, FileId, Program as Accesses, Role, Run, TooLarge};

use super::distances::Distances;
use super::tokens::Tokens;
use super::{Finding, Place, Rule};
use crate::inst::{Desc, File, Form, Inst, XeOperandKind};
use crate::isa::Xe;
use crate::limits::LINT_STEPS;
use crate::list::Ids;
use crate::stream::Program;

/// Bytes that an operand reads or writes.
#[derive(Clone, Debug)]
pub(super) struct Touch {
    pub(super) place: Place,
    pub(super) is_write: bool,
    /// The register file, as dataflow numbers them.
    pub(super) file: FileId,
    runs: Range<usize>,
}

/// How a block ends, as far as it matters for what is in flight after it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    /// As any other.
    Plain,
    /// It jumps if there are no channels. What left none went another way, so that jump leads nowhere new.
    Join,
    /// It comes back, but what the function waits for is not followed.
    Call,
    /// It goes to an unknown place.
    Return,
}

/// A check of waits: what is in flight, and what instructions do to it.
pub(super) trait Waits {
    /// An instruction that was issued and is not waited for.
    type InFlight: Clone;

    /// What an instruction waits for before it is issued.
    fn wait(&self, i: &Inst, state: &mut Vec<Self::InFlight>);

    /// Finds what is wrong with an instruction, given with its number, beside an earlier one; whether that one is still in
    /// flight. It is not if a wait is missed, so that one wait is missed once.
    fn check(
        &self,
        order: &Order<'_>,
        at: (usize, &Inst),
        earlier: &mut Self::InFlight,
        found: &mut Vec<Finding>,
    ) -> bool;

    /// What an instruction adds.
    fn issue(&self, i: &Inst, at: usize, state: &mut Vec<Self::InFlight>);

    /// Whether anything is in flight along an edge, by the end of its block and whether it leads to the next block.
    fn follows(end: End, is_next: bool) -> bool;

    /// Adds what is in flight on one way to what is on others; whether that changed anything.
    fn join(into: &mut Vec<Self::InFlight>, from: &[Self::InFlight]) -> bool;
}

/// A program as the checks of waits see it.
pub(super) struct Order<'p> {
    pub(super) program: &'p Program,
    accesses: Accesses,
    runs: Vec<Run>,
    touches: Vec<Touch>,
    /// Of each instruction, in `touches`.
    of: Vec<Range<usize>>,
    /// The operations that join channels.
    joins: Vec<u8>,
    /// Steps that are left before the program counts as too large.
    steps: u64,
}

impl<'p> Order<'p> {
    pub(super) fn new(xe: &Xe<'_>, program: &'p Program) -> Order<'p> {
        let (accesses, ids) = xe.accesses_of(program);
        let (mut runs, mut touches, mut of) = (Vec::new(), Vec::new(), Vec::new());
        for ((entry, ids), inst) in program.entries.iter().zip(&ids).zip(accesses.insts()) {
            let first = touches.len();
            for id in inst.operands.clone() {
                let (Some((role, bytes)), Some(i)) = (accesses.operand_at(id), entry.inst()) else { continue };
                let Some(place) = place(id, ids, i) else { continue };
                let start = runs.len();
                runs.extend(bytes);
                if i.form == Form::Send && matches!(i.desc, Desc::Reg(_)) && place != Place::Descriptor {
                    // How long a payload is is not known; its first register is touched.
                    runs.truncate(start + 1);
                    runs[start..].iter_mut().for_each(|run: &mut Run| run.len = run.len.min(xe.platform.grf_bytes()));
                }
                let file = runs.get(start).map_or(FileId(0), |run: &Run| accesses.file_of(run.start));
                touches.push(Touch { place, is_write: role == Role::Write, file, runs: start..runs.len() });
            }
            of.push(first..touches.len());
        }
        let steps = LINT_STEPS.0 + LINT_STEPS.1 * program.entries.len() as u64;
        let joins = ["join", "endif"].into_iter().filter_map(|name| xe.op_named(name)).collect();
        Order { joins, program, accesses, runs, touches, of, steps }
    }

    /// The blocks; instructions are numbered as in [`Program::entries`].
    fn blocks(&self) -> &[Block] {
        self.accesses.blocks()
    }

    /// What an instruction touches.
    fn touches(&self, at: usize) -> &[Touch] {
        self.of.get(at).and_then(|range| self.touches.get(range.clone())).unwrap_or(&[])
    }

    /// The first operand of `at` that conflicts with an earlier instruction: `conflict` says for an operand of each, the
    /// later one first, whether it would matter that they touch the same bytes.
    pub(super) fn conflict(
        &self,
        at: usize,
        earlier: usize,
        conflict: impl Fn(&Touch, &Touch) -> bool,
    ) -> Option<Place> {
        let later = self.touches(at).iter();
        let meets = |a: &&Touch| self.touches(earlier).iter().any(|b| conflict(a, b) && self.overlap(a, b));
        later.clone().find(meets).map(|touch| touch.place)
    }

    fn overlap(&self, a: &Touch, b: &Touch) -> bool {
        let (Some(a), Some(b)) = (self.runs.get(a.runs.clone()), self.runs.get(b.runs.clone())) else { return false };
        a.iter().any(|a| b.iter().any(|b| runs_overlap(*a, *b)))
    }

    /// Adds what a check finds.
    pub(super) fn check(&mut self, waits: &impl Waits, found: &mut Vec<Finding>) -> Result<(), TooLarge> {
        let program = self.program;
        for (number, mut state) in self.solve(waits)?.into_iter().enumerate() {
            let insts = self.blocks().get(number).map_or(0..0, |b| b.insts.clone());
            for at in insts.map(|at| at as usize) {
                let Some(i) = program.entries.get(at).and_then(|e| e.inst()) else { continue };
                waits.wait(i, &mut state);
                self.pay(state.len())?;
                state.retain_mut(|earlier| waits.check(self, (at, i), earlier, found));
                waits.issue(i, at, &mut state);
            }
        }
        Ok(())
    }

    /// What is in flight at the start of each block.
    fn solve<W: Waits>(&mut self, waits: &W) -> Result<Vec<Vec<W::InFlight>>, TooLarge> {
        let program = self.program;
        let blocks: Vec<Block> = self.blocks().to_vec();
        let ends: Vec<End> = blocks.iter().map(|block| self.end(block)).collect();
        let mut starts = vec![Vec::new(); blocks.len()];
        let mut is_open = vec![true; blocks.len()];
        let mut open: std::collections::VecDeque<usize> = (0..blocks.len()).collect();
        while let Some(number) = open.pop_front() {
            let (Some(block), Some(start)) = (blocks.get(number), starts.get(number)) else { continue };
            is_open[number] = false;
            let mut state = start.clone();
            for at in block.insts.clone().map(|at| at as usize) {
                if let Some(i) = program.entries.get(at).and_then(|e| e.inst()) {
                    waits.wait(i, &mut state);
                    waits.issue(i, at, &mut state);
                }
                self.pay(state.len())?;
            }
            for &next in &block.succs {
                let next = next as usize;
                let end = ends.get(number).copied().unwrap_or(End::Plain);
                if !W::follows(end, next == number + 1) {
                    continue;
                }
                if starts.get_mut(next).is_some_and(|start| W::join(start, &state)) && !is_open[next] {
                    is_open[next] = true;
                    open.push_back(next);
                }
            }
        }
        Ok(starts)
    }

    fn end(&self, block: &Block) -> End {
        let last = block.insts.end.checked_sub(1).filter(|last| *last >= block.insts.start);
        let inst = last.and_then(|last| self.program.entries.get(last as usize)).and_then(|e| e.inst());
        match inst.map(|i| i.form) {
            Some(Form::Call) => End::Call,
            Some(Form::Ret) => End::Return,
            Some(Form::Label) if inst.is_some_and(|i| self.joins.contains(&i.op)) => End::Join,
            _ => End::Plain,
        }
    }

    /// Counts work that is about as large as `size`.
    fn pay(&mut self, size: usize) -> Result<(), TooLarge> {
        self.steps = self.steps.checked_sub(size as u64 + 1).ok_or(TooLarge)?;
        Ok(())
    }
}

fn place(id: u32, ids: &Ids, i: &Inst) -> Option<Place> {
    if id == ids.dst {
        return Some(Place::Destination);
    }
    if let Some(n) = ids.srcs.iter().position(|src| *src == id) {
        return Some(Place::Source(n as u8));
    }
    if id == ids.pred || id == ids.fm {
        return Some(Place::Flag);
    }
    if id == ids.desc || id == ids.exdesc {
        return Some(Place::Descriptor);
    }
    if id == ids.implicit_read || id == ids.implicit_write {
        // A predicate of `sel` is an implicit read too.
        let is_flag = id == ids.implicit_read && i.pred.is_some();
        return Some(if is_flag { Place::Flag } else { Place::Accumulator });
    }
    let has_address = i.dst.kind == XeOperandKind::Indirect && i.dst.file == File::R;
    has_address.then_some(Place::Destination)
}

fn runs_overlap(a: Run, b: Run) -> bool {
    let end = |r: Run| r.start + (r.count - 1) * r.stride + r.len;
    if a.start >= end(b) || b.start >= end(a) {
        return false;
    }
    let pieces = |r: Run| (0..r.count).map(move |n| (r.start + n * r.stride, r.start + n * r.stride + r.len));
    pieces(a).any(|(first, last)| pieces(b).any(|(start, end)| first < end && start < last))
}

impl<'d> Xe<'d> {
    /// Adds what is wrong with waits.
    pub(super) fn lint_order(&self, program: &Program, found: &mut Vec<Finding>) -> Result<(), TooLarge> {
        let mut order = Order::new(self, program);
        order.check(&Tokens(self), found)?;
        order.check(&Distances(self), found)
    }
}

/// A finding about an instruction and an earlier one.
pub(super) fn finding(
    (at, place): (usize, Place),
    other: usize,
    rule: Rule,
    (message, remedy): (String, String),
) -> Finding {
    Finding { at, rule, place, message, remedy, other: Some(other) }
}
