//! Putting values in for variables.
//!
//! There are three uses: template arguments and iterators (a list of names and values), the final resolution of a
//! record (its own fields are the names), and the question whether a value mentions a name. They share one walk.
//!
//! A walk stops at once where nothing it could change is below (see [`crate::value`]), and visits a shared value once:
//! results are remembered under the number of the walk. Both are exact: a value is skipped only if no variable of it is
//! among the names, and then nothing in it could be folded or instantiated.
//!
//! Example, for `class C<int n> { int a = !add(n, b); int b = 2; }` and `def D : C<3>`:
//!
//! 1. The superclass: `n` is 3. The walk through `!add(n, b)` gives `!add(3, b)`; `b` is not among the names and stays.
//! 2. The end of `D`: its own fields are the names. `b` is 2, so `!add(3, 2)` is folded and `a` is 5.
//! 3. Had `b` been `bits<2> b = ?`, a bit `b{1}` within another `bits` would stay the reference `b{1}`, not become `?`:
//!    this is how an encoding says which of its bits belong to which operand.
//!
//! `Class<args>` is instantiated as soon as its arguments, after the walk, met no variable that stays free. This is
//! not the same as "have no free variable": an arm of a `!cond` that is then not chosen still counts, and the order of
//! instantiation is the numbering of anonymous records. So the walk reports what it met ([`Resolver::met_free`]).

use isaglot_invariant::Impossible as _;

use crate::ctx::Ctx;
use crate::names::Sym;
use crate::ops::{BinOp, TernOp, UnOp};
use crate::record::RecId;
use crate::store::Store;
use crate::ty::Ty;
use crate::value::{Node, Val, ValueKind, flag};

/// A name and what is put in for it.
#[derive(Debug)]
struct Substitution {
    name: Sym,
    value: Val,
    /// Other entries were put into the value already.
    settled: bool,
    /// Taken out while its own value is worked on, against endless recursion.
    away: bool,
}

/// One substitution.
#[derive(Debug)]
pub(crate) struct Resolver {
    rec: Option<RecId>,
    /// Fields of `rec` are the names, and unset bits stay references.
    pub(crate) own_fields: bool,
    last: bool,
    /// What must be looked at again though no variable of it is put in.
    late: u16,
    entries: Vec<Substitution>,
    /// For each place of the set `mask`, the entry whose name is there; said of none that two names share.
    place: [u8; 64],
    /// The places that two names share.
    shared: u64,
    present: usize,
    /// Holds at least all names that can be put in.
    mask: u64,
    /// Names bound by enclosing `!foreach` and the like.
    shadows: Vec<Sym>,
    shadow_mask: u64,
    generation: u32,
    /// A variable was met that stays free.
    met_free: bool,
    /// Of shadowed variables that were met, the outermost binder.
    met_shadow: usize,
    away: u32,
    /// Times that a field was met while it was worked on.
    blocked: u32,
    /// Fields of the record by their places, as far as they were resolved; [`Val::MISSING`] are not.
    settled_fields: Vec<Val>,
    working_on: Vec<Sym>,
    new_name: Option<Val>,
    /// The name of the record before its resolution.
    pub(crate) own_name: Val,
    /// The name that is looked for.
    wanted: Sym,
    found: bool,
    /// The class whose arguments these are, for provenance.
    pub(crate) by: Sym,
}

impl Resolver {
    /// Puts in what [`Resolver::set`] says.
    pub(crate) fn map(rec: Option<RecId>) -> Resolver {
        Resolver {
            rec,
            own_fields: false,
            last: false,
            late: 0,
            entries: Vec::new(),
            place: [0; 64],
            shared: 0,
            present: 0,
            mask: 0,
            shadows: Vec::new(),
            shadow_mask: 0,
            generation: 0,
            met_free: false,
            met_shadow: usize::MAX,
            away: 0,
            blocked: 0,
            settled_fields: Vec::new(),
            working_on: Vec::new(),
            new_name: None,
            own_name: Val::UNSET,
            wanted: Sym::NONE,
            found: false,
            by: Sym::NONE,
        }
    }

