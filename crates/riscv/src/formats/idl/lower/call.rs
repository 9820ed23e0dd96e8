//! Calls: functions with a body are run; what the machine does is written down as an effect.

use isaglot_semantics::BinaryOp;
use isaglot_source::Span;

use super::UNDEFINED;
use super::expr::width_in_bounds;
use super::graph::{Id, Node};
use super::state::{Effect, Run, Step, refuse};
use super::value::{Fixed, Slot, Value, bits, truth};
use crate::formats::idl::syntax::{Expr, ExprKind, Function};

/// What the machine does that changes nothing for one hart that runs one instruction at a time.
const NOTHING: &[&str] = &[
    "memory_model_acquire",
    "memory_model_release",
    "fence",
    "fence_tso",
    "pause",
    "prefetch_instruction",
    "prefetch_read",
    "prefetch_write",
    "wfi",
];

/// Exceptions with the names of their traps; the last says whether the trap has a value.
const EXCEPTIONS: &[(&str, &str, bool)] = &[
    ("IllegalInstruction", "illegal", false),
    ("Breakpoint", "breakpoint", false),
    ("Mcall", "environment_call", false),
    ("LoadAddressMisaligned", "load_misaligned", true),
    ("StoreAmoAddressMisaligned", "store_misaligned", true),
    ("InstructionAddressMisaligned", "fetch_misaligned", true),
];

