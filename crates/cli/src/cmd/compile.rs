//! `isaglot compile`: a description in the form that loads at once.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use isaglot_model::Isa;
use isaglot_model::compiled::{Header, to_bytes};
use isaglot_source::{Diagnostic, Diagnostics, SourceMap};

use crate::args::{FileArgs, ReadArgs, RolesArgs, source};
use crate::interrupt::Stage;
use crate::load::{Program, Roles, Spec, check_options, read_isa};
use crate::session::{EXIT_INPUT, Session};
use isaglot::spec::compiled::sources;
use isaglot::spec::form::{is_compiled, is_tablegen};
use isaglot::spec::target;

/// Compile a description into a file that loads at once: `--spec X.isa` serves wherever `--spec X.td` does.
#[derive(clap::Args, Debug)]
#[command(after_help = "\
Examples:
  isaglot compile my.xml -o my.isa
  isaglot compile wren.td --operands wren.operands -o wren.isa
  isaglot compile --isa riscv -o riscv.isa")]
pub(crate) struct Args {
    /// The description: an isaspec XML file, the TableGen file of an LLVM target, or a folder of RISC-V's Unified Database or of
    /// riscv-opcodes.
    #[arg(required_unless_present = "isa", conflicts_with = "isa")]
    spec: Option<PathBuf>,
    /// A description by name, such as `riscv`; `--isa help` lists the names.
    #[arg(long, value_name = "NAME")]
    isa: Option<String>,
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
    let source = source(args.spec.as_deref(), args.isa.as_deref());
    let mut spec = Spec::of(source);
    ReadArgs { files: args.files.clone(), stale: false }.put(&mut spec.choice);
    spec.choice.roles = Roles::from(&args.roles);
    if let Err(d) = check_options(&spec) {
        return session.wrong_usage(d);
    }
    let path = spec.path();
    if path.as_deref().is_some_and(is_compiled) {
        let message = format!("{} is compiled already", spec.source.name());
        return session.wrong_usage(Diagnostic::error("cli-compile", message));
    }
    if spec.source.chooses() {
        let message = format!("a description is compiled whole, and `{}` chooses within one", spec.source.name());
        let d = Diagnostic::error("cli-compile", message).note("choose when it is used: `--spec X.isa --gen N`");
        return session.wrong_usage(d);
    }
    if output.is_some_and(|path| !is_compiled(path)) {
        return session
            .wrong_usage(Diagnostic::error("cli-compile", "the name of a compiled description ends in `.isa`"));
    }
    let mut problems = Diagnostics::new();
    let done = compile(&spec, output, session, &mut problems);
    if problems.has_errors() {
        session.report(&problems);
    }
    match done {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(EXIT_INPUT),
        Err(d) => session.fail(d),
    }
}

/// A description that is read whole: with it what a compiled one says besides.
pub(super) struct Whole {
    pub(super) isa: Isa,
    /// Of a target of LLVM: what its triples mean.
    pub(super) triples: Option<Vec<(String, Vec<String>)>>,
    pub(super) doubts: Vec<(String, Vec<String>)>,
}

/// Reads a description whole, whatever is chosen of it. `None` if there were errors.
pub(super) fn whole(spec: &Spec, files: &mut SourceMap, problems: &mut Diagnostics) -> Option<Whole> {
    let path = spec.path();
    if let Some(path) = path.as_deref().filter(|path| is_tablegen(path)) {
        let read = target::read(path, &spec.choice, &Program, files, problems)?;
        let doubts = target::approximate(&read.lowered).into_iter().collect();
        return Some(Whole { isa: read.lowered.isa, triples: Some(read.table.triples), doubts });
    }
    if let Some(path) = path.as_deref().filter(|path| is_compiled(path)) {
        let (header, isa) = isaglot::spec::compiled::read(path, spec.choice.stale, &Program, problems)?;
        return Some(Whole { isa, triples: header.triples, doubts: header.doubts });
    }
    let isa = read_isa(spec, files, problems)?;
    Some(Whole { isa, triples: None, doubts: Vec::new() })
}

/// The bytes of a compiled description that is given away without its sources.
pub(super) fn alone(whole: &Whole) -> Vec<u8> {
    let (triples, doubts) = (whole.triples.clone(), whole.doubts.clone());
    to_bytes(&Header { made_by: MADE_BY.to_owned(), sources: Vec::new(), triples, doubts }, &whole.isa)
}

/// What a compiled description says of its maker.
const MADE_BY: &str = concat!("isaglot ", env!("CARGO_PKG_VERSION"));

fn compile(
    spec: &Spec,
    output: Option<&Path>,
    session: &mut Session,
    problems: &mut Diagnostics,
) -> Result<bool, Diagnostic> {
    let Some(Whole { isa, triples, doubts }) = whole(spec, &mut session.files, problems) else { return Ok(false) };
    if problems.has_errors() {
        return Ok(false);
    }
    let folder =
        output.and_then(Path::parent).filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let header = Header { made_by: MADE_BY.to_owned(), sources: sources(&session.files, folder), triples, doubts };
    let _stage = Stage::new("writing it", "");
    crate::io::write(output, true, &to_bytes(&header, &isa)).map(|()| true)
}
