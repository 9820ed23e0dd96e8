# process.s rv32 rv64 --linux
# A process: what it prints, a trap as a signal that is mended, and its exit code.
stepi
stepi
x/s &value
set $a1 = 0
set $pc = _start
break *_start+8
continue
continue
