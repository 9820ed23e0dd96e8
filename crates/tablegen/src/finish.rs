//! Finishing records: superclasses, instantiation of `Class<args>`, the final resolution, and the checks at the end.

use isaglot_invariant::Impossible as _;

use crate::ctx::Ctx;
use crate::loc::Loc;
use crate::names::Sym;
use crate::origin::{Origin, OriginStep};
use crate::record::{RecId, RecKind, Record};
use crate::resolve::Resolver;
use crate::store::Store;
use crate::ty::Ty;
use crate::value::{Arg, Val, ValueKind, flag};

impl Store {
    /// The first field from `from` on whose value is not like that.
    #[inline]
    fn next_field(&self, rec: RecId, from: usize, like: impl Fn(Val) -> bool) -> Option<usize> {
        let values = self.rec(rec).values.get(from..)?;
        values.iter().position(|&v| !like(v)).map(|at| at + from)
    }

    pub(crate) fn push_super(&mut self, rec: RecId, class: RecId) {
        let (number, id) = (self.class_number(class), self.rec(rec).supers);
        let next = self.supers.push(id, class, number);
        if self.rec(rec).is_class() {
            self.relation.clear();
        }
        self.rec_mut(rec).supers = next;
    }

    /// Adds the superclasses of a class; gives the class that was there already, if any.
    pub(crate) fn inherit_list(&mut self, rec: RecId, class: RecId) -> Option<RecId> {
        let id = self.rec(class).supers;
        if self.rec(rec).supers == crate::record::SupersId::NONE {
            self.rec_mut(rec).supers = id;
            if self.rec(rec).is_class() {
                self.relation.clear();
            }
            return None;
        }
        for i in 0..self.supers.get(id).list.len() {
            let above = self.supers.get(id).list[i];
            if self.is_subclass(rec, above) {
                return Some(above);
            }
            self.push_super(rec, above);
        }
        None
    }

    fn bits_concrete(&mut self, rec: RecId, value: Val) -> bool {
        (0..self.vals.bits_len(value)).all(|i| {
            let bit = self.vals.bits_at(value, i);
            let node = self.vals.node(bit);
            match node.kind {
                ValueKind::Var => true,
                ValueKind::VarBit if self.vals.kind(Val(node.a)) == ValueKind::Var => {
                    let name = Sym(self.vals.node(Val(node.a)).a);
                    self.field(rec, name).is_some()
                }
                _ => self.vals.flags(bit) & flag::CONCRETE != 0,
            }
        })
    }
}

impl Ctx {
    /// Resolves everything in a record.
    pub(crate) fn resolve_record(&mut self, rec: RecId, r: &mut Resolver, step: OriginStep) {
        self.begin(r);
        let old = self.store.rec(rec).name;
        r.own_name = old;
        let name = self.resolve(old, r);
        self.store.rec_mut(rec).name = name;
        let mut next = 0;
        while let Some(at) = self.store.next_field(rec, next, Val::is_ground) {
            next = at + 1;
            let old = self.store.rec(rec).values[at];
            if self.leaves(old, r) {
                continue;
            }
            let new = self.resolve(old, r);
            if new == old || self.eval.stopped {
                continue;
            }
            if !self.set_field(rec, at, new) {
                return self.invalid_value(rec, at, new);
            }
            if self.origins.on() {
                let value = self.store.rec(rec).values[at];
                let before = self.store.rec(rec).origins.get(at).copied().unwrap_or(0);
                let node = self.origins.add(Origin { step, by: r.by, loc: Loc::NONE, value, before });
                self.store.rec_mut(rec).origins[at] = node;
            }
        }
        let Some(mut checks) = self.store.rec_mut(rec).checks.take() else { return };
        for a in &mut checks.assertions {
            a.condition = self.resolve(a.condition, r);
            a.message = self.resolve(a.message, r);
            if step != OriginStep::Resolved {
                a.written = a.condition;
            }
        }
        for d in &mut checks.dumps {
            d.message = self.resolve(d.message, r);
        }
        self.store.rec_mut(rec).checks = Some(checks);
    }

