//! What goes wrong around a verb: a closed pipe, a full disk, an output that cannot be written, and inputs that are a folder,
//! empty, missing, or far too large. Each of these ends in silence or with one diagnostic, with memory bounded, and never in a
//! panic. A text that an editor of another system has saved is no fault: with a byte order mark and line ends of two bytes a
//! command does and says the same. `tests/faults/commands.txt` lists the commands and says what a line of it is.
//!
//! A fault that shows nothing would be a check that cannot fail, so every command also runs without a fault, and has to
//! succeed.
//!
//! Outside of `.ci/run` each verb is tried with the first of its commands only: a run starts the program a thousand times.

#![cfg(unix)]

use std::collections::BTreeSet;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use isaglot_testing::{Failed, Trial, peer, suite, workspace};

/// The memory that a run may ask for, in KiB. The machine's libraries are part of it.
const MEMORY: u64 = 3 << 20;

/// The size of the input that is too large: a file of zeros that takes no room.
const HUGE: u64 = 4 << 30;

/// After this a command that takes any amount of input is taken to go on for ever.
const PATIENCE: Duration = Duration::from_secs(2);

/// A command that has not ended by then hangs. No measure of speed: many tests run at once.
const HANGS: Duration = Duration::from_secs(300);

/// A line of the list.
#[derive(Clone)]
struct Case {
    line: String,
    words: Vec<String>,
    streams: bool,
    serves: bool,
}

fn main() {
    let list = std::fs::read_to_string(data().join("commands.txt")).expect("the list of commands");
    let lines: Vec<&str> = list.lines().filter(|line| !line.is_empty() && !line.starts_with("##")).collect();
    let prepare: Vec<String> = lines.iter().filter_map(|line| line.strip_prefix("prepare ")).map(Into::into).collect();
    let trials = lines.iter().filter(|line| !line.starts_with("prepare ")).map(|line| {
        let (streams, line) = line.strip_prefix("stream ").map_or((false, *line), |rest| (true, rest));
        let (serves, line) = line.strip_prefix("serve ").map_or((false, line), |rest| (true, rest));
        let case = Case { line: line.to_owned(), words: line.split(' ').map(Into::into).collect(), streams, serves };
        let prepare = prepare.clone();
        (case.words[0].clone(), Trial::test(line.replace(' ', "_"), move || all_faults(&case, &prepare)))
    });
    let mut seen = BTreeSet::new();
    let wanted = trials.filter(|(verb, _)| peer::required() || seen.insert(verb.clone()));
    suite::run(wanted.map(|(_, trial)| trial).collect());
}

fn data() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/faults")
}

/// A fresh folder with the inputs, and what the list prepares.
fn folder(prepare: &[String]) -> Result<tempfile::TempDir, Failed> {
    let dir = tempfile::tempdir()?;
    for entry in std::fs::read_dir(data())?.flatten() {
        std::fs::copy(entry.path(), dir.path().join(entry.file_name()))?;
    }
    for shared in ["specs", "examples"] {
        std::os::unix::fs::symlink(workspace().join(shared), dir.path().join(shared))?;
    }
    for line in prepare {
        let words: Vec<String> = line.split(' ').map(Into::into).collect();
        let ran = run(dir.path(), &words, Stdio::null(), false)?;
        if ran.code != Some(0) {
            return Err(format!("`prepare {line}`: {}", ran.errors).into());
        }
    }
    Ok(dir)
}

/// How a run ended.
struct Ran {
    /// The exit status; `None` after a signal.
    code: Option<i32>,
    /// It was ended because it would have gone on.
    stopped: bool,
    errors: String,
}

impl Ran {
    fn diagnostics(&self) -> usize {
        let is_one = |line: &&str| line.starts_with("error") || line.starts_with("isaglot tblgen: ");
        self.errors.lines().filter(is_one).count()
    }
}

fn run(dir: &Path, words: &[String], out: Stdio, patient: bool) -> Result<Ran, Failed> {
    let errors = tempfile::NamedTempFile::new()?;
    // The shell's limit holds for what it starts.
    let script = format!("ulimit -v {MEMORY}; exec \"$@\"");
    let mut child = Command::new("sh")
        .args(["-c", &script, "sh", env!("CARGO_BIN_EXE_isaglot")])
        .args(words)
        .current_dir(dir)
        .stdin(Stdio::null())
        .stdout(out)
        .stderr(errors.reopen()?)
        .spawn()?;
    let start = Instant::now();
    let mut stopped = false;
    let status = loop {
        if let Some(status) = child.try_wait()? {
            break status;
        }
        if patient && start.elapsed() > PATIENCE {
            child.kill()?;
            stopped = true;
        } else if start.elapsed() > HANGS {
            child.kill()?;
            return Err("it does not end".into());
        }
        std::thread::sleep(Duration::from_millis(5));
    };
    Ok(Ran { code: status.code(), stopped, errors: std::fs::read_to_string(errors.path())? })
}

