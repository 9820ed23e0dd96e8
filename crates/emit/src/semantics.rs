//! Semantics as Rust: a [`Body`] as statements of a function.
//!
//! A value of `w` bits is held in the smallest of `u8`, `u16`, `u32`, `u64` and `u128` that has room, with the bits above
//! 0; one of one bit that is only tested is a `bool` throughout. Values of more than 128 bits are refused.
//!
//! The caller says how a register, an operand, memory and a trap are written, in a [`Target`].

use isaglot_bits::Word;
use isaglot_invariant::{Impossible as _, impossible};
use isaglot_semantics::{BinaryOp, Body, Env, Local, Operand, RegisterIndex, Statement, UnaryOp, Value, ValueId};

/// How the generated statements reach what is outside of them. A target leaves out what its bodies do not use.
pub trait Target {
    /// An expression for the bits of an immediate operand, in the container of this width; the bits above are 0.
    fn immediate(&self, _: Operand, _: u32) -> String {
        impossible(String::new())
    }
    /// An expression of type `u8` for the number of the register that an operand names.
    fn register_number(&self, _: Operand) -> String {
        impossible(String::new())
    }
    /// An expression that reads a register: the name of its file, and an expression for its number, of any unsigned type.
    fn register(&self, _: &str, _: &str) -> String {
        impossible(String::new())
    }
    /// A statement that writes a register: its file, its number, and an expression for the value.
    fn set_register(&self, _: &str, _: &str, _: &str) -> String {
        impossible(String::new())
    }
    /// An expression for the address of the instruction, and one for the address after it.
    fn pc(&self) -> (String, String) {
        impossible((String::new(), String::new()))
    }
    /// A statement that says at which address execution goes on.
    fn set_pc(&self, _: &str) -> String {
        impossible(String::new())
    }
    /// An expression that loads this many bits from an address; it may end the function with a trap.
    fn load(&self, _: &str, _: u32) -> String {
        impossible(String::new())
    }
    /// A statement that stores a value (address, value, width in bits); it may end the function with a trap.
    fn store(&self, _: &str, _: &str, _: u32) -> String {
        impossible(String::new())
    }
    /// An expression that calls an extern (name, arguments); it may end the function with a trap.
    fn call(&self, _: &str, _: &[String]) -> String {
        impossible(String::new())
    }
    /// A statement that ends the function with a trap (cause, arguments).
    fn trap(&self, _: &str, _: &[String]) -> String {
        impossible(String::new())
    }
}

/// The smallest type with room for so many bits; `None` above 128.
pub fn container(width: u32) -> Option<u32> {
    [8, 16, 32, 64, 128].into_iter().find(|&c| width <= c)
}

/// The statements of a body, each line indented by `indent` spaces.
///
/// # Errors
/// A sentence, if a value is wider than 128 bits.
pub fn statements(body: &Body, env: &Env, target: &dyn Target, indent: usize) -> Result<String, String> {
    if let Some(width) = body.widths.iter().chain(&body.locals).find(|&&w| container(w).is_none()) {
        return Err(format!("a value of {width} bits; generated Rust holds at most 128"));
    }
    let mut w = Writer { body, env, target, out: String::new(), indent };
    w.list(&body.statements);
    Ok(w.out)
}

