//! What the tests with seeded mistakes share: the description that a file of them names.

use std::path::Path;

use isaglot_model::{FeatureId, Isa};
use isaglot_source::{Diagnostics, SourceMap};

/// The description, the gen and the features of a line `FILE GEN FEATURE…`; the file is one of `specs`.
pub(crate) fn description(head: &str) -> Result<(Isa, u32, Vec<FeatureId>), String> {
    let mut words = head.split_whitespace();
    let (Some(file), Some(generation)) = (words.next(), words.next()) else {
        return Err("expected a description, a gen, and features".to_owned());
    };
    let top = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../specs").join(file).display().to_string();
    let (mut files, mut problems) = (SourceMap::new(), Diagnostics::new());
    let mut load = |path: &str| std::fs::read(path).map_err(|e| e.to_string());
    let isa = isaglot_isaspec::load(&mut files, &top, &mut load, &mut problems).ok_or("no description")?;
    let number = |name: &str| {
        let number = isa.features().iter().position(|feature| feature.name == name);
        number.map(|n| FeatureId(n as u32)).ok_or_else(|| format!("no feature {name}"))
    };
    let features = words.map(number).collect::<Result<_, _>>()?;
    let generation = generation.parse().map_err(|_| "no gen")?;
    Ok((isa, generation, features))
}
