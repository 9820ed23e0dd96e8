//! Every bound of this crate, by name.

/// The most values that one `.fill` makes.
pub const MAX_FILL: i64 = 1 << 16;

/// Alignments are below 2 to the power of this.
pub const MAX_ALIGN: i64 = 16;

/// The largest file of a published format that is read.
pub const MAX_FORMAT_FILE_BYTES: usize = 16 << 20;

/// The longest file of YAML in bytes; the longest of the Unified Database has a tenth of it.
pub const YAML_FILE_BYTES: usize = 1 << 20;

/// How deep lists and mappings may nest in a file of YAML, and files inherit from each other; the database needs a third of it.
pub const YAML_DEPTH: usize = 48;

/// The most threads that parse files.
pub const THREADS: usize = 8;

/// The most nodes that the objects of a tree may inherit.
pub const INHERITED_NODES: usize = 1 << 18;

/// How many names a message lists.
pub const NAMES_IN_MESSAGE: usize = 8;

/// Terms that the search for an implementation that meets a condition looks at; then it is taken to exist.
pub const SATISFY_TERMS: usize = 1 << 20;

/// Extensions that the search decides; with more the implementation is taken to exist.
pub const SATISFY_EXTENSIONS: usize = 1 << 9;

/// The longest text in IDL, in bytes.
pub const MAX_IDL_TEXT: usize = 1 << 20;

/// The deepest nesting of expressions and blocks in IDL.
pub const MAX_IDL_DEPTH: usize = 64;

/// The widest value in IDL, in bits.
pub const MAX_IDL_WIDTH: u32 = 1024;

/// The most steps that lowering one text may take.
pub const MAX_IDL_STEPS: usize = 50_000;

/// The most values that lowering one text may make.
pub const MAX_IDL_VALUES: usize = 100_000;

/// The most rounds of one loop in IDL.
pub const MAX_IDL_ROUNDS: usize = 1024;

/// The most operators, indices and `else if` of one statement in IDL.
pub const MAX_IDL_OPERATORS: usize = 128;

/// The most effects of one text in IDL.
pub const MAX_IDL_EFFECTS: usize = 4096;

/// The most levels of statements and expressions inside one another that lowering follows, through calls too.
pub const MAX_IDL_LEVELS: usize = 160;

/// The most calls inside one another in IDL.
pub const MAX_IDL_CALLS: usize = 32;

/// The most lines of riscv-opcodes; it has half of that.
pub const OPCODES_LINES: usize = 4_000;

/// The most arguments of a line that equal others.
pub const EQUAL_ARGUMENTS: usize = 2;

/// Pairs of instructions with common words that are looked at.
pub const OVERLAPPING_PAIRS: usize = 5_000;
