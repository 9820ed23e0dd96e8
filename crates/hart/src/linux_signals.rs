//! Signals of a process of Linux: what is blocked and waits, and functions of the program that are called.
//!
//! The problem: a signal calls a function in the middle of a program, which then goes on as if nothing had been. The method is the kernel's:
//! all registers go to the stack in its layout (`siginfo`, then `ucontext`), the function is called with the address of a `rt_sigreturn` in
//! `ra`, and that call takes the registers back, with what the function has changed. Signals come from the process itself: a thread sends
//! them (`kill`, `tgkill`), or an instruction traps. They are delivered when a system call is over, so the program is never between two halves
//! of an instruction.

use crate::cause::{Cause, Fault};
use crate::hart::Hart;
use crate::memory::PAGE;
use crate::signals::{DISABLED, Reason, SET, Signals, UNBLOCKABLE, bit, word};

/// Flags of an action: three arguments (which all functions get), the other stack, not blocked itself, once only.
const ON_STACK: u64 = 0x0800_0000;
const NO_DEFER: u64 = 0x4000_0000;
const ONCE: u64 = 0x8000_0000;

/// `fcsr`.
const FCSR: u16 = 3;

/// Bytes of `siginfo`.
const INFO: u64 = 128;

/// `li a7, 139` and `ecall`: what a function returns to.
const RETURN: [u8; 8] = [0x93, 0x08, 0xb0, 0x08, 0x73, 0, 0, 0];

/// Where the parts of a `ucontext` are, by bytes of a word: the other stack, the blocked signals, the registers; its length.
fn layout(size: u64) -> (u64, u64, u64, u64) {
    let (stack, registers) = if size == 8 { (16, 176) } else { (8, 160) };
    (stack, stack + 3 * size, registers, registers + 32 * size + 528)
}

/// The signal of a trap and its `si_code`.
fn of_trap(cause: Cause) -> Option<(u64, i32)> {
    Some(match cause {
        Cause::Illegal | Cause::UnroutedLun | Cause::UndefinedCommand => (4, 1),
        Cause::Breakpoint => (5, 1),
        Cause::InstructionMisaligned | Cause::LoadMisaligned | Cause::StoreMisaligned => (7, 1),
        Cause::InstructionAccess
        | Cause::LoadAccess
        | Cause::StoreAccess
        | Cause::InstructionPage
        | Cause::LoadPage
        | Cause::StorePage => (11, 1),
        _ => return None,
    })
}

