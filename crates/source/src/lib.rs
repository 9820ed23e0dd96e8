//! Files, spans and diagnostics for every front end.
#![doc = include_str!("../README.md")]

mod diagnostic;
pub mod expect;
mod files;
mod glob;
pub mod limits;
mod lines;
pub mod render;

pub use diagnostic::{Adoption, Diagnostic, Diagnostics, Fix, Label, Severity, closest, counted};
pub use files::{FileId, LineCol, SourceFile, SourceMap, Span};
pub use glob::Glob;
pub use lines::{lines, statements};
