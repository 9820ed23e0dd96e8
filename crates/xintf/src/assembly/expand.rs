//! One line of source at a time, to the lines that the general assembler takes.

use std::fmt::Write;

use isaglot_source::{Diagnostic, Diagnostics, FileId, Span, closest};

use super::{Origin, Places, Rewritten, Target, number};
use crate::ast::{Command, Interface};
use crate::limits;
use crate::uuid::{MAX_NARROW, Xlen, embed, id_word};

/// Names of the integer registers, by number.
const ABI: [&str; 32] = [
    "zero", "ra", "sp", "gp", "tp", "t0", "t1", "t2", "s0", "s1", "a0", "a1", "a2", "a3", "a4", "a5", "a6", "a7", "s2",
    "s3", "s4", "s5", "s6", "s7", "s8", "s9", "s10", "s11", "t3", "t4", "t5", "t6",
];

fn register(text: &str) -> Option<u32> {
    if text == "fp" {
        return Some(8);
    }
    if let Some(at) = ABI.iter().position(|n| *n == text) {
        return Some(at as u32);
    }
    let digits =
        text.strip_prefix('x').filter(|d| !d.is_empty() && d.len() <= 2 && (*d == "0" || !d.starts_with('0')))?;
    digits.parse().ok().filter(|n| *n < 32)
}

struct Expander<'a> {
    file: FileId,
    target: Target<'a>,
    places: Option<&'a Places>,
    out: &'a mut Diagnostics,
    made: Rewritten,
    imported: Vec<String>,
    /// How often each numeric label has been defined so far.
    local: [u32; 10],
}

/// Something is wrong with a statement and was reported.
struct Reported;

/// A statement, and where it stands.
#[derive(Clone, Copy)]
struct Line<'t> {
    text: &'t str,
    span: Span,
}

/// Rewrites a program. Without `places`, constants that need labels are 0.
pub(super) fn rewrite(
    text: &str,
    file: FileId,
    target: Target<'_>,
    places: Option<&Places>,
    out: &mut Diagnostics,
) -> Rewritten {
    let mut expander =
        Expander { file, target, places, out, made: Rewritten::default(), imported: Vec::new(), local: [0; 10] };
    let mut start = 0;
    for line in text.split('\n') {
        let mut at = start;
        // `;` separates statements, `#` and `//` begin a comment.
        for piece in statements(line) {
            expander.statement(piece, at);
            at += piece.len() + 1;
        }
        start += line.len() + 1;
    }
    expander.made
}

/// The statements of a line, without its comment.
fn statements(line: &str) -> impl Iterator<Item = &str> {
    let end = line.find('#').into_iter().chain(line.find("//")).min().unwrap_or(line.len());
    line.get(..end).unwrap_or("").split(';')
}

