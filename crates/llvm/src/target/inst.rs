//! An instruction as its record says it: the bits of `Inst`, the operands with their ties, the text.

use std::collections::BTreeMap;
use std::rc::Rc;

use isaglot_bits::{BitRange, Pattern, Word};
use isaglot_model::Piece;

use crate::limits::MAX_INST_BITS;
use crate::target::asm::{Asm, asm_parts};
use crate::target::registers::text;
use crate::target::varlen;
use isaglot_tablegen::{Bit, Dag, Def, Records, Value};

/// A bit of an encoding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum InstBit {
    Known(bool),
    /// Belongs to a field, or to nothing.
    Open,
    /// Known, but other values are taken too (`SoftFail`).
    Soft(bool),
}

/// What an operand is said to be.
#[derive(Clone, Debug)]
pub(crate) enum OperandType<'a> {
    /// A register class, a kind of operand.
    Def(Def<'a>),
    /// A kind of operand whose parts the encoding names one by one.
    Parts(Def<'a>, Vec<String>),
    /// Nothing that can be looked at.
    Other,
}

/// What a record says of where control goes.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Flags {
    pub(crate) returns: bool,
    pub(crate) traps: bool,
    pub(crate) calls: bool,
    pub(crate) branches: bool,
    /// Not to an address that the word has.
    pub(crate) indirect: bool,
    /// What follows is not reached.
    pub(crate) barrier: bool,
}

impl Flags {
    fn of(def: Def<'_>) -> Flags {
        let flag = |field: &str| matches!(def.get(field), Some(Value::Bit(true)));
        Flags {
            returns: flag("isReturn"),
            traps: flag("isTrap"),
            calls: flag("isCall"),
            branches: flag("isBranch"),
            indirect: flag("isIndirectBranch"),
            barrier: flag("isBarrier"),
        }
    }
}

/// An operand of an instruction.
#[derive(Clone, Debug)]
pub(crate) struct InstOperand<'a> {
    pub(crate) name: String,
    pub(crate) ty: OperandType<'a>,
    pub(crate) output: bool,
    /// The earlier operand that it must equal.
    pub(crate) tied: Option<usize>,
}

/// Where the bits of a field are: for each bit of the field its place in the word.
pub(crate) type Places = Vec<Option<u32>>;

/// The fields of an instruction.
pub(crate) type Fields = BTreeMap<String, Places>;

/// An instruction. It has many forms that are alike but for little, so a clone shares its lists.
#[derive(Clone, Debug)]
pub(crate) struct Inst<'a> {
    pub(crate) def: Def<'a>,
    pub(crate) name: Rc<str>,
    pub(crate) bits: Rc<Vec<InstBit>>,
    pub(crate) fields: Rc<Fields>,
    /// Where the bits of a field are a second time, under the name of the field: both must be equal.
    pub(crate) copies: Fields,
    /// The decoders that the encoding itself names for operands.
    pub(crate) decoders: Vec<(String, String)>,
    pub(crate) operands: Rc<Vec<InstOperand<'a>>>,
    pub(crate) asm: Rc<Asm>,
    pub(crate) flags: Flags,
}

