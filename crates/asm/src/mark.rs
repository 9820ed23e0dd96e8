//! Where the instructions of a stream jump to, without printing them: the pre-pass of labels.
//!
//! The problem: labels need the targets of the whole stream before its first line, and printing everything twice for
//! them doubles the time. The method: a byte of a word nearly always tells that it is of no encoding that could
//! print a code address; the few other words are decoded and run through their display programs, of which everything
//! is left out that prints none.
//!
//! Example: the top byte of a 32-bit word is the opcode, and of 200 instructions only `beq` (0x30) and `jal` (0x31) have a
//! code address. [`Sieve`] is then byte 3 with the values 0x30 and 0x31: all other words cost one load and one test. The
//! program of `beq`, `"beq "; register; ", "; register; ", "; Branch(offset)`, is reduced to `Branch(offset)`.
//!
//! Invariant: the places found are those that the exact engine would find by printing every instruction. What it may
//! say beyond a program ([`PrintOp::Bail`]) is left to it, unless no scope within reach has a code address to print.

use isaglot_codec::{Match, Plan};
use isaglot_invariant::{Impossible as _, impossible};
use isaglot_model::{Encoding, EncodingId, FieldType, Isa, Name};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::labels::{self, Places, Targets};
use crate::program::{BlockId, PrintOp, Programs};

/// The compiled programs of the pre-pass.
#[derive(Debug)]
pub(crate) struct Marker<'p, 'a> {
    programs: Programs<'p, 'a>,
    sieve: Sieve,
    /// By encoding: its steps as an instruction, once compiled; `None` inside if there are none.
    roots: Vec<Option<Option<BlockId>>>,
    /// Blocks reduced to what prints code addresses.
    reduced: FxHashMap<BlockId, BlockId>,
    reach: Reach,
}

/// Where code addresses can turn up.
#[derive(Debug)]
struct Reach {
    /// By space: whether an encoding of it, or of a field in it, has one.
    spaces: Vec<bool>,
    /// By encoding: the same of the encoding.
    encodings: Vec<bool>,
    /// Whether a field may be passed on that is one: then any sub-encoding may print it.
    passed: bool,
}

impl Reach {
    fn new(plan: &Plan<'_>) -> Reach {
        let isa = plan.isa();
        let mut reach = Reach {
            spaces: vec![false; isa.spaces().len()],
            encodings: vec![false; isa.encodings().len()],
            passed: false,
        };
        // A space has an address if an encoding of it has one, or has a field in such a space: repeated until nothing is
        // added. Each round but the last adds a space.
        loop {
            let mut news = false;
            for (space, known) in isa.spaces().iter().zip(0..) {
                for &id in space.encodings.iter().filter(|&&id| plan.active(&isa[id])) {
                    if reach.encodings.get(id.index()) == Some(&false) && reach.has_address(&isa[id]) {
                        reach.encodings[id.index()] = true;
                        news |= !std::mem::replace(&mut reach.spaces[known], true);
                    }
                }
            }
            if !news {
                break;
            }
        }
        let fields = || isa.encodings().iter().flat_map(|e| &e.cases).flat_map(|case| &case.fields);
        let addresses = fields().filter(|field| matches!(field.ty, FieldType::Branch { .. }));
        let names: FxHashSet<Name> = addresses.map(|field| field.name).collect();
        reach.passed = fields().flat_map(|field| &field.params).any(|param| names.contains(&param.name));
        reach
    }

    fn has_address(&self, encoding: &Encoding) -> bool {
        encoding.cases.iter().flat_map(|case| &case.fields).any(|field| match field.ty {
            FieldType::Branch { .. } => true,
            FieldType::Sub(space) => self.spaces.get(space.index()) == Some(&true),
            _ => false,
        })
    }
}

/// One byte of a word, and which of its values an encoding of some set can have.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sieve {
    /// Which byte, from the least significant one.
    byte: usize,
    values: [bool; 256],
}

impl Sieve {
    /// The byte that leaves the fewest values.
    fn new(isa: &Isa, set: impl Iterator<Item = EncodingId>) -> Sieve {
        let patterns: Vec<_> =
            set.map(|id| (isa[id].pattern.care().limbs(), isa[id].pattern.value().limbs())).collect();
        let mut best = Sieve { byte: 0, values: [true; 256] };
        let count = |values: &[bool; 256]| values.iter().filter(|fits| **fits).count();
        for byte in 0..(isa.format().max_bits / 8) as usize {
            let mut values = [false; 256];
            for (care, value) in &patterns {
                let (care, value) = (byte_of(care, byte), byte_of(value, byte));
                for (fits, index) in values.iter_mut().zip(0..=u8::MAX) {
                    *fits |= index & care == value;
                }
            }
            if count(&values) < count(&best.values) {
                best = Sieve { byte, values };
            }
        }
        best
    }

    /// Whether a word, given by its bytes from the least significant one on, may be of an encoding of the set.
    #[inline]
    pub(crate) fn passes(&self, word: &[u8]) -> bool {
        self.values[usize::from(word.get(self.byte).copied().or_impossible(0))]
    }

    /// The same for a word given by its limbs.
    fn passes_limbs(&self, word: &[u64]) -> bool {
        self.values[usize::from(byte_of(word, self.byte))]
    }
}

/// A byte of a word, from the least significant one on.
fn byte_of(limbs: &[u64], byte: usize) -> u8 {
    limbs.get(byte / 8).map_or(0, |limb| (limb >> (byte % 8 * 8)) as u8)
}

