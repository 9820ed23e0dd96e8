//! Overloadable opcodes as machine code: what the unit of a handle does, in place of the way to it.
//!
//! The problem: `xcmd` looks a unit up in the map of its level and asks a device, which looks a command up and interprets it: a hundred times
//! the work of a command. The method: when `xcmd` is translated, its first register holds a handle already, most likely the one that it will
//! have again. The command's own text becomes machine code, guarded by that: the same unit, and the same state of the map, which
//! [`Machine::map_state`] numbers. `xext` is guarded by the whole of its first register. Where a guard does not hold, the instruction is
//! called as before.
//!
//! Invariant: the code does what the call does, the count of calls included. So there is none for a device that does not say that its text may run in
//! its place, for a text that uses variables, and while calls are logged.

use std::mem::offset_of;

use isaglot_bits::Word;
use isaglot_jit::Extern;
use isaglot_semantics::{BinaryOp, Body, ExternId, FileIndex, Local, RegisterIndex, Statement, Value, ValueId};
use isaglot_source::{FileId, Span};
use isaglot_xintf::meaning::{DATA, LUN, Meaning, RS1, RS2};

use crate::machine::Machine;

/// The bits of a handle that are its unit's number.
const UNIT: u64 = 0xfff;
const UNIT_BITS: u32 = 12;

/// Externs that no description has, after those that it has.
pub(crate) const EXTERNS: [Extern; 2] =
    [Extern::Word { at: offset_of!(Machine, map_state) }, Extern::Count { at: offset_of!(Machine, call_count) }];

/// An overloadable opcode: the numbers of its registers, and its command or kind of handle.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Opcode {
    pub(crate) is_command: bool,
    pub(crate) op: u64,
    pub(crate) rd: u64,
    pub(crate) rs1: u64,
    pub(crate) rs2: u64,
}

impl Opcode {
    /// From the name of an encoding, and the values of its operands by name.
    pub(crate) fn of(display_name: &str, value: &dyn Fn(&str) -> Option<u64>) -> Option<Opcode> {
        let is_command = match display_name {
            "xcmd" => true,
            "xext" => false,
            _ => return None,
        };
        let [op, rd, rs1, rs2] = ["OP", "RD", "RS1", "RS2"].map(value);
        Some(Opcode { is_command, op: op?, rd: rd?, rs1: rs1?, rs2: rs2? })
    }
}

/// A body that is made.
struct Maker {
    body: Body,
    xlen: u32,
    x: FileIndex,
    /// The number of the first of [`EXTERNS`].
    externs: u32,
}

impl Maker {
    fn value(&mut self, value: Value, width: u32) -> ValueId {
        self.body.values.push(value);
        self.body.widths.push(width);
        self.body.spans.push(Span::new(FileId(0), 0, 0));
        ValueId(self.body.values.len() as u32 - 1)
    }

    fn number(&mut self, value: u64, width: u32) -> ValueId {
        self.value(Value::Const(Word::from_u64(value, width)), width)
    }

    fn binary(&mut self, op: BinaryOp, a: ValueId, b: ValueId, width: u32) -> ValueId {
        self.value(Value::Binary(op, a, b), width)
    }

    fn register(&mut self, number: u64) -> ValueId {
        let number = self.number(number, 8);
        self.value(Value::Register(self.x, RegisterIndex::Value(number)), self.xlen)
    }

    fn set(&mut self, number: u64, value: ValueId) -> Statement {
        let number = self.number(number, 8);
        Statement::SetRegister(self.x, RegisterIndex::Value(number), value)
    }

    fn local(&mut self, width: u32) -> Local {
        self.body.locals.push(width);
        self.body.local_names.push(String::new());
        Local(self.body.locals.len() as u32 - 1)
    }

    /// A value bound to a local, as a value that later statements can have whatever registers are then.
    fn keep(&mut self, value: ValueId, list: &mut Vec<Statement>) -> ValueId {
        let local = self.local(self.xlen);
        list.push(Statement::Let(local, value));
        self.value(Value::Local(local), self.xlen)
    }

    /// The body that is these statements where the map is as it is, and the condition holds.
    fn guarded(mut self, state: u64, condition: ValueId, then: Vec<Statement>) -> Body {
        let local = self.local(64);
        let call = Statement::Call { callee: ExternId(self.externs), args: Vec::new(), result: Some(local) };
        let (now, known) = (self.value(Value::Local(local), 64), self.number(state, 64));
        let same = self.binary(BinaryOp::Eq, now, known, 1);
        let both = self.binary(BinaryOp::And, same, condition, 1);
        self.body.statements = vec![call, Statement::If(both, then, Vec::new())];
        self.body
    }
}

