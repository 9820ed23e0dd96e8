//! Code as a tree, and the same laid out as operations with jumps.

use isaglot_invariant::Impossible as _;

use crate::assemble::program::{Branch, Program, ReadOp};

/// Code before it is laid out.
pub(super) enum CodePiece {
    One(ReadOp),
    /// Alternatives, in the order in which they are tried.
    Either(Vec<Vec<CodePiece>>),
}

/// A list of pieces.
pub(super) type Code = Vec<CodePiece>;

/// How many ones a way sets, whatever the text.
pub(super) fn ones(way: &Code) -> u32 {
    way.iter()
        .map(|piece| if let CodePiece::One(ReadOp::Assign { value, .. }) = piece { value.count_ones() } else { 0 })
        .sum()
}

/// Lays code out after what is there.
pub(super) fn lay_out(code: Code, program: &mut Program) {
    for piece in code {
        match piece {
            CodePiece::One(op) => program.ops.push(op),
            CodePiece::Either(mut ways) if ways.len() == 1 => lay_out(ways.pop().or_impossible_default(), program),
            CodePiece::Either(ways) => lay_out_ways(ways, program),
        }
    }
}

/// Lays out alternatives: the operation that chooses, then each of them with a jump past all.
fn lay_out_ways(ways: Vec<Code>, program: &mut Program) {
    let from = program.branches.len();
    let to = from + ways.len();
    program.branches.resize(to, Branch { at: 0, literal: (0, 0) });
    program.ops.push(ReadOp::Alternatives { from: from as u32, to: to as u32, row: 0 });
    // Where the ways end is not known yet: their jumps are filled in below.
    let mut jumps = Vec::new();
    for (way, branch) in ways.into_iter().zip(from..) {
        let at = program.ops.len();
        lay_out(way, program);
        let literal = match program.ops.get(at) {
            Some(ReadOp::Literal { from, len }) => (*from, *len),
            _ => (0, 0),
        };
        if let Some(branch) = program.branches.get_mut(branch) {
            *branch = Branch { at: at as u32, literal };
        }
        jumps.push(program.ops.len());
        program.ops.push(ReadOp::Jump(0));
    }
    let end = program.ops.len() as u32;
    for jump in jumps {
        if let Some(op) = program.ops.get_mut(jump) {
            *op = ReadOp::Jump(end);
        }
    }
}
