//! `arg_lut.csv`: which bits of a word an argument takes.
//!
//! A row is `"name", high, low`. A row with a fault is kept by name, so that the lines that use the argument do not each repeat
//! the fault of the table.

use isaglot_source::{Diagnostic, Diagnostics, FileId, Span, lines};
use rustc_hash::FxHashMap;

/// The arguments by name: high and low bit, `None` for one whose row has a fault.
#[derive(Clone, Debug, Default)]
pub struct Arguments {
    rows: FxHashMap<String, Row>,
}

#[derive(Clone, Copy, Debug)]
struct Row {
    bits: Option<(u32, u32)>,
    span: Option<Span>,
}

/// The pieces of the number in the name of a may-be-operation, which are in no table.
const IMPLIED: [(&str, u32, u32); 6] = [
    ("mop_r_t_30", 30, 30),
    ("mop_r_t_27_26", 27, 26),
    ("mop_r_t_21_20", 21, 20),
    ("mop_rr_t_30", 30, 30),
    ("mop_rr_t_27_26", 27, 26),
    ("c_mop_t", 10, 8),
];

impl Arguments {
    /// The bits of an argument: `None` if there is none of that name, `Some(None)` if its row has a fault.
    pub fn get(&self, name: &str) -> Option<Option<(u32, u32)>> {
        self.rows.get(name).map(|row| row.bits)
    }

    /// All names.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.rows.keys().map(String::as_str)
    }
}

/// Reads the table.
pub fn read(file: FileId, text: &str, out: &mut Diagnostics) -> Arguments {
    let implied = IMPLIED.map(|(name, high, low)| (name.to_owned(), Row { bits: Some((high, low)), span: None }));
    let mut table = Arguments { rows: implied.into_iter().collect() };
    for (span, line) in lines(file, text) {
        row(&mut table, line, span, out);
    }
    table
}

fn row(table: &mut Arguments, text: &str, span: Span, out: &mut Diagnostics) {
    let cells: Vec<&str> = text.split(',').map(str::trim).collect();
    let name = cells.first().map_or("", |cell| cell.trim_matches('"'));
    let bad = |what: String| {
        let d = Diagnostic::error("opcodes-bad-table", what).label(span, "");
        d.note("expected a name, its highest bit and its lowest bit: `\"rd\", 11, 7`")
    };
    let bits = match cells[..] {
        [_, high, low] => match (high.parse::<u32>(), low.parse::<u32>()) {
            (Ok(high), Ok(low)) if low <= high && high < 32 => Ok((high, low)),
            (Ok(_), Ok(_)) => {
                Err(bad(format!("bits {high} to {low} are not a range in a word of 32 bits, highest first")))
            }
            _ => Err(bad("the bits are not two numbers".to_owned())),
        },
        _ => Err(bad(format!("a row has three cells, not {}", cells.len()))),
    };
    if !is_name(name) {
        return out.push(bad(format!("`{name}` is not a name of an argument")));
    }
    let bits = out.ok(bits);
    match table.rows.get(name) {
        Some(known) if known.bits == bits => {
            let d = Diagnostic::warning("opcodes-bad-table", format!("`{name}` is given twice")).label(span, "again");
            out.push(known.span.iter().fold(d, |d, span| d.secondary(*span, "first")));
        }
        Some(known) => {
            let message = format!("`{name}` is given twice, with other bits");
            let d = Diagnostic::error("opcodes-bad-table", message).label(span, "again");
            out.push(known.span.iter().fold(d, |d, span| d.secondary(*span, "first")));
        }
        None => drop(table.rows.insert(name.to_owned(), Row { bits, span: Some(span) })),
    }
}

/// Whether this can be the name of an argument.
pub(super) fn is_name(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic()) && text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
}
