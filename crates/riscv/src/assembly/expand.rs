//! One line of source at a time, to the lines that the general assembler takes.
//!
//! Values that depend on labels stay expressions, so one assembly knows them all: `la a0, x` is two instructions with
//! `.insert`; where an operand is to be computed it is a defined number with a name that nobody can write (`.$1`).

use std::collections::{BTreeMap, HashMap};

use isaglot_invariant::Impossible as _;
use isaglot_source::{Diagnostic, Diagnostics, FileId, Span};

use super::got::Entry;
use super::scan::{self, Glance, Plain};
use super::{Attributes, Imports, Known, LineKind, Origin, Rewritten, number, pseudo};

/// What is known while a program is rewritten.
pub(super) struct Expander<'a> {
    pub(super) target: Known<'a>,
    pub(super) made: Rewritten,
    imports: &'a mut dyn Imports,
    /// Numbers that were defined so far, as far as they are known now.
    pub(super) constants: HashMap<String, i64>,
    /// The section that statements go to, and those to come back to.
    pub(super) section: String,
    pub(super) previous: String,
    pub(super) pushed: Vec<String>,
    /// What `.option` says, now and where to come back to.
    pub(super) options: Options,
    pub(super) kept: Vec<Options>,
    /// What `%pcrel_hi` at a label was of.
    pub(super) upper: BTreeMap<String, String>,
    /// Labels that stand at the next statement.
    pub(super) fresh: Vec<String>,
    /// Common symbols with their sizes and alignments, and where they stand.
    pub(super) common: Vec<([String; 3], Span)>,
    /// What code reads from the table of addresses.
    pub(super) entries: Vec<Entry>,
    file: FileId,
    out: &'a mut Diagnostics,
    /// How often each numeric label has been defined so far.
    local: BTreeMap<u32, u32>,
    numbers: u32,
}

/// What `.option` says.
#[derive(Clone, Copy, Debug)]
pub(super) struct Options {
    /// Compressed instructions may be made.
    pub(super) compressed: bool,
    /// `la` loads addresses from a table.
    pub(super) pic: bool,
    /// Room for a linker that deletes instructions counts when branches get their lengths.
    pub(super) linker_relaxes: bool,
    /// A text is the instruction that prints as it.
    pub(super) exact: bool,
}

/// Something is wrong with a statement and was reported.
pub(super) struct Reported;

/// A statement, and where it stands.
#[derive(Clone, Copy)]
pub(super) struct Line<'t> {
    pub(super) text: &'t str,
    pub(super) span: Span,
}

/// Rewrites a program.
pub(super) fn rewrite(
    text: &str,
    file: FileId,
    target: Known<'_>,
    imports: &mut dyn Imports,
    out: &mut Diagnostics,
) -> Rewritten {
    let made = Rewritten {
        text: Vec::with_capacity(text.len() + text.len() / 8),
        lines: Vec::with_capacity(text.len() / 16),
        attributes: Attributes::default(),
    };
    let mut expander = Expander {
        target,
        made,
        imports,
        constants: HashMap::new(),
        section: super::FIRST_SECTION.to_owned(),
        previous: super::FIRST_SECTION.to_owned(),
        pushed: Vec::new(),
        options: Options { compressed: true, pic: false, linker_relaxes: true, exact: false },
        kept: Vec::new(),
        upper: BTreeMap::new(),
        fresh: Vec::new(),
        common: Vec::new(),
        entries: Vec::new(),
        file,
        out,
        local: BTreeMap::new(),
        numbers: 0,
    };
    let mut start = 0;
    for end in memchr::memchr_iter(b'\n', text.as_bytes()).chain([text.len()]) {
        let line = text.get(start..end).or_impossible("");
        match scan::glance(line.as_bytes()) {
            Glance::Empty => {}
            Glance::Plain(plain) => expander.plain(&plain, start),
            Glance::Other => {
                for (at, piece) in scan::statements(line) {
                    expander.statement(piece, start + at);
                }
            }
        }
        start = end + 1;
    }
    expander.commons();
    expander.table();
    expander.made
}

