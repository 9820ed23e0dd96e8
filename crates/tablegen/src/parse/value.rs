//! Values with their suffixes: `{bits}`, `[elements]`, `.field` and `#`.

use super::{Mode, Parser};
use crate::lex::token::Tok;
use crate::loc::Loc;
use crate::names::Sym;
use crate::ops::{BinOp, UnOp};
use crate::record::RecId;
use crate::ty::Ty;
use crate::value::{Val, ValueKind};

impl Parser<'_> {
    /// A value, of that type if one is expected.
    pub(super) fn value(&mut self, rec: Option<RecId>, ty: Option<Ty>) -> Option<Val> {
        self.value_in(rec, ty, Mode::Value)
    }

    pub(super) fn value_in(&mut self, rec: Option<RecId>, ty: Option<Ty>, mode: Mode) -> Option<Val> {
        if !self.deeper() {
            return None;
        }
        let value = self.value_with_suffixes(rec, ty, mode);
        self.depth -= 1;
        if self.ctx.eval.stopped { None } else { value }
    }

    fn value_with_suffixes(&mut self, rec: Option<RecId>, ty: Option<Ty>, mode: Mode) -> Option<Val> {
        let loc = self.loc();
        let mut value = self.simple_value(rec, ty, mode)?;
        loop {
            if self.ctx.eval.stopped {
                return None;
            }
            value = match self.tok {
                Tok::LBrace if mode == Mode::Value => self.bits_suffix(value)?,
                Tok::LSquare => self.list_suffix(rec, value, loc)?,
                Tok::Dot => self.field_suffix(rec, value)?,
                Tok::Paste => self.paste(rec, ty, value)?,
                _ => return Some(value),
            };
        }
    }

    fn bits_suffix(&mut self, value: Val) -> Option<Val> {
        let open = self.loc();
        self.next();
        let mut ranges = self.range_list();
        if ranges.is_empty() {
            return None;
        }
        ranges.reverse();
        let Some(value) = self.bit_range(value, &ranges) else {
            return self.none_at(open, "tblgen-range", &[b"Invalid bit range for value"]);
        };
        if !self.eat(Tok::RBrace) {
            return self.none("expected '}' at end of bit range list");
        }
        Some(value)
    }

    /// These bits of a value, the first as bit 0.
    fn bit_range(&mut self, value: Val, ranges: &[u32]) -> Option<Val> {
        let width = match self.ctx.store.vals.kind(value) {
            ValueKind::Int => 64,
            _ => self.ctx.store.vals.ty(value).width()?,
        };
        if ranges.iter().any(|&i| i >= width) {
            return None;
        }
        let is_known = matches!(self.ctx.store.vals.kind(value), ValueKind::Int | ValueKind::Bits);
        let bits: Vec<u32> = ranges
            .iter()
            .map(|&i| if is_known { self.ctx.store.bit_of(value, i) } else { self.ctx.store.var_bit(value, i) }.0)
            .collect();
        Some(self.ctx.store.bits(&bits))
    }

    fn list_suffix(&mut self, rec: Option<RecId>, value: Val, loc: Loc) -> Option<Val> {
        let ty = self.ctx.store.vals.ty(value);
        if ty == Ty::NONE {
            return self.none_at(loc, "tblgen-type", &[b"Invalid value, list expected"]);
        }
        let Some(element) = self.ctx.store.types.element(ty) else {
            let text = self.ctx.store.ty_text(ty);
            return self.none_at(loc, "tblgen-type", &[b"Type '", &text, b"' is invalid, list expected"]);
        };
        self.next();
        let index = self.slice_elements(rec)?;
        let slice = self.ctx.store.vals.ty(index).is_list();
        let (op, ty) = if slice { (BinOp::ListSlice, ty) } else { (BinOp::ListElem, element) };
        let value = self.ctx.make_bin(op, value, index, ty, rec);
        self.need(Tok::RSquare, "expected ']' at end of list slice")?;
        Some(value)
    }

    fn slice_element(&mut self, rec: Option<RecId>) -> Option<Val> {
        let loc = self.loc();
        let left = self.value(rec, None)?;
        let right = match self.tok {
            Tok::DotDotDot | Tok::Minus => {
                self.next();
                let loc = self.loc();
                let right = self.value(rec, None)?;
                let ty = self.ctx.store.vals.ty(right);
                if ty != Ty::INT {
                    let text = self.ctx.store.ty_text(ty);
                    return self.none_at(loc, "tblgen-type", &[b"expected int...int, got ", &text]);
                }
                right
            }
            Tok::Int => {
                let end = self.lex.value.int.wrapping_neg();
                if end < 0 {
                    return self.none("invalid range, cannot be negative");
                }
                self.next();
                self.ctx.store.int(end)
            }
            _ => return Some(left),
        };
        let ty = self.ctx.store.vals.ty(left);
        if ty != Ty::INT {
            let text = self.ctx.store.ty_text(ty);
            return self.none_at(loc, "tblgen-type", &[b"expected int...int, got ", &text]);
        }
        let list = self.ctx.store.types.list(Ty::INT);
        let node = self.ctx.store.bin(BinOp::RangeClosed, left, right, list);
        Some(self.ctx.fold_bin(node, rec))
    }

    /// What stands between `[` and `]` of a slice: an int for one element, a list of int for several.
    fn slice_elements(&mut self, rec: Option<RecId>) -> Option<Val> {
        let mut single = true;
        let mut numbers: Vec<u32> = Vec::new();
        let mut slices: Vec<Val> = Vec::new();
        let mut current;
        loop {
            let loc = self.loc();
            let value = self.slice_element(rec)?;
            let ty = self.ctx.store.vals.ty(value);
            current = Some(value);
            if let Some(element) = self.ctx.store.types.element(ty) {
                if element != Ty::INT {
                    let text = self.ctx.store.ty_text(ty);
                    return self.none_at(loc, "tblgen-type", &[b"expected list<int>, got ", &text]);
                }
                self.flush(&mut numbers, &mut slices);
                slices.push(value);
                single = false;
                current = None;
            } else if ty != Ty::INT {
                let text = self.ctx.store.ty_text(ty);
                return self.none_at(loc, "tblgen-type", &[b"unhandled type ", &text, b" in range"]);
            }
            if self.tok != Tok::Comma {
                break;
            }
            self.next();
            single = false;
            numbers.extend(current.take().map(|v| v.0));
            if self.tok == Tok::RSquare {
                break;
            }
        }
        if let Some(value) = current {
            if single {
                return Some(value);
            }
            numbers.push(value.0);
        }
        self.flush(&mut numbers, &mut slices);
        let mut slices = slices.into_iter();
        let first = slices.next()?;
        Some(slices.fold(first, |all, slice| self.list_concat(all, slice)))
    }

    fn flush(&mut self, numbers: &mut Vec<u32>, slices: &mut Vec<Val>) {
        if !numbers.is_empty() {
            slices.push(self.ctx.list(Ty::INT, numbers));
            numbers.clear();
        }
    }

    pub(super) fn list_concat(&mut self, a: Val, b: Val) -> Val {
        let ty = self.ctx.store.vals.ty(a);
        let node = self.ctx.store.bin(BinOp::ListConcat, a, b, ty);
        self.ctx.fold_bin(node, None)
    }

    pub(super) fn str_concat(&mut self, a: Val, b: Val) -> Val {
        let node = self.ctx.store.bin(BinOp::StrConcat, a, b, Ty::STRING);
        self.ctx.fold_bin(node, None)
    }

    fn field_suffix(&mut self, rec: Option<RecId>, value: Val) -> Option<Val> {
        self.need_next(Tok::Id, "expected field identifier after '.'")?;
        let name = self.text();
        let Some(ty) = self.ctx.store.type_of_field(value, name) else {
            let word = self.name_of(name);
            let text = self.ctx.store.val_text(value);
            let loc = self.loc();
            self.none_at::<()>(
                loc,
                "tblgen-unknown-field",
                &[b"Cannot access field '", &word, b"' of value '", &text, b"'"],
            );
            self.suggest_field(value, name);
            return None;
        };
        let value = self.ctx.make_field(value, name, ty, rec);
        self.next();
        Some(value)
    }

    fn suggest_field(&mut self, value: Val, name: Sym) {
        let ty = self.ctx.store.vals.ty(value);
        let mut recs: Vec<RecId> = self.ctx.store.types.classes(ty).to_vec();
        recs.extend(self.ctx.store.as_def(value));
        let ctx = &self.ctx;
        let text = |s: Sym| String::from_utf8_lossy(ctx.store.names.get(s)).into_owned();
        let names: Vec<String> = recs
            .iter()
            .flat_map(|&r| ctx.store.shapes.get(ctx.store.rec(r).shape).fields.iter().map(|f| text(f.name)))
            .collect();
        if let Some(near) = isaglot_source::closest(&text(name), names.iter().map(String::as_str)) {
            let help = format!("did you mean '{near}'?");
            self.ctx.messages.help(&self.ctx.store.places, Loc::NONE, help);
        }
    }

    fn starts_body(&self) -> bool {
        matches!(self.tok, Tok::Colon | Tok::Semi | Tok::LBrace)
    }

    fn paste(&mut self, rec: Option<RecId>, ty: Option<Ty>, left: Val) -> Option<Val> {
        let loc = self.loc();
        let left_ty = self.ctx.store.vals.ty(left);
        if left_ty == Ty::NONE {
            return self.none_at(loc, "tblgen-type", &[b"LHS of paste is not typed!"]);
        }
        if left_ty.is_list() {
            self.next();
            if self.starts_body() {
                return Some(left);
            }
            let right = self.value(rec, ty)?;
            return Some(self.list_concat(left, right));
        }
        let left = self.as_string(rec, left);
        self.next();
        let right = if self.starts_body() {
            self.ctx.store.string(Sym::EMPTY)
        } else {
            let right = self.value_in(rec, None, Mode::Name)?;
            if self.ctx.store.vals.ty(right) == Ty::NONE {
                return self.none_at(loc, "tblgen-type", &[b"RHS of paste is not typed!"]);
            }
            self.as_string(rec, right)
        };
        Some(self.str_concat(left, right))
    }

    fn as_string(&mut self, rec: Option<RecId>, value: Val) -> Val {
        if self.ctx.store.vals.ty(value) == Ty::STRING {
            return value;
        }
        let cast = self.ctx.store.un(UnOp::Cast, value, Ty::STRING);
        self.ctx.fold_un(cast, rec, false)
    }
}
