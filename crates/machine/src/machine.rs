//! A machine that runs: its state, the instructions that it has decoded, and one step.

use isaglot_bits::Word;
use isaglot_codec::Plan;
use isaglot_model::{Isa, RegisterFileId};
use isaglot_semantics::FileIndex;

use crate::cache::{Cache, Form};
use crate::decode::{Operation, decode, fetch};
use crate::limits::{MAX_ADDRESS, RECENT};
use crate::memory::{Memory, MemoryError};
use crate::narrow::{self, Ended};
use crate::outside::{Nothing, Outside};
use crate::registers::Registers;
use crate::stop::{Fault, Stop};
use crate::text::Texts;
use crate::view::{self, Event, View, Write};

/// A machine of a description. All registers and all memory are 0 at first, and there is no memory.
pub struct Machine<'a> {
    plan: Plan<'a>,
    texts: Texts,
    cache: Cache,
    registers: Registers,
    /// Its memory.
    pub memory: Memory,
    pc: u64,
    address_width: u32,
    retired: u64,
    /// Results of the operations of a text.
    results: Vec<u64>,
    log: Vec<Write>,
    outside: Box<dyn Outside + 'a>,
    /// The addresses of the last instructions, the next place to write to.
    recent: ([u64; RECENT], usize),
    /// Stores and calls so far.
    acts: u64,
    /// The registers and acts when an instruction was last gone on at itself.
    still: Option<(u64, u64)>,
    still_registers: Vec<u8>,
    /// Where the program lies, first and last addresses; empty if that was not said.
    program: Vec<(u64, u64)>,
}

impl<'a> Machine<'a> {
    /// A machine of what a plan decodes.
    ///
    /// # Errors
    /// A sentence, if no encoding has semantics, or addresses or registers are beyond the limits.
    pub fn new(plan: Plan<'a>) -> Result<Machine<'a>, String> {
        let (isa, generation) = (plan.isa(), plan.generation());
        let Some(encoding) = isa.encodings().iter().find(|e| e.semantics.is_some()) else {
            return Err("the description does not say what instructions do: it has no semantics".to_owned());
        };
        let address_width = isa.environment(encoding, generation).address_width();
        if !(1..=MAX_ADDRESS).contains(&address_width) {
            return Err(format!("addresses have {address_width} bits; a machine has at most {MAX_ADDRESS}"));
        }
        let registers = Registers::new(isa, generation, None)?;
        Ok(Machine {
            plan,
            texts: Texts::default(),
            cache: Cache::default(),
            registers,
            memory: Memory::default(),
            pc: 0,
            address_width,
            retired: 0,
            results: Vec::new(),
            log: Vec::new(),
            outside: Box::new(Nothing),
            recent: ([0; RECENT], 0),
            acts: 0,
            still: None,
            still_registers: Vec::new(),
            program: Vec::new(),
        })
    }

    /// Says where the program lies that is in memory now: first addresses and lengths in bytes. From now on an instruction in memory that
    /// neither these have nor a store has written to is a [`Fault::Empty`], whatever zeros would mean. Stores count for the 64 bytes around them.
    pub fn set_program(&mut self, parts: &[(u64, u64)]) {
        let last = |&(first, length): &(u64, u64)| Some((first, first.saturating_add(length.checked_sub(1)?)));
        self.program = parts.iter().filter_map(last).collect();
        self.memory.forget_stores();
    }

    /// The first of the bytes of an instruction that nothing was put to.
    fn first_empty(&self, pc: u64, length: u64) -> Option<u64> {
        if self.program.is_empty() {
            return None;
        }
        let has = |at: u64| self.program.iter().any(|&(first, last)| first <= at && at <= last);
        (pc..pc.saturating_add(length)).find(|&at| !has(at) && !self.memory.is_stored(at))
    }

    /// What texts call from now on.
    pub fn set_outside(&mut self, outside: Box<dyn Outside + 'a>) {
        self.outside = outside;
    }

    /// What texts call, to ask what it holds and to change it.
    pub fn outside(&mut self) -> &mut (dyn Outside + 'a) {
        &mut *self.outside
    }

    /// What it decodes with.
    pub fn plan(&self) -> &Plan<'a> {
        &self.plan
    }

