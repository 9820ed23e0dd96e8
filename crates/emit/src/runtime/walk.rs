//! A word as a list of fields, and back.
//!
//! Taking apart gives every field that means something in its encoding; nested encodings stand between
//! [`Event::Enter`] and [`Event::Leave`]. Putting together is harder: which definition a name has depends on guards, and
//! those on the bits that are being made. All fields are written where they belong as the word stands, and again where
//! they belong then, until nothing changes; what comes out must say what was asked for.

use super::decode::{insert, mask, pattern, slice};
use super::scope::Scopes;
use super::tables::{Field, Isa, LIMBS, Limbs, NONE, Type};

/// How often all fields are written anew because one moved another.
const MAX_ROUNDS: usize = 32;

/// A step of the walk over the fields of an instruction. Names of fields and encodings are numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// A field and its raw value; a negative one in two's complement.
    Number(u32, Limbs),
    /// A field that is an encoding of its own, and its raw value; its fields follow.
    Enter(u32, u32, Limbs),
    /// The end of an encoding, and the bits of it that neither its pattern nor a field holds; of asserted ones, those that
    /// are not as asserted.
    Leave(Limbs),
}

/// Why fields make no word; the numbers are those of the fields' names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EncodeError {
    /// The field holds fewer bits (the second number) than the value needs.
    Range(u32, u32),
    /// Nothing in the encoding, as its other fields stand, defines the name.
    Unknown(u32),
    /// Bits that the description implies are different in the value.
    Implied(u32),
    /// The word would say something else: the field is derived from others, or shares bits with them.
    Contradiction(u32),
    /// A nested encoding for a field that is a number.
    Kind(u32),
    /// The encoding (by number) is not what the word would decode as.
    Leaf(u32),
}

/// Visits every field of an instruction; `false` if the word is none.
pub fn walk(isa: &Isa<'_>, word: &Limbs, bits: u32, visit: &mut dyn FnMut(Event)) -> bool {
    let mut scopes = Scopes::new(isa, false);
    let known = scopes.enter(word, bits);
    if known {
        take_apart(&mut scopes, visit);
    }
    known
}

/// The names of the fields of a scope, each once, in the order of its cases.
fn names<'t>(scopes: &Scopes<'t>, scope: usize) -> impl Iterator<Item = u32> + use<'t> {
    let isa = scopes.isa();
    let cases = scopes.cases(scope);
    let all = move |case: &super::tables::Case<'t>| {
        isa.fields.get(case.fields.0 as usize..case.fields.1 as usize).unwrap_or(&[]).iter()
    };
    let leaf = scopes.leaf(scope);
    cases.enumerate().flat_map(move |(i, case)| {
        all(case).enumerate().filter_map(move |(j, field)| {
            let earlier = all(case).take(j).any(|known| known.name == field.name);
            (!earlier && !before(isa, leaf, i, field.name)).then_some(field.name)
        })
    })
}

/// Whether one of the first `count` cases of an encoding defines a name.
fn before(isa: &Isa<'_>, leaf: u32, count: usize, name: u32) -> bool {
    let range = isa.leaves.get(leaf as usize).map_or((0, 0), |leaf| leaf.cases);
    let list = isa.case_lists.get(range.0 as usize..range.1 as usize).unwrap_or(&[]);
    list.iter().take(count).filter_map(|&case| isa.cases.get(case as usize)).any(|case| {
        let fields = isa.fields.get(case.fields.0 as usize..case.fields.1 as usize).unwrap_or(&[]);
        fields.iter().any(|field| field.name == name)
    })
}

fn take_apart(scopes: &mut Scopes<'_>, visit: &mut dyn FnMut(Event)) {
    let scope = scopes.innermost();
    let rest = unclaimed(scopes, scope);
    for name in names(scopes, scope) {
        let Some(found) = scopes.resolve(scope, name) else { continue };
        let value = slice(&found.value, 0, found.field.width);
        match found.field.ty {
            // A value that is none of its space stays a number.
            Type::Sub(space) if scopes.enter_field(scope, &found, space) => {
                visit(Event::Enter(name, scopes.leaf(scopes.innermost()), value));
                take_apart(scopes, visit);
                scopes.leave();
            }
            _ => visit(Event::Number(name, value)),
        }
    }
    visit(Event::Leave(rest));
}

