//! Floating point beside Berkeley's TestFloat: its operands, results and flags, for every operation and rounding mode of half, single
//! and double precision, by the instructions of F, D, Zfh and Zfa one operand at a time, and by those of vectors many at a time.
//!
//! Debian has no package of it; QEMU's source has it as `tests/fp`. SoftFloat is built with `SPECIALIZE_TYPE=RISCV`, which gives
//! RISC-V's NaNs and integers, and `testfloat_gen` with that library. Where `testfloat_gen` is not in the path, or is not for RISC-V,
//! these tests are ignored: the comparison with QEMU is what always runs.

use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

use isaglot_hart::{Config, Hart, Level, Stop, TrapModel};
use isaglot_testing::{Failed, Trial};

use crate::description;

/// Operands of each operation and rounding mode: the least that TestFloat makes, and what `ISAGLOT_FULL=1` asks for.
const OPERANDS: usize = 46_464;
const ALL_OPERANDS: usize = 100_000;
/// Of three operands TestFloat makes no fewer; only each of so many is taken, and of so many in a full run.
const TRIPLES: usize = 6_133_248;
const STEP: usize = 997;
const FULL_STEP: usize = 61;

/// Rounding modes by RISC-V's number, and the one that rounds to odd, which only a vector instruction has.
const MODES: [&str; 6] = ["-rnear_even", "-rminMag", "-rmin", "-rmax", "-rnear_maxMag", "-rodd"];
const ODD: usize = 5;
/// Static modes are in the word; this one is in the control register.
const DYNAMIC: u32 = 7;

const CODE: u64 = 0x1000_0000;
/// Bits of a vector register here: many elements at a time.
const VLEN: usize = 1024;

/// A format: TestFloat's name, the codes of its width in scalar and in vector instructions, bits.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Format {
    name: &'static str,
    code: u32,
    size: u32,
    bits: u32,
}

const FORMATS: [Format; 3] = [
    Format { name: "f16", code: 2, size: 1, bits: 16 },
    Format { name: "f32", code: 0, size: 2, bits: 32 },
    Format { name: "f64", code: 1, size: 3, bits: 64 },
];
/// TestFloat's integers, by the number that conversions give them; bits.
const INTEGERS: [(&str, u32); 4] = [("i32", 32), ("ui32", 32), ("i64", 64), ("ui64", 64)];

/// Where an operand or a result is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Float(u32),
    Integer(u32),
    /// A comparison's bit; in vectors, of a mask.
    Bit,
}

/// How a vector instruction says the same.
#[derive(Clone, Copy)]
struct Vector {
    word: u32,
    /// The code of the width of elements.
    size: u32,
}

/// What TestFloat is asked, and the instructions that answer.
struct Operation {
    function: String,
    options: &'static [&'static str],
    from: Kind,
    to: Kind,
    operands: usize,
    /// Words with 0 for the rounding mode. Of several, each negates other operands, which this undoes: bit n for operand n.
    words: Vec<(u32, u8)>,
    rounds: bool,
    vector: Option<Vector>,
}

/// fa3 from fa0, fa1, or from a0, or a3 from them.
fn word(function: u32, code: u32, second: u32, mode: u32) -> u32 {
    function << 27 | code << 25 | second << 20 | 10 << 15 | mode << 12 | 13 << 7 | 0x53
}

/// v8 from v16 and v24, or from v16 with this code.
fn vector(function: u32, first: u32, size: u32) -> Option<Vector> {
    Some(Vector { word: function << 26 | 1 << 25 | 16 << 20 | first << 15 | 1 << 12 | 8 << 7 | 0x57, size })
}

