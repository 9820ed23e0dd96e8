//! Machine code in the course of a run: when it is entered, and what its end means.

use std::ops::ControlFlow;

use isaglot_jit::Left;

use crate::hart::{Hart, Stop};

impl Hart<'_> {
    /// Runs machine code, if there is any for where the program is. Nothing if what comes next is to be interpreted.
    #[inline(always)]
    pub(crate) fn run_native(&mut self, left: &mut u64) -> Option<ControlFlow<Stop>> {
        let native = self.native.as_mut()?;
        let allowed = (*left).min(self.htif.due);
        // A debugger sees each instruction.
        let is_held = !self.debug.breakpoints.is_empty() || !self.debug.watchpoints.is_empty();
        if is_held
            || allowed < native.least
            || !native.has(&self.decoder, &mut self.machine, self.pc)
            || !self.machine.memory.pin()
        {
            return None;
        }
        let rest = native.enter(&mut self.machine, self.pc, allowed);
        let ran = allowed - rest;
        #[cfg(feature = "oracle")]
        {
            native.count += ran;
        }
        let state = &self.machine.native;
        let (block, note) = (state.block, state.left);
        self.pc = state.pc;
        *left -= ran;
        self.machine.csrs.retired = self.machine.csrs.retired.wrapping_add(ran);
        // What ran before the last block is not known any more.
        self.machine.recent.forget();
        let why = Left::from_bits(note >> 32);
        self.machine.recent.push(block, (note & 0xffff_ffff) + u64::from(why == Left::Trap));
        let mut stop = None;
        if self.machine.memory.attention {
            stop = self.attend(ran);
        }
        if why == Left::Trap
            && stop.is_none()
            && let Some(fault) = self.machine.native.fault.take()
        {
            // It counts as run but not as completed.
            *left -= 1;
            stop = self.trap(fault, self.pc);
        }
        match (stop, why) {
            (Some(stop), _) => Some(ControlFlow::Break(stop)),
            (None, Left::Caller) if *left > 0 => None,
            _ => Some(ControlFlow::Continue(())),
        }
    }
}
