//! Hot code as machine code of the host: which code is hot, what belongs to it, and what its end means.
//!
//! The problem: an interpreter decides anew at each instruction what a block of them could know. The method: blocks that were run often
//! are translated by `isaglot-jit`, with the blocks that they jump to, from the bodies that the executor was generated from. What has no
//! translation the executor runs: by itself within the code, or as a block after it.
//!
//! Invariant: the machine is the same after the code as after the interpreter, at each place where the code can be left. Decoded code and
//! translated code are forgotten at the same time.

use std::mem::offset_of;
use std::rc::Rc;

use isaglot_jit::{Block, Called, Compiler, Extern, Instruction, Kind, Layout, Outside, Region, RegisterFile, kind};
use isaglot_model::{EncodingId, Isa};
use isaglot_semantics::{Body, FileIndex};
use rustc_hash::FxHashMap;

use crate::block::{self, Ends, Ins};
use crate::csr::Csrs;
use crate::decode::{Decoded, Decoder};
use crate::execute::execute;
use crate::float_unit::{DIRTY, DYNAMIC, Float, RESERVED};
use crate::limits::{HOT, MAX_BLOCK, MAX_REGION, MAX_REGION_BLOCKS, NATIVE_LEAST, WARM};
use crate::machine::{FLOATS, Machine, NativeState};
use crate::memory::{Entry, Memory, PAGE_BITS, RECENT};
use crate::native_commands::{self, Opcode};
use crate::run::Run;

#[path = "native_floats.rs"]
mod functions;

/// Counters of how often code was run; a power of two.
const COUNTERS: usize = 1 << 14;

impl Outside for Machine {
    const LAYOUT: Layout = Layout {
        registers: offset_of!(Machine, x),
        pc: offset_of!(Machine, native) + offset_of!(NativeState, pc),
        block: offset_of!(Machine, native) + offset_of!(NativeState, block),
        left: offset_of!(Machine, native) + offset_of!(NativeState, left),
        failed: offset_of!(Machine, native) + offset_of!(NativeState, failed),
        address: offset_of!(Machine, native) + offset_of!(NativeState, address),
        value: offset_of!(Machine, native) + offset_of!(NativeState, value),
        reads: offset_of!(Machine, memory) + offset_of!(Memory, reads),
        writes: offset_of!(Machine, memory) + offset_of!(Memory, writes),
        entries: RECENT,
        stride: size_of::<Entry>(),
        page: offset_of!(Entry, page),
        host: offset_of!(Entry, host),
        page_bits: PAGE_BITS,
    };

    fn load(&mut self, address: u64, bytes: u64) -> u64 {
        let value = match bytes {
            1 => self.load8(address).map(u64::from),
            2 => self.load16(address).map(u64::from),
            4 => self.load32(address).map(u64::from),
            _ => self.load64(address),
        };
        self.native.failed = u64::from(value.is_err());
        value.unwrap_or(0)
    }

    fn store(&mut self, address: u64, bytes: u64, value: u64) -> bool {
        let all = value.to_le_bytes();
        self.memory.store_quietly(address, all.get(..bytes as usize).unwrap_or(&all))
    }

    fn call(&mut self, number: [u64; 2]) -> Called {
        // The block is kept, so that nothing is allocated at each call.
        let mut block = self.native.one.take().unwrap_or_else(|| block::Block {
            start: 0,
            end: 0,
            code: vec![Ins::from_parts(number)].into(),
        });
        block.code.iter_mut().for_each(|one| *one = Ins::from_parts(number));
        let reservation = self.reservation();
        let result = execute(self, &mut Run::alone(&block));
        self.native.one = Some(block);
        match result {
            Ok(_) if self.memory.attention => Called::Attention,
            Ok(_) => Called::Done,
            Err(fault) if fault.is_alone => {
                reservation.into_iter().for_each(|address| self.reserve_again(address));
                Called::Refused
            }
            Err(fault) => {
                self.native.fault = Some(fault);
                Called::Trapped
            }
        }
    }

    fn external(&mut self, number: u64, arguments: [u64; 4]) -> u64 {
        functions::run(self, number, arguments)
    }
}

/// What an extern is in machine code. Those that are called act on flags, memory and devices, and see of the registers what they are given.
fn external(name: &str) -> Extern {
    let float = offset_of!(Machine, csrs) + offset_of!(Csrs, float);
    let (on, mode) = (float + Float::STATUS, float + Float::MODE);
    match name {
        "float_enabled" => Extern::Check { byte: on },
        "float_changed" => Extern::Set { byte: on, value: DIRTY },
        "rounding_mode" => Extern::Mode { on, mode, dynamic: DYNAMIC, limit: RESERVED },
        "device" | "device_lookup" | "lun_lookup" | "reserve" | "reserved" => Extern::Call,
        _ => match functions::number(name) {
            Some(number) => Extern::Function(number),
            // Those of vectors act on their registers, which are not the code's, and on memory, as a load or store does.
            None if ["f16_", "f32_", "f64_", "vector_"].iter().any(|p| name.starts_with(p))
                || name.ends_with("_to_f16") =>
            {
                Extern::Call
            }
            None => Extern::Leave,
        },
    }
}

