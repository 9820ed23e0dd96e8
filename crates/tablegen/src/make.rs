//! Making values: every kind has one function here, which also knows what is free and concrete in it.

use isaglot_invariant::Impossible as _;

use crate::ctx::Ctx;
use crate::names::Sym;
use crate::ops::{BinOp, TernOp, UnOp};
use crate::record::RecId;
use crate::store::Store;
use crate::ty::Ty;
use crate::value::{Arg, Facts, Val, Vals, ValueKind, flag};

impl Store {
    pub(crate) fn int(&mut self, i: i64) -> Val {
        self.vals.int(i)
    }

    pub(crate) fn string(&mut self, text: Sym) -> Val {
        self.vals.string(text)
    }

    /// A string that prints as code.
    pub(crate) fn code(&mut self, text: Sym, code: bool) -> Val {
        if !code {
            return self.vals.string(text);
        }
        self.vals.fixed(ValueKind::Str, 1, Ty::STRING, text.0, 0, Facts::GROUND)
    }

    /// A dag from its run: operator, its name, then argument and name by turns.
    pub(crate) fn dag(&mut self, run: &[u32]) -> Val {
        self.vals.with_run(ValueKind::Dag, 0, Ty::DAG, run, |vals| {
            let args = run.get(2..).or_impossible(&[]).chunks(2).map(|pair| Val(pair[0]));
            vals.facts_of(args.chain(run.first().map(|&op| Val(op)))).with(flag::COMPLETE)
        })
    }

    /// The value that is a record.
    pub(crate) fn def_val(&mut self, rec: RecId) -> Val {
        let ty = self.record_ty(rec);
        self.vals.def(rec, ty)
    }

    pub(crate) fn as_def(&self, v: Val) -> Option<RecId> {
        let node = self.vals.node(v);
        (node.kind == ValueKind::Def).then_some(RecId(node.a))
    }

    pub(crate) fn var(&mut self, name: Sym, ty: Ty) -> Val {
        let facts = Facts { flags: flag::VAR | flag::COMPLETE, bloom: name.bloom() };
        self.vals.fixed(ValueKind::Var, 0, ty, name.0, 0, facts)
    }

    pub(crate) fn var_bit(&mut self, of: Val, bit: u32) -> Val {
        let facts = self.vals.facts_op(std::iter::once(of));
        self.vals.fixed(ValueKind::VarBit, 0, Ty::BIT, of.0, bit, facts)
    }

    /// `record.name`, not folded.
    pub(crate) fn field_access(&mut self, record: Val, name: Sym, ty: Ty) -> Val {
        let facts = self.vals.facts_op(std::iter::once(record));
        self.vals.fixed(ValueKind::Field, 0, ty, record.0, name.0, facts)
    }

    /// `Class<args>`, not instantiated.
    pub(crate) fn var_def(&mut self, class: RecId, args: &[Arg]) -> Val {
        let ty = self.types.record(&[class]);
        let mut run = Vec::with_capacity(1 + 2 * args.len());
        run.push(class.0);
        args.iter().for_each(|a| run.extend(a.words()));
        self.var_def_run(ty, &run)
    }

    /// The same from a run: the class, then value and key of each argument.
    pub(crate) fn var_def_run(&mut self, ty: Ty, run: &[u32]) -> Val {
        self.vals.with_run(ValueKind::VarDef, 0, ty, run, |vals| vals.facts_op(Arg::of_run(run).map(|a| a.value)))
    }

    pub(crate) fn un(&mut self, op: UnOp, a: Val, ty: Ty) -> Val {
        let mut facts = self.vals.facts_op(std::iter::once(a));
        if op.waits() {
            facts = facts.with(flag::FINAL);
        }
        self.vals.fixed(ValueKind::UnOp, op as u8, ty, a.0, 0, facts)
    }

    pub(crate) fn bin(&mut self, op: BinOp, a: Val, b: Val, ty: Ty) -> Val {
        let facts = self.vals.facts_op([a, b].into_iter());
        self.vals.fixed(ValueKind::BinOp, op as u8, ty, a.0, b.0, facts)
    }

    pub(crate) fn tern(&mut self, op: TernOp, a: Val, b: Val, c: Val, ty: Ty) -> Val {
        let bound = self.vals.as_str(a).filter(|_| op.binds());
        self.vals.with_run(ValueKind::TernOp, op as u8, ty, &[a.0, b.0, c.0], |vals| match bound {
            Some(name) => {
                let outside = vals.facts_op(std::iter::once(b));
                vals.under(outside, c, &[name])
            }
            None => vals.facts_op([a, b, c].into_iter()),
        })
    }

    pub(crate) fn cond(&mut self, conditions: &[Val], values: &[Val], ty: Ty) -> Val {
        let run: Vec<u32> = conditions.iter().chain(values).map(|v| v.0).collect();
        self.vals.with_run(ValueKind::Cond, 0, ty, &run, |vals| vals.facts_of(run.iter().map(|&v| Val(v))))
    }

    pub(crate) fn foldl(&mut self, start: Val, list: Val, names: (Sym, Sym), body: Val, ty: Ty) -> Val {
        let run = [start.0, list.0, names.0.0, names.1.0, body.0];
        self.vals.with_run(ValueKind::Fold, 0, ty, &run, |vals| {
            let outside = vals.facts_op([start, list].into_iter());
            let all = vals.under(outside, body, &[names.0, names.1]);
            Facts { flags: all.flags & !flag::COMPLETE, bloom: all.bloom }
        })
    }

