//! Text to instruction: the quick programs, run backwards.
//!
//! A step that copies a text picked by some bits says, when that text is there, which values those bits can have; a
//! choice by bits is a choice between places to go on. Bits that follow are set, what remains open is kept as a condition
//! and solved at the end with as few ones as possible. What comes out is decoded and printed again, and taken only if
//! that gives the text.

use super::calc;
use super::decode::{has_dont_care, limb, mask, pattern};
use super::exact;
use super::hooks::Hooks;
use super::number;
use super::out::Out;
use super::print::Compat;
use super::quick;
use super::scope::Scopes;
use super::tables::{Binary, Calc, Code, Isa, LIMBS, Limbs, NONE, Op, Type};

/// Conditions of one text.
const CONDITIONS: usize = 96;

/// Different ways to go on at one step.
const WAYS: usize = 24;

/// Open bits of one condition that are tried out.
const OPEN: usize = 16;

/// Steps for one text.
const STEPS: u32 = 2_000_000;

/// Steps within steps: what bounds the recursion.
const DEPTH: u32 = 400;

/// Why a text is not a valid instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReadError {
    /// Understood up to this byte, but not on.
    Expected(usize),
    /// The search took too long.
    TooHard,
}

/// A condition on the word.
#[derive(Clone, Copy, Debug)]
enum Condition {
    /// The bits of this step lead to this entry of its table.
    Entry(u32, u32),
    /// The bits of this value in the mask.
    Value(u32, u64, u64),
    /// Whether this value is other than 0.
    Truth(u32, bool),
}

/// Where calls return to.
struct Frame<'f> {
    at: u32,
    up: Option<&'f Frame<'f>>,
}

/// The state of a search.
#[derive(Clone, Copy, Debug)]
struct State {
    word: Limbs,
    known: Limbs,
    conditions: usize,
}

struct Reader<'r, 't, 'h> {
    isa: &'t Isa<'t>,
    text: &'r [u8],
    compat: Compat,
    hooks: &'h mut dyn Hooks,
    state: State,
    conditions: [Condition; CONDITIONS],
    leaf: u32,
    steps: u32,
    depth: u32,
    furthest: usize,
}

/// Finds the word that prints as a text, which is as the disassembler prints it; the shortest where instructions differ
/// in length.
///
/// # Errors
/// See [`ReadError`].
pub fn read(isa: &Isa<'_>, text: &[u8], compat: Compat, hooks: &mut dyn Hooks) -> Result<(u32, Limbs), ReadError> {
    let text = text.trim_ascii();
    let state = State { word: [0; LIMBS], known: [0; LIMBS], conditions: 0 };
    let conditions = [Condition::Truth(0, true); CONDITIONS];
    let mut reader = Reader { isa, text, compat, hooks, state, conditions, leaf: 0, steps: 0, depth: 0, furthest: 0 };
    let first = isa.spaces.get(isa.root as usize).map_or(0, |space| space.first);
    let end = isa.spaces.get(isa.root as usize + 1).map_or(isa.leaves.len() as u32, |space| space.first);
    let mut best: Option<(u32, u32, Limbs)> = None;
    // Those that the text can be come first; the others only say how far it is understood.
    for likely in [true, false] {
        for leaf in first..end {
            let Some(encoding) = isa.leaves.get(leaf as usize) else { break };
            if reader.may_be(encoding.needs) != likely || best.is_some_and(|(_, width, _)| width <= encoding.width) {
                continue;
            }
            reader.leaf = leaf;
            reader.start();
            if reader.go(encoding.program, 0, None) {
                best = Some((leaf, encoding.width, reader.state.word));
                if isa.lengths.is_empty() {
                    break;
                }
            }
            if reader.steps > STEPS {
                break;
            }
        }
        if best.is_some() {
            break;
        }
    }
    match best {
        Some((leaf, _, word)) => Ok((leaf, word)),
        None if reader.steps > STEPS => Err(ReadError::TooHard),
        None => Err(ReadError::Expected(reader.furthest)),
    }
}

/// Whether a text contains another.
fn contains(text: &[u8], part: &[u8]) -> bool {
    let Some((&first, _)) = part.split_first() else { return true };
    (0..text.len()).any(|at| text[at] == first && text[at..].starts_with(part))
}

