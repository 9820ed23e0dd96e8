//! A word as a tree of operands, and the inverse.
//!
//! Decoding gives every field that means something in its leaf, sub-encodings as trees of their own. Encoding is the
//! inverse, and harder: which definition a name has depends on guards, and those on the bits that are being made. The
//! method is to write all fields where they belong as the word stands, look again where they belong now, and go on until
//! nothing changes. Whatever comes out is then decoded, and must say what was asked for.

use std::fmt;

use isaglot_bits::{BitRange, Word};
use isaglot_model::{Encoding, EncodingId, ExprId, Field, FieldSource, FieldType, Isa, Name, Piece};
use isaglot_source::Diagnostic;

use crate::limits::MAX_ENCODE_ROUNDS;
use crate::plan::Plan;
use crate::scope::Scopes;

/// A leaf with the values of its fields.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Operands {
    /// The leaf.
    pub encoding: EncodingId,
    /// Its fields, in the order of its cases. To encode, any order and any selection: what is missing is 0.
    pub fields: Vec<FieldValue>,
    /// Bits of the word that neither the pattern nor a field of the list holds: those of a definition that another
    /// case shadows, don't-care bits, and asserted bits that are not as asserted; where [`is_knotted`] says so, all that the
    /// pattern does not hold. Zero in a tree that is made by hand.
    pub rest: Word,
}

/// A field and its value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldValue {
    /// The field.
    pub name: Name,
    /// Its value.
    pub value: OperandValue,
}

/// A number, or a leaf of the field's own space.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OperandValue {
    /// The raw value, as wide as the field; a negative one in two's complement.
    Number(Word),
    /// What a sub-encoding is.
    Nested(Box<Operands>),
}

/// Why operands make no word.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum EncodeError {
    /// The field holds fewer bits than the value needs.
    Range {
        /// The field.
        field: String,
        /// Its width in bits.
        width: u32,
        /// The value.
        value: Word,
    },
    /// Nothing in the leaf, as its other fields stand, defines the name.
    Unknown {
        /// The field.
        field: String,
        /// The leaf.
        encoding: String,
    },
    /// Bits that the description implies are different in the value.
    Implied {
        /// The field.
        field: String,
        /// The value.
        value: Word,
    },
    /// The word would say something else: the field is derived from others, or shares bits with them.
    Contradiction {
        /// The field.
        field: String,
        /// What was asked for.
        wanted: Word,
        /// What the word would say.
        got: Word,
    },
    /// A number where a sub-encoding is needed, or a tree where a number is.
    Kind {
        /// The field.
        field: String,
    },
    /// The leaf is not what the word would decode as, on this gen with these features.
    Leaf {
        /// The leaf that was asked for.
        encoding: String,
    },
}

impl fmt::Display for EncodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            EncodeError::Range { field, width, value } => {
                write!(f, "{} does not fit field `{field}` of {width} bits", value.decimal())
            }
            EncodeError::Unknown { field, encoding } => write!(f, "`{encoding}` has no field `{field}` here"),
            EncodeError::Implied { field, value } => {
                write!(f, "{} has bits that field `{field}` cannot hold", value.decimal())
            }
            EncodeError::Contradiction { field, wanted, got } => {
                write!(f, "field `{field}` cannot be {}: the other fields make it {}", wanted.decimal(), got.decimal())
            }
            EncodeError::Kind { field } => write!(f, "field `{field}` is given the wrong kind of value"),
            EncodeError::Leaf { encoding } => write!(f, "the word would not decode as `{encoding}`"),
        }
    }
}

impl std::error::Error for EncodeError {}

impl EncodeError {
    /// The error as a diagnostic, with a code of the `codec-…` family.
    #[must_use]
    pub fn diagnostic(&self) -> Diagnostic {
        let code = match self {
            EncodeError::Range { .. } => "codec-range",
            EncodeError::Unknown { .. } => "codec-unknown-field",
            EncodeError::Implied { .. } => "codec-implied-bits",
            EncodeError::Contradiction { .. } => "codec-contradiction",
            EncodeError::Kind { .. } => "codec-kind",
            EncodeError::Leaf { .. } => "codec-leaf",
        };
        Diagnostic::error(code, self.to_string())
    }
}

/// Takes an instruction word apart. `None` if it is not a valid instruction.
#[must_use]
pub fn decode(plan: &Plan<'_>, word: &Word) -> Option<Operands> {
    let mut scopes = Scopes::new(plan, false);
    let scope = scopes.enter(word)?;
    Some(take_apart(&mut scopes, scope, true))
}

/// The same, but the value of each field is a number, also where the field has a space of its own.
#[must_use]
pub fn decode_flat(plan: &Plan<'_>, word: &Word) -> Option<Operands> {
    let mut scopes = Scopes::new(plan, false);
    let scope = scopes.enter(word)?;
    Some(take_apart(&mut scopes, scope, false))
}

