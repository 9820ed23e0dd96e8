//! What both tools share: grammars from folders, target environments, where the output of many files goes.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use isaglot_source::{Diagnostic, Diagnostics};
use isaglot_spirv::grammar::{Tables, compile, import};
use isaglot_spirv::{Environment, UnknownEnvironment};

use crate::io::{Output, Target};
use crate::jobs::{self, JobsArgs, Said, Then};
use crate::progress::Progress;
use crate::session::{EXIT_INPUT, Session};

/// The core version of an environment, for the command line.
pub(super) fn parse_environment(name: &str) -> Result<u8, UnknownEnvironment> {
    name.parse().map(Environment::minor)
}

/// The grammar of `--grammar`, if that is given. Problems are reported; the exit status if there are any.
pub(super) fn chosen_grammar(dir: Option<&Path>, session: &Session) -> Result<Option<Tables>, ExitCode> {
    dir.map(grammar).transpose().map_err(|problems| {
        session.report(&problems);
        ExitCode::from(EXIT_INPUT)
    })
}

/// Does `one` for each input, for standard input if there is none, and reports the problems of all. What has no file of its own
/// goes to standard output, in the order of the inputs.
pub(super) fn each(
    jobs: JobsArgs,
    inputs: &[PathBuf],
    session: &mut Session,
    one: impl Fn(&[PathBuf], &Path, &mut dyn Target, &mut Said) -> Result<(), Diagnostic> + Sync,
) -> ExitCode {
    let standard = [PathBuf::from("-")];
    let inputs = if inputs.is_empty() { &standard } else { inputs };
    let mut problems = Diagnostics::new();
    let mut out = match Output::create(None, false) {
        Ok(out) => out,
        Err(d) => return session.fail(d),
    };
    let each = |(): &mut (), input: &Path, out: &mut dyn Target| {
        let mut said = Said::default();
        let done = one(inputs, input, out, &mut said);
        said.problems.ok(done);
        said
    };
    let take = |said: Said| {
        said.hand_over(&mut problems, &mut session.files);
        Then::Continue
    };
    let work = (inputs, Progress::new("going through modules", "file"));
    let done = jobs::run(jobs, work, &mut out, || (), each, take).map_err(|e| out.failed(&e));
    problems.ok(done.and_then(|()| out.finish()));
    session.status(&problems)
}

/// Compiles the grammar in a folder of Khronos files.
pub(super) fn grammar(dir: &Path) -> Result<Tables, Diagnostics> {
    let unreadable = |e: &std::io::Error| Diagnostics::from(crate::io::unreadable(&dir.display().to_string(), e));
    let mut files = Vec::new();
    for entry in std::fs::read_dir(dir).map_err(|e| unreadable(&e))? {
        let path = entry.map_err(|e| unreadable(&e))?.path();
        if let Some(name) = path.file_name().and_then(|n| n.to_str())
            && (name.ends_with(".grammar.json") || name == "spir-v.xml")
        {
            files.push((name.to_owned(), crate::io::read(Some(&path))?));
        }
    }
    files.sort();
    let model = import::import(files.iter().map(|(n, b)| (n.as_str(), b.as_slice())))?;
    compile::compile(&model).map_err(|e| Diagnostic::error("spirv-grammar", e).into())
}

/// Whether several inputs have somewhere to go: a folder, and a name in it for each.
pub(super) fn places(inputs: &[PathBuf], output: Option<&Path>, extension: &str) -> Result<(), Diagnostic> {
    if inputs.len() < 2 {
        return Ok(());
    }
    let n = inputs.len();
    let folder = match output {
        None => {
            return Err(Diagnostic::error(
                "cli-usage",
                format!("{n} inputs need a folder for what is made of them: `-o DIR`"),
            ));
        }
        Some(folder) if !folder.is_dir() => {
            let d = Diagnostic::error("cli-usage", format!("`{}` is not a folder", folder.display()));
            return Err(d.note(format!("{n} inputs need one: make it first")));
        }
        Some(folder) => folder,
    };
    let mut taken = std::collections::BTreeMap::new();
    for input in inputs {
        let target = target(inputs, input, Some(folder), extension);
        if let Some(other) = taken.insert(target.clone(), input) {
            let (a, b, target) = (other.display(), input.display(), target.unwrap_or_default());
            let message = format!("`{a}` and `{b}` would both become `{}`", target.display());
            return Err(Diagnostic::error("cli-usage", message));
        }
    }
    Ok(())
}

/// Where the result for one input goes: with more than one input `output` is a folder.
pub(super) fn target(inputs: &[PathBuf], input: &Path, output: Option<&Path>, extension: &str) -> Option<PathBuf> {
    match output {
        Some(dir) if inputs.len() > 1 || dir.is_dir() => {
            let stem = input.file_stem().filter(|s| *s != "-").unwrap_or("stdin".as_ref());
            Some(dir.join(stem).with_extension(extension))
        }
        output => output.map(Path::to_owned),
    }
}
