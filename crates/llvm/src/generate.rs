//! Encoders and decoders as source, from instruction records alone: `--gen-emitter` and `--gen-disassembler`.
//!
//! The problem: LLVM's back ends of these names write C++ against LLVM's own classes. The method: the same facts as
//! self-contained Rust, without any library: a table of fixed bits, and per instruction the places of its fields. The
//! bits of a field are what the record says; what an operand *means* is a matter of `lower`, not of these.
//!
//! A field of an encoding belongs to the operand of its name, of a tied one, or to a named part of one. A name that is
//! none is an error at the record.

use std::fmt::Write as _;

use crate::target::inst::{Inst, InstBit, OperandType, is_reversed};
use crate::target::registers::text;
use isaglot_tablegen::Records;

/// What is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Output {
    /// Fixed bits, fields and an encoder, in Rust.
    EmitterRust,
    /// The table of fixed bits, in C.
    EmitterC,
    /// Fixed bits, fields and a decoder, in Rust.
    DisassemblerRust,
}

/// Something that is wrong with a record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// `file:line:col` of the record.
    pub place: String,
    /// What is wrong.
    pub message: String,
}

impl core::fmt::Display for Problem {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "{}: {}", self.place, self.message)
    }
}

impl core::error::Error for Problem {}

struct Field {
    name: String,
    width: u32,
    /// (bit of the field, bit of the word, number of bits)
    runs: Vec<(u32, u32, u32)>,
}

struct Entry {
    name: String,
    width: u32,
    value: u128,
    care: u128,
    fields: Vec<Field>,
}

/// Writes the source.
///
/// # Errors
///
/// Every field of an encoding that belongs to no operand, and every encoding of more than 128 bits.
pub fn generate(records: &Records, output: Output, stamp: &str) -> Result<String, Vec<Problem>> {
    let mut entries = Vec::new();
    let mut problems = Vec::new();
    let class = if records.class("InstructionEncoding").is_some() { "InstructionEncoding" } else { "Instruction" };
    let reversed = is_reversed(records);
    for def in records.defs_of(class) {
        let flag = |field: &str| def.bit(field).unwrap_or(false);
        let decodes = output != Output::DisassemblerRust || !(flag("isCodeGenOnly") || flag("isAsmParserOnly"));
        if flag("isPseudo") || !decodes || text(def, "Namespace") == "TargetOpcode" {
            continue;
        }
        let Some(inst) = Inst::read(def, def, &[], reversed) else { continue };
        match entry(&inst) {
            Ok(entry) => entries.push(entry),
            Err(messages) => {
                problems.extend(messages.into_iter().map(|message| Problem { place: def.place(), message }));
            }
        }
    }
    if !problems.is_empty() {
        return Err(problems);
    }
    Ok(match output {
        Output::EmitterC => c_table(&entries, stamp),
        Output::EmitterRust => rust(&entries, stamp, false),
        Output::DisassemblerRust => rust(&entries, stamp, true),
    })
}

fn entry(inst: &Inst<'_>) -> Result<Entry, Vec<String>> {
    let width = inst.bits.len() as u32;
    if width > 128 {
        return Err(vec![format!("record '{}' has an encoding of {width} bits, more than 128", inst.name)]);
    }
    let (mut value, mut care) = (0u128, 0u128);
    for (at, bit) in inst.bits.iter().enumerate() {
        if let InstBit::Known(one) = *bit {
            care |= 1 << at;
            value |= u128::from(one) << at;
        }
    }
    let mut problems = Vec::new();
    let mut fields: Vec<(usize, Field)> = Vec::new();
    for (name, places) in &inst.fields {
        let part = |ty: &OperandType<'_>| matches!(ty, OperandType::Parts(_, names) if names.contains(name));
        let at = inst.operands.iter().position(|o| o.name == *name || part(&o.ty));
        let Some(at) = at else {
            let known: Vec<&str> = inst.operands.iter().map(|o| o.name.as_str()).collect();
            let known =
                if known.is_empty() { "it has none".to_owned() } else { format!("it has {}", known.join(", ")) };
            problems.push(format!("record '{}': no operand is called '{name}' as in 'Inst'; {known}", inst.name));
            continue;
        };
        let mut runs: Vec<(u32, u32, u32)> = Vec::new();
        for (bit, place) in (0u32..).zip(places) {
            let Some(place) = *place else { continue };
            match runs.last_mut() {
                Some((from, to, count)) if *from + *count == bit && *to + *count == place => *count += 1,
                _ => runs.push((bit, place, 1)),
            }
        }
        fields.push((at, Field { name: name.clone(), width: (places.len() as u32).min(64), runs }));
    }
    if !problems.is_empty() {
        return Err(problems);
    }
    fields.sort_by_key(|(at, _)| *at);
    let fields = fields.into_iter().map(|(_, field)| field).collect();
    Ok(Entry { name: inst.name.clone(), width, value, care, fields })
}

fn c_table(entries: &[Entry], stamp: &str) -> String {
    let words = entries.iter().map(|e| e.width.div_ceil(64)).max().unwrap_or(1).max(1);
    let mut out = format!("/* {stamp} */\n#include <stdint.h>\n\n");
    let _ = writeln!(out, "/* The fixed bits of each instruction, least significant word first. */");
    let _ = writeln!(out, "static const uint64_t InstBits[{}][{words}] = {{", entries.len().max(1));
    for e in entries {
        let list: Vec<String> = (0..words).map(|i| format!("UINT64_C({})", (e.value >> (64 * i)) as u64)).collect();
        let _ = writeln!(out, "  {{{}}}, /* {} */", list.join(", "), e.name);
    }
    out.push_str("};\n");
    out
}

