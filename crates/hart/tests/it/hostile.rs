//! Programs that mean harm: random words as code at every level, wild addresses, endless loops, code that writes itself.
//! Nothing may panic, and every run ends.

use isaglot_hart::{Config, Hart, Level, Start, Stop, TrapModel};
use isaglot_testing::Random;

use crate::description;

const START: u64 = 0x8000_0000;

fn hart<'a>(isa: &'a isaglot_model::Isa, xlen: u32, words: &[u32]) -> Hart<'a> {
    let mut hart = Hart::new(isa, Config::new(xlen)).expect("a sound machine");
    let bytes: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).collect();
    hart.memory().write(START, &bytes).expect("it fits");
    hart.set_pc(START);
    hart
}

#[test]
fn random_words_end() {
    let isa = description::isa();
    let mut random = Random::new(1);
    for round in 0..400 {
        let xlen = if round % 2 == 0 { 32 } else { 64 };
        // Real major opcodes get further than pure noise.
        let majors = [0x03, 0x0b, 0x0f, 0x13, 0x17, 0x1b, 0x23, 0x2f, 0x33, 0x37, 0x3b, 0x63, 0x67, 0x6f, 0x73];
        let words: Vec<u32> = (0..256)
            .map(|_| {
                let word = random.u32();
                if round % 4 < 2 { word } else { word & !0x7f | random.pick(&majors) }
            })
            .collect();
        let mut config = Config::new(xlen);
        config.start = [Level::User, Level::Super, Level::Mach][round % 3];
        config.levels = [0b1011, 0b1111, 0b1001, 0b1000][round % 4] | 1 << config.start as u8;
        config.ebreak_stops = round % 5 == 0;
        config.trap_model = if round % 7 == 0 { TrapModel::OneLevelUp } else { TrapModel::Riscv };
        let mut hart = Hart::new(&isa, config).expect("a sound machine");
        let bytes: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).collect();
        hart.memory().write(START, &bytes).expect("it fits");
        for number in 1..32 {
            let value = random.u64();
            hart.set_register(number, if number % 2 == 0 { START + value % 4096 } else { value });
        }
        hart.set_pc(START + (random.below(1024) & !1));
        hart.run(5000);
        assert_eq!(hart.register(0), 0);
        assert!(hart.retired() <= 5000);
    }
}

#[test]
fn limits_are_exact() {
    let isa = description::isa();
    // addi a0, a0, 1 three times; j back.
    let mut hart = hart(&isa, 64, &[0x0015_0513, 0x0015_0513, 0x0015_0513, 0xff5f_f06f]);
    assert_eq!(hart.run(10), Stop::Limit);
    assert_eq!((hart.retired(), hart.register(10), hart.pc()), (10, 8, START + 8));
    assert_eq!(hart.run(1_000_003), Stop::Limit);
    assert_eq!(hart.retired(), 1_000_013);
}

#[test]
fn code_that_writes_itself() {
    let isa = description::isa();
    // Stores `li a0, 7` (a1) over the instruction after `fence.i`, twice with another value, and runs it each time.
    let program = [
        0x0000_0297, // auipc t0, 0
        0x00b2_a823, // sw a1, 16(t0)
        0x0000_100f, // fence.i
        0x0000_0013, // nop
        0x0010_0513, // li a0, 1; overwritten
        0x00a3_0333, // add t1, t1, a0
        0x0006_0593, // mv a1, a2
        0xfff6_8693, // addi a3, a3, -1
        0xfe06_90e3, // bnez a3, start
        0x0010_0073, // ebreak
    ];
    let mut hart = hart(&isa, 64, &program);
    hart.set_register(11, 0x0070_0513); // li a0, 7
    hart.set_register(12, 0x0300_0513); // li a0, 48
    hart.set_register(13, 2);
    assert_eq!(hart.run(100), Stop::Ebreak);
    assert_eq!(hart.register(6), 55);
}

#[test]
fn wild_addresses_fault() {
    let isa = description::isa();
    for (xlen, address) in [(32, 0xffff_ffff), (32, 0xffff_fffe), (64, u64::MAX), (64, u64::MAX - 3), (64, 0x7fff_ffff)]
    {
        for word in [0x0005_2583, 0x00b5_2023, 0x0005_2503] {
            // lw a1, 0(a0); sw a1, 0(a0); lw a0, 0(a0)
            let mut config = Config::new(xlen);
            config.trap_model = TrapModel::OneLevelUp;
            let mut hart = Hart::new(&isa, config).expect("a sound machine");
            hart.memory().write(START, &u32::to_le_bytes(word)).expect("it fits");
            hart.set_pc(START);
            hart.set_register(10, address);
            assert!(matches!(hart.run(10), Stop::Trap(_)));
            assert_eq!((hart.register(10), hart.pc()), (address, START));
        }
    }
}

