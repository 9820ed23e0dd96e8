//! Display templates, split once: literal runs, references, alignment.

use std::sync::Arc;

use isaglot_source::Span;

use crate::names::Name;
use crate::shared::Shared;

/// The text form of a case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Template {
    /// Its parts in order.
    pub parts: Shared<TemplatePart>,
    /// Where it stands.
    pub span: Span,
}

/// A part of a template.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "compiled", derive(serde::Serialize, serde::Deserialize))]
pub enum TemplatePart {
    /// Bytes echoed as they are; need not be UTF-8.
    Literal(#[cfg_attr(feature = "compiled", serde(skip))] Shared<u8>),
    /// The value of a field, in the way of its type, after padding with spaces up to column `align`.
    Field {
        /// Which.
        name: Name,
        /// The column, counted in bytes from the start of the instruction's line; 0 for none.
        align: u32,
        /// The reference as written between the braces, `SRC:align=18`: what a field callback is told.
        #[cfg_attr(feature = "compiled", serde(skip))]
        reference: Arc<str>,
    },
    /// The display name of the encoding in whose template this stands, after padding.
    Mnemonic {
        /// As for a field.
        align: u32,
        /// As for a field.
        #[cfg_attr(feature = "compiled", serde(skip))]
        reference: Arc<str>,
    },
    /// Padding with spaces up to a column.
    Align(u32),
}
