//! The hypervisor extension (H): guests with a supervisor of their own. Its registers, how they share bits with those of the machine, and
//! what traps and returns do to them. What it means for addresses is in `view`, for instructions in `guest`.
//!
//! The problem: a guest's supervisor uses the numbers of supervisor registers and must reach registers of its own, and what it may not do must come to the
//! hypervisor with a cause of its own; machines without H must not notice. Method: on a machine with H the level `super` is always a guest's
//! supervisor (VS), and `hyper` is that of the host (HS); only the level `user` needs a bit that tells both kinds apart. Numbers are led elsewhere once, before a row
//! is looked for, and an access that fails is asked about once more, as the host's supervisor, to find its cause.
//! Invariant: while a guest runs, the states of floating point and vectors that instructions look at are off if either register says so, else
//! not dirty before an instruction has made them so, which then counts for both.

use crate::cause::{Cause, Level};
use crate::csr::{
    ADUE, CACHE_BLOCKS, Csrs, FIOM, FS, MEDELEG, MENVCFG, MIE, MIP, MSTATUS, Row, S, SATP, SSTATUS, SSTATUS_READ,
    VECTOR, VS,
};
use crate::view::{Paging, Space};

/// The supervisor's status as the guest has it.
pub(crate) const VSSTATUS: u16 = 0x200;
pub(crate) const VSTVEC: u16 = 0x205;
const VSSCRATCH: u16 = 0x240;
const VSEPC: u16 = 0x241;
const VSCAUSE: u16 = 0x242;
const VSTVAL: u16 = 0x243;
const VSATP: u16 = 0x280;
pub(crate) const HSTATUS: u16 = 0x600;
const HEDELEG: u16 = 0x602;
const HIDELEG: u16 = 0x603;
const HTIMEDELTA: u16 = 0x605;
const HCOUNTEREN: u16 = 0x606;
pub(crate) const HENVCFG: u16 = 0x60a;
const HTVAL: u16 = 0x643;
const HVIP: u16 = 0x645;
const HTINST: u16 = 0x64a;
const HGATP: u16 = 0x680;
const MTINST: u16 = 0x34a;
const MTVAL2: u16 = 0x34b;
/// Kept apart from `mstatus` at both widths: MPV and GVA.
pub(crate) const MSTATUSH: u16 = 0x310;

/// Interrupts of a guest's supervisor: software, timer, external.
const GUEST_INTERRUPTS: u64 = 0x444;
/// Those and the one of guests' external interrupts, all of them the host supervisor's.
pub(crate) const HYPER_INTERRUPTS: u64 = 0x1444;
/// What a guest's own registers call them is one less.
const SHIFT: u32 = 1;
/// What only H has of `medeleg`: calls of a guest's supervisor, and the four causes of its own.
pub(crate) const DELEGABLE: u64 = 1 << 10 | 0xf << 20;

/// Of `hstatus`: a guest virtual address is in `stval`; the guest before the trap, and its level; users may use `hlv`.
const GVA: u64 = 1 << 6;
const SPV: u64 = 1 << 7;
const SPVP: u64 = 1 << 8;
pub(crate) const HU: u64 = 1 << 9;
/// Translation, waiting and returning of a guest's supervisor are the hypervisor's business.
pub(crate) const VTVM: u64 = 1 << 20;
pub(crate) const VTW: u64 = 1 << 21;
const VTSR: u64 = 1 << 22;
const HSTATUS_WRITE: u64 = GVA | SPV | SPVP | HU | VTVM | VTW | VTSR;
/// Of what stands for the upper half of `mstatus`.
const MACHINE_GVA: u64 = 1 << 6;
const MPV: u64 = 1 << 7;
pub(crate) const MSTATUSH_WRITE: u64 = MACHINE_GVA | MPV;

const ALL: u64 = u64::MAX;

