//! Every fuzz target names the test that drives the same function in the ordinary run, and stands in the manifest.
//!
//! The manifest is read as `cargo` reads it: nothing else in the ordinary run does, for fuzzing needs a nightly compiler.

use std::process::Command;

use super::Repo;

/// Every target under `fuzz/fuzz_targets` has a line `//! Smoke test: PATH`, and the manifest names exactly these targets.
pub(super) fn check(repo: &Repo) -> Vec<String> {
    let mut findings = unnamed(repo);
    match listed() {
        Err(why) => findings.push(format!("fuzz/Cargo.toml: {why}")),
        Ok(listed) => {
            let path = |name: &String| format!("fuzz/fuzz_targets/{name}.rs");
            let there = |name: &String| repo.sources.iter().any(|s| s.name == path(name));
            findings.extend(listed.iter().filter(|n| !there(n)).map(|n| format!("fuzz/Cargo.toml: {n} has no file")));
            let files = repo.sources.iter().filter(|s| s.name.starts_with("fuzz/fuzz_targets/"));
            let unlisted = files.filter(|file| !listed.iter().any(|name| path(name) == file.name));
            findings.extend(unlisted.map(|file| format!("{}: fuzz/Cargo.toml does not name it", file.name)));
        }
    }
    findings
}

/// The targets that the manifest names.
fn listed() -> Result<Vec<String>, String> {
    let out = Command::new("cargo")
        .args(["metadata", "--no-deps", "--offline", "--format-version", "1", "--manifest-path", "fuzz/Cargo.toml"])
        .current_dir(crate::root())
        .output()
        .map_err(|e| format!("cannot run cargo: {e}"))?;
    let data: serde_json::Value =
        serde_json::from_slice(&out.stdout).map_err(|_| String::from_utf8_lossy(&out.stderr).into_owned())?;
    let targets = data["packages"][0]["targets"].as_array().ok_or("no targets")?;
    Ok(targets.iter().filter_map(|t| t["name"].as_str().map(str::to_owned)).collect())
}

fn unnamed(repo: &Repo) -> Vec<String> {
    let targets = repo.sources.iter().filter(|s| s.name.starts_with("fuzz/fuzz_targets/"));
    let unnamed = targets.filter(|target| {
        let named = target.text.lines().filter(|l| l.starts_with("//!")).find_map(|l| l.split("Smoke test: ").nth(1));
        let path = named.unwrap_or("").trim().trim_end_matches('.').trim_matches('`');
        !repo.sources.iter().any(|s| s.name == path)
    });
    unnamed.map(|t| format!("{}: no line `//! Smoke test: PATH` that names an existing test file", t.name)).collect()
}
