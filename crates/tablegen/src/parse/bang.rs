//! Operators: which there are, and those of one and two operands.

use super::Parser;
use crate::lex::token::{Bang, Tok};
use crate::loc::Loc;
use crate::ops::{BinOp, TernOp, UnOp};
use crate::record::RecId;
use crate::ty::{Ty, TyKind};
use crate::value::{Val, ValueKind};

fn is_arithmetic(op: BinOp) -> bool {
    use BinOp::{Add, And, Div, Mul, Or, Shl, Sra, Srl, Sub, Xor};
    matches!(op, Add | Sub | Mul | Div | And | Or | Xor | Shl | Sra | Srl)
}

fn nests(op: BinOp) -> bool {
    use BinOp::{Add, And, Con, ListConcat, Mul, Or, StrConcat, Xor};
    matches!(op, StrConcat | ListConcat | Con | Add | And | Or | Xor | Mul)
}

impl Parser<'_> {
    pub(super) fn operation(&mut self, bang: Bang, rec: Option<RecId>, ty: Option<Ty>) -> Option<Val> {
        match bang {
            Bang::Unary(UnOp::Instances) => self.instances_operation(rec),
            Bang::Unary(op) => self.unary(op, rec),
            Bang::Binary(op) => self.binary(op, rec, ty),
            Bang::Ternary(op @ (TernOp::Foreach | TernOp::Filter | TernOp::Sort)) => {
                self.foreach_operation(op, rec, ty)
            }
            Bang::Ternary(TernOp::Range) => self.range_operation(rec),
            Bang::Ternary(TernOp::Substr) => self.substr_operation(rec, ty),
            Bang::Ternary(TernOp::Find) => self.find_operation(rec, ty),
            Bang::Ternary(op) => self.ternary(op, rec, ty),
            Bang::IsA => self.is_a_operation(rec),
            Bang::Exists => self.exists_operation(rec),
            Bang::Foldl => self.foldl_operation(rec),
            Bang::Cond => self.cond_operation(rec, ty),
            Bang::Switch => self.switch_operation(rec, ty),
        }
    }

    // ---- One operand ---------------------------------------------------------------------------------------------

    fn unary(&mut self, op: UnOp, rec: Option<RecId>) -> Option<Val> {
        self.next();
        let mut ty = match op {
            UnOp::ToLower | UnOp::ToUpper | UnOp::Repr | UnOp::GetDagOpName => Ty::STRING,
            UnOp::Cast => match self.operator_ty() {
                Some(ty) => ty,
                None => return self.none("did not get type for unary operator"),
            },
            UnOp::GetDagOp if self.tok == Tok::Less => {
                let Some(ty) = self.operator_ty() else {
                    return self.none("did not get type for unary operator");
                };
                if !ty.is_record() {
                    self.token_error("tblgen-type", b"type for !getdagop must be a record type");
                }
                ty
            }
            UnOp::GetDagOp => self.ctx.store.types.record(&[]),
            _ => Ty::INT,
        };
        self.need(Tok::LParen, "expected '(' after unary operator")?;
        let value = self.value(rec, None)?;
        let value_ty = self.ctx.store.vals.ty(value);
        if op == UnOp::Empty || op == UnOp::Size {
            let kind = self.ctx.store.types.kind(value_ty);
            if !matches!(kind, TyKind::List(_) | TyKind::String | TyKind::Dag) {
                return self.none("expected string, list, or dag type argument in unary operator");
            }
        }
        if op == UnOp::GetDagOpName && value_ty != Ty::DAG {
            return self.none("expected dag type argument in unary operator");
        }
        if op == UnOp::Head || op == UnOp::Tail {
            let Some(element) = self.ctx.store.types.element(value_ty) else {
                return self.none("expected list type argument in unary operator");
            };
            let element = match self.ctx.store.vals.as_list(value) {
                Some([]) => return self.none("empty list argument in unary operator"),
                Some(&[first, ..]) => match self.ctx.store.vals.ty(Val(first)) {
                    Ty::NONE => return self.none("untyped list element in unary operator"),
                    ty => ty,
                },
                None => element,
            };
            ty = if op == UnOp::Head { element } else { self.ctx.store.types.list(element) };
        }
        if op == UnOp::ListFlatten {
            let inner = self.ctx.store.types.element(value_ty).and_then(|e| self.ctx.store.types.element(e));
            ty = match inner {
                Some(inner) => self.ctx.store.types.list(inner),
                None => match self.ctx.store.types.element(value_ty) {
                    Some(_) => value_ty,
                    None => return self.none("expected list type argument in unary operator"),
                },
            };
        }
        self.need(Tok::RParen, "expected ')' in unary operator")?;
        Some(self.ctx.make_un(op, value, ty, rec, false))
    }

    // ---- Two operands --------------------------------------------------------------------------------------------

    fn binary(&mut self, op: BinOp, rec: Option<RecId>, item: Option<Ty>) -> Option<Val> {
        use BinOp::{
            Con, GetDagArg, GetDagName, Interleave, ListConcat, ListRemove, Match, SetDagOp, SetDagOpName, StrConcat,
        };
        let loc = self.loc();
        self.next();
        let (mut ty, mut expected) = match op {
            Con | SetDagOp | SetDagOpName => (Some(Ty::DAG), Some(Ty::DAG)),
            Match => (Some(Ty::BIT), Some(Ty::STRING)),
            GetDagArg => match self.operator_ty() {
                Some(ty) => (Some(ty), Some(Ty::DAG)),
                None => return self.none("did not get type for !getdagarg operator"),
            },
            GetDagName => (Some(Ty::STRING), Some(Ty::DAG)),
            StrConcat => (Some(Ty::STRING), Some(Ty::STRING)),
            Interleave => (Some(Ty::STRING), None),
            ListConcat | ListRemove => (None, item),
            BinOp::ListSplat => (None, None),
            op if is_arithmetic(op) => (Some(Ty::INT), Some(Ty::INT)),
            _ => (Some(Ty::BIT), None),
        };
        if let (Some(ty), Some(item)) = (ty, item)
            && !self.ctx.store.convertible(ty, item)
        {
            return self.expected_got(loc, item, ty);
        }
        self.need(Tok::LParen, "expected '(' after binary operator")?;
        let mut operands: Vec<Val> = Vec::new();
        loop {
            let at = self.loc();
            let value = self.value(rec, expected)?;
            operands.push(value);
            let value_ty = self.ctx.store.vals.ty(value);
            if value_ty == Ty::NONE {
                let text = self.ctx.store.val_text(value);
                return self.none_at(loc, "tblgen-type", &[b"expected value to be a typed value, got '", &text, b"'"]);
            }
            expected = match expected {
                None => self.first_operand(op, operands.len(), value_ty, item, loc, at)?,
                Some(wanted) => match self.ctx.store.common_ty(wanted, value_ty) {
                    None => return self.expected_got(at, wanted, value_ty),
                    Some(_) if is_arithmetic(op) => Some(wanted),
                    Some(common) => Some(common),
                },
            };
            match op {
                SetDagOp => expected = Some(self.ctx.store.types.record(&[])),
                GetDagArg => expected = None,
                SetDagOpName => expected = Some(Ty::STRING),
                GetDagName => expected = Some(Ty::INT),
                _ => {}
            }
            if !self.eat(Tok::Comma) {
                break;
            }
        }
        self.need(Tok::RParen, "expected ')' in operator")?;
        match op {
            ListConcat | ListRemove => ty = expected,
            BinOp::ListSplat => {
                let element = self.ctx.store.vals.ty(*operands.first()?);
                ty = Some(self.ctx.store.types.list(element));
            }
            _ => {}
        }
        let ty = ty.unwrap_or(Ty::NONE);
        if nests(op) {
            while operands.len() > 2 {
                let (right, left) = (operands.pop()?, operands.pop()?);
                operands.push(self.ctx.make_bin(op, left, right, ty, rec));
            }
        }
        if let [left, right] = operands[..] {
            return Some(self.ctx.make_bin(op, left, right, ty, rec));
        }
        self.none_at(loc, "tblgen-syntax", &[b"expected two operands to operator"])
    }

    pub(super) fn expected_got<T>(&mut self, loc: Loc, expected: Ty, got: Ty) -> Option<T> {
        let (expected, got) = (self.ctx.store.ty_text(expected), self.ctx.store.ty_text(got));
        self.none_at(loc, "tblgen-type", &[b"expected value of type '", &expected, b"', got '", &got, b"'"])
    }

    /// An operand whose type was not known beforehand; gives the type that the next one should have.
    fn first_operand(
        &mut self,
        op: BinOp,
        count: usize,
        ty: Ty,
        item: Option<Ty>,
        loc: Loc,
        at: Loc,
    ) -> Option<Option<Ty>> {
        let text = self.ctx.store.ty_text(ty);
        let wrong = |this: &mut Self, what: &[u8]| this.none_at::<Option<Ty>>(at, "tblgen-type", &[what, &text, b"'"]);
        let to_int = self.ctx.store.convertible(ty, Ty::INT);
        let to_string = ty == Ty::STRING;
        match op {
            BinOp::ListConcat | BinOp::ListRemove if !ty.is_list() => {
                wrong(self, b"expected a list, got value of type '")
            }
            BinOp::ListSplat => {
                if let Some(item) = item
                    && count == 1
                {
                    let list = self.ctx.store.types.list(ty);
                    let Some(element) = self.ctx.store.types.element(item) else {
                        let item = self.ctx.store.ty_text(item);
                        return self.none_at(
                            loc,
                            "tblgen-type",
                            &[b"expected output type to be a list, got type '", &item, b"'"],
                        );
                    };
                    if !self.ctx.store.convertible(list, item) {
                        let element = self.ctx.store.ty_text(element);
                        return self.none_at(
                            loc,
                            "tblgen-type",
                            &[b"expected first arg type to be '", &text, b"', got value of type '", &element, b"'"],
                        );
                    }
                }
                if count == 2 && ty != Ty::INT {
                    return wrong(self, b"expected second parameter to be an int, got value of type '");
                }
                Some(None)
            }
            BinOp::Eq | BinOp::Ne if !to_int && !to_string && !ty.is_record() => {
                wrong(self, b"expected bit, bits, int, string, or record; got value of type '")
            }
            BinOp::Le | BinOp::Lt | BinOp::Ge | BinOp::Gt if !to_int && !to_string => {
                wrong(self, b"expected bit, bits, int, or string; got value of type '")
            }
            BinOp::Interleave => {
                let strings = self.ctx.store.types.list(Ty::STRING);
                let ints = self.ctx.store.types.list(Ty::INT);
                if count == 1 && ty != strings && !self.ctx.store.convertible(ty, ints) {
                    return wrong(self, b"expected list of string, int, bits, or bit; got value of type '");
                }
                if count == 2 && !to_string {
                    return wrong(self, b"expected second argument to be a string, got value of type '");
                }
                Some(None)
            }
            BinOp::GetDagArg => {
                if !to_int && !to_string {
                    return wrong(self, b"expected integer index or string name, got type '");
                }
                Some(None)
            }
            _ => Some(Some(ty)),
        }
    }

    /// Whether a value is a string literal or expression.
    pub(super) fn is_index(&self, value: Val) -> bool {
        matches!(self.ctx.store.vals.ty(value), Ty::INT | Ty::STRING)
            && self.ctx.store.vals.kind(value) != ValueKind::Unset
    }
}
