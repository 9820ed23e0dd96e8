//! Control and status registers, and what a trap does to them: machine, supervisor and user level of the privileged
//! architecture. What they mean for addresses is in `view`, for interrupts in `interrupt`.
//!
//! A register is a row of [`ROWS`]: where it is kept, which bits can be read, which written. A number without a row does
//! not exist, and using it is illegal.

use std::collections::BTreeMap;

use crate::cause::{Cause, Level};
use crate::float_unit::Float;
use crate::hypervisor::{
    self, DELEGABLE, Details, HENVCFG, HSTATUS, HYPER_INTERRUPTS, Hypervisor, MSTATUSH, VSSTATUS, VSTVEC,
};
use crate::protection::Protection;
use crate::trigger::Triggers;
use crate::vector_state::{Extent, Unit};
use crate::view::{Paging, Space, View};

pub(crate) const MSTATUS: u16 = 0x300;
const MISA: u16 = 0x301;
pub(crate) const MEDELEG: u16 = 0x302;
const MIDELEG: u16 = 0x303;
pub(crate) const MIE: u16 = 0x304;
pub(crate) const MIP: u16 = 0x344;
pub(crate) const MENVCFG: u16 = 0x30a;
pub(crate) const SENVCFG: u16 = 0x10a;
/// What these say of blocks of the cache. Of invalidating two bits: 1 makes it a flush, 2 is reserved.
pub(crate) const CBIE: u32 = 4;
/// Cleaning and flushing.
pub(crate) const CBCFE: u32 = 6;
/// Zeroing.
pub(crate) const CBZE: u32 = 7;
pub(crate) const CACHE_BLOCKS: u64 = 3 << CBIE | 1 << CBCFE | 1 << CBZE;
/// The address of the table of jumps.
pub(crate) const JVT: u16 = 0x017;
pub(crate) const SATP: u16 = 0x180;
/// Of the settings for the levels below: accesses set the accessed and dirty bits of page tables. RV32 has the upper half apart.
pub(crate) const ADUE: u64 = 1 << 61;
/// Fences order devices, too: the bit is kept and changes nothing here.
pub(crate) const FIOM: u64 = 1;
const FFLAGS: u16 = 1;
const FRM: u16 = 2;
const FCSR: u16 = 3;

/// A register for supervisors only.
pub(crate) const S: bool = true;

/// (number, kept under, readable bits, writable bits, needs the supervisor level)
pub(crate) type Row = (u16, u16, u64, u64, bool);

const ALL: u64 = u64::MAX;
/// Where `mstatus` says whether floating point is off, initial, clean or dirty: two bits.
pub(crate) const FS: u32 = 13;
/// The same of vectors.
pub(crate) const VS: u32 = 9;
/// SIE, SPIE, SPP, VS, FS, SUM, MXR, and on RV64 the user's width.
pub(crate) const SSTATUS: u64 = 1 << 1 | 1 << 5 | 1 << 8 | 3 << VS | 3 << FS | 1 << 18 | 1 << 19;
/// Besides those whether something is dirty, at the top.
pub(crate) const SSTATUS_READ: u64 = SSTATUS | 3 << 32 | 1 << 31 | 1 << 63;
/// Besides those MIE, MPIE, MPP, MPRV, TVM, TW, TSR.
const MSTATUS_WRITE: u64 = SSTATUS | 1 << 3 | 1 << 7 | 3 << 11 | 1 << 17 | 7 << 20;
/// Supervisor interrupts.
const S_INTERRUPTS: u64 = 0x222;
/// A vector's address and whether interrupts are spread.
pub(crate) const VECTOR: u64 = !2;

/// Interrupts, the most urgent first: external, software, timer, of the machine level before the supervisor's, and those of guests last.
const INTERRUPTS: [u32; 10] = [11, 3, 7, 9, 1, 5, 12, 10, 2, 6];

