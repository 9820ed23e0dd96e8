//! Interface numbers: how wide they are, how the 20-bit ones sit among the 52-bit ones, and how a name gives one.
//!
//! A number is `XLEN - 12` bits wide. On RV64 `lui` sign-extends, so a 20-bit number stands for its sign extension to
//! 52 bits (R6). The upper half of either space belongs to numbers hashed from the name (1.8.1).

use isaglot_riscv::Xlen;
use sha2::{Digest, Sha256};

use crate::limits;

/// Bits of an interface number, and of the data beside a logical unit number in a handle.
pub fn bits(xlen: Xlen) -> u32 {
    xlen.bits() - 12
}

/// The largest interface number.
pub fn max(xlen: Xlen) -> u64 {
    (1 << bits(xlen)) - 1
}

/// The largest number that `lui` takes.
pub const MAX_NARROW: u64 = 0xf_ffff;

/// The three fallback interfaces, in the order of their numbers, which are also their logical unit numbers (1.6).
pub const FALLBACK: [&str; 3] =
    ["org.RiscV:Fallback:Trap", "org.RiscV:Fallback:ReturnZero", "org.RiscV:Fallback:ReturnMinusOne"];

/// The number that a register holds for the number `uuid` as written in a definition: on RV64 a 20-bit one is
/// sign-extended from bit 19 to 52 bits.
///
/// ```
/// use isaglot_riscv::Xlen;
/// use isaglot_xintf::uuid::embed;
/// assert_eq!(embed(0xABCDE, Xlen::Rv64), 0xF_FFFF_FFFA_BCDE);
/// assert_eq!(embed(0x12345, Xlen::Rv64), 0x12345);
/// ```
pub fn embed(uuid: u64, xlen: Xlen) -> u64 {
    if uuid <= MAX_NARROW && uuid & 0x8_0000 != 0 { (uuid | !MAX_NARROW) & max(xlen) } else { uuid }
}

/// The inverse of [`embed`]: the 20-bit form of a 52-bit number that has one, else the number itself.
pub fn narrow(uuid: u64, xlen: Xlen) -> u64 {
    let low = uuid & MAX_NARROW;
    if embed(low, xlen) == uuid { low } else { uuid }
}

/// The register value that names device `dev` of interface `uuid` (as written): `uuid << 12 | dev`.
pub fn id_word(uuid: u64, dev: u64, xlen: Xlen) -> u64 {
    let word = embed(uuid, xlen) << 12 | dev & limits::MAX_UNIT;
    if xlen == Xlen::Rv32 { word & 0xffff_ffff } else { word }
}

fn digest(name: &str) -> u64 {
    let bytes = Sha256::digest(name.as_bytes());
    bytes.iter().take(8).fold(0, |n, &b| n << 8 | u64::from(b))
}

/// What is hashed for the `n`-th re-hash of a name: the name itself, then `name#1`, `name#2`, …
pub fn rehash_name(name: &str, n: u32) -> String {
    if n == 0 { name.to_owned() } else { format!("{name}#{n}") }
}

/// The 20-bit number hashed from a name: bit 19, then the top 19 bits of the name's SHA-256.
///
/// ```
/// use isaglot_xintf::uuid;
/// assert_eq!(uuid::hash20("org.tinker.tinker:Jazz"), 0xF8B0D);
/// ```
pub fn hash20(name: &str) -> u64 {
    0x8_0000 | digest(name) >> 45
}

/// The 52-bit number hashed from a name: bit 51, then the top 51 bits of the name's SHA-256.
pub fn hash52(name: &str) -> u64 {
    0x8_0000_0000_0000 | digest(name) >> 13
}
