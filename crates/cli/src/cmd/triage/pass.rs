//! One pass over all programs with several threads.
//!
//! One thread reads and cuts blocks where instructions begin; the others take blocks as they come, and each keeps a tally of
//! its own. Tallies merge to the same whatever thread had which block. The channel holds few blocks, so memory is bounded.

use std::sync::mpsc::{Receiver, sync_channel};
use std::sync::{Mutex, PoisonError};

use isaglot_asm::fetch::Fetcher;
use isaglot_codec::Plan;
use isaglot_source::Diagnostics;
use isaglot_triage::{Clusters, Scanner, Tally};

use super::programs::Programs;
use crate::progress::Progress;

/// Blocks that wait for each thread.
const WAITING: usize = 2;

/// A part of a program that begins where an instruction begins.
struct Block {
    program: u32,
    offset: u64,
    bytes: Vec<u8>,
}

/// Reads all programs and tallies them. Of problems with the inputs only the first pass tells.
pub(super) fn run(
    plan: &Plan<'_>,
    programs: &mut Programs,
    clusters: Option<&Clusters>,
    jobs: usize,
    problems: &mut Diagnostics,
) -> Tally {
    let mut told = Diagnostics::new();
    let fetcher = Fetcher::new(plan);
    let total = programs.count();
    let what = if clusters.is_none() { "reading programs" } else { "counting patterns" };
    let mut progress = Progress::new(what, "program");
    let (give, take) = sync_channel::<Block>(WAITING * jobs);
    let take = Mutex::new(take);
    let tally = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..jobs).map(|_| scope.spawn(|| work(plan, clusters, &take))).collect();
        let mut cut = |program, offset, bytes: &[u8]| {
            let used = Scanner::whole(&fetcher, bytes, bytes.len());
            let bytes = bytes.get(..used).unwrap_or_default().to_vec();
            // Nobody takes it if the threads have ended, which joining them tells.
            let _ = give.send(Block { program, offset, bytes });
            used
        };
        programs.read(plan, &mut cut, &mut |at| progress.at(at, total), &mut told);
        drop(give);
        let mut tally = Tally::new(plan.isa());
        for worker in workers {
            match worker.join() {
                Ok(one) => tally.merge(one),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        tally
    });
    if clusters.is_none() {
        problems.append(told);
    }
    tally
}

fn work(plan: &Plan<'_>, clusters: Option<&Clusters>, blocks: &Mutex<Receiver<Block>>) -> Tally {
    let mut scanner = Scanner::new(plan, clusters);
    loop {
        let next = blocks.lock().unwrap_or_else(PoisonError::into_inner).recv();
        let Ok(block) = next else { return scanner.finish() };
        scanner.feed(block.program, block.offset, &block.bytes);
    }
}
