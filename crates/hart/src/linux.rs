//! A process of Linux: what the kernel gives it at the start (stack, arguments, environment, auxiliary vector), and the system calls
//! that are not about files. There are no other processes; signals are in `linux_signals`, threads in `linux_threads`.
//!
//! Numbers and layouts are those of Linux on RISC-V. Invariant: a call that is not known gives `ENOSYS` and is told once; nothing is
//! done by half.

use std::time::Duration;

use crate::hart::{Hart, Stop};
use crate::host::{Errno, From};
use crate::limits::{MAX_REGIONS, MAX_TRANSFER};
use crate::linux_files::Here;
use crate::linux_names;
use crate::memory::PAGE;
use crate::signals::Signals;
use crate::syscall::{self, Call, Outcome, Place, USER};
use crate::threads::{Threads, Timers};

/// What a process starts with.
#[derive(Clone, Debug, Default)]
pub struct Start {
    /// Its name and arguments.
    pub arguments: Vec<Vec<u8>>,
    /// Its environment, each `NAME=VALUE`.
    pub environment: Vec<Vec<u8>>,
    /// Where it starts.
    pub entry: u64,
    /// The address of its program headers in memory, 0 if they are not loaded.
    pub headers: u64,
    /// How many there are.
    pub header_count: u64,
    /// The address after its last segment, where its heap begins.
    pub end: u64,
}

/// Bytes of the stack.
const STACK: u64 = 8 << 20;
/// Bytes of memory that a program is told of.
const MEMORY: u64 = 1 << 30;
/// What mappings begin below, beside what is a large power of two: what a program maps first and the top of its stack are used at the same time, and
/// with the same low bits in their addresses each would push the other out of the tables of recent pages.
const APART: u64 = 341 * PAGE as u64;
/// What lies between heap and mappings stays free.
const GAP: u64 = 1 << 28;

/// What became of a call.
pub(crate) enum Done {
    /// It has this result.
    Value(u64),
    /// The thread waits, or is no more, and another one runs; or the run ends.
    Moved(Option<Stop>),
}

/// What the kernel keeps of a process.
#[derive(Clone, Debug)]
pub(crate) struct Process {
    /// The heap: where it starts and ends.
    heap: u64,
    top: u64,
    /// Mappings grow down from here.
    mappings: u64,
    here: Here,
    began: Duration,
    pub(crate) signals: Signals,
    pub(crate) threads: Threads,
    pub(crate) timers: Timers,
}

