//! Every vector instruction on random registers, lengths, masks and memory: all registers and control registers afterwards as on
//! qemu, for both widths of registers and several of vectors. The instructions are those of the description, so that a new one is
//! tried without a word here.
//!
//! A case is one word with a state; `vectors/driver.c` runs all of a file under qemu, and the hart runs them one by one. Where qemu
//! runs what the specification reserves, `reserved` says so, and the case counts for itself.

pub(crate) mod case;
pub(crate) mod reserved;

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use isaglot_bits::Word;
use isaglot_codec::{Plan, operands};
use isaglot_hart::{Cause, Config, Hart, Level, Stop, TrapModel};
use isaglot_model::Isa;
use isaglot_testing::Failed;
use isaglot_testing::random::Random;

use case::{MEMORY, Setup, State, WORDS, case, instructions};

const DRIVER: &str = include_str!("driver.c");
const ONE: &str = include_str!("one.S");
/// Bytes of a result beside the vector registers.
const REST: usize = 9 * 8;
/// Cases of one program.
const PART: usize = 20_000;
/// Cases of each instruction in a full run with vectors of the usual length; fewer with others.
pub(crate) const FULL: usize = 400;
const RET: u32 = 0x0000_8067;

/// What there is after a case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Outcome {
    pub(crate) registers: Vec<u8>,
    /// vl, vtype, vcsr, fcsr, vstart, a3, fa1, the signal, a sum of memory.
    pub(crate) rest: [u64; 9],
}

fn on_qemu(dir: &Path, states: &[State], setup: Setup) -> Result<Vec<Outcome>, Failed> {
    std::fs::write(dir.join("driver.c"), DRIVER)?;
    std::fs::write(dir.join("one.S"), ONE)?;
    std::fs::write(dir.join("cases.bin"), states.iter().flat_map(State::bytes).collect::<Vec<u8>>())?;
    let code = |s: &State| [s.word.to_le_bytes(), RET.to_le_bytes()].concat();
    std::fs::write(dir.join("code.bin"), states.iter().flat_map(code).collect::<Vec<u8>>())?;
    let (xlen, width) = (setup.xlen, setup.vlen as usize / 8);
    let abi = if xlen == 64 { "-mabi=lp64d" } else { "-mabi=ilp32d" };
    let mut gcc = Command::new("riscv64-linux-gnu-gcc");
    gcc.current_dir(dir).args([&format!("-march=rv{xlen}gc"), abi, &format!("-DVLENB={width}")]);
    gcc.args(["-O1", "-nostdlib", "-static", "-ffreestanding", "-w", "-Wl,--no-relax"]);
    let done = gcc.args(["-mcmodel=medany", "-o", "cases", "driver.c", "one.S"]).output()?;
    if !done.status.success() {
        return Err(String::from_utf8_lossy(&done.stderr).into_owned().into());
    }
    let mut qemu = Command::new(format!("qemu-riscv{xlen}"));
    let cpu = format!("rv{xlen},v=true,vlen={},vext_spec=v1.0", setup.vlen);
    let out = qemu.args(["-cpu", &cpu]).arg(dir.join("cases")).output()?;
    let result = 32 * width + REST;
    if !out.status.success() || out.stdout.len() != states.len() * result {
        let said = String::from_utf8_lossy(&out.stderr);
        return Err(format!("qemu gives {} bytes for {} cases: {said}", out.stdout.len(), states.len()).into());
    }
    let words = |bytes: &[u8]| {
        let mut all = bytes.chunks_exact(8).map(|b| u64::from_le_bytes(b.try_into().unwrap_or_default()));
        std::array::from_fn(|_| all.next().unwrap_or(0))
    };
    let outcome = |b: &[u8]| Outcome { registers: b[..32 * width].to_vec(), rest: words(&b[32 * width..]) };
    Ok(out.stdout.chunks_exact(result).map(outcome).collect())
}

const CODE: u64 = 0x1000_0000;
/// vsetvl x0, a3, a4
const SET: u32 = 0x80e6_f057;

struct Ours<'a> {
    hart: Hart<'a>,
    memory: Vec<u8>,
    /// The sum of memory as it is at first, and whether it is that now.
    sum: u64,
    is_clean: bool,
}

fn sum(bytes: &[u8]) -> u64 {
    let word = |b: &[u8]| u64::from_le_bytes(b.try_into().unwrap_or_default());
    bytes.chunks_exact(8).fold(0, |sum, b| (sum ^ word(b)).wrapping_mul(0x100_0000_01b3))
}

