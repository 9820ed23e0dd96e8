//! An instruction from the predicate to the flag modifier, and what operands its form takes.

use isaglot_codec::Symbol;
use isaglot_source::{Diagnostic, closest};

use super::{Parser, Result};
use crate::inst::{File, Form, Inst, Pred};
use crate::isa::EO;

/// In place of the number of a source.
const DESTINATION: u8 = 7;

impl Parser<'_, '_, '_> {
    pub(super) fn instruction(&mut self) -> Result<Inst> {
        let mut wren = false;
        let mut pred = None;
        let mut flag = (0, 0);
        if self.eat(b'(') {
            self.space();
            wren = self.eat(b'W');
            self.space();
            if !wren || self.eat(b'&') {
                self.space();
                let inv = self.eat(b'~');
                flag = self.flag()?;
                let mut func = self.xe.empty;
                if self.eat(b'.') {
                    let start = self.at();
                    let name = self.word();
                    let known = ["any", "all"].iter().any(|p| name.starts_with(p));
                    func = self.xe.symbol(name).filter(|_| known).ok_or_else(|| {
                        self.error("xe-predicate", format!("no predicate function `{name}`"), start, "not known here")
                    })?;
                }
                pred = Some(Pred { inv, func });
            }
            self.space();
            self.need(b')')?;
            self.space();
        }
        let start = self.at();
        let name = self.name();
        let Some(op) = self.xe.op_with_name(name) else {
            let name = std::str::from_utf8(name).unwrap_or("");
            let Some((op, message)) = self.load_store_op(name) else { return Err(self.unknown(name, start)) };
            let mut i = Inst::new(op, self.xe.op(op).form);
            (i.wren, i.pred, i.flag) = (wren, pred, flag);
            self.load_store(&mut i, message)?;
            return Ok(i);
        };
        let mut i = Inst::new(op, self.xe.op(op).form);
        (i.wren, i.pred, i.flag) = (wren, pred, flag);
        if self.eat(b'.') {
            self.function(&mut i)?;
        } else if matches!(i.form, Form::Math | Form::Sync | Form::Send | Form::Bfn | Form::Dpas) {
            return Err(self.expected("`.` and a function"));
        }
        self.space();
        let start = self.at();
        self.channels(&mut i)?;
        if (i.es, i.eo) != (1, 0) && !self.xe.has_channels(&i) && i.form != Form::Sync {
            let message = format!("`{name}` has one channel", name = self.xe.op(op).name);
            return Err(self.error("xe-range", message, start, "expected `(1|M0)`, or nothing"));
        }
        self.flag_modifier(&mut i)?;
        self.operands(&mut i)?;
        self.space();
        if self.eat(b'{') {
            self.options(&mut i)?;
        }
        if i.form == Form::Math && self.xe.is_macro(i.sub) {
            i.cond = EO;
        }
        i.wren |= self.xe.op(i.op).unmasked;
        Ok(i)
    }

    /// `(16|M0)`, if it is there.
    pub(super) fn channels(&mut self, i: &mut Inst) -> Result<()> {
        // As listings write it.
        let before = self.rest;
        if self.eat(b'(')
            && let Some(es) = self.few_digits()
            && self.eat_text(b"|M")
            && let Some(eo) = self.few_digits()
            && self.eat(b')')
        {
            (i.es, i.eo) = (es, eo);
            self.space();
            return Ok(());
        }
        self.rest = before;
        if self.peek() == b'(' && self.rest.get(1).is_some_and(u8::is_ascii_digit) {
            self.skip(1);
            i.es = self.small("a number of channels")?;
            if self.eat(b'|') {
                self.need(b'M')?;
                i.eo = self.small("a channel")?;
            }
            self.need(b')')?;
            self.space();
        } else if self.xe.has_channels(i) {
            return Err(self.expected("a number of channels, such as `(16|M0)`"));
        }
        Ok(())
    }

    fn unknown(&self, name: &str, start: usize) -> Box<Diagnostic> {
        if name.is_empty() {
            return self.expected("an instruction");
        }
        let message = format!("no instruction `{name}` on {}", self.xe.platform.name());
        let d = self.error("xe-mnemonic", message, start, "unknown mnemonic");
        Box::new(d.did_you_mean(closest(name, self.xe.ops().iter().map(|o| o.name))))
    }

    pub(super) fn flag(&mut self) -> Result<(u8, u8)> {
        if !self.eat(b'f') {
            return Err(self.expected("a flag register"));
        }
        let start = self.at();
        let reg = self.small("the number of a flag register")?;
        let sub = if self.eat(b'.') { self.small("0 or 1")? } else { 0 };
        if u32::from(reg) >= self.xe.file(File::F).count || sub > 1 {
            return Err(self.error("xe-range", format!("there is no f{reg}.{sub}"), start, "out of range"));
        }
        Ok((reg, sub))
    }

    /// What stands after the dot of the mnemonic.
    pub(super) fn function(&mut self, i: &mut Inst) -> Result<()> {
        let start = self.at();
        let name = match i.form {
            Form::Bfn if self.peek() == b'(' => {
                // Up to the parenthesis that closes the first.
                let length = self.length_to(|b, depth| b == b')' && depth == 0);
                let text = self.take(length + 1);
                let text = std::str::from_utf8(text).unwrap_or("");
                // The outer parentheses belong to some of the names and to the syntax of the others.
                match self.xe.symbol(text) {
                    Some(_) => text,
                    None => text.strip_prefix('(').and_then(|t| t.strip_suffix(')')).unwrap_or(text),
                }
            }
            Form::Bfn => {
                let value = self.number("a truth table")?;
                let symbol = self.xe.bfn_symbol(value);
                i.sub =
                    symbol.ok_or_else(|| self.error("xe-range", "a truth table has 8 bits", start, "out of range"))?;
                return Ok(());
            }
            Form::Dpas => {
                let word = self.word();
                let shape = word.split_once('x').and_then(|(d, r)| Some((d.parse().ok()?, r.parse().ok()?)));
                i.dpas =
                    shape.ok_or_else(|| self.error("xe-function", "no such shape", start, "expected `8x4`, say"))?;
                return Ok(());
            }
            Form::Math | Form::Sync | Form::Send => self.word(),
            _ => {
                if self.word() == "b" && self.xe.op(i.op).brctl {
                    i.brctl = true;
                    return Ok(());
                }
                return Err(self.error("xe-function", "this instruction has no functions", start, "unexpected"));
            }
        };
        i.sub = self.xe.symbol(name).filter(|s| self.xe.is_function(i.form, *s)).ok_or_else(|| {
            let message = format!("`{}` has no function `{name}`", self.xe.op(i.op).name);
            self.error("xe-function", message, start, "unknown here")
        })?;
        Ok(())
    }

    pub(super) fn flag_modifier(&mut self, i: &mut Inst) -> Result<()> {
        if self.peek() != b'(' {
            return Ok(());
        }
        let start = self.at();
        self.skip(1);
        let name = self.name();
        let cond = match name {
            b"eq" | b"e" | b"z" | b"ze" => "eq",
            b"ne" | b"nz" => "ne",
            b"lt" | b"l" => "lt",
            b"gt" | b"g" => "gt",
            b"le" => "le",
            b"ge" => "ge",
            b"ov" | b"o" => "ov",
            b"un" | b"u" => "un",
            b"eo" => "eo",
            _ => {
                // Saturation or a source modifier.
                self.back_to(start);
                return Ok(());
            }
        };
        self.need(b')')?;
        let at = self.at();
        let flag = self.flag()?;
        if i.pred.is_some() && flag != i.flag {
            let message = "predicate and flag modifier must name the same flag register";
            return Err(self.error("xe-flags", message, at, "differs from the predicate's"));
        }
        i.flag = flag;
        i.cond = if cond == "eo" { EO } else { self.xe.symbol(cond).unwrap_or(Symbol::NONE) };
        self.space();
        Ok(())
    }

    pub(super) fn operands(&mut self, i: &mut Inst) -> Result<()> {
        match i.form {
            Form::None => return Ok(()),
            Form::Send => return self.send(i),
            Form::Sync => return self.sync(i),
            _ => {}
        }
        if i.form.has_dst() {
            i.sat = self.eat_text(b"(sat)");
            self.space();
            self.operands[0] = self.at();
            i.dst = self.seen(i.form, DESTINATION, |p| p.destination(i))?;
            i.dst = self.xe.with_default_region(i, 0, i.dst);
        }
        let (least, most) = match i.form {
            Form::Unary | Form::Jump | Form::Label | Form::Call | Form::Ret => (1, 1),
            Form::Binary | Form::Labels => (2, 2),
            Form::Math => (1, 2),
            Form::Brc => (1, 2),
            _ => (3, 3),
        };
        for n in 0..most {
            self.space();
            if n >= least && (self.rest.is_empty() || self.peek() == b'{') {
                break;
            }
            let at = self.at();
            if let Some(operand) = self.operands.get_mut(n + 1) {
                *operand = at;
            }
            let o = if i.form.branches() {
                self.source_operand(i, n)?
            } else {
                self.seen(i.form, n as u8, |p| p.source_operand(i, n))?
            };
            let o = self.xe.with_default_region(i, n + 1, o);
            if let Some(slot) = i.srcs.get_mut(n) {
                *slot = o;
            }
            i.src_count = n as u8 + 1;
        }
        if i.form == Form::Math && self.xe.math_sources(i.sub) == 1 && i.src_count == 2 {
            // Older listings show the absent second source as `null`.
            i.src_count = 1;
        }
        Ok(())
    }
}
