//! A machine that runs: blocks, traps, and why a run ended.

#[cfg(feature = "jit")]
use std::ops::ControlFlow;

use isaglot_bits::Word;
use isaglot_codec::Plan;
use isaglot_model::Isa;

use crate::block::{Block, Blocks};
use crate::config::{Config, TrapModel};
use crate::csr::Csrs;
use crate::decode::{Decoder, word};
use crate::execute::execute;
use crate::float_unit::FloatTrouble;
use crate::host::{Host, Kept};
use crate::htif::Htif;
use crate::hypervisor::Details;
use crate::limits::{CACHE_BLOCKS, MAX_BRANCHES, MAX_UNKNOWN, SPACES};
use crate::linux::Process;
#[cfg(feature = "jit")]
use crate::machine::NativeState;
use crate::machine::{Call, Cause, FLOATS, Fault, Level, Machine};
use crate::maps::Maps;
use crate::memory::Memory;
#[cfg(feature = "jit")]
use crate::native::Native;
use crate::run::Run;
use crate::semihosting::{self, Semihosting};
use crate::syscall::{self, Outcome};
use crate::view::Space;
use crate::watch::{Access, Debug};

/// Why a run ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stop {
    /// `ebreak`.
    Ebreak,
    /// A trap that nobody handles.
    Trap(Trap),
    /// The program stored this to `tohost`; bit 0 is set, and above it is the exit code.
    Tohost(u64),
    /// The program has made the system call that ends it, with this exit code.
    Exit(u32),
    /// So many instructions were run as were allowed.
    Limit,
    /// The program waits for what cannot come: input for its serial port, which has ended, or, as a process, for its own threads, which all wait.
    Stuck,
    /// The next instruction is at a breakpoint of a debugger ([`Hart::set_breakpoint`]).
    Breakpoint,
    /// The next instruction does this at this address, where a debugger wants to know it ([`Hart::set_watchpoint`]).
    Watchpoint(u64, Access),
}

/// A trap that ended a run. It has changed nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trap {
    /// Why.
    pub reason: Cause,
    /// The level of the program.
    pub from: Level,
    /// The level that it goes to; `None` is the debugger.
    pub to: Option<Level>,
    /// The address of the instruction.
    pub pc: u64,
    /// The instruction word; 0 if there is no memory.
    pub insn: u64,
    /// What the handler would see in `mtval`.
    pub value: u64,
}

/// A hart.
pub struct Hart<'a> {
    pub(crate) decoder: Decoder<'a>,
    blocks: Blocks,
    /// How the code of these blocks was found, and blocks of other spaces.
    pub(crate) space: Space,
    pub(crate) parked: Vec<(Space, Blocks)>,
    pub(crate) machine: Machine,
    #[cfg(feature = "jit")]
    pub(crate) native: Option<Box<Native>>,
    pub(crate) pc: u64,
    levels: u8,
    trap_model: TrapModel,
    trap_cause: u64,
    ebreak_stops: bool,
    mach_traps: bool,
    pub(crate) htif: Htif,
    pub(crate) process: Option<Process>,
    pub(crate) debug: Debug,
    semihosting: Option<Semihosting>,
    host: Option<Box<dyn Host + 'a>>,
    kept: Kept,
    /// What was asked for and is not there.
    unknown: Vec<String>,
}

