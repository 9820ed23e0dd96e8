//! Disassembles by a description that is read at run time: `disassemble-ir3 [ir3.xml GEN]`. Without one, by `minnow`, which
//! ships with the library.

use isaglot::Description;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let [path, generation] = arguments.as_slice() {
        let ir3 = Description::open(path)?.with_gen(generation)?;
        // Words of 64 bits, the low byte first.
        let words = [0x4030_0007_680a_0018_u64, 0x0300_0000_0000_0000];
        let program: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        print!("{}", ir3.disassemble(&program));
    } else {
        let minnow = Description::shipped("minnow")?.with_gen("v2")?;
        print!("{}", minnow.disassemble(&[0x48, 0x14, 0x24, 0x08, 0x98, 0xfc]));
    }
    Ok(())
}