/// The words of a case with its input replaced, and with or without the output.
fn words(case: &Case, input: Option<&str>, output: Option<&str>) -> Vec<String> {
    let optional = case.line.contains("[-o");
    let mut all = Vec::new();
    for word in &case.words {
        let bare = word.trim_matches(['[', ']']);
        match (bare.strip_prefix('%'), output) {
            (Some(_), None) if optional => {}
            (None, None) if word == "[-o" => {}
            (Some(extension), path) => all.push(path.unwrap_or("result").to_owned() + extension),
            _ => match (bare.strip_prefix('@'), input) {
                (Some(_), Some(other)) => all.push(other.to_owned()),
                (Some(name), None) => all.push(name.to_owned()),
                (None, _) => all.push(bare.to_owned()),
            },
        }
    }
    all
}

fn all_faults(case: &Case, prepare: &[String]) -> Result<(), Failed> {
    let dir = folder(prepare)?;
    let dir = dir.path();
    let extension = case.words.iter().find_map(|w| w.trim_end_matches(']').strip_prefix('%')).unwrap_or("");
    std::fs::create_dir(dir.join(format!("folder{extension}")))?;
    std::os::unix::fs::symlink("/dev/full", dir.join(format!("full{extension}")))?;
    File::create(dir.join("empty"))?;
    File::create(dir.join("huge"))?.set_len(HUGE)?;
    let printed = File::create(dir.join("printed"))?;
    let good = run(dir, &words(case, None, None), printed.into(), case.serves)?;
    let silent = std::fs::metadata(dir.join("printed"))?.len() == 0;
    // What is wrong with a description or a kernel is what `check` and `lint` print, and with `--json` problems are for a machine.
    let elsewhere = case.line.contains("--json") || ["check", "lint"].contains(&case.words[0].as_str());
    let mut wrong = Vec::new();
    let mut check = |what: &str, ran: &Ran, ok: bool| {
        let calm = !ran.errors.contains("panicked") && (ran.code.is_some() || ran.stopped);
        if !ok || !calm {
            wrong.push(format!("{what}: exit {:?}\n{}", ran.code, ran.errors));
        }
    };
    check("no fault", &good, if case.serves { good.stopped } else { good.code == Some(0) });
    let writes = !case.line.contains(" %") || case.line.contains("[-o");
    if writes {
        let (reader, writer) = std::io::pipe()?;
        drop(reader);
        let ran = run(dir, &words(case, None, None), writer.into(), case.serves)?;
        check("a closed pipe", &ran, ran.code == good.code && ["", &good.errors].contains(&ran.errors.as_str()));
        let full = File::options().write(true).open("/dev/full")?;
        let ran = run(dir, &words(case, None, None), full.into(), case.serves)?;
        check("a full disk", &ran, silent || ran.stopped || (ran.code == Some(1) && ran.diagnostics() == 1));
    }
    if case.line.contains('%') {
        for path in ["empty/result", "no/such/folder/result", "full", "folder"] {
            let folders = ["docs", "gen", "man", "spirv"].contains(&case.words[0].as_str());
            // Where a folder is written, one that is missing is made, and one that is there is good.
            let is_good = path == "folder" || (path == "no/such/folder/result" && case.words[0] != "spirv");
            if folders && is_good {
                continue;
            }
            let ran = run(dir, &words(case, None, Some(path)), Stdio::null(), false)?;
            check(&format!("output to {path}"), &ran, ran.code == Some(1) && ran.diagnostics() == 1);
        }
    }
    if case.line.contains('@') {
        for (input, may_be_good) in
            [("missing", false), ("folder", false), ("empty", true), ("huge", case.streams || case.serves)]
        {
            // What a file is is told by its name.
            let extension = case.words.iter().find_map(|w| w.strip_prefix('@')).and_then(|n| n.rsplit_once('.'));
            let name = extension.map_or(input.to_owned(), |(_, extension)| format!("{input}.{extension}"));
            if !dir.join(&name).exists() && input != "missing" {
                std::os::unix::fs::symlink(dir.join(input), dir.join(&name))?;
            }
            let ran = run(dir, &words(case, Some(&name), None), Stdio::null(), case.streams || case.serves)?;
            let refused = ran.code == Some(1) && (ran.diagnostics() == 1 || (elsewhere && ran.diagnostics() == 0));
            check(&format!("input {name}"), &ran, refused || (may_be_good && (ran.code == Some(0) || ran.stopped)));
        }
    }
    if let Some(name) = case.words.iter().find_map(|word| word.strip_prefix('@'))
        && let Ok(text) = std::fs::read_to_string(dir.join(name))
        && !text.contains('\0')
    {
        let other = format!("edited.{}", name.rsplit_once('.').map_or("", |(_, extension)| extension));
        std::fs::write(dir.join(&other), format!("\u{feff}{}", text.replace('\n', "\r\n")))?;
        let printed = File::create(dir.join("printed.edited"))?;
        let ran = run(dir, &words(case, Some(&other), None), printed.into(), case.serves)?;
        // Lines that are passed on, and strings of several lines that become part of records, stay as they are.
        let plain = |text: String| text.replace(&other, name).replace(['\r', '\u{feff}'], "");
        let text = |path: &str| std::fs::read(dir.join(path)).map(|b| plain(String::from_utf8_lossy(&b).into_owned()));
        let keeps = case.serves || case.words[0] == "tblgen";
        let same = (keeps || text("printed")? == text("printed.edited")?) && plain(ran.errors.clone()) == good.errors;
        check(&format!("input {other}"), &ran, ran.code == good.code && same);
    }
    if wrong.is_empty() { Ok(()) } else { Err(wrong.join("\n").into()) }
}