/// The bits of a scope that neither its pattern nor a field holds; of asserted ones, those that are not as asserted. Where
/// fields alone do not say which word they are of, all bits count.
fn unclaimed(scopes: &mut Scopes<'_>, scope: usize) -> Limbs {
    let isa = scopes.isa();
    let asserted = asserted(scopes, scope);
    let knotted = isa.leaves.get(scopes.leaf(scope) as usize).is_some_and(|leaf| leaf.knotted);
    let mut claimed: Limbs = pattern(isa, scopes.leaf(scope), 0).try_into().unwrap_or([0; LIMBS]);
    for name in names(scopes, scope) {
        let Some(found) = scopes.resolve(scope, name).filter(|_| !knotted) else { continue };
        if found.scope == scope && found.field.derived == NONE {
            for piece in scopes.pieces(&found.field).iter().filter(|piece| piece.lo != NONE) {
                write_bits(&mut claimed, piece.lo, piece.width, &[u64::MAX; LIMBS]);
            }
        }
    }
    let mut rest = scopes.value(scope);
    for ((limb, asserted), claimed) in rest.iter_mut().zip(asserted).zip(claimed) {
        *limb = (*limb ^ asserted) & !claimed;
    }
    rest
}

/// The bits that the cases of a scope assert; others are 0.
fn asserted(scopes: &mut Scopes<'_>, scope: usize) -> Limbs {
    let isa = scopes.isa();
    let mut word = [0; LIMBS];
    for case in scopes.cases(scope) {
        let asserts = isa.asserts.get(case.asserts.0 as usize..case.asserts.1 as usize).unwrap_or(&[]);
        if asserts.is_empty() || (case.guard != NONE && scopes.evaluate(scope, case.guard) == 0) {
            continue;
        }
        for &(lo, width, value) in asserts {
            write_bits(&mut word, lo, width, isa.limbs.get(value as usize..).unwrap_or(&[]));
        }
    }
    word
}

/// Makes the word of an encoding with these fields. Don't-care bits are 0, asserted bits as asserted.
///
/// # Errors
/// See [`EncodeError`].
pub fn encode(isa: &Isa<'_>, leaf: u32, events: &[Event]) -> Result<Limbs, EncodeError> {
    let full = attempt(isa, leaf, events, rest(events));
    if !isa.leaves.get(leaf as usize).is_some_and(|leaf| leaf.knotted) {
        return full.map(|(word, _)| word);
    }
    // Here the rest is all there is: it counts only if it is what was taken apart.
    match (full, attempt(isa, leaf, events, [0; LIMBS])) {
        (Ok((word, found)), _) if found == rest(events) => Ok(word),
        (_, Ok((word, _))) | (Ok((word, _)), Err(_)) => Ok(word),
        (Err(error), Err(_)) => Err(error),
    }
}

/// The word that is found with these bits outside of fields, and those that it has.
fn attempt(isa: &Isa<'_>, leaf: u32, events: &[Event], asked: Limbs) -> Result<(Limbs, Limbs), EncodeError> {
    let wrong = EncodeError::Leaf(leaf);
    let Some(width) = isa.leaves.get(leaf as usize).map(|leaf| leaf.width) else { return Err(wrong) };
    let mut word = start(isa, leaf, asked);
    let mut scopes = Scopes::new(isa, false);
    for _ in 0..MAX_ROUNDS {
        // What the word decodes as is asked when it is whole: with an operand that is not placed yet it may be another's.
        if !scopes.enter_leaf(leaf, &word) {
            return Err(wrong);
        }
        let scope = scopes.innermost();
        let (next, misfit) = fill(&mut scopes, scope, leaf, events, asked);
        if next == word {
            if let Some(misfit) = misfit {
                return Err(misfit);
            }
            agree(&mut scopes, scope, events)?;
            if !scopes.enter(&word, width) || scopes.leaf(scopes.innermost()) != leaf {
                return Err(wrong);
            }
            let scope = scopes.innermost();
            return Ok((word, unclaimed(&mut scopes, scope)));
        }
        word = next;
    }
    // The fields chase each other; whichever is not met is named.
    if scopes.enter(&word, width) {
        let scope = scopes.innermost();
        agree(&mut scopes, scope, events)?;
    }
    Err(wrong)
}

/// How many of the events belong to the encoding that they begin in, its end included.
fn extent(events: &[Event]) -> usize {
    let mut depth = 0usize;
    for (i, event) in events.iter().enumerate() {
        match event {
            Event::Enter(..) => depth += 1,
            Event::Leave(_) if depth == 0 => return i + 1,
            Event::Leave(_) => depth -= 1,
            Event::Number(..) => {}
        }
    }
    events.len()
}

/// The bits outside of fields that events ask for.
fn rest(events: &[Event]) -> Limbs {
    match events.get(..extent(events)).and_then(<[Event]>::last) {
        Some(Event::Leave(rest)) => *rest,
        _ => [0; LIMBS],
    }
}

/// The bits that an encoding has whatever its fields are, and these.
fn start(isa: &Isa<'_>, leaf: u32, rest: Limbs) -> Limbs {
    let width = isa.leaves.get(leaf as usize).map_or(0, |leaf| leaf.width);
    let mut word = slice(&rest, 0, width);
    word.iter_mut().zip(pattern(isa, leaf, 1)).for_each(|(limb, value)| *limb |= value);
    word
}

