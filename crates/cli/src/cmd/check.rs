//! `isaglot check`: what is wrong with a description, and what is proved about it.

use std::fmt::Write as _;
use std::process::ExitCode;

use isaglot::spec::form::is_tablegen;
use isaglot::spec::published::Format;
use isaglot_bits::BitRange;
use isaglot_model::Isa;
use isaglot_source::{Diagnostic, Diagnostics, Severity, SourceMap, render};
use isaglot_verify::diagnostics::{diagnostics, gens};
use isaglot_verify::report::{Coverage, Opcodes, Verdict};
use isaglot_verify::{Options, Report, check, json};
use serde_json::{Value, json as object};

mod older;
mod published;
mod since;

use crate::answer::AnswerArgs;
use crate::args::{ChoiceArgs, ProcessorArgs, SubjectArgs};
use crate::load::{Program, Spec, check_options, read_open};
use crate::progress::Progress;
use crate::schema;
use crate::session::{EXIT_INPUT, Session};

/// Find what is wrong with a description, with witness words, and prove the rest.
#[derive(clap::Args, Debug)]
#[command(mut_arg("gen", |arg| arg.help(GEN)))]
#[command(mut_arg("feature", |arg| arg.help(FEATURES)))]
#[command(mut_arg("json", |arg| arg.help("Answer in JSON: messages, overlaps, counts, proofs")))]
#[command(after_help = "\
Examples:
  isaglot check my.xml
  isaglot check --isa minnow --by 15:13 --proofs
  isaglot check my.xml --since old.xml
  isaglot check udb --for rva23u64 --free         # needs riscv-unified-db")]
pub(crate) struct Args {
    #[command(flatten)]
    subject: SubjectArgs,
    #[command(flatten)]
    choice: ChoiceArgs,
    #[command(flatten)]
    processor: ProcessorArgs,
    /// Count free words for each value of these bits, such as `6:2` or `15:13,1:0`: instead of the bits that the
    /// description calls the opcode, if it does.
    #[arg(long, value_name = "BITS", value_parser = parse_bits)]
    by: Option<Bits>,
    /// Show the table of proofs: per encoding, whether its words are its own, survive a round trip, and have texts of
    /// their own, and by which method.
    #[arg(long)]
    proofs: bool,
    /// Show notes one by one, and counts of sub-encodings.
    #[arg(long)]
    notes: bool,
    /// With published formats of RISC-V: count free words for this machine, such as `rv64gc` or `rva23u64`, once or several times;
    /// otherwise the words that no implementation has.
    #[arg(long = "for", id = "for", value_name = "NAME")]
    machines: Vec<String>,
    /// With published formats of RISC-V: how many words of each major opcode are free, and the smallest.
    #[arg(long)]
    free: bool,
    /// Only what is new since an older description, or gone: a file, a folder, or `git:REVISION:PATH`. Findings are known by
    /// what they say, not by file and line; the exit status is 1 for new errors only.
    #[arg(long, value_name = "OLD", conflicts_with_all = ["proofs", "by", "for", "free"])]
    since: Option<String>,
    #[command(flatten)]
    answer: AnswerArgs,
}

/// What `--gen` does here.
const GEN: &str = "Look at one gen only: a number, or a name that the description gives. All gens otherwise";

/// What `--feature` does here.
const FEATURES: &str = "\
Count words with these features: `+name` or `name` for on, `-name` for off; several with commas. Otherwise all sets of \
features are counted, or the defaults and all of them where there are many";

/// Bits of a word, most significant first.
#[derive(Clone, Debug)]
struct Bits(Vec<BitRange>);

fn parse_bits(text: &str) -> Result<Bits, String> {
    let mut bits: Vec<BitRange> = Vec::new();
    for part in text.split(',') {
        let (high, low) = part.split_once(':').unwrap_or((part, part));
        let number = |text: &str| text.trim().parse::<u32>().ok();
        let range = number(high).zip(number(low)).and_then(|(high, low)| BitRange::from_high_low(high, low));
        let range = range.ok_or("expected bits such as `6:2`, the higher one first")?;
        if bits.iter().any(|other| other.overlaps(range)) {
            return Err(format!("bit {} is there twice", range.lo));
        }
        bits.push(range);
    }
    let count: u32 = bits.iter().map(|range| range.width).fold(0, u32::saturating_add);
    let most = isaglot_verify::limits::MAX_OPCODE_BITS;
    if count > most { Err(format!("{count} bits; at most {most} are told apart")) } else { Ok(Bits(bits)) }
}

