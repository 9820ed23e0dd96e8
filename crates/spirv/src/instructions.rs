//! The instructions of a module, without copying and without a grammar.

/// One instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Instruction<'w> {
    /// Index of its first word in the module.
    pub offset: usize,
    /// Opcode.
    pub opcode: u16,
    /// Its words, the first one included.
    pub words: &'w [u32],
}

impl<'w> Instruction<'w> {
    /// The words after the first.
    pub fn operands(&self) -> &'w [u32] {
        self.words.get(1..).unwrap_or(&[])
    }
}

/// Walks over the instructions of a module. A word that cannot begin an instruction (its count is 0 or runs past the
/// end) is given alone, so that the walk always ends and covers everything.
///
/// ```
/// use isaglot_spirv::instructions::Instructions;
///
/// let words = [0x0723_0203, 0x0001_0000, 0, 2, 0, 0x0002_0013, 1, 0x0001_0000];
/// let opcodes: Vec<u16> = Instructions::new(&words).map(|i| i.opcode).collect();
/// assert_eq!(opcodes, [19, 0]);
/// ```
#[derive(Clone, Debug)]
pub struct Instructions<'w> {
    words: &'w [u32],
    at: usize,
}

impl<'w> Instructions<'w> {
    /// The instructions after the header of a module in the machine's byte order.
    pub fn new(module: &'w [u32]) -> Instructions<'w> {
        Instructions::from(module, 5)
    }

    /// Those from a word on at which one begins.
    pub(crate) fn from(module: &'w [u32], at: usize) -> Instructions<'w> {
        Instructions { words: module, at }
    }
}

impl<'w> Iterator for Instructions<'w> {
    type Item = Instruction<'w>;

    fn next(&mut self) -> Option<Instruction<'w>> {
        let offset = self.at;
        let first = *self.words.get(offset)?;
        let count = (first >> 16) as usize;
        let whole = self.words.get(offset..offset + count).filter(|w| !w.is_empty());
        let words = whole.or_else(|| self.words.get(offset..=offset))?;
        self.at += words.len();
        Some(Instruction { offset, opcode: first as u16, words })
    }
}
