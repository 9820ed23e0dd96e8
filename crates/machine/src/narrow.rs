//! A text whose values all fit 64 bits, for one instruction word at one address, as a list of operations over numbers.
//!
//! The problem: the interpreter that defines the language computes with words of any width and looks at the whole text again for each
//! step. The method: what depends on the word and its address alone is computed when the instruction is decoded; of the rest there is an
//! operation for each value that a statement needs, in its order. Each result has a number of its own, so none is overwritten.
//! Invariant: a result has no bits above its width. The tests hold every operator equal to the definition's.

use isaglot_bits::Word;
use isaglot_semantics::{BinaryOp, Body, Local, RegisterIndex, Statement, UnaryOp, Value, ValueId, sign_extend};
use rustc_hash::FxHashMap;

use crate::decode::Operation;
use crate::memory::{Memory, MemoryError};
use crate::registers::Registers;
use crate::text::Text;

/// What an operation does. `a`, `b` and `to` are places of results.
#[derive(Clone, Copy, Debug)]
enum Code {
    /// `imm`.
    Constant,
    /// The register whose bytes begin at `imm`.
    Register,
    /// Writes `a` to the register of `b` bytes that begins at `imm`.
    SetRegister,
    /// The register with the number `a` of the file `imm`.
    Indexed,
    /// Writes `b` to the register with the number `a` of the file `imm`.
    SetIndexed,
    Unary(UnaryOp),
    /// Of `a` and `b`; both have `imm` bits.
    Binary(BinaryOp),
    /// Of `a`, and a constant instead of `b`; both have `b` bits.
    WithConstant(BinaryOp),
    /// `b` if the result `imm` is 1, else `a`.
    Select,
    /// `a`, of `imm` bits, with its sign.
    SignExtend,
    /// The bits of `a` from `imm` on.
    Slice,
    /// `a` above the `imm` bits of `b`.
    Concat,
    /// The row `a` of the table `imm`.
    Lookup,
    /// `imm` bytes at the address `a`.
    Load,
    /// Stores the low `imm` bytes of `b` at the address `a`.
    Store,
    /// Execution goes on at `a`.
    SetPc,
    /// To the operation `imm`, if `a` is 0.
    Unless,
    /// To the operation `imm`.
    Jump,
    /// A trap: the statement `imm` of those that trap, with `a`.
    Trap,
}

/// An operation; its result has the bits of `mask`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Op {
    code: Code,
    to: u16,
    a: u16,
    b: u16,
    mask: u64,
    imm: u64,
}

/// What ended a list of operations early.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ended {
    Load(MemoryError),
    Store(MemoryError),
    /// A trap of this number among the traps of its text, with its value.
    Trap(u32, u64),
}

/// A value that is known now, or one that an operation computes.
#[derive(Clone, Copy, Debug)]
enum Known {
    Constant(u64),
    Result(u16),
}

/// The bits of a number of this width.
fn mask(width: u32) -> u64 {
    if width >= 64 { u64::MAX } else { (1 << width) - 1 }
}

struct Compiler<'c> {
    body: &'c Body,
    operands: &'c [Word],
    registers: &'c Registers,
    pc: u64,
    next: u64,
    ops: Vec<Op>,
    locals: Vec<Option<Known>>,
    /// Values of the statement that is being compiled.
    done: FxHashMap<ValueId, Known>,
    results: u16,
    traps: u32,
}

/// The operations of a text, and how many results they have; `None` if it calls what is outside, or is too long.
pub(crate) fn compile(operation: &Operation, registers: &Registers, pc: u64, next: u64) -> Option<(Vec<Op>, usize)> {
    let Text { body, narrow, .. } = &*operation.text;
    if !narrow {
        return None;
    }
    let mut compiler = Compiler {
        body,
        operands: &operation.operands,
        registers,
        pc,
        next,
        ops: Vec::new(),
        locals: vec![None; body.locals.len()],
        done: FxHashMap::default(),
        results: 0,
        traps: 0,
    };
    compiler.statements(&body.statements)?;
    Some((compiler.ops, usize::from(compiler.results)))
}

/// Whether any of them stores something.
pub(crate) fn stores(ops: &[Op]) -> bool {
    ops.iter().any(|op| matches!(op.code, Code::Store))
}

