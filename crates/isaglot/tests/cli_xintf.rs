//! `isaglot xintf` as a user runs it: each file under `tests/xintf` is a list of commands (`$ …`, without the program's
//! name) and what each prints, with its exit status if that is not 0. They run in turn in a fresh copy of the files
//! that the case writes with `> NAME` … `<`. `BLESS=1` writes the answers anew.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

use libtest_mimic::{Arguments, Failed, Trial};

fn main() {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/xintf");
    let mut paths: Vec<PathBuf> = std::fs::read_dir(&dir).expect("tests/xintf").flatten().map(|e| e.path()).collect();
    paths.sort();
    let trials = paths.into_iter().map(|path| {
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        Trial::test(format!("xintf_{name}"), move || one(&path))
    });
    libtest_mimic::run(&Arguments::from_args(), trials.collect()).exit();
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
            std::fs::write(dir.path().join(name), text)?;
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
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(path, made)?;
        return Ok(());
    }
    if made == wanted { Ok(()) } else { Err(format!("--- expected\n{wanted}\n--- made\n{made}").into()) }
}

/// What the program prints, standard output first, every line behind `| ` or, for standard error, `! `.
fn run(command: &str, dir: &Path) -> Result<String, Failed> {
    let args = command.split_whitespace().collect::<Vec<_>>();
    let out = if let Some(file) = command.strip_prefix("cat ") {
        Command::new("cat").arg(file).current_dir(dir).output()?
    } else {
        Command::new(env!("CARGO_BIN_EXE_isaglot")).arg("xintf").args(args).current_dir(dir).output()?
    };
    let mut text = String::new();
    for (mark, bytes) in [('|', out.stdout), ('!', out.stderr)] {
        for line in String::from_utf8(bytes)?.lines() {
            let _ = writeln!(text, "{}", format!("{mark} {line}").trim_end());
        }
    }
    if let Some(code @ 1..) = out.status.code() {
        let _ = writeln!(text, "= {code}");
    }
    Ok(text)
}
