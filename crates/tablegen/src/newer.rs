//! Folding the operators that are newer than LLVM 19: patterns, all records of a class, the name of a dag's operator,
//! sorting.

use crate::ctx::Ctx;
use crate::loc::Loc;
use crate::names::Sym;
use crate::natural;
use crate::pattern::Pattern;
use crate::record::RecId;
use crate::store::Store;
use crate::ty::Ty;
use crate::value::{Val, ValueKind};

/// What a list is sorted by.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Key {
    Number(i64),
    Text(Vec<u8>),
}

impl Store {
    /// `!getdagopname(dag)`
    pub(crate) fn fold_get_dag_op_name(&mut self, a: Val) -> Option<Val> {
        let name = Sym(*self.vals.as_dag(a)?.get(1)?);
        Some(if name == Sym::NONE { Val::UNSET } else { self.string(name) })
    }

    /// `!setdagopname(dag, name)`
    pub(crate) fn fold_set_dag_op_name(&mut self, a: Val, b: Val) -> Option<Val> {
        let mut run = self.vals.as_dag(a)?.to_vec();
        let name = match self.vals.as_str(b) {
            None | Some(Sym::EMPTY) => Sym::NONE,
            Some(name) => name,
        };
        if self.vals.kind(b) != ValueKind::Str && b != Val::UNSET {
            return None;
        }
        *run.get_mut(1)? = name.0;
        Some(self.dag(&run))
    }
}

impl Ctx {
    fn pattern(&mut self, text: Sym, rec: Option<RecId>) -> Option<Pattern> {
        match Pattern::new(self.store.names.get(text)) {
            Ok(pattern) => Some(pattern),
            Err(why) => {
                let text = [b"invalid regex '", self.store.names.get(text), b"': ", why.as_bytes()].concat();
                match rec {
                    Some(_) => self.fatal_at(rec, "tblgen-pattern", &text),
                    None => self.fatal(Loc::NONE, "tblgen-pattern", &text),
                }
                None
            }
        }
    }

    /// Matches, and counts what that costs as steps of evaluation.
    fn matches(&mut self, pattern: &Pattern, text: Sym) -> bool {
        const WORK_OF_A_STEP: u64 = 64;
        let text = self.store.names.get(text);
        self.eval.steps = self.eval.steps.saturating_add(pattern.work(text) / WORK_OF_A_STEP);
        if self.eval.steps > self.eval.bounds.steps {
            self.too_much("computations");
            return false;
        }
        pattern.is_match(text)
    }

    /// `!match(text, pattern)`
    pub(crate) fn fold_match(&mut self, a: Val, b: Val, rec: Option<RecId>) -> Option<Val> {
        let (text, pattern) = (self.store.vals.as_str(a)?, self.store.vals.as_str(b)?);
        let pattern = self.pattern(pattern, rec)?;
        let found = self.matches(&pattern, text);
        (!self.eval.stopped).then(|| Val::bit(found))
    }

    /// `!instances<T>(pattern)`: the records of a class that there are by then. Within a record that is when the record
    /// is finished.
    pub(crate) fn fold_instances(&mut self, a: Val, ty: Ty, rec: Option<RecId>, last: bool) -> Option<Val> {
        if rec.is_some() && !last {
            return None;
        }
        let pattern = self.store.vals.as_str(a)?;
        let pattern = self.pattern(pattern, rec)?;
        let element = self.store.types.element(ty)?;
        let mut found = Vec::new();
        for id in self.store.defs.clone() {
            let own = self.store.record_ty(id);
            if self.store.is_a(own, element)
                && let Some(name) = self.store.vals.as_str(self.store.rec(id).name)
                && self.matches(&pattern, name)
            {
                found.push((name, self.store.def_val(id).0));
            }
        }
        if self.eval.stopped {
            return None;
        }
        found.sort_by(|a, b| natural::compare(self.store.names.get(a.0), self.store.names.get(b.0)));
        let found: Vec<u32> = found.into_iter().map(|f| f.1).collect();
        Some(self.list(element, &found))
    }

    /// `!sort(x, list, key)`: by the key, elements of the same key in their order.
    pub(crate) fn fold_sort(&mut self, a: Val, b: Val, c: Val, ty: Ty, rec: Option<RecId>) -> Option<Val> {
        let name = self.store.vals.as_str(a)?;
        let mut keyed = Vec::new();
        for part in self.store.vals.as_list(b)?.to_vec() {
            let key = self.apply(name, Val(part), c, rec);
            let key = match self.store.vals.as_str(key) {
                Some(text) => Key::Text(self.store.names.get(text).to_vec()),
                None => Key::Number(self.store.int_of(key)?),
            };
            keyed.push((key, part));
            if self.eval.stopped {
                return None;
            }
        }
        keyed.sort_by(|x, y| x.0.cmp(&y.0));
        let sorted: Vec<u32> = keyed.into_iter().map(|k| k.1).collect();
        let element = self.store.types.element(ty)?;
        Some(self.list(element, &sorted))
    }
}
