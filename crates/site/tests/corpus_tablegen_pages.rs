//! The sites of targets of LLVM, made from the records of the corpus and the operand tables that ship with the project.

mod common;

use std::path::Path;
use std::sync::Arc;

use isaglot_llvm as isa;
use isaglot_source::{Diagnostics, FileId, SourceMap};
use isaglot_testing::{Failed, corpus, suite, workspace};

/// Folder in LLVM's tree, and name of the operand table.
const TARGETS: [(&str, &str); 2] = [("RISCV", "riscv"), ("BPF", "bpf")];

fn main() {
    suite::run_corpus_cases("tablegen", &[("tablegen_pages", targets)])
}

fn targets(corpus: &Path) -> Result<(), Failed> {
    let root = corpus::unpacked(&corpus.join("td.tar.xz"))?;
    for (folder, table) in TARGETS {
        let pages = check(&root, folder, table).map_err(|e| format!("{folder}: {e}"))?;
        println!("{folder}: {pages} files");
    }
    Ok(())
}

fn check(root: &Path, folder: &str, table: &str) -> Result<usize, String> {
    let dir = root.join("llvm/lib/Target").join(folder);
    let include_dirs = [root.join("llvm/include"), dir.clone()].map(|d| d.display().to_string()).into();
    let options = isaglot_tablegen::Options { include_dirs, no_unused_warning: true, ..Default::default() };
    let top = dir.join(format!("{folder}.td"));
    let bytes: Arc<[u8]> = std::fs::read(&top).map_err(|e| e.to_string())?.into();
    let mut load = |path: &str| std::fs::read(path).ok().map(Arc::from);
    let name = top.display().to_string();
    let mut records = isaglot_tablegen::parse_into(SourceMap::new(), &name, bytes, &options, &mut load);
    let shipped = workspace().join(format!("specs/llvm/{table}.operands"));
    let mut problems = Diagnostics::new();
    let text = std::fs::read_to_string(shipped).map_err(|e| e.to_string())?;
    let table = isa::read(FileId(u32::MAX), &text, &mut problems);
    let lowered = isa::lower(&records, &table, &mut problems).ok_or("it is not lowered")?;
    let files = std::mem::take(records.files_mut());
    // Freeing millions of values takes longer than the test.
    std::mem::forget(records);
    common::check_site(&lowered.isa, &files)
}