impl Reader<'_, '_, '_> {
    /// Whether the text contains one of these.
    fn may_be(&self, (from, to): (u32, u32)) -> bool {
        let needs = self.isa.needs.get(from as usize..to as usize).unwrap_or(&[]);
        needs.is_empty() || needs.iter().any(|&entry| contains(self.text, self.pool(entry)))
    }

    /// The state in which only the pattern is known, and that bits that nothing cares for are 0.
    fn start(&mut self) {
        let (care, value, dont_care) =
            (pattern(self.isa, self.leaf, 0), pattern(self.isa, self.leaf, 1), pattern(self.isa, self.leaf, 2));
        for i in 0..LIMBS {
            let at = |set: &[u64]| set.get(i).copied().unwrap_or(0);
            self.state.known[i] = at(care) | at(dont_care);
            self.state.word[i] = at(value);
        }
        self.state.conditions = 0;
        self.depth = 0;
    }

    fn rest(&self, position: usize) -> &[u8] {
        self.text.get(position..).unwrap_or(&[])
    }

    /// Sets bits; `false` if one of them is known to be otherwise.
    fn set(&mut self, at: usize, bits: u64, value: u64) -> bool {
        let (Some(word), Some(known)) = (self.state.word.get_mut(at), self.state.known.get_mut(at)) else {
            return bits == 0;
        };
        if (*word ^ value) & *known & bits != 0 {
            return false;
        }
        *word |= value & bits & !*known;
        *known |= bits;
        true
    }

    fn keep(&mut self, condition: Condition) -> bool {
        match self.conditions.get_mut(self.state.conditions) {
            Some(place) => {
                *place = condition;
                self.state.conditions += 1;
                true
            }
            None => false,
        }
    }

    /// Goes on at a step with the text from a position on; `true` if that ends in a word that is right.
    fn go(&mut self, at: u32, position: usize, calls: Option<&Frame<'_>>) -> bool {
        let (mut at, mut position, mut calls) = (at, position, calls);
        loop {
            self.steps += 1;
            if self.steps > STEPS {
                return false;
            }
            self.furthest = self.furthest.max(position);
            let Some(&op) = self.isa.ops.get(at as usize) else { return false };
            let step = at;
            at += 1;
            match op.0 {
                Code::End => match calls {
                    Some(frame) => (at, calls) = (frame.at, frame.up),
                    None => return position == self.text.len() && self.accept(),
                },
                Code::Bail => return false,
                Code::Goto => at = op.3,
                Code::Text => {
                    let text = self.pool(op.3);
                    if !self.rest(position).starts_with(text) {
                        return false;
                    }
                    position += text.len();
                }
                Code::Align => {
                    while position < op.3 as usize {
                        if self.text.get(position) != Some(&b' ') {
                            return false;
                        }
                        position += 1;
                    }
                }
                Code::Expect => {
                    let Some(&(value, wanted)) = self.isa.expects.get(op.3 as usize) else { return false };
                    if !self.value_is(value, u64::MAX, wanted) {
                        return false;
                    }
                }
                _ => return self.ways(step, op, position, calls),
            }
        }
    }

    fn pool(&self, entry: u32) -> &'_ [u8] {
        self.isa.text.get((entry >> 8) as usize..((entry >> 8) + (entry & 255)) as usize).unwrap_or(&[])
    }

    /// A step with several ways to go on.
    fn ways(&mut self, step: u32, op: Op, position: usize, calls: Option<&Frame<'_>>) -> bool {
        self.depth += 1;
        let found = self.depth < DEPTH && self.each_way(step, op, position, calls);
        self.depth -= 1;
        found
    }

    fn each_way(&mut self, step: u32, op: Op, position: usize, calls: Option<&Frame<'_>>) -> bool {
        let before = self.state;
        match op.0 {
            Code::Pick | Code::PickMany => {
                let (ways, count) = self.entries(op, position);
                for &(entry, _) in ways.iter().take(count) {
                    let len = (entry & 255) as usize;
                    if self.entry_is(step, op, entry) && self.go(step + 1, position + len, calls) {
                        return true;
                    }
                    self.state = before;
                }
            }
            Code::Jump | Code::JumpMany | Code::Call | Code::CallMany => {
                let (ways, count) = self.entries(op, usize::MAX);
                let back = Frame { at: step + 1, up: calls };
                let calls = if matches!(op.0, Code::Call | Code::CallMany) { Some(&back) } else { calls };
                for &(entry, _) in ways.iter().take(count) {
                    if self.entry_is(step, op, entry) && self.go(entry, position, calls) {
                        return true;
                    }
                    self.state = before;
                }
            }
            Code::If => {
                let Some(&(value, then, other)) = self.isa.ifs.get(op.3 as usize) else { return false };
                let back = Frame { at: step + 1, up: calls };
                for (at, holds) in [(then, true), (other, false)] {
                    if self.keep(Condition::Truth(value, holds)) && self.go(at, position, Some(&back)) {
                        return true;
                    }
                    self.state = before;
                }
            }
            Code::Sub => {
                let Some(&(value, _, space, targets)) = self.isa.subs.get(op.3 as usize) else { return false };
                let Some(first) = self.isa.spaces.get(space as usize).map(|space| space.first) else { return false };
                let end = self.isa.spaces.get(space as usize + 1).map_or(self.isa.leaves.len() as u32, |s| s.first);
                let back = Frame { at: step + 1, up: calls };
                for leaf in first..end {
                    let limb = |set| pattern(self.isa, leaf, set).first().copied().unwrap_or(0);
                    let (care, wanted, dont_care) = (limb(0), limb(1), limb(2));
                    let Some(&(at, _)) = self.isa.targets.get((targets + leaf - first) as usize) else { break };
                    if self.value_is(value, care | dont_care, wanted) && self.go(at, position, Some(&back)) {
                        return true;
                    }
                    self.state = before;
                }
            }
            Code::Bits | Code::Scalar | Code::Branch | Code::Custom => {
                let mut way = 0;
                while let Some((len, value, more)) = self.reading(op, position, way) {
                    way += 1;
                    if self.read_is(op, value) && self.go(step + 1, position + len, calls) {
                        return true;
                    }
                    self.state = before;
                    if !more {
                        break;
                    }
                }
            }
            _ => {}
        }
        false
    }

    /// The bits of a step: at most 16 of them, as limb, bit and place in the index.
    fn bits(&self, op: Op, mut each: impl FnMut(u8, u32, u32)) {
        let mut run = |(limb, rotation, mask): (u8, u8, u16)| {
            for to in 0..16u32 {
                if mask >> to & 1 == 1 {
                    each(limb, (to + u32::from(rotation)) % 64, to);
                }
            }
        };
        if matches!(op.0, Code::PickMany | Code::JumpMany | Code::CallMany) {
            let from = usize::from(op.1.2);
            self.isa.runs.get(from..from + usize::from(op.1.0)).unwrap_or(&[]).iter().for_each(|&r| run(r));
        } else {
            run(op.1);
            run(op.2);
        }
    }

    /// The bits of a step's index that are known, their values, and all of its bits.
    fn index(&self, op: Op) -> (u32, u32, u32) {
        let (mut known, mut value, mut all) = (0, 0, 0);
        self.bits(op, |at, bit, to| {
            all |= 1 << to;
            known |= ((limb(&self.state.known, at) >> bit & 1) as u32) << to;
            value |= ((limb(&self.state.word, at) >> bit & 1) as u32) << to;
        });
        (known, value & known, all)
    }

    fn table(&self, op: Op) -> &[u32] {
        let table = if matches!(op.0, Code::Pick | Code::PickMany) { self.isa.picks } else { self.isa.jumps };
        table.get(op.3 as usize..).unwrap_or(&[])
    }

    /// The different entries that a step can still lead to, with the fewest ones that lead there; texts that are there,
    /// longest first, or places, those with the fewest ones first.
    fn entries(&mut self, op: Op, position: usize) -> ([(u32, u32); WAYS], usize) {
        let (known, value, all) = self.index(op);
        let mut ways = [(0, 0); WAYS];
        let mut count = 0;
        let open = all & !known;
        // Ones of the part that is decided count before those that only say under which circumstances.
        let part = match op.0 {
            Code::PickMany | Code::JumpMany | Code::CallMany => {
                self.isa.runs.get(usize::from(op.1.2)).map_or(0, |run| u32::from(run.2))
            }
            _ => u32::from(op.1.2),
        };
        let mut free = 0u32;
        loop {
            let index = value | free;
            let entry = self.table(op).get(index as usize).copied().unwrap_or(NONE);
            let known = ways.iter_mut().take(count).find(|way: &&mut (u32, u32)| way.0 == entry);
            let ones = (index & part).count_ones() << 8 | index.count_ones();
            if let Some(way) = known {
                way.1 = way.1.min(ones);
            } else if entry != NONE && count < WAYS {
                let there = position == usize::MAX || self.rest(position).starts_with(self.pool(entry));
                if there {
                    ways[count] = (entry, ones);
                    count += 1;
                }
            }
            self.steps += 1;
            if free == open {
                break;
            }
            // The next subset of the open bits.
            free = free.wrapping_sub(open) & open;
        }
        let found = ways.get_mut(..count).unwrap_or(&mut []);
        if position == usize::MAX {
            found.sort_unstable_by_key(|way| (way.1, way.0));
        } else {
            found.sort_unstable_by_key(|way| (core::cmp::Reverse(way.0 & 255), way.1, way.0));
        }
        (ways, count)
    }

    /// Keeps that a step leads to an entry, and sets the bits that follow from it.
    fn entry_is(&mut self, step: u32, op: Op, entry: u32) -> bool {
        let (known, value, all) = self.index(op);
        let open = all & !known;
        let (mut ones, mut zeros, mut count) = (u32::MAX, u32::MAX, 0);
        let mut free = 0u32;
        loop {
            if self.table(op).get((value | free) as usize) == Some(&entry) {
                ones &= free;
                zeros &= !free;
                count += 1;
            }
            if free == open {
                break;
            }
            free = free.wrapping_sub(open) & open;
        }
        if count == 0 {
            return false;
        }
        let decided = (ones | zeros) & open;
        let mut changes = [(0u8, 0u64, 0u64); 16];
        self.bits(op, |at, bit, to| {
            if decided >> to & 1 == 1 {
                changes[to as usize & 15] = (at, 1 << bit, u64::from(ones >> to & 1) << bit);
            }
        });
        changes.iter().all(|&(at, bits, value)| bits == 0 || self.set(usize::from(at), bits, value))
            && (count == 1 || self.keep(Condition::Entry(step, entry)))
    }

    /// The bits of the word that a value depends on.
    fn support(&self, node: u32, depth: u32, out: &mut Limbs) {
        let Some(calc) = self.isa.calcs.get(node as usize) else { return };
        if depth == 0 {
            return;
        }
        match *calc {
            Calc::Bits(lo, width) => {
                for bit in lo..lo + width {
                    if let Some(limb) = out.get_mut((bit / 64) as usize) {
                        *limb |= 1 << (bit % 64);
                    }
                }
            }
            Calc::Unary(_, _, x) | Calc::Cast(_, x) => self.support(x, depth - 1, out),
            Calc::Binary(_, _, x, y) => [x, y].into_iter().for_each(|x| self.support(x, depth - 1, out)),
            Calc::Select(c, x, y) => [c, x, y].into_iter().for_each(|x| self.support(x, depth - 1, out)),
            Calc::Const(_) | Calc::Field(_) | Calc::Gen => {}
        }
    }

    /// Makes the bits `bits` of a value be as in `wanted`, as far as bits of the word stand for bits of the value, and
    /// keeps that it is so.
    fn value_is(&mut self, node: u32, bits: u64, wanted: u64) -> bool {
        let (mut node, mut target) = (node, wanted);
        let whole = (node, bits, wanted);
        // Sums with a constant are undone first.
        if bits == u64::MAX {
            while let Some(calc) = self.isa.calcs.get(node as usize) {
                let constant = |at: u32| match self.isa.calcs.get(at as usize) {
                    Some(Calc::Const(value)) => Some(*value),
                    _ => None,
                };
                (node, target) = match *calc {
                    Calc::Binary(Binary::Add, ty, x, y) => match (constant(x), constant(y)) {
                        (None, Some(c)) => (x, calc::wrap(ty, target.wrapping_sub(c))),
                        (Some(c), None) => (y, calc::wrap(ty, target.wrapping_sub(c))),
                        _ => break,
                    },
                    Calc::Binary(Binary::Sub, ty, x, y) => match (constant(x), constant(y)) {
                        (None, Some(c)) => (x, calc::wrap(ty, target.wrapping_add(c))),
                        (Some(c), None) => (y, calc::wrap(ty, c.wrapping_sub(target))),
                        _ => break,
                    },
                    Calc::Cast(ty, x) if calc::wrap(ty, target) == target && x != node => {
                        match self.isa.calcs.get(x as usize) {
                            Some(Calc::Binary(Binary::Add | Binary::Sub, ..)) => (x, target),
                            _ => break,
                        }
                    }
                    _ => break,
                };
            }
        }
        let mut support = [0; LIMBS];
        self.support(node, 64, &mut support);
        let fixed = calc::value(self.isa, node, &[0; LIMBS]);
        let mut changes: [(u64, u64); LIMBS] = [(0, 0); LIMBS];
        for (i, &limb) in support.iter().enumerate() {
            let mut left = limb;
            while left != 0 {
                let bit = left & left.wrapping_neg();
                left ^= bit;
                let mut alone = [0; LIMBS];
                alone[i] = bit;
                let column = (calc::value(self.isa, node, &alone) ^ fixed) & bits;
                if column != 0 {
                    changes[i].0 |= bit;
                    if (target ^ fixed) & column != 0 {
                        changes[i].1 |= bit;
                    }
                }
            }
        }
        // Only if the bits taken so do give the value.
        let mut word = [0; LIMBS];
        word.iter_mut().zip(&changes).for_each(|(limb, change)| *limb = change.1);
        if (calc::value(self.isa, node, &word) ^ target) & bits == 0 {
            let before = self.state;
            let plain = self.is_bits(node);
            let set = changes.iter().enumerate().all(|(i, &(bits, value))| self.set(i, bits, value));
            if set {
                return true;
            }
            self.state = before;
            if plain {
                return false;
            }
        }
        self.keep(Condition::Value(whole.0, whole.1, whole.2))
    }

    /// Whether a value is bits of the word in some order, so that there is one way to make it.
    fn is_bits(&self, node: u32) -> bool {
        match self.isa.calcs.get(node as usize) {
            Some(Calc::Bits(..) | Calc::Const(_)) => true,
            Some(Calc::Cast(_, x)) => self.is_bits(*x),
            Some(&Calc::Binary(Binary::Or, _, x, y)) => self.is_bits(x) && self.is_bits(y),
            Some(&Calc::Binary(Binary::Shl, _, x, y)) => {
                self.is_bits(x) && matches!(self.isa.calcs.get(y as usize), Some(Calc::Const(_)))
            }
            _ => false,
        }
    }

    /// A way to read a number: its length, its value, and whether there may be others.
    fn reading(&mut self, op: Op, position: usize, way: usize) -> Option<(usize, u64, bool)> {
        let rest = self.text.get(position..).unwrap_or(&[]);
        let how = match op.0 {
            Code::Bits => op.3,
            _ => self.isa.scalars.get(op.3 as usize)?.1,
        };
        if op.0 == Code::Custom {
            let reference = self.isa.references.get(how as usize)?;
            let (len, value) = self.hooks.parse_custom(reference, rest, way)?;
            return (len <= rest.len()).then_some((len, value, true));
        }
        let &(ty, width) = self.isa.ways.get(how as usize)?;
        number::read(self.isa, ty, width, rest, way)
    }

    /// Makes a number be what was read.
    fn read_is(&mut self, op: Op, value: u64) -> bool {
        if op.0 == Code::Bits {
            let (at, shift, width) = op.1;
            let bits = mask(u32::from(width));
            return value & !bits == 0 && self.set(usize::from(at), bits << (shift & 63), value << (shift & 63));
        }
        let Some(&(node, how)) = self.isa.scalars.get(op.3 as usize) else { return false };
        if op.0 == Code::Custom {
            return self.value_is(node, u64::MAX, value);
        }
        let Some(&(ty, width)) = self.isa.ways.get(how as usize) else { return false };
        match ty {
            Type::Flag(_) | Type::FlagInv(_) | Type::BoolInv => self.keep(Condition::Truth(node, value != 0)),
            Type::Int | Type::Offset | Type::Branch(..) | Type::Float => self.value_is(node, mask(width), value),
            Type::Bool => self.value_is(node, mask(32), value),
            _ => self.value_is(node, u64::MAX, value),
        }
    }

    /// Whether a condition holds; `None` if that is open. The open bits go to `open`, as many as fit.
    fn met(&self, condition: Condition, open: &mut [(usize, u64); OPEN]) -> (Option<bool>, usize) {
        let mut support = [0; LIMBS];
        let op = match condition {
            Condition::Entry(step, _) => self.isa.ops.get(step as usize).copied(),
            Condition::Value(node, ..) | Condition::Truth(node, _) => {
                self.support(node, 64, &mut support);
                None
            }
        };
        if let Some(op) = op {
            self.bits(op, |at, bit, _| {
                if let Some(limb) = support.get_mut(usize::from(at)) {
                    *limb |= 1 << bit;
                }
            });
        }
        let mut count = 0;
        for (i, limb) in support.iter().enumerate() {
            let mut left = limb & !self.state.known.get(i).copied().unwrap_or(0);
            while left != 0 {
                let bit = left & left.wrapping_neg();
                left ^= bit;
                if let Some(place) = open.get_mut(count) {
                    *place = (i, bit);
                }
                count += 1;
            }
        }
        (if count == 0 { Some(self.holds(condition)) } else { None }, count)
    }

    /// Whether a condition holds for the word as it stands.
    fn holds(&self, condition: Condition) -> bool {
        match condition {
            Condition::Entry(step, entry) => self.isa.ops.get(step as usize).is_some_and(|&op| {
                let mut index = 0;
                self.bits(op, |at, bit, to| index |= ((limb(&self.state.word, at) >> bit & 1) as u32) << to);
                self.table(op).get(index as usize) == Some(&entry)
            }),
            Condition::Value(node, bits, wanted) => {
                (calc::value(self.isa, node, &self.state.word) ^ wanted) & bits == 0
            }
            Condition::Truth(node, wanted) => (calc::value(self.isa, node, &self.state.word) != 0) == wanted,
        }
    }

    /// Sets the bits that are so unless the text says otherwise, and finishes the word.
    fn accept(&mut self) -> bool {
        let before = self.state;
        let leaf = self.leaf;
        for &(_, at, bits, value) in self.isa.preferred.iter().filter(|p| p.0 == leaf) {
            self.set(at as usize, bits, value);
        }
        if !self.finish(0) {
            self.state = before;
            return false;
        }
        true
    }

    /// Meets the conditions from `from` on, with as few ones as possible, and checks the word.
    fn finish(&mut self, from: usize) -> bool {
        let mut open = [(0, 0); OPEN];
        let mut from = from;
        let (condition, count) = loop {
            let Some(&condition) = self.conditions.get(from).filter(|_| from < self.state.conditions) else {
                return self.right();
            };
            from += 1;
            match self.met(condition, &mut open) {
                (Some(true), _) => {}
                (Some(false), _) => return false,
                // Too many to try: left to the check of the word.
                (None, count) if count > OPEN => {}
                (None, count) => break (condition, count),
            }
        };
        let before = self.state;
        for ones in 0..=count as u32 {
            // All sets of so many bits, the lowest first.
            let mut set: u32 = (1 << ones) - 1;
            while set < 1 << count {
                self.steps += 1;
                if self.steps > STEPS {
                    return false;
                }
                for (i, &(limb, bit)) in open.iter().take(count).enumerate() {
                    self.set(limb, bit, if set >> i & 1 == 1 { bit } else { 0 });
                }
                if self.holds(condition) && self.finish(from) {
                    return true;
                }
                self.state = before;
                if set == 0 {
                    break;
                }
                let low = set & set.wrapping_neg();
                let carry = set + low;
                set = (((carry ^ set) / low) >> 2) | carry;
            }
        }
        false
    }

    /// Whether the word prints as the text.
    fn right(&mut self) -> bool {
        let Some(leaf) = self.isa.leaves.get(self.leaf as usize) else { return false };
        self.steps += 16;
        let (mut matched, mut same) = (0, true);
        let text = self.text;
        let mut sink = |bytes: &[u8]| {
            same &= text.get(matched..).is_some_and(|rest| rest.starts_with(bytes));
            matched += bytes.len();
        };
        let word = self.state.word;
        let decided = super::decode::select(self.isa, self.isa.root, &word, leaf.width);
        if decided != super::decode::Match::One(self.leaf) {
            return false;
        }
        let mut out = Out::new(&mut sink);
        let mut line = exact::Line { position: 0, place: 1, targets: None, compat: self.compat };
        let at = out.hold();
        let clean = !has_dont_care(self.isa, self.leaf, &word);
        let end =
            if clean { quick::run(self.isa, leaf.program, at, &word, self.hooks, &mut line, &mut out) } else { None };
        if !out.keep(end) {
            let mut scopes = Scopes::new(self.isa, false);
            exact::instruction(&mut scopes, (&word, leaf.width), self.hooks, &mut line, &mut out);
        }
        drop(out);
        same && matched == text.len()
    }
}
