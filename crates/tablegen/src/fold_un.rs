//! Folding operators of one operand.

use crate::ctx::Ctx;
use crate::loc::Loc;
use crate::names::Sym;
use crate::ops::UnOp;
use crate::record::RecId;
use crate::store::Store;
use crate::ty::Ty;
use crate::value::{Val, ValueKind, dag_op};

impl Store {
    /// Whether that text is the name of the record, or will be.
    pub(crate) fn is_name_of(&mut self, name: Sym, rec: RecId) -> bool {
        let own = self.rec(rec).name;
        self.vals.as_str(own) == Some(name) || self.anonymous_text(own) == Some(name)
    }

    /// The element type of a list value.
    pub(crate) fn element_ty(&self, v: Val) -> Ty {
        self.types.element(self.vals.ty(v)).unwrap_or(Ty::NONE)
    }

    /// Whether nothing is left to resolve in a value.
    pub(crate) fn is_concrete(&self, v: Val) -> bool {
        v.is_concrete()
    }
}

impl Ctx {
    /// Folds an operation of one operand as far as it goes now. `rec` is the record that is worked on, for
    /// self-references and messages; `last` says that nothing more will become known.
    pub(crate) fn fold_un(&mut self, v: Val, rec: Option<RecId>, last: bool) -> Val {
        let node = self.store.vals.node(v);
        self.try_un(UnOp::of(node.op), Val(node.a), node.ty, rec, last).unwrap_or(v)
    }

    /// An operation of one operand, folded if it can be; then the operation itself never becomes a value.
    pub(crate) fn make_un(&mut self, op: UnOp, a: Val, ty: Ty, rec: Option<RecId>, last: bool) -> Val {
        match self.try_un(op, a, ty, rec, last) {
            Some(folded) => folded,
            None => self.store.un(op, a, ty),
        }
    }

    fn try_un(&mut self, op: UnOp, a: Val, ty: Ty, rec: Option<RecId>, last: bool) -> Option<Val> {
        let kind = self.store.vals.kind(a);
        match op {
            UnOp::Cast => return self.fold_cast(a, ty, rec, last),
            UnOp::Repr if self.store.is_concrete(a) => {
                let text = match self.store.as_def(a) {
                    Some(def) => self.store.record_text(def),
                    None => self.store.val_text(a),
                };
                return Some(self.string_of(&text));
            }
            UnOp::ToLower | UnOp::ToUpper => {
                if let Some(text) = self.store.vals.as_str(a) {
                    let text = self.store.names.get(text);
                    let text = if op == UnOp::ToLower { text.to_ascii_lowercase() } else { text.to_ascii_uppercase() };
                    return Some(self.string_of(&text));
                }
            }
            UnOp::Not => {
                if let Some(i) = self.store.int_of(a) {
                    return Some(self.store.int(i64::from(i == 0)));
                }
            }
            UnOp::Head | UnOp::Tail if kind == ValueKind::List => return self.fold_ends(op, a, rec),
            UnOp::Size | UnOp::Empty => {
                let size = match kind {
                    ValueKind::List => self.store.vals.run(a).len(),
                    ValueKind::Dag => self.store.vals.run(a).len() / 2 - 1,
                    ValueKind::Str => self.store.vals.as_str(a).map_or(0, |s| self.store.names.get(s).len()),
                    _ => return None,
                };
                return Some(self.store.int(if op == UnOp::Size { size as i64 } else { i64::from(size == 0) }));
            }
            UnOp::GetDagOp if kind == ValueKind::Dag => {
                let found = dag_op(self.store.vals.run(a));
                let found_ty = self.store.vals.ty(found);
                if found != Val::UNSET && self.store.is_a(found_ty, ty) {
                    return Some(found);
                }
                let v = self.store.un(op, a, ty);
                self.wrong_type(v, ty, found_ty, rec);
            }
            UnOp::LogTwo => {
                if let Some(i) = self.store.int_of(a) {
                    if i <= 0 {
                        let text = "Illegal operation: logtwo is undefined on arguments less than or equal to 0";
                        self.fatal_at(rec, "tblgen-arithmetic", text.as_bytes());
                        return None;
                    }
                    return Some(self.store.int(i64::from(63 - i.leading_zeros())));
                }
            }
            UnOp::Instances => return self.fold_instances(a, ty, rec, last),
            UnOp::GetDagOpName => return self.store.fold_get_dag_op_name(a),
            UnOp::ListFlatten if kind == ValueKind::List => return self.fold_flatten(a, ty),
            UnOp::Initialized => {
                if a == Val::UNSET {
                    return Some(self.store.int(0));
                }
                if self.store.is_concrete(a) {
                    return Some(self.store.int(1));
                }
            }
            _ => {}
        }
        None
    }

