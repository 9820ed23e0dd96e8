//! What the machine does when it is asked for a control and status register: the contract that both sides rely on.
//!
//! Reading one that is not there traps as an illegal instruction; so does writing one that is not there or only read, which
//! its number says. Nothing else is known of the registers: a read gives what the world holds, and a write changes the world.

use isaglot_semantics::{BinaryOp, Extern};

use crate::symbolic::{Outcome, Outside, SymbolicState, WORLD_BITS};
use crate::term::{Sort, TermId, Terms};

/// The registers of a machine.
pub(super) struct Registers;

impl Outside for Registers {
    fn call(
        &mut self,
        terms: &mut Terms,
        callee: &Extern,
        args: &[TermId],
        state: &mut SymbolicState,
    ) -> Option<Outcome> {
        let &number = args.first()?;
        let absent = |terms: &mut Terms| terms.apply("csr.absent", vec![number], Sort::Bits(1));
        match callee.name.as_str() {
            "csr_read" => {
                let traps = absent(terms);
                let width = callee.result?;
                let result = Some(terms.apply("csr.value", vec![state.world, number], Sort::Bits(width)));
                Some(Outcome { result, traps })
            }
            "csr_write" => {
                let &value = args.get(1)?;
                let (kind, three) = (terms.slice(number, 10, 2), terms.number(3, 2));
                let fixed = terms.binary(BinaryOp::Eq, kind, three);
                let absent = absent(terms);
                let traps = terms.binary(BinaryOp::Or, absent, fixed);
                state.world = terms.apply("csr.written", vec![state.world, number, value], Sort::Bits(WORLD_BITS));
                Some(Outcome { result: None, traps })
            }
            _ => None,
        }
    }
}
