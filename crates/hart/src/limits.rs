//! Every bound of the hart, by name.

/// The most memory that a program can touch, in bytes. Beyond it an access faults.
pub const MAX_MEMORY: usize = 256 << 20;

/// The longest block of pre-decoded instructions.
pub const MAX_BLOCK: usize = 64;

/// Branches of a block after which it goes on.
pub const MAX_BRANCHES: usize = 4;

/// How many blocks are kept; a power of two.
pub const BLOCKS: usize = 1 << 13;

/// How many spaces of code have their blocks kept beside those of the current one.
pub const SPACES: usize = 8;

/// The most device calls that are logged; later ones are only counted.
pub const MAX_CALLS: usize = 1 << 20;

/// The most bytes of console output that are kept; later ones are dropped.
pub const MAX_CONSOLE: usize = 1 << 24;

/// After so many instructions a command to the host acts of which only a part was stored.
pub const PATIENCE: u64 = 64;

/// The most bytes that a system call moves at once; a program asks again for the rest.
pub const MAX_TRANSFER: u64 = 1 << 20;

/// The longest path that a program can name, in bytes.
pub const MAX_PATH: u64 = 4096;

/// The most threads of a process beside the first.
pub const MAX_THREADS: usize = 1 << 10;

/// Instructions after which another thread of a process has its turn.
pub const TURN: u64 = 10_000;

/// The most regions of memory that a process can have.
pub const MAX_REGIONS: usize = 1 << 14;

/// The most kinds of unknown requests that are told.
pub const MAX_UNKNOWN: usize = 64;

/// The most files that a program can have open, beside the three that are.
pub const MAX_FILES: usize = 1024;

/// The most devices: their number has 12 bits.
pub const MAX_DEVICES: usize = 1 << 12;

/// The deepest nesting of a device's expression.
pub const MAX_DEPTH: usize = 64;

/// The exception code of the traps of overloadable opcodes where they have one of their own and the machine's file says none.
pub const TRAP_CAUSE: u8 = 24;

/// The shortest and the longest vector register, in bits.
pub const MIN_VLEN: u32 = 32;
/// See [`MIN_VLEN`].
pub const MAX_VLEN: u32 = 4096;

/// Bits of a vector register where neither the machine nor its extensions say more.
pub const VLEN: u32 = 128;

/// Where programs are loaded that do not say where, and how much memory is there.
pub const RAM: (u64, u64) = (0x8000_0000, 128 << 20);

/// Bytes of a block of the cache where nothing is said, as RISC-V's profiles have it (Zic64b).
pub const CACHE_BLOCK: u64 = 64;

/// How large a block of the cache can be.
pub const CACHE_BLOCKS: std::ops::RangeInclusive<u64> = 8..=4096;

/// How often code has to be run before it is made machine code: to translate an instruction takes as long as to interpret it thousands of times.
pub const HOT: u16 = 4000;

/// Code that is made machine code with other code has been run one in so many times of that.
pub const WARM: u16 = 16;

/// The most instructions that are made machine code together, but for the rest of a block.
pub const MAX_REGION: usize = 300;

/// The most blocks of them.
pub const MAX_REGION_BLOCKS: usize = 64;

/// Where fewer instructions are allowed than this, they are interpreted.
pub const NATIVE_LEAST: u64 = 256;
/// Where the timer and software interrupts of a machine are that does not say: the address that SiFive's CLINT has.
pub const CLINT: u64 = 0x200_0000;

/// Where the serial port of a machine is that does not say: the address that QEMU's machine `virt` has.
pub const UART: u64 = 0x1000_0000;

/// Instructions between two looks for input that was not there yet, where a program waits for it by other means than `wfi`.
pub const INPUT_SLICE: u64 = 1 << 14;

/// Where the interrupt controller of a machine is that does not say: the address that QEMU's machine `virt` has.
pub const PLIC: u64 = 0xc00_0000;
