//! `isaglot diff`: which words mean something else in another description, or for another gen.

use std::fmt::Write as _;
use std::ops::Range;
use std::path::PathBuf;
use std::process::ExitCode;

use isaglot::choice::generation;
use isaglot_asm::{Compat, Options, Plain, Stream};
use isaglot_bits::Word;
use isaglot_codec::Plan;
use isaglot_model::{ByteOrder, Isa};
use isaglot_source::{Diagnostic, Diagnostics, counted};
use isaglot_verify::cause::{Causes, causes};
use isaglot_verify::cause_text;
use isaglot_verify::diagnostics::gens;
use isaglot_verify::diff::{Change, Difference, Side, diff_of};
use isaglot_verify::json;
use isaglot_xe::stream::RawWord;
use isaglot_xe::{Description, Xe};

mod published;
mod semantics;

use super::xe;
use crate::args::{FeatureArgs, OutputArgs, ProcessorArgs, ReadArgs};
use crate::load::{Source, Spec, read_open, share_options};
use crate::names::Machine;
use crate::progress::Progress;
use crate::schema;
use crate::session::Session;

/// Say which words change meaning, appear or disappear between two descriptions, or between two gens of one.
#[derive(clap::Args, Debug)]
#[command(mut_arg("feature", |arg| arg.help(FEATURES)))]
#[command(after_help = "\
Examples:
  isaglot diff my.xml newer.xml
  isaglot diff my.xml newer.xml --json -o diff.json
  isaglot diff --isa minnow@v1 --isa minnow@v2
  isaglot diff --isa rv64gc --isa rv64gc_zba
  isaglot diff udb opcodes       # needs riscv-unified-db, riscv-opcodes
  isaglot diff udb opcodes --isa riscv --all       # needs riscv-unified-db, riscv-opcodes
  isaglot diff udb --isa rv32i --semantics         # needs riscv-unified-db, z3")]
pub(crate) struct Args {
    /// The descriptions: isaspec XML files, TableGen files of LLVM targets, or what `isaglot compile` made of them. One alone is
    /// compared with itself, for two gens.
    ///
    /// Folders of the RISC-V Unified Database and of riscv-opcodes are compared with each other and with descriptions of RISC-V by
    /// names and exact sets of words, grouped by what causes the difference. Three descriptions give one table.
    #[arg(num_args = 0..=3, value_name = "SPEC")]
    specs: Vec<PathBuf>,
    /// A description by name, such as `minnow` or `minnow@v2`, once or twice; `--isa help` lists the names.
    #[arg(long = "isa", value_name = "NAME")]
    names: Vec<String>,
    /// A gen: once with two descriptions, to compare them for it alone; twice with one.
    #[arg(long = "gen", value_name = "N")]
    generations: Vec<String>,
    #[command(flatten)]
    features: FeatureArgs,
    #[command(flatten)]
    processor: ProcessorArgs,
    #[command(flatten)]
    read: ReadArgs,
    /// Compare descriptions of RISC-V by names and exact sets of words, grouped by what causes the difference, as published formats always are.
    #[arg(long)]
    by_name: bool,
    /// Every change with its patterns, after the causes; with published formats and `--by-name`: every instruction of every class of
    /// differences.
    #[arg(long)]
    all: bool,
    /// Answer in JSON.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    output: OutputArgs,
    #[command(flatten)]
    semantics: semantics::SemanticsArgs,
}

/// What `--feature` does here.
const FEATURES: &str = "\
Compare what these features have: `+name` or `name` for on, `-name` for off; several with commas. A name after `--isa` may \
choose features of its side. Otherwise instructions of all features are compared";

/// Runs the verb. A difference is an answer, not an error.
pub(crate) fn run(args: &Args, session: &mut Session) -> ExitCode {
    let files = args.specs.iter().cloned().map(Source::File);
    let sources: Vec<Source> = files.chain(args.names.iter().cloned().map(Source::Name)).collect();
    if args.semantics.semantics {
        return semantics::run(&sources, args, session);
    }
    let formats = args.specs.iter().any(|path| isaglot::spec::published::is_published(path));
    if formats || args.by_name || sources.len() > 2 {
        return published::run(&sources, args, session);
    }
    match (sources.len(), args.generations.len()) {
        (2, 0 | 1) | (1, 2) => {}
        _ => {
            let d = Diagnostic::error("cli-diff", "expected two descriptions and at most one gen, or one and two gens");
            return session.wrong_usage(d);
        }
    }
    let mut problems = Diagnostics::new();
    let specs = match specs(&sources, args) {
        Ok(specs) => specs,
        Err(d) => return session.wrong_usage(d),
    };
    // What is wrong with one name is told once.
    let read: Option<Vec<Described>> = specs.iter().map(|spec| read(spec, session, &mut problems)).collect();
    match read.as_deref() {
        Some([one]) => {
            let answer = answer(args, one, one, session);
            session.done(answer)
        }
        Some([one, two]) => {
            let answer = answer(args, one, two, session);
            session.done(answer)
        }
        _ => session.status(&problems),
    }
}

