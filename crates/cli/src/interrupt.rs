//! Ctrl-C, and a request to end (`SIGINT`, `SIGTERM`): one line says what the program was doing and how far it was, no file is
//! left half written, and the program ends by the signal, which a shell shows as the status 130 or 143.
//!
//! A thread of its own waits for the signals, so that work needs no look at a flag, and input that does not come holds up
//! nothing. Work says where it is through a [`Stage`], which costs a store. Files in the making are on a list, and the lock of
//! the list is held while a file gets its name: what was put in its place before the signal is whole, and nothing is put there
//! after it.

use std::io;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// What the program does now, the outermost work first; and the files that are not in their places yet.
static NOW: Mutex<Now> = Mutex::new(Now { stages: Vec::new(), unfinished: Vec::new() });

struct Now {
    stages: Vec<Arc<State>>,
    unfinished: Vec<PathBuf>,
}

fn now() -> MutexGuard<'static, Now> {
    // Nothing is half done under the lock.
    NOW.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Work that looks whether it is interrupted, and then says more than its stage does.
static LAST_WORDS: Mutex<LastWords> = Mutex::new(LastWords::Nobody);
static SAID: Condvar = Condvar::new();
/// Whether there was a signal.
static SIGNALLED: AtomicBool = AtomicBool::new(false);
/// How long it may take until it looks. What waits for a reader does not look, and is not waited for longer.
const PATIENCE: Duration = Duration::from_secs(2);

enum LastWords {
    Nobody,
    Somebody,
    Said(String),
}

fn last_words() -> MutexGuard<'static, LastWords> {
    LAST_WORDS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// From now on the caller looks at [`Looking::is_asked`] often, until this is dropped.
pub(crate) struct Looking(());

/// Begins to look.
pub(crate) fn looking() -> Looking {
    *last_words() = LastWords::Somebody;
    Looking(())
}

impl Looking {
    /// Whether the program is interrupted.
    pub(crate) fn is_asked(&self) -> bool {
        SIGNALLED.load(Ordering::Relaxed)
    }

    /// Says more, in lines. The program ends by the signal then, and this does not return.
    pub(crate) fn say(&self, text: String) -> ! {
        *last_words() = LastWords::Said(text);
        SAID.notify_all();
        loop {
            std::thread::park();
        }
    }
}

impl Drop for Looking {
    fn drop(&mut self) {
        *last_words() = LastWords::Nobody;
    }
}

/// Asks who looks, and gives what is said.
#[cfg(unix)]
fn ask() -> String {
    SIGNALLED.store(true, Ordering::Relaxed);
    let waits = |words: &mut LastWords| matches!(words, LastWords::Somebody);
    let words = SAID.wait_timeout_while(last_words(), PATIENCE, waits);
    let (words, _) = words.unwrap_or_else(PoisonError::into_inner);
    if let LastWords::Said(text) = &*words { text.clone() } else { String::new() }
}

/// What a stage has said of itself.
struct State {
    what: String,
    unit: &'static str,
    /// What is done of it; without a unit it does not count.
    done: AtomicU64,
    /// 0 if it is not known.
    total: AtomicU64,
    /// Another place that belongs to it, such as the address of an instruction; [`u64::MAX`] if there is none.
    address: AtomicU64,
}

impl State {
    fn text(&self) -> String {
        let mut text = self.what.clone();
        let [done, total, address] = [&self.done, &self.total, &self.address].map(|n| n.load(Ordering::Relaxed));
        if !self.unit.is_empty() {
            text += &format!(", at {} {done}", self.unit);
        }
        if total != 0 {
            text += &format!(" of {total}");
        }
        if address != u64::MAX {
            text += &format!(", address {address:#x}");
        }
        text
    }
}

/// A piece of work, until it is dropped.
pub(crate) struct Stage {
    state: Arc<State>,
}

impl Stage {
    /// Begins `what`, such as `reading a.xml`, that is counted in `unit`s, or not at all if that is empty.
    pub(crate) fn new(what: impl Into<String>, unit: &'static str) -> Stage {
        let state = Arc::new(State {
            what: what.into(),
            unit,
            done: AtomicU64::new(0),
            total: AtomicU64::new(0),
            address: AtomicU64::new(u64::MAX),
        });
        now().stages.push(Arc::clone(&state));
        Stage { state }
    }

