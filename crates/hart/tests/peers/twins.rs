//! Instructions that the peer does not have: a program with each of them on our hart, beside one on the peer that has base instructions in
//! its place, as the manual says what the instruction does. `twins.txt` has a line for each; pushes and pops of all lists are made here.
//! Our own assembler makes the words.

use std::fmt::Write;

use isaglot_asm::{Assembler, Compat, Names};
use isaglot_codec::Plan;
use isaglot_model::{FeatureId, Isa};
use isaglot_testing::Failed;

use crate::{description, peer};

/// Features of the machines: the name of a set, and what is on.
const SETS: [(&str, &str); 2] = [
    (
        "wide",
        "m a f d c zicsr zifencei zba zbb zbs zabha zacas zawrs zalasr zicbom zicbop zicboz zihintpause zihintntl zimop zcmop zicond zcb",
    ),
    ("short", "m a zca zicsr zifencei zba zbb zbs zcmp zcmt zicboz zilsd zclsd"),
];

/// Operands: all pairs.
const VALUES: [&str; 9] = ["0", "1", "-1", "0x7f", "0x80", "-0x8000", "0x7fffffff", "0x12345678", "-0x1234568"];

/// One instruction: what runs before it on both sides, it, what stands for it, and what runs after it.
struct Twin {
    before: String,
    new: String,
    old: String,
    after: String,
}

/// The lines for a set and a width.
fn lines(set: &str, xlen: u32) -> Result<Vec<Twin>, String> {
    let mut all = Vec::new();
    for line in include_str!("twins.txt").lines().filter(|l| !l.is_empty() && !l.starts_with('#')) {
        let wrong = || format!("not `SET WIDTHS : BEFORE = NEW = OLD = AFTER`: {line}");
        let (head, rest) = line.split_once(" :").ok_or_else(wrong)?;
        let mut head = head.split(' ');
        let parts: Vec<&str> = rest.split('=').map(str::trim).collect();
        let [before, new, old, after] = <[&str; 4]>::try_from(parts).map_err(|_| wrong())?;
        if head.next() == Some(set) && head.any(|width| width == xlen.to_string()) {
            let text = str::to_owned;
            all.push(Twin { before: text(before), new: text(new), old: text(old), after: text(after) });
        }
    }
    Ok(all)
}

/// Pushes and pops of each list with each room beyond what it needs.
fn lists(xlen: u32) -> Vec<Twin> {
    let size = xlen / 8;
    let mut all = Vec::new();
    for list in 4..=15_u32 {
        let saved = if list == 15 { 12 } else { list - 4 };
        let name = match saved {
            0 => "{ra}".to_owned(),
            1 => "{ra, s0}".to_owned(),
            n => format!("{{ra, s0-s{}}}", n - 1),
        };
        let (count, least) = (saved + 1, ((saved + 1) * size).next_multiple_of(16));
        for more in [0, 16, 32, 48] {
            let room = least + more;
            let each = |op: &str, base: u32| -> String {
                let below = |at: u32| base as i32 - ((count - at) * size) as i32;
                (0..count)
                    .map(|at| if at == 0 { "ra".to_owned() } else { format!("s{}", at - 1) })
                    .enumerate()
                    .fold(String::new(), |all, (at, r)| format!("{all}{op} {r}, {}(sp); ", below(at as u32)))
            };
            all.push(Twin {
                before: String::new(),
                new: format!("cm.push {name}, -{room}"),
                old: format!("{}addi sp, sp, -{room}", each("S", 0)),
                after: String::new(),
            });
            let load = format!("{}addi sp, sp, {room}", each("L", room));
            all.push(Twin {
                before: "addi sp, sp, -128".to_owned(),
                new: format!("cm.pop {name}, {room}"),
                old: load.clone(),
                after: String::new(),
            });
            let at = (room - count * size) as i32;
            for (op, more) in [("cm.popret", ""), ("cm.popretz", "li a0, 0; ")] {
                all.push(Twin {
                    before: format!("addi sp, sp, -128; mv t5, sp; lla t2, 9f; addi t2, t2, 1; S t2, {at}(sp)"),
                    new: format!("{op} {name}, {room}; li a2, 78"),
                    old: format!("{load}; {more}ret; li a2, 78"),
                    after: format!("9: lla t2, 9b; sub ra, ra, t2; S zero, {at}(t5)"),
                });
            }
        }
    }
    all
}

/// A side's text of a twin: statements as lines; of ours, what the description knows are words.
fn body(statements: &str, mut assembler: Option<&mut Assembler<'_, '_>>) -> String {
    let mut out = String::new();
    for statement in statements.split(';').map(str::trim).filter(|s| !s.is_empty()) {
        // Labels and the like are the compiler's.
        let word = assembler.as_mut().and_then(|a| a.assemble(statement.as_bytes()).ok());
        let _ = match word {
            Some(word) => writeln!(out, ".{}byte {:#x}", word.width() / 8, word.low_u64()),
            None => writeln!(out, "{statement}"),
        };
    }
    out
}

