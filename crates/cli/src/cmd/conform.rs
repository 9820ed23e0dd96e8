//! `isaglot conform`: where another disassembler and a description disagree.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use isaglot_asm::{Assembler, Compat, Names};
use isaglot_conform::choose::{Choice, Wanted, choose, lengths, too_long};
use isaglot_conform::report::{self, About};
use isaglot_conform::tool::{self, Tool};
use isaglot_conform::{Foreign, Known, Ours, Report, Stage, limits, run_within as compare, shipped};
use isaglot_source::{Diagnostic, Diagnostics, FileId};

mod assembling;
mod machine;
mod process;
mod spirv;
mod sweeping;

use crate::answer::AnswerArgs;
use crate::args::SpecArgs;
use crate::load::Chosen;
use crate::progress::Progress;
use crate::schema;
use crate::session::Session;
use crate::subject::{CHOICES, DESCRIPTIONS, GEN, Only, Subject, SubjectKind, WORDS};

/// Compare another disassembler with a description: chosen words, and the largest patterns on which they differ.
#[derive(clap::Args, Debug)]
#[command(after_help = "\
Examples:
  isaglot conform --isa minnow@v2 --against lines --command 'isaglot disasm --isa minnow@v2 --words'
  isaglot conform --isa minnow --against help")]
pub(crate) struct Args {
    #[command(flatten)]
    spec: SpecArgs,
    /// The tool: the name of one that isaglot knows, or a file as docs/conform.md describes it. `help` lists the names.
    #[arg(long, value_name = "TOOL")]
    against: String,
    /// Another command for the tool, such as that of another version: blanks part its words, `'…'` keeps them together.
    #[arg(long, value_name = "COMMAND")]
    command: Option<String>,
    /// Take texts for different that the description reads as the same word: another name of a register, say, or another mnemonic.
    #[arg(long)]
    texts: bool,
    /// Further texts that say the same: lines `alias TEXT = TEXT`.
    #[arg(long, value_name = "FILE")]
    normal: Option<PathBuf>,
    /// Findings that are known: lines `KIND NAME PATTERN REASON`. Only others make the exit status 1.
    #[arg(long, value_name = "FILE")]
    known: Option<PathBuf>,
    /// Show known findings, too, and lines of `--known` that met nothing.
    #[arg(long)]
    notes: bool,
    /// Ask about instructions of this length in bits only.
    #[arg(long, value_name = "N")]
    bits: Option<u32>,
    /// Ask about every word. Lengths of up to 16 bits are always asked about whole; from 21 bits on `--resume` is needed, too.
    #[arg(long)]
    all: bool,
    /// Where to keep how far `--all` is: with the same file an interrupted comparison goes on.
    #[arg(long, value_name = "FILE", requires = "all")]
    resume: Option<PathBuf>,
    /// Answer in Markdown: a report to send.
    #[arg(long, conflicts_with_all = ["json", "sarif"])]
    markdown: bool,
    #[command(flatten)]
    answer: AnswerArgs,
}

impl Args {
    /// Which words are asked about.
    fn wanted(&self) -> Wanted {
        Wanted { bits: self.bits, all: self.all }
    }
}

/// What can be compared.
pub(crate) const TAKES: &[SubjectKind] =
    &[SubjectKind::Templates, SubjectKind::Llvm, SubjectKind::Riscv, SubjectKind::Xe, SubjectKind::Spirv];

/// The options that are for some of them.
pub(crate) const ONLY: &[Only] =
    &[CHOICES, GEN, (DESCRIPTIONS, &["resume", "texts"]), (WORDS, &["bits", "all", "normal"])];