impl<'a> Hart<'a> {
    /// A machine after reset, with pc 0.
    ///
    /// # Errors
    /// A sentence, if the description is not the one that the executor was generated from, or lacks the encoding profile.
    pub fn new(isa: &'a Isa, mut config: Config) -> Result<Hart<'a>, String> {
        let decoder = Decoder::new(isa, &config)?;
        let extensions = decoder.extensions();
        if extensions.hypervisor {
            config.add_hypervisor()?;
        }
        let csrs = Csrs::new(config.xlen, config.levels, config.start, &extensions);
        let maps = Maps::new(&config)?;
        let mut machine = Machine::new(config.xlen, Memory::new(&config.ram), csrs, config.start, maps);
        machine.memory.clint.base = config.clint;
        if config.ram.iter().any(|&(first, length)| machine.memory.clint.meets(first, length)) {
            machine.memory.clint.base = None;
        }
        machine.memory.plic.base = config.plic;
        if config.ram.iter().any(|&(first, length)| machine.memory.plic.meets(first, length)) {
            machine.memory.plic.base = None;
        }
        machine.memory.uart.base = config.uart;
        if config.ram.iter().any(|&(first, length)| machine.memory.uart.meets(first, length)) {
            machine.memory.uart.base = None;
        }
        machine.devices = config.devices;
        if !config.cache_block.is_power_of_two() || !CACHE_BLOCKS.contains(&config.cache_block) {
            return Err(format!(
                "blocks of the cache have a power of two of 8 to 4096 bytes, not {}",
                config.cache_block
            ));
        }
        machine.cache_block = config.cache_block;
        if config.start != Level::Mach {
            machine.csrs.allow_cache_blocks();
        }
        Ok(Hart {
            decoder,
            blocks: Blocks::new(),
            space: Space::PLAIN,
            parked: Vec::new(),
            machine,
            #[cfg(feature = "jit")]
            native: None,
            pc: 0,
            levels: config.levels,
            trap_model: config.trap_model,
            trap_cause: u64::from(config.trap_cause),
            ebreak_stops: config.ebreak_stops,
            mach_traps: config.mach_traps,
            htif: Htif::new(),
            process: None,
            debug: Debug::default(),
            semihosting: None,
            host: None,
            kept: Kept::default(),
            unknown: Vec::new(),
        })
    }

    /// Register width in bits.
    pub fn xlen(&self) -> u32 {
        self.machine.xlen
    }

    /// The address of the next instruction.
    pub fn pc(&self) -> u64 {
        self.pc
    }

    /// Goes on there.
    pub fn set_pc(&mut self, pc: u64) {
        self.pc = self.machine.cut(pc) & if self.decoder.compressed { !1 } else { !3 };
    }

    /// A register, by a number below 32; 0 for others.
    pub fn register(&self, number: u8) -> u64 {
        self.machine.x[usize::from(number) & 31]
    }

    /// Writes a register, by a number below 32. Writes to register 0 go nowhere.
    pub fn set_register(&mut self, number: u8, value: u64) {
        let value = self.machine.cut(value);
        if let place @ 1..32 = number {
            self.machine.x[usize::from(place)] = value;
        }
    }

    /// A register of floating point, by a number below 32: 64 bits, of which those above a shorter number are 1; 0 for others.
    pub fn float_register(&self, number: u8) -> u64 {
        self.machine.x[FLOATS + (usize::from(number) & 31)]
    }

    /// Writes a register of floating point, by a number below 32.
    pub fn set_float_register(&mut self, number: u8, value: u64) {
        self.machine.x[FLOATS + (usize::from(number) & 31)] = value;
    }

    /// All vector registers, one after the other; empty if there are none.
    pub fn vector_registers(&self) -> &[u8] {
        self.machine.csrs.vector.registers()
    }

    /// Writes a vector register, by a number below 32, from its lowest byte on.
    pub fn set_vector_register(&mut self, number: u8, bytes: &[u8]) {
        self.machine.csrs.vector.set_register(number, bytes);
    }

    /// Why no instruction of floating point can be run now, if none can: it is off, or the rounding mode is reserved.
    pub fn float_trouble(&self) -> Option<FloatTrouble> {
        self.machine.csrs.float.trouble()
    }

    /// A control and status register, as the machine level sees it.
    pub fn csr(&self, number: u16) -> Option<u64> {
        self.machine.control(number, Level::Mach)
    }

    /// Writes a control and status register as the machine level does; `None` if there is none that can be written.
    pub fn set_csr(&mut self, number: u16, value: u64) -> Option<()> {
        self.machine.set_control(number, Level::Mach, value)?;
        self.machine.csrs_written();
        Some(())
    }

    /// Lets traps to the machine level go to this address, as a write to `mtvec` does.
    pub fn set_vector(&mut self, address: u64) {
        // A write by the machine level itself is always allowed.
        let _ = self.machine.csrs.write(0x305, Level::Mach, address);
    }

    /// The level.
    pub fn level(&self) -> Level {
        self.machine.level
    }

    /// Whether a guest of a hypervisor runs: its supervisor, which is at the level `super`, or its user.
    pub fn is_guest(&self) -> bool {
        self.machine.csrs.is_guest(self.machine.level)
    }

    /// The number of the context in force, 0 for the tables that a machine starts with; `None` if the machine has no contexts.
    pub fn context(&self) -> Option<u16> {
        self.machine.maps.context()
    }

    /// Instructions that were completed.
    pub fn retired(&self) -> u64 {
        self.machine.csrs.retired
    }

    /// What devices were asked, in order: the first [`MAX_CALLS`](crate::limits::MAX_CALLS), while [`Hart::set_call_log`] is on.
    pub fn calls(&self) -> &[Call] {
        &self.machine.calls
    }

    /// Logs what devices are asked, as it does at first, or only counts it, which is faster.
    pub fn set_call_log(&mut self, on: bool) {
        self.machine.logs_calls = on;
        self.code_changed();
    }

    /// How often devices were asked.
    pub fn call_count(&self) -> u64 {
        self.machine.call_count
    }

    /// The name of a device of the call log.
    pub fn device_name(&self, device: usize) -> &str {
        self.machine.devices.get(device).map_or("", |(name, _)| name)
    }

    /// The variables of a device and their values, by name.
    pub fn device_variables(&self, device: usize) -> Vec<(String, u64)> {
        self.machine.devices.get(device).map_or(Vec::new(), |(_, d)| d.variables())
    }

    /// Takes what the program has printed, where no [`Host`] was given.
    pub fn take_console(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.kept.console)
    }

