//! The threads of a process of Linux as they are kept: those that do not run, what each waits for, who wakes whom; and the timers of the process.
//!
//! Invariant: a thread that waits stands at its `ecall`; what wakes it puts the result into its `a0` and moves it on.

use std::collections::VecDeque;
use std::time::Duration;

use crate::float_unit::Float;
use crate::host::Errno;
use crate::limits::TURN;
use crate::signals::Own;
use crate::syscall;
use crate::vector_state::Unit;

/// The number of the first thread, which is that of the process.
pub(crate) const FIRST: u64 = 1;

/// The number of the running thread where none runs.
pub(crate) const NOBODY: u64 = 0;

/// `EINTR`.
pub(crate) const INTERRUPTED: Errno = Errno(4);

/// When each timer comes next, if it does, and how long it takes from then on; zero for once only.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Timers(pub(crate) [Option<(Duration, Duration)>; 3]);

impl Timers {
    /// When the first comes.
    pub(crate) fn first(&self) -> Option<Duration> {
        self.0.iter().flatten().map(|timer| timer.0).min()
    }
}

/// What a thread does that does not run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum State {
    /// It can run.
    Ready,
    /// It makes its call again, which could not be done before.
    Asks,
    /// It waits at an address for others with one of these bits, until a time.
    Waits { address: u64, bits: u32, until: Option<Duration>, since: u64 },
    /// It sleeps until a time.
    Sleeps(Duration),
    /// It waits for a signal, at most until a time.
    Pauses(Option<Duration>),
}

/// A `write` of which a part was done: its arguments, and how many bytes went out.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Part {
    pub(crate) address: u64,
    pub(crate) length: u64,
    pub(crate) done: u64,
}

/// A thread that does not run.
#[derive(Clone, Debug)]
pub(crate) struct Thread {
    pub(crate) number: u64,
    pub(crate) x: [u64; 256],
    pub(crate) float: Float,
    pub(crate) vector: Unit,
    pub(crate) pc: u64,
    pub(crate) clear: u64,
    pub(crate) own: Own,
    pub(crate) part: Option<Part>,
    pub(crate) state: State,
}

impl Thread {
    /// Its call is over with this result.
    pub(crate) fn wake(&mut self, result: u64) {
        self.x[10] = result;
        if let Some(part) = self.part.take() {
            (self.x[10], self.x[11], self.x[12]) = (part.done, part.address, part.length);
        }
        self.pc = self.pc.wrapping_add(4);
        self.state = State::Ready;
    }

    pub(crate) fn until(&self) -> Option<Duration> {
        match self.state {
            State::Waits { until, .. } | State::Pauses(until) => until,
            State::Sleeps(until) => Some(until),
            State::Ready | State::Asks => None,
        }
    }
}

/// The threads of a process.
#[derive(Clone, Debug)]
pub(crate) struct Threads {
    /// The one that runs.
    pub(crate) current: u64,
    /// Where 0 is stored when it ends.
    pub(crate) clear: u64,
    /// What it has done of its call.
    pub(crate) part: Option<Part>,
    /// The others; the first has not run for longest.
    pub(crate) others: VecDeque<Thread>,
    pub(crate) next: u64,
    /// When, in completed instructions, its turn ends.
    pub(crate) turn: u64,
    /// How often one has asked in vain since anything was done.
    pub(crate) vain: usize,
    /// Counts what waits, so that who came first is woken first.
    pub(crate) order: u64,
    /// The exit code of the first thread, if it has ended.
    pub(crate) first_code: Option<u32>,
}

impl Threads {
    pub(crate) fn new() -> Threads {
        Threads {
            current: FIRST,
            clear: 0,
            part: None,
            others: VecDeque::new(),
            next: FIRST + 1,
            turn: 0,
            vain: 0,
            order: 0,
            first_code: None,
        }
    }

    /// Whether there is only one.
    pub(crate) fn is_alone(&self) -> bool {
        self.others.is_empty()
    }

    /// How many instructions may be completed until the turn ends.
    pub(crate) fn until_turn(&self, completed: u64) -> u64 {
        self.turn.saturating_sub(completed).max(1)
    }

    /// A turn begins.
    pub(crate) fn begin_turn(&mut self, completed: u64) {
        self.turn = completed.wrapping_add(TURN);
    }

    /// A thread that waits or sleeps does not any longer, because of a signal; some calls can be made again after that.
    pub(crate) fn interrupt(&mut self, number: u64, restarts: bool) {
        for thread in self.others.iter_mut().filter(|t| t.number == number) {
            match thread.state {
                State::Ready => {}
                State::Asks | State::Waits { until: None, .. } if restarts => thread.state = State::Ready,
                _ => thread.wake(syscall::error(INTERRUPTED)),
            }
        }
    }

    /// Wakes so many of those that wait at an address with one of these bits, who came first first; gives how many.
    pub(crate) fn wake(&mut self, at: u64, most: u64, wanted: u32) -> u64 {
        let mut woken = 0;
        while woken < most {
            let here = |t: &&mut Thread| matches!(t.state, State::Waits { address, bits, .. } if address == at && bits & wanted != 0);
            let since = |t: &&mut Thread| if let State::Waits { since, .. } = t.state { since } else { 0 };
            let Some(thread) = self.others.iter_mut().filter(here).min_by_key(since) else { break };
            thread.wake(0);
            woken += 1;
        }
        woken
    }

    /// Lets so many of those that wait at an address wait at another; gives how many.
    pub(crate) fn move_waiters(&mut self, from: u64, to: u64, most: u64) -> u64 {
        let mut all: Vec<(u64, &mut u64)> = Vec::new();
        for thread in &mut self.others {
            if let State::Waits { address, since, .. } = &mut thread.state
                && *address == from
            {
                all.push((*since, address));
            }
        }
        all.sort_by_key(|(since, _)| *since);
        let moved = all.into_iter().take(usize::try_from(most).unwrap_or(usize::MAX));
        moved.map(|(_, address)| *address = to).count() as u64
    }
}
