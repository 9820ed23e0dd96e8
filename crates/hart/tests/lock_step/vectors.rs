//! Vectors in lock step: random programs over every instruction of vectors, and programs that compute with vectors and check
//! themselves with scalars (`vectors/*.s`), or by what a standard publishes (`../it/ciphers/*.s`).

use std::path::Path;

use isaglot_bits::Word;
use isaglot_hart::{Config, Hart, Stop};
use isaglot_model::{EncodingId, Isa};
use isaglot_testing::{Failed, Random, rounds};

use crate::assembled::{LENGTHS, build, hart, said};
use crate::description;
use crate::pair::{Count, Pair, WAYS};

/// Where the program is, and its data.
const CODE: u64 = 0x8000_0000;
const DATA: u64 = CODE + 0x1_0000;
const DATA_BYTES: u64 = 0x1000;
/// The counter of the loop and the register of the handler, which nothing else writes; the register with the address of the data.
const COUNTER: u32 = 3;
const HANDLER: u32 = 4;
const BASE: u32 = 8;
/// How often the loop runs.
const TURNS: u64 = 12;
/// The most instructions of a random program, and of one that is written.
const STEPS: u64 = 4000;
const LONG: u64 = 1_000_000;
/// Programs that are tried for each width and length, in the gate.
const PROGRAMS: usize = 150;

/// An instruction of vectors: its number and its pattern.
struct Instruction {
    id: EncodingId,
    care: u32,
    value: u32,
}

fn instructions(isa: &Isa, xlen: u32) -> Vec<Instruction> {
    let all = (0..isa.encodings().len() as u32).map(EncodingId).filter(|&id| {
        let encoding = &isa[id];
        let is_vector = encoding.condition.features().into_iter().any(|f| isa[f].name.starts_with("zv"));
        is_vector && encoding.semantics.is_some() && encoding.gens.contains(xlen)
    });
    let pattern = |id: EncodingId| {
        let pattern = &isa[id].pattern;
        Instruction { id, care: pattern.care().low_u64() as u32, value: pattern.value().low_u64() as u32 }
    };
    all.map(pattern).collect()
}

/// A random word of an instruction, whose registers are mostly the first ones of groups.
fn word(i: &Instruction, r: &mut Random) -> u32 {
    let mut word = r.u32();
    let groups = *r.pick(&[0b11111, 0b11110, 0b11100, 0b11000]);
    let is_memory = matches!(i.value & 0x7f, 0x07 | 0x27);
    let reads_scalar = i.value & 0x7f == 0x57 && matches!(i.value >> 12 & 7, 4 | 6 | 7);
    word &= !(0x1f << 7) | groups << 7;
    word &= !(0x1f << 20) | groups << 20;
    if is_memory && !r.one_in(6) {
        word = word & !(0x1f << 15) | BASE << 15;
    } else if !reads_scalar {
        word &= !(0x1f << 15) | groups << 15;
    }
    word & !i.care | i.value
}

/// `vsetivli` or `vsetvli` with a type that can be.
fn set_type(r: &mut Random) -> u32 {
    let (size, group) = (r.below(4) as u32, *r.pick(&[0_u32, 0, 1, 2, 3, 7, 6]));
    let vtype = (r.u32() & 3) << 6 | size << 3 | group;
    let rd = *r.pick(&[0_u32, 5, 6, 10]);
    match r.below(3) {
        0 => 0xc000_7057 | vtype << 20 | (r.u32() & 0x1f) << 15 | rd << 7,
        // The longest, which `x0` stands for if something is written.
        1 => 0x0000_7057 | vtype << 20 | 7 << 7,
        _ => 0x0000_7057 | vtype << 20 | 12 << 15 | rd << 7,
    }
}

/// A loop of random instructions; a handler of traps before it goes on after the instruction.
fn program(hart: &Hart<'_>, all: &[Instruction], r: &mut Random) -> Vec<u32> {
    let csr =
        |function: u32, number: u32, rd: u32, rs1: u32| number << 20 | rs1 << 15 | function << 12 | rd << 7 | 0x73;
    let addi = |rd: u32, rs1: u32, by: u32| by << 20 | rs1 << 15 | rd << 7 | 0x13;
    let mut code = vec![
        csr(2, 0x341, HANDLER, 0),
        addi(HANDLER, HANDLER, 4),
        csr(1, 0x341, 0, HANDLER),
        // mret
        0x3020_0073,
    ];
    // auipc, and the rest of the distance.
    let base = |code: &[u32]| {
        let distance = (DATA - CODE) as u32 - 4 * code.len() as u32;
        let high = distance.wrapping_add(0x800) & 0xffff_f000;
        [high | BASE << 7 | 0x17, addi(BASE, BASE, distance.wrapping_sub(high) & 0xfff)]
    };
    let start = code.len();
    code.push(set_type(r));
    while code.len() < start + 60 {
        if r.one_in(6) {
            code.push(set_type(r));
            continue;
        }
        if r.one_in(10) {
            // An integer register that is small, so that it can be a stride or a length.
            code.push(addi(*r.pick(&[11, 12, 13]), 0, r.u32() & 0x1f));
        }
        if r.one_in(12) {
            // A branch over what may follow: to the third word after it.
            code.push(0x63 | (r.u32() & 1) << 12 | 12 << 20 | 11 << 15 | 12 << 7);
        }
        let i = r.pick(all);
        let word = word(i, r);
        let writes_integer =
            word & 0x7f == 0x57 && (word >> 12 & 7 == 7 || word >> 12 & 7 == 2 && word >> 26 == 0b01_0000);
        if writes_integer && matches!(word >> 7 & 0x1f, 1..=4 | BASE)
            || hart.instruction(&Word::from_u64(word.into(), 32)) != Some(i.id)
        {
            continue;
        }
        let [high, low] = base(&code);
        code.extend([high, low, word]);
    }
    code.push(addi(COUNTER, COUNTER, 0xfff));
    let back = (start as i32 - code.len() as i32) * 4;
    let bits = |high: u32, low: u32| back as u32 >> low & ((1 << (high - low + 1)) - 1);
    code.push(
        bits(12, 12) << 31 | bits(10, 5) << 25 | COUNTER << 15 | 1 << 12 | bits(4, 1) << 8 | bits(11, 11) << 7 | 0x63,
    );
    code.push(0x0010_0073);
    code
}

