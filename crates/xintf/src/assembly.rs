//! Commands in assembly: `import(…)`, interface numbers as constants, calls by name and fused calls. The rest of a RISC-V
//! source is assembled by `isaglot_riscv::assembly`, which asks [`Interfaces`] about names with colons.
//!
//! ```text
//! import(acme:Mixer)
//!     lui t1, acme:Mixer:uuid           # the interface's number
//!     xext t1, t1, zero
//!     acme:Mixer:gain a0, t1, a1        # xcmd0 a0, t1, a1
//!     acme:Mixer:gain! a0, a1, a2       # fused: makes the handle in a0, then calls
//! ```

use isaglot_invariant::Impossible as _;
use isaglot_riscv::assembly::{Imports, number};
use isaglot_riscv::{Xlen, register};
use isaglot_source::{Diagnostic, Span, closest};

use crate::ast::{Command, Interface};
use crate::limits;
use crate::set::Set;
use crate::uuid::{self, FALLBACK, MAX_NARROW, embed, id_word};

/// The interfaces that a program may import.
#[derive(Clone, Debug)]
pub struct Interfaces<'a> {
    set: &'a Set,
    xlen: Xlen,
    imported: Vec<String>,
}

fn error(code: &'static str, span: Span, message: impl Into<String>, label: &str) -> Diagnostic {
    Diagnostic::error(code, message).label(span, label)
}

impl Imports for Interfaces<'_> {
    fn import(&mut self, name: &str, span: Span) -> Result<(), Diagnostic> {
        if self.set.get(name).is_none() {
            let message = format!("no definition of `{name}` was given");
            return Err(error("E-IMPORT", span, message, "name its file with `--xintf`"));
        }
        self.imported.push(name.to_owned());
        Ok(())
    }

    /// `pkg:Intf:uuid`.
    fn constant(&self, name: &str, span: Span) -> Result<u64, Diagnostic> {
        let Some((interface, "uuid")) = name.rsplit_once(':') else {
            return Err(error("E-NAME", span, format!("`{name}` is not a constant"), "expected `pkg:Intf:uuid`"));
        };
        let value = self.uuid(interface, span)?;
        if value > MAX_NARROW {
            let message = format!("the number of `{interface}` has 52 bits, more than `lui` takes");
            return Err(error("E-UUID-RANGE", span, message, "").note("use the fused form"));
        }
        Ok(value)
    }

    /// A command by its name, fused if that ends in `!`.
    fn call(&self, name: &str, operands: &[&str], span: Span) -> Result<Vec<String>, Diagnostic> {
        let fused = name.strip_suffix('!');
        let (interface, command) = fused.unwrap_or(name).rsplit_once(':').or_impossible((name, ""));
        let commands = &self.interface(interface, span)?.commands;
        let Some(found) = commands.iter().find(|c| c.name == command) else {
            let d = error("E-NAME", span, format!("`{interface}` has no command `{command}`"), "");
            return Err(d.did_you_mean(closest(command, commands.iter().map(|c| c.name.as_str()))));
        };
        let [rd, rs1, rs2] = *operands.get(..3).unwrap_or(&[]) else {
            return Err(error("E-CMD-OPS", span, "a command takes `rd, rs1, rs2`", "this"));
        };
        if let Some(bad) = [rd, rs1, rs2].into_iter().find(|r| register::integer(r).is_none()) {
            return Err(error("E-CMD-OPS", span, format!("`{bad}` is not an integer register"), "in this"));
        }
        match (fused, operands.get(3..).unwrap_or(&[])) {
            (None, []) => Ok(vec![xcmd(found, rd, rs1, rs2)]),
            (None, _) => Err(error("E-CMD-OPS", span, "a command takes three operands", "this has more")),
            (Some(_), options) => self.fused(interface, found, [rd, rs1, rs2], options, span),
        }
    }
}