impl Expander<'_> {
    pub(super) fn error(
        &mut self,
        code: &'static str,
        span: Span,
        message: impl Into<String>,
        label: impl Into<String>,
    ) -> Reported {
        self.report(Diagnostic::error(code, message).label(span, label))
    }

    pub(super) fn report(&mut self, d: Diagnostic) -> Reported {
        self.out.push(d);
        Reported
    }

    /// An instruction that is copied.
    fn plain(&mut self, plain: &Plain<'_>, start: usize) {
        let out = &mut self.made.text;
        if let Some(text) = plain.tight {
            let blank = out.len() + plain.name.len();
            out.extend_from_slice(text);
            if let Some(blank) = out.get_mut(blank) {
                *blank = b' ';
            }
        } else {
            out.extend_from_slice(plain.name);
            out.push(b' ');
            scan::squeeze(plain.operands, out);
        }
        scan::hexadecimal(plain.name, out);
        out.push(b'\n');
        let (start, end) = ((start + plain.start) as u32, (start + plain.end) as u32);
        self.made.lines.push(Origin { start, end, kind: LineKind::Squeezed });
        self.fresh.clear();
    }

    /// A line of the rewritten program.
    pub(super) fn emit(&mut self, text: &str, span: Span) {
        self.line(text, span, LineKind::Made);
    }

    fn line(&mut self, text: &str, span: Span, kind: LineKind) {
        self.made.text.extend_from_slice(text.as_bytes());
        self.made.text.push(b'\n');
        self.made.lines.push(Origin { start: span.start, end: span.end, kind });
    }

    /// The same, where too large a value means that something is too far away.
    pub(super) fn emit_reach(&mut self, text: &str, span: Span) {
        self.line(text, span, LineKind::Reach);
    }

    /// The name of a number with this value, which may need labels.
    pub(super) fn number(&mut self, expression: &str, span: Span) -> String {
        self.numbers += 1;
        let name = format!(".${}", self.numbers);
        self.emit(&format!("{name} = {expression}"), span);
        name
    }

    /// The same, where too large a value means that something is too far away.
    pub(super) fn reach(&mut self, expression: &str, span: Span) -> String {
        self.numbers += 1;
        let name = format!(".${}", self.numbers);
        self.emit_reach(&format!("{name} = {expression}"), span);
        name
    }

    fn statement(&mut self, piece: &str, start: usize) {
        let mut rest = piece.trim_start();
        loop {
            let len = rest.bytes().take_while(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'.' | b'$')).count();
            // A colon inside a word belongs to a name of an interface.
            let colon = rest.get(len..).or_impossible("");
            if len == 0
                || !colon.starts_with(':')
                || colon.get(1..).is_some_and(|r| r.starts_with(|c: char| !c.is_whitespace()))
            {
                break;
            }
            let name = self.define(rest.get(..len).or_impossible(""));
            let at = start + piece.len() - rest.len();
            let span = Span::new(self.file, at, at + len);
            self.emit(&format!("{name}:"), span);
            self.fresh.push(name);
            rest = colon.get(1..).or_impossible("").trim_start();
        }
        let at = start + piece.len() - rest.len();
        let text = rest.trim_end();
        if text.is_empty() {
            return;
        }
        let line = Line { text, span: Span::new(self.file, at, at + text.len()) };
        // What is wrong was reported, and the next statement can be looked at.
        let _ = self.one(line);
        self.fresh.clear();
    }

    /// The name of a label; a numeric one gets a name of its own each time.
    fn define(&mut self, name: &str) -> String {
        match name.parse::<u32>() {
            Ok(n) => {
                let count = self.local.entry(n).or_default();
                *count += 1;
                local_name(n, *count)
            }
            Err(_) => name.to_owned(),
        }
    }

    /// The label that `1f` or `1b` means.
    fn local_label(&self, operand: &str) -> Option<String> {
        let direction = operand.strip_suffix(['b', 'f'])?;
        let n: u32 = direction.parse().ok()?;
        let count = self.local.get(&n).copied().unwrap_or(0) + u32::from(operand.ends_with('f'));
        Some(local_name(n, count))
    }

    /// An expression in which `1f` and `1b` are replaced by the labels that they mean.
    pub(super) fn localised(&self, expression: &str) -> String {
        let is_word = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '$');
        let (mut out, mut rest) = (String::with_capacity(expression.len()), expression);
        while !rest.is_empty() {
            if rest.starts_with(['"', '\'']) {
                // Strings and characters are the general assembler's.
                out.push_str(rest);
                break;
            }
            let len = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
            let (word, after) = rest.split_at(len);
            match self.local_label(word) {
                Some(label) => out.push_str(&label),
                None => out.push_str(word),
            }
            let len = after.find(|c: char| is_word(c) || matches!(c, '"' | '\'')).unwrap_or(after.len());
            out.push_str(after.get(..len).or_impossible(""));
            rest = after.get(len..).or_impossible("");
        }
        out
    }

    /// One statement, without labels.
    fn one(&mut self, line: Line<'_>) -> Result<(), Reported> {
        let Line { text, span } = line;
        if let Some(name) = text.strip_prefix("import").map(str::trim_start).and_then(|t| t.strip_prefix('(')) {
            let name = name.trim_end().trim_end_matches(')').trim();
            return self.imports.import(name, span).map_err(|d| self.report(d));
        }
        let (name, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
        let rest = rest.trim();
        if name.starts_with('.') && !rest.starts_with('=') {
            return self.directive(name, rest, line);
        }
        if let Some((name, value)) = definition(text) {
            return self.define_number(name, value, span);
        }
        let operands = scan::operands(rest);
        if name.contains(':') {
            let lines = self.imports.call(name, &operands, span).map_err(|d| self.report(d))?;
            self.lines(&lines, span);
            return Ok(());
        }
        if pseudo::expand(self, name, &operands, span)? {
            return Ok(());
        }
        let number = operands.last().is_some_and(|last| last.starts_with(|c: char| c.is_ascii_digit() || c == '-'));
        let immediate = if number { scan::immediate(name) } else { None };
        let name = immediate.as_deref().unwrap_or(name);
        // It only tells a linker which symbol the addition is for.
        let operands = match operands.as_slice() {
            [all @ .., last] if name == "add" && last.starts_with("%tprel_add(") => {
                // As for all that a linker fills in, there is no short form.
                self.emit(".bits 32", span);
                self.emit(&format!("add {}", all.join(",")), span);
                self.emit(if self.options.compressed { ".bits 0" } else { ".bits 32" }, span);
                return Ok(());
            }
            _ => operands,
        };
        let branches = name.starts_with(['b', 'j']) || name.starts_with("c.b") || name.starts_with("c.j");
        let mut changed = None;
        for (at, operand) in operands.iter().enumerate() {
            let new = match number::float(operand).filter(|_| name.starts_with("fli.")) {
                Some(new) => Some(new),
                None => self.operand(operand, branches, span)?.or_else(|| whole_address(name, operand)),
            };
            if let Some(new) = new {
                let list = changed.get_or_insert_with(|| operands.iter().map(|o| (*o).to_owned()).collect::<Vec<_>>());
                if let Some(place) = list.get_mut(at) {
                    *place = new;
                }
            }
        }
        match changed {
            Some(list) => self.emit(&format!("{name} {}", list.join(",")), span),
            None if immediate.is_some() => self.emit(&format!("{name} {}", operands.join(",")), span),
            None => {
                let mut made = name.as_bytes().to_vec();
                made.extend((!rest.is_empty()).then_some(b' '));
                scan::squeeze(rest.as_bytes(), &mut made);
                let made = String::from_utf8_lossy(&made).into_owned();
                self.line(&made, span, LineKind::Squeezed);
            }
        }
        Ok(())
    }

    /// An operand as the general assembler takes it, where that is something else than what is written.
    fn operand(&mut self, operand: &str, branches: bool, span: Span) -> Result<Option<String>, Reported> {
        if operand.starts_with('{') {
            let mut list = Vec::new();
            scan::squeeze(operand.as_bytes(), &mut list);
            return Ok(Some(String::from_utf8_lossy(&list).into_owned()));
        }
        if let Some(label) = self.local_label(operand) {
            return Ok(Some(label));
        }
        if branches && let Some(label) = operand.strip_suffix("@plt") {
            return Ok(Some(label.to_owned()));
        }
        let (value, address) = split_address(operand);
        if value.starts_with('%') {
            return self.function(value, span).map(|value| Some(value + address));
        }
        if value.contains(':') {
            return self.constant(value, span).map(|value| Some(value + address));
        }
        if is_simple(value) {
            return Ok(None);
        }
        let value = self.localised(value);
        // A label with a number is a place, as a label is; what is computed otherwise is an address.
        let value = if branches && !is_place(&value) { format!("({value}) - .") } else { value };
        Ok(Some(self.number(&value, span) + address))
    }

    /// A name with colons, where a number is expected.
    pub(super) fn constant(&mut self, name: &str, span: Span) -> Result<String, Reported> {
        let value = self.imports.constant(name, span).map_err(|d| self.report(d))?;
        Ok(format!("{value:#x}"))
    }

    /// `name = expression`.
    pub(super) fn define_number(&mut self, name: &str, value: &str, span: Span) -> Result<(), Reported> {
        let value = self.localised(value);
        if let Some(known) = self.known(&value) {
            self.constants.insert(name.to_owned(), known);
        }
        self.emit(&format!("{name} = {value}"), span);
        Ok(())
    }

    /// The value of an expression of numbers that are known by now.
    pub(super) fn known(&self, expression: &str) -> Option<i64> {
        let lookup = |name: &[u8]| std::str::from_utf8(name).ok().and_then(|name| self.constants.get(name)).copied();
        number::parse(expression).or_else(|| isaglot_asm::assemble::source::constant(expression.as_bytes(), &lookup))
    }
}

