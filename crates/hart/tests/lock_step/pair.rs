//! Two machines with one program, of which one runs machine code: they run the same number of instructions again and again, and
//! every time all that can be seen of them but memory is equal; at the end memory is, too.
//!
//! Two ways: *by blocks*, where each block is machine code of its own and all is compared after each of them; and *linked*, where machine code is made
//! of what is hot, with the blocks that follow, as in use, and all is compared after random numbers of instructions, so that code of many blocks
//! is left at each of its places.

use isaglot_hart::limits::MAX_REGION_BLOCKS;
use isaglot_hart::oracle::difference;
use isaglot_hart::{Hart, Stop};
use isaglot_testing::Random;

/// How machine code is made, and after what machines are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Way {
    Blocks,
    Linked,
}

pub(crate) const WAYS: [Way; 2] = [Way::Blocks, Way::Linked];

/// Runs of code before it is hot, where blocks are linked.
const HOT: u16 = 3;

/// `fcsr`, those of vectors, those of traps at both levels, contexts, counters.
const CSRS: [u16; 27] = [
    0x003, 0x008, 0x009, 0x00a, 0x00f, 0xc20, 0xc21, 0x300, 0x302, 0x303, 0x304, 0x305, 0x340, 0x341, 0x342, 0x343,
    0x344, 0x100, 0x105, 0x140, 0x141, 0x142, 0x143, 0x180, 0x5c0, 0x7c0, 0xb02,
];

/// What was compared.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Count {
    /// Comparisons of all registers.
    pub(crate) compared: u64,
    /// Instructions.
    pub(crate) ran: u64,
    /// Of these, by machine code.
    pub(crate) native: u64,
}

impl std::ops::AddAssign for Count {
    fn add_assign(&mut self, other: Count) {
        self.compared += other.compared;
        self.ran += other.ran;
        self.native += other.native;
    }
}

impl std::fmt::Display for Count {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let share = 100.0 * self.native as f64 / self.ran.max(1) as f64;
        write!(f, "{} instructions, {share:.1} % of them as machine code; {} comparisons", self.ran, self.compared)
    }
}

pub(crate) struct Pair<'a> {
    pub(crate) plain: Hart<'a>,
    pub(crate) native: Hart<'a>,
    way: Way,
    count: Count,
}

impl<'a> Pair<'a> {
    /// Of two machines that are alike.
    pub(crate) fn new(plain: Hart<'a>, mut native: Hart<'a>, way: Way) -> Result<Pair<'a>, String> {
        native.set_native(true)?;
        match way {
            Way::Blocks => native.native_from(1, 1),
            Way::Linked => native.native_from(HOT, MAX_REGION_BLOCKS),
        }
        Ok(Pair { plain, native, way, count: Count::default() })
    }

    /// Runs both to the end, or at least so many instructions; gives the end, and what was compared.
    pub(crate) fn run(mut self, most: u64, r: &mut Random) -> Result<(Stop, Count, Hart<'a>), String> {
        loop {
            let steps = match self.way {
                Way::Blocks => self.native.block_length(),
                Way::Linked => {
                    let most = *r.pick(&[4, 40, 400, 4000]);
                    r.below(most) + 1
                }
            };
            let from = self.plain.pc();
            let (one, other) = (self.plain.run(steps), self.native.run(steps));
            let (way, ran) = (self.way, self.count.ran);
            let place =
                |what: String| format!("{what}, {way:?}, after {ran} instructions at {from:#x} and {steps} more");
            if one != other {
                return Err(place(format!("the end is {one:?} or {other:?}")));
            }
            self.compare().map_err(place)?;
            self.count.ran += steps;
            self.count.compared += 1;
            if one != Stop::Limit || self.count.ran >= most {
                if let Some(at) = difference(&self.plain, &self.native) {
                    return Err(place(format!("memory differs at {at:#x}")));
                }
                if self.plain.calls() != self.native.calls() || self.plain.take_console() != self.native.take_console()
                {
                    return Err(place("what devices were asked or what was printed differs".to_owned()));
                }
                self.count.native = self.native.native_count();
                return Ok((one, self.count, self.native));
            }
        }
    }

    /// What differs now.
    fn compare(&self) -> Result<(), String> {
        let (a, b) = (&self.plain, &self.native);
        let differ = |what: &str, a: u64, b: u64| Err(format!("{what}: {a:#x} interpreted, {b:#x} as machine code"));
        if a.pc() != b.pc() {
            return differ("pc", a.pc(), b.pc());
        }
        if a.retired() != b.retired() {
            return differ("completed instructions", a.retired(), b.retired());
        }
        if a.level() != b.level() {
            return differ("level", a.level() as u64, b.level() as u64);
        }
        for n in 0..32 {
            if a.register(n) != b.register(n) {
                return differ(&format!("x{n}"), a.register(n), b.register(n));
            }
            if a.float_register(n) != b.float_register(n) {
                return differ(&format!("f{n}"), a.float_register(n), b.float_register(n));
            }
        }
        if a.vector_registers() != b.vector_registers() {
            let at = a.vector_registers().iter().zip(b.vector_registers()).position(|(a, b)| a != b);
            return Err(format!("vector registers at byte {at:?}"));
        }
        for n in CSRS {
            if a.csr(n) != b.csr(n) {
                return Err(format!("csr {n:#x}: {:x?} interpreted, {:x?} as machine code", a.csr(n), b.csr(n)));
            }
        }
        if a.call_count() != b.call_count() {
            return differ("calls of devices", a.call_count(), b.call_count());
        }
        for device in 0..8 {
            if a.device_variables(device) != b.device_variables(device) {
                return Err(format!("variables of {}", a.device_name(device)));
            }
        }
        Ok(())
    }
}
