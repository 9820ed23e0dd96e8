//! A blueprint's tables as Rust.

use std::fmt::Write;

use isaglot_invariant::Impossible as _;

use crate::blueprint::Blueprint;
use crate::names;
use crate::runtime::tables::{Calc, LIST, NONE, ONE, Part, X};
use crate::tables::{self, Cell, Table};

/// Columns of generated tables.
const WIDTH: usize = 118;

/// Appends `static NAME: [TYPE; N] = [ … ];`.
fn array(out: &mut String, table: Table<'_>) {
    let (mut lines, mut line, mut count) = (String::new(), String::new(), 0);
    // Long lists of numbers do without blanks.
    let blank = if table.rust.starts_with('u') { "" } else { " " };
    for cells in table.rows {
        let item = row(table.form, cells);
        count += 1;
        if line.len() + item.len() + 6 > WIDTH && !line.is_empty() {
            let _ = write!(lines, "\n    {}", line.trim_start());
            line.clear();
        }
        let _ = write!(line, "{blank}{item},");
    }
    if count > 0 {
        let _ = write!(lines, "\n    {}\n", line.trim_start());
    }
    let (name, ty) = (table.name.to_ascii_uppercase(), table.rust);
    let _ = write!(out, "pub(super) static {name}: [{ty}; {count}] = [{lines}];\n\n");
}

/// A row in the form of its table.
fn row(form: &str, cells: Vec<Cell<'_>>) -> String {
    let cells: Vec<String> = cells.into_iter().map(cell).collect();
    match &cells[..] {
        [one] => return one.clone(),
        _ if form.is_empty() => return format!("({})", cells.join(", ")),
        _ => {}
    }
    let (mut out, mut rest) = (String::new(), form);
    while let Some(at) = rest.find(|c: char| c.is_ascii_digit()) {
        let (before, after) = rest.split_at(at);
        let digits = after.find(|c: char| !c.is_ascii_digit()).unwrap_or(after.len());
        let (number, after) = after.split_at(digits);
        let text = number.parse().ok().and_then(|n: usize| cells.get(n));
        out += before;
        out += text.map(String::as_str).or_impossible("");
        rest = after;
    }
    out + rest
}

fn cell(cell: Cell<'_>) -> String {
    match cell {
        Cell::Int(n) => n.to_string(),
        Cell::Number(NONE) => "NONE".to_owned(),
        Cell::Number(n) => n.to_string(),
        Cell::Entry(n) if n & LIST != 0 => format!("list({})", n & !LIST),
        Cell::Entry(n) if n & ONE != 0 => format!("one({})", n & !ONE),
        Cell::Entry(n) => n.to_string(),
        Cell::Hex(n) => format!("0x{n:x}"),
        Cell::Value(n) => n.to_string(),
        Cell::Bool(b) => b.to_string(),
        Cell::Range(r) => format!("({}, {})", r.0, r.1),
        Cell::Run(X) => "X".to_owned(),
        Cell::Run(r) => format!("({},{},{})", r.0, r.1, r.2),
        Cell::Type(ty) => format!("Type::{ty:?}"),
        Cell::Piece(p) if p.lo == NONE => format!("implied({}, 0x{:x})", p.width, p.implied),
        Cell::Piece(p) => format!("bits({}, {})", p.lo, p.width),
        Cell::Calc(Calc::Unary(op, ty, x)) => format!("Calc::Unary(Unary::{op:?}, {ty:?}, {x})"),
        Cell::Calc(Calc::Binary(op, ty, x, y)) => format!("Calc::Binary(Binary::{op:?}, {ty:?}, {x}, {y})"),
        Cell::Calc(other) => format!("Calc::{other:?}"),
        Cell::Code(code) => format!("{code:?}"),
        Cell::Part(Part::Literal(text)) => format!("Part::Literal({})", bytes(text)),
        Cell::Part(other) => format!("Part::{other:?}"),
        Cell::Text(text) | Cell::Pointer(text) => format!("{text:?}"),
        Cell::Byte(byte) => byte.to_string(),
    }
}

/// A byte string literal.
#[must_use]
pub fn bytes(text: &[u8]) -> String {
    let mut out = String::from("b\"");
    for &byte in text {
        let _ = write!(out, "{}", std::ascii::escape_default(byte));
    }
    out.push('"');
    out
}