#[rustfmt::skip]
const ROWS: &[Row] = &[
    (VSSTATUS, VSSTATUS, SSTATUS_READ, SSTATUS, S),
    (0x204, MIE, GUEST_INTERRUPTS, GUEST_INTERRUPTS, S),
    (VSTVEC, VSTVEC, ALL, VECTOR, S),
    (VSSCRATCH, VSSCRATCH, ALL, ALL, S),
    (VSEPC, VSEPC, ALL, !1, S),
    (VSCAUSE, VSCAUSE, ALL, ALL, S),
    (VSTVAL, VSTVAL, ALL, ALL, S),
    (0x244, MIP, GUEST_INTERRUPTS, 0x4, S),
    (VSATP, VSATP, ALL, ALL, S),
    (MSTATUSH, MSTATUSH, ALL, MSTATUSH_WRITE, S),
    (MTINST, MTINST, ALL, ALL, S),
    (MTVAL2, MTVAL2, ALL, ALL, S),
    (HSTATUS, HSTATUS, ALL, HSTATUS_WRITE, S),
    // All but calls from above a guest's user, and what is about guests.
    (HEDELEG, HEDELEG, ALL, 0xb1ff, S),
    (HIDELEG, HIDELEG, ALL, GUEST_INTERRUPTS, S),
    (0x604, MIE, HYPER_INTERRUPTS, HYPER_INTERRUPTS, S),
    (HCOUNTEREN, HCOUNTEREN, 7, 7, S),
    // There are no external interrupts of single guests.
    (0x607, 0x607, 0, 0, S),
    (0xe12, 0xe12, 0, 0, S),
    (HTVAL, HTVAL, ALL, ALL, S),
    (0x644, MIP, HYPER_INTERRUPTS, 0x4, S),
    (HVIP, HVIP, GUEST_INTERRUPTS, GUEST_INTERRUPTS, S),
    (HTINST, HTINST, ALL, ALL, S),
    (HGATP, HGATP, ALL, ALL, S),
];

/// What is kept beside the registers.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Hypervisor {
    /// The machine has the extension.
    pub(crate) there: bool,
    /// A guest runs (V).
    pub(crate) guest: bool,
    /// The states of floating point and of vectors in `mstatus` while a guest runs, and in `vsstatus`.
    outer: [u64; 2],
    inner: [u64; 2],
}

impl Hypervisor {
    pub(crate) fn new(there: bool) -> Hypervisor {
        Hypervisor { there, ..Hypervisor::default() }
    }
}

/// What is told of a trap beside cause and value: whether the value is an address of a guest, where that led, and why the access was made if no instruction
/// asked for it.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Details {
    pub(crate) is_guests: bool,
    pub(crate) place: u64,
    pub(crate) instruction: u64,
}

/// A register of the extension by its number.
pub(crate) fn row(number: u16, xlen: u32) -> Option<Row> {
    let is_upper = number == MSTATUSH;
    ROWS.iter().find(|r| r.0 == number && (!is_upper || xlen == 32)).copied()
}

/// Whether a register decides about interrupts.
pub(crate) fn is_about_interrupts(kept: u16) -> bool {
    matches!(kept, VSSTATUS | HIDELEG | HVIP)
}

/// Where a register begins in the one that keeps it.
pub(crate) fn shift(number: u16) -> u32 {
    if matches!(number, 0x204 | 0x244) { SHIFT } else { 0 }
}

/// Folds what an instruction has made dirty into both states.
fn folded(now: u64, outer: u64, inner: u64) -> (u64, u64) {
    if now == 3 { (3, 3) } else { (outer, inner) }
}

/// What instructions look at.
fn effective(outer: u64, inner: u64) -> u64 {
    u64::from(outer != 0 && inner != 0)
}

impl Csrs {
    /// Whether a program at this level is a guest's.
    pub(crate) fn is_guest(&self, level: Level) -> bool {
        let h = &self.hypervisor;
        h.there && (level == Level::Super || level == Level::User && h.guest)
    }

    /// The level of the supervisor that all machines have.
    pub(crate) fn supervisor(&self) -> Level {
        if self.hypervisor.there { Level::Hyper } else { Level::Super }
    }

    /// The level that two bits of a status and the bit for guests mean.
    fn level_of(&self, bits: u64, guest: bool) -> Level {
        match bits & 3 {
            1 if self.hypervisor.there && !guest => Level::Hyper,
            bits => Level::from_bits(bits),
        }
    }

    /// The bits of a status for a level.
    fn bits_of(&self, level: Level) -> u64 {
        if self.hypervisor.there && level == Level::Hyper { 1 } else { level as u64 }
    }

    /// Whether `mstatus` can say that the level before was this one.
    pub(crate) fn can_return_to(&self, bits: u64) -> bool {
        if self.hypervisor.there { bits & 3 != 2 } else { self.has(Level::from_bits(bits)) }
    }

