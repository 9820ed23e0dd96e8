//! What isaspec's own generator gives a driver: a disassembler with its options and callbacks, packers from the driver's
//! own data, unpackers into it.

mod encode_c;
mod encode_rust;
mod expr;
mod missing;
pub mod names;
mod pieces;
pub mod plan;

use isaglot_model::Isa;
use isaglot_source::Diagnostics;

use names::Language;
use plan::Plan;

/// A file of the output.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct File {
    /// Its name, in the output's folder.
    pub name: String,
    /// What is in it.
    pub text: String,
}

/// Writes the packer in C. Problems are added to `out`; with an error among them there is no file.
#[must_use]
pub fn encode_header(isa: &Isa, prefix: &str, out: &mut Diagnostics) -> Option<File> {
    let before = out.error_count();
    let plan = Plan::new(isa, Language::C, out)?;
    let body = encode_c::write(&plan, out);
    if out.error_count() > before {
        return None;
    }
    let guard = format!("{}_ENCODE_H", prefix.to_ascii_uppercase());
    let mut text = format!("#ifndef {guard}\n#define {guard}\n\n");
    text.push_str("#include <assert.h>\n#include <stdbool.h>\n#include <stdint.h>\n#include <stdio.h>\n\n");
    text.push_str(&format!("#define ISA_BITS {}\n\n", isa.format().max_bits));
    text.push_str(include_str!("runtime/encode.h"));
    text.push('\n');
    text.push_str(&body);
    text.push_str(&format!("#endif /* {guard} */\n"));
    Some(File { name: format!("{prefix}-encode.h"), text })
}

/// Writes the packer in Rust, as a module. Problems are added to `out`; with an error among them there is no file.
#[must_use]
pub fn encode_module(isa: &Isa, out: &mut Diagnostics) -> Option<File> {
    let before = out.error_count();
    let plan = Plan::new(isa, Language::Rust, out)?;
    let body = encode_rust::write(&plan, out);
    if out.error_count() > before {
        return None;
    }
    let mut text = format!("//! Packs the instructions of {} from a driver's own data.\n\n", isa.name());
    text.push_str("#![forbid(unsafe_code)]\n#![allow(dead_code, non_snake_case, unused_parens, clippy::all)]\n\n");
    text.push_str("use super::*;\n\n");
    text.push_str(&format!(
        "/// 32-bit words of an instruction.\nconst WORDS: usize = {};\n\n",
        isa.format().max_bits / 32
    ));
    text.push_str(include_str!("runtime/encode.rs.in"));
    text.push('\n');
    text.push_str(body.trim_end());
    text.push('\n');
    Some(File { name: "encode.rs".to_owned(), text })
}

/// The text of an expression for a comment: on one line, without comments of its own.
pub(crate) fn comment(text: &str) -> String {
    let mut parts = text.split("/*");
    let mut plain = parts.next().unwrap_or("").to_owned();
    for part in parts {
        plain.push_str(part.split_once("*/").map_or("", |(_, rest)| rest));
    }
    plain.replace("*/", "").split_whitespace().collect::<Vec<_>>().join(" ")
}
