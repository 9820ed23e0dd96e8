//! Started as `spirv-as` or `spirv-dis`: the options, outputs and exit statuses of those tools.
//!
//! The arguments are read by hand: there are few of them, their messages are fixed, and a process for one tiny file
//! must cost next to nothing.

use std::ffi::OsString;
use std::io::{IsTerminal, Read, Write};
use std::path::Path;
use std::process::ExitCode;

use isaglot_spirv::{asm, dis};

use super::files;
use crate::io::Output;

/// The exit status for wrong usage, as the tools have it.
const USAGE: u8 = 1;

/// What ends a run early: a status, and a line for standard error.
type Stop = (u8, String);

/// Finishes a run.
fn done(result: Result<(), Stop>) -> ExitCode {
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err((status, message)) => {
            let _ = std::io::stderr().write_all(message.as_bytes());
            ExitCode::from(status)
        }
    }
}

fn usage(message: String) -> Stop {
    (USAGE, message + "\n")
}

/// Reads the input; standard input if there is none or for `-`.
fn input(name: Option<&OsString>) -> Result<Vec<u8>, Stop> {
    let mut bytes = Vec::new();
    match name.filter(|n| *n != "-") {
        None => std::io::stdin().lock().read_to_end(&mut bytes).map(drop),
        Some(n) => std::fs::read(n).map(|b| bytes = b),
    }
    .map(|()| bytes)
    .map_err(|_| {
        let name = name.map_or("".into(), |n| n.to_string_lossy());
        usage(format!("error: file does not exist '{name}'"))
    })
}

/// Writes `bytes` to a file, or to standard output for `-` and without a name.
fn output(name: Option<&OsString>, bytes: &[u8]) -> Result<(), Stop> {
    let failed = |e: &dyn std::fmt::Display| usage(format!("error: could not write the output: {e}"));
    match name.filter(|n| *n != "-") {
        None => {
            let mut out = std::io::stdout().lock();
            out.write_all(bytes).and_then(|()| out.flush()).map_err(|e| failed(&e))
        }
        Some(n) => {
            let mut out = Output::create(Some(Path::new(n)), false).map_err(|d| failed(&d.message))?;
            out.write_all(bytes).map_err(|e| failed(&e))?;
            out.finish().map_err(|d| failed(&d.message))
        }
    }
}

const AS_HELP: &str = "\
spirv-as (Isaglot): make a SPIR-V module from SPIR-V assembly text

usage: spirv-as [OPTION]... [FILE]

FILE is the text; without it, or with -, standard input is read.

  -h, --help               print this
  --version                print the version
  -o FILE                  where the module goes, - for standard output (default: out.spv)
  --preserve-numeric-ids   numeric ids keep their numbers, other ids fill the gaps from 1 up
  --target-env ENV         the environment: decides version and available instructions
";

/// Runs as `spirv-as`.
pub(in crate::cmd) fn assembler() -> ExitCode {
    done(run_assembler())
}

/// The arguments that both tools have.
#[derive(Default)]
struct Names {
    source: Option<OsString>,
    target: Option<OsString>,
}

/// Reads the arguments; `flag` takes the options of the tool, which may take further arguments, and says whether there is
/// such an option. `None` if a text was asked for and printed.
fn arguments(
    help: &str,
    second: &str,
    mut flag: impl FnMut(&str, &mut dyn Iterator<Item = OsString>) -> Result<bool, Stop>,
) -> Result<Option<Names>, Stop> {
    let mut names = Names::default();
    let mut args = std::env::args_os().skip(1);
    while let Some(arg) = args.next() {
        let text = arg.to_string_lossy();
        match &*text {
            "-h" | "--help" => return output(None, help.as_bytes()).map(|()| None),
            "--version" => return output(None, version().as_bytes()).map(|()| None),
            "-o" => names.target = Some(args.next().ok_or_else(|| usage("Invalid usage for flag -o".to_owned()))?),
            text if text.len() > 1 && text.starts_with('-') => {
                if !flag(text, &mut args)? {
                    return Err(usage(format!("Unknown flag {text}")));
                }
            }
            _ if names.source.is_some() => return Err(usage(second.to_owned())),
            _ => names.source = Some(arg),
        }
    }
    Ok(Some(names))
}