impl<'p, 'a> Marker<'p, 'a> {
    pub(crate) fn new(plan: &'p Plan<'a>) -> Self {
        let isa = plan.isa();
        let reach = Reach::new(plan);
        let ids = isa[isa.root()].encodings.iter().copied();
        let sieve = Sieve::new(isa, ids.filter(|id| reach.encodings.get(id.index()) == Some(&true)));
        let roots = reach.encodings.iter().map(|&has| if has { None } else { Some(None) }).collect();
        Self { programs: Programs::new(plan, true), sieve, roots, reduced: FxHashMap::default(), reach }
    }

    /// What nearly all words that jump nowhere do not pass.
    pub(crate) fn sieve(&self) -> Sieve {
        self.sieve
    }

    /// The steps of an instruction that may jump somewhere.
    pub(crate) fn steps(&mut self, word: &[u64], width: u32) -> Option<BlockId> {
        if !self.sieve.passes_limbs(word) {
            return None;
        }
        let Match::One(id) = self.programs.select(word, width) else { return None };
        match self.roots.get(id.index()) {
            Some(Some(block)) => *block,
            _ => self.compile(id),
        }
    }

    #[cold]
    fn compile(&mut self, id: EncodingId) -> Option<BlockId> {
        let whole = self.programs.whole(id);
        let reduced = self.reduce(whole);
        let mut block = (!self.programs.steps(reduced).is_empty()).then_some(reduced);
        if block.is_some() && self.may_be_refused(id) {
            // A word with a reserved number jumps nowhere, and only the exact engine knows it.
            block = Some(self.programs.block(vec![PrintOp::Bail]));
        }
        if let Some(root) = self.roots.get_mut(id.index()) {
            *root = Some(block);
        }
        block
    }

    /// Whether the value of a field may make a word of this encoding invalid ([`isaglot_model::Space::refuses`]).
    fn may_be_refused(&self, id: EncodingId) -> bool {
        let plan = self.programs.compiler.plan();
        let mut fields = plan.isa()[id].cases.iter().flat_map(|case| &case.fields);
        plan.refuses() && fields.any(|field| matches!(field.ty, FieldType::Sub(_)))
    }

    /// The block without the steps that print no code address. Blocks nest no deeper than when compiled.
    fn reduce(&mut self, block: BlockId) -> BlockId {
        if let Some(&done) = self.reduced.get(&block) {
            return done;
        }
        let mut ops = Vec::new();
        for op in self.programs.steps(block).to_vec() {
            match op {
                PrintOp::Branch { .. } | PrintOp::Bail => ops.push(op),
                PrintOp::If { guard, then, other } => {
                    let (then, other) = (self.reduce(then), self.reduce(other));
                    self.choose(then, other, PrintOp::If { guard, then, other }, &mut ops);
                }
                PrintOp::Test { test, then, other } => {
                    let (then, other) = (self.reduce(then), self.reduce(other));
                    self.choose(then, other, PrintOp::Test { test, then, other }, &mut ops);
                }
                PrintOp::Sub(sub) => ops.extend(self.reduce_sub(sub)),
                // A value that is not as expected is an error, and the pre-pass records none.
                PrintOp::Text { .. }
                | PrintOp::Align(_)
                | PrintOp::Scalar { .. }
                | PrintOp::Custom { .. }
                | PrintOp::Expect { .. } => {}
                PrintOp::Cached(_) | PrintOp::Operand(_) => {}
            }
        }
        let done = self.programs.block(ops);
        self.reduced.insert(block, done);
        done
    }

    /// Appends a choice between blocks, without the choice where they are the same.
    fn choose(&self, then: BlockId, other: BlockId, choice: PrintOp, ops: &mut Vec<PrintOp>) {
        if then == other { ops.extend_from_slice(self.programs.steps(then)) } else { ops.push(choice) }
    }

    fn reduce_sub(&mut self, sub: u32) -> Option<PrintOp> {
        let mut sub = self.programs.subs.get(sub as usize)?.clone();
        if !self.reach.passed && self.reach.spaces.get(sub.space.index()) == Some(&false) {
            return None;
        }
        for (block, _) in &mut sub.leaves {
            *block = self.reduce(*block);
        }
        if sub.leaves.iter().all(|(block, _)| self.programs.steps(*block).is_empty()) {
            return None;
        }
        self.programs.subs.push(sub);
        Some(PrintOp::Sub(self.programs.subs.len() as u32 - 1))
    }

    /// Adds the places that an instruction at `position` jumps to; `false` if the exact engine has to say.
    pub(crate) fn mark(
        &self,
        block: BlockId,
        word: &[u64],
        position: u64,
        places: Places,
        targets: &mut Targets,
    ) -> bool {
        let programs = &self.programs;
        let graph = &programs.compiler.graph;
        programs.steps(block).iter().all(|op| {
            let next = match *op {
                PrintOp::Branch { value, field } => {
                    let Some(field) = programs.fields.get(field as usize) else { return impossible(false) };
                    let value = graph.evaluate(value, word);
                    if let Some((target, call)) = labels::target(field, value, position, places, targets.total()) {
                        targets.add(target, call);
                    }
                    return true;
                }
                PrintOp::If { guard, then, other } => Some(if graph.evaluate(guard, word) != 0 { then } else { other }),
                PrintOp::Test { test, then, other } => {
                    programs.tests.get(test as usize).map(|test| if test.holds(word) { then } else { other })
                }
                PrintOp::Sub(sub) => programs.leaf_of(sub, word),
                _ => None,
            };
            next.is_some_and(|next| self.mark(next, word, position, places, targets))
        })
    }
}
