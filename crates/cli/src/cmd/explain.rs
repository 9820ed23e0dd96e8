//! `isaglot explain`: why a word decodes as it does, as a box diagram and a list, or as JSON.

use std::io;
use std::process::ExitCode;

use isaglot::explain::json::to_json;
use isaglot::explain::xe::{self as apart, Apart};
use isaglot::explain::{self, Explanation, Extent, full_hex};
use isaglot::question::{self, Question};
use isaglot_asm::{Assembler, Compat, Names};
use isaglot_bits::Word;
use isaglot_invariant::impossible;
use isaglot_model::Isa;
use isaglot_source::{Diagnostic, Diagnostics};
use isaglot_xe::Platform;
use serde_json::Value;

use super::{step, xe};
use crate::args::{OutputArgs, SpecArgs};
use crate::load::{Chosen, load};
use crate::machine::BeginArgs;
use crate::session::{EXIT_INPUT, Session};
use crate::subject::{CHOICES, DESCRIPTIONS, GEN, Only, Subject, SubjectKind, WORDS};

/// Say why a word decodes as it does, or what comes nearest; or what an instruction is made of.
#[derive(clap::Args, Debug)]
#[command(after_help = "\
Examples:
  isaglot explain --isa rv64gc 0x00c58533
  isaglot explain --isa rv64gc 'add a0, a1, a2'
  isaglot explain --spec my.xml --svg 0x0860 -o add.svg")]
pub(crate) struct Args {
    #[command(flatten)]
    spec: SpecArgs,
    /// Words: hex (`0x…` or just digits), binary (`0b…`), bytes in memory order with separators (`04:00:03:20`), or assembly
    /// (`'add r1, r2'`). A mnemonic wins over hex digits.
    #[arg(required = true, value_name = "WORD")]
    words: Vec<String>,
    #[command(flatten)]
    output: OutputArgs,
    /// Answer in JSON, one array with an object per word.
    #[arg(long)]
    json: bool,
    /// Every case and field, what fields are made of, and what the instruction does. Otherwise a long answer has ten lines after the
    /// diagram: what decided, the cases that apply, and the fields that print something. JSON has everything else.
    #[arg(long, conflicts_with_all = ["json", "svg"])]
    all: bool,
    /// What the instructions do to a state as well, one after the other; `isaglot step` has more to choose.
    #[arg(long, conflicts_with_all = ["json", "svg"])]
    step: bool,
    /// With --step: what a register or memory holds at the beginning, such as `r1=5` or `mem32[0x100]=7`. All is 0 otherwise.
    #[arg(long, value_name = "PLACE=VALUE", requires = "step")]
    set: Vec<String>,
    /// The bit diagram of the encoding of a word, as an SVG picture.
    #[arg(long, conflicts_with = "json")]
    svg: bool,
}

/// What can be explained. SPIR-V has no words to take apart.
pub(crate) const TAKES: &[SubjectKind] = WORDS;

/// The options that are for some of them.
pub(crate) const ONLY: &[Only] = &[CHOICES, GEN, (DESCRIPTIONS, &["step", "set"])];

/// Runs the verb. A word that is nothing is an answer, not an error.
pub(crate) fn run(args: &Args, session: &mut Session) -> ExitCode {
    let mut spec = args.spec.spec();
    spec.choice.has_places = true;
    let mut problems = Diagnostics::new();
    let done = match Subject::of(&spec, session) {
        Err(code) => return code,
        Ok(Subject::Description(chosen)) => answer(args, &chosen, session, &mut problems),
        Ok(Subject::Xe(platform)) => match load(&spec, session) {
            Some(chosen) => kernel(args, platform, &chosen, session, &mut problems),
            None => return ExitCode::from(EXIT_INPUT),
        },
        Ok(Subject::Spirv) => return impossible(ExitCode::from(EXIT_INPUT)),
    };
    if let Err(d) = done {
        problems.push(d);
    }
    session.status(&problems)
}