/// The trap of this number, as [`Ended::Trap`] has it.
pub(crate) fn trap<'b>(list: &'b [Statement], left: &mut u32) -> Option<(&'b str, &'b [ValueId])> {
    for statement in list {
        match statement {
            Statement::Trap(cause, args) if *left == 0 => return Some((cause, args)),
            Statement::Trap(..) => *left -= 1,
            Statement::If(_, then, otherwise) => {
                if let Some(found) = trap(then, left).or_else(|| trap(otherwise, left)) {
                    return Some(found);
                }
            }
            _ => {}
        }
    }
    None
}

impl Compiler<'_> {
    fn push(&mut self, code: Code, (a, b): (u16, u16), mask: u64, imm: u64) -> Option<Known> {
        let to = self.results;
        self.results = to.checked_add(1)?;
        self.ops.push(Op { code, to, a, b, mask, imm });
        Some(Known::Result(to))
    }

    /// An operation without a result; gives its place.
    fn effect(&mut self, code: Code, (a, b): (u16, u16), imm: u64) -> usize {
        self.ops.push(Op { code, to: 0, a, b, mask: 0, imm });
        self.ops.len() - 1
    }

    /// The place of a value among the results.
    fn place(&mut self, known: Known) -> Option<u16> {
        match known {
            Known::Result(at) => Some(at),
            Known::Constant(n) => match self.push(Code::Constant, (0, 0), u64::MAX, n)? {
                Known::Result(at) => Some(at),
                Known::Constant(_) => None,
            },
        }
    }

    fn statements(&mut self, list: &[Statement]) -> Option<()> {
        for statement in list {
            self.done.clear();
            match statement {
                Statement::Let(local, v) => {
                    let value = self.value(*v)?;
                    self.bind(*local, value);
                }
                Statement::Load(local, address) => {
                    let address = self.value_place(*address)?;
                    let bits = self.body.locals[local.0 as usize];
                    let value = self.push(Code::Load, (address, 0), mask(bits), u64::from(bits / 8))?;
                    self.bind(*local, value);
                }
                Statement::Store { address, value } => {
                    let bytes = u64::from(self.body.width(*value) / 8);
                    let (address, value) = (self.value_place(*address)?, self.value_place(*value)?);
                    self.effect(Code::Store, (address, value), bytes);
                }
                Statement::Call { .. } => return None,
                Statement::SetRegister(file, index, v) => {
                    let value = self.value_place(*v)?;
                    let layout = self.registers.files.get(file.0 as usize)?;
                    let bytes = layout.bytes as u16;
                    match self.number(*index)? {
                        Known::Constant(n) => {
                            if let Some(place) = u32::try_from(n).ok().and_then(|n| layout.place(n)) {
                                self.effect(Code::SetRegister, (value, bytes), place as u64);
                            }
                        }
                        Known::Result(at) => {
                            self.effect(Code::SetIndexed, (at, value), u64::from(file.0));
                        }
                    }
                }
                Statement::SetPc(v) => {
                    let target = self.value_place(*v)?;
                    self.effect(Code::SetPc, (target, 0), 0);
                }
                Statement::If(condition, then, otherwise) => self.branch(*condition, then, otherwise)?,
                Statement::Trap(_, args) => {
                    let value = match args.first() {
                        Some(&v) => self.value_place(v)?,
                        None => 0,
                    };
                    let number = self.traps;
                    self.traps += 1;
                    self.effect(Code::Trap, (value, 0), u64::from(number));
                }
            }
        }
        Some(())
    }

    fn branch(&mut self, condition: ValueId, then: &[Statement], otherwise: &[Statement]) -> Option<()> {
        let condition = self.value_place(condition)?;
        let unless = self.effect(Code::Unless, (condition, 0), 0);
        // What is bound inside is known inside only.
        let outer = self.locals.clone();
        self.statements(then)?;
        self.locals.clone_from(&outer);
        let jump = (!otherwise.is_empty()).then(|| self.effect(Code::Jump, (0, 0), 0));
        self.ops[unless].imm = self.ops.len() as u64;
        self.statements(otherwise)?;
        self.locals = outer;
        if let Some(jump) = jump {
            self.ops[jump].imm = self.ops.len() as u64;
        }
        Some(())
    }

    fn bind(&mut self, local: Local, value: Known) {
        self.locals[local.0 as usize] = Some(value);
    }

    fn number(&mut self, index: RegisterIndex) -> Option<Known> {
        match index {
            RegisterIndex::Operand(op) => Some(Known::Constant(self.operand(op.0))),
            RegisterIndex::Value(v) => self.value(v),
        }
    }

    fn operand(&self, at: u32) -> u64 {
        self.operands.get(at as usize).map_or(0, Word::low_u64)
    }

    fn value_place(&mut self, id: ValueId) -> Option<u16> {
        let known = self.value(id)?;
        self.place(known)
    }

    fn value(&mut self, id: ValueId) -> Option<Known> {
        if let Some(&known) = self.done.get(&id) {
            return Some(known);
        }
        let known = self.compute(id)?;
        self.done.insert(id, known);
        Some(known)
    }

    fn compute(&mut self, id: ValueId) -> Option<Known> {
        let width = self.body.width(id);
        let mask = mask(width);
        let constant = |n: u64| Some(Known::Constant(n & mask));
        match self.body.value(id) {
            Value::Const(w) => constant(w.low_u64()),
            Value::Local(l) => self.locals[l.0 as usize],
            Value::Immediate(op) | Value::RegisterNumber(op) => constant(self.operand(op.0)),
            Value::Register(file, index) => {
                let layout = *self.registers.files.get(file.0 as usize)?;
                match self.number(*index)? {
                    Known::Constant(n) => match u32::try_from(n).ok().and_then(|n| layout.place(n)) {
                        Some(place) => self.push(Code::Register, (0, 0), mask, place as u64),
                        None => constant(0),
                    },
                    Known::Result(at) => self.push(Code::Indexed, (at, 0), mask, u64::from(file.0)),
                }
            }
            Value::Pc => constant(self.pc),
            Value::NextPc => constant(self.next),
            Value::Unary(op, x) => match self.value(*x)? {
                Known::Constant(n) => constant(op.apply(&Word::from_u64(n, width)).low_u64()),
                Known::Result(at) => self.push(Code::Unary(*op), (at, 0), mask, u64::from(width)),
            },
            Value::Binary(op, x, y) => {
                let bits = self.body.width(*x);
                let amount = self.body.width(*y);
                match (self.value(*x)?, self.value(*y)?) {
                    (Known::Constant(x), Known::Constant(y)) => {
                        constant(op.apply(&Word::from_u64(x, bits), &Word::from_u64(y, amount)).low_u64())
                    }
                    (Known::Result(x), Known::Constant(y)) => {
                        self.push(Code::WithConstant(*op), (x, bits as u16), mask, y)
                    }
                    (x, y) => {
                        let (x, y) = (self.place(x)?, self.place(y)?);
                        self.push(Code::Binary(*op), (x, y), mask, u64::from(bits))
                    }
                }
            }
            Value::Select(c, x, y) => match self.value(*c)? {
                Known::Constant(c) => self.value(if c == 0 { *y } else { *x }),
                Known::Result(c) => {
                    let (x, y) = (self.value_place(*x)?, self.value_place(*y)?);
                    self.push(Code::Select, (y, x), mask, u64::from(c))
                }
            },
            // A result has no bits above its width.
            Value::ZeroExtend(x) => self.value(*x),
            Value::SignExtend(x) => {
                let bits = self.body.width(*x);
                match self.value(*x)? {
                    Known::Constant(n) => constant(sign_extend(&Word::from_u64(n, bits), width).low_u64()),
                    Known::Result(at) => self.push(Code::SignExtend, (at, 0), mask, u64::from(bits)),
                }
            }
            Value::Slice(x, low) => match self.value(*x)? {
                Known::Constant(n) => constant(n.checked_shr(*low).unwrap_or(0)),
                Known::Result(at) => self.push(Code::Slice, (at, 0), mask, u64::from(*low)),
            },
            Value::Concat(x, y) => {
                let low = self.body.width(*y);
                match (self.value(*x)?, self.value(*y)?) {
                    (Known::Constant(x), Known::Constant(y)) => constant(x.checked_shl(low).unwrap_or(0) | y),
                    (x, y) => {
                        let (x, y) = (self.place(x)?, self.place(y)?);
                        self.push(Code::Concat, (x, y), mask, u64::from(low))
                    }
                }
            }
            Value::Lookup(table, number) => {
                let number = self.value_place(*number)?;
                self.push(Code::Lookup, (number, 0), mask, u64::from(table.0))
            }
        }
    }
}

