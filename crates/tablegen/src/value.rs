//! Values, interned: equal values are the same [`Val`], so "did it change" is a comparison of two words.
//!
//! A value is a fixed node plus, for lists and the like, a run of words in a side pool. Each node carries what the
//! evaluator asks again and again: whether anything in it is still free, whether it must be folded once more at the end,
//! whether it is concrete, and a 64-bit set that holds at least the names of its free variables. A substitution whose
//! names miss that set returns at once; this is most of what makes evaluation fast.
//!
//! Hashes are stored beside the nodes, so growing the table never looks into a value again.

use hashbrown::HashTable;

use crate::names::{Sym, spread};
use crate::ty::Ty;

/// A value, interned.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Val(pub(crate) u32);

impl Val {
    /// `?`
    pub(crate) const UNSET: Val = Val(0);
    /// The bit 0.
    pub(crate) const FALSE: Val = Val(1);
    /// The bit 1.
    pub(crate) const TRUE: Val = Val(2);
    /// No value: what a field is left with after a wrong assignment, which was reported.
    pub(crate) const MISSING: Val = Val(3);

    pub(crate) fn bit(b: bool) -> Val {
        if b { Val::TRUE } else { Val::FALSE }
    }

    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

/// What kind of value; the comment says what `op`, `a` and `b` of the node are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Kind {
    Unset,
    /// a: 0 or 1
    Bit,
    /// op: [`bits_form`]; `SMALL`: a known mask, b value; `WIDE`: pool of known words, then value words; `MIXED`: pool of one value a bit
    Bits,
    /// a: low half, b: high half
    Int,
    /// a: the text, op: 1 if written as code
    Str,
    /// pool: elements
    List,
    /// pool: operator, its name, then argument and name by turns
    Dag,
    /// a: the record
    Def,
    /// a: the name
    Var,
    /// a: the value, b: the bit
    VarBit,
    /// a: the record value, b: the name of the field
    Field,
    /// pool: the class, then the arguments
    VarDef,
    /// op, a: operand
    UnOp,
    /// op, a, b: operands
    BinOp,
    /// op, pool: three operands
    TernOp,
    /// pool: conditions, then values
    Cond,
    /// pool: start, list, the two names, the body
    Fold,
    /// a: the type, b: operand
    IsA,
    /// a: the type, b: operand
    Exists,
    /// a: number
    Anon,
    /// a: the value; op 0: b the position, op 1: b the name
    Arg,
}

/// Forms of a `bits` value; a value has exactly one form that fits.
pub(crate) mod bits_form {
    /// At most 32 bits, each 0, 1 or `?`.
    pub(crate) const SMALL: u8 = 0;
    /// More bits, each 0, 1 or `?`.
    pub(crate) const WIDE: u8 = 1;
    /// Some bit is a reference or an expression.
    pub(crate) const MIXED: u8 = 2;
}

/// Facts about a value.
pub(crate) mod flag {
    /// Some variable is free in it.
    pub(crate) const VAR: u16 = 1;
    /// Holds the name of a record that has only a number yet.
    pub(crate) const ANON: u16 = 2;
    /// Holds a `!cast` or `!exists` that the final resolution tries again.
    pub(crate) const FINAL: u16 = 4;
    /// Nothing is left to resolve.
    pub(crate) const CONCRETE: u16 = 8;
    /// Nothing in it is `?`.
    pub(crate) const COMPLETE: u16 = 16;
    /// What a value takes over from its parts.
    pub(crate) const FREE: u16 = VAR | ANON | FINAL;
    /// The other bits say how deep the value is nested.
    pub(crate) const DEPTH_SHIFT: u32 = 5;
    /// Nesting above which the run stops.
    pub(crate) const MAX_DEPTH: u16 = (1 << (16 - DEPTH_SHIFT)) - 1;
    /// What an operation takes over from its operands.
    pub(crate) const CARRY: u16 = FREE | MAX_DEPTH << DEPTH_SHIFT;
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Node {
    pub(crate) kind: Kind,
    pub(crate) op: u8,
    pub(crate) flags: u16,
    pub(crate) ty: Ty,
    /// Start in the pool for the kinds that have a run there.
    pub(crate) a: u32,
    /// Length of that run.
    pub(crate) b: u32,
}

/// All values.
#[derive(Debug)]
pub(crate) struct Vals {
    nodes: Vec<Node>,
    blooms: Vec<u64>,
    hashes: Vec<u32>,
    pool: Vec<u32>,
    table: HashTable<u32>,
    /// Some value is nested too deep to be walked.
    pub(crate) too_deep: bool,
}

fn mix(hash: u64, word: u32) -> u64 {
    (hash.rotate_left(5) ^ u64::from(word)).wrapping_mul(0x517C_C1B7_2722_0A95)
}

fn finish(hash: u64) -> u32 {
    (hash >> 32) as u32 ^ hash as u32
}

/// What is known of a value before it is interned.
#[derive(Clone, Copy)]
pub(crate) struct Facts {
    pub(crate) flags: u16,
    pub(crate) bloom: u64,
}

impl Facts {
    pub(crate) const GROUND: Facts = Facts { flags: flag::CONCRETE | flag::COMPLETE, bloom: 0 };
    /// An unresolved operation: not concrete, though nothing in it is `?`.
    pub(crate) const OPERATION: Facts = Facts { flags: flag::COMPLETE, bloom: 0 };

