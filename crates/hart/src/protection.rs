//! Physical memory protection (PMP): sixteen regions of physical addresses with rights, in the registers `pmpcfg*` and
//! `pmpaddr*`, as volume II of the manual has it, with a grain of 4 bytes.
//!
//! Invariant: an access has the rights of the first region that has any of its bytes; one that has not all of them refuses it.
//! Where no region has any, the machine level may do all and the others nothing, once a program has written a
//! configuration. Before that there is no protection, so that a program that knows none runs at every level.

use crate::cause::Level;

/// How many regions there are.
pub(crate) const REGIONS: usize = 16;

/// A region cannot be changed and also holds for the machine level.
const LOCK: u8 = 1 << 7;
/// What can be written of a configuration.
const WRITABLE: u8 = 0x9f;
/// Bits of an address register on RV64: 56 bits of physical address without the lowest two.
const ADDRESS: u64 = (1 << 54) - 1;

/// What an access does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Access {
    Fetch,
    Load,
    Store,
}

impl Access {
    /// Its bit among the rights of a region: read, write, execute.
    fn right(self) -> u8 {
        match self {
            Access::Load => 1,
            Access::Store => 2,
            Access::Fetch => 4,
        }
    }
}

/// The registers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Protection {
    configs: [u8; REGIONS],
    addresses: [u64; REGIONS],
    /// A program has written a configuration.
    pub(crate) is_used: bool,
}

impl Protection {
    pub(crate) fn new() -> Protection {
        Protection { configs: [0; REGIONS], addresses: [0; REGIONS], is_used: false }
    }

    /// A register by its number, if it is one of these; those of regions that there are not are 0.
    pub(crate) fn read(&self, number: u16, xlen: u32) -> Option<u64> {
        match number {
            0x3a0..=0x3af => {
                let first = Protection::first(number, xlen)?;
                let each = (0..xlen as usize / 8).map(|n| u64::from(self.config(first + n)) << (8 * n));
                Some(each.sum())
            }
            0x3b0..=0x3ef => Some(self.addresses.get(usize::from(number - 0x3b0)).copied().unwrap_or(0)),
            _ => None,
        }
    }

    /// The first region of a configuration register. On RV64 those with odd numbers do not exist.
    fn first(number: u16, xlen: u32) -> Option<usize> {
        (xlen == 32 || number & 1 == 0).then_some(usize::from(number - 0x3a0) * 4)
    }

    /// Writes a register; `None` if it is not one of these. What is locked stays.
    pub(crate) fn write(&mut self, number: u16, xlen: u32, value: u64) -> Option<()> {
        match number {
            0x3a0..=0x3af => {
                let first = Protection::first(number, xlen)?;
                for n in 0..xlen as usize / 8 {
                    let new = (value >> (8 * n)) as u8 & WRITABLE;
                    // To write but not to read is reserved.
                    let new = if new & 3 == 2 { new & !2 } else { new };
                    if let Some(config) = self.configs.get_mut(first + n)
                        && *config & LOCK == 0
                    {
                        *config = new;
                    }
                }
                self.is_used = true;
                Some(())
            }
            0x3b0..=0x3ef => {
                let n = usize::from(number - 0x3b0);
                // A locked region that begins where this one ends holds it, too.
                let next = self.config(n + 1);
                let is_locked = self.config(n) & LOCK != 0 || next & LOCK != 0 && next >> 3 & 3 == 1;
                if let Some(address) = self.addresses.get_mut(n)
                    && !is_locked
                {
                    *address = value & ADDRESS;
                }
                Some(())
            }
            _ => None,
        }
    }

    fn config(&self, region: usize) -> u8 {
        self.configs.get(region).copied().unwrap_or(0)
    }

