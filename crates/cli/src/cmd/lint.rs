//! `isaglot lint`: what is wrong with a program although every word of it can be encoded.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use isaglot_source::{Adoption, Diagnostic, Diagnostics, Severity, SourceMap, counted, render};
use isaglot_xe::{Platform, Xe};
use serde_json::{Value, json as object};

use super::xe::{self, Linted};
use crate::answer::AnswerArgs;
use crate::args::SpecArgs;
use crate::folder::{self, Want};
use crate::io::{Target, input_name};
use crate::jobs::{self, JobsArgs, Said, Then};
use crate::load::{Source, Spec};
use crate::names;
use crate::progress::Progress;
use crate::schema;
use crate::session::{EXIT_INPUT, Session};
use crate::subject::{CHOICES, GEN, Only, Subject, SubjectKind};

/// Check kernels of Intel Xe: regions and registers of operands, and waits for results.
///
/// Every finding has a code, the operand that it is about, and what would satisfy the rule; `docs/xe-lint.md` has a section
/// for each code. Warnings do not change the exit status unless they are denied.
#[derive(clap::Args, Debug)]
#[command(mut_group("description", |group| group.required(false)))]
#[command(mut_arg("json", |arg| arg.help("Answer in JSON: findings, and how many of which kind each kernel has")))]
#[command(after_help = "\
Examples:
  isaglot lint --isa xehpc kernel.asm
  isaglot lint --isa xehpc --deny warnings --json kernel.bin")]
pub(crate) struct Args {
    #[command(flatten)]
    spec: SpecArgs,
    /// Raw binaries, hex bytes, assembly text (`*.asm`), JSON listings, and zebins, which need no `--isa`; a folder stands for the
    /// binaries in it and below it. Standard input if there is none or for `-`.
    inputs: Vec<PathBuf>,
    #[command(flatten)]
    answer: AnswerArgs,
    #[command(flatten)]
    jobs: JobsArgs,
    /// Read an ELF file as bytes too.
    #[arg(long)]
    binary: bool,
    /// The input is hexadecimal text.
    #[arg(long, help_heading = xe::HEADING)]
    hex: bool,
}

/// What can be checked.
pub(crate) const TAKES: &[SubjectKind] = &[SubjectKind::Xe];

/// The options that are for some of it only.
pub(crate) const ONLY: &[Only] = &[CHOICES, GEN];

/// Runs the verb.
pub(crate) fn run(args: &Args, session: &mut Session) -> ExitCode {
    let spec = args.spec.spec();
    let inputs = if args.inputs.is_empty() { vec![PathBuf::from("-")] } else { args.inputs.clone() };
    let mut left_out = Diagnostics::new();
    let want = Want { is_described: !matches!(spec.source, Source::Input), modules: false };
    let inputs = match folder::expand(&inputs, want, &mut left_out) {
        Ok(inputs) => inputs,
        Err(d) => return session.fail(d),
    };
    session.report(&left_out);
    let spec: Spec = match xe::described(spec, inputs.first().map(PathBuf::as_path)) {
        Ok(spec) => spec,
        Err(d) => return session.fail(d),
    };
    if matches!(spec.source, Source::Input) {
        let d = Diagnostic::error("cli-lint", "nothing says for which machine the kernels are");
        return session.wrong_usage(d.note(format!("choose one with `--isa`: {}", names::machines())));
    }
    let platform = match Subject::of(&spec, session) {
        Ok(Subject::Xe(platform)) => platform,
        // No other subject is taken.
        Ok(_) => return ExitCode::from(EXIT_INPUT),
        Err(code) => return code,
    };
    lint(args, &inputs, platform, session).unwrap_or_else(|d| session.fail(d))
}

/// What was found in a file.
#[derive(Default)]
struct Checked {
    /// The file could not be read or checked.
    failed: Option<Diagnostic>,
    /// Messages, and the files that they speak of, if the answer needs them as they are.
    all: Vec<Diagnostic>,
    files: SourceMap,
    /// The parts of an answer in JSON.
    problems: Vec<Value>,
    kernels: Vec<Value>,
    tally: Tally,
}

/// How much was checked and found.
#[derive(Clone, Copy, Default)]
struct Tally {
    errors: usize,
    warnings: usize,
    worst: Option<Severity>,
    instructions: usize,
    kernels: usize,
}

impl Tally {
    fn add(&mut self, other: Tally) {
        self.errors += other.errors;
        self.warnings += other.warnings;
        self.worst = self.worst.max(other.worst);
        self.instructions += other.instructions;
        self.kernels += other.kernels;
    }

