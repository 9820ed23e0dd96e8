//! One assembly program that runs every instruction on edge operands and writes the results, a double word each.

use std::fmt::Write;

const VALUES: &[&str] = &[
    "0",
    "1",
    "2",
    "-1",
    "-2",
    "0x7fffffff",
    "-0x80000000",
    "0x7f",
    "0x80",
    "0x8000",
    "31",
    "32",
    "33",
    "63",
    "64",
    "0x12345678",
    "-0x12345679",
    "0x00ff00f0",
];
/// On RV64 besides.
const WIDE: &[&str] = &["0x7fffffffffffffff", "-0x8000000000000000", "0x123456789abcdef0", "0xffffffff", "0x80000000"];

/// Registers: rd, rs1, rs2.
pub(crate) const R: &str = "add sub sll slt sltu xor srl sra or and mul mulh mulhsu mulhu div divu rem remu sh1add sh2add sh3add andn orn \
    xnor max maxu min minu rol ror bclr bext binv bset";
pub(crate) const R64: &str =
    "addw subw sllw srlw sraw mulw divw divuw remw remuw add.uw sh1add.uw sh2add.uw sh3add.uw rolw rorw";
/// Registers: rd, rs1.
pub(crate) const UNARY: &str = "clz ctz cpop sext.b sext.h zext.h orc.b rev8 seqz snez neg not mv";
pub(crate) const UNARY64: &str = "clzw ctzw cpopw sext.w negw zext.w";
pub(crate) const IMMEDIATE: &str = "addi slti sltiu xori ori andi";
pub(crate) const SHIFTS: &str = "slli srli srai rori bclri bexti binvi bseti";
pub(crate) const SHIFTS64: &str = "slliw srliw sraiw roriw slli.uw";
pub(crate) const AMO: &str = "amoswap amoadd amoxor amoand amoor amomin amomax amominu amomaxu";
pub(crate) const BRANCHES: &str = "beq bne blt bge bltu bgeu";
/// Compressed, with two of the eight registers.
pub(crate) const SHORT: &str = "c.sub c.xor c.or c.and c.add c.mv";
const SHORT_IMMEDIATE: &[(&str, &[&str])] = &[
    ("c.addi", &["1", "-32", "31"]),
    ("c.andi", &["0", "-32", "31"]),
    ("c.slli", &["1", "31"]),
    ("c.srli", &["1", "31"]),
    ("c.srai", &["1", "31"]),
];
const SHORT_IMMEDIATE64: &[(&str, &[&str])] = &[("c.addiw", &["0", "1", "-32", "31"])];

