//! How diagnostics look: text with snippets for people, JSON lines and SARIF for tools.
//!
//! Each needs its feature, because a library that only hands diagnostics on needs none of them: `text`, `json`.

#[cfg(feature = "json")]
mod json;
#[cfg(feature = "json")]
mod sarif;
#[cfg(feature = "text")]
mod text;

#[cfg(feature = "json")]
pub use json::json;
#[cfg(feature = "json")]
pub use sarif::sarif;
#[cfg(feature = "text")]
pub use text::{summary, text};
