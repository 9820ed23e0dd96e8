//! The word while it is being found: bits known so far, conditions kept for later, and how to undo both.
//!
//! Invariant: bits that are not known are 0 in `word`. Every change is on the trail, so that any earlier state can be
//! restored without copies, whatever the width of the word.
//!
//! # Example: open conditions
//!
//! A form has a field `A` in bits 3:0 that the text does not show, and its guard demands `(A & 6) + B == 5`, where `B` is
//! bits 5:4. The text says `B = 1`; the condition is kept, for the bits 2:1 of `A` are open. At the end of the text
//! [`Values::solve`] tries values for the open bits that the condition depends on, in the order of their number of ones,
//! then of their value: `00` gives 0 + 1, `01` gives 2 + 1, `10` gives 4 + 1, which is 5. So `A` becomes 4, and bits 3 and
//! 0, on which nothing depends, stay 0. With several conditions the bits of the first are set before the second is looked
//! at; if the second cannot be met then, the next values for the first are tried.

use isaglot_bits::limbs;
use isaglot_invariant::{Impossible as _, impossible};
use isaglot_model::BinaryOp;

use super::limits::MAX_OPEN_BITS;
use super::program::{ExprNode, Program, ValueTarget};

/// A condition that is kept: some of its bits are open.
#[derive(Clone, Copy, Debug)]
enum Pending {
    /// On an expression.
    Expr { expr: u32, want: Want },
    /// That bits are not all so.
    Differ { lo: u32, width: u32, value: u64 },
}

/// What an expression has to be.
#[derive(Clone, Copy, Debug)]
enum Want {
    /// Other than 0, or 0.
    Truth(bool),
    /// This value, in the bits of the mask.
    Value { value: u64, mask: u64 },
}

impl Want {
    fn met(self, got: u64) -> bool {
        match self {
            Want::Truth(want) => (got != 0) == want,
            Want::Value { value, mask } => (got ^ value) & mask == 0,
        }
    }
}

/// A place to come back to.
#[derive(Clone, Copy, Debug)]
pub(super) struct Mark {
    trail: u32,
    pending: u32,
}

/// The bits known so far.
#[derive(Debug, Default)]
pub(super) struct Values {
    /// The word; bits that are not known are 0.
    pub(super) word: Vec<u64>,
    known: Vec<u64>,
    /// Limb, its former value and its formerly known bits.
    trail: Vec<(u32, u64, u64)>,
    pending: Vec<Pending>,
    nodes: Vec<Option<u64>>,
    /// Assignments tried to meet conditions since the last start.
    pub(super) tried: u32,
}

impl Values {
    /// The state in which only the pattern is known.
    pub(super) fn start(&mut self, program: &Program) {
        self.word.clone_from(&program.value);
        self.known.clone_from(&program.care);
        self.trail.clear();
        self.pending.clear();
        self.tried = 0;
    }

    pub(super) fn mark(&self) -> Mark {
        Mark { trail: self.trail.len() as u32, pending: self.pending.len() as u32 }
    }

    pub(super) fn back_to(&mut self, mark: Mark) {
        self.undo(mark.trail as usize);
        self.pending.truncate(mark.pending as usize);
    }

    fn undo(&mut self, to: usize) {
        while self.trail.len() > to {
            let Some((limb, word, known)) = self.trail.pop() else { return impossible(()) };
            if let (Some(w), Some(k)) = (self.word.get_mut(limb as usize), self.known.get_mut(limb as usize)) {
                (*w, *k) = (word, known);
            }
        }
    }

    /// Sets `width` (up to 64) bits from `lo` on; `false` if one of them is known to be otherwise.
    #[inline(always)]
    pub(super) fn assign(&mut self, lo: u32, width: u32, value: u64) -> bool {
        let mask = limbs::mask(width);
        let (limb, shift) = (lo / 64, lo % 64);
        let value = value & mask;
        if !self.assign_limb(limb, mask << shift, value << shift) {
            return false;
        }
        shift + width <= 64 || self.assign_limb(limb + 1, mask >> (64 - shift), value >> (64 - shift))
    }

    #[inline(always)]
    fn assign_limb(&mut self, limb: u32, mask: u64, value: u64) -> bool {
        let (Some(word), Some(known)) = (self.word.get_mut(limb as usize), self.known.get_mut(limb as usize)) else {
            return mask == 0;
        };
        let open = mask & !*known;
        if (*word ^ value) & *known & mask != 0 {
            return false;
        }
        if open != 0 {
            self.trail.push((limb, *word, *known));
            *word |= value;
            *known |= mask;
        }
        true
    }

    /// Gives a field its value; `false` if that cannot be.
    #[inline]
    pub(super) fn set(&mut self, program: &Program, target: &ValueTarget, value: u64) -> bool {
        match *target {
            ValueTarget::Bits { from, to, mask, covered, ones } => {
                (value ^ ones) & mask & !covered == 0 && self.scatter(program, from, to, value)
            }
            ValueTarget::Expr { expr, mask } => self.set_expr(program, expr, mask, value),
            ValueTarget::Wide { from, to } => self.scatter(program, from, to, value),
        }
    }