    /// Makes this a new resolver, in the same memory.
    fn renew(&mut self, rec: Option<RecId>) {
        self.entries.clear();
        self.shadows.clear();
        self.settled_fields.clear();
        self.working_on.clear();
        self.rec = rec;
        (self.own_fields, self.last, self.late) = (false, false, 0);
        (self.present, self.shared) = (0, 0);
        (self.mask, self.shadow_mask) = (0, 0);
        (self.met_free, self.met_shadow) = (false, usize::MAX);
        (self.away, self.blocked) = (0, 0);
        (self.new_name, self.own_name) = (None, Val::UNSET);
        (self.wanted, self.found, self.by) = (Sym::NONE, false, Sym::NONE);
    }

    /// Puts in nothing, but folds what only folds at the end.
    pub(crate) fn finish() -> Resolver {
        Resolver { last: true, late: LATE, ..Resolver::map(None) }
    }

    /// The same for what is put in here.
    pub(crate) fn make_last(&mut self) {
        self.last = true;
        self.late = LATE;
    }

    /// Replaces `name` by `value`; a name set twice has the second value.
    pub(crate) fn set(&mut self, name: Sym, value: Val) {
        let entry = Substitution { name, value, settled: false, away: false };
        let bloom = name.bloom();
        let may_be_there = self.mask & bloom != 0;
        match self.entries.iter_mut().find(|e| may_be_there && e.name == name) {
            Some(old) => *old = entry,
            None => {
                match u8::try_from(self.entries.len()) {
                    Ok(at) if !may_be_there => self.place[bloom.trailing_zeros() as usize] = at,
                    _ => self.shared |= bloom,
                }
                self.entries.push(entry);
                self.present += 1;
                self.mask |= bloom;
            }
        }
    }

    /// Where a name's entry is.
    #[inline]
    fn position(&self, name: Sym) -> Option<usize> {
        let bloom = name.bloom();
        if self.mask & bloom == 0 {
            return None;
        }
        if self.shared & bloom != 0 {
            return self.entries.iter().position(|e| e.name == name);
        }
        let at = usize::from(self.place[bloom.trailing_zeros() as usize]);
        self.entries.get(at).filter(|e| e.name == name).map(|_| at)
    }

    /// Whether a value of these facts can be left alone.
    fn skips(&self, flags: u16, bloom: u64) -> bool {
        flags & (flag::VAR | flag::ANON | self.late) == 0
            || (flags & self.late == 0 && bloom & (self.mask | self.shadow_mask) == 0)
    }

    fn meet(&mut self, flags: u16) {
        self.met_free |= flags & (flag::VAR | flag::ANON) != 0;
    }
}

/// What only folds at the end.
const LATE: u16 = flag::FINAL | flag::ANON;

/// The last number of a walk that fits into the memory of results.
const MAX_GENERATION: u32 = u32::MAX >> 1;

/// What of a walk an inner walk must not disturb.
struct Met(bool, usize);

impl Store {
    /// Whether a variable is free in a value.
    pub(crate) fn has_free(&self, v: Val) -> bool {
        self.vals.flags(v) & (flag::VAR | flag::ANON) != 0
    }
}

impl Ctx {
    /// What `!and` and `!or` are whatever their right side is, which then is not looked at (LLVM 22): 0 and -1, as `int`.
    fn decided(&mut self, op: BinOp, left: Val) -> Option<Val> {
        let decides = match op {
            BinOp::And => 0,
            BinOp::Or => -1,
            _ => return None,
        };
        let number = self.convert(left, Ty::INT)?;
        (self.store.vals.as_int(number) == Some(decides)).then_some(number)
    }

