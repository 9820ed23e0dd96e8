//! Text of instructions, in the columns that readers of these listings are used to.
//!
//! A cell shorter than its column is padded; one that is longer leaves a debt, which the padding of later cells pays
//! back. Digits of immediates and of branch targets do not count as width, nor does the list of tokens of a `sync`.

use crate::float::{decimal, hex, immediate};
use crate::inst::{Desc, File, Form, Inst, Kind, NO_STRIDE, Operand, Options, VXH};
use crate::isa::Xe;
use crate::platform::Platform;
use crate::stream::{Entry, Item, Program};
use crate::swsb::{PIPES, Swsb, Token};

/// What is shown.
#[derive(Clone, Copy, Debug, Default)]
pub struct TextOptions {
    /// The offset of each instruction.
    pub pc: bool,
    /// The encoding of each instruction.
    pub bits: bool,
    /// Floating-point immediates as bits.
    pub hex_floats: bool,
    /// Load and store messages in their own syntax.
    pub ldst: bool,
    /// Truth tables of `bfn` as numbers.
    pub bfn_numbers: bool,
    /// No comments.
    pub no_comments: bool,
}

/// Padding of columns.
#[derive(Default)]
struct Columns {
    debt: usize,
}

impl Columns {
    /// Pads a cell that counts as `width` to its column.
    fn pad(&mut self, out: &mut Vec<u8>, width: usize, column: usize) {
        if width >= column {
            self.debt += width - column;
            return;
        }
        let padding = column - width;
        let paid = padding.min(self.debt);
        self.debt -= paid;
        spaces(out, padding - paid);
    }
}

fn spaces(out: &mut Vec<u8>, n: usize) {
    out.resize(out.len() + n, b' ');
}

impl Xe {
    /// The whole program as text.
    pub fn print(&self, program: &Program, options: &TextOptions, out: &mut Vec<u8>) {
        let mut starts = program.starts.iter().copied().peekable();
        for entry in &program.entries {
            if starts.next_if(|s| *s == entry.pc).is_some() {
                self.label(entry.pc.into(), out);
                out.extend_from_slice(b":\n");
            }
            self.print_entry(entry, options, out);
            out.push(b'\n');
        }
        if starts.next().is_some() {
            self.label(program.end.into(), out);
            out.extend_from_slice(b":\n");
        }
    }

    fn label(&self, pc: i64, out: &mut Vec<u8>) {
        out.extend_from_slice(if pc < 0 { b"L_N" } else { b"L" });
        decimal(out, pc.abs());
    }

    /// One instruction, or a bad word as data, without a line end.
    pub fn print_entry(&self, entry: &Entry, options: &TextOptions, out: &mut Vec<u8>) {
        if options.pc || options.bits {
            out.extend_from_slice(b"/* ");
            if options.pc {
                crate::float::write(out, format_args!("[{:04X}] ", entry.pc));
            }
            if options.bits {
                let words = (0..4).rev().map(|n| (entry.word >> (32 * n)) as u32);
                for (n, word) in words.enumerate() {
                    match (entry.short && n < 2, n) {
                        (true, _) => out.extend_from_slice(b"         "),
                        (false, 0) => crate::float::write(out, format_args!(" {word:08x}")),
                        (false, 2) if entry.short => crate::float::write(out, format_args!(" {word:08x}")),
                        (false, _) => crate::float::write(out, format_args!("`{word:08x}")),
                    }
                }
            }
            out.extend_from_slice(b" */ ");
        }
        match &entry.item {
            Item::Inst(i) => self.print_inst(i, entry.pc, options, out),
            Item::Bad(why) => {
                let digits = if entry.short { 16 } else { 32 };
                crate::float::write(out, format_args!("// 0x{:0digits$X}: {}", entry.word, why.message()));
            }
        }
    }