fn rust(entries: &[Entry], stamp: &str, decoder: bool) -> String {
    let wide = entries.iter().any(|e| e.width > 64);
    let word = if wide { "u128" } else { "u64" };
    let most = entries.iter().map(|e| e.fields.len()).max().unwrap_or(0);
    let mut out = format!("// @generated {stamp}\n\n/// An instruction.\n");
    out.push_str("#[allow(non_camel_case_types, clippy::upper_case_acronyms)]\n");
    out.push_str("#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]\npub enum Opcode {\n");
    for e in entries {
        let _ = writeln!(out, "    {},", identifier(&e.name));
    }
    let _ =
        writeln!(out, "}}\n\n/// The most fields that an instruction has.\npub const MAX_FIELDS: usize = {most};\n");
    let _ = writeln!(
        out,
        "/// Name, width in bits, fixed bits, and the fields in the order of the operands, with their widths."
    );
    let _ = writeln!(out, "pub static INSTRUCTIONS: [(&str, u32, {word}, &[(&str, u32)]); {}] = [", entries.len());
    for e in entries {
        let fields: Vec<String> = e.fields.iter().map(|f| format!("({:?}, {})", f.name, f.width)).collect();
        let _ = writeln!(out, "    ({:?}, {}, {:#x}, &[{}]),", e.name, e.width, e.value, fields.join(", "));
    }
    out.push_str("];\n\n");
    if decoder {
        rust_decoder(entries, word, &mut out)
    } else {
        rust_encoder(entries, word, &mut out)
    }
    out
}

fn rust_encoder(entries: &[Entry], word: &str, out: &mut String) {
    let _ = writeln!(
        out,
        "/// The word of an instruction with these fields, in the order of its operands. `None` if there are too few or\n\
         /// too many, or a value does not fit its field.\npub fn encode(opcode: Opcode, fields: &[u64]) -> Option<{word}> {{\n\
         \x20   let &(_, _, fixed, shapes) = INSTRUCTIONS.get(opcode as usize)?;\n\
         \x20   if fields.len() != shapes.len() {{\n        return None;\n    }}\n\
         \x20   for (value, (_, width)) in fields.iter().zip(shapes) {{\n\
         \x20       if *width < 64 && value >> width != 0 {{\n            return None;\n        }}\n    }}\n\
         \x20   let f = |i: usize| {word}::from(fields.get(i).copied().unwrap_or(0));\n\
         \x20   Some(fixed | match opcode {{"
    );
    for e in entries {
        let mut terms = Vec::new();
        for (i, field) in e.fields.iter().enumerate() {
            for &(from, to, count) in &field.runs {
                let mask = if count >= 64 { u64::MAX } else { (1 << count) - 1 };
                let value = if from == 0 { format!("f({i})") } else { format!("(f({i}) >> {from})") };
                let masked = format!("({value} & {mask:#x})");
                terms.push(if to == 0 { masked } else { format!("{masked} << {to}") });
            }
        }
        let body = if terms.is_empty() { "0".to_owned() } else { terms.join(" | ") };
        let _ = writeln!(out, "        Opcode::{} => {body},", identifier(&e.name));
    }
    out.push_str("    })\n}\n");
}

fn rust_decoder(entries: &[Entry], word: &str, out: &mut String) {
    let mut order: Vec<&Entry> = entries.iter().collect();
    order.sort_by_key(|e| std::cmp::Reverse(e.care.count_ones()));
    let _ = writeln!(out, "/// Width in bits, the bits that are tested, their values: the most specific first.");
    let _ = writeln!(out, "static PATTERNS: [(u32, {word}, {word}, Opcode); {}] = [", order.len());
    for e in &order {
        let _ = writeln!(out, "    ({}, {:#x}, {:#x}, Opcode::{}),", e.width, e.care, e.value, identifier(&e.name));
    }
    let _ = writeln!(
        out,
        "];\n\n/// What a word of `width` bits is, with its fields in the order of the operands; those that it has not are 0.\n\
         pub fn decode(word: {word}, width: u32) -> Option<(Opcode, [u64; MAX_FIELDS])> {{\n\
         \x20   let found = PATTERNS.iter().find(|(bits, care, value, _)| *bits == width && word & care == *value)?;\n\
         \x20   let opcode = found.3;\n    let mut fields = [0; MAX_FIELDS];\n    match opcode {{"
    );
    for e in entries {
        let mut lines = String::new();
        for (i, field) in e.fields.iter().enumerate() {
            let terms: Vec<String> = field
                .runs
                .iter()
                .map(|&(from, to, count)| {
                    let mask = if count >= 64 { u64::MAX } else { (1 << count) - 1 };
                    let value = if to == 0 { "word".to_owned() } else { format!("(word >> {to})") };
                    let masked = format!("({value} & {mask:#x}) as u64");
                    if from == 0 { masked } else { format!("({masked}) << {from}") }
                })
                .collect();
            let _ = writeln!(lines, "            fields[{i}] = {};", terms.join(" | "));
        }
        if !lines.is_empty() {
            let _ = writeln!(out, "        Opcode::{} => {{\n{lines}        }}", identifier(&e.name));
        }
    }
    if entries.iter().any(|e| e.fields.is_empty()) {
        out.push_str("        _ => {}\n");
    }
    out.push_str("    }\n    Some((opcode, fields))\n}\n");
}

/// A record's name as a name in Rust.
fn identifier(name: &str) -> String {
    let name: String = name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
    let keyword = matches!(name.as_str(), "Self" | "self" | "super" | "crate" | "_");
    if keyword || name.starts_with(|c: char| c.is_ascii_digit()) { format!("I_{name}") } else { name }
}
