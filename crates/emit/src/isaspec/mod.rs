//! What isaspec's own generator gives a driver: a disassembler with its options and callbacks, packers from the driver's
//! own data, unpackers into it.

mod api;
mod encode;
mod enums;
mod expr;
mod generations;
mod missing;
mod pieces;
pub mod plan;
mod unpack;

use isaglot_model::{ByteOrder, FeatureId, Isa};
use isaglot_source::{Diagnostic, Diagnostics};

use crate::files::File;

use crate::names::Language;
use plan::Plan;

pub use enums::rust_module as enums_module;

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
    /// The object code is small rather than fast.
    pub small: bool,
    /// The name by which other files include the disassembler's header; `PREFIX-isa.h` if there is none.
    pub header: Option<&'o str>,
    /// The features that are on.
    pub features: &'o [FeatureId],
}

impl Options<'_> {
    /// The name by which other files include the disassembler's header.
    #[must_use]
    pub fn header_name(&self) -> String {
        self.header.map_or_else(|| format!("{}-isa.h", self.prefix), str::to_owned)
    }
}

/// What can be written for a driver in C.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// The disassembler: `PREFIX-isa.h`, `PREFIX-isa.c`.
    Disassembler,
    /// The packer: `PREFIX-encode.h`.
    Packer,
    /// The unpacker: `PREFIX-decode.h`.
    Unpacker,
    /// Enums and the names of the instructions: `enums.h`.
    Enums,
}

/// What a description has for a driver in C by itself: all but the enums.
#[must_use]
pub fn parts(isa: &Isa) -> Vec<Part> {
    let mut parts = vec![Part::Disassembler];
    if isa.spaces().iter().any(|space| space.encode.iter().any(|e| e.language == "c")) {
        parts.push(Part::Packer);
    }
    if api::has_unpackers(isa) {
        parts.push(Part::Unpacker);
    }
    parts
}

/// The features that are on by default.
#[must_use]
pub fn default_features(isa: &Isa) -> Vec<FeatureId> {
    (0u32..).map(FeatureId).zip(isa.features()).filter(|(_, f)| f.default).map(|(id, _)| id).collect()
}

/// Writes parts of what the description gives a driver in C ([`parts`]), and a `README.md` about them. Problems are added to
/// `out`; with an error among them there are no files.
#[must_use]
pub fn c(isa: &Isa, parts: &[Part], options: &Options<'_>, out: &mut Diagnostics) -> Option<Vec<File>> {
    let before = out.error_count();
    let mut files: Vec<File> = Vec::new();
    for part in parts {
        match part {
            Part::Disassembler => files.extend(api::write(isa, options, out).into_iter().flatten()),
            Part::Packer => files.extend(encode_header(isa, options, out)),
            Part::Unpacker if !api::has_unpackers(isa) => {
                let root = &isa[isa.root()];
                let message = format!("`{}` has no <decode/>, so that there is nothing to unpack", isa.text(root.name));
                out.push(Diagnostic::error("emit-decode", message).label(root.span, "add it here"));
            }
            Part::Unpacker => files.extend(unpack::write(isa, options, out)),
            Part::Enums => files.extend(enums::c_header(isa, options.stamp, out)),
        }
    }
    if out.error_count() > before {
        return None;
    }
    files.push(File::new("README.md", readme(&files, options)));
    Some(files)
}

/// What the files are, for people.
fn readme(files: &[File], options: &Options<'_>) -> String {
    let rows: [(&str, &str); 3] = [
        (
            "-encode.h",
            "packs instructions from the driver's own data; included by a file that has its types and helpers",
        ),
        ("-decode.h", "unpacks instructions to the driver's own data: `@PREFIX@_isa_decode`; included by one file"),
        ("enums.h", "the enums of the description, and the names of its instructions as one"),
    ];
    let found = |end: &str| files.iter().find(|f| f.name.ends_with(end));
    let rows = rows.iter().filter_map(|(end, what)| Some((found(end)?, what)));
    let rows: String = rows.map(|(file, what)| format!("| `{}` | {what} |\n", file.name)).collect();
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
    let plan = Plan::new(isa, Language::C, options.features, out)?;
    let body = encode::write(&plan, out);
    if out.error_count() > before {
        return None;
    }
    let guard = format!("{}_ENCODE_H", prefix.to_ascii_uppercase());
    let mut text = format!("/* {} */\n\n#ifndef {guard}\n#define {guard}\n\n", options.stamp);
    text.push_str(
        "#include <assert.h>\n#include <stdbool.h>\n#include <stddef.h>\n#include <stdint.h>\n#include <stdio.h>\n\n",
    );
    let format = isa.format();
    text.push_str(&format!(
        "/* The longest instruction; whether they differ in length; whether the most significant byte is stored first. */\n\
         #define ISA_BITS {}\n#define ISA_LENGTHS {}\n#define ISA_BIG_ENDIAN {}\n\n",
        format.max_bits,
        u8::from(!format.lengths.is_empty()),
        u8::from(format.byte_order == ByteOrder::Big)
    ));
    text.push_str(include_str!("runtime/encode.h"));
    text.push('\n');
    text.push_str(&body);
    text.push_str(&format!("#endif /* {guard} */\n"));
    Some(File::new(format!("{prefix}-encode.h"), text))
}

/// Writes the packer in Rust, as a module. Problems are added to `out`; with an error among them nothing is written.
#[must_use]
pub fn encode_module(isa: &Isa, stamp: &str, features: &[FeatureId], out: &mut Diagnostics) -> Option<File> {
    let before = out.error_count();
    if !isa.format().lengths.is_empty() {
        let message = "the packer in Rust gives words of one length, but these instructions differ in length";
        let d = Diagnostic::error("emit-unsupported", message).label(isa[isa.root()].span, "the instructions");
        out.push(d.note("the packer in C says how long each is"));
    }
    let plan = Plan::new(isa, Language::Rust, features, out)?;
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
        isa.format().max_bits.div_ceil(32)
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
