//! A hart of one step: 32 registers, 64 bytes of memory, `fcsr`.

use isaglot_bits::Word;
use isaglot_semantics::{ExternId, FileIndex, Machine, OperandIndex};

/// The address of the instruction.
pub(crate) const P: u64 = 0x2000_0000;
/// The address of the memory.
pub(crate) const M: u64 = 0x1000_0000;

/// A state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Hart {
    pub(crate) xlen: u32,
    pub(crate) x: [u64; 32],
    pub(crate) memory: Vec<u8>,
    pub(crate) fcsr: u64,
    /// Where execution goes on.
    pub(crate) pc: u64,
    /// The fields of the instruction.
    pub(crate) fields: Vec<u64>,
    /// Bytes of the instruction.
    pub(crate) size: u64,
}

impl Hart {
    fn word(&self, value: u64) -> Word {
        Word::from_u64(value, self.xlen)
    }

    fn place(&self, address: &Word, bytes: usize) -> Result<usize, String> {
        let at = address.low_u64().wrapping_sub(M) as usize;
        if at.saturating_add(bytes) <= self.memory.len() {
            Ok(at)
        } else {
            Err(format!("no memory at {:#x}", address.low_u64()))
        }
    }

    fn csr(&self, number: u64) -> Result<(u32, u64), String> {
        match number {
            1 => Ok((0, 0x1f)),
            2 => Ok((5, 7)),
            3 => Ok((0, 0xff)),
            _ => Err(format!("no register {number:#x}")),
        }
    }
}

impl Machine for Hart {
    type Trap = String;
    fn pc(&self) -> Word {
        self.word(P)
    }
    fn next_pc(&self) -> Word {
        self.word(P + self.size)
    }
    fn set_pc(&mut self, target: Word) -> Result<(), String> {
        self.pc = target.low_u64();
        Ok(())
    }
    fn immediate(&self, operand: OperandIndex, width: u32) -> Word {
        Word::from_u64(self.fields[operand.0 as usize], width)
    }
    fn register_number(&self, operand: OperandIndex) -> u32 {
        self.fields[operand.0 as usize] as u32
    }
    fn register(&self, _: FileIndex, number: u32, width: u32) -> Word {
        Word::from_u64(self.x.get(number as usize).copied().unwrap_or(0), width)
    }
    fn set_register(&mut self, _: FileIndex, number: u32, value: Word) {
        if (1..32).contains(&number) {
            self.x[number as usize] = value.low_u64();
        }
    }
    fn load(&mut self, address: Word, bits: u32) -> Result<Word, String> {
        let (at, bytes) = (self.place(&address, bits as usize / 8)?, bits as usize / 8);
        Ok(Word::from_le_bytes(&self.memory[at..at + bytes], bits))
    }
    fn store(&mut self, address: Word, value: Word) -> Result<(), String> {
        let bytes: Vec<u8> = value.le_bytes().collect();
        let at = self.place(&address, bytes.len())?;
        self.memory[at..at + bytes.len()].copy_from_slice(&bytes);
        Ok(())
    }
    fn call(&mut self, callee: ExternId, args: &[Word]) -> Result<Option<Word>, String> {
        let number = args.first().map_or(0, Word::low_u64);
        let (shift, mask) = self.csr(number)?;
        match callee.0 {
            0 => Ok(Some(self.word(self.fcsr >> shift & mask))),
            1 => {
                let value = args[1].low_u64() & mask;
                self.fcsr = self.fcsr & !(mask << shift) | value << shift;
                Ok(None)
            }
            n => Err(format!("extern {n}")),
        }
    }
    fn trap(&mut self, cause: &str, _: &[Word]) -> String {
        cause.to_owned()
    }
}
