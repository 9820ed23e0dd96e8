//! The quick half: display programs with everything finished that depends on few bits.
//!
//! Steps that depend on few bits together become one step that copies a text from a table; a choice by few bits becomes
//! a table of places where the program continues. What is left prints a number or asks the embedding program.
//!
//! An example: the text `{SAT}{NAME} {DST}, {IMM}`, where `SAT` is 1 bit that prints `(sat)` or nothing, `NAME` is `add`, `DST` is a
//! register of 4 bits and `IMM` a number of 16. The steps `{SAT}`, `add `, `{DST}` and `, ` depend on 5 bits. All in one step
//! would be a table of 32 texts; but a mnemonic makes a table that no other instruction shares, so with a word in it the
//! limit is [`Layout::merge_text_bits`], and [`Quick::flush`] finds the cheapest way to cut the row: `{SAT}add ` (a table of 2), then
//! `{DST}, ` (a table of 16 that other instructions share), then the number.

use std::collections::HashMap;
use std::hash::Hash;
use std::rc::Rc;

use isaglot_asm::Compat;
use isaglot_asm::program::{BlockId, PrintOp as Step, Programs, Sub};
use isaglot_asm::value;
use isaglot_bits::Word;
use isaglot_codec::{Match, Operation, Plan, ValueId};
use isaglot_invariant::Impossible as _;
use isaglot_model::{EncodingId, FieldType, SpaceId};

use super::exact::{Types, append, binary, int, unary};
use super::{Blueprint, Unsupported};
use crate::limits::{Layout, MAX_NEEDS, MAX_POOL, MAX_TEXT};
use crate::runtime::tables::{Calc, Code, NONE, Op, Run, Type};

/// Neighbouring bits of a limb: limb, lowest bit, how many, and where they go in an index.
type Bits = (u8, u8, u8, u8);

/// Texts by some bits; `None` where the exact half has to print.
type Texts = Rc<[Option<Vec<u8>>]>;

const NO_RUN: Run = (0, 0, 0);

/// What is in the tables so far, by what it says: plans share it.
#[derive(Default)]
pub(super) struct Known {
    /// Programs that are written.
    laid: HashMap<Vec<Op>, u32>,
    needs: HashMap<Vec<u32>, u32>,
    texts: HashMap<Vec<u8>, u32>,
    picks: HashMap<Vec<u32>, u32>,
    jumps: HashMap<Vec<u32>, u32>,
    runs: HashMap<Vec<Run>, u32>,
    calcs: HashMap<Calc, u32>,
    scalars: HashMap<(u32, u32), u32>,
    ways: HashMap<(Type, u32), u32>,
    ifs: HashMap<(u32, u32, u32), u32>,
    subs: HashMap<(u32, u32, u32, u32), u32>,
    targets: HashMap<Vec<(u32, u64)>, u32>,
    expects: HashMap<(u32, u64), u32>,
    full: bool,
}

/// Appends a row unless it is there; its number.
fn row<T: Copy + Eq + Hash>(table: &mut Vec<T>, known: &mut HashMap<T, u32>, row: T) -> u32 {
    *known.entry(row).or_insert_with(|| append(table, &[row]).0)
}

/// Appends rows unless they are there as a whole; the number of the first.
fn rows<T: Clone + Eq + Hash>(table: &mut Vec<T>, known: &mut HashMap<Vec<T>, u32>, rows: Vec<T>) -> u32 {
    *known.entry(rows).or_insert_with_key(|rows| append(table, rows).0)
}

struct Quick<'b, 'p, 'a> {
    blueprint: &'b mut Blueprint<'a>,
    plan: &'p Plan<'a>,
    known: &'b mut Known,
    types: &'b mut Types<'a>,
    layout: Layout,
    programs: Programs<'p, 'a>,
    blocks: HashMap<BlockId, u32>,
    /// See [`Quick::needs`].
    needs: HashMap<BlockId, Option<Rc<Vec<Vec<u8>>>>>,
    /// Blocks with a number whose text depends on more than its value.
    floats: HashMap<BlockId, bool>,
    /// Texts of steps that depend on few bits alone; `None` where the exact half has to print.
    tables: HashMap<Step, Texts>,
    calcs: HashMap<ValueId, u32>,
}

