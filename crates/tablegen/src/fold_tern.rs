//! Folding operators of three operands, `!cond`, `!foldl`, `!isa`, `!exists` and field access.

use crate::applied::Application;
use crate::ctx::Ctx;
use crate::names::Sym;
use crate::ops::TernOp;
use crate::record::RecId;
use crate::store::Store;
use crate::ty::Ty;
use crate::value::{Val, ValueKind, dag_op};

impl Store {
    fn fold_dag(&mut self, op: Val, children: Val, names: Val) -> Option<Val> {
        if children == Val::UNSET && names == Val::UNSET {
            return None;
        }
        let part = |list: Val| match list {
            Val::UNSET => Some(None),
            list => self.vals.as_list(list).map(Some),
        };
        let (nodes, labels) = (part(children)?, part(names)?);
        let size = match (nodes, labels) {
            (Some(n), Some(l)) if n.len() != l.len() => return None,
            (Some(n), _) => n.len(),
            (None, l) => l.map_or(0, <[u32]>::len),
        };
        let mut run = vec![op.0, Sym::NONE.0];
        for i in 0..size {
            run.push(nodes.map_or(Val::UNSET.0, |n| n[i]));
            let label = labels.map_or(Val::UNSET, |l| Val(l[i]));
            match self.vals.as_str(label) {
                Some(name) => run.push(name.0),
                None if label == Val::UNSET => run.push(Sym::NONE.0),
                None => return None,
            }
        }
        Some(self.dag(&run))
    }

    pub(crate) fn fold_isa(&mut self, v: Val) -> Val {
        let node = self.vals.node(v);
        let (ty, of) = (Ty(node.a), Val(node.b));
        let of_ty = self.vals.ty(of);
        if of_ty == Ty::NONE {
            return v;
        }
        if self.convertible(of_ty, ty) {
            return self.int(1);
        }
        if !ty.is_record() || self.as_def(of).is_some() || !self.convertible(ty, of_ty) {
            return self.int(0);
        }
        v
    }

    pub(crate) fn fold_exists(&mut self, v: Val, rec: Option<RecId>, last: bool) -> Val {
        let node = self.vals.node(v);
        let ty = Ty(node.a);
        let Some(name) = self.vals.as_str(Val(node.b)) else { return v };
        let own = rec.filter(|&r| self.is_name_of(name, r));
        let found = match (self.def(name), own) {
            (Some(def), _) => def,
            (None, Some(own)) if last => own,
            (None, None) if last => return self.int(0),
            _ => return v,
        };
        let found_ty = self.record_ty(found);
        let is = self.is_a(found_ty, ty);
        self.int(i64::from(is))
    }
}

impl Ctx {
    /// Folds an operation of three operands as far as it goes now.
    pub(crate) fn fold_tern(&mut self, v: Val, rec: Option<RecId>) -> Val {
        let node = self.store.vals.node(v);
        let [a, b, c] = [0, 1, 2].map(|i| self.store.vals.part(v, i));
        self.try_tern(TernOp::of(node.op), [a, b, c], node.ty, rec).unwrap_or(v)
    }

    /// An operation of three operands, folded if it can be; then the operation itself never becomes a value.
    pub(crate) fn make_tern(&mut self, op: TernOp, a: Val, b: Val, c: Val, ty: Ty, rec: Option<RecId>) -> Val {
        match self.try_tern(op, [a, b, c], ty, rec) {
            Some(folded) => folded,
            None => self.store.tern(op, a, b, c, ty),
        }
    }

    fn try_tern(&mut self, op: TernOp, [a, b, c]: [Val; 3], ty: Ty, rec: Option<RecId>) -> Option<Val> {
        match op {
            TernOp::If => self.store.int_of(a).map(|i| if i != 0 { b } else { c }),
            TernOp::Subst => self.fold_subst(a, b, c, ty),
            TernOp::Foreach => self.fold_foreach(a, b, c, ty, rec),
            TernOp::Filter => self.fold_filter(a, b, c, ty, rec),
            TernOp::Sort => self.fold_sort(a, b, c, ty, rec),
            TernOp::Dag => self.store.fold_dag(a, b, c),
            TernOp::Range => self.fold_range(a, b, c, rec),
            TernOp::Substr => self.fold_substr(a, b, c, rec),
            TernOp::Find => self.fold_find(a, b, c, rec),
            TernOp::SetDagArg | TernOp::SetDagName => self.fold_set_dag(op, a, b, c, rec),
        }
    }