impl<'a> Inst<'a> {
    /// Reads a record whose bits another has, or itself; `None` if it has no encoding of known bits.
    /// With `reversed`, bit 0 of `Inst` is the most significant one.
    pub(crate) fn read(def: Def<'a>, encoding: Def<'a>, layout: &[(u32, u32)], reversed: bool) -> Option<Inst<'a>> {
        let inst = match encoding.get("Inst")? {
            Value::Bits(inst) => inst,
            Value::Dag(dag) => return Inst::of_parts(def, dag, layout),
            _ => return None,
        };
        let size = encoding.int("Size").ok().and_then(|s| u32::try_from(s).ok()).unwrap_or(0) * 8;
        if inst.width() > MAX_INST_BITS || size > MAX_INST_BITS {
            return None;
        }
        let width = if size > 0 { size.min(inst.width()) } else { inst.width() };
        let soft: Vec<Bit<'_>> = match encoding.get("SoftFail") {
            Some(Value::Bits(soft)) if soft.int() != Some(0) => soft.iter().collect(),
            _ => Vec::new(),
        };
        let all: Vec<Bit<'_>> = inst.iter().collect();
        let mut bits = Vec::with_capacity(width as usize);
        let mut fields: Vec<(&str, Places)> = Vec::new();
        let mut copies = Fields::new();
        let mut known = false;
        let whole = [(width.saturating_sub(1), 0)];
        let layout = if layout.is_empty() { &whole[..] } else { layout };
        let order = layout.iter().flat_map(|&(high, low)| low..=high).filter(|&i| i < width);
        for (i, at) in order.zip(0u32..) {
            let i = if reversed { width - 1 - i } else { i };
            bits.push(match all.get(i as usize).copied().unwrap_or(Bit::Unset) {
                bit @ (Bit::Zero | Bit::One) => {
                    known = true;
                    let one = bit == Bit::One;
                    if soft.get(i as usize) == Some(&Bit::One) { InstBit::Soft(one) } else { InstBit::Known(one) }
                }
                Bit::Field { field, index } => {
                    // Nearly always it is the field of the bit before.
                    if let Some((_, places)) = fields.iter_mut().rev().find(|(known, _)| *known == field) {
                        if let Some(Some(other)) = places.get(index as usize).copied() {
                            place(copies.entry(field.to_owned()).or_default(), index, other);
                        }
                        place(places, index, at);
                    } else {
                        let declared = match encoding.get(field) {
                            Some(Value::Bits(b)) => b.width(),
                            _ => 1,
                        };
                        let mut places = vec![None; declared.min(MAX_INST_BITS) as usize];
                        place(&mut places, index, at);
                        fields.push((field, places));
                    }
                    InstBit::Open
                }
                Bit::Unset | Bit::Other => InstBit::Open,
            });
        }
        if !known {
            return None;
        }
        let fields = fields.into_iter().map(|(name, places)| (name.to_owned(), places)).collect();
        let (bits, fields, operands) = (Rc::new(bits), Rc::new(fields), Rc::new(operands(def)));
        let asm = Rc::new(asm_parts(&text(def, "AsmString")));
        let (name, flags) = ((*def.name()).into(), Flags::of(def));
        Some(Inst { def, name, bits, fields, copies, decoders: Vec::new(), operands, asm, flags })
    }

    /// Of an `Inst` that is put together from parts.
    fn of_parts(def: Def<'a>, dag: Dag<'a>, layout: &[(u32, u32)]) -> Option<Inst<'a>> {
        let varlen::Word { mut bits, fields, decoders } = varlen::read(dag)?;
        if !bits.iter().any(|bit| matches!(bit, InstBit::Known(_))) {
            return None;
        }
        let mut operands = operands(def);
        let mut fields: Fields = fields.into_iter().collect();
        let copies = BTreeMap::new();
        if !layout.is_empty() {
            let width = bits.len() as u32;
            let order: Vec<u32> = layout.iter().flat_map(|&(high, low)| low..=high).filter(|&i| i < width).collect();
            let moved = |old: u32| order.iter().position(|&i| i == old).map(|at| at as u32);
            for place in fields.values_mut().flatten() {
                *place = place.and_then(moved);
            }
            bits = order.iter().filter_map(|&i| bits.get(i as usize).copied()).collect();
        }
        // `$src.disp` is the part of the operand `src` that its record calls `disp`.
        for operand in &mut operands {
            let OperandType::Def(ty) = operand.ty else { continue };
            let Some(Value::Dag(parts)) = ty.get("MIOperandInfo") else { continue };
            let names: Vec<String> = parts.args().map(|(_, part)| format!("{}.{part}", operand.name)).collect();
            if !names.is_empty() && names.iter().all(|name| fields.contains_key(name)) {
                operand.ty = OperandType::Parts(ty, names);
            }
        }
        let (bits, fields, operands) = (Rc::new(bits), Rc::new(fields), Rc::new(operands));
        let asm = Rc::new(asm_parts(&text(def, "AsmString")));
        let (name, flags) = ((*def.name()).into(), Flags::of(def));
        Some(Inst { def, name, bits, fields, copies, decoders, operands, asm, flags })
    }

    /// Makes the word `width` bits wide, with what it has at the upper end: in memory that comes first, where the most
    /// significant byte does.
    pub(crate) fn move_up(&mut self, width: u32) {
        let by = width.saturating_sub(self.bits.len() as u32);
        Rc::make_mut(&mut self.bits).splice(0..0, (0..by).map(|_| InstBit::Open));
        Rc::make_mut(&mut self.fields)
            .values_mut()
            .chain(self.copies.values_mut())
            .flatten()
            .flatten()
            .for_each(|at| *at += by);
    }

    /// The bits that are known, in a word of `width` bits.
    pub(crate) fn pattern(&self, width: u32) -> Pattern {
        let (mut value, mut care) = (Word::zero(width), Word::zero(width));
        for (bit, at) in self.bits.iter().zip(0u32..width) {
            if let InstBit::Known(one) = *bit {
                care.set_bit(at, true);
                value.set_bit(at, one);
            }
        }
        Pattern::new(&value, care)
    }
}

