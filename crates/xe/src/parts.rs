//! Finished text of parts of instructions.
//!
//! Problem: decoding and printing every field of every instruction costs thousands of steps, and programs name the
//! same few registers, regions and functions again and again. Method: what a part says (the head, an operand, the
//! options) depends on which fields the word has, its shape, and on the bits of a few of them. Both are known without
//! decoding, the bits by a mask for each shape, so the text last made for them can be looked up. What is not there is
//! decoded and printed by the ordinary code, and kept.
//!
//! Invariant: the text of a part, and whether it is valid, depends on nothing but the shape and the bits of its mask.
//! An instruction all of whose parts are there is therefore valid, and printed as the ordinary code prints it.

use isaglot_codec::{Gather, Layout, Shape, ShapeId, Slot};
use rustc_hash::FxHashMap;

use crate::hole::{Hole, append};
use crate::inst::{File, Form};
use crate::isa::{OperandSlots, Xe};
use crate::limits::{KEPT_PARTS, KEPT_TEXT, MAX_PLANS};
use crate::platform::Platform;
use crate::swsb::Class;
use crate::types::Type;

/// A part of an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Part {
    /// Predicate, mnemonic, channels, flag modifier.
    Head,
    /// The destination.
    Dst,
    /// The sources; of a message, the payloads.
    Src0,
    Src1,
    Src2,
    /// The descriptors of a message.
    ExDesc,
    Desc,
    /// Options, and the same of a short form.
    Tail,
    ShortTail,
    /// The comment of a message.
    Comment,
}

const PARTS: usize = 10;

/// The sources in order.
pub(crate) const SOURCES: [Part; 3] = [Part::Src0, Part::Src1, Part::Src2];

/// What is to be known about the text of a part beside the text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Shown {
    /// What counts as its width; of a head, the debt of its columns. [`Shown::UNPADDED`]: no column at all.
    pub(crate) width: u16,
    /// Of a head, the number of sources; of an operand with a hole, the bytes of an element, or the type of the immediate.
    pub(crate) count: u8,
    /// Where the hole for the register or immediate begins, and of what kind it is.
    pub(crate) hole: (u8, Hole),
}

impl Shown {
    /// The width of what is not padded.
    pub(crate) const UNPADDED: u16 = u16::MAX;

    pub(crate) fn width(width: usize) -> Shown {
        // Wider than any column: one more or less does not show.
        Shown { width: width.min(usize::from(Shown::UNPADDED) - 1) as u16, ..Shown::default() }
    }

    /// Of what has no column.
    pub(crate) fn unpadded() -> Shown {
        Shown { width: Shown::UNPADDED, ..Shown::default() }
    }
}

/// What is known about the words of a shape.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Plan {
    /// Whether texts of its parts are kept.
    kept: bool,
    masks: [u128; PARTS],
    /// Those of the head and of the operands together.
    pub(crate) whole: u128,
    /// What beside the bits of the mask the text of each part depends on, by number.
    keys: [u32; PARTS],
    /// The register's number and byte, of operands whose text leaves a hole for them.
    registers: [Option<[Gather; 2]>; PARTS],
    /// The immediate, of operands whose text leaves a hole for it if they are one, and how many bits it has.
    immediates: [Option<(Gather, u32)>; PARTS],
}

impl Plan {
    /// What belongs into the hole of a part.
    #[inline]
    pub(crate) fn values(&self, part: Part, immediate: bool, word: u128) -> Option<(u64, u64)> {
        if immediate {
            let (immediate, _) = self.immediates[part as usize].as_ref()?;
            return Some((immediate.get(word), 0));
        }
        let [reg, sub] = self.registers[part as usize].as_ref()?;
        Some((reg.get(word), sub.get(word)))
    }
}

/// What the text of a part depends on, beside the bits of its fields. Shapes of one key share their texts.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Key {
    part: u8,
    op: Option<u8>,
    form: Form,
    class: Class,
    traits: [bool; 3],
    layout: Layout,
    register: Layout,
}

