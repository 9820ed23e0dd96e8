//! Choosing within a description: its gens and features by name.

use std::collections::BTreeSet;

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

/// Gens that stand for all that the description tells apart: the first one of each stretch in which nothing changes. For
/// ranges up to 5, from 6 to 6 and from 7 on these are 5, 6 and 7.
fn distinct(isa: &Isa) -> BTreeSet<u32> {
    let ranges = || isa.encodings().iter().map(|e| e.gens);
    let starts = ranges().flat_map(|r| [Some(r.min), r.max.checked_add(1)]).flatten();
    let mut gens: BTreeSet<u32> = starts.filter(|&start| start != 0).collect();
    // What stands for those before the first start, if any instruction is for them alone.
    let before = gens.first().map(|first| first - 1);
    gens.extend(before.filter(|&last| ranges().any(|r| r.min == 0 && r.max == last)));
    gens
}

/// The gens that the description names, or else those that stand for all that it tells apart.
#[must_use]
pub fn gens(isa: &Isa) -> BTreeSet<u32> {
    if isa.gens().is_empty() { distinct(isa) } else { isa.gens().iter().map(|g| g.value).collect() }
}

fn has_instructions(isa: &Isa, generation: u32) -> bool {
    isa[isa.root()].encodings.iter().any(|&id| isa[id].gens.contains(generation))
}

/// The gen to begin with where a person can change it later: 0, or the first one that has instructions.
#[must_use]
pub fn first(isa: &Isa) -> u32 {
    let gens = distinct(isa);
    std::iter::once(0).chain(gens).find(|&generation| has_instructions(isa, generation)).unwrap_or(0)
}

/// What to say of decoding for this gen, or for 0 if none is chosen (`None`): an error where no instruction is of it, a
/// warning where none is chosen and the description tells gens apart. A description that names its gens and calls one of
/// them 0 has a default.
#[must_use]
pub fn doubt(isa: &Isa, generation: Option<u32>) -> Option<Diagnostic> {
    let used = generation.unwrap_or(0);
    let bounds = distinct(isa);
    let named: Vec<String> = isa.gens().iter().map(|g| g.name.clone()).collect();
    let known = if named.is_empty() { bounds.iter().map(u32::to_string).collect() } else { named };
    let note = format!("the description tells these apart: {}; choose with `--gen`", known.join(", "));
    if !isa[isa.root()].encodings.is_empty() && !has_instructions(isa, used) {
        let message = match generation {
            Some(used) => format!("the description has no instruction for gen {used}"),
            None => "no gen is chosen, and no instruction is for all gens".to_owned(),
        };
        return Some(Diagnostic::error("cli-gen", message).note(note));
    }
    let default = bounds.is_empty() || isa.gens().iter().any(|g| g.value == 0);
    let message = "no gen is chosen: instructions of some gens are left out";
    (generation.is_none() && !default).then(|| Diagnostic::warning("cli-gen-open", message).note(note))
}

/// The features that are on: those named, or else the defaults, with changes as [`toggle`] takes them.
pub fn features(isa: &Isa, named: Option<&[String]>, changes: &[String], problems: &mut Diagnostics) -> Vec<FeatureId> {
    let mut on = Vec::new();
    match named {
        Some(names) => names.iter().for_each(|name| set(isa, name, true, &mut on, problems)),
        None => on.extend((0..isa.features().len() as u32).map(FeatureId).filter(|&f| isa[f].default)),
    }
    switch(isa, changes, &mut on, problems);
    together(isa, &on, problems);
    on
}

/// Switches features on (`+name` or `name`) or off (`-name`), whatever their case, as LLVM does. A name that the description
/// does not have is an error, and so are features that exclude each other.
pub fn toggle(isa: &Isa, changes: &[String], on: &mut Vec<FeatureId>, problems: &mut Diagnostics) {
    switch(isa, changes, on, problems);
    together(isa, on, problems);
}

/// Says which features cannot be on together.
fn together(isa: &Isa, on: &[FeatureId], problems: &mut Diagnostics) {
    let quoted = |ids: &[FeatureId]| -> Vec<String> { ids.iter().map(|&id| format!("`{}`", isa[id].name)).collect() };
    for (feature, others) in isa.conflicts(on) {
        let message = format!("`{}` and {} exclude each other", isa[feature].name, quoted(&others).join(" with "));
        let mut d = Diagnostic::error("cli-feature-conflict", message);
        for one in std::iter::once(feature).chain(others).filter(|one| !on.contains(one)) {
            let because: Vec<FeatureId> =
                on.iter().copied().filter(|&f| isa.implied(&[f]).get(one.index()) == Some(&true)).collect();
            d = d.note(format!("`{}` comes with {}", isa[one].name, quoted(&because).join(", ")));
        }
        problems.push(d.note("leave one out"));
    }
}

fn switch(isa: &Isa, changes: &[String], on: &mut Vec<FeatureId>, problems: &mut Diagnostics) {
    for change in changes {
        let (name, keep) = match change.strip_prefix('-') {
            Some(name) => (name, false),
            None => (change.strip_prefix('+').unwrap_or(change), true),
        };
        set(isa, name, keep, on, problems);
    }
}

fn set(isa: &Isa, name: &str, keep: bool, on: &mut Vec<FeatureId>, problems: &mut Diagnostics) {
    let exact = isa.features().iter().position(|f| f.name == name);
    let any_case = || isa.features().iter().position(|f| f.name.eq_ignore_ascii_case(name));
    let Some(at) = exact.or_else(any_case) else {
        let d = Diagnostic::error("cli-feature", format!("the description has no feature `{name}`"));
        problems.push(d.did_you_mean(closest(name, isa.features().iter().map(|f| f.name.as_str()))));
        return;
    };
    on.retain(|f| f.index() != at);
    if keep {
        on.push(FeatureId(at as u32));
    }
}
