//! Conditions on the word: those that fix bits become assignments, the others are kept to be checked.

use isaglot_invariant::Impossible as _;
use isaglot_model::{Assert, BinaryOp, Encoding, UnaryOp};

use super::{Code, Compiler, Dead};
use crate::assemble::meaning::Condition;
use crate::assemble::program::ReadOp;
use crate::assemble::symbolic::{Bit, Bits, Node};

impl Compiler<'_, '_> {
    /// Sets bits of the word: one [`ReadOp::Assign`] for each run of neighbouring bits.
    pub(super) fn assign(&mut self, bits: impl IntoIterator<Item = (Bit, bool)>, code: &mut Code) -> Result<(), Dead> {
        let mut wanted: Vec<(u32, bool)> = Vec::new();
        for (bit, value) in bits {
            match self.meanings.now(bit) {
                Bit::Const(is) if is == value => {}
                Bit::Const(_) => return Err(Dead),
                Bit::Of(n) => wanted.push((n, value)),
                Bit::Not(n) => wanted.push((n, !value)),
            }
        }
        wanted.sort_unstable();
        wanted.dedup();
        // Example: bits 3, 4, 5 and 9 become two operations.
        let mut rest = wanted.as_slice();
        while let Some(&(lo, _)) = rest.first() {
            let run = rest.iter().zip(lo..).take(64).take_while(|((bit, _), expected)| bit == expected).count();
            let (these, others) = rest.split_at(run);
            let value = these.iter().enumerate().fold(0u64, |all, (i, (_, one))| all | u64::from(*one) << i);
            self.push(code, ReadOp::Assign { lo, width: run as u32, value })?;
            rest = others;
        }
        for (bit, value) in wanted {
            if !self.meanings.learn_bit(bit, value) {
                return Err(Dead);
            }
        }
        Ok(())
    }

    /// Keeps a condition: `X == 5` as assignments, `X != 5` over neighbouring bits as [`ReadOp::Differ`], both sides of
    /// `A && B` for themselves, everything else as [`ReadOp::Check`].
    pub(super) fn condition(&mut self, (term, want): Condition, code: &mut Code) -> Result<(), Dead> {
        match self.meanings.truth(term) {
            Some(holds) if holds == want => return Ok(()),
            Some(_) => return Err(Dead),
            None => {}
        }
        self.meanings.learn((term, want));
        match self.meanings.terms.node(term).clone() {
            // A value that is just bits: to be 0, all of them must be; to be another number, one of them must be 1.
            Node::Linear(bits) => {
                let bits: Bits = bits.into_iter().map(|bit| self.meanings.now(bit)).collect();
                if !want {
                    return self.assign(bits.into_iter().map(|bit| (bit, false)), code);
                }
                if bits.contains(&Bit::Const(true)) {
                    return Ok(());
                }
                let open: Bits = bits.into_iter().filter(|bit| !matches!(bit, Bit::Const(_))).collect();
                match open.as_slice() {
                    [] => return Err(Dead),
                    [bit] => return self.assign([(*bit, true)], code),
                    _ => {}
                }
            }
            Node::Unary(UnaryOp::LogicalNot, _, x) => return self.condition((x, !want), code),
            Node::Binary(BinaryOp::LogicalAnd, _, x, y) if want => {
                self.condition((x, true), code)?;
                return self.condition((y, true), code);
            }
            // `!(A || B)` is `!A && !B`.
            Node::Binary(BinaryOp::LogicalOr, _, x, y) if !want => {
                self.condition((x, false), code)?;
                return self.condition((y, false), code);
            }
            Node::Binary(op @ (BinaryOp::Eq | BinaryOp::Ne), _, x, y) => {
                let terms = &self.meanings.terms;
                let sides = match (terms.value(x), terms.value(y)) {
                    (Some(value), _) => terms.bits(y).map(|bits| (bits.to_vec(), value)),
                    (_, Some(value)) => terms.bits(x).map(|bits| (bits.to_vec(), value)),
                    _ => None,
                };
                if let Some((mut bits, value)) = sides {
                    bits.resize(64, Bit::Const(false));
                    let wanted = bits.into_iter().enumerate().map(|(i, bit)| (bit, value >> i & 1 != 0));
                    if want == (op == BinaryOp::Eq) {
                        return self.assign(wanted, code);
                    }
                    if let Some(differ) = self.differ(wanted) {
                        return self.push(code, differ);
                    }
                }
            }
            _ => {}
        }
        let expr = self.expr(term);
        self.push(code, ReadOp::Check { expr, want })
    }

    /// That these bits are not all so, if they are a run of bits of the word.
    fn differ(&self, bits: impl Iterator<Item = (Bit, bool)>) -> Option<ReadOp> {
        let mut run: Option<(u32, u32, u64)> = None;
        for (bit, wanted) in bits {
            match self.meanings.now(bit) {
                // A constant bit that agrees decides nothing.
                Bit::Const(is) if is == wanted => {}
                Bit::Of(n) => {
                    let (lo, width, value) = run.unwrap_or((n, 0, 0));
                    if n != lo + width {
                        return None;
                    }
                    run = Some((lo, width + 1, value | u64::from(wanted) << width));
                }
                Bit::Const(_) | Bit::Not(_) => return None,
            }
        }
        run.map(|(lo, width, value)| ReadOp::Differ { lo, width, value })
    }

    /// Sets the pattern of an encoding whose word is `word`, in the compiler's knowledge only.
    pub(super) fn pattern(&mut self, encoding: &Encoding, word: &[Bit]) -> Result<(), Dead> {
        let bits = pattern_bits(encoding, word);
        self.assign(bits, &mut Code::new())
    }

    /// Whether a bit is not known to be otherwise.
    fn could_be(&self, bit: Bit, value: bool) -> bool {
        !matches!(self.meanings.now(bit), Bit::Const(is) if is != value)
    }

    /// Sets the bits of asserts.
    pub(super) fn asserts(&mut self, asserts: &[Assert], word: &[Bit], code: &mut Code) -> Result<(), Dead> {
        for assert in asserts {
            let bits = word.get(assert.range.lo as usize..assert.range.end() as usize).or_impossible(&[]);
            let wanted: Vec<(Bit, bool)> = bits.iter().zip(0..).map(|(&bit, i)| (bit, assert.value.bit(i))).collect();
            // A word that fails an assert still prints, with a warning; if nothing else is possible, so be it.
            if wanted.iter().all(|&(bit, value)| self.could_be(bit, value)) {
                self.assign(wanted, code)?;
            }
        }
        Ok(())
    }
}

/// The bits that the pattern of an encoding wants of the word that it is in.
pub(super) fn pattern_bits<'w>(encoding: &'w Encoding, word: &'w [Bit]) -> impl Iterator<Item = (Bit, bool)> + 'w {
    let pattern = &encoding.pattern;
    pattern.care().ones_iter().filter_map(|n| Some((*word.get(n as usize)?, pattern.value().bit(n))))
}
