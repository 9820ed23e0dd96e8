//! Places in the text. A [`Loc`] is one word: the number of a byte in all buffers laid end to end. A file that is
//! included twice is two buffers over the same bytes, because the chain of includes is part of a message.

use isaglot_source::{FileId, SourceMap, Span};

/// A place in some file; [`Loc::NONE`] is nowhere.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Loc(pub(crate) u32);

impl Loc {
    /// No place.
    pub const NONE: Loc = Loc(0);
}

/// One opening of one file.
#[derive(Clone, Copy, Debug)]
pub struct Buffer {
    /// The file.
    pub file: FileId,
    /// Where it was included from; [`Loc::NONE`] for the input itself.
    pub included_from: Loc,
    start: u32,
    len: u32,
}

/// All buffers of a run, and the files under them.
#[derive(Debug, Default)]
pub struct Places {
    /// The files.
    pub files: SourceMap,
    buffers: Vec<Buffer>,
    end: u32,
}

impl Places {
    /// Opens a file; `None` when all of it together would be too much.
    pub(crate) fn open(&mut self, file: FileId, included_from: Loc) -> Option<(usize, Loc)> {
        let len = u32::try_from(self.files.get(file)?.bytes.len()).ok()?;
        let start = self.end.checked_add(1)?;
        self.end = start.checked_add(len)?;
        if self.end as usize > crate::limits::MAX_SOURCE_BYTES || self.buffers.len() >= crate::limits::MAX_BUFFERS {
            return None;
        }
        self.buffers.push(Buffer { file, included_from, start, len });
        Some((self.buffers.len() - 1, Loc(start)))
    }

    /// The buffer that holds a place, and the offset in it.
    pub fn buffer(&self, loc: Loc) -> Option<(&Buffer, usize)> {
        if loc == Loc::NONE {
            return None;
        }
        let after = self.buffers.partition_point(|b| b.start <= loc.0);
        let buffer = self.buffers.get(after.checked_sub(1)?)?;
        let offset = (loc.0 - buffer.start) as usize;
        (offset <= buffer.len as usize).then_some((buffer, offset))
    }

    /// File name, line and column, both from 1; the column counts bytes.
    pub fn line_col(&self, loc: Loc) -> Option<(&str, u32, u32)> {
        let (buffer, offset) = self.buffer(loc)?;
        let file = self.files.get(buffer.file)?;
        let line = file.line_of(offset);
        Some((&file.name, line, (offset - file.line_start(line)) as u32 + 1))
    }

    /// The same of the beginning of a span.
    pub fn line_col_of(&self, span: Span) -> Option<(&str, u32, u32)> {
        let file = self.files.get(span.file)?;
        let line = file.line_of(span.start as usize);
        Some((&file.name, line, (span.start as usize).saturating_sub(file.line_start(line)) as u32 + 1))
    }

    /// The span of the word at a place, for editors and snippets.
    pub fn span(&self, loc: Loc) -> Option<Span> {
        let (buffer, offset) = self.buffer(loc)?;
        let bytes = self.files.get(buffer.file)?.bytes.get(offset..)?;
        let is_word = |b: &u8| b.is_ascii_alphanumeric() || *b == b'_';
        let word = bytes.iter().take_while(|b| is_word(b)).count();
        Some(Span::new(buffer.file, offset, offset + word.max(usize::from(!bytes.is_empty()))))
    }
}
