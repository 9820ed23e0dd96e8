//! A controller of external interrupts for one hart, with the registers of RISC-V's platform-level interrupt controller (PLIC).
//!
//! | offset | is |
//! |---|---|
//! | 4 × n | the priority of source n, 0 to 7; 0 never interrupts |
//! | 0x1000 | which sources wait, a bit each |
//! | 0x2000 + 0x80 × t | which sources target t takes |
//! | 0x200000 + 0x1000 × t | its threshold: sources of a higher priority interrupt |
//! | 0x200004 + 0x1000 × t | a load takes the source of the highest priority that waits, a store of its number says that it is done |
//!
//! Target 0 is the machine level, 1 the supervisor. Registers have 32 bits and are read and written whole. Of equal priorities the lower
//! number comes first. Invariant: a source waits from when it asks until it is taken, and not again before it is done; so nothing is lost
//! and nothing comes twice. Where memory is at these addresses, memory it is.

/// Bytes of the device.
const LENGTH: u64 = 0x400_0000;
/// Sources 1 to this number.
pub(crate) const SOURCES: u32 = 63;
const TARGETS: usize = 2;
const PRIORITY: u32 = 7;
/// The bits of `mip` of the targets.
const BITS: [u32; TARGETS] = [11, 9];

/// A register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    Priority(usize),
    /// The lower half of the sources, or the upper one.
    Pending(u32),
    Enable(usize, u32),
    Threshold(usize),
    Claim(usize),
    Nothing,
}

fn place(offset: u64) -> Place {
    let half = |at: u64| if at & 4 == 0 { 0 } else { 32 };
    match offset {
        0..0x1000 if offset / 4 <= u64::from(SOURCES) => Place::Priority((offset / 4) as usize),
        0x1000..0x1008 => Place::Pending(half(offset)),
        0x2000..0x2100 if offset & 0x7f < 8 => Place::Enable((offset >> 7 & 1) as usize, half(offset)),
        0x20_0000..0x20_2000 if offset & 0xfff < 8 => {
            let target = (offset >> 12 & 1) as usize;
            if offset & 4 == 0 { Place::Threshold(target) } else { Place::Claim(target) }
        }
        _ => Place::Nothing,
    }
}

/// The device.
#[derive(Clone, Debug)]
pub(crate) struct Plic {
    /// Its first address, if the machine has it.
    pub(crate) base: Option<u64>,
    priority: [u32; SOURCES as usize + 1],
    /// What sources ask for now; what waits; what was taken and is not done.
    asks: u64,
    waits: u64,
    taken: u64,
    enabled: [u64; TARGETS],
    threshold: [u32; TARGETS],
}

impl Plic {
    pub(crate) fn new() -> Plic {
        let priority = [0; SOURCES as usize + 1];
        Plic { base: None, priority, asks: 0, waits: 0, taken: 0, enabled: [0; TARGETS], threshold: [0; TARGETS] }
    }

    /// The offset of an access in the device, if it is that of a whole register.
    pub(crate) fn offset(&self, at: u64, length: u64) -> Option<u64> {
        at.checked_sub(self.base?).filter(|&offset| offset < LENGTH && offset & 3 == 0 && length == 4)
    }

    /// Whether any of a region is where the device is.
    pub(crate) fn meets(&self, first: u64, length: u64) -> bool {
        self.base.is_some_and(|base| first < base.saturating_add(LENGTH) && base < first.saturating_add(length))
    }

    /// A source asks, or no longer does.
    pub(crate) fn set_source(&mut self, number: u32, asks: bool) {
        if !(1..=SOURCES).contains(&number) {
            return;
        }
        self.asks = self.asks & !(1 << number) | u64::from(asks) << number;
        self.look();
    }

    fn look(&mut self) {
        self.waits |= self.asks & !self.taken;
    }

    fn priority(&self, source: u32) -> u32 {
        self.priority.get(source as usize).copied().unwrap_or(0)
    }

    /// The source that comes first for a target, if its priority is above this.
    fn first(&self, target: usize, above: u32) -> Option<u32> {
        let open = self.waits & self.enabled.get(target).copied().unwrap_or(0);
        let all = (1..=SOURCES).filter(|&n| open >> n & 1 == 1 && self.priority(n) > above);
        all.min_by_key(|&n| (PRIORITY - self.priority(n), n))
    }

    /// The bits of `mip` that a source would ask for.
    pub(crate) fn reach(&self, source: u32) -> u64 {
        let passes = |target: usize| {
            let at = |all: &[u32]| all.get(target).copied().unwrap_or(0);
            let enabled = self.enabled.get(target).is_some_and(|all| all >> source & 1 == 1);
            enabled && self.taken >> source & 1 == 0 && self.priority(source) > at(&self.threshold)
        };
        (0..TARGETS).zip(BITS).fold(0, |all, (target, bit)| all | u64::from(passes(target)) << bit)
    }

    /// The bits of `mip` that it asks for.
    pub(crate) fn lines(&self) -> u64 {
        if self.waits == 0 {
            return 0;
        }
        let asks = |target: usize| self.first(target, self.threshold.get(target).copied().unwrap_or(0)).is_some();
        (0..TARGETS).zip(BITS).fold(0, |all, (target, bit)| all | u64::from(asks(target)) << bit)
    }

    pub(crate) fn load(&mut self, offset: u64) -> u32 {
        match place(offset) {
            Place::Priority(n) => self.priority.get(n).copied().unwrap_or(0),
            Place::Pending(shift) => (self.waits >> shift) as u32,
            Place::Enable(target, shift) => (self.enabled.get(target).copied().unwrap_or(0) >> shift) as u32,
            Place::Threshold(target) => self.threshold.get(target).copied().unwrap_or(0),
            Place::Claim(target) => {
                // The threshold holds interrupts back, not what is taken.
                let Some(source) = self.first(target, 0) else { return 0 };
                self.waits &= !(1 << source);
                self.taken |= 1 << source;
                source
            }
            Place::Nothing => 0,
        }
    }

    pub(crate) fn store(&mut self, offset: u64, value: u32) {
        match place(offset) {
            Place::Priority(0) | Place::Pending(_) | Place::Nothing => {}
            Place::Priority(n) => self.priority.get_mut(n).into_iter().for_each(|p| *p = value & PRIORITY),
            Place::Enable(target, shift) => {
                if let Some(all) = self.enabled.get_mut(target) {
                    // There is no source 0.
                    *all = (*all & !(0xffff_ffff << shift) | u64::from(value) << shift) & !1;
                }
            }
            Place::Threshold(target) => self.threshold.get_mut(target).into_iter().for_each(|t| *t = value & PRIORITY),
            Place::Claim(target) => {
                let is_its = |all: &u64| value <= SOURCES && all >> value & 1 == 1;
                if self.enabled.get(target).is_some_and(is_its) {
                    self.taken &= !(1 << value);
                    self.look();
                }
            }
        }
    }
}
