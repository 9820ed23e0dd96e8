//! The plan of a generated codec: what every writer prints, as plain data.
//!
//! The problem: generated Rust, generated C and the engines must print the same bytes for every word, wrong ones too. The
//! method: nothing is decided twice. The exact half is the description flattened to tables, for an interpreter that
//! follows the language's rules step by step; the quick half is the display programs that the engine itself runs
//! ([`isaglot_asm::program`]), where everything that depends on few bits is finished ahead of time. Writers only print.
//!
//! An example: a space of 8 bits with the two encodings `inc` (`{NAME} r{R}`, bits 4 to 7 are 0001, `R` is bits 0 to 3) and
//! `nop` (all bits 0) becomes, among other tables:
//!
//! ```text
//! tree     node(limb 0, shift 4, mask 15, base 0)        look at bits 4 to 7
//! entries  list 0, one(0), list 1, list 1, …             0000: compare with nop; 0001: only inc can match
//! leaves   inc: width 8, cases (0, 1), program 0         its first case is cases[0], its program begins at ops[0]
//! cases    no guard, fields (0, 1), template 0
//! fields   R: unsigned, 4 bits, pieces (0, 1)
//! pieces   bits(0, 4)
//! parts    mnemonic, literal " r", field R               the exact half prints these one by one
//! ops      Pick bits 0 to 3 from picks[0], End           the quick half copies one of 16 finished texts
//! picks    the places of "inc r0", "inc r1", … "inc r15" in `text`
//! ```
//!
//! A blueprint borrows its texts from the model; [`Blueprint::tables`] shows it as the tables that the runtime takes, so
//! that a test can run what will be generated without generating it.

mod exact;
mod quick;

use isaglot_codec::Plan;
use isaglot_model::{ByteOrder, EncodingId, Isa as Model};

use crate::limits::{FAST, Layout, MAX_WIDTH};
use crate::runtime::tables::{
    Calc, Case, Encoding, Expr, Field, Isa, LIST, Node, ONE, Op, PAD, Part, Piece, Range, Run, Space, Type,
};

/// Why no code can be generated for a description.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unsupported(pub String);

/// The tables of one plan, growing.
#[derive(Clone, Debug, Default)]
pub struct Blueprint<'a> {
    /// Limbs of every word.
    pub limb_count: usize,
    /// The most expressions of one encoding.
    pub memo: usize,
    /// The most fields and nodes of one expression.
    pub nodes: usize,
    /// The encodings in the order of `leaves`.
    pub encodings: Vec<EncodingId>,
    /// [`Isa`] says what this and the following mean.
    pub generation: u32,
    /// See [`Isa`].
    pub max_bits: u32,
    /// See [`Isa`].
    pub parcel_bits: u32,
    /// See [`Isa`].
    pub little: bool,
    /// See [`Isa`].
    pub value_bits: u32,
    /// See [`Isa`].
    pub lengths: Vec<(u64, u64, u32)>,
    /// See [`Isa`].
    pub root: u32,
    /// See [`Isa`].
    pub spaces: Vec<Space>,
    /// See [`Isa`].
    pub tree: Vec<Node>,
    /// See [`Isa`].
    pub entries: Vec<u32>,
    /// See [`Isa`].
    pub lists: Vec<Range>,
    /// See [`Isa`].
    pub listed: Vec<u32>,
    /// See [`Isa`].
    pub leaves: Vec<Encoding<'a>>,
    /// See [`Isa`].
    pub excepts: Vec<u32>,
    /// See [`Isa`].
    pub needs: Vec<u32>,
    /// See [`Isa`].
    pub limbs: Vec<u64>,
    /// See [`Isa`].
    pub case_lists: Vec<u32>,
    /// See [`Isa`].
    pub preferred: Vec<(u32, u32, u64, u64)>,
    /// See [`Isa`].
    pub cases: Vec<Case<'a>>,
    /// See [`Isa`].
    pub fields: Vec<Field>,
    /// See [`Isa`].
    pub pieces: Vec<Piece>,
    /// See [`Isa`].
    pub params: Vec<(u32, u32)>,
    /// See [`Isa`].
    pub asserts: Vec<(u32, u32, u32)>,
    /// See [`Isa`].
    pub exprs: Vec<Expr>,
    /// See [`Isa`].
    pub expr_fields: Vec<u32>,
    /// See [`Isa`].
    pub expr_nodes: Vec<Calc>,
    /// See [`Isa`].
    pub templates: Vec<Range>,
    /// See [`Isa`].
    pub parts: Vec<Part<'a>>,
    /// See [`Isa`].
    pub enums: Vec<Range>,
    /// See [`Isa`].
    pub values: Vec<(u64, &'a str)>,
    /// See [`Isa`].
    pub names: Vec<&'a str>,
    /// See [`Isa`].
    pub ops: Vec<Op>,
    /// See [`Isa`].
    pub picks: Vec<u32>,
    /// See [`Isa`].
    pub jumps: Vec<u32>,
    /// See [`Isa`].
    pub runs: Vec<Run>,
    /// See [`Isa`].
    pub scalars: Vec<(u32, u32)>,
    /// See [`Isa`].
    pub ways: Vec<(Type, u32)>,
    /// See [`Isa`].
    pub references: Vec<&'a str>,
    /// See [`Isa`].
    pub ifs: Vec<(u32, u32, u32)>,
    /// See [`Isa`].
    pub subs: Vec<(u32, u32, u32, u32)>,
    /// See [`Isa`].
    pub targets: Vec<(u32, u64)>,
    /// See [`Isa`].
    pub expects: Vec<(u32, u64)>,
    /// See [`Isa`].
    pub calcs: Vec<Calc>,
    /// See [`Isa`].
    pub text: Vec<u8>,
}

