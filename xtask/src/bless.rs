//! Writes every golden anew. What changed is for a person to read before it is committed.

use std::process::Command;

/// Runs `cargo test` with `BLESS=1` and these further arguments, then shows what changed.
pub(crate) fn run(args: &[String]) -> Result<(), String> {
    let scope: &[String] = if args.is_empty() { &["--workspace".to_owned()] } else { args };
    let status = Command::new("cargo").arg("test").args(scope).env("BLESS", "1").current_dir(crate::root()).status();
    let status = status.map_err(|e| format!("cannot run cargo: {e}"))?;
    let changed = Command::new("git").args(["status", "--short"]).current_dir(crate::root()).status();
    changed.map_err(|e| format!("cannot run git: {e}"))?;
    if status.success() { Ok(()) } else { Err("some tests fail even with fresh goldens".to_owned()) }
}
