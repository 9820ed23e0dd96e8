//! What every listing must be: JSON that the published schema takes, and that the reader takes and the writer gives back.

use std::fmt::Display;

use isaglot_listing::write::{Style, to_json};
use isaglot_listing::{read, schema};
use isaglot_source::FileId;
use isaglot_testing::{Failed, Tally, ledger};

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

/// The listings of a file: the number of elements of each, or why it is wrong.
#[derive(Default)]
pub(crate) struct Score(Vec<Result<usize, String>>);

impl Score {
    pub(crate) fn count(&mut self, what: impl Display, outcome: Result<usize, String>) {
        self.0.push(outcome.map_err(|why| format!("{what}: {why}")));
    }

    /// Compares the listings that are wrong with the ledger; their ids are the file and their numbers from 1.
    pub(crate) fn finish(self, file: impl Display) -> Result<(), Failed> {
        let elements: usize = self.0.iter().flatten().sum();
        let mut tally = Tally::default();
        for (number, outcome) in self.0.into_iter().enumerate() {
            tally.row(&file.to_string(), number + 1, outcome.map(drop));
        }
        println!("{file}: {elements} elements");
        Ok(ledger::check(env!("CARGO_MANIFEST_DIR"), "listings", &tally)?)
    }
}
