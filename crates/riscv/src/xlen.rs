//! The width of integer registers, which decides between the two base instruction sets.

/// The width of an integer register.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Xlen {
    /// RV32: 32 bits.
    Rv32,
    /// RV64: 64 bits.
    Rv64,
}

impl Xlen {
    /// Bits of a register.
    pub fn bits(self) -> u32 {
        match self {
            Xlen::Rv32 => 32,
            Xlen::Rv64 => 64,
        }
    }

    /// The largest value of a register.
    pub fn max(self) -> u64 {
        u64::MAX >> (64 - self.bits())
    }

    /// The register width of that many bits.
    pub fn from_bits(bits: u64) -> Option<Xlen> {
        match bits {
            32 => Some(Xlen::Rv32),
            64 => Some(Xlen::Rv64),
            _ => None,
        }
    }

    /// The register width of a number of bits or a gen of `specs/riscv`, which are the same: RV32 for 32, RV64 for
    /// every other number.
    pub fn of(bits: u32) -> Xlen {
        if bits == 32 { Xlen::Rv32 } else { Xlen::Rv64 }
    }
}
