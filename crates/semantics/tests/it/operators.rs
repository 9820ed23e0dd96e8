//! Every operator on every pair of values of up to four bits, against plain integer arithmetic.

use isaglot_bits::Word;
use isaglot_semantics::oracle::{Registers, expression};
use isaglot_semantics::run;

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
    ("clmul(a, b)", false, |w, a, b| (0..w).filter(|i| b >> i & 1 == 1).fold(0, |v, i| v ^ a << i)),
    ("zext({zext(b, 4), squares[zext(a, 4)]}[n:1], n)", false, |w, a, b| (b << 8 | (a * a + 1)) >> 1 & ((1 << w) - 1)),
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
    for &(text, one_bit, meaning) in CASES {
        for width in 1..=4 {
            let result = if one_bit { 1 } else { width };
            let (_, body) = expression(text, width, result);
            for (a, b) in (0..1 << width).flat_map(|a| (0..1 << width).map(move |b| (a, b))) {
                let word = |v| Word::from_u64(v, width);
                let mut machine = Registers([word(a), word(b), Word::zero(result)]);
                let Ok(()) = run(&body, &mut machine);
                let expected = Word::from_u64(meaning(width, a, b) & ((1 << result) - 1), result);
                assert_eq!(machine.0[2], expected, "{text} at {width} bits with a = {a}, b = {b}");
            }
        }
    }
}
