//! Started as `iga64`: the options of that tool, as version 1.1 and 2.40 have them.
//!
//! What an option of theirs shows is shown the same; an option that cannot be honoured is refused by name, never ignored.
//! Those that change nothing there either, such as `-q`, are taken.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use isaglot_source::{Diagnostic, Diagnostics};
use isaglot_xe::{Compaction, FlowText, ListOptions, Platform, TextOptions};

use super::{description, list, machine};
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
    flow: FlowText,
    compaction: Compaction,
    color: Option<Color>,
    help: Option<&'static str>,
    /// Checks that were asked for and are not made.
    unchecked: Vec<&'static str>,
}

/// What `-h` says.
const HELP: &str = "\
isaglot, started as iga64: assembles and disassembles kernels of Intel Xe.

usage: iga64 [options] [file]

  -a, --assemble           text, or a JSON listing, to a binary
  -d, --disassemble        a binary to text
  -p, --platform NAME      the machine: 12p1, 12p5, 12p71, 12p72, 2, 3, or the name of a product
  -o, --output FILE        where to write; standard output without it
      --output-on-fail     also if there are errors, as always here
  -n, --numeric-labels     distances in place of labels
      --color WHEN         always, never or auto: colours of messages
  -q, -v N                 taken; neither changes what is written
  -W                       lists the warnings
  -X                       lists the other options
  -h, --help               this text

Mode and machine are taken from the name of the file where no option says them: x.asm12p72, x.krn12p72.
The file `-` is standard input.
";

/// What `-X` says: the options, each with what it does here.
const EXTRA: &str = "\
  -Xprint-json             the listing as JSON
  -Xprint-defs             definitions, uses and live registers; in text what defines each source
  -Xprint-deps             in text, which registers each instruction reads and writes
  -Xprint-pc               offsets; also -Xprint-pcs
  -Xset-pc-base N          added to offsets in text
  -Xprint-bits             encodings
  -Xprint-ldst             loads and stores in their own syntax; also -Xldst-syntax. -Xno-print-ldst undoes it
  -Xprint-hex-floats       floating-point immediates as bits
  -Xno-print-bfnexprs      truth tables of bfn as numbers
  -Xautocompact            short forms wherever there are; -Xno-autocompact undoes it
  -Xforce-no-compact       no short forms
  -Xnative, -Xsyntax-exts, -Xlegacy-directives, -Xno-ir-checking
                           taken; they change nothing
  -Xauto-deps, -Xsbid-count, -Xwarn-on-compact-fail, -Xlist-ops, -Xdcmp, -Xdsd, -Xifs
                           refused
";

/// What `-W` says.
const WARNINGS: &str = "\
  -Wnone, -Wdefault        taken
  -Wall, -Wnormal-form, -Wregions, -Wtypes, -Wscheduling
                           taken, with a warning that these checks are not made here
";

/// Options of `-X` that would change the answer and are not known how to.
const REFUSED: [&str; 7] =
    ["-Xauto-deps", "-Xsbid-count", "-Xwarn-on-compact-fail", "-Xlist-ops", "-Xdcmp", "-Xdsd", "-Xifs"];

/// Checks that are not made.
const UNCHECKED: [&str; 5] = ["-Wall", "-Wnormal-form", "-Wregions", "-Wtypes", "-Wscheduling"];

/// Options with a value.
const VALUED: [&str; 8] = ["-p", "--platform", "-o", "--output", "-v", "--verbosity", "--color", "-Xset-pc-base"];

/// Runs as `iga64`.
pub(crate) fn run() -> ExitCode {
    let args: Vec<String> = std::env::args_os().skip(1).map(|a| a.to_string_lossy().into_owned()).collect();
    let options = match parse(&args) {
        Ok(options) => options,
        Err(message) => {
            let _ = writeln!(std::io::stderr(), "iga64: {message}");
            return ExitCode::from(USAGE);
        }
    };
    let mut session = Session::new(options.color.unwrap_or(Color::Auto), Messages::Text);
    if let Some(help) = options.help {
        return session.done(crate::io::write(None, false, help.as_bytes()));
    }
    let mut problems = Diagnostics::new();
    for name in &options.unchecked {
        problems.push(Diagnostic::warning("cli-iga64", format!("{name}: these checks are not made here")));
    }
    match work(&options, &mut session, &mut problems) {
        Ok(()) => session.status(&problems),
        Err(d) => session.fail(d),
    }
}

