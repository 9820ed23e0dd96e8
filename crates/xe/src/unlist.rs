//! Listings back into instructions, and so into a binary.
//!
//! A listing in the normal form holds everything that a binary does, but for bits that mean nothing. Loads and stores
//! in their own form hold no descriptors: these are taken from the encoding, if there is one, or made from the parts.

use isaglot_source::{Diagnostic, Diagnostics, FileId, Span};
use rustc_hash::FxHashMap;

use isaglot_codec::{Symbol, Values};
use isaglot_listing::tree::{Elem, Inst as Element, ListOperand, Listing, Reg, Rgn};

use crate::assemble::{Compaction, Layout};
use crate::float;
use crate::inst::{Desc, File, Form, Inst, NO_STRIDE, Pred, VXH, XeOperand, XeOperandKind};
use crate::isa::{EO, Xe};
use crate::parse::{DISTANCE, Line, SourceLabel};
use crate::swsb::{SbidToken, Swsb, pipe_named};
use crate::types::Type;

impl<'d> Xe<'d> {
    /// The binary that a listing shows; every problem is added to `out`, and with an error among them there is none.
    pub fn assemble_listing(&mut self, file: FileId, listing: &Listing<'_>, out: &mut Diagnostics) -> Option<Vec<u8>> {
        let before = out.error_count();
        let mut layout = Layout::new(Compaction::Marked, 0);
        let mut labels: Vec<SourceLabel> = Vec::new();
        let mut names: FxHashMap<&str, u32> = FxHashMap::default();
        for elem in &listing.elems {
            if let Elem::L(l) = elem {
                names.insert(&l.symbol, labels.len() as u32);
                let span = Span::new(file, 0, 0);
                labels.push(SourceLabel { name: l.symbol.clone().into_owned(), at: None, span });
            }
        }
        let mut values = Values::default();
        let mut label = 0;
        for elem in &listing.elems {
            match elem {
                Elem::L(_) => {
                    if let Some(slot) = labels.get_mut(label) {
                        slot.at = Some(layout.count());
                    }
                    label += 1;
                }
                Elem::I(e) => match self.element_inst(e, &names, &mut values) {
                    Ok(inst) => drop(layout.push(self, &Line { inst, span: Span::new(file, 0, 0) }, out)),
                    Err(message) => {
                        let message = format!("instruction {} (`{}`): {message}", e.id, e.op);
                        out.push(Diagnostic::error("xe-listing", message));
                    }
                },
            }
        }
        let bytes = layout.finish(self, &labels, out);
        (out.error_count() == before).then_some(bytes)
    }

    fn element_inst(&mut self, e: &Element<'_>, names: &FxHashMap<&str, u32>, v: &mut Values) -> Result<Inst, String> {
        let Some(op) = self.op_named(&e.op) else {
            return match &e.encoding {
                Some(text) => self.encoded_inst(text, v),
                None => self.load_store_from(e).unwrap_or_else(|| Err("no such mnemonic".to_owned())),
            };
        };
        let mut i = Inst::new(op, self.op(op).form);
        let small = |n: u32, what: &str| u8::try_from(n).map_err(|_| format!("{what} {n} is out of range"));
        i.es = small(e.es.unwrap_or(1), "execution size")?;
        i.eo = small(e.eo.unwrap_or(0), "channel offset")?;
        i.wren = e.wren;
        if let Some(f) = &e.freg {
            i.flag = (small(f.r, "flag register")?, small(f.sr, "flag sub-register")?);
        }
        if let Some(p) = &e.pred {
            let func = self.symbol(p.func.trim_start_matches('.')).ok_or("no such predicate function")?;
            i.pred = Some(Pred { inv: p.inv, func });
        }
        if let Some(fm) = &e.fm {
            i.cond = if fm.cond == "eo" { EO } else { self.symbol(&fm.cond).ok_or("no such condition")? };
        }
        if let Some(sub) = e.subop.as_deref() {
            match i.form {
                Form::Dpas => {
                    let shape = sub.split_once('x').and_then(|(d, r)| Some((d.parse().ok()?, r.parse().ok()?)));
                    i.dpas = shape.ok_or("no such shape")?;
                }
                Form::Math | Form::Sync | Form::Send | Form::Bfn => {
                    let symbol = self.symbol(sub).filter(|s| self.is_function(i.form, *s));
                    i.sub = symbol.ok_or_else(|| format!("no function `{sub}`"))?;
                }
                _ => i.brctl = sub == "b",
            }
        }
        self.annotations(e, &mut i)?;
        if i.form == Form::Send {
            let i = self.send_from(e, i)?;
            self.check_message(e, &i)?;
            return Ok(i);
        }
        if let Some(dst) = &e.dst {
            i.dst = self.operand_from(dst, &mut i.sat, names)?;
            self.needs_region(&i, 0, &i.dst)?;
        }
        if e.srcs.len() > 3 {
            return Err("too many sources".to_owned());
        }
        for (n, src) in e.srcs.iter().enumerate() {
            let mut o = self.operand_from(src, &mut false, names)?;
            if matches!(i.form, Form::Ternary | Form::Bfn) && o.h != NO_STRIDE {
                ternary_region(n, &mut o);
            }
            if i.form.branches() {
                o.ty = Type::D;
            }
            self.needs_region(&i, n + 1, &o)?;
            i.srcs[n] = o;
        }
        i.src_count = e.srcs.len() as u8;
        Ok(i)
    }

