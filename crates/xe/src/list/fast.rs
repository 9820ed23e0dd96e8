//! A binary as a JSON listing, piece by piece: the fast way, which keeps no program in memory.
//!
//! As in [`crate::text`], pieces of elements are looked up by the bits that they depend on, and what dataflow has found is
//! put into them; [`Xe::write_json`] is the plain way to the same bytes.

use isaglot_codec::Values;
use isaglot_listing::dataflow::TooLarge;
use isaglot_listing::tree::Inst as Element;
use isaglot_listing::write::{self, InstPiece, Outline, Style, layout, piece};

use super::ListOptions;
use super::blocks::{Blocks, Last};
use super::element::dwords;
use super::flow::Flowing;
use crate::decode::BadWord;
use crate::hole::Hole;
use crate::inst::{File, Form, Inst, XeOperandKind};
use crate::isa::Xe;
use crate::limits::TEXT_CHUNK;
use crate::parts::{Part, Parts, SOURCES, Shown};
use crate::stream::RawWord;
use crate::text::{Findings, Words};

/// A binary that is being listed.
pub struct Lister<'a, 'd> {
    words: Words<'a, 'd>,
    bytes: &'a [u8],
    options: ListOptions,
    blocks: Blocks,
    flow: Option<Flowing>,
    /// The next block, the next offset, the number of the next instruction.
    block: usize,
    at: usize,
    id: u32,
    findings: Findings,
    first: bool,
    begun: bool,
    done: bool,
    element: Element<'d>,
}

impl<'a, 'd> Lister<'a, 'd> {
    /// Lists `bytes`.
    ///
    /// # Errors
    /// If dataflow is asked for, and there are too many definitions and uses.
    pub fn new(xe: &'a mut Xe<'d>, bytes: &'a [u8], options: ListOptions) -> Result<Lister<'a, 'd>, TooLarge> {
        let outline = xe.outline(bytes);
        let (starts, lasts) = lasts(xe, bytes, &outline.starts);
        let flow = if options.defs { Some(Flowing::new(xe, bytes, (&starts, &lasts), options.compat)?) } else { None };
        let succs = xe.successors(&starts, &lasts, options.compat);
        let blocks = Blocks::new(starts, succs, options.base());
        let findings = Findings { end: outline.end, tail: outline.tail, bad: Vec::new() };
        Ok(Lister {
            words: Words::new(xe, Parts::new(true)),
            bytes,
            options,
            blocks,
            flow,
            block: 0,
            at: 0,
            id: options.base(),
            findings,
            first: true,
            begun: false,
            done: false,
            element: Element::default(),
        })
    }

    /// Adds the next elements, some tens of kilobytes. Whether there may be more.
    pub fn fill(&mut self, out: &mut Vec<u8>) -> bool {
        let full = out.len() + TEXT_CHUNK;
        if !std::mem::replace(&mut self.begun, true) {
            write::begin(out, "2.0", self.words.xe.platform.name());
        }
        while out.len() < full {
            self.label(out);
            let Some(raw) = RawWord::at(self.bytes, self.at) else {
                if !std::mem::replace(&mut self.done, true) {
                    write::end(out, self.first);
                }
                return false;
            };
            self.at += raw.size() as usize;
            let start = out.len();
            if let Err(why) = self.instruction(raw, out) {
                out.truncate(start);
                self.words.xe.element(raw, Err(why), self.id, &self.options, &mut self.element);
                if let Some(flow) = &self.flow {
                    self.words.xe.add_totals(self.number(), flow.flow(), &mut self.element);
                }
                write::instruction(out, &self.element, self.first, Style::default());
                self.findings.bad.push((raw, why));
            }
            self.first = false;
            self.id += 1;
        }
        true
    }

    /// How many instructions came before.
    fn number(&self) -> u32 {
        self.id - self.options.base()
    }

    /// What was wrong so far.
    pub fn findings(self) -> Findings {
        self.findings
    }

    /// The label here, if a block begins.
    fn label(&mut self, out: &mut Vec<u8>) {
        if self.blocks.start(self.block) == u32::try_from(self.at).ok()
            && let Some(mut label) = self.blocks.label(self.block, &self.options)
        {
            if let Some(flow) = self.flow.as_ref().filter(|_| self.at < self.findings.end as usize) {
                label.function = flow.function(self.block as u32).cloned();
            }
            write::label(out, &label, self.first);
            self.first = false;
            self.block += 1;
        }
    }