#[rustfmt::skip]
const ROWS: &[Row] = &[
    (0x100, MSTATUS, SSTATUS_READ, SSTATUS, S),
    (0x104, MIE, S_INTERRUPTS, S_INTERRUPTS, S),
    (0x105, 0x105, ALL, VECTOR, S),
    (0x106, 0x106, 7, 7, S),
    (SENVCFG, SENVCFG, ALL, FIOM | CACHE_BLOCKS, S),
    (0x140, 0x140, ALL, ALL, S),
    (0x141, 0x141, ALL, !1, S),
    (0x142, 0x142, ALL, ALL, S),
    (0x143, 0x143, ALL, ALL, S),
    (0x144, MIP, S_INTERRUPTS, 0x2, S),
    (SATP, SATP, ALL, ALL, S),
    (MSTATUS, MSTATUS, ALL, MSTATUS_WRITE, !S),
    (MISA, MISA, ALL, 0, !S),
    (MEDELEG, MEDELEG, ALL, 0xb3ff, S),
    (MIDELEG, MIDELEG, ALL, S_INTERRUPTS, S),
    (MIE, MIE, ALL, 0xaaa, !S),
    (0x305, 0x305, ALL, VECTOR, !S),
    (0x306, 0x306, 7, 7, !S),
    (MENVCFG, MENVCFG, ALL, ADUE | FIOM | CACHE_BLOCKS, !S),
    (0x340, 0x340, ALL, ALL, !S),
    (0x341, 0x341, ALL, !1, !S),
    (0x342, 0x342, ALL, ALL, !S),
    (0x343, 0x343, ALL, ALL, !S),
    (MIP, MIP, ALL, S_INTERRUPTS, !S),
    (0xf11, 0xf11, 0, 0, !S),
    (0xf12, 0xf12, 0, 0, !S),
    (0xf13, 0xf13, 0, 0, !S),
    (0xf14, 0xf14, 0, 0, !S),
    (0xf15, 0xf15, 0, 0, !S),
];

/// Where a register begins in the one that keeps it.
fn view(number: u16) -> u32 {
    if number == FRM { 5 } else { hypervisor::shift(number) }
}

/// What the extensions of a machine mean for its registers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Extensions {
    /// Letters of `misa` beside `i`: bit 0 is `a`.
    pub(crate) letters: u64,
    /// Instructions may be at any even address.
    pub(crate) compressed: bool,
    /// There is floating point in registers of its own.
    pub(crate) float: bool,
    /// There is floating point in integer registers.
    pub(crate) zfinx: bool,
    /// There are jumps by a table.
    pub(crate) tables: bool,
    /// What there is of vectors.
    pub(crate) vector: Extent,
    /// There is the hypervisor extension.
    pub(crate) hypervisor: bool,
    /// At reset, accesses set the accessed and dirty bits of page tables.
    pub(crate) marks_entries: bool,
}

/// The registers.
#[derive(Clone, Debug)]
pub(crate) struct Csrs {
    values: BTreeMap<u16, u64>,
    pub(crate) xlen: u32,
    /// The bits that an address of an instruction may have.
    pub(crate) address: u64,
    pub(crate) hypervisor: Hypervisor,
    /// Implemented levels, a bit each.
    levels: u8,
    /// There are jumps by a table, so a register says where it is.
    tables: bool,
    pub(crate) protection: Protection,
    pub(crate) triggers: Triggers,
    /// Interrupts that devices ask for, as bits of `mip`.
    pub(crate) lines: u64,
    /// Translation, protection or a trigger was asked for, so that levels may differ in how addresses are found.
    pub(crate) is_guarded: bool,
    /// Something that decides about interrupts was written.
    pub(crate) recheck: bool,
    /// What the time is ahead of the completed instructions.
    pub(crate) time_ahead: u64,
    /// The control register of floating point, and whether it may be used.
    pub(crate) float: Float,
    /// Vectors: their registers and control registers.
    pub(crate) vector: Unit,
    /// Instructions that were completed; also the time and the cycles.
    pub(crate) retired: u64,
    /// What `mcycle` and `minstret` are ahead of that.
    ahead: [u64; 2],
}

