# Any program that reads the bytes of an instruction from each line, as hexadecimal digits in the order of memory, and prints a line for each: the text, or
# nothing if it is not an instruction. `isaglot disasm --words` is one. Name it with `--command`, or copy this file and change `run`.
tool the command
run decode-lines
write {memory}
answers each
read {text}
aliases no
