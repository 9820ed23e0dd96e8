//! What no compiler writes, against the manuals: every program ends as it says, at both register widths, on the generated
//! executor and by the interpreter that defines the language.

use isaglot_hart::Stop;

use crate::{description, programs};

const STEPS: u64 = 1000;

#[test]
fn programs_end_as_they_say() {
    let isa = description::isa();
    let mut wrong = Vec::new();
    for p in [32, 64].into_iter().flat_map(programs::programs) {
        let mut hart = p.hart(&isa);
        let stop = hart.run(STEPS);
        wrong.extend(p.wrong(&hart, &stop).map(|why| format!("RV{} {}: {why}", p.xlen, p.name)));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_interpreter_agrees() {
    let isa = description::isa();
    let mut wrong = Vec::new();
    for p in [32, 64].into_iter().flat_map(programs::programs) {
        let mut hart = p.hart(&isa);
        let mut stop = None;
        for _ in 0..STEPS {
            let pc = hart.pc();
            let Some((word, _)) = hart.fetch(pc) else { break };
            let body = hart.instruction(&word).and_then(|id| isa.body(id, p.xlen));
            stop = match body {
                Some(body) => hart.interpret(&word, &body),
                None => hart.step(),
            };
            if stop.is_some() {
                break;
            }
        }
        let stop = stop.unwrap_or(Stop::Limit);
        wrong.extend(p.wrong(&hart, &stop).map(|why| format!("RV{} {}: {why}", p.xlen, p.name)));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
