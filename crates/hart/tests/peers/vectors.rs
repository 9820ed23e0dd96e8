//! Every vector instruction on random registers, lengths, masks and memory: all registers and control registers afterwards as on
//! qemu. The instructions are those of the description, so that a new one is tried without a word here.
//!
//! A case is one word with a state; `vectors/driver.c` runs all of a file under qemu, and the hart runs them one by one. Where qemu
//! runs what the specification reserves, `reserved` says so, and the case counts for itself.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use isaglot_bits::Word;
use isaglot_codec::{Plan, operands};
use isaglot_hart::{Cause, Config, Hart, Level, Stop, TrapModel};
use isaglot_model::{EncodingId, Isa};
use isaglot_testing::Failed;
use isaglot_testing::random::Random;

const DRIVER: &str = include_str!("vectors/driver.c");
const ONE: &str = include_str!("vectors/one.S");
/// Words of memory, and where they are.
const MEMORY: u64 = 0x4000_0000;
const WORDS: u64 = 512;
/// Bytes of a result.
const RESULT: usize = 512 + 9 * 8;
/// Cases of one program.
const PART: usize = 20_000;
const RET: u32 = 0x0000_8067;

/// An instruction of vectors.
pub(crate) struct Instruction {
    pub(crate) name: String,
    encoding: EncodingId,
    care: u32,
    value: u32,
    fields: Vec<String>,
}

/// All that the description has.
pub(crate) fn instructions(isa: &Isa) -> Vec<Instruction> {
    let mut list = Vec::new();
    for at in 0..isa.encodings().len() as u32 {
        let encoding = &isa[EncodingId(at)];
        let is_vector = encoding.condition.features().into_iter().any(|f| isa[f].name.starts_with("zve"));
        // Rounding to odd is nothing that qemu 7.2 can be asked for; `round_to_odd` is for that.
        let is_odd = isa.text(encoding.name).contains(".rod.");
        if is_odd || !is_vector || encoding.semantics.is_none() || !encoding.gens.contains(64) {
            continue;
        }
        let fields = encoding.field_names().into_iter().map(|n| isa.text(n).to_owned()).collect();
        let (care, value) = (encoding.pattern.care().low_u64() as u32, encoding.pattern.value().low_u64() as u32);
        let name = isa.text(encoding.name).to_owned();
        list.push(Instruction { name, encoding: EncodingId(at), care, value, fields });
    }
    list
}

/// What a case begins with.
#[derive(Clone)]
struct State {
    word: u32,
    vl: u64,
    vtype: u64,
    vstart: u64,
    vcsr: u64,
    fcsr: u64,
    /// a0, a1, a2, and fa0.
    operands: [u64; 4],
    registers: Vec<u8>,
}

impl State {
    /// What qemu is given. Version 7.2 ends with a failed assertion at a conversion that says its rounding mode; the one that takes the
    /// mode from the control register does the same.
    fn for_qemu(&self, name: &str) -> State {
        let mut state = self.clone();
        if name.contains(".rtz.") {
            state.word -= 6 << 15;
            state.fcsr = self.fcsr & 31 | 1 << 5;
        }
        state
    }

    fn bytes(&self) -> Vec<u8> {
        let mut all: Vec<u8> = [self.vl, self.vtype, self.vstart, self.vcsr, self.fcsr]
            .into_iter()
            .chain(self.operands)
            .flat_map(u64::to_le_bytes)
            .collect();
        all.extend(&self.registers);
        all
    }
}

const SPECIAL: &[u64] = &[
    0,
    1,
    2,
    0x7f,
    0x80,
    0xff,
    0x7fff,
    0x8000,
    0xffff,
    0x7fff_ffff,
    0x8000_0000,
    0xffff_ffff,
    u64::MAX,
    1 << 63,
    (1 << 63) - 1,
    0x3f80_0000,
    0xbf80_0000,
    0x7f80_0000,
    0xff80_0000,
    0x7fc0_0000,
    0x7f80_0001,
    0x0080_0000,
    0x0000_0001,
    0x8000_0001,
    0x7f7f_ffff,
    0x4b00_0001,
    0x3ff0_0000_0000_0000,
    0xbff0_0000_0000_0000,
    0x7ff0_0000_0000_0000,
    0xfff0_0000_0000_0000,
    0x7ff8_0000_0000_0000,
    0x7ff0_0000_0000_0001,
    0x0010_0000_0000_0000,
    0x7fef_ffff_ffff_ffff,
    0x8000_0000_0000_0001,
    0x41e0_0000_0000_0000,
    0x4330_0000_0000_0001,
];