impl Hart<'_> {
    /// Memory for what functions return to.
    pub(crate) fn begin_signals(&mut self, address: u64) -> Result<Signals, String> {
        self.memory().add_region(address, PAGE as u64);
        self.memory().write(address, &RETURN).map_err(|_| "there is no memory to return from signals")?;
        Ok(Signals { trampoline: address, ..Signals::default() })
    }

    /// Calls the process's function for a trap, if it has one that may be called; gives whether it has.
    pub(crate) fn signal_trap(&mut self, fault: &Fault, pc: u64) -> bool {
        let Some((signal, code)) = of_trap(fault.cause) else { return false };
        let Some(process) = &self.process else { return false };
        let signals = &process.signals;
        if signals.handler(signal) <= 1 || signals.own.blocked & bit(signal) != 0 {
            return false;
        }
        let address = match fault.cause {
            Cause::Illegal | Cause::Breakpoint | Cause::UnroutedLun | Cause::UndefinedCommand => pc,
            _ => fault.value,
        };
        self.set_pc(pc);
        self.call_function(signal, Reason { code, address: Some(address) })
    }

    /// Delivers a signal that waits and may be delivered; gives the exit code if that ends the process.
    pub(crate) fn take_signals(&mut self) -> Option<u32> {
        loop {
            let (signal, reason) = self.process.as_mut()?.signals.next()?;
            let process = self.process.as_ref()?;
            match process.signals.handler(signal) {
                0 => return Some(128 + (signal as u32 & 0x7f)),
                1 => {}
                // What cannot be written to the stack ends a process.
                _ if self.call_function(signal, reason) => {}
                _ => return Some(128 + 11),
            }
        }
    }

    /// Puts all registers on the stack and goes to the function for a signal; false if there is no memory.
    fn call_function(&mut self, signal: u64, reason: Reason) -> bool {
        let size = u64::from(self.xlen() / 8);
        let Some(process) = &self.process else { return false };
        let signals = process.signals.clone();
        let (handler, flags) = (signals.handler(signal), signals.part(signal, 1));
        let sp = self.register(2);
        let top = match signals.own.stack {
            Some((lowest, _, length)) if flags & ON_STACK != 0 && !signals.on_stack(sp) => lowest.wrapping_add(length),
            _ => sp,
        };
        let (stack, blocked, registers, length) = layout(size);
        let frame = top.wrapping_sub(INFO + length) & !15;
        let mut bytes = vec![0; (INFO + length) as usize];
        let mut put = |at: u64, value: u64, size: u64| {
            let value = value.to_le_bytes();
            let place = bytes.iter_mut().skip(at as usize).take(size as usize);
            place.zip(value).for_each(|(place, byte)| *place = byte);
        };
        put(0, signal, 4);
        put(8, reason.code as u32 as u64, 4);
        match reason.address {
            Some(address) => put(8 + size, address, size),
            None if reason.code == Reason::KERNEL.code => {}
            // The process and its user.
            None => {
                put(8 + size, 1, 4);
                put(12 + size, crate::syscall::USER, 4);
            }
        }
        let (lowest, stack_flags, stack_length) = signals.own.stack.unwrap_or((0, DISABLED, 0));
        put(INFO + stack, lowest, size);
        put(INFO + stack + size, stack_flags | u64::from(signals.on_stack(sp)), 4);
        put(INFO + stack + 2 * size, stack_length, size);
        put(INFO + blocked, signals.own.before.unwrap_or(signals.own.blocked), SET);
        put(INFO + registers, self.pc(), size);
        for n in 1..32 {
            put(INFO + registers + u64::from(n) * size, self.register(n), size);
        }
        let floats = INFO + registers + 32 * size;
        for n in 0..32 {
            put(floats + 8 * u64::from(n), self.float_register(n), 8);
        }
        put(floats + 256, self.csr(FCSR).unwrap_or(0), 4);
        if self.memory().write(frame, &bytes).is_err() {
            return false;
        }
        for (register, value) in [(1, signals.trampoline), (2, frame), (10, signal), (11, frame), (12, frame + INFO)] {
            self.set_register(register, value);
        }
        self.set_pc(handler);
        if let Some(process) = &mut self.process {
            let own = if flags & NO_DEFER == 0 { bit(signal) } else { 0 };
            process.signals.own.before = None;
            process.signals.own.blocked |= (signals.part(signal, 2) | own) & !UNBLOCKABLE;
            if flags & ONCE != 0 {
                process.signals.actions.remove(&signal);
            }
        }
        true
    }

    /// `rt_sigreturn`: all registers as the frame on the stack has them; false if there is none.
    pub(crate) fn signal_return(&mut self) -> bool {
        let size = u64::from(self.xlen() / 8);
        let (stack, blocked, registers, length) = layout(size);
        let frame = self.register(2);
        let Ok(bytes) = self.memory().read(frame, (INFO + length) as usize) else { return false };
        let get = |at: u64, size: u64| word(&bytes, at as usize, size as usize);
        for n in 1..32 {
            self.set_register(n, get(INFO + registers + u64::from(n) * size, size));
        }
        let floats = INFO + registers + 32 * size;
        for n in 0..32 {
            self.set_float_register(n, get(floats + 8 * u64::from(n), 8));
        }
        // None where there are no floats.
        self.set_csr(FCSR, get(floats + 256, 4));
        self.set_pc(get(INFO + registers, size));
        let other = (get(INFO + stack, size), get(INFO + stack + size, 4), get(INFO + stack + 2 * size, size));
        if let Some(process) = &mut self.process {
            process.signals.own.blocked = get(INFO + blocked, SET) & !UNBLOCKABLE;
            process.signals.own.stack = (other.1 & DISABLED == 0).then_some((other.0, 0, other.2));
        }
        true
    }
}
