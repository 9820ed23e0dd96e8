//! One instruction by the definition of the semantics language: the interpreter on the state of a hart. It is what the
//! generated executor is compared with, and what changed semantics are tried out with.

use isaglot_bits::Word;
use isaglot_codec::{OperandValue, operands};
use isaglot_invariant::Impossible as _;
use isaglot_model::{EncodingId, Isa};
use isaglot_semantics::{Body, ExternId, FileIndex, Machine as Semantics, OperandIndex, run};

use crate::decode::without_reserved;
use crate::hart::{Hart, Stop};
use crate::machine::{Cause, FLOATS, Fault, Machine};
use crate::vector_state::VectorCall;

/// A hart as the interpreter sees it.
struct View<'a> {
    isa: &'a Isa,
    machine: &'a mut Machine,
    /// Values of the operands.
    operands: Vec<u64>,
    pc: u64,
    next: u64,
    target: u64,
}

impl View<'_> {
    fn word(&self, value: u64) -> Word {
        Word::from_u64(value, self.machine.xlen)
    }

    /// Where a register is kept; `None` for the zero register and for what the machine does not have.
    fn place(&self, file: FileIndex, number: u32) -> Option<usize> {
        let file = self.isa.register_files().get(file.0 as usize)?;
        match (file.name.as_str(), number as usize) {
            ("#x", number @ 1..32) => Some(number),
            ("#f", number @ 0..32) => Some(FLOATS + number),
            _ => None,
        }
    }
}

/// The fault that a text's trap is.
fn fault(cause: &str) -> Fault {
    let cause = match cause {
        "breakpoint" => Cause::Breakpoint,
        "environment_call" => Cause::EnvironmentCall,
        "load_misaligned" => Cause::LoadMisaligned,
        "store_misaligned" => Cause::StoreMisaligned,
        "unrouted_lun" => Cause::UnroutedLun,
        _ => Cause::Illegal,
    };
    Fault::new(cause, 0)
}

/// Calls an extern of the description, those of vectors aside; nothing if there is none of this name.
fn named(m: &mut Machine, name: &str, [a, b, c, d]: [u64; 4]) -> Result<Option<u64>, Fault> {
    let result = match name {
        "csr_read" => m.csr_read(a as u16)?,
        "csr_write" => m.csr_write(a as u16, b).map(|()| 0)?,
        "trap_return" => m.trap_return(a as u8)?,
        "reserve" => m.reserve(a).map(|()| 0)?,
        "reserved" => u64::from(m.reserved(a)?),
        "fence_i" => m.fence_i().map(|()| 0)?,
        "fence_vma" => m.fence_vma(a, b).map(|()| 0)?,
        "not_for_users" => m.not_for_users().map(|()| 0)?,
        "guest_fence" => m.guest_fence(a as u8, b, c).map(|()| 0)?,
        "guest_load" => m.guest_load(a as u8, b as u8, c)?,
        "guest_store" => m.guest_store(a as u8, b, c).map(|()| 0)?,
        "wait" => m.wait().map(|()| 0)?,
        "cache_block" => m.cache_block(a as u8, b).map(|()| 0)?,
        "table_jump" => m.table_jump(a as u8)?,
        "lun_lookup" => u64::from(m.lun_lookup(a, b as u16)?),
        "device_lookup" => m.device_lookup(a as u16)?,
        "device" => m.device(a as u16, b as u16, c, d)?,
        name => return m.float_call(name, [a, b, c, d]).transpose(),
    };
    Ok(Some(result))
}

