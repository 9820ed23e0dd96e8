//! Generates the codec of minnow when the program is built.

use std::error::Error;
use std::path::Path;

use isaglot_codec::Plan;
use isaglot_emit::Rust;
use isaglot_emit::stamp::{Stamp, hash};
use isaglot_source::{Diagnostics, SourceMap, render};

fn main() -> Result<(), Box<dyn Error>> {
    let spec = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../specs/minnow/minnow.xml");
    println!("cargo::rerun-if-changed={}", spec.display());
    let (mut files, mut problems) = (SourceMap::new(), Diagnostics::new());
    let mut read = |name: &str| std::fs::read(name).map_err(|e| e.to_string());
    let isa = isaglot_isaspec::load(&mut files, &spec.display().to_string(), &mut read, &mut problems);
    let Some(isa) = isa else {
        let texts: Vec<String> = problems.iter().map(|d| render::text(&files, d, false)).collect();
        return Err(texts.concat().into());
    };
    let plan = Plan::new(&isa, 1);
    let stamp = Stamp::new(&plan, hash(files.iter().map(|(_, file)| &*file.bytes)), "cargo build");
    let codec = Rust::new(&plan).map_err(|unsupported| unsupported.0)?.named("minnow").stamped(stamp);
    std::fs::write(Path::new(&std::env::var("OUT_DIR")?).join("minnow.rs"), codec.source())?;
    Ok(())
}
