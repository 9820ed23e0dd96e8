//! Formulas made of bodies: equal texts give equal terms, and z3 agrees with the definition of every operator.
//!
//! The tests with z3 are skipped where it is missing, unless `ISAGLOT_REQUIRE_PEERS` is set.

use std::process::Command;

use isaglot_bits::Word;
use isaglot_prove::symbolic::{Binding, BoundBody, SymbolicState, Unknown, execute};
use isaglot_prove::{TermId, Terms, smt};
use isaglot_semantics::oracle::compile;
use isaglot_semantics::{BinaryOp, Env, Symbol};
use isaglot_testing::peer;

fn environment() -> Env {
    let mut env = Env::new(&[("xlen", 8)]);
    let x = env.file("x", 8, 4);
    env.operand("rd", Symbol::Register { file: x, read: false, write: true });
    env.operand("a", Symbol::Register { file: x, read: true, write: false });
    env.operand("b", Symbol::Register { file: x, read: true, write: false });
    env.trap("odd");
    env
}

/// The state after a text with `rd` = register 1, `a` = 2 and `b` = 3; register 0 reads as zero.
fn effect(terms: &mut Terms, env: &Env, text: &str, before: &SymbolicState) -> SymbolicState {
    let body = compile(env, text);
    let bindings: Vec<Binding> = (1..4).map(|n| Binding::Register(terms.number(n, 2))).collect();
    let bound = BoundBody { env, body: &body, bindings: &bindings, zeros: &[Some(0)], size: 4 };
    execute(terms, bound, before, &mut Unknown)
}

/// One bit that is 1 where two texts differ in register 1, memory or trap.
fn difference(terms: &mut Terms, one: &str, other: &str) -> TermId {
    let env = environment();
    let before = SymbolicState::symbolic(terms, &env, "");
    let (one, other) = (effect(terms, &env, one, &before), effect(terms, &env, other, &before));
    let at = terms.number(1, 2);
    let (x, y) = (terms.read(one.files[0], at), terms.read(other.files[0], at));
    let register = terms.binary(BinaryOp::Ne, x, y);
    let trap = terms.binary(BinaryOp::Ne, one.trap, other.trap);
    terms.binary(BinaryOp::Or, register, trap)
}

#[test]
fn equal_texts_are_equal_terms() {
    let pairs = [
        ("rd = a + b;", "let s = b + a; rd = s;"),
        ("if (a == b) { rd = a; } else { rd = b; }", "rd = a == b ? a : b;"),
        ("rd = {a[7:4], a[3:0]};", "rd = a;"),
        ("mem8[a] = b; let t = mem8[a]; rd = t;", "rd = b;"),
        ("mem16[a] = {b, a}; let t = mem8[a + 1]; rd = t;", "rd = b;"),
        ("x[1] = a; x[2] = b; rd = x[1];", "rd = a;"),
        ("x[0] = a; rd = x[0];", "rd = 0;"),
    ];
    for (one, other) in pairs {
        let mut terms = Terms::new();
        let differ = difference(&mut terms, one, other);
        assert!(terms.constant(differ).is_some_and(Word::is_zero), "{one}  versus  {other}");
    }
}

/// What z3 says of a query: its first line.
fn z3(query: &str) -> String {
    let said = peer::output(Command::new("z3").arg("-in"), query).expect("z3 answers");
    said.lines().next().unwrap_or_default().to_owned()
}

#[test]
fn z3_agrees_on_laws() {
    if !peer::present(&[peer::Z3]) {
        return;
    }
    // Text, text, whether they are the same.
    let laws = [
        ("rd = rotl(a, 3);", "rd = a << 3 | a >>u 5;", true),
        ("rd = rotr(a, b);", "rd = rotl(a, 8 - (b & 7));", true),
        ("rd = a /u 0;", "rd = ~(a ^ a);", true),
        ("rd = a /s b * b + a %s b;", "rd = b == 0 ? (0 - b) - b + a : a;", true),
        ("rd = a %s b;", "rd = b == 0 ? a : a - a /s b * b;", true),
        ("rd = popcount(a);", "rd = popcount(~a) == 0 ? bits(8, 8) : 8 - popcount(~a);", true),
        ("rd = ctz(a);", "rd = popcount((a - 1) & ~a);", true),
        ("rd = clz(a);", "let m = a | a >>u 1; let n = m | m >>u 2; let o = n | n >>u 4; rd = popcount(~o);", true),
        ("if (a[0] == 1) { trap(odd); } rd = b;", "rd = b; if (a[0] == 1) { trap(odd); }", false),
        ("rd = a >>s 1;", "rd = a >>u 1;", false),
        ("rd = a <s b ? a : b;", "rd = a <u b ? a : b;", false),
    ];
    for (one, other, same) in laws {
        let mut terms = Terms::new();
        let differ = difference(&mut terms, one, other);
        let answer = z3(&smt::query(&terms, differ, &[]));
        assert_eq!(answer, if same { "unsat" } else { "sat" }, "{one}  versus  {other}");
    }
}

#[test]
fn z3_agrees_on_values() {
    if !peer::present(&[peer::Z3]) {
        return;
    }
    // Every operator, on values at the edges, folded here and asked of z3.
    let operators =
        "+ - * /u /s %u %s & | ^ << >>u >>s == != <u <s <=u <=s >u >s >=u >=s".split_whitespace().collect::<Vec<_>>();
    let mut terms = Terms::new();
    let mut wrong = terms.number(0, 1);
    let env = environment();
    for op in operators {
        let comparison = op.contains(['=', '<', '>']) && !["<<", ">>u", ">>s"].contains(&op);
        let text = if comparison { format!("rd = a {op} b ? bits(1, 8) : 0;") } else { format!("rd = a {op} b;") };
        for (a, b) in
            [0u64, 1, 7, 8, 0x7f, 0x80, 0xff].into_iter().flat_map(|a| [0u64, 1, 3, 8, 0x80, 0xff].map(|b| (a, b)))
        {
            let free = SymbolicState::symbolic(&mut terms, &env, "");
            let mut results = Vec::new();
            // Once with constants, which fold, once with variables that are asserted to be those constants.
            for fold in [true, false] {
                let mut before = free.clone();
                let mut equal = terms.number(1, 1);
                for (number, value) in [(2, a), (3, b)] {
                    let (at, value) = (terms.number(number, 2), terms.number(value, 8));
                    if fold {
                        before.files[0] = terms.write(before.files[0], at, value);
                    } else {
                        let held = terms.read(before.files[0], at);
                        let same = terms.binary(BinaryOp::Eq, held, value);
                        equal = terms.binary(BinaryOp::And, equal, same);
                    }
                }
                let after = effect(&mut terms, &env, &text, &before);
                let at = terms.number(1, 2);
                results.push((terms.read(after.files[0], at), equal));
            }
            assert!(terms.constant(results[0].0).is_some(), "{text} with {a}, {b} folds");
            let differ = terms.binary(BinaryOp::Ne, results[0].0, results[1].0);
            let bad = terms.binary(BinaryOp::And, differ, results[1].1);
            wrong = terms.binary(BinaryOp::Or, wrong, bad);
        }
    }
    assert_eq!(z3(&smt::query(&terms, wrong, &[])), "unsat");
}
