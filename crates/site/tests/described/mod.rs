//! The site of an isaspec description.

use std::path::Path;

use isaglot_isaspec::Overlay;
use isaglot_source::{Diagnostics, SourceMap};
use libtest_mimic::Failed;

use crate::common::check_site;

/// Loads a description, with the roles that ship for it, and checks its site; gives the number of pages.
pub(crate) fn check(top: &Path) -> Result<usize, Failed> {
    let (mut files, mut problems) = (SourceMap::new(), Diagnostics::new());
    let mut read = |path: &str| std::fs::read(path).map_err(|e| e.to_string());
    let stem = top.file_stem().map(|s| s.to_string_lossy().into_owned()).unwrap_or_default();
    let roles = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../../specs/roles/{stem}.roles.xml"));
    let roles = std::fs::read(roles).ok();
    let overlay = roles.as_deref().map(|bytes| Overlay { name: "roles.xml", bytes, partial: false });
    let isa = isaglot_isaspec::load_with_roles(&mut files, &top.to_string_lossy(), overlay, &mut read, &mut problems)
        .ok_or_else(|| format!("{} does not load", top.display()))?;
    check_site(&isa, &files).map_err(|e| format!("{}: {e}", top.display()).into())
}
