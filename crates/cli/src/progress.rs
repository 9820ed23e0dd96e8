//! A progress bar for work that turns out to be long, on a terminal only.

use std::io::IsTerminal;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// Work that is done sooner shows no bar.
const PATIENCE: Duration = Duration::from_millis(700);

/// The state of one piece of work.
pub(crate) struct Progress {
    start: Instant,
    what: &'static str,
    bar: Option<ProgressBar>,
    shown: bool,
}

impl Progress {
    /// Begins; nothing is shown yet.
    pub(crate) fn new(what: &'static str) -> Progress {
        Progress { start: Instant::now(), what, bar: None, shown: std::io::stderr().is_terminal() }
    }

    /// Says how much is done, and of how much.
    pub(crate) fn at(&mut self, done: usize, total: usize) {
        if !self.shown || (self.bar.is_none() && self.start.elapsed() < PATIENCE) {
            return;
        }
        let what = self.what;
        let bar = self.bar.get_or_insert_with(|| {
            let bar = ProgressBar::with_draw_target(Some(total as u64), ProgressDrawTarget::stderr());
            if let Ok(style) = ProgressStyle::with_template("{prefix} [{bar:40}] {pos}/{len} {eta}") {
                bar.set_style(style.progress_chars("=> "));
            }
            bar.set_prefix(what);
            bar
        });
        bar.set_length(total as u64);
        bar.set_position(done as u64);
    }

    /// Takes the bar away.
    pub(crate) fn finish(self) {
        if let Some(bar) = self.bar {
            bar.finish_and_clear();
        }
    }
}
