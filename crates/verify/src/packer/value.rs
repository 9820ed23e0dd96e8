//! What is known of the bits of a `<map>`'s value.
//!
//! Each bit of the 64 is 0, 1, a bit of a *place* in the program's data (or its opposite), or anything. A place is known by its text:
//! `src->num & 0x3` has the bits 0 and 1 of `src->num` and zeros above, `!!(src->flags & SAT)` the one bit that this
//! flag is. So it can be said, without knowing the data, that two fields share a bit or that a bit is never set.

use std::rc::Rc;

use super::term::{Kind, Term};

/// Bits of a value.
pub(crate) const BITS: usize = 64;

/// A bit of a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Bit {
    Zero,
    One,
    /// A bit of a place, or its opposite.
    Of(Rc<str>, u32, bool),
    /// It depends on more.
    Any,
}

impl Bit {
    fn not(&self) -> Bit {
        match self {
            Bit::Zero => Bit::One,
            Bit::One => Bit::Zero,
            Bit::Of(place, at, inverted) => Bit::Of(place.clone(), *at, !inverted),
            Bit::Any => Bit::Any,
        }
    }
}

/// The bits of an expression, least significant first; always [`BITS`].
pub(crate) fn bits(term: &Term) -> Vec<Bit> {
    match &term.kind {
        Kind::Number(n) => (0..BITS).map(|i| constant(n >> i & 1 != 0)).collect(),
        Kind::Name | Kind::Place(_) | Kind::Call(..) => place(&term.text),
        Kind::Cast(ty, inner) => cast(ty, bits(inner)),
        Kind::Unary(b'+', inner) => bits(inner),
        Kind::Unary(b'~', inner) => bits(inner).iter().map(Bit::not).collect(),
        Kind::Unary(b'!', inner) => one(truth(inner).not()),
        Kind::Unary(..) => place(&term.text),
        Kind::Select(_, a, b) => {
            let (a, b) = (bits(a), bits(b));
            let both = a.iter().zip(&b).enumerate();
            both.map(|(i, (a, b))| if a == b { a.clone() } else { Bit::Of(term.text.as_str().into(), i as u32, false) })
                .collect()
        }
        Kind::Binary(operator, a, b) => binary(operator, a, b, &term.text),
    }
}

fn constant(one: bool) -> Bit {
    if one { Bit::One } else { Bit::Zero }
}

fn place(text: &str) -> Vec<Bit> {
    let name: Rc<str> = text.into();
    (0..BITS as u32).map(|i| Bit::Of(name.clone(), i, false)).collect()
}

fn one(bit: Bit) -> Vec<Bit> {
    let mut out = vec![Bit::Zero; BITS];
    out[0] = bit;
    out
}

/// The number of a value without open bits.
fn number(bits: &[Bit]) -> Option<u64> {
    let mut value = 0;
    for (i, bit) in bits.iter().enumerate() {
        match bit {
            Bit::Zero => {}
            Bit::One => value |= 1 << i,
            _ => return None,
        }
    }
    Some(value)
}

/// Whether an expression is not 0.
fn truth(term: &Term) -> Bit {
    // A flag: the bit that the constant's name stands for.
    if let Kind::Binary("&", a, b) = &term.kind
        && number(&bits(a)).is_none()
        && number(&bits(b)).is_none()
    {
        return Bit::Of(format!("{}&{}", a.text, b.text).into(), 0, false);
    }
    let bits = bits(term);
    let mut open = bits.iter().filter(|b| **b != Bit::Zero);
    match (open.next(), open.next()) {
        (None, _) => Bit::Zero,
        (Some(bit), None) => bit.clone(),
        _ if bits.contains(&Bit::One) => Bit::One,
        _ => Bit::Of(format!("!!{}", term.text).into(), 0, false),
    }
}

fn cast(ty: &str, bits: Vec<Bit>) -> Vec<Bit> {
    let width = match ty {
        "uint8_t" | "unsigned char" => 8,
        "uint16_t" | "unsigned short" => 16,
        "uint32_t" | "unsigned" | "unsigned int" => 32,
        "bool" => return bits,
        _ => return bits,
    };
    bits.into_iter().enumerate().map(|(i, bit)| if i < width { bit } else { Bit::Zero }).collect()
}

