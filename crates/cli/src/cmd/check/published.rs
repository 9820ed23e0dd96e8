//! `isaglot check` of a folder that others publish: its files, its instructions among each other, and the words that are free.

use std::process::ExitCode;

use isaglot::choice;
use isaglot::spec::published::{Format, Parts};
use isaglot_riscv::Xlen;
use isaglot_riscv::formats::Table;
use isaglot_riscv::formats::check::gaps::{Implementation, Space, gaps};
use isaglot_riscv::formats::compare::rules::Rules;
use isaglot_riscv::isa_name;
use isaglot_source::{Diagnostic, Diagnostics, SourceMap};
use serde_json::Value;

use super::{Args, json_of, text_of};
use crate::load::{Program, embedded};
use crate::session::{EXIT_INPUT, Session};

/// Runs the verb.
pub(super) fn run(format: &Format, parts: &Parts<'_>, args: &Args, session: &mut Session) -> ExitCode {
    let rules = Rules::shipped();
    let named: Result<Vec<Implementation>, Diagnostics> =
        args.machines.iter().map(|name| implementation(name, &rules)).collect();
    let named = match named {
        Ok(named) => named,
        Err(problems) => return session.status(&problems),
    };
    let mut problems = Diagnostics::new();
    let table = format.table(parts, &Program, &mut session.files, &mut problems);
    let mut spaces = Vec::new();
    if let Some(table) = &table {
        format.check(table, &mut problems);
        match free(table, parts, &named, &rules) {
            Ok(found) => spaces = found,
            Err(d) => return session.fail(d),
        }
    }
    let all: Vec<Diagnostic> = problems.iter().cloned().collect();
    let to_json = |session: &Session| {
        let mut answer = json_of(session, &all, None);
        answer["free"] = Value::Array(spaces.iter().map(|space| space.json(args.free)).collect());
        answer
    };
    let of_spaces = |out: &mut String| spaces.iter().for_each(|space| space.text(args.free, out));
    let to_text = |session: &Session, color| text_of(args, session, &all, &of_spaces, color);
    match args.answer.write(session, &all, to_json, to_text) {
        Ok(_) if table.is_none() => ExitCode::from(EXIT_INPUT),
        Ok(code) => code,
        Err(d) => session.fail(d),
    }
}

/// The machine of a name, with all that its extensions bring along by the shipped description.
fn implementation(name: &str, rules: &Rules) -> Result<Implementation, Diagnostics> {
    let Some(parsed) = isa_name::parse(name) else {
        let d = Diagnostic::error("cli-isa", format!("`{name}` does not name a machine of RISC-V"));
        return Err(d.note("expected a name such as `rv64gc`, `rv32imac_zba` or `rva23u64`").into());
    };
    let mut problems = Diagnostics::new();
    let Some(isa) = embedded("riscv", &mut SourceMap::new(), &mut problems) else { return Err(problems) };
    let chosen = choice::features(&isa, Some(&parsed.features), &[], &mut problems);
    if problems.has_errors() {
        return Err(problems);
    }
    Ok(Implementation::new(name, parsed.xlen, &isa, &chosen, rules))
}

/// The free words: of every named machine; else of all that can be implemented, or that a configuration leaves open.
fn free(table: &Table, parts: &Parts<'_>, named: &[Implementation], rules: &Rules) -> Result<Vec<Space>, Diagnostic> {
    let mut spaces = if named.is_empty() { gaps(table, None, rules) } else { Vec::new() };
    if let Some(config) = parts.config {
        spaces.iter_mut().for_each(|space| space.name = config.display().to_string());
    }
    for one in named {
        if !one.is_satisfiable(table, rules) {
            let message = format!("no implementation is `{}`", one.name);
            return Err(Diagnostic::error("cli-isa", message).note("what its extensions require contradicts itself"));
        }
        let found = gaps(table, Some(one), rules);
        if found.is_empty() {
            let base = if one.xlen == Xlen::Rv64 { "RV64" } else { "RV32" };
            let message = format!("nothing is described for `{}`: no instruction of {base} is left", one.name);
            return Err(Diagnostic::error("cli-isa", message));
        }
        spaces.extend(found);
    }
    Ok(spaces)
}