    fn invalid_value(&mut self, rec: RecId, at: usize, value: Val) {
        let field = self.store.shapes.get(self.store.rec(rec).shape).fields[at];
        let mut text = b"Invalid value ".to_vec();
        let ty = self.store.vals.ty(value);
        if ty != Ty::NONE {
            text.extend(b"of type '");
            self.store.write_ty(ty, &mut text);
            text.extend(b"' ");
        }
        text.extend(b"found when setting field '");
        text.extend(self.store.names.get(field.name));
        text.extend(b"' of type '");
        self.store.write_ty(field.ty, &mut text);
        text.extend(b"' after resolving references: ");
        self.store.write_name(value, &mut text);
        text.push(b'\n');
        self.fatal_at(Some(rec), "tblgen-type", &text);
    }

    /// The final resolution: references to own fields, names, late casts.
    pub(crate) fn resolve_finally(&mut self, rec: RecId, new_name: Option<Val>) {
        let mut r = self.own_fields(rec, new_name);
        self.resolve_record(rec, &mut r, OriginStep::Resolved);
        self.retire(r);
    }

    /// The record that `Class<args>` is; made if it is the first time.
    pub(crate) fn instantiate(&mut self, v: Val) -> Val {
        if let Some(&def) = self.eval.instances.get(&v) {
            return def;
        }
        if self.eval.stopped || self.eval.depth >= self.eval.bounds.eval_depth {
            self.too_much("classes within classes");
            return v;
        }
        self.eval.depth += 1;
        let class = RecId(self.store.vals.word(v, 0));
        let name = self.store.new_anonymous_name();
        let from = self.store.rec(class);
        let class_loc = from.loc();
        let mut record = Record::new(name, class_loc, RecKind::AnonymousDef);
        match self.store.written_at.get(&v) {
            Some(&loc) => record = Record::new(name, loc, RecKind::AnonymousDef),
            None => record.locs.clone_from(&from.locs),
        }
        record.shape = from.shape;
        record.values.clone_from(&from.values);
        record.field_locs = from.field_locs;
        record.checks.clone_from(&from.checks);
        record.origins.clone_from(&from.origins);
        let rec = self.add_record(record);
        let class_sym = self.store.class_sym(class);
        let mut r = self.resolver(Some(rec));
        r.by = class_sym;
        for arg in self.store.rec(class).args() {
            r.set(arg.name, arg.default);
        }
        let params = self.store.rec(class).args();
        for arg in Arg::of_run(self.store.vals.run(v)) {
            let name = match arg.key() {
                Ok(position) => params.get(position as usize).map_or(Sym::NONE, |p| p.name),
                Err(name) => name,
            };
            r.set(name, arg.value);
        }
        self.resolve_record(rec, &mut r, OriginStep::Substituted);
        self.retire(r);
        self.store.inherit_list(rec, class);
        self.store.push_super(rec, class);
        self.resolve_finally(rec, None);
        self.store.file_def(rec);
        self.run_checks(rec);
        self.eval.depth -= 1;
        let def = self.store.def_val(rec);
        self.eval.instances.insert(v, def);
        def
    }

    /// Instantiates `Class<args>` if nothing is free in the arguments.
    pub(crate) fn fold_var_def(&mut self, v: Val) -> Val {
        if self.store.has_free(v) { v } else { self.instantiate(v) }
    }

    // ---- Checks --------------------------------------------------------------------------------------------------

    /// An error for each field that could not be resolved.
    pub(crate) fn check_concrete(&mut self, rec: RecId) {
        let shape = self.store.rec(rec).shape;
        let mut next = 0;
        while let Some(at) = self.store.next_field(rec, next, Val::is_concrete) {
            next = at + 1;
            let value = self.store.rec(rec).values[at];
            if self.store.shapes.get(shape).fields[at].loose {
                continue;
            }
            if self.store.vals.kind(value) == ValueKind::Bits && self.store.bits_concrete(rec, value) {
                continue;
            }
            let field = self.store.shapes.get(shape).fields[at].name;
            let mut text = b"Initializer of '".to_vec();
            text.extend(self.store.names.get(field));
            text.extend(b"' in '");
            self.store.write_name(self.store.rec(rec).name, &mut text);
            text.extend(b"' could not be fully resolved: ");
            self.store.write_val(value, &mut text);
            self.error_at(Some(rec), "tblgen-unresolved", &text);
            self.explain_field(rec, at);
        }
    }

