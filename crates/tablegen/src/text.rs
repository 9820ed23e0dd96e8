//! The text of values and types, as print-records and messages show it.

use std::io::Write;

use isaglot_invariant::{Impossible as _, impossible};

use crate::names::Sym;
use crate::ops::{BinOp, TernOp, UnOp};
use crate::record::RecId;
use crate::store::Store;
use crate::texts::Texts;
use crate::ty::{Ty, TyKind};
use crate::value::{Arg, Val, ValueKind, bits_form, dag_args, dag_op, flag};

impl Store {
    /// The text of a type.
    pub(crate) fn ty_text(&self, ty: Ty) -> Vec<u8> {
        let mut out = Vec::new();
        self.write_ty(ty, &mut out);
        out
    }

    pub(crate) fn write_ty(&self, ty: Ty, out: &mut Vec<u8>) {
        match self.types.kind(ty) {
            TyKind::Bit => out.extend(b"bit"),
            TyKind::Int => out.extend(b"int"),
            TyKind::String => out.extend(b"string"),
            TyKind::Dag => out.extend(b"dag"),
            TyKind::Bits(n) => {
                let _ = write!(out, "bits<{n}>");
            }
            TyKind::List(element) => {
                out.extend(b"list<");
                self.write_ty(element, out);
                out.push(b'>');
            }
            TyKind::Record => match self.types.classes(ty) {
                [one] => self.write_name(self.rec(*one).name, out),
                classes => {
                    out.push(b'{');
                    for (i, &class) in classes.iter().enumerate() {
                        if i > 0 {
                            out.extend(b", ");
                        }
                        self.write_name(self.rec(class).name, out);
                    }
                    out.push(b'}');
                }
            },
            TyKind::None => out.push(b'?'),
        }
    }

    /// The text of a value.
    pub(crate) fn val_text(&self, v: Val) -> Vec<u8> {
        let mut out = Vec::new();
        self.write_val(v, &mut out);
        out
    }

    /// A record's name.
    pub(crate) fn rec_name(&self, rec: RecId) -> Vec<u8> {
        let mut out = Vec::new();
        self.write_name(self.rec(rec).name, &mut out);
        out
    }

    /// The text of a value, without the quotes if it is a string.
    pub(crate) fn write_name(&self, v: Val, out: &mut Vec<u8>) {
        match self.vals.as_str(v) {
            Some(text) => out.extend(self.names.get(text)),
            None => self.write_val(v, out),
        }
    }

    pub(crate) fn write_val(&self, v: Val, out: &mut Vec<u8>) {
        Writer::new(self, out, None).val(v);
    }
}

/// Writes values, with or without a memory of texts.
#[derive(Debug)]
pub(crate) struct Writer<'a> {
    store: &'a Store,
    out: &'a mut Vec<u8>,
    texts: Option<&'a mut Texts>,
}

/// Values nested at least so deep are looked up in the memory of texts: below it, writing is as quick.
const WORTH_KEEPING: u16 = 3;

