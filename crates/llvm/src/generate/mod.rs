//! Encoders and decoders as source, from instruction records alone: `--gen-emitter` and `--gen-disassembler`.
//!
//! The problem: LLVM's back ends of these names write C++ against LLVM's own classes. The method: the same facts as
//! self-contained Rust or C, without any library: a table of fixed bits, and per instruction the places of its fields. The
//! bits of a field are what the record says; what an operand *means* is a matter of `lower`, not of these. What cannot be
//! known yet, such as the address of a symbol, is the caller's: the encoder asks it for the bits of each operand.
//!
//! A field of an encoding belongs to the operand of its name, of a tied one, or to a part of one: one that the record names, or
//! `operand.part` of those in `MIOperandInfo`. A name that is none is an error at the record, unless it is declared with `field`:
//! the bits of such a one are 0, as with llvm-tblgen.

mod c;

use std::fmt::Write as _;

use crate::target::inst::{Inst, InstBit, OperandType, is_reversed};
use crate::target::registers::text;
use isaglot_tablegen::{Def, Records, Value};

/// What is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Output {
    /// Fixed bits, fields and an encoder, in Rust.
    EmitterRust,
    /// The same in C.
    EmitterC,
    /// Fixed bits, fields and a decoder, in Rust.
    DisassemblerRust,
    /// The same in C.
    DisassemblerC,
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
    /// The `EncoderMethod` of the operand's record.
    method: String,
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
        let decoder = matches!(output, Output::DisassemblerRust | Output::DisassemblerC);
        let decodes = !decoder || !(flag("isCodeGenOnly") || flag("isAsmParserOnly"));
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
        Output::EmitterC => c::text(&entries, stamp, false),
        Output::DisassemblerC => c::text(&entries, stamp, true),
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
    for (name, places) in inst.fields.iter() {
        let Some((at, method)) = owner(inst, name) else {
            if inst.def.may_be_unset(name) {
                continue;
            }
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
        fields.push((at, Field { name: name.clone(), method, width: (places.len() as u32).min(64), runs }));
    }
    if !problems.is_empty() {
        return Err(problems);
    }
    fields.sort_by_key(|(at, _)| *at);
    let fields = fields.into_iter().map(|(_, field)| field).collect();
    Ok(Entry { name: inst.name.to_string(), width, value, care, fields })
}

/// The operand to which a field belongs, and the `EncoderMethod` of its record.
fn owner(inst: &Inst<'_>, name: &str) -> Option<(usize, String)> {
    let method = |ty: Def<'_>| text(ty, "EncoderMethod");
    for (at, operand) in inst.operands.iter().enumerate() {
        let (ty, parts) = match &operand.ty {
            OperandType::Def(ty) => (Some(*ty), Vec::new()),
            OperandType::Parts(ty, names) => (Some(*ty), names.clone()),
            OperandType::Other => (None, Vec::new()),
        };
        if operand.name == name {
            return Some((at, ty.map(method).unwrap_or_default()));
        }
        let info: Vec<(Value<'_>, String)> = match ty.and_then(|ty| ty.get("MIOperandInfo")) {
            Some(Value::Dag(info)) => info.args().map(|(value, name)| (value, name.into_owned())).collect(),
            _ => Vec::new(),
        };
        let dotted = name.strip_prefix(&operand.name).and_then(|rest| rest.strip_prefix('.'));
        let place = parts
            .iter()
            .position(|part| part == name)
            .or_else(|| info.iter().position(|(_, part)| Some(part.as_str()) == dotted));
        if let Some(place) = place {
            let part = info.get(place).map(|(value, _)| value);
            return Some((at, if let Some(Value::Def(ty)) = part { method(*ty) } else { String::new() }));
        }
    }
    None
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

const RUST_OPERAND: &str = "\
/// An operand whose bits are asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Operand {
    /// Of this instruction.
    pub opcode: Opcode,
    /// Its place among the fields.
    pub index: usize,
    /// Its name.
    pub name: &'static str,
    /// How many bits it has.
    pub width: u32,
    /// The `EncoderMethod` of its record; empty where it has none.
    pub method: &'static str,
}

/// The word of an instruction with these fields, in the order of its operands. `None` if there are too few or
/// too many, or a value does not fit its field.
pub fn encode(opcode: Opcode, fields: &[u64]) -> Option<WORD> {
    let &(_, _, _, shapes) = INSTRUCTIONS.get(opcode as usize)?;
    if fields.len() != shapes.len() {
        return None;
    }
    encode_with(opcode, |operand| fields.get(operand.index).copied())
}

";

fn rust_encoder(entries: &[Entry], word: &str, out: &mut String) {
    let _ = writeln!(
        out,
        "/// The `EncoderMethod` of each field's operand; empty where it has none.\npub static METHODS: [&[&str]; {}] = [",
        entries.len()
    );
    for e in entries {
        let methods: Vec<String> = e.fields.iter().map(|f| format!("{:?}", f.method)).collect();
        let _ = writeln!(out, "    &[{}],", methods.join(", "));
    }
    out.push_str("];\n\n");
    out.push_str(&RUST_OPERAND.replace("WORD", word));
    let _ = writeln!(
        out,
        "/// The word of an instruction. `operand` is asked for the bits of each operand: it gives a number or a register's\n\
         /// number; for what a later step fills in it notes a relocation and gives 0. `None` if it gives none, or a value\n\
         /// that does not fit.\npub fn encode_with(\n\
         \x20   opcode: Opcode,\n    mut operand: impl FnMut(Operand) -> Option<u64>,\n) -> Option<{word}> {{\n\
         \x20   let &(_, _, fixed, shapes) = INSTRUCTIONS.get(opcode as usize)?;\n\
         \x20   let methods = METHODS.get(opcode as usize)?;\n    let mut fields = [0; MAX_FIELDS];\n\
         \x20   let all = shapes.iter().zip(*methods).zip(&mut fields).enumerate();\n\
         \x20   for (index, ((&(name, width), &method), slot)) in all {{\n\
         \x20       let value = operand(Operand {{ opcode, index, name, width, method }})?;\n\
         \x20       if width < 64 && value >> width != 0 {{\n            return None;\n        }}\n\
         \x20       *slot = value;\n    }}\n\
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
