//! Text into instructions.
//!
//! A line is read left to right without going back: predicate, mnemonic, channels, flag modifier, operands, options.
//! What is wrong with a line is reported and the line left out; reading goes on with the next.

use isaglot_codec::Symbol;
use isaglot_source::{Diagnostic, Diagnostics, FileId, Span, closest};
use rustc_hash::FxHashMap;

use crate::float;
use crate::inst::{Desc, File, Form, Inst, Kind, NO_STRIDE, Operand, Pred, VXH};
use crate::isa::{EO, Xe};
use crate::swsb::{PIPES, Swsb, Token};
use crate::types::Type;

/// In place of a length: a branch operand that is a number rather than a label.
pub(crate) const DISTANCE: i16 = i16::MIN;

/// An instruction of a text.
#[derive(Clone, Copy, Debug)]
pub struct Line {
    /// The instruction; the labels of its branch operands are indices of [`Source::labels`].
    pub inst: Inst,
    /// Where it stands.
    pub span: Span,
}

/// A label of a text.
#[derive(Clone, Debug)]
pub struct SourceLabel {
    /// Its name.
    pub name: String,
    /// Before which of [`Source::lines`] it stands, once it was defined.
    pub at: Option<usize>,
    /// Where it was first named.
    pub span: Span,
}

/// A text, read.
#[derive(Clone, Debug, Default)]
pub struct Source {
    /// Instructions in order.
    pub lines: Vec<Line>,
    /// Labels, those that are only named included.
    pub labels: Vec<SourceLabel>,
}

impl Xe {
    /// Reads a text; every problem is added to `out`.
    pub fn parse(&self, file: FileId, text: &[u8], out: &mut Diagnostics) -> Source {
        let mut source = Source::default();
        let mut names: FxHashMap<&[u8], u32> = FxHashMap::default();
        let mut start = 0;
        let mut warnings = Diagnostics::new();
        while start < text.len() {
            let length = text[start..].iter().position(|b| *b == b'\n').unwrap_or(text.len() - start);
            let line = &text[start..start + length];
            let mut p = Parser {
                xe: self,
                text,
                at: start,
                end: start + content(line),
                file,
                source: &mut source,
                names: &mut names,
                warnings: &mut warnings,
            };
            if let Err(d) = p.line() {
                out.push(d);
            }
            start += length + 1;
        }
        out.append(warnings);
        source
    }
}

/// Length of a line without its comment and end.
fn content(line: &[u8]) -> usize {
    let mut end = line.len();
    if let Some(at) = line.windows(2).position(|w| w == b"//") {
        end = at;
    }
    while end > 0 && line[end - 1].is_ascii_whitespace() {
        end -= 1;
    }
    end
}

struct Parser<'a, 's> {
    xe: &'a Xe,
    text: &'a [u8],
    at: usize,
    end: usize,
    file: FileId,
    source: &'s mut Source,
    names: &'s mut FxHashMap<&'a [u8], u32>,
    warnings: &'s mut Diagnostics,
}

type Result<T> = std::result::Result<T, Diagnostic>;

