//! Generated Rust against the definition: every operator at narrow, whole and wide widths, compiled and run.

use std::fmt::Write as _;
use std::process::Command;

use isaglot_bits::Word;
use isaglot_emit::semantics::{Expr, Target, container, statements, table};
use isaglot_semantics::oracle::{Registers, expression, squares};
use isaglot_semantics::{OperandIndex, run};
use isaglot_testing::Random;

const WIDTHS: &[u32] = &[1, 5, 8, 12, 32, 33, 64, 96, 128];

/// Expressions over `a`, `b` of `n` bits; the second part says whether the result is one bit.
const EXPRESSIONS: &[(&str, bool)] = &[
    ("a + b", false),
    ("a - b", false),
    ("a * b", false),
    ("a /u b", false),
    ("a %u b", false),
    ("a /s b", false),
    ("a %s b", false),
    ("~(a & b) | (a ^ b)", false),
    ("a << b", false),
    ("a >>u b", false),
    ("a >>s b", false),
    ("a << (b & bits(0, n))", false),
    ("rotl(a, b)", false),
    ("rotr(a, b)", false),
    ("clmul(a, b)", false),
    ("-a", false),
    ("clz(a) + clz(-a)", false),
    ("ctz(a) - ctz(~b)", false),
    ("popcount(~a)", false),
    ("a == b || a <u b", true),
    ("a <=s b && !(a != b)", true),
    ("a >s b", true),
    ("a <s b ? a + b : b - a", false),
    ("zext(a[n-1:n-1], n) + zext(b[0], n)", false),
    ("sext(b[0], n)", false),
];

/// Only where the width is whole bytes.
const BYTES: &[(&str, bool)] = &[
    ("reverse_bytes(a)", false),
    ("or_bytes(a)", false),
    ("zext(squares[a[4:1]], n) + zext(squares[b[n-1:n-4]], n)", false),
];

/// Only where twice the width has a container.
const WIDE: &[(&str, bool)] = &[
    ("(sext(a, 2 * n) * sext(b, 2 * n))[2 * n - 1:n]", false),
    ("(zext(a, 2 * n) * sext(b, 2 * n))[2 * n - 1:n]", false),
    ("{a, b}[n + n - 1:n] ^ {b, a}[n-1:0]", false),
];

/// The generated function has parameters `a` and `b` and gives `r`.
struct Function {
    input: u32,
    output: u32,
}

impl Target for Function {
    fn register_number(&self, operand: OperandIndex) -> Expr {
        Expr::new(["a", "b", "r"][operand.0 as usize], self.input)
    }
    fn register(&self, _: &str, number: &Expr) -> Expr {
        number.clone()
    }
    fn set_register(&self, _: &str, _: &Expr, value: Expr) -> String {
        format!("return {};", value.cast(self.output))
    }
}

#[test]
fn generated_rust_agrees_with_the_definition() {
    let mut random = Random::new(0x0123_4567_89ab_cdef);
    let mut word = |width: u32| {
        // Edges as often as anything else.
        let value = match random.below(6) {
            0 => 0,
            1 => u128::MAX,
            2 => 1 << (width - 1),
            3 => u128::from(random.below(8)),
            _ => u128::from(random.u64()) << 64 | u128::from(random.u64()),
        };
        Word::from_u128(value, width)
    };
    let mut source = format!("#![allow(unused, clippy::all)]\n{}", table(&squares()).expect("narrow"));
    let (mut calls, mut expected) = (String::new(), Vec::new());
    let mut number = 0;
    for &width in WIDTHS {
        let bytes = if width.is_multiple_of(8) { BYTES } else { &[] };
        let wide = if width <= 64 { WIDE } else { &[] };
        for &(text_of, one_bit) in EXPRESSIONS.iter().chain(bytes).chain(wide) {
            let result = if one_bit { 1 } else { width };
            let (env, body) = expression(text_of, width, result);
            let (input, output) = (container(width).expect("narrow"), container(result).expect("narrow"));
            let text = statements(&body, &env, &Function { input, output }, 4).expect("narrow");
            let _ = writeln!(source, "// {text_of}\nfn f{number}(a: u{input}, b: u{input}) -> u{output} {{\n{text}}}");
            for _ in 0..40 {
                let (a, b) = (word(width), word(width));
                let mut machine = Registers([a.clone(), b.clone(), Word::zero(result)]);
                let Ok(()) = run(&body, &mut machine);
                let _ =
                    writeln!(calls, "    println!(\"{{:x}}\", f{number}({:#x}, {:#x}));", a.low_u128(), b.low_u128());
                let what = format!("{text_of} at {width} bits with a = {a:?}, b = {b:?}");
                expected.push((format!("{:x}", machine.0[2].low_u128()), what));
            }
            number += 1;
        }
    }
    let _ = writeln!(source, "fn main() {{\n{calls}}}");
    let dir = tempfile::tempdir().expect("a folder");
    let (file, program) = (dir.path().join("main.rs"), dir.path().join("main"));
    std::fs::write(&file, source).expect("written");
    let rustc = std::env::var("RUSTC").unwrap_or_else(|_| "rustc".to_owned());
    // Overflow is checked, so that nothing is lost unnoticed.
    let mut build = Command::new(rustc);
    build.args(["--edition", "2024", "-C", "debug-assertions=on", "-o"]).args([&program, &file]);
    let built = build.output().expect("rustc runs");
    assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
    let out = Command::new(&program).output().expect("the program runs");
    let out = String::from_utf8(out.stdout).expect("text");
    let lines: Vec<&str> = out.lines().collect();
    assert_eq!(lines.len(), expected.len());
    for (line, (value, what)) in lines.iter().zip(&expected) {
        assert_eq!(line, value, "{what}");
    }
}
