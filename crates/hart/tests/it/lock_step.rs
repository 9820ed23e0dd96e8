//! Machine code and the interpreter in lock step: two machines with one program, one of each kind, run the same number of instructions again
//! and again; every time all registers, the flags, the program counter and the count of completed instructions are equal, and at the
//! end what memory holds and why the run ended.
//!
//! Programs are random: a loop over instructions of any encoding that runs in a straight line, with branches, a call of a function, loads and
//! stores. Every block is translated at once.

use isaglot_bits::Word;
use isaglot_hart::limits::MAX_REGION_BLOCKS;
use isaglot_hart::{Config, Hart, Stop};
use isaglot_model::{EncodingId, Isa};
use isaglot_semantics::Statement;
use isaglot_testing::{Random, rounds};

use crate::description;

/// Where the program is, and its data.
const CODE: u64 = 0x1_0000;
const DATA: u64 = 0x2_0000;
const MEMORY: u64 = 0x2_0000;
/// The most instructions of a run.
const STEPS: u64 = 3000;
/// The counter of the loop, which nothing else writes; the register with the address of the data.
const COUNTER: u32 = 3;
const BASE: u32 = 8;

/// Whether an instruction runs in a straight line, and without what a program of one level has not.
fn is_plain(isa: &Isa, id: EncodingId, xlen: u32) -> bool {
    fn plain(list: &[Statement], is_bad: &dyn Fn(&Statement) -> bool) -> bool {
        list.iter().all(|s| match s {
            Statement::If(_, then, otherwise) => plain(then, is_bad) && plain(otherwise, is_bad),
            s => !is_bad(s),
        })
    }
    let Some(body) = isa.body(id, xlen) else { return false };
    let env = isa.environment(&isa[id], xlen);
    let is_bad = |s: &Statement| match s {
        Statement::SetPc(_) => true,
        Statement::Trap(cause, _) => !cause.ends_with("misaligned"),
        Statement::Call { callee, .. } => {
            let name = env.externs()[callee.0 as usize].name.as_str();
            ["csr_", "trap_", "fence", "lun_", "device", "cache", "wait", "vector_"].iter().any(|p| name.starts_with(p))
        }
        _ => false,
    };
    plain(&body.statements, &is_bad)
}

struct Maker<'a> {
    isa: &'a Isa,
    plain: &'a [EncodingId],
    hart: Hart<'a>,
    code: Vec<u8>,
}

impl Maker<'_> {
    fn put(&mut self, word: u32) {
        self.code.extend(word.to_le_bytes());
    }

    /// A random instruction, after one that gives the data's address again.
    fn random(&mut self, r: &mut Random) {
        for _ in 0..100 {
            let id = *r.pick(self.plain);
            let encoding = &self.isa[id];
            let (care, value) = (encoding.pattern.care().low_u64() as u32, encoding.pattern.value().low_u64() as u32);
            let mut word = r.u32();
            let number = word >> 7 & 31;
            if encoding.width == 32 {
                // What is written is neither the counter, nor where the data or the program are.
                if matches!(number, 1..=4 | BASE) {
                    word ^= 0x800;
                }
                if r.one_in(3) {
                    word = word & !0xf_8000 | BASE << 15;
                }
            } else if matches!(number, 1..=4) {
                continue;
            }
            let word = word & !care | value;
            let whole = Word::from_u64(word.into(), encoding.width);
            if self.hart.instruction(&whole) != Some(id) {
                continue;
            }
            self.put((DATA as u32) | BASE << 7 | 0x37);
            self.code.extend(word.to_le_bytes().iter().take(encoding.width as usize / 8));
            return;
        }
    }

    /// A jump or branch from one place to another.
    fn jump(&mut self, at: usize, to: usize, word: u32) {
        let offset = to as i64 - at as i64;
        let bits = |high: u32, low: u32| (offset >> low) as u32 & ((1 << (high - low + 1)) - 1);
        let word = if word & 0x7f == 0x6f {
            word | bits(20, 20) << 31 | bits(10, 1) << 21 | bits(11, 11) << 20 | bits(19, 12) << 12
        } else {
            word | bits(12, 12) << 31 | bits(10, 5) << 25 | bits(4, 1) << 8 | bits(11, 11) << 7
        };
        self.code[at..at + 4].copy_from_slice(&word.to_le_bytes());
    }

    /// A loop with branches and a call, and the function after it.
    fn program(mut self, r: &mut Random) -> Vec<u8> {
        let start = self.code.len();
        let (mut branches, mut calls) = (Vec::new(), Vec::new());
        for _ in 0..r.below(30) + 3 {
            branches.retain(|&(at, after, word): &(usize, u64, u32)| {
                let is_here = after == 0;
                if is_here {
                    let to = self.code.len();
                    self.jump(at, to, word);
                }
                !is_here
            });
            branches.iter_mut().for_each(|b| b.1 -= 1);
            match r.below(8) {
                0 => {
                    let kind = *r.pick(&[0, 1, 4, 5, 6, 7]);
                    let word = 0x63 | kind << 12 | (r.u32() & 31) << 15 | (r.u32() & 31) << 20;
                    branches.push((self.code.len(), r.below(4), word));
                    self.put(0);
                }
                1 => {
                    calls.push(self.code.len());
                    self.put(0);
                }
                _ => self.random(r),
            }
        }
        let end = self.code.len();
        branches.into_iter().for_each(|(at, _, word)| self.jump(at, end, word));
        // addi counter, counter, -1; bnez counter, start; ebreak
        self.put(0xfff0_0013 | COUNTER << 15 | COUNTER << 7);
        self.put(0);
        self.jump(end + 4, start, 0x63 | 1 << 12 | COUNTER << 15);
        self.put(0x0010_0073);
        let function = self.code.len();
        for _ in 0..r.below(5) {
            self.random(r);
        }
        self.put(0x0000_8067);
        calls.into_iter().for_each(|at| self.jump(at, function, 0x6f | 1 << 7));
        self.code
    }
}