/// All that begin or end with this format; between two, those that begin with it.
fn operations(f: Format) -> Vec<Operation> {
    let mut all = Vec::new();
    let kind = Kind::Float(f.bits);
    let mut add = |function: String, options, from, to, operands, words, rounds, vector| {
        all.push(Operation { function, options, from, to, operands, words, rounds, vector });
    };
    for (name, function, of_vectors) in [("add", 0, 0), ("sub", 1, 2), ("mul", 2, 0x24), ("div", 3, 0x20)] {
        let words = vec![(word(function, f.code, 11, 0), 0)];
        add(format!("{}_{name}", f.name), &[][..], kind, kind, 2, words, true, vector(of_vectors, 24, f.size));
    }
    let root = vec![(word(0x0b, f.code, 0, 0), 0)];
    add(format!("{}_sqrt", f.name), &[], kind, kind, 1, root, true, vector(0x13, 0, f.size));
    let sums = [(0x43, 0), (0x47, 4), (0x4b, 1), (0x4f, 5)];
    let words = sums.iter().map(|s| (12 << 27 | f.code << 25 | 11 << 20 | 10 << 15 | 13 << 7 | s.0, s.1)).collect();
    let sum = vector(0x2c, 24, f.size);
    add(format!("{}_mulAdd", f.name), &[], kind, kind, 3, words, true, sum);
    for (name, mode, of_vectors) in [
        ("le", 0, Some(0x19)),
        ("lt", 1, Some(0x1b)),
        ("eq", 2, Some(0x18)),
        ("le_quiet", 4, None),
        ("lt_quiet", 5, None),
    ] {
        let of_vectors = of_vectors.and_then(|function| vector(function, 24, f.size));
        let words = vec![(word(0x14, f.code, 11, mode), 0)];
        add(format!("{}_{name}", f.name), &[], kind, Kind::Bit, 2, words, false, of_vectors);
    }
    for (options, code) in [(&["-notexact"][..], 4), (&["-exact"][..], 5)] {
        let words = vec![(word(0x08, f.code, code, 0), 0)];
        add(format!("{}_roundToInt", f.name), options, kind, kind, 1, words, true, None);
    }
    for (code, (name, bits)) in (0..).zip(INTEGERS) {
        // In vectors the unsigned one is the first, and widths are equal, or one is twice the other.
        let of_vectors = |code: u32, from: u32| match bits.cmp(&f.bits) {
            _ if bits.max(f.bits) > 2 * bits.min(f.bits) => None,
            std::cmp::Ordering::Equal => vector(0x12, code, f.size),
            _ if bits > from || f.bits > from => vector(0x12, code + 8, if from == 16 { 1 } else { 2 }),
            _ => vector(0x12, code + 16, 2),
        };
        let unsigned = 1 - code % 2;
        let out = vec![(word(0x18, f.code, code, 0), 0)];
        let to = of_vectors(unsigned, f.bits);
        add(format!("{}_to_{name}", f.name), &["-exact"], kind, Kind::Integer(bits), 1, out, true, to);
        let back = vec![(word(0x1a, f.code, code, 0), 0)];
        let of = of_vectors(2 + unsigned, bits);
        // From 32 bits to 16 an instruction narrows to elements of 16.
        let of = of.map(|v| Vector { size: if f.bits < bits { f.size } else { v.size }, ..v });
        add(format!("{name}_to_{}", f.name), &[], Kind::Integer(bits), kind, 1, back, true, of);
    }
    for g in FORMATS.into_iter().filter(|g| g.name != f.name) {
        let of_vectors = match (f.bits, g.bits) {
            (from, to) if to == 2 * from => vector(0x12, 12, f.size),
            (from, to) if from == 2 * to => vector(0x12, 20, g.size),
            _ => None,
        };
        let words = vec![(word(0x08, g.code, f.code, 0), 0)];
        add(format!("{}_to_{}", f.name, g.name), &[], kind, Kind::Float(g.bits), 1, words, true, of_vectors);
    }
    all
}

/// What TestFloat says, a case at a time: operands, the result, flags.
fn cases(
    operation: &Operation,
    mode: &str,
    count: usize,
    step: usize,
    mut each: impl FnMut([u64; 3], u64, u8),
) -> Result<usize, Failed> {
    let mut command = Command::new("testfloat_gen");
    command.args([mode, "-n", &count.to_string()]).args(operation.options).arg(&operation.function);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn()?;
    let mut lines = BufReader::with_capacity(1 << 16, child.stdout.take().ok_or("no output")?);
    let (mut line, mut at, mut taken) = (Vec::new(), 0, 0);
    while lines.read_until(b'\n', &mut line)? > 0 {
        if at % step == 0 {
            let number = |text: &[u8]| u64::from_str_radix(&String::from_utf8_lossy(text), 16);
            let mut numbers = [0; 5];
            let mut length = 0;
            for (place, text) in numbers.iter_mut().zip(line.trim_ascii().split(|&b| b == b' ')) {
                (*place, length) = (number(text)?, length + 1);
            }
            if length != operation.operands + 2 {
                return Err(format!("testfloat_gen says {:?}", String::from_utf8_lossy(&line)).into());
            }
            let mut operands = [0; 3];
            operands[..operation.operands].copy_from_slice(&numbers[..operation.operands]);
            each(operands, numbers[length - 2], numbers[length - 1] as u8);
            taken += 1;
        }
        at += 1;
        line.clear();
    }
    if child.wait()?.success() && at == count {
        Ok(taken)
    } else {
        Err(format!("testfloat_gen gives {at} cases").into())
    }
}

