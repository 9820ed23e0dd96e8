//! Instructions out of order: what reads or writes their registers must wait for their token.
//!
//! A message (and a systolic product; before XeHPC also `math`) reads its sources and writes its destination whenever it
//! gets to it. It sets a token, and `$n.src` and `$n.dst` wait until it has read, or written. `sync.allrd` and `sync.allwr`
//! wait for several. Setting a token that is still in use waits too: the hardware holds the instruction back until the
//! token is free.
//!
//! In flight are the instructions whose destination, or whose sources, nothing has waited for on some way to here.

use super::order::{End, Order, Waits, finding};
use super::{Finding, Place, Rule};
use crate::inst::{File, Form, Inst, XeOperandKind};
use crate::isa::Xe;
use crate::swsb::SbidToken;
use isaglot_codec::Symbol;

/// An instruction out of order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct InFlight {
    at: usize,
    /// Its token, if it has one.
    token: Option<u8>,
    /// The unit of a message.
    unit: Symbol,
    /// Its destination may not be written yet.
    writes: bool,
    /// Its sources may not be read yet.
    reads: bool,
    /// Tokens of later messages to the same unit, as bits: it reads their payloads in order.
    later: u64,
}

/// By instruction, ascending.
type State = Vec<InFlight>;

/// The tokens that are waited for, as bits, by an instruction or a `sync`.
#[derive(Clone, Copy, Debug, Default)]
struct WaitedFor {
    written: u64,
    read: u64,
}

/// The check of tokens, on one machine.
pub(super) struct Tokens<'a, 'd>(pub(super) &'a Xe<'d>);

impl Waits for Tokens<'_, '_> {
    type InFlight = InFlight;

    fn wait(&self, i: &Inst, state: &mut State) {
        self.0.wait_for_tokens(i, state);
    }

    fn check(
        &self,
        order: &Order<'_>,
        (at, _): (usize, &Inst),
        earlier: &mut InFlight,
        found: &mut Vec<Finding>,
    ) -> bool {
        self.0.check_token(order, at, earlier, found);
        earlier.writes || earlier.reads
    }

    fn issue(&self, i: &Inst, at: usize, state: &mut State) {
        self.0.issue_out_of_order(i, at, state);
    }

    fn follows(end: End, is_next: bool) -> bool {
        match end {
            End::Plain => true,
            End::Join => is_next,
            End::Call => !is_next,
            End::Return => false,
        }
    }

    fn join(into: &mut State, from: &[InFlight]) -> bool {
        let mut changed = false;
        for new in from {
            match into.binary_search_by_key(&new.at, |f| f.at) {
                Ok(place) => {
                    let old = &mut into[place];
                    let before = *old;
                    old.writes |= new.writes;
                    old.reads |= new.reads;
                    old.later &= new.later;
                    old.token = old.token.or(new.token);
                    changed |= before != *old;
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
    /// Finds what is wrong with an instruction beside an earlier one. What the missing wait would wait for is no longer in
    /// flight then, so that one wait is missed once.
    fn check_token(&self, order: &Order<'_>, at: usize, earlier: &mut InFlight, found: &mut Vec<Finding>) {
        let inst = |at: usize| order.program.entries.get(at).and_then(|e| e.inst());
        let (Some(i), Some(before)) = (inst(at), inst(earlier.at)) else { return };
        // Products follow each other in order, and what reads into nothing reads for the time that it takes.
        if i.form == Form::Dpas && before.form == Form::Dpas || is_idle(self, i) {
            return;
        }
        let kinds =
            [(Rule::TOKEN_READ, false, true), (Rule::TOKEN_WRITE, true, true), (Rule::TOKEN_SOURCE, true, false)];
        for (rule, is_write, was_write) in kinds {
            // One unit reads the payload of a message before it answers a later one.
            let is_answer = i.form == Form::Send && before.form == Form::Send && i.sub == before.sub;
            if !(if was_write { earlier.writes } else { earlier.reads && !is_answer }) {
                continue;
            }
            let meets = order.conflict(at, earlier.at, |a, b| {
                // A descriptor is read when the message is issued.
                a.is_write == is_write && b.is_write == was_write && b.place != Place::Descriptor
            });
            let Some(place) = meets else { continue };
            let (offset, op) = (order.program.entries.get(earlier.at).map_or(0, |e| e.pc), self.op(before.op).name);
            let (does, has_yet) = match (is_write, was_write) {
                (false, _) => ("read", "may not have written it yet"),
                (true, true) => ("written", "may write it later"),
                (true, false) => ("written", "may not have read it yet"),
            };
            let message = format!("it is {does}, and the {op} at {offset:#x} {has_yet}");
            let said = match (earlier.token, was_write) {
                (Some(token), true) => (message, format!("wait for ${token}.dst")),
                (Some(token), false) => (message, format!("wait for ${token}.src")),
                (None, _) => (message + "; it sets no token", "set a token there, and wait for it here".to_owned()),
            };
            let rule = if earlier.token.is_some() { rule } else { Rule::TOKEN_MISSING };
            found.push(finding((at, place), earlier.at, rule, said));
            earlier.writes &= !was_write;
            earlier.reads = false;
        }
    }

    /// What an instruction waits for before it is issued.
    fn wait_for_tokens(&self, i: &Inst, state: &mut State) {
        let mut waits = WaitedFor::default();
        match i.swsb.token {
            SbidToken::None => {}
            SbidToken::Dst(n) | SbidToken::Set(n) => waits.written |= bit(n),
            SbidToken::Src(n) => waits.read |= bit(n),
        }
        if i.form == Form::Sync {
            let all = match i.sources().first() {
                Some(o) if o.kind == XeOperandKind::Imm => o.imm,
                _ => u64::MAX,
            };
            match self.text(i.sub) {
                "allwr" => waits.written |= all,
                "allrd" => waits.read |= all,
                _ => {}
            }
        }
        if waits.written | waits.read == 0 {
            return;
        }
        state.retain_mut(|earlier| {
            let token = earlier.token.map_or(0, bit);
            earlier.writes &= waits.written & token == 0;
            earlier.reads &= (waits.written | waits.read) & (token | earlier.later) == 0;
            earlier.writes || earlier.reads
        });
    }

    /// What an instruction adds.
    fn issue_out_of_order(&self, i: &Inst, at: usize, state: &mut State) {
        let token = match i.swsb.token {
            SbidToken::Set(n) => Some(n),
            _ => None,
        };
        if i.opts.eot || (token.is_none() && !self.swsb.sets_token(self.op(i.op).class)) {
            return;
        }
        if i.form == Form::Dpas && token.is_some() {
            // Products without a token are done when the next one with a token is.
            let is_open = |f: &&mut InFlight| f.token.is_none();
            state.iter_mut().filter(is_open).for_each(|f| f.token = token);
        }
        if let Some(token) = token {
            state.iter_mut().for_each(|earlier| {
                let is_same_unit = i.form == Form::Send && earlier.unit == i.sub;
                earlier.later = earlier.later & !bit(token) | if is_same_unit { bit(token) } else { 0 };
            });
        }
        let issued = InFlight { at, token, unit: i.sub, writes: true, reads: true, later: 0 };
        match state.binary_search_by_key(&at, |f| f.at) {
            Ok(place) => state[place] = issued,
            Err(place) => state.insert(place, issued),
        }
    }
}

/// Whether an instruction leaves no result.
fn is_idle(xe: &Xe<'_>, i: &Inst) -> bool {
    i.form == Form::Unary && i.dst.file == File::NULL && xe.text(i.cond).is_empty()
}

fn bit(token: u8) -> u64 {
    1 << (token & 63)
}
