//! `isaglot diff --semantics`: what the Unified Database says that instructions do, against a description, by a solver.
//!
//! Each instruction is asked about for all words, all values of registers and all of memory at once. It is the same, or there
//! is a step that shows the difference, as a program that a person can run; or it is said why it could not be compared.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use isaglot_model::Isa;
use isaglot_prove::Verdict;
use isaglot_prove::instructions::{Question, Step, questions};
use isaglot_riscv::Xlen;
use isaglot_riscv::formats::Table;
use isaglot_source::{Diagnostic, Diagnostics};
use serde_json::{Value, json};

use super::{Args, read};
use crate::interrupt::Stage;
use isaglot::spec::published::Format;

use crate::load::{Program, Source, Spec};
use crate::progress::Progress;
use crate::schema;
use crate::session::{EXIT_INPUT, Session};
use crate::solver::{KNOWN, Solver};

/// What a comparison of semantics needs.
#[derive(clap::Args, Debug)]
#[command(next_help_heading = "What instructions do")]
pub(super) struct SemanticsArgs {
    /// Compare what instructions do, not their words: those of a folder of the RISC-V Unified Database with those of a description of
    /// RISC-V. Each is proved to do the same, or refuted by a program of one step; `--all` also names the proved ones.
    #[arg(long)]
    pub(super) semantics: bool,
    /// The solver; the first of z3 and cvc5 that is there if not given.
    #[arg(long, value_name = "PROGRAM", requires = "semantics")]
    solver: Option<PathBuf>,
    /// How long the solver may take for one question, in seconds.
    #[arg(long, value_name = "SECONDS", default_value = "15", requires = "semantics")]
    timeout: u64,
    /// Write the program of every refuted instruction into this folder.
    #[arg(long, value_name = "DIR", requires = "semantics")]
    counterexample: Option<PathBuf>,
}

/// Runs the verb. A difference is an answer, not an error.
pub(super) fn run(sources: &[Source], args: &Args, session: &mut Session) -> ExitCode {
    let Some((folder, other)) = pair(sources) else {
        let d = Diagnostic::error(
            "cli-diff",
            "`--semantics` expects a folder of the RISC-V Unified Database and one description of RISC-V",
        );
        return session.wrong_usage(d.note("such as `isaglot diff udb --isa riscv --semantics`"));
    };
    if !args.generations.is_empty() {
        let d = Diagnostic::error("cli-diff", "`--gen` does not apply to `--semantics`");
        return session.wrong_usage(d.note("name one width of registers with its extensions: `--isa rv64gc`"));
    }
    if args.read.files.operands.is_some() {
        let d = Diagnostic::error("cli-diff", "`--operands` does not apply to `--semantics`");
        return session.wrong_usage(d.note("what instructions do is compared, not their texts"));
    }
    let (database, described) = match super::specs(sources, args).map(<[Spec; 2]>::try_from) {
        Ok(Ok([a, b])) if a.path().as_deref() == Some(folder) => (a, b),
        Ok(Ok([a, b])) => (b, a),
        Ok(Err(_)) => return ExitCode::from(EXIT_INPUT),
        Err(d) => return session.wrong_usage(d),
    };
    let given = &args.semantics;
    let Some(solver) = Solver::find(given.solver.as_deref(), Duration::from_secs(given.timeout)) else {
        return session.wrong_usage(no_solver(given.solver.as_deref()));
    };
    let mut problems = Diagnostics::new();
    let found = Format::of(folder).and_then(|format| {
        let mut found = Diagnostics::new();
        let table = format.table(&database.choice.parts(), &Program, &mut session.files, &mut found);
        // Warnings about the data are for `check`.
        if found.has_errors() {
            problems.append(found);
        }
        table
    });
    let described = read(&described, session, &mut problems);
    let (Some(table), Some(described)) = (found, described) else { return session.status(&problems) };
    let isa = &described.isa;
    if !isa[isa.root()].encodings.iter().any(|&id| isa[id].semantics.is_some()) {
        let d = Diagnostic::error("cli-diff", format!("`{}` does not say what its instructions do", other.name()));
        return session.fail(d.note("expected a description with `<semantics>`, such as `--isa riscv`"));
    }
    let all = [Xlen::Rv32, Xlen::Rv64].into_iter();
    let xlens: Vec<Xlen> = all.filter(|x| described.generation.is_none_or(|g| g == x.bits())).collect();
    let rows = decide(&table, session, isa, &xlens, &solver);
    session.done(written(args, &rows, &solver))
}

