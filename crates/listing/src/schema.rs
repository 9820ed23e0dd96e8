//! The published JSON Schema of the listing: a file beside this one, which a test holds against the types of
//! [`crate::tree`]. `cargo xtask bless` writes it anew.

/// The schema as indented JSON with a closing newline.
pub const JSON_SCHEMA: &str = include_str!("schema.json");

#[cfg(test)]
mod tests {
    #[test]
    fn schema_is_that_of_the_types() {
        let schema = schemars::schema_for!(crate::tree::Listing<'static>);
        let text = serde_json::to_string_pretty(schema.as_value()).unwrap() + "\n";
        if std::env::var_os("BLESS").is_some() {
            std::fs::write(concat!(env!("CARGO_MANIFEST_DIR"), "/src/schema.json"), &text).unwrap();
        } else {
            assert_eq!(super::JSON_SCHEMA, text);
        }
    }
}
