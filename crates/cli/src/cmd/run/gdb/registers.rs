//! The registers of a hart as GDB numbers and describes them: integers and the pc in the packet of all registers, what else there is by
//! single requests. Numbers are those of GDB for RISC-V.

use std::fmt::Write as _;

use gdbstub::arch::{Arch, RegId, Registers};
use isaglot_hart::Hart;
use isaglot_riscv::register::ABI_NAMES;

/// The number of the pc; before it are the integer registers.
const PC: usize = 32;
/// The first register of floating point.
const FLOAT: usize = 33;
/// The first control and status register.
const CSR: usize = 65;
/// Those of floating point: `fflags`, `frm`, `fcsr`.
const FLOAT_CONTROL: std::ops::RangeInclusive<usize> = 1..=3;
/// The privilege level, after all of those.
const PRIV: usize = CSR + 4096;

/// RISC-V of either width. Addresses have 64 bits here for both, so that there is one debugger's half for both.
pub(super) enum Riscv {}

impl Arch for Riscv {
    type Usize = u64;
    type Registers = General;
    type BreakpointKind = usize;
    type RegId = Number;
}

/// The integer registers and the pc.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct General {
    pub(super) xlen: u32,
    pub(super) values: [u64; PC + 1],
}

impl Default for General {
    fn default() -> General {
        General { xlen: 64, values: [0; PC + 1] }
    }
}

fn value(bytes: &[u8]) -> u64 {
    bytes.iter().take(8).rev().fold(0, |all, &byte| all << 8 | u64::from(byte))
}

impl Registers for General {
    type ProgramCounter = u64;

    fn pc(&self) -> u64 {
        self.values[PC]
    }

    fn gdb_serialize(&self, mut write: impl FnMut(Option<u8>)) {
        let size = self.xlen as usize / 8;
        self.values
            .iter()
            .flat_map(|value| value.to_le_bytes().into_iter().take(size))
            .for_each(|byte| write(Some(byte)));
    }

    fn gdb_deserialize(&mut self, bytes: &[u8]) -> Result<(), ()> {
        let size = bytes.len() / (PC + 1);
        if !matches!(size, 4 | 8) {
            return Err(());
        }
        self.xlen = size as u32 * 8;
        for (place, bytes) in self.values.iter_mut().zip(bytes.chunks(size)) {
            *place = value(bytes);
        }
        Ok(())
    }
}

/// A register by its number.
#[derive(Clone, Copy, Debug)]
pub(super) struct Number(usize);

impl RegId for Number {
    fn from_raw_id(id: usize) -> Option<(Number, Option<std::num::NonZeroUsize>)> {
        // Its size is that of the machine, and known when it is read.
        (id <= PRIV).then_some((Number(id), None))
    }
}

/// All of the first packet.
pub(super) fn general(hart: &Hart<'_>) -> General {
    let value = |number: usize| if number == PC { hart.pc() } else { hart.register(number as u8) };
    General { xlen: hart.xlen(), values: std::array::from_fn(value) }
}

/// Writes all of the first packet.
pub(super) fn set_general(hart: &mut Hart<'_>, all: &General) {
    for (number, value) in (0..PC as u8).zip(all.values) {
        hart.set_register(number, value);
    }
    hart.set_pc(all.pc());
}

/// Bytes of a register of floating point; 0 if there are none.
fn float_size(hart: &Hart<'_>) -> usize {
    let plan = hart.plan();
    let has = |name: &str| plan.features().any(|f| plan.isa()[f].name == name);
    match () {
        () if has("d") => 8,
        () if has("f") => 4,
        () => 0,
    }
}

/// A register's value and its size in bytes, if there is one that can be read.
pub(super) fn read(hart: &Hart<'_>, Number(number): Number) -> Option<(u64, usize)> {
    let size = hart.xlen() as usize / 8;
    match number {
        0..PC => Some((hart.register(number as u8), size)),
        PC => Some((hart.pc(), size)),
        FLOAT..CSR => Some((hart.float_register((number - FLOAT) as u8), float_size(hart))).filter(|r| r.1 > 0),
        CSR..PRIV => {
            let is_float = float_size(hart) > 0 && FLOAT_CONTROL.contains(&(number - CSR));
            Some((hart.csr((number - CSR) as u16)?, if is_float { 4 } else { size }))
        }
        _ => Some((hart.level() as u64, size)),
    }
}

/// Writes a register; `None` if it cannot be.
pub(super) fn write(hart: &mut Hart<'_>, Number(number): Number, bytes: &[u8]) -> Option<()> {
    let value = value(bytes);
    match number {
        0..PC => hart.set_register(number as u8, value),
        PC => hart.set_pc(value),
        FLOAT..CSR if float_size(hart) == 8 => hart.set_float_register((number - FLOAT) as u8, value),
        // A shorter number in a longer register has ones above it.
        FLOAT..CSR => hart.set_float_register((number - FLOAT) as u8, value | !0 << 32),
        CSR..PRIV => return hart.set_csr((number - CSR) as u16, value),
        _ => return None,
    }
    Some(())
}

/// What there is, in GDB's XML.
pub(super) fn description(hart: &Hart<'_>) -> String {
    let xlen = hart.xlen();
    let mut xml = format!(
        "<?xml version=\"1.0\"?><!DOCTYPE target SYSTEM \"gdb-target.dtd\"><target version=\"1.0\">\
         <architecture>riscv:rv{xlen}</architecture><feature name=\"org.gnu.gdb.riscv.cpu\">"
    );
    let one = |xml: &mut String, name: &str, bits: usize, kind: &str, number: usize| {
        let _ = write!(xml, "<reg name=\"{name}\" bitsize=\"{bits}\" type=\"{kind}\" regnum=\"{number}\"/>");
    };
    let bits = xlen as usize;
    for (number, name) in ABI_NAMES.iter().enumerate() {
        let kind = match number {
            1 => "code_ptr",
            2..=4 => "data_ptr",
            _ => "int",
        };
        one(&mut xml, name, bits, kind, number);
    }
    one(&mut xml, "pc", bits, "code_ptr", PC);
    let isa = hart.plan().isa();
    let float = float_size(hart);
    if float > 0 {
        xml += "</feature><feature name=\"org.gnu.gdb.riscv.fpu\">";
        let kind = if float == 8 { "ieee_double" } else { "ieee_single" };
        let file = isa.register_files().iter().find(|file| file.name == "#f");
        for (name, number) in file.into_iter().flat_map(|file| &file.names).flatten().zip(FLOAT..CSR) {
            one(&mut xml, name, float * 8, kind, number);
        }
        for (name, number) in [("fflags", 1), ("frm", 2), ("fcsr", 3)] {
            one(&mut xml, name, 32, "int", CSR + number);
        }
    }
    xml += "</feature><feature name=\"org.gnu.gdb.riscv.csr\">";
    let named = isa.enums().iter().find(|e| e.name == "#csr");
    let mut last = None;
    for csr in named.into_iter().flat_map(|e| &e.values) {
        let number = csr.value as u16;
        let is_float = float > 0 && FLOAT_CONTROL.contains(&usize::from(number));
        if last != Some(number) && !is_float && hart.csr(number).is_some() {
            one(&mut xml, &csr.display, bits, "int", CSR + usize::from(number));
        }
        last = Some(number);
    }
    xml += "</feature><feature name=\"org.gnu.gdb.riscv.virtual\">";
    one(&mut xml, "priv", bits, "int", PRIV);
    xml += "</feature></target>";
    xml
}
