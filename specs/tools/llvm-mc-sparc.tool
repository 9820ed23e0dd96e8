# LLVM's machine code disassembler for Sparc. Words are in brackets, so that what follows a refused one is read anew, and each is followed by a mark,
# an instruction with a text of its own.
# It has no length in its answers: all have 32 bits, and with --show-encoding it crashes on calls.
tool llvm-mc 19
isa Sparc
run llvm-mc-19 --disassemble -triple=sparc -mattr={features}
# A crash is told by its signal: the tool need not look for the names of its functions.
environment LLVM_DISABLE_SYMBOLIZATION=1
write [{0xbytes}]\n0xaa 0x04 0xe4 0xd2
answers marked add %l3, 1234, %l5
read {text}
skip .text
aliases yes
# A refused word in brackets is a failure for it.
status any
batch 16384

features ,
feature * +{name}
error *not a recognized feature*
error *not a recognized processor*
