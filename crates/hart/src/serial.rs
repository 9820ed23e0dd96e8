//! What joins the serial port to the host: bytes that were sent go out, bytes that come are received, and a program that waits for one
//! is woken.
//!
//! The problem: a program that waits for ever must not run for ever. Invariant: where `wfi` waits for a byte, and nothing else can come, the run
//! waits for the host, or ends if the host's input has ended. The port asks for input only if the program has looked for some.

use crate::hart::{Hart, Stop};
use crate::host::Input;

impl Hart<'_> {
    /// Looks at the serial port after it was used or waited for; gives why the run ends, if it does.
    pub(crate) fn serial(&mut self) -> Option<Stop> {
        let memory = &mut self.machine.memory;
        let was_used = std::mem::take(&mut memory.uart.was_used);
        let waits = std::mem::take(&mut memory.waits);
        if !was_used && !waits {
            return None;
        }
        let sent = std::mem::take(&mut memory.uart.sent);
        if !sent.is_empty() {
            // What cannot be written the host keeps, and says itself.
            let _ = self.host().write(1, &sent);
        }
        let timer_comes = self.machine.timer_comes();
        self.look_for_input(waits && !timer_comes);
        if !waits {
            return None;
        }
        self.machine.look_at_devices();
        if self.machine.csrs.pending() != 0 {
            self.machine.csrs.recheck = true;
        } else if timer_comes {
            self.machine.skip_to_timer(self.machine.csrs.retired);
        } else if self.machine.memory.uart.has_ended {
            return Some(Stop::Stuck);
        }
        None
    }

    /// Lets the serial port have the next byte, if it looks for one and there is one, or waits for it; and tells the interrupt controller.
    pub(crate) fn look_for_input(&mut self, wait: bool) {
        if self.machine.memory.uart.wants_input() {
            match self.host().input(wait) {
                Input::Byte(byte) => self.machine.memory.uart.receive(byte),
                Input::NotYet => {}
                Input::Ended => self.machine.memory.uart.has_ended = true,
            }
        }
        self.machine.memory.look_at_uart();
    }
}
