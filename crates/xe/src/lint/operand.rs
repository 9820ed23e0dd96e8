//! Rules about one operand: the description says when one is broken, this says what the operand is.
//!
//! An operand becomes a word of the rules' space, field by field. Operands repeat, so answers are kept by word.

use std::fmt::Write as _;

use isaglot_codec::{Plan, Scopes};
use rustc_hash::FxHashMap;

use super::{Finding, Place};
use crate::inst::{File, Form, Inst, NO_STRIDE, VXH, XeOperand, XeOperandKind};
use crate::isa::Xe;
use crate::stream::Program;

/// A sentence of the description with the values of fields in it.
fn filled(text: &str, values: &[(&str, u32)]) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('{') {
        out.push_str(before);
        let Some((name, after)) = after.split_once('}') else { break };
        if let Some((_, value)) = values.iter().find(|(known, _)| *known == name) {
            let _ = write!(out, "{value}");
        }
        rest = after;
    }
    out + rest
}

/// Whether the sources of instructions of a form have regions of three numbers.
fn has_regions(form: Form) -> bool {
    matches!(form, Form::Unary | Form::Binary | Form::Math)
}

/// Whether the destination of instructions of a form has a stride.
fn has_stride(form: Form) -> bool {
    has_regions(form) || matches!(form, Form::Ternary | Form::Bfn)
}

impl<'d> Xe<'d> {
    /// Adds what is wrong with single operands.
    pub(super) fn lint_operands(&self, program: &Program, found: &mut Vec<Finding>) {
        let plan = Plan::new(self.isa, self.platform.generation());
        let mut scopes = Scopes::new(&plan, false);
        let mut known: FxHashMap<u128, u64> = FxHashMap::default();
        for (at, entry) in program.entries.iter().enumerate() {
            let Some(i) = entry.inst() else { continue };
            let mut check = |place: Place, values: &[(&str, u32)]| {
                let word = self.rules.word(values);
                let broken = *known.entry(word).or_insert_with(|| self.rules.broken(&mut scopes, word));
                for (n, rule) in self.rules.rules.iter().enumerate() {
                    let applies = if place == Place::Destination { rule.destinations } else { rule.sources };
                    if applies && broken >> n & 1 != 0 {
                        let (message, remedy) = (filled(rule.says, values), filled(rule.mend, values));
                        found.push(Finding { at, rule: rule.rule, place, message, remedy, other: None });
                    }
                }
            };
            if has_stride(i.form) && i.dst.kind == XeOperandKind::Direct && i.dst.h != NO_STRIDE {
                check(Place::Destination, &self.operand_values(i, &i.dst, (u32::from(i.dst.h), 1, 0)));
            }
            if has_regions(i.form) {
                for (n, o) in i.sources().iter().enumerate() {
                    let written = o.v != NO_STRIDE && o.v != VXH && o.w != NO_STRIDE && o.h != NO_STRIDE;
                    if o.kind == XeOperandKind::Direct && written {
                        let region = (u32::from(o.v), u32::from(o.w), u32::from(o.h));
                        check(Place::Source(n as u8), &self.operand_values(i, o, region));
                    }
                }
            }
        }
    }

    /// An operand as the rules see it. Of a destination each element is a row.
    fn operand_values(&self, i: &Inst, o: &XeOperand, (v, w, h): (u32, u32, u32)) -> [(&'static str, u32); 12] {
        let (channels, size, start) = (u32::from(i.es), o.ty.bytes(), u32::from(o.sub));
        let register = self.platform.grf_bytes();
        let w = w.max(1);
        let rows = (channels / w).max(1);
        let row_start = |row: u32| start + row * v * size;
        let later = (1..rows).map(|row| row_start(row) % register).max().unwrap_or(0);
        let end = row_start(rows - 1) + (w.min(channels.max(1)) - 1) * h * size + size;
        let file = usize::from(o.file.0);
        [
            ("CHANNELS", channels),
            ("SIZE", size),
            ("V", v),
            ("W", w),
            ("H", h),
            ("START", start),
            ("REGISTER", register),
            ("UNIT", self.rules.units.get(file).copied().unwrap_or(1)),
            ("FILE_SIZE", self.file(o.file).bytes),
            ("LATER", later),
            ("END", end),
            ("GENERAL", u32::from(o.file == File::R)),
        ]
    }
}