/// Appends the quick half of a plan to a blueprint that has its exact half, with its spaces from `spaces` on.
pub(super) fn fill<'a>(
    blueprint: &mut Blueprint<'a>,
    plan: &Plan<'a>,
    spaces: u32,
    (known, types, layout): (&mut Known, &mut Types<'a>, Layout),
) -> Result<(), Unsupported> {
    let isa = plan.isa();
    let root = blueprint.spaces.get((spaces + isa.root().0) as usize).map_or(0, |space| space.first) as usize;
    let mut quick = Quick {
        blueprint,
        plan,
        known,
        types,
        layout,
        programs: Programs::new(plan, true),
        blocks: HashMap::new(),
        needs: HashMap::new(),
        floats: HashMap::new(),
        tables: HashMap::new(),
        calcs: HashMap::new(),
    };
    let active = isa[isa.root()].encodings.iter().filter(|&&id| plan.active(&isa[id]));
    for (&id, at) in active.zip(root..) {
        let block = quick.programs.whole(id);
        let program = quick.block(block);
        let branches = may_branch(plan, id, &mut Vec::new());
        let needs = if layout.needs { quick.needs(block).unwrap_or_default() } else { Rc::default() };
        let needs: Vec<u32> = needs.iter().map(|text| quick.text(text)).collect();
        let count = needs.len() as u32;
        let from = if count == 0 { 0 } else { rows(&mut quick.blueprint.needs, &mut quick.known.needs, needs) };
        let needs = (from, from + count);
        if let Some(leaf) = quick.blueprint.leaves.get_mut(at) {
            (leaf.program, leaf.branches, leaf.needs) = (program, branches, needs);
        }
    }
    if quick.known.full {
        return Err(Unsupported(format!("the texts of the description take more than {MAX_POOL} bytes")));
    }
    Ok(())
}

/// Whether an encoding, or one nested in it, has a field that is a code address. `seen` are the spaces looked at.
fn may_branch(plan: &Plan<'_>, id: EncodingId, seen: &mut Vec<SpaceId>) -> bool {
    let isa = plan.isa();
    isa[id].cases.iter().flat_map(|case| &case.fields).any(|field| match field.ty {
        FieldType::Branch { .. } => true,
        FieldType::Sub(space) if !seen.contains(&space) => {
            seen.push(space);
            isa[space].encodings.iter().any(|&nested| may_branch(plan, nested, seen))
        }
        _ => false,
    })
}

impl<'a> Quick<'_, '_, 'a> {
    /// The place of a block. Blocks nest no deeper than when they were compiled.
    fn block(&mut self, id: BlockId) -> u32 {
        if let Some(&at) = self.blocks.get(&id) {
            return at;
        }
        let mut steps = Vec::new();
        self.flat(id, &mut steps);
        let mut ops = Vec::new();
        let mut group: Vec<(Step, Word)> = Vec::new();
        for step in steps {
            let (bits, pure) = self.programs.depends(step);
            if pure && !self.has_float(step) && bits.count_ones() <= self.layout.pick_bits {
                group.push((step, bits));
            } else {
                self.flush(&mut group, &mut ops);
                self.step(step, &mut ops);
            }
        }
        self.flush(&mut group, &mut ops);
        let at = self.lay_out(ops);
        self.blocks.insert(id, at);
        at
    }

    /// The steps of a block, with those of choices that no bit decides in their place.
    fn flat(&self, block: BlockId, out: &mut Vec<Step>) {
        for &step in self.programs.steps(block) {
            if !self.decider(step).is_some_and(|bits| bits.is_zero()) {
                out.push(step);
                continue;
            }
            match self.chosen(step, &vec![0; self.blueprint.limb_count]) {
                Some(chosen) => self.flat(chosen, out),
                None => out.push(Step::Bail),
            }
        }
    }