    /// A resolver that puts in what [`Resolver::set`] says.
    pub(crate) fn resolver(&mut self, rec: Option<RecId>) -> Box<Resolver> {
        match self.eval.idle.pop() {
            Some(mut old) => {
                old.renew(rec);
                old
            }
            None => Box::new(Resolver::map(rec)),
        }
    }

    /// The resolver of the final resolution of a record.
    pub(crate) fn own_fields(&mut self, rec: RecId, new_name: Option<Val>) -> Box<Resolver> {
        let mut r = self.resolver(Some(rec));
        r.own_fields = true;
        r.make_last();
        r.new_name = new_name;
        r.mask = u64::MAX;
        r
    }

    /// Takes back a resolver that is not needed any more.
    pub(crate) fn retire(&mut self, resolver: Box<Resolver>) {
        self.eval.idle.push(resolver);
    }

    /// Starts a walk and resolves one value.
    pub(crate) fn run(&mut self, v: Val, r: &mut Resolver) -> Val {
        self.begin(r);
        self.resolve(v, r)
    }

    /// Gives a resolver its number.
    pub(crate) fn begin(&mut self, r: &mut Resolver) {
        if self.eval.generation >= MAX_GENERATION {
            self.eval.memo.clear();
            self.eval.generation = 0;
        }
        self.eval.generation += 1;
        r.generation = self.eval.generation;
    }

    /// Whether a value mentions a variable of that name.
    pub(crate) fn mentions(&mut self, v: Val, name: Sym) -> bool {
        let mut r = Resolver::map(None);
        r.wanted = name;
        r.mask = name.bloom();
        self.run(v, &mut r);
        r.found
    }

    /// Resolves a value under a resolver that has begun.
    #[inline]
    pub(crate) fn resolve(&mut self, v: Val, r: &mut Resolver) -> Val {
        if v.is_ground() {
            return v;
        }
        let (flags, bloom, kind) = self.store.vals.open_facts(v);
        if r.skips(flags, bloom) {
            r.meet(flags);
            return v;
        }
        self.resolve_open(v, kind, bloom, r)
    }

    /// Resolves a value with something free in it that may be put in.
    fn resolve_open(&mut self, v: Val, kind: ValueKind, bloom: u64, r: &mut Resolver) -> Val {
        if !self.step() {
            return v;
        }
        match kind {
            ValueKind::Var => return self.resolve_var(v, r),
            ValueKind::Anon => return self.resolve_anonymous(v, r),
            // Of one part: that part is remembered, if it has several.
            ValueKind::Field | ValueKind::UnOp | ValueKind::VarBit => return self.resolve_parts(v, r),
            _ => {}
        }
        if r.away > 0 || bloom & r.shadow_mask != 0 {
            return self.resolve_parts(v, r);
        }
        if let Some(&(stamp, result)) = self.eval.memo.get(v.index())
            && stamp >> 1 == r.generation
        {
            r.met_free |= stamp & 1 == 1;
            return result;
        }
        let blocked = r.blocked;
        let (result, free) = self.resolve_deeper(v, r);
        if blocked == r.blocked {
            match self.eval.memo.get_mut(v.index()) {
                Some(slot) => *slot = (r.generation << 1 | u32::from(free), result),
                None => self.grow_memo(v, (r.generation << 1 | u32::from(free), result)),
            }
        }
        result
    }

    #[cold]
    fn grow_memo(&mut self, v: Val, first: (u32, Val)) {
        let len = self.store.vals.len() + self.store.vals.len() / 2;
        self.eval.memo.resize(len.max(v.index() + 1), (0, Val::UNSET));
        self.eval.memo[v.index()] = first;
    }

    /// Resolves the parts of a value; says also whether anything free was met in it.
    #[inline]
    fn resolve_deeper(&mut self, v: Val, r: &mut Resolver) -> (Val, bool) {
        let outside = std::mem::replace(&mut r.met_free, false);
        let result = self.resolve_parts(v, r);
        let free = r.met_free;
        r.met_free |= outside;
        (result, free)
    }

