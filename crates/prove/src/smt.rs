//! Terms as SMT-LIB 2 text (logic `QF_ABV`, with unknown functions `QF_AUFBV`), one definition per term, so that sharing is kept.
//!
//! A truth value is one bit here. What is computed of truth values is a `Bool` there, because solvers are better at them;
//! where it is used as a bit it is wrapped in `ite`, and a bit that is used as a truth value is compared with `#b1`.
//! Division by zero means what [`BinaryOp`] says, not what SMT-LIB says.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use isaglot_semantics::{BinaryOp, UnaryOp};

use crate::term::{Sort, Term, TermId, Terms};

/// A query: is there a state in which this term, of one bit, is 1? `unsat` proves that there is none.
///
/// With `models`, the solver is asked for the values of these terms if there is one.
pub fn query(terms: &Terms, is_one: TermId, models: &[(&str, TermId)]) -> String {
    let needed = reachable(terms, models.iter().map(|m| m.1).chain([is_one]));
    let functions = needed.iter().any(|&id| matches!(terms.term(id), Term::Apply(..)));
    let logic = if functions { "QF_AUFBV" } else { "QF_ABV" };
    let mut out = format!("(set-option :produce-models true)\n(set-logic {logic})\n");
    declare(terms, &needed, &mut out);
    for &id in &needed {
        if !matches!(terms.term(id), Term::Symbol(_)) {
            let sort = if is_truth(terms, id) { "Bool".to_owned() } else { sort(terms.sort(id)) };
            // Writing to a string does not fail.
            let _ = writeln!(out, "(define-fun t{} () {sort} {})", id.0, body(terms, id));
        }
    }
    let _ = writeln!(out, "(assert {})\n(check-sat)", truth(terms, is_one));
    if !models.is_empty() {
        let values: Vec<String> = models.iter().map(|m| name(terms, m.1)).collect();
        let _ = writeln!(out, "(get-value ({}))", values.join(" "));
    }
    out
}

/// The terms below these, operands first.
fn reachable(terms: &Terms, from: impl Iterator<Item = TermId>) -> Vec<TermId> {
    let mut wanted = vec![false; terms.len()];
    for id in from {
        wanted[id.0 as usize] = true;
    }
    for i in (0..terms.len()).rev() {
        if wanted[i] {
            for operand in operands(terms.term(TermId(i as u32))) {
                wanted[operand.0 as usize] = true;
            }
        }
    }
    (0..terms.len()).filter(|&i| wanted[i]).map(|i| TermId(i as u32)).collect()
}

fn operands(term: &Term) -> Vec<TermId> {
    match term {
        Term::Const(_) | Term::Symbol(_) => Vec::new(),
        Term::Unary(_, x) | Term::ZeroExtend(x) | Term::SignExtend(x) | Term::Slice(x, _) => vec![*x],
        Term::Binary(_, x, y) | Term::Concat(x, y) | Term::Read(x, y) => vec![*x, *y],
        Term::Select(x, y, z) | Term::Write(x, y, z) => vec![*x, *y, *z],
        Term::Apply(_, args) => args.clone(),
    }
}

fn declare(terms: &Terms, needed: &[TermId], out: &mut String) {
    let mut functions = BTreeMap::new();
    for &id in needed {
        match terms.term(id) {
            Term::Symbol(name) => {
                let _ = writeln!(out, "(declare-const {} {})", quoted(name), sort(terms.sort(id)));
            }
            Term::Apply(name, args) => {
                let args: Vec<String> = args.iter().map(|&a| sort(terms.sort(a))).collect();
                functions.insert(name.clone(), (args.join(" "), sort(terms.sort(id))));
            }
            _ => {}
        }
    }
    for (name, (args, result)) in functions {
        let _ = writeln!(out, "(declare-fun {} ({args}) {result})", quoted(&name));
    }
}

/// A name in SMT-LIB's quotes, so that any character but `|` and `\` may occur.
fn quoted(name: &str) -> String {
    format!("|{}|", name.replace(['|', '\\'], "_"))
}

fn sort(s: Sort) -> String {
    match s {
        Sort::Bits(n) => format!("(_ BitVec {n})"),
        Sort::Array { index, element } => format!("(Array (_ BitVec {index}) (_ BitVec {element}))"),
    }
}

/// Whether a term is a `Bool` in a query: one bit that is computed of truth values.
fn is_truth(terms: &Terms, id: TermId) -> bool {
    if terms.sort(id) != Sort::Bits(1) {
        return false;
    }
    match terms.term(id) {
        Term::Const(_) | Term::Select(..) | Term::Unary(UnaryOp::Not, _) => true,
        Term::Binary(op, ..) => op.is_comparison() || matches!(op, BinaryOp::And | BinaryOp::Or | BinaryOp::Xor),
        _ => false,
    }
}

fn plain(terms: &Terms, id: TermId) -> String {
    match terms.term(id) {
        Term::Symbol(name) => quoted(name),
        _ => format!("t{}", id.0),
    }
}

/// The value of a term in a query.
pub fn name(terms: &Terms, id: TermId) -> String {
    let plain = plain(terms, id);
    if is_truth(terms, id) { format!("(ite {plain} #b1 #b0)") } else { plain }
}

/// A term of one bit as a condition.
fn truth(terms: &Terms, id: TermId) -> String {
    let plain = plain(terms, id);
    if is_truth(terms, id) { plain } else { format!("(= {plain} #b1)") }
}

