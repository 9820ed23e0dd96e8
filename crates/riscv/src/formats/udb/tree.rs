//! All files of a tree, parsed, with the overlay over the base.
//!
//! The problem: two thousand files take time, and an overlay changes some of them. The invariant: after this there is one
//! document per path, in the order of paths, whatever order the files came in. The method: files are parsed by as many threads as
//! there are cores, and a document that both folders have is the base with the overlay as a JSON merge patch (RFC 7386).

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use isaglot_source::{FileId, SourceMap, Span};

use super::Folder;
use super::faults::Faults;
use crate::formats::yaml::{self, Core, Key, Node, Value};
use crate::limits::THREADS;

/// One file of the tree.
#[derive(Debug)]
pub struct Document<'a> {
    /// Its path in the tree: `inst/I/addi.yaml`.
    pub path: String,
    /// Its content, with an overlay applied.
    pub root: Node<'a>,
    /// Only the overlay has it.
    pub overlay_only: bool,
    /// All that it inherits was found.
    pub is_whole: bool,
}

impl Document<'_> {
    /// What it describes: `instruction`.
    pub fn kind(&self) -> Option<&str> {
        self.root.get("kind").and_then(Node::scalar)
    }

    /// The name of the file without its folder and ending, which is the name of what it describes.
    pub fn stem(&self) -> &str {
        let name = self.path.rsplit('/').next().unwrap_or_default();
        name.strip_suffix(".yaml").unwrap_or(name)
    }
}

/// All files by path.
#[derive(Debug, Default)]
pub struct Tree<'a> {
    /// In the order of their paths.
    pub documents: Vec<Document<'a>>,
    /// Paths of files that are there and are not YAML.
    broken: Vec<String>,
}

impl<'a> Tree<'a> {
    /// The document at a path.
    pub fn get(&self, path: &str) -> Option<&Document<'a>> {
        self.documents.binary_search_by(|d| d.path.as_str().cmp(path)).ok().map(|at| &self.documents[at])
    }

    /// Whether there is a file at a path, even a broken one.
    pub fn has(&self, path: &str) -> bool {
        self.get(path).is_some() || self.broken.iter().any(|p| p == path)
    }
}

/// A file to parse: which folder, path in it, place in the map.
pub(super) struct File {
    path: String,
    id: FileId,
    overlay: bool,
}

/// Puts the files of a folder into the map of sources: those in YAML, and those of declarations in IDL.
pub(super) fn add(
    folder: Folder,
    overlay: bool,
    files: &mut SourceMap,
    list: &mut Vec<File>,
    programs: &mut Vec<(String, FileId)>,
) {
    for (path, bytes) in folder.files {
        if !super::is_read(&path) {
            continue;
        }
        let name = if folder.name.is_empty() { path.clone() } else { format!("{}/{path}", folder.name) };
        let id = files.add(name, bytes);
        if super::program::is_program(&path) {
            programs.push((path, id));
        } else {
            list.push(File { id, path, overlay });
        }
    }
}

/// Parses files that are in the map.
pub(super) fn parse<'a>(mut list: Vec<File>, files: &'a SourceMap, faults: &mut Faults) -> Tree<'a> {
    list.sort_by(|a, b| (&a.path, a.overlay).cmp(&(&b.path, b.overlay)));
    let parsed = parse_all(&list, files, faults);
    let mut tree = Tree::default();
    for (file, node) in list.into_iter().zip(parsed) {
        let Some(node) = node else {
            tree.broken.push(file.path);
            continue;
        };
        // An overlay of a broken file says nothing by itself.
        if tree.broken.last() == Some(&file.path) {
            continue;
        }
        match tree.documents.last_mut() {
            Some(last) if last.path == file.path => {
                let none = Node { span: last.root.span, value: Value::List(Vec::new()) };
                let base = std::mem::replace(&mut last.root, none);
                last.root = patch(base, node);
            }
            _ => tree.documents.push(Document {
                path: file.path,
                root: node,
                overlay_only: file.overlay,
                is_whole: true,
            }),
        }
    }
    tree
}

/// The trees of all files, in their order.
fn parse_all<'a>(list: &[File], files: &'a SourceMap, faults: &mut Faults) -> Vec<Option<Node<'a>>> {
    let next = AtomicUsize::new(0);
    let results: Mutex<Vec<(usize, Option<Node<'a>>)>> = Mutex::default();
    let problems: Mutex<Vec<isaglot_source::Diagnostic>> = Mutex::default();
    let work = || {
        let (mut done, mut wrong) = (Vec::new(), Vec::new());
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some(file) = list.get(at) else { break };
            let bytes: &'a [u8] = files.get(file.id).map_or(&[], |f| &f.bytes);
            done.push((at, yaml::parse(file.id, bytes, &mut wrong)));
        }
        lock(&results).append(&mut done);
        lock(&problems).append(&mut wrong);
    };
    let threads = std::thread::available_parallelism().map_or(1, usize::from).min(THREADS).min(list.len());
    std::thread::scope(|scope| {
        for _ in 1..threads {
            // Where there are no threads this one does all.
            let _ = std::thread::Builder::new().spawn_scoped(scope, work);
        }
        work();
    });
    faults.parser(std::mem::take(&mut *lock(&problems)));
    let mut results = std::mem::take(&mut *lock(&results));
    results.sort_unstable_by_key(|(at, _)| *at);
    results.into_iter().map(|(_, node)| node).collect()
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

/// A JSON merge patch: mappings merge, null deletes, all else replaces.
fn patch<'a>(base: Node<'a>, over: Node<'a>) -> Node<'a> {
    let Value::Map(changes) = over.value else { return over };
    let (span, mut entries): (Span, Vec<(Key<'a>, Node<'a>)>) = match base.value {
        Value::Map(entries) => (base.span, entries),
        _ => (over.span, Vec::new()),
    };
    for (key, change) in changes {
        let old = entries.iter().position(|(k, _)| k.text == key.text);
        if change.core() == Some(Core::Null) {
            if let Some(at) = old {
                entries.remove(at);
            }
            continue;
        }
        match old {
            Some(at) => {
                let none = Node { span, value: Value::List(Vec::new()) };
                let before = std::mem::replace(&mut entries[at].1, none);
                entries[at].1 = patch(before, change);
            }
            None => {
                let none = Node { span: change.span, value: Value::List(Vec::new()) };
                entries.push((key, patch(none, change)));
            }
        }
    }
    Node { span, value: Value::Map(entries) }
}
