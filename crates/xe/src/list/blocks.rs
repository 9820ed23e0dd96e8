//! Blocks and where control goes from each.

use isaglot_listing::dataflow::Link;
use isaglot_listing::tree::Label;

use super::ListOptions;
use super::element::symbol;
use crate::inst::{Form, Inst, XeOperandKind};
use crate::isa::Xe;
use crate::stream::Program;

/// The last word of a block: nothing in an empty one, an offset and what was decoded there, if anything.
pub(super) type Last = Option<(u32, Option<Inst>)>;

/// Where control goes from a block, as dataflow follows it: what is called is not among the successors.
#[derive(Debug)]
pub(crate) struct Exit {
    pub(crate) succs: Vec<u32>,
    pub(crate) link: Link,
}

/// The labels of a program.
#[derive(Debug, Default)]
pub(super) struct Blocks {
    starts: Vec<u32>,
    preds: Vec<Vec<u32>>,
    succs: Vec<Vec<u32>>,
    /// The number of the first block.
    base: u32,
}

impl Blocks {
    /// From the offsets of blocks and the successors of each.
    pub(super) fn new(starts: Vec<u32>, succs: Vec<Vec<u32>>, base: u32) -> Blocks {
        let mut preds: Vec<Vec<u32>> = vec![Vec::new(); starts.len()];
        for (block, succs) in succs.iter().enumerate() {
            for s in succs {
                if let Some(list) = preds.get_mut(*s as usize) {
                    list.push(block as u32 + base);
                }
            }
        }
        Blocks { starts, preds, succs, base }
    }

    /// Where a block begins.
    pub(super) fn start(&self, block: usize) -> Option<u32> {
        self.starts.get(block).copied()
    }

    /// The label of a block.
    pub(super) fn label(&self, block: usize, options: &ListOptions) -> Option<Label<'static>> {
        let pc = self.start(block)?;
        let succs = self.succs.get(block).map_or(Vec::new(), |s| s.iter().map(|b| b + self.base).collect());
        let preds = self.preds.get(block).cloned().unwrap_or_default();
        let (id, symbol) = (block as u32 + self.base, symbol(pc.into(), options));
        Some(Label { id, pc: options.pc.then_some(pc.into()), symbol, preds, succs, function: None })
    }
}

/// The last word of each block of a program.
pub(super) fn lasts(program: &Program) -> Vec<Last> {
    let mut entry = 0;
    let mut all = Vec::with_capacity(program.starts.len());
    for block in 0..program.starts.len() {
        let end = program.starts.get(block + 1).copied().unwrap_or(program.end);
        let first = entry;
        while program.entries.get(entry).is_some_and(|e| e.pc < end) {
            entry += 1;
        }
        let last = if entry > first { program.entries.get(entry - 1) } else { None };
        all.push(last.map(|e| (e.pc, e.inst().copied())));
    }
    all
}

impl<'d> Xe<'d> {
    /// The successors of each block; `faulty` as `iga64` has it: what ends in no branch falls through only if the last
    /// instruction is predicated or ends the thread.
    pub(super) fn successors(&self, starts: &[u32], lasts: &[Last], faulty: bool) -> Vec<Vec<u32>> {
        let mut all = Vec::with_capacity(starts.len());
        for (block, last) in lasts.iter().enumerate() {
            let mut succs = Vec::new();
            let mut falls = true;
            if let Some((pc, Some(i))) = last {
                for o in i.sources().iter().filter(|o| o.kind == XeOperandKind::Label) {
                    let target = u32::try_from(self.target(i, *pc, o.imm)).ok();
                    succs.extend(target.and_then(|t| starts.binary_search(&t).ok()).map(|b| b as u32));
                }
                let jumps = self.op(i.op).name == "jmpi" && i.pred.is_none();
                falls = if i.form.branches() {
                    !jumps
                } else if faulty {
                    i.pred.is_some() || i.opts.eot
                } else {
                    !i.opts.eot
                };
            } else if last.is_some() && faulty {
                falls = false;
            }
            if falls && block + 1 < starts.len() {
                succs.push(block as u32 + 1);
            }
            succs.sort_unstable();
            succs.dedup();
            all.push(succs);
        }
        all
    }

    /// The exits of each block, from its successors. A call comes back to the next block; `ret` goes back to the calls, and
    /// so may a branch to a register. Where a call names no block of the program it is taken to come back with nothing
    /// changed.
    pub(super) fn exits(&self, starts: &[u32], lasts: &[Last], succs: &[Vec<u32>]) -> Vec<Exit> {
        let mut all = Vec::with_capacity(starts.len());
        for (block, (last, succs)) in (0..).zip(lasts.iter().zip(succs)) {
            let mut exit = Exit { succs: succs.clone(), link: Link::None };
            if let Some((pc, Some(i))) = last {
                let named = i.sources().iter().find(|o| o.kind == XeOperandKind::Label);
                let target = named.and_then(|o| u32::try_from(self.target(i, *pc, o.imm)).ok());
                let target = target.and_then(|t| starts.binary_search(&t).ok()).map(|b| b as u32);
                let next = |s: &u32| *s == block + 1;
                match (i.form, target) {
                    (Form::Call, Some(entry)) => {
                        exit.link = Link::Call(entry);
                        exit.succs.retain(|s| next(s) && i.pred.is_some());
                    }
                    (Form::Ret, _) if i.pred.is_none() => {
                        exit.link = Link::ReturnSome;
                        exit.succs.clear();
                    }
                    (Form::Ret, _) => exit.link = Link::Return,
                    (Form::Jump | Form::Brc, None) if named.is_none() => exit.link = Link::Return,
                    _ => {}
                }
            }
            all.push(exit);
        }
        all
    }
}