/// Runs a random program both ways; gives what was compared, and how many instructions completed.
fn one(isa: &Isa, all: &[Instruction], (xlen, vlen): (u32, u32), seed: u64) -> Result<(Count, u64), String> {
    let (mut count, mut completed) = (Count::default(), 0);
    for way in WAYS {
        let make = || -> Result<Hart<'_>, String> {
            let mut r = Random::new(seed);
            let mut config = Config::new(xlen);
            config.vlen = vlen;
            config.ram = vec![(CODE, DATA - CODE + DATA_BYTES)];
            let mut hart = Hart::new(isa, config)?;
            let code: Vec<u8> = program(&hart, all, &mut r).iter().flat_map(|w| w.to_le_bytes()).collect();
            hart.memory().write(CODE, &code).map_err(|at| format!("no memory at {at:#x}"))?;
            hart.memory().write(DATA, &r.bytes(DATA_BYTES as usize)).map_err(|at| format!("no memory at {at:#x}"))?;
            hart.set_pc(CODE + 16);
            hart.set_vector(CODE);
            for n in 1..32 {
                let values = [r.below(64), r.u64(), DATA + r.below(DATA_BYTES)];
                hart.set_register(n, *r.pick(&values));
                let values = [u64::from(r.u32()) | 0xffff_ffff << 32, r.u64(), 0x3ff8_0000_0000_0000];
                hart.set_float_register(n, *r.pick(&values));
            }
            for n in 0..32 {
                // Some are small enough to be places in other groups, or distances in memory.
                let most = if r.bool() { 32 } else { 256 };
                let step = if r.bool() { 1 } else { 4 };
                let bytes: Vec<u8> =
                    (0..vlen as usize / 8).map(|at| if at % step == 0 { r.below(most) as u8 } else { 0 }).collect();
                hart.set_vector_register(n, &bytes);
            }
            hart.set_register(COUNTER as u8, TURNS);
            Ok(hart)
        };
        let pair = Pair::new(make()?, make()?, way)?;
        let (stop, compared, native) = pair.run(STEPS, &mut Random::new(seed))?;
        if !matches!(stop, Stop::Ebreak | Stop::Limit) {
            return Err(format!("it ends with {stop:?}"));
        }
        count += compared;
        completed += native.retired();
    }
    Ok((count, completed))
}

/// Random programs over all instructions of vectors.
pub(crate) fn random() -> Result<(), Failed> {
    let isa = description::isa();
    for xlen in [32, 64] {
        let all = instructions(&isa, xlen);
        if all.len() < 600 {
            return Err(format!("only {} instructions of vectors", all.len()).into());
        }
        let (mut count, mut completed) = (Count::default(), 0);
        for seed in 0..rounds(PROGRAMS) as u64 {
            for vlen in LENGTHS {
                let done = one(&isa, &all, (xlen, vlen), seed << 8 | u64::from(xlen));
                let (one, whole) = done.map_err(|why| format!("rv{xlen}, VLEN {vlen}, seed {seed}: {why}"))?;
                count += one;
                completed += whole;
            }
        }
        println!("random programs of vectors, rv{xlen}: {count}; {completed} instructions completed");
        // What traps says nothing of the rest.
        if completed < count.ran / 3 {
            return Err("too many instructions trapped".into());
        }
    }
    Ok(())
}

/// A program that checks itself.
pub(crate) fn written(path: &Path) -> Result<(), Failed> {
    let isa = description::isa();
    let text = std::fs::read_to_string(path)?;
    let features: Vec<&str> =
        said(&text, "features").into_iter().flat_map(str::split_whitespace).chain(["m", "zicsr"]).collect();
    let mut count = Count::default();
    let mut r = Random::new(1);
    for (xlen, vlen) in [32, 64].into_iter().flat_map(|x| LENGTHS.map(|v| (x, v))) {
        let built = build(&isa, xlen, &features, &text);
        for way in WAYS {
            let make = || hart(&isa, xlen, &features, vlen, &built);
            let at = |what: &str| format!("RV{xlen}, VLEN {vlen}: {what}");
            let pair = Pair::new(make(), make(), way).map_err(|e| at(&e))?;
            let (stop, compared, mut native) = pair.run(LONG, &mut r).map_err(|e| at(&e))?;
            if stop != Stop::Ebreak {
                return Err(at(&format!("it ends with {stop:x?}")).into());
            }
            if let Some(wrong) = built.wrong(&text, &mut native) {
                return Err(at(&wrong).into());
            }
            count += compared;
        }
    }
    println!("{}: {count}", path.display());
    Ok(())
}
