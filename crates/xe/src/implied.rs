//! What a text leaves out and a word has all the same.
//!
//! Problem: operands of math macros are written without a region, and `sync` without a destination; their words have bits there,
//! and hardware and compilers want the right ones. The description says which: `implied="DST_HS=1 …"` of a format holds for what an
//! operand does not say, `implied-imm` for a format whose source is an immediate.

use isaglot_codec::{Flat, Slot, Values};

use crate::inst::{Desc, File, Form, Inst, NO_STRIDE, XeOperand};
use crate::isa::Xe;
use crate::platform::Platform;

/// Strides of an operand: between rows, in a row, between neighbours; [`NO_STRIDE`] where nothing is implied.
type Strides = [u8; 3];

/// Values that fields of an operation have if nothing else is said.
#[derive(Clone, Debug)]
pub(crate) struct Implied {
    /// Of the destination and the three sources.
    strides: [Strides; 4],
    /// Of fields that belong to no operand.
    fields: Vec<(Slot, u64)>,
    /// With an immediate, these too.
    with_immediate: Vec<(Slot, u64)>,
}

impl Implied {
    /// Reads both attributes of a format; `None` if one does not say what the description knows.
    pub(crate) fn new(flat: &Flat<'_>, form: Form, always: &str, with_immediate: &str) -> Option<Implied> {
        let mut implied =
            Implied { strides: [[NO_STRIDE; 3]; 4], fields: Vec::new(), with_immediate: fields(flat, with_immediate)? };
        for (slot, value) in fields(flat, always)? {
            let name = flat.name(slot);
            let operand = ["DST", "SRC0", "SRC1", "SRC2"].iter().position(|o| name.starts_with(o));
            let stride = ["_VS", "_W", "_HS"].iter().position(|s| name.ends_with(s));
            match (operand, stride) {
                // The destination of a `sync` is nothing but bits.
                (Some(operand), Some(stride)) if operand > 0 || form.has_dst() => {
                    implied.strides[operand][stride] = u8::try_from(value).ok()?
                }
                _ => implied.fields.push((slot, value)),
            }
        }
        Some(implied)
    }

    /// An operand (0: the destination) with the strides that it does not say.
    pub(crate) fn complete(&self, operand: usize, o: &XeOperand) -> XeOperand {
        let [v, w, h] = self.strides.get(operand).copied().unwrap_or([NO_STRIDE; 3]);
        let or = |said: u8, implied: u8| if said == NO_STRIDE { implied } else { said };
        XeOperand { v: or(o.v, v), w: or(o.w, w), h: or(o.h, h), ..*o }
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

impl Xe<'_> {
    /// Whether the text of a message is of the form `ExBSO` even if it does not say so: where a length stands beside a register, it has
    /// to be in that form; from Xe2 on `ugm` has another.
    pub(crate) fn implies_exbso(&self, i: &Inst) -> bool {
        let has_length = i.srcs[1].len >= 0 || i.srcs[1].file == File::NULL;
        let needed = self.platform < Platform::Xe2 || self.text(i.sub) != "ugm";
        matches!(i.exdesc, Desc::Reg(_)) && has_length && needed
    }
}

/// `NAME=NUMBER …`
fn fields(flat: &Flat<'_>, text: &str) -> Option<Vec<(Slot, u64)>> {
    let field = |part: &str| {
        let (name, value) = part.split_once('=')?;
        Some((flat.slot(name)?, value.parse().ok()?))
    };
    text.split_ascii_whitespace().map(field).collect()
}
