//! What is wrong with a TableGen file, as diagnostics.

use isaglot_source::{Diagnostic, Diagnostics};
use isaglot_tablegen::{Loc, Records};

/// The messages of a run, in order.
pub fn problems(records: &Records) -> Diagnostics {
    let mut all = Diagnostics::new();
    for message in &records.messages().list {
        let code = if message.code.is_empty() { "tblgen" } else { message.code };
        let d = Diagnostic::new(message.severity, code, String::from_utf8_lossy(&message.text));
        let span = (message.loc != Loc::NONE).then(|| records.places().span(message.loc)).flatten();
        all.push(match span {
            Some(span) => d.label(span, ""),
            None => d,
        });
    }
    all
}