/// The program of one side, and how many results it writes.
fn program(xlen: u32, twins: &[Twin], mut assembler: Option<&mut Assembler<'_, '_>>) -> (String, usize) {
    let (w, load, store) = (xlen / 8, if xlen == 64 { "ld" } else { "lw" }, if xlen == 64 { "sd" } else { "sw" });
    let mut code = String::new();
    for (n, twin) in twins.iter().enumerate() {
        let middle = match &mut assembler {
            Some(assembler) => body(&twin.new, Some(&mut **assembler)),
            None => body(&twin.old, None),
        };
        let (before, after) = (body(&twin.before, None), body(&twin.after, None));
        let _ = write!(
            code,
            "lla gp, operands\n1{n}0: lla tp, operands\n1{n}1: la t0, prepare\njalr t0, t0\n{before}{middle}{after}la t0, fold\njalr t0, t0\n\
             addi tp, tp, W\nlla t0, operands_end\nbltu tp, t0, 1{n}1b\naddi gp, gp, W\nbltu gp, t0, 1{n}0b\n"
        );
    }
    let saved = |text: &dyn Fn(u32) -> String| (0..12).map(text).collect::<String>();
    let set = saved(&|n| format!("addi s{n}, a{}, {}\n", n % 2, 3 * n + 1));
    let sum = saved(&|n| format!("FOLD s{n}\n"));
    let total = twins.len() * VALUES.len() * VALUES.len();
    let text = format!(
        ".equ W, {w}\n.macro L r, m:vararg\n{load} \\r, \\m\n.endm\n.macro S r, m:vararg\n{store} \\r, \\m\n.endm\n\
         .macro FOLD r\nslli t5, t6, 5\nsrli t6, t6, {}\nxor t6, t6, t5\nadd t6, t6, \\r\n.endm\n\
         .globl _start\n_start: lla t0, place\nlla t1, results\nS t1, 0(t0)\n{code}\
         li a0, 1\nla a1, results\nla a2, results_end\nsub a2, a2, a1\nli a7, 64\necall\nli a0, 0\nli a7, 93\necall\n\
         prepare: L a0, 0(gp)\nL a1, 0(tp)\nlla t1, scratch\nS a0, 0(t1)\nS a1, W(t1)\nmv t2, t1\nli t3, 256/W-2\nmv t4, a0\n\
         1: xor t4, t4, a1\nadd t4, t4, t3\nS t4, 2*W(t2)\naddi t2, t2, W\naddi t3, t3, -1\nbnez t3, 1b\n\
         addi sp, t1, 192\nli a2, 77\nli a3, 0\nli a4, 0\nli a5, 0\nadd ra, a0, a1\n{set}jr t0\n\
         fold: lla t1, scratch\nsub sp, sp, t1\nli t6, 1\nFOLD a0\nFOLD a1\nFOLD a2\nFOLD a3\nFOLD a4\nFOLD a5\nFOLD ra\nFOLD sp\n{sum}\
         li t3, 256/W\n1: L t4, 0(t1)\nFOLD t4\naddi t1, t1, W\naddi t3, t3, -1\nbnez t3, 1b\n\
         lla t1, place\nL t2, 0(t1)\nS t6, 0(t2)\naddi t2, t2, W\nS t2, 0(t1)\njr t0\n\
         .data\n.balign 64\nscratch: .zero 256\ntable: .zero 256*W\noperands: .{w}byte {}\noperands_end:\nplace: .zero W\n\
         .bss\n.balign 64\nresults: .zero {}\nresults_end:\n",
        xlen - 5,
        VALUES.join(", "),
        total * w as usize
    );
    (text, total)
}

/// The features of a set.
fn features(isa: &Isa, names: &[&str]) -> Result<Vec<FeatureId>, String> {
    let find = |name: &&str| isa.features().iter().position(|f| f.name == **name).map(|n| FeatureId(n as u32));
    names.iter().map(|name| find(name).ok_or_else(|| format!("no feature {name}"))).collect()
}

/// Runs all twins of a width on both sides.
pub(crate) fn run(xlen: u32) -> Result<(), Failed> {
    let isa = description::isa();
    let (mut good, mut wrong, mut results) = (0, Vec::new(), 0);
    for (set, on) in SETS {
        let on: Vec<&str> = on.split_whitespace().collect();
        let plan = Plan::with_features(&isa, xlen, &features(&isa, &on)?);
        let names = Names::default();
        let mut assembler = Assembler::new(&plan, &names, Compat::default());
        let mut twins = lines(set, xlen)?;
        if set == "short" {
            twins.extend(lists(xlen));
        }
        let dir = tempfile::tempdir()?;
        let (old, total) = program(xlen, &twins, None);
        let (new, _) = program(xlen, &twins, Some(&mut assembler));
        std::fs::write(dir.path().join("old.S"), old)?;
        std::fs::write(dir.path().join("new.S"), new)?;
        let build = |name| peer::compile(dir.path(), name, xlen, "imac_zicsr_zifencei_zba_zbb_zbs", "-O0");
        let want = peer::on_qemu(&build("old.S")?, xlen)?;
        let got = peer::on_hart_with(&isa, &build("new.S")?, Some(&on))?;
        let size = want.0.len() / twins.len();
        if want.1 != 0 || want.0.len() != total * xlen as usize / 8 {
            return Err("qemu does not run all of it".into());
        }
        for (n, twin) in twins.iter().enumerate() {
            if want.0.chunks(size).nth(n) == got.0.chunks(size).nth(n) {
                good += 1;
            } else {
                wrong.push(format!("{}: {}", twin.before, twin.new));
            }
        }
        results += total;
    }
    println!(
        "qemu: RV{xlen}: {good}/{} instructions beside what stands for them, {results} results",
        good + wrong.len()
    );
    if wrong.is_empty() { Ok(()) } else { Err(format!("different:\n{}", wrong.join("\n")).into()) }
}
