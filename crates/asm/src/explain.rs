//! Why a word decodes as it does: which bits decided, which case applies and why, the value of each field. For a word
//! that is not a valid instruction: which encodings come nearest, and which bits exclude them.
//!
//! The answer is plain data; how it is drawn is the caller's. It is made by the exact engine, so it says what decoding
//! does, not what the description seems to say.
//!
//! ```
//! use isaglot_asm::Compat;
//! use isaglot_asm::explain::{Explanation, explain};
//! # use isaglot_asm::{Assembler, Names};
//! # let (mut files, mut out) = (isaglot_source::SourceMap::new(), isaglot_source::Diagnostics::new());
//! # let mut read = |path: &str| std::fs::read(path).map_err(|error| error.to_string());
//! # let isa = isaglot_isaspec::load(&mut files, "../../specs/minnow/minnow.xml", &mut read, &mut out).unwrap();
//! # let (plan, names) = (isaglot_codec::Plan::new(&isa, 0), Names::default());
//! # let word = Assembler::new(&plan, &names, Compat::default()).assemble(b"addi r1, r2, -300").unwrap();
//! let Explanation::Match(add) = explain(&plan, &word, Compat::default()) else { panic!("not an instruction") };
//! assert_eq!(add.text, b"addi   r1, r2, -300");
//! for field in &add.fields {
//!     let text = String::from_utf8_lossy(&field.text);
//!     println!("{} = {text} from bits {:?}", isa.text(field.name), field.ranges);
//! }
//! ```

use isaglot_bits::{BitRange, Word};
use isaglot_codec::{Match, Plan, Scopes};
use isaglot_model::{Case, EncodingId, Field, FieldSource, FieldType, Name, Node, SpaceId, TemplateId, TemplatePart};

use crate::exact::{Line, show};
use crate::limits::MAX_NEAREST;
use crate::options::{Compat, Plain};
use crate::value;

/// What a word decodes as.
#[derive(Clone, Debug)]
pub enum Explanation {
    /// An instruction.
    Match(Explained),
    /// Two encodings match, and the description does not say which is meant.
    Conflict {
        /// The first in the order of the description.
        first: EncodingId,
        /// The second.
        second: EncodingId,
    },
    /// No encoding matches; the nearest ones, fewest wrong bits first, at most [`MAX_NEAREST`].
    None(Vec<Near>),
}

/// An encoding that does not match, and why.
#[derive(Clone, Debug)]
pub struct Near {
    /// The encoding.
    pub encoding: EncodingId,
    /// The bits that have the wrong value: 1 where the word would have to change. As wide as the word.
    pub wrong: Word,
}

/// A matched word, taken apart.
#[derive(Clone, Debug)]
pub struct Explained {
    /// The encoding that matched. Its pattern says which bits decided.
    pub encoding: EncodingId,
    /// The word; of a nested one, the bits of its field.
    pub word: Word,
    /// Its text, as bytes: templates need not be UTF-8. Fields of type `custom` print nothing.
    pub text: Vec<u8>,
    /// The guards of its cases, in order, and which case gave the text.
    pub cases: Vec<ExplainedCase>,
    /// Every field that the cases which apply define, in the order of the cases.
    pub fields: Vec<ExplainedField>,
    /// The don't-care bits that are set; as wide as the word.
    pub dont_care: Word,
    /// What is wrong with the word, as the disassembler shows it after the text; empty if nothing.
    pub errors: Vec<u8>,
    /// Names that the text or a guard asks for and that nothing defines here.
    pub undefined: Vec<Undefined>,
}

/// A name that nothing defines for a word.
#[derive(Clone, Debug)]
pub struct Undefined {
    /// The name.
    pub name: Name,
    /// The cases that would define it, by their places in the encoding; their guards are 0 here.
    pub cases: Vec<usize>,
    /// Fields that hand it to what they are decided as, each with the encoding that has it: elsewhere it is a parameter.
    pub given_by: Vec<(EncodingId, Name)>,
}