    /// Gives the program a host: what it prints goes there, and it can ask for files.
    pub fn set_host(&mut self, host: Box<dyn Host + 'a>) {
        self.host = Some(host);
    }

    /// The host.
    pub(crate) fn host(&mut self) -> &mut dyn Host {
        self.outside().1
    }

    /// The machine and the host.
    pub(crate) fn outside(&mut self) -> (&mut Machine, &mut (dyn Host + 'a)) {
        match &mut self.host {
            Some(host) => (&mut self.machine, &mut **host),
            None => (&mut self.machine, &mut self.kept),
        }
    }

    /// Tells the host, once, of what is not there.
    pub(crate) fn unknown(&mut self, what: String) {
        if self.unknown.len() < MAX_UNKNOWN && !self.unknown.contains(&what) {
            self.host().unknown(&what);
            self.unknown.push(what);
        }
    }

    /// Memory, to load programs and look at results. Call [`Hart::code_changed`] after writing over code that has run.
    pub fn memory(&mut self) -> &mut Memory {
        &mut self.machine.memory
    }

    /// The program may ask the host by semihosting, at the levels above the user's: with this command line, and with a heap and a stack
    /// between these addresses.
    pub fn set_semihosting(&mut self, command_line: &[u8], heap: (u64, u64)) {
        let now = self.host().now();
        self.semihosting = Some(Semihosting::new(command_line.to_vec(), heap, now));
    }

    /// Does a call of semihosting; the pc is at its `ebreak`.
    fn semihosting_call(&mut self, pc: u64) -> Option<Stop> {
        let mut semihosting = self.semihosting.take()?;
        let (number, argument, xlen) = (self.register(10), self.register(11), self.xlen());
        let (machine, host) = self.outside();
        let place = syscall::Place::NONE;
        let mut call = syscall::Call { memory: &mut machine.memory, host, xlen, args: &[], place };
        let outcome = semihosting.call(&mut call, number, argument);
        self.semihosting = Some(semihosting);
        self.pc = pc;
        self.machine.csrs.retired = self.machine.csrs.retired.wrapping_add(1);
        let result = match outcome {
            Outcome::Value(value) => value,
            Outcome::Exit(code) => return Some(Stop::Exit(code)),
            Outcome::Unknown => {
                self.unknown(format!("semihosting call {number:#x}"));
                u64::MAX
            }
        };
        self.set_register(10, result);
        self.pc = self.machine.cut(pc.wrapping_add(4));
        None
    }

    /// Forgets all decoded code.
    pub fn code_changed(&mut self) {
        self.blocks.clear();
        self.parked.clear();
        self.machine.memory.forget_code();
        #[cfg(feature = "jit")]
        if let Some(native) = &mut self.native
            && native.clear().is_err()
        {
            self.native = None;
        }
    }

    /// Runs hot code as machine code of the host, or no longer.
    ///
    /// # Errors
    /// A sentence, if that cannot be done: there is no translator for this host, or the crate was built without its feature `jit`.
    pub fn set_native(&mut self, on: bool) -> Result<(), String> {
        #[cfg(feature = "jit")]
        {
            let isa = self.decoder.plan().isa();
            self.machine.native = NativeState::default();
            self.native = match on {
                true => Some(Box::new(Native::new(isa, self.machine.xlen, self.decoder.compressed)?)),
                false => None,
            };
            Ok(())
        }
        #[cfg(not(feature = "jit"))]
        if on { Err("it was built without the feature `jit`".to_owned()) } else { Ok(()) }
    }

    /// What instructions are decoded with.
    pub fn plan(&self) -> &Plan<'a> {
        self.decoder.plan()
    }