impl Expander<'_> {
    fn error(
        &mut self,
        code: &'static str,
        span: Span,
        message: impl Into<String>,
        label: impl Into<String>,
    ) -> Reported {
        self.out.push(Diagnostic::error(code, message).label(span, label));
        Reported
    }

    fn emit(&mut self, text: &str, span: Span, same: bool) {
        self.made.text.push_str(text);
        self.made.text.push('\n');
        self.made.lines.push(Origin { span, same });
    }

    fn statement(&mut self, piece: &str, start: usize) {
        let mut rest = piece.trim_start();
        loop {
            let len = rest.bytes().take_while(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'.' | b'$')).count();
            // A colon inside a word belongs to a name of an interface.
            let colon = rest.get(len..).unwrap_or("");
            if len == 0
                || !colon.starts_with(':')
                || colon.get(1..).is_some_and(|r| r.starts_with(|c: char| !c.is_whitespace()))
            {
                break;
            }
            let name = self.define(rest.get(..len).unwrap_or(""));
            let at = start + piece.len() - rest.len();
            let span = Span::new(self.file, at, at + len);
            self.made.labels.push((name.clone(), self.made.lines.len()));
            self.emit(&format!("{name}:"), span, false);
            rest = colon.get(1..).unwrap_or("").trim_start();
        }
        let at = start + piece.len() - rest.len();
        let text = rest.trim_end();
        if text.is_empty() {
            return;
        }
        let line = Line { text, span: Span::new(self.file, at, at + text.len()) };
        // What is wrong was reported, and the next statement can be looked at.
        let _ = self.instruction(line);
    }

    /// The name of a label; a numeric one gets a name of its own each time.
    fn define(&mut self, name: &str) -> String {
        match name.parse::<usize>().ok().and_then(|n| Some((n, self.local.get_mut(n)?))) {
            Some((n, count)) => {
                *count += 1;
                format!("_L{n}_{count}")
            }
            None => name.to_owned(),
        }
    }

    /// An operand in which `1f` and `1b` are replaced by the labels they mean.
    fn local_names(&self, operand: &str) -> Option<String> {
        let direction = operand.strip_suffix(['b', 'f'])?;
        let n: usize = direction.parse().ok()?;
        let count = *self.local.get(n)? + u32::from(operand.ends_with('f'));
        Some(format!("_L{n}_{count}"))
    }

    fn instruction(&mut self, line: Line<'_>) -> Result<(), Reported> {
        let Line { text, span } = line;
        if let Some(name) = text.strip_prefix("import").map(str::trim_start).and_then(|t| t.strip_prefix('(')) {
            return self.import(name.trim_end().trim_end_matches(')').trim(), span);
        }
        let (name, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
        let mut operands: Vec<String> = match rest.trim() {
            "" => Vec::new(),
            rest => rest.split(',').map(|o| o.trim().to_owned()).collect(),
        };
        let mut same = true;
        for operand in &mut operands {
            if let Some(local) = self.local_names(operand) {
                *operand = local;
                same = false;
            } else if operand.contains(':') {
                *operand = self.constant(operand, span)?;
                same = false;
            } else if let Some(value) = self.half(operand, span)? {
                *operand = value;
                same = false;
            }
        }
        let list: Vec<&str> = operands.iter().map(String::as_str).collect();
        if name.contains(':') {
            return self.named(name, &list, span);
        }
        match (name, list.as_slice()) {
            ("li", [rd, value]) => match number::parse(value) {
                Some(value) => self.sequence(&number::li(rd, value, self.target.xlen), span),
                None => return Err(self.error("asm-value", span, "`li` takes a number", "this")),
            },
            ("la" | "lla", [rd, label]) => {
                self.relative(label, &format!("auipc {rd},"), &format!("addi {rd},{rd},"), "", span)?
            }
            ("call", [label]) => self.relative(label, "auipc ra,", "jalr ra,", "(ra)", span)?,
            ("tail", [label]) => self.relative(label, "auipc t1,", "jalr zero,", "(t1)", span)?,
            (".insn", _) => self.insn(rest, span)?,
            (".text" | ".data" | ".rodata" | ".bss", []) => self.emit(&format!(".section {name}"), span, false),
            (".globl" | ".global" | ".option" | ".type" | ".size" | ".file", _) => {}
            (".zero" | ".space" | ".skip", [count]) => {
                let count =
                    number::parse(count).and_then(|n| usize::try_from(n).ok()).filter(|n| *n <= limits::MAX_FILL);
                match count {
                    Some(0) => {}
                    Some(n) => self.emit(&format!(".byte {}", vec!["0"; n].join(",")), span, false),
                    None => return Err(self.error("asm-value", span, "expected a number of bytes", "this")),
                }
            }
            (".p2align", [power]) => match number::parse(power).filter(|p| (0..16).contains(p)) {
                Some(power) => self.emit(&format!(".align {}", 1 << power), span, false),
                None => return Err(self.error("asm-value", span, "expected a power of two below 16", "this")),
            },
            (".short" | ".2byte", _) => self.emit(&format!(".half {}", list.join(",")), span, false),
            (".long" | ".4byte", _) => self.emit(&format!(".word {}", list.join(",")), span, false),
            (".quad" | ".8byte", _) => self.emit(&format!(".dword {}", list.join(",")), span, false),
            _ if same => self.emit(text, span, true),
            _ => self.emit(&format!("{name} {}", list.join(",")), span, false),
        }
        Ok(())
    }

    fn sequence(&mut self, lines: &[String], span: Span) {
        for line in lines {
            self.emit(line, span, false);
        }
    }

    fn import(&mut self, name: &str, span: Span) -> Result<(), Reported> {
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
                self.out.push(d);
                Err(Reported)
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
    fn constant(&mut self, text: &str, span: Span) -> Result<String, Reported> {
        let Some((name, "uuid")) = text.rsplit_once(':') else {
            return Err(self.error("E-NAME", span, format!("`{text}` is no constant"), "expected `pkg:Intf:uuid`"));
        };
        let value = self.uuid(name, span)?;
        if value > MAX_NARROW {
            let message = format!("the number of `{name}` has 52 bits, more than `lui` takes");
            self.out.push(Diagnostic::error("E-UUID-RANGE", message).label(span, "").note("use the fused form"));
            return Err(Reported);
        }
        Ok(format!("{value:#x}"))
    }

    /// `%hi(x)`, `%lo(x)`, and `%lo(x)(reg)`.
    fn half(&mut self, operand: &str, span: Span) -> Result<Option<String>, Reported> {
        let is_high = operand.starts_with("%hi(");
        let Some(inner) = operand.strip_prefix("%hi(").or(operand.strip_prefix("%lo(")) else { return Ok(None) };
        let Some((inner, behind)) = inner.split_once(')') else {
            return Err(self.error("asm-value", span, "a `)` is missing", "here"));
        };
        let value = match number::parse(inner.trim()) {
            Some(value) => value,
            None => self.place(inner.trim(), span)?,
        };
        let (high, low) = number::halves(value);
        Ok(Some(if is_high { format!("{high:#x}{behind}") } else { format!("{low}{behind}") }))
    }

    /// Where a label is; 0 while nothing is placed yet.
    fn place(&mut self, label: &str, span: Span) -> Result<i64, Reported> {
        let Some(places) = self.places else { return Ok(0) };
        match places.get(label) {
            Some(&place) => Ok(place.cast_signed()),
            None => {
                let mut d =
                    Diagnostic::error("asm-symbol", format!("there is no label `{label}`")).label(span, "used here");
                if let Some(near) = closest(label, places.keys().map(String::as_str)) {
                    d = d.note(format!("did you mean `{near}`?"));
                }
                self.out.push(d);
                Err(Reported)
            }
        }
    }

    /// Two instructions that reach a label from where they stand.
    fn relative(&mut self, label: &str, first: &str, second: &str, behind: &str, span: Span) -> Result<(), Reported> {
        // Where this statement stands is a label of its own.
        let here = format!("_here_{}", self.made.lines.len());
        self.made.labels.push((here.clone(), self.made.lines.len()));
        let to = self.place(label, span)?;
        let from = match self.places {
            Some(places) => places.get(&here).copied().unwrap_or(0).cast_signed(),
            None => 0,
        };
        let (high, low) = number::halves(to.wrapping_sub(from));
        self.emit(&format!("{first}{high:#x}"), span, false);
        self.emit(&format!("{second}{low}{behind}"), span, false);
        Ok(())
    }

    /// `.insn r opcode, funct3, funct7, rd, rs1, rs2`
    fn insn(&mut self, rest: &str, span: Span) -> Result<(), Reported> {
        let form = rest.trim().strip_prefix('r').filter(|r| r.starts_with(char::is_whitespace)).unwrap_or("");
        let parts: Vec<&str> = form.split(',').map(str::trim).collect();
        let field = |i: usize, max: i64| parts.get(i).and_then(|t| number::parse(t)).filter(|n| (0..=max).contains(n));
        let reg = |i: usize| parts.get(i).and_then(|t| register(t));
        let word = (|| {
            let (opcode, f3, f7) = (field(0, 127)?, field(1, 7)?, field(2, 127)?);
            let (rd, rs1, rs2) = (reg(3)?, reg(4)?, reg(5)?);
            Some((f7 as u32) << 25 | rs2 << 20 | rs1 << 15 | (f3 as u32) << 12 | rd << 7 | opcode as u32)
        })();
        match word.filter(|_| parts.len() == 6) {
            Some(word) => self.emit(&format!(".word {word:#010x}"), span, false),
            None => {
                let message = "expected `.insn r opcode, funct3, funct7, rd, rs1, rs2`";
                return Err(self.error("asm-insn", span, message, "this"));
            }
        }
        Ok(())
    }

    /// A command by its name, fused if that ends in `!`.
    fn named(&mut self, name: &str, operands: &[&str], span: Span) -> Result<(), Reported> {
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
            self.out.push(d);
            return Err(Reported);
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
            self.emit(&line(rs1, rs2), span, false);
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
            self.out.push(d.label(span, "").note("name a scratch register with `via=reg`"));
            return Err(Reported);
        }
        let xlen = self.target.xlen;
        let id = id_word(uuid, dev, xlen);
        // A 20-bit number alone is one `lui`, also where the register value has its top bits set.
        let lines = match embed(uuid, xlen) {
            0 if dev == 0 => vec![format!("lui {via},0x0")],
            _ => number::li(via, if xlen == Xlen::Rv32 { i64::from(id as u32 as i32) } else { id.cast_signed() }, xlen),
        };
        self.sequence(&lines, span);
        let mut last = String::new();
        let (a, b) = if command.swapped { (rs2, via) } else { (via, rs2) };
        // Writing to a string does not fail.
        let _ = write!(last, "xcmd{} {rd},{a},{b}", command.k.unwrap_or_default());
        self.sequence(&[format!("{open} {via},{via},{rs1}"), last], span);
        Ok(())
    }
}
