//! JSON in: the reader of a listing.
//!
//! The file is read in one go; only when that fails is it taken apart element by element, so that every bad element
//! is reported with its place and a good file pays nothing for it. Older shapes (module `older`) are tried then, too.

use isaglot_source::{Diagnostic, Diagnostics, FileId, Span};
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::limits::MAX_READ_ERRORS;
use crate::older;
use crate::tree::{Elem, Listing};

/// Reads a listing from the bytes of `file`; all problems are reported, each with its place.
pub fn read(file: FileId, bytes: &[u8]) -> Result<Listing<'static>, Diagnostics> {
    let failure = match serde_json::from_slice::<Listing<'static>>(bytes) {
        Ok(listing) if listing.version == "2.0" => return Ok(listing),
        Ok(listing) if listing.version != "1.0" => {
            let d = Diagnostic::error("listing-version", format!("version {:?} is not known", listing.version))
                .label(Span::new(file, 0, 1), "")
                .note("this reader takes the versions \"1.0\" and \"2.0\"");
            return Err(d.into());
        }
        Ok(_) => serde::de::Error::custom("a listing of version 1.0 in no shape that is known"),
        Err(e) => e,
    };
    let failure = match older::modern(bytes).map(serde_json::from_value::<Listing<'static>>) {
        Some(Ok(listing)) => return Ok(listing),
        // Places are those of the present shape, and say nothing here.
        Some(Err(e)) => {
            let d = problem(&e).label(Span::new(file, 0, 1), "in this listing");
            return Err(d.note("it is of an older shape, and is read as version 2.0").into());
        }
        None => failure,
    };
    let mut all = Diagnostics::new();
    if let Ok(parts) = serde_json::from_slice::<Parts<'_>>(bytes) {
        for raw in parts.elems {
            if let Err(e) = serde_json::from_str::<Elem<'static>>(raw.get()) {
                let start = (raw.get().as_ptr() as usize).saturating_sub(bytes.as_ptr() as usize);
                all.push(problem(&e).label(Span::new(file, start, start + raw.get().len()), "in this element"));
            }
            if all.len() >= MAX_READ_ERRORS {
                break;
            }
        }
    }
    if all.is_empty() {
        let at = offset(bytes, failure.line(), failure.column());
        all.push(problem(&failure).label(Span::new(file, at, at), ""));
    }
    Err(all)
}

/// The outermost level only.
#[derive(Deserialize)]
struct Parts<'a> {
    #[serde(borrow)]
    elems: Vec<&'a RawValue>,
}

fn problem(e: &serde_json::Error) -> Diagnostic {
    // The library appends its own position, relative to what it was given.
    let message = e.to_string();
    let message = message.split(" at line ").next().unwrap_or_default();
    let code = if e.is_data() { "listing-shape" } else { "listing-json" };
    Diagnostic::error(code, message)
}

/// The byte offset of a line and column that both count from 1.
fn offset(bytes: &[u8], line: usize, column: usize) -> usize {
    let start = match line {
        0 | 1 => 0,
        _ => bytes.iter().enumerate().filter(|(_, b)| **b == b'\n').nth(line - 2).map_or(0, |(i, _)| i + 1),
    };
    (start + column.saturating_sub(1)).min(bytes.len())
}
