//! `isaglot check`: what is wrong with a description, and what is proved about it.

use std::fmt::Write as _;
use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use isaglot_model::Isa;
use isaglot_source::{Diagnostic, Diagnostics, Severity, render};
use isaglot_verify::diagnostics::{diagnostics, gens};
use isaglot_verify::report::{Coverage, Verdict};
use isaglot_verify::{Options, Report, check, json};
use serde_json::{Value, json as object};

use crate::io::Output;
use crate::load::{SpecArgs, generation, read_isa};
use crate::progress::Progress;
use crate::session::{EXIT_INPUT, Session};

/// Find what is wrong with a description, with witness words, and prove the rest.
#[derive(clap::Args, Debug)]
pub(crate) struct Args {
    /// The description: an isaspec XML file, or the TableGen file of an LLVM target.
    #[arg(value_name = "SPEC", required_unless_present = "isa", conflicts_with = "isa")]
    spec: Option<PathBuf>,
    /// A description that comes with isaglot.
    #[arg(long, value_name = "NAME")]
    isa: Option<String>,
    /// Look at one gen only: a number, or a name that the description gives. All gens otherwise.
    #[arg(long = "gen", value_name = "N")]
    generation: Option<String>,
    #[command(flatten)]
    target: crate::target::TargetArgs,
    /// Show the table of proofs: per encoding, whether its words are its own, survive a round trip, and have texts of
    /// their own, and by which method.
    #[arg(long)]
    proofs: bool,
    /// Show notes one by one, and counts of sub-encodings.
    #[arg(long)]
    notes: bool,
    /// Exit with 1 also for warnings.
    #[arg(long, value_name = "WHAT")]
    deny: Option<Deny>,
    /// Answer in JSON: messages, overlaps, counts, proofs.
    #[arg(long, conflicts_with = "sarif")]
    json: bool,
    /// Answer in SARIF 2.1.0: the messages.
    #[arg(long)]
    sarif: bool,
    /// Where the answer goes; standard output if it is missing or `-`.
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Deny {
    /// Warnings count as errors.
    Warnings,
}

/// Runs the verb.
pub(crate) fn run(args: &Args, session: &mut Session) -> ExitCode {
    let spec = SpecArgs {
        spec: args.spec.clone(),
        isa: args.isa.clone(),
        generation: None,
        features: Vec::new(),
        target: args.target.clone(),
    };
    let mut problems = Diagnostics::new();
    let isa = read_isa(&spec, &mut session.files, &mut problems);
    let mut all: Vec<Diagnostic> = problems.iter().cloned().collect();
    let mut report = None;
    if let Some(isa) = &isa {
        let only = match args.generation.as_deref().map(|text| generation(isa, text)).transpose() {
            Ok(only) => only,
            Err(d) => return session.fail(d),
        };
        let mut progress = Progress::new("checking");
        // A target of LLVM has thousands of instructions and hundreds of features: only what patterns say is asked.
        let patterns_only = !args.proofs && args.spec.as_deref().is_some_and(crate::target::is_tablegen);
        let options = Options { generation: only, patterns_only };
        let found = check(isa, options, &mut |done, total| progress.at(done, total));
        progress.finish();
        all.extend(diagnostics(isa, &found));
        report = Some(found);
    }
    let answer = match (args.json, args.sarif) {
        (true, _) => format!("{:#}\n", to_json(session, &all, isa.as_ref().zip(report.as_ref()))),
        (_, true) => format!("{:#}\n", render::sarif(&session.files, env!("CARGO_PKG_VERSION"), &all)),
        _ => to_text(args, session, &all, isa.as_ref().zip(report.as_ref())),
    };
    let written = Output::create(args.output.as_deref(), false).and_then(|mut out| {
        out.write_all(answer.as_bytes()).map_err(|e| out.failed(&e))?;
        out.finish()
    });
    if let Err(d) = written {
        return session.fail(d);
    }
    let worst = if args.deny == Some(Deny::Warnings) { Severity::Warning } else { Severity::Error };
    if isa.is_none() || all.iter().any(|d| d.severity >= worst) {
        return ExitCode::from(EXIT_INPUT);
    }
    ExitCode::SUCCESS
}

fn to_json(session: &Session, all: &[Diagnostic], found: Option<(&Isa, &Report)>) -> Value {
    let messages: Vec<Value> = all.iter().map(|d| render::json(&session.files, d)).collect();
    object!({ "diagnostics": messages, "report": found.map(|(isa, report)| json::report(isa, report)) })
}

fn to_text(args: &Args, session: &Session, all: &[Diagnostic], found: Option<(&Isa, &Report)>) -> String {
    let color = args.output.is_none() && session.color.on(&io::stdout());
    let mut out = String::new();
    for d in all.iter().filter(|d| args.notes || d.severity > Severity::Note) {
        out.push_str(&render::text(&session.files, d, color));
    }
    if let Some((isa, report)) = found {
        let shown = |c: &&Coverage| c.encodings > 0 && (args.notes || c.space == isa.root());
        for c in report.coverage.iter().filter(shown) {
            coverage(isa, c, &mut out);
        }
        if args.proofs {
            proofs(isa, report, &mut out);
        }
    }
    out.push_str(&summary(all, args.notes));
    out
}

/// Shares are shown with so many decimals.
const SHARE_DECIMALS: usize = 2;

fn coverage(isa: &Isa, c: &Coverage, out: &mut String) {
    let name = isa.text(isa[c.space].name);
    let with: String = c.features.iter().map(|&f| format!(" +{}", isa[f].name)).collect();
    let total = c.universe.count();
    let plural = if c.encodings == 1 { "" } else { "s" };
    let _ = writeln!(out, "{name}, {}{with}: {} encoding{plural}, {total} words", gens(c.gens), c.encodings);
    for (what, count) in [("claimed", &c.claimed), ("conflicting", &c.conflicting), ("free", &c.free)] {
        let _ = match count {
            Some(count) => {
                let share = 100.0 * count.to_f64() / total.to_f64();
                writeln!(out, "  {what:11} {count} ({share:.SHARE_DECIMALS$} %)")
            }
            None => writeln!(out, "  {what:11} undecided"),
        };
    }
    for hole in c.holes.iter().flatten() {
        let _ = writeln!(out, "  {:11} {hole:#} (2^{})", "hole", hole.free_bits());
    }
}

/// The table of proofs, with the methods.
fn proofs(isa: &Isa, report: &Report, out: &mut String) {
    let cell = |v: &Verdict| match v {
        Verdict::Proved(m) | Verdict::Refuted(m) => format!("{} ({})", v.name(), m.name()),
        _ => v.name().to_owned(),
    };
    let width = report.rows.iter().map(|r| isa.text(isa[r.encoding].name).chars().count()).max().unwrap_or(0).max(8);
    let _ = writeln!(out, "{:width$}  {:22}  {:16}  {:16}  text", "encoding", "gens", "unique", "round trip");
    for r in &report.rows {
        let e = &isa[r.encoding];
        let _ = writeln!(
            out,
            "{:width$}  {:22}  {:16}  {:16}  {}",
            isa.text(e.name),
            gens(e.gens),
            cell(&r.unique),
            cell(&r.round_trip),
            cell(&r.text)
        );
    }
}

fn summary(all: &[Diagnostic], notes_shown: bool) -> String {
    let count = |severity: Severity| all.iter().filter(|d| d.severity == severity).count();
    let plural = |n: usize, what: &str| format!("{n} {what}{}", if n == 1 { "" } else { "s" });
    let notes = count(Severity::Note);
    let hint = if notes > 0 && !notes_shown { " (shown with --notes)" } else { "" };
    format!(
        "{}, {}, {}{hint}\n",
        plural(count(Severity::Error), "error"),
        plural(count(Severity::Warning), "warning"),
        plural(notes, "note")
    )
}
