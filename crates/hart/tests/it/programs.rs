//! Programs for what no compiler writes: control and status registers, traps and returns, waiting, translation fences,
//! overloadable opcodes, jumps to where no instruction can be. Words are made here by hand, so that no tool is needed.
#![allow(dead_code)]

use isaglot_bits::Word;
use isaglot_hart::{Config, Hart, Level, Stop, TrapModel};
use isaglot_model::Isa;

/// Where programs are.
pub(crate) const START: u64 = 0x8000_0000;
/// The handler of the machine level, and of the supervisor.
const MTVEC: u64 = START + 0x200;
const STVEC: u64 = START + 0x300;
/// Where user programs are.
const USER: u64 = START + 0x100;

/// A program with its machine and what must come of it.
pub(crate) struct Program {
    pub(crate) name: String,
    pub(crate) xlen: u32,
    pub(crate) level: Level,
    /// No 16-bit instructions.
    pub(crate) plain: bool,
    /// Offset from the start, and words.
    pub(crate) code: Vec<(u64, Vec<u32>)>,
    /// Registers at the start.
    pub(crate) registers: Vec<(u8, u64)>,
    /// Registers at the end; the run stops at an `ebreak`.
    pub(crate) expect: Vec<(u8, u64)>,
    pub(crate) end: Level,
}

fn i(opcode: u32, f3: u32, rd: u32, rs1: u32, imm: i32) -> u32 {
    (imm as u32) << 20 | rs1 << 15 | f3 << 12 | rd << 7 | opcode
}
fn r(opcode: u32, f3: u32, f7: u32, rd: u32, rs1: u32, rs2: u32) -> u32 {
    f7 << 25 | rs2 << 20 | rs1 << 15 | f3 << 12 | rd << 7 | opcode
}
/// A CSR instruction; `source` is a register or five bits.
fn csr(f3: u32, rd: u32, number: u32, source: u32) -> u32 {
    number << 20 | source << 15 | f3 << 12 | rd << 7 | 0x73
}
fn addi(rd: u32, rs1: u32, imm: i32) -> u32 {
    i(0x13, 0, rd, rs1, imm)
}
fn xext(j: u32, rd: u32, rs1: u32, rs2: u32) -> u32 {
    r(0x0b, j, 1, rd, rs1, rs2)
}
fn xcmd(k: u32, rd: u32, rs1: u32, rs2: u32) -> u32 {
    r(0x0b, k, 0, rd, rs1, rs2)
}
const EBREAK: u32 = 0x0010_0073;
const ECALL: u32 = 0x73;
const MRET: u32 = 0x3020_0073;
const SRET: u32 = 0x1020_0073;
const WFI: u32 = 0x1050_0073;
const FENCE_I: u32 = 0x0000_100f;
fn sfence(rs1: u32, rs2: u32) -> u32 {
    r(0x73, 0, 9, 0, rs1, rs2)
}

/// What the machine's handler leaves: t0 cause, t1 place, t2 value; it stops there.
fn handler() -> (u64, Vec<u32>) {
    (MTVEC - START, vec![csr(2, 5, 0x342, 0), csr(2, 6, 0x341, 0), csr(2, 7, 0x343, 0), EBREAK])
}

