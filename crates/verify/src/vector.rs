//! Arithmetic on symbolic values: each bit a function of the word.
//!
//! A value is 64 functions, least significant first, extended by the rule of its type exactly as
//! [`isaglot_model::Expr::evaluate`] holds its numbers; every operation here is that module's, bit by bit.

use isaglot_model::{BinaryOp, IntType, UnaryOp};

use crate::bdd::{Bdd, Ref};

/// A value of 64 symbolic bits, least significant first.
pub(crate) type Vector = [Ref; 64];

/// The number.
pub(crate) fn constant(value: u64) -> Vector {
    std::array::from_fn(|i| Ref::constant(value >> i & 1 != 0))
}

/// Low bits from a slice, zero above.
pub(crate) fn from_bits(bits: &[Ref]) -> Vector {
    std::array::from_fn(|i| bits.get(i).copied().unwrap_or(Ref::FALSE))
}

/// The number, if it is constant.
pub(crate) fn as_constant(v: &Vector) -> Option<u64> {
    v.iter().rev().try_fold(0, |n, bit| Some(n << 1 | u64::from(bit.as_constant()?)))
}

/// Cut to a type and extended by its rule.
pub(crate) fn wrap(t: IntType, v: &Vector) -> Vector {
    let bits = t.bits.clamp(1, 64) as usize;
    let fill = if t.signed { v[bits - 1] } else { Ref::FALSE };
    std::array::from_fn(|i| if i < bits { v[i] } else { fill })
}

/// Whether any bit is set.
pub(crate) fn truth(bdd: &mut Bdd, v: &Vector) -> Ref {
    v.iter().fold(Ref::FALSE, |any, &bit| bdd.or(any, bit))
}

/// Whether it is this number.
pub(crate) fn equals(bdd: &mut Bdd, v: &[Ref], number: u64) -> Ref {
    // From the top: the diagram then grows at one end only.
    v.iter().enumerate().fold(Ref::TRUE, |all, (i, &bit)| {
        let want = i < 64 && number >> i & 1 != 0;
        if want { bdd.and(all, bit) } else { bdd.and_not(all, bit) }
    })
}

/// `if c then x else y`.
pub(crate) fn select(bdd: &mut Bdd, c: Ref, x: &Vector, y: &Vector) -> Vector {
    std::array::from_fn(|i| bdd.ite(c, x[i], y[i]))
}

fn zip(x: &Vector, y: &Vector, mut op: impl FnMut(Ref, Ref) -> Ref) -> Vector {
    std::array::from_fn(|i| op(x[i], y[i]))
}

fn flag(bit: Ref) -> Vector {
    from_bits(&[bit])
}

fn invert(bdd: &mut Bdd, v: &Vector) -> Vector {
    std::array::from_fn(|i| bdd.not(v[i]))
}

fn add(bdd: &mut Bdd, x: &Vector, y: &Vector, mut carry: Ref) -> Vector {
    std::array::from_fn(|i| {
        let half = bdd.xor(x[i], y[i]);
        let sum = bdd.xor(half, carry);
        carry = bdd.ite(half, carry, x[i]);
        sum
    })
}

fn negate(bdd: &mut Bdd, v: &Vector) -> Vector {
    let inverted = invert(bdd, v);
    add(bdd, &inverted, &constant(0), Ref::TRUE)
}

fn less(bdd: &mut Bdd, x: &Vector, y: &Vector, signed: bool) -> Ref {
    (0..64).fold(Ref::FALSE, |below, i| {
        let (a, b) = if signed && i == 63 { (y[i], x[i]) } else { (x[i], y[i]) };
        let differ = bdd.xor(a, b);
        bdd.ite(differ, b, below)
    })
}

fn same(bdd: &mut Bdd, x: &Vector, y: &Vector) -> Ref {
    (0..64).fold(Ref::TRUE, |all, i| {
        let differ = bdd.xor(x[i], y[i]);
        bdd.and_not(all, differ)
    })
}

fn multiply(bdd: &mut Bdd, x: &Vector, y: &Vector) -> Vector {
    (0..64).fold(constant(0), |sum, i| {
        if y[i].is_false() {
            return sum;
        }
        let part: Vector = std::array::from_fn(|k| if k < i { Ref::FALSE } else { bdd.and(x[k - i], y[i]) });
        add(bdd, &sum, &part, Ref::FALSE)
    })
}

