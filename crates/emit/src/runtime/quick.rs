//! Quick programs: the text of an instruction with which nothing is wrong.
//!
//! A step copies a text that some bits of the word pick, goes on where some bits say, or prints a number. Whatever may
//! be wrong ends in [`Code::Bail`]: the exact half then prints the line from its start.

use super::decode::{limb, mask};
use super::exact::Line;
use super::hooks::Hooks;
use super::out::Out;
use super::step::{copy, decide, gather, index, number, rare};
use super::tables::{Code, Isa, Limbs, Op};

/// Calls within calls.
const MAX_CALLS: usize = 64;

/// Runs the program at `at`; `false` if the exact half has to print.
pub fn run(
    isa: &Isa<'_>,
    at: u32,
    word: &Limbs,
    hooks: &mut dyn Hooks,
    line: &mut Line<'_, '_>,
    out: &mut Out<'_>,
) -> bool {
    let (ops, picks, jumps) = (isa.ops, isa.picks, isa.jumps);
    let mut calls = [0u32; MAX_CALLS];
    let mut depth = 0usize;
    let mut at = at;
    loop {
        let Some(&Op(code, first, second, n)) = ops.get(at as usize) else { return false };
        at += 1;
        match code {
            Code::Pick => {
                let index = n + index(word, first, second);
                let Some(&text) = picks.get(index as usize) else { return false };
                if !copy(isa, text, out) {
                    return false;
                }
            }
            Code::Text => {
                out.copy(isa.text, (n >> 8) as usize, (n & 255) as usize);
            }
            Code::End => {
                if depth == 0 {
                    return true;
                }
                depth -= 1;
                at = calls[depth & (MAX_CALLS - 1)];
            }
            Code::PickMany => {
                let index = n + gather(isa, first, word);
                let Some(&text) = picks.get(index as usize) else { return false };
                if !copy(isa, text, out) {
                    return false;
                }
            }
            Code::Jump | Code::JumpMany | Code::Call | Code::CallMany => {
                let one = matches!(code, Code::Jump | Code::Call);
                let index = n + if one { index(word, first, second) } else { gather(isa, first, word) };
                let Some(&next) = jumps.get(index as usize) else { return false };
                if matches!(code, Code::Call | Code::CallMany) {
                    let Some(place) = calls.get_mut(depth) else { return false };
                    *place = at;
                    depth += 1;
                }
                at = next;
            }
            Code::Goto => at = n,
            Code::Bits => {
                let Some(&(ty, width)) = isa.ways.get(n as usize) else { return false };
                let value = (limb(word, first.0) >> (first.1 & 63)) & mask(u32::from(first.2));
                number(isa, ty, width, value, line, out);
            }
            Code::If | Code::Sub => {
                let Some(next) = decide(isa, code, n, word) else { return false };
                let Some(place) = calls.get_mut(depth) else { return false };
                *place = at;
                depth += 1;
                at = next;
            }
            _ => {
                if !rare(isa, (code, n), word, hooks, line, out) {
                    return false;
                }
            }
        }
    }
}
