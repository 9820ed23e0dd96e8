//! `isaglot spirv as`: text to modules, one or many files in one process.

use std::borrow::Cow;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use isaglot_source::Diagnostic;
use isaglot_spirv::asm::{self, Assembly, Options};
use isaglot_spirv::exact;
use isaglot_spirv::grammar::Grammar;

use super::files;
use crate::io::{Output, input_name, read_text};
use crate::jobs::{JobsArgs, Said};
use crate::session::Session;

#[derive(clap::Args, Debug)]
#[command(after_help = "\
Examples:
  isaglot spirv as shader.spvasm -o shader.spv
  isaglot spirv as --target-env vulkan1.2 --keep-going shader.spvasm -o shader.spv")]
pub(crate) struct Args {
    /// The texts; standard input if there is none or for `-`.
    inputs: Vec<PathBuf>,
    /// Where the module goes, `-` for standard output; a folder if there are several inputs. `out.spv` if it is missing
    /// and there is one input.
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    #[command(flatten)]
    jobs: JobsArgs,
    /// Numeric ids keep their numbers; other ids fill the gaps from 1 up.
    #[arg(long)]
    preserve_numeric_ids: bool,
    /// Environment that decides the version and which instructions there are.
    #[arg(long, value_name = "ENV", value_parser = files::parse_environment)]
    target_env: Option<u8>,
    /// Report all errors of a text, not only the first.
    #[arg(long)]
    keep_going: bool,
    /// Take header, byte order and ids from what `dis --exact` wrote.
    #[arg(long)]
    exact: bool,
    /// Read also what the syntax page has and spirv-as refuses: numbers of more than 64 bits, or of a type that the text
    /// does not define, as their words, the low one first; `P` in hexadecimal floats.
    #[arg(long)]
    documented: bool,
    /// Write the names of ids as JSON, and where in the text each instruction stands.
    #[arg(long, value_name = "FILE")]
    map: Option<PathBuf>,
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
        version: args.target_env,
        preserve_numeric_ids: args.preserve_numeric_ids,
        keep_going: args.keep_going,
        map: args.map.is_some(),
        documented: args.documented,
    };
    let map = args.map.as_deref().map_or(Ok(()), |map| files::places(&args.inputs, Some(map), "json"));
    if let Err(d) = files::places(&args.inputs, args.output.as_deref(), "spv").and(map) {
        return session.wrong_usage(d);
    }
    files::each(args.jobs, &args.inputs, session, |inputs, input, _, said| one(args, inputs, input, &options, said))
}

fn one(
    args: &Args,
    inputs: &[PathBuf],
    input: &Path,
    options: &Options<'_>,
    Said { problems, files: known }: &mut Said,
) -> Result<(), Diagnostic> {
    let text = read_text(Some(input))?;
    let (exact, done) = if args.exact {
        let (bytes, done) = exact::assemble(&text, options);
        (Some(bytes), done)
    } else if args.map.is_some() {
        (None, asm::assemble(&text, options))
    } else {
        (None, asm::assemble_words(&text, options))
    };
    if !done.failures.is_empty() || !done.warnings.is_empty() {
        let file = known.add(input_name(Some(input)), text.clone());
        done.warnings.iter().for_each(|w| problems.push(w.diagnostic(file)));
        done.failures.iter().for_each(|f| problems.push(f.diagnostic(file)));
    }
    if !done.failures.is_empty() {
        return Ok(());
    }
    let output = args.output.as_deref().unwrap_or(Path::new("out.spv"));
    let target = files::target(inputs, input, Some(output), "spv");
    let mut out = Output::create(target.as_deref(), true)?;
    let bytes = exact.map_or_else(|| asm::to_bytes(&done.words), Cow::Owned);
    out.write_all(&bytes).map_err(|e| out.failed(&e))?;
    out.finish()?;
    if let Some(path) = &args.map {
        let target = files::target(inputs, input, Some(path), "json");
        let mut out = Output::create(target.as_deref(), false)?;
        map(&done, &text, &mut out).map_err(|e| out.failed(&e))?;
        out.finish()?;
    }
    Ok(())
}

/// Writes names and places as JSON.
fn map(done: &Assembly, text: &[u8], out: &mut impl Write) -> std::io::Result<()> {
    write!(out, "{{\"$schema\":\"{}\",\"ids\":{{", crate::schema::SPIRV_MAP)?;
    for (n, (name, id)) in done.names.sorted(text).enumerate() {
        let comma = if n > 0 { "," } else { "" };
        // A name has nothing that JSON escapes.
        write!(out, "{comma}\"{name}\":{id}")?;
    }
    out.write_all(b"},\"instructions\":[")?;
    for (n, (text, word)) in done.map.iter().enumerate() {
        let comma = if n > 0 { "," } else { "" };
        write!(out, "{comma}{{\"text\":{text},\"word\":{word}}}")?;
    }
    out.write_all(b"]}\n")
}