    pub(crate) fn is_a_value(&mut self, ty: Ty, of: Val) -> Val {
        let facts = self.vals.facts_op(std::iter::once(of));
        let facts = Facts { flags: facts.flags & !flag::COMPLETE, bloom: facts.bloom };
        self.vals.fixed(ValueKind::IsA, 0, Ty::INT, ty.0, of.0, facts)
    }

    pub(crate) fn exists(&mut self, ty: Ty, name: Val) -> Val {
        let facts = self.vals.facts_op(std::iter::once(name)).with(flag::FINAL);
        let facts = Facts { flags: facts.flags & !flag::COMPLETE, bloom: facts.bloom };
        self.vals.fixed(ValueKind::Exists, 0, Ty::INT, ty.0, name.0, facts)
    }

    /// The text of the name of an unnamed record.
    pub(crate) fn anonymous_text(&mut self, v: Val) -> Option<Sym> {
        let node = self.vals.node(v);
        if node.kind != ValueKind::Anon {
            return None;
        }
        let at = node.a as usize;
        if let Some(&text) = self.anonymous_texts.get(at)
            && text != Sym::NONE
        {
            return Some(text);
        }
        self.anonymous_text.truncate(b"anonymous_".len());
        crate::text::write_number(i64::from(node.a), &mut self.anonymous_text);
        let text = self.names.intern(&self.anonymous_text);
        if self.anonymous_texts.len() <= at {
            self.anonymous_texts.resize((at + 1).max(2 * self.anonymous_texts.len()), Sym::NONE);
        }
        self.anonymous_texts[at] = text;
        Some(text)
    }
}

impl Ctx {
    pub(crate) fn string_of(&mut self, text: &[u8]) -> Val {
        if text.len() > self.max_string() {
            self.too_much("strings");
            return self.store.string(Sym::EMPTY);
        }
        let sym = self.store.names.intern(text);
        self.store.string(sym)
    }

    pub(crate) fn list(&mut self, element: Ty, parts: &[u32]) -> Val {
        let ty = self.store.types.list(element);
        self.list_of(ty, parts)
    }

    /// A list of that type, which is the whole list's.
    pub(crate) fn list_of(&mut self, ty: Ty, parts: &[u32]) -> Val {
        if parts.len() > self.max_list() {
            self.too_much("lists");
            return self.list_of(ty, &[]);
        }
        self.store.vals.with_run(ValueKind::List, 0, ty, parts, |vals| vals.facts_of(parts.iter().map(|&p| Val(p))))
    }
}

impl Vals {
    /// Facts of an operation that binds names in `body`. Whether anything else is free in the body is exact, because it
    /// decides when `Class<args>` is instantiated; the set of names stays an upper bound.
    fn under(&self, outside: Facts, body: Val, bound: &[Sym]) -> Facts {
        let inside = self.facts(body);
        let depth =
            (outside.flags >> flag::DEPTH_SHIFT).max((inside.flags >> flag::DEPTH_SHIFT) + 1).min(flag::MAX_DEPTH);
        let low = (1 << flag::DEPTH_SHIFT) - 1;
        let mut flags = outside.flags & low | inside.flags & (flag::FREE & !flag::VAR) | depth << flag::DEPTH_SHIFT;
        let names = bound.iter().fold(0, |b, n| b | n.bloom());
        let free = inside.flags & flag::VAR != 0
            && (inside.bloom & !names != 0 || self.has_other(body, &mut bound.to_vec(), &mut 0));
        if free {
            flags |= flag::VAR;
        }
        let bloom = outside.bloom | if free { inside.bloom } else { 0 };
        Facts { flags, bloom }
    }

    /// Whether a variable other than these is free in a value. Gives up, saying yes, on very large values.
    fn has_other(&self, v: Val, bound: &mut Vec<Sym>, steps: &mut u32) -> bool {
        const MAX_LOOK: u32 = 100_000;
        if self.flags(v) & flag::VAR == 0 {
            return false;
        }
        *steps += 1;
        if *steps > MAX_LOOK {
            return true;
        }
        let node = self.node(v);
        match node.kind {
            ValueKind::Var => !bound.contains(&Sym(node.a)),
            ValueKind::VarBit | ValueKind::Field | ValueKind::UnOp => self.has_other(Val(node.a), bound, steps),
            ValueKind::BinOp => self.has_other(Val(node.a), bound, steps) || self.has_other(Val(node.b), bound, steps),
            ValueKind::IsA | ValueKind::Exists => self.has_other(Val(node.b), bound, steps),
            ValueKind::TernOp => {
                let [a, b, c] = [0, 1, 2].map(|i| self.part(v, i));
                let name = self.as_str(a).filter(|_| TernOp::of(node.op).binds());
                if self.has_other(a, bound, steps) || self.has_other(b, bound, steps) {
                    return true;
                }
                let mark = bound.len();
                bound.extend(name);
                let found = self.has_other(c, bound, steps);
                bound.truncate(mark);
                found
            }
            ValueKind::Fold => {
                if self.has_other(self.part(v, 0), bound, steps) || self.has_other(self.part(v, 1), bound, steps) {
                    return true;
                }
                let mark = bound.len();
                bound.extend([Sym(self.word(v, 2)), Sym(self.word(v, 3))]);
                let found = self.has_other(self.part(v, 4), bound, steps);
                bound.truncate(mark);
                found
            }
            ValueKind::VarDef => (1..node.b as usize).step_by(2).any(|i| self.has_other(self.part(v, i), bound, steps)),
            ValueKind::Dag => (0..node.b as usize).step_by(2).any(|i| self.has_other(self.part(v, i), bound, steps)),
            ValueKind::Bits | ValueKind::List | ValueKind::Cond => {
                (0..node.b as usize).any(|i| self.has_other(self.part(v, i), bound, steps))
            }
            _ => false,
        }
    }
}