    /// Where a number leads: a guest's supervisor has registers of its own under those of the supervisor. Nothing if the hypervisor does not allow it.
    pub(crate) fn lead(&self, number: u16, level: Level) -> Option<(u16, Level)> {
        if !self.hypervisor.there || level != Level::Super {
            return Some((number, level));
        }
        match number {
            SATP if self.kept(HSTATUS) & VTVM != 0 => None,
            0x100 | 0x104 | 0x105 | 0x140..=0x144 | SATP => Some((number + 0x100, Level::Hyper)),
            _ => Some((number, level)),
        }
    }

    /// Why an access that failed did: what the host's supervisor could do is a virtual instruction of a guest.
    pub(crate) fn refusal(&self, number: u16, level: Level, writes: bool) -> Cause {
        // Whether translation is the machine level's business does not matter here.
        let could = || matches!(number, SATP | HGATP) || self.read(number, Level::Hyper).is_some();
        if self.is_guest(level) && !(writes && number >> 10 == 3) && could() {
            Cause::VirtualInstruction
        } else {
            Cause::Illegal
        }
    }

    /// Whether a guest may see a counter.
    pub(crate) fn shows_counter(&self, which: usize, level: Level) -> bool {
        !self.is_guest(level) || self.kept(HCOUNTEREN) >> which & 1 == 1
    }

    /// What a guest's time is ahead.
    pub(crate) fn time_delta(&self, level: Level) -> u64 {
        if self.is_guest(level) { self.raw(HTIMEDELTA) } else { 0 }
    }

    /// A register that is written as a whole or in halves, if the number is of one.
    pub(crate) fn read_hypervisor(&self, number: u16) -> Option<u64> {
        if !self.hypervisor.there {
            return None;
        }
        let upper = if self.xlen == 32 { 32 } else { 0 };
        match number {
            HTIMEDELTA => Some(self.cut(self.raw(HTIMEDELTA))),
            HENVCFG => Some(self.cut(self.environment())),
            0x615 if upper > 0 => Some(self.raw(HTIMEDELTA) >> upper),
            0x61a if upper > 0 => Some(self.environment() >> upper),
            _ => None,
        }
    }

    /// Settings for guests: what the machine level keeps for itself reads as 0.
    fn environment(&self) -> u64 {
        self.raw(HENVCFG) & (!ADUE | self.raw(MENVCFG) & ADUE)
    }

    /// Whether accesses of guests set the accessed and dirty bits of their own page tables.
    fn marks_guest_entries(&self) -> bool {
        self.environment() & ADUE != 0
    }

    pub(crate) fn write_hypervisor(&mut self, number: u16, value: u64) -> Option<()> {
        self.read_hypervisor(number)?;
        let (low, value) = if self.xlen == 32 { (0xffff_ffff, value & 0xffff_ffff) } else { (ALL, value) };
        let (kept, bits, value) = match number {
            HTIMEDELTA => (HTIMEDELTA, low, value),
            0x615 => (HTIMEDELTA, !low, value << 32),
            0x61a => (HENVCFG, !low & ADUE, value << 32),
            _ => (HENVCFG, low & (ADUE | FIOM | CACHE_BLOCKS), value),
        };
        // A bit that reads as 0 keeps its value.
        let bits = if kept == HENVCFG { bits & (!ADUE | self.raw(MENVCFG) & ADUE) } else { bits };
        self.put_raw(kept, self.raw(kept) & !bits | value & bits);
        Some(())
    }

    /// What a write of translation's registers of guests leaves; nothing if it leaves all as it was.
    pub(crate) fn guest_paging_written(&self, kept: u16, value: u64) -> Option<u64> {
        match kept {
            VSATP => Paging::is_known(value, self.xlen).then_some(value),
            HGATP => {
                let (mode, numbers) = match self.xlen {
                    32 => (1 << 31, 0x1fff_fffc),
                    _ => (0xf << 60, 0x03ff_ffff_ffff_fffc),
                };
                let is_known = Paging::is_known(value, self.xlen);
                let kept_mode = if is_known { value } else { self.kept(HGATP) };
                Some(kept_mode & mode | value & numbers)
            }
            _ => Some(value),
        }
    }

    /// Whether a register decides about the translation of guests.
    pub(crate) fn is_guest_paging(kept: u16) -> bool {
        matches!(kept, VSATP | HGATP)
    }

    /// Interrupts that a guest's supervisor takes.
    pub(crate) fn to_guest(&self) -> u64 {
        if self.hypervisor.there { self.raw(HIDELEG) & GUEST_INTERRUPTS } else { 0 }
    }