    #[inline]
    fn scatter(&mut self, program: &Program, from: u32, to: u32, value: u64) -> bool {
        program.runs.get(from as usize..to as usize).or_impossible(&[]).iter().all(|run| {
            let bits = value.checked_shr(run.at).unwrap_or(0);
            self.assign(run.lo, run.width, if run.inverted { !bits } else { bits })
        })
    }

    /// Makes an expression have a value: at once where operators with a constant can be undone, else by keeping the
    /// condition. Example: for `(X * 3) - 2 == 10` the bits of `X` are set to (10 + 2) / 3 = 4.
    fn set_expr(&mut self, program: &Program, expr: u32, mask: u64, value: u64) -> bool {
        let Some(body) = program.exprs.get(expr as usize) else { return impossible(false) };
        // The node that is looked at, from the last one down, and the value that it must have.
        let mut at = body.nodes.len().wrapping_sub(1);
        let mut wanted = value;
        let constant = |node: u32| match body.nodes.get(node as usize) {
            Some(ExprNode::Bits { from, to, ones }) if from == to => Some(*ones),
            _ => None,
        };
        // Undo operators with a constant until bits are left, if that is all there is. The whole is checked later.
        while let Some(&node) = body.nodes.get(at) {
            let (ty, operand) = match node {
                ExprNode::Bits { from, to, .. } => {
                    if !self.scatter(program, from, to, wanted) {
                        return false;
                    }
                    break;
                }
                ExprNode::Cast(ty, x) => (ty, x),
                ExprNode::Binary(op, ty, x, y) => match (op, constant(x), constant(y)) {
                    (BinaryOp::Add, None, Some(c)) => {
                        wanted = wanted.wrapping_sub(c);
                        (ty, x)
                    }
                    (BinaryOp::Add, Some(c), None) => {
                        wanted = wanted.wrapping_sub(c);
                        (ty, y)
                    }
                    (BinaryOp::Sub, None, Some(c)) => {
                        wanted = wanted.wrapping_add(c);
                        (ty, x)
                    }
                    (BinaryOp::Sub, Some(c), None) => {
                        wanted = c.wrapping_sub(wanted);
                        (ty, y)
                    }
                    (BinaryOp::Mul, None, Some(c)) if c != 0 && wanted.is_multiple_of(c) => {
                        wanted /= c;
                        (ty, x)
                    }
                    (BinaryOp::Mul, Some(c), None) if c != 0 && wanted.is_multiple_of(c) => {
                        wanted /= c;
                        (ty, y)
                    }
                    _ => break,
                },
                _ => break,
            };
            wanted = ty.wrap(wanted);
            at = operand as usize;
        }
        self.keep(program, expr, Want::Value { value, mask })
    }

    /// Keeps the condition that an expression is, or is not, 0; `false` if it is known not to hold.
    pub(super) fn check(&mut self, program: &Program, expr: u32, want: bool) -> bool {
        self.keep(program, expr, Want::Truth(want))
    }

    fn keep(&mut self, program: &Program, expr: u32, want: Want) -> bool {
        if self.all_known(program, expr)
            && let Some(got) = self.evaluate(program, expr)
        {
            return want.met(got);
        }
        self.pending.push(Pending::Expr { expr, want });
        true
    }

    /// Keeps the condition that bits are not all so; `false` if they are known to be.
    #[inline]
    pub(super) fn differ(&mut self, lo: u32, width: u32, value: u64) -> bool {
        match self.differs(lo, width, value) {
            Some(differs) => differs,
            None => {
                self.pending.push(Pending::Differ { lo, width, value });
                true
            }
        }
    }

    #[inline]
    fn differs(&self, lo: u32, width: u32, value: u64) -> Option<bool> {
        let known = limbs::extract(&self.known, lo, width);
        if (limbs::extract(&self.word, lo, width) ^ value) & known != 0 {
            return Some(true);
        }
        (known == limbs::mask(width)).then_some(false)
    }

    /// Whether every bit is known that an expression depends on.
    #[inline]
    fn all_known(&self, program: &Program, expr: u32) -> bool {
        let support = program.exprs.get(expr as usize).map_or(&[][..], |expr| &expr.support);
        support.iter().zip(&self.known).all(|(support, known)| support & !known == 0)
    }

    /// Whether a pending condition is met, if that is decided.
    #[inline]
    fn met(&mut self, program: &Program, pending: Pending) -> Option<bool> {
        match pending {
            Pending::Expr { expr, want } => self.evaluate(program, expr).map(|got| want.met(got)),
            Pending::Differ { lo, width, value } => self.differs(lo, width, value),
        }
    }

