//! The description that is explored: the model, what is wrong with the files, and whether they have changed since.

use std::time::SystemTime;

use isaglot_source::{Diagnostics, SourceMap, render};

use crate::load::{Chosen, Spec, read_chosen};

/// A description as it was read.
pub(super) struct Description {
    /// The model, with the gen and the features that were chosen at the start; `None` if it has errors.
    pub(super) chosen: Option<Chosen>,
    pub(super) files: SourceMap,
    /// What is wrong with it, as the command line would show it.
    pub(super) problems: String,
    stamps: Vec<(String, Option<(SystemTime, u64)>)>,
}

impl Description {
    pub(super) fn read(spec: &Spec) -> Description {
        let (mut files, mut problems) = (SourceMap::new(), Diagnostics::new());
        let chosen = read_chosen(spec, &mut files, &mut problems);
        let text: String = problems.iter().map(|d| render::text(&files, d, false)).collect();
        // What comes with the tool does not change; a file that is missing may appear.
        let mut names: Vec<String> = match spec.path() {
            Some(top) => vec![top.display().to_string()],
            None => Vec::new(),
        };
        if spec.path().is_some() {
            names.extend(files.iter().map(|(_, f)| f.name.clone()));
        }
        names.sort();
        names.dedup();
        let stamps = names.into_iter().map(|name| (name.clone(), stamp(&name))).collect();
        Description { chosen, files, problems: text, stamps }
    }

    /// Whether a file has changed since it was read.
    pub(super) fn changed(&self) -> bool {
        self.stamps.iter().any(|(name, then)| stamp(name) != *then)
    }
}

fn stamp(name: &str) -> Option<(SystemTime, u64)> {
    let data = std::fs::metadata(name).ok()?;
    Some((data.modified().ok()?, data.len()))
}