/// Limbs that the words of a description need.
#[must_use]
pub fn limbs_for(model: &Model) -> usize {
    model.format().max_bits.div_ceil(64).max(1) as usize
}

/// The tables of several plans of one description, which have the same features: what they have in common is there once.
#[derive(Clone, Debug)]
pub struct Joint<'a> {
    /// The tables of all. Those of a plan are these with its gen and its spaces.
    pub tables: Blueprint<'a>,
    /// The gen of each plan, and where its spaces begin.
    pub plans: Vec<(u32, u32)>,
}

impl<'a> Joint<'a> {
    /// The tables of plans, for words of `limb_count` limbs (at least [`limbs_for`]).
    ///
    /// # Errors
    /// What of the description generated code cannot do.
    pub fn new(plans: &[Plan<'a>], limb_count: usize, layout: Layout) -> Result<Self, Unsupported> {
        let first = plans.first().ok_or_else(|| Unsupported("there is nothing to generate code for".to_owned()))?;
        let mut joint = Joint { tables: Blueprint::begin(first, limb_count)?, plans: Vec::with_capacity(plans.len()) };
        let (mut exact, mut quick) = (exact::Known::default(), quick::Known::default());
        for plan in plans {
            let before = joint.tables.sizes();
            let spaces = exact::fill(&mut joint.tables, plan, &mut exact)?;
            quick::fill(&mut joint.tables, plan, spaces, (&mut quick, &mut exact.types, layout))?;
            let like = joint.plans.iter().find(|(_, known)| joint.tables.same_spaces(*known, spaces));
            let spaces = match like {
                Some(&(_, known)) => {
                    joint.tables.cut(before);
                    exact.forget(before);
                    known
                }
                None => spaces,
            };
            joint.plans.push((plan.generation(), spaces));
        }
        joint.tables.text.extend([0; PAD]);
        Ok(joint)
    }
}

/// Rows of the tables that plans do not share: spaces, leaves, nodes, entries, lists, what is listed, preferences.
type Sizes = [usize; 7];

impl<'a> Blueprint<'a> {
    fn sizes(&self) -> Sizes {
        let trees = [self.tree.len(), self.entries.len(), self.lists.len(), self.listed.len()];
        [self.spaces.len(), self.leaves.len(), trees[0], trees[1], trees[2], trees[3], self.preferred.len()]
    }

    /// Takes back what was added since.
    fn cut(&mut self, [spaces, leaves, nodes, entries, lists, listed, preferred]: Sizes) {
        self.spaces.truncate(spaces);
        self.leaves.truncate(leaves);
        self.encodings.truncate(leaves);
        self.tree.truncate(nodes);
        self.entries.truncate(entries);
        self.lists.truncate(lists);
        self.listed.truncate(listed);
        self.preferred.truncate(preferred);
    }

    /// Whether the spaces from `a` on mean what those from `b` on do, which are the last.
    fn same_spaces(&self, a: u32, b: u32) -> bool {
        let count = self.spaces.len() - b as usize;
        (0..count).all(|i| match (self.spaces.get(a as usize + i), self.spaces.get(b as usize + i)) {
            (Some(x), Some(y)) => {
                (x.first_wins, x.refuses) == (y.first_wins, y.refuses)
                    && self.same_tree((x.root, x.first), (y.root, y.first))
            }
            _ => false,
        })
    }

    /// Whether two trees, each with the first encoding of its space, decide alike and for the same encodings.
    fn same_tree(&self, (x, first_x): (u32, u32), (y, first_y): (u32, u32)) -> bool {
        if (x, first_x) == (y, first_y) {
            return true;
        }
        let mut work = vec![(x, y)];
        while let Some((x, y)) = work.pop() {
            let same = match (x & (LIST | ONE), y & (LIST | ONE)) {
                (ONE, ONE) => self.same_leaf((x & !ONE, first_x), (y & !ONE, first_y)),
                (LIST, LIST) => match (self.listed_at(x), self.listed_at(y)) {
                    (Some(xs), Some(ys)) => {
                        xs.len() == ys.len()
                            && xs.iter().zip(ys).all(|(&x, &y)| self.same_leaf((x, first_x), (y, first_y)))
                    }
                    _ => false,
                },
                (0, 0) => match (self.tree.get(x as usize), self.tree.get(y as usize)) {
                    (Some(m), Some(n)) if (m.limb, m.shift, m.mask) == (n.limb, n.shift, n.mask) => {
                        let entries = |base: u32| self.entries.get(base as usize..(base + m.mask + 1) as usize);
                        if let (Some(xs), Some(ys)) = (entries(m.base), entries(n.base)) {
                            work.extend(xs.iter().copied().zip(ys.iter().copied()));
                        }
                        true
                    }
                    _ => false,
                },
                _ => false,
            };
            if !same {
                return false;
            }
        }
        true
    }

