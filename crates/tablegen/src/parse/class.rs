//! Classes, and what bodies of classes and records consist of: declarations, assignments, superclasses.

use super::scope::Around;
use super::{Done, Parser, Reference, Stop};
use crate::lex::token::Tok;
use crate::loc::Loc;
use crate::names::Sym;
use crate::origin::{Origin, OriginStep};
use crate::record::{Assertion, ClassPart, Dump, FieldDesc, Locs, RecId, RecKind, Record, TemplateArg};
use crate::ty::Ty;
use crate::value::{Val, ValueKind};

impl Parser<'_> {
    pub(super) fn class(&mut self) -> Done {
        self.expect_next(Tok::Id, "tblgen-syntax", "expected class name after 'class' keyword")?;
        let (name, loc) = (self.text(), self.loc());
        let rec = match self.ctx.store.class_by_name.get(&name) {
            Some(&rec) => {
                let r = self.ctx.store.rec(rec);
                let empty = r.values.is_empty() && r.supers == crate::record::SupersId::NONE && r.args().is_empty();
                if !empty {
                    let first = r.loc();
                    let text = [b"Class '", self.ctx.store.names.get(name), b"' already defined"].concat();
                    self.token_error("tblgen-redefined", &text);
                    self.ctx.messages.help(&self.ctx.store.places, first, "it was defined here");
                    return Err(Stop);
                }
                self.ctx.store.rec_mut(rec).locs = Locs::new(loc);
                rec
            }
            None => {
                let text = self.ctx.store.string(name);
                let mut record = Record::new(text, loc, RecKind::Class);
                let number = self.push_class_number();
                record.class = Some(Box::new(ClassPart { number, ..ClassPart::default() }));
                let rec = self.ctx.add_record(record);
                self.ctx.store.class_by_name.insert(name, rec);
                rec
            }
        };
        if self.aliases.contains_key(&name) {
            let text = [b"there is already a defined type alias '", self.ctx.store.names.get(name), b"'"].concat();
            self.token_error("tblgen-redefined", &text);
            return Err(Stop);
        }
        self.next();
        self.push_scope(Around::Record(rec));
        if self.tok == Tok::Less {
            self.template_arg_list(Some(rec))?;
        }
        self.object_body(rec)?;
        self.unused_args(rec);
        self.pop_scope();
        Ok(())
    }

    pub(super) fn unused_args(&mut self, rec: RecId) {
        if !self.warn_unused {
            return;
        }
        for arg in self.ctx.store.rec(rec).args().to_vec() {
            if !arg.used {
                let text = [b"unused template argument: ", self.ctx.store.names.get(arg.name)].concat();
                self.ctx.messages.warning(&self.ctx.store.places, arg.loc, "tblgen-unused", &text);
            }
        }
    }

    /// The record that holds the template arguments of what is being defined.
    fn multi_rec(&self) -> Option<RecId> {
        self.multi.map(|m| self.all_multiclasses[m].rec)
    }

    /// `<type name = default, …>`; of the multiclass being read if there is no class.
    pub(super) fn template_arg_list(&mut self, rec: Option<RecId>) -> Done {
        self.next();
        let Some(of) = rec.or_else(|| self.multi_rec()) else { return Err(Stop) };
        loop {
            let loc = self.loc();
            let mut arg = self.template_arg_declaration(of)?;
            self.template_default(rec, &mut arg);
            let Some(class) = &mut self.ctx.store.rec_mut(of).class else { return Err(Stop) };
            if class.args.iter().any(|a| a.name == arg.name) {
                return self.fail_at(
                    loc,
                    "tblgen-redefined",
                    b"template argument with the same name has already been defined",
                );
            }
            class.args.push(arg);
            if self.ctx.eval.stopped {
                return Err(Stop);
            }
            if !self.eat(Tok::Comma) {
                break;
            }
        }
        self.expect(Tok::Greater, "tblgen-syntax", "expected '>' at end of template argument list")?;
        Ok(())
    }

    fn template_arg_declaration(&mut self, of: RecId) -> Result<TemplateArg, Stop> {
        let (plain, ty, loc, _) = self.declarator(true)?;
        let name = self.qualified(of, plain);
        let default = self.unset_of(ty);
        Ok(TemplateArg { name, plain, ty, default, used: false, loc })
    }

    /// The default of an argument. After a bad one llvm-tblgen goes on with the list, so that is what happens here.
    fn template_default(&mut self, rec: Option<RecId>, arg: &mut TemplateArg) {
        if !self.eat(Tok::Equal) {
            return;
        }
        let loc = self.loc();
        let Some(value) = self.value(rec, Some(arg.ty)) else { return };
        match self.ctx.field_value(value, arg.ty) {
            Some(value) => arg.default = value,
            None => self.incompatible(loc, arg.name, arg.ty, value),
        }
    }

    /// `[field] type name`.
    fn declarator(&mut self, template: bool) -> Result<(Sym, Ty, Loc, bool), Stop> {
        let loose = self.eat(Tok::Field);
        let ty = self.ty().ok_or(Stop)?;
        if self.tok != Tok::Id {
            return self.fail("tblgen-syntax", "Expected identifier in declaration");
        }
        let (name, loc) = (self.text(), self.loc());
        if name == Sym::NAME {
            return self.fail("tblgen-redefined", "'NAME' is a reserved variable name");
        }
        if !template && self.local_exists(name) {
            return self.fail("tblgen-redefined", "local variable of this name already exists");
        }
        self.next();
        Ok((name, ty, loc, loose))
    }

    /// `?` as a field of that type holds it.
    pub(super) fn unset_of(&mut self, ty: Ty) -> Val {
        match ty.width() {
            Some(width) => self.ctx.store.bits(&vec![0; width as usize]),
            None => Val::UNSET,
        }
    }

    // ---- Bodies --------------------------------------------------------------------------------------------------

    /// Superclasses, enclosing lets, then the body.
    pub(super) fn object_body(&mut self, rec: RecId) -> Done {
        self.push_scope(Around::Record(rec));
        if self.eat(Tok::Colon) {
            loop {
                let reference = self.class_reference(Some(rec))?;
                self.add_super(rec, &reference)?;
                if !self.eat(Tok::Comma) {
                    break;
                }
            }
        }
        self.apply_lets(rec)?;
        self.body(rec)?;
        self.pop_scope();
        if self.ctx.eval.stopped { Err(Stop) } else { Ok(()) }
    }

    fn body(&mut self, rec: RecId) -> Done {
        if self.eat(Tok::Semi) {
            return Ok(());
        }
        let open = self.loc();
        if !self.eat(Tok::LBrace) {
            return self.fail("tblgen-syntax", "Expected '{' to start body or ';' for declaration only");
        }
        while self.tok != Tok::RBrace {
            let done = self.body_item(rec);
            done.inspect_err(|_| self.never_closed(open, '{'))?;
        }
        self.next();
        self.no_semicolon(b"A class or def body should not end with a semicolon");
        Ok(())
    }

    pub(super) fn no_semicolon(&mut self, text: &[u8]) {
        let loc = self.loc();
        if self.eat(Tok::Semi) {
            self.error(loc, "tblgen-syntax", text);
            self.ctx.messages.note(
                &self.ctx.store.places,
                Loc::NONE,
                b"Semicolon ignored; remove to eliminate this error",
            );
        }
    }

    fn body_item(&mut self, rec: RecId) -> Done {
        match self.tok {
            Tok::Assert => self.assertion(Some(rec)),
            Tok::Defvar => self.defvar(Some(rec)),
            Tok::Dump => self.dump(Some(rec)),
            Tok::Let => self.body_let(rec),
            _ => {
                self.declaration(rec)?;
                if !self.eat(Tok::Semi) {
                    return self.fail("tblgen-syntax", "expected ';' after declaration");
                }
                Ok(())
            }
        }
    }

    fn declaration(&mut self, rec: RecId) -> Done {
        let (name, ty, loc, loose) = self.declarator(false)?;
        let unset = self.unset_of(ty);
        self.add_field(rec, FieldDesc { name, ty, loose }, unset, loc, loc)?;
        if self.ctx.origins.on() {
            self.trace(rec, name, OriginStep::Declared, Sym::NONE, loc);
        }
        if self.eat(Tok::Equal) {
            let value_loc = self.loc();
            // After a bad value llvm-tblgen goes on with the declaration.
            if let Some(value) = self.value(Some(rec), Some(ty))
                && self.set_value(rec, value_loc, name, &[], value, false).is_ok()
                && self.ctx.origins.on()
            {
                self.untrace(rec, name);
                self.trace(rec, name, OriginStep::Declared, Sym::NONE, loc);
            }
        }
        if self.ctx.eval.stopped { Err(Stop) } else { Ok(()) }
    }

    /// `let NAME{BITS} = VALUE;` in a body. Ranges are written high to low.
    ///
    /// Example: `let Inst{15-12, 3} = op;` has the bits 15, 14, 13, 12, 3. They are kept lowest first, as
    /// `[3, 12, 13, 14, 15]`, so that bit `i` of `op` (a `bits<5>`) goes to the `i`-th of them.
    fn body_let(&mut self, rec: RecId) -> Done {
        self.expect_next(Tok::Id, "tblgen-syntax", "expected field identifier after let")?;
        let (name, loc) = (self.text(), self.loc());
        self.next();
        let mut bits = self.optional_ranges(true)?;
        bits.reverse();
        self.expect(Tok::Equal, "tblgen-syntax", "expected '=' in let expression")?;
        let shape = self.ctx.store.rec(rec).shape;
        let Some(at) = self.ctx.store.shapes.find(shape, name) else {
            let text = [b"Value '", self.ctx.store.names.get(name), b"' unknown!"].concat();
            self.token_error("tblgen-unknown-field", &text);
            self.suggest_own_field(rec, name);
            return Err(Stop);
        };
        let mut ty = self.ctx.store.shapes.get(shape).fields[at].ty;
        if !bits.is_empty() && ty.width().is_some() {
            ty = Ty::bits(bits.len() as u32);
        }
        let value = self.value(Some(rec), Some(ty)).ok_or(Stop)?;
        if !self.eat(Tok::Semi) {
            return self.fail("tblgen-syntax", "expected ';' after let expression");
        }
        self.set_value(rec, loc, name, &bits, value, true)?;
        if self.ctx.origins.on() {
            self.trace(rec, name, OriginStep::Let, Sym::NONE, loc);
        }
        Ok(())
    }

    // ---- Fields --------------------------------------------------------------------------------------------------

    /// Adds a field, or sets it if it is there.
    fn add_field(&mut self, rec: RecId, field: FieldDesc, value: Val, field_loc: Loc, loc: Loc) -> Done {
        let shape = self.ctx.store.rec(rec).shape;
        let Some(at) = self.ctx.store.shapes.find(shape, field.name) else {
            self.ctx.push_field(rec, field, value, field_loc);
            if self.ctx.origins.on() {
                let len = self.ctx.store.rec(rec).values.len();
                self.ctx.store.rec_mut(rec).origins.resize(len, 0);
            }
            return Ok(());
        };
        if self.ctx.set_field(rec, at, value) {
            return Ok(());
        }
        let old = self.ctx.store.shapes.get(shape).fields[at];
        let text = [
            b"New definition of '",
            self.ctx.store.names.get(field.name),
            b"' of type '",
            &self.ctx.store.ty_text(field.ty),
            b"' is incompatible with previous definition of type '",
            &self.ctx.store.ty_text(old.ty),
            b"'",
        ]
        .concat();
        self.fail_at(loc, "tblgen-type", &text)
    }

    /// Assigns to a field, or to some bits of it, bit 0 of the value to the first.
    pub(super) fn set_value(&mut self, rec: RecId, loc: Loc, name: Sym, bits: &[u32], value: Val, moves: bool) -> Done {
        let shape = self.ctx.store.rec(rec).shape;
        let Some(at) = self.ctx.store.shapes.find(shape, name) else {
            let text = [b"Value '", self.ctx.store.names.get(name), b"' unknown!"].concat();
            self.error(loc, "tblgen-unknown-field", &text);
            self.suggest_own_field(rec, name);
            return Err(Stop);
        };
        let mut value = value;
        if bits.is_empty() {
            if self.ctx.store.vals.kind(value) == ValueKind::Var && Sym(self.ctx.store.vals.node(value).a) == name {
                return self.fail_at(loc, "tblgen-recursion", b"Recursion / self-assignment forbidden");
            }
        } else {
            value = self.with_bits(rec, at, loc, name, bits, value)?;
        }
        let ty = self.ctx.store.shapes.get(shape).fields[at].ty;
        if !self.ctx.set_field(rec, at, value) {
            self.incompatible(loc, name, ty, value);
            return Err(Stop);
        }
        if moves {
            self.ctx.store.set_field_loc(rec, at, loc);
        }
        Ok(())
    }

    fn with_bits(&mut self, rec: RecId, at: usize, loc: Loc, name: Sym, bits: &[u32], value: Val) -> Result<Val, Stop> {
        let current = self.ctx.store.rec(rec).values[at];
        if self.ctx.store.vals.kind(current) != ValueKind::Bits {
            let text = [b"Value '", self.ctx.store.names.get(name), b"' is not a bits type"].concat();
            return self.fail_at(loc, "tblgen-type", &text);
        }
        let Some(part) = self.ctx.cast_to(value, Ty::bits(bits.len() as u32)) else {
            return self.fail_at(loc, "tblgen-type", b"Initializer is not compatible with bit range");
        };
        let width = self.ctx.store.vals.bits_len(current);
        let mut all: Vec<u32> = (0..width).map(|i| self.ctx.store.vals.bits_at(current, i).0).collect();
        let mut set = vec![false; width as usize];
        for (i, &bit) in bits.iter().enumerate() {
            let name = self.ctx.store.names.get(name);
            let Some(done) = set.get_mut(bit as usize) else {
                let text = format!("bit {bit} is not in '{}', which has {width}", String::from_utf8_lossy(name));
                return self.fail_at(loc, "tblgen-range", text.as_bytes());
            };
            if std::mem::replace(done, true) {
                let number = bit.to_string();
                let text = [b"Cannot set bit #", number.as_bytes(), b" of value '", name, b"' more than once"].concat();
                return self.fail_at(loc, "tblgen-range", &text);
            }
            all[bit as usize] = self.ctx.store.bit_of(part, i as u32).0;
        }
        Ok(self.ctx.store.bits(&all))
    }

    fn incompatible(&mut self, loc: Loc, name: Sym, ty: Ty, value: Val) {
        let value_ty = self.ctx.store.vals.ty(value);
        let mut text = b"Field '".to_vec();
        text.extend(self.ctx.store.names.get(name));
        text.extend(b"' of type '");
        self.ctx.store.write_ty(ty, &mut text);
        text.extend(b"' is incompatible with value '");
        self.ctx.store.write_val(value, &mut text);
        if self.ctx.store.vals.kind(value) == ValueKind::Bits {
            let width = self.ctx.store.vals.bits_len(value);
            text.extend(format!("' of type bit initializer with length {width}").as_bytes());
        } else if value_ty != Ty::NONE {
            text.extend(b"' of type '");
            self.ctx.store.write_ty(value_ty, &mut text);
        }
        text.push(b'\'');
        self.error(loc, "tblgen-type", &text);
    }

    fn suggest_own_field(&mut self, rec: RecId, name: Sym) {
        let ctx = &self.ctx;
        let text = |s: Sym| String::from_utf8_lossy(ctx.store.names.get(s)).into_owned();
        let names: Vec<String> =
            ctx.store.shapes.get(ctx.store.rec(rec).shape).fields.iter().map(|f| text(f.name)).collect();
        if let Some(near) = isaglot_source::closest(&text(name), names.iter().map(String::as_str)) {
            let help = format!("did you mean '{near}'?");
            self.ctx.messages.help(&self.ctx.store.places, Loc::NONE, help);
        }
    }

    // ---- Superclasses --------------------------------------------------------------------------------------------

    pub(super) fn class_reference(&mut self, rec: Option<RecId>) -> Result<Reference, Stop> {
        let loc = self.loc();
        let class = self.class_id().ok_or(Stop)?;
        self.reference(rec, class, loc)
    }

    /// Arguments after the name of a class or multiclass.
    pub(super) fn reference(&mut self, rec: Option<RecId>, of: RecId, loc: Loc) -> Result<Reference, Stop> {
        let mut args = Vec::new();
        if self.eat(Tok::Less) {
            args = self.template_args(rec, of)?;
            self.check_args(&mut args, loc, of).ok_or(Stop)?;
        }
        Ok(Reference { rec: of, args, loc })
    }

    /// Makes a class a superclass: its fields, with the arguments put in, and its own superclasses.
    pub(super) fn add_super(&mut self, rec: RecId, reference: &Reference) -> Done {
        let (class, loc) = (reference.rec, reference.loc);
        self.inherit_fields(rec, class, loc)?;
        let mut r = self.ctx.resolver(Some(rec));
        self.match_args(class, &reference.args, loc, |name, value| r.set(name, value))?;
        if let Some(from) = self.ctx.store.rec(class).checks.clone() {
            let checks = self.ctx.store.rec_mut(rec).checks.get_or_insert_default();
            checks.assertions.extend(from.assertions);
            checks.dumps.extend(from.dumps);
        }
        let name = if self.ctx.store.rec(rec).is_class() {
            let implicit = self.implicit_name(rec);
            self.ctx.store.var(implicit, Ty::STRING)
        } else {
            self.ctx.store.rec(rec).name
        };
        let implicit = self.implicit_name(class);
        r.set(implicit, name);
        r.by = self.ctx.store.class_sym(class);
        self.ctx.resolve_record(rec, &mut r, OriginStep::Substituted);
        self.ctx.retire(r);
        if self.ctx.eval.stopped {
            return Err(Stop);
        }
        let twice = match self.ctx.store.inherit_list(rec, class) {
            Some(twice) => Some(twice),
            None if self.ctx.store.is_subclass(rec, class) => Some(class),
            None => None,
        };
        if let Some(twice) = twice {
            let text = [b"Already subclass of '", self.ctx.store.rec_name(twice).as_slice(), b"'!\n"].concat();
            return self.fail_at(loc, "tblgen-superclass", &text);
        }
        self.ctx.store.push_super(rec, class);
        Ok(())
    }

    fn inherit_fields(&mut self, rec: RecId, class: RecId, loc: Loc) -> Done {
        let ctx = &mut self.ctx;
        let (to, from) = (ctx.store.rec(rec).shape, ctx.store.rec(class).shape);
        let merge = ctx.store.shapes.merge(to, from);
        let count = ctx.store.rec(rec).values.len();
        if merge.plain {
            let (values, locs) = (ctx.store.rec(class).values.clone(), ctx.store.rec(class).field_locs);
            let r = ctx.store.rec_mut(rec);
            (r.values, r.field_locs, r.shape) = (values, locs, merge.shape);
        } else {
            for (i, &place) in merge.place.iter().enumerate() {
                let value = ctx.store.rec(class).values[i];
                if usize::from(place) < count && !ctx.set_field(rec, usize::from(place), value) {
                    let field = ctx.store.shapes.get(from).fields[i];
                    return self.add_field(rec, field, value, Loc::NONE, loc);
                }
            }
            // Those that are new follow in their order.
            let added = merge.place.iter().filter(|&&place| usize::from(place) >= count).count();
            let both = ctx.store.records.get_disjoint_mut([rec.index(), class.index()]);
            if let (Ok([r, class]), 1..) = (both, added) {
                let is_new = |i: &usize| usize::from(merge.place[*i]) >= count;
                r.values.reserve_exact(added);
                r.values.extend((0..merge.place.len()).filter(is_new).map(|i| class.values[i]));
                let locs = ctx.store.field_locs.of_all(class.field_locs, merge.place.len());
                for i in (0..merge.place.len()).filter(is_new) {
                    let at = usize::from(merge.place[i]);
                    r.field_locs = ctx.store.field_locs.set(r.field_locs, at, locs[i]);
                }
            }
            ctx.store.rec_mut(rec).shape = merge.shape;
        }
        if ctx.origins.on() {
            self.inherit_origins(rec, class, &merge.place, loc);
        }
        Ok(())
    }

    fn inherit_origins(&mut self, rec: RecId, class: RecId, places: &[u16], loc: Loc) {
        let ctx = &mut self.ctx;
        let len = ctx.store.rec(rec).values.len();
        let by = ctx.store.class_sym(class);
        ctx.store.rec_mut(rec).origins.resize(len, 0);
        for (i, &place) in places.iter().enumerate() {
            let at = usize::from(place);
            let before = ctx.store.rec(class).origins.get(i).copied().unwrap_or(0);
            let value = ctx.store.rec(rec).values[at];
            let node = ctx.origins.add(Origin { step: OriginStep::Inherited, by, loc, value, before });
            ctx.store.rec_mut(rec).origins[at] = node;
        }
    }

    /// Records a step of a field's history.
    pub(super) fn trace(&mut self, rec: RecId, name: Sym, step: OriginStep, by: Sym, loc: Loc) {
        let ctx = &mut self.ctx;
        let shape = ctx.store.rec(rec).shape;
        let Some(at) = ctx.store.shapes.find(shape, name) else { return };
        let len = ctx.store.rec(rec).values.len();
        ctx.store.rec_mut(rec).origins.resize(len, 0);
        let (before, value) = (ctx.store.rec(rec).origins[at], ctx.store.rec(rec).values[at]);
        let node = ctx.origins.add(Origin { step, by, loc, value, before });
        ctx.store.rec_mut(rec).origins[at] = node;
    }

    /// Forgets the last step of a field's history.
    fn untrace(&mut self, rec: RecId, name: Sym) {
        let shape = self.ctx.store.rec(rec).shape;
        let Some(at) = self.ctx.store.shapes.find(shape, name) else { return };
        let last = self.ctx.store.rec(rec).origins.get(at).copied().unwrap_or(0);
        let before = self.ctx.origins.chain(last).first().map_or(0, |o| o.before);
        if let Some(slot) = self.ctx.store.rec_mut(rec).origins.get_mut(at) {
            *slot = before;
        }
    }

    pub(super) fn add_assertion(&mut self, rec: RecId, assertion: Assertion) {
        self.ctx.store.rec_mut(rec).checks.get_or_insert_default().assertions.push(assertion);
    }

    pub(super) fn add_dump(&mut self, rec: RecId, dump: Dump) {
        self.ctx.store.rec_mut(rec).checks.get_or_insert_default().dumps.push(dump);
    }
}