    /// One instruction at an offset.
    pub fn print_inst(&self, i: &Inst, pc: u32, options: &TextOptions, out: &mut Vec<u8>) {
        let info = self.op(i.op);
        let mut columns = Columns::default();
        let start = out.len();
        self.predicate(i, out);
        columns.pad(out, out.len() - start, 7);
        out.push(b' ');

        let message = if options.ldst && info.name != "sendc" { self.load_store(i) } else { None };
        if let Some(message) = message {
            self.print_load_store(i, &message, &mut columns, options, out);
            return;
        }
        let start = out.len();
        out.extend_from_slice(info.name.as_bytes());
        self.function(i, options, out);
        out.push(b' ');
        self.channels(i, out);
        columns.pad(out, out.len() - start, 13);
        out.push(b' ');
        let start = out.len();
        self.flag_modifier(i, out);
        columns.pad(out, out.len() - start, 9);

        if i.form == Form::Send {
            self.print_send(i, &mut columns, out);
            self.options(i, out);
            if !options.no_comments {
                self.send_comment(i, out);
            }
            return;
        }
        if i.form.has_dst() {
            out.extend_from_slice(b"  ");
            let start = out.len();
            if i.sat {
                out.extend_from_slice(b"(sat)");
            }
            self.operand(i, &i.dst, None, pc, options, out);
            columns.pad(out, out.len() - start, 12);
        } else if i.src_count > 0 || self.has_options(i) {
            columns.pad(out, 0, 12);
        }
        for (n, source) in i.sources().iter().enumerate() {
            out.extend_from_slice(b"  ");
            let start = out.len();
            let uncounted = self.operand(i, source, Some(n), pc, options, out);
            if let Some(digits) = uncounted {
                columns.pad(out, out.len() - start - digits, 16);
            }
        }
        if i.src_count == 1 {
            columns.pad(out, 0, 16);
        }
        if i.src_count == 0 && self.has_options(i) {
            columns.pad(out, 0, 16);
        }
        self.options(i, out);
    }

    fn predicate(&self, i: &Inst, out: &mut Vec<u8>) {
        if !i.wren && i.pred.is_none() {
            return;
        }
        out.push(b'(');
        if i.wren {
            out.push(b'W');
        }
        if let Some(pred) = i.pred {
            if i.wren {
                out.push(b'&');
            }
            if pred.inv {
                out.push(b'~');
            }
            self.flag(i, out);
            let func = self.text(pred.func);
            if !func.is_empty() {
                out.push(b'.');
                out.extend_from_slice(func.as_bytes());
            }
        }
        out.push(b')');
    }

    fn flag(&self, i: &Inst, out: &mut Vec<u8>) {
        out.push(b'f');
        decimal(out, i.flag.0.into());
        out.push(b'.');
        decimal(out, i.flag.1.into());
    }

    /// What stands behind the dot of the mnemonic.
    fn function(&self, i: &Inst, options: &TextOptions, out: &mut Vec<u8>) {
        match i.form {
            Form::Bfn if options.bfn_numbers => {
                out.extend_from_slice(b".0x");
                crate::float::write(out, format_args!("{:02X}", self.bfn_value(i.sub)));
            }
            Form::Math | Form::Sync | Form::Send | Form::Bfn => {
                out.push(b'.');
                out.extend_from_slice(self.text(i.sub).as_bytes());
            }
            Form::Dpas => {
                out.push(b'.');
                decimal(out, i.dpas.0.into());
                out.push(b'x');
                decimal(out, i.dpas.1.into());
            }
            _ if i.brctl => out.extend_from_slice(b".b"),
            _ => {}
        }
    }

    fn channels(&self, i: &Inst, out: &mut Vec<u8>) {
        if matches!(i.form, Form::None | Form::Sync) || self.op(i.op).name == "jmpi" {
            return;
        }
        out.push(b'(');
        decimal(out, i.es.into());
        out.extend_from_slice(b"|M");
        decimal(out, i.eo.into());
        out.push(b')');
    }

    fn flag_modifier(&self, i: &Inst, out: &mut Vec<u8>) {
        let cond = self.text(i.cond);
        if cond.is_empty() {
            return;
        }
        out.push(b'(');
        out.extend_from_slice(cond.as_bytes());
        out.push(b')');
        self.flag(i, out);
    }

