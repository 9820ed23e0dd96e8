//! Values of the semantics language as values of Cranelift.
//!
//! A value of `w` bits is held in the smallest of the types of 8, 16, 32, 64 and 128 bits that has room, with the bits above `w` being
//! 0. So one that is compared or used as an address needs nothing before, and a sum is cut off after.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{InstBuilder as _, Type, Value as Code, types};
use isaglot_bits::Word;
use isaglot_semantics::{BinaryOp, UnaryOp, Value, ValueId};

use crate::check::{Place, known, number, place};
use crate::region::Writer;

/// The type that holds so many bits.
pub(crate) fn container(width: u32) -> Type {
    match width {
        0..=8 => types::I8,
        9..=16 => types::I16,
        17..=32 => types::I32,
        33..=64 => types::I64,
        _ => types::I128,
    }
}

impl Writer<'_, '_> {
    /// A constant.
    pub(crate) fn constant(&mut self, value: u128, width: u32) -> Code {
        let ty = container(width);
        if ty == types::I128 {
            let low = self.f.ins().iconst(types::I64, value as u64 as i64);
            let high = self.f.ins().iconst(types::I64, (value >> 64) as u64 as i64);
            return self.f.ins().iconcat(low, high);
        }
        // Cranelift takes a constant without sign, of the bits of its type.
        let value = value & (u128::MAX >> (128 - ty.bits()));
        self.f.ins().iconst(ty, value as u64 as i64)
    }

    /// A clean value in the type of another width.
    pub(crate) fn resize(&mut self, value: Code, width: u32) -> Code {
        let (from, to) = (self.f.func.dfg.value_type(value), container(width));
        match from.bits().cmp(&to.bits()) {
            std::cmp::Ordering::Less => self.f.ins().uextend(to, value),
            std::cmp::Ordering::Equal => value,
            std::cmp::Ordering::Greater => self.f.ins().ireduce(to, value),
        }
    }

    /// With the bits above a width being 0.
    fn mask(&mut self, value: Code, width: u32) -> Code {
        if container(width).bits() == width {
            return value;
        }
        let mask = self.constant(u128::MAX >> (128 - width), width);
        self.f.ins().band(value, mask)
    }

    /// A value as a signed number of its container.
    fn signed(&mut self, value: Code, width: u32) -> Code {
        let unused = i64::from(container(width).bits() - width);
        if unused == 0 {
            return value;
        }
        let up = self.f.ins().ishl_imm(value, unused);
        self.f.ins().sshr_imm(up, unused)
    }

    /// A value of a body, clean.
    pub(crate) fn value(&mut self, id: ValueId) -> Code {
        if let Some(&(_, code)) = self.values.iter().find(|(known, _)| *known == id) {
            return code;
        }
        let code = self.compute(id);
        self.values.push((id, code));
        code
    }

    fn known(&self, id: ValueId) -> Option<Word> {
        known(self.i.body, &self.i.known(), id)
    }

    fn compute(&mut self, id: ValueId) -> Code {
        let body = self.i.body;
        let width = body.width(id);
        if let Some(word) = self.known(id) {
            return self.constant(word.low_u128(), width);
        }
        match body.value(id) {
            Value::Local(local) => self.locals[local.0 as usize].unwrap_or_else(|| self.constant(0, width)),
            Value::Register(file, index) => {
                let at = number(body, &self.i.known(), *index).and_then(|n| place(self.env, self.files, *file, n));
                match at {
                    Some(Place::At(at)) => self.register(at, width),
                    _ => self.constant(0, width),
                }
            }
            Value::Unary(op, x) => self.unary(*op, *x, width),
            Value::Binary(op, x, y) => self.binary(*op, *x, *y, width),
            Value::Select(c, x, y) => {
                let (c, x, y) = (self.value(*c), self.value(*x), self.value(*y));
                self.f.ins().select(c, x, y)
            }
            Value::ZeroExtend(x) => {
                let x = self.value(*x);
                self.resize(x, width)
            }
            Value::SignExtend(x) => {
                let from = body.width(*x);
                let x = self.value(*x);
                let x = self.signed(x, from);
                let to = container(width);
                let x = if container(from) == to { x } else { self.f.ins().sextend(to, x) };
                self.mask(x, width)
            }
            Value::Slice(x, low) => {
                let x = self.value(*x);
                let x = if *low == 0 { x } else { self.f.ins().ushr_imm(x, i64::from(*low)) };
                let x = self.resize(x, width);
                self.mask(x, width)
            }
            Value::Concat(x, y) => {
                let below = body.width(*y);
                let (x, y) = (self.value(*x), self.value(*y));
                let (x, y) = (self.resize(x, width), self.resize(y, width));
                let x = self.f.ins().ishl_imm(x, i64::from(below));
                self.f.ins().bor(x, y)
            }
            // All others are known, or not translated.
            _ => self.constant(0, width),
        }
    }

