//! A routine in RISC-V code does what a command says.
//!
//! The routine is called like a C function: arguments in `a0`, `a1`, …, the result in `a0`, back to `ra`. Its code is
//! followed by the semantics of the instructions, on terms. Where a branch depends on an operand both ways are followed
//! up to where they are sure to meet again, and joined there, so that choices in a loop whose count is known cost as many
//! steps as they have. Code that needs more than [`MAX_STEPS`] is not decided.
//!
//! What must hold in the end: the result is the command's, what a C function has to keep is kept, and memory is as it
//! was, but for [`STACK`] bytes below the stack pointer. Taken for granted: the stack pointer is
//! aligned to 16 and the stack is not where the code is.

use std::collections::{BTreeMap, BTreeSet};

use isaglot_bits::Word;
use isaglot_invariant::Impossible as _;
use isaglot_semantics::BinaryOp;

use crate::claim::{Claim, Difference, all, any, any_difference, difference, not, same};
use crate::command::{data, effect, lun};
use crate::limits::{MAX_IMAGE, MAX_REACH, MAX_STEPS, MAX_TERMS, MAX_WAYS, STACK};
use crate::riscv::Riscv;
use crate::scenario::{Line, Outcome, Scenario, Shows, setting};
use crate::sequence::Command;
use crate::symbolic::{CAUSE_BITS, SymbolicState, Unknown};
use crate::term::{Layout, Sort, Term, TermId, Terms};

/// Code and constants: pieces by address.
#[derive(Clone, Debug, Default)]
pub struct Image {
    /// First address and bytes.
    pub pieces: Vec<(u64, Vec<u8>)>,
}

impl Image {
    fn byte(&self, address: u64) -> Option<u8> {
        self.pieces.iter().find_map(|(first, bytes)| {
            let at = usize::try_from(address.checked_sub(*first)?).ok()?;
            bytes.get(at).copied()
        })
    }

    fn parcel(&self, address: u64) -> Option<u16> {
        Some(u16::from_le_bytes([self.byte(address)?, self.byte(address.checked_add(1)?)?]))
    }
}

/// What a register holds when the routine is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Argument {
    /// The whole of rs1 of the `xcmd`.
    Rs1,
    /// The whole of rs2.
    Rs2,
    /// The data part of rs1.
    Data,
    /// The unit part of rs1.
    Lun,
    /// The number of the command.
    K,
}

impl Argument {
    /// Its name on a command line.
    pub const NAMES: [(&'static str, Argument); 5] = [
        ("rs1", Argument::Rs1),
        ("rs2", Argument::Rs2),
        ("data", Argument::Data),
        ("lun", Argument::Lun),
        ("k", Argument::K),
    ];
}

/// The registers that a function has to keep: sp, gp, tp, s0 to s11.
const KEPT: [u64; 15] = [2, 3, 4, 8, 9, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27];
const ARGUMENTS: [&str; 8] = ["a0", "a1", "a2", "a3", "a4", "a5", "a6", "a7"];

/// Where a way goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Place {
    Code(u64),
    Back,
}

/// A condition, and the state that it leads to.
type Way = (TermId, SymbolicState);

/// A routine that is being followed.
struct Follow<'r, 'a> {
    riscv: &'r mut Riscv<'a>,
    image: &'r Image,
    /// Targets of returns.
    back: Vec<TermId>,
    /// Any state, to see where an instruction can go.
    any: SymbolicState,
    steps: usize,
    /// The ends of the routine, joined.
    end: Option<Way>,
    /// Conditions under which it traps.
    traps: Vec<TermId>,
    /// The condition under which it was not followed to its end, and why.
    left: Option<(TermId, String)>,
    meetings: BTreeMap<u64, Option<u64>>,
}

fn join(terms: &mut Terms, one: Option<Way>, other: Option<Way>) -> Option<Way> {
    match (one, other) {
        (Some((c, x)), Some((d, y))) => {
            let either = any(terms, &[c, d]);
            Some((either, SymbolicState::join(terms, c, &x, &y)))
        }
        (one, other) => one.or(other),
    }
}