impl Csrs {
    /// The registers after reset.
    pub(crate) fn new(xlen: u32, levels: u8, start: Level, has: &Extensions) -> Csrs {
        let compressed = has.compressed;
        let float = Float::new(has.float, has.zfinx);
        let vector = Unit::new(has.vector);
        let mut values = BTreeMap::new();
        let base: u64 = if xlen == 32 { 1 << 30 } else { 2 << 62 };
        let letter = |c: u8| 1_u64 << (c - b'a');
        let mut misa = base | letter(b'i') | has.letters;
        if levels & 1 != 0 {
            misa |= letter(b'u');
        }
        if levels & 2 != 0 {
            misa |= letter(b's');
        }
        values.insert(MISA, misa);
        let widths = if xlen == 64 { 2 << 32 | 2 << 34 } else { 0 };
        let lowest = if levels & 1 != 0 { Level::User } else { Level::Mach };
        values.insert(MSTATUS, widths | (lowest as u64) << 11);
        let address = if compressed { !1 } else { !3 };
        if has.marks_entries {
            values.extend([(MENVCFG, ADUE), (HENVCFG, ADUE)]);
        }
        let mut csrs = Csrs {
            values,
            xlen,
            address,
            hypervisor: Hypervisor::new(has.hypervisor),
            levels,
            tables: has.tables,
            protection: Protection::new(),
            triggers: Triggers::new(),
            lines: 0,
            is_guarded: false,
            recheck: false,
            time_ahead: 0,
            float,
            vector,
            retired: 0,
            ahead: [0; 2],
        };
        csrs.start_guest(start);
        csrs
    }

    pub(crate) fn cut(&self, value: u64) -> u64 {
        if self.xlen == 32 { value & 0xffff_ffff } else { value }
    }

    fn get(&self, number: u16) -> u64 {
        let kept = self.values.get(&number).copied().unwrap_or(0);
        match number {
            FCSR => self.float.control(),
            MIP => kept | self.lines | self.injected(),
            MIDELEG if self.hypervisor.there => kept | HYPER_INTERRUPTS,
            HSTATUS => kept | self.widths(),
            // What each instruction of floating point looks at is kept apart; SD says that something is dirty.
            MSTATUS | VSSTATUS => {
                let [float, vector] = self.unit_states(number == VSSTATUS);
                let all = kept | float << FS | vector << VS | u64::from(float == 3 || vector == 3) << (self.xlen - 1);
                match number {
                    VSSTATUS => all | self.widths(),
                    _ if self.xlen == 64 => all | self.upper_status() << 32,
                    _ => all,
                }
            }
            _ => kept,
        }
    }

    fn set(&mut self, number: u16, value: u64) {
        let value = self.cut(value);
        match number {
            FCSR => self.float.set_control(value),
            MSTATUS | VSSTATUS => {
                self.set_unit_states(number == VSSTATUS, value);
                let mut kept = value & !(3 << FS | 3 << VS | 1 << (self.xlen - 1));
                if self.hypervisor.there && self.xlen == 64 {
                    if number == MSTATUS {
                        self.values.insert(MSTATUSH, value >> 32 & hypervisor::MSTATUSH_WRITE);
                        kept &= !(hypervisor::MSTATUSH_WRITE << 32);
                    } else {
                        kept &= !self.widths();
                    }
                }
                self.values.insert(number, kept);
            }
            _ => {
                self.values.insert(number, value);
            }
        }
    }

    /// The width of guests and their users, where it has a place in a register.
    fn widths(&self) -> u64 {
        if self.xlen == 64 { 2 << 32 } else { 0 }
    }

    /// What is kept for a register, without what it shows of others.
    pub(crate) fn raw(&self, number: u16) -> u64 {
        self.values.get(&number).copied().unwrap_or(0)
    }

    pub(crate) fn put_raw(&mut self, number: u16, value: u64) {
        self.values.insert(number, value);
    }

    /// What a register holds, whatever the level.
    pub(crate) fn kept(&self, number: u16) -> u64 {
        self.get(number)
    }

    /// Lets all levels do all that is done with blocks of the cache, as the machine level of a whole system would.
    pub(crate) fn allow_cache_blocks(&mut self) {
        self.values.extend([MENVCFG, SENVCFG, HENVCFG].map(|number| (number, CACHE_BLOCKS)));
    }

