//! The state of a machine as the interpreter of the semantics language sees it.
//!
//! One operation alone acts on the state at once, as the language says. Of several that run at once each sees the state before the
//! instruction and what it has written itself; all writes are kept in a log, and take place when every operation is done.

use isaglot_bits::Word;
use isaglot_model::Isa;
use isaglot_semantics::{ExternId, FileIndex, Machine as Semantics, OperandIndex, ValueId};

use crate::memory::{Memory, MemoryError};
use crate::outside::{Answer, Outside, State};
use crate::registers::Registers;
use crate::stop::Fault;

/// A write that has not taken place yet.
#[derive(Clone, Debug)]
pub(crate) enum Write {
    Register(FileIndex, u32, Word),
    Memory(u64, Word),
}

/// What an operation did, for people. Only a step that is watched has these.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Event {
    /// An operation begins: its number among those of the word.
    Operation(usize),
    /// The statement with this value ran.
    Statement(ValueId),
    /// These bits were loaded from an address.
    Load(u64, Word),
    /// These bits were stored at an address, where the others were before.
    Store(u64, Word, Word),
    /// An extern was called.
    Call(String, Vec<Word>, Option<Word>),
}

pub(crate) struct View<'m> {
    pub(crate) isa: &'m Isa,
    pub(crate) generation: u32,
    pub(crate) registers: &'m mut Registers,
    pub(crate) memory: &'m mut Memory,
    /// Nothing while it is called.
    pub(crate) outside: Option<&'m mut dyn Outside>,
    pub(crate) operands: &'m [Word],
    pub(crate) pc: u64,
    pub(crate) next: u64,
    pub(crate) target: Option<u64>,
    pub(crate) address_width: u32,
    /// Of several operations: all writes, and where those of this one begin.
    pub(crate) log: Option<(&'m mut Vec<Write>, usize)>,
    pub(crate) events: Option<&'m mut Vec<Event>>,
    /// Something outside was called, or stored to.
    pub(crate) acted: bool,
}

/// What a load or store that failed is called.
pub(crate) fn fault(e: MemoryError, absent: fn(u64) -> Fault) -> Fault {
    match e {
        MemoryError::Absent(address) => absent(address),
        MemoryError::Full => Fault::Memory,
    }
}

/// Reads bits of memory, whole bytes.
pub(crate) fn read(memory: &mut Memory, address: u64, bits: u32) -> Result<Word, MemoryError> {
    let bytes = (bits / 8) as usize;
    let mut short = [0; 16];
    match short.get_mut(..bytes) {
        Some(into) => {
            memory.read(address, into)?;
            Ok(Word::from_le_bytes(into, bits))
        }
        None => {
            let mut long = vec![0; bytes];
            memory.read(address, &mut long)?;
            Ok(Word::from_le_bytes(&long, bits))
        }
    }
}

/// Writes bits of memory, whole bytes.
pub(crate) fn write(memory: &mut Memory, address: u64, value: &Word) -> Result<(), MemoryError> {
    let bytes = (value.width() / 8) as usize;
    let mut short = [0; 16];
    match short.get_mut(..bytes) {
        Some(from) => {
            from.iter_mut().zip(value.le_bytes()).for_each(|(to, byte)| *to = byte);
            memory.write(address, from)
        }
        None => memory.write(address, &value.le_bytes().collect::<Vec<u8>>()),
    }
}

impl View<'_> {
    fn note(&mut self, event: impl FnOnce() -> Event) {
        if let Some(events) = &mut self.events {
            events.push(event());
        }
    }
}