/// Runs a list of operations; gives where execution goes on, if the text says so. `results` has room for those of the list, and `body` is
/// what it was compiled from.
#[inline]
pub(crate) fn execute(
    ops: &[Op],
    results: &mut [u64],
    body: &Body,
    registers: &mut Registers,
    memory: &mut Memory,
) -> Result<Option<u64>, Ended> {
    let mut target = None;
    let mut at = 0;
    while let Some(op) = ops.get(at) {
        at += 1;
        let (a, b) = (usize::from(op.a), usize::from(op.b));
        let value = match op.code {
            Code::Constant => op.imm,
            Code::Register => registers.narrow(op.imm as usize, op.mask),
            Code::SetRegister => {
                registers.set_narrow(op.imm as usize, b, results[a]);
                continue;
            }
            Code::Indexed => {
                let file = &registers.files[op.imm as usize];
                let place = u32::try_from(results[a]).ok().and_then(|n| file.place(n));
                place.map_or(0, |place| registers.narrow(place, op.mask))
            }
            Code::SetIndexed => {
                let file = registers.files[op.imm as usize];
                if let Some(place) = u32::try_from(results[a]).ok().and_then(|n| file.place(n)) {
                    registers.set_narrow(place, file.bytes, results[b]);
                }
                continue;
            }
            Code::Unary(code) => unary(code, results[a], op.imm as u32),
            Code::Binary(code) => binary(code, results[a], results[b], op.imm as u32),
            Code::WithConstant(code) => binary(code, results[a], op.imm, u32::from(op.b)),
            Code::Select => results[if results[op.imm as usize] == 0 { a } else { b }],
            Code::SignExtend => signed(results[a], op.imm as u32) as u64,
            Code::Slice => results[a].checked_shr(op.imm as u32).unwrap_or(0),
            Code::Concat => results[a].checked_shl(op.imm as u32).unwrap_or(0) | results[b],
            Code::Lookup => {
                let row = body.tables.get(op.imm as usize).and_then(|t| t.rows.get(results[a] as usize));
                row.map_or(0, Word::low_u64)
            }
            Code::Load => {
                let mut bytes = [0; 8];
                let into = &mut bytes[..op.imm as usize];
                memory.read(results[a], into).map_err(Ended::Load)?;
                u64::from_le_bytes(bytes)
            }
            Code::Store => {
                let bytes = results[b].to_le_bytes();
                memory.write(results[a], &bytes[..op.imm as usize]).map_err(Ended::Store)?;
                continue;
            }
            Code::SetPc => {
                target = Some(results[a]);
                continue;
            }
            Code::Unless => {
                if results[a] == 0 {
                    at = op.imm as usize;
                }
                continue;
            }
            Code::Jump => {
                at = op.imm as usize;
                continue;
            }
            Code::Trap => return Err(Ended::Trap(op.imm as u32, results.get(a).copied().unwrap_or(0))),
        };
        results[usize::from(op.to)] = value & op.mask;
    }
    Ok(target)
}