    /// The instruction word at an address and its length in bytes; `None` if there is no memory.
    pub fn fetch(&mut self, pc: u64) -> Option<(Word, u64)> {
        self.peek(self.machine.memory.view.code, pc).ok()
    }

    /// The instruction word that a program of a space would fetch.
    fn peek(&mut self, space: Space, pc: u64) -> Result<(Word, u64), Fault> {
        let memory = &mut self.machine.memory;
        word(self.decoder.plan(), pc, &mut |at| memory.peek(space, at))
    }

    /// Machine code is made of what was run so often, of so many blocks at most, and used however little that gains: for tests.
    #[cfg(all(feature = "jit", feature = "oracle"))]
    #[doc(hidden)]
    pub fn native_from(&mut self, hot: u16, blocks: usize) {
        if let Some(native) = &mut self.native {
            native.set_bounds(hot, blocks);
        }
    }

    /// Instructions that machine code has run: for tests.
    #[cfg(all(feature = "jit", feature = "oracle"))]
    #[doc(hidden)]
    pub fn native_count(&self) -> u64 {
        self.native.as_ref().map_or(0, |native| native.count)
    }

    /// How many instructions the block at the program counter has: for tests.
    #[cfg(feature = "oracle")]
    #[doc(hidden)]
    pub fn block_length(&mut self) -> u64 {
        if self.blocks.at(self.pc).start != self.pc && self.decode().is_err() {
            return 1;
        }
        self.blocks.at(self.pc).code.len() as u64
    }

    /// Runs until something ends the run, or so many instructions were run.
    pub fn run(&mut self, max_steps: u64) -> Stop {
        let mut left = max_steps;
        while left > 0 {
            if let Some(stop) = self.before(&mut left) {
                return stop;
            }
            let slice = left.min(self.until_event());
            let mut rest = slice;
            let stop = self.run_slice(&mut rest);
            left -= slice - rest;
            if stop != Stop::Limit {
                return stop;
            }
        }
        Stop::Limit
    }

