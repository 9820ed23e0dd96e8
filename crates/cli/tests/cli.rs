//! The command line as a user runs it: each file `tests/cli/AREA/NAME.txt` is a list of commands and what each prints.
//!
//! * `$ isaglot …` or `$ cat FILE` runs a command; words are split at blanks, `'…'` keeps them together, `< FILE` at the
//!   end is standard input. `{specs}` stands for the folder of the descriptions that ship with the project.
//! * Below it stand what it printed, standard output after `| `, standard error after `! `, and `= N` for an exit
//!   status that is not 0.
//!   In words `{isaglot}` stands for the program itself.
//! * `> NAME`, lines, `<` writes a file; `> NAME hex` writes the bytes that the lines give in hex.
//! * `## …` is a comment.
//!
//! The commands of a file run in turn in a fresh folder. `BLESS=1` writes the answers anew.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use isaglot_testing::{Failed, Trial, bless, corpus, suite};

fn main() {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cli");
    let trials = files(&dir).into_iter().map(|path| {
        let name = path.strip_prefix(&dir).unwrap_or(&path).with_extension("").to_string_lossy().replace('/', "_");
        Trial::test(name, move || one(&path))
    });
    suite::run(trials.collect());
}

fn files(dir: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(dir).expect("the folder of the cases").flatten().map(|e| e.path());
    let mut all: Vec<PathBuf> = entries.flat_map(|p| if p.is_dir() { files(&p) } else { vec![p] }).collect();
    all.sort();
    all
}

fn one(path: &Path) -> Result<(), Failed> {
    let wanted = std::fs::read_to_string(path)?;
    let dir = tempfile::tempdir()?;
    let mut made = String::new();
    let mut lines = wanted.lines().peekable();
    while let Some(line) = lines.next() {
        if let Some(name) = line.strip_prefix("> ") {
            let _ = writeln!(made, "{line}");
            let mut text = String::new();
            for line in lines.by_ref().take_while(|l| *l != "<") {
                text += &format!("{line}\n");
            }
            let _ = writeln!(made, "{text}<");
            if let Some(folder) = dir.path().join(name).parent() {
                std::fs::create_dir_all(folder)?;
            }
            match name.strip_suffix(" hex") {
                Some(name) => std::fs::write(dir.path().join(name), from_hex(&text))?,
                None => std::fs::write(dir.path().join(name), text)?,
            }
        } else if let Some(command) = line.strip_prefix("$ ") {
            let _ = writeln!(made, "{line}");
            made += &run(command, dir.path())?;
        } else if line.starts_with('#') || line.is_empty() {
            // Comments and blank lines of the case stay where they are, unless a command printed them.
            if line.starts_with("## ")
                || (line.is_empty() && lines.peek().is_some_and(|l| l.starts_with(['$', '>', '#'])))
            {
                let _ = writeln!(made, "{line}");
            }
        }
    }
    Ok(bless::golden(path, &made)?)
}

fn from_hex(text: &str) -> Vec<u8> {
    corpus::unhex(&text.split_whitespace().collect::<String>())
}

/// Words at blanks; single quotes keep blanks.
fn split(command: &str) -> Vec<String> {
    let mut words = Vec::new();
    let (mut word, mut quoted, mut any) = (String::new(), false, false);
    for c in command.chars() {
        match c {
            '\'' => (quoted, any) = (!quoted, true),
            ' ' if !quoted => {
                if any {
                    words.push(std::mem::take(&mut word));
                }
                any = false;
            }
            c => {
                word.push(c);
                any = true;
            }
        }
    }
    if any {
        words.push(word);
    }
    words
}

/// What a command prints, standard output first, and its exit status if that is not 0.
fn run(command: &str, dir: &Path) -> Result<String, Failed> {
    let specs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../specs").canonicalize()?.display().to_string();
    let (command, input) = match command.split_once(" < ") {
        Some((command, file)) => (command, Stdio::from(std::fs::File::open(dir.join(file))?)),
        None => (command, Stdio::null()),
    };
    let isaglot = env!("CARGO_BIN_EXE_isaglot");
    let filled = |word: String| word.replace("{specs}", &specs).replace("{isaglot}", isaglot);
    let words: Vec<String> = split(command).into_iter().map(filled).collect();
    let program = match words.first().map(String::as_str) {
        Some("isaglot") => isaglot,
        Some("cat") => "cat",
        other => return Err(format!("unknown program {other:?}").into()),
    };
    let out = Command::new(program).args(&words[1..]).current_dir(dir).stdin(input).output()?;
    let mut text = String::new();
    for (mark, bytes) in [('|', out.stdout), ('!', out.stderr)] {
        for line in String::from_utf8_lossy(&bytes).replace(&specs, "{specs}").replace(isaglot, "{isaglot}").lines() {
            let _ = writeln!(text, "{}", format!("{mark} {line}").trim_end());
        }
    }
    if let Some(code @ 1..) = out.status.code() {
        let _ = writeln!(text, "= {code}");
    }
    Ok(text)
}