/// The programs for a register width.
pub(crate) fn programs(xlen: u32) -> Vec<Program> {
    let mut all = Vec::new();
    let all_ones = if xlen == 32 { 0xffff_ffff } else { u64::MAX };
    let program = |name: &str, level, code: Vec<u32>, registers: &[(u8, u64)], expect: &[(u8, u64)], end| Program {
        name: name.to_owned(),
        xlen,
        level,
        plain: false,
        code: vec![(0, code), handler()],
        registers: registers.to_vec(),
        expect: expect.to_vec(),
        end,
    };
    let mut add = |name: &str, level, code, registers: &[(u8, u64)], expect: &[(u8, u64)], end| {
        all.push(program(name, level, code, registers, expect, end));
    };
    let m = Level::Mach;
    // mscratch: swapped, set, cleared, with registers and with five bits; the old value comes back.
    add(
        "csr with registers",
        m,
        vec![
            csr(1, 10, 0x340, 11),
            csr(1, 12, 0x340, 13),
            csr(2, 14, 0x340, 15),
            csr(3, 16, 0x340, 17),
            csr(2, 18, 0x340, 0),
            EBREAK,
        ],
        &[(10, 7), (11, 0x1234), (13, 0xff00), (15, 0x00f3), (17, 0x0f01)],
        &[(10, 0), (12, 0x1234), (14, 0xff00), (16, 0xfff3), (18, 0xf0f2)],
        m,
    );
    add(
        "csr with immediates",
        m,
        vec![
            csr(5, 10, 0x340, 21),
            csr(6, 11, 0x340, 10),
            csr(7, 12, 0x340, 3),
            csr(2, 13, 0x340, 0),
            csr(5, 0, 0x340, 31),
            csr(6, 14, 0x340, 0),
            csr(7, 15, 0x340, 0),
            EBREAK,
        ],
        &[(10, 9)],
        &[(10, 0), (11, 21), (12, 31), (13, 28), (14, 31), (15, 31)],
        m,
    );
    // Setting and clearing with nothing does not write, so it is allowed on a read-only register; writing is not.
    add(
        "read-only csr read",
        m,
        vec![csr(2, 10, 0xf14, 0), csr(6, 11, 0xf14, 0), csr(3, 12, 0xf14, 0), csr(7, 13, 0xf14, 0), EBREAK],
        &[(10, 1), (11, 1), (12, 1), (13, 1)],
        &[(10, 0), (11, 0), (12, 0), (13, 0)],
        m,
    );
    for (name, word) in [
        ("csrrs", csr(2, 10, 0xf14, 11)),
        ("csrrc", csr(3, 10, 0xf14, 11)),
        ("csrrw", csr(1, 0, 0xf14, 0)),
        ("csrrwi", csr(5, 0, 0xf14, 0)),
        ("csrrsi", csr(6, 10, 0xf14, 1)),
        ("csrrci", csr(7, 10, 0xf14, 1)),
    ] {
        add(
            &format!("read-only csr by {name}"),
            m,
            vec![word, EBREAK],
            &[(10, 5)],
            &[(5, 2), (6, START), (7, u64::from(word)), (10, 5)],
            m,
        );
    }
    for number in [0xc00, 0xc01, 0xc02] {
        add(
            &format!("counter {number:#x}"),
            m,
            vec![addi(0, 0, 0), addi(0, 0, 0), csr(2, 10, number, 0), EBREAK],
            &[],
            &[(10, 2)],
            m,
        );
    }
    if xlen == 32 {
        for number in [0xc80, 0xc81, 0xc82] {
            add(
                &format!("counter {number:#x}"),
                m,
                vec![addi(0, 0, 0), csr(2, 10, number, 0), EBREAK],
                &[(10, 3)],
                &[(10, 0)],
                m,
            );
        }
    }
    // Waiting is over at once; fences do nothing here.
    for level in [Level::User, Level::Super, m] {
        add("wfi and fence.i", level, vec![WFI, FENCE_I, addi(10, 10, 1), EBREAK], &[(10, 4)], &[(10, 5)], level);
    }
    for (level, legal) in [(Level::User, false), (Level::Super, true), (m, true)] {
        for (rs1, rs2) in [(0, 0), (11, 0), (0, 12), (11, 12)] {
            let word = sfence(rs1, rs2);
            let expect: &[(u8, u64)] =
                if legal { &[(10, 5)] } else { &[(5, 2), (6, START), (7, u64::from(word)), (10, 4)] };
            let end = if legal { level } else { m };
            add("sfence.vma", level, vec![word, addi(10, 10, 1), EBREAK], &[(10, 4)], expect, end);
        }
    }
    for (level, cause) in [(Level::User, 8), (Level::Super, 9), (m, 11)] {
        add(
            "ecall",
            level,
            vec![addi(10, 10, 1), ECALL, addi(10, 10, 8)],
            &[(10, 4)],
            &[(5, cause), (6, START + 4), (10, 5)],
            m,
        );
    }
    for word in [MRET, SRET] {
        add(
            "return without the right",
            Level::User,
            vec![word, EBREAK],
            &[],
            &[(5, 2), (6, START), (7, u64::from(word))],
            m,
        );
    }
    add("mret", m, vec![csr(1, 0, 0x341, 11), csr(1, 0, 0x300, 0), MRET], &[(11, START + 0x400)], &[], Level::User);
    if let Some(p) = all.last_mut() {
        p.code.push((0x400, vec![addi(10, 0, 3), EBREAK]));
        p.expect.push((10, 3));
    }
    let mut add = |p: Program| all.push(p);
    // From the supervisor to the user and back through a delegated call.
    add(Program {
        name: "sret and delegation".to_owned(),
        xlen,
        level: m,
        plain: false,
        code: vec![
            (0, vec![csr(1, 0, 0x302, 12), csr(1, 0, 0x105, 13), csr(1, 0, 0x341, 14), csr(1, 0, 0x300, 15), MRET]),
            (STVEC - START, vec![csr(2, 5, 0x142, 0), csr(2, 6, 0x141, 0), addi(6, 6, 4), csr(1, 0, 0x141, 6), SRET]),
            (USER - START, vec![ECALL, addi(10, 10, 1), EBREAK]),
            (0x400, vec![csr(1, 0, 0x141, 16), csr(2, 0, 0x100, 0), SRET]),
            handler(),
        ],
        registers: vec![(12, 1 << 8), (13, STVEC), (14, START + 0x400), (15, 1 << 11), (16, USER), (10, 1)],
        expect: vec![(5, 8), (6, USER + 4), (10, 2)],
        end: Level::User,
    });
    // Overloadable opcodes: unit 32 is a device that gives back rs1 ^ rs2, at the user level only.
    let id = 0x12345 << 12;
    let u = Level::User;
    let data = all_ones ^ 0x70;
    let handle = (data << 12 | 32) & all_ones;
    for j in 0..3 {
        add(program(
            "known interface",
            u,
            vec![xext(j, 6, 5, 11), xcmd(0, 10, 6, 12), xcmd(1, 13, 6, 12), EBREAK],
            &[(5, id), (11, data), (12, 0x777)],
            &[(6, handle), (10, handle ^ 0x777), (13, !(handle ^ 0x777) & all_ones)],
            u,
        ));
        for (name, level, id) in [
            ("other device", u, id | 1),
            ("other number", u, id ^ 0x1000),
            ("other level", Level::Super, id),
            ("high bits", u, id ^ 1 << (xlen - 1)),
        ] {
            let (t, result) = (u64::from(j), [77, 0, all_ones][j as usize]);
            let expect: &[(u8, u64)] = &[(28, t), (10, result)];
            let end = if j == 0 { m } else { level };
            add(program(
                &format!("unknown: {name}"),
                level,
                vec![xext(j, 28, 30, 11), xcmd(7, 10, 28, 12), EBREAK],
                &[(30, id), (11, data), (12, 0x777), (10, 77)],
                expect,
                end,
            ));
        }
    }
    let word = xcmd(2, 10, 6, 12);
    add(program(
        "undefined command",
        u,
        vec![word, EBREAK],
        &[(6, handle), (10, 77)],
        &[(5, 2), (6, START), (7, u64::from(word)), (10, 77)],
        m,
    ));
    let word = xcmd(0, 10, 6, 12);
    add(program(
        "unit of another level",
        Level::Super,
        vec![word, EBREAK],
        &[(6, handle), (10, 77)],
        &[(5, 2), (7, u64::from(word)), (10, 77)],
        m,
    ));
    add(program("result to nowhere", u, vec![xcmd(0, 0, 6, 12), EBREAK], &[(6, handle)], &[(0, 0)], u));
    // Atomic accesses: a trap where they are not aligned, none where they just are. Nothing is reserved, so sc gives 1.
    for (name, function) in
        [("lr", 2), ("sc", 3), ("amoswap", 1), ("amoadd", 0), ("amoxor", 4), ("amoor", 8), ("amoand", 12)]
            .into_iter()
            .chain([("amomin", 16), ("amomax", 20), ("amominu", 24), ("amomaxu", 28)])
    {
        for (f3, size) in [(2, 4), (3, 8)].into_iter().filter(|s| xlen == 64 || s.1 == 4) {
            let word = r(0x2f, f3, function << 2, 10, 11, if name == "lr" { 0 } else { 12 });
            for offset in [1, 2, 4, 8, 12, 24] {
                let address = START + 0x400 + offset;
                let aligned = offset.is_multiple_of(size);
                let cause = if name == "lr" { 4 } else { 6 };
                let done = [(10, u64::from(name == "sc")), (11, address)];
                let trap = [(5, cause), (7, address), (10, 5), (11, address)];
                let expect: &[(u8, u64)] = if aligned { &done } else { &trap };
                add(program(
                    &format!("{name} of {size} at {offset}"),
                    m,
                    vec![word, EBREAK],
                    &[(10, 5), (11, address)],
                    expect,
                    m,
                ));
            }
        }
    }
    // Without 16-bit instructions a jump between two words traps, and writes nothing.
    for (name, word, taken) in [
        ("jal", 0x0060_00ef, true),
        ("jalr", i(0x67, 0, 1, 11, 2), true),
        ("jalr to itself", i(0x67, 0, 11, 11, 2), true),
        ("taken branch", 0x0000_0363, true),
        ("other branch", 0x0000_1363, false),
    ] {
        let target = if name.starts_with("jalr") { START + 0x402 } else { START + 10 };
        let expect: &[(u8, u64)] = if taken {
            &[(5, 0), (6, START + 4), (7, target), (1, 9), (11, START + 0x400)]
        } else {
            &[(1, 9), (10, 2)]
        };
        let mut p = program(
            &format!("no C: {name}"),
            m,
            vec![addi(10, 10, 1), word, addi(10, 10, 1), EBREAK],
            &[(1, 9), (11, START + 0x400)],
            expect,
            m,
        );
        p.plain = true;
        add(p);
    }
    all
}