    /// The exception code of a cause.
    pub(crate) fn code(&self, cause: Cause, from: Level) -> u64 {
        if self.hypervisor.there { cause.code_with_guests(from) } else { cause.code(from) }
    }

    pub(crate) fn has(&self, level: Level) -> bool {
        self.levels >> (level as u8) & 1 == 1
    }

    fn row(&self, number: u16, level: Level) -> Option<Row> {
        let needed = number >> 8 & 3;
        if (level as u16) < needed {
            return None;
        }
        let own = if self.hypervisor.there { hypervisor::row(number, self.xlen) } else { None };
        let found = own.or(ROWS.iter().find(|r| r.0 == number).copied()).or(match number {
            // Event counters and what selects them: they read as 0.
            0x323..=0x33f | 0x320 | 0xb03..=0xb1f => Some((number, number, 0, 0, !S)),
            // All three are views of one; `view` shifts.
            FFLAGS if self.float.is_on() => Some((number, FCSR, 0x1f, 0x1f, !S)),
            FRM if self.float.is_on() => Some((number, FCSR, 0xe0, 0xe0, !S)),
            FCSR if self.float.is_on() => Some((number, FCSR, 0xff, 0xff, !S)),
            JVT if self.tables => Some((number, JVT, ALL, ALL, !S)),
            0x310 | 0xb83..=0xb9f if self.xlen == 32 => Some((number, number, 0, 0, !S)),
            _ => None,
        })?;
        if found.4 && !self.has(Level::Super) {
            return None;
        }
        // TVM: translation is the machine level's business.
        let is_translation = matches!(number, SATP | 0x680);
        let refused = is_translation && level == self.supervisor() && self.get(MSTATUS) >> 20 & 1 == 1;
        let (number, kept, readable, writable, needs) = found;
        let more = match number {
            _ if !self.hypervisor.there => 0,
            MSTATUS if self.xlen == 64 => hypervisor::MSTATUSH_WRITE << 32,
            MEDELEG => DELEGABLE,
            MIE => HYPER_INTERRUPTS,
            MIP => 0x4,
            _ => 0,
        };
        (!refused).then_some((number, kept, readable, writable | more, needs))
    }

    /// Which counter a number is, and whether its upper half.
    fn counter(&self, number: u16) -> Option<(usize, bool)> {
        let upper = number & 0x80 != 0;
        if upper && self.xlen != 32 {
            return None;
        }
        match number & !0x80 {
            0xc00 | 0xb00 => Some((0, upper)),
            0xc01 => Some((1, upper)),
            0xc02 | 0xb02 => Some((2, upper)),
            _ => None,
        }
    }

    fn count(&self, which: usize) -> u64 {
        let ahead = match which {
            0 => self.ahead[0],
            2 => self.ahead[1],
            1 => self.time_ahead,
            _ => 0,
        };
        self.retired.wrapping_add(ahead)
    }

    /// A register's value; `None` if the read is illegal.
    pub(crate) fn read(&self, number: u16, level: Level) -> Option<u64> {
        let (number, level) = self.lead(number, level)?;
        if let Some((which, upper)) = self.counter(number) {
            let allowed = |enable: u16| self.get(enable) >> which & 1 == 1;
            let ok = match level {
                Level::Mach => true,
                _ if number >> 8 == 0xb || !self.shows_counter(which, level) => false,
                Level::User if self.has(Level::Super) => allowed(0x306) && allowed(0x106),
                _ => allowed(0x306),
            };
            let delta = if which == 1 { self.time_delta(level) } else { 0 };
            let value = self.count(which).wrapping_add(delta);
            return ok.then(|| if upper { value >> 32 } else { self.cut(value) });
        }
        if let Some(value) = self.vector.control(number, self.xlen) {
            return Some(value);
        }
        if let Some(value) = self.read_guard(number).or_else(|| self.read_hypervisor(number)) {
            return (level as u16 >= number >> 8 & 3).then_some(value);
        }
        let (_, kept, readable, ..) = self.row(number, level)?;
        let readable = readable & self.delegated(number);
        let holds_address = matches!(kept, 0x141 | 0x341);
        let value = self.get(kept) & readable & if holds_address { self.address } else { ALL };
        Some(self.cut(value >> view(number)))
    }

