//! Bad text: mutated programs and deep nesting give diagnostics, never a panic.

use isaglot_semantics::oracle::any_text;
use isaglot_testing::Random;

const SEED: &str = "let a = rs1 + sext(imm, xlen); // sum
let m = mem16[a];
if (m == 0 || a[1:0] != bits(0, 2)) { trap(illegal, a); } else { mem32[a] = {m, m}; }
let c = csr_read(imm);
let t = squares[imm[3:0]];
rd = a <s 0 ? rotl(a, 3) : (x[5] *c) >>u #rs1;
pc = next_pc - 4;
";

#[test]
fn the_seed_is_a_program() {
    let problems = any_text(SEED);
    assert!(problems.is_empty(), "{problems:?}");
}

#[test]
fn mutations_never_panic() {
    let pieces = "a b x 0 1 2 3 < > s u = ; : ? ( ) { } [ ] # + - * / % & | ^ ~ ! \u{e9}";
    let pieces: Vec<&str> = pieces.split(' ').collect();
    let mut random = Random::new(1);
    for _ in 0..10_000 {
        any_text(&String::from_utf8_lossy(&random.mutated(SEED.as_bytes(), &pieces)));
    }
}

#[test]
fn deep_nesting_is_refused() {
    for (open, close) in [("(", ")"), ("-", ""), ("{", "}"), ("clz(", ")")] {
        let text = format!("rd = {}rs1{};", open.repeat(100_000), close.repeat(100_000));
        assert!(any_text(&text).iter().any(|d| d.code == "semantics-too-deep"), "{open}");
    }
    let text = format!("{}rd = rs1;{}", "if (rs1 == 0) {".repeat(50_000), "}".repeat(50_000));
    assert!(any_text(&text).iter().any(|d| d.code == "semantics-too-deep"));
}