fn binary(operator: &str, left: &Term, right: &Term, text: &str) -> Vec<Bit> {
    let (a, b) = (bits(left), bits(right));
    let pairs = || a.iter().zip(&b);
    match operator {
        "&" => pairs()
            .map(|pair| match pair {
                (Bit::Zero, _) | (_, Bit::Zero) => Bit::Zero,
                (Bit::One, x) | (x, Bit::One) => x.clone(),
                (x, y) if x == y => x.clone(),
                _ => Bit::Any,
            })
            .collect(),
        "|" => pairs()
            .map(|pair| match pair {
                (Bit::One, _) | (_, Bit::One) => Bit::One,
                (Bit::Zero, x) | (x, Bit::Zero) => x.clone(),
                (x, y) if x == y => x.clone(),
                _ => Bit::Any,
            })
            .collect(),
        "<<" | ">>" => {
            let Some(by) = number(&b).filter(|&n| n < BITS as u64) else { return place(text) };
            let by = by as usize;
            if operator == "<<" {
                let low = std::iter::repeat_n(Bit::Zero, by);
                return low.chain(a.iter().take(BITS - by).cloned()).collect();
            }
            let top = a.last().cloned().unwrap_or(Bit::Any);
            a.iter().skip(by).cloned().chain(std::iter::repeat_n(top, by)).collect()
        }
        "==" | "!=" | "<" | ">" | "<=" | ">=" => one(compared(operator, &a, &b, text)),
        "&&" | "||" => one(Bit::Of(text.into(), 0, false)),
        _ => place(text),
    }
}

/// A comparison, where at most one bit is open.
fn compared(operator: &str, a: &[Bit], b: &[Bit], text: &str) -> Bit {
    let opaque = || Bit::Of(text.into(), 0, false);
    let open: Vec<&Bit> = a.iter().chain(b).filter(|bit| !matches!(bit, Bit::Zero | Bit::One)).collect();
    let Some(first) = open.first().copied() else { return opaque() };
    if open.len() > 1 || *first == Bit::Any {
        return opaque();
    }
    let with = |value: Bit| {
        let fill = |bits: &[Bit]| {
            let known: Vec<Bit> = bits.iter().map(|b| if b == first { value.clone() } else { b.clone() }).collect();
            number(&known)
        };
        let (a, b) = (fill(a)? as i64, fill(b)? as i64);
        Some(match operator {
            "==" => a == b,
            "!=" => a != b,
            "<" => a < b,
            ">" => a > b,
            "<=" => a <= b,
            _ => a >= b,
        })
    };
    match (with(Bit::Zero), with(Bit::One)) {
        (Some(false), Some(true)) => first.clone(),
        (Some(true), Some(false)) => first.not(),
        (Some(zero), Some(one)) if zero == one => constant(zero),
        _ => opaque(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::term::parse;
    use super::*;

    fn shown(text: &str, width: usize) -> String {
        let bits = bits(&parse(text).unwrap());
        let one = |bit: &Bit| match bit {
            Bit::Zero => "0".to_owned(),
            Bit::One => "1".to_owned(),
            Bit::Of(place, at, inverted) => format!("{}{place}.{at}", if *inverted { "~" } else { "" }),
            Bit::Any => "?".to_owned(),
        };
        bits[..width].iter().rev().map(one).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn bits_are_followed() {
        for (text, want) in [
            ("src->a & 0x3", "0 src->a.1 src->a.0"),
            ("src->a >> 2", "src->a.4 src->a.3 src->a.2"),
            ("(src->a & 0x4) > 2", "0 0 src->a.2"),
            ("!!(src->f & SS)", "0 0 src->f&SS.0"),
            ("!src->half", "0 0 ~!!src->half.0"),
            ("5", "1 0 1"),
            ("src->d - 1", "src->d-1.2 src->d-1.1 src->d-1.0"),
            ("src->a << 1 | 1", "src->a.1 src->a.0 1"),
        ] {
            assert_eq!(shown(text, 3), want, "{text}");
        }
        assert_eq!(shown("(unsigned)src->a", 33).split(' ').next(), Some("0"));
    }
}
