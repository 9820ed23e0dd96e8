//! A few words about messages, for people.

use crate::inst::{Desc, Inst};
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
