//! The diagnostic: plain data that says what is wrong, where, and what would mend it.
//!
//! The rule of the house: a code never changes its meaning, a message says what was expected, and where two places
//! disagree both are labelled.

use std::fmt;
use std::sync::Arc;

use crate::files::{FileId, SourceMap, Span};
use crate::limits;

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// For your information; never changes an exit status.
    Note,
    /// Odd, but accepted.
    Warning,
    /// The input cannot be used; the exit status is 1.
    Error,
}

impl Severity {
    /// `error`, `warning` or `note`.
    pub fn name(self) -> &'static str {
        match self {
            Severity::Note => "note",
            Severity::Warning => "warning",
            Severity::Error => "error",
        }
    }
}

/// A span with a few words about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Label {
    /// The place.
    pub span: Span,
    /// What is to be seen there; may be empty.
    pub message: String,
    /// The place that the diagnostic is about, rather than one that explains it.
    pub primary: bool,
}

/// A replacement of text that would mend the problem.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fix {
    /// What the replacement does.
    pub message: String,
    /// The text to replace; empty to insert.
    pub span: Span,
    /// The new text.
    pub replacement: String,
}

/// One problem, complete.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// Stable, lower case, hyphenated: `isaspec-field-overlap`.
    pub code: &'static str,
    /// How bad it is.
    pub severity: Severity,
    /// One sentence, no full stop.
    pub message: String,
    /// Places, the primary one first.
    pub labels: Vec<Label>,
    /// Further sentences: what was expected, what to do.
    pub notes: Vec<String>,
    /// A replacement, where one is certain enough.
    pub fix: Option<Fix>,
}

impl Diagnostic {
    /// A diagnostic without places or notes.
    pub fn new(severity: Severity, code: &'static str, message: impl Into<String>) -> Diagnostic {
        Diagnostic { code, severity, message: message.into(), labels: Vec::new(), notes: Vec::new(), fix: None }
    }

    /// An error.
    pub fn error(code: &'static str, message: impl Into<String>) -> Diagnostic {
        Diagnostic::new(Severity::Error, code, message)
    }

    /// A warning.
    pub fn warning(code: &'static str, message: impl Into<String>) -> Diagnostic {
        Diagnostic::new(Severity::Warning, code, message)
    }

    /// Adds the place that this is about.
    #[must_use]
    pub fn label(mut self, span: Span, message: impl Into<String>) -> Diagnostic {
        self.labels.push(Label { span, message: message.into(), primary: true });
        self
    }

    /// Adds a place that explains it.
    #[must_use]
    pub fn secondary(mut self, span: Span, message: impl Into<String>) -> Diagnostic {
        self.labels.push(Label { span, message: message.into(), primary: false });
        self
    }

    /// Adds a sentence.
    #[must_use]
    pub fn note(mut self, note: impl Into<String>) -> Diagnostic {
        self.notes.push(note.into());
        self
    }

    /// Adds the question whether the nearest name was meant, if there is one: see [`closest`](crate::closest).
    #[must_use]
    pub fn did_you_mean(self, near: Option<&str>) -> Diagnostic {
        near.iter().fold(self, |d, near| d.note(format!("did you mean `{near}`?")))
    }

    /// Adds a replacement.
    #[must_use]
    pub fn fix(mut self, message: impl Into<String>, span: Span, replacement: impl Into<String>) -> Diagnostic {
        self.fix = Some(Fix { message: message.into(), span, replacement: replacement.into() });
        self
    }

    /// The first primary place, or the first place at all.
    pub fn span(&self) -> Option<Span> {
        self.labels.iter().find(|l| l.primary).or(self.labels.first()).map(|l| l.span)
    }
}

impl fmt::Display for Diagnostic {
    /// `error[CODE]: what is wrong` and the notes, without places: they are in files, which a [`SourceMap`](crate::SourceMap)
    /// has.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}[{}]: {}", self.severity.name(), self.code, self.message)?;
        self.notes.iter().try_for_each(|note| write!(f, "; {note}"))
    }
}

impl core::error::Error for Diagnostic {}

/// The problems of one run, in the order in which they were found; bounded by
/// [`limits::MAX_DIAGNOSTICS`], the rest is counted.
#[derive(Clone, Debug, Default)]
pub struct Diagnostics {
    list: Vec<Diagnostic>,
    errors: usize,
    dropped: usize,
}

impl Diagnostics {
    /// An empty bag.
    pub fn new() -> Diagnostics {
        Diagnostics::default()
    }

    /// Adds one.
    pub fn push(&mut self, d: Diagnostic) {
        self.errors += usize::from(d.severity == Severity::Error);
        if self.list.len() < limits::MAX_DIAGNOSTICS {
            self.list.push(d);
        } else {
            self.dropped += 1;
        }
    }

    /// The value, or nothing: then the error is added.
    pub fn ok<T>(&mut self, result: Result<T, Diagnostic>) -> Option<T> {
        result.map_err(|d| self.push(d)).ok()
    }

    /// Adds all of another bag.
    pub fn append(&mut self, other: Diagnostics) {
        self.dropped += other.dropped;
        let kept = other.list.iter().filter(|d| d.severity == Severity::Error).count();
        self.errors += other.errors - kept;
        for d in other.list {
            self.push(d);
        }
    }

