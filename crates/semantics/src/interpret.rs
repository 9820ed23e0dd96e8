//! The definition of the language: a body run on an abstract machine, word by word. It is slow and plain; executors and
//! provers are tested against it.

use isaglot_bits::Word;
use isaglot_invariant::Impossible as _;

use crate::body::{BinaryOp, Body, Local, RegisterIndex, Statement, UnaryOp, Value, ValueId};
use crate::env::{ExternId, FileIndex, OperandIndex};

/// What a body acts on. A method that can trap gives the trap as its error, and the run ends there.
pub trait Machine {
    /// What a trap is.
    type Trap;
    /// The address of the instruction.
    fn pc(&self) -> Word;
    /// The address after it.
    fn next_pc(&self) -> Word;
    /// Execution goes on there.
    fn set_pc(&mut self, target: Word) -> Result<(), Self::Trap>;
    /// The bits of an immediate operand, at this width.
    fn immediate(&self, operand: OperandIndex, width: u32) -> Word;
    /// The number of the register that an operand names.
    fn register_number(&self, operand: OperandIndex) -> u32;
    /// A register's value. A number outside the file reads as 0.
    fn register(&self, file: FileIndex, number: u32, width: u32) -> Word;
    /// Writes a register. A number outside the file is ignored.
    fn set_register(&mut self, file: FileIndex, number: u32, value: Word);
    /// Reads memory.
    fn load(&mut self, address: Word, bits: u32) -> Result<Word, Self::Trap>;
    /// Writes memory.
    fn store(&mut self, address: Word, value: Word) -> Result<(), Self::Trap>;
    /// Calls something outside; gives its result, or nothing if it has none.
    fn call(&mut self, callee: ExternId, args: &[Word]) -> Result<Option<Word>, Self::Trap>;
    /// A trap that the text asks for.
    fn trap(&mut self, cause: &str, args: &[Word]) -> Self::Trap;
    /// The statement with this value (what it binds, stores, writes or asks) is run next. For those who show what a text does.
    fn at(&mut self, _value: ValueId) {}
}

/// Runs a body once.
///
/// # Errors
/// The trap that ended it; effects before it have happened.
pub fn run<M: Machine>(body: &Body, machine: &mut M) -> Result<(), M::Trap> {
    let locals = body.locals.iter().map(|&w| Word::zero(w)).collect();
    let mut run = Run { body, machine, locals };
    run.statements(&body.statements)
}

struct Run<'a, M> {
    body: &'a Body,
    machine: &'a mut M,
    locals: Vec<Word>,
}

impl<M: Machine> Run<'_, M> {
    fn bind(&mut self, local: Local, value: Word) {
        let width = self.body.locals[local.0 as usize];
        self.locals[local.0 as usize] = value.resized(width);
    }

    fn number(&self, index: RegisterIndex) -> u32 {
        match index {
            RegisterIndex::Operand(op) => self.machine.register_number(op),
            RegisterIndex::Value(v) => u32::try_from(self.value(v).low_u64()).unwrap_or(u32::MAX),
        }
    }

    fn statements(&mut self, list: &[Statement]) -> Result<(), M::Trap> {
        for s in list {
            if let Some(value) = s.place() {
                self.machine.at(value);
            }
            match s {
                Statement::Let(local, v) => {
                    let value = self.value(*v);
                    self.bind(*local, value);
                }
                Statement::Load(local, address) => {
                    let address = self.value(*address);
                    let value = self.machine.load(address, self.body.locals[local.0 as usize])?;
                    self.bind(*local, value);
                }
                Statement::Store { address, value } => {
                    let (address, value) = (self.value(*address), self.value(*value));
                    self.machine.store(address, value)?;
                }
                Statement::Call { callee, args, result } => {
                    let args: Vec<Word> = args.iter().map(|&a| self.value(a)).collect();
                    let value = self.machine.call(*callee, &args)?;
                    if let (Some(local), Some(value)) = (result, value) {
                        self.bind(*local, value);
                    }
                }
                Statement::SetRegister(file, index, v) => {
                    let (number, value) = (self.number(*index), self.value(*v));
                    self.machine.set_register(*file, number, value);
                }
                Statement::SetPc(v) => {
                    let target = self.value(*v);
                    self.machine.set_pc(target)?;
                }
                Statement::If(condition, then, otherwise) => {
                    let list = if self.value(*condition).is_zero() { otherwise } else { then };
                    self.statements(list)?;
                }
                Statement::Trap(cause, args) => {
                    let args: Vec<Word> = args.iter().map(|&a| self.value(a)).collect();
                    return Err(self.machine.trap(cause, &args));
                }
            }
        }
        Ok(())
    }

    fn value(&self, id: ValueId) -> Word {
        let width = self.body.width(id);
        match self.body.value(id) {
            Value::Const(w) => w.clone(),
            Value::Local(l) => self.locals[l.0 as usize].clone(),
            Value::Immediate(op) => self.machine.immediate(*op, width),
            Value::RegisterNumber(op) => Word::from_u64(u64::from(self.machine.register_number(*op)), width),
            Value::Register(file, index) => self.machine.register(*file, self.number(*index), width),
            Value::Pc => self.machine.pc().resized(width),
            Value::NextPc => self.machine.next_pc().resized(width),
            Value::Unary(op, x) => op.apply(&self.value(*x)),
            Value::Binary(op, x, y) => op.apply(&self.value(*x), &self.value(*y)),
            Value::Select(c, x, y) => self.value(if self.value(*c).is_zero() { *y } else { *x }),
            Value::ZeroExtend(x) => self.value(*x).resized(width),
            Value::SignExtend(x) => sign_extend(&self.value(*x), width),
            Value::Slice(x, low) => self.value(*x).shr(*low).resized(width),
            Value::Concat(x, y) => {
                let low = self.value(*y);
                self.value(*x).resized(width).shl(low.width()).or(&low.resized(width))
            }
            Value::Lookup(table, number) => {
                let rows = &self.body.tables[table.0 as usize].rows;
                rows.get(self.value(*number).low_u64() as usize).cloned().or_impossible(Word::zero(width))
            }
        }
    }
}

