//! What must hold for any input: functions that the fuzz targets and their smoke tests share.

use isaglot_source::{Diagnostics, FileId};
use isaglot_tablegen::{Options, parse};

use crate::generate::{Output, generate};
use crate::{Known, lower, read, scaffold};

/// A description with a little of everything.
const SMALL: &str = include_str!("small.td");

/// Any bytes are an operand table, or errors. The table lowers a small description within bounds; bytes before a zero
/// byte replace that description. It must return without a panic.
pub fn check_any_table(bytes: &[u8]) {
    let (source, table) = match bytes.iter().position(|b| *b == 0) {
        Some(at) => bytes.split_at(at),
        None => (&b""[..], bytes),
    };
    let mut problems = Diagnostics::new();
    let table = read(FileId(0), &String::from_utf8_lossy(table), &mut problems);
    let source: std::sync::Arc<[u8]> = if source.is_empty() { SMALL.as_bytes().into() } else { source.into() };
    let options = Options { budget: Some(1 << 16), ..Options::default() };
    let records = parse("fuzz.td", source, &options, &mut |_| None);
    if records.ok() {
        lower(&records, &table, &mut problems);
        // What is made of the records is a table again.
        if let Some(text) = scaffold(&records, &Known::default()) {
            let table = read(FileId(0), &text, &mut Diagnostics::new());
            lower(&records, &table, &mut Diagnostics::new());
        }
        for output in [Output::EmitterRust, Output::EmitterC, Output::DisassemblerRust] {
            // An error is a good answer.
            let _ = generate(&records, output, "");
        }
    }
}
