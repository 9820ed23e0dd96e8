//! XML in: bytes to a `roxmltree` document, with every bound checked before the parser may spend anything.
//!
//! One pass over the bytes looks only at tags. It finds what would cost quadratic time or unbounded memory (attributes
//! of one element, nesting, node count, entity declarations) and remembers which element is open where, so that a
//! truncated file can say which element is not closed.

use isaglot_source::{Diagnostic, Diagnostics, FileId, Span};
use roxmltree::{Document, Error, ParsingOptions};

use crate::limits;

/// The text of a file, checked: UTF-8 and within every bound.
pub(crate) fn decode<'a>(bytes: &'a [u8], file: FileId, out: &mut Diagnostics) -> Option<&'a str> {
    if bytes.len() > limits::MAX_FILE_BYTES {
        let message = format!("the file is larger than {} MiB", limits::MAX_FILE_BYTES >> 20);
        out.push(Diagnostic::error("isaspec-file-size", message).label(Span::new(file, 0, 0), "this file"));
        return None;
    }
    let report = |e: &std::str::Utf8Error| {
        let at = e.valid_up_to();
        let d = Diagnostic::error("isaspec-not-utf8", format!("byte {at} is not UTF-8"));
        out.push(d.label(Span::new(file, at, at + 1), "expected UTF-8 text"));
    };
    std::str::from_utf8(bytes).inspect_err(report).ok()
}

/// Parses a file that [`decode`] accepted.
pub(crate) fn parse<'a>(input: &'a str, file: FileId, out: &mut Diagnostics) -> Option<Document<'a>> {
    let open = scan(input, file, out)?;
    // Text nodes stand between the others, so there are at most twice as many nodes.
    let nodes_limit = 2 * limits::MAX_NODES as u32 + 2;
    let options = ParsingOptions { allow_dtd: true, nodes_limit, ..ParsingOptions::default() };
    Document::parse_with_options(input, options).inspect_err(|e| out.push(malformed(input, file, e, &open))).ok()
}

/// The starts of the elements that are still open at the end of the file, outermost first.
type OpenTags = Vec<usize>;

fn scan(input: &str, file: FileId, out: &mut Diagnostics) -> Option<OpenTags> {
    let bytes = input.as_bytes();
    let mut too_many = |what: &str, most: usize, start: usize, end: usize| {
        let d = Diagnostic::error("isaspec-xml-limit", format!("{what}: more than {most}"));
        out.push(d.label(Span::new(file, start, end), "the limit is passed here"));
        None
    };
    if bytes.iter().filter(|&&b| b == b'<').count() > 2 * limits::MAX_NODES {
        return too_many("elements of one file", limits::MAX_NODES, 0, 0);
    }
    if bytes.iter().filter(|&&b| b == b'=').count() > limits::MAX_EQUALS {
        return too_many("attributes of one file", limits::MAX_EQUALS, 0, 0);
    }
    let mut open = Vec::new();
    let (mut namespaces, mut at) = (0, 0);
    while let Some(start) = find(bytes, at, b"<") {
        let rest = &bytes[start..];
        let skip = |end: &[u8]| find(bytes, start + 1, end).map_or(bytes.len(), |i| i + end.len());
        if rest.starts_with(b"<!--") {
            at = skip(b"-->");
        } else if rest.starts_with(b"<![CDATA[") {
            at = skip(b"]]>");
        } else if rest.starts_with(b"<?") {
            at = skip(b"?>");
        } else if rest.starts_with(b"<!ENTITY") {
            let d = Diagnostic::error("isaspec-xml-entity", "entity declarations are not read");
            let label = "write the text itself in place of the entity";
            out.push(d.label(Span::new(file, start, start + 8), label));
            return None;
        } else if rest.starts_with(b"<!") {
            at = start + 2;
        } else if rest.starts_with(b"</") {
            open.pop();
            at = start + 2;
        } else {
            let tag = scan_tag(bytes, start);
            if tag.attributes > limits::MAX_ATTRIBUTES {
                return too_many("attributes of one element", limits::MAX_ATTRIBUTES, start, start + 1);
            }
            if tag.longest_value > limits::MAX_ATTRIBUTE_BYTES {
                return too_many("bytes of one attribute", limits::MAX_ATTRIBUTE_BYTES, start, start + 1);
            }
            namespaces += tag.namespaces;
            if namespaces > limits::MAX_NAMESPACES {
                return too_many("namespace declarations", limits::MAX_NAMESPACES, start, start + 1);
            }
            if !tag.closed {
                open.push(start);
                if open.len() > limits::MAX_ELEMENT_DEPTH {
                    return too_many("levels of nested elements", limits::MAX_ELEMENT_DEPTH, start, start + 1);
                }
            }
            at = tag.end;
        }
    }
    Some(open)
}

