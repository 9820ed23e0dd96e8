//! What several tests of this crate share.
#![allow(dead_code)]

use std::path::{Path, PathBuf};
use std::process::Command;

use isaglot_source::{Diagnostics, SourceMap, render};
use isaglot_xintf::check::{Target, check};
use isaglot_xintf::set::{Set, load};

/// Reads the named files of `tests/data`, which must be without any finding.
pub(crate) fn interfaces(names: &[&str]) -> Set {
    let mut files = SourceMap::new();
    let mut out = Diagnostics::new();
    let ids: Vec<_> = names
        .iter()
        .map(|name| {
            let path = data(name);
            files.add(*name, std::fs::read(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display())))
        })
        .collect();
    let set = load(&mut files, &ids, |_, _, _| None, &mut out);
    check(set.own(), Target::default(), &mut out);
    let text: String = out.iter().map(|d| render::text(&files, d, false)).collect();
    assert!(out.is_empty(), "{text}");
    set
}

/// A file of `tests/data`.
pub(crate) fn data(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(name)
}

/// Runs a program; what it says is the error when it fails or warns.
pub(crate) fn run(program: &str, args: &[&str], dir: &Path) -> Result<(), String> {
    let out = Command::new(program).args(args).current_dir(dir).output().map_err(|e| format!("{program}: {e}"))?;
    if out.status.success() && out.stderr.is_empty() {
        return Ok(());
    }
    Err(format!("{program} {}\n{}", args.join(" "), String::from_utf8_lossy(&out.stderr)))
}