    /// Writes a register; `None` if that is illegal.
    pub(crate) fn write(&mut self, number: u16, level: Level, value: u64) -> Option<()> {
        let (number, level) = self.lead(number, level)?;
        // The two highest bits of a number say that it is read-only.
        if number >> 10 == 3 {
            return None;
        }
        if let Some((which, upper)) = self.counter(number) {
            if level != Level::Mach {
                return None;
            }
            let old = self.count(which);
            let new = match (self.xlen, upper) {
                (32, true) => old & 0xffff_ffff | value << 32,
                (32, false) => old >> 32 << 32 | value,
                _ => value,
            };
            // The write itself is one instruction more.
            let ahead = new.wrapping_sub(self.retired).wrapping_sub(1);
            let at = usize::from(which == 2);
            if let Some(place) = self.ahead.get_mut(at) {
                *place = ahead;
            }
            return Some(());
        }
        if self.vector.set_control(number, value).is_some() {
            return Some(());
        }
        if self.read_guard(number).is_some() {
            return (level as u16 >= number >> 8 & 3).then(|| self.write_guard(number, value)).flatten();
        }
        if level as u16 >= number >> 8 & 3 && self.write_hypervisor(number, value).is_some() {
            return Some(());
        }
        let (_, kept, _, writable, _) = self.row(number, level)?;
        let writable = writable & self.delegated(number);
        if number == SATP {
            if !Paging::is_known(value, self.xlen) {
                return Some(());
            }
            self.is_guarded |= value != 0;
        }
        let Some(value) = self.guest_paging_written(kept, value) else { return Some(()) };
        self.is_guarded |= Csrs::is_guest_paging(kept) && value != 0;
        let value = value << view(number);
        let (old, old_kept) = (self.get(kept), self.values.get(&kept).copied().unwrap_or(0));
        let mut new = old & !writable | value & writable;
        if number == MSTATUS && !self.can_return_to(new >> 11) {
            new = new & !(3 << 11) | old & 3 << 11;
        }
        if kept == MSTATUS && !self.has(Level::Super) {
            new &= !(SSTATUS & !(3 << FS | 3 << VS | 1 << 18 | 1 << 19));
        }
        if kept == MIP {
            // What is read includes what devices ask for and what is set for guests, and must not stay by being written back.
            self.inject(new);
            let elsewhere = self.lines | if self.hypervisor.there { HYPER_INTERRUPTS } else { 0 };
            new = new & !elsewhere | old_kept & elsewhere;
        }
        if number == MENVCFG && self.xlen == 32 {
            new = new & !ADUE | old_kept & ADUE;
            self.values.insert(kept, new);
            return Some(());
        }
        self.recheck |= matches!(kept, MSTATUS | MIE | MIP | MIDELEG) || hypervisor::is_about_interrupts(kept);
        self.set(kept, new);
        Some(())
    }

    /// The bits of a register that a level sees: of `sie` and `sip` those of interrupts that are delegated.
    fn delegated(&self, number: u16) -> u64 {
        match number {
            0x104 | 0x144 => self.get(MIDELEG),
            0x204 | 0x244 => self.to_guest(),
            _ => ALL,
        }
    }

    /// A register of protection or of triggers, or the upper half of settings, if the number is of one.
    fn read_guard(&self, number: u16) -> Option<u64> {
        match number {
            0x31a if self.xlen == 32 => Some(self.get(MENVCFG) >> 32),
            0x3a0..=0x3ef => self.protection.read(number, self.xlen),
            0x7a0..=0x7a5 => self.triggers.read(number, self.xlen),
            _ => None,
        }
    }