/// A target as constants, each with the condition under which it is taken; `None` for one that is not a constant.
fn targets(terms: &mut Terms, pc: TermId, back: &[TermId], condition: TermId, out: &mut Vec<(TermId, Option<Place>)>) {
    if back.contains(&pc) {
        out.push((condition, Some(Place::Back)));
    } else if let Term::Select(c, x, y) = *terms.term(pc) {
        let yes = all(terms, &[condition, c]);
        let no = not(terms, c);
        let no = all(terms, &[condition, no]);
        targets(terms, x, back, yes, out);
        targets(terms, y, back, no, out);
    } else {
        let place = terms.constant(pc).and_then(Word::to_u64).map(Place::Code);
        out.push((condition, place));
    }
}

impl<'r, 'a> Follow<'r, 'a> {
    fn new(riscv: &'r mut Riscv<'a>, image: &'r Image, back: Vec<TermId>, any: SymbolicState) -> Follow<'r, 'a> {
        let (end, traps, left, meetings) = (None, Vec::new(), None, BTreeMap::new());
        Follow { riscv, image, back, any, steps: 0, end, traps, left, meetings }
    }

    fn leave(&mut self, terms: &mut Terms, condition: TermId, why: String) {
        self.left = Some(match self.left.take() {
            None => (condition, why),
            Some((other, first)) => (any(terms, &[other, condition]), first),
        });
    }

    /// Runs from an address to another, or to the end of the routine; gives what arrives there.
    fn run(&mut self, terms: &mut Terms, from: u64, way: Way, to: Option<u64>, depth: usize) -> Option<Way> {
        let (mut at, (mut condition, mut state)) = (from, way);
        loop {
            if terms.constant(condition).is_some_and(Word::is_zero) {
                return None;
            }
            if Some(at) == to {
                return Some((condition, state));
            }
            self.steps += 1;
            if self.steps > MAX_STEPS || depth > MAX_WAYS || terms.len() > MAX_TERMS {
                self.leave(
                    terms,
                    condition,
                    format!("the routine takes more than {MAX_STEPS} steps, or forks too often"),
                );
                return None;
            }
            let Some(i) = instruction(self.riscv, self.image, at) else {
                self.leave(terms, condition, format!("there is no instruction with semantics at {at:#x}"));
                return None;
            };
            state.pc = terms.number(at, self.riscv.xlen());
            let after = self.riscv.execute(terms, &i, &[], &state, &mut Unknown)?;
            let none = terms.number(0, CAUSE_BITS);
            let runs = same(terms, after.trap, none);
            let trapped = not(terms, runs);
            let trapped = all(terms, &[condition, trapped]);
            if !terms.constant(trapped).is_some_and(Word::is_zero) {
                self.traps.push(trapped);
            }
            let going = all(terms, &[condition, runs]);
            state = SymbolicState { trap: none, ..after };
            let mut list = Vec::new();
            targets(terms, state.pc, &self.back, going, &mut list);
            if let [(c, Some(Place::Code(next)))] = list.as_slice() {
                (at, condition) = (*next, *c);
                continue;
            }
            let meeting = if list.len() > 1 { self.meeting(terms, at) } else { None };
            let mut arrived = None;
            for (c, place) in list {
                match place {
                    Some(Place::Code(next)) => {
                        let way = self.run(terms, next, (c, state.clone()), meeting.or(to), depth + 1);
                        arrived = join(terms, way, arrived);
                    }
                    Some(Place::Back) => {
                        let before = self.end.take();
                        self.end = join(terms, Some((c, state.clone())), before);
                    }
                    None => self.leave(terms, c, format!("the jump at {at:#x} goes where a value says")),
                }
            }
            let (c, joined) = arrived?;
            (condition, state) = (c, joined);
            at = meeting.or(to)?;
        }
    }

    /// Where execution can go from an address, whatever the state: a call is taken to come back; nothing after a return.
    fn successors(&mut self, terms: &mut Terms, at: u64) -> Vec<u64> {
        let Some(i) = instruction(self.riscv, self.image, at) else { return Vec::new() };
        let xlen = self.riscv.xlen();
        let state = SymbolicState { pc: terms.number(at, xlen), ..self.any.clone() };
        let Some(after) = self.riscv.execute(terms, &i, &[], &state, &mut Unknown) else { return Vec::new() };
        let after_it = at.wrapping_add(i.size);
        let link = self.riscv.register(terms, &after, 1);
        if terms.constant(link).and_then(Word::to_u64) == Some(after_it) {
            return vec![after_it];
        }
        let always = terms.number(1, 1);
        let mut list = Vec::new();
        targets(terms, after.pc, &[], always, &mut list);
        let code = |(_, place): (TermId, Option<Place>)| if let Some(Place::Code(n)) = place { Some(n) } else { None };
        list.into_iter().filter_map(code).collect()
    }

