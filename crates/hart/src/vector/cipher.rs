//! Block ciphers and GHASH over groups of four words: Zvkned, Zvksed, Zvkg.
//!
//! The tables of substitution are computed: both are an inverse in a field of 256 elements between affine maps, the field and the maps
//! of FIPS 197 and of GB/T 32907. A test compares them with the tables that the description has for the scalar instructions.

use super::block::{Block, Words};

/// A product in the field with this polynomial.
const fn times(a: u8, b: u8, polynomial: u16) -> u8 {
    let (mut product, mut a, mut bit) = (0_u16, a as u16, 0);
    while bit < 8 {
        if b >> bit & 1 == 1 {
            product ^= a;
        }
        a <<= 1;
        if a & 0x100 != 0 {
            a ^= polynomial;
        }
        bit += 1;
    }
    product as u8
}

/// The inverse, and 0 of 0: the 254th power.
const fn inverse(a: u8, polynomial: u16) -> u8 {
    let (mut power, mut result, mut bit) = (a, 1, 0);
    while bit < 8 {
        if 254 >> bit & 1 == 1 {
            result = times(result, power, polynomial);
        }
        power = times(power, power, polynomial);
        bit += 1;
    }
    result
}

const AES_FIELD: u16 = 0x11b;
const SM4_FIELD: u16 = 0x1f5;

const fn aes_byte(x: u8) -> u8 {
    let b = inverse(x, AES_FIELD);
    b ^ b.rotate_left(1) ^ b.rotate_left(2) ^ b.rotate_left(3) ^ b.rotate_left(4) ^ 0x63
}

const fn sm4_affine(x: u8) -> u8 {
    x ^ x.rotate_left(1) ^ x.rotate_left(3) ^ x.rotate_left(6) ^ x.rotate_left(7) ^ 0xd3
}

pub(crate) static AES: [u8; 256] = {
    let (mut table, mut x) = ([0; 256], 0);
    while x < 256 {
        table[x] = aes_byte(x as u8);
        x += 1;
    }
    table
};

pub(crate) static AES_INVERSE: [u8; 256] = {
    let (mut table, mut x) = ([0; 256], 0);
    while x < 256 {
        table[aes_byte(x as u8) as usize] = x as u8;
        x += 1;
    }
    table
};

pub(crate) static SM4: [u8; 256] = {
    let (mut table, mut x) = ([0; 256], 0);
    while x < 256 {
        table[x] = sm4_affine(inverse(sm4_affine(x as u8), SM4_FIELD));
        x += 1;
    }
    table
};

fn substitute(word: u32, table: &[u8; 256]) -> u32 {
    u32::from_le_bytes(word.to_le_bytes().map(|byte| table[usize::from(byte)]))
}

/// The bytes of an AES state: four columns of four, as in memory.
fn bytes(block: &Block) -> [u8; 16] {
    let words = block.map(|word| (word as u32).to_le_bytes());
    std::array::from_fn(|at| words[at / 4][at % 4])
}

fn block(bytes: &[u8; 16]) -> Block {
    let mut block = Block::default();
    for (word, four) in block.iter_mut().zip(bytes.chunks(4)) {
        *word = four.iter().rev().fold(0, |word, &byte| word << 8 | u64::from(byte));
    }
    block
}

/// Row `r` of the state goes `r` columns to the left, and each byte through the table.
fn shifted(state: &[u8; 16]) -> [u8; 16] {
    std::array::from_fn(|at| AES[usize::from(state[(at + 4 * (at % 4)) % 16])])
}

fn unshifted(state: &[u8; 16]) -> [u8; 16] {
    std::array::from_fn(|at| AES_INVERSE[usize::from(state[(at + 12 * (at % 4)) % 16])])
}

/// Each column times a polynomial, whose coefficients are given from the one of the byte itself on.
fn mixed(state: &[u8; 16], by: [u8; 4]) -> [u8; 16] {
    std::array::from_fn(|at| {
        let (column, row) = (at & !3, at & 3);
        (0..4).fold(0, |sum, n| sum ^ times(state[column + (row + n) % 4], by[n], AES_FIELD))
    })
}

fn xor(a: &[u8; 16], b: &[u8; 16]) -> [u8; 16] {
    std::array::from_fn(|at| a[at] ^ b[at])
}