/// The code of a hart.
pub(crate) struct Native {
    compiler: Compiler<Machine>,
    /// The integer registers, and the number of the first extern of commands.
    x: Option<FileIndex>,
    externs: u32,
    heat: Box<[u16; COUNTERS]>,
    bodies: FxHashMap<EncodingId, Option<Rc<Body>>>,
    /// How often code has to be run before it is translated; more each time that all was forgotten.
    hot: u16,
    /// Where fewer instructions are allowed, they are interpreted.
    pub(crate) least: u64,
    /// The most blocks of a region.
    most_blocks: usize,
    /// Instructions that the code has run.
    #[cfg(feature = "oracle")]
    pub(crate) count: u64,
}

/// An instruction of a region, before the region is whole.
struct Part {
    pc: u64,
    next: u64,
    body: Rc<Body>,
    fields: [u64; 8],
    kind: Kind,
    number: [u64; 2],
}

/// A block: its first address, the one after it, its instructions.
type Whole = (u64, u64, Vec<Part>);

impl Part {
    fn instruction(&self) -> Instruction<'_> {
        let Part { pc, next, fields, kind, number, .. } = *self;
        Instruction { pc, next, body: &self.body, fields, kind, number }
    }
}

impl Native {
    pub(crate) fn new(isa: &Isa, xlen: u32, compressed: bool) -> Result<Native, String> {
        let first = (0..isa.encodings().len() as u32).map(EncodingId).find(|&id| isa[id].gens.contains(xlen));
        let first = first.ok_or("the description has no instructions of this width")?;
        let env = isa.environment(&isa[first], xlen);
        let file = |name: &str, first: usize, zero| RegisterFile { name: name.to_owned(), first: first as u64, zero };
        let files = vec![file("x", 0, Some(0)), file("f", FLOATS, None)];
        let x = env.files().iter().position(|f| f.name == "x").map(|at| FileIndex(at as u32));
        let externs = env.externs().len() as u32;
        Ok(Native {
            x,
            externs,
            compiler: Compiler::new(env, files, &external, &native_commands::EXTERNS, compressed)?,
            heat: Box::new([0; COUNTERS]),
            bodies: FxHashMap::default(),
            hot: HOT,
            least: NATIVE_LEAST,
            most_blocks: MAX_REGION_BLOCKS,
            #[cfg(feature = "oracle")]
            count: 0,
        })
    }

    /// What was run so often is translated, so many blocks together at most, and entered however little is allowed: for tests.
    #[cfg(feature = "oracle")]
    pub(crate) fn set_bounds(&mut self, hot: u16, blocks: usize) {
        (self.hot, self.least, self.most_blocks) = (hot, 1, blocks);
    }

    /// All code is forgotten.
    pub(crate) fn clear(&mut self) -> Result<(), String> {
        if self.compiler.is_used() && self.hot > 1 {
            self.hot = self.hot.saturating_mul(2);
        }
        self.heat.fill(0);
        self.compiler.clear()
    }

    /// Runs the code of an address; gives how many instructions of the allowed ones are left.
    pub(crate) fn enter(&self, machine: &mut Machine, pc: u64, allowed: u64) -> u64 {
        self.compiler.enter(pc, machine, allowed)
    }

    /// Whether there is code for an address, which is made if it is hot now.
    #[inline(always)]
    pub(crate) fn has(&mut self, decoder: &Decoder<'_>, machine: &mut Machine, pc: u64) -> bool {
        if self.compiler.has(pc) {
            return true;
        }
        let heat = &mut self.heat[(pc >> 1) as usize % COUNTERS];
        *heat = heat.saturating_add(1);
        *heat >= self.hot && (self.compiler.find(pc) || *heat < u16::MAX && self.translate(decoder, machine, pc))
    }

