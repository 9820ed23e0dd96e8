//! Text with dataflow: which registers each instruction touches, what defines what it reads, what lives before the kernel.
//!
//! Sets of bytes are written as `iga64` writes them: `r4` is a whole register, `r4:2` two, `f0[0-1]` bytes of one. What is
//! read and written is what `iga64` takes it to be, as in listings with `compat`.

use isaglot_listing::dataflow::{self, FileId, Link, OperandId, Program as Accesses, Reach, TooLarge, reaches};
use isaglot_listing::tree;

use super::access::{FILES, Ids, NONE};
use super::blocks::{Exit, lasts};
use super::element::ascii;
use crate::float::write as format_into;
use crate::inst::XeOperandKind;
use crate::isa::Xe;
use crate::print::{TextOptions, bad_word, label_line, numbered_prefix};
use crate::stream::{Entry, Program, StreamItem};

/// What is shown beside the text.
#[derive(Clone, Copy, Debug, Default)]
pub struct FlowText {
    /// Numbers of instructions, what defines what they read, and what lives before the kernel.
    pub defs: bool,
    /// Registers that each instruction reads and writes.
    pub deps: bool,
}

/// What is known of a kernel.
struct Known {
    accesses: Accesses,
    ids: Vec<Ids>,
    /// The definitions of each instruction's sources in the order in which they are shown, and what has none.
    reaches: Vec<Reach>,
    before: Vec<Reach>,
}

impl<'d> Xe<'d> {
    /// The whole program as text with dataflow.
    ///
    /// # Errors
    /// If it has too many definitions and uses.
    pub fn print_flow(
        &self,
        program: &Program,
        options: &TextOptions,
        flow: FlowText,
        out: &mut Vec<u8>,
    ) -> Result<(), TooLarge> {
        let known = self.known(program, flow)?;
        let all = Sets { accesses: &known.accesses, sizes: self.platform.register_bytes() };
        if flow.defs {
            out.extend_from_slice(b"// live-in:\n");
            for reach in &known.before {
                format_into(out, format_args!("//   ?=>#{} ", reach.user));
                all.set(&reach.bytes, out);
                out.push(b'\n');
            }
        }
        let mut reaches = known.reaches.iter().peekable();
        let mut starts = program.starts.iter().copied().peekable();
        for (n, entry) in (0..).zip(&program.entries) {
            if starts.next_if(|s| *s == entry.pc).is_some() {
                label_line(entry.pc, options, out);
            }
            if let Some(ids) = known.ids.get(n as usize).filter(|_| flow.deps) {
                all.touched(entry, ids, out);
            }
            numbered_prefix(entry.raw(), flow.defs.then_some(n), options, out);
            let start = out.len();
            match &entry.item {
                StreamItem::Inst(i) => self.print_inst(i, entry.pc, options, out),
                StreamItem::Bad(why) => bad_word(entry.raw(), *why, out),
            }
            let mut remark = Vec::new();
            while let Some(reach) = reaches.next_if(|r| r.user == n) {
                let Some(def) = reach.def else { continue };
                let comma = if remark.is_empty() { "" } else { "," };
                format_into(&mut remark, format_args!("{comma} #{def}"));
                all.set(&reach.bytes, &mut remark);
            }
            add_remark(&remark, start, out);
            out.push(b'\n');
        }
        if starts.next().is_some() {
            label_line(program.end, options, out);
        }
        Ok(())
    }

    fn known(&self, program: &Program, flow: FlowText) -> Result<Known, TooLarge> {
        let succs = self.successors(&program.starts, &lasts(program), false);
        let exits: Vec<Exit> = succs.into_iter().map(|succs| Exit { succs, link: Link::None }).collect();
        let (accesses, ids) = self.accesses(program, &exits, true);
        let found = if flow.defs { reaches(&accesses)? } else { Vec::new() };
        let (mut defined, before): (Vec<Reach>, Vec<Reach>) = found.into_iter().partition(|r| r.def.is_some());
        // Blocks in the order of the program, and in each the last definition first.
        let block = |def: Option<u32>| accesses.blocks().partition_point(|b| b.insts.start <= def.unwrap_or(0));
        defined.sort_by_key(|r| (r.user, block(r.def), std::cmp::Reverse(r.def)));
        Ok(Known { accesses, ids, reaches: defined, before })
    }
}

/// Puts a remark before what the line that begins at `start` says already.
fn add_remark(remark: &[u8], start: usize, out: &mut Vec<u8>) {
    const MARK: &[u8] = b" // ";
    if remark.is_empty() {
        return;
    }
    let line = out.get(start..).unwrap_or(&[]);
    let said = line.windows(MARK.len()).position(|w| w == MARK).map(|at| start + at + MARK.len());
    match said {
        Some(at) => {
            out.splice(at..at, remark.iter().copied().chain(*b"; "));
        }
        None => {
            out.extend_from_slice(MARK);
            out.extend_from_slice(remark);
        }
    }
}

