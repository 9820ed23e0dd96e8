//! Names and kinds of types, before anything runs.
//!
//! The problem: a text that names what is not there, or mixes Booleans with bits, is wrong whatever the machine is; people
//! should see all of it at once, with places. The method: every expression gets a [`Kind`]: bits with their sign quality,
//! Boolean, text, enum, bitfield, struct, array. Widths are left to the lowering, which knows them: they depend on the
//! register width and on arguments. A kind that follows an error is not known, and no message is made of it.

mod call;
mod expr;

use isaglot_source::{Diagnostic, Diagnostics, Span, closest};
use rustc_hash::FxHashMap;

use super::program::{Parameter, Program};
use super::syntax::{Declaration, Declared, Expr, ExprKind, Function, Stmt, StmtKind, Type, TypeKind};

/// What a value is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Bits, and whether they are signed.
    Bits(bool),
    Truth,
    Text,
    Enum(String),
    Bitfield(String),
    Struct(String),
    Array(Box<Kind>),
    /// A control and status register.
    Csr(String),
    /// A function without a result.
    Nothing,
    /// Not known: an error was reported.
    Unknown,
}

impl Kind {
    fn name(&self) -> String {
        match self {
            Kind::Bits(true) => "signed bits".to_owned(),
            Kind::Bits(false) => "bits".to_owned(),
            Kind::Truth => "a Boolean".to_owned(),
            Kind::Text => "a text".to_owned(),
            Kind::Enum(name) => format!("a member of `{name}`"),
            Kind::Bitfield(name) | Kind::Struct(name) => format!("a `{name}`"),
            Kind::Array(_) => "an array".to_owned(),
            Kind::Csr(_) => "a control and status register".to_owned(),
            Kind::Nothing => "no value".to_owned(),
            Kind::Unknown => "a value".to_owned(),
        }
    }

    /// Whether a value of this kind may stand where the other is wanted.
    fn fits(&self, wanted: &Kind) -> bool {
        match (self, wanted) {
            (Kind::Unknown, _) | (_, Kind::Unknown) => true,
            // A bitfield is bits with names, and so is a register.
            (Kind::Bits(_) | Kind::Bitfield(_) | Kind::Csr(_), Kind::Bits(_) | Kind::Bitfield(_)) => true,
            (Kind::Array(a), Kind::Array(b)) => a.fits(b),
            (a, b) => a == b,
        }
    }
}

/// A variable or a constant.
struct Named {
    kind: Kind,
    /// Its value is known before anything runs.
    constant: bool,
}

/// Checks the text of an instruction with these fields: name, and whether it is signed.
pub fn check(program: &Program, fields: &[(&str, bool)], body: &[Stmt], out: &mut Diagnostics) {
    let mut checker = Checker::new(program, out);
    for (name, signed) in fields {
        checker.declare(name, Kind::Bits(*signed), true);
    }
    checker.block(body);
}

/// Checks the bodies of functions.
pub fn check_declarations(program: &Program, declarations: &[Declaration], out: &mut Diagnostics) {
    for d in declarations {
        let mut checker = Checker::new(program, out);
        match d {
            Declaration::Function(f) => checker.function(f),
            Declaration::Fetch(body) => {
                checker.returns = Some(vec![Kind::Bits(false)]);
                checker.block(body);
            }
            _ => {}
        }
    }
}

struct Checker<'a> {
    program: &'a Program,
    out: &'a mut Diagnostics,
    scopes: Vec<FxHashMap<String, Named>>,
    returns: Option<Vec<Kind>>,
}

