//! All interfaces of one run: those of the files that were named, of what these import, and the built-in ones.
//!
//! Reading files is the caller's business: a loader is asked for a file by name and puts it into the source map. An
//! interface is looked for in `org_example__Thing.xintf`, then in `org.example.xintf`.

use std::collections::BTreeSet;

use isaglot_invariant::Impossible as _;
use isaglot_source::{Diagnostic, Diagnostics, FileId, SourceMap};

use crate::ast::{File, Interface, Name};
use crate::parse::parse;
use crate::uuid::FALLBACK;
use crate::{limits, name};

/// The definition of the fallback interfaces; every set has them.
pub const BUILTIN: &str = include_str!("builtin.xintf");

/// Interfaces by name.
#[derive(Debug, Default)]
pub struct Set {
    /// Files in the order in which they were read; those that were named come before those that they import.
    pub files: Vec<File>,
    /// How many of [`Set::files`] were named, as opposed to imported or built in.
    pub named: usize,
    /// The file of [`BUILTIN`].
    pub builtin: Option<FileId>,
}

impl Set {
    /// Every interface, built-in ones last unless the files define them.
    pub fn interfaces(&self) -> impl Iterator<Item = &Interface> {
        self.files.iter().flat_map(|f| &f.interfaces)
    }

    /// Every interface that a file defines, which is what there is to check.
    pub fn written(&self) -> impl Iterator<Item = &Interface> {
        self.files.iter().filter(|f| Some(f.file) != self.builtin).flat_map(|f| &f.interfaces)
    }

    /// The interfaces of the files that were named.
    pub fn own(&self) -> impl Iterator<Item = &Interface> {
        self.files.iter().take(self.named).flat_map(|f| &f.interfaces)
    }

    /// The first interface of that name.
    pub fn get(&self, name: &str) -> Option<&Interface> {
        self.interfaces().find(|i| i.name.text == name)
    }
}

/// Parses the named files and everything that they import. `load` is given a file name to look for, as seen from the
/// importing file, and gives the file's number if there is one; asking twice for a file must give the same number.
pub fn load(
    map: &mut SourceMap,
    named: &[FileId],
    mut load: impl FnMut(&mut SourceMap, FileId, &str) -> Option<FileId>,
    out: &mut Diagnostics,
) -> Set {
    let mut set = Set { files: Vec::new(), named: named.len(), builtin: None };
    let mut known: BTreeSet<String> = BTreeSet::new();
    let mut seen: BTreeSet<FileId> = BTreeSet::new();
    let mut queue: Vec<(FileId, Name)> = Vec::new();
    let mut read = |map: &SourceMap, id: FileId, set: &mut Set, queue: &mut Vec<(FileId, Name)>, out: &mut _| {
        if !seen.insert(id) {
            return None;
        }
        let bytes = map.get(id).map(|f| f.bytes.clone())?;
        let file = parse(id, &bytes, out);
        queue.extend(file.imports.iter().map(|n| (id, n.clone())));
        let names: Vec<String> = file.interfaces.iter().map(|i| i.name.text.clone()).collect();
        set.files.push(file);
        Some(names)
    };
    for &id in named {
        for name in read(map, id, &mut set, &mut queue, out).unwrap_or_default() {
            known.insert(name);
        }
    }
    set.named = set.files.len();
    let mut at = 0;
    while let Some((from, name)) = queue.get(at).cloned() {
        at += 1;
        if known.contains(&name.text) || FALLBACK.contains(&name.text.as_str()) {
            continue;
        }
        if at > limits::MAX_IMPORTS {
            let d = Diagnostic::error("E-IMPORT", format!("more than {} imports", limits::MAX_IMPORTS));
            out.push(d.label(name.span, "this one is too much"));
            break;
        }
        let domain = name.text.split(':').next().or_impossible("").to_owned();
        let candidates = [format!("{}.xintf", name::mangle(&name.text)), format!("{domain}.xintf")];
        for candidate in &candidates {
            if known.contains(&name.text) {
                break;
            }
            let Some(id) = load(map, from, candidate) else { continue };
            for name in read(map, id, &mut set, &mut queue, out).unwrap_or_default() {
                known.insert(name);
            }
        }
        if !known.contains(&name.text) {
            let d = Diagnostic::error("E-IMPORT", format!("no definition of `{}` was found", name.text));
            let d = d.label(name.span, "imported here");
            out.push(d.note(format!("looked for `{}` and `{}`, and in all files named", candidates[0], candidates[1])));
        }
    }
    builtin(map, &mut set);
    set
}

/// Adds those fallback interfaces that no file defines.
fn builtin(map: &mut SourceMap, set: &mut Set) {
    let id = map.add("<built in>", BUILTIN.as_bytes());
    let mut file = parse(id, BUILTIN.as_bytes(), &mut Diagnostics::new());
    file.interfaces.retain(|i| set.get(&i.name.text).is_none());
    set.files.push(file);
    set.builtin = Some(id);
}
