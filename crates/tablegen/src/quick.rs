//! Working out a value at once, where all that it needs is known and nothing but the value can come of it.
//!
//! A walk of [`crate::resolve`] makes every step between an expression and its value a value of its own, because it may have to
//! stop anywhere. Most expressions do come to an end: this computes them without these steps. It gives up (`None`) as soon
//! as a name is not known, or an operation does not fold, could say something or looks for records; then the walk
//! does all of it again. So giving up costs time and nothing else, and that time is bounded ([`FUEL`]).
//!
//! What keeps the results equal: the names' values have nothing free in them, so the order of putting in does not
//! matter. The records of `Class<args>` are made in the order in which a walk makes them. A walk makes the records of a loop's body even if the list
//! is empty, so loops with a class in them are left to it; and inside of the arguments of a class, where it counts what else a walk
//! would meet, all loops are.

use crate::applied::Application;
use crate::ctx::Ctx;
use crate::names::Sym;
use crate::ops::{BinOp, TernOp, UnOp};
use crate::record::RecId;
use crate::resolve::Resolver;
use crate::ty::Ty;
use crate::value::{HAS_CLASS, Node, Val, ValueKind, flag};

/// Values that are looked into before the walk has to do it.
const FUEL: u32 = 1 << 12;

/// Nesting of loops.
const LOOPS: usize = 6;

/// Nesting of values.
const DEPTH: u32 = 64;

/// What is known.
pub(crate) struct Known<'a> {
    /// The names of a walk, if there is one.
    outer: Option<&'a Resolver>,
    /// Those of a second one.
    also: Option<&'a Resolver>,
    /// The record that is worked on.
    rec: Option<RecId>,
    /// The names of loops, innermost last.
    bound: [(Sym, Val); LOOPS],
    loops: usize,
    fuel: u32,
    depth: u32,
    in_class: bool,
}

