//! Quick programs: the text of an instruction with which nothing is wrong.
//!
//! A step copies a text that some bits of the word pick, goes on where some bits say, or prints a number. Whatever may
//! be wrong ends in [`Code::Bail`]: the exact half then prints the line from its start.

use super::decode::{limb, mask, walk_down};
use super::exact::Line;
use super::hooks::Hooks;
use super::out::Out;
use super::step::{copy, decide, gather, index, number, rare};
use super::tables::{Code, Isa, LIST, Limbs, Op};

/// Calls within calls.
const MAX_CALLS: usize = 64;

/// Where an instruction leads in the decision tree.
#[inline(always)]
pub fn descend(isa: &Isa<'_>, word: &Limbs) -> u32 {
    walk_down(isa, isa.spaces.get(isa.root as usize).map_or(LIST, |space| space.root), word)
}

/// Runs the program at `program`, whose first step writes at `place`; gives the place after its text, or `None` if the
/// exact half has to print.
pub fn run(
    isa: &Isa<'_>,
    program: u32,
    place: usize,
    word: &Limbs,
    hooks: &mut dyn Hooks,
    line: &mut Line<'_, '_>,
    out: &mut Out<'_>,
) -> Option<usize> {
    let (ops, picks, jumps) = (isa.ops, isa.picks, isa.jumps);
    let mut calls = [0u32; MAX_CALLS];
    let mut depth = 0usize;
    let (mut at, mut step) = (place, program);
    loop {
        let &Op(code, first, second, n) = ops.get(step as usize)?;
        step += 1;
        match code {
            Code::Pick => at = copy(isa, at, *picks.get((n + index(word, first, second)) as usize)?, out)?,
            Code::Text => at = out.pooled(at, isa.text, n),
            Code::End => {
                let Some(up) = depth.checked_sub(1) else { return Some(at) };
                depth = up;
                step = calls[depth & (MAX_CALLS - 1)];
            }
            Code::PickMany => at = copy(isa, at, *picks.get((n + gather(isa, first, word)) as usize)?, out)?,
            Code::Jump | Code::JumpMany | Code::Call | Code::CallMany => {
                let one = matches!(code, Code::Jump | Code::Call);
                let index = n + if one { index(word, first, second) } else { gather(isa, first, word) };
                if matches!(code, Code::Call | Code::CallMany) {
                    *calls.get_mut(depth)? = step;
                    depth += 1;
                }
                step = *jumps.get(index as usize)?;
            }
            Code::Goto => step = n,
            Code::Bits => {
                let value = (limb(word, first.0) >> (first.1 & 63)) & mask(u32::from(first.2));
                at = number(isa, at, *isa.ways.get(n as usize)?, value, line, out);
            }
            Code::If | Code::Sub => {
                *calls.get_mut(depth)? = step;
                depth += 1;
                step = decide(isa, code, n, word)?;
            }
            _ => at = rare(isa, at, (code, n), word, hooks, line, out)?,
        }
    }
}