    /// Where all ways from a branch meet again first, if they do before the end of the routine.
    fn meeting(&mut self, terms: &mut Terms, branch: u64) -> Option<u64> {
        if let Some(&known) = self.meetings.get(&branch) {
            return known;
        }
        // The code that can be reached, in the order in which it was found.
        let mut order = vec![branch];
        let mut next: BTreeMap<u64, Vec<u64>> = BTreeMap::new();
        let mut n = 0;
        while let Some(&at) = order.get(n) {
            n += 1;
            let list = if order.len() > MAX_REACH { Vec::new() } else { self.successors(terms, at) };
            for &s in &list {
                if !order.contains(&s) {
                    order.push(s);
                }
            }
            next.insert(at, list);
        }
        // For each address, what every way from it to the end passes: itself, and what all its successors have. From all
        // to what is left when nothing changes any more.
        let everything: BTreeSet<u64> = order.iter().copied().collect();
        let mut passes: BTreeMap<u64, BTreeSet<u64>> = order.iter().map(|&at| (at, everything.clone())).collect();
        let mut changed = true;
        while changed {
            changed = false;
            for &at in order.iter().rev() {
                let mut of_all = next.get(&at).into_iter().flatten().filter_map(|s| passes.get(s));
                let mut set = of_all.next().cloned().unwrap_or_default();
                for other in of_all {
                    set.retain(|a| other.contains(a));
                }
                set.insert(at);
                if passes.get(&at) != Some(&set) {
                    passes.insert(at, set);
                    changed = true;
                }
            }
        }
        // The first of them: the one that has to pass most of the others yet.
        let ours = passes.get(&branch).cloned().unwrap_or_default();
        let meeting =
            ours.into_iter().filter(|&a| a != branch).max_by_key(|a| passes.get(a).map(BTreeSet::len).or_impossible(0));
        self.meetings.insert(branch, meeting);
        meeting
    }
}

fn instruction(riscv: &Riscv<'_>, image: &Image, at: u64) -> Option<crate::riscv::Instruction> {
    let low = image.parcel(at)?;
    let word = match riscv.length(low) {
        4 => Word::from_u64(u64::from(image.parcel(at.checked_add(2)?)?) << 16 | u64::from(low), 32),
        _ => Word::from_u64(u64::from(low), 16),
    };
    riscv.decode(&word)
}

