//! `isaglot list`: the listing of a program by any description: blocks, operands, definitions, uses and live registers, as
//! text, as JSON of the one published schema, or as a graph. A SPIR-V module needs no description.

use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use isaglot_codec::Plan;
use isaglot_listing::tree::{Elem, ListOperand};
use isaglot_listing::{Listing, dot, hot, stats, svg, text, write};
use isaglot_listing_build::{Options, Place, build_at};
use isaglot_source::{Diagnostic, Diagnostics, Severity, SourceMap};
use isaglot_spirv::dis;
use isaglot_spirv::list::{self as spirv, NoListing};
use isaglot_xe::{ListOptions, Platform};

use super::xe;
use crate::args::{OutputArgs, RolesArgs, SpecArgs, XeArgs, parse_address};
use crate::folder::{self, Want};
use crate::hooks::Misses;
use crate::io::{Target, input_name, read, rest};
use crate::jobs::{self, JobsArgs, Said, Then};
use crate::load::{Roles, Source};
use crate::program::{self, Part};
use crate::progress::Progress;
use crate::schema;
use crate::session::Session;
use crate::subject::{CHOICES, DESCRIPTIONS, GEN, HEX, Only, Subject, SubjectKind, WORDS};

/// List a program with its blocks, operands, definitions and uses.
#[derive(clap::Args, Debug)]
#[command(mut_group("description", |group| group.required(false)))]
#[command(after_help = "\
Examples:
  isaglot list --isa rv64gc --defs program.elf
  isaglot list --spec my.xml --defs --svg program.bin -o program.svg
  isaglot list --isa xehpc --json --defs kernel.bin
  isaglot list --defs shader.spv")]
pub(crate) struct Args {
    #[command(flatten)]
    spec: SpecArgs,
    #[command(flatten)]
    roles: RolesArgs,
    /// Raw binaries, ELF files, whose executable sections are listed, or SPIR-V modules, which need no description; for
    /// Intel Xe also hex bytes, assembly text (`*.asm`), JSON listings, and zebins, which need no description. Standard
    /// input if there is none or for `-`.
    inputs: Vec<PathBuf>,
    #[command(flatten)]
    output: OutputArgs,
    #[command(flatten)]
    jobs: JobsArgs,
    /// Read an ELF file as bytes too.
    #[arg(long)]
    binary: bool,
    /// Where the code lies, for `--pc`; an ELF file says it.
    #[arg(long, value_name = "ADDRESS", value_parser = parse_address)]
    base: Option<u64>,
    /// The listing as JSON.
    #[arg(long)]
    json: bool,
    /// The listings as JSON, one line for each program, with the names of its file and section.
    #[arg(long, conflicts_with = "json")]
    ndjson: bool,
    /// The control-flow graph, for Graphviz.
    #[arg(long, conflicts_with_all = ["json", "ndjson"])]
    dot: bool,
    /// The listing as an SVG picture, with arrows from block to block and, with `--defs`, from definitions to uses.
    #[arg(long, conflicts_with_all = ["json", "ndjson", "dot"])]
    svg: bool,
    /// How often mnemonics and forms of operands occur; with `--ndjson` a line of JSON for each program.
    #[arg(long, conflicts_with_all = ["json", "dot", "svg"])]
    stats: bool,
    /// Register pressure: where the most bytes of each register file are live, and how many each function and each loop
    /// needs at most. Also as JSON.
    #[arg(long, conflicts_with_all = ["dot", "svg", "stats"])]
    hot: bool,
    /// Definitions, uses and live registers.
    #[arg(long)]
    defs: bool,
    /// Byte offsets.
    #[arg(long)]
    pc: bool,
    /// The words.
    #[arg(long)]
    bits: bool,
    /// Print the JSON Schema of the listing and stop.
    #[arg(long)]
    print_schema: bool,
    #[command(flatten)]
    xe: XeArgs,
    /// Exactly as another tool, its faults included.
    #[arg(long, value_enum, value_name = "TOOL", help_heading = xe::HEADING)]
    compat: Option<CompatArg>,
}

/// The tools that a listing of Intel Xe can follow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum CompatArg {
    /// `iga64` 2.40.14
    Iga,
}

/// What can be listed: everything.
pub(crate) const TAKES: &[SubjectKind] =
    &[SubjectKind::Templates, SubjectKind::Llvm, SubjectKind::Riscv, SubjectKind::Xe, SubjectKind::Spirv];

