//! The enums of a description, and its instructions, as constants of a program.
//!
//! A driver's data has the values of fields, and its assembler reads their texts: both take them from here, so that the
//! description is the only place that says them. An enum `#cond` becomes `isa_cond`, its value with the name or text `.gt`
//! becomes `ISA_COND_GT`: as in the reference, dots and brackets of a text are left out. The instructions are `isa_opc`, from 0
//! on; their names begin with the `case-prefix` of `#instruction`, so that the packer knows them.

use std::collections::HashMap;
use std::fmt::Write;

use isaglot_model::Isa;
use isaglot_source::{Diagnostic, Diagnostics, Span};

use crate::c::tables::literal;
use crate::files::File;
use crate::names::{self, Language};

/// An enum of the program.
struct Constants<'a> {
    /// What the description calls it.
    title: &'a str,
    name: String,
    values: Vec<Constant<'a>>,
}

struct Constant<'a> {
    name: String,
    value: u64,
    /// How it reads in assembly.
    text: &'a str,
}

/// Everything that becomes an enum. Names that cannot be, or are the same, are reported.
fn all<'a>(isa: &'a Isa, language: Language, out: &mut Diagnostics) -> Vec<Constants<'a>> {
    let mut known: HashMap<String, Span> = HashMap::new();
    let mut add = |name: &str, what: &str, span: Span, out: &mut Diagnostics| {
        names::check(name, what, language, span, out);
        if let Some(first) = known.insert(name.to_owned(), span) {
            let d = Diagnostic::error("emit-duplicate-name", format!("two constants would be called `{name}`"));
            let d = d.label(span, "this").secondary(first, "and this");
            out.push(d.note("`name` of a <value> gives its constant another name"));
        }
    };
    let mut enums = Vec::new();
    for one in isa.enums().iter().filter(|one| !one.name.is_empty()) {
        let name = format!("isa_{}", part(&one.name).to_ascii_lowercase());
        add(&name, "the enum", one.span, out);
        let mut values = Vec::with_capacity(one.values.len());
        for value in &one.values {
            let text = value.name.as_deref().unwrap_or(&value.display);
            let constant = format!("{name}_{}", part(text)).to_ascii_uppercase();
            add(&constant, "the value", value.span, out);
            values.push(Constant { name: constant, value: value.value, text: &value.display });
        }
        enums.push(Constants { title: &one.name, name, values });
    }
    let space = &isa[isa.root()];
    let prefix = space.encode.iter().find(|e| e.language == "c").and_then(|e| e.case_prefix.as_deref());
    let mut values: Vec<Constant<'a>> = Vec::new();
    let mut seen = Vec::new();
    for &id in &space.encodings {
        let encoding = &isa[id];
        if seen.contains(&encoding.name) {
            continue;
        }
        let name = names::case_name(prefix.unwrap_or("ISA_OPC_"), isa.text(encoding.name), Language::C);
        add(&name, "the instruction", encoding.span, out);
        values.push(Constant { name, value: seen.len() as u64, text: &encoding.display_name });
        seen.push(encoding.name);
    }
    add("isa_opc", "the enum of instructions", space.span, out);
    enums.push(Constants { title: isa.text(space.name), name: "isa_opc".to_owned(), values });
    enums
}

/// A name or text as a part of an identifier.
fn part(text: &str) -> String {
    text.chars().filter(|c| !matches!(c, '#' | '.' | '[' | ']')).map(|c| if c == '-' { '_' } else { c }).collect()
}

/// Writes `enums.h`. Problems are added to `out`; with an error among them nothing is written.
#[must_use]
pub(crate) fn c_header(isa: &Isa, stamp: &str, out: &mut Diagnostics) -> Option<File> {
    let before = out.error_count();
    let enums = all(isa, Language::C, out);
    for one in &enums {
        for value in one.values.iter().filter(|value| value.value > u64::from(u32::MAX)) {
            let message = format!("`{}` does not fit an enum of C: {:#x}", value.name, value.value);
            out.push(Diagnostic::error("emit-enum", message));
        }
    }
    if out.error_count() > before {
        return None;
    }
    let mut text = format!("/* {stamp} */\n\n#ifndef ISA_ENUMS_H\n#define ISA_ENUMS_H\n\n");
    text.push_str(
        "/* As small as the values allow, so that bit fields of an enum are not larger than they need be. */\n",
    );
    text.push_str(
        "#if defined(__GNUC__)\n#define ISA_PACKED __attribute__((packed))\n#else\n#define ISA_PACKED\n#endif\n\n",
    );
    for one in enums.iter().filter(|one| !one.values.is_empty()) {
        let _ = writeln!(text, "/* {} */\nenum ISA_PACKED {} {{", one.title.replace("*/", "* /"), one.name);
        for value in &one.values {
            let _ = writeln!(text, "   {} = {}, /* {} */", value.name, value.value, comment(value.text));
        }
        text.push_str("};\n\n");
    }
    text.push_str("#undef ISA_PACKED\n\n#endif\n");
    Some(File::new("enums.h", text))
}