/// What was found about a description.
struct Found {
    /// The messages, those of the front end first.
    all: Vec<Diagnostic>,
    /// It could be read.
    is_read: bool,
    /// The model; `None` also where a folder of published formats is checked as such.
    isa: Option<Isa>,
    report: Option<Report>,
}

/// The published format, if the description is one and is checked as such. With operands or a question about words the
/// description that it makes is checked.
fn published_format(spec: &Spec, args: &Args) -> Option<Format> {
    let asks_words =
        args.proofs || args.by.is_some() || spec.choice.generation.is_some() || !spec.choice.features.is_empty();
    let alone = spec.choice.operands.is_none() && !asks_words;
    spec.path().filter(|_| alone).and_then(|path| Format::of(&path))
}

/// Reads a description and asks all questions about it.
fn look(spec: &Spec, args: &Args, files: &mut SourceMap) -> Found {
    let mut problems = Diagnostics::new();
    if let Some(format) = published_format(spec, args) {
        let table = format.table(&spec.choice.parts(), &Program, files, &mut problems);
        if let Some(table) = &table {
            format.check(table, &mut problems);
        }
        let all = problems.iter().cloned().collect();
        return Found { all, is_read: table.is_some(), isa: None, report: None };
    }
    let read = read_open(spec, files, &mut problems);
    let mut all: Vec<Diagnostic> = problems.iter().cloned().collect();
    let Some((isa, generation, features)) = read else {
        return Found { all, is_read: false, isa: None, report: None };
    };
    all.extend(isaglot_isaspec::lints(files));
    // A target of LLVM has thousands of instructions and hundreds of features: only what patterns say is asked.
    let patterns_only = !args.proofs && spec.path().as_deref().is_some_and(is_tablegen);
    let by = args.by.as_ref().map(|bits| bits.0.clone());
    let options = Options { generation, patterns_only, features, by };
    let mut progress = Progress::new("checking", "step");
    let report = check(&isa, options, &mut |done, total| progress.at(done, total));
    drop(progress);
    all.extend(diagnostics(&isa, &report));
    isaglot_isaspec::silence(files, &mut all);
    Found { all, is_read: true, isa: Some(isa), report: Some(report) }
}

/// Runs the verb.
pub(crate) fn run(args: &Args, session: &mut Session) -> ExitCode {
    let mut spec = args.subject.spec();
    args.choice.put(&mut spec.choice);
    args.processor.put(&mut spec.choice);
    if let Err(d) = check_options(&spec) {
        return session.wrong_usage(d);
    }
    if let Some(old) = &args.since {
        return since::run(&spec, old, args, session);
    }
    if let Some(format) = published_format(&spec, args) {
        return published::run(&format, &spec.choice.parts(), args, session);
    }
    if let Some((name, _)) = [("--for", !args.machines.is_empty()), ("--free", args.free)].iter().find(|o| o.1) {
        let d = Diagnostic::error("cli-option", format!("`{name}` does not apply here"));
        return session.wrong_usage(
            d.note("it is for folders of published formats of RISC-V, without questions about their words"),
        );
    }
    let mut files = std::mem::take(&mut session.files);
    let looked = look(&spec, args, &mut files);
    session.files = files;
    let Found { all, isa, report, .. } = &looked;
    // What is wrong with the command line is not what is wrong with the description; nor is a file that is not there.
    let wrong_choice = all.iter().any(|d| d.severity == Severity::Error && d.code.starts_with("cli-"));
    let is_missing = isa.is_none() && session.files.iter().next().is_none();
    if wrong_choice || (is_missing && args.answer.is_text()) {
        let mut problems = Diagnostics::new();
        all.iter().cloned().for_each(|d| problems.push(d));
        return session.status(&problems);
    }
    let found = isa.as_ref().zip(report.as_ref());
    let to_json = |session: &Session| json_of(session, all, found);
    let of_report = |out: &mut String| {
        let Some((isa, report)) = found else { return };
        let shown = |c: &&Coverage| c.encodings > 0 && (args.notes || c.space == isa.root());
        report.coverage.iter().filter(shown).for_each(|c| coverage(isa, c, out));
        if args.proofs {
            proofs(isa, report, out);
        }
    };
    let to_text = |session: &Session, color| text_of(args, session, all, &of_report, color);
    match args.answer.write(session, all, to_json, to_text) {
        Ok(_) if isa.is_none() => ExitCode::from(EXIT_INPUT),
        Ok(code) => code,
        Err(d) => session.fail(d),
    }
}