    /// The description.
    pub fn isa(&self) -> &'a Isa {
        self.plan.isa()
    }

    /// Bits of an address.
    pub fn address_width(&self) -> u32 {
        self.address_width
    }

    /// The address of the next instruction.
    pub fn pc(&self) -> u64 {
        self.pc
    }

    /// Goes on there; what is above the width of an address is cut off.
    pub fn set_pc(&mut self, pc: u64) {
        self.pc = self.cut(pc);
        self.still = None;
    }

    fn cut(&self, address: u64) -> u64 {
        if self.address_width >= 64 { address } else { address & ((1 << self.address_width) - 1) }
    }

    /// How many instructions were run to their end.
    pub fn retired(&self) -> u64 {
        self.retired
    }

    /// A register; 0 for one that is not there.
    pub fn register(&self, file: RegisterFileId, number: u32) -> Word {
        self.registers.files.get(file.index()).map_or_else(Word::default, |f| self.registers.word(f, number))
    }

    /// Writes a register, of a value cut to its width; nothing happens to the zero register and to one that is not there.
    pub fn set_register(&mut self, file: RegisterFileId, number: u32, value: &Word) {
        if let Some(&layout) = self.registers.files.get(file.index()) {
            self.registers.set_word(&layout, number, value);
        }
        self.still = None;
    }

    /// Bits of a register of a file on this gen.
    pub fn register_width(&self, file: RegisterFileId) -> u32 {
        self.registers.files.get(file.index()).map_or(0, |f| f.width)
    }

    /// The addresses of the last instructions that were begun, the oldest first.
    pub fn last(&self) -> Vec<u64> {
        let (ring, next) = self.recent;
        let count = next.min(RECENT);
        (next - count..next).map(|at| ring[at % RECENT]).collect()
    }

    /// The instruction word at an address.
    ///
    /// # Errors
    /// If there is no memory, nothing was put there ([`Machine::set_program`]), or what is there does not begin an instruction.
    pub fn fetch(&mut self, pc: u64) -> Result<Word, Fault> {
        let word = fetch(&self.plan, &mut self.memory, pc);
        let length = word.as_ref().map_or(1, |word| u64::from(word.width() / 8));
        // Where there is no memory, that is what is wrong.
        match (&word, self.first_empty(pc, length)) {
            (Ok(_) | Err(Fault::Illegal(_)), Some(at)) => Err(Fault::Empty(at)),
            _ => word,
        }
    }

    /// Gives the registers of a file another width than the description says, for machines that choose it, such as the length of vectors. Texts that
    /// name the registers themselves still have the description's. All registers of the machine are 0 after it, and nothing is decoded.
    ///
    /// # Errors
    /// A sentence, if registers are beyond the limits.
    pub fn set_register_width(&mut self, file: RegisterFileId, bits: u32) -> Result<(), String> {
        self.registers = Registers::new(self.plan.isa(), self.plan.generation(), Some((file, bits)))?;
        self.cache = Cache::default();
        self.still = None;
        Ok(())
    }

    /// Runs at most so many instructions.
    pub fn run(&mut self, limit: u64) -> Stop {
        for _ in 0..limit {
            if let Some(stop) = self.step() {
                return stop;
            }
        }
        Stop::Limit
    }

    /// Runs one instruction; gives why the run ends, if it does. The pc then stays at that instruction.
    #[inline]
    pub fn step(&mut self) -> Option<Stop> {
        let pc = self.pc;
        self.recent.0[self.recent.1 % RECENT] = pc;
        self.recent.1 += 1;
        if let Some(written) = self.memory.overwritten.take() {
            self.cache.forget(written);
        }
        let done = match self.cache.find(pc) {
            Some(at) => self.execute(at),
            None => self.decode().and_then(|at| self.execute(at)),
        };
        self.finish(done)
    }

    /// As [`Machine::step`], and tells what happened. Every text is run by the interpreter that defines the language.
    pub fn watch(&mut self, events: &mut Vec<Event>) -> Option<Stop> {
        let pc = self.pc;
        self.recent.0[self.recent.1 % RECENT] = pc;
        self.recent.1 += 1;
        let done = self.fetch(pc).and_then(|word| {
            let operations = decode(&self.plan, &mut self.texts, &word)?;
            let next = self.cut(pc.wrapping_add(u64::from(word.width() / 8)));
            self.interpret(&operations, next, Some(events))
        });
        self.finish(done)
    }

    /// What the operations of the word at the pc are: the encoding of each, in the order of the fields.
    ///
    /// # Errors
    /// Why the word cannot be run.
    pub fn operations(&mut self, word: &Word) -> Result<Vec<isaglot_model::EncodingId>, Fault> {
        let operations = decode(&self.plan, &mut self.texts, word)?;
        Ok(operations.iter().map(|operation| operation.text.encoding).collect())
    }

    #[inline]
    fn finish(&mut self, done: Result<Done, Fault>) -> Option<Stop> {
        match done {
            Ok(Done::Next(target)) => {
                self.retired += 1;
                if target == self.pc {
                    return self.stands_still();
                }
                self.pc = target;
                None
            }
            Ok(Done::End(code)) => {
                self.retired += 1;
                Some(Stop::End(code))
            }
            Err(fault) => Some(Stop::Fault(fault)),
        }
    }

    /// The next instruction is the same again: the run ends if the time before it did so as well, and nothing is different.
    #[cold]
    fn stands_still(&mut self) -> Option<Stop> {
        let now = (self.pc, self.acts);
        if self.still == Some(now) && self.still_registers == self.registers.data {
            return Some(Stop::Loop);
        }
        self.still = Some(now);
        self.still_registers.clone_from(&self.registers.data);
        None
    }

    #[cold]
    fn decode(&mut self) -> Result<usize, Fault> {
        let pc = self.pc;
        let word = self.fetch(pc)?;
        let operations = decode(&self.plan, &mut self.texts, &word)?;
        let length = u64::from(word.width() / 8);
        let next = self.cut(pc.wrapping_add(length));
        let compiled = match operations.as_slice() {
            [one] => narrow::compile(one, &self.registers, pc, next),
            _ => None,
        };
        self.memory.mark_code(pc, length);
        if let Some((_, results)) = compiled {
            self.results.resize(self.results.len().max(results), 0);
        }
        Ok(self.cache.put(pc, next, operations, compiled.map(|(ops, _)| ops)))
    }

    #[inline]
    fn execute(&mut self, at: usize) -> Result<Done, Fault> {
        let decoded = self.cache.at(at);
        let next = decoded.next;
        let Form::Narrow(from, to, stores) = decoded.form else {
            return self.execute_texts(at, next);
        };
        let operation = &self.cache.operations[decoded.operations.0];
        let ops = &self.cache.ops[from..to];
        let body = &operation.text.body;
        self.acts += u64::from(stores);
        match narrow::execute(ops, &mut self.results, body, &mut self.registers, &mut self.memory) {
            Ok(target) => Ok(Done::Next(target.unwrap_or(next))),
            Err(ended) => ended_early(operation, ended),
        }
    }

    fn execute_texts(&mut self, at: usize, next: u64) -> Result<Done, Fault> {
        let (from, to) = self.cache.at(at).operations;
        // Taken out, so that the machine can be written to; a text cannot change what was decoded.
        let operations = std::mem::take(&mut self.cache.operations);
        let done = self.interpret(&operations[from..to], next, None);
        self.cache.operations = operations;
        done
    }

    /// Runs the operations of one instruction by the interpreter.
    fn interpret(
        &mut self,
        operations: &[Operation],
        next: u64,
        mut events: Option<&mut Vec<Event>>,
    ) -> Result<Done, Fault> {
        let several = operations.len() != 1;
        let mut log = std::mem::take(&mut self.log);
        log.clear();
        let (mut target, mut end, mut failed) = (None, None, None);
        for (at, operation) in operations.iter().enumerate() {
            if let Some(events) = &mut events {
                events.push(Event::Operation(at));
            }
            let start = log.len();
            let mut view = View {
                isa: self.plan.isa(),
                generation: self.plan.generation(),
                registers: &mut self.registers,
                memory: &mut self.memory,
                outside: Some(&mut *self.outside),
                operands: &operation.operands,
                pc: self.pc,
                next,
                target: None,
                address_width: self.address_width,
                log: several.then_some((&mut log, start)),
                events: events.as_deref_mut(),
                acted: false,
            };
            let done = isaglot_semantics::run(&operation.text.body, &mut view);
            target = view.target.or(target);
            self.acts += u64::from(view.acted);
            match done {
                Ok(()) => {}
                Err(Fault::Trap { value, .. }) if operation.text.ends => end = Some(value),
                Err(fault) => {
                    failed = Some(fault);
                    break;
                }
            }
        }
        if failed.is_none() {
            for write in &log {
                self.apply(write);
            }
        }
        self.log = log;
        match (failed, end) {
            (Some(fault), _) => Err(fault),
            (None, Some(value)) => Ok(Done::End(value)),
            (None, None) => Ok(Done::Next(target.unwrap_or(next))),
        }
    }

    fn apply(&mut self, write: &Write) {
        match write {
            Write::Register(FileIndex(file), number, value) => {
                if let Some(&layout) = self.registers.files.get(*file as usize) {
                    self.registers.set_word(&layout, *number, value);
                }
            }
            Write::Memory(address, value) => {
                // There is memory: it was reserved when the operation ran.
                let _: Result<(), MemoryError> = view::write(&mut self.memory, *address, value);
            }
        }
    }
}

/// How an instruction ended that ended without a fault.
enum Done {
    Next(u64),
    End(Option<Word>),
}

/// An operation of a narrow text that trapped.
#[cold]
fn ended_early(operation: &Operation, ended: Ended) -> Result<Done, Fault> {
    let text = &operation.text;
    match ended {
        Ended::Load(e) => Err(view::fault(e, Fault::Load)),
        Ended::Store(e) => Err(view::fault(e, Fault::Store)),
        Ended::Trap(number, value) => {
            let mut left = number;
            let found = narrow::trap(&text.body.statements, &mut left);
            let (cause, args) = found.unwrap_or_default();
            let value = args.first().map(|&v| Word::from_u64(value, text.body.width(v)));
            if text.ends { Ok(Done::End(value)) } else { Err(Fault::Trap { cause: cause.to_owned(), value }) }
        }
    }
}