    #[cold]
    fn too_deep(&mut self) {
        self.too_much("computations within computations");
    }

    #[inline(never)]
    fn resolve_var(&mut self, v: Val, r: &mut Resolver) -> Val {
        let name = Sym(self.store.vals.node(v).a);
        if r.shadow_mask & name.bloom() != 0
            && let Some(at) = r.shadows.iter().rposition(|&s| s == name)
        {
            r.met_shadow = r.met_shadow.min(at);
            return v;
        }
        let value = if r.own_fields { self.own_field(name, r) } else { self.entry(name, r) };
        match value {
            Some(value) => {
                r.meet(self.store.vals.flags(value));
                value
            }
            None => {
                r.found |= name == r.wanted;
                r.met_free = true;
                v
            }
        }
    }

    /// Runs a walk within a walk: what it meets is its own affair, and it is not under the binders of this one.
    #[inline(never)]
    fn apart(&mut self, value: Val, r: &mut Resolver) -> Val {
        let met = Met(r.met_free, r.met_shadow);
        let shadows = std::mem::take(&mut r.shadows);
        let shadow_mask = std::mem::take(&mut r.shadow_mask);
        let value = self.resolve(value, r);
        r.shadows = shadows;
        r.shadow_mask = shadow_mask;
        Met(r.met_free, r.met_shadow) = met;
        value
    }

    fn entry(&mut self, name: Sym, r: &mut Resolver) -> Option<Val> {
        let at = r.position(name).filter(|&at| !r.entries[at].away)?;
        let mut value = r.entries[at].value;
        if !r.entries[at].settled && r.present > 1 {
            if !self.leaves(value, r) {
                r.entries[at].away = true;
                r.present -= 1;
                r.away += 1;
                value = self.apart(value, r);
                r.away -= 1;
                r.present += 1;
                let entry = &mut r.entries[at];
                entry.away = false;
                entry.value = value;
            }
            r.entries[at].settled = true;
        }
        Some(value)
    }

    fn own_field(&mut self, name: Sym, r: &mut Resolver) -> Option<Val> {
        let rec = r.rec?;
        let shape = self.store.rec(rec).shape;
        let at = self.store.shapes.find(shape, name)?;
        if let Some(&value) = r.settled_fields.get(at)
            && value != Val::MISSING
        {
            return Some(value);
        }
        if r.working_on.contains(&name) {
            r.blocked += 1;
            return None;
        }
        let value = self.store.rec(rec).values.get(at).copied().filter(|&v| v != Val::UNSET)?;
        r.working_on.push(name);
        let value = self.apart(value, r);
        r.working_on.pop();
        if r.settled_fields.len() <= at {
            r.settled_fields.resize(at + 1, Val::MISSING);
        }
        r.settled_fields[at] = value;
        Some(value)
    }

    #[inline(never)]
    fn resolve_anonymous(&mut self, v: Val, r: &mut Resolver) -> Val {
        let name = match r.new_name.filter(|_| r.own_fields && r.own_name == v) {
            Some(name) => name,
            None => {
                r.met_free = true;
                v
            }
        };
        if !r.last {
            return name;
        }
        match self.store.anonymous_text(name) {
            Some(text) => self.store.string(text),
            None => name,
        }
    }

    /// Resolves the parts of a value, if that is not too deep, and folds it if one changed.
    #[inline(never)]
    fn resolve_parts(&mut self, v: Val, r: &mut Resolver) -> Val {
        if self.eval.depth >= self.eval.bounds.eval_depth {
            self.too_deep();
            r.met_free = true;
            return v;
        }
        self.eval.depth += 1;
        let result = self.resolve_kind(v, r);
        self.eval.depth -= 1;
        result
    }

