//! Compiled descriptions as files: what they were made from, and whether that is still so.
//!
//! A source counts as unchanged if its length and time of writing are those on record, which costs a look at the folder
//! only; if not, its content decides. One that is no longer there says nothing: a compiled description may be given away
//! without its sources.

#[cfg(feature = "fs")]
use std::path::{Component, Path, PathBuf};
#[cfg(feature = "fs")]
use std::time::UNIX_EPOCH;

use isaglot_model::Isa;
#[cfg(feature = "fs")]
use isaglot_model::compiled::Source;
use isaglot_model::compiled::{Header, Unreadable, VERSION, from_bytes};
#[cfg(feature = "fs")]
use isaglot_source::SourceMap;
use isaglot_source::{Diagnostic, Diagnostics};
#[cfg(feature = "fs")]
use sha2::{Digest, Sha256};

#[cfg(feature = "fs")]
use super::Host;
use super::{Choice, Chosen, Named};

/// Reads a compiled description; one whose sources have changed only if `stale` says so.
#[cfg(feature = "fs")]
pub fn read(path: &Path, stale: bool, host: &dyn Host, problems: &mut Diagnostics) -> Option<(Header, Isa)> {
    let name = path.display().to_string();
    let _stage = host.stage(&format!("reading the description {name}"), "");
    let bytes = problems.ok(host.read(path))?;
    let (header, isa) = parse(&name, &bytes, problems)?;
    let folder = path.parent().unwrap_or(Path::new(""));
    let changed: Vec<&str> =
        header.sources.iter().filter(|s| has_changed(s, folder)).map(|s| s.path.as_str()).collect();
    if changed.is_empty() || stale {
        return Some((header, isa));
    }
    let message = format!("{name}: made before these changed: {}", changed.join(", "));
    let d = Diagnostic::error("compiled-stale", message);
    problems.push(d.note("compile it again, or take it as it is with `--stale`"));
    None
}

/// The description that a compiled one of this name holds. Its sources are not looked at.
pub fn parse(name: &str, bytes: &[u8], problems: &mut Diagnostics) -> Option<(Header, Isa)> {
    outcome(name, from_bytes(bytes), problems)
}

/// The same of bytes that are known to have been written by this program: what they mean is not checked again.
#[cfg(feature = "explore")]
pub(crate) fn known(name: &str, bytes: &[u8], problems: &mut Diagnostics) -> Option<(Header, Isa)> {
    outcome(name, isaglot_model::compiled::from_known_bytes(bytes), problems)
}

/// What was read, or why it could not be.
fn outcome(name: &str, read: Result<(Header, Isa), Unreadable>, problems: &mut Diagnostics) -> Option<(Header, Isa)> {
    let error = |code, what: String| Diagnostic::error(code, format!("{name}: {what}"));
    match read {
        Ok(found) => return Some(found),
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
        Err(other) => problems.push(error("compiled-malformed", other.to_string())),
    }
    None
}

/// Resolves the choices within a compiled description of this name. `None` if there were errors.
pub(crate) fn choose(
    name: &str,
    header: Header,
    isa: Isa,
    choice: &Choice,
    named: &Named,
    problems: &mut Diagnostics,
) -> Option<Chosen> {
    super::doubt(name, &header.doubts, problems);
    match header.triples {
        #[cfg(feature = "llvm")]
        Some(triples) => {
            let table = isaglot_llvm::OperandTable { triples, ..isaglot_llvm::OperandTable::default() };
            super::target::choose(isa, &table, choice, problems)
        }
        #[cfg(not(feature = "llvm"))]
        Some(_) => {
            let d = Diagnostic::error("cli-form", format!("{name}: this build does not read targets of LLVM"));
            problems.push(d.note("it was built without the feature `llvm`"));
            None
        }
        None => super::resolve(choice, named, isa, problems),
    }
}

/// The files that were read, as they are to be known to a compiled description in `folder`. What was not a file on
/// disk, such as a table that comes with the tool, is none.
#[cfg(feature = "fs")]
pub fn sources(files: &SourceMap, folder: &Path) -> Vec<Source> {
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
#[cfg(feature = "fs")]
fn stamp(path: &Path) -> Option<(u64, u64)> {
    let known = std::fs::metadata(path).ok().filter(std::fs::Metadata::is_file)?;
    let since = known.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
    Some((known.len(), since.map_or(0, |since| since.as_nanos() as u64)))
}

#[cfg(feature = "fs")]
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
#[cfg(feature = "fs")]
fn relative(path: &Path, folder: &Path) -> PathBuf {
    let common = path.components().zip(folder.components()).take_while(|(a, b)| a == b).count();
    let shared = path.components().take(common).any(|c| matches!(c, Component::Normal(_)));
    if !shared {
        return path.to_owned();
    }
    let up = folder.components().skip(common).map(|_| Component::ParentDir);
    up.chain(path.components().skip(common)).collect()
}
