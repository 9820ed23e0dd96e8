//! Loads and stores in their own syntax, such as `load.ugm.d32x4t.a64 (1|M0) r4:1 [r8:1+0x40] {$5}`.

use isaglot_source::Diagnostic;

use super::{Parser, Result};
use crate::inst::{Desc, File, Form, Inst, XeOperand, XeOperandKind};
use crate::message::{LoadStoreText, Offset};
use crate::platform::Platform;

impl<'a, 'd> Parser<'a, '_, 'd> {
    /// The message instruction that a mnemonic of this syntax stands for, and the mnemonic.
    pub(super) fn load_store_op(&self, name: &str) -> Option<(u8, &'d str)> {
        Some((self.xe.op_named("send")?, self.xe.load_store_named(name)?))
    }

    /// All after the mnemonic.
    pub(super) fn load_store(&mut self, i: &mut Inst, op: &'d str) -> Result<()> {
        let start = self.at();
        let mut text = LoadStoreText { op, ..LoadStoreText::default() };
        self.need(b'.')?;
        let unit = self.word();
        let function = self.xe.symbol(unit).filter(|s| self.xe.is_function(Form::Send, *s));
        i.sub =
            function.ok_or_else(|| self.error("xe-function", format!("no unit `{unit}`"), start, "unknown here"))?;
        self.need(b'.')?;
        self.controls(&mut text)?;
        self.space();
        self.channels(i)?;
        let null = XeOperand { kind: XeOperandKind::Direct, file: File::NULL, len: 0, ..XeOperand::default() };
        (i.dst, i.srcs[1], i.src_count) = (null, null, 2);
        if !op.starts_with("store") {
            (i.dst, text.dst_len) = self.counted_payload()?;
            self.space();
        }
        self.address(i, &mut text)?;
        self.space();
        if !self.rest.is_empty() && self.peek() != b'{' {
            let (data, len) = self.counted_payload()?;
            i.srcs[1] = XeOperand { len: len.into(), ..data };
            self.space();
        }
        if self.eat(b'{') {
            self.options(i)?;
        }
        let wrong = |message: String| -> Box<Diagnostic> {
            Diagnostic::error("xe-message", message).label(self.span(start), "in this message").into()
        };
        i.desc = Desc::Imm(self.xe.load_store_descriptor(&text).map_err(wrong)?);
        match text.register {
            Some(sub) => {
                i.exdesc = Desc::Reg(sub);
                // The length beside a register is part of one form only, which says so; from Xe2 on `ugm` has another.
                let sized = i.opts.exbso || (self.xe.platform >= Platform::Xe2 && unit == "ugm");
                if !sized {
                    i.srcs[1].len = -1;
                }
            }
            None => i.exdesc = Desc::Imm(self.xe.load_store_extended(&text).map_err(wrong)?),
        }
        Ok(())
    }

    /// `d32x4t.a64.ca.ca` or `d32.xyz.a64`.
    fn controls(&mut self, text: &mut LoadStoreText<'a, '_>) -> Result<()> {
        let start = self.at();
        let length = self.rest.iter().take_while(|b| b.is_ascii_alphanumeric() || **b == b'.').count();
        let all = std::str::from_utf8(self.take(length)).unwrap_or("");
        let mut parts = all.split('.');
        let data = parts.next().unwrap_or("");
        // The vector stands after an `x`, which no size of a datum has.
        let (size, vector) = data.split_once('x').unwrap_or((data, ""));
        text.data = size;
        text.vector = 1;
        let mut next = parts.next();
        if let Some(mask) = next.filter(|p| p.bytes().all(|b| b"xyzw".contains(&b))) {
            text.mask =
                Some(mask.bytes().fold(0, |set, b| set | 1 << (b"xyzw".iter().position(|c| *c == b).unwrap_or(0))));
            next = parts.next();
        }
        if !vector.is_empty() {
            let digits = vector.strip_suffix('t');
            text.transposed = digits.is_some();
            let count = digits.unwrap_or(vector).parse().ok();
            text.vector =
                count.ok_or_else(|| self.error("xe-message", "no such vector", start, "expected `x4`, say"))?;
        }
        let address = next.and_then(|p| p.strip_prefix('a'));
        text.address =
            address.ok_or_else(|| self.error("xe-message", "no size of addresses", start, "expected `.a64`, say"))?;
        text.cache = match (parts.next(), parts.next(), parts.next()) {
            (None, ..) => "df.df".to_owned(),
            (Some(first), Some(second), None) => format!("{first}.{second}"),
            _ => return Err(self.error("xe-message", "cache controls come in pairs", start, "expected `.ca.uc`, say")),
        };
        Ok(())
    }

    /// A register and how many are taken.
    fn counted_payload(&mut self) -> Result<(XeOperand, u8)> {
        let mut o = XeOperand::default();
        self.register(&mut o)?;
        self.need(b':')?;
        Ok((o, self.small("a number of registers")?))
    }

    /// `[r8:2+0x40]`, `bti[3][r8:2]`, `bss[a0.2][r8:1]`
    fn address(&mut self, i: &mut Inst, text: &mut LoadStoreText<'a, '_>) -> Result<()> {
        text.surface = "flat";
        if self.peek() != b'[' {
            text.surface = self.word();
            self.need(b'[')?;
            if self.eat_text(b"a0.") {
                text.register = Some(self.small("the number of an address word")?);
            } else {
                let start = self.at();
                let index = self.number("the number of a surface")?;
                text.index = u32::try_from(index).map_err(|_| {
                    self.error("xe-range", format!("{index} is out of range"), start, "the number of a surface")
                })?;
            }
            self.need(b']')?;
        }
        self.need(b'[')?;
        (i.srcs[0], text.src0_len) = self.counted_payload()?;
        if matches!(self.peek(), b'+' | b'-') {
            text.offset = Some(if self.rest.get(1) == Some(&b'(') {
                self.skip(2);
                let x = self.signed()?;
                self.need(b',')?;
                let y = self.signed()?;
                self.need(b')')?;
                Offset::Two(x, y)
            } else {
                Offset::One(self.signed()?)
            });
        }
        self.need(b']')
    }

    fn signed(&mut self) -> Result<i64> {
        let negative = self.eat(b'-');
        if !negative {
            self.eat(b'+');
        }
        let n = i64::try_from(self.number("an offset")?).unwrap_or(i64::MAX);
        Ok(if negative { -n } else { n })
    }
}
