//! A description is a top file and what it imports.
//!
//! Files come through a callback that the caller gives, so this crate does no I/O. An import names its file relative to
//! the directory of the *top* file, also in an imported file. There is no include guard: a file imported twice
//! defines everything twice, which the reference allows and which then counts as variants. A circle of imports is an
//! error.

use std::path::{Component, Path, PathBuf};

use isaglot_source::{Diagnostic, Diagnostics, SourceMap, Span};

use crate::limits;
use crate::read::read;
use crate::syntax::File;

/// Reads a file by its path: bytes, or why that failed. It should not read more than
/// [`limits::MAX_FILE_BYTES`] + 1 bytes.
pub type Loader<'a> = dyn FnMut(&str) -> Result<Vec<u8>, String> + 'a;

/// The files of a description.
#[derive(Clone, Debug)]
pub struct Sources {
    /// Each file once.
    pub files: Vec<File>,
    /// Files in the order in which they count, imports before what imports them; the top file is last.
    pub order: Vec<usize>,
}

/// Reads the top file and all that it imports; `None` if a file is missing or broken, or imports run in a cycle.
pub fn load(map: &mut SourceMap, top: &str, read_file: &mut Loader<'_>, out: &mut Diagnostics) -> Option<Sources> {
    let base = Path::new(top).parent().unwrap_or(Path::new("")).to_path_buf();
    let mut loading = Loading {
        map,
        read_file,
        out,
        base,
        known: Vec::new(),
        sources: Sources { files: Vec::new(), order: Vec::new() },
        path: Vec::new(),
        total: 0,
        sound: true,
        stopped: false,
    };
    loading.visit(Path::new(top), None);
    loading.sound.then_some(loading.sources)
}

struct Loading<'a, 'b> {
    map: &'a mut SourceMap,
    read_file: &'a mut Loader<'b>,
    out: &'a mut Diagnostics,
    base: PathBuf,
    /// Normalised paths of files that were tried, with their place in `sources.files` if they could be read.
    known: Vec<(PathBuf, Option<usize>)>,
    sources: Sources,
    /// The files that are being read, outermost first, with the import that led to each.
    path: Vec<(PathBuf, Option<Span>)>,
    total: usize,
    sound: bool,
    stopped: bool,
}

impl Loading<'_, '_> {
    fn fail(&mut self, d: Diagnostic) {
        self.sound = false;
        self.out.push(d);
    }

    fn visit(&mut self, path: &Path, import: Option<Span>) {
        let normal = normalised(path);
        if let Some(at) = self.path.iter().position(|(open, _)| *open == normal) {
            let mut d = Diagnostic::error("isaspec-import-cycle", "this import closes a circle");
            if let Some(span) = import {
                d = d.label(span, "imports a file that is being read");
            }
            for span in self.path[at..].iter().skip(1).filter_map(|(_, import)| *import) {
                d = d.secondary(span, "through this import");
            }
            self.stopped = true;
            return self.fail(d);
        }
        if self.path.len() >= limits::MAX_IMPORT_DEPTH || self.sources.order.len() >= limits::MAX_IMPORTS {
            let (depth, count) = (limits::MAX_IMPORT_DEPTH, limits::MAX_IMPORTS);
            let message = format!("imports nest deeper than {depth}, or there are more than {count}");
            let d = Diagnostic::error("isaspec-import-limit", message);
            self.stopped = true;
            return self.fail(match import {
                Some(span) => d.label(span, "here"),
                None => d,
            });
        }
        let known = self.known.iter().find(|(p, _)| *p == normal).map(|(_, index)| *index);
        let index = match known {
            Some(index) => index,
            None => {
                let index = self.read(path, import);
                self.known.push((normal.clone(), index));
                index
            }
        };
        let Some(index) = index else { return };
        self.path.push((normal, import));
        let imports: Vec<(PathBuf, Span)> = match self.sources.files.get(index) {
            Some(file) => file.imports.iter().map(|i| (self.base.join(&i.file.value), i.file.span())).collect(),
            None => Vec::new(),
        };
        for (path, span) in imports {
            // One closed circle or passed limit says enough; other files are still read after a missing one.
            if !self.stopped {
                self.visit(&path, Some(span));
            }
        }
        self.path.pop();
        self.sources.order.push(index);
    }

    fn read(&mut self, path: &Path, import: Option<Span>) -> Option<usize> {
        let name = path.to_string_lossy().into_owned();
        let bytes = match (self.read_file)(&name) {
            Ok(bytes) => bytes,
            Err(why) => {
                let d = Diagnostic::error("isaspec-file", format!("cannot read `{name}`: {why}"));
                self.fail(match import {
                    Some(span) => {
                        d.label(span, "imported here").note("imports are relative to the top file's directory")
                    }
                    None => d,
                });
                return None;
            }
        };
        self.total += bytes.len();
        let id = self.map.add(name, bytes);
        let bytes = self.map.get(id)?.bytes.clone();
        if self.total > limits::MAX_TOTAL_BYTES && bytes.len() <= limits::MAX_FILE_BYTES {
            let message = format!("the files together are larger than {} MiB", limits::MAX_TOTAL_BYTES >> 20);
            self.fail(Diagnostic::error("isaspec-file-size", message).label(Span::new(id, 0, 0), "with this file"));
            return None;
        }
        match read(&bytes, id, self.out) {
            Some(file) => {
                self.sources.files.push(file);
                Some(self.sources.files.len() - 1)
            }
            None => {
                self.sound = false;
                None
            }
        }
    }
}

/// The path without `.` and, where that is certain, `..`; no file system is asked.
pub(crate) fn normalised(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir if matches!(out.components().next_back(), Some(Component::Normal(_))) => {
                out.pop();
            }
            part => out.push(part),
        }
    }
    out
}