/// Texts of parts, the latest for each place of a table.
pub(crate) struct Parts {
    plans: Vec<Option<Plan>>,
    keys: FxHashMap<Key, u32>,
    table: Vec<Kept>,
    /// The lists of a listing show lengths and surfaces, which stand in the descriptors.
    lengths: bool,
}

#[derive(Clone, Copy)]
#[repr(align(64))]
struct Kept {
    bits: u128,
    key: u32,
    length: u8,
    shown: Shown,
    text: [u8; KEPT_TEXT],
}

/// No part.
const FREE: u32 = u32::MAX;

impl Parts {
    pub(crate) fn new(lengths: bool) -> Parts {
        let free = Kept { bits: 0, key: FREE, length: 0, shown: Shown::default(), text: [0; KEPT_TEXT] };
        Parts { plans: Vec::new(), keys: FxHashMap::default(), table: vec![free; KEPT_PARTS], lengths }
    }

    /// The plan of a shape of an operation; none if nothing of it is kept.
    #[inline]
    pub(crate) fn plan(&mut self, xe: &Xe, op: u8, shape: ShapeId) -> bool {
        match self.plans.get(shape.0 as usize) {
            Some(Some(plan)) => plan.kept,
            _ => self.new_plan(xe, op, shape),
        }
    }

    #[cold]
    fn new_plan(&mut self, xe: &Xe, op: u8, shape: ShapeId) -> bool {
        let form = xe.op(op).form;
        let mut plan = Plan {
            kept: false,
            masks: [0; PARTS],
            whole: 0,
            keys: [0; PARTS],
            registers: [None; PARTS],
            immediates: [None; PARTS],
        };
        let index = shape.0 as usize;
        let Some(fields) = xe.flat.shape(shape).filter(|_| index < MAX_PLANS) else { return false };
        // What a branch says depends on where it stands.
        plan.kept = !form.branches();
        let mut slots = Parts::slots(self.lengths, xe, form);
        // What is written into holes.
        let mut registers = [0u128; PARTS];
        let operands =
            [(Part::Dst, &xe.dst), (Part::Src0, &xe.src[0]), (Part::Src1, &xe.src[1]), (Part::Src2, &xe.src[2])];
        for (part, o) in operands {
            // Any number is a general register; of others, and of extensions, only some are.
            let general = fields.has(o.reg) && !fields.has(o.arf) && !fields.has(o.mme) && form != Form::Sync;
            if general
                && xe.file(File::R).count > u32::from(u8::MAX)
                && let (Some(reg), Some(sub)) = (fields.gather(o.reg), fields.gather(o.sub))
            {
                plan.registers[part as usize] = Some([reg, sub]);
                registers[part as usize] = set(&[o.reg, o.sub]);
                slots[part as usize] &= !registers[part as usize];
            }
            if part != Part::Dst
                && let Some((own, immediate)) = Parts::immediate(xe, form, fields, o)
            {
                plan.immediates[part as usize] = Some(immediate);
                registers[part as usize] |= own;
                // A second copy of a short immediate says nothing.
                slots[part as usize] &= !(own | set(&[xe.slots.imm_copy]));
            }
        }
        let info = xe.op(op);
        for (part, slots) in slots.into_iter().enumerate() {
            plan.masks[part] = fields.bits_of(slots);
            // A head names the operation; what has no operands is too little to share.
            let own = part == Part::Head as usize || form == Form::None;
            let key = Key {
                part: part as u8,
                op: own.then_some(op),
                form,
                class: info.class,
                traits: [info.bitwise, info.mods, info.sat],
                layout: fields.layout(slots),
                register: fields.layout(registers[part]),
            };
            let next = self.keys.len() as u32;
            plan.keys[part] = *self.keys.entry(key).or_insert(next);
        }
        let operands = [Part::Head, Part::Dst, Part::Src0, Part::Src1, Part::Src2];
        plan.whole = operands.iter().fold(0, |all, part| all | plan.masks[*part as usize]);
        if self.plans.len() <= index {
            self.plans.resize(index + 1, None);
        }
        self.plans[index] = Some(plan);
        plan.kept
    }

