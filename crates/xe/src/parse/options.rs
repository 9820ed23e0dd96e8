//! The options in braces.

use super::{Parser, Result};
use crate::inst::Inst;
use crate::swsb::{SbidToken, Swsb, pipe_named};

impl Parser<'_, '_, '_> {
    pub(super) fn options(&mut self, i: &mut Inst) -> Result<()> {
        loop {
            self.space();
            if self.eat(b'}') {
                return Ok(());
            }
            let start = self.at();
            if self.eat(b'$') {
                let n = self.small("a token")?;
                i.swsb.token = if self.eat_text(b".dst") {
                    SbidToken::Dst(n)
                } else if self.eat_text(b".src") {
                    SbidToken::Src(n)
                } else {
                    let _ = self.eat_text(b".set");
                    SbidToken::Set(n)
                };
            } else {
                let name = std::str::from_utf8(self.letters()).unwrap_or("");
                if self.eat(b'@') {
                    let Some(pipe) = pipe_named(name) else {
                        return Err(self.error("xe-option", format!("no pipe `{name}`"), start, "expected `F@1`, say"));
                    };
                    i.swsb = Swsb { distance: self.small("a distance")?, pipe, ..i.swsb };
                } else if !i.set_option(name) {
                    return Err(self.error("xe-option", format!("no option `{name}`"), start, "unknown here"));
                }
            }
            self.space();
            if !self.eat(b',') {
                self.need(b'}')?;
                return Ok(());
            }
        }
    }
}
