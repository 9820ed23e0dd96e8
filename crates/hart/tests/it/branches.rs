//! Blocks that go on after branches that do not jump: what is looked at between blocks is looked at after each branch, too, and a run of
//! any length ends where single steps do.

use isaglot_hart::{Hart, Stop};
use isaglot_model::Isa;

use crate::{assembled, description};

const FEATURES: &[&str] = &["m", "zca", "zicsr", "zifencei"];

fn hart<'a>(isa: &'a Isa, text: &str) -> Hart<'a> {
    assembled::hart(isa, 64, FEATURES, 128, &assembled::build(isa, 64, FEATURES, text))
}

/// Branches of all kinds that jump now and then, a call, and a store between them.
const LOOP: &str = "
_start:
    li a0, 1
    li a1, 40
    la a2, place
next:
    andi a3, a0, 1
    beqz a3, even
    addi a4, a4, 3
    andi a3, a0, 6
    bne a3, zero, other
    sd a4, 0(a2)
    blt a4, a1, other
    mul a5, a5, a4
even:
    bgeu a0, a1, done
    ld a6, 0(a2)
    bnez a6, other
    add a7, a7, a6
other:
    addi a0, a0, 1
    jal ra, leaf
    bltu a0, a1, next
    bge a1, a0, next
done:
    ebreak
leaf:
    xor a5, a5, a0
    ret
.data
place: .dword 0
";

#[test]
fn a_run_of_any_length_ends_where_single_steps_do() {
    let isa = description::isa();
    let mut steps = hart(&isa, LOOP);
    let mut count = 0;
    loop {
        let mut whole = hart(&isa, LOOP);
        let end = whole.run(count);
        let place = |h: &Hart<'_>| (h.pc(), h.retired(), (0..32).map(|n| h.register(n)).collect::<Vec<_>>());
        assert_eq!(place(&whole), place(&steps), "after {count} instructions");
        let recent = whole.last(4);
        assert_eq!(recent, steps.last(4), "the last of {count} instructions");
        if end != Stop::Limit {
            break;
        }
        let _: Option<Stop> = steps.step();
        count += 1;
    }
    assert!(count > 300, "{count} instructions");
}

/// Stores over the instruction after a branch that does not jump: `addi a2, zero, 1` becomes `addi a2, zero, 2`.
const OVERWRITES: &str = "
_start:
    la a0, patch
    la a1, new
    lw a1, 0(a1)
    sw a1, 0(a0)
    bnez zero, elsewhere
patch:
    .word 0x00100613
    .word 0x00100073
elsewhere:
    .word 0x00100073
new:
    .word 0x00200613
";

#[test]
fn code_that_was_stored_is_seen_after_a_branch() {
    let isa = description::isa();
    let mut one = hart(&isa, OVERWRITES);
    assert_eq!(one.run(100), Stop::Ebreak);
    assert_eq!(one.register(12), 2, "the old instruction ran");
}
