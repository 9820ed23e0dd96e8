//! Many inputs at the same time, with output and messages as if they came one after the other.
//!
//! The problem: a folder holds thousands of programs, each is a small piece of work, and what is written has to be the same however
//! many of them run at once. The method: workers take inputs in order. What one makes goes into a buffer of its own, and a buffer
//! is written when all inputs before it are. The input whose turn it is never waits, so nothing can stand still.
//!
//! Memory is bounded twice: a worker takes no input that is more than [`AHEAD`] places per worker before the one whose turn it is, and
//! one whose buffer is full ([`BUFFER`]) waits for its turn and then writes straight through. So one large file among many is written as it comes.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use isaglot_source::{Adoption, Diagnostic, Diagnostics, SourceMap};

use crate::interrupt::Stage;
use crate::io::{Target, input_name, unwritable};
use crate::progress::Progress;

/// The inputs per worker that may be done, or in the making, before their turn.
const AHEAD: usize = 16;

/// The bytes that wait for their turn, of one input; more than that waits in its worker.
const BUFFER: usize = 1 << 20;

/// The most workers.
const MAX_JOBS: usize = 1024;

/// The stack of a worker: that of a first thread, so that what works with one job works with any number.
const STACK: usize = 8 << 20;

/// How many inputs are worked on at the same time.
#[derive(clap::Args, Clone, Copy, Debug, Default)]
pub(crate) struct JobsArgs {
    /// How many inputs to work on at the same time; as many as there are cores if it is missing. The output is the same.
    #[arg(short, long, value_name = "N")]
    jobs: Option<NonZeroUsize>,
}

impl JobsArgs {
    /// The number of workers where parts of inputs are worked on at the same time.
    pub(crate) fn threads(self) -> usize {
        self.of(MAX_JOBS)
    }

    /// The number of workers for so many inputs.
    fn of(self, inputs: usize) -> usize {
        let asked = self.jobs.or_else(|| std::thread::available_parallelism().ok());
        asked.map_or(1, NonZeroUsize::get).min(inputs).clamp(1, MAX_JOBS)
    }
}

/// What is said of an input, and the files that it speaks of.
#[derive(Default)]
pub(crate) struct Said {
    pub(crate) problems: Diagnostics,
    pub(crate) files: SourceMap,
}

impl Said {
    /// Names the input in messages that say neither its name nor a place: one of many has to be found.
    pub(crate) fn name(&mut self, file: &str) {
        if self.problems.dropped() > 0 {
            // They are too many to be of use, and would not be counted any more.
            return;
        }
        for d in std::mem::take(&mut self.problems).iter().cloned() {
            let is_named = !d.labels.is_empty() || d.message.contains(file);
            self.problems.push(if is_named { d } else { d.note(format!("in {file}")) });
        }
    }

    /// Adds it to what is said of all inputs.
    pub(crate) fn hand_over(self, problems: &mut Diagnostics, files: &mut SourceMap) {
        problems.append_from(self.problems, &mut Adoption::new(&self.files, files));
    }
}

/// Whether the inputs after this one count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Then {
    Continue,
    Stop,
}

/// The work on all inputs.
struct Work<'w, T> {
    state: Mutex<State<'w, T>>,
    changed: Condvar,
}

struct State<'w, T> {
    out: &'w mut (dyn Write + Send),
    take: &'w mut (dyn FnMut(T) -> Then + Send),
    progress: &'w mut Progress,
    /// The first input that no worker has.
    first_free: usize,
    /// The input whose turn it is.
    turn: usize,
    /// What is done before its turn.
    done: BTreeMap<usize, (Vec<u8>, T)>,
    total: usize,
    ahead: usize,
    stopped: bool,
    failed: Option<io::Error>,
}

impl<T> State<'_, T> {
    fn write(&mut self, text: &[u8]) -> io::Result<()> {
        if self.stopped {
            // Not `Interrupted`, after which `write_all` tries again without an end.
            return Err(io::Error::other("the work has ended"));
        }
        self.out.write_all(text).inspect_err(|e| {
            self.stopped = true;
            self.failed = Some(io::Error::new(e.kind(), e.to_string()));
        })
    }

    /// What the input whose turn it is has made, if it is done.
    fn done_in_turn(&mut self) -> Option<(Vec<u8>, T)> {
        self.done.remove(&self.turn)
    }

    /// Writes what an input has made, its turn being now, and goes on to the next one.
    fn put(&mut self, text: &[u8], made: T) {
        if self.write(text).is_ok() && (self.take)(made) == Then::Stop {
            self.stopped = true;
        }
        self.turn += 1;
    }
}