    /// Says how far it is: the unit that it works on, and how many there are, or 0.
    pub(crate) fn at(&self, done: u64, total: u64) {
        self.state.done.store(done, Ordering::Relaxed);
        self.state.total.store(total, Ordering::Relaxed);
    }

    /// Says at which address it is.
    pub(crate) fn at_address(&self, address: u64) {
        self.state.address.store(address, Ordering::Relaxed);
    }
}

impl Drop for Stage {
    fn drop(&mut self) {
        now().stages.retain(|state| !Arc::ptr_eq(state, &self.state));
    }
}

/// Makes a file under a name that is not its own yet; an interruption removes it.
pub(crate) fn making(
    make: impl FnOnce() -> io::Result<tempfile::NamedTempFile>,
) -> io::Result<tempfile::NamedTempFile> {
    let mut now = now();
    let file = make()?;
    now.unfinished.push(file.path().to_owned());
    Ok(file)
}

/// Makes a folder for files that are needed for a while; an interruption removes it.
pub(crate) fn making_folder(make: impl FnOnce() -> io::Result<tempfile::TempDir>) -> io::Result<tempfile::TempDir> {
    let mut now = now();
    let folder = make()?;
    now.unfinished.push(folder.path().to_owned());
    Ok(folder)
}

/// While this is held, nothing is interrupted.
pub(crate) struct Held(MutexGuard<'static, Now>);

/// Holds interruptions up, for work that is short and does not wait for anybody.
pub(crate) fn hold() -> Held {
    Held(now())
}

impl Held {
    /// A file has its name, or is gone, or a folder is gone.
    pub(crate) fn made(&mut self, path: &std::path::Path) {
        self.0.unfinished.retain(|other| other != path);
    }
}

/// Waits for the signals from now on, in the name of a program or a verb.
#[cfg(unix)]
pub(crate) fn listen(name: &str) {
    use std::io::Write;

    use signal_hook::consts::{SIGINT, SIGTERM};

    let name = name.to_owned();
    // Without the thread the signals do what they do by themselves: they end the program.
    let Ok(mut signals) = signal_hook::iterator::Signals::new([SIGINT, SIGTERM]) else { return };
    let wait = move || {
        let Some(signal) = signals.forever().next() else { return };
        let more = ask();
        // Held to the end of the program.
        let now = now();
        for path in &now.unfinished {
            // It may be gone already; there is nobody left to tell.
            let _ = if path.is_dir() { std::fs::remove_dir_all(path) } else { std::fs::remove_file(path) };
        }
        let stages: Vec<String> = now.stages.iter().map(|stage| stage.text()).collect();
        let stages = if stages.is_empty() { String::new() } else { format!(" while {}", stages.join(", ")) };
        // The line of a progress bar, if there is one, ends before the message.
        let clear = if io::IsTerminal::is_terminal(&io::stderr()) { "\r\x1b[K" } else { "" };
        let _ = writeln!(
            io::stderr(),
            "{clear}{name}: interrupted{stages}{}{more}",
            if more.is_empty() { "" } else { "\n" }
        );
        let _ = signal_hook::low_level::emulate_default_handler(signal);
    };
    let _ = std::thread::Builder::new().name("signals".to_owned()).spawn(wait);
}

/// Where there are no such signals, the system ends the program.
#[cfg(not(unix))]
pub(crate) fn listen(_name: &str) {}

#[cfg(test)]
mod tests {
    use super::Stage;

    #[test]
    fn a_stage_says_where_it_is() {
        let stage = Stage::new("reading a.bin", "byte");
        stage.at(5, 0);
        assert_eq!(stage.state.text(), "reading a.bin, at byte 5");
        stage.at(5, 7);
        assert_eq!(stage.state.text(), "reading a.bin, at byte 5 of 7");
        stage.at_address(16);
        assert_eq!(stage.state.text(), "reading a.bin, at byte 5 of 7, address 0x10");
        assert_eq!(Stage::new("reading a.xml", "").state.text(), "reading a.xml");
    }
}
