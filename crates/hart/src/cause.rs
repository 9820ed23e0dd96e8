//! Privilege levels, and why an instruction did not complete.

/// A privilege level.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Level {
    /// U, and VU, a guest's.
    User = 0,
    /// S; on a machine with the hypervisor extension VS, a guest's supervisor.
    Super = 1,
    /// HS: the supervisor of a machine with the hypervisor extension.
    Hyper = 2,
    /// M.
    Mach = 3,
}

impl Level {
    /// All, the lowest first.
    pub const ALL: [Level; 4] = [Level::User, Level::Super, Level::Hyper, Level::Mach];

    /// The level of this number, of which two bits count.
    pub fn from_bits(bits: u64) -> Level {
        Level::ALL[bits as usize & 3]
    }

    /// Its name in maps.
    pub fn name(self) -> &'static str {
        ["user", "super", "hyper", "mach"][self as usize]
    }

    /// The level of this name.
    pub fn named(name: &str) -> Option<Level> {
        Level::ALL.into_iter().find(|l| l.name() == name)
    }
}

/// Why an instruction did not complete.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// A jump to where no instruction can be.
    InstructionMisaligned,
    /// There is no memory to fetch from.
    InstructionAccess,
    /// No instruction, or not at this level.
    Illegal,
    /// `ebreak`.
    Breakpoint,
    /// An address that an atomic load cannot have.
    LoadMisaligned,
    /// There is no memory to load from.
    LoadAccess,
    /// An address that an atomic store cannot have.
    StoreMisaligned,
    /// There is no memory to store to.
    StoreAccess,
    /// `ecall`.
    EnvironmentCall,
    /// The page tables do not allow the fetch.
    InstructionPage,
    /// The page tables do not allow the load.
    LoadPage,
    /// The page tables do not allow the store.
    StorePage,
    /// The second stage of a guest's translation does not allow the fetch.
    InstructionGuestPage,
    /// The second stage of a guest's translation does not allow the load.
    LoadGuestPage,
    /// The second stage of a guest's translation does not allow the store.
    StoreGuestPage,
    /// What a guest may not do, and its hypervisor may.
    VirtualInstruction,
    /// A trigger that the program has set.
    Trigger,
    /// An interrupt, by its number in `mip`.
    Interrupt(u8),
    /// No device has this logical unit at this level.
    UnroutedLun,
    /// The device does not know the command.
    UndefinedCommand,
}

impl Cause {
    /// The exception code of the privileged architecture, on a machine without the hypervisor extension.
    pub fn code(self, level: Level) -> u64 {
        match self {
            Cause::InstructionMisaligned => 0,
            Cause::InstructionAccess => 1,
            Cause::Illegal | Cause::UnroutedLun | Cause::UndefinedCommand => 2,
            Cause::Breakpoint | Cause::Trigger => 3,
            Cause::LoadMisaligned => 4,
            Cause::LoadAccess => 5,
            Cause::StoreMisaligned => 6,
            Cause::StoreAccess => 7,
            Cause::EnvironmentCall => 8 + level as u64,
            Cause::InstructionPage => 12,
            Cause::LoadPage => 13,
            Cause::StorePage => 15,
            Cause::InstructionGuestPage => 20,
            Cause::LoadGuestPage => 21,
            Cause::VirtualInstruction => 22,
            Cause::StoreGuestPage => 23,
            Cause::Interrupt(number) => number.into(),
        }
    }

    /// The exception code on a machine with the hypervisor extension: calls of a guest's supervisor have one of their own.
    pub(crate) fn code_with_guests(self, level: Level) -> u64 {
        match (self, level) {
            (Cause::EnvironmentCall, Level::Super) => 10,
            (Cause::EnvironmentCall, Level::Hyper) => 9,
            _ => self.code(level),
        }
    }

    /// A name for people and tests.
    pub fn name(self) -> &'static str {
        match self {
            Cause::InstructionMisaligned => "instruction-misaligned",
            Cause::InstructionAccess => "instruction-access",
            Cause::Illegal => "illegal",
            Cause::Breakpoint => "breakpoint",
            Cause::LoadMisaligned => "load-misaligned",
            Cause::LoadAccess => "load-access",
            Cause::StoreMisaligned => "store-misaligned",
            Cause::StoreAccess => "store-access",
            Cause::EnvironmentCall => "environment-call",
            Cause::InstructionPage => "instruction-page",
            Cause::LoadPage => "load-page",
            Cause::StorePage => "store-page",
            Cause::InstructionGuestPage => "instruction-guest-page",
            Cause::LoadGuestPage => "load-guest-page",
            Cause::StoreGuestPage => "store-guest-page",
            Cause::VirtualInstruction => "virtual-instruction",
            Cause::Trigger => "trigger",
            Cause::Interrupt(1) => "supervisor-software-interrupt",
            Cause::Interrupt(3) => "machine-software-interrupt",
            Cause::Interrupt(2) => "guest-software-interrupt",
            Cause::Interrupt(6) => "guest-timer-interrupt",
            Cause::Interrupt(10) => "guest-external-interrupt",
            Cause::Interrupt(12) => "hypervisor-external-interrupt",
            Cause::Interrupt(5) => "supervisor-timer-interrupt",
            Cause::Interrupt(7) => "machine-timer-interrupt",
            Cause::Interrupt(9) => "supervisor-external-interrupt",
            Cause::Interrupt(11) => "machine-external-interrupt",
            Cause::Interrupt(_) => "interrupt",
            Cause::UnroutedLun => "unrouted-lun",
            Cause::UndefinedCommand => "undefined-command",
        }
    }
}

/// A trap on its way to the handler.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Fault {
    pub(crate) cause: Cause,
    /// What goes to `mtval`, if it is not the instruction word.
    pub(crate) value: u64,
    /// Bytes from the start of the block.
    pub(crate) at: u16,
    /// It is no trap: the instruction stores to a double word that the host looks at, or uses a device, and has to be run by itself.
    pub(crate) is_alone: bool,
}

impl Fault {
    pub(crate) fn new(cause: Cause, value: u64) -> Fault {
        Fault { cause, value, at: 0, is_alone: false }
    }

    pub(crate) fn at(self, at: u16) -> Fault {
        Fault { at, ..self }
    }
}