    fn write_guard(&mut self, number: u16, value: u64) -> Option<()> {
        match number {
            0x31a => {
                let new = self.get(MENVCFG) & !ADUE | value << 32 & ADUE;
                self.values.insert(MENVCFG, new);
                return Some(());
            }
            0x3a0..=0x3ef => self.protection.write(number, self.xlen, value)?,
            _ => {
                self.triggers.write(number, self.cut(value))?;
                // One on code is looked at between instructions from now on.
                self.recheck = true;
            }
        }
        self.is_guarded = true;
        Some(())
    }

    /// The page tables that are in use below the machine level.
    pub(crate) fn paging(&self) -> Option<Paging> {
        Paging::of(self.get(SATP), self.xlen)
    }

    /// Whether the supervisor may use pages of the user (SUM), and whether what can be executed can be read (MXR).
    pub(crate) fn memory_rights(&self) -> (bool, bool) {
        let status = self.get(MSTATUS);
        (status >> 18 & 1 == 1, status >> 19 & 1 == 1)
    }

    /// How addresses are found with the rights of a level.
    fn space(&self, level: Level) -> Space {
        let paging = self.paging().filter(|_| level <= self.supervisor());
        // Without protection and without translation all levels are the same.
        if paging.is_none() && !self.protection.is_used {
            return Space::PLAIN;
        }
        let (sum, mxr) = self.memory_rights();
        Space { level, paging, sum: sum && paging.is_some(), mxr: mxr && paging.is_some(), ..Space::PLAIN }
    }

    /// How addresses are found with the rights of a level, a guest's or not.
    fn space_of(&self, level: Level, guest: bool) -> Space {
        if guest { self.guest_space(level) } else { self.space(level) }
    }

    /// How the instructions of a level are found.
    pub(crate) fn code_space(&self, level: Level) -> Space {
        Space { sum: false, mxr: false, under_mxr: false, ..self.space_of(level, self.is_guest(level)) }
    }

    /// How addresses are found at a level.
    pub(crate) fn view(&self, level: Level) -> View {
        let (whose, guest) = self.data_rights(level);
        View { data: self.space_of(whose, guest), code: self.code_space(level), armed: self.triggers.armed(level) }
    }

    /// Whether accesses set the accessed and dirty bits of page tables.
    pub(crate) fn marks_entries(&self) -> bool {
        self.get(MENVCFG) & ADUE != 0
    }

    /// Whether what follows is the machine level's business alone: with bit 20 (TVM) translation, with bit 21 (TW) waiting.
    pub(crate) fn is_reserved(&self, level: Level, bit: u32) -> bool {
        level != Level::Mach && self.get(MSTATUS) >> bit & 1 == 1
    }

    /// Interrupts that are enabled each by itself, and are there (`mip` and `mie`).
    pub(crate) fn pending(&self) -> u64 {
        self.get(MIP) & self.get(MIE)
    }

    /// Interrupts that are enabled each by itself (`mie`).
    pub(crate) fn enabled(&self) -> u64 {
        self.get(MIE)
    }

    /// Whether an interrupt is enabled by itself.
    pub(crate) fn is_enabled(&self, number: u32) -> bool {
        self.get(MIE) >> number & 1 == 1
    }

    /// The interrupt that a program at a level is interrupted by, and the level that it goes to.
    pub(crate) fn interrupt(&self, level: Level) -> Option<(u32, Level)> {
        let pending = self.pending();
        if pending == 0 {
            return None;
        }
        let (status, delegated) = (self.get(MSTATUS), self.get(MIDELEG));
        let (own, guests) = (self.supervisor(), self.to_guest());
        let machine = level < Level::Mach || status >> 3 & 1 == 1;
        let supervisor = level < own || level == own && status >> 1 & 1 == 1;
        let open = |all: u64, is_open: bool, to: Level| {
            let first = INTERRUPTS.into_iter().find(|&n| all >> n & 1 == 1);
            first.filter(|_| is_open).map(|n| (n, to))
        };
        open(pending & !delegated, machine, Level::Mach)
            .or_else(|| open(pending & delegated & !guests, supervisor, own))
            .or_else(|| open(pending & guests, self.guest_is_open(level), Level::Super))
    }

