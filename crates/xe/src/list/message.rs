//! Operands of messages in a listing.

use isaglot_listing::tree::{
    Address, Data, Direct, Immediate, Inst as Element, ListOperand, Offset as ListOffset, Reg, Surface,
};

use super::element::ascii;
use crate::float::hex;
use crate::inst::{Desc, File, Inst, XeOperand};
use crate::isa::Xe;
use crate::message::{LoadStore, Offset};

impl<'d> Xe<'d> {
    pub(crate) fn send_operands(&self, i: &Inst, e: &mut Element<'d>) {
        let comment = self.describe(i);
        if !comment.is_empty() {
            e.comment = Some(comment.into());
        }
        let dst = self.reg(&i.dst, false);
        let src0 = self.reg(&i.srcs[0], false);
        match i.desc {
            Desc::Imm(desc) => {
                let lengths = self.lengths(desc);
                e.dst = Some(ListOperand::DA(Data { reg: dst, len: Some(lengths.dst as i32), defs: Vec::new() }));
                let mut address = Address { areg: src0, alen: Some(lengths.src0 as i32), ..Address::default() };
                self.surface(i, &mut address);
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

    fn data(&self, o: &XeOperand) -> ListOperand<'d> {
        let len = if o.file == File::NULL { 0 } else { i32::from(o.len) };
        if len < 0 {
            // Nothing says how long it is.
            return ListOperand::RD(Direct { reg: self.reg(o, false), ..Direct::default() });
        }
        ListOperand::DA(Data { reg: self.reg(o, false), len: Some(len), defs: Vec::new() })
    }

    /// Surface and offset of a message, as far as it is understood.
    fn surface(&self, i: &Inst, a: &mut Address<'d>) {
        if let Some(m) = self.lsc_message(i) {
            lsc_surface(i, &m, a);
            return;
        }
        let Some(m) = self.message(i) else { return };
        a.stype = Some(m.surface.into());
        a.aoff = Some(ListOffset::One(m.offset.into())).filter(|_| m.offset != 0);
        a.soff = Some(Surface::Index(m.index)).filter(|_| m.surface == "bti");
    }

    pub(super) fn load_store_operands(&self, i: &Inst, m: LoadStore<'d>, compat: bool, e: &mut Element<'d>) {
        e.op = m.op.into();
        if !m.is_store {
            let reg = self.reg(&i.dst, false);
            e.dst = Some(ListOperand::DA(Data { reg, len: Some(m.dst_len as i32), defs: Vec::new() }));
        }
        let mut address =
            Address { areg: self.reg(&i.srcs[0], false), alen: Some(m.src0_len as i32), ..Address::default() };
        lsc_surface(i, &m, &mut address);
        // Else the element would not give the message back.
        e.subop = Some(match m.hidden.filter(|_| !compat) {
            Some(hidden) => format!("{}.{hidden}", m.controls).into(),
            None => m.controls.into(),
        });
        e.srcs.push(ListOperand::AD(address));
        e.srcs.push(self.data(&i.srcs[1]));
    }
}

fn lsc_surface<'d>(i: &Inst, m: &LoadStore<'d>, a: &mut Address<'d>) {
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