    /// Registers have a region where the format has one; texts may leave it out, listings of version 1.0 do not say some.
    fn needs_region(&self, i: &Inst, operand: usize, o: &XeOperand) -> Result<(), String> {
        let register = matches!(o.kind, XeOperandKind::Direct | XeOperandKind::Indirect);
        if register && o.h == NO_STRIDE && self.with_default_region(i, operand, *o).h != NO_STRIDE {
            return Err("a register has no region (`rgn`); version 1.0 leaves out those of indirect sources".to_owned());
        }
        Ok(())
    }

    /// The instruction that an encoding is, for elements that do not hold all of it.
    fn encoded_inst(&mut self, text: &str, v: &mut Values) -> Result<Inst, String> {
        let mut word = 0u128;
        let mut count = 0;
        for part in text.split('`') {
            let digits = part.strip_prefix("0x").unwrap_or(part);
            let dword = u32::from_str_radix(digits, 16).map_err(|_| "the encoding is not a number".to_owned())?;
            word = word << 32 | u128::from(dword);
            count += 1;
        }
        match count {
            4 => self.decode(word, v),
            2 => self.decode_short(word as u64, v),
            _ => return Err("the encoding has no 2 or 4 dwords".to_owned()),
        }
        .map_err(|e| e.message())
    }

    fn annotations(&self, e: &Element<'_>, i: &mut Inst) -> Result<(), String> {
        let mut swsb = Swsb::default();
        if let Some(dist) = e.reg_dist.as_deref() {
            let (pipe, digits) = dist.split_once('@').ok_or("no such distance")?;
            swsb.pipe = pipe_named(pipe).ok_or("no such pipe")?;
            swsb.distance = digits.parse().map_err(|_| "no such distance")?;
        }
        if let Some(sbid) = &e.sbid {
            let id = u8::try_from(sbid.id).map_err(|_| "no such token")?;
            swsb.token = match &*sbid.func {
                ".dst" => SbidToken::Dst(id),
                ".src" => SbidToken::Src(id),
                "" => SbidToken::Set(id),
                _ => return Err("no such use of a token".to_owned()),
            };
        }
        i.swsb = swsb;
        match e.opts.iter().find(|opt| !i.set_option(opt)) {
            Some(unknown) => Err(format!("no option `{unknown}`")),
            None => Ok(()),
        }
    }

