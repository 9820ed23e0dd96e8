//! Liveness and edges between blocks.
//!
//! What a block does to a class is known here from three lists: uses exposed at its top, definitions that reach its end,
//! classes that do not pass. Liveness is a fixpoint of bit sets over them, and edges are found from each definition that
//! reaches the end of its block, along the blocks that its class passes. Calls are followed in [`super::calls`]' way: only
//! along matched ways.

use std::ops::Range;

use super::block::Found;
use super::calls::{Calls, Step};
use super::edges::Sink;
use super::program::Program;
use super::solve::TooLarge;
use crate::limits::MAX_EDGES;

/// A bit for each class, for each block, or function.
#[derive(Clone, Debug, Default)]
pub(super) struct Bits {
    words: Vec<u64>,
    stride: usize,
}

impl Bits {
    pub(super) fn new(blocks: usize, classes: usize) -> Bits {
        let stride = classes.div_ceil(64);
        Bits { words: vec![0; blocks * stride], stride }
    }

    pub(super) fn set(&mut self, block: u32, class: u32) {
        self.words[block as usize * self.stride + class as usize / 64] |= 1 << (class % 64);
    }

    pub(super) fn get(&self, block: u32, class: u32) -> bool {
        self.words[block as usize * self.stride + class as usize / 64] >> (class % 64) & 1 != 0
    }

    /// The rows of these blocks.
    pub(super) fn rows(&self, blocks: &[u32]) -> Bits {
        Bits { words: blocks.iter().flat_map(|b| self.row(*b)).copied().collect(), stride: self.stride }
    }

    fn row(&self, block: u32) -> &[u64] {
        &self.words[block as usize * self.stride..][..self.stride]
    }

    fn row_mut(&mut self, block: u32) -> &mut [u64] {
        &mut self.words[block as usize * self.stride..][..self.stride]
    }

    pub(super) fn each(&self, block: u32, mut f: impl FnMut(u32)) {
        for (i, &word) in self.row(block).iter().enumerate() {
            let mut word = word;
            while word != 0 {
                f(i as u32 * 64 + word.trailing_zeros());
                word &= word - 1;
            }
        }
    }
}

/// What blocks tell each other.
pub(super) struct Graph<'p> {
    program: &'p Program,
    /// Ranges of [`Found::exposed`] and [`Found::reaching`] by block, each sorted by class.
    pub(super) exposed: Vec<Range<u32>>,
    pub(super) reaching: Vec<Range<u32>>,
    pub(super) killed: Bits,
    pub(super) live_in: Bits,
    pub(super) live_out: Bits,
    pub(super) calls: Option<Calls>,
    /// With calls, which classes get from the top of a block to a return of its frame.
    pub(super) pass: Bits,
    /// Of each function, the classes that it may read before they are written.
    pub(super) used: Bits,
}

