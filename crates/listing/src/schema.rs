//! The published JSON Schema of the listing, made from the same types that are written and read.

use crate::tree::Listing;

/// The schema as indented JSON with a closing newline. The same for every call.
pub fn json_schema() -> String {
    let schema = schemars::schema_for!(Listing<'static>);
    let mut text = serde_json::to_string_pretty(schema.as_value()).unwrap_or_default();
    text.push('\n');
    text
}
