//! The kinds of expressions.

use isaglot_source::Span;

use super::{Checker, Kind};
use crate::formats::idl::syntax::{Expr, ExprKind, Ident, Literal, LiteralWidth, Op, Prefix};

impl Checker<'_> {
    pub(super) fn expr(&mut self, e: &Expr) -> Kind {
        match &e.kind {
            ExprKind::Number(literal) => self.literal(literal, e.span),
            ExprKind::Text(_) => Kind::Text,
            ExprKind::Truth(_) => Kind::Truth,
            ExprKind::Name(name) => self.name(name, e.span),
            ExprKind::Pc | ExprKind::Encoding => Kind::Bits(false),
            ExprKind::Member(name, member) => self.member(name, member),
            ExprKind::Unary(op, x) => {
                let kind = self.expr(x);
                let wanted = if *op == Prefix::Not { Kind::Truth } else { Kind::Bits(false) };
                self.want(&kind, &wanted, x.span);
                if *op == Prefix::Not { Kind::Truth } else { as_bits(&kind) }
            }
            ExprKind::Binary(op, x, y) => self.binary(*op, x, y, e.span),
            ExprKind::Select(c, x, y) => {
                self.condition(c);
                let (a, b) = (self.expr(x), self.expr(y));
                self.want(&b, &a, y.span);
                if matches!(a, Kind::Bits(_)) { Kind::Bits(false) } else { a }
            }
            ExprKind::Index(of, at) => {
                self.number(at);
                match self.expr(of) {
                    Kind::Array(element) => *element,
                    kind => {
                        self.want(&kind, &Kind::Bits(false), of.span);
                        Kind::Bits(false)
                    }
                }
            }
            ExprKind::Slice(of, high, low) => {
                for e in [of, high, low] {
                    self.number(e);
                }
                Kind::Bits(false)
            }
            ExprKind::Field(of, name) => {
                let kind = self.expr(of);
                self.field(&kind, name)
            }
            ExprKind::Csr(name) => {
                let program = self.program;
                if !program.csrs.is_empty() && !program.csrs.contains_key(&name.text) {
                    let all = program.csrs.keys().map(String::as_str);
                    self.unknown("idl-unknown-name", "there is no register", &name.text, name.span, all);
                    return Kind::Unknown;
                }
                Kind::Csr(name.text.clone())
            }
            ExprKind::Call(..) | ExprKind::Method(..) | ExprKind::Builtin(..) => {
                self.call_kinds(e).into_iter().next().unwrap_or(Kind::Nothing)
            }
            ExprKind::Concat(items) => {
                for item in items {
                    self.number(item);
                }
                Kind::Bits(false)
            }
            ExprKind::Repeat(count, what) => {
                self.number(count);
                self.number(what);
                Kind::Bits(false)
            }
            ExprKind::Array(items) => {
                let kinds: Vec<Kind> = items.iter().map(|item| self.expr(item)).collect();
                Kind::Array(Box::new(kinds.into_iter().next().unwrap_or(Kind::Unknown)))
            }
            ExprKind::Anything => Kind::Unknown,
        }
    }

    /// An expression that must be bits.
    fn number(&mut self, e: &Expr) {
        let kind = self.expr(e);
        self.want(&kind, &Kind::Bits(false), e.span);
    }

    fn literal(&mut self, literal: &Literal, span: Span) -> Kind {
        if let LiteralWidth::Bits(width) = literal.width {
            let needed = 128 - literal.value.leading_zeros();
            if needed > width {
                let message = format!("this number needs {needed} bits and says that it has {width}");
                self.error("idl-type", message, span, "");
            }
        }
        Kind::Bits(literal.signed)
    }

    fn name(&mut self, name: &str, span: Span) -> Kind {
        if let Some(named) = self.lookup(name) {
            return named.kind.clone();
        }
        match name {
            "X" => return Kind::Array(Box::new(Kind::Bits(false))),
            "MXLEN" => return Kind::Bits(false),
            _ => {}
        }
        let program = self.program;
        if let Some((ty, _)) = program.globals.get(name) {
            return self.kind_of(ty);
        }
        if let Some(ty) = program.arrays.get(name) {
            return Kind::Array(Box::new(self.kind_of(ty)));
        }
        if let Some(kind) = self.parameter(name) {
            return kind;
        }
        let all: Vec<String> = self.scopes.iter().flat_map(|s| s.keys().cloned()).collect();
        let all = all.iter().chain(program.globals.keys()).chain(program.parameters.keys()).map(String::as_str);
        self.unknown("idl-unknown-name", "nothing is called", name, span, all);
        Kind::Unknown
    }

    fn member(&mut self, name: &Ident, member: &Ident) -> Kind {
        let program = self.program;
        let Some(members) = program.enums.get(&name.text) else {
            let all = program.enums.keys().map(String::as_str);
            self.unknown("idl-unknown-name", "there is no enum", &name.text, name.span, all);
            return Kind::Unknown;
        };
        if !members.iter().any(|m| m.0 == member.text) {
            let all = members.iter().map(|m| m.0.as_str());
            let what = format!("`{}` has no member", name.text);
            self.unknown("idl-unknown-name", &what, &member.text, member.span, all);
        }
        Kind::Enum(name.text.clone())
    }

    pub(super) fn field(&mut self, of: &Kind, name: &Ident) -> Kind {
        let program = self.program;
        match of {
            Kind::Struct(s) => {
                let fields = program.structs.get(s).map_or(&[][..], |f| f);
                match fields.iter().find(|f| f.0 == name.text) {
                    Some((_, ty)) => return self.kind_of(ty),
                    None => {
                        let (all, what) = (fields.iter().map(|f| f.0.as_str()), format!("`{s}` has no field"));
                        self.unknown("idl-unknown-name", &what, &name.text, name.span, all);
                    }
                }
            }
            Kind::Bitfield(b) => {
                let fields = program.bitfields.get(b).map_or(&[][..], |f| f);
                if fields.contains(&name.text) {
                    return Kind::Bits(false);
                }
                let (all, what) = (fields.iter().map(String::as_str), format!("`{b}` has no field"));
                self.unknown("idl-unknown-name", &what, &name.text, name.span, all);
            }
            Kind::Csr(csr) => match program.csrs.get(csr) {
                Some(fields) if !fields.contains(&name.text) => {
                    let (all, what) = (fields.iter().map(String::as_str), format!("the register `{csr}` has no field"));
                    self.unknown("idl-unknown-name", &what, &name.text, name.span, all);
                }
                _ => return Kind::Bits(false),
            },
            Kind::Unknown => {}
            other => {
                let message = format!("{} has no fields", other.name());
                self.error("idl-type", message, name.span, "");
            }
        }
        Kind::Unknown
    }

    fn binary(&mut self, op: Op, x: &Expr, y: &Expr, span: Span) -> Kind {
        let (a, b) = (self.expr(x), self.expr(y));
        match op {
            Op::AndAlso | Op::OrElse => {
                self.want(&a, &Kind::Truth, x.span);
                self.want(&b, &Kind::Truth, y.span);
                Kind::Truth
            }
            Op::Eq | Op::Ne => {
                if !a.fits(&b) && !b.fits(&a) {
                    let message = format!("{} is compared with {}", a.name(), b.name());
                    self.error("idl-type", message, span, "expected two values of one kind");
                }
                Kind::Truth
            }
            _ => {
                self.want(&a, &Kind::Bits(false), x.span);
                self.want(&b, &Kind::Bits(false), y.span);
                let (a, b) = (as_bits(&a), as_bits(&b));
                let ordered = matches!(op, Op::Lt | Op::Le | Op::Gt | Op::Ge);
                if ordered && a != b && a != Kind::Unknown && b != Kind::Unknown {
                    let message = "one side of this comparison is signed and the other is not";
                    self.error("idl-type", message, span, "expected both signed or both unsigned");
                }
                match op {
                    _ if ordered => Kind::Truth,
                    Op::Shl | Op::Shr | Op::ShrArithmetic | Op::WideShl => a,
                    _ => Kind::Bits(a == Kind::Bits(true) && b == Kind::Bits(true)),
                }
            }
        }
    }
}

/// A kind as what an operator on bits takes.
fn as_bits(kind: &Kind) -> Kind {
    match kind {
        Kind::Bits(signed) => Kind::Bits(*signed),
        Kind::Bitfield(_) | Kind::Csr(_) => Kind::Bits(false),
        _ => Kind::Unknown,
    }
}