    /// Appends steps that depend on few bits each, as few steps as there can be; of those ways, the one with the smallest
    /// tables.
    fn flush(&mut self, group: &mut Vec<(Step, Word)>, ops: &mut Vec<Op>) {
        let steps = std::mem::take(group);
        // For each number of steps: the least cost, and where its last group begins.
        let mut best: Vec<(u64, usize)> = vec![(0, 0)];
        for end in 1..=steps.len() {
            let mut found = (u64::MAX, 0);
            let (mut reads, mut named) = (self.none(), false);
            for from in (0..end).rev() {
                let Some((step, bits)) = steps.get(from) else { break };
                reads = reads.or(bits);
                // A mnemonic makes a table that only one instruction has.
                named |= self.is_word(*step);
                let count = reads.count_ones();
                let most = if named { self.layout.merge_text_bits } else { self.layout.merge_bits };
                if count > most && from + 1 < end {
                    break;
                }
                let cost = if count == 0 { self.layout.text_cost } else { self.layout.pick_cost + (1 << count) };
                let before = best.get(from).or_impossible(&(0, 0)).0;
                found = found.min((before + cost, from));
            }
            best.push(found);
        }
        let (mut ends, mut at) = (Vec::new(), steps.len());
        while at > 0 {
            ends.push(at);
            at = best.get(at).or_impossible(&(0, 0)).1;
        }
        let mut from = 0;
        for end in ends.into_iter().rev() {
            let part = steps.get(from..end).or_impossible(&[]);
            let reads = part.iter().fold(self.none(), |reads, (_, bits)| reads.or(bits));
            let part: Vec<Step> = part.iter().map(|(step, _)| *step).collect();
            self.merge(&part, &reads, ops);
            from = end;
        }
    }

    /// Whether a step is fixed text with more than punctuation.
    fn is_word(&self, step: Step) -> bool {
        let Step::Text { from, len } = step else { return false };
        self.programs.bytes(from, len).iter().any(u8::is_ascii_alphanumeric)
    }

    fn none(&self) -> Word {
        Word::zero(self.plan.isa().format().max_bits)
    }

    /// Appends the steps of a block.
    fn lay_out(&mut self, mut ops: Vec<Op>) -> u32 {
        // The last call is a jump: there is nothing to come back to.
        let ends = match ops.last_mut() {
            Some(Op(code @ Code::Call, ..)) => {
                *code = Code::Jump;
                true
            }
            Some(Op(code @ Code::CallMany, ..)) => {
                *code = Code::JumpMany;
                true
            }
            Some(Op(Code::Bail, ..)) => true,
            _ => false,
        };
        if !ends {
            ops.push(Op(Code::End, NO_RUN, NO_RUN, 0));
        }
        rows(&mut self.blueprint.ops, &mut self.known.laid, ops)
    }

    /// Texts of which every text of a block contains at least one; `None` if nothing is known.
    fn needs(&mut self, block: BlockId) -> Option<Rc<Vec<Vec<u8>>>> {
        if let Some(known) = self.needs.get(&block) {
            return known.clone();
        }
        let mut best: Option<Rc<Vec<Vec<u8>>>> = None;
        for step in self.programs.steps(block).to_vec() {
            let found = match step {
                Step::Bail => Some(Rc::default()),
                Step::Text { from, len } => {
                    let text = self.programs.bytes(from, len).trim_ascii();
                    (self.is_word(step) && text.len() <= MAX_TEXT).then(|| Rc::new(vec![text.to_vec()]))
                }
                _ => self.needs_one(&self.ways_of(step)),
            };
            let length = |texts: &[Vec<u8>]| texts.iter().map(Vec::len).min().unwrap_or(usize::MAX);
            if let Some(found) = found
                && best.as_ref().is_none_or(|best| length(&found) > length(best))
            {
                best = Some(found);
            }
        }
        self.needs.insert(block, best.clone());
        best
    }

    /// The same for blocks of which one is printed.
    fn needs_one(&mut self, blocks: &[BlockId]) -> Option<Rc<Vec<Vec<u8>>>> {
        let mut all: Vec<Vec<u8>> = Vec::new();
        for &block in blocks {
            for text in self.needs(block)?.iter() {
                if !all.contains(text) {
                    all.push(text.clone());
                }
            }
            if all.len() > MAX_NEEDS {
                return None;
            }
        }
        (!blocks.is_empty()).then(|| Rc::new(all))
    }

