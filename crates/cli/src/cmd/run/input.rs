//! Standard input, for programs that wait for it and for those that only look whether there is some.
//!
//! The problem: whether a terminal or a pipe has something cannot be asked everywhere without waiting. The method: from the first such question on a
//! thread of its own reads, and all input comes from it. A file has all its bytes at once, so that a run with one is the same each time.

use std::collections::VecDeque;
use std::io::{self, Read as _};
use std::sync::mpsc::{Receiver, RecvError, TryRecvError, sync_channel};

use isaglot_hart as hart;

/// Bytes that the thread reads at once, and how many times that before it waits for the program.
const PART: usize = 4096;
const PARTS: usize = 4;

/// Standard input.
#[derive(Default)]
pub(super) struct Input {
    source: Source,
    /// Read, and not yet taken.
    bytes: VecDeque<u8>,
}

#[derive(Default)]
enum Source {
    /// Nobody has looked yet whether there is something.
    #[default]
    Untouched,
    /// Reading never waits.
    Here,
    /// A thread reads.
    Coming(Receiver<io::Result<Vec<u8>>>),
}

/// Whether reading standard input never waits: it is neither a terminal nor the end of something that somebody else writes to.
#[cfg(unix)]
fn is_here() -> bool {
    use std::os::fd::AsFd as _;
    use std::os::unix::fs::FileTypeExt as _;
    let file = io::stdin().as_fd().try_clone_to_owned().map(std::fs::File::from);
    let kind = file.and_then(|file| file.metadata()).map(|meta| meta.file_type());
    !io::IsTerminal::is_terminal(&io::stdin()) && kind.is_ok_and(|kind| !kind.is_fifo() && !kind.is_socket())
}
#[cfg(not(unix))]
fn is_here() -> bool {
    false
}

/// What there is of it, at most so many bytes; none at its end.
fn read_now(length: usize) -> io::Result<Vec<u8>> {
    let mut bytes = vec![0; length];
    let read = io::stdin().read(&mut bytes)?;
    bytes.truncate(read);
    Ok(bytes)
}

fn start() -> Source {
    if is_here() {
        return Source::Here;
    }
    let (sender, receiver) = sync_channel(PARTS);
    let work = move || {
        loop {
            let part = read_now(PART);
            let is_last = part.as_ref().map_or(true, Vec::is_empty);
            if sender.send(part).is_err() || is_last {
                return;
            }
        }
    };
    match std::thread::Builder::new().name("input".to_owned()).spawn(work) {
        Ok(_) => Source::Coming(receiver),
        // Then looking waits, too.
        Err(_) => Source::Here,
    }
}

impl Input {
    /// Reads at most so many bytes, and waits for the first; none at the end.
    pub(super) fn read(&mut self, length: usize) -> io::Result<Vec<u8>> {
        if self.bytes.is_empty() {
            let part = match &self.source {
                Source::Coming(receiver) => receiver.recv().unwrap_or_else(|RecvError| Ok(Vec::new()))?,
                Source::Untouched | Source::Here => return read_now(length),
            };
            self.bytes.extend(part);
        }
        let count = length.min(self.bytes.len());
        Ok(self.bytes.drain(..count).collect())
    }

    /// The next byte. With `wait` it waits for it.
    pub(super) fn next(&mut self, wait: bool) -> hart::Input {
        if matches!(self.source, Source::Untouched) {
            self.source = start();
        }
        if self.bytes.is_empty() {
            let part = match &self.source {
                Source::Coming(receiver) if !wait => match receiver.try_recv() {
                    Err(TryRecvError::Empty) => return hart::Input::NotYet,
                    Err(TryRecvError::Disconnected) => Ok(Vec::new()),
                    Ok(part) => part,
                },
                Source::Coming(receiver) => receiver.recv().unwrap_or_else(|RecvError| Ok(Vec::new())),
                Source::Untouched | Source::Here => read_now(PART),
            };
            // What cannot be read is not there.
            self.bytes.extend(part.unwrap_or_default());
        }
        self.bytes.pop_front().map_or(hart::Input::Ended, hart::Input::Byte)
    }
}
