//! What dataflow found, put into the elements of a listing.

use std::borrow::Cow;

use isaglot_listing::dataflow::Flow;
use isaglot_listing::tree::{Implicit, Inst as Element, ListOperand, LiveTotals, Surface};

use super::access::{FILES, Ids, NONE};
use crate::inst::{Form, Inst};
use crate::isa::Xe;

impl<'d> Xe<'d> {
    /// Adds the live bytes.
    pub(super) fn add_totals(&self, n: u32, flow: &Flow, e: &mut Element<'d>) {
        let totals = flow.live(n);
        e.live_totals = Some(LiveTotals(FILES.iter().zip(totals).map(|(f, b)| (Cow::Borrowed(*f), *b)).collect()));
    }

    /// Adds what dataflow found. With `compat`, destinations count readers of the accumulator as theirs, a select has its
    /// flag among what it implies, and an indirect destination does not say what defines its address.
    pub(super) fn add_flow(&self, i: &Inst, (n, ids): (u32, &Ids), (flow, compat): (&Flow, bool), e: &mut Element<'d>) {
        self.add_totals(n, flow, e);
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
        if self.implies(i, compat) {
            e.implicit = Some(Implicit { defs: list(ids.implicit_read), uses: list(ids.implicit_write) });
        }
        let beside = if compat { ids.implicit_write } else { NONE };
        match &mut e.dst {
            Some(ListOperand::RD(d)) if i.form != Form::Send => d.uses = both(ids.dst, beside),
            Some(ListOperand::RM(d)) => d.uses = both(ids.dst, beside),
            Some(ListOperand::RI(d)) if compat => d.uses = list(ids.implicit_write),
            Some(ListOperand::RI(d)) => d.defs = list(ids.dst_address),
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
