//! The listing of a program: its tree, element by element, with dataflow.

use std::borrow::Cow;

use isaglot_listing::dataflow::{Flow, TooLarge, solve};
use isaglot_listing::tree::{
    Address, Data, Direct, Elem, FlagModifier, Immediate, Implicit, Indirect, Inst as Element, Label, LabelRef,
    Listing, LiveTotals, Macro, Offset as ListOffset, Operand as ListOperand, Pred, Reg, Rgn, Sbid, Surface, Text,
};
use isaglot_listing::write::{self, Style};

use crate::float::{hex, immediate, write as format_into};
use crate::flow::{FILES, Ids, NONE, implicit_acc, shown_region};
use crate::inst::{Desc, File, Form, Inst, Kind, NO_STRIDE, Operand, VXH};
use crate::isa::Xe;
use crate::message::{LoadStore, Offset};
use crate::stream::{Entry, Item, Program};
use crate::swsb::{PIPES, Token};
use crate::types::Type;

/// What a listing shows.
#[derive(Clone, Copy, Debug, Default)]
pub struct ListOptions {
    /// Definitions, uses, liveness.
    pub defs: bool,
    /// Offsets.
    pub pc: bool,
    /// Encodings.
    pub bits: bool,
    /// Loads and stores in their own form.
    pub ldst: bool,
    /// Floating-point immediates as bits.
    pub hex_floats: bool,
    /// As `iga64` 2.40.14 has it, faults included.
    pub compat: bool,
}

/// Everything that is known about a program before it is written.
pub struct Analysis {
    succs: Vec<Vec<u32>>,
    ids: Vec<Ids>,
    flow: Option<Flow>,
}

impl Xe {
    /// Blocks, and dataflow if it is asked for.
    pub fn analyse(&self, program: &Program, options: &ListOptions) -> Result<Analysis, TooLarge> {
        let succs = self.successors(program, false);
        let (flow, ids) = if options.defs {
            let (accesses, ids) = self.accesses(program, &succs);
            (Some(solve(&accesses)?), ids)
        } else {
            (None, Vec::new())
        };
        let succs = if options.compat { self.successors(program, true) } else { succs };
        Ok(Analysis { succs, ids, flow })
    }

    /// The successors of each block; `faulty` as `iga64` has it: what ends in no branch falls through only if the last
    /// instruction is predicated or ends the thread.
    fn successors(&self, program: &Program, faulty: bool) -> Vec<Vec<u32>> {
        let starts = &program.starts;
        let mut all = Vec::with_capacity(starts.len());
        let mut entry = 0;
        for block in 0..starts.len() {
            let end = starts.get(block + 1).copied().unwrap_or(program.end);
            let first = entry;
            while program.entries.get(entry).is_some_and(|e| e.pc < end) {
                entry += 1;
            }
            let last = if entry > first { program.entries.get(entry - 1) } else { None };
            let mut succs = Vec::new();
            let mut falls = true;
            if let Some((e, i)) = last.and_then(|e| Some((e, e.inst()?))) {
                for o in i.sources().iter().filter(|o| o.kind == Kind::Label) {
                    let target = u32::try_from(self.target(i, e.pc, o.imm)).ok();
                    succs.extend(target.and_then(|t| starts.binary_search(&t).ok()).map(|b| b as u32));
                }
                let jumps = self.op(i.op).name == "jmpi" && i.pred.is_none();
                falls = if i.form.branches() {
                    !jumps
                } else if faulty {
                    i.pred.is_some() || i.opts.eot
                } else {
                    !i.opts.eot
                };
            } else if last.is_some() && faulty {
                falls = false;
            }
            if falls && block + 1 < starts.len() {
                succs.push(block as u32 + 1);
            }
            succs.sort_unstable();
            succs.dedup();
            all.push(succs);
        }
        all
    }

    /// Writes the whole listing as JSON.
    pub fn write_json(&self, program: &Program, options: &ListOptions, out: &mut Vec<u8>) -> Result<(), TooLarge> {
        let analysis = self.analyse(program, options)?;
        let style = Style { wide_store_indent: options.compat };
        write::begin(out, "2.0", self.platform.name());
        let mut first = true;
        let mut scratch = Element::default();
        self.each(program, options, &analysis, &mut scratch, &mut |part| {
            match part {
                Part::Label(l) => write::label(out, l, first),
                Part::Inst(i) => write::instruction(out, i, first, style),
            }
            first = false;
        });
        write::end(out, first);
        Ok(())
    }

