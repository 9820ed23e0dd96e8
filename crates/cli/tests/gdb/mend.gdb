# fault.s rv64
# A trap that nobody handles, mended by the debugger; then the debugger leaves, and the program goes on.
continue
set $a0 = $sp - 64
set {int}($sp - 64) = 42
stepi
p $a1
detach
