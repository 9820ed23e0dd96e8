//! Operands of messages and of `sync`.

use super::{Parser, Result};
use crate::inst::{Desc, File, Inst, XeOperand, XeOperandKind};
use crate::types::Type;

impl Parser<'_, '_, '_> {
    pub(super) fn sync(&mut self, i: &mut Inst) -> Result<()> {
        self.space();
        i.src_count = 1;
        let o = &mut XeOperand::default();
        if self.eat(b'(') {
            o.kind = XeOperandKind::Imm;
            loop {
                self.space();
                if !self.eat(b'$') {
                    break;
                }
                let n = self.small("a token")?;
                o.imm |= 1u64.checked_shl(n.into()).filter(|bit| *bit <= 1 << 31).unwrap_or(0);
                self.space();
                if !self.eat(b',') {
                    break;
                }
            }
            self.need(b')')?;
        } else if self.peek().is_ascii_digit() {
            o.kind = XeOperandKind::Imm;
            o.imm = self.number("an immediate")?;
            if self.eat(b':') {
                self.word();
            }
        } else {
            let start = self.at();
            self.register(o)?;
            let element = self.sub_register(o)?;
            o.ty = Type::UB;
            if self.eat(b'<') {
                let length = self.rest.iter().position(|b| *b == b'>').map_or(0, |n| n + 1);
                self.skip(length);
            }
            self.ty(o)?;
            self.set_sub(o, element, start)?;
        }
        i.srcs[0] = *o;
        Ok(())
    }

    pub(super) fn send(&mut self, i: &mut Inst) -> Result<()> {
        self.space();
        self.register(&mut i.dst)?;
        self.payload_tail(&mut i.dst)?;
        self.space();
        i.src_count = 2;
        let gather = self.eat_text(b"r[s0.");
        if gather {
            let o = &mut i.srcs[0];
            (o.kind, o.file) = (XeOperandKind::Direct, File::S);
            o.sub = self.small("the number of a byte")?;
            self.need(b']')?;
            i.srcs[1] = XeOperand { kind: XeOperandKind::Direct, file: File::NULL, len: 0, ..XeOperand::default() };
        } else {
            let mut o = XeOperand::default();
            self.register(&mut o)?;
            self.payload_tail(&mut o)?;
            i.srcs[0] = o;
            self.space();
            let mut o = XeOperand::default();
            if self.peek().is_ascii_digit() || self.rest.starts_with(b"a0.") {
                // One payload only.
                (o.kind, o.file, o.len) = (XeOperandKind::Direct, File::NULL, 0);
            } else {
                self.register(&mut o)?;
                if self.eat(b':') {
                    o.len = i16::from(self.small("a length")?);
                }
                self.payload_tail(&mut o)?;
            }
            i.srcs[1] = o;
        }
        i.exdesc = self.descriptor()?;
        i.desc = self.descriptor()?;
        i.opts.exbso |= self.xe.implies_exbso(i);
        Ok(())
    }

    /// A type or region, which older listings show and which means nothing.
    pub(super) fn payload_tail(&mut self, o: &mut XeOperand) -> Result<()> {
        if self.eat(b':') {
            let start = self.at();
            if self.peek().is_ascii_digit() {
                o.len = i16::from(self.small("a length")?);
            } else if Type::parse(self.word()).is_none() {
                return Err(self.error("xe-type", "no such type", start, "expected a type"));
            }
        }
        Ok(())
    }

    pub(super) fn descriptor(&mut self) -> Result<Desc> {
        self.space();
        if self.eat_text(b"a0.") {
            return Ok(Desc::Reg(self.small("the number of an address word")?));
        }
        let start = self.at();
        let n = self.number("a descriptor")?;
        match u32::try_from(n) {
            Ok(n) => Ok(Desc::Imm(n)),
            Err(_) => Err(self.error("xe-range", "a descriptor has 32 bits", start, "too large")),
        }
    }
}