/// The options that are for some of them.
pub(crate) const ONLY: &[Only] = &[
    CHOICES,
    GEN,
    xe::ONLY,
    HEX,
    (DESCRIPTIONS, &["roles", "base"]),
    (WORDS, &["binary"]),
    (&[SubjectKind::Xe], &["compat"]),
];

/// Runs the verb.
pub(crate) fn run(args: &Args, session: &mut Session) -> ExitCode {
    if args.print_schema {
        return session.done(args.output.write(isaglot_listing::schema::JSON_SCHEMA));
    }
    let mut spec = args.spec.spec();
    spec.choice.roles = Roles::from(&args.roles);
    let mut problems = Diagnostics::new();
    let is_described = !matches!(spec.source, Source::Input);
    let inputs = match folder::expand(&inputs(args), Want { is_described, modules: true }, &mut problems) {
        Ok(inputs) => inputs,
        Err(d) => return session.fail(d),
    };
    let spec = match xe::described(spec, inputs.first().map(PathBuf::as_path)) {
        Ok(spec) => spec,
        Err(d) => return session.fail(d),
    };
    let done = match Subject::of(&spec, session) {
        Err(code) => return code,
        Ok(Subject::Description(chosen)) => {
            let plan = chosen.plan().with_aliases(chosen.aliases);
            list(args, &inputs, &|| programs(args, &plan, chosen.kind), session, &mut problems)
        }
        Ok(Subject::Spirv) => {
            let named = !matches!(spec.source, Source::Input);
            list(args, &inputs, &|| modules(args, named), session, &mut problems)
        }
        Ok(Subject::Xe(_)) if args.compat.is_some() && (!args.json || args.hot) => {
            let d = Diagnostic::error("cli-list", "`--compat` is about listings as JSON");
            return session.wrong_usage(d.note("add `--json`"));
        }
        Ok(Subject::Xe(platform)) => xe_kernels(args, &inputs, platform, session, &mut problems),
    };
    if let Err(d) = done {
        problems.push(d);
    }
    session.status(&problems)
}

/// The files to list.
fn inputs(args: &Args) -> Vec<PathBuf> {
    if args.inputs.is_empty() { vec![PathBuf::from("-")] } else { args.inputs.clone() }
}

/// Lists kernels of Intel Xe.
fn xe_kernels(
    args: &Args,
    inputs: &[PathBuf],
    platform: Platform,
    session: &mut Session,
    problems: &mut Diagnostics,
) -> Result<(), Diagnostic> {
    let show = xe::text_options(args.xe);
    let options = ListOptions {
        defs: args.defs || args.hot,
        pc: args.pc || args.hot,
        bits: args.bits,
        ldst: show.ldst,
        hex_floats: show.hex_floats,
        compat: args.compat == Some(CompatArg::Iga),
        text: args.hot || !(args.json || args.ndjson),
    };
    let input = xe::Input { platform, path: None, hex: args.xe.hex, binary: args.binary };
    let description = xe::description()?;
    if args.hot || !args.json {
        let worker = || -> Box<Lister<'_, '_>> {
            let mut machine = xe::machine(&description, platform);
            Box::new(move |file, bytes, files, problems| {
                let machine = machine.as_mut().map_err(|d| d.clone())?;
                let input = xe::Input { path: Some(Path::new(file)), ..input };
                let all = xe::listings(machine, (input, bytes), &options, files, problems)?;
                let all = all.into_iter().map(|(kernel, listing)| {
                    let (section, about, bytes) = (kernel.section, kernel.about, kernel.bytes.len());
                    Listed { section, about, bytes, listing }
                });
                Ok(all.collect())
            })
        };
        return list(args, inputs, &worker, session, problems);
    }
    // Piece by piece; what comes after a kernel that is wrong is not listed.
    let mut is_whole = true;
    let mut out = args.output.create()?;
    let each = |machine: &mut Result<_, Diagnostic>, path: &Path, out: &mut dyn Target| {
        let Said { mut problems, mut files } = Said::default();
        let input = xe::Input { path: Some(path), ..input };
        let machine = machine.as_mut().map_err(|d| d.clone());
        let read = machine.and_then(|machine| xe::list(machine, input, &options, out, &mut files, &mut problems));
        problems.ok(read);
        of_input(Said { problems, files }, path, inputs)
    };
    let take = |said: Said| {
        is_whole = !said.problems.has_errors();
        said.hand_over(problems, &mut session.files);
        if is_whole { Then::Continue } else { Then::Stop }
    };
    let work = (inputs, Progress::new("listing", "file").unless(args.output.is_on_terminal()));
    let done = jobs::run(args.jobs, work, &mut out, || xe::machine(&description, platform), each, take);
    done.map_err(|e| out.failed(&e))?;
    if is_whole { out.finish() } else { Ok(()) }
}

