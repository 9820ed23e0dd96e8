# count.s rv32 rv64
# Breakpoints, steps, registers of all kinds, memory, watchpoints, and an end at `ebreak`.
info registers pc sp
break *square
continue
p $a0
stepi
p $a0
p $s0
info breakpoints
delete
p/x *(int *)&total
watch *(int *)&total
continue
p *(int *)&total
x/i $pc
delete
rwatch *(char *)((char *)&total + 1)
continue
x/i $pc
delete
awatch *(double *)&number
continue
x/i $pc
continue
x/i $pc
delete
hbreak *square
info breakpoints
continue
p $s0
p $fa0
p $fcsr
p $mstatus
p/x $misa
p $priv
p $mcycle
set $a0 = 77
p $a0
set $fa0 = 0.25
p $fa0
set $fcsr = 0xe3
p $frm
p $fflags
set $fcsr = 0
set $mscratch = 5
p $mscratch
set {int}&total = 1000
x/2wx &total
p $satp
stepi
delete
continue
x/i $pc
x/2wx &total
p/x $mepc
continue
