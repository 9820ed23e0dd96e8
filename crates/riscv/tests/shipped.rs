//! The generated part of the shipped description is what the Unified Database gives now.

#[allow(dead_code)]
mod formats;

use std::path::Path;

use formats::tree;
use isaglot_riscv::formats::lower::operands;
use isaglot_riscv::formats::shipped;
use isaglot_riscv::formats::udb::{self, Folder};
use isaglot_source::{Diagnostics, SourceMap, render};
use isaglot_testing::{Failed, suite, workspace};

fn main() {
    suite::run_corpus_cases("riscv", &[("shipped::is_current", is_current)]);
}

fn is_current(corpus: &Path) -> Result<(), Failed> {
    let all = tree(corpus, "udb.tar.xz", "udb")?;
    let inside =
        |(path, bytes): &(String, Vec<u8>)| Some((path.strip_prefix("spec/std/isa/")?.to_owned(), bytes.clone()));
    let base = Folder { name: "spec/std/isa".to_owned(), files: all.iter().filter_map(inside).collect() };
    let (mut files, mut out) = (SourceMap::new(), Diagnostics::new());
    let table = udb::load(udb::Sources { base, ..udb::Sources::default() }, &mut files, &mut out)
        .ok_or("the tree is refused")?;
    let specs = workspace().join("specs/riscv");
    let mut read = |name: &str| match shipped::names().any(|made| made == name) {
        true => Ok(shipped::EMPTY.as_bytes().to_vec()),
        false => std::fs::read(specs.join(name)).map_err(|e| e.to_string()),
    };
    let mut out = Diagnostics::new();
    let said = |files: &SourceMap, out: &Diagnostics| -> String {
        out.iter().map(|d| render::text(files, d, false)).collect()
    };
    let by_hand =
        isaglot_isaspec::load(&mut files, "riscv.xml", &mut read, &mut out).ok_or_else(|| said(&files, &out))?;
    let text = std::fs::read_to_string(specs.join("formats.operands"))?;
    let id = files.add("formats.operands".to_owned(), text.as_bytes());
    let operands = operands::read(id, &text, "gnu", &mut out);
    for (name, made) in shipped::files(&table, &operands, &by_hand, &mut out) {
        if std::fs::read_to_string(specs.join(name))? != made {
            return Err(format!("specs/riscv/{name} is stale: run `cargo xtask gen-riscv DIR`").into());
        }
    }
    Ok(())
}
