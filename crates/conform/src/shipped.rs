//! The tools of `specs/tools` that the library carries with it.

/// The names of all, with the texts of their files.
const ALL: [(&str, &str); 24] = [
    ("capstone-riscv", include_str!("../../../specs/tools/capstone-riscv.tool")),
    ("gdb-riscv", include_str!("../../../specs/tools/gdb-riscv.tool")),
    ("gnu-as-riscv", include_str!("../../../specs/tools/gnu-as-riscv.tool")),
    ("iga64", include_str!("../../../specs/tools/iga64.tool")),
    ("lines", include_str!("../../../specs/tools/lines.tool")),
    ("llvm-mc-amdgpu", include_str!("../../../specs/tools/llvm-mc-amdgpu.tool")),
    ("llvm-mc-avr", include_str!("../../../specs/tools/llvm-mc-avr.tool")),
    ("llvm-mc-bpf", include_str!("../../../specs/tools/llvm-mc-bpf.tool")),
    ("llvm-mc-lanai", include_str!("../../../specs/tools/llvm-mc-lanai.tool")),
    ("llvm-mc-loongarch", include_str!("../../../specs/tools/llvm-mc-loongarch.tool")),
    ("llvm-mc-msp430", include_str!("../../../specs/tools/llvm-mc-msp430.tool")),
    ("llvm-mc-ppc", include_str!("../../../specs/tools/llvm-mc-ppc.tool")),
    ("llvm-mc-ppc32", include_str!("../../../specs/tools/llvm-mc-ppc32.tool")),
    ("llvm-mc-ppcle", include_str!("../../../specs/tools/llvm-mc-ppcle.tool")),
    ("llvm-mc-riscv", include_str!("../../../specs/tools/llvm-mc-riscv.tool")),
    ("llvm-mc-riscv-as", include_str!("../../../specs/tools/llvm-mc-riscv-as.tool")),
    ("llvm-mc-sparc", include_str!("../../../specs/tools/llvm-mc-sparc.tool")),
    ("llvm-mc-systemz", include_str!("../../../specs/tools/llvm-mc-systemz.tool")),
    ("llvm-objdump-riscv", include_str!("../../../specs/tools/llvm-objdump-riscv.tool")),
    ("objdump-avr", include_str!("../../../specs/tools/objdump-avr.tool")),
    ("objdump-riscv", include_str!("../../../specs/tools/objdump-riscv.tool")),
    ("qemu-riscv", include_str!("../../../specs/tools/qemu-riscv.tool")),
    ("spirv-as", include_str!("../../../specs/tools/spirv-as.tool")),
    ("spirv-dis", include_str!("../../../specs/tools/spirv-dis.tool")),
];

/// The names.
pub fn names() -> impl Iterator<Item = &'static str> {
    ALL.iter().map(|(name, _)| *name)
}

/// The text of a tool's file.
#[must_use]
pub fn find(name: &str) -> Option<&'static str> {
    ALL.iter().find(|(known, _)| *known == name).map(|(_, text)| *text)
}