    /// The listing as a tree.
    pub fn listing(&self, program: &Program, options: &ListOptions) -> Result<Listing<'static>, TooLarge> {
        let analysis = self.analyse(program, options)?;
        let mut elems = Vec::new();
        let mut scratch = Element::default();
        self.each(program, options, &analysis, &mut scratch, &mut |part| {
            elems.push(match part {
                Part::Label(l) => Elem::L(l.clone()),
                Part::Inst(i) => Elem::I(Box::new(i.clone())),
            });
        });
        Ok(Listing { version: "2.0".into(), platform: self.platform.name().into(), elems })
    }

    fn each(
        &self,
        program: &Program,
        options: &ListOptions,
        analysis: &Analysis,
        scratch: &mut Element<'static>,
        emit: &mut dyn FnMut(Part<'_>),
    ) {
        let base = u32::from(options.compat && !options.defs);
        let mut preds: Vec<Vec<u32>> = vec![Vec::new(); program.starts.len()];
        for (block, succs) in analysis.succs.iter().enumerate() {
            for s in succs {
                if let Some(list) = preds.get_mut(*s as usize) {
                    list.push(block as u32 + base);
                }
            }
        }
        let mut block = 0;
        let mut label = |block: usize, emit: &mut dyn FnMut(Part<'_>)| {
            let Some(&pc) = program.starts.get(block) else { return };
            let succs = analysis.succs.get(block).map_or(Vec::new(), |s| s.iter().map(|b| b + base).collect());
            emit(Part::Label(&Label {
                id: block as u32 + base,
                pc: options.pc.then_some(pc.into()),
                symbol: symbol(pc.into()),
                preds: preds.get_mut(block).map(std::mem::take).unwrap_or_default(),
                succs,
            }));
        };
        for (n, entry) in program.entries.iter().enumerate() {
            if program.starts.get(block) == Some(&entry.pc) {
                label(block, emit);
                block += 1;
            }
            self.element(entry, n as u32 + base, options, scratch);
            if let Some(flow) = &analysis.flow {
                self.add_flow(entry, n as u32, analysis.ids.get(n), flow, scratch);
            }
            emit(Part::Inst(scratch));
        }
        label(block, emit);
    }

    /// One instruction without dataflow.
    fn element(&self, entry: &Entry, id: u32, options: &ListOptions, e: &mut Element<'static>) {
        let (mut srcs, mut opts) = (std::mem::take(&mut e.srcs), std::mem::take(&mut e.opts));
        srcs.clear();
        opts.clear();
        *e = Element { id, pc: options.pc.then_some(entry.pc.into()), srcs, opts, ..Element::default() };
        if options.bits {
            e.encoding = Some(encoding(entry));
        }
        let i = match &entry.item {
            Item::Inst(i) => i,
            Item::Bad(why) => {
                e.op = "illegal".into();
                e.es = Some(1);
                e.encoding = Some(encoding(entry));
                e.comment = Some(format!("not an instruction: {}", why.message()).into());
                return;
            }
        };
        let info = self.op(i.op);
        e.op = info.name.into();
        e.es = Some(i.es.into());
        e.eo = (i.eo != 0).then_some(i.eo.into());
        e.wren = i.wren;
        e.pred = i.pred.map(|p| Pred {
            inv: p.inv,
            func: match self.text(p.func) {
                "" => Cow::Borrowed(""),
                func => predicate_function(func),
            },
            defs: Vec::new(),
        });
        let cond = self.text(i.cond);
        if !cond.is_empty() {
            e.fm = Some(FlagModifier { cond: cond.into(), uses: Vec::new() });
        }
        if i.pred.is_some() || (e.fm.is_some() && !info.select) {
            e.freg = Some(Reg { rn: "f".into(), r: i.flag.0.into(), sr: i.flag.1.into() });
        }
        e.subop = match i.form {
            Form::Bfn | Form::Math | Form::Sync | Form::Send => Some(self.text(i.sub).into()),
            Form::Dpas => Some(format!("{}x{}", i.dpas.0, i.dpas.1).into()),
            _ if i.brctl && !options.compat => Some("b".into()),
            _ => None,
        };
        self.options_of(i, e);
        if i.form == Form::Send {
            let message =
                if options.ldst && (options.compat || info.name == "send") { self.load_store(i) } else { None };
            match message {
                Some(m) => self.load_store_operands(i, m, e),
                None => self.send_operands(i, e),
            }
            return;
        }
        if i.form.has_dst() {
            e.dst = Some(self.destination(i));
        }
        for (n, o) in i.sources().iter().enumerate() {
            e.srcs.push(self.source(i, n, o, entry.pc, options));
        }
    }

    fn options_of(&self, i: &Inst, e: &mut Element<'static>) {
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
                e.opts.push(name.into());
            }
        }
        if let Some(pipe) = i.swsb.pipe.checked_sub(1).and_then(|p| PIPES.get(usize::from(p))) {
            e.reg_dist = Some(format!("{pipe}{}", i.swsb.distance).into());
        }
        e.sbid = match i.swsb.token {
            Token::None => None,
            Token::Set(id) => Some(Sbid { id: id.into(), func: "".into() }),
            Token::Dst(id) => Some(Sbid { id: id.into(), func: ".dst".into() }),
            Token::Src(id) => Some(Sbid { id: id.into(), func: ".src".into() }),
        };
    }

    fn reg(&self, o: &Operand, sub: bool) -> Reg<'static> {
        let sr = if sub { self.element_of(o) } else { 0 };
        let single = matches!(o.file, File::NULL | File::CE | File::IP);
        Reg { rn: self.file(o.file).name.into(), r: if single { 0 } else { o.reg.into() }, sr }
    }

    fn element_of(&self, o: &Operand) -> u32 {
        self.sub_element(o)
    }

    fn destination(&self, i: &Inst) -> ListOperand<'static> {
        let o = &i.dst;
        let rgn = (o.h != NO_STRIDE && i.form != Form::Dpas).then(|| Rgn { v: None, w: None, h: o.h.into() });
        let ty = Some(o.ty.name().into());
        match o.kind {
            Kind::Indirect => ListOperand::RI(Indirect {
                areg: address_register(o),
                aoff: o.off.into(),
                sat: i.sat,
                rgn,
                ty,
                ..Indirect::default()
            }),
            Kind::Macro => ListOperand::RM(Macro {
                reg: self.reg(o, false),
                mme: self.text(o.mme).into(),
                sat: i.sat,
                ty,
                ..Macro::default()
            }),
            _ => ListOperand::RD(Direct { reg: self.reg(o, true), sat: i.sat, rgn, ty, ..Direct::default() }),
        }
    }

    fn source(&self, i: &Inst, n: usize, o: &Operand, pc: u32, options: &ListOptions) -> ListOperand<'static> {
        let mods: Option<Text<'static>> = match o.mods {
            1 => Some("a".into()),
            2 => Some("n".into()),
            3 => Some("na".into()),
            _ => None,
        };
        let rgn = (o.h != NO_STRIDE).then(|| {
            let (v, w, h) = shown_region(i, n);
            let rowless = o.v == VXH || (o.kind == Kind::Indirect && o.v == NO_STRIDE);
            Rgn { v: (!rowless).then_some(v), w: Some(w), h }
        });
        let typed = || (o.ty != Type::NONE).then(|| o.ty.name().into());
        match o.kind {
            Kind::Label => ListOperand::LB(LabelRef { target: symbol(self.target(i, pc, o.imm)) }),
            Kind::Imm => {
                let mut value = Vec::new();
                if i.form == Form::Sync {
                    hex(&mut value, o.imm);
                } else {
                    immediate(&mut value, o.ty, o.imm, options.hex_floats);
                }
                ListOperand::IM(Immediate { value: ascii(value), ty: typed() })
            }
            Kind::Indirect => ListOperand::RI(Indirect {
                mods,
                areg: address_register(o),
                aoff: o.off.into(),
                rgn,
                ty: typed(),
                ..Indirect::default()
            }),
            Kind::Macro => ListOperand::RM(Macro {
                mods,
                reg: self.reg(o, false),
                mme: self.text(o.mme).into(),
                rgn: rgn.filter(|_| i.form == Form::Math),
                ty: typed(),
                ..Macro::default()
            }),
            Kind::Direct | Kind::None => {
                let ty = if matches!(i.form, Form::Ret | Form::Jump | Form::Call | Form::Brc) { None } else { typed() };
                ListOperand::RD(Direct { mods, reg: self.reg(o, true), rgn, ty, ..Direct::default() })
            }
        }
    }

    fn send_operands(&self, i: &Inst, e: &mut Element<'static>) {
        let comment = self.describe(i);
        if !comment.is_empty() {
            e.comment = Some(comment.into());
        }
        let dst = self.reg(&i.dst, false);
        let src0 = self.reg(&i.srcs[0], false);
        match i.desc {
            Desc::Imm(desc) => {
                e.dst = Some(ListOperand::DA(Data { reg: dst, len: Some((desc >> 20 & 31) as i32), defs: Vec::new() }));
                let mut address = Address { areg: src0, alen: Some((desc >> 25 & 15) as i32), ..Address::default() };
                self.surface(i, desc, &mut address);
                e.srcs.push(ListOperand::AD(address));
            }
            Desc::Reg(_) => {
                // `null` has a length even where the descriptor is not known.
                e.dst = Some(if i.dst.file == File::NULL {
                    ListOperand::DA(Data { reg: dst, len: Some(0), defs: Vec::new() })
                } else {
                    ListOperand::RD(Direct { reg: dst, ..Direct::default() })
                });
                e.srcs.push(ListOperand::RD(Direct { reg: src0, ..Direct::default() }));
            }
        }
        e.srcs.push(self.data(&i.srcs[1]));
        for desc in [i.exdesc, i.desc] {
            e.srcs.push(match desc {
                Desc::Imm(n) => {
                    let mut value = Vec::new();
                    hex(&mut value, n.into());
                    ListOperand::IM(Immediate { value: ascii(value), ty: None })
                }
                Desc::Reg(sub) => {
                    ListOperand::RD(Direct { reg: Reg { rn: "a".into(), r: 0, sr: sub.into() }, ..Direct::default() })
                }
            });
        }
    }

    fn data(&self, o: &Operand) -> ListOperand<'static> {
        let len = if o.file == File::NULL { 0 } else { i32::from(o.len) };
        ListOperand::DA(Data { reg: self.reg(o, false), len: Some(len), defs: Vec::new() })
    }

    /// Surface and offset of a message, as far as it is understood.
    fn surface(&self, i: &Inst, desc: u32, a: &mut Address<'static>) {
        if let Some(m) = self.lsc_message(i) {
            lsc_surface(i, &m, a);
            return;
        }
        let kind = desc >> 14 & 31;
        match self.text(i.sub) {
            "gtwy" | "smpl" => a.stype = Some("invalid".into()),
            "ugm" | "ugml" | "tgm" | "slm" if desc & 63 == 31 && desc >> 12 & 7 < 6 => a.stype = Some("flat".into()),
            "rta" if kind == 0 => a.stype = Some("flat".into()),
            "dc0" if desc & SCRATCH != 0 => {
                // Scratch space: an immediate offset in units of 32 bytes.
                a.aoff = Some(ListOffset::One(i64::from(desc & 0xFFF) * 32)).filter(|o| *o != ListOffset::One(0));
                (a.stype, a.soff) = (Some("bti".into()), Some(Surface::Index(0)));
            }
            "dc0" if matches!(desc & 255, 253 | 255) => a.stype = Some("flat".into()),
            "dc0" | "dcro" => (a.stype, a.soff) = (Some("bti".into()), Some(Surface::Index(desc & 255))),
            "dc1" if (1..16).contains(&kind) => {
                (a.stype, a.soff) = (Some("bti".into()), Some(Surface::Index(desc & 255)));
            }
            _ => {}
        }
    }

    fn load_store_operands(&self, i: &Inst, m: LoadStore, e: &mut Element<'static>) {
        e.op = m.op.into();
        if !m.is_store {
            let reg = self.reg(&i.dst, false);
            e.dst = Some(ListOperand::DA(Data { reg, len: Some(m.dst_len as i32), defs: Vec::new() }));
        }
        let mut address =
            Address { areg: self.reg(&i.srcs[0], false), alen: Some(m.src0_len as i32), ..Address::default() };
        lsc_surface(i, &m, &mut address);
        e.subop = Some(m.controls.into());
        e.srcs.push(ListOperand::AD(address));
        e.srcs.push(self.data(&i.srcs[1]));
    }

    /// Adds what dataflow found.
    fn add_flow(&self, entry: &Entry, n: u32, ids: Option<&Ids>, flow: &Flow, e: &mut Element<'static>) {
        let totals = flow.live(n);
        e.live_totals = Some(LiveTotals(FILES.iter().zip(totals).map(|(f, b)| (Cow::Borrowed(*f), *b)).collect()));
        let (Some(ids), Some(i)) = (ids, entry.inst()) else { return };
        let list = |id| if id == NONE { Vec::new() } else { flow.links(id).to_vec() };
        let both = |a, b| {
            let mut all = list(a);
            all.extend(list(b));
            all.sort_unstable();
            all.dedup();
            all
        };
        if let Some(pred) = &mut e.pred {
            pred.defs = list(ids.pred);
        }
        if let Some(fm) = &mut e.fm {
            fm.uses = list(ids.fm);
        }
        let info = self.op(i.op);
        let (reads, writes) = implicit_acc(info.name);
        if reads || writes || i.opts.acc_wr || (info.select && i.pred.is_some()) {
            e.implicit = Some(Implicit { defs: list(ids.implicit_read), uses: list(ids.implicit_write) });
        }
        match &mut e.dst {
            Some(ListOperand::RD(d)) if i.form != Form::Send => d.uses = both(ids.dst, ids.implicit_write),
            Some(ListOperand::RM(d)) => d.uses = both(ids.dst, ids.implicit_write),
            Some(ListOperand::RI(d)) => d.uses = list(ids.implicit_write),
            _ => {}
        }
        let normal_send = i.form == Form::Send && e.srcs.len() == 4;
        for (n, operand) in e.srcs.iter_mut().enumerate() {
            let id = match (normal_send, n) {
                (true, 2) => ids.exdesc,
                (true, 3) => ids.desc,
                _ => ids.srcs.get(n).copied().unwrap_or(NONE),
            };
            match operand {
                ListOperand::RD(o) => o.defs = list(id),
                ListOperand::RI(o) => o.defs = list(id),
                ListOperand::RM(o) => o.defs = list(id),
                ListOperand::DA(o) => o.defs = list(id),
                ListOperand::AD(o) => {
                    o.adefs = list(id);
                    if matches!(o.soff, Some(Surface::Reg(_))) {
                        o.sdefs = list(ids.exdesc);
                    }
                }
                ListOperand::LB(_) | ListOperand::IM(_) => {}
            }
        }
    }
}