/// A number of this width with its sign.
#[inline]
fn signed(x: u64, width: u32) -> i64 {
    match 64_u32.checked_sub(width) {
        Some(unused @ 0..64) => (x << unused) as i64 >> unused,
        _ => 0,
    }
}

fn unary(op: UnaryOp, x: u64, width: u32) -> u64 {
    match op {
        UnaryOp::Negate => x.wrapping_neg(),
        UnaryOp::Not => !x,
        UnaryOp::CountLeadingZeros => u64::from(x.leading_zeros() + width - 64),
        UnaryOp::CountTrailingZeros => u64::from(x.trailing_zeros().min(width)),
        UnaryOp::CountOnes => u64::from(x.count_ones()),
        UnaryOp::ReverseBytes => x.swap_bytes() >> (64 - width),
        UnaryOp::OrBytes => x.to_le_bytes().iter().rev().fold(0, |all, &b| all << 8 | if b == 0 { 0 } else { 0xff }),
    }
}

#[inline]
fn binary(op: BinaryOp, x: u64, y: u64, width: u32) -> u64 {
    let by = y.min(64) as u32;
    let (sx, sy) = (signed(x, width), signed(y, width));
    match op {
        BinaryOp::Add => x.wrapping_add(y),
        BinaryOp::Sub => x.wrapping_sub(y),
        BinaryOp::Mul => x.wrapping_mul(y),
        BinaryOp::MulCarryless => (0..width).filter(|at| y >> at & 1 == 1).fold(0, |sum, at| sum ^ x << at),
        BinaryOp::DivU => x.checked_div(y).unwrap_or(u64::MAX),
        BinaryOp::RemU => x.checked_rem(y).unwrap_or(x),
        BinaryOp::DivS => {
            if sy == 0 {
                u64::MAX
            } else {
                sx.wrapping_div(sy) as u64
            }
        }
        BinaryOp::RemS => {
            if sy == 0 {
                x
            } else {
                sx.wrapping_rem(sy) as u64
            }
        }
        BinaryOp::And => x & y,
        BinaryOp::Or => x | y,
        BinaryOp::Xor => x ^ y,
        BinaryOp::Shl => x.checked_shl(by).unwrap_or(0),
        BinaryOp::ShrU => x.checked_shr(by).unwrap_or(0),
        BinaryOp::ShrS => (sx >> by.min(63)) as u64,
        BinaryOp::RotateLeft => rotated(x, (y % u64::from(width.max(1))) as u32, width),
        BinaryOp::RotateRight => {
            let by = (y % u64::from(width.max(1))) as u32;
            rotated(x, (width - by) % width.max(1), width)
        }
        BinaryOp::Eq => u64::from(x == y),
        BinaryOp::Ne => u64::from(x != y),
        BinaryOp::LtU => u64::from(x < y),
        BinaryOp::LtS => u64::from(sx < sy),
        BinaryOp::LeU => u64::from(x <= y),
        BinaryOp::LeS => u64::from(sx <= sy),
    }
}

