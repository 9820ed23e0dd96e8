//! Pages about descriptions: how long making them takes, and how many bytes they are.

use std::path::Path;
use std::process::Command;
use std::time::Instant;

/// Descriptions: name and arguments.
const DESCRIPTIONS: &[(&str, &[&str])] = &[
    ("ir3", &["{isaspec}/ir3/ir3.xml"]),
    ("afuc", &["{isaspec}/afuc/afuc.xml"]),
    ("etnaviv", &["{isaspec}/etnaviv/etnaviv.xml"]),
    ("RISC-V", &["--isa", "riscv"]),
    ("Xe", &["--isa", "xe"]),
    ("minnow", &["--isa", "minnow"]),
    ("trio", &["--isa", "trio"]),
];

/// Prints the cost of every site.
pub(crate) fn print() -> Result<(), String> {
    let isaspec = super::corpus()?.join("isaspec/xml").display().to_string();
    println!("| docs | s | files | MB |");
    println!("|---|---|---|---|");
    for (name, args) in DESCRIPTIONS {
        let dir = super::folder()?.join(format!("site-{name}"));
        if dir.exists() {
            std::fs::remove_dir_all(&dir).map_err(|e| format!("{}: {e}", dir.display()))?;
        }
        let start = Instant::now();
        let done = Command::new(super::program())
            .arg("docs")
            .args(args.iter().map(|a| a.replace("{isaspec}", &isaspec)))
            .arg("-o")
            .arg(&dir)
            .status();
        let seconds = start.elapsed().as_secs_f64();
        if !done.is_ok_and(|status| status.success()) {
            return Err(format!("docs {name} failed"));
        }
        let (files, bytes) = size(&dir)?;
        println!("| {name} | {seconds:.2} | {files} | {:.1} |", bytes as f64 / 1e6);
    }
    Ok(())
}

fn size(dir: &Path) -> Result<(usize, u64), String> {
    let (mut files, mut bytes) = (0, 0);
    for entry in std::fs::read_dir(dir).map_err(|e| format!("{}: {e}", dir.display()))?.flatten() {
        let data = entry.metadata().map_err(|e| e.to_string())?;
        let (f, b) = if data.is_dir() { size(&entry.path())? } else { (1, data.len()) };
        files += f;
        bytes += b;
    }
    Ok((files, bytes))
}
