//! A region as a function of Cranelift: its blocks, the count of allowed instructions, and how it is left.
//!
//! The function takes the machine and how many instructions are allowed, and gives how many are left. A block takes all its instructions off at
//! its start, and an exit gives those back that did not run, so the count is exact. A block that is longer than what is allowed is for the
//! caller. Where the code is left, dirty registers are written back; where it goes on in another region, the table of links has its code.

use cranelift_codegen::entity::EntitySet;
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{
    Block as Place, Function, InstBuilder as _, MemFlags, SigRef, Signature, Value as Code, types,
};
use cranelift_frontend::{FunctionBuilder, Variable};
use isaglot_semantics::{Env, Local, Statement};

use crate::access::Access;
use crate::check::Kind;
use crate::enter::Helpers;
use crate::flow::dirty;
use crate::limits::{LINKS, MAX_RETURNS};
use crate::shape::{Called, Extern, Instruction, Layout, Left, Region, RegisterFile};
use crate::values::container;

/// What all regions of a machine have in common.
pub(crate) struct Common<'a> {
    pub(crate) env: &'a Env,
    pub(crate) files: &'a [RegisterFile],
    pub(crate) externs: &'a [Extern],
    pub(crate) layout: Layout,
    pub(crate) helpers: Helpers,
    /// What loads and stores where memory cannot be reached in place.
    pub(crate) access: Access,
    /// The table of links.
    pub(crate) links: u64,
    /// Bits that are 0 in an address to which a program may jump.
    pub(crate) misaligned: u64,
    /// Of a region; of what reaches memory, runs instructions, and externs outside.
    pub(crate) signatures: [Signature; 4],
}

/// Where execution continues after an instruction.
#[derive(Clone, Copy)]
pub(crate) enum Next {
    Known(u64),
    Computed(Code),
}

pub(crate) struct Writer<'f, 'a> {
    pub(crate) f: FunctionBuilder<'f>,
    pub(crate) env: &'a Env,
    pub(crate) files: &'a [RegisterFile],
    pub(crate) common: &'a Common<'a>,
    region: &'a Region<'a>,
    pub(crate) machine: Code,
    registers: Vec<Option<Variable>>,
    widths: Vec<u32>,
    left: Variable,
    signatures: [SigRef; 4],
    heads: Vec<(u64, Place)>,
    /// The block at hand: its start, its length.
    block: (u64, u64),
    /// The instruction at hand, and its number in the block.
    pub(crate) i: Instruction<'a>,
    at: u64,
    /// Dirty registers before it.
    pub(crate) dirty: u128,
    /// The registers that it writes as they were before it.
    pub(crate) before: Vec<(usize, Code)>,
    /// What is computed already, in the statement at hand.
    pub(crate) values: Vec<(isaglot_semantics::ValueId, Code)>,
    pub(crate) locals: Vec<Option<Code>>,
    pub(crate) next: Option<Next>,
    /// Nothing follows where the code is written.
    pub(crate) done: bool,
}

/// The places of a set.
fn each(set: u128) -> impl Iterator<Item = usize> {
    (0..128).filter(move |at| set >> at & 1 == 1)
}

/// Writes a region into a function, whose first parameters are the machine and the count.
pub(crate) fn write<'a>(mut f: FunctionBuilder<'_>, common: &'a Common<'a>, region: &'a Region<'a>) {
    let Some(first) = region.blocks.iter().flat_map(|b| &b.code).next().copied() else { return };
    let entry = f.create_block();
    f.append_block_params_for_function_params(entry);
    f.switch_to_block(entry);
    f.seal_block(entry);
    let (machine, allowed) = (f.block_params(entry)[0], f.block_params(entry)[1]);
    let left = f.declare_var(types::I64);
    f.def_var(left, allowed);
    let mut widths = vec![0; 128];
    for file in common.files {
        let Some(known) = common.env.files().iter().find(|k| k.name == file.name) else { continue };
        widths.iter_mut().skip(file.first as usize).take(known.count as usize).for_each(|w| *w = known.width);
    }
    let registers = widths.iter().map(|&w| (w > 0).then(|| f.declare_var(container(w)))).collect();
    let signatures = common.signatures.clone().map(|s| f.import_signature(s));
    let heads: Vec<(u64, Place)> = region.blocks.iter().map(|b| (b.start, f.create_block())).collect();
    let mut w = Writer {
        f,
        env: common.env,
        files: common.files,
        common,
        region,
        machine,
        registers,
        widths,
        left,
        signatures,
        heads,
        block: (0, 0),
        i: first,
        at: 0,
        dirty: 0,
        before: Vec::new(),
        values: Vec::new(),
        locals: Vec::new(),
        next: None,
        done: false,
    };
    let loaded = w.all();
    w.f.seal_all_blocks();
    remove_unused(w.f.func, &loaded);
    w.f.finalize();
}

