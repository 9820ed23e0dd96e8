//! What single steps of quick programs do.

use super::calc;
use super::decode::{Match, limb, select};
use super::exact::{Line, MAX_ALIGN};
use super::hooks::Hooks;
use super::labels;
use super::out::Out;
use super::print;
use super::tables::{Code, Isa, Limbs, NONE, Run, Type};

/// The bits of a run, where they belong.
#[inline(always)]
pub fn bits(word: &Limbs, (at, rotation, mask): Run) -> u32 {
    limb(word, at).rotate_right(u32::from(rotation)) as u32 & u32::from(mask)
}

/// The bits of two runs.
#[inline(always)]
pub fn index(word: &Limbs, first: Run, second: Run) -> u32 {
    bits(word, first) | bits(word, second)
}

/// The bits of many runs.
#[inline(always)]
pub fn gather(isa: &Isa<'_>, (count, _, from): Run, word: &Limbs) -> u32 {
    let from = usize::from(from);
    let runs = isa.runs.get(from..from + usize::from(count)).unwrap_or(&[]);
    runs.iter().fold(0, |index, &run| index | bits(word, run))
}

/// Copies a text; `false` if there is none.
#[inline(always)]
pub fn copy(isa: &Isa<'_>, text: u32, out: &mut Out<'_>) -> bool {
    if text == NONE {
        return false;
    }
    out.copy(isa.text, (text >> 8) as usize, (text & 255) as usize);
    true
}

/// A number that few types need anything else for.
#[inline]
pub fn number(isa: &Isa<'_>, ty: Type, width: u32, value: u64, line: &Line<'_, '_>, out: &mut Out<'_>) {
    match ty {
        Type::Uint => out.unsigned(value),
        Type::Hex => out.hex(value),
        _ => print::scalar(isa, ty, width, value, line.compat, out),
    }
}

/// Where a decision leads.
#[inline(never)]
pub fn decide(isa: &Isa<'_>, code: Code, n: u32, word: &Limbs) -> Option<u32> {
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

/// The steps that print what the program or a computation says.
#[inline(never)]
pub fn rare(
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
    scalar(isa, code, value, how, line, out)
}

/// Prints a value; one that is a code address as a label, if it can be.
#[inline]
pub fn scalar(isa: &Isa<'_>, code: Code, value: u64, way: u32, line: &mut Line<'_, '_>, out: &mut Out<'_>) -> bool {
    let Some(&(ty, width)) = isa.ways.get(way as usize) else { return false };
    match (code, ty) {
        (Code::Branch, Type::Branch(absolute, call, unit))
            if labels::print((absolute, call, unit), width, value, line, out) => {}
        (Code::Branch | Code::Scalar, _) => print::scalar(isa, ty, width, value, line.compat, out),
        _ => return false,
    }
    true
}
