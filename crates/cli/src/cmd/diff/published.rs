//! The difference of published formats of RISC-V, and of descriptions with them: by names, exact to the word, by cause.

use std::process::ExitCode;

use isaglot_riscv::formats::compare::compare;
use isaglot_riscv::formats::compare::rules::Rules;
use isaglot_riscv::formats::{Table, of_isa};
use isaglot_source::{Diagnostic, Diagnostics};

use super::{Args, read};
use crate::load::Source;
use crate::session::Session;

/// Runs the verb for two or three descriptions.
pub(super) fn run(sources: &[Source], args: &Args, session: &mut Session) -> ExitCode {
    if !(2..=3).contains(&sources.len()) {
        let d = Diagnostic::error("cli-diff", "expected two or three descriptions of RISC-V");
        return session.wrong_usage(d);
    }
    if !args.generations.is_empty() {
        let d = Diagnostic::error("cli-diff", "`--gen` does not apply: both widths of registers are compared");
        return session.wrong_usage(d);
    }
    let mut problems = Diagnostics::new();
    let mut tables: Vec<Table> = Vec::new();
    for source in sources {
        let Some(mut table) = table(source, args, session, &mut problems) else { break };
        // Two versions of one format are told apart by their places.
        let same = tables.iter().position(|other| other.name == table.name);
        if let Some((known, first)) = same.and_then(|at| Some((tables.get_mut(at)?, sources.get(at)?))) {
            known.name = first.name();
            table.name = source.name();
        }
        tables.push(table);
    }
    if tables.len() < sources.len() || problems.has_errors() {
        return session.status(&problems);
    }
    let tables: Vec<&Table> = tables.iter().collect();
    let found = compare(&tables, &Rules::shipped());
    let answer = if args.json { format!("{:#}\n", found.json()) } else { found.text(args.all) };
    session.done(args.output.write(&answer))
}

fn table(source: &Source, args: &Args, session: &mut Session, problems: &mut Diagnostics) -> Option<Table> {
    let path = match source {
        Source::File(path) => Some(path.as_path()),
        Source::Name(_) | Source::Input => None,
    };
    if let Some(format) = path.and_then(crate::published::Format::of) {
        // A warning about the data is for `check`; an error leaves out what a comparison would have to know.
        let mut found = Diagnostics::new();
        let table = format.table(&mut session.files, &mut found);
        if found.has_errors() {
            problems.append(found);
            return None;
        }
        return table;
    }
    let isa = read(source.clone(), args, session, problems)?.isa;
    if !isa.name().to_ascii_lowercase().contains("riscv") {
        let d = Diagnostic::error("cli-diff", format!("`{}` is not a description of RISC-V", source.name()));
        problems.push(d.note("published formats are compared with descriptions of RISC-V"));
        return None;
    }
    let name = match path {
        Some(path) if crate::target::is_tablegen(path) => "llvm".to_owned(),
        Some(path) => path.display().to_string(),
        None => "shipped".to_owned(),
    };
    Some(of_isa::table(&isa, &name))
}
