//! What a text leaves out and a word has all the same.
//!
//! Problem: operands of math macros are written without a region, and `sync` without a destination; their words have bits there,
//! and hardware and compilers want the right ones. The description says which: `implied="DST_HS=1 …"` of a format holds for what an
//! operand does not say, `implied-one` for one element: in instructions of one channel, and for sources with a sub-register;
//! `implied-imm` if the source is an immediate.

use isaglot_codec::{Flat, Slot, Values};

use crate::inst::{Form, NO_STRIDE, XeOperand};

/// Strides of an operand: between rows, in a row, between neighbours; [`NO_STRIDE`] where nothing is implied.
type Strides = [u8; 3];

/// Values that fields of an operation have if nothing else is said.
#[derive(Clone, Debug)]
pub(crate) struct Implied {
    /// Of the destination and the three sources.
    strides: [Strides; 4],
    /// Where one element is meant.
    strides_of_one: [Strides; 4],
    /// Of fields that belong to no operand.
    fields: Vec<(Slot, u64)>,
    /// With an immediate, these too.
    with_immediate: Vec<(Slot, u64)>,
}

impl Implied {
    /// Reads the attributes of a format; `None` if one does not say what the description knows.
    pub(crate) fn new<'m>(flat: &Flat<'_>, form: Form, meta: impl Fn(&'static str) -> &'m str) -> Option<Implied> {
        let mut strides = [[NO_STRIDE; 3]; 4];
        let mut own = Vec::new();
        for (slot, value) in fields(flat, meta("implied"))? {
            match stride(flat.name(slot)) {
                // The destination of a `sync` is nothing but bits.
                Some((o, s)) if o > 0 || form.has_dst() => strides[o][s] = u8::try_from(value).ok()?,
                _ => own.push((slot, value)),
            }
        }
        let mut strides_of_one = strides;
        for (slot, value) in fields(flat, meta("implied-one"))? {
            let (o, s) = stride(flat.name(slot))?;
            strides_of_one[o][s] = u8::try_from(value).ok()?;
        }
        let with_immediate = fields(flat, meta("implied-imm"))?;
        Some(Implied { strides, strides_of_one, fields: own, with_immediate })
    }

    /// An operand (0: the destination) with the strides that it does not say.
    pub(crate) fn complete(&self, operand: usize, o: &XeOperand) -> XeOperand {
        completed(&self.strides, operand, o)
    }

    /// The same for one element: in an instruction of one channel, or of a source that names a sub-register.
    pub(crate) fn complete_one(&self, operand: usize, o: &XeOperand) -> XeOperand {
        completed(&self.strides_of_one, operand, o)
    }

    /// Whether an operand has the strides that are implied, or says none.
    pub(crate) fn is_complete(&self, operand: usize, o: &XeOperand) -> bool {
        let implied = self.complete(operand, &XeOperand::default());
        let plain = self.complete(operand, o);
        (plain.v, plain.w, plain.h) == (implied.v, implied.w, implied.h)
    }

    /// Sets the fields that belong to no operand.
    pub(crate) fn set(&self, immediate: bool, v: &mut Values) {
        let more: &[(Slot, u64)] = if immediate { &self.with_immediate } else { &[] };
        for &(slot, value) in self.fields.iter().chain(more) {
            v.set(slot, value);
        }
    }
}

fn completed(strides: &[Strides; 4], operand: usize, o: &XeOperand) -> XeOperand {
    let [v, w, h] = strides.get(operand).copied().unwrap_or([NO_STRIDE; 3]);
    let or = |said: u8, implied: u8| if said == NO_STRIDE { implied } else { said };
    XeOperand { v: or(o.v, v), w: or(o.w, w), h: or(o.h, h), ..*o }
}

/// The operand and the stride that a field is.
fn stride(name: &str) -> Option<(usize, usize)> {
    let operand = ["DST", "SRC0", "SRC1", "SRC2"].iter().position(|o| name.starts_with(o));
    Some((operand?, ["_VS", "_W", "_HS"].iter().position(|s| name.ends_with(s))?))
}

/// `NAME=NUMBER …`
fn fields(flat: &Flat<'_>, text: &str) -> Option<Vec<(Slot, u64)>> {
    let field = |part: &str| {
        let (name, value) = part.split_once('=')?;
        Some((flat.slot(name)?, value.parse().ok()?))
    };
    text.split_ascii_whitespace().map(field).collect()
}
