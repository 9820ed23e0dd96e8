//! Starts tools: a process for each lot of words, as many at a time as the machine has processors.
//!
//! What a process prints is bounded, and so is its time. Files that it needs are in a folder of its own, which is gone afterwards, also after Ctrl-C.

use std::io::{self, Read, Write};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use isaglot_conform::spirv::{Ran, Start};
use isaglot_conform::{Job, Output, Runner};
use isaglot_source::Diagnostic;

use crate::interrupt;

/// The longest time that one process may take.
const PATIENCE: Duration = Duration::from_secs(300);

/// The longest time between two looks at a process.
const PACE: Duration = Duration::from_millis(4);

/// The most that a process may print, in bytes.
const MAX_OUTPUT: u64 = 1 << 30;

/// Characters of what a tool says on standard error that are shown.
const MAX_SAID: usize = 300;

/// Processes of this machine.
pub(super) struct Processes;

impl Runner for Processes {
    fn run(&mut self, jobs: &[Job]) -> Result<Vec<Output>, Diagnostic> {
        each(jobs, one)
    }
}

impl Start for Processes {
    fn start(&mut self, command: &[String], inputs: &[Vec<u8>]) -> Result<Vec<Ran>, Diagnostic> {
        each(inputs, |input| {
            let (status, out, err) = process(command, input, &[])?;
            Ok(Ran { ok: status.is_none_or(|status| status.success()), out, err })
        })
    }
}

/// Does something with each of many, as many at a time as the machine has processors; the results are in the order of what was given.
fn each<T: Sync, R: Send>(all: &[T], act: impl Fn(&T) -> Result<R, Diagnostic> + Sync) -> Result<Vec<R>, Diagnostic> {
    let workers = thread::available_parallelism().map_or(1, usize::from).min(all.len());
    let next = AtomicUsize::new(0);
    let done: Mutex<Vec<(usize, Result<R, Diagnostic>)>> = Mutex::new(Vec::new());
    thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                while let Some((at, one)) = {
                    let at = next.fetch_add(1, Ordering::Relaxed);
                    all.get(at).map(|one| (at, one))
                } {
                    let result = act(one);
                    done.lock().unwrap_or_else(PoisonError::into_inner).push((at, result));
                }
            });
        }
    });
    let mut done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
    done.sort_by_key(|(at, _)| *at);
    done.into_iter().map(|(_, result)| result).collect()
}

/// Runs the commands of a job.
fn one(job: &Job) -> Result<Output, Diagnostic> {
    let failed = |e: io::Error| Diagnostic::error("conform-run", format!("cannot make files for the tool: {e}"));
    let names = |what: &str| job.commands.iter().flatten().any(|word| word.contains(what));
    let (by_file, by_folder) = (names("{input}"), names("{work}"));
    let folder =
        if by_file || by_folder { Some(interrupt::making_folder(tempfile::tempdir).map_err(failed)?) } else { None };
    let result = commands(job, folder.as_ref().map(tempfile::TempDir::path), by_file);
    if let Some(folder) = folder {
        let path = folder.path().to_owned();
        let closed = folder.close();
        interrupt::hold().made(&path);
        closed.map_err(failed)?;
    }
    result
}

fn commands(job: &Job, folder: Option<&Path>, by_file: bool) -> Result<Output, Diagnostic> {
    let input = folder.map(|folder| folder.join("input"));
    if let Some(input) = input.as_deref().filter(|_| by_file) {
        std::fs::write(input, &job.input)
            .map_err(|e| Diagnostic::error("conform-run", format!("cannot make files for the tool: {e}")))?;
    }
    let text = |path: Option<&Path>| path.map(|path| path.display().to_string()).unwrap_or_default();
    let (input, work) = (text(input.as_deref()), text(folder));
    let mut all = Output::default();
    for (at, words) in job.commands.iter().enumerate() {
        let words: Vec<String> =
            words.iter().map(|word| word.replace("{input}", &input).replace("{work}", &work)).collect();
        let given: &[u8] = if at == 0 && !by_file { &job.input } else { &[] };
        let (status, out, err) = process(&words, given, &job.environment)?;
        let [out, err] = [out, err].map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
        let signal = status.and_then(signal);
        if let Some(status) = status.filter(|status| !status.success() && !job.any_status && signal.is_none()) {
            let said: String = err.trim().chars().take(MAX_SAID).collect();
            let program = words.first().map_or("", String::as_str);
            let d = Diagnostic::error("conform-run", format!("`{program}`: failed with {status}"));
            return Err(d.note(format!("it says: {said}")));
        }
        all = Output { out, err: all.err + &err, signal };
        if signal.is_some() {
            break;
        }
    }
    Ok(all)
}

/// How a process ends, and what it prints on standard output and standard error; no status where there is no program.
type Ended = (Option<ExitStatus>, Vec<u8>, Vec<u8>);

/// Runs a process to its end.
fn process(words: &[String], input: &[u8], environment: &[(String, String)]) -> Result<Ended, Diagnostic> {
    let Some((program, arguments)) = words.split_first() else { return Ok(Default::default()) };
    let wrong = |what: String| Diagnostic::error("conform-run", format!("`{program}`: {what}"));
    let mut command = Command::new(program);
    command
        .args(arguments)
        .envs(environment.iter().map(|(name, text)| (name, text)))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = command.spawn().map_err(|e| {
        let d = wrong(format!("cannot be started: {e}"));
        d.note("a line `run` of the tool, or `--command`, names the program")
    })?;
    let (stdin, out, err) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
    let ended = thread::scope(|scope| {
        scope.spawn(move || {
            // A program that does not read all of its input closes the pipe, which is no failure.
            stdin.map(|mut pipe| pipe.write_all(input))
        });
        let out = scope.spawn(move || everything(out));
        let err = scope.spawn(move || everything(err));
        let status = wait(&mut child);
        let bytes = |reader: thread::ScopedJoinHandle<'_, io::Result<Vec<u8>>>| {
            reader.join().unwrap_or_else(|_| Err(io::Error::other("a reader has stopped")))
        };
        Ok::<_, io::Error>((Some(status?), bytes(out)?, bytes(err)?))
    });
    ended.map_err(|e| wrong(e.to_string()))
}

/// The signal that has ended a process. Only Unix tells it.
fn signal(status: ExitStatus) -> Option<i32> {
    // From outside: it was told to hang up, interrupted, killed, told to end.
    #[cfg(unix)]
    return std::os::unix::process::ExitStatusExt::signal(&status).filter(|number| ![1, 2, 9, 15].contains(number));
    #[cfg(not(unix))]
    {
        let _ = status;
        None
    }
}

/// Waits for the end of a process; one that takes too long is ended.
fn wait(child: &mut Child) -> io::Result<ExitStatus> {
    let started = Instant::now();
    let mut pause = Duration::from_micros(100);
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(status);
        }
        if started.elapsed() > PATIENCE {
            child.kill()?;
            child.wait()?;
            return Err(io::Error::other(format!("no end after {} s", PATIENCE.as_secs())));
        }
        thread::sleep(pause);
        pause = (pause * 2).min(PACE);
    }
}

fn everything(pipe: Option<impl Read>) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    if let Some(pipe) = pipe {
        let mut pipe = pipe.take(MAX_OUTPUT + 1);
        pipe.read_to_end(&mut bytes)?;
        if bytes.len() as u64 > MAX_OUTPUT {
            return Err(io::Error::other(format!("it prints more than {MAX_OUTPUT} bytes")));
        }
    }
    Ok(bytes)
}