impl<'a> Ours<'a> {
    fn new(isa: &'a Isa, states: &[State], setup: Setup) -> Result<Ours<'a>, Failed> {
        let mut config = Config::new(setup.xlen);
        config.vlen = setup.vlen as u32;
        config.trap_model = TrapModel::OneLevelUp;
        config.start = Level::User;
        let extensions = "m a zaamo zalrsc f d zicsr v zvfh";
        config.extensions = Some(extensions.split_whitespace().map(str::to_owned).collect());
        config.ram = vec![(MEMORY, WORDS * 8), (CODE, states.len() as u64 * 8 + 4096)];
        let mut hart = Hart::new(isa, config)?;
        for (n, s) in states.iter().enumerate() {
            let code = [SET.to_le_bytes(), s.word.to_le_bytes()].concat();
            hart.memory().write(CODE + n as u64 * 8, &code).map_err(|at| format!("no memory at {at:#x}"))?;
        }
        let memory: Vec<u8> = (0..WORDS).flat_map(|i| i.wrapping_mul(0x9e37_79b9_7f4a_7c15).to_le_bytes()).collect();
        Ok(Ours { hart, sum: sum(&memory), memory, is_clean: false })
    }

    fn run(&mut self, number: usize, s: &State) -> Result<Outcome, Failed> {
        let hart = &mut self.hart;
        if !self.is_clean {
            hart.memory().write(MEMORY, &self.memory).map_err(|at| format!("no memory at {at:#x}"))?;
        }
        self.is_clean = s.word & 0x7f != 0x27;
        hart.set_csr(0x008, 0);
        for (n, bytes) in s.registers.chunks(s.registers.len() / 32).enumerate() {
            hart.set_vector_register(n as u8, bytes);
        }
        hart.set_register(13, s.vl);
        hart.set_register(14, s.vtype);
        hart.set_pc(CODE + number as u64 * 8);
        hart.run(1);
        for (csr, value) in [(0x00f, s.vcsr), (3, s.fcsr), (0x008, s.vstart)] {
            hart.set_csr(csr, value).ok_or("no such register")?;
        }
        for (n, value) in [10, 11, 12].into_iter().zip(s.operands) {
            hart.set_register(n, value);
        }
        hart.set_register(13, 0);
        hart.set_float_register(10, s.operands[3]);
        hart.set_float_register(11, 0);
        let signal = match hart.run(1) {
            Stop::Limit => 0,
            Stop::Trap(t) => match t.reason {
                Cause::Illegal => 4,
                Cause::LoadAccess | Cause::StoreAccess => 11,
                other => return Err(format!("{other:?}").into()),
            },
            other => return Err(format!("{other:?}").into()),
        };
        let csr = |n| hart.csr(n).unwrap_or(u64::MAX);
        let mut rest =
            [csr(0xc20), csr(0xc21), csr(0x00f), csr(3), csr(8), hart.register(13), hart.float_register(11), signal, 0];
        let registers = hart.vector_registers().to_vec();
        rest[8] = self.sum;
        if !self.is_clean {
            let bytes = hart.memory().read(MEMORY, self.memory.len()).map_err(|at| format!("no memory at {at:#x}"))?;
            rest[8] = sum(&bytes);
        }
        Ok(Outcome { registers, rest })
    }
}

/// Runs so many cases of each instruction on both.
pub(crate) fn compare(isa: &Isa, setup: Setup, each: usize) -> Result<(), Failed> {
    let mut random = Random::new(0x7ec7 ^ setup.vlen << 8 ^ u64::from(setup.xlen));
    let plan_features: Vec<_> =
        (0..isa.features().len() as u32).map(isaglot_model::FeatureId).filter(|&f| isa[f].name == "v").collect();
    let plan = Plan::with_features(isa, setup.xlen, &plan_features);
    let instructions = instructions(isa, setup.xlen);
    let mut states = Vec::new();
    let mut names = Vec::new();
    for i in &instructions {
        for _ in 0..each {
            let state = case(&mut random, i, setup);
            let found = operands::decode(&plan, &Word::from_u64(state.word.into(), 32));
            if found.is_some_and(|tree| tree.encoding == i.encoding) {
                states.push(state);
                names.push(i);
            }
        }
    }
    let dir = tempfile::tempdir()?;
    let mut wrong: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    let (mut all, mut same, mut excused) = (0, 0, BTreeMap::new());
    for (at, part) in states.chunks(PART).enumerate() {
        let names = &names[at * PART..];
        let given: Vec<State> = part.iter().zip(names).map(|(s, i)| s.for_qemu(&i.name)).collect();
        let mut want = on_qemu(dir.path(), &given, setup)?;
        let mut ours = Ours::new(isa, part, setup)?;
        for (n, (state, want)) in part.iter().zip(&mut want).enumerate() {
            let got = ours.run(n, state)?;
            let instruction = names[n];
            want.rest[3] = want.rest[3] & 31 | state.fcsr & !31;
            all += 1;
            if got == *want {
                same += 1;
            } else if let Some(why) = reserved::why(instruction, state, setup, want, &got) {
                *excused.entry(why).or_insert(0) += 1;
            } else {
                wrong.entry(instruction.name.as_str()).or_default().push(difference(state, want, &got));
            }
        }
    }
    println!(
        "qemu: RV{}, VLEN {}: {same}/{all} cases of {} vector instructions; where qemu is not as the specification: {excused:?}",
        setup.xlen,
        setup.vlen,
        instructions.len()
    );
    let listed: BTreeMap<&str, &str> = reserved::faults(setup.xlen).collect();
    if let Some(unknown) = excused.keys().find(|why| !listed.contains_key(*why)) {
        return Err(format!("{unknown} is not in vectors/faults.txt").into());
    }
    let unseen: Vec<_> = listed.keys().filter(|why| !excused.contains_key(*why)).collect();
    if each >= FULL && setup.vlen == 128 && !unseen.is_empty() {
        return Err(format!("vectors/faults.txt has lines that nothing needs: {unseen:?}").into());
    }
    if wrong.is_empty() {
        return Ok(());
    }
    let count: usize = wrong.values().map(Vec::len).sum();
    let shown: Vec<String> = wrong.iter().map(|(name, list)| format!("{name} ({}): {}", list.len(), list[0])).collect();
    Err(format!("{count} differ, of {} instructions:\n{}", wrong.len(), shown.join("\n")).into())
}

fn difference(s: &State, want: &Outcome, got: &Outcome) -> String {
    let width = want.registers.len() / 32;
    let lines = |o: &Outcome, n: usize| isaglot_testing::corpus::hex(&o.registers[n * width..(n + 1) * width]);
    let first = (0..32).find(|&n| lines(want, n) != lines(got, n));
    let register = first.map_or(String::new(), |n| format!("\n  v{n} qemu {} ours {}", lines(want, n), lines(got, n)));
    format!(
        "{:#010x} vl {} vtype {:#x} vstart {} vcsr {} fcsr {:#x} operands {:x?}\n  qemu {:x?}\n  ours {:x?}{register}",
        s.word, s.vl, s.vtype, s.vstart, s.vcsr, s.fcsr, s.operands, want.rest, got.rest
    )
}

/// `vfncvt.rod.f.f.w`: a number that has no form of 32 bits becomes the one of both neighbours with an odd last bit.
pub(crate) fn round_to_odd(isa: &Isa) -> Result<(), Failed> {
    let mut random = Random::new(7);
    // vfncvt.rod.f.f.w v8, v16
    let state = |registers: Vec<u8>| State {
        word: 0x4b0a_9457,
        vl: 2,
        vtype: 0x10,
        vstart: 0,
        vcsr: 0,
        fcsr: 0,
        operands: [0; 4],
        registers,
    };
    let mut states = Vec::new();
    for _ in 0..2000 {
        // Exponents that both formats have, with a border on both sides.
        let exponent = 1023 - 140 + random.below(270);
        let bits = random.bits(52) | exponent << 52 | random.below(2) << 63;
        let bits = if random.one_in(4) { bits & !0x1fff_ffff } else { bits };
        states.push(state([vec![0; 256], bits.to_le_bytes().repeat(32)].concat()));
    }
    let mut ours = Ours::new(isa, &states, Setup { xlen: 64, vlen: 128 })?;
    for (n, s) in states.iter().enumerate() {
        let wide = f64::from_le_bytes(s.registers[256..264].try_into()?);
        let near = wide as f32;
        let want = if f64::from(near) == wide || near.to_bits() & 1 == 1 && near.is_finite() {
            near.to_bits()
        } else if f64::from(near).abs() > wide.abs() {
            // The other neighbour is nearer to 0.
            near.to_bits() - 1
        } else {
            near.to_bits() + 1
        };
        let got = ours.run(n, s)?;
        let result = u32::from_le_bytes(got.registers[128..132].try_into()?);
        let inexact = f64::from(near) != wide;
        if got.rest[7] != 0 || result != want || (got.rest[3] & 1 == 1) != inexact {
            return Err(format!("{wide:e} is {result:#x}, not {want:#x}: {:x?}", got.rest).into());
        }
    }
    Ok(())
}