    /// Runs so many instructions, or until something ends the run or decides about interrupts.
    fn run_slice(&mut self, left: &mut u64) -> Stop {
        while *left > 0 {
            // Machine code is for machines without translation and protection.
            #[cfg(feature = "jit")]
            if !self.machine.csrs.is_guarded {
                match self.run_native(left) {
                    None => {}
                    Some(ControlFlow::Continue(())) if self.machine.csrs.recheck => break,
                    Some(ControlFlow::Continue(())) => continue,
                    Some(ControlFlow::Break(stop)) => return stop,
                }
            }
            let first = self.blocks.at(self.pc);
            if first.start != self.pc {
                // A block that starts at a breakpoint is not kept, and no other goes beyond it.
                if self.debug.is_breakpoint(self.pc) {
                    return Stop::Breakpoint;
                }
                if let Err(fault) = self.decode() {
                    *left -= 1;
                    self.machine.recent.push(self.pc, 0);
                    if let Some(stop) = self.trap(fault, self.pc) {
                        return stop;
                    }
                }
                continue;
            }
            let compressed = self.decoder.compressed;
            // What a jump wrote that traps without compressed instructions: such a one is alone in its block.
            let before =
                if compressed { None } else { first.alone().map(|r| (self.pc, r.map(|r| (r, self.machine.x[r])))) };
            let allowed = (*left).min(self.htif.due);
            let part: Block;
            let mut run = if first.code.len() as u64 <= allowed {
                Run::new((!self.is_native()).then_some(&self.blocks), first, allowed)
            } else {
                // It continues with the rest of the block, or where a branch jumps.
                part = first.part(0..allowed as usize);
                Run::alone(&part)
            };
            let given = run.left;
            let mut result = execute(&mut self.machine, &mut run);
            let counted = given.wrapping_sub(run.left);
            // How many instructions of the block at hand ran: those are not counted yet.
            let mut ran = run.ran;
            let block = self.blocks.at(run.block.start);
            if let Err(f) = result
                && f.is_alone
            {
                if let Some((address, access)) = self.machine.memory.hit.take() {
                    let before = block.before(f.at);
                    if self.debug.stops_before(before, self.machine.csrs.retired) {
                        return self.stop_before(before).unwrap_or(Stop::Watchpoint(address, access));
                    }
                }
                (ran, result) = alone(&mut self.machine, block, f);
            }
            if !compressed
                && let Ok(target) = result
                && target & 2 != 0
                && let Some(jump) = block.code.get((ran as usize).wrapping_sub(1))
            {
                if let Some((_, registers)) = before.filter(|(start, _)| *start == block.start) {
                    registers.into_iter().for_each(|(register, value)| self.machine.x[register] = value);
                }
                result = Err(Fault::new(Cause::InstructionMisaligned, target).at(jump.at));
            }
            let mut fault = None;
            match result {
                Ok(next) => self.pc = next,
                Err(f) => {
                    // The instruction that trapped counts as run but not as completed.
                    ran = block.number(f.at) as u64 + 1;
                    self.machine.csrs.retired = self.machine.csrs.retired.wrapping_sub(1);
                    fault = Some((f, block.start.wrapping_add(u64::from(f.at))));
                }
            }
            if ran > 0 {
                self.machine.recent.push(block.start, ran);
                self.machine.csrs.retired = self.machine.csrs.retired.wrapping_add(ran);
                ran += counted;
            } else {
                ran = counted;
            }
            *left -= ran;
            if self.machine.memory.attention
                && let Some(stop) = self.attend(ran)
            {
                return stop;
            }
            if let Some((f, pc)) = fault
                && let Some(stop) = self.trap(f, pc)
            {
                return stop;
            }
            if self.machine.csrs.recheck {
                break;
            }
        }
        Stop::Limit
    }

    /// Whether hot code is run as machine code, which is looked for at each block.
    fn is_native(&self) -> bool {
        #[cfg(feature = "jit")]
        return self.native.is_some();
        #[cfg(not(feature = "jit"))]
        false
    }

    /// Decodes the block where the program is. Where jumps to addresses that are not multiples of 4 trap, a branch ends it, so that the last
    /// instruction is the one that traps.
    fn decode(&mut self) -> Result<(), Fault> {
        let branches = if self.is_native() || !self.decoder.compressed { 0 } else { MAX_BRANCHES };
        let place = self.blocks.place(self.pc);
        let block = self.decoder.block(&mut self.machine.memory, self.pc, &self.debug.breakpoints, branches);
        *place = block.inspect_err(|_| place.start = 1)?;
        Ok(())
    }