/// The routine at `entry` is `command`, called with these arguments.
///
/// # Errors
/// A sentence, if it cannot be put as a claim.
pub fn routine(
    riscv: &mut Riscv<'_>,
    command: &Command<'_>,
    image: &Image,
    entry: u64,
    arguments: &[Argument],
) -> Result<Claim, String> {
    let size: usize = image.pieces.iter().map(|p| p.1.len()).sum();
    if size > MAX_IMAGE {
        return Err(format!("the code has {size} bytes; {MAX_IMAGE} are possible"));
    }
    let xlen = riscv.xlen();
    if let Some(at) = (0..command.meaning.variables.len()).find(|&at| command.meaning.uses(at)) {
        return Ok(stateful(command, xlen, entry, at));
    }
    let mut terms = Terms::new();
    let t = &mut terms;
    let (rs1, rs2) = (t.symbol("rs1", Sort::Bits(xlen)), t.symbol("rs2", Sort::Bits(xlen)));
    let mut start = riscv.state(t);
    let unit = lun(t, rs1);
    let values = [rs1, rs2, data(t, rs1), t.zero_extend(unit, xlen), t.number(u64::from(command.k), xlen)];
    let mut loads = Vec::new();
    for (n, argument) in arguments.iter().enumerate() {
        let (Some(&value), Some(&name)) = (values.get(*argument as usize), ARGUMENTS.get(n)) else { continue };
        let number = t.number(10 + n as u64, 5);
        riscv.set_register(t, &mut start, number, value);
        loads.push(Line::Load(name, value));
    }
    let sp = riscv.register(t, &start, 2);
    let layout = Layout { memory: start.memory, content: image.pieces.clone(), stack: (sp, STACK) };
    t.assume(layout);

    let back = back(riscv, t, &start).ok_or("the description has no way to return")?;
    let mut ways = Follow::new(riscv, image, back, start.clone());
    let always = t.number(1, 1);
    ways.run(t, entry, (always, start.clone()), None, 0);
    let Follow { riscv, end, traps, left, .. } = ways;
    let wanted = effect(t, command.meaning, rs1, rs2, &[]);
    let runs = not(t, wanted.traps);
    let nothing = t.number(0, 1);
    let trapped = any(t, &traps);
    let mut differences = vec![Difference { what: "trap".to_owned(), at: None, bit: trapped, values: None }];
    let mut result = t.number(0, xlen);
    if let Some((condition, end)) = &end {
        result = riscv.register(t, end, 10);
        differences.push(difference(t, "result", *condition, result, wanted.result));
        damage(riscv, t, &start, (*condition, end), &mut differences);
    }
    let granted = granted(t, sp, image, xlen);
    for d in &mut differences {
        d.bit = all(t, &[granted, runs, d.bit]);
    }
    let wrong = any_difference(t, &differences);
    let open = left.map(|(condition, why)| (all(t, &[granted, runs, condition]), why));
    let got = Outcome { traps: trapped, a0: result };
    let wanted = Outcome { traps: nothing, a0: wanted.result };
    let scenario = run(image, entry, xlen, loads, Shows::Other { got, wanted });
    let values = vec![("rs1".to_owned(), rs1), ("rs2".to_owned(), rs2)];
    let (subject, place) = (command.name.to_owned(), format!("RV{xlen}, code at {entry:#x}"));
    let unshown = scenario.is_none().then(|| "the code lies too far apart for one program".to_owned());
    Ok(Claim { open, differences, scenario, unshown, ..Claim::new("routine", subject, place, terms, wrong, values) })
}

/// A routine for a command that keeps variables: nobody knows whether it is right.
fn stateful(command: &Command<'_>, xlen: u32, entry: u64, at: usize) -> Claim {
    let mut terms = Terms::new();
    let (never, always) = (terms.number(0, 1), terms.number(1, 1));
    let name = command.meaning.variables.get(at).map_or("", |v| v.name.as_str());
    let why = format!("the command keeps the variable {name}, and nothing says where the routine has it");
    let place = format!("RV{xlen}, code at {entry:#x}");
    let claim = Claim::new("routine", command.name, place, terms, never, Vec::new());
    Claim { open: Some((always, why)), ..claim }
}

/// Adds the ways in which what a function has to keep differs, where it comes to its end: its registers, and memory outside of
/// its stack.
fn damage(
    riscv: &Riscv<'_>,
    t: &mut Terms,
    before: &SymbolicState,
    (when, after): (TermId, &SymbolicState),
    differs: &mut Vec<Difference>,
) {
    let xlen = riscv.xlen();
    let sp = riscv.register(t, before, 2);
    for number in KEPT {
        let (x, y) = (riscv.register(t, before, number), riscv.register(t, after, number));
        differs.push(difference(t, &format!("register x{number}"), when, y, x));
    }
    if !only_stack(t, after.memory, before.memory, sp) {
        let at = t.symbol("memory.at", Sort::Bits(xlen));
        let (x, y) = (t.read(before.memory, at), t.read(after.memory, at));
        let changed = t.binary(BinaryOp::Ne, x, y);
        let below = t.binary(BinaryOp::Sub, sp, at);
        let one = t.number(1, xlen);
        let below = t.binary(BinaryOp::Sub, below, one);
        let frame = t.number(STACK, xlen);
        let elsewhere = t.binary(BinaryOp::LeU, frame, below);
        let bit = all(t, &[when, changed, elsewhere]);
        differs.push(Difference { what: "memory".to_owned(), at: Some(at), bit, values: Some((y, x)) });
    }
}

