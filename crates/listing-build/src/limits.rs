//! Every bound of this crate.

/// Registers that one operand of an instruction may name, whatever an expression says of their number.
pub const MAX_OPERAND_REGISTERS: u32 = 256;
