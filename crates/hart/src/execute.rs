//! The executors, by the machine's width.

use crate::block::Ins;
use crate::generated::{rv32, rv64};
use crate::machine::{Fault, Machine};

/// Runs pre-decoded instructions on the executor of the machine's width; gives where execution goes on, which is `end` where they do not
/// say.
#[inline(always)]
pub(crate) fn execute(machine: &mut Machine, code: &[Ins], end: u64) -> Result<u64, Fault> {
    if machine.xlen == 64 { rv64::execute(machine, code, end) } else { rv32::execute(machine, code, end) }
}