/// Runs the verb.
pub(crate) fn run(args: &Args, session: &mut Session) -> ExitCode {
    if args.against == "help" {
        let list: String = shipped::names().map(|name| format!("{name}\n")).collect();
        return session.done(crate::io::write(None, false, list.as_bytes()));
    }
    let mut spec = args.spec.spec();
    spec.choice.has_places = true;
    let subject = match Subject::of(&spec, session) {
        Ok(subject) => subject,
        Err(code) => return code,
    };
    let mut problems = Diagnostics::new();
    let files = files(args, session, &mut problems);
    let Some((tool, mut known)) = files else { return session.status(&problems) };
    let found = match subject {
        Subject::Description(chosen) => described(&chosen, &tool, args, session),
        Subject::Xe(platform) => machine::compared(platform, &spec, &tool, args, session),
        Subject::Spirv => spirv::compared(&tool, args.notes, &mut problems).map_err(|d| session.fail(d)),
    };
    let mut found = match found {
        Ok(found) => found,
        Err(code) => return code,
    };
    known.mark(&mut found.findings);
    if args.notes {
        known.unused().into_iter().for_each(|d| problems.push(d));
    }
    session.report(&problems);
    let name = spec.source.name();
    let tool = tool.name.as_str();
    let all = report::diagnostics(About { files: &session.files, name: &name, tool }, &found);
    let to_json = |session: &Session| {
        schema::marked(schema::CONFORM, report::json(About { files: &session.files, name: &name, tool }, &found))
    };
    let to_text = |session: &Session, _| {
        let about = About { files: &session.files, name: &name, tool };
        if args.markdown {
            report::markdown(about, &found, args.notes)
        } else {
            report::text(about, &found, args.notes)
        }
    };
    match args.answer.write(session, &all, to_json, to_text) {
        Ok(code) => code,
        Err(d) => session.fail(d),
    }
}

/// The findings about a description; the exit status if there are none.
fn described(chosen: &Chosen, tool: &Tool, args: &Args, session: &mut Session) -> Result<Report, ExitCode> {
    let (wanted, aliases) = (args.wanted(), args.spec.spec().choice.aliases != Some(false));
    let plan = chosen.plan().with_aliases(tool.aliases && aliases);
    let too_long = too_long(&plan, wanted);
    check(&lengths(&plan), too_long, wanted, args.resume.is_some(), tool).map_err(|d| session.wrong_usage(d))?;
    let (names, all) = (Names::default(), chosen.plan().with_aliases(true));
    let found = if tool.assemble.is_some() {
        assembling::compared([&chosen.plan(), &all], aliases, tool, wanted)
    } else {
        let ours = match args.texts {
            true => Ours::new(&plan),
            false => Ours::new(&plan).reading(Assembler::new(&all, &names, Compat::default())),
        };
        match &args.resume {
            Some(file) => sweeping::compared(ours, tool, wanted, file),
            None => compared(ours, tool, wanted),
        }
    };
    found.map_err(|d| session.fail(d))
}

/// The tool, with the rules and the command of the command line, and the known findings. `None` if there are errors.
fn files(args: &Args, session: &mut Session, problems: &mut Diagnostics) -> Option<(Tool, Known)> {
    let mut read = |path: &Path, problems: &mut Diagnostics| -> Option<(FileId, String)> {
        let bytes = problems.ok(crate::io::read_text(Some(path)))?;
        let file = session.files.add(path.display().to_string(), bytes.as_slice());
        Some((file, String::from_utf8_lossy(&bytes).into_owned()))
    };
    let text = match shipped::find(&args.against) {
        Some(text) => Some((FileId(u32::MAX), text.to_owned())),
        None => {
            let path = Path::new(&args.against);
            if !path.exists() && !args.against.contains(['/', '.']) {
                let near = isaglot_source::closest(&args.against, shipped::names());
                let d = Diagnostic::error("conform-tool", format!("there is no tool `{}`", args.against));
                let d =
                    d.did_you_mean(near).note("`--against help` lists the names; a file can have any name with a dot");
                problems.push(d);
                return None;
            }
            read(path, problems)
        }
    };
    let tool = text.and_then(|(file, text)| tool::read(file, &text, problems));
    let rules = args.normal.as_deref().and_then(|path| read(path, problems));
    let rules = rules.map(|(file, text)| tool::read_rules(file, &text, problems)).unwrap_or_default();
    let known = args.known.as_deref().and_then(|path| read(path, problems));
    let known = known.map(|(file, text)| Known::read(file, &text, problems)).unwrap_or_default();
    let mut tool = tool.filter(|_| !problems.has_errors())?;
    tool.rules.extend(rules);
    if let Some(command) = &args.command {
        if tool.run.len() > 1 {
            let d = Diagnostic::error("conform-tool", format!("`{}` has several commands", tool.name));
            problems.push(d.note("`--command` is for a tool with one; copy its file and change that"));
            return None;
        }
        let Some(words) = tool::words(command) else {
            problems.push(Diagnostic::error("cli-option", "a `'` of the command has no other one"));
            return None;
        };
        tool.run = vec![words];
    }
    Some((tool, known))
}