/// A text in a comment of C.
fn comment(text: &str) -> String {
    literal(text.as_bytes()).replace("*/", "* /").replace("/*", "/ *")
}

/// Writes `enums.rs`: the same for an assembler in Rust, with texts by value and values by text. Problems are added to `out`;
/// with an error among them nothing is written.
#[must_use]
pub fn rust_module(isa: &Isa, stamp: &str, out: &mut Diagnostics) -> Option<File> {
    let before = out.error_count();
    let enums = all(isa, Language::Rust, out);
    if out.error_count() > before {
        return None;
    }
    let mut text = format!("//! The enums of {} and its instructions.\n//!\n//! {stamp}\n\n", isa.name());
    text.push_str("#![allow(dead_code, non_camel_case_types, clippy::all)]\n");
    for one in enums.iter().filter(|one| !one.values.is_empty()) {
        rust_enum(one, &mut text);
    }
    Some(File::new("enums.rs", text))
}

fn rust_enum(one: &Constants<'_>, text: &mut String) {
    let name = &one.name;
    let most = one.values.iter().map(|v| v.value).max().unwrap_or(0);
    let repr = match most {
        0..=0xff => "u8",
        0x100..=0xffff => "u16",
        0x1_0000..=0xffff_ffff => "u32",
        _ => "u64",
    };
    // Of equal values the first is a variant; the others are constants.
    let mut first: HashMap<u64, &str> = HashMap::new();
    let (mut variants, mut same, mut names) = (String::new(), String::new(), String::new());
    for value in &one.values {
        let Constant { name: constant, value: number, text } = value;
        match first.get(number) {
            None => {
                let _ = writeln!(variants, "    /// `{}`\n    {constant} = {number},", text.replace('`', "'"));
                let _ = writeln!(names, "            {name}::{constant} => {text:?},");
                first.insert(*number, constant);
            }
            Some(known) => {
                let _ = writeln!(
                    same,
                    "    /// `{}`\n    pub const {constant}: {name} = {name}::{known};\n",
                    text.replace('`', "'")
                );
            }
        }
    }
    // A reader tries the longest text first. Of equal texts the first counts.
    let mut texts: Vec<&Constant<'_>> = Vec::new();
    for value in one.values.iter().filter(|value| !value.text.is_empty()) {
        if !texts.iter().any(|known| known.text == value.text) {
            texts.push(value);
        }
    }
    texts.sort_by_key(|value| std::cmp::Reverse(value.text.len()));
    let texts: String = texts.iter().map(|v| format!("        ({:?}, {name}::{}),\n", v.text, v.name)).collect();
    let mut numbers = String::new();
    for value in one.values.iter().filter(|v| first.get(&v.value) == Some(&v.name.as_str())) {
        let _ = writeln!(numbers, "            {} => {name}::{},", value.value, value.name);
    }
    let _ = write!(
        text,
        r"
/// `{title}`
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr({repr})]
pub enum {name} {{
{variants}}}

impl {name} {{
{same}    /// Texts that are not empty, the longest first.
    pub const TEXTS: &'static [(&'static str, {name})] = &[
{texts}    ];

    /// How it reads in assembly.
    pub const fn text(self) -> &'static str {{
        match self {{
{names}        }}
    }}

    /// What a text is at its beginning, and what follows.
    pub fn parse(text: &str) -> Option<({name}, &str)> {{
        Self::TEXTS.iter().find_map(|&(own, value)| Some((value, text.strip_prefix(own)?)))
    }}

    /// What has this number.
    pub const fn from_number(number: u64) -> Option<{name}> {{
        Some(match number {{
{numbers}            _ => return None,
        }})
    }}
}}
",
        title = one.title,
    );
}