/// Rotated left by less than the width.
fn rotated(x: u64, by: u32, width: u32) -> u64 {
    if by == 0 { x } else { x << by | x >> (width - by) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers with ends of ranges among them.
    fn numbers(width: u32) -> Vec<u64> {
        let mut seed = 0x9e37_79b9_7f4a_7c15_u64;
        let mut all =
            vec![0, 1, 2, 3, mask(width), mask(width) >> 1, (mask(width) >> 1).wrapping_add(1), 7, 63, 64, 65];
        for _ in 0..12 {
            seed = seed.wrapping_mul(0xd134_2543_de82_ef95).wrapping_add(1);
            all.push(seed >> 3);
        }
        all.into_iter().map(|n| n & mask(width)).collect()
    }

    #[test]
    fn the_operators_are_those_of_the_definition() {
        use BinaryOp::*;
        let binaries = [
            Add,
            Sub,
            Mul,
            MulCarryless,
            DivU,
            DivS,
            RemU,
            RemS,
            And,
            Or,
            Xor,
            Shl,
            ShrU,
            ShrS,
            RotateLeft,
            RotateRight,
            Eq,
            Ne,
            LtU,
            LtS,
            LeU,
            LeS,
        ];
        for width in [1, 2, 7, 8, 16, 31, 32, 33, 63, 64] {
            for x in numbers(width) {
                for y in numbers(width) {
                    let (wx, wy) = (Word::from_u64(x, width), Word::from_u64(y, width));
                    for op in binaries {
                        let want = op.apply(&wx, &wy);
                        let got = binary(op, x, y, width) & mask(want.width());
                        assert_eq!(got, want.low_u64(), "{op:?} of {x:#x} and {y:#x}, {width} bits");
                    }
                }
                for op in [
                    UnaryOp::Negate,
                    UnaryOp::Not,
                    UnaryOp::CountLeadingZeros,
                    UnaryOp::CountTrailingZeros,
                    UnaryOp::CountOnes,
                ] {
                    assert_eq!(
                        unary(op, x, width) & mask(width),
                        op.apply(&Word::from_u64(x, width)).low_u64(),
                        "{op:?} {x:#x} {width}"
                    );
                }
                for op in [UnaryOp::ReverseBytes, UnaryOp::OrBytes].into_iter().filter(|_| width % 8 == 0) {
                    assert_eq!(
                        unary(op, x, width) & mask(width),
                        op.apply(&Word::from_u64(x, width)).low_u64(),
                        "{op:?} {x:#x} {width}"
                    );
                }
            }
        }
    }
}
