//! The map of one processor: which interface number leads to which logical unit at which privilege level, and from
//! there to which function of which device (reference 1.5).
//!
//! A map file gives the two tables themselves, or says which device serves which interface and leaves the logical
//! unit numbers to [`build()`], or both. [`lint()`] finds what is wrong with the tables, whatever made them, and [`emit`]
//! writes them as C, Rust or JSON. [`Context`]s are tables of which each process has its own.

mod build;
mod context;
pub mod emit;
mod lint;
mod read;

use isaglot_riscv::Xlen;
use isaglot_source::Span;

pub use build::build;
pub use context::{Context, DEFAULT_CONTEXT, isolated};
pub use lint::{Options, lint, shared};
pub use read::read;

/// A set of privilege levels: user 1, super 2, hyper 4, mach 8.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Levels(pub u8);

/// The names of the levels, the lowest first.
pub const LEVEL_NAMES: [&str; 4] = ["user", "super", "hyper", "mach"];

impl Levels {
    /// All four.
    pub const ALL: Levels = Levels(15);
    /// That of processes, the only one that contexts have tables for.
    pub const USER: Levels = Levels(1);
    /// The level that every machine has.
    pub const MACH: Levels = Levels(8);

    /// The level of that name.
    pub fn named(name: &str) -> Option<Levels> {
        LEVEL_NAMES.iter().position(|n| *n == name).map(|i| Levels(1 << i))
    }

    /// Each level of the set by itself, the lowest first.
    pub fn each(self) -> impl Iterator<Item = Levels> {
        (0..4).map(|i| Levels(1 << i)).filter(move |l| self.has(*l))
    }

    /// Whether all of `other` is in the set.
    pub fn has(self, other: Levels) -> bool {
        self.0 & other.0 == other.0
    }

    /// The names of the set, the lowest first.
    pub fn names(self) -> Vec<&'static str> {
        self.each().filter_map(|l| LEVEL_NAMES.get(l.0.trailing_zeros() as usize).copied()).collect()
    }
}

impl std::fmt::Display for Levels {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.names().join(", "))
    }
}

/// A number as written; `None` when it needs more than 64 bits.
#[derive(Clone, Copy, Debug)]
pub struct Value {
    /// The number.
    pub value: Option<u64>,
    /// Its place.
    pub span: Span,
}

/// A row of the table that `xext` looks into.
#[derive(Clone, Debug)]
pub struct LunRow {
    /// The number of the interface as a register holds it: on RV64 after sign extension.
    pub uuid: Value,
    /// The device number.
    pub dev: Value,
    /// The levels at which the row holds.
    pub levels: Levels,
    /// The logical unit number that `xext` gives.
    pub lun: Value,
    /// The row.
    pub span: Span,
}

/// A row of the table that `xcmd` looks into.
#[derive(Clone, Debug)]
pub struct Route {
    /// The logical unit number.
    pub lun: Value,
    /// The levels at which the row holds.
    pub levels: Levels,
    /// The device.
    pub device: String,
    /// Its subdevice.
    pub sub: Value,
    /// The row.
    pub span: Span,
}

/// A device and what it serves.
#[derive(Clone, Debug)]
pub struct Device {
    /// Its name.
    pub name: String,
    /// Where the name stands.
    pub span: Span,
    /// The interfaces, in order.
    pub serves: Vec<Service>,
}

/// One interface that a device serves: one logical unit.
#[derive(Clone, Debug)]
pub struct Service {
    /// The name of the interface, when it was named; its number is then that of its definition.
    pub interface: String,
    /// Its number as a register holds it; `None` when its name could not be resolved, which was reported.
    pub uuid: Option<u64>,
    /// The device number by level; `None` for the lowest that is free.
    pub dev: [Option<u64>; 4],
    /// The subdevice by level.
    pub sub: [u64; 4],
    /// The levels at which it is served.
    pub levels: Levels,
    /// The logical unit number, when the file fixes it.
    pub lun: Option<u64>,
    /// The entry.
    pub span: Span,
}

/// The map of one processor.
#[derive(Clone, Debug)]
pub struct Map {
    /// The register width.
    pub xlen: Xlen,
    /// The levels that the machine implements.
    pub levels: Levels,
    /// Commands per interface.
    pub commands: u32,
    /// The encoding profile.
    pub encoding: String,
    /// How traps are delivered: `one-level-up` or `riscv`.
    pub trap_model: String,
    /// Devices in order.
    pub devices: Vec<Device>,
    /// The rows that `xext` uses.
    pub luns: Vec<LunRow>,
    /// The rows that `xcmd` uses.
    pub routes: Vec<Route>,
    /// Other tables of the level `user`, one of which a supervisor puts in force. Those above are number 0.
    pub contexts: Vec<Context>,
    /// Devices that several contexts may reach: name and place.
    pub shared: Vec<(String, Span)>,
}
