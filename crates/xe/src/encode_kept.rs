//! Encoded parts of instructions.
//!
//! Problem: setting and placing some twenty fields for each instruction is most of the work of assembling. Method: in
//! words of one shape, the bits that a part (the head, an operand) sets depend on that part alone and on where its fields
//! stand, so they are kept by part; a general register's number, an immediate and the scoreboard code are placed afresh.
//! The shape is the one that such an instruction had last.
//!
//! Invariant: a word is given only if all its parts could be placed in the shape and the word has that shape; it is then
//! the word that `Flat::write` would make. What cannot be said so is left to the ordinary code, errors included.

use isaglot_codec::{Layout, Scatter, Shape, ShapeId, Values};
use rustc_hash::FxHashMap;

use crate::encode::{PARTS, fields, floating, immediate_bits, ternary};
use crate::inst::{Desc, File, Form, Inst, XeOperand, XeOperandKind};
use crate::isa::Xe;
use crate::limits::{KEPT_BITS, MAX_PLANS};
use crate::parts::operand_slots;
use crate::swsb::Swsb;

/// Bits of parts, the latest for each place of a table.
#[derive(Debug)]
pub(crate) struct KeptBits {
    table: Vec<Kept>,
    /// The shape that instructions had last, by what of them decides about it.
    shapes: Vec<(u64, u32)>,
    plans: Vec<Option<Box<Plan>>>,
    layouts: FxHashMap<(u8, u8, Layout), u32>,
}

#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
struct Kept {
    bits: u128,
    key: PartKey,
    layout: u32,
}

/// All that the bits of a part depend on, but for the operation, where its fields stand, and what is placed afresh.
type PartKey = [u64; 4];

/// Where fields stand in words of a shape.
#[derive(Debug)]
pub(crate) struct Plan {
    /// The operation, the part and where its fields stand, by number: what shapes share.
    layouts: [u32; PARTS],
    pub(crate) swsb: Option<Scatter>,
    /// The number and byte of the register of each part.
    pub(crate) registers: [[Option<Scatter>; 2]; PARTS],
    /// The immediate of each part, and a second copy of it if there is one.
    pub(crate) immediates: [[Option<Scatter>; 2]; PARTS],
}

/// Shapes that are tried before the ordinary code has its turn.
const SHAPES: u32 = 2;

/// No part.
const FREE: u32 = u32::MAX;

impl Default for KeptBits {
    fn default() -> KeptBits {
        let free = Kept { bits: 0, key: PartKey::default(), layout: FREE };
        KeptBits {
            table: vec![free; KEPT_BITS],
            shapes: vec![(0, 0); KEPT_BITS],
            plans: Vec::new(),
            layouts: FxHashMap::default(),
        }
    }
}

impl KeptBits {
    /// The word of an instruction, if its parts say it.
    pub(crate) fn word(&mut self, xe: &mut Xe, i: &Inst, values: &mut Values) -> Option<u128> {
        if !keeps(i.form) {
            return None;
        }
        let signature = signature(i);
        let &(known, shape) = self.shapes.get(place([signature, 0, 0, 0], 0))?;
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

    /// Where fields stand in words of a shape, if such a word was made of parts.
    pub(crate) fn plan(&self, shape: ShapeId) -> Option<&Plan> {
        self.plans.get(shape.0 as usize)?.as_deref()
    }

    /// The word as the parts say it in a shape.
    fn word_of(&mut self, xe: &Xe, i: &Inst, shape: ShapeId, values: &mut Values) -> Option<u128> {
        if !matches!(self.plans.get(shape.0 as usize), Some(Some(_))) {
            self.add_plan(xe, i, shape)?;
        }
        let plan = self.plans.get(shape.0 as usize)?.as_ref()?;
        let table = &mut self.table;
        let info = xe.op(i.op);
        let code = xe.swsb.encode(info.class, i.swsb)?;
        let mut part = |part: usize, key| {
            let layout: u32 = *plan.layouts.get(part)?;
            let kept = table.get_mut(place(key, layout.into()))?;
            if kept.key != key || kept.layout != layout {
                *kept = Kept { bits: made(xe, i, shape, part, values)?, key, layout };
            }
            Some(kept.bits)
        };
        let mut word = xe.flat.fixed(info.encoding) | part(0, head_key(i))? | plan.swsb.as_ref()?.bits(code)?;
        for n in 1..PARTS.min(usize::from(i.src_count) + 2) {
            let o = if n == 1 { &i.dst } else { i.srcs.get(n - 2)? };
            if i.form != Form::Send {
                word |= part(n, operand_key(o))?;
            }
            if o.kind == XeOperandKind::Imm {
                let (value, [first, second]) = (immediate_bits(o, ternary(i.form))?, plan.immediates.get(n)?);
                word |= first.as_ref()?.bits(value)?;
                if let Some(second) = second {
                    word |= second.bits(value)?;
                }
            }
            if general(o) {
                if u32::from(o.reg) >= xe.file(File::R).count {
                    return None;
                }
                let [reg, sub] = plan.registers.get(n)?;
                word |= reg.as_ref()?.bits(o.reg.into())?;
                // The sources of a message are whole registers.
                if o.sub != 0 && (n == 1 || i.form != Form::Send) {
                    word |= sub.as_ref()?.bits(o.sub.into())?;
                }
            }
        }
        Some(word)
    }

    #[cold]
    fn add_plan(&mut self, xe: &Xe, i: &Inst, shape: ShapeId) -> Option<()> {
        let index = shape.0 as usize;
        let fields = xe.flat.shape(shape).filter(|_| index < MAX_PLANS)?;
        let slots = part_slots(xe, i.form);
        let layouts = std::array::from_fn(|part| {
            let next = self.layouts.len() as u32;
            *self.layouts.entry((i.op, part as u8, fields.layout(slots[part]))).or_insert(next)
        });
        let [a, b, c] = &xe.src;
        let operands = [None, Some(&xe.dst), Some(a), Some(b), Some(c)];
        let registers = operands.map(|o| o.map_or([None; 2], |o| [o.reg, o.sub].map(|slot| fields.scatter(slot))));
        let immediates = std::array::from_fn(|part| immediate(xe, i.form, fields, part));
        if self.plans.len() <= index {
            self.plans.resize_with(index + 1, || None);
        }
        self.plans[index] =
            Some(Box::new(Plan { layouts, swsb: fields.scatter(xe.slots.swsb), registers, immediates }));
        Some(())
    }

    /// Remembers the shape that an instruction has.
    pub(crate) fn learn(&mut self, i: &Inst, shape: ShapeId) {
        if !keeps(i.form) || shape.0 as usize >= MAX_PLANS {
            return;
        }
        let signature = signature(i);
        if let Some(slot) = self.shapes.get_mut(place([signature, 0, 0, 0], 0)) {
            *slot = (signature, shape.0);
        }
    }
}

impl Xe<'_> {
    /// The word as the parts of an instruction say it in a shape, whether or not it then has that shape.
    pub(crate) fn word_of(&mut self, i: &Inst, shape: ShapeId) -> Option<u128> {
        let mut kept = self.kept.take()?;
        let word = kept.word_of(self, i, shape, &mut Values::default());
        self.kept = Some(kept);
        word
    }
}

