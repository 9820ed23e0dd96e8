//! Programs of the stock compiler and every instruction on edge operands: the same output as on qemu (Debian:
//! `gcc-riscv64-linux-gnu`, `qemu-user`).

use isaglot_testing::{Failed, Trial};

use crate::floats::Place;
use crate::{c_program, description, floats, instructions, peer, twins, vectors};

/// Programs of each width, all of them with `ISAGLOT_FULL=1`, and how many of them a C file holds.
const PROGRAMS: u64 = 200;
const ALL_PROGRAMS: u64 = 1000;
const PER_FILE: u64 = 20;

pub(crate) fn trials() -> Vec<Trial> {
    use isaglot_testing::peer::{RISCV_QEMU, trial};
    let mut trials = vec![Trial::test("ctzw_looks_at_the_word", ctzw)];
    for (xlen, vlen) in [(64, 128), (64, 256), (64, 512), (32, 128), (32, 256), (32, 512)] {
        let setup = vectors::case::Setup { xlen, vlen };
        let name = format!("vectors_rv{xlen}_{vlen}");
        trials.push(trial(name, &[RISCV_QEMU], move || vectors(setup)));
    }
    trials.push(Trial::test("round_to_odd", || vectors::round_to_odd(&description::isa())));
    for xlen in [32, 64] {
        trials.push(trial(format!("programs_rv{xlen}"), &[RISCV_QEMU], move || programs(xlen)));
        trials.push(trial(format!("instructions_rv{xlen}"), &[RISCV_QEMU], move || instructions(xlen)));
        trials.push(trial(format!("twins_rv{xlen}"), &[RISCV_QEMU], move || twins::run(xlen)));
        trials.push(trial(format!("floats_rv{xlen}"), &[RISCV_QEMU], move || floats(xlen, Place::Own)));
        trials
            .push(trial(format!("floats_in_integers_rv{xlen}"), &[RISCV_QEMU], move || floats(xlen, Place::Integers)));
    }
    trials
}

fn programs(xlen: u32) -> Result<(), Failed> {
    let isa = description::isa();
    let dir = tempfile::tempdir()?;
    let mut wrong = Vec::new();
    let count = if std::env::var_os("ISAGLOT_FULL").is_some() { ALL_PROGRAMS } else { PROGRAMS };
    for (n, first) in (0..count).step_by(PER_FILE as usize).enumerate() {
        let name = format!("p{first}.c");
        std::fs::write(dir.path().join(&name), c_program::file(first..first + PER_FILE, n % 4 >= 2))?;
        let level = ["-O2", "-O1", "-Os", "-O0", "-O3"][n % 5];
        // Half of the files for a machine with Zba and Zbb, half with floats. This compiler does not get along with Zbs.
        let extensions = ["imac", "imac_zba_zbb", "imafdc", "imafdc_zba_zbb"][n % 4];
        let program = peer::compile(dir.path(), &name, xlen, extensions, level)?;
        let (want, got) = (peer::on_qemu(&program, xlen)?, peer::on_hart(&isa, &program)?);
        if want.0.is_empty() || want.1 != 0 {
            return Err(format!("{name}: qemu gives nothing").into());
        }
        // Three lines a program.
        let split = |o: &[u8]| o.chunks(3 * 17).map(<[u8]>::to_vec).collect::<Vec<_>>();
        let (want, got) = (split(&want.0), split(&got.0));
        for at in 0..PER_FILE as usize {
            if want.get(at) != got.get(at) {
                wrong.push(first + at as u64);
            }
        }
    }
    println!("qemu: RV{xlen}: {}/{count} C programs", count as usize - wrong.len());
    if wrong.is_empty() { Ok(()) } else { Err(format!("programs {wrong:?} differ").into()) }
}

fn instructions(xlen: u32) -> Result<(), Failed> {
    let isa = description::isa();
    let dir = tempfile::tempdir()?;
    let (text, groups) = instructions::program(xlen);
    std::fs::write(dir.path().join("all.S"), text)?;
    let program = peer::compile(dir.path(), "all.S", xlen, "imac_zifencei_zba_zbb_zbs", "-O0")?;
    let (want, got) = (peer::on_qemu(&program, xlen)?, peer::on_hart(&isa, &program)?);
    if want.1 != 0 || want.0.len() % groups.len() != 0 || want.0.is_empty() {
        return Err("qemu does not run all of it".into());
    }
    let size = want.0.len() / groups.len();
    let same = |(n, _): &(usize, &String)| want.0.chunks(size).nth(*n) == got.0.chunks(size).nth(*n);
    let wrong: Vec<&String> = groups.iter().enumerate().filter(|g| !same(g)).map(|g| g.1).collect();
    println!(
        "qemu: RV{xlen}: {}/{} groups of instructions, {} results",
        groups.len() - wrong.len(),
        groups.len(),
        want.0.len() as u32 / (xlen / 8)
    );
    if wrong.is_empty() { Ok(()) } else { Err(format!("different: {wrong:?}").into()) }
}

