//! LLVM targets as descriptions: a `.td` file with what it includes, and an operand table.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use isaglot_llvm::{self as llvm, Lowered, NoSuch, OperandTable};
use isaglot_model::Isa;
use isaglot_source::{Diagnostic, Diagnostics, SourceMap, closest};
use isaglot_tablegen as tablegen;

use crate::interrupt::Stage;
use crate::load::{Chosen, Spec};
use crate::progress::Progress;
use crate::published::Parts;
use crate::subject::SubjectKind;

/// The options that say what a description of another project consists of.
#[derive(clap::Args, Clone, Debug, Default)]
pub(crate) struct FileArgs {
    /// A folder in which included files are looked for (TableGen).
    #[arg(short = 'I', value_name = "DIR")]
    pub(crate) include: Vec<PathBuf>,
    /// What its operands mean; by default the table that comes with isaglot for a file of this name (TableGen).
    #[arg(long, value_name = "FILE")]
    pub(crate) operands: Option<PathBuf>,
    /// A folder that is put over the description: `spec/custom/isa/NAME` (RISC-V Unified Database).
    #[arg(long, value_name = "DIR")]
    pub(crate) overlay: Option<PathBuf>,
    /// What an implementation has: a file of `cfgs` (RISC-V Unified Database).
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
}

impl FileArgs {
    /// What is said of a published format.
    pub(crate) fn parts(&self) -> Parts<'_> {
        Parts { overlay: self.overlay.as_deref(), config: self.config.as_deref(), operands: self.operands.as_deref() }
    }
}

/// The options that say how the description is read.
#[derive(clap::Args, Clone, Debug, Default)]
pub(crate) struct ReadArgs {
    #[command(flatten)]
    pub(crate) files: FileArgs,
    /// Take a compiled description although its sources have changed.
    #[arg(long)]
    pub(crate) stale: bool,
}

/// The options that choose a processor of a TableGen description.
#[derive(clap::Args, Clone, Debug, Default)]
pub(crate) struct ProcessorArgs {
    /// The target, such as `riscv64` (TableGen).
    #[arg(long, value_name = "TRIPLE", default_value = "", hide_default_value = true)]
    pub(crate) triple: String,
    /// The processor (TableGen).
    #[arg(long, visible_alias = "cpu", value_name = "NAME", default_value = "", hide_default_value = true)]
    pub(crate) mcpu: String,
}

/// A target that was read.
pub(crate) struct Target {
    pub(crate) lowered: Lowered,
    pub(crate) table: OperandTable,
}

pub(crate) use crate::form::is_tablegen;

/// Reads and lowers a target for a triple, or none; `None` if there were errors.
pub(crate) fn read(
    path: &Path,
    args: &FileArgs,
    triple: &str,
    files: &mut SourceMap,
    problems: &mut Diagnostics,
) -> Option<Target> {
    let bytes = problems.ok(crate::io::read_text(Some(path)))?;
    let table = operands(path, args, files, problems)?.for_triple(triple);
    let include_dirs = args.include.iter().map(|dir| dir.display().to_string()).collect();
    let options = tablegen::Options { include_dirs, no_unused_warning: true, ..tablegen::Options::default() };
    let name = path.display().to_string();
    let mut progress = Progress::new(format!("reading the records of {name}"), "file");
    let mut read = 0;
    let mut load = |path: &str| {
        read += 1;
        progress.at_place(read, 0);
        crate::io::read_text(Some(Path::new(path))).ok().map(Arc::from)
    };
    let mut records = tablegen::parse_into(std::mem::take(files), &name, bytes.into(), &options, &mut load);
    drop(progress);
    problems.append(isaglot::records::problems(&records));
    let _stage = Stage::new(format!("reading the instructions of {name}"), "");
    let mut found = Diagnostics::new();
    let lowered = if records.ok() { llvm::lower(&records, &table, &mut found) } else { None };
    problems.append(in_one_sentence(&name, found));
    *files = std::mem::take(records.files_mut());
    // Freeing millions of values one by one would only take time.
    std::mem::forget(records);
    let lowered = lowered?;
    lowered.warnings().for_each(|d| problems.push(d));
    Some(Target { lowered, table })
}

/// The code of the problem that an instruction is not as wide as the others of its set.
const WIDTH: &str = "model-width";

/// Many instructions of the wrong width are one problem: the target has several instruction sets, as ARM has, and its tables
/// do not say how they are told apart.
fn in_one_sentence(name: &str, found: Diagnostics) -> Diagnostics {
    let widths: Vec<&Diagnostic> = found.iter().filter(|d| d.code == WIDTH).collect();
    let [first, _, ..] = widths.as_slice() else { return found };
    let message =
        format!("{name}: instructions of several widths share a set, and nothing says which one a word begins");
    let mut one = Diagnostic::error("tablegen-widths", message);
    if let Some(span) = first.span() {
        one = one.label(span, format!("the first of {}", widths.len()));
    }
    let mut all: Diagnostics =
        one.note("a target of several instruction sets, such as ARM and Mips, cannot be read yet").into();
    found.iter().filter(|d| d.code != WIDTH).cloned().for_each(|d| all.push(d));
    all
}

