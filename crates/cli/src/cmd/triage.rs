//! `isaglot triage`: a description beside many programs: the words that it does not know, by pattern, and what no program uses.

use std::path::PathBuf;
use std::process::ExitCode;

use isaglot_codec::Plan;
use isaglot_invariant::impossible;
use isaglot_source::{Diagnostic, Diagnostics};
use isaglot_triage::{Clusters, Report, Tally, json, limits, page, text};

use crate::args::{OutputArgs, SpecArgs};
use crate::folder::{self, Want};
use crate::hooks::Misses;
use crate::jobs::JobsArgs;
use crate::load::{Chosen, load};
use crate::schema;
use crate::session::{EXIT_INPUT, Session};
use crate::subject::{CHOICES, GEN, HEX, Only, Subject, SubjectKind, WORDS};

mod pass;
mod programs;

use programs::Programs;

/// Find what a description lacks: the words of many programs that it does not know, by pattern, with a proposal for each; words
/// with faults; and the encodings, overrides and enum values that no program uses.
#[derive(clap::Args, Debug)]
#[command(after_help = "\
Examples:
  isaglot triage --isa rv64gc program.elf
  isaglot triage --spec my.xml program.bin --html triage.html
  isaglot triage --isa xehpc kernel.bin --json -o triage.json")]
pub(crate) struct Args {
    #[command(flatten)]
    spec: SpecArgs,
    /// Programs, or folders of them: raw binaries, and ELF files, of which the executable sections are read. Standard input if
    /// there is none or for `-`.
    inputs: Vec<PathBuf>,
    #[command(flatten)]
    output: OutputArgs,
    /// Read ELF files as bytes too.
    #[arg(long)]
    binary: bool,
    /// The inputs are hexadecimal text, bytes in memory order; without it that is recognised.
    #[arg(long, conflicts_with = "binary")]
    hex: bool,
    /// Everything as JSON.
    #[arg(long)]
    json: bool,
    /// Everything as an HTML page too, in this file.
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// Show at most N patterns, faults, and names in a list. JSON and the page have all.
    #[arg(long, value_name = "N", default_value_t = 20)]
    most: usize,
    /// Leave the proposed encodings out of the text.
    #[arg(long)]
    no_stubs: bool,
    #[command(flatten)]
    jobs: JobsArgs,
}

/// What has words that can be compared with a description.
pub(crate) const TAKES: &[SubjectKind] = WORDS;

/// The options that are for some of them.
pub(crate) const ONLY: &[Only] = &[CHOICES, GEN, HEX];

/// Runs the verb. That words are not known is an answer, not an error.
pub(crate) fn run(args: &Args, session: &mut Session) -> ExitCode {
    let mut spec = args.spec.spec();
    spec.choice.has_places = true;
    let mut problems = Diagnostics::new();
    let done = match Subject::of(&spec, session) {
        Err(code) => return code,
        Ok(Subject::Description(chosen)) => triage(args, &chosen, session, &mut problems),
        // The description has the binary form; what only the assembly of Intel Xe refuses is not seen.
        Ok(Subject::Xe(_)) => match load(&spec, session) {
            Some(chosen) => triage(args, &chosen, session, &mut problems),
            None => return ExitCode::from(EXIT_INPUT),
        },
        Ok(Subject::Spirv) => return impossible(ExitCode::from(EXIT_INPUT)),
    };
    if let Err(d) = done {
        problems.push(d);
    }
    session.status(&problems)
}

fn triage(args: &Args, chosen: &Chosen, session: &mut Session, problems: &mut Diagnostics) -> Result<(), Diagnostic> {
    let inputs = if args.inputs.is_empty() { vec![PathBuf::from("-")] } else { args.inputs.clone() };
    let inputs = folder::expand(&inputs, Want { is_described: true, modules: false }, problems)?;
    let plan = chosen.plan().with_aliases(chosen.aliases);
    let mut programs = Programs::new(inputs, (args.binary, args.hex), chosen.kind);
    let jobs = args.jobs.threads();
    let mut clusters = Clusters::default();
    let mut tally = pass::run(&plan, &mut programs, None, jobs, problems);
    advise(&plan, &tally, problems);
    for _ in 1..limits::MAX_PASSES {
        if !tally.is_open() {
            break;
        }
        clusters.grow(&plan, &tally);
        tally = pass::run(&plan, &mut programs, Some(&clusters), jobs, problems);
    }
    let report = Report::new(&plan, &session.files, &tally, &clusters, programs.names());
    if let Some(path) = &args.html {
        crate::io::write(Some(path), false, page::page(&report).as_bytes())?;
    }
    let options = text::Options { most: args.most, stubs: !args.no_stubs };
    args.output.write(&match args.json {
        true => format!("{:#}\n", schema::marked(schema::TRIAGE, json::json(&report))),
        false => text::text(&report, options),
    })
}

/// Says what would make instructions of the words that are none.
fn advise(plan: &Plan<'_>, tally: &Tally, problems: &mut Diagnostics) {
    let mut misses = Misses::default();
    tally.unknown_words(plan.isa()).iter().for_each(|word| misses.add(word));
    misses.bytes = tally.unknown_bytes(plan.isa());
    misses.advice(plan, plan.isa().name(), tally.bytes).into_iter().for_each(|d| problems.push(d));
}