impl Hart<'_> {
    /// Makes the program that is in memory a process of Linux: `ecall` makes system calls, and the run ends when it exits.
    ///
    /// # Errors
    /// A sentence, if arguments and environment do not fit the stack.
    pub fn start_process(&mut self, start: &Start) -> Result<(), String> {
        let xlen = self.xlen();
        let size = u64::from(xlen / 8);
        let top: u64 = if xlen == 32 { 0xbfff_f000 } else { 0x3f_ffff_f000 };
        let texts = start.arguments.iter().chain(&start.environment);
        let length: u64 = texts.map(|text| text.len() as u64 + 1 + size).sum();
        if length > STACK / 4 {
            return Err("the arguments and the environment are longer than the stack has room for".to_owned());
        }
        let mut random = [0; 16];
        self.host().random(&mut random);
        let hardware = self.csr(0x301).unwrap_or(0) & 0x3ff_ffff & !(1 << 18 | 1 << 20);
        let memory = self.memory();
        memory.add_region(top - STACK, STACK);
        let mut at = top;
        let mut fail = false;
        let mut push = |bytes: &[u8]| {
            at = at.wrapping_sub(bytes.len() as u64);
            fail |= memory.write(at, bytes).is_err();
            at
        };
        let mut text = |text: &Vec<u8>| push(&[text.as_slice(), b"\0"].concat());
        let arguments: Vec<u64> = start.arguments.iter().map(&mut text).collect();
        let environment: Vec<u64> = start.environment.iter().map(&mut text).collect();
        let random = push(&random);
        // The auxiliary vector: what is what, by the numbers of Linux.
        let name = arguments.first().copied().unwrap_or(0);
        let header_size = if xlen == 32 { 32 } else { 56 };
        let mut vector = vec![
            (6, PAGE as u64),
            (17, 100),
            (9, start.entry),
            (16, hardware),
            (11, USER),
            (12, USER),
            (13, USER),
            (14, USER),
            (23, 0),
            (25, random),
            (31, name),
        ];
        if start.headers != 0 {
            vector.extend([(3, start.headers), (4, header_size), (5, start.header_count)]);
        }
        vector.push((0, 0));
        let list = |addresses: &[u64]| addresses.iter().copied().chain([0]).collect::<Vec<u64>>();
        let mut words = vec![arguments.len() as u64];
        words.extend(list(&arguments));
        words.extend(list(&environment));
        words.extend(vector.iter().flat_map(|&(what, value)| [what, value]));
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes().into_iter().take(size as usize)).collect();
        let stack = at.wrapping_sub(bytes.len() as u64) & !15;
        fail |= memory.write(stack, &bytes).is_err();
        if fail {
            return Err("there is no memory for the stack".to_owned());
        }
        self.set_register(2, stack);
        self.set_pc(start.entry);
        // User programs read the counters.
        self.set_csr(0x306, 7);
        self.set_csr(0x106, 7);
        let heap = start.end.checked_next_multiple_of(PAGE as u64).ok_or("there is no room for a heap")?;
        let began = self.host().now();
        // Above the stack.
        let signals = self.begin_signals(top)?;
        let (mappings, here) = (top - STACK - GAP / 4 - APART, Here::new());
        self.process = Some(Process {
            heap,
            top: heap,
            mappings,
            here,
            began,
            signals,
            threads: Threads::new(),
            timers: Timers::default(),
        });
        Ok(())
    }

    /// Does a system call of a process at `pc`, and delivers the signals that wait then.
    pub(crate) fn process_call(&mut self, pc: u64) -> Option<Stop> {
        const RETURN: u64 = 139;
        match self.register(17) {
            RETURN if self.signal_return() => {}
            // As if the program had loaded from there.
            RETURN => return Some(Stop::Exit(128 + 11)),
            number => {
                let arguments = [self.register(10), self.register(11), self.register(12)];
                match self.thread_call(number) {
                    Some(Done::Value(value)) => self.set_register(10, value),
                    Some(Done::Moved(stop)) => return stop,
                    None => {
                        let stop = self.system_call();
                        if stop.is_some() {
                            return stop;
                        }
                        if let Some(stop) = self.may_wait(number, arguments) {
                            return stop;
                        }
                    }
                }
                self.set_pc(pc.wrapping_add(4));
            }
        }
        self.take_signals().map(Stop::Exit)
    }

    /// The same without its end: the pc stays at the `ecall`.
    fn system_call(&mut self) -> Option<Stop> {
        let xlen = self.xlen();
        let (number, sp) = (self.register(17), self.register(2));
        let args: [u64; 6] = std::array::from_fn(|n| self.register(10 + n as u8));
        let mut process = self.process.take()?;
        let (machine, host) = self.outside();
        let here = process.here.clone();
        let place = Place { here: Some(&here.folder), mask: here.mask };
        let mut call = Call { memory: &mut machine.memory, host, xlen, args: &args, place };
        let mut outcome = syscall::file(&mut call, number);
        if outcome == Outcome::Unknown {
            outcome = process.here.call(&mut call, number);
        }
        if outcome == Outcome::Unknown {
            outcome = process.call(&mut call, number, sp);
        }
        self.process = Some(process);
        let result = match outcome {
            Outcome::Value(value) => value,
            Outcome::Exit(code) => return Some(Stop::Exit(code & 0xff)),
            Outcome::Unknown => {
                self.unknown(linux_names::of(number));
                syscall::error(Errno::NO_CALL)
            }
        };
        self.set_register(10, result);
        None
    }
}

