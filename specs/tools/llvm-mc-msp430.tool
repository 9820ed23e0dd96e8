# LLVM's machine code disassembler for MSP430. Words are in brackets, so that what follows a refused one is read anew, and each is followed by a mark,
# an instruction with a text of its own.
tool llvm-mc 19
isa MSP430
run llvm-mc-19 --disassemble -triple=msp430 -mattr={features} --show-encoding
# A crash is told by its signal: the tool need not look for the names of its functions.
environment LLVM_DISABLE_SYMBOLIZATION=1
write [{0xbytes}]\n0x09 0x57
answers marked add r7, r9
read {text} ; encoding: [{bytes}]
read {text}\t; encoding: [{bytes}]
skip .text
aliases yes
# A refused word in brackets is a failure for it.
status any
batch 16384
# The mark.
avoid 0101011100001001

features ,
feature * +{name}
error *not a recognized feature*
error *not a recognized processor*
