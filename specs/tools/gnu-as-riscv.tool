# GNU's assembler for RISC-V. Its listing says for each line which bytes it has; `-Z` lets it go on after errors.
tool GNU as
isa riscv
gen 32 arch=rv32i abi=ilp32
gen 64 arch=rv64i abi=lp64
run riscv64-linux-gnu-as -march={arch}_{features} -mabi={abi} -mno-relax -Z -aln {input} -o {work}/texts.o
status any
assemble {text}
# A number is an address.
distance .{distance}
read {line} {_} {bytes}\t{_}
read {line}\t{_}
read {line} {bytes}
skip *Error:*
skip *Warning:*
complaint {_}:{line}: Error: {_}
error *unknown prefixed ISA extension*
error *Fatal error*
error *-march*
batch 16384

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
