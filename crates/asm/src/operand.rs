//! Operands that are bits of the word and nothing else: registers and numbers.
//!
//! The problem: text that is kept for the next time pays only where words recur; in a stream whose words differ, looking
//! for it costs more than printing a register. The method: where a step prints a few bits as a name or as a number,
//! bits and names are laid out ahead of time, so that the step is a few shifts and one copy of constant size.
//!
//! Example: a register number is bits 11:7 and, as its top bit, bit 31; a `", "` stands before it. The parts are
//! (shift 7, mask 0x1f, up 0) and (shift 31, mask 1, up 5), and the pool of texts has `, r0`, `, r1`, … So the step is two
//! shifts, two masks, an or, a load of (start, length) and a copy of 16 bytes of which `length` are kept.

use isaglot_bits::limbs::{self, sign_extend};
use isaglot_codec::{Graph, Operation, ValueId};
use isaglot_invariant::Impossible as _;
use isaglot_model::{BinaryOp, FieldType, Isa};

use crate::limits::{MAX_GUARD_DEPTH, MAX_NAMES, MAX_PARTS};
use crate::value;

/// Bits of one limb that become bits of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct BitPart {
    pub(crate) limb: u32,
    pub(crate) shift: u32,
    pub(crate) mask: u64,
    /// The lowest bit of the value that they become.
    pub(crate) up: u32,
}

/// A value that is put together from bits: no two parts become the same bits of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Gather {
    pub(crate) parts: Vec<BitPart>,
    /// The bits that are always set.
    pub(crate) constant: u64,
}

impl Gather {
    /// Of a value; `None` if it is more than bits.
    pub(crate) fn new(graph: &Graph, value: ValueId) -> Option<Gather> {
        let mut gather = Gather::default();
        let mut used = 0;
        gather.add(graph, value, 0, &mut used, 0)?;
        (!gather.parts.is_empty()).then_some(gather)
    }

    fn add(&mut self, graph: &Graph, value: ValueId, up: u32, used: &mut u64, depth: usize) -> Option<()> {
        if depth > MAX_GUARD_DEPTH {
            return None;
        }
        match graph.operation(value) {
            Operation::Const(bits) => {
                let bits = bits.checked_shl(up)?;
                if std::mem::replace(used, *used | bits) & bits != 0 {
                    return None;
                }
                self.constant |= bits;
            }
            // Bits of the word, moved up: no two parts may become the same bits of the value.
            Operation::Bits { limb, shift, width } => {
                let mask = limbs::mask(u32::from(width));
                let taken = mask.checked_shl(up)?;
                if taken >> up != mask || std::mem::replace(used, *used | taken) & taken != 0 {
                    return None;
                }
                if self.parts.len() >= MAX_PARTS {
                    return None;
                }
                self.parts.push(BitPart { limb, shift: u32::from(shift), mask, up });
            }
            Operation::Binary(BinaryOp::Or, _, x, y) => {
                self.add(graph, x, up, used, depth + 1)?;
                self.add(graph, y, up, used, depth + 1)?;
            }
            Operation::Binary(BinaryOp::Shl, _, x, by) => {
                let by = u32::try_from(graph.as_const(by)?).ok().filter(|&by| by < 64)?;
                self.add(graph, x, up.checked_add(by).filter(|&up| up < 64)?, used, depth + 1)?;
            }
            _ => return None,
        }
        Some(())
    }

    /// The value for a word.
    #[inline]
    pub(crate) fn get(&self, word: &[u64]) -> u64 {
        self.parts.iter().fold(self.constant, |value, part| {
            value | (limbs::limb(word, part.limb as usize) >> part.shift & part.mask) << part.up
        })
    }
}

/// How such a value reads.
#[derive(Clone, Debug)]
enum OperandStyle {
    /// Texts by value, as ranges of a pool; a value without one is a number, one beyond them is for the usual way.
    Names(Vec<Span>),
    /// Signed, of so many bits.
    Signed(u32),
    Unsigned,
    Hex,
}

/// A range of a pool of texts.
pub(crate) type Span = (u32, u32);

/// An operand that is bits of the word, with the text before it.
#[derive(Clone, Debug)]
pub(crate) struct BitOperand {
    gather: Gather,
    style: OperandStyle,
    /// What stands before it; the names have it already.
    before: Span,
    /// The same for the usual way.
    pub(crate) value: ValueId,
    pub(crate) field: u32,
}

/// No text.
const NONE: Span = (u32::MAX, 0);

/// Bytes of a copy of constant size.
const SHORT: usize = 16;

impl BitOperand {
    /// For a value that prints as this type, after the text `before` of the pool; `None` if it is more than bits of the
    /// word. `put` appends a text to `before` and gives the place of both in the pool.
    pub(crate) fn new(
        isa: &Isa,
        graph: &Graph,
        (value, field): (ValueId, u32),
        ty: &FieldType,
        width: u32,
        before: Span,
        put: &mut dyn FnMut(&[u8]) -> Span,
    ) -> Option<BitOperand> {
        let gather = Gather::new(graph, value)?;
        let most = usize::try_from(graph.max(value)).unwrap_or(usize::MAX).saturating_add(1).min(MAX_NAMES);
        let style = match ty {
            FieldType::Int | FieldType::Branch { .. } => OperandStyle::Signed(width.min(64)),
            FieldType::Uint => OperandStyle::Unsigned,
            FieldType::Hex => OperandStyle::Hex,
            FieldType::Register(file) => {
                let names = isa[*file].names.iter().map(|name| name.as_ref().map_or(NONE, |name| put(name.as_bytes())));
                OperandStyle::Names(names.chain(std::iter::repeat(NONE)).take(most).collect())
            }
            FieldType::Enum(id) => {
                let mut names = vec![NONE; most];
                // Of equal values the first is printed.
                for entry in isa[*id].values.iter().rev() {
                    if let Some(place) = usize::try_from(entry.value).ok().and_then(|at| names.get_mut(at)) {
                        *place = put(entry.display.as_bytes());
                    }
                }
                OperandStyle::Names(names)
            }
            _ => return None,
        };
        Some(BitOperand { gather, style, before, value, field })
    }

    /// Appends the text; `false` if the usual way has to.
    #[inline]
    pub(crate) fn print(&self, word: &[u64], pool: &[u8], out: &mut Vec<u8>) -> bool {
        let value = self.gather.get(word);
        if let OperandStyle::Names(names) = &self.style
            && let Some(&(from, len)) = names.get(value as usize)
            && from != u32::MAX
        {
            copy(pool, from, len, out);
            return true;
        }
        copy(pool, self.before.0, self.before.1, out);
        match &self.style {
            OperandStyle::Names(names) if value as usize >= names.len() => return false,
            OperandStyle::Names(_) | OperandStyle::Unsigned => value::unsigned(value, out),
            OperandStyle::Signed(width) => value::signed(sign_extend(value, *width), out),
            OperandStyle::Hex => value::hex(value, out),
        }
        true
    }
}

/// Appends bytes of a pool. A copy of constant size is a few moves; what is too much is cut off again.
#[inline]
pub(crate) fn copy(pool: &[u8], from: u32, len: u32, out: &mut Vec<u8>) {
    let (from, len) = (from as usize, len as usize);
    match pool.get(from..).and_then(|rest| rest.first_chunk::<SHORT>()) {
        Some(chunk) if len <= SHORT => {
            let end = out.len() + len;
            out.extend_from_slice(chunk);
            out.truncate(end);
        }
        _ => out.extend_from_slice(pool.get(from..from + len).or_impossible(&[])),
    }
}
