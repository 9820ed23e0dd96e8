//! The index of the search box: a script that assigns a list, so that it loads from a folder without a server.

use serde_json::json;

use crate::limits::INDEX_BYTES;

/// What a page is found by.
pub(crate) struct Entry {
    pub(crate) title: String,
    pub(crate) path: String,
    pub(crate) words: Vec<String>,
}

/// The script: `const ISAGLOT_INDEX = [[title, path, words in lower case], …]`.
pub(crate) fn index(entries: &[Entry]) -> String {
    let rows = entries.iter().map(|e| {
        let mut words: Vec<String> = Vec::new();
        let all = e.words.iter().flat_map(|w| w.split_whitespace()).map(str::to_lowercase);
        let mut bytes = 0;
        for word in all {
            if bytes < INDEX_BYTES && !words.contains(&word) {
                bytes += word.len() + 1;
                words.push(word);
            }
        }
        json!([e.title, e.path, words.join(" ")]).to_string()
    });
    // `<` cannot end a script element of its own, but costs nothing to keep out.
    let rows = rows.collect::<Vec<_>>().join(",\n").replace('<', "\\u003c");
    format!("const ISAGLOT_INDEX = [\n{rows}\n];\n")
}