    fn instruction(&mut self, raw: RawWord, out: &mut Vec<u8>) -> Result<(), BadWord> {
        let claimed = self.words.claim(raw)?;
        let form = claimed.form;
        if !claimed.kept || (self.options.ldst && form == Form::Send) {
            let inst = self.words.decode(&claimed)?;
            self.words.xe.element(raw, Ok(&inst), self.id, &self.options, &mut self.element);
            if let Some(flow) = &self.flow {
                let (n, compat) = (self.number(), self.options.compat);
                self.words.xe.add_flow(&inst, (n, &flow.ids(n)), (flow.flow(), compat), &mut self.element);
            }
            write::instruction(out, &self.element, self.first, Style { wide_store_indent: self.options.compat });
            return Ok(());
        }
        let outline =
            Outline { id: self.id, pc: self.options.pc.then_some(raw.pc.into()), dst: form.has_dst(), wide: false };
        let flow = self.flow.as_ref().map(|flow| flow.of(self.number(), form, self.options.compat));
        let (words, options, element) = (&mut self.words, &self.options, &mut self.element);
        let mut decoded: Option<Inst> = None;
        let mut made = false;
        layout(out, outline, self.first, &mut |what, out| {
            let Some(part) = part_of(what, form) else {
                if what == InstPiece::Record {
                    if options.bits {
                        write::encoding(out, dwords(raw));
                    }
                    if let Some(flow) = &flow {
                        flow.totals(out);
                    }
                }
                return Ok(0);
            };
            let begin = out.len();
            let shown = words.part(&claimed, part, &mut decoded, out, |xe, inst, out| {
                if !std::mem::replace(&mut made, true) {
                    xe.element(raw, Ok(inst), 0, options, element);
                }
                let start = out.len();
                let sources = piece(out, element, what);
                if part == Part::Head {
                    return Shown { count: sources as u8, ..Shown::default() };
                }
                xe.listed_hole(inst, part, options, out.get(start..).unwrap_or(&[]))
            })?;
            if let Some(flow) = &flow {
                flow.add(what, begin, out);
            }
            Ok(shown.count.into())
        })
    }
}

impl<'d> Xe<'d> {
    /// Where in the text of an operand the number of a general register belongs, or an immediate.
    fn listed_hole(&self, i: &Inst, part: Part, options: &ListOptions, text: &[u8]) -> Shown {
        let o = match part {
            Part::Dst => &i.dst,
            Part::Src0 => &i.srcs[0],
            Part::Src1 => &i.srcs[1],
            Part::Src2 => &i.srcs[2],
            _ => return Shown::default(),
        };
        const NAME: &[u8] = b"\"rn\":\"r\"";
        const VALUE: &[u8] = b"\"value\":\"";
        let find = |what: &[u8]| text.windows(what.len()).position(|w| w == what);
        if o.kind == XeOperandKind::Imm {
            let at = find(VALUE).map_or(0, |at| at + VALUE.len());
            return Shown {
                hole: (at as u8, Hole::of_immediate(options.hex_floats)),
                count: o.ty.0,
                ..Shown::default()
            };
        }
        match find(NAME) {
            Some(at) if o.file == File::R && o.kind == XeOperandKind::Direct && o.ty.bits() >= 8 => {
                let hole = if i.form == Form::Send { Hole::Key } else { Hole::Keys };
                Shown { hole: ((at + NAME.len()) as u8, hole), count: self.sub_scale(o) as u8, ..Shown::default() }
            }
            _ => Shown::default(),
        }
    }
}

/// The part that a piece is; none for what is never kept or never there.
fn part_of(piece: InstPiece, form: Form) -> Option<Part> {
    Some(match piece {
        InstPiece::Head => Part::Head,
        InstPiece::Dst => Part::Dst,
        InstPiece::Source(n) => {
            *[SOURCES[0], SOURCES[1], if form == Form::Send { Part::ExDesc } else { SOURCES[2] }, Part::Desc].get(n)?
        }
        InstPiece::Tail => Part::Tail,
        InstPiece::Comment if form == Form::Send => Part::Comment,
        InstPiece::Comment | InstPiece::Record => return None,
    })
}

/// Those of the offsets at which instructions stand, or the end, and the last word before each next one.
fn lasts(xe: &mut Xe, bytes: &[u8], candidates: &[u32]) -> (Vec<u32>, Vec<Last>) {
    let mut values = Values::default();
    let (mut starts, mut lasts) = (Vec::with_capacity(candidates.len()), Vec::with_capacity(candidates.len()));
    let mut candidates = candidates.iter().copied().peekable();
    let (mut at, mut before) = (0usize, None);
    loop {
        let raw = RawWord::at(bytes, at);
        while candidates.next_if(|c| (*c as usize) < at).is_some() {}
        if candidates.next_if(|c| *c as usize == at).is_some() && (at > 0 || raw.is_some()) {
            if !starts.is_empty() {
                lasts.push(before.map(|r: RawWord| (r.pc, xe.decode_raw(r, &mut values).ok())));
            }
            starts.push(at as u32);
            before = None;
        }
        let Some(raw) = raw else { break };
        before = Some(raw);
        at += raw.size() as usize;
    }
    if !starts.is_empty() {
        lasts.push(before.map(|r| (r.pc, xe.decode_raw(r, &mut values).ok())));
    }
    (starts, lasts)
}
