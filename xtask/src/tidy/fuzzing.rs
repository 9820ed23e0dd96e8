//! Every fuzz target names the test that drives the same function in the ordinary run.

use super::Repo;

/// Every target under `fuzz/fuzz_targets` has a line `//! Smoke test: PATH`.
pub(super) fn check(repo: &Repo) -> Vec<String> {
    let targets = repo.sources.iter().filter(|s| s.name.starts_with("fuzz/fuzz_targets/"));
    let unnamed = targets.filter(|target| {
        let named = target.text.lines().filter(|l| l.starts_with("//!")).find_map(|l| l.split("Smoke test: ").nth(1));
        let path = named.unwrap_or("").trim().trim_end_matches('.').trim_matches('`');
        !repo.sources.iter().any(|s| s.name == path)
    });
    unnamed.map(|t| format!("{}: no line `//! Smoke test: PATH` that names an existing test file", t.name)).collect()
}