/// The types of words and values, and how they become limbs.
fn words(b: &Blueprint<'_>) -> String {
    let n = b.limb_count;
    let value = match n {
        1 => "u64".to_owned(),
        2 => "u128".to_owned(),
        n => format!("[u64; {n}]"),
    };
    let word = if b.max_bits <= 32 { "u32".to_owned() } else { value.clone() };
    let into = |ty: &str| match ty {
        "u32" => "[u64::from(value)]",
        "u64" => "[value]",
        "u128" => "[value as u64, (value >> 64) as u64]",
        _ => "value",
    };
    let from = |ty: &str| match ty {
        "u32" => "limbs[0] as u32",
        "u64" => "limbs[0]",
        "u128" => "u128::from(limbs[0]) | u128::from(limbs[1]) << 64",
        _ => "*limbs",
    };
    let mut out = String::new();
    let _ = write!(
        out,
        "/// Bits of the longest instruction.\npub const MAX_BITS: u32 = {};\n\n\
         /// An instruction word; bit 0 is the least significant bit.\npub type Word = {word};\n\n\
         /// The value of a field.\npub type FieldValue = {value};\n\n",
        b.max_bits
    );
    for (name, back, ty, plain) in
        [("limbs_of", "word_of", &word, "Word"), ("limbs_of_value", "value_of", &value, "FieldValue")]
    {
        let _ = write!(
            out,
            "#[inline(always)]\npub(super) fn {name}(value: {plain}) -> Limbs {{\n    {}\n}}\n\n\
             #[inline(always)]\npub(super) fn {back}(limbs: &Limbs) -> {plain} {{\n    {}\n}}\n\n",
            into(ty),
            from(ty)
        );
    }
    out
}

/// An enum with all its variants in a table.
fn variants(out: &mut String, name: &str, about: &str, variants: &[String], texts: &[&str]) {
    let _ = writeln!(
        out,
        "/// {about}\n#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]\n#[repr(u32)]\npub enum {name} {{"
    );
    for (variant, text) in variants.iter().zip(texts) {
        let _ = writeln!(out, "    /// `{}`", text.escape_default());
        let _ = writeln!(out, "    {variant},");
    }
    let _ =
        write!(out, "}}\n\nimpl {name} {{\n    /// All of them, by number.\n    pub const ALL: &'static [{name}] = &[");
    let mut line = String::new();
    for variant in variants {
        if line.len() + variant.len() + name.len() + 14 > WIDTH {
            let _ = write!(out, "\n       {line}");
            line.clear();
        }
        let _ = write!(line, " {name}::{variant},");
    }
    let _ = write!(out, "\n       {line}\n    ];\n}}\n\n");
}

/// The module `description` of a generated codec.
#[must_use]
pub fn write(b: &Blueprint<'_>) -> String {
    let mut out = String::from("use super::runtime::tables::Code::*;\nuse super::runtime::tables::*;\n\n");
    let o = &mut out;
    o.push_str(&words(b));
    let (mut leaves, mut names) = (names::rust_leaves(b), names::rust_fields(b));
    let (mut leaf_texts, mut name_texts): (Vec<&str>, Vec<&str>) =
        (b.leaves.iter().map(|l| l.name).collect(), b.names.clone());
    for (variants, texts) in [(&mut leaves, &mut leaf_texts), (&mut names, &mut name_texts)] {
        if variants.is_empty() {
            // An enum without variants has no numbers.
            variants.push("Nothing".to_owned());
            texts.push("");
        }
    }
    variants(o, "Leaf", "The encodings.", &leaves, &leaf_texts);
    variants(o, "Name", "The names of fields.", &names, &name_texts);
    let mut members = String::new();
    for table in tables::all(b) {
        let _ = writeln!(members, "    {}: &{},", table.name, table.name.to_ascii_uppercase());
        match table.name {
            "text" => text_pool(o, &b.text),
            _ => array(o, table),
        }
    }
    let _ = writeln!(
        o,
        "/// All tables: a constant, so that a compiler sees what is in it wherever it is used.\npub(super) const ISA: Isa<'static> = Isa {{"
    );
    let (generation, max_bits, parcel_bits) = (b.generation, b.max_bits, b.parcel_bits);
    let _ = writeln!(o, "    generation: {generation},\n    max_bits: {max_bits},\n    parcel_bits: {parcel_bits},");
    let _ = writeln!(o, "    little: {},\n    value_bits: {},\n    root: {},", b.little, b.value_bits, b.root);
    let _ = writeln!(o, "    refuses: {},", b.refuses());
    out + &members + "};\n"
}

/// The bytes of texts, as literals of a line each.
fn text_pool(out: &mut String, text: &[u8]) {
    let _ = writeln!(out, "pub(super) static TEXT: [u8; {}] = *b\"\\", text.len());
    let mut line = String::new();
    for &byte in text {
        // A blank at the start of a line would not count.
        let escaped = match byte {
            b' ' if line.is_empty() => "\\x20".to_owned(),
            byte => std::ascii::escape_default(byte).to_string(),
        };
        line.push_str(&escaped);
        if line.len() > WIDTH - 6 {
            let _ = writeln!(out, "{line}\\");
            line.clear();
        }
    }
    let _ = writeln!(out, "{line}\";\n");
}
