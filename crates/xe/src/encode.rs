//! Instructions into words: the inverse of `decode`.

use isaglot_codec::{Slot, Symbol, Values, WriteError};

use crate::inst::{Desc, File, Form, Inst, NO_STRIDE, XeOperand, XeOperandKind};
use crate::isa::{OperandSlots, Operation, Xe};
use crate::types::{Style, Type};

/// Why an instruction has no word.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum EncodeError {
    /// No code for this scoreboard annotation on such an instruction.
    Scoreboard,
    /// The form has no such option.
    Option(&'static str),
    /// The form has no such field.
    Absent(String),
    /// The value does not fit.
    Range(String),
    /// The field does not take this text.
    Text(String),
    /// Something else, in words.
    Other(String),
}

impl EncodeError {
    /// As a sentence.
    pub fn message(&self) -> String {
        match self {
            EncodeError::Scoreboard => "this instruction cannot carry such a scoreboard annotation".to_owned(),
            EncodeError::Option(name) => format!("this form of the instruction has no option `{{{name}}}`"),
            EncodeError::Absent(field) => format!("this form of the instruction has no field {field}"),
            EncodeError::Range(field) => format!("out of range for field {field}"),
            EncodeError::Text(field) => format!("not allowed in field {field} of this form"),
            EncodeError::Other(text) => text.clone(),
        }
    }
}

impl core::fmt::Display for EncodeError {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str(&self.message())
    }
}

impl core::error::Error for EncodeError {}

impl<'d> Xe<'d> {
    /// The word of an instruction in its long form.
    pub fn encode(&mut self, i: &Inst, values: &mut Values) -> Result<u128, EncodeError> {
        if let Some(mut kept) = self.kept.take() {
            let word = kept.word(self, i, values);
            self.kept = Some(kept);
            if let Some(word) = word {
                return Ok(word);
            }
        }
        values.clear();
        for part in 0..PARTS {
            fields(self, i, part, values)?;
        }
        let encoding = self.op(i.op).encoding;
        let word = self.flat.write(encoding, values).map_err(|e| match e {
            WriteError::Absent(slot) => match self.option_of(i, slot) {
                Some(name) => EncodeError::Option(name),
                None => EncodeError::Absent(self.flat.name(slot).to_owned()),
            },
            WriteError::Range(slot) => EncodeError::Range(self.flat.name(slot).to_owned()),
            WriteError::Text(slot) => EncodeError::Text(self.flat.name(slot).to_owned()),
            WriteError::Unsettled => EncodeError::Other("the operands contradict each other".to_owned()),
        })?;
        let shape = self.flat.shape_of(encoding, word);
        self.kept.get_or_insert_default().learn(i, shape);
        Ok(word)
    }

    /// The option of an instruction that this field is, if it is one. (Fields that a machine has not share a slot.)
    fn option_of(&self, i: &Inst, slot: Slot) -> Option<&'static str> {
        let (s, o) = (&self.slots, &i.opts);
        let options = [
            (s.acc_wr, o.acc_wr, "AccWrEn"),
            (s.atomic, o.atomic, "Atomic"),
            (s.debug, o.breakpoint, "Breakpoint"),
            (s.eot, o.eot, "EOT"),
            (s.exbso, o.exbso, "ExBSO"),
            (s.cps, o.cps, "CPS"),
            (s.fusion, o.serialize, "Serialize"),
        ];
        options.iter().find(|(known, set, _)| *known == slot && *set).map(|(.., name)| *name)
    }

    /// The short form of a word of this instruction, 64 bits, if it has one.
    ///
    /// A short form holds a few fields as they are, and of the others the number of a row in a table of
    /// `specs/xe/compact.xml`. A first source with the region bits 0x466 is row 2 of `xe-src0` (464, 000, 466, …): four
    /// bits for twelve. Where a table has no such row there is no short form; what is found is expanded again and must
    /// give the same word.
    pub fn compact(&mut self, i: &Inst, word: u128) -> Option<u64> {
        let encoding = self.op(i.op).encoding;
        self.expander.compact(encoding, word)
    }
}

/// Parts of an instruction whose fields are set one by one: all but operands, the destination, the sources.
pub(crate) const PARTS: usize = 5;

/// Sets the fields of a part.
pub(crate) fn fields(xe: &Xe, i: &Inst, part: usize, v: &mut Values) -> Result<(), EncodeError> {
    if part == 0 {
        return head(xe, i, v);
    }
    if matches!(i.form, Form::None | Form::Send | Form::Sync) || i.form.branches() {
        return Ok(());
    }
    let info = xe.op(i.op);
    let Some(n) = part.checked_sub(2) else {
        return match i.form {
            Form::Dpas => destination(xe, &XeOperand { h: NO_STRIDE, ..i.dst }, v),
            _ => destination(xe, &with_region(info, 0, &i.dst), v),
        };
    };
    let (Some(o), Some(slots)) = (i.sources().get(n), xe.src.get(n)) else { return Ok(()) };
    if !info.mods && o.mods != 0 {
        return Err(EncodeError::Other(format!("`{}` takes no source modifiers", info.name)));
    }
    source(xe, &with_region(info, n + 1, o), slots, ternary(i.form), v)
}