/// The fields that each part sets, as bits by slot.
fn part_slots(xe: &Xe, form: Form) -> [u128; PARTS] {
    let immediate = 1u128 << (xe.slots.imm.0 & 127) | 1 << (xe.slots.imm_copy.0 & 127);
    let [a, b, c] = xe.src.each_ref().map(|o| operand_slots(o) | immediate);
    let dst = operand_slots(&xe.dst);
    // The head of a message has its descriptors and payloads.
    let head = if form == Form::Send { u128::MAX } else { !(dst | a | b | c) };
    [head, dst, a, b, c]
}

/// Where the immediate of a part belongs.
fn immediate(xe: &Xe, form: Form, fields: &Shape, part: usize) -> [Option<Scatter>; 2] {
    let Some(source) = part.checked_sub(2).and_then(|n| xe.src.get(n)) else { return [None; 2] };
    match ternary(form) {
        true => [fields.scatter(source.imm16), None],
        // A copy that could not be placed: there is no such immediate.
        false if fields.has(xe.slots.imm_copy) => match fields.scatter(xe.slots.imm_copy) {
            None => [None; 2],
            copy => [fields.scatter(xe.slots.imm), copy],
        },
        false => [fields.scatter(xe.slots.imm), None],
    }
}

/// The bits of a part, without what is placed afresh.
#[cold]
fn made(xe: &Xe, i: &Inst, shape: ShapeId, part: usize, values: &mut Values) -> Option<u128> {
    let mut plain = Inst { swsb: Swsb::default(), ..*i };
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
    if part == 0 {
        values.set(xe.slots.swsb, 0);
    }
    xe.flat.placed(shape, values).ok()
}

/// Whether parts of a form are kept.
pub(crate) fn keeps(form: Form) -> bool {
    matches!(form, Form::Unary | Form::Binary | Form::Ternary | Form::Bfn | Form::Math | Form::Dpas | Form::Send)
}

/// A general register by its number.
pub(crate) fn general(o: &XeOperand) -> bool {
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
    ];
    let bits = flags.iter().fold(0u64, |bits, on| bits << 1 | u64::from(*on));
    let bytes = [i.es, i.eo, i.flag.0, i.flag.1, i.dpas.0, i.dpas.1];
    let bits = bytes.iter().fold(bits, |all, b| all << 8 | u64::from(*b));
    let func = i.pred.map_or(0, |p| p.func.0);
    let words = [func, i.cond.0, i.sub.0].iter().fold(0, |all, w| all << 16 | u64::from(*w));
    if i.form != Form::Send {
        return [bits, words, 0, 0];
    }
    // The head of a message has its descriptors and payloads.
    let [src0, src1, _] = &i.srcs;
    let ((exdesc_kind, exdesc), (desc_kind, desc)) = (descriptor(i.exdesc), descriptor(i.desc));
    let payloads = [i.dst.file.0, own(&i.dst).0, own(&i.dst).1, src0.file.0, own(src0).0, src1.file.0, own(src1).0];
    let payloads = payloads.iter().fold(exdesc_kind << 1 | desc_kind, |all, b| all << 8 | u64::from(*b));
    let words = words << 16 | u64::from(src1.len as u16);
    [bits, words, exdesc << 32 | desc, payloads]
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
    let second = u64::from(o.ty.0) << 32 | u64::from(o.mme.0) << 16 | u64::from(o.off as u16);
    let imm = if o.kind == XeOperandKind::Imm { 0 } else { o.imm };
    [u64::from_le_bytes(bytes), second, imm, 0]
}

#[inline]
fn place(key: PartKey, own: u64) -> usize {
    const SPREAD: u64 = 0x9E37_79B9_7F4A_7C15;
    // Two and two: the processor need not wait for one product before it begins the other.
    let pair = |first: u64, second: u64| (first.wrapping_mul(SPREAD).rotate_left(23) ^ second).wrapping_mul(SPREAD);
    let [a, b, c, d] = key;
    let mixed = pair(a ^ own << 48, b) ^ pair(c.rotate_left(11) ^ own, d).rotate_left(7);
    (mixed.wrapping_mul(SPREAD) >> (64 - KEPT_BITS.trailing_zeros())) as usize
}
