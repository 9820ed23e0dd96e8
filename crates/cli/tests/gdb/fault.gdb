# fault.s rv32 rv64
# A trap that nobody handles is a signal first; the run ends when the debugger goes on and nothing is mended.
continue
x/i $pc
p/x $a0
continue