impl<'a> Checker<'a> {
    fn new(program: &'a Program, out: &'a mut Diagnostics) -> Checker<'a> {
        Checker { program, out, scopes: vec![FxHashMap::default()], returns: None }
    }

    fn error(&mut self, code: &'static str, message: impl Into<String>, span: Span, label: &str) {
        self.out.push(Diagnostic::error(code, message).label(span, label));
    }

    fn unknown<'n>(
        &mut self,
        code: &'static str,
        what: &str,
        name: &str,
        span: Span,
        all: impl Iterator<Item = &'n str>,
    ) {
        let near = closest(name, all);
        let d = Diagnostic::error(code, format!("{what} `{name}`")).label(span, "").did_you_mean(near);
        self.out.push(d);
    }

    fn declare(&mut self, name: &str, kind: Kind, constant: bool) {
        if let Some(scope) = self.scopes.last_mut() {
            scope.insert(name.to_owned(), Named { kind, constant });
        }
    }

    fn lookup(&self, name: &str) -> Option<&Named> {
        self.scopes.iter().rev().find_map(|scope| scope.get(name))
    }

    /// The kind that a type is.
    fn kind_of(&mut self, ty: &Type) -> Kind {
        match &ty.kind {
            TypeKind::Bits(width) => {
                let kind = self.expr(width);
                self.want(&kind, &Kind::Bits(false), width.span);
                Kind::Bits(false)
            }
            TypeKind::XReg | TypeKind::Unsigned(_) => Kind::Bits(false),
            TypeKind::Boolean => Kind::Truth,
            TypeKind::Text => Kind::Text,
            TypeKind::Named(name) => {
                let program = self.program;
                if program.enums.contains_key(name) {
                    return Kind::Enum(name.clone());
                }
                if program.structs.contains_key(name) {
                    return Kind::Struct(name.clone());
                }
                if program.bitfields.contains_key(name) {
                    return Kind::Bitfield(name.clone());
                }
                let all = program.enums.keys().chain(program.structs.keys()).chain(program.bitfields.keys());
                self.unknown("idl-unknown-name", "there is no type", name, ty.span, all.map(String::as_str));
                Kind::Unknown
            }
        }
    }

    /// Reports a value of another kind than what is wanted.
    fn want(&mut self, kind: &Kind, wanted: &Kind, span: Span) {
        if !kind.fits(wanted) {
            let message = format!("this is {}, not {}", kind.name(), wanted.name());
            self.error("idl-type", message, span, &format!("expected {}", wanted.name()));
        }
    }

    fn condition(&mut self, e: &Expr) {
        let kind = self.expr(e);
        self.want(&kind, &Kind::Truth, e.span);
    }

    fn function(&mut self, f: &Function) {
        for (ty, name) in f.templates.iter().chain(&f.arguments) {
            let constant = f.templates.iter().any(|t| t.1 == *name);
            let kind = self.kind_of(ty);
            self.declare(&name.text, kind, constant);
        }
        let returns = f.returns.iter().map(|ty| self.kind_of(ty)).collect();
        self.returns = Some(returns);
        if let Some(body) = &f.body {
            self.block(body);
        }
    }

    fn block(&mut self, list: &[Stmt]) {
        self.scopes.push(FxHashMap::default());
        for s in list {
            self.statement(s);
        }
        self.scopes.pop();
    }

    fn statement(&mut self, s: &Stmt) {
        match &s.kind {
            StmtKind::Declare(ty, names, value) => self.declaration(ty, names, value.as_ref()),
            StmtKind::Assign(place, value) => {
                let kind = self.expr(value);
                self.assign(place, &kind, value.span);
            }
            StmtKind::Unpack(places, call) => {
                let kinds = self.call_kinds(call);
                for (place, n) in places.iter().zip(0..) {
                    if let Some(place) = place {
                        let kind = kinds.get(n).cloned().unwrap_or(Kind::Unknown);
                        self.assign(place, &kind, call.span);
                    }
                }
                if !kinds.is_empty() && kinds.len() != places.len() {
                    let message = format!("this gives {} values and {} are wanted", kinds.len(), places.len());
                    self.error("idl-type", message, call.span, "");
                }
            }
            StmtKind::Call(call) => {
                self.call_kinds(call);
            }
            StmtKind::Step(place, _) => {
                let kind = self.expr(place);
                self.want(&kind, &Kind::Bits(false), place.span);
            }
            StmtKind::If(arms, otherwise) => {
                for (condition, then) in arms {
                    self.condition(condition);
                    self.block(then);
                }
                self.block(otherwise);
            }
            StmtKind::For(first, condition, step, body) => {
                self.scopes.push(FxHashMap::default());
                self.statement(first);
                self.condition(condition);
                self.statement(step);
                self.block(body);
                self.scopes.pop();
            }
            StmtKind::Return(values) => self.give(values, s.span),
            StmtKind::Guarded(inner, condition) => {
                self.condition(condition);
                self.statement(inner);
            }
        }
    }

    fn give(&mut self, values: &[Expr], span: Span) {
        let kinds: Vec<Kind> = values.iter().map(|value| self.expr(value)).collect();
        let Some(wanted) = self.returns.clone() else {
            return self.error("idl-type", "only functions return", span, "");
        };
        // A call that gives several values may be returned as a whole.
        let whole = matches!(values, [Expr { kind: ExprKind::Call(..), .. }]);
        if kinds.len() != wanted.len() && !whole {
            let message = format!("{} values are returned and the function gives {}", kinds.len(), wanted.len());
            return self.error("idl-type", message, span, "");
        }
        for ((kind, wanted), value) in kinds.iter().zip(&wanted).zip(values) {
            self.want(kind, wanted, value.span);
        }
    }

    fn declaration(&mut self, ty: &Type, names: &[Declared], value: Option<&Expr>) {
        let kind = self.kind_of(ty);
        let given = value.map(|value| (self.expr(value), value.span, self.constant(value)));
        for declared in names {
            let kind = match &declared.length {
                Some(length) => {
                    let of = self.expr(length);
                    self.want(&of, &Kind::Bits(false), length.span);
                    Kind::Array(Box::new(kind.clone()))
                }
                None => kind.clone(),
            };
            let mut constant = false;
            if let Some((of, span, known)) = &given {
                self.want(of, &kind, *span);
                constant = declared.name.text.starts_with(|c: char| c.is_ascii_uppercase());
                if constant && !known {
                    let message = format!("`{}` begins with a capital letter, so it is a constant", declared.name.text);
                    self.error("idl-type", message, *span, "expected a value that is known before the text runs");
                }
            }
            self.declare(&declared.name.text, kind, constant);
        }
    }

    fn assign(&mut self, place: &Expr, kind: &Kind, span: Span) {
        let wanted = match &place.kind {
            ExprKind::Pc => Kind::Bits(false),
            _ => self.expr(place),
        };
        // Bits that are assigned to a whole register or bitfield set all of its fields.
        self.want(kind, &wanted, span);
    }

    /// Whether a value is known before anything runs: of literals, fields, constants and parameters.
    fn constant(&self, e: &Expr) -> bool {
        let all = |list: &[Expr]| list.iter().all(|e| self.constant(e));
        match &e.kind {
            ExprKind::Number(_)
            | ExprKind::Text(_)
            | ExprKind::Truth(_)
            | ExprKind::Member(..)
            | ExprKind::Encoding => true,
            ExprKind::Name(name) => match self.lookup(name) {
                Some(named) => named.constant,
                None => name != "X" && !self.program.arrays.contains_key(name),
            },
            ExprKind::Unary(_, x) => self.constant(x),
            ExprKind::Binary(_, x, y) | ExprKind::Index(x, y) | ExprKind::Repeat(x, y) => {
                self.constant(x) && self.constant(y)
            }
            ExprKind::Select(x, y, z) | ExprKind::Slice(x, y, z) => {
                self.constant(x) && self.constant(y) && self.constant(z)
            }
            ExprKind::Field(x, _) => self.constant(x),
            ExprKind::Call(_, templates, args) => all(templates) && all(args),
            ExprKind::Builtin(_, items) | ExprKind::Concat(items) | ExprKind::Array(items) => all(items),
            // The number of a register never changes.
            ExprKind::Method(_, name, _) => name.text == "address",
            ExprKind::Pc | ExprKind::Csr(_) | ExprKind::Anything => false,
        }
    }

    fn parameter(&self, name: &str) -> Option<Kind> {
        Some(match self.program.parameters.get(name)? {
            Parameter::Number => Kind::Bits(false),
            Parameter::Truth => Kind::Truth,
            Parameter::Text => Kind::Text,
            Parameter::Numbers => Kind::Array(Box::new(Kind::Bits(false))),
            Parameter::Other => Kind::Unknown,
        })
    }
}