impl<'a> Known<'a> {
    pub(crate) fn new(outer: Option<&'a Resolver>, rec: Option<RecId>) -> Known<'a> {
        Known {
            outer,
            also: None,
            rec,
            bound: [(Sym::NONE, Val::UNSET); LOOPS],
            loops: 0,
            fuel: FUEL,
            depth: DEPTH,
            in_class: false,
        }
    }

    /// The names of another walk are known, too.
    pub(crate) fn and(self, also: &'a Resolver) -> Known<'a> {
        Known { also: Some(also), ..self }
    }

    /// Adds a name; `None` if there are too many.
    pub(crate) fn bind(&mut self, name: Sym, value: Val) -> Option<()> {
        *self.bound.get_mut(self.loops)? = (name, value);
        self.loops += 1;
        Some(())
    }
}

impl Ctx {
    /// The value of an expression, if it can be had at once.
    pub(crate) fn quick(&mut self, v: Val, known: &mut Known) -> Option<Val> {
        let value = self.at_once(v, known);
        self.eval.steps += u64::from(FUEL - known.fuel);
        value
    }

    #[inline]
    fn at_once(&mut self, v: Val, known: &mut Known) -> Option<Val> {
        if v.is_ground() { Some(v) } else { self.open_at_once(v, known) }
    }

    #[inline(never)]
    fn open_at_once(&mut self, v: Val, known: &mut Known) -> Option<Val> {
        let &Node { kind, op, ty, a, b, .. } = self.store.vals.look(v);
        known.fuel = known.fuel.checked_sub(1)?;
        let value = match kind {
            ValueKind::Var => self.known_name(Sym(a), known)?,
            ValueKind::Field => {
                let of = self.at_once(Val(a), known)?;
                let def = self.store.as_def(of).filter(|&def| known.rec != Some(def))?;
                self.store.field(def, Sym(b)).filter(|value| value.is_concrete())?
            }
            ValueKind::BinOp => {
                let op = BinOp::of(op);
                if !is_silent(op) {
                    return None;
                }
                let left = self.at_once(Val(a), known)?;
                if self.store.newest && self.decided(op, left).is_some() {
                    return None;
                }
                let right = self.at_once(Val(b), known)?;
                match self.of_numbers(op, left, right) {
                    Some(value) => value,
                    None => self.try_bin(op, left, right, ty, known.rec)?,
                }
            }
            _ => {
                known.depth = known.depth.checked_sub(1)?;
                let value = self.more_at_once(v, known)?;
                known.depth += 1;
                value
            }
        };
        value.is_ground().then_some(value)
    }

    /// Comparisons of two numbers, and what is done to bits.
    fn of_numbers(&mut self, op: BinOp, left: Val, right: Val) -> Option<Val> {
        let number = |v: Val| match self.store.vals.look(v) {
            node if node.kind == ValueKind::Int => Some((u64::from(node.b) << 32 | u64::from(node.a)) as i64),
            node if node.kind == ValueKind::Bit => Some(i64::from(node.a)),
            _ => None,
        };
        let (x, y) = (number(left)?, number(right)?);
        Some(match op {
            BinOp::Eq => Val::bit(x == y),
            BinOp::Ne => Val::bit(x != y),
            BinOp::And => self.store.int(x & y),
            BinOp::Or => self.store.int(x | y),
            _ => return None,
        })
    }

    #[inline(never)]
    fn more_at_once(&mut self, v: Val, known: &mut Known) -> Option<Val> {
        let &Node { kind, op, ty, a, b, .. } = self.store.vals.look(v);
        match kind {
            ValueKind::UnOp => {
                let op = UnOp::of(op);
                if !matches!(op, UnOp::Not | UnOp::Size | UnOp::Empty) {
                    return None;
                }
                let of = self.at_once(Val(a), known)?;
                self.try_un(op, of, ty, known.rec, false)
            }
            ValueKind::TernOp => self.three_at_once(v, TernOp::of(op), ty, known),
            ValueKind::IsA => {
                let of = self.at_once(Val(b), known)?;
                let test = self.store.is_a_value(Ty(a), of);
                Some(self.store.fold_isa(test)).filter(|&folded| folded != test)
            }
            ValueKind::List => {
                let start = self.each_at_once(v, 0, 1, known)?;
                let element = self.store.element_ty(v);
                Some(self.make_from_scratch(start, |ctx, parts| ctx.list(element, parts)))
            }
            ValueKind::Cond => self.cond_at_once(v, ty, known),
            ValueKind::VarDef => {
                let outside = std::mem::replace(&mut known.in_class, true);
                let start = self.each_at_once(v, 1, 2, known);
                known.in_class = outside;
                let whole = self.make_from_scratch(start?, |ctx, run| ctx.store.var_def_run(ty, run));
                Some(self.instantiate_from(v, whole, DEPTH - known.depth))
            }
            ValueKind::Fold => self.fold_at_once(v, known),
            _ => None,
        }
    }

    /// The value of a name.
    #[inline]
    fn known_name(&mut self, name: Sym, known: &Known) -> Option<Val> {
        let bound = known.bound.get(..known.loops)?.iter().rev().find(|bound| bound.0 == name);
        match bound {
            Some(&(_, value)) => Some(value),
            None => self.set_name(name, known.outer?).or_else(|| self.set_name(name, known.also?)),
        }
    }

    fn three_at_once(&mut self, v: Val, op: TernOp, ty: Ty, known: &mut Known) -> Option<Val> {
        let &[a, b, c] = self.store.vals.run(v) else { return None };
        let (a, b, c) = (Val(a), Val(b), Val(c));
        match op {
            TernOp::If => {
                let condition = self.at_once(a, known).filter(|&now| now != a)?;
                let chosen = if self.store.int_of(condition)? != 0 { b } else { c };
                self.at_once(chosen, known)
            }
            TernOp::Range => {
                let [from, to, step] = [self.at_once(a, known)?, self.at_once(b, known)?, self.at_once(c, known)?];
                self.store.vals.as_int(step).filter(|&step| step != 0)?;
                self.try_tern(op, [from, to, step], ty, known.rec)
            }
            TernOp::Foreach | TernOp::Filter => {
                if known.in_class || self.store.vals.facts(c).bloom & HAS_CLASS != 0 {
                    return None;
                }
                let name = self.store.vals.as_str(a)?;
                let list = self.at_once(b, known)?;
                self.loop_at_once(name, list, c, op == TernOp::Filter, ty, known)
            }
            _ => None,
        }
    }

    fn loop_at_once(
        &mut self,
        name: Sym,
        list: Val,
        body: Val,
        filter: bool,
        ty: Ty,
        known: &mut Known,
    ) -> Option<Val> {
        let count = self.store.vals.as_list(list)?.len();
        let at = known.loops;
        known.bind(name, Val::UNSET)?;
        let start = self.eval.scratch.len();
        // A body with no other name in it gives the same for the same element in every loop.
        let alone = self.store.vals.look(body).bloom == name.bloom() && !body.is_ground();
        for i in 0..count {
            let element = self.store.vals.part(list, i);
            known.bound.get_mut(at)?.1 = element;
            let of_element = match alone {
                true => self.applied_at_once(name, element, body, known),
                false => self.at_once(body, known),
            };
            let kept = match of_element {
                Some(now) if filter => self.store.int_of(now).map(|now| (now != 0).then_some(element)),
                now => now.map(Some),
            };
            match kept {
                Some(kept) => self.eval.scratch.extend(kept.map(|kept| kept.0)),
                None => {
                    self.eval.scratch.truncate(start);
                    return None;
                }
            }
        }
        known.loops = at;
        let element = self.store.types.element(ty);
        self.make_from_scratch(start, |ctx, parts| element.map(|element| ctx.list(element, parts)))
    }

    /// The body of a loop for one element, remembered from loop to loop.
    fn applied_at_once(&mut self, name: Sym, element: Val, body: Val, known: &mut Known) -> Option<Val> {
        let application = Application { body, names: [name, Sym::NONE], values: [element, Val::UNSET] };
        if let Some(result) = self.recall(application) {
            return Some(result);
        }
        let result = self.at_once(body, known)?;
        let is_value = known.rec.is_some_and(|rec| self.store.vals.has_def(rec));
        if result.is_concrete() && !is_value {
            self.remember(application, result);
        }
        Some(result)
    }

    /// All arms count, as in a walk: one that cannot be had at once could say something.
    fn cond_at_once(&mut self, v: Val, ty: Ty, known: &mut Known) -> Option<Val> {
        let start = self.each_at_once(v, 0, 1, known)?;
        let chosen = self.make_from_scratch(start, |ctx, parts| {
            let (conditions, values) = parts.split_at(parts.len() / 2);
            for (&condition, &value) in conditions.iter().zip(values) {
                if ctx.store.int_of(Val(condition))? != 0 {
                    return Some(Val(value));
                }
            }
            None
        });
        self.convert(chosen?, ty)
    }

    fn fold_at_once(&mut self, v: Val, known: &mut Known) -> Option<Val> {
        let [start, list, body] = [0, 1, 4].map(|i| self.store.vals.part(v, i));
        let names = [2, 3].map(|i| Sym(self.store.vals.word(v, i)));
        if known.in_class || self.store.vals.facts(body).bloom & HAS_CLASS != 0 {
            return None;
        }
        let mut value = self.at_once(start, known)?;
        let list = self.at_once(list, known)?;
        let count = self.store.vals.as_list(list)?.len();
        let at = known.loops;
        known.bind(names[0], value)?;
        known.bind(names[1], Val::UNSET)?;
        for i in 0..count {
            known.bound.get_mut(at)?.1 = value;
            known.bound.get_mut(at + 1)?.1 = self.store.vals.part(list, i);
            value = self.at_once(body, known)?;
        }
        known.loops = at;
        Some(value)
    }

    /// The run of a value with the words from `from` in steps of `by` worked out, at the end of the scratch memory from the
    /// place that is returned.
    fn each_at_once(&mut self, v: Val, from: usize, by: usize, known: &mut Known) -> Option<usize> {
        let start = self.copy_to_scratch(v);
        for at in (start + from..self.eval.scratch.len()).step_by(by) {
            match self.at_once(Val(self.eval.scratch[at]), known) {
                Some(now) => self.eval.scratch[at] = now.0,
                None => {
                    self.eval.scratch.truncate(start);
                    return None;
                }
            }
        }
        Some(start)
    }
}

impl Ctx {
    /// Whether nothing but a value can come of an expression, whatever is known of it and when: then it may wait.
    pub(crate) fn may_wait(&mut self, v: Val) -> bool {
        let facts = self.store.vals.facts(v);
        if facts.flags & (flag::FINAL | flag::ANON) != 0 || facts.bloom & HAS_CLASS != 0 {
            return false;
        }
        if let Some(&known) = self.eval.may_wait.get(&v) {
            return known;
        }
        let may = self.is_quiet(v, DEPTH);
        self.eval.may_wait.insert(v, may);
        may
    }

    fn is_quiet(&self, v: Val, depth: u32) -> bool {
        if v.is_ground() {
            return true;
        }
        let Some(depth) = depth.checked_sub(1) else { return false };
        let vals = &self.store.vals;
        let node = vals.look(v);
        let all = |from: usize| vals.run(v).iter().skip(from).all(|&part| self.is_quiet(Val(part), depth));
        match node.kind {
            ValueKind::Var => true,
            ValueKind::Field => self.is_quiet(Val(node.a), depth),
            ValueKind::UnOp => {
                matches!(UnOp::of(node.op), UnOp::Not | UnOp::Size | UnOp::Empty) && self.is_quiet(Val(node.a), depth)
            }
            ValueKind::BinOp => {
                is_silent(BinOp::of(node.op)) && self.is_quiet(Val(node.a), depth) && self.is_quiet(Val(node.b), depth)
            }
            ValueKind::IsA => self.is_quiet(Val(node.b), depth),
            ValueKind::TernOp => match TernOp::of(node.op) {
                TernOp::If | TernOp::Foreach | TernOp::Filter => all(0),
                TernOp::Range => vals.as_int(vals.part(v, 2)).is_some_and(|step| step != 0) && all(0),
                _ => false,
            },
            ValueKind::List => all(0),
            // Where the last condition is true, some condition is.
            ValueKind::Cond => {
                let last = vals.part(v, (node.b as usize / 2).saturating_sub(1));
                (last == Val::TRUE || vals.as_int(last).is_some_and(|i| i != 0)) && all(0)
            }
            ValueKind::Fold => [0, 1, 4].into_iter().all(|i| self.is_quiet(vals.part(v, i), depth)),
            _ => false,
        }
    }
}

/// Whether an operation never says anything, and is folded by its operands alone.
fn is_silent(op: BinOp) -> bool {
    use BinOp::{
        Add, And, Eq, Ge, Gt, Le, ListConcat, ListElem, ListSlice, Lt, Mul, Ne, Or, RangeClosed, Shl, Sra, Srl,
        StrConcat, Sub, Xor,
    };
    matches!(
        op,
        Add | And
            | Eq
            | Ge
            | Gt
            | Le
            | ListConcat
            | ListElem
            | ListSlice
            | Lt
            | Mul
            | Ne
            | Or
            | RangeClosed
            | Shl
            | Sra
            | Srl
            | StrConcat
            | Sub
            | Xor
    )
}
