//! Display programs: the text of an instruction as straight steps over its bits.
//!
//! The problem: the exact way to print asks, for every reference, which case applies and what a name means there. The
//! method: per leaf, on first use, templates are compiled with everything known ahead of time resolved: constant guards
//! decided, names bound to bits, sub-encodings specialised for where they stand and which parameters they get. Blocks of
//! steps are shared, so an operand that means the same in a hundred instructions is compiled once.
//!
//! Invariant: a program that runs to its end gives exactly the text of the exact engine for a word without errors.
//! Whatever may be an error, or cannot be said ahead of time, is the step [`Op::Bail`]: the line is then printed by the
//! exact engine from its start.

use isaglot_bits::Word;
use isaglot_codec::{Alternative, Compiler, Context, Graph, Match, Meaning, Plan, Tree, ValueId};
use isaglot_model::{Encoding, EncodingId, ExprId, Field, FieldType, SpaceId, TemplatePart};
use rustc_hash::FxHashMap;

use crate::guard::Test;
use crate::limits::{MAX_BLOCK_DEPTH, MAX_BLOCKS, MAX_DIRECT, MAX_SEPARATOR, OPERAND_BITS, PART_BITS, SEGMENT_BITS};
use crate::operand::{Operand, Span};

/// A list of steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct BlockId(pub u32);

/// One step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Op {
    /// Copy bytes of [`Programs::bytes`].
    Text {
        /// The first.
        from: u32,
        /// How many.
        len: u32,
    },
    /// Pad with spaces to a column.
    Align(u32),
    /// Print a value in the way of a field.
    Scalar {
        /// The value.
        value: ValueId,
        /// The way: a number for [`Programs::way`].
        field: u32,
    },
    /// Print a code address.
    Branch {
        /// The value.
        value: ValueId,
        /// The way: a number for [`Programs::way`].
        field: u32,
    },
    /// Let the embedding program print a value.
    Custom {
        /// The value.
        value: ValueId,
        /// What the program is told: a number for [`Programs::reference`].
        reference: u32,
    },
    /// One block or the other.
    If {
        /// What decides.
        guard: ValueId,
        /// Where it is not 0.
        then: BlockId,
        /// Where it is 0.
        other: BlockId,
    },
    /// The same, where the guard is in a table of its values.
    Test {
        /// The table; [`Programs::guard`] gives the guard.
        test: u32,
        /// Where it holds.
        then: BlockId,
        /// Where it does not.
        other: BlockId,
    },
    /// The block of the leaf that a value is: a number for [`Programs::sub_encoding`].
    Sub(u32),
    /// The exact engine has to print this line if the value is not this.
    Expect {
        /// The value.
        value: ValueId,
        /// What it should be.
        want: u64,
    },
    /// The exact engine has to print this line.
    Bail,
    /// The text of a block that depends on few bits: only in programs that an engine runs.
    Cached(u32),
    /// An operand that is bits of the word: only in programs that an engine runs.
    Operand(u32),
}

/// A sub-encoding in its place.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Sub {
    /// The bits.
    pub value: ValueId,
    /// How many they are.
    pub width: u32,
    /// Where they are decided.
    pub space: SpaceId,
    /// By the rank of the encoding in its space: its block and the bits that it does not care for.
    pub leaves: Vec<(BlockId, u64)>,
}

/// A block whose text is a function of the bits `masks` in the two limbs `limbs`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Segment {
    pub(crate) limbs: [u32; 2],
    pub(crate) masks: [u64; 2],
    pub(crate) block: BlockId,
}

/// How many bits the text of a segment may depend on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Level {
    /// A step of its own.
    step: u32,
    /// Steps gathered.
    together: u32,
}

/// Segments of an instruction.
const OUTER: Level = Level { step: OPERAND_BITS, together: SEGMENT_BITS };

/// Segments of segments.
const INNER: Level = Level { step: PART_BITS, together: PART_BITS };

/// What is known about a block.
#[derive(Clone, Debug)]
struct Block {
    from: u32,
    to: u32,
    /// The bits that its text depends on.
    reads: Word,
    /// Whether its text is a function of those bits alone.
    pure: bool,
    depth: usize,
}