    /// Whether a step prints a floating-point number: how it reads is chosen when it is printed.
    fn has_float(&mut self, step: Step) -> bool {
        match step {
            Step::Scalar { field, .. } => matches!(self.programs.way(field).ty, FieldType::Float),
            Step::If { then, other, .. } | Step::Test { then, other, .. } => {
                self.block_has_float(then) || self.block_has_float(other)
            }
            Step::Sub(sub) => {
                let blocks: Vec<BlockId> =
                    self.programs.sub_encoding(sub).leaves.iter().map(|(block, _)| *block).collect();
                blocks.into_iter().any(|block| self.block_has_float(block))
            }
            _ => false,
        }
    }

    fn block_has_float(&mut self, block: BlockId) -> bool {
        if let Some(&known) = self.floats.get(&block) {
            return known;
        }
        let steps = self.programs.steps(block).to_vec();
        let found = steps.into_iter().any(|step| self.has_float(step));
        self.floats.insert(block, found);
        found
    }

    /// Appends steps that depend on the few bits `reads` as one step that copies a text.
    fn merge(&mut self, steps: &[Step], reads: &Word, ops: &mut Vec<Op>) {
        if reads.is_zero() {
            let mut text = Vec::new();
            return match self.print(steps, &[], &mut text) {
                true => self.text_steps(&text, ops),
                false => ops.push(Op(Code::Bail, NO_RUN, NO_RUN, 0)),
            };
        }
        let runs = runs(reads);
        let parts: Vec<(Vec<Bits>, Texts)> =
            steps.iter().map(|&step| (inside(&runs, &self.programs.depends(step).0), self.table(step))).collect();
        let mut table = Vec::with_capacity(1 << reads.count_ones());
        let mut text = Vec::new();
        for index in 0..1u32 << reads.count_ones() {
            text.clear();
            let mut sound = true;
            for (bits, texts) in &parts {
                let at =
                    bits.iter().fold(0, |at, &(_, from, width, to)| at | (index >> from & ((1 << width) - 1)) << to);
                match texts.get(at as usize) {
                    Some(Some(part)) => text.extend_from_slice(part),
                    _ => sound = false,
                }
            }
            let entry = if sound && text.len() <= MAX_TEXT { self.text(&text) } else { NONE };
            table.push(entry);
        }
        let base = rows(&mut self.blueprint.picks, &mut self.known.picks, table);
        ops.push(self.by_bits(&runs, Code::Pick, Code::PickMany, base));
    }

    /// The texts of a step that depends on few bits alone, by those bits.
    fn table(&mut self, step: Step) -> Texts {
        if let Some(known) = self.tables.get(&step) {
            return Rc::clone(known);
        }
        let reads = self.programs.depends(step).0;
        let runs = runs(&reads);
        let mut word = vec![0; self.blueprint.limb_count];
        let texts = (0..1u32 << reads.count_ones()).map(|index| {
            scatter(&runs, index, &mut word);
            let mut text = Vec::new();
            self.print(&[step], &word, &mut text).then_some(text)
        });
        let texts: Texts = texts.collect();
        self.tables.insert(step, Rc::clone(&texts));
        texts
    }

    /// The step `one` or `many` over these bits.
    fn by_bits(&mut self, bits: &[Bits], one: Code, many: Code, n: u32) -> Op {
        let runs: Vec<Run> = bits
            .iter()
            .map(|&(limb, shift, width, to)| {
                let mask = ((1u32 << width) - 1) << to;
                (limb, (shift + 64 - to) % 64, mask as u16)
            })
            .collect();
        match *runs {
            [first] => return Op(one, first, NO_RUN, n),
            [first, second] => return Op(one, first, second, n),
            _ => {}
        }
        let count = runs.len() as u8;
        let from = rows(&mut self.blueprint.runs, &mut self.known.runs, runs);
        // A limit of the step's form; there are few different lists.
        self.known.full |= from > 0xffff;
        Op(many, (count, 0, from as u16), NO_RUN, n)
    }

    /// The place and length of a text.
    fn text(&mut self, text: &[u8]) -> u32 {
        if let Some(&known) = self.known.texts.get(text) {
            return known;
        }
        let pool = &mut self.blueprint.text;
        let from = pool.len();
        pool.extend_from_slice(text);
        self.known.full |= from >= MAX_POOL;
        let entry = (from as u32) << 8 | text.len() as u32;
        self.known.texts.insert(text.to_vec(), entry);
        entry
    }