impl Semantics for View<'_> {
    type Trap = Fault;
    fn pc(&self) -> Word {
        self.word(self.pc)
    }
    fn next_pc(&self) -> Word {
        self.word(self.next)
    }
    fn set_pc(&mut self, target: Word) -> Result<(), Fault> {
        self.target = target.low_u64();
        Ok(())
    }
    fn immediate(&self, operand: OperandIndex, width: u32) -> Word {
        Word::from_u64(self.operands.get(operand.0 as usize).copied().or_impossible(0), width)
    }
    fn register_number(&self, operand: OperandIndex) -> u32 {
        self.operands.get(operand.0 as usize).copied().or_impossible(0) as u32
    }
    fn register(&self, file: FileIndex, number: u32, width: u32) -> Word {
        let value = self.place(file, number).map_or(0, |place| self.machine.x.get(place).copied().or_impossible(0));
        Word::from_u64(value, width)
    }
    fn set_register(&mut self, file: FileIndex, number: u32, value: Word) {
        if let Some(place) = self.place(file, number).and_then(|place| self.machine.x.get_mut(place)) {
            *place = value.low_u64();
        }
    }
    fn load(&mut self, address: Word, bits: u32) -> Result<Word, Fault> {
        let at = address.low_u64();
        let m = &mut self.machine;
        if bits == 128 {
            return m.load128(at).map(|value| Word::from_u128(value, bits));
        }
        let value = match bits {
            8 => u64::from(m.load8(at)?),
            16 => u64::from(m.load16(at)?),
            32 => u64::from(m.load32(at)?),
            _ => m.load64(at)?,
        };
        Ok(Word::from_u64(value, bits))
    }
    fn store(&mut self, address: Word, value: Word) -> Result<(), Fault> {
        let (at, bits) = (address.low_u64(), value.low_u64());
        match value.width() {
            8 => self.machine.store8(at, bits as u8),
            16 => self.machine.store16(at, bits as u16),
            32 => self.machine.store32(at, bits as u32),
            128 => self.machine.store128(at, value.low_u128()),
            _ => self.machine.store64(at, bits),
        }
    }
    fn call(&mut self, callee: ExternId, args: &[Word]) -> Result<Option<Word>, Fault> {
        let e = self.isa.externs().get(callee.0 as usize);
        let arg = |n: usize| args.get(n).map_or(0, Word::low_u64);
        let name = e.map(|e| e.name.as_str()).or_impossible("");
        let result = match named(self.machine, name, [arg(0), arg(1), arg(2), arg(3)])? {
            Some(result) => result,
            None => match self.machine.vector_call(name, [arg(0), arg(1), arg(2), arg(3), arg(4), arg(5)]) {
                Some(result) => result?,
                None => return Err(Fault::new(Cause::Illegal, 0)),
            },
        };
        let width = e.and_then(|e| e.result.as_ref()).map(|w| self.isa.width(w, self.machine.xlen));
        Ok(width.map(|w| Word::from_u64(result, w)))
    }
    fn trap(&mut self, cause: &str, args: &[Word]) -> Fault {
        Fault { value: args.first().map_or(0, Word::low_u64), ..fault(cause) }
    }
}

impl<'a> Hart<'a> {
    /// Calls an extern of the description as an instruction would that runs elsewhere; `None` if there is none of this name, or it acts on vector registers. Arguments that it
    /// does not have are not looked at.
    ///
    /// # Errors
    /// The cause of the trap.
    pub fn call_extern(&mut self, name: &str, args: [u64; 4]) -> Option<Result<u64, Cause>> {
        named(self.machine(), name, args).map_err(|fault| fault.cause).transpose()
    }

    /// Calls an extern that acts on vector registers as an instruction would that runs elsewhere, on the registers and the memory that the hart has
    /// then. `None` if there is none of this name.
    pub fn call_vector(&mut self, name: &str, args: [u64; 6]) -> Option<VectorCall> {
        let machine = self.machine();
        machine.accesses = Some(Vec::new());
        let result = machine.vector_call(name, args);
        let accesses = machine.accesses.take().unwrap_or_default();
        Some(VectorCall { result: result?.map_err(|fault| (fault.cause, fault.value)), accesses })
    }

    /// What a word is on this hart, if the description has semantics for it.
    pub fn instruction(&self, word: &Word) -> Option<EncodingId> {
        let tree = operands::decode(self.plan(), &without_reserved(word.clone()))?;
        self.plan().isa()[tree.encoding].semantics.as_ref().map(|_| tree.encoding)
    }

    /// Runs an instruction as if it were at the pc, by a text for its encoding; gives why the run ends, if it does. A
    /// word that is not a valid instruction is illegal.
    pub fn interpret(&mut self, word: &Word, body: &Body) -> Option<Stop> {
        let isa: &'a Isa = self.plan().isa();
        let pc = self.pc();
        let mut left = 1;
        if let Some(stop) = self.before(&mut left) {
            return Some(stop);
        }
        if left == 0 || self.pc() != pc {
            // A trigger or an interrupt came first.
            return None;
        }
        let Some(tree) = operands::decode_flat(self.plan(), &without_reserved(word.clone())) else {
            return self.finish(pc, Err(Fault::new(Cause::Illegal, 0)));
        };
        let number = |value: &OperandValue| match value {
            OperandValue::Number(w) => w.low_u64(),
            OperandValue::Nested(_) => 0,
        };
        let names = isa.semantic_operands(&isa[tree.encoding]);
        let value = |name| tree.fields.iter().find(|f| f.name == name).map(|f| number(&f.value)).or_impossible(0);
        let next = pc.wrapping_add(u64::from(word.width() / 8));
        let compressed = self.compressed();
        let machine = self.machine();
        let before = machine.x;
        let mut view = View { isa, machine, operands: names.into_iter().map(value).collect(), pc, next, target: next };
        view.machine.go_alone(view.machine.csrs.retired);
        let result = run(body, &mut view).map(|()| view.target);
        let (target, machine) = (result, view.machine);
        machine.memory.alone = false;
        if !compressed && target.is_ok_and(|target| target & 2 != 0) {
            // The jump traps, and has not written its return address.
            machine.x = before;
        }
        self.finish(pc, target)
    }
}
