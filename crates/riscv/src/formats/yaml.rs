//! YAML as a tree with places.
//!
//! The problem: a fault deep in one of two thousand files is found only if the message says where it is, and a loader that
//! follows another version of YAML reads `010` or `on` differently. The invariant: what a scalar means is decided by the core
//! rules of YAML 1.2 and by how it was written, when it is asked for; nothing is lost in between. The method: the events of
//! `saphyr-parser` are built into a tree that borrows from the text. Anchors, aliases, tags and second documents are refused: the
//! formats here have none, so they are a mistake, and without them a tree is never larger than its text.

use std::borrow::Cow;

use isaglot_source::limits::MAX_DIAGNOSTICS;
use isaglot_source::{Diagnostic, FileId, Span};
use saphyr_parser::{Event, Parser, ScalarStyle, Span as Marks};

use crate::limits::{YAML_DEPTH, YAML_FILE_BYTES};

/// A value and where it is.
#[derive(Clone, Debug)]
pub struct Node<'a> {
    /// Its first byte to its last; of a block scalar, its text.
    pub span: Span,
    /// The value.
    pub value: Value<'a>,
}

/// A value.
#[derive(Clone, Debug)]
pub enum Value<'a> {
    /// A text, and whether it is plain: only a plain one can be a number, a truth value or null.
    Scalar(Cow<'a, str>, bool),
    /// A list.
    List(Vec<Node<'a>>),
    /// A mapping in the order of the text. No key occurs twice.
    Map(Vec<(Key<'a>, Node<'a>)>),
}

/// A key of a mapping.
#[derive(Clone, Debug)]
pub struct Key<'a> {
    /// Its text.
    pub text: Cow<'a, str>,
    /// Where it is.
    pub span: Span,
}

/// What a scalar is by the core rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Core {
    /// Nothing, `~` or `null`.
    Null,
    /// A truth value.
    Bool(bool),
    /// An integer; one that is too large is the largest or smallest.
    Int(i128),
    /// A number that is not an integer.
    Float,
    /// A text.
    Text,
}

impl<'a> Node<'a> {
    /// The value of a key, if this is a mapping that has it.
    pub fn get(&self, key: &str) -> Option<&Node<'a>> {
        self.map().iter().find(|(k, _)| k.text == key).map(|(_, node)| node)
    }

    /// The entries, if this is a mapping; else none.
    pub fn map(&self) -> &[(Key<'a>, Node<'a>)] {
        if let Value::Map(entries) = &self.value { entries } else { &[] }
    }

    /// The items, if this is a list; else none.
    pub fn list(&self) -> &[Node<'a>] {
        if let Value::List(items) = &self.value { items } else { &[] }
    }

    /// The items of a list, or the value itself as the only one.
    pub fn one_or_more(&self) -> &[Node<'a>] {
        if let Value::List(items) = &self.value { items } else { std::slice::from_ref(self) }
    }

    /// The text of a scalar, whatever it is.
    pub fn scalar(&self) -> Option<&str> {
        if let Value::Scalar(text, _) = &self.value { Some(text) } else { None }
    }

    /// The text of a scalar that is a string.
    pub fn text(&self) -> Option<&str> {
        self.scalar().filter(|_| self.core() == Some(Core::Text))
    }

    /// The integer.
    pub fn int(&self) -> Option<i128> {
        if let Some(Core::Int(n)) = self.core() { Some(n) } else { None }
    }

    /// The truth value.
    pub fn bool(&self) -> Option<bool> {
        if let Some(Core::Bool(b)) = self.core() { Some(b) } else { None }
    }

    /// What a scalar is; `None` for lists and mappings.
    pub fn core(&self) -> Option<Core> {
        match &self.value {
            Value::Scalar(text, true) => Some(core(text)),
            Value::Scalar(_, false) => Some(Core::Text),
            _ => None,
        }
    }

    /// What it is, for a message.
    pub fn what(&self) -> &'static str {
        match &self.value {
            Value::List(_) => "a list",
            Value::Map(_) => "a mapping",
            Value::Scalar(..) => match self.core() {
                Some(Core::Null) => "nothing",
                Some(Core::Bool(_)) => "a truth value",
                Some(Core::Int(_)) => "an integer",
                Some(Core::Float) => "a number",
                _ => "a text",
            },
        }
    }
}

/// What a plain scalar is by the core rules of YAML 1.2, with binary integers.
fn core(text: &str) -> Core {
    let first = text.bytes().next();
    match first {
        None => return Core::Null,
        Some(b'0'..=b'9' | b'+' | b'-' | b'.') => {}
        Some(b'~' | b'n' | b'N' | b't' | b'T' | b'f' | b'F') => {
            return match text {
                "~" | "null" | "Null" | "NULL" => Core::Null,
                "true" | "True" | "TRUE" => Core::Bool(true),
                "false" | "False" | "FALSE" => Core::Bool(false),
                _ => Core::Text,
            };
        }
        Some(_) => return Core::Text,
    }
    for (prefix, radix) in [("0x", 16), ("0o", 8), ("0b", 2)] {
        if let Some(digits) = text.strip_prefix(prefix) {
            return integer(digits, radix, false).unwrap_or(Core::Text);
        }
    }
    let (negative, digits) = match text.as_bytes() {
        [b'-', ..] => (true, &text[1..]),
        [b'+', ..] => (false, &text[1..]),
        _ => (false, text),
    };
    integer(digits, 10, negative).unwrap_or_else(|| if is_float(digits) { Core::Float } else { Core::Text })
}