/// Quotient and remainder of unsigned numbers, by long division; both 0 where the divisor is.
fn divide(bdd: &mut Bdd, x: &Vector, y: &Vector) -> (Vector, Vector) {
    let (mut quotient, mut rest) = (constant(0), constant(0));
    for i in (0..64).rev() {
        // The bit shifted out above counts: the rest is then above any divisor.
        let top = rest[63];
        rest = std::array::from_fn(|k| if k == 0 { x[i] } else { rest[k - 1] });
        let below = less(bdd, &rest, y, false);
        let fits = bdd.not(below);
        let fits = bdd.or(fits, top);
        let minus = invert(bdd, y);
        let reduced = add(bdd, &rest, &minus, Ref::TRUE);
        rest = select(bdd, fits, &reduced, &rest);
        quotient[i] = fits;
    }
    let nonzero = truth(bdd, y);
    let zero = constant(0);
    (select(bdd, nonzero, &quotient, &zero), select(bdd, nonzero, &rest, &zero))
}

fn shift(bdd: &mut Bdd, x: &Vector, amount: &Vector, bits: u32, left: bool, fill: Ref) -> Vector {
    // The amount counts modulo the width; the widths of all C types are powers of two.
    let stages = bits.next_power_of_two().trailing_zeros();
    (0..stages).fold(*x, |v, stage| {
        let by = 1usize << stage;
        let moved: Vector = std::array::from_fn(|i| {
            if left { if i < by { Ref::FALSE } else { v[i - by] } } else { v.get(i + by).copied().unwrap_or(fill) }
        });
        select(bdd, amount[stage as usize], &moved, &v)
    })
}

/// [`UnaryOp::apply`].
pub(crate) fn unary(bdd: &mut Bdd, op: UnaryOp, t: IntType, x: &Vector) -> Vector {
    let value = match op {
        UnaryOp::Negate => negate(bdd, x),
        UnaryOp::Not => invert(bdd, x),
        UnaryOp::LogicalNot => {
            let any = truth(bdd, x);
            return flag(bdd.not(any));
        }
    };
    wrap(t, &value)
}

