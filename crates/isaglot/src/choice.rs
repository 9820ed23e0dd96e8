//! Choosing within a description: its gens and features by name.

use isaglot_model::{FeatureId, Isa};
use isaglot_source::{Diagnostic, Diagnostics, closest};

/// The gen of this name or number.
///
/// # Errors
/// For what is neither a number nor the name of a gen.
pub fn generation(isa: &Isa, text: &str) -> Result<u32, Diagnostic> {
    if let Some(named) = isa.gens().iter().find(|g| g.name == text) {
        return Ok(named.value);
    }
    text.parse().map_err(|_| {
        let names: Vec<&str> = isa.gens().iter().map(|g| g.name.as_str()).collect();
        let d = Diagnostic::error("cli-gen", format!("`{text}` is not a gen"));
        match names.as_slice() {
            [] => d.note("expected a number"),
            names => d.note(format!("expected a number, or one of: {}", names.join(", "))),
        }
    })
}

/// The features that are on: those named, or else the defaults, with changes as [`toggle`] takes them.
pub fn features(isa: &Isa, named: Option<&[String]>, changes: &[String], problems: &mut Diagnostics) -> Vec<FeatureId> {
    let mut on = Vec::new();
    match named {
        Some(names) => names.iter().for_each(|name| set(isa, name, true, &mut on, problems)),
        None => on.extend((0..isa.features().len() as u32).map(FeatureId).filter(|&f| isa[f].default)),
    }
    toggle(isa, changes, &mut on, problems);
    on
}

/// Switches features on (`+name` or `name`) or off (`-name`). A name that the description does not have is an error.
pub fn toggle(isa: &Isa, changes: &[String], on: &mut Vec<FeatureId>, problems: &mut Diagnostics) {
    for change in changes {
        let (name, keep) = match change.strip_prefix('-') {
            Some(name) => (name, false),
            None => (change.strip_prefix('+').unwrap_or(change), true),
        };
        set(isa, name, keep, on, problems);
    }
}

fn set(isa: &Isa, name: &str, keep: bool, on: &mut Vec<FeatureId>, problems: &mut Diagnostics) {
    let Some(at) = isa.features().iter().position(|f| f.name == name) else {
        let d = Diagnostic::error("cli-feature", format!("the description has no feature `{name}`"));
        problems.push(d.did_you_mean(closest(name, isa.features().iter().map(|f| f.name.as_str()))));
        return;
    };
    on.retain(|f| f.index() != at);
    if keep {
        on.push(FeatureId(at as u32));
    }
}
