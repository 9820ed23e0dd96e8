//! How the addresses of a program become places in memory: translation by page tables (Sv32, Sv39, Sv48), protection of physical
//! memory, triggers; and for guests a second stage of page tables under the first (Sv32x4, Sv39x4, Sv48x4).
//!
//! The problem: all this must cost nothing where a program uses none of it, and little where it does. The method: a
//! [`View`] says how addresses are found now. The tables of recent pages in [`Memory`] hold pages as the program numbers
//! them, after all checks, so they are the translation cache too; they are emptied when the view changes. Where a page does
//! not have the same answer for all of its bytes it is never in them. A fence empties them, as do writes of registers.

use crate::cause::{Cause, Fault, Level};
use crate::memory::{Memory, PAGE};
use crate::protection::{Access, Protection};
use crate::trigger::Armed;

/// Bits of a page-table entry.
const VALID: u64 = 1 << 0;
const READ: u64 = 1 << 1;
const WRITE: u64 = 1 << 2;
const EXECUTE: u64 = 1 << 3;
const USER: u64 = 1 << 4;
const ACCESSED: u64 = 1 << 6;
const DIRTY: u64 = 1 << 7;

/// A scheme of page tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Paging {
    /// The page of the first table.
    root: u64,
    /// How many tables are looked at.
    levels: u32,
    /// Bits of an address that select an entry of a table.
    index: u32,
    /// Bytes of an entry.
    entry: u64,
    /// Bits more of an address that select an entry of the first table, where addresses have no sign: the second stage of guests.
    more: u32,
}

impl Paging {
    /// The scheme that a value of `satp` asks for; `None` for none.
    pub(crate) fn of(satp: u64, xlen: u32) -> Option<Paging> {
        if xlen == 32 {
            let root = satp & 0x3f_ffff;
            return (satp >> 31 == 1).then_some(Paging { root, levels: 2, index: 10, entry: 4, more: 0 });
        }
        let levels = match satp >> 60 {
            8 => 3,
            9 => 4,
            _ => return None,
        };
        Some(Paging { root: satp & ((1 << 44) - 1), levels, index: 9, entry: 8, more: 0 })
    }

    /// The scheme that a value of `hgatp` asks for; `None` for none.
    pub(crate) fn of_guest(hgatp: u64, xlen: u32) -> Option<Paging> {
        let paging = Paging::of(hgatp, xlen)?;
        Some(Paging { root: paging.root & !3, more: 2, ..paging })
    }

    /// Whether `satp` can have this value.
    pub(crate) fn is_known(satp: u64, xlen: u32) -> bool {
        xlen == 32 || satp >> 60 == 0 || Paging::of(satp, xlen).is_some()
    }
}

/// How accesses of a kind are found and checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Space {
    /// Whose rights count.
    pub(crate) level: Level,
    pub(crate) paging: Option<Paging>,
    /// The supervisor may use pages of the user.
    pub(crate) sum: bool,
    /// What can be executed can be read.
    pub(crate) mxr: bool,
    /// The second stage of a guest.
    pub(crate) under: Option<Paging>,
    /// What can be executed there can be read.
    pub(crate) under_mxr: bool,
    /// Loads need the right to execute in place of that to read (`hlvx`).
    pub(crate) executes: bool,
    /// Accesses set the accessed and dirty bits of the first stage, if they do so anywhere.
    pub(crate) marks: bool,
}

impl Space {
    /// Without any check.
    pub(crate) const PLAIN: Space = Space {
        level: Level::Mach,
        paging: None,
        sum: false,
        mxr: false,
        under: None,
        under_mxr: false,
        executes: false,
        marks: true,
    };
}

/// How addresses are found now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct View {
    pub(crate) data: Space,
    pub(crate) code: Space,
    pub(crate) armed: Vec<Armed>,
}

impl View {
    /// Without any check.
    pub(crate) const PLAIN: View = View { data: Space::PLAIN, code: Space::PLAIN, armed: Vec::new() };

    /// Whether a trigger can fire at a fetch.
    pub(crate) fn watches_code(&self) -> bool {
        self.armed.iter().any(Armed::is_for_code)
    }
}

/// What looking for a place may change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Looking {
    /// Nothing: a person looks.
    Only,
    /// The accessed and dirty bits, as the program's own access does.
    Using,
}