    /// Runs one instruction, by itself, also where a breakpoint is.
    pub fn step(&mut self) -> Option<Stop> {
        let hidden = self.hide_breakpoint(self.pc);
        // A part of a block, so that nothing after it runs.
        let stop = self.run(1);
        hidden.into_iter().for_each(|address| self.set_breakpoint(address));
        match stop {
            Stop::Limit => None,
            stop => Some(stop),
        }
    }

    /// Whether instructions may be at any even address.
    pub(crate) fn compressed(&self) -> bool {
        self.decoder.compressed
    }

    pub(crate) fn machine(&mut self) -> &mut Machine {
        &mut self.machine
    }

    /// Ends one instruction that was run elsewhere: where it goes on, or its trap.
    pub(crate) fn finish(&mut self, pc: u64, result: Result<u64, Fault>) -> Option<Stop> {
        let mut stop = None;
        let fault = match result {
            Ok(target) if !self.decoder.compressed && target & 2 != 0 => {
                Some(Fault::new(Cause::InstructionMisaligned, target))
            }
            Ok(target) => {
                self.pc = self.machine.cut(target);
                self.machine.csrs.retired = self.machine.csrs.retired.wrapping_add(1);
                None
            }
            Err(fault) => Some(fault),
        };
        if self.machine.memory.attention {
            stop = self.attend(1);
        }
        stop.or_else(|| fault.and_then(|f| self.trap(f, pc)))
    }

    /// Delivers a trap; gives why the run ends, if it does.
    pub(crate) fn trap(&mut self, fault: Fault, pc: u64) -> Option<Stop> {
        if self.signal_trap(&fault, pc) {
            return None;
        }
        if fault.cause == Cause::Breakpoint
            && self.semihosting.is_some()
            && self.machine.level != Level::User
            && semihosting::is_call(&mut self.machine.memory, pc)
        {
            return self.semihosting_call(pc);
        }
        if fault.cause == Cause::Breakpoint && self.ebreak_stops {
            self.pc = pc;
            return Some(Stop::Ebreak);
        }
        self.machine.look_at_devices();
        if self.process.is_some() && fault.cause == Cause::EnvironmentCall {
            self.pc = pc;
            let stop = self.process_call(pc);
            self.machine.csrs.retired = self.machine.csrs.retired.wrapping_add(1);
            return stop;
        }
        let from = self.machine.level;
        // Before the instruction is looked at, which goes through the same tables.
        let Details { place, instruction, .. } = self.machine.details(fault.cause, 0);
        let insn = match fault.cause {
            Cause::InstructionAccess | Cause::InstructionPage | Cause::InstructionGuestPage => 0,
            _ => self.fetch(pc).map_or(0, |(w, _)| w.low_u64()),
        };
        // What reads and writes in one traps as a store does: the atomic instructions but `lr` (00010) and Zalasr's loads (00110).
        let is_atomic = insn & 0x7f == 0x2f && !matches!(insn >> 27 & 0x1f, 0b00010 | 0b00110);
        let cause = match fault.cause {
            Cause::LoadAccess if is_atomic => Cause::StoreAccess,
            Cause::LoadPage if is_atomic => Cause::StorePage,
            Cause::LoadGuestPage if is_atomic => Cause::StoreGuestPage,
            // No level writes a register that is only read.
            Cause::VirtualInstruction if writes_constant(insn) => Cause::Illegal,
            cause => cause,
        };
        let details = Details { place, instruction, ..self.machine.details(cause, insn) };
        let fault = Fault { cause, ..fault };
        let value = match fault.cause {
            Cause::Illegal | Cause::VirtualInstruction | Cause::UnroutedLun | Cause::UndefinedCommand => insn,
            _ => fault.value,
        };
        let has_guests = self.machine.csrs.hypervisor.there;
        let above = match has_guests {
            true => self.machine.csrs.above(from),
            false => Level::ALL.into_iter().find(|&l| l > from && self.levels >> (l as u8) & 1 == 1),
        };
        let is_own = self.trap_model == TrapModel::Deliver
            && matches!(fault.cause, Cause::UnroutedLun | Cause::UndefinedCommand);
        let code = if is_own { self.trap_cause } else { self.machine.csrs.code(fault.cause, from) };
        let (level, handler) = match above {
            // One level higher. Without the hypervisor extension its level has no registers, and its traps are the machine's.
            Some(above) if is_own => {
                let has_registers = has_guests || above == Level::Super;
                self.machine.csrs.handler_of(if has_registers { above } else { Level::Mach })
            }
            _ => self.machine.csrs.handler(from, code),
        };
        // A handler that cannot be fetched would trap for ever, and so would one whose first instruction traps to itself.
        let again = |handler: u64| handler == pc && level == from;
        let handler = handler.filter(|&handler| !again(handler) && self.can_handle(level, handler));
        let stops = self.trap_model == TrapModel::OneLevelUp || from == Level::Mach && !self.mach_traps;
        let Some(handler) = handler.filter(|_| !stops) else {
            self.pc = pc;
            let to = if stops { above } else { Some(level) };
            return Some(Stop::Trap(Trap { reason: fault.cause, from, to, pc, insn, value }));
        };
        self.deliver(from, level, (code, value), pc, handler, &details);
        None
    }

