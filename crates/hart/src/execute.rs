//! The executors, by the machine's width.

use crate::generated::{rv32, rv64};
use crate::machine::{Fault, Machine};
use crate::run::Run;

/// Runs pre-decoded instructions on the executor of the machine's width; gives where execution goes on, which is the end of the last block where
/// that does not say. A trap is one of the block at hand.
#[inline(always)]
pub(crate) fn execute(machine: &mut Machine, run: &mut Run<'_>) -> Result<u64, Fault> {
    if machine.xlen == 64 { rv64::execute(machine, run) } else { rv32::execute(machine, run) }
}
