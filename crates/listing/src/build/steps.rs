//! A program taken apart: for every instruction its text, where control goes, and what its operands are.

use isaglot_asm::labels::{Places, target};
use isaglot_asm::{Options, Plain, Stream};
use isaglot_bits::Word;
use isaglot_codec::{Plan, Scopes};
use isaglot_model::{Access, EncodingId, FieldType, Flow, OperandKind};

use super::registers::{RegisterId, Registers};

/// Where control goes after an instruction. Targets are byte offsets; `None` is outside the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Next {
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
pub(super) enum Piece {
    /// Registers, the first of `count`.
    Register { first: Option<RegisterId>, text: String, count: u32, access: Access, implied: bool },
    /// A number.
    Immediate(String),
    /// A code address.
    Label(Option<u64>),
    /// Memory at the address in a register.
    Memory { base: Option<RegisterId>, text: String },
}

/// An instruction.
pub(super) struct Step {
    /// Byte offset.
    pub(super) pc: u64,
    pub(super) word: Word,
    /// `None` for bytes that are no instruction.
    pub(super) encoding: Option<EncodingId>,
    pub(super) text: String,
    /// The name that the text of other instructions calls this place by.
    pub(super) label: Option<String>,
    pub(super) next: Next,
    pub(super) pieces: Vec<Piece>,
}

/// Takes a program apart. Bytes at the end that make no instruction are left out.
pub(super) fn steps(plan: &Plan<'_>, registers: &Registers, bytes: &[u8]) -> Vec<Step> {
    let total = bytes.len() as u64;
    let mut options = Options { show_errors: false, labels: true, ..Options::default() };
    options.max_errors = 0;
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

    fn pieces(&mut self) -> Vec<Piece> {
        let operands = self.scopes.encoding(self.scope).operands.clone();
        operands.iter().filter_map(|operand| self.piece(operand)).collect()
    }

    /// `None` if no case that applies defines the operand's field.
    fn piece(&mut self, operand: &isaglot_model::Operand) -> Option<Piece> {
        let isa = self.plan.isa();
        let register = |registers: &Registers, file, number: u64| {
            let first = registers.number(file, number);
            let known = isa[file].names.get(number as usize).cloned().flatten();
            (first, known.unwrap_or_else(|| format!("{}{number}", isa[file].name.trim_start_matches('#'))))
        };
        Some(match operand.kind {
            OperandKind::Register(name, file) => {
                let number = self.scopes.resolve(self.scope, name)?.low();
                let (first, text) = register(self.registers, file, number);
                Piece::Register { first, text, count: operand.count.max(1), access: operand.access, implied: false }
            }
            OperandKind::Implicit(file, number) => {
                let (first, text) = register(self.registers, file, number.into());
                Piece::Register { first, text, count: operand.count.max(1), access: operand.access, implied: true }
            }
            OperandKind::Immediate(name) => {
                let found = self.scopes.resolve(self.scope, name)?;
                Piece::Immediate(match found.field.ty {
                    FieldType::Int | FieldType::Offset | FieldType::Branch { .. } => found.value.signed_decimal(),
                    FieldType::Hex => format!("0x{:x}", found.low()),
                    _ => found.value.decimal(),
                })
            }
            OperandKind::Label(name) => Piece::Label(self.target(name)),
            OperandKind::Memory(name, file) => {
                let number = self.scopes.resolve(self.scope, name)?.low();
                let (base, text) = register(self.registers, file, number);
                Piece::Memory { base, text }
            }
        })
    }
}
