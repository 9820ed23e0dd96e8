//! Semantics as Rust: a [`Body`] as statements of a function.
//!
//! A value of `w` bits is held in a type of at least `w` bits: the one that the expression has by nature, so that few casts
//! are needed. A local has the smallest of `u8`, `u16`, `u32`, `u64` and `u128` that has room. Values of more than 128 bits
//! are refused. An expression is *clean* if the bits above `w` are 0. Often that does not matter, because they are cut off
//! later: the low 32 bits of a sum are those of the sum of whole registers. So there are two ways to write a value, `clean`
//! and `low`. A value of one bit that is only tested is a `bool` throughout.
//!
//! The caller says how a register, an operand, memory and a trap are written, in a [`Target`].

use std::fmt;

use isaglot_invariant::{Impossible as _, impossible};
use isaglot_semantics::{
    BinaryOp, Body, Env, Local, OperandIndex, RegisterIndex, Statement, Table, UnaryOp, Value, ValueId,
};

use crate::expression::{Binds, ones};

pub use crate::expression::Expr;

/// How the generated statements reach what is outside of them. A target leaves out what its bodies do not use.
///
/// Expressions are clean, and of any unsigned type that has room: a target casts them to the type that it needs.
pub trait Target {
    /// The type that registers have; numbers that may have any type get at least this one.
    fn word(&self) -> u32 {
        8
    }
    /// The bits of an immediate operand with this width.
    fn immediate(&self, _: OperandIndex, _: u32) -> Expr {
        impossible(Expr::new("", 8))
    }
    /// The number of the register that an operand names.
    fn register_number(&self, _: OperandIndex) -> Expr {
        impossible(Expr::new("", 8))
    }
    /// Reads a register: the name of its file, and its number.
    fn register(&self, _: &str, _: &Expr) -> Expr {
        impossible(Expr::new("", 8))
    }
    /// A statement that writes a register: its file, its number, and the value.
    fn set_register(&self, _: &str, _: &Expr, _: Expr) -> String {
        impossible(String::new())
    }
    /// The address of the instruction.
    fn pc(&self) -> Expr {
        impossible(Expr::new("", 8))
    }
    /// The address after the instruction.
    fn next_pc(&self) -> Expr {
        impossible(Expr::new("", 8))
    }
    /// A statement that says at which address execution goes on.
    fn set_pc(&self, _: Expr) -> String {
        impossible(String::new())
    }
    /// Loads this many bits from an address; may end the function with a trap.
    fn load(&self, _: Expr, _: u32) -> Expr {
        impossible(Expr::new("", 8))
    }
    /// A statement that stores a value (address, value with anything above its width, width); it may end the function with a
    /// trap.
    fn store(&self, _: Expr, _: Expr, _: u32) -> String {
        impossible(String::new())
    }
    /// Calls an extern (name, arguments with their widths, width of the result); it may end the function with a trap.
    fn call(&self, _: &str, _: Vec<(Expr, u32)>, _: Option<u32>) -> Expr {
        impossible(Expr::new("", 8))
    }
    /// A row of a table, by its number. What the table is called must be the name of its [`table`].
    fn lookup(&self, table: &Table, number: &Expr) -> Expr {
        let bits = container(table.width).or_impossible(128);
        Expr::new(format!("{}[{} as usize]", table_name(table), number.operand(Binds::Cast)), bits)
    }
    /// A statement that ends the function with a trap (cause, arguments).
    fn trap(&self, _: &str, _: Vec<Expr>) -> String {
        impossible(String::new())
    }
}

/// The smallest type with room for so many bits; `None` above 128.
pub fn container(width: u32) -> Option<u32> {
    [8, 16, 32, 64, 128].into_iter().find(|&c| width <= c)
}

/// What a table is called in generated source.
pub fn table_name(table: &Table) -> String {
    table.name.to_uppercase()
}

/// A table as an item of Rust.
///
/// # Errors
/// A sentence, if its rows are wider than 128 bits.
pub fn table(table: &Table) -> Result<String, String> {
    let Some(bits) = container(table.width) else {
        return Err(format!("rows of {} bits; generated Rust holds at most 128", table.width));
    };
    let rows: Vec<String> = table.rows.iter().map(|row| format!("{:#x}", row.low_u128())).collect();
    let name = table_name(table);
    Ok(format!("pub(crate) static {name}: [u{bits}; {}] = [{}];\n", rows.len(), rows.join(", ")))
}

