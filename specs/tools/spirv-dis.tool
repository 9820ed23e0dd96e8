# SPIRV-Tools' disassembler beside the SPIR-V grammar.
tool spirv-dis
isa spirv
run spirv-dis --raw-id --no-header --no-color -
answers modules
