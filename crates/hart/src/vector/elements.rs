//! The loop over elements that all operations of [`operation`] share.

use super::group::{Group, Named};
use super::lane::Lane;
use super::operation::{Floats, Operation, Shape};
use super::{Done, illegal, require};
use crate::float::Context;
use crate::float_unit::Float;
use crate::machine::Machine;
use crate::vector_state::{Unit, sign_extend};

/// The second operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Source {
    /// A group of registers.
    Group(u8),
    /// A number, the same for all elements.
    Number(u64),
    /// There is none.
    None,
}

/// The sizes of the elements of result and operands, and which part of a group is used of each.
#[derive(Clone, Copy)]
struct Sizes {
    result: (u8, i8),
    a: (u8, i8),
    b: (u8, i8),
}

fn sizes(unit: &Unit, shape: Shape) -> Option<Sizes> {
    let plain = (unit.size, unit.lmul);
    let wide = (unit.size + 1, unit.lmul + 1);
    Some(match shape {
        Shape::Widen | Shape::ReduceWide => Sizes { result: wide, a: plain, b: plain },
        Shape::WidenFirst => Sizes { result: wide, a: wide, b: plain },
        Shape::Narrow => Sizes { result: plain, a: wide, b: plain },
        Shape::Extend(by) => {
            let size = unit.size.checked_sub(by)?;
            Sizes { result: plain, a: (size, unit.lmul - by as i8), b: plain }
        }
        _ => Sizes { result: plain, a: plain, b: plain },
    })
}

/// Illegal unless floating point of these sizes can be computed with now.
fn check_floats(unit: &Unit, float: &Float, operation: &Operation, sizes: &Sizes) -> Done {
    let has = |size: u8| {
        // Halves may be there for conversions between formats only.
        let all = unit.extent.floats | if operation.is_format { unit.extent.floats >> 4 } else { 0 };
        all >> size & 1 == 1
    };
    let is_fine = match operation.floats {
        Floats::No => return Ok(()),
        Floats::All => has(sizes.result.0) && has(sizes.a.0) && has(sizes.b.0),
        Floats::First => has(sizes.a.0),
        Floats::Result => has(sizes.result.0),
    };
    require(is_fine && float.trouble().is_none())
}

/// The rule about registers that go together, for one shape.
fn check_registers(
    unit: &Unit,
    operation: &Operation,
    sizes: &Sizes,
    vd: u8,
    vs2: u8,
    b: Source,
    masked: bool,
) -> Done {
    let a = Group::new(vs2, sizes.a.0, sizes.a.1);
    let second = match (b, operation.shape) {
        (Source::Group(first), Shape::Reduce | Shape::ReduceWide) => Some(Group::new(first, sizes.result.0, 0)),
        (Source::Group(first), _) => Some(Group::new(first, sizes.b.0, sizes.b.1)),
        _ => None,
    };
    let result = Group::new(vd, sizes.result.0, sizes.result.1);
    let (destination, masked) = match operation.shape {
        Shape::Compare => (Some(Group::mask(vd)), masked),
        Shape::CarryOut => (Some(Group::mask(vd)), masked),
        Shape::Reduce | Shape::ReduceWide => (None, masked),
        _ => (Some(result), masked),
    };
    require(sizes.result.0 <= unit.extent.widest && sizes.a.0 <= unit.extent.widest)?;
    let mut sources = [a; 3];
    if let Some(second) = second {
        sources[1] = second;
    }
    if operation.adds {
        sources[2] = result;
    }
    Named { destination, sources: &sources, masked, apart: false }.check(unit.extent.widest)
}

/// Reads the second operand.
#[inline(always)]
fn second(unit: &Unit, b: Source, number: usize, size: u8, signed: bool) -> u64 {
    match b {
        Source::Group(first) => unit.get_as(first, number, size, signed),
        Source::Number(value) => value,
        Source::None => 0,
    }
}

/// A number of an instruction as an element.
fn cut(value: u64, size: u8, signed: bool) -> u64 {
    if signed {
        sign_extend(value, size)
    } else if size == 3 {
        value
    } else {
        value & ((1 << (8 << size)) - 1)
    }
}

