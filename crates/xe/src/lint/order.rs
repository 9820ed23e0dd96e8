//! What the checks of waits share: the bytes that each operand touches, and a walk over the blocks.
//!
//! Both checks ask what may still be *in flight* at an instruction: issued before it on some way through the program, and
//! not waited for. That is a forward walk with a union where ways meet; it ends because what is in flight only grows.

use std::ops::Range;

use isaglot_listing::dataflow::{Block, FileId, Program as Accesses, Role, Run, TooLarge};

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
    pub(super) fn blocks(&self) -> &[Block] {
        self.accesses.blocks()
    }

    /// What an instruction touches.
    pub(super) fn touches(&self, at: usize) -> &[Touch] {
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

    /// What is in flight at the start of each block: `step` takes it past an instruction, `join` adds one to another and
    /// says whether that changed anything; `follows` says of an edge whether anything is in flight along
    /// it, by the end of its block and whether it leads to the next block.
    pub(super) fn solve<S: Clone + Default>(
        &mut self,
        mut step: impl FnMut(&mut S, usize),
        size: impl Fn(&S) -> usize,
        follows: impl Fn(End, bool) -> bool,
        mut join: impl FnMut(&mut S, &S) -> bool,
    ) -> Result<Vec<S>, TooLarge> {
        let blocks: Vec<Block> = self.blocks().to_vec();
        let ends: Vec<End> = blocks.iter().map(|block| self.end(block)).collect();
        let mut starts = vec![S::default(); blocks.len()];
        let mut is_open = vec![true; blocks.len()];
        let mut open: std::collections::VecDeque<usize> = (0..blocks.len()).collect();
        while let Some(number) = open.pop_front() {
            let (Some(block), Some(start)) = (blocks.get(number), starts.get(number)) else { continue };
            is_open[number] = false;
            let mut state = start.clone();
            for at in block.insts.clone() {
                step(&mut state, at as usize);
                self.pay(size(&state))?;
            }
            for &next in &block.succs {
                let next = next as usize;
                let end = ends.get(number).copied().unwrap_or(End::Plain);
                if !follows(end, next == number + 1) {
                    continue;
                }
                if starts.get_mut(next).is_some_and(|start| join(start, &state)) && !is_open[next] {
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
    pub(super) fn pay(&mut self, size: usize) -> Result<(), TooLarge> {
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
        self.lint_tokens(&mut order, found)?;
        self.lint_distances(&mut order, found)
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
