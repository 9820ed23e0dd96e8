//! Encoded parts of instructions.
//!
//! Problem: setting and placing some twenty fields for each instruction is most of the work of assembling. Method: in
//! words of one shape, the bits that a part (the head, an operand) sets depend on that part alone, so they are kept by
//! shape and part; a general register's number and an immediate are placed afresh. The shape is the one that such an instruction had last.
//!
//! Invariant: a word is given only if all its parts could be placed in the shape and the word has that shape; it is then
//! the word that `Flat::write` would make. What cannot be said so is left to the ordinary code, errors included.

use isaglot_codec::{ShapeId, Values};

use crate::encode::{PARTS, fields, floating, immediate_bits, ternary};
use crate::inst::{Desc, File, Form, Inst, XeOperand, XeOperandKind};
use crate::isa::Xe;
use crate::limits::{KEPT_BITS, MAX_PLANS};
use crate::swsb::SbidToken;

/// Bits of parts, the latest for each place of a table.
#[derive(Debug, Default)]
pub(crate) struct KeptBits {
    table: Vec<Kept>,
    /// The shape that instructions had last, by what of them decides about it.
    shapes: Vec<(u64, u32)>,
}

#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
struct Kept {
    bits: u128,
    key: PartKey,
    shape: u32,
    part: u32,
}

/// All that the bits of a part depend on, but for the numbers of general registers and immediates.
type PartKey = [u64; 5];

/// Shapes that are tried before the ordinary code has its turn.
const SHAPES: u32 = 2;

/// No part.
const FREE: u32 = u32::MAX;

impl KeptBits {
    /// The word of an instruction, if its parts say it.
    pub(crate) fn word(&mut self, xe: &mut Xe, i: &Inst, values: &mut Values) -> Option<u128> {
        if !keeps(i.form) {
            return None;
        }
        let signature = signature(i);
        let &(known, shape) = self.shapes.get(place(&[signature], 0))?;
        if known != signature {
            return None;
        }
        let encoding = xe.op(i.op).encoding;
        let mut shape = ShapeId(shape);
        for _ in 0..SHAPES {
            let word = self.word_of(xe, i, shape, values)?;
            let found = xe.flat.shape_of(encoding, word);
            if found == shape {
                return Some(word);
            }
            // Some bits of an immediate stand where other instructions have fields that tell shapes apart.
            shape = found;
        }
        None
    }

    /// The word as the parts say it in a shape.
    fn word_of(&mut self, xe: &Xe, i: &Inst, shape: ShapeId, values: &mut Values) -> Option<u128> {
        let mut word = xe.flat.fixed(xe.op(i.op).encoding) | self.part(xe, i, shape, 0, head_key(i), values)?;
        for part in 1..PARTS.min(usize::from(i.src_count) + 2) {
            let o = if part == 1 { &i.dst } else { i.srcs.get(part - 2)? };
            if i.form != Form::Send {
                word |= self.part(xe, i, shape, part, operand_key(o), values)?;
            }
            if o.kind == XeOperandKind::Imm {
                word |= immediate(xe, i.form, shape, (part.checked_sub(2)?, o))?;
            }
            if general(o) {
                if u32::from(o.reg) >= xe.file(File::R).count {
                    return None;
                }
                let slots = if part == 1 { &xe.dst } else { xe.src.get(part - 2)? };
                word |= xe.flat.placed_field(shape, slots.reg, o.reg.into())?;
                // The sources of a message are whole registers.
                if o.sub != 0 && (part == 1 || i.form != Form::Send) {
                    word |= xe.flat.placed_field(shape, slots.sub, o.sub.into())?;
                }
            }
        }
        Some(word)
    }

    /// Remembers the shape that an instruction has.
    pub(crate) fn learn(&mut self, i: &Inst, shape: ShapeId) {
        if !keeps(i.form) || shape.0 as usize >= MAX_PLANS {
            return;
        }
        if self.shapes.is_empty() {
            let free = Kept { bits: 0, key: [0; 5], shape: 0, part: FREE };
            (self.table, self.shapes) = (vec![free; KEPT_BITS], vec![(0, 0); KEPT_BITS]);
        }
        let signature = signature(i);
        if let Some(slot) = self.shapes.get_mut(place(&[signature], 0)) {
            *slot = (signature, shape.0);
        }
    }

    /// The bits of a part, without the number of a general register.
    #[inline]
    fn part(
        &mut self,
        xe: &Xe,
        i: &Inst,
        shape: ShapeId,
        part: usize,
        key: PartKey,
        values: &mut Values,
    ) -> Option<u128> {
        let kept = self.table.get_mut(place(&key, u64::from(shape.0) << 3 | part as u64))?;
        if kept.key == key && kept.shape == shape.0 && kept.part == part as u32 {
            return Some(kept.bits);
        }
        let bits = made(xe, i, shape, part, values)?;
        *kept = Kept { bits, key, shape: shape.0, part: part as u32 };
        Some(bits)
    }
}

#[cold]
fn made(xe: &Xe, i: &Inst, shape: ShapeId, part: usize, values: &mut Values) -> Option<u128> {
    let mut plain = *i;
    for o in plain.srcs.iter_mut().chain([&mut plain.dst]) {
        if general(o) {
            (o.reg, o.sub) = (0, 0);
        }
        if o.kind == XeOperandKind::Imm {
            o.imm = 0;
        }
    }
    values.clear();
    fields(xe, &plain, part, values).ok()?;
    xe.flat.placed(shape, values).ok()
}

