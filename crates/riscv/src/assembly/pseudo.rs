//! Instructions that stand for several, and functions of addresses: `li`, `la`, `call`, loads of symbols, `%hi`, `%lo`.
//!
//! An address is 20 upper bits and 12 lower bits *with sign*, so the upper part is rounded. For example, `la a0, x` at
//! 0x1000 with `x` at 0x1ffc: the distance is 0xffc, the upper part (0xffc + 0x800) >> 12 = 1, the lower part
//! 0xffc - 0x1000 = -4:
//!
//! ```text
//! 1000: auipc a0, 1        a0 = 0x1000 + 0x1000
//! 1004: addi  a0, a0, -4   a0 = 0x1ffc
//! ```

use isaglot_source::Span;

use super::expand::{Expander, Reported};
use super::got::{self, Holds};
use super::{number, scan};
use crate::{Xlen, register};

/// Expands a pseudo-instruction; `false` if it is none.
pub(super) fn expand(to: &mut Expander<'_>, name: &str, operands: &[&str], span: Span) -> Result<bool, Reported> {
    match (name, operands) {
        ("li", [rd, value]) => to.li(rd, value, span)?,
        ("la", [rd, label]) if to.options.pic => to.load(rd, label, Holds::Address, span),
        ("lga", [rd, label]) => to.load(rd, label, Holds::Address, span),
        ("la.tls.ie", [rd, label]) => to.load(rd, label, Holds::Offset, span),
        ("la.tls.gd", [rd, label]) => {
            let entry = to.entry(label, Holds::ModuleAndOffset, span);
            to.relative(&entry, ["auipc", rd], ["addi", rd], Second::Add(rd), span);
        }
        ("la" | "lla", [rd, label]) => to.relative(label, ["auipc", rd], ["addi", rd], Second::Add(rd), span),
        ("call", [label]) => to.relative(label, ["auipc", "ra"], ["jalr", "ra"], Second::Address("ra"), span),
        ("call", [rd, label]) => to.relative(label, ["auipc", rd], ["jalr", rd], Second::Address(rd), span),
        ("tail", [label]) => to.relative(label, ["auipc", "t1"], ["jalr", "zero"], Second::Address("t1"), span),
        ("jump", [label, rt]) => to.relative(label, ["auipc", rt], ["jalr", "zero"], Second::Address(rt), span),
        ("move", [rd, rs]) => to.emit(&format!("mv {rd},{rs}"), span),
        ("sext.b" | "sext.h" | "zext.h" | "zext.w", [rd, rs]) if !to.target.has(name) => {
            let bits = if name.ends_with('b') {
                8
            } else if name.ends_with('h') {
                16
            } else {
                32
            };
            let by = to.target.xlen.bits() - bits;
            let right = if name.starts_with('s') { "srai" } else { "srli" };
            to.emit(&format!("slli {rd},{rs},{by:#x}"), span);
            to.emit(&format!("{right} {rd},{rd},{by:#x}"), span);
        }
        (name, [rd, label]) if is_global(name, label) && !name.starts_with(['s', 'f']) => {
            to.relative(label, ["auipc", rd], [name, rd], Second::Address(rd), span);
        }
        (name, [rd, label, rt]) if is_global(name, label) && register::integer(rt).is_some() => {
            to.relative(label, ["auipc", rt], [name, rd], Second::Address(rt), span);
        }
        _ => return Ok(false),
    }
    Ok(true)
}

/// Whether this is an access to a symbol by its name.
fn is_global(name: &str, label: &str) -> bool {
    let is_name = label.starts_with(|c: char| c.is_ascii_alphabetic() || matches!(c, '_' | '.'));
    scan::is_access(name) && is_name && !label.contains('(')
}