/// Answers all questions about a machine of Intel Xe, whose texts are not in the description.
fn kernel(
    args: &Args,
    platform: Platform,
    chosen: &Chosen,
    session: &mut Session,
    problems: &mut Diagnostics,
) -> Result<(), Diagnostic> {
    let description = xe::description()?;
    let mut xe = xe::machine(&description, platform)?;
    let (isa, plan) = (&chosen.isa, chosen.plan());
    let mut words: Vec<Apart> = Vec::new();
    for text in &args.words {
        match apart::words(&mut xe, &plan, &mut session.files, text) {
            Ok(found) => {
                words.extend(found.words.into_iter().map(|raw| apart::apart(&mut xe, &plan, &session.files, raw)));
            }
            Err(wrong) => problems.append(wrong),
        }
    }
    if problems.has_errors() {
        return Ok(());
    }
    let color = args.output.path().is_none() && session.color.on(&io::stdout());
    let text = if args.svg {
        picture(isa, words.into_iter().map(|apart| (apart.word, apart.explanation)))?
    } else if args.json {
        let one = |apart: &Apart| apart.json(to_json(isa, &session.files, &apart.word, &apart.explanation));
        format!("{:#}\n", Value::Array(words.iter().map(one).collect()))
    } else {
        let texts: Vec<String> =
            words.iter().map(|apart| apart.text(isa, &session.files, color, extent(args))).collect();
        texts.join("\n")
    };
    args.output.write(&text)
}

/// How much of each answer is written.
fn extent(args: &Args) -> Extent {
    if args.all { Extent::All } else { Extent::Short }
}

/// Answers all questions, or says what is wrong with any of them.
fn answer(args: &Args, chosen: &Chosen, session: &mut Session, problems: &mut Diagnostics) -> Result<(), Diagnostic> {
    let plan = chosen.plan();
    let names = Names::default();
    let mut assembler = Assembler::new(&plan, &names, Compat::default());
    let mut words: Vec<Word> = Vec::new();
    for text in &args.words {
        match question::read(chosen.kind, &mut assembler, &mut session.files, text) {
            Ok(Question::Word(word)) => words.push(word),
            Ok(Question::Assembly(bytes)) => words.extend(question::words(&plan, &bytes)?),
            Err(wrong) => problems.append(wrong),
        }
    }
    if problems.has_errors() {
        return Ok(());
    }
    let mut stepped = Vec::new();
    if args.step {
        let begin = BeginArgs { set: args.set.clone(), ..BeginArgs::default() };
        match step::steps(&args.spec.spec().source.name(), chosen, &begin, &words) {
            Ok(steps) => {
                stepped.extend(steps.iter().map(|step| step.text(&chosen.isa)));
                steps.iter().filter_map(|step| step.complaint(&chosen.isa)).for_each(|d| problems.push(d));
            }
            Err(wrong) => {
                problems.append(wrong);
                return Ok(());
            }
        }
    }
    let color = args.output.path().is_none() && session.color.on(&io::stdout());
    let explained = words.into_iter().map(|word| {
        let explanation = explain::explain(&plan, &word);
        (word, explanation)
    });
    let text = if args.svg {
        picture(&chosen.isa, explained)?
    } else if args.json {
        let all: Vec<Value> = explained.map(|(word, e)| to_json(&chosen.isa, &session.files, &word, &e)).collect();
        format!("{:#}\n", Value::Array(all))
    } else {
        let extent = extent(args);
        let mut texts: Vec<String> =
            explained.map(|(word, e)| explain::text(&chosen.isa, &session.files, &word, &e, color, extent)).collect();
        texts.extend(stepped);
        texts.join("\n")
    };
    args.output.write(&text)
}

/// The picture of the one word.
fn picture(isa: &Isa, mut explained: impl Iterator<Item = (Word, Explanation)>) -> Result<String, Diagnostic> {
    let error = |message: String| Diagnostic::error("explain-svg", message).note("expected one word of an instruction");
    match (explained.next(), explained.next()) {
        (Some((_, Explanation::Match(found))), None) => Ok(isaglot_site::picture(isa, found.encoding)),
        (Some((word, _)), None) => Err(error(format!("0x{} is not a valid instruction", full_hex(&word)))),
        _ => Err(error("a picture is of one word".to_owned())),
    }
}