fn json_of(session: &Session, all: &[Diagnostic], found: Option<(&Isa, &Report)>) -> Value {
    let messages: Vec<Value> = all.iter().map(|d| render::json(&session.files, d)).collect();
    object!({ "$schema": schema::CHECK, "diagnostics": messages, "report": found.map(|(isa, report)| json::report(isa, report)) })
}

/// The messages, what was `found` beside them, and the counts of messages.
fn text_of(args: &Args, session: &Session, all: &[Diagnostic], found: &dyn Fn(&mut String), color: bool) -> String {
    let mut out = String::new();
    for d in all.iter().filter(|d| args.notes || d.severity > Severity::Note) {
        out.push_str(&render::text(&session.files, d, color));
    }
    found(&mut out);
    out.push_str(&summary(all, args.notes));
    out
}

/// Shares are shown with so many decimals.
const SHARE_DECIMALS: usize = 2;

fn coverage(isa: &Isa, c: &Coverage, out: &mut String) {
    let name = isa.text(isa[c.space].name);
    let with: String = c.features.iter().map(|&f| format!(" +{}", isa[f].name)).collect();
    let total = &c.total;
    let plural = if c.encodings == 1 { "" } else { "s" };
    let _ = writeln!(out, "{name}, {}{with}: {} encoding{plural}, {total} words", gens(c.gens), c.encodings);
    for (what, count) in [("claimed", &c.claimed), ("conflicting", &c.conflicting), ("free", &c.free)] {
        let _ = match count {
            Some(count) => {
                let share = 100.0 * count.to_f64() / total.to_f64();
                writeln!(out, "  {what:11} {count} ({share:.SHARE_DECIMALS$} %)")
            }
            None => writeln!(out, "  {what:11} undecided"),
        };
    }
    for hole in c.holes.iter().flatten() {
        let _ = writeln!(out, "  {:11} {hole:#} (2^{})", "hole", hole.free_bits());
    }
    if let Some(found) = &c.opcodes {
        opcodes(found, out);
    }
}

/// Rows of a table of opcodes that stand in one line.
const OPCODES_PER_LINE: usize = 4;

/// How many words are free for each opcode.
fn opcodes(found: &Opcodes, out: &mut String) {
    let bits = |range: &BitRange| match range.width {
        1 => range.lo.to_string(),
        _ => format!("{}:{}", range.end() - 1, range.lo),
    };
    let names: Vec<String> = found.bits.iter().map(bits).collect();
    let most = found.rows.iter().map(|row| row.total.to_string()).max_by_key(String::len).unwrap_or_default();
    let _ = writeln!(out, "  {:11} of at most {most} words for each value of bits {}", "free", names.join(" "));
    let digits = found.bits.iter().map(|range| range.width as usize).sum::<usize>();
    for line in found.rows.chunks(OPCODES_PER_LINE) {
        out.push_str("             ");
        for row in line {
            let free = row.free.as_ref().map_or_else(|| "undecided".to_owned(), ToString::to_string);
            let _ = write!(out, " {:0digits$b} {free:>width$} ", row.value, width = most.len().max(9));
        }
        out.truncate(out.trim_end().len());
        out.push('\n');
    }
}

/// The table of proofs, with the methods.
fn proofs(isa: &Isa, report: &Report, out: &mut String) {
    let cell = |v: &Verdict| match v {
        Verdict::Proved(m) | Verdict::Refuted(m) => format!("{} ({})", v.name(), m.name()),
        _ => v.name().to_owned(),
    };
    let width = report.rows.iter().map(|r| isa.text(isa[r.encoding].name).chars().count()).max().unwrap_or(0).max(8);
    let _ = writeln!(out, "{:width$}  {:22}  {:16}  {:16}  text", "encoding", "gens", "unique", "round trip");
    for r in &report.rows {
        let e = &isa[r.encoding];
        let _ = writeln!(
            out,
            "{:width$}  {:22}  {:16}  {:16}  {}",
            isa.text(e.name),
            gens(e.gens),
            cell(&r.unique),
            cell(&r.round_trip),
            cell(&r.text)
        );
    }
}

/// A number of things.
fn counted(n: usize, what: &str) -> String {
    format!("{n} {what}{}", if n == 1 { "" } else { "s" })
}

fn summary(all: &[Diagnostic], notes_shown: bool) -> String {
    let count = |severity: Severity| all.iter().filter(|d| d.severity == severity).count();
    let notes = count(Severity::Note);
    let hint = if notes > 0 && !notes_shown { " (shown with --notes)" } else { "" };
    format!(
        "{}, {}, {}{hint}\n",
        counted(count(Severity::Error), "error"),
        counted(count(Severity::Warning), "warning"),
        counted(notes, "note")
    )
}
