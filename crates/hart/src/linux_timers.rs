//! Timers of a process of Linux (`setitimer`), and calls that wait for nothing but a signal.
//!
//! A process has three timers: of the time, of its own time, and of that with the kernel's. It runs whenever the clock does, so all three count
//! the host's. They are looked at when a turn of a thread ends, and when all threads wait.

use std::time::Duration;

use crate::hart::{Hart, Stop};
use crate::host::Errno;
use crate::linux::Done;
use crate::signals::Reason;
use crate::syscall;
use crate::threads::{INTERRUPTED, State};

/// The signals of the three: `SIGALRM`, `SIGVTALRM`, `SIGPROF`.
const SIGNALS: [u64; 3] = [14, 26, 27];

impl Hart<'_> {
    /// Sends the signals of timers that have come; gives the exit code if that ends the process.
    pub(crate) fn ring(&mut self) -> Option<u32> {
        let first = self.process.as_ref()?.timers.first()?;
        let now = self.host().now();
        if now < first {
            return None;
        }
        for (which, signal) in SIGNALS.into_iter().enumerate() {
            let timer = self.process.as_mut()?.timers.0.get_mut(which)?;
            if let Some((until, interval)) = timer.filter(|timer| timer.0 <= now) {
                // Those that were missed are one.
                let missed = now.saturating_sub(until).as_nanos().checked_div(interval.as_nanos()).unwrap_or(0);
                let next = interval.saturating_mul(u32::try_from(missed + 1).unwrap_or(u32::MAX));
                *timer = (!interval.is_zero()).then(|| (until.saturating_add(next), interval));
                let ended = self.signal_process(signal, Reason::KERNEL);
                if ended.is_some() {
                    return ended;
                }
            }
        }
        None
    }

    /// Two times as `setitimer` has them: seconds and millionths, each a word.
    fn put_timer(&mut self, address: u64, which: usize) -> Result<(), Errno> {
        let now = self.host().now();
        let timer = self.process.as_ref().and_then(|p| p.timers.0.get(which).copied().flatten());
        let (left, interval) = timer.map_or((Duration::ZERO, Duration::ZERO), |(until, interval)| {
            // One that is there is not over.
            (until.saturating_sub(now).max(Duration::from_micros(1)), interval)
        });
        let size = (self.xlen() / 8) as usize;
        let words = [interval, left].into_iter().flat_map(|t| [t.as_secs(), u64::from(t.subsec_micros())]);
        let bytes: Vec<u8> = words.flat_map(|word| word.to_le_bytes().into_iter().take(size)).collect();
        self.memory().write(address, &bytes).map_err(|_| Errno::FAULT)
    }

    fn timer_at(&mut self, address: u64) -> Result<(Duration, Duration), Errno> {
        let size = (self.xlen() / 8) as usize;
        let bytes = self.memory().read(address, 4 * size).map_err(|_| Errno::FAULT)?;
        let word =
            |at: usize| bytes.iter().skip(at * size).take(size).rev().fold(0, |all, &byte| all << 8 | u64::from(byte));
        let time = |at: usize| {
            let micros = u32::try_from(word(at + 1)).ok().filter(|&n| n < 1_000_000).ok_or(Errno::INVALID)?;
            let seconds = i64::try_from(word(at)).map_err(|_| Errno::INVALID)? as u64;
            Ok(Duration::new(seconds, micros * 1000))
        };
        Ok((time(2)?, time(0)?))
    }

    /// `setitimer`.
    fn set_timer(&mut self, which: u64, new: u64, old: u64) -> Result<u64, Errno> {
        let which = usize::try_from(which).ok().filter(|&n| n < SIGNALS.len()).ok_or(Errno::INVALID)?;
        let (value, interval) = if new == 0 { Default::default() } else { self.timer_at(new)? };
        if old != 0 {
            self.put_timer(old, which)?;
        }
        let until = self.host().now().saturating_add(value);
        let completed = self.machine.csrs.retired;
        let process = self.process.as_mut().ok_or(Errno::NO_CALL)?;
        if let Some(timer) = process.timers.0.get_mut(which) {
            *timer = (!value.is_zero()).then_some((until, interval));
        }
        process.threads.begin_turn(completed);
        // The slice that runs now knew of no turns.
        self.machine.csrs.recheck = true;
        Ok(0)
    }

    /// Does a call of this file; `None` if it is another one.
    pub(crate) fn timer_call(&mut self, number: u64, args: [u64; 6]) -> Option<Done> {
        let result = match number {
            102 => usize::try_from(args[0])
                .ok()
                .filter(|&which| which < SIGNALS.len())
                .ok_or(Errno::INVALID)
                .and_then(|which| self.put_timer(args[1], which))
                .map(|()| 0),
            103 => self.set_timer(args[0], args[1], args[2]),
            // ppoll and pselect6 of no files: `pause`, `sleep` and `usleep` of some.
            73 | 414 if args[1] == 0 => return Some(self.wait_for_signal(args[2], args[3])),
            72 | 413 if args[0] == 0 && args[5] == 0 => return Some(self.wait_for_signal(args[4], 0)),
            // rt_sigsuspend
            133 if args[1] == 8 => return Some(self.wait_for_signal(0, args[0])),
            133 => Err(Errno::INVALID),
            _ => return None,
        };
        Some(Done::Value(result.unwrap_or_else(syscall::error)))
    }

    /// Waits for a signal, at most so long if there is a time at this address, with others blocked meanwhile if there is a set.
    fn wait_for_signal(&mut self, time: u64, set: u64) -> Done {
        let refuse = |e: Errno| Done::Value(syscall::error(e));
        let until = match time {
            0 => None,
            at => match self.time_at(at) {
                Err(e) => return refuse(e),
                Ok(time) => Some(self.host().now().saturating_add(time)),
            },
        };
        if set != 0 {
            let Ok(bytes) = self.memory().read(set, 8) else { return refuse(Errno::FAULT) };
            let set = bytes.try_into().map_or(0, u64::from_le_bytes);
            self.process.iter_mut().for_each(|process| process.signals.own.block_until(set));
        }
        // One that waits already.
        if self.process.as_ref().is_some_and(|process| process.signals.is_next()) {
            return refuse(INTERRUPTED);
        }
        Done::Moved(self.leave(State::Pauses(until)))
    }

    /// Lets the time pass up to the first of these and of the timers, where nobody can run; `None` if there is nothing to wait for.
    pub(crate) fn pass_time(&mut self, until: Option<Duration>) -> Option<Option<Stop>> {
        let first = self.process.as_ref()?.timers.first();
        let until = until.into_iter().chain(first).min()?;
        let now = self.host().now();
        self.host().sleep(until.saturating_sub(now));
        Some(self.ring().map(Stop::Exit))
    }
}