fn machine(isa: &isaglot_model::Isa) -> Result<Hart<'_>, Failed> {
    let mut config = Config::new(64);
    config.trap_model = TrapModel::OneLevelUp;
    config.start = Level::User;
    config.vlen = VLEN as u32;
    let extensions = "m a zaamo zalrsc f d zfh zfa zicsr v zvfh";
    config.extensions = Some(extensions.split_whitespace().map(str::to_owned).collect());
    config.ram = vec![(CODE, 4096)];
    Ok(Hart::new(isa, config)?)
}

/// The bits of a register with this value.
fn boxed(bits: u32, value: u64) -> u64 {
    if bits == 64 { value } else { value | u64::MAX << bits }
}

/// An integer as a register has it: 32 bits always with their sign, whatever it is converted to.
fn extended(bits: u32, value: u64) -> u64 {
    if bits == 32 { value as u32 as i32 as u64 } else { value }
}

fn scalar(hart: &mut Hart<'_>, operation: &Operation, mode: usize, count: usize, step: usize) -> Result<usize, Failed> {
    // Each word with the mode in it, and with the mode of the control register.
    let mut words = Vec::new();
    for &(word, negated) in &operation.words {
        words.push((if operation.rounds { word | (mode as u32) << 12 } else { word }, negated));
        if operation.rounds {
            words.push((word | DYNAMIC << 12, negated));
        }
    }
    let code: Vec<u8> = words.iter().flat_map(|w| w.0.to_le_bytes()).collect();
    hart.memory().write(CODE, &code).map_err(|at| format!("no memory at {at:#x}"))?;
    hart.code_changed();
    let (mut wrong, mut number) = (None, 0);
    let taken = cases(operation, MODES[mode], count, step, |operands, want, want_flags| {
        let which = number % words.len();
        let (word, negated) = words[which];
        number += 1;
        match operation.from {
            Kind::Float(bits) => {
                for (n, operand) in operands.iter().enumerate().take(operation.operands) {
                    let value = operand ^ u64::from(negated >> n & 1) << (bits - 1);
                    hart.set_float_register(10 + n as u8, boxed(bits, value));
                }
            }
            Kind::Integer(_) | Kind::Bit => hart.set_register(10, operands[0]),
        }
        // The mode that is not asked for is another one.
        let other = if word >> 12 & 7 == DYNAMIC { mode } else { (mode + 1 + number) % 5 };
        let _ = hart.set_csr(3, (other << 5) as u64);
        hart.set_pc(CODE + 4 * which as u64);
        let stop = hart.run(1);
        let (got, want) = match operation.to {
            Kind::Float(bits) => (hart.float_register(13), boxed(bits, want)),
            Kind::Integer(bits) => (hart.register(13), extended(bits, want)),
            Kind::Bit => (hart.register(13), want),
        };
        let flags = hart.csr(1).unwrap_or(u64::MAX);
        if stop != Stop::Limit || got != want || flags != u64::from(want_flags) {
            wrong.get_or_insert_with(|| {
                format!(
                    "{word:#010x} of {operands:x?}: TestFloat {want:#x} with flags {want_flags:#x}, we {got:#x} with {flags:#x}, {stop:?}"
                )
            });
        }
    })?;
    match wrong {
        Some(wrong) => Err(format!("{} {}: {wrong}", operation.function, MODES[mode]).into()),
        None => Ok(taken),
    }
}

/// Elements of this many bits in a row.
fn packed(bits: u32, values: impl Iterator<Item = u64>) -> Vec<u8> {
    values.flat_map(|v| v.to_le_bytes().into_iter().take(bits as usize / 8)).collect()
}