/// A macro operand with the region that texts leave out.
fn with_region(info: &Operation<'_>, operand: usize, o: &XeOperand) -> XeOperand {
    if o.kind == XeOperandKind::Macro { info.implied.complete(operand, o) } else { *o }
}

/// All but the operands; of messages and branches, these too.
fn head(xe: &Xe, i: &Inst, v: &mut Values) -> Result<(), EncodeError> {
    let s = &xe.slots;
    let info = xe.op(i.op);
    let code = xe.swsb.encode(info.class, i.swsb).ok_or(EncodeError::Scoreboard)?;
    v.set(s.swsb, code);
    set_bit(v, s.debug, i.opts.breakpoint);
    if i.form == Form::None {
        return Ok(());
    }
    v.set_symbol(s.exec_size, xe.number_symbol(i.es));
    v.set_symbol(s.ch_off, xe.number_symbol(i.eo));
    if i.flag != (0, 0) {
        v.set(s.flag_reg, i.flag.0.into());
        v.set(s.flag_sub, i.flag.1.into());
    }
    if let Some(pred) = i.pred.filter(|_| info.pred) {
        // 1 means no function: each channel has its own flag.
        if xe.text(pred.func).is_empty() {
            v.set(s.pred, 1)
        } else {
            v.set_symbol(s.pred, pred.func)
        }
        set_bit(v, s.pred_inv, pred.inv);
    }
    for (slot, on) in [
        (s.no_mask, i.wren),
        (s.atomic, i.opts.atomic),
        (s.acc_wr, i.opts.acc_wr),
        (s.eot, i.opts.eot),
        (s.exbso, i.opts.exbso),
        (s.cps, i.opts.cps),
        (s.fusion, i.opts.serialize),
        (s.brctl, i.brctl),
    ] {
        set_bit(v, slot, on);
    }
    // Where an operation has no use for them, these are dropped; the assembler warns.
    if i.sat && info.sat {
        v.set(s.sat, 1);
    }
    if !xe.text(i.cond).is_empty() && i.form != Form::Math && info.cond {
        v.set_symbol(s.cond, i.cond);
        // An immediate of 64 bits leaves no room for it.
        v.make_optional(s.cond);
    }
    match i.form {
        Form::None | Form::Unary | Form::Binary => {}
        Form::Ternary => set_bit(v, s.float, floating(i)),
        Form::Bfn => {
            set_bit(v, s.float, floating(i));
            v.set_symbol(s.bfn, i.sub);
        }
        Form::Dpas => {
            set_bit(v, s.float, floating(i));
            v.set_symbol(s.depth, xe.number_symbol(i.dpas.0));
            v.set_symbol(s.repeat, xe.number_symbol(i.dpas.1));
        }
        Form::Math => v.set_symbol(s.math, i.sub),
        Form::Send => send(xe, i, v)?,
        Form::Sync => {
            v.set_symbol(s.sync, i.sub);
            let o = &i.srcs[0];
            info.implied.set(o.kind == XeOperandKind::Imm, v);
            if o.kind == XeOperandKind::Imm {
                v.set(xe.src[0].imm, 1);
                v.set(s.imm, o.imm);
            } else {
                register(xe, o, &xe.src[0], v)?;
                // Code 0, where there is a field for it.
                if o.ty != Type::UB {
                    v.set_symbol(xe.src[0].ty, xe.type_symbol(o.ty));
                }
            }
        }
        Form::Jump | Form::Label | Form::Labels | Form::Call | Form::Ret | Form::Brc => branch(xe, i, v)?,
    }
    Ok(())
}

fn set_bit(v: &mut Values, slot: Slot, on: bool) {
    if on {
        v.set(slot, 1);
    }
}

/// Whether a form has three sources with regions and immediates of their own.
pub(crate) fn ternary(form: Form) -> bool {
    matches!(form, Form::Ternary | Form::Bfn)
}

/// The bits of an immediate that its type has. Those of three-source forms have 16 bits, and a sign if the type has one: a wider type is
/// extended. `None` if the value is out of that range.
pub(crate) fn immediate_bits(o: &XeOperand, ternary: bool) -> Option<u64> {
    let bits = o.ty.bits();
    if ternary && bits > 16 && o.ty.style() == Style::Signed {
        let unused = 64u32.saturating_sub(bits);
        let value = (o.imm << unused).cast_signed() >> unused;
        return i16::try_from(value).ok().map(|value| value.cast_unsigned().into());
    }
    Some(if bits >= 64 { o.imm } else { o.imm & ((1 << bits) - 1) })
}

/// Whether operands are of the floating group of a three-source form.
pub(crate) fn floating(i: &Inst) -> bool {
    let float = |t: Type| t.style() == Style::Float || matches!(t.name(), "bf" | "bf8");
    float(i.dst.ty) || i.sources().iter().any(|o| float(o.ty))
}

