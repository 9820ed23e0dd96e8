//! A progress bar for work that turns out to be long, on a terminal only.

use std::io::{IsTerminal, Write};
use std::time::{Duration, Instant};

/// Work that is done sooner shows no bar.
const PATIENCE: Duration = Duration::from_millis(700);

/// The time between two drawings.
const PACE: Duration = Duration::from_millis(100);

/// Columns of the bar.
const COLUMNS: usize = 40;

/// The state of one piece of work.
pub(crate) struct Progress {
    start: Instant,
    what: &'static str,
    /// When it was drawn last.
    drawn: Option<Instant>,
    shown: bool,
}

impl Progress {
    /// Begins; nothing is shown yet.
    pub(crate) fn new(what: &'static str) -> Progress {
        Progress { start: Instant::now(), what, drawn: None, shown: std::io::stderr().is_terminal() }
    }

    /// Not at all, if the output goes to the terminal too as it comes.
    pub(crate) fn unless(self, is_shared: bool) -> Progress {
        Progress { shown: self.shown && !is_shared, ..self }
    }

    /// Says how much is done, and of how much.
    pub(crate) fn at(&mut self, done: usize, total: usize) {
        if !self.shown || self.drawn.map_or(self.start.elapsed() < PATIENCE, |drawn| drawn.elapsed() < PACE) {
            return;
        }
        self.drawn = Some(Instant::now());
        let left = self.start.elapsed().as_secs() * total.saturating_sub(done) as u64 / done.max(1) as u64;
        let bar = "=".repeat(COLUMNS * done.min(total) / total.max(1));
        // Standard error may be closed; there is nobody left to tell.
        let _ = write!(std::io::stderr(), "\r{} [{bar:COLUMNS$}] {done}/{total} {left} s\x1b[K", self.what);
    }

    /// Takes the bar away.
    pub(crate) fn finish(self) {
        if self.drawn.is_some() {
            let _ = write!(std::io::stderr(), "\r\x1b[K");
        }
    }
}