/// A case of the encoding.
#[derive(Clone, Debug)]
pub struct ExplainedCase {
    /// The level of the class hierarchy that it belongs to, by its display name.
    pub owner: String,
    /// The text of its guard, if it has one, and the guard's value: the case applies where that is not 0.
    pub guard: Option<(String, u64)>,
    /// Whether its template gave the text.
    pub shown: bool,
}

/// A field and its value.
#[derive(Clone, Debug)]
pub struct ExplainedField {
    /// Its name.
    pub name: Name,
    /// Its bits in the word, the most significant first, where bit 0 is the lowest of the word; none for a derived
    /// field.
    pub ranges: Vec<BitRange>,
    /// The expression that a derived field is computed by.
    pub derived: Option<String>,
    /// Its raw value, of the width of the field.
    pub value: Word,
    /// How it prints, as bytes.
    pub text: Vec<u8>,
    /// The value taken apart, if it is decided in a space of its own.
    pub nested: Option<Box<Explained>>,
}

/// Explains a word, whose width is that of an instruction. With [`Compat`] it is said whose texts fields print.
#[must_use]
pub fn explain(plan: &Plan<'_>, word: &Word, compat: Compat) -> Explanation {
    let root = plan.isa().root();
    match plan.decode(word) {
        Match::Conflict(first, second) => Explanation::Conflict { first, second },
        Match::None => Explanation::None(nearest(plan, root, word)),
        Match::One(encoding) => {
            let mut scopes = Scopes::new(plan, true);
            match scopes.enter(word) {
                Some(scope) => Explanation::Match(take_apart(plan, &mut scopes, scope, compat)),
                // `decode` and `enter` agree; said as a match without content rather than as a panic.
                None => Explanation::None(vec![Near { encoding, wrong: Word::zero(word.width()) }]),
            }
        }
    }
}

/// Takes the word of another space apart, such as one of descriptors that a field holds. `None` if it is none of the space.
#[must_use]
pub fn explain_in(plan: &Plan<'_>, space: SpaceId, word: &Word, compat: Compat) -> Option<Explained> {
    let mut scopes = Scopes::new(plan, true);
    let encoding = scopes.select(space, word)?;
    let scope = scopes.enter_encoding(encoding, word)?;
    Some(take_apart(plan, &mut scopes, scope, compat))
}

/// The encodings of `space` of the word's width that `word` misses by the fewest bits, at most [`MAX_NEAREST`].
#[must_use]
pub fn nearest(plan: &Plan<'_>, space: SpaceId, word: &Word) -> Vec<Near> {
    let isa = plan.isa();
    let active = isa[space].encodings.iter().copied().filter(|&e| plan.active(&isa[e]));
    let mut all: Vec<Near> = active
        .filter(|&e| isa[e].width == word.width())
        .map(|e| Near { encoding: e, wrong: isa[e].pattern.value().xor(word).and(isa[e].pattern.care()) })
        .collect();
    // Of equally near ones the one with more fixed bits says more.
    all.sort_by_key(|n| (n.wrong.count_ones(), std::cmp::Reverse(isa[n.encoding].pattern.care().count_ones())));
    all.truncate(MAX_NEAREST);
    all
}