    /// Goes to a handler.
    pub(crate) fn deliver(
        &mut self,
        from: Level,
        level: Level,
        cause_and_value: (u64, u64),
        pc: u64,
        handler: u64,
        details: &Details,
    ) {
        self.machine.csrs.trap(from, level, cause_and_value, pc, details);
        self.machine.set_level(level);
        self.machine.csrs_written();
        self.enter_space();
        self.pc = handler;
    }

    /// Whether a trap that goes there gets anywhere: a handler that cannot be fetched traps, too, which another level may handle.
    pub(crate) fn can_handle(&mut self, level: Level, handler: u64) -> bool {
        let space = self.machine.csrs.code_space(level);
        let Err(fault) = self.peek(space, handler) else { return true };
        match self.machine.csrs.handler(level, self.machine.csrs.code(fault.cause, level)) {
            (above, Some(next)) if above > level => self.can_handle(above, next),
            _ => false,
        }
    }

    /// Uses the blocks of the space that code is in now.
    pub(crate) fn enter_space(&mut self) {
        if std::mem::take(&mut self.machine.memory.translations_changed) {
            self.parked.clear();
            if self.space != Space::PLAIN {
                self.blocks.clear();
            }
        }
        let space = self.machine.memory.view.code;
        if space == self.space {
            return;
        }
        let found = self.parked.iter().position(|(s, _)| *s == space);
        let next = found.map_or_else(Blocks::new, |at| self.parked.swap_remove(at).1);
        if self.parked.len() >= SPACES {
            self.parked.remove(0);
        }
        let old = std::mem::replace(&mut self.blocks, next);
        self.parked.push((std::mem::replace(&mut self.space, space), old));
    }
}

/// Whether an instruction writes a control and status register that is only read.
fn writes_constant(insn: u64) -> bool {
    let function = insn >> 12 & 3;
    insn & 0x7f == 0x73 && function != 0 && insn >> 30 == 3 && (function == 1 || insn >> 15 & 31 != 0)
}

/// Runs a block up to the instruction that stores to where the host looks, and that one by itself. Gives how many ran.
#[cold]
fn alone(machine: &mut Machine, block: &Block, fault: Fault) -> (u64, Result<u64, Fault>) {
    let at = block.number(fault.at);
    let one = block.part(at..at + 1);
    let pc = block.place(at);
    let space = machine.memory.view.code;
    let half = |machine: &mut Machine, at: u64| machine.memory.peek(space, at).unwrap_or(0);
    let (low, high) = (half(machine, pc), half(machine, pc.wrapping_add(2)));
    if low & 0x7f == 0x2f && high >> 11 == 3 {
        // A conditional store, which has used its reservation up.
        machine.reserve_again(fault.value);
    }
    machine.go_alone(machine.csrs.retired.wrapping_add(at as u64));
    let result = execute(machine, &mut Run::alone(&one));
    machine.memory.alone = false;
    (at as u64 + 1, result)
}