    fn listed_at(&self, entry: u32) -> Option<&[u32]> {
        let &(from, to) = self.lists.get((entry & !LIST) as usize)?;
        self.listed.get(from as usize..to as usize)
    }

    /// Whether two encodings are the same one, at the same place in their spaces.
    fn same_leaf(&self, (x, first_x): (u32, u32), (y, first_y): (u32, u32)) -> bool {
        let (x, y, place_x, place_y) = (x as usize, y as usize, x - first_x, y - first_y);
        let row =
            |l: &Encoding<'a>| (l.pattern, l.dont_care, l.knotted, (l.except, l.cases, l.program, l.needs, l.branches));
        place_x == place_y
            && self.encodings.get(x) == self.encodings.get(y)
            && self.leaves.get(x).map(row) == self.leaves.get(y).map(row)
    }
}

impl<'a> Blueprint<'a> {
    /// The tables of a plan, for words of `limb_count` limbs (at least [`limbs_for`]).
    ///
    /// # Errors
    /// What of the description generated code cannot do.
    pub fn new(plan: &Plan<'a>, limb_count: usize) -> Result<Self, Unsupported> {
        Self::laid_out(plan, limb_count, FAST)
    }

    /// The same with other tables of quick programs.
    ///
    /// # Errors
    /// What of the description generated code cannot do.
    pub fn laid_out(plan: &Plan<'a>, limb_count: usize, layout: Layout) -> Result<Self, Unsupported> {
        Ok(Joint::new(std::slice::from_ref(plan), limb_count, layout)?.tables)
    }

    /// All but the halves.
    fn begin(plan: &Plan<'a>, limb_count: usize) -> Result<Self, Unsupported> {
        let model = plan.isa();
        let format = model.format();
        if format.max_bits > MAX_WIDTH {
            return Err(Unsupported(format!("instructions of {} bits are wider than {MAX_WIDTH}", format.max_bits)));
        }
        if !format.lengths.is_empty() && format.parcel_bits > 64 {
            return Err(Unsupported("the length of an instruction is not in its first 64 bits".to_owned()));
        }
        if plan.lengths().any(|rule| rule.pattern.width() > format.parcel_bits) {
            return Err(Unsupported("the length of an instruction is not in its first parcel".to_owned()));
        }
        let mut blueprint = Blueprint {
            limb_count: limb_count.max(limbs_for(model)),
            generation: plan.generation(),
            max_bits: format.max_bits,
            parcel_bits: format.parcel_bits,
            little: format.byte_order == ByteOrder::Little,
            value_bits: model.value_bits(),
            ..Blueprint::default()
        };
        for rule in plan.lengths() {
            let (care, value) = (rule.pattern.care().low_u64(), rule.pattern.value().low_u64());
            blueprint.lengths.push((care, value, rule.bits));
        }
        Ok(blueprint)
    }

    /// Whether there is a space whose values can make a whole word invalid.
    pub(crate) fn refuses(&self) -> bool {
        self.spaces.iter().any(|space| space.refuses)
    }

    /// The same as the tables that the runtime takes. Its constants must allow for this blueprint's.
    #[must_use]
    pub fn tables(&self) -> Isa<'_> {
        Isa {
            generation: self.generation,
            max_bits: self.max_bits,
            parcel_bits: self.parcel_bits,
            little: self.little,
            value_bits: self.value_bits,
            refuses: self.refuses(),
            lengths: &self.lengths,
            root: self.root,
            spaces: &self.spaces,
            tree: &self.tree,
            entries: &self.entries,
            lists: &self.lists,
            listed: &self.listed,
            leaves: &self.leaves,
            excepts: &self.excepts,
            needs: &self.needs,
            limbs: &self.limbs,
            case_lists: &self.case_lists,
            preferred: &self.preferred,
            cases: &self.cases,
            fields: &self.fields,
            pieces: &self.pieces,
            params: &self.params,
            asserts: &self.asserts,
            exprs: &self.exprs,
            expr_fields: &self.expr_fields,
            expr_nodes: &self.expr_nodes,
            templates: &self.templates,
            parts: &self.parts,
            enums: &self.enums,
            values: &self.values,
            names: &self.names,
            ops: &self.ops,
            picks: &self.picks,
            jumps: &self.jumps,
            runs: &self.runs,
            scalars: &self.scalars,
            ways: &self.ways,
            references: &self.references,
            ifs: &self.ifs,
            subs: &self.subs,
            targets: &self.targets,
            expects: &self.expects,
            calcs: &self.calcs,
            text: &self.text,
        }
    }
}
