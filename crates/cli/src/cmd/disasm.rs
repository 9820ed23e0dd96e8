//! `isaglot disasm`: bytes to text.
//!
//! One input is read in blocks and its text written as it comes (`job.rs`), so that memory does not grow with the input. Several
//! are worked on at the same time (`jobs.rs`), each after a line with its name.

mod job;

use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use isaglot_asm::assemble::is_symbol;
use isaglot_asm::labels::is_automatic;
use isaglot_asm::{Entry, Options};
use isaglot_invariant::impossible;
use isaglot_source::{Diagnostic, Diagnostics};
use isaglot_xe::{Platform, TextOptions};

use super::xe;
use crate::args::{OutputArgs, SpecArgs, TextArgs, XeArgs, parse_address};
use crate::call_names::{CallArgs, Interfaces};
use crate::folder::{self, Want};
use crate::hooks::NoMatch;
use crate::io::{Target, input_name};
use crate::jobs::{self, JobsArgs, Said, Then};
use crate::load::{Chosen, Source, read_names};
use crate::progress::Progress;
use crate::session::{EXIT_INPUT, Session};
use crate::subject::{CHOICES, DESCRIPTIONS, GEN, HEX, Only, Subject, SubjectKind, WORDS};
use job::Work;

/// Disassemble a raw binary, an ELF file, or kernels of Intel Xe.
#[derive(clap::Args, Debug)]
#[command(after_help = "\
Examples:
  isaglot disasm --isa rv64gc --labels program.elf
  isaglot disasm --spec my.xml --format annotated program.bin
  echo 33 85 c5 00 | isaglot disasm --isa rv64gc --words")]
#[command(mut_group("description", |group| group.required(false)))]
pub(crate) struct Args {
    #[command(flatten)]
    spec: SpecArgs,
    /// Binaries; standard input if there is none or for `-`. Of an ELF file its executable sections, with its symbols and
    /// labels. For Intel Xe raw kernels, hex bytes, assembly text (`*.asm`), JSON listings, or zebins, which need no
    /// description. A folder stands for the programs in it and below it. Of several, each comes after a line with its name.
    inputs: Vec<PathBuf>,
    #[command(flatten)]
    output: OutputArgs,
    #[command(flatten)]
    jobs: JobsArgs,
    /// Read an ELF file as bytes too.
    #[arg(long)]
    binary: bool,
    /// Print labels and refer to them, as text that `isaglot asm` makes the same bytes of. The text of Intel Xe has them always.
    #[arg(long)]
    labels: bool,
    /// Where the code lies, for `--format annotated`; an ELF file says it.
    #[arg(long, value_name = "ADDRESS", value_parser = parse_address)]
    base: Option<u64>,
    /// Names of places, one `NAME:OFFSET` a line as for `--entry`; blank lines and what follows a `#` do not count.
    #[arg(long, value_name = "FILE")]
    entries_from: Option<PathBuf>,
    /// Name a place, by instruction number (by byte offset where instructions differ in length); implies `--labels`.
    #[arg(long = "entry", id = "entry", value_name = "NAME:OFFSET", value_parser = parse_entry)]
    entries: Vec<Entry>,
    /// Do not show what is wrong with a word.
    #[arg(long)]
    no_errors: bool,
    /// Stop before an instruction that more than N bad ones in a row precede.
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true)]
    max_errors: u64,
    /// How a word that is not a valid instruction looks.
    #[arg(long, value_enum, default_value_t = NoMatch::Hex, value_name = "FORM")]
    raw: NoMatch,
    #[command(flatten)]
    text: TextArgs,
    /// `annotated` adds offset, bytes and colour.
    #[arg(long, value_enum, default_value_t = Format::Text, value_name = "FORM")]
    format: Format,
    /// Write every field as `<FIELD=hex>` before what it prints, and `<post>` at the end of the line.
    #[arg(long)]
    trace_fields: bool,
    /// Read one instruction a line as hex bytes in memory order, and print one line each: its text, or an empty
    /// line. Errors are not shown.
    #[arg(long, conflicts_with_all = ["labels", "entry", "format"])]
    words: bool,
    /// Aliases instead of the instructions that they stand for, where the description has any.
    #[arg(long)]
    aliases: bool,
    /// Read the listing of objdump, llvm-objdump or lldb, and put texts where it has `<unknown>` or a data directive for
    /// what the description knows; all else passes unchanged.
    #[arg(long, conflicts_with_all = ["words", "labels", "entry", "format", "trace_fields"])]
    filter: bool,
    #[command(flatten)]
    calls: CallArgs,
    #[command(flatten)]
    xe: XeArgs,
    /// The offset of each instruction.
    #[arg(long, help_heading = xe::HEADING)]
    pc: bool,
    /// The encoding of each instruction.
    #[arg(long, help_heading = xe::HEADING)]
    bits: bool,
    /// Leave out comments.
    #[arg(long, help_heading = xe::HEADING)]
    no_comments: bool,
}

