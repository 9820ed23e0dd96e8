//! Limits of size: too much is refused with the code that says so, and in bounded time. The inputs are too large for
//! files of their own.

use isaglot_isaspec::limits;
use isaglot_source::{Diagnostics, SourceMap};

/// The codes reported for a description.
fn codes(xml: &str) -> Vec<&'static str> {
    let (mut files, mut out) = (SourceMap::new(), Diagnostics::new());
    let mut read = |_: &str| Ok(xml.as_bytes().to_vec());
    assert!(isaglot_isaspec::load(&mut files, "large.xml", &mut read, &mut out).is_none());
    out.iter().map(|d| d.code).collect()
}

#[test]
fn too_many_bitsets() {
    let mut xml = String::from("<isa><bitset name=\"#instruction\" size=\"32\"/>\n");
    for i in 0..=limits::MAX_BITSETS {
        xml.push_str(&format!("<bitset name=\"b{i}\" extends=\"#instruction\"/>\n"));
    }
    xml.push_str("</isa>");
    assert!(codes(&xml).contains(&"isaspec-bitset-limit"));
}

#[test]
fn too_large_a_file() {
    let xml = format!("<isa>{}</isa>", " ".repeat(limits::MAX_FILE_BYTES));
    assert_eq!(codes(&xml), ["isaspec-file-size"]);
}
