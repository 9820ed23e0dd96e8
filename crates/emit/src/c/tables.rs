//! A blueprint's tables as C initialisers.

use std::fmt::Write;

use crate::blueprint::Blueprint;
use crate::runtime::tables::{Calc, LIST, NONE, ONE, Part, Type};
use crate::tables::{self, Cell, Table, upper_words};

/// Columns of generated C.
const WIDTH: usize = 118;

/// Appends `static const TYPE PREFIX_NAME[] = { … };`, with an entry where there would be none, for C has no empty
/// arrays.
fn array(out: &mut String, prefix: &str, table: Table<'_>) {
    let _ = writeln!(out, "static const {} {prefix}_{}[] = {{", table.c, table.name);
    let mut line = String::new();
    let mut any = false;
    for row in table.rows {
        any = true;
        let cells: Vec<String> = row.into_iter().map(cell).collect();
        let item = if let [one] = &cells[..] { one.clone() } else { format!("{{{}}}", cells.join(", ")) };
        if line.len() + item.len() + 5 > WIDTH && !line.is_empty() {
            let _ = writeln!(out, "  {line}");
            line.clear();
        }
        let _ = write!(line, " {item},");
    }
    if !any {
        line.push_str(match table.c {
            "struct way" => " {{0, false, false, 0}, 0},",
            "struct expr" => " {{0, 0}, {0, 0}},",
            "struct leaf" => " {{\"\", 0}, {\"\", 0}, 0, 0, {0, 0}, {0, 0}, {0, 0}, 0, false, false, false},",
            "char *const" => " \"\",",
            "struct str" => " {\"\", 0},",
            ty if ty.starts_with("struct") => " {0},",
            _ => " 0,",
        });
    }
    let _ = writeln!(out, "  {line}\n}};\n");
}

/// A C string literal.
#[must_use]
pub fn literal(text: &[u8]) -> String {
    let mut out = String::from("\"");
    for &byte in text {
        match byte {
            b'"' | b'\\' => {
                out.push('\\');
                out.push(char::from(byte));
            }
            // No trigraphs.
            b' '..=b'>' | b'@'..=b'~' => out.push(char::from(byte)),
            _ => {
                let _ = write!(out, "\\{byte:03o}");
            }
        }
    }
    out.push('"');
    out
}

fn cell(cell: Cell<'_>) -> String {
    match cell {
        Cell::Int(n) => n.to_string(),
        Cell::Number(NONE) => "NONE".to_owned(),
        Cell::Number(n) => n.to_string(),
        Cell::Entry(n) if n & LIST != 0 => format!("LIST | {}", n & !LIST),
        Cell::Entry(n) if n & ONE != 0 => format!("ONE | {}", n & !ONE),
        Cell::Entry(n) => n.to_string(),
        Cell::Hex(n) | Cell::Value(n) => format!("UINT64_C(0x{n:x})"),
        Cell::Bool(b) => b.to_string(),
        Cell::Range(r) => format!("{{{}, {}}}", r.0, r.1),
        Cell::Run(r) => format!("{{{}, {}, {}}}", r.0, r.1, r.2),
        Cell::Type(t) => ty(t),
        Cell::Piece(p) => {
            let members = [Cell::Number(p.lo), Cell::Int(p.width), Cell::Hex(p.implied)];
            format!("{{{}}}", members.map(self::cell).join(", "))
        }
        Cell::Calc(node) => calc(node),
        Cell::Code(code) => format!("OP_{}", upper_words(&code)),
        Cell::Part(Part::Literal(text)) => format!("{{PART_LITERAL, 0, 0, {}}}", string(text)),
        Cell::Part(Part::Align(column)) => format!("{{PART_ALIGN, 0, {column}, {{\"\", 0}}}}"),
        Cell::Part(Part::Mnemonic(align, text)) => {
            format!("{{PART_MNEMONIC, 0, {align}, {}}}", string(text.as_bytes()))
        }
        Cell::Part(Part::Field(name, align, text)) => {
            format!("{{PART_FIELD, {name}, {align}, {}}}", string(text.as_bytes()))
        }
        Cell::Text(text) => string(text.as_bytes()),
        Cell::Pointer(text) => literal(text.as_bytes()),
        Cell::Byte(byte) => byte.cast_signed().to_string(),
    }
}

