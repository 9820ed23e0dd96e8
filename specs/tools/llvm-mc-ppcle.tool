# LLVM's machine code disassembler for little-endian PowerPC. Words are in brackets, so that what follows a refused one is read anew, and each is followed by a mark,
# an instruction with a text of its own.
tool llvm-mc 19
isa PPC
run llvm-mc-19 --disassemble -triple=powerpc64le -mattr={features} --show-encoding
# A crash is told by its signal: the tool need not look for the names of its functions.
environment LLVM_DISABLE_SYMBOLIZATION=1
write [{0xbytes}]\n0x34 0x12 0x33 0x3a
answers marked addi 17, 19, 4660
read {text} # encoding: [{bytes}]
read {text}\t# encoding: [{bytes}]
skip .text
aliases yes
# A refused word in brackets is a failure for it.
status any
batch 16384

features ,
# Says what the triple says.
feature mode32
feature * +{name}
error *not a recognized feature*
error *not a recognized processor*
