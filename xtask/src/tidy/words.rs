//! Plain English: the word list of CONTRIBUTING.md over all prose and names.
//!
//! The list is the table under `## Words` there: the first column has phrases, separated by commas, and perhaps
//! `(fine: …)` with longer phrases that are not meant. Texts are compared word by word, in lower case; punctuation, line
//! ends and comment signs between words do not count, and `_` parts words, so names of items are seen too.

use super::{Repo, is_generated};

const LIST: &str = "CONTRIBUTING.md";
const CHECKED: &[&str] = &[".rs", ".md", ".xml", ".operands", ".html", ".js"];

/// Files that may have the words, each with a reason.
const ALLOWED: &[(&str, &str)] =
    &[(LIST, "it has the list"), ("xtask/src/tidy/words.rs", "its test has a word of the list")];

/// A row of the list.
struct Phrase {
    words: Vec<String>,
    instead: String,
    /// Longer phrases that are fine.
    fine: Vec<Vec<String>>,
}

fn words(text: &str) -> Vec<String> {
    let parts = text.split(|c: char| !c.is_alphanumeric()).filter(|w| !w.is_empty());
    parts.map(str::to_lowercase).collect()
}

fn list(text: &str) -> Vec<Phrase> {
    let section = text.lines().skip_while(|l| *l != "## Words").skip(1).take_while(|l| !l.starts_with("## "));
    let mut phrases = Vec::new();
    for line in section.filter(|l| l.starts_with("| ") && !l.starts_with("| not |")) {
        let mut cells = line.trim_matches('|').split('|').map(str::trim);
        let (Some(not), Some(instead)) = (cells.next(), cells.next()) else { continue };
        let (not, fine) = not.split_once("(fine:").unwrap_or((not, ""));
        let each = |list: &str| list.split(',').map(words).filter(|w| !w.is_empty()).collect::<Vec<_>>();
        let fine = each(fine);
        phrases.extend(each(not).into_iter().map(|words| Phrase {
            words,
            instead: instead.to_owned(),
            fine: fine.clone(),
        }));
    }
    phrases
}

pub(super) fn check(repo: &Repo) -> Vec<String> {
    let phrases = list(repo.text(LIST));
    if phrases.is_empty() {
        return vec![format!("{LIST}: there is no list of words under `## Words`")];
    }
    let mut findings = Vec::new();
    for source in &repo.sources {
        let checked = CHECKED.iter().any(|end| source.name.ends_with(end)) && !is_generated(&source.text);
        if checked && !ALLOWED.iter().any(|(name, _)| *name == source.name) {
            for (line, phrase) in found(&source.text, &phrases) {
                let words = phrase.words.join(" ");
                findings.push(format!("{}:{line}: \"{words}\": say {}", source.name, phrase.instead));
            }
        }
    }
    findings
}

/// The phrases in a text, with their lines.
fn found<'a>(text: &str, phrases: &'a [Phrase]) -> Vec<(usize, &'a Phrase)> {
    let mut lines = Vec::new();
    let mut all = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let here = words(line);
        lines.extend(std::iter::repeat_n(number + 1, here.len()));
        all.extend(here);
    }
    let mut hits = Vec::new();
    for at in 0..all.len() {
        for phrase in phrases.iter().filter(|p| all[at..].starts_with(&p.words)) {
            // A longer phrase that has this one in it, wherever it begins.
            let within = |fine: &Vec<String>| {
                (0..fine.len()).any(|back| {
                    at >= back && fine[back..].starts_with(&phrase.words) && all[at - back..].starts_with(fine)
                })
            };
            if !phrase.fine.iter().any(within) {
                hits.push((lines[at], phrase));
            }
        }
    }
    hits
}

#[cfg(test)]
mod tests {
    use super::{found, list};

    #[test]
    fn phrases_are_found_across_lines() {
        let phrases = list(
            "## Words\n| not | but | why |\n|---|---|---|\n| is no word, later (fine: there is no word) | x | y |\n",
        );
        let text = "/// This is no\n/// word. There is no word.\nfn is_later() {}\n";
        let hits: Vec<usize> = found(text, &phrases).iter().map(|h| h.0).collect();
        assert_eq!(hits, [1, 3]);
    }
}
