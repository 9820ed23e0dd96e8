//! The declarations of a description's sources: what each is called, where it stands, what it names.
//!
//! The problem: a model is flattened, leaf first, so that a bitset which forty leaves share is there forty times; what a
//! person changed is a declaration of the source. Invariant: a text that is not between two declarations belongs to one. The
//! method: of XML every element directly below the root, of TableGen every `def`, `class` and the like at the start of a line. Nothing is
//! understood beyond that: the description has been read, so it is well-formed.

use isaglot_source::{FileId, SourceFile, Span};
use rustc_hash::FxHashMap;

use crate::limits::MAX_DECLARATIONS;

/// What editors of some systems put before a text.
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// A declaration.
#[derive(Clone, Debug)]
pub(crate) struct Declaration {
    /// `bitset`, `enum`, `def`.
    pub(crate) kind: String,
    /// Its name; empty if it has none.
    pub(crate) name: String,
    /// How many of this kind and name stand before it: variants for other gens share a name.
    pub(crate) number: usize,
    /// Where it stands.
    pub(crate) span: Span,
    /// Its lines that are not blank or comment, with their numbers from 1 in the file and their words apart by one blank.
    pub(crate) lines: Vec<(u32, String)>,
}

/// All declarations of files, in order.
pub(crate) fn all<'f>(files: impl Iterator<Item = (FileId, &'f SourceFile)>) -> Vec<Declaration> {
    let mut list: Vec<Declaration> = Vec::new();
    let mut known: FxHashMap<(String, String), usize> = FxHashMap::default();
    for (id, file) in files {
        let text: &[u8] = &file.bytes;
        let begin = text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text);
        let pieces = if begin.trim_ascii_start().starts_with(b"<") { elements(text) } else { records(text) };
        for (kind, name, start, end) in pieces {
            if list.len() >= MAX_DECLARATIONS {
                return list;
            }
            let count = known.entry((kind.clone(), name.clone())).or_default();
            let number = *count;
            *count += 1;
            let span = Span::new(id, start, end);
            list.push(Declaration { kind, name, number, span, lines: lines(file, start, end) });
        }
    }
    list
}

/// The lines between two offsets, without comments.
fn lines(file: &SourceFile, start: usize, end: usize) -> Vec<(u32, String)> {
    let mut out = Vec::new();
    let mut at = start;
    let mut inside = false;
    while at < end {
        let line = file.line_of(at);
        let stop = file.line_start(line + 1).clamp(at + 1, end);
        let mut rest = String::from_utf8_lossy(file.bytes.get(at..stop).unwrap_or_default()).into_owned();
        let mut kept = String::new();
        // Comments of XML may go over several lines.
        loop {
            let mark = if inside { "-->" } else { "<!--" };
            let Some(found) = rest.find(mark) else { break };
            if !inside {
                kept.push_str(&rest[..found]);
            }
            rest = rest[found + mark.len()..].to_owned();
            inside = !inside;
        }
        if !inside {
            kept.push_str(&rest);
        }
        let words: Vec<&str> = kept.split_whitespace().collect();
        if !words.is_empty() {
            out.push((line, words.join(" ")));
        }
        at = stop;
    }
    out
}

/// The elements directly below the root of an XML text: kind, name, start, end.
fn elements(text: &[u8]) -> Vec<(String, String, usize, usize)> {
    let mut out = Vec::new();
    let mut depth = 0usize;
    let mut open: Option<(String, String, usize)> = None;
    let mut at = 0;
    while let Some(start) = memchr::memchr(b'<', text.get(at..).unwrap_or_default()).map(|i| at + i) {
        let rest = text.get(start..).unwrap_or_default();
        let skip = |end: &[u8]| memchr::memmem::find(rest, end).map_or(text.len(), |i| start + i + end.len());
        if rest.starts_with(b"<!--") {
            at = skip(b"-->");
            continue;
        }
        if rest.starts_with(b"<![CDATA[") {
            at = skip(b"]]>");
            continue;
        }
        if rest.starts_with(b"<?") || rest.starts_with(b"<!") {
            at = skip(b">");
            continue;
        }
        let end = tag_end(text, start);
        let tag = text.get(start..end).unwrap_or_default();
        at = end;
        if tag.starts_with(b"</") {
            depth = depth.saturating_sub(1);
            if depth == 1
                && let Some((kind, name, start)) = open.take()
            {
                out.push((kind, name, start, end));
            }
            continue;
        }
        let closed = tag.ends_with(b"/>");
        if depth == 1 {
            let kind: Vec<u8> =
                tag.iter().skip(1).copied().take_while(|b| b.is_ascii_alphanumeric() || *b == b'-').collect();
            let kind = String::from_utf8_lossy(&kind).into_owned();
            let name = attribute(tag, "name").or_else(|| attribute(tag, "file")).unwrap_or_default();
            if closed {
                out.push((kind, name, start, end));
            } else {
                open = Some((kind, name, start));
            }
        }
        depth += usize::from(!closed);
    }
    out
}

/// The offset after a tag; `>` in a quoted value does not end it.
fn tag_end(text: &[u8], start: usize) -> usize {
    let mut quote = None;
    for (at, &byte) in text.iter().enumerate().skip(start) {
        match quote {
            Some(open) if byte == open => quote = None,
            Some(_) => {}
            None if byte == b'"' || byte == b'\'' => quote = Some(byte),
            None if byte == b'>' => return at + 1,
            None => {}
        }
    }
    text.len()
}

/// The value of an attribute of a tag.
fn attribute(tag: &[u8], name: &str) -> Option<String> {
    let tag = String::from_utf8_lossy(tag);
    let mut rest = &*tag;
    loop {
        let at = rest.find(name)?;
        let (before, after) = (rest[..at].chars().last(), &rest[at + name.len()..]);
        let value = after.trim_start().strip_prefix('=').map(str::trim_start);
        if before.is_some_and(char::is_whitespace)
            && let Some(value) = value
            && let Some(quote) = value.chars().next().filter(|c| matches!(c, '"' | '\''))
        {
            return value[1..].split(quote).next().map(str::to_owned);
        }
        rest = after;
    }
}

/// What begins a declaration of TableGen, at the start of a line.
const STARTS: &[&str] = &["def", "defm", "class", "multiclass", "let", "foreach", "defset", "defvar", "include"];

/// The declarations of a TableGen text, or of one with sections `[name]`.
fn records(text: &[u8]) -> Vec<(String, String, usize, usize)> {
    let mut out: Vec<(String, String, usize, usize)> = Vec::new();
    let mut at = 0;
    for line in text.split_inclusive(|&byte| byte == b'\n') {
        let shown = String::from_utf8_lossy(line);
        let word = |text: &str| -> String { text.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect() };
        let kind = word(&shown);
        let section = shown.strip_prefix('[').and_then(|rest| rest.split(']').next());
        if STARTS.contains(&kind.as_str()) || section.is_some() {
            if let Some(last) = out.last_mut() {
                last.3 = at;
            }
            let name = section.map_or_else(|| word(shown[kind.len()..].trim_start()), str::to_owned);
            let kind = if section.is_some() { "section".to_owned() } else { kind };
            out.push((kind, name, at, text.len()));
        }
        at += line.len();
    }
    out
}
