//! The rows of the compiled tables: plain numbers and offsets, no pointers, so that the embedded grammar lies ready in
//! read-only memory and costs nothing at start.

/// A piece of the name text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Str {
    /// Byte offset.
    pub at: u32,
    /// Bytes.
    pub len: u32,
}

/// A run of operand items.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Program {
    /// Index of the first item.
    pub at: u32,
    /// Items.
    pub len: u32,
}

/// One item of an operand program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OperandRow {
    /// Operand kind: below [`FIRST_ENUM`] a plain kind, else an enum kind.
    pub kind: u8,
    /// [`ONE`], [`OPTIONAL`], [`REPEAT`] or [`PAIR`].
    pub quantifier: u8,
}

/// The operand occurs once.
pub const ONE: u8 = 0;
/// The operand may be missing.
pub const OPTIONAL: u8 = 1;
/// The operand may be missing or repeated.
pub const REPEAT: u8 = 2;
/// This item and the next one may be missing or repeated together.
pub const PAIR: u8 = 3;

/// Type of the result.
pub const ID_RESULT_TYPE: u8 = 0;
/// The result.
pub const ID_RESULT: u8 = 1;
/// Any id.
pub const ID_REF: u8 = 2;
/// Id of a scope.
pub const ID_SCOPE: u8 = 3;
/// Id of memory semantics.
pub const ID_SEMANTICS: u8 = 4;
/// Unsigned 32-bit number.
pub const LITERAL_INTEGER: u8 = 5;
/// String.
pub const LITERAL_STRING: u8 = 6;
/// 32-bit float.
pub const LITERAL_FLOAT: u8 = 7;
/// Number of the result's type.
pub const TYPED_NUMBER: u8 = 8;
/// Number of an extended instruction; its operands follow.
pub const EXT_INST: u8 = 9;
/// Opcode inside `OpSpecConstantOp`; its operands follow.
pub const SPEC_OP: u8 = 10;
/// Case label of `OpSwitch`, of the selector's type.
pub const CASE_LABEL: u8 = 11;
/// Id of an extended instruction import.
pub const EXT_SET: u8 = 12;
/// The first enum kind.
pub const FIRST_ENUM: u8 = 16;

/// An instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OpRow {
    /// Canonical name with `Op`.
    pub name: Str,
    /// Operands.
    pub program: Program,
    /// Opcode.
    pub opcode: u16,
    /// First core version 1.n; [`NEVER`] if none.
    pub since: u8,
    /// Last core version 1.n.
    pub last: u8,
    /// `HAS_…` and other bits.
    pub flags: u8,
}

impl OpRow {
    /// Which word of the instruction is its result.
    pub fn result_place(&self) -> Option<usize> {
        (self.flags & HAS_RESULT != 0).then_some(if self.flags & HAS_TYPE != 0 { 2 } else { 1 })
    }
}

/// No core version has it.
pub const NEVER: u8 = 255;
/// The instruction has a result id.
pub const HAS_RESULT: u8 = 1;
/// The instruction has a result type.
pub const HAS_TYPE: u8 = 2;
/// The result is a type.
pub const MAKES_TYPE: u8 = 4;
/// A capability or an extension enables it whatever the version.
pub const ENABLED: u8 = 8;
/// May stand inside `OpSpecConstantOp`.
pub const SPECIAL: u8 = 16;
/// A debug instruction (names, sources, lines, strings).
pub const DEBUG: u8 = 32;
/// A decoration.
pub const ANNOTATION: u8 = 64;

/// A named number: enumerant or extended instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ValueRow {
    /// Canonical name.
    pub name: Str,
    /// Value.
    pub value: u32,
    /// Parameters or operands.
    pub program: Program,
}

/// A spelling: canonical or alias.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NameRow {
    /// The spelling.
    pub name: Str,
    /// Enum kind or set; 0 for opcodes.
    pub group: u8,
    /// Row that it names.
    pub row: u16,
}

/// An enum kind or an extended set: a run of [`ValueRow`]s by value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GroupRow {
    /// Grammar name of a kind, import name of a set.
    pub name: Str,
    /// What messages call a kind.
    pub phrase: Str,
    /// First value row.
    pub at: u32,
    /// Value rows.
    pub len: u32,
    /// `MASK`, `OPEN`, `PREFIX`, `OFF`.
    pub flags: u8,
}

/// A kind whose values are or-ed.
pub const MASK: u8 = 1;
/// A non-semantic set.
pub const OPEN: u8 = 2;
/// The set is chosen by the beginning of the import name.
pub const PREFIX: u8 = 4;
/// The set is never chosen.
pub const OFF: u8 = 8;

/// A generator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VendorRow {
    /// Vendor and tool.
    pub text: Str,
    /// Number.
    pub number: u16,
}

/// Where a spelling's probe sequence begins in a table of `1 << bits` slots. Names differ mostly in their first and
/// last eight bytes and in length; what still collides is told apart by comparison.
#[inline]
pub fn hash(name: &[u8], group: u8, bits: u32) -> usize {
    let (a, b) = match (name.first_chunk::<8>(), name.last_chunk::<8>()) {
        (Some(first), Some(last)) => (u64::from_le_bytes(*first), u64::from_le_bytes(*last)),
        _ => {
            let mut a = 0u64;
            for &byte in name {
                a = a << 8 | u64::from(byte);
            }
            (a, 0)
        }
    };
    let mixed = (a ^ (name.len() as u64) << 56).wrapping_mul(0x9e37_79b9_7f4a_7c15)
        ^ (b ^ u64::from(group) << 48).wrapping_mul(0xc2b2_ae3d_27d4_eb4f).rotate_left(29);
    (mixed.wrapping_mul(0xff51_afd7_ed55_8ccd) >> (64 - bits)) as usize
}