/// What is said of an input, which is named if there are several.
fn of_input(mut said: Said, input: &Path, inputs: &[PathBuf]) -> Said {
    if inputs.len() > 1 {
        said.name(&input_name(Some(input)));
    }
    said
}

/// Makes the listings of a file out of its name and bytes.
type Lister<'a, 'l> =
    dyn FnMut(&str, Vec<u8>, &mut SourceMap, &mut Diagnostics) -> Result<Vec<Listed<'l>>, Diagnostic> + 'a;

/// A listing and where it comes from.
struct Listed<'l> {
    section: Option<String>,
    /// What the file says of a kernel of Intel Xe.
    about: Option<crate::program::zebin::About>,
    bytes: usize,
    listing: Listing<'l>,
}

/// Lists all files; `lister` makes what a worker lists them with.
fn list<'a, 'l: 'a>(
    args: &Args,
    inputs: &[PathBuf],
    lister: &(dyn Fn() -> Box<Lister<'a, 'l>> + Sync),
    session: &mut Session,
    problems: &mut Diagnostics,
) -> Result<(), Diagnostic> {
    let mut out = args.output.create()?;
    let color = args.output.path().is_none() && session.color.on(&io::stdout());
    let colours = if color { text::TERMINAL } else { text::Colours::default() };
    let each = |lister: &mut Box<Lister<'a, 'l>>, input: &Path, out: &mut dyn Target| {
        let Said { mut problems, mut files } = Said::default();
        let file = input_name(Some(input));
        let listed = read(Some(input)).and_then(|bytes| lister(&file, bytes, &mut files, &mut problems));
        let listed = problems.ok(listed).unwrap_or_default();
        let named = inputs.len() > 1 || listed.len() > 1 || listed.iter().any(|one| one.about.is_some());
        for one in &listed {
            if let Some(d) = doubt(&file, &one.listing).filter(|_| args.hot) {
                let is_error = d.severity == Severity::Error;
                problems.push(d);
                if is_error {
                    continue;
                }
            }
            if let Err(e) = out.write_all(&show(args, &file, one, named, colours)) {
                problems.push(out.failed(&e));
                break;
            }
        }
        of_input(Said { problems, files }, input, inputs)
    };
    let take = |said: Said| {
        said.hand_over(problems, &mut session.files);
        Then::Continue
    };
    let work = (inputs, Progress::new("listing", "file").unless(args.output.is_on_terminal()));
    let done = jobs::run(args.jobs, work, &mut out, lister, each, take);
    done.map_err(|e| out.failed(&e))?;
    out.finish()
}

/// Lists programs by a description.
fn programs<'a>(args: &'a Args, plan: &'a Plan<'_>, kind: SubjectKind) -> Box<Lister<'a, 'static>> {
    let options = Options { defs: args.defs || args.hot, pc: args.pc || args.hot, bits: args.bits };
    Box::new(move |file, bytes, _, problems| {
        let mut all = Vec::new();
        let (mut misses, mut total) = (Misses::default(), 0);
        for part in program::parts(file, bytes, kind, plan, (args.binary, args.xe.hex), problems)? {
            if args.base.is_some() && part.section.is_some() {
                return Err(Diagnostic::error("cli-elf", "`--base` does not apply to ELF files"));
            }
            let address = args.base.unwrap_or(part.address);
            let place = Place { address, entries: part.entries(plan) };
            let Part { section, bytes, .. } = part;
            let used = misses.find(plan, &bytes);
            total += used as u64;
            if used < bytes.len() {
                problems.push(rest(file, bytes.len() - used));
            }
            let listing = build_at(plan, &bytes, place, options).map_err(|_| too_large(file))?;
            all.push(Listed { section, about: None, bytes: bytes.len(), listing });
        }
        misses.advice(plan, plan.isa().name(), total).into_iter().for_each(|d| problems.push(d));
        Ok(all)
    })
}

