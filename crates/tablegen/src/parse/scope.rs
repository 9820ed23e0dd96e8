//! Which names are visible where.
//!
//! From the inside out: variables of the innermost block, fields and template arguments of the record, the iterator of
//! the loop, template arguments of the multiclass, and so on outwards; global names are looked up only after all that.

use super::{Mode, Parser};
use crate::loc::Loc;
use crate::names::Sym;
use crate::ops::UnOp;
use crate::record::{RecId, RecKind};
use crate::ty::Ty;
use crate::value::Val;

/// What a scope adds to its own variables.
#[derive(Clone, Copy, Debug)]
pub(super) enum Around {
    Nothing,
    Record(RecId),
    Loop(Sym, Ty),
    MultiClass(RecId),
}

/// One scope.
#[derive(Debug)]
pub(super) struct Scope {
    vars: Vec<(Sym, Val)>,
    around: Around,
}

impl Scope {
    pub(super) fn local() -> Scope {
        Scope { vars: Vec::new(), around: Around::Nothing }
    }
}

impl Parser<'_> {
    pub(super) fn push_scope(&mut self, around: Around) {
        self.scopes.push(Scope { vars: Vec::new(), around });
    }

    pub(super) fn pop_scope(&mut self) {
        self.scopes.pop();
    }

    pub(super) fn outermost(&self) -> bool {
        self.scopes.len() <= 1
    }

    pub(super) fn add_local(&mut self, name: Sym, value: Val) {
        if let Some(scope) = self.scopes.last_mut() {
            scope.vars.push((name, value));
        }
    }

    pub(super) fn local_exists(&self, name: Sym) -> bool {
        self.scopes.last().is_some_and(|s| s.vars.iter().any(|v| v.0 == name))
    }

    /// `Class:name` or `Multi::name`.
    pub(super) fn qualified(&mut self, rec: RecId, name: Sym) -> Sym {
        let r = self.ctx.store.rec(rec);
        let separator: &[u8] = if r.kind == RecKind::MultiClass { b"::" } else { b":" };
        const USUAL: usize = 64;
        let mut text = Vec::with_capacity(USUAL);
        self.ctx.store.write_name(r.name, &mut text);
        text.extend(separator);
        text.extend(self.ctx.store.names.get(name));
        self.ctx.store.names.intern(&text)
    }

    /// The qualified `NAME`.
    pub(super) fn implicit_name(&mut self, rec: RecId) -> Sym {
        if let Some(class) = &self.ctx.store.rec(rec).class
            && class.implicit != 0
        {
            return Sym(class.implicit);
        }
        let name = self.qualified(rec, Sym::NAME);
        if let Some(class) = &mut self.ctx.store.rec_mut(rec).class {
            class.implicit = name.0;
        }
        name
    }

    fn template_arg(&mut self, rec: RecId, name: Sym) -> Option<Val> {
        if let Some(class) = &mut self.ctx.store.rec_mut(rec).class
            && let Some(arg) = class.args.iter_mut().find(|a| a.plain == name)
        {
            arg.used = true;
            let (qualified, ty) = (arg.name, arg.ty);
            return Some(self.ctx.store.var(qualified, ty));
        }
        if name != Sym::NAME {
            return None;
        }
        let implicit = self.implicit_name(rec);
        Some(self.ctx.store.var(implicit, Ty::STRING))
    }

    fn visible(&mut self, name: Sym) -> Option<Val> {
        for at in (0..self.scopes.len()).rev() {
            let scope = &self.scopes[at];
            if let Some(&(_, value)) = scope.vars.iter().rev().find(|v| v.0 == name) {
                return Some(value);
            }
            match scope.around {
                Around::Nothing => {}
                Around::Record(rec) => {
                    let shape = self.ctx.store.rec(rec).shape;
                    if let Some(at) = self.ctx.store.shapes.find(shape, name) {
                        let ty = self.ctx.store.shapes.get(shape).fields[at].ty;
                        return Some(self.ctx.store.var(name, ty));
                    }
                    if self.ctx.store.rec(rec).is_class()
                        && let Some(arg) = self.template_arg(rec, name)
                    {
                        return Some(arg);
                    }
                }
                Around::Loop(iterator, ty) => {
                    if iterator == name {
                        return Some(self.ctx.store.var(name, ty));
                    }
                }
                Around::MultiClass(rec) => {
                    if let Some(arg) = self.template_arg(rec, name) {
                        return Some(arg);
                    }
                }
            }
        }
        None
    }

    /// The value of an identifier.
    pub(super) fn identifier(&mut self, rec: Option<RecId>, name: Sym, loc: Loc, mode: Mode) -> Option<Val> {
        if let Some(value) = self.visible(name) {
            return Some(value);
        }
        if mode == Mode::Name {
            return Some(self.ctx.store.string(name));
        }
        if let Some(value) = self.ctx.store.global(name) {
            return Some(value);
        }
        // A record may mention itself; what it is is known only when it is complete.
        if let Some(own) = rec
            && self.multi.is_none()
            && !self.ctx.store.rec(own).is_class()
            && self.ctx.store.vals.as_str(self.ctx.store.rec(own).name) == Some(name)
        {
            let ty = self.ctx.store.record_ty(own);
            let text = self.ctx.store.string(name);
            return Some(self.ctx.store.un(UnOp::Cast, text, ty));
        }
        let text = [b"Variable not defined: '", self.ctx.store.names.get(name), b"'"].concat();
        self.error(loc, "tblgen-undefined", &text);
        self.suggest(rec, name);
        None
    }

    /// Adds "did you mean" for a name that is not visible.
    fn suggest(&mut self, rec: Option<RecId>, name: Sym) {
        let ctx = &self.ctx;
        let text = |sym: Sym| String::from_utf8_lossy(ctx.store.names.get(sym)).into_owned();
        let wanted = text(name);
        let mut names: Vec<String> = Vec::new();
        for scope in &self.scopes {
            names.extend(scope.vars.iter().map(|v| text(v.0)));
            match scope.around {
                Around::Record(r) | Around::MultiClass(r) => {
                    let r = ctx.store.rec(r);
                    names.extend(ctx.store.shapes.get(r.shape).fields.iter().map(|f| text(f.name)));
                    let plain = |q: String| q.rsplit(':').next().map(str::to_owned).unwrap_or_default();
                    names.extend(r.args().iter().map(|a| plain(text(a.name))));
                }
                Around::Loop(iterator, _) => names.push(text(iterator)),
                Around::Nothing => {}
            }
        }
        if let Some(r) = rec {
            names.extend(ctx.store.shapes.get(ctx.store.rec(r).shape).fields.iter().map(|f| text(f.name)));
        }
        const MOST: usize = 20_000;
        names.extend(ctx.store.globals.keys().map(|&g| text(g)));
        names.extend(
            ctx.store.defs.iter().take(MOST).filter_map(|&d| ctx.store.vals.as_str(ctx.store.rec(d).name)).map(text),
        );
        names.sort_unstable();
        if ctx.store.class_by_name.contains_key(&name) {
            self.ctx.messages.help(
                &self.ctx.store.places,
                Loc::NONE,
                format!("'{wanted}' is a class: a record of it is {wanted}<…>"),
            );
        } else if let Some(near) = isaglot_source::closest(&wanted, names.iter().map(String::as_str)) {
            self.ctx.messages.help(&self.ctx.store.places, Loc::NONE, format!("did you mean '{near}'?"));
        }
    }
}