/// The statements of a body, each line indented by `indent` spaces.
///
/// # Errors
/// A sentence, if a value is wider than 128 bits.
pub fn statements(body: &Body, env: &Env, target: &dyn Target, indent: usize) -> Result<String, String> {
    let mut w = Writer::new(body, env, target)?;
    w.indent = indent;
    w.list(&body.statements);
    Ok(w.out)
}

/// One value of a body as a clean expression.
///
/// # Errors
/// As [`statements`].
pub fn expression(body: &Body, env: &Env, target: &dyn Target, value: ValueId) -> Result<Expr, String> {
    Ok(Writer::new(body, env, target)?.clean(value))
}

struct Writer<'a> {
    body: &'a Body,
    env: &'a Env,
    target: &'a dyn Target,
    out: String,
    indent: usize,
}

/// The container of a width that was checked before.
fn bits(width: u32) -> u32 {
    container(width).or_impossible(128)
}

/// Two expressions in the wider of their types; a literal has any type.
fn pair(a: Expr, b: Expr) -> (Expr, Expr) {
    let wide = match (a.is_literal(), b.is_literal()) {
        (true, false) => b.bits(),
        (false, true) => a.bits(),
        _ => a.bits().max(b.bits()),
    };
    (a.cast(wide), b.cast(wide))
}

/// The bitwise operators of Rust and the methods for wrapping arithmetic: those where low bits depend on low bits only.
fn bitwise(op: BinaryOp) -> Option<(&'static str, Binds)> {
    Some(match op {
        BinaryOp::And => ("&", Binds::And),
        BinaryOp::Or => ("|", Binds::Or),
        BinaryOp::Xor => ("^", Binds::Xor),
        _ => return None,
    })
}

fn wrapping(op: BinaryOp) -> Option<&'static str> {
    Some(match op {
        BinaryOp::Add => "wrapping_add",
        BinaryOp::Sub => "wrapping_sub",
        BinaryOp::Mul => "wrapping_mul",
        _ => return None,
    })
}

