//! Every tool of this crate over arbitrary bytes: what fuzz targets and smoke tests call. Nothing here may panic.

use isaglot_asm::{Assembler, Compat, Names};
use isaglot_codec::Plan;
use isaglot_source::{Diagnostics, SourceMap};

use crate::assembly::{self, Imports, Layout};
use crate::{Xlen, elf};

/// Assembles a source, and writes the program as an ELF file.
pub fn assembly(data: &[u8], plan: &Plan<'_>, imports: &mut dyn Imports) {
    let names = Names::default();
    let mut assembler = Assembler::new(plan, &names, Compat::default());
    let (mut files, mut found) = (SourceMap::new(), Diagnostics::new());
    let file = files.add("fuzz", data);
    let layout = Layout { base: 0x1_0000, page: elf::PAGE, list: true, ..Default::default() };
    let program = assembly::assemble(&mut assembler, imports, &mut files, file, &layout, &mut found);
    assert!(program.is_some() != found.has_errors(), "either a program or errors");
    for d in &found {
        assert!(d.labels.iter().all(|l| files.get(l.span.file).is_some()), "{} has no place", d.code);
    }
    if let Some(program) = program {
        let xlen = Xlen::of(plan.generation());
        let options = elf::Options { xlen, flags: 0, entry: 0x1_0000, arch: String::new() };
        assert!(elf::write(&program, &options).starts_with(b"\x7fELF"));
    }
}
