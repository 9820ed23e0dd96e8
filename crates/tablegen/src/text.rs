//! The text of values and types, as print-records and messages show it.

use std::io::Write;

use isaglot_invariant::{Impossible as _, impossible};

use crate::names::Sym;
use crate::ops::{BinOp, TernOp, UnOp};
use crate::record::RecId;
use crate::store::Store;
use crate::ty::{Ty, TyKind};
use crate::value::{Arg, Val, ValueKind, bits_form, dag_args, dag_op};

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

    fn write_each(&self, parts: impl Iterator<Item = Val>, out: &mut Vec<u8>) {
        for (i, part) in parts.enumerate() {
            if i > 0 {
                out.extend(b", ");
            }
            self.write_val(part, out);
        }
    }

    pub(crate) fn write_val(&self, v: Val, out: &mut Vec<u8>) {
        if out.len() > self.max_text {
            return;
        }
        let node = self.vals.node(v);
        match node.kind {
            ValueKind::Unset => out.push(b'?'),
            ValueKind::Bit => out.push(if v == Val::TRUE { b'1' } else { b'0' }),
            ValueKind::Bits => self.write_bits(v, out),
            ValueKind::Int => write_number(self.vals.as_int(v).or_impossible(0), out),
            ValueKind::Str => {
                let (open, close) = if node.op == 1 { ("[{", "}]") } else { ("\"", "\"") };
                out.extend(open.as_bytes());
                out.extend(self.names.get(Sym(node.a)));
                out.extend(close.as_bytes());
            }
            ValueKind::List => {
                out.push(b'[');
                self.write_each(self.vals.run(v).iter().map(|&p| Val(p)), out);
                out.push(b']');
            }
            ValueKind::Dag => self.write_dag(v, out),
            ValueKind::Def => self.write_name(self.rec(RecId(node.a)).name, out),
            ValueKind::Var => out.extend(self.names.get(Sym(node.a))),
            ValueKind::VarBit => {
                self.write_val(Val(node.a), out);
                out.push(b'{');
                write_number(i64::from(node.b), out);
                out.push(b'}');
            }
            ValueKind::Field => {
                self.write_val(Val(node.a), out);
                out.push(b'.');
                out.extend(self.names.get(Sym(node.b)));
            }
            ValueKind::VarDef => {
                self.write_name(self.rec(RecId(self.vals.word(v, 0))).name, out);
                out.push(b'<');
                for (i, arg) in Arg::of_run(self.vals.run(v)).enumerate() {
                    if i > 0 {
                        out.extend(b", ");
                    }
                    self.write_arg(arg, out);
                }
                out.push(b'>');
            }
            ValueKind::Anon => {
                out.extend_from_slice(b"anonymous_");
                write_number(i64::from(node.a), out);
            }
            _ => self.write_operation(v, out),
        }
    }

    /// A value that is left as an operation, such as `!add(a, b)`.
    fn write_operation(&self, v: Val, out: &mut Vec<u8>) {
        let node = self.vals.node(v);
        let part = |i| self.vals.part(v, i);
        match node.kind {
            ValueKind::UnOp => {
                let op = UnOp::of(node.op);
                out.extend(op.name().as_bytes());
                match op {
                    UnOp::Cast => self.write_angled(node.ty, out),
                    UnOp::Instances => self.write_angled(self.types.element(node.ty).or_impossible(node.ty), out),
                    _ => {}
                }
                out.push(b'(');
                self.write_val(Val(node.a), out);
                out.push(b')');
            }
            ValueKind::BinOp => self.write_bin(v, out),
            ValueKind::TernOp => {
                let op = TernOp::of(node.op);
                out.extend(op.name().as_bytes());
                out.push(b'(');
                match op {
                    op if op.binds() => self.write_name(part(0), out),
                    _ => self.write_val(part(0), out),
                }
                out.extend(b", ");
                self.write_each([part(1), part(2)].into_iter(), out);
                out.push(b')');
            }
            ValueKind::Cond => {
                out.extend(b"!cond(");
                let n = node.b as usize / 2;
                for i in 0..n {
                    if i > 0 {
                        out.extend(b", ");
                    }
                    self.write_val(part(i), out);
                    out.extend(b": ");
                    self.write_val(part(n + i), out);
                }
                out.push(b')');
            }
            ValueKind::Fold => {
                out.extend(b"!foldl(");
                self.write_each([part(0), part(1)].into_iter(), out);
                for i in [2, 3] {
                    out.extend(b", ");
                    out.extend(self.names.get(Sym(self.vals.word(v, i))));
                }
                out.extend(b", ");
                self.write_val(part(4), out);
                out.push(b')');
            }
            ValueKind::IsA | ValueKind::Exists => {
                out.extend(if node.kind == ValueKind::IsA { b"!isa".as_slice() } else { b"!exists" });
                self.write_angled(Ty(node.a), out);
                out.push(b'(');
                self.write_val(Val(node.b), out);
                out.push(b')');
            }
            _ => impossible(()),
        }
    }

    fn write_arg(&self, arg: Arg, out: &mut Vec<u8>) {
        match arg.key() {
            Ok(position) => write_number(i64::from(position), out),
            Err(name) => {
                out.push(b'"');
                out.extend(self.names.get(name));
                out.push(b'"');
            }
        }
        out.extend(b": ");
        self.write_val(arg.value, out);
    }

    fn write_angled(&self, ty: Ty, out: &mut Vec<u8>) {
        out.push(b'<');
        self.write_ty(ty, out);
        out.push(b'>');
    }

    fn write_bits(&self, v: Val, out: &mut Vec<u8>) {
        out.extend_from_slice(b"{ ");
        let width = self.vals.bits_len(v);
        if self.vals.node(v).op == bits_form::MIXED {
            // Bits of one field stand together; its text is made once.
            let (mut of, mut from, mut to) = (Val::MISSING, 0, 0);
            for (i, &bit) in self.vals.run(v).iter().rev().enumerate() {
                if i > 0 {
                    out.extend_from_slice(b", ");
                }
                let node = self.vals.node(Val(bit));
                if node.kind != ValueKind::VarBit {
                    self.write_val(Val(bit), out);
                    continue;
                }
                if Val(node.a) == of {
                    out.extend_from_within(from..to);
                } else {
                    (of, from) = (Val(node.a), out.len());
                    self.write_val(of, out);
                    out.push(b'{');
                    to = out.len();
                }
                write_number(i64::from(node.b), out);
                out.push(b'}');
            }
        } else {
            for i in (0..width).rev() {
                let bit = match self.vals.bits_at(v, i) {
                    Val::TRUE => b'1',
                    Val::FALSE => b'0',
                    _ => b'?',
                };
                out.extend_from_slice(&[bit, b',', b' ']);
            }
            if width > 0 {
                out.truncate(out.len() - 2);
            }
        }
        out.extend_from_slice(b" }");
    }

    fn write_dag(&self, v: Val, out: &mut Vec<u8>) {
        let run = self.vals.run(v);
        out.push(b'(');
        self.write_val(dag_op(run), out);
        let name = Sym(run[1]);
        if name != Sym::NONE {
            out.extend(if self.newest { b":$".as_slice() } else { b":" });
            out.extend(self.names.get(name));
        }
        for (i, (arg, name)) in dag_args(run).enumerate() {
            out.extend(if i == 0 { b" ".as_slice() } else { b", " });
            self.write_val(arg, out);
            if name != Sym::NONE {
                out.extend(b":$");
                out.extend(self.names.get(name));
            }
        }
        out.push(b')');
    }

    fn write_bin(&self, v: Val, out: &mut Vec<u8>) {
        let node = self.vals.node(v);
        let (a, b) = (Val(node.a), Val(node.b));
        let op = BinOp::of(node.op);
        match op {
            BinOp::ListElem | BinOp::ListSlice => {
                self.write_val(a, out);
                out.push(b'[');
                self.write_val(b, out);
                out.push(b']');
            }
            BinOp::RangeClosed => {
                self.write_val(a, out);
                out.extend(b"...");
                self.write_val(b, out);
            }
            _ => {
                out.extend(op.name().as_bytes());
                if op == BinOp::GetDagArg {
                    self.write_angled(node.ty, out);
                }
                out.push(b'(');
                self.write_each([a, b].into_iter(), out);
                out.push(b')');
            }
        }
    }
}

/// Adds a number in decimal.
pub(crate) fn write_number(number: i64, out: &mut Vec<u8>) {
    const DIGITS: usize = 20;
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