fn local_name(n: u32, count: u32) -> String {
    format!(".${n}_{count}")
}

/// `name = expression`, taken apart.
fn definition(text: &str) -> Option<(&str, &str)> {
    let (name, value) = text.split_once('=')?;
    let name = name.trim();
    let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '$');
    (!name.is_empty() && name.chars().all(is_name) && !value.starts_with('=')).then(|| (name, value.trim()))
}

/// An address as the instruction has it: `(a0)` for `0(a0)` or the other way round.
fn whole_address(name: &str, operand: &str) -> Option<String> {
    let atomic = name.starts_with("amo") || name.starts_with("lr.") || name.starts_with("sc.");
    if atomic {
        return operand.strip_prefix('0').map(str::trim_start).filter(|rest| rest.starts_with('(')).map(str::to_owned);
    }
    let is_address = operand.starts_with('(') && (scan::is_access(name) || name == "jalr");
    is_address.then(|| format!("0{operand}"))
}

/// An operand without the `(register)` at its end, and that.
fn split_address(operand: &str) -> (&str, &str) {
    let open = operand.strip_suffix(')').and_then(|_| operand.rfind('('));
    let Some((value, address)) = open.and_then(|at| operand.split_at_checked(at)) else { return (operand, "") };
    let inner = address.trim_start_matches('(').trim_end_matches(')').trim();
    let is_name = inner.starts_with(|c: char| c.is_ascii_alphabetic()) && inner.chars().all(char::is_alphanumeric);
    // After an operator or a function's name it is a part of the expression.
    let value = value.trim_end();
    let whole = value.is_empty() || value.ends_with(|c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | ')'));
    if is_name && whole && !is_function(value) { (value, address) } else { (operand, "") }
}

