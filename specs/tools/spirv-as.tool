# SPIRV-Tools' assembler: the texts of the SPIR-V grammar, and the words that come back.
tool spirv-as
isa spirv
run spirv-as --preserve-numeric-ids --target-env spv1.6 -o - -
assemble {text}
answers modules
