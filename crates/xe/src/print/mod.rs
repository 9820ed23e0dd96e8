//! Text of instructions, in the columns that readers of these listings are used to.
//!
//! A cell shorter than its column is padded; one that is longer leaves a debt, which the padding of later cells pays
//! back. Digits of immediates and of branch targets do not count as width, nor does the list of tokens of a `sync`.

mod head;
mod message;
mod operand;

use crate::decode::BadWord;
use crate::float::decimal;
use crate::hole::Hole;
use crate::inst::{File, Form, Inst, XeOperand, XeOperandKind};
use crate::isa::Xe;
use crate::parts::{Part, SOURCES, Shown};
use crate::platform::Platform;
use crate::stream::{Entry, Program, RawWord, StreamItem};

pub(crate) use head::named_options;

/// What is shown.
#[derive(Clone, Copy, Debug, Default)]
pub struct TextOptions {
    /// The offset of each instruction.
    pub pc: bool,
    /// What is added to these offsets. A sum below 0 is shown in two's complement of 64 bits.
    pub pc_base: i32,
    /// The encoding of each instruction.
    pub bits: bool,
    /// Floating-point immediates as bits.
    pub hex_floats: bool,
    /// Load and store messages in their own syntax.
    pub ldst: bool,
    /// Truth tables of `bfn` as numbers.
    pub bfn_numbers: bool,
    /// Distances in place of labels.
    pub numeric_labels: bool,
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

    #[inline]
    fn pad_shown(&mut self, shown: Shown, column: usize, out: &mut Vec<u8>) {
        if shown.width != Shown::UNPADDED {
            self.pad(out, shown.width.into(), column);
        }
    }
}

/// Widths of the columns of a destination, a source, a payload and a descriptor.
pub(crate) const OPERAND: usize = 12;
pub(crate) const SOURCE: usize = 16;
const PAYLOAD: usize = 6;
const DESCRIPTOR: usize = 10;

fn spaces(out: &mut Vec<u8>, n: usize) {
    const BLANKS: [u8; 32] = [b' '; 32];
    match BLANKS.get(..n) {
        Some(blanks) => out.extend_from_slice(blanks),
        None => out.resize(out.len() + n, b' '),
    }
}

impl<'d> Xe<'d> {
    /// The whole program as text.
    pub fn print(&self, program: &Program, options: &TextOptions, out: &mut Vec<u8>) {
        let mut starts = program.starts.iter().copied().peekable();
        for entry in &program.entries {
            if starts.next_if(|s| *s == entry.pc).is_some() {
                label_line(entry.pc, options, out);
            }
            self.print_entry(entry, options, out);
            out.push(b'\n');
        }
        if starts.next().is_some() {
            label_line(program.end, options, out);
        }
    }

    /// One instruction, or a bad word as data, without a line end.
    pub fn print_entry(&self, entry: &Entry, options: &TextOptions, out: &mut Vec<u8>) {
        prefix(entry.raw(), options, out);
        match &entry.item {
            StreamItem::Inst(i) => self.print_inst(i, entry.pc, options, out),
            StreamItem::Bad(why) => bad_word(entry.raw(), *why, out),
        }
    }

    /// One instruction at an offset.
    pub fn print_inst(&self, i: &Inst, pc: u32, options: &TextOptions, out: &mut Vec<u8>) {
        let message = if options.ldst && self.op(i.op).name != "sendc" { self.load_store(i) } else { None };
        if let Some(message) = message {
            self.print_load_store(i, &message, out);
            return;
        }
        let part = &mut |part, out: &mut Vec<u8>| Ok(self.part(i, part, pc, options, out));
        let made = layout(self.platform, i.form, options, out, part);
        debug_assert!(made.is_ok());
    }

    /// Adds the text of a part, with the blanks before it.
    pub(crate) fn part(&self, i: &Inst, part: Part, pc: u32, options: &TextOptions, out: &mut Vec<u8>) -> Shown {
        let line = out.len();
        match part {
            Part::Head => return self.head(i, options, out),
            Part::Tail | Part::ShortTail => {
                self.options(i, out);
                return Shown::width(out.len() - line);
            }
            Part::Comment => {
                self.send_comment(i, out);
                return Shown::width(out.len() - line);
            }
            _ if i.form == Form::Send => return self.message_part(i, part, out),
            _ => out.extend_from_slice(b"  "),
        }
        let start = out.len();
        let (o, source) = match SOURCES.iter().position(|p| *p == part).and_then(|n| Some((i.srcs.get(n)?, n))) {
            Some((o, n)) => (o, Some(n)),
            None => (&i.dst, None),
        };
        if source.is_none() && i.sat {
            out.extend_from_slice(b"(sat)");
        }
        match self.operand(i, o, source, pc, options, out) {
            Some(digits) => {
                let shown = Shown::width(out.len() - start - digits);
                if o.kind == XeOperandKind::Imm {
                    let hole = Hole::of_immediate(options.hex_floats);
                    return Shown { hole: ((start - line) as u8, hole), count: o.ty.0, ..shown };
                }
                let sub = match i.form {
                    Form::Dpas if source != Some(2) => Hole::LaterElement,
                    _ => Hole::Element,
                };
                self.with_hole(shown, o, sub, line, out)
            }
            None => Shown::unpadded(),
        }
    }

