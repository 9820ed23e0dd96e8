//! The conventions of CONTRIBUTING.md that a machine can check: a file here for each family of rules.
//!
//! A rule gets the repository as it is, in a [`Repo`], and gives findings, each a line that names its place. A new rule is a
//! new function in [`RULES`].

mod code;
mod cycles;
mod files;
mod fuzzing;
mod map;
mod purity;
mod words;

use std::path::Path;

/// A file that git knows, or a new one that it does not ignore.
struct Source {
    /// Its path from the root, with `/`.
    name: String,
    text: String,
}

/// All that rules look at.
struct Repo {
    /// Text files, in order of name.
    sources: Vec<Source>,
    /// The crates of the workspace, as `cargo metadata` gives them.
    packages: Vec<map::Package>,
}

impl Repo {
    fn read(root: &Path) -> Result<Repo, String> {
        let listed = std::process::Command::new("git")
            .args(["ls-files", "--cached", "--others", "--exclude-standard"])
            .current_dir(root)
            .output()
            .map_err(|e| format!("cannot run git: {e}"))?;
        let mut names: Vec<String> = String::from_utf8_lossy(&listed.stdout).lines().map(str::to_owned).collect();
        names.sort();
        names.dedup();
        let source = |name: String| Some(Source { text: std::fs::read_to_string(root.join(&name)).ok()?, name });
        Ok(Repo { sources: names.into_iter().filter_map(source).collect(), packages: map::packages(root)? })
    }

    /// The text of a file; empty if it is not there.
    fn text(&self, name: &str) -> &str {
        self.sources.iter().find(|s| s.name == name).map_or("", |s| &s.text)
    }

    /// The Rust files of a folder below `crates/NAME/`, with the name of their crate. Generated ones are not among them.
    fn rust<'a>(&'a self, folder: &'a str) -> impl Iterator<Item = (&'a str, &'a Source)> {
        self.sources.iter().filter(|s| s.name.ends_with(".rs") && !is_generated(&s.text)).filter_map(move |s| {
            let (name, rest) = s.name.strip_prefix("crates/")?.split_once('/')?;
            rest.strip_prefix(folder).filter(|rest| rest.starts_with('/')).map(|_| (name, s))
        })
    }
}

fn is_generated(text: &str) -> bool {
    text.starts_with("// @generated")
}

/// A family of rules.
type Rule = fn(&Repo) -> Vec<String>;

/// Rules that must hold.
const RULES: &[Rule] =
    &[files::check, files::readmes, map::check, fuzzing::check, cycles::check, purity::check, words::check];

/// Checks every file and reports all findings.
pub(crate) fn run() -> Result<(), String> {
    let repo = Repo::read(&crate::root())?;
    let findings: Vec<String> = RULES.iter().flat_map(|rule| rule(&repo)).collect();
    for finding in &findings {
        eprintln!("{finding}");
    }
    if findings.is_empty() { Ok(()) } else { Err(format!("{} findings", findings.len())) }
}
