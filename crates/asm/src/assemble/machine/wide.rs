//! Numbers of more than 64 bits.

use isaglot_bits::limbs;
use isaglot_invariant::Impossible as _;

use super::Machine;
use crate::assemble::input::Input;
use crate::assemble::number;
use crate::assemble::program::{BitRun, Digits, FieldOp, FieldSyntax};
use crate::assemble::trace::Trace;

impl Machine {
    /// Reads a number of more than 64 bits: all its digits, in one way.
    pub(super) fn wide(
        &mut self,
        input: &Input<'_>,
        field: &FieldOp,
        runs: &[BitRun],
        begin: usize,
        position: &mut usize,
        trace: &mut Option<&mut Trace>,
    ) -> bool {
        let FieldSyntax::Number(style) = field.syntax else { return false };
        let rest = input.text.get(begin..).or_impossible(&[]);
        let hex = style.digits == Digits::Hex;
        let sign = rest.first().copied().filter(|byte| matches!(byte, b'-' | b'+'));
        let (negative, signed) = match (style.digits, sign) {
            (Digits::Signed, sign) => (sign == Some(b'-'), usize::from(sign == Some(b'-'))),
            (Digits::Offset | Digits::UnsignedOffset, None) => (false, 0),
            (Digits::Offset, Some(sign)) => (sign == b'-', 1),
            (Digits::UnsignedOffset, Some(b'+')) => (false, 1),
            _ => (false, 0),
        };
        let offset = matches!(style.digits, Digits::Offset | Digits::UnsignedOffset);
        let digits = rest.get(signed..).or_impossible(&[]);
        let is_digit = |byte: &u8| byte.is_ascii_digit() || (hex && byte.is_ascii_hexdigit());
        let len = if offset && sign.is_none() { 0 } else { digits.iter().take_while(|byte| is_digit(byte)).count() };
        if len == 0 && !offset {
            if let Some(trace) = trace.as_deref_mut() {
                trace.wide(begin, input.isa.text(field.name), field.width);
            }
            return false;
        }
        let Some(value) = number::wide(digits.get(..len).or_impossible(&[]), hex, negative, field.width, style.digits)
        else {
            if let Some(trace) = trace.as_deref_mut() {
                trace.too_wide(begin, begin + signed + len, input.isa.text(field.name), field.width);
            }
            return false;
        };
        let fits = runs.iter().all(|run| {
            let bits = limbs::extract(value.limbs(), run.at, run.width);
            self.values.assign(run.lo, run.width, bits)
        });
        if fits && input.relaxed {
            let out = &mut self.canonical;
            match style.digits {
                _ if offset && value.is_zero() => {}
                Digits::Hex => {
                    let digits = value.hex();
                    let short = digits.trim_start_matches('0');
                    out.extend_from_slice(if short.is_empty() { b"0" } else { short.as_bytes() });
                }
                Digits::Signed | Digits::Offset => {
                    let text = value.signed_decimal();
                    if offset && !text.starts_with('-') {
                        out.push(b'+');
                    }
                    out.extend_from_slice(text.as_bytes());
                }
                Digits::Unsigned | Digits::UnsignedOffset => {
                    if offset {
                        out.push(b'+');
                    }
                    out.extend_from_slice(value.decimal().as_bytes());
                }
            }
        }
        if len > 0 {
            *position = begin + signed + len;
        }
        fits
    }
}