/// The compiled programs of one plan.
#[derive(Debug)]
pub struct Programs<'p, 'a> {
    pub(crate) compiler: Compiler<'p, 'a>,
    ops: Vec<Op>,
    blocks: Vec<Block>,
    known: FxHashMap<Vec<Op>, BlockId>,
    pub(crate) subs: Vec<Sub>,
    known_subs: FxHashMap<Sub, u32>,
    pub(crate) segments: Vec<Segment>,
    known_segments: FxHashMap<BlockId, u32>,
    segmented: FxHashMap<(BlockId, Level), BlockId>,
    pub(crate) text: Vec<u8>,
    texts: FxHashMap<Vec<u8>, u32>,
    /// A field for each type and width that occurs.
    pub(crate) fields: Vec<&'a Field>,
    field_ids: FxHashMap<*const Field, u32>,
    pub(crate) references: Vec<&'a str>,
    /// The rank of each encoding in its space.
    ranks: Vec<u32>,
    /// The block of each encoding as an instruction, and whether it has don't-care bits.
    roots: Vec<Option<(BlockId, bool)>>,
    shared_subs: FxHashMap<SubKey, Option<u32>>,
    pub(crate) tests: Vec<Test>,
    pub(crate) operands: Vec<Operand>,
    known_operands: FxHashMap<(ValueId, u32, Span), Option<u32>>,
    /// By block: see [`Programs::is_quick`].
    quick: FxHashMap<BlockId, bool>,
    known_tests: FxHashMap<ValueId, Option<u32>>,
    /// Whether code addresses may print as labels.
    labels: bool,
    /// Whether custom texts depend on nothing but their value, and whether that is settled.
    custom: (bool, bool),
    /// Whether instructions of a few simple steps are printed step by step.
    direct: bool,
    tree: &'p Tree,
    /// The trees of the spaces that fields are decided in.
    trees: Vec<Option<&'p Tree>>,
}

/// What the block of a sub-encoded field depends on, where no guards of outer scopes are involved.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct SubKey {
    space: SpaceId,
    value: ValueId,
    /// Per parameter: its inner name, and the value and the type of the field that it is.
    params: Vec<(u32, ValueId, u32)>,
    /// See [`Compiler::footprint`].
    footprint: Vec<ExprId>,
}

impl<'p, 'a> Programs<'p, 'a> {
    /// None yet; with `labels`, code addresses are steps of their own.
    #[must_use]
    pub fn new(plan: &'p Plan<'a>, labels: bool) -> Self {
        let isa = plan.isa();
        let mut ranks = vec![0; isa.encodings().len()];
        for space in isa.spaces() {
            for (rank, id) in space.encodings.iter().enumerate() {
                if let Some(place) = ranks.get_mut(id.index()) {
                    *place = rank as u32;
                }
            }
        }
        let mut programs = Self {
            compiler: Compiler::new(plan),
            ops: Vec::new(),
            blocks: Vec::new(),
            known: FxHashMap::default(),
            subs: Vec::new(),
            known_subs: FxHashMap::default(),
            segments: Vec::new(),
            known_segments: FxHashMap::default(),
            segmented: FxHashMap::default(),
            text: Vec::new(),
            texts: FxHashMap::default(),
            fields: Vec::new(),
            field_ids: FxHashMap::default(),
            references: Vec::new(),
            ranks,
            roots: vec![None; isa.encodings().len()],
            shared_subs: FxHashMap::default(),
            tests: Vec::new(),
            operands: Vec::new(),
            known_operands: FxHashMap::default(),
            quick: FxHashMap::default(),
            known_tests: FxHashMap::default(),
            labels,
            custom: (false, false),
            direct: false,
            tree: plan.tree(isa.root()),
            trees: vec![None; isa.spaces().len()],
        };
        programs.block(vec![Op::Bail]);
        programs
    }

    /// The block that only gives up.
    const BAIL: BlockId = BlockId(0);

    /// The block of an instruction's encoding, compiled on first use, and whether it has don't-care bits.
    #[inline]
    pub(crate) fn root(&mut self, encoding: EncodingId) -> (BlockId, bool) {
        match self.roots.get(encoding.index()) {
            Some(Some(root)) => *root,
            _ => self.compile_root(encoding),
        }
    }

