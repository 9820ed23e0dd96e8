//! Words against `u128` arithmetic, and wide words against their bits.

use isaglot_bits::{BitRange, Count, Word, limbs};
use isaglot_testing::Random;

fn numbers(n: usize) -> impl Iterator<Item = u128> {
    let mut random = Random::new(1);
    (0..n).map(move |_| u128::from(random.u64()) << 64 | u128::from(random.u64()))
}

fn cut(value: u128, width: u32) -> u128 {
    if width >= 128 { value } else { value & ((1 << width) - 1) }
}

#[test]
fn agrees_with_u128() {
    let all: Vec<u128> = numbers(40).collect();
    for width in [0, 1, 5, 31, 32, 33, 63, 64, 65, 100, 127, 128] {
        for pair in all.windows(2) {
            let (a, b) = (cut(pair[0], width), cut(pair[1], width));
            let (wa, wb) = (Word::from_u128(a, width), Word::from_u128(b, width));
            let same = |word: Word, want: u128| assert_eq!((word.width(), word.low_u128()), (width, cut(want, width)));
            same(wa.and(&wb), a & b);
            same(wa.or(&wb), a | b);
            same(wa.xor(&wb), a ^ b);
            same(wa.and_not(&wb), a & !b);
            same(wa.not(), !a);
            same(wa.wrapping_inc(), a.wrapping_add(1));
            same(Word::ones(width), u128::MAX);
            for by in [0, 1, 31, 64, 65, 127, 128, 300] {
                same(wa.shl(by), a.checked_shl(by).unwrap_or(0));
                same(wa.shr(by), a.checked_shr(by).unwrap_or(0));
            }
            assert_eq!(wa.cmp(&wb), a.cmp(&b));
            assert_eq!(wa.decimal(), a.to_string());
            assert_eq!(wa.count_ones(), a.count_ones());
            assert_eq!(wa.is_zero(), a == 0);
            assert_eq!(wa.is_ones(), a == cut(u128::MAX, width));
            assert_eq!(
                wa.hex(),
                if width == 0 { String::new() } else { format!("{a:0w$x}", w = width.div_ceil(32) as usize * 8) }
            );
            if width > 0 {
                assert_eq!(Word::parse(&format!("0x{a:x}"), width), Ok(wa.clone()));
                assert_eq!(Word::parse(&format!("0b{a:b}"), width), Ok(wa.clone()));
                assert_eq!(Word::parse(&format!("0o{a:o}"), width), Ok(wa.clone()));
                let signed = if width == 128 { a as i128 } else { ((a << (128 - width)) as i128) >> (128 - width) };
                assert_eq!(wa.signed_decimal(), signed.to_string());
            }
            for (lo, len) in [(0, 64), (3, 17), (60, 10), (63, 64), (64, 64), (100, 40), (200, 3)] {
                let want = cut(a.checked_shr(lo).unwrap_or(0), len);
                assert_eq!(u128::from(wa.extract(lo, len)), want);
                let mut edited = wa.clone();
                edited.insert(lo, len, b as u64);
                let mask = cut(u128::MAX, len).checked_shl(lo).unwrap_or(0);
                same(edited, a & !mask | (cut(b & u128::from(u64::MAX), len)).checked_shl(lo).unwrap_or(0) & mask);
            }
            let bytes: Vec<u8> = wa.le_bytes().collect();
            assert_eq!(Word::from_le_bytes(&bytes, width), wa);
            let words: Vec<u32> = wa.words32().collect();
            assert_eq!(Word::from_words32(&words, width), wa);
        }
    }
}

#[test]
fn wide_words_keep_every_bit() {
    let width = 300;
    let bits: Vec<u32> = numbers(60).map(|n| (n % u128::from(width)) as u32).collect();
    let mut word = Word::zero(width);
    for &bit in &bits {
        word.set_bit(bit, true);
    }
    for bit in 0..width + 70 {
        assert_eq!(word.bit(bit), bits.contains(&bit));
    }
    assert_eq!(word.shl(77).shr(77), word.and(&Word::mask(BitRange::new(0, width - 77), width)));
    assert_eq!(word.not().not(), word);
    assert_eq!(Word::parse(&word.hex(), width), Ok(word.clone()));
    let range = BitRange::new(50, 200);
    let mut copy = Word::zero(width);
    copy.insert_word(range, &word.slice(range));
    assert_eq!(copy, word.and(&Word::mask(range, width)));
    let covered: u32 = word.runs().iter().map(|run| run.width).sum();
    assert_eq!(covered, word.count_ones());
    assert_eq!(Word::ones(300).wrapping_inc(), Word::zero(300));
    assert_eq!(Word::ones(300).decimal(), Count::pow2(300).minus(&Count::from(1)).to_string());
}

#[test]
fn bad_texts_are_refused() {
    use isaglot_bits::ParseWordError as E;
    for (text, want) in
        [("", E::Empty), ("0x", E::Empty), ("1g", E::BadDigit(1)), ("100", E::TooWide), ("0b2", E::BadDigit(0))]
    {
        assert_eq!(Word::parse(text, 8), Err(want), "{text}");
    }
    assert_eq!(Word::parse("0000ff", 8), Ok(Word::from_u64(255, 8)));
    assert_eq!(Word::parse("0b1_1", 8), Ok(Word::from_u64(3, 8)));
}

#[test]
fn sign_extension_and_ranges() {
    for width in 1..=64 {
        assert_eq!(limbs::sign_extend(limbs::mask(width), width), -1);
        assert_eq!(limbs::sign_extend(limbs::mask(width) >> 1, width), (limbs::mask(width) >> 1) as i64);
    }
    assert_eq!(BitRange::from_high_low(7, 4).map(|r| r.to_string()), Some("7:4".into()));
    assert_eq!(BitRange::from_high_low(3, 4), None);
    assert!(BitRange::new(4, 4).overlaps(BitRange::new(7, 1)) && !BitRange::new(4, 4).overlaps(BitRange::new(8, 1)));
    assert!(!BitRange::new(4, 0).overlaps(BitRange::new(0, 9)));
}