/// A description, and the gen that its name chooses.
struct Described {
    isa: Isa,
    generation: Option<u32>,
    /// Its texts are not in the description.
    is_xe: bool,
    /// Its sources, among all files that were read.
    files: Range<usize>,
}

/// What the command line says of each side: an option that is for one form of description goes to the sides of that form.
fn specs(sources: &[Source], args: &Args) -> Result<Vec<Spec>, Diagnostic> {
    let spec = |source: &Source| {
        let mut spec = Spec::of(source.clone());
        args.read.put(&mut spec.choice);
        args.processor.put(&mut spec.choice);
        spec.choice.features.clone_from(&args.features.list);
        spec
    };
    let mut specs: Vec<Spec> = sources.iter().map(spec).collect();
    share_options(&mut specs)?;
    Ok(specs)
}

fn read(spec: &Spec, session: &mut Session, problems: &mut Diagnostics) -> Option<Described> {
    let alias = spec.source.alias().and_then(Result::ok);
    let is_xe = alias.is_some_and(|alias| matches!(alias.machine, Machine::Xe(_)));
    let mut found = Diagnostics::new();
    let before = session.files.iter().count();
    let read = read_open(spec, &mut session.files, &mut found);
    let files = before..session.files.iter().count();
    if found.has_errors() {
        problems.append(found);
    }
    let (isa, generation, features) = read?;
    let isa = isa.restricted(None, features.as_deref());
    Some(Described { isa, generation, is_xe, files })
}

fn answer(args: &Args, one: &Described, two: &Described, session: &Session) -> Result<(), Diagnostic> {
    let (first, last) = (args.generations.first(), args.generations.last());
    let side = |described: &'_ Described, text: Option<&String>| {
        let given = text.map(|t| generation(&described.isa, t)).transpose()?;
        Ok::<_, Diagnostic>(given.or(described.generation))
    };
    let a = Side { isa: &one.isa, generation: side(one, first)? };
    let b = Side { isa: &two.isa, generation: side(two, last)? };
    if a.generation.is_some() != b.generation.is_some() {
        let d = Diagnostic::error("cli-diff", "one side is a gen, and the other one all gens");
        return Err(
            d.note("choose one gen for both with `--gen`, or name one of each: `--isa minnow@v1 --isa minnow@v2`")
        );
    }
    let kernels = if one.is_xe || two.is_xe { Some(xe::description()?) } else { None };
    let mut lines = Lines { kernels: kernels.as_deref(), machines: Vec::new() };
    let gens = [a.generation, b.generation];
    let mut texts = |change: &Change| lines.both([one, two], gens, change);
    let mut progress = Progress::new("comparing", "step");
    let mut why = sources(one, two, session);
    // Sides that are for other gens or features differ although no source does.
    let alike = a.generation == b.generation && args.specs.len() == 2;
    let touches = |isa: &Isa, id| !alike || why.as_ref().is_none_or(|why| why.touches(isa, id));
    let found = diff_of(a, b, &touches, &mut |done, total| progress.at(done, total));
    drop(progress);
    let found = found.map_err(|why| Diagnostic::error("cli-diff", why))?;
    if let Some(why) = &mut why {
        why.assign(a, b, &found);
    }
    let text = if args.json {
        let mut value = schema::marked(schema::DIFF, json::difference(a, b, &found));
        if let Some(why) = &why {
            value["causes"] = json::causes(&session.files, why);
        }
        if let Some(list) = value.get_mut("changes").and_then(|c| c.as_array_mut()) {
            for (value, change) in list.iter_mut().zip(&found.changes) {
                let (x, y) = texts(change);
                value["text_a"] = x.into();
                value["text_b"] = y.into();
            }
        }
        format!("{value:#}\n")
    } else {
        let by_cause = why.as_ref();
        let mut text =
            by_cause.map_or_else(String::new, |why| cause_text::text(a, b, &session.files, &found, why, &mut texts));
        if args.all || by_cause.is_none() {
            text += &to_text(a, b, &found, &mut texts);
        }
        text
    };
    args.output.write(&text)
}

