//! A folder such as a reader has, and commands run in it by the shell.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};

use isaglot_testing::{Failed, workspace};

/// What of the project pages speak of.
const PARTS: [&str; 4] = ["README.md", "docs", "specs", "examples"];

/// A fresh folder with the files that a clone of the project has there: those that git knows or would take, or all where
/// there is no repository.
pub(crate) fn clone() -> Result<tempfile::TempDir, Failed> {
    let dir = tempfile::tempdir()?;
    let args = ["ls-files", "-z", "--cached", "--others", "--exclude-standard", "--"];
    let listed = Command::new("git").args(args).args(PARTS).current_dir(workspace()).output();
    let listed = listed.ok().filter(|out| out.status.success() && !out.stdout.is_empty());
    let listed = listed.map(|out| String::from_utf8_lossy(&out.stdout).into_owned());
    let files: Vec<&str> = listed.as_deref().map_or(PARTS.to_vec(), |names| names.split_terminator('\0').collect());
    for file in files {
        // One that is deleted and not committed is still listed.
        if workspace().join(file).exists() {
            let to = dir.path().join(file);
            std::fs::create_dir_all(to.parent().unwrap_or(dir.path()))?;
            copy(&workspace().join(file), &to)?;
        }
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
