//! `isaglot compile`: a description in the form that loads at once.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use isaglot_model::compiled::{Header, to_bytes};
use isaglot_source::{Diagnostic, Diagnostics};

use crate::args::RolesArgs;
use crate::compiled::{is_compiled, sources};
use crate::load::{Roles, Source, Spec, read_isa};
use crate::session::{EXIT_INPUT, Session};
use crate::target::{self, FileArgs};

/// Compile a description into a file that loads at once: `--spec X.isa` serves wherever `--spec X.td` does.
#[derive(clap::Args, Debug)]
#[command(after_help = "\
Examples:
  isaglot compile my.xml -o my.isa
  isaglot compile wren.td --operands wren.operands -o wren.isa")]
pub(crate) struct Args {
    /// The description: an isaspec XML file, or the TableGen file of an LLVM target.
    spec: PathBuf,
    #[command(flatten)]
    files: FileArgs,
    #[command(flatten)]
    roles: RolesArgs,
    /// Where the compiled description goes, `X.isa`; standard output if it is missing or `-`.
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

/// Runs the verb.
pub(crate) fn run(args: &Args, session: &mut Session) -> ExitCode {
    let output = args.output.as_deref().filter(|path| path.as_os_str() != "-");
    if is_compiled(&args.spec) {
        let message = format!("{} is compiled already", args.spec.display());
        return session.wrong_usage(Diagnostic::error("cli-compile", message));
    }
    if output.is_some_and(|path| !is_compiled(path)) {
        return session
            .wrong_usage(Diagnostic::error("cli-compile", "the name of a compiled description ends in `.isa`"));
    }
    let mut problems = Diagnostics::new();
    let done = compile(args, output, session, &mut problems);
    if problems.has_errors() {
        session.report(&problems);
    }
    match done {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(EXIT_INPUT),
        Err(d) => session.fail(d),
    }
}

fn compile(
    args: &Args,
    output: Option<&Path>,
    session: &mut Session,
    problems: &mut Diagnostics,
) -> Result<bool, Diagnostic> {
    let (isa, triples) = if target::is_tablegen(&args.spec) {
        let Some(read) = target::read(&args.spec, &args.files, &mut session.files, problems) else { return Ok(false) };
        (read.lowered.isa, Some(read.table.triples))
    } else {
        let source = Source::File(args.spec.clone());
        let spec = Spec { roles: Roles::from(&args.roles), ..Spec::of(source) };
        let Some(isa) = read_isa(&spec, &mut session.files, problems) else { return Ok(false) };
        (isa, None)
    };
    let folder =
        output.and_then(Path::parent).filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let header = Header {
        made_by: concat!("isaglot ", env!("CARGO_PKG_VERSION")).to_owned(),
        sources: sources(&session.files, folder),
        triples,
    };
    crate::io::write(output, true, &to_bytes(&header, &isa)).map(|()| true)
}