/// The bits of a scope with every field written where it belongs as the scope stands, and the first that does not fit.
fn fill(
    scopes: &mut Scopes<'_>,
    scope: usize,
    leaf: u32,
    events: &[Event],
    asked: Limbs,
) -> (Limbs, Option<EncodeError>) {
    let isa = scopes.isa();
    let mut word = start(isa, leaf, asked);
    let mut misfit = None;
    let care = pattern(isa, leaf, 0);
    for ((limb, asserted), care) in word.iter_mut().zip(asserted(scopes, scope)).zip(care) {
        *limb ^= asserted & !care;
    }
    let mut at = 0;
    while let Some(event) = events.get(at) {
        at += 1;
        let (name, nested, value) = match *event {
            Event::Leave(_) => break,
            Event::Number(name, value) => (name, None, value),
            Event::Enter(name, leaf, value) => (name, Some(leaf), value),
        };
        let inside = events.get(at..).unwrap_or(&[]);
        if nested.is_some() {
            at += extent(inside);
        }
        let Some(found) = scopes.resolve(scope, name) else {
            // Perhaps a guard that another field makes true defines it.
            misfit = misfit.or(Some(EncodeError::Unknown(name)));
            continue;
        };
        let mut value = value;
        if let Some(wanted) = nested {
            if !matches!(found.field.ty, Type::Sub(_)) || isa.leaves.get(wanted as usize).is_none() {
                misfit = misfit.or(Some(EncodeError::Kind(name)));
                continue;
            }
            // As the leaf that it is to be, whatever the bits are so far; in the end it is decoded.
            if scopes.enter_field_as(scope, &found, wanted) {
                let inner = scopes.innermost();
                let (bits, problem) = fill(scopes, inner, wanted, inside, rest(inside));
                misfit = misfit.or(problem);
                value = bits;
                scopes.leave();
            } else {
                value = start(isa, wanted, rest(inside));
            }
        }
        // A parameter or a derived field is not written but must come out right in the end.
        if found.scope == scope && found.field.derived == NONE {
            misfit = misfit.or(write(scopes, &mut word, &found.field, &value));
        }
    }
    (word, misfit)
}

/// Writes bits of a value to a word.
fn write_bits(word: &mut Limbs, lo: u32, width: u32, value: &[u64]) {
    for (done, &limb) in (0..width).step_by(64).zip(value) {
        insert(word, lo + done, (width - done).min(64), limb);
    }
}

/// Writes as much of a value as fits; says if that is not all.
fn write(scopes: &Scopes<'_>, word: &mut Limbs, field: &Field, value: &Limbs) -> Option<EncodeError> {
    let fits = slice(value, 0, field.width) == *value;
    let mut misfit = (!fits).then_some(EncodeError::Range(field.name, field.width));
    let mut at = field.width;
    for piece in scopes.pieces(field) {
        at = at.saturating_sub(piece.width);
        let part = slice(value, at, piece.width);
        if piece.lo != NONE {
            write_bits(word, piece.lo, piece.width, &part);
        } else if part[0] != piece.implied & mask(piece.width) {
            misfit = misfit.or(Some(EncodeError::Implied(field.name)));
        }
    }
    misfit
}

/// Checks that a scope says what the events ask for.
fn agree(scopes: &mut Scopes<'_>, scope: usize, events: &[Event]) -> Result<(), EncodeError> {
    let mut at = 0;
    while let Some(event) = events.get(at) {
        at += 1;
        match *event {
            Event::Leave(_) => break,
            Event::Number(name, wanted) => {
                let found = scopes.resolve(scope, name).ok_or(EncodeError::Unknown(name))?;
                if slice(&wanted, 0, found.field.width) != slice(&found.value, 0, found.field.width) {
                    return Err(EncodeError::Contradiction(name));
                }
            }
            Event::Enter(name, leaf, _) => {
                let found = scopes.resolve(scope, name).ok_or(EncodeError::Unknown(name))?;
                let Type::Sub(space) = found.field.ty else { return Err(EncodeError::Kind(name)) };
                if !scopes.enter_field(scope, &found, space) {
                    return Err(EncodeError::Leaf(leaf));
                }
                let inner = scopes.innermost();
                let inside = events.get(at..).unwrap_or(&[]);
                let checked = if scopes.leaf(inner) == leaf {
                    agree(scopes, inner, inside)
                } else {
                    Err(EncodeError::Leaf(leaf))
                };
                scopes.leave();
                checked?;
                at += extent(inside);
            }
        }
    }
    Ok(())
}
