# LLVM's machine code disassembler for LoongArch. Words are in brackets, so that what follows a refused one is read anew, and each is followed by a mark,
# an instruction with a text of its own.
tool llvm-mc 19
isa LoongArch
run llvm-mc-19 --disassemble -triple=loongarch64 -mattr={features} --show-encoding
# A crash is told by its signal: the tool need not look for the names of its functions.
environment LLVM_DISABLE_SYMBOLIZATION=1
write [{0xbytes}]\n0x8d 0x01 0x15 0x00
answers marked move $t1, $t0
read {text} # encoding: [{bytes}]
read {text}\t# encoding: [{bytes}]
skip .text
aliases yes
# A refused word in brackets is a failure for it.
status any
batch 16384

features ,
feature cpu=generic-la64
feature * +{name}
error *not a recognized feature*
error *not a recognized processor*
