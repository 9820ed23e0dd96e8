//! What looks like a mistake in the text of a description, and findings that the text silences.
//!
//! The problem: what the model does not keep (templates, who extends whom, comments) no later check can ask about. The method: the
//! files of a description that was read are read once more, from memory, when a check asks; other users do not pay for that.

mod silence;
mod text;

use std::path::Path;

use isaglot_source::{Diagnostic, Diagnostics, SourceMap};

use crate::gather;
use crate::load::{Sources, normalised};
use crate::read::read;

/// Findings about the text of the description whose top file is the first of these, with all that it imports; none if it is not
/// a description of this format.
pub fn lints(files: &SourceMap) -> Vec<Diagnostic> {
    let mut scratch = Diagnostics::new();
    let Some(sources) = again(files, &mut scratch) else { return Vec::new() };
    let Some(tables) = gather::gather(&sources, None, &mut scratch) else { return Vec::new() };
    let mut out = Vec::new();
    text::check(&sources, &tables, &mut out);
    out.sort_by_key(|d| (d.span().map(|s| (s.file.0, s.start)), d.code));
    out
}

/// Takes out the findings that comments of the files silence, and adds what is wrong with these comments: one that silences
/// nothing, one without a reason. Gives how many were taken out.
///
/// ```text
/// <!-- isaglot: allow verify-enum-text: both groups print alike -->
/// <enum name="#group"> … </enum>
/// ```
///
/// The comment is for the element after it, with all that is in it; on the line of an element, for that element. Before the root
/// element it is for the file. Warnings and notes are silenced, errors are not.
pub fn silence(files: &SourceMap, findings: &mut Vec<Diagnostic>) -> usize {
    silence::apply(files, findings)
}

/// The syntax trees of files that were read before.
fn again(files: &SourceMap, out: &mut Diagnostics) -> Option<Sources> {
    let mut sources = Sources { files: Vec::new(), order: Vec::new() };
    let mut names = Vec::new();
    for (id, file) in files.iter() {
        if !file.name.ends_with(".xml") || file.name.ends_with(".roles.xml") {
            continue;
        }
        sources.files.push(read(&file.bytes, id, out)?);
        names.push(normalised(Path::new(&file.name)));
    }
    let base = names.first()?.parent().unwrap_or(Path::new("")).to_path_buf();
    let mut order = Vec::new();
    visit(&sources, &names, &base, 0, &mut vec![false; names.len()], &mut order);
    sources.order = order;
    Some(sources)
}

/// Files in the order in which they count: what a file imports before it.
fn visit(
    sources: &Sources,
    names: &[std::path::PathBuf],
    base: &Path,
    at: usize,
    seen: &mut [bool],
    order: &mut Vec<usize>,
) {
    match seen.get_mut(at) {
        Some(seen) if !*seen => *seen = true,
        _ => return,
    }
    for import in sources.files.get(at).iter().flat_map(|f| &f.imports) {
        let name = normalised(&base.join(&import.file.value));
        if let Some(next) = names.iter().position(|n| *n == name) {
            visit(sources, names, base, next, seen, order);
        }
    }
    order.push(at);
}
