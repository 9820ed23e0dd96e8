//! Every bound of this crate, by name.

/// What tables of quick programs may take: bits that pick, and costs in entries of tables.
#[derive(Clone, Copy, Debug)]
pub struct Layout {
    /// The most bits that pick a text from a table of finished ones, for a step alone.
    pub pick_bits: u32,
    /// The most bits for several steps together.
    pub merge_bits: u32,
    /// The most bits for steps together with a mnemonic.
    pub merge_text_bits: u32,
    /// What a step costs that picks a text from a table.
    pub pick_cost: u64,
    /// What a step costs that copies a fixed text.
    pub text_cost: u64,
    /// The most bits that decide in a table where a program continues.
    pub jump_bits: u32,
    /// Texts that are needed to read an instruction are kept.
    pub needs: bool,
}

/// As few steps as there can be.
pub const FAST: Layout = Layout {
    pick_bits: 10,
    merge_bits: 8,
    merge_text_bits: 4,
    pick_cost: 1 << 16,
    text_cost: 1 << 14,
    jump_bits: 10,
    needs: true,
};

/// Small tables: a step costs about what its tables do.
pub const SMALL: Layout =
    Layout { pick_bits: 8, merge_bits: 5, merge_text_bits: 2, pick_cost: 16, text_cost: 8, jump_bits: 8, needs: true };

/// The most texts of which an instruction's must contain one, for the assembler.
pub const MAX_NEEDS: usize = 8;

/// The longest text of a table, in bytes.
pub const MAX_TEXT: usize = 255;

/// The most bytes of texts, so that their places fit an entry.
pub const MAX_POOL: usize = 1 << 24;

/// The widest instruction that code is generated for, in bits.
pub const MAX_WIDTH: u32 = 1 << 12;

/// The most fields and nodes of one expression that generated code can evaluate.
pub const MAX_NODES: usize = 1 << 12;
