//! A program taken apart: for every instruction its text, where control goes, and what its operands are.

use isaglot_asm::labels::{Places, target};
use isaglot_asm::{Entry, Options, Plain, Stream};
use isaglot_bits::Word;
use isaglot_codec::{Plan, Scopes};
use isaglot_model::{Access, EncodingId, FieldType, Flow, Operand, OperandKind, RegisterFileId, Varies};

use crate::limits::MAX_OPERAND_REGISTERS;
use crate::registers::{RegisterId, Registers};

/// Where control goes after an instruction. Targets are byte offsets; `None` is outside the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Next {
    /// To the next instruction.
    Through,
    /// To the target, and to the next instruction if `may`.
    To { target: Option<u64>, may: bool },
    /// To the target and back.
    Call { target: Option<u64> },
    /// Nowhere that is known.
    Away,
}

/// An operand of an instruction.
#[derive(Clone, Debug)]
pub(crate) enum StepOperand {
    /// Registers: those that hold a value, and what they are called together.
    Registers { all: Vec<RegisterId>, text: String, access: Access, implied: bool },
    /// A number.
    Immediate(String),
    /// A code address.
    Label(Option<u64>),
    /// Memory at the address in a register.
    Memory { base: Option<RegisterId>, text: String },
}

/// An instruction.
pub(crate) struct Step {
    /// Byte offset.
    pub(crate) pc: u64,
    pub(crate) word: Word,
    /// `None` for bytes that are not a valid instruction.
    pub(crate) encoding: Option<EncodingId>,
    pub(crate) text: String,
    /// The name that the text of other instructions calls this place by.
    pub(crate) label: Option<String>,
    pub(crate) next: Next,
    pub(crate) pieces: Vec<StepOperand>,
}

/// Takes a program apart. Bytes at the end that make no instruction are left out.
pub(crate) fn steps(plan: &Plan<'_>, registers: &Registers, bytes: &[u8], entries: Vec<Entry>) -> Vec<Step> {
    let total = bytes.len() as u64;
    let options = Options { show_errors: false, labels: true, names: true, entries, ..Options::default() };
    let mut stream = Stream::new(plan, options, total);
    stream.mark(bytes);
    let mut scopes = Scopes::new(plan, false);
    let (mut found, mut text) = (Vec::new(), Vec::new());
    let mut at = 0;
    while let Some(rest) = bytes.get(at..) {
        text.clear();
        let Some(size) = stream.step(rest, &mut Plain, &mut text) else { break };
        let Some(taken) = rest.get(..size) else { break };
        let word = word(plan, taken);
        let lines = String::from_utf8_lossy(&text);
        let mut lines: Vec<&str> = lines.lines().collect();
        let shown = lines.pop().unwrap_or("").to_owned();
        // Of several names of a place the last stands next to it.
        let label = lines.last().map(|l| l.trim_end_matches(':').to_owned());
        let scope = scopes.enter(&word);
        let mut step = Step {
            pc: at as u64,
            word,
            encoding: scope.map(|s| scopes.encoding_id(s)),
            text: shown,
            label,
            next: Next::Through,
            pieces: Vec::new(),
        };
        if let Some(scope) = scope {
            let mut reader = Reader { plan, registers, scopes: &mut scopes, scope, pc: at as u64, total };
            step.next = reader.next();
            step.pieces = reader.pieces();
        }
        found.push(step);
        at += size;
    }
    found
}

/// The word that these bytes hold.
fn word(plan: &Plan<'_>, bytes: &[u8]) -> Word {
    let bits = bytes.len() as u32 * 8;
    if plan.isa().format().byte_order == isaglot_model::ByteOrder::Big {
        let reversed: Vec<u8> = bytes.iter().rev().copied().collect();
        return Word::from_le_bytes(&reversed, bits);
    }
    Word::from_le_bytes(bytes, bits)
}

/// What one instruction is, read through its scope.
struct Reader<'r, 'p, 'a> {
    plan: &'r Plan<'a>,
    registers: &'r Registers,
    scopes: &'r mut Scopes<'p, 'a>,
    scope: usize,
    pc: u64,
    total: u64,
}