/// Whether this is `%name` alone, whose argument follows.
fn is_function(value: &str) -> bool {
    value.strip_prefix('%').is_some_and(|name| name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_'))
}

/// A name or `.`, with a number that is added or subtracted.
fn is_place(value: &str) -> bool {
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '$');
    let (name, rest) = value.split_at(value.find(|c| !is_part(c)).unwrap_or(value.len()));
    let rest = rest.trim_start();
    let number = rest.strip_prefix(['+', '-']).map(str::trim);
    let is_number = |text: &str| !text.is_empty() && text.chars().all(|c| c.is_ascii_alphanumeric());
    !name.starts_with(|c: char| c.is_ascii_digit())
        && !name.is_empty()
        && (rest.is_empty() || number.is_some_and(|n| is_number(n) && n.starts_with(|c: char| c.is_ascii_digit())))
}

/// A register, a number with its sign, a name, or a list of letters: nothing that has to be computed.
fn is_simple(value: &str) -> bool {
    let digits = value.strip_prefix(['-', '+']).unwrap_or(value).trim_start();
    let quoted = digits.len() == 3 && digits.starts_with('\'') && digits.ends_with('\'');
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '$' | ' ' | '\t');
    digits != "." && (quoted || digits.chars().all(is_part) || !digits.is_ascii())
}
