//! How an instruction can be run, decided before any code is made: translated, called, or left to the caller.
//!
//! Invariant: what is [`Kind::Translate`] translates without a failure, and it can be begun anew at each access to memory that does not
//! succeed: nothing of it is done that doing again would change.

use isaglot_bits::Word;
use isaglot_semantics::{
    BinaryOp, Body, Env, FileIndex, RegisterIndex, Statement, UnaryOp, Value, ValueId, sign_extend,
};

use crate::limits::MAX_REGISTERS;
use crate::shape::{Extern, RegisterFile};

/// How an instruction is run. Sets of registers have a bit for each, by its place in the machine's array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// As machine code.
    Translate {
        /// The registers that it may write.
        writes: u128,
    },
    /// By the caller, from within the code.
    Call {
        /// The registers that it reads.
        reads: u128,
        /// The registers that it writes.
        writes: u128,
    },
    /// As machine code where a condition holds, and elsewhere by the caller, from within the code. The last statement of its body is an `if`
    /// with the condition, and without an `else`; what stands before it has no effect.
    Guarded {
        /// The registers that the caller reads.
        reads: u128,
        /// The registers that either writes.
        writes: u128,
    },
    /// By the caller; the code is left before it.
    Leave,
}

/// What is known of an instruction when it is decoded.
#[derive(Clone, Copy)]
pub struct Fields<'a> {
    /// The values of its operands, by their index.
    pub operands: &'a [u64; 8],
    /// Its address.
    pub pc: u64,
    /// The address after it.
    pub next: u64,
}

/// Files by their index in the description, each with its place in the machine.
pub(crate) fn place(env: &Env, files: &[RegisterFile], file: FileIndex, number: u64) -> Option<Place> {
    let name = &env.files().get(file.0 as usize)?.name;
    let known = files.iter().find(|f| f.name == *name)?;
    if known.zero == Some(number) {
        return Some(Place::Zero);
    }
    let at = known.first.checked_add(number)?;
    (at < MAX_REGISTERS as u64).then_some(Place::At(at as usize))
}

/// Where a register is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// Nowhere: it is 0.
    Zero,
    /// At this place of the machine's array.
    At(usize),
}

/// The number of a register, if it is known.
pub(crate) fn number(body: &Body, fields: &Fields<'_>, index: RegisterIndex) -> Option<u64> {
    match index {
        RegisterIndex::Operand(op) => fields.operands.get(op.0 as usize).copied(),
        RegisterIndex::Value(v) => known(body, fields, v).and_then(|w| w.to_u64()),
    }
}

/// A value that depends on nothing but the instruction and its address.
pub(crate) fn known(body: &Body, fields: &Fields<'_>, id: ValueId) -> Option<Word> {
    let width = body.width(id);
    let of = |v: &ValueId| known(body, fields, *v);
    let operand = |op: usize| fields.operands.get(op).map(|&f| Word::from_u64(f, 64).resized(width));
    Some(match body.value(id) {
        Value::Const(w) => w.clone(),
        Value::Immediate(op) | Value::RegisterNumber(op) => operand(op.0 as usize)?,
        Value::Pc => Word::from_u64(fields.pc, 64).resized(width),
        Value::NextPc => Word::from_u64(fields.next, 64).resized(width),
        Value::Unary(op, x) => op.apply(&of(x)?),
        Value::Binary(op, x, y) => op.apply(&of(x)?, &of(y)?),
        Value::Select(c, x, y) => of(if of(c)?.is_zero() { y } else { x })?,
        Value::ZeroExtend(x) => of(x)?.resized(width),
        Value::SignExtend(x) => sign_extend(&of(x)?, width),
        Value::Slice(x, low) => of(x)?.shr(*low).resized(width),
        Value::Concat(x, y) => {
            let low = of(y)?;
            of(x)?.resized(width).shl(low.width()).or(&low.resized(width))
        }
        Value::Lookup(table, row) => body.tables.get(table.0 as usize)?.rows.get(of(row)?.low_u64() as usize)?.clone(),
        Value::Local(_) | Value::Register(..) => return None,
    })
}

/// How an instruction is run, with the externs of the description by their number.
pub fn kind(body: &Body, env: &Env, files: &[RegisterFile], fields: &Fields<'_>, externs: &[Extern]) -> Kind {
    let mut look = Look::new(body, env, files, fields, externs);
    look.list(&body.statements, true);
    match look {
        Look { unknown: true, .. } => Kind::Leave,
        Look { translates: true, writes, .. } => Kind::Translate { writes },
        Look { jumps: false, reads, writes, .. } => Kind::Call { reads, writes },
        _ => Kind::Leave,
    }
}

