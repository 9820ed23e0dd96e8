//! Multiclasses, `defm`, and the running of what loops and multiclasses hold.

use super::scope::Around;
use super::{Done, Entry, Loop, MultiClass, Parser, Reference, Stop};
use crate::lex::token::Tok;
use crate::loc::Loc;
use crate::names::Sym;
use crate::ops::{TernOp, UnOp};
use crate::origin::OriginStep;
use crate::record::{Assertion, ClassPart, Dump, RecId, RecKind, Record};
use crate::resolve::Resolver;
use crate::ty::Ty;
use crate::value::{Val, ValueKind};

/// Names and what is put in for them when entries are run.
type Substitution = Vec<(Sym, Val)>;

impl Parser<'_> {
    pub(super) fn multiclass(&mut self) -> Done {
        self.expect_next(Tok::Id, "tblgen-syntax", "expected identifier after multiclass for name")?;
        let (name, loc) = (self.text(), self.loc());
        if self.multiclasses.contains_key(&name) {
            let text = [b"multiclass '", self.ctx.store.names.get(name), b"' already defined"].concat();
            self.token_error("tblgen-redefined", &text);
            return Err(Stop);
        }
        let text = self.ctx.store.string(name);
        let mut record = Record::new(text, loc, RecKind::MultiClass);
        record.class = Some(Box::new(ClassPart { number: u32::MAX, ..ClassPart::default() }));
        let rec = self.ctx.add_record(record);
        let number = self.all_multiclasses.len();
        self.all_multiclasses.push(MultiClass { rec, entries: Vec::new() });
        self.multiclasses.insert(name, number);
        self.multi = Some(number);
        self.next();
        self.push_scope(Around::MultiClass(rec));
        if self.tok == Tok::Less {
            self.template_arg_list(None)?;
        }
        let inherits = self.eat(Tok::Colon);
        let mut more = inherits;
        while more {
            self.add_sub_multiclass(number, rec)?;
            more = self.eat(Tok::Comma);
        }
        if self.tok != Tok::LBrace {
            if !inherits {
                return self.fail("tblgen-syntax", "expected '{' in multiclass definition");
            }
            if !self.eat(Tok::Semi) {
                return self.fail("tblgen-syntax", "expected ';' in multiclass definition");
            }
        } else {
            if self.next() == Tok::RBrace {
                return self.fail("tblgen-syntax", "multiclass must contain at least one def");
            }
            while self.tok != Tok::RBrace {
                match self.tok {
                    Tok::Assert
                    | Tok::Def
                    | Tok::Defm
                    | Tok::Defvar
                    | Tok::Dump
                    | Tok::Foreach
                    | Tok::If
                    | Tok::Let => {
                        self.object()?;
                    }
                    _ => {
                        return self.fail(
                            "tblgen-syntax",
                            "expected 'assert', 'def', 'defm', 'defvar', 'dump', 'foreach', 'if', or 'let' in \
                             multiclass body",
                        );
                    }
                }
            }
            self.next();
            self.no_semicolon(b"A multiclass body should not end with a semicolon");
        }
        self.unused_args(rec);
        self.pop_scope();
        self.multi = None;
        Ok(())
    }

    fn add_sub_multiclass(&mut self, number: usize, rec: RecId) -> Done {
        let loc = self.loc();
        let from = self.multiclass_id().ok_or(Stop)?;
        let of = self.all_multiclasses[from].rec;
        let mut args = Vec::new();
        if self.eat(Tok::Less) {
            args = self.template_args(Some(rec), of)?;
        }
        let implicit = self.implicit_name(rec);
        let name = self.ctx.store.var(implicit, Ty::STRING);
        let mut subst = self.substitution(&Reference { rec: of, args, loc }, name)?;
        let source = self.all_multiclasses[from].entries.clone();
        let mut made = Vec::new();
        let result = self.run_entries(&source, &mut subst, false, Some(&mut made), None);
        self.all_multiclasses[number].entries.append(&mut made);
        result
    }

    /// Arguments of a multiclass by name, and what `NAME` is.
    fn substitution(&mut self, reference: &Reference, name: Val) -> Result<Substitution, Stop> {
        let mut values = Substitution::with_capacity(reference.args.len() + 1);
        self.match_args(reference.rec, &reference.args, reference.loc, |name, value| values.push((name, value)))?;
        let implicit = self.implicit_name(reference.rec);
        values.push((implicit, name));
        Ok(values)
    }

    pub(super) fn defm(&mut self) -> Done {
        self.next();
        let mut name = self.object_name().ok_or(Stop)?;
        if name == Val::UNSET {
            name = self.ctx.store.new_anonymous_name();
            if let Some(multi) = self.multi {
                let implicit = self.implicit_name(self.all_multiclasses[multi].rec);
                let prefix = self.ctx.store.var(implicit, Ty::STRING);
                name = self.str_concat(prefix, name);
            }
        }
        if self.tok != Tok::Colon {
            return self.fail("tblgen-syntax", "expected ':' after defm identifier");
        }
        self.next();
        let mut made: Vec<Entry> = Vec::new();
        let last = self.multi.is_none() && self.loops.is_empty();
        let mut classes = false;
        loop {
            let loc = self.loc();
            let number = self.multiclass_id().ok_or(Stop)?;
            let reference = self.reference(None, self.all_multiclasses[number].rec, loc)?;
            let mut subst = self.substitution(&reference, name)?;
            let source = std::mem::take(&mut self.all_multiclasses[number].entries);
            let result = self.run_entries(&source, &mut subst, last, Some(&mut made), Some(loc));
            self.all_multiclasses[number].entries = source;
            result?;
            if !self.eat(Tok::Comma) {
                break;
            }
            if self.tok != Tok::Id {
                return self.fail("tblgen-syntax", "expected identifier");
            }
            if self.ctx.store.class_by_name.contains_key(&self.text()) {
                classes = true;
                break;
            }
        }
        while classes {
            let reference = self.class_reference(None)?;
            for entry in &made {
                self.add_super_to(entry, &reference)?;
            }
            classes = self.eat(Tok::Comma);
        }
        for entry in made {
            self.apply_lets_to(&entry)?;
            // llvm-tblgen goes on after a bad record here.
            let _ = self.add_entry(entry);
            if self.ctx.eval.stopped {
                return Err(Stop);
            }
        }
        if !self.eat(Tok::Semi) {
            return self.fail("tblgen-syntax", "expected ';' at end of defm");
        }
        Ok(())
    }

    fn add_super_to(&mut self, entry: &Entry, reference: &Reference) -> Done {
        match entry {
            Entry::Record(rec) => self.add_super(*rec, reference),
            Entry::Loop(inner) => inner.entries.iter().try_for_each(|e| self.add_super_to(e, reference)),
            Entry::Assertion(_) | Entry::Dump(_) => Ok(()),
        }
    }

    fn apply_lets_to(&mut self, entry: &Entry) -> Done {
        match entry {
            Entry::Record(rec) => self.apply_lets(*rec),
            Entry::Loop(inner) => inner.entries.iter().try_for_each(|e| self.apply_lets_to(e)),
            Entry::Assertion(_) | Entry::Dump(_) => Ok(()),
        }
    }

    // ---- Running entries -----------------------------------------------------------------------------------------

    /// Takes something that was read: into the loop or multiclass that is being read, or to be done at once.
    pub(super) fn add_entry(&mut self, entry: Entry) -> Done {
        if let Some(inner) = self.loops.last_mut() {
            inner.entries.push(entry);
            return Ok(());
        }
        if let Entry::Loop(inner) = entry {
            let mut made = Vec::new();
            let last = self.multi.is_none();
            let dest = if last { None } else { Some(&mut made) };
            let result = self.run_loop(&inner, &mut Vec::new(), last, dest, None);
            if let Some(multi) = self.multi {
                self.all_multiclasses[multi].entries.append(&mut made);
            }
            return result;
        }
        if let Some(multi) = self.multi {
            self.all_multiclasses[multi].entries.push(entry);
            return Ok(());
        }
        match entry {
            Entry::Assertion(a) => {
                self.ctx.check_assertion(a.loc, a.condition, a.message);
                Ok(())
            }
            Entry::Dump(d) => {
                self.ctx.dump_message(d.loc, d.message);
                Ok(())
            }
            Entry::Record(rec) => self.finish_def(rec),
            Entry::Loop(_) => Ok(()),
        }
    }

    fn resolver(&mut self, rec: Option<RecId>, subst: &Substitution) -> Box<Resolver> {
        let mut r = self.ctx.resolver(rec);
        for &(name, value) in subst {
            r.set(name, value);
        }
        r
    }

    fn run_loop(
        &mut self,
        inner: &Loop,
        subst: &mut Substitution,
        last: bool,
        mut dest: Option<&mut Vec<Entry>>,
        loc: Option<Loc>,
    ) -> Done {
        let mut r = self.resolver(None, subst);
        let mut list = self.ctx.run(inner.list, &mut r);
        self.ctx.retire(r);
        // The arms of an `if` are lists of 0 or 1 element, chosen by an `!if` that must be decided by now.
        let node = self.ctx.store.vals.node(list);
        if last && node.kind == ValueKind::TernOp && TernOp::of(node.op) == TernOp::If {
            let [condition, then, other] = [0, 1, 2].map(|i| self.ctx.store.vals.part(list, i));
            let mut r = self.resolver(None, subst);
            r.make_last();
            let decided = self.ctx.run(condition, &mut r);
            if decided == condition {
                let text = [
                    b"unable to resolve if condition '",
                    self.ctx.store.val_text(condition).as_slice(),
                    b"' at end of containing scope",
                ]
                .concat();
                return self.fail_at(inner.loc, "tblgen-unresolved", &text);
            }
            self.ctx.retire(r);
            list = self.ctx.make_tern(TernOp::If, decided, then, other, node.ty, None);
        }
        if self.ctx.eval.stopped {
            return Err(Stop);
        }
        let Some(elements) = self.ctx.store.vals.as_list(list).map(<[u32]>::to_vec) else {
            if let (false, Some(dest)) = (last, &mut dest) {
                let mut entries = Vec::new();
                let result = self.run_entries(&inner.entries, subst, last, Some(&mut entries), loc);
                dest.push(Entry::Loop(Box::new(Loop { loc: inner.loc, iterator: inner.iterator, list, entries })));
                return result;
            }
            let text = [b"attempting to loop over '", self.ctx.store.val_text(list).as_slice(), b"', expected a list"]
                .concat();
            return self.fail_at(inner.loc, "tblgen-type", &text);
        };
        for element in elements {
            if let Some((name, _)) = inner.iterator {
                subst.push((name, Val(element)));
            }
            let result = self.run_entries(&inner.entries, subst, last, dest.as_deref_mut(), None);
            if inner.iterator.is_some() {
                subst.pop();
            }
            result?;
        }
        Ok(())
    }

    fn run_entries(
        &mut self,
        source: &[Entry],
        subst: &mut Substitution,
        last: bool,
        mut dest: Option<&mut Vec<Entry>>,
        loc: Option<Loc>,
    ) -> Done {
        if !self.deeper() {
            return Err(Stop);
        }
        for entry in source {
            if self.ctx.eval.stopped || !self.ctx.step() {
                return Err(Stop);
            }
            match entry {
                Entry::Loop(inner) => self.run_loop(inner, subst, last, dest.as_deref_mut(), None)?,
                Entry::Assertion(a) => {
                    let mut r = self.resolver(None, subst);
                    self.ctx.begin(&mut r);
                    let condition = self.ctx.resolve(a.condition, &mut r);
                    let message = self.ctx.resolve(a.message, &mut r);
                    self.ctx.retire(r);
                    match &mut dest {
                        Some(dest) => dest.push(Entry::Assertion(Assertion {
                            loc: a.loc,
                            condition,
                            message,
                            written: condition,
                        })),
                        None => self.ctx.check_assertion(a.loc, condition, message),
                    }
                }
                Entry::Dump(d) => {
                    let mut r = self.resolver(None, subst);
                    let message = self.ctx.run(d.message, &mut r);
                    self.ctx.retire(r);
                    match &mut dest {
                        Some(dest) => dest.push(Entry::Dump(Dump { loc: d.loc, message })),
                        None => self.ctx.dump_message(d.loc, message),
                    }
                }
                Entry::Record(prototype) => {
                    let mut record = self.ctx.store.rec(*prototype).clone();
                    if let Some(loc) = loc {
                        record.locs.push(loc);
                    }
                    let rec = self.ctx.add_record(record);
                    let mut r = self.resolver(Some(rec), subst);
                    self.ctx.resolve_record(rec, &mut r, OriginStep::Substituted);
                    self.ctx.retire(r);
                    match &mut dest {
                        Some(dest) => dest.push(Entry::Record(rec)),
                        None => self.finish_def(rec)?,
                    }
                }
            }
        }
        self.depth -= 1;
        Ok(())
    }

    /// `!if(condition, [1], [])`, or with the arms exchanged.
    pub(super) fn arm(&mut self, condition: Val, then: bool) -> Val {
        let empty = self.ctx.list(Ty::BIT, &[]);
        let one = self.ctx.list(Ty::BIT, &[Val::TRUE.0]);
        let ty = self.ctx.store.types.list(Ty::BIT);
        let (b, c) = if then { (one, empty) } else { (empty, one) };
        let node = self.ctx.store.tern(TernOp::If, condition, b, c, ty);
        self.ctx.fold_tern(node, None)
    }

    /// `!repr` of a record that is dumped; anything else is dumped as it is.
    pub(super) fn dumped(&mut self, message: Val, rec: Option<RecId>) -> Val {
        if self.ctx.store.as_def(message).is_none() {
            return message;
        }
        let node = self.ctx.store.un(UnOp::Repr, message, Ty::STRING);
        self.ctx.fold_un(node, rec, false)
    }
}