impl<'a> Writer<'a> {
    fn new(body: &'a Body, env: &'a Env, target: &'a dyn Target) -> Result<Writer<'a>, String> {
        if let Some(width) = body.widths.iter().chain(&body.locals).find(|&&w| container(w).is_none()) {
            return Err(format!("a value of {width} bits; generated Rust holds at most 128"));
        }
        Ok(Writer { body, env, target, out: String::new(), indent: 0 })
    }

    fn line(&mut self, text: &str) {
        self.out.push_str(&" ".repeat(self.indent));
        self.out.push_str(text);
        self.out.push('\n');
    }

    fn list(&mut self, statements: &[Statement]) {
        for s in statements {
            self.statement(s);
        }
    }

    fn local_name(&self, l: Local) -> String {
        let name = &self.body.local_names[l.0 as usize];
        // Made-up names begin with a dot; the number keeps all names apart.
        let name = format!("{}_{}", name.trim_start_matches('.').to_lowercase(), l.0);
        let name = name.trim_start_matches('_');
        if name.starts_with(|c: char| c.is_ascii_digit()) { format!("v{name}") } else { name.to_owned() }
    }

    fn bind(&mut self, local: Local, value: Expr) {
        let c = bits(self.body.locals[local.0 as usize]);
        let line = format!("let {}: u{c} = {};", self.local_name(local), value.cast(c));
        self.line(&line);
    }

    fn statement(&mut self, s: &Statement) {
        let line = match s {
            Statement::Let(local, v) => return self.bind(*local, self.clean(*v)),
            Statement::Load(local, address) => {
                let load = self.target.load(self.clean(*address), self.body.locals[local.0 as usize]);
                return self.bind(*local, load);
            }
            Statement::Store { address, value } => {
                self.target.store(self.clean(*address), self.low(*value), self.body.width(*value))
            }
            Statement::Call { callee, args, result } => {
                let args = args.iter().map(|&a| (self.clean(a), self.body.width(a))).collect();
                let width = result.map(|local| self.body.locals[local.0 as usize]);
                let call = self.target.call(&self.env.externs()[callee.0 as usize].name, args, width);
                match result {
                    Some(local) => return self.bind(*local, call),
                    None => format!("{call};"),
                }
            }
            Statement::SetRegister(file, index, v) => {
                let name = &self.env.files()[file.0 as usize].name;
                self.target.set_register(name, &self.number(*index), self.clean(*v))
            }
            Statement::SetPc(v) => self.target.set_pc(self.clean(*v)),
            Statement::If(condition, then, otherwise) => {
                let line = format!("if {} {{", self.truth(*condition, true));
                self.line(&line);
                self.block(then);
                if !otherwise.is_empty() {
                    self.line("} else {");
                    self.block(otherwise);
                }
                "}".to_owned()
            }
            Statement::Trap(cause, args) => self.target.trap(cause, args.iter().map(|&a| self.clean(a)).collect()),
        };
        self.line(&line);
    }

    fn block(&mut self, statements: &[Statement]) {
        self.indent += 4;
        self.list(statements);
        self.indent -= 4;
    }

    fn number(&self, index: RegisterIndex) -> Expr {
        match index {
            RegisterIndex::Operand(op) => self.target.register_number(op),
            RegisterIndex::Value(v) => self.clean(v),
        }
    }

    /// Whether a value of one bit is 1, or is 0, as a `bool`.
    fn truth(&self, id: ValueId, wanted: bool) -> Expr {
        match self.body.value(id) {
            Value::Const(w) => Expr::new((w.is_zero() != wanted).to_string(), 8),
            Value::Unary(UnaryOp::Not, x) => self.truth(*x, !wanted),
            Value::Binary(op @ (BinaryOp::And | BinaryOp::Or), x, y) => {
                // Neither, if it is not both; both not, if it is not either.
                let (symbol, binds) =
                    if (*op == BinaryOp::And) == wanted { ("&", Binds::And) } else { ("|", Binds::Or) };
                self.truth(*x, wanted).binary(symbol, binds, &self.truth(*y, wanted))
            }
            Value::Binary(op, x, y) if op.is_comparison() => self.comparison(*op, *x, *y, wanted),
            _ => self.clean(id).binary(if wanted { "!=" } else { "==" }, Binds::Compare, &Expr::new("0", 8)),
        }
    }

    fn comparison(&self, op: BinaryOp, x: ValueId, y: ValueId, wanted: bool) -> Expr {
        let symbol = match (op, wanted) {
            (BinaryOp::Eq, true) | (BinaryOp::Ne, false) => "==",
            (BinaryOp::Eq, false) | (BinaryOp::Ne, true) => "!=",
            (BinaryOp::LtU | BinaryOp::LtS, true) => "<",
            (BinaryOp::LtU | BinaryOp::LtS, false) => ">=",
            (_, true) => "<=",
            (_, false) => ">",
        };
        let signed = matches!(op, BinaryOp::LtS | BinaryOp::LeS);
        let (x, y) = if signed { (self.signed(x), self.signed(y)) } else { pair(self.clean(x), self.clean(y)) };
        x.binary(symbol, Binds::Compare, &y)
    }

    /// A value as a signed number of its container.
    fn signed(&self, id: ValueId) -> Expr {
        self.sign_extended(id, bits(self.body.width(id)))
    }

    /// A value as a signed number of a container that has room.
    fn sign_extended(&self, id: ValueId, c: u32) -> Expr {
        let width = self.body.width(id);
        let low = self.low(id);
        if bits(width) == width {
            return low.signed(width).signed(c);
        }
        low.cast(c).shift("<<", c - width).signed(c).shift(">>", c - width)
    }

    /// The type for a value of this width that may have any.
    fn room(&self, width: u32) -> u32 {
        bits(width).max(self.target.word())
    }

    /// A clean value in this type.
    fn value(&self, id: ValueId, c: u32) -> Expr {
        self.clean(id).cast(c)
    }

    /// A value in a type that has room, with the bits above 0.
    fn clean(&self, id: ValueId) -> Expr {
        let width = self.body.width(id);
        match self.body.value(id) {
            Value::Const(w) => Expr::literal(w.low_u128(), self.room(width)),
            Value::Local(l) => Expr::new(self.local_name(*l), bits(width)),
            Value::Immediate(op) => self.target.immediate(*op, width),
            Value::RegisterNumber(op) => self.target.register_number(*op),
            Value::Register(file, index) => {
                self.target.register(&self.env.files()[file.0 as usize].name, &self.number(*index))
            }
            Value::Pc => self.target.pc(),
            Value::NextPc => self.target.next_pc(),
            Value::Unary(op, x) => self.unary(*op, *x, id),
            Value::Binary(op, x, y) => self.binary(*op, *x, *y, id),
            Value::Select(condition, x, y) => {
                let (x, y) = pair(self.clean(*x), self.clean(*y));
                let text = format!("if {} {{ {x} }} else {{ {y} }}", self.truth(*condition, true));
                Expr::of(text, Binds::Block, x.bits())
            }
            Value::ZeroExtend(x) => {
                let x = self.clean(*x);
                if x.bits() < width { x.cast(self.room(width)) } else { x }
            }
            Value::SignExtend(x) if self.body.width(*x) == width => self.clean(*x),
            Value::SignExtend(_) => self.low(id).masked(width),
            // Nothing above to be cut off if the slice reaches the top.
            Value::Slice(x, low) if low + width == self.body.width(*x) => self.clean(*x).shift(">>", *low),
            Value::Slice(..) => self.low(id).masked(width),
            Value::Concat(x, y) => self.concat(self.clean(*x), *y, width),
            Value::Lookup(table, number) => {
                self.target.lookup(&self.body.tables[table.0 as usize], &self.clean(*number))
            }
        }
    }

    fn concat(&self, upper: Expr, lower: ValueId, width: u32) -> Expr {
        let c = self.room(width);
        let upper = upper.cast(c).shift("<<", self.body.width(lower));
        match self.body.value(lower) {
            Value::Const(w) if w.is_zero() => upper,
            _ => upper.binary("|", Binds::Or, &self.value(lower, c)),
        }
    }

    /// A value in a type that has room, with anything in the bits above.
    fn low(&self, id: ValueId) -> Expr {
        let width = self.body.width(id);
        match self.body.value(id) {
            Value::Slice(x, low) => self.low(*x).shift(">>", *low),
            Value::SignExtend(x) if self.body.width(*x) == width => self.low(*x),
            Value::SignExtend(x) => self.sign_extended(*x, bits(width)).cast(bits(width)),
            Value::Concat(x, y) => self.concat(self.low(*x), *y, width),
            Value::Unary(UnaryOp::Not, x) => self.low(*x).not(),
            Value::Unary(UnaryOp::Negate, x) => self.low(*x).method("wrapping_neg", ""),
            Value::Binary(op, x, y) => {
                let sides = || pair(self.low(*x), self.low(*y));
                if let Some((symbol, binds)) = bitwise(*op) {
                    let (x, y) = sides();
                    x.binary(symbol, binds, &y)
                } else if let Some(name) = wrapping(*op) {
                    let (x, y) = sides();
                    x.method(name, &if x.is_literal() { y.to_string() } else { y.untyped() })
                } else if *op == BinaryOp::Shl && self.below(*y, width) {
                    self.low(*x).binary("<<", Binds::Shift, &self.clean(*y))
                } else {
                    self.clean(id)
                }
            }
            _ => self.clean(id),
        }
    }

    fn unary(&self, op: UnaryOp, x: ValueId, id: ValueId) -> Expr {
        let width = self.body.width(id);
        let c = bits(width);
        let unused = c - width;
        let value = || self.value(x, c);
        // Rust counts in `u32`, which a wide value needs more than.
        let count = |n: Expr| if width > 32 { n.typed(32).cast(self.room(width)) } else { n.typed(32) };
        match op {
            UnaryOp::Negate | UnaryOp::Not => self.low(id).masked(width),
            UnaryOp::CountLeadingZeros => {
                let all = value().method("leading_zeros", "");
                count(if unused == 0 { all } else { all.binary("-", Binds::Sum, &Expr::new(unused.to_string(), 32)) })
            }
            UnaryOp::CountTrailingZeros => {
                let all = value().method("trailing_zeros", "");
                count(if unused == 0 { all } else { all.method("min", &width.to_string()) })
            }
            UnaryOp::CountOnes => count(self.clean(x).method("count_ones", "")),
            UnaryOp::ReverseBytes => value().method("swap_bytes", "").shift(">>", unused),
            UnaryOp::OrBytes => {
                // A byte's top bit is set if the byte is not 0; from there it is spread down.
                let repeat = |byte: u128| (0..width / 8).fold(0u128, |v, i| v | byte << (8 * i));
                let (sevens, tops) = (repeat(0x7f), repeat(0x80));
                let text = format!(
                    "{{ let t: u{c} = {}; let t = ((t & {sevens:#x}) + {sevens:#x} | t) & {tops:#x}; t | (t - (t >> 7)) }}",
                    value()
                );
                Expr::of(text, Binds::Block, c)
            }
        }
    }

    fn binary(&self, op: BinaryOp, x: ValueId, y: ValueId, id: ValueId) -> Expr {
        let width = self.body.width(id);
        let c = bits(width);
        let safe = self.below(y, width);
        let block = |text: String| Expr::of(text, Binds::Block, c);
        // A shift by the width or more, where Rust has no answer.
        let guarded = |shifted: &dyn fmt::Display| {
            let inside = self.clean(y).binary("<", Binds::Compare, &Expr::new(width.to_string(), 32));
            format!("if {inside} {{ {shifted} }} else {{ 0 }}")
        };
        match op {
            BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul => self.low(id).masked(width),
            // A mask is clean, so that the other side need not be.
            BinaryOp::And if self.is_constant(y) => self.low(id),
            BinaryOp::And | BinaryOp::Or | BinaryOp::Xor => {
                let (symbol, binds) = bitwise(op).or_impossible(("|", Binds::Or));
                let (x, y) = pair(self.clean(x), self.clean(y));
                x.binary(symbol, binds, &y)
            }
            BinaryOp::DivU => {
                let otherwise = Expr::literal(ones(width), c).untyped();
                self.value(x, c).method("checked_div", &self.value(y, c).untyped()).method("unwrap_or", &otherwise)
            }
            BinaryOp::RemU => {
                let (a, b) = (self.value(x, c), self.value(y, c));
                block(format!("{{ let (a, b) = ({a}, {b}); a.checked_rem(b).unwrap_or(a) }}"))
            }
            BinaryOp::DivS | BinaryOp::RemS => {
                let (a, b) = (self.signed(x), self.signed(y));
                let (none, name) = if op == BinaryOp::DivS { ("-1", "wrapping_div") } else { ("a", "wrapping_rem") };
                let result = format!("if b == 0 {{ {none} }} else {{ a.{name}(b) }}");
                block(format!("{{ let (a, b) = ({a}, {b}); ({result}) as u{c} }}")).masked(width)
            }
            BinaryOp::MulCarryless => {
                let (a, b) = (self.value(x, c), self.value(y, c));
                let step = "while b != 0 { if b & 1 == 1 { sum ^= a; } a <<= 1; b >>= 1; }";
                block(format!("{{ let (mut a, mut b, mut sum) = ({a}, {b}, 0); {step} sum }}")).masked(width)
            }
            BinaryOp::Shl if safe => self.low(id).masked(width),
            BinaryOp::Shl => {
                let shifted = self.value(x, c).binary("<<", Binds::Shift, &self.clean(y)).masked(width);
                block(guarded(&shifted))
            }
            BinaryOp::ShrU => {
                let shifted = self.clean(x).binary(">>", Binds::Shift, &self.clean(y));
                let bits = shifted.bits();
                if safe { shifted } else { block(guarded(&shifted)).typed(bits) }
            }
            BinaryOp::ShrS => {
                let by = self.clean(y);
                let by = if safe { by } else { by.method("min", &(width - 1).to_string()) };
                self.signed(x).binary(">>", Binds::Shift, &by).cast(c).masked(width)
            }
            BinaryOp::RotateLeft | BinaryOp::RotateRight => {
                let (name, out, back) =
                    if op == BinaryOp::RotateLeft { ("rotate_left", "<<", ">>") } else { ("rotate_right", ">>", "<<") };
                // Whole types rotate by any amount, modulo a power of two that a cast does not touch.
                if c == width {
                    return self.value(x, c).method(name, &self.value(y, 32).untyped());
                }
                let by = self.clean(y).operand(Binds::Cast);
                let rotated = format!("a {out} n | if n == 0 {{ 0 }} else {{ a {back} ({width} - n) }}");
                let a = self.value(x, c);
                block(format!("{{ let (a, n) = ({a}, ({by} % {width}) as u32); {rotated} }}")).masked(width)
            }
            _ => {
                let c = self.room(1);
                Expr::new(format!("u{c}::from({})", self.comparison(op, x, y, true)), c)
            }
        }
    }

    fn is_constant(&self, id: ValueId) -> bool {
        matches!(self.body.value(id), Value::Const(_))
    }

    /// Whether a value is plainly less than `limit`.
    fn below(&self, id: ValueId, limit: u32) -> bool {
        match self.body.value(id) {
            Value::Const(w) => w.to_u64().is_some_and(|n| n < u64::from(limit)),
            Value::Binary(BinaryOp::And, x, y) => self.below(*x, limit) || self.below(*y, limit),
            Value::ZeroExtend(x) => {
                let width = self.body.width(*x);
                width < 32 && 1_u64 << width <= u64::from(limit)
            }
            _ => false,
        }
    }
}