    /// Adds where in the text of an operand from `start` on the number of a general register stands.
    fn with_hole(&self, shown: Shown, o: &XeOperand, hole: Hole, start: usize, out: &[u8]) -> Shown {
        if o.file != File::R || o.kind != XeOperandKind::Direct || o.ty.bits() < 8 {
            return shown;
        }
        // No modifier has the letter that registers begin with.
        let at = out.get(start..).and_then(|text| text.iter().position(|b| *b == b'r')).unwrap_or(0);
        Shown { hole: (at as u8 + 1, hole), count: self.sub_scale(o) as u8, ..shown }
    }
}

/// The name of the place at an offset.
pub(crate) fn label(pc: i64, out: &mut Vec<u8>) {
    out.extend_from_slice(if pc < 0 { b"L_N" } else { b"L" });
    decimal(out, pc.abs());
}

/// The line of a label, if labels are shown.
pub(crate) fn label_line(pc: u32, options: &TextOptions, out: &mut Vec<u8>) {
    if !options.numeric_labels {
        label(pc.into(), out);
        out.extend_from_slice(b":\n");
    }
}

/// Offset and encoding, as far as they are wanted.
#[inline]
pub(crate) fn prefix(raw: RawWord, options: &TextOptions, out: &mut Vec<u8>) {
    if options.pc || options.bits {
        numbered_prefix(raw, None, options, out);
    }
}

/// The same after the number of the instruction, if it has one.
pub(crate) fn numbered_prefix(raw: RawWord, id: Option<u32>, options: &TextOptions, out: &mut Vec<u8>) {
    if !options.pc && !options.bits && id.is_none() {
        return;
    }
    out.extend_from_slice(b"/* ");
    if let Some(id) = id {
        let width = 4usize.saturating_sub(digits(id) + 1);
        spaces(out, width);
        crate::float::write(out, format_args!("#{id} "));
    }
    if options.pc {
        crate::float::write(out, format_args!("[{:04X}]  ", i64::from(raw.pc) + i64::from(options.pc_base)));
    }
    if options.bits {
        const DWORD: usize = 9;
        let dwords = (0..4).rev().map(|n| (raw.word >> (32 * n)) as u32);
        let shown = if raw.short { 2 } else { 4 };
        spaces(out, (4 - shown) * DWORD);
        for (n, dword) in dwords.skip(4 - shown).enumerate() {
            out.extend_from_slice(if n > 0 { b"`" } else { b"" });
            crate::float::write(out, format_args!("{dword:08X}"));
        }
        out.push(b' ');
    }
    out.extend_from_slice(b"*/ ");
}

/// How many decimal digits a number has.
fn digits(n: u32) -> usize {
    n.checked_ilog10().unwrap_or(0) as usize + 1
}

/// An invalid word, as a comment.
pub(crate) fn bad_word(raw: RawWord, why: BadWord, out: &mut Vec<u8>) {
    let digits = if raw.short { 16 } else { 32 };
    crate::float::write(out, format_args!("// 0x{:0digits$X}: {}", raw.word, why.message()));
}

/// Writes a line in its columns; `part` adds the text of a part, or says why the word is invalid.
pub(crate) fn layout(
    platform: Platform,
    form: Form,
    options: &TextOptions,
    out: &mut Vec<u8>,
    part: &mut impl FnMut(Part, &mut Vec<u8>) -> Result<Shown, BadWord>,
) -> Result<(), BadWord> {
    let head = part(Part::Head, out)?;
    let mut columns = Columns { debt: head.width.into() };
    match form {
        Form::None => {
            let bare = out.len();
            columns.pad(out, 0, OPERAND);
            columns.pad(out, 0, SOURCE);
            let padded = out.len();
            part(Part::Tail, out)?;
            if out.len() == padded {
                out.truncate(bare);
            }
            return Ok(());
        }
        Form::Send => {
            let padded = platform < Platform::Xe2;
            let unpadded = |shown: Shown| if padded { shown } else { Shown { width: Shown::UNPADDED, ..shown } };
            columns.pad_shown(part(Part::Dst, out)?, PAYLOAD + 1, out);
            columns.pad_shown(unpadded(part(Part::Src0, out)?), PAYLOAD, out);
            columns.pad_shown(unpadded(part(Part::Src1, out)?), PAYLOAD, out);
            columns.pad_shown(part(Part::ExDesc, out)?, DESCRIPTOR, out);
            columns.pad_shown(part(Part::Desc, out)?, DESCRIPTOR, out);
            part(Part::Tail, out)?;
            if !options.no_comments {
                part(Part::Comment, out)?;
            }
            return Ok(());
        }
        _ if form.has_dst() => columns.pad_shown(part(Part::Dst, out)?, OPERAND, out),
        _ => columns.pad(out, 0, OPERAND),
    }
    for source in SOURCES.iter().take(head.count.into()) {
        columns.pad_shown(part(*source, out)?, SOURCE, out);
    }
    if head.count == 1 {
        columns.pad(out, 0, SOURCE);
    }
    part(Part::Tail, out)?;
    Ok(())
}