fn machine<'a>(isa: &'a Isa, xlen: u32) -> Hart<'a> {
    let mut config = Config::new(xlen);
    config.ram = vec![(CODE, MEMORY)];
    Hart::new(isa, config).expect("a sound machine")
}

/// What can be seen of a machine but memory.
fn state(hart: &Hart<'_>) -> (u64, u64, Vec<u64>, Option<u64>) {
    let registers = (0..32).map(|n| hart.register(n)).chain((0..32).map(|n| hart.float_register(n)));
    (hart.pc(), hart.retired(), registers.collect(), hart.csr(3))
}

/// Runs a program on both; gives how many instructions ran, and the end if it came.
fn both(isa: &Isa, xlen: u32, code: &[u8], r: &mut Random, name: &str) -> (u64, Stop) {
    let values: Vec<u64> = (0..64)
        .map(|_| match r.below(4) {
            0 => DATA + r.below(0x1000),
            1 => *r.pick(&[0, 1, u64::MAX, 1 << 63, 1 << 31, 0x7ff0_0000_0000_0000, 0x3ff0_0000_0000_0000]),
            _ => r.u64(),
        })
        .collect();
    let make = |native: bool| {
        let mut hart = machine(isa, xlen);
        if native {
            hart.set_native(true).expect("there is a translator for this host");
            hart.native_from(1, MAX_REGION_BLOCKS);
        }
        hart.memory().write(CODE, code).expect("there is memory");
        hart.set_pc(CODE);
        for n in 1..32 {
            hart.set_register(n, values[usize::from(n)]);
            hart.set_float_register(n, values[32 + usize::from(n)]);
        }
        hart.set_register(2, DATA + 0x800);
        hart.set_register(3, 50);
        hart
    };
    let (mut plain, mut native) = (make(false), make(true));
    let mut ran = 0;
    let stop = loop {
        let most = if r.bool() { 300 } else { 40 };
        let steps = r.below(most) + 1;
        let (one, other) = (plain.run(steps), native.run(steps));
        assert_eq!(one, other, "{name}: the end after {ran} instructions and {steps} more");
        assert_eq!(state(&plain), state(&native), "{name}: registers after {ran} instructions and {steps} more");
        ran += steps;
        if one != Stop::Limit || ran >= STEPS {
            break one;
        }
    };
    let memory = |hart: &mut Hart<'_>| hart.memory().read(CODE, MEMORY as usize).expect("there is memory");
    assert!(memory(&mut plain) == memory(&mut native), "{name}: memory");
    (ran, stop)
}

#[test]
fn random_programs() {
    let isa = description::isa();
    for xlen in [32, 64] {
        let all = (0..isa.encodings().len() as u32).map(EncodingId).filter(|&id| isa[id].gens.contains(xlen));
        let plain: Vec<EncodingId> = all.filter(|&id| is_plain(&isa, id, xlen)).collect();
        assert!(plain.len() > 200, "{} encodings", plain.len());
        let (mut whole, mut seen) = (0, 0);
        for seed in 0..rounds(400) as u64 {
            let mut r = Random::new(seed << 8 | u64::from(xlen));
            let maker = Maker { isa: &isa, plain: &plain, hart: machine(&isa, xlen), code: Vec::new() };
            let code = maker.program(&mut r);
            let (ran, stop) = both(&isa, xlen, &code, &mut r, &format!("rv{xlen}, seed {seed}"));
            whole += u64::from(!matches!(stop, Stop::Trap(_)));
            seen += ran;
        }
        println!("rv{xlen}: {seen} instructions, {whole} programs that did not end with a trap");
        assert!(whole > 0, "some programs run to the end");
    }
}

/// A program that changes its own loop: what is stored counts after `fence.i`, in machine code as well.
#[test]
fn code_that_changes() {
    let isa = description::isa();
    let lui = |rd: u32, value: u32| value | rd << 7 | 0x37;
    let addi = |rd: u32, rs: u32, imm: u32| imm << 20 | rs << 15 | rd << 7 | 0x13;
    // x5 is where the instruction is that changes, x6 what it becomes: first `addi x10, x10, 1`, then one with 1 more each time.
    let words = [
        lui(5, CODE as u32),
        lui(6, 0x0015_0000),
        addi(6, 6, 0x513),
        lui(7, 0x0010_0000),
        // Loop: the instruction at 0x10, a store over it, fence.i, the count.
        addi(10, 10, 1),
        6 << 20 | 5 << 15 | 2 << 12 | 0x10 << 7 | 0x23,
        0x0000_100f,
        7 << 20 | 6 << 15 | 6 << 7 | 0x33,
        addi(3, 3, 0xfff),
        0xfe01_96e3,
        0x0010_0073,
    ];
    let code: Vec<u8> = words.iter().flat_map(|w: &u32| w.to_le_bytes()).collect();
    for xlen in [32, 64] {
        let (_, stop) = both(&isa, xlen, &code, &mut Random::new(7), "a loop that changes");
        assert_eq!(stop, Stop::Ebreak);
    }
}