/// The folder of the database and the other description, in whatever order they are given.
fn pair(sources: &[Source]) -> Option<(&Path, &Source)> {
    let folder = |source: &Source| match source {
        Source::File(path) => matches!(Format::of(path), Some(Format::Udb(_))),
        Source::Name(_) | Source::Input => false,
    };
    match sources {
        [a, b] if folder(a) != folder(b) => {
            let (udb, other) = if folder(a) { (a, b) } else { (b, a) };
            let Source::File(path) = udb else { return None };
            let is_format = matches!(other, Source::File(path) if isaglot::spec::published::is_published(path));
            (!is_format).then_some((path.as_path(), other))
        }
        _ => None,
    }
}

fn no_solver(given: Option<&Path>) -> Diagnostic {
    let message = match given {
        Some(path) => format!("the solver {} cannot be started", path.display()),
        None => format!("no solver: none of {} can be started", KNOWN.join(", ")),
    };
    let d = Diagnostic::error("diff-solver", message);
    d.note("what instructions do is compared by a solver: install z3, such as by `apt-get install z3`, or name one with `--solver`")
}

/// What became of one instruction.
enum Found {
    Proved,
    Refuted(Box<Step>),
    /// The solver does not know: why.
    Undecided(String),
    /// The kind of reason why it could not be asked, and the reason.
    Outside(&'static str, String),
}

struct Row {
    name: String,
    xlen: Xlen,
    found: Found,
}

fn decide(table: &Table, session: &Session, isa: &Isa, xlens: &[Xlen], solver: &Solver) -> Vec<Row> {
    let list = {
        let _stage = Stage::new("reading what instructions do".to_owned(), "");
        questions(table, &session.files, isa, xlens)
    };
    let mut progress = Progress::new("comparing what instructions do", "instruction");
    let total = list.len();
    let mut rows = Vec::with_capacity(total);
    for (at, question) in list.into_iter().enumerate() {
        progress.at(at, total);
        let _stage = Stage::new(format!("{} (RV{})", question.name, question.xlen.bits()), "");
        let (name, xlen) = (question.name.clone(), question.xlen);
        rows.push(Row { name, xlen, found: one(question, solver) });
    }
    rows
}

fn one(question: Question, solver: &Solver) -> Found {
    let claims = match question.claims {
        Ok(claims) => claims,
        Err((class, why)) => return Found::Outside(class, why),
    };
    for mut compared in claims {
        match compared.decide(&mut |script, names| solver.solve(script, names)) {
            (Verdict::Proved { .. }, _) => {}
            (Verdict::Unknown(why), _) => return Found::Undecided(why),
            (Verdict::Refuted(_), Some(step)) => return Found::Refuted(Box::new(step)),
            (Verdict::Refuted(_), None) => return Found::Undecided("no single step shows the difference".to_owned()),
        }
    }
    Found::Proved
}

impl Row {
    fn verdict(&self) -> &'static str {
        match &self.found {
            Found::Proved => "proved",
            Found::Refuted(_) => "refuted",
            Found::Undecided(_) => "not decided",
            Found::Outside(..) => "not compared",
        }
    }

    /// The file of its program.
    fn file(&self) -> String {
        format!("{}-rv{}.s", self.name, self.xlen.bits())
    }

    /// How its program is run.
    fn commands(&self, folder: &Path) -> [String; 2] {
        let source = folder.join(self.file()).display().to_string();
        let program = source.trim_end_matches(".s").to_owned();
        let bits = self.xlen.bits();
        [
            format!("isaglot asm --isa rv{bits}gc {source} -o {program}.elf"),
            format!("isaglot run --trace {program}.elf"),
        ]
    }

