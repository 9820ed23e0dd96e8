# hot.s rv32 rv64
# A loop that is hot before the debugger stops it: registers and memory are as they are there, a breakpoint within it holds, and an instruction of it that is written over is seen.
continue
x/i $pc
p $s0
p/x $s1
p/x *(int *)&total
p $mcycle
set {int}&patched = 0x02a4c493
set $pc = (long)&mid + 4
break *again if $s0 == 99990
continue
p $s0
p/x $s1
stepi
p/x $s1
delete
continue
p $s0
p/x $s1
set $pc = &once
watch *(int *)&total if *(int *)&total < 0
set $s0 = 5
x/i $pc
delete
continue
p/x $s1
p $minstret