impl Semantics for View<'_> {
    type Trap = Fault;

    fn pc(&self) -> Word {
        Word::from_u64(self.pc, self.address_width)
    }

    fn next_pc(&self) -> Word {
        Word::from_u64(self.next, self.address_width)
    }

    fn set_pc(&mut self, target: Word) -> Result<(), Fault> {
        self.target = Some(target.low_u64());
        Ok(())
    }

    fn immediate(&self, operand: OperandIndex, width: u32) -> Word {
        self.operands.get(operand.0 as usize).map_or(Word::zero(width), |value| value.resized(width))
    }

    fn register_number(&self, operand: OperandIndex) -> u32 {
        let value = self.operands.get(operand.0 as usize).map_or(0, Word::low_u64);
        u32::try_from(value).unwrap_or(u32::MAX)
    }

    fn register(&self, file: FileIndex, number: u32, width: u32) -> Word {
        let Some(layout) = self.registers.files.get(file.0 as usize) else { return Word::zero(width) };
        if layout.place(number).is_none() {
            return Word::zero(width);
        }
        let own = self.log.as_ref().and_then(|(log, start)| {
            log.get(*start..)?.iter().rev().find_map(|write| match write {
                Write::Register(f, n, value) if (*f, *n) == (file, number) => Some(value.clone()),
                _ => None,
            })
        });
        own.unwrap_or_else(|| self.registers.word(layout, number)).resized(width)
    }

    fn set_register(&mut self, file: FileIndex, number: u32, value: Word) {
        if let Some((log, _)) = &mut self.log {
            log.push(Write::Register(file, number, value));
        } else if let Some(&layout) = self.registers.files.get(file.0 as usize) {
            self.registers.set_word(&layout, number, &value);
        }
    }

    fn load(&mut self, address: Word, bits: u32) -> Result<Word, Fault> {
        let at = address.low_u64();
        let mut value = read(self.memory, at, bits).map_err(|e| fault(e, Fault::Load))?;
        if let Some((log, start)) = &self.log {
            for write in log.get(*start..).unwrap_or_default() {
                let Write::Memory(place, stored) = write else { continue };
                for byte in 0..u64::from(stored.width() / 8) {
                    let offset = place.wrapping_add(byte).wrapping_sub(at);
                    if offset < u64::from(bits / 8) {
                        value.insert(offset as u32 * 8, 8, stored.extract(byte as u32 * 8, 8));
                    }
                }
            }
        }
        self.note(|| Event::Load(at, value.clone()));
        Ok(value)
    }

    fn store(&mut self, address: Word, value: Word) -> Result<(), Fault> {
        let at = address.low_u64();
        self.acted = true;
        if self.events.is_some() {
            let before = read(self.memory, at, value.width()).map_err(|e| fault(e, Fault::Store))?;
            self.note(|| Event::Store(at, before, value.clone()));
        }
        if let Some((log, _)) = &mut self.log {
            // It must not fail later, when other writes have taken place.
            self.memory.reserve(at, u64::from(value.width() / 8)).map_err(|e| fault(e, Fault::Store))?;
            log.push(Write::Memory(at, value));
            return Ok(());
        }
        write(self.memory, at, &value).map_err(|e| fault(e, Fault::Store))
    }

    fn call(&mut self, callee: ExternId, args: &[Word]) -> Result<Option<Word>, Fault> {
        self.acted = true;
        let Some(e) = self.isa.externs().get(callee.0 as usize) else { return Err(Fault::Extern(String::new())) };
        let Some(outside) = self.outside.take() else { return Err(Fault::Extern(e.name.clone())) };
        let answer = outside.call(&e.name, args, self);
        self.outside = Some(outside);
        match answer {
            Answer::Done(value) => {
                let width = e.result.as_ref().map(|w| self.isa.width(w, self.generation));
                let value = match (value, width) {
                    (Some(value), Some(width)) => Some(value.resized(width)),
                    (None, Some(_)) => return Err(Fault::Extern(e.name.clone())),
                    (_, None) => None,
                };
                self.note(|| Event::Call(e.name.clone(), args.to_vec(), value.clone()));
                Ok(value)
            }
            Answer::Trap { cause, value } => Err(Fault::Trap { cause, value }),
            Answer::Failed(fault) => Err(fault),
            Answer::Unknown => Err(Fault::Extern(e.name.clone())),
        }
    }

    fn trap(&mut self, cause: &str, args: &[Word]) -> Fault {
        Fault::Trap { cause: cause.to_owned(), value: args.first().cloned() }
    }

    fn at(&mut self, value: ValueId) {
        self.note(|| Event::Statement(value));
    }
}

impl View<'_> {
    /// A register file by its name.
    fn file(&self, name: &str) -> Option<(FileIndex, u32)> {
        let at = self.isa.register_files().iter().position(|file| file.name == name)?;
        let width = self.registers.files.get(at)?.width;
        Some((FileIndex(at as u32), width))
    }
}

impl State for View<'_> {
    fn register(&self, file: &str, number: u32) -> Option<Word> {
        self.file(file).map(|(file, width)| Semantics::register(self, file, number, width))
    }

    fn set_register(&mut self, file: &str, number: u32, value: &Word) {
        if let Some((file, width)) = self.file(file) {
            Semantics::set_register(self, file, number, value.resized(width));
        }
    }

    fn memory(&self) -> &Memory {
        self.memory
    }

    fn load(&mut self, address: u64, bits: u32) -> Result<Word, Fault> {
        Semantics::load(self, Word::from_u64(address, self.address_width), bits)
    }

    fn store(&mut self, address: u64, value: &Word) -> Result<(), Fault> {
        Semantics::store(self, Word::from_u64(address, self.address_width), value.clone())
    }
}
