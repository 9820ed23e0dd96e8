# LLVM's machine code disassembler for AMDGPU. Words are in brackets, so that what follows a refused one is read anew, and each is followed by a mark,
# an instruction with a text of its own.
tool llvm-mc 19
isa AMDGPU
run llvm-mc-19 --disassemble -triple=amdgcn {features} --show-encoding
# A crash is told by its signal: the tool need not look for the names of its functions.
environment LLVM_DISABLE_SYMBOLIZATION=1
write [{0xbytes}]\n0x33 0x12 0x80 0xbf
answers marked s_nop 0x1233
# The bytes that it shows are those of its assembler, which writes a small number after an instruction into it.
read {text} ; encoding: [{_}]
skip .text
aliases yes
# A refused word in brackets is a failure for it.
status any
batch 16384
# Scalar instructions are asked alone, whose words begin with 10: the differences of others are not sorted out yet.
avoid 0xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx
avoid 11xxxxxxxxxxxxxxxxxxxxxxxxxxxxxx
avoid xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx0xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx
avoid xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx11xxxxxxxxxxxxxxxxxxxxxxxxxxxxxx
avoid xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx0xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx
avoid xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx11xxxxxxxxxxxxxxxxxxxxxxxxxxxxxx
# Its own comments about a constant, or a register of another kind, where a scalar register must be.
refused *Invalid immediate*
refused *Invalid register*
# The mark.
avoid 10111111100000000001001000110011

# Processors: their features come with them.
feature cpu=* -m{name}
error *is not a recognized processor*
# LLVM chooses the width of waves by the processor, as the table does.
feature wavefrontsize32
feature wavefrontsize64 -mattr=+wavefrontsize64
