//! Code with many branches, to see how dataflow grows; the benchmark makes its input here too.

use std::fmt::Write as _;

/// Instructions of a block.
pub(crate) const BLOCK: u64 = 5;

/// Numbers that look drawn at random, the same ones every time.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    /// A number below `n`.
    pub(crate) fn below(&mut self, n: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) % n
    }
}

/// What makes a definition reach far or not.
#[derive(Clone, Copy)]
pub(crate) struct Kind {
    /// General registers that are used.
    registers: u64,
    /// Blocks that a jump passes over at most.
    reach: u64,
}

/// As compilers write: what reaches an instruction comes from a bounded neighbourhood, however long the program is.
pub(crate) const NEAR: Kind = Kind { registers: 24, reach: 4 };

/// A jump leads anywhere: nearly every definition reaches every use of its register, so that the listing itself grows
/// with the square of the program.
pub(crate) const FAR: Kind = Kind { registers: 120, reach: u64::MAX };

/// Blocks of a few instructions, each with a predicated jump to another.
pub(crate) fn branchy(count: u64, Kind { registers, reach }: Kind) -> String {
    let mut r = Random(0x5eed_cafe);
    let blocks = count / BLOCK;
    let mut text = String::new();
    for block in 0..blocks {
        let _ = writeln!(text, "B{block}:");
        for _ in 0..BLOCK - 2 {
            let [a, b, c] = [0; 3].map(|_| r.below(registers));
            let _ = writeln!(text, "        add (16|M0)  r{a}.0<1>:f  r{b}.0<1;1,0>:f  r{c}.0<1;1,0>:f");
        }
        let (a, b) = (r.below(registers), r.below(registers));
        let _ = writeln!(text, "        cmp (16|M0)  (lt)f0.0  null<1>:f  r{a}.0<1;1,0>:f  r{b}.0<1;1,0>:f");
        let (first, last) = (block.saturating_sub(reach), block.saturating_add(reach).min(blocks - 1));
        let _ = writeln!(text, "(W&f0.0)  jmpi  B{}", first + r.below(last - first + 1));
    }
    text
}
