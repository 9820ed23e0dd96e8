//! The committed executors are what the description gives now.

mod riscv;

use std::io::Write;
use std::process::{Command, Stdio};

/// What `rustfmt` makes of it; `None` where there is none.
fn formatted(text: &str) -> Option<String> {
    let mut child = Command::new("rustfmt")
        .args(["--edition", "2024", "--config-path"])
        .arg(riscv::root())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .ok()?;
    let mut stdin = child.stdin.take()?;
    let source = text.to_owned();
    let writer = std::thread::spawn(move || stdin.write_all(source.as_bytes()));
    let out = child.wait_with_output().ok()?;
    writer.join().ok()?.ok()?;
    out.status.success().then(|| String::from_utf8_lossy(&out.stdout).into_owned())
}

/// Without what `rustfmt` may change: white space, needless parentheses and commas.
fn folded(text: &str) -> String {
    text.chars().filter(|c| !c.is_whitespace() && !"(),".contains(*c)).collect()
}

#[test]
fn executors_are_fresh() {
    let isa = riscv::isa();
    for (name, generation) in [("rv32", 32), ("rv64", 64)] {
        let path = riscv::root().join(format!("crates/hart/src/generated/{name}.rs"));
        let committed = std::fs::read_to_string(&path).expect("it is committed");
        let made = isaglot_emit::executor::generate(&isa, generation).expect("every encoding fits the scheme");
        let same = match formatted(&made) {
            Some(text) => text == committed,
            None => folded(&made) == folded(&committed),
        };
        assert!(same, "{name}.rs is stale: run `cargo xtask gen-hart`");
    }
}