    /// Says, below an error, where a field's value was written.
    fn explain_field(&mut self, rec: RecId, at: usize) {
        let loc = self.store.field_loc(rec, at).or_impossible(Loc::NONE);
        let field = self.store.shapes.get(self.store.rec(rec).shape).fields[at];
        let name = String::from_utf8_lossy(self.store.names.get(field.name)).into_owned();
        let ty = String::from_utf8_lossy(&self.store.ty_text(field.ty)).into_owned();
        if loc != Loc::NONE {
            self.messages.help(&self.store.places, loc, format!("'{name}', of type {ty}, gets its value here"));
        }
        if let Some((number, needed, width)) = self.too_wide(rec, at) {
            let text = format!("{number} has {needed} bits, and '{name}' has {width}");
            self.messages.help(&self.store.places, Loc::NONE, text);
        }
    }

    /// The number in a field of `bits` that does not fit: it, the bits that it needs, and those of the field.
    fn too_wide(&self, rec: RecId, at: usize) -> Option<(i64, u32, u32)> {
        let value = *self.store.rec(rec).values.get(at)?;
        if self.store.vals.kind(value) != ValueKind::Bits {
            return None;
        }
        let width = self.store.vals.bits_len(value);
        // The value is a list of bits of one `!cast` of the number.
        let first = self.store.vals.node(self.store.vals.bits_at(value, 0));
        let cast = self.store.vals.node(Val(first.a));
        if first.kind != ValueKind::VarBit || cast.kind != ValueKind::UnOp {
            return None;
        }
        let number = self.store.vals.as_int(Val(cast.a))?;
        let needed =
            if number < 0 { i64::BITS + 1 - number.leading_ones() } else { i64::BITS - number.leading_zeros() };
        (needed > width).then_some((number, needed, width))
    }

    /// Checks assertions and prints dumps of a finished record.
    pub(crate) fn run_checks(&mut self, rec: RecId) {
        let Some(checks) = self.store.rec(rec).checks.clone() else { return };
        let mut r = self.own_fields(rec, None);
        self.begin(&mut r);
        for a in &checks.assertions {
            let condition = self.resolve(a.condition, &mut r);
            let message = self.resolve(a.message, &mut r);
            self.check_assertion(a.loc, condition, message);
            self.explain_assertion(rec, a.written);
        }
        self.retire(r);
        let mut r = self.own_fields(rec, None);
        self.begin(&mut r);
        for d in &checks.dumps {
            let message = self.resolve(d.message, &mut r);
            self.dump_message(d.loc, message);
        }
        self.retire(r);
    }

    /// One assertion.
    pub(crate) fn check_assertion(&mut self, loc: Loc, condition: Val, message: Val) {
        match self.store.int_of(condition) {
            None => self.messages.error(
                &self.store.places,
                loc,
                "tblgen-assert",
                b"assert condition must of type bit, bits, or int.",
            ),
            Some(0) => {
                self.messages.error(&self.store.places, loc, "tblgen-assert", b"assertion failed");
                match self.store.vals.as_str(message) {
                    Some(text) => self.messages.note(&self.store.places, Loc::NONE, self.store.names.get(text)),
                    None => self.messages.note(&self.store.places, Loc::NONE, b"(assert message is not a string)"),
                }
            }
            Some(_) => {}
        }
    }

    /// Shows the fields that a failed assertion looked at.
    fn explain_assertion(&mut self, rec: RecId, condition: Val) {
        let failed =
            self.messages.list.iter().rev().take(2).any(|m| m.diagnostic.code == "tblgen-assert" && !m.has_help());
        if !failed || self.eval.stopped {
            return;
        }
        let shape = self.store.rec(rec).shape;
        let fields = self.store.shapes.get(shape).fields.clone();
        let name = String::from_utf8_lossy(&self.store.rec_name(rec)).into_owned();
        self.messages.help(&self.store.places, self.store.rec(rec).loc(), format!("in record {name}"));
        for (at, field) in fields.iter().enumerate() {
            if self.mentions(condition, field.name) {
                let value = self.store.rec(rec).values[at];
                let mut text = self.store.names.get(field.name).to_vec();
                text.extend(b" = ");
                self.store.write_val(value, &mut text);
                text.truncate(crate::limits::MAX_SHOWN_VALUE);
                let loc = self.store.field_loc(rec, at).or_impossible(Loc::NONE);
                self.messages.help(&self.store.places, loc, String::from_utf8_lossy(&text).into_owned());
            }
        }
    }

    /// One `dump`.
    pub(crate) fn dump_message(&mut self, loc: Loc, message: Val) {
        match self.store.vals.as_str(message) {
            Some(text) => self.messages.note(&self.store.places, loc, self.store.names.get(text)),
            None => self.messages.error(&self.store.places, loc, "tblgen-dump", b"dump value is not of type string"),
        }
    }
}