    fn send_from(&self, e: &Element<'_>, mut i: Inst) -> Result<Inst, String> {
        let payload = |o: &ListOperand<'_>| match o {
            ListOperand::DA(d) => self.payload_from(&d.reg, d.len),
            ListOperand::AD(a) => self.payload_from(&a.areg, a.alen),
            ListOperand::RD(d) => self.payload_from(&d.reg, None),
            _ => Err("a payload must be registers".to_owned()),
        };
        let [src0, src1, exdesc, desc] = e.srcs.as_slice() else {
            return Err("a message has four sources".to_owned());
        };
        i.dst = payload(e.dst.as_ref().ok_or("no destination")?)?;
        i.srcs[0] = payload(src0)?;
        i.srcs[1] = payload(src1)?;
        i.src_count = 2;
        i.exdesc = descriptor(exdesc)?;
        i.desc = descriptor(desc)?;
        Ok(i)
    }

    fn payload_from(&self, reg: &Reg<'_>, len: Option<i32>) -> Result<XeOperand, String> {
        let mut o = XeOperand { kind: XeOperandKind::Direct, ..XeOperand::default() };
        self.register_from(reg, &mut o)?;
        o.len = len.and_then(|n| i16::try_from(n).ok()).unwrap_or(-1);
        if o.file == File::S {
            o.sub = u8::try_from(reg.sr).map_err(|_| "no such byte")?;
        }
        Ok(o)
    }

    fn register_from(&self, reg: &Reg<'_>, o: &mut XeOperand) -> Result<(), String> {
        o.file = self.file_named(&reg.rn).ok_or_else(|| format!("no register `{}`", reg.rn))?;
        o.reg = u8::try_from(reg.r).map_err(|_| format!("no register {}{}", reg.rn, reg.r))?;
        Ok(())
    }

    fn operand_from(
        &self,
        operand: &ListOperand<'_>,
        sat: &mut bool,
        names: &FxHashMap<&str, u32>,
    ) -> Result<XeOperand, String> {
        let mut o = XeOperand::default();
        let ty = |name: Option<&str>| match name {
            Some(name) => Type::parse(name).ok_or_else(|| format!("no type `{name}`")),
            None => Ok(Type::NONE),
        };
        match operand {
            ListOperand::LB(l) => {
                o.kind = XeOperandKind::Label;
                match names.get(&*l.target) {
                    Some(id) => o.imm = (*id).into(),
                    None => return Err(format!("no label `{}`", l.target)),
                }
                debug_assert!(o.len != DISTANCE);
            }
            ListOperand::IM(im) => {
                o.kind = XeOperandKind::Imm;
                o.ty = ty(im.ty.as_deref())?;
                o.imm = float::parse(&im.value, o.ty).ok_or_else(|| format!("no value `{}`", im.value))?;
            }
            ListOperand::RD(d) => {
                o.kind = XeOperandKind::Direct;
                *sat = d.sat;
                o.ty = ty(d.ty.as_deref())?;
                self.register_from(&d.reg, &mut o)?;
                o.sub = self.sub_bytes(&o, d.reg.sr)?;
                o.mods = modifiers(d.mods.as_deref())?;
                region(d.rgn.as_ref(), false, &mut o)?;
            }
            ListOperand::RM(m) => {
                o.kind = XeOperandKind::Macro;
                *sat = m.sat;
                o.ty = ty(m.ty.as_deref())?;
                self.register_from(&m.reg, &mut o)?;
                o.mods = modifiers(m.mods.as_deref())?;
                o.mme = self.symbol(&m.mme).filter(|s| *s != Symbol::NONE).ok_or("no such extension")?;
                region(m.rgn.as_ref(), false, &mut o)?;
            }
            ListOperand::RI(r) => {
                o.kind = XeOperandKind::Indirect;
                o.file = File::A;
                *sat = r.sat;
                o.ty = ty(r.ty.as_deref())?;
                o.sub = u8::try_from(r.areg.sr).map_err(|_| "no such address word")?;
                o.off = i16::try_from(r.aoff).map_err(|_| "offset out of range")?;
                o.mods = modifiers(r.mods.as_deref())?;
                region(r.rgn.as_ref(), true, &mut o)?;
            }
            ListOperand::DA(_) | ListOperand::AD(_) => return Err("payloads belong to messages".to_owned()),
        }
        Ok(o)
    }

    fn sub_bytes(&self, o: &XeOperand, element: u32) -> Result<u8, String> {
        let bits = match o.ty.bits() {
            bits @ 1..8 => bits,
            _ => 8 * self.sub_scale(o),
        };
        u8::try_from(u64::from(element) * u64::from(bits) / 8).map_err(|_| format!("no sub-register {element}"))
    }
}

fn modifiers(mods: Option<&str>) -> Result<u8, String> {
    match mods {
        None => Ok(0),
        Some("a") => Ok(1),
        Some("n") => Ok(2),
        Some("na") => Ok(3),
        Some(other) => Err(format!("no modifier `{other}`")),
    }
}

fn region(rgn: Option<&Rgn>, indirect: bool, o: &mut XeOperand) -> Result<(), String> {
    let Some(r) = rgn else { return Ok(()) };
    let small = |n: u32| u8::try_from(n).ok().filter(|n| *n < VXH).ok_or_else(|| format!("no stride {n}"));
    o.h = small(r.h)?;
    if let Some(w) = r.w {
        o.w = small(w)?;
        o.v = match r.v {
            Some(v) => small(v)?,
            None if indirect => VXH,
            None => NO_STRIDE,
        };
    }
    Ok(())
}

/// From the shape that listings show to the one that is encoded.
fn ternary_region(n: usize, o: &mut XeOperand) {
    if n == 2 {
        (o.h, o.v, o.w) = (o.v, NO_STRIDE, NO_STRIDE);
    } else {
        o.w = NO_STRIDE;
    }
}

fn descriptor(o: &ListOperand<'_>) -> Result<Desc, String> {
    match o {
        ListOperand::IM(im) => {
            let value = float::integer(&im.value).and_then(|n| u32::try_from(n).ok());
            value.map(Desc::Imm).ok_or_else(|| format!("no descriptor `{}`", im.value))
        }
        ListOperand::RD(d) if d.reg.rn == "a" => Ok(Desc::Reg(u8::try_from(d.reg.sr).map_err(|_| "no such word")?)),
        _ => Err("a descriptor is an immediate or an address register".to_owned()),
    }
}
