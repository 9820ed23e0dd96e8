//! Which forms a text may be: found by the first word that every text of a form has, its mnemonic as a rule.
//!
//! What stands before the mnemonic is optional flags, and they are in no table. So every place where a word begins is
//! looked up, from the left, until a form fits.
//!
//! Example: the template `{SY}{NAME}.f {DST}, {SRC}` of the encoding `add` has the key `add.f`: the literal text around the
//! mnemonic up to a blank. It is *closed*, since a blank follows: `add.f16` is not that instruction. The template
//! `({P}) {NAME}{X}` of `mov` has the key `mov`, which is not closed: `X` may print more letters. The template `{A}{B}` has
//! no key and is tried for every line. The line `(sy)add.f r0.x` is looked up at `sy`, then at `add`.

use isaglot_codec::Plan;
use isaglot_invariant::{Impossible as _, impossible};
use isaglot_model::{Encoding, EncodingId, FieldType, TemplatePart};

use super::number::is_word;
use crate::trie::Trie;

/// A text of an encoding.
#[derive(Clone, Copy, Debug)]
pub(super) struct Form {
    pub(super) encoding: EncodingId,
    pub(super) case: usize,
    /// Width of the encoding in bits.
    pub(super) width: u32,
    /// Bytes of the key; 0 for none.
    pub(super) key: u32,
    /// The key is a whole word: what follows it is part of no word.
    pub(super) closed: bool,
}

/// The forms of an instruction set and where to find them.
#[derive(Debug)]
pub(super) struct Index {
    pub(super) forms: Vec<Form>,
    /// Key to form.
    pub(super) keys: Trie,
    /// Forms without a key that begins a word: tried for every text.
    pub(super) others: Vec<u32>,
    /// The keys as they are shown to people, sorted.
    pub(super) words: Vec<String>,
}

impl Index {
    pub(super) fn new(plan: &Plan<'_>) -> Index {
        let isa = plan.isa();
        let mut forms = Vec::new();
        let mut keys: Vec<(Vec<u8>, u32)> = Vec::new();
        let mut others = Vec::new();
        let mut words = Vec::new();
        for &id in &isa[isa.root()].encodings {
            let encoding = &isa[id];
            if !plan.active(encoding) {
                continue;
            }
            for case in cases_with_text(encoding) {
                let form = forms.len() as u32;
                let found = key(plan, encoding, case);
                let (len, closed) = found.as_ref().map_or((0, false), |(key, closed)| (key.len() as u32, *closed));
                forms.push(Form { encoding: id, case, width: encoding.width, key: len, closed });
                match found {
                    Some((key, _)) => {
                        words.push(shown(&key));
                        keys.push((key, form));
                    }
                    None => others.push(form),
                }
            }
        }
        words.sort();
        words.dedup();
        let keys = Trie::new(keys.iter().map(|(key, form)| (key.as_slice(), *form)));
        Index { forms, keys, others, words }
    }

    /// The places of `text` at which a key may begin.
    pub(super) fn places(text: &[u8]) -> impl Iterator<Item = usize> + '_ {
        (0..text.len()).filter(|&at| begins_word(text, at))
    }
}

fn begins_word(text: &[u8], at: usize) -> bool {
    let before = at.checked_sub(1).and_then(|i| text.get(i)).copied();
    let Some(this) = text.get(at).copied() else { return impossible(false) };
    // A number may run into the mnemonic: an enum prints one for a value that it lacks.
    is_word(this) && before.is_none_or(|b| !is_word(b) || (b.is_ascii_digit() && this.is_ascii_alphabetic()))
}

/// A key as it is shown to people.
fn shown(key: &[u8]) -> String {
    let word = String::from_utf8_lossy(key);
    let word = word.split([' ', ',']).next().or_impossible_default();
    word.trim_end_matches(['.', '(', '[']).to_owned()
}

/// The mnemonics of an encoding, whether it is switched on or not.
pub(super) fn mnemonics(plan: &Plan<'_>, encoding: &Encoding) -> impl Iterator<Item = String> {
    cases_with_text(encoding)
        .filter_map(|case| Some(shown(&key(plan, encoding, case)?.0)))
        .collect::<Vec<_>>()
        .into_iter()
}

/// The literal text around the mnemonic, or the first literal text with a word in it; from the beginning of a word on.
/// With it comes whether it ends where its word does.
fn key(plan: &Plan<'_>, encoding: &Encoding, case: usize) -> Option<(Vec<u8>, bool)> {
    let isa = plan.isa();
    let template = encoding.cases.get(case)?.template?;
    let parts = &isa[template].parts;
    let is_word_part = |part: &TemplatePart| match part {
        TemplatePart::Literal(text) => text.iter().copied().any(is_word),
        _ => false,
    };
    let start = parts
        .iter()
        .position(|part| matches!(part, TemplatePart::Mnemonic { .. }))
        .filter(|_| !encoding.display_name.is_empty())
        .or_else(|| parts.iter().position(is_word_part))?;
    let mut text = Vec::new();
    // Literals and the mnemonic, up to the first part whose text depends on the word.
    for part in parts.get(start..)? {
        match part {
            TemplatePart::Literal(bytes) => text.extend_from_slice(bytes),
            TemplatePart::Mnemonic { align: 0, .. } => text.extend_from_slice(encoding.display_name.as_bytes()),
            TemplatePart::Mnemonic { .. } if text.is_empty() => {
                text.extend_from_slice(encoding.display_name.as_bytes());
            }
            _ => break,
        }
    }
    let word = text.iter().copied().position(is_word)?;
    // What directly precedes must not run together with the key.
    let glued = word == 0 && start > 0 && !parts.get(start - 1).is_some_and(|part| ends_apart(plan, encoding, part));
    // Blanks may be written otherwise, so the key ends before them.
    let blank = text.iter().position(|&byte| byte == b' ').filter(|&end| end > word);
    let end = blank.unwrap_or(text.len());
    if glued { None } else { text.get(word..end).map(|key| (key.to_vec(), blank.is_some())) }
}

/// Whether no text of this part ends in a word.
fn ends_apart(plan: &Plan<'_>, encoding: &Encoding, part: &TemplatePart) -> bool {
    let isa = plan.isa();
    let apart = |text: &str| !text.bytes().last().is_some_and(is_word);
    match part {
        TemplatePart::Literal(text) => !text.last().copied().is_some_and(is_word),
        TemplatePart::Align(_) => true,
        TemplatePart::Mnemonic { .. } => apart(&encoding.display_name),
        TemplatePart::Field { name, .. } => {
            encoding.cases.iter().flat_map(|case| &case.fields).filter(|field| field.name == *name).all(|field| {
                match &field.ty {
                    FieldType::Bool(Some(text)) | FieldType::BoolInv(Some(text)) => apart(text),
                    FieldType::Enum(id) => isa[*id].values.iter().all(|value| apart(&value.display)),
                    _ => false,
                }
            })
        }
    }
}

/// The cases of an encoding that have a text and are not hidden by one that always applies.
pub(super) fn cases_with_text(encoding: &Encoding) -> impl Iterator<Item = usize> + '_ {
    let mut done = false;
    encoding.cases.iter().enumerate().filter_map(move |(i, case)| {
        let shown = case.template.is_some() && !done && !case.output_only;
        // An alias hides nothing: the instruction can be written without it, too.
        done |= case.template.is_some() && case.guard.is_none() && !case.alias;
        shown.then_some(i)
    })
}