    /// Adds all of a bag that speaks of other files. What it keeps is [adopted](Adoption).
    pub fn append_from(&mut self, mut other: Diagnostics, adoption: &mut Adoption<'_>) {
        let room = limits::MAX_DIAGNOSTICS.saturating_sub(self.list.len());
        other.list.iter_mut().take(room).for_each(|d| adoption.adopt(d));
        self.append(other);
    }

    /// Whether one of them is an error.
    pub fn has_errors(&self) -> bool {
        self.errors > 0
    }

    /// How many errors were added, dropped ones included.
    pub fn error_count(&self) -> usize {
        self.errors
    }

    /// How many were not kept.
    pub fn dropped(&self) -> usize {
        self.dropped
    }

    /// Those that were kept.
    pub fn iter(&self) -> std::slice::Iter<'_, Diagnostic> {
        self.list.iter()
    }

    /// Whether nothing was added.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// How many are kept.
    pub fn len(&self) -> usize {
        self.list.len()
    }
}

impl fmt::Display for Diagnostics {
    /// A line for each that was kept, and how many were not.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut lines = self.list.iter();
        lines.next().map_or(Ok(()), |first| first.fmt(f))?;
        lines.try_for_each(|next| write!(f, "\n{next}"))?;
        if self.dropped > 0 { write!(f, "\n({} not shown)", self.dropped) } else { Ok(()) }
    }
}

impl core::error::Error for Diagnostics {}

/// Makes diagnostics about the files of one map speak of those of another: work on many inputs has a map for each. Only files that a
/// diagnostic has a place in are added, each once.
pub struct Adoption<'a> {
    from: &'a SourceMap,
    into: &'a mut SourceMap,
    known: Vec<(FileId, FileId)>,
}

impl<'a> Adoption<'a> {
    /// Of diagnostics about files of `from`, by the map `into`.
    pub fn new(from: &'a SourceMap, into: &'a mut SourceMap) -> Adoption<'a> {
        Adoption { from, into, known: Vec::new() }
    }

    /// Puts all places of a diagnostic into the other map.
    pub fn adopt(&mut self, d: &mut Diagnostic) {
        d.labels.iter_mut().for_each(|label| self.move_span(&mut label.span));
        d.fix.iter_mut().for_each(|fix| self.move_span(&mut fix.span));
    }

    fn move_span(&mut self, span: &mut Span) {
        let old = span.file;
        let known = self.known.iter().find(|(id, _)| *id == old).map(|(_, new)| *new);
        let new = known.or_else(|| {
            let file = self.from.get(old)?;
            let new = self.into.add(file.name.clone(), Arc::clone(&file.bytes));
            self.known.push((old, new));
            Some(new)
        });
        // A place in no file stays one.
        span.file = new.unwrap_or(old);
    }
}

impl<'a> IntoIterator for &'a Diagnostics {
    type Item = &'a Diagnostic;
    type IntoIter = std::slice::Iter<'a, Diagnostic>;
    fn into_iter(self) -> Self::IntoIter {
        self.list.iter()
    }
}

impl From<Diagnostic> for Diagnostics {
    fn from(d: Diagnostic) -> Diagnostics {
        let mut all = Diagnostics::new();
        all.push(d);
        all
    }
}

/// A number of things: `1 word`, `2 words`.
pub fn counted(n: impl std::fmt::Display, noun: &str) -> String {
    let n = n.to_string();
    let plural = if n == "1" { "" } else { "s" };
    format!("{n} {noun}{plural}")
}

/// The candidate nearest to `name` by edit distance, for a "did you mean"; `None` when none is near. Of equally near
/// ones the first wins.
pub fn closest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let length = name.chars().count();
    let allowed = (length / 3 * limits::EDITS_PER_THREE_CHARS).max(1);
    let mut best: Option<(usize, &str)> = None;
    for candidate in candidates {
        if candidate.chars().count().abs_diff(length) > allowed || candidate == name {
            continue;
        }
        let distance = edit_distance(name, candidate);
        if distance <= allowed && best.is_none_or(|(d, _)| distance < d) {
            best = Some((distance, candidate));
        }
    }
    best.map(|(_, c)| c)
}

/// Levenshtein distance in which a swap of two neighbours counts one.
fn edit_distance(a: &str, b: &str) -> usize {
    let a: Vec<char> = a.chars().collect();
    let b: Vec<char> = b.chars().collect();
    let mut rows = vec![vec![0; b.len() + 1]; a.len() + 1];
    for (i, row) in rows.iter_mut().enumerate() {
        row[0] = i;
    }
    for (j, cell) in rows[0].iter_mut().enumerate() {
        *cell = j;
    }
    for i in 1..=a.len() {
        for j in 1..=b.len() {
            let substituted = rows[i - 1][j - 1] + usize::from(a[i - 1] != b[j - 1]);
            let mut best = substituted.min(rows[i - 1][j] + 1).min(rows[i][j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                best = best.min(rows[i - 2][j - 2] + 1);
            }
            rows[i][j] = best;
        }
    }
    rows[a.len()][b.len()]
}
