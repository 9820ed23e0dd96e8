//! Smoke test: crates/llvm/tests/smoke_targets.rs
//!
//! Any bytes as a program, and any text as a source, for targets written in TableGen. The first byte says which.

#![no_main]

use std::sync::OnceLock;

use isaglot_codec::Plan;
use isaglot_model::Isa;

const TARGETS: [(&str, &str); 2] = [
    (include_str!("../../examples/wren/wren.td"), include_str!("../../examples/wren/wren.operands")),
    (
        include_str!("../../crates/llvm/tests/data/targets/mixed.td"),
        include_str!("../../crates/llvm/tests/data/targets/mixed.operands"),
    ),
];

static ISAS: OnceLock<Vec<Isa>> = OnceLock::new();

fn load(&(td, operands): &(&str, &str)) -> Isa {
    let records = isaglot_tablegen::parse("target.td", td.as_bytes().into(), &Default::default(), &mut |_| None);
    let mut problems = isaglot_source::Diagnostics::new();
    let table = isaglot_llvm::read(isaglot_source::FileId(0), operands, &mut problems);
    isaglot_llvm::lower(&records, &table, &mut problems).expect("a target of the project").isa
}

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let isas = ISAS.get_or_init(|| TARGETS.iter().map(load).collect());
    let Some((first, data)) = data.split_first() else { return };
    let isa = &isas[usize::from(*first) % isas.len()];
    let plan = Plan::new(isa, 0).with_aliases(first & 0x80 != 0);
    isaglot_asm::oracle::disassemble(&plan, data);
    isaglot_asm::oracle::assemble(&plan, data);
});
