//! What a packer decides in its own code, and no description says: which of two sub-encodings of one text is meant.
//!
//! Mesa's ir3 packs the immediate of an operation of category 2 by the operation: those of integers hold the number
//! itself, all others an index into a table of floats. An index that the table does not have prints as the number, and so
//! the text does not say which it is: `add.f r1.w, r2.x, (neg)139` may be either. The rule is that of the switch that
//! Mesa's `__multisrc_case` asks; `bary.f` and `flat.b` count as integer ones there, and `setrm`, `shb`, `msad` do not.
//!
//! Invariant: a preference changes the order in which sub-encodings are tried, never which texts can be read.

/// In the instructions of these names, sub-encodings of a space whose names begin so are tried first.
struct Preference {
    space: &'static str,
    first: &'static str,
    instructions: &'static [&'static str],
}

const PREFERENCES: &[Preference] = &[Preference {
    space: "#multisrc",
    first: "#multisrc-immed-flut",
    instructions: &[
        "absneg.f", "add.f", "ceil.f", "cmps.f", "cmpv.f", "floor.f", "max.f", "min.f", "msad", "mul.f", "rndaz.f",
        "rndne.f", "setrm", "shb", "sign.f", "trunc.f",
    ],
}];

/// What the names of sub-encodings of this space begin with that are tried first in this instruction.
pub(super) fn first(instruction: &str, space: &str) -> Option<&'static str> {
    let is = |p: &&Preference| p.space == space && p.instructions.contains(&instruction);
    PREFERENCES.iter().find(is).map(|p| p.first)
}
