//! How far work is that may turn out to be long: told when the program is interrupted, and shown as a bar on a terminal.

use std::io::{IsTerminal, Write};
use std::time::{Duration, Instant};

use crate::interrupt::Stage;

/// Work that is done sooner shows no bar.
const PATIENCE: Duration = Duration::from_millis(700);

/// The time between two drawings.
const PACE: Duration = Duration::from_millis(100);

/// Columns of the bar.
const COLUMNS: usize = 40;

/// The state of one piece of work. The bar goes when this is dropped.
pub(crate) struct Progress {
    stage: Stage,
    start: Instant,
    what: String,
    /// When it was drawn last.
    drawn: Option<Instant>,
    shown: bool,
}

impl Progress {
    /// Begins `what`, such as `listing files`, that is counted in `unit`s; nothing is shown yet.
    pub(crate) fn new(what: impl Into<String>, unit: &'static str) -> Progress {
        let what = what.into();
        let stage = Stage::new(what.clone(), unit);
        Progress { stage, start: Instant::now(), what, drawn: None, shown: std::io::stderr().is_terminal() }
    }

    /// Without a bar, if the output goes to the terminal too as it comes.
    pub(crate) fn unless(mut self, is_shared: bool) -> Progress {
        self.shown &= !is_shared;
        self
    }

    /// Says how many units are done, the next one being worked on, and how many there are.
    pub(crate) fn at(&mut self, done: usize, total: usize) {
        self.stage.at((done + 1).min(total) as u64, total as u64);
        self.draw(done as u64, total as u64);
    }

    /// Says at which unit it is, counted from 0, and how many there are, or 0.
    pub(crate) fn at_place(&mut self, done: u64, total: u64) {
        self.stage.at(done, total);
        self.draw(done, total);
    }

    fn draw(&mut self, done: u64, total: u64) {
        if !self.shown || self.drawn.map_or(self.start.elapsed() < PATIENCE, |drawn| drawn.elapsed() < PACE) {
            return;
        }
        self.drawn = Some(Instant::now());
        let what = &self.what;
        // Standard error may be closed; there is nobody left to tell.
        let _ = if total == 0 {
            write!(std::io::stderr(), "\r{what} {done} {} s\x1b[K", self.start.elapsed().as_secs())
        } else {
            let left = self.start.elapsed().as_secs().saturating_mul(total.saturating_sub(done)) / done.max(1);
            let share = (u128::from(done.min(total)) * COLUMNS as u128 / u128::from(total)) as usize;
            write!(std::io::stderr(), "\r{what} [{:COLUMNS$}] {done}/{total} {left} s\x1b[K", "=".repeat(share))
        };
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if self.drawn.is_some() {
            let _ = write!(std::io::stderr(), "\r\x1b[K");
        }
    }
}
