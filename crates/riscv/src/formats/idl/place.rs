//! From a place in the text of a key to a place in the file.
//!
//! The text of a YAML block scalar is the file's without the indentation, so offsets differ from line to line. The first
//! byte's column is the indentation of all of them.

use isaglot_source::{FileId, SourceMap, Span};

/// Where a text is.
#[derive(Clone, Debug)]
pub struct Place {
    file: FileId,
    /// For each line of the text: its first byte there, and in the file.
    lines: Vec<(usize, usize)>,
}

impl Place {
    /// A text that is a whole file, or a piece of one line.
    pub fn plain(file: FileId, first: usize) -> Place {
        Place { file, lines: vec![(0, first)] }
    }

    /// A text whose first byte is at `first`, and whose other lines are those after it, without their indentation.
    pub fn of_block(files: &SourceMap, first: Span, text: &str) -> Place {
        let Some(file) = files.get(first.file) else { return Place::plain(first.file, first.start as usize) };
        let at = file.line_of(first.start as usize);
        let indent = first.start as usize - file.line_start(at);
        let mut lines = Vec::new();
        let mut inside = 0;
        for (n, line) in (0u32..).zip(text.split('\n')) {
            let start = file.line_start(at + n);
            let blanks = file.line(at + n).iter().take(indent).take_while(|b| **b == b' ').count();
            lines.push((inside, if n == 0 { first.start as usize } else { start + blanks }));
            inside += line.len() + 1;
        }
        Place { file: first.file, lines }
    }

    /// The place of `start..end` of the text.
    pub fn span(&self, start: usize, end: usize) -> Span {
        Span::new(self.file, self.at(start), self.at(end))
    }

    fn at(&self, offset: usize) -> usize {
        let line = self.lines.partition_point(|(inside, _)| *inside <= offset).saturating_sub(1);
        self.lines.get(line).map_or(offset, |(inside, file)| file + (offset - inside))
    }
}
