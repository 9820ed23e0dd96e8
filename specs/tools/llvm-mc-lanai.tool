# LLVM's machine code disassembler for Lanai. Words are in brackets, so that what follows a refused one is read anew, and each is followed by a mark,
# an instruction with a text of its own.
tool llvm-mc 19
isa Lanai
run llvm-mc-19 --disassemble -triple=lanai -mattr={features} --show-encoding
write [{0xbytes}]\n0x04 0x9c 0x12 0x34
answers marked add %r7, 0x1234, %r9
read {text} ! encoding: [{bytes}]
read {text}\t! encoding: [{bytes}]
skip .text
aliases yes
# A refused word in brackets is a failure for it.
status any
batch 16384
# Register loads and stores with an operation that does not exist: it crashes.
avoid 101xxxxxxxxxxxxxxxxxx1110xxxxxxx
avoid 101xxxxxxxxxxxxxxxxxx1111x1xxxxx
avoid 101xxxxxxxxxxxxxxxxxx1111xx1xxxx
avoid 101xxxxxxxxxxxxxxxxxx1111xxx1xxx

features ,
feature * +{name}
error *not a recognized feature*
error *not a recognized processor*