/// The bit of a data port's descriptor that says scratch space.
const SCRATCH: u32 = 1 << 18;

/// A label or an instruction.
enum Part<'a> {
    Label(&'a Label<'static>),
    Inst(&'a Element<'static>),
}

fn lsc_surface(i: &Inst, m: &LoadStore, a: &mut Address<'static>) {
    a.stype = Some(m.surface.into());
    a.aoff = m.offset.map(|o| match o {
        Offset::One(n) => ListOffset::One(n),
        Offset::Two(x, y) => ListOffset::Two([x, y]),
    });
    if m.surface != "flat" {
        a.soff = Some(match i.exdesc {
            Desc::Reg(sub) => Surface::Reg(Reg { rn: "a".into(), r: 0, sr: sub.into() }),
            Desc::Imm(_) => Surface::Index(m.surface_index),
        });
    }
}

fn address_register(o: &Operand) -> Reg<'static> {
    Reg { rn: "a".into(), r: 0, sr: o.sub.into() }
}

/// The name of a label at an offset.
fn symbol(pc: i64) -> Text<'static> {
    let mut text = Vec::new();
    if pc < 0 {
        format_into(&mut text, format_args!("L_N{:04}", pc.unsigned_abs()));
    } else {
        format_into(&mut text, format_args!("L{pc:04}"));
    }
    ascii(text)
}

fn ascii(bytes: Vec<u8>) -> Text<'static> {
    String::from_utf8(bytes).unwrap_or_default().into()
}

fn encoding(entry: &Entry) -> Text<'static> {
    let words = if entry.short { 2 } else { 4 };
    let mut text = Vec::with_capacity(44);
    for n in (0..words).rev() {
        if !text.is_empty() {
            text.push(b'`');
        }
        format_into(&mut text, format_args!("0x{:08X}", (entry.word >> (32 * n)) as u32));
    }
    ascii(text)
}

/// With its dot, without allocating for those that there are.
fn predicate_function(name: &'static str) -> Cow<'static, str> {
    const KNOWN: [&str; 14] = [
        ".any", ".all", ".anyv", ".allv", ".any2h", ".all2h", ".any4h", ".all4h", ".any8h", ".all8h", ".any16h",
        ".all16h", ".any32h", ".all32h",
    ];
    match KNOWN.iter().find(|k| k[1..] == *name) {
        Some(known) => Cow::Borrowed(known),
        None => format!(".{name}").into(),
    }
}