    fn text(&self) -> String {
        format!(
            "{}, {} in {} of {}\n",
            counted(self.errors, "error"),
            counted(self.warnings, "warning"),
            counted(self.instructions, "instruction"),
            counted(self.kernels, "kernel")
        )
    }
}

/// Checks the files. Text is written as it is found; JSON and SARIF are one document, which is written at the end.
fn lint(args: &Args, inputs: &[PathBuf], platform: Platform, session: &mut Session) -> Result<ExitCode, Diagnostic> {
    let description = xe::description()?;
    let (is_text, color) = (args.answer.is_text(), args.answer.has_color(session));
    let mut out = args.answer.output().create()?;
    let each = |machine: &mut Result<Xe<'_>, Diagnostic>, path: &Path, out: &mut dyn Target| {
        let mut said = Said::default();
        let Said { problems, files } = &mut said;
        let input = xe::Input { platform, path: Some(path), hex: args.hex, binary: args.binary };
        let machine = machine.as_mut().map_err(|d| d.clone());
        let kernels = match machine.and_then(|machine| xe::lint(machine, input, files, problems)) {
            Ok(kernels) => kernels,
            Err(d) => return Checked { failed: Some(d), ..Checked::default() },
        };
        if inputs.len() > 1 {
            said.name(&input_name(Some(path)));
        }
        let Said { problems, files } = said;
        let mut checked = Checked { tally: tally(&problems, &kernels), ..Checked::default() };
        if args.answer.is_json() {
            checked.problems = problems.iter().map(|d| render::json(&files, d)).collect();
            checked.kernels = kernels.iter().map(|kernel| json_of(&files, path, kernel)).collect();
            return checked;
        }
        let found = kernels.into_iter().flat_map(|kernel| kernel.findings).map(|f| f.diagnostic);
        let all = problems.iter().cloned().chain(found);
        if is_text {
            let said: String = all.map(|d| render::text(&files, &d, color)).collect();
            // That it cannot be written ends the work.
            let _ = out.write_all(said.as_bytes());
        } else {
            checked.all = all.collect();
            checked.files = files;
        }
        checked
    };
    let mut failed = Diagnostics::new();
    let (mut all, mut problems, mut kernels) = (Vec::new(), Vec::new(), Vec::new());
    let (mut tally, mut read) = (Tally::default(), 0_usize);
    let take = |mut checked: Checked| {
        read += usize::from(checked.failed.is_none());
        checked.failed.into_iter().for_each(|d| failed.push(d));
        let mut adoption = Adoption::new(&checked.files, &mut session.files);
        checked.all.iter_mut().for_each(|d| adoption.adopt(d));
        all.append(&mut checked.all);
        problems.append(&mut checked.problems);
        kernels.append(&mut checked.kernels);
        tally.add(checked.tally);
        Then::Continue
    };
    let work = (inputs, Progress::new("checking", "file").unless(args.answer.output().is_on_terminal()));
    let done = jobs::run(args.jobs, work, &mut out, || xe::machine(&description, platform), each, take);
    done.map_err(|e| out.failed(&e))?;
    if read > 0 {
        let answer = if is_text {
            tally.text()
        } else if args.answer.is_json() {
            format!("{:#}\n", object!({ "$schema": schema::LINT, "diagnostics": problems, "kernels": kernels }))
        } else {
            format!("{:#}\n", render::sarif(&session.files, env!("CARGO_PKG_VERSION"), &all))
        };
        out.write_all(answer.as_bytes()).map_err(|e| out.failed(&e))?;
        out.finish()?;
    }
    if failed.is_empty() {
        return Ok(args.answer.status(tally.worst));
    }
    Ok(session.status(&failed))
}

fn tally(problems: &Diagnostics, kernels: &[Linted]) -> Tally {
    let mut tally = Tally::default();
    for d in problems.iter().chain(kernels.iter().flat_map(|k| &k.findings).map(|f| &f.diagnostic)) {
        tally.errors += usize::from(d.severity == Severity::Error);
        tally.warnings += usize::from(d.severity == Severity::Warning);
        tally.worst = tally.worst.max(Some(d.severity));
    }
    tally.instructions = kernels.iter().map(|k| k.instructions).sum();
    tally.kernels = kernels.len();
    tally
}

fn json_of(files: &SourceMap, path: &Path, kernel: &Linted) -> Value {
    let findings = kernel.findings.iter().map(|f| {
        let mut value = render::json(files, &f.diagnostic);
        value["offset"] = f.offset.into();
        value["operand"] = f.operand.clone().into();
        if let Some(other) = f.other {
            value["conflicts_with"] = other.into();
        }
        value
    });
    object!({
        "file": input_name(Some(path)),
        "kernel": kernel.name,
        "instructions": kernel.instructions,
        "findings": findings.collect::<Vec<Value>>(),
    })
}