/// The order of register files in sets.
const SHOWN: [&str; FILES.len()] = ["r", "a", "acc", "f", "s"];

/// How sets are written.
struct Sets<'a> {
    accesses: &'a Accesses,
    /// Bytes of a register of each file.
    sizes: [u32; FILES.len()],
}

impl Sets<'_> {
    /// The registers that an instruction touches, those that it writes before those that it reads.
    fn touched(&self, entry: &Entry, ids: &Ids, out: &mut Vec<u8>) {
        let Some(i) = entry.inst() else { return };
        self.line(&[("d", ids.dst, NONE), ("d-fl", ids.fm, NONE), ("d-impl", ids.implicit_write, NONE)], out);
        // The address of an indirect source is shown as the source, that of a destination not at all.
        let source = |n: usize| match i.srcs.get(n) {
            Some(o) if o.kind != XeOperandKind::None => ids.srcs.get(n).copied().unwrap_or(NONE),
            _ => NONE,
        };
        let sources = [("s0", source(0), NONE), ("s1", source(1), NONE), ("s2", source(2), NONE)];
        let rest = [("s-pr", ids.pred, NONE), ("s-impl", ids.implicit_read, NONE), ("s-desc", ids.exdesc, ids.desc)];
        self.line(&[sources, rest].concat(), out);
    }

    fn line(&self, parts: &[(&str, OperandId, OperandId)], out: &mut Vec<u8>) {
        let mut first = true;
        for (name, one, other) in parts {
            let mut bytes = if *one == NONE { Vec::new() } else { self.accesses.bytes(*one) };
            if *other != NONE {
                bytes.extend(self.accesses.bytes(*other));
                bytes.sort_unstable();
                bytes.dedup();
            }
            if bytes.is_empty() {
                continue;
            }
            format_into(out, format_args!("{}{name}:", if first { "// " } else { ", " }));
            self.set(&bytes, out);
            first = false;
        }
        if !first {
            out.push(b'\n');
        }
    }

    /// A set of bytes that ascend.
    fn set(&self, bytes: &[u32], out: &mut Vec<u8>) {
        out.push(b'{');
        for (n, part) in self.parts(bytes).iter().enumerate() {
            out.extend_from_slice(if n > 0 { b"," } else { b"" });
            out.extend_from_slice(part);
        }
        out.push(b'}');
    }

    /// The same in parts: a register, several whole ones that follow each other, or bytes of one.
    fn parts(&self, bytes: &[u32]) -> Vec<Vec<u8>> {
        // Registers, each with those of its bytes that are meant.
        let mut registers: Vec<(FileId, u32, Vec<u32>)> = Vec::new();
        for byte in bytes {
            let (file, at) = self.accesses.place(*byte);
            let size = self.sizes[file.0 as usize];
            match registers.last_mut().filter(|(f, n, _)| (*f, *n) == (file, at / size)) {
                Some((_, _, mine)) => mine.push(at % size),
                None => registers.push((file, at / size, vec![at % size])),
            }
        }
        registers.sort_by_key(|(file, n, _)| (SHOWN.iter().position(|f| *f == FILES[file.0 as usize]), *n));
        let mut all = Vec::new();
        let mut at = 0;
        while let Some((file, n, mine)) = registers.get(at) {
            let size = self.sizes[file.0 as usize] as usize;
            let mut out = Vec::new();
            format_into(&mut out, format_args!("{}{n}", FILES[file.0 as usize]));
            let follows = |(k, r): &(u32, &(FileId, u32, Vec<u32>))| (r.0, r.1, r.2.len()) == (*file, n + k, size);
            let whole = (0..).zip(&registers[at..]).take_while(follows).count();
            match whole {
                0 => ranges(mine, &mut out),
                1 => {}
                _ => format_into(&mut out, format_args!(":{whole}")),
            }
            all.push(out);
            at += whole.max(1);
        }
        all
    }
}

/// What a function does, for its label.
pub(super) fn summary(
    function: &dataflow::Function,
    accesses: &Accesses,
    sizes: [u32; FILES.len()],
) -> tree::Function<'static> {
    let sets = Sets { accesses, sizes };
    let texts = |bytes: &[u32]| sets.parts(bytes).into_iter().map(ascii).collect();
    tree::Function {
        used: texts(&function.used),
        defined: texts(&function.defined),
        preserved: texts(&function.preserved),
    }
}

/// Numbers in brackets, neighbours as a range.
fn ranges(numbers: &[u32], out: &mut Vec<u8>) {
    let mut at = 0;
    while let Some(&first) = numbers.get(at) {
        let length = (first..).zip(&numbers[at..]).take_while(|(wanted, n)| wanted == *n).count();
        format_into(out, format_args!("{}{first}", if at == 0 { "[" } else { "," }));
        if length > 1 {
            format_into(out, format_args!("-{}", numbers[at + length - 1]));
        }
        at += length;
    }
    out.push(b']');
}
