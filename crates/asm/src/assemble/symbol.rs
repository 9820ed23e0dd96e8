//! What a symbol in an operand stands for, and where a statement stands.

use super::number::is_word;
use super::program::BranchReach;

/// What a symbol stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Symbol {
    /// A place in the program, in bytes from the start of its section.
    Place(u64),
    /// The same, where only a branch may take it: as a number it would depend on where the program lies.
    Target(u64),
    /// A number.
    Number(i64),
    /// A symbol that exists, but whose value is not known yet.
    Later,
}

/// Where a statement stands: what its symbols mean.
#[derive(Clone, Copy)]
pub struct Site<'s> {
    /// What a name stands for.
    pub symbol: &'s dyn Fn(&[u8]) -> Option<Symbol>,
    /// The place of the statement, in bytes from the start of its section.
    pub here: u64,
    /// Bytes per place: of an instruction where all have one length, else 1.
    pub place_bytes: u64,
}

/// Whether all of `text` is one symbol.
#[must_use]
pub fn is_symbol(text: &[u8]) -> bool {
    !text.is_empty() && symbol_length(text) == text.len()
}

/// The length of the symbol that `text` begins with; 0 for none.
pub(super) fn symbol_length(text: &[u8]) -> usize {
    match text.first() {
        Some(byte) if byte.is_ascii_alphabetic() || matches!(byte, b'_' | b'.') => {
            text.iter().take_while(|&&byte| is_word(byte) || matches!(byte, b'.' | b'$' | b'@')).count()
        }
        _ => 0,
    }
}

/// The value of a symbol in an operand: as a number, or as seen from the instruction that branches to it; `None` where it
/// is not known, or between two units.
pub(super) fn symbol_value(symbol: Symbol, site: Site<'_>, branch: Option<BranchReach>) -> Option<i128> {
    let bytes = i128::from(site.place_bytes.max(1));
    match (symbol, branch) {
        (Symbol::Later, _) | (Symbol::Target(_), None) => None,
        (Symbol::Number(number), _) => Some(i128::from(number)),
        (Symbol::Place(place), None) => Some(i128::from(place) / bytes),
        (Symbol::Place(place) | Symbol::Target(place), Some(reach)) => {
            let unit = if reach.unit == 0 { bytes } else { i128::from(reach.unit) };
            let distance = i128::from(place) - if reach.absolute { 0 } else { i128::from(site.here) };
            (distance % unit == 0).then_some(distance / unit)
        }
    }
}