    fn fold_subst(&mut self, a: Val, b: Val, c: Val, ty: Ty) -> Option<Val> {
        let nodes = [a, b, c].map(|v| self.store.vals.look(v));
        let kind = nodes[0].kind;
        if nodes.iter().any(|node| node.kind != kind) {
            return None;
        }
        let [from, to, whole] = nodes.map(|node| Sym(node.a));
        match kind {
            ValueKind::Str => {}
            ValueKind::Def => return Some(if a == c { b } else { c }),
            ValueKind::Var => return Some(self.store.var(if from == whole { to } else { whole }, ty)),
            _ => return None,
        }
        let (from, to, text) = (self.store.names.get(from), self.store.names.get(to), self.store.names.get(whole));
        if from.is_empty() {
            // llvm-tblgen inserts for ever; there is no answer.
            self.fatal(crate::loc::Loc::NONE, "tblgen-subst", b"!subst of an empty string has no end");
            return None;
        }
        let Some(mut found) = find(text, from) else { return Some(self.store.string(whole)) };
        let mut result = Vec::with_capacity(text.len() + to.len());
        let mut at = 0;
        loop {
            result.extend_from_slice(&text[at..found]);
            result.extend_from_slice(to);
            at = found + from.len();
            if result.len() > self.max_string() {
                self.too_much("strings");
                return None;
            }
            match find(&text[at..], from) {
                Some(next) => found = at + next,
                None => break,
            }
        }
        result.extend_from_slice(&text[at..]);
        Some(self.string_of(&result))
    }

    /// A value with one element put in.
    pub(crate) fn apply(&mut self, name: Sym, item: Val, body: Val, rec: Option<RecId>) -> Val {
        self.apply_all(Application { body, names: [name, Sym::NONE], values: [item, Val::UNSET] }, rec)
    }

    fn fold_foreach(&mut self, a: Val, b: Val, c: Val, ty: Ty, rec: Option<RecId>) -> Option<Val> {
        let name = self.store.vals.as_str(a)?;
        if self.store.is_kind(b, ValueKind::Dag) {
            return Some(self.foreach_dag(name, b, c, rec));
        }
        let count = self.store.vals.as_list(b)?.len();
        let start = self.eval.scratch.len();
        for i in 0..count {
            let part = self.store.vals.part(b, i);
            let result = self.apply(name, part, c, rec);
            self.eval.scratch.push(result.0);
            if self.eval.stopped {
                self.eval.scratch.truncate(start);
                return None;
            }
        }
        self.make_from_scratch(start, |ctx, parts| ty.is_list().then(|| ctx.list_of(ty, parts)))
    }

    fn foreach_dag(&mut self, name: Sym, dag: Val, body: Val, rec: Option<RecId>) -> Val {
        let run = self.store.vals.run(dag).to_vec();
        let mut changed = run.clone();
        changed[0] = self.apply(name, dag_op(&run), body, rec).0;
        for at in (2..run.len()).step_by(2) {
            let arg = Val(run[at]);
            changed[at] = if self.store.is_kind(arg, ValueKind::Dag) {
                self.foreach_dag(name, arg, body, rec).0
            } else {
                self.apply(name, arg, body, rec).0
            };
        }
        if changed[0] == run[0] && changed[2..] == run[2..] {
            return dag;
        }
        changed[1] = Sym::NONE.0;
        self.store.dag(&changed)
    }

    fn fold_filter(&mut self, a: Val, b: Val, c: Val, ty: Ty, rec: Option<RecId>) -> Option<Val> {
        let name = self.store.vals.as_str(a)?;
        let count = self.store.vals.as_list(b)?.len();
        let start = self.eval.scratch.len();
        for i in 0..count {
            let part = self.store.vals.part(b, i);
            let include = self.apply(name, part, c, rec);
            match self.store.int_of(include) {
                Some(0) => {}
                Some(_) => self.eval.scratch.push(part.0),
                None => {
                    self.eval.scratch.truncate(start);
                    return None;
                }
            }
        }
        self.make_from_scratch(start, |ctx, parts| ty.is_list().then(|| ctx.list_of(ty, parts)))
    }

    fn fold_range(&mut self, a: Val, b: Val, c: Val, rec: Option<RecId>) -> Option<Val> {
        let (from, to, step) = (self.store.vals.as_int(a)?, self.store.vals.as_int(b)?, self.store.vals.as_int(c)?);
        if step == 0 {
            self.error_for(rec, "Step of !range can't be 0");
            return Some(self.list(Ty::INT, &[]));
        }
        if from == to || (from < to) != (step > 0) {
            return Some(self.list(Ty::INT, &[]));
        }
        let count = from.abs_diff(to).div_ceil(step.unsigned_abs());
        if count > self.max_list() as u64 {
            self.too_much("lists");
            return None;
        }
        let numbers: Vec<u32> =
            (0..count as i64).map(|i| self.store.int(from.wrapping_add(step.wrapping_mul(i))).0).collect();
        Some(self.list(Ty::INT, &numbers))
    }

    fn fold_substr(&mut self, a: Val, b: Val, c: Val, rec: Option<RecId>) -> Option<Val> {
        let (text, start, length) =
            (self.store.vals.as_str(a)?, self.store.vals.as_int(b)?, self.store.vals.as_int(c)?);
        let size = self.store.names.get(text).len();
        let from = usize::try_from(start).ok().filter(|&s| s <= size);
        if from.is_none() {
            self.error_for(rec, &format!("!substr start position is out of range 0...{size}: {start}"));
        }
        if length < 0 {
            self.error_for(rec, "!substr length must be nonnegative");
        }
        let from = from.unwrap_or(size);
        let to = from.saturating_add(usize::try_from(length).unwrap_or(usize::MAX)).min(size);
        let part = self.store.names.get(text)[from..to].to_vec();
        let sym = self.store.names.intern(&part);
        let code = self.store.vals.is_code(a);
        Some(self.store.code(sym, code))
    }