/// What changed in the sources of two sides; `None` where they are not known, or are the same.
fn sources(one: &Described, two: &Described, session: &Session) -> Option<Causes> {
    let files = |range: &Range<usize>| session.files.iter().skip(range.start).take(range.len()).collect::<Vec<_>>();
    let (old, new) = (files(&one.files), files(&two.files));
    let told = !old.is_empty() && !new.is_empty() && one.files != two.files;
    told.then(|| causes((&one.isa, &old), (&two.isa, &new))).filter(|why| !why.list.is_empty())
}

/// How words read.
struct Lines<'d> {
    kernels: Option<&'d Description>,
    /// Machines of Intel Xe, by gen.
    machines: Vec<(u32, Option<Xe<'d>>)>,
}

impl Lines<'_> {
    /// How the sample of a change reads on both sides.
    fn both(&mut self, [a, b]: [&Described; 2], gens: [Option<u32>; 2], change: &Change) -> (String, String) {
        let [of_a, of_b] = gens.map(|generation| generation.unwrap_or(change.gens.map_or(0, |g| g.min)));
        let mut read = |side: &Described, generation, compat| {
            let kernel = if side.is_xe { self.kernel(generation, &change.sample) } else { None };
            kernel.unwrap_or_else(|| line(&side.isa, generation, &change.sample, compat))
        };
        let (x, y) = (read(a, of_a, Compat::Mesa24), read(b, of_b, Compat::Mesa24));
        // Floats are compared by value, and `%f` prints tiny ones alike.
        if x == y { (read(a, of_a, Compat::Mesa26), read(b, of_b, Compat::Mesa26)) } else { (x, y) }
    }

    /// A word of Intel Xe, or what is wrong with it; `None` if it belongs to no operation.
    fn kernel(&mut self, generation: u32, word: &Word) -> Option<String> {
        let at = self.machines.iter().position(|(known, _)| *known == generation).unwrap_or_else(|| {
            let platform = isaglot_xe::platform::ALL.into_iter().find(|p| p.generation() == generation);
            let made = self.kernels.zip(platform).and_then(|(kernels, platform)| Xe::new(kernels, platform));
            self.machines.push((generation, made));
            self.machines.len() - 1
        });
        let xe = self.machines.get_mut(at)?.1.as_mut()?;
        let found = xe.reading(RawWord { pc: 0, word: isaglot::explain::xe::value(word), short: false }).ok()?;
        Some(found.problem.unwrap_or(found.text))
    }
}

/// One word as a line, errors included.
fn line(isa: &Isa, generation: u32, word: &Word, compat: Compat) -> String {
    let plan = Plan::new(isa, generation);
    let mut bytes: Vec<u8> = word.le_bytes().collect();
    if isa.format().byte_order == ByteOrder::Big {
        bytes.reverse();
    }
    let mut out = Vec::new();
    let mut stream = Stream::new(&plan, Options { compat, ..Options::default() }, 0);
    stream.feed(&bytes, &mut Plain, &mut out);
    let text = String::from_utf8_lossy(&out);
    text.lines().next().unwrap_or("").trim_end().to_owned()
}

fn to_text(a: Side<'_>, b: Side<'_>, found: &Difference, texts: &mut dyn FnMut(&Change) -> (String, String)) -> String {
    let mut out = String::new();
    for c in &found.changes {
        let name = |isa: &Isa, id: Option<isaglot_model::EncodingId>| id.map(|id| isa.text(isa[id].name).to_owned());
        let what = match (name(a.isa, c.a), name(b.isa, c.b)) {
            (Some(x), Some(y)) if x != y => format!("`{x}` is now `{y}`"),
            (Some(x), Some(_)) => {
                format!("`{x}`: {}", if c.kind.name() == "text" { "other text" } else { "other fields" })
            }
            (Some(x), None) => format!("`{x}` disappears"),
            (None, Some(y)) => format!("`{y}` appears"),
            (None, None) => String::new(),
        };
        let of = c.gens.map_or_else(String::new, |g| format!(", {}", gens(g)));
        let _ = writeln!(out, "{what}{of}: {}", counted(&c.count, "word"));
        for pattern in &c.patterns {
            let _ = writeln!(out, "  {pattern:#} (2^{})", pattern.free_bits());
        }
        if !c.complete {
            let _ = writeln!(out, "  and smaller ones");
        }
        let (x, y) = texts(c);
        let _ = writeln!(out, "  0x{}\n    - {x}\n    + {y}", c.sample.hex());
    }
    for u in &found.undecided {
        let _ = writeln!(out, "undecided: {}: {}", u.what, u.why);
    }
    if found.changes.is_empty() && found.undecided.is_empty() {
        out.push_str("no word changes\n");
    }
    out
}
