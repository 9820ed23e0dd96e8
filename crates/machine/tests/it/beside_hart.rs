//! RISC-V on the machine of any description beside the hart, step by step: the hart's executor is compiled from the same texts, so it
//! says what is so after each step.

use isaglot_bits::Word;
use isaglot_codec::Plan;
use isaglot_hart::{Config, Hart};
use isaglot_machine::{Fault, Machine, Stop};
use isaglot_model::{EncodingId, FeatureId, Isa, RegisterFileId};
use isaglot_testing::{Random, rounds};

const START: u64 = 0x8000_0000;
const SIZE: u64 = 0x1_0000;

/// A machine and a hart with the same memory and the features that the hart has.
fn pair<'a>(isa: &'a Isa, xlen: u32) -> (Machine<'a>, Hart<'a>) {
    let mut config = Config::new(xlen);
    config.ram = vec![(START, SIZE)];
    // The machine has no devices.
    (config.clint, config.plic) = (None, None);
    let hart = Hart::new(isa, config).expect("a sound machine");
    let on: Vec<FeatureId> = hart.plan().features().collect();
    let mut machine = Machine::new(Plan::with_features(isa, xlen, &on)).expect("it has semantics");
    machine.memory.add_region(START, SIZE).expect("there is room");
    (machine, hart)
}

fn file(isa: &Isa, name: &str) -> RegisterFileId {
    let at = isa.register_files().iter().position(|f| f.name == name).expect("a file");
    RegisterFileId(at as u32)
}

fn memory(machine: &mut Machine<'_>, hart: &mut Hart<'_>) -> (Vec<u8>, Vec<u8>) {
    let mut bytes = vec![0; SIZE as usize];
    machine.memory.read(START, &mut bytes).expect("there is memory");
    (bytes, hart.memory().read(START, SIZE as usize).expect("there is memory"))
}

/// The encodings whose texts are about registers and memory alone.
fn closed(isa: &Isa, xlen: u32) -> Vec<EncodingId> {
    let all = (0..isa.encodings().len() as u32).map(EncodingId);
    all.filter(|&id| isa[id].gens.contains(xlen))
        .filter(|&id| isa.body(id, xlen).is_some_and(|body| !has_calls(&body.statements)))
        .collect()
}

fn has_calls(list: &[isaglot_semantics::Statement]) -> bool {
    use isaglot_semantics::Statement::{Call, If};
    list.iter().any(|statement| match statement {
        Call { .. } => true,
        If(_, then, otherwise) => has_calls(then) || has_calls(otherwise),
        _ => false,
    })
}

#[test]
fn random_words_do_the_same() {
    let isa = super::isa(isaglot_specs::RISCV);
    let mut random = Random::new(5);
    let mut tried = 0;
    for xlen in [32, 64] {
        let (mut machine, mut hart) = pair(&isa, xlen);
        let x = file(&isa, "#x");
        for id in closed(&isa, xlen) {
            for _ in 0..rounds(40) {
                let pattern = &isa[id].pattern;
                let word = Word::from_u64(random.u64(), pattern.width()).and_not(pattern.care()).or(pattern.value());
                // It may be another encoding than the one whose pattern it has.
                let found = hart.instruction(&word).and_then(|id| isa.body(id, xlen));
                if found.is_none_or(|body| has_calls(&body.statements)) {
                    continue;
                }
                let bytes: Vec<u8> = word.le_bytes().collect();
                let at = START + 0x1000 + 4 * (random.u64() % 0x100);
                hart.memory().write(at, &bytes).expect("there is memory");
                machine.memory.write(at, &bytes).expect("there is memory");
                hart.code_changed();
                hart.set_pc(at);
                machine.set_pc(at);
                for n in 1..32 {
                    // Addresses in memory, and such that control goes where an instruction can be.
                    let value = if n % 2 == 0 { START + 0x4000 + 8 * (random.u64() % 0x800) } else { random.u64() };
                    hart.set_register(n, value);
                    machine.set_register(x, u32::from(n), &Word::from_u64(value, xlen));
                }
                let (stop, wanted) = (machine.step(), hart.step());
                let name = format!("RV{xlen} {} at {at:#x}: {stop:?}, {wanted:?}", word.hex());
                match wanted {
                    Some(_) => assert!(matches!(stop, Some(Stop::Fault(_))), "{name}"),
                    // An address that is not aligned for the hart's extensions, which no text says.
                    None if hart.csr(0x342).is_some_and(|cause| cause != 0) => continue,
                    None => assert_eq!(stop, None, "{name}"),
                }
                if wanted.is_none() {
                    assert_eq!(machine.pc(), hart.pc(), "{name}");
                }
                for n in 0..32 {
                    assert_eq!(machine.register(x, u32::from(n)).low_u64(), hart.register(n), "x{n}: {name}");
                }
                tried += 1;
            }
        }
        let (ours, theirs) = memory(&mut machine, &mut hart);
        assert!(ours == theirs, "memory of RV{xlen}");
    }
    println!("{tried} steps alike");
    assert!(tried > 300, "{tried}");
}

