# Capstone for RISC-V through its Python package, `pip install capstone`. It has no options for single extensions.
tool Capstone
isa riscv
gen 32 mode=5
gen 64 mode=6
run python3 -c 'import sys, capstone; d = capstone.Cs(capstone.CS_ARCH_RISCV, {mode}); [print(next((i.mnemonic + " " + i.op_str + " # " + i.bytes.hex() for i in d.disasm(bytes.fromhex(line), 0, 1)), "refused")) for line in sys.stdin]'
write {memory}
answers each
read {text} # {bytes}
read {text}
refused refused
aliases no
batch 16384

alias , dyn =
