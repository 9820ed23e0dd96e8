//! Loads and stores as code.
//!
//! Memory is reached in place if its page is among the recent ones, and by the caller if not. What does not succeed there is done anew by the
//! caller, from the start of the instruction.
//!
//! The problem: an access is by the caller hardly ever, but a call takes registers from all code around it: those in which arguments are, and those
//! that the callee may change. The method: what is called there keeps all registers, and has its arguments and results in the machine.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{InstBuilder as _, MemFlags, Value as Code, types};

use crate::region::Writer;
use crate::values::container;

/// The addresses of what is called, by the binary logarithm of the bytes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Access {
    pub(crate) loads: [u64; 4],
    pub(crate) stores: [u64; 4],
}

/// One of them, for so many bits.
fn sized(all: [u64; 4], width: u32) -> u64 {
    let [byte, half, word, double] = all;
    match width {
        8 => byte,
        16 => half,
        32 => word,
        _ => double,
    }
}

impl Writer<'_, '_> {
    /// The entry of an address in a table of recent pages, and whether all bytes of an access are in its page.
    fn entry(&mut self, address: Code, bytes: u32, table: usize) -> (Code, Code) {
        let layout = self.common.layout;
        let stride = layout.stride.trailing_zeros();
        // The number of the entry, times its length.
        let moved = self.f.ins().ushr_imm(address, i64::from(layout.page_bits - stride));
        let offset = self.f.ins().band_imm(moved, ((layout.entries - 1) << stride) as i64);
        let entry = self.f.ins().iadd(self.machine, offset);
        let known = self.f.ins().load(types::I64, MemFlags::trusted(), entry, (table + layout.page) as i32);
        let last = if bytes > 1 { self.f.ins().iadd_imm(address, i64::from(bytes) - 1) } else { address };
        let page = self.f.ins().ushr_imm(last, i64::from(layout.page_bits));
        (entry, self.f.ins().icmp(IntCC::Equal, known, page))
    }

    /// Writes a double word of the machine.
    fn tell(&mut self, at: usize, value: Code) {
        self.f.ins().store(MemFlags::trusted(), value, self.machine, at as i32);
    }

    /// Reads one.
    fn told(&mut self, at: usize) -> Code {
        self.f.ins().load(types::I64, MemFlags::trusted(), self.machine, at as i32)
    }

    pub(crate) fn load(&mut self, address: Code, width: u32) -> Code {
        let (ty, layout) = (container(width), self.common.layout);
        let address = self.resize(address, 64);
        let (entry, is_known) = self.entry(address, width / 8, layout.reads);
        let (fast, slow, on) = (self.f.create_block(), self.cold(), self.f.create_block());
        let result = self.f.append_block_param(on, ty);
        self.f.ins().brif(is_known, fast, &[], slow, &[]);
        self.begin(fast);
        let add = self.f.ins().load(types::I64, MemFlags::trusted(), entry, (layout.reads + layout.host) as i32);
        let host = self.f.ins().iadd(add, address);
        let value = self.f.ins().load(ty, MemFlags::new().with_notrap(), host, 0);
        self.f.ins().jump(on, &[value.into()]);
        self.begin(slow);
        self.tell(layout.address, address);
        self.access(sized(self.common.access.loads, width));
        let value = self.told(layout.value);
        let value = self.resize(value, width);
        let failed = self.told(layout.failed);
        let cold = self.cold();
        self.f.ins().brif(failed, cold, &[], on, &[value.into()]);
        self.begin(cold);
        self.leave_before();
        self.done = false;
        self.begin(on);
        result
    }

    pub(crate) fn store(&mut self, address: Code, value: Code, width: u32) {
        let layout = self.common.layout;
        let address = self.resize(address, 64);
        let (entry, is_known) = self.entry(address, width / 8, layout.writes);
        let (fast, slow, on) = (self.f.create_block(), self.cold(), self.f.create_block());
        self.f.ins().brif(is_known, fast, &[], slow, &[]);
        self.begin(fast);
        let add = self.f.ins().load(types::I64, MemFlags::trusted(), entry, (layout.writes + layout.host) as i32);
        let host = self.f.ins().iadd(add, address);
        self.f.ins().store(MemFlags::new().with_notrap(), value, host, 0);
        self.f.ins().jump(on, &[]);
        self.begin(slow);
        self.tell(layout.address, address);
        let whole = self.resize(value, 64);
        self.tell(layout.value, whole);
        self.access(sized(self.common.access.stores, width));
        let refused = self.told(layout.failed);
        let cold = self.cold();
        self.f.ins().brif(refused, cold, &[], on, &[]);
        self.begin(cold);
        self.leave_before();
        self.done = false;
        self.begin(on);
    }
}
