//! An instruction as an element of a listing, without dataflow.

use std::borrow::Cow;
use std::fmt::Write;

use isaglot_listing::tree::{
    Direct, FlagModifier, Immediate, Indirect, Inst as Element, LabelRef, ListOperand, Macro, Pred, Reg, Rgn, Sbid,
    Text,
};

use super::ListOptions;
use super::access::shown_region;
use crate::decode::BadWord;
use crate::float::{immediate, write as format_into};
use crate::inst::{File, Form, Inst, NO_STRIDE, VXH, XeOperand, XeOperandKind};
use crate::isa::Xe;
use crate::print::{label, named_options};
use crate::stream::RawWord;
use crate::swsb::{PIPES, SbidToken};
use crate::types::Type;

impl<'d> Xe<'d> {
    /// One instruction without dataflow.
    pub(super) fn element(
        &self,
        raw: RawWord,
        item: Result<&Inst, BadWord>,
        id: u32,
        options: &ListOptions,
        e: &mut Element<'d>,
    ) {
        let (mut srcs, mut opts) = (std::mem::take(&mut e.srcs), std::mem::take(&mut e.opts));
        srcs.clear();
        opts.clear();
        *e = Element { id, pc: options.pc.then_some(raw.pc.into()), srcs, opts, ..Element::default() };
        if options.bits || item.is_err() {
            let mut text = String::with_capacity(44);
            for dword in dwords(raw) {
                let _ = write!(text, "{}0x{dword:08X}", if text.is_empty() { "" } else { "`" });
            }
            e.encoding = Some(text.into());
        }
        let i = match item {
            Ok(i) => i,
            Err(why) => {
                e.op = "illegal".into();
                e.es = Some(1);
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
            // What `iga64` makes of a count that there is not.
            Form::Dpas if options.compat && i.dpas.1 > 8 => Some(format!("0x{:X}{:02X}?", i.dpas.0, i.dpas.1).into()),
            Form::Dpas => Some(format!("{}x{}", i.dpas.0, i.dpas.1).into()),
            _ if i.brctl && !options.compat => Some("b".into()),
            _ => None,
        };
        self.options_of(i, e);
        if i.form == Form::Send {
            let message =
                if options.ldst && (options.compat || info.name == "send") { self.load_store(i) } else { None };
            match message {
                Some(m) => self.load_store_operands(i, m, options.compat, e),
                None => self.send_operands(i, e),
            }
            return;
        }
        if i.form.has_dst() {
            e.dst = Some(self.destination(i));
        }
        for (n, o) in i.sources().iter().enumerate() {
            e.srcs.push(self.source(i, n, o, raw.pc, options));
        }
    }

    fn options_of(&self, i: &Inst, e: &mut Element<'d>) {
        for (on, name) in named_options(i) {
            if on {
                e.opts.push(name.into());
            }
        }
        if let Some(pipe) = i.swsb.pipe.checked_sub(1).and_then(|p| PIPES.get(usize::from(p))) {
            e.reg_dist = Some(format!("{pipe}{}", i.swsb.distance).into());
        }
        e.sbid = match i.swsb.token {
            SbidToken::None => None,
            SbidToken::Set(id) => Some(Sbid { id: id.into(), func: "".into() }),
            SbidToken::Dst(id) => Some(Sbid { id: id.into(), func: ".dst".into() }),
            SbidToken::Src(id) => Some(Sbid { id: id.into(), func: ".src".into() }),
        };
    }

    pub(super) fn reg(&self, o: &XeOperand, sub: bool) -> Reg<'d> {
        let sr = if sub { self.sub_unit(o) } else { 0 };
        let single = matches!(o.file, File::NULL | File::CE | File::IP);
        Reg { rn: self.file(o.file).name.into(), r: if single { 0 } else { o.reg.into() }, sr }
    }