    /// Says whether the texts of custom fields may be kept; counts only before the first instruction is compiled.
    pub(crate) fn keep_custom(&mut self, keep: bool) {
        if !self.custom.1 {
            self.custom = (keep, true);
        }
    }

    /// Says that texts of simple instructions are not worth keeping.
    pub(crate) fn print_simple_directly(&mut self) {
        self.direct = true;
    }

    /// The block with the same text that is run: in segments whose texts are kept, or as it is.
    fn finished(&mut self, block: BlockId) -> BlockId {
        let is_simple = |op: &Op| matches!(op, Op::Text { .. } | Op::Scalar { .. } | Op::Align(_));
        let steps = self.steps(block);
        let simple = self.direct && steps.len() <= MAX_DIRECT && steps.iter().all(is_simple);
        if simple { block } else { self.segmented(block, OUTER) }
    }

    #[cold]
    fn compile_root(&mut self, encoding: EncodingId) -> (BlockId, bool) {
        let whole = self.whole(encoding);
        let block = self.finished(whole);
        let has_dont_care = !self.compiler.plan().isa()[encoding].dont_care.is_zero();
        if let Some(root) = self.roots.get_mut(encoding.index()) {
            *root = Some((block, has_dont_care));
        }
        (block, has_dont_care)
    }

    /// The block of an instruction's encoding as it was compiled: without [`Op::Cached`].
    pub fn whole(&mut self, encoding: EncodingId) -> BlockId {
        match self.compiler.root(encoding) {
            Some(context) => self.leaf(context),
            None => Self::BAIL,
        }
    }

    /// The values that steps name.
    #[must_use]
    pub fn graph(&self) -> &Graph {
        &self.compiler.graph
    }

    /// The bits that a step depends on, and whether its text is a function of them alone.
    #[must_use]
    pub fn depends(&self, op: Op) -> (Word, bool) {
        let (bits, pure, ..) = self.effect(op);
        (bits, pure)
    }

    /// What decides an [`Op::Test`].
    ///
    /// # Panics
    /// For a number that no step has; so do the functions below.
    #[must_use]
    pub fn guard(&self, test: u32) -> ValueId {
        self.tests[test as usize].value
    }

    /// A sub-encoding.
    #[must_use]
    pub fn sub_encoding(&self, sub: u32) -> &Sub {
        &self.subs[sub as usize]
    }

