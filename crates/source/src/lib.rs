//! Files, spans and diagnostics: what every front end of Isaglot needs to say clearly what is wrong, and where.
//!
//! A [`SourceMap`] owns the bytes of every file that was read. A [`Span`] is a range of bytes of one of them and
//! nothing else, so it can be stored in every syntax node at the cost of twelve bytes. A [`Diagnostic`] is plain data:
//! a stable code, a severity, a sentence, labelled spans and notes. How it looks is decided by the renderers in
//! [`render`]: text with source snippets for people, JSON lines and SARIF for tools.
//!
//! ```
//! use isaglot_source::{Diagnostic, SourceMap, Span, render};
//!
//! let mut files = SourceMap::new();
//! let file = files.add("demo.xml", &b"<field low=\"9\" high=\"3\"/>\n"[..]);
//! let d = Diagnostic::error("isaspec-range", "`low` is above `high`")
//!     .label(Span::new(file, 12, 13), "low is bit 9")
//!     .secondary(Span::new(file, 21, 22), "high is bit 3");
//! let text = render::text(&files, &d, false);
//! assert!(text.starts_with("error[isaspec-range]: `low` is above `high`"));
//! assert!(text.contains("demo.xml:1:13"));
//! ```

mod diagnostic;
pub mod expect;
mod files;
pub mod limits;
pub mod render;

pub use diagnostic::{Diagnostic, Diagnostics, Fix, Label, Severity, closest};
pub use files::{FileId, LineCol, SourceFile, SourceMap, Span};
