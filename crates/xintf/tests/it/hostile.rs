//! Smoke test of the fuzz targets: the same functions over seeded noise and over mutations of good files.

use isaglot_testing::{Random, rounds};
use isaglot_xintf::oracle;

use crate::description;

fn drive(seed: &[&str], pieces: &[&str], run: impl Fn(&[u8])) {
    let mut random = Random::new(1);
    for text in seed {
        run(text.as_bytes());
        for _ in 0..rounds(1000) {
            run(&random.mutated(text.as_bytes(), pieces));
        }
    }
    for n in 0..250 {
        run(&random.bytes(n));
        run(random.text(pieces, n / 4).as_bytes());
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
    let seed = [include_str!("../data/example.xintf"), include_str!("../data/wide.xintf"), isaglot_xintf::set::BUILTIN];
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
        "[context.",
        "number",
        "shared",
        "true",
        "99999999999999999999999",
    ];
    let seed = [
        include_str!("../data/cpu.toml"),
        include_str!("../data/cpu.json"),
        include_str!("../data/contexts.toml"),
        isaglot_xintf::profile::BUILTIN,
    ];
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
    let isa = description::isa();
    let plan = description::plan(&isa, 64, "custom0", 8);
    let quick: Vec<&str> = seed.to_vec();
    drive(&quick, &pieces, |data| oracle::assembly(data, &plan));
}
