//! Instructions about whole blocks of a cache, and jumps by a table.
//!
//! The problem: both look at memory in ways that loads and stores do not, and both may be forbidden. There is no cache, so that
//! cleaning, flushing and invalidating change nothing; but they trap where they have to, and zeroing a block writes zeros.
//! `menvcfg` decides for what is below the machine level, `henvcfg` for guests, and `senvcfg` for users too.

use crate::csr::{CBCFE, CBIE, CBZE, JVT, MENVCFG, SENVCFG};
use crate::hypervisor::HENVCFG;
use crate::machine::{Cause, Fault, Level, Machine};

/// What `cache_block` is asked for: the numbers are those in the instructions.
const INVALIDATE: u8 = 0;
const ZERO: u8 = 4;

/// The bits of the table's address that say of what kind the table is.
const KIND: u64 = 0x3f;

impl Machine {
    pub(crate) fn not_for_users(&mut self) -> Result<(), Fault> {
        if self.level == Level::User { Err(self.refused()) } else { Ok(()) }
    }

    /// Whether a register of the environment lets a level do it.
    fn allows(&self, register: u16, kind: u8) -> bool {
        let value = self.csrs.kept(register);
        match kind {
            INVALIDATE => matches!(value >> CBIE & 3, 1 | 3),
            ZERO => value >> CBZE & 1 == 1,
            _ => value >> CBCFE & 1 == 1,
        }
    }

    pub(crate) fn cache_block(&mut self, kind: u8, address: u64) -> Result<(), Fault> {
        let below = self.level < Level::Mach;
        let user = self.level == Level::User && self.csrs.has(Level::Super);
        if below && !self.allows(MENVCFG, kind) {
            return Err(Fault::new(Cause::Illegal, 0));
        }
        let guest = self.csrs.is_guest(self.level);
        if guest && !self.allows(HENVCFG, kind) || user && !self.allows(SENVCFG, kind) {
            return Err(self.refused());
        }
        let first = address & !(self.cache_block - 1);
        if kind != ZERO {
            // It needs the right to load or to store.
            let there = self.memory.load::<1>(address);
            return there.map(|_| ()).map_err(|f| {
                let cause = match f.cause {
                    Cause::LoadPage => Cause::StorePage,
                    Cause::LoadGuestPage => Cause::StoreGuestPage,
                    _ => Cause::StoreAccess,
                };
                Fault { cause, value: address, ..f }
            });
        }
        for at in (0..self.cache_block).step_by(8) {
            let stored = self.memory.store(first.wrapping_add(at), [0; 8]);
            stored.map_err(|f| if f.is_alone { f } else { Fault { value: address, ..f } })?;
        }
        Ok(())
    }

    pub(crate) fn table_jump(&mut self, number: u8) -> Result<u64, Fault> {
        let table = self.csrs.kept(JVT);
        if table & KIND != 0 {
            return Err(Fault::new(Cause::Illegal, 0));
        }
        let at = self.cut((table & !KIND).wrapping_add(u64::from(number) * u64::from(self.xlen / 8)));
        let entry = if self.xlen == 64 { self.load64(at) } else { self.load32(at).map(u64::from) };
        let entry = entry.map_err(|f| {
            let cause = match f.cause {
                Cause::LoadPage => Cause::InstructionPage,
                Cause::LoadGuestPage => Cause::InstructionGuestPage,
                _ => Cause::InstructionAccess,
            };
            Fault::new(cause, f.value)
        })?;
        Ok(entry & !1)
    }
}
