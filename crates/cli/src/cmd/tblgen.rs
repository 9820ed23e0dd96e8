//! `isaglot tblgen`: TableGen. Takes llvm-tblgen's options, and some of its own; under the name `llvm-tblgen` it is that
//! tool.

use std::io::Write;
use std::process::ExitCode;
use std::sync::Arc;

use isaglot_tablegen::tool::{self, Invocation};

use crate::io::{self, Output};
use crate::session::{EXIT_INPUT, Session};

/// Exit status for wrong options.
const EXIT_USAGE: u8 = 2;

/// Read TableGen and print records, JSON or where a value comes from.
///
/// Takes the options of llvm-tblgen, with one dash or two.
#[derive(clap::Args)]
#[command(disable_help_flag = true)]
pub(crate) struct Args {
    /// Options and the input file; `--help` lists them.
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, num_args = 0.., value_name = "ARGS")]
    args: Vec<String>,
}

/// Runs the verb.
pub(crate) fn run(args: &Args, _session: &mut Session) -> ExitCode {
    start(&args.args, "isaglot tblgen", false)
}

/// Runs as llvm-tblgen.
pub(crate) fn drop_in() -> ExitCode {
    let mut args = std::env::args_os().map(|a| a.to_string_lossy().into_owned());
    let program = args.next().unwrap_or_default();
    let args: Vec<String> = args.collect();
    start(&args, &program, true)
}

fn start(args: &[String], program: &str, drop_in: bool) -> ExitCode {
    if args.iter().any(|a| matches!(a.as_str(), "--help" | "-help" | "-h")) {
        let _ = std::io::stdout().write_all(tool::HELP.as_bytes());
        return ExitCode::SUCCESS;
    }
    let mut run = match tool::arguments(args) {
        Ok(run) => run,
        Err(why) => {
            eprintln!("{program}: {why}.  Try: '{program} --help'");
            return ExitCode::from(if drop_in { EXIT_INPUT } else { EXIT_USAGE });
        }
    };
    run.plain = drop_in;
    match process(&run, program) {
        Ok(code) => code,
        Err(why) => {
            eprintln!("{program}: {why}");
            ExitCode::from(EXIT_INPUT)
        }
    }
}

fn load(path: &str) -> Option<Arc<[u8]>> {
    io::read_text(Some(path.as_ref())).ok().map(Arc::from)
}

fn process(run: &Invocation, program: &str) -> Result<ExitCode, String> {
    if run.depfile.is_some() && run.output == "-" {
        return Err("the option -d must be used together with -o".to_owned());
    }
    let input = std::path::Path::new(&run.input);
    let bytes = io::read_text(Some(input))
        .map_err(|d| format!("Could not open input file '{}': {}", run.input, reason(&run.input, d.message)))?;
    let mut timer = tool::Phases::new(run.time_phases);
    let mut records = tool::read(run, bytes.into(), &mut load);
    timer.end("Parse, build records");
    let mut stderr = std::io::stderr().lock();
    let _ = stderr.write_all(&tool::messages(run, &records, 0));
    let said = records.messages().list.len();
    let is_wrong = records.is_newest() && !records.ok();
    if records.parsed() && is_wrong {
        // LLVM 22 prints nothing then.
        let _ = stderr.write_all(tool::summary(run, &records, program).as_bytes());
    } else if records.parsed() {
        let printed = if run.output == "-" { to_stdout(run, &mut records) } else { to_file(run, &mut records) };
        timer.end("Backend overall");
        let _ = stderr.write_all(&tool::messages(run, &records, said));
        let _ = stderr.write_all(tool::summary(run, &records, program).as_bytes());
        printed?;
    }
    let _ = stderr.write_all(timer.report().as_bytes());
    let failed = !records.ok();
    // The process ends soon: freeing millions of values one by one would only take time.
    std::mem::forget(records);
    Ok(if failed { ExitCode::from(EXIT_INPUT) } else { ExitCode::SUCCESS })
}

fn to_stdout(run: &Invocation, records: &mut isaglot_tablegen::Records) -> Result<(), String> {
    let mut out = Output::create(None, false).map_err(|d| d.message)?;
    let printed = isaglot_llvm::tool::print(run, records, &mut out).map_err(|e| out.failed(&e));
    match printed.and_then(|()| out.finish()) {
        // The reader of the output has left.
        Err(d) if d.code == io::CLOSED => Ok(()),
        done => done.map_err(|d| d.message),
    }
}

/// The reason of the operating system, in a message of ours about a file.
fn reason(_path: &str, message: String) -> String {
    let text = message.rsplit(": ").next().unwrap_or(&message).to_owned();
    text.split(" (os error").next().unwrap_or(&text).to_owned()
}

fn to_file(run: &Invocation, records: &mut isaglot_tablegen::Records) -> Result<(), String> {
    let path = std::path::Path::new(&run.output);
    let opening =
        |d: isaglot_source::Diagnostic| format!("error opening {}: {}", run.output, reason(&run.output, d.message));
    if run.write_if_changed {
        let mut text = Vec::new();
        isaglot_llvm::tool::print(run, records, &mut text).map_err(|e| e.to_string())?;
        write_depfile(run, records)?;
        if std::fs::read(path).is_ok_and(|old| old == text) {
            return Ok(());
        }
        let mut out = Output::create(Some(path), false).map_err(opening)?;
        out.write_all(&text).map_err(|e| e.to_string())?;
        return finish(out, records, path);
    }
    let mut out = Output::create(Some(path), false).map_err(opening)?;
    isaglot_llvm::tool::print(run, records, &mut out).map_err(|e| e.to_string())?;
    write_depfile(run, records)?;
    finish(out, records, path)
}

/// Gives the file its name, or leaves none if there were errors.
fn finish(out: Output, records: &isaglot_tablegen::Records, path: &std::path::Path) -> Result<(), String> {
    if records.messages().errors > 0 {
        drop(out);
        if path.is_file() {
            let _ = std::fs::remove_file(path);
        }
        return Ok(());
    }
    out.finish().map_err(|d| d.message)
}

fn write_depfile(run: &Invocation, records: &isaglot_tablegen::Records) -> Result<(), String> {
    let Some(depfile) = &run.depfile else { return Ok(()) };
    let mut text = format!("{}:", run.output);
    for path in records.included() {
        text.push(' ');
        text.push_str(path);
    }
    text.push('\n');
    let mut out = Output::create(Some(std::path::Path::new(depfile)), false).map_err(|d| d.message)?;
    out.write_all(text.as_bytes()).map_err(|e| e.to_string())?;
    out.finish().map_err(|d| d.message)
}
