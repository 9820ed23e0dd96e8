//! `isaglot lint`: what is wrong with a program although every word of it can be encoded.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use isaglot_source::{Diagnostic, Diagnostics, Severity, counted, render};
use serde_json::{Value, json as object};

use super::xe::{self, Linted};
use crate::answer::AnswerArgs;
use crate::args::SpecArgs;
use crate::load::{Source, Spec};
use crate::names;
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
    /// Raw binaries, hex bytes, assembly text (`*.asm`), JSON listings, and zebins, which need no `--isa`. Standard input
    /// if there is none or for `-`.
    inputs: Vec<PathBuf>,
    #[command(flatten)]
    answer: AnswerArgs,
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
    let spec: Spec = match xe::described(spec, args.inputs.first().map(PathBuf::as_path)) {
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
    let inputs = if args.inputs.is_empty() { vec![PathBuf::from("-")] } else { args.inputs.clone() };
    let (mut kernels, mut problems) = (Vec::new(), Diagnostics::new());
    for path in &inputs {
        let input = xe::Input { platform, path: Some(path), hex: args.hex, binary: args.binary };
        match xe::lint(input, session, &mut problems) {
            Ok(linted) => kernels.extend(linted.into_iter().map(|kernel| (path.as_path(), kernel))),
            Err(d) => return session.fail(d),
        }
    }
    let all: Vec<Diagnostic> =
        problems.iter().chain(kernels.iter().flat_map(|(_, k)| &k.findings).map(|f| &f.diagnostic)).cloned().collect();
    let to_json = |session: &Session| json_of(session, &problems, &kernels);
    let to_text = |session: &Session, color| {
        let said: String = all.iter().map(|d| render::text(&session.files, d, color)).collect();
        let count = |severity: Severity| all.iter().filter(|d| d.severity == severity).count();
        let (errors, warnings) = (count(Severity::Error), count(Severity::Warning));
        let instructions: usize = kernels.iter().map(|(_, k)| k.instructions).sum();
        format!(
            "{said}{}, {} in {} of {}\n",
            counted(errors, "error"),
            counted(warnings, "warning"),
            counted(instructions, "instruction"),
            counted(kernels.len(), "kernel")
        )
    };
    args.answer.write(session, &all, to_json, to_text).unwrap_or_else(|d| session.fail(d))
}

fn json_of(session: &Session, problems: &Diagnostics, kernels: &[(&Path, Linted)]) -> Value {
    let problems: Vec<Value> = problems.iter().map(|d| render::json(&session.files, d)).collect();
    let one = |(path, kernel): &(&Path, Linted)| {
        let findings = kernel.findings.iter().map(|f| {
            let mut value = render::json(&session.files, &f.diagnostic);
            value["offset"] = f.offset.into();
            value["operand"] = f.operand.clone().into();
            if let Some(other) = f.other {
                value["conflicts_with"] = other.into();
            }
            value
        });
        object!({
            "file": crate::io::input_name(Some(path)),
            "kernel": kernel.name,
            "instructions": kernel.instructions,
            "findings": findings.collect::<Vec<Value>>(),
        })
    };
    object!({ "diagnostics": problems, "kernels": kernels.iter().map(one).collect::<Vec<Value>>() })
}