fn negative(x: &Word) -> bool {
    x.width() > 0 && x.bit(x.width() - 1)
}

/// A value extended to `width` bits with its sign.
pub fn sign_extend(x: &Word, width: u32) -> Word {
    let extended = x.resized(width);
    if negative(x) { extended.or(&Word::ones(width).shl(x.width())) } else { extended }
}

impl UnaryOp {
    /// The result of the operator.
    pub fn apply(self, x: &Word) -> Word {
        let width = x.width();
        let count = |n: u32| Word::from_u64(u64::from(n), width);
        match self {
            UnaryOp::Negate => negate(x),
            UnaryOp::Not => x.not(),
            UnaryOp::CountLeadingZeros => count(x.ones_iter().last().map_or(width, |top| width - 1 - top)),
            UnaryOp::CountTrailingZeros => count(x.ones_iter().next().unwrap_or(width)),
            UnaryOp::CountOnes => count(x.count_ones()),
            UnaryOp::ReverseBytes => {
                let bytes: Vec<u8> = x.le_bytes().rev().collect();
                Word::from_le_bytes(&bytes, width)
            }
            UnaryOp::OrBytes => {
                let bytes: Vec<u8> = x.le_bytes().map(|b| if b == 0 { 0 } else { 0xff }).collect();
                Word::from_le_bytes(&bytes, width)
            }
        }
    }
}

fn negate(x: &Word) -> Word {
    x.not().wrapping_inc()
}

fn add(x: &Word, y: &Word) -> Word {
    let mut limbs = Vec::new();
    let mut carry = 0;
    for (i, &a) in x.limbs().iter().enumerate() {
        let sum = u128::from(a) + u128::from(y.limbs().get(i).copied().or_impossible(0)) + carry;
        limbs.push(sum as u64);
        carry = sum >> 64;
    }
    Word::from_limbs(&limbs, x.width())
}

fn multiply(x: &Word, y: &Word) -> Word {
    x.ones_iter().fold(Word::zero(x.width()), |sum, bit| add(&sum, &y.shl(bit)))
}

/// Quotient and remainder by long division; all ones and the dividend if the divisor is 0.
fn divide(x: &Word, y: &Word) -> (Word, Word) {
    let width = x.width();
    if y.is_zero() {
        return (Word::ones(width), x.clone());
    }
    // One bit more, so that the remainder can be doubled.
    let (divisor, mut rest) = (y.resized(width + 1), Word::zero(width + 1));
    let mut quotient = Word::zero(width);
    for bit in (0..width).rev() {
        rest = rest.shl(1);
        rest.set_bit(0, x.bit(bit));
        if rest >= divisor {
            rest = add(&rest, &negate(&divisor));
            quotient.set_bit(bit, true);
        }
    }
    (quotient, rest.resized(width))
}

fn divide_signed(x: &Word, y: &Word) -> (Word, Word) {
    if y.is_zero() {
        return (Word::ones(x.width()), x.clone());
    }
    let magnitude = |w: &Word| if negative(w) { negate(w) } else { w.clone() };
    let (q, r) = divide(&magnitude(x), &magnitude(y));
    (if negative(x) == negative(y) { q } else { negate(&q) }, if negative(x) { negate(&r) } else { r })
}

impl BinaryOp {
    /// The result of the operator for two values of one width.
    pub fn apply(self, x: &Word, y: &Word) -> Word {
        let width = x.width();
        let truth = |b: bool| Word::from_u64(u64::from(b), 1);
        let less_signed = || if negative(x) == negative(y) { x < y } else { negative(x) };
        // The amount, or the width if it is more than that.
        let amount = y.to_u64().map_or(width, |n| n.min(u64::from(width)) as u32);
        // Both sides widened, so that the width itself, the modulus, fits.
        let modulus = Word::from_u64(u64::from(width), width + 32);
        let rotate = || divide(&y.resized(width + 32), &modulus).1.low_u64() as u32;
        match self {
            BinaryOp::Add => add(x, y),
            BinaryOp::Sub => add(x, &negate(y)),
            BinaryOp::Mul => multiply(x, y),
            BinaryOp::MulCarryless => y.ones_iter().fold(Word::zero(width), |sum, at| sum.xor(&x.shl(at))),
            BinaryOp::DivU => divide(x, y).0,
            BinaryOp::RemU => divide(x, y).1,
            BinaryOp::DivS => divide_signed(x, y).0,
            BinaryOp::RemS => divide_signed(x, y).1,
            BinaryOp::And => x.and(y),
            BinaryOp::Or => x.or(y),
            BinaryOp::Xor => x.xor(y),
            BinaryOp::Shl => x.shl(amount),
            BinaryOp::ShrU => x.shr(amount),
            BinaryOp::ShrS => sign_extend(&x.resized(width), 2 * width).shr(amount).resized(width),
            BinaryOp::RotateLeft => {
                let n = rotate();
                x.shl(n).or(&x.shr(width - n))
            }
            BinaryOp::RotateRight => {
                let n = rotate();
                x.shr(n).or(&x.shl(width - n))
            }
            BinaryOp::Eq => truth(x == y),
            BinaryOp::Ne => truth(x != y),
            BinaryOp::LtU => truth(x < y),
            BinaryOp::LtS => truth(less_signed()),
            BinaryOp::LeU => truth(x <= y),
            BinaryOp::LeS => truth(x == y || less_signed()),
        }
    }
}
