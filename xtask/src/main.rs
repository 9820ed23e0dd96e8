//! The project's own chores: `cargo xtask tidy | bless | bench`.

fn main() {}