/// [`BinaryOp::apply`]. A type whose width is not a power of two shifts by the amount's low bits only.
pub(crate) fn binary(bdd: &mut Bdd, op: BinaryOp, t: IntType, x: &Vector, y: &Vector) -> Vector {
    if let (Some(x), Some(y)) = (as_constant(x), as_constant(y)) {
        return constant(op.apply(t, x, y));
    }
    let value = match op {
        BinaryOp::Add => add(bdd, x, y, Ref::FALSE),
        BinaryOp::Sub => {
            let minus = invert(bdd, y);
            add(bdd, x, &minus, Ref::TRUE)
        }
        BinaryOp::Mul => multiply(bdd, x, y),
        BinaryOp::Div | BinaryOp::Rem => {
            let (sx, sy) = if t.signed { (x[63], y[63]) } else { (Ref::FALSE, Ref::FALSE) };
            let (nx, ny) = (negate(bdd, x), negate(bdd, y));
            let (ax, ay) = (select(bdd, sx, &nx, x), select(bdd, sy, &ny, y));
            let (quotient, rest) = divide(bdd, &ax, &ay);
            let (value, sign) = if op == BinaryOp::Div { (quotient, bdd.xor(sx, sy)) } else { (rest, sx) };
            let negative = negate(bdd, &value);
            select(bdd, sign, &negative, &value)
        }
        BinaryOp::And => zip(x, y, |a, b| bdd.and(a, b)),
        BinaryOp::Or => zip(x, y, |a, b| bdd.or(a, b)),
        BinaryOp::Xor => zip(x, y, |a, b| bdd.xor(a, b)),
        BinaryOp::Shl => shift(bdd, x, y, t.bits, true, Ref::FALSE),
        BinaryOp::Shr => shift(bdd, x, y, t.bits, false, if t.signed { x[63] } else { Ref::FALSE }),
        BinaryOp::Eq => return flag(same(bdd, x, y)),
        BinaryOp::Ne => {
            let equal = same(bdd, x, y);
            return flag(bdd.not(equal));
        }
        BinaryOp::Lt => return flag(less(bdd, x, y, t.signed)),
        BinaryOp::Gt => return flag(less(bdd, y, x, t.signed)),
        BinaryOp::Le => {
            let above = less(bdd, y, x, t.signed);
            return flag(bdd.not(above));
        }
        BinaryOp::Ge => {
            let below = less(bdd, x, y, t.signed);
            return flag(bdd.not(below));
        }
        BinaryOp::LogicalAnd | BinaryOp::LogicalOr => {
            let (a, b) = (truth(bdd, x), truth(bdd, y));
            return flag(if op == BinaryOp::LogicalAnd { bdd.and(a, b) } else { bdd.or(a, b) });
        }
    };
    wrap(t, &value)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A small generator: the numbers need only be spread, not good.
    fn next(state: &mut u64) -> u64 {
        *state ^= *state << 13;
        *state ^= *state >> 7;
        *state ^= *state << 17;
        *state
    }

    /// The value of a symbolic number where the variables are the bits of `word`.
    fn at(bdd: &mut Bdd, v: &Vector, word: u64) -> u64 {
        let fixed: Vector = std::array::from_fn(|i| (0..16).fold(v[i], |f, k| bdd.fix(f, k, word >> k & 1 != 0)));
        as_constant(&fixed).expect("all variables are fixed")
    }

    /// Every operator agrees with the model's evaluator, on values of few bits anywhere in the number.
    #[test]
    fn operators_agree_with_the_model() {
        use BinaryOp::*;
        let ops = [Add, Sub, Mul, Div, Rem, And, Or, Xor, Shl, Shr, Eq, Ne, Lt, Le, Gt, Ge, LogicalAnd, LogicalOr];
        let mut seed = 0x9e37_79b9_7f4a_7c15;
        for t in [IntType::I32, IntType::U32, IntType::I64, IntType::U64] {
            for op in ops {
                let bdd = &mut Bdd::new(4_000_000);
                let low = |bdd: &mut Bdd, from: u32, base: u64, place: usize| {
                    let plain = constant(base);
                    let v: Vector = std::array::from_fn(|i| {
                        if (place..place + 4).contains(&i) { bdd.var(from + (i - place) as u32) } else { plain[i] }
                    });
                    wrap(t, &v)
                };
                // Division is cubic in the bits of both; keep one side constant half of the time.
                let x = low(bdd, 0, next(&mut seed), 2);
                let y = if matches!(op, Div | Rem | Mul) {
                    wrap(t, &constant(next(&mut seed) % 19))
                } else {
                    low(bdd, 4, next(&mut seed) & 0xf0, 0)
                };
                let result = binary(bdd, op, t, &x, &y);
                assert!(!bdd.exhausted(), "{op:?} {t:?}");
                for word in 0..256 {
                    let (a, b) = (at(bdd, &x, word), at(bdd, &y, word));
                    assert_eq!(at(bdd, &result, word), op.apply(t, a, b), "{op:?} {t:?} {a:#x} {b:#x}");
                }
            }
            for op in [UnaryOp::Negate, UnaryOp::Not, UnaryOp::LogicalNot] {
                let bdd = &mut Bdd::new(1_000_000);
                let x = std::array::from_fn(|i| if i < 6 { bdd.var(i as u32) } else { Ref::FALSE });
                let result = unary(bdd, op, t, &x);
                for word in 0..64 {
                    assert_eq!(at(bdd, &result, word), op.apply(t, word), "{op:?} {t:?} {word:#x}");
                }
            }
        }
    }

    /// Division by zero gives zero, as in the model.
    #[test]
    fn division_by_zero() {
        let bdd = &mut Bdd::new(1_000_000);
        let x = constant(77);
        let y: Vector = std::array::from_fn(|i| if i < 2 { bdd.var(i as u32) } else { Ref::FALSE });
        for op in [BinaryOp::Div, BinaryOp::Rem] {
            let result = binary(bdd, op, IntType::U64, &x, &y);
            for word in 0..4 {
                assert_eq!(at(bdd, &result, word), op.apply(IntType::U64, 77, word));
            }
        }
    }
}
