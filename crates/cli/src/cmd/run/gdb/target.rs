//! A hart as the debugger sees it: registers, memory, breakpoints, and how it goes on.
//!
//! Invariant: what a debugger asks for and the machine does not have is refused, and changes nothing.

use std::collections::BTreeSet;

use gdbstub::common::Signal;
use gdbstub::stub::SingleThreadStopReason;
use gdbstub::target::ext::base::BaseOps;
use gdbstub::target::ext::base::single_register_access::{SingleRegisterAccess, SingleRegisterAccessOps};
use gdbstub::target::ext::base::singlethread::{
    SingleThreadBase, SingleThreadResume, SingleThreadResumeOps, SingleThreadSingleStep, SingleThreadSingleStepOps,
};
use gdbstub::target::ext::breakpoints::{
    Breakpoints, BreakpointsOps, HwBreakpoint, HwBreakpointOps, HwWatchpoint, HwWatchpointOps, SwBreakpoint,
    SwBreakpointOps, WatchKind,
};
use gdbstub::target::ext::section_offsets::{Offsets, SectionOffsets, SectionOffsetsOps};
use gdbstub::target::ext::target_description_xml_override::{
    TargetDescriptionXmlOverride, TargetDescriptionXmlOverrideOps,
};
use gdbstub::target::{Target, TargetError, TargetResult};
use isaglot_hart::{Access, Cause, Hart, Stop};
use isaglot_source::Diagnostics;

use super::registers::{self, General, Number, Riscv};
use crate::cmd::run::drive::SLICE;
use crate::cmd::run::world::World;
use crate::interrupt::Stage;

/// A hart under a debugger.
pub(super) struct Debugged<'h, 'a> {
    hart: &'h mut Hart<'a>,
    stage: &'h Stage,
    world: &'h World,
    /// Instructions that may still run.
    left: u64,
    /// How far the program was moved from where its file says it is.
    moved: u64,
    /// The next slice is one instruction.
    is_step: bool,
    /// Breakpoints that are told as those of the hardware.
    hardware: BTreeSet<u64>,
    software: BTreeSet<u64>,
    /// Where something has stopped it that would end the run: the pc, and the instructions that were done.
    stuck: Option<(u64, u64)>,
    stop: Option<Stop>,
    description: String,
}

impl<'h, 'a> Debugged<'h, 'a> {
    pub(super) fn new(
        hart: &'h mut Hart<'a>,
        left: u64,
        moved: u64,
        stage: &'h Stage,
        world: &'h World,
    ) -> Debugged<'h, 'a> {
        let description = registers::description(hart);
        let (hardware, software) = (BTreeSet::new(), BTreeSet::new());
        Debugged {
            hart,
            stage,
            world,
            left,
            moved,
            is_step: false,
            hardware,
            software,
            stuck: None,
            stop: None,
            description,
        }
    }

    /// How the run ended, if it did, and how many instructions may still run.
    pub(super) fn end(self) -> (Option<Stop>, u64) {
        (self.stop, self.left)
    }

    /// Runs for a while; gives what the debugger is told, if it has to be.
    pub(super) fn slice(&mut self) -> Result<Option<SingleThreadStopReason<u64>>, Diagnostics> {
        let slice = if self.is_step { 1 } else { SLICE }.min(self.left);
        let before = self.hart.retired();
        let stop = if self.is_step { self.hart.step().unwrap_or(Stop::Limit) } else { self.hart.run(slice) };
        // One that stopped on the way has not run all of them.
        let ran = if stop == Stop::Limit { slice } else { self.hart.retired().wrapping_sub(before).min(slice) };
        self.left -= ran;
        self.stage.at(self.hart.retired(), 0);
        self.stage.at_address(self.hart.pc());
        self.world.look()?;
        if stop == Stop::Limit && self.left > 0 {
            return Ok(self.is_step.then_some(SingleThreadStopReason::DoneStep));
        }
        Ok(Some(self.told(stop)))
    }

