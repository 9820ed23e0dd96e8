//! Which bits of an instruction decide what is said about it.
//!
//! The problem: programs have millions of different words, but most differ in register numbers and immediates, which are right
//! whatever they are. The method: for each encoding, the bits that can matter are collected: don't-care bits, asserted bits,
//! fields with an enum, fields that some expression names or a sub-encoding is given, and of sub-encoded fields the bits that
//! matter there. Two words of one encoding that are alike in these are both without fault, and use the same of the description.
//!
//! Invariant: what [`crate::walk`] tells of a word, and marks as used, depends on these bits and the encoding alone.

use isaglot_bits::{BitRange, Word};
use isaglot_model::{Encoding, Expr, Field, FieldSource, FieldType, Isa, Name, Node, Piece, SpaceId};

/// The bits that matter, for each encoding by id.
pub(crate) fn masks(isa: &Isa) -> Vec<Word> {
    let mut spaces: Vec<Option<Word>> = vec![None; isa.spaces().len()];
    isa.encodings().iter().map(|encoding| of_encoding(isa, encoding, &mut spaces)).collect()
}

/// The bits of the values of a space that matter, whichever encoding a value is.
fn of_space(isa: &Isa, space: SpaceId, spaces: &mut Vec<Option<Word>>) -> Word {
    if let Some(Some(known)) = spaces.get(space.index()) {
        return known.clone();
    }
    let mut all = Word::zero(isa[space].width);
    // A space that is asked for again while it is looked at matters as a whole.
    if let Some(place) = spaces.get_mut(space.index()) {
        *place = Some(Word::ones(isa[space].width));
    }
    for &id in &isa[space].encodings {
        let encoding = &isa[id];
        all = all.or(encoding.pattern.care());
        encoding.except.iter().for_each(|except| all = all.or(except.care()));
        all = all.or(&of_encoding(isa, encoding, spaces));
    }
    if let Some(place) = spaces.get_mut(space.index()) {
        *place = Some(all.clone());
    }
    all
}

fn of_encoding(isa: &Isa, encoding: &Encoding, spaces: &mut Vec<Option<Word>>) -> Word {
    let mut mask = encoding.dont_care.clone();
    let mut named: Vec<Name> = Vec::new();
    let mut name_all = |expr: &Expr| {
        named.extend(expr.nodes.iter().filter_map(|node| match node {
            Node::Field(name) => Some(*name),
            _ => None,
        }));
    };
    let fields = || encoding.cases.iter().flat_map(|case| &case.fields);
    encoding.cases.iter().filter_map(|case| case.guard).for_each(|guard| name_all(&isa[guard]));
    for field in fields() {
        if let FieldSource::Derived(expr) = &field.source {
            name_all(&isa[*expr]);
        }
    }
    named.extend(fields().flat_map(|field| &field.params).map(|param| param.name));
    for assert in encoding.cases.iter().flat_map(|case| &case.asserts) {
        mask = mask.or(&Word::mask(assert.range, encoding.width));
    }
    for field in fields() {
        let value = match field.ty {
            _ if named.contains(&field.name) => Word::ones(field.width),
            FieldType::Enum(_) => Word::ones(field.width),
            FieldType::Sub(space) => of_space(isa, space, spaces),
            _ => continue,
        };
        mask = mask.or(&placed(field, &value, encoding.width));
    }
    mask
}

/// The bits of the word that some bits of a field's value come from.
fn placed(field: &Field, value: &Word, width: u32) -> Word {
    let mut mask = Word::zero(width);
    let FieldSource::Bits(pieces) = &field.source else { return mask };
    let mut top = field.width;
    for piece in pieces {
        top = top.saturating_sub(piece.width());
        if let Piece::Bits(range) = piece {
            for bit in (0..range.width).filter(|bit| value.width() > top + bit && value.bit(top + bit)) {
                mask = mask.or(&Word::mask(BitRange::new(range.lo + bit, 1), width));
            }
        }
    }
    mask
}
