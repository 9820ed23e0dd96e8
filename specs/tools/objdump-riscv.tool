# GNU's binutils for RISC-V: the assembler puts each word, as a number, into an object file with the wanted extensions, and objdump reads it.
tool GNU objdump
isa riscv
gen 32 arch=rv32i abi=ilp32
gen 64 arch=rv64i abi=lp64
run riscv64-linux-gnu-as -march={arch}_{features} -mabi={abi} {input} -o {work}/words.o
run riscv64-linux-gnu-objdump -d -z -M no-aliases {work}/words.o
write .org 0x{address}\n.insn {size}, 0x{hex}
slot 8
answers addressed
read {address}:\t{bytes}\t{text}
skip *words.o:*file format*
skip Disassembly of section*
skip *<.text>:
skip ...
refused .*
comment #
relative <
aliases no
batch 16384
# The description gives these 32 bits; the manual reserves them for longer instructions, which tools pass over as such.
avoid xxxxxxxxxxxxxxxxxxxxxxxxxxx11111

features _
feature priv
feature sdext
feature xprofile*
feature m {name}
feature a {name}
feature f {name}
feature d {name}
feature q {name}
feature c {name}
feature v {name}
feature h {name}
feature * {name}

alias , dyn =
