//! Multiplication and division as unknown functions.
//!
//! Solvers take multipliers apart bit by bit and get lost in two of them, even where both are given the same operands.
//! So a claim is first asked with every product, quotient and remainder of wide operands replaced by a free variable, of
//! which only this is said: equal operands give equal results. That claims more; if it is proved, so is the claim. If
//! not, the claim is asked as it is.

use isaglot_semantics::BinaryOp;

use crate::claim::{all, any, not, same};
use crate::term::{Term, TermId, Terms};

/// Operators of narrower operands are left to the solver.
const NARROW: u32 = 12;

/// The bits, with such operators of their terms replaced; `None` if there are none. The last one is to be assumed.
pub(crate) fn without_products(terms: &Terms, bits: &[TermId]) -> Option<(Terms, Vec<TermId>, TermId)> {
    let wanted = below(terms, bits);
    let hard = |id: TermId| match *terms.term(id) {
        Term::Binary(op, x, y) => {
            use BinaryOp::{DivS, DivU, Mul, RemS, RemU};
            let wide = terms.width(x) > NARROW;
            let free = terms.constant(x).is_none() && terms.constant(y).is_none();
            wide && free && matches!(op, Mul | DivS | DivU | RemS | RemU)
        }
        _ => false,
    };
    if !(0..terms.len()).any(|i| wanted[i] && hard(TermId(i as u32))) {
        return None;
    }
    let mut made = Terms::new();
    let mut new: Vec<TermId> = Vec::with_capacity(terms.len());
    let mut replaced: Vec<(BinaryOp, TermId, TermId, TermId)> = Vec::new();
    let nothing = made.number(0, 1);
    for (i, &wanted) in wanted.iter().enumerate() {
        let id = TermId(i as u32);
        if !wanted {
            new.push(nothing);
            continue;
        }
        let at = |id: TermId| new[id.0 as usize];
        let sort = terms.sort(id);
        let term = match terms.term(id) {
            Term::Binary(op, x, y) if hard(id) => {
                let result = made.symbol(&format!("product.{i}"), sort);
                replaced.push((*op, at(*x), at(*y), result));
                result
            }
            Term::Const(w) => made.word(w.clone()),
            Term::Symbol(name) => made.symbol(name, sort),
            Term::Unary(op, x) => made.unary(*op, at(*x)),
            Term::Binary(op, x, y) => made.binary(*op, at(*x), at(*y)),
            Term::Select(c, x, y) => made.select(at(*c), at(*x), at(*y)),
            Term::ZeroExtend(x) => made.zero_extend(at(*x), sort.width()),
            Term::SignExtend(x) => made.sign_extend(at(*x), sort.width()),
            Term::Slice(x, low) => made.slice(at(*x), *low, sort.width()),
            Term::Concat(x, y) => made.concat(at(*x), at(*y)),
            Term::Read(x, y) => made.read(at(*x), at(*y)),
            Term::Write(x, y, z) => made.write(at(*x), at(*y), at(*z)),
            Term::Apply(name, args) => {
                let args = args.iter().map(|&a| at(a)).collect();
                made.apply(name, args, sort)
            }
        };
        new.push(term);
    }
    let mut laws = Vec::new();
    for (n, &(op, x, y, result)) in replaced.iter().enumerate() {
        for &(other, a, b, before) in replaced.iter().take(n) {
            if other != op || made.sort(x) != made.sort(a) {
                continue;
            }
            let mut equal = |x, a, y, b| {
                let (first, second) = (same(&mut made, x, a), same(&mut made, y, b));
                all(&mut made, &[first, second])
            };
            let mut ways = vec![equal(x, a, y, b)];
            if op == BinaryOp::Mul {
                ways.push(equal(x, b, y, a));
            }
            let equal = any(&mut made, &ways);
            let unequal = not(&mut made, equal);
            let agree = same(&mut made, result, before);
            laws.push(any(&mut made, &[unequal, agree]));
        }
    }
    let laws = all(&mut made, &laws);
    let bits = bits.iter().map(|b| new[b.0 as usize]).collect();
    Some((made, bits, laws))
}

/// Which terms these are made of.
fn below(terms: &Terms, from: &[TermId]) -> Vec<bool> {
    let mut wanted = vec![false; terms.len()];
    for id in from {
        wanted[id.0 as usize] = true;
    }
    for i in (0..terms.len()).rev() {
        if !wanted[i] {
            continue;
        }
        let operands = match terms.term(TermId(i as u32)) {
            Term::Const(_) | Term::Symbol(_) => Vec::new(),
            Term::Unary(_, x) | Term::ZeroExtend(x) | Term::SignExtend(x) | Term::Slice(x, _) => vec![*x],
            Term::Binary(_, x, y) | Term::Concat(x, y) | Term::Read(x, y) => vec![*x, *y],
            Term::Select(x, y, z) | Term::Write(x, y, z) => vec![*x, *y, *z],
            Term::Apply(_, args) => args.clone(),
        };
        for operand in operands {
            wanted[operand.0 as usize] = true;
        }
    }
    wanted
}

#[cfg(test)]
mod tests {
    use crate::term::{Sort, Terms};
    use isaglot_bits::Word;
    use isaglot_semantics::BinaryOp;

    use super::without_products;

    #[test]
    fn equal_operands_give_equal_products() {
        let mut t = Terms::new();
        let [a, b] = ["a", "b"].map(|n| t.symbol(n, Sort::Bits(32)));
        let c = t.symbol("c", Sort::Bits(1));
        let either = t.select(c, a, b);
        let (x, y) = (t.binary(BinaryOp::Mul, a, b), t.binary(BinaryOp::Mul, either, b));
        let differ = t.binary(BinaryOp::Ne, x, y);
        let (made, bits, laws) = without_products(&t, &[differ]).expect("there are products");
        assert!(made.constant(bits[0]).is_none() && made.constant(laws).is_none());
        let text = crate::smt::query(&made, bits[0], &[]);
        assert!(!text.contains("bvmul"), "{text}");
        // Nothing to do where there are none, or with numbers.
        let number = t.number(3, 32);
        let scaled = t.binary(BinaryOp::Mul, a, number);
        let differ = t.binary(BinaryOp::Ne, scaled, b);
        assert!(without_products(&t, &[differ]).is_none());
        assert_eq!(t.constant(number), Some(&Word::from_u64(3, 32)));
    }
}
