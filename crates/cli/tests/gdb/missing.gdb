# fault.s rv64
# What is not there is an error: memory, and a register that cannot be written.
stepi
info registers a0
x/wx $a0
