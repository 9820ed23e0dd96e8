//! What the kernel keeps of the signals of a process: what is to be done at each, and what is blocked and waits.
//!
//! A signal is for the process, and the first thread that does not block it takes it, or for one thread. Invariant: what is ignored does not
//! wait, and SIGKILL and SIGSTOP are never blocked.

use std::collections::BTreeMap;

use crate::host::Errno;
use crate::syscall::Call;

/// A flag of an action: calls that are interrupted are made again.
const RESTART: u64 = 0x1000_0000;

/// A flag of the other stack: there is none.
pub(crate) const DISABLED: u64 = 2;

/// Bytes of a signal set.
pub(crate) const SET: u64 = 8;

/// The other stack: its lowest address, flags, length.
type Stack = (u64, u64, u64);

/// Who sent a signal, and why.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reason {
    /// `si_code`.
    pub(crate) code: i32,
    /// The address of a trap; else it is from the process itself.
    pub(crate) address: Option<u64>,
}

impl Reason {
    /// Sent by the kernel.
    pub(crate) const KERNEL: Reason = Reason { code: 0x80, address: None };

    /// Sent by `kill`, or by `tkill` and `tgkill`.
    pub(crate) fn sent(to_thread: bool) -> Reason {
        Reason { code: if to_thread { -6 } else { 0 }, address: None }
    }
}

/// What each thread has for itself.
#[derive(Clone, Debug, Default)]
pub(crate) struct Own {
    /// A bit for each signal, that of signal 1 lowest.
    pub(crate) blocked: u64,
    /// Those that wait for this thread.
    pub(crate) waiting: BTreeMap<u64, Reason>,
    pub(crate) stack: Option<Stack>,
    /// What is blocked again once a signal has come that was waited for.
    pub(crate) before: Option<u64>,
}

impl Own {
    /// Blocks others until a signal has come.
    pub(crate) fn block_until(&mut self, set: u64) {
        self.before = Some(self.blocked);
        self.blocked = set & !UNBLOCKABLE;
    }

    /// None has come.
    pub(crate) fn unblock(&mut self) {
        self.blocked = self.before.take().unwrap_or(self.blocked);
    }

    /// What a thread begins with that this one makes.
    pub(crate) fn of_new_thread(&self) -> Own {
        Own { blocked: self.blocked, ..Own::default() }
    }

    /// Whether it does not block a signal.
    pub(crate) fn takes(&self, signal: u64) -> bool {
        self.blocked & bit(signal) == 0
    }
}

/// What the kernel keeps of the signals of a process.
#[derive(Clone, Debug, Default)]
pub(crate) struct Signals {
    /// What it wants to be done at signals, by their number, as it gave it.
    pub(crate) actions: BTreeMap<u64, Vec<u8>>,
    /// Those that wait for any thread.
    pub(crate) waiting: BTreeMap<u64, Reason>,
    /// What the running thread has.
    pub(crate) own: Own,
    /// Where [`RETURN`] is.
    pub(crate) trampoline: u64,
}

pub(crate) fn bit(signal: u64) -> u64 {
    signal.checked_sub(1).map_or(0, |at| 1_u64.checked_shl(at as u32).unwrap_or(0))
}

/// SIGKILL and SIGSTOP cannot be blocked.
pub(crate) const UNBLOCKABLE: u64 = 1 << 8 | 1 << 18;

/// A number in bytes, the lowest first.
pub(crate) fn word(bytes: &[u8], at: usize, size: usize) -> u64 {
    bytes.iter().skip(at).take(size).rev().fold(0, |all, &byte| all << 8 | u64::from(byte))
}

