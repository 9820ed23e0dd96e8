//! Statements other than `class`, `def`, `defm` and `multiclass`.

use super::scope::Around;
use super::{Defset, Done, Entry, LetItem, Loop, Parser, Stop};
use crate::lex::token::Tok;
use crate::loc::Loc;
use crate::names::Sym;
use crate::record::{Assertion, Dump, RecId};
use crate::resolve::Resolver;
use crate::ty::Ty;
use crate::value::Val;

impl Parser<'_> {
    pub(super) fn at_object(&self) -> bool {
        matches!(
            self.tok,
            Tok::Assert
                | Tok::Class
                | Tok::Def
                | Tok::Defm
                | Tok::Defset
                | Tok::Deftype
                | Tok::Defvar
                | Tok::Dump
                | Tok::Foreach
                | Tok::If
                | Tok::Let
                | Tok::MultiClass
        )
    }

    pub(super) fn object_list(&mut self) -> Done {
        while self.at_object() {
            self.object()?;
        }
        Ok(())
    }

    pub(super) fn object(&mut self) -> Done {
        if !self.deeper() {
            return Err(Stop);
        }
        let done = self.object_inner();
        self.depth -= 1;
        if self.ctx.eval.stopped { Err(Stop) } else { done }
    }

    fn object_inner(&mut self) -> Done {
        match self.tok {
            Tok::Assert => self.assertion(None),
            Tok::Def => self.def(),
            Tok::Defm => self.defm(),
            Tok::Deftype => self.deftype(),
            Tok::Defvar => self.defvar(None),
            Tok::Dump => self.dump(None),
            Tok::Foreach => self.foreach(),
            Tok::If => self.if_statement(),
            Tok::Let => self.let_statement(),
            Tok::Defset if self.multi.is_some() => {
                self.fail("tblgen-syntax", "defset is not allowed inside multiclass")
            }
            Tok::Defset => self.defset(),
            Tok::Class if self.multi.is_some() => self.fail("tblgen-syntax", "class is not allowed inside multiclass"),
            Tok::Class if !self.loops.is_empty() => {
                self.fail("tblgen-syntax", "class is not allowed inside foreach loop")
            }
            Tok::Class => self.class(),
            Tok::MultiClass if !self.loops.is_empty() => {
                self.fail("tblgen-syntax", "multiclass is not allowed inside foreach loop")
            }
            Tok::MultiClass => self.multiclass(),
            _ => self.fail("tblgen-syntax", "Expected assert, class, def, defm, defset, dump, foreach, if, or let"),
        }
    }

    /// `{ statements }` or one statement.
    fn block(&mut self, end: &str) -> Done {
        if self.tok != Tok::LBrace {
            return self.object();
        }
        let open = self.loc();
        self.next();
        self.object_list()?;
        self.close(open, end)
    }

    fn close(&mut self, open: Loc, end: &str) -> Done {
        if self.eat(Tok::RBrace) {
            return Ok(());
        }
        self.token_error("tblgen-syntax", end.as_bytes());
        self.fail_at(open, "tblgen-syntax", b"to match this '{'")
    }

    pub(super) fn assertion(&mut self, rec: Option<RecId>) -> Done {
        self.next();
        let loc = self.loc();
        let condition = self.value(rec, None).ok_or(Stop)?;
        self.expect(Tok::Comma, "tblgen-syntax", "expected ',' in assert statement")?;
        let message = self.value(rec, None).ok_or(Stop)?;
        if !self.eat(Tok::Semi) {
            return self.fail("tblgen-syntax", "expected ';'");
        }
        let assertion = Assertion { loc, condition, message, written: condition };
        match rec {
            Some(rec) => {
                self.add_assertion(rec, assertion);
                Ok(())
            }
            None => self.add_entry(Entry::Assertion(assertion)),
        }
    }

    pub(super) fn dump(&mut self, rec: Option<RecId>) -> Done {
        let loc = self.loc();
        self.next();
        let message = self.value(rec, None).ok_or(Stop)?;
        let message = self.dumped(message, rec);
        if !self.eat(Tok::Semi) {
            return self.fail("tblgen-syntax", "expected ';'");
        }
        match rec {
            Some(rec) => {
                self.add_dump(rec, Dump { loc, message });
                Ok(())
            }
            None => {
                let message = self.ctx.run(message, &mut Resolver::finish());
                self.add_entry(Entry::Dump(Dump { loc, message }))
            }
        }
    }

    pub(super) fn defvar(&mut self, rec: Option<RecId>) -> Done {
        self.expect_next(Tok::Id, "tblgen-syntax", "expected identifier")?;
        let name = self.text();
        if self.local_exists(name) {
            return self.fail("tblgen-redefined", "local variable of this name already exists");
        }
        if rec.is_some_and(|r| self.ctx.store.shapes.look(self.ctx.store.rec(r).shape, name).is_some()) {
            return self.fail("tblgen-redefined", "field of this name already exists");
        }
        if self.outermost() && self.ctx.store.global(name).is_some() {
            return self.fail("tblgen-redefined", "def or global variable of this name already exists");
        }
        self.next();
        self.expect(Tok::Equal, "tblgen-syntax", "expected '='")?;
        let value = self.value(rec, None).ok_or(Stop)?;
        if !self.eat(Tok::Semi) {
            return self.fail("tblgen-syntax", "expected ';'");
        }
        if self.outermost() {
            self.ctx.store.globals.insert(name, value);
        } else {
            self.add_local(name, value);
        }
        Ok(())
    }

    fn deftype(&mut self) -> Done {
        self.expect_next(Tok::Id, "tblgen-syntax", "expected identifier")?;
        let name = self.text();
        if self.aliases.contains_key(&name) || self.ctx.store.class_by_name.contains_key(&name) {
            let text = [b"type of this name '", self.ctx.store.names.get(name), b"' already exists"].concat();
            self.token_error("tblgen-redefined", &text);
            return Err(Stop);
        }
        self.next();
        self.expect(Tok::Equal, "tblgen-syntax", "expected '='")?;
        let loc = self.loc();
        let ty = self.ty().ok_or(Stop)?;
        if ty.is_record() {
            let text =
                [b"cannot define type alias for class type '", self.ctx.store.ty_text(ty).as_slice(), b"'"].concat();
            return self.fail_at(loc, "tblgen-type", &text);
        }
        self.aliases.insert(name, ty);
        if !self.eat(Tok::Semi) {
            return self.fail("tblgen-syntax", "expected ';'");
        }
        Ok(())
    }

    fn defset(&mut self) -> Done {
        self.next();
        let loc = self.loc();
        let ty = self.ty().ok_or(Stop)?;
        let Some(element) = self.ctx.store.types.element(ty) else {
            return self.fail_at(loc, "tblgen-type", b"expected list type");
        };
        if self.tok != Tok::Id {
            return self.fail("tblgen-syntax", "expected identifier");
        }
        let name = self.text();
        if self.ctx.store.global(name).is_some() {
            return self.fail("tblgen-redefined", "def or global variable of this name already exists");
        }
        self.expect_next(Tok::Equal, "tblgen-syntax", "expected '='")?;
        if self.next() != Tok::LBrace {
            return self.fail("tblgen-syntax", "expected '{'");
        }
        let open = self.loc();
        self.next();
        self.defsets.push(Defset { element, loc, elements: Vec::new() });
        let result = self.object_list();
        let Some(done) = self.defsets.pop() else { return Err(Stop) };
        result?;
        self.close(open, "expected '}' at end of defset")?;
        let parts: Vec<u32> = done.elements.iter().map(|v| v.0).collect();
        let list = self.ctx.list(element, &parts);
        self.ctx.store.globals.insert(name, list);
        Ok(())
    }

    // ---- let -----------------------------------------------------------------------------------------------------

    fn let_statement(&mut self) -> Done {
        self.next();
        let items = self.let_list()?;
        self.lets.push(items);
        self.expect(Tok::In, "tblgen-syntax", "expected 'in' at end of top-level 'let'")?;
        if self.tok == Tok::LBrace {
            self.push_scope(Around::Nothing);
            self.block("expected '}' at end of top level let command")?;
            self.pop_scope();
        } else {
            self.object()?;
        }
        self.lets.pop();
        Ok(())
    }

    fn let_list(&mut self) -> Result<Vec<LetItem>, Stop> {
        let mut items = Vec::new();
        loop {
            if self.tok != Tok::Id {
                return self.fail("tblgen-syntax", "expected identifier in let definition");
            }
            let (name, loc) = (self.text(), self.loc());
            self.next();
            let mut bits = self.optional_ranges(false)?;
            bits.reverse();
            self.expect(Tok::Equal, "tblgen-syntax", "expected '=' in let expression")?;
            let value = self.value(None, None).ok_or(Stop)?;
            items.push(LetItem { name, bits, value, loc });
            if !self.eat(Tok::Comma) {
                return Ok(items);
            }
        }
    }

    // ---- foreach and if ------------------------------------------------------------------------------------------

    fn foreach(&mut self) -> Done {
        let loc = self.loc();
        self.next();
        let Ok((name, ty, list)) = self.foreach_declaration() else {
            if self.ctx.eval.stopped {
                return Err(Stop);
            }
            return self.fail("tblgen-syntax", "expected declaration in for");
        };
        self.expect(Tok::In, "tblgen-syntax", "Unknown tok")?;
        self.push_scope(Around::Loop(name, ty));
        self.loops.push(Loop { loc, iterator: Some((name, ty)), list, entries: Vec::new() });
        self.block("expected '}' at end of foreach command")?;
        self.pop_scope();
        self.end_loop()
    }

    fn end_loop(&mut self) -> Done {
        let Some(inner) = self.loops.pop() else { return Err(Stop) };
        self.add_entry(Entry::Loop(Box::new(inner)))
    }

    fn foreach_declaration(&mut self) -> Result<(Sym, Ty, Val), Stop> {
        if self.tok != Tok::Id {
            return self.fail("tblgen-syntax", "Expected identifier in foreach declaration");
        }
        let name = self.text();
        self.next();
        self.expect(Tok::Equal, "tblgen-syntax", "Expected '=' in foreach declaration")?;
        let mut ranges = Vec::new();
        if self.eat(Tok::LBrace) {
            ranges = self.range_list();
            if !self.eat(Tok::RBrace) {
                return self.fail("tblgen-syntax", "expected '}' at end of bit range list");
            }
        } else {
            let loc = self.loc();
            let value = self.value(None, None).ok_or(Stop)?;
            let ty = self.ctx.store.vals.ty(value);
            if let Some(element) = self.ctx.store.types.element(ty) {
                return Ok((name, element, value));
            }
            if ty == Ty::NONE {
                let text = [b"expected a list, got '", self.ctx.store.val_text(value).as_slice(), b"'"].concat();
                self.error(loc, "tblgen-type", &text);
                if self.multi.is_some() {
                    let text = b"references to multiclass template arguments cannot be resolved at this time";
                    self.ctx.messages.note(&self.ctx.store.places, Loc::NONE, text);
                }
                return Err(Stop);
            }
            self.range_piece(Some(value), &mut ranges)?;
        }
        if ranges.is_empty() {
            return Err(Stop);
        }
        let numbers: Vec<u32> = ranges.iter().map(|&n| self.ctx.store.int(i64::from(n)).0).collect();
        let list = self.ctx.list(Ty::INT, &numbers);
        Ok((name, Ty::INT, list))
    }

    fn if_statement(&mut self) -> Done {
        let loc = self.loc();
        self.next();
        let condition = self.value(None, None).ok_or(Stop)?;
        self.expect(Tok::Then, "tblgen-syntax", "Unknown tok")?;
        self.if_arm(loc, condition, true)?;
        if self.eat(Tok::Else) {
            self.if_arm(loc, condition, false)?;
        }
        Ok(())
    }

    fn if_arm(&mut self, loc: Loc, condition: Val, then: bool) -> Done {
        let list = self.arm(condition, then);
        self.loops.push(Loop { loc, iterator: None, list, entries: Vec::new() });
        self.push_scope(Around::Nothing);
        let end = if then { "expected '}' at end of 'then' clause" } else { "expected '}' at end of 'else' clause" };
        self.block(end)?;
        self.pop_scope();
        self.end_loop()
    }
}