    /// The first element of a list, or the list of the others.
    fn fold_ends(&mut self, op: UnOp, a: Val, rec: Option<RecId>) -> Option<Val> {
        let parts = self.store.vals.run(a);
        let Some((&head, tail)) = parts.split_first() else {
            let text = format!("{} of an empty list", op.name());
            self.fatal_at(rec, "tblgen-empty-list", text.as_bytes());
            return None;
        };
        if op == UnOp::Head {
            return Some(Val(head));
        }
        let tail = tail.to_vec();
        let element = self.store.element_ty(a);
        Some(self.list(element, &tail))
    }

    /// The elements of the lists in a list, if all of it are lists.
    fn fold_flatten(&mut self, a: Val, ty: Ty) -> Option<Val> {
        let inner: Vec<Val> = self.store.vals.run(a).iter().map(|&p| Val(p)).collect();
        if inner.iter().any(|&p| self.store.vals.kind(p) != ValueKind::List) {
            return None;
        }
        let all: Vec<u32> = inner.iter().flat_map(|&p| self.store.vals.run(p).to_vec()).collect();
        let element = self.store.types.element(ty)?;
        Some(self.list(element, &all))
    }

    fn fold_cast(&mut self, a: Val, ty: Ty, rec: Option<RecId>, last: bool) -> Option<Val> {
        if ty == Ty::STRING {
            if self.store.vals.kind(a) == ValueKind::Str {
                return Some(a);
            }
            if self.store.as_def(a).is_some() {
                let text = self.store.val_text(a);
                return Some(self.string_of(&text));
            }
            if let Some(i) = self.store.int_of(a) {
                let mut text = std::mem::take(&mut self.eval.text);
                text.clear();
                crate::text::write_number(i, &mut text);
                let string = self.string_of(&text);
                self.eval.text = text;
                return Some(string);
            }
        } else if ty.is_record()
            && let Some(name) = self.store.vals.as_str(a)
        {
            let found = match self.store.def(name) {
                Some(def) => def,
                None => match rec.filter(|&r| self.store.is_name_of(name, r)) {
                    Some(_) if !last => return None,
                    Some(own) => own,
                    None if last => {
                        let mut text = b"Undefined reference to record: '".to_vec();
                        text.extend(self.store.names.get(name));
                        text.extend(b"'\n");
                        self.fatal_at(rec, "tblgen-undefined", &text);
                        return None;
                    }
                    None => return None,
                },
            };
            let def = self.store.def_val(found);
            let def_ty = self.store.vals.ty(def);
            if self.store.is_a(def_ty, ty) {
                return Some(def);
            }
            let v = self.store.un(UnOp::Cast, a, ty);
            self.wrong_type(v, ty, def_ty, rec);
            return None;
        }
        self.convert(a, ty)
    }

    fn wrong_type(&mut self, v: Val, expected: Ty, got: Ty, rec: Option<RecId>) {
        let mut text = b"Expected type '".to_vec();
        self.store.write_ty(expected, &mut text);
        text.extend(b"', got '");
        self.store.write_ty(got, &mut text);
        text.extend(b"' in: ");
        self.store.write_val(v, &mut text);
        text.push(b'\n');
        self.fatal_at(rec, "tblgen-type", &text);
    }

    /// An error at a place that may be known only as a record.
    pub(crate) fn error_for(&mut self, rec: Option<RecId>, text: &str) {
        match rec {
            Some(_) => self.error_at(rec, "tblgen-range", text.as_bytes()),
            None => self.messages.error(&self.store.places, Loc::NONE, "tblgen-range", text.as_bytes()),
        }
    }
}
