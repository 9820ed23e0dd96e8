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

/// Without what `rustfmt` may change: white space, needless parentheses and commas.
fn folded(text: &str) -> String {
    text.chars().filter(|c| !c.is_whitespace() && !"(),".contains(*c)).collect()
}

#[test]
fn executors_are_fresh() {
    let isa = description::isa();
    for (name, generation) in [("rv32", 32), ("rv64", 64)] {
        let path = workspace().join(format!("crates/hart/src/generated/{name}.rs"));
        let committed = std::fs::read_to_string(&path).expect("it is committed");
        let made = isaglot_emit::executor::generate(&isa, generation).expect("every encoding fits the scheme");
        let same = match formatted(&made) {
            Some(text) => text == committed,
            None => folded(&made) == folded(&committed),
        };
        assert!(same, "{name}.rs is stale: run `cargo xtask gen-hart`");
    }
}