    fn text_steps(&mut self, text: &[u8], ops: &mut Vec<Op>) {
        for piece in text.chunks(MAX_TEXT) {
            let n = self.text(piece);
            ops.push(Op(Code::Text, NO_RUN, NO_RUN, n));
        }
    }

    /// A step that is in no group.
    fn step(&mut self, step: Step, ops: &mut Vec<Op>) {
        let op = match step {
            Step::Text { from, len } => {
                let text = self.programs.bytes(from, len).to_vec();
                return self.text_steps(&text, ops);
            }
            Step::Align(column) => Op(Code::Align, NO_RUN, NO_RUN, column),
            Step::Scalar { value, field } => {
                let way = self.way(field);
                match self.programs.graph().operation(value) {
                    Operation::Bits { limb, shift, width } => {
                        Op(Code::Bits, (limb as u8, shift, u16::from(width)), NO_RUN, way)
                    }
                    _ => self.scalar(Code::Scalar, value, way),
                }
            }
            Step::Branch { value, field } => {
                let way = self.way(field);
                self.scalar(Code::Branch, value, way)
            }
            Step::Custom { value, reference } => {
                let text = self.programs.reference(reference);
                let known = self.blueprint.references.iter().position(|&known| known == text);
                let number = known.unwrap_or_else(|| {
                    self.blueprint.references.push(text);
                    self.blueprint.references.len() - 1
                });
                self.scalar(Code::Custom, value, number as u32)
            }
            Step::Expect { value, want } => {
                let value = self.calc(value);
                let number = row(&mut self.blueprint.expects, &mut self.known.expects, (value, want));
                Op(Code::Expect, NO_RUN, NO_RUN, number)
            }
            Step::If { .. } | Step::Test { .. } => self.choice(step),
            Step::Sub(sub) => self.sub(step, sub),
            Step::Bail | Step::Cached(_) | Step::Operand(_) => Op(Code::Bail, NO_RUN, NO_RUN, 0),
        };
        ops.push(op);
    }

    /// A number for a way of printing.
    fn way(&mut self, field: u32) -> u32 {
        let field = self.programs.way(field);
        let key = (self.types.of(self.blueprint, self.plan, &field.ty), field.width);
        row(&mut self.blueprint.ways, &mut self.known.ways, key)
    }

    fn scalar(&mut self, code: Code, value: ValueId, how: u32) -> Op {
        let entry = (self.calc(value), how);
        Op(code, NO_RUN, NO_RUN, row(&mut self.blueprint.scalars, &mut self.known.scalars, entry))
    }

    /// The node of a value, after those that it needs.
    fn calc(&mut self, value: ValueId) -> u32 {
        if let Some(&known) = self.calcs.get(&value) {
            return known;
        }
        let calc = match self.programs.graph().operation(value) {
            Operation::Const(value) => Calc::Const(value),
            Operation::Bits { limb, shift, width } => Calc::Bits(64 * limb + u32::from(shift), u32::from(width)),
            Operation::Across { lo, width } => Calc::Bits(lo, u32::from(width)),
            Operation::Unary(op, ty, x) => Calc::Unary(unary(op), int(ty), self.calc(x)),
            Operation::Binary(op, ty, x, y) => {
                let (x, y) = (self.calc(x), self.calc(y));
                Calc::Binary(binary(op), int(ty), x, y)
            }
            Operation::Select(c, x, y) => {
                let (c, x, y) = (self.calc(c), self.calc(x), self.calc(y));
                Calc::Select(c, x, y)
            }
            Operation::Cast(ty, x) => Calc::Cast(int(ty), self.calc(x)),
        };
        let number = row(&mut self.blueprint.calcs, &mut self.known.calcs, calc);
        self.calcs.insert(value, number);
        number
    }

    /// The bits that decide a choice.
    fn decider(&self, step: Step) -> Option<Word> {
        let value = match step {
            Step::If { guard, .. } => guard,
            Step::Test { test, .. } => self.programs.guard(test),
            Step::Sub(sub) => return Some(self.sub_bits(self.programs.sub_encoding(sub))),
            _ => return None,
        };
        Some(self.programs.graph().reads(value).clone())
    }

