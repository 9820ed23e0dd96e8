//! Rules about one file each: how it opens, how long it is, what it is called.

use super::{Repo, is_generated};

/// Lines above which a file is surely more than one idea.
const MAX_LINES: usize = 1000;

/// Given a file's path from the root and its text, says what is wrong.
type FileRule = fn(&str, &str) -> Option<String>;

const FILE_RULES: &[FileRule] =
    &[opens_with_its_idea, not_too_long, no_trailing_space, no_conflict, crate_takes_the_lints, no_grab_bag];

pub(super) fn check(repo: &Repo) -> Vec<String> {
    let of = |name: &str, text: &str| -> Vec<String> {
        FILE_RULES.iter().filter_map(|rule| rule(name, text)).map(|what| format!("{name}: {what}")).collect()
    };
    repo.sources.iter().flat_map(|s| of(&s.name, &s.text)).collect()
}

/// Each crate opens its documentation with its README, which has an example.
pub(super) fn readmes(repo: &Repo) -> Vec<String> {
    let crates = repo.sources.iter().filter_map(|s| s.name.strip_suffix("/Cargo.toml"));
    let names = crates.filter(|name| name.starts_with("crates/") || *name == "specs");
    let lacks = |name: &&str| {
        let library = repo.text(&format!("{name}/src/lib.rs"));
        let shown = library.is_empty() || library.contains("#![doc = include_str!(\"../README.md\")]");
        !shown || !repo.text(&format!("{name}/README.md")).contains("```")
    };
    names.filter(lacks).map(|name| format!("{name}: no README.md with an example, shown by lib.rs")).collect()
}

fn is_rust(name: &str) -> bool {
    name.ends_with(".rs")
}

fn opens_with_its_idea(name: &str, text: &str) -> Option<String> {
    let opens = text.starts_with("//!") || is_generated(text) || text.starts_with("#!");
    (is_rust(name) && !opens).then(|| "does not open with a `//!` that says what it is about".to_owned())
}

fn not_too_long(name: &str, text: &str) -> Option<String> {
    let lines = text.lines().count();
    (is_rust(name) && !is_generated(text) && lines > MAX_LINES)
        .then(|| format!("has {lines} lines; above {MAX_LINES} it is more than one idea"))
}

fn no_trailing_space(name: &str, text: &str) -> Option<String> {
    let checked = [".rs", ".md", ".toml"].iter().any(|end| name.ends_with(end));
    let line = text.lines().position(|l| l.ends_with([' ', '\t']))?;
    checked.then(|| format!("line {} ends with white space", line + 1))
}

/// The workspace of the fuzz targets is not built in the ordinary run, so a merge that was left open there would not be seen.
fn no_conflict(_: &str, text: &str) -> Option<String> {
    let line = text.lines().position(|l| l.starts_with("<<<<<<< ") || l.starts_with(">>>>>>> "))?;
    Some(format!("line {} is left of a merge conflict", line + 1))
}

/// The crates that may have `unsafe`, since they meet the pointers of C and code that was made: they have the workspace's lints but for that
/// one.
const BORDER: [&str; 2] = ["crates/c/Cargo.toml", "crates/jit/Cargo.toml"];

fn crate_takes_the_lints(name: &str, text: &str) -> Option<String> {
    let is_crate =
        name.ends_with("/Cargo.toml") && ["crates/", "specs/", "xtask/"].iter().any(|top| name.starts_with(top));
    if BORDER.contains(&name) {
        let wanted =
            ["unsafe_code = \"deny\"", "unsafe_op_in_unsafe_fn = \"deny\"", "undocumented_unsafe_blocks = \"deny\""];
        let lacks = wanted.into_iter().find(|lint| !text.contains(lint))?;
        return Some(format!("does not have the lint {lacks}"));
    }
    (is_crate && !text.contains("[lints]\nworkspace = true")).then(|| "does not take the workspace's lints".to_owned())
}

fn no_grab_bag(name: &str, _: &str) -> Option<String> {
    let stem = name.rsplit('/').next().unwrap_or(name);
    ["utils.rs", "util.rs", "helpers.rs", "misc.rs", "common.rs"]
        .contains(&stem)
        .then(|| "a name that says nothing".to_owned())
}
