//! The words that are compared: corners of every instruction, their neighbours, and whole spaces that are small.

use std::collections::BTreeSet;

use isaglot_bits::Word;
use isaglot_model::{Encoding, Isa};

/// Bits where a field of the usual formats begins, so that fields that lie side by side are told apart.
const STARTS: [u32; 5] = [12, 15, 20, 25, 27];

/// `csrrs zero, 0, zero`, whose register's number is in the upper bits.
const CSRRS: u64 = 0x2073;

/// All words, those of instructions too that a peer may have where the description has not.
pub(crate) fn all(isa: &Isa) -> BTreeSet<Word> {
    let mut words: BTreeSet<Word> =
        (0..1_u64 << 16).filter(|word| word & 3 != 3).map(|word| Word::from_u64(word, 16)).collect();
    words.extend((0..1_u64 << 12).map(|csr| Word::from_u64(csr << 20 | CSRRS, 32)));
    for encoding in isa.encodings().iter().filter(|e| e.space == isa.root() && e.width == 32) {
        let corners = corners(encoding);
        for bit in encoding.pattern.care().ones_iter() {
            let mut near = corners[0].clone();
            near.set_bit(bit, !near.bit(bit));
            // A word whose first bits say another length has not 32 bits.
            let first = near.low_u64() & 0x1f;
            if first & 3 == 3 && first != 0x1f {
                words.insert(near);
            }
        }
        words.extend(corners);
    }
    words
}

/// Words of an encoding: all operands 0, all ones, every other bit, and each field alone at its first values, its middle and its last ones.
fn corners(encoding: &Encoding) -> Vec<Word> {
    let fixed = encoding.pattern.care();
    let free: Vec<u32> = (0..32).filter(|&bit| !fixed.bit(bit)).collect();
    let base = encoding.pattern.witness();
    let with = |bits: &[u32], on: &dyn Fn(u32) -> bool| {
        let mut word = base.clone();
        bits.iter().for_each(|&bit| word.set_bit(bit, on(bit)));
        word
    };
    let mut list = vec![with(&free, &|_| false), with(&free, &|_| true), with(&free, &|bit| bit % 2 == 0)];
    let mut start = 0;
    for end in 1..=free.len() {
        if end < free.len() && free[end] == free[end - 1] + 1 && !STARTS.contains(&free[end]) {
            continue;
        }
        let run = &free[start..end];
        for value in [1_u32, 2, 5, 1 << (run.len() - 1), u32::MAX, !1] {
            list.push(with(run, &|bit| value >> (bit - run[0]) & 1 == 1));
        }
        start = end;
    }
    list
}
