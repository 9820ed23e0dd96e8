//! Directives as people and compilers write them for RISC-V, in terms of those of the general assembler.

use isaglot_invariant::Impossible as _;
use isaglot_source::{Diagnostic, Span};

use super::expand::{Expander, Line, Reported};
use super::{Binding, scan};
use crate::limits;

/// Directives that say nothing that a program in memory needs.
const IGNORED: &[&str] = &[
    ".file",
    ".loc",
    ".ident",
    ".attribute",
    ".addrsig",
    ".addrsig_sym",
    ".hidden",
    ".protected",
    ".internal",
    ".variant_cc",
    ".altmacro",
];

impl Expander<'_> {
    /// A statement that begins with a dot.
    pub(super) fn directive(&mut self, name: &str, rest: &str, line: Line<'_>) -> Result<(), Reported> {
        let list = scan::operands(rest);
        let list = list.as_slice();
        let known = self.section_directive(name, rest, list, line.span)?
            || self.symbol_directive(name, list, line.span)?
            || self.data_directive(name, rest, list, line)?;
        if known {
            return Ok(());
        }
        match (name, list) {
            (".option", [option, ..]) => self.option(option, line.span),
            (".insn", _) => super::insn::insn(self, rest, line.span),
            (".end", []) => Ok(()),
            (name, _) if IGNORED.contains(&name) || name.starts_with(".cfi_") => Ok(()),
            (".macro" | ".rept" | ".irp" | ".if" | ".ifdef" | ".ifndef" | ".include" | ".incbin", _) => {
                let d =
                    Diagnostic::error("asm-directive", format!("`{name}` is not supported")).label(line.span, "this");
                Err(self.report(d.note("run the source through a preprocessor first: `cpp -P program.S`")))
            }
            _ => {
                self.emit(line.text, line.span);
                Ok(())
            }
        }
    }

    /// A directive that chooses a section; `false` if this is none.
    fn section_directive(&mut self, name: &str, rest: &str, list: &[&str], span: Span) -> Result<bool, Reported> {
        match (name, list) {
            (".text" | ".data" | ".rodata" | ".bss", _) => self.enter(name, name, span),
            (".section", [section, ..]) => {
                let section = section.trim_matches('"').to_owned();
                let flags = rest.split_once(',').map_or(String::new(), |(_, flags)| format!(",{flags}"));
                self.enter(&section, &format!("{section}{flags}"), span);
            }
            (".pushsection", [section, ..]) => {
                self.pushed.push(self.section.clone());
                self.enter(section, section, span);
            }
            (".popsection", []) => match self.pushed.pop() {
                Some(section) => self.enter(&section, &section, span),
                None => return Err(self.error("asm-directive", span, "no `.pushsection` before this", "this")),
            },
            (".previous", []) => {
                let section = self.previous.clone();
                self.enter(&section, &section, span);
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// A directive about symbols; `false` if this is none.
    fn symbol_directive(&mut self, name: &str, list: &[&str], span: Span) -> Result<bool, Reported> {
        match (name, list) {
            (".globl" | ".global", names) => self.bind(names, Binding::Global),
            (".weak", names) => self.bind(names, Binding::Weak),
            (".local", names) => self.bind(names, Binding::Local),
            (".type", [symbol, kind]) => {
                let is_code = kind.contains("func");
                self.made.attributes.types.insert((*symbol).to_owned(), is_code);
            }
            (".size", [symbol, size]) => {
                let size = self.localised(size);
                let number = self.number(&size, span);
                self.made.attributes.sizes.insert((*symbol).to_owned(), number);
            }
            (".equ" | ".set" | ".equiv", [name, value]) => self.define_number(name, value, span)?,
            (".lcomm" | ".comm", [symbol, size, align @ ..]) => {
                let binding = self.made.attributes.bindings.entry((*symbol).to_owned());
                binding.or_insert(if name == ".comm" { Binding::Global } else { Binding::Local });
                let align = align.first().copied().unwrap_or("1");
                self.common.push(([symbol, size, align].map(str::to_owned), span));
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// A directive that puts bytes at this place; `false` if this is none.
    fn data_directive(&mut self, name: &str, rest: &str, list: &[&str], line: Line<'_>) -> Result<bool, Reported> {
        let span = line.span;
        let plain = match name {
            ".byte" => Some(".byte"),
            ".half" | ".hword" | ".short" | ".2byte" => Some(".half"),
            ".word" | ".long" | ".4byte" => Some(".word"),
            ".dword" | ".quad" | ".8byte" => Some(".dword"),
            _ => None,
        };
        if let Some(plain) = plain {
            let values = self.values(list, span)?;
            self.emit(&format!("{plain} {values}"), span);
            return Ok(true);
        }
        match (name, list) {
            (".align" | ".p2align", [power, more @ ..]) => {
                match self.known(power).filter(|p| (0..limits::MAX_ALIGN).contains(p)) {
                    Some(power) => self.align(1 << power, more, span),
                    None => return Err(self.error("asm-value", span, "expected a power of two below 16", "this")),
                }
            }
            (".balign", [bytes, more @ ..]) => match self.known(bytes).and_then(|bytes| u64::try_from(bytes).ok()) {
                Some(bytes) if bytes <= 1 => {}
                Some(bytes) => self.align(bytes, more, span),
                None => return Err(self.error("asm-value", span, "expected a number of bytes", "this")),
            },
            (".zero" | ".space" | ".skip", _) => {
                let counts = self.localised(rest);
                self.emit(&format!(".zero {counts}"), span);
            }
            (".fill", [count, more @ ..]) => {
                let size = more.first().copied().unwrap_or("1");
                let value = more.get(1).copied().unwrap_or("0");
                let numbers = [count, size, value].map(|text| self.known(text));
                let [Some(count), Some(size @ 1..=8), Some(value)] = numbers else {
                    let message = "`.fill` takes a count, a size up to 8 and a value";
                    return Err(self.error("asm-value", span, message, "this"));
                };
                self.fill(count, size, value, span)?;
            }
            (".ascii" | ".asciz" | ".string", _) => self.emit(line.text, span),
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// Up to a multiple of so many bytes, with the value and the greatest number of bytes that may follow.
    fn align(&mut self, to: u64, more: &[&str], span: Span) {
        let least = if self.options.compressed && self.target.has("c.addi") { 2 } else { 4 };
        let is_filled = more.first().is_some_and(|fill| !fill.is_empty());
        let text = if self.options.linker_relaxes && !is_filled && to > least && to.is_power_of_two() {
            let most = more.get(1).copied().unwrap_or_default();
            format!(".align {to},,{most},{}", to - least)
        } else {
            let list: Vec<&str> = more.to_vec();
            format!(".align {to}{}{}", if list.is_empty() { "" } else { "," }, list.join(","))
        };
        self.emit(&text, span);
    }

    /// Room among what is 0 at first.
    fn allocate(&mut self, symbol: &str, size: &str, align: &str, span: Span) {
        self.emit(".section .bss", span);
        self.emit(&format!(".align {align}"), span);
        self.emit(&format!("{symbol}:"), span);
        self.emit(&format!(".zero {size}"), span);
        let size = self.number(size, span);
        self.made.attributes.types.insert(symbol.to_owned(), false);
        self.made.attributes.sizes.insert(symbol.to_owned(), size);
    }

    /// Common symbols come after everything else, first those that only this file sees.
    pub(super) fn commons(&mut self) {
        let mut common = std::mem::take(&mut self.common);
        let bindings = &self.made.attributes.bindings;
        common.sort_by_key(|([symbol, ..], _)| bindings.get(symbol) != Some(&Binding::Local));
        for ([symbol, size, align], span) in &common {
            self.allocate(symbol, size, align, *span);
        }
    }

    /// Goes on in a section; `text` is what `.section` takes.
    fn enter(&mut self, section: &str, text: &str, span: Span) {
        let before = std::mem::replace(&mut self.section, section.to_owned());
        self.previous = before;
        self.emit(&format!(".section {text}"), span);
    }

    fn bind(&mut self, names: &[&str], binding: Binding) {
        for name in names {
            self.made.attributes.bindings.insert((*name).to_owned(), binding);
        }
    }

    fn option(&mut self, option: &str, span: Span) -> Result<(), Reported> {
        let before = self.options;
        match option {
            "push" => {
                self.kept.push(self.options);
                return Ok(());
            }
            "pop" => match self.kept.pop() {
                Some(options) => self.options = options,
                None => return Err(self.error("asm-directive", span, "no `.option push` before this", "this")),
            },
            "rvc" => self.options.compressed = true,
            "norvc" => self.options.compressed = false,
            "exact" => self.options.exact = true,
            "noexact" => self.options.exact = false,
            "pic" => self.options.pic = true,
            "nopic" => self.options.pic = false,
            "relax" => self.options.linker_relaxes = true,
            "norelax" => self.options.linker_relaxes = false,
            "csr-check" | "no-csr-check" => return Ok(()),
            _ => return Err(self.error("asm-directive", span, format!("there is no option `{option}`"), "this")),
        }
        if before.compressed != self.options.compressed {
            self.emit(if self.options.compressed { ".bits 0" } else { ".bits 32" }, span);
        }
        if before.exact != self.options.exact {
            self.emit(if self.options.exact { ".exact 1" } else { ".exact 0" }, span);
        }
        Ok(())
    }

    /// The values of a list of data.
    fn values(&mut self, list: &[&str], span: Span) -> Result<String, Reported> {
        let mut out = String::new();
        for (at, value) in list.iter().enumerate() {
            if at > 0 {
                out.push(',');
            }
            if value.starts_with('%') {
                out.push_str(&self.function(value, span)?);
            } else if value.contains(':') {
                out.push_str(&self.constant(value, span)?);
            } else {
                out.push_str(&self.localised(value));
            }
        }
        Ok(out)
    }

    fn fill(&mut self, count: i64, size: i64, value: i64, span: Span) -> Result<(), Reported> {
        if value == 0 || size == 1 {
            let bytes = count.checked_mul(size).unwrap_or(-1);
            self.emit(&format!(".zero {bytes},{}", value & 0xff), span);
            return Ok(());
        }
        let unit = value.to_le_bytes();
        let unit = unit.get(..size as usize).or_impossible(&[]);
        let bytes: Vec<String> = unit.iter().map(ToString::to_string).collect();
        if !(0..=limits::MAX_FILL).contains(&count) {
            let message = format!("`.fill` makes at most {} values", limits::MAX_FILL);
            return Err(self.error("asm-value", span, message, "this"));
        }
        let line = format!(".byte {}", bytes.join(","));
        for _ in 0..count {
            self.emit(&line, span);
        }
        Ok(())
    }
}