/// Operands of each instruction and rounding mode of floating point: all 4,096 pairs of special values and as many random ones, and far
/// more of these with `ISAGLOT_FULL=1`.
fn operands() -> usize {
    if std::env::var_os("ISAGLOT_FULL").is_some() { 100_000 } else { 8_000 }
}

/// What qemu 7.2 does wrong in integer registers: it gives 0, whatever the operands. On RV64 the same texts are compared.
const FAULTS: [(u32, &str); 2] = [(32, "fsgnjn.h"), (32, "fsgnjx.h")];

fn floats(xlen: u32, place: Place) -> Result<(), Failed> {
    let isa = description::isa();
    let dir = tempfile::tempdir()?;
    // The operations are the same, and those that the registers make different are seen by fewer operands.
    let count = if place == Place::Own { operands() } else { operands() / 8 };
    let (text, groups) = floats::program(xlen, &[("h", 16), ("s", 32), ("d", 64)], count, place);
    std::fs::write(dir.path().join("floats.c"), text)?;
    let (target, cpu, extensions) = match place {
        Place::Own => ("imafdc", "Zfh=true", None),
        Place::Integers => (
            "imac_zicsr_zfinx_zdinx_zhinx",
            "f=false,d=false,zfinx=true,zdinx=true,zhinx=true",
            Some(&["m", "a", "zca", "zicsr", "zfinx", "zdinx", "zhinx"][..]),
        ),
    };
    let program = peer::compile(dir.path(), "floats.c", xlen, target, "-O2")?;
    let (want, got) = (peer::on_qemu_with(&program, xlen, cpu)?, peer::on_hart_with(&isa, &program, extensions)?);
    let size = count.div_ceil(floats::CHUNK) * 8;
    if want.1 != 0 || want.0.len() != groups.len() * size {
        return Err("qemu does not run all of it".into());
    }
    let (mut wrong, mut faults) = (Vec::new(), 0);
    for (at, name) in groups.iter().enumerate() {
        let of = |o: &[u8]| o.chunks(size).nth(at).map(<[u8]>::to_vec).unwrap_or_default();
        let (want, got) = (of(&want.0), of(&got.0));
        let differ = want.chunks(8).zip(got.chunks(8)).position(|(w, g)| w != g);
        let fault =
            place == Place::Integers && FAULTS.iter().any(|f| f.0 == xlen && name.split(' ').next() == Some(f.1));
        if fault && differ.is_some() {
            faults += 1;
            continue;
        }
        if differ.is_some() || want.len() != got.len() {
            wrong.push(format!("{name}: the first after operand {}", differ.unwrap_or(0) * floats::CHUNK));
        }
    }
    println!(
        "qemu: RV{xlen}: {}/{} instructions with rounding modes of floating point, {place:?}, {count} operands each; {faults} faults of qemu",
        groups.len() - wrong.len() - faults,
        groups.len()
    );
    if wrong.is_empty() { Ok(()) } else { Err(format!("different:\n{}", wrong.join("\n")).into()) }
}

/// Cases of each vector instruction: far more with `ISAGLOT_FULL=1`.
fn vectors(setup: vectors::case::Setup) -> Result<(), Failed> {
    let is_usual = setup.vlen == 128;
    let each = match std::env::var_os("ISAGLOT_FULL").is_some() {
        true => vectors::FULL / if is_usual { 1 } else { 4 },
        false => {
            if is_usual {
                10
            } else {
                4
            }
        }
    };
    vectors::compare(&description::isa(), setup, each)
}

/// Against the manual: the trailing zeros of the low word, whatever is above.
fn ctzw() -> Result<(), Failed> {
    let isa = description::isa();
    let mut hart = isaglot_hart::Hart::new(&isa, isaglot_hart::Config::new(64))?;
    let start = 0x8000_0000;
    for (value, want) in [(1 << 63, 32), (1 << 32, 32), (0xffff_ffff_8000_0000, 31), (u64::MAX << 4, 4)] {
        // ctzw a1, a0
        hart.memory().write(start, &0x6015_159b_u32.to_le_bytes()).map_err(|at| format!("no memory at {at:#x}"))?;
        hart.set_register(10, value);
        hart.set_pc(start);
        hart.run(1);
        if hart.register(11) != want {
            return Err(format!("ctzw {value:#x} gives {}, not {want}", hart.register(11)).into());
        }
    }
    Ok(())
}
