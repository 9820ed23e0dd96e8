//! How the value of a field reads, by its type. Both printing engines end here, so they cannot differ.

use isaglot_bits::Word;
use isaglot_bits::limbs::sign_extend;
use isaglot_invariant::Impossible as _;
use isaglot_model::{Field, FieldType, Isa};

use crate::float;
use crate::options::Compat;

/// Appends the value of a field of any type that needs nothing but the value: all except custom and sub-encoded
/// fields, and code addresses with labels (which otherwise read as plain numbers).
///
/// `value` is the low 64 bits of the value; those of a derived field may exceed the field's width.
pub fn print(isa: &Isa, field: &Field, value: u64, compat: Compat, out: &mut Vec<u8>) {
    let width = field.width.min(64);
    match &field.ty {
        FieldType::Int | FieldType::Branch { .. } => signed(sign_extend(value, width), out),
        FieldType::Uint => unsigned(value, out),
        FieldType::Hex => hex(value, out),
        FieldType::Offset => {
            if value != 0 {
                let value = sign_extend(value, width);
                if value >= 0 {
                    out.push(b'+');
                }
                signed(value, out);
            }
        }
        FieldType::Uoffset => {
            if value != 0 {
                out.push(b'+');
                unsigned(value, out);
            }
        }
        FieldType::Float => float::print(value, width, compat, out),
        FieldType::Bool(Some(text)) => {
            if value != 0 {
                out.extend_from_slice(text.as_bytes());
            }
        }
        FieldType::Bool(None) => unsigned(value & 0xffff_ffff, out),
        FieldType::BoolInv(Some(text)) => {
            if value == 0 {
                out.extend_from_slice(text.as_bytes());
            }
        }
        FieldType::BoolInv(None) => unsigned(u64::from(value == 0), out),
        FieldType::Enum(id) => match isa[*id].values.iter().find(|entry| entry.value == value) {
            Some(entry) => out.extend_from_slice(entry.display.as_bytes()),
            None => unsigned(value & 0xffff_ffff, out),
        },
        FieldType::Register(id) => {
            let names = &isa[*id].names;
            match usize::try_from(value).ok().and_then(|number| names.get(number)) {
                Some(Some(name)) => out.extend_from_slice(name.as_bytes()),
                _ => unsigned(value, out),
            }
        }
        FieldType::Custom | FieldType::Sub(_) => {}
    }
}

/// Appends the value of a field of any width: [`print`], or for more than 64 bits `print_wide`.
pub(crate) fn print_any(isa: &Isa, field: &Field, value: &Word, compat: Compat, out: &mut Vec<u8>) {
    if field.width > 64 {
        print_wide(isa, field, value, compat, out);
    } else {
        print(isa, field, value.low_u64(), compat, out);
    }
}

/// Appends the value of a field of more than 64 bits: numbers in full, everything else by its low 64 bits.
fn print_wide(isa: &Isa, field: &Field, value: &Word, compat: Compat, out: &mut Vec<u8>) {
    match field.ty {
        FieldType::Int => out.extend_from_slice(value.signed_decimal().as_bytes()),
        FieldType::Uint => out.extend_from_slice(value.decimal().as_bytes()),
        FieldType::Hex => {
            let digits = value.hex();
            let short = digits.trim_start_matches('0');
            out.extend_from_slice(if short.is_empty() { b"0" } else { short.as_bytes() });
        }
        FieldType::Offset if !value.is_zero() => {
            let text = value.signed_decimal();
            if !text.starts_with('-') {
                out.push(b'+');
            }
            out.extend_from_slice(text.as_bytes());
        }
        FieldType::Uoffset if !value.is_zero() => {
            out.push(b'+');
            out.extend_from_slice(value.decimal().as_bytes());
        }
        FieldType::Bool(_) | FieldType::BoolInv(_) => print(isa, field, u64::from(!value.is_zero()), compat, out),
        _ => print(isa, field, value.low_u64(), compat, out),
    }
}

/// Appends an unsigned number in decimal.
pub fn unsigned(mut value: u64, out: &mut Vec<u8>) {
    if value < 10 {
        out.push(b'0' + value as u8);
        return;
    }
    let mut digits = [0u8; 20];
    let mut at = digits.len();
    // Two at a time: half the divisions.
    while value >= 10
        && let Some(to) = digits.get_mut(at - 2..at)
    {
        to.copy_from_slice(&PAIRS[(value % 100) as usize]);
        value /= 100;
        at -= 2;
    }
    if value > 0 {
        at -= 1;
        digits[at] = b'0' + value as u8;
    }
    out.extend_from_slice(digits.get(at..).or_impossible(&[]));
}

/// The numbers below 100 in two digits each.
const PAIRS: [[u8; 2]; 100] = {
    let mut pairs = [[0; 2]; 100];
    let mut i = 0;
    while i < 100 {
        pairs[i] = [b'0' + (i / 10) as u8, b'0' + (i % 10) as u8];
        i += 1;
    }
    pairs
};

/// Appends a signed number in decimal.
pub fn signed(value: i64, out: &mut Vec<u8>) {
    if value < 0 {
        out.push(b'-');
    }
    unsigned(value.unsigned_abs(), out);
}

/// Appends a number in lower-case hex without leading zeros.
pub fn hex(value: u64, out: &mut Vec<u8>) {
    let digits = (64 - value.leading_zeros()).div_ceil(4).max(1);
    for digit in (0..digits).rev() {
        let digit = (value >> (4 * digit)) as u8 & 15;
        out.push(if digit < 10 { b'0' + digit } else { b'a' + digit - 10 });
    }
}
