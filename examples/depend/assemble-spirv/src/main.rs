//! Assembles a SPIR-V module, reads it back, and shows what an error is: what a compiler's tests use `spirv-as` and `spirv-dis`
//! for.

use std::error::Error;

const TEXT: &str = "\
               OpCapability Shader
               OpMemoryModel Logical GLSL450
               OpEntryPoint GLCompute %main \"main\"
               OpExecutionMode %main LocalSize 64 1 1
               OpName %main \"main\"
       %void = OpTypeVoid
          %3 = OpTypeFunction %void
       %main = OpFunction %void None %3
          %4 = OpLabel
               OpReturn
               OpFunctionEnd
";

fn main() -> Result<(), Box<dyn Error>> {
    let words = isaglot_spirv::assemble(TEXT.as_bytes(), &isaglot_spirv::asm::Options::default())?;
    println!("{} words, magic number {:#010x}", words.len(), words[0]);
    let text =
        isaglot_spirv::disassemble(&words, &isaglot_spirv::dis::Options { header: false, ..Default::default() })?;
    let text = String::from_utf8(text)?;
    println!("{}", if text == TEXT { "the same text" } else { &text });
    let bad = isaglot_spirv::assemble(b"OpMemoryModel Logical GLSL\n", &isaglot_spirv::asm::Options::default());
    println!("{}", bad.err().ok_or("this is not valid")?);
    Ok(())
}
