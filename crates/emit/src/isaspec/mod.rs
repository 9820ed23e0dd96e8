//! What isaspec's own generator gives a driver: a disassembler with its options and callbacks, packers from the driver's
//! own data, unpackers into it.

mod api;
mod encode;
mod expr;
mod generations;
mod missing;
mod pieces;
pub mod plan;
mod unpack;

use isaglot_model::Isa;
use isaglot_source::Diagnostics;

use crate::files::File;

use crate::names::Language;
use plan::Plan;

/// How the files are written.
#[derive(Clone, Copy, Debug)]
pub struct Options<'o> {
    /// What the names of files and public functions begin with: a C identifier in lower case.
    pub prefix: &'o str,
    /// A line about where the files come from.
    pub stamp: &'o str,
    /// The command that makes the files again; not said if it is empty.
    pub command: &'o str,
    /// Numbers are printed as Mesa 26 does, not as Mesa 24.3.
    pub mesa26: bool,
}

/// Writes all that the description gives a driver in C: `PREFIX-isa.h` and `PREFIX-isa.c`; `PREFIX-encode.h` if it has
/// an `<encode>`; `PREFIX-decode.h` if it has a `<decode/>`. Problems are added to `out`; with an error among them there
/// are no files.
#[must_use]
pub fn c(isa: &Isa, options: &Options<'_>, out: &mut Diagnostics) -> Option<Vec<File>> {
    let before = out.error_count();
    api::check(isa, out);
    if out.error_count() > before {
        return None;
    }
    let mut files: Vec<File> = api::write(isa, options, out)?.into();
    if isa.spaces().iter().any(|space| space.encode.iter().any(|e| e.language == "c")) {
        files.extend(encode_header(isa, options, out));
    }
    if api::has_unpackers(isa) {
        files.extend(unpack::write(isa, options, out));
    }
    if out.error_count() > before {
        return None;
    }
    files.push(File::new("README.md", readme(&files, options)));
    Some(files)
}

/// What the files are, for people.
fn readme(files: &[File], options: &Options<'_>) -> String {
    let rows: [(&str, &str); 2] = [
        (
            "encode.h",
            "packs instructions from the driver's own data; included by a file that has its types and helpers",
        ),
        ("decode.h", "unpacks instructions to the driver's own data: `@PREFIX@_isa_decode`; included by one file"),
    ];
    let rows = rows.iter().filter(|(name, _)| files.iter().any(|f| f.name.ends_with(name)));
    let rows: String = rows.map(|(name, what)| format!("| `@PREFIX@-{name}` | {what} |\n")).collect();
    let mut stamp = options.stamp.replace("@generated", "Generated");
    if !options.command.is_empty() {
        stamp += &format!("\nMade by:\n\n    {}", options.command);
    }
    include_str!("runtime/README.md")
        .replace("@ROWS@\n", &format!("{rows}\n"))
        .replace("@PREFIX@", options.prefix)
        .replace("@STAMP@", &stamp)
}

/// Writes the packer in C. Problems are added to `out`; with an error among them nothing is written.
#[must_use]
pub fn encode_header(isa: &Isa, options: &Options<'_>, out: &mut Diagnostics) -> Option<File> {
    let prefix = options.prefix;
    let before = out.error_count();
    let plan = Plan::new(isa, Language::C, out)?;
    let body = encode::write(&plan, out);
    if out.error_count() > before {
        return None;
    }
    let guard = format!("{}_ENCODE_H", prefix.to_ascii_uppercase());
    let mut text = format!("/* {} */\n\n#ifndef {guard}\n#define {guard}\n\n", options.stamp);
    text.push_str("#include <assert.h>\n#include <stdbool.h>\n#include <stdint.h>\n#include <stdio.h>\n\n");
    text.push_str(&format!("#define ISA_BITS {}\n\n", isa.format().max_bits));
    text.push_str(include_str!("runtime/encode.h"));
    text.push('\n');
    text.push_str(&body);
    text.push_str(&format!("#endif /* {guard} */\n"));
    Some(File::new(format!("{prefix}-encode.h"), text))
}

/// Writes the packer in Rust, as a module. Problems are added to `out`; with an error among them nothing is written.
#[must_use]
pub fn encode_module(isa: &Isa, stamp: &str, out: &mut Diagnostics) -> Option<File> {
    let before = out.error_count();
    let plan = Plan::new(isa, Language::Rust, out)?;
    let body = encode::write(&plan, out);
    if out.error_count() > before {
        return None;
    }
    let mut text =
        format!("//! Packs the instructions of {} from a driver's own data.\n//!\n//! {stamp}\n\n", isa.name());
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
    Some(File::new("encode.rs", text))
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