impl<'a> Writer<'a> {
    pub(crate) fn new(store: &'a Store, out: &'a mut Vec<u8>, texts: Option<&'a mut Texts>) -> Writer<'a> {
        Writer { store, out, texts }
    }

    /// Adds a value, by its text if that is kept.
    pub(crate) fn known(&mut self, v: Val) {
        if self.texts.as_ref().is_some_and(|texts| texts.copy(v, self.out)) {
            return;
        }
        let from = self.out.len();
        self.anew(v);
        if let Some(texts) = &mut self.texts {
            texts.note(v, &self.out[from..]);
        }
    }

    fn each(&mut self, parts: impl Iterator<Item = Val>) {
        for (i, part) in parts.enumerate() {
            if i > 0 {
                self.out.extend(b", ");
            }
            self.val(part);
        }
    }

    /// Adds a value, which may be a part of another.
    pub(crate) fn val(&mut self, v: Val) {
        if self.texts.is_some() && self.store.vals.flags(v) >> flag::DEPTH_SHIFT >= WORTH_KEEPING {
            self.known(v);
        } else {
            self.anew(v);
        }
    }

    /// Adds a value whose text is not kept.
    #[inline(always)]
    fn anew(&mut self, v: Val) {
        let store = self.store;
        if self.out.len() > store.max_text {
            return;
        }
        let node = store.vals.look(v);
        match node.kind {
            ValueKind::Unset => self.out.push(b'?'),
            ValueKind::Bit => self.out.push(if v == Val::TRUE { b'1' } else { b'0' }),
            ValueKind::Bits => self.bits(v),
            ValueKind::Int => write_number(store.vals.as_int(v).or_impossible(0), self.out),
            ValueKind::Str => {
                let (open, close) = if node.op == 1 { ("[{", "}]") } else { ("\"", "\"") };
                self.out.extend(open.as_bytes());
                self.out.extend(store.names.get(Sym(node.a)));
                self.out.extend(close.as_bytes());
            }
            ValueKind::List => {
                self.out.push(b'[');
                self.each(store.vals.run(v).iter().map(|&p| Val(p)));
                self.out.push(b']');
            }
            ValueKind::Dag => self.dag(v),
            ValueKind::Def => store.write_name(store.rec(RecId(node.a)).name, self.out),
            ValueKind::Var => self.out.extend(store.names.get(Sym(node.a))),
            ValueKind::VarBit => {
                self.val(Val(node.a));
                self.out.push(b'{');
                write_number(i64::from(node.b), self.out);
                self.out.push(b'}');
            }
            ValueKind::Field => {
                self.val(Val(node.a));
                self.out.push(b'.');
                self.out.extend(store.names.get(Sym(node.b)));
            }
            ValueKind::VarDef => {
                store.write_name(store.rec(RecId(store.vals.word(v, 0))).name, self.out);
                self.out.push(b'<');
                for (i, arg) in Arg::of_run(store.vals.run(v)).enumerate() {
                    if i > 0 {
                        self.out.extend(b", ");
                    }
                    self.arg(arg);
                }
                self.out.push(b'>');
            }
            ValueKind::Anon => {
                self.out.extend_from_slice(b"anonymous_");
                write_number(i64::from(node.a), self.out);
            }
            _ => self.operation(v),
        }
    }

    /// A value that is left as an operation, such as `!add(a, b)`.
    fn operation(&mut self, v: Val) {
        let store = self.store;
        let node = store.vals.node(v);
        let part = |i| store.vals.part(v, i);
        match node.kind {
            ValueKind::UnOp => {
                let op = UnOp::of(node.op);
                self.out.extend(op.name().as_bytes());
                match op {
                    UnOp::Cast => self.angled(node.ty),
                    UnOp::Instances => self.angled(store.types.element(node.ty).or_impossible(node.ty)),
                    _ => {}
                }
                self.out.push(b'(');
                self.val(Val(node.a));
                self.out.push(b')');
            }
            ValueKind::BinOp => self.bin(v),
            ValueKind::TernOp => {
                let op = TernOp::of(node.op);
                self.out.extend(op.name().as_bytes());
                self.out.push(b'(');
                match op {
                    op if op.binds() => store.write_name(part(0), self.out),
                    _ => self.val(part(0)),
                }
                self.out.extend(b", ");
                self.each([part(1), part(2)].into_iter());
                self.out.push(b')');
            }
            ValueKind::Cond => {
                self.out.extend(b"!cond(");
                let n = node.b as usize / 2;
                for i in 0..n {
                    if i > 0 {
                        self.out.extend(b", ");
                    }
                    self.val(part(i));
                    self.out.extend(b": ");
                    self.val(part(n + i));
                }
                self.out.push(b')');
            }
            ValueKind::Fold => {
                self.out.extend(b"!foldl(");
                self.each([part(0), part(1)].into_iter());
                for i in [2, 3] {
                    self.out.extend(b", ");
                    self.out.extend(store.names.get(Sym(store.vals.word(v, i))));
                }
                self.out.extend(b", ");
                self.val(part(4));
                self.out.push(b')');
            }
            ValueKind::IsA | ValueKind::Exists => {
                self.out.extend(if node.kind == ValueKind::IsA { b"!isa".as_slice() } else { b"!exists" });
                self.angled(Ty(node.a));
                self.out.push(b'(');
                self.val(Val(node.b));
                self.out.push(b')');
            }
            _ => impossible(()),
        }
    }

    fn arg(&mut self, arg: Arg) {
        let store = self.store;
        match arg.key() {
            Ok(position) => write_number(i64::from(position), self.out),
            Err(name) => {
                self.out.push(b'"');
                self.out.extend(store.names.get(name));
                self.out.push(b'"');
            }
        }
        self.out.extend(b": ");
        self.val(arg.value);
    }

    fn angled(&mut self, ty: Ty) {
        let store = self.store;
        self.out.push(b'<');
        store.write_ty(ty, self.out);
        self.out.push(b'>');
    }

    fn bits(&mut self, v: Val) {
        let store = self.store;
        self.out.extend_from_slice(b"{ ");
        let width = store.vals.bits_len(v);
        if store.vals.node(v).op == bits_form::MIXED {
            // Bits of one field stand together; its text is made once.
            let (mut of, mut from, mut to) = (Val::MISSING, 0, 0);
            for (i, &bit) in store.vals.run(v).iter().rev().enumerate() {
                if i > 0 {
                    self.out.extend_from_slice(b", ");
                }
                let node = store.vals.node(Val(bit));
                if node.kind != ValueKind::VarBit {
                    self.val(Val(bit));
                    continue;
                }
                if Val(node.a) == of {
                    self.out.extend_from_within(from..to);
                } else {
                    (of, from) = (Val(node.a), self.out.len());
                    self.val(of);
                    self.out.push(b'{');
                    to = self.out.len();
                }
                write_number(i64::from(node.b), self.out);
                self.out.push(b'}');
            }
        } else {
            for i in (0..width).rev() {
                let bit = match store.vals.bits_at(v, i) {
                    Val::TRUE => b'1',
                    Val::FALSE => b'0',
                    _ => b'?',
                };
                self.out.extend_from_slice(&[bit, b',', b' ']);
            }
            if width > 0 {
                self.out.truncate(self.out.len() - 2);
            }
        }
        self.out.extend_from_slice(b" }");
    }

    fn dag(&mut self, v: Val) {
        let store = self.store;
        let run = store.vals.run(v);
        self.out.push(b'(');
        self.val(dag_op(run));
        let name = Sym(run[1]);
        if name != Sym::NONE {
            self.out.extend(if store.newest { b":$".as_slice() } else { b":" });
            self.out.extend(store.names.get(name));
        }
        for (i, (arg, name)) in dag_args(run).enumerate() {
            self.out.extend(if i == 0 { b" ".as_slice() } else { b", " });
            self.val(arg);
            if name != Sym::NONE {
                self.out.extend(b":$");
                self.out.extend(store.names.get(name));
            }
        }
        self.out.push(b')');
    }

    fn bin(&mut self, v: Val) {
        let store = self.store;
        let node = store.vals.node(v);
        let (a, b) = (Val(node.a), Val(node.b));
        let op = BinOp::of(node.op);
        match op {
            BinOp::ListElem | BinOp::ListSlice => {
                self.val(a);
                self.out.push(b'[');
                self.val(b);
                self.out.push(b']');
            }
            BinOp::RangeClosed => {
                self.val(a);
                self.out.extend(b"...");
                self.val(b);
            }
            _ => {
                self.out.extend(op.name().as_bytes());
                if op == BinOp::GetDagArg {
                    self.angled(node.ty);
                }
                self.out.push(b'(');
                self.each([a, b].into_iter());
                self.out.push(b')');
            }
        }
    }
}

/// Adds a number in decimal.
pub(crate) fn write_number(number: i64, out: &mut Vec<u8>) {
    const DIGITS: usize = 20;
    if let 0..10 = number {
        return out.push(b'0' + number as u8);
    }
    let mut text = [b'0'; DIGITS];
    let mut rest = number.unsigned_abs();
    let mut at = DIGITS;
    loop {
        at -= 1;
        text[at] = b'0' + (rest % 10) as u8;
        rest /= 10;
        if rest == 0 {
            break;
        }
    }
    if number < 0 {
        out.push(b'-');
    }
    out.extend_from_slice(&text[at..]);
}
