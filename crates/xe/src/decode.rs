//! Words into instructions: every field as the description reads it, checked and put where people look for it.

use isaglot_codec::{Match, Symbol, Values};
use isaglot_model::EncodingId;

use crate::inst::{Desc, File, Form, Inst, NO_STRIDE, Options, Pred, XeOperand, XeOperandKind};
use crate::isa::{EO, OperandSlots, Xe};
use crate::swsb::Swsb;
use crate::types::{Style, Type};

/// Why a word is invalid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum BadWord {
    /// No operation has these bits.
    Opcode,
    /// The short form names a row that its table has not, or rows that do not go together.
    Compact,
    /// This field has a value without meaning.
    Field(&'static str),
    /// The scoreboard annotation means nothing.
    Scoreboard,
    /// There is no such register.
    Register(&'static str),
    /// Predicate and flag modifier do not fit the operation.
    Combination(&'static str),
}

impl BadWord {
    /// As a sentence.
    pub fn message(self) -> String {
        match self {
            BadWord::Opcode => "no instruction of this machine has these bits".to_owned(),
            BadWord::Compact => "short form whose indexes make no instruction".to_owned(),
            BadWord::Field(name) => format!("field {name} has a reserved value"),
            BadWord::Scoreboard => "reserved scoreboard annotation".to_owned(),
            BadWord::Register(what) => format!("register out of range in {what}"),
            BadWord::Combination(what) => what.to_owned(),
        }
    }
}

impl core::fmt::Display for BadWord {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str(&self.message())
    }
}

impl core::error::Error for BadWord {}

impl<'d> Xe<'d> {
    /// Decodes a word in its long form.
    pub fn decode(&mut self, word: u128, values: &mut Values) -> Result<Inst, BadWord> {
        let Match::One(id) = self.flat.select(word) else { return Err(BadWord::Opcode) };
        let op = self.op_of(id).ok_or(BadWord::Opcode)?;
        self.decode_as(id, op, word, values)
    }

    /// Decodes a word in its long form that is known to belong to an operation.
    pub(crate) fn decode_as(
        &mut self,
        id: EncodingId,
        op: u8,
        word: u128,
        values: &mut Values,
    ) -> Result<Inst, BadWord> {
        self.flat.read(id, word, values);
        decode(self, op, values)
    }

    /// Decodes a word in its short form.
    pub fn decode_short(&mut self, word: u64, values: &mut Values) -> Result<Inst, BadWord> {
        let (id, long) = self.expander.expand(word).ok_or(BadWord::Compact)?;
        // Rows that do not go together may make an invalid word.
        if self.flat.select(long) != Match::One(id) {
            return Err(BadWord::Compact);
        }
        let op = self.op_of(id).ok_or(BadWord::Opcode)?;
        let mut inst = self.decode_as(id, op, long, values)?;
        inst.opts.compacted = true;
        Ok(inst)
    }
}

fn decode(xe: &Xe, op: u8, v: &Values) -> Result<Inst, BadWord> {
    let s = &xe.slots;
    let info = xe.op(op);
    let mut i = Inst::new(op, info.form);
    let bit = |slot| v.get(slot) != 0;
    i.swsb = if info.form == Form::None && info.name == "illegal" {
        Swsb::default()
    } else {
        xe.swsb.decode(info.class, v.get(s.swsb)).ok_or(BadWord::Scoreboard)?
    };
    i.opts.breakpoint = bit(s.debug) && info.name != "illegal";
    if info.form == Form::None {
        return Ok(i);
    }
    common(xe, v, &mut i)?;
    match info.form {
        Form::None => {}
        Form::Unary => {
            i.dst = destination(xe, v)?;
            i.srcs[0] = source(xe, v, &xe.src[0], "the source")?;
            i.src_count = 1;
        }
        Form::Binary => {
            i.dst = destination(xe, v)?;
            i.srcs[0] = source(xe, v, &xe.src[0], "the first source")?;
            i.srcs[1] = source(xe, v, &xe.src[1], "the second source")?;
            i.src_count = 2;
        }
        Form::Ternary | Form::Bfn => {
            i.dst = destination(xe, v)?;
            if info.form == Form::Bfn {
                i.sub = symbol(v, s.bfn, "BFN")?;
            }
            for (n, name) in ["the first source", "the second source", "the third source"].into_iter().enumerate() {
                i.srcs[n] = source(xe, v, &xe.src[n], name)?;
                i.srcs[n].w = NO_STRIDE;
            }
            i.src_count = 3;
        }
        Form::Dpas => dpas(xe, v, &mut i)?,
        Form::Math => {
            i.sub = symbol(v, s.math, "MATH")?;
            i.dst = destination(xe, v)?;
            i.srcs[0] = source(xe, v, &xe.src[0], "the first source")?;
            i.src_count = 1;
            if xe.math_sources(i.sub) == 2 {
                if bit(xe.src[0].imm) {
                    return Err(BadWord::Combination("an immediate that is not the last source"));
                }
                i.srcs[1] = source(xe, v, &xe.src[1], "the second source")?;
                i.src_count = 2;
            }
            if xe.is_macro(i.sub) {
                i.cond = EO;
            }
            let is_indirect = |o: &XeOperand| o.kind == XeOperandKind::Indirect;
            if info.direct && (is_indirect(&i.dst) || i.sources().iter().any(is_indirect)) {
                return Err(BadWord::Combination("an operand by an address register"));
            }
        }
        Form::Send => send(xe, v, &mut i)?,
        Form::Sync => sync(xe, v, &mut i)?,
        Form::Jump | Form::Label | Form::Labels | Form::Call | Form::Ret | Form::Brc => branch(xe, v, &mut i)?,
    }
    if !info.mods {
        // The bits mean nothing there.
        i.srcs.iter_mut().for_each(|o| o.mods = 0);
    }
    Ok(i)
}

/// The fields that all forms but `illegal` and `nop` have.
#[inline]
fn common(xe: &Xe, v: &Values, i: &mut Inst) -> Result<(), BadWord> {
    let (s, info) = (&xe.slots, xe.op(i.op));
    let bit = |slot| v.get(slot) != 0;
    i.es = number(xe, v, s.exec_size, "EXEC_SIZE")?;
    i.eo = number(xe, v, s.ch_off, "CH_OFF")?;
    i.wren = bit(s.no_mask);
    i.flag = (v.get(s.flag_reg) as u8, v.get(s.flag_sub) as u8);
    if info.pred && v.get(s.pred) != 0 {
        // 1 means no function: each channel has its own flag.
        let func = if v.get(s.pred) == 1 { xe.empty } else { symbol(v, s.pred, "PRED")? };
        i.pred = Some(Pred { inv: bit(s.pred_inv), func });
    }
    i.opts = Options {
        acc_wr: bit(s.acc_wr),
        atomic: bit(s.atomic),
        breakpoint: bit(s.debug),
        eot: bit(s.eot),
        exbso: bit(s.exbso),
        cps: bit(s.cps),
        serialize: bit(s.fusion),
        ..Options::default()
    };
    i.sat = bit(s.sat) && info.sat;
    // Where an operation has no use for them, these bits mean nothing.
    if info.cond && v.get(s.cond) != 0 {
        i.cond = symbol(v, s.cond, "COND")?;
    }
    Ok(())
}

/// `sync`: the function, and what it waits for.
#[inline]
fn sync(xe: &Xe, v: &Values, i: &mut Inst) -> Result<(), BadWord> {
    let s = &xe.slots;
    i.sub = symbol(v, s.sync, "SYNC")?;
    let src = &mut i.srcs[0];
    // Before XeHPC the type of a register means nothing.
    let ty = match v.has(xe.src[0].ty) {
        true => xe.type_of(symbol(v, xe.src[0].ty, "SRC0_TYPE")?),
        false => Type::UB,
    };
    if v.get(xe.src[0].imm) != 0 {
        let function = xe.text(i.sub);
        let takes = matches!(function, "allrd" | "allwr") || (function == "bar" && xe.platform.wide());
        if !takes {
            return Err(BadWord::Field("SRC0_IMM"));
        }
        *src = XeOperand { kind: XeOperandKind::Imm, imm: v.get(s.imm), ty, ..XeOperand::default() };
    } else {
        let known = register(xe, v, &xe.src[0], src, "the source");
        if xe.platform.wide() {
            known?;
            if src.file == File::R {
                return Err(BadWord::Register("the source"));
            }
        } else {
            // Before XeHPC the number means nothing.
            if v.get(xe.src[0].file) != 0 {
                return Err(BadWord::Register("the source"));
            }
            *src = XeOperand { kind: XeOperandKind::Direct, file: File::NULL, ..XeOperand::default() };
        }
        src.ty = ty;
    }
    i.src_count = 1;
    Ok(())
}

fn symbol(v: &Values, slot: isaglot_codec::Slot, name: &'static str) -> Result<Symbol, BadWord> {
    let symbol = v.symbol(slot);
    if symbol == Symbol::NONE { Err(BadWord::Field(name)) } else { Ok(symbol) }
}

fn number(xe: &Xe, v: &Values, slot: isaglot_codec::Slot, name: &'static str) -> Result<u8, BadWord> {
    Ok(xe.number(symbol(v, slot, name)?))
}

/// Register file, number and sub-register, within bounds.
fn register(xe: &Xe, v: &Values, s: &OperandSlots, o: &mut XeOperand, what: &'static str) -> Result<(), BadWord> {
    o.kind = XeOperandKind::Direct;
    o.reg = v.get(s.reg) as u8;
    o.sub = v.get(s.sub) as u8;
    o.file = File::R;
    if v.get(s.file) == 0 {
        o.file = xe.arf(v.symbol(s.arf)).ok_or(BadWord::Register(what))?;
        if o.file == File::ACC && !xe.platform.wide() && o.reg >= 8 {
            (o.file, o.reg) = (File::MME, o.reg - 8);
        }
    }
    if u32::from(o.reg) >= xe.file(o.file).count {
        return Err(BadWord::Register(what));
    }
    Ok(())
}

fn destination(xe: &Xe, v: &Values) -> Result<XeOperand, BadWord> {
    let s = &xe.dst;
    let mut o = XeOperand { ty: xe.type_of(symbol(v, s.ty, "DST_TYPE")?), ..XeOperand::default() };
    if v.get(s.ind) != 0 {
        indirect(v, s, &mut o);
    } else {
        register(xe, v, s, &mut o, "the destination")?;
        if v.has(s.mme) {
            o.kind = XeOperandKind::Macro;
            o.mme = symbol(v, s.mme, "DST_MME")?;
        }
    }
    o.h = number(xe, v, s.hs, "DST_HS")?;
    Ok(o)
}

fn indirect(v: &Values, s: &OperandSlots, o: &mut XeOperand) {
    o.kind = XeOperandKind::Indirect;
    o.file = File::A;
    o.sub = v.get(s.asub) as u8;
    o.off = v.get(s.aoff) as i64 as i16;
}

fn source(xe: &Xe, v: &Values, s: &OperandSlots, what: &'static str) -> Result<XeOperand, BadWord> {
    let mut o = XeOperand { ty: xe.type_of(symbol(v, s.ty, "source type")?), ..XeOperand::default() };
    if v.get(s.imm) != 0 {
        o.kind = XeOperandKind::Imm;
        o.imm = match v.has(s.imm16) {
            true if o.ty.style() == Style::Signed => i64::from(v.get(s.imm16) as u16 as i16).cast_unsigned(),
            true => v.get(s.imm16),
            false => v.get(xe.slots.imm),
        };
        return Ok(o);
    }
    o.mods = v.get(s.mods) as u8 & 3;
    if v.get(s.ind) != 0 {
        indirect(v, s, &mut o);
    } else {
        register(xe, v, s, &mut o, what)?;
        if v.has(s.mme) {
            o.kind = XeOperandKind::Macro;
            o.mme = symbol(v, s.mme, "macro operand")?;
        }
    }
    if v.has(s.vs) {
        o.v = number(xe, v, s.vs, "vertical stride")?;
    }
    if v.has(s.width) {
        o.w = number(xe, v, s.width, "width")?;
    }
    if v.has(s.hs) {
        o.h = number(xe, v, s.hs, "horizontal stride")?;
    }
    Ok(o)
}

fn dpas(xe: &Xe, v: &Values, i: &mut Inst) -> Result<(), BadWord> {
    let s = &xe.slots;
    i.dpas = (number(xe, v, s.depth, "DEPTH")?, number(xe, v, s.repeat, "REPEAT")?);
    i.dst.ty = xe.type_of(symbol(v, xe.dst.ty, "DST_TYPE")?);
    register(xe, v, &xe.dst, &mut i.dst, "the destination")?;
    for n in 0..3 {
        let slots = &xe.src[n];
        let mut o = XeOperand { ty: xe.type_of(symbol(v, slots.ty, "source type")?), ..XeOperand::default() };
        register(xe, v, slots, &mut o, "a source")?;
        if o.file != File::R && (n != 0 || o.file != File::NULL) {
            return Err(BadWord::Register("a source"));
        }
        i.srcs[n] = o;
    }
    i.src_count = 3;
    Ok(())
}

fn send(xe: &Xe, v: &Values, i: &mut Inst) -> Result<(), BadWord> {
    let s = &xe.slots;
    i.sub = symbol(v, s.sfid, "SFID")?;
    register(xe, v, &xe.dst, &mut i.dst, "the destination")?;
    for n in 0..2 {
        let mut o = XeOperand::default();
        register(xe, v, &xe.src[n], &mut o, "a payload")?;
        i.srcs[n] = o;
    }
    i.src_count = 2;
    i.desc = if v.get(s.desc_reg) != 0 { Desc::Reg(0) } else { Desc::Imm(v.get(s.desc) as u32) };
    i.exdesc =
        if v.get(s.exdesc_reg) != 0 { Desc::Reg(v.get(s.exdesc_sub) as u8) } else { Desc::Imm(v.get(s.exdesc) as u32) };
    i.srcs[1].len = if v.has(s.src1_len) { v.get(s.src1_len) as i16 } else { -1 };
    Ok(())
}

fn branch(xe: &Xe, v: &Values, i: &mut Inst) -> Result<(), BadWord> {
    let s = &xe.slots;
    i.brctl = v.get(s.brctl) != 0 && xe.op(i.op).brctl;
    if i.form == Form::Call {
        register(xe, v, &xe.dst, &mut i.dst, "the return address")?;
        i.dst.ty = Type::D;
    }
    let label = |slot| XeOperand { kind: XeOperandKind::Label, imm: v.get(slot), ..XeOperand::default() };
    i.src_count = 1;
    if v.get(xe.src[0].imm) != 0 {
        if i.form == Form::Ret {
            return Err(BadWord::Combination("a return to a label"));
        }
        i.srcs[0] = label(s.jip);
        if matches!(i.form, Form::Labels | Form::Brc) {
            if !v.has(s.uip) {
                return Err(BadWord::Combination("a branch to two labels without the second one"));
            }
            i.srcs[1] = label(s.uip);
            i.src_count = 2;
        }
    } else if matches!(i.form, Form::Label | Form::Labels) {
        return Err(BadWord::Combination("a branch to a label without a label"));
    } else {
        register(xe, v, &xe.src[0], &mut i.srcs[0], "the target")?;
        i.srcs[0].ty = Type::D;
    }
    Ok(())
}

impl<'d> Xe<'d> {
    /// Number of sources of a math function.
    pub(crate) fn math_sources(&self, function: Symbol) -> u8 {
        match self.text(function) {
            "fdiv" | "pow" | "idiv" | "iqot" | "irem" | "invm" => 2,
            _ => 1,
        }
    }

    /// Whether a math function takes extension registers.
    pub(crate) fn is_macro(&self, function: Symbol) -> bool {
        matches!(self.text(function), "invm" | "rsqtm")
    }
}