impl<'w, T> Work<'w, T> {
    fn state(&self) -> MutexGuard<'_, State<'w, T>> {
        // A worker that panics has stopped the others.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The state as soon as it allows what `is_ready` says, or the work is stopped.
    fn when(&self, is_ready: impl Fn(&State<'w, T>) -> bool) -> MutexGuard<'_, State<'w, T>> {
        let waits = |state: &mut State<'w, T>| !state.stopped && !is_ready(state);
        self.changed.wait_while(self.state(), waits).unwrap_or_else(PoisonError::into_inner)
    }

    /// The next input, if there is one.
    fn next(&self) -> Option<usize> {
        let mut state = self.when(|s| s.first_free >= s.total || s.first_free < s.turn + s.ahead);
        if state.stopped || state.first_free >= state.total {
            return None;
        }
        let n = state.first_free;
        state.first_free += 1;
        let total = state.total;
        state.progress.at(n, total);
        Some(n)
    }
}

/// Where the output for one input goes.
pub(crate) struct Turn<'t, 'w, T> {
    work: &'t Work<'w, T>,
    n: usize,
    text: Vec<u8>,
    finished: bool,
}

impl<T> Turn<'_, '_, T> {
    /// Hands over what was made of the input.
    fn finish(mut self, made: T) {
        self.finished = true;
        let mut state = self.work.state();
        if state.turn == self.n {
            state.put(&self.text, made);
            while let Some((text, made)) = state.done_in_turn() {
                state.put(&text, made);
            }
            self.work.changed.notify_all();
        } else {
            state.done.insert(self.n, (std::mem::take(&mut self.text), made));
        }
    }
}

impl<T> Write for Turn<'_, '_, T> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.text.extend_from_slice(bytes);
        if self.text.len() > BUFFER {
            self.work.when(|state| state.turn == self.n).write(&self.text)?;
            self.text.clear();
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl<T> Target for Turn<'_, '_, T> {
    fn failed(&self, e: &io::Error) -> Diagnostic {
        // What is said is the error of the output; this one ends the work on an input.
        unwritable("the output", e)
    }
}

impl<T> Drop for Turn<'_, '_, T> {
    fn drop(&mut self) {
        if !self.finished {
            // A panic: nobody shall wait for it.
            self.work.state().stopped = true;
        }
        self.work.changed.notify_all();
    }
}

/// Does `each` for every input with a worker's own state, which `worker` makes, and hands what it gives to `take`, in order. What it
/// writes goes to `out`, in order too.
///
/// # Errors
/// The one of `out`, which ends the work.
pub(crate) fn run<W, T: Send>(
    jobs: JobsArgs,
    (inputs, what): (&[PathBuf], Progress),
    out: &mut (dyn Write + Send),
    worker: impl Fn() -> W + Sync,
    each: impl Fn(&mut W, &Path, &mut dyn Target) -> T + Sync,
    mut take: impl FnMut(T) -> Then + Send,
) -> io::Result<()> {
    let jobs = jobs.of(inputs.len());
    let mut progress = what;
    let state = State {
        out,
        take: &mut take,
        progress: &mut progress,
        first_free: 0,
        turn: 0,
        done: BTreeMap::new(),
        total: inputs.len(),
        ahead: AHEAD * jobs,
        stopped: false,
        failed: None,
    };
    let work = Work { state: Mutex::new(state), changed: Condvar::new() };
    let job = || {
        let mut own = worker();
        while let Some(n) = work.next() {
            let Some(input) = inputs.get(n) else { return };
            let mut turn = Turn { work: &work, n, text: Vec::new(), finished: false };
            let stage = Stage::new(input_name(Some(input)), "");
            let made = each(&mut own, input, &mut turn);
            drop(stage);
            turn.finish(made);
        }
    };
    std::thread::scope(|scope| {
        for _ in 1..jobs {
            // Without one of them the others do the work.
            let _ = std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, job);
        }
        job();
    });
    let state = work.state.into_inner().unwrap_or_else(PoisonError::into_inner);
    state.failed.map_or(Ok(()), Err)
}

#[cfg(test)]
mod tests {
    use std::io::{self, Write};
    use std::num::NonZeroUsize;
    use std::path::PathBuf;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::{AHEAD, BUFFER, JobsArgs, Then, run};
    use crate::io::Target;
    use crate::progress::Progress;

    /// As many bytes for each input as it is called.
    fn text(input: &std::path::Path) -> Vec<u8> {
        let n: usize = input.to_string_lossy().parse().unwrap_or(0);
        vec![b'a' + (n % 26) as u8; n]
    }

    fn inputs(sizes: impl Iterator<Item = usize>) -> Vec<PathBuf> {
        sizes.map(|n| PathBuf::from(n.to_string())).collect()
    }

    fn all(inputs: &[PathBuf], jobs: usize, stop_after: usize) -> (Vec<u8>, Vec<usize>) {
        let (mut out, mut taken) = (Vec::new(), Vec::new());
        let each = |done: &mut usize, input: &std::path::Path, out: &mut dyn Target| {
            *done += 1;
            let text = text(input);
            let _ = text.chunks(1 << 16).try_for_each(|piece| out.write_all(piece));
            text.len()
        };
        let take = |n| {
            taken.push(n);
            if taken.len() == stop_after { Then::Stop } else { Then::Continue }
        };
        let jobs = JobsArgs { jobs: NonZeroUsize::new(jobs) };
        run(jobs, (inputs, Progress::new("testing", "file")), &mut out, || 0, each, take).expect("memory");
        (out, taken)
    }

    #[test]
    fn the_order_is_that_of_the_inputs() {
        // Large ones in between, which have to wait for their turn and write through.
        let sizes = (0..300_usize).map(|n| if n % 50 == 7 { BUFFER * 2 + n } else { n * 7919 % 3000 });
        let inputs = inputs(sizes);
        let whole: Vec<u8> = inputs.iter().flat_map(|i| text(i)).collect();
        for jobs in [1, 2, 3, 16] {
            let (out, taken) = all(&inputs, jobs, 0);
            assert!(out == whole, "{jobs} jobs");
            assert_eq!(taken.len(), inputs.len());
            assert!(taken.iter().zip(&inputs).all(|(n, input)| n.to_string() == input.to_string_lossy()));
            // What is after a stop is not written, however many were done already.
            let (out, taken) = all(&inputs, jobs, 20);
            assert_eq!(taken.len(), 20);
            assert!(whole.starts_with(&out) && out.len() == taken.iter().sum::<usize>(), "{jobs} jobs");
        }
    }

    #[test]
    fn work_does_not_run_ahead() {
        let inputs = inputs(0..500);
        let (started, finished) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let most = AtomicUsize::new(0);
        let each = |(): &mut (), input: &std::path::Path, _: &mut dyn Target| {
            let ahead = started.fetch_add(1, Ordering::SeqCst) + 1 - finished.load(Ordering::SeqCst);
            most.fetch_max(ahead, Ordering::SeqCst);
            if input.as_os_str() == "3" {
                std::thread::sleep(std::time::Duration::from_millis(50));
            }
        };
        let take = |()| {
            finished.fetch_add(1, Ordering::SeqCst);
            Then::Continue
        };
        let jobs = JobsArgs { jobs: NonZeroUsize::new(4) };
        run(jobs, (&inputs, Progress::new("testing", "file")), &mut io::sink(), || (), each, take).expect("a sink");
        assert_eq!(finished.into_inner(), inputs.len());
        assert!(most.into_inner() <= AHEAD * 4 + 1);
    }

    #[test]
    fn an_output_that_fails_ends_the_work() {
        struct Full(usize);
        impl Write for Full {
            fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
                self.0 = self.0.checked_sub(bytes.len()).ok_or(io::ErrorKind::StorageFull)?;
                Ok(bytes.len())
            }
            fn flush(&mut self) -> io::Result<()> {
                Ok(())
            }
        }
        let inputs = inputs((0..200).map(|n| n * 100));
        let taken = AtomicUsize::new(0);
        let each = |(): &mut (), input: &std::path::Path, out: &mut dyn Target| out.write_all(&text(input)).is_ok();
        let take = |_| {
            taken.fetch_add(1, Ordering::SeqCst);
            Then::Continue
        };
        let jobs = JobsArgs { jobs: NonZeroUsize::new(3) };
        let done = run(jobs, (&inputs, Progress::new("testing", "file")), &mut Full(5000), || (), each, take);
        assert_eq!(done.expect_err("it is full").kind(), io::ErrorKind::StorageFull);
        assert_eq!(taken.into_inner(), 10, "those that fit");
    }
}
