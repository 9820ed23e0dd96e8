//! A few words about messages, for people.

use crate::inst::{Desc, Inst};
use crate::isa::Xe;

impl Xe {
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
        let Desc::Imm(desc) = i.desc else { return String::new() };
        match self.text(i.sub) {
            "gtwy" => gateway(desc).to_owned(),
            unit @ ("ugm" | "ugml" | "tgm" | "slm") if desc & 63 == 31 => format!("fence.{unit}"),
            _ => String::new(),
        }
    }
}

/// Gateway messages by their function.
fn gateway(desc: u32) -> &'static str {
    match desc & 7 {
        0 if desc >> 4 & 1 != 0 => "end of thread",
        4 => "barrier signal",
        1 => "open gateway",
        2 => "forward message",
        5 => "save barrier",
        6 => "restore barrier",
        _ => "",
    }
}
