//! A few words about messages, for people.

use crate::inst::{Desc, Form, Inst};
use crate::isa::Xe;

impl<'d> Xe<'d> {
    /// What a message does; empty where that is not known.
    pub fn describe(&self, i: &Inst) -> String {
        if let Some(m) = self.lsc_message(i) {
            let mut text = format!("{}.{}", m.op, m.controls);
            if m.surface != "flat" {
                text.push('.');
                text.push_str(m.surface);
                match i.exdesc {
                    Desc::Reg(sub) => text.push_str(&format!("[a0.{sub}]")),
                    Desc::Imm(_) => text.push_str(&format!("[{}]", m.surface_index)),
                }
            }
            return text;
        }
        self.message(i).map_or(String::new(), |m| m.name.replace('-', " "))
    }
}

/// The value of a descriptor, and the space of the description that says what it means.
pub type Descriptor = (u32, String);

impl<'d> Xe<'d> {
    /// The descriptor and the extended descriptor of a message, as far as they are immediates that the description reads.
    pub(crate) fn descriptors(&self, i: &Inst) -> [Option<Descriptor>; 2] {
        if i.form != Form::Send {
            return [None, None];
        }
        let load_store = self.lsc_message(i);
        let (mut desc, mut exdesc) = (None, None);
        if let Desc::Imm(word) = i.desc {
            let space = match (&load_store, self.message(i)) {
                (Some(_), _) => "#lsc".to_owned(),
                (None, Some(_)) => format!("#message-{}", if self.is_lsc(i) { "lsc" } else { self.text(i.sub) }),
                (None, None) => "#message".to_owned(),
            };
            desc = Some((word, space));
        }
        if let (Desc::Imm(word), Some(m)) = (i.exdesc, &load_store) {
            exdesc = Some((word, super::lsc::extended_space(m).to_owned()));
        }
        [desc, exdesc]
    }
}