fn in_vectors(
    hart: &mut Hart<'_>,
    operation: &Operation,
    mode: usize,
    count: usize,
    step: usize,
) -> Result<usize, Failed> {
    let Some(vector) = operation.vector else { return Ok(0) };
    let (Kind::Float(from) | Kind::Integer(from)) = operation.from else { return Ok(0) };
    let word = if mode == ODD { vector.word & !(31 << 15) | 21 << 15 } else { vector.word };
    // vsetvl x0, a0, a1
    let code = [0x80b5_7057_u32.to_le_bytes(), word.to_le_bytes()].concat();
    hart.memory().write(CODE, &code).map_err(|at| format!("no memory at {at:#x}"))?;
    hart.code_changed();
    let lanes = VLEN / 64;
    let mut wrong = None;
    let mut run = |group: &[([u64; 3], u64, u8)]| {
        let of = |n: usize| packed(from, group.iter().map(|c| c.0[n]));
        for (register, n) in [(16, 0), (24, 1), (8, 2)] {
            hart.set_vector_register(register, &of(n));
        }
        hart.set_register(10, group.len() as u64);
        hart.set_register(11, u64::from(vector.size << 3 | 0xc0));
        // Rounding to odd is in the word.
        let _ = hart.set_csr(3, ((mode % ODD) << 5) as u64);
        hart.set_pc(CODE);
        let stop = hart.run(2);
        let result = |n: usize, bits: u32| {
            let size = bits as usize / 8;
            let at = 8 * VLEN / 8 + n * size;
            let mut value = [0; 8];
            value[..size].copy_from_slice(&hart.vector_registers()[at..at + size]);
            u64::from_le_bytes(value)
        };
        let flags = hart.csr(1).unwrap_or(u64::MAX);
        let want_flags = group.iter().fold(0, |all, c| all | c.2);
        for (n, (operands, want, _)) in group.iter().enumerate() {
            let got = match operation.to {
                Kind::Float(bits) | Kind::Integer(bits) => result(n, bits),
                Kind::Bit => u64::from(hart.vector_registers()[8 * VLEN / 8 + n / 8] >> (n % 8) & 1),
            };
            if got != *want || stop != Stop::Limit || flags != u64::from(want_flags) {
                wrong.get_or_insert_with(|| {
                    format!(
                        "{word:#010x}, element {n} of {operands:x?}: TestFloat {want:#x}, all flags {want_flags:#x}, we {got:#x}, {flags:#x}, {stop:?}"
                    )
                });
            }
        }
    };
    let mut group = Vec::new();
    let taken = cases(operation, MODES[mode], count, step, |operands, want, flags| {
        group.push((operands, want, flags));
        if group.len() == lanes {
            run(&group);
            group.clear();
        }
    })?;
    if !group.is_empty() {
        run(&group);
    }
    match wrong {
        Some(wrong) => Err(format!("{} {} of vectors: {wrong}", operation.function, MODES[mode]).into()),
        None => Ok(taken),
    }
}

fn compare(format: Format) -> Result<(), Failed> {
    let isa = description::isa();
    let mut hart = machine(&isa)?;
    let is_full = std::env::var_os("ISAGLOT_FULL").is_some();
    let (mut totals, mut wrong, mut pairs) = ([0; 2], Vec::new(), 0);
    for operation in operations(format) {
        let (count, step) = match operation.operands {
            3 => (TRIPLES, if is_full { FULL_STEP } else { STEP }),
            _ => (if is_full { ALL_OPERANDS } else { OPERANDS }, 1),
        };
        // What does not round has no mode, but must not look at the one that there is.
        let modes = if operation.rounds { ODD } else { 1 };
        for mode in 0..modes {
            match scalar(&mut hart, &operation, mode, count, step) {
                Ok(taken) => totals[0] += taken,
                Err(why) => wrong.push(why),
            }
        }
        let narrows = matches!((operation.from, operation.to), (Kind::Float(a), Kind::Float(b)) if a == 2 * b);
        for mode in (0..modes).chain(narrows.then_some(ODD)) {
            match in_vectors(&mut hart, &operation, mode, count, step) {
                Ok(taken) => totals[1] += taken,
                Err(why) => wrong.push(why),
            }
        }
        pairs += modes + usize::from(narrows);
    }
    println!(
        "testfloat: {}: {pairs} operations with rounding modes, {} operands of instructions, {} in vectors; {} differ",
        format.name,
        totals[0],
        totals[1],
        wrong.len()
    );
    let said: Vec<String> = wrong.iter().map(|w| format!("{w:?}")).collect();
    if wrong.is_empty() { Ok(()) } else { Err(said.join("\n").into()) }
}

/// Whether the program is there and knows RISC-V's result of a NaN as an integer.
fn probe() -> Result<(), String> {
    let out = Command::new("testfloat_gen").args(["-n", "600", "f32_to_ui32"]).output().map_err(|e| e.to_string())?;
    let text = String::from_utf8_lossy(&out.stdout).into_owned();
    let nan = text.lines().find(|l| l.starts_with("FFFFFFFF ") || l.starts_with("FFFFFFFE "));
    match nan {
        Some(line) if line.ends_with("FFFFFFFF 10") => Ok(()),
        other => Err(format!("testfloat_gen is not for RISC-V: {other:?}")),
    }
}

pub(crate) fn trials() -> Vec<Trial> {
    let missing = probe().err();
    let trial = |format: Format| {
        let trial = Trial::test(format!("testfloat_{}", format.name), move || compare(format));
        trial.with_ignored_flag(missing.is_some())
    };
    FORMATS.into_iter().map(trial).collect()
}
