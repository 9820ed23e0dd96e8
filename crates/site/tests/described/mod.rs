//! The sites of isaspec descriptions.

use std::path::Path;

use isaglot_isaspec::Overlay;
use isaglot_source::{Diagnostics, SourceMap};
use isaglot_testing::{Failed, Trial, corpus, workspace};

use crate::common::check_site;

/// A test for each description `NAME/NAME.xml` in a folder.
pub(crate) fn trials(prefix: &str, folder: &Path) -> Vec<Trial> {
    let folders = std::fs::read_dir(folder).into_iter().flatten().flatten().map(|e| e.path());
    let mut tops: Vec<_> = folders.map(|dir| (corpus::name(&dir), dir.join(corpus::name(&dir) + ".xml"))).collect();
    tops.retain(|(_, top)| top.is_file());
    tops.sort();
    tops.into_iter().map(|(name, top)| Trial::test(format!("{prefix}{name}"), move || check(&top))).collect()
}

/// Loads a description, with the roles that ship for it, and checks its site.
fn check(top: &Path) -> Result<(), Failed> {
    let (mut files, mut problems) = (SourceMap::new(), Diagnostics::new());
    let mut read = |path: &str| std::fs::read(path).map_err(|e| e.to_string());
    let stem = top.file_stem().map(|s| s.to_string_lossy().into_owned()).unwrap_or_default();
    let roles = std::fs::read(workspace().join(format!("specs/roles/{stem}.roles.xml"))).ok();
    let overlay = roles.as_deref().map(|bytes| Overlay { name: "roles.xml", bytes, partial: false });
    let isa = isaglot_isaspec::load_with_roles(&mut files, &top.to_string_lossy(), overlay, &mut read, &mut problems)
        .ok_or_else(|| format!("{} does not load", top.display()))?;
    let pages = check_site(&isa, &files).map_err(|e| format!("{}: {e}", top.display()))?;
    println!("{}: {pages} files", top.display());
    if pages > 3 { Ok(()) } else { Err(format!("only {pages} files").into()) }
}
