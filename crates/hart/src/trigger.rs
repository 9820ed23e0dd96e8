//! Triggers of the debug specification, as a program uses them on itself: `tselect`, `tdata1` of type 2 (`mcontrol`), `tdata2`, `tcontrol`.
//!
//! A trigger fires before a fetch, load or store whose address it matches, with a breakpoint exception. At the machine level it does so
//! only while MTE of `tcontrol` is 1, which a trap to that level clears, so that a handler is not hit by the trigger that it handles. All of
//! that begins when a program first writes `tcontrol`: for one that does not know it MTE stays 1, as on machines without it.

use crate::cause::Level;
use crate::protection::Access;

/// How many there are.
const TRIGGERS: usize = 4;
/// `tdata1` that says type 2, in the highest four bits.
const TYPE: u64 = 2;
/// Of `tcontrol`: triggers fire at the machine level (MTE), and whether they did before the last trap to it (MPTE).
const MTE: u64 = 1 << 3;
const MPTE: u64 = 1 << 7;
/// What can be written of `tdata1`: load, store, execute, the levels, and how addresses are compared.
const WRITABLE: u64 = 0x7 | 0x58 | 0xf << 7;

/// The registers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Triggers {
    selected: usize,
    control: [u64; TRIGGERS],
    address: [u64; TRIGGERS],
    tcontrol: u64,
    /// The program has written `tcontrol`.
    is_controlled: bool,
}

/// Addresses at which accesses of some kinds trap, the first and the last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Armed {
    kinds: u64,
    first: u64,
    last: u64,
}

impl Armed {
    /// Whether it fires at an access to these bytes.
    pub(crate) fn fires(&self, access: Access, at: u64, length: u64) -> bool {
        let bit = match access {
            Access::Load => 0,
            Access::Store => 1,
            Access::Fetch => 2,
        };
        self.kinds >> bit & 1 == 1 && at <= self.last && at.saturating_add(length - 1) >= self.first
    }

    /// Whether it can fire at a load or store of these bytes.
    pub(crate) fn watches(&self, at: u64, length: u64) -> bool {
        self.fires(Access::Load, at, length) || self.fires(Access::Store, at, length)
    }

    /// Whether it can fire at a fetch.
    pub(crate) fn is_for_code(&self) -> bool {
        self.kinds & 4 != 0
    }
}

impl Triggers {
    pub(crate) fn new() -> Triggers {
        Triggers { selected: 0, control: [0; TRIGGERS], address: [0; TRIGGERS], tcontrol: MTE, is_controlled: false }
    }

    /// A register by its number, if it is one of these.
    pub(crate) fn read(&self, number: u16, xlen: u32) -> Option<u64> {
        let of = |all: &[u64; TRIGGERS]| all.get(self.selected).copied().unwrap_or(0);
        match number {
            0x7a0 => Some(self.selected as u64),
            0x7a1 => Some(TYPE << (xlen - 4) | of(&self.control)),
            0x7a2 => Some(of(&self.address)),
            0x7a3 => Some(0),
            // The types that this trigger can have.
            0x7a4 => Some(1 << TYPE),
            0x7a5 => Some(self.tcontrol),
            _ => None,
        }
    }

    /// Writes a register; `None` if it is not one of these.
    pub(crate) fn write(&mut self, number: u16, value: u64) -> Option<()> {
        let selected = self.selected;
        match number {
            // One that there is not cannot be selected.
            0x7a0 => self.selected = usize::try_from(value).ok().filter(|&n| n < TRIGGERS).unwrap_or(selected),
            0x7a1 => {
                if let Some(place) = self.control.get_mut(selected) {
                    let compare = value >> 7 & 0xf;
                    *place = value & WRITABLE & if compare < 4 { !0 } else { !(0xf << 7) };
                }
            }
            0x7a2 => self.address.get_mut(selected).into_iter().for_each(|place| *place = value),
            0x7a3 | 0x7a4 => {}
            0x7a5 => (self.tcontrol, self.is_controlled) = (value & (MTE | MPTE), true),
            _ => return None,
        }
        Some(())
    }

    /// A trap goes to the machine level.
    pub(crate) fn enter(&mut self) {
        if self.is_controlled {
            self.tcontrol = (self.tcontrol & MTE) * (MPTE / MTE);
        }
    }

    /// A handler of the machine level returns.
    pub(crate) fn leave(&mut self) {
        if self.is_controlled {
            let before = self.tcontrol & MPTE;
            self.tcontrol = before | (before / (MPTE / MTE));
        }
    }

    /// What can fire at a level.
    pub(crate) fn armed(&self, level: Level) -> Vec<Armed> {
        let bit = match level {
            Level::Mach => 6,
            Level::User => 3,
            Level::Super | Level::Hyper => 4,
        };
        if level == Level::Mach && self.tcontrol & MTE == 0 {
            return Vec::new();
        }
        let active = |&(control, _): &(u64, u64)| control & 7 != 0 && control >> bit & 1 == 1;
        let each = |(control, address): (u64, u64)| {
            let (first, last) = match control >> 7 & 0xf {
                1 => {
                    // The ones at the end say how many addresses: 2 for a 0.
                    let low = (address ^ address.wrapping_add(1)) | 1;
                    (address & !low, address | low)
                }
                2 => (address, u64::MAX),
                3 if address == 0 => return None,
                3 => (0, address - 1),
                _ => (address, address),
            };
            Some(Armed { kinds: (control & 1) | (control >> 1 & 1) << 1 | (control & 4), first, last })
        };
        self.control.into_iter().zip(self.address).filter(active).filter_map(each).collect()
    }
}