/// A device for the programs.
struct Xor;

impl isaglot_hart::Device for Xor {
    fn command(&mut self, _: u32, sub: u16, command: u8, rs1: u64, rs2: u64) -> Option<u64> {
        match (sub, command) {
            (9, 0) => Some(rs1 ^ rs2),
            (9, 1) => Some(!(rs1 ^ rs2)),
            _ => None,
        }
    }
}

impl Program {
    /// A hart with the program, at its start.
    pub(crate) fn hart<'a>(&self, isa: &'a Isa) -> Hart<'a> {
        let mut config = Config::new(self.xlen);
        config.start = self.level;
        config.trap_model = TrapModel::Riscv;
        config.luns.push((0x12345, 0, 1, 32));
        config.routes.push((32, 1, "xor".to_owned(), 9));
        config.add_device("xor", Box::new(Xor));
        if self.plain {
            config.extensions = Some(["m", "a", "priv", "zicsr", "zifencei"].map(str::to_owned).to_vec());
        }
        let mut hart = Hart::new(isa, config).expect("a sound machine");
        for (offset, words) in &self.code {
            let bytes: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).collect();
            hart.memory().write(START + offset, &bytes).expect("it fits");
        }
        for &(number, value) in &self.registers {
            hart.set_register(number, value);
        }
        hart.set_vector(MTVEC);
        hart.set_pc(START);
        hart
    }

    /// What is wrong at the end of a run.
    pub(crate) fn wrong(&self, hart: &Hart<'_>, stop: &Stop) -> Option<String> {
        if *stop != Stop::Ebreak {
            return Some(format!("{stop:?} at {:#x}", hart.pc()));
        }
        if hart.level() != self.end {
            return Some(format!("at level {}", hart.level().name()));
        }
        let bad = self.expect.iter().find(|&&(n, value)| hart.register(n) != value);
        bad.map(|&(n, value)| format!("x{n} is {:#x}, not {value:#x}", hart.register(n)))
    }

    /// The words of the program and where they are.
    pub(crate) fn words(&self) -> Vec<(u64, Word)> {
        let at = |(offset, words): &(u64, Vec<u32>)| {
            let offset = *offset;
            let one = move |(n, &w): (usize, &u32)| (START + offset + 4 * n as u64, Word::from_u64(u64::from(w), 32));
            words.iter().enumerate().map(one).collect::<Vec<_>>()
        };
        self.code.iter().flat_map(at).collect()
    }
}
