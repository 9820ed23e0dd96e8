//! Files of the file system: the one place of the libraries that does I/O, behind the feature `fs`.
//!
//! What is read whole has at most [`MAX_INPUT`] bytes.

use std::io;
use std::io::Read;
use std::path::Path;

use isaglot_source::Diagnostic;

/// The most bytes that are read of a file that has to be in memory as a whole. No description and no program comes near.
pub const MAX_INPUT: u64 = 1 << 30;

/// Reads a file whole.
///
/// # Errors
/// The reason of the operating system, or that the file is too large.
pub fn whole(path: &Path) -> Result<Vec<u8>, Diagnostic> {
    let (mut file, length) = opened(path)?;
    rest(&mut file, length, &path.display().to_string())
}

/// Opens a file that is to be read whole; its length in bytes too, as far as it is known.
///
/// # Errors
/// As [`whole`].
pub fn opened(path: &Path) -> Result<(std::fs::File, u64), Diagnostic> {
    let name = path.display().to_string();
    let failed = |e: io::Error| unreadable(&name, &e);
    let file = std::fs::File::open(path).map_err(failed)?;
    let length = file.metadata().map_err(failed)?.len();
    if length > MAX_INPUT { Err(too_large(&name)) } else { Ok((file, length)) }
}

/// Reads what is left of an input, of which `length` bytes are expected.
///
/// # Errors
/// As [`whole`].
pub fn rest(input: &mut dyn Read, length: u64, name: &str) -> Result<Vec<u8>, Diagnostic> {
    // The right size from the start, so that no memory is asked for in vain.
    let mut bytes = Vec::with_capacity(usize::try_from(length).unwrap_or(0));
    input.take(MAX_INPUT + 1).read_to_end(&mut bytes).map_err(|e| unreadable(name, &e))?;
    if bytes.len() as u64 > MAX_INPUT { Err(too_large(name)) } else { Ok(bytes) }
}

/// The diagnostic for an input that cannot be read.
#[must_use]
pub fn unreadable(name: &str, e: &io::Error) -> Diagnostic {
    Diagnostic::error("io-read", format!("cannot read {name}: {e}"))
}

fn too_large(name: &str) -> Diagnostic {
    let d = Diagnostic::error("io-size", format!("cannot read {name}: it has more than {} MiB", MAX_INPUT >> 20));
    d.note("that is the most that is read of a file that has to be in memory as a whole")
}

/// The files of the file system, for [`crate::spec`]; nobody watches.
#[cfg(feature = "asm")]
#[derive(Clone, Copy, Debug, Default)]
pub struct Disk;

#[cfg(feature = "asm")]
impl crate::spec::Host for Disk {
    fn read(&self, path: &Path) -> Result<Vec<u8>, Diagnostic> {
        whole(path)
    }
}

/// The bytes of a file, or one byte more than the front end takes at most, so that it can say so: a reader for
/// [`crate::Description::read`] and [`crate::isaspec::load`].
///
/// # Errors
/// The reason of the operating system.
#[cfg(feature = "isaspec")]
pub fn read(path: &str) -> Result<Vec<u8>, String> {
    let most = isaglot_isaspec::limits::MAX_FILE_BYTES as u64 + 1;
    let mut bytes = Vec::new();
    let read = std::fs::File::open(path).and_then(|file| file.take(most).read_to_end(&mut bytes));
    read.map(|_| bytes).map_err(|e| e.to_string())
}

/// The records of a TableGen file; files that it includes are looked for in these folders.
///
/// # Errors
/// What is wrong with the file, as `llvm-tblgen` words it.
#[cfg(feature = "tablegen")]
pub fn records(path: impl AsRef<std::path::Path>, include: &[&str]) -> Result<isaglot_tablegen::Records, crate::Error> {
    let name = path.as_ref().display().to_string();
    let unreadable = |e| isaglot_source::Diagnostic::error("io-read", format!("cannot read {name}: {e}"));
    let bytes = std::fs::read(&name).map_err(unreadable)?;
    let include_dirs = include.iter().map(|&dir| dir.to_owned()).collect();
    let options = isaglot_tablegen::Options { include_dirs, ..isaglot_tablegen::Options::default() };
    let mut load = |path: &str| std::fs::read(path).ok().map(std::sync::Arc::from);
    let mut records = isaglot_tablegen::parse(&name, bytes.into(), &options, &mut load);
    if records.ok() {
        return Ok(records);
    }
    let problems = crate::records::problems(&records);
    Err(crate::Error::new(std::mem::take(records.files_mut()), problems))
}
