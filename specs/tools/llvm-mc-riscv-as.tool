# LLVM's assembler for RISC-V. It prints the labels of its input, so each instruction has one with its number.
tool llvm-mc 19 --assemble
isa riscv
gen 32 triple=riscv32
gen 64 triple=riscv64
run llvm-mc-19 --assemble -triple={triple} -mattr={features} --show-encoding
# A crash is told by its signal: the tool need not look for the names of its functions.
environment LLVM_DISABLE_SYMBOLIZATION=1
status any
assemble L{number}:\n{text}
read L{number}:
read {_} # encoding: [{bytes}]
skip .text
skip .option *
skip #*
complaint <stdin>:{line}:{_}: error: {_}
error *not a recognized feature*
error *not a recognized processor*
batch 16384

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
