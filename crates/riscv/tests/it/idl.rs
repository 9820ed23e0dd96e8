//! Mutated texts in IDL: each is parsed, checked and lowered or refused, what is lowered is sound, and nothing panics.

use isaglot_riscv::oracle;
use isaglot_testing::{Random, rounds, slowest};

const SEED: &str = include_str!("../data/idl.txt");

/// Pieces that matter to IDL.
const PIECES: &[&str] = &[
    "{",
    "}",
    "(",
    ")",
    "[",
    "]",
    "<",
    ">",
    ";",
    ",",
    ":",
    "?",
    "::",
    "=",
    "==",
    "`*",
    "`<<",
    ">>>",
    "&&",
    "||",
    "!",
    "~",
    "++",
    "--",
    "1'b1",
    "64'hffff",
    "MXLEN'1",
    "-'sd1",
    "'0",
    "0",
    "128'd0",
    "4'bx1",
    "Bits<0>",
    "Bits<1024>",
    "XReg a = ",
    "X[xd]",
    "X[xs1]",
    "$pc",
    "$signed(",
    "$encoding",
    "xlen()",
    "if (",
    "else ",
    "for (U32 i = 0; i < 64; i++) ",
    "return ",
    "true",
    "raise(ExceptionCode::IllegalInstruction, mode(), 0)",
    "read_memory<32>(",
    "sum(",
    "twice<",
    "# ",
    "\"",
    "\n---\n",
    "function ",
    "body {",
    "description {",
    "struct ",
    "enum ",
];

#[test]
fn the_seed_is_lowered() {
    assert_eq!(oracle::idl(SEED), 2);
}

#[test]
fn mutated_texts_end() {
    let mut random = Random::new(25);
    slowest("mutated texts in IDL", rounds(10_000), || {
        let text = random.mutated(SEED.as_bytes(), PIECES);
        oracle::idl(&String::from_utf8_lossy(&text));
    });
}

#[test]
fn deep_and_long_texts_end() {
    for open in ["(", "{", "if (true) {", "-", "X[", "1 ? ", "f<1>(", "for (U32 i = 0; i < 9; i++) {"] {
        oracle::idl(&open.repeat(20_000));
    }
    for (first, more) in [("X[1] = 1", " + 1"), ("X[1] = {1", ", 1"), ("X[1] = X[2]", "[0]"), ("X[1] = a", ".b")] {
        oracle::idl(&format!("{first}{};", more.repeat(20_000)));
    }
    oracle::idl(&"if (X[1] == 1) { X[2] = 3; } else ".repeat(5_000));
    oracle::idl(&"if (X[X[1]] == 1) { X[2] = 3; }\n".repeat(5_000));
    oracle::idl(&format!("XReg a = X[1];\n{}X[2] = a;", "a = a + a;\n".repeat(5_000)));
    oracle::idl(&format!("XReg a = X[1];\n{}X[2] = a;", "a = a[31] == 1 ? a + 1 : a * a;\n".repeat(5_000)));
    let loops = "for (U32 i = 0; i < 1000; i++) {".repeat(5) + "X[1] = X[2];" + &"}".repeat(5);
    oracle::idl(&loops);
    let calls = "function f { returns XReg arguments XReg a body { return f(a) + f(a); } }\n---\nX[1] = f(X[2]);";
    oracle::idl(calls);
}