/// One value of a body as an expression of its container's type.
///
/// # Errors
/// As [`statements`].
pub fn expression(body: &Body, env: &Env, target: &dyn Target, value: ValueId) -> Result<String, String> {
    if let Some(width) = body.widths.iter().chain(&body.locals).find(|&&w| container(w).is_none()) {
        return Err(format!("a value of {width} bits; generated Rust holds at most 128"));
    }
    Ok(Writer { body, env, target, out: String::new(), indent: 0 }.value(value))
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

fn ty(width: u32) -> String {
    format!("u{}", bits(width))
}

fn mask(width: u32) -> String {
    let ones = if width >= 128 { u128::MAX } else { (1 << width) - 1 };
    format!("{ones:#x}")
}

/// `expr`, whose bits above `width` may be anything, with those bits 0.
fn masked(expr: String, width: u32) -> String {
    if bits(width) == width { expr } else { format!("({expr} & {})", mask(width)) }
}

impl Writer<'_> {
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

    fn local(&self, l: Local) -> String {
        let name = &self.body.local_names[l.0 as usize];
        // Made-up names begin with a dot; the number keeps all names apart.
        format!("{}_{}", name.trim_start_matches('.').to_lowercase(), l.0).trim_start_matches('_').to_owned()
    }

    fn local_name(&self, l: Local) -> String {
        let name = self.local(l);
        if name.starts_with(|c: char| c.is_ascii_digit()) { format!("v{name}") } else { name }
    }

    fn statement(&mut self, s: &Statement) {
        match s {
            Statement::Let(local, v) => {
                let width = self.body.locals[local.0 as usize];
                let line = format!("let {}: {} = {};", self.local_name(*local), ty(width), self.value(*v));
                self.line(&line);
            }
            Statement::Load(local, address) => {
                let width = self.body.locals[local.0 as usize];
                let load = self.target.load(&self.value(*address), width);
                let line = format!("let {}: {} = {load};", self.local_name(*local), ty(width));
                self.line(&line);
            }
            Statement::Store { address, value } => {
                let width = self.body.width(*value);
                let line = self.target.store(&self.value(*address), &self.value(*value), width);
                self.line(&line);
            }
            Statement::Call { callee, args, result } => {
                let args: Vec<String> = args.iter().map(|&a| self.value(a)).collect();
                let call = self.target.call(&self.env.externs()[callee.0 as usize].name, &args);
                let line = match result {
                    Some(local) => {
                        let width = self.body.locals[local.0 as usize];
                        format!("let {}: {} = {call};", self.local_name(*local), ty(width))
                    }
                    None => format!("{call};"),
                };
                self.line(&line);
            }
            Statement::SetRegister(file, index, v) => {
                let name = &self.env.files()[file.0 as usize].name;
                let line = self.target.set_register(name, &self.number(*index), &self.value(*v));
                self.line(&line);
            }
            Statement::SetPc(v) => {
                let line = self.target.set_pc(&self.value(*v));
                self.line(&line);
            }
            Statement::If(condition, then, otherwise) => {
                let line = format!("if {} {{", strip(&self.truth(*condition)));
                self.line(&line);
                self.block(then);
                if !otherwise.is_empty() {
                    self.line("} else {");
                    self.block(otherwise);
                }
                self.line("}");
            }
            Statement::Trap(cause, args) => {
                let args: Vec<String> = args.iter().map(|&a| self.value(a)).collect();
                let line = self.target.trap(cause, &args);
                self.line(&line);
            }
        }
    }

    fn block(&mut self, statements: &[Statement]) {
        self.indent += 4;
        self.list(statements);
        self.indent -= 4;
    }

    fn number(&self, index: RegisterIndex) -> String {
        match index {
            RegisterIndex::Operand(op) => self.target.register_number(op),
            RegisterIndex::Value(v) => self.value(v),
        }
    }

    /// A value of one bit as a `bool`.
    fn truth(&self, id: ValueId) -> String {
        let both = |op: &str, x: ValueId, y: ValueId| format!("({} {op} {})", self.truth(x), self.truth(y));
        match self.body.value(id) {
            Value::Const(w) => (!w.is_zero()).to_string(),
            Value::Unary(UnaryOp::Not, x) => format!("(!{})", self.truth(*x)),
            Value::Binary(BinaryOp::And, x, y) => both("&", *x, *y),
            Value::Binary(BinaryOp::Or, x, y) => both("|", *x, *y),
            Value::Binary(op, x, y) if op.is_comparison() => self.comparison(*op, *x, *y),
            _ => format!("({} != 0)", self.value(id)),
        }
    }

    fn comparison(&self, op: BinaryOp, x: ValueId, y: ValueId) -> String {
        let symbol = match op {
            BinaryOp::Eq => "==",
            BinaryOp::Ne => "!=",
            BinaryOp::LtU | BinaryOp::LtS => "<",
            _ => "<=",
        };
        let signed = matches!(op, BinaryOp::LtS | BinaryOp::LeS);
        let side = |v| if signed { self.signed(v) } else { self.value(v) };
        format!("({} {symbol} {})", side(x), side(y))
    }

    /// A value as a signed number of its container.
    fn signed(&self, id: ValueId) -> String {
        let width = self.body.width(id);
        let (c, unused) = (bits(width), bits(width) - width);
        let value = self.value(id);
        if unused == 0 { format!("({value} as i{c})") } else { format!("(({value} << {unused}) as i{c} >> {unused})") }
    }

    /// A value in its container.
    fn value(&self, id: ValueId) -> String {
        let width = self.body.width(id);
        let c = bits(width);
        match self.body.value(id) {
            Value::Const(w) => constant(w, c),
            Value::Local(l) => self.local_name(*l),
            Value::Immediate(op) => self.target.immediate(*op, width),
            Value::RegisterNumber(op) => self.target.register_number(*op),
            Value::Register(file, index) => {
                self.target.register(&self.env.files()[file.0 as usize].name, &self.number(*index))
            }
            Value::Pc => self.target.pc().0,
            Value::NextPc => self.target.pc().1,
            Value::Unary(op, x) => self.unary(*op, *x, width),
            Value::Binary(op, x, y) if op.is_comparison() => format!("u8::from{}", self.comparison(*op, *x, *y)),
            Value::Binary(op, x, y) => self.binary(*op, *x, *y, width),
            Value::Select(condition, x, y) => {
                let condition = self.truth(*condition);
                format!("(if {} {{ {} }} else {{ {} }})", strip(&condition), self.value(*x), self.value(*y))
            }
            Value::ZeroExtend(x) => cast(self.value(*x), bits(self.body.width(*x)), c),
            Value::SignExtend(x) => masked(format!("({} as u{c})", self.signed_as(*x, c)), width),
            Value::Slice(x, low) => {
                let from = self.body.width(*x);
                let value = self.value(*x);
                let shifted = if *low == 0 { value } else { format!("({value} >> {low})") };
                // Nothing above to be cut off if the slice reaches the top.
                let narrow = cast(shifted, bits(from), c);
                if low + width == from { narrow } else { masked(narrow, width) }
            }
            Value::Concat(x, y) => {
                let low = self.body.width(*y);
                let upper = cast(self.value(*x), bits(self.body.width(*x)), c);
                let lower = cast(self.value(*y), bits(low), c);
                format!("({upper} << {low} | {lower})")
            }
        }
    }

    /// A value as a signed number, in a container of at least `c` bits.
    fn signed_as(&self, id: ValueId, c: u32) -> String {
        let value = self.signed(id);
        if bits(self.body.width(id)) == c { value } else { format!("({value} as i{c})") }
    }

    fn unary(&self, op: UnaryOp, x: ValueId, width: u32) -> String {
        let (c, value) = (bits(width), self.value(x));
        let unused = c - width;
        match op {
            UnaryOp::Negate => masked(format!("{value}.wrapping_neg()"), width),
            UnaryOp::Not => masked(format!("(!{value})"), width),
            UnaryOp::CountLeadingZeros if unused == 0 => format!("({value}.leading_zeros() as u{c})"),
            UnaryOp::CountLeadingZeros => format!("(({value}.leading_zeros() - {unused}) as u{c})"),
            UnaryOp::CountTrailingZeros if unused == 0 => format!("({value}.trailing_zeros() as u{c})"),
            UnaryOp::CountTrailingZeros => format!("({value}.trailing_zeros().min({width}) as u{c})"),
            UnaryOp::CountOnes => format!("({value}.count_ones() as u{c})"),
            UnaryOp::ReverseBytes if unused == 0 => format!("{value}.swap_bytes()"),
            UnaryOp::ReverseBytes => format!("({value}.swap_bytes() >> {unused})"),
            UnaryOp::OrBytes => {
                // A byte's top bit is set if the byte is not 0; from there it is spread down.
                let (sevens, tops) = (repeat(0x7f, width), repeat(0x80, width));
                let any = format!("((({value} & {sevens}) + {sevens} | {value}) & {tops})");
                format!("{{ let t: u{c} = {any}; t | (t - (t >> 7)) }}")
            }
        }
    }

    fn binary(&self, op: BinaryOp, x: ValueId, y: ValueId, width: u32) -> String {
        let c = bits(width);
        let (a, b) = (self.value(x), self.value(y));
        let amount = || cast(b.clone(), c, 32);
        let safe = self.below(y, width);
        match op {
            BinaryOp::Add => masked(format!("{a}.wrapping_add({b})"), width),
            BinaryOp::Sub => masked(format!("{a}.wrapping_sub({b})"), width),
            BinaryOp::Mul => masked(format!("{a}.wrapping_mul({b})"), width),
            BinaryOp::And => format!("({a} & {b})"),
            BinaryOp::Or => format!("({a} | {b})"),
            BinaryOp::Xor => format!("({a} ^ {b})"),
            BinaryOp::DivU => format!("{a}.checked_div({b}).unwrap_or({})", mask(width)),
            BinaryOp::RemU => format!("{{ let (a, b) = ({a}, {b}); a.checked_rem(b).unwrap_or(a) }}"),
            BinaryOp::DivS => {
                let (a, b) = (self.signed(x), self.signed(y));
                let divided =
                    format!("{{ let (a, b) = ({a}, {b}); (if b == 0 {{ -1 }} else {{ a.wrapping_div(b) }}) as u{c} }}");
                masked(divided, width)
            }
            BinaryOp::RemS => {
                let (a, b) = (self.signed(x), self.signed(y));
                let rest =
                    format!("{{ let (a, b) = ({a}, {b}); (if b == 0 {{ a }} else {{ a.wrapping_rem(b) }}) as u{c} }}");
                masked(rest, width)
            }
            BinaryOp::Shl if safe => masked(format!("({a} << {})", amount()), width),
            BinaryOp::Shl => masked(format!("(if {b} < {width} {{ {a} << {} }} else {{ 0 }})", amount()), width),
            BinaryOp::ShrU if safe => format!("({a} >> {})", amount()),
            BinaryOp::ShrU => format!("(if {b} < {width} {{ {a} >> {} }} else {{ 0 }})", amount()),
            BinaryOp::ShrS => {
                let by = if safe { amount() } else { format!("({b}.min({}) as u32)", width - 1) };
                masked(format!("(({} >> {by}) as u{c})", self.signed(x)), width)
            }
            BinaryOp::RotateLeft | BinaryOp::RotateRight => {
                let name = if op == BinaryOp::RotateLeft { "left" } else { "right" };
                if c == width {
                    return format!("{a}.rotate_{name}(({b} % {width}) as u32)");
                }
                let (out, back) = if op == BinaryOp::RotateLeft { ("<<", ">>") } else { (">>", "<<") };
                let rotated = format!(
                    "{{ let (a, n) = ({a}, ({b} % {width}) as u32); a {out} n | if n == 0 {{ 0 }} else {{ a {back} ({width} - n) }} }}"
                );
                masked(rotated, width)
            }
            // Comparisons are written by `comparison`.
            _ => format!("u8::from{}", self.comparison(op, x, y)),
        }
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

/// A byte repeated over the width, as a literal.
fn repeat(byte: u128, width: u32) -> String {
    let value = (0..width / 8).fold(0u128, |v, i| v | byte << (8 * i));
    format!("{value:#x}")
}

fn constant(w: &Word, container: u32) -> String {
    let value = w.low_u128();
    if value < 10 { format!("{value}_u{container}") } else { format!("{value:#x}_u{container}") }
}

fn cast(value: String, from: u32, to: u32) -> String {
    if from == to { value } else { format!("({value} as u{to})") }
}

/// Without parentheses around the whole, where they would only be a warning.
fn strip(text: &str) -> &str {
    let Some(inner) = text.strip_prefix('(').and_then(|t| t.strip_suffix(')')) else { return text };
    let mut depth = 0;
    for c in inner.chars() {
        depth += match c {
            '(' => 1,
            ')' => -1,
            _ => 0,
        };
        if depth < 0 {
            return text;
        }
    }
    inner
}
