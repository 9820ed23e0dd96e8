//! The lengths of branches: `tests/golden/branches.txt` has sources and the first bytes of what they are.

use isaglot_asm::{Assembler, Compat, Names};
use isaglot_codec::Plan;
use isaglot_model::FeatureId;
use isaglot_riscv::assembly::{self, Layout, NoImports};
use isaglot_riscv::isa_name;
use isaglot_source::{Diagnostics, SourceMap, render};

use crate::description;

#[test]
fn branches_take_the_lengths_that_reach() {
    let isa = description::isa();
    let table = include_str!("../golden/branches.txt");
    let mut wrong = Vec::new();
    for line in table.lines().filter(|line| !line.starts_with('#')) {
        let columns: Vec<&str> = line.split('\t').collect();
        let [name, source, expected] = *columns else { panic!("three columns: {line}") };
        let target = isa_name::parse(name).expect("a name");
        let on: Vec<FeatureId> = (0..)
            .zip(isa.features())
            .filter_map(|(id, feature)| target.features.contains(&feature.name).then_some(FeatureId(id)))
            .collect();
        let plan = Plan::with_features(&isa, target.xlen.bits(), &on);
        let custom = Names::default();
        let mut assembler = Assembler::new(&plan, &custom, Compat::default());
        let (mut files, mut found) = (SourceMap::new(), Diagnostics::new());
        let file = files.add("a.s", source.as_bytes());
        let layout = Layout::default();
        let program = assembly::assemble(&mut assembler, &mut NoImports, &mut files, file, &layout, &mut found);
        let problems: String = found.iter().map(|d| render::text(&files, d, false)).collect();
        let bytes = program.and_then(|p| Some(p.image.sections.first()?.bytes.clone())).unwrap_or_default();
        let hex: String = bytes.iter().take(16).map(|byte| format!("{byte:02x}")).collect();
        if !hex.starts_with(&expected.replace(' ', "")) || expected.is_empty() {
            wrong.push(format!("{line}\n  here: {hex} {problems}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