impl<'p> Graph<'p> {
    pub(super) fn new(program: &'p Program, calls: Option<Calls>, classes: usize) -> Graph<'p> {
        let n = program.blocks.len();
        let bits = || Bits::new(n, classes);
        let pass = if calls.is_some() { bits() } else { Bits::new(0, 0) };
        Graph {
            program,
            exposed: Vec::with_capacity(n),
            reaching: Vec::with_capacity(n),
            killed: bits(),
            live_in: bits(),
            live_out: bits(),
            calls,
            pass,
            used: Bits::new(0, 0),
        }
    }

    /// Successors that exist, within the frame, calls aside.
    fn succs(&self, block: u32) -> impl Iterator<Item = u32> {
        succs(self.program, self.calls.as_ref(), block)
    }

    /// `out = ∪ in of successors`, `in = exposed ∪ (out ∖ killed)`, by worklist from the last block up.
    pub(super) fn propagate(&mut self) {
        let n = self.program.blocks.len() as u32;
        let mut dependents: Vec<Vec<u32>> = vec![Vec::new(); n as usize];
        if let Some(calls) = &self.calls {
            dependents = calls.dependents(self.program);
        } else {
            for block in 0..n {
                for s in self.succs(block) {
                    dependents[s as usize].push(block);
                }
            }
        }
        let mut waiting = vec![true; n as usize];
        let mut list: std::collections::BinaryHeap<u32> = (0..n).collect();
        let mut out = vec![0; self.live_in.stride];
        while let Some(block) = list.pop() {
            waiting[block as usize] = false;
            let mut changed = self.update(block);
            if let Some(calls) = &self.calls {
                self.pass_out(calls, block, &mut out);
                changed |= join(self.pass.row_mut(block), &out, self.killed.row(block));
            }
            for &p in dependents[block as usize].iter().filter(|_| changed) {
                if !std::mem::replace(&mut waiting[p as usize], true) {
                    list.push(p);
                }
            }
        }
        self.live_after_returns();
    }

    /// One block's liveness from those after it, as far as its frame and the functions that it calls go. Whether it changes.
    fn update(&mut self, block: u32) -> bool {
        let out = self.live_out.row_mut(block);
        for s in succs(self.program, self.calls.as_ref(), block) {
            add(out, self.live_in.row(s));
        }
        if let Some(Step { entry, back }) = self.calls.as_ref().and_then(|calls| calls.step(block)) {
            add(out, self.live_in.row(entry));
            if let Some(back) = back {
                add_both(out, self.live_in.row(back), self.pass.row(entry));
            }
        }
        join(self.live_in.row_mut(block), out, self.killed.row(block))
    }

    /// What gets from the end of a block to a return of its frame.
    fn pass_out(&self, calls: &Calls, block: u32, out: &mut [u64]) {
        out.fill(if calls.returns(block) { u64::MAX } else { 0 });
        self.succs(block).for_each(|s| add(out, self.pass.row(s)));
        if let Some(Step { entry, back: Some(back) }) = calls.step(block) {
            add_both(out, self.pass.row(back), self.pass.row(entry));
        }
    }

    /// Adds what lives beyond the return of each frame: in the callers of its function, and in theirs.
    fn live_after_returns(&mut self) {
        let Some(calls) = &self.calls else { return };
        let stride = self.live_in.stride;
        let (mut out, mut beyond) = (vec![0; stride], vec![0; stride]);
        let after = self.after_functions(calls);
        // From here on a block's liveness has what its callers want, too.
        self.used = self.live_in.rows(&calls.entries);
        for block in 0..self.program.blocks.len() as u32 {
            self.pass_out(calls, block, &mut out);
            beyond.fill(0);
            calls.frames(block).iter().for_each(|f| add(&mut beyond, after.row(*f)));
            add_both(self.live_out.row_mut(block), &out, &beyond);
            add_both(self.live_in.row_mut(block), self.pass.row(block), &beyond);
        }
    }

    /// What each function writes, with all that it calls; `writes` gives the classes of a block.
    pub(super) fn written(&self, calls: &Calls, writes: impl Fn(u32, &mut dyn FnMut(u32))) -> Bits {
        let (functions, stride) = (calls.entries.len(), self.live_in.stride);
        let mut written = Bits { words: vec![0; functions * stride], stride };
        let mut callers: Vec<Vec<u32>> = vec![Vec::new(); functions];
        for block in 0..self.program.blocks.len() as u32 {
            for &function in calls.frames(block) {
                writes(block, &mut |class| written.set(function, class));
                let called = calls.step(block).and_then(|s| calls.entries.binary_search(&s.entry).ok());
                callers.iter_mut().skip(called.unwrap_or(functions)).take(1).for_each(|list| list.push(function));
            }
        }
        let mut list: Vec<u32> = (0..functions as u32).collect();
        while let Some(function) = list.pop() {
            let row = written.row(function).to_vec();
            let grown = callers[function as usize].iter().filter(|c| join(written.row_mut(**c), &row, &[]));
            list.extend(grown);
        }
        written
    }

    /// What lives after each function, in its callers and beyond.
    fn after_functions(&self, calls: &Calls) -> Bits {
        let (functions, stride) = (calls.entries.len(), self.live_in.stride);
        let mut after = Bits { words: vec![0; functions * stride], stride };
        let (mut out, mut beyond) = (vec![0; stride], vec![0; stride]);
        // A function comes back into those in whose frame it is called.
        let mut called: Vec<Vec<u32>> = vec![Vec::new(); functions];
        for (function, sites) in (0..).zip(&calls.sites) {
            for frame in sites.iter().flat_map(|site| calls.frames(*site)) {
                called[*frame as usize].push(function);
            }
        }
        let mut list: Vec<u32> = (0..functions as u32).collect();
        let mut waiting = vec![true; functions];
        while let Some(function) = list.pop() {
            waiting[function as usize] = false;
            out.fill(0);
            for &site in &calls.sites[function as usize] {
                let Some(back) = calls.step(site).and_then(|s| s.back) else { continue };
                add(&mut out, self.live_in.row(back));
                beyond.fill(0);
                calls.frames(site).iter().for_each(|f| add(&mut beyond, after.row(*f)));
                add_both(&mut out, &beyond, self.pass.row(back));
            }
            if join(after.row_mut(function), &out, &[]) {
                let again = called[function as usize].iter().copied();
                list.extend(again.filter(|f| !std::mem::replace(&mut waiting[*f as usize], true)));
            }
        }
        after
    }

    /// Edges from definitions that reach the end of their block. `inst_of` has the instruction of each operand.
    pub(super) fn cross_edges(
        &self,
        found: &Found,
        inst_of: &[u32],
        steps: &mut usize,
        sink: &mut impl Sink,
    ) -> Result<(), TooLarge> {
        let mut search = self.search();
        let insts = &self.program.insts;
        for (block, reaching) in (0..).zip(&self.reaching) {
            let last = self.program.blocks[block as usize].insts.end.checked_sub(1);
            let end = last.map_or(0, |last| insts[last as usize].operands.end);
            let reaching = &found.reaching[reaching.start as usize..reaching.end as usize];
            for defs in reaching.chunk_by(|a, b| a.0 == b.0) {
                let class = defs[0].0;
                if !self.live_out.get(block, class) {
                    continue;
                }
                search.begin();
                self.after(block, class, &mut search.stack);
                self.find_users(class, found, &mut search, steps);
                if let Some(calls) = &self.calls {
                    self.find_users_of_callers(calls, (block, class), found, &mut search, steps);
                }
                for &(_, def) in defs {
                    // A user below in this very block has started afresh before its old path gets here.
                    let fresh = insts[inst_of[def as usize] as usize].operands.end..end;
                    let users = search.users.iter().filter(|user| !fresh.contains(user));
                    users.for_each(|user| sink.edge(def, class, *user));
                }
                if *steps == 0 || sink.len() > MAX_EDGES {
                    return Err(TooLarge);
                }
            }
        }
        Ok(())
    }

    /// What lives before the program: each class, and the operand that uses it.
    pub(super) fn live_before(&self, found: &Found) -> impl Iterator<Item = (u32, u32)> + use<> {
        let mut all = Vec::new();
        if !self.program.blocks.is_empty() {
            let mut search = self.search();
            let mut steps = usize::MAX;
            self.live_in.each(0, |class| {
                search.begin();
                search.stack.push(0);
                self.find_users(class, found, &mut search, &mut steps);
                all.extend(search.users.iter().map(|user| (class, *user)));
            });
        }
        all.into_iter()
    }

    /// A search that has found nothing yet.
    fn search(&self) -> Search {
        let functions = self.calls.as_ref().map_or(0, |calls| calls.entries.len());
        let (seen, left) = (vec![0; self.program.blocks.len()], vec![0; functions]);
        Search { seen, left, stamp: 0, stack: Vec::new(), users: Vec::new() }
    }

    /// Adds the blocks to which a class gets from the end of a block, in its frame or in a function that is called.
    fn after(&self, block: u32, class: u32, stack: &mut Vec<u32>) {
        stack.extend(self.succs(block));
        if let Some(Step { entry, back }) = self.calls.as_ref().and_then(|calls| calls.step(block)) {
            stack.push(entry);
            stack.extend(back.filter(|_| self.pass.get(entry, class)));
        }
    }

    /// Follows what is on the stack to the users.
    fn find_users(&self, class: u32, found: &Found, search: &mut Search, steps: &mut usize) {
        while let Some(next) = search.stack.pop() {
            *steps = steps.saturating_sub(1);
            let seen = std::mem::replace(&mut search.seen[next as usize], search.stamp) == search.stamp;
            if seen || !self.live_in.get(next, class) {
                continue;
            }
            let range = self.exposed[next as usize].clone();
            let exposed = &found.exposed[range.start as usize..range.end as usize];
            let from = exposed.partition_point(|(c, _)| *c < class);
            search.users.extend(exposed[from..].iter().take_while(|(c, _)| *c == class).map(|(_, user)| *user));
            if !self.killed.get(next, class) {
                self.after(next, class, &mut search.stack);
            }
        }
    }

    /// Follows a class, from the end of a block, out of its function and on in the callers.
    fn find_users_of_callers(
        &self,
        calls: &Calls,
        (block, class): (u32, u32),
        found: &Found,
        search: &mut Search,
        steps: &mut usize,
    ) {
        let passes = |b: u32| self.pass.get(b, class);
        let over = |s: Step| passes(s.entry) && s.back.is_some_and(passes);
        if !(calls.returns(block) || self.succs(block).any(passes) || calls.step(block).is_some_and(over)) {
            return;
        }
        let mut open = vec![block];
        while let Some(block) = open.pop() {
            for &frame in calls.frames(block) {
                *steps = steps.saturating_sub(1);
                if std::mem::replace(&mut search.left[frame as usize], search.stamp) == search.stamp {
                    continue;
                }
                for &site in &calls.sites[frame as usize] {
                    let Some(back) = calls.step(site).and_then(|s| s.back) else { continue };
                    search.stack.push(back);
                    self.find_users(class, found, search, steps);
                    if passes(back) {
                        open.push(site);
                    }
                }
            }
        }
    }
}

/// The search for the users of one class from one block.
struct Search {
    /// The search in which each block was last met, and that in which each function was last left for its callers.
    seen: Vec<u32>,
    left: Vec<u32>,
    /// The number of the present search.
    stamp: u32,
    stack: Vec<u32>,
    users: Vec<u32>,
}

impl Search {
    fn begin(&mut self) {
        self.stamp += 1;
        self.users.clear();
    }
}

/// Successors that exist, within the frame, calls aside.
fn succs<'p>(program: &'p Program, calls: Option<&Calls>, block: u32) -> impl Iterator<Item = u32> + use<'p> {
    let n = program.blocks.len() as u32;
    let fall = calls.and_then(|calls| calls.fall(block));
    program.blocks[block as usize].succs.iter().copied().filter(move |s| *s < n).chain(fall)
}

/// Adds a set to another.
fn add(row: &mut [u64], from: &[u64]) {
    row.iter_mut().zip(from).for_each(|(row, from)| *row |= from);
}

/// Adds what is in both of two sets.
fn add_both(row: &mut [u64], a: &[u64], b: &[u64]) {
    row.iter_mut().zip(a.iter().zip(b)).for_each(|(row, (a, b))| *row |= a & b);
}

/// Adds `from`, without what is in `but`. Whether that changes anything.
fn join(row: &mut [u64], from: &[u64], but: &[u64]) -> bool {
    let mut changed = false;
    for (i, (row, from)) in row.iter_mut().zip(from).enumerate() {
        let new = *row | (from & !but.get(i).copied().unwrap_or(0));
        changed |= new != *row;
        *row = new;
    }
    changed
}
