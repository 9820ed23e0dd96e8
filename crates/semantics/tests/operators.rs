//! Every operator on every pair of values of up to four bits, against plain integer arithmetic.

use std::convert::Infallible;

use isaglot_bits::Word;
use isaglot_semantics::{Body, Env, ExternId, FileIndex, Machine, Operand, Symbol, check, parse, run};
use isaglot_source::{Diagnostics, SourceMap, render};

/// Three registers: the two inputs and the result.
struct Registers([Word; 3]);

impl Machine for Registers {
    type Trap = Infallible;
    fn pc(&self) -> Word {
        Word::zero(64)
    }
    fn next_pc(&self) -> Word {
        Word::zero(64)
    }
    fn set_pc(&mut self, _: Word) -> Result<(), Infallible> {
        Ok(())
    }
    fn immediate(&self, _: Operand, width: u32) -> Word {
        Word::zero(width)
    }
    fn register_number(&self, operand: Operand) -> u32 {
        operand.0
    }
    fn register(&self, _: FileIndex, number: u32, _: u32) -> Word {
        self.0[number as usize].clone()
    }
    fn set_register(&mut self, _: FileIndex, number: u32, value: Word) {
        self.0[number as usize] = value;
    }
    fn load(&mut self, _: Word, bits: u32) -> Result<Word, Infallible> {
        Ok(Word::zero(bits))
    }
    fn store(&mut self, _: Word, _: Word) -> Result<(), Infallible> {
        Ok(())
    }
    fn call(&mut self, _: ExternId, _: &[Word]) -> Result<Option<Word>, Infallible> {
        Ok(None)
    }
    fn trap(&mut self, _: &str, _: &[Word]) -> Infallible {
        unreachable!("no text here traps")
    }
}

/// Compiles `r = EXPRESSION;` over `a` and `b` of this width.
fn compile(expression: &str, width: u32, result: u32) -> Body {
    let text = format!("r = {expression};");
    let mut files = SourceMap::new();
    let file = files.add("test", text.as_bytes());
    let mut problems = Diagnostics::new();
    let mut env = Env::new(&[("n", width)]);
    let inputs = env.file("in", width, 3);
    let outputs = env.file("out", result, 3);
    env.operand("a", Symbol::Register { file: inputs, read: true, write: false });
    env.operand("b", Symbol::Register { file: inputs, read: true, write: false });
    env.operand("r", Symbol::Register { file: outputs, read: false, write: true });
    let body = parse(file, 0, &text, &mut problems).and_then(|tree| check(&tree, &env, &mut problems));
    let said: String = problems.iter().map(|d| render::text(&files, d, false)).collect();
    body.unwrap_or_else(|| panic!("{text}\n{said}"))
}

fn signed(value: u64, width: u32) -> i64 {
    (value << (64 - width)) as i64 >> (64 - width)
}

/// The expression, whether its result is one bit, and what it means for width, a, b.
type Case = (&'static str, bool, fn(u32, u64, u64) -> u64);

const CASES: &[Case] = &[
    ("a + b", false, |_, a, b| a.wrapping_add(b)),
    ("a - b", false, |_, a, b| a.wrapping_sub(b)),
    ("a * b", false, |_, a, b| a.wrapping_mul(b)),
    ("a /u b", false, |_, a, b| a.checked_div(b).unwrap_or(u64::MAX)),
    ("a %u b", false, |_, a, b| a.checked_rem(b).unwrap_or(a)),
    ("a /s b", false, |w, a, b| if b == 0 { u64::MAX } else { (signed(a, w) / signed(b, w)) as u64 }),
    ("a %s b", false, |w, a, b| if b == 0 { a } else { (signed(a, w) % signed(b, w)) as u64 }),
    ("a & b", false, |_, a, b| a & b),
    ("a | b", false, |_, a, b| a | b),
    ("a ^ b", false, |_, a, b| a ^ b),
    ("a << b", false, |_, a, b| a << b),
    ("a >>u b", false, |_, a, b| a >> b),
    ("a >>s b", false, |w, a, b| (signed(a, w) >> b) as u64),
    ("rotl(a, b)", false, |w, a, b| (0..b).fold(a, |v, _| v << 1 | v >> (w - 1) & 1)),
    ("rotr(a, b)", false, |w, a, b| (0..b).fold(a, |v, _| v >> 1 | (v & 1) << (w - 1))),
    ("-a", false, |_, a, _| a.wrapping_neg()),
    ("~a", false, |_, a, _| !a),
    ("clz(a)", false, |w, a, _| u64::from(a.leading_zeros() - (64 - w))),
    ("ctz(a)", false, |w, a, _| u64::from(a.trailing_zeros().min(w))),
    ("popcount(a)", false, |_, a, _| u64::from(a.count_ones())),
    ("a == b", true, |_, a, b| u64::from(a == b)),
    ("a != b", true, |_, a, b| u64::from(a != b)),
    ("a <u b", true, |_, a, b| u64::from(a < b)),
    ("a <=u b", true, |_, a, b| u64::from(a <= b)),
    ("a >u b", true, |_, a, b| u64::from(a > b)),
    ("a >=u b", true, |_, a, b| u64::from(a >= b)),
    ("a <s b", true, |w, a, b| u64::from(signed(a, w) < signed(b, w))),
    ("a <=s b", true, |w, a, b| u64::from(signed(a, w) <= signed(b, w))),
    ("a >s b", true, |w, a, b| u64::from(signed(a, w) > signed(b, w))),
    ("a >=s b", true, |w, a, b| u64::from(signed(a, w) >= signed(b, w))),
    ("a[0] ? a : b", false, |_, a, b| if a & 1 == 1 { a } else { b }),
    ("{a, b}[n:1]", false, |w, a, b| (a << w | b) >> 1),
    ("sext(a, 2 * n)[n + n - 1:n]", false, |w, a, _| (signed(a, w) >> w) as u64),
    ("zext(a[n-1:0], 2*n)[2*n-1:n]", false, |_, _, _| 0),
    ("!(a == b) && a[0] || b[0]", true, |_, a, b| u64::from(a != b && a & 1 == 1 || b & 1 == 1)),
];

#[test]
fn every_operator_on_every_small_value() {
    for &(expression, one_bit, meaning) in CASES {
        for width in 1..=4 {
            let result = if one_bit { 1 } else { width };
            let body = compile(expression, width, result);
            for (a, b) in (0..1 << width).flat_map(|a| (0..1 << width).map(move |b| (a, b))) {
                let word = |v| Word::from_u64(v, width);
                let mut machine = Registers([word(a), word(b), Word::zero(result)]);
                let Ok(()) = run(&body, &mut machine);
                let expected = Word::from_u64(meaning(width, a, b) & ((1 << result) - 1), result);
                assert_eq!(machine.0[2], expected, "{expression} at {width} bits with a = {a}, b = {b}");
            }
        }
    }
}
