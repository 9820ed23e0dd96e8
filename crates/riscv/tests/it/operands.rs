//! Mutated tables of operands: each is read and used, with everything wrong in its place, and nothing panics.

use isaglot_riscv::oracle;
use isaglot_testing::{Random, rounds, slowest};

const TABLE: &str = include_str!("../data/operands.txt");
const SHIPPED: &str = include_str!("../../../../specs/riscv/formats.operands");

/// Pieces that matter to statements.
const PIECES: &[&str] = &[
    "\n",
    " ",
    " : ",
    " = ",
    " in ",
    " if ",
    " ! ",
    "!",
    "*",
    "?",
    "@",
    "@inx",
    "=",
    "#",
    " # ",
    "#x",
    "#f",
    "{",
    "}",
    "{imm}",
    "(",
    ")",
    ", ",
    "_",
    "[",
    "]",
    "[31:12]",
    "[0:9]",
    "[99]",
    "0",
    "7",
    "-1",
    "65",
    "4294967295",
    "99999999999",
    " pair",
    " drop 64",
    " append 4294967295",
    " omit 7",
    " hide 7",
    " prefix ",
    " optional",
    " suffix",
    " label",
    "again ",
    "semantics ",
    "field ",
    "alias ",
    "derived ",
    "separator",
    "style ",
    "words 32 = ",
    "memory ",
    "flow ",
    "xd = ",
    "mem32[",
    "é",
    "\0",
    "\u{feff}",
];

/// The seed is sound, so that its mutations reach what comes after reading.
#[test]
fn seed() {
    oracle::operands(TABLE);
    oracle::operands(SHIPPED);
}

#[test]
fn mutated() {
    let mut random = Random::new(0x0b_e7a4d5);
    let mut round = 0;
    slowest("mutated tables of operands", rounds(10_000), || {
        let table = if round % 32 == 0 { SHIPPED.to_owned() } else { lines(&mut random) };
        let bytes = random.mutated(table.as_bytes(), PIECES);
        oracle::operands(&String::from_utf8_lossy(&bytes));
        round += 1;
    });
}

/// Lines removed, doubled, swapped, and the end of one after the start of another.
fn lines(random: &mut Random) -> String {
    let mut lines: Vec<String> = TABLE.lines().map(str::to_owned).collect();
    for _ in 0..random.below(4) {
        let (a, b) = (random.index(lines.len()), random.index(lines.len()));
        match random.below(4) {
            0 => drop(lines.remove(a)),
            1 => lines.insert(b, lines[a].clone()),
            2 => lines.swap(a, b),
            _ => {
                let head = lines[a].split(" : ").next().unwrap_or_default();
                let tail = lines[b].rsplit(" : ").next().unwrap_or_default();
                lines[a] = format!("{head} : {tail}");
            }
        }
    }
    lines.join("\n")
}
