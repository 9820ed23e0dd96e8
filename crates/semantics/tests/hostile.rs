//! Bad text: mutated programs and deep nesting give diagnostics, never a panic.

use isaglot_semantics::{Env, Extern, Symbol, check, parse};
use isaglot_source::{Diagnostics, SourceMap};

/// What the fuzz target runs: parses and checks any text.
fn parse_and_check(text: &str) -> Diagnostics {
    let mut files = SourceMap::new();
    let file = files.add("fuzz", text.as_bytes());
    let mut env = Env::new(&[("xlen", 32)]);
    let x = env.file("x", 32, 32);
    env.operand("rd", Symbol::Register { file: x, read: false, write: true });
    env.operand("rs1", Symbol::Register { file: x, read: true, write: false });
    env.operand("imm", Symbol::Immediate { width: 12 });
    env.add_extern(Extern { name: "csr_read".to_owned(), args: vec![12], result: Some(32) });
    env.trap("illegal");
    let mut problems = Diagnostics::new();
    if let Some(tree) = parse(file, 0, text, &mut problems) {
        check(&tree, &env, &mut problems);
    }
    problems
}

const SEED: &str = "let a = rs1 + sext(imm, xlen); // sum
let m = mem16[a];
if (m == 0 || a[1:0] != bits(0, 2)) { trap(illegal, a); } else { mem32[a] = {m, m}; }
let c = csr_read(imm);
rd = a <s 0 ? rotl(a, 3) : (x[5] *c) >>u #rs1;
pc = next_pc - 4;
";

#[test]
fn the_seed_is_a_program() {
    let problems = parse_and_check(SEED);
    assert!(problems.is_empty(), "{problems:?}");
}

#[test]
fn mutations_never_panic() {
    let mut x: u64 = 0x1234_5678_9abc_def1;
    let mut random = |n: usize| {
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
        (x >> 33) as usize % n
    };
    let alphabet: Vec<char> = "abx0123 <>su=;:?(){}[]#+-*/%&|^~!\n\u{e9}".chars().collect();
    for _ in 0..20_000 {
        let mut text: Vec<char> = SEED.chars().collect();
        for _ in 0..1 + random(6) {
            let at = random(text.len());
            match random(4) {
                0 => text.truncate(at + 1),
                1 => text[at] = alphabet[random(alphabet.len())],
                2 => text.insert(at, alphabet[random(alphabet.len())]),
                _ => drop(text.remove(at)),
            }
            if text.is_empty() {
                text.push(';');
            }
        }
        parse_and_check(&text.into_iter().collect::<String>());
    }
}

#[test]
fn deep_nesting_is_refused() {
    for (open, close) in [("(", ")"), ("-", ""), ("{", "}"), ("clz(", ")")] {
        let text = format!("rd = {}rs1{};", open.repeat(100_000), close.repeat(100_000));
        assert!(parse_and_check(&text).iter().any(|d| d.code == "semantics-too-deep"), "{open}");
    }
    let text = format!("{}rd = rs1;{}", "if (rs1 == 0) {".repeat(50_000), "}".repeat(50_000));
    assert!(parse_and_check(&text).iter().any(|d| d.code == "semantics-too-deep"));
}
