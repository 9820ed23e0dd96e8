//! Assembles RISC-V source as people write it: labels, pseudo-instructions, sections.

use isaglot::asm::{Assembler, Compat, Names};
use isaglot::riscv::assembly::{self, Layout, NoImports};
use isaglot::source::{Diagnostics, SourceMap};

const TEXT: &str = "
_start: li   a0, 0x12345
loop:   addi a0, a0, -1
        bnez a0, loop
        ret
";

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let riscv = isaglot::Description::shipped("rv64g")?;
    let (plan, names) = (riscv.plan(), Names::default());
    let mut assembler = Assembler::new(&plan, &names, Compat::default());
    let (mut files, mut problems) = (SourceMap::new(), Diagnostics::new());
    let file = files.add("count.s", TEXT.as_bytes());
    let layout = Layout { base: 0x1_0000, ..Layout::default() };
    let program = assembly::assemble(&mut assembler, &mut NoImports, &mut files, file, &layout, &mut problems);
    let bytes = program.ok_or("the source is sound")?.image.bytes();
    for word in bytes.chunks(4) {
        let word: String = word.iter().rev().map(|byte| format!("{byte:02x}")).collect();
        println!("{word}");
    }
    print!("{}", riscv.disassemble(&bytes));
    Ok(())
}
