//! Which findings are new since an older description, and which are gone.
//!
//! The problem: a description with two hundred known findings hides the one that a change makes. The method: a finding is known by
//! its code, its severity and its message, never by its file or line, so that a moved or renamed file changes nothing. Where
//! several say the same, the text of the line decides which of them are the old ones: first those with an equal line in a file of the
//! same name are paired, then those with an equal line, then what is left. What has no partner is new, or gone.

use isaglot_source::{Diagnostic, Severity, SourceMap};
use rustc_hash::FxHashMap;

/// The findings of one description.
#[derive(Clone, Copy)]
pub struct Findings<'a> {
    /// The files of their places.
    pub files: &'a SourceMap,
    /// The findings.
    pub list: &'a [Diagnostic],
}

/// What a change did to the findings: indices into the two lists.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Since {
    /// Of the new list, those without a partner.
    pub new: Vec<usize>,
    /// Of the new list, those that were there before.
    pub unchanged: Vec<usize>,
    /// Of the old list, those without a partner.
    pub gone: Vec<usize>,
}

/// What a finding says, without its place.
type Key<'a> = (&'static str, Severity, &'a str);

fn key(d: &Diagnostic) -> Key<'_> {
    (d.code, d.severity, &d.message)
}

/// The name of the file that a finding is about, without its folders.
fn file<'a>(files: &'a SourceMap, d: &Diagnostic) -> &'a str {
    let name = d.span().and_then(|span| files.get(span.file)).map_or("", |file| &file.name);
    name.rsplit(['/', '\\', ':']).next().unwrap_or(name)
}

/// The text of the line that a finding is about, without white space; empty if it has no place.
fn line(files: &SourceMap, d: &Diagnostic) -> String {
    let place = d.span().and_then(|span| Some((files.get(span.file)?, span.start)));
    let text = place.map(|(file, at)| String::from_utf8_lossy(file.line(file.line_of(at as usize))));
    text.map_or_else(String::new, |text| text.split_whitespace().collect())
}

/// Compares the findings of an older description with those of a newer one.
pub fn compare(old: Findings<'_>, new: Findings<'_>) -> Since {
    let mut left: FxHashMap<Key<'_>, Vec<(usize, &str, String)>> = FxHashMap::default();
    for (i, d) in old.list.iter().enumerate() {
        left.entry(key(d)).or_default().push((i, file(old.files, d), line(old.files, d)));
    }
    let mut is_new = vec![true; new.list.len()];
    for (by_file, by_line) in [(true, true), (false, true), (false, false)] {
        for (d, is_new) in new.list.iter().zip(&mut is_new).filter(|(_, is_new)| **is_new) {
            let Some(partners) = left.get_mut(&key(d)) else { continue };
            let (name, text) = (file(new.files, d), if by_line { line(new.files, d) } else { String::new() });
            let fits =
                |(_, file, line): &(usize, &str, String)| (!by_file || *file == name) && (!by_line || *line == text);
            if let Some(at) = partners.iter().position(fits) {
                partners.remove(at);
                *is_new = false;
            }
        }
    }
    let mut gone: Vec<usize> = left.into_values().flatten().map(|(i, ..)| i).collect();
    gone.sort_unstable();
    let (new, unchanged) = (0..new.list.len()).partition(|&i| is_new[i]);
    Since { new, unchanged, gone }
}

/// A number that is the same for a finding as long as its code, message and line are: what code hosts know it by.
pub fn fingerprint(files: &SourceMap, d: &Diagnostic) -> String {
    let line = line(files, d);
    let parts = [d.code, d.severity.name(), &d.message, &line];
    // FNV-1a, 64 bits: the same in every version.
    let bytes = parts.iter().flat_map(|part| part.bytes().chain([0]));
    let hash =
        bytes.fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3));
    format!("{hash:016x}")
}
