//! The timer and software interrupts of a machine with one hart, at the addresses that SiFive's CLINT has and others took over.
//!
//! | offset | bytes | is |
//! |---|---|---|
//! | 0 | 4 | bit 0: the software interrupt of the machine level |
//! | 0x4000 | 8 | `mtimecmp`: the timer interrupt is there while `mtime` is not below it |
//! | 0xbff8 | 8 | `mtime` |
//!
//! All else is 0. The time is the number of completed instructions, so that a run is the same every time; waiting moves it on.
//! Where memory is at these addresses, memory it is. Invariant: an instruction that uses the device runs by itself, so `now` is exact.

/// Bytes of the device.
const LENGTH: u64 = 0xc000;
const COMPARE: u64 = 0x4000;
const TIME: u64 = 0xbff8;

/// Bits of `mip`.
const SOFTWARE: u32 = 3;
const TIMER: u32 = 7;

/// The device.
#[derive(Clone, Debug)]
pub(crate) struct Clint {
    /// Its first address, if the machine has it.
    pub(crate) base: Option<u64>,
    is_software: bool,
    compare: u64,
    /// External interrupts that something outside asks for, as bits of `mip`.
    pub(crate) external: u64,
    /// What the time is ahead of the completed instructions.
    pub(crate) ahead: u64,
    /// Instructions completed before the one that uses the device.
    pub(crate) now: u64,
}

impl Clint {
    pub(crate) fn new() -> Clint {
        Clint { base: None, is_software: false, compare: u64::MAX, external: 0, ahead: 0, now: 0 }
    }

    /// The offset of an access in the device, if all of it is there.
    pub(crate) fn offset(&self, at: u64, length: u64) -> Option<u64> {
        at.checked_sub(self.base?).filter(|&offset| offset + length <= LENGTH)
    }

    /// Whether any of a region is where the device is.
    pub(crate) fn meets(&self, first: u64, length: u64) -> bool {
        self.base.is_some_and(|base| first < base.saturating_add(LENGTH) && base < first.saturating_add(length))
    }

    fn time(&self, completed: u64) -> u64 {
        completed.wrapping_add(self.ahead)
    }

    /// The registers that have any of these bytes: the first byte and the value of each.
    fn registers(&self) -> [(u64, u64); 3] {
        [(0, self.is_software.into()), (COMPARE, self.compare), (TIME, self.time(self.now))]
    }

    pub(crate) fn load(&mut self, offset: u64, into: &mut [u8]) {
        for (byte, at) in into.iter_mut().zip(offset..) {
            let here = self.registers().into_iter().find(|&(first, _)| (first..first + 8).contains(&at));
            *byte = here.map_or(0, |(first, value)| (value >> (8 * (at - first))) as u8);
        }
    }

    pub(crate) fn store(&mut self, offset: u64, bytes: &[u8]) {
        let [software, compare, time] = self.registers().map(|(first, value)| {
            let each = bytes.iter().zip(offset..).filter(|(_, at)| (first..first + 8).contains(at));
            each.fold(value, |value, (&byte, at)| {
                let shift = 8 * (at - first);
                value & !(0xff << shift) | u64::from(byte) << shift
            })
        });
        self.is_software = software & 1 == 1;
        self.compare = compare;
        if time != self.time(self.now) {
            // The store itself is one instruction more.
            self.ahead = time.wrapping_sub(self.now).wrapping_sub(1);
        }
    }

    /// The bits of `mip` after so many completed instructions.
    pub(crate) fn lines(&self, completed: u64) -> u64 {
        u64::from(self.is_software) << SOFTWARE | self.external | u64::from(self.until(completed) == 0) << TIMER
    }

    /// How many instructions the timer interrupt is away.
    pub(crate) fn until(&self, completed: u64) -> u64 {
        self.compare.saturating_sub(self.time(completed))
    }

    /// Whether there is a time at which the interrupt comes.
    pub(crate) fn is_set(&self) -> bool {
        self.compare != u64::MAX
    }

    /// Moves the time on to the timer interrupt.
    pub(crate) fn skip(&mut self, completed: u64) {
        self.ahead = self.ahead.wrapping_add(self.until(completed));
    }
}
