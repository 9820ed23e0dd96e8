//! The committed executors are what the description gives now.

use std::process::Command;

use isaglot_testing::{peer, workspace};

use crate::description;

/// What `rustfmt` makes of it; `None` where there is none.
fn formatted(text: &str) -> Option<String> {
    let mut rustfmt = Command::new("rustfmt");
    rustfmt.args(["--edition", "2024", "--config-path"]).arg(workspace());
    peer::output(&mut rustfmt, text).ok()
}

/// Without what `rustfmt` may change: white space, commas, braces of blocks.
fn folded(text: &str) -> String {
    text.chars().filter(|c| !c.is_whitespace() && !",{}".contains(*c)).collect()
}

#[test]
fn executors_are_fresh() {
    let isa = description::isa();
    let sources = isaglot_emit::executor::generate(&isa, &[32, 64]).expect("every encoding fits the scheme");
    for (name, made) in ["rv32", "rv64", "table"].into_iter().zip(sources) {
        let path = workspace().join(format!("crates/hart/src/generated/{name}.rs"));
        let committed = std::fs::read_to_string(&path).expect("it is committed");
        let same = match formatted(&made) {
            Some(text) => text == committed,
            None => folded(&made) == folded(&committed),
        };
        assert!(same, "{name}.rs is stale: run `cargo xtask gen-hart`");
    }
}