    /// What the debugger is told of a stop.
    fn told(&mut self, stop: Stop) -> SingleThreadStopReason<u64> {
        let signal = match &stop {
            Stop::Breakpoint if self.hardware.contains(&self.hart.pc()) => return SingleThreadStopReason::HwBreak(()),
            Stop::Breakpoint => return SingleThreadStopReason::SwBreak(()),
            Stop::Watchpoint(addr, access) => {
                let kind = if *access == Access::Load { WatchKind::Read } else { WatchKind::Write };
                return SingleThreadStopReason::Watch { tid: (), kind, addr: *addr };
            }
            Stop::Tohost(_) | Stop::Exit(_) => {
                let code = super::super::ending::code(&stop);
                self.stop = Some(stop);
                return SingleThreadStopReason::Exited(code);
            }
            Stop::Ebreak => Signal::SIGTRAP,
            Stop::Limit => Signal::SIGXCPU,
            Stop::Stuck => Signal::SIGHUP,
            Stop::Trap(t) => match t.reason {
                Cause::Illegal | Cause::UnroutedLun | Cause::UndefinedCommand => Signal::SIGILL,
                Cause::Breakpoint => Signal::SIGTRAP,
                Cause::EnvironmentCall => Signal::SIGSYS,
                Cause::InstructionMisaligned | Cause::LoadMisaligned | Cause::StoreMisaligned => Signal::SIGBUS,
                _ => Signal::SIGSEGV,
            },
        };
        let here = (self.hart.pc(), self.hart.retired());
        if stop != Stop::Limit && self.stuck.replace(here) != Some(here) {
            return SingleThreadStopReason::Signal(signal);
        }
        let is_end = stop == Stop::Ebreak;
        self.stop = Some(stop);
        if is_end { SingleThreadStopReason::Exited(0) } else { SingleThreadStopReason::Terminated(signal) }
    }

    fn set(&mut self, address: u64, is_hardware: bool) {
        if is_hardware { &mut self.hardware } else { &mut self.software }.insert(address);
        self.hart.set_breakpoint(address);
    }

    fn clear(&mut self, address: u64, is_hardware: bool) -> bool {
        let was = if is_hardware { &mut self.hardware } else { &mut self.software }.remove(&address);
        if was && !self.hardware.contains(&address) && !self.software.contains(&address) {
            self.hart.clear_breakpoint(address);
        }
        was
    }
}

impl Target for Debugged<'_, '_> {
    type Arch = Riscv;
    type Error = Diagnostics;

    fn base_ops(&mut self) -> BaseOps<'_, Riscv, Diagnostics> {
        BaseOps::SingleThread(self)
    }

    fn support_breakpoints(&mut self) -> Option<BreakpointsOps<'_, Self>> {
        Some(self)
    }

    fn support_target_description_xml_override(&mut self) -> Option<TargetDescriptionXmlOverrideOps<'_, Self>> {
        Some(self)
    }

    fn support_section_offsets(&mut self) -> Option<SectionOffsetsOps<'_, Self>> {
        (self.moved != 0).then_some(self as _)
    }
}

impl SingleThreadBase for Debugged<'_, '_> {
    fn read_registers(&mut self, all: &mut General) -> TargetResult<(), Self> {
        *all = registers::general(self.hart);
        Ok(())
    }

    fn write_registers(&mut self, all: &General) -> TargetResult<(), Self> {
        registers::set_general(self.hart, all);
        Ok(())
    }

    fn support_single_register_access(&mut self) -> Option<SingleRegisterAccessOps<'_, (), Self>> {
        Some(self)
    }

    fn read_addrs(&mut self, first: u64, data: &mut [u8]) -> TargetResult<usize, Self> {
        // As far as there is memory.
        let found = match self.hart.memory().read(first, data.len()) {
            Err(at) => self.hart.memory().read(first, at.wrapping_sub(first) as usize),
            found => found,
        };
        let bytes = found.map_err(|_| TargetError::NonFatal)?;
        for (place, byte) in data.iter_mut().zip(&bytes) {
            *place = *byte;
        }
        if bytes.is_empty() && !data.is_empty() { Err(TargetError::NonFatal) } else { Ok(bytes.len()) }
    }

    fn write_addrs(&mut self, first: u64, data: &[u8]) -> TargetResult<(), Self> {
        // All or nothing.
        let memory = self.hart.memory();
        let is_there = memory.read(first, data.len()).is_ok();
        is_there.then(|| memory.write(first, data).ok()).flatten().ok_or(TargetError::NonFatal)?;
        self.hart.code_changed();
        Ok(())
    }

    fn support_resume(&mut self) -> Option<SingleThreadResumeOps<'_, Self>> {
        Some(self)
    }
}

