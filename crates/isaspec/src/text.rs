//! Text with its places: a string as the XML means it, and for each of its bytes the place in the file.
//!
//! What a description calls a text is often not one piece of its file: comments inside it are transparent, `&lt;` is one
//! character, templates are pasted into it. A [`Text`] therefore carries a list of segments. A segment whose length is
//! that of its source maps byte by byte; any other maps as a whole. Errors deep inside an expression so point at the
//! character that the author typed.

use std::ops::Range;

use isaglot_source::{FileId, Span};

/// A run of a text that came from one place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Segment {
    /// Where it starts in the text.
    at: u32,
    /// Where it came from.
    source: Span,
}

/// A string and where it came from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Text {
    /// The string.
    pub value: String,
    segments: Vec<Segment>,
    whole: Span,
}

impl Text {
    /// A text that stands in the file as it is.
    pub fn verbatim(value: &str, span: Span) -> Text {
        Text { value: value.to_owned(), segments: vec![Segment { at: 0, source: span }], whole: span }
    }

    /// Decodes a piece of an XML file between two tags: references are replaced, CDATA is taken as it is, comments and
    /// processing instructions vanish, line ends become `\n`.
    pub(crate) fn from_content(input: &str, file: FileId, range: Range<usize>) -> Text {
        let mut text =
            Text { value: String::new(), segments: Vec::new(), whole: Span::new(file, range.start, range.end) };
        let mut at = range.start;
        while at < range.end {
            let rest = &input[at..range.end];
            let special = rest.bytes().position(|b| matches!(b, b'<' | b'&' | b'\r')).unwrap_or(rest.len());
            if special > 0 {
                text.push(&rest[..special], Span::new(file, at, at + special));
                at += special;
                continue;
            }
            at += text.push_special(rest, file, at);
        }
        text
    }

    /// Decodes what starts with `<`, `&` or a carriage return, and says how many bytes that took.
    fn push_special(&mut self, rest: &str, file: FileId, at: usize) -> usize {
        let until = |end: &str| rest.find(end).map_or(rest.len(), |i| i + end.len());
        if rest.starts_with("<!--") {
            return until("-->");
        }
        if let Some(data) = rest.strip_prefix("<![CDATA[") {
            let start = rest.len() - data.len();
            let len = data.find("]]>").unwrap_or(data.len());
            self.push(&data[..len], Span::new(file, at + start, at + start + len));
            return until("]]>");
        }
        if rest.starts_with('<') {
            return until(">");
        }
        if rest.starts_with('\r') {
            let taken = if rest.starts_with("\r\n") { 2 } else { 1 };
            self.push("\n", Span::new(file, at, at + taken));
            return taken;
        }
        let taken = until(";");
        let source = Span::new(file, at, at + taken);
        match rest.get(1..taken.saturating_sub(1)).and_then(reference) {
            Some(c) => self.push(c.encode_utf8(&mut [0; 4]), source),
            None => self.push(&rest[..taken], source),
        }
        taken
    }

    fn push(&mut self, value: &str, source: Span) {
        let at = u32::try_from(self.value.len()).unwrap_or(u32::MAX);
        self.segments.push(Segment { at, source });
        self.value.push_str(value);
    }

    /// The whole place, comments and surrounding space included.
    pub fn span(&self) -> Span {
        self.whole
    }

    /// The place of a range of bytes of the text.
    pub fn span_of(&self, range: Range<usize>) -> Span {
        let Some(start) = self.source_at(range.start) else { return self.whole };
        let last = if range.end > range.start { self.source_at(range.end - 1) } else { None };
        match last {
            Some(last) => start.to(last),
            None => Span { end: start.start, ..start },
        }
    }

    /// The source of one byte of the text; past the end, the empty place after the last byte.
    fn source_at(&self, offset: usize) -> Option<Span> {
        let index = self.segments.partition_point(|s| s.at as usize <= offset).checked_sub(1)?;
        let segment = self.segments.get(index)?;
        let end = self.segments.get(index + 1).map_or(self.value.len(), |next| next.at as usize);
        let source = segment.source;
        if end - segment.at as usize != (source.end - source.start) as usize {
            return Some(source);
        }
        let start = (source.start as usize + offset - segment.at as usize).min(source.end as usize);
        Some(Span::new(source.file, start, (start + 1).min(source.end as usize)))
    }