/// `MAP_FIXED`, `MAP_ANONYMOUS`, and `MAP_FIXED_NOREPLACE`.
const FIXED: u64 = 0x10;
const ANONYMOUS: u64 = 0x20;
const NO_REPLACE: u64 = 0x10_0000;

fn pages(length: u64) -> Result<u64, Errno> {
    length.checked_next_multiple_of(PAGE as u64).filter(|&n| n > 0).ok_or(Errno::INVALID)
}

impl Process {
    /// Whether something has to be looked at now and then.
    pub(crate) fn has_turns(&self) -> bool {
        !self.threads.is_alone() || self.timers.first().is_some()
    }

    /// The lowest address that mappings may have.
    fn lowest(&self) -> u64 {
        self.top.saturating_add(PAGE as u64)
    }

    fn set_top(&mut self, c: &mut Call<'_>) -> u64 {
        let wanted = c.arg(0);
        // The old one, if it cannot be.
        let limit = self.mappings.saturating_sub(PAGE as u64);
        if wanted < self.heap || wanted > limit || c.memory.region_count() >= MAX_REGIONS {
            return self.top;
        }
        let (old, new) = (self.top.next_multiple_of(PAGE as u64), wanted.next_multiple_of(PAGE as u64));
        if new > old {
            c.memory.add_region(old, new - old);
        } else if new < old {
            c.memory.remove_region(new, old - new);
        }
        self.top = wanted;
        wanted
    }

    fn map(&mut self, c: &mut Call<'_>) -> Result<u64, Errno> {
        let (hint, length, flags) = (c.arg(0), pages(c.arg(1))?, c.arg(3));
        if c.memory.region_count() >= MAX_REGIONS {
            return Err(Errno::NO_MEMORY);
        }
        let address = if flags & (FIXED | NO_REPLACE) != 0 {
            let last = hint.checked_add(length).ok_or(Errno::NO_MEMORY)?;
            if hint % PAGE as u64 != 0 || (c.xlen == 32 && last > 1 << 32) {
                return Err(Errno::INVALID);
            }
            if flags & NO_REPLACE != 0 && c.memory.has_region(hint, length) {
                return Err(Errno::EXISTS);
            }
            c.memory.remove_region(hint, length);
            hint
        } else {
            let address = self.mappings.checked_sub(length).filter(|&at| at >= self.lowest());
            self.mappings = address.ok_or(Errno::NO_MEMORY)?;
            self.mappings
        };
        c.memory.add_region(address, length);
        if flags & ANONYMOUS == 0 {
            self.fill(c, address, length)?;
        }
        Ok(address)
    }

    /// Copies a file into a mapping; what is written there does not reach the file.
    fn fill(&mut self, c: &mut Call<'_>, address: u64, length: u64) -> Result<(), Errno> {
        let (file, place) = (c.arg(4) as u32, if c.xlen == 32 { c.arg(5) * PAGE as u64 } else { c.arg(5) });
        let before = c.host.seek(file, From::Here, 0)?;
        c.host.seek(file, From::Start, i64::try_from(place).map_err(|_| Errno::INVALID)?)?;
        let mut done = 0;
        while done < length {
            let bytes = c.host.read(file, (length - done).min(MAX_TRANSFER) as usize)?;
            if bytes.is_empty() {
                break;
            }
            c.put(address + done, &bytes).map_err(|_| Errno::NO_MEMORY)?;
            done += bytes.len() as u64;
        }
        c.host.seek(file, From::Start, before as i64).map(|_| ())
    }

    fn unmap(&mut self, c: &mut Call<'_>) -> Result<u64, Errno> {
        let (address, length) = (c.arg(0), pages(c.arg(1))?);
        if address % PAGE as u64 != 0 || address.checked_add(length).is_none() {
            return Err(Errno::INVALID);
        }
        c.memory.remove_region(address, length);
        if address == self.mappings {
            // The lowest one: its place is free again.
            self.mappings += length;
        }
        Ok(0)
    }

