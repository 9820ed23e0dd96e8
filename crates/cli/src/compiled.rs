//! Compiled descriptions as files: what they were made from, and whether that is still so.
//!
//! A source counts as unchanged if its length and time of writing are those on record, which costs a look at the folder
//! only; if not, its content decides. One that is no longer there says nothing: a compiled description may be given away
//! without its sources.

use std::path::{Component, Path, PathBuf};
use std::time::UNIX_EPOCH;

use isaglot_model::Isa;
use isaglot_model::compiled::{Header, Source, Unreadable, VERSION, from_bytes};
use isaglot_source::{Diagnostic, Diagnostics, SourceMap};
use sha2::{Digest, Sha256};

use crate::interrupt::Stage;

/// Whether a description is a compiled one, by its name.
pub(crate) fn is_compiled(path: &Path) -> bool {
    path.extension().is_some_and(|e| e == "isa")
}

/// Reads a compiled description; one whose sources have changed only if `stale` says so.
pub(crate) fn read(path: &Path, stale: bool, problems: &mut Diagnostics) -> Option<(Header, Isa)> {
    let name = path.display();
    let _stage = Stage::new(format!("reading the description {name}"), "");
    let bytes = problems.ok(crate::io::read(Some(path)))?;
    let error = |code, what: String| Diagnostic::error(code, format!("{name}: {what}"));
    match from_bytes(&bytes) {
        Ok((header, isa)) => {
            let folder = path.parent().unwrap_or(Path::new(""));
            let changed: Vec<&str> =
                header.sources.iter().filter(|s| has_changed(s, folder)).map(|s| s.path.as_str()).collect();
            if changed.is_empty() || stale {
                return Some((header, isa));
            }
            let d = error("compiled-stale", format!("made before these changed: {}", changed.join(", ")));
            problems.push(d.note("compile it again, or take it as it is with `--stale`"));
        }
        Err(Unreadable::Foreign) => problems.push(error("compiled-foreign", "no compiled description".to_owned())),
        Err(Unreadable::Version(found)) => {
            let d = error("compiled-version", format!("has layout {found}; this program reads layout {VERSION}"));
            problems.push(d.note("compile the description again"));
        }
        Err(Unreadable::Damaged) => {
            let d = error("compiled-damaged", "the checksum of what follows byte 16 is wrong".to_owned());
            problems.push(d.note("compile the description again"));
        }
        Err(Unreadable::Malformed(at)) => {
            problems.push(error("compiled-malformed", format!("byte {at}: invalid")));
        }
        Err(Unreadable::Invalid(found)) => {
            problems.push(error("compiled-invalid", "holds a description that is not valid".to_owned()));
            problems.append(found);
        }
    }
    None
}

/// The files that were read, as they are to be known to a compiled description in `folder`. What was not a file on
/// disk, such as a table that comes with the tool, is none.
pub(crate) fn sources(files: &SourceMap, folder: &Path) -> Vec<Source> {
    let folder = folder.canonicalize().unwrap_or_default();
    let mut sources: Vec<Source> = Vec::new();
    for (_, file) in files.iter() {
        let Ok(full) = Path::new(&file.name).canonicalize() else { continue };
        let Some((length, modified)) = stamp(&full) else { continue };
        let path = relative(&full, &folder).display().to_string();
        if sources.iter().all(|known| known.path != path) {
            sources.push(Source { path, length, modified, sha256: Sha256::digest(&file.bytes).into() });
        }
    }
    sources
}

/// Length and time of writing, in nanoseconds since 1970, of a regular file.
fn stamp(path: &Path) -> Option<(u64, u64)> {
    let known = std::fs::metadata(path).ok().filter(std::fs::Metadata::is_file)?;
    let since = known.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
    Some((known.len(), since.map_or(0, |since| since.as_nanos() as u64)))
}

fn has_changed(source: &Source, folder: &Path) -> bool {
    let path = folder.join(&source.path);
    match stamp(&path) {
        None => false,
        Some(found) if found == (source.length, source.modified) => false,
        Some((length, _)) if length != source.length => true,
        Some(_) => std::fs::read(&path).is_ok_and(|bytes| Sha256::digest(&bytes)[..] != source.sha256),
    }
}

/// `path` as seen from `folder`, both absolute; itself where they have nothing in common.
fn relative(path: &Path, folder: &Path) -> PathBuf {
    let common = path.components().zip(folder.components()).take_while(|(a, b)| a == b).count();
    let shared = path.components().take(common).any(|c| matches!(c, Component::Normal(_)));
    if !shared {
        return path.to_owned();
    }
    let up = folder.components().skip(common).map(|_| Component::ParentDir);
    up.chain(path.components().skip(common)).collect()
}
