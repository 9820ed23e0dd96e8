# LLVM's machine code disassembler for MSP430. Words are in brackets, so that what follows a refused one is read anew, and each is followed by a mark,
# an instruction with a text of its own.
tool llvm-mc 19
isa MSP430
run llvm-mc-19 --disassemble -triple=msp430 -mattr={features} --show-encoding
write [{0xbytes}]\n0x09 0x57
answers marked add r7, r9
read {text} ; encoding: [{bytes}]
read {text}\t; encoding: [{bytes}]
skip .text
aliases yes
# A refused word in brackets is a failure for it.
status any
batch 16384
# The mark, and `push` of what a register points to: it crashes.
avoid 0101011100001001
avoid 00010010001x0001
avoid 00010010001x01xx
avoid 00010010001x1xxx

features ,
feature * +{name}
error *not a recognized feature*
error *not a recognized processor*