    fn remap(&mut self, c: &mut Call<'_>) -> Result<u64, Errno> {
        let (old, old_length, new_length) = (c.arg(0), pages(c.arg(1))?, pages(c.arg(2))?);
        if old % PAGE as u64 != 0 || old.checked_add(old_length).is_none() {
            return Err(Errno::INVALID);
        }
        if new_length <= old_length {
            c.memory.remove_region(old + new_length, old_length - new_length);
            return Ok(old);
        }
        if c.arg(3) & 1 == 0 {
            return Err(Errno::NO_MEMORY);
        }
        let address = self.mappings.checked_sub(new_length).filter(|&at| at >= self.lowest());
        let address = address.ok_or(Errno::NO_MEMORY)?;
        if !c.memory.move_region(old, old_length, address, new_length) {
            return Err(Errno::FAULT);
        }
        self.mappings = address;
        Ok(address)
    }

    /// Does a call that is not about files.
    fn call(&mut self, c: &mut Call<'_>, number: u64, sp: u64) -> Outcome {
        let word = u64::from(c.xlen / 8);
        let result = match number {
            // getpid
            172 => Ok(1),
            173 => Ok(0),
            174..=177 => Ok(USER),
            // getresuid, getresgid; getgroups: no others.
            148 | 150 => (0..3).try_for_each(|n| c.put(c.arg(n), &(USER as u32).to_le_bytes())).map(|()| 0),
            158 => Ok(0),
            // setpgid, setpriority, sched_setaffinity, msync, mlock and its like, personality
            154 | 140 | 122 | 227..=231 | 92 => Ok(0),
            // getpgid, getsid, setsid; getpriority
            155..=157 => Ok(1),
            141 => Ok(20),
            // waitid, wait4
            95 => Err(Errno::NO_CHILD),
            260 if c.xlen == 64 => Err(Errno::NO_CHILD),
            // times: user, system, and those of children
            153 => {
                let ticks = c.host.now().saturating_sub(self.began).as_millis() as u64 / 10;
                let bytes = [ticks, 0, 0, 0].into_iter().flat_map(|n| n.to_le_bytes().into_iter().take(word as usize));
                let bytes: Vec<u8> = bytes.collect();
                if c.arg(0) == 0 { Ok(ticks) } else { c.put(c.arg(0), &bytes).map(|()| ticks) }
            }
            // getcpu
            168 => self.zeros(c, 0, 4).and_then(|_| self.zeros(c, 1, 4)),
            179 => self.memory_there_is(c),
            // setregid, setgid, setreuid, setuid, setresuid, setresgid: to what it is already.
            143..=147 | 149 => Ok(0),
            // prctl: of its options only the name of a thread.
            167 if c.arg(0) == 15 => Ok(0),
            167 => Err(Errno::INVALID),
            // set_robust_list, sched_yield, mprotect, madvise, flush_icache
            99 | 124 | 226 | 233 | 259 => Ok(0),
            // sigaltstack, rt_sigaction, rt_sigprocmask, rt_sigpending
            132 => self.signals.other_stack(c, sp),
            134 => self.signals.action(c),
            135 => self.signals.mask(c),
            136 => self.signals.pending(c),
            // nanosleep, clock_nanosleep
            101 if c.xlen == 64 => self.sleep(c, 0),
            115 | 407 => self.sleep(c, 2),
            // clock_gettime, clock_getres
            113 | 403 if c.arg(0) > 11 => Err(Errno::INVALID),
            113 | 403 => {
                // Those of the process and of its thread count from its start.
                let from = if matches!(c.arg(0), 2 | 3) { self.began } else { Duration::ZERO };
                let now = c.host.now().saturating_sub(from);
                c.put_time(c.arg(1), now)
            }
            114 | 406 => c.put_time(c.arg(1), Duration::from_nanos(1)),
            // sched_getaffinity: one processor.
            123 => c.put(c.arg(2), &1_u64.to_le_bytes()).map(|()| 8),
            160 => self.name(c),
            // getrlimit, prlimit64
            163 => self.limit(c, 1, word),
            261 => self.limit(c, 3, 8),
            165 => self.zeros(c, 1, 16 * word + 16),
            169 => {
                let now = c.host.now();
                let parts = [now.as_secs(), u64::from(now.subsec_micros())];
                c.put(c.arg(0), &parts.map(u64::to_le_bytes).concat()).map(|()| 0)
            }
            214 => Ok(self.set_top(c)),
            215 => self.unmap(c),
            216 => self.remap(c),
            222 => self.map(c),
            278 => {
                let mut bytes = vec![0; c.arg(1).min(MAX_TRANSFER) as usize];
                c.host.random(&mut bytes);
                c.put(c.arg(0), &bytes).map(|()| bytes.len() as u64)
            }
            // rseq, riscv_hwprobe, membarrier: libraries do without.
            293 | 258 | 283 => Err(Errno::NO_CALL),
            _ => return Outcome::Unknown,
        };
        Outcome::Value(result.unwrap_or_else(syscall::error))
    }

