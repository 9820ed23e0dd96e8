//! `isaglot list`: the listing of a program by any description: blocks, operands, definitions, uses and live registers, as
//! text, as JSON of the one published schema, or as a graph.

use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use isaglot_codec::Plan;
use isaglot_listing::build::{Options, build};
use isaglot_listing::{Listing, dot, stats, text, write};
use isaglot_source::{Diagnostic, Diagnostics};
use object::{Object, ObjectSection, SectionKind};

use crate::io::{Output, input_name, read};
use crate::load::{SpecArgs, load};
use crate::session::{EXIT_INPUT, Session};

/// List a program with its blocks, operands, definitions and uses.
#[derive(clap::Args, Debug)]
pub(crate) struct Args {
    #[command(flatten)]
    spec: SpecArgs,
    /// Raw binaries or ELF files, whose executable sections are listed; standard input if there is none or for `-`.
    inputs: Vec<PathBuf>,
    /// Where the listing goes; standard output if it is missing or `-`.
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// The listing as JSON.
    #[arg(long)]
    json: bool,
    /// The listings as JSON, one line for each program, with the names of its file and section.
    #[arg(long, conflicts_with = "json")]
    ndjson: bool,
    /// The control-flow graph, for Graphviz.
    #[arg(long, conflicts_with_all = ["json", "ndjson"])]
    dot: bool,
    /// How often mnemonics and forms of operands occur.
    #[arg(long, conflicts_with_all = ["json", "ndjson", "dot"])]
    stats: bool,
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
    #[arg(long, group = "description")]
    print_schema: bool,
}

/// A program and where it comes from.
struct Program {
    file: String,
    section: Option<String>,
    bytes: Vec<u8>,
}

/// Runs the verb.
pub(crate) fn run(args: &Args, session: &mut Session) -> ExitCode {
    let mut problems = Diagnostics::new();
    let done = if args.print_schema {
        schema(args)
    } else {
        let Some(chosen) = load(&args.spec, session) else { return ExitCode::from(EXIT_INPUT) };
        let plan = Plan::with_features(&chosen.isa, chosen.generation, &chosen.features).with_aliases(chosen.aliases);
        list(args, &plan, session, &mut problems)
    };
    if let Err(d) = done {
        problems.push(d);
    }
    session.report(&problems);
    if problems.has_errors() { ExitCode::from(EXIT_INPUT) } else { ExitCode::SUCCESS }
}

fn schema(args: &Args) -> Result<(), Diagnostic> {
    let mut out = Output::create(args.output.as_deref(), false)?;
    out.write_all(isaglot_listing::schema::json_schema().as_bytes()).map_err(|e| out.failed(&e))?;
    out.finish()
}

fn list(args: &Args, plan: &Plan<'_>, session: &Session, problems: &mut Diagnostics) -> Result<(), Diagnostic> {
    let standard = [PathBuf::from("-")];
    let inputs = if args.inputs.is_empty() { &standard } else { args.inputs.as_slice() };
    let mut out = Output::create(args.output.as_deref(), false)?;
    let options = Options { defs: args.defs, pc: args.pc, bits: args.bits };
    let color = args.output.is_none() && session.color.on(&io::stdout());
    let colours = if color { text::TERMINAL } else { text::Colours::default() };
    for input in inputs {
        let programs = match read(Some(input)).and_then(|bytes| programs(input_name(Some(input)), bytes)) {
            Ok(programs) => programs,
            Err(d) => {
                problems.push(d);
                continue;
            }
        };
        let named = inputs.len() > 1 || programs.len() > 1;
        for program in &programs {
            let listing = build(plan, &program.bytes, options).map_err(|_| {
                let d = Diagnostic::error("list-dataflow", format!("{}: too many definitions and uses", program.file));
                d.note("leave out `--defs`")
            })?;
            let shown = show(args, program, &listing, named, colours);
            match out.write_all(&shown) {
                // Nobody reads on: not an error.
                Err(e) if e.kind() == io::ErrorKind::BrokenPipe => return Ok(()),
                Err(e) => return Err(out.failed(&e)),
                Ok(()) => {}
            }
        }
    }
    out.finish()
}

fn show(args: &Args, program: &Program, listing: &Listing<'_>, named: bool, colours: text::Colours) -> Vec<u8> {
    if args.json {
        return write::to_json(listing, write::Style::default());
    }
    if args.ndjson {
        let row = serde_json::json!({ "file": program.file, "section": program.section, "listing": listing });
        return format!("{row}\n").into_bytes();
    }
    let body = if args.dot {
        dot::dot(listing)
    } else if args.stats {
        stats::table(listing, program.bytes.len())
    } else {
        text::text(listing, colours)
    };
    let mut out = String::new();
    if named {
        let mark = if args.dot { "//" } else { "#" };
        let section = program.section.as_ref().map(|s| format!(", {s}")).unwrap_or_default();
        out.push_str(&format!("{mark} {}{section}\n", program.file));
    }
    (out + &body).into_bytes()
}

/// The programs in a file: the executable sections of an ELF, else all of it.
fn programs(file: String, bytes: Vec<u8>) -> Result<Vec<Program>, Diagnostic> {
    if !bytes.starts_with(b"\x7fELF") {
        return Ok(vec![Program { file, section: None, bytes }]);
    }
    let wrong = |e: object::Error| Diagnostic::error("list-elf", format!("{file}: {e}"));
    let elf = object::File::parse(bytes.as_slice()).map_err(wrong)?;
    let mut all = Vec::new();
    for section in elf.sections() {
        if section.kind() != SectionKind::Text {
            continue;
        }
        let name = section.name().map_err(wrong)?.to_owned();
        let data = section.data().map_err(wrong)?.to_vec();
        all.push(Program { file: file.clone(), section: Some(name), bytes: data });
    }
    if all.is_empty() {
        return Err(Diagnostic::error("list-elf", format!("{file}: no executable section")));
    }
    Ok(all)
}
