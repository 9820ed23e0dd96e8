//! What every listing must be: JSON that the published schema takes, and that the reader takes and the writer gives back.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Display;

use isaglot_listing::hot::hot;
use isaglot_listing::write::{Style, to_json};
use isaglot_listing::{Listing, read, schema};
use isaglot_source::FileId;
use isaglot_testing::{Failed, Tally, ledger};
use serde_json::Value;

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
        pressure(&listing, &value)?;
        if to_json(&listing, style) == json { Ok(listing.elems.len()) } else { Err("written differently".to_owned()) }
    }
}

/// Graphs of more blocks are not searched from every one of them.
const MAX_SEARCHED: usize = 200;

/// Holds what is said of register pressure against the JSON, read in the plainest way: the most live bytes of each file,
/// that the functions hold every instruction once, and that the loops are what control can come back to.
fn pressure(listing: &Listing<'_>, json: &Value) -> Result<(), String> {
    let found = hot(listing);
    let elems: Vec<&Value> = json["elems"].as_array().into_iter().flatten().collect();
    let instructions = elems.iter().filter(|e| e["kind"] == "I");
    let mut most: BTreeMap<&str, u64> = BTreeMap::new();
    for (file, bytes) in instructions.clone().filter_map(|e| e["liveTotals"].as_object()).flatten() {
        let known = most.entry(file).or_default();
        *known = bytes.as_u64().unwrap_or(0).max(*known);
    }
    most.retain(|_, bytes| *bytes > 0);
    let files = found.files.iter().map(|file| (file.file, u64::from(file.bytes)));
    let hottest = found.files.iter().filter_map(|file| Some((file.file, u64::from(file.points.first()?.bytes))));
    let mut peaks: BTreeMap<&str, u64> = BTreeMap::new();
    for peak in found.functions.iter().flat_map(|f| &f.peaks) {
        let known = peaks.entry(peak.file).or_default();
        *known = u64::from(peak.bytes).max(*known);
    }
    if files.collect::<BTreeMap<_, _>>() != most || hottest.collect::<BTreeMap<_, _>>() != most || peaks != most {
        return Err("register pressure: not the most live bytes".to_owned());
    }
    if found.functions.iter().map(|f| f.instructions).sum::<usize>() != instructions.count() {
        return Err("register pressure: the functions do not hold every instruction once".to_owned());
    }
    let ids = |label: &Value| label["succs"].as_array().into_iter().flatten().filter_map(Value::as_u64).collect();
    let labels = elems.iter().filter(|e| e["kind"] == "L");
    let graph: BTreeMap<u64, Vec<u64>> = labels.filter_map(|l| Some((l["id"].as_u64()?, ids(l)))).collect();
    if graph.len() <= MAX_SEARCHED {
        let comes_back = graph.keys().filter(|&&block| reaches(&graph, block, block)).count();
        let looped: usize = found.loops.iter().filter(|l| l.depth == 1).map(|l| l.blocks).sum();
        if comes_back != looped {
            return Err(format!("register pressure: {looped} blocks in loops, {comes_back} come back"));
        }
    }
    Ok(())
}

/// Whether control comes from one block to another in one step or more.
fn reaches(graph: &BTreeMap<u64, Vec<u64>>, from: u64, to: u64) -> bool {
    let (mut seen, mut open) = (BTreeSet::new(), vec![from]);
    while let Some(succs) = open.pop().and_then(|block| graph.get(&block)) {
        open.extend(succs.iter().filter(|succ| seen.insert(**succ)));
    }
    seen.contains(&to)
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