    /// `sysinfo`: words and, after them, the unit of their counts of bytes.
    fn memory_there_is(&mut self, c: &mut Call<'_>) -> Result<u64, Errno> {
        let uptime = c.host.now().saturating_sub(self.began).as_secs();
        let word = u64::from(c.xlen / 8) as usize;
        let words = [uptime, 0, 0, 0, MEMORY, MEMORY, 0, 0, 0, 0, 1, 0, 0, 1];
        let bytes: Vec<u8> = words.iter().flat_map(|n| n.to_le_bytes().into_iter().take(word)).collect();
        c.put(c.arg(0), &bytes).map(|()| 0)
    }

    /// Gives zeros where an argument says, if it says so.
    fn zeros(&mut self, c: &mut Call<'_>, number: usize, length: u64) -> Result<u64, Errno> {
        match c.arg(number) {
            0 => Ok(0),
            address => c.put(address, &vec![0; length as usize]).map(|()| 0),
        }
    }

    fn sleep(&mut self, c: &mut Call<'_>, number: usize) -> Result<u64, Errno> {
        let time = c.bytes(c.arg(number), 16)?;
        let word = |at: usize| time.get(at..at + 8).and_then(|b| b.try_into().ok()).map_or(0, u64::from_le_bytes);
        let (seconds, nanos) = (word(0), word(8));
        let nanos = u32::try_from(nanos).ok().filter(|&n| n < 1_000_000_000).ok_or(Errno::INVALID)?;
        let mut time = Duration::new(seconds, nanos);
        if number == 2 && c.arg(1) & 1 == 1 {
            // Until then.
            time = time.saturating_sub(c.host.now());
        }
        c.host.sleep(time);
        Ok(0)
    }

    fn name(&mut self, c: &mut Call<'_>) -> Result<u64, Errno> {
        let machine = if c.xlen == 32 { "riscv32" } else { "riscv64" };
        let mut all = Vec::new();
        for text in ["Linux", "isaglot", "6.6.0", "#1", machine, ""] {
            let mut field = text.as_bytes().to_vec();
            field.resize(65, 0);
            all.extend(field);
        }
        c.put(c.arg(0), &all).map(|()| 0)
    }

    /// What there is of a resource: the stack has a limit.
    fn limit(&mut self, c: &mut Call<'_>, number: usize, size: u64) -> Result<u64, Errno> {
        let resource = c.arg(if number == 3 { 1 } else { 0 });
        let address = c.arg(number);
        if address == 0 {
            return Ok(0);
        }
        let soft = if resource == 3 { STACK } else { u64::MAX };
        let bytes = [soft, u64::MAX].into_iter().flat_map(|n| n.to_le_bytes().into_iter().take(size as usize));
        c.put(address, &bytes.collect::<Vec<u8>>()).map(|()| 0)
    }
}
