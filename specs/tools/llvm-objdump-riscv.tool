# LLVM's objdump for RISC-V: its assembler puts each word, as a number, into an object file, and objdump reads it.
tool llvm-objdump 19
isa riscv
gen 32 triple=riscv32
gen 64 triple=riscv64
run llvm-mc-19 -filetype=obj -triple={triple} -mattr=+c {input} -o {work}/words.o
run llvm-objdump-19 -d -z -M no-aliases --triple={triple} --mattr={features} {work}/words.o
environment LLVM_DISABLE_SYMBOLIZATION=1
write .org 0x{address}\n.insn {size}, 0x{hex}
slot 8
answers addressed
read {address}: {bytes}\t{text}
skip *words.o:*file format*
skip Disassembly of section*
skip *<.text>:
refused <unknown>
comment #
relative <
aliases no
batch 16384
# The description gives these 32 bits; the manual reserves them for longer instructions, which tools pass over as such.
avoid xxxxxxxxxxxxxxxxxxxxxxxxxxx11111

# What is always there has no option, and some are called experimental.
features ,
feature priv
feature sdext
feature xprofile*
feature zacas +experimental-zacas
feature zalasr +experimental-zalasr
feature zicfilp +experimental-zicfilp
feature zicfiss +experimental-zicfiss
feature * +{name}
error *not a recognized feature*
error *not a recognized processor*

# The rounding mode that is usual is left out by some.
alias , dyn =
