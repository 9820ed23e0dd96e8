//! How the table of names is asked for and answered: `--isa help`, and for a program with `--json`. The table is the library's.

use std::ffi::OsString;

use isaglot::shipped;
pub(crate) use isaglot::spec::names::{Machine, find, list, machine, machines, of};
use isaglot::spec::names::{aliases, families, gens_of, of_riscv};
use serde_json::json;

/// Whether the command line asks for the names: `--isa help`, whatever else a verb would need.
pub(crate) fn are_asked_for(mut args: impl Iterator<Item = OsString>) -> bool {
    let mut before = OsString::new();
    args.any(|arg| {
        let found = arg == "--isa=help" || (before == "--isa" && arg == "help");
        before = arg;
        found
    })
}

/// All names, for a program.
pub(crate) fn to_json() -> String {
    let descriptions = shipped::names().into_iter().map(|name| {
        let gens = gens_of(name).unwrap_or_default();
        json!({ "name": name, "gens": gens })
    });
    let machines = isaglot_xe::platform::ALL.map(|machine| {
        json!({
            "name": of(machine), "description": "xe", "gen": machine.generation(), "aliases": aliases(machine),
        })
    });
    let families: Vec<&str> = families().collect();
    let (profiles, extensions) = of_riscv();
    let riscv = json!({ "profiles": profiles, "extensions": extensions });
    let descriptions: Vec<_> = descriptions.collect();
    let all = json!({
        "$schema": crate::schema::NAMES, "version": 1, "descriptions": descriptions, "machines": machines, "others": families, "riscv": riscv,
    });
    format!("{all:#}\n")
}