/// A round of AES with the round key: `which` as in the word.
pub(super) fn aes(which: u8, w: &Words<'_>) -> Option<Block> {
    let (state, key) = (bytes(w.d), bytes(w.a));
    Some(block(&match which {
        0 => mixed(&xor(&unshifted(&state), &key), [14, 11, 13, 9]),
        1 => xor(&unshifted(&state), &key),
        2 => xor(&mixed(&shifted(&state), [2, 3, 1, 1]), &key),
        3 => xor(&shifted(&state), &key),
        7 => xor(&state, &key),
        _ => return None,
    }))
}

/// A round constant of AES: a power of 2, from the first on.
fn round_constant(number: u32) -> u32 {
    u32::from((0..number).fold(1, |power, _| times(power, 2, AES_FIELD)))
}

/// Four words of a key schedule: the first, and each next from the one before it.
fn schedule(first: u32, before: &Block) -> Block {
    let mut block = Block::default();
    let mut word = first;
    for (at, (place, before)) in block.iter_mut().zip(before).take(4).enumerate() {
        word = if at == 0 { first } else { word } ^ *before as u32;
        *place = word.into();
    }
    block
}

/// The next round key of AES-128. Numbers of rounds that there are not have bit 3 inverted.
pub(super) fn aes_key_128(w: &Words<'_>) -> Block {
    let round = u32::from(w.third & 15);
    let round = if (1..=10).contains(&round) { round } else { round ^ 8 };
    let last = substitute((w.a[3] as u32).rotate_right(8), &AES);
    schedule(last ^ round_constant(round - 1), w.a)
}

/// The next round key of AES-256.
pub(super) fn aes_key_256(w: &Words<'_>) -> Block {
    let round = u32::from(w.third & 15);
    let round = if (2..=14).contains(&round) { round } else { round ^ 8 };
    let last = w.a[3] as u32;
    let first = match round % 2 {
        1 => substitute(last, &AES),
        _ => substitute(last.rotate_right(8), &AES) ^ round_constant(round / 2 - 1),
    };
    schedule(first, w.d)
}

/// Four steps of SM4: words 4 to 7 from words 0 to 3; each is the one four before it and a function of those between and of a key.
fn sm4_steps(start: &Block, keys: [u32; 4], spread: fn(u32) -> u32) -> Block {
    let mut x: [u32; 8] = std::array::from_fn(|at| if at < 4 { start[at] as u32 } else { 0 });
    for (at, key) in keys.into_iter().enumerate() {
        let s = substitute(x[at + 1] ^ x[at + 2] ^ x[at + 3] ^ key, &SM4);
        x[at + 4] = x[at] ^ spread(s);
    }
    std::array::from_fn(|at| if at < 4 { x[at + 4].into() } else { 0 })
}

/// Four round keys of SM4.
pub(super) fn sm4_keys(w: &Words<'_>) -> Block {
    let first = 4 * u32::from(w.third & 7);
    let constant = |n: u32| (0..4).fold(0, |word, byte| word << 8 | (((4 * n + byte) * 7) & 0xff));
    let keys = std::array::from_fn(|at| constant(first + at as u32));
    sm4_steps(w.a, keys, |s| s ^ s.rotate_left(13) ^ s.rotate_left(23))
}

/// Four rounds of SM4.
pub(super) fn sm4_rounds(w: &Words<'_>) -> Block {
    let keys = std::array::from_fn(|at| w.a[at] as u32);
    sm4_steps(w.d, keys, |s| s ^ s.rotate_left(2) ^ s.rotate_left(10) ^ s.rotate_left(18) ^ s.rotate_left(24))
}

/// A block as a polynomial over two elements: the first bit of the first byte, which is its highest, is the coefficient of 1.
fn polynomial(block: &Block) -> u128 {
    let low = |at: usize| u128::from(block[at] as u32) << (32 * at);
    (low(0) | low(1) | low(2) | low(3)).reverse_bits().swap_bytes()
}

/// The hash so far, with the next text if there is one, times the key.
pub(super) fn ghash(w: &Words<'_>, text: Option<&Block>) -> Block {
    let (mut sum, mut power) = (0_u128, polynomial(w.a));
    let value = polynomial(w.d) ^ text.map_or(0, polynomial);
    for bit in 0..128 {
        if value >> bit & 1 == 1 {
            sum ^= power;
        }
        let carry = power >> 127;
        power = (power << 1) ^ (carry * 0x87);
    }
    let bits = sum.swap_bytes().reverse_bits();
    std::array::from_fn(|at| if at < 4 { (bits >> (32 * at)) as u64 & 0xffff_ffff } else { 0 })
}