    /// The bits that decide which leaf a sub-encoding is: those that some leaf cares for, or reports.
    fn sub_bits(&self, sub: &Sub) -> Word {
        let isa = self.plan.isa();
        let graph = self.programs.graph();
        let reads = graph.reads(sub.value);
        let mut cares = 0u64;
        for &id in isa[sub.space].encodings.iter().filter(|&&id| self.plan.active(&isa[id])) {
            cares |= isa[id].pattern.care().low_u64() | isa[id].dont_care.low_u64();
            cares |= isa[id].except.iter().fold(0, |cares, pattern| cares | pattern.care().low_u64());
        }
        let mut word = vec![0u64; self.blueprint.limb_count];
        let fixed = graph.evaluate(sub.value, &word);
        let mut bits = Word::zero(reads.width());
        for bit in reads.ones_iter() {
            let (limb, shift) = ((bit / 64) as usize, bit % 64);
            word[limb] = 1 << shift;
            // The value is bits of the word in some order, so each of them shows alone.
            if (graph.evaluate(sub.value, &word) ^ fixed) & cares != 0 {
                bits.set_bit(bit, true);
            }
            word[limb] = 0;
        }
        bits
    }

    /// The one step of a block that is nothing but a choice.
    fn only_choice(&self, block: BlockId) -> Option<Step> {
        match self.programs.steps(block) {
            [step @ (Step::If { .. } | Step::Test { .. } | Step::Sub(_))] => Some(*step),
            _ => None,
        }
    }

    /// The bits that decide a choice, and those of the choices that it leads to, as far as they are few together.
    fn deciding(&self, step: Step) -> Option<Word> {
        let mut bits = self.decider(step)?;
        if bits.count_ones() > self.layout.jump_bits {
            return None;
        }
        let mut work = self.ways_of(step);
        let mut looked = 0;
        while let Some(block) = work.pop() {
            looked += 1;
            let Some(next) = self.only_choice(block).filter(|_| looked < 64) else { continue };
            let Some(more) = self.decider(next) else { continue };
            let both = bits.or(&more);
            if both.count_ones() <= self.layout.jump_bits {
                bits = both;
                work.extend(self.ways_of(next));
            }
        }
        Some(bits)
    }

    fn ways_of(&self, step: Step) -> Vec<BlockId> {
        match step {
            Step::If { then, other, .. } | Step::Test { then, other, .. } => vec![then, other],
            Step::Sub(sub) => self.programs.sub_encoding(sub).leaves.iter().map(|(block, _)| *block).collect(),
            _ => Vec::new(),
        }
    }

    /// Where a choice leads for a word; `None` to the exact half.
    fn chosen(&self, step: Step, word: &[u64]) -> Option<BlockId> {
        let graph = self.programs.graph();
        match step {
            Step::If { guard, then, other } => Some(if graph.evaluate(guard, word) != 0 { then } else { other }),
            Step::Test { test, then, other } => {
                Some(if graph.evaluate(self.programs.guard(test), word) != 0 { then } else { other })
            }
            Step::Sub(sub) => self.leaf(self.programs.sub_encoding(sub), word),
            _ => None,
        }
    }

    /// The block of the leaf that the value of a sub-encoding is.
    fn leaf(&self, sub: &Sub, word: &[u64]) -> Option<BlockId> {
        let value = self.programs.graph().evaluate(sub.value, word);
        let Match::One(id) = self.plan.tree(sub.space).select(&[value], sub.width) else { return None };
        let &(block, dont_care) = sub.leaves.get(self.programs.rank(id) as usize)?;
        (value & dont_care == 0).then_some(block)
    }

