//! `csrs.csv` and `csrs32.csv`: numbers and names of control and status registers, `0x001, "fflags"`.

use isaglot_source::{Diagnostic, Diagnostics, FileId, lines};

use crate::formats::Csr;

/// Adds the registers of a file.
pub fn read(file: FileId, text: &str, list: &mut Vec<Csr>, out: &mut Diagnostics) {
    for (span, line) in lines(file, text) {
        match row(line) {
            Some((number, name)) => list.push(Csr { name: name.to_owned(), number, span }),
            None => {
                let d = Diagnostic::error("opcodes-bad-table", "this is not a row of a table of registers");
                out.push(d.label(span, "").note("expected a number of 12 bits and a name: `0x001, \"fflags\"`"));
            }
        }
    }
}

fn row(text: &str) -> Option<(u32, &str)> {
    let (number, name) = text.split_once(',')?;
    let number = number.trim();
    let number = match number.strip_prefix("0x") {
        Some(digits) => u32::from_str_radix(digits, 16).ok()?,
        None => number.parse().ok()?,
    };
    let name = name.trim().trim_matches('"');
    let is_name = !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'.');
    (number < 1 << 12 && is_name).then_some((number, name))
}
