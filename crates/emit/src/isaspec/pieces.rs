//! Where the bits of a field are.

use isaglot_model::Piece;

/// How many bits of a value are kept: all but those that are implied in front.
pub(crate) fn real_width(pieces: &[Piece]) -> u32 {
    let front: u32 = pieces.iter().take_while(|p| matches!(p, Piece::Implied { .. })).map(|p| p.width()).sum();
    pieces.iter().map(|p| p.width()).sum::<u32>() - front
}

/// The low bit of a field that is one range of bits, with no constant bits below it.
pub(crate) fn only_range(pieces: &[Piece]) -> Option<u32> {
    match pieces.split_last() {
        Some((Piece::Bits(range), front)) if !front.iter().any(|p| matches!(p, Piece::Bits(_))) => Some(range.lo),
        _ => None,
    }
}
