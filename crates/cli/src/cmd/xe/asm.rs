//! Text, or a JSON listing, to a binary.

use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

use isaglot_source::{Diagnostic, Diagnostics, FileId};
use isaglot_xe::{Compaction, Platform, Xe};

use super::{description, machine};
use crate::args::OutputArgs;
use crate::io::{BYTE_ORDER_MARK, input_name, read_shared};
use crate::session::Session;

/// Assembles a text, or with `json` or by its first character a listing.
pub(crate) fn assemble(
    platform: Platform,
    path: Option<&Path>,
    (compact, json): (Compaction, bool),
    output: &OutputArgs,
    session: &mut Session,
) -> ExitCode {
    let mut problems = Diagnostics::new();
    let done = bytes(platform, path, (compact, json), session, &mut problems).and_then(|bytes| match bytes {
        Some(bytes) => crate::io::write(output.path(), true, &bytes),
        None => Ok(()),
    });
    match done {
        Ok(()) => session.status(&problems),
        Err(d) => session.fail(d),
    }
}

fn bytes(
    platform: Platform,
    path: Option<&Path>,
    (compact, json): (Compaction, bool),
    session: &mut Session,
    problems: &mut Diagnostics,
) -> Result<Option<Vec<u8>>, Diagnostic> {
    let description = description()?;
    let mut xe = machine(&description, platform)?;
    let text = read_shared(path)?;
    let text = text.strip_prefix(BYTE_ORDER_MARK).map(Arc::from).unwrap_or(text);
    let file = session.files.add(input_name(path), Arc::clone(&text));
    let first = text.iter().find(|b| !b.is_ascii_whitespace());
    if !json && first != Some(&b'{') {
        return Ok(xe.assemble(file, &text, compact, problems));
    }
    Ok(listed(&mut xe, file, &text, problems))
}

/// The binary of a JSON listing.
pub(super) fn listed(xe: &mut Xe<'_>, file: FileId, text: &[u8], problems: &mut Diagnostics) -> Option<Vec<u8>> {
    match isaglot_listing::read(file, text) {
        Ok(listing) => {
            let platform = xe.platform.name();
            if listing.platform != platform {
                let message = format!("the listing is for {}, not for {platform}", listing.platform);
                problems.push(Diagnostic::warning("xe-platform", message));
            }
            xe.assemble_listing(file, &listing, problems)
        }
        Err(all) => {
            problems.append(all);
            None
        }
    }
}
