//! Values, interned: equal values are the same [`Val`], so "did it change" is a comparison of two words.
//!
//! A value is a fixed node plus, for lists and the like, a run of words in a side pool. Each node carries what the
//! evaluator asks again and again: whether anything in it is still free, whether it must be folded once more at the end,
//! whether it is concrete, and a 64-bit set that holds at least the names of its free variables. A substitution whose
//! names miss that set returns at once; this is most of what makes evaluation fast.
//!
//! Hashes are stored in the table, so growing it never looks into a value again. The number of a value says by its two
//! top bits whether anything in it is free and whether it is concrete, so values that are done are left alone without a
//! look at them.

use hashbrown::HashTable;

use isaglot_invariant::Impossible as _;

use crate::names::{Sym, spread};
use crate::record::RecId;
use crate::ty::Ty;

/// A value, interned: its number, and in the two top bits whether something in it is free
/// ([`flag::FREE`]), and whether it is not concrete.
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

    /// Whether nothing in it is free.
    #[inline]
    pub(crate) fn is_ground(self) -> bool {
        self.0 >> 31 == 0
    }

    /// Whether nothing is left to resolve in it.
    #[inline]
    pub(crate) fn is_concrete(self) -> bool {
        self.0 >> 30 & 1 == 0
    }

    #[inline]
    pub(crate) fn index(self) -> usize {
        (self.0 & (u32::MAX >> 2)) as usize
    }
}

/// What kind of value; the comment says what `op`, `a` and `b` of the node are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum ValueKind {
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
    /// pool: the class, then value and key of each argument by turns; see [`Arg`]
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
}

/// An argument of `Class<args>`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Arg {
    pub(crate) value: Val,
    /// The qualified name, or the position with the top bit set.
    key: u32,
}

impl Arg {
    const POSITION: u32 = 1 << 31;

    pub(crate) fn at(position: u32, value: Val) -> Arg {
        Arg { value, key: position | Arg::POSITION }
    }

    pub(crate) fn named(name: Sym, value: Val) -> Arg {
        Arg { value, key: name.0 }
    }

    /// The position or else the name.
    pub(crate) fn key(self) -> Result<u32, Sym> {
        if self.key & Arg::POSITION == 0 { Err(Sym(self.key)) } else { Ok(self.key & !Arg::POSITION) }
    }

    /// The words of an argument in a run.
    pub(crate) fn words(self) -> [u32; 2] {
        [self.value.0, self.key]
    }

    /// The arguments of the run of a `Class<args>`.
    pub(crate) fn of_run(run: &[u32]) -> impl Iterator<Item = Arg> + '_ {
        run.get(1..).or_impossible(&[]).chunks_exact(2).map(|pair| Arg { value: Val(pair[0]), key: pair[1] })
    }
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
    pub(crate) kind: ValueKind,
    pub(crate) op: u8,
    pub(crate) flags: u16,
    pub(crate) ty: Ty,
    /// Start in the pool for the kinds that have a run there.
    pub(crate) a: u32,
    /// Length of that run.
    pub(crate) b: u32,
    /// Holds at least the names of the free variables.
    pub(crate) bloom: u64,
}

/// All values.
#[derive(Debug)]
pub(crate) struct Vals {
    nodes: Vec<Node>,
    pool: Vec<u32>,
    /// Hash and value.
    table: HashTable<(u32, Val)>,
    /// The value of each small number.
    small: Vec<Val>,
    /// The value of each text, as far as there is one; 0 is none, because `?` is not a string.
    strings: Vec<Val>,
    /// The last value made of each record.
    defs: Vec<Val>,
    /// Some value is nested too deep to be walked.
    pub(crate) too_deep: bool,
}

/// Numbers from 0 whose values are made beforehand.
const SMALL_NUMBERS: u32 = 256;

fn mix(hash: u64, words: u64) -> u64 {
    (hash.rotate_left(5) ^ words).wrapping_mul(0x517C_C1B7_2722_0A95)
}

/// Two words as one, for hashing.
fn pair(low: u32, high: u32) -> u64 {
    u64::from(high) << 32 | u64::from(low)
}

