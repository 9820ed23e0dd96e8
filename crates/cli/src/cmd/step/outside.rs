//! The externs of RISC-V for a single step: those of a hart after reset. Other descriptions have none here.
//!
//! The hart has its control registers and reservations here; registers and memory are the machine's. What acts on vectors gets both: the hart is
//! given the machine's vector registers and memory before such a call, and what it has loaded, stored and written is done in the machine after it,
//! so that it is seen as what a text does. Invariant: between two calls the hart has no memory, so nothing can be read there that is no longer so.
//! Devices are not there at all.

use isaglot::spec::{Chosen, SubjectKind};
use isaglot_bits::Word;
use isaglot_hart::{Cause, Config, Hart, Memory};
use isaglot_machine::{Answer, Fault, Machine, Outside, State};
use isaglot_model::RegisterFileId;
use isaglot_source::Diagnostic;

/// The file of vector registers, and how many there are.
const VECTORS: &str = "#v";
const COUNT: u8 = 32;

/// The externs that act on memory or devices, those of vectors aside.
const ELSEWHERE: &[&str] =
    &["cache_block", "device", "device_lookup", "guest_load", "guest_store", "lun_lookup", "table_jump"];

const VL: &str = "vl";
const VTYPE: &str = "vtype";
/// Control registers that instructions without a privilege change, beside those that count.
const CONTROLS: &[(&str, u16)] = &[
    ("fflags", 0x001),
    ("frm", 0x002),
    ("vstart", 0x008),
    ("vxsat", 0x009),
    ("vxrm", 0x00a),
    (VL, 0xc20),
    (VTYPE, 0xc21),
];

/// A hart whose externs are called.
struct HartOutside<'a>(Hart<'a>);

/// Gives a machine what is outside of it, if there is something, and vector registers of the length that the extensions ask for.
pub(super) fn add<'a>(machine: &mut Machine<'a>, chosen: &'a Chosen) -> Result<(), Diagnostic> {
    // Other descriptions of RISC-V have no externs, or other ones.
    if chosen.kind != SubjectKind::Riscv || chosen.isa.name() != "riscv" || chosen.isa.externs().is_empty() {
        return Ok(());
    }
    let failed = |message| Diagnostic::error("run-machine", message);
    let mut config = Config::new(chosen.generation);
    config.ram.clear();
    (config.clint, config.plic, config.uart) = (None, None, None);
    let names = chosen.features.iter().map(|&f| chosen.isa[f].name.clone());
    config.extensions = Some(names.filter(|name| !name.starts_with("xext-") && !name.starts_with("xcmd")).collect());
    let hart = Hart::new(&chosen.isa, config).map_err(failed)?;
    let bits = hart.vector_registers().len() as u32 * 8 / u32::from(COUNT);
    let file = chosen.isa.register_files().iter().position(|file| file.name == VECTORS);
    if let Some(file) = file.filter(|_| bits != 0) {
        machine.set_register_width(RegisterFileId(file as u32), bits).map_err(failed)?;
    }
    machine.set_outside(Box::new(HartOutside(hart)));
    Ok(())
}

impl HartOutside<'_> {
    /// The control registers that there are.
    fn all(&self) -> impl Iterator<Item = (&'static str, u16, u64)> {
        CONTROLS.iter().filter_map(|&(name, number)| Some((name, number, self.0.csr(number)?)))
    }

    fn control(&self, wanted: &str) -> u64 {
        self.all().find(|(name, ..)| *name == wanted).map_or(0, |(.., value)| value)
    }

    /// An extern that acts on vector registers.
    fn vector(&mut self, name: &str, arguments: [u64; 6], state: &mut dyn State) -> Answer {
        let hart = &mut self.0;
        let width = hart.vector_registers().len() / usize::from(COUNT);
        for number in 0..COUNT {
            // Where registers have another length here, they would be seen in part.
            let Some(value) = state.register(VECTORS, number.into()).filter(|v| v.width() as usize == width * 8) else {
                return Answer::Unknown;
            };
            hart.set_vector_register(number, &value.le_bytes().collect::<Vec<u8>>());
        }
        let regions: Vec<(u64, u64)> = state.memory().regions().collect();
        *hart.memory() = Memory::new(&regions);
        for (address, bytes) in state.memory().pages() {
            if hart.memory().write(address, bytes).is_err() {
                return Answer::Failed(Fault::Memory);
            }
        }
        let called = hart.call_vector(name, arguments);
        *hart.memory() = Memory::new(&[]);
        let Some(done) = called else { return Answer::Unknown };
        // Elements before one that traps are done: `vstart` says where it goes on.
        for one in done.accesses {
            let there = if one.is_store {
                state.store(one.address, &Word::from_u64(one.value, one.bits))
            } else {
                state.load(one.address, one.bits).map(|_| ())
            };
            if let Err(fault) = there {
                return Answer::Failed(fault);
            }
        }
        for (number, bytes) in (0..).zip(hart.vector_registers().chunks(width.max(1))) {
            state.set_register(VECTORS, number, &Word::from_le_bytes(bytes, width as u32 * 8));
        }
        match done.result {
            Ok(value) => Answer::Done(Some(Word::from_u64(value, 64))),
            Err((Cause::LoadAccess, at)) => Answer::Failed(Fault::Load(at)),
            Err((Cause::StoreAccess, at)) => Answer::Failed(Fault::Store(at)),
            Err((cause, _)) => Answer::Trap { cause: cause.name().to_owned(), value: None },
        }
    }

    /// Takes a length and `vtype`, which belong together.
    fn configure(&mut self, vl: u64, vtype: u64) -> Result<(), String> {
        let _: Option<isaglot_hart::VectorCall> = self.0.call_vector("vector_length", [vl, 0, vtype, 0, 0, 0]);
        match (self.control(VTYPE), self.control(VL)) {
            (there, _) if there != vtype => Err("the machine has no such elements".to_owned()),
            (_, there) if there != vl => Err(format!("there are at most {there} elements of this `vtype`")),
            _ => Ok(()),
        }
    }
}

impl Outside for HartOutside<'_> {
    fn call(&mut self, name: &str, arguments: &[Word], state: &mut dyn State) -> Answer {
        if ELSEWHERE.contains(&name) {
            return Answer::Unknown;
        }
        let arg = |n: usize| arguments.get(n).map_or(0, Word::low_u64);
        match self.0.call_extern(name, [arg(0), arg(1), arg(2), arg(3)]) {
            None => self.vector(name, [arg(0), arg(1), arg(2), arg(3), arg(4), arg(5)], state),
            Some(Ok(value)) => Answer::Done(Some(Word::from_u64(value, 64))),
            Some(Err(cause)) => Answer::Trap { cause: cause.name().to_owned(), value: None },
        }
    }

    fn controls(&self) -> Vec<(String, Word)> {
        let xlen = self.0.xlen();
        self.all().map(|(name, _, value)| (name.to_owned(), Word::from_u64(value, xlen))).collect()
    }

    fn set_control(&mut self, name: &str, value: u64) -> Option<Result<(), String>> {
        let (name, number, _) = self.all().find(|row| row.0 == name)?;
        Some(match name {
            VTYPE => self.configure(0, value),
            VL => self.configure(value, self.control(VTYPE)).map_err(|why| format!("{why}; set `vtype` before it")),
            _ => {
                let _: Option<()> = self.0.set_csr(number, value);
                if self.control(name) == value { Ok(()) } else { Err("the register has not so many bits".to_owned()) }
            }
        })
    }
}