    /// Interrupts that the hypervisor has set for guests.
    pub(crate) fn injected(&self) -> u64 {
        if self.hypervisor.there { self.raw(HVIP) } else { 0 }
    }

    /// Takes over what a write to `mip` or a part of it has said of the guest's software interrupt.
    pub(crate) fn inject(&mut self, value: u64) {
        if self.hypervisor.there {
            self.put_raw(HVIP, self.raw(HVIP) & !4 | value & 4);
        }
    }

    /// Whether a guest's supervisor can be interrupted where a program at this level runs.
    pub(crate) fn guest_is_open(&self, level: Level) -> bool {
        self.is_guest(level) && (level == Level::User || self.raw(VSSTATUS) >> 1 & 1 == 1)
    }

    /// The states of floating point and vectors that two registers have: `mstatus`, then `vsstatus`.
    fn states(&self) -> [[u64; 2]; 2] {
        let now = [self.float.status(), self.vector.status()];
        let h = &self.hypervisor;
        if !h.guest {
            return [now, h.inner];
        }
        let [f, v] = [0, 1].map(|at| folded(now[at], h.outer[at], h.inner[at]));
        [[f.0, v.0], [f.1, v.1]]
    }

    fn set_states(&mut self, [outer, inner]: [[u64; 2]; 2]) {
        (self.hypervisor.outer, self.hypervisor.inner) = (outer, inner);
        let now = if self.hypervisor.guest { [0, 1].map(|at| effective(outer[at], inner[at])) } else { outer };
        self.float.set_status(now[0]);
        self.vector.set_status(now[1]);
    }

    /// The states in `mstatus`, or in `vsstatus`.
    pub(crate) fn unit_states(&self, of_guest: bool) -> [u64; 2] {
        self.states()[usize::from(of_guest)]
    }

    pub(crate) fn set_unit_states(&mut self, of_guest: bool, value: u64) {
        let mut states = self.states();
        // What is not there stays 0.
        let there = [self.float.has_status(), self.vector.is_there()].map(u64::from);
        states[usize::from(of_guest)] = [(value >> FS & 3) * there[0], (value >> VS & 3) * there[1]];
        self.set_states(states);
    }

    /// A machine that starts at the supervisor's level starts with a guest.
    pub(crate) fn start_guest(&mut self, start: Level) {
        self.set_guest(self.hypervisor.there && start == Level::Super);
    }

    /// A guest runs from now on, or the host.
    fn set_guest(&mut self, guest: bool) {
        if self.hypervisor.guest != guest {
            let states = self.states();
            self.hypervisor.guest = guest;
            self.set_states(states);
        }
    }

    /// The level that handles a trap of a machine with H.
    pub(crate) fn handling(&self, from: Level, code: u64) -> Level {
        let delegated = |register: u16| self.raw(register) >> code & 1 == 1;
        match from {
            Level::Mach => Level::Mach,
            _ if !delegated(MEDELEG) => Level::Mach,
            _ if self.is_guest(from) && delegated(HEDELEG) => Level::Super,
            _ => Level::Hyper,
        }
    }

    /// The level above one, for traps of overloadable opcodes.
    pub(crate) fn above(&self, from: Level) -> Option<Level> {
        match from {
            Level::User if self.is_guest(from) => Some(Level::Super),
            Level::User | Level::Super => Some(Level::Hyper),
            Level::Hyper => Some(Level::Mach),
            Level::Mach => None,
        }
    }

    /// What a trap to the machine level notes beside what all machines do. The host runs from now on.
    pub(crate) fn enter_machine(&mut self, details: &Details) {
        if !self.hypervisor.there {
            return;
        }
        let value = if details.is_guests { MACHINE_GVA } else { 0 } | if self.hypervisor.guest { MPV } else { 0 };
        self.put_raw(MSTATUSH, value);
        self.put_raw(MTVAL2, self.cut(details.place >> 2));
        self.put_raw(MTINST, details.instruction);
        self.set_guest(false);
    }

    /// The same for a trap to the host's supervisor.
    pub(crate) fn enter_host(&mut self, from: Level, details: &Details) {
        if !self.hypervisor.there {
            return;
        }
        let mut new = self.raw(HSTATUS) & !(GVA | SPV);
        new |= if details.is_guests { GVA } else { 0 };
        if self.hypervisor.guest {
            new = new & !SPVP | SPV | if from == Level::Super { SPVP } else { 0 };
        }
        self.put_raw(HSTATUS, new);
        self.put_raw(HTVAL, self.cut(details.place >> 2));
        self.put_raw(HTINST, details.instruction);
        self.set_guest(false);
    }

