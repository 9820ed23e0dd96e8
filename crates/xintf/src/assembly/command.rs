//! Commands by name: imports, numbers of interfaces as constants, fused calls.

use std::fmt::Write;

use isaglot_source::{Diagnostic, Span, closest};

use super::expand::{Expander, Reported, register};
use super::number;
use crate::ast::{Command, Interface};
use crate::limits;
use crate::uuid::{MAX_NARROW, Xlen, embed, id_word};

impl Expander<'_> {
    pub(super) fn import(&mut self, name: &str, span: Span) -> Result<(), Reported> {
        if self.target.interfaces.get(name).is_none() {
            let message = format!("no definition of `{name}` was given");
            return Err(self.error("E-IMPORT", span, message, "name its file with `--xintf`"));
        }
        self.imported.push(name.to_owned());
        Ok(())
    }

    /// An imported interface; the fallback interfaces need no import.
    fn interface(&mut self, name: &str, span: Span) -> Result<&Interface, Reported> {
        let is_known = self.imported.iter().any(|n| n == name) || crate::uuid::FALLBACK.contains(&name);
        match self.target.interfaces.get(name) {
            Some(found) if is_known => Ok(found),
            Some(_) => {
                Err(self.error("E-IMPORT", span, format!("`{name}` is not imported"), "write `import(…)` before"))
            }
            None => {
                let all = self.target.interfaces.interfaces().map(|i| i.name.text.as_str());
                let mut d = Diagnostic::error("E-IMPORT", format!("there is no interface `{name}`")).label(span, "");
                if let Some(near) = closest(name, all) {
                    d = d.note(format!("did you mean `{near}`?"));
                }
                Err(self.report(d))
            }
        }
    }

    fn uuid(&mut self, name: &str, span: Span) -> Result<u64, Reported> {
        let xlen = self.target.xlen;
        let value = self.interface(name, span)?.uuid.and_then(|u| u.value).filter(|&v| v <= xlen.max_uuid());
        match value {
            Some(value) => Ok(value),
            None => {
                Err(self.error("E-UUID-RANGE", span, format!("`{name}` has no number for this width"), "used here"))
            }
        }
    }

    /// `pkg:Intf:uuid` as a number.
    pub(super) fn constant(&mut self, text: &str, span: Span) -> Result<String, Reported> {
        let Some((name, "uuid")) = text.rsplit_once(':') else {
            return Err(self.error("E-NAME", span, format!("`{text}` is no constant"), "expected `pkg:Intf:uuid`"));
        };
        let value = self.uuid(name, span)?;
        if value > MAX_NARROW {
            let message = format!("the number of `{name}` has 52 bits, more than `lui` takes");
            let d = Diagnostic::error("E-UUID-RANGE", message).label(span, "");
            return Err(self.report(d.note("use the fused form")));
        }
        Ok(format!("{value:#x}"))
    }

    /// A command by its name, fused if that ends in `!`.
    pub(super) fn named(&mut self, name: &str, operands: &[&str], span: Span) -> Result<(), Reported> {
        let fused = name.strip_suffix('!');
        let Some((interface, command)) = fused.unwrap_or(name).rsplit_once(':') else { return Err(Reported) };
        let found: &Interface = self.interface(interface, span)?;
        let Some(found) = found.commands.iter().find(|c| c.name == command).cloned() else {
            let near = closest(command, found.commands.iter().map(|c| c.name.as_str())).map(str::to_owned);
            let mut d =
                Diagnostic::error("E-NAME", format!("`{interface}` has no command `{command}`")).label(span, "");
            if let Some(near) = near {
                d = d.note(format!("did you mean `{near}`?"));
            }
            return Err(self.report(d));
        };
        let [rd, rs1, rs2] = *operands.get(..3).unwrap_or(&[]) else {
            return Err(self.error("E-CMD-OPS", span, "a command takes `rd, rs1, rs2`", "this"));
        };
        if let Some(bad) = [rd, rs1, rs2].into_iter().find(|r| register(r).is_none()) {
            return Err(self.error("E-CMD-OPS", span, format!("`{bad}` is no integer register"), "in this"));
        }
        let line = |rs1: &str, rs2: &str| {
            let (a, b) = if found.swapped { (rs2, rs1) } else { (rs1, rs2) };
            format!("xcmd{} {rd},{a},{b}", found.k.unwrap_or_default())
        };
        let options = operands.get(3..).unwrap_or(&[]);
        if fused.is_none() {
            if !options.is_empty() {
                return Err(self.error("E-CMD-OPS", span, "a command takes three operands", "this has more"));
            }
            self.emit(&line(rs1, rs2), span);
            return Ok(());
        }
        self.fused(interface, &found, [rd, rs1, rs2], options, span)
    }

    /// Makes a handle and calls, in a register that loses nothing that is needed (R19).
    fn fused(
        &mut self,
        interface: &str,
        command: &Command,
        [rd, rs1, rs2]: [&str; 3],
        options: &[&str],
        span: Span,
    ) -> Result<(), Reported> {
        let (mut dev, mut open, mut scratch) = (0, "xext", None);
        for option in options {
            let (key, value) = option.split_once('=').map_or((*option, ""), |(k, v)| (k.trim(), v.trim()));
            match (key, value) {
                ("dev", value) => {
                    match number::parse(value).and_then(|n| u64::try_from(n).ok()).filter(|n| *n <= limits::MAX_UNIT) {
                        Some(n) => dev = n,
                        None => return Err(self.error("E-RANGE", span, "a device number is 0 to 4095", "in this")),
                    }
                }
                ("else", "trap") => open = "xext",
                ("else", "0") => open = "xext0",
                ("else", "m1") => open = "xextm1",
                ("via", value) if register(value).is_some() => scratch = Some(value),
                _ => {
                    let message = format!("unknown option `{option}`");
                    return Err(self.error(
                        "E-CMD-OPS",
                        span,
                        message,
                        "expected `dev=n`, `else=trap|0|m1` or `via=reg`",
                    ));
                }
            }
        }
        let uuid = self.uuid(interface, span)?;
        let via = scratch.unwrap_or(rd);
        let clobbered = match register(via) {
            Some(0) => Some("it is always zero"),
            r if r == register(rs1) => Some("it is also the data, which is needed after it is written"),
            r if r == register(rs2) => Some("it is also the second operand, which is needed after it is written"),
            _ => None,
        };
        if let Some(why) = clobbered {
            let d = Diagnostic::error("E-CLOBBER", format!("the handle cannot be made in `{via}`: {why}"));
            return Err(self.report(d.label(span, "").note("name a scratch register with `via=reg`")));
        }
        let xlen = self.target.xlen;
        let id = id_word(uuid, dev, xlen);
        // A 20-bit number alone is one `lui`, also where the register value has its top bits set.
        let lines = match embed(uuid, xlen) {
            0 if dev == 0 => vec![format!("lui {via},0x0")],
            _ => number::li(via, if xlen == Xlen::Rv32 { i64::from(id as u32 as i32) } else { id.cast_signed() }, xlen),
        };
        self.lines(&lines, span);
        let mut last = String::new();
        let (a, b) = if command.swapped { (rs2, via) } else { (via, rs2) };
        // Writing to a string does not fail.
        let _ = write!(last, "xcmd{} {rd},{a},{b}", command.k.unwrap_or_default());
        self.lines(&[format!("{open} {via},{via},{rs1}"), last], span);
        Ok(())
    }
}
