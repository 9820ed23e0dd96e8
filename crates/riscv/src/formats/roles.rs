//! Which field an operand of a text means.
//!
//! The problem: a text says `xd, xs1` and the fields are called `rd` and `rs1`; riscv-opcodes says `rs1` for every register file. The
//! invariant: a name means the field of that name, else the only field of the same role; if several have it, none is meant.

use super::{Encoding, Field};

/// Operands that are not fields: fixed registers, and what is made of several fields.
const MADE: [&str; 4] = ["sp", "v0", "reg_list", "stack_adj"];

impl Encoding {
    /// The field that an operand of the text means.
    pub fn operand(&self, name: &str) -> Option<&Field> {
        let exact = self.fields.iter().find(|f| f.name == name || f.alias.as_deref() == Some(name));
        exact.or_else(|| {
            let wanted = role(name)?;
            let mut same = self.fields.iter().filter(|f| role(&f.name) == Some(wanted));
            same.next().filter(|_| same.next().is_none())
        })
    }
}

/// What a register is to an instruction, without the letter of its file: `d`, `s1`, `s2`, `s3`.
fn role(name: &str) -> Option<&str> {
    let role = name.strip_prefix(['x', 'f', 'v', 'r'])?;
    matches!(role, "d" | "s" | "s1" | "s2" | "s3").then_some(role)
}

/// Whether an operand of an instruction needs no field of its name.
pub(super) fn is_made(instruction: &str, operand: &str) -> bool {
    // The register of `sspush.x1` is in its name.
    MADE.contains(&operand) || operand == instruction.replace('.', "_")
}

/// The names in a text, each with its offset. Literals such as `4'b1111`, `$signed` and `xlen()` are not names.
pub(super) fn names(text: &str) -> Vec<(usize, &str)> {
    let mut found = Vec::new();
    let bytes = text.as_bytes();
    let is_part = |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'.' | b'\'' | b'$');
    let mut at = 0;
    while at < bytes.len() {
        if !is_part(&bytes[at]) {
            at += 1;
            continue;
        }
        let length = bytes[at..].iter().take_while(|b| is_part(b)).count();
        let is_call = text[at + length..].starts_with("()");
        if bytes[at].is_ascii_alphabetic() && !is_call {
            found.push((at, &text[at..at + length]));
        }
        at += length;
    }
    found
}