    /// The value of an expression, if the known bits decide it.
    fn evaluate(&mut self, program: &Program, expr: u32) -> Option<u64> {
        let body = program.exprs.get(expr as usize)?;
        let mut nodes = std::mem::take(&mut self.nodes);
        nodes.clear();
        for node in &body.nodes {
            let get = |id: u32| nodes.get(id as usize).copied().flatten();
            let value = match *node {
                ExprNode::Bits { from, to, ones } => {
                    let all = program.runs.get(from as usize..to as usize).or_impossible(&[]);
                    let known =
                        all.iter().all(|run| limbs::extract(&self.known, run.lo, run.width) == limbs::mask(run.width));
                    known.then(|| program.gather(from, to, ones, &self.word))
                }
                ExprNode::Unary(op, ty, x) => get(x).map(|x| op.apply(ty, x)),
                ExprNode::Binary(op, ty, x, y) => match (op, get(x), get(y)) {
                    (_, Some(x), Some(y)) => Some(op.apply(ty, x, y)),
                    // One operand can be enough.
                    (BinaryOp::LogicalAnd | BinaryOp::And | BinaryOp::Mul, Some(0), _)
                    | (BinaryOp::LogicalAnd | BinaryOp::And | BinaryOp::Mul, _, Some(0)) => Some(0),
                    (BinaryOp::LogicalOr, Some(x), None) | (BinaryOp::LogicalOr, None, Some(x)) if x != 0 => Some(1),
                    _ => None,
                },
                ExprNode::Select(c, x, y) => match get(c) {
                    Some(0) => get(y),
                    Some(_) => get(x),
                    None => None,
                },
                ExprNode::Cast(ty, x) => get(x).map(|x| ty.wrap(x)),
                ExprNode::Unknown => None,
            };
            nodes.push(value);
        }
        let value = nodes.last().copied().flatten();
        self.nodes = nodes;
        value
    }

    /// Finds values for open bits that meet every condition, with few ones; `false` if there are none within `budget`
    /// trials. Undo with [`Values::back_to`].
    pub(super) fn solve(&mut self, program: &Program, budget: u32) -> bool {
        self.solve_from(program, 0, budget)
    }

    fn solve_from(&mut self, program: &Program, from: usize, budget: u32) -> bool {
        let mut next = from;
        // What is decided by now costs one look.
        while let Some(&pending) = self.pending.get(next) {
            match self.met(program, pending) {
                Some(true) => next += 1,
                Some(false) => return false,
                None => break,
            }
        }
        let Some(&pending) = self.pending.get(next) else { return true };
        let mut open = [0u32; MAX_OPEN_BITS];
        let Some(count) = self.open_bits(program, pending, &mut open) else {
            // Too many to try: left to the final check.
            return self.solve_from(program, next + 1, budget);
        };
        let open = open.get(..count).or_impossible(&[]);
        for ones in 0..=count as u32 {
            // All values with this many ones, the smallest first: 0011, 0101, 0110, 1001, …
            let mut bits: u32 = (1u32 << ones) - 1;
            while bits < 1 << count {
                self.tried += 1;
                if self.tried > budget {
                    return false;
                }
                let mark = self.trail.len();
                let set = open.iter().enumerate().all(|(i, &n)| self.assign(n, 1, u64::from(bits >> i & 1)));
                let met = set && self.met(program, pending).unwrap_or(true);
                if met && self.solve_from(program, next + 1, budget) {
                    return true;
                }
                self.undo(mark);
                if bits == 0 {
                    break;
                }
                // The next larger number with as many ones: the lowest run of ones moves up by its top bit, the rest of
                // the run goes to the bottom.
                let low = bits & bits.wrapping_neg();
                let carry = bits + low;
                bits = (((bits ^ carry) / low) >> 2) | carry;
            }
        }
        false
    }

    /// The open bits of an expression; `None` if there are too many.
    fn open_bits(&self, program: &Program, pending: Pending, out: &mut [u32; MAX_OPEN_BITS]) -> Option<usize> {
        let mut count = 0;
        let expr = match pending {
            Pending::Expr { expr, .. } => expr,
            Pending::Differ { lo, width, .. } => {
                // One open bit that is not as listed is enough.
                for n in (lo..lo + width).filter(|&n| limbs::extract(&self.known, n, 1) == 0) {
                    let Some(slot) = out.get_mut(count) else { break };
                    *slot = n;
                    count += 1;
                }
                return (count > 0).then_some(count);
            }
        };
        let body = program.exprs.get(expr as usize)?;
        for (limb, support) in body.support.iter().enumerate() {
            let mut open = support & !self.known.get(limb).copied().or_impossible(0);
            while open != 0 {
                *out.get_mut(count)? = limb as u32 * 64 + open.trailing_zeros();
                count += 1;
                open &= open - 1;
            }
        }
        (count > 0).then_some(count)
    }
}