    /// Writes an operand; `source` is its number. Gives the bytes that do not count as width, `None` for an operand that is not
    /// padded.
    fn operand(
        &self,
        i: &Inst,
        o: &Operand,
        source: Option<usize>,
        pc: u32,
        options: &TextOptions,
        out: &mut Vec<u8>,
    ) -> Option<usize> {
        match o.kind {
            Kind::None => return Some(0),
            Kind::Imm => {
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
            Kind::Label => {
                let start = out.len();
                self.label(self.target(i, pc, o.imm), out);
                return Some(out.len() - start);
            }
            Kind::Direct | Kind::Macro => {
                self.modifiers(i, o, out);
                self.register(o, out);
                if o.kind == Kind::Direct && (i.form != Form::Dpas || source == Some(2) || self.sub_element(o) != 0) {
                    self.sub_register(o, out);
                }
            }
            Kind::Indirect => {
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
            return Some(0);
        }
        self.region(i, o, source, out);
        if !matches!(i.form, Form::Send | Form::Sync | Form::Call | Form::Ret | Form::Jump | Form::Brc) {
            out.push(b':');
            out.extend_from_slice(o.ty.name().as_bytes());
        }
        Some(0)
    }

    fn modifiers(&self, i: &Inst, o: &Operand, out: &mut Vec<u8>) {
        let negated: &[u8] = if self.op(i.op).bitwise && o.mods & 1 == 0 { b"~" } else { b"-" };
        if o.mods & 2 != 0 {
            out.extend_from_slice(negated);
        }
        if o.mods & 1 != 0 {
            out.extend_from_slice(b"(abs)");
        }
    }

    /// Bytes of one unit of a sub-register as it is written.
    pub(crate) fn sub_scale(&self, o: &Operand) -> u32 {
        match o.file {
            File::FC | File::MSG if self.platform < Platform::Xe2 => 1 + u32::from(self.platform.wide()),
            _ => o.ty.bytes(),
        }
    }

    /// The sub-register in elements of the type.
    pub(crate) fn sub_element(&self, o: &Operand) -> u32 {
        if matches!(o.file, File::CE | File::IP) { 0 } else { u32::from(o.sub) / self.sub_scale(o) }
    }

    fn register(&self, o: &Operand, out: &mut Vec<u8>) {
        out.extend_from_slice(self.file(o.file).name.as_bytes());
        if !matches!(o.file, File::NULL | File::CE | File::IP) {
            decimal(out, o.reg.into());
        }
        if o.kind == Kind::Macro {
            out.push(b'.');
            out.extend_from_slice(self.text(o.mme).as_bytes());
        }
    }

    fn sub_register(&self, o: &Operand, out: &mut Vec<u8>) {
        match o.file {
            // What stands behind `null` means nothing, but is kept.
            File::NULL if self.sub_element(o) == 0 => return,
            File::CE | File::IP => return,
            _ => {}
        }
        out.push(b'.');
        decimal(out, self.sub_element(o).into());
    }

    fn region(&self, i: &Inst, o: &Operand, source: Option<usize>, out: &mut Vec<u8>) {
        if o.h == NO_STRIDE || i.form == Form::Dpas || (o.kind == Kind::Macro && i.form != Form::Math) {
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

    fn print_send(&self, i: &Inst, columns: &mut Columns, out: &mut Vec<u8>) {
        let padded = self.platform < Platform::Xe2;
        let cells = [(&i.dst, 7), (&i.srcs[0], 6), (&i.srcs[1], 6)];
        // Registers gathered by a scalar register leave no room for a second payload.
        let gather = i.srcs[0].file == File::S;
        for (n, (o, column)) in cells.into_iter().enumerate() {
            if gather && n == 2 {
                break;
            }
            out.extend_from_slice(b"  ");
            let start = out.len();
            if gather && n == 1 {
                out.extend_from_slice(b"r[s0.");
                decimal(out, o.sub.into());
                out.push(b']');
                continue;
            }
            self.payload(o, out);
            if n == 2 {
                let len = if o.file == File::NULL { 0 } else { o.len };
                if len >= 0 {
                    out.push(b':');
                    decimal(out, len.into());
                }
            }
            if n == 0 || padded {
                columns.pad(out, out.len() - start, column);
            }
        }
        for (n, desc) in [i.exdesc, i.desc].into_iter().enumerate() {
            out.extend_from_slice(b"  ");
            let start = out.len();
            match desc {
                Desc::Imm(value) => {
                    if n == 0 {
                        hex(out, value.into());
                    } else {
                        crate::float::write(out, format_args!("0x{value:08X}"));
                    }
                    columns.pad(out, 0, 10);
                }
                Desc::Reg(sub) => {
                    out.extend_from_slice(b"a0.");
                    decimal(out, sub.into());
                    columns.pad(out, out.len() - start, 10);
                }
            }
        }
    }

    pub(crate) fn payload(&self, o: &Operand, out: &mut Vec<u8>) {
        out.extend_from_slice(self.file(o.file).name.as_bytes());
        if !matches!(o.file, File::NULL | File::CE | File::IP) {
            decimal(out, o.reg.into());
        }
    }

    fn has_options(&self, i: &Inst) -> bool {
        i.opts != Options::default() || i.swsb != Swsb::default()
    }

    /// The options in braces, with a space before, or nothing.
    pub(crate) fn options(&self, i: &Inst, out: &mut Vec<u8>) {
        let mut first = true;
        let o = &i.opts;
        for (on, name) in [
            (o.acc_wr, "AccWrEn"),
            (o.atomic, "Atomic"),
            (o.breakpoint, "Breakpoint"),
            (o.compacted, "Compacted"),
            (o.eot, "EOT"),
            (o.no_compact, "NoCompact"),
            (o.serialize, "Serialize"),
            (o.exbso, "ExBSO"),
            (o.cps, "CPS"),
            (i.swsb.no_acc, "NoAccSBSet"),
        ] {
            if on {
                out.extend_from_slice(if std::mem::take(&mut first) { b" {" } else { b"," });
                out.extend_from_slice(name.as_bytes());
            }
        }
        if let Some(pipe) = i.swsb.pipe.checked_sub(1).and_then(|p| PIPES.get(usize::from(p))) {
            out.extend_from_slice(if std::mem::take(&mut first) { b" {" } else { b"," });
            out.extend_from_slice(pipe.as_bytes());
            decimal(out, i.swsb.distance.into());
        }
        let (token, suffix): (u8, &[u8]) = match i.swsb.token {
            Token::None => {
                if !first {
                    out.push(b'}');
                }
                return;
            }
            Token::Set(n) => (n, b""),
            Token::Dst(n) => (n, b".dst"),
            Token::Src(n) => (n, b".src"),
        };
        out.extend_from_slice(if std::mem::take(&mut first) { b" {" } else { b"," });
        out.push(b'$');
        decimal(out, token.into());
        out.extend_from_slice(suffix);
        out.push(b'}');
    }

    fn send_comment(&self, i: &Inst, out: &mut Vec<u8>) {
        let Desc::Imm(desc) = i.desc else { return };
        let (dst, src0) = (desc >> 20 & 31, desc >> 25 & 15);
        crate::float::write(out, format_args!(" // wr:{src0}"));
        if desc >> 19 & 1 != 0 && !self.is_lsc(i) {
            out.push(b'h');
        }
        if i.srcs[1].len >= 0 {
            out.push(b'+');
            decimal(out, i.srcs[1].len.into());
        }
        crate::float::write(out, format_args!(", rd:{dst}"));
        let text = self.describe(i);
        if !text.is_empty() {
            out.extend_from_slice(b"; ");
            out.extend_from_slice(text.as_bytes());
        }
    }

    fn print_load_store(
        &self,
        i: &Inst,
        message: &crate::message::LoadStore,
        columns: &mut Columns,
        _options: &TextOptions,
        out: &mut Vec<u8>,
    ) {
        let start = out.len();
        out.extend_from_slice(message.op.as_bytes());
        out.push(b'.');
        out.extend_from_slice(message.controls.as_bytes());
        out.push(b' ');
        self.channels(i, out);
        columns.pad(out, out.len() - start + 1, 25);
        let cell = |out: &mut Vec<u8>, columns: &mut Columns, width: usize, text: &[u8]| {
            out.extend_from_slice(text);
            columns.pad(out, text.len(), width);
        };
        out.extend_from_slice(b"  ");
        let mut text = Vec::new();
        if !message.is_store {
            self.payload(&i.dst, &mut text);
            text.push(b':');
            decimal(&mut text, message.dst_len.into());
        }
        cell(out, columns, 12, &text);
        text.clear();
        self.address(i, message, &mut text);
        out.push(b' ');
        cell(out, columns, 16, &text);
        text.clear();
        if message.is_store || i.srcs[1].file != File::NULL {
            self.payload(&i.srcs[1], &mut text);
            text.push(b':');
            decimal(&mut text, i.srcs[1].len.max(0).into());
        }
        out.push(b' ');
        cell(out, columns, 16, &text);
        self.options(i, out);
    }

    fn address(&self, i: &Inst, message: &crate::message::LoadStore, out: &mut Vec<u8>) {
        match (message.surface, i.exdesc) {
            ("flat", _) => {}
            (kind, Desc::Reg(sub)) => {
                out.extend_from_slice(kind.as_bytes());
                out.extend_from_slice(b"[a0.");
                decimal(out, sub.into());
                out.push(b']');
            }
            (kind, Desc::Imm(_)) => {
                out.extend_from_slice(kind.as_bytes());
                out.push(b'[');
                decimal(out, message.surface_index.into());
                out.push(b']');
            }
        }
        out.push(b'[');
        self.payload(&i.srcs[0], out);
        out.push(b':');
        decimal(out, message.src0_len.into());
        if let Some(offset) = message.offset {
            match offset {
                crate::message::Offset::One(n) => {
                    out.push(if n < 0 { b'-' } else { b'+' });
                    hex(out, n.unsigned_abs());
                }
                crate::message::Offset::Two(x, y) => crate::float::write(out, format_args!("+({x},{y})")),
            }
        }
        out.push(b']');
    }
}
