//! What a debugger asks of a hart: to stop before an instruction (a breakpoint), and before one that loads from or stores to a place
//! (a watchpoint), as RISC-V's debuggers expect it: they step over it then.
//!
//! Invariant: neither changes what the program does or sees, and without them a run costs nothing more. The method: a block ends before a
//! breakpoint, and one that starts there is never kept, so that only the decoder looks for breakpoints; pages with a
//! watchpoint take the slow way to memory, which refuses what hits one. The run that follows a stop runs the instruction by itself.

use crate::hart::{Hart, Stop};
use crate::watch::{Before, Debug, Watchpoint};

impl Hart<'_> {
    /// Stops there; gives why the run ends otherwise.
    pub(crate) fn stop_before(&mut self, before: Before) -> Option<Stop> {
        self.set_pc(before.pc);
        if before.count > 0 {
            self.machine.recent.push(before.start, before.count);
        }
        let machine = self.machine();
        machine.csrs.retired = machine.csrs.retired.wrapping_add(before.count);
        if machine.memory.attention { self.attend(before.count) } else { None }
    }

    /// A run stops before the instruction at this address, also where it would begin with it; [`Hart::step`] runs it.
    pub fn set_breakpoint(&mut self, address: u64) {
        if self.debug.breakpoints.insert(address) {
            self.code_changed();
        }
    }

    /// Takes a breakpoint away; `false` if there is none.
    pub fn clear_breakpoint(&mut self, address: u64) -> bool {
        let was = self.debug.breakpoints.remove(&address);
        if was {
            self.code_changed();
        }
        was
    }

    /// Takes a breakpoint away for an instruction; gives its address, if there was one.
    pub(crate) fn hide_breakpoint(&mut self, address: u64) -> Option<u64> {
        self.clear_breakpoint(address).then_some(address)
    }

    /// A run, or a step, stops before an instruction that loads from, or stores to, any of so many bytes; the next one goes on with it.
    pub fn set_watchpoint(&mut self, first: u64, length: u64, loads: bool, stores: bool) {
        self.debug.watchpoints.push(Watchpoint { first, length, loads, stores });
        self.watchpoints_changed();
    }

    /// Takes a watchpoint away that was set with just this; `false` if there is none.
    pub fn clear_watchpoint(&mut self, first: u64, length: u64, loads: bool, stores: bool) -> bool {
        let given = Watchpoint { first, length, loads, stores };
        let Some(at) = self.debug.watchpoints.iter().position(|w| *w == given) else { return false };
        self.debug.watchpoints.remove(at);
        self.watchpoints_changed();
        true
    }

    fn watchpoints_changed(&mut self) {
        let watchpoints = self.debug.watchpoints.clone();
        self.machine().memory.set_watchpoints(&watchpoints);
    }

    /// Takes all breakpoints and watchpoints away.
    pub fn clear_debug(&mut self) {
        self.debug = Debug::default();
        self.machine().memory.set_watchpoints(&[]);
        self.code_changed();
    }

    /// The addresses of the last instructions that ran, at most so many, the oldest first. An instruction that trapped is
    /// among them. What is no longer in memory as it was is left out.
    pub fn last(&mut self, most: usize) -> Vec<u64> {
        let blocks: Vec<(u64, u32)> = self.machine.recent.all().collect();
        let mut all = Vec::new();
        for (start, count) in blocks {
            let mut pc = start;
            for _ in 0..count {
                let Some((_, length)) = self.fetch(pc) else { break };
                all.push(pc);
                pc = pc.wrapping_add(length);
            }
        }
        all.split_off(all.len().saturating_sub(most))
    }
}
