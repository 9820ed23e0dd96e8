# LLVM's machine code disassembler for RISC-V. Each word is followed by a mark, an instruction with a text of its own, so that a refused word is seen.
tool llvm-mc 19
isa riscv
gen 32 triple=riscv32
gen 64 triple=riscv64
run llvm-mc-19 --disassemble -triple={triple} -mattr={features} -M no-aliases --show-encoding
# A crash is told by its signal: the tool need not look for the names of its functions.
environment LLVM_DISABLE_SYMBOLIZATION=1
write {0xbytes}\n0x37 0x50 0x34 0x12
answers marked lui zero, 74565
read {text} # encoding: [{bytes}]
skip .text
comment #
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
