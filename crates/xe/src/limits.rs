//! Every bound of this crate. What a binary or a text makes is linear in its size; dataflow has the bounds of
//! `isaglot_listing::limits`.

/// Load/store descriptors whose meaning is kept. Programs repeat a few dozen.
pub const MAX_KNOWN_DESCRIPTORS: usize = 4096;

/// Parts of instructions whose text is kept; a power of two.
pub const KEPT_PARTS: usize = 8192;

/// The longest text of a part that is kept, in bytes: with the key it fills two lines of a cache. Hardly any is longer.
pub const KEPT_TEXT: usize = 96;

/// Shapes whose parts are kept. The codec may give the last of its numbers to several shapes.
pub const MAX_PLANS: usize = isaglot_codec::limits::MAX_SHAPES - 1;

/// Levels of parentheses and signs in an immediate.
pub const MAX_EXPRESSION_DEPTH: usize = 64;

/// Bytes of text that are made before they are handed on.
pub const TEXT_CHUNK: usize = 1 << 16;

/// Encoded parts of instructions that are kept; a power of two.
pub const KEPT_BITS: usize = 4096;

/// Operands whose text was read before; a power of two.
pub const KEPT_OPERANDS: usize = 8192;

/// Instructions whose whole line is kept, by text or by word; a power of two.
pub const KEPT_LINES: usize = 8192;

/// Words whose operation is kept, by the bits that decide about it; a power of two.
pub const KEPT_CLAIMS: usize = 1024;

/// Lines of which is known that they were met; a power of two.
pub const MET_LINES: usize = 32768;

/// Forms of whole lines that are kept, as text or as words; a power of two.
pub const KEPT_WHOLE: usize = 4096;

/// The longest line that is kept, in bytes. Hardly any is longer.
pub const KEPT_LINE: usize = 140;

/// Kernels of a file of which anything is said.
pub const MAX_KERNELS: usize = 1 << 16;

/// Steps of the checks of waits, for a program and for each of its instructions: an instruction counts once for itself and
/// once for each that may be in flight there. Programs of compilers take about 60 for each.
pub const LINT_STEPS: (u64, u64) = (1 << 20, 512);
