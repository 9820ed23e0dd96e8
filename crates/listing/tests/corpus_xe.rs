//! Every stored listing of the corpus is read and written back, byte for byte. Those that are not are in
//! `tests/ledger/listings.txt`, with reasons.

use std::path::Path;

use isaglot_listing::write::{Style, to_json};
use isaglot_source::FileId;
use isaglot_testing::{Failed, Tally, corpus, ledger, suite};

fn round_trip(folder: &Path) -> Result<(), Failed> {
    let mut tally = Tally::default();
    for path in corpus::files(&folder.join("kernels"), ".json.gz") {
        let name = corpus::name(&path);
        // Listings of another version, and lists of invalid words.
        if name.ends_with(".v1.json.gz") || name.starts_with("neg") {
            continue;
        }
        let bytes = corpus::bytes(&path)?;
        let outcome = match isaglot_listing::read(FileId(0), &bytes) {
            Err(e) => Err(e.iter().next().map_or_else(String::new, |d| d.message.clone())),
            Ok(listing) if to_json(&listing, Style { wide_store_indent: true }) == bytes => Ok(()),
            Ok(_) => Err("written differently".to_owned()),
        };
        tally.row(&name, "whole", outcome);
    }
    Ok(ledger::check(env!("CARGO_MANIFEST_DIR"), "listings", &tally)?)
}

fn main() {
    suite::run_corpus_cases("xe", &[("xe_json_reader_writer", round_trip)]);
}
