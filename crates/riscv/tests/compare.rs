//! The published formats, the shipped description and LLVM's records, compared with each other.

mod formats;

use std::path::Path;
use std::sync::Arc;

use formats::tree;
use isaglot_riscv::formats::compare::compare;
use isaglot_riscv::formats::compare::rules::Rules;
use isaglot_riscv::formats::udb::{self, Folder, Sources};
use isaglot_riscv::formats::{Table, of_isa, opcodes};
use isaglot_source::{Diagnostics, FileId, SourceMap};
use isaglot_testing::{Failed, suite};

fn main() {
    suite::run_corpus_cases("riscv", &[("classes", classes)]);
}

fn opcodes_table(corpus: &Path) -> Result<Table, Failed> {
    let tree = tree(corpus, "opcodes.tar.xz", "opcodes")?;
    Ok(opcodes::table::table(&opcodes::load(&mut SourceMap::new(), &tree, &mut Diagnostics::new())))
}

fn shipped_table() -> Table {
    let top = isaglot_testing::workspace().join("specs/riscv/riscv.xml");
    let mut found = Diagnostics::new();
    let isa = isaglot_isaspec::load(
        &mut SourceMap::new(),
        &top.display().to_string(),
        &mut isaglot_testing::corpus::load,
        &mut found,
    );
    of_isa::table(&isa.unwrap_or_else(|| panic!("{found:?}")), "shipped")
}

/// LLVM's records, in the archive of the corpus for TableGen.
fn llvm_table(corpus: &Path) -> Result<Table, Failed> {
    let root = isaglot_testing::corpus::unpacked(&corpus.join("../tablegen/td.tar.xz"))?;
    let dir = root.join("llvm/lib/Target/RISCV");
    let include_dirs = [root.join("llvm/include"), dir.clone()].map(|d| d.display().to_string());
    let options =
        isaglot_tablegen::Options { include_dirs: include_dirs.into(), no_unused_warning: true, ..Default::default() };
    let top = dir.join("RISCV.td");
    let bytes: Arc<[u8]> = std::fs::read(&top)?.into();
    let mut load = |path: &str| std::fs::read(path).ok().map(Arc::from);
    let records = isaglot_tablegen::parse(&top.display().to_string(), bytes, &options, &mut load);
    let mut problems = Diagnostics::new();
    let operands = std::fs::read_to_string(isaglot_testing::workspace().join("specs/llvm/riscv.operands"))?;
    let table = isaglot_llvm::read(FileId(u32::MAX), &operands, &mut problems);
    let lowered = isaglot_llvm::lower(&records, &table, &mut problems).ok_or("RISCV.td cannot be lowered")?;
    // Freeing millions of values takes longer than the test.
    std::mem::forget(records);
    Ok(of_isa::table(&lowered.isa, "llvm"))
}

/// The standard tree of the Unified Database.
fn udb_table(corpus: &Path) -> Result<Table, Failed> {
    let inside = |(path, bytes): (String, Vec<u8>)| Some((path.strip_prefix("spec/std/isa/")?.to_owned(), bytes));
    let files = tree(corpus, "udb.tar.xz", "udb")?.into_iter().filter_map(inside).collect();
    let base = Folder { name: String::new(), files };
    let table = udb::load(Sources { base, overlay: None }, &mut SourceMap::new(), &mut Diagnostics::new());
    Ok(table.ok_or("the tree is refused")?)
}

fn classes(corpus: &Path) -> Result<(), Failed> {
    let rules = Rules::shipped();
    let start = std::time::Instant::now();
    let (opcodes, udb) = (opcodes_table(corpus)?, udb_table(corpus)?);
    println!("{:?}", start.elapsed());
    println!("{}", compare(&[&udb, &opcodes], &rules).text(true));
    println!("{:?}", start.elapsed());
    if std::env::var_os("LLVM").is_some() {
        let llvm = llvm_table(corpus)?;
        println!("{:?}", start.elapsed());
        println!("{}", compare(&[&udb, &opcodes, &llvm], &rules).text(true));
        println!("{:?}", start.elapsed());
    }
    Ok(())
}