    /// The register with the address of a level's handler.
    fn vector_of(&self, level: Level) -> u16 {
        match level {
            Level::Super if self.hypervisor.there => VSTVEC,
            level if level == self.supervisor() => 0x105,
            _ => 0x305,
        }
    }

    /// The number of an interrupt as the level that takes it knows it.
    pub(crate) fn own_number(&self, level: Level, number: u32) -> u32 {
        if self.is_guest(level) { number - 1 } else { number }
    }

    /// The address that an interrupt goes to at a level; `None` if nobody has said where that is.
    pub(crate) fn interrupt_handler(&self, level: Level, number: u32) -> Option<u64> {
        let value = *self.values.get(&self.vector_of(level))?;
        let number = self.own_number(level, number);
        Some(self.cut((value & !3).wrapping_add(if value & 3 == 1 { 4 * u64::from(number) } else { 0 })))
    }

    /// The level that handles a trap, and the address of its handler; `None` if nobody has said where that is.
    pub(crate) fn handler(&self, from: Level, code: u64) -> (Level, Option<u64>) {
        if self.hypervisor.there {
            return self.handler_of(self.handling(from, code));
        }
        let delegated = from <= Level::Super && self.has(Level::Super) && self.get(MEDELEG) >> code & 1 == 1;
        self.handler_of(if delegated { Level::Super } else { Level::Mach })
    }

    /// A level that handles traps, and the address of its handler; `None` if nobody has said where that is.
    pub(crate) fn handler_of(&self, level: Level) -> (Level, Option<u64>) {
        (level, self.values.get(&self.vector_of(level)).map(|address| address & !3))
    }

    /// Takes a trap at the level that handles it.
    pub(crate) fn trap(&mut self, from: Level, level: Level, (code, value): (u64, u64), pc: u64, details: &Details) {
        if self.is_guest(level) {
            self.enter_guest(from, code, value, pc);
            return;
        }
        let (status, origin) = (self.get(MSTATUS), self.origin(from));
        if level == self.supervisor() {
            self.set(0x141, pc);
            self.set(0x142, code);
            self.set(0x143, value);
            let enabled = status >> 1 & 1;
            let new = status & !(1 << 8 | 1 << 5 | 1 << 1) | origin << 8 | enabled << 5;
            self.set(MSTATUS, new);
            self.enter_host(from, details);
            return;
        }
        self.triggers.enter();
        self.set(0x341, pc);
        self.set(0x342, code);
        self.set(0x343, value);
        let enabled = status >> 3 & 1;
        self.set(MSTATUS, status & !(3 << 11 | 1 << 7 | 1 << 3) | origin << 11 | enabled << 7);
        self.enter_machine(details);
    }

    /// Leaves the handler of a level (1 or 3): gives the level to go on at, and where; `None` if that is illegal.
    pub(crate) fn trap_return(&mut self, handler: u8, level: Level) -> Option<(Level, u64)> {
        let status = self.get(MSTATUS);
        let lowest = if self.has(Level::User) { Level::User } else { Level::Mach };
        if handler == 3 {
            if level != Level::Mach {
                return None;
            }
            let enabled = status >> 7 & 1;
            let mut new = status & !(3 << 11 | 1 << 3) | (lowest as u64) << 11 | 1 << 7 | enabled << 3;
            if status >> 11 & 3 != 3 {
                new &= !(1 << 17);
            }
            self.triggers.leave();
            self.set(MSTATUS, new);
            return Some((self.leave_machine(status >> 11), self.get(0x341) & self.address));
        }
        if self.is_guest(level) {
            return self.leave_guest(level);
        }
        // TSR: returns from the supervisor are the machine level's business.
        let refused = level == self.supervisor() && status >> 22 & 1 == 1;
        if level < Level::Super || refused || !self.has(Level::Super) {
            return None;
        }
        let enabled = status >> 5 & 1;
        let new = status & !(1 << 8 | 1 << 1 | 1 << 17) | 1 << 5 | enabled << 1;
        self.set(MSTATUS, new);
        Some((self.leave_host(status >> 8 & 1), self.get(0x141) & self.address))
    }
}
