//! Where the value of a field goes, and expressions over the bits of the word.

use isaglot_model::Field;
use rustc_hash::FxHashMap;

use super::{Compiler, Dead};
use crate::assemble::program::{BitRun, Expr, ExprNode, ValueTarget};
use crate::assemble::symbolic::{Bit, Bits, Node, Term};

impl<'a> Compiler<'_, 'a> {
    /// Where the value of `field` goes, which is defined in scope `at`. Of the value, the bits of `mask` count.
    pub(super) fn target(&mut self, at: usize, field: &'a Field, mask: u64) -> Result<ValueTarget, Dead> {
        let wide = self.meanings.field_bits(at, field);
        if wide.len() > 64 {
            let from = self.program.runs.len();
            for (bit, at) in wide.iter().zip(0u32..) {
                if let Bit::Of(n) = *bit {
                    self.run(from, BitRun { at, lo: n, width: 1, inverted: false });
                }
            }
            return Ok(ValueTarget::Wide { from: from as u32, to: self.program.runs.len() as u32 });
        }
        let value = self.meanings.value(at, field);
        let Some(bits) = self.meanings.terms.bits(value).map(<[Bit]>::to_vec) else {
            return Ok(ValueTarget::Expr { expr: self.expr(value), mask });
        };
        // Bits that the mask leaves out, those above the field's width, say, are not compared.
        let kept: Bits = bits
            .into_iter()
            .enumerate()
            .map(|(i, bit)| if mask >> i & 1 != 0 { bit } else { Bit::Const(false) })
            .collect();
        let (from, to, covered, ones) = self.runs(&kept);
        Ok(ValueTarget::Bits { from, to, mask, covered, ones })
    }

    /// Adds the runs of a value: their range, the bits of the value that they cover, and its constant ones.
    fn runs(&mut self, bits: &[Bit]) -> (u32, u32, u64, u64) {
        let from = self.program.runs.len();
        let (mut covered, mut ones) = (0u64, 0u64);
        for (bit, at) in bits.iter().zip(0u32..64) {
            let (n, inverted) = match *bit {
                Bit::Const(one) => {
                    ones |= u64::from(one) << at;
                    continue;
                }
                Bit::Of(n) => (n, false),
                Bit::Not(n) => (n, true),
            };
            covered |= 1 << at;
            self.run(from, BitRun { at, lo: n, width: 1, inverted });
        }
        (from as u32, self.program.runs.len() as u32, covered, ones)
    }

    /// Adds a bit to the runs from `from` on.
    fn run(&mut self, from: usize, bit: BitRun) {
        match self.program.runs.get_mut(from..).and_then(<[BitRun]>::last_mut) {
            Some(run)
                if run.lo + run.width == bit.lo
                    && run.at + run.width == bit.at
                    && run.inverted == bit.inverted
                    && run.width < 64 =>
            {
                run.width += 1;
            }
            _ => self.program.runs.push(bit),
        }
    }

    /// The expression of a term.
    pub(super) fn expr(&mut self, term: Term) -> u32 {
        if let Some(&known) = self.exprs.get(&term) {
            return known;
        }
        let mut expr = Expr { nodes: Vec::new(), support: Vec::new() };
        self.node(term, &mut expr, &mut FxHashMap::default());
        let number = self.program.exprs.len() as u32;
        self.program.exprs.push(expr);
        self.exprs.insert(term, number);
        number
    }

    /// Adds a node with its operands. Terms refer to earlier terms only, so this ends; its depth is that of the
    /// expression, which the model's front ends bound.
    fn node(&mut self, term: Term, expr: &mut Expr, known: &mut FxHashMap<Term, u32>) -> u32 {
        if let Some(&number) = known.get(&term) {
            return number;
        }
        let node = match self.meanings.terms.node(term).clone() {
            Node::Linear(bits) => {
                let (from, to, _, ones) = self.runs(&bits);
                for bit in bits {
                    if let Bit::Of(n) | Bit::Not(n) = bit {
                        let limb = (n / 64) as usize;
                        if expr.support.len() <= limb {
                            expr.support.resize(limb + 1, 0);
                        }
                        expr.support[limb] |= 1 << (n % 64);
                    }
                }
                ExprNode::Bits { from, to, ones }
            }
            Node::Unary(op, ty, x) => ExprNode::Unary(op, ty, self.node(x, expr, known)),
            Node::Binary(op, ty, x, y) => {
                let x = self.node(x, expr, known);
                ExprNode::Binary(op, ty, x, self.node(y, expr, known))
            }
            Node::Select(c, x, y) => {
                let c = self.node(c, expr, known);
                let x = self.node(x, expr, known);
                ExprNode::Select(c, x, self.node(y, expr, known))
            }
            Node::Cast(ty, x) => ExprNode::Cast(ty, self.node(x, expr, known)),
            Node::Unknown => ExprNode::Unknown,
        };
        let number = expr.nodes.len() as u32;
        expr.nodes.push(node);
        known.insert(term, number);
        number
    }
}
