//! One step, word by word: a counterexample run again by the definition of the language.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use isaglot_bits::Word;
use isaglot_semantics::{Env, ExternId, FileIndex, Machine, OperandIndex, run};

use super::sides::Side;
use crate::symbolic::Binding;
use crate::term::{Term, TermId, Terms};

/// Where the memory of a step is, so that a program can have it there.
pub const DATA: u64 = 0x8000_8000;

/// Where the instruction stands.
const PC: u64 = 0x8000_0100;

/// An instruction with what it finds, and what both sides make of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// The word.
    pub word: Word,
    /// The integer registers before.
    pub x: Vec<Word>,
    /// Memory before, where it is read.
    pub memory: BTreeMap<u64, u8>,
    /// After the database's text.
    pub theirs: After,
    /// After what the shipped description says.
    pub ours: After,
}

/// What a step has done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct After {
    /// The integer registers.
    pub x: Vec<Word>,
    /// The trap that ended it.
    pub trap: Option<String>,
    /// All that has changed, in words.
    pub changes: Vec<String>,
}

impl Step {
    /// A program for `isaglot asm` and `isaglot run`: registers, the instruction, the end.
    pub fn program(&self) -> String {
        let mut out = String::from("# One step.\n");
        for (at, byte) in &self.memory {
            let _ = writeln!(out, "\tli x30, {at:#x}\n\tli x31, {byte:#x}\n\tsb x31, 0(x30)");
        }
        // What memory was written with is set back too.
        let first = if self.memory.is_empty() { 32 } else { 30 };
        // A machine starts with the stack pointer somewhere, and with zeros elsewhere.
        for (n, value) in self.x.iter().enumerate().skip(1).filter(|(n, v)| *n == 2 || *n >= first || !v.is_zero()) {
            let _ = writeln!(out, "\tli x{n}, {:#x}", value.low_u64());
        }
        let size = self.word.width() / 8;
        let _ = writeln!(out, "\t.{size}byte {:#x}\n\tebreak", self.word.low_u64());
        for (name, list) in [("database", &self.theirs), ("shipped", &self.ours)] {
            let _ = writeln!(out, "# {name}: {}", list.changes.join(", "));
        }
        out
    }
}

/// Runs a step on both sides; `None` if they do the same.
pub(super) fn replay(
    terms: &Terms,
    word: Word,
    x: &[Word],
    memory: BTreeMap<u64, u8>,
    (theirs, ours): (&Side, &Side),
    size: u64,
) -> Option<Step> {
    let go = |side: &Side| {
        let mut hart = Hart::new(side, side.operands(terms, &word), x, &memory, size);
        let trap = run(&side.body, &mut hart).err();
        hart.changes(x, &memory, size, trap)
    };
    let (theirs, ours) = (go(theirs), go(ours));
    (theirs != ours).then(|| Step { word, x: x.to_vec(), memory, theirs, ours })
}

struct Hart<'a> {
    env: &'a Env,
    operands: Vec<Word>,
    integer: usize,
    x: Vec<Word>,
    memory: BTreeMap<u64, u8>,
    calls: Vec<String>,
    pc: Word,
    size: u64,
}

