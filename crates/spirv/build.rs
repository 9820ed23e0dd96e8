//! Compiles the committed grammar table into constants, so that a program starts with its look-up tables in place.

// The modules are shared with the crate, which uses all of them.
#![allow(dead_code, unreachable_pub)]

#[path = "src/grammar/compile.rs"]
mod compile;
#[path = "src/grammar/model.rs"]
mod model;
#[path = "src/grammar/rows.rs"]
mod rows;
#[path = "src/grammar/table.rs"]
mod table;

use std::fmt::{Debug, Write as _};
use std::path::Path;

const TABLE: &str = "grammar/spirv.table";

fn constant(out: &mut String, name: &str, ty: &str, rows: &[impl Debug]) {
    let _ = writeln!(out, "static {name}: [{ty}; {}] = {rows:?};", rows.len());
}

fn main() {
    println!("cargo::rerun-if-changed={TABLE}");
    println!("cargo::rerun-if-changed=src/grammar");
    let text = match std::fs::read_to_string(TABLE) {
        Ok(text) => text,
        Err(e) => panic!("{TABLE}: {e}"),
    };
    let model = match table::read(&text) {
        Ok(model) => model,
        Err((line, e)) => panic!("{TABLE}:{line}: {e}"),
    };
    let t = match compile::compile(&model) {
        Ok(t) => t,
        Err(e) => panic!("{TABLE}: {e}"),
    };
    let mut out = String::new();
    let _ = writeln!(out, "static TEXT: [u8; {}] = *b\"{}\";", t.text.len(), t.text.escape_ascii());
    constant(&mut out, "OPS", "OpRow", &t.ops);
    constant(&mut out, "BY_OPCODE", "u16", &t.by_opcode);
    constant(&mut out, "ITEMS", "OperandRow", &t.items);
    constant(&mut out, "ITEM_NAMES", "Str", &t.item_names);
    constant(&mut out, "VALUES", "ValueRow", &t.values);
    constant(&mut out, "KINDS", "GroupRow", &t.kinds);
    constant(&mut out, "SETS", "GroupRow", &t.sets);
    constant(&mut out, "VENDORS", "VendorRow", &t.vendors);
    constant(&mut out, "NAMES", "NameRow", &t.names);
    constant(&mut out, "OP_SLOTS", "u16", &t.op_slots);
    constant(&mut out, "ENUM_SLOTS", "u16", &t.enum_slots);
    constant(&mut out, "INST_SLOTS", "u16", &t.inst_slots);
    constant(&mut out, "ROLES", "u8", &t.roles);
    let _ = writeln!(out, "static REVISION: &str = {:?};", t.revision);
    // The opcodes by name, for the few instructions that code looks at itself.
    let _ = writeln!(out, "#[allow(missing_docs, non_upper_case_globals)]\npub mod opcode {{");
    for op in &model.ops {
        let _ = writeln!(out, "    pub const {}: u16 = {};", op.name, op.opcode);
    }
    out.push_str("}\n");
    let dir = std::env::var_os("OUT_DIR").expect("cargo sets OUT_DIR");
    std::fs::write(Path::new(&dir).join("tables.rs"), out).expect("OUT_DIR is writable");
}