/// A string literal with its length.
fn string(text: &[u8]) -> String {
    format!("{{{}, {}}}", literal(text), text.len())
}

fn ty(ty: Type) -> String {
    let arg = match ty {
        Type::Branch(absolute, call, unit) => return format!("{{KIND_BRANCH, {absolute}, {call}, {unit}}}"),
        Type::Flag(n) | Type::FlagInv(n) | Type::Enum(n) | Type::Register(n) | Type::Sub(n) => n,
        _ => 0,
    };
    format!("{{KIND_{}, false, false, {arg}}}", upper_words(&ty))
}

fn calc(node: Calc) -> String {
    let long = (64, false);
    let (kind, ty, [x, y, z]) = match node {
        Calc::Const(value) => ("CONST".to_owned(), long, [value as u32, (value >> 32) as u32, 0]),
        Calc::Field(at) => ("FIELD".to_owned(), long, [at, 0, 0]),
        Calc::Gen => ("GEN".to_owned(), long, [0; 3]),
        Calc::Bits(lo, width) => ("BITS".to_owned(), long, [lo, width, 0]),
        Calc::Unary(op, ty, x) => (upper_words(&op), ty, [x, 0, 0]),
        Calc::Binary(op, ty, x, y) => (upper_words(&op), ty, [x, y, 0]),
        Calc::Select(c, x, y) => ("SELECT".to_owned(), long, [c, x, y]),
        Calc::Cast(ty, x) => ("CAST".to_owned(), ty, [x, 0, 0]),
    };
    format!("{{CALC_{kind}, {}, {}, {x}, {y}, {z}}}", ty.0, ty.1)
}

/// The tables of a blueprint under names that begin with `name`, ended by `static const struct isa NAME`.
#[must_use]
pub fn write(b: &Blueprint<'_>, name: &str) -> String {
    let mut out = arrays(b, name);
    out.push_str(&isa(b, name, name, b.generation, 0));
    out
}

/// The tables alone.
#[must_use]
pub fn arrays(b: &Blueprint<'_>, name: &str) -> String {
    let mut out = String::new();
    for table in tables::all(b) {
        array(&mut out, name, table);
    }
    out
}

/// `static const struct isa OWN`: the tables whose names begin with `name`, for a gen, with its spaces from `spaces` on.
#[must_use]
pub fn isa(b: &Blueprint<'_>, name: &str, own: &str, generation: u32, spaces: u32) -> String {
    let mut out = format!("static const struct isa {own} = {{\n");
    let numbers = [
        ("generation", generation),
        ("max_bits", b.max_bits),
        ("parcel_bits", b.parcel_bits),
        ("value_bits", b.value_bits),
        ("root", b.root),
        ("length_count", b.lengths.len() as u32),
        ("leaf_count", b.leaves.len() as u32),
        ("name_count", b.names.len() as u32),
        ("preferred_count", b.preferred.len() as u32),
        ("space_count", b.spaces.len() as u32),
    ];
    for (field, value) in numbers {
        let _ = writeln!(out, "   .{field} = {value},");
    }
    let _ = writeln!(out, "   .little = {},", b.little);
    let _ = writeln!(out, "   .refuses = {},", b.refuses());
    for table in tables::all(b) {
        let from = if table.name == "spaces" && spaces > 0 { format!(" + {spaces}") } else { String::new() };
        let _ = writeln!(out, "   .{0} = {name}_{0}{from},", table.name);
    }
    out + "};\n"
}
