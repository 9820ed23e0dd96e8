//! The conventions of CONTRIBUTING.md that a machine can check. A new rule is a new function in [`RULES`].

use std::fs;
use std::path::{Path, PathBuf};

/// Lines above which a file is surely more than one idea.
const MAX_LINES: usize = 1000;

/// A rule: given a file's path from the root and its text, says what is wrong.
type Rule = fn(&str, &str) -> Option<String>;

const RULES: &[Rule] = &[opens_with_its_idea, not_too_long, no_trailing_space, crate_takes_the_lints, no_grab_bag];

/// Checks every file and reports all findings.
pub(crate) fn run() -> Result<(), String> {
    let root = crate::root();
    let mut findings = Vec::new();
    for path in files(&root)? {
        let name = path.strip_prefix(&root).unwrap_or(&path).to_string_lossy().replace('\\', "/");
        let Ok(text) = fs::read_to_string(&path) else { continue };
        findings.extend(RULES.iter().filter_map(|rule| rule(&name, &text)).map(|what| format!("{name}: {what}")));
    }
    findings.extend(crates_are_on_the_map(&root)?);
    findings.extend(fuzz_targets_have_smoke_tests(&root)?);
    for finding in &findings {
        eprintln!("{finding}");
    }
    if findings.is_empty() { Ok(()) } else { Err(format!("{} findings", findings.len())) }
}

/// The files that git knows, and new ones that it does not ignore.
fn files(root: &Path) -> Result<Vec<PathBuf>, String> {
    let listed = std::process::Command::new("git")
        .args(["ls-files", "--cached", "--others", "--exclude-standard"])
        .current_dir(root)
        .output()
        .map_err(|e| format!("cannot run git: {e}"))?;
    Ok(String::from_utf8_lossy(&listed.stdout).lines().map(|line| root.join(line)).collect())
}

fn is_rust(name: &str) -> bool {
    name.ends_with(".rs")
}

fn opens_with_its_idea(name: &str, text: &str) -> Option<String> {
    let opens = text.starts_with("//!") || text.starts_with("// @generated") || text.starts_with("#!");
    (is_rust(name) && !opens).then(|| "does not open with a `//!` that says what it is about".to_owned())
}

fn not_too_long(name: &str, text: &str) -> Option<String> {
    let lines = text.lines().count();
    let generated = text.starts_with("// @generated");
    (is_rust(name) && !generated && lines > MAX_LINES)
        .then(|| format!("has {lines} lines; above {MAX_LINES} it is more than one idea"))
}

fn no_trailing_space(name: &str, text: &str) -> Option<String> {
    let checked = [".rs", ".md", ".toml"].iter().any(|end| name.ends_with(end));
    let line = text.lines().position(|l| l.ends_with([' ', '\t']))?;
    checked.then(|| format!("line {} ends with white space", line + 1))
}

fn crate_takes_the_lints(name: &str, text: &str) -> Option<String> {
    let is_crate = name.ends_with("/Cargo.toml") && (name.starts_with("crates/") || name.starts_with("xtask/"));
    (is_crate && !text.contains("[lints]\nworkspace = true")).then(|| "does not take the workspace's lints".to_owned())
}

fn no_grab_bag(name: &str, _: &str) -> Option<String> {
    let stem = name.rsplit('/').next().unwrap_or(name);
    ["utils.rs", "util.rs", "helpers.rs", "misc.rs", "common.rs"]
        .contains(&stem)
        .then(|| "a name that says nothing".to_owned())
}

fn folders(dir: &Path) -> Result<Vec<String>, String> {
    let entries = fs::read_dir(dir).map_err(|e| format!("{}: {e}", dir.display()))?;
    let mut names: Vec<String> = entries.flatten().map(|e| e.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    Ok(names)
}

fn crates_are_on_the_map(root: &Path) -> Result<Vec<String>, String> {
    let map = fs::read_to_string(root.join("ARCHITECTURE.md")).map_err(|e| format!("ARCHITECTURE.md: {e}"))?;
    let missing = folders(&root.join("crates"))?.into_iter().filter(|name| !map.contains(&format!("| `{name}` |")));
    Ok(missing.map(|name| format!("ARCHITECTURE.md: crate `{name}` is not in the code map")).collect())
}

/// Every target under `fuzz/fuzz_targets` calls one public function `smoke::NAME` or names, in its first line, the test
/// that drives the same function: `//! Smoke test: PATH`.
fn fuzz_targets_have_smoke_tests(root: &Path) -> Result<Vec<String>, String> {
    let dir = root.join("fuzz/fuzz_targets");
    let mut findings = Vec::new();
    if !dir.is_dir() {
        return Ok(findings);
    }
    for name in folders(&dir)? {
        let text = fs::read_to_string(dir.join(&name)).unwrap_or_default();
        let named = text.lines().filter(|l| l.starts_with("//!")).find_map(|l| l.split("Smoke test: ").nth(1));
        let exists = named.is_some_and(|path| root.join(path.trim().trim_matches('`').trim_end_matches('.')).is_file());
        if !exists {
            findings.push(format!(
                "fuzz/fuzz_targets/{name}: no line `//! Smoke test: PATH` that names an existing test file"
            ));
        }
    }
    Ok(findings)
}
