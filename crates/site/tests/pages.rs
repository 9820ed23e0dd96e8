//! The sites of all descriptions that ship with the project, and of one with unusual names and widths.

mod common;
mod described;

use std::path::Path;

use isaglot_testing::{suite, workspace};

fn main() {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data");
    suite::run([workspace().join("specs"), data].iter().flat_map(|dir| described::trials("", dir)).collect())
}
