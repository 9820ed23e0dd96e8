//! What single steps of quick programs do.

use super::calc;
use super::decode::{Match, limb, select, sign_extend};
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

/// Copies a text; `None` if there is none.
#[inline(always)]
pub fn copy(isa: &Isa<'_>, at: usize, text: u32, out: &mut Out<'_>) -> Option<usize> {
    (text != NONE).then(|| out.pooled(at, isa.text, text))
}

/// A number, in a way that few types need more than the value for.
#[inline]
pub fn number(
    isa: &Isa<'_>,
    at: usize,
    (ty, width): (Type, u32),
    value: u64,
    line: &Line<'_, '_>,
    out: &mut Out<'_>,
) -> usize {
    match ty {
        Type::Uint => out.put_unsigned(at, value),
        Type::Hex => out.put_hex(at, value),
        Type::Int => out.put_signed(at, sign_extend(value, width) as i64),
        Type::Offset | Type::Uoffset if value == 0 => at,
        Type::Uoffset => {
            let at = out.text(at, b"+");
            out.put_unsigned(at, value)
        }
        Type::Offset => {
            let value = sign_extend(value, width) as i64;
            let at = if value < 0 { at } else { out.text(at, b"+") };
            out.put_signed(at, value)
        }
        _ => out.slowly(at, |out| print::scalar(isa, ty, width, value, line.compat, out)),
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

/// The steps that print what the program or a computation says; `None` if the exact half has to print.
#[inline(never)]
pub fn rare(
    isa: &Isa<'_>,
    at: usize,
    (code, n): (Code, u32),
    word: &Limbs,
    hooks: &mut dyn Hooks,
    line: &mut Line<'_, '_>,
    out: &mut Out<'_>,
) -> Option<usize> {
    match code {
        Code::Align => return Some(out.blanks(at, n.min(MAX_ALIGN) as usize)),
        Code::Expect => {
            let &(value, wanted) = isa.expects.get(n as usize)?;
            return (calc::value(isa, value, word) == wanted).then_some(at);
        }
        _ => {}
    }
    let &(value, how) = isa.scalars.get(n as usize)?;
    let value = calc::value(isa, value, word);
    match code {
        Code::Custom => custom(isa, at, value, how, hooks, out),
        Code::Branch => branch(isa, at, value, how, line, out),
        Code::Scalar => Some(number(isa, at, *isa.ways.get(how as usize)?, value, line, out)),
        _ => None,
    }
}

/// Lets the program print a value.
pub fn custom(
    isa: &Isa<'_>,
    at: usize,
    value: u64,
    reference: u32,
    hooks: &mut dyn Hooks,
    out: &mut Out<'_>,
) -> Option<usize> {
    let reference = isa.references.get(reference as usize)?;
    Some(out.slowly(at, |out| hooks.custom(reference, value, out)))
}

/// Prints a code address, as a label if it can be.
#[inline]
pub fn branch(
    isa: &Isa<'_>,
    at: usize,
    value: u64,
    way: u32,
    line: &mut Line<'_, '_>,
    out: &mut Out<'_>,
) -> Option<usize> {
    let &(ty, width) = isa.ways.get(way as usize)?;
    if line.targets.is_none() {
        return Some(out.put_signed(at, sign_extend(value, width) as i64));
    }
    Some(out.slowly(at, |out| match ty {
        Type::Branch(absolute, call, unit) if labels::print((absolute, call, unit), width, value, line, out) => {}
        _ => print::scalar(isa, ty, width, value, line.compat, out),
    }))
}