fn stride(xe: &Xe, v: &mut Values, slot: Slot, number: u8) {
    if number != NO_STRIDE {
        v.set_symbol(slot, xe.number_symbol(number));
    }
}

fn register(xe: &Xe, o: &XeOperand, s: &OperandSlots, v: &mut Values) -> Result<(), EncodeError> {
    let info = xe.file(o.file);
    if u32::from(o.reg) >= info.count {
        return Err(EncodeError::Other(format!("there is no {}{}", info.name, o.reg)));
    }
    if o.file == File::R {
        v.set(s.file, 1);
        v.set(s.reg, o.reg.into());
    } else {
        let (file, reg) = if o.file == File::MME { (File::ACC, o.reg + 8) } else { (o.file, o.reg) };
        let symbol = xe.arf_symbol(file);
        if symbol != xe.null() {
            v.set_symbol(s.arf, symbol);
        }
        if reg != 0 {
            v.set(s.reg, reg.into());
        }
    }
    if o.sub != 0 {
        v.set(s.sub, o.sub.into());
    }
    Ok(())
}

/// A register by number, through an address register, or with an extension; else the error is `wanted`.
fn any_register(xe: &Xe, o: &XeOperand, s: &OperandSlots, v: &mut Values, wanted: &str) -> Result<(), EncodeError> {
    match o.kind {
        XeOperandKind::Indirect => {
            v.set(s.ind, 1);
            v.set(s.asub, o.sub.into());
            v.set(s.aoff, o.off as i64 as u64);
            Ok(())
        }
        XeOperandKind::Macro => {
            v.set_symbol(s.mme, o.mme);
            register(xe, &XeOperand { sub: 0, ..*o }, s, v)
        }
        XeOperandKind::Direct => register(xe, o, s, v),
        _ => Err(EncodeError::Other(wanted.to_owned())),
    }
}

fn destination(xe: &Xe, o: &XeOperand, v: &mut Values) -> Result<(), EncodeError> {
    let s = &xe.dst;
    v.set_symbol(s.ty, xe.type_symbol(o.ty));
    stride(xe, v, s.hs, o.h);
    any_register(xe, o, s, v, "the destination must be a register")
}

fn source(xe: &Xe, o: &XeOperand, s: &OperandSlots, ternary: bool, v: &mut Values) -> Result<(), EncodeError> {
    v.set_symbol(s.ty, xe.type_symbol(o.ty));
    if o.kind == XeOperandKind::Imm {
        v.set(s.imm, 1);
        let range = || EncodeError::Range(xe.flat.name(s.imm16).to_owned());
        let value = immediate_bits(o, ternary).ok_or_else(range)?;
        if ternary {
            v.set(s.imm16, value);
        } else {
            v.set(xe.slots.imm, value);
            v.set_optional(xe.slots.imm_copy, value);
        }
        return Ok(());
    }
    if o.mods != 0 {
        v.set(s.mods, o.mods.into());
    }
    stride(xe, v, s.vs, o.v);
    stride(xe, v, s.width, o.w);
    stride(xe, v, s.hs, o.h);
    any_register(xe, o, s, v, "a source must be a register or an immediate")
}

fn send(xe: &Xe, i: &Inst, v: &mut Values) -> Result<(), EncodeError> {
    let s = &xe.slots;
    v.set_symbol(s.sfid, i.sub);
    register(xe, &i.dst, &xe.dst, v)?;
    for (n, o) in i.sources().iter().enumerate().take(2) {
        register(xe, &XeOperand { sub: 0, ..*o }, &xe.src[n], v)?;
    }
    match i.desc {
        Desc::Imm(n) => v.set(s.desc, n.into()),
        Desc::Reg(0) => v.set(s.desc_reg, 1),
        Desc::Reg(_) => return Err(EncodeError::Other("the descriptor register must be a0.0".to_owned())),
    }
    match i.exdesc {
        Desc::Imm(n) => v.set(s.exdesc, n.into()),
        Desc::Reg(sub) => {
            v.set(s.exdesc_reg, 1);
            v.set(s.exdesc_sub, sub.into());
        }
    }
    if i.srcs[1].len > 0 {
        v.set(s.src1_len, i.srcs[1].len as u64);
    }
    Ok(())
}

fn branch(xe: &Xe, i: &Inst, v: &mut Values) -> Result<(), EncodeError> {
    if i.form == Form::Call {
        register(xe, &i.dst, &xe.dst, v)?;
    }
    let first = &i.srcs[0];
    if first.kind == XeOperandKind::Label {
        v.set(xe.src[0].imm, 1);
        v.set(xe.slots.jip, first.imm);
        if i.src_count == 2 {
            v.set(xe.src[1].imm, 1);
            v.set(xe.slots.uip, i.srcs[1].imm);
        }
        Ok(())
    } else {
        register(xe, first, &xe.src[0], v)
    }
}

impl<'d> Xe<'d> {
    pub(crate) fn null(&self) -> Symbol {
        self.arf_symbol(File::NULL)
    }
}
