//! How types relate: `is_a` (a value of the one is a value of the other), `convertible` (a value of the one may have a
//! value of the other), and the least common type of two.

use crate::record::RecId;
use crate::store::Store;
use crate::ty::{Ty, TyKind};

impl Store {
    /// Whether every value of type `a` is a value of type `b` as it stands.
    pub(crate) fn is_a(&mut self, a: Ty, b: Ty) -> bool {
        if a == b {
            return true;
        }
        match (self.types.kind(a), self.types.kind(b)) {
            (TyKind::List(x), TyKind::List(y)) => self.is_a(x, y),
            (TyKind::Record, TyKind::Record) => self.convertible(a, b),
            _ => false,
        }
    }

    /// Whether a value of type `a` may be converted to type `b`.
    pub(crate) fn convertible(&mut self, a: Ty, b: Ty) -> bool {
        if a == b {
            return true;
        }
        match (self.types.kind(a), self.types.kind(b)) {
            (TyKind::Bit, TyKind::Int) | (TyKind::Int, TyKind::Bit) => true,
            (TyKind::Bits(_), TyKind::Int) | (TyKind::Int, TyKind::Bits(_)) => true,
            (TyKind::Bit, TyKind::Bits(n)) | (TyKind::Bits(n), TyKind::Bit) => n == 1,
            (TyKind::List(x), TyKind::List(y)) => self.convertible(x, y),
            (TyKind::Record, TyKind::Record) => {
                if let Some(&known) = self.relation.get(&(a, b)) {
                    return known;
                }
                let known = self.types.classes(b).iter().all(|&class| self.ty_is_subclass(a, class));
                self.relation.insert((a, b), known);
                known
            }
            _ => false,
        }
    }

    fn ty_is_subclass(&self, ty: Ty, class: RecId) -> bool {
        self.types.classes(ty).iter().any(|&c| c == class || self.is_subclass(c, class))
    }

    /// The least type that values of both have; `None` if there is none.
    pub(crate) fn common_ty(&mut self, a: Ty, b: Ty) -> Option<Ty> {
        if a == b {
            return Some(a);
        }
        if a.is_record() && b.is_record() {
            let mut common = Vec::new();
            let mut stack = self.types.classes(a).to_vec();
            while let Some(class) = stack.pop() {
                if self.ty_is_subclass(b, class) {
                    common.push(class);
                } else {
                    stack.extend(self.direct_supers(class));
                }
            }
            return Some(self.record_ty_of(common));
        }
        if self.convertible(a, b) {
            return Some(b);
        }
        if self.convertible(b, a) {
            return Some(a);
        }
        let (x, y) = (self.types.element(a)?, self.types.element(b)?);
        let element = self.common_ty(x, y)?;
        Some(self.types.list(element))
    }
}
