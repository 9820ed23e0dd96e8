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

use crate::limits::MAX_WIDTH;
use crate::runtime::tables::{Calc, Case, Encoding, Expr, Field, Isa, Node, Op, Part, Piece, Range, Run, Space, Type};

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

impl<'a> Blueprint<'a> {
    /// The tables of a plan, for words of `limb_count` limbs (at least [`limbs_for`]).
    ///
    /// # Errors
    /// What of the description generated code cannot do.
    pub fn new(plan: &Plan<'a>, limb_count: usize) -> Result<Self, Unsupported> {
        let model = plan.isa();
        let format = model.format();
        if format.max_bits > MAX_WIDTH {
            return Err(Unsupported(format!("instructions of {} bits are wider than {MAX_WIDTH}", format.max_bits)));
        }
        if !format.lengths.is_empty() && format.parcel_bits > 64 {
            return Err(Unsupported("the length of an instruction is not in its first 64 bits".to_owned()));
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
        for rule in &format.lengths {
            let (care, value) = (rule.pattern.care().low_u64(), rule.pattern.value().low_u64());
            blueprint.lengths.push((care, value, rule.bits));
        }
        exact::fill(&mut blueprint, plan)?;
        quick::fill(&mut blueprint, plan)?;
        Ok(blueprint)
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