/// What can be disassembled here. SPIR-V has `isaglot spirv dis`.
pub(crate) const TAKES: &[SubjectKind] = WORDS;

/// The options that are for some of them.
pub(crate) const ONLY: &[Only] = &[
    CHOICES,
    GEN,
    xe::ONLY,
    HEX,
    (
        DESCRIPTIONS,
        &["base", "entry", "entries_from", "no_errors", "max_errors", "raw", "names", "compat", "trace_fields"],
    ),
    (DESCRIPTIONS, &["words", "aliases", "filter", "xintf"]),
    (&[SubjectKind::Xe], &["pc", "bits", "no_comments"]),
];

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Format {
    Text,
    Annotated,
}

fn parse_entry(text: &str) -> Result<Entry, String> {
    let (name, offset) = text.rsplit_once(':').ok_or("expected NAME:OFFSET")?;
    let offset = parse_address(offset).map_err(|e| format!("OFFSET: {e}"))?;
    if !is_symbol(name.as_bytes()) {
        return Err("NAME: expected letters, digits, `_`, `.`, `$` or `@`, and no digit first".to_owned());
    }
    if is_automatic(name.as_bytes()) {
        return Err("NAME: places without a name are called so; choose another one".to_owned());
    }
    Ok(Entry { offset, name: name.as_bytes().to_vec() })
}

/// The named places that a file lists.
fn read_entries(path: &Path) -> Result<Vec<Entry>, Diagnostic> {
    let bytes = crate::io::read_text(Some(path))?;
    let mut entries = Vec::new();
    for (line, number) in String::from_utf8_lossy(&bytes).lines().zip(1..) {
        let text = line.split('#').next().unwrap_or("").trim();
        if text.is_empty() {
            continue;
        }
        let entry = parse_entry(text);
        entries.push(entry.map_err(|e| Diagnostic::error("cli-entry", format!("{}:{number}:1: {e}", path.display())))?);
    }
    Ok(entries)
}

/// Runs the verb.
pub(crate) fn run(args: &Args, session: &mut Session) -> ExitCode {
    let spec = args.spec.spec();
    let mut problems = Diagnostics::new();
    let inputs = if args.inputs.is_empty() { vec![PathBuf::from("-")] } else { args.inputs.clone() };
    let want = Want { is_described: !matches!(spec.source, Source::Input), modules: false };
    let inputs = match folder::expand(&inputs, want, &mut problems) {
        Ok(inputs) => inputs,
        Err(d) => return session.fail(d),
    };
    session.report(&problems);
    if let Some(option) = of_one_input(args).filter(|_| inputs.len() > 1) {
        let d = Diagnostic::error("cli-disasm", format!("`{option}` takes one input, not {}", inputs.len()));
        return session.wrong_usage(d);
    }
    let spec = match xe::described(spec, inputs.first().map(PathBuf::as_path)) {
        Ok(spec) => spec,
        Err(d) => return session.fail(d),
    };
    if matches!(spec.source, Source::Input) {
        let d = Diagnostic::error("cli-description", "no description");
        return session.wrong_usage(d.note("expected `--spec FILE` or `--isa NAME`; `--isa help` lists the names"));
    }
    // The process ends here: freeing a model part by part takes a fifth of the time of loading it.
    let mut problems = Diagnostics::new();
    let done = match &*std::mem::ManuallyDrop::new(Subject::of(&spec, session)) {
        Err(code) => return *code,
        Ok(Subject::Description(chosen)) => by_description(args, &inputs, chosen, session, &mut problems),
        Ok(Subject::Xe(platform)) => xe_kernels(args, &inputs, *platform, session, &mut problems),
        Ok(Subject::Spirv) => return impossible(ExitCode::from(EXIT_INPUT)),
    };
    let done = problems.ok(done);
    let status = session.status(&problems);
    if done == Some(false) { ExitCode::from(EXIT_INPUT) } else { status }
}