    fn unary(&mut self, op: UnaryOp, x: ValueId, width: u32) -> Code {
        let x = self.value(x);
        let unused = i64::from(container(width).bits() - width);
        match op {
            UnaryOp::Negate => {
                let x = self.f.ins().ineg(x);
                self.mask(x, width)
            }
            UnaryOp::Not => {
                let x = self.f.ins().bnot(x);
                self.mask(x, width)
            }
            UnaryOp::CountLeadingZeros => {
                let n = self.f.ins().clz(x);
                self.f.ins().iadd_imm(n, -unused)
            }
            UnaryOp::CountTrailingZeros => {
                if unused == 0 {
                    return self.f.ins().ctz(x);
                }
                let end = self.constant(1 << width, width);
                let x = self.f.ins().bor(x, end);
                self.f.ins().ctz(x)
            }
            UnaryOp::CountOnes => self.f.ins().popcnt(x),
            UnaryOp::ReverseBytes => {
                if width == 8 {
                    return x;
                }
                let x = self.f.ins().bswap(x);
                self.f.ins().ushr_imm(x, unused)
            }
            UnaryOp::OrBytes => {
                // A byte's top bit is set if the byte is not 0; from there it is spread down.
                let repeat = |byte: u128| (0..width / 8).fold(0_u128, |v, i| v | byte << (8 * i));
                let sevens = self.constant(repeat(0x7f), width);
                let tops = self.constant(repeat(0x80), width);
                let low = self.f.ins().band(x, sevens);
                let sum = self.f.ins().iadd(low, sevens);
                let any = self.f.ins().bor(sum, x);
                let top = self.f.ins().band(any, tops);
                let one = self.f.ins().ushr_imm(top, 7);
                let below = self.f.ins().isub(top, one);
                self.f.ins().bor(top, below)
            }
        }
    }

    fn binary(&mut self, op: BinaryOp, x: ValueId, y: ValueId, width: u32) -> Code {
        let side = self.i.body.width(x);
        let amount = self.known(y).map(|w| w.to_u64());
        let is_less = amount.is_some_and(|n| n.is_some_and(|n| n < u64::from(width))) || self.below(y, width);
        let (a, b) = (self.value(x), self.value(y));
        let ty = container(side);
        match op {
            BinaryOp::Add => {
                let sum = self.f.ins().iadd(a, b);
                self.mask(sum, width)
            }
            BinaryOp::Sub => {
                let difference = self.f.ins().isub(a, b);
                self.mask(difference, width)
            }
            BinaryOp::Mul => {
                let product = self.f.ins().imul(a, b);
                self.mask(product, width)
            }
            BinaryOp::And => self.f.ins().band(a, b),
            BinaryOp::Or => self.f.ins().bor(a, b),
            BinaryOp::Xor => self.f.ins().bxor(a, b),
            BinaryOp::DivU | BinaryOp::RemU => self.divide(op, a, b, width),
            BinaryOp::DivS | BinaryOp::RemS => {
                let (a, b) = (self.signed(a, width), self.signed(b, width));
                let result = self.divide(op, a, b, width);
                self.mask(result, width)
            }
            BinaryOp::Shl | BinaryOp::ShrU if !is_less => {
                let limit = self.constant(u128::from(width), 64);
                let wide = self.resize(b, 64.max(side));
                let limit = self.resize(limit, 64.max(side));
                let inside = self.f.ins().icmp(IntCC::UnsignedLessThan, wide, limit);
                let by = self.resize(b, 32);
                let shifted = if op == BinaryOp::Shl { self.f.ins().ishl(a, by) } else { self.f.ins().ushr(a, by) };
                let shifted = self.mask(shifted, width);
                let none = self.constant(0, width);
                self.f.ins().select(inside, shifted, none)
            }
            BinaryOp::Shl => {
                let by = self.resize(b, 32);
                let shifted = self.f.ins().ishl(a, by);
                self.mask(shifted, width)
            }
            BinaryOp::ShrU => {
                let by = self.resize(b, 32);
                self.f.ins().ushr(a, by)
            }
            BinaryOp::ShrS => {
                let a = self.signed(a, width);
                let by = if is_less {
                    b
                } else {
                    let most = self.constant(u128::from(width - 1), side);
                    self.f.ins().umin(b, most)
                };
                let by = self.resize(by, 32);
                let shifted = self.f.ins().sshr(a, by);
                self.mask(shifted, width)
            }
            BinaryOp::RotateLeft => {
                let by = self.resize(b, 32);
                self.f.ins().rotl(a, by)
            }
            BinaryOp::RotateRight => {
                let by = self.resize(b, 32);
                self.f.ins().rotr(a, by)
            }
            BinaryOp::Eq => self.f.ins().icmp(IntCC::Equal, a, b),
            BinaryOp::Ne => self.f.ins().icmp(IntCC::NotEqual, a, b),
            BinaryOp::LtU => self.f.ins().icmp(IntCC::UnsignedLessThan, a, b),
            BinaryOp::LeU => self.f.ins().icmp(IntCC::UnsignedLessThanOrEqual, a, b),
            BinaryOp::LtS | BinaryOp::LeS => {
                let (a, b) = (self.signed(a, side), self.signed(b, side));
                let than = if op == BinaryOp::LtS { IntCC::SignedLessThan } else { IntCC::SignedLessThanOrEqual };
                self.f.ins().icmp(than, a, b)
            }
            // It is not translated.
            BinaryOp::MulCarryless => self.constant(0, ty.bits()),
        }
    }

