//! What the hypervisor extension means for instructions: those that only a host has, and those that a guest may not run.
//!
//! The problem: a host reads and writes the memory of a guest as the guest would, while its own pages are in the tables of recent pages. The method: such an
//! access names its space and goes the slow way, which keeps no page. What a guest may not do traps as a virtual instruction, where the host's supervisor
//! could do it, so that a hypervisor can do it in its place.

use crate::cause::{Cause, Fault, Level};
use crate::hypervisor::{Details, HSTATUS, HU, VTVM, VTW};
use crate::machine::Machine;

/// The fence for the second stage.
const SECOND_STAGE: u8 = 1;
/// The bits of `mstatus`: translation, waiting are the machine level's business.
const TVM: u32 = 20;
const TW: u32 = 21;

impl Machine {
    /// The fault of an instruction that the level may not run, although the host's supervisor may.
    pub(crate) fn refused(&self) -> Fault {
        let is_guest = self.csrs.is_guest(self.level);
        Fault::new(if is_guest { Cause::VirtualInstruction } else { Cause::Illegal }, 0)
    }

    fn guest_may_not(&self, bit: u64) -> bool {
        self.csrs.is_guest(self.level) && (self.level == Level::User || self.csrs.raw(HSTATUS) & bit != 0)
    }

    /// Whether the level may invalidate its own translations.
    pub(crate) fn check_fence(&self) -> Result<(), Fault> {
        let is_guest = self.csrs.is_guest(self.level);
        let is_machines = !is_guest && self.csrs.is_reserved(self.level, TVM);
        if self.level == Level::User || is_machines || self.guest_may_not(VTVM) { Err(self.refused()) } else { Ok(()) }
    }

    /// Whether the level may wait.
    pub(crate) fn check_wait(&self) -> Result<(), Fault> {
        if self.csrs.is_reserved(self.level, TW) {
            return Err(Fault::new(Cause::Illegal, 0));
        }
        if self.guest_may_not(VTW) { Err(self.refused()) } else { Ok(()) }
    }

    /// A fence for translations of guests: of their own tables (0), or of the second stage (1).
    pub(crate) fn guest_fence(&mut self, kind: u8, _: u64, _: u64) -> Result<(), Fault> {
        let is_machines = kind == SECOND_STAGE && self.csrs.is_reserved(self.level, TVM);
        if self.level <= Level::Super || is_machines {
            return Err(self.refused());
        }
        self.memory.forget_translations();
        Ok(())
    }

    /// Whether the level may use the memory of a guest.
    fn check_lent(&self) -> Result<(), Fault> {
        let is_users = self.level == Level::User && self.csrs.raw(HSTATUS) & HU != 0;
        let may = self.level >= Level::Hyper || is_users;
        if self.csrs.is_guest(self.level) || !may { Err(self.refused()) } else { Ok(()) }
    }

    /// Loads a power of two of bytes as the guest would, or, with `executes`, what it could execute.
    pub(crate) fn guest_load(&mut self, size: u8, executes: u8, address: u64) -> Result<u64, Fault> {
        self.check_lent()?;
        let space = self.csrs.lent_space(executes == 1);
        let memory = &mut self.memory;
        match size {
            0 => memory.load_through::<1>(space, address).map(|[byte]| byte.into()),
            1 => memory.load_through(space, address).map(|bytes| u16::from_le_bytes(bytes).into()),
            2 => memory.load_through(space, address).map(|bytes| u32::from_le_bytes(bytes).into()),
            _ => memory.load_through(space, address).map(u64::from_le_bytes),
        }
    }

    /// Stores a power of two of bytes as the guest would.
    pub(crate) fn guest_store(&mut self, size: u8, address: u64, value: u64) -> Result<(), Fault> {
        self.check_lent()?;
        let space = self.csrs.lent_space(false);
        let bytes = value.to_le_bytes();
        self.memory.store_through(space, address, bytes.get(..1 << (size & 3)).unwrap_or(&bytes))
    }

    /// Why a control and status register could not be read or written.
    pub(crate) fn refusal(&self, number: u16, writes: bool) -> Fault {
        let cause = match self.maps.is_register(number) {
            // A context is the host's to choose; a hypervisor can do it for its guest.
            true if number >> 8 & 3 == 1 => return self.refused(),
            true => Cause::Illegal,
            false => self.csrs.refusal(number, self.level, writes),
        };
        Fault::new(cause, 0)
    }

    /// What is told of a trap beside its cause and value.
    pub(crate) fn details(&mut self, cause: Cause, insn: u64) -> Details {
        let found = self.memory.guest_fault.take();
        if !self.csrs.hypervisor.there {
            return Details::default();
        }
        let is_second = matches!(cause, Cause::InstructionGuestPage | Cause::LoadGuestPage | Cause::StoreGuestPage);
        let (place, instruction) = found.filter(|_| is_second).unwrap_or((0, 0));
        // `hlv`, `hlvx` and `hsv`.
        let is_lent = insn & 0x707f == 0x4073;
        let is_guests = match cause {
            Cause::InstructionMisaligned
            | Cause::InstructionAccess
            | Cause::InstructionPage
            | Cause::InstructionGuestPage
            | Cause::Breakpoint
            | Cause::Trigger => self.csrs.is_guest(self.level),
            Cause::LoadMisaligned
            | Cause::LoadAccess
            | Cause::LoadPage
            | Cause::LoadGuestPage
            | Cause::StoreMisaligned
            | Cause::StoreAccess
            | Cause::StorePage
            | Cause::StoreGuestPage => is_lent || self.csrs.data_rights(self.level).1,
            _ => false,
        };
        Details { is_guests, place, instruction }
    }
}