impl SingleRegisterAccess<()> for Debugged<'_, '_> {
    fn read_register(&mut self, (): (), number: Number, buffer: &mut [u8]) -> TargetResult<usize, Self> {
        let (value, size) = registers::read(self.hart, number).ok_or(TargetError::NonFatal)?;
        for (place, byte) in buffer.iter_mut().zip(value.to_le_bytes()).take(size) {
            *place = byte;
        }
        Ok(size)
    }

    fn write_register(&mut self, (): (), number: Number, bytes: &[u8]) -> TargetResult<(), Self> {
        registers::write(self.hart, number, bytes).ok_or(TargetError::NonFatal)
    }
}

impl SingleThreadResume for Debugged<'_, '_> {
    fn resume(&mut self, _: Option<Signal>) -> Result<(), Diagnostics> {
        self.is_step = false;
        Ok(())
    }

    fn support_single_step(&mut self) -> Option<SingleThreadSingleStepOps<'_, Self>> {
        Some(self)
    }
}

impl SingleThreadSingleStep for Debugged<'_, '_> {
    fn step(&mut self, _: Option<Signal>) -> Result<(), Diagnostics> {
        self.is_step = true;
        Ok(())
    }
}

impl Breakpoints for Debugged<'_, '_> {
    fn support_sw_breakpoint(&mut self) -> Option<SwBreakpointOps<'_, Self>> {
        Some(self)
    }

    fn support_hw_breakpoint(&mut self) -> Option<HwBreakpointOps<'_, Self>> {
        Some(self)
    }

    fn support_hw_watchpoint(&mut self) -> Option<HwWatchpointOps<'_, Self>> {
        Some(self)
    }
}

impl SwBreakpoint for Debugged<'_, '_> {
    fn add_sw_breakpoint(&mut self, address: u64, _: usize) -> TargetResult<bool, Self> {
        self.set(address, false);
        Ok(true)
    }

    fn remove_sw_breakpoint(&mut self, address: u64, _: usize) -> TargetResult<bool, Self> {
        Ok(self.clear(address, false))
    }
}

impl HwBreakpoint for Debugged<'_, '_> {
    fn add_hw_breakpoint(&mut self, address: u64, _: usize) -> TargetResult<bool, Self> {
        self.set(address, true);
        Ok(true)
    }

    fn remove_hw_breakpoint(&mut self, address: u64, _: usize) -> TargetResult<bool, Self> {
        Ok(self.clear(address, true))
    }
}

/// What of loads and stores a watchpoint sees.
fn seen(kind: WatchKind) -> (bool, bool) {
    (kind != WatchKind::Write, kind != WatchKind::Read)
}

impl HwWatchpoint for Debugged<'_, '_> {
    fn add_hw_watchpoint(&mut self, first: u64, length: u64, kind: WatchKind) -> TargetResult<bool, Self> {
        let (loads, stores) = seen(kind);
        if length > 0 {
            self.hart.set_watchpoint(first, length, loads, stores);
        }
        Ok(length > 0)
    }

    fn remove_hw_watchpoint(&mut self, first: u64, length: u64, kind: WatchKind) -> TargetResult<bool, Self> {
        let (loads, stores) = seen(kind);
        Ok(self.hart.clear_watchpoint(first, length, loads, stores))
    }
}

impl SectionOffsets for Debugged<'_, '_> {
    fn get_section_offsets(&mut self) -> Result<Offsets<u64>, Diagnostics> {
        Ok(Offsets::Sections { text: self.moved, data: self.moved, bss: None })
    }
}

impl TargetDescriptionXmlOverride for Debugged<'_, '_> {
    fn target_description_xml(
        &self,
        annex: &[u8],
        at: u64,
        length: usize,
        buffer: &mut [u8],
    ) -> TargetResult<usize, Self> {
        if annex != b"target.xml" {
            return Err(TargetError::NonFatal);
        }
        let rest = self.description.as_bytes().get(at as usize..).unwrap_or(&[]);
        let part = rest.iter().take(length).zip(buffer);
        Ok(part.map(|(byte, place)| *place = *byte).count())
    }
}
