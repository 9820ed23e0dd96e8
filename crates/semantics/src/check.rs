//! Names and widths: from the syntax tree to a [`Body`].
//!
//! Widths are inferred inside out; a number (or an expression of numbers) has none of its own and takes that of its
//! surroundings. Memory accesses and calls may trap, so they are allowed only as a whole right side or statement, where
//! their order is plain to see.

use isaglot_bits::Word;
use isaglot_source::{Diagnostic, Diagnostics, Span, closest};
use rustc_hash::FxHashMap;

use crate::body::{BinaryOp, Body, Local, RegisterIndex, Statement, TableIndex, UnaryOp, Value, ValueId};
use crate::env::{Env, FileIndex, Meaning, Symbol};
use crate::limits;
use crate::syntax::{Expr, ExprKind, Ident, Stmt, Tree};

/// Checks a text against its surroundings. `None` if there was an error; all are added to `out`.
pub fn check(tree: &Tree, env: &Env, out: &mut Diagnostics) -> Option<Body> {
    let before = out.error_count();
    let mut c = Checker { env, out, body: Body::default(), scopes: vec![FxHashMap::default()] };
    let statements = c.statements(&tree.statements);
    c.body.statements = statements;
    let body = c.body;
    (out.error_count() == before).then_some(body)
}

struct Checker<'a> {
    env: &'a Env,
    out: &'a mut Diagnostics,
    body: Body,
    scopes: Vec<FxHashMap<String, Local>>,
}

/// Functions of one value that give its width.
const UNARY_FUNCTIONS: &[(&str, UnaryOp)] = &[
    ("clz", UnaryOp::CountLeadingZeros),
    ("ctz", UnaryOp::CountTrailingZeros),
    ("popcount", UnaryOp::CountOnes),
    ("reverse_bytes", UnaryOp::ReverseBytes),
    ("or_bytes", UnaryOp::OrBytes),
];

/// Functions of two values of one width.
const BINARY_FUNCTIONS: &[(&str, BinaryOp)] =
    &[("rotl", BinaryOp::RotateLeft), ("rotr", BinaryOp::RotateRight), ("clmul", BinaryOp::MulCarryless)];

/// Operators, and whether their operands change places.
const OPERATORS: &[(&str, BinaryOp, bool)] = &[
    ("+", BinaryOp::Add, false),
    ("-", BinaryOp::Sub, false),
    ("*", BinaryOp::Mul, false),
    ("/u", BinaryOp::DivU, false),
    ("/s", BinaryOp::DivS, false),
    ("%u", BinaryOp::RemU, false),
    ("%s", BinaryOp::RemS, false),
    ("&", BinaryOp::And, false),
    ("|", BinaryOp::Or, false),
    ("^", BinaryOp::Xor, false),
    ("&&", BinaryOp::And, false),
    ("||", BinaryOp::Or, false),
    ("==", BinaryOp::Eq, false),
    ("!=", BinaryOp::Ne, false),
    ("<u", BinaryOp::LtU, false),
    ("<s", BinaryOp::LtS, false),
    ("<=u", BinaryOp::LeU, false),
    ("<=s", BinaryOp::LeS, false),
    (">u", BinaryOp::LtU, true),
    (">s", BinaryOp::LtS, true),
    (">=u", BinaryOp::LeU, true),
    (">=s", BinaryOp::LeS, true),
    ("<<", BinaryOp::Shl, false),
    (">>u", BinaryOp::ShrU, false),
    (">>s", BinaryOp::ShrS, false),
];

/// What an effectful right side is.
enum Effect<'e> {
    Load { bits: u32, address: &'e Expr },
    Call { name: &'e Ident, args: &'e [Expr] },
}

