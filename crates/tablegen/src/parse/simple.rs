//! Values without suffixes: literals, identifiers, `Class<args>`, bit lists, lists and dags.

use super::{Done, Mode, Parser, Stop};
use crate::lex::token::{Bang, Tok};
use crate::limits;
use crate::loc::Loc;
use crate::names::Sym;
use crate::ops::UnOp;
use crate::record::RecId;
use crate::ty::Ty;
use crate::value::{Arg, Val, ValueKind};

/// Which parameters have an argument.
#[derive(Default)]
struct Given {
    first: u64,
    more: Vec<usize>,
}

impl Given {
    fn has(&self, at: usize) -> bool {
        if at < 64 { self.first >> at & 1 == 1 } else { self.more.contains(&at) }
    }

    /// Adds one; whether it is new.
    fn insert(&mut self, at: usize) -> bool {
        let is_new = !self.has(at);
        match at {
            0..64 => self.first |= 1 << at,
            _ => self.more.push(at),
        }
        is_new
    }
}

impl Parser<'_> {
    pub(super) fn simple_value(&mut self, rec: Option<RecId>, ty: Option<Ty>, mode: Mode) -> Option<Val> {
        match self.tok {
            Tok::Bang(bang) => return self.operation(bang, rec, ty),
            Tok::Id => return self.id_value(rec, mode),
            Tok::LBrace => return self.bits_value(rec),
            Tok::LSquare => return self.list_value(rec, ty),
            Tok::LParen => return self.dag_value(rec),
            Tok::Str => {
                let mut text = self.text();
                while self.next() == Tok::Str {
                    let mut all = self.name_of(text);
                    all.extend(self.ctx.store.names.get(self.text()));
                    if all.len() > self.ctx.max_string() {
                        self.ctx.too_much("strings");
                        return None;
                    }
                    text = self.ctx.store.names.intern(&all);
                }
                return Some(self.ctx.store.string(text));
            }
            _ => {}
        }
        let value = match self.tok {
            Tok::True => self.ctx.store.int(1),
            Tok::False => self.ctx.store.int(0),
            Tok::Int => self.ctx.store.int(self.lex.value.int),
            Tok::BinaryInt => {
                let (value, digits) = (self.lex.value.int, self.lex.value.digits);
                let bits: Vec<u32> = (0..digits).map(|i| Val::bit(value.wrapping_shr(i) & 1 == 1).0).collect();
                self.ctx.store.bits(&bits)
            }
            Tok::Code => {
                let text = self.text();
                self.ctx.store.code(text, true)
            }
            Tok::Question => Val::UNSET,
            _ => return self.none("Unknown or reserved token when parsing a value"),
        };
        self.next();
        Some(value)
    }

    fn id_value(&mut self, rec: Option<RecId>, mode: Mode) -> Option<Val> {
        let loc = self.loc();
        let name = self.text();
        match self.next() {
            // The name of a named argument.
            Tok::Equal => return Some(self.ctx.store.string(name)),
            Tok::Less => {}
            _ => return self.identifier(rec, name, loc, mode),
        }
        let Some(&class) = self.ctx.store.class_by_name.get(&name) else {
            let word = self.name_of(name);
            return self.none_at(loc, "tblgen-undefined", &[b"Expected a class name, got '", &word, b"'"]);
        };
        self.next();
        let mut args = self.template_args(rec, class).ok()?;
        self.check_args(&mut args, loc, class)?;
        self.match_args(class, &args, loc, |_, _| {}).ok()?;
        let node = self.ctx.store.var_def(class, &args);
        if self.ctx.store.newest {
            self.ctx.store.written_at.entry(node).or_insert(loc);
        }
        Some(self.ctx.fold_var_def(node))
    }

    /// Arguments up to and with the `>`; the `<` was eaten.
    pub(super) fn template_args(&mut self, rec: Option<RecId>, of: RecId) -> Result<Vec<Arg>, Stop> {
        let mut args = Vec::with_capacity(self.ctx.store.rec(of).args().len());
        if self.eat(Tok::Greater) {
            return Ok(args);
        }
        let mut by_name = false;
        for index in 0.. {
            let Some(expected) = self.ctx.store.rec(of).args().get(index).map(|a| a.ty) else {
                let text = format!("Too many template arguments: {}", index + 1);
                return self.fail("tblgen-argument", &text);
            };
            let mut loc = self.loc();
            let mut value = self.value(rec, (!by_name).then_some(expected)).ok_or(Stop)?;
            if self.tok == Tok::Equal {
                let Some(name) = self.ctx.store.vals.as_str(value) else {
                    return self.fail_at(
                        loc,
                        "tblgen-argument",
                        b"The name of named argument should be a valid identifier",
                    );
                };
                let qualified = self.qualified(of, name);
                let Some(ty) = self.ctx.store.field_ty(of, qualified) else {
                    let text = [b"Argument ", self.ctx.store.val_text(value).as_slice(), b" doesn't exist"].concat();
                    self.error(loc, "tblgen-argument", &text);
                    self.suggest_arg(of, name);
                    return Err(Stop);
                };
                self.next();
                loc = self.loc();
                value = self.value(rec, Some(ty)).ok_or(Stop)?;
                if value == Val::UNSET {
                    return self.fail_at(
                        loc,
                        "tblgen-argument",
                        b"The value of named argument should be initialized, but we got '?'",
                    );
                }
                args.push(Arg::named(qualified, value));
                by_name = true;
            } else {
                if by_name {
                    return self.fail_at(
                        loc,
                        "tblgen-argument",
                        b"Positional argument should be put before named argument",
                    );
                }
                args.push(Arg::at(index as u32, value));
            }
            if self.eat(Tok::Greater) {
                return Ok(args);
            }
            self.expect(Tok::Comma, "tblgen-syntax", "Expected comma before next argument")?;
        }
        Ok(args)
    }

    fn suggest_arg(&mut self, of: RecId, name: Sym) {
        let ctx = &self.ctx;
        let text = |s: Sym| String::from_utf8_lossy(ctx.store.names.get(s)).into_owned();
        let names: Vec<String> = ctx.store.rec(of).args().iter().map(|a| text(a.name)).collect();
        let plain: Vec<&str> = names.iter().filter_map(|n| n.rsplit(':').next()).collect();
        if let Some(near) = isaglot_source::closest(&text(name), plain) {
            let help = format!("did you mean '{near}'?");
            self.ctx.messages.help(&self.ctx.store.places, Loc::NONE, help);
        }
    }

    /// Converts arguments to the types of their parameters.
    pub(super) fn check_args(&mut self, args: &mut [Arg], loc: Loc, of: RecId) -> Option<()> {
        for arg in args {
            let value = arg.value;
            let params = self.ctx.store.rec(of).args();
            let param = match arg.key() {
                Ok(position) => params.get(position as usize).copied(),
                Err(name) => params.iter().find(|a| a.name == name).copied(),
            }?;
            let from = self.ctx.store.vals.ty(value);
            if from == Ty::NONE {
                continue;
            }
            match self.ctx.cast_to(value, param.ty) {
                Some(cast) => arg.value = cast,
                None => {
                    let text = [
                        b"Value specified for template argument '",
                        self.ctx.store.names.get(param.name),
                        b"' is of type ",
                        &self.ctx.store.ty_text(from),
                        b"; expected type ",
                        &self.ctx.store.ty_text(param.ty),
                        b": ",
                        &self.ctx.store.val_text(value),
                    ]
                    .concat();
                    self.error(loc, "tblgen-argument", &text);
                    self.ctx.messages.help(&self.ctx.store.places, param.loc, "the argument is declared here");
                    self.ctx.eval.stopped = true;
                    self.ctx.messages.closed = true;
                    return None;
                }
            }
        }
        Some(())
    }

    /// Finds the value of each parameter, and gives them to `take`: arguments, then the defaults of the others.
    pub(super) fn match_args(&mut self, of: RecId, args: &[Arg], loc: Loc, mut take: impl FnMut(Sym, Val)) -> Done {
        let params = self.ctx.store.rec(of).args();
        let mut given = Given::default();
        for &arg in args {
            let at = match arg.key() {
                Ok(position) => Some(position as usize).filter(|&at| at < params.len()),
                Err(name) => params.iter().position(|p| p.name == name),
            };
            match at {
                Some(at) if given.insert(at) => take(params[at].name, arg.value),
                _ => {
                    let name = at.map_or(arg.key().err().unwrap_or(Sym::NONE), |at| params[at].name);
                    let name = self.ctx.store.names.get(name);
                    let text = [b"We can only specify the template argument '", name, b"' once"].concat();
                    return self.fail_at(loc, "tblgen-argument", &text);
                }
            }
        }
        for (i, &param) in params.iter().enumerate() {
            if given.has(i) {
                continue;
            }
            if self.ctx.store.vals.flags(param.default) & crate::value::flag::COMPLETE == 0 {
                let text = [b"value not specified for template argument '", self.ctx.store.names.get(param.name), b"'"]
                    .concat();
                self.error(loc, "tblgen-argument", &text);
                let text = [b"declared in '", self.ctx.store.rec_name(of).as_slice(), b"'"].concat();
                self.ctx.messages.note(&self.ctx.store.places, param.loc, &text);
                return Err(Stop);
            }
            take(param.name, param.default);
        }
        Ok(())
    }

    /// Values with commas between, to the end of the parts; `None` after an error.
    fn value_list(&mut self, rec: Option<RecId>, ty: Option<Ty>) -> Option<()> {
        let from = self.parts.len();
        loop {
            let value = self.value(rec, ty)?;
            self.parts.push(value.0);
            if self.parts.len() - from > self.ctx.max_list() {
                self.ctx.too_much("lists");
                return None;
            }
            if !self.eat(Tok::Comma) || self.tok == Tok::RSquare {
                return Some(());
            }
        }
    }

    fn bits_value(&mut self, rec: Option<RecId>) -> Option<Val> {
        let open = self.loc();
        self.next();
        let from = self.parts.len();
        if self.tok != Tok::RBrace {
            self.value_list(rec, None)?;
        }
        if !self.eat(Tok::RBrace) {
            return self.none("expected '}' at end of bit list value");
        }
        // Written high to low.
        let mut bits: Vec<u32> = Vec::new();
        let values = self.parts.split_off(from);
        for (i, value) in values.into_iter().map(Val).enumerate() {
            let kind = self.ctx.store.vals.kind(value);
            let width = self.ctx.store.vals.ty(value).width();
            match width.filter(|_| kind == ValueKind::Bits || kind == ValueKind::Var) {
                Some(width) => bits.extend((0..width).rev().map(|b| self.ctx.store.bit_of(value, b).0)),
                None => match self.ctx.cast_to(value, Ty::BIT) {
                    Some(bit) => bits.push(bit.0),
                    None => {
                        let text = self.ctx.store.val_text(value);
                        let number = i.to_string();
                        return self.none_at(
                            open,
                            "tblgen-type",
                            &[b"Element #", number.as_bytes(), b" (", &text, b") is not convertable to a bit"],
                        );
                    }
                },
            }
            if bits.len() as u64 > limits::MAX_BITS {
                self.ctx.too_much("bits");
                return None;
            }
        }
        bits.reverse();
        Some(self.ctx.store.bits(&bits))
    }

    fn list_value(&mut self, rec: Option<RecId>, ty: Option<Ty>) -> Option<Val> {
        self.next();
        let given = match ty {
            None => None,
            Some(ty) => match self.ctx.store.types.element(ty) {
                Some(element) => Some(element),
                None => {
                    let text =
                        [b"Encountered a list when expecting a ", self.ctx.store.ty_text(ty).as_slice()].concat();
                    return self.type_error(&text);
                }
            },
        };
        let from = self.parts.len();
        if self.tok != Tok::RSquare {
            self.value_list(rec, given)?;
        }
        self.need(Tok::RSquare, "expected ']' at end of list value")?;
        let mut stated = None;
        if self.eat(Tok::Less) {
            stated = Some(self.ty()?);
            self.need(Tok::Greater, "expected '>' at end of list element type")?;
        }
        let mut element: Option<Ty> = None;
        for at in from..self.parts.len() {
            let ty = self.ctx.store.vals.ty(Val(self.parts[at]));
            if ty == Ty::NONE {
                continue;
            }
            element = match element {
                None => Some(ty),
                Some(so_far) if so_far == ty => continue,
                Some(so_far) => match self.ctx.store.common_ty(so_far, ty) {
                    Some(common) => Some(common),
                    None => return self.none("Incompatible types in list elements"),
                },
            };
        }
        if let Some(stated) = stated {
            if let Some(element) = element
                && !self.ctx.store.convertible(element, stated)
            {
                return self.none("Incompatible types in list elements");
            }
            element = Some(stated);
        }
        let element = match (element, given) {
            (None, None) => return self.none("No type for list"),
            (None, Some(given)) => given,
            (Some(element), Some(given)) if !self.ctx.store.convertible(element, given) => {
                let text = [
                    b"Element type mismatch for list: element type '",
                    self.ctx.store.ty_text(element).as_slice(),
                    b"' not convertible to '",
                    &self.ctx.store.ty_text(given),
                ]
                .concat();
                return self.type_error(&text);
            }
            (Some(element), _) => element,
        };
        Some(self.take_parts(from, |ctx, parts| ctx.list(element, parts)))
    }

    fn dag_value(&mut self, rec: Option<RecId>) -> Option<Val> {
        let allowed =
            [Tok::Id, Tok::Bang(Bang::Unary(UnOp::Cast)), Tok::Question, Tok::Bang(Bang::Unary(UnOp::GetDagOp))];
        let open = self.loc();
        self.next();
        if !allowed.contains(&self.tok) {
            return self.none("expected identifier in dag init");
        }
        let op = self.value(rec, None)?;
        let mut name = Sym::NONE;
        if self.eat(Tok::Colon) {
            if self.tok != Tok::VarName {
                return self.none("expected variable name in dag operator");
            }
            name = self.text();
            self.next();
        }
        let from = self.parts.len();
        self.parts.extend([op.0, name.0]);
        if self.tok != Tok::RParen {
            loop {
                let (arg, name) = self.dag_arg(rec)?;
                self.parts.extend([arg.0, name.0]);
                if self.parts.len() - from > self.ctx.max_list() {
                    self.ctx.too_much("dags");
                    return None;
                }
                if !self.eat(Tok::Comma) {
                    break;
                }
            }
        }
        if !self.eat(Tok::RParen) {
            self.token_error("tblgen-syntax", b"expected ')' in dag init");
            self.ctx.messages.help(&self.ctx.store.places, open, "to match this '('");
            return None;
        }
        Some(self.take_parts(from, |ctx, run| ctx.store.dag(run)))
    }

    fn dag_arg(&mut self, rec: Option<RecId>) -> Option<(Val, Sym)> {
        if self.tok == Tok::VarName {
            let name = self.text();
            self.next();
            return Some((Val::UNSET, name));
        }
        let value = self.value(rec, None)?;
        if self.tok != Tok::Colon {
            return Some((value, Sym::NONE));
        }
        self.need_next(Tok::VarName, "expected variable name in dag literal")?;
        let name = self.text();
        self.next();
        Some((value, name))
    }
}
