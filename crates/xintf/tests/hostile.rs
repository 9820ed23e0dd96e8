//! Smoke test of the fuzz targets: the same functions over seeded noise and over mutations of good files.

#[path = "common/riscv.rs"]
mod riscv;

use isaglot_xintf::oracle;

/// Numbers that are the same in every run.
struct Seeded(u64);

impl Seeded {
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % n.max(1)
    }

    /// Removes, doubles, moves or replaces a few pieces.
    fn mutate(&mut self, text: &[u8], pieces: &[&str]) -> Vec<u8> {
        let mut out = text.to_vec();
        for _ in 0..1 + self.below(4) {
            let start = self.below(out.len() + 1);
            let end = (start + self.below(12)).min(out.len());
            match self.below(4) {
                0 => drop(out.drain(start..end)),
                1 => {
                    let piece = out[start..end].to_vec();
                    out.splice(start..start, piece);
                }
                2 => drop(out.splice(start..end, pieces[self.below(pieces.len())].bytes())),
                _ => {
                    let noise: Vec<u8> = (0..self.below(4)).map(|_| self.below(256) as u8).collect();
                    out.splice(start..end, noise);
                }
            }
        }
        out
    }
}

fn drive(seed: &[&str], pieces: &[&str], run: impl Fn(&[u8])) {
    let mut random = Seeded(0x9e37_79b9_7f4a_7c15);
    for text in seed {
        run(text.as_bytes());
        for _ in 0..1500 {
            run(&random.mutate(text.as_bytes(), pieces));
        }
    }
    for n in 0..500 {
        let noise: Vec<u8> = (0..n).map(|_| random.below(256) as u8).collect();
        run(&noise);
        let soup: String = (0..n / 4).map(|_| pieces[random.below(pieces.len())]).collect();
        run(soup.as_bytes());
    }
}

#[test]
fn interfaces() {
    let pieces = [
        "{",
        "}",
        ":",
        "::",
        ".",
        ",",
        "(",
        ")",
        " ",
        "\n",
        "rd",
        "rs1",
        "rs2 ",
        "xcmd1",
        "xcmd99 ",
        "uuid",
        "import(",
        "a.b:C",
        "__",
        "semantics{",
        "pure ",
        "state x:9=1",
        "doc \"",
        "///x\n",
        "/*",
        "0x",
        "99999999999999999999",
        "é",
    ];
    let seed = [include_str!("data/example.xintf"), include_str!("data/wide.xintf"), isaglot_xintf::set::BUILTIN];
    drive(&seed, &pieces, oracle::interfaces);
    // Deep and long things.
    oracle::interfaces("{".repeat(100_000).as_bytes());
    oracle::interfaces(
        format!("a:B{{ uuid: 3 c rd rs1 rs2: xcmd0 rd rs1 rs2 semantics {}", "{".repeat(100_000)).as_bytes(),
    );
    oracle::interfaces(format!("a{}:B{{ uuid: 3 }}", ".a".repeat(100_000)).as_bytes());
    oracle::interfaces("a.\n".repeat(100_000).as_bytes());
}

#[test]
fn map() {
    let pieces = [
        "[",
        "]",
        "[[",
        "{",
        "}",
        "=",
        ",",
        "\"",
        "\n",
        "uuid",
        "lun",
        "dev",
        "levels",
        "sub",
        "mach",
        "user",
        "-1",
        "0x100000",
        "4096",
        "31",
        "1.5",
        "lun_map",
        "dev_map",
        "device",
        "true",
        "99999999999999999999999",
    ];
    let seed = [include_str!("data/cpu.toml"), include_str!("data/cpu.json"), isaglot_xintf::profile::BUILTIN];
    drive(&seed, &pieces, oracle::map);
    oracle::map(format!("{{\"a\":{}", "[".repeat(100_000)).as_bytes());
    oracle::map(format!("a = {}", "[".repeat(100_000)).as_bytes());
}

#[test]
fn registry() {
    let pieces = ["0x", "0x00003", "0x80000", "central", "hash", "hash#1", "a.b:C", "-", "2026-01-01", "\n", " ", "#"];
    let seed = [
        "# numbers\n0x00003 org.x:Z central me 2026-01-31\n0xA9138 org.x:Y hash me 2026-01-31\n0xAF4305D935E86 org.x:W hash me 2026-01-31\n",
    ];
    drive(&seed, &pieces, oracle::registry);
}

#[test]
fn assembly() {
    let pieces = [
        "import(a.b:C)",
        "a.b:C:c",
        "a.b:C:d!",
        "a.b:C:uuid",
        " ",
        ",",
        "\n",
        ":",
        ";",
        "#",
        "x1",
        "zero",
        "lui ",
        "li ",
        "la ",
        "call ",
        "1:",
        "1b",
        "1f",
        "%hi(",
        ")",
        ".word ",
        ".zero 9",
        ".insn r ",
        "dev=4096",
        "via=t0",
        "99999999999999999999",
    ];
    let seed = [
        "import(a.b:C)\nstart: lui t0, a.b:C:uuid\n a.b:C:c! a0, a1, a2, dev=1\n1: la a0, start\n bnez a0, 1b\n",
        "li a0, 0x123456789\n.insn r 0x0b, 1, 0, a0, a1, a2\n a.b:C:d a0, t0, a1\n.section .x\n.word %hi(start)\n",
    ];
    let isa = riscv::isa();
    let plan = riscv::plan(&isa, 64, "custom0", 8);
    let quick: Vec<&str> = seed.to_vec();
    drive(&quick, &pieces, |data| oracle::assembly(data, &plan));
}