/// Refuses a length that no instruction has, and to ask about too many words.
fn check(lengths: &[u32], too_long: Option<u32>, wanted: Wanted, resumes: bool, tool: &Tool) -> Result<(), Diagnostic> {
    if let Some(bits) = wanted.bits.filter(|bits| !lengths.contains(bits)) {
        let all: Vec<String> = lengths.iter().map(ToString::to_string).collect();
        let d = Diagnostic::error("cli-option", format!("no instruction has {bits} bits"));
        return Err(d.note(format!("instructions have {} bits", all.join(", "))));
    }
    if resumes && tool.assemble.is_some() {
        let d = Diagnostic::error("cli-option", "`--resume` is not for assemblers: their texts are chosen");
        return Err(d.note("leave it out"));
    }
    let Some(bits) = too_long else { return Ok(()) };
    let (most, least) = (limits::MAX_SWEEP_BITS, limits::MAX_ALL_BITS + 1);
    let does_not_apply =
        || Diagnostic::error("cli-option", format!("`--all` does not apply: there are instructions of {bits} bits"));
    if bits > most || tool.assemble.is_some() {
        let most = if tool.assemble.is_some() { limits::MAX_ALL_BITS } else { most };
        return Err(
            does_not_apply().note(format!("all words of at most {most} bits can be asked about: choose with `--bits`"))
        );
    }
    if !resumes {
        let d = does_not_apply()
            .note(format!("from {least} bits on it takes long: say with `--resume FILE` where to keep how far it is"));
        return Err(d);
    }
    Ok(())
}

/// Asks.
fn compared(mut ours: Ours<'_, '_>, tool: &Tool, wanted: Wanted) -> Result<Report, Diagnostic> {
    let plan = ours.plan();
    let mut processes = process::Processes;
    let mut theirs = Foreign::new(tool, plan, &mut processes)?;
    asked(&mut ours, &mut || choose(plan, wanted), &mut theirs, tool, limits::GROW_WORDS)
}

/// Chooses and asks, with the progress shown.
fn asked(
    ours: &mut dyn isaglot_conform::Subject,
    choose: &mut dyn FnMut() -> Choice,
    theirs: &mut Foreign<'_>,
    tool: &Tool,
    growth: usize,
) -> Result<Report, Diagnostic> {
    let mut progress = Progress::new("choosing words", "word");
    let choice = choose();
    let mut is_growing = false;
    compare(ours, &choice, theirs, &tool.rules, growth, &mut |stage| match stage {
        Stage::Ask(0, total) => {
            progress = Progress::new(format!("asking {}", tool.name), "word");
            progress.at(0, total);
        }
        Stage::Ask(done, total) => progress.at(done, total),
        Stage::Grow(asked) => {
            if !is_growing {
                progress = Progress::new("growing patterns", "word");
                is_growing = true;
            }
            progress.at_place(asked as u64, 0);
        }
    })
}
