//! Branches that are too far from their label: the opposite condition over a jump.

use isaglot_asm::assemble::source::Relax;

/// For the general assembler, which chooses lengths. `jal f` is never `c.jal`, which GNU's assembler has for that name only.
pub(super) const RELAX: Relax = Relax { inverse, longest: &["jal"], jump: "jal zero," };

/// Branches and their opposites.
const OPPOSITES: [(&str, &str); 8] = [
    ("beq", "bne"),
    ("blt", "bge"),
    ("bltu", "bgeu"),
    ("bgt", "ble"),
    ("bgtu", "bleu"),
    ("beqz", "bnez"),
    ("bltz", "bgez"),
    ("bgtz", "blez"),
];

fn inverse(mnemonic: &[u8]) -> Option<&'static str> {
    let find = |(a, b): &(&'static str, &'static str)| match mnemonic {
        name if name == a.as_bytes() => Some(*b),
        name if name == b.as_bytes() => Some(*a),
        _ => None,
    };
    OPPOSITES.iter().find_map(find)
}
