//! The tools of `specs/tools` that the library carries with it.

/// The names of all, with the texts of their files.
use isaglot_specs::TOOLS;

/// The names.
pub fn names() -> impl Iterator<Item = &'static str> {
    TOOLS.iter().map(|(name, _)| *name)
}

/// The text of a tool's file.
#[must_use]
pub fn find(name: &str) -> Option<&'static str> {
    isaglot_specs::find(TOOLS, name)
}