    fn text(&self, folder: Option<&Path>, out: &mut String) {
        let _ = write!(out, "{}: {} (RV{})", self.verdict(), self.name, self.xlen.bits());
        match &self.found {
            Found::Proved => out.push('\n'),
            Found::Undecided(why) | Found::Outside(_, why) => {
                let _ = writeln!(out, ": {why}");
            }
            Found::Refuted(step) => {
                let (theirs, ours) = (step.theirs.changes.join(", "), step.ours.changes.join(", "));
                let _ = writeln!(out, ": 0x{} makes {theirs} in the database, {ours} here", step.word.hex());
                let lines: Vec<String> = match folder {
                    Some(folder) => self.commands(folder).to_vec(),
                    None => step.program().lines().map(str::to_owned).collect(),
                };
                lines.iter().for_each(|line| {
                    let _ = writeln!(out, "    {}", line.trim_start());
                });
            }
        }
    }

    fn json(&self, folder: Option<&Path>) -> Value {
        let mut row = json!({ "name": self.name, "xlen": self.xlen.bits(), "verdict": self.verdict() });
        match &self.found {
            Found::Proved => {}
            Found::Undecided(why) => row["why"] = why.as_str().into(),
            Found::Outside(class, why) => {
                row["class"] = (*class).into();
                row["why"] = why.as_str().into();
            }
            Found::Refuted(step) => {
                row["word"] = format!("0x{}", step.word.hex()).into();
                row["database"] = json!(step.theirs.changes);
                row["description"] = json!(step.ours.changes);
                row["program"] = step.program().into();
                if let Some(folder) = folder {
                    row["commands"] = json!(self.commands(folder));
                }
            }
        }
        row
    }
}

/// How many rows there are of each verdict, and why some were not compared.
fn counts(rows: &[Row]) -> (BTreeMap<&'static str, usize>, BTreeMap<&'static str, usize>) {
    let (mut verdicts, mut classes) = (BTreeMap::new(), BTreeMap::new());
    for row in rows {
        *verdicts.entry(row.verdict()).or_default() += 1;
        if let Found::Outside(class, _) = row.found {
            *classes.entry(class).or_default() += 1;
        }
    }
    (verdicts, classes)
}

fn written(args: &Args, rows: &[Row], solver: &Solver) -> Result<(), Diagnostic> {
    let folder = args.semantics.counterexample.as_deref();
    if let Some(folder) = folder {
        std::fs::create_dir_all(folder).map_err(|e| crate::io::unwritable(&folder.display().to_string(), &e))?;
        for row in rows {
            if let Found::Refuted(step) = &row.found {
                crate::io::write(Some(&folder.join(row.file())), false, step.program().as_bytes())?;
            }
        }
    }
    let (verdicts, classes) = counts(rows);
    if args.json {
        let list: Vec<Value> = rows.iter().map(|row| row.json(folder)).collect();
        let answer = json!({ "$schema": schema::DIFF_SEMANTICS, "solver": solver.name(), "counts": verdicts, "not_compared": classes, "instructions": list });
        return args.output.write(&format!("{answer:#}\n"));
    }
    let mut out = String::new();
    let is_shown = |row: &&Row| args.all || matches!(row.found, Found::Refuted(_) | Found::Undecided(_));
    rows.iter().filter(is_shown).for_each(|row| row.text(folder, &mut out));
    let count = |verdict: &str| verdicts.get(verdict).copied().unwrap_or_default();
    let _ = writeln!(
        out,
        "{} proved, {} refuted, {} not decided, {} not compared; {}",
        count("proved"),
        count("refuted"),
        count("not decided"),
        count("not compared"),
        solver.name()
    );
    for (class, number) in classes {
        let _ = writeln!(out, "not compared, {class}: {number}");
    }
    args.output.write(&out)
}