/// The operand table: the one that is given, or the one for a target of this name; without either, none.
fn operands(path: &Path, args: &FileArgs, files: &mut SourceMap, problems: &mut Diagnostics) -> Option<OperandTable> {
    let (name, text) = match &args.operands {
        Some(path) => {
            let bytes = problems.ok(crate::io::read_text(Some(path)))?;
            (path.display().to_string(), String::from_utf8_lossy(&bytes).into_owned())
        }
        None => {
            let stem = path.file_stem().map(|s| s.to_string_lossy().to_ascii_lowercase()).unwrap_or_default();
            match isaglot::shipped::operands(&stem) {
                Some(text) => (format!("{stem}.operands"), text.to_owned()),
                None => return Some(OperandTable::default()),
            }
        }
    };
    let file = files.add(name, text.as_bytes());
    let before = problems.error_count();
    let table = llvm::read(file, &text, problems);
    (problems.error_count() == before).then_some(table)
}

/// Reads a target and resolves triple, processor and features.
pub(crate) fn load(path: &Path, spec: &Spec, files: &mut SourceMap, problems: &mut Diagnostics) -> Option<Chosen> {
    let target = read(path, &spec.read.files, &spec.processor.triple, files, problems)?;
    doubt(path, approximate(&target.lowered).as_ref(), problems);
    choose(target.lowered.isa, &target.table, spec, problems)
}

/// Names in the warning about approximate texts.
const SHOWN: usize = 3;

/// Warns of what is not known of a target.
pub(crate) fn doubt<'d>(
    path: &Path,
    doubts: impl IntoIterator<Item = &'d (String, Vec<String>)>,
    problems: &mut Diagnostics,
) {
    for (sentence, notes) in doubts {
        let d = Diagnostic::warning("cli-operands", format!("{}: {sentence}", path.display()));
        problems.push(notes.iter().fold(d, |d, note| d.note(note.clone())));
    }
}

/// What to warn of where nothing says what some operands mean: how much of the target that touches, and notes on it.
pub(crate) fn approximate(lowered: &Lowered) -> Option<(String, Vec<String>)> {
    let mut missing: Vec<(&str, usize)> = lowered.missing.iter().map(|m| (m.1.as_str(), m.3)).collect();
    // The most used ones first; those that are used alike stay in the order of their names.
    missing.sort_by_key(|&(_, count)| std::cmp::Reverse(count));
    let uses: usize = missing.iter().map(|&(_, count)| count).sum();
    let names: Vec<String> = missing.iter().take(SHOWN).map(|(name, count)| format!("`{name}` ({count})")).collect();
    let kinds = if missing.len() == 1 {
        "1 kind of operands".to_owned()
    } else {
        format!("{} kinds of operands", missing.len())
    };
    let sentence = format!(
        "texts are approximate: nothing explains {kinds}, used {uses} times by the {} instructions",
        lowered.instructions
    );
    let notes = vec![
        format!("the most used: {}", names.join(", ")),
        "`isaglot check` lists all, and docs/llvm-targets.md says how an operand table explains them".to_owned(),
    ];
    (!missing.is_empty()).then_some((sentence, notes))
}

/// Resolves triple, processor and features of a target.
pub(crate) fn choose(isa: Isa, table: &OperandTable, spec: &Spec, problems: &mut Diagnostics) -> Option<Chosen> {
    let names: Vec<&str> = spec.features.iter().map(String::as_str).collect();
    if spec.generation.is_some() {
        let d = Diagnostic::error("cli-gen", "`--gen` does not apply: a target of LLVM has no gens");
        problems.push(d.note("choose with `--triple`, `--mcpu` and `--mattr`"));
        return None;
    }
    if !spec.processor.triple.is_empty() && table.triples.is_empty() {
        let d =
            Diagnostic::warning("cli-triple", format!("nothing is known of the triple `{}`", spec.processor.triple));
        problems.push(d.note("the operand table of the target has no triples: choose with `--mcpu` and `--mattr`"));
    }
    match llvm::choose(&isa, table, &spec.processor.triple, &spec.processor.mcpu, &names) {
        Ok(features) => {
            Some(Chosen { isa, generation: 0, features, aliases: !spec.no_aliases, kind: SubjectKind::Llvm })
        }
        Err(no) => {
            let features = || isa.features().iter().map(|f| f.name.as_str());
            let d = match &no {
                NoSuch::Triple(name) => {
                    let d = Diagnostic::error("cli-triple", format!("`{name}` is not a triple of the target"));
                    let known: Vec<&str> = table.triples.iter().map(|(prefix, _)| prefix.as_str()).collect();
                    let d = d.did_you_mean(closest(name, known.iter().copied()));
                    d.note(format!("expected one that begins with: {}", known.join(", ")))
                }
                NoSuch::Order(name) => {
                    let message = format!("the bytes of `{name}` are in another order than this description has them");
                    let d = Diagnostic::error("cli-triple", message);
                    d.note("a compiled description has one order: take the `.td` file itself with this triple")
                }
                NoSuch::Processor(name) => {
                    let known = features().filter_map(|f| f.strip_prefix("cpu="));
                    let d = Diagnostic::error("cli-cpu", format!("the target has no processor `{name}`"));
                    d.did_you_mean(closest(name, known))
                }
                NoSuch::Feature(name) => {
                    let d = Diagnostic::error("cli-feature", format!("the target has no feature `{name}`"));
                    d.did_you_mean(closest(name, features().filter(|f| !f.starts_with("cpu="))))
                }
            };
            problems.push(d);
            None
        }
    }
}
