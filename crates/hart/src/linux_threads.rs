//! Threads of a process of Linux: they share memory, files and what is to be done at signals, and take turns on the one hart.
//!
//! The problem: a run has to be the same every time, and a program with one thread must not pay. The method: a turn is a number of completed
//! instructions ([`TURN`]) or ends at a call that waits; the next thread is the one that has not run for longest. All that belongs to a thread is moved
//! out of the machine and into it. Invariant: a thread that waits stands at its `ecall`, and what wakes it puts the result into its
//! `a0` and moves it on; so one that cannot be woken can be looked at, and its call can be made again.

use std::time::Duration;

use crate::hart::{Hart, Stop};
use crate::host::Errno;
use crate::limits::MAX_THREADS;
use crate::linux::Done;
use crate::signals::{Own, Reason};
use crate::syscall;
use crate::threads::{FIRST, NOBODY, Part, State, Thread, Threads};

/// Flags of `clone`: what a thread shares (memory, what is to be done at signals, the process), and what is to be done with its numbers.
const SHARED: u64 = 0x100 | 0x800 | 0x1_0000;
const SET_TLS: u64 = 0x8_0000;
const PARENT_SET: u64 = 0x10_0000;
const CHILD_CLEAR: u64 = 0x20_0000;
const CHILD_SET: u64 = 0x100_0000;

/// `ETIMEDOUT`.
const TIMED_OUT: Errno = Errno(110);
/// `ESRCH`.
const NO_THREAD: Errno = Errno(3);

/// Calls that may wait for another thread: `read`, `write`, `readv`, `writev`, `sendfile`, `pselect6`, `ppoll`.
const WAITING: [u64; 9] = [63, 64, 65, 66, 71, 72, 73, 413, 414];