/// The call with the handle in `handle`.
fn xcmd(command: &Command, rd: &str, handle: &str, data: &str) -> String {
    let (a, b) = if command.swapped { (data, handle) } else { (handle, data) };
    format!("xcmd{} {rd},{a},{b}", command.k.unwrap_or_default())
}

impl<'a> Interfaces<'a> {
    /// The interfaces of a set, at a register width.
    pub fn new(set: &'a Set, xlen: Xlen) -> Interfaces<'a> {
        Interfaces { set, xlen, imported: Vec::new() }
    }

    /// An imported interface; the fallback interfaces need no import.
    fn interface(&self, name: &str, span: Span) -> Result<&Interface, Diagnostic> {
        let is_known = self.imported.iter().any(|n| n == name) || FALLBACK.contains(&name);
        match self.set.get(name) {
            Some(found) if is_known => Ok(found),
            Some(_) => Err(error("E-IMPORT", span, format!("`{name}` is not imported"), "write `import(…)` before")),
            None => {
                let d = error("E-IMPORT", span, format!("there is no interface `{name}`"), "");
                Err(d.did_you_mean(closest(name, self.set.interfaces().map(|i| i.name.text.as_str()))))
            }
        }
    }

    fn uuid(&self, name: &str, span: Span) -> Result<u64, Diagnostic> {
        let value = self.interface(name, span)?.uuid.and_then(|u| u.value).filter(|&v| v <= uuid::max(self.xlen));
        value.ok_or_else(|| error("E-UUID-RANGE", span, format!("`{name}` has no number for this width"), "used here"))
    }

    /// Makes a handle and calls, in a register that loses nothing that is needed (R19).
    fn fused(
        &self,
        interface: &str,
        command: &Command,
        [rd, rs1, rs2]: [&str; 3],
        options: &[&str],
        span: Span,
    ) -> Result<Vec<String>, Diagnostic> {
        let (mut dev, mut open, mut scratch) = (0, "xext", None);
        for option in options {
            let (key, value) = option.split_once('=').map_or((*option, ""), |(k, v)| (k.trim(), v.trim()));
            match (key, value) {
                ("dev", value) => {
                    let number = number::parse(value).and_then(|n| u64::try_from(n).ok());
                    dev = number
                        .filter(|n| *n <= limits::MAX_UNIT)
                        .ok_or_else(|| error("E-RANGE", span, "a device number is 0 to 4095", "in this"))?;
                }
                ("else", "trap") => open = "xext",
                ("else", "0") => open = "xext0",
                ("else", "m1") => open = "xextm1",
                ("via", value) if register::integer(value).is_some() => scratch = Some(value),
                _ => {
                    let expected = "expected `dev=n`, `else=trap|0|m1` or `via=reg`";
                    return Err(error("E-CMD-OPS", span, format!("unknown option `{option}`"), expected));
                }
            }
        }
        let uuid = self.uuid(interface, span)?;
        let via = scratch.unwrap_or(rd);
        let clobbered = match register::integer(via) {
            Some(0) => Some("it is always zero"),
            r if r == register::integer(rs1) => Some("it is also the data, which is needed after it is written"),
            r if r == register::integer(rs2) => {
                Some("it is also the second operand, which is needed after it is written")
            }
            _ => None,
        };
        if let Some(why) = clobbered {
            let d = error("E-CLOBBER", span, format!("the handle cannot be made in `{via}`: {why}"), "");
            return Err(d.note("name a scratch register with `via=reg`"));
        }
        let xlen = self.xlen;
        let id = id_word(uuid, dev, xlen);
        // A 20-bit number alone is one `lui`, also where the register value has its top bits set.
        let mut lines = match embed(uuid, xlen) {
            0 if dev == 0 => vec![format!("lui {via},0x0")],
            _ => number::li(via, if xlen == Xlen::Rv32 { i64::from(id as u32 as i32) } else { id.cast_signed() }, xlen),
        };
        lines.push(format!("{open} {via},{via},{rs1}"));
        lines.push(xcmd(command, rd, via, rs2));
        Ok(lines)
    }
}
