//! Instructions in order: what reads their results must wait until they are written.
//!
//! Each pipe finishes its instructions in order, but the pipes run beside each other, and the hardware does not look whether
//! a result is there. `F@2` waits for the second-last instruction of the float pipe, and so for all before it; `A@2` for
//! the second-last of each pipe; `@2` names the pipe of the instruction itself. After enough further instructions of its
//! pipe a result is there without a wait.
//!
//! Which pipe executes an instruction is not always plain from its encoding. Such an instruction counts for each pipe that
//! it may be in, and a wait for any of them counts as one for it: a finding is never a guess.

use super::order::{End, Order, Touch, Waits, finding};
use super::{Finding, Rule};
use crate::inst::{File, Form, Inst, XeOperandKind};
use crate::isa::Xe;
use crate::list::{A, ACC, F};
use crate::platform::Platform;
use crate::swsb::{Class, PIPES};
use crate::types::{Style, Type};

/// Pipes as bits, in the order of [`PIPES`] after `@` and `A@`.
type Pipes = u8;
const FLOAT: Pipes = 1;
const INT: Pipes = 2;
const LONG: Pipes = 4;
const MATH: Pipes = 8;
const SCALAR: Pipes = 16;
const ALL: Pipes = 31;
const PIPE_COUNT: usize = 5;

/// Of each pipe, how many of its instructions later a result is certainly there.
const DEPTHS: [u8; PIPE_COUNT] = [10, 10, 14, 17, 10];

/// An instruction in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct InFlight {
    at: usize,
    pipes: Pipes,
    /// How many instructions of each pipe were issued after it, on the way where they are fewest.
    after: [u8; PIPE_COUNT],
}

impl InFlight {
    /// Whether a wait for the instruction `distance` back in these pipes is also one for this.
    fn is_covered(&self, pipes: Pipes, distance: u8) -> bool {
        each(self.pipes & pipes).any(|pipe| self.after[pipe] + 1 >= distance)
    }

    fn is_done(&self) -> bool {
        each(self.pipes).any(|pipe| self.after[pipe] >= DEPTHS[pipe])
    }
}

/// By instruction, ascending.
type State = Vec<InFlight>;

fn each(pipes: Pipes) -> impl Iterator<Item = usize> {
    (0..PIPE_COUNT).filter(move |n| pipes >> n & 1 != 0)
}

/// The check of distances, on one machine.
pub(super) struct Distances<'a, 'd>(pub(super) &'a Xe<'d>);

impl Waits for Distances<'_, '_> {
    type InFlight = InFlight;

    fn wait(&self, i: &Inst, state: &mut State) {
        self.0.wait_for_pipes(i, state);
    }

    fn check(
        &self,
        order: &Order<'_>,
        (at, i): (usize, &Inst),
        earlier: &mut InFlight,
        found: &mut Vec<Finding>,
    ) -> bool {
        self.0.check_distance(order, (at, self.0.pipes(i)), *earlier, found)
    }

    fn issue(&self, i: &Inst, at: usize, state: &mut State) {
        self.0.issue_in_order(i, at, state);
    }

    // Compilers count distances in the order of the text. A jump that is taken lasts longer than any pipe is deep.
    fn follows(end: End, is_next: bool) -> bool {
        is_next && matches!(end, End::Plain | End::Join)
    }

    fn join(into: &mut State, from: &[InFlight]) -> bool {
        let mut changed = false;
        for new in from {
            match into.binary_search_by_key(&new.at, |f| f.at) {
                Ok(place) => {
                    let old = &mut into[place];
                    for (old, new) in old.after.iter_mut().zip(new.after) {
                        changed |= new < *old;
                        *old = new.min(*old);
                    }
                }
                Err(place) => {
                    into.insert(place, *new);
                    changed = true;
                }
            }
        }
        changed
    }
}

