//! `cargo xtask gen-hart`: writes the executors of crates/hart anew from the semantics of specs/riscv.

use std::io::Write;
use std::process::{Command, Stdio};

use isaglot_source::{Diagnostics, SourceMap, render};

/// Reads the description and writes `crates/hart/src/generated/{rv32,rv64,table}.rs`.
pub(crate) fn run(args: &[String]) -> Result<(), String> {
    if !args.is_empty() {
        return Err("usage: cargo xtask gen-hart".to_owned());
    }
    let dir = crate::root().join("specs/riscv");
    let (mut files, mut problems) = (SourceMap::new(), Diagnostics::new());
    let mut read = |name: &str| std::fs::read(dir.join(name)).map_err(|e| e.to_string());
    let isa = isaglot_isaspec::load(&mut files, "riscv.xml", &mut read, &mut problems).ok_or_else(|| {
        let texts: Vec<String> = problems.iter().map(|d| render::text(&files, d, false)).collect();
        texts.concat()
    })?;
    for (name, text) in ["rv32", "rv64", "table"].into_iter().zip(isaglot_emit::executor::generate(&isa, &[32, 64])?) {
        let text = formatted(&text)?;
        let path = crate::root().join(format!("crates/hart/src/generated/{name}.rs"));
        std::fs::write(&path, text).map_err(|e| format!("{}: {e}", path.display()))?;
    }
    Ok(())
}

fn formatted(text: &str) -> Result<String, String> {
    let mut child = Command::new("rustfmt")
        .args(["--edition", "2024", "--config-path"])
        .arg(crate::root())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .map_err(|e| format!("rustfmt: {e}"))?;
    let mut stdin = child.stdin.take().ok_or("rustfmt takes no input")?;
    // Written from a thread of its own: rustfmt may answer before it has read everything.
    let source = text.to_owned();
    let writer = std::thread::spawn(move || stdin.write_all(source.as_bytes()));
    let out = child.wait_with_output().map_err(|e| format!("rustfmt: {e}"))?;
    let written = writer.join().is_ok_and(|w| w.is_ok());
    if !out.status.success() || !written {
        return Err("rustfmt did not take the generated source".to_owned());
    }
    String::from_utf8(out.stdout).map_err(|e| e.to_string())
}
