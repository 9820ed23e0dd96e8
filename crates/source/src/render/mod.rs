//! How diagnostics look: text with snippets for people, JSON lines and SARIF for tools.

mod json;
mod sarif;
mod text;

pub use json::json;
pub use sarif::sarif;
pub use text::{summary, text};
