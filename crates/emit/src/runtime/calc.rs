//! Arithmetic of expressions: every operator computes in a stated type, wrapping.

use super::decode::extract;
use super::tables::{Binary, Calc, Int, Isa, Limbs, Unary};

/// The value that a type holds for these bits.
#[inline]
pub fn wrap(ty: Int, value: u64) -> u64 {
    let unused = 64 - u32::from(ty.0).clamp(1, 64);
    if ty.1 { ((value << unused) as i64 >> unused) as u64 } else { value << unused >> unused }
}

/// An operator with one operand.
#[inline]
pub fn unary(op: Unary, ty: Int, x: u64) -> u64 {
    match op {
        Unary::Negate => wrap(ty, x.wrapping_neg()),
        Unary::Not => wrap(ty, !x),
        Unary::LogicalNot => u64::from(x == 0),
    }
}

/// An operator with two operands.
#[inline]
pub fn binary(op: Binary, ty: Int, x: u64, y: u64) -> u64 {
    let (a, b) = (x as i64, y as i64);
    let less = if ty.1 { a < b } else { x < y };
    let amount = (y % u64::from(ty.0.max(1))) as u32;
    let value = match op {
        Binary::Add => x.wrapping_add(y),
        Binary::Sub => x.wrapping_sub(y),
        Binary::Mul => x.wrapping_mul(y),
        Binary::Div | Binary::Rem if y == 0 => 0,
        Binary::Div if ty.1 => a.wrapping_div(b) as u64,
        Binary::Div => x / y,
        Binary::Rem if ty.1 => a.wrapping_rem(b) as u64,
        Binary::Rem => x % y,
        Binary::And => x & y,
        Binary::Or => x | y,
        Binary::Xor => x ^ y,
        Binary::Shl => x << (amount & 63),
        Binary::Shr if ty.1 => (a >> (amount & 63)) as u64,
        Binary::Shr => x >> (amount & 63),
        Binary::Eq => return u64::from(x == y),
        Binary::Ne => return u64::from(x != y),
        Binary::Lt => return u64::from(less),
        Binary::Le => return u64::from(less || x == y),
        Binary::Gt => return u64::from(!less && x != y),
        Binary::Ge => return u64::from(!less),
        Binary::LogicalAnd => return u64::from(x != 0 && y != 0),
        Binary::LogicalOr => return u64::from(x != 0 || y != 0),
    };
    wrap(ty, value)
}

/// The value of a node of the quick half. Operands are earlier nodes, and few deep.
pub fn value(isa: &Isa<'_>, node: u32, word: &Limbs) -> u64 {
    let Some(calc) = isa.calcs.get(node as usize) else { return 0 };
    match *calc {
        Calc::Const(value) => value,
        Calc::Bits(lo, width) => extract(word, lo, width),
        Calc::Unary(op, ty, x) => unary(op, ty, value(isa, x, word)),
        Calc::Binary(op, ty, x, y) => binary(op, ty, value(isa, x, word), value(isa, y, word)),
        Calc::Select(c, x, y) => value(isa, if value(isa, c, word) != 0 { x } else { y }, word),
        Calc::Cast(ty, x) => wrap(ty, value(isa, x, word)),
        Calc::Field(_) | Calc::Gen => 0,
    }
}