fn integer(digits: &str, radix: u32, negative: bool) -> Option<Core> {
    if digits.is_empty() || !digits.chars().all(|c| c.is_digit(radix)) {
        return None;
    }
    let large = if negative { i128::MIN } else { i128::MAX };
    Some(Core::Int(i128::from_str_radix(digits, radix).map_or(large, |n| if negative { -n } else { n })))
}

/// `1.5`, `.5`, `1e3`, `.inf`, `.nan`; the sign is gone.
fn is_float(text: &str) -> bool {
    if matches!(text, ".inf" | ".Inf" | ".INF" | ".nan" | ".NaN" | ".NAN") {
        return true;
    }
    let (mantissa, exponent) = text.split_once(['e', 'E']).map_or((text, None), |(m, e)| (m, Some(e)));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = |s: &str| s.bytes().all(|b| b.is_ascii_digit());
    let signed = |e: &str| e.strip_prefix(['+', '-']).unwrap_or(e).to_owned();
    let exponent_is_good = exponent.map(signed).is_none_or(|e| !e.is_empty() && digits(&e));
    digits(whole) && digits(fraction) && !(whole.is_empty() && fraction.is_empty()) && exponent_is_good
}

/// The tree of a text; nothing if it is broken. Duplicate keys are reported and the first one is kept.
pub fn parse<'a>(file: FileId, bytes: &'a [u8], out: &mut Vec<Diagnostic>) -> Option<Node<'a>> {
    match Build::new(file, bytes, out).and_then(Build::run) {
        Ok(node) => Some(node),
        Err(fault) => {
            out.push(*fault);
            None
        }
    }
}

fn syntax(span: Span, message: &str) -> Box<Diagnostic> {
    let label = if message.starts_with("expected") { message } else { "" };
    Box::new(Diagnostic::error("udb-yaml-syntax", format!("not YAML: {message}")).label(span, label))
}

