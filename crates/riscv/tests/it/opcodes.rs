//! Mutated trees of riscv-opcodes: each is read, with everything wrong in its place, and nothing panics.

use isaglot_riscv::oracle;
use isaglot_testing::{Random, rounds, slowest};

const TREE: &str = include_str!("../data/opcodes.txt");

/// Pieces that matter to lines.
const PIECES: &[&str] = &[
    "\n",
    " ",
    "\t",
    "\r\n",
    "#",
    "$",
    "$import ",
    "$pseudo_op ",
    "rv_i::addi ",
    "::",
    "=",
    "..",
    "0x",
    "0b2",
    "-1",
    "31..0=0 ",
    "0..31=1 ",
    "32=1",
    "1..0=1",
    "1..0=3",
    "99999999999999999999",
    "rs2=rs1 ",
    "rs9",
    "nf ",
    "aq rl ",
    "\u{feff}",
    "é",
    "\0",
    ", ",
    "\"",
    "==> extensions/rv32_i\n",
    "==> extensions/unratified/rv_i\n",
    "==> arg_lut.csv\n",
    "==> extensions/x\n",
];

#[test]
fn mutated() {
    let mut random = Random::new(0x0b_c0de5);
    slowest("mutated trees of riscv-opcodes", rounds(10_000), || {
        let tree = if random.bool() { TREE.as_bytes().to_vec() } else { lines(&mut random).into_bytes() };
        oracle::opcodes(&random.mutated(&tree, PIECES));
    });
}

/// Lines removed, doubled, swapped; tokens of one line in another.
fn lines(random: &mut Random) -> String {
    let mut lines: Vec<String> = TREE.lines().map(str::to_owned).collect();
    for _ in 0..=random.below(3) {
        let (a, b) = (random.index(lines.len()), random.index(lines.len()));
        match random.below(4) {
            0 => drop(lines.remove(a)),
            1 => lines.insert(b, lines[a].clone()),
            2 => lines.swap(a, b),
            _ => {
                let tokens: Vec<String> = lines[b].split_whitespace().map(str::to_owned).collect();
                if !tokens.is_empty() {
                    let token = random.pick(&tokens).clone();
                    lines[a].push_str(&format!(" {token}"));
                }
            }
        }
    }
    lines.join("\n")
}

/// What grows faster than its text elsewhere: many lines that share words, names, or lead nowhere.
#[test]
fn hostile() {
    let head =
        "==> arg_lut.csv\n\"a\", 31, 7\n\"b\", 6, 0\n\"r1\", 31, 27\n\"r2\", 26, 22\n\"r3\", 21, 17\n\"r4\", 16, 12\n";
    let many = |line: &dyn Fn(usize) -> String| -> String {
        let lines: String = (0..5_000).map(line).collect();
        format!("{head}==> extensions/rv_i\nbase a b\n{lines}")
    };
    for tree in [
        many(&|n| format!("i{n} a b\n")),
        many(&|_| "base a b\n".to_owned()),
        many(&|n| format!("$import rv_i::i{n}\n")),
        many(&|n| format!("$import rv_{n}::i\n")),
        many(&|n| format!("$pseudo_op rv_i::base p{n} a b\n")),
        many(&|n| format!("$pseudo_op rv_i::base p a 6..0={}\n", n % 128)),
        many(&|n| format!("i{n} x{n}\n")),
        many(&|n| format!("i{n} r1 r2=r1 r3=r1 11..7=0 6..0={} r4\n", n % 128)),
        format!("{head}==> extensions/rv_i\nbase{}\n", " a".repeat(20_000)),
        format!("{head}==> extensions/rv_i\nbase{}\n", " 1=0".repeat(20_000)),
    ] {
        oracle::opcodes(tree.as_bytes());
    }
}
