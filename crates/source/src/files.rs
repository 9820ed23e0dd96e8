//! Source files, byte spans, and the line and column of a byte offset.
//!
//! Files are bytes, not `str`: a TableGen string may hold any byte, and a broken file must still be quoted in its own
//! error. The line index is built when a position is first asked for, so a run without errors never pays for it.

use std::sync::{Arc, OnceLock};

/// A file of a [`SourceMap`], by number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FileId(pub u32);

/// A half-open range of bytes of one file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Span {
    /// The file.
    pub file: FileId,
    /// Offset of the first byte.
    pub start: u32,
    /// Offset after the last byte.
    pub end: u32,
}

impl Default for Span {
    fn default() -> Span {
        Span::NOWHERE
    }
}

impl Span {
    /// The place of what was not read from a text.
    pub const NOWHERE: Span = Span { file: FileId(u32::MAX), start: 0, end: 0 };

    /// The bytes `start..end` of `file`; offsets above `u32::MAX` saturate.
    #[inline]
    pub fn new(file: FileId, start: usize, end: usize) -> Span {
        let clamp = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        Span { file, start: clamp(start), end: clamp(end.max(start)) }
    }

    /// The smallest span that holds both; of two spans in different files, `self`.
    pub fn to(self, other: Span) -> Span {
        if self.file != other.file {
            return self;
        }
        Span { file: self.file, start: self.start.min(other.start), end: self.end.max(other.end) }
    }
}

/// A position for people: both numbers count from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct LineCol {
    /// Line, from 1.
    pub line: u32,
    /// Column, from 1, in characters; a byte that is not valid UTF-8 counts as one.
    pub col: u32,
}

/// One file: its name as the user would recognise it, and its bytes.
#[derive(Clone, Debug)]
pub struct SourceFile {
    /// The path as given, or a name in angle brackets such as `<stdin>`.
    pub name: String,
    /// The whole content.
    pub bytes: Arc<[u8]>,
    line_starts: OnceLock<Vec<u32>>,
}

impl SourceFile {
    fn line_starts(&self) -> &[u32] {
        self.line_starts.get_or_init(|| {
            let newlines = || memchr::memchr_iter(b'\n', &self.bytes);
            // Counted first: a file may be all line ends.
            let mut starts = Vec::with_capacity(1 + newlines().count());
            starts.push(0);
            starts.extend(newlines().map(|at| at as u32 + 1));
            starts
        })
    }

    /// The byte offset at which the line (from 1) starts; past the last line, the end of the file.
    pub fn line_start(&self, line: u32) -> usize {
        let index = line.saturating_sub(1) as usize;
        self.line_starts().get(index).map_or(self.bytes.len(), |&start| start as usize)
    }

    /// The line, from 1, that holds this byte offset.
    pub fn line_of(&self, offset: usize) -> u32 {
        self.line_starts().partition_point(|&start| start as usize <= offset) as u32
    }

    /// Line and column of a byte offset; an offset past the end is taken as the end.
    pub fn line_col(&self, offset: usize) -> LineCol {
        let offset = offset.min(self.bytes.len());
        let line = self.line_of(offset);
        let before = &self.bytes[self.line_start(line)..offset];
        let col = before.utf8_chunks().map(|c| c.valid().chars().count() + c.invalid().len()).sum::<usize>();
        LineCol { line, col: col as u32 + 1 }
    }

    /// The bytes of a line (from 1), without its line end.
    pub fn line(&self, line: u32) -> &[u8] {
        let text = &self.bytes[self.line_start(line)..self.line_start(line + 1)];
        let text = text.strip_suffix(b"\n").unwrap_or(text);
        text.strip_suffix(b"\r").unwrap_or(text)
    }
}

/// All files of one run. Files are only ever added.
#[derive(Clone, Debug, Default)]
pub struct SourceMap {
    files: Vec<SourceFile>,
}

impl SourceMap {
    /// A map without files.
    pub fn new() -> SourceMap {
        SourceMap::default()
    }

    /// Adds a file. Two files may have the same name.
    pub fn add(&mut self, name: impl Into<String>, bytes: impl Into<Arc<[u8]>>) -> FileId {
        let id = FileId(self.files.len() as u32);
        self.files.push(SourceFile { name: name.into(), bytes: bytes.into(), line_starts: OnceLock::new() });
        id
    }

    /// The file of that id; `None` for an id of another map.
    pub fn get(&self, id: FileId) -> Option<&SourceFile> {
        self.files.get(id.0 as usize)
    }

    /// All files with their ids, in the order in which they were added.
    pub fn iter(&self) -> impl Iterator<Item = (FileId, &SourceFile)> {
        self.files.iter().enumerate().map(|(i, f)| (FileId(i as u32), f))
    }

    /// The bytes of a span; empty when the span does not lie in its file.
    pub fn slice(&self, span: Span) -> &[u8] {
        self.get(span.file).and_then(|f| f.bytes.get(span.start as usize..span.end as usize)).unwrap_or(&[])
    }

    /// `name:line:col` of the start of a span.
    pub fn location(&self, span: Span) -> String {
        let Some(file) = self.get(span.file) else { return "<unknown>".to_owned() };
        let LineCol { line, col } = file.line_col(span.start as usize);
        format!("{}:{line}:{col}", file.name)
    }
}
