//! Operands that are names: enumerants and masks with their parameters, instructions of extended sets, and the opcode inside
//! `OpSpecConstantOp`. Each has a program of its own, which is run where the name was read.

use super::failure::shown;
use super::operand::{Step, expecting, nearest};
use super::types::Import;
use super::{Assembler, Fail, Reason, Status};
use crate::grammar::rows::*;

impl Assembler<'_, '_> {
    /// The instruction of an extended set, and its operands.
    pub(super) fn extended(&mut self, word: &[u8], start: usize, end: usize) -> Result<Step, Fail> {
        let set_id = self.words.get(self.now.first + 3).copied().unwrap_or(0);
        let import = self.types.import(set_id).unwrap_or(Import::Unknown);
        let (row, open) = match import {
            Import::Set(set) => (
                self.grammar.instruction(set, word),
                self.grammar.sets().get(usize::from(set)).is_some_and(|s| s.flags & OPEN != 0),
            ),
            Import::Unknown => (None, true),
        };
        let number = match row {
            Some(row) => row.value,
            None if open => match crate::number::integer::unsigned(word, 32) {
                Some(n) => n as u32,
                None => {
                    let word = shown(word);
                    let message =
                        format!("Couldn't translate unknown extended instruction name '{word}' to unsigned integer.");
                    return self.fail(start, Reason::UnknownExtendedInstruction, message);
                }
            },
            None => {
                let word = shown(word);
                return self.fail(
                    start,
                    Reason::UnknownExtendedInstruction,
                    format!("Invalid extended instruction name '{word}'."),
                );
            }
        };
        self.words.push(number);
        self.consume(end);
        if let Some(row) = row {
            let step = self.nested(row.program)?;
            if step != Step::Next || !open {
                return Ok(step);
            }
        }
        // Unknown or newer instructions of a non-semantic set: any number of ids.
        loop {
            let step = self.operand(ID_REF, true)?;
            if step != Step::Next {
                return Ok(step);
            }
        }
    }

    /// The opcode inside `OpSpecConstantOp`, and its operands.
    pub(super) fn nested_opcode(&mut self, word: &[u8], start: usize, end: usize) -> Result<Step, Fail> {
        let special = |name: &[u8]| self.grammar.op_by_name(name).filter(|op| op.flags & SPECIAL != 0);
        let Some(op) = special(word) else {
            let mut message = format!("Invalid OpSpecConstantOp opcode '{}'.", shown(word));
            if let Some(bare) = word.strip_prefix(b"Op")
                && special(bare).is_some()
            {
                message.push_str(&format!(" Did you mean '{}'?", shown(bare)));
            }
            return self.fail(start, Reason::NotInSpecConstantOp, message);
        };
        self.words.push(u32::from(op.opcode));
        self.consume(end);
        // Type and result are those of the outer instruction.
        let outer = op.program.len.min(2);
        self.nested(Program { at: op.program.at + outer, len: op.program.len - outer })
    }

    /// An enumerant or a mask, and its parameters.
    pub(super) fn enumerant(
        &mut self,
        kind: u8,
        optional: bool,
        word: &[u8],
        start: usize,
        end: usize,
    ) -> Result<Step, Fail> {
        let grammar = self.grammar;
        let group = grammar.kind(kind);
        let mask = group.is_some_and(|g| g.flags & MASK != 0);
        if let Some(row) = grammar.enumerant(kind, word) {
            self.words.push(row.value);
            self.consume(end);
            // A single name; of a combined value, every bit has its own parameters.
            if row.program.len == 0 && (!mask || row.value & row.value.wrapping_sub(1) == 0) {
                return Ok(Step::Next);
            }
            return self.nested(row.program);
        }
        // The reference does not know that a required memory access is a mask.
        let plain = |g: &GroupRow| !optional && !word.contains(&b'|') && grammar.bytes(g.name) == b"MemoryAccess";
        if !mask || group.is_some_and(plain) {
            let message = format!("Invalid {} '{}'.", grammar.phrase(kind), shown(word));
            return self
                .fail(start, Reason::UnknownEnumerant, message)
                .map_err(|f| expecting(f, self.members_near(kind, word)));
        }
        let mut value = 0;
        for name in word.split(|&b| b == b'|') {
            let Some(row) = grammar.enumerant(kind, name) else {
                let message = format!("Invalid {} operand '{}'.", grammar.phrase(kind), shown(word));
                let status = if word.is_empty() { Status::InvalidText } else { Status::InvalidLookup };
                return self
                    .fail_as(status, start, Reason::UnknownEnumerant, message)
                    .map_err(|f| expecting(f, self.members_near(kind, name)));
            };
            value |= row.value;
        }
        self.words.push(value);
        self.consume(end);
        let mut bits = value;
        while bits != 0 {
            let bit = bits & bits.wrapping_neg();
            bits &= bits - 1;
            if let Some(row) = group.and_then(|g| grammar.member(g, bit)) {
                let step = self.nested(row.program)?;
                if step != Step::Next {
                    return Ok(step);
                }
            }
        }
        Ok(Step::Next)
    }

    /// What an enumerant of a kind could have been: the nearest name, or all where they are few.
    fn members_near(&self, kind: u8, word: &[u8]) -> Option<String> {
        let members = self.grammar.members(self.grammar.kind(kind)?);
        let names = || members.iter().map(|m| self.grammar.str(m.name));
        nearest(&shown(word), names()).or_else(|| match members.len() {
            0 => None,
            1..=FEW => Some(format!("one of {}", names().map(|n| format!("`{n}`")).collect::<Vec<_>>().join(", "))),
            n => Some(format!("one of {n} names of kind {}", self.grammar.str(self.grammar.kind(kind)?.name))),
        })
    }
}

/// As many names as a person reads.
const FEW: usize = 12;
