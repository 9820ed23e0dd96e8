//! Ctrl-C while a verb is at work: one line on standard error says what it was doing and how far, no file is left that is not
//! whole, and the program ends by the signal. `tests/interrupt/commands.txt` lists the commands and says what a line of it is.
//!
//! The work is held up without a clock: an input is a pipe with a name that never ends, or nobody reads the output.

#![cfg(unix)]

use std::fs::File;
use std::io::{Read, Write};
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use isaglot_testing::{Failed, Trial, suite, workspace};

/// Bytes that go into the pipe: more than a pipe holds, so that the program has read some of them.
const ENOUGH: usize = 4 << 20;

/// The file that is never to be read to its end.
const PIPE: &str = "endless";

fn main() {
    let list = std::fs::read_to_string(data().join("commands.txt")).expect("the list of commands");
    let lines = list.lines().filter(|line| !line.is_empty() && !line.starts_with("##"));
    let trials = lines.map(|line| {
        let line = line.to_owned();
        Trial::test(line.split(" => ").next().unwrap_or("").replace([' ', '/'], "_"), move || one(&line))
    });
    suite::run(trials.collect());
}

fn data() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/interrupt")
}

/// A fresh folder with the inputs and the pipe.
fn folder() -> Result<tempfile::TempDir, Failed> {
    let dir = tempfile::tempdir()?;
    for entry in std::fs::read_dir(data())?.flatten() {
        std::fs::copy(entry.path(), dir.path().join(entry.file_name()))?;
    }
    for shared in ["specs", "examples"] {
        std::os::unix::fs::symlink(workspace().join(shared), dir.path().join(shared))?;
    }
    let made = Command::new("mkfifo").arg(dir.path().join(PIPE)).status()?;
    if made.success() { Ok(dir) } else { Err("mkfifo".into()) }
}

fn names(dir: &Path) -> Result<Vec<String>, Failed> {
    let mut names = Vec::new();
    for entry in std::fs::read_dir(dir)? {
        names.push(entry?.file_name().to_string_lossy().into_owned());
    }
    names.sort();
    Ok(names)
}

fn one(line: &str) -> Result<(), Failed> {
    let (command, wanted) = line.split_once(" => ").ok_or("expected `COMMAND => MESSAGE`")?;
    let (is_loud, command) = command.strip_prefix("OUT ").map_or((false, command), |rest| (true, rest));
    let (signal, number, command) = match command.strip_prefix("TERM ") {
        Some(rest) => ("TERM", 15, rest),
        None => ("INT", 2, command),
    };
    let dir = folder()?;
    let dir = dir.path();
    let before = names(dir)?;
    let mut child = Command::new(env!("CARGO_BIN_EXE_isaglot"))
        .args(command.split(' '))
        .current_dir(dir)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()?;
    // Until this returns the program is at work, and after it, it waits.
    let mut pipe = None;
    if !is_loud {
        let mut opened = File::options().write(true).open(dir.join(PIPE))?;
        opened.write_all(&vec![0; ENOUGH])?;
        pipe = Some(opened);
    } else {
        let out = child.stdout.as_mut().ok_or("standard output")?;
        out.read_exact(&mut [0; 1 << 16])?;
    }
    let sent = Command::new("kill").args(["-s", signal, &child.id().to_string()]).status()?;
    if !sent.success() {
        return Err("kill".into());
    }
    let ended = child.wait()?;
    // What the program started may wait for the pipe.
    drop(pipe);
    let said = child.wait_with_output()?.stderr;
    let said = String::from_utf8_lossy(&said);
    if ended.signal() != Some(number) {
        return Err(format!("it ended with {ended}, and said {said}").into());
    }
    let wanted = wanted.replace("\\n", "\n");
    if !matches(&wanted, said.trim_end_matches('\n')) {
        return Err(format!("it said\n{said}in place of\n{wanted}").into());
    }
    let after = names(dir)?;
    if after != before {
        return Err(format!("files are left: {after:?}").into());
    }
    Ok(())
}

/// Whether a text is as wanted, where each `N` is any number but 0 and 1.
fn matches(wanted: &str, text: &str) -> bool {
    let words = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<_>>();
    let (wanted, text) = (words(wanted), words(text));
    let is_number = |word: &str| word.trim_end_matches(',').parse::<u64>().is_ok_and(|n| n > 1);
    wanted.len() == text.len()
        && wanted.iter().zip(&text).all(|(w, t)| w == t || (w.trim_end_matches(',') == "N" && is_number(t)))
}