fn take_apart(scopes: &mut Scopes<'_, '_>, scope: usize, nests: bool) -> Operands {
    let rest = unclaimed(scopes, scope);
    let mut fields = Vec::new();
    for name in scopes.encoding(scope).field_names() {
        let Some(found) = scopes.resolve(scope, name) else { continue };
        let nested = match found.field.ty {
            FieldType::Sub(space) if nests => scopes.enter_field(scope, &found, space),
            _ => None,
        };
        let value = match nested {
            Some(inner) => {
                let tree = take_apart(scopes, inner, true);
                scopes.leave();
                OperandValue::Nested(Box::new(tree))
            }
            // A value that is none of its space stays a number.
            None => OperandValue::Number(found.value.resized(found.field.width)),
        };
        fields.push(FieldValue { name, value });
    }
    Operands { encoding: scopes.encoding_id(scope), fields, rest }
}

/// The bits of a scope that neither its pattern nor a field holds; of asserted ones, those that are not as asserted. All
/// that the pattern does not hold where a leaf is knotted.
fn unclaimed(scopes: &mut Scopes<'_, '_>, scope: usize) -> Word {
    let encoding = scopes.encoding(scope);
    let asserted = asserted(scopes, scope, encoding);
    let knotted = is_knotted(scopes.plan().isa(), encoding);
    let mut claimed = encoding.pattern.care().clone();
    for name in encoding.field_names() {
        if !knotted
            && let Some(found) = scopes.resolve(scope, name)
            && found.scope == scope
        {
            for range in found.field.source.ranges() {
                claimed = claimed.or(&Word::mask(range, claimed.width()));
            }
        }
    }
    scopes.value(scope).xor(&asserted).and_not(&claimed)
}

/// The bits that the cases of a leaf assert in a scope; others are 0.
fn asserted(scopes: &mut Scopes<'_, '_>, scope: usize, encoding: &Encoding) -> Word {
    let mut word = Word::zero(encoding.width);
    for case in encoding.cases.iter().filter(|case| !case.asserts.is_empty()) {
        if scopes.applies(scope, case) {
            case.asserts.iter().for_each(|assert| word.insert_word(assert.range, &assert.value));
        }
    }
    word
}

/// Makes the word of these operands. Don't-care bits are 0, asserted bits as asserted.
///
/// # Errors
/// A value that does not fit, a name that means nothing, values that contradict each other; see [`EncodeError`].
pub fn encode(plan: &Plan<'_>, operands: &Operands) -> Result<Word, EncodeError> {
    let full = attempt(plan, operands, &operands.rest);
    let encoding = &plan.isa()[operands.encoding];
    if !is_knotted(plan.isa(), encoding) {
        return full.map(|(word, _)| word);
    }
    // Here the rest is all there is: it counts only if it is what was taken apart.
    match (full, attempt(plan, operands, &Word::zero(encoding.width))) {
        (Ok((word, found)), _) if found == operands.rest.resized(found.width()) => Ok(word),
        (_, Ok((word, _))) | (Ok((word, _)), Err(_)) => Ok(word),
        (Err(error), Err(_)) => Err(error),
    }
}

/// The word that is found with these bits outside of fields, and those that it has.
fn attempt(plan: &Plan<'_>, operands: &Operands, rest: &Word) -> Result<(Word, Word), EncodeError> {
    let isa = plan.isa();
    let leaf = || EncodeError::Leaf { encoding: isa.text(isa[operands.encoding].name).to_owned() };
    let mut word = start(isa, operands.encoding, rest);
    for _ in 0..MAX_ENCODE_ROUNDS {
        let mut scopes = Scopes::new(plan, false);
        // What the word decodes as is asked when it is whole: an operand that is not placed yet may be one that the
        // leaf excludes.
        let scope = scopes.enter_encoding(operands.encoding, &word).ok_or_else(leaf)?;
        let (next, misfit) = fill(&mut scopes, scope, operands, rest);
        if next == word {
            if let Some(misfit) = misfit {
                return Err(misfit);
            }
            agree(&mut scopes, scope, operands)?;
            let scope = scopes.enter(&word).ok_or_else(leaf)?;
            if scopes.encoding_id(scope) != operands.encoding {
                return Err(leaf());
            }
            let rest = unclaimed(&mut scopes, scope);
            return Ok((word, rest));
        }
        word = next;
    }
    // The fields chase each other; whichever is not met is named.
    let mut scopes = Scopes::new(plan, false);
    let scope = scopes.enter(&word).ok_or_else(leaf)?;
    agree(&mut scopes, scope, operands)?;
    Err(leaf())
}

/// Whether the fields of a leaf do not say which word they are of: a guard depends on a field that has several places.
#[must_use]
pub fn is_knotted(isa: &Isa, encoding: &Encoding) -> bool {
    let fields = || encoding.cases.iter().flat_map(|case| &case.fields);
    let mut work: Vec<ExprId> = encoding.cases.iter().filter_map(|case| case.guard).collect();
    let mut seen: Vec<ExprId> = Vec::new();
    while let Some(expr) = work.pop() {
        if seen.contains(&expr) {
            continue;
        }
        seen.push(expr);
        for &name in &isa[expr].fields {
            let places = fields().filter(|field| field.name == name && matches!(field.source, FieldSource::Bits(_)));
            if places.count() > 1 {
                return true;
            }
            work.extend(fields().filter(|field| field.name == name).filter_map(|field| match field.source {
                FieldSource::Derived(expr) => Some(expr),
                FieldSource::Bits(_) => None,
            }));
        }
    }
    false
}

