//! Smoke test of the fuzz target `assemble`: seeded pseudo-random and mutated sources for two descriptions. Nothing may
//! panic or hang, an error has a place, and a word that is found prints as what was read.

use isaglot_asm::oracle;
use isaglot_codec::Plan;
use isaglot_model::Isa;
use isaglot_testing::Random;

const SEED: &str = "\
@localsize 8, 1, 1
@buf 4 (c2.x) 1, 2.5, -3
@in(r0.x) color(slot=4)
; a program with a bit of everything
.equ SIZE, (1 << 4) | 3
LIMIT = SIZE - 1
start: on_reset:
  add r1, r2
  addi r1, r2, -300
  lw r4, 8(r1)
  bne r1, zero, start
  jump #end
  (p3)vadd v6, v0, v7
  addi x1, x1, -1     | ld x3, -8(sp)         | vmac v0, v4, v5
  .word 1, -1, SIZE * 2, end - start
  .align 8
[0123abcd]
[#end]
no match: 00ff
end: nop (sy)
(ss)(rpt2)
  add r1, r2
@fullnopstart
raw 0x12
.section other
.jumptbl 4
.byte 'a', 0b101, 0x7f
";

/// Texts that mean something.
const PIECES: &[&str] = &[
    " ", ",", ".", ":", "(", ")", "[", "]", "#", "+", "-", "'", "\"", "0x9", "az", "@const", "(nop3)", "\n", ";", "\0",
];

fn load(name: &str) -> Isa {
    let top = format!("{}/../../specs/{name}/{name}.xml", env!("CARGO_MANIFEST_DIR"));
    isaglot_isaspec::oracle::load(top.as_ref(), &mut isaglot_testing::corpus::load)
        .expect("a description that ships with the project")
}

#[test]
fn sources_are_survived() {
    let mut random = Random::new(1);
    let lines: Vec<&str> = SEED.split_inclusive('\n').collect();
    for name in ["minnow", "trio"] {
        let isa = load(name);
        let plan = Plan::new(&isa, 0);
        oracle::assemble(&plan, SEED.as_bytes());
        for round in 0..600 {
            let text = if round % 3 == 0 {
                let length = random.index(120);
                random.bytes(length)
            } else {
                let source = random.text(&lines, 1 + round % 12);
                random.mutated(source.as_bytes(), PIECES)
            };
            oracle::assemble(&plan, &text);
        }
    }
}

#[test]
fn deep_and_long_texts_end() {
    let isa = load("minnow");
    let plan = Plan::new(&isa, 0);
    for text in [
        format!(".word {}1{}", "(".repeat(100_000), ")".repeat(100_000)),
        format!(".word {}1", "-".repeat(100_000)),
        format!("add r1, {}", "r".repeat(100_000)),
        format!("{} add r1, r2", "(".repeat(4_000)),
        "a = b\nb = a\n.word a\n".repeat(3),
        (0..1000).map(|i| format!("s{i} = s{}\n", i + 1)).collect::<String>() + ".word s0",
        ".align 1073741824\n".repeat(4),
        ".jumptbl 65536\n".repeat(100),
    ] {
        oracle::assemble(&plan, text.as_bytes());
    }
}
