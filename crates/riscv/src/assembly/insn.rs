//! `.insn`: an instruction by its fields, for those that the description does not have.

use isaglot_source::{Diagnostic, Span};

use super::expand::{Expander, Reported};
use super::scan;
use crate::register;

/// What the forms take.
const FORMS: &[(&str, &str)] = &[
    ("r", "opcode, funct3, funct7, rd, rs1, rs2"),
    ("r4", "opcode, funct3, funct2, rd, rs1, rs2, rs3"),
    ("i", "opcode, funct3, rd, rs1, number"),
    ("s", "opcode, funct3, rs2, number(rs1)"),
    ("u", "opcode, rd, number"),
];

/// `.insn FORM …`, or `.insn [LENGTH,] WORD`.
pub(super) fn insn(to: &mut Expander<'_>, rest: &str, span: Span) -> Result<(), Reported> {
    if let Some(made) = word(to, rest) {
        match made {
            (word, 2) => to.emit(&format!(".half {word:#06x}"), span),
            (word, _) => to.emit(&format!(".word {word:#010x}"), span),
        }
        return Ok(());
    }
    let form = rest.split_whitespace().next().unwrap_or("");
    let d = match FORMS.iter().find(|(name, _)| *name == form) {
        Some((name, operands)) => {
            Diagnostic::error("asm-insn", format!("expected `.insn {name} {operands}`")).label(span, "this")
        }
        None => {
            let names: Vec<&str> = FORMS.iter().map(|(name, _)| *name).collect();
            let message = format!("`.insn` takes one of {}, or a number", names.join(" "));
            Diagnostic::error("asm-insn", message).label(span, "this")
        }
    };
    Err(to.report(d))
}

/// The word and its length in bytes.
fn word(to: &Expander<'_>, rest: &str) -> Option<(u32, u32)> {
    let (form, fields) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
    let parts = scan::operands(fields);
    let number = |i: usize, range: std::ops::RangeInclusive<i64>| {
        parts.get(i).and_then(|text| to.known(text)).filter(|n| range.contains(n))
    };
    let field = |i: usize, bits: u32| number(i, 0..=(1 << bits) - 1).map(|n| n as u32);
    let any = |text: &str| register::integer(text).or_else(|| register::float(text));
    let reg = |i: usize| parts.get(i).and_then(|text| any(text));
    let signed = -0x800..=0x7ff;
    let has = |count: usize| (parts.len() == count).then_some(());
    Some(match form {
        "r" => {
            has(6)?;
            let (opcode, f3, f7) = (field(0, 7)?, field(1, 3)?, field(2, 7)?);
            (f7 << 25 | reg(5)? << 20 | reg(4)? << 15 | f3 << 12 | reg(3)? << 7 | opcode, 4)
        }
        "r4" => {
            has(7)?;
            let (opcode, f3, f2) = (field(0, 7)?, field(1, 3)?, field(2, 2)?);
            let high = reg(6)? << 27 | f2 << 25 | reg(5)? << 20;
            (high | reg(4)? << 15 | f3 << 12 | reg(3)? << 7 | opcode, 4)
        }
        "i" if parts.len() == 4 => {
            let (offset, rs1) = address(to, parts.get(3)?)?;
            let high = (offset as u32) << 20 | any(rs1)? << 15;
            (high | field(1, 3)? << 12 | reg(2)? << 7 | field(0, 7)?, 4)
        }
        "i" => {
            has(5)?;
            let high = (number(4, signed)? as u32) << 20 | reg(3)? << 15;
            (high | field(1, 3)? << 12 | reg(2)? << 7 | field(0, 7)?, 4)
        }
        "s" => {
            has(4)?;
            let (offset, rs1) = address(to, parts.get(3)?)?;
            let offset = offset as u32 & 0xfff;
            let high = (offset >> 5) << 25 | reg(2)? << 20 | any(rs1)? << 15;
            (high | field(1, 3)? << 12 | (offset & 31) << 7 | field(0, 7)?, 4)
        }
        "u" => {
            has(3)?;
            (field(2, 20)? << 12 | reg(1)? << 7 | field(0, 7)?, 4)
        }
        _ => {
            let all = scan::operands(rest);
            let value = u32::try_from(to.known(all.last()?)?).ok()?;
            let length = if value & 3 == 3 { 4 } else { 2 };
            let asked = if all.len() == 2 { to.known(all.first()?)? } else { i64::from(length) };
            (all.len() <= 2 && asked == i64::from(length) && (length == 4 || value <= 0xffff))
                .then_some((value, length))?
        }
    })
}

/// `number(register)`
fn address<'t>(to: &Expander<'_>, text: &'t str) -> Option<(i64, &'t str)> {
    let (offset, rs1) = text.strip_suffix(')')?.rsplit_once('(')?;
    let offset = if offset.trim().is_empty() { 0 } else { to.known(offset.trim())? };
    (-0x800..=0x7ff).contains(&offset).then_some((offset, rs1.trim()))
}
