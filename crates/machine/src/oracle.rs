//! What tests and the fuzz target share: any bytes as a program, run in both ways at once.

use isaglot_codec::Plan;
use isaglot_model::{Isa, RegisterFileId};

use crate::{Machine, Stop};

/// Instructions of a run.
const STEPS: u64 = 500;

/// Runs a program and holds each step against the interpreter that defines the language.
///
/// # Panics
/// If they differ, or anything else goes wrong.
pub fn exercise(isa: &Isa, generation: u32, program: &[u8]) {
    let machine = || {
        let mut machine = Machine::new(Plan::new(isa, generation)).ok()?;
        machine.memory.add_region(0, 1 << 14).ok()?;
        // What does not fit is left out.
        machine.memory.write(0, program.get(..program.len().min(1 << 14))?).ok()?;
        Some(machine)
    };
    let (Some(mut one), Some(mut other)) = (machine(), machine()) else { return };
    for _ in 0..STEPS {
        let (stop, wanted) = (one.step(), other.watch(&mut Vec::new()));
        assert_eq!(stop, wanted, "at {:#x}", other.pc());
        assert_eq!(state(&one), state(&other), "before {:#x}", one.pc());
        if stop.is_some() {
            break;
        }
    }
    let mut memory = [one, other].map(|mut machine| {
        let mut bytes = vec![0; 1 << 14];
        machine.memory.read(0, &mut bytes).map(|()| bytes)
    });
    let [one, other] = &mut memory;
    assert_eq!(one, other, "memory");
    // So that a whole run is tried as well.
    let stop = machine().map(|mut machine| machine.run(STEPS));
    assert!(!matches!(stop, Some(Stop::Fault(crate::Fault::Memory))), "there is memory enough");
}

/// The pc and all registers.
pub fn state(machine: &Machine<'_>) -> (u64, Vec<isaglot_bits::Word>) {
    let files = machine.isa().register_files().iter().enumerate();
    let all = files.flat_map(|(file, layout)| {
        (0..layout.names.len() as u32).map(move |n| machine.register(RegisterFileId(file as u32), n))
    });
    (machine.pc(), all.collect())
}