    /// Takes a trap at the guest's supervisor.
    pub(crate) fn enter_guest(&mut self, from: Level, code: u64, value: u64, pc: u64) {
        self.put_raw(VSEPC, self.cut(pc));
        self.put_raw(VSCAUSE, code);
        self.put_raw(VSTVAL, self.cut(value));
        let status = self.raw(VSSTATUS);
        let previous = u64::from(from == Level::Super);
        self.put_raw(VSSTATUS, status & !(1 << 8 | 1 << 5 | 1 << 1) | previous << 8 | (status >> 1 & 1) << 5);
    }

    /// Where `mret` goes: the level, for the bits in `mstatus`.
    pub(crate) fn leave_machine(&mut self, bits: u64) -> Level {
        let guest = self.hypervisor.there && self.raw(MSTATUSH) & MPV != 0 && bits & 3 != 3;
        if self.hypervisor.there {
            self.put_raw(MSTATUSH, self.raw(MSTATUSH) & !MPV);
            self.set_guest(guest);
        }
        self.level_of(bits, guest)
    }

    /// Where `sret` of the host goes.
    pub(crate) fn leave_host(&mut self, bits: u64) -> Level {
        let guest = self.hypervisor.there && self.raw(HSTATUS) & SPV != 0;
        if self.hypervisor.there {
            self.put_raw(HSTATUS, self.raw(HSTATUS) & !SPV);
            self.set_guest(guest);
        }
        self.level_of(bits, guest)
    }

    /// `sret` of a guest: the level and the address to go on at; nothing if it is refused.
    pub(crate) fn leave_guest(&mut self, level: Level) -> Option<(Level, u64)> {
        if level == Level::User || self.raw(HSTATUS) & VTSR != 0 {
            return None;
        }
        let status = self.raw(VSSTATUS);
        let new = status & !(1 << 8 | 1 << 1) | 1 << 5 | (status >> 5 & 1) << 1;
        self.put_raw(VSSTATUS, new);
        Some((Level::from_bits(status >> 8 & 1), self.raw(VSEPC) & self.address))
    }

    /// What `mstatus` has in its upper half.
    pub(crate) fn upper_status(&self) -> u64 {
        self.raw(MSTATUSH) & MSTATUSH_WRITE
    }

    /// The bits for the level of a trap's origin.
    pub(crate) fn origin(&self, from: Level) -> u64 {
        self.bits_of(from)
    }

    /// Whose rights loads and stores of a level have, and whether it is a guest (MPRV).
    pub(crate) fn data_rights(&self, level: Level) -> (Level, bool) {
        let status = self.kept(MSTATUS);
        if level != Level::Mach || status >> 17 & 1 == 0 {
            return (level, self.is_guest(level));
        }
        let guest = self.hypervisor.there && self.raw(MSTATUSH) & MPV != 0 && status >> 11 & 3 != 3;
        (self.level_of(status >> 11, guest), guest)
    }

    /// How the addresses of a guest are found, with the rights of its supervisor or its user.
    pub(crate) fn guest_space(&self, level: Level) -> Space {
        let paging = Paging::of(self.raw(VSATP), self.xlen);
        let under = Paging::of_guest(self.raw(HGATP), self.xlen);
        if paging.is_none() && under.is_none() && !self.protection.is_used {
            return Space::PLAIN;
        }
        let (own, outer) = (self.raw(VSSTATUS), self.kept(MSTATUS));
        let is = |status: u64, bit: u32| status >> bit & 1 == 1;
        Space {
            level,
            paging,
            sum: is(own, 18) && paging.is_some(),
            mxr: (is(own, 19) || is(outer, 19)) && paging.is_some(),
            under,
            under_mxr: is(outer, 19) && under.is_some(),
            executes: false,
            marks: self.marks_guest_entries() || paging.is_none(),
        }
    }

    /// How `hlv`, `hlvx` and `hsv` find addresses: as the guest before the trap would.
    pub(crate) fn lent_space(&self, executes: bool) -> Space {
        let level = if self.raw(HSTATUS) & SPVP != 0 { Level::Super } else { Level::User };
        Space { executes, ..self.guest_space(level) }
    }
}
