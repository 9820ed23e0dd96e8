//! The sites of all descriptions that ship with the project, and of one written to be unkind.

mod common;
mod described;

use std::path::Path;

use libtest_mimic::{Arguments, Failed, Trial};

fn main() {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut tops = Vec::new();
    for dir in [here.join("../../specs"), here.join("tests/data")] {
        let folders = std::fs::read_dir(&dir).expect("the descriptions").flatten().map(|e| e.path());
        for folder in folders.filter(|p| p.is_dir()) {
            let name = folder.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
            let top = folder.join(format!("{name}.xml"));
            if top.is_file() {
                tops.push((name, top));
            }
        }
    }
    tops.sort();
    let trials = tops.into_iter().map(|(name, top)| {
        Trial::test(name, move || {
            let pages = described::check(&top)?;
            if pages > 3 { Ok(()) } else { Err(Failed::from(format!("only {pages} files"))) }
        })
    });
    libtest_mimic::run(&Arguments::from_args(), trials.collect()).exit();
}
