//! What stands before the operands, and the options after them.

use crate::float::decimal;
use crate::inst::{Form, Inst};
use crate::isa::Xe;
use crate::parts::Shown;
use crate::swsb::{PIPES, SbidToken};

use super::{Columns, TextOptions};

/// The options that are one word, in the order of listings, with whether an instruction has them.
pub(crate) fn named_options(i: &Inst) -> [(bool, &'static str); 10] {
    let o = &i.opts;
    [
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
    ]
}

/// Widths of the columns of predicate, mnemonic and flag modifier.
pub(super) const PREDICATE: usize = 7;
const MNEMONIC: usize = 13;
const FLAG: usize = 9;

impl<'d> Xe<'d> {
    /// Predicate, mnemonic with channels, flag modifier, each padded to its column.
    pub(super) fn head(&self, i: &Inst, options: &TextOptions, out: &mut Vec<u8>) -> Shown {
        let mut columns = Columns::default();
        let start = out.len();
        self.predicate(i, out);
        columns.pad(out, out.len() - start, PREDICATE);
        out.push(b' ');
        let start = out.len();
        out.extend_from_slice(self.op(i.op).name.as_bytes());
        self.function(i, options, out);
        out.push(b' ');
        self.channels(i, out);
        columns.pad(out, out.len() - start, MNEMONIC);
        out.push(b' ');
        let start = out.len();
        self.flag_modifier(i, out);
        columns.pad(out, out.len() - start, FLAG);
        Shown { count: i.src_count, ..Shown::width(columns.debt) }
    }

    pub(crate) fn predicate(&self, i: &Inst, out: &mut Vec<u8>) {
        if !i.wren && i.pred.is_none() {
            return;
        }
        out.push(b'(');
        if i.wren {
            out.push(b'W');
        }
        if let Some(pred) = i.pred {
            if i.wren {
                out.push(b'&');
            }
            if pred.inv {
                out.push(b'~');
            }
            self.flag(i, out);
            let func = self.text(pred.func);
            if !func.is_empty() {
                out.push(b'.');
                out.extend_from_slice(func.as_bytes());
            }
        }
        out.push(b')');
    }

    fn flag(&self, i: &Inst, out: &mut Vec<u8>) {
        out.push(b'f');
        decimal(out, i.flag.0.into());
        out.push(b'.');
        decimal(out, i.flag.1.into());
    }

    /// What stands after the dot of the mnemonic.
    pub(crate) fn function(&self, i: &Inst, options: &TextOptions, out: &mut Vec<u8>) {
        match i.form {
            Form::Bfn if options.bfn_numbers => {
                out.extend_from_slice(b".0x");
                crate::float::write(out, format_args!("{:02X}", self.bfn_value(i.sub)));
            }
            Form::Math | Form::Sync | Form::Send | Form::Bfn => {
                out.push(b'.');
                out.extend_from_slice(self.text(i.sub).as_bytes());
            }
            Form::Dpas => {
                out.push(b'.');
                decimal(out, i.dpas.0.into());
                out.push(b'x');
                decimal(out, i.dpas.1.into());
            }
            _ if i.brctl => out.extend_from_slice(b".b"),
            _ => {}
        }
    }

    /// Whether texts show how many channels there are.
    pub(crate) fn has_channels(&self, i: &Inst) -> bool {
        !matches!(i.form, Form::None | Form::Sync) && !self.op(i.op).unmasked
    }

    pub(crate) fn channels(&self, i: &Inst, out: &mut Vec<u8>) {
        if !self.has_channels(i) {
            return;
        }
        out.push(b'(');
        decimal(out, i.es.into());
        out.extend_from_slice(b"|M");
        decimal(out, i.eo.into());
        out.push(b')');
    }

    pub(crate) fn flag_modifier(&self, i: &Inst, out: &mut Vec<u8>) {
        let cond = self.text(i.cond);
        if cond.is_empty() {
            return;
        }
        out.push(b'(');
        out.extend_from_slice(cond.as_bytes());
        out.push(b')');
        self.flag(i, out);
    }

    /// The options in braces, with a space before, or nothing.
    pub(crate) fn options(&self, i: &Inst, out: &mut Vec<u8>) {
        let mut first = true;
        for (on, name) in named_options(i) {
            if on {
                out.extend_from_slice(if std::mem::take(&mut first) { b" {" } else { b"," });
                out.extend_from_slice(name.as_bytes());
            }
        }
        if let Some(pipe) = i.swsb.pipe.checked_sub(1).and_then(|p| PIPES.get(usize::from(p))) {
            out.extend_from_slice(if std::mem::take(&mut first) { b" {" } else { b"," });
            out.extend_from_slice(pipe.as_bytes());
            decimal(out, i.swsb.distance.into());
        }
        let (token, suffix): (u8, &[u8]) = match i.swsb.token {
            SbidToken::None => {
                if !first {
                    out.push(b'}');
                }
                return;
            }
            SbidToken::Set(n) => (n, b""),
            SbidToken::Dst(n) => (n, b".dst"),
            SbidToken::Src(n) => (n, b".src"),
        };
        out.extend_from_slice(if std::mem::take(&mut first) { b" {" } else { b"," });
        out.push(b'$');
        decimal(out, token.into());
        out.extend_from_slice(suffix);
        out.push(b'}');
    }
}