fn parse(args: &[String]) -> Result<Options, String> {
    let mut o = Options::default();
    o.list.compat = true;
    let mut args = args.iter();
    while let Some(arg) = args.next() {
        let (name, inline) = match arg.split_once('=') {
            Some((name, value)) if arg.starts_with('-') => (name, Some(value)),
            _ => (arg.as_str(), None),
        };
        if VALUED.contains(&name) {
            let value = match inline {
                Some(value) => value,
                None => args.next().ok_or_else(|| format!("option {arg} needs a value"))?,
            };
            valued(&mut o, name, value)?;
        } else if !plain(&mut o, arg) {
            if REFUSED.contains(&name) {
                return Err(format!("option {name} is not supported"));
            }
            if arg.starts_with('-') && arg != "-" {
                return Err(format!("option {arg} is not known; -h, -X and -W list them"));
            }
            if o.input.replace(PathBuf::from(arg)).is_some() {
                return Err("one input file only".to_owned());
            }
        }
        if matches!(name, "-h" | "--help") {
            // It may name an option.
            break;
        }
    }
    infer(&mut o);
    Ok(o)
}

/// An option without a value; false if it is not one.
fn plain(o: &mut Options, arg: &str) -> bool {
    match arg {
        "-d" | "--disassemble" => o.assemble = Some(false),
        "-a" | "--assemble" => o.assemble = Some(true),
        "-n" | "--numeric-labels" => o.text.numeric_labels = true,
        "-h" | "--help" => o.help = Some(HELP),
        "-X" => o.help = Some(EXTRA),
        "-W" => o.help = Some(WARNINGS),
        "-q" | "--quiet" | "--output-on-fail" | "-Wnone" | "-Wdefault" => {}
        "-Xnative" | "-Xsyntax-exts" | "-Xlegacy-directives" | "-Xno-ir-checking" => {}
        "-Xprint-json" => o.json = true,
        "-Xprint-defs" => (o.list.defs, o.flow.defs) = (true, true),
        "-Xprint-deps" => o.flow.deps = true,
        "-Xprint-ldst" | "-Xldst-syntax" => (o.list.ldst, o.text.ldst) = (true, true),
        "-Xno-print-ldst" => (o.list.ldst, o.text.ldst) = (false, false),
        "-Xprint-pc" | "-Xprint-pcs" => (o.list.pc, o.text.pc) = (true, true),
        "-Xprint-bits" => (o.list.bits, o.text.bits) = (true, true),
        "-Xprint-hex-floats" => (o.list.hex_floats, o.text.hex_floats) = (true, true),
        "-Xno-print-bfnexprs" => o.text.bfn_numbers = true,
        "-Xautocompact" => o.compaction = Compaction::Auto,
        "-Xno-autocompact" => o.compaction = Compaction::Marked,
        "-Xforce-no-compact" => o.compaction = Compaction::Off,
        _ => match UNCHECKED.iter().find(|name| **name == arg) {
            Some(name) => o.unchecked.push(name),
            None => return false,
        },
    }
    true
}

/// An option with its value.
fn valued(o: &mut Options, name: &str, value: &str) -> Result<(), String> {
    match name {
        "-p" | "--platform" => {
            o.platform = Some(Platform::parse(value).ok_or_else(|| format!("no platform {value}"))?);
        }
        "-o" | "--output" => o.output = Some(PathBuf::from(value)),
        "--color" => {
            o.color = Some(match value {
                "always" => Color::Always,
                "never" => Color::Never,
                "auto" => Color::Auto,
                _ => return Err(format!("{name}: expected always, never or auto, not {value}")),
            });
        }
        _ => {
            let n = integer(value).ok_or_else(|| format!("{name}: {value} is not a number of 32 bits"))?;
            if name == "-Xset-pc-base" {
                o.text.pc_base = n;
            }
        }
    }
    Ok(())
}

/// A number of 32 bits, decimal or hexadecimal; from 2^31 on it is taken for a negative one, as `iga64` does.
fn integer(text: &str) -> Option<i32> {
    let (sign, digits) = text.strip_prefix('-').map_or((1, text), |digits| (-1, digits));
    let n = match digits.strip_prefix("0x").or(digits.strip_prefix("0X")) {
        Some(digits) => u32::from_str_radix(digits, 16).ok()?,
        None => digits.parse::<u32>().ok()?,
    };
    Some(if sign < 0 { n.wrapping_neg() } else { n } as i32)
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
    } else if o.flow.defs || o.flow.deps {
        list::flow_text(&mut xe, &bytes, (o.text, o.flow), &mut out)?
    } else {
        list::text(&mut xe, &bytes, o.text, &mut out)?
    };
    problems.append(findings.diagnostics(bytes.len()));
    if read { out.finish() } else { Ok(()) }
}