    #[cold]
    fn translate(&mut self, decoder: &Decoder<'_>, machine: &mut Machine, pc: u64) -> bool {
        // Not again if it does not succeed.
        self.heat[(pc >> 1) as usize % COUNTERS] = u16::MAX - 1;
        if self.compiler.is_full() && self.clear().is_err() {
            return false;
        }
        let (parts, returns) = self.region(decoder, machine, pc);
        let blocks = parts.iter().map(|(start, end, code)| Block {
            start: *start,
            end: *end,
            code: code.iter().map(Part::instruction).collect(),
        });
        let region = Region { blocks: blocks.collect(), returns };
        // There is nothing to be gained where the first instruction is left to the executor.
        let is_good = region.blocks.first().and_then(|b| b.code.first()).is_some_and(|i| i.kind != Kind::Leave);
        is_good && self.compiler.add(&region).is_ok()
    }

    /// The blocks that are reached from an address without an indirect jump and have been run, the next ones first.
    fn region(&mut self, decoder: &Decoder<'_>, machine: &mut Machine, pc: u64) -> (Vec<Whole>, Vec<u64>) {
        let (mut blocks, mut returns) = (Vec::<Whole>::new(), Vec::new());
        let (mut todo, mut count) = (std::collections::VecDeque::from([pc]), 0);
        while let Some(start) = todo.pop_front() {
            // What is hardly ever run would take the longest.
            let is_warm = start == pc || self.heat[(start >> 1) as usize % COUNTERS] >= self.hot / WARM;
            if !is_warm || blocks.iter().any(|(known, ..)| *known == start) {
                continue;
            }
            // What has its own code is jumped to: small functions of the host keep more in registers, and nothing is translated twice.
            if start != pc && self.compiler.find(start) {
                continue;
            }
            if blocks.len() >= self.most_blocks || count >= MAX_REGION {
                break;
            }
            let (code, end) = self.block(decoder, machine, start);
            count += code.len();
            if let Some(last) = code.last() {
                let jumps = last.instruction().jumps();
                todo.extend(jumps.targets.iter().copied());
                if jumps.falls {
                    todo.push_back(end);
                }
                // It writes a register beside its jump: the callee comes back to the address after it.
                let links = matches!(last.kind, Kind::Translate { writes } if writes != 0);
                if links && !jumps.falls {
                    todo.push_back(end);
                    if !returns.contains(&end) {
                        returns.push(end);
                    }
                }
                blocks.push((start, end, code));
            }
        }
        (blocks, returns)
    }

    /// The body of an overloadable opcode as it is run now, if it can be translated.
    fn command(&self, isa: &Isa, machine: &mut Machine, decoded: &Decoded) -> Option<Body> {
        let encoding = &isa[decoded.encoding?];
        let names = isa.semantic_operands(encoding);
        let value = |name: &str| {
            let at = names.iter().position(|&n| isa.text(n) == name)?;
            decoded.fields.get(at).copied()
        };
        let opcode = Opcode::of(&encoding.display_name, &value)?;
        let body = native_commands::body(machine, opcode, self.x?, self.externs)?;
        let known = isaglot_jit::Fields { operands: &decoded.fields, pc: 0, next: 0 };
        let (env, files) = (self.compiler.environment(), self.compiler.files());
        let how = kind(&body, env, files, &known, self.compiler.externs());
        matches!(how, Kind::Translate { .. }).then_some(body)
    }

    /// The instructions from an address to the first that jumps or is left to the executor.
    fn block(&mut self, decoder: &Decoder<'_>, machine: &mut Machine, start: u64) -> (Vec<Part>, u64) {
        let (mut code, mut pc) = (Vec::new(), start);
        while code.len() < MAX_BLOCK {
            let Ok(decoded) = decoder.whole(&mut machine.memory, pc) else { break };
            let next = machine.cut(pc.wrapping_add(decoded.length));
            let isa = decoder.plan().isa();
            let body = decoded.encoding.and_then(|id| {
                self.bodies.entry(id).or_insert_with(|| isa.body(id, machine.xlen).map(Rc::new)).clone()
            });
            let fields = decoded.fields;
            let known = isaglot_jit::Fields { operands: &fields, pc, next };
            let how = match &body {
                Some(body) => {
                    kind(body, self.compiler.environment(), self.compiler.files(), &known, self.compiler.externs())
                }
                None => Kind::Leave,
            };
            let (body, how) = match how {
                Kind::Call { .. } if decoded.ends != Ends::No => (body, Kind::Leave),
                Kind::Call { reads, writes } => match self.command(isa, machine, &decoded) {
                    Some(own) => (Some(Rc::new(own)), Kind::Guarded { reads, writes }),
                    None => (body, how),
                },
                how => (body, how),
            };
            let number = decoded.ins.parts();
            let part = Part { pc, next, body: body.unwrap_or_default(), fields, kind: how, number };
            let jumps = part.instruction().jumps();
            let ends = !jumps.falls || !jumps.targets.is_empty() || jumps.indirect;
            code.push(part);
            pc = next;
            if ends {
                break;
            }
        }
        (code, pc)
    }
}