impl Run<'_> {
    /// All values that a call gives.
    pub(crate) fn call_all(&mut self, e: &Expr) -> Step<Vec<Value>> {
        let (name, templates, args) = match &e.kind {
            ExprKind::Call(name, templates, args) => (name, templates, args),
            ExprKind::Builtin(..) => return Ok(vec![self.expr(e)?]),
            _ => return refuse("state", "a function of a register of the machine", e.span),
        };
        if NOTHING.contains(&name.text.as_str()) {
            return Ok(Vec::new());
        }
        if let Some(value) = self.machine(&name.text, templates, args, e.span)? {
            return Ok(vec![value]);
        }
        let program = self.program;
        match program.functions.get(&name.text) {
            Some(f) => match &f.body {
                Some(body) => {
                    let slots = self.slots(f, templates, args, e.span)?;
                    let values = self.in_frame(slots, body, e.span)?;
                    self.returned(f, values)
                }
                None => refuse(class_of(&name.text), format!("`{}` says nothing of what it does", name.text), e.span),
            },
            None => refuse("unsupported", format!("nothing is called `{}`", name.text), e.span),
        }
    }

    /// The arguments of a function as its variables.
    fn slots(&mut self, f: &Function, templates: &[Expr], args: &[Expr], span: Span) -> Step<Vec<Slot>> {
        if f.templates.len() != templates.len() || f.arguments.len() != args.len() {
            return refuse("unsupported", format!("`{}` with other arguments", f.name.text), span);
        }
        let mut values = Vec::new();
        for e in templates.iter().chain(args) {
            values.push(self.expr(e)?);
        }
        // Widths of arguments may be template arguments, so they are computed inside.
        let mut slots: Vec<Slot> = Vec::new();
        for ((ty, name), value) in f.templates.iter().chain(&f.arguments).zip(values) {
            let outer = self.open(std::mem::take(&mut slots));
            let fixed = self.fixed(ty);
            slots = self.close(outer);
            let fixed = fixed?;
            let value = self.fit(value, &fixed, span);
            slots.push(Slot { name: name.text.clone(), fixed, value });
        }
        Ok(slots)
    }

    /// Fits what a function returns to what it says that it returns.
    fn returned(&mut self, f: &Function, values: Vec<Value>) -> Step<Vec<Value>> {
        let mut made = Vec::new();
        for (value, ty) in values.into_iter().zip(&f.returns) {
            // Widths that need a template argument are those of the values.
            let fixed = match &ty.kind {
                crate::formats::idl::syntax::TypeKind::Bits(width)
                    if matches!(&width.kind, ExprKind::Name(n) if f.templates.iter().any(|t| t.1.text == *n))
                        || !matches!(&width.kind, ExprKind::Name(_) | ExprKind::Number(_)) =>
                {
                    Fixed::Other
                }
                _ => self.fixed(ty)?,
            };
            made.push(self.fit(value, &fixed, ty.span));
        }
        Ok(made)
    }

    fn arg(&mut self, args: &[Expr], n: usize, span: Span) -> Step<Value> {
        match args.get(n) {
            Some(e) => self.expr(e),
            None => refuse("unsupported", "too few arguments", span),
        }
    }

    fn bits_arg(&mut self, args: &[Expr], n: usize, width: u32, span: Span) -> Step<Id> {
        let value = self.arg(args, n, span)?;
        let (id, signed) = bits(&value, span)?;
        Ok(self.graph.fit(id, width, signed))
    }

    fn template(&mut self, templates: &[Expr], span: Span) -> Step<u32> {
        let value = self.arg(templates, 0, span)?;
        let n = self.known(&value, span)?;
        width_in_bounds(n, span)
    }

    /// What the machine does by itself; `None` if the function is none of these.
    fn machine(&mut self, name: &str, templates: &[Expr], args: &[Expr], span: Span) -> Step<Option<Value>> {
        let xlen = self.xlen();
        Ok(Some(match name {
            "implemented?" => match self.arg(args, 0, span)? {
                Value::Member(_, extension) => {
                    let has = !self.target.absent.contains(&extension);
                    Value::Truth(self.graph.bit(has))
                }
                _ => return refuse("unsupported", "an extension that only the run decides", span),
            },
            "xlen" => Value::Bits(self.graph.number(u64::from(xlen), 8), false),
            "mode" | "effective_ldst_mode" => Value::Member("PrivilegeMode".to_owned(), "M".to_owned()),
            "raise" | "raise_precise" => return self.raise(args, span),
            "unpredictable" | "unreachable" => {
                return self.trap(UNDEFINED, None);
            }
            "assert" => {
                let value = self.arg(args, 0, span)?;
                let fine = truth(&mut self.graph, &value, span)?;
                self.require(fine, "idl-assert", "this `assert` does not hold", span)?;
                Value::Nothing
            }
            "read_memory" | "read_memory_xlen_aligned" | "read_memory_xlen" => {
                let width = if templates.is_empty() { xlen } else { self.template(templates, span)? };
                let address = self.bits_arg(args, 0, xlen, span)?;
                whole_bytes(width, span)?;
                Value::Bits(self.load(address, width), false)
            }
            "write_memory" | "write_memory_xlen_aligned" | "write_memory_xlen" => {
                let width = if templates.is_empty() { xlen } else { self.template(templates, span)? };
                let address = self.bits_arg(args, 0, xlen, span)?;
                let value = self.bits_arg(args, 1, width, span)?;
                whole_bytes(width, span)?;
                self.effect(Effect::Store(address, value));
                Value::Nothing
            }
            "amo" => self.amo(templates, args, span)?,
            "load_reserved" => {
                let width = self.template(templates, span)?;
                let address = self.bits_arg(args, 0, xlen, span)?;
                whole_bytes(width, span)?;
                let value = self.load(address, width);
                self.effect(Effect::Call("reserve", vec![address], None));
                Value::Bits(value, false)
            }
            "store_conditional" => {
                let width = self.template(templates, span)?;
                let address = self.bits_arg(args, 0, xlen, span)?;
                let value = self.bits_arg(args, 1, width, span)?;
                whole_bytes(width, span)?;
                let n = self.result();
                self.effect(Effect::Call("reserved", vec![address], Some(n)));
                let done = self.graph.make(Node::Result(n), 1);
                self.guarded(done, |run| {
                    run.effect(Effect::Store(address, value));
                    Ok(())
                })?;
                Value::Truth(done)
            }
            "ifence" => {
                self.effect(Effect::Call("fence_i", Vec::new(), None));
                Value::Nothing
            }
            "direct_csr_lookup" => self.csr(args, span)?,
            "csr_sw_read" => {
                let address = self.csr_address(args, span)?;
                let n = self.result();
                self.effect(Effect::Call("csr_read", vec![address], Some(n)));
                Value::Bits(self.graph.make(Node::Result(n), xlen), false)
            }
            "csr_sw_write" => {
                let address = self.csr_address(args, span)?;
                let value = self.bits_arg(args, 1, xlen, span)?;
                self.effect(Effect::Call("csr_write", vec![address, value], None));
                Value::Nothing
            }
            _ => return Ok(None),
        }))
    }

    fn raise(&mut self, args: &[Expr], span: Span) -> Step<Option<Value>> {
        let Value::Member(_, code) = self.arg(args, 0, span)? else {
            return refuse("unsupported", "an exception that only the run decides", span);
        };
        let Some(&(_, trap, has_value)) = EXCEPTIONS.iter().find(|e| e.0 == code) else {
            return refuse("state", format!("the exception `{code}`"), span);
        };
        let value = if has_value { Some(self.bits_arg(args, 2, self.target.xlen.bits(), span)?) } else { None };
        self.trap(trap, value)
    }

    fn amo(&mut self, templates: &[Expr], args: &[Expr], span: Span) -> Step<Value> {
        let width = self.template(templates, span)?;
        let address = self.bits_arg(args, 0, self.target.xlen.bits(), span)?;
        let value = self.bits_arg(args, 1, width, span)?;
        let Value::Member(_, op) = self.arg(args, 2, span)? else {
            return refuse("unsupported", "an operation that only the run decides", span);
        };
        whole_bytes(width, span)?;
        let places = (width / 8).trailing_zeros();
        if places > 0 {
            let low = self.graph.slice(address, 0, places);
            let zero = self.graph.number(0, places);
            let aligned = self.graph.binary(BinaryOp::Eq, low, zero);
            let odd = self.graph.not(aligned);
            let _ = self.guarded::<()>(odd, |run| run.trap("store_misaligned", Some(address)));
        }
        let old = self.load(address, width);
        let g = &mut self.graph;
        let mut pick = |op, swap: bool| {
            let c = g.binary(op, old, value);
            if swap { g.select(c, value, old) } else { g.select(c, old, value) }
        };
        let new = match op.as_str() {
            "Swap" => value,
            "Max" => pick(BinaryOp::LtS, true),
            "Maxu" => pick(BinaryOp::LtU, true),
            "Min" => pick(BinaryOp::LtS, false),
            "Minu" => pick(BinaryOp::LtU, false),
            "Add" => g.binary(BinaryOp::Add, old, value),
            "And" => g.binary(BinaryOp::And, old, value),
            "Or" => g.binary(BinaryOp::Or, old, value),
            "Xor" => g.binary(BinaryOp::Xor, old, value),
            _ => return refuse("unsupported", format!("the operation `{op}`"), span),
        };
        self.effect(Effect::Store(address, new));
        Ok(Value::Bits(old, false))
    }

    /// A register of the machine by number: whether it is there and open to this level, only the machine knows.
    fn csr(&mut self, args: &[Expr], span: Span) -> Step<Value> {
        let address = self.bits_arg(args, 0, 12, span)?;
        let kind = self.graph.slice(address, 10, 2);
        let fixed = self.graph.number(3, 2);
        let read_only = self.graph.binary(BinaryOp::Eq, kind, fixed);
        let (yes, writable) = (self.graph.bit(true), self.graph.not(read_only));
        let mode = Value::Member("PrivilegeMode".to_owned(), "M".to_owned());
        let fields = [
            ("valid", Value::Truth(yes)),
            ("mode", mode),
            ("writable", Value::Truth(writable)),
            ("address", Value::Bits(address, false)),
        ];
        Ok(Value::Record(fields.map(|(name, value)| (name.to_owned(), value)).to_vec()))
    }

    fn csr_address(&mut self, args: &[Expr], span: Span) -> Step<Id> {
        match self.arg(args, 0, span)? {
            Value::Record(fields) => match fields.iter().find(|f| f.0 == "address") {
                Some((_, Value::Bits(id, _))) => Ok(*id),
                _ => refuse("unsupported", "a register without a number", span),
            },
            _ => refuse("unsupported", "a register without a number", span),
        }
    }

    /// `$signed` and the like.
    pub(crate) fn builtin(&mut self, name: &str, args: &[Expr], span: Span) -> Step<Value> {
        let value = self.arg(args, 0, span)?;
        match (name, value) {
            ("signed", Value::Bits(id, _)) => Ok(Value::Bits(id, true)),
            ("bits", Value::Bits(id, signed)) => Ok(Value::Bits(id, signed)),
            ("bits", Value::Member(of, member)) => {
                let members = self.program.enums.get(&of);
                let value = members.and_then(|all| all.iter().find(|m| m.0 == member)).map(|m| m.1);
                let most = members.and_then(|all| all.iter().map(|m| m.1).max());
                match value.zip(most) {
                    Some((value, most)) => {
                        let width = (128 - most.leading_zeros()).max(1);
                        let word = isaglot_bits::Word::from_u128(value, width);
                        Ok(Value::Bits(self.graph.word(word), false))
                    }
                    None => refuse("unsupported", format!("the number of `{of}::{member}`"), span),
                }
            }
            ("width", Value::Bits(id, _)) => {
                let width = self.graph.width(id);
                Ok(Value::Bits(self.graph.number(u64::from(width), 32), false))
            }
            _ => refuse("unsupported", format!("`${name}` of this"), span),
        }
    }
}

fn class_of(function: &str) -> &'static str {
    let float = ["f16_", "f32_", "f64_", "softfloat", "i32_to", "ui32_to", "i64_to", "ui64_to", "round_f"];
    if float.iter().any(|p| function.starts_with(p)) { "floating-point" } else { "state" }
}

fn whole_bytes(width: u32, span: Span) -> Step<()> {
    if width.is_multiple_of(8) {
        return Ok(());
    }
    refuse("unsupported", format!("memory is read and written in whole bytes, and this takes {width} bits"), span)
}