impl<'a> Hart<'a> {
    fn new(side: &'a Side, operands: Vec<Word>, x: &[Word], memory: &BTreeMap<u64, u8>, size: u64) -> Hart<'a> {
        let width = side.env.address_width();
        let integer = side.env.files().iter().position(|f| f.name == "x").unwrap_or(0);
        let pc = Word::from_u64(PC + size, width);
        Hart { env: &side.env, operands, integer, x: x.to_vec(), memory: memory.clone(), calls: Vec::new(), pc, size }
    }

    fn changes(&self, x: &[Word], memory: &BTreeMap<u64, u8>, size: u64, trap: Option<String>) -> After {
        let mut made: Vec<String> = trap.iter().map(|cause| format!("trap {cause}")).collect();
        for (n, (now, before)) in self.x.iter().zip(x).enumerate() {
            if now != before {
                made.push(format!("x{n} = {:#x}", now.low_u64()));
            }
        }
        for (at, byte) in self.memory.iter().filter(|(at, byte)| memory.get(*at).copied().unwrap_or(0) != **byte) {
            made.push(format!("[{at:#x}] = {byte:#04x}"));
        }
        let offset = self.pc.low_u64().wrapping_sub(PC) as i64;
        if offset != size as i64 {
            made.push(format!("pc {offset:+}"));
        }
        made.extend(self.calls.iter().cloned());
        if made.is_empty() {
            made.push("nothing".to_owned());
        }
        After { x: self.x.clone(), trap, changes: made }
    }
}

impl Machine for Hart<'_> {
    type Trap = String;
    fn pc(&self) -> Word {
        Word::from_u64(PC, self.env.address_width())
    }
    fn next_pc(&self) -> Word {
        Word::from_u64(PC + self.size, self.env.address_width())
    }
    fn set_pc(&mut self, target: Word) -> Result<(), String> {
        self.pc = target;
        Ok(())
    }
    fn immediate(&self, operand: OperandIndex, width: u32) -> Word {
        self.operands.get(operand.0 as usize).map_or_else(|| Word::zero(width), |w| w.resized(width))
    }
    fn register_number(&self, operand: OperandIndex) -> u32 {
        self.immediate(operand, 32).low_u64() as u32
    }
    fn register(&self, file: FileIndex, number: u32, width: u32) -> Word {
        let value = self.x.get(number as usize).filter(|_| file.0 as usize == self.integer && number > 0);
        value.map_or_else(|| Word::zero(width), |w| w.resized(width))
    }
    fn set_register(&mut self, file: FileIndex, number: u32, value: Word) {
        if file.0 as usize == self.integer
            && number > 0
            && let Some(slot) = self.x.get_mut(number as usize)
        {
            *slot = value;
        }
    }
    fn load(&mut self, address: Word, bits: u32) -> Result<Word, String> {
        let at = |n: u32| address.low_u64().wrapping_add(u64::from(n));
        let bytes: Vec<u8> = (0..bits / 8).map(|n| self.memory.get(&at(n)).copied().unwrap_or(0)).collect();
        Ok(Word::from_le_bytes(&bytes, bits))
    }
    fn store(&mut self, address: Word, value: Word) -> Result<(), String> {
        for (n, byte) in (0..).zip(value.le_bytes()) {
            self.memory.insert(address.low_u64().wrapping_add(n), byte);
        }
        Ok(())
    }
    fn call(&mut self, callee: ExternId, args: &[Word]) -> Result<Option<Word>, String> {
        let e = self.env.externs().get(callee.0 as usize).ok_or("unknown")?;
        let args: Vec<String> = args.iter().map(|w| format!("{:#x}", w.low_u64())).collect();
        self.calls.push(format!("{}({})", e.name, args.join(", ")));
        Ok(e.result.map(Word::zero))
    }
    fn trap(&mut self, cause: &str, _: &[Word]) -> String {
        cause.to_owned()
    }
}

impl Side {
    /// The values of the operands in a word.
    fn operands(&self, terms: &Terms, word: &Word) -> Vec<Word> {
        let of = |b: &Binding| match b {
            Binding::Register(t) | Binding::Immediate(t) => value(terms, *t, word),
        };
        self.bindings.iter().map(of).collect()
    }
}

/// A term over the bits of a word.
fn value(terms: &Terms, id: TermId, word: &Word) -> Word {
    let width = terms.width(id);
    match *terms.term(id) {
        Term::Const(ref w) => w.clone(),
        Term::Slice(x, low) => value(terms, x, word).shr(low).resized(width),
        Term::Concat(x, y) => {
            let low = value(terms, y, word);
            value(terms, x, word).resized(width).shl(low.width()).or(&low.resized(width))
        }
        // Fields are bits of the word and nothing else.
        _ => word.resized(width),
    }
}