#[test]
fn a_program_runs_in_lock_step() {
    let isa = super::isa(isaglot_specs::RISCV);
    for xlen in [32, 64] {
        let (mut machine, mut hart) = pair(&isa, xlen);
        let x = file(&isa, "#x");
        for (at, word) in SIEVE.iter().enumerate() {
            let at = START + 4 * at as u64;
            hart.memory().write(at, &word.to_le_bytes()).expect("there is memory");
            machine.memory.write(at, &word.to_le_bytes()).expect("there is memory");
        }
        hart.set_pc(START);
        machine.set_pc(START);
        let mut steps = 0;
        loop {
            let (stop, wanted) = (machine.step(), hart.step());
            if let Some(stop) = stop {
                let breakpoint = Fault::Trap { cause: "breakpoint".to_owned(), value: None };
                assert!(
                    matches!(&stop, Stop::Fault(fault @ Fault::Trap { .. }) if named(fault) == named(&breakpoint)),
                    "{stop:?}"
                );
                assert!(wanted.is_some(), "{steps}");
                break;
            }
            assert_eq!(wanted, None, "{steps}");
            assert_eq!(machine.pc(), hart.pc(), "{steps}");
            let ours: Vec<u64> = (0..32).map(|n| machine.register(x, n).low_u64()).collect();
            let theirs: Vec<u64> = (0..32).map(|n| hart.register(n)).collect();
            assert_eq!(ours, theirs, "RV{xlen}, step {steps}");
            steps += 1;
            assert!(steps < 100_000, "it ends");
        }
        assert_eq!(machine.register(x, 10).low_u64(), 168, "primes below 1000");
        let (ours, theirs) = memory(&mut machine, &mut hart);
        assert!(ours == theirs, "memory of RV{xlen}");
        println!("RV{xlen}: {steps} steps alike");
    }
}

fn named(fault: &Fault) -> Option<&str> {
    match fault {
        Fault::Trap { cause, .. } => Some(cause),
        _ => None,
    }
}

/// Counts the primes below 1000 into `a0`, with a byte for each number in memory.
const SIEVE: &[u32] = &[
    0x0000_4297, // auipc t0, 4
    0x3e80_0313, // li t1, 1000
    0x0000_0513, // li a0, 0
    0x0020_0393, // li t2, 2
    0x0263_de63, // 1: bge t2, t1, 4f
    0x0072_8e33, // add t3, t0, t2
    0x000e_4e83, // lbu t4, 0(t3)
    0x020e_9463, // bnez t4, 3f
    0x0015_0513, // addi a0, a0, 1
    0x0073_8f33, // add t5, t2, t2
    0x0010_0f93, // li t6, 1
    0x006f_5c63, // 2: bge t5, t1, 3f
    0x01e2_8e33, // add t3, t0, t5
    0x01fe_0023, // sb t6, 0(t3)
    0x007f_0f33, // add t5, t5, t2
    0xff1f_f06f, // j 2b
    0x0000_0013, // nop
    0x0013_8393, // 3: addi t2, t2, 1
    0xfc9f_f06f, // j 1b
    0x0010_0073, // 4: ebreak
];