impl Signals {
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
                self.own.waiting.remove(&signal);
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
        let before = self.own.blocked;
        if new != 0 {
            let set = word(&c.bytes(new, SET)?, 0, 8);
            let set = match how {
                0 => before | set,
                1 => before & !set,
                2 => set,
                _ => return Err(Errno::INVALID),
            };
            self.own.blocked = set & !UNBLOCKABLE;
        }
        if old != 0 {
            c.put(old, &before.to_le_bytes())?;
        }
        Ok(0)
    }

    /// `rt_sigpending`.
    pub(crate) fn pending(&mut self, c: &mut Call<'_>) -> Result<u64, Errno> {
        let all = self.waiting.keys().chain(self.own.waiting.keys());
        let set = all.fold(0, |all, &signal| all | bit(signal)) & self.own.blocked;
        c.put(c.arg(0), &set.to_le_bytes()).map(|()| 0)
    }

    /// `sigaltstack`; `sp` says whether the process is on it.
    pub(crate) fn other_stack(&mut self, c: &mut Call<'_>, sp: u64) -> Result<u64, Errno> {
        let (new, old) = (c.arg(0), c.arg(1));
        let size = u64::from(c.xlen / 8) as usize;
        let is_on = self.on_stack(sp);
        if old != 0 {
            let (lowest, flags, length) = self.own.stack.unwrap_or((0, DISABLED, 0));
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
            self.own.stack = (flags & DISABLED == 0).then_some((lowest, 0, length));
        }
        Ok(0)
    }

    pub(crate) fn on_stack(&self, sp: u64) -> bool {
        self.own.stack.is_some_and(|(lowest, _, length)| sp > lowest && sp - lowest <= length)
    }

    /// A part of what is to be done at a signal, by its bytes.
    pub(crate) fn part(&self, signal: u64, which: usize) -> u64 {
        let Some(bytes) = self.actions.get(&signal) else { return 0 };
        let size = (bytes.len() - SET as usize) / 2;
        word(bytes, which * size, if which == 2 { 8 } else { size })
    }

    /// The address of what is to be done at a signal: 0 what is usual, 1 nothing, others a function.
    pub(crate) fn handler(&self, signal: u64) -> u64 {
        self.part(signal, 0)
    }

    /// Whether a signal does nothing: the program says so, or it is usual (a child, go on, urgent data, the window).
    pub(crate) fn is_ignored(&self, signal: u64) -> bool {
        let handler = self.handler(signal);
        handler == 1 || handler == 0 && matches!(signal, 17 | 18 | 23 | 28)
    }

    /// A signal to the process, which a thread takes now or not; gives the exit code if that ends the process.
    pub(crate) fn send_any(&mut self, signal: u64, reason: Reason, is_taken: bool) -> Option<u32> {
        if signal == 0 || self.is_ignored(signal) {
            return None;
        }
        if is_taken && self.handler(signal) == 0 {
            return Some(128 + (signal as u32 & 0x7f));
        }
        self.waiting.entry(signal).or_insert(reason);
        None
    }

    /// Whether calls that a signal interrupts are made again.
    pub(crate) fn restarts(&self, signal: u64) -> bool {
        self.part(signal, 1) & RESTART != 0
    }

    /// A signal to a thread by what it has; gives the exit code if that ends the process.
    pub(crate) fn send_to(&self, own: &mut Own, signal: u64, reason: Reason) -> Option<u32> {
        if signal == 0 || self.is_ignored(signal) {
            return None;
        }
        if own.takes(signal) && self.handler(signal) == 0 {
            return Some(128 + (signal as u32 & 0x7f));
        }
        own.waiting.entry(signal).or_insert(reason);
        None
    }

    /// Whether a signal is to be delivered to the running thread.
    pub(crate) fn is_next(&self) -> bool {
        let all = self.waiting.keys().chain(self.own.waiting.keys());
        all.into_iter().any(|&signal| self.own.takes(signal))
    }

    /// Whether a signal waits for any thread.
    pub(crate) fn waits(&self, signal: u64) -> bool {
        self.waiting.contains_key(&signal)
    }

    /// The signal that is next, if one waits that is not blocked.
    pub(crate) fn next(&mut self) -> Option<(u64, Reason)> {
        let takes = |signal: &u64| self.own.blocked & bit(*signal) == 0;
        let own = self.own.waiting.keys().copied().find(takes);
        let any = self.waiting.keys().copied().find(takes);
        let first = own.into_iter().chain(any).min()?;
        let reason = self.own.waiting.remove(&first).or_else(|| self.waiting.remove(&first));
        reason.map(|reason| (first, reason))
    }
}

/// Words of a size, as in memory.
fn words<const N: usize>(all: [u64; N], size: usize) -> Vec<u8> {
    all.iter().flat_map(|word| word.to_le_bytes().into_iter().take(size)).collect()
}
