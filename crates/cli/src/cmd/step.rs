//! Shows what instructions do to a state: registers, memory and the pc before and after, and the lines of the semantics that did it.
//!
//! Any description with semantics can be asked, RISC-V too; its externs (control registers, floating point, vectors) are the hart's.

mod lines;
mod outside;
mod watched;

use std::process::ExitCode;

use isaglot::question::{self, Question};
use isaglot_asm::{Assembler, Compat, Names};
use isaglot_bits::Word;
use isaglot_source::{Diagnostic, Diagnostics, SourceMap};
use serde_json::{Value, json};

use self::watched::Step;
use crate::args::{OutputArgs, SpecArgs};
use crate::load::Chosen;
use crate::machine::{self, BeginArgs};
use crate::session::Session;
use crate::subject::Subject;

/// Show what instructions do to registers, memory and the pc.
#[derive(clap::Args, Debug)]
#[command(after_help = "\
The instructions lie one after the other from --pc on, and run until one cannot be run, ends the program or goes elsewhere.
The exit status is 1 if one cannot be run.

Examples:
  isaglot step --isa rv64gc --set a1=5 --set a2=7 'add a0, a1, a2'
  isaglot step --spec my.xml 0x0860 --set mem32[0x100]=7")]
pub(crate) struct Args {
    #[command(flatten)]
    spec: SpecArgs,
    /// Instructions: words in hex (`0x…` or just digits), binary (`0b…`), bytes in memory order with separators (`04:00:03:20`), or
    /// assembly (`'add r1, r2'`).
    #[arg(required = true, value_name = "WORD")]
    words: Vec<String>,
    #[command(flatten)]
    begin: BeginArgs,
    #[command(flatten)]
    output: OutputArgs,
    /// Answer in JSON: an array with an object for each instruction.
    #[arg(long)]
    json: bool,
}

/// Runs the verb.
pub(crate) fn run(args: &Args, session: &mut Session) -> ExitCode {
    let chosen = match Subject::description(&args.spec.spec(), session) {
        Ok(chosen) => chosen,
        Err(code) => return code,
    };
    let name = args.spec.spec().source.name();
    match answer(args, &name, &chosen, &mut session.files) {
        Ok(problems) => session.status(&problems),
        Err(problems) => session.status(&problems),
    }
}

/// Writes the answer; gives what kept an instruction from being run.
fn answer(args: &Args, name: &str, chosen: &Chosen, files: &mut SourceMap) -> Result<Diagnostics, Diagnostics> {
    let words = words(chosen, files, &args.words)?;
    let steps = steps(name, chosen, &args.begin, &words)?;
    let text = if args.json {
        let all: Vec<Value> = steps.iter().map(|step| step.json(&chosen.isa)).collect();
        format!("{:#}\n", json!(all))
    } else {
        steps.iter().map(|step| step.text(&chosen.isa)).collect::<Vec<_>>().join("\n")
    };
    args.output.write(&text)?;
    let failed = steps.iter().filter_map(|step| step.complaint(&chosen.isa));
    let mut problems = Diagnostics::new();
    failed.for_each(|d| problems.push(d));
    Ok(problems)
}

/// The instruction words that texts stand for.
fn words(chosen: &Chosen, files: &mut SourceMap, texts: &[String]) -> Result<Vec<Word>, Diagnostics> {
    let plan = chosen.plan();
    let names = Names::default();
    let mut assembler = Assembler::new(&plan, &names, Compat::default());
    let mut problems = Diagnostics::new();
    let mut words = Vec::new();
    for text in texts {
        match question::read(chosen.kind, &mut assembler, files, text) {
            Ok(Question::Word(word)) => words.push(word),
            Ok(Question::Assembly(bytes)) => match question::words(&plan, &bytes) {
                Ok(several) => words.extend(several),
                Err(d) => problems.push(d),
            },
            Err(wrong) => problems.append(wrong),
        }
    }
    if problems.has_errors() { Err(problems) } else { Ok(words) }
}

/// Runs words that lie one after the other.
pub(crate) fn steps(name: &str, chosen: &Chosen, begin: &BeginArgs, words: &[Word]) -> Result<Vec<Step>, Diagnostics> {
    let mut machine = machine::machine(name, chosen, begin)?;
    outside::add(&mut machine, chosen)?;
    machine::begin(&mut machine, begin)?;
    let start = machine.pc();
    let mut bytes: Vec<u8> = Vec::new();
    for word in words {
        let mut each: Vec<u8> = word.le_bytes().collect();
        if chosen.isa.format().byte_order == isaglot_model::ByteOrder::Big {
            each.reverse();
        }
        bytes.extend(each);
    }
    machine::add_memory(&mut machine, start, bytes.len() as u64)?;
    machine
        .memory
        .write(start, &bytes)
        .map_err(|_| Diagnostic::error("run-memory", "the instructions do not fit memory"))?;
    let mut steps = Vec::new();
    let mut at = start;
    for word in words {
        // One that went elsewhere has left what was to be shown.
        if machine.pc() != at {
            break;
        }
        let step = Step::take(&mut machine, word);
        at = at.wrapping_add(u64::from(word.width() / 8));
        let goes_on = step.goes_on();
        steps.push(step);
        if !goes_on {
            break;
        }
    }
    Ok(steps)
}
