//! What every listing must be: JSON that the published schema takes, and that the reader takes and the writer gives back.

use std::fmt::Display;

use isaglot_listing::write::{Style, to_json};
use isaglot_listing::{read, schema};
use isaglot_source::FileId;
use libtest_mimic::Failed;

/// The published schema, ready to be asked.
pub(crate) struct Schema(jsonschema::Validator);

impl Schema {
    pub(crate) fn published() -> Result<Schema, Failed> {
        let text: serde_json::Value = serde_json::from_str(schema::JSON_SCHEMA)?;
        Ok(Schema(jsonschema::validator_for(&text).map_err(|e| e.to_string())?))
    }

    /// Checks the JSON of a listing; the number of its elements.
    pub(crate) fn check(&self, json: &[u8], style: Style) -> Result<usize, String> {
        let value: serde_json::Value = serde_json::from_slice(json).map_err(|e| e.to_string())?;
        if let Some(error) = self.0.iter_errors(&value).next() {
            return Err(format!("{error} at {}", error.instance_path));
        }
        let listing = read(FileId(0), json).map_err(|d| format!("{:?}", d.iter().next().map(|d| &d.message)))?;
        if to_json(&listing, style) == json { Ok(listing.elems.len()) } else { Err("written differently".to_owned()) }
    }
}

/// How many listings of how many were right.
#[derive(Default)]
pub(crate) struct Score {
    passed: usize,
    total: usize,
    elements: usize,
    wrong: Vec<String>,
}

/// Wrong listings that are shown.
const SHOWN: usize = 3;

impl Score {
    pub(crate) fn count(&mut self, what: impl Display, outcome: Result<usize, String>) {
        self.total += 1;
        match outcome {
            Ok(elements) => {
                self.passed += 1;
                self.elements += elements;
            }
            Err(why) if self.wrong.len() < SHOWN => self.wrong.push(format!("{what}: {why}")),
            Err(_) => {}
        }
    }

    /// Prints the score of a file; all must be right, and there must be some.
    pub(crate) fn finish(self, file: impl Display) -> Result<(), Failed> {
        println!("{file}: {}/{} listings, {} elements", self.passed, self.total, self.elements);
        if self.total == 0 {
            return Err(format!("{file}: nothing was there to list").into());
        }
        if self.passed == self.total { Ok(()) } else { Err(self.wrong.join("\n").into()) }
    }
}
