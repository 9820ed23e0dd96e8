//! `cargo xtask api`: what each crate gives to others, as a text that is committed.
//!
//! The problem: a change of a public item breaks those who depend on it, and nobody sees it in a review of a thousand lines. The
//! invariant: `api/CRATE.txt` has every public item of a crate, one a line, with the features that the whole library switches on. The method:
//! rustdoc writes its model as JSON, and the crate `public-api` makes lines of it. `BLESS=1` writes the texts anew. rustdoc's
//! JSON changes with the compiler: with one that this xtask cannot read nothing is compared, which is said.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use crate::packages::published;
use crate::root;

/// Set when this program stands in for rustdoc: the one to start.
const STANDS_IN: &str = "ISAGLOT_XTASK_RUSTDOC";

/// The format of rustdoc's JSON that `public-api` reads.
const FORMAT: u64 = 57;

/// Starts rustdoc with its JSON allowed, if cargo started this program in its place. Only rustdoc may see the variable that
/// does so: build scripts would be run again for it.
pub(crate) fn as_rustdoc() -> Option<ExitCode> {
    let rustdoc = std::env::var_os(STANDS_IN)?;
    let status = Command::new(rustdoc).args(std::env::args_os().skip(1)).env("RUSTC_BOOTSTRAP", "1").status();
    Some(if status.is_ok_and(|status| status.success()) { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

pub(crate) fn run(args: &[String]) -> Result<(), String> {
    if !args.is_empty() {
        return Err("api takes no arguments; BLESS=1 writes the texts anew".to_owned());
    }
    let me = std::env::current_exe().map_err(|e| format!("this program: {e}"))?;
    let rustdoc = std::env::var_os("RUSTDOC").unwrap_or_else(|| "rustdoc".into());
    let libraries: Vec<String> = published()?.into_iter().filter(|p| is_library(&p.manifest)).map(|p| p.name).collect();
    let mut doc = Command::new("cargo");
    doc.args(["doc", "--no-deps", "--lib", "--offline", "--quiet"]).current_dir(root());
    // All that the program and the whole library switch on, so nothing that is for tests alone.
    doc.args(["--workspace", "--features", "isaglot/full"]);
    doc.env("RUSTDOC", &me).env(STANDS_IN, &rustdoc);
    doc.env("RUSTDOCFLAGS", "-Zunstable-options --output-format=json");
    let out = doc.output().map_err(|e| format!("cannot run cargo: {e}"))?;
    if !out.status.success() {
        return Err(format!("cargo doc\n{}", String::from_utf8_lossy(&out.stderr)));
    }
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), PathBuf::from);
    let bless = std::env::var_os("BLESS").is_some();
    let (mut changed, mut items) = (Vec::new(), 0);
    for name in &libraries {
        let json = target.join("doc").join(name.replace('-', "_")).with_extension("json");
        let Some(lines) = lines(&json)? else {
            println!("api: this compiler's rustdoc writes JSON of another format than {FORMAT}: nothing is compared");
            return Ok(());
        };
        items += lines.len();
        changed.extend(compare(name, &lines, bless)?);
    }
    match changed.is_empty() {
        true => {
            println!("{} crates, {items} public items, as in api/", libraries.len());
            Ok(())
        }
        false => {
            changed.iter().for_each(|line| println!("{line}"));
            Err("public items differ from api/: BLESS=1 cargo xtask api writes it anew".to_owned())
        }
    }
}

/// Whether a package has a library.
fn is_library(manifest: &serde_json::Value) -> bool {
    let kinds = manifest["targets"].as_array().into_iter().flatten().flat_map(|t| t["kind"].as_array());
    kinds.flatten().any(|kind| kind == "lib")
}

/// The public items of a crate, sorted; `None` if its JSON has another format.
fn lines(json: &Path) -> Result<Option<Vec<String>>, String> {
    let failed = |e: &dyn std::fmt::Display| format!("{}: {e}", json.display());
    let text = std::fs::read_to_string(json).map_err(|e| failed(&e))?;
    let format = text.rsplit_once("\"format_version\":").and_then(|(_, rest)| rest.trim_end_matches('}').parse().ok());
    if format != Some(FORMAT) {
        return Ok(None);
    }
    let api = public_api::Builder::from_rustdoc_json(json)
        .omit_blanket_impls(true)
        .omit_auto_trait_impls(true)
        .omit_auto_derived_impls(true)
        .build()
        .map_err(|e| failed(&e))?;
    Ok(Some(api.items().map(|item| item.to_string()).collect()))
}

/// How the items of a crate differ from its text; or writes that.
fn compare(name: &str, lines: &[String], bless: bool) -> Result<Vec<String>, String> {
    let path = root().join("api").join(name).with_extension("txt");
    let failed = |e: std::io::Error| format!("{}: {e}", path.display());
    let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
    if bless {
        std::fs::create_dir_all(root().join("api")).and_then(|()| std::fs::write(&path, text)).map_err(failed)?;
        return Ok(Vec::new());
    }
    let committed = std::fs::read_to_string(&path).unwrap_or_default();
    let (old, new): (BTreeSet<&str>, BTreeSet<&str>) = (committed.lines().collect(), text.lines().collect());
    let gone = old.difference(&new).map(|line| format!("- {line}    (breaks those who use it)"));
    let mut all: Vec<String> = gone.chain(new.difference(&old).map(|line| format!("+ {line}"))).collect();
    if !all.is_empty() {
        all.insert(0, format!("api/{name}.txt"));
    }
    Ok(all)
}
