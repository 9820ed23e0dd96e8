//! A body run on terms instead of words: its whole effect as formulas over the state before it.
//!
//! Both sides of an `if` are run and joined. A trap ends a path; what the other paths do is joined under its condition.
//! Externs are unknown functions of the *world*, a token that every call replaces, so that calls keep their order and
//! nothing is assumed of what they do; or [`Outside`] says what they do.
//!
//! For example, `if (a == 0) { trap(odd); } rd = a;` where `rd` is register 1 and `c` stands for the term `a == 0`:
//!
//! ```text
//! after the `if`       trap = c ? 1 : 0
//! after `rd = a`       only where trap is 0: register 1 = a
//! joined               register 1 = c ? its old value : a,   pc = c ? pc : pc + 4
//! ```

use isaglot_bits::Word;
use isaglot_invariant::Impossible as _;
use isaglot_semantics::{
    BinaryOp, Body, Env, Extern, FileIndex, OperandIndex, RegisterIndex, Statement, UnaryOp, Value, ValueId,
};

use crate::term::{Sort, TermId, Terms};

/// Width of the token that stands for everything outside, in bits.
pub const WORLD_BITS: u32 = 64;

/// Width of the number of a trap's cause, in bits. 0 is no trap; causes count from 1 in the order of the [`Env`], and
/// [`EXTERN_TRAP`] is a trap inside an extern.
pub const CAUSE_BITS: u32 = 8;

/// The cause of a trap that an extern made.
pub const EXTERN_TRAP: u64 = 255;

/// The state of a machine as terms.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SymbolicState {
    /// Each register file: an array from register numbers.
    pub files: Vec<TermId>,
    /// Memory: an array from addresses to bytes.
    pub memory: TermId,
    /// The address of the next instruction.
    pub pc: TermId,
    /// Everything outside.
    pub world: TermId,
    /// What an [`Outside`] keeps: its own terms, in an order of its own.
    pub outside: Vec<TermId>,
    /// The cause of the trap that ended execution, 0 for none.
    pub trap: TermId,
}

/// What an instruction's operands are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Binding {
    /// The number of a register, as a term.
    Register(TermId),
    /// The bits of an immediate, as a term.
    Immediate(TermId),
}

/// Width of a register number of a file, in bits.
pub fn number_bits(count: u32) -> u32 {
    32 - count.saturating_sub(1).leading_zeros().min(31)
}

impl SymbolicState {
    /// A state of free variables, named with this prefix.
    pub fn symbolic(terms: &mut Terms, env: &Env, prefix: &str) -> SymbolicState {
        let address = env.address_width();
        let files = env.files().iter().map(|f| {
            let sort = Sort::Array { index: number_bits(f.count), element: f.width };
            terms.symbol(&format!("{prefix}{}", f.name), sort)
        });
        SymbolicState {
            files: files.collect(),
            memory: terms.symbol(&format!("{prefix}mem"), Sort::Array { index: address, element: 8 }),
            pc: terms.symbol(&format!("{prefix}pc"), Sort::Bits(address)),
            world: terms.symbol(&format!("{prefix}world"), Sort::Bits(WORLD_BITS)),
            outside: Vec::new(),
            trap: terms.number(0, CAUSE_BITS),
        }
    }

    /// This state where `condition` is 1, the other elsewhere.
    pub fn join(terms: &mut Terms, condition: TermId, yes: &SymbolicState, no: &SymbolicState) -> SymbolicState {
        let mut pick = |x, y| terms.select(condition, x, y);
        SymbolicState {
            files: yes.files.iter().zip(&no.files).map(|(&x, &y)| pick(x, y)).collect(),
            memory: pick(yes.memory, no.memory),
            pc: pick(yes.pc, no.pc),
            world: pick(yes.world, no.world),
            outside: yes.outside.iter().zip(&no.outside).map(|(&x, &y)| pick(x, y)).collect(),
            trap: pick(yes.trap, no.trap),
        }
    }
}

/// What a call of an extern comes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// Its result; must be there if the extern has one.
    pub result: Option<TermId>,
    /// One bit: it traps instead, and has then changed nothing.
    pub traps: TermId,
}

/// Says what externs do.
pub trait Outside {
    /// Calls one: may change `state.outside`. `None` if nothing is known of it.
    fn call(
        &mut self,
        terms: &mut Terms,
        callee: &Extern,
        args: &[TermId],
        state: &mut SymbolicState,
    ) -> Option<Outcome>;
}

/// Knows nothing of any extern.
#[derive(Clone, Copy, Debug)]
pub struct Unknown;