impl<'a> Parser<'a, '_> {
    fn rest(&self) -> &'a [u8] {
        self.text.get(self.at..self.end).unwrap_or(&[])
    }

    fn peek(&self) -> u8 {
        self.rest().first().copied().unwrap_or(0)
    }

    fn space(&mut self) {
        loop {
            while matches!(self.peek(), b' ' | b'\t' | b'\r') {
                self.at += 1;
            }
            // A comment inside the line, such as the offset and encoding that listings show.
            if !self.rest().starts_with(b"/*") {
                return;
            }
            self.at += self.rest().windows(2).position(|w| w == b"*/").map_or(self.end - self.at, |n| n + 2);
        }
    }

    fn eat(&mut self, byte: u8) -> bool {
        let there = self.peek() == byte && self.at < self.end;
        self.at += usize::from(there);
        there
    }

    fn eat_text(&mut self, text: &[u8]) -> bool {
        let there = self.rest().starts_with(text);
        self.at += if there { text.len() } else { 0 };
        there
    }

    fn span(&self, start: usize) -> Span {
        Span::new(self.file, start, self.at.max(start + 1).min(self.text.len().max(start)))
    }

    fn error(&self, code: &'static str, message: impl Into<String>, start: usize, expected: &str) -> Diagnostic {
        Diagnostic::error(code, message).label(self.span(start), expected)
    }

    fn expected(&self, what: &str) -> Diagnostic {
        let found = match self.rest().first() {
            Some(_) => {
                let length = self.rest().iter().position(|b| b.is_ascii_whitespace()).unwrap_or(self.rest().len());
                format!("`{}`", String::from_utf8_lossy(&self.rest()[..length.clamp(1, 40)]))
            }
            None => "the end of the line".to_owned(),
        };
        Diagnostic::error("xe-syntax", format!("expected {what}, found {found}"))
            .label(Span::new(self.file, self.at, self.at + 1), format!("expected {what}"))
    }

    fn need(&mut self, byte: u8) -> Result<()> {
        if self.eat(byte) { Ok(()) } else { Err(self.expected(&format!("`{}`", char::from(byte)))) }
    }

    /// Letters, digits and underscores.
    fn word(&mut self) -> &'a str {
        let length = self.rest().iter().take_while(|b| b.is_ascii_alphanumeric() || **b == b'_').count();
        let word = &self.rest()[..length];
        self.at += length;
        std::str::from_utf8(word).unwrap_or("")
    }

    fn letters(&mut self) -> &'a str {
        let length = self.rest().iter().take_while(|b| b.is_ascii_alphabetic()).count();
        let word = &self.rest()[..length];
        self.at += length;
        std::str::from_utf8(word).unwrap_or("")
    }

    fn number(&mut self, what: &str) -> Result<u64> {
        let start = self.at;
        let word = self.word();
        float::integer(word).filter(|_| !word.is_empty()).ok_or_else(|| {
            self.at = start;
            self.expected(what)
        })
    }

    fn small(&mut self, what: &str) -> Result<u8> {
        let start = self.at;
        let n = self.number(what)?;
        u8::try_from(n).map_err(|_| self.error("xe-range", format!("{n} is out of range"), start, what))
    }

    fn label_id(&mut self, name: &'a str, start: usize) -> u32 {
        let next = self.source.labels.len() as u32;
        let id = *self.names.entry(name.as_bytes()).or_insert(next);
        if id == next {
            let span = self.span(start);
            self.source.labels.push(SourceLabel { name: name.to_owned(), at: None, span });
        }
        id
    }

    fn line(&mut self) -> Result<()> {
        loop {
            self.space();
            let start = self.at;
            let name = self.word();
            if name.is_empty() || !self.eat(b':') {
                self.at = start;
                break;
            }
            self.at -= 1;
            let id = self.label_id(name, start);
            self.at += 1;
            let at = self.source.lines.len();
            let span = self.span(start);
            let Some(label) = self.source.labels.get_mut(id as usize) else { continue };
            if label.at.replace(at).is_some() {
                let first = label.span;
                return Err(Diagnostic::error("xe-label-twice", format!("label `{name}` is defined twice"))
                    .label(span, "second definition")
                    .secondary(first, "first seen here"));
            }
            label.span = span;
        }
        if self.at >= self.end {
            return Ok(());
        }
        let start = self.at;
        let inst = self.instruction()?;
        self.space();
        if self.at < self.end {
            return Err(self.expected("the end of the instruction"));
        }
        let span = self.span(start);
        let info = self.xe.op(inst.op);
        for (unused, what) in [
            (inst.pred.is_some() && !info.pred, "a predicate"),
            (inst.sat && !info.sat, "saturation"),
            (!info.cond && inst.form != Form::Math && inst.cond != Symbol::NONE, "a flag modifier"),
        ] {
            if unused {
                let message = format!("`{}` has no use for {what}; it is dropped", info.name);
                self.warnings.push(Diagnostic::warning("xe-unused", message).label(span, "here"));
            }
        }
        self.source.lines.push(Line { inst, span });
        Ok(())
    }

    fn instruction(&mut self) -> Result<Inst> {
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
                    let start = self.at;
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
        let start = self.at;
        let name = self.word();
        let Some(op) = self.xe.op_named(name) else {
            return Err(self.unknown(name, start));
        };
        let mut i = Inst::new(op, self.xe.op(op).form);
        (i.wren, i.pred, i.flag) = (wren, pred, flag);
        if self.eat(b'.') {
            self.function(&mut i)?;
        } else if matches!(i.form, Form::Math | Form::Sync | Form::Send | Form::Bfn | Form::Dpas) {
            return Err(self.expected("`.` and a function"));
        }
        self.space();
        if self.peek() == b'(' && self.rest().get(1).is_some_and(u8::is_ascii_digit) {
            self.at += 1;
            i.es = self.small("a number of channels")?;
            self.need(b'|')?;
            self.need(b'M')?;
            i.eo = self.small("a channel")?;
            self.need(b')')?;
            self.space();
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
        if self.xe.op(i.op).name == "jmpi" {
            // It has one channel and is never masked.
            i.wren = true;
        }
        Ok(i)
    }

    fn unknown(&self, name: &str, start: usize) -> Diagnostic {
        if name.is_empty() {
            return self.expected("an instruction");
        }
        let message = format!("no instruction `{name}` on {}", self.xe.platform.name());
        let d = self.error("xe-mnemonic", message, start, "unknown mnemonic");
        match closest(name, self.xe.ops().iter().map(|o| o.name)) {
            Some(near) => d.note(format!("did you mean `{near}`?")),
            None => d,
        }
    }

    fn flag(&mut self) -> Result<(u8, u8)> {
        if !self.eat(b'f') {
            return Err(self.expected("a flag register"));
        }
        let start = self.at;
        let reg = self.small("the number of a flag register")?;
        let sub = if self.eat(b'.') { self.small("0 or 1")? } else { 0 };
        if u32::from(reg) >= self.xe.file(File::F).count || sub > 1 {
            return Err(self.error("xe-range", format!("there is no f{reg}.{sub}"), start, "out of range"));
        }
        Ok((reg, sub))
    }

    /// What stands behind the dot of the mnemonic.
    fn function(&mut self, i: &mut Inst) -> Result<()> {
        let start = self.at;
        let name = match i.form {
            Form::Bfn if self.peek() == b'(' => {
                let mut depth = 0usize;
                let length = self.rest().iter().position(|b| {
                    match b {
                        b'(' => depth += 1,
                        b')' => depth = depth.saturating_sub(1),
                        _ => {}
                    }
                    depth == 0
                });
                let length = length.map_or(self.rest().len(), |n| n + 1);
                let text = &self.rest()[..length];
                self.at += length;
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

    fn flag_modifier(&mut self, i: &mut Inst) -> Result<()> {
        if self.peek() != b'(' {
            return Ok(());
        }
        let start = self.at;
        self.at += 1;
        let name = self.word();
        let cond = match name {
            "eq" | "e" | "z" | "ze" => "eq",
            "ne" | "nz" => "ne",
            "lt" | "l" => "lt",
            "gt" | "g" => "gt",
            "le" => "le",
            "ge" => "ge",
            "ov" | "o" => "ov",
            "un" | "u" => "un",
            "eo" => "eo",
            _ => {
                // Saturation or a source modifier.
                self.at = start;
                return Ok(());
            }
        };
        self.need(b')')?;
        let at = self.at;
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

    fn operands(&mut self, i: &mut Inst) -> Result<()> {
        match i.form {
            Form::None => return Ok(()),
            Form::Send => return self.send(i),
            Form::Sync => return self.sync(i),
            _ => {}
        }
        if i.form.has_dst() {
            i.sat = self.eat_text(b"(sat)");
            self.space();
            i.dst = self.destination(i)?;
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
            if n >= least && (self.at >= self.end || self.peek() == b'{') {
                break;
            }
            let o = self.source_operand(i, n)?;
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

    /// `r[a0.N,off]`, behind the `r`.
    fn indirect(&mut self, o: &mut Operand) -> Result<()> {
        o.kind = Kind::Indirect;
        o.file = File::A;
        self.need(b'[')?;
        if !self.eat_text(b"a0.") {
            return Err(self.expected("`a0.` and a word"));
        }
        o.sub = self.small("the number of an address word")?;
        self.space();
        let start = self.at;
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
            let n = self.number("an offset")?;
            let n = i64::try_from(n).unwrap_or(i64::MAX).saturating_mul(sign);
            o.off = i16::try_from(n).map_err(|_| self.error("xe-range", "offset out of range", start, "too far"))?;
        }
        self.space();
        self.need(b']')
    }

    /// A register's name and number, without sub-register.
    fn register(&mut self, o: &mut Operand) -> Result<()> {
        let start = self.at;
        o.kind = Kind::Direct;
        let name = self.letters();
        if name == "r" && self.peek() == b'[' {
            return self.indirect(o);
        }
        let Some(file) = self.xe.file_named(name) else {
            self.at = start;
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
            let message = format!("there is no {name}{} on {}", o.reg, self.xe.platform.name());
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
    fn sub_register(&mut self, o: &mut Operand) -> Result<u64> {
        if o.kind != Kind::Direct || !self.eat(b'.') {
            return Ok(0);
        }
        if self.peek().is_ascii_digit() {
            return self.number("the number of a sub-register");
        }
        let start = self.at;
        let name = match self.word() {
            "noacc" => "nomme",
            name => name,
        };
        o.mme = self.xe.symbol(name).filter(|_| name.contains("mme")).ok_or_else(|| {
            self.error("xe-register", format!("no extension `{name}`"), start, "expected `mme0`, say")
        })?;
        o.kind = Kind::Macro;
        Ok(0)
    }

    fn ty(&mut self, o: &mut Operand) -> Result<()> {
        if !self.eat(b':') {
            return Ok(());
        }
        let start = self.at;
        let name = self.word();
        o.ty = Type::parse(name)
            .ok_or_else(|| self.error("xe-type", format!("no type `{name}`"), start, "expected `ud` or `f`, say"))?;
        Ok(())
    }

    /// Turns a sub-register in elements into bytes.
    fn set_sub(&self, o: &mut Operand, element: u64, start: usize) -> Result<()> {
        if o.kind != Kind::Direct {
            return Ok(());
        }
        let scale = u64::from(self.xe.sub_scale(o));
        let size = self.xe.file(o.file).bytes.max(1);
        let bytes = element.saturating_mul(scale);
        o.sub = u8::try_from(bytes).ok().filter(|_| o.file != File::R || bytes < u64::from(size)).ok_or_else(|| {
            self.error("xe-register", format!("sub-register {element} lies behind the register"), start, "too large")
        })?;
        Ok(())
    }

    fn destination(&mut self, i: &Inst) -> Result<Operand> {
        let start = self.at;
        let mut o = Operand::default();
        self.register(&mut o)?;
        let element = self.sub_register(&mut o)?;
        if self.eat(b'<') {
            o.h = self.small("a stride")?;
            self.need(b'>')?;
        } else if !matches!(i.form, Form::Dpas | Form::Call) && o.kind != Kind::Macro {
            o.h = 1;
        }
        self.ty(&mut o)?;
        if i.form == Form::Call {
            o.ty = Type::D;
        }
        self.set_sub(&mut o, element, start)?;
        if matches!(i.form, Form::Ternary | Form::Bfn) && o.kind == Kind::Macro {
            o.h = NO_STRIDE;
        }
        Ok(o)
    }

    fn source_operand(&mut self, i: &Inst, n: usize) -> Result<Operand> {
        let start = self.at;
        let mut o = Operand::default();
        if i.form.branches() && self.peek() != b'r' {
            return self.target();
        }
        if i.form.branches() && !self.rest().get(1).is_some_and(u8::is_ascii_digit) {
            return self.target();
        }
        let negative = matches!(self.peek(), b'-' | b'~');
        let after = self.rest().get(usize::from(negative)).copied().unwrap_or(0);
        let name_follows = |p: &Self, at: usize| {
            let rest = p.rest().get(at..).unwrap_or(&[]);
            rest.starts_with(b"inf") || rest.starts_with(b"qnan") || rest.starts_with(b"snan")
        };
        if after.is_ascii_digit() || name_follows(self, usize::from(negative)) {
            return self.immediate();
        }
        if negative {
            self.at += 1;
            o.mods = 2;
        }
        if self.eat_text(b"(abs)") {
            o.mods |= 1;
        }
        self.register(&mut o)?;
        let element = self.sub_register(&mut o)?;
        if self.eat(b'<') {
            self.region(i, n, &mut o)?;
        } else if i.form == Form::Math && o.kind == Kind::Macro {
            (o.v, o.w, o.h) = (1, 1, 0);
        } else if !matches!(i.form, Form::Dpas) && !i.form.branches() && o.kind != Kind::Macro {
            return Err(self.expected("a region such as `<1;1,0>`"));
        }
        self.ty(&mut o)?;
        if i.form.branches() {
            o.ty = Type::D;
        }
        self.set_sub(&mut o, element, start)?;
        Ok(o)
    }

    fn region(&mut self, i: &Inst, n: usize, o: &mut Operand) -> Result<()> {
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

    fn immediate(&mut self) -> Result<Operand> {
        let start = self.at;
        let mut depth = 0usize;
        let length = self.rest().iter().position(|b| {
            match b {
                b'(' => depth += 1,
                b')' => depth = depth.saturating_sub(1),
                _ => {}
            }
            *b == b':' && depth == 0 || b.is_ascii_whitespace()
        });
        let length = length.unwrap_or(self.rest().len());
        let text = std::str::from_utf8(&self.rest()[..length]).unwrap_or("");
        self.at += length;
        let mut o = Operand { kind: Kind::Imm, ..Operand::default() };
        if self.peek() != b':' {
            return Err(self.expected("`:` and the immediate's type"));
        }
        self.ty(&mut o)?;
        o.imm = float::parse(text, o.ty).ok_or_else(|| {
            let message = format!("`{text}` is no value of type {}", o.ty.name());
            self.error("xe-immediate", message, start, "does not fit")
        })?;
        Ok(o)
    }

    fn target(&mut self) -> Result<Operand> {
        let start = self.at;
        if self.peek().is_ascii_digit() || self.peek() == b'-' {
            // A distance in bytes, or the address for `calla`.
            let sign = if self.eat(b'-') { -1 } else { 1 };
            let n = i64::try_from(self.number("a distance")?).unwrap_or(i64::MAX).saturating_mul(sign);
            if self.eat(b':') {
                self.word();
            }
            return Ok(Operand { kind: Kind::Label, imm: n as u64, len: DISTANCE, ..Operand::default() });
        }
        let name = self.word();
        if name.is_empty() {
            return Err(self.expected("a label"));
        }
        let id = self.label_id(name, start);
        Ok(Operand { kind: Kind::Label, imm: id.into(), ..Operand::default() })
    }

    fn sync(&mut self, i: &mut Inst) -> Result<()> {
        self.space();
        i.src_count = 1;
        let o = &mut Operand::default();
        if self.eat(b'(') {
            o.kind = Kind::Imm;
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
            o.kind = Kind::Imm;
            o.imm = self.number("an immediate")?;
            if self.eat(b':') {
                self.word();
            }
        } else {
            let start = self.at;
            self.register(o)?;
            let element = self.sub_register(o)?;
            o.ty = Type::UB;
            if self.eat(b'<') {
                let length = self.rest().iter().position(|b| *b == b'>').map_or(0, |n| n + 1);
                self.at += length;
            }
            if self.eat(b':') {
                self.word();
            }
            self.set_sub(o, element, start)?;
        }
        i.srcs[0] = *o;
        Ok(())
    }

    fn send(&mut self, i: &mut Inst) -> Result<()> {
        self.space();
        self.register(&mut i.dst)?;
        self.payload_tail(&mut i.dst)?;
        self.space();
        i.src_count = 2;
        let gather = self.eat_text(b"r[s0.");
        if gather {
            let o = &mut i.srcs[0];
            (o.kind, o.file) = (Kind::Direct, File::S);
            o.sub = self.small("the number of a byte")?;
            self.need(b']')?;
            i.srcs[1] = Operand { kind: Kind::Direct, file: File::NULL, len: 0, ..Operand::default() };
        } else {
            let mut o = Operand::default();
            self.register(&mut o)?;
            self.payload_tail(&mut o)?;
            i.srcs[0] = o;
            self.space();
            let mut o = Operand::default();
            if self.peek().is_ascii_digit() || self.rest().starts_with(b"a0") {
                // One payload only.
                (o.kind, o.file, o.len) = (Kind::Direct, File::NULL, 0);
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
        // Where a length stands beside a register, the length has to be in that form; from Xe2 on `ugm` has another.
        let has_length = i.srcs[1].len >= 0 || i.srcs[1].file == File::NULL;
        let needed = self.xe.platform < crate::Platform::Xe2 || self.xe.text(i.sub) != "ugm";
        if matches!(i.exdesc, Desc::Reg(_)) && has_length && needed {
            i.opts.exbso = true;
        }
        Ok(())
    }

    /// A type or region, which older listings show and which means nothing.
    fn payload_tail(&mut self, o: &mut Operand) -> Result<()> {
        if self.eat(b':') {
            let start = self.at;
            if self.peek().is_ascii_digit() {
                o.len = i16::from(self.small("a length")?);
            } else if Type::parse(self.word()).is_none() {
                return Err(self.error("xe-type", "no such type", start, "expected a type"));
            }
        }
        Ok(())
    }

    fn descriptor(&mut self) -> Result<Desc> {
        self.space();
        if self.eat_text(b"a0.") {
            return Ok(Desc::Reg(self.small("the number of an address word")?));
        }
        let start = self.at;
        let n = self.number("a descriptor")?;
        match u32::try_from(n) {
            Ok(n) => Ok(Desc::Imm(n)),
            Err(_) => Err(self.error("xe-range", "a descriptor has 32 bits", start, "too large")),
        }
    }

    fn options(&mut self, i: &mut Inst) -> Result<()> {
        loop {
            self.space();
            if self.eat(b'}') {
                return Ok(());
            }
            let start = self.at;
            if self.eat(b'$') {
                let n = self.small("a token")?;
                i.swsb.token = if self.eat_text(b".dst") {
                    Token::Dst(n)
                } else if self.eat_text(b".src") {
                    Token::Src(n)
                } else {
                    let _ = self.eat_text(b".set");
                    Token::Set(n)
                };
            } else {
                let name = self.letters();
                if self.eat(b'@') {
                    let pipe = PIPES.iter().position(|p| p.strip_suffix('@') == Some(name));
                    let Some(pipe) = pipe else {
                        return Err(self.error("xe-option", format!("no pipe `{name}`"), start, "expected `F@1`, say"));
                    };
                    i.swsb = Swsb { distance: self.small("a distance")?, pipe: pipe as u8 + 1, ..i.swsb };
                } else {
                    self.named_option(i, name, start)?;
                }
            }
            self.space();
            if !self.eat(b',') {
                self.need(b'}')?;
                return Ok(());
            }
        }
    }

    fn named_option(&mut self, i: &mut Inst, name: &str, start: usize) -> Result<()> {
        let o = &mut i.opts;
        match name {
            "Compacted" => o.compacted = true,
            "NoCompact" | "Uncompacted" => o.no_compact = true,
            "EOT" => o.eot = true,
            "Atomic" => o.atomic = true,
            "Breakpoint" => o.breakpoint = true,
            "AccWrEn" => o.acc_wr = true,
            "ExBSO" => o.exbso = true,
            "CPS" => o.cps = true,
            "Serialize" => o.serialize = true,
            "NoAccSBSet" => i.swsb.no_acc = true,
            _ => {
                return Err(self.error("xe-option", format!("no option `{name}`"), start, "unknown here"));
            }
        }
        Ok(())
    }
}