    /// The field of the immediate that an operand may be, and what it says in words of a shape.
    fn immediate(xe: &Xe, form: Form, fields: &Shape, o: &OperandSlots) -> Option<(u128, (Gather, u32))> {
        // What a `sync` waits for is checked.
        if matches!(form, Form::Sync | Form::Send | Form::None) || form.branches() {
            return None;
        }
        let slot = if fields.has(o.imm16) { o.imm16 } else { xe.slots.imm };
        let own = set(&[slot]);
        let gather = fields.gather(slot).filter(|_| fields.has(slot))?;
        Some((own, (gather, fields.bits_of(own).count_ones())))
    }

    /// The fields that each part of a text depends on, as bits by slot.
    pub(crate) fn text_slots(xe: &Xe, form: Form) -> [u128; PARTS] {
        Parts::slots(false, xe, form)
    }

    fn slots(lengths: bool, xe: &Xe, form: Form) -> [u128; PARTS] {
        let s = &xe.slots;
        let head = head_slots(xe).iter().fold(0, |all, some| all | some);
        let tail = set(&[s.swsb, s.debug, s.atomic, s.acc_wr, s.eot, s.exbso, s.cps, s.fusion]);
        let (desc, exdesc) = (set(&[s.desc_reg, s.desc]), set(&[s.exdesc_reg, s.exdesc, s.exdesc_sub]));
        let message = desc | exdesc | set(&[s.sfid, s.exbso]);
        let mut dst = operand_slots(&xe.dst) | set(&[s.sat]);
        let mut srcs = [0, 1, 2].map(|n| operand_slots(&xe.src[n]) | set(&[s.imm, s.imm_copy]));
        match form {
            // Which immediates there are depends on the function.
            Form::Sync => srcs[0] |= set(&[s.sync]),
            Form::Send => {
                if lengths {
                    dst |= desc;
                    srcs[0] |= message;
                }
                srcs[1] |= set(&[s.src1_len]);
                if xe.platform >= Platform::Xe3 {
                    // A gathered payload leaves no room for a second one.
                    srcs[1] |= srcs[0];
                }
            }
            _ => {}
        }
        [head, dst, srcs[0], srcs[1], srcs[2], exdesc, desc, tail, tail, message | set(&[s.src1_len])]
    }

    /// What is known about the words of a shape.
    #[inline]
    pub(crate) fn plan_of(&self, shape: ShapeId) -> Option<&Plan> {
        self.plans.get(shape.0 as usize)?.as_ref()
    }

    /// The text of a part of a word, its hole empty, if it is kept; and what comes after it, which means nothing.
    #[inline]
    pub(crate) fn text(&self, plan: &Plan, part: Part, word: u128) -> Option<(&[u8; KEPT_TEXT], usize, Shown)> {
        let bits = word & plan.masks[part as usize];
        let key = plan.keys[part as usize];
        let kept = self.table.get(place(bits, key)).filter(|kept| kept.bits == bits && kept.key == key)?;
        Some((&kept.text, kept.length.into(), kept.shown))
    }

    /// Adds the text of a part of a word, if it is kept.
    #[inline]
    pub(crate) fn add(&self, shape: ShapeId, part: Part, word: u128, out: &mut Vec<u8>) -> Option<Shown> {
        let plan = self.plans.get(shape.0 as usize)?.as_ref()?;
        let bits = word & plan.masks[part as usize];
        let key = plan.keys[part as usize];
        let kept = self.table.get(place(bits, key))?;
        if kept.bits != bits || kept.key != key {
            return None;
        }
        let hole = kept.shown.hole.1;
        if hole != Hole::None {
            return Some(fill(kept, plan.values(part, hole.immediate(), word)?, out));
        }
        append(&kept.text, kept.length.into(), out);
        Some(kept.shown)
    }

