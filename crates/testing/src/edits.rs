//! Small edits of descriptions, as data.
//!
//! The problem: what a checker or a comparison says has to be tried on descriptions that differ in one thing. Copies of whole descriptions
//! are long, and those of the corpus are not ours to keep. So a file lists edits, each a search and a replacement in one file of
//! a description, and a test applies them when it runs. An edit whose text is not found is a failure, never an unchanged copy.
//!
//! ```text
//! # a comment
//! [minnow-feature]
//! spec specs/minnow/minnow.xml      the top file: in the workspace, or else below the corpus folder
//! file minnow.xml                   the file to edit; the top file unless said
//! at <bitset name="div"             look only after this text; several, in order
//! find features="mul"               the text to replace: the first after all `at`
//! to />                             … up to and with this text; that of `find` alone unless said
//! put features=""                   the new text; nothing unless said
//! cause bitset div                  any other key is a fact about the edit, for the test that uses it
//! ```
//!
//! In `at`, `find`, `to` and `put`, `\n` is a line end and `\t` a tabulator.

use std::path::{Path, PathBuf};

use crate::corpus;

/// The pairs that were made by editing one thing, for tests of what is new and of differences.
pub const PAIRS: &str = include_str!("../edits/pairs.txt");

/// One edit of one file of a description.
#[derive(Clone, Debug, Default)]
pub struct Edit {
    /// Its name.
    pub name: String,
    /// The top file of the description: `specs/…` in the workspace, else below the corpus folder.
    pub spec: String,
    /// The name of the file that is edited.
    pub file: String,
    at: Vec<String>,
    find: String,
    to: Option<String>,
    put: String,
    /// The other lines: key and value.
    pub facts: Vec<(String, String)>,
}

/// Reads a list of edits.
///
/// # Panics
///
/// If a line has no meaning, or an edit lacks `spec` or `find`: the list is part of a test.
#[must_use]
pub fn read(text: &str) -> Vec<Edit> {
    let mut list: Vec<Edit> = Vec::new();
    for line in text.lines().filter(|l| !l.trim().is_empty() && !l.starts_with('#')) {
        if let Some(name) = line.strip_prefix('[').and_then(|l| l.strip_suffix(']')) {
            list.push(Edit { name: name.to_owned(), ..Edit::default() });
            continue;
        }
        let (key, value) = line.split_once(' ').unwrap_or((line, ""));
        let edit = list.last_mut().unwrap_or_else(|| panic!("no edit before {line:?}"));
        let text = value.replace("\\n", "\n").replace("\\t", "\t");
        match key {
            "spec" => edit.spec = text,
            "file" => edit.file = text,
            "at" => edit.at.push(text),
            "find" => edit.find = text,
            "to" => edit.to = Some(text),
            "put" => edit.put = text,
            _ => edit.facts.push((key.to_owned(), value.to_owned())),
        }
    }
    for edit in &mut list {
        assert!(!edit.spec.is_empty() && !edit.find.is_empty(), "[{}] needs `spec` and `find`", edit.name);
        if edit.file.is_empty() {
            edit.file = corpus::name(Path::new(&edit.spec));
        }
    }
    list
}

impl Edit {
    /// The values of a fact, in order.
    pub fn facts<'a>(&'a self, key: &'a str) -> impl Iterator<Item = &'a str> {
        self.facts.iter().filter(move |f| f.0 == key).map(|f| f.1.as_str())
    }

    /// The description is one of the corpus.
    #[must_use]
    pub fn is_corpus(&self) -> bool {
        !self.spec.starts_with("specs/")
    }

    /// The top file of the unchanged description; `None` where there is no corpus.
    #[must_use]
    pub fn top(&self) -> Option<PathBuf> {
        if !self.is_corpus() {
            return Some(crate::workspace().join(&self.spec));
        }
        let (system, rest) = self.spec.split_once('/')?;
        Some(corpus::folder(system)?.join(rest))
    }

    /// The text of the file with the edit made, and the lines, counted from 1, between which it differs.
    ///
    /// # Errors
    ///
    /// Which text is not there.
    pub fn apply(&self, text: &str) -> Result<(String, (usize, usize)), String> {
        let missing = |what: &str| format!("[{}]: {what:?} is not in {}", self.name, self.file);
        let mut from = 0;
        for at in &self.at {
            from += text[from..].find(at.as_str()).ok_or_else(|| missing(at))? + at.len();
        }
        let start = from + text[from..].find(&self.find).ok_or_else(|| missing(&self.find))?;
        let mut end = start + self.find.len();
        if let Some(to) = &self.to {
            end += text[end..].find(to.as_str()).ok_or_else(|| missing(to))? + to.len();
        }
        let line = |at: usize| text[..at].matches('\n').count() + 1;
        let first = line(start);
        Ok((format!("{}{}{}", &text[..start], self.put, &text[end..]), (first, first + self.put.matches('\n').count())))
    }

    /// Reads a file of the description, with the edit made if it is that file: what front ends are given to load with.
    ///
    /// # Errors
    ///
    /// Why the file cannot be read, or edited.
    pub fn load(&self, path: &str) -> Result<Vec<u8>, String> {
        let bytes = corpus::load(path)?;
        if corpus::name(Path::new(path)) != self.file {
            return Ok(bytes);
        }
        let text = String::from_utf8(bytes).map_err(|e| e.to_string())?;
        Ok(self.apply(&text)?.0.into_bytes())
    }

    /// Writes the folder of the description with the edit made into a folder, and gives the top file there.
    ///
    /// # Errors
    ///
    /// Why that cannot be done.
    pub fn write(&self, into: &Path) -> Result<PathBuf, String> {
        let top = self.top().ok_or("there is no corpus")?;
        let folder = top.parent().ok_or("no folder")?;
        for path in corpus::files(folder, ".xml") {
            let bytes = self.load(&path.to_string_lossy())?;
            std::fs::write(into.join(corpus::name(&path)), bytes).map_err(|e| e.to_string())?;
        }
        Ok(into.join(corpus::name(&top)))
    }
}