fn place(places: &mut Places, index: u32, at: u32) {
    let index = index as usize;
    if index >= places.len() && index < MAX_INST_BITS as usize {
        places.resize(index + 1, None);
    }
    if let Some(slot) = places.get_mut(index) {
        *slot = Some(at);
    }
}

/// Whether bit 0 of `Inst` is the most significant one, as manuals of some machines count.
pub(crate) fn is_reversed(records: &Records) -> bool {
    records.defs_of("InstrInfo").iter().any(|info| info.bit("isLittleEndianEncoding").unwrap_or(false))
}

/// The operands of a record, outputs first, with the ties of its `Constraints`.
pub(crate) fn operands(def: Def<'_>) -> Vec<InstOperand<'_>> {
    let mut list = Vec::new();
    for (field, output) in [("OutOperandList", true), ("InOperandList", false)] {
        let Some(Value::Dag(dag)) = def.get(field) else { continue };
        for (value, name) in dag.args() {
            let ty = match value {
                Value::Def(ty) if ty.name() == "variable_ops" => continue,
                Value::Def(ty) => OperandType::Def(ty),
                Value::Dag(inner) => match inner.operator() {
                    Value::Def(ty) => OperandType::Parts(ty, inner.args().map(|(_, n)| n.into_owned()).collect()),
                    _ => OperandType::Other,
                },
                _ => OperandType::Other,
            };
            list.push(InstOperand { name: name.into_owned(), ty, output, tied: None });
        }
    }
    let constraints = text(def, "Constraints");
    for constraint in constraints.split(',') {
        let Some((a, b)) = constraint.split_once('=') else { continue };
        let at = |name: &str| {
            let name = name.trim().strip_prefix('$')?;
            list.iter().position(|o: &InstOperand<'_>| o.name == name)
        };
        if let (Some(a), Some(b)) = (at(a), at(b)) {
            let (first, second) = (a.min(b), a.max(b));
            if let Some(operand) = list.get_mut(second).filter(|_| first != second) {
                operand.tied = Some(first);
            }
        }
    }
    list
}

/// The pieces of a field, the most significant first: bits of the word, and zeros for bits that the word does not hold.
pub(crate) fn pieces(places: &[Option<u32>]) -> Vec<Piece> {
    let mut list: Vec<Piece> = Vec::new();
    for place in places.iter().rev() {
        match (*place, list.last_mut()) {
            (Some(at), Some(Piece::Bits(range))) if range.lo == at + 1 => {
                range.lo = at;
                range.width += 1;
            }
            (Some(at), _) => list.push(Piece::Bits(BitRange { lo: at, width: 1 })),
            (None, Some(Piece::Implied { width, .. })) if *width < 64 => *width += 1,
            (None, _) => list.push(Piece::Implied { width: 1, value: 0 }),
        }
    }
    list
}
