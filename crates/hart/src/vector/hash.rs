//! SHA-256, SHA-512 and SM3 over groups of words: Zvknha, Zvknhb, Zvksh.

use super::block::{Block, Words};

/// A word of SHA-2: 32 or 64 bits.
#[derive(Clone, Copy)]
struct Sha {
    is_wide: bool,
}

impl Sha {
    fn cut(self, value: u64) -> u64 {
        if self.is_wide { value } else { value & 0xffff_ffff }
    }

    fn add(self, values: &[u64]) -> u64 {
        self.cut(values.iter().fold(0, |sum, &value| sum.wrapping_add(value)))
    }

    fn rotated(self, value: u64, by: u32) -> u64 {
        if self.is_wide { value.rotate_right(by) } else { u64::from((value as u32).rotate_right(by)) }
    }

    /// Three rotations, by the width of words.
    fn rotations(self, value: u64, narrow: [u32; 3], wide: [u32; 3]) -> u64 {
        let by = if self.is_wide { wide } else { narrow };
        by.into_iter().fold(0, |sum, by| sum ^ self.rotated(value, by))
    }

    /// Two rotations and a shift.
    fn sigma(self, value: u64, narrow: [u32; 3], wide: [u32; 3]) -> u64 {
        let [first, second, shift] = if self.is_wide { wide } else { narrow };
        self.rotated(value, first) ^ self.rotated(value, second) ^ value >> shift
    }
}

/// The next four words of the message schedule.
pub(super) fn schedule(w: &Words<'_>) -> Block {
    let sha = Sha { is_wide: w.is_wide };
    let sigma0 = |x| sha.sigma(x, [7, 18, 3], [1, 8, 7]);
    let sigma1 = |x| sha.sigma(x, [17, 19, 10], [19, 61, 6]);
    let (d, a, b) = (w.d, w.a, w.b);
    // What is 16, 15, 7 and 2 words before.
    let w16 = sha.add(&[sigma1(b[2]), a[1], sigma0(d[1]), d[0]]);
    let w17 = sha.add(&[sigma1(b[3]), a[2], sigma0(d[2]), d[1]]);
    let w18 = sha.add(&[sigma1(w16), a[3], sigma0(d[3]), d[2]]);
    let w19 = sha.add(&[sigma1(w17), b[0], sigma0(a[0]), d[3]]);
    [w16, w17, w18, w19, 0, 0, 0, 0]
}

/// Two rounds with two words of the schedule, to which the constants are added already.
pub(super) fn rounds(w: &Words<'_>, words: [u64; 2]) -> Block {
    let sha = Sha { is_wide: w.is_wide };
    let ([f, e, b, a, ..], [h, g, d, c, ..]) = (*w.a, *w.d);
    let mut state = [a, b, c, d, e, f, g, h];
    for word in words {
        let [a, b, c, d, e, f, g, h] = state;
        let (ch, maj) = (e & f ^ !e & g, a & b ^ a & c ^ b & c);
        let t1 = sha.add(&[h, sha.rotations(e, [6, 11, 25], [14, 18, 41]), sha.cut(ch), word]);
        let t2 = sha.add(&[sha.rotations(a, [2, 13, 22], [28, 34, 39]), maj]);
        state = [sha.add(&[t1, t2]), a, b, c, sha.add(&[d, t1]), e, f, g];
    }
    let [a, b, _, _, e, f, ..] = state;
    [f, e, b, a, 0, 0, 0, 0]
}

/// SM3 has its words with the highest byte first.
fn swapped(words: &Block) -> [u32; 8] {
    words.map(|word| (word as u32).swap_bytes())
}

fn unswapped(words: [u32; 8]) -> Block {
    words.map(|word| word.swap_bytes().into())
}

/// The next eight words of SM3's message: `b` has words 0 to 7, `a` words 8 to 15.
pub(super) fn sm3_expansion(w: &Words<'_>) -> Block {
    let (low, high) = (swapped(w.b), swapped(w.a));
    let mut x: [u32; 24] = std::array::from_fn(|at| match at {
        0..8 => low[at],
        8..16 => high[at - 8],
        _ => 0,
    });
    for at in 16..24 {
        let p = x[at - 16] ^ x[at - 9] ^ x[at - 3].rotate_left(15);
        x[at] = p ^ p.rotate_left(15) ^ p.rotate_left(23) ^ x[at - 13].rotate_left(7) ^ x[at - 6];
    }
    unswapped(std::array::from_fn(|at| x[at + 16]))
}

/// Two rounds of SM3, of which the number says which.
pub(super) fn sm3_rounds(w: &Words<'_>) -> Block {
    let message = swapped(w.a);
    let mut state = swapped(w.d);
    for (number, word, other) in [(0, message[0], message[4]), (1, message[1], message[5])] {
        let round = 2 * u32::from(w.third) + number;
        let [a, b, c, d, e, f, g, h] = state;
        let is_early = round < 16;
        let constant: u32 = if is_early { 0x79cc_4519 } else { 0x7a87_9d8a };
        let ff = if is_early { a ^ b ^ c } else { a & b | a & c | b & c };
        let gg = if is_early { e ^ f ^ g } else { e & f | !e & g };
        let sum = a.rotate_left(12).wrapping_add(e).wrapping_add(constant.rotate_left(round % 32));
        let ss1 = sum.rotate_left(7);
        let ss2 = ss1 ^ a.rotate_left(12);
        let tt1 = ff.wrapping_add(d).wrapping_add(ss2).wrapping_add(word ^ other);
        let tt2 = gg.wrapping_add(h).wrapping_add(ss1).wrapping_add(word);
        let p0 = tt2 ^ tt2.rotate_left(9) ^ tt2.rotate_left(17);
        state = [tt1, a, b.rotate_left(9), c, p0, e, f.rotate_left(19), g];
    }
    unswapped(state)
}
