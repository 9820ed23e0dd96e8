# GNU's debugger for RISC-V: GNU's assembler puts each word, as a number, into an object file with the wanted extensions, and gdb reads it. The words lie in
# the middle of a megabyte at each side, so that the targets of branches are shown with a symbol.
tool GNU gdb
isa riscv
gen 32 arch=rv32i abi=ilp32
gen 64 arch=rv64i abi=lp64
run riscv64-linux-gnu-as -march={arch}_{features} -mabi={abi} {input} -o {work}/words.o
run riscv64-linux-gnu-objcopy --add-symbol words=.text:0,function,global {work}/words.o
run gdb-multiarch -nx -batch -ex 'set disassembler-options no-aliases' -ex 'disassemble /r 0x200000,0x220000' {work}/words.o
write .subsection 0\n.org 0x{address}\n.insn {size}, 0x{hex}\n.subsection 1\n.org 0x340000
slot 8
base 0x200000
answers addressed
read 0x{address} <{_}>:\t{bytes}\t{text}
skip Dump of assembler*
skip End of assembler*
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
