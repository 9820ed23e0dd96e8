//! The externs of RISC-V for a single step: those of a hart after reset. Other descriptions have none here.
//!
//! The hart has its control registers and reservations here, and no memory and no devices. So what reads or writes memory by itself is
//! not there, rather than done elsewhere.

use isaglot::spec::{Chosen, SubjectKind};
use isaglot_bits::Word;
use isaglot_hart::{Config, Hart};
use isaglot_machine::{Answer, Machine, Outside};
use isaglot_source::Diagnostic;

/// A hart whose externs are called.
struct HartOutside<'a>(Hart<'a>);

/// The externs that act on memory or devices.
const ELSEWHERE: &[&str] =
    &["cache_block", "device", "device_lookup", "guest_load", "guest_store", "lun_lookup", "table_jump"];

/// What is outside of a machine; `None` if there is nothing.
pub(super) fn of<'a>(chosen: &'a Chosen, machine: &Machine<'_>) -> Result<Option<Box<dyn Outside + 'a>>, Diagnostic> {
    // Other descriptions of RISC-V have no externs, or other ones.
    if chosen.kind != SubjectKind::Riscv || chosen.isa.name() != "riscv" || chosen.isa.externs().is_empty() {
        return Ok(None);
    }
    let mut config = Config::new(chosen.generation);
    config.ram = machine.memory.regions().collect();
    let names = chosen.features.iter().map(|&f| chosen.isa[f].name.clone());
    config.extensions = Some(names.filter(|name| !name.starts_with("xext-") && !name.starts_with("xcmd")).collect());
    let hart = Hart::new(&chosen.isa, config).map_err(|message| Diagnostic::error("run-machine", message))?;
    Ok(Some(Box::new(HartOutside(hart))))
}

impl Outside for HartOutside<'_> {
    fn call(&mut self, name: &str, arguments: &[Word]) -> Answer {
        if ELSEWHERE.contains(&name) {
            return Answer::Unknown;
        }
        let arg = |n: usize| arguments.get(n).map_or(0, Word::low_u64);
        match self.0.call_extern(name, [arg(0), arg(1), arg(2), arg(3)]) {
            None => Answer::Unknown,
            Some(Ok(value)) => Answer::Done(Some(Word::from_u64(value, 64))),
            Some(Err(cause)) => Answer::Trap { cause: cause.name().to_owned(), value: None },
        }
    }
}
