//! The older description of `--since`: a file, a folder, or what a revision of git has at a path.
//!
//! What git has is written to a folder of its own, with all that lies beside it, so that imports are found and every form of
//! description can be read as from a file. The folder is gone afterwards, also after Ctrl-C.

use std::path::{Path, PathBuf};
use std::process::Command;

use isaglot_source::{Diagnostic, SourceMap};

use crate::interrupt;

/// An older description as files.
pub(super) struct Older {
    /// The file or folder.
    pub(super) path: PathBuf,
    /// What stands before the names of files in messages, instead of the folder.
    shown: Option<(PathBuf, String)>,
    folder: Option<tempfile::TempDir>,
}

impl Older {
    /// The description that `text` names.
    pub(super) fn find(text: &str) -> Result<Older, Diagnostic> {
        let Some((revision, path)) = text.strip_prefix("git:").and_then(|rest| rest.split_once(':')) else {
            if text.starts_with("git:") {
                let d = Diagnostic::error("cli-since", format!("`{text}` names no path"));
                return Err(d.note("expected `git:REVISION:PATH`, such as `git:HEAD~1:isa/my.xml`"));
            }
            let path = PathBuf::from(text);
            if !path.exists() {
                return Err(Diagnostic::error("cli-since", format!("there is no file or folder {text}")));
            }
            return Ok(Older { path, shown: None, folder: None });
        };
        Older::checked_out(revision, path)
    }

    /// Writes what a revision has at a path, and beside it.
    fn checked_out(revision: &str, path: &str) -> Result<Older, Diagnostic> {
        let object = format!("{revision}:{path}");
        let kind = git(&["cat-file", "-t", &object], None)?;
        let (parent, name) = match kind.trim() {
            "tree" => (path.trim_end_matches('/'), None),
            _ => match path.rsplit_once('/') {
                Some((parent, name)) => (parent, Some(name)),
                None => ("", Some(path)),
            },
        };
        let failed = |e: std::io::Error| Diagnostic::error("cli-since", format!("cannot write files of git: {e}"));
        let folder = interrupt::making_folder(tempfile::tempdir).map_err(failed)?;
        let index = folder.path().join("index");
        // The last part of the name is kept: a folder may stand for the file in it that has its name.
        let last = Path::new(parent).file_name().map_or_else(|| "root".into(), |name| name.to_owned());
        let tree = folder.path().join("files").join(last);
        git(&["read-tree", &format!("{revision}:{parent}")], Some(&index))?;
        // From the top folder: elsewhere git writes what belongs below that folder alone. A bare repository has no top.
        let top = git(&["rev-parse", "--show-toplevel"], None).unwrap_or_default();
        let top = if top.trim().is_empty() { "." } else { top.trim() };
        let prefix = format!("--prefix={}/", tree.display());
        git(&["-C", top, "checkout-index", "--all", "--force", &prefix], Some(&index))?;
        let shown = match parent {
            "" => format!("git:{revision}:"),
            _ => format!("git:{revision}:{parent}/"),
        };
        let path = name.map_or_else(|| tree.clone(), |name| tree.join(name));
        Ok(Older { path, shown: Some((tree, shown)), folder: Some(folder) })
    }

    /// The files with the names that a reader knows.
    pub(super) fn named(&self, files: SourceMap) -> SourceMap {
        let Some((tree, shown)) = &self.shown else { return files };
        let mut out = SourceMap::new();
        for (_, file) in files.iter() {
            let name = Path::new(&file.name).strip_prefix(tree);
            let name = name.map_or_else(|_| file.name.clone(), |rest| format!("{shown}{}", rest.display()));
            out.add(name, file.bytes.clone());
        }
        out
    }
}

impl Drop for Older {
    fn drop(&mut self) {
        if let Some(folder) = self.folder.take() {
            let path = folder.path().to_owned();
            // What cannot be removed now is the system's to remove: it lies among its temporary files.
            drop(folder);
            interrupt::hold().made(&path);
        }
    }
}

/// What a command of git prints.
fn git(arguments: &[&str], index: Option<&Path>) -> Result<String, Diagnostic> {
    let mut command = Command::new("git");
    command.args(arguments);
    if let Some(index) = index {
        command.env("GIT_INDEX_FILE", index);
    }
    let output = command.output().map_err(|e| Diagnostic::error("cli-since", format!("cannot start git: {e}")))?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    let said = String::from_utf8_lossy(&output.stderr);
    let said = said.lines().next().unwrap_or("it failed").trim_start_matches("fatal: ");
    Err(Diagnostic::error("cli-since", format!("git: {said}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The project's own repository, where it is one.
    #[test]
    fn revisions_of_git_are_written() {
        if git(&["cat-file", "-t", "HEAD:specs/minnow/minnow.xml"], None).is_err() {
            return;
        }
        let file = Older::find("git:HEAD:specs/minnow/minnow.xml").unwrap();
        assert!(file.path.is_file());
        let folder = Older::find("git:HEAD:specs/minnow").unwrap();
        assert!(folder.path.is_dir() && folder.path.ends_with("minnow"));
        let mut files = SourceMap::new();
        files.add(file.path.display().to_string(), Vec::new());
        let named = file.named(files);
        let names: Vec<&str> = named.iter().map(|(_, f)| f.name.as_str()).collect();
        assert_eq!(names, ["git:HEAD:specs/minnow/minnow.xml"]);
        let tree = folder.path.clone();
        drop(folder);
        assert!(!tree.exists());
        assert!(Older::find("git:HEAD:specs/none.xml").is_err());
        assert!(Older::find("git:no-such-revision:specs/minnow").is_err());
    }
}