/// A number of a register, mostly one that many groups can begin with.
fn register(random: &mut Random) -> u32 {
    let step = *random.pick(&[1, 2, 4, 8, 8]);
    random.below(32 / step) as u32 * step as u32
}

fn fill(random: &mut Random, size: usize) -> Vec<u8> {
    let style = random.below(4);
    let mut bytes = Vec::new();
    while bytes.len() < 512 {
        let value = match style {
            0 => random.u64(),
            1 => *random.pick(SPECIAL),
            // Floating point near to one.
            2 if size == 2 => 0x3f00_0000 ^ random.u64() & 0x81ff_ffff,
            2 => 0x3fe0_0000_0000_0000 ^ random.u64() & 0x803f_ffff_ffff_ffff,
            _ if random.bool() => *random.pick(SPECIAL),
            _ => random.u64(),
        };
        bytes.extend(&value.to_le_bytes()[..1 << size]);
    }
    bytes
}

fn case(random: &mut Random, i: &Instruction) -> State {
    let has = |name: &str| i.fields.iter().any(|f| f == name);
    let put = |word: u32, low: u32, value: u32| word & !(31 << low) | value << low;
    let mut word = random.u32();
    for low in [7, 15, 20] {
        word = put(word, low, register(random));
    }
    // More often with the mask than not, and never with it on the data by chance alone.
    for (name, low, number) in [("xs1", 15, 10), ("xs2", 20, 12), ("fs1", 15, 10), ("xd", 7, 13), ("fd", 7, 11)] {
        if has(name) {
            word = put(word, low, number);
        }
    }
    let is_memory = matches!(i.value & 0x7f, 0x07 | 0x27);
    if has("xs1") && !is_memory {
        word = put(word, 15, if random.one_in(8) && i.name.starts_with("vset") { 0 } else { 11 });
    }
    if i.name.starts_with("vset") && random.one_in(4) {
        word = put(word, 7, 0);
    }
    word = word & !i.care | i.value;
    let size = random.below(4);
    // A part of a register only for elements that fit it.
    let lmul = *random.pick(&[0_i64, 0, 1, 1, 2, 3, -1, -2, -3]);
    let lmul = if lmul < size as i64 - 3 { 0 } else { lmul };
    let mut vtype = (lmul & 7) as u64 | size << 3 | random.below(4) << 6;
    if random.one_in(50) {
        vtype = random.below(1 << 9);
    }
    let most = (if lmul < 0 { 128 >> -lmul } else { 128 << lmul }) >> (size + 3);
    let vl = match random.below(10) {
        0 => 0,
        1..=4 => random.below(most + 1),
        _ => most,
    };
    let vstart = if random.one_in(8) { random.below(12) } else { 0 };
    let mut registers = fill(random, size as usize);
    let small = |random: &mut Random, registers: &mut [u8], first: u32, size: usize, most: u64| {
        let from = first as usize * 16;
        for place in registers[from..].chunks_mut(1 << size) {
            let value = random.below(most);
            place.copy_from_slice(&value.to_le_bytes()[..place.len()]);
        }
    };
    if i.name.contains("xei") || i.name.contains("xseg") {
        let offset = [0, 0, 0, 0, 0, 1, 2, 3][(word >> 12 & 7) as usize];
        small(random, &mut registers, word >> 20 & 31, offset, if offset == 0 { 256 } else { 600 });
    }
    if i.name.starts_with("vrgather") && has("vs1") {
        let size = if i.name.contains("16") { 1 } else { size as usize };
        small(random, &mut registers, word >> 15 & 31, size, if size == 0 { 160 } else { 40 });
    }
    let mut operands = [random.u64(), *random.pick(SPECIAL), random.u64(), *random.pick(SPECIAL)];
    if random.bool() {
        operands[1] = random.below(20);
    }
    if random.one_in(3) {
        operands[3] = random.u64() | 0xffff_ffff << 32;
    }
    if is_memory {
        let align = if random.one_in(4) { 1 } else { 8 };
        operands[0] = MEMORY + WORDS * 4 + random.below(64) * align;
        // Near to the end, where there is no memory.
        if random.one_in(8) {
            operands[0] = MEMORY + WORDS * 8 - random.below(160);
        }
        operands[2] = random.below(24).wrapping_sub(8);
    }
    if i.name == "vsetvl" {
        operands[2] = if random.one_in(6) { random.u64() } else { random.below(256) };
    }
    // A bit more than fits at times.
    let fcsr = random.below(32) | (if random.one_in(40) { 5 + random.below(3) } else { random.below(5) }) << 5;
    let fcsr = if i.name.contains(".rtz.") && fcsr >> 5 > 4 { fcsr & 31 } else { fcsr };
    State { word, vl, vtype, vstart, vcsr: random.below(8), fcsr, operands, registers }
}