    /// A choice by few bits as a table of places; by many, as the choice that it is.
    fn choice(&mut self, step: Step) -> Op {
        if let Some(bits) = self.deciding(step) {
            let runs = runs(&bits);
            let mut word = vec![0; self.blueprint.limb_count];
            let mut table = Vec::with_capacity(1 << bits.count_ones());
            for index in 0..1u32 << bits.count_ones() {
                scatter(&runs, index, &mut word);
                let mut chosen = self.chosen(step, &word);
                // Further choices, as far as the table's bits decide them.
                while let Some(block) = chosen
                    && let Some(next) = self.only_choice(block)
                    && let Some(more) = self.decider(next)
                    && more.and_not(&bits).is_zero()
                {
                    chosen = self.chosen(next, &word);
                }
                table.push(chosen);
            }
            let table: Vec<u32> = table
                .into_iter()
                .map(|block| match block {
                    Some(block) => self.block(block),
                    None => self.bail(),
                })
                .collect();
            let base = rows(&mut self.blueprint.jumps, &mut self.known.jumps, table);
            return self.by_bits(&runs, Code::Call, Code::CallMany, base);
        }
        let (guard, then, other) = match step {
            Step::If { guard, then, other } => (guard, then, other),
            Step::Test { test, then, other } => (self.programs.guard(test), then, other),
            _ => return Op(Code::Bail, NO_RUN, NO_RUN, 0),
        };
        let entry = (self.calc(guard), self.block(then), self.block(other));
        Op(Code::If, NO_RUN, NO_RUN, row(&mut self.blueprint.ifs, &mut self.known.ifs, entry))
    }

    /// The place of a program that gives up.
    fn bail(&mut self) -> u32 {
        let block = BlockId(0);
        self.block(block)
    }

    fn sub(&mut self, step: Step, number: u32) -> Op {
        if self.deciding(step).is_some() {
            return self.choice(step);
        }
        let isa = self.plan.isa();
        let sub = self.programs.sub_encoding(number).clone();
        let mut targets = Vec::new();
        for (&id, &(block, dont_care)) in isa[sub.space].encodings.iter().zip(&sub.leaves) {
            if self.plan.active(&isa[id]) {
                targets.push((self.block(block), dont_care));
            }
        }
        let from = rows(&mut self.blueprint.targets, &mut self.known.targets, targets);
        let entry = (self.calc(sub.value), sub.width, sub.space.0, from);
        Op(Code::Sub, NO_RUN, NO_RUN, row(&mut self.blueprint.subs, &mut self.known.subs, entry))
    }

    /// Appends the text of steps that depend on a word alone; `false` if the exact half has to print.
    fn print(&self, steps: &[Step], word: &[u64], out: &mut Vec<u8>) -> bool {
        let isa = self.plan.isa();
        let graph = self.programs.graph();
        for &step in steps {
            match step {
                Step::Text { from, len } => out.extend_from_slice(self.programs.bytes(from, len)),
                Step::Scalar { value, field } => {
                    let field = self.programs.way(field);
                    value::print(isa, field, graph.evaluate(value, word), Compat::Mesa24, out);
                }
                Step::Expect { value, want } => {
                    if graph.evaluate(value, word) != want {
                        return false;
                    }
                }
                Step::If { .. } | Step::Test { .. } | Step::Sub(_) => {
                    let Some(block) = self.chosen(step, word) else { return false };
                    if !self.print(self.programs.steps(block), word, out) {
                        return false;
                    }
                }
                _ => return false,
            }
        }
        true
    }
}

/// The runs of bits of an index, none across limbs.
fn runs(bits: &Word) -> Vec<Bits> {
    let mut runs = Vec::new();
    let mut to = 0;
    for run in bits.runs() {
        let mut lo = run.lo;
        while lo < run.end() {
            let width = (run.end() - lo).min(64 - lo % 64);
            runs.push(((lo / 64) as u8, (lo % 64) as u8, width as u8, to));
            to += width as u8;
            lo += width;
        }
    }
    runs
}

/// Where the bits of a part are in the index that `whole` makes: place in the index, width, place in the part's own.
fn inside(whole: &[Bits], part: &Word) -> Vec<Bits> {
    let mut found = Vec::new();
    let mut to = 0;
    for (limb, shift, width, _) in runs(part) {
        // A run of the part lies within one of the whole.
        for &(at, lo, _, place) in whole.iter().filter(|w| w.0 == limb && w.1 <= shift && shift < w.1 + w.2) {
            found.push((at, place + shift - lo, width, to));
        }
        to += width;
    }
    found
}

/// The word whose bits make this index.
fn scatter(runs: &[Bits], index: u32, word: &mut [u64]) {
    word.fill(0);
    for &(limb, shift, width, to) in runs {
        let bits = u64::from(index >> to) & isaglot_bits::limbs::mask(u32::from(width));
        if let Some(limb) = word.get_mut(usize::from(limb)) {
            *limb |= bits << shift;
        }
    }
}
