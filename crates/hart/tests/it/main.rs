//! The hart: programs that check themselves, privilege, arbitrary input, and that the executors are up to date.

mod assembled;
mod branches;
mod ciphers;
mod contexts;
mod debug;
#[path = "../../../riscv/tests/it/description.rs"]
mod description;
mod floats;
mod floats_more;
mod fresh;
mod guests;
mod hostile;
#[cfg(feature = "jit")]
mod lock_step;
#[cfg(feature = "jit")]
mod lock_step_programs;
mod privilege;
mod programs;
mod self_checking;
mod switched;
