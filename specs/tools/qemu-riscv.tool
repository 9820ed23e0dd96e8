# The disassembler of QEMU's system emulator for RISC-V, by its monitor: the words lie in the memory of a machine that does not run. It knows all instructions
# that it has, whatever the processor, and its texts have aliases and the rounding mode first; so only what is an instruction is compared.
tool QEMU
isa riscv
gen 32 bits=32
gen 64 bits=64
run sh -c '(echo xp /512i 0x80000000; echo q) | qemu-system-riscv{bits} -M virt -bios none -device loader,file={input},addr=0x80000000 -S -display none -serial none -monitor stdio | tr -d "\015"'
write-bytes 00
slot 4
base 0x80000000
answers addressed
read 0x{address}:  {bytes} {text}
skip QEMU*
skip (qemu)*
refused illegal*
comment #
texts no
aliases yes
# What the monitor prints has to fit a pipe: it ends without waiting for the reader.
batch 256
# The description gives these 32 bits; the manual reserves them for longer instructions, which tools pass over as such.
avoid xxxxxxxxxxxxxxxxxxxxxxxxxxx11111
