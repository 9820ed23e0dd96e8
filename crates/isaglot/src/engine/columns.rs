//! Many instructions as columns: what programs that look at millions of them want.
//!
//! Every column is one allocation that grows; nothing is allocated for an instruction. Texts lie one after the other, with the place
//! where each ends, which is how Arrow has strings.

/// Instructions of a run of bytes, one row each. Every column but the last two has as many rows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Columns {
    /// The byte offset of each instruction in the input.
    pub offset: Vec<u64>,
    /// How many bytes each has.
    pub size: Vec<u32>,
    /// The number of its encoding, a row of [`Engine::encodings`](crate::Engine::encodings); -1 for a word that is not a valid
    /// instruction.
    pub encoding: Vec<i32>,
    /// Where its text begins in `text`, in bytes. One more row than the others: the last one is where the last text ends.
    pub text_offset: Vec<u32>,
    /// The texts, UTF-8, one after the other. A word that is not a valid instruction has an empty one.
    pub text: Vec<u8>,
}

impl Columns {
    /// How many rows there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.offset.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.offset.is_empty()
    }

    /// The text of a row; empty for a row that is not there.
    #[must_use]
    pub fn text(&self, row: usize) -> &str {
        let end = |row: usize| self.text_offset.get(row).map(|&at| at as usize);
        let range = end(row).zip(end(row.saturating_add(1)));
        let bytes = range.and_then(|(from, to)| self.text.get(from..to)).unwrap_or_default();
        std::str::from_utf8(bytes).unwrap_or_default()
    }

    /// Removes all rows and keeps the memory.
    pub fn clear(&mut self) {
        *self = Columns {
            offset: emptied(&mut self.offset),
            size: emptied(&mut self.size),
            encoding: emptied(&mut self.encoding),
            text_offset: emptied(&mut self.text_offset),
            text: emptied(&mut self.text),
        };
    }
}

fn emptied<T>(column: &mut Vec<T>) -> Vec<T> {
    column.clear();
    std::mem::take(column)
}
