//! What the tests beside tools share: processes, one after the other, and what is said of findings that are not known.

use std::fs::File;
use std::process::{Command, Stdio};

use isaglot_conform::{Finding, Job, Output, Runner};
use isaglot_source::Diagnostic;

/// Starts one process after the other, each with its words in a file.
pub(crate) struct Processes;

impl Runner for Processes {
    fn run(&mut self, jobs: &[Job]) -> Result<Vec<Output>, Diagnostic> {
        let failed = |e: std::io::Error| Diagnostic::error("conform-run", e.to_string());
        jobs.iter().map(|job| one(job).map_err(failed)).collect()
    }
}

fn one(job: &Job) -> std::io::Result<Output> {
    let folder = tempfile::tempdir()?;
    let input = folder.path().join("input");
    std::fs::write(&input, &job.input)?;
    let mut all = Output::default();
    for words in &job.commands {
        let fill = |word: &String| {
            let word = word.replace("{input}", &input.display().to_string());
            word.replace("{work}", &folder.path().display().to_string())
        };
        let words: Vec<String> = words.iter().map(fill).collect();
        let Some((program, arguments)) = words.split_first() else { continue };
        let output = Command::new(program)
            .args(arguments)
            .envs(job.environment.iter().map(|(name, text)| (name, text)))
            .stdin(Stdio::from(File::open(&input)?))
            .output()?;
        all.signal = std::os::unix::process::ExitStatusExt::signal(&output.status);
        if all.signal.is_some() {
            break;
        }
        if !output.status.success() && !job.any_status {
            return Err(std::io::Error::other(format!("{program} failed with {}", output.status)));
        }
        all.out = String::from_utf8_lossy(&output.stdout).into_owned();
        all.err.push_str(&String::from_utf8_lossy(&output.stderr));
    }
    Ok(all)
}

/// Fails with the findings that the ledger does not have.
pub(crate) fn none_new(findings: &[Finding]) -> Result<(), String> {
    let new = findings.iter().filter(|finding| finding.known.is_none());
    let new: Vec<String> = new
        .map(|f| {
            format!("{} {}: 0x{}: {:?}, not {:?}", f.class.kind.name(), f.class.name, f.witness.hex(), f.theirs, f.ours)
        })
        .collect();
    if new.is_empty() { Ok(()) } else { Err(new.join("\n")) }
}

/// A diagnostic as one line.
pub(crate) fn told(d: Diagnostic) -> String {
    format!("{}: {}", d.message, d.notes.join("; "))
}
