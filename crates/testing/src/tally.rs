//! How many rows passed of how many, by file, and which failed.

use std::collections::BTreeMap;

/// Counts rows of a set.
///
/// A row has an id: the name of its file and its place in it, as in `loongarch.jsonl:123`.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    /// Rows passed and rows in all, by file.
    pub files: BTreeMap<String, (usize, usize)>,
    /// Why rows failed, by file and place.
    pub failures: BTreeMap<(String, Place), String>,
}

/// Where in its file a row is; numbers are in order of their value.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    number: u64,
    text: String,
}

impl Place {
    /// Of a line number or any other text; it begins with its number, if it has one.
    #[must_use]
    pub fn new(text: String) -> Place {
        let digits = text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        Place { number: text[..digits].parse().unwrap_or(u64::MAX), text }
    }
}

impl std::fmt::Display for Place {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.text)
    }
}

impl Tally {
    /// Counts a row of a file; `result` says why it failed.
    ///
    /// # Panics
    ///
    /// If the name of the file has a colon, or the id a tab or line end: a ledger could not be read again.
    pub fn row(&mut self, file: &str, place: impl std::fmt::Display, result: Result<(), String>) {
        if !self.files.contains_key(file) {
            assert!(!file.contains([':', '\t', '\n']), "no name of a file in an id: {file:?}");
            self.files.insert(file.to_owned(), (0, 0));
        }
        let count = self.files.entry(file.to_owned()).or_default();
        count.1 += 1;
        match result {
            Ok(()) => count.0 += 1,
            Err(why) => {
                let place = place.to_string();
                assert!(!place.contains(['\t', '\n']), "no place in an id: {place:?}");
                self.failures.entry((file.to_owned(), Place::new(place))).or_insert(why);
            }
        }
    }

    /// As [`Tally::row`], where `why` is asked only if the row failed.
    pub fn check(&mut self, file: &str, place: impl std::fmt::Display, passed: bool, why: impl FnOnce() -> String) {
        self.row(file, place, if passed { Ok(()) } else { Err(why()) });
    }

    /// Adds the counts of another part of the set.
    pub fn add(&mut self, other: Tally) {
        for (file, (passed, total)) in other.files {
            let count = self.files.entry(file).or_default();
            *count = (count.0 + passed, count.1 + total);
        }
        self.failures.extend(other.failures);
    }

    /// Rows passed and rows in all.
    #[must_use]
    pub fn sum(&self) -> (usize, usize) {
        self.files.values().fold((0, 0), |a, b| (a.0 + b.0, a.1 + b.1))
    }

    /// Prints passed/total for each file and in all.
    ///
    /// # Errors
    ///
    /// If there was no row at all.
    pub fn print(&self, set: &str) -> Result<(), String> {
        let (passed, total) = self.sum();
        if self.files.len() > 1 {
            for (file, (passed, total)) in &self.files {
                println!("{set}: {file}: {passed}/{total}");
            }
        }
        println!("{set}: {passed}/{total}");
        if total == 0 { Err(format!("{set}: there is no row to check")) } else { Ok(()) }
    }

    /// Prints the counts. Every row must have passed, and there must be one.
    ///
    /// # Errors
    ///
    /// The rows that failed, at most [`crate::shown`] of them with their reasons.
    pub fn all_pass(&self, set: &str) -> Result<(), String> {
        self.print(set)?;
        if self.failures.is_empty() {
            return Ok(());
        }
        let mut lines = vec![format!("{set}: {} rows fail:", self.failures.len())];
        let rows = self.failures.iter().map(|((file, place), why)| format!("  {file}:{place}: {why}"));
        lines.extend(limited(rows));
        Err(lines.join("\n"))
    }
}

/// The first [`crate::shown`] lines, and how many more there are.
pub(crate) fn limited(lines: impl ExactSizeIterator<Item = String>) -> Vec<String> {
    let (count, most) = (lines.len(), crate::shown());
    let mut shown: Vec<String> = lines.take(most).collect();
    if count > most {
        shown.push(format!("  and {} more (ISAGLOT_SHOW=N shows N)", count - most));
    }
    shown
}