    /// The text without white space at its ends.
    pub fn trimmed(&self) -> Text {
        let start = self.value.len() - self.value.trim_start().len();
        self.slice(start..start + self.value.trim().len())
    }

    /// A piece of the text; the range must lie on character boundaries, else the piece is empty.
    pub fn slice(&self, range: Range<usize>) -> Text {
        let mut out = Text { value: String::new(), segments: Vec::new(), whole: self.span_of(range.clone()) };
        out.append(self, range);
        out
    }

    /// Appends a piece of another text, places included.
    pub fn append(&mut self, other: &Text, range: Range<usize>) {
        for (i, segment) in other.segments.iter().enumerate() {
            let end = other.segments.get(i + 1).map_or(other.value.len(), |next| next.at as usize);
            let (from, to) = (range.start.max(segment.at as usize), range.end.min(end));
            if from >= to {
                continue;
            }
            if let Some(piece) = other.value.get(from..to) {
                self.push(piece, other.span_of(from..to));
            }
        }
    }

    /// Replaces every occurrence of `pattern` by another text.
    pub(crate) fn replace(&self, pattern: &str, by: &Text) -> Text {
        let mut out = Text { value: String::new(), segments: Vec::new(), whole: self.whole };
        let mut done = 0;
        for (at, _) in self.value.match_indices(pattern) {
            out.append(self, done..at);
            out.append(by, 0..by.value.len());
            done = at + pattern.len();
        }
        out.append(self, done..self.value.len());
        out
    }
}

/// The character that `&name;` stands for.
fn reference(name: &str) -> Option<char> {
    match name {
        "lt" => Some('<'),
        "gt" => Some('>'),
        "amp" => Some('&'),
        "quot" => Some('"'),
        "apos" => Some('\''),
        _ => {
            let digits = name.strip_prefix('#')?;
            let code = match digits.strip_prefix('x') {
                Some(hex) => u32::from_str_radix(hex, 16).ok()?,
                None => digits.parse().ok()?,
            };
            char::from_u32(code)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn content(input: &str) -> Text {
        Text::from_content(input, FileId(0), 0..input.len())
    }

    fn place(text: &Text, range: Range<usize>) -> (u32, u32) {
        let span = text.span_of(range);
        (span.start, span.end)
    }

    #[test]
    fn comments_are_transparent_and_references_count_as_one_character() {
        let text = content("  {X} <!-- hi -->&lt; 1\r\n");
        assert_eq!(text.value, "  {X} < 1\n");
        assert_eq!(place(&text, 2..5), (2, 5));
        assert_eq!(place(&text, 6..7), (17, 21));
        assert_eq!(place(&text, 8..9), (22, 23));
        assert_eq!(place(&text, 5..9), (5, 23));
    }

    #[test]
    fn cdata_and_numeric_references() {
        let text = content("a<![CDATA[<b>]]>&#x41;&#66;");
        assert_eq!(text.value, "a<b>AB");
        assert_eq!(place(&text, 1..4), (10, 13));
        assert_eq!(place(&text, 4..5), (16, 22));
    }

    #[test]
    fn trimmed_and_replaced_texts_keep_their_places() {
        let text = content("  go {T}! ").trimmed();
        assert_eq!(text.value, "go {T}!");
        let template = Text::verbatim("xyz", Span::new(FileId(1), 40, 43));
        let expanded = text.replace("{T}", &template);
        assert_eq!(expanded.value, "go xyz!");
        assert_eq!(expanded.span_of(4..5), Span::new(FileId(1), 41, 42));
        assert_eq!(expanded.span_of(6..7), Span::new(FileId(0), 8, 9));
    }

    #[test]
    fn past_the_end_is_the_end() {
        let text = content("ab");
        assert_eq!(place(&text, 2..2), (2, 2));
        assert_eq!(place(&content(""), 0..0), (0, 0));
    }
}