/// Whether memory is what it was but for bytes below the stack pointer, as the terms say it: a solver would have to
/// find that out for every byte.
fn only_stack(terms: &Terms, after: TermId, before: TermId, sp: TermId) -> bool {
    let mut at = after;
    while let Term::Write(below, index, _) = *terms.term(at) {
        let offset = match *terms.term(index) {
            Term::Binary(BinaryOp::Add, base, c) if base == sp => terms.constant(c),
            _ => None,
        };
        let width = terms.width(index);
        let depth = offset.map(|c| Word::zero(width).not().xor(c).wrapping_inc()).and_then(|n| n.to_u64());
        if !depth.is_some_and(|n| n > 0 && n <= STACK) {
            return false;
        }
        at = below;
    }
    at == before
}

/// Where a return goes to, as every instruction that returns computes it.
fn back(riscv: &mut Riscv<'_>, t: &mut Terms, start: &SymbolicState) -> Option<Vec<TermId>> {
    let mut list = Vec::new();
    // `jalr zero, 0(ra)` and `c.jr ra`.
    for (word, bits) in [(0x0000_8067, 32), (0x8082, 16)] {
        let Some(i) = riscv.decode(&Word::from_u64(word, bits)) else { continue };
        list.push(riscv.execute(t, &i, &[], start, &mut Unknown)?.pc);
    }
    (!list.is_empty()).then_some(list)
}

/// What is taken for granted of the stack.
fn granted(t: &mut Terms, sp: TermId, image: &Image, xlen: u32) -> TermId {
    let low = t.slice(sp, 0, 4);
    let zero = t.number(0, 4);
    let frame = t.number(STACK, xlen);
    let bottom = t.binary(BinaryOp::Sub, sp, frame);
    let mut bits = vec![same(t, low, zero), t.binary(BinaryOp::LeU, frame, sp)];
    for (first, bytes) in &image.pieces {
        let first_at = t.number(*first, xlen);
        let end = t.number(first.wrapping_add(bytes.len() as u64), xlen);
        let (below, above) = (t.binary(BinaryOp::LeU, sp, first_at), t.binary(BinaryOp::LeU, end, bottom));
        bits.push(any(t, &[below, above]));
    }
    all(t, &bits)
}

/// A program that calls the routine: its code where it belongs, and the call after it.
fn run(image: &Image, entry: u64, xlen: u32, loads: Vec<Line>, shows: Shows) -> Option<Scenario> {
    let mut pieces: Vec<&(u64, Vec<u8>)> = image.pieces.iter().filter(|p| !p.1.is_empty()).collect();
    pieces.sort();
    let base = pieces.first()?.0;
    let mut lines = Vec::new();
    let mut at = base;
    for (first, bytes) in pieces {
        let gap = first.checked_sub(at)?;
        if gap > MAX_IMAGE as u64 {
            return None;
        }
        if gap > 0 {
            lines.push(Line::Text(format!(".zero {gap}")));
        }
        // The header of an ELF file is often part of what is loaded. A flat program must not look like one.
        let mut bytes = bytes.clone();
        if bytes.starts_with(b"\x7fELF")
            && let Some(first) = bytes.first_mut()
        {
            *first = 0;
        }
        for chunk in bytes.chunks(16) {
            let list: Vec<String> = chunk.iter().map(|b| format!("{b:#04x}")).collect();
            lines.push(Line::Text(format!(".byte {}", list.join(", "))));
        }
        at = first.checked_add(bytes.len() as u64)?;
    }
    let start = at.checked_add(15)? & !15;
    if start > at {
        lines.push(Line::Text(format!(".zero {}", start - at)));
    }
    lines.extend(loads);
    lines.push(Line::Text(format!("li t0, {entry:#x}")));
    lines.push(Line::Text("jalr ra, 0(t0)".to_owned()));
    lines.push(Line::Text("ebreak".to_owned()));
    // Room for the call and a stack after it.
    let length = (start - base).checked_add(0x1_0000)?;
    let settings = vec![
        setting("xlen", xlen.to_string()),
        setting("start_priv", "\"mach\""),
        setting("trap_model", "\"one-level-up\""),
        setting("ram", format!("[{base:#x}, {length:#x}]")),
        setting("entry", format!("{start:#x}")),
    ];
    Some(Scenario { xlen, lines, settings, variables: Vec::new(), on_machine: false, shows })
}