fn run_assembler() -> Result<(), Stop> {
    let mut options = asm::Options::default();
    let names = arguments(AS_HELP, "error: one input file at most must be specified.", |flag, args| {
        match flag {
            "--preserve-numeric-ids" => options.preserve_numeric_ids = true,
            "--target-env" => {
                let env = args.next().ok_or_else(|| usage("Invalid usage for flag --target-env".to_owned()))?;
                options.version = Some(environment(&env.to_string_lossy())?);
            }
            _ => match flag.strip_prefix("--target-env=") {
                Some(env) => options.version = Some(environment(env)?),
                None => return Ok(false),
            },
        }
        Ok(true)
    })?;
    let Some(Names { source, target }) = names else { return Ok(()) };
    let text = input(source.as_ref())?;
    let done = asm::assemble_words(&text, &options);
    if let Some(f) = done.failures.first() {
        return Err((f.status.exit_code(), f.line() + "\n"));
    }
    let target = target.unwrap_or_else(|| "out.spv".into());
    output(Some(&target), &asm::to_bytes(&done.words))
}

fn environment(name: &str) -> Result<u8, Stop> {
    files::parse_environment(name).map_err(|_| usage(format!("error: Unrecognized target env: {name}")))
}

fn version() -> String {
    format!(
        "Isaglot {} (SPIR-V grammar {})\n",
        env!("CARGO_PKG_VERSION"),
        isaglot_spirv::grammar::Grammar::builtin().revision()
    )
}

const DIS_HELP: &str = "\
spirv-dis (Isaglot): print a SPIR-V module as assembly text

usage: spirv-dis [OPTION]... [FILE]

FILE is the module, binary or as hexadecimal text; without it, or with -, standard input is read.

  -h, --help                 print this
  --version                  print the version
  -o FILE                    where the text goes (default: standard output)
  --color, --no-color        colour, or none; the default is colour on a terminal
  --no-indent                do not align results
  --no-header                leave out the header comment
  --raw-id                   ids as numbers, not as names
  --nested-indent            indent blocks by their nesting
  --reorder-blocks           blocks in the order of control flow
  --offsets                  byte offset of each instruction as a comment
  --comment                  comments on sections, functions and decorated results
  --handle-unknown-opcodes   print what is not known as OpUnknown
";

/// Runs as `spirv-dis`.
pub(in crate::cmd) fn disassembler() -> ExitCode {
    done(run_disassembler())
}

fn run_disassembler() -> Result<(), Stop> {
    let (mut color, mut no_color) = (false, false);
    let mut options = dis::Options::default();
    let names = arguments(DIS_HELP, "error: more than one input file specified.", |flag, _| {
        match flag {
            "--color" => color = true,
            "--no-color" => no_color = true,
            "--no-indent" => options.indent = false,
            "--no-header" => options.header = false,
            "--raw-id" => options.raw_id = true,
            "--nested-indent" => options.nested_indent = true,
            "--reorder-blocks" => options.reorder_blocks = true,
            "--offsets" => options.offsets = true,
            "--comment" => options.comment = true,
            "--handle-unknown-opcodes" => options.unknown_opcodes = true,
            _ => return Ok(false),
        }
        Ok(true)
    })?;
    let Some(Names { source, target }) = names else { return Ok(()) };
    let target = target.filter(|t| t != "-");
    options.color = target.is_none() && !no_color && (color || std::io::stdout().is_terminal());
    let bytes = input(source.as_ref())?;
    let words = dis::read(&bytes).map_err(|e| {
        let name = source.as_ref().map_or("-".into(), |n| n.to_string_lossy());
        usage(e.message(&name, &bytes))
    })?;
    drop(bytes);
    let failed = |e: &dyn std::fmt::Display| usage(format!("error: could not write the output: {e}"));
    let mut problem = None;
    let failures = match &target {
        // A file holds the whole text or is not there; a stream gets what there is up to an error.
        Some(path) => {
            let mut out = Output::create(Some(Path::new(path)), false).map_err(|d| failed(&d.message))?;
            let failures = dis::disassemble_to(&words, &options, &mut |text| {
                problem = out.write_all(text).err();
                problem.is_none()
            });
            if failures.is_empty() && problem.is_none() {
                out.finish().map_err(|d| failed(&d.message))?;
            }
            failures
        }
        None => {
            let mut out = std::io::stdout().lock();
            let failures = dis::disassemble_to(&words, &options, &mut |text| {
                problem = out.write_all(text).err();
                problem.is_none()
            });
            problem = problem.or(out.flush().err());
            failures
        }
    };
    if let Some(e) = problem {
        return Err(failed(&e));
    }
    match failures.first() {
        Some(f) => Err((f.status.exit_code(), f.line() + "\n")),
        None => Ok(()),
    }
}