    pub(crate) fn with(self, flags: u16) -> Facts {
        Facts { flags: self.flags | flags, bloom: self.bloom }
    }
}

impl Vals {
    pub(crate) fn new() -> Vals {
        let mut vals = Vals {
            nodes: Vec::new(),
            blooms: Vec::new(),
            hashes: Vec::new(),
            pool: Vec::new(),
            table: HashTable::with_capacity(1 << 14),
            too_deep: false,
        };
        vals.fixed(Kind::Unset, 0, Ty::NONE, 0, 0, Facts { flags: flag::CONCRETE, bloom: 0 });
        vals.fixed(Kind::Bit, 0, Ty::BIT, 0, 0, Facts::GROUND);
        vals.fixed(Kind::Bit, 0, Ty::BIT, 1, 0, Facts::GROUND);
        vals.fixed(Kind::Unset, 1, Ty::NONE, 0, 0, Facts { flags: flag::CONCRETE, bloom: 0 });
        vals
    }

    pub(crate) fn len(&self) -> usize {
        self.nodes.len()
    }

    pub(crate) fn pool_words(&self) -> usize {
        self.pool.len()
    }

    pub(crate) fn node(&self, v: Val) -> Node {
        self.nodes[v.index()]
    }

    pub(crate) fn kind(&self, v: Val) -> Kind {
        self.nodes[v.index()].kind
    }

    pub(crate) fn flags(&self, v: Val) -> u16 {
        self.nodes[v.index()].flags
    }

    pub(crate) fn bloom(&self, v: Val) -> u64 {
        self.blooms[v.index()]
    }

    /// The type; [`Ty::NONE`] for `?` and arguments.
    pub(crate) fn ty(&self, v: Val) -> Ty {
        self.nodes[v.index()].ty
    }

    pub(crate) fn facts(&self, v: Val) -> Facts {
        Facts { flags: self.flags(v), bloom: self.blooms[v.index()] }
    }

    /// Facts of a list-like value: free parts add up, concrete and complete only if all parts are.
    pub(crate) fn facts_of(&self, parts: impl Iterator<Item = Val>) -> Facts {
        let mut all = Facts::GROUND;
        let mut depth = 0;
        for v in parts {
            let f = self.facts(v);
            all.bloom |= f.bloom;
            all.flags = (all.flags | f.flags & flag::FREE) & (f.flags | flag::FREE);
            depth = depth.max(f.flags >> flag::DEPTH_SHIFT);
        }
        let low = all.flags & ((1 << flag::DEPTH_SHIFT) - 1);
        Facts { flags: low | (depth + 1).min(flag::MAX_DEPTH) << flag::DEPTH_SHIFT, bloom: all.bloom }
    }

    /// Facts of an operation on these.
    pub(crate) fn facts_op(&self, parts: impl Iterator<Item = Val>) -> Facts {
        let all = self.facts_of(parts);
        Facts { flags: all.flags & flag::CARRY | flag::COMPLETE, bloom: all.bloom }
    }

    /// The run of words of a value that has one.
    pub(crate) fn run(&self, v: Val) -> &[u32] {
        let node = &self.nodes[v.index()];
        &self.pool[node.a as usize..(node.a + node.b) as usize]
    }

