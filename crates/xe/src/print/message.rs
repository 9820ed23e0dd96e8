//! Messages: payloads, descriptors, the load and store syntax, comments.

use crate::float::{decimal, hex};
use crate::hole::Hole;
use crate::inst::{Desc, File, Inst, XeOperand};
use crate::isa::Xe;

use crate::parts::{Part, Shown};

use super::Columns;
use super::head::PREDICATE;

impl<'d> Xe<'d> {
    /// A payload or a descriptor, with the blanks before it.
    pub(super) fn message_part(&self, i: &Inst, part: Part, out: &mut Vec<u8>) -> Shown {
        // Registers gathered by a scalar register leave no room for a second payload.
        let gather = i.srcs[0].file == File::S;
        let unpadded = Shown::unpadded();
        if gather && part == Part::Src1 {
            return unpadded;
        }
        let line = out.len();
        out.extend_from_slice(b"  ");
        let start = out.len();
        let o = match part {
            Part::Dst => &i.dst,
            Part::Src0 => &i.srcs[0],
            _ => &i.srcs[1],
        };
        match part {
            Part::Src0 if gather => {
                out.extend_from_slice(b"r[s0.");
                decimal(out, i.srcs[0].sub.into());
                out.push(b']');
                return unpadded;
            }
            Part::Dst | Part::Src0 => self.payload(o, out),
            Part::Src1 => {
                self.payload(o, out);
                // A register may have it.
                if o.len >= 0 {
                    out.push(b':');
                    decimal(out, if o.file == File::NULL { 0 } else { o.len.into() });
                }
            }
            _ => {
                let desc = if part == Part::ExDesc { i.exdesc } else { i.desc };
                match desc {
                    Desc::Imm(value) => {
                        if part == Part::ExDesc {
                            hex(out, value.into());
                        } else {
                            crate::float::write(out, format_args!("0x{value:08X}"));
                        }
                        // Digits do not count.
                        return Shown::width(0);
                    }
                    Desc::Reg(sub) => {
                        out.extend_from_slice(b"a0.");
                        decimal(out, sub.into());
                    }
                }
            }
        }
        let shown = Shown::width(out.len() - start);
        let payload = matches!(part, Part::Dst | Part::Src0 | Part::Src1);
        if payload { self.with_hole(shown, o, Hole::Register, line, out) } else { shown }
    }

    pub(crate) fn payload(&self, o: &XeOperand, out: &mut Vec<u8>) {
        out.extend_from_slice(self.file(o.file).name.as_bytes());
        if !matches!(o.file, File::NULL | File::CE | File::IP) {
            decimal(out, o.reg.into());
        }
    }

    pub(super) fn send_comment(&self, i: &Inst, out: &mut Vec<u8>) {
        let Desc::Imm(desc) = i.desc else { return };
        let lengths = self.lengths(desc);
        crate::float::write(out, format_args!(" // wr:{}", lengths.src0));
        if lengths.header && !self.is_lsc(i) {
            out.push(b'h');
        }
        if i.srcs[1].len >= 0 {
            out.push(b'+');
            decimal(out, i.srcs[1].len.into());
        }
        crate::float::write(out, format_args!(", rd:{}", lengths.dst));
        let text = self.describe(i);
        if !text.is_empty() {
            out.extend_from_slice(b"; ");
            out.extend_from_slice(text.as_bytes());
        }
    }

    pub(super) fn print_load_store(&self, i: &Inst, message: &crate::message::LoadStore, out: &mut Vec<u8>) {
        let columns = &mut Columns::default();
        let start = out.len();
        self.predicate(i, out);
        columns.pad(out, out.len() - start, PREDICATE);
        out.push(b' ');
        let start = out.len();
        out.extend_from_slice(message.op.as_bytes());
        out.push(b'.');
        out.extend_from_slice(message.controls.as_bytes());
        if let Some(hidden) = &message.hidden {
            // Else the text would not give the message back.
            out.push(b'.');
            out.extend_from_slice(hidden.as_bytes());
        }
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