#[test]
fn random_system_calls_end() {
    let isa = description::isa();
    let mut random = Random::new(1);
    for round in 0..60 {
        let xlen = if round % 2 == 0 { 32 } else { 64 };
        let mut config = Config::new(xlen);
        config.start = Level::User;
        // ecall; j back.
        let words = [0x0000_0073_u32, 0xffdf_f06f];
        let mut hart = Hart::new(&isa, config).expect("a sound machine");
        hart.memory().write(START, &words.map(u32::to_le_bytes).concat()).expect("it fits");
        let start = Start { arguments: vec![b"name".to_vec()], entry: START, end: START + 0x1000, ..Start::default() };
        hart.start_process(&start).expect("it fits");
        let stack = hart.register(2);
        for _ in 0..200 {
            for number in 10..16 {
                let near =
                    [0, 3, 0x32, 0x22, 4096, u64::MAX, u64::MAX - 4095, START, START + 0x2000, stack, stack - 4096];
                let value = if random.below(4) == 0 { random.u64() } else { *random.pick(&near) };
                hart.set_register(number, value);
            }
            hart.set_register(17, random.below(450));
            match hart.run(2) {
                Stop::Limit | Stop::Exit(_) => {}
                stop => {
                    // Its code may be gone.
                    assert!(matches!(stop, Stop::Trap(_)), "{stop:?}");
                    break;
                }
            }
        }
    }
}

#[test]
fn random_semihosting_ends() {
    let isa = description::isa();
    let mut random = Random::new(2);
    for round in 0..60 {
        let xlen = if round % 2 == 0 { 32 } else { 64 };
        // slli x0, x0, 31; ebreak; srai x0, x0, 7; j back.
        let words = [0x01f0_1013, 0x0010_0073, 0x4070_5013, 0xff5f_f06f];
        let mut hart = hart(&isa, xlen, &words);
        hart.set_semihosting(b"name one", (START + 0x1000, START + 0x2000));
        let block = START + 0x100;
        for _ in 0..200 {
            let near = [0, 1, 3, 8, 64, u64::MAX, START, block, block + 0x800, 1 << 40];
            for at in 0..4 {
                let value = if random.below(4) == 0 { random.u64() } else { *random.pick(&near) };
                let bytes = value.to_le_bytes();
                hart.memory().write(block + at * u64::from(xlen / 8), &bytes).expect("it fits");
            }
            hart.memory().write(block + 0x800, b":tt\0").expect("it fits");
            hart.set_register(10, random.below(64));
            hart.set_register(11, if random.below(8) == 0 { random.u64() } else { block });
            match hart.run(4) {
                Stop::Limit | Stop::Exit(_) => hart.set_pc(START),
                // Its code may be gone.
                stop => {
                    assert!(matches!(stop, Stop::Trap(_) | Stop::Ebreak), "{stop:?}");
                    break;
                }
            }
        }
    }
}

/// A small machine with a device, and a program that uses it, as the fuzzer's input.
const SEED: &str = "a:B{ uuid: 5 state n : 9 = 3 go rd rs1 rs2 : xcmd0 rd rs1 rs2 semantics { n = n + 1; rd = data * rs2 + zext(n, xlen) } }
---
levels = [\"user\", \"mach\"]
start_priv = \"user\"
start_context = \"c\"
shared = [\"d\"]
ram = [0x1000, 0x2000]
[[device]]
name = \"d\"
serves = [{ interface = \"a:B\" }]
[[context.c.device]]
name = \"d\"
serves = [{ interface = \"a:B\" }]
[context.f]
number = 7
[devices.e]
state = { v = 7 }
subs = { 1 = { 0 = { ret = [\"add\", \"$v\", [\"rol\", \"rs2\", 3]], set = { v = \"data\" } }, 1 = { semantics = \"rd = v\" } } }
---
";

#[test]
fn mutated_machines_and_programs_end() {
    let isa = description::isa();
    let mut random = Random::new(1);
    let mut seed = SEED.as_bytes().to_vec();
    // lui a0, 5; xext a1, a0, a2; xcmd0 a3, a1, a1; csrrwi a4, mxcontext, 7; add; jal back.
    for word in [0x0000_5537_u32, 0x02c5_058b, 0x00b5_868b, 0x7c03_d773, 0x00b5_0533, 0xff1f_f06f] {
        seed.extend(word.to_le_bytes());
    }
    isaglot_hart::oracle::exercise(&isa, &seed);
    for _ in 0..300 {
        isaglot_hart::oracle::exercise(&isa, &random.mutated(&seed, &["0", "[", "]", "{", "}", "=", "\"", "9", ";"]));
    }
}