/// The option that is about places, lines or text of one input, if one is given.
fn of_one_input(args: &Args) -> Option<&'static str> {
    let all = [
        ("--words", args.words),
        ("--filter", args.filter),
        ("--entry", !args.entries.is_empty()),
        ("--entries-from", args.entries_from.is_some()),
    ];
    all.iter().find(|(_, is_given)| *is_given).map(|(option, _)| *option)
}

/// Disassembles programs by a description. False: something else is wrong, and told.
fn by_description(
    args: &Args,
    inputs: &[PathBuf],
    chosen: &Chosen,
    session: &mut Session,
    problems: &mut Diagnostics,
) -> Result<bool, Diagnostic> {
    let names = read_names(args.text.names.as_deref(), session)?;
    let plan = chosen.plan().with_aliases(args.aliases || chosen.aliases);
    let mut entries = args.entries.clone();
    if let Some(path) = &args.entries_from {
        entries.extend(read_entries(path)?);
    }
    let options = Options {
        show_errors: !args.no_errors,
        labels: args.labels || !entries.is_empty(),
        entries,
        names: false,
        max_errors: args.max_errors,
        compat: args.text.compat.into(),
    };
    let interfaces = match args.calls.xintf.is_empty() {
        true => None,
        false => match Interfaces::new(&args.calls, &plan, session) {
            None => return Ok(false),
            some => some,
        },
    };
    let has_color = session.color.on(&io::stdout()) && args.output.path().is_none();
    let work = Work { args, chosen, plan: &plan, options, names, interfaces, has_color, several: inputs.len() > 1 };
    let one = |(): &mut (), path: &Path, out: &mut dyn Target, said: &mut Said| {
        work.disassemble(path, out, &mut said.problems).map(|()| true)
    };
    all(args, inputs, || (), one, session, problems).map(|()| true)
}

/// Disassembles kernels of Intel Xe.
fn xe_kernels(
    args: &Args,
    inputs: &[PathBuf],
    platform: Platform,
    session: &mut Session,
    problems: &mut Diagnostics,
) -> Result<bool, Diagnostic> {
    let options = TextOptions {
        pc: args.pc || args.format == Format::Annotated,
        bits: args.bits || args.format == Format::Annotated,
        no_comments: args.no_comments,
        ..xe::text_options(args.xe)
    };
    let description = xe::description()?;
    let one = |machine: &mut Result<_, Diagnostic>, path: &Path, out: &mut dyn Target, said: &mut Said| {
        let machine = machine.as_mut().map_err(|d| d.clone())?;
        let input = xe::Input { platform, path: Some(path), hex: args.xe.hex, binary: args.binary };
        let named = inputs.len() > 1;
        let progress = |input: String| Progress::new(input, "kernel").unless(named || args.output.is_on_terminal());
        xe::disassemble(machine, (input, named), options, out, (said, &progress))
    };
    all(args, inputs, || xe::machine(&description, platform), one, session, problems).map(|()| true)
}

/// Does `one` for every input; it says whether there is a text. An output is made whole if there is one of any.
fn all<W>(
    args: &Args,
    inputs: &[PathBuf],
    worker: impl Fn() -> W + Sync,
    one: impl Fn(&mut W, &Path, &mut dyn Target, &mut Said) -> Result<bool, Diagnostic> + Sync,
    session: &mut Session,
    problems: &mut Diagnostics,
) -> Result<(), Diagnostic> {
    let mut out = args.output.create()?;
    if let [input] = inputs {
        // Straight to the output, however long it is.
        let mut said = Said::default();
        let done = one(&mut worker(), input, &mut out, &mut said);
        said.hand_over(problems, &mut session.files);
        return if done? { out.finish() } else { Ok(()) };
    }
    let each = |worker: &mut W, input: &Path, out: &mut dyn Target| {
        let mut said = Said::default();
        let done = one(worker, input, out, &mut said);
        let is_made = said.problems.ok(done).unwrap_or(false);
        said.name(&input_name(Some(input)));
        (said, is_made)
    };
    let mut is_any = false;
    let take = |(said, is_made): (Said, bool)| {
        is_any |= is_made;
        said.hand_over(problems, &mut session.files);
        Then::Continue
    };
    let work = (inputs, Progress::new("disassembling", "file").unless(args.output.is_on_terminal()));
    jobs::run(args.jobs, work, &mut out, worker, each, take).map_err(|e| out.failed(&e))?;
    if is_any { out.finish() } else { Ok(()) }
}