/// Where an access goes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place {
    /// The physical address.
    pub(crate) at: u64,
    /// All accesses of this kind to this page go to the same page.
    pub(crate) keep: bool,
}

fn page_fault(access: Access) -> Cause {
    match access {
        Access::Fetch => Cause::InstructionPage,
        Access::Load => Cause::LoadPage,
        Access::Store => Cause::StorePage,
    }
}

fn guest_page_fault(access: Access) -> Cause {
    match access {
        Access::Fetch => Cause::InstructionGuestPage,
        Access::Load => Cause::LoadGuestPage,
        Access::Store => Cause::StoreGuestPage,
    }
}

/// Going through one stage of page tables.
struct Stage {
    paging: Paging,
    /// Whose tables they are.
    space: Space,
    /// The right that is needed.
    access: Access,
    /// The tables themselves are addresses of a guest.
    is_under: bool,
    marks: bool,
    /// What a table that does not allow the access means, and memory that does not.
    fault: Fault,
    refused: Fault,
    /// The access of the program.
    asked: Access,
    address: u64,
}

pub(crate) fn access_fault(access: Access) -> Cause {
    match access {
        Access::Fetch => Cause::InstructionAccess,
        Access::Load => Cause::LoadAccess,
        Access::Store => Cause::StoreAccess,
    }
}

impl Memory {
    /// Where an access goes to bytes of one page.
    #[inline]
    pub(crate) fn locate(&mut self, access: Access, address: u64, length: u64) -> Result<Place, Fault> {
        if let Some(space) = self.through {
            return self
                .find(space, access, address, length, Looking::Using)
                .map(|place| Place { keep: false, ..place });
        }
        if !self.is_guarded {
            return Ok(Place { at: address, keep: true });
        }
        let space = if access == Access::Fetch { self.view.code } else { self.view.data };
        if access != Access::Fetch && self.view.armed.iter().any(|armed| armed.fires(access, address, length)) {
            return Err(Fault::new(Cause::Trigger, address));
        }
        let mut place = self.find(space, access, address, length, Looking::Using)?;
        let page = address & !(PAGE as u64 - 1);
        place.keep &= !self.view.armed.iter().any(|armed| armed.watches(page, PAGE as u64));
        Ok(place)
    }

    /// Where an access of a space goes to bytes of one page.
    pub(crate) fn find(
        &mut self,
        space: Space,
        access: Access,
        address: u64,
        length: u64,
        looking: Looking,
    ) -> Result<Place, Fault> {
        let first = match space.paging {
            Some(paging) => {
                let stage = Stage {
                    paging,
                    space,
                    access,
                    is_under: space.under.is_some(),
                    marks: self.marks_entries && space.marks,
                    fault: Fault::new(page_fault(access), address),
                    refused: Fault::new(access_fault(access), address),
                    asked: access,
                    address,
                };
                self.walk(&stage, address, looking)?
            }
            None => address,
        };
        let at = match space.under {
            Some(under) => {
                let rights = Space { mxr: space.under_mxr, executes: space.executes, ..Space::PLAIN };
                self.walk_under(under, rights, (access, access), first, address, 0, looking)?
            }
            None => first,
        };
        if !self.protection.allows(space.level, access, at, length) {
            return Err(Fault::new(access_fault(access), address));
        }
        let page = at & !(PAGE as u64 - 1);
        Ok(Place { at, keep: self.protection.is_uniform(page, PAGE as u64) })
    }

    /// Goes through the second stage of a guest's translation: for a right, and for the access that the program has made. Why it was made, if not by an
    /// instruction, goes to the handler.
    #[expect(clippy::too_many_arguments, reason = "what is looked for, what for, and what is said if it is not there")]
    fn walk_under(
        &mut self,
        paging: Paging,
        rights: Space,
        (access, asked): (Access, Access),
        at: u64,
        address: u64,
        reason: u64,
        looking: Looking,
    ) -> Result<u64, Fault> {
        let stage = Stage {
            paging,
            space: Space { level: Level::User, ..rights },
            access,
            is_under: false,
            marks: self.marks_entries,
            fault: Fault::new(guest_page_fault(asked), address),
            refused: Fault::new(access_fault(asked), address),
            asked,
            address,
        };
        let found = self.walk(&stage, at, looking);
        if found.is_err_and(|fault| fault.cause == stage.fault.cause) {
            self.guest_fault = Some((at, reason));
        }
        found
    }