    /// A quotient or a remainder, of numbers that are signed in their container if the operator is.
    fn divide(&mut self, op: BinaryOp, a: Code, b: Code, width: u32) -> Code {
        let ty = container(width);
        // The host divides what has 32 bits or more.
        let (to, signed) =
            (if ty.bits() < 32 { types::I32 } else { ty }, matches!(op, BinaryOp::DivS | BinaryOp::RemS));
        let widen = |w: &mut Self, v: Code| match (ty == to, signed) {
            (true, _) => v,
            (_, true) => w.f.ins().sextend(to, v),
            _ => w.f.ins().uextend(to, v),
        };
        let (a, b) = (widen(self, a), widen(self, b));
        let is_zero = self.f.ins().icmp_imm(IntCC::Equal, b, 0);
        // The host traps at a divisor of 0, and at the least number by -1, whose quotient is itself: by 1 it is that, too.
        let mut bad = is_zero;
        if signed {
            let minus = self.f.ins().icmp_imm(IntCC::Equal, b, -1);
            let least = self.f.ins().icmp_imm(IntCC::Equal, a, i64::MIN >> (64 - to.bits()));
            let both = self.f.ins().band(minus, least);
            bad = self.f.ins().bor(bad, both);
        }
        let one = self.f.ins().iconst(to, 1);
        let by = self.f.ins().select(bad, one, b);
        let ones = u128::MAX >> (128 - width);
        let (result, otherwise) = match op {
            BinaryOp::DivU => (self.f.ins().udiv(a, by), None),
            BinaryOp::DivS => (self.f.ins().sdiv(a, by), None),
            BinaryOp::RemU => (self.f.ins().urem(a, by), Some(a)),
            _ => (self.f.ins().srem(a, by), Some(a)),
        };
        let otherwise = otherwise.unwrap_or_else(|| self.constant(if signed { u128::MAX } else { ones }, to.bits()));
        let result = self.f.ins().select(is_zero, otherwise, result);
        self.resize(result, width)
    }

    /// Whether a value is plainly less than `limit`.
    fn below(&self, id: ValueId, limit: u32) -> bool {
        let body = self.i.body;
        match body.value(id) {
            Value::Binary(BinaryOp::And, x, y) => {
                let is_known = |v| self.known(v).is_some_and(|w| w.to_u64().is_some_and(|n| n < u64::from(limit)));
                is_known(*x) || is_known(*y)
            }
            Value::ZeroExtend(x) => {
                let width = body.width(*x);
                width < 32 && 1_u64 << width <= u64::from(limit) || self.below(*x, limit)
            }
            _ => false,
        }
    }
}
