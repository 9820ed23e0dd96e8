//! Functions: which blocks belong to which, who calls whom, and what passes through a call.
//!
//! # The problem
//! Control comes back from a function to the call that it came from, not to any call of the function. Along the plain
//! edges of a graph it could come in by one call and go out by another, and values would seem to live where they do not.
//!
//! # The invariant
//! Only *matched* ways count: a way that returns more often than it calls leaves by callers of the function where it
//! began; one that calls and returns goes on right after that call.
//!
//! # The method
//! A block is followed *within its frame*: along its successors, and over each call whose function can come back. For
//! each block and class of bytes `pass` says whether the class gets, unwritten, from the block's top to a return of the
//! same frame. At the first block of a function this is its summary: a call lets a class pass if the function does. With
//! that, a way through a call is one step; it needs no stack, and recursion is a fixpoint.

use std::ops::Range;

use super::program::{Link, Program};
use super::solve::TooLarge;
use crate::limits::MAX_FRAMES_PER_BLOCK;

/// The calls of a program.
pub(super) struct Calls {
    /// First blocks of functions, ascending; block 0 is one, though nothing may call it.
    pub(super) entries: Vec<u32>,
    /// The blocks that call each, by the number in `entries`.
    pub(super) sites: Vec<Vec<u32>>,
    /// Of each block, the functions in whose frame it is reached: ranges of `frames`, which has numbers in `entries`.
    frame_ranges: Vec<Range<u32>>,
    frames: Vec<u32>,
    /// Of each block: the function that it calls, and where that comes back to.
    steps: Vec<Option<Step>>,
    /// Of each block, whether it returns, and whether it falls through beside that.
    returns: Vec<bool>,
    falls: Vec<bool>,
}

/// A call at the end of a block.
#[derive(Clone, Copy, Debug)]
pub(super) struct Step {
    /// The first block of the function.
    pub(super) entry: u32,
    /// The block after the call, if there is one.
    pub(super) back: Option<u32>,
}

impl Calls {
    /// The calls of a program; none if it neither calls nor has channels that wait.
    pub(super) fn new(program: &Program) -> Result<Option<Calls>, TooLarge> {
        let n = program.blocks.len() as u32;
        let step = |(b, block): (u32, &super::Block)| match block.link {
            Link::Call(entry) if entry < n => Some(Step { entry, back: Some(b + 1).filter(|back| *back < n) }),
            _ => None,
        };
        let steps: Vec<Option<Step>> = (0..).zip(&program.blocks).map(step).collect();
        let waits = program.blocks.iter().any(|block| block.link == Link::ReturnSome);
        if steps.iter().all(Option::is_none) && !waits {
            return Ok(None);
        }
        let mut entries: Vec<u32> = steps.iter().flatten().map(|s| s.entry).chain([0]).collect();
        entries.sort_unstable();
        entries.dedup();
        let mut sites = vec![Vec::new(); entries.len()];
        for (b, step) in (0..).zip(&steps) {
            if let Some(at) = step.and_then(|s| entries.binary_search(&s.entry).ok()) {
                sites[at].push(b);
            }
        }
        let returns = program.blocks.iter().map(|b| matches!(b.link, Link::Return | Link::ReturnSome)).collect();
        let falls = vec![false; n as usize];
        let mut calls = Calls { entries, sites, frame_ranges: Vec::new(), frames: Vec::new(), steps, returns, falls };
        calls.find_frames(program)?;
        for b in 0..n {
            let mine = calls.frames(b);
            let waits = b + 1 < n && !mine.is_empty() && {
                let next = calls.frames(b + 1);
                mine.iter().all(|f| next.binary_search(f).is_ok())
            };
            calls.falls[b as usize] = waits && program.blocks[b as usize].link == Link::ReturnSome;
        }
        Ok(Some(calls))
    }

    /// Numbers in `entries` of the functions in whose frame a block is reached, ascending.
    pub(super) fn frames(&self, block: u32) -> &[u32] {
        let range = self.frame_ranges[block as usize].clone();
        &self.frames[range.start as usize..range.end as usize]
    }

    /// The call at the end of a block.
    pub(super) fn step(&self, block: u32) -> Option<Step> {
        self.steps[block as usize]
    }

    /// Whether a block returns.
    pub(super) fn returns(&self, block: u32) -> bool {
        self.returns[block as usize]
    }

    /// The next block, if channels wait there while this one returns.
    pub(super) fn fall(&self, block: u32) -> Option<u32> {
        self.falls[block as usize].then_some(block + 1)
    }

    /// Walks through the frame of each function.
    fn find_frames(&mut self, program: &Program) -> Result<(), TooLarge> {
        let n = program.blocks.len();
        let comes_back = self.comes_back(program);
        let mut pairs: Vec<(u32, u32)> = Vec::new();
        let mut seen = vec![u32::MAX; n];
        let mut open = Vec::new();
        for (frame, &entry) in (0..).zip(&self.entries) {
            open.push(entry);
            while let Some(b) = open.pop() {
                if b as usize >= n || std::mem::replace(&mut seen[b as usize], frame) == frame {
                    continue;
                }
                pairs.push((b, frame));
                if pairs.len() > n * MAX_FRAMES_PER_BLOCK {
                    return Err(TooLarge);
                }
                let block = &program.blocks[b as usize];
                open.extend(&block.succs);
                if let Some(step) = self.steps[b as usize].filter(|s| comes_back[s.entry as usize]) {
                    open.extend(step.back);
                }
            }
        }
        pairs.sort_unstable();
        let mut at = 0;
        for b in 0..n as u32 {
            let count = pairs[at..].iter().take_while(|(block, _)| *block == b).count();
            self.frame_ranges.push(at as u32..(at + count) as u32);
            at += count;
        }
        self.frames = pairs.into_iter().map(|(_, frame)| frame).collect();
        Ok(())
    }

    /// Whether control gets from each block to a return of its frame.
    fn comes_back(&self, program: &Program) -> Vec<bool> {
        let preds = self.dependents(program);
        let mut back = self.returns.clone();
        let mut open: Vec<u32> = (0..).zip(&back).filter(|(_, b)| **b).map(|(b, _)| b).collect();
        while let Some(b) = open.pop() {
            for &p in &preds[b as usize] {
                let over = |s: Step| back[s.entry as usize] && s.back.is_some_and(|r| back[r as usize]);
                let plain = program.blocks[p as usize].succs.contains(&b);
                if !back[p as usize] && (plain || self.steps[p as usize].is_some_and(over)) {
                    back[p as usize] = true;
                    open.push(p);
                }
            }
        }
        back
    }

    /// Of each block, those whose facts depend on it: the blocks before it, and the calls that enter or come back to it.
    pub(super) fn dependents(&self, program: &Program) -> Vec<Vec<u32>> {
        let n = program.blocks.len();
        let mut all: Vec<Vec<u32>> = vec![Vec::new(); n];
        for (b, block) in (0..).zip(&program.blocks) {
            let called = self.steps[b as usize].into_iter().flat_map(|s| [Some(s.entry), s.back]).flatten();
            let fall = self.falls[b as usize].then_some(b + 1);
            for s in block.succs.iter().copied().chain(called).chain(fall) {
                if let Some(list) = all.get_mut(s as usize) {
                    list.push(b);
                }
            }
        }
        all
    }
}
