//! Ledgers: the rows of a set that fail today, each with a reason.
//!
//! The problem: a floor such as "98 % pass" hides that a row which passed yesterday fails today. A ledger names each
//! row instead, in `tests/ledger/SET.txt`: a line `FILE:PLACE<TAB>REASON` for each, in order. Any difference fails the
//! test and names the row: one that fails and is not in the ledger, and one in the ledger that passes now.
//!
//! Only rows of files that were read in this run are compared, so several tests may share a ledger, and a corpus that
//! lacks a file needs no other ledger. `BLESS=1` writes the ledger: known reasons stay, a new row gets the first line of
//! why it failed. A set that passes whole has no file.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use crate::tally::{Place, Tally, limited};

/// Characters of a reason that are kept.
const MAX_REASON: usize = 100;

/// The file of a set: `tests/ledger/SET.txt` of a crate, whose folder is `env!("CARGO_MANIFEST_DIR")`.
#[must_use]
pub fn path(crate_folder: &str, set: &str) -> PathBuf {
    Path::new(crate_folder).join("tests/ledger").join(format!("{set}.txt"))
}

/// Prints the counts of a tally and compares its failures with the ledger of the set, or writes it with `BLESS=1`.
///
/// # Errors
///
/// Every difference, if there was no row at all, or why the ledger cannot be read or written.
pub fn check(crate_folder: &str, set: &str, tally: &Tally) -> Result<(), String> {
    tally.print(set)?;
    compare(&path(crate_folder, set), tally, crate::bless::wanted())
}

/// Compares the failures of a tally with a ledger, or writes them into it.
///
/// # Errors
///
/// As [`check`].
pub fn compare(path: &Path, tally: &Tally, write: bool) -> Result<(), String> {
    // Tests that share a ledger may run at the same time.
    static WRITER: Mutex<()> = Mutex::new(());
    let _one_at_a_time = WRITER.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let known = read(path)?;
    if write {
        return save(path, &merged(known, tally));
    }
    let was_read = |file: &String| tally.files.contains_key(file);
    let new: Vec<_> = tally.failures.iter().filter(|(id, _)| !known.contains_key(id)).collect();
    let gone: Vec<_> =
        known.iter().filter(|(id, _)| was_read(&id.0) && !tally.failures.contains_key(id)).map(|row| row.0).collect();
    let mut lines = Vec::new();
    if !new.is_empty() {
        lines.push(format!("{}: {} rows fail that passed before:", path.display(), new.len()));
        lines.extend(limited(new.iter().map(|((file, place), why)| format!("  {file}:{place}: {why}"))));
    }
    if !gone.is_empty() {
        lines.push(format!("{}: {} rows of the ledger pass now, or are gone:", path.display(), gone.len()));
        lines.extend(limited(gone.iter().map(|(file, place)| format!("  {file}:{place}"))));
    }
    if lines.is_empty() {
        return Ok(());
    }
    lines.push("`cargo xtask bless` writes the ledger; read the difference before you commit it".to_owned());
    Err(lines.join("\n"))
}

/// Compares ids of what differs, each with an example, with a ledger of `KIND:WHAT` rows, where `*` is any kind. Rows that did not
/// occur count only if everything was tried.
///
/// # Errors
///
/// Every difference, or why the ledger cannot be read.
pub fn check_set(
    crate_folder: &str,
    set: &str,
    found: &BTreeMap<String, String>,
    everything: bool,
) -> Result<(), String> {
    let path = path(crate_folder, set);
    let known = read(&path)?;
    let any = |id: &str| format!("*:{}", id.split_once(':').map_or("", |(_, what)| what));
    let known: BTreeSet<String> = known.keys().map(|(kind, what)| format!("{kind}:{what}")).collect();
    let new = found.iter().filter(|(id, _)| !known.contains(*id) && !known.contains(&any(id)));
    let new: Vec<_> = new.map(|(id, example)| format!("  {id}: {example}")).collect();
    let gone = known.iter().filter(|row| everything && !found.keys().any(|id| id == *row || any(id) == **row));
    let gone: Vec<_> = gone.map(|row| format!("  {row}")).collect();
    let mut lines = Vec::new();
    for (rows, what) in [(new, "differ and are not in the ledger"), (gone, "are in the ledger and do not differ")] {
        if !rows.is_empty() {
            lines.push(format!("{}: {} {what}:", path.display(), rows.len()));
            lines.extend(limited(rows.into_iter()));
        }
    }
    if lines.is_empty() { Ok(()) } else { Err(lines.join("\n")) }
}

type Rows = BTreeMap<(String, Place), String>;

/// The ledger after this run: rows of other files, and the failures with their old or new reasons.
fn merged(known: Rows, tally: &Tally) -> Rows {
    let mut rows: Rows = known.clone().into_iter().filter(|((file, _), _)| !tally.files.contains_key(file)).collect();
    for (id, why) in &tally.failures {
        let reason = known.get(id).cloned().unwrap_or_else(|| crate::first_line(why, MAX_REASON));
        rows.insert(id.clone(), reason);
    }
    rows
}

/// Reads a ledger; one that is not there is empty.
fn read(path: &Path) -> Result<Rows, String> {
    let text = match std::fs::read_to_string(path) {
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(Rows::new()),
        read => read.map_err(|e| format!("{}: {e}", path.display()))?,
    };
    let row = |(number, line): (usize, &str)| {
        let (id, reason) = line.split_once('\t').unwrap_or((line, ""));
        let (file, place) = id
            .split_once(':')
            .filter(|_| !reason.trim().is_empty())
            .ok_or_else(|| format!("{}:{}: expected FILE:PLACE, a tab and a reason", path.display(), number + 1))?;
        Ok(((file.to_owned(), Place::new(place.to_owned())), reason.to_owned()))
    };
    text.lines().enumerate().filter(|(_, line)| !line.is_empty()).map(row).collect()
}

fn save(path: &Path, rows: &Rows) -> Result<(), String> {
    let error = |e: std::io::Error| format!("{}: {e}", path.display());
    if rows.is_empty() {
        return if path.exists() { std::fs::remove_file(path).map_err(error) } else { Ok(()) };
    }
    let mut text = String::new();
    for ((file, place), reason) in rows {
        let _ = writeln!(text, "{file}:{place}\t{reason}");
    }
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).map_err(error)?;
    }
    std::fs::write(path, text).map_err(error)
}
