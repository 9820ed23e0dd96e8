//! `isaglot docs`: pages about a description, as a folder that any browser reads without a server.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use isaglot_source::{Diagnostic, Diagnostics};

use crate::args::{ChoiceArgs, ProcessorArgs, RolesArgs, SubjectArgs};
use crate::interrupt::Stage;
use crate::io::unwritable;
use crate::load::{Roles, check_options, read_open};
use crate::progress::Progress;
use crate::session::{EXIT_INPUT, Session};

/// Write pages about a description, or about what a gen and features have of it: one per instruction, with bit diagrams.
#[derive(clap::Args, Debug)]
#[command(after_help = "\
Examples:
  isaglot docs my.xml -o pages
  isaglot docs --isa rv64gc -o pages")]
pub(crate) struct Args {
    #[command(flatten)]
    subject: SubjectArgs,
    #[command(flatten)]
    choice: ChoiceArgs,
    #[command(flatten)]
    processor: ProcessorArgs,
    #[command(flatten)]
    roles: RolesArgs,
    /// The folder for the pages; made if it is missing. Files of other names in it stay.
    #[arg(short, long, value_name = "DIR")]
    output: PathBuf,
}

/// Runs the verb.
pub(crate) fn run(args: &Args, session: &mut Session) -> ExitCode {
    let mut spec = args.subject.spec();
    args.choice.put(&mut spec.choice);
    args.processor.put(&mut spec.choice);
    spec.choice.roles = Roles::from(&args.roles);
    if let Err(d) = check_options(&spec) {
        return session.wrong_usage(d);
    }
    let mut problems = Diagnostics::new();
    let read = read_open(&spec, &mut session.files, &mut problems);
    if problems.has_errors() {
        session.report(&problems);
    }
    let Some((mut isa, generation, features)) = read else { return ExitCode::from(EXIT_INPUT) };
    if let Some(doubt) = generation.and_then(|_| isaglot::choice::doubt(&isa, generation)) {
        return session.done(Err(doubt));
    }
    if spec.source.chooses() {
        isa = isa.named(spec.source.name());
    }
    let isa = isa.restricted(generation, features.as_deref());
    let stage = Stage::new("making pages", "");
    let pages = isaglot_site::site(&isa, &session.files);
    drop(stage);
    session.done(write(&args.output, &pages))
}

fn write(dir: &Path, files: &[isaglot_site::File]) -> Result<(), Diagnostic> {
    let folders: BTreeSet<PathBuf> =
        files.iter().filter_map(|f| dir.join(&f.path).parent().map(Path::to_owned)).collect();
    for folder in &folders {
        std::fs::create_dir_all(folder).map_err(|e| unwritable(&folder.display().to_string(), &e))?;
    }
    let mut progress = Progress::new("writing pages", "page");
    for (file, done) in files.iter().zip(0..) {
        progress.at(done, files.len());
        crate::io::write(Some(&dir.join(&file.path)), false, &file.bytes)?;
    }
    Ok(())
}