impl Outside for Unknown {
    fn call(&mut self, _: &mut Terms, _: &Extern, _: &[TermId], _: &mut SymbolicState) -> Option<Outcome> {
        None
    }
}

/// Which registers of a file are special.
pub type ZeroRegister = Option<u32>;

/// A body with all that its names mean.
#[derive(Clone, Copy, Debug)]
pub struct BoundBody<'a> {
    /// The names.
    pub env: &'a Env,
    /// The body.
    pub body: &'a Body,
    /// Its operands, in the order of the [`Env`].
    pub bindings: &'a [Binding],
    /// The register of each file that reads as zero.
    pub zeros: &'a [ZeroRegister],
    /// Bytes of the instruction.
    pub size: u64,
}

/// Runs a body on terms.
struct Symbolic<'a> {
    outside: &'a mut dyn Outside,
    terms: &'a mut Terms,
    bound: BoundBody<'a>,
    pc: TermId,
    next_pc: TermId,
    locals: Vec<Option<TermId>>,
}

/// The state after an instruction, with externs that do what `outside` says. A state that has trapped stays as it is.
pub fn execute(
    terms: &mut Terms,
    bound: BoundBody<'_>,
    before: &SymbolicState,
    outside: &mut dyn Outside,
) -> SymbolicState {
    let step = terms.number(bound.size, bound.env.address_width());
    let next_pc = terms.binary(BinaryOp::Add, before.pc, step);
    let locals = vec![None; bound.body.locals.len()];
    let mut run = Symbolic { outside, terms, bound, pc: before.pc, next_pc, locals };
    let after = run.statements(&bound.body.statements, SymbolicState { pc: next_pc, ..before.clone() });
    // An instruction that traps leaves the pc at itself.
    let none = terms.number(0, CAUSE_BITS);
    let ran = terms.binary(BinaryOp::Eq, after.trap, none);
    let pc = terms.select(ran, after.pc, before.pc);
    let was_running = terms.binary(BinaryOp::Eq, before.trap, none);
    SymbolicState::join(terms, was_running, &SymbolicState { pc, ..after }, before)
}

