//! Operators with a form of their own, and those of three operands.

use super::Parser;
use super::scope::Around;
use crate::field_locs::LastStep;
use crate::lex::token::Tok;
use crate::loc::Loc;
use crate::names::Sym;
use crate::ops::{BinOp, TernOp, UnOp};
use crate::record::{FieldDesc, Locs, RecId, RecKind, Record, ShapeId};
use crate::ty::Ty;
use crate::value::Val;

/// A record to which iteration variables were added, and what it was before.
struct Lent {
    rec: RecId,
    shape: ShapeId,
    fields: usize,
    locs: LastStep,
    own: bool,
}

impl Parser<'_> {
    pub(super) fn is_a_operation(&mut self, rec: Option<RecId>) -> Option<Val> {
        self.next();
        let ty = self.operator_ty()?;
        self.need(Tok::LParen, "expected '(' after type of !isa")?;
        let value = self.value(rec, None)?;
        self.need(Tok::RParen, "expected ')' in !isa")?;
        let node = self.ctx.store.is_a_value(ty, value);
        Some(self.ctx.store.fold_isa(node))
    }

    pub(super) fn exists_operation(&mut self, rec: Option<RecId>) -> Option<Val> {
        self.next();
        let ty = self.operator_ty()?;
        self.need(Tok::LParen, "expected '(' after type of !exists")?;
        let loc = self.loc();
        let value = self.value(rec, None)?;
        let value_ty = self.ctx.store.vals.ty(value);
        let text: &[u8] = if value_ty.is_record() {
            b"expected string type argument in !exists operator, please use !isa instead"
        } else {
            b"expected string type argument in !exists operator"
        };
        if value_ty != Ty::STRING {
            return self.none_at(loc, "tblgen-type", &[text]);
        }
        self.need(Tok::RParen, "expected ')' in !exists")?;
        let node = self.ctx.store.exists(ty, value);
        Some(self.ctx.store.fold_exists(node, rec, false))
    }

    /// `!instances<T>(pattern)`; without a pattern, all records of the type.
    pub(super) fn instances_operation(&mut self, rec: Option<RecId>) -> Option<Val> {
        self.next();
        let ty = self.operator_ty()?;
        if !ty.is_record() {
            return self.none("expected record type in !instances operator");
        }
        self.need(Tok::LParen, "expected '(' after type of !instances")?;
        let mut pattern = self.ctx.string_of(b".*");
        if self.tok != Tok::RParen {
            let loc = self.loc();
            pattern = self.value(rec, Some(Ty::STRING))?;
            if self.ctx.store.vals.ty(pattern) != Ty::STRING {
                return self.none_at(loc, "tblgen-type", &[b"expected string type argument in !instances operator"]);
            }
        }
        self.need(Tok::RParen, "expected ')' in !instances")?;
        let list = self.ctx.store.types.list(ty);
        Some(self.ctx.make_un(UnOp::Instances, pattern, list, rec, false))
    }

    // ---- Operators that bind names -------------------------------------------------------------------------------

    /// Adds variables to the record that is being read, or to one made for them.
    fn lend(&mut self, rec: Option<RecId>, vars: &[(Sym, Ty)]) -> Lent {
        let own = rec.is_none();
        let rec = rec.unwrap_or_else(|| {
            let name = self.ctx.string_of(b".parse");
            let mut record = Record::new(name, Loc::NONE, RecKind::Def);
            record.locs = Locs::default();
            self.ctx.add_record(record)
        });
        let of = self.ctx.store.rec(rec);
        let lent = Lent { rec, shape: of.shape, fields: of.values.len(), locs: of.field_locs, own };
        self.push_scope(Around::Record(rec));
        for &(name, ty) in vars {
            self.ctx.push_field(rec, FieldDesc { name, ty, loose: false }, Val::UNSET, Loc::NONE);
        }
        lent
    }

    fn give_back(&mut self, lent: &Lent) {
        let rec = self.ctx.store.rec_mut(lent.rec);
        rec.shape = lent.shape;
        rec.values.truncate(lent.fields);
        rec.field_locs = lent.locs;
        self.pop_scope();
        if lent.own && self.ctx.store.records.len() == lent.rec.index() + 1 {
            self.ctx.store.records.pop();
        }
    }

    fn has_field(&self, rec: Option<RecId>, name: Sym) -> bool {
        rec.is_some_and(|r| self.ctx.store.shapes.look(self.ctx.store.rec(r).shape, name).is_some())
    }

    fn already_defined<T>(&mut self, what: &[u8], name: Sym, after: &[u8]) -> Option<T> {
        let text = [what, b"\"", self.ctx.store.names.get(name), b"\"", after].concat();
        self.token_error("tblgen-redefined", &text);
        None
    }

    pub(super) fn foreach_operation(&mut self, op: TernOp, rec: Option<RecId>, item: Option<Ty>) -> Option<Val> {
        let loc = self.loc();
        let is_filter = op == TernOp::Filter;
        let is_sort = op == TernOp::Sort;
        self.need_next(Tok::LParen, "expected '(' after !foreach/!filter")?;
        self.need_next(Tok::Id, "first argument of !foreach/!filter must be an identifier")?;
        let name = self.text();
        self.next();
        if self.has_field(rec, name) {
            return self.already_defined(b"iteration variable '", name, b"' is already defined");
        }
        self.need(Tok::Comma, "expected ',' in !foreach/!filter")?;
        let over = self.value(rec, None)?;
        self.need(Tok::Comma, "expected ',' in !foreach/!filter")?;
        let over_ty = self.ctx.store.vals.ty(over);
        if over_ty == Ty::NONE {
            return self.none("could not get type of !foreach/!filter list or dag");
        }
        let mut wanted = None;
        let element = if let Some(element) = self.ctx.store.types.element(over_ty) {
            if let Some(item) = item {
                let Some(out) = self.ctx.store.types.element(item) else {
                    let text = self.ctx.store.ty_text(item);
                    return self.none_at(
                        loc,
                        "tblgen-type",
                        &[b"expected value of type '", &text, b"', but got list type"],
                    );
                };
                wanted = if is_sort { None } else { Some(if is_filter { Ty::INT } else { out }) };
            }
            element
        } else if over_ty == Ty::DAG && !is_filter && !is_sort {
            if let Some(item) = item.filter(|&i| i != Ty::DAG) {
                let text = self.ctx.store.ty_text(item);
                return self.none_at(loc, "tblgen-type", &[b"expected value of type '", &text, b"', but got dag type"]);
            }
            Ty::DAG
        } else if is_sort {
            return self.none("!sort must have a list argument");
        } else if is_filter {
            return self.none("!filter must have a list argument");
        } else {
            return self.none("!foreach must have a list or dag argument");
        };
        let lent = self.lend(rec, &[(name, element)]);
        let body = self.value(Some(lent.rec), wanted);
        self.give_back(&lent);
        let body = body?;
        self.need(Tok::RParen, "expected ')' in !foreach/!filter")?;
        let mut ty = element;
        if is_sort {
            let key = self.ctx.store.vals.ty(body);
            if key != Ty::STRING && !self.ctx.store.convertible(key, Ty::INT) {
                return self.none("!sort key must be a string, int, bits, or bit");
            }
        }
        if is_filter || is_sort {
            ty = over_ty;
        } else if over_ty != Ty::DAG {
            let body_ty = self.ctx.store.vals.ty(body);
            if body_ty == Ty::NONE {
                return self.none("could not get type of !foreach result expression");
            }
            ty = self.ctx.store.types.list(body_ty);
        }
        let name = self.ctx.store.string(name);
        Some(self.ctx.make_tern(op, name, over, body, ty, rec))
    }

    pub(super) fn foldl_operation(&mut self, rec: Option<RecId>) -> Option<Val> {
        const COMMA: &str = "expected ',' in !foldl";
        self.next();
        self.need(Tok::LParen, "expected '(' after !foldl")?;
        let start = self.value(rec, None)?;
        let start_ty = self.ctx.store.vals.ty(start);
        if start_ty == Ty::NONE {
            let text =
                [b"could not get type of !foldl start: '", self.ctx.store.val_text(start).as_slice(), b"'"].concat();
            return self.type_error(&text);
        }
        self.need(Tok::Comma, COMMA)?;
        let list = self.value(rec, None)?;
        let list_ty = self.ctx.store.vals.ty(list);
        if list_ty == Ty::NONE {
            let text =
                [b"could not get type of !foldl list: '", self.ctx.store.val_text(list).as_slice(), b"'"].concat();
            return self.type_error(&text);
        }
        let Some(element) = self.ctx.store.types.element(list_ty) else {
            let text =
                [b"!foldl list must be a list, but is of type '", self.ctx.store.ty_text(list_ty).as_slice()].concat();
            return self.type_error(&text);
        };
        if self.tok != Tok::Comma {
            return self.none(COMMA);
        }
        self.need_next(Tok::Id, "third argument of !foldl must be an identifier")?;
        let first = self.text();
        if self.has_field(rec, first) {
            return self.already_defined(b"left !foldl variable '", first, b"' already defined");
        }
        self.need_next(Tok::Comma, COMMA)?;
        self.need_next(Tok::Id, "fourth argument of !foldl must be an identifier")?;
        let second = self.text();
        if self.has_field(rec, second) {
            return self.already_defined(b"right !foldl variable '", second, b"' already defined");
        }
        self.need_next(Tok::Comma, COMMA)?;
        self.next();
        let lent = self.lend(rec, &[(first, start_ty), (second, element)]);
        let body = self.value(Some(lent.rec), None);
        self.give_back(&lent);
        let body = body?;
        let body_ty = self.ctx.store.vals.ty(body);
        if body_ty == Ty::NONE {
            return self.none("could not get type of !foldl expression");
        }
        if body_ty != start_ty {
            let text = [
                b"!foldl expression must be of same type as start (",
                self.ctx.store.ty_text(start_ty).as_slice(),
                b"), but is of type ",
                &self.ctx.store.ty_text(body_ty),
            ]
            .concat();
            return self.type_error(&text);
        }
        self.need(Tok::RParen, "expected ')' in fold operator")?;
        let node = self.ctx.store.foldl(start, list, (first, second), body, start_ty);
        Some(self.ctx.fold_foldl(node, rec))
    }

    // ---- !cond, !range -------------------------------------------------------------------------------------------

    pub(super) fn cond_operation(&mut self, rec: Option<RecId>, item: Option<Ty>) -> Option<Val> {
        self.next();
        self.need(Tok::LParen, "expected '(' after !cond operator")?;
        let (mut conditions, mut values) = (Vec::new(), Vec::new());
        while !self.eat(Tok::RParen) {
            conditions.push(self.value(rec, None)?);
            self.need(Tok::Colon, "expected ':'  following a condition in !cond operator")?;
            values.push(self.value(rec, item)?);
            if self.eat(Tok::RParen) {
                break;
            }
            self.need(Tok::Comma, "expected ',' or ')' following a value in !cond operator")?;
        }
        if conditions.is_empty() {
            return self.none("there should be at least 1 'condition : value' in the !cond operator");
        }
        self.cond(&conditions, &values, rec, "!cond")
    }

    /// `!switch(key, case: value, …, value)`: the value of the first case that equals the key, or the last value.
    pub(super) fn switch_operation(&mut self, rec: Option<RecId>, item: Option<Ty>) -> Option<Val> {
        self.next();
        self.need(Tok::LParen, "expected '(' after !switch operator")?;
        let key = self.value(rec, None)?;
        self.need(Tok::Comma, "expected ',' after the key of !switch")?;
        let (mut conditions, mut values) = (Vec::new(), Vec::new());
        loop {
            let first = self.value(rec, item)?;
            if self.eat(Tok::RParen) {
                conditions.push(Val::TRUE);
                values.push(first);
                break;
            }
            self.need(Tok::Colon, "expected ':' after a case of !switch, or ')' after its last value")?;
            let (a, b) = (self.ctx.store.vals.ty(key), self.ctx.store.vals.ty(first));
            if self.ctx.store.common_ty(a, b).is_none() {
                return self.inconsistent(a, b, b"!switch");
            }
            conditions.push(self.ctx.make_bin(BinOp::Eq, key, first, Ty::BIT, rec));
            values.push(self.value(rec, item)?);
            self.need(Tok::Comma, "expected ',' and a value for all other cases of !switch")?;
        }
        if conditions.len() < 2 {
            return self.none("there should be at least 1 'case : value' in the !switch operator");
        }
        self.cond(&conditions, &values, rec, "!switch")
    }

    fn cond(&mut self, conditions: &[Val], values: &[Val], rec: Option<RecId>, op: &str) -> Option<Val> {
        let mut ty: Option<Ty> = None;
        for &value in values {
            let value_ty = self.ctx.store.vals.ty(value);
            if value == Val::UNSET {
                continue;
            }
            ty = match ty {
                None => Some(value_ty),
                Some(so_far) => match self.ctx.store.common_ty(so_far, value_ty) {
                    Some(common) => Some(common),
                    None => return self.inconsistent(so_far, value_ty, op.as_bytes()),
                },
            };
        }
        let Some(ty) = ty else {
            return self.none(&format!("could not determine type for {op} from its arguments"));
        };
        let node = self.ctx.store.cond(conditions, values, ty);
        Some(self.ctx.fold_cond(node, rec))
    }

    fn inconsistent<T>(&mut self, a: Ty, b: Ty, op: &[u8]) -> Option<T> {
        let (a, b) = (self.ctx.store.ty_text(a), self.ctx.store.ty_text(b));
        let text = [b"inconsistent types '", a.as_slice(), b"' and '", &b, b"' for ", op].concat();
        self.type_error(&text)
    }

    pub(super) fn range_operation(&mut self, rec: Option<RecId>) -> Option<Val> {
        let loc = self.loc();
        self.next();
        self.need(Tok::LParen, "expected '(' after !range operator")?;
        let mut args: Vec<Val> = Vec::new();
        let mut of_list = false;
        loop {
            if args.len() >= 3 {
                return self.none("expected at most three values of integer");
            }
            let at = self.loc();
            let value = self.value(rec, None)?;
            args.push(value);
            let ty = self.ctx.store.vals.ty(value);
            let text = self.ctx.store.ty_text(ty);
            if ty == Ty::NONE {
                return self.none_at(loc, "tblgen-type", &[b"expected value to be a typed value, got '", &text, b"'"]);
            }
            let what: Option<&[u8]> = if of_list {
                Some(b"expected one list, got extra value of type '")
            } else if args.len() == 1 && ty.is_list() {
                of_list = true;
                None
            } else if ty == Ty::INT {
                None
            } else if args.len() == 1 {
                Some(b"expected list or int, got value of type '")
            } else {
                Some(b"expected value of type 'int', got '")
            };
            if let Some(what) = what {
                return self.none_at(at, "tblgen-type", &[what, &text, b"'"]);
            }
            if !self.eat(Tok::Comma) {
                break;
            }
        }
        self.need(Tok::RParen, "expected ')' in operator")?;
        let (zero, one) = (self.ctx.store.int(0), self.ctx.store.int(1));
        let (from, to, step) = match args[..] {
            [only] if of_list => {
                let node = self.ctx.store.un(UnOp::Size, only, Ty::INT);
                (zero, self.ctx.fold_un(node, rec, false), one)
            }
            [to] => (zero, to, one),
            [from, to] => (from, to, one),
            [from, to, step] => (from, to, step),
            _ => return None,
        };
        let ty = self.ctx.store.types.list(Ty::INT);
        Some(self.ctx.make_tern(TernOp::Range, from, to, step, ty, rec))
    }

    // ---- Three operands ------------------------------------------------------------------------------------------

    pub(super) fn ternary(&mut self, op: TernOp, rec: Option<RecId>, item: Option<Ty>) -> Option<Val> {
        let item = item.filter(|_| op == TernOp::If || op == TernOp::Subst);
        self.next();
        self.need(Tok::LParen, "expected '(' after ternary operator")?;
        let a = self.value(rec, None)?;
        self.need(Tok::Comma, "expected ',' in ternary operator")?;
        let b_loc = self.loc();
        let b = self.value(rec, item)?;
        self.need(Tok::Comma, "expected ',' in ternary operator")?;
        let c_loc = self.loc();
        let c = self.value(rec, item)?;
        self.need(Tok::RParen, "expected ')' in binary operator")?;
        let (b_ty, c_ty) = (self.ctx.store.vals.ty(b), self.ctx.store.vals.ty(c));
        let text = |this: &Self, ty: Ty| this.ctx.store.ty_text(ty);
        let ty = match op {
            TernOp::If => {
                let b_ty = if b == Val::UNSET { c_ty } else { b_ty };
                let c_ty = if c == Val::UNSET { b_ty } else { c_ty };
                if b_ty == Ty::NONE || c_ty == Ty::NONE {
                    return self.none("could not get type for !if");
                }
                match self.ctx.store.common_ty(b_ty, c_ty) {
                    Some(ty) => ty,
                    None => return self.inconsistent(b_ty, c_ty, b"!if"),
                }
            }
            TernOp::Subst if c_ty == Ty::NONE => return self.none("could not get type for !subst"),
            TernOp::Subst => c_ty,
            TernOp::Dag => {
                if b_ty != Ty::NONE && !b_ty.is_list() {
                    let t = text(self, b_ty);
                    return self.none_at(b_loc, "tblgen-type", &[b"expected list of children, got type '", &t, b"'"]);
                }
                if c_ty != Ty::NONE && c_ty != self.ctx.store.types.list(Ty::STRING) {
                    let t = text(self, c_ty);
                    return self.none_at(c_loc, "tblgen-type", &[b"expected list<string>, got type '", &t, b"'"]);
                }
                if b_ty == Ty::NONE && c_ty == Ty::NONE {
                    let t = b"cannot have both unset children and unset names in !dag";
                    return self.none_at(b_loc, "tblgen-type", &[t]);
                }
                Ty::DAG
            }
            _ => {
                if !self.is_index(b) {
                    let got = if b_ty == Ty::NONE {
                        [b"'", self.ctx.store.val_text(b).as_slice()].concat()
                    } else {
                        [b"type '", text(self, b_ty).as_slice()].concat()
                    };
                    return self.none_at(
                        b_loc,
                        "tblgen-type",
                        &[b"expected integer index or string name, got ", &got, b"'"],
                    );
                }
                if op == TernOp::SetDagName && c_ty != Ty::NONE && c_ty != Ty::STRING {
                    let t = text(self, c_ty);
                    return self.none_at(
                        c_loc,
                        "tblgen-type",
                        &[b"expected string or unset name, got type '", &t, b"'"],
                    );
                }
                Ty::DAG
            }
        };
        Some(self.ctx.make_tern(op, a, b, c, ty, rec))
    }

    pub(super) fn substr_operation(&mut self, rec: Option<RecId>, item: Option<Ty>) -> Option<Val> {
        let longest = self.ctx.store.int(i64::MAX);
        let words = ["!substr", "string", "start position", "length"];
        let types = [Ty::STRING, Ty::INT, Ty::INT];
        let [a, b, c] = self.string_operands(rec, item, Ty::STRING, words, types, longest)?;
        Some(self.ctx.make_tern(TernOp::Substr, a, b, c, Ty::STRING, rec))
    }

    pub(super) fn find_operation(&mut self, rec: Option<RecId>, item: Option<Ty>) -> Option<Val> {
        let start = self.ctx.store.int(0);
        let words = ["!find", "source string", "target string", "start position"];
        let types = [Ty::STRING, Ty::STRING, Ty::INT];
        let [a, b, c] = self.string_operands(rec, item, Ty::INT, words, types, start)?;
        Some(self.ctx.make_tern(TernOp::Find, a, b, c, Ty::INT, rec))
    }

    /// Three operands of these types, of which the last may be missing.
    fn string_operands(
        &mut self,
        rec: Option<RecId>,
        item: Option<Ty>,
        ty: Ty,
        words: [&str; 4],
        types: [Ty; 3],
        missing: Val,
    ) -> Option<[Val; 3]> {
        let op = words[0];
        self.next();
        if !self.eat(Tok::LParen) {
            return self.none(&format!("expected '(' after {op} operator"));
        }
        let mut locs = [self.loc(); 3];
        let a = self.value(rec, None)?;
        if !self.eat(Tok::Comma) {
            return self.none(&format!("expected ',' in {op} operator"));
        }
        locs[1] = self.loc();
        let b = self.value(rec, None)?;
        let mut c = missing;
        if self.eat(Tok::Comma) {
            locs[2] = self.loc();
            c = self.value(rec, None)?;
        }
        if !self.eat(Tok::RParen) {
            return self.none(&format!("expected ')' in {op} operator"));
        }
        if let Some(item) = item
            && !self.ctx.store.convertible(ty, item)
        {
            return self.expected_got(locs[2], item, ty);
        }
        for (i, value) in [a, b, c].into_iter().enumerate() {
            let got = self.ctx.store.vals.ty(value);
            if got == Ty::NONE {
                return self.none(&format!("could not determine type of the {} in {op}", words[i + 1]));
            }
            if got != types[i] {
                let (want, got) = (self.ctx.store.ty_text(types[i]), self.ctx.store.ty_text(got));
                let text = [b"expected ", want.as_slice(), b", got type '", &got, b"'"].concat();
                // llvm-tblgen points at the operand only for the second one.
                if i != 1 {
                    return self.type_error(&text);
                }
                return self.none_at(locs[i], "tblgen-type", &[&text]);
            }
        }
        Some([a, b, c])
    }
}