/// The body of an overloadable opcode, as long as its first register and the map are like now; nothing if it has to be called.
pub(crate) fn body(machine: &mut Machine, opcode: Opcode, x: FileIndex, externs: u32) -> Option<Body> {
    let Opcode { is_command, op, rd, rs1, rs2 } = opcode;
    let xlen = machine.xlen;
    let handle = *machine.x.get(rs1 as usize & 31)?;
    let mut maker = Maker { body: Body::default(), xlen, x, externs };
    let first = maker.register(rs1);
    if !is_command {
        let hit = machine.lun_lookup(handle >> UNIT_BITS, (handle & UNIT) as u16).ok()?;
        let known = maker.number(handle, xlen);
        let same = maker.binary(BinaryOp::Eq, first, known, 1);
        let result = if hit >> UNIT_BITS == 1 {
            let (data, by) = (maker.register(rs2), maker.number(UNIT_BITS.into(), xlen));
            let data = maker.binary(BinaryOp::Shl, data, by, xlen);
            let unit = maker.number(u64::from(hit) & UNIT, xlen);
            maker.binary(BinaryOp::Or, data, unit, xlen)
        } else {
            maker.number(op, xlen)
        };
        let set = maker.set(rd, result);
        return Some(maker.guarded(machine.map_state, same, vec![set]));
    }
    if machine.logs_calls {
        return None;
    }
    let route = machine.device_lookup((handle & UNIT) as u16).ok()?;
    let (device, sub) = ((route >> UNIT_BITS & UNIT) as usize, (route & UNIT) as u16);
    let (_, device) = machine.devices.get(device).filter(|_| route >> 24 == 1)?;
    let meaning = device.in_place(xlen, sub, op as u8)?;
    if (0..meaning.variables.len()).any(|n| meaning.uses(n)) {
        return None;
    }
    let mask = maker.number(UNIT, xlen);
    let unit = maker.binary(BinaryOp::And, first, mask, xlen);
    let known = maker.number(handle & UNIT, xlen);
    let same = maker.binary(BinaryOp::Eq, unit, known, 1);
    let then = command(&mut maker, &meaning, first, rd, rs2)?;
    Some(maker.guarded(machine.map_state, same, then))
}

/// The statements of a command: its operands as they are before, then its text, and the count.
fn command(maker: &mut Maker, meaning: &Meaning, rs1: ValueId, rd: u64, rs2: u64) -> Option<Vec<Statement>> {
    let xlen = maker.xlen;
    let mut list = Vec::new();
    let second = maker.register(rs2);
    let (whole, second) = (maker.keep(rs1, &mut list), maker.keep(second, &mut list));
    let (a, b) = if meaning.swapped { (second, whole) } else { (whole, second) };
    let (by, mask) = (maker.number(UNIT_BITS.into(), xlen), maker.number(UNIT, xlen));
    let data = maker.binary(BinaryOp::ShrU, whole, by, xlen);
    let unit = maker.binary(BinaryOp::And, whole, mask, xlen);
    let zero = maker.number(0, xlen);
    list.push(maker.set(rd, zero));
    let locals = maker.body.locals.len() as u32;
    maker.body.locals.extend(&meaning.body.locals);
    maker.body.local_names.extend(meaning.body.local_names.iter().cloned());
    maker.body.tables.clone_from(&meaning.body.tables);
    let mut to: Vec<ValueId> = Vec::new();
    for (value, &width) in meaning.body.values.iter().zip(&meaning.body.widths) {
        let of = |v: &ValueId| to.get(v.0 as usize).copied();
        let value = match value {
            Value::Const(word) => Value::Const(word.clone()),
            Value::Local(local) => Value::Local(Local(local.0 + locals)),
            Value::Immediate(operand) => {
                let known = [(RS1, a), (RS2, b), (DATA, data), (LUN, unit)];
                let (_, value) = known.into_iter().find(|(name, _)| name == operand)?;
                to.push(value);
                continue;
            }
            Value::Unary(op, x) => Value::Unary(*op, of(x)?),
            Value::Binary(op, x, y) => Value::Binary(*op, of(x)?, of(y)?),
            Value::Select(c, x, y) => Value::Select(of(c)?, of(x)?, of(y)?),
            Value::ZeroExtend(x) => Value::ZeroExtend(of(x)?),
            Value::SignExtend(x) => Value::SignExtend(of(x)?),
            Value::Slice(x, low) => Value::Slice(of(x)?, *low),
            Value::Concat(x, y) => Value::Concat(of(x)?, of(y)?),
            Value::Lookup(table, row) => Value::Lookup(*table, of(row)?),
            Value::Register(..) | Value::RegisterNumber(_) | Value::Pc | Value::NextPc => return None,
        };
        to.push(maker.value(value, width));
    }
    list.extend(statements(maker, &meaning.body.statements, &to, locals, rd)?);
    list.push(Statement::Call { callee: ExternId(maker.externs + 1), args: Vec::new(), result: None });
    Some(list)
}

fn statements(maker: &mut Maker, list: &[Statement], to: &[ValueId], locals: u32, rd: u64) -> Option<Vec<Statement>> {
    let of = |v: &ValueId| to.get(v.0 as usize).copied();
    list.iter()
        .map(|s| {
            Some(match s {
                Statement::Let(local, v) => Statement::Let(Local(local.0 + locals), of(v)?),
                // Its only register is the result.
                Statement::SetRegister(file, _, v) if Meaning::variable(*file).is_none() => maker.set(rd, of(v)?),
                Statement::If(c, yes, no) => Statement::If(
                    of(c)?,
                    statements(maker, yes, to, locals, rd)?,
                    statements(maker, no, to, locals, rd)?,
                ),
                Statement::Trap(name, _) => Statement::Trap(name.clone(), Vec::new()),
                _ => return None,
            })
        })
        .collect()
}
