//! Converting values. `convert` succeeds only where the result is known now; `cast_to` also makes an unresolved
//! `!cast<T>(x)` where it may be known later.

use crate::ctx::Ctx;
use crate::ops::UnOp;
use crate::store::Store;
use crate::ty::{Ty, TyKind};
use crate::value::{Val, ValueKind};

impl Store {
    /// The number that a value is, after conversion.
    #[inline]
    pub(crate) fn int_of(&self, v: Val) -> Option<i64> {
        let node = self.vals.look(v);
        match node.kind {
            ValueKind::Int => Some((u64::from(node.b) << 32 | u64::from(node.a)) as i64),
            ValueKind::Bit => Some(i64::from(v == Val::TRUE)),
            ValueKind::Bits => self.vals.bits_int(v),
            _ => None,
        }
    }
}

impl Ctx {
    /// The value as that type, if it can be said now.
    pub(crate) fn convert(&mut self, v: Val, ty: Ty) -> Option<Val> {
        let node = self.store.vals.node(v);
        match node.kind {
            ValueKind::Unset => Some(v),
            ValueKind::Bit => match self.store.types.kind(ty) {
                TyKind::Bit => Some(v),
                TyKind::Int => Some(self.store.int(i64::from(v == Val::TRUE))),
                TyKind::Bits(1) => Some(self.store.bits(&[v.0])),
                _ => None,
            },
            ValueKind::Bits => match self.store.types.kind(ty) {
                TyKind::Bit => (self.store.vals.bits_len(v) == 1).then(|| self.store.vals.bits_at(v, 0)),
                TyKind::Bits(_) => (node.ty == ty).then_some(v),
                TyKind::Int => {
                    let number = self.store.vals.bits_int(v)?;
                    Some(self.store.int(number))
                }
                _ => None,
            },
            ValueKind::Int => {
                let number = self.store.vals.as_int(v)?;
                match self.store.types.kind(ty) {
                    TyKind::Int => Some(v),
                    TyKind::Bit => (number == 0 || number == 1).then(|| Val::bit(number == 1)),
                    TyKind::Bits(width) => fits(number, width).then(|| self.store.bits_of_int(number, width)),
                    _ => None,
                }
            }
            ValueKind::Str => (ty == Ty::STRING).then_some(v),
            ValueKind::Dag => (ty == Ty::DAG).then_some(v),
            ValueKind::Def => (ty.is_record() && self.store.convertible(node.ty, ty)).then_some(v),
            ValueKind::List => self.convert_list(v, node.ty, ty),
            _ => {
                if node.ty == ty || self.store.is_a(node.ty, ty) {
                    return Some(v);
                }
                (node.ty == Ty::BIT && ty == Ty::bits(1)).then(|| self.store.bits(&[v.0]))
            }
        }
    }

    fn convert_list(&mut self, v: Val, from: Ty, to: Ty) -> Option<Val> {
        if from == to {
            return Some(v);
        }
        let element = self.store.types.element(to)?;
        let parts = self.store.vals.as_list(v)?.to_vec();
        let mut converted = Vec::with_capacity(parts.len());
        for &part in &parts {
            converted.push(self.convert(Val(part), element)?.0);
        }
        if converted == parts { Some(v) } else { Some(self.list(element, &converted)) }
    }

    /// The value as that type, perhaps as an unresolved cast; `None` if it can never be one.
    pub(crate) fn cast_to(&mut self, v: Val, ty: Ty) -> Option<Val> {
        if v == Val::UNSET || v == Val::MISSING {
            return Some(v);
        }
        let from = self.store.vals.ty(v);
        if from == ty || self.store.is_a(from, ty) {
            return Some(v);
        }
        if let Some(converted) = self.convert(v, ty) {
            return Some(converted);
        }
        if from == Ty::NONE || !self.store.convertible(from, ty) {
            return None;
        }
        Some(self.make_un(UnOp::Cast, v, ty, None, false))
    }
}

/// Whether a number may be written into that many bits: as unsigned, or as a negative number.
fn fits(value: i64, width: u32) -> bool {
    match width {
        0 => value == 0,
        64.. => true,
        _ => value >> width == 0 || value >> (width - 1) == -1,
    }
}