/// Removes loads whose value nothing uses; Cranelift keeps them.
fn remove_unused(f: &mut Function, loads: &[Code]) {
    let mut used = EntitySet::with_capacity(f.dfg.num_values());
    for block in f.layout.blocks() {
        for instruction in f.layout.block_insts(block) {
            f.dfg.inst_values(instruction).for_each(|value| {
                used.insert(f.dfg.resolve_aliases(value));
            });
        }
    }
    for &load in loads.iter().filter(|&&load| !used.contains(load)) {
        let mut last = Some(load);
        // What cuts it to its width, and the load itself.
        while let Some(instruction) = last.and_then(|value| f.dfg.value_def(value).inst()) {
            f.layout.remove_inst(instruction);
            last = f.dfg.inst_args(instruction).first().copied();
        }
    }
}

impl<'a> Writer<'_, 'a> {
    /// Writes all; gives what was loaded of the registers.
    fn all(&mut self) -> Vec<Code> {
        let loaded = (0..self.registers.len()).filter_map(|at| self.reload(at)).collect();
        let region = self.region;
        let Some(&(_, head)) = self.heads.first() else { return loaded };
        self.f.ins().jump(head, &[]);
        let dirty = dirty(region);
        for ((block, &dirty), at) in region.blocks.iter().zip(&dirty).zip(0..) {
            let (start, place) = self.heads[at];
            self.f.switch_to_block(place);
            self.block = (start, block.code.len() as u64);
            (self.dirty, self.at, self.done) = (dirty, 0, false);
            self.count();
            for i in &block.code {
                self.i = *i;
                self.instruction();
                self.dirty = i.dirty(self.dirty);
                self.at += 1;
                if self.done {
                    break;
                }
            }
            if !self.done {
                self.go(Next::Known(block.end));
            }
        }
        loaded
    }

    /// Takes the block's instructions off, or leaves it to the caller.
    fn count(&mut self) {
        let (start, length) = self.block;
        let left = self.f.use_var(self.left);
        let few = self.f.ins().icmp_imm(IntCC::UnsignedLessThan, left, length as i64);
        let (cold, on) = (self.cold(), self.f.create_block());
        self.f.ins().brif(few, cold, &[], on, &[]);
        self.begin(cold);
        let pc = self.address(start);
        // As if they had been taken off.
        let none = self.f.ins().iadd_imm(left, -(length as i64));
        self.f.def_var(self.left, none);
        self.leave(pc, Left::Caller, 0, self.dirty, false);
        self.begin(on);
        let rest = self.f.ins().iadd_imm(left, -(length as i64));
        self.f.def_var(self.left, rest);
    }

    fn instruction(&mut self) {
        self.before.clear();
        match self.i.kind {
            Kind::Translate { writes } => {
                self.prepare(writes);
                let jumps = self.i.jumps();
                let is_jump = jumps.indirect || !jumps.targets.is_empty();
                let body = self.i.body;
                self.list(&body.statements, is_jump);
                if is_jump && !self.done {
                    self.end();
                }
            }
            Kind::Call { reads, writes } => self.call(reads, writes),
            Kind::Guarded { reads, writes } => self.guarded(reads, writes),
            Kind::Leave => self.leave_before(),
        }
    }

    /// Keeps what the instruction at hand writes.
    fn prepare(&mut self, writes: u128) {
        self.locals = vec![None; self.i.body.locals.len()];
        for at in each(writes) {
            if let Some(variable) = self.registers[at] {
                let value = self.f.use_var(variable);
                self.before.push((at, value));
            }
        }
        self.next = None;
    }

    /// Runs the instruction here if its guard holds, or lets the caller run it.
    fn guarded(&mut self, reads: u128, writes: u128) {
        let body = self.i.body;
        let Some((Statement::If(condition, then, _), before)) = body.statements.split_last() else {
            return self.call(reads, writes);
        };
        self.prepare(writes);
        self.list(before, false);
        let condition = self.value(*condition);
        let (here, elsewhere, on) = (self.f.create_block(), self.cold(), self.f.create_block());
        self.f.ins().brif(condition, here, &[], elsewhere, &[]);
        self.begin(here);
        self.list(then, false);
        if !std::mem::take(&mut self.done) {
            self.f.ins().jump(on, &[]);
        }
        self.begin(elsewhere);
        self.before.clear();
        self.call(reads, writes);
        self.f.ins().jump(on, &[]);
        self.begin(on);
        self.values.clear();
    }

    /// Lets the caller run the instruction.
    fn call(&mut self, reads: u128, writes: u128) {
        // What it writes, too: it may trap before.
        self.write_back(self.dirty & (reads | writes), false);
        let [low, high] = self.i.number.map(|part| self.address(part));
        let callee = self.address(self.common.helpers.call);
        let call = self.f.ins().call_indirect(self.signatures[2], callee, &[self.machine, low, high]);
        let status = self.f.inst_results(call)[0];
        let (cold, on) = (self.cold(), self.f.create_block());
        self.f.ins().brif(status, cold, &[], on, &[]);
        self.begin(cold);
        let is = |called: Called| called as i64;
        let refused = self.f.ins().icmp_imm(IntCC::Equal, status, is(Called::Refused));
        let (before, other) = (self.cold(), self.cold());
        self.f.ins().brif(refused, before, &[], other, &[]);
        self.begin(before);
        let pc = self.address(self.i.pc);
        self.leave(pc, Left::Caller, self.at, self.dirty & !(reads | writes), false);
        self.begin(other);
        let trapped = self.f.ins().icmp_imm(IntCC::Equal, status, is(Called::Trapped));
        let (trap, attention) = (self.cold(), self.cold());
        self.f.ins().brif(trapped, trap, &[], attention, &[]);
        let after = self.dirty & !(reads | writes);
        self.begin(trap);
        let pc = self.address(self.i.pc);
        self.leave(pc, Left::Trap, self.at, after, false);
        self.begin(attention);
        let pc = self.address(self.i.next);
        self.leave(pc, Left::Caller, self.at + 1, after, false);
        self.begin(on);
        for at in each(writes) {
            self.reload(at);
        }
    }

    /// A block that is seldom reached.
    pub(crate) fn cold(&mut self) -> Place {
        let block = self.f.create_block();
        self.f.set_cold_block(block);
        block
    }

    /// Goes on in a block that has all its predecessors.
    pub(crate) fn begin(&mut self, block: Place) {
        self.f.seal_block(block);
        self.f.switch_to_block(block);
    }

    pub(crate) fn address(&mut self, value: u64) -> Code {
        self.f.ins().iconst(types::I64, value as i64)
    }

    /// A register.
    pub(crate) fn register(&mut self, at: usize, width: u32) -> Code {
        match self.registers.get(at).copied().flatten() {
            Some(variable) => self.f.use_var(variable),
            None => self.constant(0, width),
        }
    }

    pub(crate) fn set_register(&mut self, at: usize, value: Code) {
        if let Some(variable) = self.registers.get(at).copied().flatten() {
            self.f.def_var(variable, value);
        }
    }

    fn offset(&self, at: usize) -> i32 {
        (self.common.layout.registers + 8 * at) as i32
    }

    /// Takes a register from the machine; gives its value.
    fn reload(&mut self, at: usize) -> Option<Code> {
        let variable = self.registers[at]?;
        let offset = self.offset(at);
        let whole = self.f.ins().load(types::I64, MemFlags::trusted(), self.machine, offset);
        let value = self.resize(whole, self.widths[at]);
        self.f.def_var(variable, value);
        Some(value)
    }

    /// Writes registers to the machine: as they were before the instruction, or as they are.
    fn write_back(&mut self, set: u128, before: bool) {
        for at in each(set) {
            let Some(variable) = self.registers[at] else { continue };
            let old = self.before.iter().find(|(known, _)| before && *known == at).map(|(_, v)| *v);
            let value = match old {
                Some(value) => value,
                None => self.f.use_var(variable),
            };
            let whole = self.resize(value, 64);
            let offset = self.offset(at);
            self.f.ins().store(MemFlags::trusted(), whole, self.machine, offset);
        }
    }

    /// Gives the machine back before the instruction at hand.
    pub(crate) fn leave_before(&mut self) {
        let pc = self.address(self.i.pc);
        self.leave(pc, Left::Caller, self.at, self.dirty, true);
        self.done = true;
    }

    /// Gives the machine back, after so many instructions of the block.
    fn leave(&mut self, pc: Code, why: Left, ran: u64, dirty: u128, before: bool) {
        self.write_back(dirty, before);
        let layout = self.common.layout;
        let (start, length) = self.block;
        let start = self.address(start);
        let note = self.address((why as u64) << 32 | ran);
        for (value, at) in [(pc, layout.pc), (start, layout.block), (note, layout.left)] {
            self.f.ins().store(MemFlags::trusted(), value, self.machine, at as i32);
        }
        let left = self.f.use_var(self.left);
        let left = self.f.ins().iadd_imm(left, length as i64 - ran as i64);
        self.f.ins().return_(&[left]);
    }

    /// Ends an instruction that jumps.
    pub(crate) fn end(&mut self) {
        self.go(self.next.unwrap_or(Next::Known(self.i.next)));
    }

    /// Goes on, after the instruction at hand.
    fn go(&mut self, next: Next) {
        let misaligned = self.common.misaligned;
        match next {
            Next::Known(target) if target & misaligned != 0 => return self.leave_before(),
            Next::Known(target) => match self.heads.iter().find(|(start, _)| *start == target) {
                Some(&(_, head)) => {
                    self.f.ins().jump(head, &[]);
                }
                None => {
                    let target = self.address(target);
                    self.outside(target);
                }
            },
            Next::Computed(target) => {
                if misaligned != 0 {
                    let bits = self.f.ins().band_imm(target, misaligned as i64);
                    let (cold, on) = (self.cold(), self.f.create_block());
                    self.f.ins().brif(bits, cold, &[], on, &[]);
                    self.begin(cold);
                    self.leave_before();
                    self.begin(on);
                }
                let region = self.region;
                for &back in region.returns.iter().take(MAX_RETURNS) {
                    let Some(&(_, head)) = self.heads.iter().find(|(start, _)| *start == back) else { continue };
                    let same = self.f.ins().icmp_imm(IntCC::Equal, target, back as i64);
                    let other = self.f.create_block();
                    self.f.ins().brif(same, head, &[], other, &[]);
                    self.begin(other);
                }
                self.outside(target);
            }
        }
        self.done = true;
    }

    /// Goes on in another region, or leaves.
    fn outside(&mut self, target: Code) {
        let dirty = self.i.dirty(self.dirty);
        self.write_back(dirty, false);
        let half = self.f.ins().ushr_imm(target, 1);
        let number = self.f.ins().band_imm(half, LINKS as i64 - 1);
        let offset = self.f.ins().ishl_imm(number, 4);
        let links = self.address(self.common.links);
        let entry = self.f.ins().iadd(links, offset);
        let known = self.f.ins().load(types::I64, MemFlags::trusted(), entry, 0);
        let same = self.f.ins().icmp(IntCC::Equal, known, target);
        let (on, cold) = (self.f.create_block(), self.cold());
        self.f.ins().brif(same, on, &[], cold, &[]);
        self.begin(on);
        let code = self.f.ins().load(types::I64, MemFlags::trusted(), entry, 8);
        let left = self.f.use_var(self.left);
        let left = if self.at < self.block.1 && !self.is_last() {
            let rest = self.block.1 as i64 - self.at as i64 - 1;
            self.f.ins().iadd_imm(left, rest)
        } else {
            left
        };
        self.f.ins().return_call_indirect(self.signatures[0], code, &[self.machine, left]);
        self.begin(cold);
        let ran = self.block.1.min(self.at + 1);
        self.leave(target, Left::Jump, ran, 0, false);
    }

    /// Whether the instruction at hand is the last of its block.
    fn is_last(&self) -> bool {
        self.at + 1 >= self.block.1
    }

    pub(crate) fn local(&mut self, local: Local, value: Code) {
        if let Some(place) = self.locals.get_mut(local.0 as usize) {
            *place = Some(value);
        }
    }

    /// Lets a load or a store be done outside; what it needs is in the machine, as is what it gives.
    pub(crate) fn access(&mut self, code: u64) {
        let callee = self.address(code);
        self.f.ins().call_indirect(self.signatures[1], callee, &[self.machine]);
    }

    /// Runs an extern outside.
    pub(crate) fn run_extern(&mut self, arguments: &[Code]) -> Option<Code> {
        let callee = self.address(self.common.helpers.external);
        let call = self.f.ins().call_indirect(self.signatures[3], callee, arguments);
        self.f.inst_results(call).first().copied()
    }
}
