//! Quick programs: the text of an instruction with which nothing is wrong.
//!
//! A step copies a text that some bits of the word pick, goes on where some bits say, or prints a number. Whatever may
//! be wrong ends in [`Code::Bail`]: the exact half then prints the line from its start.

use super::calc;
use super::decode::{Match, limb, mask, select};
use super::exact::{Line, MAX_ALIGN};
use super::hooks::Hooks;
use super::labels;
use super::out::Out;
use super::print;
use super::tables::{Code, Isa, Limbs, NONE, Op, Type};

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
        let Some(&Op(code, x, y, z, n)) = ops.get(at as usize) else { return false };
        at += 1;
        match code {
            Code::Pick => {
                let index = n + bits(word, x, y, z) as u32;
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
                let index = n + gather(isa, (x, y, z), word);
                let Some(&text) = picks.get(index as usize) else { return false };
                if !copy(isa, text, out) {
                    return false;
                }
            }
            Code::Jump | Code::JumpMany | Code::Call | Code::CallMany => {
                let one = matches!(code, Code::Jump | Code::Call);
                let index = n + if one { bits(word, x, y, z) as u32 } else { gather(isa, (x, y, z), word) };
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
                number(isa, ty, width, bits(word, x, y, z), line, out);
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

/// `width` bits (at most 64) of a limb from `shift` on.
#[inline(always)]
fn bits(word: &Limbs, at: u8, shift: u8, width: u8) -> u64 {
    (limb(word, at) >> (shift & 63)) & mask(u32::from(width))
}

/// The bits of `runs`, put together.
#[inline(always)]
fn gather(isa: &Isa<'_>, (count, low, high): (u8, u8, u8), word: &Limbs) -> u32 {
    let from = usize::from(low) | usize::from(high) << 8;
    let mut index = 0;
    for &(at, shift, width, to) in isa.runs.get(from..from + usize::from(count)).unwrap_or(&[]) {
        index |= (bits(word, at, shift, width) as u32) << (to & 31);
    }
    index
}

#[inline(always)]
fn copy(isa: &Isa<'_>, text: u32, out: &mut Out<'_>) -> bool {
    if text == NONE {
        return false;
    }
    out.copy(isa.text, (text >> 8) as usize, (text & 255) as usize);
    true
}

/// A number that few types need anything else for.
#[inline]
fn number(isa: &Isa<'_>, ty: Type, width: u32, value: u64, line: &Line<'_, '_>, out: &mut Out<'_>) {
    match ty {
        Type::Uint => out.unsigned(value),
        Type::Hex => out.hex(value),
        _ => print::scalar(isa, ty, width, value, line.compat, out),
    }
}

/// Where a decision leads.
#[inline(never)]
fn decide(isa: &Isa<'_>, code: Code, n: u32, word: &Limbs) -> Option<u32> {
    if code == Code::If {
        let &(guard, then, other) = isa.ifs.get(n as usize)?;
        return Some(if calc::value(isa, guard, word) != 0 { then } else { other });
    }
    let &(value, width, space, targets) = isa.subs.get(n as usize)?;
    let mut nested = Limbs::default();
    nested[0] = calc::value(isa, value, word);
    let Match::One(leaf) = select(isa, space, &nested, width) else { return None };
    let first = isa.spaces.get(space as usize)?.first;
    let &(at, dont_care) = isa.targets.get((targets + leaf.checked_sub(first)?) as usize)?;
    (nested[0] & dont_care == 0).then_some(at)
}

#[inline(never)]
fn rare(
    isa: &Isa<'_>,
    (code, n): (Code, u32),
    word: &Limbs,
    hooks: &mut dyn Hooks,
    line: &mut Line<'_, '_>,
    out: &mut Out<'_>,
) -> bool {
    match code {
        Code::Align => {
            out.align(n.min(MAX_ALIGN) as usize);
            return true;
        }
        Code::Expect => {
            let Some(&(value, wanted)) = isa.expects.get(n as usize) else { return false };
            return calc::value(isa, value, word) == wanted;
        }
        _ => {}
    }
    let Some(&(value, how)) = isa.scalars.get(n as usize) else { return false };
    let value = calc::value(isa, value, word);
    if code == Code::Custom {
        let Some(reference) = isa.references.get(how as usize) else { return false };
        hooks.custom(reference, value, out);
        return true;
    }
    let Some(&(ty, width)) = isa.ways.get(how as usize) else { return false };
    match (code, ty) {
        (Code::Branch, Type::Branch(absolute, call, unit))
            if labels::print((absolute, call, unit), width, value, line, out) => {}
        (Code::Branch | Code::Scalar, _) => print::scalar(isa, ty, width, value, line.compat, out),
        _ => return false,
    }
    true
}