    /// Keeps the text of a part, unless it is long.
    pub(crate) fn keep(&mut self, shape: ShapeId, part: Part, word: u128, (text, mut shown): (&[u8], Shown)) {
        let Some(Some(plan)) = self.plans.get(shape.0 as usize) else { return };
        let bits = word & plan.masks[part as usize];
        let key = plan.keys[part as usize];
        let hole = usize::from(shown.hole.0);
        let (registers, immediates) = (&plan.registers[part as usize], &plan.immediates[part as usize]);
        let filling = match (shown.hole.1.immediate(), registers, immediates) {
            // A field that is narrower than the type may have a sign.
            (true, _, Some((immediate, bits))) if Type(shown.count).bits() <= *bits => Some((immediate.get(word), 0)),
            (true, _, Some(_)) => return,
            (false, Some([reg, sub]), _) => Some((reg.get(word), sub.get(word))),
            _ => None,
        };
        let mut cut = hole;
        if let Some(values) = filling {
            // It is cut out: what it would be written as is what stands there.
            let mut own = Vec::new();
            shown.hole.1.write(&[], 0, values, shown.count, &mut own);
            if shown.hole.1 == Hole::None || !text.get(hole..).is_some_and(|t| t.starts_with(&own)) {
                return;
            }
            cut += own.len();
            if shown.width != Shown::UNPADDED && !shown.hole.1.immediate() {
                shown.width = shown.width.saturating_sub(own.len() as u16);
            }
        } else {
            shown.hole = (0, Hole::None);
            cut = 0;
        }
        let hole = usize::from(shown.hole.0);
        let (Some(before), Some(after)) = (text.get(..hole), text.get(cut..)) else { return };
        let length = before.len() + after.len();
        if let Some(kept) = self.table.get_mut(place(bits, key))
            && length <= KEPT_TEXT
        {
            let (room, rest) = kept.text.split_at_mut(hole);
            room.copy_from_slice(before);
            if let Some(room) = rest.get_mut(..after.len()) {
                room.copy_from_slice(after);
            }
            (kept.bits, kept.key) = (bits, key);
            (kept.length, kept.shown) = (length as u8, shown);
        }
    }
}

/// Adds a text with what belongs into its hole: a register's number and byte, or an immediate.
#[inline]
fn fill(kept: &Kept, values: (u64, u64), out: &mut Vec<u8>) -> Shown {
    let (hole, kind) = kept.shown.hole;
    let (hole, length) = (usize::from(hole), usize::from(kept.length));
    let begin = out.len() + hole;
    kind.write(&kept.text, hole, values, kept.shown.count, out);
    // Digits of an immediate do not count.
    let wider = if kind.immediate() { 0 } else { (out.len() - begin) as u16 };
    append(kept.text.get(hole..).unwrap_or(&[]), length - hole, out);
    let width = kept.shown.width.saturating_add(wider);
    Shown { width: if kept.shown.width == Shown::UNPADDED { Shown::UNPADDED } else { width }, ..kept.shown }
}

/// The fields that the predicate, the mnemonic, the channels and the flag modifier of a head depend on.
pub(crate) fn head_slots(xe: &Xe) -> [u128; 4] {
    let s = &xe.slots;
    let flag = set(&[s.flag_reg, s.flag_sub]);
    [
        set(&[s.pred, s.pred_inv, s.no_mask]) | flag,
        set(&[s.math, s.sync, s.sfid, s.bfn, s.depth, s.repeat, s.brctl]),
        set(&[s.exec_size, s.ch_off]),
        set(&[s.cond]) | flag,
    ]
}

/// The fields of an operand.
pub(crate) fn operand_slots(o: &OperandSlots) -> u128 {
    set(&[o.ty, o.imm, o.imm16, o.ind, o.file, o.arf, o.reg, o.sub])
        | set(&[o.hs, o.width, o.vs, o.mods, o.asub, o.aoff, o.mme])
}

/// As bits by slot.
fn set(slots: &[Slot]) -> u128 {
    slots.iter().fold(0u128, |all, slot| all | 1 << (slot.0 & 127))
}

/// Where in the table a text belongs.
#[inline]
fn place(bits: u128, key: u32) -> usize {
    const SPREAD: u64 = 0x9E37_79B9_7F4A_7C15;
    let low = (bits as u64 ^ u64::from(key)).wrapping_mul(SPREAD);
    let hash = (low.rotate_left(29) ^ (bits >> 64) as u64).wrapping_mul(SPREAD);
    (hash >> (64 - KEPT_PARTS.trailing_zeros())) as usize
}