    /// Where an entry of a table is: its address may be a guest's.
    fn place_of_entry(&mut self, stage: &Stage, access: Access, place: u64, looking: Looking) -> Result<u64, Fault> {
        let Some(under) = stage.space.under.filter(|_| stage.is_under) else { return Ok(place) };
        // What stands for an instruction: the width of an entry is that of registers; bit 5 says that it is a write.
        let width = if stage.paging.entry == 8 { 0x3000 } else { 0x2000 };
        let reason = width | if access == Access::Store { 0x20 } else { 0 };
        self.walk_under(under, Space::PLAIN, (access, stage.asked), place, stage.address, reason, looking)
    }

    /// Goes through page tables.
    fn walk(&mut self, stage: &Stage, address: u64, looking: Looking) -> Result<u64, Fault> {
        let Stage { paging, access, fault, refused, .. } = *stage;
        let width = 12 + paging.index * paging.levels + paging.more;
        let has_sign = paging.entry == 8 && paging.more == 0;
        // The bits above are copies of the highest one, or 0 in the second stage.
        if has_sign && ((address << (64 - width)) as i64 >> (64 - width)) as u64 != address
            || paging.more > 0 && address >> width != 0
        {
            return Err(fault);
        }
        let mut table = paging.root << 12;
        for level in (0..paging.levels).rev() {
            let shift = 12 + paging.index * level;
            let more = if level + 1 == paging.levels { paging.more } else { 0 };
            let place = table + (address >> shift & ((1 << (paging.index + more)) - 1)) * paging.entry;
            let place = self.place_of_entry(stage, Access::Load, place, looking)?;
            // The tables are read and written with the rights of the supervisor.
            if !self.protection.allows(Level::Super, Access::Load, place, paging.entry) {
                return Err(refused);
            }
            let entry = self.read_entry(place, paging.entry).ok_or(refused)?;
            // Bits for extensions that are not there.
            if entry & VALID == 0 || entry & (READ | WRITE) == WRITE || entry >> 54 != 0 {
                return Err(fault);
            }
            let target = entry >> 10 << 12;
            if entry & (READ | EXECUTE) == 0 {
                if entry & (USER | ACCESSED | DIRTY) != 0 {
                    return Err(fault);
                }
                table = target;
                continue;
            }
            let inside = (1_u64 << shift) - 1;
            if target & inside != 0 || !allowed(entry, stage.space, access) {
                return Err(fault);
            }
            let marks = if access == Access::Store { ACCESSED | DIRTY } else { ACCESSED };
            if entry & marks != marks && looking == Looking::Using {
                if !stage.marks {
                    return Err(fault);
                }
                if stage.is_under {
                    let place = table + (address >> shift & ((1 << paging.index) - 1)) * paging.entry;
                    self.place_of_entry(stage, Access::Store, place, looking)?;
                }
                if !self.protection.allows(Level::Super, Access::Store, place, paging.entry) {
                    return Err(refused);
                }
                self.write_entry(place, paging.entry, entry | marks);
            }
            return Ok(target | address & inside);
        }
        Err(fault)
    }

    /// Changes how addresses are found.
    pub(crate) fn set_view(&mut self, view: View, protection: &Protection, marks_entries: bool) {
        if self.protection != *protection {
            self.protection = protection.clone();
            self.translations_changed = true;
        }
        self.marks_entries = marks_entries;
        // Regions that are locked also hold for the machine level.
        self.is_guarded = view != View::PLAIN || self.protection.is_used;
        self.view = view;
        self.forget_places();
        self.attention = true;
    }

    /// What page tables say may have changed.
    pub(crate) fn forget_translations(&mut self) {
        if self.is_guarded {
            self.forget_places();
        }
        self.translations_changed = true;
        self.attention = true;
    }
}

/// Whether the rights of a page allow an access.
fn allowed(entry: u64, space: Space, access: Access) -> bool {
    let right = match access {
        Access::Fetch => EXECUTE,
        Access::Load if space.executes => EXECUTE,
        Access::Load if space.mxr => READ | EXECUTE,
        Access::Load => READ,
        Access::Store => WRITE,
    };
    let is_users = entry & USER != 0;
    let owner = match space.level {
        Level::User => is_users,
        _ if access == Access::Fetch => !is_users,
        _ => !is_users || space.sum,
    };
    entry & right != 0 && owner
}
