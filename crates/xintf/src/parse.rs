//! The parser of the definition language (reference 1.8, R17, R18).
//!
//! It never gives up: after a fault it goes on at the next line that can start something, so that every fault of a
//! file is reported once. The language has no separators between commands and free-form white space; where the
//! operands of a broken command end is decided by what can start the next one, with line starts as a tie-break.

use isaglot_source::{Diagnostic, Diagnostics, FileId, Span};

use crate::ast::{Command, File, Interface, Name, Purity, Semantics, StateDecl, Uuid};
use crate::lex::{Token, TokenKind, doc_text, lex};
use crate::name::NameError;
use crate::{limits, name};

const OPERANDS: [&str; 3] = ["rd", "rs1", "rs2"];

/// Parses one file. The tree holds whatever could be read.
pub fn parse(file: FileId, bytes: &[u8], diagnostics: &mut Diagnostics) -> File {
    let mut parser = Parser { file, bytes, tokens: lex(bytes), at: 0, diagnostics, unclosed: false };
    let mut out = File { file, imports: Vec::new(), interfaces: Vec::new() };
    if bytes.len() > limits::MAX_FILE_BYTES || parser.tokens.len() > limits::MAX_TOKENS {
        let d = Diagnostic::error("E-SYNTAX", format!("the file is larger than {} bytes", limits::MAX_FILE_BYTES));
        parser.diagnostics.push(d.label(Span::new(file, 0, 0), "this file"));
        return out;
    }
    parser.file(&mut out);
    out
}

struct Parser<'a> {
    file: FileId,
    bytes: &'a [u8],
    tokens: Vec<Token>,
    at: usize,
    diagnostics: &'a mut Diagnostics,
    /// Braces that reach to the end of the file were reported; those around them need not be.
    unclosed: bool,
}

/// A fault was reported; the caller has to find its way again.
struct Fault;

