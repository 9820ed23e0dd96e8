//! The breakpoints and watchpoints of a debugger, as data; `debug` has what they mean for a run.

use std::collections::BTreeSet;

/// What an instruction does to memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// It reads.
    Load,
    /// It writes.
    Store,
}

/// A place that a debugger wants to know of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Watchpoint {
    pub(crate) first: u64,
    pub(crate) length: u64,
    pub(crate) loads: bool,
    pub(crate) stores: bool,
}

impl Watchpoint {
    /// Whether it is for such accesses.
    pub(crate) fn sees(&self, access: Access) -> bool {
        match access {
            Access::Load => self.loads,
            Access::Store => self.stores,
        }
    }

    /// The address of its last byte.
    pub(crate) fn last(&self) -> u64 {
        self.first.saturating_add(self.length.saturating_sub(1))
    }
}

/// What a debugger has asked for.
#[derive(Clone, Debug, Default)]
pub(crate) struct Debug {
    pub(crate) breakpoints: BTreeSet<u64>,
    pub(crate) watchpoints: Vec<Watchpoint>,
    /// The last stop before a watchpoint: the pc, and the instructions that were completed.
    told: Option<(u64, u64)>,
}

/// A place inside of a block: where the block starts, how many of its instructions are before it, and its address.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Before {
    pub(crate) start: u64,
    pub(crate) count: u64,
    pub(crate) pc: u64,
}

impl Debug {
    /// Whether a run stops at a place where so many instructions are completed, since a watchpoint is hit there; it was told already if not.
    pub(crate) fn stops_before(&mut self, before: Before, retired: u64) -> bool {
        let here = (before.pc, retired.wrapping_add(before.count));
        self.told.replace(here) != Some(here)
    }

    pub(crate) fn is_breakpoint(&self, address: u64) -> bool {
        !self.breakpoints.is_empty() && self.breakpoints.contains(&address)
    }
}