    fn destination(&self, i: &Inst) -> ListOperand<'d> {
        let o = &i.dst;
        let rgn = (o.h != NO_STRIDE && i.form != Form::Dpas).then(|| Rgn { v: None, w: None, h: o.h.into() });
        let ty = Some(o.ty.name().into());
        match o.kind {
            XeOperandKind::Indirect => ListOperand::RI(Indirect {
                areg: address_register(o),
                aoff: o.off.into(),
                sat: i.sat,
                rgn,
                ty,
                ..Indirect::default()
            }),
            XeOperandKind::Macro => ListOperand::RM(Macro {
                reg: self.reg(o, false),
                mme: self.text(o.mme).into(),
                sat: i.sat,
                ty,
                ..Macro::default()
            }),
            _ => ListOperand::RD(Direct { reg: self.reg(o, true), sat: i.sat, rgn, ty, ..Direct::default() }),
        }
    }

    fn source(&self, i: &Inst, n: usize, o: &XeOperand, pc: u32, options: &ListOptions) -> ListOperand<'d> {
        let mods: Option<Text<'d>> = match o.mods {
            1 => Some("a".into()),
            2 => Some("n".into()),
            3 => Some("na".into()),
            _ => None,
        };
        let rgn = (o.h != NO_STRIDE).then(|| {
            let (v, w, h) = shown_region(i, n);
            let rowless = o.v == VXH || (o.kind == XeOperandKind::Indirect && o.v == NO_STRIDE);
            Rgn { v: (!rowless).then_some(v), w: Some(w), h }
        });
        let typed = || (o.ty != Type::NONE).then(|| o.ty.name().into());
        match o.kind {
            XeOperandKind::Label => ListOperand::LB(LabelRef { target: symbol(self.target(i, pc, o.imm), options) }),
            XeOperandKind::Imm => {
                let mut value = Vec::new();
                immediate(&mut value, o.ty, o.imm, options.hex_floats);
                ListOperand::IM(Immediate { value: ascii(value), ty: typed().filter(|_| i.form != Form::Sync) })
            }
            XeOperandKind::Indirect => ListOperand::RI(Indirect {
                mods,
                areg: address_register(o),
                aoff: o.off.into(),
                rgn,
                ty: typed(),
                ..Indirect::default()
            }),
            XeOperandKind::Macro => ListOperand::RM(Macro {
                mods,
                reg: self.reg(o, false),
                mme: self.text(o.mme).into(),
                rgn: rgn.filter(|_| i.form == Form::Math),
                ty: typed(),
                ..Macro::default()
            }),
            XeOperandKind::Direct | XeOperandKind::None => {
                let ty = if matches!(i.form, Form::Ret | Form::Jump | Form::Call | Form::Brc) { None } else { typed() };
                ListOperand::RD(Direct { mods, reg: self.reg(o, true), rgn, ty, ..Direct::default() })
            }
        }
    }
}

fn address_register(o: &XeOperand) -> Reg<'static> {
    Reg { rn: "a".into(), r: 0, sr: o.sub.into() }
}

/// The name of a label at an offset.
/// The name of the block at an offset.
pub(super) fn symbol(pc: i64, options: &ListOptions) -> Text<'static> {
    let mut text = Vec::new();
    if options.text {
        label(pc, &mut text);
    } else if pc < 0 {
        format_into(&mut text, format_args!("L_N{:04}", pc.unsigned_abs()));
    } else {
        format_into(&mut text, format_args!("L{pc:04}"));
    }
    ascii(text)
}

pub(super) fn ascii(bytes: Vec<u8>) -> Text<'static> {
    String::from_utf8(bytes).unwrap_or_default().into()
}

/// With its dot, without allocating for those that there are.
fn predicate_function(name: &str) -> Cow<'static, str> {
    const KNOWN: [&str; 14] = [
        ".any", ".all", ".anyv", ".allv", ".any2h", ".all2h", ".any4h", ".all4h", ".any8h", ".all8h", ".any16h",
        ".all16h", ".any32h", ".all32h",
    ];
    match KNOWN.iter().find(|k| k[1..] == *name) {
        Some(known) => Cow::Borrowed(known),
        None => format!(".{name}").into(),
    }
}

/// The dwords of a word as it stands in the binary, from the highest to the lowest.
pub(super) fn dwords(raw: RawWord) -> impl Iterator<Item = u32> {
    let count = if raw.short { 2 } else { 4 };
    (0..count).rev().map(move |n| (raw.word >> (32 * n)) as u32)
}
