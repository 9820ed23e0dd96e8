//! Programs that our own assembler makes of text files, on machines with some features.
//!
//! A program says in its first lines which features it needs (`# features …`) and what is at a label at its end (`# holds LABEL HEX`).

use isaglot_asm::{Assembler, Compat, Names};
use isaglot_codec::Plan;
use isaglot_hart::{Config, Hart};
use isaglot_model::{FeatureId, Isa};
use isaglot_riscv::assembly::{self, Layout, NoImports};
use isaglot_source::{Diagnostics, SourceMap, render};

const START: u64 = 0x8000_0000;
/// Lengths of vectors that programs are tried with.
pub(crate) const LENGTHS: [u32; 3] = [128, 256, 512];

/// A program in memory, with its labels.
pub(crate) struct Built {
    parts: Vec<(u64, Vec<u8>)>,
    labels: Vec<(String, u64)>,
}

pub(crate) fn build(isa: &Isa, xlen: u32, features: &[&str], text: &str) -> Built {
    let id = |name: &&str| FeatureId(isa.features().iter().position(|f| f.name == **name).expect("a feature") as u32);
    let on: Vec<FeatureId> = features.iter().map(id).collect();
    let plan = Plan::with_features(isa, xlen, &on);
    let names = Names::default();
    let mut assembler = Assembler::new(&plan, &names, Compat::default());
    let (mut files, mut found) = (SourceMap::new(), Diagnostics::new());
    let file = files.add("program.s", text.as_bytes());
    let layout = Layout { base: START, page: 4096, ..Layout::default() };
    let program = assembly::assemble(&mut assembler, &mut NoImports, &mut files, file, &layout, &mut found);
    let said: String = found.iter().map(|d| render::text(&files, d, false)).collect();
    let program = program.unwrap_or_else(|| panic!("{said}"));
    Built {
        parts: program.image.sections.iter().map(|s| (s.address, s.bytes.clone())).collect(),
        labels: program.symbols.iter().map(|s| (s.name.clone(), s.address)).collect(),
    }
}

pub(crate) fn hart<'a>(isa: &'a Isa, xlen: u32, features: &[&str], vlen: u32, built: &Built) -> Hart<'a> {
    let mut config = Config::new(xlen);
    config.extensions = Some(features.iter().map(|&f| f.to_owned()).collect());
    config.vlen = vlen;
    let mut hart = Hart::new(isa, config).expect("a sound machine");
    for (address, bytes) in &built.parts {
        hart.memory().write(*address, bytes).expect("it fits");
    }
    hart.set_pc(START);
    hart
}

impl Built {
    /// What a label does not hold at the end that the program says.
    pub(crate) fn wrong(&self, text: &str, hart: &mut Hart<'_>) -> Option<String> {
        said(text, "holds").into_iter().find_map(|line| {
            let (label, want) = line.split_once(' ').expect("a label and bytes");
            let place = self.labels.iter().find(|(name, _)| name == label).expect("a label").1;
            let got = hart.memory().read(place, want.len() / 2).expect("memory");
            let got: String = got.iter().map(|byte| format!("{byte:02x}")).collect();
            (got != want).then(|| format!("{label} holds {got}"))
        })
    }
}

/// What the first lines of a program say of something.
pub(crate) fn said<'t>(text: &'t str, word: &str) -> Vec<&'t str> {
    text.lines().filter_map(|line| line.strip_prefix("# ")?.strip_prefix(word)?.strip_prefix(' ')).collect()
}
