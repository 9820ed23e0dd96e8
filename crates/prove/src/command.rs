//! A command on terms.

use isaglot_invariant::Impossible as _;
use isaglot_semantics::BinaryOp;
use isaglot_xintf::meaning::Meaning;

use crate::symbolic::{Binding, BoundBody, CAUSE_BITS, SymbolicState, Unknown, execute};
use crate::term::{Sort, TermId, Terms};

/// What a command comes to.
#[derive(Clone, Debug)]
pub struct Effect {
    /// The result.
    pub result: TermId,
    /// One bit: it traps, and nothing has happened.
    pub traps: TermId,
    /// The variables after it.
    pub variables: Vec<TermId>,
}

/// The data part of a handle, as wide as a register.
pub fn data(terms: &mut Terms, handle: TermId) -> TermId {
    let width = terms.width(handle);
    let upper = terms.slice(handle, 12, width - 12);
    terms.zero_extend(upper, width)
}

/// The unit part of a handle, 12 bits.
pub fn lun(terms: &mut Terms, handle: TermId) -> TermId {
    terms.slice(handle, 0, 12)
}

/// A command with the two registers of its `xcmd` and the variables of its device.
pub fn effect(terms: &mut Terms, meaning: &Meaning, rs1: TermId, rs2: TermId, variables: &[TermId]) -> Effect {
    let width = terms.width(rs1);
    let (first, second) = if meaning.swapped { (rs2, rs1) } else { (rs1, rs2) };
    let data = data(terms, rs1);
    let unit = lun(terms, rs1);
    let unit = terms.zero_extend(unit, width);
    let place = terms.number(0, 1);
    let mut bindings = vec![Binding::Register(place)];
    bindings.extend([first, second, data, unit].map(Binding::Immediate));
    bindings.extend(variables.iter().map(|_| Binding::Register(place)));
    // One register per file: what the command finds there.
    let zero = terms.number(0, width);
    let values: Vec<TermId> = std::iter::once(zero).chain(variables.iter().copied()).collect();
    let mut files = Vec::new();
    for (n, &value) in values.iter().enumerate() {
        let sort = Sort::Array { index: 1, element: terms.width(value) };
        let nothing = terms.symbol(&format!(".file{n}"), sort);
        files.push(terms.write(nothing, place, value));
    }
    let nowhere = terms.symbol(".mem", Sort::Array { index: width, element: 8 });
    let no_trap = terms.number(0, CAUSE_BITS);
    let before = SymbolicState { files, memory: nowhere, pc: zero, world: zero, outside: Vec::new(), trap: no_trap };
    let zeros = vec![None; before.files.len()];
    let bound = BoundBody { env: &meaning.env, body: &meaning.body, bindings: &bindings, zeros: &zeros, size: 0 };
    let after = execute(terms, bound, &before, &mut Unknown);
    let traps = terms.binary(BinaryOp::Ne, after.trap, no_trap);
    let mut read = |at: usize| after.files.get(at).map(|&file| terms.read(file, place)).or_impossible(zero);
    let result = read(0);
    let written: Vec<TermId> = (1..values.len()).map(&mut read).collect();
    let mut kept = Vec::new();
    for (&old, new) in variables.iter().zip(written) {
        kept.push(terms.select(traps, old, new));
    }
    Effect { result, traps, variables: kept }
}

/// Free variables for the state that a command finds.
pub fn free_variables(terms: &mut Terms, meaning: &Meaning, prefix: &str) -> Vec<TermId> {
    let one = |v: &isaglot_xintf::meaning::Variable| (format!("{prefix}{}", v.name), v.width);
    meaning.variables.iter().map(one).map(|(name, width)| terms.symbol(&name, Sort::Bits(width))).collect()
}
