//! The fixed bits of every instruction: the table that emitters begin with.

use isaglot_tablegen::{Bit, Records, Value};

/// An instruction with the bits that its record fixes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InstBits {
    /// The name of its record.
    pub name: String,
    /// Width of `Inst` in bits.
    pub width: u32,
    /// The bits that are 1, 64 to a word, the least significant word first.
    pub value: Vec<u64>,
    /// The bits that are 0 or 1.
    pub known: Vec<u64>,
}

/// All instructions that have an `Inst` of bits, but for pseudo-instructions, in LLVM's order of names.
pub fn inst_bits(records: &Records) -> Vec<InstBits> {
    let mut list = Vec::new();
    for def in records.defs_of("Instruction") {
        if def.bit("isPseudo").unwrap_or(false) || super::registers::text(def, "Namespace") == "TargetOpcode" {
            continue;
        }
        let Some(Value::Bits(bits)) = def.get("Inst") else { continue };
        let words = bits.width().div_ceil(64) as usize;
        let (mut value, mut known) = (vec![0u64; words], vec![0u64; words]);
        for (at, bit) in bits.iter().enumerate() {
            let one = 1u64 << (at % 64);
            let (Some(value), Some(known)) = (value.get_mut(at / 64), known.get_mut(at / 64)) else { break };
            match bit {
                Bit::One => (*value, *known) = (*value | one, *known | one),
                Bit::Zero => *known |= one,
                _ => {}
            }
        }
        list.push(InstBits { name: def.name().into_owned(), width: bits.width(), value, known });
    }
    list
}