/// What there is after a case.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Outcome {
    registers: Vec<u8>,
    /// vl, vtype, vcsr, fcsr, vstart, a3, fa1, the signal, a sum of memory.
    rest: [u64; 9],
}

fn on_qemu(dir: &Path, states: &[State]) -> Result<Vec<Outcome>, Failed> {
    std::fs::write(dir.join("driver.c"), DRIVER)?;
    std::fs::write(dir.join("one.S"), ONE)?;
    std::fs::write(dir.join("cases.bin"), states.iter().flat_map(State::bytes).collect::<Vec<u8>>())?;
    let code = |s: &State| [s.word.to_le_bytes(), RET.to_le_bytes()].concat();
    std::fs::write(dir.join("code.bin"), states.iter().flat_map(code).collect::<Vec<u8>>())?;
    let mut gcc = Command::new("riscv64-linux-gnu-gcc");
    gcc.current_dir(dir).args(["-march=rv64gc", "-mabi=lp64d", "-O1", "-nostdlib", "-static", "-ffreestanding", "-w"]);
    let done = gcc.args(["-mcmodel=medany", "-o", "cases", "driver.c", "one.S"]).output()?;
    if !done.status.success() {
        return Err(String::from_utf8_lossy(&done.stderr).into_owned().into());
    }
    let mut qemu = Command::new("qemu-riscv64");
    let out = qemu.args(["-cpu", "rv64,v=true,vlen=128,vext_spec=v1.0"]).arg(dir.join("cases")).output()?;
    if !out.status.success() || out.stdout.len() != states.len() * RESULT {
        let said = String::from_utf8_lossy(&out.stderr);
        return Err(format!("qemu gives {} bytes for {} cases: {said}", out.stdout.len(), states.len()).into());
    }
    let words = |bytes: &[u8]| {
        let mut all = bytes.chunks_exact(8).map(|b| u64::from_le_bytes(b.try_into().unwrap_or_default()));
        std::array::from_fn(|_| all.next().unwrap_or(0))
    };
    let outcome = |b: &[u8]| Outcome { registers: b[..512].to_vec(), rest: words(&b[512..]) };
    Ok(out.stdout.chunks_exact(RESULT).map(outcome).collect())
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
    fn new(isa: &'a Isa, states: &[State]) -> Result<Ours<'a>, Failed> {
        let mut config = Config::new(64);
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
        for (n, bytes) in s.registers.chunks(16).enumerate() {
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
pub(crate) fn compare(isa: &Isa, each: usize) -> Result<(), Failed> {
    let mut random = Random::new(0x7ec7);
    let plan_features: Vec<_> =
        (0..isa.features().len() as u32).map(isaglot_model::FeatureId).filter(|&f| isa[f].name == "v").collect();
    let plan = Plan::with_features(isa, 64, &plan_features);
    let instructions = instructions(isa);
    let mut states = Vec::new();
    let mut names = Vec::new();
    for i in &instructions {
        for _ in 0..each {
            let state = case(&mut random, i);
            let found = operands::decode(&plan, &Word::from_u64(state.word.into(), 32));
            if found.is_some_and(|tree| tree.encoding == i.encoding) {
                states.push(state);
                names.push(i.name.as_str());
            }
        }
    }
    let dir = tempfile::tempdir()?;
    let mut wrong: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    let (mut all, mut same, mut excused) = (0, 0, BTreeMap::new());
    for (at, part) in states.chunks(PART).enumerate() {
        let names = &names[at * PART..];
        let given: Vec<State> = part.iter().zip(names).map(|(s, name)| s.for_qemu(name)).collect();
        let mut want = on_qemu(dir.path(), &given)?;
        let mut ours = Ours::new(isa, part)?;
        for (n, (state, want)) in part.iter().zip(&mut want).enumerate() {
            let got = ours.run(n, state)?;
            let name = names[n];
            want.rest[3] = want.rest[3] & 31 | state.fcsr & !31;
            all += 1;
            if got == *want {
                same += 1;
            } else if let Some(why) = reserved(name, state, want, &got) {
                *excused.entry(why).or_insert(0) += 1;
            } else {
                wrong.entry(name).or_default().push(difference(state, want, &got));
            }
        }
    }
    println!(
        "qemu: {same}/{all} cases of {} vector instructions; where qemu is not as the specification: {excused:?}",
        instructions.len()
    );
    if wrong.is_empty() {
        return Ok(());
    }
    let count: usize = wrong.values().map(Vec::len).sum();
    let shown: Vec<String> = wrong.iter().map(|(name, list)| format!("{name} ({}): {}", list.len(), list[0])).collect();
    Err(format!("{count} differ, of {} instructions:\n{}", wrong.len(), shown.join("\n")).into())
}

fn difference(s: &State, want: &Outcome, got: &Outcome) -> String {
    let lines = |o: &Outcome, n: usize| isaglot_testing::corpus::hex(&o.registers[n * 16..n * 16 + 16]);
    let first = (0..32).find(|&n| lines(want, n) != lines(got, n));
    let register = first.map_or(String::new(), |n| format!("\n  v{n} qemu {} ours {}", lines(want, n), lines(got, n)));
    format!(
        "{:#010x} vl {} vtype {:#x} vstart {} vcsr {} fcsr {:#x} operands {:x?}\n  qemu {:x?}\n  ours {:x?}{register}",
        s.word, s.vl, s.vtype, s.vstart, s.vcsr, s.fcsr, s.operands, want.rest, got.rest
    )
}

/// Why qemu's answer does not count, by the specification; nothing if it does.
fn reserved(name: &str, s: &State, want: &Outcome, got: &Outcome) -> Option<&'static str> {
    let mut alike = want.clone();
    alike.rest[4] = got.rest[4];
    if alike == *got && want.rest[4] == s.vstart && got.rest[4] == 0 {
        return Some("3.7: `vstart` is 0 after each instruction");
    }
    if got.rest[7] != 4 || want.rest[7] == 4 {
        return None;
    }
    let field = |low: u32| s.word >> low & 31;
    let (vd, vs1, vs2) = (field(7), field(15), field(20));
    let is_vector = |suffixes: &[&str]| suffixes.iter().any(|s| name.ends_with(s));
    let has_vs1 = is_vector(&[".vv", ".vvm", ".wv", ".vs"]);
    let is_store = s.word & 0x7f == 0x27;
    let has_vs2 = s.word & 0x7f == 0x57 || name.contains("xei") || name.contains("xseg");
    let is_masked = s.word >> 25 & 1 == 0;
    let reads_v0 = has_vs1 && vs1 == 0 || has_vs2 && vs2 == 0 || is_store && vd == 0;
    if is_masked && reads_v0 && !name.ends_with(".m") {
        return Some("5.2: a register is not read as mask and as data");
    }
    let near = |a: u32, b: u32| a.abs_diff(b) < 8;
    let adds = name.contains("macc") || name.contains("msac");
    let mixed = is_vector(&[".wv"]) && near(vs1, vs2)
        || name.starts_with("vw")
            && (adds && (near(vd, vs1) || near(vd, vs2)) || name.contains("red") && near(vs1, vs2))
        || name.starts_with("vfw")
            && (adds && (near(vd, vs1) || near(vd, vs2)) || name.contains("red") && near(vs1, vs2))
        || (name.starts_with("vrgatherei16") || name == "vcompress.vm") && near(vs1, vs2)
        || is_store && has_vs2 && (vd..vd + 8).any(|data| near(data, vs2));
    if mixed {
        return Some("5.2: a register is not read with two widths");
    }
    let is_whole = name.starts_with("vmv") && name.ends_with("r.v");
    (is_whole && want.rest[1] >> 63 == 1).then_some("3.4.4: what depends on `vtype` is illegal where `vill` is set")
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
    let mut ours = Ours::new(isa, &states)?;
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