/// The bits that a leaf has whatever its fields are, and these.
fn start(isa: &Isa, encoding: EncodingId, rest: &Word) -> Word {
    let pattern = &isa[encoding].pattern;
    pattern.value().or(&rest.resized(pattern.width()))
}

/// The bits of a scope with every operand written where it belongs as the scope stands, and the first that does not fit
/// there: the next round may find it another place.
fn fill(scopes: &mut Scopes<'_, '_>, scope: usize, operands: &Operands, rest: &Word) -> (Word, Option<EncodeError>) {
    let isa = scopes.plan().isa();
    let encoding = &isa[operands.encoding];
    let mut word = start(isa, operands.encoding, rest);
    let mut misfit = None;
    let asserted = asserted(scopes, scope, encoding).resized(word.width());
    word = word.xor(&asserted.and_not(encoding.pattern.care()));
    for operand in &operands.fields {
        let name = || isa.text(operand.name).to_owned();
        let Some(found) = scopes.resolve(scope, operand.name) else {
            // Perhaps a guard that another field makes true defines it.
            let encoding = isa.text(encoding.name).to_owned();
            misfit = misfit.or_else(|| Some(EncodeError::Unknown { field: name(), encoding }));
            continue;
        };
        let value = match (&operand.value, &found.field.ty) {
            (OperandValue::Number(value), _) => value.clone(),
            (OperandValue::Nested(tree), FieldType::Sub(space)) => {
                // As the leaf that it is to be, whatever the bits are so far; in the end it is decoded.
                let leaf = Some(tree.encoding).filter(|&leaf| isa[leaf].space == *space);
                match leaf.and_then(|leaf| scopes.enter_leaf(scope, &found, leaf)) {
                    Some(inner) => {
                        let (value, inside) = fill(scopes, inner, tree, &tree.rest);
                        misfit = misfit.or(inside);
                        scopes.leave();
                        value
                    }
                    None => start(isa, tree.encoding, &tree.rest),
                }
            }
            (OperandValue::Nested(_), _) => {
                misfit = misfit.or_else(|| Some(EncodeError::Kind { field: name() }));
                continue;
            }
        };
        // A parameter or a derived field is not written but must come out right in the end.
        if found.scope == scope
            && let FieldSource::Bits(pieces) = &found.field.source
        {
            misfit = misfit.or(write(&mut word, found.field, pieces, &value, &name));
        }
    }
    (word, misfit)
}

/// Writes as much of a value as fits; says if that is not all.
fn write(
    word: &mut Word,
    field: &Field,
    pieces: &[Piece],
    value: &Word,
    name: &dyn Fn() -> String,
) -> Option<EncodeError> {
    let mut misfit = (!value.shr(field.width).is_zero()).then(|| EncodeError::Range {
        field: name(),
        width: field.width,
        value: value.clone(),
    });
    let value = value.resized(field.width);
    let mut at = field.width;
    for piece in pieces {
        at = at.saturating_sub(piece.width());
        match *piece {
            Piece::Bits(range) => word.insert_word(range, &value.slice(BitRange::new(at, range.width))),
            Piece::Implied { width, value: implied } if value.extract(at, width) != implied => {
                misfit = misfit.or_else(|| Some(EncodeError::Implied { field: name(), value: value.clone() }));
            }
            Piece::Implied { .. } => {}
        }
    }
    misfit
}

/// Checks that a scope says what the operands ask for.
fn agree(scopes: &mut Scopes<'_, '_>, scope: usize, operands: &Operands) -> Result<(), EncodeError> {
    let isa = scopes.plan().isa();
    for operand in &operands.fields {
        let name = || isa.text(operand.name).to_owned();
        let Some(found) = scopes.resolve(scope, operand.name) else {
            let encoding = isa.text(isa[operands.encoding].name).to_owned();
            return Err(EncodeError::Unknown { field: name(), encoding });
        };
        match (&operand.value, &found.field.ty) {
            (OperandValue::Number(wanted), _) => {
                let got = found.value.resized(found.field.width);
                if wanted.resized(found.field.width) != got {
                    return Err(EncodeError::Contradiction { field: name(), wanted: wanted.clone(), got });
                }
            }
            (OperandValue::Nested(tree), FieldType::Sub(space)) => {
                let leaf = || EncodeError::Leaf { encoding: isa.text(isa[tree.encoding].name).to_owned() };
                let inner = scopes.enter_field(scope, &found, *space).ok_or_else(leaf)?;
                let checked = match scopes.encoding_id(inner) == tree.encoding {
                    true => agree(scopes, inner, tree),
                    false => Err(leaf()),
                };
                scopes.leave();
                checked?;
            }
            (OperandValue::Nested(_), _) => return Err(EncodeError::Kind { field: name() }),
        }
    }
    Ok(())
}