    /// A field for each way of printing: its type and width say how.
    #[must_use]
    pub fn way(&self, field: u32) -> &'a Field {
        self.fields[field as usize]
    }

    /// A reference as written in a template.
    #[must_use]
    pub fn reference(&self, reference: u32) -> &'a str {
        self.references[reference as usize]
    }

    /// The bytes of a text.
    #[must_use]
    pub fn bytes(&self, from: u32, len: u32) -> &[u8] {
        self.text.get(from as usize..(from + len) as usize).unwrap_or(&[])
    }

    /// The place of an encoding in its space.
    #[must_use]
    pub fn rank(&self, encoding: EncodingId) -> u32 {
        self.ranks.get(encoding.index()).copied().unwrap_or(0)
    }

    /// The block that prints an instruction in the words of one of its shorthands, and gives up where that does not
    /// apply. Asserts are not looked at.
    #[cold]
    pub(crate) fn alias(&mut self, encoding: EncodingId, case: usize) -> BlockId {
        let block = self.compile_alias(encoding, case).unwrap_or(Self::BAIL);
        self.finished(block)
    }

    fn compile_alias(&mut self, id: EncodingId, case: usize) -> Option<BlockId> {
        let context = self.compiler.root(id)?;
        let isa = self.compiler.plan().isa();
        let encoding = &isa[id];
        let case = encoding.cases.get(case)?;
        let parts = &isa[case.template?].parts;
        let mut ops = Vec::new();
        let Some(guard) = case.guard else {
            self.template(context, encoding, parts, &mut ops);
            return Some(self.block(ops));
        };
        if !self.compiler.is_safe(context, guard) {
            return None;
        }
        let value = self.compiler.expression(context, guard)?;
        let inside = self.compiler.assume(context, guard, true)?;
        self.template(inside, encoding, parts, &mut ops);
        let then = self.block(ops);
        Some(match self.compiler.graph.as_const(value) {
            Some(0) => Self::BAIL,
            Some(_) => then,
            None => {
                let choice = self.choice(value, then, Self::BAIL);
                self.block(vec![choice])
            }
        })
    }

    /// The steps of a block.
    #[inline]
    #[must_use]
    pub fn steps(&self, block: BlockId) -> &[Op] {
        match self.blocks.get(block.0 as usize) {
            Some(block) => self.ops.get(block.from as usize..block.to as usize).unwrap_or(&[]),
            None => &[],
        }
    }

    fn info(&self, block: BlockId) -> &Block {
        &self.blocks[block.0 as usize]
    }

    /// The block with these steps.
    pub(crate) fn block(&mut self, ops: Vec<Op>) -> BlockId {
        if let Some(&block) = self.known.get(&ops) {
            return block;
        }
        let mut reads = Word::zero(self.compiler.plan().isa().format().max_bits);
        let (mut pure, mut depth) = (true, 0);
        for &op in &ops {
            let (bits, is_pure, inner) = self.effect(op);
            reads = reads.or(&bits);
            pure &= is_pure;
            depth = depth.max(inner + 1);
        }
        if depth > MAX_BLOCK_DEPTH || self.blocks.len() >= MAX_BLOCKS {
            return Self::BAIL;
        }
        let from = self.ops.len() as u32;
        self.ops.extend_from_slice(&ops);
        let id = BlockId(self.blocks.len() as u32);
        self.blocks.push(Block { from, to: self.ops.len() as u32, reads, pure, depth });
        self.known.insert(ops, id);
        id
    }

    /// The bits that a step depends on, whether its text is a function of them alone, and how deep its blocks are.
    fn effect(&self, op: Op) -> (Word, bool, usize) {
        let graph = &self.compiler.graph;
        let none = || Word::zero(self.compiler.plan().isa().format().max_bits);
        match op {
            Op::Text { .. } | Op::Bail => (none(), true, 0),
            Op::Align(_) => (none(), false, 0),
            Op::Scalar { value, .. } | Op::Expect { value, .. } => (graph.reads(value).clone(), true, 0),
            // Where it leads depends on where it stands.
            Op::Branch { value, .. } => (graph.reads(value).clone(), false, 0),
            Op::Custom { value, .. } => (graph.reads(value).clone(), self.custom.0, 0),
            Op::Test { test, then, other } => {
                let guard = self.tests[test as usize].value;
                self.effect(Op::If { guard, then, other })
            }
            Op::If { guard, then, other } => {
                let (then, other) = (self.info(then), self.info(other));
                let reads = graph.reads(guard).or(&then.reads).or(&other.reads);
                (reads, then.pure && other.pure, then.depth.max(other.depth))
            }
            Op::Sub(sub) => {
                let sub = &self.subs[sub as usize];
                let mut whole = (graph.reads(sub.value).clone(), true, 0);
                for &(block, _) in &sub.leaves {
                    let block = self.info(block);
                    whole.0 = whole.0.or(&block.reads);
                    whole.1 &= block.pure;
                    whole.2 = whole.2.max(block.depth);
                }
                whole
            }
            Op::Operand(operand) => (graph.reads(self.operands[operand as usize].value).clone(), true, 0),
            Op::Cached(segment) => {
                let block = self.info(self.segments[segment as usize].block);
                (block.reads.clone(), true, block.depth)
            }
        }
    }

    fn literal(&mut self, text: &[u8]) -> Op {
        let (from, len) = put(&mut self.text, &mut self.texts, text);
        Op::Text { from, len }
    }

    /// The operand that a step prints, if that is bits of the word and nothing else.
    fn operand(&mut self, value: ValueId, field: u32, before: Span) -> Option<u32> {
        if let Some(&known) = self.known_operands.get(&(value, field, before)) {
            return known;
        }
        let way = self.fields[field as usize];
        let isa = self.compiler.plan().isa();
        let first = self.bytes(before.0, before.1).to_vec();
        let mut text = |text: &[u8]| put(&mut self.text, &mut self.texts, &[&first, text].concat());
        let made = Operand::new(isa, &self.compiler.graph, (value, field), &way.ty, way.width, before, &mut text);
        let id = made.map(|operand| {
            self.operands.push(operand);
            self.operands.len() as u32 - 1
        });
        self.known_operands.insert((value, field, before), id);
        id
    }

    /// The step that chooses a block.
    fn choice(&mut self, guard: ValueId, then: BlockId, other: BlockId) -> Op {
        let test = match self.known_tests.get(&guard) {
            Some(&test) => test,
            None => {
                let test = Test::new(&self.compiler.graph, guard).map(|test| {
                    self.tests.push(test);
                    self.tests.len() as u32 - 1
                });
                self.known_tests.insert(guard, test);
                test
            }
        };
        match test {
            Some(test) => Op::Test { test, then, other },
            None => Op::If { guard, then, other },
        }
    }

    /// A number for the way that a field prints: fields of equal type and width share it.
    fn field(&mut self, field: &'a Field) -> u32 {
        if let Some(&id) = self.field_ids.get(&std::ptr::from_ref(field)) {
            return id;
        }
        let same = self.fields.iter().position(|known| known.ty == field.ty && known.width == field.width);
        let id = match same {
            Some(id) => id,
            None => {
                self.fields.push(field);
                self.fields.len() - 1
            }
        } as u32;
        self.field_ids.insert(std::ptr::from_ref(field), id);
        id
    }

    /// The block of a leaf in its context.
    fn leaf(&mut self, context: Context) -> BlockId {
        let encoding = &self.compiler.plan().isa()[self.compiler.encoding(context)];
        self.cases(context, encoding, 0)
    }

    /// The block for the text as found from case `from` on.
    fn cases(&mut self, context: Context, encoding: &'a Encoding, from: usize) -> BlockId {
        let mut context = context;
        let mut ops = Vec::new();
        for (at, case) in encoding.cases.iter().enumerate().skip(from) {
            let shown = self.compiler.plan().template(case);
            let guard = match case.guard {
                None => None,
                Some(guard) if !self.compiler.is_safe(context, guard) => {
                    ops.push(Op::Bail);
                    return self.block(ops);
                }
                // The guard is evaluated for nothing, but evaluated.
                Some(guard) if shown.is_none() && case.asserts.is_empty() => {
                    match self.compiler.evaluated(context, guard) {
                        Some(next) => context = next,
                        None => return Self::BAIL,
                    }
                    continue;
                }
                Some(guard) => match self.compiler.expression(context, guard) {
                    None => {
                        ops.push(Op::Bail);
                        return self.block(ops);
                    }
                    Some(value) => match self.compiler.graph.as_const(value) {
                        Some(value) => match self.compiler.assume(context, guard, value != 0) {
                            None => return Self::BAIL,
                            Some(next) => {
                                context = next;
                                if value == 0 {
                                    continue;
                                }
                                None
                            }
                        },
                        None => Some((value, guard)),
                    },
                },
            };
            let inside = match guard {
                None => context,
                Some((_, guard)) => match self.compiler.assume(context, guard, true) {
                    None => return Self::BAIL,
                    Some(inside) => inside,
                },
            };
            let mut inner = Vec::new();
            for assert in &case.asserts {
                match (self.compiler.bits(inside, assert.range), assert.value.to_u64()) {
                    (Some(value), Some(want)) => inner.push(Op::Expect { value, want }),
                    _ => inner.push(Op::Bail),
                }
            }
            if let Some(template) = shown {
                self.template(inside, encoding, &self.compiler.plan().isa()[template].parts, &mut inner);
            }
            let Some((guard, expr)) = guard else {
                ops.append(&mut inner);
                if shown.is_some() {
                    return self.block(ops);
                }
                continue;
            };
            let then = self.block(inner);
            if shown.is_some() {
                let other = match self.compiler.assume(context, expr, false) {
                    None => Self::BAIL,
                    Some(otherwise) => self.cases(otherwise, encoding, at + 1),
                };
                ops.push(self.choice(guard, then, other));
                return self.block(ops);
            }
            let other = self.block(Vec::new());
            ops.push(self.choice(guard, then, other));
            match self.compiler.evaluated(context, expr) {
                Some(next) => context = next,
                None => return Self::BAIL,
            }
        }
        // No text at all is an error.
        ops.push(Op::Bail);
        self.block(ops)
    }

    fn template(&mut self, context: Context, encoding: &'a Encoding, parts: &'a [TemplatePart], ops: &mut Vec<Op>) {
        let mut context = context;
        for part in parts {
            match part {
                TemplatePart::Literal(text) => {
                    let op = self.literal(text);
                    ops.push(op);
                }
                TemplatePart::Align(column) => ops.push(Op::Align(*column)),
                TemplatePart::Mnemonic { align, .. } => {
                    if *align > 0 {
                        ops.push(Op::Align(*align));
                    }
                    let op = self.literal(encoding.display_name.as_bytes());
                    ops.push(op);
                }
                TemplatePart::Field { name, align, reference } => {
                    let alternatives = self.compiler.resolve(context, *name);
                    // Padding comes after the name is found; where it is not, the line is given up anyway.
                    if *align > 0 {
                        ops.push(Op::Align(*align));
                    }
                    let step = self.alternatives(context, &alternatives, reference);
                    ops.extend(step);
                    match self.compiler.shown(context, *name) {
                        Some(next) => context = next,
                        None => {
                            ops.push(Op::Bail);
                            return;
                        }
                    }
                }
            }
        }
    }

    /// The steps that print a field with these meanings, the first whose guard holds.
    fn alternatives(&mut self, context: Context, list: &[Alternative<'a>], reference: &'a str) -> Vec<Op> {
        let Some((first, rest)) = list.split_first() else { return vec![Op::Bail] };
        let assumed = |programs: &mut Self, holds| match first.expr {
            Some(guard) => programs.compiler.assume(context, guard, holds),
            None => Some(context),
        };
        let mut here = Vec::new();
        match (first.meaning, assumed(self, true)) {
            (Meaning::Field(field, found), Some(inside)) => {
                let found = if found == context { inside } else { found };
                self.print(inside, field, found, reference, &mut here);
            }
            _ => here.push(Op::Bail),
        }
        let Some(guard) = first.guard else { return here };
        let other = match assumed(self, false) {
            Some(outside) => self.alternatives(outside, rest, reference),
            None => vec![Op::Bail],
        };
        let (then, other) = (self.block(here), self.block(other));
        vec![self.choice(guard, then, other)]
    }

    /// Appends the steps that print a field.
    fn print(&mut self, context: Context, field: &'a Field, found: Context, reference: &'a str, ops: &mut Vec<Op>) {
        if field.width > 64 {
            ops.push(Op::Bail);
            return;
        }
        let Some(value) = self.compiler.field_value(field, found) else {
            ops.push(Op::Bail);
            return;
        };
        let constant = self.compiler.graph.as_const(value);
        match &field.ty {
            FieldType::Sub(space) => match self.sub(context, field, found, *space, value) {
                Some(sub) => ops.push(Op::Sub(sub)),
                None => ops.push(Op::Bail),
            },
            FieldType::Custom => {
                let known = self.references.iter().position(|known| *known == reference);
                let reference = known.unwrap_or_else(|| {
                    self.references.push(reference);
                    self.references.len() - 1
                }) as u32;
                ops.push(Op::Custom { value, reference });
            }
            FieldType::Branch { .. } if self.labels => {
                let field = self.field(field);
                ops.push(Op::Branch { value, field });
            }
            FieldType::Bool(Some(text)) if constant.is_some() || text.is_empty() => {
                if constant.is_some_and(|value| value != 0) {
                    let op = self.literal(text.as_bytes());
                    ops.push(op);
                }
            }
            _ => {
                let field = self.field(field);
                ops.push(Op::Scalar { value, field });
            }
        }
    }

    /// The sub-encoding of a field as shown in a context.
    fn sub(
        &mut self,
        inside: Context,
        field: &'a Field,
        found: Context,
        space: SpaceId,
        value: ValueId,
    ) -> Option<u32> {
        let key = self.sub_key(inside, field, space, value);
        if let Some(key) = &key
            && let Some(&sub) = self.shared_subs.get(key)
        {
            return sub;
        }
        let plan = self.compiler.plan();
        let isa = plan.isa();
        if let Some(tree) = self.trees.get_mut(space.index()) {
            *tree = Some(plan.tree(space));
        }
        let mut leaves = Vec::with_capacity(isa[space].encodings.len());
        for &id in &isa[space].encodings {
            let encoding = &isa[id];
            let block = if self.compiler.plan().active(encoding) {
                let context = self.compiler.nested(inside, field, found, id)?;
                self.leaf(context)
            } else {
                Self::BAIL
            };
            leaves.push((block, encoding.dont_care.low_u64()));
        }
        let sub = Sub { value, width: field.width, space, leaves };
        let id = match self.known_subs.get(&sub) {
            Some(&id) => id,
            None => {
                self.subs.push(sub.clone());
                self.known_subs.insert(sub, self.subs.len() as u32 - 1);
                self.subs.len() as u32 - 1
            }
        };
        if let Some(key) = key {
            self.shared_subs.insert(key, Some(id));
        }
        Some(id)
    }

    /// What the sub-encoding depends on; `None` if more than the key can say.
    fn sub_key(&mut self, inside: Context, field: &'a Field, space: SpaceId, value: ValueId) -> Option<SubKey> {
        let mut params = Vec::with_capacity(field.params.len());
        for param in &field.params {
            let alternatives = self.compiler.resolve(inside, param.name);
            let [alternative] = alternatives.as_slice() else { return None };
            let Meaning::Field(field, found) = alternative.meaning else { return None };
            if matches!(field.ty, FieldType::Sub(_)) {
                return None;
            }
            let value = self.compiler.field_value(field, found)?;
            params.push((param.as_name.0, value, self.field(field)));
        }
        let footprint = self.compiler.footprint(inside, field.params.iter().map(|param| param.name))?;
        Some(SubKey { space, value, params, footprint })
    }

    /// The block with the same text in which steps are gathered to segments that depend on few bits.
    fn segmented(&mut self, block: BlockId, level: Level) -> BlockId {
        if let Some(&done) = self.segmented.get(&(block, level)) {
            return done;
        }
        let mut ops: Vec<Op> = Vec::new();
        let mut group: Vec<Op> = Vec::new();
        let mut reads = Word::zero(self.compiler.plan().isa().format().max_bits);
        for op in self.steps(block).to_vec() {
            if let Op::Scalar { value, field } = op
                && self.operand(value, field, (0, 0)).is_some()
            {
                let before = match group.last() {
                    Some(&Op::Text { from, len }) if len <= MAX_SEPARATOR => Some((from, len)),
                    _ => None,
                };
                if before.is_some() {
                    group.pop();
                }
                self.flush(&mut group, &mut ops, level);
                let Some(operand) = self.operand(value, field, before.unwrap_or((0, 0))) else { return Self::BAIL };
                reads = Word::zero(reads.width());
                ops.push(Op::Operand(operand));
                continue;
            }
            let (bits, pure, ..) = self.effect(op);
            let both = reads.or(&bits);
            // A choice between texts is no operand: the choice is made each time, what it leads to is kept.
            let is_choice = matches!(op, Op::If { .. } | Op::Test { .. });
            let most = if is_choice { level.together } else { level.step };
            let alone = pure && fits(&bits, most) && !(is_choice && self.is_quick(op));
            if alone && fits(&both, level.together) {
                group.push(op);
                reads = both;
                continue;
            }
            self.flush(&mut group, &mut ops, level);
            reads = Word::zero(reads.width());
            if alone {
                group.push(op);
                reads = bits;
                continue;
            }
            ops.push(match op {
                Op::If { guard, then, other } => {
                    Op::If { guard, then: self.segmented(then, level), other: self.segmented(other, level) }
                }
                Op::Test { test, then, other } => {
                    Op::Test { test, then: self.segmented(then, level), other: self.segmented(other, level) }
                }
                Op::Sub(sub) => {
                    let mut sub = self.subs[sub as usize].clone();
                    for (block, _) in &mut sub.leaves {
                        *block = self.segmented(*block, level);
                    }
                    self.subs.push(sub);
                    Op::Sub(self.subs.len() as u32 - 1)
                }
                other => other,
            });
        }
        self.flush(&mut group, &mut ops, level);
        let done = self.block(ops);
        self.segmented.insert((block, level), done);
        done
    }

    /// Whether a step is made of texts, operands and choices that are soon made: then keeping its text saves nothing.
    fn is_quick(&mut self, op: Op) -> bool {
        match op {
            Op::Text { .. } => true,
            Op::Scalar { value, field } => self.operand(value, field, (0, 0)).is_some(),
            Op::Test { then, other, .. } => [then, other].into_iter().all(|block| {
                if let Some(&known) = self.quick.get(&block) {
                    return known;
                }
                let quick = self.steps(block).to_vec().into_iter().all(|op| self.is_quick(op));
                self.quick.insert(block, quick);
                quick
            }),
            _ => false,
        }
    }

    /// Ends a group: as a segment where that saves work, else as it is.
    fn flush(&mut self, group: &mut Vec<Op>, ops: &mut Vec<Op>, level: Level) {
        let steps = std::mem::take(group);
        let text_only = steps.iter().all(|op| matches!(op, Op::Text { .. } | Op::Bail));
        if text_only {
            ops.extend(steps);
            return;
        }
        let block = self.block(steps);
        let id = match self.known_segments.get(&block) {
            Some(&id) => id,
            None => {
                let reads = self.info(block).reads.clone();
                let (limbs, masks) = halves(&reads);
                // A text that is not there yet is put together from smaller ones.
                let parts =
                    if level == OUTER && !fits(&reads, INNER.step) { self.segmented(block, INNER) } else { block };
                self.segments.push(Segment { limbs, masks, block: parts });
                self.known_segments.insert(block, self.segments.len() as u32 - 1);
                self.segments.len() as u32 - 1
            }
        };
        ops.push(Op::Cached(id));
    }

    /// The block of the leaf that the value of a sub-encoded field is; `None` if the exact engine has to say.
    pub(crate) fn leaf_of(&self, sub: u32, word: &[u64]) -> Option<BlockId> {
        let sub = self.subs.get(sub as usize)?;
        let value = self.compiler.graph.evaluate(sub.value, word);
        let tree = self.trees.get(sub.space.index())?;
        let Match::One(id) = (*tree)?.select(&[value], sub.width) else { return None };
        let rank = self.ranks.get(id.index())?;
        let &(block, dont_care) = sub.leaves.get(*rank as usize)?;
        (value & dont_care == 0).then_some(block)
    }

    /// What an instruction word is.
    #[inline]
    pub(crate) fn select(&self, word: &[u64], width: u32) -> Match {
        self.tree.select(word, width)
    }
}

/// The place of a text in a pool that has each once.
fn put(pool: &mut Vec<u8>, known: &mut FxHashMap<Vec<u8>, u32>, text: &[u8]) -> (u32, u32) {
    let from = match known.get(text) {
        Some(&from) => from,
        None => {
            let from = pool.len() as u32;
            pool.extend_from_slice(text);
            known.insert(text.to_vec(), from);
            from
        }
    };
    (from, text.len() as u32)
}

/// Whether a segment may depend on these bits: few, in at most two limbs.
fn fits(reads: &Word, most: u32) -> bool {
    reads.count_ones() <= most && reads.limbs().iter().filter(|&&limb| limb != 0).count() <= 2
}

/// The at most two limbs with bits, and the bits.
fn halves(reads: &Word) -> ([u32; 2], [u64; 2]) {
    let mut used = reads.limbs().iter().enumerate().filter(|(_, limb)| **limb != 0);
    let mut next = || used.next().map_or((0, 0), |(at, &limb)| (at as u32, limb));
    let (first, second) = (next(), next());
    ([first.0, second.0], [first.1, second.1])
}