/// How a truth value is made.
fn condition(terms: &Terms, id: TermId) -> String {
    let (b, n) = (|id: TermId| truth(terms, id), |id: TermId| name(terms, id));
    match terms.term(id) {
        Term::Const(w) => if w.is_zero() { "false" } else { "true" }.to_owned(),
        Term::Select(c, x, y) => format!("(ite {} {} {})", b(*c), b(*x), b(*y)),
        Term::Unary(_, x) => format!("(not {})", b(*x)),
        Term::Binary(BinaryOp::And, x, y) => format!("(and {} {})", b(*x), b(*y)),
        Term::Binary(BinaryOp::Or, x, y) => format!("(or {} {})", b(*x), b(*y)),
        Term::Binary(BinaryOp::Xor, x, y) => format!("(xor {} {})", b(*x), b(*y)),
        Term::Binary(op, x, y) => comparison(*op, &n(*x), &n(*y)),
        _ => truth(terms, id),
    }
}

fn comparison(op: BinaryOp, x: &str, y: &str) -> String {
    let f = match op {
        BinaryOp::Eq => "=",
        BinaryOp::Ne => "distinct",
        BinaryOp::LtU => "bvult",
        BinaryOp::LtS => "bvslt",
        BinaryOp::LeU => "bvule",
        _ => "bvsle",
    };
    format!("({f} {x} {y})")
}

fn body(terms: &Terms, id: TermId) -> String {
    if is_truth(terms, id) {
        return condition(terms, id);
    }
    let n = |id: TermId| name(terms, id);
    let width = terms.width(id);
    match terms.term(id) {
        Term::Symbol(name) => quoted(name),
        Term::Const(w) => {
            let bits: String = (0..w.width()).rev().map(|b| if w.bit(b) { '1' } else { '0' }).collect();
            format!("#b{bits}")
        }
        Term::Unary(UnaryOp::Negate, x) => format!("(bvneg {})", n(*x)),
        // The counting and byte-wise ones are spelled out before they get here.
        Term::Unary(_, x) => format!("(bvnot {})", n(*x)),
        Term::Binary(op, x, y) => operator(*op, &n(*x), &n(*y), terms.width(*x)),
        Term::Select(c, x, y) => format!("(ite {} {} {})", truth(terms, *c), n(*x), n(*y)),
        Term::ZeroExtend(x) => format!("((_ zero_extend {}) {})", width - terms.width(*x), n(*x)),
        Term::SignExtend(x) => format!("((_ sign_extend {}) {})", width - terms.width(*x), n(*x)),
        Term::Slice(x, low) => format!("((_ extract {} {low}) {})", low + width - 1, n(*x)),
        Term::Concat(x, y) => format!("(concat {} {})", n(*x), n(*y)),
        Term::Read(array, index) => format!("(select {} {})", n(*array), n(*index)),
        Term::Write(array, index, value) => format!("(store {} {} {})", n(*array), n(*index), n(*value)),
        Term::Apply(name, args) if args.is_empty() => quoted(name),
        Term::Apply(name, args) => {
            let args: Vec<String> = args.iter().map(|&a| n(a)).collect();
            format!("({} {})", quoted(name), args.join(" "))
        }
    }
}

fn operator(op: BinaryOp, x: &str, y: &str, width: u32) -> String {
    let zero = format!("(_ bv0 {width})");
    let plain = |f: &str| format!("({f} {x} {y})");
    // SMT-LIB's quotient of a negative number by zero is 1; ours is always −1.
    let guarded = |f: &str, by_zero: &str| format!("(ite (= {y} {zero}) {by_zero} ({f} {x} {y}))");
    let rotate = |left: &str, right: &str| {
        let by = format!("(bvurem {y} (_ bv{width} {width}))");
        format!("(bvor ({left} {x} {by}) ({right} {x} (bvsub (_ bv{width} {width}) {by})))")
    };
    match op {
        BinaryOp::Add => plain("bvadd"),
        BinaryOp::Sub => plain("bvsub"),
        BinaryOp::Mul => plain("bvmul"),
        // The sum without carries of the left side shifted by each bit of the right one.
        BinaryOp::MulCarryless => {
            let part =
                |at: u32| format!("(ite (= ((_ extract {at} {at}) {y}) #b1) (bvshl {x} (_ bv{at} {width})) {zero})");
            (1..width).fold(part(0), |sum, at| format!("(bvxor {sum} {})", part(at)))
        }
        BinaryOp::DivU => plain("bvudiv"),
        BinaryOp::RemU => plain("bvurem"),
        BinaryOp::DivS => guarded("bvsdiv", &format!("(bvnot {zero})")),
        BinaryOp::RemS => guarded("bvsrem", x),
        BinaryOp::And => plain("bvand"),
        BinaryOp::Or => plain("bvor"),
        BinaryOp::Xor => plain("bvxor"),
        BinaryOp::Shl => plain("bvshl"),
        BinaryOp::ShrU => plain("bvlshr"),
        BinaryOp::ShrS => plain("bvashr"),
        BinaryOp::RotateLeft => rotate("bvshl", "bvlshr"),
        BinaryOp::RotateRight => rotate("bvlshr", "bvshl"),
        // A comparison is a truth value.
        BinaryOp::Eq | BinaryOp::Ne | BinaryOp::LtU | BinaryOp::LtS | BinaryOp::LeU | BinaryOp::LeS => {
            comparison(op, x, y)
        }
    }
}