struct Look<'a> {
    body: &'a Body,
    env: &'a Env,
    files: &'a [RegisterFile],
    fields: &'a Fields<'a>,
    externs: &'a [Extern],
    reads: u128,
    writes: u128,
    /// It has all it takes to be translated.
    translates: bool,
    /// There is something that only the caller knows.
    unknown: bool,
    jumps: bool,
    /// A store has been made.
    stored: bool,
}

impl<'a> Look<'a> {
    fn new(
        body: &'a Body,
        env: &'a Env,
        files: &'a [RegisterFile],
        fields: &'a Fields<'a>,
        externs: &'a [Extern],
    ) -> Look<'a> {
        Look {
            body,
            env,
            files,
            fields,
            externs,
            reads: 0,
            writes: 0,
            translates: true,
            unknown: false,
            jumps: false,
            stored: false,
        }
    }

    /// `tail` says that the instruction ends after them.
    fn list(&mut self, list: &[Statement], tail: bool) {
        for (at, s) in list.iter().enumerate() {
            let tail = tail && at + 1 == list.len();
            match s {
                Statement::Let(_, v) => self.value(*v),
                Statement::Load(local, address) => {
                    self.value(*address);
                    // A load after a store could see it, and be done again.
                    self.translates &= !self.stored && is_access(self.body.locals.get(local.0 as usize));
                }
                Statement::Store { address, value } => {
                    self.value(*address);
                    self.value(*value);
                    self.translates &= is_access(Some(&self.body.width(*value)));
                    self.stored = true;
                }
                Statement::Call { callee, args, .. } => {
                    args.iter().for_each(|a| self.value(*a));
                    match self.externs.get(callee.0 as usize) {
                        Some(Extern::Call) => self.translates = false,
                        Some(Extern::Leave) | None => self.unknown = true,
                        Some(Extern::Check { .. } | Extern::Mode { .. }) => self.translates &= !self.stored,
                        // A trap after it would count it twice.
                        Some(Extern::Count { .. }) => self.stored = true,
                        Some(Extern::Set { .. } | Extern::Function(_) | Extern::Word { .. }) => {}
                    }
                }
                Statement::SetRegister(file, index, v) => {
                    self.value(*v);
                    let set = self.register(*file, *index);
                    self.writes |= set;
                }
                Statement::SetPc(v) => {
                    self.value(*v);
                    self.jumps = true;
                }
                Statement::If(c, then, otherwise) => {
                    self.value(*c);
                    let before = self.jumps;
                    self.list(then, tail);
                    self.list(otherwise, tail);
                    // The ways meet again, and then there has to be one place where they go on.
                    self.translates &= tail || self.jumps == before;
                }
                Statement::Trap(_, args) => {
                    args.iter().for_each(|a| self.value(*a));
                    self.translates &= !self.stored;
                }
            }
        }
    }

    fn register(&mut self, file: FileIndex, index: RegisterIndex) -> u128 {
        let place = number(self.body, self.fields, index).and_then(|n| place(self.env, self.files, file, n));
        match place {
            Some(Place::At(at)) => 1 << at,
            Some(Place::Zero) => 0,
            None => {
                self.unknown = true;
                0
            }
        }
    }

    fn value(&mut self, id: ValueId) {
        let width = self.body.width(id);
        // Something that is known is a constant, however it is computed.
        if known(self.body, self.fields, id).is_some() {
            self.translates &= width <= 128;
            return;
        }
        let wide = width > 64;
        match self.body.value(id) {
            Value::Unary(op, x) => {
                self.value(*x);
                let is_simple = matches!(op, UnaryOp::Not | UnaryOp::Negate);
                self.translates &= width <= 64 || width <= 128 && is_simple;
            }
            Value::Binary(op, x, y) => {
                self.value(*x);
                self.value(*y);
                use BinaryOp::{DivS, DivU, MulCarryless, RemS, RemU, RotateLeft, RotateRight};
                self.translates &= match op {
                    MulCarryless => false,
                    DivU | RemU | DivS | RemS => !wide,
                    RotateLeft | RotateRight => matches!(width, 8 | 16 | 32 | 64),
                    _ => self.body.width(*x) <= 128,
                };
            }
            Value::Select(c, x, y) => [c, x, y].into_iter().for_each(|v| self.value(*v)),
            Value::ZeroExtend(x) | Value::SignExtend(x) | Value::Slice(x, _) => self.value(*x),
            Value::Concat(x, y) => [x, y].into_iter().for_each(|v| self.value(*v)),
            Value::Lookup(_, x) => {
                self.value(*x);
                self.translates = false;
            }
            Value::Register(file, index) => {
                let set = self.register(*file, *index);
                self.reads |= set;
            }
            _ => {}
        }
        self.translates &= width <= 128 && width > 0;
    }
}

/// Whether memory can be reached at this width.
fn is_access(width: Option<&u32>) -> bool {
    width.is_some_and(|w| matches!(w, 8 | 16 | 32 | 64))
}
