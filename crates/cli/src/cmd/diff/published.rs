//! The difference of published formats of RISC-V, and of descriptions with them: by names, exact to the word, by cause.

use std::process::ExitCode;

use isaglot_riscv::formats::compare::compare;
use isaglot_riscv::formats::compare::rules::Rules;
use isaglot_riscv::formats::{Table, of_isa};
use isaglot_source::{Diagnostic, Diagnostics};

use super::{Args, read};
use isaglot::spec::published::Format;

use crate::load::{Program, Source, Spec};
use crate::schema;
use crate::session::Session;

/// Runs the verb for two or three descriptions.
pub(super) fn run(sources: &[Source], args: &Args, session: &mut Session) -> ExitCode {
    if !(2..=3).contains(&sources.len()) {
        let d = Diagnostic::error("cli-diff", "expected two or three descriptions of RISC-V");
        return session.wrong_usage(d);
    }
    let specs = match refused(sources, args).and_then(|()| super::specs(sources, args)) {
        Ok(specs) => specs,
        Err(d) => return session.wrong_usage(d),
    };
    let mut problems = Diagnostics::new();
    let mut tables: Vec<Table> = Vec::new();
    for (source, spec) in sources.iter().zip(&specs) {
        let Some(mut table) = table(spec, session, &mut problems) else { break };
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
    let answer = if args.json {
        format!("{:#}\n", schema::marked(schema::DIFF_FORMATS, found.json()))
    } else {
        found.text(args.all)
    };
    session.done(args.output.write(&answer))
}

/// What would choose among instructions: published formats are compared whole, with their conditions.
fn refused(sources: &[Source], args: &Args) -> Result<(), Diagnostic> {
    let refusal = |what: String, why: &str| Err(Diagnostic::error("cli-diff", format!("{what} does not apply: {why}")));
    let whole = "instructions of all extensions are compared, with their conditions";
    if !args.generations.is_empty() {
        return refusal("`--gen`".to_owned(), "both widths of registers are compared");
    }
    let processor = &args.processor;
    let options = [
        ("--feature", !args.features.list.is_empty()),
        ("--triple", !processor.triple.is_empty()),
        ("--mcpu", !processor.mcpu.is_empty()),
    ];
    if let Some((name, _)) = options.iter().find(|(_, is_given)| *is_given) {
        return refusal(format!("`{name}`"), whole);
    }
    if let Some(source) = sources.iter().find(|source| source.chooses()) {
        return refusal(format!("the choice in `{}`", source.name()), whole).map_err(|d| d.note("name `riscv`"));
    }
    let is_target = |source: &Source| matches!(source, Source::File(path) if isaglot::spec::form::is_tablegen(path));
    if args.read.files.operands.is_some() && !sources.iter().any(is_target) {
        return refusal("`--operands`".to_owned(), "words are compared, not their texts");
    }
    Ok(())
}

fn table(spec: &Spec, session: &mut Session, problems: &mut Diagnostics) -> Option<Table> {
    let source = &spec.source;
    let path = match source {
        Source::File(path) => Some(path.as_path()),
        Source::Name(_) | Source::Input => None,
    };
    if let Some(format) = path.and_then(Format::of) {
        // A warning about the data is for `check`; an error leaves out what a comparison would have to know.
        let mut found = Diagnostics::new();
        let table = format.table(&spec.choice.parts(), &Program, &mut session.files, &mut found);
        if found.has_errors() {
            problems.append(found);
            return None;
        }
        return table;
    }
    let isa = read(spec, session, problems)?.isa;
    if !isa.name().to_ascii_lowercase().contains("riscv") {
        let d = Diagnostic::error("cli-diff", format!("`{}` is not a description of RISC-V", source.name()));
        problems.push(d.note("published formats are compared with descriptions of RISC-V"));
        return None;
    }
    let name = match path {
        Some(path) if isaglot::spec::form::is_tablegen(path) => "llvm".to_owned(),
        Some(path) => path.display().to_string(),
        None => "shipped".to_owned(),
    };
    Some(of_isa::table(&isa, &name))
}
