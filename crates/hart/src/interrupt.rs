//! Interrupts and triggers on code: what is looked at between slices of a run, so that nothing is looked at between instructions.
//!
//! Invariant: an interrupt is taken at the first instruction at which it is there and enabled, for any length of slices. A slice
//! ends where the timer comes, and when something is written that decides about interrupts.

use crate::hart::{Hart, Stop, Trap};
use crate::hypervisor::Details;
use crate::limits::INPUT_SLICE;
use crate::machine::{Cause, Fault, Level, TIMER};
use crate::protection::Access;

impl Hart<'_> {
    /// Looks at interrupts and triggers; gives why the run ends, if it does. Uses up an instruction that a trigger stops.
    pub(crate) fn before(&mut self, left: &mut u64) -> Option<Stop> {
        self.machine.csrs.recheck = false;
        if self.process.is_some() {
            return self.take_turns();
        }
        if self.machine.memory.uart.wants_input() {
            self.look_for_input(false);
        }
        self.machine.look_at_devices();
        if let Some((number, level)) = self.machine.csrs.interrupt(self.machine.level)
            && let Some(stop) = self.interrupt(number, level)
        {
            return Some(stop);
        }
        let pc = self.pc();
        if self.machine.memory.view.armed.iter().any(|armed| armed.fires(Access::Fetch, pc, 1)) {
            *left -= 1;
            self.machine.recent.push(pc, 0);
            return self.trap(Fault::new(Cause::Trigger, pc), pc);
        }
        None
    }

    /// How many instructions may run until something has to be looked at.
    pub(crate) fn until_event(&mut self) -> u64 {
        if self.machine.memory.view.watches_code() {
            return 1;
        }
        if let Some(process) = &self.process {
            let until = process.threads.until_turn(self.machine.csrs.retired);
            return if process.has_turns() { until } else { u64::MAX };
        }
        // Input that was not there yet may come at any time.
        let (csrs, uart) = (&self.machine.csrs, &self.machine.memory.uart);
        let most = if uart.wants_input() { INPUT_SLICE } else { u64::MAX };
        if !csrs.is_enabled(TIMER) {
            return most;
        }
        match self.machine.memory.clint.until(csrs.retired) {
            // It is there, and something else has to enable it.
            0 => most,
            left => left.min(most),
        }
    }

    /// Takes an interrupt.
    fn interrupt(&mut self, number: u32, level: Level) -> Option<Stop> {
        let (from, pc) = (self.machine.level, self.pc());
        let handler = self.machine.csrs.interrupt_handler(level, number);
        let Some(handler) = handler.filter(|&handler| self.can_handle(level, handler)) else {
            let insn = self.fetch(pc).map_or(0, |(word, _)| word.low_u64());
            let reason = Cause::Interrupt(number as u8);
            return Some(Stop::Trap(Trap { reason, from, to: Some(level), pc, insn, value: 0 }));
        };
        let number = self.machine.csrs.own_number(level, number);
        let code = 1 << (self.xlen() - 1) | u64::from(number);
        self.deliver(from, level, (code, 0), pc, handler, &Details::default());
        None
    }

    /// Lets something outside ask for the external interrupt of the machine level or the supervisor, or no longer ask for it; the interrupt
    /// controller, which has sources ([`Hart::set_source`]), can ask for it, too.
    pub fn set_external(&mut self, level: Level, asks: bool) {
        let bit = if level == Level::Mach { 11 } else { 9 };
        let lines = &mut self.machine.memory.clint.external;
        *lines = *lines & !(1 << bit) | u64::from(asks) << bit;
    }

    /// Lets a source of the interrupt controller ask, by its number from 1 to 63, or no longer ask.
    pub fn set_source(&mut self, number: u32, asks: bool) {
        self.machine.memory.plic.set_source(number, asks);
    }
}