/// The program, and what each group of results is of.
pub(crate) fn program(xlen: u32) -> (String, Vec<String>) {
    let wide = xlen == 64;
    let mut values = VALUES.to_vec();
    if wide {
        values.extend(WIDE);
    }
    let mut groups = Vec::new();
    let mut code = String::new();
    let mut group = |name: String, body: &str| {
        let n = groups.len();
        // s0 and s1 go over all pairs of operands; s2 is where results go; a2 is the result.
        let _ = write!(
            code,
            "lla s0, operands\n\
             1{n}0: lla s1, operands\n\
             1{n}1: L a0, 0(s0)\nL a1, 0(s1)\nli a2, 77\n{body}\nS a2, 0(s2)\naddi s2, s2, {w}\n\
             addi s1, s1, {w}\nla t0, operands_end\nbltu s1, t0, 1{n}1b\n\
             addi s0, s0, {w}\nbltu s0, t0, 1{n}0b\n",
            w = xlen / 8
        );
        groups.push(name);
    };
    let lists = |narrow: &'static str, more: &'static str| {
        narrow.split_whitespace().chain(more.split_whitespace().filter(move |_| wide))
    };
    for op in lists(R, R64) {
        group(op.to_owned(), &format!("{op} a2, a0, a1"));
    }
    for op in lists(UNARY, UNARY64) {
        // qemu 7.2 counts beyond the word in ctzw where the word is 0; the test `ctzw_looks_at_the_word` is for that.
        let from = if op == "ctzw" { "sext.w a0, a0\n" } else { "" };
        group(op.to_owned(), &format!("{from}{op} a2, a0"));
    }
    for op in lists(IMMEDIATE, "addiw") {
        for imm in ["0", "1", "-1", "2047", "-2048", "255"] {
            group(format!("{op} {imm}"), &format!("{op} a2, a0, {imm}"));
        }
    }
    for op in lists(SHIFTS, SHIFTS64) {
        let most = if wide && !op.ends_with('w') { "63" } else { "31" };
        for imm in ["0", "1", "12", "31", most] {
            group(format!("{op} {imm}"), &format!("{op} a2, a0, {imm}"));
        }
    }
    for op in BRANCHES.split_whitespace() {
        group(op.to_owned(), &format!("{op} a0, a1, 9f\nli a2, 78\n9:"));
    }
    for op in BRANCHES.split_whitespace() {
        group(format!("{op} back"), &format!("j 7f\n8: li a2, 78\nj 9f\n7: {op} a0, a1, 8b\n9:"));
    }
    for op in ["c.beqz", "c.bnez"] {
        group(format!("{op} back"), &format!("j 7f\n8: li a2, 78\nj 9f\n7: {op} a0, 8b\n9:"));
    }
    for op in SHORT.split_whitespace().chain("c.subw c.addw".split_whitespace().filter(|_| wide)) {
        group(op.to_owned(), &format!("mv a2, a0\n{op} a2, a1"));
    }
    for (op, list) in SHORT_IMMEDIATE.iter().chain(SHORT_IMMEDIATE64.iter().filter(|_| wide)) {
        for imm in *list {
            group(format!("{op} {imm}"), &format!("mv a2, a0\n{op} a2, {imm}"));
        }
    }
    for op in ["c.beqz", "c.bnez"] {
        group(op.to_owned(), &format!("{op} a0, 9f\nli a2, 78\n9:"));
    }
    for (name, body) in [
        ("lui", "lui a2, 0x80001"),
        ("lui", "lui a2, 0x7ffff"),
        ("auipc", "auipc a2, 0x12"),
        ("auipc", "auipc a2, 0xfffee"),
        ("c.li", "c.li a2, -32"),
        ("c.lui", "c.lui a2, 0xfffe1"),
        ("c.addi4spn", "c.addi4spn a2, sp, 1020\nsub a2, a2, sp"),
        ("c.addi16sp", "mv a2, sp\nc.addi16sp sp, -512\nsub a2, a2, sp\nc.addi16sp sp, 496\naddi sp, sp, 16"),
        ("jal", "jal a2, 9f\nnop\n9:"),
        ("jalr", "lla t1, 9f\naddi t1, t1, 1\njalr a2, 0(t1)\nnop\n9:"),
        ("jalr ra", "lla ra, 9f\nret\nli a2, 78\n9:"),
        ("c.j", "c.j 9f\nli a2, 78\n9:"),
        ("c.jr", "lla t1, 9f\nc.jr t1\nli a2, 78\n9:"),
        ("c.jalr", "lla t1, 9f\nc.jalr t1\nli a2, 78\n9: mv a2, ra"),
        // Backwards, to odd addresses, with offsets below zero, to places between two words.
        ("jal back", "j 7f\n8: mv a2, ra\nj 9f\n7: jal ra, 8b\n9:"),
        ("jal t0", "jal t0, 9f\nnop\n9: mv a2, t0"),
        ("j back", "j 7f\n8: li a2, 78\n.option push\n.option norvc\nj 9f\n7: j 8b\n9:\n.option pop"),
        ("c.j back", "c.j 7f\n8: li a2, 78\nc.j 9f\n7: c.j 8b\n9:"),
        ("jalr below", "lla t1, 9f\naddi t1, t1, 7\njalr a2, -6(t1)\nnop\n9:"),
        ("jalr t0", "lla t0, 9f\naddi t0, t0, 5\njalr x0, -4(t0)\nli a2, 78\n9:"),
        ("jalr ra", "lla ra, 9f\naddi ra, ra, 5\njalr x0, -4(ra)\nli a2, 78\n9:"),
        ("jalr t1", "lla t1, 9f\naddi t1, t1, 3\njalr x0, -2(t1)\nli a2, 78\n9:"),
        ("c.jr odd", "lla t1, 9f\naddi t1, t1, 1\nc.jr t1\nli a2, 78\n9:"),
        ("c.jr t0 odd", "lla t0, 9f\naddi t0, t0, 1\nc.jr t0\nli a2, 78\n9:"),
        ("c.jr ra odd", "lla ra, 9f\naddi ra, ra, 1\nc.jr ra\nli a2, 78\n9:"),
        ("c.jalr odd", "lla t1, 9f\naddi t1, t1, 1\nc.jalr t1\nli a2, 78\n9: mv a2, ra"),
        ("c.jalr halves", ".balign 4\nlla t1, 9f\nc.jalr t1\n9: mv a2, ra\nc.nop\n.balign 4"),
        ("c.jalr words", ".balign 4\nlla t1, 9f\nc.jalr t1\nc.nop\n9: mv a2, ra\n.balign 4"),
        ("c.jr halves", ".balign 4\nlla t1, 9f\nc.jr t1\n9: li a2, 79\nc.nop\n.balign 4"),
        ("c.lui positive", "c.lui a2, 31"),
        ("c.addi4spn odd", "mv t1, sp\nli sp, 0x7fc\nc.addi4spn a2, sp, 1020\nmv sp, t1"),
        (
            "c.addi16sp odd",
            "mv t1, sp\nli sp, 0x7fc\nc.addi16sp sp, 496\nmv a2, sp\nc.addi16sp sp, -512\nadd a2, a2, sp\nmv sp, t1",
        ),
        ("fence", "fence rw, rw\nfence.tso\nfence.i\nmv a2, a0"),
        ("to x0", "add x0, a0, a1\naddi x0, x0, 5\nmv a2, x0"),
    ] {
        group(name.to_owned(), body);
    }
    // Memory: write one operand, read it back with every width.
    let widths: &[(&str, &[&str])] =
        &[("sb", &["lb", "lbu"]), ("sh", &["lh", "lhu"]), ("sw", if wide { &["lw", "lwu"] } else { &["lw"] })];
    for (store, loads) in widths {
        for load in *loads {
            for offset in ["0", "1", "4", "7"] {
                let body = format!(
                    "lla t1, scratch\nS a0, 0(t1)\nS a0, 8(t1)\n{store} a1, {offset}(t1)\n{load} a2, {offset}(t1)\nL t2, 0(t1)\nadd a2, a2, t2"
                );
                group(format!("{store} {load} {offset}"), &body);
            }
        }
    }
    // Below the address, and as far above it as the instruction reaches.
    for (store, loads) in widths.iter().copied().chain([("sd", &["ld"][..])].into_iter().filter(|_| wide)) {
        for load in loads {
            let body = format!("lla t1, scratch\naddi t1, t1, 32\nS a0, -8(t1)\n{store} a1, -8(t1)\n{load} a2, -8(t1)");
            group(format!("{store} {load} below"), &body);
        }
    }
    for (store, load, most) in
        [("c.sw", "c.lw", 124), ("c.swsp", "c.lwsp", 252), ("c.sd", "c.ld", 248), ("c.sdsp", "c.ldsp", 504)]
    {
        if wide || !store.starts_with("c.sd") {
            let base = if store.ends_with("sp") { "sp" } else { "a5" };
            let body = format!(
                "addi sp, sp, -512\nmv a5, sp\n{store} a0, {most}({base})\n{load} a2, {most}({base})\naddi sp, sp, 512"
            );
            group(format!("{store} {load} far"), &body);
        }
    }
    // With a carry out of the offset: an address is a sum.
    for (store, load, base, most) in [
        ("c.sw", "c.lw", "a5", 124),
        ("c.swsp", "c.lwsp", "sp", 252),
        ("c.sd", "c.ld", "a5", 248),
        ("c.sdsp", "c.ldsp", "sp", 504),
    ] {
        if wide || !store.starts_with("c.sd") {
            // Only what was written is read: the stacks of two machines differ.
            let (plain_load, plain_store) = if store.starts_with("c.sd") { ("ld", "sd") } else { ("lw", "sw") };
            let body = format!(
                "mv t1, sp\nandi sp, sp, -256\naddi sp, sp, -1016\nmv a5, sp\n{store} a0, {most}({base})\n\
                 {plain_load} a4, {most}(a5)\n{plain_store} a1, {most}(a5)\n{load} a2, {most}({base})\nadd a2, a2, a4\nmv sp, t1"
            );
            group(format!("{store} {load} carried"), &body);
        }
    }
    if !wide {
        group("c.jal back".to_owned(), "c.j 7f\n8: mv a2, ra\nc.j 9f\n7: c.jal 8b\n9:");
    }
    for (store, load) in [("c.sw", "c.lw"), ("c.swsp", "c.lwsp")]
        .into_iter()
        .chain([("c.sd", "c.ld"), ("c.sdsp", "c.ldsp")].into_iter().filter(|_| wide))
    {
        let base = if store.ends_with("sp") { "sp" } else { "a5" };
        group(
            format!("{store} {load}"),
            &format!("lla a5, scratch\naddi sp, sp, -64\n{store} a0, 8({base})\n{load} a2, 8({base})\naddi sp, sp, 64"),
        );
    }
    for op in AMO.split_whitespace() {
        for suffix in ["w", "d"].into_iter().filter(|s| wide || *s == "w") {
            let body = format!(
                "lla t1, scratch\nS a0, 0(t1)\n{op}.{suffix} a2, a1, (t1)\nL t2, 0(t1)\nslli t2, t2, 1\nxor a2, a2, t2"
            );
            group(format!("{op}.{suffix}"), &body);
        }
    }
    for suffix in ["w", "d"].into_iter().filter(|s| wide || *s == "w") {
        let body = format!(
            "lla t1, scratch\nS a0, 0(t1)\nlr.{suffix} a2, (t1)\nsc.{suffix} t2, a1, (t1)\nadd a2, a2, t2\nsc.{suffix} t2, a0, (t1)\nsnez t2, t2\nslli t2, t2, 8\nadd a2, a2, t2\nL t2, 0(t1)\nadd a2, a2, t2"
        );
        group(format!("lr.{suffix} sc.{suffix}"), &body);
    }
    let size = groups.len() * values.len() * values.len() * xlen as usize / 8;
    let word = if wide { ".dword" } else { ".word" };
    let (load, store) = if wide { ("ld", "sd") } else { ("lw", "sw") };
    let text = format!(
        ".macro L r, m:vararg\n{load} \\r, \\m\n.endm\n.macro S r, m:vararg\n{store} \\r, \\m\n.endm\n\
         .globl _start\n_start: lla s2, results\n{code}\
         li a0, 1\nla a1, results\nla a2, results_end\nsub a2, a2, a1\nli a7, 64\necall\nli a0, 0\nli a7, 93\necall\n\
         .data\n.balign 16\noperands: {word} {}\noperands_end:\n.balign 16\nscratch: .zero 64\n.bss\n.balign 16\nresults: .zero {size}\nresults_end:\n",
        values.join(", ")
    );
    (text, groups)
}
