//! What must hold for any input: functions that the fuzz targets and their smoke tests share.

use std::sync::Arc;

use crate::{Options, parse, render, tool, why};

/// Any bytes are TableGen, or an error: reads them within a small budget, goes on after errors, and prints in every
/// format. It must return without a panic.
pub fn check_any_input(bytes: &[u8]) {
    let options = Options {
        all_errors: true,
        trace: true,
        dialect: crate::Dialect::Newest,
        budget: Some(1 << 16),
        ..Options::default()
    };
    let source: Arc<[u8]> = bytes.into();
    let again = Arc::clone(&source);
    // A file that is included is the file itself.
    let mut records = parse("fuzz.td", source, &options, &mut move |_| Some(Arc::clone(&again)));
    let mut out = std::io::sink();
    for action in [
        tool::Action::PrintRecords,
        tool::Action::PrintDetailed,
        tool::Action::DumpJson,
        tool::Action::PrintEnums,
        tool::Action::PrintSets,
        tool::Action::CTags,
        tool::Action::SearchableTables,
    ] {
        let run = tool::Invocation { action, class: "Base".to_owned(), ..tool::Invocation::default() };
        // A text that is too long is an error, which is a good answer.
        let _ = tool::print(&run, &mut records, &mut out);
    }
    render::text(records.places(), &records.messages().list, true);
    render::json(records.places(), &records.messages().list);
    let first = records.defs().next().and_then(|d| Some((d.name().into_owned(), d.fields().next()?.0.into_owned())));
    if let Some((def, field)) = first {
        why(&records, &def, &field);
    }
}