impl Symbolic<'_> {
    fn statements(&mut self, list: &[Statement], mut state: SymbolicState) -> SymbolicState {
        for (i, s) in list.iter().enumerate() {
            let rest = &list[i + 1..];
            match s {
                Statement::Let(local, v) => {
                    let value = self.value(*v, &state);
                    self.locals[local.0 as usize] = Some(value);
                }
                Statement::Load(local, address) => {
                    let address = self.value(*address, &state);
                    let bytes = self.bound.body.locals[local.0 as usize] / 8;
                    let value = self.load(state.memory, address, bytes);
                    self.locals[local.0 as usize] = Some(value);
                }
                Statement::Store { address, value } => {
                    let (address, value) = (self.value(*address, &state), self.value(*value, &state));
                    state.memory = self.store(state.memory, address, value);
                }
                Statement::SetRegister(file, index, v) => {
                    let (number, value) = (self.number(*file, *index, &state), self.value(*v, &state));
                    let slot = file.0 as usize;
                    let written = self.terms.write(state.files[slot], number, value);
                    state.files[slot] = match self.bound.zeros.get(slot).copied().flatten() {
                        None => written,
                        Some(zero) => {
                            let zero = self.terms.number(u64::from(zero), self.terms.width(number));
                            let is_zero = self.terms.binary(BinaryOp::Eq, number, zero);
                            self.terms.select(is_zero, state.files[slot], written)
                        }
                    };
                }
                Statement::SetPc(v) => state.pc = self.value(*v, &state),
                Statement::Trap(cause, _) => {
                    let number = self.bound.env.trap_number(cause);
                    state.trap = self.terms.number(number, CAUSE_BITS);
                    return state;
                }
                Statement::Call { callee, args, result } => {
                    let e = &self.bound.env.externs()[callee.0 as usize];
                    let args: Vec<TermId> = args.iter().map(|&a| self.value(a, &state)).collect();
                    let trapped = SymbolicState { trap: self.terms.number(EXTERN_TRAP, CAUSE_BITS), ..state.clone() };
                    let known = self.outside.call(self.terms, e, &args, &mut state);
                    let outcome = match known {
                        Some(outcome) => outcome,
                        None => self.unknown(e, &args, &mut state),
                    };
                    if let (Some(local), Some(value)) = (result, outcome.result) {
                        self.locals[local.0 as usize] = Some(value);
                    }
                    let ran = self.statements(rest, state);
                    return SymbolicState::join(self.terms, outcome.traps, &trapped, &ran);
                }
                Statement::If(condition, then, otherwise) => {
                    let condition = self.value(*condition, &state);
                    match self.terms.constant(condition).map(|w| !w.is_zero()) {
                        Some(true) => state = self.statements(then, state),
                        Some(false) => state = self.statements(otherwise, state),
                        None => {
                            let yes = self.statements(then, state.clone());
                            let no = self.statements(otherwise, state);
                            state = SymbolicState::join(self.terms, condition, &yes, &no);
                        }
                    }
                    // The rest runs only where no side has trapped.
                    let none = self.terms.number(0, CAUSE_BITS);
                    let running = self.terms.binary(BinaryOp::Eq, state.trap, none);
                    match self.terms.constant(running).map(|w| !w.is_zero()) {
                        Some(true) => {}
                        Some(false) => return state,
                        None => {
                            let ran = self.statements(rest, SymbolicState { trap: none, ..state.clone() });
                            return SymbolicState::join(self.terms, running, &ran, &state);
                        }
                    }
                }
            }
        }
        state
    }

    /// A call of which nothing is known but that it depends on the world and its arguments.
    fn unknown(&mut self, e: &Extern, args: &[TermId], state: &mut SymbolicState) -> Outcome {
        let mut values = vec![state.world];
        values.extend(args);
        let result = e.result.map(|width| self.terms.apply(&e.name, values.clone(), Sort::Bits(width)));
        let traps = self.terms.apply(&format!("{}.traps", e.name), values.clone(), Sort::Bits(1));
        state.world = self.terms.apply(&format!("{}.world", e.name), values, Sort::Bits(WORLD_BITS));
        Outcome { result, traps }
    }

    fn load(&mut self, memory: TermId, address: TermId, bytes: u32) -> TermId {
        let mut value = None;
        for i in 0..bytes {
            let at = self.offset(address, i);
            let byte = self.terms.read(memory, at);
            value = Some(value.map_or(byte, |low| self.terms.concat(byte, low)));
        }
        value.or_impossible(address)
    }

    fn store(&mut self, mut memory: TermId, address: TermId, value: TermId) -> TermId {
        for i in 0..self.terms.width(value) / 8 {
            let at = self.offset(address, i);
            let byte = self.terms.slice(value, 8 * i, 8);
            memory = self.terms.write(memory, at, byte);
        }
        memory
    }

    /// `address + i`, with constants of a sum added up, so that equal addresses are equal terms.
    fn offset(&mut self, address: TermId, i: u32) -> TermId {
        let width = self.terms.width(address);
        let step = self.terms.number(u64::from(i), width);
        if let crate::term::Term::Binary(BinaryOp::Add, base, c) = *self.terms.term(address)
            && self.terms.constant(c).is_some()
        {
            let sum = self.terms.binary(BinaryOp::Add, c, step);
            return self.terms.binary(BinaryOp::Add, base, sum);
        }
        self.terms.binary(BinaryOp::Add, address, step)
    }

    fn operand(&self, op: OperandIndex) -> Option<Binding> {
        self.bound.bindings.get(op.0 as usize).copied()
    }

    fn number(&mut self, file: FileIndex, index: RegisterIndex, state: &SymbolicState) -> TermId {
        let bits = number_bits(self.bound.env.files()[file.0 as usize].count);
        let number = match index {
            RegisterIndex::Operand(op) => match self.operand(op) {
                Some(Binding::Register(t) | Binding::Immediate(t)) => t,
                None => self.terms.number(0, bits),
            },
            RegisterIndex::Value(v) => self.value(v, state),
        };
        if self.terms.width(number) > bits {
            self.terms.slice(number, 0, bits)
        } else {
            self.terms.zero_extend(number, bits)
        }
    }

    fn value(&mut self, id: ValueId, state: &SymbolicState) -> TermId {
        let width = self.bound.body.width(id);
        match self.bound.body.value(id).clone() {
            Value::Const(w) => self.terms.word(w),
            Value::Local(l) => match self.locals[l.0 as usize] {
                Some(t) => t,
                // A local of a block that was not run, which nothing after it can name.
                None => self.terms.number(0, width),
            },
            Value::Immediate(op) | Value::RegisterNumber(op) => match self.operand(op) {
                Some(Binding::Immediate(t) | Binding::Register(t)) if self.terms.width(t) > width => {
                    self.terms.slice(t, 0, width)
                }
                Some(Binding::Immediate(t) | Binding::Register(t)) => self.terms.zero_extend(t, width),
                None => self.terms.number(0, width),
            },
            Value::Register(file, index) => {
                let number = self.number(file, index, state);
                let value = self.terms.read(state.files[file.0 as usize], number);
                match self.bound.zeros.get(file.0 as usize).copied().flatten() {
                    None => value,
                    Some(zero) => {
                        let zero = self.terms.number(u64::from(zero), self.terms.width(number));
                        let is_zero = self.terms.binary(BinaryOp::Eq, number, zero);
                        let nothing = self.terms.number(0, width);
                        self.terms.select(is_zero, nothing, value)
                    }
                }
            }
            Value::Pc => self.pc,
            Value::NextPc => self.next_pc,
            Value::Unary(op, x) => {
                let x = self.value(x, state);
                match op {
                    // Counting has no operator in SMT-LIB; it is spelled out on the bits.
                    UnaryOp::CountLeadingZeros | UnaryOp::CountTrailingZeros | UnaryOp::CountOnes => self.count(op, x),
                    UnaryOp::ReverseBytes | UnaryOp::OrBytes => self.bytes(op, x),
                    UnaryOp::Negate | UnaryOp::Not => self.terms.unary(op, x),
                }
            }
            Value::Binary(op, x, y) => {
                let (x, y) = (self.value(x, state), self.value(y, state));
                self.terms.binary(op, x, y)
            }
            Value::Select(c, x, y) => {
                let (c, x, y) = (self.value(c, state), self.value(x, state), self.value(y, state));
                self.terms.select(c, x, y)
            }
            Value::ZeroExtend(x) => {
                let x = self.value(x, state);
                self.terms.zero_extend(x, width)
            }
            Value::SignExtend(x) => {
                let x = self.value(x, state);
                self.terms.sign_extend(x, width)
            }
            Value::Slice(x, low) => {
                let x = self.value(x, state);
                self.terms.slice(x, low, width)
            }
            Value::Concat(x, y) => {
                let (x, y) = (self.value(x, state), self.value(y, state));
                self.terms.concat(x, y)
            }
            Value::Lookup(table, number) => {
                let number = self.value(number, state);
                let rows = self.bound.body.tables[table.0 as usize].rows.clone();
                self.row(&rows, number)
            }
        }
    }

    /// A row of a table of 2^n rows: a choice of halves by each bit of the number, the highest first.
    fn row(&mut self, rows: &[Word], number: TermId) -> TermId {
        if let [row] = rows {
            return self.terms.word(row.clone());
        }
        let (low, high) = rows.split_at(rows.len() / 2);
        let bit = self.terms.slice(number, rows.len().trailing_zeros() - 1, 1);
        let (low, high) = (self.row(low, number), self.row(high, number));
        self.terms.select(bit, high, low)
    }

    fn count(&mut self, op: UnaryOp, x: TermId) -> TermId {
        let width = self.terms.width(x);
        let mut result = self.terms.number(if op == UnaryOp::CountOnes { 0 } else { u64::from(width) }, width);
        // The last bit looked at decides: from the far end towards the near one.
        for i in 0..width {
            let at = if op == UnaryOp::CountTrailingZeros { width - 1 - i } else { i };
            let bit = self.terms.slice(x, at, 1);
            result = match op {
                UnaryOp::CountOnes => {
                    let one = self.terms.zero_extend(bit, width);
                    self.terms.binary(BinaryOp::Add, result, one)
                }
                _ => {
                    let zeros = if op == UnaryOp::CountTrailingZeros { at } else { width - 1 - at };
                    let found = self.terms.number(u64::from(zeros), width);
                    self.terms.select(bit, found, result)
                }
            };
        }
        result
    }

    fn bytes(&mut self, op: UnaryOp, x: TermId) -> TermId {
        let count = self.terms.width(x) / 8;
        let (zero, ones) = (self.terms.number(0, 8), self.terms.number(0xff, 8));
        let mut result = None;
        for i in 0..count {
            // From the most significant byte of the result on.
            let at = if op == UnaryOp::ReverseBytes { i } else { count - 1 - i };
            let byte = self.terms.slice(x, 8 * at, 8);
            let byte = match op {
                UnaryOp::ReverseBytes => byte,
                _ => {
                    let empty = self.terms.binary(BinaryOp::Eq, byte, zero);
                    self.terms.select(empty, zero, ones)
                }
            };
            result = Some(result.map_or(byte, |upper| self.terms.concat(upper, byte)));
        }
        result.or_impossible(x)
    }
}