    /// The first address of a region and the one after its last; they are equal if it is off.
    fn range(&self, region: usize) -> (u128, u128) {
        let address = |n: usize| u128::from(self.addresses.get(n).copied().unwrap_or(0));
        let here = address(region);
        match self.config(region) >> 3 & 3 {
            1 => (region.checked_sub(1).map_or(0, address) << 2, here << 2),
            2 => (here << 2, (here + 1) << 2),
            3 => {
                let ones = here.trailing_ones();
                let first = here >> ones << ones;
                (first << 2, (first + (1 << (ones + 1))) << 2)
            }
            _ => (0, 0),
        }
    }

    /// Whether an access to so many bytes is allowed.
    pub(crate) fn allows(&self, level: Level, access: Access, at: u64, length: u64) -> bool {
        if !self.is_used {
            return true;
        }
        let (first, end) = (u128::from(at), u128::from(at) + u128::from(length));
        for region in 0..REGIONS {
            let (from, to) = self.range(region);
            if from >= end || to <= first || from >= to {
                continue;
            }
            let config = self.config(region);
            let is_free = level == Level::Mach && config & LOCK == 0;
            return from <= first && end <= to && (is_free || config & access.right() != 0);
        }
        level == Level::Mach
    }

    /// Whether all parts of these bytes have the same rights, so that one question answers for all.
    pub(crate) fn is_uniform(&self, at: u64, length: u64) -> bool {
        let (first, end) = (u128::from(at), u128::from(at) + u128::from(length));
        let cuts = |border: u128| first < border && border < end;
        !self.is_used || (0..REGIONS).map(|n| self.range(n)).all(|(from, to)| from >= to || !cuts(from) && !cuts(to))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn regions_have_the_addresses_of_the_manual() {
        let mut p = Protection::new();
        assert!(p.allows(Level::User, Access::Store, 0, 8), "not used yet");
        for (number, value) in [(0x3b0, 0x8000_0000 >> 2), (0x3b1, 0x8000_1000 >> 2), (0x3b2, 0x9000_0000 >> 2 | 0x1ff)]
        {
            p.write(number, 64, value);
        }
        // Off; from the address before, read and execute; a power of two, read; four bytes.
        p.write(0x3a0, 64, 0x11_19_0d_00);
        assert_eq!(p.range(0), (0, 0));
        assert_eq!(p.range(1), (0x8000_0000, 0x8000_1000));
        assert_eq!(p.range(2), (0x9000_0000, 0x9000_1000));
        assert_eq!(p.range(3), (0, 4));
        let user = |access, at, length| p.allows(Level::User, access, at, length);
        assert!(user(Access::Fetch, 0x8000_0ffc, 4) && user(Access::Load, 0x8000_0000, 8));
        assert!(!user(Access::Store, 0x8000_0000, 1) && !user(Access::Load, 0x8000_0ffc, 8));
        assert!(user(Access::Load, 0x9000_0fff, 1) && !user(Access::Fetch, 0x9000_0000, 4));
        assert!(!user(Access::Load, 0xa000_0000, 1) && p.allows(Level::Mach, Access::Store, 0x8000_0000, 1));
        assert!(p.is_uniform(0x8000_0000, 4096) && !p.is_uniform(0, 4096) && !p.is_uniform(0x8000_0800, 4096));
    }

    #[test]
    fn locks_hold_until_reset() {
        let mut p = Protection::new();
        p.write(0x3b0, 64, 0x100);
        p.write(0x3b1, 64, 0x200);
        // The second region begins at the first address and is locked.
        p.write(0x3a0, 64, 0x89 << 8);
        for number in [0x3b0, 0x3b1] {
            let before = p.read(number, 64);
            p.write(number, 64, 7);
            assert_eq!(p.read(number, 64), before, "{number:#x}");
        }
        p.write(0x3a0, 64, 0);
        assert_eq!(p.read(0x3a0, 64), Some(0x8900));
        assert!(!p.allows(Level::Mach, Access::Store, 0x400, 4) && p.allows(Level::Mach, Access::Load, 0x400, 4));
        // To write without reading is reserved.
        p.write(0x3a2, 64, 0x1a);
        assert_eq!((p.read(0x3a2, 64), p.read(0x3a1, 64), p.read(0x3a1, 32)), (Some(0x18), None, Some(0)));
    }
}
