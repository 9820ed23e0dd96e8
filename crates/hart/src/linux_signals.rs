//! Signals of a process of Linux: what is blocked and waits, and functions of the program that are called.
//!
//! The problem: a signal calls a function in the middle of a program, which then goes on as if nothing had been. The method is the kernel's:
//! all registers go to the stack in its layout (`siginfo`, then `ucontext`), the function is called with the address of a `rt_sigreturn` in
//! `ra`, and that call takes the registers back, with what the function has changed. Signals come from the process itself: it sends
//! them (`kill`, `tgkill`), or an instruction traps. They are delivered when a system call is over, so the program is never between two halves
//! of an instruction.

use std::collections::BTreeMap;

use crate::cause::{Cause, Fault};
use crate::hart::Hart;
use crate::host::Errno;
use crate::memory::PAGE;
use crate::syscall::Call;

/// Flags of an action: three arguments (which all functions get), the other stack, not blocked itself, once only.
const ON_STACK: u64 = 0x0800_0000;
const NO_DEFER: u64 = 0x4000_0000;
const ONCE: u64 = 0x8000_0000;

/// A flag of the other stack: there is none.
const DISABLED: u64 = 2;

/// `fcsr`.
const FCSR: u16 = 3;

/// Bytes of `siginfo`.
const INFO: u64 = 128;
/// Bytes of a signal set.
const SET: u64 = 8;

/// `li a7, 139` and `ecall`: what a function returns to.
const RETURN: [u8; 8] = [0x93, 0x08, 0xb0, 0x08, 0x73, 0, 0, 0];

/// The other stack: its lowest address, flags, length.
type Stack = (u64, u64, u64);

/// Who sent a signal, and why.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reason {
    /// `si_code`.
    code: i32,
    /// The address of a trap; else it is from the process itself.
    address: Option<u64>,
}

impl Reason {
    /// Sent by `kill`, or by `tkill` and `tgkill`.
    pub(crate) fn sent(to_thread: bool) -> Reason {
        Reason { code: if to_thread { -6 } else { 0 }, address: None }
    }
}

/// What the kernel keeps of the signals of a process.
#[derive(Clone, Debug, Default)]
pub(crate) struct Signals {
    /// What it wants to be done at signals, by their number, as it gave it.
    actions: BTreeMap<u64, Vec<u8>>,
    /// A bit for each signal, that of signal 1 lowest.
    blocked: u64,
    waiting: BTreeMap<u64, Reason>,
    stack: Option<Stack>,
    /// Where [`RETURN`] is.
    pub(crate) trampoline: u64,
}

fn bit(signal: u64) -> u64 {
    signal.checked_sub(1).map_or(0, |at| 1_u64.checked_shl(at as u32).unwrap_or(0))
}

/// SIGKILL and SIGSTOP cannot be blocked.
const UNBLOCKABLE: u64 = 1 << 8 | 1 << 18;

/// A number in bytes, the lowest first.
fn word(bytes: &[u8], at: usize, size: usize) -> u64 {
    bytes.iter().skip(at).take(size).rev().fold(0, |all, &byte| all << 8 | u64::from(byte))
}

/// Where the parts of a `ucontext` are, by bytes of a word: the other stack, the blocked signals, the registers; its length.
fn layout(size: u64) -> (u64, u64, u64, u64) {
    let (stack, registers) = if size == 8 { (16, 176) } else { (8, 160) };
    (stack, stack + 3 * size, registers, registers + 32 * size + 528)
}

impl Signals {
    /// Memory for what functions return to.
    pub(crate) fn begin(hart: &mut Hart<'_>, address: u64) -> Result<Signals, String> {
        hart.memory().add_region(address, PAGE as u64);
        hart.memory().write(address, &RETURN).map_err(|_| "there is no memory to return from signals")?;
        Ok(Signals { trampoline: address, ..Signals::default() })
    }

    /// `rt_sigaction`: what is to be done at a signal is kept and given back.
    pub(crate) fn action(&mut self, c: &mut Call<'_>) -> Result<u64, Errno> {
        let (signal, new, old) = (c.arg(0), c.arg(1), c.arg(2));
        // A function, flags, and the signals that wait meanwhile.
        let size = u64::from(c.xlen / 4) + SET;
        if !(1..=64).contains(&signal) || new != 0 && UNBLOCKABLE & bit(signal) != 0 {
            return Err(Errno::INVALID);
        }
        let bytes = if new == 0 { None } else { Some(c.bytes(new, size)?) };
        if old != 0 {
            let before = self.actions.get(&signal).cloned().unwrap_or_else(|| vec![0; size as usize]);
            c.put(old, &before)?;
        }
        if let Some(bytes) = bytes {
            self.actions.insert(signal, bytes);
            if self.is_ignored(signal) {
                self.waiting.remove(&signal);
            }
        }
        Ok(0)
    }

