//! Libraries do no I/O and keep no global state, so that they can be embedded, run twice, and tested without files.

use super::Repo;
use super::code::code;

/// Crates that are not libraries for others: the program, and what tests share.
const EXEMPT: &[&str] = &["cli", "testing"];

/// Files of libraries that may do what the rule forbids, each with a reason.
const ALLOWED: &[(&str, &str)] = &[
    ("crates/isaglot/src/fs.rs", "the short road of the facade: a description by the path of its file"),
    ("crates/isaglot/src/spec/compiled.rs", "behind the feature `fs`: compiled descriptions and their sources by path"),
    ("crates/isaglot/src/spec/names.rs", "behind the feature `fs`: names of files in `ISAGLOT_PATH`"),
    ("crates/isaglot/src/spec/published.rs", "behind the feature `fs`: folders of RISC-V's published formats"),
];

/// What reaches out of the process. Traits such as `std::io::Write` are the caller's choice and are fine.
const IO: &[&str] = &[
    "std::fs",
    "std::process",
    "std::net",
    "std::env",
    "io::stdin",
    "io::stdout",
    "io::stderr",
    "println!",
    "print!",
    "eprintln!",
    "eprint!",
];

/// Types by which a `static` is more than constant data.
const CHANGING: &[&str] =
    &["Mutex", "RwLock", "OnceLock", "LazyLock", "Once", "Atomic", "Cell", "OnceCell", "LazyCell", "RefCell"];

pub(super) fn check(repo: &Repo) -> Vec<String> {
    let mut findings = Vec::new();
    for (name, source) in repo.rust("src") {
        let stem = source.name.rsplit('/').next().unwrap_or("").trim_end_matches(".rs");
        let mark = format!("#[cfg(test)]\nmod {stem};");
        let is_test = repo.rust("src").any(|(owner, s)| owner == name && s.text.contains(&mark));
        if EXEMPT.contains(&name) || is_test || ALLOWED.iter().any(|(file, _)| *file == source.name) {
            continue;
        }
        for (number, line) in code(&source.text).lines().enumerate() {
            if let Some(what) = does_io(line).or_else(|| keeps_state(line)) {
                findings.push(format!("{}:{}: {what}", source.name, number + 1));
            }
        }
    }
    findings
}

fn does_io(line: &str) -> Option<String> {
    // `use std::{fs, process};` as well.
    let line = line.replace("std::{", "std::");
    let at = |word: &&&str| {
        line.match_indices(**word).any(|(at, found)| {
            let name = |c: char| c.is_alphanumeric() || c == '_';
            !line[..at].ends_with(name) && !line[at + found.len()..].starts_with(name)
        })
    };
    IO.iter().find(at).map(|word| format!("a library does I/O: {word}"))
}

fn keeps_state(line: &str) -> Option<String> {
    let item = line.trim_start();
    let item = item.strip_prefix("pub").map_or(item, |rest| rest.trim_start_matches(|c| c != ' ').trim_start());
    let declared = item.strip_prefix("static ").map(|rest| rest.split('=').next().unwrap_or(rest));
    let changes = declared.is_some_and(|d| d.starts_with("mut ") || CHANGING.iter().any(|t| d.contains(t)));
    (changes || line.contains("thread_local!")).then(|| "a library keeps global state".to_owned())
}

#[cfg(test)]
mod tests {
    use super::{does_io, keeps_state};

    #[test]
    fn io_and_state_are_found() {
        for line in ["std::fs::read(p)", "use std::{env, fmt};", "eprintln!()", "std::io::stdout()"] {
            assert!(does_io(line).is_some(), "{line}");
        }
        for line in ["use std::io::Write;", "my_println!()", "crate::fs::read()"] {
            assert!(does_io(line).is_none(), "{line}");
        }
        assert!(keeps_state("    pub(crate) static X: OnceLock<u32> = OnceLock::new();").is_some());
        assert!(keeps_state("static mut X: u32 = 0;").is_some());
        assert!(keeps_state("static TEXT: &str = Mutex;").is_none());
        assert!(keeps_state("fn a(x: &'static Mutex<u32>) {}").is_none());
    }
}