    #[inline(always)]
    fn resolve_kind(&mut self, v: Val, r: &mut Resolver) -> Val {
        let node = self.store.vals.look(v);
        let (a, b) = (Val(node.a), Val(node.b));
        let node = Node { bloom: 0, ..*node };
        match node.kind {
            ValueKind::Bits => self.resolve_bits(v, r),
            ValueKind::List => match self.resolve_run(v, 0, 1, r) {
                Some(start) => self.make_from_scratch(start, |ctx, parts| ctx.list_of(node.ty, parts)),
                None => v,
            },
            ValueKind::Dag => self.resolve_dag(v, r),
            ValueKind::VarBit => match self.resolve(a, r) {
                same if same == a => v,
                other => self.store.bit_of(other, node.b),
            },
            ValueKind::Field => match self.resolve(a, r) {
                same if same == a => v,
                other => {
                    if let Some(folded) = self.try_field(other, Sym(node.b), r.rec) {
                        return folded;
                    }
                    let ty = self.store.type_of_field(other, Sym(node.b)).unwrap_or(node.ty);
                    self.store.field_access(other, Sym(node.b), ty)
                }
            },
            ValueKind::VarDef => self.resolve_var_def(v, r),
            ValueKind::UnOp => {
                let new = self.resolve(a, r);
                let op = UnOp::of(node.op);
                let again = r.last && op.waits();
                if new == a && !again {
                    return v;
                }
                self.make_un(op, new, node.ty, r.rec, r.last)
            }
            ValueKind::BinOp => {
                let x = self.resolve(a, r);
                if self.store.newest
                    && let Some(folded) = self.decided(BinOp::of(node.op), x)
                {
                    return folded;
                }
                let y = self.resolve(b, r);
                if (x, y) == (a, b) {
                    return v;
                }
                self.make_bin(BinOp::of(node.op), x, y, node.ty, r.rec)
            }
            ValueKind::TernOp => self.resolve_tern(v, node, r),
            ValueKind::Cond => match self.resolve_run(v, 0, 1, r) {
                Some(start) => {
                    let parts: Vec<Val> = self.eval.scratch.drain(start..).map(Val).collect();
                    let (conditions, values) = parts.split_at(parts.len() / 2);
                    let new = self.store.cond(conditions, values, node.ty);
                    self.fold_cond(new, r.rec)
                }
                None => v,
            },
            ValueKind::Fold => self.resolve_foldl(v, r),
            ValueKind::IsA => match self.resolve(b, r) {
                same if same == b => v,
                other => {
                    let new = self.store.is_a_value(Ty(node.a), other);
                    self.store.fold_isa(new)
                }
            },
            ValueKind::Exists => {
                let new = self.resolve(b, r);
                if new == b && !r.last {
                    return v;
                }
                let new = self.store.exists(Ty(node.a), new);
                self.store.fold_exists(new, r.rec, r.last)
            }
            _ => v,
        }
    }

    /// Resolves the words of a run from `from` in steps of `by`; `None` if nothing changed, otherwise where the new run
    /// begins in the scratch memory, of which it is the end.
    #[inline(never)]
    fn resolve_run(&mut self, v: Val, from: usize, by: usize, r: &mut Resolver) -> Option<usize> {
        let run = self.store.vals.range(v);
        let (start_of_run, len) = (run.start, run.len());
        let mut changed = None;
        for i in (from..len).step_by(by) {
            let old = self.store.vals.pooled(start_of_run + i);
            let new = self.resolve(old, r);
            if new != old {
                let start = *changed.get_or_insert_with(|| self.copy_to_scratch(v));
                self.eval.scratch[start + i] = new.0;
            }
        }
        changed
    }

    /// Copies the run of a value to the end of the scratch memory.
    pub(crate) fn copy_to_scratch(&mut self, v: Val) -> usize {
        let start = self.eval.scratch.len();
        self.eval.scratch.extend_from_slice(self.store.vals.run(v));
        start
    }

    /// Makes a value of the end of the scratch memory, and frees that.
    pub(crate) fn make_from_scratch<T>(&mut self, start: usize, make: impl FnOnce(&mut Ctx, &[u32]) -> T) -> T {
        let mut scratch = std::mem::take(&mut self.eval.scratch);
        let value = make(self, scratch.get(start..).or_impossible(&[]));
        scratch.truncate(start);
        self.eval.scratch = scratch;
        value
    }