    /// Word `i` of the run of a value.
    pub(crate) fn word(&self, v: Val, i: usize) -> u32 {
        self.pool[self.nodes[v.index()].a as usize + i]
    }

    /// Word `i` of the run of a value, as a value.
    pub(crate) fn part(&self, v: Val, i: usize) -> Val {
        Val(self.word(v, i))
    }

    /// Interns a value without a run.
    pub(crate) fn fixed(&mut self, kind: Kind, op: u8, ty: Ty, a: u32, b: u32, facts: Facts) -> Val {
        let hash = finish(mix(mix(mix(u64::from(kind as u8) << 8 | u64::from(op), ty.0), a), b));
        let nodes = &self.nodes;
        let hashes = &self.hashes;
        let same = |&i: &u32| {
            hashes[i as usize] == hash && {
                let n = &nodes[i as usize];
                n.kind == kind && n.op == op && n.ty == ty && n.a == a && n.b == b
            }
        };
        if let Some(&found) = self.table.find(spread(hash), same) {
            return Val(found);
        }
        self.add(Node { kind, op, flags: facts.flags, ty, a, b }, facts.bloom, hash)
    }

    /// Interns a value with a run; the facts are worked out only if it is new.
    pub(crate) fn with_run(
        &mut self,
        kind: Kind,
        op: u8,
        ty: Ty,
        run: &[u32],
        facts: impl FnOnce(&Vals) -> Facts,
    ) -> Val {
        let start = mix(u64::from(kind as u8) << 8 | u64::from(op), ty.0);
        let hash = finish(run.iter().fold(start, |h, &w| mix(h, w)));
        let (nodes, hashes, pool) = (&self.nodes, &self.hashes, &self.pool);
        let same = |&i: &u32| {
            hashes[i as usize] == hash && {
                let n = &nodes[i as usize];
                n.kind == kind
                    && n.op == op
                    && n.ty == ty
                    && pool.get(n.a as usize..n.a as usize + n.b as usize) == Some(run)
            }
        };
        if let Some(&found) = self.table.find(spread(hash), same) {
            return Val(found);
        }
        let facts = facts(self);
        let a = self.pool.len() as u32;
        self.pool.extend_from_slice(run);
        self.add(Node { kind, op, flags: facts.flags, ty, a, b: run.len() as u32 }, facts.bloom, hash)
    }

    fn add(&mut self, node: Node, bloom: u64, hash: u32) -> Val {
        let id = self.nodes.len() as u32;
        self.too_deep |= node.flags >> flag::DEPTH_SHIFT == flag::MAX_DEPTH;
        self.nodes.push(node);
        self.blooms.push(bloom);
        self.hashes.push(hash);
        let hashes = &self.hashes;
        self.table.insert_unique(spread(hash), id, |&i| spread(hashes[i as usize]));
        Val(id)
    }

    // ---- Looking into values -------------------------------------------------------------------------------------

    pub(crate) fn as_int(&self, v: Val) -> Option<i64> {
        let n = self.node(v);
        (n.kind == Kind::Int).then_some((u64::from(n.b) << 32 | u64::from(n.a)) as i64)
    }

    pub(crate) fn as_str(&self, v: Val) -> Option<Sym> {
        let n = self.node(v);
        (n.kind == Kind::Str).then_some(Sym(n.a))
    }

    pub(crate) fn is_code(&self, v: Val) -> bool {
        let n = self.node(v);
        n.kind == Kind::Str && n.op == 1
    }

    pub(crate) fn as_list(&self, v: Val) -> Option<&[u32]> {
        (self.kind(v) == Kind::List).then(|| self.run(v))
    }

    pub(crate) fn as_dag(&self, v: Val) -> Option<&[u32]> {
        (self.kind(v) == Kind::Dag).then(|| self.run(v))
    }
}

/// The operator of a dag's run.
pub(crate) fn dag_op(run: &[u32]) -> Val {
    Val(run[0])
}

/// The arguments of a dag's run with their names.
pub(crate) fn dag_args(run: &[u32]) -> impl ExactSizeIterator<Item = (Val, Sym)> + '_ {
    run[2..].chunks_exact(2).map(|pair| (Val(pair[0]), Sym(pair[1])))
}
