//! Generated files, and how they come into a folder: all of them, or none.

use std::io;
use std::path::{Path, PathBuf};

/// Files by name, relative to their folder.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Files {
    /// Name and text.
    pub list: Vec<(String, String)>,
}

/// A file or folder that cannot be written.
#[derive(Debug)]
pub struct Unwritable {
    /// Which.
    pub path: PathBuf,
    /// Why.
    pub error: io::Error,
}

impl std::fmt::Display for Unwritable {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "cannot write {}: {}", self.path.display(), self.error)
    }
}

impl std::error::Error for Unwritable {}

impl Files {
    /// Adds a file.
    pub fn add(&mut self, name: String, text: String) {
        self.list.push((name, text));
    }

    /// Writes them to a folder, which is made if it is missing. Files of these names are replaced, others are left
    /// alone. Everything is written beside its place first and only then put there.
    ///
    /// # Errors
    /// What cannot be written; nothing is changed then, unless the last step itself fails.
    pub fn write(&self, folder: &Path) -> Result<(), Unwritable> {
        let fail = |path: &Path, error| Unwritable { path: path.to_owned(), error };
        let mut made = Vec::new();
        let done = self.list.iter().try_for_each(|(name, text)| {
            let target = folder.join(name);
            let dir = target.parent().unwrap_or(folder);
            std::fs::create_dir_all(dir).map_err(|e| fail(dir, e))?;
            if target.is_dir() {
                return Err(fail(&target, io::ErrorKind::IsADirectory.into()));
            }
            let file = target.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let beside = dir.join(format!(".isaglot-{}-{file}", std::process::id()));
            std::fs::write(&beside, text).map_err(|e| fail(&target, e))?;
            made.push((beside, target));
            Ok(())
        });
        let done = done.and_then(|()| {
            made.iter().try_for_each(|(beside, target)| std::fs::rename(beside, target).map_err(|e| fail(target, e)))
        });
        if done.is_err() {
            // What was put in its place is gone from beside it.
            made.iter().for_each(|(beside, _)| drop(std::fs::remove_file(beside)));
        }
        done
    }
}
