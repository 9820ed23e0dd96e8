//! `def`, and the finishing of records.

use super::{Done, Entry, LetItem, Mode, Parser, Stop};
use crate::lex::token::Tok;
use crate::origin::OriginStep;
use crate::record::{RecId, RecKind, Record};
use crate::ty::Ty;
use crate::value::{Val, ValueKind};

impl Parser<'_> {
    pub(super) fn def(&mut self) -> Done {
        let def_loc = self.loc();
        let name_loc = if self.next() == Tok::Id { self.loc() } else { def_loc };
        let name = self.object_name().ok_or(Stop)?;
        let record = if name == Val::UNSET {
            let name = self.ctx.store.new_anonymous_name();
            Record::new(name, def_loc, RecKind::AnonymousDef)
        } else {
            if self.ctx.store.vals.ty(name) != Ty::STRING {
                let text = [b"Record name '", self.ctx.store.val_text(name).as_slice(), b"' is not a string!"].concat();
                self.ctx.fatal(name_loc, "tblgen-type", &text);
                return Err(Stop);
            }
            Record::new(name, name_loc, RecKind::Def)
        };
        let rec = self.ctx.add_record(record);
        self.object_body(rec)?;
        self.add_entry(Entry::Record(rec))
    }

    /// The name of a record; `?` if it has none.
    pub(super) fn object_name(&mut self) -> Option<Val> {
        if matches!(self.tok, Tok::Colon | Tok::Semi | Tok::LBrace) {
            return Some(Val::UNSET);
        }
        let multi = self.multi.map(|m| self.all_multiclasses[m].rec);
        let name = self.value_in(multi, Some(Ty::STRING), Mode::Name)?;
        let Some(multi) = multi else { return Some(name) };
        let implicit = self.implicit_name(multi);
        if self.ctx.mentions(name, implicit) {
            return Some(name);
        }
        let prefix = self.ctx.store.var(implicit, Ty::STRING);
        Some(self.str_concat(prefix, name))
    }

    /// Assigns what the enclosing `let`s say, outermost first.
    pub(super) fn apply_lets(&mut self, rec: RecId) -> Done {
        for level in 0..self.lets.len() {
            for i in 0..self.lets[level].len() {
                let LetItem { name, bits, value, loc } = self.lets[level][i].clone();
                self.set_value(rec, loc, name, &bits, value, true)?;
                if self.ctx.origins.on() {
                    self.trace(rec, name, OriginStep::Let, crate::names::Sym::NONE, loc);
                }
            }
        }
        Ok(())
    }

    /// The last steps of a record: names, references, checks, and its place among the others.
    pub(super) fn finish_def(&mut self, rec: RecId) -> Done {
        let name = self.ctx.store.rec(rec).name;
        let text = match self.ctx.store.anonymous_text(name) {
            Some(text) => Some(text),
            None => self.ctx.store.vals.as_str(name),
        };
        let mut new_name = None;
        if let Some(previous) = text.and_then(|t| self.ctx.store.def(t)) {
            if self.ctx.store.kind_of(rec) != RecKind::AnonymousDef {
                let text = [b"def already exists: ", self.ctx.store.rec_name(rec).as_slice()].concat();
                self.ctx.error_at(Some(rec), "tblgen-redefined", &text);
                self.note_chain(previous, b"location of previous definition");
                return Err(Stop);
            }
            new_name = Some(self.ctx.store.new_anonymous_name());
        }
        self.ctx.resolve_finally(rec, new_name);
        self.ctx.check_concrete(rec);
        if self.ctx.eval.stopped {
            return Err(Stop);
        }
        let name = self.ctx.store.rec(rec).name;
        if self.ctx.store.vals.kind(name) != ValueKind::Str {
            let text =
                [b"record name '", self.ctx.store.val_text(name).as_slice(), b"' could not be fully resolved"].concat();
            self.ctx.error_at(Some(rec), "tblgen-unresolved", &text);
            return Err(Stop);
        }
        self.ctx.run_checks(rec);
        for i in 0..self.defsets.len() {
            let def = self.ctx.store.def_val(rec);
            let ty = self.ctx.store.vals.ty(def);
            let element = self.defsets[i].element;
            if !self.ctx.store.is_a(ty, element) {
                let text =
                    [b"adding record of incompatible type '", self.ctx.store.ty_text(ty).as_slice(), b"' to defset"]
                        .concat();
                self.ctx.error_at(Some(rec), "tblgen-type", &text);
                let loc = self.defsets[i].loc;
                self.ctx.messages.note(&self.ctx.store.places, loc, b"location of defset declaration");
                return Err(Stop);
            }
            self.defsets[i].elements.push(def);
        }
        self.ctx.store.file_def(rec);
        if self.ctx.eval.stopped { Err(Stop) } else { Ok(()) }
    }

    /// A note at a record and at the `defm`s that made it.
    fn note_chain(&mut self, rec: RecId, text: &[u8]) {
        let locs = self.ctx.store.rec(rec).locs.clone();
        for (i, loc) in locs.iter().enumerate() {
            self.ctx.messages.note(
                &self.ctx.store.places,
                loc,
                if i == 0 { text } else { b"instantiated from multiclass" },
            );
        }
    }
}
