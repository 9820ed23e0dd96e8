# Any program that reads a hexadecimal word from each line and prints its text, or an empty line if it is not an instruction. A copy of this file with
# another command is a first adapter for a tool of your own.
tool a program that reads lines
run decode-lines
write {hex}
answers each
read {text}
aliases no