/// What is open while the events come.
enum Open<'a> {
    List(Span, Vec<Node<'a>>),
    Map(Span, Vec<(Key<'a>, Node<'a>)>, Option<Key<'a>>),
}

struct Build<'a, 'o> {
    file: FileId,
    text: &'a str,
    /// Byte offsets of characters, for a text that is not ASCII: the parser counts characters.
    offsets: Option<Vec<u32>>,
    open: Vec<Open<'a>>,
    root: Option<Node<'a>>,
    out: &'o mut Vec<Diagnostic>,
}

impl<'a, 'o> Build<'a, 'o> {
    fn new(file: FileId, bytes: &'a [u8], out: &'o mut Vec<Diagnostic>) -> Result<Self, Box<Diagnostic>> {
        let at = |start: usize, end: usize| Span::new(file, start, end);
        if bytes.len() > YAML_FILE_BYTES {
            return Err(syntax(at(0, 0), &format!("the file has more than {YAML_FILE_BYTES} bytes")));
        }
        let text = match std::str::from_utf8(bytes) {
            Ok(text) => text,
            Err(e) => return Err(syntax(at(e.valid_up_to(), e.valid_up_to() + 1), "this byte is not UTF-8")),
        };
        // The parser takes a zero for the end of the text, so what comes after it would be lost.
        let control = |b: &u8| (*b < b' ' && !matches!(b, b'\t' | b'\n' | b'\r')) || *b == 0x7f;
        if let Some(place) = bytes.iter().position(control) {
            return Err(syntax(at(place, place + 1), &format!("control character {:#04x}", bytes[place])));
        }
        let offsets = (!text.is_ascii()).then(|| text.char_indices().map(|(at, _)| at as u32).collect());
        Ok(Build { file, text, offsets, open: Vec::new(), root: None, out })
    }

    fn byte(&self, character: usize) -> usize {
        match &self.offsets {
            Some(offsets) => offsets.get(character).map_or(self.text.len(), |&at| at as usize),
            None => character.min(self.text.len()),
        }
    }

    fn span(&self, marks: Marks) -> Span {
        Span::new(self.file, self.byte(marks.start.index()), self.byte(marks.end.index()))
    }

    fn run(mut self) -> Result<Node<'a>, Box<Diagnostic>> {
        let mut parser = Parser::new_from_str(self.text);
        while let Some(event) = parser.next_event() {
            let (event, marks) = event.map_err(|e| {
                let at = self.byte(e.marker().index());
                syntax(Span::new(self.file, at, at), e.info())
            })?;
            if !self.event(event, marks)? {
                break;
            }
        }
        let end = Span::new(self.file, self.text.len(), self.text.len());
        self.root.ok_or_else(|| syntax(end, "expected a mapping, found the end of the file"))
    }

    /// Takes one event; false after the last.
    fn event(&mut self, event: Event<'a>, marks: Marks) -> Result<bool, Box<Diagnostic>> {
        let span = self.span(marks);
        match event {
            Event::Alias(_) => return Err(syntax(span, "aliases are not used here")),
            Event::Scalar(_, _, anchor, ref tag)
            | Event::SequenceStart(anchor, ref tag)
            | Event::MappingStart(anchor, ref tag)
                if anchor != 0 || tag.is_some() =>
            {
                return Err(syntax(span, "anchors and tags are not used here"));
            }
            Event::Scalar(text, style, ..) => self.scalar(text, style, span)?,
            Event::SequenceStart(..) => self.start(Open::List(span, Vec::new()))?,
            Event::MappingStart(..) => self.start(Open::Map(span, Vec::new(), None))?,
            Event::SequenceEnd | Event::MappingEnd => self.end(span)?,
            Event::DocumentStart(_) if self.root.is_some() => {
                return Err(syntax(span, "expected the end of the file, found a second document"));
            }
            Event::StreamEnd => return Ok(false),
            Event::Nothing | Event::StreamStart | Event::DocumentStart(_) | Event::DocumentEnd => {}
        }
        Ok(true)
    }

    fn start(&mut self, open: Open<'a>) -> Result<(), Box<Diagnostic>> {
        let (Open::List(span, _) | Open::Map(span, ..)) = &open;
        if self.open.len() >= YAML_DEPTH {
            return Err(syntax(*span, &format!("more than {YAML_DEPTH} levels")));
        }
        self.open.push(open);
        Ok(())
    }

    fn end(&mut self, last: Span) -> Result<(), Box<Diagnostic>> {
        // The mark of the end of a block is where the next thing starts, so the place of a collection ends with its last value.
        let node = match self.open.pop() {
            Some(Open::List(span, items)) => {
                let end = items.last().map_or(last, |n| n.span);
                Node { span: span.to(end), value: Value::List(items) }
            }
            Some(Open::Map(span, entries, _)) => {
                let end = entries.last().map_or(last, |(k, n)| k.span.to(n.span));
                let start = entries.first().map_or(span, |(k, _)| k.span);
                Node { span: start.to(end), value: Value::Map(self.unique(entries)) }
            }
            None => return Ok(()),
        };
        self.add(node)
    }

    fn scalar(&mut self, text: Cow<'a, str>, style: ScalarStyle, span: Span) -> Result<(), Box<Diagnostic>> {
        let span = match style {
            ScalarStyle::Literal | ScalarStyle::Folded => self.block(span),
            _ => span,
        };
        self.add(Node { span, value: Value::Scalar(text, style == ScalarStyle::Plain) })
    }

    /// The place of the text of a block scalar: after the line of its sign, and after the indentation.
    fn block(&self, span: Span) -> Span {
        let (start, end) = (span.start as usize, span.end as usize);
        let whole = self.text.as_bytes().get(start..end).unwrap_or_default();
        let header = if whole.first().is_some_and(|b| matches!(b, b'|' | b'>')) {
            whole.iter().position(|&b| b == b'\n').map_or(whole.len(), |at| at + 1)
        } else {
            0
        };
        let blank = whole[header..].iter().position(|&b| b != b' ').unwrap_or(0);
        Span::new(self.file, start + header + blank, end)
    }

    fn add(&mut self, node: Node<'a>) -> Result<(), Box<Diagnostic>> {
        match self.open.last_mut() {
            None => self.root = Some(node),
            Some(Open::List(_, items)) => items.push(node),
            Some(Open::Map(_, entries, key)) => match key.take() {
                Some(key) => entries.push((key, node)),
                None => match node.value {
                    Value::Scalar(text, _) => *key = Some(Key { text, span: node.span }),
                    _ => return Err(syntax(node.span, "expected a text as key")),
                },
            },
        }
        Ok(())
    }

    /// The entries without those whose key came before.
    fn unique(&mut self, entries: Vec<(Key<'a>, Node<'a>)>) -> Vec<(Key<'a>, Node<'a>)> {
        let mut order: Vec<usize> = (0..entries.len()).collect();
        order.sort_by(|&a, &b| entries[a].0.text.cmp(&entries[b].0.text).then(a.cmp(&b)));
        let mut again = vec![false; entries.len()];
        for pair in order.windows(2) {
            again[pair[1]] = entries[pair[0]].0.text == entries[pair[1]].0.text;
        }
        let mut kept: Vec<(Key<'a>, Node<'a>)> = Vec::with_capacity(entries.len());
        for (entry, again) in entries.into_iter().zip(again) {
            if !again {
                kept.push(entry);
            } else if self.out.len() < MAX_DIAGNOSTICS {
                let first = kept.iter().find(|(k, _)| k.text == entry.0.text).map_or(Span::NOWHERE, |(k, _)| k.span);
                let fault =
                    Diagnostic::error("udb-duplicate-key", format!("key `{}` twice in one mapping", entry.0.text));
                self.out.push(fault.label(entry.0.span, "").secondary(first, "first here"));
            }
        }
        kept
    }
}