impl Hart<'_> {
    pub(crate) fn threads(&mut self) -> Option<&mut Threads> {
        self.process.as_mut().map(|process| &mut process.threads)
    }

    /// Gives the turn to another thread, if it is over.
    pub(crate) fn take_turns(&mut self) -> Option<Stop> {
        let completed = self.machine.csrs.retired;
        if !self.process.as_ref()?.has_turns() || completed < self.threads()?.turn {
            return None;
        }
        if let Some(code) = self.ring() {
            return Some(Stop::Exit(code));
        }
        let threads = self.threads()?;
        threads.vain = 0;
        if threads.is_alone() {
            threads.begin_turn(completed);
            return self.take_signals().map(Stop::Exit);
        }
        self.leave(State::Ready)
    }

    /// The running thread does this from now on; gives why the run ends, if no thread can go on.
    pub(crate) fn leave(&mut self, state: State) -> Option<Stop> {
        self.park(state);
        self.schedule()
    }

    fn park(&mut self, state: State) {
        let (x, pc) = (self.machine.x, self.pc());
        let (float, vector) = (self.machine.csrs.float, self.machine.csrs.vector.clone());
        let Some(process) = &mut self.process else { return };
        let own = std::mem::take(&mut process.signals.own);
        let number = std::mem::replace(&mut process.threads.current, NOBODY);
        let (clear, part) = (process.threads.clear, process.threads.part.take());
        process.threads.others.push_back(Thread { number, x, float, vector, pc, clear, own, part, state });
    }

    fn resume(&mut self, at: usize) {
        let completed = self.machine.csrs.retired;
        let Some(process) = &mut self.process else { return };
        let Some(thread) = process.threads.others.remove(at) else { return };
        process.signals.own = thread.own;
        process.threads.current = thread.number;
        (process.threads.clear, process.threads.part) = (thread.clear, thread.part);
        process.threads.begin_turn(completed);
        self.machine.x = thread.x;
        (self.machine.csrs.float, self.machine.csrs.vector) = (thread.float, thread.vector);
        // A conditional store of one thread has nothing to do with a load of another.
        let _ = self.machine.reserved(0);
        // A slice ends here, since it was cut for another turn.
        self.machine.csrs.recheck = true;
        self.machine.x[10] = self.machine.cut(self.machine.x[10]);
        self.set_pc(thread.pc);
    }

    /// Lets the next thread run that can. Nobody runs now.
    fn schedule(&mut self) -> Option<Stop> {
        loop {
            if self.threads()?.others.iter().any(|t| t.until().is_some()) {
                let now = self.host().now();
                for thread in &mut self.threads()?.others {
                    if thread.until().is_some_and(|until| until <= now) {
                        let waits = matches!(thread.state, State::Waits { .. });
                        thread.own.unblock();
                        thread.wake(if waits { syscall::error(TIMED_OUT) } else { 0 });
                    }
                }
            }
            let threads = self.threads()?;
            let is_ready = threads.others.iter().any(|t| t.state == State::Ready);
            let asking = threads.others.iter().filter(|t| t.state == State::Asks).count();
            // Those that ask run as long as that may change anything.
            let may_ask = is_ready || threads.vain < asking;
            let can_run = |t: &Thread| t.state == State::Ready || t.state == State::Asks && may_ask;
            if let Some(at) = threads.others.iter().position(can_run) {
                self.resume(at);
                return self.take_signals().map(Stop::Exit);
            }
            threads.vain = 0;
            let until = threads.others.iter().filter_map(Thread::until).min();
            match self.pass_time(until) {
                Some(None) => {}
                Some(stop) => return stop,
                None => {
                    self.resume(0);
                    return Some(Stop::Stuck);
                }
            }
        }
    }

    /// A call was done, so those that ask may ask again.
    pub(crate) fn has_done(&mut self) {
        self.threads().into_iter().for_each(|threads| threads.vain = 0);
    }

    /// Looks at a call that was done with these arguments: one that would wait, and of a `write` what is left, is made again later, if there are
    /// other threads. Gives whether the thread has left.
    pub(crate) fn may_wait(&mut self, number: u64, [first, address, length]: [u64; 3]) -> Option<Option<Stop>> {
        const WRITE: u64 = 64;
        let (result, again) = (self.register(10), self.machine.cut(syscall::error(Errno::AGAIN)));
        let is_alone = self.threads()?.is_alone();
        let threads = self.threads()?;
        let is_rest =
            |p: &Part| number == WRITE && p.address.wrapping_add(p.done) == address && p.length - p.done == length;
        let part = threads.part.take().filter(is_rest);
        let is_short = number == WRITE && 0 < result && result < length;
        if !is_alone && (is_short || result == again && WAITING.contains(&number)) {
            // What went out is something done.
            threads.vain = if is_short { 0 } else { threads.vain + 1 };
            let mut part = part.unwrap_or(Part { address, length, done: 0 });
            part.done += if is_short { result } else { 0 };
            let (at, rest) = (part.address.wrapping_add(part.done), part.length - part.done);
            if number == WRITE {
                threads.part = Some(part);
                self.set_register(11, at);
                self.set_register(12, rest);
            }
            self.set_register(10, first);
            return Some(self.leave(State::Asks));
        }
        if let Some(part) = part {
            let failed = result > length;
            self.set_register(10, part.done + if failed { 0 } else { result });
            self.set_register(11, part.address);
            self.set_register(12, part.length);
        }
        self.has_done();
        None
    }

    pub(crate) fn small(&mut self, address: u64) -> Result<u32, Errno> {
        let bytes = self.memory().read(address, 4).map_err(|_| Errno::FAULT)?;
        Ok(bytes.try_into().map_or(0, u32::from_le_bytes))
    }

    pub(crate) fn put_small(&mut self, address: u64, value: u32) -> Result<(), Errno> {
        self.memory().write(address, &value.to_le_bytes()).map_err(|_| Errno::FAULT)
    }

    pub(crate) fn time_at(&mut self, address: u64) -> Result<Duration, Errno> {
        let bytes = self.memory().read(address, 16).map_err(|_| Errno::FAULT)?;
        let word = |at: usize| bytes.get(at..at + 8).and_then(|b| b.try_into().ok()).map_or(0, u64::from_le_bytes);
        let nanos = u32::try_from(word(8)).ok().filter(|&n| n < 1_000_000_000).ok_or(Errno::INVALID)?;
        let seconds = i64::try_from(word(0)).map_err(|_| Errno::INVALID)?;
        Ok(Duration::new(seconds as u64, nanos))
    }

    /// Does a call about threads; `None` if it is another one.
    pub(crate) fn thread_call(&mut self, number: u64) -> Option<Done> {
        let args: [u64; 6] = std::array::from_fn(|n| self.register(10 + n as u8));
        let is_alone = self.threads()?.is_alone();
        let has_turns = self.process.as_ref()?.has_turns();
        let result = match number {
            // exit
            93 if !is_alone => return Some(Done::Moved(self.end_thread(args[0] as u32))),
            93 => {
                let first = self.threads()?.first_code;
                return first.map(|code| Done::Moved(Some(Stop::Exit(code & 0xff))));
            }
            // kill, tkill, tgkill
            129 => return Some(self.after_signal(|hart| Ok(hart.signal_process(args[1], Reason::sent(false))))),
            130 => return Some(self.after_signal(|hart| hart.signal_thread(args[0], args[1]))),
            131 => return Some(self.after_signal(|hart| hart.signal_thread(args[1], args[2]))),
            // set_tid_address, gettid
            96 | 178 => {
                let threads = self.threads()?;
                if number == 96 {
                    threads.clear = args[0];
                }
                Ok(threads.current)
            }
            98 | 422 => return Some(self.futex(args)),
            // nanosleep, clock_nanosleep
            101 if has_turns && self.xlen() == 64 => return Some(self.sleep_thread(args[0], false)),
            115 | 407 if has_turns => return Some(self.sleep_thread(args[2], args[1] & 1 == 1)),
            // sched_yield
            124 if !is_alone => {
                self.has_done();
                self.set_register(10, 0);
                self.set_pc(self.pc().wrapping_add(4));
                return Some(Done::Moved(self.leave(State::Ready)));
            }
            220 if args[0] & SHARED == SHARED => self.clone_thread(args[0], args[1], args[3], args[2], args[4]),
            435 => {
                let Ok(bytes) = self.memory().read(args[0], 64) else {
                    return Some(Done::Value(syscall::error(Errno::FAULT)));
                };
                let field = |n: usize| {
                    bytes.get(8 * n..8 * n + 8).and_then(|b| b.try_into().ok()).map_or(0, u64::from_le_bytes)
                };
                let flags = field(0);
                if flags & SHARED != SHARED {
                    return None;
                }
                self.clone_thread(flags, field(5).wrapping_add(field(6)), field(7), field(3), field(2))
            }
            _ => return self.timer_call(number, args),
        };
        Some(Done::Value(result.unwrap_or_else(syscall::error)))
    }

    /// Begins a thread; gives its number.
    fn clone_thread(&mut self, flags: u64, stack: u64, tls: u64, parent: u64, child: u64) -> Result<u64, Errno> {
        let completed = self.machine.csrs.retired;
        let threads = self.threads().ok_or(Errno::NO_CALL)?;
        if threads.others.len() >= MAX_THREADS {
            return Err(Errno::AGAIN);
        }
        let number = threads.next;
        if flags & PARENT_SET != 0 {
            self.put_small(parent, number as u32)?;
        }
        if flags & CHILD_SET != 0 {
            self.put_small(child, number as u32)?;
        }
        let mut x = self.machine.x;
        x[10] = 0;
        if stack != 0 {
            x[2] = self.machine.cut(stack);
        }
        if flags & SET_TLS != 0 {
            x[4] = self.machine.cut(tls);
        }
        let (float, vector) = (self.machine.csrs.float, self.machine.csrs.vector.clone());
        let pc = self.pc().wrapping_add(4);
        let process = self.process.as_mut().ok_or(Errno::NO_CALL)?;
        let own = process.signals.own.of_new_thread();
        let clear = if flags & CHILD_CLEAR != 0 { child } else { 0 };
        let threads = &mut process.threads;
        threads.next += 1;
        if threads.is_alone() {
            threads.begin_turn(completed);
        }
        threads.others.push_back(Thread { number, x, float, vector, pc, clear, own, part: None, state: State::Ready });
        self.machine.csrs.recheck = true;
        Ok(number)
    }

    /// The running thread is no more.
    fn end_thread(&mut self, code: u32) -> Option<Stop> {
        let threads = self.threads()?;
        threads.vain = 0;
        if threads.current == FIRST {
            threads.first_code = Some(code);
        }
        threads.current = NOBODY;
        let clear = threads.clear;
        if clear != 0 && self.put_small(clear, 0).is_ok() {
            self.threads()?.wake(clear, 1, u32::MAX);
        }
        self.process.as_mut()?.signals.own = Own::default();
        self.schedule()
    }

    fn sleep_thread(&mut self, address: u64, is_absolute: bool) -> Done {
        match self.time_at(address) {
            Ok(time) => {
                let until = if is_absolute { time } else { self.host().now().saturating_add(time) };
                Done::Moved(self.leave(State::Sleeps(until)))
            }
            Err(e) => Done::Value(syscall::error(e)),
        }
    }

    fn after_signal(&mut self, send: impl FnOnce(&mut Self) -> Result<Option<u32>, Errno>) -> Done {
        match send(self) {
            Ok(Some(code)) => Done::Moved(Some(Stop::Exit(code))),
            Ok(None) => Done::Value(0),
            Err(e) => Done::Value(syscall::error(e)),
        }
    }

    /// A signal to a thread; gives the exit code if that ends the process.
    pub(crate) fn signal_thread(&mut self, number: u64, signal: u64) -> Result<Option<u32>, Errno> {
        let process = self.process.as_mut().ok_or(NO_THREAD)?;
        let (threads, reason) = (&mut process.threads, Reason::sent(true));
        if number == threads.current {
            let mut own = std::mem::take(&mut process.signals.own);
            let ended = process.signals.send_to(&mut own, signal, reason);
            process.signals.own = own;
            return Ok(ended);
        }
        let signals = &process.signals;
        let thread = threads.others.iter_mut().find(|t| t.number == number).ok_or(NO_THREAD)?;
        let ended = signals.send_to(&mut thread.own, signal, reason);
        if ended.is_none() && thread.own.takes(signal) && !signals.is_ignored(signal) {
            threads.interrupt(number, signals.restarts(signal));
        }
        Ok(ended)
    }

    /// A signal to the process: to the running thread, or if that blocks it to another that does not; gives the exit code if it ends the process.
    pub(crate) fn signal_process(&mut self, signal: u64, reason: Reason) -> Option<u32> {
        let process = self.process.as_mut()?;
        let (signals, threads) = (&mut process.signals, &mut process.threads);
        let takes = threads.current != NOBODY && signals.own.takes(signal);
        let other = threads.others.iter().find(|t| t.own.takes(signal)).map(|t| t.number);
        let ended = signals.send_any(signal, reason, takes || other.is_some());
        if !takes && signals.waits(signal) {
            let restarts = signals.restarts(signal);
            other.into_iter().for_each(|number| threads.interrupt(number, restarts));
        }
        ended
    }
}
