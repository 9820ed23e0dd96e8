# LLVM's machine code disassembler for SystemZ. Words are in brackets, so that what follows a refused one is read anew, and each is followed by a mark,
# an instruction with a text of its own.
tool llvm-mc 19
isa SystemZ
run llvm-mc-19 --disassemble -triple=s390x -mattr={features} --show-encoding
# A crash is told by its signal: the tool need not look for the names of its functions.
environment LLVM_DISABLE_SYMBOLIZATION=1
write [{0xbytes}]\n0xb9 0x08 0x00 0x39
answers marked agr %r3, %r9
read {text} # encoding: [{bytes}]
read {text}\t# encoding: [{bytes}]
# Bytes that a relocation would fill are letters.
read {text} # encoding: [{_}]
read {text}\t# encoding: [{_}]
skip .text
skip #*fixup*
aliases yes
# A refused word in brackets is a failure for it.
status any
batch 16384

features ,
feature * +{name}
error *not a recognized feature*
error *not a recognized processor*
