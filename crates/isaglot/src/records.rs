//! What is wrong with a TableGen file, as diagnostics.

use isaglot_source::Diagnostics;
use isaglot_tablegen::Records;

/// The messages of a run, in order.
pub fn problems(records: &Records) -> Diagnostics {
    let mut all = Diagnostics::new();
    records.messages().diagnostics().into_iter().for_each(|d| all.push(d));
    all
}
