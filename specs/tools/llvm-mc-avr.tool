# LLVM's machine code disassembler for AVR. Words are in brackets, so that what follows a refused one is read anew, and each is followed by a mark,
# an instruction with a text of its own.
tool llvm-mc 19
isa AVR
run llvm-mc-19 --disassemble -triple=avr -mattr={features} --show-encoding
# A crash is told by its signal: the tool need not look for the names of its functions.
environment LLVM_DISABLE_SYMBOLIZATION=1
write [{0xbytes}]\n0xb5 0xe3
answers marked ldi r27, 53
read {text} ; encoding: [{bytes}]
read {text}\t; encoding: [{bytes}]
skip .text
aliases yes
# A refused word in brackets is a failure for it.
status any
batch 16384
# The mark.
avoid 1110001110110101

features ,
feature * +{name}
error *not a recognized feature*
error *not a recognized processor*
