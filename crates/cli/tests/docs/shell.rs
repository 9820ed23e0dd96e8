//! A folder such as a reader has, and commands run in it by the shell.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};

use isaglot_testing::{Failed, workspace};

/// A fresh folder with the files of the project that pages speak of.
pub(crate) fn clone() -> Result<tempfile::TempDir, Failed> {
    let dir = tempfile::tempdir()?;
    for part in ["README.md", "docs", "specs", "examples"] {
        copy(&workspace().join(part), &dir.path().join(part))?;
    }
    Ok(dir)
}

/// Copies a file or a folder.
pub(crate) fn copy(from: &Path, to: &Path) -> Result<(), Failed> {
    if !from.is_dir() {
        std::fs::copy(from, to)?;
        return Ok(());
    }
    std::fs::create_dir_all(to)?;
    for entry in std::fs::read_dir(from)? {
        let name = entry?.file_name();
        if name != "target" {
            copy(&from.join(&name), &to.join(&name))?;
        }
    }
    Ok(())
}

/// What a command did.
pub(crate) struct Done {
    /// Both streams.
    pub(crate) printed: String,
    pub(crate) succeeded: bool,
}

/// Runs a command. `isaglot explore` serves until it is ended: it is done when it has printed its address.
pub(crate) fn run(command: &str, dir: &Path) -> Result<Done, Failed> {
    let command = command.replace("cargo run -- ", "isaglot ");
    if command.starts_with("isaglot explore ") && !command.contains("--help") {
        return serve(&command, dir);
    }
    let out = shell(&format!("exec 2>&1; {command}"), dir).output()?;
    Ok(Done { printed: String::from_utf8_lossy(&out.stdout).into_owned(), succeeded: out.status.success() })
}

fn shell(command: &str, dir: &Path) -> Command {
    let program = Path::new(env!("CARGO_BIN_EXE_isaglot"));
    let path = std::env::var("PATH").unwrap_or_default();
    let path = format!("{}:{path}", program.parent().unwrap_or(program).display());
    let mut shell = Command::new("sh");
    shell.args(["-c", command]).env("PATH", path).env("NO_COLOR", "1").current_dir(dir).stdin(Stdio::null());
    shell
}

fn serve(command: &str, dir: &Path) -> Result<Done, Failed> {
    let mut server = shell(&format!("exec 2>&1; exec {command}"), dir).stdout(Stdio::piped()).spawn()?;
    let out = server.stdout.take().ok_or("no output")?;
    let mut printed = String::new();
    for line in BufReader::new(out).lines() {
        printed += &format!("{}\n", line?);
        if printed.contains("http://") {
            break;
        }
    }
    server.kill()?;
    server.wait()?;
    let succeeded = printed.contains("http://127.0.0.1:");
    Ok(Done { printed, succeeded })
}
