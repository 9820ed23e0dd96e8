//! Operands: registers, regions, immediates.

use crate::float::{decimal, hex, immediate};
use crate::inst::{File, Form, Inst, NO_STRIDE, VXH, XeOperand, XeOperandKind};
use crate::isa::Xe;
use crate::platform::Platform;

use super::TextOptions;

impl<'d> Xe<'d> {
    /// Writes an operand; `source` is its number. Gives the bytes that do not count as width, `None` for an operand that is not
    /// padded.
    pub(super) fn operand(
        &self,
        i: &Inst,
        o: &XeOperand,
        source: Option<usize>,
        pc: u32,
        options: &TextOptions,
        out: &mut Vec<u8>,
    ) -> Option<usize> {
        match o.kind {
            XeOperandKind::None => return Some(0),
            XeOperandKind::Imm => {
                let start = out.len();
                if i.form == Form::Sync {
                    if self.text(i.sub) == "bar" {
                        hex(out, o.imm);
                        return Some(out.len() - start);
                    }
                    self.token_set(o.imm, out);
                    return None;
                }
                immediate(out, o.ty, o.imm, options.hex_floats);
                let digits = out.len() - start;
                out.push(b':');
                out.extend_from_slice(o.ty.name().as_bytes());
                return Some(digits);
            }
            XeOperandKind::Label => {
                let start = out.len();
                match options.numeric_labels {
                    true => decimal(out, o.imm as i64),
                    false => super::label(self.target(i, pc, o.imm), out),
                }
                return Some(out.len() - start);
            }
            XeOperandKind::Direct | XeOperandKind::Macro => {
                self.modifiers(i, o, out);
                self.register(o, out);
                if o.kind == XeOperandKind::Direct
                    && (i.form != Form::Dpas || source == Some(2) || self.sub_element(o) != 0)
                {
                    self.sub_register(o, out);
                }
            }
            XeOperandKind::Indirect => {
                self.modifiers(i, o, out);
                out.extend_from_slice(b"r[a0.");
                decimal(out, o.sub.into());
                if o.off != 0 {
                    out.push(b',');
                    decimal(out, o.off.into());
                }
                out.push(b']');
            }
        }
        if i.form == Form::Sync {
            if o.file != File::NULL {
                out.push(b':');
                out.extend_from_slice(o.ty.name().as_bytes());
            }
            return Some(0);
        }
        self.region(i, o, source, out);
        if !matches!(i.form, Form::Send | Form::Sync | Form::Call | Form::Ret | Form::Jump | Form::Brc) {
            out.push(b':');
            out.extend_from_slice(o.ty.name().as_bytes());
        }
        Some(0)
    }

    fn modifiers(&self, i: &Inst, o: &XeOperand, out: &mut Vec<u8>) {
        let negated: &[u8] = if self.op(i.op).bitwise && o.mods & 1 == 0 { b"~" } else { b"-" };
        if o.mods & 2 != 0 {
            out.extend_from_slice(negated);
        }
        if o.mods & 1 != 0 {
            out.extend_from_slice(b"(abs)");
        }
    }

    /// Bytes of one unit of a sub-register as it is written.
    pub(crate) fn sub_scale(&self, o: &XeOperand) -> u32 {
        match o.file {
            File::FC | File::MSG | File::CE | File::IP if self.platform < Platform::Xe2 => {
                1 + u32::from(self.platform.wide())
            }
            _ => o.ty.bytes(),
        }
    }

    /// The sub-register in elements of the type, as texts show it.
    pub(crate) fn sub_element(&self, o: &XeOperand) -> u32 {
        self.sub_unit(o)
    }

    /// The sub-register in elements of the type.
    pub(crate) fn sub_unit(&self, o: &XeOperand) -> u32 {
        match o.ty.bits() {
            bits @ 1..8 => u32::from(o.sub) * 8 / bits,
            _ => u32::from(o.sub) / self.sub_scale(o),
        }
    }

    fn register(&self, o: &XeOperand, out: &mut Vec<u8>) {
        out.extend_from_slice(self.file(o.file).name.as_bytes());
        if !matches!(o.file, File::NULL | File::CE | File::IP) {
            decimal(out, o.reg.into());
        }
        if o.kind == XeOperandKind::Macro {
            out.push(b'.');
            out.extend_from_slice(self.text(o.mme).as_bytes());
        }
    }

    fn sub_register(&self, o: &XeOperand, out: &mut Vec<u8>) {
        // There is one register of these. What stands after them means nothing, but is kept.
        if matches!(o.file, File::NULL | File::CE | File::IP) && self.sub_element(o) == 0 {
            return;
        }
        out.push(b'.');
        decimal(out, self.sub_element(o).into());
    }

    fn region(&self, i: &Inst, o: &XeOperand, source: Option<usize>, out: &mut Vec<u8>) {
        if o.h == NO_STRIDE || i.form == Form::Dpas || (o.kind == XeOperandKind::Macro && i.form != Form::Math) {
            return;
        }
        if o.kind == XeOperandKind::Macro && source.is_none() && self.op(i.op).implied.is_complete(0, o) {
            return;
        }
        out.push(b'<');
        if source.is_some() {
            if o.v != NO_STRIDE && o.v != VXH {
                decimal(out, o.v.into());
                out.push(b';');
            }
            if o.w != NO_STRIDE {
                decimal(out, o.w.into());
                out.push(b',');
            }
        }
        decimal(out, o.h.into());
        out.push(b'>');
    }

    fn token_set(&self, set: u64, out: &mut Vec<u8>) {
        out.push(b'(');
        let mut first = true;
        for n in (0..32).filter(|n| set >> n & 1 != 0) {
            if !std::mem::take(&mut first) {
                out.push(b',');
            }
            out.push(b'$');
            decimal(out, n);
        }
        out.push(b')');
    }
}
