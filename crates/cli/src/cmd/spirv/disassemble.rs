//! `isaglot spirv dis`: modules to text or JSON, one or many files in one process.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use isaglot_source::{Diagnostic, Diagnostics};
use isaglot_spirv::dis::{self, Options};
use isaglot_spirv::exact;
use isaglot_spirv::grammar::Grammar;
use isaglot_spirv::list::{self, NoListing, Show};

use super::files;
use crate::io::{Output, Target, input_name, read};
use crate::jobs::JobsArgs;
use crate::session::Session;

#[derive(clap::Args, Debug)]
#[command(after_help = "\
Examples:
  isaglot spirv dis shader.spv
  isaglot spirv dis --comment --nested-indent shader.spv -o shader.txt")]
pub(crate) struct Args {
    /// The modules, binary or as hexadecimal text; standard input if there is none or for `-`.
    inputs: Vec<PathBuf>,
    /// Where the text goes, standard output if missing or `-`; a folder if there are several inputs.
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    #[command(flatten)]
    jobs: JobsArgs,
    /// Ids as numbers, not as names.
    #[arg(long)]
    raw_id: bool,
    /// Do not align results.
    #[arg(long)]
    no_indent: bool,
    /// Leave out the header comment.
    #[arg(long)]
    no_header: bool,
    /// Byte offset of each instruction as a comment.
    #[arg(long)]
    offsets: bool,
    /// Comments on sections, functions, decorated results, and what constants mean as scopes and memory semantics.
    #[arg(long)]
    comment: bool,
    /// Indent blocks by their nesting.
    #[arg(long)]
    nested_indent: bool,
    /// Blocks in the order of control flow.
    #[arg(long)]
    reorder_blocks: bool,
    /// Print what a newer grammar may know as `OpUnknown`.
    #[arg(long)]
    handle_unknown_opcodes: bool,
    /// Print every bad instruction as words that re-assemble, and go on.
    #[arg(long)]
    keep_going: bool,
    /// Print numbers that no literal expresses, such as those of more than 64 bits, as `!` words.
    #[arg(long)]
    wide_numbers: bool,
    /// In a big-endian module read the names of imports in its byte order too.
    #[arg(long)]
    swap_imports: bool,
    /// Text from which `as --exact` makes the same file again, whatever is in it.
    #[arg(long, conflicts_with_all = ["json", "reorder_blocks"])]
    exact: bool,
    /// The listing of `isaglot list --json`, with byte offsets.
    #[arg(long)]
    json: bool,
    /// Use the grammar in this folder of Khronos files.
    #[arg(long, value_name = "DIR")]
    grammar: Option<PathBuf>,
}

/// Runs the tool.
pub(super) fn run(args: &Args, session: &mut Session) -> ExitCode {
    let tables = match files::chosen_grammar(args.grammar.as_deref(), session) {
        Ok(tables) => tables,
        Err(code) => return code,
    };
    let options = Options {
        grammar: tables.as_ref().map_or(Grammar::builtin(), |t| t.grammar()),
        raw_id: args.raw_id,
        indent: !args.no_indent,
        header: !args.no_header,
        offsets: args.offsets,
        comment: args.comment,
        meanings: args.comment,
        nested_indent: args.nested_indent,
        reorder_blocks: args.reorder_blocks,
        color: args.output.is_none() && session.color.on(&std::io::stdout()),
        unknown_opcodes: args.handle_unknown_opcodes,
        keep_going: args.keep_going,
        wide_numbers: args.wide_numbers,
        swap_imports: args.swap_imports,
    };
    if args.output.is_some()
        && let Err(d) = files::places(&args.inputs, args.output.as_deref(), if args.json { "json" } else { "spvasm" })
    {
        return session.wrong_usage(d);
    }
    files::each(args.jobs, &args.inputs, session, |inputs, input, out, said| {
        one(args, (inputs, input), &options, out, &mut said.problems)
    })
}

fn one(
    args: &Args,
    (inputs, input): (&[PathBuf], &Path),
    options: &Options<'_>,
    common: &mut dyn Target,
    problems: &mut Diagnostics,
) -> Result<(), Diagnostic> {
    let name = input_name(Some(input));
    let bytes = read(Some(input))?;
    let words = dis::read(&bytes).map_err(|e| {
        let message = e.message(&name, &bytes);
        Diagnostic::error("spirv-input", message.strip_prefix("error: ").unwrap_or(&message))
    })?;
    drop(bytes);
    let target = files::target(inputs, input, args.output.as_deref(), if args.json { "json" } else { "spvasm" });
    let mut own = target.as_deref().map(|target| Output::create(Some(target), false)).transpose()?;
    let out = own.as_mut().map_or(common, |own| own as &mut dyn Target);
    let mut failed = None;
    let mut write = |text: &[u8]| {
        failed = out.write_all(text).err();
        failed.is_none()
    };
    let failures = if args.exact {
        exact::disassemble_to(&words, options, &mut write)
    } else if args.json {
        match list::json_to(&words, options, Show { pc: true, ..Show::default() }, &mut write) {
            Ok(failures) => failures,
            Err(NoListing::Header(failure)) => vec![failure],
            Err(NoListing::TooLarge) => {
                return Err(Diagnostic::error("spirv-listing", "too many definitions and uses"));
            }
        }
    } else {
        dis::disassemble_to(&words, options, &mut write)
    };
    if let Some(e) = failed {
        return Err(out.failed(&e));
    }
    failures.iter().for_each(|f| problems.push(f.diagnostic(&name)));
    // A text that ends at an error goes to a stream but not into a file.
    match own {
        Some(own) if failures.is_empty() || args.keep_going || args.exact => own.finish(),
        _ => Ok(()),
    }
}