impl Machine {
    /// Runs an operation over elements.
    pub(super) fn vector_elements(
        &mut self,
        operation: Option<Operation>,
        vd: u8,
        vs2: u8,
        b: Source,
        masked: bool,
    ) -> Done {
        let operation = operation.ok_or(illegal())?;
        let (unit, float) = (&mut self.csrs.vector, &mut self.csrs.float);
        require(unit.is_ready() && (!operation.widest_only || unit.size == 3))?;
        let sizes = sizes(unit, operation.shape).ok_or(illegal())?;
        check_registers(unit, &operation, &sizes, vd, vs2, b, masked)?;
        check_floats(unit, float, &operation, &sizes)?;
        let before = float.context();
        let context = Context { mode: before.mode.min(4), flags: before.flags };
        let mut lane = Lane { size: sizes.result.0, carry: false, vxrm: unit.vxrm, saturated: false, float: context };
        let b = match b {
            Source::Number(value) => Source::Number(cut(value, sizes.b.0, operation.signed.1)),
            other => other,
        };
        match operation.shape {
            Shape::Reduce | Shape::ReduceWide => {
                require(unit.vstart == 0)?;
                reduce(unit, &operation, &sizes, &mut lane, vd, vs2, b, masked);
            }
            _ => each(unit, &operation, &sizes, &mut lane, vd, vs2, b, masked),
        }
        unit.vxsat |= lane.saturated;
        unit.done();
        if operation.floats != Floats::No {
            float.collect(lane.float.flags);
        }
        Ok(())
    }
}

#[expect(clippy::too_many_arguments, reason = "what an instruction says, one thing each")]
fn each(unit: &mut Unit, o: &Operation, sizes: &Sizes, lane: &mut Lane, vd: u8, vs2: u8, b: Source, masked: bool) {
    let takes_mask = matches!(o.shape, Shape::CarryIn | Shape::CarryOut);
    let is_bit = matches!(o.shape, Shape::Compare | Shape::CarryOut);
    // Both operands of a result that is wider, unless the first one is as wide.
    let converts = o.floats == Floats::All;
    let (wider_a, wider_b) = (converts && o.shape == Shape::Widen, converts && sizes.result.0 > sizes.b.0);
    for number in unit.vstart..unit.vl {
        if masked {
            let bit = unit.bit(0, number);
            lane.carry = bit;
            if !takes_mask && !bit {
                continue;
            }
        } else if o.shape == Shape::CarryIn {
            // A move: the second operand is chosen.
            lane.carry = true;
        }
        let mut a = unit.get_as(vs2, number, sizes.a.0, o.signed.0);
        let mut y = second(unit, b, number, sizes.b.0, o.signed.1);
        if wider_a {
            a = lane.wider(a, sizes.a.0);
        }
        if wider_b && b != Source::None {
            y = lane.wider(y, sizes.b.0);
        }
        let d = if o.adds { unit.get(vd, number, sizes.result.0) } else { 0 };
        let result = (o.compute)(lane, a, y, d);
        if is_bit {
            unit.set_bit(vd, number, result & 1 == 1);
        } else {
            unit.set(vd, number, sizes.result.0, result);
        }
    }
}

#[expect(clippy::too_many_arguments, reason = "what an instruction says, one thing each")]
fn reduce(unit: &mut Unit, o: &Operation, sizes: &Sizes, lane: &mut Lane, vd: u8, vs2: u8, b: Source, masked: bool) {
    let Source::Group(first) = b else { return };
    if unit.vl == 0 {
        return;
    }
    let widens = o.floats == Floats::All && sizes.result.0 > sizes.a.0;
    let mut sum = unit.get_as(first, 0, sizes.result.0, o.signed.1);
    for number in 0..unit.vl {
        if masked && !unit.bit(0, number) {
            continue;
        }
        let mut a = unit.get_as(vs2, number, sizes.a.0, o.signed.0);
        if widens {
            a = lane.wider(a, sizes.a.0);
        }
        sum = (o.compute)(lane, a, sum, 0);
    }
    unit.set(vd, 0, sizes.result.0, sum);
}