impl Reader<'_, '_, '_> {
    fn next(&mut self) -> Next {
        match self.scopes.encoding(self.scope).flow {
            Flow::Next | Flow::Trap => Next::Through,
            Flow::Branch { target, conditional } => Next::To { target: self.target(target), may: conditional },
            Flow::Call { target } => Next::Call { target: self.target(target) },
            Flow::Indirect { call: true } => Next::Call { target: None },
            Flow::Indirect { call: false } | Flow::Return | Flow::End => Next::Away,
        }
    }

    /// The byte offset that a field leads to, if it is in the program.
    fn target(&mut self, name: isaglot_model::Name) -> Option<u64> {
        let found = self.scopes.resolve(self.scope, name)?;
        let format = self.plan.isa().format();
        let bytes = if format.lengths.is_empty() { u64::from(format.max_bits / 8) } else { 1 };
        let places = Places { bytes };
        let (place, _) = target(found.field, found.low(), self.pc / bytes, places, self.total / bytes)?;
        Some(place * bytes)
    }

    fn pieces(&mut self) -> Vec<StepOperand> {
        let mut found = Vec::new();
        self.operands(self.scope, None, &mut found);
        found
    }

    /// The operands of a scope. `outer` is what the operand is that the scope is a part of: its access, and how many
    /// registers.
    fn operands(&mut self, scope: usize, outer: Option<(Access, u32)>, found: &mut Vec<StepOperand>) {
        let encoding = self.scopes.encoding(scope);
        for operand in &encoding.operands {
            let Varies { when, count, .. } = operand.varies;
            if when.is_some_and(|when| self.scopes.evaluate(scope, when) == 0) {
                continue;
            }
            let count = match count {
                Some(count) => u32::try_from(self.scopes.evaluate(scope, count)).unwrap_or(u32::MAX),
                None => operand.count.max(1),
            };
            let (access, count) = match outer {
                None => (operand.access, count),
                Some((access, times)) => (access, count.saturating_mul(times)),
            };
            let count = count.min(MAX_OPERAND_REGISTERS);
            if let OperandKind::Part(name) = operand.kind {
                let Some(part) = self.scopes.resolve(scope, name) else { continue };
                if let FieldType::Sub(space) = part.field.ty
                    && let Some(inside) = self.scopes.enter_field(part.scope, &part, space)
                {
                    self.operands(inside, Some((access, count)), found);
                    self.scopes.leave();
                }
                continue;
            }
            found.extend(self.piece(scope, operand, access, count));
        }
    }

    /// `None` if no case that applies defines the operand's field.
    fn piece(&mut self, scope: usize, operand: &Operand, access: Access, count: u32) -> Option<StepOperand> {
        Some(match operand.kind {
            OperandKind::Register(name, file) => {
                let number = self.scopes.resolve(scope, name)?.low();
                self.registers(scope, operand, (file, number), access, count)
            }
            OperandKind::Computed(number, file) => {
                let number = self.scopes.evaluate(scope, number);
                self.registers(scope, operand, (file, number), access, count)
            }
            OperandKind::Implicit(file, number) => {
                // What an encoding implies is its own affair, whatever it is a part of.
                let number = u64::from(number);
                let count = operand.count.max(1);
                match self.registers(scope, operand, (file, number), operand.access, count) {
                    StepOperand::Registers { all, text, access, .. } => {
                        StepOperand::Registers { all, text, access, implied: true }
                    }
                    piece => piece,
                }
            }
            OperandKind::Immediate(name) => {
                let found = self.scopes.resolve(scope, name)?;
                StepOperand::Immediate(match found.field.ty {
                    FieldType::Int | FieldType::Offset | FieldType::Branch { .. } => found.value.signed_decimal(),
                    FieldType::Hex | FieldType::Float => format!("0x{:x}", found.low()),
                    _ => found.value.decimal(),
                })
            }
            OperandKind::Label(name) => StepOperand::Label(self.target(name)),
            OperandKind::Memory(name, file) => {
                let number = self.scopes.resolve(scope, name)?.low();
                let base = self.registers.number(file, number);
                StepOperand::Memory { base, text: self.name(file, number) }
            }
            OperandKind::Part(_) => return None,
        })
    }

    /// The registers from a number of a file on.
    fn registers(
        &mut self,
        scope: usize,
        operand: &Operand,
        (file, number): (RegisterFileId, u64),
        access: Access,
        count: u32,
    ) -> StepOperand {
        let mask = operand.varies.mask.map(|mask| self.scopes.evaluate(scope, mask));
        let chosen = |n: &u32| mask.is_none_or(|mask| *n < u64::BITS && mask >> n & 1 != 0);
        let count = if mask.is_some() { u64::BITS } else { count };
        let numbers: Vec<u64> = (0..count).filter(chosen).map(|n| number.saturating_add(n.into())).collect();
        let first = numbers.first().copied().unwrap_or(number);
        let several = numbers.len() as u64;
        let dense = numbers.last().is_none_or(|last| last - first + 1 == several);
        let text = match numbers.as_slice() {
            [] | [_] => self.name(file, first),
            _ if dense => format!("{}:{several}", self.name(file, first)),
            all => all.iter().map(|n| self.name(file, *n)).collect::<Vec<_>>().join(","),
        };
        let all = numbers.into_iter().filter_map(|n| self.registers.number(file, n)).collect();
        StepOperand::Registers { all, text, access, implied: false }
    }

    fn name(&self, file: RegisterFileId, number: u64) -> String {
        let file = &self.plan.isa()[file];
        let known = usize::try_from(number).ok().and_then(|n| file.names.get(n).cloned().flatten());
        known.unwrap_or_else(|| format!("{}{number}", file.name.trim_start_matches('#')))
    }
}
