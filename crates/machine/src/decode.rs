//! From bytes to what is to be run: the word, and the text of each of its operations with the values of their operands.
//!
//! Which texts a word has is decided here, by one rule. An encoding with a text does what the text says, and its fields are bits to it,
//! sub-encoded ones too. An encoding without one does what its sub-encoded fields do, all at once: these are its *parts*, and so on
//! inwards. Each must have a text or parts, or the word cannot be run.

use std::sync::Arc;

use isaglot_bits::Word;
use isaglot_codec::{Plan, Scopes};
use isaglot_model::{ByteOrder, FieldType};

use crate::limits::MAX_PARTS;
use crate::memory::Memory;
use crate::stop::Fault;
use crate::text::{Text, Texts};

/// A text with the values of its operands.
#[derive(Clone, Debug)]
pub(crate) struct Operation {
    pub(crate) text: Arc<Text>,
    /// By their places; of those that the text does not use, any.
    pub(crate) operands: Vec<Word>,
}

/// The instruction word at an address.
pub(crate) fn fetch(plan: &Plan<'_>, memory: &mut Memory, pc: u64) -> Result<Word, Fault> {
    let format = plan.isa().format();
    let parcel = format.parcel_bits / 8;
    if parcel.is_power_of_two() && !pc.is_multiple_of(u64::from(parcel)) {
        return Err(Fault::Unaligned(parcel));
    }
    let mut read = |bits: u32| {
        let mut bytes = vec![0; (bits / 8) as usize];
        memory.read(pc, &mut bytes).map_err(|_| Fault::Fetch(pc))?;
        if format.byte_order == ByteOrder::Big {
            bytes.reverse();
        }
        Ok(Word::from_le_bytes(&bytes, bits))
    };
    let first = read(format.parcel_bits)?;
    match plan.length(&first) {
        None => Err(Fault::Illegal(first)),
        Some(bits) => read(bits),
    }
}

/// The operations of a word, in the order of its fields. Several run at once.
pub(crate) fn decode(plan: &Plan<'_>, texts: &mut Texts, word: &Word) -> Result<Vec<Operation>, Fault> {
    let illegal = || Fault::Illegal(word.clone());
    let mut scopes = Scopes::new(plan, false);
    let scope = scopes.enter(word).ok_or_else(illegal)?;
    let mut all = Vec::new();
    gather(&mut scopes, texts, scope, &mut all, &illegal)?;
    Ok(all)
}

fn gather(
    scopes: &mut Scopes<'_, '_>,
    texts: &mut Texts,
    scope: usize,
    all: &mut Vec<Operation>,
    illegal: &dyn Fn() -> Fault,
) -> Result<(), Fault> {
    let id = scopes.encoding_id(scope);
    if let Some(text) = texts.of(scopes.plan(), id) {
        if all.len() == MAX_PARTS {
            return Err(Fault::Silent(id));
        }
        all.push(operation(scopes, scope, text)?);
        return Ok(());
    }
    let mut has_parts = false;
    for name in scopes.encoding(scope).field_names() {
        let Some(found) = scopes.resolve(scope, name) else { continue };
        let FieldType::Sub(space) = found.field.ty else { continue };
        has_parts = true;
        let inner = scopes.enter_field(scope, &found, space).ok_or_else(illegal)?;
        gather(scopes, texts, inner, all, illegal)?;
        scopes.leave();
    }
    if has_parts { Ok(()) } else { Err(Fault::Silent(id)) }
}

fn operation(scopes: &mut Scopes<'_, '_>, scope: usize, text: Arc<Text>) -> Result<Operation, Fault> {
    let mut operands = Vec::new();
    for (&(name, is_used), &width) in text.operands.iter().zip(&text.widths) {
        let found = scopes.resolve(scope, name);
        // A case may give a field more bits than the one that the text was checked with.
        let fits = |value: &Word| width == 0 || value.shr(width).is_zero();
        match found.map(|found| found.value.resized(found.field.width)).filter(fits) {
            Some(value) => operands.push(value),
            None if is_used => {
                let name = scopes.plan().isa().text(name).to_owned();
                return Err(Fault::Operand(text.encoding, name));
            }
            None => operands.push(Word::zero(width)),
        }
    }
    Ok(Operation { text, operands })
}
