//! What instructions act on: registers, memory, control and status registers, the maps of overloadable opcodes. The
//! generated executor calls the methods that the description declares as external.

#[cfg(feature = "jit")]
use crate::block::Block;
pub(crate) use crate::cause::Fault;
pub use crate::cause::{Cause, Level};
use crate::csr::Csrs;
use crate::device::Device;
use crate::limits::{CACHE_BLOCK, MAX_CALLS};
use crate::maps::Maps;
use crate::memory::Memory;
use crate::recent::Recent;
use crate::vector_state::VectorAccess;

/// One command that a device ran.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call {
    /// The device, by its place in the configuration.
    pub device: usize,
    /// The level of the program.
    pub level: Level,
    /// The number of the context in force; 0 if the machine has none.
    pub context: u16,
    /// The subdevice.
    pub sub: u16,
    /// The command.
    pub command: u8,
    /// The whole of rs1: handle and data.
    pub rs1: u64,
    /// The whole of rs2.
    pub rs2: u64,
    /// What the device gave.
    pub result: u64,
}

/// The number of the machine level's timer interrupt.
pub(crate) const TIMER: u32 = 7;

/// Where the registers of floating point begin.
pub(crate) const FLOATS: usize = 64;

/// What machine code leaves: where execution goes on, the block that was left, how, and what it was told of memory.
#[cfg(feature = "jit")]
#[derive(Debug, Default)]
pub(crate) struct NativeState {
    pub(crate) pc: u64,
    pub(crate) block: u64,
    pub(crate) left: u64,
    pub(crate) failed: u64,
    pub(crate) address: u64,
    pub(crate) value: u64,
    /// Why an instruction that it called has trapped.
    pub(crate) fault: Option<Fault>,
    /// Where an instruction stands that it calls.
    pub(crate) one: Option<Block>,
}

/// A hart's state.
pub(crate) struct Machine {
    /// Registers: those of integers, and from [`FLOATS`] on those of floating point; all others are nobody's.
    pub(crate) x: [u64; 256],
    pub(crate) memory: Memory,
    pub(crate) csrs: Csrs,
    pub(crate) level: Level,
    pub(crate) xlen: u32,
    /// Bytes of a block of the cache, a power of two of at least 8.
    pub(crate) cache_block: u64,
    reservation: Option<u64>,
    pub(crate) maps: Maps,
    pub(crate) devices: Vec<(String, Box<dyn Device>)>,
    pub(crate) calls: Vec<Call>,
    pub(crate) call_count: u64,
    /// Calls are logged, and not only counted.
    pub(crate) logs_calls: bool,
    /// A number that is another one whenever a handle may mean something else: the level, and above it how often contexts were switched.
    pub(crate) map_state: u64,
    pub(crate) recent: Recent,
    /// What vector instructions have loaded and stored, where somebody wants to know it.
    pub(crate) accesses: Option<Vec<VectorAccess>>,
    #[cfg(feature = "jit")]
    pub(crate) native: NativeState,
}

impl Machine {
    pub(crate) fn new(xlen: u32, memory: Memory, csrs: Csrs, level: Level, maps: Maps) -> Machine {
        Machine {
            x: [0; 256],
            memory,
            csrs,
            level,
            xlen,
            cache_block: CACHE_BLOCK,
            reservation: None,
            devices: Vec::new(),
            calls: Vec::new(),
            call_count: 0,
            logs_calls: true,
            map_state: maps.generation << 2 | level as u64,
            maps,
            recent: Recent::new(),
            accesses: None,
            #[cfg(feature = "jit")]
            native: NativeState::default(),
        }
    }

    /// Goes to a level.
    pub(crate) fn set_level(&mut self, level: Level) {
        self.level = level;
        self.number_map();
    }

    /// Numbers what handles mean now.
    fn number_map(&mut self) {
        self.map_state = self.maps.generation << 2 | self.level as u64;
    }

    /// A value as a register of this width holds it.
    pub(crate) fn cut(&self, value: u64) -> u64 {
        if self.xlen == 32 { value & 0xffff_ffff } else { value }
    }

    pub(crate) fn csr_read(&mut self, number: u16) -> Result<u64, Fault> {
        self.look_at_devices();
        self.control(number, self.level).ok_or_else(|| self.refusal(number, false))
    }

    pub(crate) fn csr_write(&mut self, number: u16, value: u64) -> Result<(), Fault> {
        self.look_at_devices();
        self.set_control(number, self.level, value).ok_or_else(|| self.refusal(number, true))?;
        self.csrs_written();
        Ok(())
    }

    /// A control and status register as a level reads it; `None` if that is illegal.
    pub(crate) fn control(&self, number: u16, level: Level) -> Option<u64> {
        if self.csrs.is_guest(level) && self.maps.is_register(number) {
            return None;
        }
        self.maps.read(number, level).unwrap_or_else(|| self.csrs.read(number, level))
    }

    /// Writes a control and status register as a level does; `None` if that is illegal.
    pub(crate) fn set_control(&mut self, number: u16, level: Level, value: u64) -> Option<()> {
        if self.csrs.is_guest(level) && self.maps.is_register(number) {
            return None;
        }
        match self.maps.write(number, level, value) {
            Some(written) => {
                self.number_map();
                written
            }
            None => self.csrs.write(number, level, value),
        }
    }

    /// Takes over what the devices say at this moment: interrupts and the time.
    pub(crate) fn look_at_devices(&mut self) {
        self.csrs.lines = self.memory.clint.lines(self.csrs.retired) | self.memory.plic.lines();
        self.csrs.time_ahead = self.memory.clint.ahead;
    }