/// The bits of an immediate: source number `n`.
fn immediate(xe: &Xe, form: Form, shape: ShapeId, (n, o): (usize, &XeOperand)) -> Option<u128> {
    let value = immediate_bits(o);
    if ternary(form) {
        return xe.flat.placed_field(shape, xe.src.get(n)?.imm16, value);
    }
    let copied = xe.flat.shape(shape)?.has(xe.slots.imm_copy);
    let copy = if copied { xe.flat.placed_field(shape, xe.slots.imm_copy, value)? } else { 0 };
    Some(copy | xe.flat.placed_field(shape, xe.slots.imm, value)?)
}

/// Whether parts of a form are kept.
fn keeps(form: Form) -> bool {
    matches!(form, Form::Unary | Form::Binary | Form::Ternary | Form::Bfn | Form::Math | Form::Dpas | Form::Send)
}

/// A general register by its number.
fn general(o: &XeOperand) -> bool {
    o.kind == XeOperandKind::Direct && o.file == File::R
}

/// What decides about the shape, more or less: a wrong guess costs time only. Never 0.
fn signature(i: &Inst) -> u64 {
    let operand = |o: &XeOperand| (o.kind as u64) << 1 | u64::from(o.file == File::R);
    let [a, b, c] = &i.srcs;
    let operands = [&i.dst, a, b, c].into_iter().fold(0, |all, o| all << 12 | operand(o) << 8 | u64::from(o.ty.0));
    let descriptors = descriptor(i.desc).0 << 1 | descriptor(i.exdesc).0;
    ((operands << 2 | descriptors) << 8 | u64::from(i.op)) << 1 | 1
}

fn head_key(i: &Inst) -> PartKey {
    let o = &i.opts;
    let flags = [
        i.wren,
        i.sat,
        i.brctl,
        i.pred.is_some(),
        i.pred.is_some_and(|p| p.inv),
        matches!(i.form, Form::Ternary | Form::Bfn | Form::Dpas) && floating(i),
        o.acc_wr,
        o.atomic,
        o.breakpoint,
        o.eot,
        o.exbso,
        o.cps,
        o.serialize,
        i.swsb.no_acc,
    ];
    let bits = flags.iter().fold(0u64, |bits, on| bits << 1 | u64::from(*on));
    let bytes = [i.es, i.eo, i.flag.0, i.flag.1].iter().fold(bits, |all, b| all << 8 | u64::from(*b));
    let func = i.pred.map_or(0, |p| p.func.0);
    let words = [func, i.cond.0, i.sub.0].iter().fold(0, |all, w| all << 16 | u64::from(*w));
    let (kind, token) = match i.swsb.token {
        SbidToken::None => (0, 0),
        SbidToken::Set(n) => (1, n),
        SbidToken::Dst(n) => (2, n),
        SbidToken::Src(n) => (3, n),
    };
    let rest = [i.dpas.0, i.dpas.1, i.swsb.distance, i.swsb.pipe, kind, token];
    let rest = rest.iter().fold(0, |all, b| all << 8 | u64::from(*b));
    if i.form != Form::Send {
        return [bytes, words, rest, 0, 0];
    }
    // The head of a message has its descriptors and payloads.
    let [src0, src1, _] = &i.srcs;
    let ((exdesc_kind, exdesc), (desc_kind, desc)) = (descriptor(i.exdesc), descriptor(i.desc));
    let payloads = [i.dst.file.0, own(&i.dst).0, own(&i.dst).1, src0.file.0, own(src0).0, src1.file.0, own(src1).0];
    let payloads = payloads.iter().fold(exdesc_kind << 1 | desc_kind, |all, b| all << 8 | u64::from(*b));
    let words = words << 16 | u64::from(src1.len as u16);
    [bytes, words, rest, exdesc << 32 | desc, payloads]
}

/// Whether a descriptor is a register, and its value or number.
fn descriptor(desc: Desc) -> (u64, u64) {
    match desc {
        Desc::Imm(value) => (0, value.into()),
        Desc::Reg(number) => (1, number.into()),
    }
}

/// The register of an operand where that is not placed afresh.
fn own(o: &XeOperand) -> (u8, u8) {
    if general(o) { (0, 0) } else { (o.reg, o.sub) }
}

fn operand_key(o: &XeOperand) -> PartKey {
    let (reg, sub) = own(o);
    let bytes = [o.kind as u8, o.file.0, reg, sub, o.mods, o.v, o.w, o.h];
    let second = [u16::from(o.ty.0), o.mme.0, o.off as u16];
    let imm = if o.kind == XeOperandKind::Imm { 0 } else { o.imm };
    [u64::from_le_bytes(bytes), second.iter().fold(0, |all, w| all << 16 | u64::from(*w)), imm, 0, 0]
}

#[inline]
fn place(key: &[u64], own: u64) -> usize {
    const SPREAD: u64 = 0x9E37_79B9_7F4A_7C15;
    let mixed = key.iter().fold(own, |all, word| (all.rotate_left(23) ^ word).wrapping_mul(SPREAD));
    (mixed >> (64 - KEPT_BITS.trailing_zeros())) as usize
}
