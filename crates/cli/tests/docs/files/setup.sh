# Makes the files that examples of help texts name, where a reader has their own.
cp examples/programs/* examples/wren/* .
cp dot.s program.s
cp double.spvasm shader.spvasm
isaglot asm --isa rv64gc program.s -o program.elf
isaglot asm --isa rv64gc hello.s -o hello.elf
isaglot asm --isa rv64gc emulate.s -o emulate.elf
isaglot asm --isa xehpc kernel.asm -o kernel.bin
isaglot spirv as shader.spvasm -o shader.spv
isaglot asm --isa minnow specs/minnow/sum.txt -o program.bin
cp specs/minnow/minnow.xml my.xml
cp specs/minnow/minnow.xml old.xml
sed 's/<bitset name="inc"/<bitset name="step"/' my.xml > newer.xml
echo '0x12345 org.tinker.tinker:RocknRoll central me@tinker.org 2026-01-31' > registry.txt
echo '0xB945E org.example:Drums hash - 2026-01-31' > theirs.txt
