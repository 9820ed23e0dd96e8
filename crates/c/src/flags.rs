//! Flags of calls, several of them in a number.

use isaglot_source::Diagnostic;

/// Refuses flags that this version does not know: a caller of a later one would otherwise not notice.
pub(crate) fn known(flags: u32, all: u32) -> Result<(), Diagnostic> {
    match flags & !all {
        0 => Ok(()),
        more => Err(Diagnostic::error("c-value", format!("`flags` has {more:#x}, which this version does not know"))),
    }
}