    fn fold_find(&mut self, a: Val, b: Val, c: Val, rec: Option<RecId>) -> Option<Val> {
        let (text, what, start) = (self.store.vals.as_str(a)?, self.store.vals.as_str(b)?, self.store.vals.as_int(c)?);
        let text = self.store.names.get(text);
        let size = text.len();
        let Some(from) = usize::try_from(start).ok().filter(|&s| s <= size) else {
            self.error_for(rec, &format!("!find start position is out of range 0...{size}: {start}"));
            return Some(self.store.int(-1));
        };
        let found = memchr::memmem::find(&text[from..], self.store.names.get(what));
        Some(self.store.int(found.map_or(-1, |at| (at + from) as i64)))
    }

    fn fold_set_dag(&mut self, op: TernOp, a: Val, b: Val, c: Val, rec: Option<RecId>) -> Option<Val> {
        let at = match self.store.dag_arg_index(a, b)? {
            Ok(at) => at,
            Err(why) => {
                self.fatal_at(rec, "tblgen-dag", format!("{} {why}", op.name()).as_bytes());
                return None;
            }
        };
        let mut run = self.store.vals.run(a).to_vec();
        match op {
            TernOp::SetDagArg => run[2 + 2 * at] = c.0,
            _ => run[3 + 2 * at] = self.store.vals.as_str(c).unwrap_or(Sym::NONE).0,
        }
        Some(self.store.dag(&run))
    }

    // ---- The rest ------------------------------------------------------------------------------------------------

    /// The first arm whose condition is true; all conditions before it must be known.
    pub(crate) fn fold_cond(&mut self, v: Val, rec: Option<RecId>) -> Val {
        let node = self.store.vals.node(v);
        let n = node.b as usize / 2;
        for i in 0..n {
            let condition = self.store.vals.part(v, i);
            match self.store.int_of(condition) {
                Some(0) => {}
                Some(_) => {
                    let value = self.store.vals.part(v, n + i);
                    return self.convert(value, node.ty).unwrap_or(v);
                }
                None => return v,
            }
        }
        let mut text = rec.map_or_else(Vec::new, |r| self.store.rec_name(r));
        text.extend(b" does not have any true condition in:");
        self.store.write_val(v, &mut text);
        self.fatal_at(rec, "tblgen-cond", &text);
        v
    }

    pub(crate) fn fold_foldl(&mut self, v: Val, rec: Option<RecId>) -> Val {
        let [start, list, body] = [0, 1, 4].map(|i| self.store.vals.part(v, i));
        let (acc, item) = (Sym(self.store.vals.word(v, 2)), Sym(self.store.vals.word(v, 3)));
        let Some(count) = self.store.vals.as_list(list).map(<[u32]>::len) else { return v };
        let mut value = start;
        for i in 0..count {
            let part = self.store.vals.part(list, i);
            value = self.apply_all(Application { body, names: [acc, item], values: [value, part] }, rec);
            if self.eval.stopped {
                return v;
            }
        }
        value
    }

    /// `record.name`, folded if the record is known and the field resolved.
    pub(crate) fn make_field(&mut self, of: Val, name: Sym, ty: Ty, rec: Option<RecId>) -> Val {
        match self.try_field(of, name, rec) {
            Some(folded) => folded,
            None => self.store.field_access(of, name, ty),
        }
    }

    pub(crate) fn try_field(&mut self, of: Val, name: Sym, rec: Option<RecId>) -> Option<Val> {
        let def = self.store.as_def(of)?;
        if rec == Some(def) {
            let mut text = b"Attempting to access field '".to_vec();
            text.extend(self.store.names.get(name));
            text.extend(b"' of '");
            self.store.write_val(of, &mut text);
            text.extend(b"' is a forbidden self-reference");
            self.fatal_at(rec, "tblgen-self-reference", &text);
            return None;
        }
        self.store.field(def, name).filter(|&value| self.store.is_concrete(value))
    }
}

/// Where a short text is in another. Most texts are names, for which preparing a fast search costs more than looking.
#[inline(never)]
fn find(text: &[u8], what: &[u8]) -> Option<usize> {
    const LONG: usize = 256;
    if text.len() > LONG {
        return memchr::memmem::find(text, what);
    }
    let (&first, rest) = what.split_first()?;
    let last = text.len().checked_sub(what.len())?;
    let starts = text.get(..=last)?.iter().enumerate().filter(|&(_, &b)| b == first);
    starts.map(|(at, _)| at).find(|&at| text.get(at + 1..).is_some_and(|t| t.starts_with(rest)))
}
