//! Files of the file system: the one place of the libraries that does I/O, behind the feature `fs`.

/// The bytes of a file, or one byte more than the front end takes at most, so that it can say so: a reader for
/// [`crate::Description::read`] and [`crate::isaspec::load`].
///
/// # Errors
/// The reason of the operating system.
#[cfg(feature = "isaspec")]
pub fn read(path: &str) -> Result<Vec<u8>, String> {
    use std::io::Read as _;

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
