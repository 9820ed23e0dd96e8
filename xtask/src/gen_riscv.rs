//! `cargo xtask gen-riscv DIR`: writes the generated part of specs/riscv anew from the Unified Database.

use std::path::Path;

use isaglot_riscv::formats::lower::operands;
use isaglot_riscv::formats::{shipped, udb};
use isaglot_source::{Diagnostics, SourceMap, render};

/// Reads `DIR/spec/std/isa` and writes the files that [`shipped::names`] lists.
pub(crate) fn run(args: &[String]) -> Result<(), String> {
    let [folder] = args else { return Err("usage: cargo xtask gen-riscv DIR, the folder of the database".to_owned()) };
    let specs = crate::root().join("specs/riscv");
    let (mut files, mut problems) = (SourceMap::new(), Diagnostics::new());
    let made = make(Path::new(folder), &specs, &mut files, &mut problems);
    let texts: Vec<String> = problems.iter().map(|d| render::text(&files, d, false)).collect();
    let made = made.filter(|_| !problems.has_errors()).ok_or_else(|| texts.concat())?;
    for (name, text) in made {
        let path = specs.join(name);
        std::fs::write(&path, text).map_err(|e| format!("{}: {e}", path.display()))?;
    }
    Ok(())
}

fn make(
    folder: &Path,
    specs: &Path,
    files: &mut SourceMap,
    problems: &mut Diagnostics,
) -> Option<Vec<(&'static str, String)>> {
    let mut base = udb::Folder { name: "spec/std/isa".to_owned(), files: Vec::new() };
    collect(&folder.join("spec/std/isa"), "", &mut base.files).ok()?;
    base.files.sort();
    let table = udb::load(udb::Sources { base, ..udb::Sources::default() }, files, problems)?;
    let mut read = |name: &str| match shipped::names().any(|made| made == name) {
        true => Ok(shipped::EMPTY.as_bytes().to_vec()),
        false => std::fs::read(specs.join(name)).map_err(|e| e.to_string()),
    };
    let by_hand = isaglot_isaspec::load(files, "riscv.xml", &mut read, problems)?;
    let text = std::fs::read_to_string(specs.join("formats.operands")).ok()?;
    let id = files.add("formats.operands".to_owned(), text.as_bytes());
    let operands = operands::read(id, &text, "gnu", problems);
    Some(shipped::files(&table, &operands, &by_hand, problems))
}

/// All that the front end reads of a folder.
fn collect(folder: &Path, prefix: &str, out: &mut Vec<(String, Vec<u8>)>) -> std::io::Result<()> {
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        let name = format!("{prefix}{}", path.file_name().unwrap_or_default().to_string_lossy());
        if path.is_dir() {
            collect(&path, &format!("{name}/"), out)?;
        } else if udb::is_read(&name) {
            out.push((name, std::fs::read(&path)?));
        }
    }
    Ok(())
}