struct Tag {
    end: usize,
    attributes: usize,
    namespaces: usize,
    longest_value: usize,
    closed: bool,
}

/// Measures the start tag at `start`, up to its `>` or the end of the file.
fn scan_tag(bytes: &[u8], start: usize) -> Tag {
    let mut tag = Tag { end: bytes.len(), attributes: 0, namespaces: 0, longest_value: 0, closed: false };
    let mut at = start + 1;
    while let Some(&b) = bytes.get(at) {
        match b {
            b'=' => tag.attributes += 1,
            b'"' | b'\'' => {
                let end = bytes[at + 1..].iter().position(|&c| c == b).map_or(bytes.len(), |n| at + 1 + n);
                tag.longest_value = tag.longest_value.max(end - at - 1);
                at = end;
            }
            b'x' if bytes[at..].starts_with(b"xmlns") => tag.namespaces += 1,
            b'>' => {
                tag.closed = bytes[at - 1] == b'/';
                tag.end = at + 1;
                break;
            }
            _ => {}
        }
        at += 1;
    }
    tag
}

fn find(bytes: &[u8], from: usize, what: &[u8]) -> Option<usize> {
    let rest = bytes.get(from..)?;
    let (&first, tail) = what.split_first()?;
    let mut at = 0;
    loop {
        at += rest.get(at..)?.iter().position(|&b| b == first)?;
        if rest[at + 1..].starts_with(tail) {
            return Some(from + at);
        }
        at += 1;
    }
}

/// The parser's complaint as a diagnostic at the right byte.
fn malformed(input: &str, file: FileId, e: &Error, open: &OpenTags) -> Diagnostic {
    let ended = matches!(e, Error::UnexpectedEndOfStream | Error::UnclosedRootNode | Error::NoRootNode);
    let at = if ended { input.len() } else { offset_of(input, e.pos()) };
    let mut sentence = e.to_string();
    // The parser closes its sentences with the position, which the label shows already.
    if let Some(cut) = sentence.find(" at ").filter(|&i| sentence[i + 4..].starts_with(|c: char| c.is_ascii_digit())) {
        sentence.truncate(cut);
    }
    let mut d = Diagnostic::error("isaspec-xml", format!("not well-formed XML: {sentence}"))
        .label(Span::new(file, at, (at + 1).min(input.len())), if ended { "the file ends here" } else { "here" });
    if let (true, Some(&start)) = (ended, open.last()) {
        let name = input[start + 1..].find(|c: char| c.is_whitespace() || c == '>' || c == '/').unwrap_or(0);
        d = d.secondary(Span::new(file, start, start + 1 + name), "this element is not closed");
    }
    d
}

fn offset_of(input: &str, pos: roxmltree::TextPos) -> usize {
    let mut start = 0;
    for _ in 1..pos.row {
        match input[start..].find('\n') {
            Some(n) => start += n + 1,
            None => return input.len(),
        }
    }
    let line = &input[start..];
    line.char_indices().nth(pos.col.saturating_sub(1) as usize).map_or(input.len(), |(n, _)| start + n)
}
