//! The files of this folder as constants.
//!
//! The problem: a crate is packed alone, so what it embeds must be in its own folder, and these files are for several crates and
//! for people. The method: the folder is a crate without code. The invariant: every file is in exactly the constant of its
//! folder, which a test compares. Constants, not statics: what nobody uses is in no program.
#![doc = include_str!("../README.md")]
#![no_std]

/// A file: its name and its text.
pub type File = (&'static str, &'static str);

/// The texts of `FOLDER/NAME` under their names.
macro_rules! files {
    ($folder:literal: $($name:literal)*) => { files!($folder, "": $($name)*) };
    ($folder:literal, $end:literal: $($name:literal)*) => {
        &[$(($name, include_str!(concat!("../", $folder, "/", $name, $end)))),*]
    };
}

/// The files of `minnow`, the top one first.
pub const MINNOW: &[File] = files!("minnow": "minnow.xml");

/// A program of `minnow`, as text and assembled.
pub const MINNOW_SUM: (&str, &[u8]) = (include_str!("../minnow/sum.txt"), include_bytes!("../minnow/sum.bin"));

/// The files of `trio`, the top one first.
pub const TRIO: &[File] = files!("trio": "trio.xml");

/// A program of `trio`, as text and assembled.
pub const TRIO_DOT: (&str, &[u8]) = (include_str!("../trio/dot.txt"), include_bytes!("../trio/dot.bin"));

/// The files of the description of RISC-V, the top one first.
pub const RISCV: &[File] = files!("riscv":
    "riscv.xml" "registers.xml" "extensions.xml" "values.xml" "base.xml" "m.xml" "a.xml" "zalasr.xml" "zicsr.xml" "priv.xml"
    "f.xml" "d.xml" "zfh.xml" "zfa.xml" "zb.xml" "zk.xml" "zicond.xml" "zicbo.xml" "c.xml" "zcb.xml" "guests.xml" "vectors.xml" "v.xml" "zv.xml" "zf.xml" "zfinx.xml" "za.xml" "zcmp.xml" "zilsd.xml" "zc.xml"
    "zi.xml" "xext.xml"
);

/// What descriptions that are made of RISC-V's published formats share, the top one first: registers, enums, lengths.
pub const RISCV_FORMATS: &[File] =
    files!("riscv": "formats.xml" "values.xml" "registers.xml" "guests.xml" "vectors.xml");

/// What these formats do not say of operands and texts.
pub const RISCV_OPERANDS: &str = include_str!("../riscv/formats.operands");

/// Where two of these formats mean the same by different words.
pub const RISCV_RULES: &str = include_str!("../riscv/formats.rules");

/// The files of the description of Intel Xe, the top one first.
pub const XE: &[File] = files!("xe":
    "xe.xml" "enums.xml" "bfn.xml" "swsb.xml" "formats.xml" "opcodes.xml" "lsc.xml" "messages.xml" "compact.xml" "rules.xml"
);

/// The operand tables of LLVM targets, by the name of the target's file in lower case.
pub const LLVM: &[File] = files!("llvm", ".operands":
    "aarch64" "amdgpu" "arm" "avr" "bpf" "lanai" "loongarch" "m68k" "mips" "msp430" "ppc" "riscv" "sparc" "systemz" "ve" "xcore" "xtensa"
);

/// What fields are to instructions in descriptions of others, by the name of the description's file.
pub const ROLES: &[File] = files!("roles", ".roles.xml": "etnaviv" "ir3");

/// Other tools: how to run them and how to read what they say.
pub const TOOLS: &[File] = files!("tools", ".tool":
    "capstone-riscv" "gdb-riscv" "gnu-as-riscv" "iga64" "lines" "llvm-mc-amdgpu" "llvm-mc-avr" "llvm-mc-bpf" "llvm-mc-lanai"
    "llvm-mc-loongarch" "llvm-mc-msp430" "llvm-mc-ppc" "llvm-mc-ppc32" "llvm-mc-ppcle" "llvm-mc-riscv" "llvm-mc-riscv-as"
    "llvm-mc-sparc" "llvm-mc-systemz" "llvm-objdump-riscv" "objdump-avr" "objdump-riscv" "qemu-riscv" "spirv-as" "spirv-dis"
);

/// How tools are known to differ from the descriptions.
pub const KNOWN: &[File] = files!("tools", ".known":
    "capstone-riscv" "gnu-as-riscv" "iga64" "llvm-mc-amdgpu" "llvm-mc-avr" "llvm-mc-lanai" "llvm-mc-msp430" "llvm-mc-ppc"
    "llvm-mc-riscv" "llvm-mc-riscv-as" "llvm-mc-sparc" "objdump-avr" "objdump-riscv" "qemu-riscv" "spirv-as" "spirv-dis"
);

/// The text of a file among others.
#[must_use]
pub fn find(files: &[File], name: &str) -> Option<&'static str> {
    files.iter().find(|file| file.0 == name).map(|file| file.1)
}