/// How the second of two instructions takes its part of the address.
#[derive(Clone, Copy)]
pub(super) enum Second<'r> {
    /// `register,part`
    Add(&'r str),
    /// `part(register)`
    Address(&'r str),
}

/// The upper 20 bits of an expression for `lui` or `auipc`, as an expression.
fn upper(expression: &str, xlen: Xlen, checked: bool) -> String {
    match xlen {
        // What does not fit 32 bits with its sign overflows on the way.
        Xlen::Rv64 if checked => format!("((({expression}) + 0x800) << 32 >> 44) & 0xfffff"),
        _ => format!("((({expression}) + 0x800) >> 12) & 0xfffff"),
    }
}

/// What is left, as a signed number of 12 bits.
fn lower(expression: &str) -> String {
    format!("((({expression}) & 0xfff) ^ 0x800) - 0x800")
}

impl Expander<'_> {
    fn li(&mut self, rd: &str, value: &str, span: Span) -> Result<(), Reported> {
        let Some(value) = self.known(value) else {
            let d = isaglot_source::Diagnostic::error("asm-value", "`li` takes a number that is known by now");
            return Err(self.report(d.label(span, "this").note("an address is loaded by `la`")));
        };
        if (-2048..2048).contains(&value) {
            self.emit(&format!("li {rd},{value}"), span);
        } else {
            self.lines(&number::li(rd, value, self.target.xlen), span);
        }
        Ok(())
    }

    pub(super) fn lines(&mut self, lines: &[String], span: Span) {
        for line in lines {
            self.emit(line, span);
        }
    }

    /// A load from the table of addresses.
    fn load(&mut self, rd: &str, symbol: &str, holds: Holds, span: Span) {
        let symbol = self.localised(symbol);
        let entry = self.entry(&symbol, holds, span);
        let load = if self.target.xlen == Xlen::Rv64 { "ld" } else { "lw" };
        self.relative(&entry, ["auipc", rd], [load, rd], Second::Address(rd), span);
    }

    /// Two instructions that reach a label from where they stand. What they hold at first fits no shorter instruction.
    fn relative(&mut self, label: &str, first: [&str; 2], second: [&str; 2], how: Second<'_>, span: Span) {
        // Code that a loader would let `f@plt` run is in this program.
        let label = self.localised(label.strip_suffix("@plt").unwrap_or(label));
        let high = upper(&format!("{label} - ."), self.target.xlen, true);
        let [name, rd] = first;
        self.emit_reach(&format!(".insert 12,20,{high},{name} {rd},0x0"), span);
        let [name, rd] = second;
        let (low, operands) = match how {
            Second::Add(rs) => (lower(&format!("{label} - . + 4")), format!("{rd},{rs},2047")),
            Second::Address(rs) if name.starts_with('s') || name.starts_with("fs") => {
                let low = self.number(&lower(&format!("{label} - . + 4")), span);
                self.emit(&format!("{name} {rd},{low}({rs})"), span);
                return;
            }
            Second::Address(rs) => (lower(&format!("{label} - . + 4")), format!("{rd},2047({rs})")),
        };
        self.emit(&format!(".insert 20,12,{low},{name} {operands}"), span);
    }

    /// `%hi(x)`, `%lo(x)`, `%pcrel_hi(x)`, `%pcrel_lo(label)`: the number that it is.
    pub(super) fn function(&mut self, text: &str, span: Span) -> Result<String, Reported> {
        let Some((name, inner)) = text.split_once('(') else {
            return Err(self.error("asm-value", span, format!("`{text}` lacks its parentheses"), "in this"));
        };
        let Some(inner) = inner.strip_suffix(')') else {
            return Err(self.error("asm-value", span, "a `)` is missing", "here"));
        };
        let inner = self.localised(inner.trim());
        let known = self.known(&inner);
        Ok(match (name.trim(), known) {
            ("%hi", Some(value)) => format!("{:#x}", number::halves(value).0),
            ("%lo", Some(value)) => number::halves(value).1.to_string(),
            ("%hi", None) => self.reach(&upper(&inner, self.target.xlen, true), span),
            ("%lo", None) => self.number(&lower(&inner), span),
            ("%tprel_hi", _) => self.reach(&upper(&got::thread_offset(&inner), self.target.xlen, true), span),
            ("%tprel_lo", _) => self.number(&lower(&got::thread_offset(&inner)), span),
            ("%pcrel_hi" | "%got_pcrel_hi" | "%tls_ie_pcrel_hi" | "%tls_gd_pcrel_hi", _) => {
                let inner = match name.trim() {
                    "%got_pcrel_hi" => self.entry(&inner, Holds::Address, span),
                    "%tls_ie_pcrel_hi" => self.entry(&inner, Holds::Offset, span),
                    "%tls_gd_pcrel_hi" => self.entry(&inner, Holds::ModuleAndOffset, span),
                    _ => inner,
                };
                for label in std::mem::take(&mut self.fresh) {
                    self.upper.insert(label, inner.clone());
                }
                self.reach(&upper(&format!("({inner}) - ."), self.target.xlen, true), span)
            }
            ("%pcrel_lo", _) => match self.upper.get(&inner).cloned() {
                Some(of) => self.number(&lower(&format!("({of}) - {inner}")), span),
                None => {
                    let message = format!("no `%pcrel_hi` stands at `{inner}` before this");
                    return Err(self.error("asm-value", span, message, "in this"));
                }
            },
            (name, _) => {
                let message = format!("there is no function `{name}`");
                let d = isaglot_source::Diagnostic::error("asm-value", message).label(span, "in this");
                return Err(self.report(d.note("known are %hi, %lo, %pcrel_hi, %pcrel_lo, %got_pcrel_hi, %tprel_hi, %tprel_lo, %tls_ie_pcrel_hi, %tls_gd_pcrel_hi")));
            }
        })
    }
}