    #[inline(never)]
    fn resolve_dag(&mut self, v: Val, r: &mut Resolver) -> Val {
        let args = self.resolve_run(v, 2, 2, r);
        let old = self.store.vals.part(v, 0);
        let op = self.resolve(old, r);
        if op == old && args.is_none() {
            return v;
        }
        let start = args.unwrap_or_else(|| self.copy_to_scratch(v));
        self.eval.scratch[start] = op.0;
        self.make_from_scratch(start, |ctx, run| ctx.store.dag(run))
    }

    #[inline(never)]
    fn resolve_var_def(&mut self, v: Val, r: &mut Resolver) -> Val {
        let outside = Met(r.met_free, r.met_shadow);
        r.met_free = false;
        r.met_shadow = usize::MAX;
        let binders = r.shadows.len();
        let changed = self.resolve_run(v, 1, 2, r);
        let free = r.met_free || r.met_shadow < binders;
        r.met_free |= outside.0;
        r.met_shadow = r.met_shadow.min(outside.1);
        let Some(start) = changed else { return v };
        let ty = self.store.vals.ty(v);
        let new = self.make_from_scratch(start, |ctx, run| ctx.store.var_def_run(ty, run));
        if let Some(&loc) = self.store.written_at.get(&v) {
            self.store.written_at.entry(new).or_insert(loc);
        }
        if free { new } else { self.instantiate(new) }
    }

    #[inline(never)]
    fn resolve_tern(&mut self, v: Val, node: Node, r: &mut Resolver) -> Val {
        let op = TernOp::of(node.op);
        let &[a, b, c] = self.store.vals.run(v) else { return v };
        let (a, b, c) = (Val(a), Val(b), Val(c));
        let x = self.resolve(a, r);
        if op == TernOp::If
            && x != a
            && let Some(condition) = self.store.int_of(x)
        {
            return self.resolve(if condition != 0 { b } else { c }, r);
        }
        let y = self.resolve(b, r);
        let z = match self.store.vals.as_str(x).filter(|_| op.binds()) {
            Some(name) => self.under(&[name], c, r),
            None => self.resolve(c, r),
        };
        if (x, y, z) == (a, b, c) {
            return v;
        }
        self.make_tern(op, x, y, z, node.ty, r.rec)
    }

    #[inline(never)]
    fn resolve_foldl(&mut self, v: Val, r: &mut Resolver) -> Val {
        let [start, list, body] = [0, 1, 4].map(|i| self.store.vals.part(v, i));
        let names = (Sym(self.store.vals.word(v, 2)), Sym(self.store.vals.word(v, 3)));
        let (x, y) = (self.resolve(start, r), self.resolve(list, r));
        let z = self.under(&[names.0, names.1], body, r);
        if (x, y, z) == (start, list, body) {
            return v;
        }
        let ty = self.store.vals.ty(v);
        let new = self.store.foldl(x, y, names, z, ty);
        self.fold_foldl(new, r.rec)
    }

    /// Resolves under a binder of these names.
    fn under(&mut self, names: &[Sym], body: Val, r: &mut Resolver) -> Val {
        let depth = r.shadows.len();
        let mask = r.shadow_mask;
        for &name in names {
            r.shadows.push(name);
            r.shadow_mask |= name.bloom();
        }
        let new = self.resolve(body, r);
        r.shadows.truncate(depth);
        r.shadow_mask = mask;
        new
    }

    /// Whether a walk leaves a value alone, for callers with many values.
    pub(crate) fn leaves(&self, v: Val, r: &Resolver) -> bool {
        if v.is_ground() {
            return true;
        }
        let facts = self.store.vals.facts(v);
        r.skips(facts.flags, facts.bloom)
    }
}
