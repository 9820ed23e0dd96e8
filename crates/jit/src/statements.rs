//! Statements of the semantics language as code: effects on registers, memory and the program counter.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{InstBuilder as _, MemFlags, Value as Code, types};
use isaglot_semantics::{FileIndex, RegisterIndex, Statement};

use crate::check::{Place, known, number, place};
use crate::region::{Next, Writer};
use crate::shape::Extern;

impl Writer<'_, '_> {
    /// `jumps`: the instruction ends after them, and may go on elsewhere.
    pub(crate) fn list(&mut self, list: &[Statement], jumps: bool) {
        for (at, s) in list.iter().enumerate() {
            self.values.clear();
            let jumps = jumps && at + 1 == list.len();
            match s {
                Statement::Let(local, v) => {
                    let value = self.value(*v);
                    self.local(*local, value);
                }
                Statement::Load(local, address) => {
                    let width = self.i.body.locals.get(local.0 as usize).copied().unwrap_or(64);
                    let address = self.value(*address);
                    let value = self.load(address, width);
                    self.local(*local, value);
                }
                Statement::Store { address, value } => {
                    let width = self.i.body.width(*value);
                    let (address, value) = (self.value(*address), self.value(*value));
                    self.store(address, value, width);
                }
                Statement::SetRegister(file, index, v) => {
                    let value = self.value(*v);
                    if let Some(Place::At(at)) = self.place(*file, *index) {
                        self.set_register(at, value);
                    }
                }
                Statement::SetPc(v) => {
                    let target = known(self.i.body, &self.i.known(), *v).and_then(|w| w.to_u64());
                    self.next = Some(match target {
                        Some(target) => Next::Known(target),
                        None => {
                            let target = self.value(*v);
                            Next::Computed(self.resize(target, 64))
                        }
                    });
                }
                Statement::If(c, then, otherwise) => self.branch(*c, then, otherwise, jumps),
                Statement::Trap(..) => self.leave_before(),
                Statement::Call { callee, args, result } => {
                    let how = self.common.externs.get(callee.0 as usize).copied().unwrap_or(Extern::Leave);
                    let args: Vec<Code> = args.iter().map(|a| self.value(*a)).collect();
                    let value = self.external(how, &args);
                    if let (Some(local), Some(value)) = (result, value) {
                        let width = self.i.body.locals.get(local.0 as usize).copied().unwrap_or(64);
                        let value = self.resize(value, width);
                        self.local(*local, value);
                    }
                }
            }
            if self.done {
                return;
            }
        }
    }

    fn place(&self, file: FileIndex, index: RegisterIndex) -> Option<Place> {
        number(self.i.body, &self.i.known(), index).and_then(|n| place(self.env, self.files, file, n))
    }

    /// Leaves the instruction to the caller, if a byte is 0 or not.
    fn refuse(&mut self, byte: Code, if_zero: bool) {
        let (cold, on) = (self.cold(), self.f.create_block());
        let (yes, no) = if if_zero { (on, cold) } else { (cold, on) };
        self.f.ins().brif(byte, yes, &[], no, &[]);
        self.begin(cold);
        self.leave_before();
        self.done = false;
        self.begin(on);
    }

    fn byte(&mut self, at: usize) -> Code {
        self.f.ins().load(types::I8, MemFlags::trusted(), self.machine, at as i32)
    }

    /// Runs an extern; gives its result.
    fn external(&mut self, how: Extern, args: &[Code]) -> Option<Code> {
        match how {
            Extern::Check { byte } => {
                let byte = self.byte(byte);
                self.refuse(byte, true);
                None
            }
            Extern::Set { byte, value } => {
                let value = self.f.ins().iconst(types::I8, i64::from(value));
                self.f.ins().store(MemFlags::trusted(), value, self.machine, byte as i32);
                None
            }
            Extern::Mode { on, mode, dynamic, limit } => {
                let byte = self.byte(on);
                self.refuse(byte, true);
                let (asked, own) = (args.first().copied()?, self.byte(mode));
                let is_own = self.f.ins().icmp_imm(IntCC::Equal, asked, i64::from(dynamic));
                let mode = self.f.ins().select(is_own, own, asked);
                let reserved = self.f.ins().icmp_imm(IntCC::UnsignedGreaterThanOrEqual, mode, i64::from(limit));
                self.refuse(reserved, false);
                Some(mode)
            }
            Extern::Function(number) => {
                let number = self.address(number);
                let mut all = vec![self.machine, number];
                for at in 0..4 {
                    let value = match args.get(at) {
                        Some(&value) => self.resize(value, 64),
                        None => number,
                    };
                    all.push(value);
                }
                self.run_extern(&all)
            }
            Extern::Word { at } => Some(self.f.ins().load(types::I64, MemFlags::trusted(), self.machine, at as i32)),
            Extern::Count { at } => {
                let old = self.f.ins().load(types::I64, MemFlags::trusted(), self.machine, at as i32);
                let new = self.f.ins().iadd_imm(old, 1);
                self.f.ins().store(MemFlags::trusted(), new, self.machine, at as i32);
                None
            }
            // Such an instruction is not translated.
            Extern::Call | Extern::Leave => {
                self.leave_before();
                None
            }
        }
    }

    fn branch(&mut self, c: isaglot_semantics::ValueId, then: &[Statement], otherwise: &[Statement], jumps: bool) {
        let condition = self.value(c);
        let (yes, no) = (self.f.create_block(), self.f.create_block());
        self.f.ins().brif(condition, yes, &[], no, &[]);
        let meet = (!jumps).then(|| self.f.create_block());
        let next = self.next;
        let mut goes_on = false;
        for (block, list) in [(yes, then), (no, otherwise)] {
            self.begin(block);
            self.next = next;
            self.list(list, jumps);
            if !self.done {
                match meet {
                    Some(meet) => {
                        self.f.ins().jump(meet, &[]);
                        goes_on = true;
                    }
                    None => self.end(),
                }
            }
            self.done = false;
        }
        match meet {
            Some(meet) if goes_on => self.begin(meet),
            // A block that nothing jumps to is never filled, and Cranelift wants none of those.
            Some(meet) => {
                self.begin(meet);
                self.leave_before();
            }
            None => self.done = true,
        }
        self.values.clear();
    }
}