    /// A register was written, or the level has changed: looks again at how addresses are found, and at interrupts.
    pub(crate) fn csrs_written(&mut self) {
        self.memory.attention |= self.csrs.recheck;
        if self.csrs.is_guarded {
            let view = self.csrs.view(self.level);
            let (marks, protection) = (self.csrs.marks_entries(), &self.csrs.protection);
            let memory = &mut self.memory;
            if memory.view != view || memory.protection != *protection || memory.marks_entries != marks {
                memory.set_view(view, protection, marks);
            }
        }
    }

    /// Instructions now run one by one, after so many that were completed.
    pub(crate) fn go_alone(&mut self, completed: u64) {
        self.memory.alone = true;
        self.memory.clint.now = completed;
    }

    pub(crate) fn trap_return(&mut self, level: u8) -> Result<u64, Fault> {
        let refused = if level == 1 { self.refused() } else { Fault::new(Cause::Illegal, 0) };
        let (to, pc) = self.csrs.trap_return(level, self.level).ok_or(refused)?;
        self.set_level(to);
        // Interrupts may be enabled now.
        self.csrs.recheck |= self.csrs.pending() != 0;
        self.csrs_written();
        Ok(pc)
    }

    pub(crate) fn reserve(&mut self, address: u64) -> Result<(), Fault> {
        self.reservation = Some(address);
        Ok(())
    }

    pub(crate) fn reserved(&mut self, address: u64) -> Result<u8, Fault> {
        Ok(u8::from(self.reservation.take() == Some(address)))
    }

    pub(crate) fn fence_i(&mut self) -> Result<(), Fault> {
        // The executor ends the block here, and forgets overwritten code after every block.
        Ok(())
    }

    pub(crate) fn fence_vma(&mut self, _: u64, _: u64) -> Result<(), Fault> {
        self.check_fence()?;
        // All translations, for any address and address space: more than what was asked for may be forgotten.
        self.memory.forget_translations();
        Ok(())
    }

    /// Waiting is over when an interrupt is there that is enabled by itself. Those that come by waiting are the serial port's and the timer's: the
    /// time moves on to it. Where none can come, waiting is over at once, as the manual allows.
    pub(crate) fn wait(&mut self) -> Result<(), Fault> {
        self.check_wait()?;
        self.look_at_devices();
        if self.csrs.pending() != 0 {
            return Ok(());
        }
        if self.could_be_woken() {
            // The host knows whether there is input: see `serial`.
            (self.memory.waits, self.memory.attention) = (true, true);
        } else {
            self.skip_to_timer(self.csrs.retired.wrapping_add(1));
        }
        Ok(())
    }

    /// Whether a byte that comes would be an interrupt that is enabled by itself.
    pub(crate) fn could_be_woken(&self) -> bool {
        self.memory.uart.listens() && self.csrs.enabled() & self.memory.plic.reach(crate::uart::SOURCE) != 0
    }

    /// Lets the time move on to the timer's interrupt, if that is enabled by itself.
    pub(crate) fn skip_to_timer(&mut self, completed: u64) {
        if self.csrs.is_enabled(TIMER) {
            self.memory.clint.skip(completed);
            self.csrs.recheck = true;
            self.csrs_written();
        }
    }

    /// Whether the timer's interrupt is enabled by itself and will come: a program that wants none sets it to the end of time.
    pub(crate) fn timer_comes(&self) -> bool {
        self.csrs.is_enabled(TIMER) && self.memory.clint.is_set()
    }

    pub(crate) fn lun_lookup(&mut self, uuid: u64, dev: u16) -> Result<u16, Fault> {
        Ok(self.maps.lun(self.level, uuid, dev).map_or(0, |lun| 1 << 12 | lun))
    }

    pub(crate) fn device_lookup(&mut self, lun: u16) -> Result<u64, Fault> {
        Ok(self.maps.route(self.level, lun).into())
    }

    pub(crate) fn device(&mut self, device: u16, selector: u16, rs1: u64, rs2: u64) -> Result<u64, Fault> {
        let (sub, command) = (selector & 0xfff, (selector >> 12) as u8);
        let xlen = self.xlen;
        let found = self.devices.get_mut(usize::from(device));
        let result = found.and_then(|(_, d)| d.command(xlen, sub, command, rs1, rs2));
        let result = self.cut(result.ok_or(Fault::new(Cause::UndefinedCommand, 0))?);
        self.call_count += 1;
        if self.logs_calls && self.calls.len() < MAX_CALLS {
            let (level, context) = (self.level, self.maps.context().unwrap_or(0));
            self.calls.push(Call { device: usize::from(device), level, context, sub, command, rs1, rs2, result });
        }
        Ok(result)
    }

    /// The address that the next conditional store may have.
    #[cfg(feature = "jit")]
    pub(crate) fn reservation(&self) -> Option<u64> {
        self.reservation
    }

    /// Gives a conditional store its reservation back: it is run again.
    pub(crate) fn reserve_again(&mut self, address: u64) {
        self.reservation = Some(address);
    }
}

macro_rules! memory {
    ($($load:ident $store:ident $type:ty;)*) => {
        impl Machine {$(
            #[inline(always)]
            pub(crate) fn $load(&mut self, address: u64) -> Result<$type, Fault> {
                Ok(<$type>::from_le_bytes(self.memory.load(address)?))
            }
            #[inline(always)]
            pub(crate) fn $store(&mut self, address: u64, value: $type) -> Result<(), Fault> {
                self.memory.store(address, value.to_le_bytes())
            }
        )*}
    };
}

memory! {
    load8 store8 u8;
    load16 store16 u16;
    load32 store32 u32;
    load64 store64 u64;
    load128 store128 u128;
}