impl<'d> Xe<'d> {
    /// Whether nothing is wrong with an instruction beside an earlier one.
    fn check_distance(
        &self,
        order: &Order<'_>,
        (at, own): (usize, Pipes),
        earlier: InFlight,
        found: &mut Vec<Finding>,
    ) -> bool {
        let read = order.conflict(at, earlier.at, |a, b| !a.is_write && b.is_write && is_tracked(a));
        // One pipe writes in order.
        let other_pipe = own & earlier.pipes == 0;
        let written = || order.conflict(at, earlier.at, |a, b| other_pipe && a.is_write && b.is_write && is_tracked(a));
        let (place, rule, does) = match (read, written) {
            (Some(place), _) => (place, Rule::DISTANCE_READ, "read"),
            (None, written) => match written() {
                Some(place) => (place, Rule::DISTANCE_WRITE, "written"),
                None => return true,
            },
        };
        let entry = order.program.entries.get(earlier.at);
        let (offset, op) = entry.map_or((0, ""), |e| (e.pc, e.inst().map_or("", |i| self.op(i.op).name)));
        let message = format!("it is {does}, and the {op} at {offset:#x} may not have written it yet");
        let pipe = each(earlier.pipes).next().unwrap_or(0);
        let letter =
            if self.platform == Platform::Xe { PIPES[0] } else { PIPES.get(pipe + 2).copied().unwrap_or(PIPES[1]) };
        let distance = (earlier.after[pipe] + 1).min(MAX_DISTANCE);
        found.push(finding((at, place), earlier.at, rule, (message, format!("wait for {letter}{distance} or less"))));
        false
    }

    /// What an instruction waits for before it is issued.
    fn wait_for_pipes(&self, i: &Inst, state: &mut State) {
        let (pipe, distance) = (i.swsb.pipe, i.swsb.distance);
        if pipe == 0 || distance == 0 {
            return;
        }
        let pipes = match pipe {
            // The pipe of the instruction itself, or of what it reads; a message has none.
            1 if self.platform == Platform::Xe || matches!(self.op(i.op).class, Class::Send | Class::Dpas) => ALL,
            1 => i.sources().iter().fold(self.pipes(i), |pipes, o| pipes | type_pipes(o.ty)),
            2 => ALL,
            _ => 1 << (pipe - 3),
        };
        state.retain(|earlier| !earlier.is_covered(pipes, distance));
    }

    /// What an instruction adds.
    fn issue_in_order(&self, i: &Inst, at: usize, state: &mut State) {
        let pipes = self.pipes(i);
        if pipes == 0 {
            return;
        }
        state.retain_mut(|earlier| {
            each(pipes).for_each(|pipe| earlier.after[pipe] = earlier.after[pipe].saturating_add(1));
            !earlier.is_done() && earlier.at != at
        });
        if let Err(place) = state.binary_search_by_key(&at, |f| f.at) {
            state.insert(place, InFlight { at, pipes, after: [0; PIPE_COUNT] });
        }
    }

    /// The pipes that may execute an instruction; none if it is out of order, or is not executed by a pipe.
    fn pipes(&self, i: &Inst) -> Pipes {
        let info = self.op(i.op);
        if matches!(i.form, Form::None | Form::Sync) || self.swsb.sets_token(info.class) {
            return 0;
        }
        if self.platform == Platform::Xe {
            return FLOAT;
        }
        if i.form.branches() {
            return ALL;
        }
        if i.form == Form::Math {
            return MATH;
        }
        let sources = || i.sources().iter().filter(|o| o.kind != XeOperandKind::None);
        let mut pipes = type_pipes(i.dst.ty);
        for o in sources() {
            pipes |= type_pipes(o.ty);
        }
        // Products of 32 bits take the pipe of 64 in some machines.
        let is_product = matches!(info.name, "mul" | "mad" | "mach" | "macl" | "mac" | "madm");
        if is_product && sources().any(|o| type_pipes(o.ty) == INT && o.ty.bits() >= 32) {
            pipes |= LONG;
        }
        if self.platform == Platform::Xe3 && matches!(i.dst.file, File::S | File::A) {
            pipes |= SCALAR;
        }
        pipes
    }
}

/// The greatest distance that an annotation can say.
const MAX_DISTANCE: u8 = 7;

/// The pipes that operands of a type are of.
fn type_pipes(ty: Type) -> Pipes {
    match (ty.style(), ty.bits()) {
        (Style::Float, 64) => LONG,
        (_, 64) => LONG | INT,
        (Style::Float, _) => FLOAT,
        _ if matches!(ty.name(), "bf" | "bf8" | "vf") => FLOAT,
        _ => INT,
    }
}

/// Whether a program has to wait for registers of this file: the hardware looks after accumulators, flags and addresses.
fn is_tracked(touch: &Touch) -> bool {
    ![ACC, F, A].contains(&touch.file)
}
