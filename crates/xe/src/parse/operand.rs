//! Operands: registers, regions, immediates, branch targets.

use super::{DISTANCE, Parser, Result};
use crate::float;
use crate::inst::{File, Form, Inst, NO_STRIDE, VXH, XeOperand, XeOperandKind};
use crate::types::Type;

impl Parser<'_, '_, '_> {
    /// `r[a0.N,off]`, after the `r`.
    pub(super) fn indirect(&mut self, o: &mut XeOperand) -> Result<()> {
        o.kind = XeOperandKind::Indirect;
        o.file = File::A;
        self.need(b'[')?;
        if !self.eat_text(b"a0.") {
            return Err(self.expected("`a0.` and a word"));
        }
        o.sub = self.small("the number of an address word")?;
        self.space();
        let start = self.at();
        let mut sign = 1;
        let offset = if self.eat(b',') {
            self.space();
            if self.eat(b'-') {
                sign = -1;
            }
            true
        } else if self.eat(b'-') {
            sign = -1;
            true
        } else {
            self.eat(b'+')
        };
        if offset {
            self.space();
            let n = self.number("an offset")?;
            let n = i64::try_from(n).unwrap_or(i64::MAX).saturating_mul(sign);
            o.off = i16::try_from(n).map_err(|_| self.error("xe-range", "offset out of range", start, "too far"))?;
        }
        self.space();
        self.need(b']')
    }

    /// A register's name and number, without sub-register.
    pub(super) fn register(&mut self, o: &mut XeOperand) -> Result<()> {
        let start = self.at();
        o.kind = XeOperandKind::Direct;
        let name = self.letters();
        if name == b"r" && self.peek() == b'[' {
            return self.indirect(o);
        }
        let file = if name == b"r" {
            Some(File::R)
        } else {
            std::str::from_utf8(name).ok().and_then(|name| self.xe.file_named(name))
        };
        let Some(file) = file else {
            self.back_to(start);
            return Err(self.expected("a register"));
        };
        o.file = file;
        if self.peek().is_ascii_digit() {
            o.reg = self.small("the number of a register")?;
        } else if !matches!(file, File::NULL | File::CE | File::IP) {
            return Err(self.expected("the number of a register"));
        }
        let info = self.xe.file(file);
        if u32::from(o.reg) >= info.count {
            let message = format!("there is no {}{} on {}", info.name, o.reg, self.xe.platform.name());
            return Err(self.error(
                "xe-register",
                message,
                start,
                &format!("expected 0 to {}", info.count.saturating_sub(1)),
            ));
        }
        Ok(())
    }

    /// `.N` or `.mmeN`; gives N, which counts elements of a type that comes later.
    pub(super) fn sub_register(&mut self, o: &mut XeOperand) -> Result<u64> {
        if o.kind != XeOperandKind::Direct || !self.eat(b'.') {
            return Ok(0);
        }
        if self.peek().is_ascii_digit() {
            return self.number("the number of a sub-register");
        }
        let start = self.at();
        let name = match self.word() {
            "noacc" => "nomme",
            name => name,
        };
        o.mme = self.xe.symbol(name).filter(|_| name.contains("mme")).ok_or_else(|| {
            self.error("xe-register", format!("no extension `{name}`"), start, "expected `mme0`, say")
        })?;
        o.kind = XeOperandKind::Macro;
        Ok(0)
    }

    pub(super) fn ty(&mut self, o: &mut XeOperand) -> Result<()> {
        if !self.eat(b':') {
            return Ok(());
        }
        let start = self.at();
        let name = self.name();
        o.ty = self.xe.type_named(name).ok_or_else(|| {
            let message = format!("no type `{}`", String::from_utf8_lossy(name));
            self.error("xe-type", message, start, "expected `ud` or `f`, say")
        })?;
        Ok(())
    }

    /// Turns a sub-register in elements into bytes.
    pub(super) fn set_sub(&self, o: &mut XeOperand, element: u64, start: usize) -> Result<()> {
        if o.kind != XeOperandKind::Direct {
            return Ok(());
        }
        let scale = u64::from(self.xe.sub_scale(o));
        let size = self.xe.file(o.file).bytes.max(1);
        let bits = u64::from(o.ty.bits());
        let bytes = if bits < 8 { element.saturating_mul(bits) / 8 } else { element.saturating_mul(scale) };
        o.sub = u8::try_from(bytes).ok().filter(|_| o.file != File::R || bytes < u64::from(size)).ok_or_else(|| {
            self.error(
                "xe-register",
                format!("sub-register {element} is past the end of the register"),
                start,
                "too large",
            )
        })?;
        Ok(())
    }

    pub(super) fn destination(&mut self, i: &Inst) -> Result<XeOperand> {
        let start = self.at();
        let mut o = XeOperand::default();
        self.register(&mut o)?;
        let element = self.sub_register(&mut o)?;
        if self.eat(b'<') {
            o.h = self.small("a stride")?;
            self.need(b'>')?;
        }
        self.ty(&mut o)?;
        if i.form == Form::Call {
            o.ty = Type::D;
        }
        self.set_sub(&mut o, element, start)?;
        Ok(o)
    }

    /// Whether a branch goes to a register: `r5`, `a0.2`, `ip`. All else is a label.
    fn at_register(&self) -> bool {
        let length = self.rest.iter().take_while(|b| b.is_ascii_alphanumeric()).count();
        let (name, rest) = self.rest.split_at(length);
        match name {
            [b'r', b'0'..=b'9', ..] | b"null" | b"ce" | b"ip" => true,
            _ => rest.first() == Some(&b'.') && name.first().is_some_and(u8::is_ascii_alphabetic),
        }
    }

    pub(super) fn source_operand(&mut self, i: &Inst, n: usize) -> Result<XeOperand> {
        let start = self.at();
        let mut o = XeOperand::default();
        if i.form.branches() && !self.at_register() {
            return self.target();
        }
        let negative = matches!(self.peek(), b'-' | b'~');
        if self.at_immediate(negative) {
            return self.immediate();
        }
        if negative {
            self.skip(1);
            o.mods = 2;
        }
        if self.eat_text(b"(abs)") {
            o.mods |= 1;
        }
        self.register(&mut o)?;
        let one = self.peek() == b'.';
        let element = self.sub_register(&mut o)?;
        if self.eat(b'<') {
            self.region(i, n, &mut o)?;
        } else if one && o.kind == XeOperandKind::Direct {
            o = self.xe.op(i.op).implied.complete_one(n + 1, &o);
        }
        self.ty(&mut o)?;
        if i.form.branches() {
            o.ty = Type::D;
        }
        self.set_sub(&mut o, element, start)?;
        Ok(o)
    }

    /// Whether an immediate comes, after a sign or without one. A parenthesis is a part of it unless it is `(abs)`.
    fn at_immediate(&self, signed: bool) -> bool {
        let rest = self.rest.get(usize::from(signed)..).unwrap_or(&[]);
        match rest.first() {
            Some(b'0'..=b'9') => true,
            Some(b'i' | b'q' | b's') => [&b"inf"[..], b"qnan", b"snan"].iter().any(|name| rest.starts_with(name)),
            Some(b'(') => !rest.starts_with(b"(abs)"),
            Some(b'-' | b'~') => signed,
            _ => false,
        }
    }

    pub(super) fn region(&mut self, i: &Inst, n: usize, o: &mut XeOperand) -> Result<()> {
        let first = self.small("a stride")?;
        if self.eat(b';') {
            o.v = first;
            let second = self.small("a width")?;
            if self.eat(b',') {
                o.w = second;
                o.h = self.small("a stride")?;
            } else {
                o.h = second;
            }
        } else if self.eat(b',') {
            (o.v, o.w) = (VXH, first);
            o.h = self.small("a stride")?;
        } else {
            o.h = first;
        }
        self.need(b'>')?;
        let ternary = matches!(i.form, Form::Ternary | Form::Bfn);
        if ternary && (o.w != NO_STRIDE || (n < 2) != (o.v != NO_STRIDE)) || !ternary && o.w == NO_STRIDE {
            let wanted = match (ternary, n) {
                (true, 2) => "`<1>`",
                (true, _) => "`<1;0>`",
                _ => "`<1;1,0>`",
            };
            return Err(self.expected(&format!("a region of the shape {wanted}")));
        }
        Ok(())
    }

    pub(super) fn immediate(&mut self) -> Result<XeOperand> {
        let start = self.at();
        let length = self.length_to(|b, depth| b == b':' && depth == 0 || b.is_ascii_whitespace());
        let text = std::str::from_utf8(self.take(length)).unwrap_or("");
        let mut o = XeOperand { kind: XeOperandKind::Imm, ..XeOperand::default() };
        if self.peek() == b':' {
            self.ty(&mut o)?;
            if let Some(bits) = float::parse(text, o.ty) {
                o.imm = bits;
                return Ok(o);
            }
            if is_number(text) {
                let message = format!("`{text}` is no value of type {}", o.ty.name());
                return Err(self.error("xe-immediate", message, start, "does not fit"));
            }
        }
        self.back_to(start);
        let (value, complement) = self.expression()?;
        self.space();
        if self.peek() != b':' {
            return Err(self.expected("`:` and the immediate's type"));
        }
        self.ty(&mut o)?;
        o.imm = self.immediate_bits(value, complement, o.ty, start)?;
        Ok(o)
    }

    pub(super) fn target(&mut self) -> Result<XeOperand> {
        let start = self.at();
        if self.peek().is_ascii_digit() || self.peek() == b'-' {
            // A distance in bytes, or the address for `calla`.
            let sign = if self.eat(b'-') { -1 } else { 1 };
            let n = i64::try_from(self.number("a distance")?).unwrap_or(i64::MAX).saturating_mul(sign);
            if self.eat(b':') {
                self.word();
            }
            return Ok(XeOperand { kind: XeOperandKind::Label, imm: n as u64, len: DISTANCE, ..XeOperand::default() });
        }
        let name = self.name();
        if name.is_empty() {
            return Err(self.expected("a label"));
        }
        let id = self.label_id(name, start);
        Ok(XeOperand { kind: XeOperandKind::Label, imm: id.into(), ..XeOperand::default() })
    }
}

/// Whether a text is one number, and not an expression.
fn is_number(text: &str) -> bool {
    let digits = text.strip_prefix('-').unwrap_or(text);
    float::integer(digits).is_some() || digits.parse::<f64>().is_ok() || digits.contains("nan")
}