    /// `rt_sigprocmask`.
    pub(crate) fn mask(&mut self, c: &mut Call<'_>) -> Result<u64, Errno> {
        let (how, new, old) = (c.arg(0), c.arg(1), c.arg(2));
        if c.arg(3) != SET {
            return Err(Errno::INVALID);
        }
        let before = self.blocked;
        if new != 0 {
            let set = word(&c.bytes(new, SET)?, 0, 8);
            let set = match how {
                0 => before | set,
                1 => before & !set,
                2 => set,
                _ => return Err(Errno::INVALID),
            };
            self.blocked = set & !UNBLOCKABLE;
        }
        if old != 0 {
            c.put(old, &before.to_le_bytes())?;
        }
        Ok(0)
    }

    /// `rt_sigpending`.
    pub(crate) fn pending(&mut self, c: &mut Call<'_>) -> Result<u64, Errno> {
        let set = self.waiting.keys().fold(0, |all, &signal| all | bit(signal)) & self.blocked;
        c.put(c.arg(0), &set.to_le_bytes()).map(|()| 0)
    }

    /// `sigaltstack`; `sp` says whether the process is on it.
    pub(crate) fn other_stack(&mut self, c: &mut Call<'_>, sp: u64) -> Result<u64, Errno> {
        let (new, old) = (c.arg(0), c.arg(1));
        let size = u64::from(c.xlen / 8) as usize;
        let is_on = self.on_stack(sp);
        if old != 0 {
            let (lowest, flags, length) = self.stack.unwrap_or((0, DISABLED, 0));
            c.put(old, &words([lowest, flags | u64::from(is_on), length], size))?;
        }
        if new != 0 {
            if is_on {
                return Err(Errno::NOT_PERMITTED);
            }
            let bytes = c.bytes(new, 3 * size as u64)?;
            // The flags are an `int`.
            let (lowest, flags, length) = (word(&bytes, 0, size), word(&bytes, size, 4), word(&bytes, 2 * size, size));
            if flags & DISABLED == 0 && length < 2048 {
                return Err(Errno::NO_MEMORY);
            }
            self.stack = (flags & DISABLED == 0).then_some((lowest, 0, length));
        }
        Ok(0)
    }

    fn on_stack(&self, sp: u64) -> bool {
        self.stack.is_some_and(|(lowest, _, length)| sp > lowest && sp - lowest <= length)
    }

    /// A part of what is to be done at a signal, by its bytes.
    fn part(&self, signal: u64, which: usize) -> u64 {
        let Some(bytes) = self.actions.get(&signal) else { return 0 };
        let size = (bytes.len() - SET as usize) / 2;
        word(bytes, which * size, if which == 2 { 8 } else { size })
    }

    /// The address of what is to be done at a signal: 0 what is usual, 1 nothing, others a function.
    fn handler(&self, signal: u64) -> u64 {
        self.part(signal, 0)
    }

    /// Whether a signal does nothing: the program says so, or it is usual (a child, go on, urgent data, the window).
    fn is_ignored(&self, signal: u64) -> bool {
        let handler = self.handler(signal);
        handler == 1 || handler == 0 && matches!(signal, 17 | 18 | 23 | 28)
    }

    /// A signal to the process itself; gives the exit code if that ends it.
    pub(crate) fn send(&mut self, signal: u64, reason: Reason) -> Option<u32> {
        if signal == 0 || self.is_ignored(signal) {
            return None;
        }
        if self.blocked & bit(signal) == 0 && self.handler(signal) == 0 {
            return Some(128 + (signal as u32 & 0x7f));
        }
        self.waiting.entry(signal).or_insert(reason);
        None
    }

    /// The signal that is next, if one waits that is not blocked.
    fn next(&mut self) -> Option<(u64, Reason)> {
        let signal = self.waiting.keys().copied().find(|&signal| self.blocked & bit(signal) == 0)?;
        self.waiting.remove(&signal).map(|reason| (signal, reason))
    }
}

/// Words of a size, as in memory.
fn words<const N: usize>(all: [u64; N], size: usize) -> Vec<u8> {
    all.iter().flat_map(|word| word.to_le_bytes().into_iter().take(size)).collect()
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
    /// Calls the process's function for a trap, if it has one that may be called; gives whether it has.
    pub(crate) fn signal_trap(&mut self, fault: &Fault, pc: u64) -> bool {
        let Some((signal, code)) = of_trap(fault.cause) else { return false };
        let Some(process) = &self.process else { return false };
        let signals = &process.signals;
        if signals.handler(signal) <= 1 || signals.blocked & bit(signal) != 0 {
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
        let top = match signals.stack {
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
            // The process and its user.
            None => {
                put(8 + size, 1, 4);
                put(12 + size, crate::syscall::USER, 4);
            }
        }
        let (lowest, stack_flags, stack_length) = signals.stack.unwrap_or((0, DISABLED, 0));
        put(INFO + stack, lowest, size);
        put(INFO + stack + size, stack_flags | u64::from(signals.on_stack(sp)), 4);
        put(INFO + stack + 2 * size, stack_length, size);
        put(INFO + blocked, signals.blocked, SET);
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
            process.signals.blocked |= (signals.part(signal, 2) | own) & !UNBLOCKABLE;
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
            process.signals.blocked = get(INFO + blocked, SET) & !UNBLOCKABLE;
            process.signals.stack = (other.1 & DISABLED == 0).then_some((other.0, 0, other.2));
        }
        true
    }
}
