//! The sites of the corpus's descriptions.

mod common;
mod described;

use std::path::{Path, PathBuf};

use libtest_mimic::{Arguments, Trial};

fn corpus() -> Option<PathBuf> {
    let root = match std::env::var_os("ISAGLOT_CORPUS") {
        Some(path) => PathBuf::from(path),
        None => Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus"),
    };
    let path = root.join("isaspec");
    path.is_dir().then_some(path)
}

/// The descriptions: `xml/NAME/NAME.xml`.
fn tops(corpus: &Path) -> Vec<(String, PathBuf)> {
    let folders = std::fs::read_dir(corpus.join("xml")).into_iter().flatten().flatten().map(|e| e.path());
    let mut all: Vec<(String, PathBuf)> = folders
        .filter_map(|folder| {
            let name = folder.file_name()?.to_str()?.to_owned();
            let top = folder.join(format!("{name}.xml"));
            top.is_file().then_some((name, top))
        })
        .collect();
    all.sort();
    all
}

fn main() {
    let args = Arguments::from_args();
    let Some(corpus) = corpus() else {
        assert!(std::env::var_os("ISAGLOT_CORPUS").is_none(), "ISAGLOT_CORPUS names no folder");
        eprintln!("no corpus: the isaspec sites are not checked");
        let trial = Trial::test("isaspec_pages", || Ok(())).with_ignored_flag(true);
        libtest_mimic::run(&args, vec![trial]).exit();
    };
    let tops = tops(&corpus);
    assert!(!tops.is_empty(), "the corpus has no descriptions");
    let trials = tops.into_iter().map(|(name, top)| {
        Trial::test(format!("isaspec_pages_{name}"), move || {
            println!("{}: {} files", top.display(), described::check(&top)?);
            Ok(())
        })
    });
    libtest_mimic::run(&args, trials.collect()).exit();
}
