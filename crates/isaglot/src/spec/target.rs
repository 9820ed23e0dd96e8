//! LLVM targets as descriptions: a `.td` file with what it includes, and an operand table.

use std::path::Path;
use std::sync::Arc;

use isaglot_llvm::{self as llvm, Lowered, Missing, NoSuch, OperandTable};
use isaglot_model::Isa;
use isaglot_source::{Diagnostic, Diagnostics, SourceMap, closest};
use isaglot_tablegen as tablegen;

use super::{Choice, Chosen, Host, SubjectKind, doubt, text};

/// A target that was read.
pub struct Target {
    /// The model, and what is said of it.
    pub lowered: Lowered,
    /// What its operands mean.
    pub table: OperandTable,
}

/// Reads and lowers a target for a triple, or none; `None` if there were errors.
pub fn read(
    path: &Path,
    choice: &Choice,
    host: &dyn Host,
    files: &mut SourceMap,
    problems: &mut Diagnostics,
) -> Option<Target> {
    let table = operands(path, choice, host, files, problems)?.for_triple(&choice.triple);
    let name = path.display().to_string();
    let mut records = records(path, choice, host, files, problems)?;
    let _stage = host.stage(&format!("reading the instructions of {name}"), "");
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

/// A first operand table of a target; `None` if there were errors.
pub fn scaffold(
    path: &Path,
    choice: &Choice,
    known: &llvm::Known,
    host: &dyn Host,
    files: &mut SourceMap,
    problems: &mut Diagnostics,
) -> Option<String> {
    let mut records = records(path, choice, host, files, problems)?;
    let table = records.ok().then(|| llvm::scaffold(&records, known));
    *files = std::mem::take(records.files_mut());
    std::mem::forget(records);
    let table = table?;
    if table.is_none() {
        let d = Diagnostic::error("tablegen-no-instructions", "no record is an instruction with an encoding");
        problems.push(d.note("expected records of the class `Instruction` with known bits in `Inst`"));
    }
    table
}

/// The records of a target, with its files in them; what is wrong with them is in `problems`. `None` if the file cannot be read.
fn records(
    path: &Path,
    choice: &Choice,
    host: &dyn Host,
    files: &mut SourceMap,
    problems: &mut Diagnostics,
) -> Option<tablegen::Records> {
    let bytes = problems.ok(text(host, path))?;
    let include_dirs = choice.include.iter().map(|dir| dir.display().to_string()).collect();
    let dialect = choice.dialect;
    let options = tablegen::Options { include_dirs, dialect, no_unused_warning: true, ..tablegen::Options::default() };
    let name = path.display().to_string();
    let mut progress = host.stage(&format!("reading the records of {name}"), "file");
    let mut read = 0;
    let mut load = |path: &str| {
        read += 1;
        progress.at(read, 0);
        text(host, Path::new(path)).ok().map(Arc::from)
    };
    let records = tablegen::parse_into(std::mem::take(files), &name, bytes.into(), &options, &mut load);
    drop(progress);
    problems.append(crate::records::problems(&records));
    Some(records)
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
fn operands(
    path: &Path,
    choice: &Choice,
    host: &dyn Host,
    files: &mut SourceMap,
    problems: &mut Diagnostics,
) -> Option<OperandTable> {
    let (name, text) = match &choice.operands {
        Some(path) => {
            let bytes = problems.ok(text(host, path))?;
            (path.display().to_string(), String::from_utf8_lossy(&bytes).into_owned())
        }
        None => {
            let stem = path.file_stem().map(|s| s.to_string_lossy().to_ascii_lowercase()).unwrap_or_default();
            match shipped_operands(&stem) {
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

/// The table that ships for a target of this name.
#[cfg(feature = "shipped")]
fn shipped_operands(stem: &str) -> Option<&'static str> {
    crate::shipped::operands(stem)
}

#[cfg(not(feature = "shipped"))]
fn shipped_operands(_: &str) -> Option<&'static str> {
    None
}

/// Reads a target and resolves triple, processor and features.
pub fn load(
    path: &Path,
    choice: &Choice,
    host: &dyn Host,
    files: &mut SourceMap,
    problems: &mut Diagnostics,
) -> Option<Chosen> {
    let target = read(path, choice, host, files, problems)?;
    doubt(&path.display().to_string(), approximate(&target.lowered).as_ref(), problems);
    choose(target.lowered.isa, &target.table, choice, problems)
}

/// Names in the warning about approximate texts.
const SHOWN: usize = 3;

/// What to warn of where nothing says what some operands mean: how much of the target that touches, and notes on it.
#[must_use]
pub fn approximate(lowered: &Lowered) -> Option<(String, Vec<String>)> {
    let guesses = lowered.missing.iter().all(|m| m.0 == Missing::Guess);
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
    let why = if guesses { "the operand table guesses" } else { "nothing explains, or only a guess," };
    let why = if lowered.missing.iter().any(|m| m.0 == Missing::Guess) { why } else { "nothing explains" };
    let sentence =
        format!("texts are approximate: {why} {kinds}, used {uses} times by the {} instructions", lowered.instructions);
    let notes = vec![
        format!("the most used: {}", names.join(", ")),
        "`isaglot check` lists all, and docs/llvm-targets.md says how an operand table explains them".to_owned(),
    ];
    (!missing.is_empty()).then_some((sentence, notes))
}

/// Resolves triple, processor and features of a target.
pub fn choose(isa: Isa, table: &OperandTable, choice: &Choice, problems: &mut Diagnostics) -> Option<Chosen> {
    let names: Vec<&str> = choice.features.iter().map(String::as_str).collect();
    if choice.generation.is_some() {
        let d = Diagnostic::error("cli-gen", "`--gen` does not apply: a target of LLVM has no gens");
        problems.push(d.note("choose with `--triple`, `--mcpu` and `--mattr`"));
        return None;
    }
    if !choice.triple.is_empty() && table.triples.is_empty() {
        let d = Diagnostic::warning("cli-triple", format!("nothing is known of the triple `{}`", choice.triple));
        problems.push(d.note("the operand table of the target has no triples: choose with `--mcpu` and `--mattr`"));
    }
    match llvm::choose(&isa, table, &choice.triple, &choice.cpu, &names) {
        Ok(features) => Some(Chosen {
            isa,
            generation: 0,
            features,
            aliases: choice.aliases.unwrap_or(true),
            kind: SubjectKind::Llvm,
        }),
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
                NoSuch::Claim(names) => {
                    let message = "the operand table says nothing of this processor".to_owned();
                    let d = Diagnostic::error("cli-cpu", message);
                    let known = names.join("`, `");
                    d.note(format!(
                        "choose with `--mcpu` or `--mattr` one that has `{known}`: the texts of others would be wrong"
                    ))
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