impl Parser<'_> {
    fn token(&self, ahead: usize) -> Token {
        let last = self.tokens.len().saturating_sub(1);
        let nothing =
            Token { kind: TokenKind::End, start: self.bytes.len(), end: self.bytes.len(), first: true, doc: None };
        self.tokens.get((self.at + ahead).min(last)).copied().unwrap_or(nothing)
    }

    fn text(&self, ahead: usize) -> &str {
        let token = self.token(ahead);
        self.bytes.get(token.start..token.end).and_then(|b| std::str::from_utf8(b).ok()).unwrap_or("")
    }

    fn word(&self, ahead: usize) -> Option<&str> {
        (self.token(ahead).kind == TokenKind::Word).then(|| self.text(ahead))
    }

    fn is(&self, ahead: usize, punct: u8) -> bool {
        self.token(ahead).kind == TokenKind::Punct(punct)
    }

    fn is_end(&self) -> bool {
        self.token(0).kind == TokenKind::End
    }

    fn is_operand(&self, ahead: usize) -> bool {
        self.word(ahead).is_some_and(|w| OPERANDS.contains(&w))
    }

    fn span(&self, ahead: usize) -> Span {
        let token = self.token(ahead);
        Span::new(self.file, token.start, token.end)
    }

    /// From the start of `from` to the end of the last token taken.
    fn since(&self, from: Span) -> Span {
        let end = self.at.checked_sub(1).and_then(|i| self.tokens.get(i)).map_or(0, |t| t.end);
        Span::new(self.file, from.start as usize, end)
    }

    fn syntax(&mut self, span: Span, expected: impl Into<String>) -> Fault {
        let what = if span.start as usize >= self.bytes.len() { "the file ends here" } else { "unexpected" };
        self.diagnostics.push(Diagnostic::error("E-SYNTAX", expected).label(span, what));
        Fault
    }

    fn expect(&mut self, punct: u8, context: &str) -> Result<(), Fault> {
        if self.is(0, punct) {
            self.at += 1;
            return Ok(());
        }
        let span = self.span(0);
        Err(self.syntax(span, format!("expected `{}` {context}", punct as char)))
    }

    fn doc(&self) -> String {
        let token = self.token(0);
        token.doc.map(|start| doc_text(self.bytes, start, token.start)).unwrap_or_default()
    }

    fn file(&mut self, out: &mut File) {
        while !self.is_end() {
            let start = self.at;
            let done = if self.word(0) == Some("import") && self.is(1, b'(') {
                self.import().map(|name| out.imports.extend(name))
            } else if self.token(0).kind == TokenKind::Word || self.is(0, b'.') || self.is(0, b':') {
                self.interface().map(|i| out.interfaces.push(i))
            } else {
                let span = self.span(0);
                Err(self.syntax(span, "expected `import(…)` or an interface such as `org.example:Thing{ … }`"))
            };
            if done.is_err() {
                self.skip_to_top(start);
            }
            if out.interfaces.len() >= limits::MAX_INTERFACES || out.imports.len() >= limits::MAX_IMPORTS {
                let span = self.span(0);
                self.syntax(span, format!("a file has at most {} interfaces", limits::MAX_INTERFACES));
                return;
            }
        }
    }

    /// Goes on after the braces that open next, or at a line that can start an interface or an import, but not at
    /// the token `start`, where the fault began.
    fn skip_to_top(&mut self, start: usize) {
        let mut depth = 0u32;
        while !self.is_end() {
            if self.at > start && self.token(0).first && self.starts_top() {
                return;
            }
            match self.token(0).kind {
                TokenKind::Punct(b'{') => depth += 1,
                TokenKind::Punct(b'}') => {
                    depth = depth.saturating_sub(1);
                    if depth == 0 {
                        self.at += 1;
                        return;
                    }
                }
                _ => {}
            }
            self.at += 1;
        }
    }

    /// Whether here stands `import(` or the head of an interface: a name with a `.` or `:` in it, then `{`.
    fn starts_top(&self) -> bool {
        if self.word(0) == Some("import") && self.is(1, b'(') {
            return true;
        }
        let mut punct = false;
        for n in 0..limits::MAX_LOOKAHEAD {
            match self.token(n).kind {
                TokenKind::Word if n == 0 || self.token(n - 1).kind != TokenKind::Word => {}
                TokenKind::Punct(b'.' | b':') => punct = true,
                TokenKind::Punct(b'{') => return punct && n > 0,
                _ => return false,
            }
        }
        false
    }

    /// A name up to the token that is not part of it; what is wrong with it is only found, not reported.
    fn intf_name(&mut self) -> Option<(Name, Option<NameError>)> {
        let from = self.span(0);
        let mut text = String::new();
        while matches!(self.token(0).kind, TokenKind::Word | TokenKind::Punct(b'.' | b':')) {
            // Two words side by side are two names: `a:B c:D{`.
            if self.token(0).kind == TokenKind::Word && text.ends_with(|c| c != '.' && c != ':') {
                break;
            }
            text.push_str(self.text(0));
            self.at += 1;
        }
        if text.is_empty() {
            return None;
        }
        let fault = name::check_interface(&text).err();
        Some((Name { text, span: self.since(from), valid: fault.is_none() }, fault))
    }

    fn report_name(&mut self, name: &Name, fault: Option<NameError>) {
        let Some(fault) = fault else { return };
        // Blanks inside a name make offsets in it useless.
        let dense = (name.span.end - name.span.start) as usize == name.text.len();
        let start = name.span.start as usize + fault.offset;
        let place = if dense { Span::new(self.file, start, start + fault.len.max(1)) } else { name.span };
        let d = Diagnostic::error("E-NAME", format!("`{}` is not an interface name: {}", name.text, fault.why));
        self.diagnostics.push(d.label(place, ""));
    }

    fn import(&mut self) -> Result<Option<Name>, Fault> {
        self.at += 2;
        let Some((name, fault)) = self.intf_name() else {
            let span = self.span(0);
            return Err(self.syntax(span, "expected the name of an interface to import"));
        };
        self.expect(b')', "after the name of an interface to import")?;
        self.report_name(&name, fault);
        Ok(name.valid.then_some(name))
    }

    fn interface(&mut self) -> Result<Interface, Fault> {
        let doc = self.doc();
        let from = self.span(0);
        let Some((name, fault)) = self.intf_name() else {
            let span = self.span(0);
            return Err(self.syntax(span, "expected the name of an interface"));
        };
        let open = self.span(0);
        self.expect(b'{', "after the name of an interface")?;
        self.report_name(&name, fault);
        let mut out = Interface {
            name,
            uuid: None,
            uuid_broken: false,
            commands: Vec::new(),
            state: Vec::new(),
            doc,
            span: from,
        };
        loop {
            if self.is(0, b'}') {
                self.at += 1;
                break;
            }
            if self.is_end() || (self.token(0).first && self.starts_top()) {
                if self.is_end() && self.unclosed {
                    break;
                }
                let end = self.span(0);
                let d = Diagnostic::error("E-SYNTAX", format!("the braces of `{}` are never closed", out.name.text));
                let d = d.label(open, "opened here").secondary(end, "a `}` was expected before this");
                self.diagnostics.push(d);
                break;
            }
            let start = self.at;
            if self.item(&mut out).is_err() {
                self.skip_to_item(start);
            }
        }
        out.span = self.since(from);
        Ok(out)
    }

    /// Goes on at the next line of an interface that is not at the token `start`, or at its end.
    fn skip_to_item(&mut self, start: usize) {
        let mut depth = 0u32;
        while !self.is_end() {
            let token = self.token(0);
            if depth == 0 && self.at > start && token.first && token.kind == TokenKind::Word {
                return;
            }
            match token.kind {
                TokenKind::Punct(b'}') if depth == 0 => return,
                TokenKind::Punct(b'}') => depth -= 1,
                TokenKind::Punct(b'{') => depth += 1,
                _ => {}
            }
            self.at += 1;
        }
    }

    fn item(&mut self, out: &mut Interface) -> Result<(), Fault> {
        match self.word(0) {
            Some("uuid") if self.is(1, b':') => self.uuid(out),
            Some("state") if !self.is_operand(1) && self.word(1).is_some() => self.state(out),
            Some(_) => self.command(out),
            None => {
                let span = self.span(0);
                self.at += 1;
                Err(self
                    .syntax(span, "expected `uuid: …`, a command such as `go rd rs1 rs2: xcmd0 rd rs1 rs2`, or `}`"))
            }
        }
    }

    /// A number in decimal or `0x` hexadecimal; `None` inside when it needs more than 64 bits.
    fn number(&mut self, what: &str) -> Result<(Option<u64>, Span), Fault> {
        let span = self.span(0);
        let text = self.word(0).unwrap_or("");
        let (digits, radix) = match text.strip_prefix("0x").or(text.strip_prefix("0X")) {
            Some(hex) => (hex, 16),
            None => (text, 10),
        };
        if digits.is_empty() || !digits.chars().all(|c| c.is_digit(radix)) {
            return Err(self.syntax(span, format!("expected {what} in decimal or `0x` hexadecimal")));
        }
        let value = u64::from_str_radix(digits, radix).ok();
        self.at += 1;
        Ok((value, span))
    }

    fn uuid(&mut self, out: &mut Interface) -> Result<(), Fault> {
        let line = self.span(0);
        self.at += 2;
        if let Some(before) = out.uuid {
            let d = Diagnostic::error("E-SYNTAX", "an interface has one number only");
            self.diagnostics.push(d.label(line, "given again").secondary(before.span, "first given here"));
            return self.number("the interface's number").map(drop);
        }
        if let Some(first) = out.commands.first() {
            let d = Diagnostic::error("E-SYNTAX", "`uuid` comes before the first command");
            self.diagnostics.push(d.label(line, "too late").secondary(first.span, "the first command"));
        }
        out.uuid_broken = true;
        let (value, span) = self.number("the interface's number")?;
        out.uuid_broken = false;
        out.uuid = Some(Uuid { value, span });
        Ok(())
    }

    fn state(&mut self, out: &mut Interface) -> Result<(), Fault> {
        self.at += 1;
        let span = self.span(0);
        let name = self.text(0).to_owned();
        self.at += 1;
        if !name::is_component(&name) {
            self.diagnostics.push(Diagnostic::error("E-NAME", format!("`{name}` is not a name")).label(span, ""));
        }
        let mut state = StateDecl { name, width: None, initial: 0, span };
        if self.is(0, b':') {
            self.at += 1;
            let (bits, span) = self.number("a width in bits")?;
            state.width = bits.and_then(|b| u32::try_from(b).ok()).filter(|b| (1..=limits::MAX_STATE_BITS).contains(b));
            if state.width.is_none() {
                return Err(self.syntax(span, format!("a variable has 1 to {} bits", limits::MAX_STATE_BITS)));
            }
        }
        if self.is(0, b'=') {
            self.at += 1;
            let (value, span) = self.number("a value at reset")?;
            let Some(value) = value else {
                return Err(self.syntax(span, "the value at reset needs more than 64 bits"));
            };
            state.initial = value;
        }
        if let Some(before) = out.state.iter().find(|s| s.name == state.name) {
            let d = Diagnostic::error("E-NAME-DUP", format!("the variable `{}` is declared twice", state.name));
            self.diagnostics.push(d.label(state.span, "again here").secondary(before.span, "first here"));
        } else {
            out.state.push(state);
        }
        Ok(())
    }

    fn command(&mut self, out: &mut Interface) -> Result<(), Fault> {
        let doc = self.doc();
        let from = self.span(0);
        let name = self.text(0).to_owned();
        self.at += 1;
        let (left, left_span) = self.left_operands();
        self.expect(b':', "between a command and its `xcmd`")?;
        let k_span = self.span(0);
        let word = self.word(0).unwrap_or("");
        let digits = word.strip_prefix("xcmd").or(word.strip_prefix("cmd")).unwrap_or("");
        if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
            return Err(self.syntax(k_span, "expected `xcmd` and its number, such as `xcmd0`"));
        }
        let k = digits.parse().ok();
        self.at += 1;
        let (right, right_span) = self.right_operands();

        let checked = name::check_command(&name);
        if let Err(e) = &checked {
            let d = Diagnostic::error("E-NAME", format!("`{name}` is not a command name: {}", e.why));
            self.diagnostics.push(d.label(from, ""));
        }
        let bad_operands = (operand_fault(&left, false).map(|why| (left_span.unwrap_or(from), why)))
            .or_else(|| operand_fault(&right, true).map(|why| (right_span.unwrap_or(k_span), why)));
        let mut command = Command {
            name,
            name_span: from,
            valid: checked.is_ok(),
            k,
            k_span,
            swapped: right.get(1).is_some_and(|o| o == "rs2"),
            bad_operands,
            purity: Purity::Unsaid,
            semantics: None,
            doc,
            span: from,
        };
        let attributes = self.attributes(&mut command);
        command.span = self.since(from);
        out.commands.push(command);
        attributes
    }

    /// The words before the `:`.
    fn left_operands(&mut self) -> (Vec<String>, Option<Span>) {
        let mut list = Vec::new();
        let mut place: Option<Span> = None;
        loop {
            if let Some(word) = self.word(0) {
                list.push(word.to_owned());
                place = Some(place.map_or(self.span(0), |p| p.to(self.span(0))));
            } else if !self.is(0, b',') {
                return (list, place);
            }
            self.at += 1;
        }
    }

    /// The words after `xcmdK` that are its operands and do not start the next command.
    fn right_operands(&mut self) -> (Vec<String>, Option<Span>) {
        let mut list = Vec::new();
        let mut place: Option<Span> = None;
        loop {
            if self.is(0, b',') {
                self.at += 1;
                continue;
            }
            let Some(word) = self.word(0) else { break };
            let is_known = OPERANDS.contains(&word);
            // A word is the next command's name if it has that command's operands after it, or starts a line.
            let heads = self.is_operand(1) || self.is(1, b':') || self.attribute_here();
            let taken = if list.len() < 3 {
                is_known || (!self.token(0).first && !heads)
            } else {
                !self.token(0).first && !heads
            };
            if !taken {
                break;
            }
            list.push(word.to_owned());
            place = Some(place.map_or(self.span(0), |p| p.to(self.span(0))));
            self.at += 1;
        }
        (list, place)
    }

    fn attribute_here(&self) -> bool {
        match self.word(0) {
            Some("pure" | "stateful") => !self.is_operand(1),
            Some("semantics") => self.is(1, b'{'),
            Some("doc") => self.token(1).kind == TokenKind::Text,
            Some("state") => self.word(1).is_some() && !self.is_operand(1),
            _ => false,
        }
    }

    fn attributes(&mut self, command: &mut Command) -> Result<(), Fault> {
        while self.attribute_here() {
            let span = self.span(0);
            match self.word(0) {
                Some("pure" | "stateful") => {
                    let said = if self.word(0) == Some("pure") { Purity::Pure } else { Purity::Stateful };
                    if command.purity != Purity::Unsaid && command.purity != said {
                        self.syntax(span, "a command is either `pure` or `stateful`");
                    }
                    command.purity = said;
                    self.at += 1;
                }
                Some("doc") => {
                    self.at += 1;
                    let text = self.text(0);
                    command.doc = unescape(text.get(1..text.len().saturating_sub(1)).unwrap_or(""));
                    self.at += 1;
                }
                Some("semantics") => {
                    let before = command.semantics.is_some();
                    command.semantics = Some(self.semantics()?);
                    if before {
                        self.syntax(span, "a command has one `semantics` block only");
                    }
                }
                // `state` belongs to the interface.
                _ => break,
            }
        }
        Ok(())
    }

    fn semantics(&mut self) -> Result<Semantics, Fault> {
        let open = self.span(1);
        self.at += 2;
        let mut depth = 1u32;
        while !self.is_end() {
            match self.token(0).kind {
                TokenKind::Punct(b'{') => depth += 1,
                TokenKind::Punct(b'}') => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                let (start, end) = (open.end as usize, self.token(0).start);
                let text = String::from_utf8_lossy(self.bytes.get(start..end).unwrap_or(&[])).into_owned();
                self.at += 1;
                return Ok(Semantics { text, span: Span::new(self.file, start, end) });
            }
            self.at += 1;
        }
        self.unclosed = true;
        let end = self.span(0);
        let d = Diagnostic::error("E-SYNTAX", "the braces of `semantics` are never closed");
        self.diagnostics.push(d.label(open, "opened here").secondary(end, "the file ends here"));
        Err(Fault)
    }
}

/// What is wrong with an operand list; the right side may have rs1 and rs2 in either order.
fn operand_fault(list: &[String], right: bool) -> Option<String> {
    let side = if right { "right" } else { "left" };
    let fits = |order: [&str; 3]| list.iter().map(String::as_str).eq(order);
    if fits(OPERANDS) || (right && fits(["rd", "rs2", "rs1"])) {
        return None;
    }
    if let Some(unknown) = list.iter().find(|o| !OPERANDS.contains(&o.as_str())) {
        return Some(format!("`{unknown}` is not an operand; the {side} side has `rd rs1 rs2`"));
    }
    for operand in OPERANDS {
        match list.iter().filter(|o| *o == operand).count() {
            0 => return Some(format!("`{operand}` is missing on the {side} side")),
            1 => {}
            _ => return Some(format!("`{operand}` is repeated on the {side} side")),
        }
    }
    let order =
        if right { "`rd` comes first on the right side" } else { "the left side is `rd rs1 rs2` in this order" };
    Some(order.to_owned())
}

fn unescape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' => out.extend(chars.next().map(|c| if c == 'n' { '\n' } else { c })),
            c => out.push(c),
        }
    }
    out
}