impl Checker<'_> {
    fn error(&mut self, code: &'static str, message: impl Into<String>, span: Span, label: impl Into<String>) {
        self.out.push(Diagnostic::error(code, message).label(span, label));
    }

    fn statements(&mut self, list: &[Stmt]) -> Vec<Statement> {
        let mut made = Vec::new();
        for s in list {
            // A `None` was reported; the rest is still checked.
            let _ = self.statement(s, &mut made);
        }
        made
    }

    fn block(&mut self, list: &[Stmt]) -> Vec<Statement> {
        self.scopes.push(FxHashMap::default());
        let made = self.statements(list);
        self.scopes.pop();
        made
    }

    fn statement(&mut self, s: &Stmt, made: &mut Vec<Statement>) -> Option<()> {
        match s {
            Stmt::Let { name, width, value } => {
                let width = match width {
                    Some(w) => Some(self.width_of(w)?),
                    None => None,
                };
                if self.env.meaning(&name.text).is_some() || self.lookup(&name.text).is_some() {
                    let message = format!("`{}` already means something", name.text);
                    self.error("semantics-shadow", message, name.span, "expected a new name");
                }
                let local = match self.effect(value) {
                    Some(effect) => self.run_effect(&effect, width, &name.text, made)?,
                    None => {
                        let id = self.value(value, width)?;
                        let local = self.local(&name.text, self.body.width(id));
                        made.push(Statement::Let(local, id));
                        Some(local)
                    }
                };
                let Some(local) = local else {
                    self.error("semantics-no-value", "this call has no result", value.span, "expected a value");
                    return None;
                };
                if let Some(scope) = self.scopes.last_mut() {
                    scope.insert(name.text.clone(), local);
                }
            }
            Stmt::Assign { place, value } => self.assign(place, value, made)?,
            Stmt::If { condition, then, otherwise } => {
                let condition = self.value(condition, Some(1));
                let (then, otherwise) = (self.block(then), self.block(otherwise));
                made.push(Statement::If(condition?, then, otherwise));
            }
            Stmt::Trap { cause, args } => {
                if !self.env.common.traps.contains(&cause.text) {
                    let near =
                        closest(&cause.text, self.env.common.traps.iter().map(String::as_str)).map(str::to_owned);
                    let message = format!("no trap is called `{}`", cause.text);
                    self.unknown("semantics-trap", message, cause.span, near);
                }
                let mut ids = Vec::new();
                for a in args {
                    ids.push(self.value(a, None)?);
                }
                made.push(Statement::Trap(cause.text.clone(), ids));
            }
            Stmt::Call { name, args } => {
                self.run_effect(&Effect::Call { name, args }, None, ".", made)?;
            }
        }
        Some(())
    }

    /// The memory access or call that an expression is as a whole, if it is one.
    fn effect<'e>(&self, e: &'e Expr) -> Option<Effect<'e>> {
        match &e.kind {
            ExprKind::Index(base, address) => match &base.kind {
                ExprKind::Name(n) => memory_bits(n).map(|bits| Effect::Load { bits, address }),
                _ => None,
            },
            ExprKind::Call(name, args) => match self.env.meaning(&name.text) {
                Some(Meaning::Extern(_)) => Some(Effect::Call { name, args }),
                _ => None,
            },
            _ => None,
        }
    }

    fn run_effect(
        &mut self,
        effect: &Effect<'_>,
        width: Option<u32>,
        name: &str,
        made: &mut Vec<Statement>,
    ) -> Option<Option<Local>> {
        match *effect {
            Effect::Load { bits, address } => {
                if bits == 0 || !bits.is_multiple_of(8) || width.is_some_and(|w| w != bits) {
                    let message = format!("memory is read in whole bytes, and this reads {bits} bits");
                    self.error("semantics-width", message, address.span, "");
                    return None;
                }
                let address = self.value(address, Some(self.env.common.address_width))?;
                let local = self.local(name, bits);
                made.push(Statement::Load(local, address));
                Some(Some(local))
            }
            Effect::Call { name: callee, args } => {
                let Some(Meaning::Extern(id)) = self.env.meaning(&callee.text) else {
                    let near = nearest(&callee.text, self.env.all_names());
                    let message = format!("nothing that can be called is named `{}`", callee.text);
                    self.unknown("semantics-unknown", message, callee.span, near);
                    return None;
                };
                let signature = self.env.common.externs[id.0 as usize].clone();
                if signature.args.len() != args.len() {
                    let message =
                        format!("`{}` takes {} arguments, not {}", callee.text, signature.args.len(), args.len());
                    self.error("semantics-arguments", message, callee.span, "");
                    return None;
                }
                let mut ids = Vec::new();
                for (a, &w) in args.iter().zip(&signature.args) {
                    ids.push(self.value(a, Some(w))?);
                }
                let result = signature.result.map(|w| self.local(name, w));
                made.push(Statement::Call { callee: id, args: ids, result });
                Some(result)
            }
        }
    }

    fn assign(&mut self, place: &Expr, value: &Expr, made: &mut Vec<Statement>) -> Option<()> {
        if let ExprKind::Index(base, address) = &place.kind
            && let ExprKind::Name(n) = &base.kind
            && let Some(bits) = memory_bits(n)
        {
            let address = self.value(address, Some(self.env.common.address_width))?;
            let value = self.value(value, Some(bits))?;
            made.push(Statement::Store { address, value });
            return Some(());
        }
        let target = self.place(place)?;
        let value = match self.effect(value) {
            Some(effect) => {
                let Some(local) = self.run_effect(&effect, Some(target.1), ".", made)? else {
                    self.error("semantics-no-value", "this call has no result", value.span, "expected a value");
                    return None;
                };
                let width = self.body.locals[local.0 as usize];
                let id = self.push(Value::Local(local), width, value.span)?;
                self.of_width(id, Some(target.1), value.span)?
            }
            None => self.value(value, Some(target.1))?,
        };
        made.push(match target.0 {
            Some((file, index)) => Statement::SetRegister(file, index, value),
            None => Statement::SetPc(value),
        });
        Some(())
    }

    /// A register, or (`None`) the program counter, with its width.
    fn place(&mut self, e: &Expr) -> Option<(Option<(FileIndex, RegisterIndex)>, u32)> {
        match &e.kind {
            ExprKind::Name(n) if n == "pc" => return Some((None, self.env.common.address_width)),
            ExprKind::Name(n) => match self.env.meaning(n) {
                Some(Meaning::Operand(op, Symbol::Register { file, write: true, .. })) => {
                    let width = self.env.common.files[file.0 as usize].width;
                    return Some((Some((file, RegisterIndex::Operand(op))), width));
                }
                Some(Meaning::Operand(_, Symbol::Register { .. })) => {
                    let message = format!("operand `{n}` is only read by this instruction");
                    self.error("semantics-place", message, e.span, "expected an operand that is written");
                    return None;
                }
                _ => {}
            },
            ExprKind::Index(base, index) => {
                if let ExprKind::Name(n) = &base.kind
                    && let Some(Meaning::File(file)) = self.env.meaning(n)
                {
                    let index = self.register_index(file, index)?;
                    return Some((Some((file, index)), self.env.common.files[file.0 as usize].width));
                }
            }
            _ => {}
        }
        self.error("semantics-place", "this cannot be assigned to", e.span, "expected a register, `memN[…]` or `pc`");
        None
    }

    fn register_index(&mut self, file: FileIndex, e: &Expr) -> Option<RegisterIndex> {
        let count = self.env.common.files[file.0 as usize].count;
        let width = 32 - count.saturating_sub(1).leading_zeros().min(31);
        if self.is_flexible(e) {
            let number = self.constant(e)?;
            if number < 0 || number >= i128::from(count) {
                let message = format!("register {number} of a file of {count}");
                self.error("semantics-register", message, e.span, "");
                return None;
            }
            return Some(RegisterIndex::Value(self.value(e, Some(width))?));
        }
        Some(RegisterIndex::Value(self.value(e, None)?))
    }

    fn local(&mut self, name: &str, width: u32) -> Local {
        let local = Local(self.body.locals.len() as u32);
        self.body.locals.push(width);
        self.body.local_names.push(name.to_owned());
        local
    }

    fn lookup(&self, name: &str) -> Option<Local> {
        self.scopes.iter().rev().find_map(|scope| scope.get(name).copied())
    }

    fn push(&mut self, value: Value, width: u32, span: Span) -> Option<ValueId> {
        if width == 0 || width > limits::MAX_WIDTH {
            let message = format!("a value of {width} bits; 1 to {} are possible", limits::MAX_WIDTH);
            self.error("semantics-width", message, span, "");
            return None;
        }
        if self.body.values.len() >= limits::MAX_VALUES {
            let message = format!("more than {} values", limits::MAX_VALUES);
            self.error("semantics-too-long", message, span, "");
            return None;
        }
        self.body.values.push(value);
        self.body.widths.push(width);
        self.body.spans.push(span);
        Some(ValueId(self.body.values.len() as u32 - 1))
    }

    fn of_width(&mut self, id: ValueId, expected: Option<u32>, span: Span) -> Option<ValueId> {
        let width = self.body.width(id);
        if expected.is_none_or(|e| e == width) {
            return Some(id);
        }
        let expected = expected.unwrap_or(width);
        let d = Diagnostic::error("semantics-width", format!("this has {width} bits where {expected} are expected"));
        let hint = if width < expected { "`sext(…, N)` or `zext(…, N)` widens" } else { "`…[high:low]` narrows" };
        self.out.push(d.label(span, format!("{width} bits")).note(hint));
        None
    }

    /// Whether an expression takes its width from its surroundings.
    fn is_flexible(&self, e: &Expr) -> bool {
        match &e.kind {
            ExprKind::Number(_) => true,
            ExprKind::Name(n) => self.lookup(n).is_none() && matches!(self.env.meaning(n), Some(Meaning::Param(_))),
            ExprKind::Unary(op, x) => *op != "!" && self.is_flexible(x),
            ExprKind::Binary("+" | "-" | "*" | "&" | "|" | "^", x, y) => self.is_flexible(x) && self.is_flexible(y),
            // A shift has the width of its left side.
            ExprKind::Binary("<<" | ">>u" | ">>s", x, _) => self.is_flexible(x),
            ExprKind::Select(_, x, y) => self.is_flexible(x) && self.is_flexible(y),
            _ => false,
        }
    }

    /// A constant of numbers and parameters, for widths and bit positions.
    fn constant(&mut self, e: &Expr) -> Option<i128> {
        let found = match &e.kind {
            ExprKind::Number(n) => i128::try_from(*n).ok(),
            ExprKind::Name(n) => match self.env.meaning(n) {
                Some(Meaning::Param(p)) => Some(i128::from(p)),
                _ => None,
            },
            ExprKind::Unary("-", x) => Some(self.constant(x)?.checked_neg()?),
            ExprKind::Binary(op @ ("+" | "-" | "*" | "/u"), x, y) => {
                let (x, y) = (self.constant(x)?, self.constant(y)?);
                match *op {
                    "+" => x.checked_add(y),
                    "-" => x.checked_sub(y),
                    "*" => x.checked_mul(y),
                    _ => x.checked_div(y),
                }
            }
            _ => None,
        };
        if found.is_none() {
            self.error("semantics-constant", "this must be known without running", e.span, "expected a constant");
        }
        found
    }

    fn width_of(&mut self, e: &Expr) -> Option<u32> {
        let n = self.constant(e)?;
        match u32::try_from(n) {
            Ok(w) if (1..=limits::MAX_WIDTH).contains(&w) => Some(w),
            _ => {
                let message = format!("a width of {n} bits; 1 to {} are possible", limits::MAX_WIDTH);
                self.error("semantics-width", message, e.span, "");
                None
            }
        }
    }

    fn value(&mut self, e: &Expr, expected: Option<u32>) -> Option<ValueId> {
        let id = match &e.kind {
            ExprKind::Number(n) => self.number(*n, e.span, expected)?,
            ExprKind::Name(n) => self.name(n, e.span, expected)?,
            ExprKind::NumberOf(n) => match self.env.meaning(n) {
                Some(Meaning::Operand(op, Symbol::Register { file, .. })) => {
                    let count = self.env.common.files[file.0 as usize].count;
                    let width = 32 - count.saturating_sub(1).leading_zeros().min(31);
                    self.push(Value::RegisterNumber(op), width, e.span)?
                }
                _ => {
                    self.error("semantics-unknown", format!("`{n}` is not a register operand"), e.span, "");
                    return None;
                }
            },
            ExprKind::Unary(op, x) => {
                let (op, inner) = match *op {
                    "-" => (UnaryOp::Negate, expected),
                    "~" => (UnaryOp::Not, expected),
                    _ => (UnaryOp::Not, Some(1)),
                };
                let x = self.value(x, inner)?;
                self.push(Value::Unary(op, x), self.body.width(x), e.span)?
            }
            ExprKind::Binary(op, x, y) => self.binary(op, x, y, e.span, expected)?,
            ExprKind::Select(c, x, y) => {
                let c = self.value(c, Some(1));
                let (x, y) = self.pair(x, y, expected)?;
                self.push(Value::Select(c?, x, y), self.body.width(x), e.span)?
            }
            ExprKind::Call(name, args) => self.call(name, args, e.span, expected)?,
            ExprKind::Index(base, index) => self.index(base, index, e.span)?,
            ExprKind::Slice(base, high, low) => {
                let base = self.value(base, None);
                let (high, low) = (self.constant(high)?, self.constant(low)?);
                self.slice(base?, high, low, e.span)?
            }
            ExprKind::Concat(items) => {
                let mut ids = Vec::new();
                for item in items {
                    ids.push(self.value(item, None)?);
                }
                let mut ids = ids.into_iter();
                let Some(mut all) = ids.next() else {
                    self.error("semantics-syntax", "nothing to put together", e.span, "expected values");
                    return None;
                };
                for id in ids {
                    let width = self.body.width(all).saturating_add(self.body.width(id));
                    all = self.push(Value::Concat(all, id), width, e.span)?;
                }
                all
            }
        };
        self.of_width(id, expected, e.span)
    }

    fn number(&mut self, n: u128, span: Span, expected: Option<u32>) -> Option<ValueId> {
        let Some(width) = expected else {
            self.error(
                "semantics-width",
                "nothing says how wide this number is",
                span,
                "expected `bits(VALUE, WIDTH)`",
            );
            return None;
        };
        if width < 128 && n >> width != 0 {
            let message = format!("{n} does not fit {width} bits");
            self.error("semantics-width", message, span, "");
            return None;
        }
        self.push(Value::Const(Word::from_u128(n, width)), width, span)
    }

    fn name(&mut self, n: &str, span: Span, expected: Option<u32>) -> Option<ValueId> {
        if let Some(local) = self.lookup(n) {
            return self.push(Value::Local(local), self.body.locals[local.0 as usize], span);
        }
        match (n, self.env.meaning(n)) {
            ("pc", _) => self.push(Value::Pc, self.env.common.address_width, span),
            ("next_pc", _) => self.push(Value::NextPc, self.env.common.address_width, span),
            (_, Some(Meaning::Param(p))) => self.number(u128::from(p), span, expected),
            (_, Some(Meaning::Operand(op, Symbol::Immediate { width }))) => {
                self.push(Value::Immediate(op), width, span)
            }
            (_, Some(Meaning::Operand(op, Symbol::Register { file, read: true, .. }))) => {
                let width = self.env.common.files[file.0 as usize].width;
                self.push(Value::Register(file, RegisterIndex::Operand(op)), width, span)
            }
            (_, Some(Meaning::Operand(..))) => {
                let message = format!("operand `{n}` is only written by this instruction");
                self.error("semantics-read", message, span, "expected an operand that is read");
                None
            }
            (_, Some(_)) => {
                self.error("semantics-unknown", format!("`{n}` is not a value by itself"), span, "expected a value");
                None
            }
            (_, None) => {
                let local_names = self.scopes.iter().flat_map(|s| s.keys().map(String::as_str));
                let near = nearest(n, local_names.chain(self.env.all_names()));
                self.unknown("semantics-unknown", format!("nothing is named `{n}`"), span, near);
                None
            }
        }
    }

    fn unknown(&mut self, code: &'static str, message: String, span: Span, near: Option<String>) {
        let label = near.map_or(String::new(), |n| format!("did you mean `{n}`?"));
        self.error(code, message, span, label);
    }

    /// Two values of one width, whichever of them knows it.
    fn pair(&mut self, x: &Expr, y: &Expr, expected: Option<u32>) -> Option<(ValueId, ValueId)> {
        if expected.is_none() && self.is_flexible(x) {
            let y = self.value(y, None)?;
            return Some((self.value(x, Some(self.body.width(y)))?, y));
        }
        let first = self.value(x, expected)?;
        Some((first, self.value(y, Some(self.body.width(first)))?))
    }

    fn binary(&mut self, op: &str, x: &Expr, y: &Expr, span: Span, expected: Option<u32>) -> Option<ValueId> {
        let &(_, kind, swap) = OPERATORS.iter().find(|o| o.0 == op)?;
        let (x, y) = match kind {
            _ if op == "&&" || op == "||" => {
                let (x, y) = (self.value(x, Some(1)), self.value(y, Some(1)));
                (x?, y?)
            }
            // The amount of a shift may have a width of its own; it is brought to that of the value.
            BinaryOp::Shl | BinaryOp::ShrU | BinaryOp::ShrS => {
                let value = self.value(x, expected)?;
                (value, self.amount(y, self.body.width(value))?)
            }
            _ if kind.is_comparison() => self.pair(x, y, None)?,
            _ => self.pair(x, y, expected)?,
        };
        let width = if kind.is_comparison() { 1 } else { self.body.width(x) };
        let (x, y) = if swap { (y, x) } else { (x, y) };
        self.push(Value::Binary(kind, x, y), width, span)
    }

    /// A shift amount at this width. A wider one must not lose bits: it is refused.
    fn amount(&mut self, e: &Expr, width: u32) -> Option<ValueId> {
        if self.is_flexible(e) {
            return self.value(e, Some(width));
        }
        let id = self.value(e, None)?;
        if self.body.width(id) < width {
            return self.push(Value::ZeroExtend(id), width, e.span);
        }
        self.of_width(id, Some(width), e.span)
    }

    fn call(&mut self, name: &Ident, args: &[Expr], span: Span, expected: Option<u32>) -> Option<ValueId> {
        let unary = UNARY_FUNCTIONS.iter().find(|f| f.0 == name.text);
        let binary = BINARY_FUNCTIONS.iter().find(|f| f.0 == name.text);
        match (name.text.as_str(), args) {
            ("sext" | "zext", [x, width]) => {
                let x = self.value(x, None);
                let width = self.width_of(width)?;
                let x = x?;
                if self.body.width(x) > width {
                    return self.of_width(x, Some(width), span);
                }
                let kind = if name.text == "sext" { Value::SignExtend(x) } else { Value::ZeroExtend(x) };
                self.push(kind, width, span)
            }
            ("bits", [x, width]) => {
                let width = self.width_of(width)?;
                self.value(x, Some(width))
            }
            (_, [x]) if unary.is_some() => {
                let op = unary?.1;
                let x = self.value(x, expected)?;
                let width = self.body.width(x);
                if matches!(op, UnaryOp::ReverseBytes | UnaryOp::OrBytes) && !width.is_multiple_of(8) {
                    let message = format!("`{}` takes whole bytes, not {width} bits", name.text);
                    self.error("semantics-width", message, span, "");
                    return None;
                }
                self.push(Value::Unary(op, x), width, span)
            }
            (_, [x, y]) if binary.is_some() => {
                let op = binary?.1;
                let (x, y) = if op == BinaryOp::MulCarryless {
                    self.pair(x, y, expected)?
                } else {
                    let x = self.value(x, expected)?;
                    (x, self.amount(y, self.body.width(x))?)
                };
                self.push(Value::Binary(op, x, y), self.body.width(x), span)
            }
            _ if matches!(self.env.meaning(&name.text), Some(Meaning::Extern(_))) => {
                let message = format!("`{}` may trap, so it stands alone on a right side", name.text);
                self.error("semantics-order", message, span, "expected `let name = …;` before");
                None
            }
            _ => {
                let known = ["sext", "zext", "bits"].into_iter();
                let all = known.chain(UNARY_FUNCTIONS.iter().map(|f| f.0)).chain(BINARY_FUNCTIONS.iter().map(|f| f.0));
                let near = closest(&name.text, all).map(str::to_owned);
                let message = format!("no function `{}` of {} arguments", name.text, args.len());
                self.unknown("semantics-unknown", message, name.span, near);
                None
            }
        }
    }

    fn index(&mut self, base: &Expr, index: &Expr, span: Span) -> Option<ValueId> {
        if let ExprKind::Name(n) = &base.kind
            && self.lookup(n).is_none()
        {
            if let Some(Meaning::File(file)) = self.env.meaning(n) {
                let index = self.register_index(file, index)?;
                return self.push(Value::Register(file, index), self.env.common.files[file.0 as usize].width, span);
            }
            if let Some(Meaning::Table(at)) = self.env.meaning(n) {
                return self.row(at, index, span);
            }
            if memory_bits(n).is_some() && self.env.meaning(n).is_none() {
                let message = "memory access may trap, so it stands alone on a right side";
                self.error("semantics-order", message, span, "expected `let name = …;` before");
                return None;
            }
        }
        let base = self.value(base, None)?;
        let bit = self.constant(index)?;
        self.slice(base, bit, bit, span)
    }

    /// A row of a table of the surroundings.
    fn row(&mut self, at: usize, index: &Expr, span: Span) -> Option<ValueId> {
        let table = &self.env.common.tables[at];
        let Some(width) = table.index_width() else {
            let message = format!("table `{}` has {} rows", table.name, table.rows.len());
            self.error("semantics-table", message, span, "expected a table with 2, 4, 8, … rows");
            return None;
        };
        let number = self.value(index, Some(width))?;
        let known = self.body.tables.iter().position(|t| t.name == table.name);
        let known = known.unwrap_or_else(|| {
            self.body.tables.push(table.clone());
            self.body.tables.len() - 1
        });
        self.push(Value::Lookup(TableIndex(known as u32), number), table.width, span)
    }

    fn slice(&mut self, base: ValueId, high: i128, low: i128, span: Span) -> Option<ValueId> {
        let width = i128::from(self.body.width(base));
        if low < 0 || high < low || high >= width {
            let message = format!("bits {high} to {low} of a value of {width} bits");
            self.error("semantics-slice", message, span, "expected high and low inside the value, high first");
            return None;
        }
        self.push(Value::Slice(base, low as u32), (high - low + 1) as u32, span)
    }
}

/// The `N` of `memN`.
fn memory_bits(name: &str) -> Option<u32> {
    name.strip_prefix("mem").and_then(|n| n.parse().ok())
}

/// The known name that is nearest to one; of several the first of the alphabet, as names are kept in no order.
fn nearest<'n>(name: &str, known: impl Iterator<Item = &'n str>) -> Option<String> {
    let mut known: Vec<&str> = known.collect();
    known.sort_unstable();
    closest(name, known).map(str::to_owned)
}
