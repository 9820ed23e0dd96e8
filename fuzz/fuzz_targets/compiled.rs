//! Smoke test: crates/isaspec/tests/it/compiled.rs
#![no_main]

use isaglot_model::compiled::{Header, MAGIC, VERSION, from_bytes, to_bytes};

// Arbitrary bytes after a right checksum: an error, or a model that can be written and read again.
libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let mut bytes = MAGIC.to_vec();
    bytes.extend(VERSION.to_le_bytes());
    bytes.extend(crc32fast::hash(data).to_le_bytes());
    bytes.extend(data);
    if let Ok((_, isa)) = from_bytes(&bytes) {
        assert!(from_bytes(&to_bytes(&Header::default(), &isa)).is_ok());
    }
});