/// Lists SPIR-V modules; unless they are `named` so, a file must begin with the magic number.
fn modules(args: &Args, named: bool) -> Box<Lister<'_, 'static>> {
    let show = spirv::Show { defs: args.defs || args.hot, pc: args.pc || args.hot, bits: args.bits };
    Box::new(move |file, bytes, _, problems| {
        if !named && !program::is_spirv(&bytes) {
            let d = Diagnostic::error("list-description", format!("{file}: this is not a SPIR-V module"));
            return Err(d.note("expected one, or a description: `--spec FILE` or `--isa NAME`"));
        }
        let words = dis::read(&bytes).map_err(|e| {
            let message = e.message(file, &bytes);
            Diagnostic::error("spirv-input", message.strip_prefix("error: ").unwrap_or(&message))
        })?;
        let made = spirv::list(&words, &dis::Options::default(), show);
        let (listing, failures) = made.map_err(|e| match e {
            NoListing::Header(failure) => failure.diagnostic(file),
            NoListing::TooLarge => too_large(file),
        })?;
        failures.iter().for_each(|f| problems.push(f.diagnostic(file)));
        Ok(vec![Listed { section: None, about: None, bytes: bytes.len(), listing }])
    })
}

fn too_large(file: &str) -> Diagnostic {
    let d = Diagnostic::error("list-dataflow", format!("{file}: too many definitions and uses"));
    d.note("leave out `--defs`")
}

/// What stands against speaking of the registers of a listing: no register files, or no instruction that names one.
fn doubt(file: &str, listing: &Listing<'_>) -> Option<Diagnostic> {
    let instructions = listing.elems.iter().filter_map(|elem| match elem {
        Elem::I(inst) => Some(inst),
        Elem::L(_) => None,
    });
    let first = instructions.clone().next()?;
    if first.live_totals.as_ref().is_none_or(|live| live.0.is_empty()) {
        let d = Diagnostic::error("list-hot", format!("{file}: nothing says what the operands are"));
        return Some(d.note("live registers need a description of them: `--roles FILE`"));
    }
    let is_register = |operand: &ListOperand<'_>| !matches!(operand, ListOperand::IM(_) | ListOperand::LB(_));
    let mut named = instructions.filter(|i| i.implicit.is_some() || i.dst.iter().chain(&i.srcs).any(is_register));
    if named.next().is_some() {
        return None;
    }
    let d = Diagnostic::warning("list-hot", format!("{file}: no instruction has an operand that is a register"));
    Some(d.note("either it has none, or nothing says what its operands are"))
}

fn show(args: &Args, file: &str, one: &Listed<'_>, named: bool, colours: text::Colours) -> Vec<u8> {
    let Listed { section, about, bytes, listing } = one;
    let pressure = args.hot.then(|| hot::hot(listing));
    if let Some(hot) = pressure.as_ref().filter(|_| args.json) {
        return format!("{:#}\n", schema::marked(schema::HOT, serde_json::json!(hot))).into_bytes();
    }
    if args.json {
        return write::to_json(listing, write::Style::default());
    }
    if args.ndjson {
        let mut row = serde_json::json!({ "$schema": schema::PROGRAM, "file": file, "section": section });
        if let Some(about) = about {
            row["kernel"] = about.json();
        }
        match &pressure {
            Some(hot) => row["hot"] = serde_json::json!(hot),
            None if args.stats => row["stats"] = serde_json::json!(stats::stats(listing, *bytes)),
            None => row["listing"] = serde_json::json!(listing),
        }
        return format!("{row}\n").into_bytes();
    }
    if args.svg {
        return svg::svg(listing).into_bytes();
    }
    let body = if let Some(hot) = &pressure {
        hot::text(hot, colours)
    } else if args.dot {
        dot::dot(listing)
    } else if args.stats {
        stats::table(&stats::stats(listing, *bytes))
    } else {
        text::text(listing, colours)
    };
    let mut out = String::new();
    if named {
        let mark = if args.dot { "//" } else { "#" };
        let section = section.as_ref().map(|s| format!(", {s}")).unwrap_or_default();
        out.push_str(&format!("{mark} {file}{section}\n"));
        for line in about.iter().flat_map(crate::program::zebin::About::lines) {
            out.push_str(&format!("{mark} {line}\n"));
        }
    }
    (out + &body).into_bytes()
}
