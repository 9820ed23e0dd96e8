//! Started as `iga64`: the common options of that tool.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use isaglot_source::{Diagnostic, Diagnostics};
use isaglot_xe::{Compaction, ListOptions, Platform, TextOptions};

use super::{description, list, machine, word_problems};
use crate::io::{Output, input_name, read_shared};
use crate::session::{Color, Messages, Session};

/// The exit status for wrong usage.
const USAGE: u8 = 1;

/// What the options say.
#[derive(Default)]
struct Options {
    assemble: Option<bool>,
    platform: Option<Platform>,
    output: Option<PathBuf>,
    input: Option<PathBuf>,
    json: bool,
    list: ListOptions,
    text: TextOptions,
    compaction: Compaction,
}

/// Runs as `iga64`.
pub(crate) fn run() -> ExitCode {
    let args: Vec<String> = std::env::args_os().skip(1).map(|a| a.to_string_lossy().into_owned()).collect();
    let mut session = Session::new(Color::Auto, Messages::Text);
    let options = match parse(&args) {
        Ok(options) => options,
        Err(message) => {
            let _ = writeln!(std::io::stderr(), "iga64: {message}");
            return ExitCode::from(USAGE);
        }
    };
    let mut problems = Diagnostics::new();
    match work(&options, &mut session, &mut problems) {
        Ok(()) => session.status(&problems),
        Err(d) => session.fail(d),
    }
}

fn parse(args: &[String]) -> Result<Options, String> {
    let mut o = Options::default();
    o.list.compat = true;
    let mut at = 0;
    while let Some(arg) = args.get(at) {
        at += 1;
        let mut value = |inline: Option<&str>| match inline {
            Some(v) => Ok(v.to_owned()),
            None => {
                at += 1;
                args.get(at - 1).cloned().ok_or_else(|| format!("option {arg} needs a value"))
            }
        };
        match arg.as_str() {
            "-d" | "--disassemble" => o.assemble = Some(false),
            "-a" | "--assemble" => o.assemble = Some(true),
            "-n" | "--numeric-labels" | "-Xsyntax-exts" => {}
            "-Xprint-json" => o.json = true,
            "-Xprint-defs" => o.list.defs = true,
            "-Xprint-ldst" | "-Xldst-syntax" => (o.list.ldst, o.text.ldst) = (true, true),
            "-Xprint-pc" | "-Xprint-pcs" => (o.list.pc, o.text.pc) = (true, true),
            "-Xprint-bits" => (o.list.bits, o.text.bits) = (true, true),
            "-Xprint-hex-floats" => (o.list.hex_floats, o.text.hex_floats) = (true, true),
            "-Xno-print-bfnexprs" => o.text.bfn_numbers = true,
            "-Xautocompact" => o.compaction = Compaction::Auto,
            "-Xforce-no-compact" => o.compaction = Compaction::Off,
            "-" => o.input = Some(PathBuf::from("-")),
            _ => {
                let known = ["-p", "--platform", "-o", "--output"];
                let option =
                    known.iter().find(|k| arg.strip_prefix(**k).is_some_and(|r| r.is_empty() || r.starts_with('=')));
                match option {
                    Some(&name @ ("-p" | "--platform")) => {
                        let text = value(arg[name.len()..].strip_prefix('='))?;
                        o.platform = Some(Platform::parse(&text).ok_or_else(|| format!("no platform {text}"))?);
                    }
                    Some(name) => o.output = Some(PathBuf::from(value(arg[name.len()..].strip_prefix('='))?)),
                    None if arg.starts_with('-') => return Err(format!("option {arg} is not known")),
                    None if o.input.is_some() => return Err("one input file only".to_owned()),
                    None => o.input = Some(PathBuf::from(arg)),
                }
            }
        }
    }
    infer(&mut o);
    Ok(o)
}

/// Mode and platform from the extension: `x.asm12p72` is assembled, `x.krn12p72` is disassembled.
fn infer(o: &mut Options) {
    let extension = o.input.as_deref().and_then(Path::extension).map(|e| e.to_string_lossy().into_owned());
    let Some(extension) = extension else { return };
    for (prefix, assemble) in [("asm", true), ("krn", false)] {
        if let Some(rest) = extension.strip_prefix(prefix) {
            o.assemble = o.assemble.or(Some(assemble));
            o.platform = o.platform.or_else(|| Platform::parse(rest));
        }
    }
}

fn work(o: &Options, session: &mut Session, problems: &mut Diagnostics) -> Result<(), Diagnostic> {
    let Some(platform) = o.platform else {
        return Err(Diagnostic::error("cli-isa", "no platform").note("expected -p=12p72, say"));
    };
    let description = description()?;
    let mut xe = machine(&description, platform)?;
    let bytes = read_shared(o.input.as_deref())?;
    if o.assemble == Some(true) {
        let file = session.files.add(input_name(o.input.as_deref()), Arc::clone(&bytes));
        let Some(binary) = xe.assemble(file, &bytes, o.compaction, problems) else { return Ok(()) };
        return crate::io::write(o.output.as_deref(), true, &binary);
    }
    let mut out = Output::create(o.output.as_deref(), false)?;
    let (read, findings) = if o.json {
        list::json(&mut xe, &bytes, &o.list, &mut out)?
    } else {
        list::text(&mut xe, &bytes, o.text, &mut out)?
    };
    problems.append(word_problems(&findings, bytes.len()));
    if read { out.finish() } else { Ok(()) }
}
