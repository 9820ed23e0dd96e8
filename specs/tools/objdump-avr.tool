# GNU's objdump for AVR, which reads the words from a file of bytes with nops between them. Its machines are
# families of devices; `special` is LLVM's name for all that any device has.
tool GNU objdump
isa AVR
run avr-objdump -D -b binary -m avr:{features} -z {input}
write-bytes 0000
slot 8
answers addressed
read {address}:\t{bytes}\t{text}
skip *:*file format binary
skip Disassembly of section*
skip *<.data>:
skip ...
refused .word*
comment ;
aliases yes
batch 16384

features ,
feature avr1 1
feature avr2 2
feature avr25 25
feature avr3 3
feature avr31 31
feature avr35 35
feature avr4 4
feature avr5 5
feature avr51 51
feature avr6 6
feature avrtiny 100
feature xmega* 106
feature special

