//! Every bound of this crate, by name.

/// The longest piece of one source line, in bytes, that a snippet shows; longer lines are cut around the label.
pub const SNIPPET_LINE_BYTES: usize = 240;

/// The most lines of one label that a snippet shows.
pub const SNIPPET_LINES: usize = 12;

/// The most diagnostics that a [`Diagnostics`](crate::Diagnostics) bag keeps; the rest are only counted.
pub const MAX_DIAGNOSTICS: usize = 1000;

/// The largest edit distance at which [`closest`](crate::closest) still calls two names near, per three characters.
pub const EDITS_PER_THREE_CHARS: usize = 1;