/// What a hash begins with.
fn head(kind: ValueKind, op: u8, ty: Ty) -> u64 {
    mix(u64::from(kind as u8) << 8 | u64::from(op), u64::from(ty.0))
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
            pool: Vec::new(),
            table: HashTable::with_capacity(1 << 17),
            small: Vec::new(),
            strings: Vec::new(),
            defs: Vec::new(),
            too_deep: false,
        };
        vals.fixed(ValueKind::Unset, 0, Ty::NONE, 0, 0, Facts { flags: flag::CONCRETE, bloom: 0 });
        vals.fixed(ValueKind::Bit, 0, Ty::BIT, 0, 0, Facts::GROUND);
        vals.fixed(ValueKind::Bit, 0, Ty::BIT, 1, 0, Facts::GROUND);
        vals.fixed(ValueKind::Unset, 1, Ty::NONE, 0, 0, Facts { flags: flag::CONCRETE, bloom: 0 });
        vals.small = (0..SMALL_NUMBERS).map(|i| vals.fixed(ValueKind::Int, 0, Ty::INT, i, 0, Facts::GROUND)).collect();
        vals
    }

    pub(crate) fn int(&mut self, i: i64) -> Val {
        match usize::try_from(i).ok().and_then(|i| self.small.get(i)) {
            Some(&v) => v,
            None => self.fixed(ValueKind::Int, 0, Ty::INT, i as u32, (i as u64 >> 32) as u32, Facts::GROUND),
        }
    }

    pub(crate) fn string(&mut self, text: Sym) -> Val {
        if let Some(&v) = self.strings.get(text.index())
            && v != Val::UNSET
        {
            return v;
        }
        // Found by its text, so the table of all values need not have it.
        let flags = Facts::GROUND.flags;
        let v = self.push(Node { kind: ValueKind::Str, op: 0, flags, ty: Ty::STRING, a: text.0, b: 0, bloom: 0 });
        if self.strings.len() <= text.index() {
            self.strings.resize((text.index() + 1).max(2 * self.strings.len()), Val::UNSET);
        }
        self.strings[text.index()] = v;
        v
    }

    /// The value that is a record, which is of that type by now.
    pub(crate) fn def(&mut self, rec: RecId, ty: Ty) -> Val {
        if let Some(&v) = self.defs.get(rec.index())
            && v != Val::UNSET
            && self.ty(v) == ty
        {
            return v;
        }
        let v = self.fixed(ValueKind::Def, 0, ty, rec.0, 0, Facts::GROUND);
        if self.defs.len() <= rec.index() {
            self.defs.resize((rec.index() + 1).max(2 * self.defs.len()), Val::UNSET);
        }
        self.defs[rec.index()] = v;
        v
    }

    /// Whether there is a value that is this record.
    pub(crate) fn has_def(&self, rec: RecId) -> bool {
        self.defs.get(rec.index()).is_some_and(|&v| v != Val::UNSET)
    }

    /// The name of an unnamed record, which is asked for only once and so need not be found again.
    pub(crate) fn anonymous(&mut self, number: u32) -> Val {
        let facts = Facts::OPERATION.with(flag::ANON);
        self.push(Node { kind: ValueKind::Anon, op: 0, flags: facts.flags, ty: Ty::STRING, a: number, b: 0, bloom: 0 })
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

    /// Flags, names and kind, for the walk that asks for them of every value.
    #[inline]
    pub(crate) fn open_facts(&self, v: Val) -> (u16, u64, ValueKind) {
        let node = &self.nodes[v.index()];
        (node.flags, node.bloom, node.kind)
    }

    /// The node itself.
    #[inline]
    pub(crate) fn look(&self, v: Val) -> &Node {
        &self.nodes[v.index()]
    }

    pub(crate) fn kind(&self, v: Val) -> ValueKind {
        self.nodes[v.index()].kind
    }

    pub(crate) fn flags(&self, v: Val) -> u16 {
        self.nodes[v.index()].flags
    }

    /// The type; [`Ty::NONE`] for `?` and arguments.
    pub(crate) fn ty(&self, v: Val) -> Ty {
        self.nodes[v.index()].ty
    }

    pub(crate) fn facts(&self, v: Val) -> Facts {
        let node = &self.nodes[v.index()];
        Facts { flags: node.flags, bloom: node.bloom }
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

    /// Where that run is.
    pub(crate) fn range(&self, v: Val) -> std::ops::Range<usize> {
        let node = &self.nodes[v.index()];
        node.a as usize..(node.a + node.b) as usize
    }

    /// A word of a run by its place, as a value.
    #[inline]
    pub(crate) fn pooled(&self, at: usize) -> Val {
        Val(self.pool[at])
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
    pub(crate) fn fixed(&mut self, kind: ValueKind, op: u8, ty: Ty, a: u32, b: u32, facts: Facts) -> Val {
        let hash = finish(mix(head(kind, op, ty), pair(a, b)));
        let nodes = &self.nodes;
        let same = |&(h, v): &(u32, Val)| {
            h == hash && {
                let n = &nodes[v.index()];
                n.kind == kind && n.op == op && n.ty == ty && n.a == a && n.b == b
            }
        };
        if let Some(&(_, found)) = self.table.find(spread(hash), same) {
            return found;
        }
        self.add(Node { kind, op, flags: facts.flags, ty, a, b, bloom: facts.bloom }, hash)
    }

    /// Interns a value with a run; the facts are worked out only if it is new.
    pub(crate) fn with_run(
        &mut self,
        kind: ValueKind,
        op: u8,
        ty: Ty,
        run: &[u32],
        facts: impl FnOnce(&Vals) -> Facts,
    ) -> Val {
        let (pairs, rest) = run.as_chunks::<2>();
        let hash = pairs.iter().fold(head(kind, op, ty), |h, &[a, b]| mix(h, pair(a, b)));
        let hash = finish(rest.iter().fold(hash, |h, &w| mix(h, u64::from(w))));
        let (nodes, pool) = (&self.nodes, &self.pool);
        let same = |&(h, v): &(u32, Val)| {
            h == hash && {
                let n = &nodes[v.index()];
                n.kind == kind
                    && n.op == op
                    && n.ty == ty
                    && pool.get(n.a as usize..n.a as usize + n.b as usize) == Some(run)
            }
        };
        if let Some(&(_, found)) = self.table.find(spread(hash), same) {
            return found;
        }
        let facts = facts(self);
        let a = self.pool.len() as u32;
        self.pool.extend_from_slice(run);
        let b = run.len() as u32;
        self.add(Node { kind, op, flags: facts.flags, ty, a, b, bloom: facts.bloom }, hash)
    }

    fn add(&mut self, node: Node, hash: u32) -> Val {
        let v = self.push(node);
        self.table.insert_unique(spread(hash), (hash, v), |&(h, _)| spread(h));
        v
    }

    fn push(&mut self, node: Node) -> Val {
        let free = u32::from(node.flags & flag::FREE != 0) << 31;
        let open = u32::from(node.flags & flag::CONCRETE == 0) << 30;
        let v = Val(self.nodes.len() as u32 | free | open);
        self.too_deep |= node.flags >> flag::DEPTH_SHIFT == flag::MAX_DEPTH;
        self.nodes.push(node);
        v
    }

    // ---- Looking into values -------------------------------------------------------------------------------------

    pub(crate) fn as_int(&self, v: Val) -> Option<i64> {
        let n = self.node(v);
        (n.kind == ValueKind::Int).then_some((u64::from(n.b) << 32 | u64::from(n.a)) as i64)
    }

    pub(crate) fn as_str(&self, v: Val) -> Option<Sym> {
        let n = self.node(v);
        (n.kind == ValueKind::Str).then_some(Sym(n.a))
    }

    pub(crate) fn is_code(&self, v: Val) -> bool {
        let n = self.node(v);
        n.kind == ValueKind::Str && n.op == 1
    }

    pub(crate) fn as_list(&self, v: Val) -> Option<&[u32]> {
        (self.kind(v) == ValueKind::List).then(|| self.run(v))
    }

    pub(crate) fn as_dag(&self, v: Val) -> Option<&[u32]> {
        (self.kind(v) == ValueKind::Dag).then(|| self.run(v))
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
