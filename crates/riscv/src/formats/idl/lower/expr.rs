//! Expressions, run on values that are partly known: widths and extension as IDL has them.

use isaglot_bits::Word;
use isaglot_semantics::{BinaryOp, UnaryOp};
use isaglot_source::Span;

use super::graph::{Id, Node};
use super::state::{Run, Step, refuse};
use super::value::{Value, bits, truth};
use crate::formats::idl::syntax::{Expr, ExprKind, Literal, LiteralWidth, Op, Prefix};
use crate::limits;

/// A width that a value may have.
pub(crate) fn width_in_bounds(width: u64, span: Span) -> Step<u32> {
    match u32::try_from(width) {
        Ok(n) if (1..=limits::MAX_IDL_WIDTH).contains(&n) => Ok(n),
        _ => refuse("unsupported", format!("a value of {width} bits"), span),
    }
}

impl Run<'_> {
    /// The number that a value is known to be.
    pub(crate) fn known(&mut self, value: &Value, span: Span) -> Step<u64> {
        let (id, _) = bits(value, span)?;
        match self.graph.constant(id).and_then(Word::to_u64) {
            Some(n) => Ok(n),
            None => refuse("unsupported", "a value that is not known before the text runs", span),
        }
    }

    pub(crate) fn expr(&mut self, e: &Expr) -> Step<Value> {
        self.spend(e.span)?;
        self.inner(e.span, |run| run.value(e))
    }

    fn value(&mut self, e: &Expr) -> Step<Value> {
        match &e.kind {
            ExprKind::Number(literal) => self.literal(literal, e.span),
            ExprKind::Text(text) => Ok(Value::Text(text.clone())),
            ExprKind::Truth(truth) => Ok(Value::Truth(self.graph.bit(*truth))),
            ExprKind::Name(name) => self.name(name, e.span),
            ExprKind::Pc => {
                let width = self.xlen();
                Ok(Value::Bits(self.graph.make(Node::Pc, width), false))
            }
            // Only handed on to functions that report it.
            ExprKind::Encoding => Ok(Value::Bits(self.graph.number(0, 32), false)),
            ExprKind::Member(name, member) => Ok(Value::Member(name.text.clone(), member.text.clone())),
            ExprKind::Unary(op, x) => self.unary(*op, x),
            ExprKind::Binary(op, x, y) => self.binary(*op, x, y, e.span),
            ExprKind::Select(c, x, y) => self.select(c, x, y),
            ExprKind::Index(of, at) => self.index(of, at, e.span),
            ExprKind::Slice(of, high, low) => {
                let of = self.expr(of)?;
                let (id, _) = bits(&of, e.span)?;
                let (low, width) = self.range(high, low)?;
                self.part(id, low, width, e.span).map(|part| Value::Bits(part, false))
            }
            ExprKind::Field(of, name) => self.field(of, &name.text, e.span),
            ExprKind::Csr(name) => refuse("state", format!("the register `{}`", name.text), e.span),
            ExprKind::Call(..) | ExprKind::Method(..) => {
                let mut values = self.call_all(e)?;
                Ok(if values.is_empty() { Value::Nothing } else { values.swap_remove(0) })
            }
            ExprKind::Builtin(name, args) => self.builtin(&name.text, args, e.span),
            ExprKind::Concat(items) => {
                let mut all: Option<Id> = None;
                for item in items {
                    let value = self.expr(item)?;
                    let (id, _) = bits(&value, item.span)?;
                    width_in_bounds(
                        u64::from(self.graph.width(id)) + u64::from(all.map_or(0, |a| self.graph.width(a))),
                        e.span,
                    )?;
                    all = Some(all.map_or(id, |a| self.graph.concat(a, id)));
                }
                match all {
                    Some(all) => Ok(Value::Bits(all, false)),
                    None => refuse("unsupported", "nothing to put together", e.span),
                }
            }
            ExprKind::Repeat(count, what) => {
                let count = self.expr(count)?;
                let count = self.known(&count, e.span)?;
                let what = self.expr(what)?;
                let (id, _) = bits(&what, e.span)?;
                width_in_bounds(count.saturating_mul(u64::from(self.graph.width(id))), e.span)?;
                let mut all = id;
                for _ in 1..count {
                    all = self.graph.concat(id, all);
                }
                Ok(Value::Bits(all, false))
            }
            ExprKind::Array(items) => {
                let mut made = Vec::new();
                for item in items {
                    made.push(self.expr(item)?);
                }
                Ok(Value::Array(made))
            }
            ExprKind::Anything => Ok(Value::Nothing),
        }
    }

    fn literal(&mut self, literal: &Literal, span: Span) -> Step<Value> {
        if literal.undefined {
            return refuse("unsupported", "a number with undefined digits", span);
        }
        let needed = (128 - literal.value.leading_zeros()).max(1);
        let width = match literal.width {
            LiteralWidth::Bits(n) => n,
            LiteralWidth::Mxlen => self.xlen(),
            LiteralWidth::Needed => needed + u32::from(literal.signed),
        };
        Ok(Value::Bits(self.graph.word(Word::from_u128(literal.value, width)), literal.signed))
    }

    fn name(&mut self, name: &str, span: Span) -> Step<Value> {
        if let Some(slot) = self.variable(name) {
            return Ok(slot.value.clone());
        }
        if self.in_instruction()
            && let Some((n, field)) = (0u32..).zip(self.fields).find(|(_, f)| f.name == name)
        {
            let (width, signed) = (field.width, field.signed);
            return Ok(Value::Bits(self.graph.make(Node::Field(n), width), signed));
        }
        if name == "MXLEN" {
            let xlen = u64::from(self.xlen());
            return Ok(Value::Bits(self.graph.number(xlen, 7), false));
        }
        let target = self.target;
        if let Some((_, truth)) = target.flags.iter().find(|f| f.0 == name) {
            return Ok(Value::Truth(self.graph.bit(*truth)));
        }
        if let Some((_, text)) = target.texts.iter().find(|t| t.0 == name) {
            return Ok(Value::Text(text.clone()));
        }
        let program = self.program;
        match program.globals.get(name) {
            Some((ty, Some(value))) if name.starts_with(|c: char| c.is_ascii_uppercase()) => {
                let fixed = self.fixed(ty)?;
                let value = self.expr(value)?;
                Ok(self.fit(value, &fixed, span))
            }
            Some(_) => refuse("state", format!("the state `{name}` of the machine"), span),
            None => refuse("parameter", format!("the parameter `{name}` of the implementation"), span),
        }
    }

    fn unary(&mut self, op: Prefix, x: &Expr) -> Step<Value> {
        let value = self.expr(x)?;
        Ok(match op {
            Prefix::Not => {
                let bit = truth(&mut self.graph, &value, x.span)?;
                Value::Truth(self.graph.not(bit))
            }
            Prefix::Negate | Prefix::Complement => {
                let (id, signed) = bits(&value, x.span)?;
                let op = if op == Prefix::Negate { UnaryOp::Negate } else { UnaryOp::Not };
                Value::Bits(self.graph.unary(op, id), signed)
            }
        })
    }

    fn select(&mut self, c: &Expr, x: &Expr, y: &Expr) -> Step<Value> {
        let value = self.expr(c)?;
        let bit = truth(&mut self.graph, &value, c.span)?;
        // What is chosen is not extended to the width of the other side: assigning it does that.
        let chosen = match self.decide(bit) {
            Some(true) => self.expr(x)?,
            Some(false) => self.expr(y)?,
            None => {
                let a = self.under(bit, x)?;
                let no = self.graph.not(bit);
                let b = self.under(no, y)?;
                return self.choose(bit, &a, &b, c.span);
            }
        };
        Ok(match chosen {
            Value::Bits(id, _) => Value::Bits(id, false),
            other => other,
        })
    }

    fn binary(&mut self, op: Op, x: &Expr, y: &Expr, span: Span) -> Step<Value> {
        let left = self.expr(x)?;
        if matches!(op, Op::AndAlso | Op::OrElse) {
            let a = truth(&mut self.graph, &left, x.span)?;
            let decides = op == Op::OrElse;
            if self.decide(a) == Some(decides) {
                return Ok(Value::Truth(self.graph.bit(decides)));
            }
            let not = self.graph.not(a);
            let right = self.under(if decides { not } else { a }, y)?;
            let b = truth(&mut self.graph, &right, y.span)?;
            let op = if decides { BinaryOp::Or } else { BinaryOp::And };
            return Ok(Value::Truth(self.graph.binary(op, a, b)));
        }
        let right = self.expr(y)?;
        if matches!(op, Op::Eq | Op::Ne)
            && let Some(same) = self.same(&left, &right)
        {
            let c = if op == Op::Eq { same } else { self.graph.not(same) };
            return Ok(Value::Truth(c));
        }
        self.arithmetic(op, bits(&left, x.span)?, bits(&right, y.span)?, span)
    }

    /// Whether two values that are not bits are equal.
    fn same(&mut self, x: &Value, y: &Value) -> Option<Id> {
        Some(match (x, y) {
            (Value::Truth(a), Value::Truth(b)) => self.graph.binary(BinaryOp::Eq, *a, *b),
            (Value::Text(a), Value::Text(b)) => self.graph.bit(a == b),
            (Value::Member(e, a), Value::Member(f, b)) => {
                let number = |e: &str, m: &str| {
                    let member = self.program.enums.get(e).and_then(|all| all.iter().find(|(name, _)| name == m));
                    member.map(|(_, n)| *n)
                };
                let equal = e == f && (a == b || number(e, a).is_some() && number(e, a) == number(f, b));
                self.graph.bit(equal)
            }
            _ => return None,
        })
    }

    fn arithmetic(&mut self, op: Op, (x, s): (Id, bool), (y, t): (Id, bool), span: Span) -> Step<Value> {
        let g = &mut self.graph;
        let (wx, wy) = (g.width(x), g.width(y));
        let signed = s && t;
        let shift = match op {
            Op::Shl => Some(BinaryOp::Shl),
            Op::Shr => Some(BinaryOp::ShrU),
            Op::ShrArithmetic => Some(BinaryOp::ShrS),
            _ => None,
        };
        if let Some(shift) = shift {
            if op == Op::Shl && wx == 1 && g.constant(x).is_some() && g.constant(y).is_none() {
                self.find("idl-narrow-shift", "this has one bit, and shifted left it still has one", span);
            }
            let g = &mut self.graph;
            return Ok(Value::Bits(g.shift(shift, x, y), s));
        }
        if op == Op::WideShl {
            let by = self.known(&Value::Bits(y, false), span)?;
            let width = width_in_bounds(by.saturating_add(u64::from(wx)), span)?;
            let wide = self.graph.fit(x, width, s);
            return Ok(Value::Bits(self.graph.shift(BinaryOp::Shl, wide, y), s));
        }
        let most = wx.max(wy);
        let width = match op {
            Op::WideMul => wx + wy,
            Op::WideAdd | Op::WideSub => most + 1,
            _ => most,
        };
        width_in_bounds(u64::from(width), span)?;
        let (a, b) = (g.fit(x, width, s), g.fit(y, width, t));
        let plain = match op {
            Op::Mul | Op::WideMul => BinaryOp::Mul,
            Op::Add | Op::WideAdd => BinaryOp::Add,
            Op::Sub | Op::WideSub => BinaryOp::Sub,
            Op::And => BinaryOp::And,
            Op::Or => BinaryOp::Or,
            Op::Xor => BinaryOp::Xor,
            Op::Div | Op::Rem => return self.divide(op, a, b, signed, span),
            _ => return Ok(self.compare(op, a, b, s, t, span)),
        };
        Ok(Value::Bits(g.binary(plain, a, b), signed))
    }

    fn divide(&mut self, op: Op, a: Id, b: Id, signed: bool, span: Span) -> Step<Value> {
        let zero = self.graph.number(0, self.graph.width(b));
        let is_zero = self.graph.binary(BinaryOp::Eq, b, zero);
        let fine = self.graph.not(is_zero);
        if self.decide(fine).is_none() {
            self.find("idl-division", "this can divide by 0", span);
        }
        self.require(fine, "idl-division", "this divides by 0", span)?;
        let op = match (op, signed) {
            (Op::Div, true) => BinaryOp::DivS,
            (Op::Div, false) => BinaryOp::DivU,
            (_, true) => BinaryOp::RemS,
            (_, false) => BinaryOp::RemU,
        };
        Ok(Value::Bits(self.graph.binary(op, a, b), signed))
    }

    fn compare(&mut self, op: Op, a: Id, b: Id, s: bool, t: bool, span: Span) -> Value {
        let ordered = !matches!(op, Op::Eq | Op::Ne);
        if ordered && s != t {
            self.find("idl-mixed-signs", "one side of this comparison is signed and the other is not", span);
        }
        let signed = s && t;
        let (x, y) = if matches!(op, Op::Gt | Op::Ge) { (b, a) } else { (a, b) };
        let op = match (op, signed) {
            (Op::Eq, _) => BinaryOp::Eq,
            (Op::Ne, _) => {
                let equal = self.graph.binary(BinaryOp::Eq, x, y);
                return Value::Truth(self.graph.not(equal));
            }
            (Op::Lt | Op::Gt, true) => BinaryOp::LtS,
            (Op::Lt | Op::Gt, false) => BinaryOp::LtU,
            (_, true) => BinaryOp::LeS,
            (_, false) => BinaryOp::LeU,
        };
        Value::Truth(self.graph.binary(op, x, y))
    }

    fn index(&mut self, of: &Expr, at: &Expr, span: Span) -> Step<Value> {
        if let ExprKind::Name(name) = &of.kind
            && self.variable(name).is_none()
        {
            match name.as_str() {
                "X" => return self.read_register(at),
                "f" => return refuse("floating-point", "the floating-point registers", of.span),
                "v" => return refuse("vector", "the vector registers", of.span),
                _ => {}
            }
        }
        let of = self.expr(of)?;
        let index = self.expr(at)?;
        if let Value::Array(items) = of {
            let n = self.known(&index, at.span)?;
            return match usize::try_from(n).ok().and_then(|n| items.get(n)) {
                Some(item) => Ok(item.clone()),
                None => {
                    self.find("idl-index", "there is no such element", at.span);
                    self.trap(super::UNDEFINED, None)
                }
            };
        }
        let (id, _) = bits(&of, span)?;
        let (at, _) = bits(&index, at.span)?;
        self.part(id, at, 1, span).map(|part| Value::Bits(part, false))
    }

    /// The lower end of `[high:low]`, and its width, which must be known.
    pub(crate) fn range(&mut self, high: &Expr, low: &Expr) -> Step<(Id, u32)> {
        let span = high.span;
        let (h, l) = (self.expr(high)?, self.expr(low)?);
        let ((h, _), (l, _)) = (bits(&h, span)?, bits(&l, low.span)?);
        let width = self.graph.width(h).max(self.graph.width(l));
        let (h, l) = (self.graph.fit(h, width, false), self.graph.fit(l, width, false));
        let distance = self.graph.binary(BinaryOp::Sub, h, l);
        let Some(n) = self.graph.constant(distance).and_then(Word::to_u64) else {
            return refuse("unsupported", "a slice whose width only the run decides", span);
        };
        Ok((l, width_in_bounds(n.saturating_add(1), span)?))
    }

    /// So many bits of a value, from a place that may be computed.
    pub(crate) fn part(&mut self, of: Id, low: Id, width: u32, span: Span) -> Step<Id> {
        self.inside(of, low, width, span)?;
        if let Some(low) = self.graph.constant(low).and_then(Word::to_u64) {
            return Ok(self.graph.slice(of, low as u32, width));
        }
        let moved = self.graph.shift(BinaryOp::ShrU, of, low);
        Ok(self.graph.slice(moved, 0, width))
    }

    /// The instruction ends unless these bits are bits of the value.
    pub(crate) fn inside(&mut self, of: Id, low: Id, width: u32, span: Span) -> Step<()> {
        let all = self.graph.width(of);
        let message = format!("bits outside of a value of {all} bits");
        let Some(last) = all.checked_sub(width) else {
            self.find("idl-index", message, span);
            return self.trap(super::UNDEFINED, None);
        };
        if self.graph.most(low) <= u128::from(last) {
            return Ok(());
        }
        let own = self.graph.width(low).max(32);
        let (low, last) = (self.graph.zero_extend(low, own), self.graph.number(u64::from(last), own));
        let fine = self.graph.binary(BinaryOp::LeU, low, last);
        self.require(fine, "idl-index", &message, span)
    }

    /// An expression where a condition holds: what it does happens only then.
    fn under(&mut self, c: Id, e: &Expr) -> Step<Value> {
        self.guarded(c, |run| run.expr(e))
    }
}