fn take_apart(plan: &Plan<'_>, scopes: &mut Scopes<'_, '_>, scope: usize, compat: Compat) -> Explained {
    let isa = plan.isa();
    let (id, encoding, word) = (scopes.encoding_id(scope), scopes.encoding(scope), scopes.value(scope).clone());
    scopes.errors.clear();
    let mut text = Vec::new();
    let mut line = Line::alone(&mut text, compat);
    show(scopes, scope, &mut Plain, &mut line);
    let errors = scopes.errors.text().to_vec();
    let template = scopes.template(scope);
    let cases = encoding.cases.iter().map(|case| {
        let guard = case.guard.map(|g| (isa[g].text.clone(), scopes.evaluate(scope, g)));
        let applies = guard.as_ref().is_none_or(|g| g.1 != 0);
        (ExplainedCase { owner: case.owner.to_string(), guard, shown: false }, applies && case.template.is_some())
    });
    let mut cases: Vec<(ExplainedCase, bool)> = cases.collect();
    if template.is_some()
        && let Some((case, _)) = cases.iter_mut().find(|c| c.1)
    {
        case.shown = true;
    }
    let mut fields = Vec::new();
    for name in encoding.field_names() {
        let Some(found) = scopes.resolve(scope, name) else { continue };
        let ranges = found.field.source.ranges().collect();
        let derived = match found.field.source {
            FieldSource::Derived(expr) => Some(isa[expr].text.clone()),
            FieldSource::Bits(_) => None,
        };
        let mut text = Vec::new();
        let nested = match found.field.ty {
            FieldType::Sub(space) => scopes.enter_field(scope, &found, space).map(|inner| {
                let nested = take_apart(plan, scopes, inner, compat);
                scopes.leave();
                text.clone_from(&nested.text);
                Box::new(nested)
            }),
            _ => {
                value::print_any(isa, found.field, &found.value, compat, &mut text);
                None
            }
        };
        let field = ExplainedField { name, ranges, derived, value: found.value, text, nested };
        // Of several readings of the same bits under one name the last one is what the text shows.
        let again = |known: &&mut ExplainedField| {
            known.name != name && isa.shown(known.name) == isa.shown(name) && known.ranges == field.ranges
        };
        match fields.iter_mut().find(again) {
            Some(known) => *known = field,
            None => fields.push(field),
        }
    }
    let undefined = undefined(plan, scopes, scope, template);
    scopes.errors.clear();
    let dont_care = encoding.dont_care.and(&word);
    let cases = cases.into_iter().map(|c| c.0).collect();
    Explained { encoding: id, word, text, cases, fields, dont_care, errors, undefined }
}

/// The names that a scope asks for in vain, and what would define them.
fn undefined(
    plan: &Plan<'_>,
    scopes: &mut Scopes<'_, '_>,
    scope: usize,
    template: Option<TemplateId>,
) -> Vec<Undefined> {
    let isa = plan.isa();
    let (id, encoding) = (scopes.encoding_id(scope), scopes.encoding(scope));
    let mut asked: Vec<Name> = Vec::new();
    for part in template.map_or(&[][..], |id| &isa[id].parts) {
        if let TemplatePart::Field { name, .. } = part {
            asked.push(*name);
        }
    }
    // A guard sees the fields of its own case before the case applies: `{OFFSET} == 0` may decide about the case
    // that brings OFFSET.
    for case in encoding.cases.iter() {
        let Some(guard) = case.guard else { continue };
        asked.extend(isa[guard].nodes.iter().filter_map(|node| match node {
            Node::Field(name) if case.fields.iter().all(|f| f.name != *name) => Some(*name),
            _ => None,
        }));
    }
    let mut all: Vec<Undefined> = Vec::new();
    for name in asked {
        if all.iter().any(|known| known.name == name) || scopes.resolve(scope, name).is_some() {
            continue;
        }
        let defines = |(at, case): (usize, &Case)| case.fields.iter().any(|f| f.name == name).then_some(at);
        let cases = encoding.cases.iter().enumerate().filter_map(defines).collect();
        all.push(Undefined { name, cases, given_by: givers(plan, id, name) });
    }
    all
}

/// The fields of other encodings that give a parameter of this name to a space that an encoding is in.
fn givers(plan: &Plan<'_>, of: EncodingId, name: Name) -> Vec<(EncodingId, Name)> {
    let isa = plan.isa();
    let space = isa[of].space;
    let mut found = Vec::new();
    for at in 0..isa.encodings().len() as u32 {
        let encoding = &isa[EncodingId(at)];
        let gives =
            |field: &&Field| field.ty == FieldType::Sub(space) && field.params.iter().any(|p| p.as_name == name);
        let giver = encoding.cases.iter().flat_map(|case| &case.fields).find(gives);
        if let Some(field) = giver.filter(|_| plan.active(encoding)) {
            found.push((EncodingId(at), field.name));
        }
        if found.len() == MAX_NEAREST {
            break;
        }
    }
    found
}
